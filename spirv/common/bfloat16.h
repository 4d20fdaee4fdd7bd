; SPDX-License-Identifier: Apache-2.0
; The last capabilities, and the first extension, of a module with bfloat16, whose type is
; OpTypeFloat 16 !0. They are numbers, because SPIRV-Tools 2025.1 does not know the names.
                        OpCapability !5116  ; BFloat16TypeKHR
                        OpCapability !5118  ; BFloat16CooperativeMatrixKHR
                        OpExtension "SPV_KHR_bfloat16"
