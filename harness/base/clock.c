// SPDX-License-Identifier: Apache-2.0
// The monotonic clock, one that stops with the process, and the date; or values set by a test.
#include "base/clock.h"

#include "base/text.h"

#include <fcntl.h>
#include <unistd.h>

#define PAUSE 1.0 // seconds between calls that no busy machine explains

static int set = -1; // file of the clock that a test sets

// Seconds. *stopped: the clock in which a gap between calls means that the process was stopped.
static double read_clock(double *stopped)
{
    uint64_t passed[2];
    struct timespec now;
    if (set >= 0) {
        if (pread(set, passed, sizeof passed, 0) != sizeof passed)
            lit_give_up("LITMUS_CLOCK: not a file of two numbers of 64 bits");
        *stopped = 1 + (double)passed[1] / 1e9;
        return *stopped + (double)passed[0] / 1e9;
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    return *stopped = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void clock_open(void)
{
    double stopped;
    const char *path = secure_getenv("LITMUS_CLOCK");
    set = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (path && set < 0)
        lit_give_up("LITMUS_CLOCK: no such file");
    read_clock(&stopped);
}

double clock_now(void)
{
    double stopped;
    return read_clock(&stopped);
}

double clock_awake(void)
{
    // Avoids a call into the dynamic linker.
    static _Thread_local double seen __attribute__((tls_model("initial-exec")));
    static _Thread_local double paused __attribute__((tls_model("initial-exec")));
    double stopped;
    const double now = read_clock(&stopped);
    if (seen > 0 && stopped - seen > PAUSE)
        paused += stopped - seen;
    seen = stopped;
    return now - paused;
}

time_t clock_date(void)
{
    return set >= 0 ? (time_t)clock_now() : time(NULL);
}

void clock_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(CLOCK_LOOK * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_clockwait(changed, lock, CLOCK_MONOTONIC, &until);
}
