// SPDX-License-Identifier: Apache-2.0
// Prints a backtrace when the process ends. Calls only what needs no memory and takes no lock of
// this program. The thread that crashed may hold the dynamic linker's lock, so a time limit covers
// everything.
#include "engine/process.h"
#include "engine/protocol.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
