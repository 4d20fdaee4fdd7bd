// SPDX-License-Identifier: Apache-2.0
// The oracles of family `shuffle`: scans by subgroup operations, and single cross-lane reads under
// branches, in chains and of all types.

#include "base/random.h"
#include "oracles/oracles.h"

// ---- shuffle.scan-loop: scans of 1024 elements per workgroup, by one operation or by seven. The
// unit is one operation's result for one workgroup's elements; the units of an operation are
// consecutive.

#define VIRTUAL_WORKGROUP 1024u

static bool is_seven(const struct cat_args *args)
{
    return cat_axis_is(args, "op", "seven");
}

static enum oracle_operation operation_of(const struct cat_args *args, uint64_t unit)
{
    return is_seven(args) ? (enum oracle_operation)(unit / args->shape.workgroups) : ORACLE_ADD;
}

static uint32_t fold(enum oracle_operation operation, const uint32_t *words, uint32_t count)
{
    uint32_t result = (uint32_t)oracle_identity(operation);
    for (uint32_t i = 0; i < count; i++)
        result = (uint32_t)oracle_combine(operation, result, words[i]);
    return result;
}

static bool scan_loop_fits(const struct cat_args *args, struct lit_error *error)
{
    return (args->workgroup % args->subgroup == 0 && VIRTUAL_WORKGROUP % args->workgroup == 0) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%u invocations cannot share %u elements in subgroups of %u", args->workgroup,
                    VIRTUAL_WORKGROUP, args->subgroup);
}

static void scan_loop_shape(struct cat_args *args)
{
    args->shape.elements = args->scale * VIRTUAL_WORKGROUP;
    args->shape.input_words = args->shape.elements;
    args->shape.instances = (uint64_t)args->scale * (is_seven(args) ? 7 : 1);
    args->shape.words_per_instance = VIRTUAL_WORKGROUP;
}

// Words for which every operation still depends on its operands after a thousand steps: odd, so
// that products keep all bits; bits 16 to 23 nearly always set, for and; bits 24 to 31 nearly
// always clear, for or and max.
static void scan_loop_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    (void)args;
    struct lit_random random = {seed};
    for (uint64_t i = 0; i < args->shape.input_words; i++) {
        const uint64_t bits = random_next(&random);
        uint32_t word = 0x00ff0001u | (bits & 0xffff);
        if (!(bits >> 16 & 63))
            word &= ~(0x00010000u << (bits >> 22 & 7));
        if (!(bits >> 25 & 63))
            word |= 0x01000000u << (bits >> 31 & 7);
        input[i] = word;
    }
}

// Every element becomes its subgroup's reduction in that round, combined with the overall
// reduction.
static void expect_reduce(const struct cat_args *args, enum oracle_operation operation,
                          const uint32_t *input, uint32_t *expected)
{
    const uint32_t all = fold(operation, input, VIRTUAL_WORKGROUP);
    for (uint32_t i = 0; i < VIRTUAL_WORKGROUP; i++) {
        const uint32_t start = i - i % args->subgroup;
        expected[i] = (uint32_t)oracle_combine(operation, all,
                                               fold(operation, input + start, args->subgroup));
    }
}

static void expect_scan(bool inclusive, enum oracle_operation operation, const uint32_t *input,
                        uint32_t *expected)
{
    uint32_t result = (uint32_t)oracle_identity(operation);
    for (uint32_t i = 0; i < VIRTUAL_WORKGROUP; i++) {
        const uint32_t before = result;
        result = (uint32_t)oracle_combine(operation, result, input[i]);
        expected[i] = inclusive ? result : before;
    }
}

static void scan_loop_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const bool inclusive = cat_axis_is(args, "mode", "inclusive");
    const bool reduce = cat_axis_is(args, "mode", "reduce");
    for (uint64_t i = 0; i < args->shape.instances; i++) {
        const enum oracle_operation operation = operation_of(args, i);
        const uint32_t *from = input + i % args->shape.workgroups * VIRTUAL_WORKGROUP;
        uint32_t *to = expected + i * VIRTUAL_WORKGROUP;
        if (reduce)
            expect_reduce(args, operation, from, to);
        else
            expect_scan(inclusive, operation, from, to);
    }
}

#define SCAN_LOOP_PLACE                                                                            \
    "lane {word%lanes} of subgroup {word%workgroup/lanes}, iteration {word/workgroup}"
static const char *scan_loop_where(const struct cat_args *args, const struct cat_failure *failure)
{
    (void)failure;
    return is_seven(args) ? SCAN_LOOP_PLACE
               ", operation {unit/workgroups|and|xor|or|add|mul|min|max}, "
               "workgroup {unit%workgroups}"
                          : SCAN_LOOP_PLACE ", operation add, workgroup {unit%workgroups}";
}

// ---- the source of a cross-lane read (spirv/common/exchange.h)

// The operation of the axis `op`.
struct shuffle_op {
    enum shuffle_kind {
        SHUFFLE_ANY,
        SHUFFLE_XOR,
        SHUFFLE_UP,
        SHUFFLE_DOWN,
        SHUFFLE_ROTATE,
        SHUFFLE_CLUSTERED,
        SHUFFLE_FIRST,
    } kind;
    uint32_t lanes;   // subgroup size
    uint32_t cluster; // SHUFFLE_CLUSTERED: cluster size
};

static const char *const kinds[] = {"shuffle", "xor", "up", "down", "rotate", "clustered", "first"};

static struct shuffle_op shuffle_op_of(const struct cat_args *args)
{
    struct shuffle_op op = {.lanes = args->subgroup};
    for (enum shuffle_kind kind = SHUFFLE_ANY; kind <= SHUFFLE_FIRST; kind++)
        if (cat_axis_is(args, "op", kinds[kind]))
            op.kind = kind;
    if (op.kind == SHUFFLE_CLUSTERED)
        op.cluster = cat_value(args, "cluster");
    return op;
}

static uint32_t rotated(uint32_t lane, uint32_t delta, uint32_t size)
{
    const uint32_t start = lane - lane % size;
    return start + (uint32_t)((lane % size + (uint64_t)delta) % size);
}

// The lane that `lane` reads with `operand`; the subgroup size if there is none, and the result is
// undefined.
static uint32_t shuffle_source(const struct shuffle_op *op, uint32_t lane, uint32_t operand)
{
    uint64_t source = operand;
    switch (op->kind) {
    case SHUFFLE_ANY:
        break;
    case SHUFFLE_XOR:
        source = lane ^ operand;
        break;
    case SHUFFLE_UP:
        source = operand <= lane ? lane - operand : op->lanes;
        break;
    case SHUFFLE_DOWN:
        source = (uint64_t)lane + operand;
        break;
    case SHUFFLE_ROTATE:
        source = rotated(lane, operand, op->lanes);
        break;
    case SHUFFLE_CLUSTERED:
        source = rotated(lane, operand, op->cluster);
        break;
    case SHUFFLE_FIRST:
        source = 0; // all lanes are active
        break;
    }
    return source < op->lanes ? (uint32_t)source : op->lanes;
}

// A random operand for each lane of a subgroup: for op=shuffle a permutation, for op=rotate and
// op=clustered the same for all lanes; otherwise some may name no lane, unless `all_exist`.
static void shuffle_operands(const struct cat_args *args, bool all_exist, uint64_t seed,
                             uint32_t *operands)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    const enum shuffle_kind kind = shuffle_op_of(args).kind;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t bound = lanes;
        if (all_exist && kind == SHUFFLE_UP)
            bound = lane + 1;
        else if (all_exist && kind == SHUFFLE_DOWN)
            bound = lanes - lane;
        operands[lane] = (uint32_t)random_below(&random, bound);
    }
    for (uint32_t lane = 0; kind == SHUFFLE_ANY && lane < lanes; lane++) {
        const uint32_t other = operands[lane] % (lane + 1);
        operands[lane] = operands[other];
        operands[other] = lane;
    }
    for (uint32_t lane = 1; (kind == SHUFFLE_ROTATE || kind == SHUFFLE_CLUSTERED) && lane < lanes;
         lane++)
        operands[lane] = operands[0];
}

static bool cluster_fits(const struct cat_args *args, struct lit_error *error)
{
    return !cat_axis_is(args, "op", "clustered") || args->subgroup >= cat_value(args, "cluster") ||
           lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u lanes has no cluster of %u",
                    args->subgroup, cat_value(args, "cluster"));
}

// ---- shuffle.branch: a lane that reaches the shuffle receives the tag of the lane that it names;
// other lanes store nothing. The unit is a subgroup.
//
// input[] has two words per invocation: its tag, and a word with bit 0 "takes the branch", bit 1
// "takes the inner branch" and from bit 8 on the lane that it reads.

enum { TAKES_BRANCH = 1, TAKES_INNER = 2, SOURCE_SHIFT = 8 };

static void branch_shape(struct cat_args *args)
{
    args->shape.state_words = 1 + args->shape.input_words;
    args->shape.input_words *= 2;
}

// A lane's side of the branches: lanes of one side meet at one shuffle. 0: none.
static uint32_t side(const struct cat_args *args, uint32_t deed)
{
    const bool outer = deed & TAKES_BRANCH, inner = deed & TAKES_INNER;
    if (cat_axis_is(args, "place", "after"))
        return 1;
    if (cat_axis_is(args, "place", "both"))
        return outer ? 1 : 2;
    return outer && (inner || cat_axis_is(args, "place", "then"));
}

// The lanes that take the branches: every other lane, one alone, all but one, one half, or any.
static uint32_t conditions(struct lit_random *random, uint64_t instance, uint32_t odd,
                           uint32_t lane, uint32_t lanes)
{
    const uint32_t any = (uint32_t)random_next(random) & (TAKES_BRANCH | TAKES_INNER);
    const bool takes[] = {lane % 2 == 1, lane == odd, lane != odd, lane >= lanes / 2};
    const uint64_t kind = instance % 6;
    return kind < 4 ? (takes[kind] ? TAKES_BRANCH : 0) | TAKES_INNER : any;
}

static void branch_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    const bool active = cat_axis_is(args, "source", "active");
    for (uint64_t i = 0; i < args->shape.instances; i++, input += 2 * lanes) {
        const uint32_t odd = (uint32_t)random_below(&random, lanes);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            input[2 * lane] = cat_tag(0, lane);
            input[2 * lane + 1] = conditions(&random, i, odd, lane, lanes);
        }
        // The next lane from a random start that is (or is not) on the same side.
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t source = (uint32_t)random_below(&random, lanes);
            const uint32_t own = side(args, input[2 * lane + 1]);
            for (uint32_t n = 0; n < lanes; n++, source = (source + 1) % lanes)
                if ((side(args, input[2 * source + 1]) == own) == active)
                    break;
            input[2 * lane + 1] |= source << SOURCE_SHIFT;
        }
    }
}

static void branch_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        const uint32_t deed = input[2 * lane + 1];
        expected[lane] = side(args, deed) ? input[2 * (deed >> SOURCE_SHIFT)] : CAT_POISON;
    }
}

// ---- shuffle.operations and shuffle.chain: one cross-lane read, or several in a row, of tags that
// count up. The unit is a subgroup, read by read.
//
// input[0] is the register to send (operations) or the number of steps (chain); then `registers`
// tags for each lane, all lanes of one register together; then an operand per invocation.

enum { CHOSEN = 2, TAG_OF_AN_ITERATION = 0x100 };

static uint32_t registers(const struct cat_args *args)
{
    return cat_axis(args, "length") ? 1 : 4;
}

static uint32_t steps(const struct cat_args *args)
{
    const char *length = cat_axis(args, "length");
    if (length)
        return (uint32_t)strtoul(length, NULL, 10);
    return cat_axis_is(args, "value", "shuffle") ? 2 : 1;
}

static bool exchange_fits(const struct cat_args *args, struct lit_error *error)
{
    const uint32_t distance = cat_value(args, "distance");
    if (args->subgroup <= distance)
        return lit_fail(error, LIT_EXIT_USAGE, "a subgroup of %u lanes has no lane %u",
                        args->subgroup, (unsigned)distance);
    return cluster_fits(args, error);
}

static void exchange_shape(struct cat_args *args)
{
    args->shape.input_words = 1 + (registers(args) + args->shape.instances) * args->subgroup;
    args->shape.words_per_instance = (uint64_t)args->subgroup * steps(args);
}

static void exchange_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    const bool uniform = cat_axis_is(args, "operand", "uniform");
    *input++ = cat_axis(args, "length") ? steps(args) : CHOSEN;
    for (uint32_t i = 0; i < registers(args); i++)
        for (uint32_t lane = 0; lane < args->subgroup; lane++)
            *input++ = cat_tag(i, lane);
    for (uint64_t i = 0; i < args->shape.instances; i++, input += args->subgroup) {
        shuffle_operands(args, false, seed + i, input);
        // Every lane in turn, whatever the seed.
        for (uint32_t lane = 0; uniform && lane < args->subgroup; lane++)
            input[lane] = (uint32_t)(i % args->subgroup);
    }
}

static void exchange_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const struct shuffle_op op = shuffle_op_of(args);
    const bool dynamic = cat_axis_is(args, "operand", "dynamic");
    const bool uniform = cat_axis_is(args, "operand", "uniform");
    const uint32_t lanes = args->subgroup, length = steps(args), *tags = input + 1, *own = tags;
    const uint32_t distance = cat_value(args, "distance");
    uint32_t sent[128];
    if (cat_axis_is(args, "value", "array"))
        tags += input[0] * lanes;
    own += registers(args) * lanes;
    for (uint64_t i = 0; i < args->shape.instances; i++, own += lanes) {
        memcpy(sent, tags, lanes * sizeof *sent);
        for (uint32_t step = 0; step < length; step++, expected += lanes) {
            for (uint32_t lane = 0; lane < lanes; lane++) {
                const uint32_t operand = dynamic ? own[lane] : uniform ? own[0] : distance;
                const uint32_t source = shuffle_source(&op, lane, operand);
                expected[lane] = sent[source < lanes ? source : lane];
            }
            for (uint32_t lane = 0; lane < lanes; lane++)
                sent[lane] = expected[lane] + TAG_OF_AN_ITERATION;
        }
    }
}

// ---- shuffle.types: each lane receives the whole value of the lane that it named. The unit is a
// subgroup.
//
// input[] has an operand per invocation, then eight words each: two for each component of its
// value. An invocation's output has the same eight words; those without a component stay poison.

enum { VALUE_WORDS = 8 };

static bool is(const struct cat_args *args, const char *type)
{
    return cat_axis_is(args, "type", type);
}

static uint32_t components(const struct cat_args *args)
{
    const char *width = cat_axis(args, "width");
    const char digit = width[3]; // "vec3", "scalar"
    return digit >= '2' && digit <= '4' ? (uint32_t)(digit - '0') : 1;
}

static bool is_pair(const struct cat_args *args)
{
    return is(args, "u64") || is(args, "f64");
}

// The bits of a component's word that its type keeps; for a Boolean all of them count.
static uint32_t kept_bits(const struct cat_args *args)
{
    return is(args, "u8") ? 0xff : is(args, "u16") ? 0xffff : UINT32_MAX;
}

static void types_shape(struct cat_args *args)
{
    args->shape.elements = (uint32_t)args->shape.input_words;
    args->shape.input_words *= 1 + VALUE_WORDS;
}

// Constraints on a component's words.
enum form { ANY_BITS, HALF, FLOAT, DOUBLE, TRUTH, NUMBER16, NUMBER32 };

static enum form form_of(const struct cat_args *args)
{
    return is(args, "f16")        ? HALF
           : is(args, "f32")      ? FLOAT
           : is(args, "f64")      ? DOUBLE
           : is(args, "bool")     ? TRUTH
           : is(args, "number16") ? NUMBER16
           : is(args, "number32") ? NUMBER32
                                  : ANY_BITS;
}

// A word for a component, `high` for its second: floats are normal, halves are exact as 32-bit
// floats, one of two Booleans is true, and integers are exact as floats of that width.
static uint32_t component_word(enum form form, bool high, uint32_t bits)
{
    const uint32_t sign = bits & 0x80000000u;
    switch (form) {
    case ANY_BITS:
        break;
    case HALF: // 10 fraction bits, exponents -14 to 15
        return sign | (113 + (bits >> 23) % 30) << 23 | (bits & 0x007fe000);
    case FLOAT:
        return sign | (64 + (bits >> 23) % 128) << 23 | (bits & 0x007fffff);
    case DOUBLE:
        return high ? sign | (512 + (bits >> 20) % 1024) << 20 | (bits & 0x000fffff) : bits;
    case TRUTH:
        return sign ? bits : 0;
    case NUMBER16:
        return bits >> 21;
    case NUMBER32:
        return bits >> 8;
    }
    return bits;
}

static void types_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    const enum form form = form_of(args);
    for (uint64_t i = 0; i < args->shape.instances; i++, input += args->subgroup)
        shuffle_operands(args, true, random_next(&random), input);
    for (uint64_t i = 0; i < args->shape.instances * args->shape.words_per_instance; i++)
        input[i] = component_word(form, i % 2, (uint32_t)random_next(&random));
}

static void types_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const uint32_t invocations = args->shape.elements, *values = input + invocations;
    const struct shuffle_op op = shuffle_op_of(args);
    const uint32_t used = components(args), bits = kept_bits(args);
    const bool pair = is_pair(args), truth = form_of(args) == TRUTH;
    for (uint32_t i = 0; i < invocations; i++) {
        const uint32_t lane = i % args->subgroup;
        const uint32_t *from =
            values + VALUE_WORDS * (i - lane + shuffle_source(&op, lane, input[i]));
        for (uint32_t word = 0; word < VALUE_WORDS; word++) {
            const bool stored = word / 2 < used && (word % 2 == 0 || pair);
            const uint32_t kept = truth ? from[word] != 0 : from[word] & bits;
            *expected++ = stored ? kept : CAT_POISON;
        }
    }
}

static const char *types_where(const struct cat_args *args, const struct cat_failure *failure)
{
    (void)failure;
    return is_pair(args)
               ? "lane {word/8}, component {word%8/2}, {word%2|lower|upper} half" OF_SUBGROUP
               : "lane {word/8}, component {word%8/2}" OF_SUBGROUP;
}

const struct cat_oracle oracles_shuffle[] = {
    ORACLE("shuffle.branch", "subgroup", .check = CAT_CHECK_TAG, .results = 1,
           .shape = branch_shape, .input = branch_input, .expect_unit = branch_expect,
           .where = "lane {word}" OF_SUBGROUP),
    ORACLE("shuffle.exchange", "subgroup", .elements = "distance", .check = CAT_CHECK_TAG,
           .fits = exchange_fits, .shape = exchange_shape, .input = exchange_input,
           .expect = exchange_expect, .where = "lane {word%lanes}, step {word/lanes}" OF_SUBGROUP),
    ORACLE("shuffle.scan-loop", "workgroup", .of_workgroups = true, .fits = scan_loop_fits,
           .shape = scan_loop_shape, .input = scan_loop_input, .expect = scan_loop_expect,
           .where_of = scan_loop_where),
    ORACLE("shuffle.types", "subgroup", .results = VALUE_WORDS, .fits = cluster_fits,
           .shape = types_shape, .input = types_input, .expect = types_expect,
           .where_of = types_where),
    {0},
};
