// SPDX-License-Identifier: Apache-2.0
// How a command line can go on: what the shells' completions ask. A pure function of the tables of
// subcommands and options and of the catalogue; no device, no file.
#pragma once

#include "cli/cli.h"

// Appends the candidates for `current`, the beginning of the word that is being typed, one a line:
// the whole word, then, if something is to be said of it, a tab and a short description. `before`
// are the words before it, without the program's name. A last line ":files" or ":folders" stands
// for the names of files, which the shell knows itself. Nothing is appended where nothing can
// follow.
void cli_complete(const struct cli_command *commands, size_t count, const char *const *before,
                  size_t before_count, const char *current, struct text *out);
