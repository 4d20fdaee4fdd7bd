// SPDX-License-Identifier: Apache-2.0
// What both dialects are read by: words and numbers with their place, and what the parts of an
// instruction's name mean.
#pragma once

#include "axiomatic/program.h"

struct axi_scan {
    const char *at, *end;
    const char *line_start;
    uint32_t line; // from 1
    struct lit_error *error;
};

// Fills the error, which begins with line and column, and returns false.
__attribute__((format(__printf__, 2, 3))) bool axi_wrong(const struct axi_scan *scan,
                                                         const char *format, ...);
// The same for what is right, but cannot be expressed.
__attribute__((format(__printf__, 2, 3))) bool axi_beyond(const struct axi_scan *scan,
                                                          const char *format, ...);

void axi_skip(struct axi_scan *scan); // blanks, lines and comments (* *)
// These skip first. Whether a text comes next: it is then passed by.
bool axi_take(struct axi_scan *scan, const char *text);
bool axi_expect(struct axi_scan *scan, const char *text);
// A letter or _, then letters, digits and _.
bool axi_word(struct axi_scan *scan, char word[AXI_NAME]);
// Whether this word comes next: it is then passed by.
bool axi_take_word(struct axi_scan *scan, const char *word);
bool axi_number(struct axi_scan *scan, int64_t *number); // decimal or 0x, with a sign
bool axi_small(struct axi_scan *scan, uint32_t *number); // decimal, without a sign
// Whether a digit comes next, or a sign before one.
bool axi_is_number(struct axi_scan *scan);

// The index of a reference of this name, made where there is none; -1 if there are too many.
int axi_reference(struct axi_program *program, const char *name);
// An instruction that is not anything yet, at this place; the end of the thread's list is made
// longer. NULL if it is too long.
struct axi_instruction *axi_append(struct axi_scan *scan, struct axi_thread *thread);
// One part of an instruction's name: atom, acq, semsc0, wg and so on.
bool axi_qualify(struct axi_scan *scan, const char *part, struct axi_instruction *instruction);
// Whether the parts fit together, and what follows from them.
bool axi_complete(const struct axi_scan *scan, struct axi_instruction *instruction);

// The condition of a .litmus: a node, by which it is given back, at the place of the scan.
bool axi_condition(struct axi_scan *scan, struct axi_program *program, int *node);
// What a condition names: appended to what is observed.
bool axi_observe(struct axi_scan *scan, struct axi_program *program, unsigned *observed);
bool axi_thread_number(struct axi_scan *scan, const struct axi_program *program, int *thread);

bool axi_parse_vulkan(struct axi_scan *scan, struct axi_program *program);
bool axi_parse_alloy(struct axi_scan *scan, struct axi_program *program);
