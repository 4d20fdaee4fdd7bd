// SPDX-License-Identifier: Apache-2.0
// What a device's driver makes of configurations, asked of a worker. Nothing is run.
#pragma once

#include "catalogue/catalogue.h"
#include "engine/client.h"
#include "isa/code.h"

struct eng_capture {
    const struct eng_watch *watch;
    const struct eng_device *device;
    // Takes what came of one configuration. `code` is empty unless result is ENG_PASS, and may be
    // taken over and left empty; `reason` says why. False: no more.
    bool (*take)(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user);
    void *user;
};

// Compiles the cases in turn, each taken once. A driver that crashes or hangs at one costs that one
// only. Ends early, with why in `reason`, when the device is of no use any more, at the end of the
// time, or at a signal.
enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512]);
