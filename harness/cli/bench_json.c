// SPDX-License-Identifier: Apache-2.0
// litmus bench scan as JSON: docs/bench.schema.json.
#include "cli/bench_report.h"

#include "report/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(json_t *object, const char *key, const char *value)
{
    json_t *string = json_string(value);
    json_object_set_new(object, key, string ? string : json_string("?"));
}

static void put_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

// Null where it is not known.
static void put_known(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, value > 0 ? json_real(value) : json_null());
}

static void put_hex(json_t *object, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    put_text(object, key, text);
}

static const char *result_word(const struct bench_measured *measured)
{
    static const char *const words[] = {
        [BENCH_RIGHT] = "right",  [BENCH_WRONG] = "wrong",     [BENCH_UNTIMED] = "untimed",
        [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    return words[bench_verdict(measured)];
}

static json_t *make_wrong(const struct bench_measured *measured)
{
    json_t *wrong = json_object();
    put_count(wrong, "dispatches", measured->wrong);
    put_count(wrong, "of", measured->dispatches);
    if (measured->wrong) {
        json_t *first = json_object();
        put_count(first, "dispatch", measured->first.round);
        put_count(first, "words", measured->first.wrong);
        put_count(first, "word", measured->first.index);
        put_hex(first, "got", measured->first.got);
        put_hex(first, "want", measured->first.want);
        json_object_set_new(wrong, "first", first);
    }
    return wrong;
}

static json_t *make_times(const struct bench_measured *measured, const struct bench_figures *f)
{
    json_t *time = json_object(), *all = json_array();
    put_real(time, "median", f->ns.median);
    put_real(time, "lower_quartile", f->ns.low);
    put_real(time, "upper_quartile", f->ns.high);
    put_real(time, "least", f->ns.least);
    put_real(time, "most", f->ns.most);
    for (size_t i = 0; i < measured->count; i++)
        json_array_append_new(all, json_real(measured->ns[i]));
    json_object_set_new(time, "all", all);
    return time;
}

static json_t *make_triple(double shuffles, double adds, double bytes)
{
    json_t *object = json_object();
    put_known(object, "shuffles", shuffles);
    put_known(object, "adds", adds);
    put_known(object, "bytes", bytes);
    return object;
}

static void put_what(json_t *object, const struct bench_row *row)
{
    struct text name = {0};
    bench_row_name(row, &name);
    put_text(object, "name", name.data);
    text_free(&name);
    put_text(object, "kind", bench_kind_name(row->kind));
    if (row->kind == BENCH_SCAN) {
        put_text(object, "level", bench_level_name(row->level));
        put_text(object, "operation", bench_operation_name(row->operation));
        put_text(object, "barrier", bench_barrier_name(row->barrier));
        put_count(object, "items", row->items);
    }
    if (row->chains)
        put_count(object, "chains", row->chains);
    put_count(object, "workgroup", row->workgroup);
    put_count(object, "workgroups", row->workgroups);
    put_count(object, "loops", row->loops);
    put_count(object, "words", row->words);
    json_t *needs = json_object();
    put_count(needs, "shuffles", row->shuffles);
    put_count(needs, "adds", row->adds);
    put_count(needs, "bytes", row->bytes);
    json_object_set_new(object, "needs", needs);
}

static json_t *make_row(const struct bench_result *result, const struct bench_measured *measured)
{
    json_t *object = json_object(), *statistics = json_object();
    put_what(object, &measured->row);
    put_text(object, "result", result_word(measured));
    put_text(object, "reason", measured->reason);
    json_object_set_new(object, "wrong", make_wrong(measured));
    for (size_t i = 0; i < measured->statistic_count; i++)
        put_text(statistics, measured->statistics[i].name, measured->statistics[i].value);
    json_object_set_new(object, "statistics", statistics);
    if (measured->count) {
        const struct bench_figures f = bench_figures(result, measured);
        json_object_set_new(object, "ns", make_times(measured, &f));
        put_known(object, "of_native", f.of_native);
        json_object_set_new(object, "per_second", make_triple(f.shuffles, f.adds, f.bytes));
        json_object_set_new(object, "of_limit",
                            make_triple(f.shuffles_share, f.adds_share, f.bytes_share));
    }
    return object;
}

static json_t *make_driver(const struct dev_facts *facts)
{
    json_t *driver = json_object();
    put_text(driver, "name", facts->driver_name);
    put_text(driver, "info", facts->driver_info);
    put_text(driver, "version", facts->driver_version);
    return driver;
}

static json_t *make_device(const struct cli_bench_device *told)
{
    json_t *object = json_object(), *rows = json_array();
    const struct dev_facts *facts = &told->device->facts;
    const struct bench_result *result = &told->result;
    const struct bench_limits limits = bench_result_limits(result);
    char text[48];
    put_count(object, "number", told->device->number);
    put_text(object, "name", facts->name);
    put_text(object, "type", facts->type);
    format_uuid(text, facts->device_uuid);
    put_text(object, "uuid", text);
    put_text(object, "id", told->device->id);
    format_api(text, facts->api);
    put_text(object, "vulkan", text);
    put_count(object, "subgroup", facts->subgroup);
    json_object_set_new(object, "driver", make_driver(facts));
    put_text(object, "result", eng_result_name(told->end));
    put_text(object, "reason", told->reason);
    put_count(object, "elements", result->shape.elements);
    put_count(object, "loops", result->shape.loops);
    put_count(object, "warm_up", result->warm);
    put_count(object, "repeats", result->repeats);
    put_text(object, "clock", result->tick > 0 ? "device" : "host");
    put_known(object, "tick_ns", result->tick);
    json_object_set_new(object, "limits", make_triple(limits.shuffles, limits.adds, limits.bytes));
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(rows, make_row(result, &result->rows[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

void cli_bench_json(const struct cli_bench *bench, struct text *text)
{
    json_t *object = json_object(), *tool = json_object(), *devices = json_array();
    put_text(object, "schema", "litmus-bench/1");
    put_text(object, "benchmark", "scan");
    put_text(tool, "name", "litmus");
    put_text(tool, "version", LITMUS_VERSION);
    put_text(tool, "command", bench->command);
    put_text(tool, "started", bench->started);
    put_text(tool, "system", bench->system);
    put_hex(tool, "seed", bench->seed);
    json_object_set_new(object, "tool", tool);
    for (size_t i = 0; i < bench->count; i++)
        json_array_append_new(devices, make_device(&bench->devices[i]));
    json_object_set_new(object, "devices", devices);
    json_t *end = json_object();
    put_count(end, "code", (uint64_t)bench->exit);
    put_text(end, "because", bench->because);
    json_object_set_new(object, "exit", end);
    char *dump = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(object);
    text_puts(text, dump ? dump : "null");
    text_puts(text, "\n");
    free(dump);
}
