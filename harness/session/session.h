// SPDX-License-Identifier: Apache-2.0
// What belongs to the sessions of litmus run and tune.
#pragma once

#include "catalogue/catalogue.h"
#include "compare/compare.h"
#include "engine/plan.h"
#include "model/inventory.h"
#include "model/rule.h"
#include "session/cases.h"
#include "session/device.h"
#include "session/output.h"
#include "store/store.h"

// What a run was asked for, and how it is kept in the store so that --resume can go on with it.

struct ses_options {
    bool all, thorough, shuffle, validation, serial, resume, dry_run, quiet;
    int verbose, color, isa; // isa: enum ses_code_which
    struct lit_list patterns, devices;
    struct lit_list baselines, waivers;
    struct lit_list caselists, skips; // files, as given
    struct ses_cases cases;           // what comes of them
    struct lit_list simt;             // at most one: the SIMT simulator's settings
    struct lit_list stress;           // at most one: "none", "random", "tuned" or a set
    uint64_t runs;                    // 0: as many as are usual
    struct lit_seed seed;
    double timeout, time; // seconds; time 0: no limit
    const char *db;
    const char *shard_tests, *shard_runs; // as given, NULL: not
    const char *ahead_text;               // likewise; not of the session
    int ahead;                            // what comes of it: eng_run's
    struct eng_shard shard;               // what comes of it
    struct ses_outputs outputs;           // not of the session: a resumed one has its own
    double until_width, until_decided;    // as given, 0: not
    uint64_t max_runs;                    // 0: as many as are usual
    struct eng_rule rule;                 // what comes of these
    // Nobody said how many runs there are to be: more where a failure was ever seen, fewer where
    // none was, and an end of waits that expire every time (docs/statistics.md).
    bool usual;
    bool campaign;  // litmus fuzz; of groups|reconvergence `runs` are programs, of all sizes
    uint64_t first; // likewise: the number of the first one
    uint64_t count; // litmus fuzz memory: of tests; 0: until it is told to stop
    bool progress;  // litmus progress: of the tables it prints what progress there is between whom
};

// Whether patterns and settings can be kept: JSON has no text but UTF-8. False with an error.
bool ses_check(const struct lit_list *patterns, const struct lit_list *simt,
               struct lit_error *error);

// The options as JSON, with the identities and numbers of the chosen devices. free() it.
char *ses_write(const struct ses_options *options, const struct ses_devices *devices);

// Takes what a session was asked for out of its JSON: everything but the store, the time limit and
// what concerns the terminal. False with an error if it is damaged, or cannot be resumed.
bool ses_read(const char *json, struct ses_options *options, struct lit_error *error);
// The same of any session, of which nothing is to be run. False if it is damaged.
bool ses_asked(const char *json, struct ses_options *options);

// Opens the store options->db, making it if need be, and begins a session of the command `name`
// there. *session is empty before, but for `finished`.
bool ses_begin(const char *name, int argc, char **argv, const struct ses_options *options,
               const struct ses_devices *devices, struct store **store,
               struct store_session *session, struct lit_error *error);
// Opens the store options->db, which must be there, and takes its newest unfinished session that is
// not a campaign of litmus fuzz, with its options.
bool ses_resume(struct store **store, struct store_session *session, struct ses_options *options,
                struct lit_error *error);
#define SES_MEMORY_TESTS "litmus.fuzz-*" // the pattern of a campaign of litmus fuzz memory
// The same of the newest unfinished campaign of litmus fuzz FAMILY, else the newest one. It may
// have been combined of shards, if it is finished: nothing is to be run then.
bool ses_campaign(struct store **store, const char *family, struct store_session *session,
                  struct ses_options *options, struct lit_error *error);

// Chooses the devices that the session had, and gives them the numbers that they had. Says on
// stderr which are not there, and sets *missing then. False with an error if none is there, or the
// JSON is damaged.
bool ses_choose(const char *json, struct ses_devices *devices, bool *missing,
                struct lit_error *error);
// Prints the command that goes on with a session of the store `db`: "litmus run".
void ses_print_resume(const char *command, const char *db);

// Which part of a run over several machines an invocation is: by its options, else by what the
// environment of a CI says.

// Sets options->shard, unless the run is resumed, and the seed of the whole where the environment
// has one; says on stderr which variables were heeded. Touches GTEST_SHARD_STATUS_FILE. False with
// an error if the options or variables make no sense, or there is no seed that all shards share.
bool ses_shard_settle(struct ses_options *options, struct lit_error *error);

// After a run: what drivers made of the configurations, into the store beside their results.

// Configurations of a run that are one program on a device (report_code_is_one), as far as an
// earlier session of the store has the code of everything that it ran: so they need not all repeat
// the runs that each is usually given.
struct ses_shares {
    struct ses_share {
        char device[DEV_ID_SIZE];
        char *name;
        size_t among; // of the run's configurations that are one program, this one too
    } * items;
    size_t count;
};

// Reads them, of all chosen devices, from what sessions before this one stored: a function of the
// store that a resumed session finds as it was. False with an error if the store is damaged. Clear
// it after a failure too.
bool ses_shares_load(struct store *store, int64_t session, const struct cat_selection *selection,
                     const struct ses_devices *devices, struct ses_shares *shares,
                     struct lit_error *error);
// Among how many the runs are divided; 1: it has all for itself.
size_t ses_shares_among(const struct ses_shares *shares, const char *device, const char *name);
// How many of the usual runs it has then: together no fewer than one of them would.
uint64_t ses_shares_runs(const struct ses_shares *shares, const char *device, const char *name,
                         uint64_t runs);
void ses_shares_clear(struct ses_shares *shares);

// The values of --isa, in this order. FAILED: configurations in which something failed that should
// not, and of the same test those that differ from one of them in one axis; the first SES_CODE_MOST
// of a device.
#define SES_CODE_ARGUMENT "failed|all|none"
enum ses_code_which { SES_CODE_FAILED, SES_CODE_ALL, SES_CODE_NONE };

#define SES_CODE_MOST 100

// Compiles them, and those that share their runs, anew on the chosen devices and stores what the
// drivers give; what is in the store already is not asked for again. A driver that tells nothing of
// the first one is not asked for the others; one that crashes or hangs costs a remark (watch.say)
// and nothing else. False if the store cannot be written, or cannot be read.
bool ses_code_collect(const struct ses_devices *devices, struct store *store, int64_t session,
                      enum ses_code_which which, const struct ses_shares *shares,
                      struct lit_error *error);

// litmus run --baseline: a run and its gate in one step.

struct ses_baseline {
    bool given;
    struct compare_side side;
    struct compare_waivers waivers;
    struct text junit; // what the comparison says, for the outputs
};

// Reads baseline and waivers, if there are any. False with an error if they cannot be used: nothing
// should be run then. Clear it after a failure too.
bool ses_baseline_load(struct ses_baseline *baseline, const struct lit_list *files,
                       const struct lit_list *waivers, struct lit_error *error);
// Before the first run: whether its devices are those of the baseline, and the same code. Says on
// stderr what cannot be compared; false with an error if nothing can.
bool ses_baseline_check(const struct ses_baseline *baseline, const struct cat_selection *selection,
                        const struct ses_devices *devices, struct lit_error *error);
// After the tables: prints the comparison. Returns what the program exits with: `code` if there is
// no baseline, else both together (compare_combine); `reason` is then the gate's, unless the run's
// code stays. `whole`: every device could be measured.
enum lit_exit ses_baseline_conclude(struct ses_baseline *baseline, struct store *store,
                                    int64_t session, const struct compare_look *look,
                                    enum lit_exit code, bool whole, char *reason, size_t size);
void ses_baseline_clear(struct ses_baseline *baseline);
