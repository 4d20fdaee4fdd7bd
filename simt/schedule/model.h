// SPDX-License-Identifier: Apache-2.0
// What the execution models are made of. docs/models/ says what each means and which rule it
// keeps or breaks.
#pragma once

#include "settings.h"

#include <stdbool.h>

enum model_memory { MEMORY_SEQUENTIAL, MEMORY_VULKAN, MEMORY_RELAXED, MEMORY_TORN };

struct model_rules {
    bool together; // the lanes of a tangle execute every instruction together; if not, each lane
                   // runs by itself, and waits for its tangle at tangled instructions
    bool snoop;    // cross-lane reads return the source lane's current register
    bool cross_lane_waits; // cross-lane reads wait for their tangle
    bool stays_diverged;   // lanes stay diverged where no rule reconverges them
    bool joins_falling;    // a switch may bring fall-through lanes and jumping lanes together
    bool lags;             // after divergence one lane stays behind until the next barrier
    bool peels;            // code on the way out of a loop runs behind the loop
    bool short_turns;      // of lanes that keep together, before others have theirs
    bool loses_exits;      // FAULT_EXITS; of no model
    bool unfair;           // workgroups start in any order, and only when another one has ended
    enum model_memory memory;
};

extern const struct model_rules model_rules[MODEL_COUNT];
