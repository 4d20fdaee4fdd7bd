// SPDX-License-Identifier: Apache-2.0
// Workgroups in slots: their registers and initial state.
#include "schedule/launch.h"

#include "memory/past.h"
#include "splitmix.h"

#include <stdlib.h>
#include <string.h>

// Registers of all slots of a worker; above this it uses fewer slots.
#define SLOT_BYTES_MAX (UINT64_C(256) << 20)

static bool make_slot(struct worker *worker, struct workgroup *slot, uint32_t subgroups,
                      uint64_t *registers)
{
    const struct program *program = worker->program;
    const uint32_t width = program->subgroup;
    const size_t cells = (size_t)program->cell_count * width;
    *slot = (struct workgroup){.subgroup_count = subgroups};
    slot->subgroups = calloc(subgroups, sizeof(*slot->subgroups));
    slot->start = malloc(PAST_PAGE + program->shared_size);
    slot->shared = slot->start ? past_page(slot->start) : NULL;
    const bool asks_workgroup =
        worker->trace || (subgroups > 1 && worker->rules->stays_diverged &&
                          !program->maximally_reconverges && !program->subgroup_uniform);
    if (asks_workgroup)
        slot->uniform = calloc(1, sizeof(*slot->uniform));
    if (!slot->subgroups || !slot->shared || (asks_workgroup && !slot->uniform))
        return false;
    for (uint32_t i = 0; i < subgroups; i++) {
        struct subgroup *subgroup = &slot->subgroups[i];
        *subgroup = (struct subgroup){.cells = registers + i * cells,
                                      .number = i,
                                      .width = width,
                                      .program = program,
                                      .flow = worker->flow,
                                      .rules = worker->rules,
                                      .uniform = slot->uniform};
    }
    return true;
}

static void fill(const struct subgroup *subgroup, uint32_t cell, uint64_t value)
{
    uint64_t *cells = subgroup->cells + (size_t)cell * subgroup->width;
    for (uint32_t lane = 0; lane < subgroup->width; lane++)
        cells[lane] = value;
}

// Arbitrary bits: a shader that depends on them is inconsistent.
static void fill_undefined(const struct subgroup *subgroup, const struct undefined_cells *run,
                           uint64_t *random)
{
    const uint64_t mask = run->width ? UINT64_MAX >> (64 - run->width) : 1; // 0: Boolean
    uint64_t *cells = subgroup->cells + (size_t)run->cell * subgroup->width;
    for (size_t i = 0; i < (size_t)run->count * subgroup->width; i++)
        cells[i] = splitmix_next(random) & mask;
}

static void fill_constants(const struct program *program, const struct workgroup *slot)
{
    for (uint32_t i = 0; i < slot->subgroup_count; i++) {
        const struct subgroup *subgroup = &slot->subgroups[i];
        for (uint32_t c = 0; c < program->constant_count; c++)
            fill(subgroup, program->constants[c].cell, program->constants[c].value);
        for (uint32_t r = 0; r < program->resource_count; r++)
            fill(subgroup, program->resources[r].cell,
                 region_address(program->resources[r].first_region, 0));
    }
}

static void free_slot(struct workgroup *slot)
{
    for (uint32_t i = 0; slot->subgroups && i < slot->subgroup_count; i++)
        tangle_clear(&slot->subgroups[i]);
    free(slot->subgroups);
    free(slot->start);
    order_free(slot->order);
    free(slot->uniform);
    *slot = (struct workgroup){0};
}

// The registers of all slots. A worker keeps the memory from one dispatch to the next, but not its
// contents: otherwise a program that reads uninitialised registers would depend on earlier
// programs, and on how its caller groups dispatches. Workgroups of one dispatch do inherit each
// other's registers, as on a device.
static bool make_registers(struct worker *worker, uint64_t count)
{
    if (count > worker->register_count) {
        free(worker->registers);
        worker->registers = calloc(count, sizeof(*worker->registers));
        worker->register_count = worker->registers ? count : 0;
    } else {
        memset(worker->registers, 0, count * sizeof(*worker->registers));
    }
    return worker->registers;
}

bool launch_prepare(struct worker *worker, uint32_t slots, struct past *past)
{
    const struct program *program = worker->program;
    const uint64_t invocations =
        (uint64_t)program->local_size[0] * program->local_size[1] * program->local_size[2];
    const uint32_t subgroups =
        (uint32_t)((invocations + program->subgroup - 1) / program->subgroup);
    const uint64_t registers = (uint64_t)program->cell_count * program->subgroup * subgroups;
    while (slots > 1 && 8 * registers * slots > SLOT_BYTES_MAX)
        slots--;
    if (!make_registers(worker, registers * slots + 1))
        return false;
    worker->slots = calloc(slots, sizeof(*worker->slots));
    worker->slot_count = worker->slots ? slots : 0;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct workgroup *slot = &worker->slots[i];
        if (!make_slot(worker, slot, subgroups, worker->registers + i * registers))
            return false;
        static const enum order_rules rules[] = {
            [MEMORY_VULKAN] = ORDER_VULKAN,
            [MEMORY_RELAXED] = ORDER_RELAXED,
            [MEMORY_TORN] = ORDER_TORN,
        };
        if (worker->memory != MEMORY_SEQUENTIAL) {
            slot->order = order_create(rules[worker->memory], subgroups, program->subgroup, past);
            if (!slot->order)
                return false;
        }
        fill_constants(program, slot);
    }
    return worker->slots != NULL;
}

void launch_finish(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        free_slot(&worker->slots[i]);
    free(worker->slots);
    worker->slots = NULL;
    worker->slot_count = 0;
}

// Built-in variables.

struct invocation {
    const struct dispatch *dispatch;
    const struct workgroup *workgroup;
    const struct subgroup *subgroup;
    uint32_t lane, index, local[3];
    bool counts_y_first;
};

static uint64_t lane_mask(const struct invocation *at, uint32_t builtin, uint32_t component)
{
    const lanes own = lanes_of(at->lane), all = lanes_below(at->subgroup->width);
    lanes mask = own;
    if (builtin == SpvBuiltInSubgroupGeMask)
        mask = all & ~(own - 1);
    else if (builtin == SpvBuiltInSubgroupGtMask)
        mask = all & ~(own - 1) & ~own;
    else if (builtin == SpvBuiltInSubgroupLeMask)
        mask = (own - 1) | own;
    else if (builtin == SpvBuiltInSubgroupLtMask)
        mask = own - 1;
    return (uint32_t)(mask >> 32 * (component & 3));
}

static uint64_t builtin_value(const struct invocation *at, uint32_t builtin, uint32_t component)
{
    const uint32_t *size = at->dispatch->program->local_size;
    switch (builtin) {
    case SpvBuiltInNumWorkgroups:
        return at->dispatch->groups[component];
    case SpvBuiltInWorkgroupSize:
        return size[component];
    case SpvBuiltInWorkgroupId:
        return at->workgroup->id[component];
    case SpvBuiltInLocalInvocationId:
        return at->local[component];
    case SpvBuiltInGlobalInvocationId:
        return at->workgroup->id[component] * size[component] + at->local[component];
    case SpvBuiltInLocalInvocationIndex:
        return at->counts_y_first ? (at->local[2] * size[0] + at->local[0]) * size[1] + at->local[1]
                                  : at->index;
    case SpvBuiltInSubgroupSize:
        return at->subgroup->width;
    case SpvBuiltInNumSubgroups:
        return at->workgroup->subgroup_count;
    case SpvBuiltInSubgroupId:
        return at->subgroup->number;
    case SpvBuiltInSubgroupLocalInvocationId:
        return at->lane;
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return lane_mask(at, builtin, component);
    default:
        return 0; // DeviceIndex
    }
}

static void fill_builtins(struct invocation *at)
{
    const struct program *program = at->dispatch->program;
    const uint32_t *size = program->local_size;
    at->local[0] = at->index % size[0];
    at->local[1] = at->index / size[0] % size[1];
    at->local[2] = at->index / size[0] / size[1];
    for (uint32_t b = 0; b < program->builtin_count; b++) {
        const struct builtin_cells *builtin = &program->builtins[b];
        for (uint32_t c = 0; c < builtin->components; c++)
            at->subgroup->cells[(size_t)(builtin->cell + c) * at->subgroup->width + at->lane] =
                builtin_value(at, builtin->builtin, c < 4 ? c : 0);
    }
}

static void begin_subgroup(const struct worker *worker, const struct dispatch *dispatch,
                           const struct workgroup *slot, struct subgroup *subgroup)
{
    const struct program *program = worker->program;
    const uint32_t all = program->local_size[0] * program->local_size[1] * program->local_size[2];
    const uint32_t first = subgroup->number * subgroup->width;
    const uint32_t count = all - first < subgroup->width ? all - first : subgroup->width;
    subgroup->present = subgroup->live = lanes_below(count);
    subgroup->runnable = subgroup->at_barrier = subgroup->ordered = 0;
    subgroup->quiet = 0;
    subgroup->behind = subgroup->held = subgroup->parked = subgroup->begun = 0;
    for (uint32_t i = 0; i < program->initial_count; i++)
        fill(subgroup, program->initial[i].cell, program->initial[i].value);
    uint64_t random = splitmix_mix(subgroup->random);
    for (uint32_t i = 0; i < program->undefined_count; i++)
        fill_undefined(subgroup, &program->undefined[i], &random);
    for (uint32_t lane = 0; lane < count; lane++) {
        struct invocation at = {.dispatch = dispatch,
                                .workgroup = slot,
                                .subgroup = subgroup,
                                .lane = lane,
                                .index = first + lane,
                                .counts_y_first = worker->counts_y_first};
        fill_builtins(&at);
        subgroup->progress[lane] = 0;
        subgroup->asleep[lane] = 0;
    }
}

bool launch_workgroup(struct worker *worker, const struct dispatch *dispatch,
                      struct workgroup *slot, uint64_t number, uint64_t seed)
{
    const struct program *program = worker->program;
    const uint32_t *groups = dispatch->groups;
    slot->number = number;
    slot->id[0] = dispatch->base[0] + (uint32_t)(number % groups[0]);
    slot->id[1] = dispatch->base[1] + (uint32_t)(number / groups[0] % groups[1]);
    slot->id[2] = dispatch->base[2] + (uint32_t)(number / groups[0] / groups[1]);
    for (uint64_t i = 0; i < program->shared_size; i++)
        slot->shared[i] = (unsigned char)(0xA5 ^ i);
    for (uint32_t i = 0; i < program->shared_zero_count; i++)
        memset(slot->shared + program->shared_zero[i].at, 0, program->shared_zero[i].size);
    slot->live = slot->subgroup_count;
    if (slot->uniform)
        slot->uniform->root = uniform_key(seed, 0, (uint32_t)(number >> 32), (uint32_t)number);
    for (uint32_t i = 0; i < slot->subgroup_count; i++) {
        struct subgroup *subgroup = &slot->subgroups[i];
        subgroup->random = seed + number * 0x10001 + i;
        begin_subgroup(worker, dispatch, slot, subgroup);
        subgroup->compilation = worker->compilation;
        if (!tangle_start(subgroup, program->blocks[program->functions[0].entry].first))
            return false;
    }
    worker->exec.workgroup = NULL; // forces a new selection
    return true;
}
