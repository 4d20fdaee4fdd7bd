// SPDX-License-Identifier: Apache-2.0
// Starts, watches and ends one worker: reads its events and its output, notices its silence and its
// death.
#include "engine/watch.h"

#include "base/clock.h"
#include "engine/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TAIL (2 * ENG_EVIDENCE_SIZE) // bytes of a worker's output that are kept

// --- The process: started as `litmus worker MANIFEST` in a process group of its own.

struct child {
    pid_t pid;  // 0: none
    int socket; // the supervisor's end, non-blocking; -1 if closed
    int output; // stdout and stderr of the worker, non-blocking; -1 if closed
    int status; // of waitpid, once `ended`
    bool ended;
};

// What a worker and its driver may have at least: files open at once, and address space.
#define LEAST_FILES      64
#define LEAST_MEMORY_MIB 512

// In the child: only calls that are safe between fork and exec.
static _Noreturn void fail_start(int output, const char *what)
{
    static const char before[] = "no worker process can be started: ", between[] = ": ";
    const char *why = strerrordesc_np(errno);
    const struct iovec words[] = {{(char *)before, sizeof before - 1},
                                  {(char *)what, strlen(what)},
                                  {(char *)between, sizeof between - 1},
                                  {(char *)why, why ? strlen(why) : 0},
                                  {(char *)"\n", 1}};
    const ssize_t ignored = writev(output, words, sizeof words / sizeof *words);
    (void)ignored;
    _exit(ENG_EXIT_START);
}

static _Noreturn void become_worker(pid_t parent, int socket, int output, int niceness,
                                    const char *manifest)
{
    static char program[] = "litmus", command[] = "worker";
    char *arguments[] = {program, command, (char *)manifest, NULL};
    // Lifted above the numbers that they are about to replace.
    int lifted = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct rlimit size;
    sigset_t none;

    setpgid(0, 0);
    if (niceness > 0)
        (void)!nice(niceness);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(ENG_EXIT_START);
    if (lifted < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 ||
        dup2(output, 2) < 0 || dup2(lifted, ENG_WORKER_FD) < 0)
        fail_start(output, "its files");
    close_range(ENG_WORKER_FD + 1, ~0u, 0);
    // Some drivers keep the device's memory in a file; the limit is meant for the store.
    if (getrlimit(RLIMIT_FSIZE, &size) == 0) {
        size.rlim_cur = size.rlim_max;
        setrlimit(RLIMIT_FSIZE, &size);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv("/proc/self/exe", arguments);
    fail_start(2, "/proc/self/exe");
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

// What a driver needs is not known; with too little it fails in ways that look like its own.
static bool has_room(struct lit_error *error)
{
    struct rlimit files, memory;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < LEAST_FILES)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no worker process can be started: %ju files may be open at once, and "
                        "a driver needs %d (ulimit -n)",
                        (uintmax_t)files.rlim_cur, LEAST_FILES);
    if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur < (rlim_t)LEAST_MEMORY_MIB << 20)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no worker process can be started: it may have %ju MiB of memory, and "
                        "a driver needs %d (ulimit -v)",
                        (uintmax_t)memory.rlim_cur >> 20, LEAST_MEMORY_MIB);
    return true;
}

// It dies with the supervisor. False with an error if there can be none, or it may have too little.
static bool child_start(struct child *child, const char *manifest, int niceness,
                        struct lit_error *error)
{
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1};
    *child = (struct child){.socket = -1, .output = -1};
    if (!has_room(error))
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
        pipe2(pipes, O_CLOEXEC) != 0 || fcntl(sockets[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(pipes[0], F_SETFL, O_NONBLOCK) != 0)
        goto error;

    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_worker(parent, sockets[1], pipes[1], niceness, manifest);
    if (pid < 0)
        goto error;
    // In both processes, so that it has happened whichever runs first.
    setpgid(pid, pid);
    close(sockets[1]);
    close(pipes[1]);
    child->pid = pid;
    child->socket = sockets[0];
    child->output = pipes[0];
    return true;

error:
    lit_fail(error, LIT_EXIT_USAGE, "no worker process can be started: %s", strerror(errno));
    close_pair(sockets);
    close_pair(pipes);
    return false;
}

static bool child_ended(struct child *child)
{
    if (!child->ended && child->pid > 0) {
        pid_t pid = waitpid(child->pid, &child->status, WNOHANG);
        child->ended = pid == child->pid || (pid < 0 && errno == ECHILD);
    }
    return child->ended || child->pid <= 0;
}

// Waits for the end, at most until `deadline`; what the worker still prints is thrown away, so that
// it cannot block on a full pipe.
static bool wait_for_end(struct child *child, double deadline)
{
    char bytes[4096];
    while (!child_ended(child)) {
        double left = deadline - clock_awake();
        if (left <= 0)
            return false;
        struct pollfd pipe = {.fd = child->output, .events = POLLIN};
        // Once its pipe is closed it ends within a moment, of which nothing tells.
        poll(&pipe, 1, left < 0.02 || child->output < 0 ? 1 : 20);
        if (child->output >= 0 && read(child->output, bytes, sizeof bytes) == 0) {
            close(child->output);
            child->output = -1;
        }
    }
    return true;
}

static bool kill_by_escalation(struct child *child, const struct eng_policy *policy)
{
    struct eng_times times = {.terminated = -1, .killed = -1};
    while (!child_ended(child)) {
        double left = 0;
        times.now = clock_awake();
        switch (eng_kill_next(policy, &times, &left)) {
        case ENG_KILL_WAIT:
            wait_for_end(child, times.now + left);
            break;
        case ENG_KILL_TERM:
            kill(-child->pid, SIGTERM);
            times.terminated = times.now;
            break;
        case ENG_KILL_KILL:
            kill(-child->pid, SIGKILL);
            times.killed = times.now;
            break;
        case ENG_KILL_ABANDON:
            return false;
        }
    }
    return true;
}

// By itself if it does so within policy->term, then by SIGTERM, with which `at_once` starts, then
// by SIGKILL. False if it outlived even that: it is left behind.
static bool child_end(struct child *child, const struct eng_policy *policy, bool at_once)
{
    if (child->socket >= 0)
        close(child->socket);
    child->socket = -1;
    bool ended = child->pid <= 0 ||
                 (!at_once && wait_for_end(child, clock_awake() + policy->term)) ||
                 kill_by_escalation(child, policy);
    // What the worker itself may have started.
    if (child->pid > 0)
        kill(-child->pid, SIGKILL);
    if (child->output >= 0)
        close(child->output);
    child->output = -1;
    return ended;
}

// "signal 11 (SIGSEGV)" or "exit status 3".
static void child_describe(const struct child *child, char *text, size_t size)
{
    if (!child->ended) {
        snprintf(text, size, "still running");
    } else if (WIFSIGNALED(child->status)) {
        int number = WTERMSIG(child->status);
        const char *name = sigabbrev_np(number);
        snprintf(text, size, "signal %d%s%s%s", number, name ? " (SIG" : "", name ? name : "",
                 name ? ")" : "");
    } else {
        snprintf(text, size, "exit status %d", WEXITSTATUS(child->status));
    }
}

// Why it ended, if that is no doing of the driver: it exited with a code of enum eng_exit, or by
// a signal that only others send. NULL else. The kernel's SIGKILL when memory runs out is among
// them: whose memory it was is not known.
static const char *child_failure(const struct child *child)
{
    if (!child->ended)
        return NULL;
    if (WIFSIGNALED(child->status))
        switch (WTERMSIG(child->status)) {
        case SIGKILL: // also the kernel's, when no memory is left
        case SIGTERM:
        case SIGINT:
        case SIGHUP:
        case SIGXCPU:
            return "the worker was ended from outside";
        default:
            return NULL;
        }
    switch (WEXITSTATUS(child->status)) {
    case ENG_EXIT_MEMORY:
    case ENG_EXIT_REQUEST:
        return "the worker failed, not the driver";
    case ENG_EXIT_START:
        return "the worker could not be started";
    default:
        return NULL;
    }
}

// --- The worker

struct eng_worker {
    const struct eng_watch *watch;
    struct child child;
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
    if (!child_start(&worker->child, manifest, watch->niceness, error)) {
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
    bool ended = child_end(&(*worker)->child, &(*worker)->watch->policy, at_once);
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

static char *describe_core(const struct child *child)
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
    while (!child_ended(&worker->child) && clock_awake() < deadline)
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
    child_describe(&worker->child, how, sizeof how);
    last_line(worker, line, sizeof line);
    const char *failure = child_failure(&worker->child);
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
        if (worker->child.socket < 0 || child_ended(&worker->child)) {
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
    const bool killed = times->killed >= 0;
    const double until = killed ? times->killed + policy->kill : times->terminated + policy->term;
    if (until - times->now <= 0)
        return killed ? ENG_KILL_ABANDON : ENG_KILL_KILL;
    *left = until - times->now;
    return ENG_KILL_WAIT;
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
