; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of the kernels of the family `divergence`: this invocation's subgroup among those
; of the dispatch, the subgroup's words in `output` (%seen_at) and `state` (%order_at), and the lane's word
; of the input (%word), which the compiler cannot know.

%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%workgroup_id         = OpLoad %uint3 %workgroup_input
%workgroup            = OpCompositeExtract %uint %workgroup_id 0
%subgroups            = OpUDiv %uint %workgroup_width %subgroup_size
%subgroups_before     = OpIMul %uint %workgroup %subgroups
%instance             = OpIAdd %uint %subgroups_before %subgroup
%seen_at              = OpAccessChain %word_pointer %output %buffer_words %instance
%order_place          = OpIAdd %uint %one %instance
%order_at             = OpAccessChain %word_pointer %state %buffer_words %order_place
%word_at              = OpAccessChain %word_pointer %input %buffer_words %lane
%word                 = OpLoad %uint %word_at
