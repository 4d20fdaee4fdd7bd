// SPDX-License-Identifier: Apache-2.0
// The waves of a dispatch in turns, as the seed says.
#include "device/cache.h"
#include "device/dispatch.h"
#include "device/fault.h"

#include "decode.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURST = 64,   // instructions of a turn at most
    LONGEST = 12, // of a long one, as a power of 2
    SLICE = 4096, // of a turn in order
    PAGE = 1024,  // dwords of code decoded into one allocation
    PAGES = 1024, // of code from its first byte
};

struct page {
    struct rdna_insn instructions[PAGE];
    uint8_t dwords[PAGE]; // of each instruction; 0: not decoded yet
};

struct schedule {
    struct machine machine;
    const struct dispatch *dispatch;
    struct rdna_memory_ops memory;
    struct page *pages[PAGES];
    struct wave **waves; // the device's
    struct workgroup *groups;
    unsigned group_slots; // workgroups
    unsigned running;     // waves of state WAVE_RUNS, listed in `turns`
    unsigned turns[RDNA_WAVES];
    uint64_t next, total; // workgroups launched, and to launch
    unsigned last;        // in order: the wave that had its turn
    uint64_t faulty;      // the address of an instruction; UINT64_MAX: none
};

static uint64_t clock_of(void *context)
{
    const struct machine *machine = context;
    return machine->device->clock;
}

static const struct rdna_insn *fetch(struct schedule *s, uint64_t pc)
{
    struct rdna_device *device = s->machine.device;
    const uint64_t index = (pc - s->dispatch->code) / 4;
    if (pc % 4 || index >= (uint64_t)PAGE * PAGES) {
        device_end(device, "fault: code at 0x%llx, outside the program", (unsigned long long)pc);
        return NULL;
    }
    struct page **page = &s->pages[index / PAGE];
    if (!*page && !(*page = calloc(1, sizeof(**page)))) {
        device_end(device, "not emulated: no memory left for code");
        return NULL;
    }
    struct rdna_insn *instruction = &(*page)->instructions[index % PAGE];
    uint8_t *dwords = &(*page)->dwords[index % PAGE];
    if (*dwords)
        return instruction;
    uint32_t words[8];
    size_t count = 0;
    for (const void *host; count < 8 && (host = space_host(&device->space, pc + 4 * count, 4));)
        memcpy(&words[count++], host, 4);
    if (!count) {
        device_end(device, "fault: code at 0x%llx, where nothing is mapped",
                   (unsigned long long)pc);
        return NULL;
    }
    *dwords = (uint8_t)rdna_decode(words, count, device->generation, instruction);
    if (*dwords)
        return instruction;
    device_end(device, "not emulated: %s", instruction->unknown);
    return NULL;
}

static void launch_wave(struct schedule *s, unsigned slot, struct workgroup *group, unsigned index)
{
    struct rdna_device *device = s->machine.device;
    struct wave *wave = s->waves[slot];
    const unsigned wgp = (unsigned)((s->next + device->settings.seed) % CACHE_WGPS);
    wave->group = group;
    wave->in_flight = 0;
    wave->is_slow = wave->passes = false;
    wave->unit = 2 * wgp + (s->dispatch->wgp ? index % 2 : (unsigned)(s->next / CACHE_WGPS % 2));
    wave->shares = !s->dispatch->wgp;
    wave->state = WAVE_RUNS;
    dispatch_begin(device, s->dispatch, s->next, index, slot, &wave->registers);
    wave->watched =
        device->watch && s->next == device->watched_group && index == device->watched_index;
    if (wave->watched)
        device->watch(device->watcher, &wave->registers, 0);
    s->turns[s->running++] = slot;
}

// Launches workgroups, in their order, into the places that are free.
static void launch(struct schedule *s)
{
    const unsigned waves = s->dispatch->waves;
    for (unsigned g = 0; g < s->group_slots && s->next < s->total; g++) {
        struct workgroup *group = &s->groups[g];
        if (group->busy)
            continue;
        const uint32_t random = (uint32_t)device_random(s->machine.device);
        for (uint32_t i = 0; i + 4 <= group->lds_size; i += 4)
            memcpy(group->lds + i, &random, 4);
        group->busy = true;
        if (s->machine.device->in_order)
            s->machine.device->steps = 0;
        group->waves = dispatch_waves(s->dispatch, s->next);
        group->ended = group->arrived = 0;
        for (unsigned i = 0; i < group->waves; i++)
            launch_wave(s, g * waves + i, group, i);
        s->next++;
    }
}

static void stop_turn(struct schedule *s, unsigned slot)
{
    for (unsigned i = 0; i < s->running; i++)
        if (s->turns[i] == slot) {
            s->turns[i] = s->turns[--s->running];
            return;
        }
}

// All waves that have not ended have arrived: the barrier opens.
static void try_barrier(struct schedule *s, struct workgroup *group)
{
    if (!group->arrived || group->arrived + group->ended < group->waves)
        return;
    const unsigned first = (unsigned)(group - s->groups) * s->dispatch->waves;
    group->arrived = 0;
    for (unsigned i = first; i < first + group->waves; i++) {
        s->waves[i]->passes = s->waves[i]->state == WAVE_RUNS;
        if (s->waves[i]->state == WAVE_WAITS) {
            s->waves[i]->state = WAVE_RUNS;
            s->turns[s->running++] = i;
        }
    }
}

static void arrive(struct schedule *s, struct workgroup *group)
{
    group->arrived++;
    try_barrier(s, group);
}

// False: the wave waits, which ends its turn.
static bool await(struct schedule *s, unsigned slot)
{
    struct wave *wave = s->waves[slot];
    if (wave->passes) {
        wave->passes = false;
        return true;
    }
    wave->state = WAVE_WAITS;
    stop_turn(s, slot);
    return false;
}

static void end_wave(struct schedule *s, unsigned slot)
{
    struct wave *wave = s->waves[slot];
    struct workgroup *group = wave->group;
    wave->in_flight = 0;
    wave->state = WAVE_ENDED;
    stop_turn(s, slot);
    if (++group->ended == group->waves)
        group->busy = false;
    else
        try_barrier(s, group);
}

// At a wait, and at the end: other waves see in which order the operations are performed,
// sometimes. False: the wave's turn is over.
static bool settle(struct schedule *s, unsigned slot)
{
    struct rdna_device *device = s->machine.device;
    struct wave *wave = s->waves[slot];
    if (wave->in_flight && !wave->is_slow && (wave->ends || !device_below(device, 4)))
        wave->is_slow = true;
    if (wave->is_slow && wave_perform_any(&s->machine, wave))
        return false;
    wave->is_slow = false;
    if (wave->ends)
        end_wave(s, slot);
    else
        wave_wait(&s->machine, wave);
    if (wave->watched && !wave->ends)
        device->watch(device->watcher, &wave->registers, wave->registers.pc - 4);
    return !wave->ends;
}

// False: the wave's turn is over.
static bool step(struct schedule *s, unsigned slot)
{
    struct rdna_device *device = s->machine.device;
    struct wave *wave = s->waves[slot];
    const struct rdna_insn *instruction = fetch(s, wave->registers.pc);
    if (!instruction)
        return false;
    device->clock++;
    device->steps++;
    const uint64_t pc = wave->registers.pc;
    const enum rdna_event event = pc == s->faulty
                                      ? fault_step(device, wave, instruction, &s->memory)
                                      : rdna_step(&wave->registers, instruction, &s->memory);
    if (wave->watched)
        device->watch(device->watcher, &wave->registers, pc);
    switch (event) {
    case RDNA_EVENT_NONE:
        break;
    case RDNA_EVENT_WAIT:
        wave->ends = false;
        if (!settle(s, slot))
            return false;
        break;
    case RDNA_EVENT_BARRIER:
        await(s, slot);
        arrive(s, wave->group);
        return false;
    case RDNA_EVENT_SIGNAL:
        arrive(s, wave->group);
        break;
    case RDNA_EVENT_AWAIT:
        if (!await(s, slot))
            return false;
        break;
    case RDNA_EVENT_CACHES:
        wave_invalidate(&s->machine, wave, false);
        break;
    case RDNA_EVENT_YIELD:
        return false;
    case RDNA_EVENT_END:
        wave->ends = true;
        return settle(s, slot);
    case RDNA_EVENT_UNKNOWN:
        return device_end(device, "not emulated: %s", wave->registers.unknown);
    }
    if (wave->in_flight)
        wave_age(&s->machine, wave);
    return !device->ended[0];
}

// In order the wave after the last one, else any.
static unsigned choose(struct schedule *s)
{
    if (!s->machine.device->in_order)
        return s->turns[device_below(s->machine.device, s->running)];
    unsigned chosen = s->turns[0];
    for (unsigned i = 1; i < s->running; i++)
        // Behind the last one wraps to more than any that is before it.
        if (s->turns[i] - s->last - 1 < chosen - s->last - 1)
            chosen = s->turns[i];
    return s->last = chosen;
}

// How many instructions the wave's turn has.
static unsigned draw(const struct schedule *s)
{
    struct rdna_device *device = s->machine.device;
    if (device->in_order)
        return SLICE;
    const uint64_t bound = device->settings.turns == RDNA_LONG
                               ? UINT64_C(1) << device_below(device, LONGEST + 1)
                               : BURST;
    return 1 + (unsigned)device_below(device, bound);
}

static bool turn(struct schedule *s)
{
    struct rdna_device *device = s->machine.device;
    const unsigned slot = choose(s);
    unsigned left = draw(s);
    s->machine.current = s->waves[slot];
    if (device->steps >= device->settings.steps)
        return device_end(device, "not emulated: more than %llu instructions",
                          (unsigned long long)device->settings.steps);
    if (!s->waves[slot]->is_slow || settle(s, slot))
        while (left-- && step(s, slot)) {
        }
    return !device->ended[0];
}

static bool reserve(struct schedule *s)
{
    struct rdna_device *device = s->machine.device;
    const struct dispatch *dispatch = s->dispatch;
    const bool scratch = dispatch->rsrc2 & 1;
    const unsigned most =
        scratch && dispatch->scratch_waves < RDNA_WAVES ? dispatch->scratch_waves : RDNA_WAVES;
    s->group_slots = device->in_order ? 1 : most / dispatch->waves;
    if (s->group_slots > s->total)
        s->group_slots = (unsigned)s->total;
    s->waves = device->waves;
    for (unsigned i = 0; i < s->group_slots * dispatch->waves; i++)
        if (!s->waves[i] && !(s->waves[i] = wave_new(device->settings.timing == RDNA_PROMPT)))
            return false;
    s->groups = calloc(s->group_slots, sizeof(*s->groups));
    if (!s->groups)
        return false;
    for (unsigned i = 0; i < s->group_slots; i++) {
        s->groups[i].lds_size = dispatch->lds_size;
        s->groups[i].lds = malloc(dispatch->lds_size + 1);
        if (!s->groups[i].lds)
            return false;
    }
    return true;
}

static void clear(struct schedule *s)
{
    for (unsigned i = 0; s->groups && i < s->group_slots; i++)
        free(s->groups[i].lds);
    for (unsigned i = 0; i < PAGES; i++)
        free(s->pages[i]);
    free(s->groups);
    free(s);
}

static void find_fault(struct schedule *s)
{
    struct rdna_device *device = s->machine.device;
    struct fault_program program = {.at = UINT64_MAX};
    if (device->settings.fault || device->settings.lists)
        fault_find(device, s->dispatch->code, &program);
    s->faulty = program.at;
    if (device->settings.lists && device->tell) {
        char line[120];
        snprintf(line, sizeof(line), "program %08x: wait %u, exec %u, cache %u, barrier %u",
                 (unsigned)program.name, program.count[RDNA_FAULT_WAIT],
                 program.count[RDNA_FAULT_EXEC], program.count[RDNA_FAULT_CACHE],
                 program.count[RDNA_FAULT_BARRIER]);
        device->tell(line);
    }
}

bool dispatch_run(struct rdna_device *device, const struct dispatch *dispatch)
{
    const uint64_t plane = (uint64_t)dispatch->groups[0] * dispatch->groups[1];
    if (!plane || !dispatch->groups[2])
        return true;
    if (plane > UINT64_MAX / dispatch->groups[2])
        return device_end(device, "not emulated: more than 2^64 workgroups");
    struct schedule *s = calloc(1, sizeof(*s));
    if (!s)
        return device_end(device, "not emulated: no memory left for a dispatch");
    s->machine.device = device;
    s->dispatch = dispatch;
    s->memory = (struct rdna_memory_ops){&s->machine, wave_access, clock_of};
    s->total = plane * dispatch->groups[2];
    s->last = UINT_MAX;
    find_fault(s);
    if (!reserve(s))
        device_end(device, "not emulated: no memory left for waves");
    while (!device->ended[0]) {
        launch(s);
        if (!s->running)
            break;
        turn(s);
    }
    clear(s);
    return !device->ended[0];
}
