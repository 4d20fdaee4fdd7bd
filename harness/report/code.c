// SPDX-License-Identifier: Apache-2.0
// Reads code from the store, and writes what reports say about it.
#include "report/code.h"

#include "report/format.h"
#include "report/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- From the store

static int compare_entries(const void *left, const void *right)
{
    const struct isa_entry *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static int compare_name(const void *key, const void *member)
{
    const struct isa_entry *const *entry = member;
    return strcmp(key, (*entry)->name);
}

static const struct result *result_at(const struct report_model *model, size_t index)
{
    return index < model->result_count ? &model->results[index]
                                       : &model->rest[index - model->result_count];
}

// Finds the entries for a device's results.
static void assign(struct report_code *code, size_t device)
{
    const struct report_model *model = code->model;
    const struct isa_study *study = &code->studies[device];
    const struct isa_entry **sorted = lit_alloc(study->count + 1, sizeof *sorted);
    for (size_t i = 0; i < study->count; i++)
        sorted[i] = &study->entries[i];
    qsort(sorted, study->count, sizeof *sorted, compare_entries);
    for (size_t i = 0; i < model->result_count + model->rest_count; i++) {
        const struct result *result = result_at(model, i);
        if (result->device != device)
            continue;
        const struct isa_entry **found =
            bsearch(result->name, sorted, study->count, sizeof *sorted, compare_name);
        code->of[i] = found ? *found : NULL;
    }
    free(sorted);
}

bool report_code_describe(const char *name, struct isa_variant *variant)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    struct report_case found;
    const char *params = strchr(name, '@');
    if (!report_known->find(&cfg, &found))
        return false;
    const struct cat_head *head = found.head;
    snprintf(variant->test, sizeof variant->test, "%s", head->name);
    snprintf(variant->params, sizeof variant->params, "%s", params ? params : "");
    variant->axis_count = head->axis_count;
    for (size_t i = 0; i < head->axis_count; i++) {
        const struct cat_axis *axis = &head->axes[i];
        snprintf(variant->axes[i].name, sizeof variant->axes[i].name, "%s", axis->name);
        snprintf(variant->axes[i].value, sizeof variant->axes[i].value, "%s",
                 axis->values[found.axis[i]]);
        variant->axes[i].order = found.axis[i];
    }
    return true;
}

void report_code_load(const struct report_model *model, const char *test, struct report_code *code)
{
    struct lit_error error = {0};
    *code = (struct report_code){
        .model = model,
        .studies = lit_alloc(model->device_count + 1, sizeof *code->studies),
        .count = model->device_count,
        .of = lit_alloc(model->result_count + model->rest_count + 1, sizeof *code->of),
    };
    for (size_t i = 0; i < code->count; i++) {
        code->studies[i].module = report_known ? report_known->words : NULL;
        code->studies[i].stops = report_known ? report_known->stops : NULL;
        if (model->store && !code->fault[0] &&
            !store_study(model->store, model->session.id, model->devices[i].id, test,
                         &code->studies[i], &error))
            snprintf(code->fault, sizeof code->fault, "%s", error.message);
        isa_study_finish(&code->studies[i], report_code_describe);
        assign(code, i);
    }
}

void report_code_clear(struct report_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        isa_study_clear(&code->studies[i]);
    free(code->studies);
    free(code->of);
    *code = (struct report_code){0};
}

const struct isa_entry *report_code_of(const struct report_code *code, const struct result *result)
{
    const struct report_model *model = code->model;
    if (result >= model->results && result < model->results + model->result_count)
        return code->of[result - model->results];
    return code->of[model->result_count + (size_t)(result - model->rest)];
}

const struct lint_finding *report_code_cause(const struct report_code *code,
                                             const struct result *result, struct text *words)
{
    const struct isa_entry *entry = report_code_of(code, result);
    const size_t index = entry ? isa_cause(entry) : 0;
    if (!entry || index == entry->lint.count)
        return NULL;
    lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[index], words);
    return &entry->lint.findings[index];
}

bool report_code_about(const struct report_code *code, size_t device,
                       const struct isa_axis_effect *effect)
{
    REPORT_EACH (result, code->model, device)
        if (strcmp(result->test, effect->test) == 0)
            return true;
    return false;
}

static int compare_variants(const void *left, const void *right)
{
    const struct report_variant *a = left, *b = right;
    bool a_fails = a->result->failed_runs > 0, b_fails = b->result->failed_runs > 0;
    if (a->differences != b->differences)
        return a->differences < b->differences ? -1 : 1;
    if (a_fails != b_fails)
        return a_fails ? 1 : -1;
    return strcmp(a->result->name, b->result->name);
}

size_t report_variants(const struct report_model *model, const struct result *result,
                       struct report_variant **list)
{
    size_t count = 0;
    *list = lit_alloc(model->result_count + model->rest_count, sizeof **list);
    for (size_t i = 0; i < model->result_count + model->rest_count; i++) {
        const struct result *other = result_at(model, i);
        if (other->device == result->device && strcmp(other->test, result->test) == 0 &&
            strcmp(other->name, result->name) != 0 && other->judged > 0 &&
            strcmp(other->stress, result->stress) == 0)
            (*list)[count++] =
                (struct report_variant){other, report_differences(result, other, NULL)};
    }
    qsort(*list, count, sizeof **list, compare_variants);
    return count;
}

const struct result *report_code_paired(const struct report_code *code, const struct result *result)
{
    struct report_variant *list;
    const struct result *best = NULL;
    const size_t count = report_variants(code->model, result, &list);
    for (size_t i = 0; i < count && !best; i++) {
        const struct isa_entry *entry = report_code_of(code, list[i].result);
        if (list[i].differences > 0 && list[i].result->failed_runs == 0 && entry &&
            entry->listing.count > 0)
            best = list[i].result;
    }
    free(list);
    return best;
}

void report_code_cost(const struct isa_entry *entry, struct text *words)
{
    isa_cost_words(&entry->code, entry->piece, words);
    if (entry->listing.sass.count) {
        const size_t reads = isa_cross_lane_reads(&entry->listing);
        text_printf(words, "%s%zu instruction%s, %zu of them cross-lane read%s",
                    words->length ? "; " : "", entry->listing.count,
                    entry->listing.count == 1 ? "" : "s", reads, reads == 1 ? "" : "s");
    }
}

void report_code_risk(const struct isa_entry *entry, size_t index, struct text *words)
{
    for (size_t i = 0; i < entry->lint.count; i++)
        if (lint_is_risk(entry->lint.findings[i].kind) && index-- == 0) {
            lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[i], words);
            return;
        }
}

size_t report_code_inside(const struct isa_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->lint.count; i++)
        count += !lint_is_risk(entry->lint.findings[i].kind) &&
                 entry->lint.findings[i].kind != LINT_QUERY;
    return count;
}

// --- Users of a code

struct report_code_users report_code_users(const struct report_code *code, size_t device,
                                           const struct isa_entry *entry, bool failed)
{
    const struct report_model *model = code->model;
    struct report_code_users users = {0};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        const struct isa_entry *other = code->of[i];
        if (result->device != device || !other || other->same_as != entry->same_as ||
            (failed && !report_failed(result)))
            continue;
        if (users.count++ == 0)
            users.first = result;
        users.failed_runs += result->failed_runs;
        users.judged += result->judged;
    }
    return users;
}

size_t report_code_failed(const struct report_code *code, size_t device,
                          const struct result ***list)
{
    OWNED(lit_free) bool *seen = lit_alloc(code->studies[device].count + 1, sizeof *seen);
    const size_t count = report_select(code->model, device, report_failed, list);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct isa_entry *entry = report_code_of(code, (*list)[i]);
        if (!entry || seen[entry->same_as])
            continue;
        seen[entry->same_as] = true;
        (*list)[kept++] = (*list)[i];
    }
    return kept;
}

// --- Tables and sentences

// "0 of 1,000, < 3.6e-3; with the same code in all 2: 0 of 2,000".
static void say_users(const struct report_code_users *users, struct text *words)
{
    const struct result *first = users->first;
    text_printf(words, "%s of %s, %s", COUNT(first->failed_runs), COUNT(first->judged),
                INTERVAL(first));
    if (users->count > 1)
        text_printf(words, "; with the same code in all %s: %s of %s", COUNT(users->count),
                    COUNT(users->failed_runs), COUNT(users->judged));
}

// A row for each finding, and one that counts the rest.
static void put_findings(const struct isa_entry *entry, const struct report_code_users *users,
                         size_t most, struct table *table)
{
    const size_t count = isa_risks(entry);
    OWNED(text_free) struct text failed = {0};
    say_users(users, &failed);
    for (size_t i = 0; i < count && i <= most; i++) {
        OWNED(text_free) struct text words = {0};
        report_code_risk(entry, i, &words);
        table_row(table)->more = i > 0;
        table_put(table, TONE_PLAIN, "%s", users->first->name);
        table_put(table, TONE_PLAIN, "%s", i ? "" : failed.data);
        if (i < most)
            table_put(table, TONE_PLAIN, "%s", words.data);
        else
            table_put(table, TONE_PLAIN, "%s more", COUNT(count - most));
    }
}

void report_code_findings(const struct report_code *code, size_t device,
                          const struct isa_entry *only, size_t most, struct table *table)
{
    static const struct table_column heads[] = {CODE("configuration"), COL("failed runs"),
                                                COL("finding")};
    static const struct table shape = {
        .title = "Lint findings", .about = "Each code once.", TABLE_OF(heads)};
    const struct isa_study *study = &code->studies[device];
    size_t looked = 0;
    table_begin(table, &shape, device);
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        const struct report_code_users users = report_code_users(code, device, entry, false);
        if (entry->same_as != i || !entry->linted || users.count == 0 ||
            (only && only->same_as != i))
            continue;
        looked++;
        put_findings(entry, &users, most, table);
    }
    if (table->count)
        table_note(table, "Divergent cross-lane reads, and instructions with a wrong guard "
                          "predicate. At risk: review; leaving and twice: correct if the source "
                          "has them so; misguarded: a compiler bug (docs/lint.md). They matter "
                          "even where nothing failed.");
    else if (looked)
        table_note(table,
                   "None of the %s codes that were analysed has a divergent cross-lane "
                   "read or a wrong guard predicate.",
                   COUNT(looked));
}

void report_code_statistics(const struct isa_entry *entry, struct table *table)
{
    static const struct table_column heads[] = {COL("statistic of the driver"), NUM("value")};
    static const struct table shape = {.about = "Statistics of the driver.", TABLE_OF(heads)};
    table_begin(table, &shape, 0);
    for (size_t i = 0; i < entry->code.statistic_count && i < 24; i++)
        table_fact(table, entry->code.statistics[i].name, "%s", entry->code.statistics[i].value);
    for (size_t i = 0; i < entry->code.remark_count && i < 4; i++)
        table_note(table, "Note: %s.", entry->code.remarks[i]);
    if (entry->unlinted)
        table_note(table, "Not linted: %s.", entry->unlinted);
}

bool report_code_versus(const struct report_code *code, const struct result *result,
                        struct text *words)
{
    const struct isa_entry *entry = report_code_of(code, result), *other;
    const struct result *paired = report_code_paired(code, result);
    OWNED(text_free) struct text names = {0};
    bool shows = false;
    if (entry->listing.count == 0)
        return false;
    if (!paired) {
        text_puts(words, "The store has no code of a passing variant.");
        return false;
    }
    other = report_code_of(code, paired);
    report_differences(result, paired, &names);
    const char *name = names.data ? names.data : paired->name;
    if (other->same_as == entry->same_as)
        text_printf(words,
                    "It is the same code as that of %s, which never failed in %s runs: the "
                    "difference is not in the code.",
                    name, COUNT(paired->judged));
    else if (isa_compare(&entry->listing, entry->piece, &other->listing, other->piece) ==
             ISA_SAME_TEXT)
        text_printf(words,
                    "It has the same instructions as the code of %s, which never failed in "
                    "%s runs; scheduling or branch targets differ.",
                    name, COUNT(paired->judged));
    else {
        text_printf(words, "Difference to %s, which never failed in %s runs", name,
                    COUNT(paired->judged));
        shows = true;
    }
    return shows;
}
