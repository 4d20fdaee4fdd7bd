// SPDX-License-Identifier: Apache-2.0
// litmus run --baseline: a run and its gate in one step.
#pragma once

#include "cli/cli.h"
#include "compare/compare.h"
#include "model/inventory.h"
#include "catalogue/catalogue.h"

struct cli_baseline {
    bool given;
    struct compare_side side;
    struct compare_waivers waivers;
};

// Reads baseline and waivers, if there are any. False with an error if they cannot be used: nothing
// should be run then. Clear it after a failure too.
bool cli_baseline_load(struct cli_baseline *baseline, const struct cli_list *files,
                       const struct cli_list *waivers, struct lit_error *error);
// Before the first run: whether its devices are those of the baseline, and the same code. Says on
// stderr what cannot be compared; false with an error if nothing can.
bool cli_baseline_check(const struct cli_baseline *baseline, const struct cat_selection *selection,
                        const struct eng_inventory *inventory, const bool *chosen,
                        struct lit_error *error);
// After the tables: prints the comparison. Returns what the program exits with: `code` if there is
// no baseline, else both together (compare_combine); `reason` is then the gate's, unless the run's
// code stays. `whole`: every device could be measured.
enum lit_exit cli_baseline_conclude(struct cli_baseline *baseline, struct store *store,
                                    int64_t session, const struct compare_look *look,
                                    enum lit_exit code, bool whole, char *reason, size_t size);
void cli_baseline_clear(struct cli_baseline *baseline);
