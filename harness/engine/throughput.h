// SPDX-License-Identifier: Apache-2.0
// In the worker: how many checked instances a configuration gives in a second.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

// Whether a BENCH request of this name is for eng_throughput.
bool eng_throughput_is(const char *name);

// Does what a BENCH request asks for whose name is "throughput CONFIGURATION", or "single
// CONFIGURATION", on a device that was opened for it alone: measures how fast the device copies,
// chooses how many workgroups fill it unless `elements` says, and runs the configuration for
// `budget_ms` in `runs` rounds. A RATE event for each round, for "single" of each form in turn; at
// last DONE. DEV_LOST and DEV_TIMEOUT as in engine/measure.h.
enum dev_status eng_throughput(struct dev *dev, const struct eng_request *request,
                               bool (*emit)(const struct eng_event *event, void *user), void *user);
