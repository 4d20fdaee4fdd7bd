; SPDX-License-Identifier: Apache-2.0
;
; How the shape under test is entered, from the block %entry on: its first block is %inside.
; With entry=workgroup by all. With entry=subgroup only some subgroups of a workgroup enter it: all lanes
; of a subgroup agree, so control flow stays uniform for the subgroup, but not for the workgroup. The test
; declares %enters_shift, and includes leave.h where the shape ends.

#ifdef ENTRY_SUBGROUP
%enters_bit           = OpShiftRightLogical %uint %word %enters_shift
%enters               = OpINotEqual %bool %enters_bit %zero
                        OpSelectionMerge %outside None
                        OpBranchConditional %enters %inside %outside
#else
                        OpBranch %inside
#endif
%inside               = OpLabel
