// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON: docs/compare.schema.json. One configuration a line.
#include "compare/compare.h"

#include "model/check.h"
#include "report/fields.h"

static json_t *make_side(const struct compare_side *side)
{
    const struct store_session *session = &side->model.session;
    return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:b, s:o}", "source", field_text(side->label),
                     "session", (json_int_t)session->id, "sessions", field_count(side->sources),
                     "started", field_text(session->started), "version",
                     field_text(session->version), "system", field_text(session->system),
                     "finished", !side->unfinished, "build",
                     fields_write(report_build_fields, &side->model.build));
}

static json_t *make_device(const struct eng_device *device)
{
    const struct dev_facts *facts = &device->facts;
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "id", device->id, "number",
                     field_count(device->number), "name", field_text(facts->name), "driver",
                     field_text(facts->driver_version), "info", field_text(facts->driver_info));
}

static json_t *make_pairs(const struct comparison *comparison)
{
    json_t *json = json_array();
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const struct compare_pair *pair = &comparison->pairs.items[i];
        json_t *a = pair->a == COMPARE_NO_DEVICE
                        ? json_null()
                        : make_device(&comparison->a->model.devices[pair->a]);
        json_array_append_new(json, json_pack("{s:o, s:o}", "a", a, "b",
                                              make_device(&comparison->b->model.devices[pair->b])));
    }
    return json;
}

static json_t *make_method(const struct comparison *comparison)
{
    static const char *const first_seen[] = {"undecided", "regression", "ignored"};
    const struct compare_policy *policy = &comparison->policy;
    json_t *gates = json_array();
    for (enum cat_expectation e = CAT_FORBIDDEN; e < CAT_CONTROL; e++)
        if (policy->gates[e])
            json_array_append_new(gates, json_string(cat_expectation_name(e)));
    return json_pack(
        "{s:b, s:f, s:f, s:f, s:s, s:o, s:b, s:b, s:b, s:b, s:o, s:o, s:o}", "gate", policy->gate,
        "alpha", policy->alpha, "tolerance", policy->tolerance, "confidence", COMPARE_CONFIDENCE,
        "first_seen", first_seen[policy->first_seen], "expectations", gates, "strict",
        policy->strict, "ignore_hash", policy->ignore_code, "allow_skips", policy->allow_skips,
        "allow_gone", policy->allow_gone, "tests", field_count(comparison->summary.tests), "holm",
        field_count(comparison->summary.family), "words", field_text(comparison->words.method));
}

static json_t *make_result(const struct result *result)
{
    if (!result)
        return json_null();
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "result", eng_result_name(result->result),
        "reason", field_text(result->reason), "runs", field_count(result->runs), "failed_runs",
        field_count(result->failed_runs), "no_progress_runs", field_count(result->no_progress_runs),
        "interval",
        field_interval(report_interval(result->failed_runs, result->judged, result->rule)),
        "spirv_sha256", field_text(result->sha256), "stress", field_text(result->stress), "rule",
        field_text(result->rule));
}

// null if no test was possible.
static json_t *make_test(const struct compare_test *test)
{
    if (!test->made)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:o}", "p_rise", test->rise, "p_fall", test->fall,
                     "adjusted_rise", test->adjusted_rise, "adjusted_fall", test->adjusted_fall,
                     "difference", field_interval(test->difference));
}

static json_t *make_entry(const struct comparison *comparison, const struct compare_entry *entry)
{
    OWNED(text_free) struct text line = {0};
    compare_say_entry(entry, &line);
    json_t *before = entry->why == COMPARE_OTHER_CLASS
                         ? json_string(cat_expectation_name(entry->a->expectation))
                         : NULL;
    return json_pack(
        "{s:o, s:o, s:s, s:s, s:s, s:o*, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "name",
        field_text(entry->name), "pair", field_count(entry->pair), "verdict",
        compare_verdict_names[entry->verdict], "why", compare_why_names[entry->why], "expectation",
        cat_expectation_name(compare_entry_result(entry)->expectation), "expectation_before",
        before, "gates", compare_kind_of(comparison, entry) == COMPARE_KIND_REGRESSIONS, "open",
        compare_is_open(entry, &comparison->policy), "waiver",
        entry->waiver ? field_count(entry->waiver - 1) : json_null(), "a", make_result(entry->a),
        "b", make_result(entry->b), "failed", make_test(&entry->failed), "waited",
        make_test(&entry->waited), "factor", entry->factor, "words", field_text(line.data));
}

#define AT(name, kind, member) FIELD_KEPT(name, kind, compare_waiver, member)
static const struct field waiver_fields[] = {
    FIELD_PLACE("list"),
    AT("file", TEXT, file),
    AT("line", NUMBER, line),
    AT("pattern", TEXT, pattern),
    AT("url", TEXT, url),
    AT("from", TEXT, only[COMPARE_FROM]),
    AT("until", TEXT, only[COMPARE_UNTIL]),
    AT("vendor", TEXT, only[COMPARE_VENDOR]),
    AT("device", TEXT, only[COMPARE_DEVICE]),
    AT("driver", TEXT, only[COMPARE_DRIVER]),
    AT("version", TEXT, only[COMPARE_VERSION]),
    AT("foreign", BOOL, foreign),
    AT("expired", BOOL, expired),
    AT("matched", NUMBER, matched),
    AT("used", NUMBER, used),
    AT("passing", NUMBER, passing),
    FIELD_END,
};
#undef AT

static json_t *make_waivers(const struct comparison *comparison)
{
    static const char *const lists[COMPARE_LISTS] = {"waivers", "deqp-fails", "deqp-skips",
                                                     "deqp-flakes", "caselist"};
    json_t *json = json_array();
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        json_t *entry = fields_write(waiver_fields, waiver);
        json_object_set_new(entry, "list", json_string(lists[waiver->list]));
        json_array_append_new(json, entry);
    }
    return json;
}

static json_t *make_power(const struct comparison *comparison)
{
    const struct compare_power *power = &comparison->power;
    return json_pack("{s:f, s:o, s:o, s:f, s:f, s:o, s:f, s:f, s:o}", "power", COMPARE_POWER,
                     "holm", field_count(power->tests), "never_failed", field_count(power->never),
                     "typical_from_never", power->typical_never, "worst_from_never",
                     power->worst_never, "all", field_count(power->all), "typical", power->typical,
                     "worst", power->worst, "words", field_text(comparison->words.power));
}

static json_t *make_summary(const struct comparison *comparison)
{
    const struct compare_summary *s = &comparison->summary;
    json_t *verdicts = json_object();
    for (enum compare_verdict v = 0; v < COMPARE_VERDICTS; v++)
        json_object_set_new(verdicts, compare_verdict_names[v], field_count(s->verdicts[v]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}",
                     "headline", field_text(comparison->words.summary), "configurations",
                     field_count(comparison->count), "verdicts", verdicts, "regressions",
                     field_count(s->regressions), "open", field_count(s->open), "first_seen",
                     field_count(s->first_seen), "new_and_wrong", field_count(s->new_wrong),
                     "not_measured", field_count(s->not_measured), "waived", field_count(s->waived),
                     "gating", field_count(s->gating), "code", (int)s->code, "reason",
                     field_text(s->reason), "power", make_power(comparison));
}

void compare_json(const struct comparison *comparison, struct text *out)
{
    json_t *remarks = json_array();
    for (size_t i = 0; i < comparison->remarks.note_count; i++)
        json_array_append_new(remarks, field_text(comparison->remarks.notes[i]));
    text_puts(out, "{\"schema\":\"litmus-compare/1\",\n\"a\":");
    fields_dump(out, make_side(comparison->a));
    text_puts(out, ",\n\"b\":");
    fields_dump(out, make_side(comparison->b));
    text_puts(out, ",\n\"devices\":");
    fields_dump(out, make_pairs(comparison));
    text_puts(out, ",\n\"remarks\":");
    fields_dump(out, remarks);
    text_puts(out, ",\n\"method\":");
    fields_dump(out, make_method(comparison));
    text_puts(out, ",\n\"results\":[");
    for (size_t i = 0; i < comparison->count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        fields_dump(out, make_entry(comparison, &comparison->entries[i]));
    }
    text_puts(out, "\n],\n\"waivers\":");
    fields_dump(out, make_waivers(comparison));
    text_puts(out, ",\n\"summary\":");
    fields_dump(out, make_summary(comparison));
    text_puts(out, "}\n");
}
