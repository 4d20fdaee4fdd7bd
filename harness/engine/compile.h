// SPDX-License-Identifier: Apache-2.0
// In the worker: what a driver makes of one configuration, on its way to the supervisor.
#pragma once

#include "device/device.h"
#include "engine/protocol.h"

// Emits a code as CODE events. False, and nothing is emitted, if it is longer than they can carry.
bool eng_emit_code(const struct isa_code *code,
                   bool (*emit)(const struct eng_event *event, void *user), void *user);

// Does what a COMPILE request asks for: emits CODE events and at last DONE (pass, or skip if the
// device lacks something, or harness-error if the driver refuses the pipeline) or ERROR.
enum dev_status eng_compile(struct dev *dev, const char *name,
                            bool (*emit)(const struct eng_event *event, void *user), void *user);
