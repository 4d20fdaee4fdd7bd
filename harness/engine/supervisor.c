// SPDX-License-Identifier: Apache-2.0
// Runs the queues of all chosen devices, side by side or one after another.
#include "engine/supervisor.h"

#include "base/clock.h"
#include "engine/protocol.h"
#include "engine/queue.h"

#include <sched.h>
#include <stdlib.h>

unsigned eng_usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

static struct eng_share make_share(const struct eng_run *run)
{
    unsigned kinds[2] = {0};
    for (size_t i = 0; i < run->inventory->count; i++)
        if (run->chosen[i])
            kinds[run->inventory->devices[i].facts.cpu]++;
    if (run->serial)
        return eng_share_make(1, kinds[1] > 0, 0);
    return eng_share_make(run->cores ? run->cores : eng_usable_cores(), kinds[1], kinds[0]);
}

static void print_header(const struct eng_queue *queue)
{
    const struct eng_run *run = queue->workers->run;
    eng_progress_clear(run->progress);
    run->header(queue->device, queue->plan.count, queue->progress->before, run->user);
}

// Software devices start in order, others at once.
static bool may_start(const struct eng_queue *queue)
{
    const struct eng_workers *workers = queue->workers;
    unsigned busy = 0;
    if (!queue->device->facts.cpu)
        return true;
    for (size_t i = 0; i < workers->count; i++) {
        const struct eng_queue *other = &workers->queues[i];
        if (other->device->facts.cpu && !other->ended && (other->running || other < queue))
            busy++;
    }
    return busy < workers->share.at_once;
}

static void work(void *user)
{
    struct eng_queue *queue = user;
    struct eng_workers *workers = queue->workers;
    while (!may_start(queue) && !eng_pool_stops(&workers->pool))
        eng_pool_wait(&workers->pool);
    queue->running = true;
    eng_queue_run(queue);
    queue->running = false;
    queue->ended = true;
}

static void run_side_by_side(struct eng_workers *workers)
{
    for (size_t i = 0; i < workers->count; i++)
        print_header(&workers->queues[i]);
    eng_pool_run(&workers->pool, work, workers->queues, sizeof *workers->queues, workers->count);
}

static void work_in_turn(void *user)
{
    struct eng_workers *workers = user;
    for (size_t i = 0; i < workers->count; i++) {
        print_header(&workers->queues[i]);
        eng_queue_run(&workers->queues[i]);
        if (workers->queues[i].step > ENG_STOP_QUEUE)
            break;
    }
}

static void make(struct eng_workers *workers, const struct eng_run *run, struct eng_tally *tally,
                 struct lit_error *error)
{
    const size_t room = run->inventory->count + 1;
    *workers = (struct eng_workers){.run = run,
                                    .tally = tally,
                                    .error = error,
                                    .share = make_share(run),
                                    .queues = lit_alloc(room, sizeof *workers->queues),
                                    .progress = lit_alloc(room, sizeof *workers->progress),
                                    .places = lit_alloc(room, sizeof *workers->places)};
    eng_kernel_log_open(&workers->kernel_log, run->kernel_log);
    eng_pool_begin(&workers->pool, run->watch);
    for (size_t i = 0; i < run->inventory->count; i++)
        if (run->chosen[i]) {
            eng_queue_make(&workers->queues[workers->count], workers, workers->count,
                           &run->inventory->devices[i]);
            workers->count++;
        }
}

static void clear(struct eng_workers *workers)
{
    for (size_t i = 0; i < workers->count; i++)
        eng_queue_clear(&workers->queues[i]);
    eng_pool_end(&workers->pool);
    eng_kernel_log_close(&workers->kernel_log);
    free(workers->progress);
    free(workers->places);
    free(workers->queues);
}

enum eng_stop eng_supervise(const struct eng_run *run, struct eng_tally *tally,
                            struct lit_error *error)
{
    struct eng_workers workers;
    enum eng_stop last = ENG_STOP_NOT;
    tally->shard = run->shard.kind != STORE_WHOLE;
    error->message[0] = '\0';
    make(&workers, run, tally, error);
    if (error->message[0]) {
        clear(&workers);
        return ENG_STOP_STORE;
    }
    if (workers.count > 1 && !run->serial)
        run_side_by_side(&workers);
    else
        eng_pool_run(&workers.pool, work_in_turn, &workers, 0, 1);
    eng_progress_clear(run->progress);
    for (size_t i = 0; i < workers.count; i++)
        if (workers.queues[i].step > last)
            last = workers.queues[i].step;
    if (atomic_load(&workers.pool.stop))
        last = ENG_STOP_STORE;
    clear(&workers);
    tally->out_of_time = last == ENG_STOP_TIME;
    return last == ENG_STOP_QUEUE ? ENG_STOP_NOT : last;
}

// --- Shares the machine between devices.

#define NICENESS 5

// A thread that waits for a device needs no core, so one core is left even on a single-core
// machine. A software device gets its part, too, though nothing is precompiled on it.
static unsigned ahead_of(unsigned cores, unsigned software, unsigned hardware)
{
    const unsigned each = hardware > 0 && cores > 1 ? (cores - 1) / (hardware + software) : 0;
    return each < ENG_PRECOMPILE_MOST ? each : ENG_PRECOMPILE_MOST;
}

struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware)
{
    // A driver compiles on one core: as many devices as cores keep all of them busy, and each
    // device gets at least one core's part.
    const unsigned most = cores > 0 ? cores : 1;
    const unsigned at_once = software < most ? software : most;
    return (struct eng_share){
        .at_once = at_once,
        .patience = at_once > 1 ? at_once : 1,
        .niceness = software > 0 && hardware > 0 ? NICENESS : 0,
        .ahead = ahead_of(cores, software, hardware),
    };
}

bool eng_share_may_run(const struct eng_place *places, size_t count, size_t which)
{
    const struct eng_place *own = &places[which];
    for (size_t i = 0; i < count; i++) {
        const struct eng_place *other = &places[i];
        const bool before = other->state == ENG_PLACE_RUNS ||
                            (other->state == ENG_PLACE_WAITS && other->ticket < own->ticket);
        if (i != which && before && (other->alone || own->alone))
            return false;
    }
    return true;
}
