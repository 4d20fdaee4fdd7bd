; SPDX-License-Identifier: Apache-2.0
;
; shuffle.scan-loop, form=ssa: the inclusive sum of %operand over the subgroup, unrolled, a new
; value for every step. The includer defines OPERATION and, once, `from_1` to `from_64`: is the lane
; at or right of that step? %scanned is the result.

; ---- The subgroup scan, unrolled -----------------------------------------------------------------
                        BEFORE_THE_SCAN

                        BEFORE_EACH_SHUFFLE
%left_1               = OpGroupNonUniformShuffleUp %uint %subgroup_scope %operand %one
%kept_1               = OpSelect %uint %from_1 %left_1 %zero
%sum_1                = OpIAdd %uint %operand %kept_1

                        BEFORE_EACH_SHUFFLE
%left_2               = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_1 %two
%kept_2               = OpSelect %uint %from_2 %left_2 %zero
%sum_2                = OpIAdd %uint %sum_1 %kept_2

#if SUBGROUP_SIZE > 4
                        BEFORE_EACH_SHUFFLE
%left_4               = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_2 %four
%kept_4               = OpSelect %uint %from_4 %left_4 %zero
%sum_4                = OpIAdd %uint %sum_2 %kept_4
#endif

#if SUBGROUP_SIZE > 8
                        BEFORE_EACH_SHUFFLE
%left_8               = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_4 %eight
%kept_8               = OpSelect %uint %from_8 %left_8 %zero
%sum_8                = OpIAdd %uint %sum_4 %kept_8
#endif

#if SUBGROUP_SIZE > 16
                        BEFORE_EACH_SHUFFLE
%left_16              = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_8 %sixteen
%kept_16              = OpSelect %uint %from_16 %left_16 %zero
%sum_16               = OpIAdd %uint %sum_8 %kept_16
#endif

#if SUBGROUP_SIZE > 32
                        BEFORE_EACH_SHUFFLE
%left_32              = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_16 %thirty_two
%kept_32              = OpSelect %uint %from_32 %left_32 %zero
%sum_32               = OpIAdd %uint %sum_16 %kept_32
#endif

#if SUBGROUP_SIZE > 64
                        BEFORE_EACH_SHUFFLE
%left_64              = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sum_32 %sixty_four
%kept_64              = OpSelect %uint %from_64 %left_64 %zero
%sum_64               = OpIAdd %uint %sum_32 %kept_64
#endif
