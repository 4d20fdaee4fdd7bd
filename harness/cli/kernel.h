// SPDX-License-Identifier: Apache-2.0
// The file next to a kernel.
#pragma once

#include "kernel/kernel.h"

// Adds the options in the lines of FILE.kernel, `path`, one each; lines that start with ; are
// comments. Cuts up `lines`, which may be NULL. The options' values are never freed.
bool cli_kernel_side(const char *path, char *lines, struct krn_options *chosen,
                     struct lit_error *error);
