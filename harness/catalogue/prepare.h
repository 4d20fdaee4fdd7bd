// SPDX-License-Identifier: Apache-2.0
// A configuration made ready for a device: what a run needs of shapes, constants and data, from the
// configuration, the device's facts and a seed alone. Pure.
#pragma once

#include "catalogue/catalogue.h"
#include "model/check.h"
#include "model/facts.h"

struct eng_prepare {
    const struct cat_case *which;    // subgroup 0: as the device runs without being asked
    const struct cat_module *module; // NULL: the catalogue's
    const struct dev_facts *facts;
    uint32_t scale; // workgroups, where the test leaves the choice; 0: as many as suit the device
    uint64_t most_words; // for a buffer: input and expectation lie in the host's memory, too
};

struct eng_prepared {
    struct cat_case which;
    struct cat_args args; // args.which points to `which`: it must stay where it is
    const struct cat_oracle *oracle;
    struct cat_mode mode;
    const struct cat_module *module;
    struct cat_shape shape;
    uint32_t spec_ids[CAT_MAX_SWEEPS + CAT_MOST_SPEC], spec_values[CAT_MAX_SWEEPS + CAT_MOST_SPEC];
    size_t spec_count;
    // Of a kernel from outside; NULL: that of tests.
    const struct cat_interface *interface;
    const struct cat_interface *bound; // that, or the one of tests; never NULL
    uint32_t required;                 // subgroup size that its pipeline asks for; 0: none
    // From eng_prepare_data on:
    bool deterministic; // all runs of a pipeline have to store the same words
    uint64_t stream;    // the configuration's own seed
    uint32_t *input, *expected;
    uint32_t *fresh; // output and state before a run, one behind the other; NULL: poison and zero
};

// False with an error of code LIT_EXIT_NOTHING that names what the device lacks, or of another code
// if the oracle refuses the configuration. *prepared is zeroed before. Clear it in any case.
bool eng_prepare(const struct eng_prepare *prepare, struct eng_prepared *prepared,
                 struct lit_error *error);
// Makes input and expectation. `seed` is that of the session.
void eng_prepare_data(struct eng_prepared *prepared, uint64_t seed);
void eng_prepared_clear(struct eng_prepared *prepared);

// The seed that a run gets in its push constants. Only the run's number counts, from 0: a run that
// is done again, or resumed, has its seed again.
uint32_t eng_run_seed(uint64_t stream, uint64_t run);
