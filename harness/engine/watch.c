// SPDX-License-Identifier: Apache-2.0
// Starts, watches and ends one worker: reads its events and output, and notices when it is silent
// or dies.
#include "engine/watch.h"

#include "base/clock.h"
#include "catalogue/catalogue.h"
#include "model/result.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define TAIL (2 * ENG_EVIDENCE_SIZE) // bytes to keep of a worker's output

// Waits for the end, at most until `deadline`; discards the worker's output, so that it cannot
// block on a full pipe.
static bool wait_for_end(struct eng_child *child, double deadline)
{
    char bytes[4096];
    bool prints = true;
    while (!eng_child_ended(child)) {
        double left = deadline - clock_awake();
        if (left <= 0)
            return false;
        // After its pipe closes it ends within a moment, but no event says so.
        eng_child_wait(child, false, left < 0.02 || !prints ? 0 : 0.02);
        prints = eng_child_output(child, bytes, sizeof bytes) != ENG_CHILD_CLOSED;
    }
    return true;
}

static bool kill_by_escalation(struct eng_child *child, const struct eng_policy *policy)
{
    struct eng_times times = {.terminated = -1, .killed = -1};
    while (!eng_child_ended(child)) {
        double left = 0;
        times.now = clock_awake();
        switch (eng_kill_next(policy, &times, &left)) {
        case ENG_KILL_WAIT:
            wait_for_end(child, times.now + left);
            break;
        case ENG_KILL_TERM:
            eng_child_signal(child, false);
            times.terminated = times.now;
            break;
        case ENG_KILL_KILL:
            eng_child_signal(child, true);
            times.killed = times.now;
            break;
        case ENG_KILL_ABANDON:
            return false;
        }
    }
    return true;
}

// Waits policy->term for the worker to exit, then sends SIGTERM (`at_once` starts with it), then
// SIGKILL. Returns false and abandons the worker if it survives SIGKILL.
static bool child_end(struct eng_child *child, const struct eng_policy *policy, bool at_once)
{
    eng_child_disconnect(child);
    bool ended = (!at_once && wait_for_end(child, clock_awake() + policy->term)) ||
                 kill_by_escalation(child, policy);
    eng_child_free(child);
    return ended;
}

// --- The worker

struct eng_worker {
    const struct eng_watch *watch;
    struct eng_child *child;
    double last_event;  // clock_awake
    struct text outbox; // requests that are not fully sent
    size_t sent;        // bytes of it that were sent
    char *inbox;        // ENG_LINE_MAX bytes
    size_t inbox_length;
    char tail[TAIL + 1];
    size_t tail_length;
    char line[512]; // the line of output being assembled
    size_t line_length;
};

struct eng_worker *eng_worker_start(const struct eng_watch *watch, const char *manifest,
                                    struct lit_error *error)
{
    struct eng_worker *worker = lit_alloc(1, sizeof *worker);
    worker->watch = watch;
    worker->last_event = clock_awake();
    worker->child = eng_child_start(manifest, watch->niceness, error);
    if (!worker->child) {
        free(worker);
        return NULL;
    }
    worker->inbox = lit_alloc(ENG_LINE_MAX, 1);
    return worker;
}

bool eng_worker_end(struct eng_worker **worker, bool at_once)
{
    if (!*worker)
        return true;
    if (!at_once)
        eng_worker_ask(*worker, &(struct eng_request){.kind = ENG_QUIT});
    bool ended = child_end((*worker)->child, &(*worker)->watch->policy, at_once);
    text_free(&(*worker)->outbox);
    free((*worker)->inbox);
    free(*worker);
    *worker = NULL;
    return ended;
}

bool eng_worker_close(struct eng_worker **worker, char ending[64])
{
    ending[0] = '\0';
    if (!*worker)
        return true;
    struct eng_child *child = (*worker)->child;
    eng_worker_ask(*worker, &(struct eng_request){.kind = ENG_QUIT});
    eng_child_disconnect(child);
    if (!wait_for_end(child, clock_awake() + (*worker)->watch->policy.idle))
        snprintf(ending, 64, "it hangs");
    else if (!eng_child_failure(child))
        eng_child_describe(child, ending, 64);
    if (strcmp(ending, "exit status 0") == 0)
        ending[0] = '\0';
    return eng_worker_end(worker, true);
}

// Sends what the worker can take.
static void flush(struct eng_worker *worker)
{
    struct text *outbox = &worker->outbox;
    if (!eng_child_connected(worker->child) || outbox->length == 0)
        return;
    const ptrdiff_t sent =
        eng_child_send(worker->child, outbox->data + worker->sent, outbox->length - worker->sent);
    // A dead worker takes nothing more; what it sent before can still be read.
    worker->sent = sent == ENG_CHILD_CLOSED ? outbox->length : worker->sent + (size_t)sent;
    if (worker->sent == outbox->length)
        worker->sent = outbox->length = 0;
}

void eng_worker_ask(struct eng_worker *worker, const struct eng_request *request)
{
    worker->last_event = clock_awake();
    eng_request_write(request, &worker->outbox);
    flush(worker);
}

void eng_worker_teach_one(struct eng_worker *worker, const struct text *test, bool instead)
{
    OWNED(lit_free) struct eng_request *request = lit_alloc(1, sizeof *request);
    struct eng_chunk *chunk = &request->chunk;
    request->kind = ENG_TEACH;
    request->instead = instead;
    for (size_t at = 0; at < test->length; at += chunk->size) {
        const size_t left = test->length - at;
        chunk->total = test->length;
        chunk->offset = at;
        chunk->size = left < ENG_CHUNK ? left : ENG_CHUNK;
        memcpy(chunk->bytes, test->data + at, chunk->size);
        eng_worker_ask(worker, request);
    }
}

void eng_worker_teach(struct eng_worker *worker)
{
    const struct text *test;
    for (size_t i = 0; (test = cat_added_at(i, NULL)); i++)
        eng_worker_teach_one(worker, test, false);
}

// The worker's output

static void say_line(struct eng_worker *worker)
{
    char safe[sizeof worker->line];
    worker->line[worker->line_length] = '\0';
    text_sanitise(safe, sizeof safe, worker->line);
    if (worker->line_length > 0)
        worker->watch->say(safe, worker->watch->user);
    worker->line_length = 0;
}

static void keep_output(struct eng_worker *worker, const char *bytes, size_t length)
{
    for (size_t i = 0; worker->watch->verbose && i < length; i++) {
        if (bytes[i] != '\n')
            worker->line[worker->line_length++] = bytes[i] ? bytes[i] : '?';
        if (bytes[i] == '\n' || worker->line_length == sizeof worker->line - 1)
            say_line(worker);
    }
    if (length > TAIL) {
        bytes += length - TAIL;
        length = TAIL;
    }
    size_t over = worker->tail_length + length > TAIL ? worker->tail_length + length - TAIL : 0;
    memmove(worker->tail, worker->tail + over, worker->tail_length - over);
    worker->tail_length -= over;
    memcpy(worker->tail + worker->tail_length, bytes, length);
    worker->tail_length += length;
}

static bool read_output(struct eng_worker *worker)
{
    char bytes[4096];
    const ptrdiff_t length = eng_child_output(worker->child, bytes, sizeof bytes);
    if (length > 0)
        keep_output(worker, bytes, (size_t)length);
    else if (length == ENG_CHILD_CLOSED && worker->line_length > 0)
        say_line(worker);
    return length > 0;
}

// Finds where the worker's own backtrace begins in the output; the end if there is none.
static size_t words_length(const struct eng_worker *worker)
{
    const char *mark =
        memmem(worker->tail, worker->tail_length, ENG_BACKTRACE, sizeof ENG_BACKTRACE - 1);
    return mark ? (size_t)(mark - worker->tail) : worker->tail_length;
}

// Stores the last non-empty line, sanitised; "" if nothing was printed.
static void last_line(const struct eng_worker *worker, char *line, size_t size)
{
    char start[TAIL + 1];
    size_t length = words_length(worker);
    memcpy(start, worker->tail, length);
    while (length > 0 && (start[length - 1] == '\n' || start[length - 1] == '\r'))
        length--;
    start[length] = '\0';
    const char *newline = memrchr(start, '\n', length);
    text_sanitise(line, size, newline ? newline + 1 : start);
}

// Returns the last lines of some bytes, at most ENG_EVIDENCE_SIZE; NULL if they are empty.
static char *keep_lines(const char *bytes, size_t length)
{
    char clean[ENG_EVIDENCE_SIZE];
    OWNED(text_free) struct text text = {0};
    const size_t over = length < sizeof clean ? 0 : length - sizeof clean + 1;
    text_append(&text, bytes + over, length - over);
    for (size_t i = 0; i < text.length; i++)
        if (!text.data[i])
            text.data[i] = '?';
    if (text.data)
        text_sanitise_lines(clean, sizeof clean, text.data);
    return length > 0 && clean[strspn(clean, " \n")] ? lit_strdup(clean) : NULL;
}

// Reads until the worker has ended, or for `seconds`.
static void hear_out(struct eng_worker *worker, double seconds)
{
    const double deadline = clock_awake() + seconds;
    while (!eng_child_ended(worker->child) && clock_awake() < deadline)
        if (!read_output(worker))
            usleep(2000);
    while (read_output(worker))
        continue;
}

void eng_worker_evidence(struct eng_worker *worker, bool silent, char *evidence[ENG_EVIDENCES])
{
    // This makes it print where it was.
    if (silent)
        eng_child_signal(worker->child, false);
    hear_out(worker, silent ? worker->watch->policy.term : 0);
    const size_t words = words_length(worker), mark = sizeof ENG_BACKTRACE - 1;
    evidence[ENG_EVIDENCE_WORDS] = keep_lines(worker->tail, words);
    if (words + mark < worker->tail_length)
        evidence[ENG_EVIDENCE_BACKTRACE] =
            keep_lines(worker->tail + words + mark, worker->tail_length - words - mark);
    evidence[ENG_EVIDENCE_CORE] = eng_child_core(worker->child);
}

// The worker's events

static bool read_socket(struct eng_worker *worker)
{
    size_t room = ENG_LINE_MAX - worker->inbox_length;
    if (!eng_child_connected(worker->child) || room == 0)
        return false;
    const ptrdiff_t length =
        eng_child_receive(worker->child, worker->inbox + worker->inbox_length, room);
    if (length > 0)
        worker->inbox_length += (size_t)length;
    else if (length == ENG_CHILD_CLOSED)
        eng_child_disconnect(worker->child);
    return length > 0;
}

// Takes the first complete line from the inbox. False if there is none.
static bool take_event(struct eng_worker *worker, struct eng_event *event, bool *parsed,
                       char reason[512])
{
    char *newline = memchr(worker->inbox, '\n', worker->inbox_length);
    if (!newline) {
        *parsed = false;
        if (worker->inbox_length < ENG_LINE_MAX)
            return false;
        snprintf(reason, 512, "the worker sent an endless line");
        return true;
    }
    size_t length = (size_t)(newline - worker->inbox);
    struct lit_error error = {0};
    *parsed = eng_event_parse(worker->inbox, length, event, &error);
    if (!*parsed)
        snprintf(reason, 512, "the worker sent no event: %.400s", error.message);
    worker->inbox_length -= length + 1;
    memmove(worker->inbox, newline + 1, worker->inbox_length);
    worker->last_event = clock_awake();
    return true;
}

// Reads what is available after waiting at most `seconds`. True if the worker sent something; its
// output is no sign of progress.
static bool pump(struct eng_worker *worker, double seconds)
{
    if (seconds > 0)
        eng_child_wait(worker->child, worker->outbox.length > 0, seconds);
    flush(worker);
    read_output(worker);
    return read_socket(worker);
}

static enum eng_wait describe_death(struct eng_worker *worker, char reason[512])
{
    char how[64], line[256];
    hear_out(worker, 1);
    // Ask once, so that both answers are from the same moment.
    const bool ended = eng_child_ended(worker->child);
    const char *failure = eng_child_failure(worker->child);
    eng_child_describe(worker->child, how, sizeof how);
    last_line(worker, line, sizeof line);
    if (ended || failure)
        snprintf(reason, 512, "%s: %s%s%s", failure ? failure : "worker died", how,
                 line[0] ? "; it said: " : "", line);
    else
        snprintf(reason, 512, "the worker closed its connection");
    return failure ? ENG_WAIT_FAILED : ENG_WAIT_GONE;
}

// The worker is silent, but the driver is at fault only if the worker got the request.
static enum eng_wait describe_silence(const struct eng_worker *worker, char reason[512])
{
    const bool heard = worker->outbox.length == 0;
    snprintf(reason, 512, heard ? "no progress for %g s" : "the worker took no request for %g s",
             worker->watch->policy.idle);
    return heard ? ENG_WAIT_HUNG : ENG_WAIT_FAILED;
}

enum eng_wait eng_worker_wait(struct eng_worker *worker, struct eng_event *event, char reason[512])
{
    const struct eng_watch *watch = worker->watch;
    for (;;) {
        bool parsed = false;
        reason[0] = '\0';
        if (eng_interrupt() || (watch->stop && atomic_load(watch->stop)))
            return ENG_WAIT_INTERRUPTED;
        // The run's own time also passes while the process is stopped, and while events are
        // waiting.
        const double now = clock_awake();
        struct eng_times times = {
            .now = now, .started = watch->started + now - clock_now(), .event = worker->last_event};
        double left = 0;
        const enum eng_watchdog verdict = eng_watchdog(&watch->policy, &times, &left);
        if (verdict == ENG_WATCHDOG_TIME)
            return ENG_WAIT_TIME;
        if (take_event(worker, event, &parsed, reason))
            return parsed ? ENG_WAIT_EVENT : ENG_WAIT_NONSENSE;
        if (pump(worker, 0))
            continue;
        if (!eng_child_connected(worker->child) || eng_child_ended(worker->child)) {
            // Its last events may have arrived between the read and the end.
            if (pump(worker, 0))
                continue;
            return describe_death(worker, reason);
        }
        if (verdict == ENG_WATCHDOG_HANG)
            return describe_silence(worker, reason);
        if (watch->tick)
            watch->tick(watch->user);
        pump(worker, left < CLOCK_LOOK ? left : CLOCK_LOOK);
    }
}

enum eng_result eng_wait_result(enum eng_wait wait)
{
    static const enum eng_result results[] = {
        [ENG_WAIT_EVENT] = ENG_PASS,
        [ENG_WAIT_GONE] = ENG_CRASH,
        [ENG_WAIT_FAILED] = ENG_HARNESS_ERROR,
        [ENG_WAIT_NONSENSE] = ENG_HARNESS_ERROR,
        [ENG_WAIT_HUNG] = ENG_HANG,
        [ENG_WAIT_TIME] = ENG_PARTIAL,
        [ENG_WAIT_INTERRUPTED] = ENG_PARTIAL,
    };
    return results[wait];
}

// --- The timeout policy: when silence is a hang, and how to end a worker.

enum eng_watchdog eng_watchdog(const struct eng_policy *policy, const struct eng_times *times,
                               double *left)
{
    double idle = times->event + policy->idle - times->now;
    double total = times->started + policy->total - times->now;
    *left = 0;
    if (idle <= 0)
        return ENG_WATCHDOG_HANG;
    if (policy->total > 0 && total <= 0)
        return ENG_WATCHDOG_TIME;
    *left = policy->total > 0 && total < idle ? total : idle;
    return ENG_WATCHDOG_WAIT;
}

enum eng_kill eng_kill_next(const struct eng_policy *policy, const struct eng_times *times,
                            double *left)
{
    *left = 0;
    if (times->terminated < 0)
        return ENG_KILL_TERM;
    const bool killed = times->killed >= 0;
    const double until = killed ? times->killed + policy->kill : times->terminated + policy->term;
    if (until - times->now <= 0)
        return killed ? ENG_KILL_ABANDON : ENG_KILL_KILL;
    *left = until - times->now;
    return ENG_KILL_WAIT;
}

uint32_t eng_batch_limit_ms(const struct eng_policy *policy)
{
    double limit = policy->idle * 0.8 * 1000;
    if (limit < 1)
        return 1;
    return limit > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)limit;
}

unsigned eng_in_a_row(unsigned count, enum eng_result which, enum eng_result result)
{
    if (result == which)
        return count + 1;
    return result == ENG_SKIP ? count : 0;
}

// --- Reads kernel records: "priority,number,microseconds,flags;text"; lines that start with a
// blank continue the record before.

#define MOST_READS 4096 // per call

void eng_kernel_log_open(struct eng_kernel_log *log, const char *path)
{
    *log = (struct eng_kernel_log){.file = -1};
    if (path)
        log->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (log->file >= 0)
        lseek(log->file, 0, SEEK_END);
}

void eng_kernel_log_close(struct eng_kernel_log *log)
{
    if (log->file >= 0)
        close(log->file);
    text_free(&log->lines);
    *log = (struct eng_kernel_log){.file = -1};
}

// Matches graphics drivers, crashed processes, and out-of-memory messages.
static bool matters(const char *line)
{
    static const char *const words[] = {
        "NVRM",          "Xid",      "nvidia",         "amdgpu",   "radeon",  "[drm",
        "drm:",          "i915",     "xe 0",           "gpu",      "nouveau", "msm_dpu",
        "panfrost",      "panthor",  "lima",           "v3d",      "etnaviv", "virtio_gpu",
        "vmwgfx",        "pvr",      "iommu",          "segfault", "traps:",  "oom-kill",
        "Out of memory", "pcieport", "Hardware Error",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(line, words[i]))
            return true;
    return false;
}

static void take_line(struct eng_kernel_log *log)
{
    char safe[sizeof log->rest];
    unsigned long long microseconds;
    log->rest[log->rest_length] = '\0';
    log->rest_length = 0;
    text_sanitise(safe, sizeof safe, log->rest);
    const char *text = strchr(safe, ';');
    if (!text || sscanf(safe, "%*u,%*u,%llu", &microseconds) != 1 || !matters(text + 1))
        return;
    text_printf(&log->lines, "[%5llu.%06llu] %s\n", microseconds / 1000000, microseconds % 1000000,
                text + 1);
    // Drop whole lines from the beginning.
    size_t over = log->lines.length < ENG_EVIDENCE_SIZE ? 0 : log->lines.length - ENG_EVIDENCE_SIZE;
    if (over) {
        const char *end = strchr(log->lines.data + over, '\n');
        over = end ? (size_t)(end + 1 - log->lines.data) : log->lines.length;
        log->lines.length -= over;
        memmove(log->lines.data, log->lines.data + over, log->lines.length + 1);
    }
}

void eng_kernel_log_read(struct eng_kernel_log *log)
{
    char bytes[8192]; // the longest record
    ssize_t length = 0;
    for (unsigned reads = 0; log->file >= 0 && reads < MOST_READS; reads++) {
        length = read(log->file, bytes, sizeof bytes);
        if (length <= 0 && !(length < 0 && (errno == EPIPE || errno == EINTR)))
            break; // EPIPE: records were lost, later ones are there
        for (ssize_t i = 0; i < length; i++) {
            if (bytes[i] == '\n')
                take_line(log);
            else if (log->rest_length < sizeof log->rest - 1)
                log->rest[log->rest_length++] = bytes[i] ? bytes[i] : '?';
        }
    }
}
