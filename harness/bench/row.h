// SPDX-License-Identifier: Apache-2.0
// What a benchmark times: rows, each a kernel at a size. Plain data and pure functions, which the
// worker that times and the supervisor that tells both have: what travels between them is a row's
// number. docs/bench.md says what is timed and how operations are counted.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "model/facts.h"

#include <stddef.h>
#include <stdint.h>

#define BENCH_ROWS       64    // of a benchmark, at most
#define BENCH_BLOCK      1024u // invocations that a workgroup's scan is over
#define BENCH_ELEMENTS   4096u // the fewest: one block of four words an invocation
#define BENCH_MOST       (1u << 24)
#define BENCH_LOOPS      1000u   // of the founding article, and at most where they are calibrated
#define BENCH_MOST_LOOPS 60000u  // that can be asked for
#define BENCH_REPEATS    100000u // likewise

enum bench_kind { BENCH_SCAN, BENCH_COPY, BENCH_ADDS, BENCH_SHUFFLES, BENCH_KINDS };
enum bench_level { BENCH_SUBGROUP, BENCH_WORKGROUP, BENCH_LEVELS };
enum bench_operation { BENCH_NATIVE, BENCH_EMULATED, BENCH_OPERATIONS };
enum bench_barrier { BENCH_NONE, BENCH_CONTROL, BENCH_MEMORY, BENCH_BARRIERS };

struct bench_row {
    enum bench_kind kind;
    // Of a scan:
    enum bench_level level;
    enum bench_operation operation;
    enum bench_barrier barrier;
    uint32_t items;  // words of an invocation
    uint32_t chains; // ADDS, SHUFFLES: that an invocation has, each dependent in itself

    uint32_t workgroup, workgroups; // invocations of one, how many are dispatched
    uint32_t loops;                 // iterations; 1 of COPY
    uint64_t words;                 // read from the input, and stored to the output
    // Of a whole dispatch, as the algorithm is defined, a lane's operation counting as one:
    uint64_t adds, shuffles, bytes;
};

// What the rows follow from.
struct bench_shape {
    uint32_t subgroup; // invocations, a power of two from 4 to 128
    uint32_t elements; // words that are scanned, a power of two from BENCH_ELEMENTS to BENCH_MOST
    uint32_t copied;   // words of COPY, a multiple of BENCH_ELEMENTS
    uint32_t loops;    // of the scans; the limits have one more if that is even
};

// The words that COPY moves: many times what is scanned, within a device's limits.
uint32_t bench_copied(uint32_t elements, const struct dev_facts *facts);

// Fills the rows of `litmus bench scan` and returns how many there are.
size_t bench_scan_rows(const struct bench_shape *shape, struct bench_row rows[BENCH_ROWS]);

// Whether a device's limits and features allow a row. False with an error that names what is
// missing.
bool bench_row_fits(const struct bench_row *row, const struct dev_facts *facts,
                    struct lit_error *error);

// Whether two rows have to store the same words, from the same input and in subgroups of the same
// size.
bool bench_row_same(const struct bench_row *a, const struct bench_row *b);

// Appends "subgroup/emulated/control/items=4/workgroup=256" or "limit/adds/chains=8": stable.
void bench_row_name(const struct bench_row *row, struct text *name);

// "scan", "copy", "adds", "shuffles"; "subgroup", "workgroup"; "native", "emulated"; "none",
// "control", "memory".
const char *bench_kind_name(enum bench_kind kind);
const char *bench_level_name(enum bench_level level);
const char *bench_operation_name(enum bench_operation operation);
const char *bench_barrier_name(enum bench_barrier barrier);

// The module of a row: spirv/bench/.
struct bench_module {
    const uint32_t *words;
    size_t count;
};
struct bench_module bench_row_module(const struct bench_row *row);
