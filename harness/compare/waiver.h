// SPDX-License-Identifier: Apache-2.0
// Lists of expected faults: waivers, each with its bug's URL, and deqp-runner's lists. They are
// text files by anyone; a pure function finds what they waive.
#pragma once

#include "compare/verdict.h"

#include <regex.h>

#define COMPARE_URL_PLACEHOLDER "URL-OF-THE-BUG" // the URL in a written waiver: refused

enum compare_list {
    COMPARE_WAIVERS,     // PATTERN URL [CONDITION=VALUE]... [# comment]
    COMPARE_DEQP_FAILS,  // test,Status
    COMPARE_DEQP_SKIPS,  // a regular expression a line
    COMPARE_DEQP_FLAKES, // likewise
    COMPARE_CASELIST,    // a name a line: a configuration, with or without its subgroup size, or a
                         // test
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

// Conditions on a waiver, each NAME=VALUE.
enum compare_condition {
    COMPARE_FROM,    // a date: its first day
    COMPARE_UNTIL,   // a date: its last day
    COMPARE_VENDOR,  // 0x10de
    COMPARE_DEVICE,  // 0x2330: VkPhysicalDeviceProperties.deviceID
    COMPARE_DRIVER,  // a glob of the driver's name or info
    COMPARE_VERSION, // of the driver: 25.0, 25.0..25.2, 25.0.., ..25.2; 25.2 includes 25.2.6
    COMPARE_CONDITIONS,
};

struct compare_waiver {
    enum compare_list list;
    char *file; // its source
    size_t line;
    char *pattern;                  // glob, name or regular expression, as written
    char *url;                      // "" except in waivers
    char *only[COMPARE_CONDITIONS]; // as written; "" for any
    unsigned waives;
    regex_t *regex; // NULL except for regular expressions
    char *needed;   // text that a name must contain to match (compare_regex_needs); NULL except for
                    // regular expressions

    // Filled by compare_waivers_apply:
    bool expired;
    bool early;     // it begins later
    bool foreign;   // it applies to none of B's devices and drivers
    size_t matched; // configurations that it names, on devices that it applies to
    size_t used;    // regressions and open entries that it waives, or would if it had not expired
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
// Reads files and adds their entries; "-" is stdin.
bool compare_waivers_read(struct compare_waivers *waivers, enum compare_list list,
                          const struct lit_list *files, struct lit_error *error);
// Whether an entry names a configuration; a regular expression may match its name or its name for
// runners (cfg_runner_name).
bool compare_waiver_names(const struct compare_waiver *waiver, const char *name,
                          const char *runner);
void compare_waivers_clear(struct compare_waivers *waivers);

// Sets the waiver of each judged entry that is a regression or open and that one covers. `today` is
// the day when B began, `devices[entry->pair]` B's device. Call compare_decide afterwards to count.
void compare_waivers_apply(struct compare_waivers *waivers, struct compare_entry *entries,
                           size_t count, const struct compare_policy *policy, const char *today,
                           const struct dev_facts *const *devices, size_t device_count);

// Appends a line for each regression and open entry without a waiver, sorted, with a placeholder
// for the URL that compare_waivers_parse refuses.
void compare_waivers_write(const struct compare_entry *entries, size_t count,
                           const struct compare_policy *policy, struct text *out);

// The plain text that a regular expression needs to match; searching for it is much faster. Each
// alternative is a list of pieces in order, each a string, ended by an empty one; another empty one
// ends the alternatives. Only empty ones if an alternative needs no text. Pure; free() it.
char *compare_regex_needs(const char *regex);
// Whether a name has the pieces of one alternative, in order.
bool compare_regex_may_match(const char *needed, const char *name);
