// SPDX-License-Identifier: Apache-2.0
// A product of cooperative matrices, M rows of halves.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint M = 16;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer B { float b[]; };
void main()
{
    coopmat<float16_t, gl_ScopeSubgroup, M, 16, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
    coopmat<float, gl_ScopeSubgroup, M, 16, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeSubgroup, M, 16, gl_MatrixUseAccumulator>(0.0);
    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(coopMatMulAdd(x, y, z), b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
