// SPDX-License-Identifier: Apache-2.0
// Runs nvdisasm in a process of its own, whose time and output have limits.

#include "isa/sass.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define SECONDS         20    // for sass_from_bytes
#define OUTPUT_OF_INSN  512   // bytes of text: several times what nvdisasm writes
#define OUTPUT_AT_LEAST 65536 // and for what it says beside them

static int milliseconds_until(double deadline)
{
    const double left = deadline - clock_now();
    return left <= 0 ? 0 : left > 1000 ? 1000000 : (int)(left * 1000) + 1;
}

// A file with the bytes, which the caller removes; `path` is its name.
static bool write_bytes(const uint8_t *bytes, size_t size, struct text *path,
                        struct lit_error *error)
{
    const char *folder = secure_getenv("TMPDIR");
    text_printf(path, "%s/litmus-sass-XXXXXX", folder && folder[0] ? folder : "/tmp");
    const int file = mkostemp(path->data, O_CLOEXEC);
    if (file < 0)
        return lit_fail(error, LIT_EXIT_USAGE, "nvdisasm: no file for it in %s: %s", path->data,
                        strerror(errno));
    bool good = true;
    for (size_t done = 0; good && done < size;) {
        const ssize_t written = write(file, bytes + done, size - done);
        good = written > 0 || (written < 0 && errno == EINTR);
        done += written > 0 ? (size_t)written : 0;
    }
    if (!good)
        lit_fail(error, LIT_EXIT_USAGE, "nvdisasm: %s cannot be written: %s", path->data,
                 strerror(errno));
    close(file);
    if (!good)
        unlink(path->data);
    return good;
}

// Starts the program in a process group of its own; what it writes comes out of *output.
static bool start(const char *program, uint32_t architecture, char *path, pid_t *pid, int *output,
                  struct lit_error *error)
{
    char name[] = "nvdisasm", option[] = "-b", kind[16];
    snprintf(kind, sizeof kind, "SM%u", architecture);
    char *arguments[] = {name, option, kind, path, NULL};
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "nvdisasm: no pipe: %s", strerror(errno));

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    const int failed = posix_spawnp(pid, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    *output = pipes[0];
    if (!failed)
        return true;
    close(pipes[0]);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", program,
                    failed == ENOENT ? "not found" : strerror(failed));
}

// What the process writes until it closes its output. False: more than `limit`, or too late.
static bool read_output(int output, size_t limit, double deadline, struct text *text)
{
    char bytes[16384];
    while (text->length <= limit) {
        struct pollfd pipe = {.fd = output, .events = POLLIN};
        const int ready = poll(&pipe, 1, milliseconds_until(deadline));
        if (ready == 0)
            return false;
        const ssize_t got = ready > 0 ? read(output, bytes, sizeof bytes) : -1;
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        text_append(text, bytes, got > 0 ? (size_t)got : 0);
    }
    return false;
}

// Waits for the process, at most until `deadline`, then kills it and all that it started, while its
// number is still its own. False: it did not end by itself.
static bool end(pid_t pid, double deadline, int *status)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0 &&
           clock_now() < deadline)
        poll(NULL, 0, 5);
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
    return info.si_pid == pid;
}

// The first line with something in it; for messages.
static int first_line(const struct text *text, const char **line)
{
    *line = text->data ? text->data + strspn(text->data, " \t\r\n") : "";
    const size_t length = strcspn(*line, "\r\n");
    return length > 200 ? 200 : (int)length;
}

static bool run(const char *program, uint32_t architecture, char *path, double seconds,
                size_t limit, struct text *text, struct lit_error *error)
{
    const double deadline = clock_now() + seconds;
    const char *line;
    pid_t pid;
    int output, status = 0;
    if (!start(program, architecture, path, &pid, &output, error))
        return false;
    const bool whole = read_output(output, limit, deadline, text);
    const bool much = text->length > limit;
    const bool in_time = end(pid, whole ? deadline : 0, &status);
    close(output);
    if (much)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: more than %zu bytes of text", program, limit);
    if (!whole || !in_time)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not done after %g s", program, seconds);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    const int length = first_line(text, &line);
    if (WIFSIGNALED(status))
        return lit_fail(error, LIT_EXIT_USAGE, "%s: ended by signal %d", program, WTERMSIG(status));
    return lit_fail(error, LIT_EXIT_USAGE, "%s: exit status %d%s%.*s", program, WEXITSTATUS(status),
                    length ? ": " : "", length, line);
}

bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error)
{
    const char *named = getenv("LITMUS_NVDISASM");
    const char *program = named && named[0] ? named : "nvdisasm";
    const size_t count = size / SASS_BYTES, limit = OUTPUT_AT_LEAST + OUTPUT_OF_INSN * count;
    struct text path = {0}, text = {0};
    *code = (struct sass_code){0};
    bool good = write_bytes(bytes, size, &path, error);
    if (good) {
        good = run(program, architecture, path.data, seconds, limit, &text, error) &&
               sass_parse(text.data ? text.data : "", text.length, architecture, code, error);
        unlink(path.data);
    }
    if (good && code->count != count) {
        good = lit_fail(error, LIT_EXIT_USAGE, "%s wrote %zu of %zu instructions", program,
                        code->count, count);
        sass_code_clear(code);
    }
    text_free(&path);
    text_free(&text);
    return good;
}

bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, char source[256], struct lit_error *error)
{
    struct lit_error why = {0};
    char ignored[256];
    source = source ? source : ignored;
    if (sass_nvdisasm(bytes, size, architecture, SECONDS, code, &why)) {
        snprintf(source, 256, "nvdisasm");
        return true;
    }
    snprintf(source, 256, "decoder: %.240s", why.message);
    return sass_decode(bytes, size, architecture, code, error);
}
