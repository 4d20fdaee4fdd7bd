// SPDX-License-Identifier: Apache-2.0
// litmus bench lookback as JSON: docs/bench-lookback.schema.json.
#include "cli/bench_lookback.h"

#include "report/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void put_text(json_t *object, const char *key, const char *value)
{
    json_t *string = json_string(value);
    json_object_set_new(object, key, string ? string : json_string("?"));
}

static void put_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
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

// Null if there is no such row.
static void put_row_name(json_t *object, const char *key, const struct look_measured *row)
{
    struct text name = {0};
    if (row)
        look_row_name(row->number, &name);
    json_object_set_new(object, key, row ? json_string(name.data) : json_null());
    text_free(&name);
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

static json_t *make_times(const struct bench_measured *measured, const struct stat_sample *ns)
{
    json_t *time = json_object(), *all = json_array();
    json_object_set_new(time, "median", json_real(ns->median));
    json_object_set_new(time, "lower_quartile", json_real(ns->low));
    json_object_set_new(time, "upper_quartile", json_real(ns->high));
    json_object_set_new(time, "least", json_real(ns->least));
    json_object_set_new(time, "most", json_real(ns->most));
    for (size_t i = 0; i < measured->count; i++)
        json_array_append_new(all, json_real(measured->ns[i]));
    json_object_set_new(time, "all", all);
    return time;
}

static json_t *make_row(const struct cli_look_size *size, const struct look_measured *told)
{
    static const char *const kinds[] = {
        [LOOK_COPY] = "copy", [LOOK_WHOLE] = "scan", [LOOK_ALONE] = "alone"};
    static const char *const words[] = {
        [BENCH_RIGHT] = "right",  [BENCH_WRONG] = "wrong",     [BENCH_UNTIMED] = "untimed",
        [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    json_t *object = json_object(), *statistics = json_object();
    const struct bench_measured *measured = &told->measured;
    const struct look_row row = look_row(told->number);
    put_row_name(object, "name", told);
    put_text(object, "kind", kinds[look_kind(told->number)]);
    put_count(object, "workgroup", row.workgroup);
    put_count(object, "workgroups", look_row_tiles(&row, size->result.elements));
    put_count(object, "tile", row.tile);
    put_text(object, "result", words[bench_verdict(measured)]);
    put_text(object, "reason", measured->reason);
    json_object_set_new(object, "wrong", make_wrong(measured));
    for (size_t i = 0; i < measured->statistic_count; i++)
        put_text(statistics, measured->statistics[i].name, measured->statistics[i].value);
    json_object_set_new(object, "statistics", statistics);
    if (measured->count) {
        const struct look_figures f = look_figures(&size->result, told);
        json_object_set_new(object, "ns", make_times(measured, &f.ns));
        put_known(object, "bytes_per_second", f.bytes);
        put_known(object, "of_copy", f.of_copy);
        put_known(object, "of_cub", f.ns.median > 0 ? size->cub / f.ns.median : 0);
    }
    return object;
}

static json_t *make_size(const struct cli_look_size *size)
{
    json_t *object = json_object(), *rows = json_array();
    const struct look_result *result = &size->result;
    put_count(object, "elements", result->elements);
    put_text(object, "result", eng_result_name(size->end));
    put_text(object, "reason", size->reason);
    put_count(object, "warm_up", result->warm);
    put_count(object, "repeats", result->repeats);
    put_text(object, "clock", result->tick > 0 ? "device" : "host");
    put_known(object, "tick_ns", result->tick);
    put_row_name(object, "copy", look_result_best(result, LOOK_COPY));
    put_row_name(object, "scan", cli_look_chosen(size));
    put_text(object, "scan_is",
             size->chosen >= LOOK_ROWS ? "best"
             : size->tuned             ? "tuned"
                                       : "default");
    put_known(object, "cub_ns", size->cub);
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(rows, make_row(size, &result->rows[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

static json_t *make_device(const struct cli_look_device *told)
{
    json_t *object = json_object(), *sizes = json_array(), *driver = json_object();
    const struct dev_facts *facts = &told->device->facts;
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
    put_text(driver, "name", facts->driver_name);
    put_text(driver, "info", facts->driver_info);
    put_text(driver, "version", facts->driver_version);
    json_object_set_new(object, "driver", driver);
    put_text(object, "reason", told->reason);
    for (size_t i = 0; i < told->count; i++)
        json_array_append_new(sizes, make_size(&told->sizes[i]));
    json_object_set_new(object, "sizes", sizes);
    return object;
}

void cli_look_json(const struct cli_look *look, struct text *text)
{
    json_t *object = json_object(), *tool = json_object(), *devices = json_array();
    put_text(object, "schema", "litmus-bench-lookback/1");
    put_text(object, "benchmark", "lookback");
    put_text(tool, "name", "litmus");
    put_text(tool, "version", LITMUS_VERSION);
    put_text(tool, "command", look->command);
    put_text(tool, "started", look->started);
    put_text(tool, "system", look->system);
    put_hex(tool, "seed", look->seed);
    json_object_set_new(object, "tool", tool);
    json_object_set_new(object, "cub_device",
                        look->cub ? json_string(look->cub->device) : json_null());
    for (size_t i = 0; i < look->count; i++)
        json_array_append_new(devices, make_device(&look->devices[i]));
    json_object_set_new(object, "devices", devices);
    json_t *end = json_object();
    put_count(end, "code", (uint64_t)look->exit);
    put_text(end, "because", look->because);
    json_object_set_new(object, "exit", end);
    char *dump = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(object);
    text_puts(text, dump ? dump : "null");
    text_puts(text, "\n");
    free(dump);
}
