// SPDX-License-Identifier: Apache-2.0
// What `litmus bench scan` says: a table for the terminal, Markdown, JSON.
#pragma once

#include "base/text.h"
#include "bench/result.h"
#include "model/inventory.h"
#include "model/result.h"

// A device's part.
struct cli_bench_device {
    const struct eng_device *device;
    struct bench_result result;
    enum eng_result end; // of the worker: PASS if it said all; SKIP if the device is none for it
    char reason[512];    // why not
};

struct cli_bench {
    const char *command, *started, *system; // as typed; "2026-11-21T18:00:00Z"; kernel and machine
    uint64_t seed;
    const struct cli_bench_device *devices;
    size_t count;
    enum lit_exit exit;
    const char *because; // half a sentence: why that exit code
};

// How the rows of all devices ended.
struct cli_bench_sum {
    uint64_t right, wrong, gave_up, skipped, refused, untold; // rows
    unsigned crashed, lost, failed; // devices: also those that hung; said nonsense
    bool out_of_time;
};
// Counts a row that was to be timed so often. skipped: nothing of its benchmark could be.
void cli_bench_add_row(struct cli_bench_sum *sum, const struct bench_measured *measured,
                       uint32_t repeats, bool skipped);
struct cli_bench_sum cli_bench_sum(const struct cli_bench_device *devices, size_t count);
// The exit code, and why. Pure.
enum lit_exit cli_bench_exit(const struct cli_bench_sum *sum, char *because, size_t size);

// Appends the table of a device, with what was wrong, skipped or refused below it.
void cli_bench_table(const struct cli_bench_device *told, bool color, struct text *text);
void cli_bench_markdown(const struct cli_bench *bench, struct text *text);
// As docs/bench.schema.json has it.
void cli_bench_json(const struct cli_bench *bench, struct text *text);

// "0.1268", "12.24", "1,203": milliseconds with four digits. A share: "41 %", "0.03 %". Of
// operations a second: "14.20 T". Returns `target`.
char *cli_bench_ms(char target[32], double ns);
char *cli_bench_share(char target[32], double share);
char *cli_bench_rate(char target[32], double rate);
