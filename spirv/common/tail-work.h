; SPDX-License-Identifier: Apache-2.0
;
; The work of a lane that works alone, from WORK_START in the block WORK_FROM on: %weight rounds of a
; generator of random numbers, %worked in the block %work_done in the end.

                        OpBranch %work_loop
%work_loop            = OpLabel
%work_round           = OpPhi %uint %zero WORK_FROM %work_round_next %work_next_round
%worked               = OpPhi %uint WORK_START WORK_FROM %worked_next %work_next_round
                        OpLoopMerge %work_done %work_next_round None
                        OpBranch %work_test
%work_test            = OpLabel
%work_goes_on         = OpULessThan %bool %work_round %weight
                        OpBranchConditional %work_goes_on %work_body %work_done
%work_body            = OpLabel
%work_product         = OpIMul %uint %worked %multiplier
%work_sum             = OpIAdd %uint %work_product %increment
%work_shifted         = OpShiftRightLogical %uint %work_sum %work_shift
%worked_next          = OpBitwiseXor %uint %work_sum %work_shifted
                        OpBranch %work_next_round
%work_next_round      = OpLabel
%work_round_next      = OpIAdd %uint %work_round %one
                        OpBranch %work_loop
%work_done            = OpLabel
