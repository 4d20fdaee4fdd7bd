; SPDX-License-Identifier: Apache-2.0
;
; The bounds check of the axis `pressure` (pressure-types.h), as engines write it: the word of
; `input` if it is there, else zero. With predicates it is a branch; with registers two selections,
; since some compilers take minutes over 400 branches.

#ifdef UNDER_PRESSURE
%load_bounded         = OpFunction %uint None %live_function
%bounded_is_there     = OpFunctionParameter %bool
%bounded_index        = OpFunctionParameter %uint
%bounded_begin        = OpLabel
#ifdef PRESSURE_PREDICATES
                        OpSelectionMerge %bounded_end None
                        OpBranchConditional %bounded_is_there %bounded_it %bounded_end
%bounded_it           = OpLabel
%bounded_at           = OpAccessChain %word_pointer %input %buffer_words %bounded_index
%bounded_word         = OpLoad %uint %bounded_at
                        OpBranch %bounded_end
%bounded_end          = OpLabel
%bounded_value        = OpPhi %uint %zero %bounded_begin %bounded_word %bounded_it
#else
%bounded_place        = OpSelect %uint %bounded_is_there %bounded_index %zero
%bounded_at           = OpAccessChain %word_pointer %input %buffer_words %bounded_place
%bounded_word         = OpLoad %uint %bounded_at Volatile
%bounded_value        = OpSelect %uint %bounded_is_there %bounded_word %zero
#endif
                        OpReturnValue %bounded_value
                        OpFunctionEnd
#endif
