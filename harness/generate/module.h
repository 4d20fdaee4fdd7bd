// SPDX-License-Identifier: Apache-2.0
// A generated program as SPIR-V: the words of the module, and beside them what its ids are called
// and what is to be said of its instructions. The text of a test is written from these words, so
// that both are the same module. The ABI is that of docs/test-format.md, the layout of the output
// that of the family `reconvergence`: slot s of an invocation is record number * slots + s, four
// words.
#pragma once

#include "generate/program.h"

#define GEN_NAME 28 // bytes of an id's name, terminator included

struct gen_module {
    uint32_t *words; // header included
    size_t count;
    char (*names)[GEN_NAME]; // of [id], without '%'
    uint32_t bound;
    struct gen_note {
        size_t at; // the word with which an instruction begins
        char *text;
    } * notes; // in the order of the words
    size_t note_count;
};

// The module of a program that has passed gen_check.
void gen_module_make(const struct gen_program *program, enum masks_rule rule,
                     struct gen_module *module);
void gen_module_clear(struct gen_module *module);

// What the head of a generated test says.
struct gen_title {
    const char *name;   // "reconvergence.fuzz-maximal-5eed-17"
    const char *origin; // where it comes from, one sentence
    const char *remark; // comment lines behind the head; NULL: none
    enum masks_rule rule;
};

// Appends the head, without the module.
void gen_head(const struct gen_title *title, const struct gen_program *program, struct text *text);
// Appends a whole test: head and module.
void gen_assembly(const struct gen_title *title, const struct gen_program *program,
                  struct text *text);
// Appends the instructions of a module, two columns, notes as comments.
void gen_instructions(const struct gen_module *module, struct text *text);
