; SPDX-License-Identifier: Apache-2.0
;
; After the loop of a loop test, under pressure (pressure.h): what a lane received in the last
; iteration, which the loop carries as %last_received, is released and stored once more. EXCHANGED_WORDS is
; how many words of an instance the lanes received, if that is not all of them.

#ifdef UNDER_PRESSURE
#ifndef EXCHANGED_WORDS
#define EXCHANGED_WORDS %instance_words
#endif
%last_iteration       = OpISub %uint EXCHANGED_WORDS %subgroup_size
%last_index           = OpIAdd %uint %own_start %last_iteration
%last_word            = OpAccessChain %word_pointer %output %buffer_words %last_index
                        RELEASE_TO(%last_word, %last_received)
#endif
