; SPDX-License-Identifier: Apache-2.0
;
; The first instructions of a kernel with cooperative matrices: how many elements a lane has, common/place.h,
; and where the subgroup's matrix begins in shared memory.

%lanes_of_subgroup    = OpLoad %uint %subgroup_size_input
%elements_in_use      = OpIMul %uint %rows %columns
%results              = OpUDiv %uint %elements_in_use %lanes_of_subgroup
#include "../common/place.h"
%matrix_start         = OpIMul %uint %subgroup %matrix_elements
%matrix_at            = OpAccessChain %shared_element %matrices %matrix_start
