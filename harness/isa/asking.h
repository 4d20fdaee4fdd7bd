// SPDX-License-Identifier: Apache-2.0
// Exchanges that nvidia's compiler writes to find out whether the lanes of a mask are together: all
// that they give goes into a BRA.CONV or BRA.DIV. Lanes that are apart there get an answer that
// sends them to a WARPSYNC, so that such an exchange is none of the program's.
#pragma once

#include "isa/flow.h"

bool asking_only(const struct sass_code *code, const struct flow *flow, size_t node, size_t insn);
