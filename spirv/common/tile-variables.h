; SPDX-License-Identifier: Apache-2.0
;
; What the smaller look-back scans share, first half: the variables of a workgroup that scans one tile,
; an element for each invocation, without any subgroup operation. The test includes it behind
; interface-types.h, and tile-scan.h and tile-store.h where they belong in %main.

; memory-model=vulkan: an access that other invocations are to see says so, and the barriers and
; atomics that order it make it available and visible. In the older model both is implied.
#ifdef MEMORY_MODEL_VULKAN
#define NON_PRIVATE NonPrivatePointer
%barrier_semantics    = OpConstant %uint 0x6108  ; the same, MakeAvailable, MakeVisible
#else
#define NON_PRIVATE
%barrier_semantics    = OpConstant %uint 0x108   ; AcquireRelease, WorkgroupMemory
#endif

; What a workgroup shares: which tile it took, a place for each invocation, what the tiles before
; this one sum up to, and whether the search for that was given up.
%last_invocation      = OpSpecConstantOp %uint ISub %workgroup_width %one
%place_array          = OpTypeArray %uint %workgroup_width
%place_array_pointer  = OpTypePointer Workgroup %place_array
%shared_pointer       = OpTypePointer Workgroup %uint
%shared_tile          = OpVariable %shared_pointer Workgroup
%places               = OpVariable %place_array_pointer Workgroup
%shared_before        = OpVariable %shared_pointer Workgroup
%shared_gave_up       = OpVariable %shared_pointer Workgroup

; The state: word 0 says that a wait ran out, word 1 is the ticket, and behind them is what the tiles
; have published.
%gave_up_word         = OpConstant %uint 0
%ticket_word          = OpConstant %uint 1
