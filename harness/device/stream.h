// SPDX-License-Identifier: Apache-2.0
// Dispatches that are timed and verified on the device: kernels that reach one large input and one
// output by their addresses. Nothing of their size leaves the device.
#pragma once

#include "device/device.h"

struct dev_stream;

// Makes an input and an output of `words` words each, a multiple of four, and fills the input by
// `seed`. NULL with an error: *status says which kind; DEV_ERROR with LIT_EXIT_NOTHING if the
// device has too little memory or no addresses.
struct dev_stream *dev_stream_create(struct dev *dev, uint32_t words, uint32_t seed,
                                     uint32_t timeout_ms, enum dev_status *status,
                                     struct lit_error *error);
void dev_stream_destroy(struct dev_stream **stream); // NULL is fine; after its kernels

// The word of the input at an index. Pure.
uint32_t dev_stream_word(uint32_t seed, uint32_t index);

// Nanoseconds of one tick of the device's timestamps; 0 if it has none, so that the host's clock
// says when a submission began and ended.
double dev_stream_tick(const struct dev_stream *stream);

// What a verification told.
struct dev_verdict {
    uint64_t looked;    // words that it looked at
    uint64_t wrong;     // of them
    uint64_t index;     // of the first wrong one
    uint32_t got, want; // there
    bool gave_up;       // the kernel's state says that a wait ran out
};

// Tries the verification: a right output made without a scan, and the same with one word changed,
// at both ends and at a place drawn from `drawn`. DEV_ERROR if it does not tell exactly that.
enum dev_status dev_stream_try(struct dev_stream *stream, uint64_t drawn, uint32_t timeout_ms,
                               struct lit_error *error);

#define DEV_STREAM_SPECS 4

struct dev_stream_info {
    const uint32_t *words; // the module
    size_t word_count;
    uint32_t subgroup; // required subgroup size where the device can control it; 0: any
    uint32_t spec_ids[DEV_STREAM_SPECS], spec_values[DEV_STREAM_SPECS];
    size_t spec_count;
    uint32_t workgroups;  // of each dispatch
    uint32_t state_words; // that it has for itself, 0: none
    uint32_t segment;     // the words of its output from which on the sum begins anew
};

struct dev_streamed;

// Compiles a kernel without any cache, and makes its state, all zeros. NULL with an error. Several
// threads may do this at a time, and nothing else meanwhile but dev_compile.
struct dev_streamed *dev_streamed_create(struct dev_stream *stream,
                                         const struct dev_stream_info *info,
                                         enum dev_status *status, struct lit_error *error);
void dev_streamed_destroy(struct dev_stream *stream, struct dev_streamed **streamed);

// Fills the output with poison, dispatches the kernel with the next epoch in its push constants
// (1, 2, ...), and verifies the output. *ns is what the dispatch alone took, in nanoseconds. After
// a wait that ran out, the state begins anew. DEV_ERROR if the verification did not look at every
// word.
enum dev_status dev_streamed_run(struct dev_stream *stream, struct dev_streamed *streamed,
                                 uint32_t timeout_ms, double *ns, struct dev_verdict *verdict,
                                 struct lit_error *error);
