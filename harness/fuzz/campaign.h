// SPDX-License-Identifier: Apache-2.0
// Generated programs on a device.
#pragma once

#include "engine/client.h"
#include "engine/supervisor.h"
#include "generate/program.h"

// A device on which generated programs run: its worker, what one program did there, and whether it
// can go on.

#define FUZZ_GROUPS 64 // most groups of failing programs
#define FUZZ_FIRST  5  // numbers of programs that a group tells

struct fuzz_target {
    struct eng_client client;
    uint32_t sizes[8]; // of subgroups, the device's usual one first
    size_t size_count;
};

// What is run: a program in one configuration.
struct fuzz_trial {
    const struct gen_program *program;
    const char *name; // of the test: input and expectation depend on it, and on the seed
    enum masks_rule rule;
    uint32_t subgroup;
    uint64_t seed, runs;
};

// Starts nothing yet; end it by eng_client_end. `watch` and `device` must outlive the target.
void fuzz_target_init(struct fuzz_target *target, const struct eng_watch *watch,
                      const struct eng_device *device);

// Whether the program failed: a mask that is not allowed, or the end of worker or device.
bool fuzz_failed(const struct eng_outcome *outcome);

// A campaign: generated programs on one device, several at once, each in a worker of its own.
// Failing ones are put into groups; of each group one is shrunk and stored as a test, one after the
// other in the order of their numbers, while others run.

struct fuzz_plan {
    struct gen_limits limits;    // features and size are those of the device
    uint64_t jobs;               // programs that run at once, 1 or more
    uint64_t seed, first, count; // programs `first` to `first + count - 1`
    uint64_t runs;               // of each
    uint64_t keep;               // so many failing programs are shrunk and stored, one of a group
    double shrinking;            // seconds that one program may take to be shrunk
    const char *folder;          // where they are stored; made when it is needed
};

// A program that failed; while it runs, any.
struct fuzz_found {
    uint64_t index;
    uint32_t subgroup;
    struct gen_program drawn, small;
    struct eng_outcome first; // of the drawn program, its first runs
    char group[400];          // by what it fails, see struct fuzz_group
    uint64_t runs, failed;    // when it was run again
    uint64_t small_runs, small_failed;
    uint32_t small_subgroup;    // the smallest in which the small one fails; `subgroup` at first
    struct eng_failure failure; // of the small one, or of the drawn one
    unsigned tries;             // while its group is learned and while it is shrunk
    uint64_t patience;          // runs of a candidate
    uint32_t worst;             // outcome of the small one
    bool shrunk;                // it was tried
    bool cut_short;             // before nothing could be made smaller
    char path[512];             // where it is stored; "" if it is not
};

// Programs that fail alike, as far as that is known of each before one is shrunk. The name: of a
// crash the signal and the first frame in the driver, of wrong results the most frequent outcome
// and the kinds of steps without which they are right, "wrong: late while".
struct fuzz_group {
    char name[400], small[400]; // `small`: what it would be called by the one that was shrunk
    size_t same;                // its programs are counted in the group before this; 0: in itself
    uint64_t programs;
    uint64_t first[FUZZ_FIRST]; // the first of their numbers
    bool settled;               // one was shrunk
    char path[512];             // where that is stored, or one that did not fail again; ""
};

struct fuzz_tally {
    uint64_t programs; // that ran to their end
    uint64_t checked;  // subgroups, in all runs
    uint64_t results[ENG_RESULTS];
    uint64_t before,
        failed_before; // of `programs`: of earlier parts of the campaign; not in results
    uint64_t stored;
    // In the order of their first programs. The last may be of all that fail otherwise.
    struct fuzz_group groups[FUZZ_GROUPS];
    size_t group_count;
    char reason[512]; // of the first skip or harness error, or why the device stopped
};

// What a session has of a campaign on one device: a configuration of the family `generated` for
// each subgroup size, a run of which is a program (dev_facts_program). Programs may end in any
// order; what is stored of a configuration is always its first runs.

struct fuzz_size {
    uint32_t subgroup;
    uint64_t runs; // that are to be done
    struct eng_record record;
    bool changed; // since it was stored
};

// A program that ran to its end before others in front of it.
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
    uint32_t process; // number of this invocation among those that measured the device
    double put;       // when something is to be stored next
    struct fuzz_ended *ended;
};

// Begins with a device, which is in the store: takes what the session has, and adds it to *tally.
// `name` appends a configuration's name. The session has .store, .id and .shard before. Clear it,
// or load the next device, after a failure too.
bool fuzz_session_load(struct fuzz_session *session, const struct eng_device *device,
                       const struct fuzz_plan *plan,
                       void (*name)(uint32_t subgroup, struct text *name, void *user), void *user,
                       struct fuzz_tally *tally, struct lit_error *error);
void fuzz_session_clear(struct fuzz_session *session);
// How many programs it is to have of the device; whether it has them.
uint64_t fuzz_session_planned(const struct fuzz_session *session);
bool fuzz_session_is_whole(const struct fuzz_session *session);
// Whether a program is still to be run.
bool fuzz_session_lacks(const struct fuzz_session *session, uint64_t index);
// Counts one that ran to its end; about once a second what was counted is stored.
bool fuzz_session_ran(struct fuzz_session *session, uint64_t index,
                      const struct eng_outcome *outcome, struct lit_error *error);
// Stores the rest.
bool fuzz_session_put(struct fuzz_session *session, struct lit_error *error);

// Called by one thread at a time, though not always by the same one.
struct fuzz_listener {
    // Once before each program, and now and then meanwhile; `doing` is NULL or what is done beside.
    void (*progress)(const struct fuzz_tally *tally, const char *doing, void *user);
    void (*found)(const struct fuzz_found *found, void *user);
    void *user;
};

// How records of a program are compared.
enum cat_check fuzz_check(const struct gen_program *program);

// Runs one program for the first time, and adds it to the tally. A crash, a hang, a lost device are
// results; the next program has a new worker.
enum eng_end fuzz_run(struct fuzz_target *target, const struct fuzz_trial *trial,
                      struct fuzz_found *found, struct fuzz_tally *tally);

// Runs it. What `watch` calls is called as the listener is. ENG_END_RAN: to its end; also if a
// device without a feature ends it at once: the programs count as skipped then. *tally, empty at
// first or with what was before, is added to. What the session lacks is run and
// stored; without one (NULL) all is run, and none is stored. False in *written, with an error, if
// a file or a result could not be stored: nothing goes on then.
enum eng_end fuzz_campaign(const struct eng_watch *watch, const struct eng_device *device,
                           const struct fuzz_plan *plan, struct fuzz_session *session,
                           const struct fuzz_listener *listener, struct fuzz_tally *tally,
                           bool *written, struct lit_error *error);

// How often a candidate is run until it counts as passing: often enough that one that fails in half
// as many runs as the program did shows it in 99 of 100 cases, 512 at most. Pure.
uint64_t fuzz_patience(uint64_t failed, uint64_t runs);

// What is drawn for a device: the features that it has, and the size in which program `index` runs.
struct gen_limits fuzz_limits(const struct fuzz_plan *plan, const struct eng_device *device,
                              uint32_t subgroup);
