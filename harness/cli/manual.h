// SPDX-License-Identifier: Apache-2.0
// Pages of the manual: written by hand in docs/man/, but for what the tables of options know.
#pragma once

#include "cli/cli.h"

// Appends `page` (scdoc) with each line that is one of these words replaced by scdoc text:
//   @SYNOPSIS@  how the subcommand is called
//   @ABOUT@     what its help says first
//   @OPTIONS@   its options, each with its help
//   @MORE@      what its help says last
//   @COMMANDS@  all subcommands, each with its line of `litmus help`
// `name` is the subcommand; "" for a page that has only @COMMANDS@. False with an error if there is
// no such subcommand.
bool cli_manual_page(const struct cli_command *commands, size_t count, const char *name,
                     const char *page, struct text *out, struct lit_error *error);
