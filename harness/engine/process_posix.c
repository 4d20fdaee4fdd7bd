// SPDX-License-Identifier: Apache-2.0
// Processes under POSIX: each worker has a process group, a socket pair and a pipe.
#include "engine/process.h"

#include "engine/protocol.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

void eng_process_begin(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    // The next open file would get the number of a closed one, and output would go into it.
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0)
            open("/dev/null", file == 0 ? O_WRONLY : O_RDONLY);
    // Make a file size limit an error of the store, which reports it.
    signal(SIGXFSZ, SIG_IGN);
}

// --- A worker, from outside

struct eng_child {
    pid_t pid;
    int socket; // the supervisor's end, non-blocking; -1 if closed
    int output; // stdout and stderr of the worker, non-blocking; -1 if closed
    int status; // of waitpid, once `ended`
    bool ended;
    int broken;  // errno of what failed here, which ended the connection; 0: nothing
    int starved; // how often in a row there was no memory to send
};

#define STARVED_MOST 200 // attempts to send; every second one waits for 0.01 s

// The least open files and address space for a worker and its driver.
#define LEAST_FILES      64
#define LEAST_MEMORY_MIB 512

// In the child: may call only what is safe between fork and exec.
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
                                    const char *manifest, char **environment)
{
    static char program[] = "litmus", command[] = "worker";
    char *arguments[] = {program, command, (char *)manifest, NULL};
    // Move it above the numbers that are about to be replaced.
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
    // Some drivers keep the device's memory in a file; the limit is for the store only.
    if (getrlimit(RLIMIT_FSIZE, &size) == 0) {
        size.rlim_cur = size.rlim_max;
        setrlimit(RLIMIT_FSIZE, &size);
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/proc/self/exe", arguments, environment);
    fail_start(2, "/proc/self/exe");
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

// We do not know what a driver needs; with too little, it fails as if by its own fault.
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

// The environment with `preload`, which is "LD_PRELOAD=...", for workers alone. free() it; the
// strings stay where they are.
static char **preloading(char *preload)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **environment = lit_alloc(count + 2, sizeof *environment);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            environment[kept++] = environ[i];
    environment[kept] = preload;
    return environment;
}

struct eng_child *eng_child_start(const char *manifest, int niceness, struct lit_error *error)
{
    const char *preload = getenv(ENG_PRELOAD);
    OWNED(text_free) struct text variable = text_format("LD_PRELOAD=%s", preload ? preload : "");
    OWNED(lit_free) char **environment = preload ? preloading(variable.data) : NULL;
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1};
    if (!has_room(error))
        return NULL;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
        pipe2(pipes, O_CLOEXEC) != 0 || fcntl(sockets[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(pipes[0], F_SETFL, O_NONBLOCK) != 0)
        goto error;

    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_worker(parent, sockets[1], pipes[1], niceness, manifest,
                      environment ? environment : environ);
    if (pid < 0)
        goto error;
    // Both processes call it, so that it is done whichever runs first.
    setpgid(pid, pid);
    close(sockets[1]);
    close(pipes[1]);
    struct eng_child *child = lit_alloc(1, sizeof *child);
    *child = (struct eng_child){.pid = pid, .socket = sockets[0], .output = pipes[0]};
    return child;

error:
    lit_fail(error, LIT_EXIT_USAGE, "no worker process can be started: %s", strerror(errno));
    close_pair(sockets);
    close_pair(pipes);
    return NULL;
}

void eng_child_free(struct eng_child *child)
{
    kill(-child->pid, SIGKILL);
    eng_child_disconnect(child);
    if (child->output >= 0)
        close(child->output);
    free(child);
}

// Interprets the result of a non-blocking call. Tries again after lack of memory. EPIPE: the worker
// is gone; any other failure is this process's own.
static ptrdiff_t moved(struct eng_child *child, ssize_t length)
{
    if (length > 0)
        return length;
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (length < 0 && errno == ENOBUFS && child->starved++ < STARVED_MOST)
        return 0;
    if (length < 0 && errno != EPIPE) {
        child->broken = errno;
        eng_child_disconnect(child);
    }
    return ENG_CHILD_CLOSED;
}

// If a worker left data unread, only the first call reports it.
ptrdiff_t eng_child_send(struct eng_child *child, const char *bytes, size_t size)
{
    ssize_t length = send(child->socket, bytes, size, MSG_NOSIGNAL);
    if (length < 0 && errno == ECONNRESET)
        length = send(child->socket, bytes, size, MSG_NOSIGNAL);
    if (length > 0)
        child->starved = 0;
    return moved(child, length);
}

ptrdiff_t eng_child_receive(struct eng_child *child, char *bytes, size_t size)
{
    ssize_t length = recv(child->socket, bytes, size, 0);
    if (length < 0 && errno == ECONNRESET)
        length = recv(child->socket, bytes, size, 0);
    return moved(child, length);
}

ptrdiff_t eng_child_output(struct eng_child *child, char *bytes, size_t size)
{
    const ptrdiff_t length =
        child->output < 0 ? ENG_CHILD_CLOSED : moved(child, read(child->output, bytes, size));
    if (length == ENG_CHILD_CLOSED && child->output >= 0) {
        close(child->output);
        child->output = -1;
    }
    return length;
}

void eng_child_disconnect(struct eng_child *child)
{
    if (child->socket >= 0)
        close(child->socket);
    child->socket = -1;
}

bool eng_child_connected(const struct eng_child *child)
{
    return child->socket >= 0;
}

void eng_child_wait(struct eng_child *child, bool sends, double seconds)
{
    struct pollfd files[2] = {{.fd = child->socket, .events = POLLIN},
                              {.fd = child->output, .events = POLLIN}};
    // The socket may be writable while memory lacks, so do not spin.
    if (sends && child->starved && seconds > 0.01)
        seconds = 0.01;
    else if (sends)
        files[0].events |= POLLOUT;
    poll(files, 2, (int)(seconds * 1000) + 1);
}

void eng_child_signal(struct eng_child *child, bool kills)
{
    kill(-child->pid, kills ? SIGKILL : SIGTERM);
}

bool eng_child_ended(struct eng_child *child)
{
    if (!child->ended) {
        pid_t pid = waitpid(child->pid, &child->status, WNOHANG);
        child->ended = pid == child->pid || (pid < 0 && errno == ECHILD);
    }
    return child->ended;
}

void eng_child_describe(const struct eng_child *child, char *text, size_t size)
{
    if (child->broken) {
        snprintf(text, size, "%s", strerror(child->broken));
    } else if (!child->ended) {
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

// Treats SIGKILL as a failure: the kernel sends it when memory runs out, whoever used it.
const char *eng_child_failure(const struct eng_child *child)
{
    if (child->broken)
        return "the connection to the worker failed";
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

char *eng_child_core(const struct eng_child *child)
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

// --- The connection, from inside

void eng_parent_bind(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// The supervisor is gone if it closed the connection. Other failures are the harness's.
static size_t parent_moved(ssize_t count)
{
    if (count < 0 && errno != EPIPE && errno != ECONNRESET)
        _exit(ENG_EXIT_REQUEST);
    return count > 0 ? (size_t)count : 0;
}

size_t eng_parent_read(char *bytes, size_t size)
{
    ssize_t count;
    do
        count = read(ENG_WORKER_FD, bytes, size);
    while (count < 0 && errno == EINTR);
    return parent_moved(count);
}

size_t eng_parent_send(const char *bytes, size_t size)
{
    ssize_t count;
    do
        count = send(ENG_WORKER_FD, bytes, size, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return parent_moved(count);
}

// --- The signals that ask a run to stop

// All threads read it.
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

// --- Prints a backtrace when the process ends. Calls only what needs no memory and takes no lock
// of this program. The thread that crashed may hold the dynamic linker's lock, so a time limit
// covers everything.

#define FRAMES  48
#define SECONDS 1
#define STACK   65536
#define PROBE   ((size_t)64 << 20) // bytes of address space

static volatile sig_atomic_t ending; // the signal
static atomic_flag taken = ATOMIC_FLAG_INIT;

static void end_at_once(int number)
{
    (void)number;
    signal(ending, SIG_DFL);
    kill(getpid(), ending);
}

// Few drivers survive a failed allocation, so a crash without memory is not the driver's fault.
static bool has_memory(void)
{
    void *probe = mmap(NULL, PROBE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return probe != MAP_FAILED && munmap(probe, PROBE) == 0;
}

static void say(const char *line)
{
    const ssize_t ignored = write(STDERR_FILENO, line, strlen(line));
    (void)ignored;
}

static void on_end(int number, siginfo_t *info, void *context)
{
    void *frames[FRAMES];
    (void)context;
    // Another thread prints the backtrace and ends the process.
    while (atomic_flag_test_and_set(&taken))
        pause();
    ending = number;
    signal(SIGALRM, end_at_once);
    alarm(SECONDS);
    const bool spent = number != SIGTERM && !has_memory();
    if (spent)
        say("litmus: out of memory\n");
    say(ENG_BACKTRACE);
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
    alarm(0);
    if (spent)
        _exit(ENG_EXIT_MEMORY);
    // Raise again: the instruction faults again by itself; a signal that was sent is sent again.
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

void eng_backtrace_listen(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
    static char stack[STACK];
    void *frame;
    backtrace(&frame, 1); // loads what it needs
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = on_end, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}
