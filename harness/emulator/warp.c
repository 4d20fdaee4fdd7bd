// SPDX-License-Identifier: Apache-2.0
// Programs, and runs of all their workgroups: which lanes of a warp are together, who waits for
// whom, and who runs next.
#include "emulator/warp.h"

#define RESIDENT 32u // workgroups at once
#define SLICE    512 // instructions of a warp before the next one's
#define SHORT    5   // the same, backwards

static const struct emu_change *change_of(const struct emu_warp *warp)
{
    return &warp->machine->dispatch->change;
}

static uint32_t live(const struct emu_warp *warp)
{
    return warp->lanes & ~warp->exited;
}

static void remove_part(struct emu_warp *warp, size_t which)
{
    warp->part_count--;
    memmove(&warp->parts[which], &warp->parts[which + 1],
            (warp->part_count - which) * sizeof *warp->parts);
}

static void insert_part(struct emu_warp *warp, size_t before, struct emu_part part)
{
    memmove(&warp->parts[before + 1], &warp->parts[before],
            (warp->part_count - before) * sizeof *warp->parts);
    warp->parts[before] = part;
    warp->part_count++;
}

// Sends some lanes of a part elsewhere: they run after those that stay. The part goes if none do.
static void send(struct emu_warp *warp, size_t which, uint32_t lanes, uint32_t pc)
{
    struct emu_part *part = &warp->parts[which];
    if (!lanes)
        return;
    if (lanes == part->lanes) {
        part->pc = pc;
        return;
    }
    part->lanes &= ~lanes;
    insert_part(warp, which, (struct emu_part){.lanes = lanes, .pc = pc});
}

// --- Waiting

// What lanes do that no other lane can help any more.
enum stuck {
    NOT_STUCK,
    FOR_OTHERS, // those that wait at one barrier for different lanes go on together
    FOR_MASKED, // those at a BSYNC do not wait for those at a WARPSYNC
};

// Lanes that wait as those of a part do: at the same barrier, for the same lanes or, if the warp is
// stuck, for whichever.
static uint32_t waiting(const struct emu_warp *warp, const struct emu_part *as, enum stuck stuck)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < warp->part_count; i++) {
        const struct emu_part *part = &warp->parts[i];
        if (part->state == as->state && part->barrier == as->barrier &&
            part->masked == as->masked && (stuck || !((part->awaited ^ as->awaited) & live(warp))))
            lanes |= part->lanes;
    }
    return lanes;
}

// Lanes that wait at a WARPSYNC.
static uint32_t masked(const struct emu_warp *warp)
{
    uint32_t lanes = 0;
    for (size_t i = 0; i < warp->part_count; i++)
        if (warp->parts[i].state == EMU_AT_BSYNC && warp->parts[i].masked)
            lanes |= warp->parts[i].lanes;
    return lanes;
}

// Lets lanes go on that wait in the same way, those at one address together.
static void release(struct emu_warp *warp, enum emu_state state, uint32_t lanes)
{
    struct emu_part ready[EMU_LANES];
    size_t count = 0;
    for (size_t i = warp->part_count; i-- > 0;) {
        struct emu_part *part = &warp->parts[i];
        const uint32_t own = part->lanes & lanes;
        size_t same = 0;
        if (part->state != state || !own)
            continue;
        while (same < count && ready[same].pc != part->pc)
            same++;
        if (same == count)
            ready[count++] = (struct emu_part){.pc = part->pc, .held = part->held};
        ready[same].lanes |= own;
        part->lanes &= ~own;
        if (!part->lanes)
            remove_part(warp, i);
    }
    while (count > 0)
        insert_part(warp, warp->part_count, ready[--count]);
}

// Takes lanes out of a convergence barrier: whoever waits at it does not wait for them.
static void take_out(struct emu_warp *warp, unsigned barrier, uint32_t lanes)
{
    warp->b[barrier] &= ~lanes;
    for (size_t i = 0; i < warp->part_count; i++)
        if (warp->parts[i].state == EMU_AT_BSYNC && warp->parts[i].barrier == barrier &&
            !warp->parts[i].masked)
            warp->parts[i].awaited &= ~lanes | warp->parts[i].lanes;
}

// Lets go on whoever waits for lanes that all wait, too, or have exited. True if some do.
static bool release_all(struct emu_warp *warp, enum stuck stuck)
{
    for (size_t i = 0; i < warp->part_count; i++) {
        const struct emu_part part = warp->parts[i];
        if (part.state != EMU_AT_BSYNC && part.state != EMU_TOGETHER_THERE)
            continue;
        const uint32_t awaited = part.awaited & live(warp), lanes = waiting(warp, &part, stuck);
        if (awaited & ~lanes & ~(stuck == FOR_MASKED && !part.masked ? masked(warp) : 0))
            continue;
        release(warp, part.state, lanes);
        if (part.state == EMU_AT_BSYNC)
            take_out(warp, part.barrier, awaited);
        return true;
    }
    return false;
}

// The part that runs next; part_count if none can.
static size_t next_part(const struct emu_warp *warp)
{
    const bool meets = change_of(warp)->kind == EMU_MEET;
    const bool backwards = warp->machine->dispatch->backwards;
    size_t next = warp->part_count;
    for (size_t i = 0; i < warp->part_count; i++)
        if (warp->parts[i].state == EMU_READY &&
            (next == warp->part_count ||
             (meets ? warp->parts[i].pc < warp->parts[next].pc : !backwards)))
            next = i;
    return next;
}

// With EMU_MEET, lanes at one address meet.
static void meet(struct emu_warp *warp)
{
    for (size_t i = 0; i < warp->part_count; i++)
        for (size_t k = warp->part_count; k-- > i + 1;)
            if (warp->parts[i].state == EMU_READY && warp->parts[k].state == EMU_READY &&
                warp->parts[i].pc == warp->parts[k].pc) {
                warp->parts[i].lanes |= warp->parts[k].lanes;
                remove_part(warp, k);
            }
}

// --- Instructions

static uint32_t mask_of(struct emu_at *at, const struct emu_operand *operand)
{
    at->lane = EMU_FIRST_LANE(at->active);
    return operand->invert ? ~emu_raw(at, operand) : emu_raw(at, operand);
}

// Lanes in which the guard holds.
static uint32_t guarded(const struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
    const struct emu_change *change = change_of(warp);
    unsigned guard = insn->sass->guard;
    bool uniform = insn->sass->guard_uniform, negated = insn->sass->guard_negated;
    const bool is_changed =
        change->kind == EMU_GUARD && &warp->machine->program->insns[change->insn] == insn;
    if (is_changed) {
        guard = change->predicate;
        uniform = change->uniform;
        negated = change->negated;
    }
    const uint32_t *p = is_changed && change->before ? warp->before : warp->p;
    const uint32_t holds = uniform ? warp->up[guard & 7] ? UINT32_MAX : 0 : p[guard & 7];
    return lanes & (negated ? ~holds : holds);
}

// Some lanes of a part begin to wait for others.
static void wait_for(struct emu_warp *warp, size_t which, struct emu_part waiting)
{
    const uint32_t next = warp->parts[which].pc + 1;
    waiting.pc = next;
    send(warp, which, warp->parts[which].lanes & ~waiting.lanes, next);
    for (size_t i = 0; i < warp->part_count; i++)
        if (warp->parts[i].lanes == waiting.lanes)
            warp->parts[i] = waiting;
}

// Waits at a convergence barrier for the lanes of a mask, unless all of them are here.
static void converge(struct emu_at *at, size_t which, unsigned barrier, uint32_t awaited,
                     bool masked)
{
    struct emu_warp *warp = at->warp;
    if (awaited & live(warp) & ~at->active) {
        wait_for(warp, which,
                 (struct emu_part){.lanes = at->active,
                                   .state = EMU_AT_BSYNC,
                                   .barrier = barrier,
                                   .masked = masked,
                                   .awaited = awaited});
    } else {
        warp->parts[which].pc++;
        take_out(warp, barrier, awaited);
    }
}

static const struct emu_operand *last_operand(const struct emu_insn *insn)
{
    return insn->ins ? &insn->in[insn->ins - 1] : NULL;
}

// The lanes for which a branch that asks for convergence is taken: all or none.
static uint32_t asked(struct emu_at *at)
{
    const bool conv = has(at, MOD_CONV), div = has(at, MOD_DIV);
    if (!conv && !div)
        return at->active;
    const uint32_t mask = at->insn->ins > 1 ? mask_of(at, &at->insn->in[0]) : UINT32_MAX;
    const bool together = ((mask & live(at->warp)) & ~at->active) == 0;
    return together == conv ? at->active : 0;
}

// Jumps, each lane to its own address.
static void jump(struct emu_at *at, size_t which)
{
    const struct emu_operand *number = last_operand(at->insn);
    const bool by_register = at->insn->ins > 1 && at->insn->in[0].kind == EMU_R;
    const uint32_t lanes = at->active;
    uint32_t left = lanes, target[EMU_LANES] = {0};
    if (!number || number->kind != EMU_NUMBER || has(at, MOD_ANY)) {
        emu_fail(at, "unknown target");
        return;
    }
    for (at->lane = 0; at->lane < EMU_LANES; at->lane++) {
        if (!(lanes >> at->lane & 1))
            continue;
        const int64_t address =
            number->number + (by_register ? (int64_t)emu_raw(at, &at->insn->in[0]) : 0);
        if (address < 0 || address % SASS_BYTES ||
            (uint64_t)address / SASS_BYTES >= at->warp->machine->program->count) {
            emu_fail(at, "jump out of the code, to 0x%llx,", (unsigned long long)address);
            return;
        }
        target[at->lane] = (uint32_t)(address / SASS_BYTES);
    }
    // The part that runs keeps its place behind those that are sent away.
    const uint32_t all = at->warp->parts[which].lanes;
    const uint32_t next = at->warp->parts[which].pc + 1;
    at->warp->parts[which].pc = next;
    while (left) {
        const uint32_t to = target[EMU_FIRST_LANE(left)];
        uint32_t group = 0;
        for (uint32_t lane = 0; lane < EMU_LANES; lane++)
            if (left >> lane & 1 && target[lane] == to)
                group |= UINT32_C(1) << lane;
        size_t own = 0;
        while (at->warp->parts[own].lanes != (all & ~(lanes & ~left)))
            own++;
        send(at->warp, own, group, to);
        left &= ~group;
    }
}

static void leave(struct emu_at *at, size_t which)
{
    struct emu_warp *warp = at->warp;
    warp->exited |= at->active;
    warp->parts[which].lanes &= ~at->active;
    warp->parts[which].pc++;
    if (!warp->parts[which].lanes)
        remove_part(warp, which);
}

static void barrier(struct emu_at *at, size_t which)
{
    const struct emu_operand *number = last_operand(at->insn);
    if (!has(at, MOD_SYNC) || at->insn->ins != 1 || number->kind != EMU_NUMBER)
        emu_fail(at, "unknown mode");
    else
        wait_for(at->warp, which, (struct emu_part){.lanes = at->active, .state = EMU_AT_BAR});
    at->warp->group->arrived++;
}

static void bsync(struct emu_at *at, size_t which)
{
    const unsigned barrier = at->insn->sass->barrier & 15;
    const uint32_t awaited = at->warp->b[barrier];
    converge(at, which, barrier, awaited & at->active ? awaited : at->active, false);
}

// Waits at barrier 0 for the lanes of its mask.
static void warpsync(struct emu_at *at, size_t which)
{
    const bool masked = at->insn->ins && at->insn->in[0].kind != EMU_NUMBER;
    const struct emu_change *change = change_of(at->warp);
    const uint32_t mask = masked ? mask_of(at, &at->insn->in[0]) : at->warp->lanes;
    const bool spare = change->kind == EMU_SPARE && change->insn == at->warp->parts[which].pc;
    if (mask & live(at->warp) & ~at->active)
        converge(at, which, spare ? 16 : 0, mask, true);
    else
        at->warp->parts[which].pc++;
}

// Executes what decides about control flow; false: it is something else.
static bool control(struct emu_at *at, size_t which)
{
    struct emu_part *part = &at->warp->parts[which];
    switch (at->insn->sass->op) {
    case SASS_BSSY:
        at->warp->b[at->insn->sass->barrier & 15] = at->active;
        break;
    case SASS_BREAK:
        take_out(at->warp, at->insn->sass->barrier & 15, at->active);
        break;
    case SASS_YIELD:
    case SASS_NANOSLEEP:
        part->pc++;
        insert_part(at->warp, 0, *part);
        remove_part(at->warp, which + 1);
        return true;
    case SASS_BRA:
        at->active = asked(at);
        if (!at->active)
            break;
        // fall through
    case SASS_CALL:
    case SASS_RET:
        jump(at, which);
        return true;
    case SASS_EXIT:
        leave(at, which);
        return true;
    case SASS_BAR:
        barrier(at, which);
        return true;
    case SASS_BSYNC:
        bsync(at, which);
        return true;
    case SASS_WARPSYNC:
        warpsync(at, which);
        return true;
    case SASS_BRX:
        emu_fail(at, "unknown target");
        break;
    default:
        return false;
    }
    part->pc++;
    return true;
}

static bool is_control(enum sass_op op)
{
    return (op >= SASS_WARPSYNC && op <= SASS_BPT && op != SASS_BMOV) || op == SASS_BAR;
}

static void record(const struct emu_at *at, uint32_t insn, uint32_t active)
{
    struct emu_trace *trace = at->warp->machine->dispatch->trace;
    if (!trace || trace->workgroup != at->warp->group->id[0] || trace->warp != at->warp->number ||
        trace->count == EMU_TRACE_MOST)
        return;
    struct emu_event event = {.insn = insn, .active = active};
    const struct emu_operand *to = &at->insn->to;
    for (uint32_t lane = 0; lane < EMU_LANES && active; lane++) {
        if (at->insn->has_to && to->index != (to->kind == EMU_UR ? 63 : 255))
            event.value[lane] =
                to->kind == EMU_UR ? at->warp->ur[to->index & 63] : at->warp->r[to->index][lane];
        else
            for (unsigned i = 0; i < 7; i++)
                event.value[lane] |=
                    (at->insn->sass->writes.p >> i & at->warp->p[i] >> lane & 1) << i |
                    (uint32_t)(at->insn->sass->writes.up >> i & at->warp->up[i] & 1) << (8 + i);
    }
    LIT_ADD(trace->events, trace->count) = event;
}

// Executes what only computes.
static void compute(struct emu_at *at, uint32_t active)
{
    const struct emu_row *row = at->insn->row;
    if (!active)
        return;
    if (row->all) {
        row->all(at);
        return;
    }
    at->lane = EMU_UNIFORM;
    if (row->lane && at->insn->uniform)
        row->lane(at);
    for (at->lane = 0; row->lane && at->lane < EMU_LANES && !at->insn->uniform; at->lane++)
        if (active >> at->lane & 1)
            row->lane(at);
}

static bool is_held(struct emu_warp *warp, size_t which)
{
    struct emu_part *part = &warp->parts[which];
    if (change_of(warp)->kind != EMU_TOGETHER || part->pc != change_of(warp)->insn || part->held ||
        part->lanes == live(warp)) {
        part->held = false;
        return false;
    }
    part->held = true;
    part->state = EMU_TOGETHER_THERE;
    part->awaited = warp->lanes;
    return true;
}

// What the instruction takes from one lane: a word or a predicate.
static uint32_t taken_of(struct emu_at *at)
{
    return at->insn->ins ? emu_raw(at, &at->insn->in[0]) : emu_test(at, 0);
}

// Makes all lanes of the part that have another value than the lowest run later. True if there are
// any.
static bool is_parted(struct emu_warp *warp, size_t which)
{
    const struct emu_part *part = &warp->parts[which];
    struct emu_at at = {.warp = warp, .insn = &warp->machine->program->insns[part->pc]};
    uint32_t others = 0;
    if (change_of(warp)->kind != EMU_ALONE || part->pc != change_of(warp)->insn)
        return false;
    const uint32_t lanes = guarded(warp, at.insn, part->lanes);
    if (!lanes)
        return false;
    at.lane = EMU_FIRST_LANE(lanes);
    const uint32_t value = taken_of(&at);
    for (at.lane = 0; at.lane < EMU_LANES; at.lane++)
        if (lanes >> at.lane & 1 && taken_of(&at) != value)
            others |= UINT32_C(1) << at.lane;
    send(warp, which, others, part->pc);
    return others;
}

static void step(struct emu_warp *warp, size_t which)
{
    const struct emu_program *program = warp->machine->program;
    const uint32_t pc = warp->parts[which].pc;
    if (is_held(warp, which) || is_parted(warp, which))
        return;
    struct emu_at at = {
        .warp = warp, .insn = &program->insns[pc], .active = warp->parts[which].lanes};
    warp->steps++;
    at.active = guarded(warp, at.insn, at.active);
    if (at.active && !at.insn->row) {
        emu_fail(&at, "unknown instruction");
        return;
    }
    if (is_control(at.insn->sass->op)) {
        uint32_t taken = 0;
        for (at.lane = 0; at.lane < EMU_LANES; at.lane++) {
            bool holds = at.active >> at.lane & 1;
            for (unsigned i = 0; i < at.insn->tests && holds; i++)
                holds = emu_test(&at, i);
            taken |= (uint32_t)holds << at.lane;
        }
        at.active = taken;
        record(&at, pc, at.active);
        if (!at.active)
            warp->parts[which].pc++;
        else if (!control(&at, which))
            emu_fail(&at, "unknown instruction");
        return;
    }
    const uint32_t active = at.active;
    uint32_t kept[7];
    memcpy(kept, warp->p, sizeof kept);
    compute(&at, active);
    for (unsigned i = 0; i < 7; i++) {
        const uint32_t written = at.insn->sass->writes.p >> i & 1 ? active : 0;
        warp->before[i] = (warp->before[i] & ~written) | (kept[i] & written);
        if (change_of(warp)->kind == EMU_KEEP && change_of(warp)->insn == pc &&
            change_of(warp)->operand >> i & 1)
            warp->p[i] = kept[i];
    }
    record(&at, pc, active);
    warp->parts[which].pc++;
}

// Runs a warp until some of its lanes arrive at BAR, none can go on, or for a number of
// instructions. False if none could.
static bool run_warp(struct emu_warp *warp, uint64_t most)
{
    const struct emu_machine *machine = warp->machine;
    uint64_t steps = 0;
    const uint32_t arrived = warp->group->arrived;
    while (steps < most && !machine->failed && warp->group->arrived == arrived) {
        size_t next = next_part(warp);
        if (next == warp->part_count) {
            if (!release_all(warp, NOT_STUCK) && !release_all(warp, FOR_OTHERS) &&
                !release_all(warp, FOR_MASKED))
                break;
            continue;
        }
        if (warp->parts[next].pc >= machine->program->count) {
            struct emu_at at = {.warp = warp,
                                .insn = &machine->program->insns[machine->program->count - 1]};
            emu_fail(&at, "the code ends");
            break;
        }
        step(warp, next);
        steps++;
        if (change_of(warp)->kind == EMU_MEET)
            meet(warp);
        release_all(warp, NOT_STUCK);
        if (warp->steps > machine->dispatch->steps) {
            struct emu_at at = {.warp = warp, .insn = &machine->program->insns[0]};
            emu_fail(&at, "more than %llu instructions",
                     (unsigned long long)machine->dispatch->steps);
        }
    }
    return steps > 0;
}

// --- Programs and workgroups

bool emu_program_make(const struct sass_code *code, struct emu_program **program,
                      struct lit_error *error)
{
    *program = NULL;
    if (code->architecture != 90 || code->count == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "machine code of sm_%u cannot be executed, only sm_90", code->architecture);
    *program = lit_alloc(1, sizeof **program);
    (*program)->code = code;
    (*program)->insns = lit_alloc(code->count, sizeof *(*program)->insns);
    for (; (*program)->count < code->count; (*program)->count++)
        emu_parse(&code->insns[(*program)->count], &(*program)->insns[(*program)->count]);
    return true;
}

void emu_program_free(struct emu_program **program)
{
    if (*program)
        free((*program)->insns);
    free(*program);
    *program = NULL;
}

static void open_group(struct emu_machine *machine, uint32_t index, struct emu_group *group)
{
    const struct emu_dispatch *dispatch = machine->dispatch;
    const uint32_t lanes = dispatch->local[0] * dispatch->local[1] * dispatch->local[2];
    *group = (struct emu_group){.id = {index % dispatch->groups[0],
                                       index / dispatch->groups[0] % dispatch->groups[1],
                                       index / dispatch->groups[0] / dispatch->groups[1]},
                                .warp_count = (lanes + EMU_LANES - 1) / EMU_LANES,
                                .shared = lit_alloc(EMU_SHARED, 1)};
    group->warps = lit_alloc(group->warp_count, sizeof *group->warps);
    for (uint32_t i = 0; i < group->warp_count; i++) {
        struct emu_warp *warp = &group->warps[i];
        const uint32_t left = lanes - i * EMU_LANES;
        warp->number = i;
        warp->group = group;
        warp->machine = machine;
        warp->lanes = left >= EMU_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
        warp->p[7] = UINT32_MAX;
        warp->up[7] = true;
        warp->parts[0] = (struct emu_part){.lanes = warp->lanes};
        warp->part_count = 1;
    }
}

static void close_group(struct emu_group *group)
{
    for (size_t i = 0; i < group->warp_count; i++)
        free(group->warps[i].local);
    free(group->warps);
    free(group->shared);
    *group = (struct emu_group){0};
}

static bool has_ended(const struct emu_group *group)
{
    for (size_t i = 0; i < group->warp_count; i++)
        if (group->warps[i].lanes != group->warps[i].exited)
            return false;
    return true;
}

// Lets everyone at BAR go on if as many have arrived as there are warps.
static void release_group(struct emu_group *group)
{
    uint32_t live = 0;
    for (size_t i = 0; i < group->warp_count; i++)
        live += group->warps[i].lanes != group->warps[i].exited;
    if (!group->arrived || group->arrived < live)
        return;
    group->arrived = 0;
    for (size_t i = 0; i < group->warp_count; i++)
        for (size_t k = 0; k < group->warps[i].part_count; k++)
            if (group->warps[i].parts[k].state == EMU_AT_BAR)
                group->warps[i].parts[k].state = EMU_READY;
}

// Runs each warp for a while. False if none of them could.
static bool run_group(struct emu_group *group, bool backwards)
{
    bool ran = false;
    for (size_t i = 0; i < group->warp_count; i++) {
        ran |= run_warp(&group->warps[backwards ? group->warp_count - 1 - i : i],
                        backwards ? SHORT : SLICE);
        release_group(group);
    }
    return ran;
}

static bool check(const struct emu_dispatch *dispatch, struct lit_error *error)
{
    uint64_t lanes = 1, groups = 1;
    for (int i = 0; i < 3; i++) {
        lanes *= dispatch->local[i];
        groups *= dispatch->groups[i];
        if (lanes == 0 || lanes > 1024 || groups == 0 || groups > UINT32_MAX)
            return lit_fail(error, LIT_EXIT_USAGE, "workgroups of no possible size");
    }
    return true;
}

// The first instruction at which a lane waits, in words.
static bool deadlock(const struct emu_group *groups, size_t count, struct lit_error *error)
{
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g].warp_count; i++)
            if (groups[g].warps[i].part_count > 0) {
                const struct emu_warp *warp = &groups[g].warps[i];
                return lit_fail(error, LIT_EXIT_UNDECIDED,
                                "lanes wait for ever before 0x%x, workgroup %u, warp %u",
                                warp->parts[0].pc * SASS_BYTES, groups[g].id[0], warp->number);
            }
    return lit_fail(error, LIT_EXIT_UNDECIDED, "lanes wait for ever");
}

bool emu_run(const struct emu_program *program, const struct emu_dispatch *dispatch,
             struct lit_error *error)
{
    struct emu_machine machine = {.program = program, .dispatch = dispatch, .error = error};
    struct emu_group groups[RESIDENT] = {0};
    size_t count = 0;
    if (!check(dispatch, error))
        return false;
    const uint32_t all = dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
    const uint32_t last = dispatch->last < all ? dispatch->last : all;
    for (uint32_t next = dispatch->first; (next < last || count > 0) && !machine.failed;) {
        bool ran = false;
        for (size_t nth = 0; nth < RESIDENT && !machine.failed; nth++) {
            const size_t i = dispatch->backwards ? RESIDENT - 1 - nth : nth;
            if (!groups[i].warps && next < last) {
                open_group(&machine, next++, &groups[i]);
                count++;
            }
            if (!groups[i].warps)
                continue;
            ran |= run_group(&groups[i], dispatch->backwards);
            if (has_ended(&groups[i])) {
                close_group(&groups[i]);
                count--;
                ran = true;
            }
        }
        if (dispatch->stop && *dispatch->stop)
            break;
        if (!ran && !machine.failed)
            machine.failed = !deadlock(groups, RESIDENT, error);
    }
    for (size_t i = 0; i < RESIDENT; i++)
        close_group(&groups[i]);
    return !machine.failed;
}
