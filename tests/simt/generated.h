// SPDX-License-Identifier: Apache-2.0
// Runs a generated program on the simulator.
#pragma once

#include "generate/module.h"
#include "program/address.h"
#include "schedule/machine.h"

#include "../unit/unit.h"

static void say(void *user, const char *line)
{
    print_message("%s\n", line);
}

// One workgroup of `lanes` invocations with these input words. What is not stored in the output
// keeps the bytes 0xEE. False with a message if it did not run to its end.
static bool generated_run(const struct gen_program *source, enum masks_rule rule,
                          const struct settings *settings, uint32_t lanes, uint32_t *words,
                          uint32_t *output, size_t size)
{
    char error[512] = "";
    struct gen_module module;
    const struct program_constant width = {.size = 4, .value = lanes};
    const struct program_options options = {.entry = "main",
                                            .constants = &width,
                                            .constant_count = 1,
                                            .subgroup = settings->subgroup,
                                            .local_size_max = 1024,
                                            .shared_max = 65536};
    gen_module_make(source, rule, &module);
    struct program *program =
        program_compile(module.words, module.count, &options, error, sizeof(error));
    gen_module_clear(&module);
    if (!program) {
        print_message("%s\n", error);
        return false;
    }
    memset(output, 0xEE, size);
    uint32_t push[8] = {[6] = settings->subgroup};
    const size_t state_size = (size_t)gen_state_words(source, 1, lanes) * 4;
    unsigned char *state = calloc(1, state_size);
    const struct region bound[] = {{.bytes = (unsigned char *)words, .size = lanes * 4},
                                   {.bytes = (unsigned char *)output, .size = size},
                                   {.bytes = state, .size = state_size}};
    struct region local[16] = {[1] = {.bytes = (unsigned char *)push, .size = sizeof(push)}};
    for (uint32_t i = 0; i < program->resource_count; i++)
        local[program->resources[i].first_region - LOCAL_SHARED] =
            bound[program->resources[i].binding];
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(settings, regions, say, NULL);
    const struct dispatch dispatch = {
        .program = program, .groups = {1, 1, 1}, .local = local, .local_count = 16};
    const enum dispatch_end end = machine_dispatch(machine, &dispatch);
    machine_free(machine);
    regions_free(regions);
    program_free(program);
    free(state);
    return end == DISPATCH_DONE;
}
