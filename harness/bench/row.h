// SPDX-License-Identifier: Apache-2.0
// What a benchmark times: rows, each a kernel at a size. Plain data and pure functions, shared by
// the worker that times and the supervisor that reports; they exchange row numbers. Names are
// stable and go into files. docs/bench.md says what is timed and how operations are counted.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/kernel.h"
#include "model/facts.h"

#define BENCH_ROWS       64    // limit for `litmus bench scan`
#define BENCH_BLOCK      1024u // invocations in a workgroup's scan
#define BENCH_ELEMENTS   4096u // minimum: one block of four words per invocation
#define BENCH_MOST       (1u << 24)
#define BENCH_LOOPS      1000u   // as in the founding article; the limit when calibrated
#define BENCH_MOST_LOOPS 60000u  // limit for users
#define BENCH_REPEATS    100000u // likewise

#define LOOK_WIDTHS      8    // of workgroups: 64 to 1024 invocations
#define LOOK_ROWS        2048 // limit for `litmus bench lookback`
#define LOOK_SET_TEXT    (LOOK_ROWS + 1)
#define LOOK_ELEMENTS    4096u // minimum
#define LOOK_MOST        (UINT64_C(1) << 32)
#define LOOK_NEAR        (UINT64_C(1) << 30) // beyond, buffers exceed 4 GiB
#define LOOK_SERIAL      (1u << 24)          // most words scanned by one invocation
#define LOOK_STATE_WORDS 64u                 // before the tiles' states: timeout flag, ticket
#define LOOK_TILE_WORDS  2u                  // state per tile and word of an element
#define LOOK_HELD_WORDS  49152u              // limit per workgroup on words in registers

enum bench_kind {
    BENCH_SCAN, // scan of subgroups or workgroups
    BENCH_COPY, // limits: how fast the device copies, adds, shuffles
    BENCH_ADDS,
    BENCH_SHUFFLES,
    BENCH_LOOKBACK, // scan of the whole device by decoupled look-back
    BENCH_TILES,    // the same without the look-back: each tile scanned separately
    BENCH_SERIAL,   // by one invocation: the baseline for a CPU
    BENCH_KINDS
};
enum bench_level { BENCH_SUBGROUP, BENCH_WORKGROUP, BENCH_LEVELS };
enum bench_operation { BENCH_NATIVE, BENCH_EMULATED, BENCH_OPERATIONS };
enum bench_barrier { BENCH_NONE, BENCH_CONTROL, BENCH_MEMORY, BENCH_BARRIERS };
// Names by value.
extern const char *const bench_kinds[], *const bench_levels[], *const bench_operations[],
                                                                   *const bench_barriers[];

struct bench_row {
    enum bench_kind kind;
    const struct cat_kernel *kernel;
    // SCAN:
    enum bench_level level;
    enum bench_operation operation;
    enum bench_barrier barrier;
    uint32_t items;  // words per invocation
    uint32_t chains; // ADDS, SHUFFLES: dependent chains per invocation
    // LOOKBACK, LOCAL, and COPY compared with them:
    uint32_t held, shared; // four-word vectors per invocation, in registers, in shared memory
    uint32_t lanes;        // maximum subgroup size; 0: any
    bool by_number;        // tiles by workgroup number, which requires that lower ones start first
    uint32_t tile;         // words per workgroup; 0: not one of these
    enum cat_scan scan;    // the output
    bool in_place;         // stored over the input
    bool far;              // only for buffers of more than 4 GiB

    uint32_t workgroup, workgroups; // invocations per workgroup; number of workgroups
    uint32_t loops;                 // iterations; 1 for COPY, LOOKBACK, LOCAL
    uint64_t words;                 // 32-bit words read from the input and stored to the output
    // Per dispatch, as the algorithm is defined; one lane's operation counts as one:
    uint64_t adds, shuffles, bytes;
};

// Appends "subgroup/emulated/control/items=4/workgroup=256", "limit/adds/chains=8" or
// "held=4/shared=0/looks=2/lanes=32/encoding=word64/order=ticket/edge=branch/stage=whole/
// workgroup=256".
void bench_row_name(const struct bench_row *row, struct text *name);

// Whether a device's limits and features allow a row. False with an error that names what is
// missing.
bool bench_row_fits(const struct bench_row *row, const struct dev_facts *facts,
                    struct lit_error *error);

// Whether two rows must store the same words, given the same input and subgroup size.
bool bench_row_same(const struct bench_row *a, const struct bench_row *b);

// --- The rows of `litmus bench scan`

// Parameters of the rows.
struct bench_shape {
    uint32_t subgroup; // invocations, a power of two from 4 to 128
    uint64_t elements; // words scanned, a power of two from BENCH_ELEMENTS to BENCH_MOST
    uint32_t copied;   // words in COPY, a multiple of BENCH_ELEMENTS
    uint32_t loops;    // of the scans; limits use one more if that is even
};

// The words that COPY moves: many times the scan's, within the device's limits.
uint32_t bench_copied(uint64_t elements, const struct dev_facts *facts);
// Fills the rows and returns their number.
size_t bench_scan_rows(const struct bench_shape *shape, struct bench_row rows[BENCH_ROWS]);
// The kernel of COPY.
const struct cat_kernel *bench_copy_kernel(void);

// --- The rows of `litmus bench lookback`: kernels of spirv/kernels at each workgroup width

// The number of rows: look_copies() copies, then the scans.
size_t look_rows(void);
size_t look_copies(void);
// Row `number` < look_rows() for this many words: in LOOKBACK and LOCAL the last tile may be
// partial.
struct bench_row look_row(size_t number, uint64_t elements);
enum bench_kind look_kind(size_t number);
// Whether a row exists at its size: copies have no partial tile, and no workgroup holds more than
// LOOK_HELD_WORDS in registers.
bool look_row_exists(const struct bench_row *row);
// Finds a row by its name; false if there is none.
bool look_row_find(const char *name, size_t *number);
// Words after which the sum restarts, for verification.
uint64_t look_segment(const struct bench_row *row);
// Words of a scan's private state.
uint32_t look_state_words(const struct bench_row *row);

// A set of rows; serialised as one digit per row: 1 or 0.
struct look_set {
    bool has[LOOK_ROWS];
};
void look_set_write(const struct look_set *set, char text[LOOK_SET_TEXT]);
// False if the text is invalid or names a nonexistent row.
bool look_set_read(const char *text, struct look_set *set);
size_t look_set_count(const struct look_set *set);

// The starting row without tuning for this subgroup size and this many words, among the scans that
// fit. False if none does.
bool look_default(uint64_t elements, const struct dev_facts *facts, size_t *number);
// The same scan without the look-back, at the same workgroup width; false if it was not built.
bool look_tiles_only(size_t number, size_t *local);
