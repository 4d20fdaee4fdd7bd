// SPDX-License-Identifier: Apache-2.0
// Turns a JSON report into a model, and checks that it agrees with itself and can be taken from
// someone else. Checks every member that it uses, and ignores the others.
#include "compare/side.h"
#include "report/fields.h"
#include "report/format.h"

#include <math.h>
#include <stdarg.h>

#define SCHEMA       "litmus-report/1"
#define MOST_RESULTS 1000000
#define MOST_DEPTH   32 // of JSON to look through

// Reports write numbers with nine digits.
#define INTERVAL_SLACK 1e-6

struct reader {
    const char *label;
    const char *about; // the current configuration's name, or NULL
    struct compare_faults *faults;
    struct report_model *model;
    bool sent; // someone else sent it: check more
};

// Notes a fault. `damaged`: litmus never writes this; the fault then names the configuration.
__attribute__((format(__printf__, 3, 4))) static bool refuse(const struct reader *reader,
                                                             bool damaged, const char *format, ...)
{
    char text[384], line[640], clean[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *about = damaged && reader->about ? reader->about : "";
    snprintf(line, sizeof line, "%s%.250s%s%s", damaged ? "damaged report: " : "", about,
             about[0] ? ": " : "", text);
    text_sanitise(clean, sizeof clean, line);
    if (reader->faults->count++ < COMPARE_MOST_FAULTS)
        text_printf(&reader->faults->lines, "%.200s: %s\n", reader->label, clean);
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

// --- Checks of a report that was read

#define UNFIT(check, condition, ...)                                                               \
    ((void)((check)->sent && (condition) && refuse((check), false, __VA_ARGS__)))

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

static void check_texts(const struct reader *check, const json_t *json, const char *where,
                        int depth)
{
    const char *name;
    json_t *value;
    size_t i;
    char here[200];
    if (depth > MOST_DEPTH) {
        refuse(check, true, "%s is nested too deeply", where);
    } else if (json_is_string(json)) {
        if (has_control(json_string_value(json), strstr(where, ".evidence.") != NULL))
            refuse(check, true, "%s has a control character", where);
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
                refuse(check, true, "the name of %s has a control character", here);
            check_texts(check, value, here, depth + 1);
        }
    }
}

// ---- the session

static void check_session(const struct reader *check, const json_t *tool)
{
    const struct store_session *session = &check->model->session;
    const json_t *selection = json_object_get(tool, "selection");
    const char *device = json_string_value(json_object_get(selection, "device"));
    const char *test = json_string_value(json_object_get(selection, "test"));
    const char *of = json_string_value(json_object_get(json_object_get(tool, "shard"), "of"));
    if (!session->started) // already reported
        return;
    if (!text_is_time(session->started))
        refuse(check, true, "'started' is not a time: '%.40s'", session->started);
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

static void check_device(const struct reader *check, size_t index)
{
    const struct eng_device *device = &check->model->devices[index];
    const struct dev_facts *facts = &device->facts;
    const char *wrong = dev_facts_wrong(facts);
    UNFIT(check, !facts->name[0] || !facts->driver_version[0],
          "device %zu has no name or no driver version", index + 1);
    if (wrong)
        refuse(check, true, "device %zu: impossible %s", index + 1,
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
            refuse(check, true, "devices %zu and %zu are the same", i + 1, index + 1);
}

// ---- results

static void check_once(const struct reader *check)
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
            refuse(check, true, "%.250s is given twice", list[i]->name);
}

// A result must fit its device.
static void check_result(const struct reader *check, const struct result *result)
{
    if (!result->name || result->device >= check->model->device_count || result->runs == 0)
        return;
    const struct dev_facts *facts = &check->model->devices[result->device].facts;
    const unsigned long size = strtoul(report_value(result, "subgroup"), NULL, 10);
    const unsigned long group = strtoul(report_value(result, "workgroup"), NULL, 10);
    if (size && (size < facts->subgroup_min || size > facts->subgroup_max))
        refuse(check, true, "%.250s ran, but the device has no such subgroups", result->name);
    if (facts->max_workgroup && group > facts->max_workgroup)
        refuse(check, true, "%.250s ran, but the device has no such workgroups", result->name);
    UNFIT(check, result->sha256 && !result->sha256[0],
          "%.250s ran, but 'spirv_sha256' does not say which module", result->name);
    if (!(result->seconds >= 0) || isinf(result->seconds))
        refuse(check, true, "%.250s: 'seconds' cannot be", result->name);
}

// ---- the summary

static void check_sum(const struct reader *check, const json_t *object, const char *name,
                      uint64_t sum)
{
    const json_t *value = json_object_get(object, name);
    UNFIT(check, !json_is_integer(value), "the summary lacks '%s'", name);
    if (json_is_integer(value) && (uint64_t)json_integer_value(value) != sum)
        refuse(check, true, "the summary has %lld for '%s', the results %s",
               (long long)json_integer_value(value), name, COUNT(sum));
}

static void check_summary(const struct reader *check, const json_t *summary)
{
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

// Reads each member of a report, and goes on after a fault in a device or a result; then checks it.
// The model has what could be read.
static void examine(const char *bytes, size_t length, const char *label, bool sent,
                    struct report_model *model, struct compare_faults *faults)
{
    struct reader reader = {.label = label, .faults = faults, .model = model, .sent = sent};
    *model = (struct report_model){0};
    json_auto_t *root = parse(&reader, bytes, length);
    const json_t *summary = json_object_get(root, "summary");
    if (root && check_schema(&reader, root)) {
        read_session(&reader, json_object_get(root, "tool"), model);
        read_lists(&reader, root, model);
        fields_read_drivers(json_object_get(summary, "drivers"), model);
    }
    if (root)
        check_texts(&reader, root, "", 0);
    if (model->result_count) {
        check_session(&reader, json_object_get(root, "tool"));
        for (size_t i = 0; i < model->device_count; i++)
            check_device(&reader, i);
        check_once(&reader);
        REPORT_EACH (result, model, REPORT_ALL)
            check_result(&reader, result);
        // The sums leave out results that we could not read.
        if (faults->count == 0)
            check_summary(&reader, summary);
    }
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
    OWNED(report_model_clear) struct report_model model = {0};
    examine(bytes, length, label, true, &model, faults);
    if (faults->count > COMPARE_MOST_FAULTS)
        text_printf(&faults->lines, "%s: and %s more\n", label,
                    COUNT(faults->count - COMPARE_MOST_FAULTS));
    text_printf(said, "%s: can be taken: %s results of %zu device%s, %s\n", label,
                COUNT(model.result_count), model.device_count, model.device_count == 1 ? "" : "s",
                model.session.started ? model.session.started : "");
}
