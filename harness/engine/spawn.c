// SPDX-License-Identifier: Apache-2.0
// Starts and ends worker processes.

#include "engine/watch.h"

#include "base/clock.h"
#include "base/text.h"
#include "engine/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// What a worker's environment says whatever the user's says. A NULL value removes the variable.
static const struct variable {
    const char *name, *value;
} fixed[] = {
    // One driver alone, without layers between it and the test. `~implicit~` needs loader 1.3.234;
    // NODEVICE_SELECT turns Mesa's layer off under older ones.
    {"VK_ADD_DRIVER_FILES", NULL},
    {"VK_LOADER_DRIVERS_SELECT", NULL},
    {"VK_LOADER_DRIVERS_DISABLE", NULL},
    {"VK_INSTANCE_LAYERS", NULL},
    {"VK_LOADER_LAYERS_ENABLE", NULL},
    {"VK_LOADER_LAYERS_DISABLE", "~implicit~"},
    {"NODEVICE_SELECT", "1"},
    // A cached shader is not what the driver's compiler makes today: Mesa (both names, for old and
    // new
    // versions), Intel's and AMD's drivers in Mesa, NVIDIA, AMDVLK.
    {"MESA_SHADER_CACHE_DISABLE", "true"},
    {"MESA_GLSL_CACHE_DISABLE", "true"},
    {"ANV_ENABLE_PIPELINE_CACHE", "false"},
    {"__GL_SHADER_DISK_CACHE", "0"},
    {"AMDVLK_ENABLE_PIPELINE_CACHE", "0"},
};

#define FIXED (sizeof fixed / sizeof fixed[0])

static bool is_variable(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

static bool is_replaced(const char *entry)
{
    for (size_t i = 0; i < FIXED; i++)
        if (is_variable(entry, fixed[i].name))
            return true;
    return is_variable(entry, "VK_DRIVER_FILES") || is_variable(entry, "VK_ICD_FILENAMES") ||
           is_variable(entry, "RADV_DEBUG");
}

static void add_variable(char **variables, size_t *count, const char *name, const char *value)
{
    struct text entry = {0};
    text_printf(&entry, "%s=%s", name, value);
    variables[(*count)++] = entry.data;
}

// The first *kept entries belong to `environ`, those behind them to the caller.
static char **make_environment(const char *manifest, size_t *kept)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **variables = lit_alloc(count + FIXED + 4, sizeof *variables);
    *kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(environ[i]))
            variables[(*kept)++] = environ[i];
    count = *kept;
    for (size_t i = 0; i < FIXED; i++)
        if (fixed[i].value)
            add_variable(variables, &count, fixed[i].name, fixed[i].value);
    add_variable(variables, &count, "VK_DRIVER_FILES", manifest);
    add_variable(variables, &count, "VK_ICD_FILENAMES", manifest);
    // RADV's cache in memory has no variable of its own, and the user's flags are kept.
    const char *flags = getenv("RADV_DEBUG");
    struct text radv = {0};
    text_printf(&radv, "%s%snocache", flags ? flags : "", flags && flags[0] ? "," : "");
    add_variable(variables, &count, "RADV_DEBUG", radv.data);
    text_free(&radv);
    return variables;
}

static void free_environment(char **variables, size_t kept)
{
    for (size_t i = kept; variables[i]; i++)
        free(variables[i]);
    free(variables);
}

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
                                    char **variables)
{
    static char program[] = "litmus", command[] = "worker";
    char *arguments[] = {program, command, NULL};
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
    execve("/proc/self/exe", arguments, variables);
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
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < ENG_FILES)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no worker process can be started: %ju files may be open at once, and "
                        "a driver needs %d (ulimit -n)",
                        (uintmax_t)files.rlim_cur, ENG_FILES);
    if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur < (rlim_t)ENG_MEMORY_MIB << 20)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no worker process can be started: it may have %ju MiB of memory, and "
                        "a driver needs %d (ulimit -v)",
                        (uintmax_t)memory.rlim_cur >> 20, ENG_MEMORY_MIB);
    return true;
}

bool eng_child_start(struct eng_child *child, const char *manifest, int niceness,
                     struct lit_error *error)
{
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1};
    *child = (struct eng_child){.socket = -1, .output = -1};
    if (!has_room(error))
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 ||
        pipe2(pipes, O_CLOEXEC) != 0 || fcntl(sockets[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(pipes[0], F_SETFL, O_NONBLOCK) != 0)
        goto error;

    size_t kept = 0;
    char **variables = make_environment(manifest, &kept);
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_worker(parent, sockets[1], pipes[1], niceness, variables);
    free_environment(variables, kept);
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

bool eng_child_ended(struct eng_child *child)
{
    if (!child->ended && child->pid > 0) {
        pid_t pid = waitpid(child->pid, &child->status, WNOHANG);
        child->ended = pid == child->pid || (pid < 0 && errno == ECHILD);
    }
    return child->ended || child->pid <= 0;
}

// Waits for the end, at most until `deadline`; what the worker still prints is thrown away, so that
// it cannot block on a full pipe.
static bool wait_for_end(struct eng_child *child, double deadline)
{
    char bytes[4096];
    while (!eng_child_ended(child)) {
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

bool eng_child_end(struct eng_child *child, const struct eng_policy *policy, bool at_once)
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

void eng_child_describe(const struct eng_child *child, char *text, size_t size)
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

const char *eng_child_failure(const struct eng_child *child)
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
