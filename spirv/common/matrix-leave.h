; SPDX-License-Identifier: Apache-2.0
;
; The tests of the family `sync-matrix`, last page: from the operation's %result to the end of the kernel.

%result_index         = OpIAdd %uint %own_start %iteration_start
%result_word          = OpAccessChain %word_pointer %output %buffer_words %result_index
                        OpStore %result_word %result

; The tail: the elected lane alone works for `weight` rounds and keeps what it made, in a word for each
; iteration. The next tail goes on from there.
                        OpSelectionMerge %tail_done None
                        OpBranchConditional %is_elected %tail %tail_done
%tail                 = OpLabel
%work_carried         = OpIMul %uint %work %multiplier
%work_start           = OpIAdd %uint %work_carried %result
#define WORK_START %work_start
#define WORK_FROM %tail
#include "../common/tail-work.h"
%kept_slot            = OpIAdd %uint %kept_start %iteration
%kept                 = OpAccessChain %shared_uint %works %kept_slot
                        OpStore %kept %worked
                        OpBranch %tail_done

; Here the subgroup comes together for the next iteration.
%tail_done            = OpLabel
%work_next            = OpPhi %uint %work BEFORE_TAIL %worked %work_done
#ifdef SYNC_WORKGROUP
                        OpControlBarrier %workgroup_scope %workgroup_scope %acquire_release_shared
#endif
                        OpBranch %loop_next
%loop_next            = OpLabel
%iteration_next       = OpIAdd %uint %iteration %one
                        OpBranch %loop
%loop_done            = OpLabel

; ---- After the loop ------------------------------------------------------------------------------
#include "round-release.h"
#define HANDS_OUT %is_elected
#define KEPT_COUNT %iterations
#include "../common/tail-out.h"
                        OpReturn
                        OpFunctionEnd
