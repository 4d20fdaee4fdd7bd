// SPDX-License-Identifier: Apache-2.0
// The mutation score: of the controls, tests whose failing outcome is legal or certain, how many
// showed it. A control that was not seen is a mutant that survived: what the other tests of its
// family did not show on that device, they may only have been too gentle to show. Pure functions of
// a model.
#pragma once

#include "report/format.h"

#include <jansson.h>

// The controls of one family.
struct report_mutation_family {
    const char *name; // belongs to the model
    uint64_t run, seen;
};

struct report_mutation {
    uint64_t run, seen; // configurations
    double score;       // seen of run; 0 if none was run
    size_t *unseen;     // indexes of results, in their order
    size_t unseen_count;
    struct report_mutation_family *families; // that have controls, by name
    size_t family_count;
};

// Fills *mutation, which is to be cleared.
void report_mutation_score(const struct report_model *model, size_t device,
                           struct report_mutation *mutation);
void report_mutation_clear(struct report_mutation *mutation);

// None of a family's controls was seen: the harness was too gentle on this device for the family's
// other tests to mean much where they never failed.
bool report_mutation_gentle(const struct report_mutation_family *family);

// Appends sentences: how many were seen, the score, and for which families the harness was too
// gentle. Not escaped; nothing where no control was run.
void report_mutation_sentences(const struct report_mutation *mutation, struct text *out);

// The paragraph of a device in Markdown; nothing where no control was run.
void report_mutation_markdown(const struct report_model *model, size_t device, struct text *out);
// An array with an object for each device on which controls were run.
json_t *report_mutation_json(const struct report_model *model);

// The lines of the terminal's report; nothing where no control was run. At most `most` controls
// that were not seen are named.
void report_mutation_terminal(const struct report_model *model, size_t device, size_t most,
                              struct text *out);
