// SPDX-License-Identifier: Apache-2.0
// What a run leaves of the configurations that its patterns select: those that a caselist names and
// no list of skips does, and those that a filter of GoogleTest's protocol leaves.
#pragma once

#include "catalogue/catalogue.h"
#include "cli/device.h"
#include "compare/waiver.h"
#include "engine/supervisor.h"
#include "report/model.h"

// litmus run --caselist and --skips.
struct cli_cases {
    struct compare_waivers list, skips; // of COMPARE_CASELIST, of COMPARE_DEQP_SKIPS
    char **names;                       // of `list`, sorted; they belong to it
    bool thorough;                      // a test that is named stands for its thorough ones too
    struct cli_gtest *gtest;            // NULL: that protocol is not asked for
};

// Reads the files; "-" is stdin. False with an error "FILE:LINE: ..." at a line that makes no
// sense, or names what is not in the catalogue.
bool cli_cases_read(struct cli_cases *cases, const struct cli_list *caselists,
                    const struct cli_list *skips, struct lit_error *error);
// What is selected: by the patterns (none, or exclusions, with `all`) and by the lists. It refers
// to both.
struct cat_selection cli_cases_select(struct cli_cases *cases, const struct cli_list *patterns,
                                      bool all, bool thorough);
// Its `keeps`, of a struct cli_cases.
bool cli_cases_keep(const struct cat_case *which, const char *name, const struct dev_facts *facts,
                    const void *cases);
void cli_cases_clear(struct cli_cases *cases);

// Whether 'litmus plan --missing' of a session, by the options that it was run with, names nothing:
// each kind of its devices has measured all. What cannot be read or is not in the catalogue was
// not.
bool cli_plan_is_whole(struct store *store, int64_t session, const char *options);

// GoogleTest's protocol: a configuration is a test. Its suite is the family, its name the rest, as
// cfg_runner_name has it; with several devices the number of the device stands before the suite,
// "2/shuffle".

enum cli_gtest_state { CLI_GTEST_WAITS, CLI_GTEST_OK, CLI_GTEST_SKIPPED, CLI_GTEST_FAILED };

struct cli_gtest_test {
    char *name;   // "shuffle.scan_loop/sync=none@workgroup=64/subgroup=8"
    size_t suite; // length of the suite's name in it
    enum cli_gtest_state state;
    uint64_t milliseconds;
};

struct cli_gtest {
    // What was asked for; the strings belong to the command line and the environment.
    bool list, no_time, json;
    bool own_store; // none was given
    int color;      // enum cli_color
    const char *filter, *output;
    // The run:
    const struct cli_devices *devices;
    struct cli_gtest_test *tests; // in the order in which they run
    size_t count, at;             // at: the one that runs
    double started;
    struct report_model model;
    char *folder, *store; // of its own, which go at the end; NULL: --db names one
};

// Whether any of the words is one of its flags.
bool cli_gtest_is_asked(int argc, char *const *argv);
// Takes the flags out of the words, and out of the variables (GTEST_FILTER...) those that are not
// given. False with an error if one is not known or cannot be heeded.
bool cli_gtest_take(struct cli_gtest *gtest, int *argc, char **argv, struct lit_error *error);
// Whether its report may be written beside the store `db`; NULL may. False with an error.
bool cli_gtest_check(const struct cli_gtest *gtest, const char *db, struct lit_error *error);
// Whether the filter leaves a configuration of a device. Pure.
bool cli_gtest_keeps(const struct cli_gtest *gtest, const char *name, unsigned device);
// Whether a filter ("A*:B?-C") has a test's full name, as GoogleTest says it. Pure.
bool cli_gtest_matches(const char *filter, const char *name);

// A path for the store, where none was given: in a folder that goes at the end.
const char *cli_gtest_store(struct cli_gtest *gtest, struct lit_error *error);
// Notes what will run.
void cli_gtest_plan(struct cli_gtest *gtest, const struct eng_run *run);
// Appends the list of tests.
void cli_gtest_list(const struct cli_gtest *gtest, struct text *out);
// Prints what stands before the first test; each test as it ends; what stands behind the last, and
// the XML file. The end's exit code is 0 or 1; `whole`: everything that was planned was run.
void cli_gtest_begin(struct cli_gtest *gtest, const struct store_session *session,
                     const struct eng_shard *shard);
void cli_gtest_begun(const struct eng_device *device, const char *name, void *gtest);
void cli_gtest_ended(const struct eng_device *device, const struct store_result *result,
                     void *gtest);
int cli_gtest_end(struct cli_gtest *gtest, bool whole, struct lit_error *error);
void cli_gtest_clear(struct cli_gtest *gtest);
