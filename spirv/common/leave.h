; SPDX-License-Identifier: Apache-2.0
;
; The end of what enter.h began: %outside is the merge block, where those subgroups that skipped the shape
; meet those that took it, and control flow is uniform again for the whole workgroup.

#ifdef ENTRY_SUBGROUP
                        OpBranch %outside
%outside              = OpLabel
%outside_mask         = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
RECORD(outside, %at_outside)
#endif
