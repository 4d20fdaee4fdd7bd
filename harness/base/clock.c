// SPDX-License-Identifier: Apache-2.0
// The monotonic clock, and one that stands still with the process.
#include "base/clock.h"

#include <time.h>

#define PAUSE 1.0 // seconds without a look that are more than a busy machine

double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double clock_awake(void)
{
    // Found without a call into the dynamic linker, which the program does not need else.
    static _Thread_local double seen __attribute__((tls_model("initial-exec")));
    static _Thread_local double paused __attribute__((tls_model("initial-exec")));
    const double now = clock_now();
    if (seen > 0 && now - seen > PAUSE)
        paused += now - seen;
    seen = now;
    return now - paused;
}
