// SPDX-License-Identifier: Apache-2.0
// Specialization constants of each type.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 4) const uint64_t wide = 1ul;
layout(constant_id = 5) const int64_t signs = 1l;
layout(constant_id = 6) const double real = 1.0lf;
layout(constant_id = 7) const float single = 1.0;
layout(constant_id = 8) const bool truth = false;
layout(constant_id = 9) const uint narrow = 1u;
layout(binding = 0) buffer A { uint64_t a[3]; uint b[3]; };
void main() { a[0] = wide; a[1] = uint64_t(signs); a[2] = doubleBitsToUint64(real);
              b[0] = floatBitsToUint(single); b[1] = uint(truth); b[2] = narrow; }
