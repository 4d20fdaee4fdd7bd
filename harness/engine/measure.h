// SPDX-License-Identifier: Apache-2.0
// In the worker: one configuration, from its name to its counts.
#pragma once

#include "catalogue/catalogue.h"
#include "device/device.h"
#include "engine/protocol.h"

// A configuration that is not of the catalogue.
struct eng_own {
    const struct cat_case *which;
    const struct cat_module *module;
    const uint32_t *words; // of the module
};

struct eng_measure {
    struct dev *dev;
    const struct eng_own *own; // NULL: the one of the catalogue that the request names
    bool check_on_host;        // the device's own checker is not trusted
    uint32_t tried;            // modes in which it was tried, bit i: enum cat_check i; others are
                               // checked on the host
    bool named;     // the module gets the names of its ids, for who reads the driver's listing
    uint32_t scale; // workgroups, where the test leaves the choice; 0: as many as suit the device
    // Takes BATCH and MESSAGE events, and at last DONE or ERROR. False: nobody listens any more.
    bool (*emit)(const struct eng_event *event, void *user);
    void *user;
};

// The most words for a buffer: input and expectation lie in the host's memory, too.
uint64_t eng_most_words(const struct dev *dev);

// How many runs the batch after one of `runs` has, which took so many seconds: batches grow until
// one takes 0.05 s.
uint32_t eng_batch_after(uint32_t runs, double seconds);
#define ENG_MAX_BATCH 256 // runs

// Does what a RUN request asks for; its index, settings and validation are not looked at. DEV_LOST
// and DEV_TIMEOUT: the device is of no use any more, and after DEV_TIMEOUT it may still be running:
// nothing may be cleaned up. Else all that was made for it, ahead or not, is destroyed before DONE
// or ERROR is said.
enum dev_status eng_measure(const struct eng_measure *measure, const struct eng_request *request);
