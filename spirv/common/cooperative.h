; SPDX-License-Identifier: Apache-2.0
;
; What tests of cooperative matrices share: rows x columns elements of type ELEMENT in shared memory. Each lane
; puts its part there, and fetches rows * columns / lanes elements after the work. Element (row, column) has number
; columns * row + column; element e is that of lane e % lanes, and made of this lane's word. Up to eight
; subgroups have room for a matrix of 16 x 16.

#ifndef ELEMENT
%float                = OpTypeFloat 32
#define ELEMENT %float
#endif
#ifdef ROWS_8
%rows                 = OpConstant %uint 8
#else
%rows                 = OpConstant %uint 16
#endif
#ifdef COLUMNS_8
%columns              = OpConstant %uint 8
#else
%columns              = OpConstant %uint 16
#endif
%matrix_elements      = OpConstant %uint 256
%twist                = OpConstant %uint 0x10193
%by_rows              = OpConstant %uint 0  ; RowMajorKHR
%by_columns           = OpConstant %uint 1  ; ColumnMajorKHR
%matrix_a             = OpConstant %uint 0
%matrix_b             = OpConstant %uint 1
%accumulator          = OpConstant %uint 2
%room                 = OpConstant %uint 2048
%matrix               = OpTypeCooperativeMatrixKHR ELEMENT %subgroup_scope %rows %columns %accumulator
%element_array        = OpTypeArray ELEMENT %room
%element_array_pointer = OpTypePointer Workgroup %element_array
%shared_element       = OpTypePointer Workgroup ELEMENT
%matrices             = OpVariable %element_array_pointer Workgroup
#include "../common/shared-barrier.h"
#define SYNCHRONIZE OpControlBarrier %subgroup_scope %subgroup_scope %barrier_semantics
