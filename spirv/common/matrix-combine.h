; SPDX-License-Identifier: Apache-2.0
;
; The seven operations of subgroup arithmetic as the axis `op` names them: COMBINE is the instruction.

#if defined(OP_ADD)
#define COMBINE OpGroupNonUniformIAdd
#elif defined(OP_MUL)
#define COMBINE OpGroupNonUniformIMul
#elif defined(OP_MIN)
#define COMBINE OpGroupNonUniformUMin
#elif defined(OP_MAX)
#define COMBINE OpGroupNonUniformUMax
#elif defined(OP_AND)
#define COMBINE OpGroupNonUniformBitwiseAnd
#elif defined(OP_OR)
#define COMBINE OpGroupNonUniformBitwiseOr
#elif defined(OP_XOR)
#define COMBINE OpGroupNonUniformBitwiseXor
#endif
