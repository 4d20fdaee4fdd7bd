// SPDX-License-Identifier: Apache-2.0
// A whole comparison of two sides: pairs, verdicts, waivers, its power, and its reports, which are
// pure functions of it.
#pragma once

#include "compare/side.h"
#include "compare/waiver.h"
#include "report/table.h"

// ---- what in one side belongs to what in the other (pair.c)

#define COMPARE_NO_DEVICE SIZE_MAX

struct compare_pair {
    size_t a, b; // indexes of devices; `a` is COMPARE_NO_DEVICE if A has none for B's
    char *words; // "Example GPU: driver 1.2.3 -> 1.2.4"; then other differences
};

struct compare_pairs {
    struct compare_pair *items; // pairs of two devices, then B's devices without a partner
    size_t count;
    size_t alone_a, alone_b; // devices without a partner
};

// Pairs devices: by UUID, then by name with vendor and product, then by vendor and product, then by
// name, each only if it is unambiguous; last the only two left. `patterns` choose by number, UUID,
// id, vendor:product or name with * and ?: one for both sides, or one each for A and B; if they
// leave one device on each side, these are a pair. False with an error that says how to choose if
// there is no pair or more than one way. Clear it after a failure too.
bool compare_pair_devices(const struct compare_side *a, const struct compare_side *b,
                          const char *const *patterns, size_t pattern_count,
                          struct compare_pairs *pairs, struct lit_error *error);
void compare_pairs_clear(struct compare_pairs *pairs);

// ---- devices of one kind (dev_facts_alike) against each other (across.c): B is each device, A is
// the others of its kind together

// Reads sources with all their devices side by side, numbered from 1; never combines two. Fails
// like compare_side_load. Clear it after a failure too.
bool compare_across_load(struct compare_side *each, const struct compare_source *sources,
                         struct lit_error *error);
// Makes the other side: for each result the sum of other devices of the kind for the same
// configuration, with the same module, stress and expectation and no stopping rule. Leaves out odd
// ones (Fisher's test, p below 0.01 over all of them). Pure.
void compare_across_others(const struct compare_side *each, struct compare_side *others);
// False with an error if no two devices are of one kind. For two devices only the second has a
// pair.
bool compare_across_pairs(const struct compare_side *each, struct compare_pairs *pairs,
                          struct lit_error *error);

// "sync=none,control-each": A's value and B's value in its place. All NULL: names must be equal.
struct compare_axis {
    char *name, *a, *b;
};
bool compare_axis_parse(const char *text, struct compare_axis *axis, struct lit_error *error);
void compare_axis_clear(struct compare_axis *axis);

// Makes an entry for each configuration that either side has on a pair of devices, or B has on a
// device without a partner, in order of pair and name. `only`, if not NULL, selects names (as
// `litmus run` does: the last pattern that matches wins, ! excludes). Leaves out results with other
// values of the axis. *entries and their names are allocated; free with compare_entries_free.
size_t compare_pair_results(const struct compare_side *a, const struct compare_side *b,
                            const struct compare_pairs *pairs, const struct compare_axis *axis,
                            const char *const *only, size_t only_count,
                            struct compare_entry **entries);
void compare_entries_free(struct compare_entry *entries, size_t count);

// ---- the comparison

struct compare_request {
    const struct compare_side *a, *b;
    const char *const *devices; // patterns: none, one, or A's and B's
    size_t device_count;
    bool across;             // the sides are compare_across_others and compare_across_load
    const char *axis;        // "sync=none,control-each"; NULL
    const char *const *only; // patterns of configurations
    size_t only_count;
    struct compare_policy policy;
};

#define COMPARE_POWER 0.8

// The rise of a rate that we would find significant with probability COMPARE_POWER.
struct compare_power {
    size_t tests;                      // the number that we assume Holm's correction divides by
    size_t never;                      // configurations without a failed run in A ...
    double typical_never, worst_never; // ... the rate that we would find: median, largest
    size_t all;                        // configurations that can become worse
    double typical, worst;             // rise over A's rate
    const char *worst_name;            // belongs to the comparison
};

struct comparison {
    const struct compare_side *a, *b;
    bool across;
    struct compare_axis axis;
    struct compare_pairs pairs;
    struct compare_entry *entries;
    size_t count;
    struct compare_policy policy;
    struct compare_summary summary;
    struct compare_power power;
    const struct compare_waivers *waivers; // NULL: none
    struct table remarks;                  // its notes: a sentence each, about the sides
    struct {
        char *summary; // the first sentence: "passed: no regression", ...
        char *counts;  // "3 regressions, 12 improvements, 320 unchanged, 8 undecided, 87 new"
        char *a, *b;   // "before.json: session 3 of 2026-11-21, litmus 1.0.0"
        char *method;  // how we keep false alarms rare: "Fisher's exact test, one-sided, ..."
        char *power;   // two sentences on what we could have seen; NULL if nothing was tested
    } words;
};

// Compares. `waivers` may be NULL; gets what each waived. The sides and waivers must outlive the
// comparison. False with an error: no devices belong together, no configuration is on both sides,
// or all of these have other modules. Clear it after a failure too.
bool compare_make(struct comparison *comparison, const struct compare_request *request,
                  struct compare_waivers *waivers, struct lit_error *error);
void compare_clear(struct comparison *comparison);

// What judged entries could have shown. Takes some milliseconds for each different number of runs.
void compare_power(const struct compare_entry *entries, size_t count,
                   const struct compare_policy *policy, const struct compare_summary *summary,
                   struct compare_power *power);

struct compare_look {
    bool color;
    int verbosity; // -1: summary and regressions; 0; 1: every configuration
};

void compare_text(const struct comparison *comparison, const struct compare_look *look,
                  struct text *out);
typedef void compare_function(const struct comparison *comparison, struct text *out);
// junit.c explains JUnit's four words.
compare_function compare_json, compare_markdown, compare_junit, compare_html;

// ---- kinds (words.c)

// The section for a configuration: regressions first, and so on.
enum compare_kind {
    COMPARE_KIND_REGRESSIONS, // that gate and that no waiver covers
    COMPARE_KIND_WAIVED,
    COMPARE_KIND_FIRST_SEEN,   // open
    COMPARE_KIND_NEW_WRONG,    // open
    COMPARE_KIND_NOT_MEASURED, // open
    COMPARE_KIND_OTHER_WORSE,  // regressions whose expectation does not gate
    COMPARE_KIND_IMPROVEMENTS,
    COMPARE_KIND_CONTROLS, // that changed
    COMPARE_KIND_UNDECIDED,
    COMPARE_KIND_REST,
    COMPARE_KINDS,
};
enum compare_kind compare_kind_of(const struct comparison *comparison,
                                  const struct compare_entry *entry);
const char *compare_kind_title(const struct comparison *comparison,
                               enum compare_kind kind); // "regressions"

// ---- tables: the same rows in every report (rows.c). Each makes *table; clear it.

// At most `most` entries of a kind; returns how many there are.
size_t compare_kind_rows(const struct comparison *comparison, enum compare_kind kind, size_t most,
                         struct table *table);
// How many of each verdict a family has.
void compare_family_rows(const struct comparison *comparison, struct table *table);
// Each device with its rate; no rows unless devices are compared across.
void compare_device_rows(const struct comparison *comparison, struct table *table);
// Waivers with something to tell, including expired ones.
void compare_waiver_rows(const struct comparison *comparison, struct table *table);

// ---- words: the same sentences in every report (words.c)

// Fills the words of the comparison and of its pairs.
void compare_words(struct comparison *comparison);
// Appends what happened to a configuration from A to B, in one line without a full stop: "0 of
// 1,000 -> 37 of 1,000 runs failed, < 3.7e-3 -> 0.037 [0.026, 0.051], by 0.037 [0.027, 0.051], p
// 3.6e-10".
void compare_say_entry(const struct compare_entry *entry, struct text *out);
// A configuration for people: its id and label; its name if an axis differs.
void compare_say_name(const struct compare_entry *entry, struct text *out);
// "device 2", if there are several; else nothing.
void compare_say_device(const struct comparison *comparison, const struct compare_entry *entry,
                        struct text *out);
// The first sentence, and a pair, when comparing across devices.
void compare_across_summary(const struct comparison *comparison, struct text *out);
void compare_across_pair(const struct comparison *comparison, const struct compare_pair *pair,
                         struct text *out);

// The entries of a kind, forbidden before contested before assumed, then by name. free() it.
const struct compare_entry **compare_select(const struct comparison *comparison,
                                            enum compare_kind kind, size_t *count);

// ---- as a command line asks for it, and how it is written (compare.c)

// X(name, purpose): the forms of its files.
#define COMPARE_FORMS(X)                                                                           \
    X(json, "JSON for scripts")                                                                    \
    X(markdown, "Markdown for a merge request")                                                    \
    X(junit, "JUnit XML; waived failures are skipped")                                             \
    X(html, "one page for a browser")
#define COMPARE_AS(name, about) COMPARE_AS_##name,
enum compare_form { COMPARE_AS_text, COMPARE_FORMS(COMPARE_AS) COMPARE_FORM_COUNT };
extern const struct compare_form_row {
    const char *name;
    compare_function *write; // NULL: the text, which has its own options
} compare_forms[COMPARE_FORM_COUNT];

struct compare_asked {
    bool gate;
    int across; // 0: devices of one kind against each other; -1: A and B
    struct lit_list devices, only, baselines, waivers, deqp_fails, deqp_skips, deqp_flakes;
    const char *axis, *expectations;
    double alpha, tolerance; // 0: the usual one
    bool ignore_hash, allow_skips, allow_gone, statistical_only, first_seen, strict, unfinished;
    // What is written:
    bool write_waivers, quiet;
    int format, verbose, color;
    const char *files[COMPARE_FORM_COUNT]; // or NULL
};

// A comparison and everything it points to. Zero-initialise; clear it after a failure too.
struct compare_answer {
    struct compare_side sides[2];
    struct compare_waivers waivers;
    struct comparison comparison;
};

// Checks which options go together, and with how many sources. False with an error.
bool compare_check(const struct compare_asked *asked, const struct lit_list *sources,
                   struct lit_error *error);
// Reads sides and waivers, and compares. `sources`: A and B or one of them, or with `across` any
// number. False with an error.
bool compare_ask(const struct compare_asked *asked, const struct lit_list *sources,
                 struct compare_answer *answer, struct lit_error *error);
// Appends what was asked for, and writes the files; false with an error if one cannot be written.
bool compare_put(const struct compare_asked *asked, const struct comparison *comparison,
                 struct text *text, struct lit_error *error);
void compare_answer_clear(struct compare_answer *answer);
