// SPDX-License-Identifier: Apache-2.0
// The parts of GLSL.std.450, each a selector for the instructions of its own. Modf and Frexp, which
// write through a pointer, are not here: what they do is ModfStruct or FrexpStruct, and a store.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"

insn_select select_extended_float;    // exec/extended_float.c: component by component
insn_select select_extended_integer;  // exec/extended_integer.c: component by component
insn_select select_extended_geometry; // exec/extended_geometry.c: vectors and matrices as a whole
insn_select select_extended_pack;     // exec/extended_pack.c
