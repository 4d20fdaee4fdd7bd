// SPDX-License-Identifier: Apache-2.0
// In the worker: one configuration, from its name to its counts.
#pragma once

#include "catalogue/catalogue.h"
#include "catalogue/prepare.h"
#include "device/device.h"
#include "engine/protocol.h"
#include "generate/module.h"

// A generated program as a configuration: a test with as much of a head as a run needs, the oracle
// of its family, and the module that is emitted.
struct eng_generated {
    struct gen_program program;
    struct cat_test test;
    struct cat_case which;
    struct cat_module entry;
    struct gen_module module;
};

struct eng_measure {
    struct dev *dev;
    const struct eng_generated *own; // NULL: the one of the catalogue that the request names
    bool check_on_host;              // the device's own checker is not trusted
    uint32_t tried; // modes in which it was tried, bit i: enum cat_check i; others are
                    // checked on the host
    bool named;     // the module gets the names of its ids, for who reads the driver's listing
    bool outputs;   // CODE events have the words of the last run, which the host checks
    uint32_t scale; // workgroups, where the test leaves the choice; 0: as many as suit the device
    const struct eng_sink *sink; // takes BATCH and MESSAGE events, and at last DONE or ERROR
};

// What a configuration's pipeline is made of; `words` NULL: the catalogue's.
struct dev_compile_info eng_compile_info(const struct eng_prepared *ready, const uint32_t *words);

// The most words for a buffer: input and expectation lie in the host's memory, too.
uint64_t eng_most_words(const struct dev *dev);

// How many runs the batch after one of `runs` has, which took so many seconds: as many as take 0.05
// s at that speed, at most 16 times as many; half as many as took more than 0.1 s.
uint32_t eng_batch_after(uint32_t runs, double seconds);
#define ENG_MAX_BATCH 256 // runs

// Does what a RUN request asks for; its index, settings and validation are not looked at. DEV_LOST
// and DEV_TIMEOUT: the device is of no use any more, and after DEV_TIMEOUT it may still be running:
// nothing may be cleaned up. Else all that was made for it, ahead or not, is destroyed before DONE
// or ERROR is said.
enum dev_status eng_measure(const struct eng_measure *measure, const struct eng_request *request);

// --- In the worker: pipelines and expectations of the configurations that come next, made while
// the present one's runs are on the device.

// Begins to make what request->ahead names, each on a thread of its own. A PRECOMPILED event says
// of each that it is made, or that there is nothing to be precompiled; most come from those
// threads, so that `emit` must bear being called by several at once.
void eng_precompile_begin(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink);

// Frees what was made under this name and not used; NULL: everything. Nothing may be being made.
void eng_precompiled_forget(const char *name);

// --- In the worker: what a driver makes of one configuration, on its way to the supervisor.

// Emits a code as CODE events. False, and nothing is emitted, if it is longer than they can carry.
bool eng_emit_code(const struct isa_code *code, const struct eng_sink *sink);

// Emits a result and a text: DONE, ERROR.
void eng_emit_text(const struct eng_sink *sink, enum eng_event_kind kind, enum eng_result result,
                   const char *text);
// Emits DONE, with the error's message unless it passed.
void eng_emit_end(const struct eng_sink *sink, enum eng_result result,
                  const struct lit_error *error);
// What a request ended as; PASS for DEV_OK.
enum eng_result eng_status_result(enum dev_status status);

// Does what a COMPILE request asks for: emits CODE events and at last DONE (pass, or skip if the
// device lacks something, or harness-error if the driver refuses the pipeline) or ERROR.
enum dev_status eng_compile(struct dev *dev, const char *name, const struct eng_sink *sink);

// In the worker: does what a GENERATED request asks for.
enum dev_status eng_generated_run(struct dev *dev, const struct eng_request *request,
                                  const struct eng_sink *sink);
// In the worker: does what a RUN request for a test whose programs are drawn asks for. A BATCH is a
// program, which is a run that failed if any of its own runs did.
enum dev_status eng_draw_run(struct dev *dev, const struct cat_case *which,
                             const struct eng_request *request, const struct eng_sink *sink);
