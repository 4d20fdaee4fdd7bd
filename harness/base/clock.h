// SPDX-License-Identifier: Apache-2.0
// Clocks, in seconds. If LITMUS_CLOCK is set (for tests), they are stopped and show the contents of
// the file that it names: two unsigned 64-bit numbers in native byte order, nanoseconds that have
// passed and nanoseconds for which the process was stopped.
#pragma once

#include <pthread.h>
#include <time.h>

// Call before reading any clock: ends the program if LITMUS_CLOCK names no readable file.
void clock_open(void);

// The monotonic clock.
double clock_now(void);

// The clock for time limits: it stops while this thread does not read it for more than a second, as
// when the process, its container or the machine is stopped. So while waiting, read it at least
// five times a second. Only values from one thread are comparable.
double clock_awake(void);
#define CLOCK_LOOK 0.2 // seconds: the longest wait between readings

// Seconds since 1970.
time_t clock_date(void);

// Waits for a change with the lock held, at most until the next reading is due by the machine's
// clock.
void clock_wait(pthread_cond_t *changed, pthread_mutex_t *lock);
