// SPDX-License-Identifier: Apache-2.0
// The oracles of family `reconvergence`: each kernel's control flow in a notation, run by the
// simulator. For generated programs it is in the test's head.
//
// All kernels share one layout. An invocation's number is workgroup * workgroup size + subgroup *
// subgroup size + lane; `elements` is the subgroup size. input[number] is the word that determines
// the lane's conditions (reconvergence_word). The output is a list of four-word records, ballots of
// true: slot s of an invocation is record number * slots + s. A place that a lane does not reach
// leaves its record as poison.
#include "base/random.h"
#include "catalogue/catalogue.h"
#include "generate/program.h"
#include "oracles/oracles.h"

#include <assert.h>

// The lane's word.
enum {
    TRIPS = 0,
    FIRST_CONDITIONS = 8,
    SECOND_CONDITIONS = 16,
    SELECTOR = 25,
    ENTERS = 31,
    MOST_TRIPS = 8,
};

uint32_t reconvergence_word(uint64_t seed, uint64_t instance, uint32_t lane, uint32_t subgroup)
{
    struct lit_random random = {seed + instance * UINT64_C(0x9E3779B97F4A7C15)};
    const uint32_t enters = random_below(&random, 4) != 0;
    const uint64_t shared = random_next(&random);
    const uint32_t odd = (uint32_t)random_below(&random, subgroup);
    uint32_t kind = lane; // selects a pattern of equal lanes

    switch (instance % 8) {
    case 0:
        return lane % (MOST_TRIPS + 1) << TRIPS | (lane % 2 ? 0xffu : 0) << FIRST_CONDITIONS |
               (lane % 4 == 3 ? 0x1ffu : 0) << SECOND_CONDITIONS | lane % 4 << SELECTOR |
               enters << ENTERS;
    case 1:
        kind = 0;
        break;
    case 2:
        kind = lane == odd;
        break;
    case 3:
        kind = lane >= subgroup / 2;
        break;
    }
    struct lit_random own = {shared + kind};
    random_next(&own);
    const uint32_t trips = (uint32_t)random_below(&own, MOST_TRIPS + 1);
    const uint32_t selector = (uint32_t)random_below(&own, 5);
    const uint32_t conditions = (uint32_t)random_next(&own) & 0x1ffff;
    return trips << TRIPS | conditions << FIRST_CONDITIONS | selector << SELECTOR |
           enters << ENTERS;
}

// The rule of the axis `reconvergence`; without the axis MASKS_DEFAULT.
static enum masks_rule reconvergence_rule(const struct cat_args *args)
{
    const char *name = cat_axis(args, "reconvergence");
    enum masks_rule rule = MASKS_DEFAULT;
    if (name)
        gen_rule_find(name, &rule);
    return rule;
}

// Conditions, by their names in the notation

static uint32_t field(const struct masks_lane *lane, uint32_t shift, uint32_t bits)
{
    return lane->word >> shift & ((1u << bits) - 1);
}

#define I lane->iteration[0]
#define J lane->iteration[1]

static bool more_columns(const struct masks_lane *lane)
{
    return J < field(lane, FIRST_CONDITIONS + 2 * I, 2);
}

static bool column_breaks(const struct masks_lane *lane)
{
    return field(lane, SECOND_CONDITIONS + 3 * I + J, 1);
}

// Whether any of this row's columns breaks.
static bool row_escapes(const struct masks_lane *lane)
{
    struct masks_lane at = *lane;
    for (at.iteration[1] = 0; more_columns(&at); at.iteration[1]++)
        if (column_breaks(&at))
            return true;
    return false;
}

// Whether any lane of the tangle continues with another row.
static bool any_rows_again(const struct masks_lane *lane)
{
    for (uint32_t i = 0; i < lane->subgroup; i++)
        if (lane->tangle[i / 32] >> i % 32 & 1 && I + 1 < (lane->words[i] >> TRIPS & 3))
            return true;
    return false;
}

// clang-format off
#define CONDITIONS(X)                                                                              \
    X(enters, field(lane, ENTERS, 1))                                                              \
    X(first, field(lane, FIRST_CONDITIONS + I, 1))                                                 \
    X(not_first, !field(lane, FIRST_CONDITIONS + I, 1))                                            \
    X(second, field(lane, SECOND_CONDITIONS + I, 1))                                               \
    X(both, field(lane, FIRST_CONDITIONS + I, 1) && field(lane, SECOND_CONDITIONS + I, 1))         \
    X(either, field(lane, FIRST_CONDITIONS + I, 1) || field(lane, SECOND_CONDITIONS + I, 1))       \
    X(first_of_all, field(lane, FIRST_CONDITIONS, 1))                                              \
    X(third_bit, field(lane, FIRST_CONDITIONS + 1, 1))                                             \
    X(fourth_bit, field(lane, FIRST_CONDITIONS + 2, 1))                                            \
    X(second_of_all, field(lane, SECOND_CONDITIONS, 1))                                            \
    X(next_second, field(lane, SECOND_CONDITIONS + 1 + I, 1))                                      \
    X(selector, field(lane, SELECTOR, 3))                                                          \
    X(turning_selector, (field(lane, SELECTOR, 3) + I) & 3)                                        \
    X(inner_selector, field(lane, FIRST_CONDITIONS + 3 + I, 1))                                    \
    X(has_trips, field(lane, TRIPS, 4) != 0)                                                       \
    X(more_trips, I < field(lane, TRIPS, 4))                                                       \
    X(trips_again, I + 1 < field(lane, TRIPS, 4))                                                  \
    X(trips_end, I + 1 >= field(lane, TRIPS, 4))                                                   \
    X(trips_over, I == field(lane, TRIPS, 4))                                                      \
    X(trips_of_first, field(lane, TRIPS, 4) == (lane->first_word >> TRIPS & 15))                   \
    X(more_rows, I < field(lane, TRIPS, 2))                                                        \
    X(rows_again, I + 1 < field(lane, TRIPS, 2))                                                   \
    X(any_rows_again, any_rows_again(lane))                                                        \
    X(rows_end_or_not, I >= field(lane, TRIPS, 2) || !field(lane, SECOND_CONDITIONS + I, 1))       \
    X(rows_end_or, I >= field(lane, TRIPS, 2) || field(lane, SECOND_CONDITIONS + I, 1))            \
    X(row_escapes, row_escapes(lane))                                                              \
    X(more_columns, more_columns(lane))                                                            \
    X(columns_again, J + 1 < field(lane, FIRST_CONDITIONS + 2 * I, 2))                             \
    X(column_breaks, column_breaks(lane))                                                          \
    X(elected, lane->lane == lane->first)                                                          \
    X(not_elected, lane->lane != lane->first)                                                      \
    X(counts_to_128, I < 128)                                                                      \
    X(count_is_lane, I == lane->lane)                                                              \
    X(count_down_is_lane, 127 - I == lane->lane)                                                   \
    X(is_lane_zero, lane->lane == 0)                                                               \
    X(is_lane_of_turn, lane->lane == 1 + I)
// clang-format on

#define FUNCTION(name, value)                                                                      \
    static uint32_t choose_##name(const struct masks_lane *lane)                                   \
    {                                                                                              \
        return value;                                                                              \
    }
CONDITIONS(FUNCTION)

#define NAME(name, value)   #name,
#define CHOICE(name, value) choose_##name,
static const char *const condition_names[] = {CONDITIONS(NAME) NULL};
static masks_choice *const conditions[] = {CONDITIONS(CHOICE)};

extern const char reconvergence_sources[]; // oracles/reconvergence.txt

// Whether the control flow is in the test's head.
static bool is_generated(const struct cat_args *args)
{
    return !strcmp(args->oracle->name, "reconvergence.generated");
}

// The notation of generated programs (docs/fuzzing.md) with the conditions above, places and steps
// of program.h's struct gen_dialect, and with
//  [AXIS=VALUE ...] parts only for configurations with that value; AXIS!=VALUE: with any other

// Appends a source, up to the next one, with the configuration's parts.
static void choose_parts(const struct cat_args *args, const char *source, struct text *out)
{
    uint32_t left_out = 0; // nesting below a bracket whose condition is false
    for (; *source && strncmp(source, "\n==", 3) != 0; source++) {
        char axis[16] = "", value[24] = "";
        int length = 0;
        if (!strncmp(source, "\n;", 2)) {
            source += strcspn(source + 1, "\n");
        } else if (*source == ']') {
            left_out -= left_out > 0;
        } else if (*source == '[') {
            sscanf(source, "[%15[a-z]%*[!=]%23[a-z-]%n", axis, value, &length);
            const bool is = source[1 + strlen(axis)] == '=';
            left_out += left_out || cat_axis_is(args, axis, value) != is;
            source += length;
        } else if (!left_out) {
            text_append(out, *source == '\n' ? " " : source, 1);
        }
    }
}

// A test's control flow and slots, in oracles/reconvergence.txt.
static const char *find_source(const char *test, uint32_t *slots)
{
    char mark[48], *end;
    snprintf(mark, sizeof mark, "\n== %s ", test);
    const char *found = strstr(reconvergence_sources, mark);
    assert(found);
    *slots = (uint32_t)strtoul(found + strlen(mark), &end, 10);
    return end;
}

void *oracle_program_read(const struct cat_head *head, struct lit_error *error)
{
    struct gen_program *program = lit_alloc(1, sizeof *program);
    if (head->program && gen_read(head->program, strlen(head->program), program, error))
        return program;
    if (!head->program)
        lit_fail(error, LIT_EXIT_USAGE, "the head lacks 'program'");
    free(program);
    return NULL;
}

bool oracle_program_fits(const struct cat_args *args, struct lit_error *error)
{
    const char *name = cat_axis(args, "reconvergence");
    enum masks_rule rule;
    if (!args->which->test->program || !name || !gen_rule_find(name, &rule))
        return lit_fail(error, LIT_EXIT_USAGE, "the head lacks 'program' or its rule");
    return gen_check(args->which->test->program, rule, error);
}

// The shape of a configuration: free() it. NULL with an error if it is a generated program without
// a valid program in its head.
static struct masks_shape *make_shape(const struct cat_args *args, struct lit_error *error)
{
    OWNED(text_free) struct text text = {0};
    struct gen_program program;
    if (is_generated(args))
        return oracle_program_fits(args, error) ? &gen_shape_make(args->which->test->program)->masks
                                                : NULL;
    uint32_t slots;
    choose_parts(args, find_source(strchr(args->oracle->name, '.') + 1, &slots), &text);
    OWNED(lit_free) struct gen_dialect *dialect = lit_alloc(1, sizeof *dialect);
    *dialect = (struct gen_dialect){.conditions = condition_names, .choices = conditions};
    if (!gen_read_in(dialect, text.data, text.length, &program, error))
        return NULL;
    struct masks_shape *shape = &gen_shape_make(&program)->masks;
    shape->slots = slots + cat_axis_is(args, "entry", "subgroup");
    return shape;
}

// The shape of a configuration that fits.
static struct masks_shape *shape_of(const struct cat_args *args)
{
    struct lit_error error;
    return lit_have(make_shape(args, &error));
}

static bool is_maximal(const struct cat_args *args)
{
    return reconvergence_rule(args) == MASKS_MAXIMAL;
}

static bool fits(const struct cat_args *args, struct lit_error *error)
{
    struct masks_shape *shape = make_shape(args, error);
    free(shape);
    if (!shape)
        return false;
    if (args->subgroup == 0 || args->subgroup > 128)
        return lit_fail(error, LIT_EXIT_USAGE, "a mask has no room for subgroups of %u",
                        args->subgroup);
    return (args->workgroup <= MASKS_LANES && args->workgroup % args->subgroup == 0) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "a workgroup of %u is not a whole number of subgroups of %u, or over %u",
                    args->workgroup, args->subgroup, MASKS_LANES);
}

static void size_up(struct cat_args *args)
{
    OWNED(lit_free) struct masks_shape *shape = shape_of(args);
    args->shape.elements = args->subgroup;
    args->shape.words_per_instance = (uint64_t)args->subgroup * shape->slots * 4;
}

static void fill_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    for (uint64_t i = 0; i < args->shape.input_words; i++)
        input[i] = (is_generated(args) ? gen_word : reconvergence_word)(
            seed, i / args->subgroup, (uint32_t)(i % args->subgroup), args->subgroup);
}

static void expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    OWNED(lit_free) struct masks_shape *shape = shape_of(args);
    const size_t records = (size_t)args->workgroup * shape->slots;
    OWNED(lit_free) struct masks_cell *cells = lit_alloc(records, sizeof(*cells));

    for (uint32_t workgroup = 0; workgroup < args->shape.workgroups; workgroup++) {
        masks_simulate(shape, reconvergence_rule(args), args->workgroup, args->subgroup,
                       &input[(size_t)workgroup * args->workgroup], cells);
        for (size_t record = 0; record < records; record++) {
            const struct masks_cell *cell = &cells[record];
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t *word = &expected[((workgroup * records + record) * 4 + i) * 4];
                word[0] = cell->executed ? cell->want[i] : CAT_POISON;
                word[1] = cell->executed ? cell->alternative[i] : CAT_POISON;
                word[2] = cell->executed ? cell->lower[i] : UINT32_MAX;
                word[3] = cell->executed ? cell->upper[i] : 0;
            }
        }
    }
}

static void describe(const struct cat_args *args, const struct cat_failure *failure, char *text,
                     size_t size)
{
    OWNED(lit_free) struct masks_shape *shape = shape_of(args);
    const uint64_t record = failure->word / 4;
    const uint32_t part = (uint32_t)(failure->word % 4);
    char place[96];
    masks_describe(shape, (uint32_t)(record % shape->slots), place, sizeof(place));
    const int length =
        snprintf(text, size, "lane %u, %s", (uint32_t)(record / shape->slots), place);
    if (args->subgroup > 32 && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", lanes %u to %u", part * 32,
                 part * 32 + 31);
}

#define RECONVERGENCE(name)                                                                        \
    ORACLE("reconvergence." name, "subgroup", .check = CAT_CHECK_MASK,                             \
           .read = oracle_program_read, .deterministic = is_maximal, .fits = fits,                 \
           .shape = size_up, .input = fill_input, .expect = expect, .describe = describe)

const struct cat_oracle oracles_reconvergence[] = {
    RECONVERGENCE("break-ballot"),
    RECONVERGENCE("call-in-arms"),
    RECONVERGENCE("continue-exit"),
    RECONVERGENCE("continue-target"),
    ORACLE("reconvergence.drawn", "subgroup", .check = CAT_CHECK_MASK, .draws = "reconvergence"),
    RECONVERGENCE("early-return"),
    RECONVERGENCE("elect-call"),
    RECONVERGENCE("elect-loop"),
    RECONVERGENCE("elect-turns"),
    RECONVERGENCE("else-leaves"),
    RECONVERGENCE("generated"),
    RECONVERGENCE("loop-not-entered"),
    RECONVERGENCE("loop-peeling"),
    RECONVERGENCE("nested-breaks"),
    RECONVERGENCE("nested-if"),
    RECONVERGENCE("nested-loops"),
    RECONVERGENCE("never-true"),
    RECONVERGENCE("peeled-by-hand"),
    RECONVERGENCE("short-circuit"),
    RECONVERGENCE("straight-line"),
    RECONVERGENCE("switch-exit"),
    RECONVERGENCE("switch-fallthrough"),
    RECONVERGENCE("switch-in-switch"),
    RECONVERGENCE("switch-shared-target"),
    RECONVERGENCE("trip-count"),
    RECONVERGENCE("waterfall"),
    RECONVERGENCE("while-break"),
    {0},
};
