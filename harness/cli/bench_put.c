// SPDX-License-Identifier: Apache-2.0
// What the JSON of all benchmarks has in common.
#include "cli/bench_put.h"

#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void cli_put_text(json_t *object, const char *key, const char *value)
{
    json_t *string = json_string(value);
    json_object_set_new(object, key, string ? string : json_string("?"));
}

void cli_put_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

void cli_put_real(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_real(value));
}

void cli_put_known(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, value > 0 ? json_real(value) : json_null());
}

void cli_put_hex(json_t *object, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    cli_put_text(object, key, text);
}

json_t *cli_bench_sample(const struct stat_sample *sample)
{
    json_t *object = json_object();
    cli_put_real(object, "median", sample->median);
    cli_put_real(object, "lower_quartile", sample->low);
    cli_put_real(object, "upper_quartile", sample->high);
    cli_put_real(object, "least", sample->least);
    cli_put_real(object, "most", sample->most);
    return object;
}

json_t *cli_bench_times(const struct bench_measured *measured, const struct stat_sample *ns)
{
    json_t *time = cli_bench_sample(ns), *all = json_array();
    for (size_t i = 0; i < measured->count; i++)
        json_array_append_new(all, json_real(measured->ns[i]));
    json_object_set_new(time, "all", all);
    return time;
}

static json_t *make_wrong(const struct bench_measured *measured)
{
    json_t *wrong = json_object();
    cli_put_count(wrong, "dispatches", measured->wrong);
    cli_put_count(wrong, "of", measured->dispatches);
    if (measured->wrong) {
        json_t *first = json_object();
        cli_put_count(first, "dispatch", measured->first.round);
        cli_put_count(first, "words", measured->first.wrong);
        cli_put_count(first, "word", measured->first.index);
        cli_put_hex(first, "got", measured->first.got);
        cli_put_hex(first, "want", measured->first.want);
        json_object_set_new(wrong, "first", first);
    }
    return wrong;
}

void cli_bench_put_verdict(json_t *object, const struct bench_measured *measured)
{
    static const char *const words[] = {
        [BENCH_RIGHT] = "right",     [BENCH_WRONG] = "wrong",  [BENCH_GAVE_UP] = "gave-up",
        [BENCH_UNTIMED] = "untimed", [BENCH_SKIP] = "skipped", [BENCH_REFUSAL] = "refused",
    };
    json_t *statistics = json_object();
    cli_put_text(object, "result", words[bench_verdict(measured)]);
    cli_put_text(object, "reason", measured->reason);
    json_object_set_new(object, "wrong", make_wrong(measured));
    for (size_t i = 0; i < measured->statistic_count; i++)
        cli_put_text(statistics, measured->statistics[i].name, measured->statistics[i].value);
    json_object_set_new(object, "statistics", statistics);
}

void cli_bench_put_device(json_t *object, const struct eng_device *device)
{
    const struct dev_facts *facts = &device->facts;
    json_t *driver = json_object();
    char text[48];
    cli_put_count(object, "number", device->number);
    cli_put_text(object, "name", facts->name);
    cli_put_text(object, "type", facts->type);
    format_uuid(text, facts->device_uuid);
    cli_put_text(object, "uuid", text);
    cli_put_text(object, "id", device->id);
    format_api(text, facts->api);
    cli_put_text(object, "vulkan", text);
    cli_put_count(object, "subgroup", facts->subgroup);
    cli_put_text(driver, "name", facts->driver_name);
    cli_put_text(driver, "info", facts->driver_info);
    cli_put_text(driver, "version", facts->driver_version);
    json_object_set_new(object, "driver", driver);
}

json_t *cli_bench_begin(const struct cli_bench_head *head)
{
    json_t *object = json_object(), *tool = json_object();
    cli_put_text(object, "schema", head->schema);
    cli_put_text(object, "benchmark", head->benchmark);
    cli_put_text(tool, "name", "litmus");
    cli_put_text(tool, "version", LITMUS_VERSION);
    cli_put_text(tool, "command", head->command);
    cli_put_text(tool, "started", head->started);
    cli_put_text(tool, "system", head->system);
    cli_put_hex(tool, "seed", head->seed);
    json_object_set_new(object, "tool", tool);
    return object;
}

void cli_bench_end(json_t *object, enum lit_exit code, const char *because, struct text *text)
{
    json_t *end = json_object();
    cli_put_count(end, "code", (uint64_t)code);
    cli_put_text(end, "because", because);
    json_object_set_new(object, "exit", end);
    char *dump = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(object);
    text_puts(text, dump ? dump : "null");
    text_puts(text, "\n");
    free(dump);
}
