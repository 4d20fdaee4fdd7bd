// SPDX-License-Identifier: Apache-2.0
// litmus bench scan as JSON: docs/bench.schema.json.
#include "cli/bench_put.h"
#include "cli/bench_report.h"

static json_t *make_triple(double shuffles, double adds, double bytes)
{
    json_t *object = json_object();
    cli_put_known(object, "shuffles", shuffles);
    cli_put_known(object, "adds", adds);
    cli_put_known(object, "bytes", bytes);
    return object;
}

static void put_what(json_t *object, const struct bench_row *row)
{
    struct text name = {0};
    bench_row_name(row, &name);
    cli_put_text(object, "name", name.data);
    text_free(&name);
    cli_put_text(object, "kind", bench_kind_name(row->kind));
    if (row->kind == BENCH_SCAN) {
        cli_put_text(object, "level", bench_level_name(row->level));
        cli_put_text(object, "operation", bench_operation_name(row->operation));
        cli_put_text(object, "barrier", bench_barrier_name(row->barrier));
        cli_put_count(object, "items", row->items);
    }
    if (row->chains)
        cli_put_count(object, "chains", row->chains);
    cli_put_count(object, "workgroup", row->workgroup);
    cli_put_count(object, "workgroups", row->workgroups);
    cli_put_count(object, "loops", row->loops);
    cli_put_count(object, "words", row->words);
    json_t *needs = json_object();
    cli_put_count(needs, "shuffles", row->shuffles);
    cli_put_count(needs, "adds", row->adds);
    cli_put_count(needs, "bytes", row->bytes);
    json_object_set_new(object, "needs", needs);
}

static json_t *make_row(const struct bench_result *result, const struct bench_measured *measured)
{
    json_t *object = json_object();
    put_what(object, &measured->row);
    cli_bench_put_verdict(object, measured);
    if (measured->count) {
        const struct bench_figures f = bench_figures(result, measured);
        json_object_set_new(object, "ns", cli_bench_times(measured, &f.ns));
        cli_put_known(object, "of_native", f.of_native);
        json_object_set_new(object, "per_second", make_triple(f.shuffles, f.adds, f.bytes));
        json_object_set_new(object, "of_limit",
                            make_triple(f.shuffles_share, f.adds_share, f.bytes_share));
    }
    return object;
}

static json_t *make_device(const struct cli_bench_device *told)
{
    json_t *object = json_object(), *rows = json_array();
    const struct bench_result *result = &told->result;
    const struct bench_limits limits = bench_result_limits(result);
    cli_bench_put_device(object, told->device);
    cli_put_text(object, "result", eng_result_name(told->end));
    cli_put_text(object, "reason", told->reason);
    cli_put_count(object, "elements", result->shape.elements);
    cli_put_count(object, "loops", result->shape.loops);
    cli_put_count(object, "warm_up", result->warm);
    cli_put_count(object, "repeats", result->repeats);
    cli_put_text(object, "clock", result->tick > 0 ? "device" : "host");
    cli_put_known(object, "tick_ns", result->tick);
    json_object_set_new(object, "limits", make_triple(limits.shuffles, limits.adds, limits.bytes));
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(rows, make_row(result, &result->rows[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

void cli_bench_json(const struct cli_bench *bench, struct text *text)
{
    json_t *devices = json_array();
    json_t *object = cli_bench_begin(&(struct cli_bench_head){.schema = "litmus-bench/1",
                                                              .benchmark = "scan",
                                                              .command = bench->command,
                                                              .started = bench->started,
                                                              .system = bench->system,
                                                              .seed = bench->seed});
    for (size_t i = 0; i < bench->count; i++)
        json_array_append_new(devices, make_device(&bench->devices[i]));
    json_object_set_new(object, "devices", devices);
    cli_bench_end(object, bench->exit, bench->because, text);
}
