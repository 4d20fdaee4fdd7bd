; SPDX-License-Identifier: Apache-2.0
;
; The tests of the family `sync-matrix`, first page: after interface.h. A test writes its capabilities,
; includes this page, says how OPERATE(result, value) makes a result of a value by the operation in question,
; and includes matrix-enter.h, matrix-operate.h and matrix-leave.h. Two run-time parameters: who has work to
; do alone, and how many rounds that work is. A third, the number of iterations, comes in the push constants:
; no compiler can unroll the loop.

                        OpDecorate %elected SpecId 1
                        OpDecorate %weight SpecId 2
#include "interface-types.h"
%elected              = OpSpecConstant %uint 0
%weight               = OpSpecConstant %uint 16
%uint4                = OpTypeVector %uint 4
%three                = OpConstant %uint 3
%four                 = OpConstant %uint 4

; The tail, of as many rounds as `iterations` has at most.
%most_iterations      = OpConstant %uint 16
#define MOST_ROUNDS %most_iterations
#include "tail-types.h"
