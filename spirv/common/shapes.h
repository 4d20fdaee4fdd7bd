; SPDX-License-Identifier: Apache-2.0
;
; A group operation in workgroups of any shape, also with subgroups that are not full, against what shared
; memory says of the lanes that are there. Every invocation has a word that is not 0, and puts it where its
; subgroup and lane say; a slot that stays 0 is that of no lane. The operation's result is compared with what
; one loop over the slots of the subgroup makes of the words, and each invocation stores its word plus the
; difference, at its LocalInvocationIndex. So nothing is assumed of which invocations form a subgroup.
;
; The axis op: add, inclusive, exclusive, max, shuffle, up, first; inside, a ballot in a branch of the lanes
; whose word has bit 1; behind, a ballot behind it.

#define MORE_INPUTS %index_input %subgroups_input
                        OpCapability Shader
                        OpCapability GroupNonUniform
#if defined(OP_SHUFFLE)
                        OpCapability GroupNonUniformShuffle
#elif defined(OP_UP)
                        OpCapability GroupNonUniformShuffleRelative
#elif defined(OP_FIRST) || defined(OP_INSIDE) || defined(OP_BEHIND)
                        OpCapability GroupNonUniformBallot
#else
                        OpCapability GroupNonUniformArithmetic
#endif
#include "interface.h"
                        OpDecorate %index_input BuiltIn LocalInvocationIndex
                        OpDecorate %subgroups_input BuiltIn NumSubgroups
#include "interface-types.h"
%uint4                = OpTypeVector %uint 4
%true                 = OpConstantTrue %bool
%half                 = OpConstant %uint 32
%slot_count           = OpConstant %uint 2048
%slots_array          = OpTypeArray %uint %slot_count
%slots_pointer        = OpTypePointer Workgroup %slots_array
%slot_pointer         = OpTypePointer Workgroup %uint
%slots                = OpVariable %slots_pointer Workgroup
%index_input          = OpVariable %uint_input Input
%subgroups_input      = OpVariable %uint_input Input
#define MEET            OpControlBarrier %workgroup_scope %workgroup_scope %acquire_release_shared

%main                 = OpFunction %void None %procedure
%entry                = OpLabel
%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%subgroups            = OpLoad %uint %subgroups_input
%index                = OpLoad %uint %index_input
%group_id             = OpLoad %uint3 %workgroup_input
%group                = OpCompositeExtract %uint %group_id 0
%group_start          = OpIMul %uint %group %workgroup_width
%place                = OpIAdd %uint %group_start %index
%own_at               = OpAccessChain %word_pointer %input %buffer_words %place
%own                  = OpLoad %uint %own_at
%first_slot           = OpIMul %uint %subgroup %subgroup_size
%slot                 = OpIAdd %uint %first_slot %lane

; No lane is there, then all that are.
                        OpBranch %clearing
%clearing             = OpLabel
%cleared              = OpPhi %uint %index %entry %cleared_next %clear_next
                        OpLoopMerge %clear_done %clear_next None
                        OpBranch %clear_test
%clear_test           = OpLabel
%more_to_clear        = OpULessThan %bool %cleared %slot_count
                        OpBranchConditional %more_to_clear %clear %clear_done
%clear                = OpLabel
%cleared_at           = OpAccessChain %slot_pointer %slots %cleared
                        OpStore %cleared_at %zero
                        OpBranch %clear_next
%clear_next           = OpLabel
%cleared_next         = OpIAdd %uint %cleared %workgroup_width
                        OpBranch %clearing
%clear_done           = OpLabel
                        MEET
%slot_at              = OpAccessChain %slot_pointer %slots %slot
                        OpStore %slot_at %own
                        MEET

; The lanes whose word has bit 1 count themselves, and look who is with them.
%bit                  = OpBitwiseAnd %uint %own %two
%is_inside            = OpINotEqual %bool %bit %zero
                        OpSelectionMerge %counted None
                        OpBranchConditional %is_inside %count %counted
%count                = OpLabel
%counter              = OpAccessChain %word_pointer %state %buffer_words %one
%before               = OpAtomicIAdd %uint %counter %device_scope %no_semantics %one
#ifdef OP_INSIDE
%set                  = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
%set_word             = OpUDiv %uint %lane %half
%inside_result        = OpVectorExtractDynamic %uint %set %set_word
#endif
                        OpBranch %counted
%counted              = OpLabel

; The operation.
#if defined(OP_ADD)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope Reduce %own
#elif defined(OP_INCLUSIVE)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope InclusiveScan %own
#elif defined(OP_EXCLUSIVE)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope ExclusiveScan %own
#elif defined(OP_MAX)
%result               = OpGroupNonUniformUMax %uint %subgroup_scope Reduce %own
#elif defined(OP_SHUFFLE)
%other_lane           = OpBitwiseXor %uint %lane %one
%result               = OpGroupNonUniformShuffle %uint %subgroup_scope %own %other_lane
#elif defined(OP_UP)
%other_lane           = OpISub %uint %lane %one
%result               = OpGroupNonUniformShuffleUp %uint %subgroup_scope %own %one
#elif defined(OP_FIRST)
%result               = OpGroupNonUniformBroadcastFirst %uint %subgroup_scope %own
#elif defined(OP_INSIDE)
%result               = OpPhi %uint %zero %clear_done %inside_result %count
#else
%set                  = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
%set_word             = OpUDiv %uint %lane %half
%result               = OpVectorExtractDynamic %uint %set %set_word
#endif

; The same of the words in the slots, one lane after the other.
%own_word             = OpUDiv %uint %lane %half
                        OpBranch %folding
%folding              = OpLabel
%turn                 = OpPhi %uint %zero %counted %turn_next %fold_next
%folded               = OpPhi %uint %zero %counted %folded_next %fold_next
                        OpLoopMerge %fold_done %fold_next None
                        OpBranch %fold_test
%fold_test            = OpLabel
%more_lanes           = OpULessThan %bool %turn %subgroup_size
                        OpBranchConditional %more_lanes %fold %fold_done
%fold                 = OpLabel
%turn_slot            = OpIAdd %uint %first_slot %turn
%turn_at              = OpAccessChain %slot_pointer %slots %turn_slot
%word                 = OpLoad %uint %turn_at
%is_there             = OpINotEqual %bool %word %zero
#if defined(OP_INCLUSIVE)
%takes_part           = OpULessThanEqual %bool %turn %lane
#elif defined(OP_EXCLUSIVE)
%takes_part           = OpULessThan %bool %turn %lane
#elif defined(OP_SHUFFLE) || defined(OP_UP)
%takes_part           = OpIEqual %bool %turn %other_lane
#elif defined(OP_FIRST)
%takes_part           = OpIEqual %bool %folded %zero
#elif defined(OP_INSIDE) || defined(OP_BEHIND)
%turn_word            = OpUDiv %uint %turn %half
%has_bit_here         = OpIEqual %bool %turn_word %own_word
#ifdef OP_INSIDE
%turn_bit             = OpBitwiseAnd %uint %word %two
%turn_inside          = OpINotEqual %bool %turn_bit %zero
%takes_part           = OpLogicalAnd %bool %has_bit_here %turn_inside
#else
%takes_part           = OpCopyObject %bool %has_bit_here
#endif
#else
%takes_part           = OpCopyObject %bool %true
#endif
%counts               = OpLogicalAnd %bool %is_there %takes_part
#if defined(OP_INSIDE) || defined(OP_BEHIND)
%place_in_word        = OpUMod %uint %turn %half
%contribution         = OpShiftLeftLogical %uint %one %place_in_word
#else
%contribution         = OpCopyObject %uint %word
#endif
%taken                = OpSelect %uint %counts %contribution %zero
#ifdef OP_MAX
%folded_next          = OpExtInst %uint %glsl UMax %folded %taken
#else
%folded_next          = OpIAdd %uint %folded %taken
#endif
                        OpBranch %fold_next
%fold_next            = OpLabel
%turn_next            = OpIAdd %uint %turn %one
                        OpBranch %folding
%fold_done            = OpLabel

; Where there is no such lane, or this one is not inside, the result is of no interest.
#if defined(OP_SHUFFLE) || defined(OP_UP)
%is_defined           = OpINotEqual %bool %folded %zero
%compared             = OpSelect %uint %is_defined %result %folded
#elif defined(OP_INSIDE)
%compared             = OpSelect %uint %is_inside %result %folded
#else
%compared             = OpCopyObject %uint %result
#endif
%difference           = OpISub %uint %compared %folded
%own_plus             = OpIAdd %uint %own %difference

; Nobody else has this slot, and the subgroup is one of those that there are.
%kept                 = OpLoad %uint %slot_at
%slot_difference      = OpISub %uint %kept %own
%sum                  = OpIAdd %uint %own_plus %slot_difference
%is_one               = OpULessThan %bool %subgroup %subgroups
%stored               = OpSelect %uint %is_one %sum %zero
%output_at            = OpAccessChain %word_pointer %output %buffer_words %place
                        OpStore %output_at %stored
                        OpReturn
                        OpFunctionEnd
