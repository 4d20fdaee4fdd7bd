// SPDX-License-Identifier: Apache-2.0
// Shared by the files of module/ while reading. Functions that return bool report an error before
// they return false.
#pragma once

#include "module/module.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An instruction of valid length.
struct instruction {
    uint32_t opcode;
    uint32_t at; // index of its first word
    uint32_t length;
    const uint32_t *words; // [length]; the first has opcode and length
};

struct decoration_group;

struct reader {
    struct module *module;
    const char *entry_name;
    char *error;
    size_t error_size;
    uint32_t at; // first word of the instruction for error messages; 0: none
    bool has_memory_model;
    uint32_t forward;  // forward-declared pointer types not yet completed
    uint32_t function; // id of the current function, or 0
    bool has_local_size;
    struct decoration_group *groups; // owned
    uint32_t group_count, group_capacity;
    uint32_t *group_of; // [bound] group index + 1, or 0; NULL without groups; owned
};

// Writes "word N: " and the message, one line of printable ASCII. Always returns false.
__attribute__((format(__printf__, 2, 3))) bool reader_fail(struct reader *reader,
                                                           const char *format, ...);

// Reads the instruction at word *at and advances past it. False at the end. The words must have
// passed reader_check_lengths.
bool instruction_next(const struct module *module, uint32_t *at, uint32_t end,
                      struct instruction *instruction);

// The string starting at a word of the instruction; NULL if it does not end within it. *next (may
// be NULL): the word after it.
const char *instruction_string(const struct instruction *instruction, uint32_t word,
                               uint32_t *next);

// sections.c: the section of an instruction outside of functions, in the required order.
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
    SECTION_ANY,  // line information, and instructions without effect
    SECTION_BODY, // only inside functions
};
enum section section_of(uint32_t opcode);

// preamble.c: everything before the annotations.
bool preamble_check(struct reader *reader, const struct instruction *instruction);
bool preamble_apply(struct reader *reader, const struct instruction *instruction);
bool preamble_finish(struct reader *reader);

// annotate.c: decorations, applied once all ids are known; add groups first.
bool annotate_group(struct reader *reader, uint32_t id);
bool annotate_apply(struct reader *reader, const struct instruction *instruction);
void annotate_free(struct reader *reader);

// declare.c: types, constants, variables and functions. The result id is valid and defined.
bool declare_type(struct reader *reader, const struct instruction *instruction);
bool declare_other(struct reader *reader, const struct instruction *instruction);

// capability.c
bool op_known(uint32_t opcode);
void op_results(uint32_t opcode, bool *has_result, bool *has_type);
const char *capability_name(uint32_t capability); // "Unknown" if the header lacks it
const char *mode_name(uint32_t mode);
const char *storage_name(uint32_t storage);
