// SPDX-License-Identifier: Apache-2.0
// A client sends a device one request after another: it starts a worker when needed and replaces it
// when it ends. Only this code opens, follows, loses and counts workers, for the queues of a run,
// for campaigns, and for subcommands that try things out.
#pragma once

#include "catalogue/catalogue.h"
#include "engine/watch.h"
#include "isa/code.h"
#include "model/inventory.h"

#include <pthread.h>
#include <stdatomic.h>

enum eng_end {
    ENG_END_RAN,   // the outcome is filled
    ENG_END_STOPS, // the device is unusable: outcome.reason says why
    ENG_END_UNFIT, // likewise, but not lost: it refuses to open, or the harness failed
    ENG_END_TIME,  // the time is used up
    ENG_END_SIGNAL,
};

static inline bool eng_end_stops(enum eng_end end)
{
    return end == ENG_END_STOPS || end == ENG_END_UNFIT;
}

// --- Lanes: threads that ask workers. Only one of a pool's lanes is awake: it holds the lock
// except while it waits for its worker or for a change.

struct eng_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; // clock_wait waits for it; the caller must also check for signals
    atomic_bool stop;       // all lanes are to stop, as if a signal had come
    enum eng_end end;       // RAN, or how the first request ended that could not run
    char reason[512];       // why
    const struct eng_watch *outer;
    struct eng_watch watch; // of the lanes' workers
    struct eng_lane *lanes; // eng_pool_start
    size_t count;
};

// Makes a watch for the lanes' workers: like `outer`, which has no `stop`, but its `say` is called
// with the lock held, it has no tick, and its workers stop with the pool.
void eng_pool_begin(struct eng_pool *pool, const struct eng_watch *outer);
void eng_pool_end(struct eng_pool *pool);
// Calls work(lane) for each of `count` lanes, an array of elements of `size` bytes, with the lock
// held. Each lane from `first` on has a thread of its own while threads can be made; the others
// take turns in eng_pool_join. A worker must end on the thread that started it. False if none has a
// thread.
bool eng_pool_start(struct eng_pool *pool, void (*work)(void *lane), void *lanes, size_t size,
                    size_t count, size_t first);
// Returns when the work of all lanes has returned.
void eng_pool_join(struct eng_pool *pool);
// Both; the first lane works on this thread.
void eng_pool_run(struct eng_pool *pool, void (*work)(void *lane), void *lanes, size_t size,
                  size_t count);
// Whether all waiting must end: a signal came, or `stop` is set.
bool eng_pool_stops(const struct eng_pool *pool);
// Notes how a request ended; eng_submit does.
void eng_pool_note(struct eng_pool *pool, enum eng_end end, const char *reason);

// --- One client

struct eng_outcome;

struct eng_client {
    const struct eng_watch *watch;
    const struct eng_device *device;
    struct eng_worker *worker; // with the device open; NULL: none
    struct eng_pool *pool;     // the caller holds its lock: released while waiting for a worker
    // If not NULL, called with `user` and the lock held.
    // `heard`: for each event before the last one, which watch->say gets no message of then.
    // Returns what is wrong with the event, or NULL.
    const char *(*heard)(const struct eng_event *event, void *user);
    // `failing`: a request failed or was stopped, and its worker may be ended now, which can take
    // seconds. May take over `evidence`.
    void (*failing)(const struct eng_outcome *outcome, void *user);
    // `ended`: a worker has ended; `ending` is from eng_worker_close.
    void (*ended)(const char *ending, void *user);
    void *user;
    bool validation;           // open the device with the validation layer
    bool capture;              // open the device only for COMPILE
    bool unchecked;            // eng_submit does not try the checker: the host checks, as for
                               // GENERATED, or eng_client_open has tried it
    char settings[256];        // of the emulated GPU that its workers open; "": as it is
    const struct text *kernel; // its workers know this test instead of the ones added to the
                               // catalogue; eng_client_teach
    char checker[600];         // "device", or "host: why"; "" before it was opened
    // Of COMPILE: the driver's output, packed (isa_pack); of OUTPUT: the words. Of BENCH: the
    // output for the next row; who hears of the row frees it.
    struct text code;
    char *evidence[ENG_EVIDENCES]; // of a failed request: eng_worker_evidence
    uint32_t process;              // the present worker's number, or the next one's
    uint32_t tried;                // modes in which the present worker tried the checker, bit i
    unsigned losses, hangs;        // in a row
    unsigned failures;             // of the harness, in a row
    bool opened;                   // at least once
    bool unfit;                    // it refuses to open, and would again
    bool wedged;                   // a worker outlived SIGKILL
};

struct eng_outcome {
    enum eng_result result;
    enum lit_exit code; // the error's code that the worker sent or caused; else LIT_EXIT_OK
    enum eng_wait wait; // EVENT: the worker answered; else how it did not
    struct eng_count count;
    struct eng_failure first; // if count.failure_count is 1; no others
    char reason[512];
    char place[160]; // of a crash: the first driver frame in its backtrace; else ""
};

// Describes how and where it crashed: "killed by signal 11 (SIGSEGV) in
// libLLVM-15.so.1(_ZN4llvm5Value"; equal crashes get equal text. "" for other outcomes.
void eng_outcome_how(const struct eng_outcome *outcome, char how[320]);
// Returns the most frequent failing outcome; 0: none.
uint32_t eng_outcome_worst(enum cat_check check, const struct eng_count *count);

// Ends the worker and frees the code. A client starts as {.watch, .device}; both must outlive it.
void eng_client_end(struct eng_client *client);

// From now on its workers know only this test, in the form of cat_package_write; `kernel` must
// outlive them.
void eng_client_teach(struct eng_client *client, const struct text *kernel);

// Whether the device is unusable: it was lost or hung, or the harness failed, too often in a row.
bool eng_client_must_stop(const struct eng_client *client);
// Makes sure that a worker has the device open and has tried the checker in these modes, bit i:
// enum cat_check i. outcome->reason says why not.
enum eng_end eng_client_open(struct eng_client *client, uint32_t checks,
                             struct eng_outcome *outcome);
// Ends the worker, at once if it no longer listens.
void eng_client_stop(struct eng_client *client, bool at_once);

// What runs on a device: a configuration or a generated program, and under which conditions.
struct eng_work {
    const char *name; // of the configuration, or of the program: its input is drawn by that
    const struct cat_case *which;      // in place of the name
    const struct gen_program *program; // NULL: it is a configuration
    enum masks_rule rule;              // of the program
    uint32_t subgroup;                 // of the program
    const char *stress;                // NULL: none
    const char *settings; // of the simulator or the emulated GPU; NULL: as its driver is set
};

// The only way to a device. Requests runs (RUN, GENERATED), code (COMPILE), or something that needs
// no open device (TRY, OUTPUT, BENCH, ENUMERATE), and waits for the end. A crash, a hang or a lost
// device is a result; the next request gets a new worker. `how` is the request without what the
// work says, index and timeout_ms; `work` NULL: it names its benchmark, or nothing runs.
enum eng_end eng_submit(struct eng_client *client, const struct eng_work *work,
                        const struct eng_request *how, struct eng_outcome *outcome);

// --- Asks a worker what a device's driver makes of configurations. Runs nothing.

struct eng_capture {
    const struct eng_watch *watch;
    const struct eng_device *device;
    size_t lanes; // workers that compile at once, at most 4; 0: one, which keeps the order
    // Takes one configuration's code. `code` is empty unless result is ENG_PASS, and may be taken
    // over and left empty; `reason` says why. Return false to stop.
    bool (*take)(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user);
    void *user;
};

// Compiles the cases, and takes each once. If a driver crashes or hangs, only that case is
// lost. Ends early, with a `reason`, when the device becomes unusable, when the time is up, or at a
// signal.
enum eng_end eng_capture(const struct eng_capture *capture, const struct cat_case *cases,
                         size_t count, char reason[512]);

// --- An emulated GPU (emulate.c)

// Whether the work was skipped by itself: an emulated GPU lacks instructions, others a feature.
bool eng_emulate_lacks(const struct eng_device *device, const struct eng_outcome *outcome);

// After a client's request failed: if its device is an emulated GPU, repeats the request where
// waits and caches do not matter, unless they did not, and says in at most `size` bytes what the
// failure is about. Else leaves `says` as it is.
void eng_emulate_judge(const struct eng_client *failed, const struct eng_work *work,
                       const struct eng_request *how, char *says, size_t size);
