// SPDX-License-Identifier: Apache-2.0
// Benchmarks in the worker, which opens a device for this alone and times.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

#define ENG_BENCH_WARM 2 // rounds before the ones that count
#define ENG_BENCH_SCAN "scan"
#define ENG_LOOKBACK   "lookback"

// Runs a BENCH request named ENG_BENCH_SCAN or ENG_LOOKBACK: all rows, or each of
// `rows`, scan `elements` words `runs` times after ENG_BENCH_WARM rounds. Emits a ROW event for
// each row, a TIME event for each dispatch, and at last DONE or ERROR. Each round dispatches every
// row once, in an order drawn from the seed, so that changes in clocks, heat or other load favour
// no row. The device verifies outputs of look-back; the verification is tried first, and nothing is
// timed if it is not reliable. DEV_LOST and DEV_TIMEOUT as in engine/measure.h.
enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink);

// If eng_throughput_is(request->name): "throughput CONFIGURATION", or "single
// CONFIGURATION". Measures how fast the device copies, chooses how many workgroups fill it unless
// `elements` says, and runs the configuration for `budget_ms` in `runs` rounds. Emits a RATE event
// for each round (for "single" each form in turn), at last DONE. DEV_LOST and DEV_TIMEOUT likewise.
enum dev_status eng_throughput(struct dev *dev, const struct eng_request *request,
                               const struct eng_sink *sink);
bool eng_throughput_is(const char *name);

// Computes how many iterations fit if `loops` of them take `ns` nanoseconds for one round of all
// rows: 1 to BENCH_LOOPS, so that `rounds` rounds take about `budget` nanoseconds. Sets *enough if
// `loops` were many enough for this estimate. Pure.
uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough);
