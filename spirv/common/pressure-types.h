; SPDX-License-Identifier: Apache-2.0
;
; The axis `pressure`: live values of an invocation around its cross-lane reads, as in the
; kernels of engines.
;     none        nothing
;     registers   200 words, each behind a bounds check
;     predicates  16 words, and whether the bounds checks before them held
; All of it is made before the cross-lane read, used behind it, and checked there. The test includes
; pressure.h before its first function, or, where it has other functions, this page behind
; interface-types.h and pressure-load.h among them. In %main, where control flow is uniform for the
; workgroup (lanes part at the bounds checks), it writes
;     HOLD(place)      Loads words of `input` behind bounds checks, at addresses that follow from
;                      `place`, a number of the invocation.
;     PRESS(value)     PRESSED(value) is the value plus a zero made of all that is held: what is
;                      made of it comes after the loads.
;     RELEASE(result)  RELEASED(result) is the result, encoded step by step with what is held, then
;                      decoded with the same words loaded anew. If all is right, it is the result. A
;                      wrong result stays wrong, and anything held wrongly makes a right one wrong.
;     RELEASE_TO(pointer, result)  Releases a result that has been stored, and stores it again.
; HOLD stands once, the others once for each value that they name. With pressure=none they are
; nothing, PRESSED(value) is the value, and RELEASED(result) the result; otherwise UNDER_PRESSURE is
; defined.
;
; What keeps a compiler from shortening the lives of what is held. PRESS has the first loads come
; before the exchange. The second cannot come before the last step of the encoding, since its
; outcome is a part of their addresses, and the first step needs the result. The steps do not
; commute. With registers the loads are also Volatile, so that none may be done twice; with
; predicates they are plain ones, of which compilers make instructions under a predicate, not
; branches.

#if defined(PRESSURE_REGISTERS) || defined(PRESSURE_PREDICATES)
#define UNDER_PRESSURE

; ACT(name, k, next) for each word, by eights, from 000, 001 on; and the same backwards.
#define EIGHT(ACT, name, a, b) ACT(name, a##0, a##1) ACT(name, a##1, a##2) \
    ACT(name, a##2, a##3) ACT(name, a##3, a##4) ACT(name, a##4, a##5) \
    ACT(name, a##5, a##6) ACT(name, a##6, a##7) ACT(name, a##7, b##0)
#define EIGHT_BACK(ACT, name, a, b) ACT(name, a##7, b##0) ACT(name, a##6, a##7) \
    ACT(name, a##5, a##6) ACT(name, a##4, a##5) ACT(name, a##3, a##4) \
    ACT(name, a##2, a##3) ACT(name, a##1, a##2) ACT(name, a##0, a##1)
#ifdef PRESSURE_PREDICATES
#define EACH(ACT, name) EIGHT(ACT, name, 00, 01) EIGHT(ACT, name, 01, 02)
#define EACH_BACK(ACT, name) EIGHT_BACK(ACT, name, 01, 02) EIGHT_BACK(ACT, name, 00, 01)
#define BEHIND_ALL(name) name##_020
#else
#define EACH(ACT, name) \
    EIGHT(ACT, name, 00, 01) EIGHT(ACT, name, 01, 02) EIGHT(ACT, name, 02, 03) \
    EIGHT(ACT, name, 03, 04) EIGHT(ACT, name, 04, 05) EIGHT(ACT, name, 05, 06) \
    EIGHT(ACT, name, 06, 07) EIGHT(ACT, name, 07, 08) EIGHT(ACT, name, 08, 09) \
    EIGHT(ACT, name, 09, 10) EIGHT(ACT, name, 10, 11) EIGHT(ACT, name, 11, 12) \
    EIGHT(ACT, name, 12, 13) EIGHT(ACT, name, 13, 14) EIGHT(ACT, name, 14, 15) \
    EIGHT(ACT, name, 15, 16) EIGHT(ACT, name, 16, 17) EIGHT(ACT, name, 17, 18) \
    EIGHT(ACT, name, 18, 19) EIGHT(ACT, name, 19, 20) EIGHT(ACT, name, 20, 21) \
    EIGHT(ACT, name, 21, 22) EIGHT(ACT, name, 22, 23) EIGHT(ACT, name, 23, 24) \
    EIGHT(ACT, name, 24, 25)
#define EACH_BACK(ACT, name) \
    EIGHT_BACK(ACT, name, 24, 25) EIGHT_BACK(ACT, name, 23, 24) \
    EIGHT_BACK(ACT, name, 22, 23) EIGHT_BACK(ACT, name, 21, 22) \
    EIGHT_BACK(ACT, name, 20, 21) EIGHT_BACK(ACT, name, 19, 20) \
    EIGHT_BACK(ACT, name, 18, 19) EIGHT_BACK(ACT, name, 17, 18) \
    EIGHT_BACK(ACT, name, 16, 17) EIGHT_BACK(ACT, name, 15, 16) \
    EIGHT_BACK(ACT, name, 14, 15) EIGHT_BACK(ACT, name, 13, 14) \
    EIGHT_BACK(ACT, name, 12, 13) EIGHT_BACK(ACT, name, 11, 12) \
    EIGHT_BACK(ACT, name, 10, 11) EIGHT_BACK(ACT, name, 09, 10) \
    EIGHT_BACK(ACT, name, 08, 09) EIGHT_BACK(ACT, name, 07, 08) \
    EIGHT_BACK(ACT, name, 06, 07) EIGHT_BACK(ACT, name, 05, 06) \
    EIGHT_BACK(ACT, name, 04, 05) EIGHT_BACK(ACT, name, 03, 04) \
    EIGHT_BACK(ACT, name, 02, 03) EIGHT_BACK(ACT, name, 01, 02) \
    EIGHT_BACK(ACT, name, 00, 01)
#define BEHIND_ALL(name) name##_250
#endif

%live_sign            = OpConstant %uint 31
%live_factor          = OpConstant %uint 747796405
%live_inverse         = OpConstant %uint 3425435293  ; of the factor, modulo 2^32

; How far word k lies from the first: a stride of 100 words.
#define OFFSET(name, k, next) name##_##k = OpConstant %uint 1##k##37
EACH(OFFSET, %live_offset)

; The function of pressure-load.h.
%live_function        = OpTypeFunction %uint %bool %uint

; Where word k is: within a power of two that is no larger than the buffer, moved up so that half of
; it lies behind the buffer's end.
#define FIND(name, k) \
    name##_far_##k = OpIAdd %uint name %live_offset_##k \
    name##_near_##k = OpBitwiseAnd %uint name##_far_##k %live_mask \
    name##_at_##k = OpIAdd %uint name##_near_##k %live_shift

; What is done with a word k before and after it is loaded again. registers: a step of the encoding,
; times an odd number, then exclusive or with the word; and of the decoding. predicates: where the
; word is there, one is added if it is another now. So a check that failed and is taken for one that
; held is seen, since zero was kept; the reverse is not.
#ifdef PRESSURE_REGISTERS
#define ENCODE(name, k, next) \
    name##_product_##k = OpIMul %uint name##_encoded_##k %live_factor \
    name##_encoded_##next = OpBitwiseXor %uint name##_product_##k %live_word_##k
#define DECODE(name, k, next) \
    name##_quotient_##k = OpBitwiseXor %uint name##_decoded_##next name##_again_word_##k \
    name##_decoded_##k = OpIMul %uint name##_quotient_##k %live_inverse
#else
#define ENCODE(name, k, next) \
    name##_encoded_##next = OpCopyObject %uint name##_encoded_##k
#define DECODE(name, k, next) \
    name##_expected_##k = OpIAdd %uint name##_again_word_##k %opaque_zero \
    name##_is_other_##k = OpINotEqual %bool %live_word_##k name##_expected_##k \
    name##_is_wrong_##k = OpLogicalAnd %bool %live_is_there_##k name##_is_other_##k \
    name##_wrong_##k = OpSelect %uint name##_is_wrong_##k %one %zero \
    name##_decoded_##k = OpIAdd %uint name##_decoded_##next name##_wrong_##k
#endif

#define HOLD_ONE(name, k, next) \
    FIND(name, k) \
    name##_is_there_##k = OpULessThan %bool name##_at_##k %live_count \
    name##_word_##k = OpFunctionCall %uint %load_bounded name##_is_there_##k name##_at_##k \
    name##_fold_##next = OpBitwiseXor %uint name##_fold_##k name##_word_##k
#define RELEASE_ONE(name, k, next) \
    FIND(name##_again, k) \
    name##_again_word_##k = OpFunctionCall %uint %load_bounded %live_is_there_##k \
                                           name##_again_at_##k \
    DECODE(name, k, next)

; %opaque_zero is one that no compiler knows: `elements` is below 2^31.
#define HOLD(place) \
    %live_elements_at = OpAccessChain %push_uint %push %elements \
    %live_elements = OpLoad %uint %live_elements_at \
    %opaque_zero = OpShiftRightLogical %uint %live_elements %live_sign \
    %live_count = OpArrayLength %uint %input 0 \
    %live_top_bit = OpExtInst %uint %glsl FindUMsb %live_count \
    %live_power = OpShiftLeftLogical %uint %one %live_top_bit \
    %live_mask = OpISub %uint %live_power %one \
    %live_half = OpShiftRightLogical %uint %live_power %one \
    %live_shift = OpISub %uint %live_count %live_half \
    %live = OpCopyObject %uint place \
    %live_fold_000 = OpCopyObject %uint %zero \
    EACH(HOLD_ONE, %live) \
    %live_zero = OpBitwiseAnd %uint BEHIND_ALL(%live_fold) %opaque_zero

#define PRESS_NAMED(value) value##_pressed = OpIAdd %uint value %live_zero
#define PRESSED_NAMED(value) value##_pressed
#define PRESS(value) PRESS_NAMED(value)
#define PRESSED(value) PRESSED_NAMED(value)

#define RELEASE_NAMED(result) \
    result##_encoded_000 = OpCopyObject %uint result \
    EACH(ENCODE, result) \
    result##_zero = OpBitwiseAnd %uint BEHIND_ALL(result##_encoded) %opaque_zero \
    result##_again = OpIAdd %uint %live result##_zero \
    BEHIND_ALL(result##_decoded) = OpCopyObject %uint BEHIND_ALL(result##_encoded) \
    EACH_BACK(RELEASE_ONE, result)
#define RELEASED_NAMED(result) result##_decoded_000
#define RELEASE(result) RELEASE_NAMED(result)
#define RELEASED(result) RELEASED_NAMED(result)
#define RELEASE_TO(pointer, result) RELEASE(result) OpStore pointer RELEASED(result)

#else
#define HOLD(place)
#define PRESS(value)
#define PRESSED(value) value
#define RELEASE(result)
#define RELEASED(result) result
#define RELEASE_TO(pointer, result)
#endif
