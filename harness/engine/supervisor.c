// SPDX-License-Identifier: Apache-2.0
// Runs the queues of all chosen devices, side by side or one after another.
#include "engine/supervisor.h"

#include "engine/protocol.h"
#include "engine/queue.h"

#include <sched.h>
#include <stdlib.h>

struct supervisor {
    struct eng_workers workers;
    struct eng_queue *queues;
    struct eng_share share;
    struct member *members;
};

struct member {
    struct supervisor *supervisor;
    size_t index;
    pthread_t thread;
    bool has_thread, running, ended;
};

static unsigned usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

static bool is_software(const struct eng_queue *queue)
{
    return queue->device->facts.cpu;
}

static struct eng_share make_share(const struct eng_run *run)
{
    unsigned kinds[2] = {0};
    for (size_t i = 0; i < run->inventory->count; i++)
        if (run->chosen[i])
            kinds[run->inventory->devices[i].facts.cpu]++;
    if (run->serial)
        return eng_share_make(1, kinds[1] > 0, 0);
    return eng_share_make(run->cores ? run->cores : usable_cores(), kinds[1], kinds[0]);
}

static void print_header(const struct eng_queue *queue)
{
    const struct eng_run *run = queue->workers->run;
    eng_progress_clear(run->progress);
    run->header(queue->device, queue->plan.count, queue->progress->before, run->user);
}

// Software devices take their turns in their order, others go at once.
static bool may_start(const struct supervisor *s, size_t index)
{
    unsigned busy = 0;
    if (!is_software(&s->queues[index]))
        return true;
    for (size_t i = 0; i < s->workers.count; i++) {
        const struct member *other = &s->members[i];
        if (is_software(&s->queues[i]) && !other->ended && (other->running || i < index))
            busy++;
    }
    return busy < s->share.at_once;
}

static void *work(void *user)
{
    struct member *member = user;
    struct supervisor *s = member->supervisor;
    pthread_mutex_lock(&s->workers.lock);
    while (!may_start(s, member->index) && !eng_workers_stops(&s->workers))
        eng_workers_wait(&s->workers);
    member->running = true;
    eng_queue_run(&s->queues[member->index]);
    member->running = false;
    member->ended = true;
    pthread_cond_broadcast(&s->workers.changed);
    pthread_mutex_unlock(&s->workers.lock);
    return NULL;
}

static void run_side_by_side(struct supervisor *s)
{
    const size_t count = s->workers.count;
    for (size_t i = 0; i < count; i++)
        print_header(&s->queues[i]);
    pthread_mutex_lock(&s->workers.lock);
    for (size_t i = 0; i < count; i++) {
        struct member *member = &s->members[i];
        *member = (struct member){.supervisor = s, .index = i};
        member->has_thread = pthread_create(&member->thread, NULL, work, member) == 0;
        member->ended = !member->has_thread;
    }
    pthread_mutex_unlock(&s->workers.lock);
    for (size_t i = 0; i < count; i++)
        if (s->members[i].has_thread)
            pthread_join(s->members[i].thread, NULL);
    // A thread that cannot be had costs time, no results.
    for (size_t i = 0; i < count; i++)
        if (!s->members[i].has_thread)
            work(&s->members[i]);
}

static void run_in_turn(struct supervisor *s)
{
    pthread_mutex_lock(&s->workers.lock);
    for (size_t i = 0; i < s->workers.count; i++) {
        print_header(&s->queues[i]);
        eng_queue_run(&s->queues[i]);
        if (s->queues[i].step > ENG_STEP_QUEUE_STOPS)
            break;
    }
    pthread_mutex_unlock(&s->workers.lock);
}

static void make(struct supervisor *s, const struct eng_run *run, struct eng_tally *tally,
                 struct lit_error *error)
{
    const size_t room = run->inventory->count + 1;
    *s = (struct supervisor){.workers = {.run = run, .tally = tally, .error = error},
                             .share = make_share(run),
                             .queues = lit_alloc(room, sizeof *s->queues),
                             .members = lit_alloc(room, sizeof *s->members)};
    struct eng_workers *workers = &s->workers;
    workers->progress = lit_alloc(room, sizeof *workers->progress);
    workers->places = lit_alloc(room, sizeof *workers->places);
    eng_kernel_log_open(&workers->kernel_log, run->kernel_log);
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&s->workers.changed, NULL);
    for (size_t i = 0; i < run->inventory->count; i++) {
        if (!run->chosen[i])
            continue;
        eng_queue_make(&s->queues[workers->count], workers, workers->count,
                       &run->inventory->devices[i], &s->share);
        workers->count++;
    }
}

static void clear(struct supervisor *s)
{
    for (size_t i = 0; i < s->workers.count; i++)
        eng_queue_clear(&s->queues[i]);
    pthread_cond_destroy(&s->workers.changed);
    pthread_mutex_destroy(&s->workers.lock);
    eng_kernel_log_close(&s->workers.kernel_log);
    free(s->workers.progress);
    free(s->workers.places);
    free(s->queues);
    free(s->members);
}

enum eng_stop eng_supervise(const struct eng_run *run, struct eng_tally *tally,
                            struct lit_error *error)
{
    static const enum eng_stop stops[] = {
        [ENG_STEP_ON] = ENG_STOP_NOT,      [ENG_STEP_QUEUE_STOPS] = ENG_STOP_NOT,
        [ENG_STEP_TIME] = ENG_STOP_TIME,   [ENG_STEP_SIGNAL] = ENG_STOP_SIGNAL,
        [ENG_STEP_STORE] = ENG_STOP_STORE,
    };
    struct supervisor s;
    tally->shard = run->shard.kind != STORE_WHOLE;
    enum eng_step last = ENG_STEP_ON;
    make(&s, run, tally, error);
    if (s.workers.count > 1 && !run->serial)
        run_side_by_side(&s);
    else
        run_in_turn(&s);
    eng_progress_clear(run->progress);
    for (size_t i = 0; i < s.workers.count; i++)
        if (s.queues[i].step > last)
            last = s.queues[i].step;
    clear(&s);
    tally->out_of_time = last == ENG_STEP_TIME;
    return stops[last];
}

// --- Shares the machine between devices.

#define NICENESS 5

// Who waits for a device needs no core, so that one is left even where there is no other. A
// software device has its part, too, though nothing is made ahead on it.
static unsigned ahead_of(unsigned cores, unsigned software, unsigned hardware)
{
    const unsigned each = hardware > 0 && cores > 1 ? (cores - 1) / (hardware + software) : 0;
    return each < ENG_PRECOMPILE_MOST ? each : ENG_PRECOMPILE_MOST;
}

struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware)
{
    // A driver compiles on one core: as many devices as cores keep all of them busy, and the part
    // of each is never less than one core would be.
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
