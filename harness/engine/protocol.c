// SPDX-License-Identifier: Apache-2.0
// Reads and writes the lines between supervisor and worker, by tables of their fields
// (model/field.h). Numbers that need all 64 bits (seeds, feature bits) and bytes are strings of
// hexadecimal digits.

#include "engine/protocol.h"

#include "model/field.h"

#include <jansson.h>

static const char *const request_names[] = {
    [ENG_ENUMERATE] = "enumerate",
    [ENG_OPEN] = "open",
    [ENG_RUN] = "run",
    [ENG_TRY] = "try",
    [ENG_OUTPUT] = "output",
    [ENG_GENERATED] = "generated",
    [ENG_COMPILE] = "compile",
    [ENG_BENCH] = "bench",
    [ENG_TEACH] = "teach",
    [ENG_QUIT] = "quit",
};

static const char *const event_names[] = {
    [ENG_EVENT_DEVICE] = "device",     [ENG_EVENT_OPENED] = "opened",
    [ENG_EVENT_BATCH] = "batch",       [ENG_EVENT_CODE] = "code",
    [ENG_EVENT_ROW] = "row",           [ENG_EVENT_TIME] = "time",
    [ENG_EVENT_PRECOMPILED] = "ahead", [ENG_EVENT_RATE] = "rate",
    [ENG_EVENT_MESSAGE] = "message",   [ENG_EVENT_DONE] = "done",
    [ENG_EVENT_ERROR] = "error",
};

// --- The tables

#define SIZE(of, field) sizeof(((struct of *)0)->field)
#define PLAIN(kinds, key, type, of, field)                                                         \
    {                                                                                              \
        key, FIELD_AT(type, of, field), FIELD_MOST, kinds, NULL, NULL, 0                           \
    }
#define LIMITED(kinds, key, of, field, most)                                                       \
    {                                                                                              \
        key, FIELD_AT(NUMBER, of, field), most, kinds, NULL, NULL, 0                               \
    }
#define COUNTED(kinds, key, type, of, field, count, fields)                                        \
    {                                                                                              \
        key, FIELD_##type, offsetof(struct of, field), SIZE(of, field[0]),                         \
            SIZE(of, field) / SIZE(of, field[0]), kinds, NULL, fields, offsetof(struct of, count)  \
    }
#define CHUNK(kinds, of)                                                                           \
    LIMITED(kinds, "total", of, chunk.total, ENG_CODE_MAX),                                        \
        LIMITED(kinds, "offset", of, chunk.offset, ENG_CODE_MAX),                                  \
        LIMITED(kinds, "size", of, chunk.size, ENG_CHUNK),                                         \
        COUNTED(kinds, "bytes", BYTES, of, chunk.bytes, chunk.size, NULL)
#define INSIDE(kinds, key, of, field, fields)                                                      \
    {                                                                                              \
        key, FIELD_AT(OBJECT, of, field), 0, kinds, NULL, fields, 0                                \
    }

#define FACT(type, member) FIELD_OF(type, dev_facts, member),
static const struct field facts_fields[] = {DEV_FACTS(FACT) FACT(CHARS, problem) FACT(
    CHARS, products) FACT(NUMBER, max_subgroups) FIELD_END};

#define COUNT(type, field) FIELD_OF(type, eng_count, field)
static const struct field count_fields[] = {
    COUNT(NUMBER, runs),           COUNT(NUMBER, failed_runs), COUNT(NUMBER, no_progress_runs),
    COUNT(BOOL, first_run_failed), COUNT(NUMBER, instances),   COUNT(NUMBER, failed_instances),
    COUNT(NUMBERS, outcomes),      COUNT(REAL, seconds),       FIELD_END,
};

static const struct field statistic_fields[] = {
    FIELD_OF(CHARS, bench_statistic, name),
    FIELD_OF(CHARS, bench_statistic, value),
    FIELD_END,
};

static const struct field ahead_fields[] = {
    FIELD_OF(CHARS, eng_upcoming, name),
    FIELD_OF(CHARS, eng_upcoming, stress),
    FIELD_END,
};

#define OPEN      (1u << ENG_OPEN)
#define RUN       (1u << ENG_RUN)
#define TRIED     (1u << ENG_TRY | 1u << ENG_OUTPUT)
#define GENERATED (1u << ENG_GENERATED)
#define COMPILE   (1u << ENG_COMPILE)
#define BENCH     (1u << ENG_BENCH)
#define TEACH     (1u << ENG_TEACH)

#define ASK(kinds, type, field) PLAIN(kinds, #field, type, eng_request, field)
static const struct field request_fields[] = {
    ASK(OPEN | TRIED | BENCH, NUMBER, index),
    ASK(OPEN | BENCH, BOOL, validation),
    ASK(OPEN | BENCH, BOOL, capture),
    LIMITED(OPEN, "checks", eng_request, checks, ENG_ALL_CHECKS),
    ASK(RUN | TRIED | GENERATED | COMPILE | BENCH, CHARS, name),
    ASK(RUN, CHARS, stress),
    COUNTED(RUN, "ahead", LIST, eng_request, ahead, ahead_count, ahead_fields),
    ASK(RUN, BOOL, renew),
    ASK(RUN, BOOL, timed),
    ASK(OPEN | TRIED, CHARS, settings),
    ASK(GENERATED, CHARS, program),
    ASK(GENERATED, CHARS, rule),
    ASK(GENERATED, NUMBER, subgroup),
    ASK(BENCH, CHARS, rows),
    ASK(BENCH, NUMBER, elements),
    ASK(BENCH, NUMBER, loops),
    ASK(BENCH, NUMBER, budget_ms),
    ASK(RUN, NUMBER, first),
    ASK(RUN | GENERATED | BENCH, NUMBER, runs),
    ASK(RUN, NUMBER, waits),
    ASK(RUN, NUMBER, expired),
    ASK(RUN | TRIED | GENERATED | BENCH, HEX, seed),
    ASK(OPEN | RUN | TRIED | GENERATED | BENCH, NUMBER, timeout_ms),
    ASK(TEACH, BOOL, instead),
    CHUNK(TEACH, eng_request),
    FIELD_END,
};

#define DEVICE  (1u << ENG_EVENT_DEVICE)
#define OPENED  (1u << ENG_EVENT_OPENED)
#define BATCH   (1u << ENG_EVENT_BATCH)
#define CODE    (1u << ENG_EVENT_CODE)
#define ROW     (1u << ENG_EVENT_ROW)
#define TIME    (1u << ENG_EVENT_TIME)
#define AHEAD   (1u << ENG_EVENT_PRECOMPILED)
#define RATE    (1u << ENG_EVENT_RATE)
#define MESSAGE (1u << ENG_EVENT_MESSAGE)
#define DONE    (1u << ENG_EVENT_DONE)
#define ERROR   (1u << ENG_EVENT_ERROR)

#define SAY(kinds, type, key, field) PLAIN(kinds, key, type, eng_event, field)
#define OF_RATE(type, field)         PLAIN(RATE, #field, type, eng_event, rate.field)
static const struct field event_fields[] = {
    INSIDE(OPENED | DEVICE, "facts", eng_event, facts, facts_fields),
    SAY(OPENED, BOOL, "host_checker", host_checker),
    INSIDE(BATCH, "count", eng_event, count, count_fields),
    COUNTED(BATCH, "failures", LIST, eng_event, failures, count.failure_count, eng_failure_fields),
    SAY(BATCH, REAL, "tested", tested),
    SAY(BATCH, BOOL, "fresh", fresh),
    CHUNK(CODE, eng_event),
    SAY(ROW | TIME, NUMBER, "row", bench.row),
    SAY(ROW, NUMBER, "loops", bench.loops),
    SAY(ROW, REAL, "tick", bench.tick),
    COUNTED(ROW, "statistics", LIST, eng_event, bench.statistics, bench.statistic_count,
            statistic_fields),
    SAY(TIME, NUMBER, "round", bench.round),
    SAY(TIME, REAL, "ns", bench.ns),
    SAY(TIME, NUMBER, "wrong", bench.wrong),
    SAY(TIME, NUMBER, "at", bench.index),
    SAY(TIME, NUMBER, "got", bench.got),
    SAY(TIME, NUMBER, "want", bench.want),
    SAY(TIME, BOOL, "gave_up", bench.expired),
    OF_RATE(NUMBER, form),
    OF_RATE(NUMBER, round),
    OF_RATE(NUMBER, workgroups),
    OF_RATE(NUMBER, input_words),
    OF_RATE(NUMBER, output_words),
    OF_RATE(NUMBER, state_words),
    OF_RATE(NUMBER, instances),
    OF_RATE(NUMBER, stride),
    OF_RATE(NUMBER, slots),
    OF_RATE(NUMBER, subgroup),
    OF_RATE(REAL, copy),
    OF_RATE(NUMBER, runs),
    OF_RATE(NUMBER, failed),
    SAY(RATE, NUMBER, "gave_up", rate.expired),
    OF_RATE(REAL, wall_ns),
    OF_RATE(REAL, cpu_ns),
    OF_RATE(REAL, fill_ns),
    OF_RATE(REAL, test_ns),
    OF_RATE(REAL, check_ns),
    {"result", FIELD_AT(NAME, eng_event, result), ENG_RESULTS, ROW | DONE, NULL, eng_result_names,
     0},
    LIMITED(ERROR, "code", eng_event, error_code, LIT_EXIT_NOTHING),
    SAY(OPENED | ROW | AHEAD | MESSAGE | DONE | ERROR, CHARS, "text", text),
    FIELD_END,
};

static void write_line(const char *what, const char *name, const struct field *fields,
                       unsigned kind, const void *structure, struct text *line)
{
    json_auto_t *object = field_write(fields, 1u << kind, structure);
    json_object_set_new(object, what, json_string(name));
    OWNED(lit_free) char *dump = lit_have(json_dumps(object, JSON_COMPACT));
    text_printf(line, "%s\n", dump);
}

void eng_request_write(const struct eng_request *request, struct text *line)
{
    write_line("request", request_names[request->kind], request_fields, request->kind, request,
               line);
}

void eng_event_write(const struct eng_event *event, struct text *line)
{
    write_line("event", event_names[event->kind], event_fields, event->kind, event, line);
}

// --- Parsing: takes each member once; anything missing, wrong or left over is an error.

static bool is_part(const struct eng_chunk *chunk)
{
    return chunk->offset <= chunk->total && chunk->size <= chunk->total - chunk->offset;
}

// Checks the fields of an event against each other.
static const char *check_event(const struct eng_event *event)
{
    const enum lit_exit code = event->error_code;
    if (event->kind == ENG_EVENT_DEVICE || event->kind == ENG_EVENT_OPENED)
        return dev_facts_wrong(&event->facts);
    if (event->kind == ENG_EVENT_CODE && !is_part(&event->chunk))
        return "offset";
    return event->kind == ENG_EVENT_ERROR &&
                   (code == LIT_EXIT_OK || (code > LIT_EXIT_TIME && code != LIT_EXIT_NOTHING))
               ? "code"
               : NULL;
}

static json_t *load(const char *line, size_t length, struct lit_error *error)
{
    json_error_t where;
    if (length >= ENG_LINE_MAX) {
        lit_fail(error, LIT_EXIT_USAGE, "a line of %zu bytes", length);
        return NULL;
    }
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    if (!object)
        lit_fail(error, LIT_EXIT_USAGE, "no JSON: %s", where.text);
    else if (!json_is_object(object))
        lit_fail(error, LIT_EXIT_USAGE, "no JSON object");
    if (json_is_object(object))
        return object;
    json_decref(object);
    return NULL;
}

static bool read_line(const char *line, size_t length, const char *what, const char *const *names,
                      unsigned count, const struct field *fields, unsigned *kind, void *structure,
                      struct lit_error *error)
{
    json_auto_t *object = load(line, length, error);
    const char *name = json_string_value(json_object_get(object, what));
    if (!object)
        return false;
    *kind = 0;
    while (name && *kind < count && strcmp(name, names[*kind]) != 0)
        ++*kind;
    char fault[128] = "no message of a known kind";
    const bool known = name && *kind < count;
    json_object_del(object, what);
    const bool good = known && field_read(fields, 1u << *kind, true, object, structure, fault);
    return good || lit_fail(error, LIT_EXIT_USAGE, "%s", fault);
}

bool eng_request_parse(const char *line, size_t length, struct eng_request *request,
                       struct lit_error *error)
{
    unsigned kind = 0;
    memset(request, 0, sizeof *request);
    const bool good = read_line(line, length, "request", request_names,
                                sizeof request_names / sizeof *request_names, request_fields, &kind,
                                request, error);
    request->kind = good ? (enum eng_request_kind)kind : ENG_ENUMERATE;
    if (request->kind == ENG_TEACH && !is_part(&request->chunk))
        return lit_fail(error, LIT_EXIT_USAGE, "'offset' is missing or invalid");
    return good;
}

bool eng_event_parse(const char *line, size_t length, struct eng_event *event,
                     struct lit_error *error)
{
    unsigned kind = 0;
    memset(event, 0, sizeof *event);
    if (!read_line(line, length, "event", event_names, sizeof event_names / sizeof *event_names,
                   event_fields, &kind, event, error))
        return false;
    event->kind = (enum eng_event_kind)kind;
    const char *wrong = check_event(event);
    if (wrong)
        return lit_fail(error, LIT_EXIT_USAGE, "'%s' is missing or invalid", wrong);
    wrong = event->kind == ENG_EVENT_BATCH ? eng_count_disagrees(&event->count, NULL) : NULL;
    return !wrong || lit_fail(error, LIT_EXIT_USAGE, "%s", wrong);
}
