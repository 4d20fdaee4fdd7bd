// SPDX-License-Identifier: Apache-2.0
// Lists of what may be wrong: waivers, each with the URL of its bug, and the lists of deqp-runner.
// Text files that someone else may have written; what they waive is a pure function.
#pragma once

#include "compare/verdict.h"

#include <regex.h>

#define COMPARE_URL_PLACEHOLDER "URL-OF-THE-BUG" // what a written waiver has for a URL: refused

enum compare_list {
    COMPARE_WAIVERS,     // PATTERN URL [CONDITION=VALUE]... [# comment]
    COMPARE_DEQP_FAILS,  // test,Status
    COMPARE_DEQP_SKIPS,  // a regular expression a line
    COMPARE_DEQP_FLAKES, // likewise
    COMPARE_CASELIST,    // a name a line: of a configuration, with or without its subgroup size, or
                         // of a test
    COMPARE_LISTS,
};

// What an entry of a list waives: bits.
enum compare_waived_fault {
    COMPARE_WAIVE_RATE = 1,  // failing outcomes
    COMPARE_WAIVE_CRASH = 2, // crash, lost device, error of the harness
    COMPARE_WAIVE_HANG = 4,  // hang, no progress
    COMPARE_WAIVE_SKIP = 8,
    COMPARE_WAIVE_OPEN = 16, // not run, other code or stress
    COMPARE_WAIVE_ALL = 31,
};

// What a waiver may be limited to, each NAME=VALUE.
enum compare_condition {
    COMPARE_FROM,    // a date: the first day on which it holds
    COMPARE_UNTIL,   // a date: the last day on which it holds
    COMPARE_VENDOR,  // 0x10de
    COMPARE_DEVICE,  // 0x2330: VkPhysicalDeviceProperties.deviceID
    COMPARE_DRIVER,  // a glob of the driver's name or info
    COMPARE_VERSION, // of the driver: 25.0, 25.0..25.2, 25.0.., ..25.2; 25.2 includes 25.2.6
    COMPARE_CONDITIONS,
};

struct compare_waiver {
    enum compare_list list;
    char *file; // where it stands
    size_t line;
    char *pattern;                  // glob, name or regular expression, as it is written
    char *url;                      // "" but for waivers
    char *only[COMPARE_CONDITIONS]; // as they are written; "" for any
    unsigned waives;
    regex_t *regex; // NULL but for regular expressions
    char *needed;   // what a name has to have in it for the regular expression to match
                    // (compare_regex_needs); NULL but for regular expressions

    // Filled by compare_waivers_apply:
    bool expired;
    bool early;     // it begins later
    bool foreign;   // it is for other devices or drivers than all of B's
    size_t matched; // configurations that it names, on devices that it is for
    size_t used;    // regressions and open ones that it waives, or would if it had not expired
    size_t passing; // named as failing, but every run in B was right
};

struct compare_waivers {
    struct compare_waiver *items;
    size_t count;
};

// Adds the entries of a list. Pure. False with an error "FILE:LINE: ..." (exit code 2).
bool compare_waivers_parse(struct compare_waivers *waivers, enum compare_list list,
                           const char *bytes, size_t length, const char *file,
                           struct lit_error *error);
// The same of a file; "-" is stdin.
bool compare_waivers_read(struct compare_waivers *waivers, enum compare_list list, const char *path,
                          struct lit_error *error);
// Whether an entry names a configuration; a regular expression may match its name or that by which
// runners know it (cfg_runner_name).
bool compare_waiver_names(const struct compare_waiver *waiver, const char *name,
                          const char *runner);
void compare_waivers_clear(struct compare_waivers *waivers);

// Sets the waiver of each judged entry that is a regression or open and is waived. `today` is the
// day on which B began, `devices[entry->pair]` B's device. compare_decide counts afterwards.
void compare_waivers_apply(struct compare_waivers *waivers, struct compare_entry *entries,
                           size_t count, const struct compare_policy *policy, const char *today,
                           const struct dev_facts *const *devices, size_t device_count);

// Appends a line for each regression and open entry that nothing waives, sorted, with a word in
// place of the URL that compare_waivers_parse refuses.
void compare_waivers_write(const struct compare_entry *entries, size_t count,
                           const struct compare_policy *policy, struct text *out);

// The plain text that a regular expression cannot match without, which is much faster to look for:
// for each alternative of it the pieces in order, each a string, and an empty one behind the last;
// behind the last alternative another empty one. Only empty ones where an alternative needs
// nothing. Pure; free() it.
char *compare_regex_needs(const char *regex);
// Whether a name has the pieces of one alternative, one after another.
bool compare_regex_may_match(const char *needed, const char *name);
