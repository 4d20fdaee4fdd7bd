; SPDX-License-Identifier: Apache-2.0

; ELEMENT(name, pointer, buffer, index): where element `index` of four words is in the buffer, a struct of one
; array of them. With REACH_FAR, for arrays of more than 4 GiB, the index's upper bits go into the upper word
; of the buffer's address: a compiler that computes the element's distance in 32 bits (NVIDIA's of driver
; 580.159.04 does) comes to another one there. Needs %uint2, %zero, %twenty_eight and %low_bits.
#ifdef REACH_FAR
#define ELEMENT(name, pointer, buffer, index) ELEMENT_NOW(name, pointer, buffer, index)
#define ELEMENT_NOW(name, pointer, buffer, index) \
    name##_words = OpBitcast %uint2 buffer \
    name##_above = OpCompositeExtract %uint name##_words 1 \
    name##_far = OpShiftRightLogical %uint index %twenty_eight \
    name##_upper = OpIAdd %uint name##_above name##_far \
    name##_there = OpCompositeInsert %uint2 name##_upper name##_words 1 \
    name##_part = OpBitcast pointer name##_there \
    name##_near = OpBitwiseAnd %uint index %low_bits \
    name = OpAccessChain %to_vector name##_part %zero name##_near
#else
#define ELEMENT(name, pointer, buffer, index) name = OpAccessChain %to_vector buffer %zero index
#endif
