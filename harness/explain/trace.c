// SPDX-License-Identifier: Apache-2.0
// Reads traces line by line. Everything is checked: numbers against their bounds, texts for
// characters that are not printable.

#include "explain/trace.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096

static const char *const kind_names[EXP_CODE_KINDS] = {
    [EXP_PLAIN] = "plain",     [EXP_TANGLED] = "tangled", [EXP_CROSS_LANE] = "exchange",
    [EXP_BARRIER] = "barrier", [EXP_FENCE] = "fence",     [EXP_BRANCH] = "branch",
    [EXP_IF] = "if",           [EXP_SWITCH] = "switch",   [EXP_CALL] = "call",
    [EXP_RETURN] = "return",   [EXP_END] = "end",         [EXP_UNREACHABLE] = "unreachable",
};

struct reader {
    const char *at, *end; // of the present line
    unsigned long line;   // from 1
    struct exp_trace *trace;
    bool in_dispatch, rising, over;
    const char *wrong; // what the present line lacks
};

static void blame(struct reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = what;
}

// The next word of the line; of no length at its end.
static const char *take_word(struct reader *r, size_t *length)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    const char *word = r->at;
    while (r->at < r->end && *r->at != ' ')
        r->at++;
    *length = (size_t)(r->at - word);
    return word;
}

static bool take_is(struct reader *r, const char *wanted)
{
    size_t length;
    const char *word = take_word(r, &length);
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

static void expect(struct reader *r, const char *wanted)
{
    if (!take_is(r, wanted))
        blame(r, wanted);
}

// At most 64 bits; a word that is no number of that base blames `what`.
static uint64_t number_of(struct reader *r, const char *word, size_t length, unsigned base,
                          const char *what)
{
    uint64_t value = 0;
    if (base == 16 && length > 2 && word[0] == '0' && word[1] == 'x')
        word += 2, length -= 2;
    if (length == 0)
        blame(r, what);
    for (size_t i = 0; i < length; i++) {
        const char c = word[i];
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 99;
        if (digit >= base || value > (UINT64_MAX - digit) / base) {
            blame(r, what);
            return 0;
        }
        value = value * base + digit;
    }
    return value;
}

static uint64_t take_number(struct reader *r, uint64_t max, const char *what)
{
    size_t length;
    const char *word = take_word(r, &length);
    const uint64_t value = number_of(r, word, length, 10, what);
    if (value > max)
        blame(r, what);
    return value > max ? 0 : value;
}

// "-" is no value.
static bool take_hex(struct reader *r, uint64_t *value, const char *what)
{
    size_t length;
    const char *word = take_word(r, &length);
    *value = 0;
    if (length == 1 && *word == '-')
        return false;
    *value = number_of(r, word, length, 16, what);
    return true;
}

static struct exp_lanes take_lanes(struct reader *r)
{
    struct exp_lanes lanes = {{0}};
    size_t length;
    const char *word = take_word(r, &length);
    if (length > 2 && word[0] == '0' && word[1] == 'x')
        word += 2, length -= 2;
    const size_t low = length > 16 ? 16 : length;
    if (length > low)
        lanes.words[1] = number_of(r, word, length - low, 16, "tangle");
    lanes.words[0] = number_of(r, word + (length - low), low, 16, "tangle");
    return lanes;
}

static void take_name(struct reader *r, char *name, size_t size, const char *what)
{
    size_t length;
    const char *word = take_word(r, &length);
    if (length == 0 || length >= size)
        blame(r, what);
    length = length < size ? length : size - 1;
    for (size_t i = 0; i < length; i++)
        name[i] = word[i] > ' ' && word[i] < 0x7f ? word[i] : '?';
    name[length] = '\0';
}

static void end_line(struct reader *r)
{
    size_t length;
    take_word(r, &length);
    if (length)
        blame(r, "end of line");
}

// The lines

static void read_dispatch(struct reader *r)
{
    struct exp_trace *t = r->trace;
    take_number(r, UINT64_MAX, "number of the dispatch");
    expect(r, "model");
    take_name(r, t->model, sizeof t->model, "model");
    expect(r, "seed");
    t->seed = take_number(r, UINT64_MAX, "seed");
    expect(r, "subgroup");
    t->subgroup = (uint32_t)take_number(r, EXP_LANES, "subgroup size");
    uint64_t groups = 1, local = 1;
    expect(r, "groups");
    for (int i = 0; i < 3; i++) {
        t->groups[i] = (uint32_t)take_number(r, EXP_TRACE_INVOCATIONS, "number of workgroups");
        groups *= t->groups[i];
    }
    expect(r, "local");
    for (int i = 0; i < 3; i++) {
        t->local[i] = (uint32_t)take_number(r, 65536, "size of a workgroup");
        local *= t->local[i];
    }
    if (!t->subgroup || !groups || !local)
        blame(r, "a size that is not 0");
    if (r->wrong)
        return;
    const uint64_t subgroups = (local + t->subgroup - 1) / t->subgroup;
    if (groups > EXP_TRACE_INVOCATIONS || local > EXP_TRACE_INVOCATIONS ||
        groups * subgroups * t->subgroup > EXP_TRACE_INVOCATIONS) {
        blame(r, "a dispatch of a size that can be explained");
        return;
    }
    t->subgroups = (uint32_t)subgroups;
    t->invocations = (uint32_t)(groups * subgroups * t->subgroup);
    r->in_dispatch = true;
}

static void read_code(struct reader *r)
{
    struct exp_trace *t = r->trace;
    size_t length;
    if (take_number(r, EXP_TRACE_CODES, "number of the instruction") != t->code_count)
        blame(r, "number of the instruction in order");
    const char *word = take_word(r, &length);
    size_t kind = 0;
    while (kind < EXP_CODE_KINDS &&
           (strlen(kind_names[kind]) != length || memcmp(kind_names[kind], word, length) != 0))
        kind++;
    if (kind == EXP_CODE_KINDS)
        blame(r, "kind of the instruction");
    if (t->step_count || t->code_count == EXP_TRACE_CODES)
        blame(r, "instruction before the first step");
    if (r->wrong)
        return;
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    while (r->at < r->end && r->end[-1] == ' ')
        r->end--;
    length = (size_t)(r->end - r->at);
    char *text = lit_alloc(length + 1, 1);
    for (size_t i = 0; i < length; i++)
        text[i] = r->at[i] >= ' ' && r->at[i] < 0x7f ? r->at[i] : '?';
    r->at = r->end;
    t->codes = lit_grow(t->codes, t->code_count, sizeof *t->codes);
    t->codes[t->code_count++] = (struct exp_code){(enum exp_code_kind)kind, text};
}

static void read_step(struct reader *r)
{
    struct exp_trace *t = r->trace;
    struct exp_step step = {0};
    const uint32_t groups = t->invocations / t->subgroup / t->subgroups;
    step.time = take_number(r, UINT64_MAX, "time");
    const uint32_t group = (uint32_t)take_number(r, groups - 1, "workgroup");
    const uint32_t subgroup = (uint32_t)take_number(r, t->subgroups - 1, "subgroup");
    const uint32_t lane = (uint32_t)take_number(r, t->subgroup - 1, "lane");
    step.invocation = exp_invocation(t, group, subgroup, lane);
    if (t->code_count == 0)
        blame(r, "instruction that is known");
    else
        step.code = (uint32_t)take_number(r, t->code_count - 1, "instruction that is known");
    step.has_value = take_hex(r, &step.value, "value");
    size_t length;
    const char *word = take_word(r, &length);
    step.source = EXP_NO_LANE;
    if (length != 1 || *word != '-') {
        const uint64_t source = number_of(r, word, length, 10, "source lane");
        if (source >= t->subgroup)
            blame(r, "source lane");
        else
            step.source = (uint8_t)source;
    }
    step.has_address = take_hex(r, &step.address, "address");
    step.tangle = take_lanes(r);
    if (!exp_lanes_has(&step.tangle, lane))
        blame(r, "tangle with the lane in it");
    if (t->step_count == EXP_TRACE_STEPS)
        blame(r, "shorter trace");
    if (r->wrong)
        return;
    t->steps = lit_grow(t->steps, t->step_count, sizeof *t->steps);
    if (t->step_count && t->steps[t->step_count - 1].time > step.time)
        r->rising = false;
    t->steps[t->step_count++] = step;
}

static void read_end(struct reader *r)
{
    take_number(r, UINT64_MAX, "number of the dispatch");
    take_name(r, r->trace->end, sizeof r->trace->end, "result");
    r->over = true;
}

static void read_line(struct reader *r)
{
    size_t length;
    const char *word = take_word(r, &length);
    const struct {
        const char *name;
        void (*read)(struct reader *r);
        bool inside;
    } lines[] = {{"step", read_step, true}, {"code", read_code, true}, {"end", read_end, true}};
    if (r->line == 1) {
        if (length != 10 || memcmp(word, "simt-trace", 10) != 0 || !take_is(r, "1"))
            blame(r, "simt-trace 1");
        end_line(r);
        return;
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (length == strlen(lines[i].name) && memcmp(word, lines[i].name, length) == 0) {
            if (!r->in_dispatch)
                blame(r, "dispatch");
            else
                lines[i].read(r);
            end_line(r);
            return;
        }
    if (length == 8 && memcmp(word, "dispatch", 8) == 0 && !r->in_dispatch)
        read_dispatch(r);
    else if (length == 8 && memcmp(word, "switches", 8) == 0 && r->in_dispatch)
        r->trace->switches = take_number(r, UINT64_MAX, "number of switches");
    else
        blame(r, "kind of line that is known here");
    end_line(r);
}

// What the lines add up to

static int by_time(const void *a, const void *b)
{
    const struct exp_step *const *left = a, *const *right = b;
    if ((*left)->time != (*right)->time)
        return (*left)->time < (*right)->time ? -1 : 1;
    return *left < *right ? -1 : *left > *right;
}

static void sort_steps(struct exp_trace *t)
{
    const struct exp_step **sorted = lit_alloc(t->step_count, sizeof *sorted);
    struct exp_step *steps = lit_alloc(t->step_count, sizeof *steps);
    for (size_t i = 0; i < t->step_count; i++)
        sorted[i] = &t->steps[i];
    qsort(sorted, t->step_count, sizeof *sorted, by_time);
    for (size_t i = 0; i < t->step_count; i++)
        steps[i] = *sorted[i];
    free(sorted);
    free(t->steps);
    t->steps = steps;
}

static void index_steps(struct exp_trace *t)
{
    t->first = lit_alloc((size_t)t->invocations + 2, sizeof *t->first);
    t->order = lit_alloc(t->step_count + 1, sizeof *t->order);
    // Counted one further, so that filling moves each first[] to where it belongs.
    for (size_t i = 0; i < t->step_count; i++)
        t->first[t->steps[i].invocation + 2]++;
    for (size_t i = 2; i < (size_t)t->invocations + 2; i++)
        t->first[i] += t->first[i - 1];
    for (size_t i = 0; i < t->step_count; i++)
        t->order[t->first[t->steps[i].invocation + 1]++] = (uint32_t)i;
}

bool exp_trace_read(const char *bytes, size_t size, struct exp_trace *trace,
                    struct lit_error *error)
{
    struct reader r = {.trace = trace, .rising = true};
    *trace = (struct exp_trace){0};
    for (const char *at = bytes, *end = bytes + size; at < end && !r.wrong && !r.over;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        // A driver that was ended leaves half a line.
        if (!newline)
            break;
        r.at = at;
        r.end = newline;
        r.line++;
        at = newline + 1;
        if (r.end - r.at > LINE_MAX_BYTES)
            blame(&r, "shorter line");
        else
            read_line(&r);
    }
    if (r.wrong)
        return lit_fail(error, LIT_EXIT_USAGE, "line %lu: expected %s", r.line, r.wrong);
    if (!r.in_dispatch)
        return lit_fail(error, LIT_EXIT_USAGE, "line %lu: expected dispatch", r.line + 1);
    if (!r.rising)
        sort_steps(trace);
    index_steps(trace);
    return true;
}

bool exp_trace_load(const char *path, struct exp_trace *trace, struct lit_error *error)
{
    *trace = (struct exp_trace){0};
    struct text bytes = {0};
    struct lit_error inner = {0};
    if (!text_read(&bytes, path, EXP_TRACE_BYTES))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, strerror(errno));
    const bool fits = bytes.length < EXP_TRACE_BYTES;
    const bool good =
        fits && exp_trace_read(bytes.data ? bytes.data : "", bytes.length, trace, &inner);
    text_free(&bytes);
    return good || lit_fail(error, LIT_EXIT_USAGE, "the driver's trace cannot be read: %s",
                            fits ? inner.message : "it is too long");
}

void exp_trace_clear(struct exp_trace *trace)
{
    for (size_t i = 0; i < trace->code_count; i++)
        free(trace->codes[i].text);
    free(trace->codes);
    free(trace->steps);
    free(trace->first);
    free(trace->order);
    *trace = (struct exp_trace){0};
}

uint32_t exp_executions(const struct exp_trace *trace, uint32_t invocation, uint32_t code,
                        size_t before)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < exp_step_count(trace, invocation); n++) {
        const uint32_t step = exp_step_at(trace, invocation, n);
        if (step >= before)
            break;
        count += trace->steps[step].code == code;
    }
    return count;
}
