// SPDX-License-Identifier: Apache-2.0
// Checks that a JSON report agrees with itself, and that we can take one that someone sends.
#include "compare/side.h"

#include "report/format.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 32 // of JSON to look through

struct check {
    const char *label;
    const json_t *root;
    const struct report_model *model;
    struct compare_faults *faults;
    bool sent; // someone else sent it: check more
};

void compare_fault(struct compare_faults *faults, const char *label, const char *format, ...)
{
    char text[640], clean[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_sanitise(clean, sizeof clean, text);
    if (faults->count++ < COMPARE_MOST_FAULTS)
        text_printf(&faults->lines, "%.200s: %s\n", label, clean);
}

#define FAULT(check, ...)                                                                          \
    compare_fault((check)->faults, (check)->label, COMPARE_DAMAGED __VA_ARGS__)
#define UNFIT(check, condition, ...)                                                               \
    do {                                                                                           \
        if ((check)->sent && (condition))                                                          \
            compare_fault((check)->faults, (check)->label, __VA_ARGS__);                           \
    } while (0)

// ---- texts

// We made the lines of evidence ourselves, with text_sanitise for each.
static bool has_control(const char *text, bool lines)
{
    if (!lines)
        return text_has_control(text);
    OWNED(lit_free) char *copy = lit_strdup(text);
    for (char *c = copy; *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
    return text_has_control(copy);
}

static void check_texts(const struct check *check, const json_t *json, const char *where, int depth)
{
    const char *name;
    json_t *value;
    size_t i;
    char here[200];
    if (depth > MOST_DEPTH) {
        FAULT(check, "%s is nested too deeply", where);
    } else if (json_is_string(json)) {
        if (has_control(json_string_value(json), strstr(where, ".evidence.") != NULL))
            FAULT(check, "%s has a control character", where);
    } else if (json_is_array(json)) {
        json_array_foreach((json_t *)json, i, value)
        {
            snprintf(here, sizeof here, "%s[%zu]", where, i);
            check_texts(check, value, here, depth + 1);
        }
    } else {
        json_object_foreach((json_t *)json, name, value)
        {
            snprintf(here, sizeof here, "%s%s%.80s", where, where[0] ? "." : "", name);
            if (text_has_control(name))
                FAULT(check, "the name of %s has a control character", here);
            check_texts(check, value, here, depth + 1);
        }
    }
}

// ---- the session

static void check_session(const struct check *check)
{
    const struct store_session *session = &check->model->session;
    const json_t *tool = json_object_get(check->root, "tool");
    const json_t *selection = json_object_get(tool, "selection");
    const char *device = json_string_value(json_object_get(selection, "device"));
    const char *test = json_string_value(json_object_get(selection, "test"));
    const char *of = json_string_value(json_object_get(json_object_get(tool, "shard"), "of"));
    if (!session->started) // already reported
        return;
    if (!text_is_time(session->started))
        FAULT(check, "'started' is not a time: '%.40s'", session->started);
    UNFIT(check, !session->version || !session->version[0],
          "it does not say which version measured it");
    UNFIT(check, !session->finished,
          "the session was not finished: go on with 'litmus run --resume'");
    UNFIT(check, session->runs == 0, "'runs' is 0");
    UNFIT(check, of && strcmp(of, "whole") != 0,
          "it is one shard of a run: put all of them together with 'litmus merge'");
    UNFIT(check, (device && device[0]) || (test && test[0]),
          "it is a part of a session: no --device or --test of 'litmus report'");
}

// ---- devices

static void check_device(const struct check *check, size_t index)
{
    const struct eng_device *device = &check->model->devices[index];
    const struct dev_facts *facts = &device->facts;
    const char *wrong = dev_facts_wrong(facts);
    UNFIT(check, !facts->name[0] || !facts->driver_version[0],
          "device %zu has no name or no driver version", index + 1);
    if (wrong)
        FAULT(check, "device %zu: impossible %s", index + 1,
              strcmp(wrong, "type") == 0 ? wrong : "subgroup sizes");
    UNFIT(check, facts->vendor == 0, "device %zu: no vendor, as of the SIMT simulator", index + 1);
    UNFIT(check, facts->api >> 22 != 1, "device %zu: 'api' is not a version of Vulkan 1",
          index + 1);
    // litmus writes 0 for all three if the device's values are impossible.
    UNFIT(check, !facts->subgroup, "device %zu: no size of subgroups", index + 1);
    // Vulkan requires this of every device.
    UNFIT(check,
          facts->max_workgroup < 128 || facts->max_workgroups < 65535 ||
              facts->max_shared < 16384 || facts->max_storage_buffer < 1 << 27,
          "device %zu: limits below those that Vulkan requires", index + 1);
    for (size_t i = 0; i < index; i++)
        if (check->model->devices[i].number == device->number ||
            strcmp(check->model->devices[i].id, device->id) == 0)
            FAULT(check, "devices %zu and %zu are the same", i + 1, index + 1);
}

// ---- results

static void check_once(const struct check *check)
{
    const struct report_model *model = check->model;
    OWNED(lit_free)
    const struct result **list = lit_alloc(model->result_count + 1, sizeof *list);
    size_t count = 0;
    REPORT_EACH (result, model, REPORT_ALL)
        if (result->name)
            list[count++] = result;
    qsort(list, count, sizeof *list, compare_results);
    for (size_t i = 1; i < count; i++)
        if (compare_results(&list[i - 1], &list[i]) == 0)
            FAULT(check, "%.250s is given twice", list[i]->name);
}

// A result must fit its device.
static void check_result(const struct check *check, const struct result *result)
{
    if (!result->name || result->device >= check->model->device_count || result->runs == 0)
        return;
    const struct dev_facts *facts = &check->model->devices[result->device].facts;
    const unsigned long size = strtoul(report_value(result, "subgroup"), NULL, 10);
    const unsigned long group = strtoul(report_value(result, "workgroup"), NULL, 10);
    if (size && (size < facts->subgroup_min || size > facts->subgroup_max))
        FAULT(check, "%.250s ran, but the device has no such subgroups", result->name);
    if (facts->max_workgroup && group > facts->max_workgroup)
        FAULT(check, "%.250s ran, but the device has no such workgroups", result->name);
    UNFIT(check, result->sha256 && !result->sha256[0],
          "%.250s ran, but 'spirv_sha256' does not say which module", result->name);
    if (!(result->seconds >= 0) || isinf(result->seconds))
        FAULT(check, "%.250s: 'seconds' cannot be", result->name);
}

// ---- the summary

static void check_sum(const struct check *check, const json_t *object, const char *name,
                      uint64_t sum)
{
    const json_t *value = json_object_get(object, name);
    UNFIT(check, !json_is_integer(value), "the summary lacks '%s'", name);
    if (json_is_integer(value) && (uint64_t)json_integer_value(value) != sum)
        FAULT(check, "the summary has %lld for '%s', the results %s",
              (long long)json_integer_value(value), name, COUNT(sum));
}

static void check_summary(const struct check *check)
{
    const json_t *summary = json_object_get(check->root, "summary");
    const json_t *results = json_object_get(summary, "results");
    uint64_t runs = 0, instances = 0, ended[ENG_RESULTS] = {0};
    REPORT_EACH (result, check->model, REPORT_ALL) {
        runs += result->runs;
        instances += result->instances;
        if (result->result < ENG_RESULTS)
            ended[result->result]++;
    }
    check_sum(check, summary, "configurations", check->model->result_count);
    check_sum(check, summary, "runs", runs);
    check_sum(check, summary, "instances", instances);
    for (int i = 0; i < ENG_RESULTS; i++)
        check_sum(check, results, eng_result_name((enum eng_result)i), ended[i]);
    UNFIT(check, !json_is_integer(json_object_get(json_object_get(summary, "exit"), "code")),
          "the summary lacks the exit code");
}

// Reads a whole report and checks it.
static void examine(const char *bytes, size_t length, const char *label, bool sent,
                    struct report_model *model, struct compare_faults *faults)
{
    json_t *root;
    compare_side_examine(bytes, length, label, model, &root, faults);
    const struct check check = {label, root, model, faults, sent};
    if (root)
        check_texts(&check, root, "", 0);
    if (model->result_count) {
        check_session(&check);
        for (size_t i = 0; i < model->device_count; i++)
            check_device(&check, i);
        check_once(&check);
        REPORT_EACH (result, model, REPORT_ALL)
            check_result(&check, result);
        // The sums leave out results that we could not read.
        if (faults->count == 0)
            check_summary(&check);
    }
    json_decref(root);
}

bool compare_side_parse(const char *bytes, size_t length, const char *label,
                        struct report_model *model, struct lit_error *error)
{
    struct compare_faults faults = {0};
    examine(bytes, length, label, false, model, &faults);
    OWNED(text_free) struct text lines = faults.lines;
    return faults.count == 0 ||
           lit_fail(error, LIT_EXIT_USAGE, "%.*s", (int)strcspn(lines.data, "\n"), lines.data);
}

void compare_report_check(const char *bytes, size_t length, const char *label,
                          struct compare_faults *faults, struct text *said)
{
    struct report_model model;
    examine(bytes, length, label, true, &model, faults);
    if (faults->count > COMPARE_MOST_FAULTS)
        text_printf(&faults->lines, "%s: and %s more\n", label,
                    COUNT(faults->count - COMPARE_MOST_FAULTS));
    text_printf(said, "%s: can be taken: %s results of %zu device%s, %s\n", label,
                COUNT(model.result_count), model.device_count, model.device_count == 1 ? "" : "s",
                model.session.started ? model.session.started : "");
    report_model_clear(&model);
}
