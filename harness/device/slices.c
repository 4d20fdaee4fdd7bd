// SPDX-License-Identifier: Apache-2.0
// How a dispatch is cut. Pure.

#include "device/stress.h"

#include "base/random.h"

uint32_t dev_stress_slices(const struct dev_stress *set, uint32_t workgroups, uint32_t seed,
                           struct dev_slice slices[DEV_STRESS_SLICES])
{
    struct lit_random random = {.state = seed};
    uint32_t count = set->slices < 2 ? 1 : set->slices;
    count = count > DEV_STRESS_SLICES ? DEV_STRESS_SLICES : count;
    count = count > workgroups ? workgroups : count;
    for (uint32_t i = 0, first = 0; i < count; i++) {
        const uint32_t next = (uint32_t)((uint64_t)workgroups * (i + 1) / count);
        slices[i] = (struct dev_slice){.first = first, .count = next - first};
        first = next;
    }
    for (uint32_t left = count; left > 1; left--) {
        const uint32_t other = (uint32_t)random_below(&random, left);
        const struct dev_slice last = slices[left - 1];
        slices[left - 1] = slices[other];
        slices[other] = last;
    }
    return count;
}
