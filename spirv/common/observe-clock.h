; SPDX-License-Identifier: Apache-2.0
;
; The same as observe-order.h by the subgroup's clock: after interface-types.h. Each piece's speaker reads
; the clock at its beginning and at its end, and notes both in words of its subgroup. Behind a barrier,
; COMPARE_CLOCKS stores which of the second's readings came before the first's: in bits 0 and 1 before its
; beginning, in bits 2 and 3 before its end; and, for the oracle, what the sum of the other page would be.

%four                 = OpConstant %uint 4
%eight                = OpConstant %uint 8
%sign                 = OpConstant %uint 31
%ordered              = OpConstant %uint 0x48        ; AcquireRelease, UniformMemory
%clock_words          = OpConstant %uint 4
%both_on_poison       = OpConstant %uint 0xC0DEE1AD  ; the poison, 0x100 and 0x200

; A word of `state` for each reading. All subgroups have one word there of their own, which the other
; page needs; the four of each subgroup come behind these. `elements` says how many subgroups there are.
#define NOTE(name, number) \
    %name##_pair          = OpReadClockKHR %uint2 %subgroup_scope \
    %name##_tick          = OpCompositeExtract %uint %name##_pair 0 \
    %name##_noted_at      = OpAccessChain %word_pointer %state %buffer_words number \
                        OpAtomicStore %name##_noted_at %workgroup_scope %no_semantics %name##_tick
#define CLOCK_PLACES \
    %all_subgroups_at     = OpAccessChain %push_uint %push %elements \
    %all_subgroups        = OpLoad %uint %all_subgroups_at \
    %clocks_before        = OpIMul %uint %instance %clock_words \
    %first_clock          = OpIAdd %uint %all_subgroups %one \
    %clock_1              = OpIAdd %uint %first_clock %clocks_before \
    %clock_2              = OpIAdd %uint %clock_1 %one \
    %clock_3              = OpIAdd %uint %clock_2 %one \
    %clock_4              = OpIAdd %uint %clock_3 %one
#define FIRST_DRAWS \
    NOTE(first_begin, %clock_1) \
    NOTE(first_end, %clock_2)
#define SECOND_DRAWS \
    NOTE(second_begin, %clock_3) \
    NOTE(second_end, %clock_4)

; Whether `earlier` comes before `later`, as 1 or 0: the sign of the difference, since the lower half of a
; clock wraps around.
#define READ_CLOCK(name, number) \
    %name##_at            = OpAccessChain %word_pointer %state %buffer_words number \
    %name                 = OpAtomicLoad %uint %name##_at %workgroup_scope %no_semantics
#define BEFORE(name, earlier, later) \
    %name##_difference    = OpISub %uint earlier later \
    %name                 = OpShiftRightLogical %uint %name##_difference %sign
#define COMPARE_CLOCKS \
    READ_CLOCK(began_1, %clock_1) \
    READ_CLOCK(ended_1, %clock_2) \
    READ_CLOCK(began_2, %clock_3) \
    READ_CLOCK(ended_2, %clock_4) \
    BEFORE(bit_0, %began_2, %began_1) \
    BEFORE(bit_1, %ended_2, %began_1) \
    BEFORE(bit_2, %began_2, %ended_1) \
    BEFORE(bit_3, %ended_2, %ended_1) \
    %value_1              = OpIMul %uint %bit_1 %two \
    %value_2              = OpIMul %uint %bit_2 %four \
    %value_3              = OpIMul %uint %bit_3 %eight \
    %bits_01              = OpBitwiseOr %uint %bit_0 %value_1 \
    %bits_23              = OpBitwiseOr %uint %value_2 %value_3 \
    %bits                 = OpBitwiseOr %uint %bits_01 %bits_23 \
    %sum                  = OpIAdd %uint %both_on_poison %bits \
                        OpStore %seen_at %sum
