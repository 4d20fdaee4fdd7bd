// SPDX-License-Identifier: Apache-2.0
// What a device gave in `litmus bench lookback` at one size: filled from what its worker said,
// which is not trusted.
#pragma once

#include "bench/lookback.h"
#include "bench/result.h"

struct look_measured {
    size_t number;                  // of the row
    struct bench_measured measured; // but for its row, of which only `words` is set
};

struct look_result {
    uint32_t elements;
    double tick; // nanoseconds of the device's clock; 0: the host's
    bool told;   // a row, so that the tick is known
    uint32_t warm, repeats;
    struct look_measured *rows;
    size_t count;
};

// A benchmark of these rows that is to begin. Clear it in the end.
void look_result_begin(struct look_result *result, uint32_t elements, const struct look_set *set,
                       uint32_t warm, uint32_t repeats);
void look_result_clear(struct look_result *result);

// Take what was said of a row; of a dispatch. False if it cannot be, as bench_result_row has it.
bool look_result_row(struct look_result *result, const struct bench_said *said,
                     enum bench_state state, const char *reason);
bool look_result_time(struct look_result *result, const struct bench_said *said);

enum look_kind { LOOK_COPY, LOOK_WHOLE, LOOK_ALONE };
enum look_kind look_kind(size_t number);

// The fastest row of a kind by its median, among those that are right; NULL if there is none.
const struct look_measured *look_result_best(const struct look_result *result, enum look_kind kind);

// The rows of a kind that are right, the fastest first by their medians. Returns how many; the
// caller frees *rows.
size_t look_result_rank(const struct look_result *result, enum look_kind kind,
                        const struct look_measured ***rows);

// The row of that number; NULL if it is not timed or not right.
const struct look_measured *look_result_right(const struct look_result *result, size_t number);

// Moves the rows that stored wrong words, in which a wait ran out, or that the driver refused, to
// the end of another result of the same size: a search goes on without them, and tells them in the
// end.
void look_result_move_failed(struct look_result *from, struct look_result *to);

struct look_figures {
    struct stat_sample ns;
    double bytes;   // a second, of the median: read and written
    double of_copy; // the rate by that of the best copy of the same run; 0: not known
};
// Of a row that is right.
struct look_figures look_figures(const struct look_result *result,
                                 const struct look_measured *measured);

// The fastest `keep` scans by their medians, among those that are right: what a search goes on
// with. Returns how many.
size_t look_result_keep(const struct look_result *result, size_t keep, struct look_set *kept);
