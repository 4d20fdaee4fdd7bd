// SPDX-License-Identifier: Apache-2.0
// What the JSON of all benchmarks has in common. Objects and texts as jansson has them.
#pragma once

#include "bench/result.h"
#include "model/inventory.h"

#include <jansson.h>

void cli_put_text(json_t *object, const char *key, const char *value);
void cli_put_count(json_t *object, const char *key, uint64_t value);
void cli_put_real(json_t *object, const char *key, double value);
void cli_put_known(json_t *object, const char *key, double value); // null where it is 0: not known
void cli_put_hex(json_t *object, const char *key, uint64_t value); // "0x5eed"

// "median", "lower_quartile", "upper_quartile", "least", "most".
json_t *cli_bench_sample(const struct stat_sample *sample);
// Likewise, and "all": every time of a row in the order of the rounds.
json_t *cli_bench_times(const struct bench_measured *measured, const struct stat_sample *ns);

// What came of a row: "result", "reason", "wrong", "statistics".
void cli_bench_put_verdict(json_t *object, const struct bench_measured *measured);
// A device: "number", "name", "type", "uuid", "id", "vulkan", "subgroup", "driver".
void cli_bench_put_device(json_t *object, const struct eng_device *device);

// The outermost object: what it begins with; and what it ends with, so that it can be written to
// `text`. The object is given away there.
struct cli_bench_head {
    const char *schema, *benchmark, *command, *started, *system;
    uint64_t seed;
};
json_t *cli_bench_begin(const struct cli_bench_head *head);
void cli_bench_end(json_t *object, enum lit_exit code, const char *because, struct text *text);
