// SPDX-License-Identifier: Apache-2.0
// The file beside a kernel.
#pragma once

#include "kernel/kernel.h"

// Adds what the lines of FILE.kernel, `path`, say: an option each; one that begins with ; is a
// comment. `lines`, which may be NULL, is cut up. What the options then hold is never freed.
bool cli_kernel_side(const char *path, char *lines, struct krn_options *chosen,
                     struct lit_error *error);
