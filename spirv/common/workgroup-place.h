; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of a kernel that gives each invocation of a workgroup one place: %invocation is its
; number in the workgroup, by subgroup and lane, %place its number in the dispatch.

%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%lanes_in_subgroup    = OpLoad %uint %subgroup_size_input
%workgroup_id         = OpLoad %uint3 %workgroup_input
%workgroup            = OpCompositeExtract %uint %workgroup_id 0
%lanes_before         = OpIMul %uint %subgroup %lanes_in_subgroup
%invocation           = OpIAdd %uint %lanes_before %lane
%invocations_before   = OpIMul %uint %workgroup %workgroup_width
%place                = OpIAdd %uint %invocations_before %invocation
