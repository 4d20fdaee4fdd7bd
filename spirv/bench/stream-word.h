; SPDX-License-Identifier: Apache-2.0

; ---- The word of the input at an index: any 32 bits, so that sums run over ----------------------------
%hashing              = OpTypeFunction %uint %uint
%input_word           = OpFunction %uint None %hashing
%hashed_index         = OpFunctionParameter %uint
%hash_begin           = OpLabel
%hash_1               = OpIMul %uint %hashed_index %golden
%hash_2               = OpBitwiseXor %uint %hash_1 %seed
%hash_3               = OpShiftRightLogical %uint %hash_2 %sixteen
%hash_4               = OpBitwiseXor %uint %hash_2 %hash_3
%hash_5               = OpIMul %uint %hash_4 %mixing
%hash_6               = OpShiftRightLogical %uint %hash_5 %thirteen
%hash_7               = OpBitwiseXor %uint %hash_5 %hash_6
                        OpReturnValue %hash_7
                        OpFunctionEnd
