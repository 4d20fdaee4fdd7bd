// SPDX-License-Identifier: Apache-2.0
// The lines between supervisor and worker: tables of their fields, one writer and one reader, which
// checks every type and bound. Counts are JSON integers; what needs all 64 bits (seeds, feature
// bits) and bytes are strings of hexadecimal digits.

#include "engine/protocol.h"

#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_MAX (UINT64_C(1) << 53) // every number stays exact in any JSON reader

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

// A field of a structure, and where it travels.
struct field {
    const char *key;
    enum type {
        TEXT,    // an array of characters
        NUMBER,  // uint32_t, uint64_t or size_t, at most `most`
        BOOL,    // bool
        BITS,    // uint64_t
        BYTES,   // uint8_t[size], or as many as the size_t at `count` says
        REAL,    // double: finite, not negative
        NUMBERS, // uint64_t[], all of them
        RESULT,  // enum eng_result
        OBJECT,  // a structure with fields of its own
        LIST,    // an array of such, of which the size_t at `count` says how many there are
    } type;
    uint32_t kinds;             // bit k: it is in a message of kind k
    size_t offset;              // in the structure
    size_t size;                // bytes, of a list those of one element
    uint64_t most;              // of a number; elements of a list
    size_t count;               // offset, see above
    const struct field *fields; // of what is inside, ended by one without a key
};

#define ALL             UINT32_MAX
#define SIZE(of, field) sizeof(((struct of *)0)->field)
#define PLAIN(kinds, key, type, of, field)                                                         \
    {                                                                                              \
        key, type, kinds, offsetof(struct of, field), SIZE(of, field), COUNT_MAX, SIZE_MAX, NULL   \
    }
#define LIMITED(kinds, key, of, field, most)                                                       \
    {                                                                                              \
        key, NUMBER, kinds, offsetof(struct of, field), SIZE(of, field), most, SIZE_MAX, NULL      \
    }
#define COUNTED(kinds, key, type, of, field, count, fields)                                        \
    {                                                                                              \
        key, type, kinds, offsetof(struct of, field), SIZE(of, field[0]),                          \
            SIZE(of, field) / SIZE(of, field[0]), offsetof(struct of, count), fields               \
    }
#define CHUNK(kinds, of)                                                                           \
    LIMITED(kinds, "total", of, chunk.total, ENG_CODE_MAX),                                        \
        LIMITED(kinds, "offset", of, chunk.offset, ENG_CODE_MAX),                                  \
        LIMITED(kinds, "size", of, chunk.size, ENG_CHUNK),                                         \
        COUNTED(kinds, "bytes", BYTES, of, chunk.bytes, chunk.size, NULL)
#define INSIDE(kinds, key, of, field, fields)                                                      \
    {                                                                                              \
        key, OBJECT, kinds, offsetof(struct of, field), SIZE(of, field), 0, SIZE_MAX, fields       \
    }

#define FACT(type, field) PLAIN(ALL, #field, type, dev_facts, field)
static const struct field facts_fields[] = {
    FACT(TEXT, name),
    FACT(TEXT, driver_name),
    FACT(TEXT, driver_info),
    FACT(TEXT, driver_version),
    FACT(TEXT, problem),
    FACT(BYTES, device_uuid),
    FACT(BYTES, driver_uuid),
    FACT(NUMBER, driver_id),
    FACT(NUMBER, vendor),
    FACT(NUMBER, product),
    FACT(NUMBER, api),
    FACT(TEXT, loader),
    FACT(NUMBER, driver_raw),
    FACT(BOOL, cpu),
    FACT(TEXT, type),
    LIMITED(ALL, "subgroup", dev_facts, subgroup, 128),
    LIMITED(ALL, "subgroup_min", dev_facts, subgroup_min, 128),
    LIMITED(ALL, "subgroup_max", dev_facts, subgroup_max, 128),
    FACT(BOOL, subgroup_control),
    FACT(NUMBER, max_workgroup),
    FACT(NUMBER, max_workgroups),
    FACT(NUMBER, max_subgroups),
    FACT(NUMBER, max_shared),
    FACT(NUMBER, max_storage_buffer),
    FACT(BITS, features),
    {0},
};

#define FAILURE(type, key, field) PLAIN(ALL, key, type, eng_failure, field)
static const struct field failure_fields[] = {
    FAILURE(NUMBER, "run", at.run),
    FAILURE(NUMBER, "instance", at.instance),
    FAILURE(NUMBER, "word", at.word),
    FAILURE(NUMBER, "got", at.got),
    FAILURE(NUMBER, "want", at.want),
    LIMITED(ALL, "outcome", eng_failure, at.outcome, CAT_OUTCOMES - 1),
    FAILURE(TEXT, "where", where),
    {0},
};

#define COUNT(type, field) PLAIN(ALL, #field, type, eng_count, field)
static const struct field count_fields[] = {
    COUNT(NUMBER, runs),
    COUNT(NUMBER, failed_runs),
    COUNT(NUMBER, no_progress_runs),
    COUNT(BOOL, first_run_failed),
    COUNT(NUMBER, instances),
    COUNT(NUMBER, failed_instances),
    COUNT(NUMBERS, outcomes),
    COUNTED(ALL, "failures", LIST, eng_count, failures, failure_count, failure_fields),
    COUNT(REAL, seconds),
    {0},
};

static const struct field statistic_fields[] = {
    PLAIN(ALL, "name", TEXT, bench_statistic, name),
    PLAIN(ALL, "value", TEXT, bench_statistic, value),
    {0},
};

static const struct field ahead_fields[] = {
    PLAIN(ALL, "name", TEXT, eng_upcoming, name),
    PLAIN(ALL, "stress", TEXT, eng_upcoming, stress),
    {0},
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
    ASK(RUN | TRIED | GENERATED | COMPILE | BENCH | TEACH, TEXT, name),
    ASK(RUN, TEXT, stress),
    COUNTED(RUN, "ahead", LIST, eng_request, ahead, ahead_count, ahead_fields),
    ASK(RUN, BOOL, renew),
    ASK(RUN, BOOL, timed),
    ASK(TRIED, TEXT, settings),
    ASK(GENERATED, TEXT, program),
    ASK(GENERATED, TEXT, rule),
    ASK(GENERATED, NUMBER, workgroup),
    ASK(GENERATED, NUMBER, subgroup),
    ASK(BENCH, TEXT, rows),
    ASK(BENCH, NUMBER, elements),
    ASK(BENCH, NUMBER, loops),
    ASK(BENCH, NUMBER, budget_ms),
    ASK(RUN, NUMBER, first),
    ASK(RUN | GENERATED | BENCH, NUMBER, runs),
    ASK(RUN, NUMBER, waits),
    ASK(RUN | TRIED | GENERATED | BENCH, BITS, seed),
    ASK(OPEN | RUN | TRIED | GENERATED | BENCH, NUMBER, timeout_ms),
    ASK(TEACH, BOOL, instead),
    CHUNK(TEACH, eng_request),
    {0},
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
    SAY(ROW | DONE, RESULT, "result", result),
    LIMITED(ERROR, "code", eng_event, error_code, LIT_EXIT_NOTHING),
    SAY(OPENED | ROW | AHEAD | MESSAGE | DONE | ERROR, TEXT, "text", text),
    {0},
};

static uint64_t number_at(const void *from, size_t size)
{
    return size == sizeof(uint64_t) ? *(const uint64_t *)from : *(const uint32_t *)from;
}

// The elements of a list, or the bytes, that a structure has.
static size_t count_of(const struct field *field, const void *structure)
{
    if (field->count == SIZE_MAX)
        return field->size;
    const size_t count = *(const size_t *)((const char *)structure + field->count);
    return count < field->most ? count : field->most;
}

// --- Writing

static json_t *make_text(const char *value)
{
    char clean[GEN_TEXT_MAX]; // the longest text
    text_sanitise(clean, sizeof clean, value);
    return json_string(clean);
}

static json_t *make_number(uint64_t value)
{
    return json_integer((json_int_t)(value < COUNT_MAX ? value : COUNT_MAX));
}

static json_t *make_bytes(const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    OWNED(lit_free) char *text = lit_alloc(2 * count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return json_string(text);
}

static void put(json_t *object, const struct field *fields, unsigned kind, const void *structure);

static json_t *make(const struct field *field, unsigned kind, const void *structure)
{
    const char *at = (const char *)structure + field->offset;
    char digits[17];
    json_t *json = NULL;
    switch (field->type) {
    case TEXT:
        return make_text(at);
    case NUMBER:
        return make_number(number_at(at, field->size));
    case BOOL:
        return json_boolean(*(const bool *)at);
    case BITS:
        snprintf(digits, sizeof digits, "%016llx", (unsigned long long)*(const uint64_t *)at);
        return json_string(digits);
    case BYTES:
        return make_bytes((const uint8_t *)at, count_of(field, structure));
    case REAL:
        return json_real(*(const double *)at);
    case RESULT:
        return json_string(eng_result_name(*(const enum eng_result *)at));
    case NUMBERS:
        json = json_array();
        for (size_t i = 0; i < field->size; i += sizeof(uint64_t))
            json_array_append_new(json, make_number(number_at(at + i, sizeof(uint64_t))));
        return json;
    case OBJECT:
        json = json_object();
        put(json, field->fields, kind, at);
        return json;
    case LIST:
        json = json_array();
        for (size_t i = 0; i < count_of(field, structure); i++) {
            json_t *item = json_object();
            put(item, field->fields, kind, at + i * field->size);
            json_array_append_new(json, item);
        }
        return json;
    }
    return json;
}

static void put(json_t *object, const struct field *fields, unsigned kind, const void *structure)
{
    for (; fields->key; fields++)
        if (fields->kinds >> kind & 1)
            json_object_set_new(object, fields->key, make(fields, kind, structure));
}

static void write_line(const char *what, const char *name, const struct field *fields,
                       unsigned kind, const void *structure, struct text *line)
{
    json_t *object = json_object();
    json_object_set_new(object, what, json_string(name));
    put(object, fields, kind, structure);
    OWNED(lit_free) char *dump = lit_have(json_dumps(object, JSON_COMPACT));
    json_decref(object);
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

// --- Parsing: every member is taken once; whatever is missing, wrong or left over is an error.
// Functions return the key of the first member that is not as it should be, or NULL.

static bool take_number(const json_t *json, uint64_t most, size_t size, void *to)
{
    const json_int_t number = json_integer_value(json);
    if (!json_is_integer(json) || number < 0 || (uint64_t)number > most ||
        (size == sizeof(uint32_t) && (uint64_t)number > UINT32_MAX))
        return false;
    if (size == sizeof(uint64_t))
        *(uint64_t *)to = (uint64_t)number;
    else
        *(uint32_t *)to = (uint32_t)number;
    return true;
}

static bool take_text(const char *value, char *to, size_t size)
{
    if (value)
        text_sanitise(to, size, value);
    return value && strcmp(value, to) == 0;
}

// Lower-case hexadecimal digits, two a byte, first byte first.
static bool take_bytes(const char *value, uint8_t *to, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    if (!value || strlen(value) != 2 * count || strspn(value, digits) != 2 * count)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)((strchr(digits, value[2 * i]) - digits) << 4 |
                          (strchr(digits, value[2 * i + 1]) - digits));
    return true;
}

static bool take_bits(const char *value, uint64_t *to)
{
    uint8_t bytes[sizeof *to];
    const bool good = take_bytes(value, bytes, sizeof bytes);
    for (size_t i = 0; good && i < sizeof bytes; i++)
        *to = *to << 8 | bytes[i];
    return good;
}

static bool take_real(const json_t *json, double *to)
{
    *to = json_number_value(json);
    return json_is_number(json) && isfinite(*to) && *to >= 0;
}

static bool take_numbers(const json_t *json, size_t size, uint64_t *to)
{
    bool good = json_array_size(json) == size / sizeof *to;
    for (size_t i = 0; good && i < size / sizeof *to; i++)
        good = take_number(json_array_get(json, i), COUNT_MAX, sizeof *to, &to[i]);
    return good;
}

static const char *read_fields(const json_t *object, const struct field *fields, unsigned kind,
                               size_t taken, void *structure, const char *about);

static const char *read_list(const json_t *json, const struct field *field, unsigned kind,
                             void *structure)
{
    size_t *count = (size_t *)((char *)structure + field->count);
    const char *wrong = NULL;
    if (!json_is_array(json) || json_array_size(json) > field->most)
        return field->key;
    *count = json_array_size(json);
    for (size_t i = 0; i < *count && !wrong; i++)
        wrong = read_fields(json_array_get(json, i), field->fields, kind, 0,
                            (char *)structure + field->offset + i * field->size, field->key);
    return wrong;
}

static const char *read_field(const json_t *json, const struct field *field, unsigned kind,
                              void *structure)
{
    char *at = (char *)structure + field->offset;
    bool good = false;
    switch (field->type) {
    case TEXT:
        good = take_text(json_string_value(json), at, field->size);
        break;
    case NUMBER:
        good = take_number(json, field->most, field->size, at);
        break;
    case BOOL:
        *(bool *)at = json_is_true(json);
        good = json_is_boolean(json);
        break;
    case BITS:
        good = take_bits(json_string_value(json), (uint64_t *)at);
        break;
    case BYTES:
        good = take_bytes(json_string_value(json), (uint8_t *)at, count_of(field, structure));
        break;
    case REAL:
        good = take_real(json, (double *)at);
        break;
    case NUMBERS:
        good = take_numbers(json, field->size, (uint64_t *)at);
        break;
    case RESULT:
        *(enum eng_result *)at =
            json_is_string(json) ? eng_result_named(json_string_value(json)) : ENG_RESULTS;
        good = *(enum eng_result *)at < ENG_RESULTS;
        break;
    case OBJECT:
        return read_fields(json, field->fields, kind, 0, at, field->key);
    case LIST:
        return read_list(json, field, kind, structure);
    }
    return good ? NULL : field->key;
}

// `taken`: members that were read already; `about`: what the object is called.
static const char *read_fields(const json_t *object, const struct field *fields, unsigned kind,
                               size_t taken, void *structure, const char *about)
{
    const char *wrong = NULL;
    for (; fields->key && !wrong; fields++)
        if (fields->kinds >> kind & 1) {
            wrong = read_field(json_object_get(object, fields->key), fields, kind, structure);
            taken++;
        }
    return wrong || taken == json_object_size(object) ? wrong : about;
}

static const char *check_facts(const struct dev_facts *facts)
{
    const uint32_t sizes[] = {facts->subgroup_min, facts->subgroup, facts->subgroup_max};
    size_t type = 0;
    while (type < DEV_TYPES && strcmp(dev_types[type], facts->type) != 0)
        type++;
    if (type == DEV_TYPES)
        return "type";
    // All three sizes are 0 where the driver's own make no sense.
    for (int i = 0; i < 3; i++)
        if (sizes[i] & (sizes[i] - 1) || (i && sizes[i] < sizes[i - 1]))
            return "subgroup";
    if (facts->subgroup && !facts->subgroup_min)
        return "subgroup";
    return facts->features >> CAT_FEATURE_COUNT ? "features" : NULL;
}

static bool is_part(const struct eng_chunk *chunk)
{
    return chunk->offset <= chunk->total && chunk->size <= chunk->total - chunk->offset;
}

// What the fields of an event say of one another.
static const char *check_event(const struct eng_event *event)
{
    const enum lit_exit code = event->error_code;
    if (event->kind == ENG_EVENT_DEVICE || event->kind == ENG_EVENT_OPENED)
        return check_facts(&event->facts);
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
    json_t *object = load(line, length, error);
    const char *name = json_string_value(json_object_get(object, what));
    if (!object)
        return false;
    *kind = 0;
    while (name && *kind < count && strcmp(name, names[*kind]) != 0)
        ++*kind;
    const bool known = name && *kind < count;
    const char *wrong = known ? read_fields(object, fields, *kind, 1, structure, "") : what;
    json_decref(object);
    if (wrong && !*wrong)
        return lit_fail(error, LIT_EXIT_USAGE, "unexpected extra fields");
    return !wrong || lit_fail(error, LIT_EXIT_USAGE, "'%s' is missing or invalid", wrong);
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
