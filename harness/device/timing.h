// SPDX-License-Identifier: Apache-2.0
// Timed dispatches: kernels that share one input and one output of equal size, run one at a time.
// Either the host provides the input and reads back each output; or the device makes the input and
// verifies each output, and no data of that size leave it.
#pragma once

#include "device/device.h"
#include "model/kernel.h"

struct dev_timer;

// Copies `words` words of input to the device. `seed` goes into the push constants. `input` NULL:
// makes one from `seed`, with `words` a multiple of four, and verifies outputs on the device;
// DEV_ERROR with LIT_EXIT_NOTHING if it lacks memory or addresses. NULL with an error, and its kind
// in *status.
struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *status, struct lit_error *error);
void dev_timer_destroy(struct dev_timer **timer); // NULL is fine; destroy its kernels first

// Nanoseconds per tick of the device's timestamps; 0 if it has none, and the host's clock times
// submissions.
double dev_timer_tick(const struct dev_timer *timer);

// Prepares and tests the verification of such scans: on a correct output made without a scan, and
// with one word changed, at both ends and at a place chosen by `drawn`. DEV_ERROR if it does not
// report exactly that. Call once per scan before running kernels for it.
enum dev_status dev_timer_try(struct dev_timer *timer, enum cat_scan scan, uint64_t drawn,
                              uint32_t timeout_ms, struct lit_error *error);

struct dev_timed_info {
    struct dev_compile_info kernel;
    uint32_t workgroups; // per dispatch
    uint64_t words;      // words of output to read back
    // If outputs are verified:
    uint32_t state_words; // private state; 0: none
    uint64_t segment;     // words until the sum restarts: one, or a multiple of four
    enum cat_scan scan;
    bool in_place; // it stores to its input buffer
};

struct dev_timed;

// Compiles a kernel without any cache, and creates its zeroed state. NULL with an error. Several
// threads may call this concurrently, but nothing else except dev_compile.
struct dev_timed *dev_timed_create(struct dev_timer *timer, const struct dev_timed_info *info,
                                   enum dev_status *status, struct lit_error *error);
void dev_timed_destroy(struct dev_timer *timer, struct dev_timed **timed);

struct dev_timing {
    double ns;              // duration of the dispatch alone
    const uint32_t *output; // read back; valid until the next run
    // Results of the verification:
    uint64_t looked;    // words examined
    uint64_t wrong;     // wrong words
    uint64_t index;     // of the first wrong word
    uint32_t got, want; // its values
    bool expired;       // the kernel's state reports a timed-out wait
};

// Fills the output with poison, dispatches the kernel, and reads back or verifies the output. If
// outputs are verified, the push constants contain an epoch (1, 2, ...), and the state is reset
// after a timed-out wait. Waits at most `timeout_ms` for each submission. DEV_ERROR if the
// verification did not examine every word.
enum dev_status dev_timed_run(struct dev_timer *timer, struct dev_timed *timed, uint32_t timeout_ms,
                              struct dev_timing *timing, struct lit_error *error);
