// SPDX-License-Identifier: Apache-2.0
// From a configuration of a test to a kernel.
#include "reduce/reduce.h"

#include "base/spirv.h"
#include "engine/protocol.h"
#include "model/check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The push constants of tests (docs/test-format.md): addresses (a kernel has none),
// elements, the run's seed.
#define SEED 1

enum { PUSH_ELEMENTS = 24, PUSH_SEED = 28, PUSH_SIZE = 32 };

static bool takes_addresses(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == SpvOpCapability &&
            spirv_operand(&each, 1, 0) == SpvCapabilityPhysicalStorageBufferAddresses)
            return true;
    return false;
}

static uint32_t *fill(size_t count, uint32_t value)
{
    uint32_t *words = lit_alloc(count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = value;
    return words;
}

static void take_interface(const struct eng_prepared *ready, struct cat_package *package)
{
    struct cat_interface *interface = &package->interface;
    const uint32_t elements = ready->shape.elements, seed = eng_run_seed(ready->stream, 0);
    snprintf(interface->entry, sizeof interface->entry, "main");
    interface->rows = interface->layers = 1;
    interface->full = ready->bound->full;
    interface->sized = true;
    interface->push_size = PUSH_SIZE;
    memcpy(interface->push + PUSH_ELEMENTS, &elements, sizeof elements);
    memcpy(interface->push + PUSH_SEED, &seed, sizeof seed);
    for (uint32_t i = 0; i < CAT_REGIONS; i++)
        if (package->region_words[i])
            interface->bindings[interface->binding_count++] = (struct cat_binding){
                .binding = i, .region = (enum cat_region)i, .words = package->region_words[i]};
    // An array of parts of the input.
    for (size_t i = CAT_REGIONS; i < ready->bound->binding_count; i++)
        interface->bindings[interface->binding_count++] = ready->bound->bindings[i];
}

static void take_words(const struct eng_prepared *ready, struct cat_package *package)
{
    const struct cat_shape *shape = &ready->shape;
    const size_t outputs = shape->instances * shape->words_per_instance;
    package->region_words[CAT_INPUT] = shape->input_words;
    package->region_words[CAT_OUTPUT] = package->expected_words = outputs;
    package->region_words[CAT_STATE] = shape->state_words;
    package->region[CAT_INPUT] = fill(shape->input_words, 0);
    if (shape->input_words)
        memcpy(package->region[CAT_INPUT], ready->input, shape->input_words * 4);
    package->region[CAT_OUTPUT] = fill(outputs, CAT_POISON);
    package->region[CAT_STATE] = fill(shape->state_words, 0);
    package->expected = fill(outputs, CAT_POISON);
    if (ready->mode.check == CAT_CHECK_EQUAL)
        memcpy(package->expected, ready->expected, outputs * 4);
}

// All but the module's words.
static bool take_all(const struct eng_prepared *ready, const char *what, const uint32_t *words,
                     struct cat_package *package, struct lit_error *error)
{
    const struct cat_test *test = ready->which.test;
    if (takes_addresses(words, ready->module->count))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "it takes its buffers by address; use the variant with access=descriptor");
    for (const char *c = test->head.name; *c; c++)
        text_append(&package->name, isalnum((unsigned char)*c) ? c : "-", 1);
    text_puts(&package->origin, what);
    package->groups = ready->shape.workgroups;
    package->workgroup = ready->args.workgroup;
    package->subgroup = ready->args.subgroup;
    package->specs = lit_alloc(ready->spec_count + 1, sizeof *package->specs);
    for (size_t i = 0; i < ready->spec_count; i++)
        package->specs[package->spec_count++] =
            (struct cat_spec){ready->spec_ids[i], ready->spec_values[i]};
    take_words(ready, package);
    take_interface(ready, package);
    return package->groups > 0 || lit_fail(error, LIT_EXIT_USAGE, "it dispatches no workgroup");
}

// The seed of what it was found with stands in a generated program's name: "...-5eed-17".
static uint64_t seed_of(const char *name)
{
    const char *last = strrchr(name, '-'), *at = last;
    while (at && at > name && at[-1] != '-')
        at--;
    return last && at > name ? strtoull(at, NULL, 16) : SEED;
}

bool red_package_take(const struct cat_case *which, const struct dev_facts *facts, bool *loose,
                      struct cat_package *package, struct lit_error *error)
{
    const struct cat_test *test = which->test;
    OWNED(eng_prepared_clear) struct eng_prepared ready = {0};
    OWNED(text_free) struct text what = {0};
    if (test->package)
        return lit_fail(error, LIT_EXIT_USAGE, "a litmus test is not reduced");
    const struct eng_prepare how = {.which = which,
                                    .facts = facts,
                                    .scale = test->head.program ? eng_draw_workgroups(facts) : 0,
                                    .most_words = CAT_PACKAGE_BYTES / 4};
    if (!eng_prepare(&how, &ready, error))
        return false;
    cat_case_name(which, &what);
    eng_prepare_data(&ready, test->head.program ? seed_of(test->head.name) : SEED);
    *loose = ready.mode.check != CAT_CHECK_EQUAL;
    const uint32_t *words = cat_module_words(test, ready.module);
    package->words =
        cat_ids_insert(words, ready.module->count, cat_module_names(test, ready.module),
                       ready.module->names_size, &package->word_count);
    return take_all(&ready, what.data, words, package, error);
}
