// SPDX-License-Identifier: Apache-2.0
// In the worker: the pipelines of the configurations that come next, made while the present one's
// runs are on the device.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

// Begins to make what request->ahead names, each on a thread of its own. An AHEAD event says of
// each that it is made, or that there is nothing to be made ahead; most come from those threads, so
// that `emit` must bear being called by several at once.
void eng_ahead(struct dev *dev, const struct eng_request *request,
               bool (*emit)(const struct eng_event *event, void *user), void *user);
