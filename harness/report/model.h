// SPDX-License-Identifier: Apache-2.0
// A session in memory, read once, and the counts over it: the numbers in all reports.
#pragma once

#include "model/inventory.h"
#include "model/result.h"
#include "model/rule.h"
#include "stats/stats.h"
#include "store/store.h"

#define REPORT_CONFIDENCE 0.95
#define REPORT_MOST       ((uint64_t)1 << 53) // limit on counts: JSON readers lose more

// The program that measured a session (base/build.h, cat_identity); "" if not known.
struct report_build {
    char *commit, *catalogue, *options;
};

struct report_model {
    struct store *store; // its source, and the source of other sessions; not owned
    // Other sessions, each with its number, if there is no store; not owned. The model is then
    // their combination, has the number 0, and is no session itself.
    const struct report_model *others;
    size_t other_count;
    struct store_session session;
    struct report_build build;
    unsigned unclosed; // devices that the driver did not close
    char *drivers;     // lines of notes on drivers, for all results; ""
    char *simt;        // settings of the SIMT simulator, if it was used; else NULL
    char stress[16];   // "random", if asked for
    struct eng_device *devices;
    size_t device_count;
    struct result *results;
    size_t result_count;
    // What the report is about, as asked: patterns of report_model_narrow, "" for everything.
    char *only_device, *only_test;
    struct result *rest; // on these devices but not asked for: we look for paired variants here
    size_t rest_count;
    enum lit_exit code; // the exit code for these results (docs/reading.md)
    char code_reason[256];
    double seconds; // measuring time, over all results
};

// Adds a session's kernels as the tests that its results belong to, but those that are there.
bool report_kernels_add(struct store *store, int64_t session, struct lit_error *error);
// Reads a session. Clear it after a failure too.
bool report_model_load(struct store *store, int64_t session, struct report_model *model,
                       struct lit_error *error);
void report_model_clear(struct report_model *model);
// The model's next result after `last` on a device, or with REPORT_ALL on any; `last` is NULL for
// the first. NULL after the last one.
#define REPORT_ALL SIZE_MAX
const struct result *report_next(const struct report_model *model, size_t device,
                                 const struct result *last);
#define REPORT_EACH(one, model, device)                                                            \
    for (const struct result *one = NULL; (one = report_next(model, device, one));)
// Gives a result its configuration, which it takes over, with label and id.
void report_result_is(struct result *result, struct cfg cfg);
// Derives its rate, interval and spread from its counts.
void report_result_rate(struct result *result);
// Keeps only the devices that `device` names (a number, UUID or name as -d takes it) and the
// results that `test` names (a configuration, or a pattern as `litmus run` takes it); "" keeps all.
// False with an error, and the model unchanged, if nothing would be left.
bool report_model_narrow(struct report_model *model, const char *device, const char *test,
                         struct lit_error *error);

// The name's value for an axis or a parameter; "" if it has none.
const char *report_value(const struct result *result, const char *key);

// How many axes and parameters differ between `other` and `result`. `names`, if not NULL, gets the
// values of `other`: "sync=none, workgroup=64".
size_t report_differences(const struct result *result, const struct result *other,
                          struct text *names);

// A failing outcome appeared where none should: counts as a failure.
bool report_failed(const struct result *result);
// It did not end normally: hang, crash, device-lost, no-progress, harness-error, partial; except a
// triggered control.
bool report_unfinished(const struct result *result);
// The same, except those that failed as well.
bool report_unfinished_only(const struct result *result);
// A control with at least one counted run.
bool report_is_control(const struct result *result);
// A control that did its job: a run failed, or a wait expired in every run.
bool report_control_triggered(const struct result *result);

// How much more the failed runs vary between pieces than chance explains; it takes at least two
// groups to tell.
struct stat_dispersion report_dispersion(const struct result *result);

// "right", "stale by 1"; "outcome 9" if the mode has no name.
const char *report_outcome_name(const struct result *result, uint32_t outcome, char buffer[24]);

// The interval of the rate of failed runs among judged ones. `rule`: as in struct store_result.
struct stat_interval report_interval(uint64_t failed, uint64_t judged, const char *rule);

// What a sequential rule decided; ENG_RULING_NONE if the runs were fixed in advance or ended early:
// a skip, crash, hang or interruption.
enum eng_ruling report_ruling(const struct result *result);
// It reached the limit of runs before the rule decided.
bool report_is_undecided(const struct result *result);

// The failing outcomes vary between parts by more than chance explains: the interval is too narrow.
bool report_is_overdispersed(const struct result *result);
// The rule that ended a result's runs, for its expired waits: its own rule, or ENG_RULE_WAITS's.
const char *report_wait_rule(const struct result *result);
// "clopper-pearson", or "sequence" if a rule decided when to stop.
const char *report_interval_kind(const char *rule);
// "" or "tests 1 of 4", "runs 1 of 4": the session's shard of a larger run. Returns `target`.
char *report_shard(char target[64], const struct store_session *session);

// "Never", "Sometimes", "Always"; "Unknown" if no run was judged.
const char *report_observation(uint64_t failed, uint64_t judged);

// The key result that comes before all others, in the verdict too.
#define REPORT_LEADS "subgroup operations behind a loop exit"

// The results of a key result with one expectation and one stress, summed: all in one line; or, if
// some always fail and others never or values tell those that sometimes fail apart, one line each
// for these groups.
struct report_headline {
    char *where; // the values of these results, as report_where; "": all, or no value tells them
                 // apart
    const char *name, *stress, *rule; // rule: of the last result with one
    enum cat_expectation expectation;
    uint64_t runs, failed_runs, judged;
    struct stat_interval interval;
};
// A device's key results: the program's main ones, then others by name, each in order of
// expectation. *list is allocated, for report_headlines_free; returns its length.
size_t report_headlines(const struct report_model *model, size_t device,
                        struct report_headline **lines);
void report_headlines_free(struct report_headline *lines, size_t count);
// Frees lines under stress without failures, except the first few: if each configuration has its
// own stress, each has its own line. Returns how many are left.
size_t report_headlines_brief(struct report_headline *lines, size_t count);

// Each configuration counts as one of these: "pass", "fail", "skip", "other", "control".
#define REPORT_COUNTED 5
extern const char *const report_counted_names[REPORT_COUNTED];
size_t report_counted(const struct result *result);

// A device's failures (or unfinished results), forbidden ones first. *list is allocated.
size_t report_select(const struct report_model *model, size_t device,
                     bool (*which)(const struct result *result), const struct result ***list);
