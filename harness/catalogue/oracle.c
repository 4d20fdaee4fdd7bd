// SPDX-License-Identifier: Apache-2.0
// Finds oracles in the tables of all files, and implements the common parts.
#include "catalogue/catalogue.h"
#include "oracles/oracles.h"

// ORACLE_TABLES(X) is X(NAME) for each file of oracles/, defined by harness/meson.build.
#define DECLARE_TABLE(name) extern const struct cat_oracle oracles_##name[];
ORACLE_TABLES(DECLARE_TABLE)
#define TABLE_OF(name) oracles_##name,
static const struct cat_oracle *const tables[] = {ORACLE_TABLES(TABLE_OF)};

const struct cat_oracle *cat_oracle_find(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct cat_oracle *oracle = tables[i]; oracle->name; oracle++)
            if (!strcmp(oracle->name, name))
                return oracle;
    return NULL;
}

static uint32_t invocations_of_a_unit(const struct cat_args *args)
{
    return args->oracle->of_workgroups ? args->workgroup : args->subgroup;
}

void cat_shape_usual(struct cat_args *args, uint32_t workgroups)
{
    const uint64_t invocations = (uint64_t)workgroups * args->workgroup;
    const char *elements = args->oracle->elements;
    args->shape = (struct cat_shape){
        .workgroups = workgroups,
        .elements = elements ? cat_value(args, elements) : 0,
        .input_words = invocations,
        .state_words = 1,
        .instances = invocations / invocations_of_a_unit(args),
        .words_per_instance = (uint64_t)args->oracle->results * invocations_of_a_unit(args),
    };
}

void cat_random_words(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] = (uint32_t)(random_next(&random) >> 32);
}

void cat_repeat(const struct cat_shape *shape, size_t words, uint32_t *expected)
{
    for (uint64_t instance = 1; instance < shape->instances; instance++)
        memcpy(expected + instance * words, expected, words * sizeof *expected);
}

static struct cat_args asked(const struct cat_oracle *oracle, const struct cat_args *args,
                             const struct cat_shape *shape)
{
    struct cat_args with = *args;
    with.oracle = oracle;
    with.shape = *shape;
    return with;
}

bool cat_oracle_shape(const struct cat_oracle *oracle, const struct cat_args *args,
                      struct cat_shape *shape, struct lit_error *error)
{
    struct cat_args with = asked(oracle, args, &(struct cat_shape){0});
    if (args->subgroup < oracle->least)
        return lit_fail(error, LIT_EXIT_USAGE, "subgroups of %u lanes: the test needs %u or more",
                        args->subgroup, (unsigned)oracle->least);
    if (oracle->fits && !oracle->fits(&with, error))
        return false;
    cat_shape_usual(&with, args->scale);
    if (oracle->shape)
        oracle->shape(&with);
    *shape = with.shape;
    return true;
}

void cat_oracle_input(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, uint64_t seed, uint32_t *input)
{
    const struct cat_args with = asked(oracle, args, shape);
    (oracle->input ? oracle->input : cat_random_words)(&with, seed, input);
}

void cat_oracle_expect(const struct cat_oracle *oracle, const struct cat_args *args,
                       const struct cat_shape *shape, const uint32_t *input, uint32_t *expected)
{
    const struct cat_args with = asked(oracle, args, shape);
    const uint64_t words = shape->words_per_instance * cat_check_stride(oracle->check);
    const uint64_t each = shape->input_words / shape->instances;
    if (oracle->expect)
        oracle->expect(&with, input, expected);
    for (uint64_t i = 0; !oracle->expect && i < shape->instances; i++)
        oracle->expect_unit(&with, input + i * each, expected + i * words);
    if (oracle->alike)
        cat_repeat(shape, words, expected);
}

// Formulas

// Word `at` of the `count` input words from `first` on.
static uint32_t input_at(const struct cat_place *place, uint64_t first, uint64_t at, uint64_t count)
{
    return place->input && at < count && first + at < place->args->shape.input_words
               ? place->input[first + at]
               : 0;
}

// Advances the kernels' linear congruential generator: doubles the step for each bit of `count`.
static uint32_t steps(uint32_t count, uint32_t number)
{
    uint32_t factor = 1664525u, term = 1013904223u;
    for (; count; count >>= 1) {
        number = count & 1 ? factor * number + term : number;
        term *= factor + 1;
        factor *= factor;
    }
    return number;
}

// State while evaluating a formula.
struct evaluation {
    const struct cat_formula *formula;
    const struct cat_place *place;
    uint32_t numbers[CAT_NAMES];
};

static void fill_numbers(struct evaluation *e)
{
    const struct cat_place *place = e->place;
    const struct cat_args *args = place->args;
    const struct cat_shape *shape = &args->shape;
    const uint32_t members = invocations_of_a_unit(args), lanes = args->subgroup;
    const uint32_t subgroups = args->workgroup / lanes;
    const uint64_t results = shape->words_per_instance / members;
    const uint64_t member = results ? place->word / results : 0; // invocation within its unit
    const bool whole = args->oracle->of_workgroups;
#define NUMBER(id, name, asks, number) e->numbers[CAT_NAME_##id] = (uint32_t)(number);
    CAT_NAMES_OF_FORMULAS(NUMBER)
}

static uint32_t value(struct evaluation *e, size_t at);

// The nodes that need only the values of their operands, like CAT_OPERATORS.
#define OPERATIONS(X)                                                                              \
    CAT_OPERATORS(X)                                                                               \
    X(IN, , , input_at(place, members * place->unit, a, members))                                  \
    X(INPUT, , , input_at(place, 0, a, UINT64_MAX))                                                \
    X(STEPS, , , steps(a, b))                                                                      \
    X(NOT, , , !a)                                                                                 \
    X(FLIP, , , ~a)                                                                                \
    X(NEGATE, , , 0u - a)

static bool has_one_operand(enum cat_node_kind kind)
{
    return kind == CAT_NODE_IN || kind == CAT_NODE_INPUT || kind == CAT_NODE_NOT ||
           kind == CAT_NODE_FLIP || kind == CAT_NODE_NEGATE || kind == CAT_NODE_DRAW ||
           kind == CAT_NODE_FILE;
}

static uint32_t operate(const struct cat_place *place, uint32_t members, enum cat_node_kind kind,
                        uint32_t a, uint32_t b)
{
#define OPERATION(id, sign, binds, value)                                                          \
    case CAT_NODE_##id:                                                                            \
        return value;
    switch (kind) {
        OPERATIONS(OPERATION)
    default:
        return 0;
    }
#undef OPERATION
}

#define BLOCK 64 // invocations per evaluation of a node

// Evaluates a node for `count` invocations as `other`, at most BLOCK, from `first` on. Evaluates
// both sides of a choice, so it must not be used for random numbers or files.
static void values(const struct evaluation *e, size_t at, uint32_t first, uint32_t count,
                   uint32_t *out)
{
    const struct cat_node *node = &e->formula->nodes[at];
    const struct cat_place *place = e->place;
    const uint32_t members = invocations_of_a_unit(place->args);
    uint32_t left[BLOCK], right[BLOCK];
    const bool leaf = node->kind == CAT_NODE_NUMBER || node->kind == CAT_NODE_NAME;
    const bool one = has_one_operand(node->kind);
    if (!leaf)
        values(e, node->of[0], first, count, left);
    if (!leaf && !one)
        values(e, node->of[1], first, count, right);
    if (node->kind == CAT_NODE_CHOICE)
        values(e, node->of[2], first, count, out);
#define EACH(expression)                                                                           \
    for (uint32_t i = 0; i < count; i++)                                                           \
        out[i] = expression;                                                                       \
    break
#define OPERATION(id, sign, binds, value)                                                          \
    case CAT_NODE_##id:                                                                            \
        for (uint32_t i = 0; i < count; i++) {                                                     \
            const uint32_t a = left[i], b = one ? 0 : right[i];                                    \
            (void)b;                                                                               \
            out[i] = value;                                                                        \
        }                                                                                          \
        break;
    switch (node->kind) {
        OPERATIONS(OPERATION)
    case CAT_NODE_NAME:
        if (node->number == CAT_NAME_OTHER) {
            EACH(first + i);
        }
        EACH(e->numbers[node->number]);
    case CAT_NODE_CHOICE:
        EACH(left[i] ? right[i] : out[i]);
    default:
        EACH(node->number);
    }
#undef OPERATION
#undef EACH
}

// Whether values() can evaluate a fold's operands, which precede the node.
static bool is_pure(const struct cat_formula *formula, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        const struct cat_node *node = &formula->nodes[i];
        if (node->kind == CAT_NODE_DRAW || node->kind == CAT_NODE_FILE ||
            (node->kind == CAT_NODE_NAME && node->number == CAT_NAME_RANDOM))
            return false;
    }
    return true;
}

// Combines all invocations of the unit.
static uint32_t fold(struct evaluation *e, const struct cat_node *node)
{
    const enum oracle_operation operation = (enum oracle_operation)node->number;
    const uint32_t members = invocations_of_a_unit(e->place->args);
    const bool pure = is_pure(e->formula, (size_t)(node - e->formula->nodes));
    uint64_t all = oracle_identity(operation);
    uint32_t block[BLOCK];
    for (uint32_t other = 0; other < members; other += BLOCK) {
        const uint32_t count = members - other < BLOCK ? members - other : BLOCK;
        if (pure)
            values(e, node->of[0], other, count, block);
        for (uint32_t i = 0; i < count; i++) {
            e->numbers[CAT_NAME_OTHER] = other + i;
            all = oracle_combine(operation, all, pure ? block[i] : value(e, node->of[0]));
        }
    }
    return (uint32_t)all;
}

static uint32_t value(struct evaluation *e, size_t at)
{
    const struct cat_node *node = &e->formula->nodes[at];
    const struct cat_place *place = e->place;
    if (node->kind == CAT_NODE_NUMBER)
        return node->number;
    if (node->kind == CAT_NODE_NAME)
        return node->number == CAT_NAME_RANDOM ? (uint32_t)(random_next(place->random) >> 32)
                                               : e->numbers[node->number];
    if (node->kind == CAT_NODE_FOLD)
        return fold(e, node);
    const bool lazy = node->kind == CAT_NODE_CHOICE || node->kind == CAT_NODE_BOTH;
    // The right operand draws its random numbers first.
    const uint32_t b = lazy || has_one_operand(node->kind) ? 0 : value(e, node->of[1]);
    const uint32_t a = value(e, node->of[0]);
    switch (node->kind) {
    case CAT_NODE_CHOICE:
        return value(e, node->of[a ? 1 : 2]);
    case CAT_NODE_BOTH:
        return a && value(e, node->of[1]);
    case CAT_NODE_DRAW:
        return a ? (uint32_t)random_below(place->random, a) : 0;
    case CAT_NODE_FILE:
        return cat_test_file(place->args->which->test, a);
    default:
        return operate(place, invocations_of_a_unit(place->args), node->kind, a, b);
    }
}

void cat_formula_settle(struct cat_formula *formula, const struct cat_case *which)
{
    for (size_t i = 0; i < formula->count; i++) {
        struct cat_node *node = &formula->nodes[i];
        const size_t index = node->number;
        if (node->kind == CAT_NODE_PARAMETER)
            node->number = cat_case_sweep(which, index);
        else if (node->kind == CAT_NODE_AXIS)
            node->number = (uint32_t)strtoul(
                which->test->head.axes[index].values[which->axis[index]], NULL, 10);
        else if (node->kind == CAT_NODE_TERM)
            node->number = cat_term_holds(&node->term, which->axis, which->sweep);
        else
            continue;
        node->kind = CAT_NODE_NUMBER;
    }
}

uint32_t cat_formula_value(const struct cat_formula *formula, const struct cat_place *place)
{
    struct evaluation evaluation; // not zeroed: called for each word
    evaluation.formula = formula;
    evaluation.place = place;
    fill_numbers(&evaluation);
    return value(&evaluation, formula->count - 1);
}

// Position of a failing word

// Writes the number or word for a brace expression; (*at)[-1] is the opening brace. Moves *at past
// the closing one.
static void put_number(const struct cat_place *place, const char **at, struct text *out)
{
    const struct cat_case *which = place->args->which;
    struct cat_formula formula;
    struct lit_error error = {0};
    if (!cat_formula_parse_inside(at, which ? &which->test->head : NULL, &formula, &error))
        lit_give_up(error.message); // only built-in tests get here
    cat_formula_settle(&formula, which);
    uint32_t number = cat_formula_value(&formula, place);
    if (**at != '|')
        text_printf(out, "%" PRIu32, number);
    for (; **at == '|'; *at += strcspn(*at, "|}"), number--) {
        ++*at;
        if (number == 0)
            text_append(out, *at, strcspn(*at, "|}"));
    }
    ++*at;
}

void cat_oracle_where(const struct cat_oracle *oracle, const struct cat_args *args,
                      const struct cat_shape *shape, const struct cat_failure *failure, char *text,
                      size_t size)
{
    const struct cat_args with = asked(oracle, args, shape);
    const struct cat_place place = {
        .args = &with, .unit = failure->instance, .word = failure->word};
    const char *own = args->which ? args->which->test->head.where : NULL;
    const char *at = own             ? own
                     : oracle->where ? oracle->where
                     : oracle->of_workgroups
                         ? "invocation {word/results}, result {word%results}, workgroup {unit}"
                         : "lane {word/results}, result {word%results}" OF_SUBGROUP;
    OWNED(text_free) struct text out = {0};
    if (oracle->describe) {
        oracle->describe(&with, failure, text, size);
        return;
    }
    if (oracle->where_of)
        at = oracle->where_of(&with, failure);
    for (size_t length; *at; at += length) {
        length = strcspn(at, "{");
        text_append(&out, at, length);
        if (at[length]) {
            at += length + 1;
            length = 0;
            put_number(&place, &at, &out);
        }
    }
    snprintf(text, size, "%s", out.data);
}

struct cat_mode cat_mode_of(const struct cat_oracle *oracle)
{
    return (struct cat_mode){oracle->check, oracle->choice};
}
