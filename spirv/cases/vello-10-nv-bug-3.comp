// SPDX-License-Identifier: Apache-2.0
//
// cases.vello-10-nv-bug-3 as a programmer writes it: the GLSL variant of vello-10-nv-bug-3.spvasm.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../common/interface.glsl"

const uint result_count = 12;
#include "../common/place.glsl"

struct Element {
    vec4 a;
    vec2 b;
    vec4 c;
    float d;
    uint e;
};

// Shared memory, and how an element gets there and back.
#ifdef LAYOUT_STRUCTS
shared Element elements[workgroup_width];

void put(uint at, Element value)
{
    elements[at] = value;
}

Element get(uint at)
{
    return elements[at];
}
#else
shared vec4 elements_a[workgroup_width];
shared vec2 elements_b[workgroup_width];
shared vec4 elements_c[workgroup_width];
shared float elements_d[workgroup_width];
shared uint elements_e[workgroup_width];

void put(uint at, Element value)
{
    elements_a[at] = value.a;
    elements_b[at] = value.b;
    elements_c[at] = value.c;
    elements_d[at] = value.d;
    elements_e[at] = value.e;
}

Element get(uint at)
{
    return Element(elements_a[at], elements_b[at], elements_c[at], elements_d[at], elements_e[at]);
}
#endif

Element add(Element left, Element right)
{
    return Element(left.a + right.a, left.b + right.b, left.c + right.c, left.d + right.d,
                   left.e + right.e);
}

void main() RECONVERGES
{
    // The invocation's element: four small numbers of its word, in every member.
    uint invocation = own_invocation();
    uint own = own_word();
    vec4 four = vec4((uvec4(own) >> uvec4(0u, 4u, 8u, 12u)) & 15u);
    Element sum = Element(four, four.xy, four.wzyx, four.z, own >> 16u);
    put(invocation, sum);

    for (uint distance = 1u; distance < workgroup_width; distance *= 2u) {
        barrier();
        if (invocation >= distance)
            sum = add(get(invocation - distance), sum);
#ifdef BARRIERS_BOTH
        barrier();
#endif
        put(invocation, sum);
    }

    for (uint i = 0u; i < 4u; i++) {
        store_result(i, uint(sum.a[i]));
        store_result(6u + i, uint(sum.c[i]));
    }
    store_result(4u, uint(sum.b.x));
    store_result(5u, uint(sum.b.y));
    store_result(10u, uint(sum.d));
    store_result(11u, sum.e);
}
