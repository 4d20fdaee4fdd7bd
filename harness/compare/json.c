// SPDX-License-Identifier: Apache-2.0
// A comparison as JSON: docs/compare.schema.json. One configuration a line.
#include "compare/words.h"

#include "catalogue/catalogue.h"

#include <string.h>

#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))

static int append_bytes(const char *bytes, size_t size, void *user)
{
    text_append(user, bytes, size);
    return 0;
}

static void dump(struct text *out, json_t *json)
{
    json_dump_callback(json, append_bytes, out, DUMP_FLAGS);
    json_decref(json);
}

static json_t *whole(uint64_t count)
{
    return json_integer((json_int_t)count);
}

// Strings come from drivers and files; all were sanitised when they were read, so that they are
// UTF-8.
static json_t *string(const char *text)
{
    return json_string(text ? text : "");
}

static json_t *words(void (*say)(const struct comparison *comparison, struct text *out),
                     const struct comparison *comparison)
{
    struct text line = {0};
    say(comparison, &line);
    json_t *json = string(line.data);
    text_free(&line);
    return json;
}

static json_t *interval(struct stat_interval value)
{
    return json_pack("[f,f]", value.low, value.high);
}

static json_t *make_side(const struct compare_side *side)
{
    const struct store_session *session = &side->model.session;
    json_t *json = json_object();
    json_object_set_new(json, "source", string(side->label));
    json_object_set_new(json, "session", json_integer(session->id));
    json_object_set_new(json, "sessions", whole(side->sources));
    json_object_set_new(json, "started", string(session->started));
    json_object_set_new(json, "version", string(session->version));
    json_object_set_new(json, "system", string(session->system));
    json_object_set_new(json, "finished", json_boolean(!side->unfinished));
    return json;
}

static json_t *make_device(const struct report_device *device)
{
    json_t *json = json_object();
    json_object_set_new(json, "id", string(device->id));
    json_object_set_new(json, "number", whole(device->number));
    json_object_set_new(json, "name", string(device->facts.name));
    json_object_set_new(json, "driver", string(device->facts.driver_version));
    json_object_set_new(json, "info", string(device->facts.driver_info));
    return json;
}

static json_t *make_pairs(const struct comparison *comparison)
{
    json_t *json = json_array();
    for (size_t i = 0; i < comparison->pairs.count; i++) {
        const struct compare_pair *pair = &comparison->pairs.items[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "a",
                            pair->a == COMPARE_NO_DEVICE
                                ? json_null()
                                : make_device(&comparison->a->model.devices[pair->a]));
        json_object_set_new(entry, "b", make_device(&comparison->b->model.devices[pair->b]));
        json_array_append_new(json, entry);
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
    json_t *json = json_object();
    json_object_set_new(json, "gate", json_boolean(policy->gate));
    json_object_set_new(json, "alpha", json_real(policy->alpha));
    json_object_set_new(json, "tolerance", json_real(policy->tolerance));
    json_object_set_new(json, "confidence", json_real(COMPARE_CONFIDENCE));
    json_object_set_new(json, "first_seen", json_string(first_seen[policy->first_seen]));
    json_object_set_new(json, "expectations", gates);
    json_object_set_new(json, "strict", json_boolean(policy->strict));
    json_object_set_new(json, "ignore_hash", json_boolean(policy->ignore_code));
    json_object_set_new(json, "allow_skips", json_boolean(policy->allow_skips));
    json_object_set_new(json, "allow_gone", json_boolean(policy->allow_gone));
    json_object_set_new(json, "tests", whole(comparison->summary.tests));
    json_object_set_new(json, "holm", whole(comparison->summary.family));
    json_object_set_new(json, "words", words(compare_say_method, comparison));
    return json;
}

static json_t *make_result(const struct report_result *result)
{
    if (!result)
        return json_null();
    json_t *json = json_object();
    json_object_set_new(json, "result", json_string(eng_result_name(result->result)));
    json_object_set_new(json, "reason", string(result->reason));
    json_object_set_new(json, "runs", whole(result->runs));
    json_object_set_new(json, "failed_runs", whole(result->failed_runs));
    json_object_set_new(json, "no_progress_runs", whole(result->no_progress_runs));
    json_object_set_new(json, "interval", interval(compare_interval(result)));
    json_object_set_new(json, "spirv_sha256", string(result->sha256));
    json_object_set_new(json, "stress", string(result->stress));
    json_object_set_new(json, "rule", string(result->rule));
    return json;
}

// null where nothing could be tested.
static json_t *make_test(const struct compare_test *test)
{
    if (!test->made)
        return json_null();
    json_t *json = json_object();
    json_object_set_new(json, "p_rise", json_real(test->rise));
    json_object_set_new(json, "p_fall", json_real(test->fall));
    json_object_set_new(json, "adjusted_rise", json_real(test->adjusted_rise));
    json_object_set_new(json, "adjusted_fall", json_real(test->adjusted_fall));
    json_object_set_new(json, "difference", interval(test->difference));
    return json;
}

static json_t *make_entry(const struct comparison *comparison, const struct compare_entry *entry)
{
    struct text line = {0};
    json_t *json = json_object();
    compare_say_entry(entry, &line);
    json_object_set_new(json, "name", string(entry->name));
    json_object_set_new(json, "pair", whole(entry->pair));
    json_object_set_new(json, "verdict", json_string(compare_verdict_name(entry->verdict)));
    json_object_set_new(json, "why", json_string(compare_why_name(entry->why)));
    json_object_set_new(
        json, "expectation",
        json_string(cat_expectation_name(compare_entry_result(entry)->expectation)));
    if (entry->why == COMPARE_OTHER_CLASS)
        json_object_set_new(json, "expectation_before",
                            json_string(cat_expectation_name(entry->a->expectation)));
    json_object_set_new(
        json, "gates",
        json_boolean(compare_kind_of(comparison, entry) == COMPARE_KIND_REGRESSIONS));
    json_object_set_new(json, "open", json_boolean(compare_is_open(entry, &comparison->policy)));
    json_object_set_new(json, "waiver", entry->waiver ? whole(entry->waiver - 1) : json_null());
    json_object_set_new(json, "a", make_result(entry->a));
    json_object_set_new(json, "b", make_result(entry->b));
    json_object_set_new(json, "failed", make_test(&entry->failed));
    json_object_set_new(json, "waited", make_test(&entry->waited));
    json_object_set_new(json, "factor", json_real(entry->factor));
    json_object_set_new(json, "words", string(line.data));
    text_free(&line);
    return json;
}

static json_t *make_waivers(const struct comparison *comparison)
{
    static const char *const lists[COMPARE_LISTS] = {"waivers", "deqp-fails", "deqp-skips",
                                                     "deqp-flakes"};
    json_t *json = json_array();
    for (size_t i = 0; comparison->waivers && i < comparison->waivers->count; i++) {
        const struct compare_waiver *waiver = &comparison->waivers->items[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "list", json_string(lists[waiver->list]));
        json_object_set_new(entry, "file", string(waiver->file));
        json_object_set_new(entry, "line", whole(waiver->line));
        json_object_set_new(entry, "pattern", string(waiver->pattern));
        json_object_set_new(entry, "url", string(waiver->url));
        json_object_set_new(entry, "until", string(waiver->until));
        json_object_set_new(entry, "expired", json_boolean(waiver->expired));
        json_object_set_new(entry, "matched", whole(waiver->matched));
        json_object_set_new(entry, "used", whole(waiver->used));
        json_object_set_new(entry, "passing", whole(waiver->passing));
        json_array_append_new(json, entry);
    }
    return json;
}

static json_t *make_power(const struct comparison *comparison)
{
    const struct compare_power *power = &comparison->power;
    json_t *json = json_object();
    json_object_set_new(json, "power", json_real(COMPARE_POWER));
    json_object_set_new(json, "holm", whole(power->tests));
    json_object_set_new(json, "never_failed", whole(power->never));
    json_object_set_new(json, "typical_from_never", json_real(power->typical_never));
    json_object_set_new(json, "worst_from_never", json_real(power->worst_never));
    json_object_set_new(json, "all", whole(power->all));
    json_object_set_new(json, "typical", json_real(power->typical));
    json_object_set_new(json, "worst", json_real(power->worst));
    json_object_set_new(json, "words", words(compare_say_power, comparison));
    return json;
}

static json_t *make_summary(const struct comparison *comparison)
{
    const struct compare_summary *summary = &comparison->summary;
    json_t *verdicts = json_object(), *json = json_object();
    for (enum compare_verdict v = 0; v < COMPARE_VERDICTS; v++)
        json_object_set_new(verdicts, compare_verdict_name(v), whole(summary->verdicts[v]));
    json_object_set_new(json, "headline", words(compare_say_headline, comparison));
    json_object_set_new(json, "configurations", whole(comparison->count));
    json_object_set_new(json, "verdicts", verdicts);
    json_object_set_new(json, "regressions", whole(summary->regressions));
    json_object_set_new(json, "open", whole(summary->open));
    json_object_set_new(json, "first_seen", whole(summary->first_seen));
    json_object_set_new(json, "new_and_wrong", whole(summary->new_wrong));
    json_object_set_new(json, "not_measured", whole(summary->not_measured));
    json_object_set_new(json, "waived", whole(summary->waived));
    json_object_set_new(json, "gating", whole(summary->gating));
    json_object_set_new(json, "code", json_integer(summary->code));
    json_object_set_new(json, "reason", string(summary->reason));
    json_object_set_new(json, "power", make_power(comparison));
    return json;
}

static json_t *make_remarks(const struct comparison *comparison)
{
    json_t *json = json_array();
    for (size_t i = 0; i < comparison->remark_count; i++)
        json_array_append_new(json, string(comparison->remarks[i]));
    return json;
}

void compare_json(const struct comparison *comparison, struct text *out)
{
    text_puts(out, "{\"schema\":\"litmus-compare/1\",\n\"a\":");
    dump(out, make_side(comparison->a));
    text_puts(out, ",\n\"b\":");
    dump(out, make_side(comparison->b));
    text_puts(out, ",\n\"devices\":");
    dump(out, make_pairs(comparison));
    text_puts(out, ",\n\"remarks\":");
    dump(out, make_remarks(comparison));
    text_puts(out, ",\n\"method\":");
    dump(out, make_method(comparison));
    text_puts(out, ",\n\"results\":[");
    for (size_t i = 0; i < comparison->count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        dump(out, make_entry(comparison, &comparison->entries[i]));
    }
    text_puts(out, "\n],\n\"waivers\":");
    dump(out, make_waivers(comparison));
    text_puts(out, ",\n\"summary\":");
    dump(out, make_summary(comparison));
    text_puts(out, "}\n");
}
