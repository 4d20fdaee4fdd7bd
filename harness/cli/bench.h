// SPDX-License-Identifier: Apache-2.0
// litmus bench: what its benchmarks share, and what they print.
#pragma once

#include "bench/rate.h"
#include "bench/tune.h"
#include "cli/device.h"
#include "engine/client.h"
#include "isa/code.h"

struct cli_bench_options {
    struct lit_list devices, simt, tests;
    uint64_t repeat, elements, loops, scale;
    struct lit_seed seed;
    const char *json, *markdown, *keep;
    const char *variants, *cub, *tuned; // of lookback
    int color, verbose;
    bool quiet, validation, tune;
    double timeout, time, budget; // budget: 0 if it was not given
};

// A configuration of throughput, single on a device.
struct cli_rate {
    const struct eng_device *device;
    char name[512]; // the configuration
    struct bench_rates rates;
    enum eng_result end; // PASS if the worker reported all; SKIP if the device cannot run it
    char reason[512];    // why not
};

struct cli_benching {
    const char *name; // of the benchmark
    struct cli_bench_options chosen;
    struct ses_devices devices;
    struct store_session session;  // as one that is stored: its command, start, system and seed
    struct isa_code code;          // of the row that comes next
    struct lit_error unkept;       // a file of code or of choices that could not be written
    struct bench_device *measured; // of scan, lookback
    size_t measured_count;
    struct cli_rate *rates; // of throughput, single
    size_t rate_count;
    struct look_tunings tunings; // of lookback
    struct look_cub cub;
    // The device, the size and the rates that the worker reports of:
    const struct eng_device *device;
    struct bench_size *size;
    struct cli_rate *rate;
    enum eng_end end; // how the last worker ended
    enum lit_exit exit;
    char because[256]; // half a sentence: why that exit code
};

// --- Each benchmark

// Checks its own options, and reads its files. False with an error.
bool cli_bench_lookback_begin(struct cli_benching *b, struct lit_error *error);
bool cli_bench_rate_begin(struct cli_benching *b, struct lit_error *error);
// Measures on the present device and prints what came of it.
void cli_bench_scan(struct cli_benching *b);
void cli_bench_lookback(struct cli_benching *b);
void cli_bench_rates(struct cli_benching *b);
// How all of it ended: wrong units are a finding, as in `litmus run`. Pure.
enum lit_exit cli_rates_exit(const struct cli_rate *rates, size_t count, bool out_of_time,
                             char *because, size_t size);

// --- What they share

// Asks a worker of the present device, with validation, capture and the seed as the options say.
// *result, reason and b->end become how it ended; the result is SKIP if the run ends with it. True
// if the run continues.
bool cli_benching_ask(struct cli_benching *b, struct eng_request *request, enum eng_result *result,
                      char reason[512]);
// Whether the last worker's end ends the run, too: its time, or a signal.
bool cli_benching_is_over(const struct cli_benching *b);

// --- What they print

// A size of scan, of lookback; of lookback all of a device, once they are done.
void cli_bench_table(const struct bench_size *size, bool color, struct text *text);
void cli_look_table(const struct bench_size *size, bool all, bool color, struct text *text);
void cli_look_summary(const struct bench_device *device, bool color, struct text *text);
void cli_rate_text(const struct cli_rate *rate, struct text *text);
// All of it, as Markdown, and as JSON by docs/bench.schema.json, docs/bench-lookback.schema.json,
// docs/bench-rate.schema.json.
void cli_bench_markdown(const struct cli_benching *b, struct text *text);
void cli_bench_json(const struct cli_benching *b, struct text *text);

// "0.1268", "12.24", "1,203": milliseconds with four digits. A share: "41 %", "0.03 %". Of
// operations per second: "14.20 T". Returns `target`.
char *cli_bench_ms(char target[32], double ns);
char *cli_bench_share(char target[32], double share);
char *cli_bench_rate(char target[32], double rate);
// The same as arguments of a printf.
#define MS(ns)           cli_bench_ms((char[32]){0}, (ns))
#define SHARE(share)     cli_bench_share((char[32]){0}, (share))
#define PER_SECOND(rate) cli_bench_rate((char[32]){0}, (rate))
