// SPDX-License-Identifier: Apache-2.0
// When a configuration has run often enough: after a fixed number of runs, or by a sequential rule,
// which looks at the confidence sequence of its rate (stats/sequence.h) and may therefore stop as
// soon as it has seen what it waits for. Pure functions.
#pragma once

#include "model/result.h"

#define ENG_RULE_CONFIDENCE 0.95
#define ENG_RULE_MOST       1000 // times the least number of runs: where a rule gives up by default

struct eng_rule {
    enum eng_rule_kind {
        ENG_RULE_FIXED,   // after `least` runs
        ENG_RULE_WIDTH,   // when the interval is at most `value` wide
        ENG_RULE_DECIDED, // when the rate is shown to be above or below `value`
    } kind;
    double value;         // above 0 and below 1
    uint64_t least, most; // runs; a sequential rule looks first after `least` and ends at `most`
    // Whatever the kind, a configuration ends after so many runs if a bounded wait expired in each
    // of them: no rate comes of it, and waits take long. 0: it does not.
    uint64_t waits;
};
#define ENG_RULE_WAITS 100 // in runs of which nobody said how many there are to be

// The rule's notation in a store, "" for a fixed number, else "width 0.001", "decided 0.001".
void eng_rule_write(const struct eng_rule *rule, char text[48]);
// Reads it back; sets kind and value only. False if it is none that was written so. The text is not
// trusted.
bool eng_rule_read(const char *text, struct eng_rule *rule);

enum eng_ruling {
    ENG_RULING_NONE,    // a fixed number of runs, or none that could be judged
    ENG_RULING_REACHED, // the interval is narrow enough
    ENG_RULING_ABOVE,   // the rate is above `value`
    ENG_RULING_BELOW,
    ENG_RULING_MISSED, // neither narrow enough nor decided
    ENG_RULINGS,
};

// Whether a configuration ends so: all runs of `count` are the first ones.
bool eng_rule_waits(const struct eng_rule *rule, const struct eng_count *count);

// What the counts say. Runs whose bounded wait expired are not counted in a rate.
enum eng_ruling eng_rule_judge(const struct eng_rule *rule, const struct eng_count *count);

// How many runs there are to be in all before the next look; 0 if none are to follow: the rule is
// reached, or `most` is, or no run of the first `least` could be judged. Each look comes after
// twice as many runs as the last one, since each chunk of runs compiles a pipeline.
uint64_t eng_rule_next(const struct eng_rule *rule, const struct eng_count *count);

// Why a sequential rule ended without being reached, "" if it was: "the rate is shown neither above
// nor below 0.001 by 1,000,000 runs".
void eng_rule_reason(const struct eng_rule *rule, const struct eng_count *count, char *text,
                     size_t size);
