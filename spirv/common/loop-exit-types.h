; SPDX-License-Identifier: Apache-2.0
;
; What loop-exit.h needs: the number of rounds, and a lane's value, as a front end would declare it.
%rounds               = OpConstant %uint 8
%private_uint         = OpTypePointer Private %uint
%value                = OpVariable %private_uint Private
