// SPDX-License-Identifier: Apache-2.0
// A session read into memory once, and what can be counted over it: the numbers of all reports.
#pragma once

#include "model/configuration.h"
#include "model/inventory.h"
#include "model/result.h"
#include "model/rule.h"
#include "stats/stats.h"
#include "store/store.h"

#define REPORT_CONFIDENCE 0.95
#define REPORT_MOST       ((uint64_t)1 << 53) // every count is below: JSON readers lose more

struct report_result {
    struct cfg cfg;       // the configuration; the next ones are its members
    char *name;           // whole, which identifies it
    char *label;          // what people read of it: cat_label
    char id[CFG_ID_SIZE]; // what they type
    const char *test, *family;
    const struct cfg_pair *variant, *params; // the parameters follow the axes
    size_t variant_count, param_count;
    size_t device; // index
    enum eng_result result;
    enum cat_expectation expectation;
    char *reason, *sha256, *headline;
    char *stress, *rule; // as in struct store_result
    uint64_t seed, first;
    const struct cat_mode *mode; // names the outcomes; cat_mode_keep
    uint64_t runs, failed_runs, no_progress_runs, instances, failed_instances;
    uint64_t outcomes[CAT_OUTCOMES];
    bool first_run_failed;
    double seconds;
    struct eng_failure *failures;
    size_t failure_count;
    struct eng_part *pieces; // all runs in parts, none if not known
    size_t piece_count;
    uint64_t judged; // runs that did not give up waiting: what a rate is of
    // Of failed runs among them: the confidence sequence's where a sequential rule ended the runs.
    struct stat_interval interval;
    struct stat_dispersion spread; // of the rate between the pieces
    char *evidence[ENG_EVIDENCES]; // as in struct store_result; NULL: none
};

// What measured a session (base/build.h, cat_identity); "" where it is not known.
struct report_build {
    char *commit, *catalogue, *options;
};

struct report_model {
    struct store *store; // what it was read from, for what other sessions say; not owned
    // Other sessions that say it where there is no store, each with its number; not owned. The
    // model is then put together of them, has the number 0, and is itself none.
    const struct report_model *others;
    size_t other_count;
    struct store_session session;
    struct report_build build;
    unsigned unclosed; // devices that the driver did not close
    char *drivers;     // what is to be known of them beside all results, lines; ""
    char *simt;        // settings of the SIMT simulator, if it was used; else NULL
    char stress[16];   // "random", if that was asked for
    struct eng_device *devices;
    size_t device_count;
    struct report_result *results;
    size_t result_count;
    // What a report is about, as asked for: patterns of report_model_narrow, "" for everything.
    char *only_device, *only_test;
    struct report_result
        *rest; // of these devices, but not asked for: paired variants are looked for here
    size_t rest_count;
    enum lit_exit code; // what the results call for (docs/reading.md)
    char code_reason[256];
    double seconds; // measured, over all results
};

// Reads a session. Clear it after a failure too.
bool report_model_load(struct store *store, int64_t session, struct report_model *model,
                       struct lit_error *error);
void report_model_clear(struct report_model *model);
// Appends a copy of a result of one of its devices.
void report_model_add(struct report_model *model, size_t device, const struct store_result *row);
// Leaves the devices that `device` names (a number, UUID or name as -d takes it) and the results
// that `test` names (a configuration, or a pattern as `litmus run` takes it); "" leaves all. False
// with an error, and the model as it was, if nothing is left.
bool report_model_narrow(struct report_model *model, const char *device, const char *test,
                         struct lit_error *error);

// Makes a configuration, which it takes over, that of a result; and frees what this made.
void report_result_is(struct report_result *result, struct cfg cfg);
void report_result_forget(struct report_result *result);
// What the name says of an axis or a parameter; "" if it has no such.
const char *report_value(const struct report_result *result, const char *key);

// In how many axes and parameters `other` differs from `result`. `names`, if not NULL, gets those
// of `other`: "sync=none, workgroup=64".
size_t report_differences(const struct report_result *result, const struct report_result *other,
                          struct text *names);

// A failing outcome was seen where none should be: counted as a failure.
bool report_failed(const struct report_result *result);
// It did not come to an end: hang, crash, device-lost, no-progress, harness-error, partial; but for
// a control that was seen.
bool report_unfinished(const struct report_result *result);
// The same without those that failed as well.
bool report_unfinished_only(const struct report_result *result);
// A control of which at least one run was counted.
bool report_is_control(const struct report_result *result);
// A control that ended as it is there to end: a run failed, or in every run a wait expired.
bool report_control_triggered(const struct report_result *result);

// How much more the failed runs of the pieces vary than chance would have it; fewer than two groups
// say nothing.
struct stat_dispersion report_dispersion(const struct report_result *result);

// "right", "stale by 1", or "outcome 9" if the mode has no such.
const char *report_outcome_name(const struct report_result *result, uint32_t outcome,
                                char buffer[24]);

// Of the rate of failed runs among those judged. `rule`: as in struct store_result.
struct stat_interval report_interval(uint64_t failed, uint64_t judged, const char *rule);

// What a sequential rule came to; ENG_RULING_NONE if its runs were fixed beforehand, or did not
// come to an end by themselves: it was skipped, crashed, hung or was interrupted.
enum eng_ruling report_ruling(const struct report_result *result);
// It ended at the most runs that were allowed, and the rule was not reached.
bool report_is_undecided(const struct report_result *result);

// The failing outcomes vary between parts by more than chance can explain: the interval is too
// narrow.
bool report_is_overdispersed(const struct report_result *result);
// What ended the runs of a result, as far as its expired waits are concerned: its rule, or that of
// ENG_RULE_WAITS.
const char *report_wait_rule(const struct report_result *result);
// "clopper-pearson", or "sequence" where a rule decided when to stop.
const char *report_interval_kind(const char *rule);
// "" or "tests 1 of 4", "runs 1 of 4": which shard of a larger run this session is. Returns
// `target`.
char *report_shard(char target[64], const struct store_session *session);

// "Never", "Sometimes", "Always"; "Unknown" if no run was judged.
const char *report_observation(uint64_t failed, uint64_t judged);

// The key result that stands before all others, in the verdict too.
#define REPORT_LEADS "subgroup operations behind a loop exit"

// The tests of a key result with one expectation and one stress, summed: all, or where some of them
// always fail and others never those that do, those that never do, and the others, each by itself.
struct report_headline {
    char *where; // the values of these, as report_where; "": all, or nothing tells them apart
    const char *name, *stress, *rule; // rule: that of its results, the last one if they differ
    enum cat_expectation expectation;
    uint64_t runs, failed_runs, judged;
    struct stat_interval interval;
};
// The key results of a device: those that the program is about, then others by name, each in order
// of expectation. *lines is allocated, for report_headlines_free; returns how many.
size_t report_headlines(const struct report_model *model, size_t device,
                        struct report_headline **lines);
void report_headlines_free(struct report_headline *lines, size_t count);
// Leaves out, and frees, of lines under stress in which nothing failed, those beyond the first few:
// where each configuration has stress of its own, each has a line of its own. Returns how many are
// left.
size_t report_headlines_brief(struct report_headline *lines, size_t count);

// As what each configuration is counted, once: "pass", "fail", "skip", "other", "control".
#define REPORT_COUNTED 5
extern const char *const report_counted_names[REPORT_COUNTED];
size_t report_counted(const struct report_result *result);

// A family's configurations on a device.
struct report_family {
    const char *name;
    uint64_t counts[REPORT_COUNTED], instances;
};
size_t report_families(const struct report_model *model, size_t device,
                       struct report_family **families);

// The failures of a device (or those that did not finish): forbidden first. *list is
// allocated.
size_t report_select(const struct report_model *model, size_t device,
                     bool (*which)(const struct report_result *result),
                     const struct report_result ***list);
