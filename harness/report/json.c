// SPDX-License-Identifier: Apache-2.0
// JSON, as docs/report.schema.json says: one line for each device and each result.
#include "report/fields.h"

#include "report/failures.h"
#include "report/format.h"
#include "report/sections.h"

json_t *field_hex(uint64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "0x%jx", (uintmax_t)value);
    return json_string(text);
}

json_t *field_interval(struct stat_interval interval)
{
    return json_pack("[f, f]", interval.low, interval.high);
}

static bool read_outcome(const struct cat_mode *mode, const char *name, uint32_t *outcome,
                         char fault[128])
{
    *outcome = cat_mode_find(mode, name ? name : "");
    if (*outcome == CAT_OUTCOMES)
        snprintf(fault, 128, "'%.80s' is not one of its outcomes", name ? name : "");
    return *outcome < CAT_OUTCOMES;
}

bool fields_read_counts(const json_t *json, struct result *result, char fault[128])
{
    const json_t *outcomes = json_object_get(json, "outcomes");
    const json_t *failures = json_object_get(json, "failures");
    const char *name;
    json_t *value;
    snprintf(fault, 128, "'outcomes' is missing or not valid");
    if (!json_is_object(outcomes))
        return false;
    json_object_foreach((json_t *)outcomes, name, value)
    {
        const struct field field[] = {FIELD_ITEM(name, REPORT_MOST), FIELD_END};
        uint32_t outcome;
        if (!read_outcome(result->mode, name, &outcome, fault) ||
            !fields_read(field, outcomes, &result->outcomes[outcome], fault))
            return false;
    }
    for (size_t i = 0; i < result->failure_count; i++) {
        struct cat_failure *at = &result->failures[i].at;
        value = json_object_get(json_array_get(failures, i), "outcome");
        if (!read_outcome(result->mode, json_string_value(value), &at->outcome, fault))
            return false;
        snprintf(fault, 128, "a failure in run 0");
        if (at->run-- == 0)
            return false;
    }
    return true;
}

// Reads "1.3.230"; 0 if it is no version.
static uint32_t read_api(const json_t *json)
{
    unsigned part[3] = {0};
    char end;
    const char *text = json_string_value(json);
    const bool good =
        text && sscanf(text, "%2u.%3u.%4u%c", &part[0], &part[1], &part[2], &end) == 3;
    return good ? part[0] << 22 | part[1] << 12 | part[2] : 0;
}

void fields_read_abilities(const json_t *json, struct dev_facts *facts)
{
    const json_t *features = json_object_get(json, "features");
    facts->api = read_api(json_object_get(json, "api"));
    facts->cpu = strcmp(facts->type, "cpu") == 0;
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *name = json_string_value(json_array_get(features, i));
        enum cat_feature feature;
        if (name && cat_feature_find(name, &feature))
            facts->features |= UINT64_C(1) << feature;
    }
}

void fields_dump(struct text *out, json_t *json)
{
    OWNED(lit_free)
    char *line = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY);
    text_puts(out, line ? line : "null");
    json_decref(json);
}

void fields_read_drivers(const json_t *lines, struct report_model *model)
{
    struct text drivers = {0};
    json_t *line;
    size_t i;
    text_puts(&drivers, "");
    json_array_foreach(lines, i, line)
    {
        char clean[1024];
        text_sanitise(clean, sizeof clean, json_string_value(line) ? json_string_value(line) : "");
        text_printf(&drivers, "%s\n", clean);
    }
    model->drivers = drivers.data;
}

#define MOST_COUNT 1000000000000000 // the most runs or units that we read

// ---- the session

#define AT(name, kind, member, most) FIELD_READ(name, kind, store_session, member, most)
const struct field report_tool_fields[] = {
    FIELD_PLACE("name"),
    AT("version", TEXT, version, 0),
    AT("command", TEXT, command, 0),
    AT("session", NUMBER, id, INT64_MAX),
    AT("started", TEXT, started, 0),
    AT("system", TEXT, system, 0),
    AT("seed", HEX, seed, 0),
    AT("runs", NUMBER, runs, MOST_COUNT),
    AT("finished", BOOL, finished, 0),
    FIELD_PLACE("confidence"),
    AT("uuid", TEXT, uuid, 0),
    FIELD_PLACE("shard"),
    FIELD_PLACE("selection"),
    FIELD_PLACE("build"),
    FIELD_END,
};
#undef AT

#define AT(member) FIELD_READ(#member, TEXT, report_build, member, 0)
const struct field report_build_fields[] = {AT(commit), AT(catalogue), AT(options), FIELD_END};
#undef AT

json_t *report_json_tool(const struct report_model *model)
{
    const struct store_session *session = &model->session;
    const char *of = session->shard ? store_shard_names[session->shard] : "whole";
    json_t *json = fields_write(report_tool_fields, session);
    json_object_set_new(json, "name", json_string("litmus"));
    json_object_set_new(json, "confidence", json_real(REPORT_CONFIDENCE));
    json_object_set_new(json, "shard",
                        json_pack("{s:s, s:o, s:o}", "of", of, "index",
                                  field_count(session->shard_index), "count",
                                  field_count(session->shard_count)));
    json_object_set_new(json, "selection",
                        json_pack("{s:o, s:o}", "device", field_text(model->only_device), "test",
                                  field_text(model->only_test)));
    json_object_set_new(json, "build", fields_write(report_build_fields, &model->build));
    return json;
}

// ---- devices

#define AT(name, kind, member, most) FIELD_READ(name, kind, eng_device, member, most)
#define OF(name, fields)                                                                           \
    {                                                                                              \
        name, FIELD_OBJECT, 0, 0, 0, FIELD_ALL, NULL, fields, 0                                    \
    }
#define FACT(name, member)                                                                         \
    AT(name, CHARS, facts.member, sizeof(((struct eng_device *)0)->facts.member))
static const struct field driver_fields[] = {
    FACT("name", driver_name),
    FACT("info", driver_info),
    FACT("version", driver_version),
    AT("raw_version", NUMBER, facts.driver_raw, UINT32_MAX),
    AT("id", NUMBER, facts.driver_id, UINT32_MAX),
    AT("uuid", UUID, facts.driver_uuid, 0),
    FIELD_END,
};

static const struct field subgroup_fields[] = {
    AT("size", NUMBER, facts.subgroup, 1024),
    AT("min", NUMBER, facts.subgroup_min, 1024),
    AT("max", NUMBER, facts.subgroup_max, 1024),
    AT("control", BOOL, facts.subgroup_control, 0),
    FIELD_END,
};

static const struct field limit_fields[] = {
    AT("workgroup", NUMBER, facts.max_workgroup, UINT32_MAX),
    AT("workgroups", NUMBER, facts.max_workgroups, UINT32_MAX),
    AT("shared", NUMBER, facts.max_shared, UINT32_MAX),
    AT("storage_buffer", NUMBER, facts.max_storage_buffer, REPORT_MOST),
    FIELD_END,
};

const struct field report_device_fields[] = {
    AT("id", CHARS, id, DEV_ID_SIZE),
    AT("number", NUMBER, number, 1000),
    FACT("name", name),
    FACT("type", type),
    AT("vendor", HEX, facts.vendor, 0),
    AT("product", HEX, facts.product, 0),
    AT("uuid", UUID, facts.device_uuid, 0),
    OF("driver", driver_fields),
    FIELD_PLACE("api"),
    OF("subgroup", subgroup_fields),
    OF("limits", limit_fields),
    FIELD_PLACE("features"),
    AT("checker", TEXT, checker, 0),
    FACT("loader", loader),
    FIELD_PLACE("code_effects"),
    FIELD_PLACE("verdict"),
    FIELD_END,
};
#undef AT
#undef OF
#undef FACT

// What the tests' axes change in the compiled code.
static json_t *make_effects(const struct report_code *code, size_t device)
{
    const struct isa_study *study = &code->studies[device];
    json_t *json = json_array();
    for (size_t i = 0; i < study->effect_count; i++) {
        const struct isa_axis_effect *effect = &study->effects[i];
        OWNED(text_free) struct text words = {0};
        if (!report_code_about(code, device, effect))
            continue;
        isa_effect_words(study, effect, &words);
        json_array_append_new(
            json,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "test", field_text(effect->test),
                      "axis", field_text(effect->axis), "base", field_text(effect->base_value),
                      "value", field_text(effect->other_value), "pairs", field_count(effect->pairs),
                      "same", field_count(effect->like[ISA_SAME]), "text", field_text(words.data)));
    }
    return json;
}

json_t *report_json_device(const struct report_code *code, size_t index)
{
    const struct eng_device *device = &code->model->devices[index];
    json_t *json = fields_write(report_device_fields, device), *features = json_array();
    for (int feature = 0; feature < CAT_FEATURE_COUNT; feature++)
        if (device->facts.features >> feature & 1)
            json_array_append_new(features, json_string(cat_feature_name(feature)));
    json_object_set_new(json, "api", json_string(API(device->facts.api)));
    json_object_set_new(json, "features", features);
    json_object_set_new(json, "code_effects", make_effects(code, index));
    OWNED(text_free) struct text verdict = {0};
    report_verdict(code->model, index, &verdict);
    json_object_set_new(json, "verdict", field_text(verdict.data));
    return json;
}

// ---- results

#define AT(name, kind, member, most) FIELD_READ(name, kind, result, member, most)
#define KEPT(name, kind, member)     FIELD_KEPT(name, kind, result, member)
#define NAMED(member, most, names)                                                                 \
    {                                                                                              \
#member, FIELD_AT(NAME, result, member), most, FIELD_ALL, NULL, names, 0                   \
    }
const struct field report_result_fields[] = {
    KEPT("name", TEXT, name), // read first
    KEPT("id", CHARS, id),
    FIELD_PLACE("family"),
    FIELD_PLACE("test"),
    FIELD_PLACE("variant"),
    FIELD_PLACE("params"),
    FIELD_PLACE("device"),
    NAMED(expectation, CAT_EXPECTATIONS, cat_expectation_names),
    AT("headline", TEXT, headline, 0),
    NAMED(result, ENG_RESULTS, eng_result_names),
    AT("reason", TEXT, reason, 0),
    FIELD_PLACE("observation"),
    AT("runs", NUMBER, runs, MOST_COUNT),
    AT("failed_runs", NUMBER, failed_runs, MOST_COUNT),
    AT("no_progress_runs", NUMBER, no_progress_runs, MOST_COUNT),
    AT("first_run_failed", BOOL, first_run_failed, 0),
    AT("instances", NUMBER, instances, MOST_COUNT),
    AT("failed_instances", NUMBER, failed_instances, MOST_COUNT),
    KEPT("interval", REALS, interval),
    FIELD_PLACE("checked_as"),
    FIELD_PLACE("choices"),
    FIELD_PLACE("outcomes"),
    FIELDS_LIST("failures", result, failures, failure_count, ENG_MAX_FAILURES, eng_failure_fields),
    AT("spirv_sha256", TEXT, sha256, 0),
    AT("seed", HEX, seed, 0),
    AT("seconds", REAL, seconds, 0),
    FIELD_PLACE("interval_kind"),
    AT("stress", TEXT, stress, 0),
    AT("rule", TEXT, rule, 0),
    AT("first", NUMBER, first, MOST_COUNT),
    FIELDS_LIST("parts", result, pieces, piece_count, ENG_MAX_PARTS, eng_part_fields),
    FIELD_PLACE("overdispersion"),
    FIELD_PLACE("code"),
    FIELD_END,
};
#undef AT
#undef KEPT
#undef NAMED

static bool is_number(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && length < 19 && strspn(text, "0123456789") == length &&
           (text[0] != '0' || length == 1);
}

// An object of axes and their values, or with `numbers` of parameters, whose values may be numbers.
static json_t *make_pairs(const struct cfg_pair *pairs, size_t count, bool numbers)
{
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        const char *value = pairs[i].value;
        json_t *json = numbers && is_number(value) ? json_integer(atoll(value)) : field_text(value);
        json_object_set_new(object, pairs[i].key, json);
    }
    return object;
}

json_t *report_json_derived(const struct result *result)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:s}", "family", field_text(result->family), "test",
                     field_text(result->test), "variant",
                     make_pairs(result->variant, result->variant_count, false), "params",
                     make_pairs(result->params, result->param_count, true), "observation",
                     report_observation(result->failed_runs, result->judged), "interval_kind",
                     report_interval_kind(result->rule));
}

json_t *report_json_outcomes(const struct result *result)
{
    json_t *outcomes = json_object();
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        if (result->outcomes[outcome] > 0)
            json_object_set_new(outcomes, OUTCOME(result, outcome),
                                field_count(result->outcomes[outcome]));
    }
    return outcomes;
}

// The outcomes that a test names itself.
static json_t *make_choices(const struct cat_choice *choice)
{
    json_t *choices = json_array();
    for (size_t place = 0; place <= CAT_STATES; place++)
        if (choice->names[place][0])
            json_array_append_new(choices, json_pack("{s:o, s:o, s:b}", "place", field_count(place),
                                                     "name", field_text(choice->names[place]),
                                                     "fails", (int)(choice->fails >> place & 1)));
    return choices;
}

// Counts runs from 1, as people and first_run_failed do, and names outcomes.
static void name_failures(json_t *failures, const struct result *result)
{
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct cat_failure *at = &result->failures[i].at;
        json_t *json = json_array_get(failures, i);
        json_object_set_new(json, "run", field_count(at->run + 1));
        json_object_set_new(json, "outcome", field_text(OUTCOME(result, at->outcome)));
    }
}

// null without two parts to compare.
static json_t *make_spread(const struct stat_dispersion *spread)
{
    return spread->groups < 2 ? json_null()
                              : json_pack("{s:o, s:f, s:f}", "groups", field_count(spread->groups),
                                          "factor", spread->factor, "p", spread->p);
}

// What the store knows about a configuration's code; null if nothing.
static json_t *make_code(const struct report_code *code, const struct result *result)
{
    const struct isa_entry *entry = report_code_of(code, result);
    char *faults[] = {(char *)code->fault};
    const struct isa_entry broken = {.code = {.remarks = faults, .remark_count = 1}};
    if (!entry && code->fault[0])
        entry = &broken;
    if (!entry)
        return json_null();
    const struct isa_piece *piece = entry->piece;
    const bool sass = entry->listing.sass.count > 0;
    json_t *statistics = json_object(), *remarks = json_array();
    char digest[IDENTITY_SIZE];
    isa_digest(piece, digest);
    for (size_t i = 0; i < entry->code.statistic_count; i++)
        json_object_set_new(statistics, entry->code.statistics[i].name,
                            field_text(entry->code.statistics[i].value));
    for (size_t i = 0; i < entry->code.remark_count; i++)
        json_array_append_new(remarks, field_text(entry->code.remarks[i]));
    if (entry->unlinted)
        json_array_append_new(remarks, field_text(entry->unlinted));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "digest",
        piece ? json_string(digest) : json_null(), "source",
        piece ? json_string(isa_source_name(piece->source)) : json_null(), "architecture",
        piece ? field_count(piece->architecture) : json_null(), "bytes",
        piece ? field_count(piece->size) : json_null(), "statistics", statistics, "exchanges",
        sass ? field_count(isa_cross_lane_reads(&entry->listing)) : json_null(), "apart",
        entry->linted ? field_count(isa_risks(entry)) : json_null(), "inside",
        entry->linted ? field_count(report_code_inside(entry)) : json_null(), "remarks", remarks);
}

static json_t *make_evidence(const struct result *result)
{
    json_t *json = json_object();
    for (size_t kind = 0; kind < ENG_EVIDENCES; kind++)
        if (result->evidence[kind])
            json_object_set_new(json, eng_evidence_names[kind], field_text(result->evidence[kind]));
    return json;
}

static json_t *make_again(const struct report_model *model, const struct result *result)
{
    OWNED(text_free) struct text again = {0};
    format_again(&again, model, result);
    return field_text(again.data);
}

json_t *report_json_result(const struct report_code *code, const struct result *result)
{
    json_t *json = fields_write(report_result_fields, result);
    const struct {
        const char *name;
        json_t *value;
    } set[] = {
        {"device", json_string(code->model->devices[result->device].id)},
        {"checked_as", json_string(cat_check_names[result->mode->check])},
        {"choices", make_choices(&result->mode->choice)},
        {"outcomes", report_json_outcomes(result)},
        {"overdispersion", make_spread(&result->spread)},
        {"code", make_code(code, result)},
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        json_object_set_new(json, set[i].name, set[i].value);
    json_auto_t *derived = report_json_derived(result);
    json_object_update(json, derived);
    name_failures(json_object_get(json, "failures"), result);
    if (report_failed(result) || report_unfinished(result))
        json_object_set_new(json, "reproduce", make_again(code->model, result));
    if (report_evidence_any(result))
        json_object_set_new(json, "evidence", make_evidence(result));
    return json;
}

// ---- the summary

static json_t *make_counts(const struct report_model *model)
{
    uint64_t results[ENG_RESULTS] = {0};
    REPORT_EACH (result, model, REPORT_ALL)
        results[result->result]++;
    json_t *json = json_object();
    for (int result = 0; result < ENG_RESULTS; result++)
        json_object_set_new(json, eng_result_name(result), field_count(results[result]));
    return json;
}

static json_t *make_expectations(const struct report_model *model)
{
    json_t *json = json_object();
    for (enum cat_expectation expectation = CAT_FORBIDDEN; expectation <= CAT_CONTROL;
         expectation++) {
        uint64_t configurations = 0, ran = 0, failed = 0, runs = 0, failed_runs = 0;
        REPORT_EACH (result, model, REPORT_ALL) {
            if (result->expectation != expectation)
                continue;
            configurations++;
            ran += result->runs > 0;
            failed += result->failed_runs > 0;
            runs += result->runs;
            failed_runs += result->failed_runs;
        }
        json_object_set_new(json, cat_expectation_name(expectation),
                            json_pack("{s:o, s:o, s:o, s:o, s:o}", "configurations",
                                      field_count(configurations), "ran", field_count(ran),
                                      "failed", field_count(failed), "runs", field_count(runs),
                                      "failed_runs", field_count(failed_runs)));
    }
    return json;
}

static json_t *make_headline(const struct report_headline *line)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s}", "observation",
                     report_observation(line->failed_runs, line->judged), "runs",
                     field_count(line->runs), "failed_runs", field_count(line->failed_runs),
                     "no_progress_runs", field_count(line->runs - line->judged), "interval",
                     field_interval(line->interval), "interval_kind",
                     report_interval_kind(line->rule));
}

// Sums the lines of one key result, class and stress; lists each line if there are several.
static json_t *sum_headlines(const char *device, const struct report_headline *lines, size_t count)
{
    struct report_headline sum = lines[0];
    json_auto_t *divided = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *line = make_headline(&lines[i]);
        json_object_set_new(line, "where", field_text(lines[i].where));
        json_array_append_new(divided, line);
        sum.runs += i ? lines[i].runs : 0;
        sum.failed_runs += i ? lines[i].failed_runs : 0;
        sum.judged += i ? lines[i].judged : 0;
        sum.rule = lines[i].rule[0] ? lines[i].rule : sum.rule;
    }
    sum.interval = report_interval(sum.failed_runs, sum.judged, sum.rule);
    json_t *json = make_headline(&sum);
    json_object_set_new(json, "device", json_string(device));
    json_object_set_new(json, "headline", field_text(sum.name));
    json_object_set_new(json, "expectation", json_string(cat_expectation_name(sum.expectation)));
    json_object_set_new(json, "stress", field_text(sum.stress));
    if (count > 1)
        json_object_set(json, "divided", divided);
    return json;
}

static json_t *make_headlines(const struct report_model *model)
{
    json_t *json = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_headline *lines;
        const size_t count = report_headlines(model, device, &lines);
        for (size_t i = 0, next; i < count; i = next) {
            for (next = i + 1; next < count && !strcmp(lines[next].name, lines[i].name) &&
                               lines[next].expectation == lines[i].expectation &&
                               !strcmp(lines[next].stress, lines[i].stress);)
                next++;
            json_array_append_new(json,
                                  sum_headlines(model->devices[device].id, &lines[i], next - i));
        }
        report_headlines_free(lines, count);
    }
    return json;
}

static json_t *make_cell(const struct report_matrix_cell *cell)
{
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "state",
                     report_matrix_state_name(cell->state), "reason", field_text(cell->reason),
                     "observation", report_observation(cell->failed_runs, cell->judged),
                     "configurations", field_count(cell->configurations), "runs",
                     field_count(cell->runs), "failed_runs", field_count(cell->failed_runs),
                     "no_progress_runs", field_count(cell->runs - cell->judged), "interval",
                     field_interval(cell->interval), "interval_kind",
                     report_interval_kind(cell->rule));
}

static json_t *make_operations(const struct report_matrix *matrix)
{
    json_t *json = json_array();
    for (size_t i = 0; i < matrix->count; i++) {
        const struct report_matrix_row *row = &matrix->rows[i];
        json_t *cells = json_object();
        for (size_t c = 0; c < MATRIX_COLUMNS; c++)
            if (row->cells[c].state != MATRIX_NOT_RUN)
                json_object_set_new(cells, report_matrix_column_name(c), make_cell(&row->cells[c]));
        json_array_append_new(json, json_pack("{s:o, s:o, s:o, s:o}", "test", field_text(row->test),
                                              "op", field_text(row->op), "scan",
                                              field_text(row->scan), "sync", cells));
    }
    return json;
}

// NULL for sessions without sync-matrix.
static json_t *make_matrices(const struct report_model *model)
{
    json_t *json = NULL;
    for (size_t device = 0; device < model->device_count; device++) {
        OWNED(report_matrix_clear) struct report_matrix matrix;
        OWNED(text_free) struct text conclusion = {0};
        report_matrix_make(model, device, &matrix);
        if (matrix.count > 0) {
            report_matrix_conclude(&conclusion, &matrix);
            json = json ? json : json_array();
            json_array_append_new(json, json_pack("{s:s, s:o, s:o, s:o, s:o}", "device",
                                                  model->devices[device].id, "conclusion",
                                                  field_text(conclusion.data), "stress",
                                                  field_text(matrix.under.stress), "other_stress",
                                                  field_count(matrix.under.others), "operations",
                                                  make_operations(&matrix)));
        }
    }
    return json;
}

static json_t *make_strategies(const struct report_fingerprint *print)
{
    json_t *json = json_array();
    for (size_t i = 0; i < print->count; i++)
        json_array_append_new(json,
                              json_pack("{s:s, s:o, s:o}", "name", print->strategies[i].name,
                                        "matching", field_count(print->strategies[i].matching),
                                        "interval", field_interval(print->strategies[i].interval)));
    return json;
}

json_t *report_fingerprints_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        OWNED(lit_free) struct report_fingerprint *list = NULL;
        const size_t count = report_fingerprints(model, device, &list);
        for (size_t q = 0; q < count; q++)
            json_array_append_new(all,
                                  json_pack("{s:s, s:s, s:o, s:b, s:o, s:s, s:o, s:o}", "device",
                                            model->devices[device].id, "question", list[q].question,
                                            "observations", field_count(list[q].observations),
                                            "clear", (int)report_fingerprint_is_clear(&list[q]),
                                            "strategies", make_strategies(&list[q]),
                                            "interval_kind", report_interval_kind(list[q].rule),
                                            "stress", field_text(list[q].under.stress),
                                            "other_stress", field_count(list[q].under.others)));
    }
    return all;
}

static json_t *make_waits(const struct report_progress *progress)
{
    json_t *json = json_array();
    for (size_t i = 0; i < progress->count; i++) {
        const struct report_wait *wait = &progress->waits[i];
        json_array_append_new(
            json, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "who", wait->who, "test",
                            wait->test, "runs", field_count(wait->runs), "in_vain",
                            field_count(wait->stuck), "ended_early", field_count(wait->ended_by),
                            "interval", field_interval(wait->interval), "interval_kind",
                            report_interval_kind(wait->rule)));
    }
    return json;
}

json_t *report_progress_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        OWNED(report_progress_clear) struct report_progress progress;
        report_progress(model, device, &progress);
        if (!report_progress_any(&progress))
            continue;
        json_array_append_new(
            all, json_pack("{s:s, s:o, s:o, s:o, s:s?, s:s?, s:s?, s:o, s:o}", "device",
                           model->devices[device].id, "waits", make_waits(&progress), "stress",
                           field_text(progress.under.stress), "other_stress",
                           field_count(progress.under.others), "workgroups",
                           progress.between[AXI_WORKGROUPS], "subgroups",
                           progress.between[AXI_SUBGROUPS], "lanes", progress.between[AXI_LANES],
                           "most_together", field_count(progress.together), "fewest_apart",
                           field_count(progress.apart)));
    }
    return all;
}

json_t *report_mutation_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        OWNED(report_mutation_clear) struct report_mutation mutation;
        report_mutation_score(model, device, &mutation);
        json_t *families = json_array(), *unseen = json_array();
        for (size_t i = 0; i < mutation.family_count; i++)
            json_array_append_new(families,
                                  json_pack("{s:o, s:o, s:o, s:b}", "family",
                                            field_text(mutation.families[i].name), "controls",
                                            field_count(mutation.families[i].run), "seen",
                                            field_count(mutation.families[i].seen), "too_gentle",
                                            (int)report_mutation_weak(&mutation.families[i])));
        for (size_t i = 0; i < mutation.unseen_count; i++)
            json_array_append_new(unseen, field_text(model->results[mutation.unseen[i]].name));
        json_t *json =
            json_pack("{s:s, s:o, s:o, s:f, s:o, s:o}", "device", model->devices[device].id,
                      "controls", field_count(mutation.run), "seen", field_count(mutation.seen),
                      "score", mutation.score, "families", families, "unseen", unseen);
        if (mutation.run > 0)
            json_array_append(all, json);
        json_decref(json);
    }
    return all;
}

static json_t *make_block(const struct report_model *model, const struct report_block *block)
{
    const struct result *first = block->members[0];
    json_t *names = json_array();
    for (size_t i = 0; i < block->count; i++)
        json_array_append_new(names, field_text(block->members[i]->name));
    return json_pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:o}", "device",
                     model->devices[block->device].id, "test", field_text(first->test),
                     "expectation", cat_expectation_name(first->expectation), "outcome",
                     report_seen(first, (char[24]){0}), "where", field_text(block->where), "text",
                     field_text(block->says), "passes_with", field_text(block->passes), "elsewhere",
                     field_text(block->elsewhere), "since", field_text(block->since), "cause",
                     field_text(block->cause), "finding",
                     block->finding ? block->finding->path : NULL, "configurations", names);
}

static json_t *make_blocks(const struct report_code *code)
{
    const struct report_model *model = code->model;
    json_t *json = json_array();
    for (size_t device = 0; device < model->device_count; device++)
        for (int unfinished = 0; unfinished < 2; unfinished++) {
            struct report_block *list;
            const size_t count = report_blocks(
                code, device, unfinished ? report_unfinished_only : report_failed, &list);
            for (size_t i = 0; i < count; i++)
                json_array_append_new(json, make_block(model, &list[i]));
            report_blocks_free(list, count);
        }
    return json;
}

// NULL if there is nothing to say.
static json_t *make_drivers(const struct report_model *model)
{
    json_t *json = model->drivers && model->drivers[0] ? json_array() : NULL;
    for (const char *line = json ? model->drivers : ""; *line; line += strcspn(line, "\n") + 1)
        json_array_append_new(json, json_stringn(line, strcspn(line, "\n")));
    return json;
}

static json_t *make_summary(const struct report_code *code)
{
    const struct report_model *model = code->model;
    uint64_t runs = 0, instances = 0;
    REPORT_EACH (result, model, REPORT_ALL) {
        runs += result->runs;
        instances += result->instances;
    }
    return json_pack(
        "{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o*, s:o, s:o, s:o, s:o, s:o*, s:{s:i, s:o}}",
        "configurations", field_count(model->result_count), "runs", field_count(runs), "instances",
        field_count(instances), "seconds", model->seconds, "results", make_counts(model),
        "expectations", make_expectations(model), "headlines", make_headlines(model), "sync_matrix",
        make_matrices(model), "fingerprints", report_fingerprints_json(model), "progress",
        report_progress_json(model), "mutation", report_mutation_json(model), "failures",
        make_blocks(code), "drivers", make_drivers(model), "exit", "code", (int)model->code,
        "reason", field_text(model->code_reason));
}

void report_json(const struct report_model *model, struct text *out)
{
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    text_puts(out, "{\"schema\":\"litmus-report/1\",\n\"tool\":");
    fields_dump(out, report_json_tool(model));
    text_puts(out, ",\n\"devices\":[");
    for (size_t i = 0; i < model->device_count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        fields_dump(out, report_json_device(&code, i));
    }
    text_puts(out, "\n],\n\"results\":[");
    for (size_t i = 0; i < model->result_count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        fields_dump(out, report_json_result(&code, &model->results[i]));
    }
    text_puts(out, "\n],\n\"summary\":");
    fields_dump(out, make_summary(&code));
    text_puts(out, "}\n");
}
