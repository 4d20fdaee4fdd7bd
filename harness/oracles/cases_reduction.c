// SPDX-License-Identifier: Apache-2.0
// The oracle of cases.nvidia-skipped-reduction: each invocation stores what an operation over its
// subgroup gave, and a sum over the words for which its truth values hold.

#include "oracles/oracles.h"

#define STRIDE 32 // words from one truth value's to the next
#define MOST   40 // truth values
#define GROUPS 32 // workgroups at most: a bundle of it stays small

static uint32_t bools_of(const struct cat_args *args)
{
    uint32_t bools = 0;
    for (const char *digit = cat_axis(args, "bools"); *digit; digit++)
        bools = bools * 10 + (uint32_t)(*digit - '0');
    return bools;
}

// What the truth values are, whatever the buffer is decorated with.
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
    // Behind the words of the last invocation lie those of its truth values.
    shape->input_words += 2 + STRIDE * MOST;
    if (is_kind(args, "push")) // even
        shape->elements = (bools_of(args) * inside / 100 + 1) / 2 * 2;
    else if (is_kind(args, "words"))
        shape->elements = (uint32_t)((uint64_t)UINT32_MAX * inside / 100);
    else // even
        shape->elements = (uint32_t)(shape->input_words * inside / 200 * 2);
}

// One more number to what those before it gave.
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

// What a lane of a subgroup with these words gets.
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

// The subgroup whose result the invocations of a subgroup read: itself, if it takes the branch.
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

// A number for each truth value that holds: bounds: an odd weight; else its word times that weight,
// and once more the word or what was given.
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

const struct cat_oracle oracles_cases_reduction[] = {
    {
        .name = "cases.nvidia-skipped-reduction",
        .instance = "workgroup",
        .of_workgroups = true,
        .results = 2,
        .least = 2,
        .shape = reduction_shape,
        .expect = reduction_expect,
    },
    {0},
};
