// SPDX-License-Identifier: Apache-2.0
// Exchanges, votes and ballots against their definitions in the SPIR-V specification, worked out
// for each lane on its own, for subgroups of all sizes and random tangles.
#include "group.h"

static const unsigned widths[] = {1, 4, 32, 64, 128};

// Exchanges: what they are, and the definition of who reads whom.

enum { NOBODY = 1000 };

static const struct {
    uint16_t opcode;
    uint8_t kind;
    bool scoped;
} exchanges[] = {
    {SpvOpGroupNonUniformBroadcast, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformBroadcastFirst, INSN_TANGLED, true},
    {SpvOpGroupNonUniformShuffle, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformShuffleXor, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformShuffleUp, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformShuffleDown, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformRotateKHR, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformQuadBroadcast, INSN_CROSS_LANE, true},
    {SpvOpGroupNonUniformQuadSwap, INSN_CROSS_LANE, true},
    {SpvOpSubgroupReadInvocationKHR, INSN_CROSS_LANE, false},
    {SpvOpSubgroupFirstInvocationKHR, INSN_TANGLED, false},
};

static unsigned rotated(unsigned lane, uint64_t delta, unsigned size)
{
    const unsigned cluster = lane / size;
    unsigned at = lane % size;
    for (uint64_t i = 0; i < delta % size; i++)
        at = at + 1 == size ? 0 : at + 1;
    return cluster * size + at;
}

static unsigned swapped(unsigned lane, uint64_t direction)
{
    static const unsigned partner[3][4] = {{1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    return direction < 3 ? lane / 4 * 4 + partner[direction][lane % 4] : NOBODY;
}

// The lane whose value lane `lane` is given; any number for nobody.
static unsigned source_of(const struct bench *bench, SpvOp opcode, unsigned lane, uint64_t argument,
                          unsigned cluster)
{
    const unsigned small = argument < LANES_MAX ? (unsigned)argument : NOBODY;
    switch (opcode) {
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpSubgroupFirstInvocationKHR:
        for (unsigned other = 0;; other++)
            if (in_tangle(bench, other))
                return other;
    case SpvOpGroupNonUniformShuffleXor:
        for (unsigned other = 0; other < bench->width; other++)
            if ((other ^ lane) == argument)
                return other;
        return NOBODY;
    case SpvOpGroupNonUniformShuffleUp:
        return small <= lane ? lane - small : NOBODY;
    case SpvOpGroupNonUniformShuffleDown:
        return lane + small;
    case SpvOpGroupNonUniformRotateKHR:
        return rotated(lane, argument, cluster);
    case SpvOpGroupNonUniformQuadBroadcast:
        return small < 4 ? lane / 4 * 4 + small : NOBODY;
    case SpvOpGroupNonUniformQuadSwap:
        return swapped(lane, argument);
    default:
        return small;
    }
}

static void check_taken(struct bench *bench, unsigned component, unsigned lane, unsigned from,
                        unsigned bits)
{
    const bool exists = from < bench->width;
    const bool read =
        in_tangle(bench, from) || (exists && bench->exec.snoop && bench->exec.present >> from & 1);
    const uint64_t got = *cell(bench, RESULT + component, lane);
    if (read)
        expect(bench, component, lane, old(bench, VALUE + component, from));
    else if ((bits < 64 && got >> bits) || (exists && got == old(bench, VALUE + component, from)))
        fail_msg("opcode %u gives lane %u %#jx of lane %u, which does not take part",
                 bench->insn.opcode, lane, (uintmax_t)got, from);
}

static void check_exchange(struct bench *bench, size_t row, struct shape value, unsigned argument)
{
    const SpvOp opcode = (SpvOp)exchanges[row].opcode;
    const bool first = exchanges[row].kind == INSN_TANGLED;
    const unsigned cluster = opcode == SpvOpGroupNonUniformRotateKHR && draw(bench) % 2
                                 ? 1u << draw(bench) % (unsigned)__builtin_ctz(2 * bench->width)
                                 : 0;
    const struct shape index = shape_of(SCALAR_INT, argument, 1);
    const uint32_t operands = (first ? 2 : 3) + (cluster != 0);
    struct insn_shape shape = instruction(opcode, NO_OPERATION, value, operands, value, index);
    if (!exchanges[row].scoped) {
        shape.operand_count--;
        memmove(shape.operand, shape.operand + 1, 3 * sizeof(shape.operand[0]));
    }
    fill(bench, VALUE, value.components, value.width);
    for (unsigned lane = 0; lane < bench->width; lane++) {
        uint64_t number = draw(bench) % (opcode == SpvOpGroupNonUniformQuadSwap ? 3 : bench->width);
        if (opcode == SpvOpGroupNonUniformQuadBroadcast)
            number %= 4;
        if (draw(bench) % 4 == 0)
            number = draw_bits(bench, draw(bench) % 2 ? 8 : argument);
        *cell(bench, ARGUMENT, lane) = number;
        *cell(bench, CLUSTER, lane) = cluster;
    }
    if (!choose(bench, &shape, exchanges[row].scoped))
        fail_msg("opcode %u is refused", opcode);
    assert_int_equal(bench->insn.kind, exchanges[row].kind);
    memset(bench->seen, 77, sizeof(bench->seen));
    execute(bench, value.components);
    for (unsigned lane = 0; lane < bench->width; lane++) {
        const unsigned from = source_of(bench, opcode, lane, old(bench, ARGUMENT, lane),
                                        cluster ? cluster : bench->width);
        const unsigned seen = !in_tangle(bench, lane) || !bench->exec.trace ? 77
                              : from < bench->width                         ? from
                                                                            : 255;
        assert_int_equal(bench->seen[lane].source, seen);
        for (unsigned i = 0; i < value.components && in_tangle(bench, lane); i++)
            check_taken(bench, i, lane, from, value.width);
    }
}

static const struct {
    enum scalar_kind kind;
    uint8_t width;
} scalars[] = {
    {SCALAR_BOOL, 1}, {SCALAR_INT, 8},    {SCALAR_INT, 16},   {SCALAR_INT, 32},
    {SCALAR_INT, 64}, {SCALAR_FLOAT, 16}, {SCALAR_FLOAT, 32}, {SCALAR_FLOAT, 64},
};

TEST(test_exchange)
{
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t row = 0; row < COUNT(exchanges); row++) {
            for (size_t i = 0; i < COUNT(scalars); i++) {
                for (unsigned components = 1; components <= 4; components++) {
                    const struct shape value =
                        shape_of(scalars[i].kind, scalars[i].width, components);
                    begin(&bench, widths[w], row * 64 + i * 4 + components);
                    bench.exec.trace = draw(&bench) % 2;
                    bench.exec.seen = bench.exec.trace ? bench.seen : NULL;
                    bench.exec.snoop = draw(&bench) % 2;
                    choose_mask(&bench, (unsigned)(draw(&bench) % 8));
                    if (draw(&bench) % 2) // a partial subgroup
                        bench.exec.present = bench.exec.mask | ((lanes)1 << widths[w] / 2) >> 1;
                    check_exchange(&bench, row, value, 8u << draw(&bench) % 4);
                }
            }
        }
    }
}

// Votes and ballots.

static void write_ballots(struct bench *bench)
{
    fill(bench, VALUE, 4, 32);
    if (draw(bench) % 4 == 0)
        memset(bench->cells + VALUE * bench->width, 0, 4 * bench->width * sizeof(uint64_t));
    for (unsigned lane = 0; lane < bench->width; lane++)
        *cell(bench, VALUE + draw(bench) % 4, lane) &= draw_bits(bench, 32);
}

static uint64_t vote(const struct bench *bench, SpvOp opcode, unsigned lane)
{
    unsigned yes = 0, no = 0, quad_yes = 0, quad_no = 0, before = 0;
    for (unsigned other = 0; other < bench->width; other++) {
        if (!in_tangle(bench, other))
            continue;
        const bool is_yes = old(bench, VALUE, other);
        before += other < lane;
        *(is_yes ? &yes : &no) += 1;
        if (other / 4 == lane / 4)
            *(is_yes ? &quad_yes : &quad_no) += 1;
    }
    switch (opcode) {
    case SpvOpGroupNonUniformElect:
        return before == 0;
    case SpvOpGroupNonUniformAll:
    case SpvOpSubgroupAllKHR:
        return no == 0;
    case SpvOpGroupNonUniformAny:
    case SpvOpSubgroupAnyKHR:
        return yes > 0;
    case SpvOpGroupNonUniformQuadAllKHR:
        return quad_no == 0;
    case SpvOpGroupNonUniformQuadAnyKHR:
        return quad_yes > 0;
    default: // AllEqual
        return yes == 0 || no == 0;
    }
}

TEST(test_votes)
{
    static const struct {
        SpvOp opcode;
        bool scoped;
    } rows[] = {
        {SpvOpGroupNonUniformElect, true},
        {SpvOpGroupNonUniformAll, true},
        {SpvOpGroupNonUniformAny, true},
        {SpvOpGroupNonUniformAllEqual, true},
        {SpvOpGroupNonUniformQuadAllKHR, false},
        {SpvOpGroupNonUniformQuadAnyKHR, false},
        {SpvOpSubgroupAllKHR, false},
        {SpvOpSubgroupAnyKHR, false},
        {SpvOpSubgroupAllEqualKHR, false},
    };
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t row = 0; row < COUNT(rows); row++) {
            struct insn_shape shape =
                instruction(rows[row].opcode, NO_OPERATION, flag,
                            rows[row].opcode == SpvOpGroupNonUniformElect ? 1 : 2, flag, word);
            if (!rows[row].scoped)
                shape.operand[0] = flag, shape.operand_count = 1;
            for (unsigned i = 0; i < 12; i++) {
                begin(&bench, widths[w], row * 100 + i);
                choose_mask(&bench, i);
                fill(&bench, VALUE, 1, 1);
                for (unsigned lane = 0; i % 3 && lane < widths[w]; lane++)
                    if (in_tangle(&bench, lane) && draw(&bench) % 16)
                        *cell(&bench, VALUE, lane) = i % 3 == 1;
                if (!choose(&bench, &shape, rows[row].scoped))
                    fail_msg("vote %zu is refused", row);
                assert_int_equal(bench.insn.kind, INSN_TANGLED);
                execute(&bench, 1);
                for (unsigned lane = 0; lane < widths[w]; lane++)
                    if (in_tangle(&bench, lane))
                        expect(&bench, 0, lane, vote(&bench, rows[row].opcode, lane));
            }
        }
    }
}

// Every value but perhaps one is the same; outside of the tangle they are not.
TEST(test_all_equal)
{
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t i = 0; i < COUNT(scalars) * 8; i++) {
            const unsigned components = 1 + i / 2 % 4, bits = scalars[i / 8].width;
            const struct shape value = shape_of(scalars[i / 8].kind, bits, components);
            const struct insn_shape shape =
                instruction(SpvOpGroupNonUniformAllEqual, NO_OPERATION, flag, 2, value, word);
            begin(&bench, widths[w], i);
            choose_mask(&bench, 3 + (unsigned)i % 3);
            const unsigned odd = bench.exec.lane[bench.exec.count - 1];
            for (unsigned c = 0; c < components; c++) {
                for (unsigned lane = 0; lane < widths[w]; lane++)
                    *cell(&bench, VALUE + c, lane) = in_tangle(&bench, lane);
            }
            if (i % 2)
                *cell(&bench, VALUE + components - 1, odd) = 0;
            assert_true(choose(&bench, &shape, true));
            execute(&bench, 1);
            for (unsigned lane = 0; lane < widths[w]; lane++)
                if (in_tangle(&bench, lane))
                    expect(&bench, 0, lane, i % 2 == 0 || bench.exec.count == 1);
        }
    }
    static const struct {
        unsigned bits;
        uint64_t first, second;
        bool equal;
    } floats[] = {
        {16, 0x8000, 0, true},
        {32, 0x80000000, 0, true},
        {64, UINT64_C(0x8000000000000000), 0, true},
        {32, 0x7fc00000, 0x7fc00000, false},
        {32, 0x7f800000, 0x7f800000, true},
        {32, 0x00000001, 0, false},
    };
    for (size_t i = 0; i < COUNT(floats); i++) {
        const struct shape value = shape_of(SCALAR_FLOAT, floats[i].bits, 1);
        const struct insn_shape shape =
            instruction(SpvOpGroupNonUniformAllEqual, NO_OPERATION, flag, 2, value, word);
        begin(&bench, 4, i);
        set_mask(&bench, 0xa);
        *cell(&bench, VALUE, 1) = floats[i].first;
        *cell(&bench, VALUE, 3) = floats[i].second;
        assert_true(choose(&bench, &shape, true));
        execute(&bench, 1);
        expect(&bench, 0, 1, floats[i].equal);
        expect(&bench, 0, 3, floats[i].equal);
    }
}

TEST(test_ballot)
{
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (unsigned i = 0; i < 20; i++) {
            const bool old_style = i % 2;
            struct insn_shape shape =
                instruction(old_style ? SpvOpSubgroupBallotKHR : SpvOpGroupNonUniformBallot,
                            NO_OPERATION, words, 2, flag, word);
            if (old_style)
                shape.operand[0] = flag, shape.operand_count = 1;
            begin(&bench, widths[w], i);
            choose_mask(&bench, i);
            fill(&bench, VALUE, 1, 1);
            assert_true(choose(&bench, &shape, !old_style));
            execute(&bench, 4);
            for (unsigned bit = 0; bit < 128; bit++) {
                const bool is_set = in_tangle(&bench, bit) && old(&bench, VALUE, bit);
                for (unsigned lane = 0; lane < widths[w]; lane++)
                    if (in_tangle(&bench, lane))
                        assert_int_equal(*cell(&bench, RESULT + bit / 32, lane) >> bit % 32 & 1,
                                         is_set);
            }
            for (unsigned lane = 0; lane < widths[w]; lane++)
                for (unsigned c = 0; c < 4 && in_tangle(&bench, lane); c++)
                    assert_true(*cell(&bench, RESULT + c, lane) <= UINT32_MAX);
        }
    }
}

static const struct {
    SpvOp opcode;
    int operation;
} uses[] = {
    {SpvOpGroupNonUniformInverseBallot, NO_OPERATION},
    {SpvOpGroupNonUniformBallotBitExtract, NO_OPERATION},
    {SpvOpGroupNonUniformBallotBitCount, REDUCE},
    {SpvOpGroupNonUniformBallotBitCount, INCLUSIVE},
    {SpvOpGroupNonUniformBallotBitCount, EXCLUSIVE},
    {SpvOpGroupNonUniformBallotFindLSB, NO_OPERATION},
    {SpvOpGroupNonUniformBallotFindMSB, NO_OPERATION},
};

static void check_use(struct bench *bench, size_t row, unsigned lane, unsigned bits)
{
    const int operation = uses[row].operation;
    unsigned count = 0, lowest = NOBODY, highest = NOBODY;
    for (unsigned bit = 0; bit < bench->width; bit++) {
        if (!ballot_has(bench, VALUE, lane, bit))
            continue;
        lowest = lowest == NOBODY ? bit : lowest;
        highest = bit;
        count += operation == REDUCE || bit < lane || (bit == lane && operation == INCLUSIVE);
    }
    const uint64_t index = old(bench, ARGUMENT, lane);
    switch (uses[row].opcode) {
    case SpvOpGroupNonUniformInverseBallot:
        expect(bench, 0, lane, ballot_has(bench, VALUE, lane, lane));
        break;
    case SpvOpGroupNonUniformBallotBitExtract:
        if (index < bench->width)
            expect(bench, 0, lane, ballot_has(bench, VALUE, lane, (unsigned)index));
        else
            assert_true(*cell(bench, RESULT, lane) < 2);
        break;
    case SpvOpGroupNonUniformBallotBitCount:
        expect(bench, 0, lane, count);
        break;
    default:
        if (lowest != NOBODY)
            expect(bench, 0, lane,
                   uses[row].opcode == SpvOpGroupNonUniformBallotFindLSB ? lowest : highest);
        else
            assert_true(bits == 64 || !(*cell(bench, RESULT, lane) >> bits));
    }
}

TEST(test_ballot_uses)
{
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t row = 0; row < COUNT(uses); row++) {
            for (unsigned i = 0; i < 16; i++) {
                const bool extracts = uses[row].opcode == SpvOpGroupNonUniformBallotBitExtract;
                const bool gives_flag =
                    extracts || uses[row].opcode == SpvOpGroupNonUniformInverseBallot;
                const unsigned bits = i % 4 == 3 ? 64 : 32;
                const struct insn_shape shape = instruction(
                    uses[row].opcode, uses[row].operation,
                    gives_flag ? flag : shape_of(SCALAR_INT, bits, 1), 2 + extracts, words, word);
                begin(&bench, widths[w], row * 100 + i);
                choose_mask(&bench, i);
                write_ballots(&bench);
                for (unsigned lane = 0; lane < widths[w]; lane++)
                    *cell(&bench, ARGUMENT, lane) = draw_bits(&bench, lane % 8 ? 7 : 32);
                assert_true(choose(&bench, &shape, true));
                assert_int_equal(bench.insn.kind, INSN_TANGLED);
                execute(&bench, 1);
                for (unsigned lane = 0; lane < widths[w]; lane++)
                    if (in_tangle(&bench, lane))
                        check_use(&bench, row, lane, bits);
            }
        }
    }
}

TEST(test_partition)
{
    struct bench bench;
    for (size_t w = 0; w < COUNT(widths); w++) {
        for (size_t i = 0; i < COUNT(scalars) * 4; i++) {
            const unsigned components = 1 + i % 4;
            const struct shape value =
                shape_of(scalars[i / 4].kind, scalars[i / 4].width, components);
            struct insn_shape shape =
                instruction(SpvOpGroupNonUniformPartitionNV, NO_OPERATION, words, 1, value, word);
            shape.operand[0] = value;
            begin(&bench, widths[w], i);
            choose_mask(&bench, (unsigned)i % 7);
            fill(&bench, VALUE, components, 1);
            assert_true(choose(&bench, &shape, false));
            execute(&bench, 4);
            for (unsigned lane = 0; lane < widths[w]; lane++) {
                uint64_t set[4] = {0};
                for (unsigned other = 0; other < widths[w]; other++) {
                    bool same = in_tangle(&bench, other);
                    for (unsigned c = 0; c < components; c++)
                        same &= old(&bench, VALUE + c, other) == old(&bench, VALUE + c, lane);
                    set[other / 32] |= (uint64_t)same << other % 32;
                }
                for (unsigned c = 0; c < 4 && in_tangle(&bench, lane); c++)
                    expect(&bench, c, lane, set[c]);
            }
        }
    }
}

// A shape of each form, and what is wrong with others.

static const struct insn_shape *fitting(size_t *count)
{
    static struct insn_shape shapes[24];
    const struct shape value = shape_of(SCALAR_INT, 16, 3), numbers = shape_of(SCALAR_FLOAT, 32, 2);
    const struct insn_shape all[] = {
        instruction(SpvOpGroupNonUniformElect, NO_OPERATION, flag, 1, flag, word),
        instruction(SpvOpGroupNonUniformAll, NO_OPERATION, flag, 2, flag, word),
        instruction(SpvOpGroupNonUniformAllEqual, NO_OPERATION, flag, 2, value, word),
        instruction(SpvOpGroupNonUniformBroadcast, NO_OPERATION, value, 3, value, word),
        instruction(SpvOpGroupNonUniformBroadcastFirst, NO_OPERATION, value, 2, value, word),
        instruction(SpvOpGroupNonUniformBallot, NO_OPERATION, words, 2, flag, word),
        instruction(SpvOpGroupNonUniformInverseBallot, NO_OPERATION, flag, 2, words, word),
        instruction(SpvOpGroupNonUniformBallotBitExtract, NO_OPERATION, flag, 3, words, word),
        instruction(SpvOpGroupNonUniformBallotBitCount, EXCLUSIVE, word, 2, words, word),
        instruction(SpvOpGroupNonUniformBallotFindLSB, NO_OPERATION, word, 2, words, word),
        instruction(SpvOpGroupNonUniformShuffleUp, NO_OPERATION, numbers, 3, numbers, word),
        instruction(SpvOpGroupNonUniformRotateKHR, NO_OPERATION, value, 4, value, word),
        instruction(SpvOpGroupNonUniformQuadSwap, NO_OPERATION, value, 3, value, word),
        instruction(SpvOpGroupNonUniformIAdd, REDUCE, value, 2, value, word),
        instruction(SpvOpGroupNonUniformUMax, CLUSTERED, value, 3, value, word),
        instruction(SpvOpGroupNonUniformFMin, PART_INCLUSIVE, numbers, 3, numbers, words),
        instruction(SpvOpGroupNonUniformLogicalXor, INCLUSIVE, flag, 2, flag, word),
    };
    memcpy(shapes, all, sizeof(all));
    *count = COUNT(all);
    return shapes;
}

static bool is_taken(const struct insn_shape *shape)
{
    struct insn insn = {.opcode = shape->opcode};
    return select_group(shape, &insn);
}

TEST(test_refused_operands)
{
    const struct shape others[] = {shape_of(SCALAR_INT, 32, 5),     shape_of(SCALAR_INT, 24, 3),
                                   shape_of(SCALAR_INT, 32, 0),     shape_of(SCALAR_FLOAT, 8, 2),
                                   shape_of(SCALAR_POINTER, 64, 1), shape_of(SCALAR_OTHER, 0, 3),
                                   shape_of(SCALAR_FLOAT, 64, 4),   shape_of(SCALAR_BOOL, 1, 0)};
    size_t count;
    const struct insn_shape *shapes = fitting(&count);
    for (size_t i = 0; i < count; i++) {
        const struct insn_shape *good = &shapes[i];
        struct insn_shape bad;
        if (!is_taken(good))
            fail_msg("shape %zu is refused", i);
        for (size_t j = 0; j < COUNT(others); j++) {
            bad = *good, bad.result = others[j];
            if (is_taken(&bad))
                fail_msg("shape %zu is taken with result %zu", i, j);
            for (uint32_t k = 0; k < good->operand_count; k++) {
                const bool any = good->opcode == SpvOpGroupNonUniformAllEqual && k == 1 && j == 6;
                bad = *good, bad.operand[k] = others[j];
                if (!any && is_taken(&bad))
                    fail_msg("shape %zu is taken with operand %u as %zu", i, k, j);
            }
        }
        bad = *good, bad.has_result = false;
        assert_false(is_taken(&bad));
        bad = *good, bad.operand[0].width = 64;
        assert_false(is_taken(&bad));
        bad = *good, bad.operand_count = 0;
        assert_false(is_taken(&bad));
        bad = *good, bad.operand_count = 5;
        assert_false(is_taken(&bad));
        if (good->opcode != SpvOpGroupNonUniformRotateKHR) {
            bad = *good, bad.operand_count--;
            assert_false(is_taken(&bad));
            bad = *good, bad.operand_count++;
            assert_false(is_taken(&bad));
        }
    }
}

TEST(test_refused_rest)
{
    static const uint32_t operations[] = {4, 5, 9, UINT32_MAX};
    const struct shape value = shape_of(SCALAR_INT, 32, 1);
    struct shape is_signed = word;
    is_signed.is_signed = true;
    struct insn_shape shape;
    size_t count;
    const struct insn_shape *shapes = fitting(&count);
    for (size_t i = 0; i < count; i++) {
        shape = shapes[i], shape.literal_count ^= 1;
        assert_false(is_taken(&shape));
        shape = shapes[i], shape.opcode = SpvOpIAdd;
        assert_false(is_taken(&shape));
        if (!shapes[i].literal_count)
            continue;
        for (size_t j = 0; j < COUNT(operations); j++) {
            shape = shapes[i], shape.literals[0] = operations[j];
            assert_false(is_taken(&shape));
        }
    }
    const struct insn_shape refused[] = {
        instruction(SpvOpGroupNonUniformBallotBitCount, CLUSTERED, word, 2, words, word),
        instruction(SpvOpGroupNonUniformIAdd, CLUSTERED, value, 3, value, words),
        instruction(SpvOpGroupNonUniformIAdd, PART_REDUCE, value, 3, value, word),
        instruction(SpvOpGroupNonUniformFAdd, REDUCE, value, 2, value, word),
        instruction(SpvOpGroupNonUniformLogicalAnd, REDUCE, value, 2, value, word),
        instruction(SpvOpGroupNonUniformShuffle, NO_OPERATION, value, 3, flag, word),
        instruction(SpvOpGroupNonUniformShuffle, NO_OPERATION, value, 3, value, is_signed),
        instruction(SpvOpGroupNonUniformUMin, REDUCE, is_signed, 2, is_signed, word),
    };
    for (size_t i = 0; i < COUNT(refused); i++)
        assert_false(is_taken(&refused[i]));
    shape = instruction(SpvOpGroupNonUniformSMin, REDUCE, is_signed, 2, is_signed, word);
    assert_true(is_taken(&shape));
    shape = (struct insn_shape){.opcode = SpvOpSubgroupReadInvocationKHR,
                                .has_result = true,
                                .result = value,
                                .operand_count = 2,
                                .operand = {value, is_signed}};
    assert_true(is_taken(&shape));
}
