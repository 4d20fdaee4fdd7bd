; SPDX-License-Identifier: Apache-2.0
;
; How the two sides of an instance report into one word of the output, in the family `memory`: by adding
; to it. Before the run the word is the poison (docs/test-format.md). The first side adds 0x100 and what it
; saw, the second 0x200 and twice what it saw: the oracle tells from the sum that both did, and what they
; saw.

%first_reports        = OpConstant %uint 0x100
%second_reports       = OpConstant %uint 0x200
#define REPORT_FIRST(seen, instance) \
    %first_sum            = OpIAdd %uint %first_reports seen \
    %first_word_at        = OpAccessChain %word_pointer %output %buffer_words instance \
    %first_before         = OpAtomicIAdd %uint %first_word_at %device_report %no_semantics %first_sum
#define REPORT_SECOND(seen, instance) \
    %second_seen          = OpIAdd %uint seen seen \
    %second_sum           = OpIAdd %uint %second_reports %second_seen \
    %second_word_at       = OpAccessChain %word_pointer %output %buffer_words instance \
    %second_before        = OpAtomicIAdd %uint %second_word_at %device_report %no_semantics %second_sum

; The scope that includes both sides: the device without need for its capability is the queue family.
#ifdef MEMORY_MODEL_VULKAN
%device_report        = OpConstant %uint 5
#else
%device_report        = OpConstant %uint 1
#endif
