// SPDX-License-Identifier: Apache-2.0
// Prepares a configuration for a device: computes the shapes, constants and data of a run from the
// configuration, the device's facts and a seed. Pure.
#pragma once

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "model/facts.h"
#include "model/kernel.h"

struct eng_prepare {
    const struct cat_case *which; // subgroup 0: the device's default; NULL: of this name
    const char *name;
    const struct dev_facts *facts;
    uint32_t scale;      // workgroups, if the test leaves it open; 0: to suit the device
    uint64_t most_words; // per buffer; input and expectation also take host memory
};

struct eng_prepared {
    struct cat_case which;
    struct cat_args args; // args.which points to `which`: do not move this struct
    const struct cat_oracle *oracle;
    struct cat_mode mode;
    const struct cat_module *module;
    struct cat_shape shape;
    uint32_t spec_ids[CAT_MAX_SWEEPS + CAT_MOST_SPEC], spec_values[CAT_MAX_SWEEPS + CAT_MOST_SPEC];
    struct dev_compile_info code; // its interface is never NULL
    // of a kernel from outside; NULL for tests
    const struct cat_interface *interface;
    // Valid after eng_prepare_data:
    bool deterministic; // all runs of a pipeline must store the same words
    uint64_t stream;    // the configuration's own seed
    uint32_t *input, *expected;
    uint32_t *fresh; // output and state before a run, consecutive; NULL: poison and zero
};

// False with an error: code LIT_EXIT_NOTHING if the device lacks something, which it names; another
// code if the oracle refuses the configuration, or if there is none of this name, which leaves
// which.test NULL. Zeroes *prepared first. Clear it in any case.
bool eng_prepare(const struct eng_prepare *prepare, struct eng_prepared *prepared,
                 struct lit_error *error);
// Makes the input and the expectation. `seed` is the session's.
void eng_prepare_data(struct eng_prepared *prepared, uint64_t seed);
void eng_prepared_clear(struct eng_prepared *prepared);
