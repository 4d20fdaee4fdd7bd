// SPDX-License-Identifier: Apache-2.0
// The lines between supervisor and worker, written and checked. Counts are JSON integers; what
// needs all 64 bits (seeds, feature bits) and bytes are strings of hexadecimal digits.

#include "engine/protocol.h"

#include "model/result.h"

#include "model/facts.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MAX (UINT64_C(1) << 53) // every number stays exact in any JSON reader

static const char *const request_names[] = {
    [ENG_ENUMERATE] = "enumerate",
    [ENG_OPEN] = "open",
    [ENG_RUN] = "run",
    [ENG_TRY] = "try",
    [ENG_GENERATED] = "generated",
    [ENG_COMPILE] = "compile",
    [ENG_BENCH] = "bench",
    [ENG_QUIT] = "quit",
};

static const char *const event_names[] = {
    [ENG_EVENT_DEVICE] = "device", [ENG_EVENT_OPENED] = "opened", [ENG_EVENT_BATCH] = "batch",
    [ENG_EVENT_CODE] = "code",     [ENG_EVENT_ROW] = "row",       [ENG_EVENT_TIME] = "time",
    [ENG_EVENT_AHEAD] = "ahead",   [ENG_EVENT_RATE] = "rate",     [ENG_EVENT_MESSAGE] = "message",
    [ENG_EVENT_DONE] = "done",     [ENG_EVENT_ERROR] = "error",
};

static const char *const type_names[] = {"discrete", "integrated", "virtual", "cpu", "other"};

// --- Writing

static void put_text(json_t *object, const char *key, const char *value)
{
    char clean[GEN_TEXT_MAX]; // the longest text
    text_sanitise(clean, sizeof clean, value);
    json_object_set_new(object, key, json_string(clean));
}

static void put_number(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key,
                        json_integer((json_int_t)(value < COUNT_MAX ? value : COUNT_MAX)));
}

static void put_bool(json_t *object, const char *key, bool value)
{
    json_object_set_new(object, key, json_boolean(value));
}

static void put_bits(json_t *object, const char *key, uint64_t value)
{
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    json_object_set_new(object, key, json_string(digits));
}

static void put_hex(json_t *object, const char *key, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char *text = lit_alloc(2 * count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_object_set_new(object, key, json_string(text));
    free(text);
}

static void put_facts(json_t *object, const struct dev_facts *facts)
{
    json_t *inner = json_object();
    put_text(inner, "name", facts->name);
    put_text(inner, "driver_name", facts->driver_name);
    put_text(inner, "driver_info", facts->driver_info);
    put_text(inner, "driver_version", facts->driver_version);
    put_text(inner, "problem", facts->problem);
    put_hex(inner, "device_uuid", facts->device_uuid, sizeof facts->device_uuid);
    put_hex(inner, "driver_uuid", facts->driver_uuid, sizeof facts->driver_uuid);
    put_number(inner, "driver_id", facts->driver_id);
    put_number(inner, "vendor", facts->vendor);
    put_number(inner, "product", facts->product);
    put_number(inner, "api", facts->api);
    put_text(inner, "loader", facts->loader);
    put_number(inner, "driver_raw", facts->driver_raw);
    put_bool(inner, "cpu", facts->cpu);
    put_text(inner, "type", facts->type);
    put_number(inner, "subgroup", facts->subgroup);
    put_number(inner, "subgroup_min", facts->subgroup_min);
    put_number(inner, "subgroup_max", facts->subgroup_max);
    put_bool(inner, "subgroup_control", facts->subgroup_control);
    put_number(inner, "max_workgroup", facts->max_workgroup);
    put_number(inner, "max_workgroups", facts->max_workgroups);
    put_number(inner, "max_subgroups", facts->max_subgroups);
    put_number(inner, "max_shared", facts->max_shared);
    put_number(inner, "max_storage_buffer", facts->max_storage_buffer);
    put_bits(inner, "features", facts->features);
    json_object_set_new(object, "facts", inner);
}

static void put_count(json_t *object, const struct eng_count *count)
{
    json_t *inner = json_object(), *outcomes = json_array(), *failures = json_array();
    put_number(inner, "runs", count->runs);
    put_number(inner, "failed_runs", count->failed_runs);
    put_number(inner, "no_progress_runs", count->no_progress_runs);
    put_bool(inner, "first_run_failed", count->first_run_failed);
    put_number(inner, "instances", count->instances);
    put_number(inner, "failed_instances", count->failed_instances);
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        json_array_append_new(outcomes, json_integer((json_int_t)count->outcomes[i]));
    json_object_set_new(inner, "outcomes", outcomes);
    for (size_t i = 0; i < count->failure_count && i < ENG_MAX_FAILURES; i++) {
        const struct eng_failure *failure = &count->failures[i];
        json_t *item = json_object();
        put_number(item, "run", failure->at.run);
        put_number(item, "instance", failure->at.instance);
        put_number(item, "word", failure->at.word);
        put_number(item, "got", failure->at.got);
        put_number(item, "want", failure->at.want);
        put_number(item, "outcome", failure->at.outcome);
        put_text(item, "where", failure->where);
        json_array_append_new(failures, item);
    }
    json_object_set_new(inner, "failures", failures);
    json_object_set_new(inner, "seconds", json_real(count->seconds));
    json_object_set_new(object, "count", inner);
}

static void put_row(json_t *object, const struct bench_said *said)
{
    json_t *list = json_array();
    put_number(object, "row", said->row);
    put_number(object, "loops", said->loops);
    json_object_set_new(object, "tick", json_real(said->tick));
    for (size_t i = 0; i < said->statistic_count && i < BENCH_STATISTICS; i++) {
        json_t *item = json_object();
        put_text(item, "name", said->statistics[i].name);
        put_text(item, "value", said->statistics[i].value);
        json_array_append_new(list, item);
    }
    json_object_set_new(object, "statistics", list);
}

static void put_time(json_t *object, const struct bench_said *said)
{
    put_number(object, "row", said->row);
    put_number(object, "round", said->round);
    json_object_set_new(object, "ns", json_real(said->ns));
    put_number(object, "wrong", said->wrong);
    put_number(object, "at", said->index);
    put_number(object, "got", said->got);
    put_number(object, "want", said->want);
    put_bool(object, "gave_up", said->gave_up);
}

static void put_ahead(json_t *object, const struct eng_request *request)
{
    json_t *list = json_array();
    for (size_t i = 0; i < request->ahead_count && i < ENG_AHEAD_MOST; i++) {
        json_t *item = json_object();
        put_text(item, "name", request->ahead[i].name);
        put_text(item, "stress", request->ahead[i].stress);
        json_array_append_new(list, item);
    }
    json_object_set_new(object, "ahead", list);
}

static void put_rate(json_t *object, const struct bench_rate *rate)
{
    put_number(object, "form", rate->form);
    put_number(object, "round", rate->round);
    put_number(object, "workgroups", rate->workgroups);
    put_number(object, "input_words", rate->input_words);
    put_number(object, "output_words", rate->output_words);
    put_number(object, "state_words", rate->state_words);
    put_number(object, "instances", rate->instances);
    put_number(object, "stride", rate->stride);
    put_number(object, "slots", rate->slots);
    put_number(object, "subgroup", rate->subgroup);
    json_object_set_new(object, "copy", json_real(rate->copy));
    put_number(object, "runs", rate->runs);
    put_number(object, "failed", rate->failed);
    put_number(object, "gave_up", rate->gave_up);
    json_object_set_new(object, "wall_ns", json_real(rate->wall_ns));
    json_object_set_new(object, "cpu_ns", json_real(rate->cpu_ns));
    json_object_set_new(object, "fill_ns", json_real(rate->fill_ns));
    json_object_set_new(object, "test_ns", json_real(rate->test_ns));
    json_object_set_new(object, "check_ns", json_real(rate->check_ns));
}

static void put_line(json_t *object, struct text *line)
{
    char *dump = lit_have(json_dumps(object, JSON_COMPACT));
    json_decref(object);
    text_printf(line, "%s\n", dump);
    free(dump);
}

void eng_request_write(const struct eng_request *request, struct text *line)
{
    json_t *object = json_object();
    put_text(object, "request", request_names[request->kind]);
    switch (request->kind) {
    case ENG_OPEN:
        put_number(object, "index", request->index);
        put_bool(object, "validation", request->validation);
        put_bool(object, "capture", request->capture);
        put_number(object, "checks", request->checks);
        put_number(object, "timeout_ms", request->timeout_ms);
        break;
    case ENG_RUN:
        put_text(object, "name", request->name);
        put_text(object, "stress", request->stress);
        put_ahead(object, request);
        put_bool(object, "renew", request->renew);
        put_number(object, "first", request->first);
        put_number(object, "runs", request->runs);
        put_bits(object, "seed", request->seed);
        put_number(object, "timeout_ms", request->timeout_ms);
        break;
    case ENG_TRY:
        put_number(object, "index", request->index);
        put_text(object, "name", request->name);
        put_text(object, "settings", request->settings);
        put_bits(object, "seed", request->seed);
        put_number(object, "timeout_ms", request->timeout_ms);
        break;
    case ENG_GENERATED:
        put_text(object, "name", request->name);
        put_text(object, "program", request->program);
        put_text(object, "rule", request->rule);
        put_number(object, "workgroup", request->workgroup);
        put_number(object, "subgroup", request->subgroup);
        put_number(object, "runs", request->runs);
        put_bits(object, "seed", request->seed);
        put_number(object, "timeout_ms", request->timeout_ms);
        break;
    case ENG_COMPILE:
        put_text(object, "name", request->name);
        break;
    case ENG_BENCH:
        put_number(object, "index", request->index);
        put_bool(object, "validation", request->validation);
        put_bool(object, "capture", request->capture);
        put_text(object, "name", request->name);
        put_text(object, "rows", request->rows);
        put_number(object, "elements", request->elements);
        put_number(object, "loops", request->loops);
        put_number(object, "budget_ms", request->budget_ms);
        put_number(object, "runs", request->runs);
        put_bits(object, "seed", request->seed);
        put_number(object, "timeout_ms", request->timeout_ms);
        break;
    case ENG_ENUMERATE:
    case ENG_QUIT:
        break;
    }
    put_line(object, line);
}

void eng_event_write(const struct eng_event *event, struct text *line)
{
    json_t *object = json_object();
    put_text(object, "event", event_names[event->kind]);
    switch (event->kind) {
    case ENG_EVENT_OPENED:
        put_bool(object, "host_checker", event->host_checker);
        put_text(object, "text", event->text);
        put_facts(object, &event->facts);
        break;
    case ENG_EVENT_DEVICE:
        put_facts(object, &event->facts);
        break;
    case ENG_EVENT_BATCH:
        put_count(object, &event->count);
        put_bool(object, "fresh", event->fresh);
        break;
    case ENG_EVENT_CODE:
        put_number(object, "total", event->chunk.total);
        put_number(object, "offset", event->chunk.offset);
        put_number(object, "size", event->chunk.size);
        put_hex(object, "bytes", event->chunk.bytes, event->chunk.size);
        break;
    case ENG_EVENT_ROW:
        put_row(object, &event->bench);
        put_text(object, "result", eng_result_name(event->result));
        put_text(object, "text", event->text);
        break;
    case ENG_EVENT_TIME:
        put_time(object, &event->bench);
        break;
    case ENG_EVENT_RATE:
        put_rate(object, &event->rate);
        break;
    case ENG_EVENT_AHEAD:
    case ENG_EVENT_MESSAGE:
        put_text(object, "text", event->text);
        break;
    case ENG_EVENT_DONE:
        put_text(object, "result", eng_result_name(event->result));
        put_text(object, "text", event->text);
        break;
    case ENG_EVENT_ERROR:
        put_number(object, "code", (uint64_t)event->error_code);
        put_text(object, "text", event->text);
        break;
    }
    put_line(object, line);
}

// --- Parsing: every member is taken once; whatever is missing, wrong or left over is an error.

struct reader {
    json_t *object;
    size_t taken;
    const char *wrong; // the first member that is not as it should be
};

static void blame(struct reader *reader, const char *key)
{
    if (!reader->wrong)
        reader->wrong = key;
}

static json_t *take(struct reader *reader, const char *key)
{
    json_t *value = json_object_get(reader->object, key);
    if (value)
        reader->taken++;
    else
        blame(reader, key);
    return value;
}

static void read_text(struct reader *reader, const char *key, char *target, size_t size)
{
    const char *value = json_string_value(take(reader, key));
    target[0] = '\0';
    if (value)
        text_sanitise(target, size, value);
    if (!value || strcmp(value, target))
        blame(reader, key);
}

static uint64_t as_number(struct reader *reader, const char *key, const json_t *value, uint64_t max)
{
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number > max) {
        blame(reader, key);
        return 0;
    }
    return (uint64_t)number;
}

static uint64_t read_number(struct reader *reader, const char *key, uint64_t max)
{
    return as_number(reader, key, take(reader, key), max);
}

static uint32_t read_u32(struct reader *reader, const char *key)
{
    return (uint32_t)read_number(reader, key, UINT32_MAX);
}

static bool read_bool(struct reader *reader, const char *key)
{
    const json_t *value = take(reader, key);
    if (!json_is_boolean(value))
        blame(reader, key);
    return json_is_true(value);
}

// Lower-case hexadecimal digits, two a byte, first byte first.
static void read_hex(struct reader *reader, const char *key, uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const char *value = json_string_value(take(reader, key));
    memset(bytes, 0, count);
    if (!value || strlen(value) != 2 * count || strspn(value, digits) != 2 * count) {
        blame(reader, key);
        return;
    }
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)((strchr(digits, value[2 * i]) - digits) << 4 |
                             (strchr(digits, value[2 * i + 1]) - digits));
}

static uint64_t read_bits(struct reader *reader, const char *key)
{
    uint8_t bytes[8];
    uint64_t bits = 0;
    read_hex(reader, key, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        bits = bits << 8 | bytes[i];
    return bits;
}

static enum lit_exit read_exit(struct reader *reader, const char *key)
{
    const uint64_t code = read_number(reader, key, LIT_EXIT_NOTHING);
    if (code == LIT_EXIT_OK || (code > LIT_EXIT_TIME && code != LIT_EXIT_NOTHING))
        blame(reader, key);
    return (enum lit_exit)code;
}

// The index of a member's value in a list of words; 0 if it is none of them.
static size_t read_word(struct reader *reader, const char *key, const char *const *words,
                        size_t count)
{
    const char *value = json_string_value(take(reader, key));
    for (size_t i = 0; value && i < count; i++)
        if (!strcmp(value, words[i]))
            return i;
    blame(reader, key);
    return 0;
}

static struct reader enter(struct reader *reader, const char *key)
{
    json_t *value = take(reader, key);
    if (!json_is_object(value))
        blame(reader, key);
    return (struct reader){.object = value};
}

static void leave(struct reader *reader, const char *key, struct reader *inner)
{
    if (inner->wrong)
        blame(reader, inner->wrong);
    else if (inner->taken != json_object_size(inner->object))
        blame(reader, key);
}

static bool good_size(uint32_t size)
{
    return size <= 128 && !(size & (size - 1));
}

static void read_facts(struct reader *outer, struct dev_facts *facts)
{
    struct reader reader = enter(outer, "facts");
    struct reader *r = &reader;
    read_text(r, "name", facts->name, sizeof facts->name);
    read_text(r, "driver_name", facts->driver_name, sizeof facts->driver_name);
    read_text(r, "driver_info", facts->driver_info, sizeof facts->driver_info);
    read_text(r, "driver_version", facts->driver_version, sizeof facts->driver_version);
    read_text(r, "problem", facts->problem, sizeof facts->problem);
    read_hex(r, "device_uuid", facts->device_uuid, sizeof facts->device_uuid);
    read_hex(r, "driver_uuid", facts->driver_uuid, sizeof facts->driver_uuid);
    facts->driver_id = read_u32(r, "driver_id");
    facts->vendor = read_u32(r, "vendor");
    facts->product = read_u32(r, "product");
    facts->api = read_u32(r, "api");
    read_text(r, "loader", facts->loader, sizeof facts->loader);
    facts->driver_raw = read_u32(r, "driver_raw");
    facts->cpu = read_bool(r, "cpu");
    snprintf(facts->type, sizeof facts->type, "%s",
             type_names[read_word(r, "type", type_names, sizeof type_names / sizeof *type_names)]);
    facts->subgroup = read_u32(r, "subgroup");
    facts->subgroup_min = read_u32(r, "subgroup_min");
    facts->subgroup_max = read_u32(r, "subgroup_max");
    facts->subgroup_control = read_bool(r, "subgroup_control");
    facts->max_workgroup = read_u32(r, "max_workgroup");
    facts->max_workgroups = read_u32(r, "max_workgroups");
    facts->max_subgroups = read_u32(r, "max_subgroups");
    facts->max_shared = read_u32(r, "max_shared");
    facts->max_storage_buffer = read_number(r, "max_storage_buffer", COUNT_MAX);
    facts->features = read_bits(r, "features");

    // All three sizes are 0 where the driver's own make no sense.
    if (!good_size(facts->subgroup) || !good_size(facts->subgroup_min) ||
        !good_size(facts->subgroup_max) || facts->subgroup_min > facts->subgroup ||
        facts->subgroup > facts->subgroup_max || (facts->subgroup && !facts->subgroup_min))
        blame(r, "subgroup");
    if (facts->features >> CAT_FEATURE_COUNT)
        blame(r, "features");
    leave(outer, "facts", r);
}

static void read_failure(struct reader *outer, json_t *item, struct eng_failure *failure)
{
    struct reader reader = {.object = item};
    struct reader *r = &reader;
    if (!json_is_object(item))
        blame(r, "failures");
    failure->at.run = read_number(r, "run", COUNT_MAX);
    failure->at.instance = read_number(r, "instance", COUNT_MAX);
    failure->at.word = read_number(r, "word", COUNT_MAX);
    failure->at.got = read_u32(r, "got");
    failure->at.want = read_u32(r, "want");
    failure->at.outcome = (uint32_t)read_number(r, "outcome", CAT_OUTCOMES - 1);
    read_text(r, "where", failure->where, sizeof failure->where);
    leave(outer, "failures", r);
}

static void read_count(struct reader *outer, struct eng_count *count)
{
    struct reader reader = enter(outer, "count");
    struct reader *r = &reader;
    count->runs = read_number(r, "runs", COUNT_MAX);
    count->failed_runs = read_number(r, "failed_runs", COUNT_MAX);
    count->no_progress_runs = read_number(r, "no_progress_runs", COUNT_MAX);
    count->first_run_failed = read_bool(r, "first_run_failed");
    count->instances = read_number(r, "instances", COUNT_MAX);
    count->failed_instances = read_number(r, "failed_instances", COUNT_MAX);

    const json_t *outcomes = take(r, "outcomes");
    if (json_array_size(outcomes) != CAT_OUTCOMES)
        blame(r, "outcomes");
    for (size_t i = 0; i < CAT_OUTCOMES; i++)
        count->outcomes[i] = as_number(r, "outcomes", json_array_get(outcomes, i), COUNT_MAX);

    const json_t *failures = take(r, "failures");
    count->failure_count = json_array_size(failures);
    if (!json_is_array(failures) || count->failure_count > ENG_MAX_FAILURES) {
        blame(r, "failures");
        count->failure_count = 0;
    }
    for (size_t i = 0; i < count->failure_count; i++)
        read_failure(r, json_array_get(failures, i), &count->failures[i]);

    const json_t *seconds = take(r, "seconds");
    if (!json_is_number(seconds))
        blame(r, "seconds");
    count->seconds = json_number_value(seconds);
    leave(outer, "count", r);
}

static void read_chunk(struct reader *r, struct eng_chunk *chunk)
{
    chunk->total = read_number(r, "total", ENG_CODE_MAX);
    chunk->offset = read_number(r, "offset", ENG_CODE_MAX);
    chunk->size = read_number(r, "size", ENG_CHUNK);
    if (chunk->offset > chunk->total || chunk->size > chunk->total - chunk->offset)
        blame(r, "offset");
    read_hex(r, "bytes", chunk->bytes, chunk->size);
}

// A time: finite, not negative.
static double read_real(struct reader *reader, const char *key)
{
    const json_t *value = take(reader, key);
    const double real = json_number_value(value);
    if (!json_is_number(value) || !isfinite(real) || real < 0)
        blame(reader, key);
    return real;
}

static void read_row(struct reader *r, struct bench_said *said)
{
    said->row = read_u32(r, "row");
    said->loops = read_u32(r, "loops");
    said->tick = read_real(r, "tick");
    const json_t *list = take(r, "statistics");
    if (!json_is_array(list) || json_array_size(list) > BENCH_STATISTICS) {
        blame(r, "statistics");
        return;
    }
    said->statistic_count = json_array_size(list);
    for (size_t i = 0; i < said->statistic_count; i++) {
        struct reader item = {.object = json_array_get(list, i)};
        struct bench_statistic *statistic = &said->statistics[i];
        read_text(&item, "name", statistic->name, sizeof statistic->name);
        read_text(&item, "value", statistic->value, sizeof statistic->value);
        leave(r, "statistics", &item);
    }
}

static void read_time(struct reader *r, struct bench_said *said)
{
    said->row = read_u32(r, "row");
    said->round = read_u32(r, "round");
    said->ns = read_real(r, "ns");
    said->wrong = read_number(r, "wrong", COUNT_MAX);
    said->index = read_number(r, "at", COUNT_MAX);
    said->got = read_u32(r, "got");
    said->want = read_u32(r, "want");
    said->gave_up = read_bool(r, "gave_up");
}

static void read_ahead(struct reader *r, struct eng_request *request)
{
    const json_t *list = take(r, "ahead");
    if (!json_is_array(list) || json_array_size(list) > ENG_AHEAD_MOST) {
        blame(r, "ahead");
        return;
    }
    request->ahead_count = json_array_size(list);
    for (size_t i = 0; i < request->ahead_count; i++) {
        struct reader item = {.object = json_array_get(list, i)};
        struct eng_ahead *ahead = &request->ahead[i];
        read_text(&item, "name", ahead->name, sizeof ahead->name);
        read_text(&item, "stress", ahead->stress, sizeof ahead->stress);
        leave(r, "ahead", &item);
    }
}

static void read_rate(struct reader *r, struct bench_rate *rate)
{
    rate->form = read_u32(r, "form");
    rate->round = read_u32(r, "round");
    rate->workgroups = read_number(r, "workgroups", COUNT_MAX);
    rate->input_words = read_number(r, "input_words", COUNT_MAX);
    rate->output_words = read_number(r, "output_words", COUNT_MAX);
    rate->state_words = read_number(r, "state_words", COUNT_MAX);
    rate->instances = read_number(r, "instances", COUNT_MAX);
    rate->stride = read_u32(r, "stride");
    rate->slots = read_u32(r, "slots");
    rate->subgroup = read_u32(r, "subgroup");
    rate->copy = read_real(r, "copy");
    rate->runs = read_number(r, "runs", COUNT_MAX);
    rate->failed = read_number(r, "failed", COUNT_MAX);
    rate->gave_up = read_number(r, "gave_up", COUNT_MAX);
    rate->wall_ns = read_real(r, "wall_ns");
    rate->cpu_ns = read_real(r, "cpu_ns");
    rate->fill_ns = read_real(r, "fill_ns");
    rate->test_ns = read_real(r, "test_ns");
    rate->check_ns = read_real(r, "check_ns");
}

static bool start(struct reader *reader, const char *line, size_t length, struct lit_error *error)
{
    json_error_t where;
    *reader = (struct reader){0};
    if (length >= ENG_LINE_MAX)
        return lit_fail(error, LIT_EXIT_USAGE, "a line of %zu bytes", length);
    reader->object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    if (!reader->object)
        return lit_fail(error, LIT_EXIT_USAGE, "no JSON: %s", where.text);
    if (!json_is_object(reader->object)) {
        json_decref(reader->object);
        return lit_fail(error, LIT_EXIT_USAGE, "no JSON object");
    }
    return true;
}

static bool finish(struct reader *reader, struct lit_error *error)
{
    const bool extra = reader->taken != json_object_size(reader->object);
    json_decref(reader->object);
    if (reader->wrong)
        return lit_fail(error, LIT_EXIT_USAGE, "'%s' is missing or makes no sense", reader->wrong);
    return !extra || lit_fail(error, LIT_EXIT_USAGE, "there is more than there should be");
}

bool eng_request_parse(const char *line, size_t length, struct eng_request *request,
                       struct lit_error *error)
{
    struct reader reader;
    struct reader *r = &reader;
    memset(request, 0, sizeof *request);
    if (!start(r, line, length, error))
        return false;
    request->kind = (enum eng_request_kind)read_word(r, "request", request_names,
                                                     sizeof request_names / sizeof *request_names);
    switch (request->kind) {
    case ENG_OPEN:
        request->index = read_u32(r, "index");
        request->validation = read_bool(r, "validation");
        request->capture = read_bool(r, "capture");
        request->checks = (uint32_t)read_number(r, "checks", ENG_ALL_CHECKS);
        request->timeout_ms = read_u32(r, "timeout_ms");
        break;
    case ENG_RUN:
        read_text(r, "name", request->name, sizeof request->name);
        read_text(r, "stress", request->stress, sizeof request->stress);
        read_ahead(r, request);
        request->renew = read_bool(r, "renew");
        request->first = read_number(r, "first", COUNT_MAX);
        request->runs = read_number(r, "runs", COUNT_MAX);
        request->seed = read_bits(r, "seed");
        request->timeout_ms = read_u32(r, "timeout_ms");
        break;
    case ENG_TRY:
        request->index = read_u32(r, "index");
        read_text(r, "name", request->name, sizeof request->name);
        read_text(r, "settings", request->settings, sizeof request->settings);
        request->seed = read_bits(r, "seed");
        request->timeout_ms = read_u32(r, "timeout_ms");
        break;
    case ENG_GENERATED:
        read_text(r, "name", request->name, sizeof request->name);
        read_text(r, "program", request->program, sizeof request->program);
        read_text(r, "rule", request->rule, sizeof request->rule);
        request->workgroup = read_u32(r, "workgroup");
        request->subgroup = read_u32(r, "subgroup");
        request->runs = read_number(r, "runs", COUNT_MAX);
        request->seed = read_bits(r, "seed");
        request->timeout_ms = read_u32(r, "timeout_ms");
        break;
    case ENG_COMPILE:
        read_text(r, "name", request->name, sizeof request->name);
        break;
    case ENG_BENCH:
        request->index = read_u32(r, "index");
        request->validation = read_bool(r, "validation");
        request->capture = read_bool(r, "capture");
        read_text(r, "name", request->name, sizeof request->name);
        read_text(r, "rows", request->rows, sizeof request->rows);
        request->elements = read_u32(r, "elements");
        request->loops = read_u32(r, "loops");
        request->budget_ms = read_u32(r, "budget_ms");
        request->runs = read_number(r, "runs", COUNT_MAX);
        request->seed = read_bits(r, "seed");
        request->timeout_ms = read_u32(r, "timeout_ms");
        break;
    case ENG_ENUMERATE:
    case ENG_QUIT:
        break;
    }
    return finish(r, error);
}

bool eng_event_parse(const char *line, size_t length, struct eng_event *event,
                     struct lit_error *error)
{
    const char *results[ENG_RESULTS];
    struct reader reader;
    struct reader *r = &reader;
    memset(event, 0, sizeof *event);
    for (int i = 0; i < ENG_RESULTS; i++)
        results[i] = eng_result_name((enum eng_result)i);
    if (!start(r, line, length, error))
        return false;
    event->kind = (enum eng_event_kind)read_word(r, "event", event_names,
                                                 sizeof event_names / sizeof *event_names);
    switch (event->kind) {
    case ENG_EVENT_OPENED:
        event->host_checker = read_bool(r, "host_checker");
        read_text(r, "text", event->text, sizeof event->text);
        read_facts(r, &event->facts);
        break;
    case ENG_EVENT_DEVICE:
        read_facts(r, &event->facts);
        break;
    case ENG_EVENT_BATCH:
        read_count(r, &event->count);
        event->fresh = read_bool(r, "fresh");
        break;
    case ENG_EVENT_CODE:
        read_chunk(r, &event->chunk);
        break;
    case ENG_EVENT_ROW:
        read_row(r, &event->bench);
        event->result = (enum eng_result)read_word(r, "result", results, ENG_RESULTS);
        read_text(r, "text", event->text, sizeof event->text);
        break;
    case ENG_EVENT_TIME:
        read_time(r, &event->bench);
        break;
    case ENG_EVENT_RATE:
        read_rate(r, &event->rate);
        break;
    case ENG_EVENT_AHEAD:
    case ENG_EVENT_MESSAGE:
        read_text(r, "text", event->text, sizeof event->text);
        break;
    case ENG_EVENT_DONE:
        event->result = (enum eng_result)read_word(r, "result", results, ENG_RESULTS);
        read_text(r, "text", event->text, sizeof event->text);
        break;
    case ENG_EVENT_ERROR:
        event->error_code = read_exit(r, "code");
        read_text(r, "text", event->text, sizeof event->text);
        break;
    }
    if (!finish(r, error))
        return false;
    const char *wrong =
        event->kind == ENG_EVENT_BATCH ? eng_count_disagrees(&event->count, NULL) : NULL;
    return !wrong || lit_fail(error, LIT_EXIT_USAGE, "%s", wrong);
}
