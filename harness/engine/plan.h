// SPDX-License-Identifier: Apache-2.0
// The plan: which configurations run on a device, and in which order. A pure function of the
// catalogue, the selection, the device's facts and the seed.
#pragma once

#include "catalogue/catalogue.h"
#include "model/facts.h"
#include "engine/shard.h"

struct eng_plan {
    struct cat_case *cases;
    size_t count;
};

#define ENG_MAX_SIZES 8 // powers of two, 1 to 128

// The subgroup sizes that a device can run, its default first; `sizes` holds ENG_MAX_SIZES. Only
// the default unless it can control the size. Returns how many; 0 if the facts make no sense.
size_t eng_plan_sizes(const struct dev_facts *facts, uint32_t *sizes);

// All selected cases: those of the device's default subgroup size; those of its other sizes if the
// selection is thorough, or has a pattern that names them ("...subgroup=64"). In the catalogue's
// order (all sizes of a test together), or with `shuffle` in an order that depends on the seed
// alone.
void eng_plan_make(struct eng_plan *plan, const struct cat_selection *selection,
                   const struct dev_facts *facts, bool shuffle, uint64_t seed);
// Leaves only what belongs to the shard, in the same order.
void eng_plan_shard(struct eng_plan *plan, const struct eng_shard *shard);
void eng_plan_clear(struct eng_plan *plan);
