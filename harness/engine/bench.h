// SPDX-License-Identifier: Apache-2.0
// In the worker: a benchmark, from its rows to the times of their dispatches.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

#define ENG_BENCH_WARM 2 // rounds before those that count

// Does what a BENCH request asks for, on a device that was opened for it alone: emits a ROW event
// for each row, a TIME event for each dispatch, and at last DONE or ERROR. In each round every row
// is dispatched once, in an order drawn from the seed, so that whatever changes meanwhile (clocks,
// heat, other work) favours none. DEV_LOST and DEV_TIMEOUT as in engine/measure.h.
enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          bool (*emit)(const struct eng_event *event, void *user), void *user);

// What the driver says of a row, of a pipeline of its own, so that what is timed was not compiled
// otherwise than usual: its statistics into *said, and with `capture` its code as events. Nothing
// depends on it: what the driver does not say is left out. DEV_LOST, DEV_TIMEOUT or DEV_OK.
enum dev_status eng_bench_tell(struct dev *dev, const struct dev_compile_info *info, bool capture,
                               struct bench_said *said,
                               bool (*emit)(const struct eng_event *event, void *user), void *user,
                               struct lit_error *error);

// How many iterations fit, if `loops` of them take `ns` nanoseconds for one round of all rows: 1 to
// BENCH_LOOPS, so that `rounds` rounds take about `budget` nanoseconds. *enough: `loops` were many
// enough to say so. Pure.
uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough);
