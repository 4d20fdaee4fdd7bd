; SPDX-License-Identifier: Apache-2.0

; What is scanned, and by which operation. COMBINE(to, a, b) has what is before on the left, which matters if
; IN_ORDER is defined; REDUCE makes one of what all lanes have, in any order.
#if defined(OPERATION_FADD)
%value                = OpTypeFloat 32
%values               = OpTypeVector %value 4
%identity             = OpConstant %value 0
#define COMBINE(to, a, b) to = OpFAdd %value a b
#define COMBINE_VECTORS(to, a, b) to = OpFAdd %values a b
#define REDUCE(to, from) to = OpGroupNonUniformFAdd %value %subgroup_scope Reduce from
#define AS_WORD(to, from) to = OpBitcast %uint from
#define FROM_WORD(to, from) to = OpBitcast %value from

#elif defined(OPERATION_MAX)
#define value uint
#define values uint4
%identity             = OpConstant %uint 0x80000000
#define COMBINE(to, a, b) to = OpExtInst %uint %glsl SMax a b
#define COMBINE_VECTORS(to, a, b) to = OpExtInst %uint4 %glsl SMax a b
#define REDUCE(to, from) to = OpGroupNonUniformSMax %uint %subgroup_scope Reduce from

; Bit 31 of a sum says that it begins at a head, so that what is before it does not matter.
#elif defined(OPERATION_SEGMENTED)
#define IN_ORDER
#define value uint
#define values uint4
#define identity zero
%head_bit             = OpConstant %uint 0x80000000
%value_bits           = OpConstant %uint 0x7FFFFFFF
%head_bits            = OpConstantComposite %uint4 %head_bit %head_bit %head_bit %head_bit
%all_value_bits       = OpConstantComposite %uint4 %value_bits %value_bits %value_bits %value_bits
#define COMBINE(to, a, b) COMBINE_NOW(to, a, b, %uint, %bool, %value_bits, %head_bit, %zero)
#define COMBINE_VECTORS(to, a, b) COMBINE_NOW(to, a, b, %uint4, %bools, %all_value_bits, %head_bits, %identities)
#define COMBINE_NOW(to, a, b, type, truth, value_part, head_part, none) \
    to##_added = OpIAdd type a b \
    to##_values = OpBitwiseAnd type to##_added value_part \
    to##_head = OpBitwiseAnd type a head_part \
    to##_further = OpBitwiseOr type to##_values to##_head \
    to##_anew = OpSLessThan truth b none \
    to = OpSelect type to##_anew b to##_further
; Of what ADD_ROW made: either all lanes have the bit or none has.
#define REDUCE(to, from) REDUCE_NOW(to, from)
#define REDUCE_NOW(to, from) \
    to##_all = OpGroupNonUniformIAdd %uint %subgroup_scope Reduce from \
    to##_values = OpBitwiseAnd %uint to##_all %value_bits \
    to##_head = OpBitwiseAnd %uint from %head_bit \
    to = OpBitwiseOr %uint to##_values to##_head
#define AS_WORD(to, from) to = OpBitwiseAnd %uint from %value_bits
#define AS_WORDS(to, from) to = OpBitwiseAnd %uint4 from %all_value_bits

#else
#ifdef OPERATION_ADD64
#define TWO_ELEMENTS
%value                = OpTypeInt 64 0
%values               = OpTypeVector %value 2
%identity             = OpConstant %value 0
#else
#define value uint
#define values uint4
#define identity zero
#endif
#define HAS_INVERSE
#define COMBINE(to, a, b) to = OpIAdd %value a b
#define COMBINE_VECTORS(to, a, b) to = OpIAdd %values a b
#define REDUCE(to, from) to = OpGroupNonUniformIAdd %value %subgroup_scope Reduce from
#endif

; As it is published and stored.
#ifndef AS_WORD
#define AS_WORD(to, from) to = OpCopyObject %value from
#endif
#ifndef AS_WORDS
#define AS_WORDS(to, from) to = OpCopyObject %values from
#endif
#ifndef FROM_WORD
#define FROM_WORD(to, from) to = OpCopyObject %value from
#endif

; The sum of row after row, of which each lane has one value, in a form that REDUCE makes one sum of. Where
; sums begin at heads a row with a head counts from its last one on, and nothing before it. A tile with a
; head knows its sum up to its end.
#ifdef IN_ORDER
#define ADD_ROW(to, before, row) ADD_ROW_NOW(to, before, row)
#define ADD_ROW_NOW(to, before, row) \
    to##_is_head = OpSLessThan %bool row %zero \
    to##_has_head = OpGroupNonUniformAny %bool %subgroup_scope to##_is_head \
    to##_heads = OpGroupNonUniformBallot %uint4 %subgroup_scope to##_is_head \
    to##_last = OpGroupNonUniformBallotFindMSB %uint %subgroup_scope to##_heads \
    to##_counts = OpUGreaterThanEqual %bool %lane to##_last \
    to##_counted = OpSelect %uint to##_counts row %zero \
    to##_from_head = OpBitwiseOr %uint to##_counted %head_bit \
    COMBINE(to##_on, before, row) \
    to = OpSelect %uint to##_has_head to##_from_head to##_on
#define KIND_OF(to, sum) \
    to##_is_through = OpSLessThan %bool sum %zero \
    to = OpSelect %uint to##_is_through %through %alone
#else
#define ADD_ROW COMBINE
#define KIND_OF(to, sum) to = OpCopyObject %uint %alone
#endif

; A vector of four words has four elements or two.
#ifdef TWO_ELEMENTS
#define ALL(element) element element
#define LAST_ELEMENT 1
%bools                = OpTypeVector %bool 2
#else
#define ALL(element) element element element element
#define LAST_ELEMENT 3
%bools                = OpTypeVector %bool 4
#endif
