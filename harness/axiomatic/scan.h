// SPDX-License-Identifier: Apache-2.0
// Parsing shared by both dialects: words and numbers with their positions, and the qualifiers of an
// instruction's name.
#pragma once

#include "axiomatic/program.h"

struct axi_scan {
    const char *at, *end;
    const char *line_start;
    uint32_t line; // from 1
    struct lit_error *error;
};

// Fills the error, beginning with line and column, and returns false.
__attribute__((format(__printf__, 2, 3))) bool axi_wrong(const struct axi_scan *scan,
                                                         const char *format, ...);
// The same for valid input that cannot be expressed.
__attribute__((format(__printf__, 2, 3))) bool axi_beyond(const struct axi_scan *scan,
                                                          const char *format, ...);

void axi_skip(struct axi_scan *scan); // skips blanks, newlines and comments (* *)
// The functions below skip blanks first. axi_take consumes the text if it comes next.
bool axi_take(struct axi_scan *scan, const char *text);
bool axi_expect(struct axi_scan *scan, const char *text);
// A letter or _, followed by letters, digits and _.
bool axi_word(struct axi_scan *scan, char word[AXI_NAME]);
// Consumes this word if it comes next.
bool axi_take_word(struct axi_scan *scan, const char *word);
bool axi_number(struct axi_scan *scan, int64_t *number); // decimal or 0x, signed
bool axi_small(struct axi_scan *scan, uint32_t *number); // decimal, unsigned
// Whether a digit comes next, possibly after a sign.
bool axi_is_number(struct axi_scan *scan);

// The index of the reference of this name; -1: none.
int axi_reference(const struct axi_program *program, const char *name);
// Parses the name of a reference, which is created on first use.
bool axi_refer(struct axi_scan *scan, struct axi_program *program, uint8_t *reference);
// Parses a thread's number, as in P0 or 0; that of a thread in the program becomes its index.
bool axi_thread_word(struct axi_scan *scan, uint32_t *number);
bool axi_thread_number(struct axi_scan *scan, struct axi_program *program, int *thread);
// The thread of this number; NULL: none.
struct axi_thread *axi_thread_of(struct axi_program *program, unsigned number);
// Appends an empty instruction at this position to the thread, which grows as needed. NULL if it is
// too long.
struct axi_instruction *axi_append(struct axi_scan *scan, struct axi_thread *thread);
// Parses one qualifier of an instruction's name: atom, acq, semsc0, wg and so on.
bool axi_qualify(struct axi_scan *scan, const char *part, struct axi_instruction *instruction);
// Checks that the qualifiers fit together, and derives what they imply.
bool axi_complete(const struct axi_scan *scan, struct axi_instruction *instruction);

bool axi_parse_vulkan(struct axi_scan *scan, struct axi_program *program);
bool axi_parse_alloy(struct axi_scan *scan, struct axi_program *program);
