// SPDX-License-Identifier: Apache-2.0
// A comparison as a command line asks for it.
#pragma once

#include "base/text.h"
#include "compare/compare.h"

struct compare_asked {
    struct lit_list devices, only, baselines, waivers, deqp_fails, deqp_skips, deqp_flakes;
    const char *axis, *alpha, *tolerance, *expectations;
    bool ignore_hash, allow_skips, allow_gone, statistical_only, first_seen, strict, unfinished;
};

// A comparison and everything it points to. Zero-initialise; clear it after a failure too.
struct compare_answer {
    struct compare_side sides[2];
    struct compare_waivers waivers;
    struct comparison comparison;
};

// Reads sides and waivers, and compares. `sources`: A and B or one of them, or with `across` any
// number. False with an error.
bool compare_ask(const struct compare_asked *asked, const struct lit_list *sources, bool gate,
                 bool across, struct compare_answer *answer, struct lit_error *error);
void compare_answer_clear(struct compare_answer *answer);
