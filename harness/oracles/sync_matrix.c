// SPDX-License-Identifier: Apache-2.0
// The oracles of family `sync-matrix`: every lane's result of one subgroup operation per iteration,
// if all lanes of the subgroup execute it together. The unit is a subgroup, iteration by iteration,
// followed by a word for each iteration's tail. All subgroups have the same numbers: an input row
// per iteration, then the first tail's initial value.
#include "base/random.h"
#include "oracles/oracles.h"

#define CLUSTER 4u
#define CLASSES 6u // bits of a number that select its part

static bool is_op(const struct cat_args *args, const char *op)
{
    return cat_axis_is(args, "op", op);
}

// ---- the numbers

static uint32_t draw(struct lit_random *random)
{
    return (uint32_t)(random_next(random) >> 32);
}

// Parameters of an iteration's row. The elected lane and `other` take turns to determine the
// result.
struct row {
    uint32_t elected, other;
    uint32_t turn;   // iteration
    uint32_t common; // random word
    uint32_t alike;  // approximate number of combined lanes: a subgroup, a cluster, a part
};

// The parts that differ between tests.
struct kind {
    // A lane's number. NULL: the tag of lane and iteration.
    uint32_t (*value)(const struct cat_args *args, const struct row *row, uint32_t lane,
                      struct lit_random *random);
    // Computes each lane's result from the subgroup's numbers in one iteration.
    void (*operation)(const struct cat_args *args, const uint32_t *value, uint32_t *result);
    bool clusters, parts;
};

// Votes: all agree except one, or all do.
static uint32_t vote_value(const struct cat_args *args, const struct row *row, uint32_t lane,
                           struct lit_random *random)
{
    const uint32_t word = draw(random);
    const bool against =
        (row->turn % 3 == 0 && lane == row->elected) || (row->turn % 3 == 1 && lane == row->other);
    if (is_op(args, "all-equal"))
        return against ? ~row->common : row->common;
    return (word & ~1u) | (is_op(args, "any") ? against : !against);
}

// Ballots: any lanes, including the elected lane in every other iteration and the other one in
// between, so that no mask is empty.
static uint32_t ballot_value(const struct cat_args *args, const struct row *row, uint32_t lane,
                             struct lit_random *random)
{
    (void)args;
    const uint32_t word = draw(random);
    if (lane == row->elected)
        return (word & ~1u) | !(row->turn & 1);
    if (lane == row->other && row->turn & 1)
        return word | 1;
    return word;
}

// Arithmetic: numbers that visibly affect the result.
static uint32_t number(const struct cat_args *args, const struct row *row, uint32_t lane,
                       struct lit_random *random)
{
    const uint32_t word = draw(random), more = draw(random);
    const bool decides = lane == (row->turn & 1 ? row->other : row->elected);
    if (is_op(args, "min"))
        return decides ? word >> 2 : word | 0x80000000;
    if (is_op(args, "max"))
        return decides ? ~(word >> 2) : word & 0x7fffffff;
    // Some lanes clear bits that all others have set.
    const bool takes = decides || (lane != row->elected && more % row->alike < 3);
    const uint32_t taken = takes ? word & draw(random) : 0;
    if (is_op(args, "and"))
        return row->common & ~taken;
    if (is_op(args, "or"))
        return ~(row->common & ~taken);
    return is_op(args, "mul") ? word | 1 : word;
}

// Partitions: the elected lane and the other one are in the same part.
static uint32_t part_value(const struct cat_args *args, const struct row *row, uint32_t lane,
                           struct lit_random *random)
{
    const uint32_t value = number(args, row, lane, random), word = draw(random);
    const bool with_elected = lane == row->elected || lane == row->other;
    return (value & ~CLASSES) | ((with_elected ? row->common : word) & CLASSES);
}

static struct row make_row(const struct kind *kind, const struct cat_args *args, uint32_t turn,
                           struct lit_random *random)
{
    struct row row = {.elected = cat_value(args, "elected"), .turn = turn, .common = draw(random)};
    const uint32_t among = kind->clusters ? CLUSTER : args->subgroup;
    row.alike = kind->parts ? (args->subgroup + 3) / 4 : among;
    row.other = (row.elected & ~(among - 1)) |
                ((row.elected + 1 + draw(random) % (among - 1)) & (among - 1));
    return row;
}

static void make_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const struct kind *kind = args->oracle->data;
    struct lit_random random = {seed};
    for (uint32_t i = 0; i < cat_value(args, "iterations"); i++) {
        const struct row row = make_row(kind, args, i, &random);
        for (uint32_t lane = 0; lane < args->subgroup; lane++)
            *input++ = kind->value ? kind->value(args, &row, lane, &random) : cat_tag(i, lane);
    }
    *input = draw(&random);
}

// ---- the operations

static void give_all(uint32_t *result, uint32_t lanes, uint32_t value)
{
    for (uint32_t lane = 0; lane < lanes; lane++)
        result[lane] = value;
}

static void vote(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    uint32_t yes = 0, equal = 0;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        yes += value[lane] & 1;
        equal += value[lane] == value[0];
    }
    if (is_op(args, "elect")) {
        give_all(result, args->subgroup, 0);
        result[0] = 1;
        return;
    }
    give_all(result, args->subgroup,
             is_op(args, "all")   ? yes == args->subgroup
             : is_op(args, "any") ? yes > 0
                                  : equal == args->subgroup);
}

static void ballot(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    const uint32_t last = args->subgroup - 1;
    uint32_t sum = 0, count = 0, lowest = last, highest = 0;
    for (uint32_t lane = 0; lane <= last; lane++) {
        if (is_op(args, "bit-count-exclusive"))
            result[lane] = count;
        if (value[lane] & 1) {
            sum += (2 * (lane / 32) + 1) << (lane % 32);
            count++;
            lowest = lane < lowest ? lane : lowest;
            highest = lane;
        }
        if (is_op(args, "bit-count-inclusive"))
            result[lane] = count;
        else if (is_op(args, "inverse-ballot"))
            result[lane] = value[lane ^ 1] & 1;
        else if (is_op(args, "bit-extract"))
            result[lane] = value[(lane + last) & last] & 1;
    }
    if (is_op(args, "ballot"))
        give_all(result, args->subgroup, sum);
    else if (is_op(args, "bit-count"))
        give_all(result, args->subgroup, count);
    else if (is_op(args, "find-lsb"))
        give_all(result, args->subgroup, lowest);
    else if (is_op(args, "find-msb"))
        give_all(result, args->subgroup, highest);
}

static void broadcast(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    give_all(result, args->subgroup,
             value[is_op(args, "broadcast") ? cat_value(args, "elected") : 0]);
}

// The lane whose tag `lane` receives.
static uint32_t source(const struct cat_args *args, uint32_t lane)
{
    const uint32_t last = args->subgroup - 1;
    if (is_op(args, "shuffle"))
        return (lane + last) & last;
    if (is_op(args, "xor"))
        return lane ^ 1;
    if (is_op(args, "up"))
        return lane ? lane - 1 : 0;
    if (is_op(args, "down"))
        return lane < last ? lane + 1 : last;
    const uint32_t around = is_op(args, "rotate") ? last : CLUSTER - 1;
    return (lane & ~around) | ((lane + 1) & around);
}

static void shuffle(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        result[lane] = value[source(args, lane)];
}

static void quad(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    const uint32_t place = cat_value(args, "elected") & 3;
    const uint32_t across = is_op(args, "swap-horizontal") ? 1
                            : is_op(args, "swap-vertical") ? 2
                                                           : 3;
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        result[lane] = value[is_op(args, "broadcast") ? (lane & ~3u) | place : lane ^ across];
}

// Combines the numbers of a lane's subgroup, cluster or part.
static void combine(const struct cat_args *args, const uint32_t *value, uint32_t *result)
{
    const struct kind *kind = args->oracle->data;
    const bool inclusive = cat_axis_is(args, "scan", "inclusive");
    const bool exclusive = cat_axis_is(args, "scan", "exclusive");
    const enum oracle_operation operation = oracle_operation(cat_axis(args, "op"));
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        const uint32_t end = exclusive ? lane : inclusive ? lane + 1 : args->subgroup;
        uint64_t sum = oracle_identity(operation);
        for (uint32_t other = 0; other < end; other++)
            if (!(kind->clusters && lane / CLUSTER != other / CLUSTER) &&
                !(kind->parts && (value[lane] ^ value[other]) & CLASSES))
                sum = oracle_combine(operation, (uint32_t)sum, value[other]);
        result[lane] = (uint32_t)sum;
    }
}

// ---- the oracles

static void expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct kind *kind = args->oracle->data;
    const uint32_t lanes = args->subgroup, iterations = cat_value(args, "iterations");
    const uint32_t elected = cat_value(args, "elected"), weight = cat_value(args, "weight");
    uint32_t work = input[iterations * lanes];
    for (uint32_t i = 0; i < iterations; i++) {
        kind->operation(args, input + i * lanes, expected + i * lanes);
        work = loop_work(work, expected[i * lanes + elected], weight);
        expected[iterations * lanes + i] = work;
    }
}

// Some tests use lanes in groups of four.
static bool fits(const struct cat_args *args, struct lit_error *error)
{
    return args->subgroup >= CLUSTER || !is_op(args, "rotate-clustered") ||
           lit_fail(error, LIT_EXIT_USAGE, "subgroups of %u lanes: the test needs %u or more",
                    args->subgroup, (unsigned)CLUSTER);
}

static void shape(struct cat_args *args)
{
    const uint32_t iterations = cat_value(args, "iterations");
    cat_shape_usual(args, args->scale < 4 ? 1 : args->scale / 4);
    args->shape.input_words = (uint64_t)iterations * args->subgroup + 1;
    args->shape.words_per_instance = (uint64_t)iterations * (args->subgroup + 1);
}

// MATRIX(name, check mode, least subgroup, number, operation, clusters, parts)
#define MATRIX(name, mode, least_, ...)                                                            \
    ORACLE("sync-matrix." name, "subgroup", .check = mode, .alike = true,                          \
           .elements = "iterations", .least = least_, .fits = fits, .shape = shape,                \
           .input = make_input, .expect = expect, .where_of = loop_where,                          \
           .data = &(const struct kind){__VA_ARGS__})

const struct cat_oracle oracles_sync_matrix[] = {
    MATRIX("arithmetic", CAT_CHECK_EQUAL, 2, number, combine, false, false),
    MATRIX("ballot", CAT_CHECK_EQUAL, 2, ballot_value, ballot, false, false),
    MATRIX("broadcast", CAT_CHECK_TAG, 2, NULL, broadcast, false, false),
    MATRIX("clustered", CAT_CHECK_EQUAL, CLUSTER, number, combine, true, false),
    MATRIX("partitioned", CAT_CHECK_EQUAL, 2, part_value, combine, false, true),
    MATRIX("quad", CAT_CHECK_TAG, CLUSTER, NULL, quad, false, false),
    MATRIX("shuffle", CAT_CHECK_TAG, 2, NULL, shuffle, false, false),
    MATRIX("vote", CAT_CHECK_EQUAL, 2, vote_value, vote, false, false),
    {0},
};
