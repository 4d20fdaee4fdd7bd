; SPDX-License-Identifier: Apache-2.0
;
; Storing what a lane received in an iteration of a loop test: %received, by %iteration, from %own_start
; on (round-input.h).

%iteration_start      = OpIMul %uint %iteration %subgroup_size
%received_index       = OpIAdd %uint %own_start %iteration_start
%received_word        = OpAccessChain %word_pointer %output %buffer_words %received_index
                        OpStore %received_word %received
