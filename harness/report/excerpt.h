// SPDX-License-Identifier: Apache-2.0
// The lines of a test's text that a reader of a ticket should see: the ones that a variant has,
// around what the test is about. Pure functions.
#pragma once

#include "base/text.h"

// A file that tests include.
struct report_include {
    const char *name; // without its folder
    const char *text;
};
extern const struct report_include report_includes[]; // those of spirv/common, up to a NULL name

// Appends at most `most` lines of `source`, the text of a test behind its head, as the preprocessor
// leaves them for the variant "axis=value,...": directives and the lines of other variants are
// gone, the included files are there. Of a variant with form=glslang it is the GLSL behind the
// assembly. `subgroup`: what SUBGROUP_SIZE is, 0 if it is not defined.
//
// What they begin with is the paragraph in which the first instruction of a kind is, with the
// comment above it (and before it the macro, if it is in one): of the families lookback, memory and
// progress the first atomic one, of barrier the first barrier, of all others the first group
// operation; if there is none of that kind, the first of another of these.
void report_excerpt(struct text *out, const char *source, const struct report_include *includes,
                    const char *family, const char *variant, unsigned subgroup, size_t most);
