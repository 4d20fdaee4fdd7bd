// SPDX-License-Identifier: Apache-2.0
// What a benchmark times: rows, each a kernel at a size. Plain data and pure functions, which the
// worker that times and the supervisor that reports both have: what travels between them is a row's
// number. Names are stable and go into files. docs/bench.md says what is timed and how operations
// are counted.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/kernel.h"
#include "model/facts.h"

#define BENCH_ROWS       64    // of `litmus bench scan`, at most
#define BENCH_BLOCK      1024u // invocations that a workgroup's scan is over
#define BENCH_ELEMENTS   4096u // the fewest: one block of four words an invocation
#define BENCH_MOST       (1u << 24)
#define BENCH_LOOPS      1000u   // of the founding article, and at most where they are calibrated
#define BENCH_MOST_LOOPS 60000u  // that can be asked for
#define BENCH_REPEATS    100000u // likewise

#define LOOK_WIDTHS      8    // of workgroups: 64 to 1024 invocations
#define LOOK_ROWS        2048 // of `litmus bench lookback`, at most
#define LOOK_SET_TEXT    (LOOK_ROWS + 1)
#define LOOK_ELEMENTS    4096u // the fewest, of any size
#define LOOK_MOST        (UINT64_C(1) << 32)
#define LOOK_NEAR        (UINT64_C(1) << 30) // beyond, buffers have more than 4 GiB
#define LOOK_SERIAL      (1u << 24)          // the most words that one invocation scans
#define LOOK_STATE_WORDS 64u    // before the tiles' states: whether a wait ran out, the ticket
#define LOOK_TILE_WORDS  2u     // of state for each tile, for each word of an element
#define LOOK_HELD_WORDS  49152u // that a workgroup has in registers, at most

enum bench_kind {
    BENCH_SCAN, // over subgroups or workgroups
    BENCH_COPY, // limits: what the device can copy, add, shuffle
    BENCH_ADDS,
    BENCH_SHUFFLES,
    BENCH_LOOKBACK, // a scan over the whole device by decoupled look-back
    BENCH_TILES,    // the same with the look-back left out: each tile is scanned by itself
    BENCH_SERIAL,   // by one invocation: what a scan on a CPU is to be faster than
    BENCH_KINDS
};
enum bench_level { BENCH_SUBGROUP, BENCH_WORKGROUP, BENCH_LEVELS };
enum bench_operation { BENCH_NATIVE, BENCH_EMULATED, BENCH_OPERATIONS };
enum bench_barrier { BENCH_NONE, BENCH_CONTROL, BENCH_MEMORY, BENCH_BARRIERS };
// Their names, by their values.
extern const char *const bench_kinds[], *const bench_levels[], *const bench_operations[],
                                                                   *const bench_barriers[];

struct bench_row {
    enum bench_kind kind;
    const struct cat_kernel *kernel;
    // SCAN:
    enum bench_level level;
    enum bench_operation operation;
    enum bench_barrier barrier;
    uint32_t items;  // words of an invocation
    uint32_t chains; // ADDS, SHUFFLES: that an invocation has, each dependent in itself
    // LOOKBACK, LOCAL, and COPY beside them:
    uint32_t held, shared; // vectors of four words of an invocation, in registers, in shared memory
    uint32_t lanes;        // the largest subgroup that it is for; 0: any
    bool by_number; // tiles by the workgroup's number, which works only if lower ones start first
    uint32_t tile;  // words of a workgroup; 0: not one of these
    enum cat_scan scan; // what its output is
    bool in_place;      // which it stores over its input
    bool far;           // for buffers of more than 4 GiB, and no others

    uint32_t workgroup, workgroups; // invocations of one, how many are dispatched
    uint32_t loops;                 // iterations; 1 of COPY, LOOKBACK, LOCAL
    uint64_t words;                 // of 32 bits, read from the input, and stored to the output
    // Of a whole dispatch, as the algorithm is defined, a lane's operation counting as one:
    uint64_t adds, shuffles, bytes;
};

// "scan", "copy", "adds", "shuffles"; "subgroup", "workgroup"; "native", "emulated"; "none",
// "control", "memory".
// Appends "subgroup/emulated/control/items=4/workgroup=256", "limit/adds/chains=8" or
// "held=4/shared=0/looks=2/lanes=32/encoding=word64/order=ticket/edge=branch/stage=whole/
// workgroup=256".
void bench_row_name(const struct bench_row *row, struct text *name);

// Whether a device's limits and features allow a row. False with an error that names what is
// missing.
bool bench_row_fits(const struct bench_row *row, const struct dev_facts *facts,
                    struct lit_error *error);

// Whether two rows have to store the same words, from the same input and in subgroups of the same
// size.
bool bench_row_same(const struct bench_row *a, const struct bench_row *b);

// --- The rows of `litmus bench scan`

// What they follow from.
struct bench_shape {
    uint32_t subgroup; // invocations, a power of two from 4 to 128
    uint64_t elements; // words that are scanned, a power of two from BENCH_ELEMENTS to BENCH_MOST
    uint32_t copied;   // words of COPY, a multiple of BENCH_ELEMENTS
    uint32_t loops;    // of the scans; the limits have one more if that is even
};

// The words that COPY moves: many times what is scanned, within a device's limits.
uint32_t bench_copied(uint64_t elements, const struct dev_facts *facts);
// Fills the rows and returns how many there are.
size_t bench_scan_rows(const struct bench_shape *shape, struct bench_row rows[BENCH_ROWS]);
// The kernel of COPY.
const struct cat_kernel *bench_copy_kernel(void);

// --- The rows of `litmus bench lookback`: kernels by spirv/kernels in workgroups of each width

// How many there are: first the copies, look_copies() of them, then the scans.
size_t look_rows(void);
size_t look_copies(void);
// Row `number`, less than look_rows(), of so many words: of LOOKBACK and LOCAL the last tile may be
// cut.
struct bench_row look_row(size_t number, uint64_t elements);
enum bench_kind look_kind(size_t number);
// Whether there is such a row at its size: a copy has no cut tile, and of what a workgroup has in
// registers no more than LOOK_HELD_WORDS is tried.
bool look_row_exists(const struct bench_row *row);
// Finds a row by its name; false if there is none.
bool look_row_find(const char *name, size_t *number);
// Words from which on the sum begins anew: what is verified.
uint64_t look_segment(const struct bench_row *row);
// Words of the state that a scan has for itself.
uint32_t look_state_words(const struct bench_row *row);

// A set of rows; as it travels, a digit for each: 1 or 0.
struct look_set {
    bool has[LOOK_ROWS];
};
void look_set_write(const struct look_set *set, char text[LOOK_SET_TEXT]);
// False if the text is none, or names a row that there is not.
bool look_set_read(const char *text, struct look_set *set);
size_t look_set_count(const struct look_set *set);

// The row to begin with where nothing was tuned: for subgroups of that size and sums of that many
// words, among the scans that fit. False if none does.
bool look_default(uint64_t elements, const struct dev_facts *facts, size_t *number);
// The same scan with the look-back left out, in workgroups of the same width; false if that was not
// built.
bool look_tiles_only(size_t number, size_t *local);
