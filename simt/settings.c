// SPDX-License-Identifier: Apache-2.0
// LITMUS_SIMT: the table of settings, and parsing "name=value,name=value".
#include "settings.h"

#include "lanes.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const model_names[MODEL_COUNT] = {
    [MODEL_LOCKSTEP] = "lockstep",
    [MODEL_TANGLED] = "tangled",
    [MODEL_SNOOPING] = "snooping",
    [MODEL_LAGGING] = "lagging",
    [MODEL_PEELING] = "peeling",
    [MODEL_RELAXED] = "relaxed",
    [MODEL_UNFAIR] = "unfair",
    [MODEL_FAULTY] = "faulty",
    [MODEL_MISCOMPILING] = "miscompiling",
};

const char *const fault_names[FAULT_COUNT] = {
    [FAULT_WRONG] = "wrong",
    [FAULT_LOST] = "lost",
    [FAULT_HANG] = "hang",
    [FAULT_CRASH] = "crash",
    [FAULT_MEMORY] = "memory",
    [FAULT_NOTHING] = "nothing",
    [FAULT_PROPERTIES] = "properties",
    [FAULT_RENDEZVOUS] = "rendezvous",
    [FAULT_LOOPS] = "loops",
    [FAULT_REDUCTION] = "reduction",
    [FAULT_TORN] = "torn",
    [FAULT_IDS] = "ids",
    [FAULT_EXITS] = "exits",
};

const char *const operator_names[OPERATOR_COUNT] = {
    [OPERATOR_LOAD_ORDER] = "load-order",
    [OPERATOR_LOAD_LATE] = "load-late",
    [OPERATOR_STORE_LATE] = "store-late",
    [OPERATOR_FORWARD] = "forward",
    [OPERATOR_MEMBER] = "member",
    [OPERATOR_DEAD] = "dead",
    [OPERATOR_HOIST] = "hoist",
    [OPERATOR_SINK] = "sink",
    [OPERATOR_MERGE] = "merge",
    [OPERATOR_REUSE] = "reuse",
    [OPERATOR_UNIFORM] = "uniform",
    [OPERATOR_OWN] = "own",
    [OPERATOR_BRANCH] = "branch",
    [OPERATOR_BARRIER] = "barrier",
    [OPERATOR_COUNTER] = "counter",
    [OPERATOR_SPILL] = "spill",
    [OPERATOR_SUBWORD] = "subword",
    [OPERATOR_PREDICATE] = "predicate",
    [OPERATOR_INACTIVE] = "inactive",
    [OPERATOR_ATOMIC] = "atomic",
    [OPERATOR_ZERO] = "zero",
    [OPERATOR_TRANSPOSE] = "transpose",
    [OPERATOR_SPLAT] = "splat",
    [OPERATOR_MODIFIER] = "modifier",
    [OPERATOR_DISTRIBUTE] = "distribute",
    [OPERATOR_FIELD] = "field",
    [OPERATOR_CARRY] = "carry",
};

static const char *const schedule_names[SCHEDULE_COUNT] = {"random",  "priority", "fair", "lobe",
                                                           "hsa-obe", "hsa",      "obe",  "none"};
static const char *const bounds_names[] = {"lost", "report", "check"};
static const char *const check_names[] = {"races", "bounds", "uninitialised", "barriers"};
static const char *const face_names[] = {"compute", "webgpu"};

enum value_kind {
    VALUE_NAME,    // one of `names`, an enum
    VALUE_NAMES,   // some of `names`, separated by commas: a bit for each
    VALUE_NUMBER,  // uint32_t from `least` to `most`
    VALUE_POWER,   // the same, a power of two
    VALUE_COUNTER, // uint64_t, at least `least`
    VALUE_RATE,    // double from 0 to 1
    VALUE_FILE,    // file name
};

struct setting {
    const char *name;
    enum value_kind kind;
    size_t offset; // in struct settings
    const char *const *names;
    uint32_t least, most; // VALUE_NAME: `most` is the number of names
    const char *wanted;   // expected input, for errors
};

#define AT(field)     offsetof(struct settings, field)
#define COUNT(array)  (sizeof(array) / sizeof *(array))
#define SETTING_COUNT (COUNT(table) + OPERATOR_COUNT)
#define THREADS_MAX   64
#define RESIDENT_MAX  64
#define DEPTH_MAX     64
#define ERROR_PREFIX  "LITMUS_SIMT: "
#define SHOWN_MAX     80 // characters of the input quoted in an error
#define RATE_DIGITS   15 // exact in a double
#define RATE_WANTED   "a number from 0 to 1, such as 0.001"
#define FILE_MAX      (sizeof((struct settings *)0)->trace - 1)
#define FILE_WANTED   "the name of a file, of at most 511 bytes"

static const struct setting table[] = {
    {"model", VALUE_NAME, AT(model), model_names, 0, MODEL_COUNT, NULL},
    {"seed", VALUE_COUNTER, AT(seed), NULL, 0, 0, "a number of 64 bits, decimal or 0x"},
    {"devices", VALUE_NUMBER, AT(devices), NULL, 1, SETTINGS_DEVICES, "a number from 1 to 16"},
    {"subgroup", VALUE_POWER, AT(subgroup), NULL, 1, LANES_MAX, "a power of two from 1 to 128"},
    {"as", VALUE_NAME, AT(face), face_names, 0, COUNT(face_names), NULL},
    {"threads", VALUE_NUMBER, AT(threads), NULL, 1, THREADS_MAX, "a number from 1 to 64"},
    {"resident", VALUE_NUMBER, AT(resident), NULL, 1, RESIDENT_MAX, "a number from 1 to 64"},
    {"schedule", VALUE_NAME, AT(schedule), schedule_names, 0, COUNT(schedule_names), NULL},
    {"depth", VALUE_NUMBER, AT(depth), NULL, 1, DEPTH_MAX, "a number from 1 to 64"},
    {"fault", VALUE_NAME, AT(fault), fault_names, 0, FAULT_COUNT, NULL},
    {"rate", VALUE_RATE, AT(rate), NULL, 0, 1, RATE_WANTED},
    {"at", VALUE_COUNTER, AT(at), NULL, 1, 0, "a number from 1"},
    {"bounds", VALUE_NAME, AT(bounds), bounds_names, 0, COUNT(bounds_names), NULL},
    {"check", VALUE_NAMES, AT(checks), check_names, 0, COUNT(check_names), NULL},
    {"counts", VALUE_FILE, AT(counts), NULL, 1, FILE_MAX, FILE_WANTED},
    {"trace", VALUE_FILE, AT(trace), NULL, 1, FILE_MAX, FILE_WANTED},
    {"workgroups", VALUE_COUNTER, AT(workgroups), NULL, 1, 0, "a number from 1"},
    {"instructions", VALUE_COUNTER, AT(instructions), NULL, 1, 0, "a number from 1"},
};

struct text {
    char *bytes;
    size_t size, used;
};

__attribute__((format(__printf__, 2, 3))) static void put(struct text *text, const char *format,
                                                          ...)
{
    if (text->used >= text->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(text->bytes + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length;
}

// Finishes an error message without control characters. Always returns false.
static bool finish(struct text *text)
{
    for (char *c = text->bytes; text->size && *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return false;
}

static void put_names(struct text *text, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put(text, "%s%s", i ? ", " : "", names[i]);
}

// Decimal digits, or hexadecimal after 0x. False on anything else or overflow.
static bool parse_number(const char *text, uint64_t *number)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const uint64_t base = hexadecimal ? 16 : 10;
    text += hexadecimal ? 2 : 0;
    *number = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        const char *digit = strchr(digits, *text);
        const uint64_t value = digit ? (uint64_t)(digit - digits) % 16 : base;
        if (value >= base || __builtin_mul_overflow(*number, base, number) ||
            __builtin_add_overflow(*number, value, number))
            return false;
    }
    return true;
}

// Digits with at most one point; not strtod, which depends on the locale.
static bool parse_rate(const char *text, double *rate)
{
    uint64_t digits = 0;
    double scale = 1;
    int count = 0;
    bool point = false;
    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
            continue;
        }
        if (*text < '0' || *text > '9' || ++count > RATE_DIGITS)
            return false;
        digits = digits * 10 + (uint64_t)(*text - '0');
        scale *= point ? 10 : 1;
    }
    *rate = (double)digits / scale;
    return count > 0 && *rate <= 1;
}

static bool set_value(const struct setting *setting, struct settings *settings, const char *value)
{
    void *target = (char *)settings + setting->offset;
    const size_t length = strlen(value);
    uint64_t number = 0;
    switch (setting->kind) {
    case VALUE_NAME:
        for (uint32_t i = 0; i < setting->most; i++)
            if (!strcmp(value, setting->names[i])) {
                memcpy(target, &i, sizeof i);
                return true;
            }
        return false;
    case VALUE_NAMES:
        for (const char *at = value; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            const size_t part = strcspn(at, ",");
            uint32_t i = 0;
            while (i < setting->most &&
                   (strlen(setting->names[i]) != part || memcmp(at, setting->names[i], part)))
                i++;
            if (i == setting->most)
                return false;
            *(uint32_t *)target |= UINT32_C(1) << i;
        }
        return true;
    case VALUE_NUMBER:
    case VALUE_POWER:
        if (!parse_number(value, &number) || number < setting->least || number > setting->most ||
            (setting->kind == VALUE_POWER && (number & (number - 1))))
            return false;
        *(uint32_t *)target = (uint32_t)number;
        return true;
    case VALUE_COUNTER:
        if (!parse_number(value, &number) || number < setting->least)
            return false;
        *(uint64_t *)target = number;
        return true;
    case VALUE_RATE:
        return parse_rate(value, target);
    case VALUE_FILE:
        if (length < setting->least || length > setting->most)
            return false;
        memcpy(target, value, length + 1);
        return true;
    }
    return false;
}

// Setting `number`: those of the table, then the operators.
static struct setting nth_setting(size_t number)
{
    if (number < COUNT(table))
        return table[number];
    const size_t index = number - COUNT(table);
    return (struct setting){.name = operator_names[index],
                            .kind = VALUE_RATE,
                            .offset = AT(operators) + index * sizeof(double),
                            .wanted = RATE_WANTED};
}

// A setting's number; SETTING_COUNT if unknown.
static size_t find_setting(const char *name, size_t length)
{
    size_t number = 0;
    for (; number < SETTING_COUNT; number++) {
        const char *known = nth_setting(number).name;
        if (strlen(known) == length && !memcmp(known, name, length))
            break;
    }
    return number;
}

static bool fail_value(const struct setting *setting, const char *value, struct text *error)
{
    if (setting->names) {
        put(error, "no %s '%.*s': ", setting->name, SHOWN_MAX, value);
        put_names(error, setting->names, setting->most);
    } else {
        put(error, "%s=%.*s: %s", setting->name, SHOWN_MAX, value, setting->wanted);
    }
    return finish(error);
}

// Parses one "name=value" of `length` characters. `seen` has a bit for each setting given.
static bool parse_item(const char *item, size_t length, struct settings *settings, uint64_t *seen,
                       struct text *error)
{
    const char *equals = memchr(item, '=', length);
    const size_t name_length = equals ? (size_t)(equals - item) : length;
    const size_t number = find_setting(item, name_length);
    if (number == SETTING_COUNT) {
        const bool miscompiles = settings->model == MODEL_MISCOMPILING;
        const int shown = name_length < SHOWN_MAX ? (int)name_length : SHOWN_MAX;
        put(error, "unknown setting '%.*s': ", shown, item);
        for (size_t i = 0; i < (miscompiles ? SETTING_COUNT : COUNT(table)); i++)
            put(error, "%s%s", i ? ", " : "", nth_setting(i).name);
        return finish(error);
    }
    const struct setting setting = nth_setting(number);
    const uint64_t bit = UINT64_C(1) << number;
    if (*seen & bit) {
        put(error, "%s is given twice", setting.name);
        return finish(error);
    }
    *seen |= bit;
    // One byte more than the longest valid value, so that longer ones stay invalid.
    char value[sizeof settings->trace + 1] = "";
    const char *given = equals ? equals + 1 : item + length;
    const size_t given_length = (size_t)(item + length - given);
    memcpy(value, given, given_length < sizeof value ? given_length : sizeof value - 1);
    return set_value(&setting, settings, value) || fail_value(&setting, value, error);
}

static uint32_t cores(void)
{
    cpu_set_t set;
    const long count =
        sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (uint32_t)count;
}

bool settings_parse(const char *text, struct settings *settings, char *error, size_t size)
{
    _Static_assert(sizeof settings->model == sizeof(uint32_t), "enums are written as uint32_t");
    *settings = (struct settings){
        .model = MODEL_LOCKSTEP,
        .seed = 1,
        .devices = 1,
        .subgroup = 32,
        .threads = cores(),
        .resident = 4,
        .schedule = SCHEDULE_RANDOM,
        .depth = 1,
        .fault = FAULT_WRONG,
        .rate = 0.001,
        .at = 1,
        .bounds = BOUNDS_COUNT,
    };
    struct text line = {error, size, 0};
    put(&line, ERROR_PREFIX);
    uint64_t seen = 0;
    _Static_assert(SETTING_COUNT <= 64, "a bit for each");
    for (const char *item = text; item && *text;) {
        const char *end = strchrnul(item, ',');
        // Names without a value belong to check=.
        while (!strncmp(item, "check=", 6) && *end && end[1 + strcspn(end + 1, ",=")] != '=')
            end = strchrnul(end + 1, ',');
        if (!parse_item(item, (size_t)(end - item), settings, &seen, &line))
            return false;
        item = *end ? end + 1 : NULL;
    }
    if (settings->bounds == BOUNDS_COUNT)
        settings->bounds = settings->checks & (CHECK_BOUNDS | CHECK_BARRIERS) ? BOUNDS_CHECK
                           : settings->model == MODEL_MISCOMPILING            ? BOUNDS_REPORT
                                                                              : BOUNDS_LOST;
    if (settings->checks)
        settings->threads = 1; // accesses in one order
    if (settings->schedule >= SCHEDULE_FAIR) {
        settings->threads = 1;
        settings->resident = RESIDENT_MAX;
    }
    const uint64_t operators = seen >> COUNT(table);
    if (operators && settings->model != MODEL_MISCOMPILING) {
        put(&line, "%s: only of model miscompiling", operator_names[__builtin_ctzll(operators)]);
        return finish(&line);
    }
    for (size_t i = 0; i < OPERATOR_COUNT && !operators; i++)
        settings->operators[i] = settings->model == MODEL_MISCOMPILING ? OPERATOR_RATE : 0;
    // All devices would write to it, possibly from different processes.
    const char *file = settings->trace[0] ? settings->trace : settings->counts;
    if (*file && settings->devices > 1) {
        put(&line, "%s=%.*s: of one device alone, not with devices=%u",
            file == settings->trace ? "trace" : "counts", SHOWN_MAX, file, settings->devices);
        return finish(&line);
    }
    if (size)
        error[0] = '\0';
    return true;
}
