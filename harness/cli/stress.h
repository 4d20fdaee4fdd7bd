// SPDX-License-Identifier: Apache-2.0
// The option --stress.
#pragma once

#include "cli/options.h"
#include "engine/plan.h"
#include "store/store.h"

#define CLI_STRESS_ARGUMENT "none|random|tuned|SET"

// What --stress said: nothing is "none". False with an error if it makes no sense, or was given
// more than once. Clear it with cli_stress_clear.
bool cli_stress_take(const struct cli_list *list, struct eng_stressing *stressing,
                     struct lit_error *error);
// Reads what searches have found, if that is what was asked for.
bool cli_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error);
void cli_stress_clear(struct eng_stressing *stressing);
