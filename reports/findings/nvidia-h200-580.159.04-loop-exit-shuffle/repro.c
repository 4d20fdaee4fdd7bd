// SPDX-License-Identifier: Apache-2.0
// Runs one test many times on one Vulkan device and counts how often it fails: the dispatches
// that litmus made, with the same data, seeds and rules, in one file. README.md says what the test
// asks, test.spvasm is the shader.
//
// Needs the Vulkan headers and the loader; `make run` builds and runs it. The files test.spv,
// input.bin and expected.bin (32-bit words, little-endian) are read from the current folder.
#include <vulkan/vulkan.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The configuration

#define NAME \
    "loop-exit.exchange/op=shuffle,place=exit,form=glslang,calls=none@workgroup=64,subgroup=32"
#define RUNS               UINT64_C(1000)        // dispatches
#define FIRST_RUN          UINT64_C(0)           // the number of the first
#define STREAM             UINT64_C(0x9f39b875ec1f5f0d)
#define FIXED_SEED         false                // every run gets the low half of STREAM
// Else run i gets the push constant `seed`: the low half of splitmix64(STREAM + i).

#define SUBGROUP_SIZE      32u                   // invocations; 0: any
#define FULL_SUBGROUPS     true                 // whether subgroups must be full
#define WORKGROUP_SIZE     64u                   // invocations
#define WORKGROUPS         256u                  // in x
#define DESCRIPTORS        0u                    // of binding 3, an array: parts of the input
#define ELEMENTS           0u                    // the push constant `elements`
#define INPUT_WORDS        UINT64_C(16384)       // 32-bit words
#define STATE_WORDS        UINT64_C(1)           // word 0: a bounded wait ran out
#define UNITS              UINT64_C(512)         // what passes or fails: checked units
#define WORDS_PER_UNIT     UINT64_C(64)          // of the output
#define STRIDE             1u                    // words of the expectation for each of these
#define EXPECTED_WORDS     UINT64_C(32768)       // of expected.bin, for all or for every unit
#define DETERMINISTIC      false                // all runs of a pipeline have to store the same words
// Where it was measured: taken if it is here.
#define VENDOR             0x10deu
#define DEVICE             0x2335u
#define DEVICE_UUID        "c68eeb583cc07be9a687a6409f88f99a"
#define DRIVER_UUID        "c7d8a05ebe165883a8186d61bf0812b6"
#define DRIVER_INFO        "580.159.04"

static const char *const outcome_names[16] = {
    [0] = "right", // no failure
    [1] = "never written",
    [2] = "zero",
    [3] = "wrong",
    [14] = "varied",
    [15] = "no progress",
};
#define FAILS              0xfffeu

// The specialization constants: workgroup size, then the test's own.
static const uint32_t spec_ids[] = {0};
static const uint32_t spec_values[] = {64};

// What the module needs of a device.
#define NEEDS(need) \
    need("VK_SUBGROUP_FEATURE_BASIC_BIT", operations & VK_SUBGROUP_FEATURE_BASIC_BIT) \
    need("VK_SUBGROUP_FEATURE_SHUFFLE_BIT", operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT)

#define POISON        0xC0DEDEADu // every word of the output, before each run
#define OUTPUT_WORDS  (UNITS * WORDS_PER_UNIT)
#define PIPELINE_RUNS 500u                 // then the pipeline is compiled anew
#define SLOT_WORDS    (OUTPUT_WORDS + 1)   // that a run leaves: output, word 0 of state
#define MOST_BATCH    16u                  // runs in one submission
#define BATCH_BYTES   (UINT64_C(16) << 20) // but no more than fit in here, or one
#define TIMEOUT       (UINT64_C(60) * 1000000000)
#define MOST_SHOWN    16u
#define COUNT(array)  (sizeof(array) / sizeof(array)[0])

// 125, where nothing could be judged, is what `git bisect run` skips.
enum { EXIT_NOT_SEEN = 0, EXIT_SEEN = 1, EXIT_USAGE = 2, EXIT_CANNOT = 125 };

// ---- Judging an output: pure, no Vulkan

enum { RIGHT = 0, NEVER_WRITTEN = 1, VARIED = 14, NO_PROGRESS = 15 };

static bool fails(uint32_t outcome)
{
    return FAILS >> outcome & 1u;
}

// What a word is that is not the one that was wanted, and not the poison.
static uint32_t classify_other(uint32_t got, const uint32_t *expected)
{
    (void)expected;
    return got == 0 ? 2 : 3; // zero, or wrong
}

static uint32_t classify(uint32_t got, const uint32_t *expected)
{
    if (got == expected[0])
        return RIGHT;
    return got == POISON ? NEVER_WRITTEN : classify_other(got, expected);
}

struct tally {
    uint64_t runs, failed_runs, expired_runs, shown;
    bool first_run_failed;
    uint64_t outcomes[16]; // of checked units
    bool has_digest;       // of a correct run of this pipeline
    uint32_t digest;
};

static void show_failure(struct tally *tally, uint64_t run, uint64_t unit, uint64_t word,
                         uint32_t outcome, uint32_t got, uint32_t want)
{
    if (tally->shown++ < MOST_SHOWN)
        printf("run %" PRIu64 ", unit %" PRIu64 ", word %" PRIu64 ": %s, got 0x%08" PRIx32
               ", want 0x%08" PRIx32 "\n",
               run + 1, unit, word, outcome_names[outcome] ? outcome_names[outcome] : "?", got,
               want);
}

// The outcome of a checked unit is that of its first failing word; else that of its first word that
// is not right; else right. Returns how many units failed; *digest is one of all words.
static uint64_t judge_units(struct tally *tally, const uint32_t *output, const uint32_t *expected,
                            uint64_t run, uint64_t outcomes[16], uint32_t *digest)
{
    uint64_t failed = 0;
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        uint32_t outcome = RIGHT;
        for (uint64_t word = 0; word < WORDS_PER_UNIT; word++) {
            const uint64_t index = unit * WORDS_PER_UNIT + word;
            const uint32_t got = output[index], *want = &expected[index * STRIDE];
            *digest += (got + 0x9E3779B9u * (uint32_t)(index + 1)) * 0x85EBCA6Bu;
            if (fails(outcome))
                continue;
            const uint32_t found = classify(got, want);
            if (outcome == RIGHT || fails(found))
                outcome = found;
            if (fails(found))
                show_failure(tally, run, unit, word, found, got, want[0]);
        }
        outcomes[outcome]++;
        failed += fails(outcome);
    }
    return failed;
}

// Judges what a run left: its output, then word 0 of the state.
static void judge_run(struct tally *tally, const uint32_t *slot, const uint32_t *expected,
                      uint64_t run)
{
    const uint32_t state = slot[OUTPUT_WORDS];
    tally->runs++;
    // A bounded wait in the shader ran out: nobody promises progress, so this run says nothing.
    if (state != 0 && state != POISON) {
        tally->expired_runs++;
        tally->outcomes[NO_PROGRESS] += UNITS;
        return;
    }
    uint64_t outcomes[16] = {0};
    uint32_t digest = 0;
    uint64_t failed = judge_units(tally, slot, expected, run, outcomes, &digest);
    if (DETERMINISTIC && !failed && tally->has_digest && digest != tally->digest) {
        uint32_t good = RIGHT;
        for (uint32_t i = 0; i < 16; i++)
            if (!fails(i) && outcomes[i] > outcomes[good])
                good = i;
        outcomes[good]--;
        outcomes[VARIED]++;
        failed++;
        show_failure(tally, run, 0, 0, VARIED, digest, tally->digest);
    } else if (DETERMINISTIC && !failed) {
        tally->has_digest = true;
        tally->digest = digest;
    }
    for (uint32_t i = 0; i < 16; i++)
        tally->outcomes[i] += outcomes[i];
    tally->failed_runs += failed != 0;
    if (failed && run == 0)
        tally->first_run_failed = true;
}

// P(at most k of n) for a rate p >= k / n: the terms fall from k downwards.
static double at_most(uint64_t k, uint64_t n, double p)
{
    const double N = (double)n, K = (double)k;
    double term =
        exp(lgamma(N + 1) - lgamma(K + 1) - lgamma(N - K + 1) + K * log(p) + (N - K) * log1p(-p));
    double sum = 0;
    for (double i = K;; i--) {
        sum += term;
        if (i < 1 || term < sum * 1e-16)
            return sum;
        term *= i * (1 - p) / ((N - i + 1) * p);
    }
}

// The upper end of the 95 % Clopper-Pearson interval of k of n; the lower one is 1 - that of n - k.
static double upper(uint64_t k, uint64_t n)
{
    double low = (double)k / (double)n, high = 1;
    if (k == n)
        return 1;
    if (k == 0)
        return -expm1(log(0.025) / (double)n);
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *(at_most(k, n, middle) > 0.025 ? &low : &high) = middle;
    }
    return high;
}

static int print_tally(const struct tally *tally)
{
    const uint64_t judged = tally->runs - tally->expired_runs, failed = tally->failed_runs;
    if (tally->shown > MOST_SHOWN)
        printf("... and %" PRIu64 " more\n", tally->shown - MOST_SHOWN);
    printf("\nHistogram of checked units, * marks failures\n");
    for (uint32_t i = 0; i < 16; i++)
        if (tally->outcomes[i])
            printf("%12" PRIu64 " %c %s\n", tally->outcomes[i],
                   fails(i) && i != NO_PROGRESS ? '*' : ' ',
                   outcome_names[i] ? outcome_names[i] : "?");
    printf("\n%" PRIu64 " of %" PRIu64 " runs failed", failed, judged);
    if (judged && !failed)
        printf(": rate < %.2g (95 %%)\n", upper(0, judged));
    else if (judged && failed == judged && upper(0, judged) < 0.005)
        printf(": rate > 1-%.2g (95 %%)\n", upper(0, judged));
    else if (judged && failed == judged)
        printf(": rate > %.2g (95 %%)\n", 1 - upper(0, judged));
    else if (judged)
        printf(": rate %#.2g [%#.2g, %#.2g] (95 %%), first run: %s\n",
               (double)failed / (double)judged, 1 - upper(judged - failed, judged),
               upper(failed, judged), tally->first_run_failed ? "failed" : "correct");
    else
        printf("\n");
    if (tally->expired_runs)
        printf("%" PRIu64 " more had an expired bounded wait and are inconclusive\n",
               tally->expired_runs);
    return failed ? EXIT_SEEN : judged ? EXIT_NOT_SEEN : EXIT_CANNOT;
}

// ---- Vulkan

static struct tally tally;

// A device that is lost or does not come back is a failure like another; the driver is not asked to
// clean up.
static void check(VkResult result, const char *call)
{
    if (result == VK_SUCCESS)
        return;
    printf("%s: VkResult %d%s\n", call, (int)result,
           result == VK_ERROR_DEVICE_LOST ? ", the device was lost"
           : result == VK_TIMEOUT         ? ", the device did not come back"
                                          : "");
    const bool seen = result == VK_ERROR_DEVICE_LOST || result == VK_TIMEOUT;
    if (seen && tally.runs)
        print_tally(&tally);
    fflush(stdout);
    _Exit(seen ? EXIT_SEEN : EXIT_CANNOT);
}
#define VK(call) check(call, #call)

static void *allocate(uint64_t count, uint64_t size)
{
    void *memory = calloc((size_t)count, (size_t)size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_CANNOT);
    }
    return memory;
}

// Reads a file of 32-bit words; *count of them, or, if that is 0, as many as there are.
static uint32_t *read_words(const char *path, uint64_t *count)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size < 0 || size % 4 || (*count && (uint64_t)size != *count * 4)) {
        fprintf(stderr, "%s is missing or invalid\n", path);
        exit(EXIT_CANNOT);
    }
    *count = (uint64_t)size / 4;
    uint32_t *words = allocate(*count + 1, 4);
    rewind(file);
    if (fread(words, 4, (size_t)*count, file) != *count) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(EXIT_CANNOT);
    }
    fclose(file);
    return words;
}

// What is expected of all units; the file has it of one if it is the same of all.
static uint32_t *read_expected(void)
{
    uint64_t count = EXPECTED_WORDS;
    uint32_t *words = read_words("expected.bin", &count);
    uint32_t *all = allocate(OUTPUT_WORDS * STRIDE, 4);
    for (uint64_t i = 0; i < OUTPUT_WORDS * STRIDE; i++)
        all[i] = words[i % count];
    free(words);
    return all;
}

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool command_pool;
static VkCommandBuffer commands;
static VkFence fence;
static VkPhysicalDeviceMemoryProperties memory_types;
static VkPhysicalDeviceLimits limits;
static PFN_vkGetBufferDeviceAddress get_address; // NULL without buffer device addresses
static uint32_t instance_api, api; // the versions that the loader and both sides speak

// The features that are enabled: all that the tests of litmus can need and the device has, and
// nothing else. Above all no robustBufferAccess, which changes code.
static struct {
    VkPhysicalDeviceFeatures2 base;
    VkPhysicalDeviceVulkan12Features vulkan12; // what it has in the others, it holds in the end
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceShaderAtomicInt64Features int64_atomics;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT float_atomics;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures extended_types;
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR subgroup_uniform;
    VkPhysicalDeviceShaderClockFeaturesKHR clock;
    VkPhysicalDeviceDescriptorIndexingFeatures descriptor_indexing;
#ifdef VK_KHR_shader_maximal_reconvergence
    VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR maximal;
#endif
#ifdef VK_KHR_shader_quad_control
    VkPhysicalDeviceShaderQuadControlFeaturesKHR quad_control;
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    VkPhysicalDeviceShaderSubgroupRotateFeaturesKHR rotate;
#endif
#ifdef VK_KHR_cooperative_matrix
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix;
#endif
    VkBool32 plain[3]; // extensions without a structure
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes;
} has;
#ifdef VK_KHR_shader_maximal_reconvergence
#define HAS_MAXIMAL has.maximal.shaderMaximalReconvergence
#else // these headers are older than the extension
#define HAS_MAXIMAL false
#endif
#ifdef VK_KHR_shader_quad_control
#define HAS_QUAD_CONTROL has.quad_control.shaderQuadControl
#else
#define HAS_QUAD_CONTROL false
#endif
#ifdef VK_KHR_shader_subgroup_rotate
#define HAS_ROTATE           has.rotate.shaderSubgroupRotate
#define HAS_ROTATE_CLUSTERED has.rotate.shaderSubgroupRotateClustered
#else
#define HAS_ROTATE           false
#define HAS_ROTATE_CLUSTERED false
#endif

#ifdef VK_KHR_cooperative_matrix
#define HAS_MATRIX has.matrix.cooperativeMatrix
#else
#define HAS_MATRIX false
#endif

#define TYPE(name) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name
// Where features stand in VkPhysicalDeviceVulkan12Features, and how many bytes they are.
#define IN12(first, last)                                                                          \
    offsetof(VkPhysicalDeviceVulkan12Features, first),                                             \
        offsetof(VkPhysicalDeviceVulkan12Features, last) -                                         \
            offsetof(VkPhysicalDeviceVulkan12Features, first) + sizeof(VkBool32)
static const struct {
    void *structure;
    VkStructureType type;
    uint32_t core; // the version that has it without the extension; 0: none
    const char *extension;
    size_t at12, bytes12;
} features[] = {
    {&has.storage16, TYPE(16BIT_STORAGE_FEATURES), VK_API_VERSION_1_1, "VK_KHR_16bit_storage", 0,
     0},
    {&has.vulkan12, TYPE(VULKAN_1_2_FEATURES), VK_API_VERSION_1_2, "VK_VERSION_1_2", 0, 0},
    {&has.storage8, TYPE(8BIT_STORAGE_FEATURES), VK_API_VERSION_1_2, "VK_KHR_8bit_storage",
     IN12(storageBuffer8BitAccess, storagePushConstant8)},
    {&has.float16_int8, TYPE(SHADER_FLOAT16_INT8_FEATURES), VK_API_VERSION_1_2,
     "VK_KHR_shader_float16_int8", IN12(shaderFloat16, shaderInt8)},
    {&has.int64_atomics, TYPE(SHADER_ATOMIC_INT64_FEATURES), VK_API_VERSION_1_2,
     "VK_KHR_shader_atomic_int64", IN12(shaderBufferInt64Atomics, shaderSharedInt64Atomics)},
    {&has.float_atomics, TYPE(SHADER_ATOMIC_FLOAT_FEATURES_EXT), 0, "VK_EXT_shader_atomic_float", 0,
     0},
    {&has.addresses, TYPE(BUFFER_DEVICE_ADDRESS_FEATURES), VK_API_VERSION_1_2,
     "VK_KHR_buffer_device_address", IN12(bufferDeviceAddress, bufferDeviceAddressMultiDevice)},
    {&has.memory_model, TYPE(VULKAN_MEMORY_MODEL_FEATURES), VK_API_VERSION_1_2,
     "VK_KHR_vulkan_memory_model",
     IN12(vulkanMemoryModel, vulkanMemoryModelAvailabilityVisibilityChains)},
    {&has.extended_types, TYPE(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES), VK_API_VERSION_1_2,
     "VK_KHR_shader_subgroup_extended_types",
     IN12(shaderSubgroupExtendedTypes, shaderSubgroupExtendedTypes)},
    {&has.descriptor_indexing, TYPE(DESCRIPTOR_INDEXING_FEATURES), VK_API_VERSION_1_2,
     "VK_EXT_descriptor_indexing",
     IN12(shaderInputAttachmentArrayDynamicIndexing, runtimeDescriptorArray)},
    {&has.size_control, TYPE(SUBGROUP_SIZE_CONTROL_FEATURES), VK_API_VERSION_1_3,
     "VK_EXT_subgroup_size_control", 0, 0},
    {&has.zero_initialize, TYPE(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES), VK_API_VERSION_1_3,
     "VK_KHR_zero_initialize_workgroup_memory", 0, 0},
    {&has.subgroup_uniform, TYPE(SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR), 0,
     "VK_KHR_shader_subgroup_uniform_control_flow", 0, 0},
    {&has.clock, TYPE(SHADER_CLOCK_FEATURES_KHR), 0, "VK_KHR_shader_clock", 0, 0},
#ifdef VK_KHR_shader_maximal_reconvergence
    {&has.maximal, TYPE(SHADER_MAXIMAL_RECONVERGENCE_FEATURES_KHR), 0,
     "VK_KHR_shader_maximal_reconvergence", 0, 0},
#endif
#ifdef VK_KHR_shader_quad_control
    {&has.quad_control, TYPE(SHADER_QUAD_CONTROL_FEATURES_KHR), 0, "VK_KHR_shader_quad_control", 0,
     0},
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    {&has.rotate, TYPE(SHADER_SUBGROUP_ROTATE_FEATURES_KHR), 0, "VK_KHR_shader_subgroup_rotate", 0,
     0},
#endif
#ifdef VK_KHR_cooperative_matrix
    {&has.matrix, TYPE(COOPERATIVE_MATRIX_FEATURES_KHR), 0, "VK_KHR_cooperative_matrix", 0, 0},
#endif
};

static void make_instance(void)
{
    VK(vkEnumerateInstanceVersion(&instance_api));
    if (instance_api > VK_API_VERSION_1_3)
        instance_api = VK_API_VERSION_1_3;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "litmus",
                                           .apiVersion = instance_api};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    const VkResult result = vkCreateInstance(&info, NULL, &instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        fprintf(stderr, "no Vulkan driver was found\n");
        exit(EXIT_CANNOT);
    }
    check(result, "vkCreateInstance");
}

static VkExtensionProperties *read_extensions(VkPhysicalDevice of, uint32_t *count)
{
    VK(vkEnumerateDeviceExtensionProperties(of, NULL, count, NULL));
    VkExtensionProperties *offered = allocate(*count + 1, sizeof *offered);
    VK(vkEnumerateDeviceExtensionProperties(of, NULL, count, offered));
    return offered;
}

static bool offers(const VkExtensionProperties *offered, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(offered[i].extensionName, name))
            return true;
    return false;
}

// A device of the loader's list, and how much of the measured one it is.
struct candidate {
    VkPhysicalDeviceProperties properties;
    char device_uuid[33], driver_uuid[33];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    enum { ANOTHER, ANOTHER_DRIVER, SAME_DRIVER, MEASURED } match;
};

static void write_uuid(char text[33], const uint8_t uuid[VK_UUID_SIZE])
{
    for (size_t i = 0; i < VK_UUID_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

// A driver's own words, without what a terminal would obey.
static void make_printable(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

static struct candidate identify(VkPhysicalDevice of)
{
    struct candidate c = {.match = ANOTHER};
    VkPhysicalDeviceDriverProperties driver = {.sType = TYPE(DRIVER_PROPERTIES)};
    VkPhysicalDeviceIDProperties ids = {.sType = TYPE(ID_PROPERTIES)};
    VkPhysicalDeviceProperties2 properties = {.sType = TYPE(PROPERTIES_2), .pNext = &ids};
    uint32_t count;
    VkExtensionProperties *offered = read_extensions(of, &count);
    vkGetPhysicalDeviceProperties(of, &c.properties);
    if ((c.properties.apiVersion >= VK_API_VERSION_1_2 && instance_api >= VK_API_VERSION_1_2) ||
        offers(offered, count, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME))
        ids.pNext = &driver;
    vkGetPhysicalDeviceProperties2(of, &properties);
    write_uuid(c.device_uuid, ids.deviceUUID);
    write_uuid(c.driver_uuid, ids.driverUUID);
    memcpy(c.driver_info, driver.driverInfo, sizeof c.driver_info);
    make_printable(c.driver_info, sizeof c.driver_info);
    make_printable(c.properties.deviceName, sizeof c.properties.deviceName);
    if (c.properties.vendorID == VENDOR && c.properties.deviceID == DEVICE)
        c.match = strcmp(c.driver_uuid, DRIVER_UUID) || strcmp(c.driver_info, DRIVER_INFO)
                      ? ANOTHER_DRIVER
                  : strcmp(c.device_uuid, DEVICE_UUID) ? SAME_DRIVER
                                                       : MEASURED;
    free(offered);
    return c;
}

static void print_candidate(const char *before, uint32_t number, const struct candidate *c)
{
    printf("%s%" PRIu32 ": %s, driver %s, driver UUID %s, driver version 0x%" PRIx32 "%s\n", before,
           number, c->properties.deviceName, c->driver_info[0] ? c->driver_info : "?",
           c->driver_uuid, c->properties.driverVersion,
           c->match >= SAME_DRIVER ? ", the measured driver" : "");
}

// The device that is most like the measured one; ends the program where several are.
static uint32_t find_measured(const struct candidate *all, uint32_t count)
{
    uint32_t best = 0, equals = 0;
    for (uint32_t i = 1; i < count; i++)
        best = all[i].match > all[best].match ? i : best;
    for (uint32_t i = 0; i < count; i++)
        equals += all[i].match == all[best].match;
    if (all[best].match < SAME_DRIVER)
        printf(
            "THIS IS NOT THE MEASURED DRIVER, which was %s, driver UUID %s, device 0x%04x:0x%04x\n",
            DRIVER_INFO, DRIVER_UUID, VENDOR, DEVICE);
    if (equals == 1)
        return best;
    printf("CANNOT TELL which of these devices is meant; name one with -d:\n");
    for (uint32_t i = 0; i < count; i++)
        if (all[i].match == all[best].match)
            print_candidate("  ", i + 1, &all[i]);
    exit(EXIT_CANNOT);
}

// Takes the device with number `wanted` from 1; 0: the measured one. With `list` only says which
// there are.
static void pick_device(uint64_t wanted, bool list)
{
    VkPhysicalDevice devices[64];
    uint32_t count = COUNT(devices);
    const VkResult result = vkEnumeratePhysicalDevices(instance, &count, devices);
    if (result != VK_INCOMPLETE)
        check(result, "vkEnumeratePhysicalDevices");
    struct candidate *all = allocate(count + 1, sizeof *all);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = identify(devices[i]);
        if (list)
            print_candidate("", i + 1, &all[i]);
    }
    if (list)
        exit(EXIT_NOT_SEEN);
    if (wanted > count || !count) {
        fprintf(stderr, "there is no device %" PRIu64 ": there are %" PRIu32 "\n", wanted, count);
        exit(count ? EXIT_USAGE : EXIT_CANNOT);
    }
    const uint32_t at = wanted ? (uint32_t)wanted - 1 : find_measured(all, count);
    physical = devices[at];
    limits = all[at].properties.limits;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory_types);
    api =
        all[at].properties.apiVersion < instance_api ? all[at].properties.apiVersion : instance_api;
    print_candidate("device ", at + 1, &all[at]);
    free(all);
}

// vkCreateDevice takes what Vulkan 1.2 has in one structure in no other beside it.
static void gather_features(void)
{
    VkBaseOutStructure *before = (void *)&has.base;
    if (!has.vulkan12.sType)
        return;
    has.vulkan12 = (VkPhysicalDeviceVulkan12Features){.sType = has.vulkan12.sType,
                                                      .pNext = has.vulkan12.pNext,
                                                      .subgroupBroadcastDynamicId =
                                                          has.vulkan12.subgroupBroadcastDynamicId};
    while (before->pNext) {
        VkBaseOutStructure *here = before->pNext;
        size_t i = 0;
        while (i < COUNT(features) && (features[i].type != here->sType || !features[i].bytes12))
            i++;
        if (i < COUNT(features)) {
            memcpy((char *)&has.vulkan12 + features[i].at12, here + 1, features[i].bytes12);
            before->pNext = here->pNext;
        } else {
            before = here;
        }
    }
}

// Asks for features and properties; has.base becomes a chain of exactly what is to be enabled.
static uint32_t read_features(const char *enabled[COUNT(features) + COUNT(has.plain)])
{
    uint32_t count = 0, enabled_count = 0;
    VkExtensionProperties *offered = read_extensions(physical, &count);
    has.base.sType = TYPE(FEATURES_2);
    for (size_t i = 0; i < COUNT(features); i++) {
        const bool core = features[i].core && api >= features[i].core;
        const bool there = core || offers(offered, count, features[i].extension);
        if (there && !core)
            enabled[enabled_count++] = features[i].extension;
        VkBaseOutStructure *link = features[i].structure;
        link->sType = there ? features[i].type : 0;
        if (there) {
            link->pNext = has.base.pNext;
            has.base.pNext = link;
        }
    }
    static const char *const plain[COUNT(has.plain)] = {
        VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME,
        VK_EXT_SHADER_SUBGROUP_BALLOT_EXTENSION_NAME,
        VK_EXT_SHADER_SUBGROUP_VOTE_EXTENSION_NAME,
    };
    for (size_t i = 0; i < COUNT(plain); i++) {
        has.plain[i] = offers(offered, count, plain[i]);
        if (has.plain[i])
            enabled[enabled_count++] = plain[i];
    }
    free(offered);
    vkGetPhysicalDeviceFeatures2(physical, &has.base);
    const VkPhysicalDeviceFeatures all = has.base.features;
    has.base.features = (VkPhysicalDeviceFeatures){.shaderInt16 = all.shaderInt16,
                                                   .shaderInt64 = all.shaderInt64,
                                                   .shaderFloat64 = all.shaderFloat64,
                                                   .shaderStorageBufferArrayDynamicIndexing =
                                                       all.shaderStorageBufferArrayDynamicIndexing};
    has.descriptor_indexing = (VkPhysicalDeviceDescriptorIndexingFeatures){
        .sType = has.descriptor_indexing.sType,
        .pNext = has.descriptor_indexing.pNext,
        .shaderStorageBufferArrayNonUniformIndexing =
            has.descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing};
    has.clock.shaderDeviceClock = VK_FALSE;
    has.addresses.bufferDeviceAddressCaptureReplay = VK_FALSE;
    has.addresses.bufferDeviceAddressMultiDevice = VK_FALSE;
    gather_features();
#ifdef VK_KHR_cooperative_matrix
    has.matrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
#endif
    has.sizes.sType = TYPE(SUBGROUP_SIZE_CONTROL_PROPERTIES);
    has.subgroup.sType = TYPE(SUBGROUP_PROPERTIES);
    has.subgroup.pNext = has.size_control.sType ? &has.sizes : NULL;
    VkPhysicalDeviceProperties2 properties = {.sType = TYPE(PROPERTIES_2), .pNext = &has.subgroup};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    return enabled_count;
}

static bool can_choose_size(void)
{
    return has.size_control.subgroupSizeControl &&
           (has.sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT);
}

static bool fits(uint64_t needed, const char *what, uint64_t most, const char *limit)
{
    if (needed > most)
        printf("the device cannot run %" PRIu64 " %s: %s is %" PRIu64 "\n", needed, what, limit,
               most);
    return needed <= most;
}

// Says what the device lacks of what the test needs.
static void check_needs(void)
{
    const bool compute = has.subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
    const VkSubgroupFeatureFlags operations = compute ? has.subgroup.supportedOperations : 0;
    const uint32_t usual = has.subgroup.subgroupSize, least = has.sizes.minSubgroupSize;
    const uint32_t most = has.sizes.maxSubgroupSize, size = SUBGROUP_SIZE;
    bool can = true;
#define NEED(name, there)                                                                          \
    if (!(there)) {                                                                                \
        printf("the device lacks %s\n", name);                                                     \
        can = false;                                                                               \
    }
    NEEDS(NEED)
    if (size && size != usual && (!can_choose_size() || size < least || size > most)) {
        printf("the device lacks subgroups of %" PRIu32 "\n", size);
        can = false;
    }
    const uint64_t buffers[] = {INPUT_WORDS, OUTPUT_WORDS, STATE_WORDS};
    for (size_t i = 0; i < COUNT(buffers); i++)
        can &= fits(buffers[i] * 4, "bytes in a buffer", limits.maxStorageBufferRange,
                    "maxStorageBufferRange");
    can &= fits(3 + DESCRIPTORS, "storage buffers", limits.maxPerStageDescriptorStorageBuffers,
                "maxPerStageDescriptorStorageBuffers");
    can &= fits(WORKGROUPS, "workgroups", limits.maxComputeWorkGroupCount[0],
                "maxComputeWorkGroupCount");
    can &= fits(WORKGROUP_SIZE, "invocations in a workgroup", limits.maxComputeWorkGroupInvocations,
                "maxComputeWorkGroupInvocations");
    can &= fits(WORKGROUP_SIZE, "invocations in a workgroup", limits.maxComputeWorkGroupSize[0],
                "maxComputeWorkGroupSize");
    if (size && can_choose_size())
        can &= fits(WORKGROUP_SIZE / (size ? size : 1), "subgroups in a workgroup",
                    has.sizes.maxComputeWorkgroupSubgroups, "maxComputeWorkgroupSubgroups");
    (void)operations;
    if (!can)
        exit(EXIT_CANNOT);
}

static void make_device(void)
{
    const char *extensions[COUNT(features) + COUNT(has.plain)];
    const uint32_t extension_count = read_features(extensions);
    check_needs();
    VkQueueFamilyProperties families[64];
    uint32_t count = COUNT(families), family = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueFamilyIndex = family,
                                                .queueCount = 1,
                                                .pQueuePriorities = &priority};
    const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .pNext = &has.base,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue_info,
                                            .enabledExtensionCount = extension_count,
                                            .ppEnabledExtensionNames = extensions};
    VK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    if (has.addresses.bufferDeviceAddress)
        get_address = (PFN_vkGetBufferDeviceAddress)vkGetDeviceProcAddr(
            device,
            api >= VK_API_VERSION_1_2 ? "vkGetBufferDeviceAddress" : "vkGetBufferDeviceAddressKHR");

    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .queueFamilyIndex = family};
    VK(vkCreateCommandPool(device, &pool_info, NULL, &command_pool));
    const VkCommandBufferAllocateInfo commands_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = command_pool,
        .commandBufferCount = 1};
    VK(vkAllocateCommandBuffers(device, &commands_info, &commands));
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VK(vkCreateFence(device, &fence_info, NULL, &fence));
}

struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    uint64_t words;
    uint32_t *mapped;        // of a buffer for the host
    VkDeviceAddress address; // 0 without buffer device addresses
};

static uint32_t find_memory(uint32_t types, VkMemoryPropertyFlags best, VkMemoryPropertyFlags least)
{
    for (uint32_t i = 0; i < memory_types.memoryTypeCount; i++)
        if ((types >> i & 1) && (memory_types.memoryTypes[i].propertyFlags & best) == best)
            return i;
    return best == least ? 0 : find_memory(types, least, least);
}

static struct buffer make_buffer(uint64_t words, bool for_host)
{
    struct buffer buffer = {.words = words ? words : 1};
    const bool addressed = get_address && !for_host;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer.words * 4,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u)};
    VK(vkCreateBuffer(device, &info, NULL, &buffer.handle));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(device, buffer.handle, &need);
    const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = addressed ? &flags : NULL,
        .allocationSize = need.size,
        .memoryTypeIndex =
            for_host ? find_memory(need.memoryTypeBits,
                                   coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, coherent)
                     : find_memory(need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0)};
    VK(vkAllocateMemory(device, &allocation, NULL, &buffer.memory));
    VK(vkBindBufferMemory(device, buffer.handle, buffer.memory, 0));
    if (for_host)
        VK(vkMapMemory(device, buffer.memory, 0, VK_WHOLE_SIZE, 0, (void **)&buffer.mapped));
    if (addressed)
        buffer.address = get_address(
            device,
            &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                         .buffer = buffer.handle});
    return buffer;
}

static void begin(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK(vkResetCommandPool(device, command_pool, 0));
    VK(vkBeginCommandBuffer(commands, &info));
}

// Whatever was recorded before happens before whatever follows.
static void barrier(void)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                         VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0,
                         NULL);
}

static void submit(void)
{
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands};
    VK(vkEndCommandBuffer(commands));
    VK(vkResetFences(device, 1, &fence));
    VK(vkQueueSubmit(queue, 1, &info, fence));
    VK(vkWaitForFences(device, 1, &fence, VK_TRUE, TIMEOUT));
}

// ---- The test

static struct buffer input, output, state, slots;
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkDescriptorSet set;
static VkPipeline pipeline;

struct push {
    uint64_t input, output, state; // device addresses
    uint32_t elements, seed;
};

// Set 0: input, output, state, as storage buffers 0 to 2; where there are DESCRIPTORS, they are
// array 3, of 256 bytes of input each. 32 bytes of push constants.
static void make_interface(void)
{
    const struct buffer *const buffers[3] = {&input, &output, &state};
    VkDescriptorSetLayoutBinding bindings[4];
    for (uint32_t i = 0; i < 4; i++)
        bindings[i] =
            (VkDescriptorSetLayoutBinding){.binding = i,
                                           .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                           .descriptorCount = i < 3 ? 1 : DESCRIPTORS,
                                           .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = DESCRIPTORS ? 4 : 3,
        .pBindings = bindings};
    VK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                       .size = sizeof(struct push)};
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range};
    VK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));

    VkDescriptorPool pool;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3 + DESCRIPTORS};
    const VkDescriptorPoolCreateInfo pool_info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    VK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo allocation = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout};
    VK(vkAllocateDescriptorSets(device, &allocation, &set));
    for (uint32_t i = 0; i < 3 + DESCRIPTORS; i++) {
        const uint32_t element = i < 3 ? 0 : i - 3;
        const VkDescriptorBufferInfo info = {.buffer = buffers[i < 3 ? i : 0]->handle,
                                             .offset = element * 256,
                                             .range = i < 3 ? VK_WHOLE_SIZE : 256};
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = set,
                                            .dstBinding = i < 3 ? i : 3,
                                            .dstArrayElement = element,
                                            .descriptorCount = 1,
                                            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                            .pBufferInfo = &info};
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
}

// Subgroups of the size that the test is about, full ones where it needs them, and no pipeline
// cache.
static void make_pipeline(const uint32_t *words, uint64_t count)
{
    VkShaderModule module;
    const VkShaderModuleCreateInfo module_info = {.sType =
                                                      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = (size_t)count * 4,
                                                  .pCode = words};
    VkSpecializationMapEntry entries[COUNT(spec_ids)];
    for (uint32_t i = 0; i < COUNT(spec_ids); i++)
        entries[i] = (VkSpecializationMapEntry){spec_ids[i], i * 4, 4};
    const VkSpecializationInfo specialization = {COUNT(spec_ids), entries, sizeof spec_values,
                                                 spec_values};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = SUBGROUP_SIZE};
    vkDestroyPipeline(device, pipeline, NULL);
    VK(vkCreateShaderModule(device, &module_info, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = SUBGROUP_SIZE && can_choose_size() ? &size : NULL,
                  .flags = SUBGROUP_SIZE && FULL_SUBGROUPS && has.size_control.computeFullSubgroups
                               ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
                               : 0u,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = layout};
    VK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    vkDestroyShaderModule(device, module, NULL);
}

// splitmix64, Steele, Lea and Flood 2014.
static uint32_t run_seed(uint64_t run)
{
    uint64_t z = STREAM + run + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(FIXED_SEED ? STREAM : z ^ z >> 31);
}

// Fresh buffers, the dispatch, and a copy of what it left.
static void record_run(uint64_t run, uint32_t slot)
{
    const uint64_t at = slot * SLOT_WORDS * 4;
    const struct push push = {input.address, output.address, state.address, ELEMENTS,
                              run_seed(run)};
    const VkBufferCopy result = {.dstOffset = at, .size = OUTPUT_WORDS * 4};
    const VkBufferCopy expired = {.dstOffset = at + result.size, .size = 4};
    vkCmdFillBuffer(commands, output.handle, 0, VK_WHOLE_SIZE, POISON);
    vkCmdFillBuffer(commands, state.handle, 0, VK_WHOLE_SIZE, 0);
    barrier();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    if (WORKGROUPS)
        vkCmdDispatch(commands, WORKGROUPS, 1, 1);
    barrier();
    vkCmdCopyBuffer(commands, output.handle, slots.handle, 1, &result);
    vkCmdCopyBuffer(commands, state.handle, slots.handle, 1, &expired);
    barrier();
}

static void upload(const struct buffer *buffer, const uint32_t *words, uint64_t count)
{
    const VkBufferCopy copy = {.size = count * 4};
    struct buffer staging = make_buffer(count, true);
    memcpy(staging.mapped, words, (size_t)count * 4);
    begin();
    vkCmdCopyBuffer(commands, staging.handle, buffer->handle, 1, &copy);
    barrier();
    submit();
    vkDestroyBuffer(device, staging.handle, NULL);
    vkFreeMemory(device, staging.memory, NULL);
}

static int run_all(uint64_t runs, const char *module)
{
    uint64_t spv_words = 0, input_words = INPUT_WORDS;
    const uint64_t fit = BATCH_BYTES / (SLOT_WORDS * 4);
    const uint32_t most = fit < 1 ? 1 : fit < MOST_BATCH ? (uint32_t)fit : MOST_BATCH;
    uint32_t *spv = read_words(module, &spv_words);
    uint32_t *expected = read_expected();
    input = make_buffer(INPUT_WORDS, false);
    output = make_buffer(OUTPUT_WORDS, false);
    state = make_buffer(STATE_WORDS, false);
    slots = make_buffer(most * SLOT_WORDS, true);
    if (input_words) {
        uint32_t *words = read_words("input.bin", &input_words);
        upload(&input, words, input_words);
        free(words);
    }
    make_interface();
    for (uint64_t done = 0; done < runs;) {
        // The first run of a pipeline goes alone: some drivers compile within it.
        const bool fresh = done % PIPELINE_RUNS == 0;
        uint64_t count = fresh ? 1 : most;
        if (fresh)
            make_pipeline(spv, spv_words);
        tally.has_digest &= !fresh;
        if (count > PIPELINE_RUNS - done % PIPELINE_RUNS)
            count = PIPELINE_RUNS - done % PIPELINE_RUNS;
        if (count > runs - done)
            count = runs - done;
        for (uint64_t i = 0; i < count * SLOT_WORDS; i++)
            slots.mapped[i] = POISON;
        begin();
        for (uint32_t i = 0; i < count; i++)
            record_run(FIRST_RUN + done + i, i);
        submit();
        for (uint64_t i = 0; i < count; i++)
            judge_run(&tally, slots.mapped + i * SLOT_WORDS, expected, FIRST_RUN + done + i);
        done += count;
    }
    free(spv);
    free(expected);
    return print_tally(&tally);
}

static int usage(const char *program)
{
    fprintf(
        stderr,
        "usage: %s [-n RUNS] [-d NUMBER] [-m MODULE] [-l]\n"
        "  -n RUNS    how many runs (default: %" PRIu64 ")\n"
        "  -d NUMBER  of the device, from 1 (default: the measured one)\n"
        "  -m MODULE  a SPIR-V file of the same interface (default: test.spv)\n"
        "  -l         list the devices\n"
        "exit codes: 0 no run failed, 1 at least one did, 2 wrong usage, 125 nothing could be "
        "judged: no\ndevice, several that could be meant, the device lacks something, a file is "
        "missing, a Vulkan call\nfailed, or a bounded wait expired in every run\n",
        program, RUNS);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    uint64_t runs = RUNS, wanted = 0;
    const char *module = "test.spv";
    bool list = false;
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        uint64_t *number = !strcmp(argv[i], "-n") ? &runs : !strcmp(argv[i], "-d") ? &wanted : NULL;
        if (number && i + 1 < argc && argv[i + 1][0] >= '0' && argv[i + 1][0] <= '9')
            *number = strtoull(argv[++i], &end, 10);
        else if (!strcmp(argv[i], "-m") && i + 1 < argc)
            module = argv[++i];
        else if (!strcmp(argv[i], "-l"))
            list = true;
        else
            return usage(argv[0]);
        if (number && (*end || !*number))
            return usage(argv[0]);
    }
    printf("%s\n", NAME);
    make_instance();
    pick_device(wanted, list);
    make_device();
    const int code = run_all(runs, module);
    fflush(stdout);
    // The process ends here, and with it all that it holds.
    return code;
}
