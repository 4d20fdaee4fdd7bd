; SPDX-License-Identifier: Apache-2.0
;
; What a lane of a loop test begins with, after own-subgroup.h: the lane that it reads from, its left
; neighbour, around the end of the subgroup; its tag of iteration 0, which names the lane; whether it is
; one of those that work in the tail; and where it stores what it received and what came of its work.

; The lane to read from.
%lane_and_last        = OpIAdd %uint %lane %last_lane
%neighbour            = OpBitwiseAnd %uint %lane_and_last %last_lane

; `input`: the tag of each lane, then a word for each that is not zero if it works in the tail.
%first_tag_word       = OpAccessChain %word_pointer %input %buffer_words %lane
%first_tag            = OpLoad %uint %first_tag_word
%worker_index         = OpIAdd %uint %subgroup_size %lane
%worker_word          = OpAccessChain %word_pointer %input %buffer_words %worker_index
%worker               = OpLoad %uint %worker_word
%is_worker            = OpINotEqual %bool %worker %zero

; `output`: for each subgroup and iteration a word for each lane.
%instance_words       = OpIMul %uint %iterations %subgroup_size
%instance_start       = OpIMul %uint %instance %instance_words
%own_start            = OpIAdd %uint %instance_start %lane

; `state`: after its first word, one for each invocation.
%local_start          = OpIMul %uint %subgroup %subgroup_size
%local_invocation     = OpIAdd %uint %local_start %lane
%lanes_before         = OpIMul %uint %instance %subgroup_size
%invocation           = OpIAdd %uint %lanes_before %lane
%work_index           = OpIAdd %uint %invocation %one
%work_word            = OpAccessChain %word_pointer %state %buffer_words %work_index
