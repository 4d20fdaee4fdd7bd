// SPDX-License-Identifier: Apache-2.0
// Writes Amber scripts.
#include "repro/script.h"

#include "base/file.h"
#include "base/program.h"
#include "repro/repro.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INLINE 4096 // words of a buffer that the script itself may hold
#define ROW         8    // values on a line

// Each feature's name in Amber; the extension, if Amber has none.
static const struct {
    const char *amber, *extension;
} names[CAT_FEATURE_COUNT] = {
    [CAT_FEATURE_BASIC] = {"SubgroupSupportedOperations.basic", NULL},
    [CAT_FEATURE_VOTE] = {"SubgroupSupportedOperations.vote", NULL},
    [CAT_FEATURE_ARITHMETIC] = {"SubgroupSupportedOperations.arithmetic", NULL},
    [CAT_FEATURE_BALLOT] = {"SubgroupSupportedOperations.ballot", NULL},
    [CAT_FEATURE_SHUFFLE] = {"SubgroupSupportedOperations.shuffle", NULL},
    [CAT_FEATURE_SHUFFLE_RELATIVE] = {"SubgroupSupportedOperations.shuffleRelative", NULL},
    [CAT_FEATURE_CLUSTERED] = {"SubgroupSupportedOperations.clustered", NULL},
    [CAT_FEATURE_QUAD] = {"SubgroupSupportedOperations.quad", NULL},
    [CAT_FEATURE_PARTITIONED] = {NULL, "VK_NV_shader_subgroup_partitioned"},
    [CAT_FEATURE_OLD_BALLOT] = {NULL, "VK_EXT_shader_subgroup_ballot"},
    [CAT_FEATURE_OLD_VOTE] = {NULL, "VK_EXT_shader_subgroup_vote"},
    [CAT_FEATURE_ROTATE] = {NULL, "VK_KHR_shader_subgroup_rotate"},
    [CAT_FEATURE_INT8] = {"Float16Int8Features.shaderInt8", NULL},
    [CAT_FEATURE_INT16] = {"shaderInt16", NULL},
    [CAT_FEATURE_INT64] = {"shaderInt64", NULL},
    [CAT_FEATURE_FLOAT16] = {"Float16Int8Features.shaderFloat16", NULL},
    [CAT_FEATURE_FLOAT64] = {"shaderFloat64", NULL},
    [CAT_FEATURE_INT64_ATOMICS] = {NULL, "VK_KHR_shader_atomic_int64"},
    [CAT_FEATURE_SHARED_INT64_ATOMICS] = {NULL, "VK_KHR_shader_atomic_int64"},
    [CAT_FEATURE_FLOAT32_ADD] = {NULL, "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_SHARED_FLOAT32_ADD] = {NULL, "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_FLOAT64_ADD] = {NULL, "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_SHARED_FLOAT64_ADD] = {NULL, "VK_EXT_shader_atomic_float"},
    [CAT_FEATURE_MEMORY_MODEL] = {"VulkanMemoryModelFeatures.vulkanMemoryModel", NULL},
    [CAT_FEATURE_MEMORY_MODEL_DEVICE] = {"VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope",
                                         NULL},
    [CAT_FEATURE_SUBGROUP_UNIFORM] = {NULL, "VK_KHR_shader_subgroup_uniform_control_flow"},
    [CAT_FEATURE_QUAD_CONTROL] = {NULL, "VK_KHR_shader_quad_control"},
    [CAT_FEATURE_MAXIMAL] = {NULL, "VK_KHR_shader_maximal_reconvergence"},
    [CAT_FEATURE_FULL_SUBGROUPS] = {"SubgroupSizeControl.computeFullSubgroups", NULL},
    [CAT_FEATURE_ZERO_INITIALIZE] =
        {"ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory", NULL},
    [CAT_FEATURE_COOPERATIVE_MATRIX] = {NULL, "VK_KHR_cooperative_matrix"},
    [CAT_FEATURE_DESCRIPTORS] = {"shaderStorageBufferArrayDynamicIndexing", NULL},
    [CAT_FEATURE_DESCRIPTORS_NON_UNIFORM] = {NULL, "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_DESCRIPTORS_UNIFORM] = {"shaderUniformBufferArrayDynamicIndexing", NULL},
    [CAT_FEATURE_DESCRIPTORS_UNIFORM_NON_UNIFORM] = {NULL, "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_DESCRIPTORS_RUNTIME] = {NULL, "VK_EXT_descriptor_indexing"},
    [CAT_FEATURE_STORAGE16] = {"Storage16BitFeatures.storageBuffer16BitAccess",
                               "VK_KHR_16bit_storage"},
    [CAT_FEATURE_UNIFORM16] = {"Storage16BitFeatures.uniformAndStorageBuffer16BitAccess",
                               "VK_KHR_16bit_storage"},
    [CAT_FEATURE_PUSH16] = {"Storage16BitFeatures.storagePushConstant16", "VK_KHR_16bit_storage"},
    [CAT_FEATURE_STORAGE8] = {"Storage8BitFeatures.storageBuffer8BitAccess", "VK_KHR_8bit_storage"},
    [CAT_FEATURE_UNIFORM8] = {"Storage8BitFeatures.uniformAndStorageBuffer8BitAccess",
                              "VK_KHR_8bit_storage"},
    [CAT_FEATURE_PUSH8] = {"Storage8BitFeatures.storagePushConstant8", "VK_KHR_8bit_storage"},
    [CAT_FEATURE_VARIABLE_POINTERS_STORAGE] =
        {"VariablePointerFeatures.variablePointersStorageBuffer", "VK_KHR_variable_pointers"},
    [CAT_FEATURE_VARIABLE_POINTERS] = {"VariablePointerFeatures.variablePointers",
                                       "VK_KHR_variable_pointers"},
    [CAT_FEATURE_DOT_PRODUCT] = {NULL, "VK_KHR_shader_integer_dot_product"},
    [CAT_FEATURE_EXPECT_ASSUME] = {NULL, "VK_KHR_shader_expect_assume"},
    [CAT_FEATURE_FLOAT_CONTROLS] = {NULL, "VK_KHR_shader_float_controls"},
    [CAT_FEATURE_CLOCK] = {NULL, "VK_KHR_shader_clock"},
    [CAT_FEATURE_EXTENDED_TYPES] =
        {"ShaderSubgroupExtendedTypesFeatures.shaderSubgroupExtendedTypes", NULL},
};

// Amber links two features of one structure in a ring unless another structure follows, and
// vkCreateDevice never returns. It sorts features by name; this one is the last, and Vulkan 1.3 has
// it.
#define LAST_FEATURE CAT_FEATURE_ZERO_INITIALIZE

void script_features(uint64_t features, bool sizes, bool is_1_3, struct text *out)
{
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (features >> i & 1 && names[i].amber)
            text_printf(out, "DEVICE_FEATURE %s\n", names[i].amber);
    if (sizes)
        text_puts(out, "DEVICE_FEATURE SubgroupSizeControl.subgroupSizeControl\n");
    if (sizes && !(features >> CAT_FEATURE_FULL_SUBGROUPS & 1))
        text_puts(out, "DEVICE_FEATURE SubgroupSizeControl.computeFullSubgroups\n");
    if (is_1_3 && !(features >> LAST_FEATURE & 1))
        text_printf(out, "# For Amber alone, which could hang without it.\nDEVICE_FEATURE %s\n",
                    names[LAST_FEATURE].amber);
    for (int i = 0; i < CAT_FEATURE_COUNT; i++) {
        if (!(features >> i & 1) || names[i].amber)
            continue;
        text_printf(out, "# Amber has no name for %s, so it is not enabled.\n",
                    cat_feature_name((enum cat_feature)i));
        if (names[i].extension)
            text_printf(out, "DEVICE_EXTENSION %s\n", names[i].extension);
    }
    text_puts(out, "\n");
}

bool script_shader(const char *spirv, const char *page, const char *file, struct text *out)
{
    const bool beside = !page || strstr(page, "END"); // END ends a shader anywhere in a script
    text_printf(out, "SHADER compute test SPIRV-%s%s", page ? "ASM TARGET_ENV " : "BIN",
                page ? spirv : "");
    text_printf(out, beside ? " FILE %s\n\n" : "\n%sEND\n\n", beside ? file : page);
    return beside;
}

void script_words(const char *name, const uint32_t *words, uint64_t count, uint32_t stride,
                  struct text *out)
{
    text_printf(out, "BUFFER %s DATA_TYPE uint32 DATA", name);
    for (uint64_t i = 0; i < count; i++)
        text_printf(out, "%s0x%08" PRIx32, i % ROW ? " " : "\n  ", words[i * stride]);
    text_puts(out, "\nEND\n\n");
}

bool script_buffer(const char *name, const char *file, const uint32_t *words, uint64_t count,
                   struct text *out)
{
    if (count <= MOST_INLINE)
        script_words(name, words, count, 1, out);
    else
        text_printf(out, "BUFFER %s DATA_TYPE uint32 SIZE %" PRIu64 " FILE BINARY %s\n\n", name,
                    count, file);
    return count > MOST_INLINE;
}

void script_pipeline(const struct script_pipeline *p, struct text *out)
{
    text_printf(out, "PIPELINE compute %s\n  ATTACH test", p->name);
    if (p->entry && strcmp(p->entry, "main") != 0)
        text_printf(out, " ENTRY_POINT %s", p->entry);
    for (size_t i = 0; i < p->count; i++) {
        const bool wide = i + 1 < p->count && p->ids[i + 1] == p->ids[i];
        text_printf(out, " SPECIALIZE %" PRIu32 " AS uint%d %" PRIu64, p->ids[i], wide ? 64 : 32,
                    (wide ? (uint64_t)p->values[i + 1] << 32 : 0) | p->values[i]);
        i += wide;
    }
    text_puts(out, "\n");
    if (!p->subgroup && !p->full)
        return;
    text_printf(out, "  SUBGROUP test\n    FULLY_POPULATED %s\n", p->full ? "on" : "off");
    if (p->subgroup)
        text_printf(out, "    REQUIRED_SIZE %" PRIu32 "\n", p->subgroup);
    text_puts(out, "  END\n");
}

// --- A kernel

struct writing {
    const struct cat_package *package;
    const char *folder;
    struct text *out;
    struct lit_error *error;
};

// Names a buffer: "input_0_1", and as an element of an array "input_0_1_2".
static void put_name(const char *what, const struct cat_binding *of, struct text *name)
{
    text_printf(name, "%s_%" PRIu32 "_%" PRIu32, what, of->set, of->binding);
    if (of->element)
        text_printf(name, "_%" PRIu32, cat_index(of->element));
}

static const char *role(const struct cat_binding *of)
{
    return of->region == CAT_INPUT ? "input" : of->region == CAT_OUTPUT ? "output" : "state";
}

static bool put_words(const struct writing *w, const char *name, const uint32_t *words,
                      uint64_t count)
{
    OWNED(text_free) struct text file = {0}, path = {0};
    uint64_t same = 1;
    while (same < count && words[same] == words[0])
        same++;
    if (same == count) {
        text_printf(w->out, "BUFFER %s DATA_TYPE uint32 SIZE %" PRIu64 " FILL %" PRIu32 "\n\n",
                    name, count, words[0]);
        return true;
    }
    text_printf(&file, "%s.bin", name);
    text_printf(&path, "%s/%s", w->folder, file.data);
    return !script_buffer(name, file.data, words, count, w->out) ||
           lit_file_write(path.data, (const char *)words, count * sizeof *words, w->error);
}

static bool put_buffer(const struct writing *w, const char *what, const struct cat_binding *of,
                       const uint32_t *words)
{
    OWNED(text_free) struct text name = {0};
    put_name(what, of, &name);
    return put_words(w, name.data, words + of->first, of->words);
}

static bool put_push(const struct writing *w, size_t number, const uint8_t *push)
{
    uint32_t words[CAT_MOST_PUSH / 4];
    char name[40];
    snprintf(name, sizeof name, "push_%zu", number);
    memcpy(words, push, sizeof words);
    return !w->package->interface.push_size ||
           put_words(w, name, words, w->package->interface.push_size / 4);
}

// Whether not all bits of a buffer count.
static bool is_masked(const struct writing *w, const struct cat_binding *of)
{
    const uint32_t *counts = w->package->interface.counts;
    uint64_t whole = 0;
    while (counts && whole < of->words && counts[of->first + whole] == UINT32_MAX)
        whole++;
    return counts && whole < of->words;
}

static bool put_contents(const struct writing *w)
{
    const struct cat_package *p = w->package;
    const struct cat_interface *interface = &p->interface;
    bool good = put_push(w, 0, interface->push);
    for (size_t i = 0; i < interface->step_count && good; i++)
        good = put_push(w, i + 1, interface->steps[i].push);
    for (size_t i = 0; i < interface->binding_count && good; i++) {
        const struct cat_binding *of = &interface->bindings[i];
        good = put_buffer(w, role(of), of, p->region[of->region]);
        if (good && of->region == CAT_OUTPUT)
            good = put_buffer(w, "expected", of, p->expected) &&
                   (!is_masked(w, of) || put_buffer(w, "bits", of, interface->counts));
    }
    return good;
}

static void put_binds(const struct writing *w)
{
    const struct cat_interface *interface = &w->package->interface;
    for (size_t i = 0; i < interface->binding_count;) {
        const struct cat_binding *first = &interface->bindings[i], *of = first;
        text_puts(w->out, first->element ? "  BIND BUFFER_ARRAY" : "  BIND BUFFER");
        for (;
             i < interface->binding_count && of->set == first->set && of->binding == first->binding;
             of = &interface->bindings[++i]) {
            text_puts(w->out, " ");
            put_name(role(of), of, w->out);
        }
        text_printf(w->out, " AS %s DESCRIPTOR_SET %" PRIu32 " BINDING %" PRIu32 "\n",
                    first->uniform ? "uniform" : "storage", first->set, first->binding);
    }
}

static void put_runs(const struct writing *w)
{
    const struct cat_package *p = w->package;
    const struct cat_interface *interface = &p->interface;
    uint32_t ids[2 * CAT_MOST_SPEC], values[2 * CAT_MOST_SPEC];
    for (size_t i = 0; i < p->spec_count; i++) {
        ids[i] = p->specs[i].id;
        values[i] = p->specs[i].value;
    }
    const struct script_pipeline first = {.name = "run_0",
                                          .entry = interface->entry,
                                          .ids = ids,
                                          .values = values,
                                          .count = p->spec_count,
                                          .subgroup = interface->sized ? p->subgroup : 0,
                                          .full = interface->full};
    script_pipeline(&first, w->out);
    put_binds(w);
    for (size_t i = 0; i <= interface->step_count; i++) {
        const uint32_t groups[] = {p->groups, interface->rows, interface->layers},
                       *each = i ? interface->steps[i - 1].groups : groups;
        if (i)
            text_printf(w->out, "DERIVE_PIPELINE run_%zu FROM run_0\n", i);
        if (interface->push_size)
            text_printf(w->out, "  BIND BUFFER push_%zu AS push_constant\n", i);
        text_printf(w->out, "END\nRUN run_%zu %" PRIu32 " %" PRIu32 " %" PRIu32 "\n\n", i, each[0],
                    each[1], each[2]);
    }
}

// Amber has no word for most of what may differ: it skips these lines as comments.
static void put_allowed(const struct cat_tolerance *may, const char *lead, struct text *out)
{
    if (may->order)
        text_printf(out, "%s any-order:%" PRIu32 "\n", lead, may->order * 4);
    if (may->rmse > 0)
        text_printf(out, "%s rmse:%.9g\n", lead, (double)may->rmse);
    if (may->to)
        text_printf(out, "%s words:%" PRIu64 "-%" PRIu64 "\n", lead, may->from, may->to - 1);
    if (may->ulps)
        text_printf(out, "%s ulp:%" PRIu32 "\n", lead, may->ulps);
    if (may->half_ulps)
        text_printf(out, "%s ulp16:%" PRIu32 "\n", lead, may->half_ulps);
    if (may->relative > 0)
        text_printf(out, "%s relative:%.9g\n", lead, (double)may->relative);
    if (may->absolute > 0)
        text_printf(out, "%s absolute:%.9g\n", lead, (double)may->absolute);
}

static void put_expects(const struct writing *w)
{
    const struct cat_interface *interface = &w->package->interface;
    for (size_t i = 0; i < interface->binding_count; i++) {
        const struct cat_binding *of = &interface->bindings[i];
        OWNED(text_free) struct text name = {0}, lead = {0};
        if (of->region != CAT_OUTPUT)
            continue;
        put_name("output", of, &name);
        text_printf(w->out, "EXPECT %s EQ_BUFFER ", name.data);
        put_name("expected", of, w->out);
        text_puts(w->out, "\n");
        text_printf(&lead, "#litmus allow %s", name.data);
        put_allowed(&of->may, lead.data, w->out);
        if (!is_masked(w, of))
            continue;
        text_printf(w->out, "%s bits:", lead.data);
        put_name("bits", of, w->out);
        text_puts(w->out, "\n");
    }
}

static bool put_module(const struct writing *w)
{
    const struct cat_package *p = w->package;
    const size_t size = p->word_count * sizeof *p->words;
    OWNED(text_free) struct text page = {0}, file = {0}, path = {0};
    char spirv[8];
    snprintf(spirv, sizeof spirv, "spv1.%" PRIu32, p->words[1] >> 8 & 0xf);
    const bool readable = lit_spirv_disassemble(p->words, size, &page);
    text_printf(&file, "%s.%s", p->name.data, readable ? "spvasm" : "spv");
    text_printf(&path, "%s/%s", w->folder, file.data);
    return !script_shader(spirv, readable ? page.data : NULL, file.data, w->out) ||
           lit_file_write(path.data, readable ? page.data : (const char *)p->words,
                          readable ? page.length : size, w->error);
}

bool script_write(const struct cat_package *package, const char *remark, const char *folder,
                  struct text *path, struct lit_error *error)
{
    OWNED(text_free) struct text script = {0};
    const struct cat_interface *interface = &package->interface;
    const struct writing w = {package, folder, &script, error};
    uint64_t features = 0;
    text_printf(path, "%s/%s.amber", folder, package->name.data);
    text_printf(&script, "#!amber\n%s\n", remark);
    if (!cat_module_features(package->words, package->word_count, &features, error))
        return false;
    script_features(features, interface->sized || interface->full, true, &script);
    if (!put_module(&w) || !put_contents(&w))
        return false;
    put_runs(&w);
    put_expects(&w);
    return lit_file_write(path->data, script.data, script.length, error);
}
