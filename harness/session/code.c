// SPDX-License-Identifier: Apache-2.0
// Chooses configurations whose code is worth keeping, and stores it.
#include "session/session.h"

#include "engine/client.h"
#include "engine/supervisor.h"
#include "report/code.h"
#include "report/model.h"
#include "store/store.h"

struct collecting {
    const struct eng_watch *watch;
    struct store *store;
    int64_t session;
    enum ses_code_which which;
    const struct ses_shares *shares;
    const struct eng_device *device;
    struct lit_error *error;
    bool broken;           // the store is broken
    bool silent;           // the driver reports no code
    size_t unable;         // configurations whose code we could not get
    char why[512];         // why the first one failed
    struct lit_list there; // names whose code is in the store
};

static bool note_there(const char *device, const char *name, struct isa_code *code, void *user)
{
    (void)device, (void)code;
    lit_list_add(&((struct collecting *)user)->there, lit_strdup(name));
    return true;
}

static bool is_there(const struct collecting *c, const char *name)
{
    for (size_t i = 0; i < c->there.count; i++)
        if (strcmp(c->there.items[i], name) == 0)
            return true;
    return false;
}

// --- Which

// A failure that needs an explanation; a control is expected to fail.
static bool is_odd(const struct result *result)
{
    return report_failed(result) && !report_is_control(result);
}

// Whether two configurations of one test differ in exactly one axis.
static bool are_paired(const struct result *a, const struct result *b)
{
    for (size_t i = 0; i < b->param_count; i++)
        if (strcmp(report_value(a, b->params[i].key), b->params[i].value) != 0)
            return false;
    return strcmp(a->test, b->test) == 0 && report_differences(a, b, NULL) == 1;
}

static bool has_odd_pair(const struct report_model *model, const struct result *result)
{
    for (size_t i = 0; i < model->result_count; i++)
        if (model->results[i].device == result->device && is_odd(&model->results[i]) &&
            are_paired(&model->results[i], result))
            return true;
    return false;
}

static bool is_wanted(const struct collecting *c, const struct report_model *model,
                      const struct result *result, bool paired)
{
    if (result->result == ENG_SKIP)
        return false;
    if (c->which == SES_CODE_ALL || ses_shares_among(c->shares, c->device->id, result->name) > 1)
        return !paired;
    return paired ? !is_odd(result) && has_odd_pair(model, result) : is_odd(result);
}

// Selects a device's cases, failed ones first. Allocates *cases.
static size_t choose(struct collecting *c, const struct report_model *model,
                     struct cat_case **cases)
{
    size_t count = 0;
    *cases = lit_alloc(model->result_count + 1, sizeof **cases);
    for (int paired = 0; paired < 2; paired++)
        REPORT_EACH (result, model, REPORT_ALL) {
            const bool full = c->which == SES_CODE_FAILED && count >= SES_CODE_MOST &&
                              ses_shares_among(c->shares, c->device->id, result->name) == 1;
            if (full || strcmp(model->devices[result->device].id, c->device->id) != 0 ||
                !is_wanted(c, model, result, paired) || is_there(c, result->name))
                continue;
            // Drawn programs have no code of their own.
            count += cat_case_find(&result->cfg, &(*cases)[count], NULL) &&
                     !cat_test_draws((*cases)[count].test);
        }
    return count;
}

// --- The way

static bool take(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user)
{
    struct collecting *c = user;
    const struct cat_module *module = cat_case_module(which);
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    // A driver without code for one pipeline has none for the others.
    if (result == ENG_PASS && isa_is_empty(code))
        c->silent = true;
    else if (result == ENG_PASS)
        c->broken = !store_code_put(c->store, c->session, c->device->id, name.data,
                                    module ? module->sha256 : "", code, c->error);
    else if (c->unable++ == 0)
        snprintf(c->why, sizeof c->why, "%.200s: %s: %.200s", name.data, eng_result_name(result),
                 reason);
    return !c->broken && !c->silent;
}

static void remark(const struct collecting *c, const char *what)
{
    OWNED(text_free) struct text line = {0};
    text_printf(&line, "litmus: device %u: %s: %s", c->device->number, what, c->why);
    c->watch->say(line.data, c->watch->user);
}

static bool collect_device(struct collecting *c, const struct report_model *model)
{
    OWNED(lit_free) struct cat_case *cases = NULL;
    char reason[512];
    const size_t cores = eng_usable_cores();
    const struct eng_capture capture = {.watch = c->watch,
                                        .device = c->device,
                                        .lanes = c->device->facts.cpu ? 1 : cores,
                                        .take = take,
                                        .user = c};
    if (!store_codes(c->store, c->session, c->device->id, NULL, note_there, c, c->error))
        return false;
    const size_t count = choose(c, model, &cases);
    if (count && eng_end_stops(eng_capture(&capture, cases, count, reason))) {
        snprintf(c->why, sizeof c->why, "%s", reason);
        remark(c, "the code is not available");
    } else if (c->unable) {
        remark(c, "the code of some configurations is not available");
    }
    return !c->broken;
}

bool ses_code_collect(const struct ses_devices *devices, struct store *store, int64_t session,
                      enum ses_code_which which, const struct ses_shares *shares,
                      struct lit_error *error)
{
    OWNED(report_model_clear) struct report_model model = {0};
    if (which == SES_CODE_NONE)
        return true;
    bool good = report_model_load(store, session, &model, error);
    for (size_t i = 0; good && i < devices->inventory.count; i++) {
        struct collecting c = {.watch = &devices->watch,
                               .store = store,
                               .session = session,
                               .which = which,
                               .shares = shares,
                               .device = &devices->inventory.devices[i],
                               .error = error};
        good = !devices->chosen[i] || collect_device(&c, &model);
    }
    return good;
}

// --- Finds configurations that share their runs because an earlier session has the machine code of
// all of them and it is the same.

#define MOST_SHARING 4 // a configuration keeps at least this part of the usual runs

static int compare_shares(const void *left, const void *right)
{
    const struct ses_share *a = left, *b = right;
    const int order = strcmp(a->device, b->device);
    return order ? order : strcmp(a->name, b->name);
}

void ses_planned_make(const struct cat_selection *selection, const struct dev_facts *facts,
                      struct ses_planned *planned)
{
    OWNED(eng_plan_clear) struct eng_plan plan = eng_plan_make(selection, facts, false, 0);
    planned->names = lit_alloc(plan.count + 1, sizeof *planned->names);
    for (planned->count = 0; planned->count < plan.count; planned->count++) {
        struct text name = {0};
        cat_case_name(&plan.cases[planned->count], &name);
        planned->names[planned->count] = name.data;
    }
    text_sort(planned->names, planned->count, sizeof *planned->names);
}

static int compare_name(const void *key, const void *item)
{
    return strcmp(key, *(char *const *)item);
}

bool ses_planned_has(const struct ses_planned *planned, const struct result *result,
                     const struct cat_module **module)
{
    struct cat_case which;
    const bool has = bsearch(result->name, planned->names, planned->count, sizeof *planned->names,
                             compare_name) &&
                     cat_case_parse(result->name, &which, NULL);
    *module = has ? cat_case_module(&which) : NULL;
    return has;
}

void ses_planned_clear(struct ses_planned *planned)
{
    for (size_t i = 0; i < planned->count; i++)
        free(planned->names[i]);
    free(planned->names);
}

// Adds the later configurations that are the same program as the first.
static void add_group(const struct report_code *code, size_t first,
                      const struct ses_planned *planned, bool *seen, struct ses_shares *shares)
{
    const struct report_model *model = code->model;
    const struct cat_module *module;
    const size_t start = shares->count;
    for (size_t i = first; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        if (seen[i] || !report_code_is_one(code, &model->results[first], result))
            continue;
        seen[i] = true;
        if (ses_planned_has(planned, result, &module) && module &&
            strcmp(module->sha256, result->sha256) == 0) {
            struct ses_share *share = &LIT_ADD(shares->items, shares->count);
            *share = (struct ses_share){.name = lit_strdup(result->name)};
            snprintf(share->device, sizeof share->device, "%s", model->devices[result->device].id);
        }
    }
    for (size_t i = start; i < shares->count; i++)
        shares->items[i].among = shares->count - start;
}

static bool add_device(struct store *store, int64_t session, const struct eng_device *device,
                       const struct ses_planned *planned, struct ses_shares *shares,
                       struct lit_error *error)
{
    OWNED(report_model_clear) struct report_model model = {0};
    int64_t known = 0;
    bool good = store_code_session(store, session, device->id, &known, error);
    if (!good || known == 0)
        return good;
    good = report_model_load(store, known, &model, error);
    if (good) {
        OWNED(report_code_clear) struct report_code code = report_code_load(&model, NULL);
        OWNED(lit_free) bool *seen = lit_alloc(model.result_count + 1, sizeof *seen);
        for (size_t i = 0; i < model.result_count && !code.fault[0]; i++)
            if (!seen[i] && code.of[i] &&
                strcmp(model.devices[model.results[i].device].id, device->id) == 0)
                add_group(&code, i, planned, seen, shares);
    }
    return good;
}

bool ses_shares_load(struct store *store, int64_t session, const struct cat_selection *selection,
                     const struct ses_devices *devices, struct ses_shares *shares,
                     struct lit_error *error)
{
    bool good = true;
    SES_EACH_DEVICE (device, devices) {
        OWNED(ses_planned_clear) struct ses_planned planned;
        ses_planned_make(selection, &device->facts, &planned);
        good = good && add_device(store, session, device, &planned, shares, error);
    }
    if (shares->count)
        qsort(shares->items, shares->count, sizeof *shares->items, compare_shares);
    return good;
}

size_t ses_shares_among(const struct ses_shares *shares, const char *device, const char *name)
{
    struct ses_share key = {.name = (char *)name};
    snprintf(key.device, sizeof key.device, "%s", device);
    const struct ses_share *found =
        shares->count ? bsearch(&key, shares->items, shares->count, sizeof key, compare_shares)
                      : NULL;
    return found ? found->among : 1;
}

uint64_t ses_shares_runs(const struct ses_shares *shares, const char *device, const char *name,
                         uint64_t runs)
{
    const size_t among = ses_shares_among(shares, device, name);
    const uint64_t parts = among < MOST_SHARING ? among : MOST_SHARING;
    return (runs + parts - 1) / parts;
}

void ses_shares_clear(struct ses_shares *shares)
{
    for (size_t i = 0; i < shares->count; i++)
        free(shares->items[i].name);
    free(shares->items);
    *shares = (struct ses_shares){0};
}
