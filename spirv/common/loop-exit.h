; SPDX-License-Identifier: Apache-2.0
;
; The loop of the family loop-exit, from the label %entry on. It could go round eight times. The whole
; workgroup leaves it in the first round, by the block %leave, because word 0 of `input` is not 0:
;
;     uint v = own;
;     for (uint round = 0; round < 8; round++) {
;         if (input[0] != 0) { if (takes_part) v = input[place ^ 2]; break; }
;         v += input[round];
;     }
;
; The test defines WORK, which gives %taken_part: what a lane that takes part computes of %value. The axis
; `place` says where that work stands:
;   exit      in a branch, in the block that leaves the loop
;   behind    in a branch behind the loop
;   select    in the block that leaves, without a branch: all lanes compute it, a select keeps or drops it
;   no-loop   in a branch, in a selection on word 0 without a loop around it
; %takes_part has to be computed before. Behind the file the variable %value is what each lane has.

; The branch: lanes that take part compute their value, the others keep theirs.
#ifdef PLACE_SELECT
#define TAKE_PART \
%before               = OpLoad %uint %value \
                        WORK \
%kept_or_taken        = OpSelect %uint %takes_part %taken_part %before \
                        OpStore %value %kept_or_taken
#else
#define TAKE_PART \
                        OpSelectionMerge %taken None \
                        OpBranchConditional %takes_part %take %taken \
%take                 = OpLabel \
                        WORK \
                        OpStore %value %taken_part \
                        OpBranch %taken \
%taken                = OpLabel
#endif

; All invocations load the same word, which nobody stores to.
%first_word_at        = OpAccessChain %word_pointer %input %buffer_words %zero
                        OpStore %value %own
#ifdef PLACE_NO_LOOP
%first_word           = OpLoad %uint %first_word_at
%leaves               = OpINotEqual %bool %first_word %zero
                        OpSelectionMerge %done None
                        OpBranchConditional %leaves %leave %done
%leave                = OpLabel
                        TAKE_PART
                        OpBranch %done
#else
                        OpBranch %loop
%loop                 = OpLabel
%round                = OpPhi %uint %zero %entry %round_next %next
%goes_on              = OpULessThan %bool %round %rounds
                        OpLoopMerge %done %next None
                        OpBranchConditional %goes_on %body %done

; The exit.
%body                 = OpLabel
%first_word           = OpLoad %uint %first_word_at
%leaves               = OpINotEqual %bool %first_word %zero
                        OpSelectionMerge %stays None
                        OpBranchConditional %leaves %leave %stays
%leave                = OpLabel
#ifndef PLACE_BEHIND
                        TAKE_PART
#endif
#ifdef SYNC_IN_EXIT
                        OpMemoryBarrier %subgroup_scope %acquire_release_shared
#endif
                        OpBranch %done

; Nobody comes here.
%stays                = OpLabel
%round_word_at        = OpAccessChain %word_pointer %input %buffer_words %round
%round_word           = OpLoad %uint %round_word_at
%value_before         = OpLoad %uint %value
%value_next           = OpIAdd %uint %value_before %round_word
                        OpStore %value %value_next
                        OpBranch %next
%next                 = OpLabel
%round_next           = OpIAdd %uint %round %one
                        OpBranch %loop
#endif
%done                 = OpLabel
#ifdef PLACE_BEHIND
                        TAKE_PART
#endif
