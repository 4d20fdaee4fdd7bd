; SPDX-License-Identifier: Apache-2.0
;
; The cross-lane read of the axis `op`, as one instruction:
;     %received = EXCHANGE %type %subgroup_scope %value %operand CLUSTER
; The lane that it reads:
;     shuffle     operand
;     xor         lane ^ operand
;     up, down    lane - operand, lane + operand; undefined beyond the ends of the subgroup
;     rotate      (lane + operand) modulo the subgroup size
;     clustered   the same within clusters of %cluster lanes, which the test declares
;     first       the first active lane; without operand

#define CLUSTER
#if defined(OP_SHUFFLE)
#define EXCHANGE OpGroupNonUniformShuffle
#elif defined(OP_XOR)
#define EXCHANGE OpGroupNonUniformShuffleXor
#elif defined(OP_UP)
#define EXCHANGE OpGroupNonUniformShuffleUp
#elif defined(OP_DOWN)
#define EXCHANGE OpGroupNonUniformShuffleDown
#elif defined(OP_FIRST)
#define EXCHANGE OpGroupNonUniformBroadcastFirst
#elif defined(OP_ROTATE)
#define EXCHANGE OpGroupNonUniformRotateKHR
#elif defined(OP_CLUSTERED)
#define EXCHANGE OpGroupNonUniformRotateKHR
#undef CLUSTER
#define CLUSTER %cluster
#endif
