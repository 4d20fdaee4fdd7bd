// SPDX-License-Identifier: Apache-2.0
// Readable names of ids.
#pragma once

#include "module/module.h"

#define NAME_MAX_LENGTH 64 // longer OpNames are truncated
#define NAME_SIZE       80 // with an appended number and terminator

struct names {
    const struct module *module;
    uint32_t *index; // [bound]: index in `text`, + 1; 0: no OpName. Owned
    char *text;      // NAME_SIZE bytes each; owned
};

// False: out of memory. Call names_free in any case. The module's constants must have been
// evaluated.
bool names_collect(struct names *names, const struct module *module);
void names_free(struct names *names);
// The name of any number, without the %: letters, digits and '_'. Stored in `scratch`, or valid as
// long as the names.
const char *names_of(const struct names *names, uint32_t id, char scratch[NAME_SIZE]);
