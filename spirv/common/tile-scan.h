; SPDX-License-Identifier: Apache-2.0
;
; What the smaller look-back scans share, second half: from %invocation and %tile_number to
; %through_this, the sum of the tile's elements up to this invocation's, and %tile_sum, that of all. By
; Hillis and Steele in shared memory: in each round the one twice as far to the left is added. The
; block that follows is entered by the whole workgroup, behind a barrier.

; The last tile may be only partly there: an element beyond the end is read as the first one and
; counted as zero, so that no invocation takes another way.
%elements_at          = OpAccessChain %push_uint %push %elements
%element_count        = OpLoad %uint %elements_at
%tile_begin           = OpIMul %uint %tile_number %workgroup_width
%place                = OpIAdd %uint %tile_begin %invocation
%exists               = OpULessThan %bool %place %element_count
%safe_place           = OpSelect %uint %exists %place %zero
%input_at             = OpAccessChain %word_pointer %input %buffer_words %safe_place
%input_word           = OpLoad %uint %input_at
%element              = OpSelect %uint %exists %input_word %zero

%own_place_at         = OpAccessChain %shared_pointer %places %invocation
                        OpStore %own_place_at %element NON_PRIVATE
                        OpBranch %scan_begin
%scan_begin           = OpLabel
                        OpBranch %next_round

%next_round           = OpLabel
%reach                = OpPhi %uint %one %scan_begin %reach_after %round_done
%through_this         = OpPhi %uint %element %scan_begin %through_this_after %round_done
%has_round            = OpULessThan %bool %reach %workgroup_width
                        OpLoopMerge %scan_done %round_done None
                        OpBranchConditional %has_round %round %scan_done
%round                = OpLabel
                        OpControlBarrier %workgroup_scope %workgroup_scope %barrier_semantics
%has_left             = OpUGreaterThanEqual %bool %invocation %reach
%left_place           = OpISub %uint %invocation %reach
%safe_left_place      = OpSelect %uint %has_left %left_place %zero
%left_at              = OpAccessChain %shared_pointer %places %safe_left_place
%left_word            = OpLoad %uint %left_at NON_PRIVATE
%left                 = OpSelect %uint %has_left %left_word %zero
%through_this_after   = OpIAdd %uint %left %through_this
                        OpControlBarrier %workgroup_scope %workgroup_scope %barrier_semantics
                        OpStore %own_place_at %through_this_after NON_PRIVATE
                        OpBranch %round_done
%round_done           = OpLabel
%reach_after          = OpShiftLeftLogical %uint %reach %one
                        OpBranch %next_round
%scan_done            = OpLabel
                        OpControlBarrier %workgroup_scope %workgroup_scope %barrier_semantics
%last_place_at        = OpAccessChain %shared_pointer %places %last_invocation
%tile_sum             = OpLoad %uint %last_place_at NON_PRIVATE
