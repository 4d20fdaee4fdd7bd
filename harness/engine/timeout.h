// SPDX-License-Identifier: Apache-2.0
// How long the supervisor waits for a worker, how it ends one, and when a device's queue stops.
// Pure functions of limits and times: they read no clock and send no signal.
#pragma once

#include "model/result.h"

// All in seconds.
struct eng_policy {
    double idle;  // without an event for so long a worker hangs
    double term;  // from SIGTERM to SIGKILL
    double kill;  // from SIGKILL to giving the process up
    double total; // for the whole run; 0: no limit
};

#define ENG_IDLE_SECONDS 60.0 // a driver may compile within the first dispatch
#define ENG_TERM_SECONDS 2.0
#define ENG_KILL_SECONDS 5.0

// Times in seconds of one monotonic clock.
struct eng_times {
    double now;
    double started;    // the run
    double event;      // the worker's last event, or the request if none came since
    double terminated; // when SIGTERM was sent; negative: not yet
    double killed;     // when SIGKILL was sent; negative: not yet
};

enum eng_watchdog {
    ENG_WATCHDOG_WAIT,
    ENG_WATCHDOG_HANG, // the worker made no progress for policy->idle
    ENG_WATCHDOG_TIME, // the run's time is used up
};

// Whether to go on waiting for the next event. *left becomes the seconds until the answer can
// change; 0 unless the answer is to wait. A hang is reported before the end of the run's time.
enum eng_watchdog eng_watchdog(const struct eng_policy *policy, const struct eng_times *times,
                               double *left);

enum eng_kill {
    ENG_KILL_WAIT,    // for *left seconds
    ENG_KILL_TERM,    // send SIGTERM
    ENG_KILL_KILL,    // send SIGKILL
    ENG_KILL_ABANDON, // SIGKILL has no effect: the process hangs in the kernel
};

// The next step of ending a worker that has not exited.
enum eng_kill eng_kill_next(const struct eng_policy *policy, const struct eng_times *times,
                            double *left);

// The time of its last event for a worker to whom nobody listened until now: with it the worker has
// a second at least before it hangs.
double eng_heard(const struct eng_policy *policy, double now, double event);

// The longest that a worker may let one batch take, so that it can say itself that a batch did not
// end before it is killed for silence.
uint32_t eng_batch_limit_ms(const struct eng_policy *policy);

#define ENG_LOSSES 3 // so many in a row stop a device's queue

// How many device losses in a row there are, with one more result. A device that could not be
// opened again counts as lost. A skip leaves the number as it is: nothing ran on the device.
unsigned eng_losses_after(unsigned losses, enum eng_result result);

#define ENG_HANGS 10 // so many in a row stop a device's queue: each costs the whole policy->idle

// How many hangs in a row there are, with one more result.
unsigned eng_hangs_after(unsigned hangs, enum eng_result result);
