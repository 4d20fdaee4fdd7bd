; SPDX-License-Identifier: Apache-2.0
;
; shuffle.scan-loop, form=variables: the two scans of one operation, as unoptimised compiler output
; has them: every local is a Function variable, every helper is called, every loop is a loop. The
; includer defines OPERATION (its name), COMBINE(left, right) and IDENTITY (a constant).

; ---- The subgroup scan ---------------------------------------------------------------------------
; Takes one value from each invocation, with the whole subgroup in it, and returns the invocation's
; share of the result.
%subgroup_scan        = OpFunction %uint None %scan_type
%operand              = OpFunctionParameter %local_uint
%scan_entry           = OpLabel
%value                = OpVariable %local_uint Function
%other                = OpVariable %local_uint Function
%level                = OpVariable %local_uint Function
                        BEFORE_THE_SCAN
%scan_lane            = OpLoad %uint %lane_input

#ifdef MODE_REDUCE
; A butterfly: at each level every lane combines with the lane whose id differs in one bit.
%first_value          = OpLoad %uint %operand
                        OpStore %value %first_value
                        OpStore %level %zero
#else
; The first step of Kogge and Stone: the value of the lane to the left, or the identity in lane 0.
; The shuffle is executed by all; what it gives lane 0 is undefined and is dropped by the selection.
                        BEFORE_EACH_SHUFFLE
%sent_first           = OpLoad %uint %operand
%received_first       = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sent_first %one
                        OpStore %other %received_first
%is_lane_zero         = OpULessThan %bool %scan_lane %one
%other_first          = OpLoad %uint %other
%kept_first           = OpSelect %uint %is_lane_zero IDENTITY %other_first
%value_first          = OpLoad %uint %operand
%combined_first       = COMBINE(%value_first, %kept_first)
                        OpStore %value %combined_first
                        OpStore %level %one
#endif

; The other steps, at distances 2, 4, 8 and so on. `value` is the same variable at every step: each
; shuffle sends what the step before has made of it.
                        OpBranch %steps
%steps                = OpLabel
                        OpLoopMerge %steps_done %steps_next Unroll
                        OpBranch %steps_test
%steps_test           = OpLabel
%level_tested         = OpLoad %uint %level
%level_exists         = OpULessThan %bool %level_tested %level_count
                        OpBranchConditional %level_exists %steps_body %steps_done
%steps_body           = OpLabel
%level_used           = OpLoad %uint %level
%step                 = OpShiftLeftLogical %uint %one %level_used
                        BEFORE_EACH_SHUFFLE
%sent                 = OpLoad %uint %value
#ifdef MODE_REDUCE
%received             = OpGroupNonUniformShuffleXor %uint %subgroup_scope %sent %step
                        OpStore %other %received
%kept                 = OpLoad %uint %other
#else
%received             = OpGroupNonUniformShuffleUp %uint %subgroup_scope %sent %step
                        OpStore %other %received
%is_below_step        = OpULessThan %bool %scan_lane %step
%other_received       = OpLoad %uint %other
%kept                 = OpSelect %uint %is_below_step IDENTITY %other_received
#endif
%value_before         = OpLoad %uint %value
%combined             = COMBINE(%value_before, %kept)
                        OpStore %value %combined
                        OpBranch %steps_next
%steps_next           = OpLabel
%level_old            = OpLoad %uint %level
%level_new            = OpIAdd %uint %level_old %one
                        OpStore %level %level_new
                        OpBranch %steps
%steps_done           = OpLabel
%scan_result          = OpLoad %uint %value
                        OpReturnValue %scan_result
                        OpFunctionEnd

; ---- The workgroup scan --------------------------------------------------------------------------
; Scans the virtual workgroup: element `round * workgroup_width + invocation` is in register `round`
; of that invocation.
%workgroup_scan       = OpFunction %void None %registers_type
%registers_used       = OpFunctionParameter %local_registers
%workgroup_entry      = OpLabel
%round                = OpVariable %local_uint Function
%index                = OpVariable %local_uint Function
%element              = OpVariable %local_uint Function
%scan_value           = OpVariable %local_uint Function
%left                 = OpVariable %local_uint Function
%carry                = OpVariable %local_uint Function
%chunk                = OpVariable %local_uint Function

; An invocation is named by its subgroup and its lane, not by its local invocation index.
%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_start       = OpIMul %uint %subgroup %subgroup_size
%invocation           = OpIAdd %uint %subgroup_start %lane
%is_last_lane         = OpIEqual %bool %lane %last_lane
%is_subgroup_zero     = OpIEqual %bool %subgroup %zero

; Level 0, the loop in question. Each round scans one register of each invocation.
                        OpStore %round %zero
                        OpBranch %level_0
%level_0              = OpLabel
                        OpLoopMerge %level_0_done %level_0_next Unroll
                        OpBranch %level_0_test
%level_0_test         = OpLabel
%round_0_tested       = OpLoad %uint %round
%round_0_exists       = OpULessThan %bool %round_0_tested %round_count
                        OpBranchConditional %round_0_exists %level_0_body %level_0_done
%level_0_body         = OpLabel
%round_0              = OpLoad %uint %round
%round_0_start        = OpIMul %uint %round_0 %workgroup_width
%index_0              = OpIAdd %uint %round_0_start %invocation
                        OpStore %index %index_0
%element_0            = OpFunctionCall %uint %get %registers_used %index
                        OpStore %element %element_0
%element_0_read       = OpLoad %uint %element
                        OpStore %scan_value %element_0_read
%scanned_0            = OpFunctionCall %uint %subgroup_scan %scan_value
                        OpStore %element %scanned_0
%stored_0             = OpFunctionCall %void %set %registers_used %index %element

; The divergent tail of the round: the last lane alone stores the subgroup's total in shared memory.
; Its merge block is where the subgroup comes together before the next round's first shuffle.
                        OpSelectionMerge %total_kept None
                        OpBranchConditional %is_last_lane %keep_total %total_kept
%keep_total           = OpLabel
%round_0_partials     = OpIMul %uint %round_0 %subgroup_count
%partial_0_index      = OpIAdd %uint %round_0_partials %subgroup
%partial_0            = OpAccessChain %shared_uint %partials %partial_0_index
%total                = OpLoad %uint %element
                        OpStore %partial_0 %total
                        OpBranch %total_kept
%total_kept           = OpLabel
                        AT_THE_END_OF_A_ROUND
                        OpBranch %level_0_next
%level_0_next         = OpLabel
%round_0_old          = OpLoad %uint %round
%round_0_new          = OpIAdd %uint %round_0_old %one
                        OpStore %round %round_0_new
                        OpBranch %level_0
%level_0_done         = OpLabel

; All totals are in shared memory before subgroup 0 reads them.
                        OpControlBarrier %workgroup_scope %workgroup_scope %acquire_release_shared

; Level 1. Subgroup 0 scans the totals, as many at a time as it has lanes. From 32 lanes up that is
; all of them at once; below, `carry` is the total of the chunks so far.
                        OpSelectionMerge %level_1_left None
                        OpBranchConditional %is_subgroup_zero %level_1_enter %level_1_left
%level_1_enter        = OpLabel
                        OpStore %chunk %zero
                        OpStore %carry IDENTITY
                        OpBranch %level_1
%level_1              = OpLabel
                        OpLoopMerge %level_1_done %level_1_next Unroll
                        OpBranch %level_1_test
%level_1_test         = OpLabel
%chunk_tested         = OpLoad %uint %chunk
%chunk_exists         = OpULessThan %bool %chunk_tested %chunk_count
                        OpBranchConditional %chunk_exists %level_1_body %level_1_done
%level_1_body         = OpLabel
%chunk_used           = OpLoad %uint %chunk
%chunk_start          = OpIMul %uint %chunk_used %subgroup_size
%partial_1_index      = OpIAdd %uint %chunk_start %lane
%partial_1            = OpAccessChain %shared_uint %partials %partial_1_index
%partial_read         = OpLoad %uint %partial_1
#if SUBGROUP_SIZE > 32
; There are fewer totals than lanes: the lanes above take the identity.
%partial_exists       = OpULessThan %bool %partial_1_index %partial_count
%partial_used         = OpSelect %uint %partial_exists %partial_read IDENTITY
                        OpStore %scan_value %partial_used
#else
                        OpStore %scan_value %partial_read
#endif
%scanned_1            = OpFunctionCall %uint %subgroup_scan %scan_value
%carry_used           = OpLoad %uint %carry
%carried              = COMBINE(%carry_used, %scanned_1)
                        OpStore %partial_1 %carried
                        BEFORE_EACH_SHUFFLE
%carry_out            = OpGroupNonUniformShuffle %uint %subgroup_scope %carried %last_lane
                        OpStore %carry %carry_out
                        OpBranch %level_1_next
%level_1_next         = OpLabel
%chunk_old            = OpLoad %uint %chunk
%chunk_new            = OpIAdd %uint %chunk_old %one
                        OpStore %chunk %chunk_new
                        OpBranch %level_1
%level_1_done         = OpLabel
                        OpBranch %level_1_left
%level_1_left         = OpLabel

; The scanned totals are in shared memory before anybody reads them.
                        OpControlBarrier %workgroup_scope %workgroup_scope %acquire_release_shared

; The combine loop: each register takes in what lies to the left of its subgroup's part of the
; round.
                        OpStore %round %zero
                        OpBranch %combine
%combine              = OpLabel
                        OpLoopMerge %combine_done %combine_next Unroll
                        OpBranch %combine_test
%combine_test         = OpLabel
%round_2_tested       = OpLoad %uint %round
%round_2_exists       = OpULessThan %bool %round_2_tested %round_count
                        OpBranchConditional %round_2_exists %combine_body %combine_done
%combine_body         = OpLabel
%round_2              = OpLoad %uint %round
%round_2_start        = OpIMul %uint %round_2 %workgroup_width
%index_2              = OpIAdd %uint %round_2_start %invocation
                        OpStore %index %index_2
%element_2            = OpFunctionCall %uint %get %registers_used %index
                        OpStore %element %element_2

#ifdef MODE_REDUCE
; The total of everything, which is the last of the totals: each element becomes its subgroup's
; reduction combined with the workgroup's, so that every lane of every round shows in the output.
%partial_2            = OpAccessChain %shared_uint %partials %last_partial
%partial_left         = OpLoad %uint %partial_2
                        OpStore %left %partial_left
#else
; The total of all positions before this one; the very first position has none.
%round_2_partials     = OpIMul %uint %round_2 %subgroup_count
%position             = OpIAdd %uint %round_2_partials %subgroup
%is_first_position    = OpIEqual %bool %position %zero
                        OpSelectionMerge %left_known None
                        OpBranchConditional %is_first_position %left_is_identity %left_is_partial
%left_is_identity     = OpLabel
                        OpStore %left IDENTITY
                        OpBranch %left_known
%left_is_partial      = OpLabel
%left_position        = OpISub %uint %position %one
%partial_2            = OpAccessChain %shared_uint %partials %left_position
%partial_left         = OpLoad %uint %partial_2
                        OpStore %left %partial_left
                        OpBranch %left_known
%left_known           = OpLabel
#endif
#ifdef MODE_EXCLUSIVE
; Exclusive: the element to the left takes this one's place. The original has no barrier before this
; shuffle, not even in its newest version.
%neighbour            = OpGroupNonUniformShuffleUp %uint %subgroup_scope %element_2 %one
%combine_is_lane_zero = OpIEqual %bool %lane %zero
%previous             = OpSelect %uint %combine_is_lane_zero IDENTITY %neighbour
                        OpStore %element %previous
#endif
%left_used            = OpLoad %uint %left
%element_2_right      = OpLoad %uint %element
%element_2_new        = COMBINE(%left_used, %element_2_right)
                        OpStore %element %element_2_new
%stored_2             = OpFunctionCall %void %set %registers_used %index %element
                        OpBranch %combine_next
%combine_next         = OpLabel
%round_2_old          = OpLoad %uint %round
%round_2_new          = OpIAdd %uint %round_2_old %one
                        OpStore %round %round_2_new
                        OpBranch %combine
%combine_done         = OpLabel
                        OpReturn
                        OpFunctionEnd
