; SPDX-License-Identifier: Apache-2.0
;
; Where a lane of a loop test that works in the tail keeps its numbers and hands them out: from its %worker
; (1, 2 and so on in each subgroup, 0 if it does not work), the subgroup's %instance_start in `output`, and
; what own-subgroup.h says.

%is_worker            = OpINotEqual %bool %worker %zero
%workers_before       = OpISub %uint %worker %one

; Shared memory: a word for each iteration.
%most_workers         = OpUDiv %uint %subgroup_size %two
%kept_before_subgroup = OpIMul %uint %subgroup %most_workers
%kept_before          = OpIAdd %uint %kept_before_subgroup %workers_before
%kept_start           = OpIMul %uint %kept_before %iterations

; `output`: the same, behind what the lanes received.
%exchange_words       = OpIMul %uint %iterations %subgroup_size
#define EXCHANGED_WORDS %exchange_words
%tails_start          = OpIAdd %uint %instance_start %exchange_words
%handed_before        = OpIMul %uint %workers_before %iterations
%tail_start           = OpIAdd %uint %tails_start %handed_before
