// SPDX-License-Identifier: Apache-2.0
// Runs the queues of all chosen devices, side by side or one after another.
#include "engine/supervisor.h"

#include "base/clock.h"
#include "engine/protocol.h"
#include "engine/queue.h"

#include <sched.h>
#include <stdlib.h>

void eng_workers_wait(struct eng_workers *workers)
{
    clock_wait(&workers->changed, &workers->lock);
}

bool eng_workers_stops(const struct eng_workers *workers)
{
    return eng_interrupt() || atomic_load(&workers->stop);
}

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

static void *work(void *user)
{
    struct eng_queue *queue = user;
    struct eng_workers *workers = queue->workers;
    pthread_mutex_lock(&workers->lock);
    while (!may_start(queue) && !eng_workers_stops(workers))
        eng_workers_wait(workers);
    queue->running = true;
    eng_queue_run(queue);
    queue->running = false;
    queue->ended = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

static void run_side_by_side(struct eng_workers *workers)
{
    struct eng_queue *const queues = workers->queues;
    for (size_t i = 0; i < workers->count; i++)
        print_header(&queues[i]);
    pthread_mutex_lock(&workers->lock);
    for (size_t i = 0; i < workers->count; i++) {
        queues[i].has_thread = pthread_create(&queues[i].thread, NULL, work, &queues[i]) == 0;
        queues[i].ended = !queues[i].has_thread;
    }
    pthread_mutex_unlock(&workers->lock);
    for (size_t i = 0; i < workers->count; i++)
        if (queues[i].has_thread)
            pthread_join(queues[i].thread, NULL);
    // Without a thread, a queue takes longer but loses no results.
    for (size_t i = 0; i < workers->count; i++)
        if (!queues[i].has_thread)
            work(&queues[i]);
}

static void run_in_turn(struct eng_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    for (size_t i = 0; i < workers->count; i++) {
        print_header(&workers->queues[i]);
        eng_queue_run(&workers->queues[i]);
        if (workers->queues[i].step > ENG_STOP_QUEUE)
            break;
    }
    pthread_mutex_unlock(&workers->lock);
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
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->changed, NULL);
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
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
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
        run_in_turn(&workers);
    eng_progress_clear(run->progress);
    for (size_t i = 0; i < workers.count; i++)
        if (workers.queues[i].step > last)
            last = workers.queues[i].step;
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
