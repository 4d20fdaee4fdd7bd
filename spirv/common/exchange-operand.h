; SPDX-License-Identifier: Apache-2.0
;
; Where the operand of the cross-lane reads (exchange.h) comes from, by the axis `operand`, and one
; cross-lane read of a word with it: RECEIVE(%received, %value). The test declares %distance, a
; specialization constant, and the place of the operands in %input: %operands_start, from where on
; each invocation has one.
;     constant   the specialization constant itself
;     push       the same number, from the push constants
;     uniform    the operand of the subgroup's first lane, for all of them
;     dynamic    the lane's own
; SPIR-V leaves the operand of all shuffles to the lane; that of a rotate has to be dynamically uniform.

#if defined(OPERAND_CONSTANT)
#define OPERAND %distance
#else
#define OPERAND %operand
#if defined(OPERAND_PUSH)
%operand_slot         = OpAccessChain %push_uint %push %elements
%operand              = OpLoad %uint %operand_slot
#else
%operand_base         = OpIMul %uint %instance %subgroup_size
%first_operand        = OpIAdd %uint %operands_start %operand_base
#if defined(OPERAND_DYNAMIC)
%operand_index        = OpIAdd %uint %first_operand %lane
%operand_word         = OpAccessChain %word_pointer %input %buffer_words %operand_index
#else
%operand_word         = OpAccessChain %word_pointer %input %buffer_words %first_operand
#endif
%operand              = OpLoad %uint %operand_word
#endif
#endif

; Beyond the ends of the subgroup the result of ShuffleUp and ShuffleDown is undefined: such a lane
; keeps its own value.
#if defined(OP_UP)
%has_source           = OpULessThanEqual %bool OPERAND %lane
#elif defined(OP_DOWN)
%source               = OpIAdd %uint %lane OPERAND
%has_source           = OpULessThan %bool %source %subgroup_size
#endif

#if defined(OP_UP) || defined(OP_DOWN)
#define RECEIVE(received, value) \
    received##_or_junk = EXCHANGE %uint %subgroup_scope value OPERAND \
    received = OpSelect %uint %has_source received##_or_junk value
#else
#define RECEIVE(received, value) \
    received = EXCHANGE %uint %subgroup_scope value OPERAND CLUSTER
#endif
