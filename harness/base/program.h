// SPDX-License-Identifier: Apache-2.0
// Runs other programs, which may not be installed: each in its own process, with limits on time and
// output.
#pragma once

#include "base/error.h"
#include "base/text.h"

// Appends the folder of this program, with a final slash. False if unknown.
bool lit_program_folder(struct text *folder);
// Appends the folder .sdk/ of the checkout that this program was built in, with a final slash.
// False if there is none, or if it may be another user's.
bool lit_program_sdk(struct text *folder);
// Puts before PATH the tools of VULKAN_SDK, else those that tools/setup unpacked into the checkout,
// if this program is in a build folder of it: the system's may be too old for a module.
void lit_program_add_tools(void);

// Creates a file with these bytes in the folder for temporary files; the caller removes it. `path`
// becomes its name. False with an error.
bool lit_file_temporary(const void *bytes, size_t size, struct text *path, struct lit_error *error);

// Runs a program: `words` are its name, which is looked up on PATH, and its arguments, terminated
// by NULL. Appends its output, including stderr, to `text`, at most `limit` bytes. It runs in its
// own process group, which timeout(1) kills after `seconds`. False with an error that begins with
// its name and includes its first line of output; code LIT_EXIT_NOTHING if it is not found.
bool lit_program_run(const char *const *words, double seconds, size_t limit, struct text *text,
                     struct lit_error *error);

// Whether spirv-val accepts a module, or is not installed. False with an error without a file name.
bool lit_spirv_validate(const void *words, size_t size, struct lit_error *error);
// Appends spirv-dis's output for a module. False if it is not installed or fails.
bool lit_spirv_disassemble(const void *words, size_t size, struct text *page);
// Optimises a module with spirv-opt; `passes` is terminated by NULL. False with an error, with code
// LIT_EXIT_NOTHING if it is not installed.
bool lit_spirv_optimise(const char *const *passes, const void *words, size_t size,
                        struct text *made, struct lit_error *error);
