; SPDX-License-Identifier: Apache-2.0
;
; The tests of the family `sync-matrix`, last page: from the operation's %result to the end of the kernel.

%own_start            = OpIAdd %uint %instance_start %lane
%result_index         = OpIAdd %uint %own_start %iteration_start
%result_word          = OpAccessChain %word_pointer %output %buffer_words %result_index
                        OpStore %result_word %result

; The tail: the elected lane alone works for `weight` rounds and keeps what it made in shared memory.
                        OpSelectionMerge %tail_done None
                        OpBranchConditional %is_elected %tail %tail_done
%tail                 = OpLabel
%work_start           = OpBitwiseXor %uint %first_work %result
                        OpBranch %work_loop
%work_loop            = OpLabel
%work_round           = OpPhi %uint %zero %tail %work_round_next %work_next
%work                 = OpPhi %uint %work_start %tail %work_result %work_next
                        OpLoopMerge %work_done %work_next None
                        OpBranch %work_test
%work_test            = OpLabel
%work_goes_on         = OpULessThan %bool %work_round %weight
                        OpBranchConditional %work_goes_on %work_body %work_done
%work_body            = OpLabel
%work_product         = OpIMul %uint %work %multiplier
%work_result          = OpIAdd %uint %work_product %increment
                        OpBranch %work_next
%work_next            = OpLabel
%work_round_next      = OpIAdd %uint %work_round %one
                        OpBranch %work_loop
%work_done            = OpLabel
%work_kept            = OpAccessChain %shared_uint %works %subgroup
                        OpStore %work_kept %work
                        OpBranch %tail_done

; Here the subgroup comes together for the next iteration.
%tail_done            = OpLabel
#ifdef SYNC_WORKGROUP
                        OpControlBarrier %workgroup_scope %workgroup_scope %acquire_release_shared
#endif
                        OpBranch %loop_next
%loop_next            = OpLabel
%iteration_next       = OpIAdd %uint %iteration %one
                        OpBranch %loop
%loop_done            = OpLabel

; ---- After the loop ------------------------------------------------------------------------------
; The elected lane hands its work out, so that no compiler may drop it. Nobody looks at it.
                        OpSelectionMerge %work_out_done None
                        OpBranchConditional %is_elected %work_out %work_out_done
%work_out             = OpLabel
%work_read            = OpAccessChain %shared_uint %works %subgroup
%work_value           = OpLoad %uint %work_read
%work_index           = OpIAdd %uint %one %instance
%work_word            = OpAccessChain %word_pointer %state %buffer_words %work_index
                        OpStore %work_word %work_value
                        OpBranch %work_out_done
%work_out_done        = OpLabel
                        OpReturn
                        OpFunctionEnd
