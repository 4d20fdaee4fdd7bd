; SPDX-License-Identifier: Apache-2.0
;
; What tests of cooperative matrices share: 16 x 16 elements, of which each lane puts 256 / lanes into shared
; memory and fetches them behind the work. Element (row, column) has number 16 row + column; element e is
; that of lane e % lanes, and made of this lane's word. Up to eight subgroups have room for a matrix.

%float                = OpTypeFloat 32
%side                 = OpConstant %uint 16
%matrix_elements      = OpConstant %uint 256
%twist                = OpConstant %uint 0x10193
%by_rows              = OpConstant %uint 0  ; RowMajorKHR
%by_columns           = OpConstant %uint 1  ; ColumnMajorKHR
%matrix_a             = OpConstant %uint 0
%matrix_b             = OpConstant %uint 1
%accumulator          = OpConstant %uint 2
%room                 = OpConstant %uint 2048
%float_matrix         = OpTypeCooperativeMatrixKHR %float %subgroup_scope %side %side %accumulator
%float_array          = OpTypeArray %float %room
%float_array_pointer  = OpTypePointer Workgroup %float_array
%shared_float         = OpTypePointer Workgroup %float
%floats               = OpVariable %float_array_pointer Workgroup
#include "../common/shared-barrier.h"
#define SYNCHRONIZE OpControlBarrier %subgroup_scope %subgroup_scope %barrier_semantics
