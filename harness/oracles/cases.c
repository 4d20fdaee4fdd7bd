// SPDX-License-Identifier: Apache-2.0
// The oracles of family `cases`: every invocation has one input word and a few output words, and
// the expectation is a single value.
#include "base/random.h"
#include "oracles/oracles.h"

// ---- cases.amdvlk-138 and cases.llpc-426: one turn for each distinct value

static void turns_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const uint32_t values = cat_value(args, "values");
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] = (uint32_t)(random_below(&random, values) + 1) * 0x9E3779B1u;
}

// The distinct words of a subgroup in order of first occurrence. Returns their number.
static uint32_t turns_of(const struct cat_args *args, const uint32_t *words, uint32_t *turns)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0;
        while (turn < count && turns[turn] != words[lane])
            turn++;
        if (turn == count)
            turns[count++] = words[lane];
    }
    return count;
}

static void turns_expect(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    uint32_t turns[128];
    turns_of(args, words, turns);
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0, companions = 0;
        while (turns[turn] != words[lane])
            turn++;
        for (uint32_t other = 0; other < args->subgroup; other++)
            companions += words[other] == words[lane];
        expected[2 * lane] = turn + 1;
        expected[2 * lane + 1] = companions;
    }
}

static void asks_expect(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    uint32_t turns[128];
    turns_of(args, words, turns);
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        uint32_t turn = 0, sum = 0;
        while (turns[turn] != words[lane])
            sum = sum * 31 + turns[++turn];
        expected[2 * lane] = turn;
        expected[2 * lane + 1] = sum;
    }
}

// ---- cases.llama-cpp-28975: each workgroup's row, sorted

static void sorts_shape(struct cat_args *args)
{
    args->shape.state_words = 1 + args->shape.input_words;
    args->shape.input_words *= 2;
}

// Draws keys from a range small enough to make many equal.
static void sorts_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    cat_random_words(args, seed, input);
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] %= 3 * args->workgroup;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void sorts_expect(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    uint64_t pairs[2 * 1024]; // a workgroup has at most 1024 invocations
    const uint32_t length = 2 * args->workgroup;
    for (uint32_t i = 0; i < length; i++)
        pairs[i] = (uint64_t)words[i] << 32 | i;
    qsort(pairs, length, sizeof *pairs, by_number);
    for (uint32_t i = 0; i < length; i++) {
        expected[2 * i] = (uint32_t)(pairs[i] >> 32);
        expected[2 * i + 1] = (uint32_t)pairs[i];
    }
}

// ---- cases.vello-10-nv-bug-3: a scan of elements of twelve numbers

static void scans_expect(const struct cat_args *args, const uint32_t *words, uint32_t *expected)
{
    // The first bit of each number within its word; the last number has all bits from there.
    static const uint32_t shift[12] = {0, 4, 8, 12, 0, 4, 12, 8, 4, 0, 8, 16};
    uint32_t sum[12] = {0};
    for (uint32_t i = 0; i < args->workgroup; i++)
        for (uint32_t k = 0; k < 12; k++) {
            sum[k] += words[i] >> shift[k] & (k == 11 ? UINT32_MAX : 15);
            expected[12 * i + k] = sum[k];
        }
}

// ---- cases.vello-10-nv-crash-1: the top of a stack

struct stack_entry {
    uint32_t members[6];
};

static void stacks_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    for (uint64_t i = 0; i < args->shape.input_words; i++) {
        struct stack_entry stack[12], top = {{0}};
        uint32_t depth = 0, number = input[i];
        for (uint32_t bit = 0; bit < 12; bit++) {
            const uint32_t next = number * 1664525u + 1013904223u;
            if (input[i] >> bit & 1) {
                stack[depth] = top;
                top = (struct stack_entry){{next, 2 * next, ~next, bit, number, depth}};
                depth++;
            } else if (depth) {
                top = stack[--depth];
            }
            number = next;
        }
        for (uint32_t k = 0; k < 6; k++)
            expected[6 * i + k] = top.members[k];
    }
}

// ---- cases.nvidia-skipped-reduction: each invocation stores the result of a subgroup operation,
// and a sum over the words for which its truth values hold

#define STRIDE 32 // words between truth values
#define MOST   40 // truth values
#define GROUPS 32 // limit on workgroups, to keep bundles small

static uint32_t bools_of(const struct cat_args *args)
{
    return (uint32_t)strtoul(cat_axis(args, "bools"), NULL, 10);
}

// Whether the truth values are of this kind, whatever the buffer's decorations.
static bool is_kind(const struct cat_args *args, const char *kind)
{
    return strncmp(cat_axis(args, "kind"), kind, strlen(kind)) == 0;
}

// Whether the branch's condition is used again.
static bool chooses_again(const struct cat_args *args)
{
    return is_kind(args, "bounds") || strstr(cat_axis(args, "kind"), "readonly");
}

static void reduction_shape(struct cat_args *args)
{
    const uint32_t inside = cat_value(args, "inside");
    cat_shape_usual(args, args->scale < GROUPS ? args->scale : GROUPS);
    struct cat_shape *shape = &args->shape;
    shape->state_words = 1 + shape->workgroups;
    // The last invocation's words are followed by those for its truth values.
    shape->input_words += 2 + STRIDE * MOST;
    if (is_kind(args, "push")) // even
        shape->elements = (bools_of(args) * inside / 100 + 1) / 2 * 2;
    else if (is_kind(args, "words"))
        shape->elements = (uint32_t)((uint64_t)UINT32_MAX * inside / 100);
    else // even
        shape->elements = (uint32_t)(shape->input_words * inside / 200 * 2);
}

// Combines one more number with the result so far.
static uint32_t combined(const char *op, uint32_t sum, uint32_t word)
{
    const uint32_t sign = *op == 's' ? 0x80000000 : 0;
    word = *op == 'f' ? word & 255 : word;
    return (uint32_t)oracle_combine(oracle_operation(op), sum ^ sign, word ^ sign) ^ sign;
}

static bool is_rare(uint32_t word)
{
    return word >> 27 == 0;
}

static uint32_t rare_ones(const uint32_t *words, uint32_t lanes)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        count += is_rare(words[lane]);
    return count;
}

// A lane's result in a subgroup with these words.
static uint32_t outcome(const char *op, const uint32_t *words, uint32_t lanes, uint32_t lane)
{
    uint32_t end = lanes, mask = 0;
    if (strcmp(op, "broadcast-first") == 0)
        return words[0];
    if (strcmp(op, "shuffle") == 0)
        return words[lane ^ 1];
    if (strcmp(op, "elect") == 0)
        return lane == 0;
    if (strcmp(op, "any") == 0)
        return rare_ones(words, lanes) > 0;
    if (strcmp(op, "all-equal") == 0)
        return rare_ones(words, lanes) % lanes == 0;
    if (strcmp(op, "ballot") == 0) {
        for (uint32_t other = 0; other < lanes && other < 32; other++)
            mask |= (uint32_t)is_rare(words[other]) << other;
        return mask;
    }
    if (strcmp(op, "or") == 0) {
        for (uint32_t other = 0; other < lanes; other++)
            mask |= words[other] & 1u << other % 32;
        return mask;
    }
    if (strcmp(op, "exclusive-add") == 0)
        return lane ? outcome("inclusive-add", words, lanes, lane - 1) : 0;
    if (strcmp(op, "inclusive-add") == 0)
        end = lane + 1;
    uint32_t sum = strcmp(op, "fadd") == 0 ? words[0] & 255 : words[0];
    for (uint32_t other = 1; other < end; other++)
        sum = combined(op, sum, words[other]);
    return sum;
}

// The subgroup whose result a subgroup's invocations read: itself if it takes the branch.
static uint32_t source_of(const struct cat_args *args, uint32_t subgroup)
{
    const char *branch = cat_axis(args, "branch");
    if (strcmp(branch, "last") == 0)
        return args->workgroup / args->subgroup - 1;
    if (strcmp(branch, "none") == 0 || strcmp(branch, "workgroup") == 0)
        return subgroup;
    return strcmp(branch, "even") == 0 ? subgroup - subgroup % 2 : 0;
}

static uint32_t given_to(const struct cat_args *args, const uint32_t *input, uint64_t place)
{
    const uint32_t invocation = (uint32_t)(place % args->workgroup);
    const uint32_t subgroup = invocation / args->subgroup, source = source_of(args, subgroup);
    const uint32_t *words = input + (place - invocation) + (uint64_t)source * args->subgroup;
    const uint32_t lane = cat_axis_is(args, "result", "elected") ? 0 : invocation % args->subgroup;
    uint32_t given = outcome(cat_axis(args, "op"), words, args->subgroup, lane);
    if (source == subgroup)
        return given;
    if (cat_axis_is(args, "result", "value"))
        given = input[place];
    return chooses_again(args) ? given + input[place] : given;
}

// Adds a number for each truth value that holds: with `bounds` an odd weight; else its word times
// that weight, and again the word or the subgroup's result.
static uint32_t sum_of(const struct cat_args *args, const uint32_t *input, uint64_t place,
                       uint32_t given)
{
    const uint32_t bools = bools_of(args);
    const bool given_again = chooses_again(args), bounds = is_kind(args, "bounds");
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bools; i++) {
        const uint32_t weight = 2 * i + 1;
        const uint64_t at = place + 1 + (uint64_t)STRIDE * i;
        const uint64_t tested = is_kind(args, "push") ? i : is_kind(args, "words") ? input[at] : at;
        if (tested < args->shape.elements)
            sum += bounds ? weight : input[at] * weight + (given_again ? given : input[at]);
    }
    return sum;
}

static void reduction_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const uint64_t places = (uint64_t)args->shape.workgroups * args->workgroup;
    for (uint64_t place = 0; place < places; place++) {
        const uint32_t given = given_to(args, input, place);
        expected[2 * place] = given;
        expected[2 * place + 1] = sum_of(args, input, place, given);
    }
}

#define CASE(ticket, unit, results_, ...)                                                          \
    ORACLE("cases." ticket, unit, .results = results_, __VA_ARGS__)

const struct cat_oracle oracles_cases[] = {
    CASE("amdvlk-138", "subgroup", 2, .input = turns_input, .expect_unit = turns_expect),
    CASE("llama-cpp-28975", "workgroup", 4, .of_workgroups = true, .shape = sorts_shape,
         .input = sorts_input, .expect_unit = sorts_expect),
    CASE("llpc-426", "subgroup", 2, .input = turns_input, .expect_unit = asks_expect),
    CASE("nvidia-skipped-reduction", "workgroup", 2, .of_workgroups = true, .least = 2,
         .shape = reduction_shape, .expect = reduction_expect),
    CASE("vello-10-nv-bug-3", "workgroup", 12, .of_workgroups = true, .expect_unit = scans_expect),
    CASE("vello-10-nv-crash-1", "subgroup", 6, .expect = stacks_expect),
    {0},
};
