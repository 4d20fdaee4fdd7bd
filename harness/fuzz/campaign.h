// SPDX-License-Identifier: Apache-2.0
// Runs generated programs on a device.
#pragma once

#include "engine/client.h"
#include "engine/supervisor.h"
#include "generate/program.h"

// A device that runs generated programs: its worker, the result of one program, and whether the
// device can continue.

#define FUZZ_GROUPS 64 // most groups of failing programs
#define FUZZ_FIRST  5  // numbers of programs that a group lists

struct fuzz_target {
    struct eng_client client;
    uint32_t sizes[8]; // subgroup sizes, the device's usual one first
    size_t size_count;
};

// A program in one configuration.
struct fuzz_trial {
    const struct gen_program *program;
    const char *name; // the test's name: input and expectation depend on it and on the seed
    enum masks_rule rule;
    uint32_t subgroup;
    uint64_t seed, runs;
};

// Starts nothing yet; end it with eng_client_end. `watch` and `device` must outlive the target.
void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device);

// Whether the program failed: a forbidden mask, or its worker or device ended.
bool fuzz_failed(const struct eng_outcome *outcome);

// A campaign runs generated programs on one device, several at once, each in its own worker. It
// puts failing programs into groups, shrinks one of each group and stores it as a test, one at a
// time in the order of their numbers, while other programs run.

struct fuzz_plan {
    struct gen_limits limits;    // features and size come from the device
    uint64_t jobs;               // programs that run at once, 1 or more
    uint64_t seed, first, count; // programs `first` to `first + count - 1`
    uint64_t runs;               // for each program
    uint64_t keep;               // how many failing programs to shrink and store, one per group
    double shrinking;            // most seconds to shrink one program
    const char *folder;          // where to store them; made when needed
};

// A program that failed, or any program while it runs.
struct fuzz_found {
    uint64_t index;
    uint32_t subgroup;
    struct gen_program drawn, small;
    struct eng_outcome first; // of the drawn program's first runs
    char group[400];          // named after the failure, see struct fuzz_group
    uint64_t runs, failed;    // counts of its repeated runs
    uint64_t small_runs, small_failed;
    uint32_t small_subgroup; // the smallest size in which the small one fails; `subgroup` at first
    struct eng_failure failure; // of the small program, or the drawn one
    unsigned tries;             // while finding its group and shrinking it
    uint64_t patience;          // runs for each candidate
    uint32_t worst;             // the small one's outcome
    bool shrunk;                // shrinking was tried
    bool cut_short;             // shrinking stopped early
    char path[512];             // where it is stored, or ""
};

// Programs that appear to fail alike before any is shrunk. Names of groups: for a crash the signal
// and the first frame in the driver; for wrong results the most frequent outcome and the kinds of
// steps needed for the failure, "wrong: late while".
struct fuzz_group {
    char name[400], small[400]; // `small`: the name that the shrunk program gives it
    size_t same;                // its programs count in the group before this; 0: in itself
    uint64_t programs;
    uint64_t first[FUZZ_FIRST]; // their first numbers
    bool settled;               // one was shrunk
    char path[512];             // where it is stored, or a program that did not fail again; ""
};

struct fuzz_tally {
    uint64_t programs; // complete ones
    uint64_t checked;  // subgroups checked in all runs
    uint64_t results[ENG_RESULTS];
    uint64_t before,
        failed_before; // of `programs`, from earlier parts of the campaign; not in results
    uint64_t stored;
    // In the order of their first programs. The last may collect all other failures.
    struct fuzz_group groups[FUZZ_GROUPS];
    size_t group_count;
    char reason[512]; // of the first skip or harness error, or of the device's stop
};

// A session's results of a campaign on one device: a configuration of the family `generated` for
// each subgroup size; each of its runs is a program (dev_facts_program). Programs may end in any
// order, but the stored runs of a configuration are always its first ones.

struct fuzz_size {
    uint32_t subgroup;
    uint64_t runs; // planned runs
    struct report_result record;
    bool changed; // since it was stored
};

// A program that ended before earlier ones.
struct fuzz_ended {
    struct fuzz_ended *next;
    uint64_t index;
    struct eng_outcome outcome;
};

struct fuzz_session {
    struct store *store;
    int64_t id;
    struct eng_shard shard;
    const struct eng_device *device;
    struct fuzz_size sizes[DEV_MAX_SIZES];
    size_t count;     // of sizes
    uint32_t process; // number of this process among those that measured the device
    double put;       // when to store next
    struct fuzz_ended *ended;
};

// Begins a stored device: reads the session's results and adds them to *tally. `name` appends a
// configuration's name. .store, .id and .shard must be set. Clear it, or load the next device,
// after a failure too.
bool fuzz_session_load(struct fuzz_session *session, const struct eng_device *device,
                       const struct fuzz_plan *plan,
                       void (*name)(uint32_t subgroup, struct text *name, void *user), void *user,
                       struct fuzz_tally *tally, struct lit_error *error);
void fuzz_session_clear(struct fuzz_session *session);
// How many programs are planned on the device; whether all are done.
uint64_t fuzz_session_planned(const struct fuzz_session *session);
bool fuzz_session_is_whole(const struct fuzz_session *session);
// Whether a program still has to run.
bool fuzz_session_lacks(const struct fuzz_session *session, uint64_t index);
// Counts a program that ended; stores the counts about once a second.
bool fuzz_session_ran(struct fuzz_session *session, uint64_t index,
                      const struct eng_outcome *outcome, struct lit_error *error);
// Stores the rest.
bool fuzz_session_put(struct fuzz_session *session, struct lit_error *error);

// One thread at a time calls these, not always the same one.
struct fuzz_listener {
    // Before each program, and now and then meanwhile; `doing` is NULL or a concurrent task.
    void (*progress)(const struct fuzz_tally *tally, const char *doing, void *user);
    void (*found)(const struct fuzz_found *found, void *user);
    void *user;
};

// How to compare the records of a program.
enum cat_check fuzz_check(const struct gen_program *program);

// Runs a program for the first time and adds it to the tally. A crash, a hang or a lost device is a
// result; the next program gets a new worker.
enum eng_end fuzz_run(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct fuzz_found *found, struct fuzz_tally *tally);

// Runs a campaign. Calls `watch` in the same way as the listener. ENG_END_RAN: finished, also if a
// device that lacks a feature ends it at once: its programs count as skipped. Adds to *tally, which
// is empty or has earlier counts. Runs and stores what the session lacks; without a session (NULL)
// runs everything and stores nothing. Stops with *written false and an error if a file or a result
// cannot be stored.
enum eng_end fuzz_campaign(const struct eng_watch *watch, const struct eng_device *device,
                           const struct fuzz_plan *plan, struct fuzz_session *session,
                           const struct fuzz_listener *listener, struct fuzz_tally *tally,
                           bool *written, struct lit_error *error);

// How often a candidate must run to count as passing: in 99 of 100 cases these runs show a failure
// half as frequent as the program's; 512 at most. Pure.
uint64_t fuzz_patience(uint64_t failed, uint64_t runs);

// Draw limits for a device: its features, and the subgroup size of the program.
struct gen_limits fuzz_limits(const struct fuzz_plan *plan, const struct eng_device *device,
                              uint32_t subgroup);
