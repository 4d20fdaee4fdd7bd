// SPDX-License-Identifier: Apache-2.0
// The table of execution models.
#include "schedule/model.h"

const struct model_rules model_rules[MODEL_COUNT] = {
    [MODEL_LOCKSTEP] = {.together = true, .cross_lane_waits = true},
    [MODEL_TANGLED] = {.cross_lane_waits = true,
                       .stays_diverged = true,
                       .joins_falling = true,
                       .memory = MEMORY_VULKAN},
    [MODEL_SNOOPING] = {.snoop = true,
                        .stays_diverged = true,
                        .joins_falling = true,
                        .memory = MEMORY_VULKAN},
    [MODEL_LAGGING] = {.together = true, .cross_lane_waits = true, .snoop = true, .lags = true},
    [MODEL_PEELING] = {.together = true, .cross_lane_waits = true, .peels = true},
    [MODEL_RELAXED] = {.together = true, .cross_lane_waits = true, .memory = MEMORY_RELAXED},
    [MODEL_UNFAIR] = {.together = true, .cross_lane_waits = true, .unfair = true},
    [MODEL_FAULTY] = {.together = true, .cross_lane_waits = true},
    [MODEL_MISCOMPILING] = {.together = true, .cross_lane_waits = true, .short_turns = true},
};
