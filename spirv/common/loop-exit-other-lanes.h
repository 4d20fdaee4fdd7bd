; SPDX-License-Identifier: Apache-2.0
;
; The branch of most tests of the family loop-exit (loop-exit.h): lanes other than the first take part.
; They load the word of the lane two away, so that no two lanes of a quad have the same value.
%takes_part           = OpINotEqual %bool %lane %zero
%far_place            = OpBitwiseXor %uint %place %two
%far_at               = OpAccessChain %word_pointer %input %buffer_words %far_place
#define WORK %taken_part = OpLoad %uint %far_at
