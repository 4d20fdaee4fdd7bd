// SPDX-License-Identifier: Apache-2.0
// litmus bench lookback as JSON: docs/bench-lookback.schema.json.
#include "cli/bench_lookback.h"

#include "cli/bench_put.h"

// Null if there is no such row.
static void put_row_name(json_t *object, const char *key, const struct look_measured *row)
{
    struct text name = {0};
    if (row)
        look_row_name(row->number, &name);
    json_object_set_new(object, key, row ? json_string(name.data) : json_null());
    text_free(&name);
}

static json_t *make_row(const struct cli_look_size *size, const struct look_measured *told)
{
    static const char *const kinds[] = {
        [LOOK_COPY] = "copy", [LOOK_WHOLE] = "scan", [LOOK_ALONE] = "alone"};
    json_t *object = json_object();
    const struct bench_measured *measured = &told->measured;
    const struct look_row row = look_row(told->number);
    put_row_name(object, "name", told);
    cli_put_text(object, "kind", kinds[look_kind(told->number)]);
    cli_put_count(object, "workgroup", row.workgroup);
    cli_put_count(object, "workgroups", look_row_tiles(&row, size->result.elements));
    cli_put_count(object, "tile", row.tile);
    cli_bench_put_verdict(object, measured);
    if (measured->gave_up)
        cli_put_count(object, "gave_up", measured->gave_up);
    if (measured->count) {
        const struct look_figures f = look_figures(&size->result, told);
        json_object_set_new(object, "ns", cli_bench_times(measured, &f.ns));
        cli_put_known(object, "bytes_per_second", f.bytes);
        cli_put_known(object, "of_copy", f.of_copy);
        cli_put_known(object, "of_cub", f.ns.median > 0 ? size->cub / f.ns.median : 0);
    }
    return object;
}

static json_t *make_size(const struct cli_look_size *size)
{
    json_t *object = json_object(), *rows = json_array();
    const struct look_result *result = &size->result;
    cli_put_count(object, "elements", result->elements);
    cli_put_text(object, "result", eng_result_name(size->end));
    cli_put_text(object, "reason", size->reason);
    cli_put_count(object, "warm_up", result->warm);
    cli_put_count(object, "repeats", result->repeats);
    cli_put_text(object, "clock", result->tick > 0 ? "device" : "host");
    cli_put_known(object, "tick_ns", result->tick);
    put_row_name(object, "copy", look_result_best(result, LOOK_COPY));
    put_row_name(object, "scan", cli_look_chosen(size));
    cli_put_text(object, "scan_is",
                 size->chosen >= LOOK_ROWS ? "best"
                 : size->tuned             ? "tuned"
                                           : "default");
    cli_put_known(object, "cub_ns", size->cub);
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(rows, make_row(size, &result->rows[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

static json_t *make_device(const struct cli_look_device *told)
{
    json_t *object = json_object(), *sizes = json_array();
    cli_bench_put_device(object, told->device);
    cli_put_text(object, "reason", told->reason);
    for (size_t i = 0; i < told->count; i++)
        json_array_append_new(sizes, make_size(&told->sizes[i]));
    json_object_set_new(object, "sizes", sizes);
    return object;
}

void cli_look_json(const struct cli_look *look, struct text *text)
{
    json_t *devices = json_array();
    json_t *object = cli_bench_begin(&(struct cli_bench_head){.schema = "litmus-bench-lookback/1",
                                                              .benchmark = "lookback",
                                                              .command = look->command,
                                                              .started = look->started,
                                                              .system = look->system,
                                                              .seed = look->seed});
    json_object_set_new(object, "cub_device",
                        look->cub ? json_string(look->cub->device) : json_null());
    for (size_t i = 0; i < look->count; i++)
        json_array_append_new(devices, make_device(&look->devices[i]));
    json_object_set_new(object, "devices", devices);
    cli_bench_end(object, look->exit, look->because, text);
}
