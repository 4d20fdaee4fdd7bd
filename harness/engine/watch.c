// SPDX-License-Identifier: Apache-2.0
// Watches one worker: reads its events and its output, notices its silence and its death.
#include "engine/watch.h"

#include "base/clock.h"
#include "engine/protocol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL (2 * ENG_EVIDENCE_SIZE) // bytes of a worker's output that are kept

struct eng_worker {
    const struct eng_watch *watch;
    struct eng_child child;
    double last_event;  // clock_awake
    struct text outbox; // of requests: what was not sent yet
    char *inbox;        // ENG_LINE_MAX bytes
    size_t inbox_length;
    char tail[TAIL + 1];
    size_t tail_length;
    char line[512]; // the line of output that is being gathered
    size_t line_length;
};

struct eng_worker *eng_worker_start(const struct eng_watch *watch, const char *manifest,
                                    struct lit_error *error)
{
    struct eng_worker *worker = lit_alloc(1, sizeof *worker);
    worker->watch = watch;
    worker->last_event = clock_awake();
    if (!eng_child_start(&worker->child, manifest, watch->niceness, error)) {
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
    bool ended = eng_child_end(&(*worker)->child, &(*worker)->watch->policy, at_once);
    text_free(&(*worker)->outbox);
    free((*worker)->inbox);
    free(*worker);
    *worker = NULL;
    return ended;
}

static void close_socket(struct eng_worker *worker)
{
    close(worker->child.socket);
    worker->child.socket = -1;
}

// Sends what the worker takes.
static void flush(struct eng_worker *worker)
{
    struct text *outbox = &worker->outbox;
    if (worker->child.socket < 0 || outbox->length == 0)
        return;
    const ssize_t sent = send(worker->child.socket, outbox->data, outbox->length, MSG_NOSIGNAL);
    if (sent > 0) {
        outbox->length -= (size_t)sent;
        memmove(outbox->data, outbox->data + sent, outbox->length);
    } else if (errno != EAGAIN && errno != EINTR) {
        outbox->length = 0; // it died; what it said before can still be read
    }
}

void eng_worker_ask(struct eng_worker *worker, const struct eng_request *request)
{
    eng_request_write(request, &worker->outbox);
    flush(worker);
    worker->last_event = clock_awake();
}

void eng_worker_listen(struct eng_worker *worker)
{
    worker->last_event = eng_received(&worker->watch->policy, clock_awake(), worker->last_event);
}

// What the worker prints

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
    if (worker->child.output < 0)
        return false;
    ssize_t length = read(worker->child.output, bytes, sizeof bytes);
    if (length > 0) {
        keep_output(worker, bytes, (size_t)length);
        return true;
    }
    if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        if (worker->line_length > 0)
            say_line(worker);
        close(worker->child.output);
        worker->child.output = -1;
    }
    return false;
}

// Where the worker's own backtrace begins among what was printed; the end if it is not there.
static size_t words_length(const struct eng_worker *worker)
{
    const char *mark =
        memmem(worker->tail, worker->tail_length, ENG_BACKTRACE, sizeof ENG_BACKTRACE - 1);
    return mark ? (size_t)(mark - worker->tail) : worker->tail_length;
}

// The last line that is not empty, sanitised; "" if nothing was printed.
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

// The end of some bytes as lines, at most ENG_EVIDENCE_SIZE; NULL if there is nothing in them.
static char *keep_lines(const char *bytes, size_t length)
{
    char clean[ENG_EVIDENCE_SIZE];
    struct text text = {0};
    const size_t over = length < sizeof clean ? 0 : length - sizeof clean + 1;
    text_append(&text, bytes + over, length - over);
    for (size_t i = 0; i < text.length; i++)
        if (!text.data[i])
            text.data[i] = '?';
    if (text.data)
        text_sanitise_lines(clean, sizeof clean, text.data);
    text_free(&text);
    return length > 0 && clean[strspn(clean, " \n")] ? lit_strdup(clean) : NULL;
}

static char *describe_core(const struct eng_child *child)
{
    struct text pattern = {0}, line = {0};
    char safe[256];
    if (!child->ended || !WIFSIGNALED(child->status) || !WCOREDUMP(child->status))
        return NULL;
    text_read(&pattern, "/proc/sys/kernel/core_pattern", sizeof safe);
    if (pattern.data)
        pattern.data[strcspn(pattern.data, "\n")] = '\0';
    text_sanitise(safe, sizeof safe, pattern.data ? pattern.data : "");
    text_printf(&line, "process %d left a core; kernel.core_pattern: %s\n", (int)child->pid, safe);
    text_free(&pattern);
    return line.data;
}

// Until it has ended, or `seconds` are over.
static void hear_out(struct eng_worker *worker, double seconds)
{
    const double deadline = clock_awake() + seconds;
    while (!eng_child_ended(&worker->child) && clock_awake() < deadline)
        if (!read_output(worker))
            usleep(2000);
    while (read_output(worker))
        continue;
}

void eng_worker_evidence(struct eng_worker *worker, bool silent, char *evidence[ENG_EVIDENCES])
{
    // It says where it was.
    if (silent && worker->child.pid > 0)
        kill(-worker->child.pid, SIGTERM);
    hear_out(worker, silent ? worker->watch->policy.term : 0);
    const size_t words = words_length(worker), mark = sizeof ENG_BACKTRACE - 1;
    evidence[ENG_EVIDENCE_WORDS] = keep_lines(worker->tail, words);
    if (words + mark < worker->tail_length)
        evidence[ENG_EVIDENCE_BACKTRACE] =
            keep_lines(worker->tail + words + mark, worker->tail_length - words - mark);
    evidence[ENG_EVIDENCE_CORE] = describe_core(&worker->child);
}

// What the worker says

static bool read_socket(struct eng_worker *worker)
{
    size_t room = ENG_LINE_MAX - worker->inbox_length;
    if (worker->child.socket < 0 || room == 0)
        return false;
    ssize_t length = recv(worker->child.socket, worker->inbox + worker->inbox_length, room, 0);
    if (length > 0) {
        worker->inbox_length += (size_t)length;
        return true;
    }
    if (length == 0 || (errno != EAGAIN && errno != EINTR))
        close_socket(worker);
    return false;
}

// Takes the first whole line out of the inbox. False if there is none.
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

// Reads what is there, after waiting at most `seconds` for it. True if the worker said something;
// what it prints is no sign of progress.
static bool pump(struct eng_worker *worker, double seconds)
{
    const short wanted = worker->outbox.length > 0 ? POLLIN | POLLOUT : POLLIN;
    struct pollfd files[2] = {{.fd = worker->child.socket, .events = wanted},
                              {.fd = worker->child.output, .events = POLLIN}};
    if (seconds > 0)
        poll(files, 2, (int)(seconds * 1000) + 1);
    flush(worker);
    read_output(worker);
    return read_socket(worker);
}

static enum eng_wait describe_death(struct eng_worker *worker, char reason[512])
{
    char how[64], line[256];
    hear_out(worker, 1);
    eng_child_describe(&worker->child, how, sizeof how);
    last_line(worker, line, sizeof line);
    const char *failure = eng_child_failure(&worker->child);
    if (worker->child.ended)
        snprintf(reason, 512, "%s: %s%s%s", failure ? failure : "worker died", how,
                 line[0] ? "; it said: " : "", line);
    else
        snprintf(reason, 512, "the worker closed its connection");
    return failure ? ENG_WAIT_FAILED : ENG_WAIT_GONE;
}

// It is silent; but a driver is to blame only if the worker heard what it was asked.
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
        if (eng_interrupt() || (watch->stop && watch->stop(watch->user)))
            return ENG_WAIT_INTERRUPTED;
        if (take_event(worker, event, &parsed, reason))
            return parsed ? ENG_WAIT_EVENT : ENG_WAIT_NONSENSE;
        if (pump(worker, 0))
            continue;
        if (worker->child.socket < 0 || eng_child_ended(&worker->child)) {
            // The last words may have arrived between the read and the end.
            if (pump(worker, 0))
                continue;
            return describe_death(worker, reason);
        }
        // The run's own time goes on while the process is stopped.
        const double now = clock_awake();
        struct eng_times times = {
            .now = now, .started = watch->started + now - clock_now(), .event = worker->last_event};
        double left = 0;
        switch (eng_watchdog(&watch->policy, &times, &left)) {
        case ENG_WATCHDOG_HANG:
            return describe_silence(worker, reason);
        case ENG_WATCHDOG_TIME:
            return ENG_WAIT_TIME;
        case ENG_WATCHDOG_WAIT:
            break;
        }
        if (watch->tick)
            watch->tick(watch->user);
        pump(worker, left < CLOCK_LOOK ? left : CLOCK_LOOK);
    }
}

// --- The timeout policy: which silence is a hang, and how a worker is ended.

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
    if (times->killed < 0) {
        *left = times->terminated + policy->term - times->now;
        if (*left > 0)
            return ENG_KILL_WAIT;
        *left = 0;
        return ENG_KILL_KILL;
    }
    *left = times->killed + policy->kill - times->now;
    if (*left > 0)
        return ENG_KILL_WAIT;
    *left = 0;
    return ENG_KILL_ABANDON;
}

double eng_received(const struct eng_policy *policy, double now, double event)
{
    const double least = now - policy->idle + 1;
    return event > least ? event : least;
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

// --- The signals that ask a run to stop.

// Read by all threads.
static atomic_int came;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may write it");

static void note(int number)
{
    atomic_store(&came, number);
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

void eng_interrupt_listen(void)
{
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        // SA_RESETHAND: a second signal of the same kind ends the program wherever it is. Without
        // SA_RESTART the first one wakes a waiting poll.
        struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

int eng_interrupt(void)
{
    return atomic_load(&came);
}

_Noreturn void eng_interrupt_reraise(int number)
{
    sigset_t mask;
    signal(number, SIG_DFL);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    exit(128 + number);
}
