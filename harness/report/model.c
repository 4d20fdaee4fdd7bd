// SPDX-License-Identifier: Apache-2.0
// Reads a session and counts.
#include "report/model.h"

#include "catalogue/catalogue.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loading {
    struct report_model *model;
    size_t device_room, result_room;
    bool stray; // a result of no device
};

static bool load_device(unsigned number, const struct dev_facts *facts, const char *checker,
                        void *user)
{
    struct loading *loading = user;
    struct report_model *model = loading->model;
    if (model->device_count == loading->device_room) {
        loading->device_room = loading->device_room * 2 + 4;
        model->devices = lit_realloc(model->devices, loading->device_room, sizeof(*model->devices));
    }
    struct report_device *device = &model->devices[model->device_count++];
    *device = (struct report_device){
        .number = number,
        .facts = *facts,
        .checker = lit_strdup(checker),
    };
    dev_facts_id(facts, device->id);
    return true;
}

// Cuts "key=value,key=value" in place.
static size_t split_pairs(char *text, struct report_pair pairs[REPORT_MAX_PAIRS])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *pair = strtok_r(text, ",", &rest); pair && count < REPORT_MAX_PAIRS;
         pair = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(pair, '=');
        if (equals)
            *equals = '\0';
        pairs[count++] = (struct report_pair){pair, equals ? equals + 1 : ""};
    }
    return count;
}

// family.test/axis=value,...@parameter=value,...
void report_name_split(struct report_result *result)
{
    result->test = lit_strdup(result->name);
    result->test[strcspn(result->test, "/@")] = '\0';
    result->family = lit_strdup(result->test);
    result->family[strcspn(result->family, ".")] = '\0';
    result->parts = lit_strdup(result->name + strlen(result->test));
    char *params = strchr(result->parts, '@');
    if (params) {
        *params = '\0';
        result->param_count = split_pairs(params + 1, result->params);
    }
    if (result->parts[0] == '/')
        result->variant_count = split_pairs(result->parts + 1, result->variant);
}

static enum eng_result find_result(const char *name)
{
    enum eng_result result = 0;
    while (result < ENG_RESULTS - 1 && strcmp(name, eng_result_name(result)) != 0)
        result++;
    return result;
}

static enum cat_expectation find_expectation(const char *name)
{
    enum cat_expectation expectation = CAT_FORBIDDEN;
    while (expectation < CAT_CONTROL && strcmp(name, cat_expectation_name(expectation)) != 0)
        expectation++;
    return expectation;
}

static bool load_result(const struct store_result *row, void *user)
{
    struct loading *loading = user;
    struct report_model *model = loading->model;
    size_t device = 0;
    while (device < model->device_count && strcmp(model->devices[device].id, row->device) != 0)
        device++;
    if (device == model->device_count) {
        loading->stray = true;
        return false;
    }
    if (model->result_count == loading->result_room) {
        loading->result_room = loading->result_room * 2 + 64;
        model->results = lit_realloc(model->results, loading->result_room, sizeof(*model->results));
    }
    const struct eng_count *count = &row->count;
    uint64_t judged = count->runs - count->no_progress_runs;
    struct report_result *result = &model->results[model->result_count++];
    *result = (struct report_result){
        .name = lit_strdup(row->name),
        .device = device,
        .result = find_result(row->result),
        .expectation = find_expectation(row->expectation),
        .reason = lit_strdup(row->reason),
        .sha256 = lit_strdup(row->sha256),
        .headline = lit_strdup(row->headline),
        .stress = lit_strdup(row->stress),
        .rule = lit_strdup(row->rule),
        .first = row->first,
        .seed = row->seed,
        .mode = row->mode,
        .runs = count->runs,
        .failed_runs = count->failed_runs,
        .no_progress_runs = count->no_progress_runs,
        .instances = count->instances,
        .failed_instances = count->failed_instances,
        .first_run_failed = count->first_run_failed,
        .seconds = count->seconds,
        .failure_count = count->failure_count,
        .failures = lit_alloc(count->failure_count, sizeof(*result->failures)),
        .judged = judged,
        .interval = stat_clopper_pearson(count->failed_runs, judged, REPORT_CONFIDENCE),
    };
    memcpy(result->outcomes, count->outcomes, sizeof(result->outcomes));
    result->piece_count = count->part_count;
    result->pieces = lit_alloc(count->part_count, sizeof(*result->pieces));
    if (count->part_count > 0)
        memcpy(result->pieces, count->parts, count->part_count * sizeof(*count->parts));
    if (count->failure_count > 0)
        memcpy(result->failures, count->failures, count->failure_count * sizeof(*count->failures));
    report_name_split(result);
    return true;
}

static void conclude(struct report_model *model)
{
    struct eng_tally tally = {.planned = model->result_count,
                              .shard = model->session.shard != STORE_WHOLE,
                              .out_of_time = !model->session.finished};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        struct eng_count count = {.runs = result->runs, .failed_runs = result->failed_runs};
        eng_tally_add(&tally, result->result, result->expectation, &count);
        model->seconds += result->seconds;
    }
    model->code = eng_tally_exit(&tally, model->code_reason, sizeof(model->code_reason));
    if (model->code == LIT_EXIT_TIME)
        snprintf(model->code_reason, sizeof(model->code_reason), "the session is not finished");
}

// What the session's options say of the reference driver.
static char *find_simt(const char *options)
{
    char clean[512];
    json_t *root = options ? json_loads(options, 0, NULL) : NULL;
    const char *simt = json_string_value(json_object_get(root, "simt"));
    if (simt)
        text_sanitise(clean, sizeof clean, simt);
    json_decref(root);
    return simt ? lit_strdup(clean) : NULL;
}

bool report_model_load(struct store *store, int64_t session, struct report_model *model,
                       struct lit_error *error)
{
    *model = (struct report_model){0};
    struct loading loading = {.model = model};
    if (!store_session_load(store, session, false, &model->session, error) ||
        !store_devices(store, model->session.id, load_device, &loading, error) ||
        !store_results(store, model->session.id, load_result, &loading, error))
        return false;
    if (loading.stray)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: the file is damaged (a result of no device)",
                        store_path(store));
    model->simt = find_simt(model->session.options);
    conclude(model);
    return true;
}

void report_model_clear(struct report_model *model)
{
    store_session_clear(&model->session);
    free(model->simt);
    for (size_t i = 0; i < model->device_count; i++)
        free(model->devices[i].checker);
    for (size_t i = 0; i < model->result_count; i++) {
        struct report_result *result = &model->results[i];
        free(result->name);
        free(result->test);
        free(result->family);
        free(result->parts);
        free(result->reason);
        free(result->sha256);
        free(result->headline);
        free(result->stress);
        free(result->rule);
        free(result->pieces);
        free(result->failures);
    }
    free(model->devices);
    free(model->results);
    *model = (struct report_model){0};
}

bool report_failed(const struct report_result *result)
{
    return result->expectation != CAT_CONTROL &&
           (result->result == ENG_FAIL || result->failed_runs > 0);
}

const char *report_value(const struct report_result *result, const char *key)
{
    for (size_t i = 0; i < result->variant_count; i++)
        if (!strcmp(result->variant[i].key, key))
            return result->variant[i].value;
    for (size_t i = 0; i < result->param_count; i++)
        if (!strcmp(result->params[i].key, key))
            return result->params[i].value;
    return "";
}

bool report_unfinished(const struct report_result *result)
{
    // Of a control that is what was to be seen; the family progress asks for nothing else.
    if (result->result == ENG_NO_PROGRESS &&
        (report_control_seen(result) || !strcmp(result->family, "progress")))
        return false;
    return result->result != ENG_PASS && result->result != ENG_FAIL && result->result != ENG_SKIP;
}

bool report_is_control(const struct report_result *result)
{
    return result->expectation == CAT_CONTROL && result->runs > 0;
}

bool report_control_seen(const struct report_result *result)
{
    return report_is_control(result) &&
           (result->failed_runs > 0 || result->no_progress_runs == result->runs);
}

const char *report_outcome_name(const struct report_result *result, uint32_t outcome,
                                char buffer[24])
{
    const char *name = cat_mode_name(&result->mode, outcome);
    if (name)
        return name;
    snprintf(buffer, 24, "outcome %u", outcome);
    return buffer;
}

const char *report_observation(uint64_t failed, uint64_t judged)
{
    if (judged == 0)
        return "Unknown";
    return failed == 0 ? "Never" : failed == judged ? "Always" : "Sometimes";
}

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
    return order ? order : (int)a->expectation - (int)b->expectation;
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
                              strcmp((*lines)[at].name, result->headline) != 0))
            at++;
        if (at == count) {
            if (count == room)
                *lines = lit_realloc(*lines, room = room * 2 + 8, sizeof(**lines));
            (*lines)[count++] = (struct report_headline){
                .name = result->headline,
                .expectation = result->expectation,
            };
        }
        (*lines)[at].runs += result->runs;
        (*lines)[at].failed_runs += result->failed_runs;
        (*lines)[at].judged += result->judged;
    }
    for (size_t i = 0; i < count; i++) {
        struct report_headline *line = &(*lines)[i];
        line->interval = stat_clopper_pearson(line->failed_runs, line->judged, REPORT_CONFIDENCE);
    }
    if (count > 0)
        qsort(*lines, count, sizeof(**lines), compare_headlines);
    return count;
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
