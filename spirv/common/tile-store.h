; SPDX-License-Identifier: Apache-2.0
;
; The end of the smaller look-back scans: from %before_tile, the sum of all tiles before this one, and
; %gave_up, to the end of %main. Stores the sum up to this invocation's element if there is one;
; nothing, if the search was given up.

%is_known             = OpIEqual %bool %gave_up %zero
%is_stored            = OpLogicalAnd %bool %is_known %exists
%result               = OpIAdd %uint %before_tile %through_this
                        OpSelectionMerge %stored None
                        OpBranchConditional %is_stored %store %stored
%store                = OpLabel
%output_at            = OpAccessChain %word_pointer %output %buffer_words %place
                        OpStore %output_at %result
                        OpBranch %stored
%stored               = OpLabel
                        OpReturn
                        OpFunctionEnd
