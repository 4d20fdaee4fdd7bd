// SPDX-License-Identifier: Apache-2.0
// The option --simt, which several subcommands have.
#pragma once

#include "cli/options.h"
#include "engine/simt.h"

#define CLI_SIMT_ARGUMENT "MODEL[,SETTING=VALUE...]"
#define CLI_SIMT_MODELS   "lockstep, tangled, snooping,\nlagging, peeling, relaxed, unfair, faulty"

// What --simt said, NULL if it was not given. False with an error if it was given more than once.
bool cli_simt_take(const struct cli_list *list, const char **given, struct lit_error *error);
// The same, and makes the reference driver the only one that is seen.
bool cli_simt_use(const struct cli_list *list, struct lit_error *error);
