// SPDX-License-Identifier: Apache-2.0
// In the worker: pipelines and expectations of the configurations that come next, made while the
// present one's runs are on the device.
#pragma once

#include "device/device.h"
#include "catalogue/prepare.h"
#include "engine/protocol.h"

// Begins to make what request->ahead names, each on a thread of its own. An AHEAD event says of
// each that it is made, or that there is nothing to be made ahead; most come from those threads, so
// that `emit` must bear being called by several at once.
void eng_ahead(struct dev *dev, const struct eng_request *request,
               bool (*emit)(const struct eng_event *event, void *user), void *user);

// Moves input and expectation, if they were made with this seed for this configuration, to *ready,
// which eng_prepare has filled. False if they are not there: eng_prepare_data makes them.
bool eng_ahead_data(const char *name, uint64_t seed, struct eng_prepared *ready);
// Frees what was made under this name and not used; NULL: everything. Nothing may be being made.
void eng_ahead_forget(const char *name);
