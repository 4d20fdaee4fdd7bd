// SPDX-License-Identifier: Apache-2.0
// Group operations: values of other lanes.
#include "exec/group.h"

#define NO_LANE UINT64_MAX

// The lane that `lane` reads; any number from the subgroup's width on means none. `argument` is the
// instruction's last operand except a cluster size.
typedef uint64_t source(unsigned lane, uint64_t argument, uint64_t cluster);

static uint64_t source_id(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)lane, (void)cluster;
    return argument;
}

static uint64_t source_xor(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)cluster;
    return lane ^ argument;
}

static uint64_t source_up(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)cluster;
    return argument <= lane ? lane - argument : NO_LANE;
}

static uint64_t source_down(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)cluster;
    return argument < LANES_MAX ? lane + argument : NO_LANE;
}

static uint64_t source_rotate(unsigned lane, uint64_t argument, uint64_t cluster)
{
    if (!cluster || cluster & (cluster - 1)) // must be a power of two
        return NO_LANE;
    return ((lane + argument) & (cluster - 1)) + (lane & ~(cluster - 1));
}

static uint64_t source_quad(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)cluster;
    return argument < 4 ? (lane & ~3u) + argument : NO_LANE;
}

static uint64_t source_swap(unsigned lane, uint64_t argument, uint64_t cluster)
{
    (void)cluster;
    return argument < 3 ? lane ^ (argument + 1) : NO_LANE; // horizontal, vertical, diagonal
}

// insn->flags is the row's index.
static const struct {
    uint16_t opcode;
    uint8_t kind;
    source *source; // NULL: the first lane of the tangle
} rows[] = {
    {SpvOpGroupNonUniformBroadcast, INSN_CROSS_LANE, source_id},
    {SpvOpGroupNonUniformBroadcastFirst, INSN_TANGLED, NULL},
    {SpvOpGroupNonUniformShuffle, INSN_CROSS_LANE, source_id},
    {SpvOpGroupNonUniformShuffleXor, INSN_CROSS_LANE, source_xor},
    {SpvOpGroupNonUniformShuffleUp, INSN_CROSS_LANE, source_up},
    {SpvOpGroupNonUniformShuffleDown, INSN_CROSS_LANE, source_down},
    {SpvOpGroupNonUniformRotateKHR, INSN_CROSS_LANE, source_rotate},
    {SpvOpGroupNonUniformQuadBroadcast, INSN_CROSS_LANE, source_quad},
    {SpvOpGroupNonUniformQuadSwap, INSN_CROSS_LANE, source_swap},
};

// A result without a valid source: nothing may rely on it.
static uint64_t junk(struct exec *exec, const uint64_t *value, uint64_t from, unsigned width)
{
    const uint64_t random = exec_random(exec) & width_mask(width);
    return from < exec->width && random == value[from] ? random ^ 1 : random;
}

static bool may_read(const struct exec *exec, uint64_t from)
{
    if (from >= exec->width)
        return false;
    return lanes_has(exec->snoop ? exec->mask | exec->present : exec->mask, (unsigned)from);
}

static void copy(struct exec *exec, const struct insn *insn, const uint64_t *from)
{
    for (uint32_t i = 0; i < insn->components; i++) {
        const uint64_t *value = exec_cells(exec, insn->operand[GROUP_VALUE] + i);
        uint64_t *result = exec_cells(exec, insn->result + i);
        uint64_t taken[LANES_MAX];
        for_lanes(exec, l,
                  taken[l] = may_read(exec, from[l]) ? value[from[l]]
                                                     : junk(exec, value, from[l], insn->width));
        for_lanes(exec, l, result[l] = taken[l]);
    }
    if (exec->trace)
        for_lanes(exec, l, exec->seen[l].source = from[l] < exec->width ? (uint8_t)from[l] : 255);
}

static void read_lane(struct exec *exec, const struct insn *insn)
{
    source *const find = rows[insn->flags].source;
    const uint64_t *argument = exec_cells(exec, insn->operand[GROUP_ARGUMENT]);
    uint64_t from[LANES_MAX];
    for_lanes(exec, l, from[l] = find(l, argument[l], exec->width));
    copy(exec, insn, from);
}

static void read_lane_clustered(struct exec *exec, const struct insn *insn)
{
    source *const find = rows[insn->flags].source;
    const uint64_t *argument = exec_cells(exec, insn->operand[GROUP_ARGUMENT]);
    const uint64_t *cluster = exec_cells(exec, insn->operand[GROUP_CLUSTER]);
    uint64_t from[LANES_MAX];
    for_lanes(exec, l, {
        from[l] = cluster[l] <= exec->width ? find(l, argument[l], cluster[l]) : NO_LANE;
    });
    copy(exec, insn, from);
}

static void broadcast_first(struct exec *exec, const struct insn *insn)
{
    uint64_t from[LANES_MAX];
    for_lanes(exec, l, from[l] = exec->lane[0]);
    copy(exec, insn, from);
}

static bool is_argument(const struct shape *shape, bool any_sign)
{
    return shape_is_unsigned(shape) || (any_sign && shape_is_int(shape) && shape->components == 1);
}

insn_run *group_select_cross_lane(const struct group_shape *shape, struct insn *insn)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (rows[i].opcode != shape->opcode)
            continue;
        const uint32_t operands = rows[i].source ? 2 : 1;
        const bool clustered =
            rows[i].opcode == SpvOpGroupNonUniformRotateKHR && shape->operand_count == 3;
        if (shape->operand_count != operands + clustered || shape->has_operation ||
            !shape_is_value(shape->result) || !shape_same(shape->result, &shape->operand[0]) ||
            (operands == 2 && !is_argument(&shape->operand[1], shape->any_sign)) ||
            (clustered && !shape_is_unsigned(&shape->operand[2])))
            return NULL;
        insn->kind = rows[i].kind;
        insn->flags = (uint16_t)i;
        return clustered ? read_lane_clustered : rows[i].source ? read_lane : broadcast_first;
    }
    return NULL;
}
