// SPDX-License-Identifier: Apache-2.0
// Writes scripts for Amber: the parts, a whole kernel, and a test as far as Amber's language
// allows.
#include "base/file.h"
#include "base/program.h"
#include "repro/repro.h"

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
    [CAT_FEATURE_BFLOAT16] = {NULL, "VK_KHR_shader_bfloat16"},
    [CAT_FEATURE_BFLOAT16_MATRIX] = {NULL, "VK_KHR_shader_bfloat16"},
    [CAT_FEATURE_FLOAT8] = {NULL, "VK_EXT_shader_float8"},
    [CAT_FEATURE_FLOAT8_MATRIX] = {NULL, "VK_EXT_shader_float8"},
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

// Appends the features and extensions that a device must have, by the bits of enum cat_feature.
// `sizes`: subgroup size control, too; `is_1_3`: for devices with Vulkan 1.3.
static void put_features(uint64_t features, bool sizes, bool is_1_3, struct text *out)
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

// Appends the shader `test`: assembly (`page`) for the environment `spirv`, or NULL and NULL.
// Returns whether the script reads it, or SPIR-V, from `file`, which the caller has to write.
static bool put_text_of_shader(const char *spirv, const char *page, const char *file,
                               struct text *out)
{
    const bool beside = !page || strstr(page, "END"); // END ends a shader anywhere in a script
    text_printf(out, "SHADER compute test SPIRV-%s%s", page ? "ASM TARGET_ENV " : "BIN",
                page ? spirv : "");
    text_printf(out, beside ? " FILE %s\n\n" : "\n%sEND\n\n", beside ? file : page);
    return beside;
}

// Appends a buffer of one of each `stride` words.
static void put_inline(const char *name, const uint32_t *words, uint64_t count, uint32_t stride,
                       struct text *out)
{
    text_printf(out, "BUFFER %s DATA_TYPE uint32 DATA", name);
    for (uint64_t i = 0; i < count; i++)
        text_printf(out, "%s0x%08" PRIx32, i % ROW ? " " : "\n  ", words[i * stride]);
    text_puts(out, "\nEND\n\n");
}

// Appends a buffer of 32-bit words. Returns whether it is in `file`, which the caller has to write.
static bool put_inline_or_file(const char *name, const char *file, const uint32_t *words,
                               uint64_t count, struct text *out)
{
    if (count <= MOST_INLINE)
        put_inline(name, words, count, 1, out);
    else
        text_printf(out, "BUFFER %s DATA_TYPE uint32 SIZE %" PRIu64 " FILE BINARY %s\n\n", name,
                    count, file);
    return count > MOST_INLINE;
}

// The beginning of a pipeline of the shader `test`, up to the BINDs.
struct pipeline {
    const char *name, *entry;     // entry NULL: main
    const uint32_t *ids, *values; // specialization constants; two with one id have 64 bits
    size_t count;
    uint32_t subgroup; // the size that it requires; 0: none
    bool full;
};

static void put_pipeline(const struct pipeline *p, struct text *out)
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
    return !put_inline_or_file(name, file.data, words, count, w->out) ||
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
    const struct pipeline first = {.name = "run_0",
                                   .entry = interface->entry,
                                   .ids = ids,
                                   .values = values,
                                   .count = p->spec_count,
                                   .subgroup = interface->sized ? p->subgroup : 0,
                                   .full = interface->full};
    put_pipeline(&first, w->out);
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
    return !put_text_of_shader(spirv, readable ? page.data : NULL, file.data, w->out) ||
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
    put_features(features, interface->sized || interface->full, true, &script);
    if (!put_module(&w) || !put_contents(&w))
        return false;
    put_runs(&w);
    put_expects(&w);
    return lit_file_write(path->data, script.data, script.length, error);
}

// --- A test: the value of each word that one comparison can check

// Amber never clears buffers between runs, so each run has its own.

#define MOST_RUNS   10
#define MOST_OUTPUT 65536 // words of output in all runs together, unless one run has more
#define VULKAN_1_3  (1u << 22 | 3u << 12)

const char *repro_amber_lacks(const struct repro *repro)
{
    if (repro->ready->interface)
        return repro->ready->interface->part_count ? "scripts have one module" : NULL;
    if (repro->ready->module->features >> CAT_FEATURE_ADDRESSES & 1)
        return "the shader takes the addresses of its buffers from the push constants, and Amber "
               "cannot put them there";
    if (repro->ready->code.interface == &cat_array_interface)
        return "the shader has an array of descriptors, and scripts bind none";
    if (!repro->ready->shape.workgroups)
        return "there is nothing to dispatch";
    return NULL;
}

static void put_head(const struct repro *repro, struct text *out)
{
    const struct cat_head *head = &repro->ready->which.test->head;
    OWNED(text_free) struct text name = {0}, asks = {0};
    cat_case_name(&repro->ready->which, &name);
    text_printf(out, "#!amber\n# %s\n", name.data);
    text_paragraph(&asks, "", head->asks);
    for (char *line = strtok(asks.data, "\n"); line; line = strtok(NULL, "\n"))
        text_printf(out, "# %s\n", line);
    text_printf(out, "#\n# amber -d -t %s -v 1.3 test.amber\n\n", repro_spirv(repro));
}

static void put_shader(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const bool none = !repro->plain && repro_from_glsl(repro);
    put_text_of_shader(none ? NULL : repro_spirv(repro),
                       none           ? NULL
                       : repro->plain ? repro->plain
                                      : cat_module_page(ready->which.test, ready->module),
                       none ? "test.spv" : "test.spvasm", out);
}

// Whether each word has a single right value: then we can compare whole buffers.
static bool is_exact(const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    const uint32_t stride = repro_stride(repro);
    uint32_t word = 0;
    for (uint64_t i = 0; i < repro_output_words(repro); i++)
        if (repro_compare(&ready->mode, &ready->expected[i * stride], &word) != REPRO_EQUAL)
            return false;
    return true;
}

static void put_exact_buffer(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t count = repro_output_words(repro);
    const uint32_t stride = repro_stride(repro);
    // expected.bin has more words for each: the script must hold the first of them.
    if (stride == 1)
        put_inline_or_file("expected", "expected.bin", ready->expected, count, out);
    else
        put_inline("expected", ready->expected, count, stride, out);
}

// Comparisons on one line, for adjacent words, all with EQ or all with NE.
struct line {
    struct text *out;
    uint64_t run;  // from 1
    uint64_t next; // the word after the last one
    uint32_t count;
    enum repro_compare how;
};

static void end_line(struct line *line)
{
    if (line->count)
        text_puts(line->out, "\n");
    line->count = 0;
}

static void put_expect(struct line *line, uint64_t index, enum repro_compare how, uint32_t word)
{
    if (line->count == ROW || index != line->next || how != line->how)
        end_line(line);
    if (!line->count)
        text_printf(line->out, "EXPECT output_%" PRIu64 " IDX %" PRIu64 " %s", line->run, index * 4,
                    how == REPRO_EQUAL ? "EQ" : "NE");
    text_printf(line->out, " 0x%08" PRIx32, word);
    line->next = index + 1;
    line->how = how;
    line->count++;
}

// How many failures we know for the script's data.
static size_t failure_count(const struct repro *repro)
{
    const struct result *result = repro->result;
    return result && result->seed == repro->seed ? result->failure_count : 0;
}

// Puts words that were wrong in some run first, wherever they are: each one's value or, if several
// are right, that it is not the same wrong value.
static void put_failed(const struct repro *repro, struct line *line)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_shape *shape = &ready->shape;
    const size_t count = failure_count(repro);
    for (size_t i = 0; i < count; i++) {
        const struct cat_failure *failure = &repro->result->failures[i].at;
        if (failure->instance >= shape->instances || failure->word >= shape->words_per_instance)
            continue;
        const uint64_t index = failure->instance * shape->words_per_instance + failure->word;
        const uint32_t *expected = &ready->expected[index * repro_stride(repro)];
        const uint32_t outcome = cat_classify(ready->mode.check, failure->got, expected);
        uint32_t word;
        if (repro_compare(&ready->mode, expected, &word) == REPRO_EQUAL)
            put_expect(line, index, REPRO_EQUAL, word);
        else if (cat_mode_fails(&ready->mode, outcome))
            put_expect(line, index, REPRO_DIFFERENT, failure->got);
    }
    end_line(line);
}

// `most`: how many words to compare besides the wrong ones.
static void put_comparisons(const struct repro *repro, uint64_t run, uint64_t most,
                            struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t count = repro_output_words(repro);
    const uint32_t stride = repro_stride(repro);
    struct line line = {.out = out, .run = run};
    uint64_t open = 0, partial = 0, compared = 0, i = 0;
    put_failed(repro, &line);
    for (uint32_t word; i < count && compared < most; i++) {
        const enum repro_compare how =
            repro_compare(&ready->mode, &ready->expected[i * stride], &word);
        open += how == REPRO_OPEN;
        partial += how == REPRO_DIFFERENT;
        if (how == REPRO_OPEN)
            continue;
        put_expect(&line, i, how, word);
        compared++;
    }
    end_line(&line);
    if (open)
        text_printf(out,
                    "# %" PRIu64 " words are not compared: of these several values are right, "
                    "which Amber cannot say.\n",
                    open);
    if (partial)
        text_printf(out,
                    "# %" PRIu64
                    " words are only kept from one wrong value: others are wrong, too, "
                    "but several right.\n",
                    partial);
    if (i < count)
        text_printf(out, "# %" PRIu64 " words more are not compared, to keep the script small.\n",
                    count - i);
}

static void put_run(const struct repro *repro, uint64_t run, bool exact, uint64_t most,
                    struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t number = run + 1;
    const bool subgroups = repro->facts->subgroup_control;
    char name[40];
    text_printf(out, "# Run %" PRIu64 "\n", number);
    text_printf(out,
                "BUFFER output_%" PRIu64 " DATA_TYPE uint32 SIZE %" PRIu64 " FILL %" PRIu32
                "\nBUFFER state_%" PRIu64 " DATA_TYPE uint32 SIZE %" PRIu64 " FILL 0\n",
                number, repro_output_words(repro), CAT_POISON, number, ready->shape.state_words);
    text_printf(out,
                "BUFFER push_%" PRIu64 " DATA_TYPE uint32 DATA\n  0 0 0 0 0 0 %" PRIu32
                " 0x%08" PRIx32 "\nEND\n",
                number, ready->shape.elements, random_of_run(ready->stream, run));
    snprintf(name, sizeof name, "run_%" PRIu64, number);
    put_pipeline(&(struct pipeline){.name = name,
                                    .ids = ready->spec_ids,
                                    .values = ready->spec_values,
                                    .count = ready->code.spec_count,
                                    .subgroup = subgroups ? ready->args.subgroup : 0,
                                    .full = subgroups && ready->code.interface->full},
                 out);
    text_printf(out,
                "  BIND BUFFER input AS storage DESCRIPTOR_SET 0 BINDING 0\n"
                "  BIND BUFFER output_%" PRIu64 " AS storage DESCRIPTOR_SET 0 BINDING 1\n"
                "  BIND BUFFER state_%" PRIu64 " AS storage DESCRIPTOR_SET 0 BINDING 2\n"
                "  BIND BUFFER push_%" PRIu64 " AS push_constant\nEND\n",
                number, number, number);
    text_printf(out, "RUN run_%" PRIu64 " %" PRIu32 " 1 1\n", number, ready->shape.workgroups);
    text_puts(out, "# If this is not 0, a bounded wait ran out and the run says nothing.\n");
    text_printf(out, "EXPECT state_%" PRIu64 " IDX 0 EQ 0\n", number);
    if (exact)
        text_printf(out, "EXPECT output_%" PRIu64 " EQ_BUFFER expected\n", number);
    else
        put_comparisons(repro, number, most, out);
    text_puts(out, "\n");
}

// Picks the script's runs: those that we know failed, then from the first on.
static size_t pick_runs(const struct repro *repro, size_t most, uint64_t runs[MOST_RUNS])
{
    size_t count = 0;
    const size_t failed = failure_count(repro);
    for (uint64_t i = 0; i < failed + repro->runs && count < most; i++) {
        const uint64_t run =
            i < failed ? repro->result->failures[i].at.run : repro->first + (i - failed);
        bool there = false;
        for (size_t j = 0; j < count; j++)
            there = there || runs[j] == run;
        if (!there)
            runs[count++] = run;
    }
    return count;
}

void repro_amber(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t fit = MOST_OUTPUT / repro_output_words(repro);
    const bool exact = is_exact(repro);
    uint64_t runs[MOST_RUNS];
    put_head(repro, out);
    put_features(ready->module->features, repro->facts->subgroup_control,
                 repro->facts->api >= VULKAN_1_3, out);
    put_shader(repro, out);
    if (ready->shape.input_words)
        put_inline_or_file("input", "input.bin", ready->input, ready->shape.input_words, out);
    else
        text_puts(out, "BUFFER input DATA_TYPE uint32 SIZE 1 FILL 0\n\n");
    if (exact)
        put_exact_buffer(repro, out);
    const size_t count = pick_runs(repro,
                                   fit < 1           ? 1
                                   : fit < MOST_RUNS ? (size_t)fit
                                                     : MOST_RUNS,
                                   runs);
    for (size_t i = 0; i < count; i++)
        put_run(repro, runs[i], exact, MOST_OUTPUT / count, out);
}
