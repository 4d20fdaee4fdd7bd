; SPDX-License-Identifier: Apache-2.0
;
; Storing what a lane saw, for the family `reconvergence`: after interface-types.h. The test looks around
; by a ballot of true, which names the invocations that execute this ballot together:
;     %here_mask = OpGroupNonUniformBallot %uint4 %subgroup_scope %true
; and RECORD(here, SLOT) stores the four words of %here_mask as record SLOT of the invocation. The page
; lane-word.h says where the invocation's records begin.

%uint4                = OpTypeVector %uint 4
%true                 = OpConstantTrue %bool
%three                = OpConstant %uint 3
%four                 = OpConstant %uint 4

#define RECORD(name, slot) \
    %name##_record = OpIAdd %uint %first_record slot \
    %name##_word_0 = OpIMul %uint %name##_record %four \
    %name##_word_1 = OpIAdd %uint %name##_word_0 %one \
    %name##_word_2 = OpIAdd %uint %name##_word_0 %two \
    %name##_word_3 = OpIAdd %uint %name##_word_0 %three \
    RECORD_WORD(name, 0) \
    RECORD_WORD(name, 1) \
    RECORD_WORD(name, 2) \
    RECORD_WORD(name, 3)

#define RECORD_WORD(name, part) \
    %name##_part_##part = OpCompositeExtract %uint %name##_mask part \
    %name##_at_##part = OpAccessChain %word_pointer %output %buffer_words %name##_word_##part \
                        OpStore %name##_at_##part %name##_part_##part
