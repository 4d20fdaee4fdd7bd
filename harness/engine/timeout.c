// SPDX-License-Identifier: Apache-2.0
// The timeout policy: which silence is a hang, and how a worker is ended.

#include "engine/timeout.h"

enum eng_watchdog eng_watchdog(const struct eng_policy *policy, const struct eng_times *times,
                               double *left)
{
    double idle = times->event + policy->idle - times->now;
    double total = times->started + policy->total - times->now;
    *left = 0;
    if (idle <= 0)
        return ENG_WATCHDOG_HANG;
    if (policy->total > 0 && total <= 0)
        return ENG_WATCHDOG_TIME;
    *left = policy->total > 0 && total < idle ? total : idle;
    return ENG_WATCHDOG_WAIT;
}

enum eng_kill eng_kill_next(const struct eng_policy *policy, const struct eng_times *times,
                            double *left)
{
    *left = 0;
    if (times->terminated < 0)
        return ENG_KILL_TERM;
    if (times->killed < 0) {
        *left = times->terminated + policy->term - times->now;
        if (*left > 0)
            return ENG_KILL_WAIT;
        *left = 0;
        return ENG_KILL_KILL;
    }
    *left = times->killed + policy->kill - times->now;
    if (*left > 0)
        return ENG_KILL_WAIT;
    *left = 0;
    return ENG_KILL_ABANDON;
}

double eng_heard(const struct eng_policy *policy, double now, double event)
{
    const double least = now - policy->idle + 1;
    return event > least ? event : least;
}

uint32_t eng_batch_limit_ms(const struct eng_policy *policy)
{
    double limit = policy->idle * 0.8 * 1000;
    if (limit < 1)
        return 1;
    return limit > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)limit;
}

unsigned eng_losses_after(unsigned losses, enum eng_result result)
{
    if (result == ENG_DEVICE_LOST)
        return losses + 1;
    return result == ENG_SKIP ? losses : 0;
}

unsigned eng_hangs_after(unsigned hangs, enum eng_result result)
{
    if (result == ENG_HANG)
        return hangs + 1;
    return result == ENG_SKIP ? hangs : 0;
}
