// SPDX-License-Identifier: Apache-2.0
// Names of ids for people.
#pragma once

#include "module/module.h"

#define NAME_MAX_LENGTH 64 // of OpName's: what is longer is cut off
#define NAME_SIZE       80 // with a number behind it, and the end

struct names {
    const struct module *module;
    uint32_t *index; // [bound]: which in `text`, + 1; 0: has no OpName. Owned
    char *text;      // NAME_SIZE bytes each; owned
};

// False: out of memory. Free with names_free, also after a failure. The module's constants were
// evaluated without an error.
bool names_collect(struct names *names, const struct module *module);
void names_free(struct names *names);
// The name of any number, without the %: letters, digits and '_'. It is in `scratch`, or lives as
// long as the names.
const char *names_of(const struct names *names, uint32_t id, char scratch[NAME_SIZE]);
