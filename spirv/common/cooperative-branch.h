; SPDX-License-Identifier: Apache-2.0
;
; before=branch: some lanes, by their words, come later than the others, which meet them behind it.

#ifdef BEFORE_BRANCH
%odd_bit              = OpBitwiseAnd %uint %own %one
%is_odd               = OpINotEqual %bool %odd_bit %zero
                        OpSelectionMerge %together None
                        OpBranchConditional %is_odd %apart %together
%apart                = OpLabel
%counter              = OpAccessChain %word_pointer %state %buffer_words %one
%counted              = OpAtomicIAdd %uint %counter %device_scope %no_semantics %one
                        OpBranch %together
%together             = OpLabel
#endif
