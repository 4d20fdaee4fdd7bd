// SPDX-License-Identifier: Apache-2.0
// Litmus tests as files, where a subcommand takes tests.
#pragma once

#include "cli/cli.h"

// Adds those of a list of patterns that are files, *.litmus and *.test, to the catalogue as tests
// litmus.NAME, which take their places in the list. One that a dispatch cannot express is left out
// with a line on stderr. False with an error: a file is wrong, or none is left
// (LIT_EXIT_UNDECIDED).
bool cli_litmus_take(struct cli_list *patterns, struct lit_error *error);
