// SPDX-License-Identifier: Apache-2.0
// A benchmark as the supervisor sees it: one request to a worker of its own.
#pragma once

#include "bench/said.h"
#include "engine/client.h"

// What is handed on as it comes; none of it is checked against the benchmark's rows yet.
struct eng_benching {
    // A ROW event: `result` is PASS, or SKIP or HARNESS_ERROR with a reason. False: it makes no
    // sense, and the worker is ended.
    bool (*row)(const struct bench_said *said, enum eng_result result, const char *reason,
                void *user);
    // What the driver made of the row that comes next, packed (isa_pack); only if the request asks
    // for it (capture). False: it makes no sense.
    bool (*code)(const char *bytes, size_t size, void *user);
    bool (*time)(const struct bench_said *said, void *user); // a TIME event, likewise
    bool (*rate)(const struct bench_rate *said, void *user); // a RATE event, likewise
    void *user;
};

// Starts a worker, asks it for `request` (BENCH; its index and timeout_ms are filled in), and hands
// on what it says until it ends. The outcome's result is PASS if it said all; its reason why not.
enum eng_end eng_bench_ask(const struct eng_watch *watch, const struct eng_device *device,
                           const struct eng_request *request, const struct eng_benching *benching,
                           struct eng_outcome *outcome);
