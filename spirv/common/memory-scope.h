; SPDX-License-Identifier: Apache-2.0
;
; What the tests of the family `memory` share, first half: after interface-types.h. Two locations for
; each instance of the test, X and Y, many instances side by side. The page memory-roles.h says who
; touches which. Axes:
;   sides        = device | workgroup | subgroup   who may be the other side of an instance; the scope of
;                                                  all atomics and barriers of the test is the same
;   scope        = exact | wider | narrower        or it is not; without this axis it is exact
;   place        = buffer | shared                 where the locations are; with data-shared only X,
;                                                  with flag-shared only Y are in shared memory
;   memory-model = glsl | vulkan

#if defined(PLACE_SHARED) || defined(PLACE_DATA_SHARED)
#define X_SHARED
#endif
#if defined(PLACE_SHARED) || defined(PLACE_FLAG_SHARED)
#define Y_SHARED
#endif

#if defined(SIDES_DEVICE) && !defined(SCOPE_NARROWER) || defined(SIDES_WORKGROUP) && defined(SCOPE_WIDER)
%scope                = OpConstant %uint 1   ; Device
#elif defined(SIDES_SUBGROUP) && !defined(SCOPE_WIDER) || defined(SIDES_WORKGROUP) && defined(SCOPE_NARROWER)
%scope                = OpConstant %uint 3   ; Subgroup
#else
%scope                = OpConstant %uint 2   ; Workgroup
#endif

; memory-model=vulkan: what orders accesses also says that it makes them available and visible, and a
; plain access that others are to see says so. In the older model both is implied.
#if defined(PLACE_DATA_SHARED) || defined(PLACE_FLAG_SHARED)
; Both storage classes.
#ifdef MEMORY_MODEL_VULKAN
%releasing            = OpConstant %uint 0x2144
%acquiring            = OpConstant %uint 0x4142
%both_ways            = OpConstant %uint 0x6148
#else
%releasing            = OpConstant %uint 0x144
%acquiring            = OpConstant %uint 0x142
%both_ways            = OpConstant %uint 0x148
#endif
#elif defined(MEMORY_MODEL_VULKAN) && defined(PLACE_SHARED)
%releasing            = OpConstant %uint 0x2104  ; Release, WorkgroupMemory, MakeAvailable
%acquiring            = OpConstant %uint 0x4102  ; Acquire, WorkgroupMemory, MakeVisible
%both_ways            = OpConstant %uint 0x6108  ; AcquireRelease, all of these
#elif defined(MEMORY_MODEL_VULKAN)
%releasing            = OpConstant %uint 0x2044  ; Release, UniformMemory, MakeAvailable
%acquiring            = OpConstant %uint 0x4042  ; Acquire, UniformMemory, MakeVisible
%both_ways            = OpConstant %uint 0x6048
#elif defined(PLACE_SHARED)
%releasing            = OpConstant %uint 0x104
%acquiring            = OpConstant %uint 0x102
%both_ways            = OpConstant %uint 0x108
#else
%releasing            = OpConstant %uint 0x44
%acquiring            = OpConstant %uint 0x42
%both_ways            = OpConstant %uint 0x48
#endif
#ifdef MEMORY_MODEL_VULKAN
#define NON_PRIVATE NonPrivatePointer
#else
#define NON_PRIVATE
#endif

; A location is `stride` words from the next. The other side of an instance is found by a
; permutation: `step` is odd, and numbers are taken modulo a power of two. The locations Y lie in
; another order than the locations X, so that neighbours in the one are far apart in the other.
%stride               = OpSpecConstant %uint 1
%step                 = OpSpecConstant %uint 4099
%y_step               = OpConstant %uint 419

#if defined(X_SHARED) || defined(Y_SHARED)
; All locations X of a workgroup, then all locations Y, then a word that nobody writes.
%strided_width        = OpSpecConstantOp %uint IMul %workgroup_width %stride
%all_locations        = OpSpecConstantOp %uint IMul %strided_width %two
%location_words       = OpSpecConstantOp %uint IAdd %all_locations %one
%locations_array      = OpTypeArray %uint %location_words
%locations_pointer    = OpTypePointer Workgroup %locations_array
%location_pointer     = OpTypePointer Workgroup %uint
%locations            = OpVariable %locations_pointer Workgroup
#define IN_SHARED(index) OpAccessChain %location_pointer %locations index
#endif
#define IN_BUFFER(index) OpAccessChain %word_pointer %state %buffer_words index

; A location X, a location Y; AT: either, where both are in one place.
#ifdef X_SHARED
#define AT_X IN_SHARED
#else
#define AT_X IN_BUFFER
#endif
#ifdef Y_SHARED
#define AT_Y IN_SHARED
#else
#define AT_Y IN_BUFFER
#endif
#define AT AT_X
