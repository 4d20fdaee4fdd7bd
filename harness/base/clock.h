// SPDX-License-Identifier: Apache-2.0
// Clocks, in seconds. Where the environment has LITMUS_CLOCK, which is for tests, they stand still
// but for what is written into the file that it names: two unsigned numbers of 64 bits, in the
// order of this machine's bytes, nanoseconds that have passed and nanoseconds for which everything
// was stopped.
#pragma once

#include <pthread.h>
#include <time.h>

// Before the first look at a clock: ends the program if LITMUS_CLOCK names no file to be read.
void clock_open(void);

// The monotonic clock.
double clock_now(void);

// The same for time limits: it stands still while this thread does not look at it for more than a
// second, as when the process, its container or the machine is stopped. So whoever waits looks at
// it at least five times a second. Only values of one thread can be compared.
double clock_awake(void);
#define CLOCK_LOOK 0.2 // seconds: the longest wait between two looks

// Seconds since 1970.
time_t clock_date(void);

// Waits for a change with the lock held, until it is time for the next look by the machine's clock.
void clock_wait(pthread_cond_t *changed, pthread_mutex_t *lock);
