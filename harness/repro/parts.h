// SPDX-License-Identifier: Apache-2.0
// The files of a bundle that are written, each by one function. Pure. Private to harness/repro/.
#pragma once

#include "repro/bundle.h"

// repro.c: template.c with this configuration in its place, and without what is for others.
void repro_program(const struct repro *repro, struct text *out);
void repro_makefile(const struct repro *repro, struct text *out);
void repro_amber(const struct repro *repro, struct text *out);
void repro_facts(const struct repro *repro, struct text *out);
// What the driver made of it: the files that there are, and what README.md says of them.
void repro_code(const struct repro *repro, struct repro_bundle *bundle);
void repro_code_readme(const struct repro *repro, struct text *out);
// An empty file, added to the bundle.
struct text *repro_add(struct repro_bundle *bundle, const char *name);
// Appends text that comes from a driver or a store: every character that Markdown or HTML could
// take for more than itself is written as its code.
void repro_escape(struct text *out, const char *string);
// `bundle` has all other files: their names and sizes are listed.
void repro_readme(const struct repro *repro, const struct repro_bundle *bundle, struct text *out);

// The module was compiled from GLSL: its page is no assembly.
bool repro_from_glsl(const struct repro *repro);
// How many words the expectation has for each word of the output.
uint32_t repro_stride(const struct repro *repro);
uint64_t repro_output_words(const struct repro *repro);
// The words of expected.bin: with alternatives those of one instance if all expect the same, else
// of all.
uint64_t repro_expected_words(const struct repro *repro);

// How a word of the output can be compared by a tool that knows no modes.
enum repro_compare {
    REPRO_EQUAL,     // it has to be *word
    REPRO_DIFFERENT, // it must not be *word, nor perhaps others
    REPRO_OPEN,      // several words are right, and which are wrong is not known
};
enum repro_compare repro_compare(const struct cat_mode *mode, const uint32_t *expected,
                                 uint32_t *word);
