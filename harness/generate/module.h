// SPDX-License-Identifier: Apache-2.0
// A generated program as SPIR-V: its text, and the words that are assembled from it with the ids
// that spirv-as gives. The ABI is that of docs/test-format.md, the layout of the output that of the
// family `reconvergence`: slot s of an invocation is record number * slots + s, four words.
#pragma once

#include "generate/program.h"

// What the head of a generated test says.
struct gen_title {
    const char *name;   // "reconvergence.fuzz-maximal-5eed-17"
    const char *origin; // where it comes from, one sentence
    const char *remark; // comment lines behind the head; NULL: none
    enum masks_rule rule;
};

struct gen_module {
    struct text text; // the instructions, two columns, with comments
    uint32_t *words;  // header included
    size_t count;
};

// The module of a program that has passed gen_check.
void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module);
void gen_module_clear(struct gen_module *module);

// Makes a module's words from its text, which must be one that gen_module_make writes.
void gen_assemble(struct gen_module *module);

// Appends the head, without the module.
void gen_head(const struct gen_title *title, const struct gen_program *program, struct text *text);
// Appends a part of the template that all tests are made of: "head" (of `program`), "declarations",
// or "main", the beginning of the function.
void gen_template(const char *part, const struct gen_title *title,
                  const struct gen_program *program, struct text *text);
// Appends a whole test: head and module.
void gen_assembly(const struct gen_title *title, const struct gen_program *program,
                  struct text *text);
