; SPDX-License-Identifier: Apache-2.0

; ---- The word of the input at an index ------------------------------------------------------------------
; Any 32 bits, so that sums of integers run over; or 1.0 or -1.0, whose sums are exact in whatever order they
; are added up, as long as none is beyond 2^24: of 2^32 words that is 256 times the standard deviation. Of
; segments bit 31 says where one begins: nowhere in three of four stretches of 2^17 words, so that there are
; segments of very many; in the others at every fourth word on average, in a quarter of the blocks of 1,024,
; or at every 4,096th. Which ones these are is spread by multiples of the golden ratio.
%hashing              = OpTypeFunction %uint %uint
%input_word           = OpFunction %uint None %hashing
%hashed_index         = OpFunctionParameter %uint
%hash_begin           = OpLabel
%hash_1               = OpIMul %uint %hashed_index %golden
%hash_2               = OpBitwiseXor %uint %hash_1 %seed
%hash_3               = OpShiftRightLogical %uint %hash_2 %sixteen
%hash_4               = OpBitwiseXor %uint %hash_2 %hash_3
%hash_5               = OpIMul %uint %hash_4 %mixing
%hash_6               = OpShiftRightLogical %uint %hash_5 %thirteen
%hash_7               = OpBitwiseXor %uint %hash_5 %hash_6
#ifdef OPERATION_FADD
%hash_sign            = OpShiftLeftLogical %uint %hash_7 %thirty_one
%hash_float           = OpBitwiseOr %uint %hash_sign %float_one
                        OpReturnValue %hash_float
#elif defined(OPERATION_SEGMENTED)
%head_stretch         = OpShiftRightLogical %uint %hashed_index %seventeen
%head_stretch_mixed   = OpIMul %uint %head_stretch %golden
%head_stretch_kind    = OpShiftRightLogical %uint %head_stretch_mixed %thirty
%has_heads            = OpIEqual %bool %head_stretch_kind %zero
%head_block           = OpShiftRightLogical %uint %hashed_index %ten
%head_block_mixed     = OpIMul %uint %head_block %golden
%head_block_kind      = OpShiftRightLogical %uint %head_block_mixed %thirty
%has_many             = OpIEqual %bool %head_block_kind %zero
%head_mask            = OpSelect %uint %has_many %every_fourth %every_4096th
%head_drawn           = OpBitwiseAnd %uint %hash_7 %head_mask
%is_drawn             = OpIEqual %bool %head_drawn %zero
%is_head              = OpLogicalAnd %bool %has_heads %is_drawn
%head_or_not          = OpSelect %uint %is_head %head_bit %zero
%hash_value           = OpBitwiseAnd %uint %hash_7 %value_bits
%hash_word            = OpBitwiseOr %uint %hash_value %head_or_not
                        OpReturnValue %hash_word
#else
                        OpReturnValue %hash_7
#endif
                        OpFunctionEnd

; The words of the vector at an index.
#define INPUT_VECTOR(index) \
    %word_0 = OpShiftLeftLogical %uint index %two \
    %word_1 = OpIAdd %uint %word_0 %one \
    %word_2 = OpIAdd %uint %word_0 %two \
    %word_3 = OpIAdd %uint %word_0 %three \
    %element_0 = OpFunctionCall %uint %input_word %word_0 \
    %element_1 = OpFunctionCall %uint %input_word %word_1 \
    %element_2 = OpFunctionCall %uint %input_word %word_2 \
    %element_3 = OpFunctionCall %uint %input_word %word_3

; ---- The operation, on words; of 64 bits on pairs of words, the lower one first -------------------------------
#if defined(OPERATION_ADD64)
#define identity zero
#define COMBINE_PAIRS(to, a_low, a_high, b_low, b_high) \
    %to##_carried = OpIAddCarry %sum_and_carry a_low b_low \
    %to##_low = OpCompositeExtract %uint %to##_carried 0 \
    %to##_carry = OpCompositeExtract %uint %to##_carried 1 \
    %to##_above = OpIAdd %uint a_high b_high \
    %to##_high = OpIAdd %uint %to##_above %to##_carry
#elif defined(OPERATION_FADD)
#define identity zero
#define COMBINE(to, a, b) \
    %to##_left = OpBitcast %float a \
    %to##_right = OpBitcast %float b \
    %to##_sum = OpFAdd %float %to##_left %to##_right \
    %to = OpBitcast %uint %to##_sum
#elif defined(OPERATION_SEGMENTED)
#define identity zero
#define COMBINE(to, a, b) \
    %to##_is_head = OpSLessThan %bool b %zero \
    %to##_left = OpSelect %uint %to##_is_head %zero a \
    %to##_sum = OpIAdd %uint %to##_left b \
    %to = OpBitwiseAnd %uint %to##_sum %value_bits
#elif defined(OPERATION_MAX)
#define identity least
#define COMBINE(to, a, b) %to = OpExtInst %uint %glsl SMax a b
#else
#define identity zero
#define COMBINE(to, a, b) %to = OpIAdd %uint a b
#endif
