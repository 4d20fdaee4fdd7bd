// SPDX-License-Identifier: Apache-2.0
// What a session was asked for, as its store says. A store may come from someone else, so that only
// what is listed in recorded.c is taken out of it, whoever reads it and whatever for: nothing there
// names a file to write, a program to start or a variable of the environment.
#pragma once

#include "base/text.h"

#include <jansson.h>

// The options of a session without what is not listed. NULL if they are no JSON object, or longer
// than any that this program writes. What the values are is for who reads them to check.
json_t *store_recorded(const char *options);

// Appends what of the settings of the reference driver (as --simt has them) is listed. Returns
// whether all of it was.
bool store_recorded_simt(const char *settings, struct text *listed);
