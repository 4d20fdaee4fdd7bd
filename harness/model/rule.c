// SPDX-License-Identifier: Apache-2.0
// Rules for when to stop.

#include "model/rule.h"

#include "stats/stats.h"

static const char *const words[] = {
    [ENG_RULE_WIDTH] = "width ",
    [ENG_RULE_DECIDED] = "decided ",
};

// Writes the shortest number that reads back unchanged.
static void write_number(char text[32], double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            return;
    }
}

void eng_rule_write(const struct eng_rule *rule, char text[48])
{
    char number[32];
    text[0] = '\0';
    if (rule->kind == ENG_RULE_FIXED)
        return;
    write_number(number, rule->value);
    snprintf(text, 48, "%s%s", words[rule->kind], number);
}

bool eng_rule_read(const char *text, struct eng_rule *rule)
{
    rule->kind = ENG_RULE_FIXED;
    rule->value = 0;
    if (text[0] == '\0')
        return true;
    for (int kind = ENG_RULE_WIDTH; kind <= ENG_RULE_DECIDED; kind++) {
        const size_t length = strlen(words[kind]);
        char again[48];
        if (strncmp(text, words[kind], length) != 0)
            continue;
        const struct eng_rule read = {.kind = (enum eng_rule_kind)kind,
                                      .value = strtod(text + length, NULL)};
        if (!(read.value > 0 && read.value < 1))
            return false;
        eng_rule_write(&read, again);
        if (strcmp(text, again) != 0)
            return false;
        rule->kind = read.kind;
        rule->value = read.value;
        return true;
    }
    return false;
}

static uint64_t judged(const struct eng_count *count)
{
    return count->runs - count->no_progress_runs;
}

enum eng_ruling eng_rule_judge(const struct eng_rule *rule, const struct eng_count *count)
{
    static const enum eng_ruling rulings[] = {
        [STAT_UNDECIDED] = ENG_RULING_MISSED,
        [STAT_ABOVE] = ENG_RULING_ABOVE,
        [STAT_BELOW] = ENG_RULING_BELOW,
    };
    const uint64_t k = count->failed_runs, n = judged(count);
    if (rule->kind == ENG_RULE_FIXED || n == 0)
        return ENG_RULING_NONE;
    if (rule->kind == ENG_RULE_DECIDED)
        return rulings[stat_decide(k, n, ENG_RULE_CONFIDENCE, rule->value)];
    return stat_width_reached(k, n, ENG_RULE_CONFIDENCE, rule->value) ? ENG_RULING_REACHED
                                                                      : ENG_RULING_MISSED;
}

bool eng_rule_waits(const struct eng_rule *rule, const struct eng_count *count)
{
    return rule->waits && count->runs == rule->waits && judged(count) <= count->no_progress_runs;
}

uint64_t eng_rule_next(const struct eng_rule *rule, const struct eng_count *count)
{
    uint64_t next = rule->least;
    if (eng_rule_waits(rule, count))
        return 0;
    if (count->runs < rule->least)
        return next;
    if (rule->kind == ENG_RULE_FIXED || count->runs >= rule->most || judged(count) == 0)
        return 0;
    while (next < count->runs && next <= rule->most / 2)
        next *= 2;
    // An interruption came between two looks: finish the chunk first.
    if (next > count->runs)
        return next;
    if (next == count->runs && eng_rule_judge(rule, count) != ENG_RULING_MISSED)
        return 0;
    return next < count->runs || next > rule->most / 2 ? rule->most : next * 2;
}

void eng_rule_reason(const struct eng_rule *rule, const struct eng_count *count, char *text,
                     size_t size)
{
    char number[32], runs[32], expired[32];
    const enum eng_ruling ruling = eng_rule_judge(rule, count);
    text_count(runs, count->runs);
    text_count(expired, count->no_progress_runs);
    write_number(number, rule->value);
    if (size > 0)
        text[0] = '\0';
    if (eng_rule_waits(rule, count) && count->runs < rule->least)
        snprintf(text, size, "stopped: %s of the first %s runs had an expired wait", expired, runs);
    else if (rule->kind != ENG_RULE_FIXED && ruling == ENG_RULING_NONE)
        snprintf(text, size, "all %s runs had an expired wait", runs);
    else if (ruling == ENG_RULING_MISSED && rule->kind == ENG_RULE_WIDTH)
        snprintf(text, size, "the interval is still wider than %s after %s runs", number, runs);
    else if (ruling == ENG_RULING_MISSED)
        snprintf(text, size, "the rate is not shown to be above or below %s after %s runs", number,
                 runs);
}
