; SPDX-License-Identifier: Apache-2.0
;
; After the loop of a loop test, under pressure (pressure.h): what a lane received in the last
; iteration, which the loop carries as %last_received, is released and stored once more.

#ifdef UNDER_PRESSURE
%last_iteration       = OpISub %uint %instance_words %subgroup_size
%last_index           = OpIAdd %uint %own_start %last_iteration
%last_word            = OpAccessChain %word_pointer %output %buffer_words %last_index
                        RELEASE_TO(%last_word, %last_received)
#endif
