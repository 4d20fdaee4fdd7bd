// SPDX-License-Identifier: Apache-2.0
// What `litmus bench throughput` and `single` say: for the terminal, as Markdown, as JSON.
#pragma once

#include "base/text.h"
#include "bench/rate.h"
#include "model/inventory.h"
#include "model/result.h"

// A configuration on a device.
struct cli_rate {
    const struct eng_device *device;
    char name[512]; // the configuration
    struct bench_rates rates;
    enum eng_result end; // PASS if the worker said all; SKIP if the device cannot run it
    char reason[512];    // why not
};

struct cli_rates {
    const char *benchmark; // "throughput" or "single"
    const char *command, *started, *system;
    uint64_t seed;
    const struct cli_rate *rates;
    size_t count;
    enum lit_exit exit;
    const char *because;
};

// How all of it ended: wrong instances are a finding, as in `litmus run`. Pure.
enum lit_exit cli_rates_exit(const struct cli_rate *rates, size_t count, bool out_of_time,
                             char *because, size_t size);

void cli_rate_text(const struct cli_rate *rate, struct text *text);
void cli_rates_markdown(const struct cli_rates *rates, struct text *text);
void cli_rates_json(const struct cli_rates *rates,
                    struct text *text); // docs/bench-rate.schema.json
