// SPDX-License-Identifier: Apache-2.0
// Group operations: common part of their selectors.
#include "exec/group.h"

// Operations without a scope, and their successors.
static const struct {
    uint16_t opcode;
    uint16_t successor;
} unscoped[] = {
    {SpvOpGroupNonUniformPartitionNV, SpvOpGroupNonUniformPartitionNV},
    {SpvOpGroupNonUniformQuadAllKHR, SpvOpGroupNonUniformQuadAllKHR},
    {SpvOpGroupNonUniformQuadAnyKHR, SpvOpGroupNonUniformQuadAnyKHR},
    {SpvOpSubgroupBallotKHR, SpvOpGroupNonUniformBallot},
    {SpvOpSubgroupFirstInvocationKHR, SpvOpGroupNonUniformBroadcastFirst},
    {SpvOpSubgroupReadInvocationKHR, SpvOpGroupNonUniformBroadcast},
    {SpvOpSubgroupAllKHR, SpvOpGroupNonUniformAll},
    {SpvOpSubgroupAnyKHR, SpvOpGroupNonUniformAny},
    {SpvOpSubgroupAllEqualKHR, SpvOpGroupNonUniformAllEqual},
};

static bool is_scope(const struct shape *shape)
{
    return shape_is_int(shape) && shape->width == 32 && shape->components == 1;
}

insn_run *select_group(const struct insn_shape *shape, struct insn *insn)
{
    static group_select *const parts[] = {
        group_select_vote,
        group_select_cross_lane,
        group_select_arithmetic,
    };
    struct group_shape group = {.opcode = shape->opcode, .result = &shape->result};
    bool has_scope = true;
    for (size_t i = 0; i < ROW_COUNT(unscoped); i++) {
        if (unscoped[i].opcode == shape->opcode) {
            group.opcode = unscoped[i].successor;
            has_scope = false;
        }
    }
    if (!shape->has_result || shape->operand_count < 1 || shape->operand_count > 4 ||
        shape->literal_count > 1 || (has_scope && !is_scope(&shape->operand[0])))
        return NULL;
    group.operand = shape->operand + has_scope;
    group.operand_count = shape->operand_count - has_scope;
    group.has_operation = shape->literal_count == 1;
    group.operation = (SpvGroupOperation)shape->literals[0];
    group.any_sign = shape->opcode == SpvOpSubgroupReadInvocationKHR;

    struct insn chosen = *insn;
    if (!has_scope)
        memcpy(chosen.operand + GROUP_VALUE, insn->operand, 3 * sizeof(chosen.operand[0]));
    chosen.kind = INSN_TANGLED;
    chosen.components = (uint8_t)shape->result.components;
    chosen.width = (uint8_t)shape->result.width;
    for (size_t i = 0; i < ROW_COUNT(parts); i++) {
        insn_run *const run = parts[i](&group, &chosen);
        if (run) {
            *insn = chosen;
            return run;
        }
    }
    return NULL;
}
