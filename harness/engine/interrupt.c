// SPDX-License-Identifier: Apache-2.0
// The signals that ask a run to stop.

#include "engine/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

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
