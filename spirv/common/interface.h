; SPDX-License-Identifier: Apache-2.0
;
; What every test shares, first half: from the memory model to the decorations. A test writes its
; capabilities and its own extensions, includes this file, may add decorations, and includes
; interface-types.h, which declares what is decorated here.
;
; Four axes are understood:
;   reconvergence = default | subgroup-uniform | maximal   an execution mode of %main
;   access        = descriptor | address                   how the buffers are reached
;   memory-model  = glsl | vulkan                          which memory model holds
;   shape         = line | 2d | 3d                         of the workgroup; a fourth of it in x
; For address and vulkan the test itself declares the capability and the extension, where a reader of
; its first lines sees what it needs. MORE_INPUTS names further variables of the entry point's interface,
; which the test decorates and declares.

#ifdef RECONVERGENCE_SUBGROUP_UNIFORM
                        OpExtension "SPV_KHR_subgroup_uniform_control_flow"
#endif
#ifdef RECONVERGENCE_MAXIMAL
                        OpExtension "SPV_KHR_maximal_reconvergence"
#endif
#ifndef MORE_INPUTS
#define MORE_INPUTS
#endif
#ifdef SPIRV_1_5
; Version: 1.5
; From SPIR-V 1.4 on the interface of the entry point has all variables.
#define VARIABLES MORE_INPUTS %input %output %state %push
#else
#define VARIABLES MORE_INPUTS
#endif
%glsl                 = OpExtInstImport "GLSL.std.450"

#if defined(ACCESS_ADDRESS) && defined(MEMORY_MODEL_VULKAN)
                        OpMemoryModel PhysicalStorageBuffer64 Vulkan
#elif defined(ACCESS_ADDRESS)
                        OpMemoryModel PhysicalStorageBuffer64 GLSL450
#elif defined(MEMORY_MODEL_VULKAN)
                        OpMemoryModel Logical Vulkan
#else
                        OpMemoryModel Logical GLSL450
#endif

                        OpEntryPoint GLCompute %main "main"
                        %lane_input %subgroup_input %subgroup_size_input %workgroup_input VARIABLES
                        OpExecutionMode %main LocalSize 1 1 1
#ifdef RECONVERGENCE_SUBGROUP_UNIFORM
                        OpExecutionMode %main SubgroupUniformControlFlowKHR
#endif
#ifdef RECONVERGENCE_MAXIMAL
                        OpExecutionMode %main MaximallyReconvergesKHR
#endif

; The workgroup has workgroup_width invocations, which is specialization constant 0, in one line but
; for the axis shape.
                        OpDecorate %workgroup_width SpecId 0
                        OpDecorate %workgroup_size BuiltIn WorkgroupSize

; Who an invocation is: its lane in its subgroup, its subgroup in its workgroup, its workgroup; and
; how many lanes a subgroup has.
                        OpDecorate %lane_input BuiltIn SubgroupLocalInvocationId
                        OpDecorate %subgroup_input BuiltIn SubgroupId
                        OpDecorate %subgroup_size_input BuiltIn SubgroupSize
                        OpDecorate %workgroup_input BuiltIn WorkgroupId

; The three buffers are arrays of words.
                        OpDecorate %words ArrayStride 4
                        OpDecorate %buffer Block
                        OpMemberDecorate %buffer 0 Offset 0
#ifndef ACCESS_ADDRESS
                        OpDecorate %input DescriptorSet 0
                        OpDecorate %input Binding 0
                        OpDecorate %output DescriptorSet 0
                        OpDecorate %output Binding 1
                        OpDecorate %state DescriptorSet 0
                        OpDecorate %state Binding 2
#endif

; The push constants: the addresses of the three buffers, a count, a seed.
                        OpDecorate %parameters Block
                        OpMemberDecorate %parameters 0 Offset 0
                        OpMemberDecorate %parameters 1 Offset 8
                        OpMemberDecorate %parameters 2 Offset 16
                        OpMemberDecorate %parameters 3 Offset 24
                        OpMemberDecorate %parameters 4 Offset 28
