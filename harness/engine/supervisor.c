// SPDX-License-Identifier: Apache-2.0
// Runs the queues of all chosen devices, side by side or one after another.
#include "engine/supervisor.h"

#include "base/clock.h"
#include "engine/queue.h"

#include <sched.h>

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
        clock_wait(&workers->pool.changed, &workers->pool.lock);
    queue->running = true;
    eng_queue_run(queue);
    queue->running = false;
    queue->ended = true;
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
    const bool together = workers.count > 1 && !run->serial;
    for (size_t i = 0; together && i < workers.count; i++)
        print_header(&workers.queues[i]);
    if (together)
        eng_pool_run(&workers.pool, work, workers.queues, sizeof *workers.queues, workers.count);
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

// --- Keeps a session's results while they are measured.

void eng_record_begin(struct result *result, const char *name, const struct cat_case *which,
                      const struct eng_device *device, uint64_t seed)
{
    const struct cat_module *module = cat_case_module(which);
    const char *headline = which->test->head.headline, *check = cat_test_check(which->test);
    const struct cat_mode mode = cat_test_mode(which->test);
    *result = (struct result){
        .cfg = cfg_parse(name),
        .device_id = lit_strdup(device->id),
        .result = ENG_PARTIAL,
        .expectation = cat_case_expectation(which, NULL),
        .reason = lit_alloc(ENG_REASON, 1),
        .sha256 = lit_strdup(module ? module->sha256 : ""),
        .headline = lit_strdup(headline ? headline : ""),
        .stress = lit_alloc(ENG_STRESS_TEXT, 1),
        .rule = lit_strdup(""),
        .seed = seed,
        .mode = cat_mode_keep(&mode),
        .evidence[ENG_EVIDENCE_CHECK] = check ? lit_strdup(check) : NULL,
    };
}

bool eng_record_recall(const struct eng_records *records, struct result *result, uint32_t *process,
                       struct lit_error *error)
{
    OWNED(eng_result_clear) struct result known = {0};
    if (!store_result_get(records->store, records->session, result->device_id, result->name, &known,
                          error))
        return false;
    const bool done = known.result < ENG_PARTIAL && known.result != ENG_HARNESS_ERROR;
    result->result = done ? known.result : ENG_PARTIAL;
    snprintf(result->reason, ENG_REASON, "%s", done ? known.reason : "");
    // A configuration that has begun keeps its stress.
    if (known.runs > 0)
        snprintf(result->stress, ENG_STRESS_TEXT, "%s", known.stress);
    for (size_t i = 0; i < known.piece_count; i++)
        if (known.pieces[i].process >= *process)
            *process = known.pieces[i].process + 1;
    result->count = known.count;
    result->failures = known.failures;
    result->pieces = known.pieces;
    result->piece_count = known.piece_count;
    known.failures = NULL;
    known.pieces = NULL;
    return done;
}

void eng_record_add(struct eng_records *records, struct eng_record *record,
                    const struct eng_count *batch, const struct eng_failure *failures,
                    uint32_t process, bool fresh)
{
    eng_result_add(&record->kept, batch, failures, process, fresh);
    record->changed = true;
    if (records->due == 0)
        records->due = clock_now() + records->pause;
}

bool eng_records_are_due(const struct eng_records *records)
{
    return records->due > 0 && clock_now() >= records->due;
}

bool eng_records_put(struct eng_records *records, struct lit_error *error)
{
    OWNED(lit_free) const struct result **list = lit_alloc(records->count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++)
        if (records->items[i].changed) {
            list[count++] = &records->items[i].kept;
            records->items[i].changed = false;
        }
    records->due = 0;
    return !count || store_results_put(records->store, records->session, list, count, error);
}
