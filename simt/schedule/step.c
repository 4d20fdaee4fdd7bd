// SPDX-License-Identifier: Apache-2.0
// Executes instructions: plain ones immediately, tangled ones when their tangle is complete,
// barriers when all have arrived, and branches through the tangles.
#include "schedule/worker.h"

#include "program/instructions.h"

void worker_aim(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set)
{
    struct exec *exec = &worker->exec;
    if (exec->subgroup != subgroup || exec->workgroup != workgroup) {
        exec->subgroup = subgroup;
        exec->subgroup_id = subgroup->number;
        exec->cells = subgroup->cells;
        exec->width = subgroup->width;
        exec->present = subgroup->present;
        exec->workgroup = workgroup;
        exec->shared = workgroup->shared;
        exec->order = workgroup->order;
        for (int i = 0; i < 3; i++)
            exec->group_id[i] = workgroup->id[i];
    }
    if (exec->mask == set)
        return;
    exec->mask = set;
    exec->count = 0;
    each_lane (lane, set)
        exec->lane[exec->count++] = (uint8_t)lane;
}

// The position of a run, used by worker_run.
struct run {
    struct worker *worker;
    struct workgroup *workgroup;
    struct subgroup *subgroup;
    struct tangle *tangle;
    lanes set;
    uint32_t pc;
    bool meets; // stop where it meets others
};

static void begin(struct exec *exec, const struct insn *insn)
{
    exec->insn = insn;
    for (uint32_t i = 0; exec->trace && i < exec->count; i++)
        exec->seen[exec->lane[i]] = (struct exec_seen){.address = UINT64_MAX, .source = 255};
    const bool has_instance = exec->trace && insn->kind == INSN_BARRIER && exec->subgroup->uniform;
    for (uint32_t i = 0; has_instance && i < exec->count; i++)
        exec->seen[exec->lane[i]].address = tangle_instance(exec->subgroup, exec->lane[i]);
}

static void count(struct run *run)
{
    struct worker *worker = run->worker;
    const struct exec *exec = &worker->exec;
    worker->time++;
    worker->executed += exec->count;
    for (uint32_t i = 0; worker->by_progress && i < exec->count; i++)
        run->subgroup->progress[exec->lane[i]]++;
    if (exec->trace && worker->trace)
        trace_step(worker->trace, exec, worker->time, run->workgroup->number);
    if (worker->check)
        check_step(worker->check, exec, worker->time, run->workgroup->number);
    if (exec->trace)
        counts_step(&worker->counts, exec);
}

// FAULT_REDUCTION: lanes whose predicate is true do not take part. If none remain, the result is
// its register's old content: all ones.
static void reduce_guarded(struct exec *exec, const struct insn *insn, uint32_t guard)
{
    const lanes all = exec->mask;
    exec->mask &= ~exec_holds(exec, guard);
    if (exec->mask)
        insn->run(exec, insn);
    for (uint32_t i = 0; !exec->mask && i < insn->components; i++) {
        each_lane (lane, all)
            exec_cells(exec, insn->result + i)[lane] = UINT64_MAX >> (64 - insn->width);
    }
    exec->mask = all;
}

static void execute(struct run *run, const struct insn *insn)
{
    const struct worker *worker = run->worker;
    const uint32_t guard =
        worker->guards ? worker->guards[insn - worker->program->insns] : CELL_NONE;
    begin(&run->worker->exec, insn);
    if (guard != CELL_NONE)
        reduce_guarded(&run->worker->exec, insn, guard);
    else if (insn->run)
        insn->run(&run->worker->exec, insn);
    count(run);
}

void worker_pass(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                 lanes set, uint32_t pc)
{
    struct run run = {.worker = worker, .workgroup = workgroup, .subgroup = subgroup};
    worker_aim(worker, workgroup, subgroup, set);
    execute(&run, &worker->program->insns[pc]);
    subgroup_put(subgroup, set, pc + 1, NULL);
}

// Barriers.

// Executes the memory part of the barrier at which each lane of the subgroup waits; the second
// time, lanes continue after it.
static void pass_barrier(struct run *run, struct subgroup *subgroup, bool goes_on)
{
    struct exec *exec = &run->worker->exec;
    lanes left = subgroup->at_barrier;
    while (left) {
        const uint32_t pc = subgroup->pc[lanes_first(left)];
        const lanes same = subgroup_at(subgroup, left, pc);
        left &= ~same;
        if (goes_on) {
            worker_pass(run->worker, run->workgroup, subgroup, same, pc);
        } else {
            worker_aim(run->worker, run->workgroup, subgroup, same);
            exec->insn = &run->worker->program->insns[pc];
            exec->insn->run(exec, exec->insn);
        }
    }
}

static bool all_at_barrier(const struct workgroup *workgroup)
{
    bool any = false;
    for (uint32_t i = 0; i < workgroup->subgroup_count; i++) {
        const struct subgroup *subgroup = &workgroup->subgroups[i];
        if (subgroup->at_barrier != subgroup->live)
            return false;
        any |= subgroup->live != 0;
    }
    return any;
}

// A barrier's releases must precede its acquires: hence two rounds.
static void leave_barrier(struct run *run)
{
    struct workgroup *workgroup = run->workgroup;
    if (run->worker->check)
        check_barrier(run->worker->check, workgroup);
    for (uint32_t i = 0; i < workgroup->subgroup_count && workgroup->order; i++)
        pass_barrier(run, &workgroup->subgroups[i], false);
    for (uint32_t i = 0; i < workgroup->subgroup_count; i++) {
        struct subgroup *subgroup = &workgroup->subgroups[i];
        const lanes main = subgroup->live & ~subgroup->behind;
        pass_barrier(run, subgroup, true);
        subgroup->runnable |= subgroup->at_barrier;
        subgroup->ordered |= subgroup->at_barrier;
        subgroup->at_barrier = 0;
        if (subgroup->behind && main)
            tangle_rejoin(subgroup, subgroup->tangle[lanes_first(main)], subgroup->behind);
    }
}

static void try_barrier(struct run *run)
{
    if (all_at_barrier(run->workgroup))
        leave_barrier(run);
}

bool worker_release(struct worker *worker, struct workgroup *workgroup)
{
    struct run run = {.worker = worker, .workgroup = workgroup};
    bool any = false;
    for (uint32_t i = 0; workgroup->live && i < workgroup->subgroup_count; i++)
        any |= workgroup->subgroups[i].at_barrier != 0;
    if (any)
        leave_barrier(&run);
    return any;
}

enum after { GO_ON, STOP };

static enum after at_workgroup_barrier(struct run *run)
{
    struct subgroup *subgroup = run->subgroup;
    subgroup_put(subgroup, run->set, run->pc, NULL);
    subgroup->at_barrier |= run->set;
    subgroup->runnable &= ~run->set;
    try_barrier(run);
    return STOP;
}

// Tangled instructions.

// Lanes of the tangle execute the instruction. A subgroup barrier releases, then acquires.
static enum after together(struct run *run, const struct insn *insn, lanes set)
{
    if (set != run->set) {
        run->set = set;
        worker_aim(run->worker, run->workgroup, run->subgroup, run->set);
    }
    run->tangle->arrived &= ~set;
    if (insn->kind == INSN_BARRIER && run->workgroup->order) {
        run->worker->exec.insn = insn;
        insn->run(&run->worker->exec, insn);
    }
    execute(run, insn);
    run->pc++;
    if (run->worker->rules->together)
        return GO_ON;
    if (insn->kind == INSN_BARRIER)
        run->subgroup->ordered |= run->set;
    else
        run->subgroup->ordered &= ~run->set;
    subgroup_put(run->subgroup, run->set, run->pc, NULL);
    run->subgroup->runnable |= run->set;
    return STOP;
}

// The lanes whose partners have all arrived: the whole tangle or none, or some quads.
static lanes ready(const struct run *run, const struct insn *insn)
{
    const struct tangle *tangle = run->tangle;
    lanes come = run->set, quads = 0;
    if (!run->worker->flow->quads)
        return tangle_complete(tangle) && (tangle->arrived | come) == tangle->here ? tangle->here
                                                                                   : 0;
    come |= subgroup_at(run->subgroup, tangle->arrived, run->pc);
    const lanes missing = tangle->coming | (tangle->here & ~come);
    if (!flow_is_quad(insn))
        return missing ? 0 : come;
    for (uint32_t lane = 0; lane < run->subgroup->width; lane += 4) {
        const lanes quad = lanes_below(4) << lane;
        quads |= missing & quad ? 0 : quad;
    }
    return come & quads;
}

static enum after at_tangled(struct run *run, const struct insn *insn)
{
    struct tangle *tangle = run->tangle;
    if (run->worker->rules->together)
        return together(run, insn, tangle->here);
    const lanes set = ready(run, insn), waiting = run->set & ~set;
    if (waiting) {
        subgroup_put(run->subgroup, waiting, run->pc, NULL);
        tangle_arrive(run->subgroup, tangle, waiting);
    }
    return set ? together(run, insn, set) : STOP;
}

enum { SCOPE_SUBGROUP = SpvScopeSubgroup, SCOPE_INVOCATION = SpvScopeInvocation };

static enum after at_barrier(struct run *run, const struct insn *insn)
{
    const struct exec *exec = &run->worker->exec;
    const uint64_t scope = exec_cells(exec, insn->operand[0])[exec->lane[0]];
    if (scope != SCOPE_SUBGROUP && scope != SCOPE_INVOCATION)
        return at_workgroup_barrier(run);
    if (run->worker->rules->lags && lag_stop(run->subgroup, run->set, run->pc))
        return STOP;
    if (scope == SCOPE_SUBGROUP)
        return at_tangled(run, insn);
    execute(run, insn);
    run->pc++;
    return GO_ON;
}

// Branches.

static const struct block *block_at(const struct run *run)
{
    return &run->worker->program->blocks[run->worker->flow->block_of[run->pc]];
}

static bool take(struct run *run, const struct edge *edge, lanes part, bool splits)
{
    const struct program *program = run->worker->program;
    if (edge->move_count) {
        if (part != run->worker->exec.mask)
            worker_aim(run->worker, run->workgroup, run->subgroup, part);
        compose_moves(&run->worker->exec, program->moves + edge->first_move, edge->move_count);
    }
    return tangle_go(run->subgroup, run->tangle, part, block_at(run), edge->block, splits);
}

// FAULT_LOOPS: whether the edge ends a loop with too many iterations.
static bool gives_up(const struct run *run, const struct edge *edge)
{
    const struct construct *loop =
        run->worker->impatient ? tangle_loop(run->tangle, block_at(run)) : NULL;
    return loop && loop->iterations > 65535 && edge->block == loop->target;
}

static bool take_if(struct run *run, const struct insn *insn, const struct edge *edges)
{
    lanes yes = exec_holds(&run->worker->exec, insn->operand[0]);
    if (gives_up(run, &edges[0]))
        yes = run->set;
    else if (gives_up(run, &edges[1]))
        yes = 0;
    const lanes no = run->set & ~yes;
    return (!yes || take(run, &edges[0], yes, true)) && (!no || take(run, &edges[1], no, true));
}

static const struct edge *edge_for(const struct edge *edges, uint32_t count, uint64_t selector)
{
    for (uint32_t i = 1; i < count; i++) {
        if (edges[i].selector == selector)
            return &edges[i];
    }
    return &edges[0];
}

static bool take_switch(struct run *run, const struct insn *insn, const struct edge *edges)
{
    const uint64_t *selector = exec_cells(&run->worker->exec, insn->operand[0]);
    lanes left = run->set;
    while (left) {
        const uint64_t value = selector[lanes_first(left)];
        lanes part = 0;
        each_lane (lane, left) {
            if (selector[lane] == value)
                part |= lanes_of(lane);
        }
        left &= ~part;
        if (!take(run, edge_for(edges, insn->extra_count, value), part, true))
            return false;
    }
    return true;
}

static void end_lanes(struct run *run)
{
    struct worker *worker = run->worker;
    struct workgroup *workgroup = run->workgroup;
    const lanes live = run->subgroup->live;
    for (uint32_t i = 0; workgroup->order && i < worker->exec.count; i++)
        order_end_lane(&worker->exec, worker->exec.lane[i]);
    tangle_end(run->subgroup, run->tangle, run->set);
    if (live && !run->subgroup->live)
        worker->ended |= --workgroup->live == 0;
    try_barrier(run);
}

static bool inside_call(const struct tangle *tangle)
{
    const struct construct *c = tangle->inside;
    while (c && c->kind != CONSTRUCT_CALL)
        c = c->outer;
    return c;
}

static bool leave_block(struct run *run, const struct insn *insn)
{
    const struct program *program = run->worker->program;
    const struct edge *edges = program->edges + (insn->kind <= INSN_SWITCH ? insn->extra : 0);
    if (insn->kind <= INSN_SWITCH && !tangle_open(run->subgroup, run->tangle, block_at(run), insn))
        return false;
    switch (insn->kind) {
    case INSN_BRANCH:
        return take(run, &edges[0], run->set, false);
    case INSN_IF:
        return take_if(run, insn, edges);
    case INSN_SWITCH:
        return take_switch(run, insn, edges);
    case INSN_CALL: {
        const uint32_t entry = program->functions[insn->literal].entry;
        return tangle_call(run->subgroup, run->tangle, run->set, entry, run->pc + 1);
    }
    case INSN_RETURN:
        if (inside_call(run->tangle))
            return tangle_return(run->subgroup, run->tangle, run->set);
        break;
    case INSN_UNREACHABLE:
        exec_fault(&run->worker->exec, EXEC_UNREACHABLE, lanes_first(run->set), 0, 0);
        break;
    default:
        break;
    }
    end_lanes(run);
    return true;
}

// Whether the set continued together and is all that its new tangle waits for.
static enum after at_branch(struct run *run, const struct insn *insn)
{
    struct subgroup *subgroup = run->subgroup;
    begin(&run->worker->exec, insn);
    count(run);
    if (!leave_block(run, insn)) {
        run->worker->failed = true;
        return STOP;
    }
    const unsigned first = lanes_first(run->set);
    if ((subgroup->runnable & run->set) != run->set)
        return STOP;
    run->tangle = subgroup->tangle[first];
    run->pc = subgroup->pc[first];
    if (run->tangle->first_arrival || (run->tangle->here & run->set) != run->set ||
        ((run->meets || run->worker->rules->together) && run->tangle->here != run->set))
        return STOP;
    if (run->worker->exec.mask != run->set)
        worker_aim(run->worker, run->workgroup, subgroup, run->set);
    return GO_ON;
}

// FAULT_RENDEZVOUS: subgroup barriers, memory barriers, and loads that acquire.
static bool waits_for_all(const struct run *run, const struct insn *insn)
{
    const struct exec *exec = &run->worker->exec;
    if (insn->opcode == SpvOpAtomicLoad)
        return exec_cells(exec, insn->operand[2])[exec->lane[0]] & SpvMemorySemanticsAcquireMask;
    return insn->kind == INSN_BARRIER || insn->kind == INSN_FENCE;
}

static enum after step(struct run *run)
{
    const struct insn *insn = &run->worker->program->insns[run->pc];
    const struct model_rules *rules = run->worker->rules;
    if (run->worker->rendezvous && waits_for_all(run, insn))
        return at_workgroup_barrier(run);
    switch (insn->kind) {
    case INSN_FENCE:
        if (rules->lags && lag_stop(run->subgroup, run->set, run->pc))
            return STOP;
        break;
    case INSN_PLAIN:
        break;
    case INSN_CROSS_LANE:
        if (rules->cross_lane_waits ||
            ((run->tangle->here | run->tangle->coming) & run->subgroup->ordered))
            return at_tangled(run, insn);
        break;
    case INSN_TANGLED:
        return at_tangled(run, insn);
    case INSN_BARRIER:
        return at_barrier(run, insn);
    default:
        return at_branch(run, insn);
    }
    execute(run, insn);
    run->pc++;
    return GO_ON;
}

void worker_run(struct worker *worker, struct workgroup *workgroup, struct subgroup *subgroup,
                lanes set, uint32_t budget, bool meets)
{
    const bool *visible = worker->flow->visible;
    const unsigned first = lanes_first(set);
    struct run run = {worker, workgroup,           subgroup, subgroup->tangle[first],
                      set,    subgroup->pc[first], meets};
    worker_aim(worker, workgroup, subgroup, set);
    subgroup->quiet++;
    while (budget-- > 0) {
        if (visible[run.pc])
            subgroup->quiet = 0;
        if (step(&run) == STOP)
            return;
        if (worker->exec.fault.kind != EXEC_NO_FAULT)
            break; // it keeps one fault: what the next instruction does wrong is another
    }
    subgroup_put(subgroup, run.set, run.pc, NULL);
}
