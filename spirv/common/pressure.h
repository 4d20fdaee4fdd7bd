; SPDX-License-Identifier: Apache-2.0
;
; The axis `pressure`, for a kernel that has no function but %main: before it.

#include "pressure-types.h"
#include "pressure-load.h"
