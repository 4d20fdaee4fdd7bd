; SPDX-License-Identifier: Apache-2.0
;
; The tests of the family `sync-matrix`: the operation in question. The test has defined
;     OPERATE(result, value)   makes `result` of `value` by the operation
; which makes %result of %value here. Under pressure it stands in both arms of a branch that the first
; subgroup takes one way and the others the other: reductions in such a branch are what compilers treat
; apart. The other arm's value is made with a zero that only the run knows, so that no compiler can
; take the arms for equal.

#ifdef UNDER_PRESSURE
%is_first_subgroup    = OpIEqual %bool %subgroup %zero
                        OpSelectionMerge %operated None
                        OpBranchConditional %is_first_subgroup %operate_first %operate_other
%operate_first        = OpLabel
                        OPERATE(%result_first, %value)
                        OpBranch %operated
%operate_other        = OpLabel
%value_of_others      = OpIAdd %uint %value %live_zero
                        OPERATE(%result_other, %value_of_others)
                        OpBranch %operated
%operated             = OpLabel
%result               = OpPhi %uint %result_first %operate_first %result_other %operate_other
#define BEFORE_TAIL %operated
#else
                        OPERATE(%result, %value)
#define BEFORE_TAIL %loop_body
#endif
