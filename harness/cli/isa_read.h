// SPDX-License-Identifier: Apache-2.0
// Pipeline caches of other programs, in place of what a driver makes of the tests.
#pragma once

#include "isa/study.h"

// Adds what each file holds, by its name; `unread` counts those in which no machine code was
// found. False with an error if a file cannot be read or is no pipeline cache.
bool cli_isa_read(const char *const *paths, size_t count, struct isa_study *study, size_t *unread,
                  struct lit_error *error);
