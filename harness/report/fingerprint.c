// SPDX-License-Identifier: Apache-2.0
// Compares strategies of divergence with observations.
#include "report/sections.h"

#define CLEAR      0.9 // share of the observations
#define MOST_MIXED 3   // strategies to list if none is clear

// Outcomes as bits, numbered as check.h numbers CAT_CHECK_CHOICE's; harness/oracles/divergence.c
// names them. The first of two orders begins with the true side, or the exit.
enum {
    FIRST = 1u << 0,
    SECOND = 1u << 2,
    BY_TURNS = 1u << 3 | 1u << 4 | 1u << 5,

    TOGETHER = 1u << 0,
    APART = 1u << 2 | 1u << 3,
};

static bool has(const struct result *result, const char *key, const char *value)
{
    return !strcmp(report_value(result, key), value);
}

// What a strategy expects a configuration to show, as sets of outcomes: `then` if the axis or
// parameter has the value, else `otherwise`.
struct strategy {
    const char *name, *key, *value; // key: "" for all configurations alike
    uint32_t then, otherwise;
};

// The plainest strategy comes first, in case several explain everything.
static const struct question {
    const char *text, *test, *axis, *value; // the axis: NULL for all configurations of the test
    struct strategy strategies[REPORT_STRATEGIES];
} questions[] = {
    {"which side of a branch runs first",
     "divergence.sides",
     "observer",
     "ticket",
     {{"true side first", "", "", FIRST, 0},
      {"false side first", "", "", SECOND, 0},
      {"first block of the code first", "layout", "true-first", FIRST, SECOND},
      {"last block of the code first", "layout", "true-first", SECOND, FIRST},
      {"fewer lanes first", "taken", "1", FIRST, SECOND},
      {"more lanes first", "taken", "1", SECOND, FIRST},
      {"the side of lane 0 first", "lowest", "1", FIRST, SECOND},
      {"the side of lane 0 last", "lowest", "1", SECOND, FIRST},
      {"alternating", "", "", BY_TURNS, 0}}},
    {"which side of a branch runs first, by device clock",
     "divergence.sides",
     "observer",
     "clock",
     {{"true side first", "", "", FIRST, 0},
      {"false side first", "", "", SECOND, 0},
      {"fewer lanes first", "taken", "1", FIRST, SECOND},
      {"more lanes first", "taken", "1", SECOND, FIRST},
      {"alternating", "", "", BY_TURNS, 0}}},
    {"loop exit or back edge first",
     "divergence.loop-exit",
     NULL,
     NULL,
     {{"exit first", "", "", FIRST, 0},
      {"back edge first", "", "", SECOND, 0},
      {"fewer lanes first", "taken", "1", FIRST, SECOND},
      {"more lanes first", "taken", "1", SECOND, FIRST},
      {"lane 0 first", "lowest", "1", FIRST, SECOND},
      {"lane 0 last", "lowest", "1", SECOND, FIRST},
      {"alternating", "", "", BY_TURNS, 0}}},
    {"where lanes reconverge",
     "divergence.reconverge",
     NULL,
     NULL,
     {{"at every merge block (maximal)", "", "", TOGETHER, 0},
      {"at the immediate post-dominator", "place", "broken-if", APART, TOGETHER},
      {"at the end of the outermost construct", "place", "loop", TOGETHER, APART},
      {"nowhere", "", "", APART, 0}}},
};
#define QUESTIONS (sizeof questions / sizeof *questions)

static void observe(struct report_fingerprint *print, const struct question *question,
                    const struct result *result)
{
    if (result->rule[0])
        print->rule = result->rule;
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        if (outcome == CAT_NEVER_WRITTEN || outcome == CAT_NO_PROGRESS)
            continue;
        print->observations += result->outcomes[outcome];
        for (size_t i = 0; i < print->count; i++) {
            const struct strategy *s = &question->strategies[i];
            const uint32_t expected =
                !s->key[0] || has(result, s->key, s->value) ? s->then : s->otherwise;
            if (expected >> outcome & 1)
                print->strategies[i].matching += result->outcomes[outcome];
        }
    }
}

// Stable: equal ones keep the table's order.
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
        REPORT_EACH (result, model, device) {
            if (result->mode->check == CAT_CHECK_CHOICE && !strcmp(result->test, question->test) &&
                report_is_under(result, &under) &&
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

void report_divergence(const struct report_model *model, size_t device, bool all,
                       struct table *table)
{
    static const struct table_column heads[] = {
        COL("question"), COL("observed"),
        NUM("matching", .without = TABLE_NOT_TERMINAL | TABLE_NOT_HTML), NUM("observations"),
        TABLE_COLUMN(TABLE_SHARE, "share, 95 % interval")};
    static const struct table shape = {.title = "Unspecified behaviour of divergent code",
                                       .about = "The strategy that explains most observations.",
                                       TABLE_OF(heads)};
    OWNED(lit_free) struct report_fingerprint *list = NULL;
    const size_t count = report_fingerprints(model, device, &list);
    (void)all;
    table_begin(table, &shape, device);
    for (size_t q = 0; q < count; q++) {
        const bool clear = report_fingerprint_is_clear(&list[q]);
        const size_t most = clear ? list[q].best : MOST_MIXED;
        for (size_t i = 0; i < most && i < list[q].count; i++) {
            const struct report_strategy *strategy = &list[q].strategies[i];
            table_row(table)->more = i > 0;
            table_put(table, TONE_PLAIN, "%s", list[q].question);
            table_put(table, clear ? TONE_PLAIN : TONE_WARN, "%s%s%s", i && clear ? "or " : "",
                      strategy->name, i || clear ? "" : " (mixed)");
            table_count(table, TONE_PLAIN, strategy->matching);
            table_count(table, TONE_PLAIN, list[q].observations);
            table_rate(table, TONE_PLAIN, strategy->matching, list[q].observations,
                       strategy->interval);
        }
    }
    if (count)
        report_under_note(&list[0].under, table);
}
