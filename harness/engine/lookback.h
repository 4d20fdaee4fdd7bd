// SPDX-License-Identifier: Apache-2.0
// In the worker: `litmus bench lookback`, one size of it.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

#define ENG_LOOKBACK "lookback" // the request's name

// Does what a BENCH request of that name asks for: `elements` words are scanned by each of `rows`,
// `runs` times after ENG_BENCH_WARM rounds, and every output is verified on the device. The
// verification is tried first: if it cannot be trusted, nothing is timed. Events and results are
// those of eng_bench, the rows' numbers those of bench/lookback.h.
enum dev_status eng_lookback(struct dev *dev, const struct eng_request *request,
                             bool (*emit)(const struct eng_event *event, void *user), void *user);
