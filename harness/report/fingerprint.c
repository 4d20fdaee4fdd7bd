// SPDX-License-Identifier: Apache-2.0
// Strategies of divergence against observations.
#include "report/fingerprint.h"

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
      {"lane 0's side first", lane_0_first},
      {"lane 0's side last", lane_0_last},
      {"by turns", by_turns}}},
    {"the same, by the clock",
     "divergence.sides",
     "observer",
     "clock",
     {{"true side first", first_first},
      {"false side first", second_first},
      {"fewer lanes first", fewer_first},
      {"more lanes first", more_first},
      {"by turns", by_turns}}},
    {"exit of a loop, or back edge",
     "divergence.loop-exit",
     NULL,
     NULL,
     {{"exit first", first_first},
      {"back edge first", second_first},
      {"fewer lanes first", fewer_first},
      {"more lanes first", more_first},
      {"lane 0 first", lane_0_first},
      {"lane 0 last", lane_0_last},
      {"by turns", by_turns}}},
    {"where lanes are together again",
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

void report_fingerprints_terminal(const struct report_model *model, size_t device, bool color,
                                  struct text *out)
{
    struct report_fingerprint *list;
    const size_t count = report_fingerprints(model, device, &list);
    struct format_table table = {.columns = 4, .right = {[2] = true}};
    const char *const words[] = {"where the text leaves it open", "what was seen", "observations",
                                 "share, 95 % interval"};
    if (count)
        format_title(&table, words);
    for (size_t q = 0; q < count; q++)
        for (size_t i = 0; i < report_fingerprint_shown(&list[q]); i++) {
            const struct report_strategy *strategy = &list[q].strategies[i];
            const bool clear = report_fingerprint_is_clear(&list[q]);
            struct text name = {0};
            char number[32], share[80];
            text_printf(&name, "%s%s", i == 0 ? "" : clear ? "or " : "", strategy->name);
            if (!clear && i == 0)
                text_puts(&name, " (mixed)");
            struct format_row *row = format_row(&table);
            format_cell(row, 0, FORMAT_PLAIN, i ? "" : list[q].question);
            format_cell(row, 1, clear ? FORMAT_PLAIN : FORMAT_YELLOW, name.data);
            format_cell(row, 2, FORMAT_PLAIN, i ? "" : text_count(number, list[q].observations));
            format_interval(share, strategy->matching, list[q].observations, strategy->interval);
            format_cell(row, 3, FORMAT_PLAIN, share);
            text_free(&name);
        }
    if (count)
        text_puts(out, "\n");
    format_table_print(&table, 44, color, out);
    if (count)
        report_under_terminal(out, &list[0].under);
    free(list);
}

void report_fingerprints_markdown(const struct report_model *model, size_t device, struct text *out)
{
    struct report_fingerprint *list;
    const size_t count = report_fingerprints(model, device, &list);
    if (count)
        text_puts(out, "<details><summary>Divergence: what was seen where the text leaves it open"
                       "</summary>\n\n| question | strategy | matching | observations | share, "
                       "95 % interval |\n| --- | --- | ---: | ---: | --- |\n");
    for (size_t q = 0; q < count; q++)
        for (size_t i = 0; i < report_fingerprint_shown(&list[q]); i++) {
            const struct report_strategy *strategy = &list[q].strategies[i];
            const bool mixed = !report_fingerprint_is_clear(&list[q]);
            char matching[32], all[32], share[80];
            format_interval(share, strategy->matching, list[q].observations, strategy->interval);
            text_printf(out, "| %s | %s%s", list[q].question, strategy->name,
                        mixed ? " (mixed)" : "");
            text_printf(out, " | %s | %s | %s |\n", text_count(matching, strategy->matching),
                        text_count(all, list[q].observations), share);
        }
    if (count) {
        report_under_markdown(out, &list[0].under);
        text_puts(out, "\n</details>\n\n");
    }
    free(list);
}

static json_t *make_strategy(const struct report_strategy *strategy)
{
    json_t *json = json_object(), *interval = json_array();
    json_array_append_new(interval, json_real(strategy->interval.low));
    json_array_append_new(interval, json_real(strategy->interval.high));
    json_object_set_new(json, "name", json_string(strategy->name));
    json_object_set_new(json, "matching", json_integer((json_int_t)strategy->matching));
    json_object_set_new(json, "interval", interval);
    return json;
}

json_t *report_fingerprints_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_fingerprint *list;
        const size_t count = report_fingerprints(model, device, &list);
        for (size_t q = 0; q < count; q++) {
            const bool clear = report_fingerprint_is_clear(&list[q]);
            json_t *json = json_object(), *strategies = json_array();
            for (size_t i = 0; i < list[q].count; i++)
                json_array_append_new(strategies, make_strategy(&list[q].strategies[i]));
            json_object_set_new(json, "device", json_string(model->devices[device].id));
            json_object_set_new(json, "question", json_string(list[q].question));
            json_object_set_new(json, "observations",
                                json_integer((json_int_t)list[q].observations));
            json_object_set_new(json, "clear", json_boolean(clear));
            json_object_set_new(json, "strategies", strategies);
            json_object_set_new(json, "interval_kind",
                                json_string(report_interval_kind(list[q].rule)));
            report_under_json(json, &list[q].under);
            json_array_append_new(all, json);
        }
        free(list);
    }
    return all;
}
