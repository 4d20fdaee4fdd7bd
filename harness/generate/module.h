// SPDX-License-Identifier: Apache-2.0
// A generated program as SPIR-V: its text, and the words assembled from it with the ids that
// spirv-as would assign. docs/test-format.md defines the ABI. The output is laid out as in family
// `reconvergence`: slot s of an invocation is record number * slots + s, four words.
#pragma once

#include "generate/program.h"

// Variable parts of a generated test's head.
struct gen_title {
    const char *name;   // "reconvergence.fuzz-maximal-5eed-17"
    const char *origin; // its source, in one sentence
    const char *remark; // comment lines after the head; NULL: none
    enum masks_rule rule;
};

struct gen_module {
    struct text text; // instructions in two columns, with comments
    uint32_t *words;  // including the header
    size_t count;
};

// Makes the module of a program that has passed gen_check.
void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module);
void gen_module_clear(struct gen_module *module);

// Assembles a module's words from its text, which gen_module_make must have written.
void gen_assemble(struct gen_module *module);

// Appends a part of the template shared by all tests: "head" (of `program`), "declarations", or
// "main", the beginning of the function.
void gen_template(const char *part, const struct gen_title *title,
                  const struct gen_program *program, struct text *text);
// Appends a complete test: head and module.
void gen_assembly(const struct gen_title *title, const struct gen_program *program,
                  struct text *text);
