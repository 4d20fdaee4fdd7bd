// SPDX-License-Identifier: Apache-2.0
// Threads that share a dispatch's workgroups.
#include "schedule/launch.h"

#include "memory/past.h"
#include "schedule/guard.h"
#include "splitmix.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHECK_EVERY = 64,  // turns between checks whether to stop
    CUT_TURN_MAX = 16, // instructions per turn in a dispatch with a limit
};

struct machine {
    struct settings settings;
    const struct regions *regions;
    machine_report *report;
    void *user;
    struct trace *trace;
    FILE *counts_file;      // NULL: none
    struct check *check;    // NULL: none
    struct worker *workers; // [settings.threads]; the first is the calling thread
    uint32_t threads;       // created threads, and the caller

    // The current dispatch.
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    const struct dispatch *dispatch; // guarded by `lock`, as are these:
    uint64_t number;                 // dispatches begun
    uint64_t draw;                   // determines random choices, with the seed
    uint32_t wanted, working;        // threads that should execute it; that have not finished
    bool closing;
    struct counts counts;
    unsigned char *reported; // [instruction]
    struct flow flow;
    uint32_t *guards;                // FAULT_REDUCTION: guard.h; else NULL
    uint64_t groups, stride, offset; // workgroup i is (offset + i * stride) % groups
    atomic_uint_fast64_t next;       // i
    atomic_int result;               // first enum dispatch_end other than DISPATCH_DONE
    atomic_uint_fast64_t executed;   // in all dispatches
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    return splitmix_mix((a ^ b * UINT64_C(0xD1342543DE82EF95)) + UINT64_C(0x9E3779B97F4A7C15));
}

static void give_up(struct machine *machine, enum dispatch_end end)
{
    int done = DISPATCH_DONE;
    atomic_compare_exchange_strong(&machine->result, &done, (int)end);
}

// Reports a fault once per instruction, and ends the dispatch if it may not continue.
static void handle_fault(struct worker *worker)
{
    struct machine *machine = worker->machine;
    struct exec_fault *fault = &worker->exec.fault;
    const ptrdiff_t pc = fault->insn ? fault->insn - worker->program->insns : 0;
    pthread_mutex_lock(&machine->lock);
    const bool is_new = !machine->reported[pc];
    machine->reported[pc] = 1;
    pthread_mutex_unlock(&machine->lock);
    const bool checked = machine->check && check_fault(machine->check, fault);
    if (is_new && !checked) {
        char text[512];
        exec_fault_text(fault, worker->program, text, sizeof(text));
        machine->report(machine->user, text);
    }
    if (fault->kind == EXEC_NO_MEMORY)
        give_up(machine, DISPATCH_MEMORY);
    if (!worker->exec.robust || fault->kind == EXEC_DEADLOCK)
        give_up(machine, DISPATCH_FAULT);
    fault->kind = EXEC_NO_FAULT;
}

static bool launch_next(struct worker *worker, struct workgroup *slot)
{
    struct machine *machine = worker->machine;
    const struct settings *settings = &machine->settings;
    const uint64_t i = atomic_fetch_add(&machine->next, 1);
    if (i >= machine->groups || (settings->workgroups && i >= settings->workgroups) ||
        (settings->instructions && worker->executed >= settings->instructions))
        return false;
    __extension__ typedef unsigned __int128 wide;
    const uint64_t number =
        (uint64_t)((machine->offset + (wide)i * machine->stride) % machine->groups);
    const uint64_t seed = mix(settings->seed, machine->draw);
    if (!launch_workgroup(worker, machine->dispatch, slot, number, seed))
        give_up(machine, DISPATCH_MEMORY);
    return true;
}

// Ends finished workgroups and starts others in their slots.
static void refill(struct worker *worker)
{
    worker->ended = false;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct workgroup *slot = &worker->slots[i];
        if (slot->live)
            continue;
        if (worker->check && slot->running)
            check_end(worker->check, slot->number);
        if (slot->order && slot->running) {
            worker_aim(worker, slot, &slot->subgroups[0], 0);
            order_finish(&worker->exec);
        }
        slot->running = launch_next(worker, slot);
    }
    worker->last = NULL;
}

// No invocation can continue: all have ended, or the rest wait for each other. With bounds=check,
// those at a workgroup barrier continue. False if none does; the deadlock is reported for an
// invocation at such a barrier, if there is one.
static bool resolve_deadlock(struct worker *worker)
{
    struct workgroup *stuck = NULL;
    struct subgroup *subgroup = NULL;
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct workgroup *slot = &worker->slots[i];
        if (worker->machine->settings.bounds == BOUNDS_CHECK && worker_release(worker, slot))
            return true;
        for (uint32_t j = 0; slot->live && j < slot->subgroup_count; j++) {
            struct subgroup *each = &slot->subgroups[j];
            if (!each->live || (subgroup && (subgroup->at_barrier || !each->at_barrier)))
                continue;
            stuck = slot;
            subgroup = each;
        }
    }
    if (!subgroup)
        return false;
    const unsigned lane = lanes_first(subgroup->at_barrier ? subgroup->at_barrier : subgroup->live);
    worker_aim(worker, stuck, subgroup, lanes_of(lane));
    worker->exec.insn = &worker->program->insns[subgroup->pc[lane]];
    exec_fault(&worker->exec, EXEC_DEADLOCK, lane, 0, 0);
    handle_fault(worker);
    return false;
}

static void cut(struct worker *worker)
{
    struct trace *trace = worker->trace;
    give_up(worker->machine, DISPATCH_CUT);
    for (uint32_t i = 0; trace && i < worker->slot_count; i++)
        for (uint32_t j = 0; worker->slots[i].live && j < worker->slots[i].subgroup_count; j++)
            trace_left(trace, worker->slots[i].number, &worker->slots[i].subgroups[j]);
}

static void run_workgroups(struct worker *worker)
{
    struct machine *machine = worker->machine;
    const bool *stop = machine->dispatch->stop;
    const uint64_t most = machine->settings.instructions;
    refill(worker);
    for (uint32_t turn = 0;; turn++) {
        if (!worker_turn(worker) && !resolve_deadlock(worker))
            return;
        if (worker->failed)
            give_up(machine, DISPATCH_MEMORY);
        if (worker->exec.fault.kind != EXEC_NO_FAULT)
            handle_fault(worker);
        if (worker->ended)
            refill(worker);
        if (turn % CHECK_EVERY == CHECK_EVERY - 1 && stop &&
            __atomic_load_n(stop, __ATOMIC_RELAXED))
            give_up(machine, DISPATCH_STOPPED);
        if (most && worker->executed > most && worker->executed - most > most / 4)
            cut(worker);
        if (atomic_load_explicit(&machine->result, memory_order_relaxed) != DISPATCH_DONE)
            return;
    }
}

static void set_up(struct worker *worker)
{
    struct machine *machine = worker->machine;
    const struct dispatch *dispatch = machine->dispatch;
    const struct settings *settings = &machine->settings;
    worker->program = dispatch->program;
    worker->schedule = settings->schedule;
    worker->any_begun = worker->favours = false;
    worker->last_number = UINT64_MAX;
    worker->rules_of_schedule = model_rules[settings->model];
    worker->rules_of_schedule.together &= settings->schedule < SCHEDULE_FAIR;
    worker->rules_of_schedule.loses_exits =
        settings->model == MODEL_FAULTY && settings->fault == FAULT_EXITS;
    worker->rules = &worker->rules_of_schedule;
    // If the dispatch is cut, each lane should have had turns.
    worker->catches_up = !worker->rules->together || settings->instructions;
    worker->turn_most = settings->instructions ? CUT_TURN_MAX : UINT32_MAX;
    worker->flow = &machine->flow;
    worker->compilation = mix(settings->seed, 0);
    worker->trace = machine->trace;
    worker->check = machine->check;
    worker->counts = (struct counts){0};
    worker->time = worker->executed = worker->switches = 0;
    worker->failed = worker->ended = worker->by_progress = false;
    worker->last = NULL;
    worker->exec = (struct exec){
        .program = dispatch->program,
        .regions = machine->regions,
        .local = dispatch->local,
        .local_count = dispatch->local_count,
        .shared_size = dispatch->program->shared_size,
        .snoop = worker->rules->snoop,
        .random = mix(mix(settings->seed, machine->draw), worker->number + 1),
        .robust = dispatch->robust || settings->bounds != BOUNDS_LOST,
        .clock = &worker->time,
        .trace = machine->trace || machine->counts_file || machine->check,
        .seen = worker->seen,
    };
    const bool faulty = settings->model == MODEL_FAULTY;
    worker->rendezvous = faulty && settings->fault == FAULT_RENDEZVOUS;
    if (faulty && settings->fault == FAULT_WRONG)
        worker->exec.fault_rate = settings->rate;
    worker->memory = faulty && settings->fault == FAULT_TORN ? MEMORY_TORN : worker->rules->memory;
    worker->impatient = faulty && settings->fault == FAULT_LOOPS;
    worker->counts_y_first = faulty && settings->fault == FAULT_IDS;
    worker->guards = machine->guards;
    if (settings->schedule == SCHEDULE_PRIORITY)
        worker_draw_delays(worker, settings->depth);
}

// A worker's part of a dispatch.
static void work(struct worker *worker)
{
    struct machine *machine = worker->machine;
    set_up(worker);
    if (worker->memory != MEMORY_SEQUENTIAL) {
        if (!worker->past)
            worker->past = past_create();
        if (worker->past)
            past_forget(worker->past);
    }
    // No more slots than its share, so that the first threads do not take all the work.
    const uint64_t share = (machine->groups + machine->wanted - 1) / machine->wanted;
    const uint32_t slots =
        share < machine->settings.resident ? (uint32_t)share : machine->settings.resident;
    const bool ready = (worker->past || worker->memory == MEMORY_SEQUENTIAL) &&
                       launch_prepare(worker, slots, worker->past);
    if (ready)
        run_workgroups(worker);
    else
        give_up(machine, DISPATCH_MEMORY);
    launch_finish(worker);
    atomic_fetch_add(&machine->executed, worker->executed);
    pthread_mutex_lock(&machine->lock);
    counts_add(&machine->counts, &worker->counts);
    pthread_mutex_unlock(&machine->lock);
}

static void *thread_main(void *argument)
{
    struct worker *worker = argument;
    struct machine *machine = worker->machine;
    uint64_t seen = 0;
    fesetenv(FE_DFL_ENV); // the application may flush subnormals, and threads inherit that
    pthread_mutex_lock(&machine->lock);
    for (;;) {
        while (!machine->closing && machine->number == seen)
            pthread_cond_wait(&machine->begin, &machine->lock);
        if (machine->closing)
            break;
        seen = machine->number;
        if (worker->number >= machine->wanted)
            continue;
        pthread_mutex_unlock(&machine->lock);
        work(worker);
        pthread_mutex_lock(&machine->lock);
        machine->working--;
        pthread_cond_signal(&machine->end);
    }
    pthread_mutex_unlock(&machine->lock);
    return NULL;
}

struct machine *machine_create(const struct settings *settings, const struct regions *regions,
                               machine_report *report, void *user)
{
    struct machine *machine = calloc(1, sizeof(*machine));
    if (!machine)
        return NULL;
    machine->settings = *settings;
    machine->regions = regions;
    machine->report = report;
    machine->user = user;
    machine->workers = calloc(settings->threads, sizeof(*machine->workers));
    if (settings->trace[0])
        machine->trace = trace_open(settings->trace);
    if (settings->counts[0])
        machine->counts_file = trace_append(settings->counts);
    if (settings->checks)
        machine->check = check_create(settings->checks, report, user);
    if (!machine->workers || (settings->checks && !machine->check) ||
        (settings->trace[0] && !machine->trace) || (settings->counts[0] && !machine->counts_file)) {
        trace_close(machine->trace);
        if (machine->counts_file)
            fclose(machine->counts_file);
        check_free(machine->check);
        free(machine->workers);
        free(machine);
        return NULL;
    }
    pthread_mutex_init(&machine->lock, NULL);
    pthread_cond_init(&machine->begin, NULL);
    pthread_cond_init(&machine->end, NULL);
    for (uint32_t i = 0; i < settings->threads; i++) {
        struct worker *worker = &machine->workers[i];
        worker->machine = machine;
        worker->number = i;
        if (i > 0 && pthread_create(&worker->thread, NULL, thread_main, worker) != 0)
            break;
        machine->threads = i + 1;
    }
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    pthread_mutex_lock(&machine->lock);
    machine->closing = true;
    pthread_cond_broadcast(&machine->begin);
    pthread_mutex_unlock(&machine->lock);
    for (uint32_t i = 1; i < machine->threads; i++)
        pthread_join(machine->workers[i].thread, NULL);
    for (uint32_t i = 0; i < machine->threads; i++) {
        past_free(machine->workers[i].past);
        free(machine->workers[i].registers);
    }
    pthread_cond_destroy(&machine->begin);
    pthread_cond_destroy(&machine->end);
    pthread_mutex_destroy(&machine->lock);
    trace_close(machine->trace);
    check_free(machine->check);
    if (machine->counts_file)
        fclose(machine->counts_file);
    free(machine->workers);
    free(machine);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The order in which workgroups start: ascending, or arbitrary under `unfair`.
static void draw_launch_order(struct machine *machine)
{
    machine->stride = 1;
    machine->offset = 0;
    if (!model_rules[machine->settings.model].unfair || machine->groups < 2)
        return;
    const uint64_t seed = mix(machine->settings.seed, ~(machine->draw - 1));
    machine->offset = seed % machine->groups;
    machine->stride = 1 + mix(seed, 1) % (machine->groups - 1);
    while (common_divisor(machine->stride, machine->groups) != 1)
        machine->stride = machine->stride % (machine->groups - 1) + 1;
}

// Frees what was allocated for one dispatch.
static void forget(struct machine *machine)
{
    flow_free(&machine->flow);
    free(machine->guards);
    free(machine->reported);
    machine->guards = NULL;
    machine->reported = NULL;
}

enum dispatch_end machine_dispatch(struct machine *machine, const struct dispatch *dispatch)
{
    machine->groups = (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
    if (machine->groups == 0)
        return DISPATCH_DONE;
    machine->reported = calloc((size_t)dispatch->program->insn_count + 1, 1);
    const bool guarded =
        machine->settings.model == MODEL_FAULTY && machine->settings.fault == FAULT_REDUCTION;
    machine->guards = guarded ? guard_find(dispatch->program) : NULL;
    if (!flow_find(&machine->flow, dispatch->program) || !machine->reported ||
        (machine->check && !check_dispatch(machine->check, dispatch)) ||
        (guarded && !machine->guards)) {
        forget(machine);
        return DISPATCH_MEMORY;
    }
    const uint64_t number = machine->number;
    machine->draw =
        dispatch->in_run ? mix(dispatch->run, ~dispatch->run_number) : machine->number + 1;
    draw_launch_order(machine);
    if (machine->trace)
        trace_dispatch(machine->trace, number, &machine->settings, dispatch);

    pthread_mutex_lock(&machine->lock);
    machine->dispatch = dispatch;
    machine->number++;
    machine->counts = (struct counts){0};
    machine->wanted =
        (uint32_t)(machine->groups < machine->threads ? machine->groups : machine->threads);
    machine->working = machine->wanted - 1;
    atomic_store(&machine->next, 0);
    atomic_store(&machine->result, DISPATCH_DONE);
    if (machine->working)
        pthread_cond_broadcast(&machine->begin);
    pthread_mutex_unlock(&machine->lock);

    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    work(&machine->workers[0]);
    fesetenv(&environment);

    pthread_mutex_lock(&machine->lock);
    while (machine->working)
        pthread_cond_wait(&machine->end, &machine->lock);
    pthread_mutex_unlock(&machine->lock);
    const enum dispatch_end end = (enum dispatch_end)atomic_load(&machine->result);
    if (machine->trace)
        trace_end(machine->trace, number, machine->workers[0].switches, end);
    if (machine->counts_file)
        counts_write(machine->counts_file, &machine->counts, number, machine->settings.model,
                     dispatch, end);
    forget(machine);
    return end == DISPATCH_CUT ? DISPATCH_DONE : end;
}

uint64_t machine_instructions(const struct machine *machine)
{
    return atomic_load(&((struct machine *)machine)->executed);
}
