// SPDX-License-Identifier: Apache-2.0
// A comparison as a command line asks for it, and how it is written.
#pragma once

#include "base/text.h"
#include "compare/compare.h"

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
