; SPDX-License-Identifier: Apache-2.0
;
; Waiting with a bound, for the family `progress`: after interface-types.h. A loop that waits ends with
;     WAITS_NO_LONGER(IS_OVER, LOOKS, BOUND)
; which makes %waits_no_longer of whether what it waited for is there, whether it has looked as often as
; the bound, and whether anybody has given up already: one wait that runs out ends them all.
;     GIVE_UP
; says in word 0 of `state` that a wait ran out. A poll is atomic: a plain load might be taken out of the loop.

%acquire_buffer       = OpConstant %uint 0x42   ; Acquire | UniformMemory
%release_buffer       = OpConstant %uint 0x44   ; Release | UniformMemory
%gave_up_word         = OpConstant %uint 0

#define WAITS_NO_LONGER(is_over, looks, bound) \
    %gave_up_at         = OpAccessChain %word_pointer %state %buffer_words %gave_up_word \
    %gave_up            = OpAtomicLoad %uint %gave_up_at %device_scope %no_semantics \
    %some_gave_up       = OpINotEqual %bool %gave_up %zero \
    %bound_is_reached   = OpUGreaterThanEqual %bool %looks %bound \
    %waits_in_vain      = OpLogicalOr %bool %some_gave_up %bound_is_reached \
    %waits_no_longer    = OpLogicalOr %bool %is_over %waits_in_vain

#define GIVE_UP \
    %giving_up_at       = OpAccessChain %word_pointer %state %buffer_words %gave_up_word \
                          OpAtomicStore %giving_up_at %device_scope %no_semantics %one
