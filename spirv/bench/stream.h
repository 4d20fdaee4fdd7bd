; SPDX-License-Identifier: Apache-2.0
;
; What fill, copy and verify share: everything up to %main. None of them has a subgroup operation.
; Buffers are reached by their addresses, so that no limit of descriptors bounds them. The push
; constants are those of a test, but that they count vectors of four words and that the last one is a
; segment's length and not a seed; specialization constant 0 is the width of the workgroup, constant 2
; the seed.
;
; All indices of a buffer are of vectors: 2^32 words are 2^30 of them, which a signed index reaches. The
; number of a word has just 32 bits.

                        OpCapability Shader
                        OpCapability PhysicalStorageBufferAddresses
                        OpExtension "SPV_KHR_physical_storage_buffer"
%glsl                 = OpExtInstImport "GLSL.std.450"
                        OpMemoryModel PhysicalStorageBuffer64 GLSL450
                        OpEntryPoint GLCompute %main "main" %group_id %group_count %local_index
                        OpExecutionMode %main LocalSize 1 1 1

                        OpDecorate %workgroup_width SpecId 0
                        OpDecorate %seed SpecId 2
                        OpDecorate %workgroup_size BuiltIn WorkgroupSize
                        OpDecorate %group_id BuiltIn WorkgroupId
                        OpDecorate %group_count BuiltIn NumWorkgroups
                        OpDecorate %local_index BuiltIn LocalInvocationIndex
                        OpDecorate %words ArrayStride 4
                        OpDecorate %buffer Block
                        OpMemberDecorate %buffer 0 Offset 0
                        OpDecorate %vectors ArrayStride 16
                        OpDecorate %vector_buffer Block
                        OpMemberDecorate %vector_buffer 0 Offset 0
                        OpDecorate %parameters Block
                        OpMemberDecorate %parameters 0 Offset 0
                        OpMemberDecorate %parameters 1 Offset 8
                        OpMemberDecorate %parameters 2 Offset 16
                        OpMemberDecorate %parameters 3 Offset 24
                        OpMemberDecorate %parameters 4 Offset 28

%void                 = OpTypeVoid
%procedure            = OpTypeFunction %void
%bool                 = OpTypeBool
%uint                 = OpTypeInt 32 0
%float                = OpTypeFloat 32
%sum_and_carry        = OpTypeStruct %uint %uint
%uint2                = OpTypeVector %uint 2
%uint3                = OpTypeVector %uint 3
%uint4                = OpTypeVector %uint 4
%bool4                = OpTypeVector %bool 4
%zero                 = OpConstant %uint 0
%one                  = OpConstant %uint 1
%two                  = OpConstant %uint 2
%three                = OpConstant %uint 3
%four                 = OpConstant %uint 4
%thirteen             = OpConstant %uint 13
%sixteen              = OpConstant %uint 16
%ten                  = OpConstant %uint 10
%seventeen            = OpConstant %uint 17
%thirty               = OpConstant %uint 30
%twenty_eight         = OpConstant %uint 28
%thirty_one           = OpConstant %uint 31
%low_bits             = OpConstant %uint 0xFFFFFFF ; 28 of them
%least                = OpConstant %uint 0x80000000 ; of signed integers
%head_bit             = OpConstant %uint 0x80000000 ; of a segment's first word
%value_bits           = OpConstant %uint 0x7FFFFFFF
%every_fourth         = OpConstant %uint 3
%every_4096th         = OpConstant %uint 4095
%float_one            = OpConstant %uint 0x3F800000 ; the bits of 1.0
%golden               = OpConstant %uint 0x9E3779B9
%mixing               = OpConstant %uint 0x85EBCA6B
%workgroup_width      = OpSpecConstant %uint 256
%seed                 = OpSpecConstant %uint 0
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_width %one %one

; A buffer as words, and as vectors of four. %first_member is the index of the struct's only member.
%words                = OpTypeRuntimeArray %uint
%buffer               = OpTypeStruct %words
%vectors              = OpTypeRuntimeArray %uint4
%vector_buffer        = OpTypeStruct %vectors
%to_buffer            = OpTypePointer PhysicalStorageBuffer %buffer
%to_word              = OpTypePointer PhysicalStorageBuffer %uint
%to_vector_buffer     = OpTypePointer PhysicalStorageBuffer %vector_buffer
%to_vector            = OpTypePointer PhysicalStorageBuffer %uint4
%first_member         = OpConstant %uint 0

; Addresses of input, output, state; vectors; vectors of a segment.
%parameters           = OpTypeStruct %to_vector_buffer %to_vector_buffer %to_buffer %uint %uint
%to_parameters        = OpTypePointer PushConstant %parameters
%to_pushed_vectors    = OpTypePointer PushConstant %to_vector_buffer
%to_pushed_buffer     = OpTypePointer PushConstant %to_buffer
%to_pushed_uint       = OpTypePointer PushConstant %uint
%pushed               = OpVariable %to_parameters PushConstant
%input_field          = OpConstant %uint 0
%output_field         = OpConstant %uint 1
%state_field          = OpConstant %uint 2
%vectors_field        = OpConstant %uint 3
%segment_field        = OpConstant %uint 4

%to_in_uint3          = OpTypePointer Input %uint3
%to_in_uint           = OpTypePointer Input %uint
%group_id             = OpVariable %to_in_uint3 Input
%group_count          = OpVariable %to_in_uint3 Input
%local_index          = OpVariable %to_in_uint Input

#include "element.h"
