; SPDX-License-Identifier: Apache-2.0
;
; What every test shares, second half: the types, constants and variables that interface.h
; decorates. %input, %output and %state are pointers to a buffer: a word is
;     OpAccessChain %word_pointer %output %buffer_words %index
; With access=address they are no variables: a function loads each of them, before it uses it, by
;     %output = OpLoad %buffer_pointer of the push constant's member %output_address.

%void                 = OpTypeVoid
%procedure            = OpTypeFunction %void
%bool                 = OpTypeBool
%uint                 = OpTypeInt 32 0
%uint2                = OpTypeVector %uint 2
%uint3                = OpTypeVector %uint 3
%zero                 = OpConstant %uint 0
%one                  = OpConstant %uint 1
%two                  = OpConstant %uint 2

; Scopes, and the memory semantics of barriers.
%device_scope         = OpConstant %uint 1
%workgroup_scope      = OpConstant %uint 2
%subgroup_scope       = OpConstant %uint 3
%no_semantics         = OpConstant %uint 0
%acquire_shared       = OpConstant %uint 0x102  ; Acquire | WorkgroupMemory
%acquire_release_shared = OpConstant %uint 0x108  ; AcquireRelease | WorkgroupMemory

; The workgroup.
%workgroup_width      = OpSpecConstant %uint 64
#if defined(SHAPE_2D) || defined(SHAPE_3D)
; The axis shape: a fourth of the workgroup in x.
%workgroup_rows       = OpConstant %uint 4
%workgroup_x          = OpSpecConstantOp %uint UDiv %workgroup_width %workgroup_rows
#ifdef SHAPE_2D
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_x %workgroup_rows %one
#else
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_x %two %two
#endif
#elif defined(SHAPE_7X13)
; The axis shape: sizes, which need not make full subgroups.
%workgroup_rows       = OpConstant %uint 13
%workgroup_x          = OpSpecConstantOp %uint UDiv %workgroup_width %workgroup_rows
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_x %workgroup_rows %one
#elif defined(SHAPE_5X1X3)
%workgroup_layers     = OpConstant %uint 3
%workgroup_x          = OpSpecConstantOp %uint UDiv %workgroup_width %workgroup_layers
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_x %one %workgroup_layers
#else
%workgroup_size       = OpSpecConstantComposite %uint3 %workgroup_width %one %one
#endif

; Who an invocation is.
%uint_input           = OpTypePointer Input %uint
%uint3_input          = OpTypePointer Input %uint3
%lane_input           = OpVariable %uint_input Input
%subgroup_input       = OpVariable %uint_input Input
%subgroup_size_input  = OpVariable %uint_input Input
%workgroup_input      = OpVariable %uint3_input Input

; The buffers. %buffer_words is the index of the struct's only member.
%words                = OpTypeRuntimeArray %uint
%buffer               = OpTypeStruct %words
%buffer_words         = OpConstant %uint 0
#ifdef ACCESS_ADDRESS
%buffer_pointer       = OpTypePointer PhysicalStorageBuffer %buffer
%word_pointer         = OpTypePointer PhysicalStorageBuffer %uint
%parameters           = OpTypeStruct %buffer_pointer %buffer_pointer %buffer_pointer %uint %uint
%push_buffer          = OpTypePointer PushConstant %buffer_pointer
#else
%buffer_pointer       = OpTypePointer StorageBuffer %buffer
%word_pointer         = OpTypePointer StorageBuffer %uint
%input                = OpVariable %buffer_pointer StorageBuffer
%output               = OpVariable %buffer_pointer StorageBuffer
%state                = OpVariable %buffer_pointer StorageBuffer
%parameters           = OpTypeStruct %uint2 %uint2 %uint2 %uint %uint
#endif

; The push constants and the indices of their members.
%push_parameters      = OpTypePointer PushConstant %parameters
%push_uint            = OpTypePointer PushConstant %uint
%push                 = OpVariable %push_parameters PushConstant
%input_address        = OpConstant %uint 0
%output_address       = OpConstant %uint 1
%state_address        = OpConstant %uint 2
%elements             = OpConstant %uint 3
%seed                 = OpConstant %uint 4
