// SPDX-License-Identifier: Apache-2.0
// Strategies of divergence against observations.
#include "report/sections.h"

#include <stdlib.h>
#include <string.h>

#define CLEAR      0.9 // of the observations
#define MOST_MIXED 3   // strategies that are listed if none is clear

// Outcomes as check.h numbers those of CAT_CHECK_CHOICE, as bits; their names are the oracles' in
// harness/oracles/divergence.c. Of the two orders the first is that of the true side, or the exit.
enum {
    FIRST = 1u << 0,
    SECOND = 1u << 2,
    BY_TURNS = 1u << 3 | 1u << 4 | 1u << 5,

    TOGETHER = 1u << 0,
    APART = 1u << 2 | 1u << 3,
};

static bool has(const struct report_result *result, const char *key, const char *value)
{
    return !strcmp(report_value(result, key), value);
}

// What a strategy would have a configuration show, as a set of outcomes.
typedef uint32_t prediction(const struct report_result *result);

static uint32_t first_first(const struct report_result *result)
{
    (void)result;
    return FIRST;
}

static uint32_t second_first(const struct report_result *result)
{
    (void)result;
    return SECOND;
}

static uint32_t first_block_first(const struct report_result *result)
{
    return has(result, "layout", "true-first") ? FIRST : SECOND;
}

static uint32_t last_block_first(const struct report_result *result)
{
    return has(result, "layout", "true-first") ? SECOND : FIRST;
}

static uint32_t fewer_first(const struct report_result *result)
{
    return has(result, "taken", "1") ? FIRST : SECOND;
}

static uint32_t more_first(const struct report_result *result)
{
    return has(result, "taken", "1") ? SECOND : FIRST;
}

static uint32_t lane_0_first(const struct report_result *result)
{
    return has(result, "lowest", "1") ? FIRST : SECOND;
}

static uint32_t lane_0_last(const struct report_result *result)
{
    return has(result, "lowest", "1") ? SECOND : FIRST;
}

static uint32_t by_turns(const struct report_result *result)
{
    (void)result;
    return BY_TURNS;
}

static uint32_t at_merge_blocks(const struct report_result *result)
{
    (void)result;
    return TOGETHER;
}

static uint32_t at_post_dominators(const struct report_result *result)
{
    return has(result, "place", "broken-if") ? APART : TOGETHER;
}

static uint32_t at_the_outermost_end(const struct report_result *result)
{
    return has(result, "place", "loop") ? TOGETHER : APART;
}

static uint32_t nowhere(const struct report_result *result)
{
    (void)result;
    return APART;
}

// Where several explain everything, the plainest comes first.
static const struct question {
    const char *text, *test, *axis, *value; // the axis: NULL for all configurations of the test
    struct {
        const char *name;
        prediction *predict;
    } strategies[REPORT_STRATEGIES];
} questions[] = {
    {"which side of a branch runs first",
     "divergence.sides",
     "observer",
     "ticket",
     {{"true side first", first_first},
      {"false side first", second_first},
      {"first block of the code first", first_block_first},
      {"last block of the code first", last_block_first},
      {"fewer lanes first", fewer_first},
      {"more lanes first", more_first},
      {"the side of lane 0 first", lane_0_first},
      {"the side of lane 0 last", lane_0_last},
      {"alternating", by_turns}}},
    {"which side of a branch runs first, by device clock",
     "divergence.sides",
     "observer",
     "clock",
     {{"true side first", first_first},
      {"false side first", second_first},
      {"fewer lanes first", fewer_first},
      {"more lanes first", more_first},
      {"alternating", by_turns}}},
    {"loop exit or back edge first",
     "divergence.loop-exit",
     NULL,
     NULL,
     {{"exit first", first_first},
      {"back edge first", second_first},
      {"fewer lanes first", fewer_first},
      {"more lanes first", more_first},
      {"lane 0 first", lane_0_first},
      {"lane 0 last", lane_0_last},
      {"alternating", by_turns}}},
    {"where lanes reconverge",
     "divergence.reconverge",
     NULL,
     NULL,
     {{"at every merge block (maximal)", at_merge_blocks},
      {"at the immediate post-dominator", at_post_dominators},
      {"at the end of the outermost construct", at_the_outermost_end},
      {"nowhere", nowhere}}},
};
#define QUESTIONS (sizeof questions / sizeof *questions)

static void observe(struct report_fingerprint *print, const struct question *question,
                    const struct report_result *result)
{
    if (result->rule[0])
        print->rule = result->rule;
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        if (outcome == CAT_NEVER_WRITTEN || outcome == CAT_NO_PROGRESS)
            continue;
        print->observations += result->outcomes[outcome];
        for (size_t i = 0; i < print->count; i++)
            if (question->strategies[i].predict(result) >> outcome & 1)
                print->strategies[i].matching += result->outcomes[outcome];
    }
}

// Stable: equal ones stay in the order of the table.
static void rank(struct report_fingerprint *print)
{
    struct report_strategy *all = print->strategies;
    for (size_t i = 1; i < print->count; i++)
        for (size_t at = i; at > 0 && all[at].matching > all[at - 1].matching; at--) {
            const struct report_strategy swapped = all[at];
            all[at] = all[at - 1];
            all[at - 1] = swapped;
        }
    for (size_t i = 0; i < print->count; i++) {
        all[i].interval = report_interval(all[i].matching, print->observations, print->rule);
        print->best += all[i].matching == all[0].matching;
    }
}

size_t report_fingerprints(const struct report_model *model, size_t device,
                           struct report_fingerprint **list)
{
    const struct report_under under = report_under(model, device, "divergence");
    size_t count = 0;
    *list = lit_alloc(QUESTIONS, sizeof **list);
    for (size_t q = 0; q < QUESTIONS; q++) {
        const struct question *question = &questions[q];
        struct report_fingerprint *print = &(*list)[count];
        *print =
            (struct report_fingerprint){.question = question->text, .under = under, .rule = ""};
        while (print->count < REPORT_STRATEGIES && question->strategies[print->count].name) {
            print->strategies[print->count].name = question->strategies[print->count].name;
            print->count++;
        }
        for (size_t i = 0; i < model->result_count; i++) {
            const struct report_result *result = &model->results[i];
            if (result->device == device && result->mode.check == CAT_CHECK_CHOICE &&
                !strcmp(result->test, question->test) && report_is_under(result, &under) &&
                (!question->axis || has(result, question->axis, question->value)))
                observe(print, question, result);
        }
        if (print->observations) {
            rank(print);
            count++;
        }
    }
    return count;
}

bool report_fingerprint_is_clear(const struct report_fingerprint *print)
{
    return print->observations &&
           (double)print->strategies[0].matching >= CLEAR * (double)print->observations;
}

size_t report_fingerprint_shown(const struct report_fingerprint *print)
{
    if (report_fingerprint_is_clear(print))
        return print->best;
    return print->count < MOST_MIXED ? print->count : MOST_MIXED;
}

void report_divergence(const struct report_model *model, size_t device, bool all,
                       struct table *table)
{
    static const struct table_column heads[] = {
        {.title = "question"},
        {.title = "observed"},
        {.title = "matching", .kind = TABLE_NUMBER, .without = TABLE_NOT_TERMINAL | TABLE_NOT_HTML},
        {.title = "observations", .kind = TABLE_NUMBER},
        {.title = "share, 95 % interval", .kind = TABLE_SHARE},
    };
    static const struct table shape = {.title = "Unspecified behaviour of divergent code",
                                       .about = "The strategy that explains most observations.",
                                       TABLE_OF(heads)};
    struct report_fingerprint *list;
    const size_t count = report_fingerprints(model, device, &list);
    (void)all;
    table_begin(table, &shape, device);
    for (size_t q = 0; q < count; q++)
        for (size_t i = 0; i < report_fingerprint_shown(&list[q]); i++) {
            const struct report_strategy *strategy = &list[q].strategies[i];
            const bool clear = report_fingerprint_is_clear(&list[q]);
            table_row(table)->more = i > 0;
            table_put(table, TONE_PLAIN, "%s", list[q].question);
            table_put(table, clear ? TONE_PLAIN : TONE_WARN, "%s%s%s", i && clear ? "or " : "",
                      strategy->name, i || clear ? "" : " (mixed)");
            table_count(table, TONE_PLAIN, strategy->matching);
            table_count(table, TONE_PLAIN, list[q].observations);
            table_rate(table, TONE_PLAIN, strategy->matching, list[q].observations,
                       strategy->interval);
        }
    if (count)
        report_under_note(&list[0].under, table);
    free(list);
}
