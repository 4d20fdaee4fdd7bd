// SPDX-License-Identifier: Apache-2.0
// What `litmus bench lookback` times: scans over the whole device with decoupled look-back, and
// copies as their ceiling. Plain data and pure functions. A row is a module in workgroups of a
// width; rows have numbers, which travel between worker and supervisor, and names, which are stable
// and go into files. docs/bench.md says what is timed.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOOK_WIDTHS      8    // of workgroups: 64 to 1024 invocations
#define LOOK_ROWS        2048 // at most
#define LOOK_SET_TEXT    (LOOK_ROWS / 4 + 1)
#define LOOK_ELEMENTS    4096u // the fewest, of any size
#define LOOK_MOST        (1u << 30)
#define LOOK_STATE_WORDS 64u    // before the tiles' states: whether a wait ran out, the ticket
#define LOOK_TILE_WORDS  2u     // of state for each tile
#define LOOK_HELD_WORDS  49152u // that a workgroup has in registers, at most

// A module: spirv/bench/, by spirv/meson.build's tables. The name is made of its axes.
struct look_module {
    const char *name; // "copy/vectors=4", "held=4/shared=0/looks=2/lanes=32/encoding=word64/..."
    uint32_t held, shared; // vectors of four words of an invocation, in registers, in shared memory
    uint32_t lanes;        // the largest subgroup that it is for; 0: any
    bool alone;            // the look-back is left out: each tile is scanned by itself
    bool by_number; // tiles by the workgroup's number, which works only if lower ones start first
    const uint8_t *packed; // a zstd frame of the words
    const size_t *size, *count;
};
extern const struct look_module look_copies[], look_scans[];
extern const size_t look_copy_count, look_scan_count;

// Its words, *module->count of them, for the rest of the program's life. Several threads may ask.
const uint32_t *look_module_words(const struct look_module *module);

// How many rows there are: first the copies, then the scans.
size_t look_rows(void);

struct look_row {
    const struct look_module *module;
    bool copy;
    uint32_t workgroup; // invocations
    uint32_t tile;      // words of a workgroup
};
// Workgroups that `elements` words need: the last one's tile may be cut.
uint32_t look_row_tiles(const struct look_row *row, uint32_t elements);
// Whether there is such a row at a size: a copy has no cut tile, and of what a workgroup has in
// registers no more than LOOK_HELD_WORDS is tried.
bool look_row_exists(const struct look_row *row, uint32_t elements);
// Row `number`, less than look_rows().
struct look_row look_row(size_t number);
// Appends "held=4/shared=0/looks=2/lanes=32/encoding=word64/order=ticket/edge=branch/stage=whole/
// workgroup=256".
void look_row_name(size_t number, struct text *name);
// Finds a row by its name; false if there is none.
bool look_row_find(const char *name, size_t *number);

// Words from which on the sum begins anew, of a scan of `elements` words: what is verified.
uint32_t look_segment(const struct look_row *row, uint32_t elements);

// Whether a device's limits and features allow a row at a size. False with an error that names
// what is missing.
bool look_row_fits(size_t number, uint32_t elements, const struct dev_facts *facts,
                   struct lit_error *error);

// A set of rows, as it travels: hexadecimal digits, bit i of digit d for row 4 d + i.
struct look_set {
    bool has[LOOK_ROWS];
};
void look_set_write(const struct look_set *set, char text[LOOK_SET_TEXT]);
// False if the text is none, or names a row that there is not.
bool look_set_read(const char *text, struct look_set *set);
size_t look_set_count(const struct look_set *set);

// The row to begin with where nothing was tuned: for subgroups of that size and sums of that many
// words, among the scans that fit. False if none does.
bool look_default(uint32_t elements, const struct dev_facts *facts, size_t *number);
// The same scan with the look-back left out, in workgroups of the same width; false if that was not
// built.
bool look_alone(size_t number, size_t *alone);
