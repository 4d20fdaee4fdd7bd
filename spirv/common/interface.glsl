// SPDX-License-Identifier: Apache-2.0
//
// What every GLSL variant shares: the interface of interface.h, as a front end is given it. The
// GLSL variant enables its own extensions before it includes this file, and may define
// STATE_QUALIFIER, of the buffer `state`, and INPUT_QUALIFIER, of `input`.

#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#ifdef RECONVERGENCE_SUBGROUP_UNIFORM
#extension GL_EXT_subgroup_uniform_control_flow : require
#define RECONVERGES [[subgroup_uniform_control_flow]]
#elif defined(RECONVERGENCE_MAXIMAL)
#extension GL_EXT_maximal_reconvergence : require
#define RECONVERGES [[maximally_reconverges]]
#else
#define RECONVERGES
#endif

// The workgroup is workgroup_width x 1 x 1, and the width is specialization constant 0.
layout(local_size_x_id = 0, local_size_y = 1, local_size_z = 1) in;
const uint workgroup_width = gl_WorkGroupSize.x;

#ifndef STATE_QUALIFIER
#define STATE_QUALIFIER
#endif
#ifndef INPUT_QUALIFIER
#define INPUT_QUALIFIER
#endif
layout(set = 0, binding = 0, std430) INPUT_QUALIFIER buffer Input { uint data[]; } source;
layout(set = 0, binding = 1, std430) buffer Output { uint data[]; } result;
layout(set = 0, binding = 2, std430) STATE_QUALIFIER buffer State { uint data[]; } state;

layout(push_constant) uniform Parameters {
    uvec2 input_address, output_address, state_address;
    uint elements, seed;
} parameters;
