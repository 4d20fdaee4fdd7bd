// SPDX-License-Identifier: Apache-2.0
// Reads a session and counts.
#include "report/model.h"

#include "report/fields.h"
#include "report/known.h"
#include "stats/stats.h"
#include "store/store.h"

#include <jansson.h>

struct loading {
    struct report_model *model;
    uint64_t runs, instances;
    const char *damage; // an impossible value, or NULL
};

static bool load_device(struct eng_device *device, void *user)
{
    struct report_model *model = ((struct loading *)user)->model;
    LIT_ADD(model->devices, model->device_count) = *device;
    device->checker = NULL;
    return true;
}

// If a rule stopped the runs by what it saw, the interval must hold at every number of runs.
struct stat_interval report_interval(uint64_t failed, uint64_t judged, const char *rule)
{
    return rule[0] ? stat_sequence(failed, judged, REPORT_CONFIDENCE)
                   : stat_clopper_pearson(failed, judged, REPORT_CONFIDENCE);
}

struct stat_dispersion report_dispersion(const struct result *result)
{
    OWNED(lit_free) uint64_t *failed = lit_alloc(result->piece_count + 1, sizeof *failed);
    OWNED(lit_free) uint64_t *judged = lit_alloc(result->piece_count + 1, sizeof *judged);
    for (size_t i = 0; i < result->piece_count; i++) {
        failed[i] = result->pieces[i].failed_runs;
        judged[i] = result->pieces[i].runs - result->pieces[i].no_progress_runs;
    }
    return stat_dispersion(failed, judged, result->piece_count);
}

void report_result_is(struct result *result, struct cfg cfg)
{
    struct text label = {0};
    report_known->label(&cfg, &label);
    result->cfg = cfg;
    result->label = label.data;
    cfg_id(cfg.name, result->id);
}

void report_result_rate(struct result *result)
{
    result->judged = result->runs - result->no_progress_runs;
    result->interval = report_interval(result->failed_runs, result->judged, result->rule);
    result->spread = report_dispersion(result);
}

static bool load_result(struct result *row, void *user)
{
    struct loading *loading = user;
    struct report_model *model = loading->model;
    size_t device = 0;
    while (device < model->device_count && strcmp(model->devices[device].id, row->device_id) != 0)
        device++;
    loading->runs += row->runs < REPORT_MOST ? row->runs : REPORT_MOST;
    loading->instances += row->instances < REPORT_MOST ? row->instances : REPORT_MOST;
    loading->damage = device == model->device_count ? "a result without a device"
                      : loading->runs >= REPORT_MOST || loading->instances >= REPORT_MOST ||
                              row->first >= REPORT_MOST
                          ? "more runs than can be"
                          : NULL;
    if (loading->damage)
        return false;
    row->device = device;
    report_result_is(row, row->cfg);
    report_result_rate(row);
    LIT_ADD(model->results, model->result_count) = *row;
    *row = (struct result){0};
    return true;
}

const char *report_wait_rule(const struct result *result)
{
    const bool looked = result->runs == ENG_RULE_WAITS || result->runs == ENG_RULE_WAITED;
    const bool may = looked && result->no_progress_runs >= result->runs / 2;
    return may && !result->rule[0] ? "waits" : result->rule;
}

enum eng_ruling report_ruling(const struct result *result)
{
    struct eng_rule rule = {0};
    return eng_is_verdict(result->result) && eng_rule_read(result->rule, &rule)
               ? eng_rule_judge(&rule, &result->count)
               : ENG_RULING_NONE;
}

bool report_is_undecided(const struct result *result)
{
    return report_ruling(result) == ENG_RULING_MISSED;
}

static void conclude(struct report_model *model)
{
    struct eng_tally tally = {.planned = model->result_count,
                              .shard = model->session.shard != STORE_WHOLE,
                              .out_of_time = !model->session.finished,
                              .unclosed = model->unclosed};
    model->seconds = 0;
    REPORT_EACH (result, model, REPORT_ALL) {
        eng_tally_add(&tally, result->name, result->result, result->expectation, &result->count);
        tally.undecided += report_is_undecided(result);
        model->seconds += result->seconds;
    }
    model->code = eng_tally_exit(&tally, model->code_reason, sizeof(model->code_reason));
    if (model->code == LIT_EXIT_TIME)
        snprintf(model->code_reason, sizeof(model->code_reason), "the session is not finished");
}

static char *find_member(const json_t *object, const char *name)
{
    char clean[256];
    const char *value = json_string_value(json_object_get(object, name));
    text_sanitise(clean, sizeof clean, value ? value : "");
    return lit_strdup(clean);
}

// Loads the options and program that the session recorded.
static void load_options(struct report_model *model)
{
    json_auto_t *options = store_recorded(model->session.options);
    const json_t *build = json_object_get(options, "build");
    const char *stress = json_string_value(json_object_get(options, "stress"));
    const char *simt = json_string_value(json_object_get(options, "simt"));
    OWNED(text_free) struct text listed = {0};
    if (simt) { // the SIMT simulator's settings
        char clean[512];
        store_recorded_simt(simt, &listed);
        text_sanitise(clean, sizeof clean, listed.data ? listed.data : "");
        model->simt = lit_strdup(clean);
    }
    model->build = (struct report_build){.commit = find_member(build, "commit"),
                                         .catalogue = find_member(build, "catalogue"),
                                         .options = find_member(build, "options")};
    snprintf(model->stress, sizeof model->stress, "%s", stress ? stress : "");
    model->unclosed = (unsigned)json_integer_value(json_object_get(options, "unclosed"));
    fields_read_drivers(json_object_get(options, "drivers"), model);
}

// Adds a kernel as the test that its results belong to.
static bool add_kernel(const void *bytes, size_t size, void *user)
{
    (void)user;
    report_known->add(bytes, size);
    return true;
}

bool report_kernels_add(struct store *store, int64_t session, struct lit_error *error)
{
    return store_kernels(store, session, add_kernel, NULL, error);
}

bool report_model_load(struct store *store, int64_t session, struct report_model *model,
                       struct lit_error *error)
{
    *model = (struct report_model){.store = store};
    struct loading loading = {.model = model};
    if (!store_session_load(store, session, false, &model->session, error) ||
        !report_kernels_add(store, model->session.id, error) ||
        !store_devices(store, model->session.id, load_device, &loading, error) ||
        !store_results(store, model->session.id, load_result, &loading, error))
        return false;
    if (loading.damage)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: the file is damaged (%s)", store_path(store),
                        loading.damage);
    model->only_device = lit_strdup("");
    model->only_test = lit_strdup("");
    load_options(model);
    conclude(model);
    return true;
}

void report_model_clear(struct report_model *model)
{
    store_session_clear(&model->session);
    free(model->simt);
    free(model->build.commit);
    free(model->build.catalogue);
    free(model->build.options);
    free(model->drivers);
    free(model->only_device);
    free(model->only_test);
    for (size_t i = 0; i < model->device_count; i++)
        free(model->devices[i].checker);
    for (size_t i = 0; i < model->result_count; i++)
        eng_result_clear(&model->results[i]);
    for (size_t i = 0; i < model->rest_count; i++)
        eng_result_clear(&model->rest[i]);
    free(model->devices);
    free(model->results);
    free(model->rest);
    *model = (struct report_model){0};
}

const struct result *report_next(const struct report_model *model, size_t device,
                                 const struct result *last)
{
    for (size_t i = last ? (size_t)(last - model->results) + 1 : 0; i < model->result_count; i++)
        if (device == REPORT_ALL || model->results[i].device == device)
            return &model->results[i];
    return NULL;
}

static bool is_named_device(const struct eng_device *device, const char *pattern)
{
    return !pattern[0] || eng_device_matches(device, pattern);
}

// A pattern is a test, a family or a configuration, as for `litmus run`.
static bool is_named_result(const struct result *result, const char *pattern)
{
    return !pattern[0] || cfg_matches(pattern, result->name) || text_glob(pattern, result->name);
}

static bool fail_narrow(const struct report_model *model, const char *device, const char *test,
                        struct lit_error *error)
{
    for (size_t i = 0; i < model->device_count; i++)
        if (is_named_device(&model->devices[i], device))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "session %jd has no result of '%.120s'%s; 'litmus report -f csv' lists "
                            "what it has",
                            (intmax_t)model->session.id, test, device[0] ? " on this device" : "");
    return lit_fail(error, LIT_EXIT_USAGE, "session %jd has no device '%.80s'; it has %zu%s%.80s",
                    (intmax_t)model->session.id, device, model->device_count,
                    model->device_count ? ", the first is " : "",
                    model->device_count ? model->devices[0].facts.name : "");
}

bool report_model_narrow(struct report_model *model, const char *device, const char *test,
                         struct lit_error *error)
{
    if (!device[0] && !test[0])
        return true;
    OWNED(lit_free) size_t *place = lit_alloc(model->device_count + 1, sizeof(*place));
    size_t kept = 0, devices = 0;
    REPORT_EACH (result, model, REPORT_ALL)
        kept += is_named_device(&model->devices[result->device], device) &&
                is_named_result(result, test);
    for (size_t i = 0; i < model->device_count; i++)
        devices += is_named_device(&model->devices[i], device);
    if (devices == 0 || (kept == 0 && test[0]))
        return fail_narrow(model, device, test, error);
    devices = 0;
    for (size_t i = 0; i < model->device_count; i++) {
        place[i] = devices;
        if (is_named_device(&model->devices[i], device))
            model->devices[devices++] = model->devices[i];
        else {
            free(model->devices[i].checker);
            place[i] = SIZE_MAX;
        }
    }
    model->device_count = devices;
    model->rest = lit_alloc(model->result_count + 1, sizeof(*model->rest));
    kept = 0;
    for (size_t i = 0; i < model->result_count; i++) {
        struct result result = model->results[i];
        result.device = place[result.device];
        if (result.device == SIZE_MAX)
            eng_result_clear(&result);
        else if (is_named_result(&result, test))
            model->results[kept++] = result;
        else
            model->rest[model->rest_count++] = result;
    }
    model->result_count = kept;
    free(model->only_device);
    free(model->only_test);
    model->only_device = lit_strdup(device);
    model->only_test = lit_strdup(test);
    conclude(model);
    return true;
}

bool report_failed(const struct result *result)
{
    return result->expectation != CAT_CONTROL &&
           (result->result == ENG_FAIL || result->failed_runs > 0);
}

const char *report_value(const struct result *result, const char *key)
{
    for (size_t i = 0; i < result->variant_count + result->param_count; i++)
        if (!strcmp(result->variant[i].key, key)) // the parameters follow
            return result->variant[i].value;
    return "";
}

size_t report_differences(const struct result *result, const struct result *other,
                          struct text *names)
{
    size_t count = 0;
    for (size_t i = 0; i < other->variant_count + other->param_count; i++) {
        const struct cfg_pair *pair = &other->variant[i]; // the parameters follow
        if (strcmp(report_value(result, pair->key), pair->value) == 0)
            continue;
        if (names)
            text_printf(names, "%s%s=%s", count ? ", " : "", pair->key, pair->value);
        count++;
    }
    return count;
}

bool report_unfinished(const struct result *result)
{
    // For a control, this was the aim; the family progress only asks for this.
    if (result->result == ENG_NO_PROGRESS &&
        (report_control_triggered(result) || !strcmp(result->family, "progress")))
        return false;
    return result->result != ENG_PASS && result->result != ENG_FAIL && result->result != ENG_SKIP;
}

bool report_unfinished_only(const struct result *result)
{
    return report_unfinished(result) && !report_failed(result);
}

bool report_is_control(const struct result *result)
{
    return result->expectation == CAT_CONTROL && result->runs > 0;
}

bool report_control_triggered(const struct result *result)
{
    return report_is_control(result) &&
           (result->failed_runs > 0 || result->no_progress_runs == result->runs);
}

const char *report_outcome_name(const struct result *result, uint32_t outcome, char buffer[24])
{
    const char *name = cat_mode_name(result->mode, outcome);
    if (name)
        return name;
    snprintf(buffer, 24, "outcome %u", outcome);
    return buffer;
}

bool report_is_overdispersed(const struct result *result)
{
    return result->spread.groups > 1 && result->spread.factor > 1 && result->spread.p < 0.01;
}

const char *report_interval_kind(const char *rule)
{
    return rule[0] ? "sequence" : "clopper-pearson";
}

char *report_shard(char target[64], const struct store_session *session)
{
    target[0] = '\0';
    if (session->shard != STORE_WHOLE)
        snprintf(target, 64, "%s, shard %ju of %ju",
                 session->shard == STORE_SHARD_TESTS ? "a shard of the tests"
                                                     : "a shard of the runs",
                 (uintmax_t)session->shard_index + 1, (uintmax_t)session->shard_count);
    return target;
}

const char *report_observation(uint64_t failed, uint64_t judged)
{
    if (judged == 0)
        return "Unknown";
    return failed == 0 ? "Never" : failed == judged ? "Always" : "Sometimes";
}
