// SPDX-License-Identifier: Apache-2.0
// Kernels of sections (dispatch.txt has what they share), dispatched on a machine.
#pragma once

#include "assemble.h"
#include "schedule/machine.h"

enum { LINES = 16 };

static struct {
    struct settings settings;
    struct program *program;
    struct region local[8];
    struct dispatch dispatch;
    struct regions *regions;
    struct machine *machine;
    char lines[LINES][512]; // what the machine said; the first, why the kernel was refused
    uint32_t line_count;
} world;

#define REGION(array)                                                                              \
    (struct region)                                                                                \
    {                                                                                              \
        .bytes = (unsigned char *)(array), .size = sizeof(array)                                   \
    }

static void say(void *user, const char *line)
{
    (void)user;
    assert_true(world.line_count < LINES);
    snprintf(world.lines[world.line_count++], sizeof world.lines[0], "%s", line);
}

// Compiles a kernel. Returns whether it was accepted.
static inline bool compile(const char *settings, const char *kernel)
{
    static struct assembly assembly;
    char error[512] = "";
    memset(&world, 0, sizeof world);
    if (!settings_parse(settings, &world.settings, error, sizeof error))
        fail_msg("%s", error);
    assemble(&assembly, kernel);
    const struct program_options options = {.entry = "main",
                                            .subgroup = world.settings.subgroup,
                                            .local_size_max = 1024,
                                            .shared_max = 1024,
                                            .operators = world.settings.operators,
                                            .seed = world.settings.seed};
    world.program = program_compile(assembly.words, assembly.count, &options, world.lines[0],
                                    sizeof world.lines[0]);
    return world.program != NULL;
}

// Compiles a kernel and makes a machine, for one workgroup. Binding 0 is `out`, others are `in`.
static inline void begin(const char *settings, const char *kernel, struct region out,
                         struct region in)
{
    if (!compile(settings, kernel))
        fail_msg("%s", world.lines[0]);
    assert_in_range(2 + world.program->region_count, 2, sizeof world.local / sizeof *world.local);
    for (uint32_t i = 0; i < world.program->resource_count; i++)
        world.local[world.program->resources[i].first_region - LOCAL_SHARED] =
            world.program->resources[i].binding ? in : out;
    world.dispatch = (struct dispatch){.program = world.program,
                                       .groups = {1, 1, 1},
                                       .local = world.local,
                                       .local_count = 2 + world.program->region_count};
    world.regions = regions_create();
    world.machine = machine_create(&world.settings, world.regions, say, NULL);
    assert_non_null(world.machine);
}

static inline enum dispatch_end dispatch(void)
{
    return machine_dispatch(world.machine, &world.dispatch);
}

static inline void finish(void)
{
    machine_free(world.machine);
    regions_free(world.regions);
    program_free(world.program);
}
