// SPDX-License-Identifier: Apache-2.0
// How devices that run at the same time share the machine. A software device computes on the same
// cores as its neighbours; one of hardware needs them only to be fed. Pure functions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eng_share {
    unsigned at_once; // software devices that run at the same time; the others wait for their turn
    // The time limits of a software device are multiplied by it: with n of them at once each may be
    // n times slower than alone.
    double patience;
    int niceness;   // of software devices' workers, so that hardware is fed beside them
    unsigned ahead; // configurations whose pipelines are made ahead on each device of hardware
};

// For the devices of one run on a machine of so many cores.
struct eng_share eng_share_make(unsigned cores, unsigned software, unsigned hardware);

// What a software device is about, as the others see it.
struct eng_place {
    enum { ENG_PLACE_NONE, ENG_PLACE_WAITS, ENG_PLACE_RUNS } state;
    bool alone;      // what it waits to run, or runs, is not to be run beside anything else
    uint64_t ticket; // of those that wait the smallest one came first
};

// Whether a device that waits may run: nothing that runs stands against it, and nobody who came
// before it waits for what would not go with it.
bool eng_share_may_run(const struct eng_place *places, size_t count, size_t which);
