// SPDX-License-Identifier: Apache-2.0
// What is counted over the results of a session: headlines, families, skips, selections.
#include "report/model.h"

#include <stdlib.h>
#include <string.h>

static size_t headline_rank(const char *name)
{
    static const char *const first[] = {"shuffle hazard", "workgroup scan", "look-back scan"};
    size_t rank = 0;
    while (rank < 3 && strcmp(name, first[rank]) != 0)
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
    return order ? order : strcmp(a->stress, b->stress);
}

size_t report_headlines(const struct report_model *model, size_t device,
                        struct report_headline **lines)
{
    size_t count = 0, room = 0;
    *lines = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device || !result->headline[0])
            continue;
        size_t at = 0;
        while (at < count && ((*lines)[at].expectation != result->expectation ||
                              strcmp((*lines)[at].name, result->headline) != 0 ||
                              strcmp((*lines)[at].stress, result->stress) != 0))
            at++;
        if (at == count) {
            if (count == room)
                *lines = lit_realloc(*lines, room = room * 2 + 8, sizeof(**lines));
            (*lines)[count++] = (struct report_headline){
                .name = result->headline,
                .stress = result->stress,
                .rule = "",
                .expectation = result->expectation,
            };
        }
        if (result->rule[0])
            (*lines)[at].rule = result->rule;
        (*lines)[at].runs += result->runs;
        (*lines)[at].failed_runs += result->failed_runs;
        (*lines)[at].judged += result->judged;
    }
    for (size_t i = 0; i < count; i++) {
        struct report_headline *line = &(*lines)[i];
        line->interval = report_interval(line->failed_runs, line->judged, line->rule);
    }
    if (count > 0)
        qsort(*lines, count, sizeof(**lines), compare_headlines);
    return count;
}

#define MOST_QUIET 6

size_t report_headlines_brief(struct report_headline *lines, size_t count)
{
    size_t kept = 0, quiet = 0;
    for (size_t i = 0; i < count; i++)
        if (!lines[i].stress[0] || lines[i].failed_runs > 0 || quiet++ < MOST_QUIET)
            lines[kept++] = lines[i];
    return kept;
}

static int compare_families(const void *left, const void *right)
{
    const struct report_family *a = left, *b = right;
    return strcmp(a->name, b->name);
}

size_t report_families(const struct report_model *model, size_t device,
                       struct report_family **families)
{
    size_t count = 0, room = 0;
    *families = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device)
            continue;
        size_t at = 0;
        while (at < count && strcmp((*families)[at].name, result->family) != 0)
            at++;
        if (at == count) {
            if (count == room)
                *families = lit_realloc(*families, room = room * 2 + 8, sizeof(**families));
            (*families)[count++] = (struct report_family){.name = result->family};
        }
        struct report_family *family = &(*families)[at];
        family->instances += result->instances;
        if (result->result == ENG_SKIP)
            family->skip++;
        else if (report_failed(result))
            family->fail++;
        else if (report_unfinished(result) ||
                 (result->result == ENG_NO_PROGRESS && result->expectation != CAT_CONTROL))
            family->other++;
        else if (result->expectation == CAT_CONTROL)
            family->control++;
        else
            family->pass++;
    }
    if (count > 0)
        qsort(*families, count, sizeof(**families), compare_families);
    return count;
}

static int compare_skips(const void *left, const void *right)
{
    const struct report_skip *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->reason, b->reason);
}

size_t report_skips(const struct report_model *model, size_t device, struct report_skip **skips)
{
    size_t count = 0, room = 0;
    *skips = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device || result->result != ENG_SKIP)
            continue;
        size_t at = 0;
        while (at < count && strcmp((*skips)[at].reason, result->reason) != 0)
            at++;
        if (at == count) {
            if (count == room)
                *skips = lit_realloc(*skips, room = room * 2 + 8, sizeof(**skips));
            (*skips)[count++] = (struct report_skip){.reason = result->reason};
        }
        (*skips)[at].count++;
    }
    if (count > 0)
        qsort(*skips, count, sizeof(**skips), compare_skips);
    return count;
}

size_t report_select(const struct report_model *model, size_t device,
                     bool (*which)(const struct report_result *result), size_t **indexes)
{
    size_t count = 0;
    *indexes = lit_alloc(model->result_count, sizeof(**indexes));
    for (enum cat_expectation expectation = CAT_FORBIDDEN; expectation <= CAT_CONTROL;
         expectation++) {
        for (size_t i = 0; i < model->result_count; i++) {
            const struct report_result *result = &model->results[i];
            if (result->device == device && result->expectation == expectation && which(result))
                (*indexes)[count++] = i;
        }
    }
    return count;
}
