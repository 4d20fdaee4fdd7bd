// SPDX-License-Identifier: Apache-2.0
// Litmus tests as files, for subcommands that take tests.
#pragma once

#include "catalogue/catalogue.h"

// Adds the files in a list of patterns to the catalogue as tests and replaces them by the tests'
// names: programs of litmus fuzz (*.spvasm) and, unless `but_litmus`, *.litmus and *.test, as
// litmus.NAME. Skips one of these that a dispatch cannot express, with a line on stderr. False with
// an error: a file is wrong, or none is left (LIT_EXIT_UNDECIDED).
bool krn_files_take(struct lit_list *patterns, bool but_litmus, struct lit_error *error);
// Adds the test litmus.NAME from the text of the file NAME.litmus. False with an error: the text is
// wrong, or a dispatch cannot express it (LIT_EXIT_UNDECIDED).
bool krn_litmus_add(const char *path, const struct text *bytes, const struct cat_test **test,
                    struct lit_error *error);
// Appends the program of such a file, of a test made from one, or of a configuration that can be
// written as a program, as .litmus or as SPIR-V for Dat3M. False with an error, LIT_EXIT_UNDECIDED
// if the form cannot express it.
bool krn_litmus_export(const char *name, bool dat3m, struct text *text, struct lit_error *error);
