// SPDX-License-Identifier: Apache-2.0
// What is read from the SPIR-V of a test.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The names that ids have in a test's text. Modules are built without them: what a driver gets is
// code alone. Where a person is to read what a driver says of a module they are put back
// (cat_ids_insert).

// Appends the name of each id of a module from 1 on, one a line, "" for those that have none.
// `assembly` is the text that the module was assembled from. Appends nothing if the two do not fit
// together.
void ids_list(const char *assembly, const uint32_t *words, size_t count, struct text *names);

// Takes the names out of a module that a compiler put them into, together with what else is there
// for debuggers alone (sources, strings, lines, members' names): *count becomes the number of words
// that are left. Appends the list as ids_list does.
void ids_take(uint32_t *words, size_t *count, struct text *names);
