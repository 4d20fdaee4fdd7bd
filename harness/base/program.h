// SPDX-License-Identifier: Apache-2.0
// Other programs, which may not be installed: each runs in a process of its own, whose time and
// output have limits.
#pragma once

#include "base/error.h"
#include "base/text.h"

// Appends the folder of this program, with a slash at its end. False if it is not known.
bool lit_program_folder(struct text *folder);
// Adds to the end of PATH the tools that tools/setup unpacked into the checkout, where this program
// is in a build folder of it.
void lit_program_add_tools(void);

// A file with the bytes, in the folder for temporary files; the caller removes it. `path` becomes
// its name. False with an error.
bool lit_file_temporary(const void *bytes, size_t size, struct text *path, struct lit_error *error);

// Runs a program: `words` are its name, as the shell finds it on PATH, and its arguments, ended by
// NULL. Appends what it writes, stderr too, to `text`, of which `limit` bytes are read. It runs in
// a process group of its own, which timeout(1) kills after `seconds`. False with an error that
// begins with its name, of code LIT_EXIT_NOTHING if it is not found; the first line that it wrote
// is part of it.
bool lit_program_run(const char *const *words, double seconds, size_t limit, struct text *text,
                     struct lit_error *error);

// Whether spirv-val takes a module for valid, or is not installed. False with an error without a
// name of a file.
bool lit_spirv_validate(const void *words, size_t size, struct lit_error *error);
// Appends what spirv-dis writes of a module. False where it is not installed, or fails.
bool lit_spirv_disassemble(const void *words, size_t size, struct text *page);
// The module that spirv-opt makes of one, by passes that NULL ends. False with an error, of code
// LIT_EXIT_NOTHING if it is not installed.
bool lit_spirv_optimise(const char *const *passes, const void *words, size_t size,
                        struct text *made, struct lit_error *error);
