// SPDX-License-Identifier: Apache-2.0
// Vulkan: the only module that uses it. Called only by worker processes, because a driver may crash
// or hang in any call. Not thread-safe.
#pragma once

#include "base/error.h"
#include "model/check.h"
#include "model/facts.h"
#include "model/kernel.h"
#include "model/stress.h"
#include "isa/code.h"

// Lists the devices of the drivers that the loader finds in this process's environment. *facts is
// allocated, free() it. False with code LIT_EXIT_NOTHING: no loader, driver or device.
bool dev_enumerate(struct dev_facts **facts, size_t *count, struct lit_error *error);

struct dev;

enum dev_status {
    DEV_OK,
    DEV_LOST,    // VK_ERROR_DEVICE_LOST
    DEV_TIMEOUT, // a fence was not signalled in time: the device may still be busy
    DEV_ERROR,   // anything else; see the error: LIT_EXIT_NOTHING if the device lacks something
};

struct dev_open_info {
    size_t index;    // into dev_enumerate's list
    bool validation; // load VK_LAYER_KHRONOS_validation; `message` gets its messages
    bool capture;    // with VK_KHR_pipeline_executable_properties and similar, if supported
    bool single;     // for a single dispatch outside of any run (dev_begin_run)
    bool compiles;   // for dev_compile only: nothing can run
    void (*message)(const char *text, void *user);
    void *user;
};

// Opens a device with every supported feature that a test may need. NULL with an error.
struct dev *dev_open(const struct dev_open_info *info, struct lit_error *error);
void dev_close(struct dev **dev); // NULL is fine
const struct dev_facts *dev_facts(const struct dev *dev);

// The maximum words for a buffer if several have that size: those of a configuration and its
// checker.
uint64_t dev_most_words(const struct dev *dev);

// False with an error that names the device limit that a kernel's interface exceeds.
bool dev_interface_fits(const struct dev *dev, const struct cat_interface *interface,
                        struct lit_error *error);
// The same for its modules: unsupported shapes and types of cooperative matrices, and unsupported
// float controls.
bool dev_module_fits(const struct dev *dev, const struct dev_compile_info *code,
                     struct lit_error *error);

// A configuration ready to run: pipeline, buffers, recorded commands.
struct dev_program;

struct dev_program_info {
    const char *name; // the name used for precompilation; NULL: none
    struct dev_compile_info code;
    struct cat_mode mode;
    struct cat_shape shape;
    const uint32_t *input, *expected; // copied to the device
    // Contents of output and state before each run, consecutive, also copied; NULL: poison and
    // zero.
    const uint32_t *fresh;
    bool check_on_host;       // do not use the device-side checker
    uint32_t batch;           // limit on runs per submission
    struct dev_stress stress; // reduced to what device and module allow
    uint64_t stream;          // run `r` has random_of_run(stream, r) in its push constants
    bool single; // for dev_program_single only; code and input must outlive the program
    bool timed;  // batches report the durations of their stages, if the device has timestamps
};

// Compiles the pipeline without any cache, and uploads the data. NULL with an error, and its kind
// in *status.
struct dev_program *dev_program_create(struct dev *dev, const struct dev_program_info *info,
                                       enum dev_status *status, struct lit_error *error);
void dev_program_destroy(struct dev_program **program);
// The number of runs prepared and checked together.
uint32_t dev_program_slots(const struct dev_program *program);

// The output of the last run if the host checks it; else NULL.
const uint32_t *dev_program_output(const struct dev_program *program);

#define DEV_MAX_FAILURES 16

// Durations in a batch in nanoseconds of the device's clock, barriers included. All 0: unknown.
struct dev_stages {
    double fill;  // poison, and clearing of state
    double test;  // the runs' dispatches
    double check; // the checker's
    double all;   // from the start of the first to the end of the last
};

// A batch of runs and its results.
struct dev_batch {
    uint64_t first; // the number of its first run
    uint32_t runs;
    uint32_t next_runs;  // runs expected next, to be recorded while these execute; 0: none
    bool submits;        // also submit them, so that the device need not wait for the host
    struct cat_run *run; // `runs` of them, owned by the caller
    bool *expired;       // likewise: state word 0 was set
    struct cat_failure failures[DEV_MAX_FAILURES]; // the first; .run counts in the batch
    size_t failure_count;
    struct dev_stages stages; // if timed and checked on the device
    bool unchecked;           // the checker did not see every word of every run: ignore the results
};

// Executes `batch->runs` (at most info.batch) runs one after another, with freshly initialised
// buffers, verifies them, and waits at most `timeout_ms`. Buffers are initialised and outputs
// verified for several runs at once; nothing but its own stress runs beside a test.
//
// If the next batch is submitted as well, the result concerns this one only: errors of the next are
// reported when it is requested.
enum dev_status dev_program_run(struct dev_program *program, struct dev_batch *batch,
                                uint32_t timeout_ms, struct lit_error *error);
// Waits for a submitted batch that will not be requested, and discards it. NULL is fine.
enum dev_status dev_program_drain(struct dev_program *program, uint32_t timeout_ms,
                                  struct lit_error *error);

// The baseline for `litmus run`: one run at a time, as in harnesses for single shaders (Amber,
// EasyVK). The host fills all buffers, records and submits a command buffer, waits for its fence
// and compares the whole output. `compiles`: also creates a pipeline for each run. `number`: the
// run's.
enum dev_status dev_program_single(struct dev_program *program, bool compiles, uint64_t number,
                                   struct cat_run *run, bool *expired, uint32_t timeout_ms,
                                   struct lit_error *error);

#define DEV_PRECOMPILE_MOST 20 // limit on pipelines being precompiled

struct dev_precompile_info {
    const char *name;             // the pipeline's owner
    struct dev_compile_info code; // the words must remain valid until it is taken or dropped
    bool sliced;                  // for runs under stress with several slices
    // Called by the compiling thread after success or failure; may be NULL.
    void (*made)(const char *name, void *user);
    void *user;
    void (*drop)(void *user); // frees `user` with the pipeline, unless it was claimed; or NULL
};

// Starts compiling a pipeline on its own thread, without any cache. dev_program_create and
// dev_timed_create take an identical pipeline, under their own name if they have one, and wait if
// it is not ready; if the driver refused it, they compile it again to get the reason. False if
// there is no room or no thread: nothing was started.
bool dev_precompile_begin(struct dev *dev, const struct dev_precompile_info *info);
// Waits for the thread of the pipeline of this name, and hands over its `user`; NULL: there is
// none.
void *dev_precompile_claim(struct dev *dev, const char *name);
// The compile time in seconds of the last precompiled pipeline that was taken; 0 if none was since
// the last call.
double dev_precompile_spent(struct dev *dev);
// Waits for and destroys the unused pipelines of this name; NULL: all.
void dev_precompile_drop(struct dev *dev, const char *name);

// Compiles a configuration on a device opened with `capture`, and adds to *code everything that the
// driver reports about the pipeline: statistics and internal representations
// (VK_KHR_pipeline_executable_properties), the data of a pipeline cache that contains nothing else,
// and its binaries (VK_KHR_pipeline_binary). Dispatches nothing. Unsupported or failed queries
// become remarks in *code. `code` NULL: only compiles.
enum dev_status dev_compile(struct dev *dev, const struct dev_compile_info *info,
                            struct isa_code *code, struct lit_error *error);
// Whether the device, opened with `capture`, has an extension to report compiled code.
bool dev_reports_executables(const struct dev *dev);

// Tests the device-side checker on correct, corrupted and untouched buffers in some modes (bit i:
// enum cat_check i) against cat_mode_check. False, with a reason, if it cannot be trusted on this
// device.
bool dev_self_test(struct dev *dev, uint32_t checks, uint32_t timeout_ms, enum dev_status *status,
                   struct lit_error *reason);

// --- Timed dispatches: kernels that share one input and one output of equal size, run one at a
// time. Either the host provides the input and reads back each output; or the device makes the
// input and verifies each output, and no data of that size leave it.

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
