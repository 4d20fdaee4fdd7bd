; SPDX-License-Identifier: Apache-2.0
;
; The sum of one value from each invocation of a workgroup, for the family `scan`: behind subgroup-scan.h
; with MODE_REDUCE. All invocations call
;     %workgroup_sum = OpFunction SCALAR None %lanes_function
; together, and all get the sum. Each subgroup reduces its lanes, the last lane leaves the total in %totals,
; and behind a barrier every subgroup reduces the totals for itself, so that nobody takes another way. A
; second call needs a barrier before it. The test defines MEET, the barrier between the two, and NON_PRIVATE,
; and declares %totals in Workgroup memory, %total_pointer to one of them, and %total_count.

%workgroup_sum        = OpFunction SCALAR None %lanes_function
%workgroup_value      = OpFunctionParameter SCALAR
%workgroup_sum_begin  = OpLabel
%sum_lane             = OpLoad %uint %lane_input
%sum_subgroup         = OpLoad %uint %subgroup_input
%subgroup_total       = OpFunctionCall SCALAR %reduce_lanes %workgroup_value
%leaves_total         = OpIEqual %bool %sum_lane %last_lane
                        OpSelectionMerge %total_left None
                        OpBranchConditional %leaves_total %leave_total %total_left
%leave_total          = OpLabel
%total_at             = OpAccessChain %total_pointer %totals %sum_subgroup
                        OpStore %total_at %subgroup_total NON_PRIVATE
                        OpBranch %total_left
%total_left           = OpLabel
                        MEET
                        OpBranch %strips

; There may be more totals than lanes: each lane gathers every so many of them.
%strips               = OpLabel
%strip                = OpPhi %uint %zero %total_left %strip_after %strip_added
%gathered             = OpPhi SCALAR IDENTITY %total_left %gathered_after %strip_added
%has_strip            = OpULessThan %bool %strip %total_count
                        OpLoopMerge %strips_done %strip_added None
                        OpBranchConditional %has_strip %add_strip %strips_done
%add_strip            = OpLabel
%strip_index          = OpIAdd %uint %strip %sum_lane
%is_total             = OpULessThan %bool %strip_index %total_count
%safe_index           = OpSelect %uint %is_total %strip_index %zero
%strip_at             = OpAccessChain %total_pointer %totals %safe_index
%strip_total          = OpLoad SCALAR %strip_at NON_PRIVATE
%strip_counted        = OpSelect SCALAR %is_total %strip_total IDENTITY
%gathered_after       = COMBINE(%gathered, %strip_counted)
                        OpBranch %strip_added
%strip_added          = OpLabel
%strip_after          = OpIAdd %uint %strip %subgroup_size
                        OpBranch %strips
%strips_done          = OpLabel
%sum_of_totals        = OpFunctionCall SCALAR %reduce_lanes %gathered
                        OpReturnValue %sum_of_totals
                        OpFunctionEnd
