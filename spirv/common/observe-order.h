; SPDX-License-Identifier: Apache-2.0
;
; Which of two pieces of code a subgroup executes first, seen without any subgroup operation: after
; interface-types.h. In each piece one invocation, the speaker, draws two numbers, at its beginning and at
; its end, from a word that the subgroup has to itself. The pieces do so by different atomic operations,
; so that no compiler makes one piece of them; each sets bits of its own, and the word that it found says
; what the other had done by then:
;     FIRST_DRAWS   sets bits 0 and 1; adds to the output 0x100, and the bits of the second that it found
;                   at its beginning (bits 0, 1) and at its end (bits 2, 3)
;     SECOND_DRAWS  sets bits 2 and 3; adds 0x200 to the output
; Before the run the output is the poison: the oracle tells from the sum whether both were there, and in
; which order. The speakers are chosen by the input, not elected, so that they are the same however the
; subgroup is split. A lane's word: bit 0 says which piece it takes, bit 1 that it is the speaker of its
; piece.

%four                 = OpConstant %uint 4
%eight                = OpConstant %uint 8
%two_bits             = OpConstant %uint 3
%first_was_here       = OpConstant %uint 0x100
%second_was_here      = OpConstant %uint 0x200

#define FIRST_DRAWS \
    %begin_found          = OpAtomicOr %uint %order_at %workgroup_scope %no_semantics %one \
    %end_found            = OpAtomicOr %uint %order_at %workgroup_scope %no_semantics %two \
    %begin_high           = OpShiftRightLogical %uint %begin_found %two \
    %begin_bits           = OpBitwiseAnd %uint %begin_high %two_bits \
    %end_high             = OpShiftRightLogical %uint %end_found %two \
    %end_bits             = OpBitwiseAnd %uint %end_high %two_bits \
    %end_above            = OpShiftLeftLogical %uint %end_bits %two \
    %found                = OpBitwiseOr %uint %begin_bits %end_above \
    %first_report         = OpIAdd %uint %first_was_here %found \
    %first_sum            = OpAtomicIAdd %uint %seen_at %workgroup_scope %no_semantics %first_report

#define SECOND_DRAWS \
    %begin_before         = OpAtomicIAdd %uint %order_at %workgroup_scope %no_semantics %four \
    %end_before           = OpAtomicIAdd %uint %order_at %workgroup_scope %no_semantics %eight \
    %second_sum           = OpAtomicIAdd %uint %seen_at %workgroup_scope %no_semantics %second_was_here
