; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of a kernel with cooperative matrices: how many elements a lane has, common/place.h,
; and where the subgroup's matrices begin in shared memory.

%lanes_of_subgroup    = OpLoad %uint %subgroup_size_input
%results              = OpUDiv %uint %matrix_elements %lanes_of_subgroup
#include "../common/place.h"
%matrix_start         = OpIMul %uint %subgroup %matrix_elements
%floats_at            = OpAccessChain %shared_float %floats %matrix_start
