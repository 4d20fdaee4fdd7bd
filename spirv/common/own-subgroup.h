; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of a kernel whose instances are subgroups: who the invocation is, and the
; number of its subgroup among those of the whole dispatch.

%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%last_lane            = OpISub %uint %subgroup_size %one
%group_id             = OpLoad %uint3 %workgroup_input
%group                = OpCompositeExtract %uint %group_id 0
%subgroups_per_group  = OpUDiv %uint %workgroup_width %subgroup_size
%first_subgroup       = OpIMul %uint %group %subgroups_per_group
%instance             = OpIAdd %uint %first_subgroup %subgroup
