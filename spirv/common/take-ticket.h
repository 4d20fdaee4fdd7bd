; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of the smaller look-back scans: who this invocation is, and the tile that its
; workgroup takes, %tile_number. A ticket says which, so that all tiles before it belong to workgroups
; that have started. The workgroup's number would promise nothing of the kind.

%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%subgroup_begin       = OpIMul %uint %subgroup %subgroup_size
%invocation           = OpIAdd %uint %subgroup_begin %lane
%is_first             = OpIEqual %bool %invocation %zero
                        OpSelectionMerge %ticket_taken None
                        OpBranchConditional %is_first %take_ticket %ticket_taken
%take_ticket          = OpLabel
%ticket_at            = OpAccessChain %word_pointer %state %buffer_words %ticket_word
%ticket               = OpAtomicIAdd %uint %ticket_at %device_scope %no_semantics %one
                        OpStore %shared_tile %ticket NON_PRIVATE
                        OpBranch %ticket_taken
%ticket_taken         = OpLabel
                        OpControlBarrier %workgroup_scope %workgroup_scope %barrier_semantics
%tile_number          = OpLoad %uint %shared_tile NON_PRIVATE
