// SPDX-License-Identifier: Apache-2.0
// The rules that make up execution models. docs/models/ says what each means, and which rule of the
// specification it keeps or breaks.
#pragma once

#include "settings.h"

#include <stdbool.h>

enum model_memory { MEMORY_SEQUENTIAL, MEMORY_VULKAN, MEMORY_RELAXED, MEMORY_TORN };

struct model_rules {
    bool together; // a tangle's lanes execute together; if not, they wait at tangled instructions
    bool snoop;    // cross-lane reads return the source lane's current register
    bool cross_lane_waits; // cross-lane reads wait for their tangle
    bool stays_diverged;   // lanes stay diverged unless a rule reconverges them
    bool joins_falling;    // a switch may merge fall-through lanes with jumping lanes
    bool lags;             // after divergence one lane stays behind until the next barrier
    bool peels;            // code that leaves a loop runs after the loop
    bool short_turns;      // of lanes that keep together
    bool loses_exits;      // FAULT_EXITS; not part of any model
    bool unfair;           // workgroups start in any order, one at a time
    enum model_memory memory;
};

extern const struct model_rules model_rules[MODEL_COUNT];
