; SPDX-License-Identifier: Apache-2.0
;
; A group operation in workgroups of any shape, also with subgroups that are not full, against what shared
; memory says of the lanes that are there. Every invocation has a word that is not 0, and puts it where its
; subgroup and lane say; a slot that stays 0 is that of no lane. The operation's result is compared with what
; one loop over the slots of the subgroup makes of the words, and each invocation stores its word plus the
; difference, at its LocalInvocationIndex. So nothing is assumed of which invocations form a subgroup.
;
; The axis op: add, inclusive, exclusive, max, shuffle, up, first; ballot, of the lanes whose word has bit 1;
; inside, a ballot in a branch of these lanes; behind, a ballot behind it.
;
; WITH_TAIL: the operation stands in a loop, at the end of whose iterations one lane works alone (tail-work.h).
; The words of an iteration are those in the slots plus its number. The test then has the parameters elected,
; weight and, as push constant, iterations, and the axis sync of the family sync-matrix.

#define MORE_INPUTS %index_input %subgroups_input
                        OpCapability Shader
                        OpCapability GroupNonUniform
#if defined(OP_SHUFFLE)
                        OpCapability GroupNonUniformShuffle
#elif defined(OP_UP)
                        OpCapability GroupNonUniformShuffleRelative
#elif defined(OP_FIRST) || defined(OP_BALLOT) || defined(OP_INSIDE) || defined(OP_BEHIND)
                        OpCapability GroupNonUniformBallot
#else
                        OpCapability GroupNonUniformArithmetic
#endif
#include "interface.h"
                        OpDecorate %index_input BuiltIn LocalInvocationIndex
                        OpDecorate %subgroups_input BuiltIn NumSubgroups
#ifdef WITH_TAIL
                        OpDecorate %elected SpecId 1
                        OpDecorate %weight SpecId 2
#endif
#include "interface-types.h"
#ifdef WITH_TAIL
%elected              = OpSpecConstant %uint 1
%weight               = OpSpecConstant %uint 16
#include "tail-types.h"
#endif
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
%own_word             = OpUDiv %uint %lane %half
%counter              = OpAccessChain %word_pointer %state %buffer_words %one

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
%before               = OpAtomicIAdd %uint %counter %device_scope %no_semantics %one
#ifdef OP_INSIDE
%set                  = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
%inside_result        = OpVectorExtractDynamic %uint %set %own_word
#endif
                        OpBranch %counted
%counted              = OpLabel
#ifdef WITH_TAIL

; The loop, of as many iterations as no compiler knows.
%iterations_at        = OpAccessChain %push_uint %push %elements
%iterations           = OpLoad %uint %iterations_at
%is_elected           = OpIEqual %bool %lane %elected
                        OpBranch %loop
%loop                 = OpLabel
%iteration            = OpPhi %uint %zero %counted %iteration_next %loop_next
%difference           = OpPhi %uint %zero %counted %difference_next %loop_next
                        OpLoopMerge %loop_done %loop_next None
                        OpBranch %loop_test
%loop_test            = OpLabel
%goes_on              = OpULessThan %bool %iteration %iterations
                        OpBranchConditional %goes_on %loop_body %loop_done
%loop_body            = OpLabel
%value                = OpIAdd %uint %own %iteration
#ifdef SYNC_CONTROL
                        OpControlBarrier %subgroup_scope %subgroup_scope %no_semantics
#endif
#define VALUE %value
#define BEFORE_FOLDING %loop_body
#else
#define VALUE %own
#define BEFORE_FOLDING %counted
#endif

; The operation.
#if defined(OP_ADD)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope Reduce VALUE
#elif defined(OP_INCLUSIVE)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope InclusiveScan VALUE
#elif defined(OP_EXCLUSIVE)
%result               = OpGroupNonUniformIAdd %uint %subgroup_scope ExclusiveScan VALUE
#elif defined(OP_MAX)
%result               = OpGroupNonUniformUMax %uint %subgroup_scope Reduce VALUE
#elif defined(OP_SHUFFLE)
%other_lane           = OpBitwiseXor %uint %lane %one
%result               = OpGroupNonUniformShuffle %uint %subgroup_scope VALUE %other_lane
#elif defined(OP_UP)
%other_lane           = OpISub %uint %lane %one
%result               = OpGroupNonUniformShuffleUp %uint %subgroup_scope VALUE %one
#elif defined(OP_FIRST)
%result               = OpGroupNonUniformBroadcastFirst %uint %subgroup_scope VALUE
#elif defined(OP_INSIDE)
%result               = OpPhi %uint %zero %clear_done %inside_result %count
#else
#ifdef OP_BALLOT
%own_bit              = OpBitwiseAnd %uint VALUE %two
%vote                 = OpINotEqual %bool %own_bit %zero
%set                  = OpGroupNonUniformBallot %uint4 %subgroup_scope %vote
#else
%set                  = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
#endif
%result               = OpVectorExtractDynamic %uint %set %own_word
#endif

; The same of the words in the slots, one lane after the other.
                        OpBranch %folding
%folding              = OpLabel
%turn                 = OpPhi %uint %zero BEFORE_FOLDING %turn_next %fold_next
%folded               = OpPhi %uint %zero BEFORE_FOLDING %folded_next %fold_next
                        OpLoopMerge %fold_done %fold_next None
                        OpBranch %fold_test
%fold_test            = OpLabel
%more_lanes           = OpULessThan %bool %turn %subgroup_size
                        OpBranchConditional %more_lanes %fold %fold_done
%fold                 = OpLabel
%turn_slot            = OpIAdd %uint %first_slot %turn
%turn_at              = OpAccessChain %slot_pointer %slots %turn_slot
%kept_word            = OpLoad %uint %turn_at
%is_there             = OpINotEqual %bool %kept_word %zero
#ifdef WITH_TAIL
%word                 = OpIAdd %uint %kept_word %iteration
#else
%word                 = OpCopyObject %uint %kept_word
#endif
#if defined(OP_INCLUSIVE)
%takes_part           = OpULessThanEqual %bool %turn %lane
#elif defined(OP_EXCLUSIVE)
%takes_part           = OpULessThan %bool %turn %lane
#elif defined(OP_SHUFFLE) || defined(OP_UP)
%takes_part           = OpIEqual %bool %turn %other_lane
#elif defined(OP_FIRST)
%takes_part           = OpIEqual %bool %folded %zero
#elif defined(OP_BALLOT) || defined(OP_INSIDE) || defined(OP_BEHIND)
%turn_word            = OpUDiv %uint %turn %half
%has_bit_here         = OpIEqual %bool %turn_word %own_word
#ifndef OP_BEHIND
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
#if defined(OP_BALLOT) || defined(OP_INSIDE) || defined(OP_BEHIND)
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
#ifdef WITH_TAIL
%difference_here      = OpISub %uint %compared %folded
%difference_next      = OpBitwiseOr %uint %difference %difference_here

; The tail: the elected lane alone works for `weight` rounds, and counts what comes out.
                        OpSelectionMerge %tail_done None
                        OpBranchConditional %is_elected %tail %tail_done
%tail                 = OpLabel
#define WORK_START %result
#define WORK_FROM %tail
#include "tail-work.h"
%counted_work         = OpAtomicIAdd %uint %counter %device_scope %no_semantics %worked
                        OpBranch %tail_done

; Here the subgroup comes together for the next iteration.
%tail_done            = OpLabel
#ifdef SYNC_WORKGROUP
                        MEET
#endif
                        OpBranch %loop_next
%loop_next            = OpLabel
%iteration_next       = OpIAdd %uint %iteration %one
                        OpBranch %loop
%loop_done            = OpLabel
#else
%difference           = OpISub %uint %compared %folded
#endif
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
