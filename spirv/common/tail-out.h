; SPDX-License-Identifier: Apache-2.0
;
; After the loop: a lane that worked (HANDS_OUT) hands out what it kept in shared memory, KEPT_COUNT words
; from %kept_start on, to `output` from %tail_start on. KEPT_COUNT is known to the run alone: no compiler
; can unroll this loop and take the words out of registers.

                        OpSelectionMerge %handed_out None
                        OpBranchConditional HANDS_OUT %hand_out %handed_out
%hand_out             = OpLabel
                        OpBranch %hands
%hands                = OpLabel
%handed               = OpPhi %uint %zero %hand_out %handed_next %hands_next
                        OpLoopMerge %hands_done %hands_next None
                        OpBranch %hands_test
%hands_test           = OpLabel
%hands_on             = OpULessThan %bool %handed KEPT_COUNT
                        OpBranchConditional %hands_on %hands_body %hands_done
%hands_body           = OpLabel
%handed_slot          = OpIAdd %uint %kept_start %handed
%handed_at            = OpAccessChain %shared_uint %works %handed_slot
%handed_value         = OpLoad %uint %handed_at
%handed_index         = OpIAdd %uint %tail_start %handed
%handed_word          = OpAccessChain %word_pointer %output %buffer_words %handed_index
                        OpStore %handed_word %handed_value
                        OpBranch %hands_next
%hands_next           = OpLabel
%handed_next          = OpIAdd %uint %handed %one
                        OpBranch %hands
%hands_done           = OpLabel
                        OpBranch %handed_out
%handed_out           = OpLabel
