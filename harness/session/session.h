// SPDX-License-Identifier: Apache-2.0
// Sessions of litmus run and tune.
#pragma once

#include "catalogue/catalogue.h"
#include "compare/compare.h"
#include "compare/waiver.h"
#include "engine/plan.h"
#include "model/inventory.h"
#include "model/rule.h"
#include "session/device.h"
#include "report/known.h"
#include "session/output.h"
#include "store/store.h"

// What the catalogue knows, for reports (known.c).
extern const struct report_known ses_known;

// How many runs a configuration gets by default. `runs` is the number for one that a simulator
// model failed: we double it if any driver's finding has these values, and halve it if no model
// fails them. It stays if we do not know.
uint64_t ses_usual_runs(const char *name, uint64_t runs);

// Filters the configurations that a run's patterns select: keeps those named by a caselist and not
// by a skip list.

// litmus run --caselist and --skips.
struct ses_cases {
    struct compare_waivers list, skips; // from COMPARE_CASELIST and COMPARE_DEQP_SKIPS
    char **names;                       // from `list`, sorted; `list` owns them
    bool thorough;                      // a named test includes its thorough configurations
};

// Reads the files; "-" is stdin. False with an error "FILE:LINE: ..." if a line is invalid or names
// something that the catalogue does not have.
bool ses_cases_read(struct ses_cases *cases, const struct lit_list *caselists,
                    const struct lit_list *skips, struct lit_error *error);
// Returns what the patterns (none, or exclusions, with `all`) and the lists select. It refers to
// both.
struct cat_selection ses_cases_select(struct ses_cases *cases, const struct lit_list *patterns,
                                      bool all, bool thorough);
void ses_cases_clear(struct ses_cases *cases);

// A run's options, and how the store keeps them for --resume.

struct ses_options {
    bool all, thorough, shuffle, validation, serial, resume, dry_run, quiet;
    int verbose, color, isa; // isa: enum ses_code_which
    struct lit_list patterns, devices;
    struct lit_list baselines, waivers;
    struct lit_list caselists, skips; // files, as given
    struct ses_cases cases;           // made from them
    struct lit_list simt;             // at most one: the SIMT simulator's settings
    struct lit_list stress;           // at most one: "none", "random", "tuned" or a set
    uint64_t runs;                    // 0: the usual number
    struct lit_seed seed;
    double timeout, time; // seconds; time 0: no limit
    const char *db;
    const char *shard_tests, *shard_runs; // as given, or NULL
    const char *ahead_text;               // likewise; not kept in the session
    int ahead;                            // parsed from it, for eng_run
    struct eng_shard shard;               // parsed from shard_tests, shard_runs
    struct ses_outputs outputs;           // not kept in the session: a resumed one has its own
    double until_width, until_decided;    // as given, or 0
    uint64_t max_runs;                    // 0: the usual number
    struct eng_rule rule;                 // made from these
    // The number of runs was not specified: do more if a failure was ever seen, fewer if not, and
    // stop if waits expire every time (docs/statistics.md).
    bool usual;
    bool campaign;  // litmus fuzz; groups|reconvergence: `runs` counts programs of all sizes
    uint64_t first; // likewise: the first program's number
    uint64_t count; // litmus fuzz memory: number of tests; 0: until stopped
    bool progress;  // litmus progress: prints only who makes progress with whom
};

// Checks that patterns and settings are UTF-8, which JSON requires. False with an error.
bool ses_check(const struct lit_list *patterns, const struct lit_list *simt,
               struct lit_error *error);

// Checks that some tests are given, and not both --all and others. False with an error.
bool ses_check_tests(bool all, const struct lit_list *patterns, const struct lit_list *caselists,
                     const char *command, struct lit_error *error);

// Writes the options as JSON, with the chosen devices' identities and numbers. free() it.
char *ses_write(const struct ses_options *options, const struct ses_devices *devices);

// Reads a session's options: all but the store, the time limit and the terminal. False
// with an error if it is damaged or cannot be resumed.
bool ses_read(const struct store_session *session, struct ses_options *options,
              struct lit_error *error);
// The same for any session, only to be shown. False if it is damaged.
bool ses_asked(const char *json, struct ses_options *options);

// Opens the store options->db, creates it if missing, and begins a session of the command `name`.
// *session must be empty, except for `finished`.
bool ses_begin(const char *name, int argc, char **argv, const struct ses_options *options,
               const struct ses_devices *devices, struct store **store,
               struct store_session *session, struct lit_error *error);
// Opens the existing store options->db and takes its newest unfinished session, with its options.
// `family`: of the campaigns of litmus fuzz FAMILY, else the newest campaign; a finished one may be
// combined from shards, and nothing is left to run. NULL: of the others.
bool ses_resume(struct store **store, const char *family, struct store_session *session,
                struct ses_options *options, struct lit_error *error);
#define SES_MEMORY_TESTS "litmus.fuzz-*" // the pattern of a campaign of litmus fuzz memory

// Chooses the session's devices and gives them their earlier numbers. Reports on stderr which are
// missing, and sets *missing. False with an error if none is there, or the JSON is damaged.
bool ses_choose(const char *json, struct ses_devices *devices, bool *missing,
                struct lit_error *error);
// Prints the command that continues a session of the store `db`: "litmus run".
void ses_print_resume(const char *command, const char *db);

// Which part of a run over several machines this process does: from its options, else from a CI's
// environment.

// Sets options->shard, unless the run is resumed, and the whole run's seed if the environment has
// one; reports on stderr which variables it used. Touches GTEST_SHARD_STATUS_FILE. False with an
// error if options or variables are invalid, or if there is no seed that all shards share.
bool ses_shard_settle(struct ses_options *options, struct lit_error *error);

// After a run: stores drivers' code for the configurations beside their results.

// The names of a device's planned configurations, sorted.
struct ses_planned {
    char **names;
    size_t count;
};
void ses_planned_make(const struct cat_selection *selection, const struct dev_facts *facts,
                      struct ses_planned *planned);
// Whether a result's configuration is planned; *module is its module, or NULL.
bool ses_planned_has(const struct ses_planned *planned, const struct result *result,
                     const struct cat_module **module);
void ses_planned_clear(struct ses_planned *planned);

// Configurations of a run that are one program on a device (report_code_is_one), if an earlier
// session in the store has the code of everything that it ran. They share the usual number of runs.
struct ses_shares {
    struct ses_share {
        char device[DEV_ID_SIZE];
        char *name;
        size_t among; // number of the run's configurations with this program, including this one
    } * items;
    size_t count;
};

// Finds them for all chosen devices in earlier sessions; a resumed session gets the same result.
// False with an error if the store is damaged. Clear it after a failure too.
bool ses_shares_load(struct store *store, int64_t session, const struct cat_selection *selection,
                     const struct ses_devices *devices, struct ses_shares *shares,
                     struct lit_error *error);
// Among how many configurations the runs are divided; 1: it does not share.
size_t ses_shares_among(const struct ses_shares *shares, const char *device, const char *name);
// Its part of the usual runs: together the parts are at least as many as one would have.
uint64_t ses_shares_runs(const struct ses_shares *shares, const char *device, const char *name,
                         uint64_t runs);
void ses_shares_clear(struct ses_shares *shares);

// The values of --isa, in this order. FAILED: configurations with an unexpected failure, and others
// of the same test that differ from one of them in one axis; the first SES_CODE_MOST of a device.
#define SES_CODE_ARGUMENT "failed|all|none"
enum ses_code_which { SES_CODE_FAILED, SES_CODE_ALL, SES_CODE_NONE };

#define SES_CODE_MOST 100

// Compiles them, and those that share runs, again on the chosen devices and stores the code; skips
// code that the store has. If a driver gives no code for the first one, does not ask for the
// others; if it crashes or hangs, only adds a remark (watch.say). False if the store cannot be read
// or written.
bool ses_code_collect(const struct ses_devices *devices, struct store *store, int64_t session,
                      enum ses_code_which which, const struct ses_shares *shares,
                      struct lit_error *error);

// litmus run --baseline: a run and its gate in one step.

struct ses_baseline {
    bool given;
    struct compare_side side;
    struct compare_waivers waivers;
    struct text junit; // the comparison as JUnit, for the outputs
};

// Reads baseline and waivers, if any. False with an error if they are unusable: then run nothing.
// Clear it after a failure too.
bool ses_baseline_load(struct ses_baseline *baseline, const struct lit_list *files,
                       const struct lit_list *waivers, struct lit_error *error);
// Before the first run: checks that its devices and its code are the baseline's. Reports on stderr
// what cannot be compared; false with an error if nothing can.
bool ses_baseline_check(const struct ses_baseline *baseline, const struct cat_selection *selection,
                        const struct ses_devices *devices, struct lit_error *error);
// After the tables: prints the comparison. Returns the program's exit code: `code` without a
// baseline, else both combined (compare_combine); then sets `reason` to the gate's, unless the
// run's code prevails. `whole`: every device was measured.
enum lit_exit ses_baseline_conclude(struct ses_baseline *baseline, struct store *store,
                                    int64_t session, const struct compare_look *look,
                                    enum lit_exit code, bool whole, char *reason, size_t size);
void ses_baseline_clear(struct ses_baseline *baseline);

// litmus plan: splits a run into parts.

struct ses_plan_options {
    bool all, thorough;
    struct lit_list caselists, skips, from, missing;
    uint64_t parts;
    const char *output;
};

// Appends the parts, or writes their files and appends a line for each. Returns the exit code, or
// -1 with an error.
int ses_plan(const struct ses_plan_options *o, const struct lit_list *patterns, struct text *out,
             struct lit_error *error);

// Whether 'litmus plan --missing', with the session's own options, lists nothing: each kind of its
// devices has measured everything. Anything unreadable or not in the catalogue counts as not
// measured.
bool ses_plan_is_whole(struct store *store, int64_t session, const char *options);

// litmus list.

// What to list: the patterns' cases, limited to these families and expectations, and to cases that
// need at least one of these features. An empty set of bits means all.
struct report_list {
    struct cat_selection selection;
    const struct lit_list *families;
    unsigned expectations;
    uint64_t needs;
};

// Appends a line for each test, with `questions` also its question and needs; or with `names` the
// name of each configuration. JSON follows docs/list.schema.json.
void report_list_text(const struct report_list *filter, bool names, bool questions,
                      struct text *text);
void report_list_json(const struct report_list *filter, struct text *text);
