; SPDX-License-Identifier: Apache-2.0
;
; Words for the formal programs of the family `memory`, by the axes of memory-scope.h.

#ifdef MEMORY_MODEL_GLSL
; formal  ! the memory model GLSL450 is not defined by axioms
#endif

; Where the other side of an instance is, and the scope of atomics and barriers.
#if defined(SIDES_DEVICE)
#define THERE sg 0, wg 1, qf 0
#elif defined(SIDES_SUBGROUP)
#define THERE sg 0, wg 0, qf 0
#else
#define THERE sg 1, wg 0, qf 0
#endif
#if defined(SIDES_DEVICE) && !defined(SCOPE_NARROWER) || defined(SIDES_WORKGROUP) && defined(SCOPE_WIDER)
#define SCOPE dv
#elif defined(SIDES_SUBGROUP) && !defined(SCOPE_WIDER) || defined(SIDES_WORKGROUP) && defined(SCOPE_NARROWER)
#define SCOPE sg
#else
#define SCOPE wg
#endif

; The storage class of each location, and those that order reaches.
#if defined(PLACE_SHARED)
#define CLASS_X sc1
#define CLASS_Y sc1
#define CLASSES semsc1
#elif defined(PLACE_DATA_SHARED)
#define CLASS_X sc1
#define CLASS_Y sc0
#define CLASSES semsc0.semsc1
#elif defined(PLACE_FLAG_SHARED)
#define CLASS_X sc0
#define CLASS_Y sc1
#define CLASSES semsc0.semsc1
#else
#define CLASS_X sc0
#define CLASS_Y sc0
#define CLASSES semsc0
#endif

#define ACQUIRE acq.SCOPE.CLASSES.semvis
#define RELEASE rel.SCOPE.CLASSES.semav
#define BOTH acq_rel.SCOPE.CLASSES.semav.semvis
