// SPDX-License-Identifier: Apache-2.0
// Information from a test's SPIR-V.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The names of ids in a test's text. Modules are built without names, so a driver gets only code;
// they are restored to make a driver's output readable (cat_ids_insert).

// Appends the name of each id of a module from 1 on, one per line, "" for unnamed ones. `assembly`
// is the text from which the module was assembled; if the two do not match, appends nothing.
void ids_list(const char *assembly, const uint32_t *words, size_t count, struct text *names);

// Removes a compiler's names from a module, and everything else that only serves debuggers
// (sources, strings, lines, members' names): *count becomes the remaining number of words. Appends
// the list as ids_list does.
void ids_take(uint32_t *words, size_t *count, struct text *names);
