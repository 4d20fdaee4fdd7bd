// SPDX-License-Identifier: Apache-2.0
// CSV as RFC 4180 defines it: a heading, then a row for each configuration and device. Each cell is
// a member of the JSON report.
#include "report/fields.h"
#include "report/format.h"

enum { TOOL, DEVICE, RESULT, OBJECTS };

struct column {
    const char *name;
    int of;
    const char *path; // names of members, and numbers in lists, with / between them
};

static const struct column columns[] = {
    {"device", DEVICE, "name"},
    {"driver", DEVICE, "driver/name"},
    {"driver_version", DEVICE, "driver/version"},
    {"configuration", RESULT, "name"},
    {"expectation", RESULT, "expectation"},
    {"result", RESULT, "result"},
    {"observation", RESULT, "observation"},
    {"runs", RESULT, "runs"},
    {"failed_runs", RESULT, "failed_runs"},
    {"no_progress_runs", RESULT, "no_progress_runs"},
    {"low", RESULT, "interval/0"},
    {"high", RESULT, "interval/1"},
    {"interval_kind", RESULT, "interval_kind"},
    {"overdispersion", RESULT, "overdispersion/factor"}, // empty without two parts to compare
    {"stress", RESULT, "stress"},
    {"rule", RESULT, "rule"},
    {"instances", RESULT, "instances"},
    {"failed_instances", RESULT, "failed_instances"},
    {"first_run_failed", RESULT, "first_run_failed"},
    {"family", RESULT, "family"},
    {"test", RESULT, "test"},
    {"variant", RESULT, "variant"},
    {"params", RESULT, "params"},
    {"seed", RESULT, "seed"},
    {"first", RESULT, "first"},
    {"seconds", RESULT, "seconds"},
    {"spirv_sha256", RESULT, "spirv_sha256"},
    {"code_digest", RESULT, "code/digest"}, // or why we cannot read the code
    {"device_id", DEVICE, "id"},
    {"session", TOOL, "uuid"},
    {"started", TOOL, "started"},
    {"reason", RESULT, "reason"},
    {"check", RESULT, "evidence/check"}, // for a kernel from outside
};

#define COLUMNS (sizeof columns / sizeof *columns)

static const json_t *find(const json_t *json, const char *path)
{
    while (*path) {
        char name[32];
        const size_t length = strcspn(path, "/");
        snprintf(name, sizeof name, "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, strtoul(name, NULL, 10))
                                   : json_object_get(json, name);
        path += length + (path[length] == '/');
    }
    return json;
}

// Quotes a field if it needs quotes. Spreadsheets take a field that begins with one of `formula`
// for a formula: an apostrophe makes it text.
static void put_text(struct text *out, const char *value)
{
    static const char formula[] = "=+-@\t\r";
    const bool guarded = value[0] && strchr(formula, value[0]);
    if (!guarded && !strpbrk(value, ",\"\r\n")) {
        text_puts(out, value);
        return;
    }
    text_puts(out, guarded ? "\"'" : "\"");
    for (; *value; value++)
        text_append(out, *value == '"' ? "\"\"" : value, *value == '"' ? 2 : 1);
    text_puts(out, "\"");
}

// Members as "key=value,key=value".
static void say(const json_t *value, struct text *words)
{
    const char *name;
    json_t *member;
    if (json_is_string(value))
        text_puts(words, json_string_value(value));
    else if (json_is_integer(value))
        text_printf(words, "%jd", (intmax_t)json_integer_value(value));
    else if (json_is_real(value))
        text_printf(words, "%.9g", json_real_value(value));
    else if (json_is_boolean(value))
        text_puts(words, json_is_true(value) ? "yes" : "no");
    json_object_foreach((json_t *)value, name, member)
    {
        text_printf(words, "%s%s=", words->length ? "," : "", name);
        say(member, words);
    }
}

static void put_row(const struct report_code *code, json_t *const objects[OBJECTS],
                    struct text *out)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const json_t *value = find(objects[columns[i].of], columns[i].path);
        OWNED(text_free) struct text words = {0};
        say(value, &words);
        if (!words.length && !strcmp(columns[i].path, "code/digest"))
            text_puts(&words, code->fault);
        text_puts(out, i ? "," : "");
        if (json_is_number(value))
            text_puts(out, words.data);
        else
            put_text(out, words.data ? words.data : "");
    }
    text_puts(out, "\r\n");
}

void report_csv(const struct report_model *model, struct text *out)
{
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    json_t *objects[OBJECTS] = {[TOOL] = report_json_tool(model)};
    for (size_t i = 0; i < COLUMNS; i++)
        text_printf(out, "%s%s", i ? "," : "", columns[i].name);
    text_puts(out, "\r\n");
    for (size_t device = 0; device < model->device_count; device++) {
        objects[DEVICE] = report_json_device(&code, device);
        REPORT_EACH (result, model, device) {
            objects[RESULT] = report_json_result(&code, result);
            put_row(&code, objects, out);
            json_decref(objects[RESULT]);
        }
        json_decref(objects[DEVICE]);
    }
    json_decref(objects[TOOL]);
}
