; SPDX-License-Identifier: Apache-2.0
;
; The tail of the families `loop` and `sync-matrix`: what a lane does alone at the end of a round. After
; interface-types.h.
;
; The tail works on a number that it carries from round to round. With MOST_ROUNDS defined, the most rounds
; that there are, it can keep the number of each round in a word of shared memory of its own, which tail-out.h
; hands out after the loop: every store is read, and every round depends on the round before. At most half of
; the lanes of a subgroup work.

; One step of the work: the number times %multiplier and plus something. Rounds of %multiplier, %increment
; and a shift are no linear function, so that no compiler makes one step of several.
%multiplier           = OpConstant %uint 1664525
%increment            = OpConstant %uint 1013904223
%work_shift           = OpConstant %uint 15

#ifdef MOST_ROUNDS
%words_of_all_lanes   = OpSpecConstantOp %uint IMul %workgroup_width MOST_ROUNDS
%kept_words           = OpSpecConstantOp %uint UDiv %words_of_all_lanes %two
%shared_uints         = OpTypeArray %uint %kept_words
%shared_works         = OpTypePointer Workgroup %shared_uints
%shared_uint          = OpTypePointer Workgroup %uint
%works                = OpVariable %shared_works Workgroup
#endif
