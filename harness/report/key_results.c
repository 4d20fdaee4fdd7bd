// SPDX-License-Identifier: Apache-2.0
// The key results of a device.
#include "report/failures.h"
#include "report/sections.h"

#include "report/format.h"

#include <stdlib.h>
#include <string.h>

static size_t headline_rank(const char *name)
{
    static const char *const first[] = {REPORT_LEADS, "shuffle hazard", "workgroup scan",
                                        "look-back scan"};
    size_t rank = 0;
    while (rank < sizeof first / sizeof *first && strcmp(name, first[rank]) != 0)
        rank++;
    return rank;
}

static int compare_headlines(const void *left, const void *right)
{
    const struct report_headline *a = left, *b = right;
    size_t left_rank = headline_rank(a->name), right_rank = headline_rank(b->name);
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = (int)a->expectation - (int)b->expectation;
    if (order == 0)
        order = strcmp(a->stress, b->stress);
    // If a key result has several lines, failures at every run come first.
    const double a_rate = a->judged ? (double)a->failed_runs / (double)a->judged : -1;
    const double b_rate = b->judged ? (double)b->failed_runs / (double)b->judged : -1;
    return order ? order : a_rate < b_rate ? 1 : a_rate > b_rate ? -1 : 0;
}

// The results of one key result, class and stress.
struct group {
    const struct result **all;
    size_t count;
    bool *some; // in the current line
};

// How often a result failed.
enum often { ALWAYS, SOMETIMES, NEVER, UNKNOWN, NOT_RUN, OFTEN };

static enum often often(const struct result *result)
{
    if (result->judged == 0)
        return result->runs ? UNKNOWN : NOT_RUN;
    return result->failed_runs == 0                ? NEVER
           : result->failed_runs == result->judged ? ALWAYS
                                                   : SOMETIMES;
}

static size_t mark(const struct group *group, unsigned kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        group->some[i] = kinds >> often(group->all[i]) & 1;
        count += group->some[i];
    }
    return count;
}

static void add_line(struct report_headline **lines, size_t *count, const struct group *group,
                     bool divided)
{
    const struct result *first = group->all[0];
    struct text where = {0};
    *lines = lit_grow(*lines, *count, sizeof **lines);
    struct report_headline *line = &(*lines)[(*count)++];
    *line = (struct report_headline){.name = first->headline,
                                     .stress = first->stress,
                                     .rule = "",
                                     .expectation = first->expectation};
    for (size_t i = 0; i < group->count; i++) {
        const struct result *result = group->all[i];
        if (!group->some[i])
            continue;
        if (result->rule[0])
            line->rule = result->rule;
        line->runs += result->runs;
        line->failed_runs += result->failed_runs;
        line->judged += result->judged;
    }
    line->interval = report_interval(line->failed_runs, line->judged, line->rule);
    size_t marked = 0;
    for (size_t i = 0; i < group->count; i++)
        marked += group->some[i];
    const size_t inside =
        divided ? report_where(group->all, group->some, group->count, &where) : marked;
    if (inside > marked)
        text_printf(&where, "%s%s of %s configurations", where.length ? ": " : "", COUNT(marked),
                    COUNT(inside));
    line->where = where.data ? where.data : lit_strdup("");
}

// Adds one line for all results; or several, if some always fail and others never, or if some fail
// sometimes and values of axes tell these from the rest.
static void add_lines(struct report_headline **lines, size_t *count, struct group *group)
{
    const size_t always = mark(group, 1 << ALWAYS), never = mark(group, 1 << NEVER);
    const size_t sometimes = mark(group, 1 << SOMETIMES);
    const bool told = sometimes && always + never &&
                      report_where(group->all, group->some, group->count, NULL) == sometimes;
    if (!(always && never) && !told) {
        mark(group, (1u << OFTEN) - 1);
        add_line(lines, count, group, false);
        return;
    }
    for (enum often kind = ALWAYS; kind <= UNKNOWN; kind++)
        if (mark(group, 1u << kind))
            add_line(lines, count, group, true);
}

size_t report_headlines(const struct report_model *model, size_t device,
                        struct report_headline **lines)
{
    OWNED(lit_free) bool *done = lit_alloc(model->result_count + 1, sizeof *done);
    struct group group = {.all = lit_alloc(model->result_count + 1, sizeof *group.all),
                          .some = lit_alloc(model->result_count + 1, sizeof *group.some)};
    size_t count = 0;
    *lines = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *first = &model->results[i];
        if (done[i] || first->device != device || !first->headline[0])
            continue;
        bool ran = false;
        group.count = 0;
        for (size_t r = i; r < model->result_count; r++) {
            const struct result *result = &model->results[r];
            if (result->device != device || result->expectation != first->expectation ||
                strcmp(result->headline, first->headline) != 0 ||
                strcmp(result->stress, first->stress) != 0)
                continue;
            done[r] = true;
            // Ignore results that did not run, unless none did.
            if (ran && often(result) == NOT_RUN)
                continue;
            if (!ran && often(result) != NOT_RUN)
                group.count = 0;
            ran = ran || often(result) != NOT_RUN;
            group.all[group.count++] = result;
        }
        add_lines(lines, &count, &group);
    }
    free(group.all);
    free(group.some);
    if (count > 0)
        qsort(*lines, count, sizeof(**lines), compare_headlines);
    return count;
}

void report_headlines_free(struct report_headline *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i].where);
    free(lines);
}

#define MOST_QUIET 6

size_t report_headlines_brief(struct report_headline *lines, size_t count)
{
    size_t kept = 0, quiet = 0;
    for (size_t i = 0; i < count; i++)
        if (!lines[i].stress[0] || lines[i].failed_runs > 0 || quiet++ < MOST_QUIET)
            lines[kept++] = lines[i];
        else
            free(lines[i].where);
    return kept;
}

// A note for each class in use.
static void note_classes(const bool used[CAT_CONTROL + 1], struct table *table)
{
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        if (used[e])
            table_note(table, "%s: %s", cat_expectation_name(e), cat_expectation_meaning(e));
}

static const char *say_key_result(const struct report_headline *line, enum tone *tone)
{
    const bool control = line->expectation == CAT_CONTROL;
    *tone = TONE_PLAIN;
    if (line->judged == 0)
        return line->runs ? "no progress" : "not run";
    *tone = control == (line->failed_runs == 0)  ? TONE_WARN
            : control || line->failed_runs == 0  ? TONE_GOOD
            : line->expectation == CAT_FORBIDDEN ? TONE_BAD
                                                 : TONE_WARN;
    if (control)
        return line->failed_runs ? "triggered" : "not triggered";
    return line->failed_runs == 0              ? "never"
           : line->failed_runs == line->judged ? "ALWAYS"
                                               : "SOMETIMES";
}

void report_key_results(const struct report_model *model, size_t device, bool all,
                        struct table *table)
{
    static const struct table_column heads[] = {COL("key result"),
                                                NUM("runs"),
                                                NUM("failed"),
                                                RATED("rate, 95 % interval"),
                                                CHIP("expectation"),
                                                COL("observed"),
                                                COL("where", .without = TABLE_UNLESS_USED)};
    static const struct table shape = {.title = "Key results",
                                       .about =
                                           "All runs of the tests under one key result "
                                           "together, but those that always fail apart from those "
                                           "that never do.",
                                       TABLE_OF(heads)};
    struct report_headline *lines;
    const size_t every = report_headlines(model, device, &lines);
    const size_t count = all ? every : report_headlines_brief(lines, every);
    bool used[CAT_CONTROL + 1] = {false};
    table_begin(table, &shape, device);
    for (size_t i = 0; i < count; i++) {
        const struct report_headline *line = &lines[i];
        enum tone tone;
        const char *word = say_key_result(line, &tone);
        const char *class = cat_expectation_name(line->expectation);
        table_row(table)->more = i > 0 && !line->stress[0] && !lines[i - 1].stress[0] &&
                                 !strcmp(line->name, lines[i - 1].name);
        table_put(table, TONE_PLAIN, "%s%s%s", line->name, line->stress[0] ? " under " : "",
                  line->stress);
        table_count(table, TONE_PLAIN, line->runs);
        table_count(table, TONE_PLAIN, line->failed_runs);
        table_rate(table, TONE_PLAIN, line->failed_runs, line->judged, line->interval)->group =
            (int)line->expectation;
        table_put(table, TONE_PLAIN, "%s", class)->class = line->failed_runs ? class : "plain";
        table_put(table, tone, "%s", word);
        table_put(table, TONE_PLAIN, "%s", line->where);
        used[line->expectation] = true;
    }
    note_classes(used, table);
    if (count < every)
        table_note(table,
                   "%s more, each under its own stress, never failed: -v and the JSON report have "
                   "them",
                   COUNT(every - count));
    report_headlines_free(lines, count);
}
