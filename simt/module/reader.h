// SPDX-License-Identifier: Apache-2.0
// What the files of module/ share while a module is read. Every function that returns bool says
// false after it has written the error.
#pragma once

#include "module/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An instruction whose length fits into the module.
struct instruction {
    uint32_t opcode;
    uint32_t at; // index of its first word
    uint32_t length;
    const uint32_t *words; // [length], the first one has opcode and length
};

struct decoration_group;

struct reader {
    struct module *module;
    const char *entry_name;
    char *error;
    size_t error_size;
    uint32_t at; // first word of the instruction that errors are about; 0: of none
    bool has_memory_model;
    uint32_t forward;  // pointer types that are only declared forward
    uint32_t function; // id of the function that is being read, or 0
    bool has_local_size;
    struct decoration_group *groups; // owned
    uint32_t group_count, group_capacity;
    uint32_t *group_of; // [bound] index of a group + 1, or 0; NULL without groups; owned
};

// Writes "word N: " and the message, one line of printable ASCII. Always false.
__attribute__((format(__printf__, 2, 3))) bool reader_fail(struct reader *reader,
                                                           const char *format, ...);

// Goes on to the instruction at word *at, and *at behind it. False behind the last one. Only for
// words that reader_check_lengths went over.
bool instruction_next(const struct module *module, uint32_t *at, uint32_t end,
                      struct instruction *instruction);

// The string that begins at a word of the instruction, or NULL if it does not end within it. *next
// (may be NULL) is the word behind it.
const char *instruction_string(const struct instruction *instruction, uint32_t word,
                               uint32_t *next);

// sections.c: which section an instruction outside of functions belongs to, in the order that they
// must have.
enum section {
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_IMPORT,
    SECTION_MEMORY_MODEL,
    SECTION_ENTRY_POINT,
    SECTION_EXECUTION_MODE,
    SECTION_DEBUG,
    SECTION_ANNOTATION,
    SECTION_DECLARATION,
    SECTION_FUNCTION,
    SECTION_ANY,  // line information, and what does nothing
    SECTION_BODY, // only within functions
};
enum section section_of(uint32_t opcode);

// preamble.c: everything before the annotations.
bool preamble_check(struct reader *reader, const struct instruction *instruction);
bool preamble_apply(struct reader *reader, const struct instruction *instruction);
bool preamble_finish(struct reader *reader);

// annotate.c: decorations, after all ids are known. Groups must have been added by then.
bool annotate_group(struct reader *reader, uint32_t id);
bool annotate_apply(struct reader *reader, const struct instruction *instruction);
void annotate_free(struct reader *reader);

// declare.c: types, constants, variables and functions. The id of the result is valid and defined.
bool declare_type(struct reader *reader, const struct instruction *instruction);
bool declare_other(struct reader *reader, const struct instruction *instruction);

// capability.c
bool op_known(uint32_t opcode);
void op_results(uint32_t opcode, bool *has_result, bool *has_type);
const char *capability_name(uint32_t capability); // "Unknown" for what the header does not know
const char *mode_name(uint32_t mode);
const char *storage_name(uint32_t storage);
