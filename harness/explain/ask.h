// SPDX-License-Identifier: Apache-2.0
// Runs a kernel once on the SIMT simulator, and finds its errors.
#pragma once

#include "catalogue/package.h"
#include "engine/client.h"
#include "session/device.h"

struct exp_asking {
    struct ses_devices devices;
    struct eng_device device;
    struct eng_client client;
    const char *name; // the configuration's name
    char *manifest;
    char printed[512]; // the worker's last line of output
};

// False with an error if there is no simulator. Call exp_asking_end in any case.
bool exp_asking_begin(struct exp_asking *asking, struct lit_error *error);
void exp_asking_end(struct exp_asking *asking);
// Does one run with these settings. False if it did not run, with an error that names the option
// that asked for it (NULL: none did).
bool exp_ask(struct exp_asking *asking, enum eng_request_kind kind, const char *settings,
             uint64_t seed, const char *option, struct eng_outcome *outcome,
             struct lit_error *error);

// Finds the errors of a kernel in the catalogue in one traced run. Appends them to `out`, and their
// numbers to `sums`: "a data race and 2 uninitialised reads"; "" if there are none. `option` asked
// for it and is named in errors; NULL: none did, and a sample of the kernel is enough. False with
// an error if the simulator cannot run it.
bool exp_findings_put(const struct cat_package *package, const char *name, const char *option,
                      struct text *sums, struct text *out, struct lit_error *error);
