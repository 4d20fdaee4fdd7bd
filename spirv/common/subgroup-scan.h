; SPDX-License-Identifier: Apache-2.0
;
; Scans and reductions over the lanes of a subgroup, for the family `scan`: three functions that take a
; value from each lane, with the whole subgroup in them.
;     %scan_through  the lanes up to this one      %scan_before  the lanes before this one
;     %reduce_lanes  all lanes
; The test includes this page behind interface-types.h, has the axis form = native | loop | ssa, and
; defines
;     SCALAR                 the type of a value
;     COMBINE(left, right)   the operation, and IDENTITY, a constant
;     GROUP(kind, value)     the group operation, for form=native
;     HALVES                 if a value has 64 bits: it is shuffled as two words
;     BEFORE_THE_SCAN        a barrier, or nothing: where an emulated scan or reduction begins
;     BEFORE_EACH_SHUFFLE    the same, for each of its steps
; and %subgroup_size, from a specialization constant (`last` in the head), by which the compiler knows how
; many lanes there are. Functions begin here: the test declares everything else before.

%lanes_function       = OpTypeFunction SCALAR SCALAR

#ifndef FORM_NATIVE
#ifdef HALVES
#define SHUFFLE(name, operation, value, by) \
    %name##_halves = OpBitcast %uint2 value \
    %name##_moved = operation %uint2 %subgroup_scope %name##_halves by \
    %name = OpBitcast SCALAR %name##_moved
#else
#define SHUFFLE(name, operation, value, by) %name = operation SCALAR %subgroup_scope value by
#endif
#endif

#ifdef FORM_LOOP
%local_scalar         = OpTypePointer Function SCALAR
%local_step           = OpTypePointer Function %uint
#endif

#ifdef FORM_SSA
; Every distance that a subgroup of 128 lanes has steps of. Those that are too far for this subgroup
; are known to be while the pipeline is compiled.
%four                 = OpConstant %uint 4
%eight                = OpConstant %uint 8
%sixteen              = OpConstant %uint 16
%thirty_two           = OpConstant %uint 32
%sixty_four           = OpConstant %uint 64
%reaches_one          = OpSpecConstantOp %bool ULessThan %one %subgroup_size
%reaches_two          = OpSpecConstantOp %bool ULessThan %two %subgroup_size
%reaches_four         = OpSpecConstantOp %bool ULessThan %four %subgroup_size
%reaches_eight        = OpSpecConstantOp %bool ULessThan %eight %subgroup_size
%reaches_sixteen      = OpSpecConstantOp %bool ULessThan %sixteen %subgroup_size
%reaches_thirty_two   = OpSpecConstantOp %bool ULessThan %thirty_two %subgroup_size
%reaches_sixty_four   = OpSpecConstantOp %bool ULessThan %sixty_four %subgroup_size

; One step: `before` is the value before it, `after` the value after it. A lane that has nobody at that
; distance combines with the identity; what its shuffle gives is undefined, and dropped.
#define STEP_UP(before, distance, after) \
                        BEFORE_EACH_SHUFFLE \
    SHUFFLE(up_##distance, OpGroupNonUniformShuffleUp, before, %distance) \
    %has_##distance = OpUGreaterThanEqual %bool %through_lane %distance \
    %takes_##distance = OpLogicalAnd %bool %has_##distance %reaches_##distance \
    %kept_##distance = OpSelect SCALAR %takes_##distance %up_##distance IDENTITY \
    after = COMBINE(%kept_##distance, before)
#define STEP_ACROSS(before, distance, after) \
                        BEFORE_EACH_SHUFFLE \
    SHUFFLE(across_##distance, OpGroupNonUniformShuffleXor, before, %distance) \
    %other_##distance = OpSelect SCALAR %reaches_##distance %across_##distance IDENTITY \
    after = COMBINE(%other_##distance, before)
#endif

#if !defined(MODE_REDUCE) || defined(SCANS_TOTALS)
; ---- The lanes up to this one --------------------------------------------------------------------
%scan_through         = OpFunction SCALAR None %lanes_function
%through_value        = OpFunctionParameter SCALAR
%through_begin        = OpLabel
#if defined(FORM_NATIVE)
%through_result       = GROUP(InclusiveScan, %through_value)
#elif defined(FORM_SSA)
%through_lane         = OpLoad %uint %lane_input
                        BEFORE_THE_SCAN
                        STEP_UP(%through_value, one, %through_1)
                        STEP_UP(%through_1, two, %through_2)
                        STEP_UP(%through_2, four, %through_4)
                        STEP_UP(%through_4, eight, %through_8)
                        STEP_UP(%through_8, sixteen, %through_16)
                        STEP_UP(%through_16, thirty_two, %through_32)
                        STEP_UP(%through_32, sixty_four, %through_result)
#else
; Kogge and Stone: after the step of distance d a lane has combined 2 d lanes, or all that there are
; before it. `value` is the same variable at every step.
%through              = OpVariable %local_scalar Function
%through_step         = OpVariable %local_step Function
%through_lane         = OpLoad %uint %lane_input
                        OpStore %through %through_value
                        OpStore %through_step %one
                        BEFORE_THE_SCAN
                        OpBranch %through_steps
%through_steps        = OpLabel
                        OpLoopMerge %through_done %through_next Unroll
                        OpBranch %through_test
%through_test         = OpLabel
%through_distance     = OpLoad %uint %through_step
%through_goes_on      = OpULessThan %bool %through_distance %subgroup_size
                        OpBranchConditional %through_goes_on %through_body %through_done
%through_body         = OpLabel
                        BEFORE_EACH_SHUFFLE
%through_own          = OpLoad SCALAR %through
                        SHUFFLE(through_other, OpGroupNonUniformShuffleUp, %through_own, %through_distance)
%through_has_none     = OpULessThan %bool %through_lane %through_distance
%through_kept         = OpSelect SCALAR %through_has_none IDENTITY %through_other
%through_combined     = COMBINE(%through_kept, %through_own)
                        OpStore %through %through_combined
                        OpBranch %through_next
%through_next         = OpLabel
%through_further      = OpShiftLeftLogical %uint %through_distance %one
                        OpStore %through_step %through_further
                        OpBranch %through_steps
%through_done         = OpLabel
%through_result       = OpLoad SCALAR %through
#endif
                        OpReturnValue %through_result
                        OpFunctionEnd
#endif

#ifndef MODE_REDUCE
; ---- The lanes before this one -------------------------------------------------------------------
%scan_before          = OpFunction SCALAR None %lanes_function
%before_value         = OpFunctionParameter SCALAR
%before_begin         = OpLabel
#ifdef FORM_NATIVE
%before_result        = GROUP(ExclusiveScan, %before_value)
#else
; Move the values up by one lane, then scan.
%before_lane          = OpLoad %uint %lane_input
                        BEFORE_EACH_SHUFFLE
                        SHUFFLE(before_moved, OpGroupNonUniformShuffleUp, %before_value, %one)
%before_has_none      = OpIEqual %bool %before_lane %zero
%before_kept          = OpSelect SCALAR %before_has_none IDENTITY %before_moved
%before_result        = OpFunctionCall SCALAR %scan_through %before_kept
#endif
                        OpReturnValue %before_result
                        OpFunctionEnd

#else
; ---- All lanes -----------------------------------------------------------------------------------
%reduce_lanes         = OpFunction SCALAR None %lanes_function
%lanes_value          = OpFunctionParameter SCALAR
%lanes_begin          = OpLabel
#if defined(FORM_NATIVE)
%lanes_result         = GROUP(Reduce, %lanes_value)
#elif defined(FORM_SSA)
                        BEFORE_THE_SCAN
                        STEP_ACROSS(%lanes_value, one, %lanes_1)
                        STEP_ACROSS(%lanes_1, two, %lanes_2)
                        STEP_ACROSS(%lanes_2, four, %lanes_4)
                        STEP_ACROSS(%lanes_4, eight, %lanes_8)
                        STEP_ACROSS(%lanes_8, sixteen, %lanes_16)
                        STEP_ACROSS(%lanes_16, thirty_two, %lanes_32)
                        STEP_ACROSS(%lanes_32, sixty_four, %lanes_result)
#else
; A butterfly: after the step of distance d a lane has combined its 2 d neighbours.
%lanes                = OpVariable %local_scalar Function
%lanes_step           = OpVariable %local_step Function
                        OpStore %lanes %lanes_value
                        OpStore %lanes_step %one
                        BEFORE_THE_SCAN
                        OpBranch %lanes_steps
%lanes_steps          = OpLabel
                        OpLoopMerge %lanes_done %lanes_next Unroll
                        OpBranch %lanes_test
%lanes_test           = OpLabel
%lanes_distance       = OpLoad %uint %lanes_step
%lanes_goes_on        = OpULessThan %bool %lanes_distance %subgroup_size
                        OpBranchConditional %lanes_goes_on %lanes_body %lanes_done
%lanes_body           = OpLabel
                        BEFORE_EACH_SHUFFLE
%lanes_own            = OpLoad SCALAR %lanes
                        SHUFFLE(lanes_other, OpGroupNonUniformShuffleXor, %lanes_own, %lanes_distance)
%lanes_combined       = COMBINE(%lanes_other, %lanes_own)
                        OpStore %lanes %lanes_combined
                        OpBranch %lanes_next
%lanes_next           = OpLabel
%lanes_further        = OpShiftLeftLogical %uint %lanes_distance %one
                        OpStore %lanes_step %lanes_further
                        OpBranch %lanes_steps
%lanes_done           = OpLabel
%lanes_result         = OpLoad SCALAR %lanes
#endif
                        OpReturnValue %lanes_result
                        OpFunctionEnd
#endif
