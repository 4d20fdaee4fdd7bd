// SPDX-License-Identifier: Apache-2.0
// Chooses configurations whose code is worth keeping, and stores it.
#include "session/session.h"

#include "engine/client.h"
#include "engine/supervisor.h"
#include "report/model.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

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
    struct report_model model;
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
    report_model_clear(&model);
    return good;
}
