// SPDX-License-Identifier: Apache-2.0
// Benchmarks: the table, shared code, and output.
#pragma once

#include "bench/rate.h"
#include "bench/tune.h"
#include "engine/client.h"
#include "isa/code.h"
#include "session/device.h"

struct benching_options {
    struct lit_list devices, simt, tests;
    uint64_t repeat, elements, loops, scale;
    struct lit_seed seed;
    const char *json, *markdown, *keep;
    const char *variants, *cub, *tuned; // of lookback
    int color, verbose;
    bool quiet, validation, tune;
    double timeout, time, budget; // budget: 0 if not given
};

// A configuration of throughput or single on a device.
struct benching_rate {
    const struct eng_device *device;
    char name[512]; // the configuration
    struct bench_rates rates;
    enum eng_result end; // PASS if the worker reported all; SKIP if the device cannot run it
    char reason[512];    // why not
};

struct benching {
    const char *name; // the benchmark's
    struct benching_options chosen;
    struct ses_devices devices;
    struct store_session session;  // like a stored one: command, start, system and seed
    struct lit_error unkept;       // a file of code or choices that could not be written
    struct bench_device *measured; // for scan, lookback
    size_t measured_count;
    struct benching_rate *rates; // for throughput, single
    size_t rate_count;
    struct look_tunings tunings; // for lookback
    struct look_cub cub;
    // Device, size and rates of the worker's current reports:
    const struct eng_device *device;
    struct bench_size *size;
    struct benching_rate *rate;
    enum eng_end end; // how the last worker ended
    enum lit_exit exit;
    char because[256]; // half a sentence: the reason for the exit code
};

enum { BENCHING_SCAN = 1, BENCHING_LOOKBACK = 2, BENCHING_SINGLE = 4, BENCHING_THROUGHPUT = 8 };

extern const struct benching_kind {
    const char *name, *about;
    int bit;
    uint64_t repeat, simt_repeat, most_repeat;
    bool (*begin)(struct benching *b, struct lit_error *error); // may be NULL
    void (*run)(struct benching *b);
} benching_kinds[];
#define BENCHING_KINDS 4

// Checks the options, measures on the chosen devices, prints the results and writes the files that
// the options name. `chosen` and `session` must be set. Returns the exit code; errors were printed.
// Clear it in any case, except its devices.
int benching_run(struct benching *b, const struct benching_kind *kind, struct lit_error *error);
void benching_clear(struct benching *b);

// --- Each benchmark

// Checks its options and reads its files. False with an error.
bool benching_lookback_begin(struct benching *b, struct lit_error *error);
bool benching_rates_begin(struct benching *b, struct lit_error *error);
// Measures on the present device and prints the results.
void benching_scan(struct benching *b);
void benching_lookback(struct benching *b);
void benching_rates(struct benching *b);
// Chooses the exit code: wrong units are a finding, as in `litmus run`. Pure.
enum lit_exit benching_rates_exit(const struct benching_rate *rates, size_t count, bool out_of_time,
                                  char *because, size_t size);

// --- Shared

// Asks a worker on the present device, with validation, capture and seed from the options. Stores
// how it ended in *result, reason and b->end; the result is SKIP if the run ends with it. True if
// the run continues.
bool benching_ask(struct benching *b, struct eng_request *request, enum eng_result *result,
                  char reason[512]);
// Whether the last worker's end also ends the run: no time left, or a signal.
bool benching_is_over(const struct benching *b);

// --- Output

// Tables for a size of scan and of lookback; `all`: for all sizes of a device, once they are done.
void benching_table(const struct bench_size *size, bool color, struct text *text);
void benching_look_table(const struct bench_size *size, bool all, bool color, struct text *text);
void benching_look_summary(const struct bench_device *device, bool color, struct text *text);
// Prints everything as Markdown, or as JSON by docs/bench.schema.json,
// docs/bench-lookback.schema.json, docs/bench-rate.schema.json.
void benching_markdown(const struct benching *b, struct text *text);
void benching_json(const struct benching *b, struct text *text);

// "0.1268", "12.24", "1,203": milliseconds with four digits. A share: "41 %", "0.03 %". Operations
// per second: "14.20 T". Returns `target`.
char *benching_ms(char target[32], double ns);
char *benching_share(char target[32], double share);
char *benching_per_second(char target[32], double rate);
// The same as printf arguments.
#define MS(ns)           benching_ms((char[32]){0}, (ns))
#define SHARE(share)     benching_share((char[32]){0}, (share))
#define PER_SECOND(rate) benching_per_second((char[32]){0}, (rate))
