// SPDX-License-Identifier: Apache-2.0
// Dispatches that are timed: kernels that share one input and one output of as many words, run one
// at a time. Either the input is the host's and each output is read back; or the input is made, and
// each output verified, on the device, and nothing of that size leaves it.
#pragma once

#include "device/device.h"
#include "model/kernel.h"

struct dev_timer;

// Copies `words` words of input to the device. `seed` goes into the push constants. `input` NULL:
// one is made of `seed`, the words being a multiple of four, and outputs are verified on the
// device; DEV_ERROR with LIT_EXIT_NOTHING if it has too little memory or no addresses. NULL with an
// error; *status says which kind.
struct dev_timer *dev_timer_create(struct dev *dev, const uint32_t *input, uint64_t words,
                                   uint32_t seed, enum dev_status *status, struct lit_error *error);
void dev_timer_destroy(struct dev_timer **timer); // NULL is fine; after its kernels

// Nanoseconds of one tick of the device's timestamps; 0 if it has none, so that the host's clock
// says when a submission began and ended.
double dev_timer_tick(const struct dev_timer *timer);

// Makes the verification of such scans and tries it: a correct output made without a scan, and the
// same with one word changed, at both ends and at a place drawn from `drawn`. DEV_ERROR if it does
// not report exactly that. Once for each scan, before a kernel that does it is run.
enum dev_status dev_timer_try(struct dev_timer *timer, enum cat_scan scan, uint64_t drawn,
                              uint32_t timeout_ms, struct lit_error *error);

struct dev_timed_info {
    struct dev_compile_info kernel;
    uint32_t workgroups; // of each dispatch
    uint64_t words;      // of the output, which are read back
    // Where outputs are verified:
    uint32_t state_words; // that it has for itself, 0: none
    uint64_t segment;     // words from which on the sum begins anew: one, or a multiple of four
    enum cat_scan scan;
    bool in_place; // its input is the buffer that it stores to
};

struct dev_timed;

// Compiles a kernel without any cache, and makes its state, all zeros. NULL with an error. Several
// threads may do this at a time, and nothing else meanwhile but dev_compile.
struct dev_timed *dev_timed_create(struct dev_timer *timer, const struct dev_timed_info *info,
                                   enum dev_status *status, struct lit_error *error);
void dev_timed_destroy(struct dev_timer *timer, struct dev_timed **timed);

struct dev_timing {
    double ns;              // that the dispatch alone took
    const uint32_t *output; // what was read back; the next run overwrites it
    // What a verification reported:
    uint64_t looked;    // words that it looked at
    uint64_t wrong;     // of them
    uint64_t index;     // of the first wrong one
    uint32_t got, want; // there
    bool expired;       // the kernel's state says that a wait timed out
};

// Fills the output with poison, dispatches the kernel (with the next epoch in its push constants
// where outputs are verified: 1, 2, ...; after a wait that timed out, the state begins anew), and
// reads back or verifies the output. Waits at most `timeout_ms` for each submission. DEV_ERROR if
// the verification did not look at every word.
enum dev_status dev_timed_run(struct dev_timer *timer, struct dev_timed *timed, uint32_t timeout_ms,
                              struct dev_timing *timing, struct lit_error *error);
