; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of the kernels of the family `reconvergence`: who this invocation is, the word
; that its conditions are made of, and where its records begin. The test declares %slots, the number of
; records of an invocation. The word, from its lowest bit:
;     4 bits  trips, 0 to 8             9 bits  second conditions, from bit 16
;     4 bits  spare                     3 bits  selector, from bit 25, 0 to 4
;     8 bits  first conditions          1 bit   bit 31: this subgroup enters, alike in all its lanes

; An invocation's number: subgroups in the order of their ids, whatever the invocation's place in the
; workgroup is. The subgroup size comes in the push constants.
%lane                 = OpLoad %uint %lane_input
%subgroup             = OpLoad %uint %subgroup_input
%workgroup_id         = OpLoad %uint3 %workgroup_input
%workgroup            = OpCompositeExtract %uint %workgroup_id 0
%subgroup_size_at     = OpAccessChain %push_uint %push %elements
%subgroup_size        = OpLoad %uint %subgroup_size_at
%workgroup_start      = OpIMul %uint %workgroup %workgroup_width
%subgroup_offset      = OpIMul %uint %subgroup %subgroup_size
%subgroup_start       = OpIAdd %uint %workgroup_start %subgroup_offset
%invocation           = OpIAdd %uint %subgroup_start %lane

; The lane's word, which the compiler cannot know.
%word_at              = OpAccessChain %word_pointer %input %buffer_words %invocation
%word                 = OpLoad %uint %word_at

; Its records.
%first_record         = OpIMul %uint %invocation %slots
