// SPDX-License-Identifier: Apache-2.0
// What supervisor and worker send each other: one JSON object per line, over a socket pair. The
// worker is this program started as `litmus worker` with the socket as file descriptor 3. It reads
// one request at a time and answers with events, at last DONE or ERROR. The supervisor does not
// trust a worker: eng_event_parse checks every field.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "bench/rate.h"
#include "bench/result.h"
#include "generate/program.h"
#include "model/facts.h"
#include "model/result.h"
#include "model/stress.h"

#define ENG_WORKER_FD       3
#define ENG_LINE_MAX        65536                 // bytes of one line, newline included
#define ENG_CHUNK           16384                 // bytes that one line carries in hexadecimal
#define ENG_CODE_MAX        (UINT32_C(256) << 20) // bytes of all chunks for one pipeline or test
#define ENG_ALL_CHECKS      ((1u << CAT_CHECKS) - 1)
#define ENG_PRECOMPILE_MOST 14 // configurations whose pipelines are precompiled

// A worker's exit codes when the harness fails and not the driver. Its last line says more.
enum eng_exit {
    ENG_EXIT_MEMORY = 120,  // no memory for what the harness itself needs, or its tests are broken
    ENG_EXIT_START = 121,   // the process could not become a worker
    ENG_EXIT_REQUEST = 122, // a request without an end, or one that could not be read or answered
};

enum eng_request_kind {
    ENG_ENUMERATE, // -> DEVICE for each device, then DONE
    ENG_OPEN,   // opens device `index` if it is not open, and tries the checker in modes not tried
                // yet -> OPENED, then DONE
    ENG_RUN,    // runs a configuration -> BATCH for each batch, then DONE; makes pipelines
                // ahead -> PRECOMPILED for each, at any time, also between requests
    ENG_TRY,    // does one run of a configuration, with one workgroup if the test allows it, on a
                // device opened only for it -> BATCH, then DONE
    ENG_OUTPUT, // like TRY, then CODE for each chunk of the words in CAT_OUTPUT, before DONE
    ENG_GENERATED, // runs a generated program -> BATCH for each batch, then DONE
    ENG_COMPILE,   // compiles a configuration on a device opened with `capture` -> CODE for each
                   // chunk of the driver's output, then DONE
    ENG_BENCH, // times the rows of benchmark `name` on a device opened only for it -> ROW for each
               // row, TIME for each dispatch, then DONE; "throughput" and "single", followed by a
               // configuration -> RATE for each round, then DONE
    ENG_TEACH, // a chunk of a test added to the catalogue (cat_test_add), or of one that replaces
               // the last such test (`instead`); no answer, but MESSAGE if the whole is invalid
    ENG_QUIT,  // the worker ends
};

// A part of something too long for a line. Chunks come in order without gaps.
struct eng_chunk {
    size_t total, offset, size; // bytes
    uint8_t bytes[ENG_CHUNK];
};

struct eng_request {
    enum eng_request_kind kind;
    uint32_t index;               // OPEN, TRY, BENCH: among the devices that the worker enumerates
    bool validation;              // OPEN, BENCH
    uint32_t checks;              // OPEN: modes of the checker to try, bit i: enum cat_check i
    bool capture;                 // OPEN: for COMPILE alone, the checker is not tried; BENCH: ROW
                                  // has CODE before it
    char name[512];               // RUN, TRY, COMPILE: the configuration; GENERATED: the test
    char stress[ENG_STRESS_TEXT]; // RUN: the notation of the set that it runs under
    char settings[1024];          // OPEN, TRY: of the simulator or the emulated GPU; "": as it is
    char program[GEN_TEXT_MAX];   // GENERATED: its notation
    char rule[32];                // GENERATED: "maximal"
    uint32_t subgroup;            // GENERATED
    char rows[LOOK_SET_TEXT];     // BENCH lookback: which (look_set_write); else ""
    uint64_t elements;            // BENCH; of a throughput: workgroups, 0: as many as fill the
                                  // device
    uint32_t loops;               // BENCH; 0: as many as fit into
    uint32_t budget_ms;           // BENCH: this time, for all dispatches together
    uint64_t first;               // RUN: number of the first run to do (more than 0 when resumed)
    uint64_t runs;                // RUN, GENERATED: how many to do; BENCH: rounds that count
    uint64_t waits;   // RUN: it ends after so many if a wait expired in `expired` of them; 0: never
    uint64_t expired; // RUN
    // RUN, TRY, GENERATED, BENCH: the session's seed; the worker derives the configuration's from
    // it
    uint64_t seed;
    // RUN: the next configurations, whose pipelines can be made meanwhile
    struct eng_upcoming {
        char name[512];
        char stress[ENG_STRESS_TEXT];
    } ahead[ENG_PRECOMPILE_MOST];
    size_t ahead_count;
    bool renew;             // RUN: its own later pipelines are precompiled, too
    bool timed;             // RUN: batches say how long the device executed the test
    bool instead;           // TEACH
    struct eng_chunk chunk; // TEACH
    uint32_t timeout_ms; // all but ENUMERATE, COMPILE, TEACH and QUIT: the longest that one batch
                         // may take
};

enum eng_event_kind {
    ENG_EVENT_DEVICE,      // facts
    ENG_EVENT_OPENED,      // facts, host_checker, text: why
    ENG_EVENT_BATCH,       // count: what this batch adds; fresh, tested
    ENG_EVENT_CODE,        // chunk
    ENG_EVENT_ROW,         // bench; result, and text (the reason) if it is not PASS
    ENG_EVENT_TIME,        // bench
    ENG_EVENT_PRECOMPILED, // text: the configuration whose pipeline is not being precompiled any
                           // more
    ENG_EVENT_RATE,        // rate
    ENG_EVENT_MESSAGE,     // text: a validation message or a remark
    ENG_EVENT_DONE,  // result and text (the reason) of RUN, TRY, COMPILE; end of ENUMERATE and OPEN
    ENG_EVENT_ERROR, // error_code and text: the request failed, the worker is still usable
};

struct eng_event {
    enum eng_event_kind kind;
    struct dev_facts facts;
    bool host_checker;
    struct eng_count count;
    struct eng_failure failures[ENG_MAX_FAILURES]; // BATCH: as many as the count says
    bool fresh;                                    // BATCH: a new pipeline was made for it
    double tested; // BATCH: seconds of the device, in which it executed the test; 0: not known
    struct bench_report bench;
    struct bench_rate rate;
    enum eng_result result;
    enum lit_exit error_code;
    char text[512];
    struct eng_chunk chunk; // CODE: of what isa_pack made
};

// Takes a worker's events. Several threads may emit at once.
struct eng_sink {
    bool (*emit)(const struct eng_event *event, void *user); // false: nobody listens any more
    void *user;
};

// Append one line, newline included.
void eng_request_write(const struct eng_request *request, struct text *line);
void eng_event_write(const struct eng_event *event, struct text *line);

// Parse one line (without its newline). False with an error on anything unexpected.
bool eng_request_parse(const char *line, size_t length, struct eng_request *request,
                       struct lit_error *error);
bool eng_event_parse(const char *line, size_t length, struct eng_event *event,
                     struct lit_error *error);

// --- Generated programs as requests (draw.c), and tests whose runs are such programs: run `r` of a
// configuration is the program that `litmus fuzz` draws from the same seed on the same device.

#define ENG_DRAW_DEPTH 4

// The strongest rule that a device with these features supports.
enum masks_rule eng_draw_rule(uint64_t features);
// The arm (gen_arms) of program `index` of the family groups in such a test: each is as likely.
struct gen_limits eng_draw_arm(uint64_t features, uint64_t seed, uint64_t index);
// Appends the options of litmus fuzz for the pressure and shape, " --pressure 50 --shape exits".
void eng_draw_options(const struct gen_limits *limits, struct text *text);
// Names a program: "groups.fuzz-maximal-p50-exits-5eed-17". Its input is drawn by this name.
void eng_draw_name(const struct gen_limits *limits, uint64_t seed, uint64_t index, char name[96]);
// How many workgroups a run of a program has on this device.
uint32_t eng_draw_workgroups(const struct dev_facts *facts);
// Returns the invocations of its workgroups: 64, or two subgroups; 256 where subgroups go different
// ways.
unsigned eng_draw_workgroup(const struct gen_program *program, uint32_t subgroup);
// Turns the counts of a program's own runs into the count of the program, which is run `run` of its
// configuration; it failed if any of its own runs failed.
// `failure` is the first of its own runs, if one failed.
void eng_draw_counted(uint64_t run, uint64_t index, struct eng_count *count,
                      struct eng_failure *failure);
// Counts program `run`, which ended the worker and wrote nothing.
void eng_draw_broken(const struct dev_facts *facts, uint32_t subgroup, uint64_t run,
                     enum eng_result result, const char *reason, struct eng_count *count,
                     struct eng_failure *failure);

// Runs the worker's main loop until QUIT or end of file, with only the manifest's driver. Returns
// the process's exit code.
int eng_worker_main(const char *manifest);

// --- A worker that crashes, or that is ended because it is silent, prints where it was.

// The line before a backtrace; the supervisor keeps the rest apart from the driver's output.
#define ENG_BACKTRACE "-- litmus: backtrace --\n"
