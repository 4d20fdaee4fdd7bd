// SPDX-License-Identifier: Apache-2.0
// Vulkan: the only part of the program that knows it. Used by worker processes alone: a driver may
// crash or hang in any of these calls. Not thread-safe.
#pragma once

#include "base/error.h"
#include "model/check.h"
#include "model/facts.h"
#include "model/interface.h"
#include "model/stress.h"
#include "isa/code.h"

// Lists the devices of the drivers that the loader finds in this process's environment.
// *facts is allocated, free() it. False with code LIT_EXIT_NOTHING: no loader, no driver, no
// device.
bool dev_enumerate(struct dev_facts **facts, size_t *count, struct lit_error *error);

struct dev;

enum dev_status {
    DEV_OK,
    DEV_LOST,    // VK_ERROR_DEVICE_LOST
    DEV_TIMEOUT, // a fence was not signalled in time: the device may still be running
    DEV_ERROR,   // anything else; the error says what
};

struct dev_open_info {
    size_t index;    // into dev_enumerate's list
    bool validation; // load VK_LAYER_KHRONOS_validation; its messages go to `message`
    bool capture;    // with VK_KHR_pipeline_executable_properties and the like, where offered
    bool single;     // for one dispatch alone, which belongs to no run (dev_begin_run)
    bool compiles;   // for dev_compile alone: nothing can be run
    void (*message)(const char *text, void *user);
    void *user;
};

// Opens a device with every feature that a test may need and it has. NULL with an error.
struct dev *dev_open(const struct dev_open_info *info, struct lit_error *error);
void dev_close(struct dev **dev); // NULL is fine
const struct dev_facts *dev_facts(const struct dev *dev);

// The most 32-bit words for a buffer, if there are to be some of that size: of a configuration, and
// of what checks it.
uint64_t dev_most_words(const struct dev *dev);

// What a pipeline is made of.
struct dev_compile_info {
    const uint32_t *words; // the module
    size_t word_count;
    uint32_t subgroup; // required subgroup size where the device can control it; 0: any
    const uint32_t *spec_ids, *spec_values; // of 64 bits twice, the low word first
    size_t spec_count;
    const struct cat_interface *interface; // must outlive what is made with it; NULL: that of tests
};

// False with an error that names the limit of the device beyond which a kernel's interface is.
bool dev_interface_fits(const struct dev *dev, const struct cat_interface *interface,
                        struct lit_error *error);
// The same of its modules: cooperative matrices of a shape and types that the device does not list,
// and float controls of a width that it does not offer.
bool dev_module_fits(const struct dev *dev, const struct dev_compile_info *code,
                     struct lit_error *error);

// One configuration made ready: pipeline, buffers, recorded commands.
struct dev_program;

struct dev_program_info {
    const char *name; // under which its pipeline may have been precompiled; NULL: none
    struct dev_compile_info code;
    struct cat_mode mode;
    struct cat_shape shape;
    const uint32_t *input, *expected; // copied to the device
    // What output and state hold before each run, one behind the other, likewise copied; NULL:
    // poison, and zero.
    const uint32_t *fresh;
    bool check_on_host;       // the device-side checker is not trusted
    uint32_t batch;           // the most runs in one submission
    struct dev_stress stress; // as the device and the module allow it
    bool single; // for dev_program_single alone; then code and input must outlive the program
    bool timed;  // each batch says how long its stages took, where the device has a clock
};

// Compiles the pipeline without any cache and uploads the data. NULL with an error; *status says
// which kind.
struct dev_program *dev_program_create(struct dev *dev, const struct dev_program_info *info,
                                       enum dev_status *status, struct lit_error *error);
void dev_program_destroy(struct dev_program **program);
// How many runs are made ready, and checked, together.
uint32_t dev_program_slots(const struct dev_program *program);

// The output of the last run, if the host checks it; else NULL.
const uint32_t *dev_program_output(const struct dev_program *program);

#define DEV_MAX_FAILURES 16

// Nanoseconds of the device's clock that a batch took, barriers included. All 0: not known.
struct dev_stages {
    double fill;  // poison, empty state
    double test;  // the runs' dispatches
    double check; // the checker's
    double all;   // from the first of these to the last
};

// What a batch did.
struct dev_batch {
    uint32_t runs;
    // The batch that will come next, as far as one can say: it is recorded while this one
    // executes. 0: none.
    uint32_t next_runs;
    const uint32_t *next_seeds;
    bool submits; // and submitted behind this one, so that the device need not wait for the host
    struct cat_run *run;                           // `runs` of them, owned by the caller
    bool *expired;                                 // likewise: state word 0 was set
    struct cat_failure failures[DEV_MAX_FAILURES]; // the first ones, .run from 0 in the batch; none
                                                   // of a run that gave up
    size_t failure_count;
    struct dev_stages stages; // of a program that is timed, checked on the device
    bool unchecked; // the checker did not look at every word of every run: nothing it says counts
};

// Runs `batch->runs` dispatches (at most info.batch) one after another, each with buffers that were
// made anew, and its verification, and waits at most `timeout_ms`. Buffers are made anew, and
// outputs verified, for several runs at once; nothing runs beside a test but its own stress.
// seeds[i] goes into the push constants.
//
// Where the next batch is submitted, too, the result is of this one alone: what goes wrong with the
// next is said when that is asked for.
enum dev_status dev_program_run(struct dev_program *program, const uint32_t *seeds,
                                struct dev_batch *batch, uint32_t timeout_ms,
                                struct lit_error *error);
// Waits for a batch that was submitted and will not be asked for, and forgets it. NULL is fine.
enum dev_status dev_program_drain(struct dev_program *program, uint32_t timeout_ms,
                                  struct lit_error *error);

// What `litmus run` is compared with: one run at a time, as harnesses do that are made for single
// shaders (Amber, EasyVK). The host fills all buffers, records and submits a command buffer, waits
// for its fence and compares the whole output. `compiles`: with a pipeline of its own.
enum dev_status dev_program_single(struct dev_program *program, bool compiles, uint32_t seed,
                                   struct cat_run *run, bool *expired, uint32_t timeout_ms,
                                   struct lit_error *error);

#define DEV_PRECOMPILE_MOST 20 // pipelines precompiled at a time

struct dev_precompile_info {
    const char *name;             // whose it is
    struct dev_compile_info code; // the words stay where they are until it is taken or dropped
    bool sliced;                  // it is to run under stress with more than one slice
    // Called once it is made, or refused, by the thread that made it; may be NULL.
    void (*made)(const char *name, void *user);
    void *user;
};

// Begins to compile a pipeline on a thread of its own, without any cache. dev_program_create and
// dev_timed_create take it if they need the very same one, of its own name if there is one, and
// wait for it if it is not there yet; if the driver refused it, it is compiled again, for the
// reason. False if there is no room or no thread: nothing was begun.
bool dev_precompile_begin(struct dev *dev, const struct dev_precompile_info *info);
// How long the pipeline that was used last took its thread, in seconds; 0 if none was since the
// last question.
double dev_precompile_spent(struct dev *dev);
// Waits for what was begun under this name, and destroys what was not used. NULL: for everything.
void dev_precompile_drop(struct dev *dev, const char *name);

// Compiles a configuration on a device that was opened with `capture`, and adds to *code whatever
// the driver gives of the pipeline: statistics and internal representations
// (VK_KHR_pipeline_executable_properties), the data of a pipeline cache that holds nothing else,
// and its binaries (VK_KHR_pipeline_binary). Nothing is dispatched. What a driver does not offer,
// or refuses, is a remark in *code.
enum dev_status dev_compile(struct dev *dev, const struct dev_compile_info *info,
                            struct isa_code *code, struct lit_error *error);
// Whether the device, opened with `capture`, has an extension that reports compiled code.
bool dev_reports_executables(const struct dev *dev);

// Tries the device-side checker on correct, corrupted and untouched buffers of some modes (bit i:
// enum cat_check i) against cat_mode_check. False, with a reason, if it cannot be trusted on this
// device.
bool dev_self_test(struct dev *dev, uint32_t checks, uint32_t timeout_ms, enum dev_status *status,
                   struct lit_error *reason);
