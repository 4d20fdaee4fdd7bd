// SPDX-License-Identifier: Apache-2.0
// Writes the results of litmus bench as JSON.
#include "benching/benching.h"
#include "report/fields.h"
#include "report/format.h"

#include <jansson.h>

typedef json_int_t integer;

// Null for 0: unknown.
static json_t *known(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *row_name(const struct bench_measured *measured)
{
    OWNED(text_free) struct text name = {0};
    if (!measured)
        return json_null();
    bench_row_name(&measured->row, &name);
    return field_text(name.data);
}

static json_t *sample(const struct stat_sample *s)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "median", s->median, "lower_quartile", s->low,
                     "upper_quartile", s->high, "least", s->least, "most", s->most);
}

static json_t *triple(const struct bench_limits *limits)
{
    return json_pack("{s:o, s:o, s:o}", "shuffles", known(limits->shuffles), "adds",
                     known(limits->adds), "bytes", known(limits->bytes));
}

// --- Rows

static json_t *wrong_of(const struct bench_measured *measured)
{
    const struct bench_report *first = &measured->first;
    json_t *wrong = json_pack("{s:I, s:I}", "dispatches", (integer)measured->wrong, "of",
                              (integer)measured->dispatches);
    if (measured->wrong)
        json_object_set_new(wrong, "first",
                            json_pack("{s:I, s:I, s:I, s:o, s:o}", "dispatch",
                                      (integer)first->round, "words", (integer)first->wrong, "word",
                                      (integer)first->index, "got", field_hex(first->got), "want",
                                      field_hex(first->want)));
    return wrong;
}

// Adds a row's result, and its times if any.
static void put_measured(json_t *object, const struct bench_measured *measured)
{
    static const char *const words[BENCH_VERDICTS] = {
        [BENCH_RIGHT] = "right",     [BENCH_WRONG] = "wrong",  [BENCH_EXPIRED] = "gave-up",
        [BENCH_UNTIMED] = "untimed", [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    json_t *statistics = json_object();
    for (size_t i = 0; i < measured->statistic_count; i++)
        json_object_set_new(statistics, measured->statistics[i].name,
                            field_text(measured->statistics[i].value));
    json_object_update_new(object, json_pack("{s:s, s:o, s:o, s:o}", "result",
                                             words[bench_verdict(measured)], "reason",
                                             field_text(measured->reason), "wrong",
                                             wrong_of(measured), "statistics", statistics));
    if (measured->expired)
        json_object_set_new(object, "gave_up", json_integer((integer)measured->expired));
    if (!measured->count)
        return;
    const struct stat_sample ns = stat_sample(measured->ns, measured->count);
    json_t *times = sample(&ns), *all = json_array();
    for (size_t i = 0; i < measured->count; i++)
        json_array_append_new(all, json_real(measured->ns[i]));
    json_object_set_new(times, "all", all);
    json_object_set_new(object, "ns", times);
}

static json_t *scan_row(const struct bench_size *size, const struct bench_measured *measured)
{
    const struct bench_row *row = &measured->row;
    json_t *object =
        json_pack("{s:o, s:s}", "name", row_name(measured), "kind", bench_kinds[row->kind]);
    if (row->kind == BENCH_SCAN)
        json_object_update_new(
            object, json_pack("{s:s, s:s, s:s, s:I}", "level", bench_levels[row->level],
                              "operation", bench_operations[row->operation], "barrier",
                              bench_barriers[row->barrier], "items", (integer)row->items));
    if (row->chains)
        json_object_set_new(object, "chains", json_integer(row->chains));
    json_object_update_new(object, json_pack("{s:I, s:I, s:I, s:I, s:{s:I, s:I, s:I}}", "workgroup",
                                             (integer)row->workgroup, "workgroups",
                                             (integer)row->workgroups, "loops", (integer)row->loops,
                                             "words", (integer)row->words, "needs", "shuffles",
                                             (integer)row->shuffles, "adds", (integer)row->adds,
                                             "bytes", (integer)row->bytes));
    put_measured(object, measured);
    if (measured->count) {
        const struct bench_figures f = bench_figures(&size->result, measured);
        json_object_update_new(object, json_pack("{s:o, s:o, s:o}", "of_native", known(f.of_native),
                                                 "per_second", triple(&f.rate), "of_limit",
                                                 triple(&f.share)));
    }
    return object;
}

static json_t *look_row_json(const struct bench_size *size, const struct bench_measured *measured)
{
    const struct bench_row *row = &measured->row;
    json_t *object = json_pack("{s:o, s:s, s:I, s:I, s:I}", "name", row_name(measured), "kind",
                               bench_kinds[row->kind], "workgroup", (integer)row->workgroup,
                               "workgroups", (integer)row->workgroups, "tile", (integer)row->tile);
    put_measured(object, measured);
    if (measured->count) {
        const struct bench_figures f = bench_figures(&size->result, measured);
        json_object_update_new(object,
                               json_pack("{s:o, s:o, s:o}", "bytes_per_second", known(f.rate.bytes),
                                         "of_copy", known(f.share.bytes), "of_cub",
                                         known(f.ns.median > 0 ? size->cub / f.ns.median : 0)));
    }
    return object;
}

// --- Devices

static json_t *device_json(const struct eng_device *device)
{
    const struct dev_facts *facts = &device->facts;
    char uuid[48], api[48];
    format_uuid(uuid, facts->device_uuid);
    format_api(api, facts->api);
    return json_pack("{s:I, s:o, s:o, s:s, s:s, s:s, s:I, s:{s:o, s:o, s:o}}", "number",
                     (integer)device->number, "name", field_text(facts->name), "type",
                     field_text(facts->type), "uuid", uuid, "id", device->id, "vulkan", api,
                     "subgroup", (integer)facts->subgroup, "driver", "name",
                     field_text(facts->driver_name), "info", field_text(facts->driver_info),
                     "version", field_text(facts->driver_version));
}

// Adds what a size has in both benchmarks, then its rows.
static void put_size(json_t *object, const struct bench_size *size, bool lookback)
{
    const struct bench_result *result = &size->result;
    const struct bench_limits limits = bench_result_limits(result);
    json_t *rows = json_array();
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(rows, (lookback ? look_row_json : scan_row)(size, &result->rows[i]));
    json_object_update_new(
        object, json_pack("{s:I, s:s, s:o, s:I, s:I, s:s, s:o}", "elements",
                          (integer)result->shape.elements, "result", eng_result_name(size->end),
                          "reason", field_text(size->reason), "warm_up", (integer)result->warm,
                          "repeats", (integer)result->repeats, "clock",
                          result->tick > 0 ? "device" : "host", "tick_ns", known(result->tick)));
    if (lookback)
        json_object_update_new(object,
                               json_pack("{s:o, s:o, s:s, s:o}", "copy",
                                         row_name(bench_result_best(result, BENCH_COPY)), "scan",
                                         row_name(bench_size_chosen(size)), "scan_is",
                                         size->chosen >= LOOK_ROWS ? "best"
                                         : size->tuned             ? "tuned"
                                                                   : "default",
                                         "cub_ns", known(size->cub)));
    else
        json_object_update_new(object,
                               json_pack("{s:I, s:o}", "loops", (integer)result->shape.loops,
                                         "limits", triple(&limits)));
    json_object_set_new(object, "rows", rows);
}

static json_t *measured_json(const struct bench_device *device, bool lookback)
{
    json_t *object = device_json(device->device);
    if (!lookback) {
        put_size(object, &device->sizes[0], false);
        return object;
    }
    json_t *sizes = json_array();
    for (size_t i = 0; i < device->count; i++) {
        json_t *size = json_object();
        put_size(size, &device->sizes[i], true);
        json_array_append_new(sizes, size);
    }
    json_object_update_new(
        object, json_pack("{s:o, s:o}", "reason", field_text(device->reason), "sizes", sizes));
    return object;
}

// --- Rates

static json_t *round_json(const struct bench_rate *rate)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "form",
                     bench_forms[rate->form], "runs", (integer)rate->runs, "failed",
                     (integer)rate->failed, "gave_up", (integer)rate->expired, "wall_ns",
                     rate->wall_ns, "cpu_ns", rate->cpu_ns, "fill_ns", rate->fill_ns, "test_ns",
                     rate->test_ns, "check_ns", rate->check_ns);
}

static json_t *form_json(const struct bench_rates *rates, enum bench_form form)
{
    const struct bench_rate_figures f = bench_rate_figures(rates, form);
    struct stat_sample ratio;
    json_t *object = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o, s:f, s:f, s:f, s:{s:f, s:f, s:f, s:f}, s:f, s:f, s:f}",
        "rounds", (integer)f.rounds, "runs", (integer)f.runs, "instances", (integer)f.instances,
        "failed", (integer)f.failed, "gave_up", (integer)f.expired, "instances_per_second",
        sample(&f.per_second), "subgroup_instances_per_second", f.subgroups, "wall_seconds", f.wall,
        "cpu_seconds", f.cpu, "of_wall", "test", f.test, "check", f.check, "fill", f.fill, "rest",
        f.rest, "bytes_per_second", f.bytes, "limit_instances_per_second", f.limit, "of_limit",
        f.of_limit);
    if (form != BENCH_BATCHED && bench_rates_ratio(rates, BENCH_BATCHED, form, &ratio))
        json_object_set_new(object, "batched_by_this", sample(&ratio));
    return object;
}

static json_t *run_json(const struct bench_rate *run)
{
    const struct bench_traffic t = bench_rate_traffic(run);
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:{s:f, s:f, s:f}}", "workgroups",
                     (integer)run->workgroups, "input_words", (integer)run->input_words,
                     "output_words", (integer)run->output_words, "state_words",
                     (integer)run->state_words, "instances", (integer)run->instances,
                     "expected_stride", (integer)run->stride, "slots", (integer)run->slots,
                     "subgroup", (integer)run->subgroup, "bytes", "fill", t.fill, "test", t.test,
                     "check", t.check);
}

static json_t *rate_json(const struct benching_rate *rate)
{
    const struct bench_rates *rates = &rate->rates;
    const struct dev_facts *facts = &rate->device->facts;
    json_t *forms = json_object(), *rounds = json_array();
    json_t *object = json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:o, s:s, s:o}", "configuration", field_text(rate->name),
        "device", (integer)rate->device->number, "name", field_text(facts->name), "driver",
        field_text(facts->driver_name), "driver_info", field_text(facts->driver_info),
        "driver_version", field_text(facts->driver_version), "result", eng_result_name(rate->end),
        "reason", field_text(rate->reason));
    if (rates->count)
        json_object_update_new(object, json_pack("{s:o, s:f}", "run", run_json(&rates->rounds[0]),
                                                 "copy_bytes_per_second", rates->rounds[0].copy));
    for (int form = 0; form < BENCH_FORMS; form++)
        if (bench_rate_figures(rates, (enum bench_form)form).rounds)
            json_object_set_new(forms, bench_forms[form], form_json(rates, (enum bench_form)form));
    for (size_t i = 0; i < rates->count; i++)
        json_array_append_new(rounds, round_json(&rates->rounds[i]));
    json_object_update_new(object, json_pack("{s:o, s:o}", "forms", forms, "rounds", rounds));
    return object;
}

// --- The whole

void benching_json(const struct benching *b, struct text *text)
{
    const bool lookback = strcmp(b->name, "lookback") == 0, scan = strcmp(b->name, "scan") == 0;
    json_t *list = json_array();
    for (size_t i = 0; i < b->measured_count; i++)
        json_array_append_new(list, measured_json(&b->measured[i], lookback));
    for (size_t i = 0; i < b->rate_count; i++)
        json_array_append_new(list, rate_json(&b->rates[i]));
    json_t *object =
        json_pack("{s:s, s:s, s:{s:s, s:s, s:o, s:s, s:o, s:o}}", "schema",
                  scan       ? "litmus-bench/1"
                  : lookback ? "litmus-bench-lookback/1"
                             : "litmus-bench-rate/1",
                  "benchmark", b->name, "tool", "name", "litmus", "version", LITMUS_VERSION,
                  "command", field_text(b->session.command), "started", b->session.started,
                  "system", field_text(b->session.system), "seed", field_hex(b->chosen.seed.value));
    if (lookback)
        json_object_set_new(object, "cub_device",
                            b->chosen.cub ? field_text(b->cub.device) : json_null());
    json_object_update_new(object,
                           json_pack("{s:o, s:{s:i, s:s}}", scan || lookback ? "devices" : "rates",
                                     list, "exit", "code", (int)b->exit, "because", b->because));
    OWNED(lit_free)
    char *dump = lit_have(json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9)));
    json_decref(object);
    text_printf(text, "%s\n", dump);
}
