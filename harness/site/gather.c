// SPDX-License-Identifier: Apache-2.0
// Merges many sessions into one model: one result per configuration, device and driver.
#include "site/site.h"

#include "compare/side.h"

#include <math.h>

// ---- input

// Reads failing code from a store, test by test, while the store is open.
static void take_code(struct site *site, const struct report_model *model)
{
    for (size_t i = 0; i < model->result_count; i++) {
        const char *test = model->results[i].test;
        bool failed = false, done = false;
        for (size_t j = 0; j < model->result_count && !done; j++) {
            const bool same = strcmp(model->results[j].test, test) == 0;
            done = same && j < i;
            failed = failed || (same && report_failed(&model->results[j]));
        }
        if (done || !failed)
            continue;
        struct report_model view = *model;
        view.results = lit_alloc(model->result_count, sizeof *view.results);
        view.result_count = 0;
        for (size_t j = i; j < model->result_count; j++)
            if (strcmp(model->results[j].test, test) == 0)
                view.results[view.result_count++] = model->results[j];
        OWNED(report_code_clear) struct report_code code = report_code_load(&view, test);
        struct html html = {
            .model = &view, .code = &code, .up = "../", .first_code = site->code_count * 10000};
        struct text made = {0};
        html.decades = html_decades(&view);
        html.listed = html_listed(&html);
        html_device_heading(&html, 0, &made);
        const size_t start = made.length;
        html_codes(&html, &made);
        if (made.length == start)
            text_free(&made);
        else
            LIT_ADD(site->codes, site->code_count) = (struct site_code){lit_strdup(test), made};
        free(html.listed);
        free(view.results);
    }
}

// Parts of a plan may have started in the same second, with the same seed, on identical machines.
static bool is_same(const struct report_model *a, const struct report_model *b)
{
    bool same = strcmp(a->session.started, b->session.started) == 0 &&
                a->session.seed == b->session.seed && a->result_count == b->result_count &&
                a->device_count == b->device_count &&
                strcmp(a->devices[0].id, b->devices[0].id) == 0;
    for (size_t i = 0; same && i < a->result_count; i++)
        same = strcmp(a->results[i].name, b->results[i].name) == 0 &&
               a->results[i].runs == b->results[i].runs;
    return same;
}

static bool take(struct report_model *model, const char *label, void *user, struct lit_error *error)
{
    struct site *site = user;
    if (!text_is_time(model->session.started)) {
        report_model_clear(model);
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: the session has no date of its start",
                        label);
    }
    bool known = model->result_count == 0;
    for (size_t i = 0; i < site->session_count && !known; i++)
        known = is_same(&site->sessions[i], model);
    if (known) { // a session in both a store and a report counts once
        report_model_clear(model);
        return true;
    }
    if (model->store && !site->without_code)
        take_code(site, model);
    model->store = NULL;
    size_t labels = site->session_count;
    LIT_ADD(site->labels, labels) = lit_strdup(label);
    LIT_ADD(site->sessions, site->session_count) = *model;
    return true;
}

bool site_add(struct site *site, const char *source, struct lit_error *error)
{
    return compare_source_each(source, true, take, site, error);
}

void site_clear(struct site *site)
{
    for (size_t i = 0; i < site->session_count; i++) {
        report_model_clear(&site->sessions[i]);
        free(site->labels[i]);
    }
    for (size_t i = 0; i < site->code_count; i++) {
        free(site->codes[i].test);
        text_free(&site->codes[i].html);
    }
    for (size_t i = 0; i < site->all.device_count && site->of_device; i++)
        free(site->of_device[i].results);
    free(site->sessions);
    free(site->labels);
    free(site->codes);
    free(site->of_device);
    free(site->all.devices);
    free(site->all.results);
    text_free(&site->search);
    *site = (struct site){0};
}

// ---- devices

bool site_is_device(const struct site *site, size_t device, const struct eng_device *other)
{
    const struct dev_facts *a = &site->all.devices[device].facts, *b = &other->facts;
    return strcmp(a->name, b->name) == 0 && strcmp(a->driver_version, b->driver_version) == 0 &&
           strcmp(a->driver_name, b->driver_name) == 0 &&
           strcmp(a->driver_info, b->driver_info) == 0;
}

// In human order: 25.0.10 comes after 25.0.7.
static int compare_versions(const char *a, const char *b)
{
    while (*a && *b) {
        const size_t left = strspn(a, "0123456789"), right = strspn(b, "0123456789");
        if (left && right) {
            const unsigned long x = strtoul(a, NULL, 10), y = strtoul(b, NULL, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a += left;
            b += right;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return strcmp(a, b);
}

// Groups by driver: by its name, then its version.
static int compare_devices(const void *left, const void *right)
{
    const struct dev_facts *a = &((const struct eng_device *)left)->facts;
    const struct dev_facts *b = &((const struct eng_device *)right)->facts;
    int order = strcmp(a->driver_name, b->driver_name);
    order = order ? order : compare_versions(a->driver_version, b->driver_version);
    order = order ? order : strcmp(a->name, b->name);
    return order ? order : strcmp(a->driver_info, b->driver_info);
}

static void gather_devices(struct site *site)
{
    struct report_model *all = &site->all;
    for (size_t s = site->session_count; s-- > 0;) // the newest session describes it
        for (size_t d = 0; d < site->sessions[s].device_count; d++) {
            const struct eng_device *device = &site->sessions[s].devices[d];
            bool known = false;
            for (size_t i = 0; i < all->device_count && !known; i++)
                known = site_is_device(site, i, device);
            if (!known)
                LIT_ADD(all->devices, all->device_count) = *device;
        }
    if (all->device_count)
        qsort(all->devices, all->device_count, sizeof *all->devices, compare_devices);
    for (size_t i = 0; i < all->device_count; i++)
        all->devices[i].number = (unsigned)i + 1;
}

// ---- results

// A session's result; `result.device` is an index into all devices.
struct candidate {
    struct result result;
    size_t session;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = strcmp(a->result.test, b->result.test);
    if (order == 0 && a->result.device != b->result.device)
        order = a->result.device < b->result.device ? -1 : 1;
    order = order ? order : strcmp(a->result.name, b->result.name);
    return order ? order : a->session > b->session ? -1 : a->session < b->session;
}

// Ranks results by significance.
static int weight(const struct result *result)
{
    if (report_failed(result) || report_control_triggered(result))
        return 4;
    if (eng_is_broken(result->result))
        return 3;
    return result->judged ? 2 : result->runs ? 1 : 0;
}

// For one configuration on one device: the newest run comes first; with the newest code, a failure
// before a pass.
static const struct result *choose(const struct candidate *list, size_t count)
{
    const struct result *best = &list[0].result, *newest = NULL;
    for (size_t i = 0; i < count && !newest; i++)
        if (list[i].result.runs)
            best = newest = &list[i].result;
    for (size_t i = 0; i < count; i++)
        if (weight(&list[i].result) > weight(best) &&
            (!newest || strcmp(list[i].result.sha256, newest->sha256) == 0))
            best = &list[i].result;
    return best;
}

static void gather_results(struct site *site)
{
    struct report_model *all = &site->all;
    size_t count = 0, most = 0;
    for (size_t s = 0; s < site->session_count; s++)
        most += site->sessions[s].result_count;
    OWNED(lit_free) struct candidate *list = lit_alloc(most + 1, sizeof *list);
    for (size_t s = 0; s < site->session_count; s++)
        for (size_t i = 0; i < site->sessions[s].result_count; i++) {
            const struct report_model *session = &site->sessions[s];
            list[count] = (struct candidate){session->results[i], s};
            size_t device = 0;
            while (!site_is_device(site, device, &session->devices[session->results[i].device]))
                device++;
            list[count++].result.device = device;
        }
    qsort(list, count, sizeof *list, compare_candidates);
    all->results = lit_alloc(count + 1, sizeof *all->results);
    for (size_t at = 0, some; at < count; at += some) {
        for (some = 1; at + some < count; some++)
            if (list[at].result.device != list[at + some].result.device ||
                strcmp(list[at].result.name, list[at + some].result.name) != 0)
                break;
        all->results[all->result_count++] = *choose(&list[at], some);
    }
}

// Labels move with their sessions.
static void sort_sessions(struct site *site)
{
    for (size_t i = 1; i < site->session_count; i++)
        for (size_t j = i; j > 0 && strcmp(site->sessions[j - 1].session.started,
                                           site->sessions[j].session.started) > 0;
             j--) {
            const struct report_model model = site->sessions[j];
            char *label = site->labels[j];
            site->sessions[j] = site->sessions[j - 1];
            site->labels[j] = site->labels[j - 1];
            site->sessions[j - 1] = model;
            site->labels[j - 1] = label;
        }
    for (size_t i = 0; i < site->session_count; i++)
        site->sessions[i].session.id = (int64_t)i + 1;
}

// The simulator settings common to all sessions, or to those of a device, for the command that
// repeats a result. NULL if there are none, or several.
static char *common_simt(const struct site *site, size_t device)
{
    char *simt = NULL;
    bool first = true;
    for (size_t s = 0; s < site->session_count; s++) {
        const struct report_model *session = &site->sessions[s];
        bool has = device == SIZE_MAX;
        for (size_t d = 0; d < session->device_count && !has; d++)
            has = site_is_device(site, device, &session->devices[d]);
        if (!has)
            continue;
        if (first)
            simt = session->simt;
        else if (!simt || !session->simt || strcmp(simt, session->simt) != 0)
            return NULL;
        first = false;
    }
    return simt;
}

void site_gather(struct site *site)
{
    struct report_model *all = &site->all;
    sort_sessions(site);
    all->others = site->sessions;
    all->other_count = site->session_count;
    all->session = site->sessions[site->session_count - 1].session;
    all->session.id = 0;
    all->only_device = all->only_test = "";
    for (size_t i = 0; i < site->session_count; i++)
        if (site->sessions[i].session.runs > all->session.runs)
            all->session.runs = site->sessions[i].session.runs;
    gather_devices(site);
    gather_results(site);
    all->simt = common_simt(site, SIZE_MAX);
    site->of_device = lit_alloc(all->device_count + 1, sizeof *site->of_device);
    for (size_t d = 0; d < all->device_count; d++) {
        struct report_model *model = &site->of_device[d];
        *model = *all;
        model->devices = &all->devices[d];
        model->device_count = 1;
        model->simt = common_simt(site, d);
        model->results = lit_alloc(all->result_count + 1, sizeof *model->results);
        model->result_count = 0;
        for (size_t i = 0; i < all->result_count; i++)
            if (all->results[i].device == d) {
                model->results[model->result_count] = all->results[i];
                model->results[model->result_count++].device = 0;
            }
    }
}

struct report_model site_of_test(const struct site *site, size_t *at)
{
    struct report_model view = site->all;
    view.results += *at;
    view.result_count = 1;
    while (*at + view.result_count < site->all.result_count &&
           strcmp(view.results[view.result_count].test, view.results[0].test) == 0)
        view.result_count++;
    *at += view.result_count;
    return view;
}

// ---- sums

static bool is_bad(const struct result *result)
{
    return result->expectation != CAT_CONTROL &&
           (report_failed(result) || eng_is_broken(result->result));
}

static double rate_of(const struct result *result)
{
    return result->judged ? (double)result->failed_runs / (double)result->judged : 0;
}

void site_sum_add(struct site_sum *sum, const struct result *result)
{
    sum->controls += report_is_control(result);
    sum->triggered += report_control_triggered(result);
    if (result->expectation == CAT_CONTROL)
        return;
    const bool bad = is_bad(result);
    sum->skipped += result->result == ENG_SKIP;
    sum->failed += bad;
    sum->ran += bad || result->judged > 0;
    sum->open += !bad && result->judged == 0 && result->result != ENG_SKIP;
    if (!bad) {
        if (result->judged && (!sum->quiet || result->interval.high > sum->quiet->interval.high))
            sum->quiet = result;
        return;
    }
    sum->failed_runs += result->failed_runs;
    sum->judged += result->judged;
    if (!sum->worst || rate_of(result) > rate_of(sum->worst))
        sum->worst = result;
}

int site_heat(const struct site_sum *sum)
{
    if (!sum->worst)
        return 0;
    const double rate = eng_is_broken(sum->worst->result) ? 1 : rate_of(sum->worst);
    return rate >= 1 ? 4 : rate >= 0.1 ? 3 : rate >= 0.01 ? 2 : 1;
}

bool site_has_bug(const struct report_model *model)
{
    REPORT_EACH (result, model, REPORT_ALL)
        if (result->expectation == CAT_FORBIDDEN && report_failed(result))
            return true;
    return false;
}

bool site_is_of(const struct report_model *model, const struct result *result, const char *finding)
{
    const struct report_signature *found =
        report_failed(result) || report_unfinished(result) ? report_finding(model, result) : NULL;
    return found && strcmp(found->finding, finding) == 0;
}

const char *site_since(const struct site *site, size_t device, const char *test,
                       const char *finding)
{
    for (size_t s = 0; s < site->session_count; s++) {
        const struct report_model *session = &site->sessions[s];
        REPORT_EACH (result, session, REPORT_ALL) {
            if (!is_bad(result) || (test && strcmp(result->test, test) != 0) ||
                !site_is_device(site, device, &session->devices[result->device]))
                continue;
            const struct report_signature *found = finding ? report_finding(session, result) : NULL;
            if (!finding || (found && strcmp(found->finding, finding) == 0))
                return session->session.started;
        }
    }
    return "";
}
