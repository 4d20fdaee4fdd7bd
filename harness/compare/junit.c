// SPDX-License-Identifier: Apache-2.0
// A comparison as JUnit XML: what the gate says about each configuration. Only what stops the gate
// by itself is red: a regression is a failure; an error of the type "undecided" is wrong without a
// counterpart to compare, or forbidden and observed for the first time. Waived entries, and those
// undecided for lack of runs, are skipped.
#include "compare/compare.h"

#include "report/junit.h"

static void put_words(struct text *out, const char *before, const struct compare_entry *entry)
{
    text_puts(out, before);
    compare_say_entry(entry, out);
}

static void skip(struct junit_case *one, const char *before, const struct compare_entry *entry)
{
    one->verdict = JUNIT_SKIPPED;
    put_words(&one->message, before, entry);
}

static void blame(struct junit_case *one, enum junit_verdict verdict, const char *type,
                  const struct comparison *comparison, const struct compare_entry *entry)
{
    const struct compare_pair *pair = &comparison->pairs.items[entry->pair];
    struct junit_case told = {0};
    one->verdict = verdict;
    one->type = type;
    put_words(&one->message, "", entry);
    put_words(&one->story, "from A to B: ", entry);
    text_printf(&one->story, "\nA: %s\nB: %s\n%s\n\n", comparison->words.a, comparison->words.b,
                pair->words);
    if (entry->b)
        junit_judge(&told, &comparison->b->model, entry->b);
    text_puts(&one->story, told.story.length ? told.story.data : entry->name);
    text_free(&told.message);
    text_free(&told.story);
}

static void judge_rest(struct junit_case *one, const struct compare_entry *entry)
{
    if (!entry->b)
        skip(one, "not run: ", entry);
    else if (entry->b->result == ENG_SKIP)
        text_puts(&one->message, entry->b->reason[0] ? entry->b->reason : "skipped");
    else if (entry->b->failed_runs > 0 || entry->b->result != ENG_PASS)
        put_words(&one->story, "", entry);
    if (entry->b && entry->b->result == ENG_SKIP)
        one->verdict = JUNIT_SKIPPED;
}

static void judge(struct junit_case *one, const struct comparison *comparison,
                  const struct compare_entry *entry)
{
    const struct compare_waiver *waiver =
        entry->waiver ? &comparison->waivers->items[entry->waiver - 1] : NULL;
    char place[400];
    switch (compare_kind_of(comparison, entry)) {
    case COMPARE_KIND_REGRESSIONS:
        blame(one, JUNIT_FAILURE, "regression", comparison, entry);
        break;
    case COMPARE_KIND_WAIVED:
        snprintf(place, sizeof place, "waived by %.200s:%zu%s%.150s: ", waiver->file, waiver->line,
                 waiver->url[0] ? " " : "", waiver->url);
        skip(one, place, entry);
        break;
    case COMPARE_KIND_FIRST_SEEN:
    case COMPARE_KIND_NEW_WRONG:
    case COMPARE_KIND_NOT_MEASURED:
        blame(one, JUNIT_ERROR, "undecided", comparison, entry);
        break;
    case COMPARE_KIND_UNDECIDED:
        if (comparison->policy.strict && compare_is_open(entry, &comparison->policy))
            blame(one, JUNIT_ERROR, "undecided", comparison, entry);
        else
            skip(one, "undecided: ", entry);
        break;
    case COMPARE_KIND_OTHER_WORSE:
    case COMPARE_KIND_IMPROVEMENTS:
    case COMPARE_KIND_CONTROLS:
        put_words(&one->story, "", entry);
        break;
    case COMPARE_KIND_REST:
    case COMPARE_KINDS:
        judge_rest(one, entry);
        break;
    }
}

// The whole comparison's results, for each suite.
static void put_properties(const struct comparison *comparison, const struct table *waivers,
                           size_t pair, struct junit *junit)
{
    const struct {
        const char *name, *value;
    } all[] = {
        {"verdict", comparison->words.summary},
        {"counts", comparison->words.counts},
        {"A", comparison->words.a},
        {"B", comparison->words.b},
        {"devices", comparison->pairs.items[pair].words},
        {"method", comparison->words.method},
        {"power", comparison->words.power},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        junit_property(junit, all[i].name, all[i].value ? all[i].value : "");
    for (size_t i = 0; i < waivers->count; i++) {
        const struct table_cell *cells = waivers->rows[i].cells;
        OWNED(text_free) struct text name = {0}, value = {0};
        text_printf(&name, "waiver %s", cells[0].text);
        text_printf(&value, "%s: %s", cells[1].text, cells[2].text);
        junit_property(junit, name.data, value.data);
    }
}

void compare_junit(const struct comparison *comparison, struct text *out)
{
    OWNED(junit_clear) struct junit junit = {0};
    OWNED(table_clear) struct table waivers = {0};
    compare_waiver_rows(comparison, &waivers);
    for (size_t pair = 0; pair < comparison->pairs.count; pair++) {
        const size_t device = comparison->pairs.items[pair].b;
        const struct report_model *model = &comparison->b->model;
        junit_device(&junit, model, device);
        put_properties(comparison, &waivers, pair, &junit);
        for (size_t i = 0; i < comparison->count; i++) {
            const struct compare_entry *entry = &comparison->entries[i];
            if (entry->pair == pair)
                judge(junit_configuration(&junit, model, device, entry->name,
                                          entry->b ? entry->b->seconds : 0),
                      comparison, entry);
        }
    }
    junit_write(&junit, comparison->policy.gate ? "litmus gate" : "litmus compare", out);
}
