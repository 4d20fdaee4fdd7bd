// SPDX-License-Identifier: Apache-2.0
// facts.json: the machine, the configuration and the results, for scripts and to make the bundle
// again.

#include "base/file.h"
#include "base/program.h"
#include "base/sha256.h"
#include "kernel/kernel.h"
#include "report/fields.h"
#include "report/format.h"
#include "repro/repro.h"

#include <errno.h>
#include <jansson.h>

#define SCHEMA      "litmus-repro/1"
#define MOST_FACTS  (UINT64_C(1) << 20) // bytes of the file
#define MOST_KEPT   (UINT64_C(1) << 26) // of each other file
#define MOST_GROUPS INT32_MAX           // workgroups; the facts do not have the device's limits

#define CHARS_OF(name, type, member)                                                               \
    FIELD_READ(name, CHARS, type, member, sizeof(((struct type *)0)->member))
#define FACT(name, member)      FIELD_READ(name, NUMBER, dev_facts, member, UINT32_MAX)
#define FACT_TEXT(name, member) CHARS_OF(name, dev_facts, member)
#define FACT_UUID(name, member) FIELD_READ(name, UUID, dev_facts, member, 0)
static const struct field device_fields[] = {
    FACT_TEXT("name", name),
    FACT_TEXT("type", type),
    FACT_TEXT("driver_name", driver_name),
    FACT_TEXT("driver_info", driver_info),
    FACT_TEXT("driver_version", driver_version),
    FACT("driver_version_raw", driver_raw),
    FACT("driver_id", driver_id),
    FACT("vendor_id", vendor),
    FACT("device_id", product),
    FIELD_PLACE("api"),
    FACT_TEXT("loader", loader),
    FACT_UUID("device_uuid", device_uuid),
    FACT_UUID("driver_uuid", driver_uuid),
    FACT("subgroup_size", subgroup),
    FACT("subgroup_size_min", subgroup_min),
    FACT("subgroup_size_max", subgroup_max),
    FIELD_PLACE("id"),
    FIELD_PLACE("features"),
    FIELD_END,
};

#define NO_WORD UINT64_MAX // facts made from a README.md do not say which

// The first failures; runs count from 1.
static const struct field failure_fields[] = {
    FIELD_READ("run", NUMBER, eng_failure, at.run, REPORT_MOST),
    FIELD_READ("unit", NUMBER, eng_failure, at.instance, REPORT_MOST),
    FIELD_KEPT("word", NUMBER, eng_failure, at.word),
    CHARS_OF("where", eng_failure, where),
    FIELD_PLACE("outcome"),
    FIELD_READ("got", HEX, eng_failure, at.got, 0),
    FIELD_READ("want", HEX, eng_failure, at.want, 0),
    FIELD_END,
};

static json_t *make_device(const struct dev_facts *facts)
{
    char id[DEV_ID_SIZE], api[32];
    json_t *device = fields_write(device_fields, facts), *features = json_array();
    format_api(api, facts->api);
    dev_facts_id(facts, id);
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (facts->features >> i & 1)
            json_array_append_new(features, field_text(cat_feature_name((enum cat_feature)i)));
    json_object_set_new(device, "api", field_text(api));
    json_object_set_new(device, "id", field_text(id));
    json_object_set_new(device, "features", features);
    return device;
}

static json_t *make_configuration(const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    char sha256[SHA256_TEXT];
    sha256_text(repro->words, (size_t)ready->module->count * 4, sha256);
    const char *check = ready->which.test ? cat_test_check(ready->which.test) : NULL;
    return json_pack("{s:o, s:o, s:o*, s:s?, s:o, s:o, s:o, s:o}", "name", field_text(repro->name),
                     "sha256", field_text(sha256), "check", check ? field_text(check) : NULL,
                     "expectation", repro->expectation, "seed", field_hex(repro->seed), "stream",
                     field_hex(ready->stream), "first_run", field_count(repro->first), "runs",
                     field_count(repro->runs));
}

static json_t *make_failures(const struct result *result)
{
    json_t *failures = json_array();
    for (size_t i = 0; i < result->failure_count; i++) {
        struct eng_failure failure = result->failures[i];
        char buffer[24];
        const char *outcome = report_outcome_name(result, failure.at.outcome, buffer);
        failure.at.run++;
        json_t *json = fields_write(failure_fields, &failure);
        json_object_set_new(json, "outcome", field_text(outcome));
        if (failure.at.word == NO_WORD)
            json_object_del(json, "word");
        json_array_append_new(failures, json);
    }
    return failures;
}

static json_t *make_measured(const struct repro *repro)
{
    const struct result *result = repro->result;
    if (!result)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tool",
                     "litmus", "version", field_text(repro->model->session.version), "started",
                     field_text(repro->model->session.started), "result",
                     eng_result_name(result->result), "seed", field_hex(result->seed), "stress",
                     field_text(result->stress), "rule", field_text(result->rule), "runs",
                     field_count(result->runs), "failed_runs", field_count(result->failed_runs),
                     "no_progress_runs", field_count(result->no_progress_runs), "interval",
                     field_interval(result->interval), "outcomes", report_json_outcomes(result),
                     "failures", make_failures(result));
}

void repro_facts(const struct repro *repro, struct text *out)
{
    json_auto_t *root =
        json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", SCHEMA, "configuration",
                  make_configuration(repro), "device", make_device(repro->facts), "system",
                  field_text(repro->system), "measured", make_measured(repro));
    OWNED(lit_free) char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    text_puts(out, text ? text : "null");
    text_puts(out, "\n");
}

// ---- Reading them

#define TEXT_OF(name, type, member) FIELD_READ(name, TEXT, type, member, 0)
#define NAME_OF(name, member, most, names)                                                         \
    {                                                                                              \
        name, FIELD_AT(NAME, result, member), most, FIELD_ALL, NULL, names, 0                      \
    }
#define COUNT_OF(name, type, member) FIELD_READ(name, NUMBER, type, member, REPORT_MOST)
static const struct field session_fields[] = {
    TEXT_OF("version", store_session, version),
    TEXT_OF("started", store_session, started),
    FIELD_END,
};
static const struct field configuration_fields[] = {
    TEXT_OF("name", result, name),
    NAME_OF("expectation", expectation, CAT_EXPECTATIONS, cat_expectation_names),
    FIELD_END,
};
static const struct field bundle_fields[] = {
    CHARS_OF("sha256", repro_past, sha256),
    FIELD_READ("seed", HEX, repro_past, seed, 0),
    COUNT_OF("first_run", repro_past, first),
    COUNT_OF("runs", repro_past, runs),
    FIELD_END,
};
static const struct field measured_fields[] = {
    NAME_OF("result", result, ENG_RESULTS, eng_result_names),
    FIELD_READ("seed", HEX, result, seed, 0),
    TEXT_OF("stress", result, stress),
    TEXT_OF("rule", result, rule),
    COUNT_OF("runs", result, runs),
    COUNT_OF("failed_runs", result, failed_runs),
    COUNT_OF("no_progress_runs", result, no_progress_runs),
    FIELDS_LIST("failures", result, failures, failure_count, ENG_MAX_FAILURES, failure_fields),
    FIELD_END,
};

struct reading {
    const char *path;
    struct lit_error *error;
};

__attribute__((format(__printf__, 2, 3))) static bool refuse(const struct reading *reading,
                                                             const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lit_fail(reading->error, LIT_EXIT_USAGE, "%.200s: %s", reading->path, text);
}

static bool read_fields(const struct reading *reading, const struct field *fields,
                        const json_t *json, void *to)
{
    char fault[128];
    return fields_read(fields, json, to, fault) || refuse(reading, "%s", fault);
}

static bool read_device(const struct reading *reading, const json_t *json,
                        struct eng_device *device)
{
    struct dev_facts *facts = &device->facts;
    uint32_t sizes[DEV_MAX_SIZES];
    device->number = 1;
    device->checker = lit_strdup("device");
    if (!read_fields(reading, device_fields, json, facts))
        return false;
    fields_read_abilities(json, facts);
    facts->subgroup_control = facts->subgroup_min != facts->subgroup_max;
    facts->max_workgroup = facts->max_workgroups = facts->max_shared = MOST_GROUPS;
    facts->max_storage_buffer = REPORT_MOST;
    dev_facts_id(facts, device->id);
    return dev_facts_sizes(facts, sizes) || refuse(reading, "no device has these subgroup sizes");
}

static bool read_counts(const struct reading *reading, const json_t *json, struct result *result)
{
    char fault[128];
    if (!fields_read_counts(json, result, fault))
        return refuse(reading, "%s", fault);
    for (size_t i = 0; i < result->failure_count; i++) {
        const json_t *item = json_array_get(json_object_get(json, "failures"), i);
        const json_t *word = json_object_get(item, "word");
        result->failures[i].at.word =
            json_is_integer(word) ? (uint64_t)json_integer_value(word) : NO_WORD;
    }
    return result->failed_runs + result->no_progress_runs <= result->runs ||
           refuse(reading, "what was measured contradicts itself");
}

static bool read_result(const struct reading *reading, const json_t *root, struct repro_past *past)
{
    const json_t *configuration = json_object_get(root, "configuration");
    const json_t *measured = json_object_get(root, "measured");
    struct result *result = past->model.results;
    struct lit_error why = {0};
    result->reason = lit_strdup("");
    result->headline = lit_strdup("");
    result->sha256 = lit_strdup(""); // a kernel from outside has its package's digest in results
    const bool named = read_fields(reading, configuration_fields, configuration, result);
    OWNED(lit_free) char *name = result->name;
    report_result_is(result, cfg_parse(name ? name : ""));
    if (!named || !read_fields(reading, bundle_fields, configuration, past))
        return false;
    if (!cat_case_parse(name, &past->which, &why))
        return refuse(reading, "%s", why.message);
    const struct cat_mode mode = cat_test_mode(past->which.test);
    result->mode = cat_mode_keep(&mode);
    result->first = past->first;
    if (!read_fields(reading, measured_fields, measured, result) ||
        !read_counts(reading, measured, result))
        return false;
    report_result_rate(result);
    return true;
}

static bool read_root(const struct reading *reading, const json_t *root, struct repro_past *past)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const struct field system[] = {TEXT_OF("system", store_session, system), FIELD_END};
    struct report_model *model = &past->model;
    if (!schema || strcmp(schema, SCHEMA) != 0)
        return refuse(reading, "not the facts.json of a bundle (no schema " SCHEMA ")");
    if (!json_is_object(json_object_get(root, "measured")))
        return refuse(reading, "nothing was measured");
    model->devices = lit_alloc(1, sizeof *model->devices);
    model->results = lit_alloc(1, sizeof *model->results);
    model->device_count = model->result_count = 1;
    return read_fields(reading, system, root, &model->session) &&
           read_fields(reading, session_fields, json_object_get(root, "measured"),
                       &model->session) &&
           read_device(reading, json_object_get(root, "device"), model->devices) &&
           read_result(reading, root, past);
}

// Reads a file that may be missing; then `content` stays as it is.
static bool read_beside(const struct reading *reading, const char *path, struct text *content)
{
    return lit_file_read(path, MOST_KEPT, content, reading->error) || errno == ENOENT;
}

// Reads the files beside it that only the measuring machine can make.
static bool read_kept(const struct reading *reading, struct repro_bundle *kept)
{
    static const char *const names[] = {
        "code.txt",     "code.bin",  "code.sass", "code-statistics.txt", "code-difference.txt",
        "evidence.txt", "fix.patch", "output.txt"};
    const int folder = (int)(lit_path_name(reading->path) - reading->path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        OWNED(text_free) struct text path = {0}, content = {0};
        text_printf(&path, "%.*s%s", folder, reading->path, names[i]);
        if (!read_beside(reading, path.data, &content))
            return false;
        if (content.data)
            text_append(repro_add(kept, names[i]), content.data, content.length);
    }
    return true;
}

bool repro_other(const char *said, size_t number, struct text *name)
{
    const char *at = said;
    while (at && (at = strstr(at, "\nmodule ")) && (at += strlen("\nmodule "), --number))
        ;
    if (at)
        text_append(name, at, strcspn(at, "\n"));
    return at;
}

// Adds a module to compare with, of the same interface and data: a configuration's, or that of an
// assembly file beside the facts. `files`: its names as SPIR-V, assembly and GLSL.
static bool add_module(const struct reading *reading, const char *name, const char *const *files,
                       struct repro_bundle *kept)
{
    const int folder = (int)(lit_path_name(reading->path) - reading->path);
    OWNED(text_free) struct text path = {0}, page = {0};
    OWNED(lit_free) uint32_t *loaded = NULL;
    const uint32_t *words;
    size_t count;
    bool glsl = false;
    if (krn_ends(name, ".spvasm")) {
        text_printf(&path, "%.*s%s", folder, reading->path, name);
        if (!krn_load(path.data, &(struct krn_options){0}, &loaded, &count, &page, reading->error))
            return false;
        words = loaded;
    } else {
        struct lit_error why = {0};
        struct cat_case which;
        const struct cat_module *module =
            cat_case_parse(name, &which, &why) ? cat_case_module(&which) : NULL;
        if (!module)
            return refuse(reading, "no module for ticket.txt: %s", name);
        words = cat_module_words(which.test, module);
        count = module->count;
        glsl = strstr(module->variant, "form=glslang");
        if (glsl || !lit_spirv_disassemble(words, count * 4, &page))
            text_puts(&page, cat_module_page(which.test, module));
    }
    text_append(repro_add(kept, files[0]), (const char *)words, count * 4);
    text_append(repro_add(kept, files[1 + glsl]), page.data, page.length);
    return true;
}

// Adds those of the lines `module WHICH` of ticket.txt.
static bool add_modules(const struct reading *reading, const char *said, struct repro_bundle *kept)
{
    static const char *const names[][3] = {{"other-1.spv", "other-1.spvasm", "other-1.comp"},
                                           {"other-2.spv", "other-2.spvasm", "other-2.comp"},
                                           {"other-3.spv", "other-3.spvasm", "other-3.comp"},
                                           {"other-4.spv", "other-4.spvasm", "other-4.comp"}};
    const size_t most = sizeof names / sizeof *names;
    for (size_t count = 0;; count++) {
        OWNED(text_free) struct text name = {0};
        if (!repro_other(said, count + 1, &name))
            return true;
        if (count == most)
            return refuse(reading, "ticket.txt: more than %zu modules", most);
        if (!add_module(reading, name.data, names[count], kept))
            return false;
    }
}

// Reads what is written of a finding: FOLDER/ticket.txt and, if that is there, FOLDER.md.
static bool read_finding(const struct reading *reading, struct repro_past *past)
{
    OWNED(lit_free) char *folder = lit_strdup(reading->path);
    OWNED(text_free) struct text path = {0}, page = {0};
    size_t length = (size_t)(lit_path_name(folder) - folder);
    while (length && folder[length - 1] == '/')
        length--;
    folder[length] = '\0';
    if (!length)
        return true;
    text_printf(&path, "%s/ticket.txt", folder);
    text_printf(&page, "%s.md", folder);
    if (!read_beside(reading, path.data, &past->said))
        return false;
    if (!past->said.data)
        return true;
    text_puts(&past->name, lit_path_name(folder));
    if (!read_beside(reading, page.data, &past->page))
        return false;
    if (past->page.data)
        repro_report(past->page.data, past->name.data, repro_add(&past->kept, "report.md"));
    return add_modules(reading, past->said.data, &past->kept);
}

bool repro_facts_read(const char *path, struct repro_past *past, struct lit_error *error)
{
    const struct reading reading = {path, error};
    json_error_t where;
    OWNED(text_free) struct text bytes = {0};
    if (!lit_file_read(path, MOST_FACTS, &bytes, error))
        return false;
    json_t *root =
        json_loadb(bytes.data ? bytes.data : "", bytes.length, JSON_REJECT_DUPLICATES, &where);
    const bool good =
        root ? read_root(&reading, root, past) && read_kept(&reading, &past->kept) &&
                   read_finding(&reading, past)
             : refuse(&reading, "invalid JSON at line %d: %.100s", where.line, where.text);
    json_decref(root);
    return good;
}

void repro_past_clear(struct repro_past *past)
{
    report_model_clear(&past->model);
    repro_clear(&past->kept);
    text_free(&past->name);
    text_free(&past->said);
    text_free(&past->page);
}
