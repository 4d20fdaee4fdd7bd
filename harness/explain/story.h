// SPDX-License-Identifier: Apache-2.0
// What went wrong, in words: for someone who knows drivers and has never seen the test. Pure.
#pragma once

#include "base/text.h"
#include "model/result.h"
#include "explain/window.h"

// What a story is about. Strings are free of control characters.
struct exp_subject {
    const char *name; // of the configuration
    const char *asks, *fails, *expectation, *reason;
    const char *model, *about;
    const char *instance; // what the oracle judges: "workgroup"
    struct cat_mode mode;
    uint64_t seed;        // of the input
    const char *settings; // of the reference driver, for the run that failed
    const char *again;    // the command that explains it again
    unsigned tries, failed_tries;
    uint64_t switches, steps; // of the run that is shown
    // How it ended.
    const struct eng_count *count;
    enum eng_result result;
    const char *said; // by the driver, or why the run ended; ""
};

// One sentence: who did what when, and what it got.
void exp_sentence(const struct exp_trace *trace, const struct exp_breakage *breakage,
                  struct text *text);
// "lane 2", or with its subgroup and workgroup where the dispatch has several.
void exp_who(const struct exp_trace *trace, uint32_t invocation, struct text *text);
// "{0, 2-5}"
void exp_set(const struct exp_lanes *lanes, struct text *text);

// All of it: the question, the sentence, the steps, the outcome.
void exp_story(const struct exp_subject *subject, const struct exp_trace *trace,
               const struct exp_breakage *breakage, const struct exp_window *window,
               struct text *text);
