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
// Emits ERROR.
void eng_emit_error(const struct eng_sink *sink, const struct lit_error *error);
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

// --- In the worker: benchmarks, which open a device for this alone and time.

#define ENG_BENCH_WARM 2 // rounds before the ones that count
#define ENG_BENCH_SCAN "scan"
#define ENG_LOOKBACK   "lookback"

// Runs a BENCH request named ENG_BENCH_SCAN or ENG_LOOKBACK: all rows, or each of
// `rows`, scan `elements` words `runs` times after ENG_BENCH_WARM rounds. Emits a ROW event for
// each row, a TIME event for each dispatch, and at last DONE or ERROR. Each round dispatches every
// row once, in an order drawn from the seed, so that changes in clocks, heat or other load favour
// no row. The device verifies outputs of look-back; the verification is tried first, and nothing is
// timed if it is not reliable. DEV_LOST and DEV_TIMEOUT as for eng_measure.
enum dev_status eng_bench(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink);

// If eng_throughput_is(request->name): "throughput CONFIGURATION", or "single
// CONFIGURATION". Measures how fast the device copies, chooses how many workgroups fill it unless
// `elements` says, and runs the configuration for `budget_ms` in `runs` rounds. Emits a RATE event
// for each round (for "single" each form in turn), at last DONE. DEV_LOST and DEV_TIMEOUT likewise.
enum dev_status eng_throughput(struct dev *dev, const struct eng_request *request,
                               const struct eng_sink *sink);
bool eng_throughput_is(const char *name);

// Computes how many iterations fit if `loops` of them take `ns` nanoseconds for one round of all
// rows: 1 to BENCH_LOOPS, so that `rounds` rounds take about `budget` nanoseconds. Sets *enough if
// `loops` were many enough for this estimate. Pure.
uint32_t eng_bench_loops(uint32_t loops, double ns, uint64_t rounds, double budget, bool *enough);
