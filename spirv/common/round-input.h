; SPDX-License-Identifier: Apache-2.0
;
; What a lane of a loop test begins with, after own-subgroup.h: the lane that it reads from, its left
; neighbour, around the end of the subgroup; its tag of iteration 0, which names the lane; whether it is
; one of those that work in the tail; and where it stores what it received and what came of its work.

; The lane to read from.
%lane_and_last        = OpIAdd %uint %lane %last_lane
%neighbour            = OpBitwiseAnd %uint %lane_and_last %last_lane

; `input`: the tag of each lane; then a word for each, 1, 2 and so on for those that work in the tail and
; zero for the others; then how many words each worker hands out after the loop.
%first_tag_word       = OpAccessChain %word_pointer %input %buffer_words %lane
%first_tag            = OpLoad %uint %first_tag_word
%worker_index         = OpIAdd %uint %subgroup_size %lane
%worker_word          = OpAccessChain %word_pointer %input %buffer_words %worker_index
%worker               = OpLoad %uint %worker_word
%kept_count_index     = OpIMul %uint %subgroup_size %two
%kept_count_word      = OpAccessChain %word_pointer %input %buffer_words %kept_count_index
%kept_count           = OpLoad %uint %kept_count_word

; The number of the invocation among those of the whole dispatch.
%lanes_before         = OpIMul %uint %instance %subgroup_size
%invocation           = OpIAdd %uint %lanes_before %lane

; `output`: for each subgroup and iteration a word for each lane, and then what the tails kept. The push
; constants say how many words that is.
%instance_words_slot  = OpAccessChain %push_uint %push %elements
%instance_words       = OpLoad %uint %instance_words_slot
%instance_start       = OpIMul %uint %instance %instance_words
%own_start            = OpIAdd %uint %instance_start %lane
#include "tail-place.h"
