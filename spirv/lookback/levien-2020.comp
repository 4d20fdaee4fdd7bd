// SPDX-License-Identifier: Apache-2.0
//
// lookback.levien-2020 as a programmer writes it: the GLSL variant of levien-2020.spvasm. What becomes of
// `volatile` is the front end's.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#ifdef ACCESS_VOLATILE
#define STATE_QUALIFIER volatile
#endif
#include "../common/interface.glsl"

layout(constant_id = 1) const uint row_count = 4;
const uint tile_width = workgroup_width * row_count;

// How often an invocation looks at a tile before it gives up.
#ifdef ACCESS_PLAIN
const uint most_looks = 0x40000;
#else
const uint most_looks = 0x100000;
#endif

// The words of `state`: whether a wait ran out, the ticket, and four of each tile from the fourth on: its
// flag, the sum of the tile, the sum of the tile and all before it.
const uint gave_up_word = 0, ticket_word = 1;
const uint nothing = 0, alone = 1, through = 2;

shared uint shared_tile;
shared uint totals[workgroup_width];
shared uint shared_before;
shared bool shared_gave_up;

uint flag_word(uint tile)
{
    return 4u + 4u * tile;
}

// The sum that a flag speaks of is as many words behind it.
void publish(uint tile, uint flag, uint sum)
{
    uint at = flag_word(tile);
#ifdef ACCESS_ATOMIC
    atomicStore(state.data[at + flag], sum, gl_ScopeDevice, 0, 0);
    atomicStore(state.data[at], flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
#else
    state.data[at + flag] = sum;
    state.data[at] = flag;
#endif
}

uint load_flag(uint tile)
{
#ifdef ACCESS_ATOMIC
    return atomicLoad(state.data[flag_word(tile)], gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire);
#else
    return state.data[flag_word(tile)];
#endif
}

uint load_sum(uint tile, uint flag)
{
#ifdef ACCESS_ATOMIC
    return atomicLoad(state.data[flag_word(tile) + flag], gl_ScopeDevice, 0, 0);
#else
    return state.data[flag_word(tile) + flag];
#endif
}

// The sum of all tiles before this one, from one tile after the other to the left; found, or given up.
bool look_back(uint tile_number, out uint before)
{
    before = 0u;
    uint tile = tile_number;
    uint flag;
    do {
        tile--;
        bool is_hopeful = atomicLoad(state.data[gave_up_word], gl_ScopeDevice, 0, 0) == 0u;
        uint looks = 0u;
        do {
            flag = load_flag(tile);
            looks++;
        } while (flag == nothing && looks < most_looks && is_hopeful);
        before += load_sum(tile, flag);
    } while (flag == alone);
    return flag == through;
}

void main() RECONVERGES
{
    uint lane = gl_SubgroupInvocationID;
    uint last_lane = gl_SubgroupSize - 1u;
    uint subgroup_begin = gl_SubgroupID * gl_SubgroupSize;
    uint invocation = subgroup_begin + lane;
    if (invocation == 0u)
        shared_tile = atomicAdd(state.data[ticket_word], 1u);
    barrier();
    uint tile_number = shared_tile;

    // Scan this subgroup's rows, each on top of those before it.
    uint first_place = tile_number * tile_width + subgroup_begin * row_count + lane;
    uint rows[row_count];
    uint subgroup_total = 0u;
    for (uint row = 0u; row < row_count; row++) {
        uint place = first_place + row * gl_SubgroupSize;
        bool exists = place < parameters.elements;
        uint word = source.data[exists ? place : 0u];
        rows[row] = subgroup_total + subgroupInclusiveAdd(exists ? word : 0u);
        subgroup_total = subgroupShuffle(rows[row], last_lane);
    }

    // The totals of the subgroups: add up those before this one.
    if (lane == last_lane)
        totals[gl_SubgroupID] = subgroup_total;
    barrier();
    uint before_subgroup = 0u;
    for (uint other = 0u; other < gl_SubgroupID; other++)
        before_subgroup += totals[other];

    // The last invocation has the sum of the tile. It publishes it, and looks back.
    if (invocation == workgroup_width - 1u) {
        uint tile_sum = before_subgroup + subgroup_total;
        uint before = 0u;
        bool is_found = true;
        if (tile_number != 0u) {
            publish(tile_number, alone, tile_sum);
            is_found = look_back(tile_number, before);
        }
        if (is_found)
            publish(tile_number, through, before + tile_sum);
        else
            atomicStore(state.data[gave_up_word], 1u, gl_ScopeDevice, 0, 0);
        shared_before = before;
        shared_gave_up = !is_found;
    }
    barrier();

    // Store the rows, on top of all that is before them.
    uint before_part = shared_before + before_subgroup;
    if (!shared_gave_up) {
        for (uint row = 0u; row < row_count; row++) {
            uint place = first_place + row * gl_SubgroupSize;
            if (place < parameters.elements)
                result.data[place] = before_part + rows[row];
        }
    }
}
