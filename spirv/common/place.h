; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of a kernel in which every invocation has one word of `input` and a few words of
; `output` of its own: who it is, its word, and where its results begin. The test declares %results, the
; number of words that it stores, and stores them by RESULT(NAME, SLOT, VALUE).

; An invocation's number: subgroups in the order of their ids, whatever the invocation's place in the
; workgroup is.
%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%subgroup_size        = OpLoad %uint %subgroup_size_input
%group_id             = OpLoad %uint3 %workgroup_input
%group                = OpCompositeExtract %uint %group_id 0
%group_start          = OpIMul %uint %group %workgroup_width
%subgroup_offset      = OpIMul %uint %subgroup %subgroup_size
%invocation           = OpIAdd %uint %subgroup_offset %lane
%place                = OpIAdd %uint %group_start %invocation

; Its word, which the compiler cannot know.
%own_at               = OpAccessChain %word_pointer %input %buffer_words %place
%own                  = OpLoad %uint %own_at

; Its results.
%first_result         = OpIMul %uint %place %results

#define RESULT(name, slot, value) \
    %name##_index = OpIAdd %uint %first_result slot \
    %name##_at    = OpAccessChain %word_pointer %output %buffer_words %name##_index \
                    OpStore %name##_at value
