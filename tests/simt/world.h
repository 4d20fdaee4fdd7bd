// SPDX-License-Identifier: Apache-2.0
// For tests of memory: some memory, and invocations of two workgroups that one thread executes.
#pragma once

#include "../unit/unit.h"

#include "program/execution.h"
#include "program/instructions.h"
#include "memory/order.h"
#include "memory/past.h"
#include "memory/regions.h"

#define WORLD_GROUPS    2
#define WORLD_SUBGROUPS 2
#define WORLD_WIDTH     4
#define WORLD_BYTES     256

// Semantics as in SPIR-V.
#define ACQUIRE         0x2u
#define RELEASE         0x4u
#define ACQUIRE_RELEASE 0x8u
#define UNIFORM         0x40u
#define SHARED          0x100u
#define IMAGE           0x800u
#define AVAILABLE       0x2000u
#define VISIBLE         0x4000u

enum { DEVICE = 1, WORKGROUP = 2, SUBGROUP = 3, INVOCATION = 4, QUEUE_FAMILY = 5 }; // scopes

struct actor {
    uint8_t group, subgroup, lane;
};

// Its memory begins at a page, and is not on the stack: what collides is the same in every run.
struct world {
    _Alignas(4096) unsigned char bytes[WORLD_BYTES];
    _Alignas(4096) unsigned char shared[WORLD_GROUPS][WORLD_BYTES];
    struct regions *regions;
    uint64_t buffer; // address of `bytes`
    struct past *past;
    struct order *all_orders[ORDER_TORN + 1][WORLD_GROUPS]; // by rules
    struct order **orders;                                  // that are in use
    struct program program;
    struct exec exec;
};

static struct world world;

// The exec, aimed at an invocation.
static inline struct exec *world_as(struct actor actor)
{
    world.exec.order = world.orders[actor.group];
    world.exec.shared = world.shared[actor.group];
    world.exec.shared_size = WORLD_BYTES;
    world.exec.subgroup_id = actor.subgroup;
    world.exec.group_id[0] = actor.group;
    return &world.exec;
}

// All workgroups end: memory is what everybody stored.
static inline void world_finish(void)
{
    for (uint8_t i = 0; i < WORLD_GROUPS; i++)
        order_finish(world_as((struct actor){i, 0, 0}));
}

static int world_create(void **state)
{
    world.regions = regions_create();
    world.past = past_create();
    assert_non_null(world.regions);
    assert_non_null(world.past);
    world.buffer = region_address(
        regions_add(world.regions, (struct region){.bytes = world.bytes, .size = WORLD_BYTES}), 0);
    for (unsigned rules = 0; rules <= ORDER_TORN; rules++)
        for (unsigned i = 0; i < WORLD_GROUPS; i++) {
            world.all_orders[rules][i] =
                order_create(rules, WORLD_SUBGROUPS, WORLD_WIDTH, world.past);
            assert_non_null(world.all_orders[rules][i]);
        }
    world.orders = world.all_orders[ORDER_VULKAN];
    return 0;
}

static int world_free(void **state)
{
    for (unsigned rules = 0; rules <= ORDER_TORN; rules++)
        for (unsigned i = 0; i < WORLD_GROUPS; i++)
            order_free(world.all_orders[rules][i]);
    past_free(world.past);
    regions_free(world.regions);
    return 0;
}

// Everything is zero, and nothing has happened.
static inline void world_begin(uint64_t seed, enum order_rules rules, bool vulkan)
{
    assert_int_equal(world.exec.fault.kind, EXEC_NO_FAULT);
    world_finish();
    world.orders = world.all_orders[rules];
    past_forget(world.past);
    memset(world.bytes, 0, sizeof world.bytes);
    memset(world.shared, 0, sizeof world.shared);
    world.program.vulkan_memory_model = vulkan;
    world.exec.program = &world.program;
    world.exec.regions = world.regions;
    world.exec.random = seed * UINT64_C(0x2545f4914f6cdd1d);
    world.exec.width = WORLD_WIDTH;
}

static inline uint32_t world_draw(uint32_t below)
{
    return (uint32_t)(exec_random(&world.exec) >> 16) % below;
}
