; SPDX-License-Identifier: Apache-2.0
; The types of tiles, by the axis `type` (and IS_FLOAT8, IS_BFLOAT or IS_FLOAT): of factors, of sums, and in
; between; conversions of words to them and back; the signs of a product. B has factors of type B_FACTOR,
; where A's are of another.

#if defined(TYPE_E4M3) || defined(TYPE_E4M3_E5M2)
%factor               = OpTypeFloat 8 !4214  ; Float8E4M3EXT
%float                = OpTypeFloat 32
#elif defined(TYPE_E5M2) || defined(TYPE_E5M2_E4M3)
%factor               = OpTypeFloat 8 !4215  ; Float8E5M2EXT
%float                = OpTypeFloat 32
#elif defined(IS_BFLOAT)
%factor               = OpTypeFloat 16 !0  ; BFloat16KHR
%float                = OpTypeFloat 32
#elif defined(TYPE_F16) || defined(TYPE_F16_F16)
%factor               = OpTypeFloat 16
%float                = OpTypeFloat 32
#elif defined(TYPE_F32)
%factor               = OpTypeFloat 32
#else
%factor               = OpTypeInt 8 0
%float                = OpTypeFloat 32
#endif
#ifdef IS_FLOAT
#define ADD OpFAdd
#define SUBTRACT OpFSub
#define NEGATE OpFNegate
%a_bits               = OpConstant %uint 7
#else
#define ADD OpIAdd
#define SUBTRACT OpISub
#define NEGATE OpSNegate
%a_bits               = OpConstant %uint 255
#endif
#ifdef TYPE_BF16_BF16
%b_bits               = OpConstant %uint 1
#define B_BITS %b_bits
#else
#define B_BITS %a_bits
#endif

#if defined(TYPE_E4M3_E5M2)
%b_factor             = OpTypeFloat 8 !4215  ; Float8E5M2EXT
#define B_FACTOR %b_factor
#elif defined(TYPE_E5M2_E4M3)
%b_factor             = OpTypeFloat 8 !4214  ; Float8E4M3EXT
#define B_FACTOR %b_factor
#else
#define B_FACTOR %factor
#endif

; Between words and numbers. Words and floats of other encodings convert to 32-bit floats alone.
#define BY_FLOAT(name, type, word) \
    %name##_float     = OpConvertUToF %float word \
    %name             = OpFConvert type %name##_float
#define TO_BFLOAT(name, word) BY_FLOAT(name, %factor, word)
#if defined(IS_BFLOAT) || defined(IS_FLOAT8)
#define TO_FACTOR(name, type, word) BY_FLOAT(name, type, word)
#elif defined(IS_FLOAT)
#define TO_FACTOR(name, type, word) %name = OpConvertUToF type word
#else
#define TO_FACTOR(name, type, word) %name = OpUConvert type word
#endif
#if defined(TYPE_BF16_BF16)
#define TO_SUM(name, word) TO_BFLOAT(name, word)
#define FROM_SUM(name, sum) \
    %name##_float     = OpFConvert %float sum \
    %name             = OpConvertFToU %uint %name##_float
#define FIVE !0x40a0
#elif defined(IS_FLOAT)
#define TO_SUM(name, word) %name = OpConvertUToF SUM word
#define FROM_SUM(name, sum) %name = OpConvertFToU %uint sum
#define FIVE 5
#else
#define TO_SUM(name, word) %name = OpCopyObject %uint word
#define FROM_SUM(name, sum) %name = OpCopyObject %uint sum
#define FIVE 5
#endif
#if defined(TYPE_F16) || defined(TYPE_BF16) || defined(IS_FLOAT8)
#define SUM %float
#define BETWEEN %factor
#elif defined(TYPE_F16_F16) || defined(TYPE_BF16_BF16)
#define SUM %factor
#define BETWEEN %float
#elif defined(TYPE_F32)
#define SUM %factor
#else
#define SUM %uint
#define BETWEEN %float
#endif
#if defined(IS_FLOAT)
#define SIGNS
#define TO_BETWEEN OpFConvert
#define FROM_BETWEEN OpFConvert
#elif defined(TYPE_U8)
#define SIGNS
#define TO_BETWEEN OpConvertUToF
#define FROM_BETWEEN OpConvertFToU
#else
#define TO_BETWEEN OpConvertSToF
#define FROM_BETWEEN OpConvertFToS
#ifdef TYPE_S8
#define SIGNS MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|\
MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR
#else
#define SIGNS MatrixASignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR
#endif
#endif
