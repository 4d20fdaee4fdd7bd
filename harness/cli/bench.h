// SPDX-License-Identifier: Apache-2.0
// What the benchmarks of `litmus bench` share: options, devices, the line of progress.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "cli/options.h"
#include "bench/result.h"
#include "model/inventory.h"
#include "model/result.h"
#include "engine/watch.h"
#include "isa/code.h"

#include <stdbool.h>
#include <stdint.h>

struct cli_bench_options {
    struct cli_list devices, simt, tests;
    uint64_t repeat, elements, loops, scale;
    struct cli_seed seed;
    const char *json, *markdown, *keep;
    const char *variants, *cub, *tuned; // of lookback
    int color, verbose;
    bool quiet, validation, tune;
    double timeout, time, budget; // budget: 0 if it was not given
};

struct cli_benching {
    struct cli_bench_options chosen;
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *devices; // of the inventory: which were chosen
    struct text command, system;
    char started[32];
    bool utf8, drawn;
    double shown;
    struct isa_code code;    // of the row that comes next
    struct lit_error unkept; // a file of code that could not be written
};

// A benchmark: from the command line, of which the options are read, to the exit code.
int cli_bench_scan(struct cli_benching *b, int argc, char **argv);
int cli_bench_lookback(struct cli_benching *b, int argc, char **argv);
int cli_bench_throughput(struct cli_benching *b, int argc, char **argv);
int cli_bench_single(struct cli_benching *b, int argc, char **argv);

// What comes before the first device: fills what is not given on the command line, finds the
// devices and those that were chosen. False with an error; LIT_EXIT_TIME if it was interrupted.
bool cli_benching_begin(struct cli_benching *b, int argc, char **argv, uint64_t repeat,
                        struct lit_error *error);
// The line above all that is said of a device.
void cli_benching_header(const struct cli_benching *b, const struct eng_device *device);
// What a worker said of a row, as a state of it.
enum bench_state cli_benching_state(enum eng_result outcome);
// Takes the code of the row that comes next: eng_benching's `code`, with the struct as `user`.
// False if the bytes are none.
bool cli_benching_code(const char *bytes, size_t size, void *user);
// Writes that code to files, if --keep asks for it, and forgets it. A file that cannot be written
// ends nothing that is being timed.
void cli_benching_keep(struct cli_benching *b, unsigned device, const char *row);
// Whether a line of progress is due, at most ten in a second. The caller then writes it to stderr,
// beginning with "\r\033[K" and without a newline.
bool cli_benching_progress(struct cli_benching *b);
void cli_benching_clear_line(struct cli_benching *b);
