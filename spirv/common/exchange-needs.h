; SPDX-License-Identifier: Apache-2.0
;
; What the cross-lane read of the axis `op` (exchange.h) needs: the last capabilities of a module,
; and the first of its extensions. A device that lacks one of them skips the cross-lane read that
; needs it and no other.

                        OpCapability GroupNonUniform
#if defined(OP_SHUFFLE) || defined(OP_XOR)
                        OpCapability GroupNonUniformShuffle
#elif defined(OP_UP) || defined(OP_DOWN)
                        OpCapability GroupNonUniformShuffleRelative
#elif defined(OP_FIRST)
                        OpCapability GroupNonUniformBallot
#elif defined(OP_ROTATE) || defined(OP_CLUSTERED)
                        OpCapability GroupNonUniformRotateKHR
                        OpExtension "SPV_KHR_subgroup_rotate"
#endif
