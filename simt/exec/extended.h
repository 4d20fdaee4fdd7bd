// SPDX-License-Identifier: Apache-2.0
// The parts of GLSL.std.450, with a selector each. Modf and Frexp, which write through a pointer,
// are compiled as ModfStruct or FrexpStruct and a store.
#pragma once

#include "program/execution.h"
#include "program/instructions.h"

insn_select select_extended_float;    // component by component
insn_select select_extended_integer;  // component by component
insn_select select_extended_geometry; // whole vectors and matrices
insn_select select_extended_pack;     // packing and unpacking
