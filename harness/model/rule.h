// SPDX-License-Identifier: Apache-2.0
// Decides when a configuration has run often enough: after a fixed number of runs, or by a
// sequential rule, which looks at the confidence sequence of its rate (stats/sequence.h) and so may
// stop as soon as the rule is reached. Pure functions.
#pragma once

#include "model/result.h"

#define ENG_RULE_CONFIDENCE 0.95
#define ENG_RULE_MOST       1000 // times the least number of runs: default limit of a rule

struct eng_rule {
    enum eng_rule_kind {
        ENG_RULE_FIXED,   // after `least` runs
        ENG_RULE_WIDTH,   // when the interval is at most `value` wide
        ENG_RULE_DECIDED, // when the rate is shown to be above or below `value`
    } kind;
    double value;         // above 0 and below 1
    uint64_t least, most; // runs; a sequential rule looks first after `least` and stops at `most`
    // With any kind, a configuration ends after this many runs if a bounded wait expired in half of
    // them: they give no rate, and waits are slow. 0: never.
    uint64_t waits;
};
#define ENG_RULE_WAITS  20  // for runs whose number nobody specified
#define ENG_RULE_WAITED 100 // in the measurements that reports/ published before

// Writes the rule for a store: "" for a fixed number, else "width 0.001", "decided 0.001".
void eng_rule_write(const struct eng_rule *rule, char text[48]);
// Reads it back; sets only kind and value. False if it is not in that form. The text is not
// trusted.
bool eng_rule_read(const char *text, struct eng_rule *rule);

enum eng_ruling {
    ENG_RULING_NONE,    // a fixed number of runs, or no run could be judged
    ENG_RULING_REACHED, // the interval is narrow enough
    ENG_RULING_ABOVE,   // the rate is above `value`
    ENG_RULING_BELOW,
    ENG_RULING_MISSED, // neither narrow enough nor decided
    ENG_RULINGS,
};

// Whether a configuration ends by `waits`: `count` must be its first runs.
bool eng_rule_waits(const struct eng_rule *rule, const struct eng_count *count);

// Judges the counts. Runs whose bounded wait expired do not count in a rate.
enum eng_ruling eng_rule_judge(const struct eng_rule *rule, const struct eng_count *count);

// The total number of runs before the next look; 0 if no more follow: the rule or `most` is
// reached, or no run of the first `least` could be judged. Each look comes after twice as many runs
// as the last one, since each chunk of runs compiles a pipeline.
uint64_t eng_rule_next(const struct eng_rule *rule, const struct eng_count *count);

// Says why a sequential rule ended without being reached, "" if it was: "the rate is shown neither
// above nor below 0.001 by 1,000,000 runs".
void eng_rule_reason(const struct eng_rule *rule, const struct eng_count *count, char *text,
                     size_t size);
