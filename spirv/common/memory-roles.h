; SPDX-License-Identifier: Apache-2.0
;
; What the tests of the family `memory` share, second half: the first instructions of the kernel. Every
; invocation is one side of its own instance, and the other side of somebody else's:
;     %own_x_at %own_y_at       its own instance's locations
;     %other_x_at %other_y_at   those of the instance in which it is the other side
; Who that is changes from run to run with the seed of the push constants. %invocation is its number in the
; dispatch, %other_instance that of the other instance.

%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%workgroup_id         = OpLoad %uint3 %workgroup_input
%workgroup            = OpCompositeExtract %uint %workgroup_id 0
%workgroup_begin      = OpIMul %uint %workgroup %workgroup_width
%subgroup_offset      = OpIMul %uint %subgroup %subgroup_size
%local                = OpIAdd %uint %subgroup_offset %lane
%invocation           = OpIAdd %uint %workgroup_begin %local
%total_at             = OpAccessChain %push_uint %push %elements
%total                = OpLoad %uint %total_at
%seed_at              = OpAccessChain %push_uint %push %seed
%turn                 = OpLoad %uint %seed_at

; Those among whom the other side is: how many, the number of the first in the dispatch, and which of
; them this invocation is.
#if defined(SIDES_DEVICE)
%among                = OpCopyObject %uint %total
%first_among          = OpCopyObject %uint %zero
%which                = OpCopyObject %uint %invocation
#elif defined(SIDES_WORKGROUP)
%among                = OpCopyObject %uint %workgroup_width
%first_among          = OpCopyObject %uint %workgroup_begin
%which                = OpCopyObject %uint %local
#else
%among                = OpCopyObject %uint %subgroup_size
%first_among          = OpIAdd %uint %workgroup_begin %subgroup_offset
%which                = OpCopyObject %uint %lane
#endif
%among_mask           = OpISub %uint %among %one
%stepped              = OpIMul %uint %which %step
%turned               = OpIAdd %uint %stepped %turn
%other                = OpBitwiseAnd %uint %turned %among_mask
%other_instance       = OpIAdd %uint %first_among %other
%own_y_stepped        = OpIMul %uint %which %y_step
%own_y                = OpBitwiseAnd %uint %own_y_stepped %among_mask
%other_y_stepped      = OpIMul %uint %other %y_step
%other_y              = OpBitwiseAnd %uint %other_y_stepped %among_mask

; Places of the locations: in a buffer behind its reserved first word; in shared memory from the
; workgroup's first invocation on. The locations Y come behind all locations X.
#ifdef X_SHARED
%first_here           = OpISub %uint %first_among %workgroup_begin
%x_count              = OpCopyObject %uint %workgroup_width
%begin                = OpCopyObject %uint %zero
#else
%first_here           = OpCopyObject %uint %first_among
%x_count              = OpCopyObject %uint %total
%begin                = OpCopyObject %uint %one
#endif
#define PLACE_OF(name, index, first, begin) \
    %name##_number        = OpIAdd %uint first index \
    %name##_strided       = OpIMul %uint %name##_number %stride \
    %name##_place         = OpIAdd %uint begin %name##_strided
#if defined(Y_SHARED) && !defined(X_SHARED)
#define Y_BEGIN       %zero
%first_in_workgroup   = OpISub %uint %first_among %workgroup_begin
%first_y              = OpIAdd %uint %workgroup_width %first_in_workgroup
#elif defined(X_SHARED) && !defined(Y_SHARED)
#define Y_BEGIN       %one
%first_y              = OpIAdd %uint %total %first_among
#else
#define Y_BEGIN       %begin
%first_y              = OpIAdd %uint %x_count %first_here
#endif
PLACE_OF(own_x, %which, %first_here, %begin)
PLACE_OF(own_y, %own_y, %first_y, Y_BEGIN)
PLACE_OF(other_x, %other, %first_here, %begin)
PLACE_OF(other_y, %other_y, %first_y, Y_BEGIN)

; In a buffer all locations are zero. Shared memory is zeroed here, by all for all.
#ifdef X_SHARED
%zero_x_at            = AT_X(%own_x_place)
#endif
#ifdef Y_SHARED
%zero_y_at            = AT_Y(%own_y_place)
#endif
#ifdef X_SHARED
                        OpStore %zero_x_at %zero NON_PRIVATE
#endif
#ifdef Y_SHARED
                        OpStore %zero_y_at %zero NON_PRIVATE
#endif
#if defined(X_SHARED) || defined(Y_SHARED)
                        OpControlBarrier %workgroup_scope %workgroup_scope %both_ways
#endif
%own_x_at             = AT_X(%own_x_place)
%own_y_at             = AT_Y(%own_y_place)
%other_x_at           = AT_X(%other_x_place)
%other_y_at           = AT_Y(%other_y_place)
