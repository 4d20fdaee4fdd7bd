// SPDX-License-Identifier: Apache-2.0
// The reproducer in C and its Makefile: fills a configuration into the template.

#include "repro/repro.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// template.c, template_device.c and template_test.c, terminated; the build makes them.
extern const char repro_template[], repro_device[], repro_test[];

#define BEGIN "//<configuration>\n"
#define END   "//</configuration>\n"
#define NEXT  "// What follows stands in a file of its own here"
#define REST  "//<rest>\n"

const struct repro_feature repro_features[CAT_FEATURE_COUNT] = {
    [CAT_FEATURE_BASIC] = {"operations & VK_SUBGROUP_FEATURE_BASIC_BIT",
                           "SubgroupSupportedOperations.basic", NULL},
    [CAT_FEATURE_VOTE] = {"operations & VK_SUBGROUP_FEATURE_VOTE_BIT",
                          "SubgroupSupportedOperations.vote", NULL},
    [CAT_FEATURE_ARITHMETIC] = {"operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT",
                                "SubgroupSupportedOperations.arithmetic", NULL},
    [CAT_FEATURE_BALLOT] = {"operations & VK_SUBGROUP_FEATURE_BALLOT_BIT",
                            "SubgroupSupportedOperations.ballot", NULL},
    [CAT_FEATURE_SHUFFLE] = {"operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT",
                             "SubgroupSupportedOperations.shuffle", NULL},
    [CAT_FEATURE_SHUFFLE_RELATIVE] = {"operations & VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT",
                                      "SubgroupSupportedOperations.shuffleRelative", NULL},
    [CAT_FEATURE_CLUSTERED] = {"operations & VK_SUBGROUP_FEATURE_CLUSTERED_BIT",
                               "SubgroupSupportedOperations.clustered", NULL},
    [CAT_FEATURE_QUAD] = {"operations & VK_SUBGROUP_FEATURE_QUAD_BIT",
                          "SubgroupSupportedOperations.quad", NULL},
    [CAT_FEATURE_PARTITIONED] =
        {"has.plain[0] && (operations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV)", NULL,
         "VK_NV_shader_subgroup_partitioned"},
    [CAT_FEATURE_OLD_BALLOT] = {"has.plain[1]", NULL, "VK_EXT_shader_subgroup_ballot"},
    [CAT_FEATURE_OLD_VOTE] = {"has.plain[2]", NULL, "VK_EXT_shader_subgroup_vote"},
    [CAT_FEATURE_ROTATE] = {"compute && HAS_ROTATE", NULL, "VK_KHR_shader_subgroup_rotate"},
    [CAT_FEATURE_ROTATE_CLUSTERED] = {"compute && HAS_ROTATE_CLUSTERED", NULL, NULL},
    [CAT_FEATURE_INT8] = {"has.float16_int8.shaderInt8", "Float16Int8Features.shaderInt8", NULL},
    [CAT_FEATURE_INT16] = {"has.base.features.shaderInt16", "shaderInt16", NULL},
    [CAT_FEATURE_INT64] = {"has.base.features.shaderInt64", "shaderInt64", NULL},
    [CAT_FEATURE_FLOAT16] = {"has.float16_int8.shaderFloat16", "Float16Int8Features.shaderFloat16",
                             NULL},
    [CAT_FEATURE_FLOAT64] = {"has.base.features.shaderFloat64", "shaderFloat64", NULL},
    [CAT_FEATURE_INT64_ATOMICS] = {"has.int64_atomics.shaderBufferInt64Atomics", NULL,
                                   "VK_KHR_shader_atomic_int64"},
    [CAT_FEATURE_SHARED_INT64_ATOMICS] = {"has.int64_atomics.shaderSharedInt64Atomics", NULL,
                                          "VK_KHR_shader_atomic_int64"},
    [CAT_FEATURE_FLOAT32_ADD] = {"has.float_atomics.shaderBufferFloat32AtomicAdd", NULL,
                                 "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_SHARED_FLOAT32_ADD] = {"has.float_atomics.shaderSharedFloat32AtomicAdd", NULL,
                                        "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_FLOAT64_ADD] = {"has.float_atomics.shaderBufferFloat64AtomicAdd", NULL,
                                 "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_SHARED_FLOAT64_ADD] = {"has.float_atomics.shaderSharedFloat64AtomicAdd", NULL,
                                        "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_ADDRESSES] = {"has.addresses.bufferDeviceAddress", NULL, NULL},
    [CAT_FEATURE_MEMORY_MODEL] = {"has.memory_model.vulkanMemoryModel",
                                  "VulkanMemoryModelFeatures.vulkanMemoryModel", NULL},
    [CAT_FEATURE_MEMORY_MODEL_DEVICE] = {"has.memory_model.vulkanMemoryModelDeviceScope",
                                         "VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope",
                                         NULL},
    [CAT_FEATURE_MEMORY_MODEL_CHAINS] =
        {"has.memory_model.vulkanMemoryModelAvailabilityVisibilityChains", NULL, NULL},
    [CAT_FEATURE_SUBGROUP_UNIFORM] = {"has.subgroup_uniform.shaderSubgroupUniformControlFlow", NULL,
                                      "VK_KHR_shader_subgroup_uniform_control_flow"},
    [CAT_FEATURE_QUAD_CONTROL] = {"HAS_QUAD_CONTROL", NULL, "VK_KHR_shader_quad_control"},
    [CAT_FEATURE_MAXIMAL] = {"HAS_MAXIMAL", NULL, "VK_KHR_shader_maximal_reconvergence"},
    [CAT_FEATURE_FULL_SUBGROUPS] = {"has.size_control.computeFullSubgroups",
                                    "SubgroupSizeControl.computeFullSubgroups", NULL},
    [CAT_FEATURE_ZERO_INITIALIZE] =
        {"has.zero_initialize.shaderZeroInitializeWorkgroupMemory",
         "ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory", NULL},
    [CAT_FEATURE_BROADCAST_DYNAMIC] = {"has.vulkan12.subgroupBroadcastDynamicId", NULL, NULL},
    [CAT_FEATURE_COOPERATIVE_MATRIX] = {"compute && HAS_MATRIX", NULL, "VK_KHR_cooperative_matrix"},
    [CAT_FEATURE_DESCRIPTORS] = {"has.base.features.shaderStorageBufferArrayDynamicIndexing",
                                 "shaderStorageBufferArrayDynamicIndexing", NULL},
    [CAT_FEATURE_DESCRIPTORS_NON_UNIFORM] =
        {"has.descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing", NULL,
         "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_DESCRIPTORS_UNIFORM] =
        {"has.base.features.shaderUniformBufferArrayDynamicIndexing",
         "shaderUniformBufferArrayDynamicIndexing", NULL},
    [CAT_FEATURE_DESCRIPTORS_UNIFORM_NON_UNIFORM] =
        {"has.descriptor_indexing.shaderUniformBufferArrayNonUniformIndexing", NULL,
         "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_DESCRIPTORS_RUNTIME] = {"has.descriptor_indexing.runtimeDescriptorArray", NULL,
                                         "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_STORAGE16] = {"has.storage16.storageBuffer16BitAccess",
                               "Storage16BitFeatures.storageBuffer16BitAccess",
                               "VK_KHR_16bit_storage"},
    [CAT_FEATURE_UNIFORM16] = {"has.storage16.uniformAndStorageBuffer16BitAccess",
                               "Storage16BitFeatures.uniformAndStorageBuffer16BitAccess",
                               "VK_KHR_16bit_storage"},
    [CAT_FEATURE_PUSH16] = {"has.storage16.storagePushConstant16",
                            "Storage16BitFeatures.storagePushConstant16", "VK_KHR_16bit_storage"},
    [CAT_FEATURE_STORAGE8] = {"has.storage8.storageBuffer8BitAccess",
                              "Storage8BitFeatures.storageBuffer8BitAccess", "VK_KHR_8bit_storage"},
    [CAT_FEATURE_UNIFORM8] = {"has.storage8.uniformAndStorageBuffer8BitAccess",
                              "Storage8BitFeatures.uniformAndStorageBuffer8BitAccess",
                              "VK_KHR_8bit_storage"},
    [CAT_FEATURE_PUSH8] = {"has.storage8.storagePushConstant8",
                           "Storage8BitFeatures.storagePushConstant8", "VK_KHR_8bit_storage"},
    [CAT_FEATURE_VARIABLE_POINTERS_STORAGE] =
        {"has.variable_pointers.variablePointersStorageBuffer",
         "VariablePointerFeatures.variablePointersStorageBuffer", "VK_KHR_variable_pointers"},
    [CAT_FEATURE_VARIABLE_POINTERS] = {"has.variable_pointers.variablePointers",
                                       "VariablePointerFeatures.variablePointers",
                                       "VK_KHR_variable_pointers"},
    [CAT_FEATURE_DOT_PRODUCT] = {"has.dot_product.shaderIntegerDotProduct", NULL,
                                 "VK_KHR_shader_integer_dot_product"},
    [CAT_FEATURE_EXPECT_ASSUME] = {"HAS_EXPECT_ASSUME", NULL, "VK_KHR_shader_expect_assume"},
    // Core in Vulkan 1.2; the driver says for which widths.
    [CAT_FEATURE_FLOAT_CONTROLS] = {"true", NULL, "VK_KHR_shader_float_controls"},
    [CAT_FEATURE_CLOCK] = {"has.clock.shaderSubgroupClock", NULL, "VK_KHR_shader_clock"},
    [CAT_FEATURE_EXTENDED_TYPES] =
        {"compute && has.extended_types.shaderSubgroupExtendedTypes",
         "ShaderSubgroupExtendedTypesFeatures.shaderSubgroupExtendedTypes", NULL},
};

// `format`: for the value, by its type's width.
static void put_define(struct text *out, const char *name, const char *format, uint64_t value,
                       const char *what)
{
    OWNED(text_free) struct text line = {0};
    text_printf(&line, "#define %-18s ", name);
    text_printf(&line, format, value);
    text_printf(out, "%-48s // %s\n", line.data, what);
}
#define WIDE   "UINT64_C(%" PRIu64 ")"
#define NARROW "%" PRIu64 "u"

static void put_outcomes(struct text *out, const struct cat_mode *mode)
{
    uint32_t fails = 0;
    text_puts(out, "static const char *const outcome_names[16] = {\n");
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++) {
        const char *name = cat_mode_name(mode, i);
        if (name)
            text_printf(out, "    [%" PRIu32 "] = \"%s\",%s\n", i, name,
                        cat_mode_fails(mode, i) ? "" : " // no failure");
        fails |= (uint32_t)cat_mode_fails(mode, i) << i;
    }
    text_printf(out, "};\n#define FAILS              0x%04" PRIx32 "u\n", fails);
}

// Puts the first pipeline's numbers, then the others'. An empty array gets `none`.
static void put_numbers(struct text *out, const struct eng_prepared *ready, bool ids,
                        const char *none)
{
    const size_t parts = ready->interface ? ready->interface->part_count : 0;
    size_t count = 0;
    for (size_t p = 0; p <= parts; p++) {
        const struct cat_part *part = p ? &ready->interface->parts[p - 1] : NULL;
        const uint32_t *numbers = part  ? ids ? part->spec_ids : part->spec_values
                                  : ids ? ready->spec_ids
                                        : ready->spec_values;
        const size_t specs = part ? part->spec_count : ready->spec_count;
        for (size_t i = 0; i < specs; i++)
            text_printf(out, "%s%" PRIu32, count++ ? ", " : "", numbers[i]);
    }
    text_printf(out, "%s};\n", count ? "" : none);
}

static void put_constants(struct text *out, const struct eng_prepared *ready)
{
    text_puts(out, "\n// The specialization constants: workgroup size, then the test's own.\n"
                   "static const uint32_t spec_ids[] = {");
    put_numbers(out, ready, true, "0xffffffff"); // no module has this
    text_puts(out, "static const uint32_t spec_values[] = {");
    put_numbers(out, ready, false, "0");
}

static void put_needs(struct text *out, uint64_t features)
{
    text_puts(out, "\n// What the module needs of a device.\n#define NEEDS(need)");
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (features >> i & 1)
            text_printf(out, " \\\n    need(\"%s\", %s)", cat_feature_name((enum cat_feature)i),
                        repro_features[i].condition);
    text_puts(out, "\n");
}

const char *const repro_part_names[CAT_MOST_PARTS] = {
    "part-1.spv",  "part-2.spv",  "part-3.spv",  "part-4.spv",  "part-5.spv",  "part-6.spv",
    "part-7.spv",  "part-8.spv",  "part-9.spv",  "part-10.spv", "part-11.spv", "part-12.spv",
    "part-13.spv", "part-14.spv", "part-15.spv", "part-16.spv"};

// Puts a driver's text as a C string, with codes for special characters.
static void put_quoted(struct text *out, const char *string)
{
    text_puts(out, "\"");
    for (const unsigned char *at = (const unsigned char *)string; *at; at++)
        if (isalnum(*at) || strchr(" .,:-+_/()", *at))
            text_append(out, (const char *)at, 1);
        else
            text_printf(out, "\\%03o", *at);
    text_puts(out, "\"");
}

static void put_string(struct text *out, const char *name, const char *string)
{
    text_printf(out, "#define %-18s ", name);
    put_quoted(out, string);
    text_puts(out, "\n");
}

static void put_uuid(struct text *out, const char *name, const uint8_t uuid[16])
{
    char digits[33];
    for (int i = 0; i < 16; i++)
        snprintf(digits + 2 * i, 3, "%02x", uuid[i]);
    put_string(out, name, digits);
}

static void put_device(struct text *out, const struct dev_facts *facts)
{
    text_printf(out, "// Where it was measured: taken if it is here.\n");
    text_printf(out, "#define %-18s 0x%04" PRIx32 "u\n", "VENDOR", facts->vendor);
    text_printf(out, "#define %-18s 0x%04" PRIx32 "u\n", "DEVICE", facts->product);
    put_uuid(out, "DEVICE_UUID", facts->device_uuid);
    put_uuid(out, "DRIVER_UUID", facts->driver_uuid);
    put_string(out, "DRIVER_INFO", facts->driver_info);
    text_puts(out, "\n");
}

static void put_bool(struct text *out, const char *name, bool value, const char *what)
{
    text_printf(out, "#define %-18s %-20s // %s\n", name, value ? "true" : "false", what);
}

static void put_step(struct text *out, uint32_t part, const uint32_t groups[3], const uint8_t *push,
                     uint32_t size)
{
    text_printf(out, "    {%" PRIu32 ", {%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n     {", part,
                groups[0], groups[1], groups[2]);
    for (uint32_t i = 0; i < size; i++)
        text_printf(out, "%s0x%02x", !i ? "" : i % 12 ? ", " : ",\n      ", push[i]);
    text_puts(out, size ? "}},\n" : "0}},\n");
}

static const struct cat_interface *part_of(const struct cat_interface *interface, size_t part)
{
    return part ? &interface->parts[part - 1].interface : interface;
}

static void put_bindings(struct text *out, const struct cat_interface *interface)
{
    text_puts(
        out, "\n// The kernels' buffers: 'i' in input.bin, 'o' what is compared, 's' all others. "
             "first and words:\n// where in that, 32-bit words.\n"
             "static const struct {\n    uint32_t part, set, binding, element;\n    bool uniform;\n"
             "    char region;\n    uint64_t first, words;\n} bindings[] = {\n");
    for (size_t p = 0; p <= interface->part_count; p++)
        for (size_t i = 0; i < part_of(interface, p)->binding_count; i++) {
            const struct cat_binding *binding = &part_of(interface, p)->bindings[i];
            text_printf(out,
                        "    {%zu, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %s, '%c', %" PRIu64
                        ", %" PRIu64 "},\n",
                        p, binding->set, binding->binding, cat_index(binding->element),
                        binding->uniform ? "true" : "false", "ios"[binding->region],
                        binding -> first, binding -> words);
        }
    text_puts(out, "};\n");
}

// Puts the pipelines. `-m` can replace the first one's module, which all pipelines without their
// own share.
static void put_parts(struct text *out, const struct eng_prepared *ready)
{
    const struct cat_interface *interface = ready->interface;
    uint32_t sets = 1, push = 0;
    size_t specs = 0;
    text_puts(out, "// The pipelines.\nstatic const struct {\n    const char *module, *entry;\n"
                   "    bool full;\n"
                   "    uint32_t subgroup, push_bytes, first_spec, specs;\n} parts[] = {\n");
    for (size_t p = 0; p <= interface->part_count; p++) {
        const struct cat_interface *of = part_of(interface, p);
        const struct cat_part *part = p ? &interface->parts[p - 1] : NULL;
        const size_t count = part ? part->spec_count : ready->spec_count;
        const bool own = part && part->word_count;
        text_printf(out, "    {%s%s%s, ", own ? "\"" : "", own ? repro_part_names[p - 1] : "NULL",
                    own ? "\"" : "");
        put_quoted(out, of->entry);
        text_printf(
            out, ", %s, %" PRIu32 ", %" PRIu32 ", %zu, %zu},\n", of->full ? "true" : "false",
            part && part->subgroup ? part->subgroup : ready->required, of->push_size, specs, count);
        specs += count;
        push = of->push_size > push ? of->push_size : push;
        for (size_t i = 0; i < of->binding_count; i++)
            sets = of->bindings[i].set >= sets ? of->bindings[i].set + 1 : sets;
    }
    text_puts(out, "};\n");
    put_define(out, "PARTS", NARROW, interface->part_count + 1, "of these");
    put_define(out, "SETS", NARROW, sets, "descriptor sets of each");
    put_define(out, "PUSH_BYTES", NARROW, push, "of push constants, at most");
}

// Puts how buffers may differ: structures of settle.c.
static void put_tolerances(struct text *out, const struct cat_interface *interface)
{
    const struct cat_binding *binding;
    text_puts(out, "#include \"settle.c\"\nstatic const struct cat_binding tolerances[] = {\n");
    for (size_t i = 0; (binding = cat_binding_at(interface, i)); i++) {
        const struct cat_tolerance *may = &binding->may;
        if (binding->region == CAT_OUTPUT && cat_binding_is_first(interface, i))
            text_printf(out,
                        "    {.first = %" PRIu64 ", .words = %" PRIu64 ",\n     .may = {%" PRIu32
                        ", %" PRIu64 ", %" PRIu64 ", %" PRIu32 "u, %" PRIu32 "u, %.9e, %.9e, "
                        "%" PRIu64 ", %.9e, %" PRIu32 "}},\n",
                        binding->first, binding->words, may->order, may->from, may->to, may->ulps,
                        may->half_ulps, (double)may->relative, (double)may->absolute, may->like,
                        (double)may->rmse, may->nan);
    }
    text_puts(out, "};\n");
    put_bool(out, "BITS_COUNT", interface->counts, "counts.bin says which bits of each word count");
}

// Puts how to bind and start a kernel from outside.
static void put_interface(struct text *out, const struct eng_prepared *ready)
{
    const struct cat_interface *interface = ready->interface;
    put_bindings(out, interface);
    put_parts(out, ready);
    text_puts(out, "// The dispatches, with a barrier between them.\n"
                   "static const struct {\n    uint32_t part, groups[3];\n"
                   "    uint8_t push[PUSH_BYTES + 1];\n} steps[] = {\n");
    put_step(out, 0, (uint32_t[]){ready->shape.workgroups, interface->rows, interface->layers},
             interface->push, interface->push_size);
    for (size_t i = 0; i < interface->step_count; i++) {
        const struct cat_step *step = &interface->steps[i];
        put_step(out, step->part, step->groups, step->push,
                 part_of(interface, step->part)->push_size);
    }
    text_puts(out, "};\n");
    if (!cat_interface_is_exact(interface))
        put_tolerances(out, interface);
}

static void put_configuration(struct text *out, const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_shape *shape = &ready->shape;
    text_printf(out, "#define NAME \\\n    \"%s\"\n", repro->name);
    put_define(out, "RUNS", WIDE, repro->runs, "dispatches");
    put_define(out, "FIRST_RUN", WIDE, repro->first, "the number of the first");
    text_printf(out, "#define STREAM             UINT64_C(0x%016" PRIx64 ")\n", ready->stream);
    put_bool(out, "FIXED_SEED", repro->fixed_seed, "every run gets the low half of STREAM");
    text_puts(out, "// Else run i gets the push constant `seed`: the low half of "
                   "splitmix64(STREAM + i).\n\n");
    put_define(out, "SUBGROUP_SIZE", NARROW,
               ready->interface ? ready->required : ready->args.subgroup, "invocations; 0: any");
    put_bool(out, "FULL_SUBGROUPS", ready->bound->full, "whether subgroups must be full");
    put_define(out, "WORKGROUP_SIZE", NARROW, ready->args.workgroup, "invocations");
    put_define(out, "WORKGROUPS", NARROW, shape->workgroups, "in x");
    put_define(out, "DESCRIPTORS", NARROW,
               ready->bound == &cat_array_interface ? CAT_DESCRIPTORS : 0,
               "of binding 3, an array: parts of the input");
    put_define(out, "ELEMENTS", NARROW, shape->elements, "the push constant `elements`");
    put_define(out, "INPUT_WORDS", WIDE, shape->input_words, "32-bit words");
    put_define(out, "STATE_WORDS", WIDE, shape->state_words, "word 0: a bounded wait ran out");
    put_define(out, "UNITS", WIDE, shape->instances, "what passes or fails: checked units");
    put_define(out, "WORDS_PER_UNIT", WIDE, shape->words_per_instance, "of the output");
    put_define(out, "STRIDE", NARROW, repro_stride(repro),
               "words of the expectation for each of these");
    put_define(out, "EXPECTED_WORDS", WIDE, repro_expected_words(repro),
               "of expected.bin, for all or for every unit");
    put_bool(out, "DETERMINISTIC", ready->deterministic,
             "all runs of a pipeline have to store the same words");
    put_device(out, repro->facts);
    put_outcomes(out, &ready->mode);
    put_constants(out, ready);
    if (ready->interface)
        put_interface(out, ready);
    put_needs(out, ready->module->features);
}

static const char *const checks[CAT_CHECKS] = {
    [CAT_CHECK_EQUAL] = "CHECK_EQUAL",
    [CAT_CHECK_TAG] = "CHECK_TAG",
    [CAT_CHECK_MASK] = "CHECK_MASK",
    [CAT_CHECK_CHOICE] = "CHECK_CHOICE",
};

// Whether a line is a condition on `name`; if so, *kept is whether the next lines are for this
// value.
static bool take_condition(const char *line, size_t length, const char *name, const char *value,
                           bool *kept)
{
    static const char *const ways[] = {"#if %s == %s", "#elif %s == %s",
                                       "#if %s ==", "#elif %s ==", "#endif // %s"};
    for (size_t i = 0; i < 5; i++) {
        OWNED(text_free) struct text condition = {0};
        text_printf(&condition, ways[i], name, value);
        const bool whole = i < 2 || i == 4;
        if (strncmp(line, condition.data, condition.length) != 0 ||
            (whole && condition.length != length))
            continue;
        *kept = whole;
        return true;
    }
    return false;
}

// Puts a template's lines, without those for other values.
static void put_lines(const struct repro *repro, const char *line, const char *end,
                      struct text *out)
{
    const char *check = checks[repro->ready->mode.check];
    const struct cat_interface *own = repro->ready->interface;
    const char *interface = own ? "OF_KERNEL" : "OF_TEST";
    const char *may = own && !cat_interface_is_exact(own) ? "SOME" : "NONE";
    bool kept = true;
    while (line < end) {
        const size_t length = strcspn(line, "\n"), whole = length + (line[length] == '\n');
        if (!take_condition(line, length, "CHECK", check, &kept) &&
            !take_condition(line, length, "INTERFACE", interface, &kept) &&
            !take_condition(line, length, "MAY_DIFFER", may, &kept) && kept)
            text_append(out, line, whole);
        line += whole;
    }
}

void repro_program(const struct repro *repro, struct text *out)
{
    const char *begin = strstr(repro_template, BEGIN), *end = strstr(begin, END) + strlen(END);
    const char *device = strstr(repro_device, REST) + strlen(REST);
    const char *test = strstr(repro_test, REST) + strlen(REST);
    text_append(out, repro_template, (size_t)(begin - repro_template));
    put_configuration(out, repro);
    put_lines(repro, end, strstr(end, NEXT), out);
    put_lines(repro, device, strstr(device, NEXT), out);
    put_lines(repro, test, test + strlen(test), out);
}
