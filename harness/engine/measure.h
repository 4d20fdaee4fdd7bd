// SPDX-License-Identifier: Apache-2.0
// In the worker: measures one configuration, from its name to its counts.
#pragma once

#include "catalogue/catalogue.h"
#include "catalogue/prepare.h"
#include "device/device.h"
#include "engine/protocol.h"

struct eng_measure {
    struct dev *dev;
    const struct cat_case *which; // a generated program; NULL: by the request's name
    bool check_on_host;           // do not trust the device's checker
    uint32_t tried; // modes in which the checker was tried, bit i: enum cat_check i; the host
                    // checks others
    bool named;     // name the module's ids, for readers of the driver's listing
    bool outputs;   // emit the words of the last run as CODE events; the host checks that run
    uint32_t scale; // workgroups, where the test leaves the choice; 0: as many as suit the device
    const struct eng_sink *sink; // takes BATCH and MESSAGE events, and at last DONE or ERROR
};

// All that runs it on a device: pipeline, data and dispatch. The caller adds how to run it.
struct dev_program_info eng_program_info(const struct eng_prepared *ready);

// The maximum words of a buffer: the host's memory holds input and expectation, too.
uint64_t eng_most_words(const struct dev *dev);

// How many runs the next batch has if `runs` took so many seconds: as many as take 0.05 s at that
// speed, at most 16 times as many; half as many if they took more than 0.1 s.
uint32_t eng_batch_after(uint32_t runs, double seconds);
#define ENG_MAX_BATCH 256 // runs

// Runs a RUN request; ignores its index, settings and validation. After DEV_LOST and DEV_TIMEOUT
// the device is unusable; after DEV_TIMEOUT it may still be running, so clean up nothing. Otherwise
// destroys everything made for the request, ahead or not, before it emits DONE or ERROR.
enum dev_status eng_measure(const struct eng_measure *measure, const struct eng_request *request);

// --- In the worker: makes pipelines and expectations of the next configurations while the present
// one runs on the device.

// Begins to make what request->ahead names, each on its own thread. Emits PRECOMPILED for each when
// it is made, or if there is nothing to precompile. Most events come from those threads, so `emit`
// must allow concurrent calls.
void eng_precompile_begin(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink);

// --- In the worker: sends a driver's output for one configuration to the supervisor.

// Emits a code as CODE events. False, without events, if it is too long for them.
bool eng_emit_code(const struct isa_code *code, const struct eng_sink *sink);

// Emits DONE, with the error's message unless it passed.
void eng_emit_end(const struct eng_sink *sink, enum eng_result result,
                  const struct lit_error *error);
// The result of a request; PASS for DEV_OK.
enum eng_result eng_status_result(enum dev_status status, const struct lit_error *error);

// Runs a COMPILE request: emits CODE events and at last DONE (pass, or skip if the device lacks
// something, or harness-error if the driver refuses the pipeline) or ERROR. `which`: a generated
// program in place of the named configuration, without CODE events; may be NULL.
enum dev_status eng_compile(struct dev *dev, const char *name, const struct cat_case *which,
                            const struct eng_sink *sink);

// In the worker: runs a GENERATED request; of 0 runs it only compiles the program, which counts as
// one instance: right, or never written if the driver refuses it (FAIL, with the driver's error).
enum dev_status eng_generated_run(struct dev *dev, const struct eng_request *request,
                                  const struct eng_sink *sink);
// In the worker: runs a RUN request for a test with drawn programs. Each BATCH is one program; it
// counts as one run, which failed if any of its own runs did.
enum dev_status eng_draw_run(struct dev *dev, const struct cat_case *which,
                             const struct eng_request *request, const struct eng_sink *sink);
