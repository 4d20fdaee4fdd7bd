// SPDX-License-Identifier: Apache-2.0
// Parses traces line by line and validates everything: number ranges, and printable text.

#include "explain/trace.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>

#define SIZE_WANTED    "a dispatch of a size that can be explained"
#define LINE_MAX_BYTES 4096

static const char *const kind_names[EXP_CODE_KINDS] = {
    [EXP_PLAIN] = "plain",     [EXP_TANGLED] = "tangled", [EXP_CROSS_LANE] = "exchange",
    [EXP_BARRIER] = "barrier", [EXP_FENCE] = "fence",     [EXP_BRANCH] = "branch",
    [EXP_IF] = "if",           [EXP_SWITCH] = "switch",   [EXP_CALL] = "call",
    [EXP_RETURN] = "return",   [EXP_END] = "end",         [EXP_UNREACHABLE] = "unreachable",
};

struct reader {
    char text[LINE_MAX_BYTES + 1], *at; // current line; the rest of it
    unsigned long line;                 // from 1
    struct exp_trace *trace;
    bool in_dispatch, rising, over;
    size_t steps;      // in earlier dispatches
    const char *wrong; // error in the current line
};

static void blame(struct reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = what;
}

// The next word of the line; "" at its end.
static char *take_word(struct reader *r)
{
    char *word = r->at + strspn(r->at, " ");
    r->at = word + strcspn(word, " ");
    if (*r->at)
        *r->at++ = '\0';
    return word;
}

static void expect(struct reader *r, const char *wanted)
{
    if (strcmp(take_word(r), wanted) != 0)
        blame(r, wanted);
}

// A number of at most `max`; 0 if invalid, with `what` as the error.
static uint64_t number_of(struct reader *r, const char *word, int base, uint64_t max,
                          const char *what)
{
    char *end;
    errno = 0;
    const uint64_t value = strtoull(word, &end, base);
    if (!isxdigit((unsigned char)*word) || *end || errno || value > max) {
        blame(r, what);
        return 0;
    }
    return value;
}

static uint64_t take_number(struct reader *r, uint64_t max, const char *what)
{
    return number_of(r, take_word(r), 10, max, what);
}

// "-" means no value.
static bool take_hex(struct reader *r, uint64_t *value, const char *what)
{
    const char *word = take_word(r);
    const bool has = strcmp(word, "-") != 0;
    *value = has ? number_of(r, word, 16, UINT64_MAX, what) : 0;
    return has;
}

static struct exp_lanes take_lanes(struct reader *r)
{
    struct exp_lanes lanes = {{0}};
    char *word = take_word(r);
    word += strncmp(word, "0x", 2) == 0 ? 2 : 0;
    const size_t length = strlen(word), high = length > 16 ? length - 16 : 0;
    lanes.words[0] = number_of(r, word + high, 16, UINT64_MAX, "tangle");
    word[high] = '\0';
    if (high)
        lanes.words[1] = number_of(r, word, 16, UINT64_MAX, "tangle");
    return lanes;
}

static char *printable(char *text)
{
    for (char *c = text; *c; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    return text;
}

static void take_name(struct reader *r, char *name, size_t size, const char *what)
{
    const char *word = printable(take_word(r));
    if (!*word || strlen(word) >= size)
        blame(r, what);
    snprintf(name, size, "%s", word);
}

// Lines

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
    const uint64_t most = EXP_TRACE_INVOCATIONS / (subgroups * t->subgroup);
    if (!most) {
        blame(r, SIZE_WANTED);
        return;
    }
    t->subgroups = (uint32_t)subgroups;
    t->dispatched = groups;
    // A larger dispatch has steps only of its first workgroups.
    t->invocations = (uint32_t)((groups < most ? groups : most) * subgroups * t->subgroup);
    r->in_dispatch = true;
}

static void read_code(struct reader *r)
{
    struct exp_trace *t = r->trace;
    if (take_number(r, EXP_TRACE_CODES, "number of the instruction") != t->code_count)
        blame(r, "number of the instruction in order");
    const char *word = take_word(r);
    size_t kind = 0;
    while (kind < EXP_CODE_KINDS && strcmp(kind_names[kind], word) != 0)
        kind++;
    if (kind == EXP_CODE_KINDS)
        blame(r, "kind of the instruction");
    if (t->step_count || t->code_count == EXP_TRACE_CODES)
        blame(r, "instruction before the first step");
    if (r->wrong)
        return;
    r->at += strspn(r->at, " ");
    size_t length = strlen(r->at);
    while (length && r->at[length - 1] == ' ')
        r->at[--length] = '\0';
    LIT_ADD(t->codes, t->code_count) = (struct exp_code){.kind = (enum exp_code_kind)kind,
                                                         .text = lit_strdup(printable(r->at)),
                                                         .function = EXP_NO_FUNCTION};
    r->at += length;
}

static void read_memory(struct reader *r)
{
    static const char *const names[EXP_ORDER + 1] = {[EXP_NO_ACCESS] = "none",
                                                     [EXP_LOAD] = "load",
                                                     [EXP_STORE] = "store",
                                                     [EXP_ATOMIC] = "atomic",
                                                     [EXP_ATOMIC_LOAD] = "atomic-load",
                                                     [EXP_ATOMIC_STORE] = "atomic-store",
                                                     [EXP_MATRIX_LOAD] = "matrix-load",
                                                     [EXP_MATRIX_STORE] = "matrix-store",
                                                     [EXP_ORDER] = "order"};
    struct exp_trace *t = r->trace;
    const size_t pc = take_number(r, EXP_TRACE_CODES, "number of the instruction");
    const char *word = take_word(r);
    size_t access = 0;
    while (access <= EXP_ORDER && strcmp(names[access], word) != 0)
        access++;
    if (pc >= t->code_count || access > EXP_ORDER)
        blame(r, "access of an instruction that is known");
    if (r->wrong)
        return;
    struct exp_code *code = &t->codes[pc];
    code->access = (enum exp_access)access;
    code->word = (uint32_t)take_number(r, UINT32_MAX, "word of the module");
    code->bytes = (uint32_t)take_number(r, EXP_MOST_ACCESS, "number of bytes");
    code->scope = (uint32_t)take_number(r, UINT32_MAX, "scope");
    code->semantics = (uint32_t)take_number(r, UINT32_MAX, "semantics");
    code->execution = (uint32_t)take_number(r, UINT32_MAX, "scope of execution");
}

static void read_register(struct reader *r)
{
    struct exp_trace *t = r->trace;
    const size_t pc = take_number(r, EXP_TRACE_CODES, "number of the instruction");
    const char *access = take_word(r);
    const bool is_load = strcmp(access, "load") == 0;
    if (pc >= t->code_count || t->step_count || (!is_load && strcmp(access, "store") != 0))
        blame(r, "access of an instruction that is known");
    const uint32_t word = (uint32_t)take_number(r, UINT32_MAX, "word of the module");
    const uint32_t bytes = (uint32_t)take_number(r, UINT32_MAX, "number of bytes");
    const char *first = take_word(r);
    const bool by_pointer = strcmp(first, "-") == 0;
    const uint32_t cell =
        by_pointer ? 0 : (uint32_t)number_of(r, first, 10, EXP_TRACE_CELLS, "cell");
    const uint32_t cells = (uint32_t)take_number(r, EXP_TRACE_CELLS - cell, "number of cells");
    if (r->wrong)
        return;
    struct exp_code *code = &t->codes[pc];
    code->access = is_load ? EXP_LOAD_REGISTER : EXP_STORE_REGISTER;
    code->word = word;
    code->bytes = bytes;
    code->by_pointer = by_pointer;
    code->cell = cell;
    code->cells = cells;
}

static void read_call(struct reader *r)
{
    struct exp_trace *t = r->trace;
    const size_t pc = take_number(r, EXP_TRACE_CODES, "number of the instruction");
    const uint32_t function = (uint32_t)take_number(r, EXP_TRACE_CODES, "number of the function");
    if (pc >= t->code_count)
        blame(r, "call by an instruction that is known");
    if (!r->wrong)
        t->codes[pc].function = function;
}

static void read_undefined(struct reader *r)
{
    struct exp_trace *t = r->trace;
    struct exp_undefined undefined = {.function = EXP_NO_FUNCTION};
    undefined.cell = (uint32_t)take_number(r, EXP_TRACE_CELLS, "cell");
    undefined.count = (uint32_t)take_number(r, EXP_TRACE_CELLS - undefined.cell, "number of cells");
    const char *function = take_word(r);
    if (strcmp(function, "-") != 0)
        undefined.function =
            (uint32_t)number_of(r, function, 10, EXP_TRACE_CODES, "number of the function");
    char *name = printable(take_word(r));
    if (!*name)
        blame(r, "name of a variable");
    if (t->undefined_count == EXP_TRACE_CELLS)
        blame(r, "fewer variables");
    if (r->wrong)
        return;
    undefined.name = lit_strdup(name);
    LIT_ADD(t->undefined, t->undefined_count) = undefined;
}

static void read_buffer(struct reader *r)
{
    struct exp_buffer buffer;
    buffer.region = (uint32_t)take_number(r, UINT32_MAX, "region");
    buffer.set = (uint32_t)take_number(r, UINT32_MAX, "set");
    buffer.binding = (uint32_t)take_number(r, UINT32_MAX, "binding");
    buffer.element = (uint32_t)take_number(r, UINT32_MAX, "element");
    buffer.size = take_number(r, EXP_OFFSETS, "bytes");
    take_hex(r, &buffer.address, "address");
    if (r->trace->buffer_count == EXP_MOST_BUFFERS)
        blame(r, "fewer buffers");
    if (r->trace->buffer_count &&
        r->trace->buffers[r->trace->buffer_count - 1].region >= buffer.region)
        blame(r, "region above the one before");
    if (!r->wrong)
        LIT_ADD(r->trace->buffers, r->trace->buffer_count) = buffer;
}

static void read_shared(struct reader *r)
{
    r->trace->shared = take_number(r, UINT32_MAX, "bytes");
}

static void read_zero(struct reader *r)
{
    struct exp_trace *t = r->trace;
    struct exp_zero zero;
    zero.at = take_number(r, t->shared, "byte of Workgroup memory");
    zero.size = take_number(r, t->shared, "bytes");
    if (t->zero_count == EXP_MOST_BUFFERS)
        blame(r, "fewer variables");
    if (!r->wrong)
        LIT_ADD(t->zeros, t->zero_count) = zero;
}

// "G S L PC": an invocation and an instruction.
static uint32_t take_invocation(struct reader *r, uint32_t *code)
{
    const struct exp_trace *t = r->trace;
    const uint32_t groups = t->invocations / t->subgroup / t->subgroups;
    const uint32_t group =
        (uint32_t)take_number(r, groups - 1, t->dispatched > groups ? SIZE_WANTED : "workgroup");
    const uint32_t subgroup = (uint32_t)take_number(r, t->subgroups - 1, "subgroup");
    const uint32_t lane = (uint32_t)take_number(r, t->subgroup - 1, "lane");
    if (subgroup * t->subgroup + lane >= t->local[0] * t->local[1] * t->local[2])
        blame(r, "invocation of the workgroup");
    if (t->code_count == 0)
        blame(r, "instruction that is known");
    else
        *code = (uint32_t)take_number(r, t->code_count - 1, "instruction that is known");
    return exp_invocation(t, group, subgroup, lane);
}

static void read_left(struct reader *r)
{
    struct exp_trace *t = r->trace;
    struct exp_left left = {.state = EXP_RUNS};
    const uint32_t invocation = take_invocation(r, &left.code);
    const char *state = take_word(r);
    if (strcmp(state, "waits") == 0)
        left.state = EXP_WAITS;
    else if (strcmp(state, "runs") != 0)
        blame(r, "runs or waits");
    if (r->wrong)
        return;
    if (!t->left)
        t->left = lit_alloc(t->invocations, sizeof *t->left);
    t->left[invocation] = left;
}

static void read_step(struct reader *r)
{
    struct exp_trace *t = r->trace;
    struct exp_step step = {0};
    step.time = take_number(r, UINT64_MAX, "time");
    step.invocation = take_invocation(r, &step.code);
    step.has_value = take_hex(r, &step.value, "value");
    const char *source = take_word(r);
    step.source = strcmp(source, "-") == 0
                      ? EXP_NO_LANE
                      : (uint8_t)number_of(r, source, 10, t->subgroup - 1, "source lane");
    const size_t length = strcspn(r->at, " ");
    step.outside = length && r->at[length - 1] == '!';
    if (step.outside)
        r->at[length - 1] = ' ';
    step.has_address = take_hex(r, &step.address, "address");
    step.has_address &= !t->code_count || (!t->codes[step.code].by_pointer &&
                                           t->codes[step.code].kind != EXP_BARRIER);
    step.tangle = take_lanes(r);
    if (!exp_lanes_has(&step.tangle, exp_lane(t, step.invocation)))
        blame(r, "tangle with the lane in it");
    if (r->steps + t->step_count == EXP_TRACE_STEPS)
        blame(r, "shorter trace");
    if (r->wrong)
        return;
    if (t->step_count && t->steps[t->step_count - 1].time > step.time)
        r->rising = false;
    LIT_ADD(t->steps, t->step_count) = step;
}

static void read_end(struct reader *r)
{
    take_number(r, UINT64_MAX, "number of the dispatch");
    take_name(r, r->trace->end, sizeof r->trace->end, "result");
    r->over = true;
}

static void read_switches(struct reader *r)
{
    r->trace->switches = take_number(r, UINT64_MAX, "number of switches");
}

static void read_line(struct reader *r)
{
    static const struct {
        const char *name;
        void (*read)(struct reader *r);
    } lines[] = {
        {"step", read_step},         {"code", read_code},         {"memory", read_memory},
        {"register", read_register}, {"call", read_call},         {"undefined", read_undefined},
        {"buffer", read_buffer},     {"shared", read_shared},     {"zero", read_zero},
        {"end", read_end},           {"switches", read_switches}, {"left", read_left},
        {"dispatch", read_dispatch}};
    const size_t last = sizeof lines / sizeof *lines - 1;
    if (r->line == 1) {
        expect(r, "simt-trace");
        expect(r, "1");
    } else {
        const char *word = take_word(r);
        size_t i = 0;
        while (i < last && strcmp(word, lines[i].name) != 0)
            i++;
        if (i == last && (r->in_dispatch || strcmp(word, lines[i].name) != 0))
            blame(r, "kind of line that is known here");
        else if (i < last && !r->in_dispatch)
            blame(r, "dispatch");
        else
            lines[i].read(r);
    }
    if (*take_word(r))
        blame(r, "end of line");
}

// Consistency

static int by_time(const void *a, const void *b)
{
    const struct exp_step *const *left = a, *const *right = b;
    if ((*left)->time != (*right)->time)
        return (*left)->time < (*right)->time ? -1 : 1;
    return *left < *right ? -1 : *left > *right;
}

static void sort_steps(struct exp_trace *t)
{
    OWNED(lit_free) const struct exp_step **sorted = lit_alloc(t->step_count, sizeof *sorted);
    struct exp_step *steps = lit_alloc(t->step_count, sizeof *steps);
    for (size_t i = 0; i < t->step_count; i++)
        sorted[i] = &t->steps[i];
    qsort(sorted, t->step_count, sizeof *sorted, by_time);
    for (size_t i = 0; i < t->step_count; i++)
        steps[i] = *sorted[i];
    free(t->steps);
    t->steps = steps;
}

static void index_steps(struct exp_trace *t)
{
    t->first = lit_alloc((size_t)t->invocations + 2, sizeof *t->first);
    t->order = lit_alloc(t->step_count + 1, sizeof *t->order);
    // Counts are stored one index higher, so that filling moves each first[] into place.
    for (size_t i = 0; i < t->step_count; i++)
        t->first[t->steps[i].invocation + 2]++;
    for (size_t i = 2; i < (size_t)t->invocations + 2; i++)
        t->first[i] += t->first[i - 1];
    for (size_t i = 0; i < t->step_count; i++)
        t->order[t->first[t->steps[i].invocation + 1]++] = (uint32_t)i;
}

// Parses the next dispatch at *at.
static bool read_next(struct reader *r, const char **at, const char *end, struct exp_trace *trace,
                      struct lit_error *error)
{
    r->trace = trace;
    r->rising = true;
    r->in_dispatch = r->over = false;
    *trace = (struct exp_trace){0};
    while (*at < end && !r->wrong && !r->over) {
        const char *newline = memchr(*at, '\n', (size_t)(end - *at));
        // A driver that was killed leaves a partial line.
        if (!newline)
            break;
        const size_t length = (size_t)(newline - *at);
        r->at = r->text;
        r->line++;
        if (length > LINE_MAX_BYTES) {
            blame(r, "shorter line");
            break;
        }
        memcpy(r->text, *at, length);
        r->text[length] = '\0';
        if (strlen(r->text) != length)
            blame(r, "text");
        else
            read_line(r);
        *at = newline + 1;
    }
    if (r->wrong)
        return lit_fail(error, LIT_EXIT_USAGE, "line %lu: expected %s", r->line, r->wrong);
    if (!r->in_dispatch)
        return lit_fail(error, LIT_EXIT_USAGE, "line %lu: expected dispatch", r->line + 1);
    if (!r->rising)
        sort_steps(trace);
    index_steps(trace);
    r->steps += trace->step_count;
    return true;
}

bool exp_trace_read(const char *bytes, size_t size, struct exp_trace *trace,
                    struct lit_error *error)
{
    struct reader r = {0};
    return read_next(&r, &bytes, bytes + size, trace, error);
}

bool exp_trace_load(const char *path, size_t count, struct exp_trace *traces,
                    struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    struct lit_error inner = {0};
    struct reader r = {0};
    for (size_t i = 0; i < count; i++)
        traces[i] = (struct exp_trace){0};
    if (!lit_file_read(path, EXP_TRACE_BYTES, &bytes, error))
        return false;
    const char *at = bytes.data ? bytes.data : "", *const end = at + bytes.length;
    const bool fits = bytes.length < EXP_TRACE_BYTES;
    bool good = fits;
    for (size_t i = 0; i < count && good; i++)
        good = read_next(&r, &at, end, &traces[i], &inner);
    return good || lit_fail(error, LIT_EXIT_USAGE, "the driver's trace cannot be read: %s",
                            fits ? inner.message : "it is too long");
}

void exp_trace_trim(struct exp_trace *trace)
{
    const uint32_t size = trace->subgroups * trace->subgroup;
    uint32_t kept = trace->invocations / size, rest;
    while (kept > 1 && trace->first[kept * size] == trace->first[(kept - 1) * size])
        kept--;
    trace->invocations = kept * size;
    // The invocation keeps its number.
    rest = kept;
    for (int i = 0; i < 3; i++) {
        trace->groups[i] = trace->groups[i] < rest ? trace->groups[i] : rest;
        rest = (rest + trace->groups[i] - 1) / trace->groups[i];
    }
}

void exp_trace_clear(struct exp_trace *trace)
{
    for (size_t i = 0; i < trace->code_count; i++)
        free(trace->codes[i].text);
    free(trace->codes);
    free(trace->buffers);
    free(trace->zeros);
    for (size_t i = 0; i < trace->undefined_count; i++)
        free(trace->undefined[i].name);
    free(trace->undefined);
    free(trace->steps);
    free(trace->left);
    free(trace->first);
    free(trace->order);
    *trace = (struct exp_trace){0};
}

const struct exp_buffer *exp_buffer_at(const struct exp_trace *trace, uint64_t address,
                                       uint64_t *offset)
{
    const uint64_t region = address >> EXP_REGION_SHIFT;
    size_t low = 0, high = trace->buffer_count;
    *offset = address & EXP_OFFSETS;
    for (size_t i = 0; region < EXP_SHARED_REGION && i < trace->buffer_count; i++) {
        const struct exp_buffer *each = &trace->buffers[i];
        if (each->address && address >= each->address && address - each->address < each->size) {
            *offset = address - each->address;
            return each;
        }
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (trace->buffers[middle].region < region)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->buffer_count && trace->buffers[low].region == region ? &trace->buffers[low]
                                                                             : NULL;
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
