// SPDX-License-Identifier: Apache-2.0
// Single runs of a kernel on the SIMT simulator.
#pragma once

#include "engine/client.h"
#include "session/device.h"

struct krn_asking {
    struct ses_devices devices;
    struct eng_device device;
    struct eng_client client;
    const char *name; // of the configuration
    char *manifest;
    char printed[512]; // the last line that the worker printed
};

// False with an error if there is no simulator. End it in any case.
bool krn_asking_begin(struct krn_asking *asking, struct lit_error *error);
void krn_asking_end(struct krn_asking *asking);
// One run with such settings. False with an error, which names the option that asks (NULL: none
// does), if there was none.
bool krn_ask(struct krn_asking *asking, enum eng_request_kind kind, const char *settings,
             uint64_t seed, const char *option, struct eng_outcome *outcome,
             struct lit_error *error);
