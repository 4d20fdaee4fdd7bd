// SPDX-License-Identifier: Apache-2.0
// Which set of stress parameters each configuration of a run gets. Pure.
#pragma once

#include "catalogue/catalogue.h"
#include "model/inventory.h"
#include "model/stress.h"

enum eng_stress_mode {
    ENG_STRESS_NONE,
    ENG_STRESS_GIVEN,  // all the same, as far as device and test allow it
    ENG_STRESS_RANDOM, // each its own, drawn from the session's seed and its name
    ENG_STRESS_TUNED,  // what `litmus tune` found best for it on this device, else for another
                       // configuration of its test, else none
};

// What `litmus tune` found best. The strings belong to whoever made the list.
struct eng_tuned {
    char *device; // dev_facts_id
    char *name;   // of the configuration
    char *stress;
};

// What a run was asked for.
struct eng_stressing {
    enum eng_stress_mode mode;
    struct dev_stress given;
    struct eng_tuned *tuned; // those to be preferred first
    size_t tuned_count;
};

// Writes the set of a configuration, fitted to the device and to the test. `stressing` NULL: none.
void eng_stress_choose(const struct eng_stressing *stressing, uint64_t seed,
                       const struct cat_case *which, const char *name,
                       const struct eng_device *device, char text[ENG_STRESS_TEXT]);
