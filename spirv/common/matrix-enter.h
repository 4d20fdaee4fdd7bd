; SPDX-License-Identifier: Apache-2.0
;
; The tests of the family `sync-matrix`, second page: from the start of the kernel to the operation in
; question. Every lane has %value, its number in this iteration.

#include "pressure.h"
%main                 = OpFunction %void None %procedure
%main_entry           = OpLabel

; Who the invocation is, and its place in `output`: the subgroup's instance, iteration by
; iteration, and behind these what the tail kept in each.
#include "own-subgroup.h"
%iterations_slot      = OpAccessChain %push_uint %push %elements
%iterations           = OpLoad %uint %iterations_slot
%exchange_words       = OpIMul %uint %iterations %subgroup_size
#define EXCHANGED_WORDS %exchange_words
%instance_words       = OpIAdd %uint %exchange_words %iterations
%instance_start       = OpIMul %uint %instance %instance_words
%own_start            = OpIAdd %uint %instance_start %lane
%tail_start           = OpIAdd %uint %instance_start %exchange_words
%kept_start           = OpIMul %uint %subgroup %iterations
%is_elected           = OpIEqual %bool %lane %elected

; A number for the tail to work on: the last word of `input`.
%first_work_word      = OpAccessChain %word_pointer %input %buffer_words %exchange_words
%first_work           = OpLoad %uint %first_work_word
#ifdef UNDER_PRESSURE

; What is held during the loop.
%lanes_before         = OpIMul %uint %instance %subgroup_size
%invocation           = OpIAdd %uint %lanes_before %lane
                        HOLD(%invocation)
                        PRESS(%lane)
#endif
                        OpBranch %loop

; ---- The loop ------------------------------------------------------------------------------------
%loop                 = OpLabel
%iteration            = OpPhi %uint %zero %main_entry %iteration_next %loop_next
#ifdef UNDER_PRESSURE
%last_received        = OpPhi %uint %zero %main_entry %result %loop_next
#endif
%work                 = OpPhi %uint %first_work %main_entry %work_next %loop_next
                        OpLoopMerge %loop_done %loop_next None
                        OpBranch %loop_test
%loop_test            = OpLabel
%goes_on              = OpULessThan %bool %iteration %iterations
                        OpBranchConditional %goes_on %loop_body %loop_done
%loop_body            = OpLabel

; The lane's number in this iteration: a row of `input` for each, so that the compiler knows none.
%iteration_start      = OpIMul %uint %iteration %subgroup_size
%value_index          = OpIAdd %uint %iteration_start PRESSED(%lane)
%value_word           = OpAccessChain %word_pointer %input %buffer_words %value_index
%value                = OpLoad %uint %value_word

; The barrier in question, if there is one here.
#if defined(SYNC_MEMORY)
                        OpMemoryBarrier %subgroup_scope %acquire_shared
#elif defined(SYNC_CONTROL)
                        OpControlBarrier %subgroup_scope %subgroup_scope %no_semantics
#endif
