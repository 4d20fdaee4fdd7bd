// SPDX-License-Identifier: Apache-2.0
// Benchmarks on both sides of the process boundary: the worker times, on a device that was opened
// for it alone; the supervisor asks a worker of its own and hands on what it reports.
#pragma once

#include "bench/rate.h"
#include "bench/result.h"
#include "device/device.h"
#include "engine/client.h"

#define ENG_BENCH_WARM 2 // rounds before those that count
#define ENG_BENCH_SCAN "scan"
#define ENG_LOOKBACK   "lookback"

// In the worker. Does what a BENCH request asks for whose name is ENG_BENCH_SCAN or ENG_LOOKBACK:
// `elements` words are scanned by all rows, or by each of `rows`, `runs` times after ENG_BENCH_WARM
// rounds. Emits a ROW event for each row, a TIME event for each dispatch, and at last DONE or
// ERROR. In each round every row is dispatched once, in an order drawn from the seed, so that
// whatever changes meanwhile (clocks, heat, other work) favours none. Outputs of look-back are
// verified on the device; the verification is tried first, and nothing is timed if it cannot be
// trusted. DEV_LOST and DEV_TIMEOUT as in engine/measure.h.
enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink);

// In the worker, if eng_throughput_is(request->name): "throughput CONFIGURATION", or "single
// CONFIGURATION". Measures how fast the device copies, chooses how many workgroups fill it unless
// `elements` says, and runs the configuration for `budget_ms` in `runs` rounds. A RATE event for
// each round, for "single" of each form in turn; at last DONE. DEV_LOST and DEV_TIMEOUT likewise.
enum dev_status eng_throughput(struct dev *dev, const struct eng_request *request,
                               const struct eng_sink *sink);
bool eng_throughput_is(const char *name);

// How many iterations fit, if `loops` of them take `ns` nanoseconds for one round of all rows: 1 to
// BENCH_LOOPS, so that `rounds` rounds take about `budget` nanoseconds. *enough: `loops` were many
// enough to say so. Pure.
uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough);

// In the supervisor: what is handed on as it comes to the client (client.h) of a BENCH; none of it
// is checked against the benchmark's rows yet. False: it makes no sense, and the worker is ended.
// The outcome's result is PASS if the worker reported all; its reason why not.
struct eng_benching {
    // A ROW event: `result` is PASS, or SKIP or HARNESS_ERROR with a reason.
    bool (*row)(const struct bench_report *report, enum eng_result result, const char *reason,
                void *user);
    // The compiled code of the row that comes next, packed (isa_pack); only if the request asks for
    // it (capture).
    bool (*code)(const char *bytes, size_t size, void *user);
    bool (*time)(const struct bench_report *report, void *user);
    bool (*rate)(const struct bench_rate *rate, void *user);
    void *user;
};
