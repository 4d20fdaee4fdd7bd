// SPDX-License-Identifier: Apache-2.0
// The rest of the reproducer: see template.c.
//<rest>
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
    VkPhysicalDeviceVariablePointersFeatures variable_pointers;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
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
#ifdef VK_KHR_shader_expect_assume
    VkPhysicalDeviceShaderExpectAssumeFeaturesKHR expect_assume;
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

#ifdef VK_KHR_shader_expect_assume
#define HAS_EXPECT_ASSUME has.expect_assume.shaderExpectAssume
#else
#define HAS_EXPECT_ASSUME false
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
    {&has.variable_pointers, TYPE(VARIABLE_POINTERS_FEATURES), VK_API_VERSION_1_1,
     "VK_KHR_variable_pointers", 0, 0},
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
    {&has.dot_product, TYPE(SHADER_INTEGER_DOT_PRODUCT_FEATURES), VK_API_VERSION_1_3,
     "VK_KHR_shader_integer_dot_product", 0, 0},
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
#ifdef VK_KHR_shader_expect_assume
    {&has.expect_assume, TYPE(SHADER_EXPECT_ASSUME_FEATURES_KHR), 0, "VK_KHR_shader_expect_assume",
     0, 0},
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
    has.base.features = (VkPhysicalDeviceFeatures){
        .shaderInt16 = all.shaderInt16,
        .shaderInt64 = all.shaderInt64,
        .shaderFloat64 = all.shaderFloat64,
        .shaderStorageBufferArrayDynamicIndexing = all.shaderStorageBufferArrayDynamicIndexing,
        .shaderUniformBufferArrayDynamicIndexing = all.shaderUniformBufferArrayDynamicIndexing};
    has.descriptor_indexing = (VkPhysicalDeviceDescriptorIndexingFeatures){
        .sType = has.descriptor_indexing.sType,
        .pNext = has.descriptor_indexing.pNext,
        .shaderStorageBufferArrayNonUniformIndexing =
            has.descriptor_indexing.shaderStorageBufferArrayNonUniformIndexing,
        .shaderUniformBufferArrayNonUniformIndexing =
            has.descriptor_indexing.shaderUniformBufferArrayNonUniformIndexing,
        .runtimeDescriptorArray = has.descriptor_indexing.runtimeDescriptorArray};
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
#if INTERFACE == OF_TEST
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer.words * 4,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u)};
#elif INTERFACE == OF_KERNEL
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer.words * 4,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u)};
#endif // INTERFACE
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

// What follows stands in a file of its own here, and in the same one in a bundle.
#include "template_test.c"
