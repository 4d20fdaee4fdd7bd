; SPDX-License-Identifier: Apache-2.0
; The last capabilities, and the first extension, of a module with floats of 8 bits, whose types are
; OpTypeFloat 8 !4214 (E4M3) and OpTypeFloat 8 !4215 (E5M2). They are numbers, because SPIRV-Tools
; 2025.1 does not know the names.
                        OpCapability !4212  ; Float8EXT
                        OpCapability !4213  ; Float8CooperativeMatrixEXT
                        OpExtension "SPV_EXT_float8"
