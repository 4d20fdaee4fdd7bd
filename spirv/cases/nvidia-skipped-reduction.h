; SPDX-License-Identifier: Apache-2.0
;
; The choices of cases.nvidia-skipped-reduction as macros.

; How many truth values.
#if defined(BOOLS_4)
#define BOOLS 4
#elif defined(BOOLS_6)
#define BOOLS 6
#elif defined(BOOLS_8)
#define BOOLS 8
#elif defined(BOOLS_9)
#define BOOLS 9
#elif defined(BOOLS_10)
#define BOOLS 10
#elif defined(BOOLS_11)
#define BOOLS 11
#elif defined(BOOLS_12)
#define BOOLS 12
#elif defined(BOOLS_13)
#define BOOLS 13
#elif defined(BOOLS_14)
#define BOOLS 14
#elif defined(BOOLS_16)
#define BOOLS 16
#elif defined(BOOLS_20)
#define BOOLS 20
#elif defined(BOOLS_24)
#define BOOLS 24
#elif defined(BOOLS_28)
#define BOOLS 28
#elif defined(BOOLS_32)
#define BOOLS 32
#elif defined(BOOLS_40)
#define BOOLS 40
#endif

; %is_N: the truth value. %first_N: its word, or 0.
#if defined(KIND_WORDS) || defined(KIND_WORDS_READONLY)
#define HAVE(n, next) \
    %at_##next    = OpIAdd %uint %at_##n %stride \
    %first_at_##n = OpAccessChain %word_pointer %input %buffer_words %at_##n \
    %first_##n    = OpLoad %uint %first_at_##n \
    %is_##n       = OpULessThan %bool %first_##n %limit \
                    OpBranch %have_##next \
    %have_##next  = OpLabel
#else
#if defined(KIND_PUSH) || defined(KIND_PUSH_READONLY)
#define TEST(n, next) \
    %number_##next = OpIAdd %uint %number_##n %one \
    %is_##n       = OpULessThan %bool %number_##n %limit
#else
#define TEST(n, next) \
    %is_##n       = OpULessThan %bool %at_##n %limit
#endif
#define HAVE(n, next) \
    %at_##next    = OpIAdd %uint %at_##n %stride \
                    TEST(n, next) \
                    OpSelectionMerge %have_##next None \
                    OpBranchConditional %is_##n %load_##n %have_##next \
    %load_##n     = OpLabel \
    %first_at_##n = OpAccessChain %word_pointer %input %buffer_words %at_##n \
    %word_##n     = OpLoad %uint %first_at_##n \
                    OpBranch %have_##next \
    %have_##next  = OpLabel \
    %first_##n    = OpPhi %uint %zero %have_##n %word_##n %load_##n
#endif

; Where it holds: the odd weight if the element is the same when it is loaded again (bounds); else the
; word times the weight, and the word as it is loaded again or what the operation gave.
#ifdef BOUNDS
#define USE(n, next) \
    %weight_##next = OpIAdd %uint %weight_##n %two \
                    OpSelectionMerge %used_##next None \
                    OpBranchConditional %is_##n %use_##n %used_##next \
    %use_##n      = OpLabel \
    %again_at_##n = OpAccessChain %word_pointer %input %buffer_words %at_##n \
    %again_##n    = OpLoad %uint %again_at_##n \
    %expected_##n = OpIAdd %uint %again_##n %no_more \
    %is_same_##n  = OpIEqual %bool %first_##n %expected_##n \
                    OpBranch %used_##next \
    %used_##next  = OpLabel \
    %counts_##n   = OpPhi %bool %is_##n %used_##n %is_same_##n %use_##n \
    %term_##n     = OpSelect %uint %counts_##n %weight_##n %zero \
    %sum_##next   = OpIAdd %uint %sum_##n %term_##n
#elif defined(READONLY)
#define USE(n, next) \
    %weight_##next = OpIAdd %uint %weight_##n %two \
    %scaled_##n   = OpIMul %uint %first_##n %weight_##n \
    %term_##n     = OpIAdd %uint %scaled_##n %given \
    %more_##n     = OpIAdd %uint %sum_##n %term_##n \
    %sum_##next   = OpSelect %uint %is_##n %more_##n %sum_##n
#else
#define USE(n, next) \
    %weight_##next = OpIAdd %uint %weight_##n %two \
                    OpSelectionMerge %used_##next None \
                    OpBranchConditional %is_##n %use_##n %used_##next \
    %use_##n      = OpLabel \
    %again_at_##n = OpAccessChain %word_pointer %input %buffer_words %at_##n \
    %again_##n    = OpLoad %uint %again_at_##n \
    %scaled_##n   = OpIMul %uint %first_##n %weight_##n \
    %term_##n     = OpIAdd %uint %scaled_##n %again_##n \
    %more_##n     = OpIAdd %uint %sum_##n %term_##n \
                    OpBranch %used_##next \
    %used_##next  = OpLabel \
    %sum_##next   = OpPhi %uint %sum_##n %used_##n %more_##n %use_##n
#endif

; Shared memory.
#define KEEP(name, place, value) \
    %name##_into  = OpAccessChain %kept_word %kept place \
                    OpStore %name##_into value
#define KEPT(name, place) \
    %name##_from  = OpAccessChain %kept_word %kept place \
    %name         = OpLoad %uint %name##_from

; Which subgroups take the branch, and the first invocation of the one whose result is taken.
#if defined(BRANCH_SUBGROUP_ZERO)
#define CHOOSE          %chosen = OpIEqual %bool %subgroup %zero
#elif defined(BRANCH_LESS_THAN_ONE)
#define CHOOSE          %chosen = OpULessThan %bool %subgroup %one
#elif defined(BRANCH_LAST)
#define CHOOSE          %last = OpISub %uint %subgroups %one \
                        %source_start = OpIMul %uint %last %subgroup_size \
                        %chosen = OpIEqual %bool %subgroup %last
#elif defined(BRANCH_LOCAL_INDEX)
#define CHOOSE          %chosen = OpULessThan %bool %index %subgroup_size
#elif defined(BRANCH_PUSH)
#define CHOOSE          %choice = OpBitwiseAnd %uint %limit %one \
                        %chosen = OpIEqual %bool %subgroup %choice
#elif defined(BRANCH_EVEN)
#define CHOOSE          %odd = OpBitwiseAnd %uint %subgroup %one \
                        %even_subgroup = OpISub %uint %subgroup %odd \
                        %source_start = OpIMul %uint %even_subgroup %subgroup_size \
                        %chosen = OpIEqual %bool %odd %zero
#elif defined(BRANCH_WORKGROUP)
#define CHOOSE          %chosen = OpINotEqual %bool %group %never
#elif defined(BRANCH_NONE)
#define CHOOSE
#endif
#if defined(BRANCH_LAST) || defined(BRANCH_EVEN)
#define SOURCE_START %source_start
#elif defined(BRANCH_WORKGROUP) || defined(BRANCH_NONE)
#define SOURCE_START %subgroup_offset
#else
#define SOURCE_START %zero
#endif

; The operation.
#define GROUP(instruction, what) \
                        %got = instruction %uint %subgroup_scope what %own
#define RARE            %high = OpShiftRightLogical %uint %own %high_bits \
                        %rare = OpIEqual %bool %high %zero
#define AS_WORD         %got = OpSelect %uint %said %one %zero
#if defined(OP_ADD)
#define OPERATE         GROUP(OpGroupNonUniformIAdd, Reduce)
#elif defined(OP_AND)
#define OPERATE         GROUP(OpGroupNonUniformBitwiseAnd, Reduce)
#elif defined(OP_OR)
; A bit of its own from each lane: a disjunction of whole words has all bits, as has a mask of all lanes.
#define OPERATE         %lane_bits = OpBitwiseAnd %uint %lane %top_bit \
                        %lane_bit = OpShiftLeftLogical %uint %one %lane_bits \
                        %masked = OpBitwiseAnd %uint %own %lane_bit \
                        %got = OpGroupNonUniformBitwiseOr %uint %subgroup_scope Reduce %masked
#elif defined(OP_XOR)
#define OPERATE         GROUP(OpGroupNonUniformBitwiseXor, Reduce)
#elif defined(OP_UMIN)
#define OPERATE         GROUP(OpGroupNonUniformUMin, Reduce)
#elif defined(OP_UMAX)
#define OPERATE         GROUP(OpGroupNonUniformUMax, Reduce)
#elif defined(OP_SMIN)
#define OPERATE         GROUP(OpGroupNonUniformSMin, Reduce)
#elif defined(OP_SMAX)
#define OPERATE         GROUP(OpGroupNonUniformSMax, Reduce)
#elif defined(OP_MUL)
#define OPERATE         GROUP(OpGroupNonUniformIMul, Reduce)
#elif defined(OP_INCLUSIVE_ADD)
#define OPERATE         GROUP(OpGroupNonUniformIAdd, InclusiveScan)
#elif defined(OP_EXCLUSIVE_ADD)
#define OPERATE         GROUP(OpGroupNonUniformIAdd, ExclusiveScan)
#elif defined(OP_FADD)
#define OPERATE         %small = OpBitwiseAnd %uint %own %low_bits \
                        %number = OpConvertUToF %float %small \
                        %sum = OpGroupNonUniformFAdd %float %subgroup_scope Reduce %number \
                        %got = OpConvertFToU %uint %sum
#elif defined(OP_BALLOT)
#define OPERATE         RARE \
                        %mask = OpGroupNonUniformBallot %uint4 %subgroup_scope %rare \
                        %got = OpCompositeExtract %uint %mask 0
#elif defined(OP_ANY)
#define OPERATE         RARE \
                        %said = OpGroupNonUniformAny %bool %subgroup_scope %rare AS_WORD
#elif defined(OP_ALL_EQUAL)
#define OPERATE         RARE \
                        %kind = OpSelect %uint %rare %one %zero \
                        %said = OpGroupNonUniformAllEqual %bool %subgroup_scope %kind AS_WORD
#elif defined(OP_ELECT)
#define OPERATE         %said = OpGroupNonUniformElect %bool %subgroup_scope AS_WORD
#elif defined(OP_BROADCAST_FIRST)
#define OPERATE         %got = OpGroupNonUniformBroadcastFirst %uint %subgroup_scope %own
#elif defined(OP_SHUFFLE)
#define OPERATE         %other = OpBitwiseXor %uint %lane %one \
                        %got = OpGroupNonUniformShuffle %uint %subgroup_scope %own %other
#elif defined(OP_ATOMIC_ADD)
#define OPERATE         %ignored = OpAtomicIAdd %uint %total_at %device_scope %no_semantics %own
#endif
