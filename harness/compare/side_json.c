// SPDX-License-Identifier: Apache-2.0
// A JSON report becomes a model again. Every member that a comparison uses is checked; others are
// left alone.
#include "compare/side.h"

#include "catalogue/catalogue.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA       "litmus-report/"
#define SCHEMA_FIRST 2
#define SCHEMA_LAST  4
#define MOST_RESULTS 1000000
#define MOST_COUNT   1000000000000000 // of runs

struct reader {
    const char *label;
    struct lit_error *error;
};

__attribute__((format(printf, 2, 3))) static bool wrong(const struct reader *reader,
                                                        const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lit_fail(reader->error, LIT_EXIT_USAGE, "%.200s: %s", reader->label, text);
}

// A copy of a member that has to be a string, sanitised; NULL with an error. `optional`: "" if it
// is not there.
static char *take_text(const struct reader *reader, const json_t *object, const char *name,
                       bool optional)
{
    const json_t *value = json_object_get(object, name);
    const char *raw = json_string_value(value);
    if (!raw && optional && !value)
        return lit_strdup("");
    if (!raw) {
        wrong(reader, "damaged report: '%s' is %s", name, value ? "no text" : "missing");
        return NULL;
    }
    size_t size = json_string_length(value) + 1;
    char *text = lit_alloc(size, 1);
    text_sanitise(text, size, raw);
    return text;
}

static bool take_count(const struct reader *reader, const json_t *object, const char *name,
                       uint64_t most, uint64_t *count)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number > most)
        return wrong(reader, "damaged report: '%s' is %s", name,
                     value ? "no number that it can be" : "missing");
    *count = (uint64_t)number;
    return true;
}

static bool take_hex(const struct reader *reader, const json_t *object, const char *name,
                     uint64_t *number)
{
    const char *text = json_string_value(json_object_get(object, name));
    size_t length = text ? strlen(text) : 0;
    if (length < 3 || length > 18 || strncmp(text, "0x", 2) != 0 ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return wrong(reader, "damaged report: '%s' is no hexadecimal number", name);
    *number = strtoull(text + 2, NULL, 16);
    return true;
}

static bool copy_text(const struct reader *reader, const json_t *object, const char *name,
                      char *target, size_t size)
{
    char *text = take_text(reader, object, name, false);
    if (text)
        text_sanitise(target, size, text);
    free(text);
    return text != NULL;
}

static bool take_uuid(const struct reader *reader, const json_t *object, const char *name,
                      uint8_t uuid[16])
{
    const char *text = json_string_value(json_object_get(object, name));
    size_t digits = 0;
    for (const char *c = text ? text : "?"; *c; c++) {
        const char *place = strchr("0123456789abcdef", *c);
        if (*c == '-')
            continue;
        if (!place || digits >= 32)
            return wrong(reader, "damaged report: '%s' is no UUID", name);
        unsigned value = (unsigned)(place - "0123456789abcdef");
        uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] | value : value << 4);
        digits++;
    }
    return digits == 32 || wrong(reader, "damaged report: '%s' is no UUID", name);
}

static bool read_session(const struct reader *reader, const json_t *tool,
                         struct store_session *session)
{
    uint64_t id = 0;
    bool finished = json_is_true(json_object_get(tool, "finished"));
    session->version = take_text(reader, tool, "version", false);
    session->command = session->version ? take_text(reader, tool, "command", false) : NULL;
    session->started = session->command ? take_text(reader, tool, "started", false) : NULL;
    session->system = session->started ? take_text(reader, tool, "system", false) : NULL;
    if (!session->system)
        return false;
    session->options = lit_strdup("{}");
    session->uuid = lit_strdup("");
    session->finished = finished;
    if (!take_count(reader, tool, "session", INT64_MAX, &id) ||
        !take_count(reader, tool, "runs", MOST_COUNT, &session->runs) ||
        !take_hex(reader, tool, "seed", &session->seed))
        return false;
    session->id = (int64_t)id;
    return true;
}

static bool read_device(const struct reader *reader, const json_t *json,
                        struct report_device *device)
{
    const json_t *driver = json_object_get(json, "driver");
    const json_t *subgroup = json_object_get(json, "subgroup");
    struct dev_facts *facts = &device->facts;
    uint64_t number = 0, vendor = 0, product = 0, size = 0;
    char id[18];
    if (!copy_text(reader, json, "id", id, sizeof id) ||
        !take_count(reader, json, "number", 1000, &number) ||
        !copy_text(reader, json, "name", facts->name, sizeof facts->name) ||
        !copy_text(reader, json, "type", facts->type, sizeof facts->type) ||
        !take_hex(reader, json, "vendor", &vendor) ||
        !take_hex(reader, json, "product", &product) ||
        !take_uuid(reader, json, "uuid", facts->device_uuid) ||
        !copy_text(reader, driver, "name", facts->driver_name, sizeof facts->driver_name) ||
        !copy_text(reader, driver, "info", facts->driver_info, sizeof facts->driver_info) ||
        !copy_text(reader, driver, "version", facts->driver_version,
                   sizeof facts->driver_version) ||
        !take_count(reader, subgroup, "size", 1024, &size))
        return false;
    if (strlen(id) != 16 || strspn(id, "0123456789abcdef") != 16)
        return wrong(reader, "damaged report: a device's 'id' is not 16 hexadecimal digits");
    memcpy(device->id, id, sizeof device->id);
    device->number = (unsigned)number;
    facts->vendor = (uint32_t)vendor;
    facts->product = (uint32_t)product;
    facts->subgroup = (uint32_t)size;
    device->checker = lit_strdup("device");
    return true;
}

static int find_word(const char *word, const char *(*name)(int index), int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, name(i)) == 0)
            return i;
    return -1;
}

static const char *result_at(int index)
{
    return eng_result_name((enum eng_result)index);
}

static const char *expectation_at(int index)
{
    return cat_expectation_name((enum cat_expectation)index);
}

static bool read_words(const struct reader *reader, const json_t *json,
                       struct report_result *result)
{
    const char *ended = json_string_value(json_object_get(json, "result"));
    const char *expected = json_string_value(json_object_get(json, "expectation"));
    int how = find_word(ended ? ended : "", result_at, ENG_RESULTS);
    int what = find_word(expected ? expected : "", expectation_at, CAT_CONTROL + 1);
    if (how < 0 || what < 0)
        return wrong(reader, "damaged report: %.100s has no %s that is known", result->name,
                     how < 0 ? "result" : "expectation");
    result->result = (enum eng_result)how;
    result->expectation = (enum cat_expectation)what;
    return true;
}

static bool read_counts(const struct reader *reader, const json_t *json,
                        struct report_result *result)
{
    if (!take_count(reader, json, "runs", MOST_COUNT, &result->runs) ||
        !take_count(reader, json, "no_progress_runs", result->runs, &result->no_progress_runs) ||
        !take_count(reader, json, "failed_runs", result->runs - result->no_progress_runs,
                    &result->failed_runs))
        return wrong(reader, "damaged report: the runs of %.150s cannot be", result->name);
    result->judged = result->runs - result->no_progress_runs;
    result->interval = stat_clopper_pearson(result->failed_runs, result->judged, REPORT_CONFIDENCE);
    return true;
}

// Since version 3: the runs once more, in the pieces in which they were made.
static bool read_pieces(const struct reader *reader, const json_t *json,
                        struct report_result *result)
{
    const json_t *pieces = json_object_get(json, "parts");
    uint64_t runs = 0, failed = 0;
    if (!pieces)
        return true;
    if (!json_is_array(pieces) || json_array_size(pieces) > ENG_MAX_PARTS)
        return wrong(reader, "damaged report: the parts of %.150s cannot be", result->name);
    result->pieces = lit_alloc(json_array_size(pieces), sizeof *result->pieces);
    for (size_t i = 0; i < json_array_size(pieces); i++) {
        const json_t *piece = json_array_get(pieces, i);
        struct eng_part *part = &result->pieces[result->piece_count++];
        uint64_t process = 0;
        if (!take_count(reader, piece, "process", UINT32_MAX, &process) ||
            !take_count(reader, piece, "runs", result->runs - runs, &part->runs) ||
            !take_count(reader, piece, "no_progress_runs", part->runs, &part->no_progress_runs) ||
            !take_count(reader, piece, "failed_runs", part->runs - part->no_progress_runs,
                        &part->failed_runs))
            return false;
        part->process = (uint32_t)process;
        runs += part->runs;
        failed += part->failed_runs;
    }
    return result->piece_count == 0 || (runs == result->runs && failed == result->failed_runs) ||
           wrong(reader, "damaged report: the parts of %.150s do not add up", result->name);
}

static bool is_name(const char *name)
{
    size_t length = strlen(name);
    for (const char *c = name; *c; c++)
        if (*c <= ' ' || *c > '~')
            return false;
    return length > 0 && length < 512 && name[0] != '.' && strchr(name, '.');
}

static bool read_result(const struct reader *reader, const json_t *json, struct report_model *model,
                        struct report_result *result)
{
    char id[18];
    result->name = take_text(reader, json, "name", false);
    if (!result->name)
        return false;
    if (!is_name(result->name))
        return wrong(reader, "damaged report: '%.80s' is no configuration's name", result->name);
    report_name_split(result);
    // What older versions do not have was not there.
    result->reason = take_text(reader, json, "reason", false);
    result->sha256 = result->reason ? take_text(reader, json, "spirv_sha256", false) : NULL;
    result->headline = result->sha256 ? take_text(reader, json, "headline", false) : NULL;
    result->stress = result->headline ? take_text(reader, json, "stress", true) : NULL;
    result->rule = result->stress ? take_text(reader, json, "rule", true) : NULL;
    if (!result->rule || !copy_text(reader, json, "device", id, sizeof id) ||
        !read_words(reader, json, result) || !read_counts(reader, json, result) ||
        !take_hex(reader, json, "seed", &result->seed) || !read_pieces(reader, json, result))
        return false;
    while (result->device < model->device_count &&
           strcmp(model->devices[result->device].id, id) != 0)
        result->device++;
    return result->device < model->device_count ||
           wrong(reader, "damaged report: %.100s is a result of no device", result->name);
}

static bool read_lists(const struct reader *reader, const json_t *root, struct report_model *model)
{
    const json_t *devices = json_object_get(root, "devices");
    const json_t *results = json_object_get(root, "results");
    size_t device_count = json_array_size(devices), result_count = json_array_size(results);
    if (!json_is_array(devices) || !json_is_array(results) || device_count > 1000 ||
        result_count > MOST_RESULTS)
        return wrong(reader, "damaged report: no lists of devices and results");
    if (device_count == 0 || result_count == 0)
        return wrong(reader, "the report has no results");
    model->devices = lit_alloc(device_count, sizeof *model->devices);
    for (size_t i = 0; i < device_count; i++)
        if (!read_device(reader, json_array_get(devices, i),
                         &model->devices[model->device_count++]))
            return false;
    model->results = lit_alloc(result_count, sizeof *model->results);
    for (size_t i = 0; i < result_count; i++)
        if (!read_result(reader, json_array_get(results, i), model,
                         &model->results[model->result_count++]))
            return false;
    return true;
}

static bool check_schema(const struct reader *reader, const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    size_t prefix = strlen(SCHEMA);
    if (!schema || strncmp(schema, SCHEMA, prefix) != 0)
        return wrong(reader, "JSON, but no report of litmus (no schema " SCHEMA "N)");
    const char *digits = schema + prefix;
    if (!digits[0] || digits[0] == '0' || digits[strspn(digits, "0123456789")] ||
        strlen(digits) > 6)
        return wrong(reader, "'%.40s' is no version of a report", schema);
    int version = atoi(digits);
    if (version < SCHEMA_FIRST)
        return wrong(reader,
                     "a report of version %d, too old to be compared: make it anew with "
                     "'litmus report --format json'",
                     version);
    return version <= SCHEMA_LAST ||
           wrong(reader, "a report of version %d, from a newer litmus; this one reads up to %d",
                 version, SCHEMA_LAST);
}

// Whether a text that is no JSON ended before it could be any: its last word, number or character
// is what is wrong, and more of it might have been right.
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

bool compare_side_parse(const char *bytes, size_t length, const char *label,
                        struct report_model *model, struct lit_error *error)
{
    const struct reader reader = {label, error};
    json_error_t where;
    *model = (struct report_model){0};
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &where);
    if (!root && is_cut(&where, bytes, length))
        return wrong(&reader, "the report is cut off at line %d", where.line);
    if (!root)
        return wrong(&reader, "no JSON at line %d: %.100s", where.line, where.text);
    bool good = check_schema(&reader, root) &&
                read_session(&reader, json_object_get(root, "tool"), &model->session) &&
                read_lists(&reader, root, model);
    json_decref(root);
    return good;
}
