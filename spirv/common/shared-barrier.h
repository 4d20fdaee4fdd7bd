; SPDX-License-Identifier: Apache-2.0
;
; What orders accesses to shared memory in either memory model: NON_PRIVATE, of a load or store that other
; invocations have to do with, and %barrier_semantics, of a barrier between them. In the GLSL memory model
; both availability and visibility are implied.

#ifdef MEMORY_MODEL_VULKAN
#define NON_PRIVATE NonPrivatePointer
%barrier_semantics    = OpConstant %uint 0x6108  ; AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
#else
#define NON_PRIVATE
%barrier_semantics    = OpConstant %uint 0x108   ; AcquireRelease, WorkgroupMemory
#endif
