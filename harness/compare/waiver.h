// SPDX-License-Identifier: Apache-2.0
// Lists of what may be wrong: waivers, each with the URL of its bug, and the lists of deqp-runner.
// Text files that someone else may have written; what they waive is a pure function.
#pragma once

#include "compare/verdict.h"

#include <regex.h>

#define COMPARE_URL_PLACEHOLDER "URL-OF-THE-BUG" // what a written waiver has for a URL: refused

enum compare_list {
    COMPARE_WAIVERS,     // PATTERN URL [until=YYYY-MM-DD] [# comment]
    COMPARE_DEQP_FAILS,  // test,Status
    COMPARE_DEQP_SKIPS,  // a regular expression a line
    COMPARE_DEQP_FLAKES, // likewise
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

struct compare_waiver {
    enum compare_list list;
    char *file; // where it stands
    size_t line;
    char *pattern;  // glob, name or regular expression, as it is written
    char *url;      // "" but for waivers
    char until[11]; // "2026-12-31", the last day on which it holds; "" for always
    unsigned waives;
    regex_t *regex; // NULL but for regular expressions
    char *needed;   // what a name has to have in it for the regular expression to match
                    // (compare_regex_needs); NULL but for regular expressions

    // Filled by compare_waivers_apply:
    bool expired;
    size_t matched; // configurations that it names
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
// The same of a file.
bool compare_waivers_read(struct compare_waivers *waivers, enum compare_list list, const char *path,
                          struct lit_error *error);
void compare_waivers_clear(struct compare_waivers *waivers);

// Sets the waiver of each judged entry that is a regression or open and is waived. `today` is the
// day on which B began. compare_decide counts afterwards.
void compare_waivers_apply(struct compare_waivers *waivers, struct compare_entry *entries,
                           size_t count, const struct compare_policy *policy, const char *today);

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
