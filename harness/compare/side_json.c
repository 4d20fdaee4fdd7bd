// SPDX-License-Identifier: Apache-2.0
// Turns a JSON report into a model. Checks every member that it uses, and ignores the others.
#include "compare/side.h"

#include "report/fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA       "litmus-report/1"
#define MOST_RESULTS 1000000

// Reports write numbers with nine digits.
#define INTERVAL_SLACK 1e-6

struct reader {
    const char *label;
    const char *about; // the current configuration's name, or NULL
    struct compare_faults *faults;
};

// `damaged`: litmus never writes this; the fault then names the configuration.
__attribute__((format(__printf__, 3, 4))) static bool refuse(const struct reader *reader,
                                                             bool damaged, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *about = damaged && reader->about ? reader->about : "";
    compare_fault(reader->faults, reader->label, "%s%.250s%s%s", damaged ? COMPARE_DAMAGED : "",
                  about, about[0] ? ": " : "", text);
    return false;
}

// Reads the members in a table.
static bool read_fields(const struct reader *reader, const struct field *fields, const json_t *json,
                        void *to)
{
    char fault[128];
    return fields_read(fields, json, to, fault) || refuse(reader, true, "%s", fault);
}

static bool read_session(const struct reader *reader, const json_t *tool,
                         struct report_model *model)
{
    struct store_session *session = &model->session;
    session->options = lit_strdup("{}");
    return read_fields(reader, report_tool_fields, tool, session) &&
           read_fields(reader, report_build_fields, json_object_get(tool, "build"), &model->build);
}

static bool read_device(const struct reader *reader, const json_t *json, struct eng_device *device)
{
    char id[DEV_ID_SIZE];
    if (!read_fields(reader, report_device_fields, json, device))
        return false;
    fields_read_abilities(json, &device->facts);
    dev_facts_id(&device->facts, id);
    return strcmp(device->id, id) == 0 ||
           refuse(reader, true, "the id of %.100s is not that of its driver and UUIDs",
                  device->facts.name);
}

// Reads how the words were checked, and the names of their outcomes.
static bool read_mode(const struct reader *reader, const json_t *json, struct cat_mode *mode)
{
    const char *check = json_string_value(json_object_get(json, "checked_as"));
    const json_t *choices = json_object_get(json, "choices");
    size_t at = 0;
    while (at < CAT_CHECKS && strcmp(check ? check : "", cat_check_names[at]) != 0)
        at++;
    *mode = (struct cat_mode){.check = (enum cat_check)at};
    const json_int_t last = at == CAT_CHECK_CHOICE  ? CAT_CHOICES
                            : at == CAT_CHECK_STATE ? CAT_STATES
                                                    : -1;
    if (at == CAT_CHECKS || !json_is_array(choices))
        return refuse(reader, true, "no way of checking that is known, or no 'choices'");
    for (size_t i = 0; i < json_array_size(choices); i++) {
        const char *name;
        json_int_t place;
        int fails;
        if (json_unpack(json_array_get(choices, i), "{s:I, s:s, s:b}", "place", &place, "name",
                        &name, "fails", &fails) != 0 ||
            place < 0 || place > last || (place == 0 && fails) ||
            cat_mode_find(mode, name) < CAT_OUTCOMES)
            return refuse(reader, true, "a choice that cannot be");
        text_sanitise(mode->choice.names[place], CAT_CHOICE_NAME, name);
        mode->choice.fails |= (uint32_t)fails << place;
    }
    return true;
}

static void read_evidence(const json_t *json, struct result *result)
{
    const json_t *evidence = json_object_get(json, "evidence");
    for (size_t kind = 0; kind < ENG_EVIDENCES; kind++) {
        const char *text = json_string_value(json_object_get(evidence, eng_evidence_names[kind]));
        if (!text)
            continue;
        result->evidence[kind] = lit_alloc(strlen(text) + 1, 1);
        text_sanitise_lines(result->evidence[kind], strlen(text) + 1, text);
    }
}

// Recomputes what a report derives from the name and the counts; the report must have the same.
static bool check_derived(const struct reader *reader, const json_t *json,
                          const struct result *result)
{
    const json_t *interval = json_object_get(json, "interval");
    const double low = json_number_value(json_array_get(interval, 0));
    const double high = json_number_value(json_array_get(interval, 1));
    json_t *derived = report_json_derived(result), *value;
    const char *name, *wrong = NULL;
    json_object_foreach(derived, name, value)
    {
        if (!json_equal(value, json_object_get(json, name)))
            wrong = name;
    }
    // Keys of a name may repeat.
    if (!wrong && json_object_size(json_object_get(derived, "variant")) +
                          json_object_size(json_object_get(derived, "params")) !=
                      result->variant_count + result->param_count)
        wrong = "name";
    // A rule's interval is not exact, and another version may compute it differently.
    const double slack = result->rule[0] ? 1 : INTERVAL_SLACK;
    if (json_array_size(interval) != 2 || !json_is_number(json_array_get(interval, 0)) ||
        !json_is_number(json_array_get(interval, 1)) || fabs(low - result->interval.low) > slack ||
        fabs(high - result->interval.high) > slack)
        wrong = "interval";
    if (wrong)
        refuse(reader, true, "'%s' contradicts the name, the runs or the rule", wrong);
    json_decref(derived);
    return !wrong;
}

// Reads the counts that the table leaves out; they must agree.
static bool read_counts(const struct reader *reader, const json_t *json, struct result *result)
{
    struct cat_mode mode = {0};
    char fault[128];
    if (!read_mode(reader, json, &mode))
        return false;
    result->mode = cat_mode_keep(&mode);
    if (!fields_read_counts(json, result, fault))
        return refuse(reader, true, "%s", fault);
    const char *why = eng_result_disagrees(result);
    if (why)
        return refuse(reader, true, "%s", why);
    report_result_rate(result);
    return check_derived(reader, json, result);
}

// A name must survive being split into its parts and joined again.
static bool is_whole(const struct result *result)
{
    OWNED(text_free) struct text name = {0};
    cfg_print(result->test, result->variant, result->variant_count + result->param_count, &name);
    return strcmp(name.data, result->name) == 0;
}

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return length > 0 && length < 512 && name[0] != '.' && strchr(name, '.');
}

static bool read_result(struct reader *reader, const json_t *json, struct report_model *model,
                        struct result *result)
{
    const char *id = json_string_value(json_object_get(json, "device"));
    const char *name = json_string_value(json_object_get(json, "name"));
    if (!name)
        return refuse(reader, true, "'name' is missing or not a text");
    OWNED(lit_free) char *clean = lit_alloc(strlen(name) + 1, 1);
    text_sanitise(clean, strlen(name) + 1, name);
    report_result_is(result, cfg_parse(clean));
    if (!is_name(result->name) || !is_whole(result))
        return refuse(reader, true, "'%.80s' is not a configuration name", result->name);
    reader->about = result->name;
    if (!read_fields(reader, report_result_fields, json, result) ||
        !read_counts(reader, json, result))
        return false;
    if (result->sha256[0] && !text_is_sha256(result->sha256))
        return refuse(reader, true, "'spirv_sha256' is not a SHA-256");
    read_evidence(json, result);
    while (result->device < model->device_count &&
           (!id || strcmp(model->devices[result->device].id, id) != 0))
        result->device++;
    return result->device < model->device_count ||
           refuse(reader, true, "a result without a device");
}

static void read_lists(struct reader *reader, const json_t *root, struct report_model *model)
{
    const json_t *devices = json_object_get(root, "devices");
    const json_t *results = json_object_get(root, "results");
    size_t device_count = json_array_size(devices), result_count = json_array_size(results);
    if (!json_is_array(devices) || !json_is_array(results) || device_count > 1000 ||
        result_count > MOST_RESULTS) {
        refuse(reader, true, "no lists of devices and results");
        return;
    }
    if (device_count == 0 || result_count == 0) {
        refuse(reader, false, "the report has no results");
        return;
    }
    model->devices = lit_alloc(device_count, sizeof *model->devices);
    for (size_t i = 0; i < device_count; i++)
        read_device(reader, json_array_get(devices, i), &model->devices[model->device_count++]);
    model->results = lit_alloc(result_count, sizeof *model->results);
    for (size_t i = 0; i < result_count; i++, reader->about = NULL)
        read_result(reader, json_array_get(results, i), model,
                    &model->results[model->result_count++]);
}

static bool check_schema(const struct reader *reader, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strncmp(schema, SCHEMA, strlen(SCHEMA) - 1) != 0)
        return refuse(reader, false, "JSON, but not a litmus report (no schema " SCHEMA ")");
    return strcmp(schema, SCHEMA) == 0 ||
           refuse(reader, false, "a report of schema %.40s, but this litmus reads only " SCHEMA,
                  schema);
}

// Whether a text ended too early to be JSON: the error is in its last word, number or character,
// and more text might have made it right.
static bool is_cut(const json_error_t *where, const char *bytes, size_t length)
{
    enum json_error_code code = json_error_code(where);
    size_t rest = length - (size_t)where->position;
    if (code == json_error_premature_end_of_input || code == json_error_end_of_input_expected)
        return code == json_error_premature_end_of_input;
    if (code == json_error_invalid_utf8) {
        unsigned char lead = rest > 0 ? (unsigned char)bytes[where->position] : 0;
        return lead >= 0xc2 && lead < 0xf5 && rest < 2u + (lead >= 0xe0) + (lead >= 0xf0);
    }
    return rest == 0 && !strchr("[]{}:,", bytes[length - 1]);
}

static json_t *parse(struct reader *reader, const char *bytes, size_t length)
{
    json_error_t where;
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &where);
    if (!root && is_cut(&where, bytes, length))
        refuse(reader, false, "the report is cut off at line %d", where.line);
    else if (!root)
        refuse(reader, false, "invalid JSON at line %d: %.100s", where.line, where.text);
    return root;
}

void compare_side_examine(const char *bytes, size_t length, const char *label,
                          struct report_model *model, json_t **root, struct compare_faults *faults)
{
    struct reader reader = {.label = label, .faults = faults};
    *model = (struct report_model){0};
    *root = parse(&reader, bytes, length);
    if (*root && check_schema(&reader, *root)) {
        read_session(&reader, json_object_get(*root, "tool"), model);
        read_lists(&reader, *root, model);
        fields_read_drivers(json_object_get(json_object_get(*root, "summary"), "drivers"), model);
    }
}
