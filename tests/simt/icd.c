// SPDX-License-Identifier: Apache-2.0
// The driver's front: commands, settings, what it says that it can do, and devices.
#include "icd.h"

#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
// Declares a structure that describes the physical device, and chains `next` behind it.
#define CHAIN(type, name, s_type, next)                                                            \
    VkPhysicalDevice##type name = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##s_type,            \
                                   .pNext = next}

static VkInstance instance;
static VkPhysicalDevice physical;

static int open_instance(void **state)
{
    if (make_instance("model=tangled,seed=5,subgroup=64,threads=1", NULL, &instance))
        return -1;
    physical = get_physical(instance);
    return 0;
}

static int close_instance(void **state)
{
    icd_DestroyInstance(instance, NULL);
    return 0;
}

// Commands

TEST(every_command_is_found)
{
    static const char *const names[] = {
#define ALIAS(name, suffix) "vk" #name #suffix,
#define GLOBAL(name)        "vk" #name,
#define INSTANCE(name)      "vk" #name,
#define DEVICE(name)        "vk" #name,
#define GRAPHICS(name)      "vk" #name,
#include "icd/commands.h"
#undef ALIAS
#undef GLOBAL
#undef INSTANCE
#undef DEVICE
#undef GRAPHICS
        "vkGetInstanceProcAddr", "vkGetDeviceProcAddr"};
    assert_true(COUNT(names) > 200);
    for (size_t i = 0; i < COUNT(names); i++)
        if (!icd_GetInstanceProcAddr(instance, names[i]))
            fail_msg("%s is not found", names[i]);
}

// Whether the driver offers a part of the header: a version, or an extension by name.
static bool is_offered(const char *part)
{
    unsigned minor;
    if (sscanf(part, "VK_VERSION_1_%u", &minor) == 1)
        return minor <= VK_API_VERSION_MINOR(ICD_API_VERSION);
    VkExtensionProperties extensions[128];
    uint32_t count = COUNT(extensions);
    assert_success(icd_EnumerateInstanceExtensionProperties(NULL, &count, extensions));
    uint32_t more = (uint32_t)COUNT(extensions) - count;
    assert_success(
        icd_EnumerateDeviceExtensionProperties(physical, NULL, &more, extensions + count));
    for (uint32_t i = 0; i < count + more; i++)
        if (!strcmp(extensions[i].extensionName, part))
            return true;
    return false;
}

TEST(every_command_of_the_header_that_is_offered_is_found)
{
    char line[1024], part[128], name[128], first[64];
    unsigned global = 0, of_instance = 0, of_device = 0;
    bool offered = false;
    if (unit_argument_count < 2)
        skip();
    FILE *file = fopen(unit_argument(1), "r"); // vulkan_core.h
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "#define %127s 1", part) == 1 && strstr(line, " 1\n") &&
            !strstr(part, "_SPEC_VERSION"))
            offered = is_offered(part);
        // Callbacks have their parameters in other lines.
        if (!offered ||
            sscanf(line, "typedef %*s (VKAPI_PTR *PFN_%127[^)])(%63[^ \n]", name, first) != 2)
            continue;
        const char *end = name + strlen(name);
        // Older headers have commands of two vendors among those of VK_KHR_synchronization2.
        if (!strcmp(name, "vkVoidFunction") || !strcmp(end - 2, "NV") || !strcmp(end - 3, "AMD"))
            continue;
        PFN_vkVoidFunction found;
        if (!strcmp(first, "VkDevice") || !strcmp(first, "VkQueue") ||
            !strcmp(first, "VkCommandBuffer")) {
            found = icd_GetDeviceProcAddr(NULL, name);
            of_device++;
        } else if (!strcmp(first, "VkInstance") || !strcmp(first, "VkPhysicalDevice")) {
            found = icd_GetInstanceProcAddr(instance, name);
            of_instance++;
        } else {
            found = icd_GetInstanceProcAddr(NULL, name);
            global++;
        }
        if (!found)
            fail_msg("%s(%s...) is not found", name, first);
    }
    fclose(file);
    assert_int_equal(global, 4);
    assert_in_range(of_instance, 20, 100);
    assert_in_range(of_device, 200, 400);
}

TEST(commands_are_found_by_what_they_are_dispatched_on)
{
    assert_non_null(icd_GetInstanceProcAddr(NULL, "vkCreateInstance"));
    assert_non_null(icd_GetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion"));
    assert_null(icd_GetInstanceProcAddr(NULL, "vkCreateDevice"));
    assert_null(icd_GetInstanceProcAddr(NULL, "vkCreateBuffer"));
    assert_null(icd_GetInstanceProcAddr(instance, "vkNothing"));
    assert_null(icd_GetInstanceProcAddr(instance, "vkCreateSwapchainKHR"));
    assert_non_null(icd_GetDeviceProcAddr(NULL, "vkCreateBuffer"));
    assert_non_null(icd_GetDeviceProcAddr(NULL, "vkCmdPipelineBarrier2KHR"));
    assert_true(icd_GetDeviceProcAddr(NULL, "vkQueueSubmit2KHR") ==
                icd_GetDeviceProcAddr(NULL, "vkQueueSubmit2"));
    assert_null(icd_GetDeviceProcAddr(NULL, "vkCreateInstance"));
    assert_null(icd_GetDeviceProcAddr(NULL, "vkEnumeratePhysicalDevices"));
}

TEST(the_loader_interface_is_negotiated)
{
    uint32_t version = 4;
    assert_int_equal(vk_icdNegotiateLoaderICDInterfaceVersion(&version),
                     VK_ERROR_INCOMPATIBLE_DRIVER);
    version = 5;
    assert_success(vk_icdNegotiateLoaderICDInterfaceVersion(&version));
    assert_int_equal(version, 5);
    version = 99;
    assert_success(vk_icdNegotiateLoaderICDInterfaceVersion(&version));
    assert_int_equal(version, 7);
    assert_non_null(vk_icdGetInstanceProcAddr(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion"));
    assert_non_null(vk_icdGetInstanceProcAddr(NULL, "vk_icdGetPhysicalDeviceProcAddr"));
    assert_non_null(vk_icdGetInstanceProcAddr(NULL, "vkCreateInstance"));
    assert_non_null(vk_icdGetPhysicalDeviceProcAddr(instance, "vkCreateDevice"));
    assert_non_null(vk_icdGetPhysicalDeviceProcAddr(instance, "vkGetPhysicalDeviceFeatures2KHR"));
    assert_null(vk_icdGetPhysicalDeviceProcAddr(instance, "vkDestroyInstance"));
    assert_null(vk_icdGetPhysicalDeviceProcAddr(instance, "vkGetDeviceProcAddr"));
    assert_null(vk_icdGetPhysicalDeviceProcAddr(instance, "vkCreateBuffer"));
}

// Settings and messages

// What `make_instance` wrote to stderr.
static VkResult with_stderr(const char *settings, struct said *said, VkInstance *made, char *text,
                            size_t size)
{
    FILE *file = tmpfile();
    const int before = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(before >= 0);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    const VkResult result = make_instance(settings, said, made);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    return result;
}

TEST(wrong_settings_are_refused_with_one_line)
{
    static const char *const wrong[] = {"model=bad", "bad", "model=bad\x1b[31m\n,seed=1"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct said said = {0};
        char text[2048];
        VkInstance none = (VkInstance)1;
        assert_int_equal(with_stderr(wrong[i], &said, &none, text, sizeof text),
                         VK_ERROR_INITIALIZATION_FAILED);
        assert_null(none);
        assert_int_equal(said.count, 1);
        assert_int_equal(said.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT);
        assert_int_equal(strncmp(text, "simt: ", 6), 0);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
        assert_null(strchr(text, '\x1b'));
        assert_int_equal(strncmp(text + 6, said.line, strlen(said.line)), 0);
    }
}

TEST(right_settings_say_nothing)
{
    static const char *const right[] = {NULL, "", "model=snooping,seed=7"};
    for (size_t i = 0; i < COUNT(right); i++) {
        struct said said = {0};
        char text[256];
        VkInstance made = NULL;
        assert_success(with_stderr(right[i], &said, &made, text, sizeof text));
        assert_string_equal(text, "");
        assert_int_equal(said.count, 0);
        icd_DestroyInstance(made, NULL);
    }
}

TEST(messengers_hear_until_they_are_destroyed)
{
    struct said one = {0}, two = {0};
    const VkDebugUtilsMessengerCreateInfoEXT info = listener(&one);
    VkDebugUtilsMessengerCreateInfoEXT errors = listener(&two);
    VkDebugUtilsMessengerEXT first, second;
    errors.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    assert_success(icd_CreateDebugUtilsMessengerEXT(instance, &info, NULL, &first));
    assert_success(icd_CreateDebugUtilsMessengerEXT(instance, &errors, NULL, &second));
    icd_say((struct icd_instance *)instance, ICD_WARNING, "one\x07two\nthree\x7f");
    assert_string_equal(one.line, "one?two?three?");
    assert_int_equal(one.severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    assert_int_equal(two.count, 0);
    icd_DestroyDebugUtilsMessengerEXT(instance, first, NULL);
    icd_say((struct icd_instance *)instance, ICD_ERROR, "again");
    assert_int_equal(one.count, 1);
    assert_string_equal(two.line, "again");
    icd_DestroyDebugUtilsMessengerEXT(instance, second, NULL);
    icd_DestroyDebugUtilsMessengerEXT(instance, VK_NULL_HANDLE, NULL);
}

TEST(instances_refuse_what_is_not_there)
{
    const char *name = "VK_KHR_surface";
    VkInstance none;
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &name};
    assert_int_equal(icd_CreateInstance(&info, NULL, &none), VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &name;
    assert_int_equal(icd_CreateInstance(&info, NULL, &none), VK_ERROR_LAYER_NOT_PRESENT);
}

// Features

// The features of an extension in the structure of its version and in its own, which both have them
// one behind the other. Both are asked for over memory that holds neither true nor false.
#define FEATURES(version, type, first_, count_)                                                    \
    {                                                                                              \
        .in = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##version##_FEATURES,                     \
        .own = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES,                                \
        .first = offsetof(VkPhysicalDeviceVulkan1##version##Features, first_) / sizeof(VkBool32),  \
        .count = count_, .name = #first_                                                           \
    }

TEST(features_are_the_same_in_both_structures)
{
    enum { HEAD = sizeof(VkBaseOutStructure) / sizeof(VkBool32), MOST = 64 };
    static const struct {
        VkStructureType in, own;
        size_t first, count;
        const char *name;
    } rows[] = {
        FEATURES(1, 16BIT_STORAGE, storageBuffer16BitAccess, 4),
        FEATURES(1, MULTIVIEW, multiview, 3),
        FEATURES(1, VARIABLE_POINTERS, variablePointersStorageBuffer, 2),
        FEATURES(1, PROTECTED_MEMORY, protectedMemory, 1),
        FEATURES(1, SAMPLER_YCBCR_CONVERSION, samplerYcbcrConversion, 1),
        FEATURES(1, SHADER_DRAW_PARAMETERS, shaderDrawParameters, 1),
        FEATURES(2, 8BIT_STORAGE, storageBuffer8BitAccess, 3),
        FEATURES(2, SHADER_ATOMIC_INT64, shaderBufferInt64Atomics, 2),
        FEATURES(2, SHADER_FLOAT16_INT8, shaderFloat16, 2),
        FEATURES(2, DESCRIPTOR_INDEXING, shaderInputAttachmentArrayDynamicIndexing, 20),
        FEATURES(2, SCALAR_BLOCK_LAYOUT, scalarBlockLayout, 1),
        FEATURES(2, IMAGELESS_FRAMEBUFFER, imagelessFramebuffer, 1),
        FEATURES(2, UNIFORM_BUFFER_STANDARD_LAYOUT, uniformBufferStandardLayout, 1),
        FEATURES(2, SHADER_SUBGROUP_EXTENDED_TYPES, shaderSubgroupExtendedTypes, 1),
        FEATURES(2, SEPARATE_DEPTH_STENCIL_LAYOUTS, separateDepthStencilLayouts, 1),
        FEATURES(2, HOST_QUERY_RESET, hostQueryReset, 1),
        FEATURES(2, TIMELINE_SEMAPHORE, timelineSemaphore, 1),
        FEATURES(2, BUFFER_DEVICE_ADDRESS, bufferDeviceAddress, 3),
        FEATURES(2, VULKAN_MEMORY_MODEL, vulkanMemoryModel, 3),
        FEATURES(3, IMAGE_ROBUSTNESS, robustImageAccess, 1),
        FEATURES(3, INLINE_UNIFORM_BLOCK, inlineUniformBlock, 2),
        FEATURES(3, PIPELINE_CREATION_CACHE_CONTROL, pipelineCreationCacheControl, 1),
        FEATURES(3, PRIVATE_DATA, privateData, 1),
        FEATURES(3, SHADER_DEMOTE_TO_HELPER_INVOCATION, shaderDemoteToHelperInvocation, 1),
        FEATURES(3, SHADER_TERMINATE_INVOCATION, shaderTerminateInvocation, 1),
        FEATURES(3, SUBGROUP_SIZE_CONTROL, subgroupSizeControl, 2),
        FEATURES(3, SYNCHRONIZATION_2, synchronization2, 1),
        FEATURES(3, TEXTURE_COMPRESSION_ASTC_HDR, textureCompressionASTC_HDR, 1),
        FEATURES(3, ZERO_INITIALIZE_WORKGROUP_MEMORY, shaderZeroInitializeWorkgroupMemory, 1),
        FEATURES(3, DYNAMIC_RENDERING, dynamicRendering, 1),
        FEATURES(3, SHADER_INTEGER_DOT_PRODUCT, shaderIntegerDotProduct, 1),
        FEATURES(3, MAINTENANCE_4, maintenance4, 1),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        union {
            VkBaseOutStructure head;
            VkBool32 words[MOST];
        } own, all;
        memset(&own, 0x5a, sizeof own);
        memset(&all, 0x5a, sizeof all);
        own.head = (VkBaseOutStructure){rows[i].own, &all.head};
        all.head = (VkBaseOutStructure){rows[i].in, NULL};
        icd_GetPhysicalDeviceFeatures2(
            physical, &(VkPhysicalDeviceFeatures2){
                          .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &own});
        for (size_t k = 0; k < rows[i].count; k++)
            if (own.words[HEAD + k] != all.words[rows[i].first + k] || own.words[HEAD + k] > 1)
                fail_msg("feature %zu from %s on is %u by itself, %u in 1.x", k, rows[i].name,
                         own.words[HEAD + k], all.words[rows[i].first + k]);
    }
}

// A feature that says yes, and what a module then declares.
TEST(modules_may_declare_what_features_promise)
{
#define C(name) SpvCapability##name
    static const SpvCapability capabilities[] = {
#ifdef VK_KHR_shader_subgroup_rotate
        C(GroupNonUniformRotateKHR),
#endif
#ifdef VK_KHR_shader_expect_assume
        C(ExpectAssumeKHR),
#endif
        C(Shader),
        C(Int8),
        C(Int16),
        C(Int64),
        C(Float16),
        C(Float64),
        C(Int64Atomics),
        C(StorageBuffer8BitAccess),
        C(UniformAndStorageBuffer8BitAccess),
        C(StoragePushConstant8),
        C(StorageBuffer16BitAccess),
        C(UniformAndStorageBuffer16BitAccess),
        C(StoragePushConstant16),
        C(VariablePointers),
        C(VariablePointersStorageBuffer),
        C(PhysicalStorageBufferAddresses),
        C(VulkanMemoryModel),
        C(VulkanMemoryModelDeviceScope),
        C(RuntimeDescriptorArray),
        C(ShaderNonUniform),
        C(StorageBufferArrayDynamicIndexing),
        C(UniformBufferArrayDynamicIndexing),
        C(StorageBufferArrayNonUniformIndexing),
        C(UniformBufferArrayNonUniformIndexing),
        C(DotProduct),
        C(DotProductInputAll),
        C(DotProductInput4x8Bit),
        C(DotProductInput4x8BitPacked),
        C(ShaderClockKHR),
        C(GroupNonUniform),
        C(GroupNonUniformVote),
        C(GroupNonUniformArithmetic),
        C(GroupNonUniformBallot),
        C(GroupNonUniformShuffle),
        C(GroupNonUniformShuffleRelative),
        C(GroupNonUniformClustered),
        C(GroupNonUniformQuad),
        C(GroupNonUniformPartitionedNV)};
#undef C
    for (size_t i = 0; i < COUNT(capabilities); i++)
        if (!module_knows_capability(capabilities[i]))
            fail_msg("capability %d", (int)capabilities[i]);
}

TEST(features_that_need_graphics_or_images_are_not_there)
{
    CHAIN(Vulkan12Features, v12, VULKAN_1_2_FEATURES, NULL);
    CHAIN(Features2, all, FEATURES_2, &v12);
    VkPhysicalDeviceFeatures core;
    icd_GetPhysicalDeviceFeatures2(physical, &all);
    icd_GetPhysicalDeviceFeatures(physical, &core);
    assert_memory_equal(&all.features, &core, sizeof core);
    assert_true(core.robustBufferAccess && core.shaderInt64 && core.shaderFloat64);
    assert_false(core.geometryShader || core.samplerAnisotropy || core.sparseBinding ||
                 core.inheritedQueries || core.shaderStorageImageReadWithoutFormat);
    assert_true(v12.bufferDeviceAddress && v12.runtimeDescriptorArray &&
                v12.subgroupBroadcastDynamicId &&
                v12.vulkanMemoryModelAvailabilityVisibilityChains);
    assert_false(v12.descriptorIndexing || v12.samplerFilterMinmax);
}

// Extensions

static uint32_t get_extensions(VkExtensionProperties *extensions, uint32_t room)
{
    uint32_t count = 0, some = 1;
    assert_success(icd_EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    assert_in_range(count, 40, room);
    assert_int_equal(icd_EnumerateDeviceExtensionProperties(physical, NULL, &some, extensions),
                     VK_INCOMPLETE);
    assert_int_equal(some, 1);
    assert_success(icd_EnumerateDeviceExtensionProperties(physical, NULL, &count, extensions));
    return count;
}

TEST(extensions_are_named_once_and_have_versions)
{
    static const char *const expected[] = {"VK_KHR_buffer_device_address",
                                           "VK_KHR_pipeline_executable_properties",
                                           "VK_KHR_push_descriptor",
                                           "VK_KHR_shader_clock",
                                           "VK_KHR_shader_float16_int8",
                                           "VK_KHR_shader_subgroup_uniform_control_flow",
                                           "VK_KHR_vulkan_memory_model",
                                           "VK_NV_shader_subgroup_partitioned",
                                           "VK_EXT_shader_subgroup_ballot",
                                           "VK_EXT_shader_subgroup_vote",
                                           "VK_EXT_subgroup_size_control",
                                           "VK_EXT_calibrated_timestamps",
                                           "VK_KHR_maintenance1",
                                           "VK_KHR_maintenance4",
                                           "VK_KHR_shader_non_semantic_info"};
    VkExtensionProperties extensions[128];
    const uint32_t count = get_extensions(extensions, COUNT(extensions));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(strncmp(extensions[i].extensionName, "VK_", 3), 0);
        assert_true(extensions[i].specVersion > 0);
        for (uint32_t j = 0; j < i; j++)
            assert_string_not_equal(extensions[i].extensionName, extensions[j].extensionName);
    }
    for (size_t i = 0; i < COUNT(expected); i++) {
        uint32_t j = 0;
        while (j < count && strcmp(expected[i], extensions[j].extensionName))
            j++;
        if (j == count)
            fail_msg("%s is missing", expected[i]);
    }
}

#ifdef VK_KHR_cooperative_matrix
TEST(matrices_are_listed)
{
    VkCooperativeMatrixPropertiesKHR all[256];
    uint32_t count = 0, some = 1, halves = 0, bfloats = 0, floats = 0, bytes = 0, mixed = 0;
    uint32_t saturating = 0;
    assert_success(icd_GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, NULL));
    assert_in_range(count, 1, COUNT(all));
    assert_int_equal(icd_GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &some, all),
                     VK_INCOMPLETE);
    assert_success(icd_GetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, all));
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(all[i].scope, VK_SCOPE_SUBGROUP_KHR);
        assert_true(all[i].MSize <= MODULE_SIDE_MAX && all[i].NSize <= MODULE_SIDE_MAX &&
                    all[i].KSize <= MODULE_SIDE_MAX);
        halves += all[i].NSize == 16 && all[i].KSize == 16 &&
                  all[i].BType == VK_COMPONENT_TYPE_FLOAT16_KHR;
        bfloats += all[i].NSize == 16 && all[i].BType == VK_COMPONENT_TYPE_BFLOAT16_KHR;
        floats += all[i].BType == VK_COMPONENT_TYPE_FLOAT32_KHR;
        bytes += all[i].KSize == 32 && all[i].AType == VK_COMPONENT_TYPE_SINT8_KHR &&
                 all[i].BType == VK_COMPONENT_TYPE_SINT8_KHR;
        mixed += all[i].AType != all[i].BType;
        saturating += all[i].saturatingAccumulation;
        assert_int_equal(all[i].CType, all[i].ResultType);
    }
    assert_int_equal(halves, 6);  // of 8, 16 and 64 rows, to halves and to floats
    assert_int_equal(bfloats, 4); // of 8 and 16 rows
    assert_int_equal(floats, 3);  // 16x16x16, 8x8x8 and 64x64x8
    assert_int_equal(bytes, 21);  // of 8, 16 and 64 rows, and of two or three numbers of columns
    assert_int_equal(mixed, 72);  // a signed byte by an unsigned one, E4M3 by E5M2, and vice versa
    assert_int_equal(saturating, 55); // signed sums of any two bytes, and unsigned of unsigned ones
    CHAIN(CooperativeMatrixPropertiesKHR, stages, COOPERATIVE_MATRIX_PROPERTIES_KHR, NULL);
    CHAIN(Properties2, properties, PROPERTIES_2, &stages);
    icd_GetPhysicalDeviceProperties2(physical, &properties);
    assert_int_equal(stages.cooperativeMatrixSupportedStages, VK_SHADER_STAGE_COMPUTE_BIT);
}
#endif

// Properties

TEST(properties_are_the_same_in_both_structures)
{
    CHAIN(Maintenance4Properties, maintenance, MAINTENANCE_4_PROPERTIES, NULL);
    CHAIN(DriverProperties, driver, DRIVER_PROPERTIES, &maintenance);
    CHAIN(SubgroupProperties, subgroup, SUBGROUP_PROPERTIES, &driver);
    CHAIN(IDProperties, id, ID_PROPERTIES, &subgroup);
    CHAIN(Vulkan13Properties, v13, VULKAN_1_3_PROPERTIES, &id);
    CHAIN(Vulkan12Properties, v12, VULKAN_1_2_PROPERTIES, &v13);
    CHAIN(Vulkan11Properties, v11, VULKAN_1_1_PROPERTIES, &v12);
    CHAIN(Properties2, all, PROPERTIES_2, &v11);
    icd_GetPhysicalDeviceProperties2(physical, &all);
    assert_ptr_equal(v13.pNext, &id);
    assert_memory_equal(id.deviceUUID, v11.deviceUUID, VK_UUID_SIZE);
    assert_memory_equal(id.driverUUID, v11.driverUUID, VK_UUID_SIZE);
    assert_memory_not_equal(id.deviceUUID, id.driverUUID, VK_UUID_SIZE);
    assert_int_equal(subgroup.subgroupSize, 64);
    assert_int_equal(subgroup.subgroupSize, v11.subgroupSize);
    assert_int_equal(subgroup.supportedStages, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_int_equal(subgroup.supportedOperations, v11.subgroupSupportedOperations);
    assert_string_equal(driver.driverName, "litmus simt");
    assert_string_equal(driver.driverInfo, "model tangled, seed 5, subgroup 64");
    assert_string_equal(v12.driverInfo, driver.driverInfo);
    assert_int_equal(v12.driverID, VK_DRIVER_ID_GOOGLE_SWIFTSHADER);
    assert_int_equal(maintenance.maxBufferSize, v13.maxBufferSize);
    assert_int_equal(v13.minSubgroupSize, 1);
    assert_int_equal(v13.maxSubgroupSize, 128);
    assert_int_equal(v13.requiredSubgroupSizeStages, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_string_equal(all.properties.deviceName, "litmus simt, model tangled");
    assert_int_equal(all.properties.deviceType, VK_PHYSICAL_DEVICE_TYPE_CPU);
    assert_int_equal(VK_API_VERSION_MINOR(all.properties.apiVersion), 3);
}

TEST(limits_are_what_the_specification_requires)
{
    VkPhysicalDeviceProperties properties;
    icd_GetPhysicalDeviceProperties(physical, &properties);
    const VkPhysicalDeviceLimits *limits = &properties.limits;
    // From the table of required limits.
    assert_true(limits->maxUniformBufferRange >= 16384);
    assert_true(limits->maxStorageBufferRange >= 1u << 27);
    assert_true(limits->maxPushConstantsSize >= 128);
    assert_true(limits->maxMemoryAllocationCount >= 4096);
    assert_true(limits->maxBoundDescriptorSets >= 4);
    assert_true(limits->maxPerStageDescriptorUniformBuffers >= 12);
    assert_true(limits->maxPerStageDescriptorStorageBuffers >= 4);
    assert_true(limits->maxPerStageResources >= 128);
    assert_true(limits->maxDescriptorSetUniformBuffersDynamic >= 8);
    assert_true(limits->maxDescriptorSetStorageBuffersDynamic >= 4);
    assert_true(limits->maxComputeSharedMemorySize >= 16384);
    for (int i = 0; i < 3; i++) {
        assert_true(limits->maxComputeWorkGroupCount[i] >= 65535);
        assert_true(limits->maxComputeWorkGroupSize[i] >= (i < 2 ? 128 : 64));
    }
    assert_true(limits->maxComputeWorkGroupInvocations >= 128);
    assert_true(limits->minMemoryMapAlignment >= 64);
    assert_true(limits->minStorageBufferOffsetAlignment <= 256);
    assert_true(limits->minUniformBufferOffsetAlignment <= 256);
    assert_true(limits->nonCoherentAtomSize >= 1 && limits->nonCoherentAtomSize <= 256);
    assert_true(limits->timestampPeriod > 0);
}

TEST(faulty_properties_are_nonsense_but_terminated)
{
    VkInstance faulty = NULL;
    assert_success(make_instance("model=faulty,fault=properties", NULL, &faulty));
    CHAIN(Vulkan12Properties, v12, VULKAN_1_2_PROPERTIES, NULL);
    CHAIN(Vulkan11Properties, v11, VULKAN_1_1_PROPERTIES, &v12);
    CHAIN(Properties2, all, PROPERTIES_2, &v11);
    icd_GetPhysicalDeviceProperties2(get_physical(faulty), &all);
    assert_non_null(memchr(all.properties.deviceName, 0, sizeof all.properties.deviceName));
    assert_non_null(strchr(all.properties.deviceName, '\x1b'));
    assert_non_null(memchr(v12.driverInfo, 0, sizeof v12.driverInfo));
    assert_non_null(strchr(v12.driverInfo, '\xff'));
    assert_int_equal(v11.subgroupSize, 0);
    icd_DestroyInstance(faulty, NULL);
}

TEST(there_is_memory_and_a_queue)
{
    VkPhysicalDeviceMemoryProperties memory;
    VkQueueFamilyProperties families[2];
    uint32_t count = 2;
    icd_GetPhysicalDeviceMemoryProperties(physical, &memory);
    assert_int_equal(memory.memoryTypeCount, 1);
    assert_int_equal(memory.memoryHeapCount, 1);
    assert_true(memory.memoryHeaps[0].size > 1u << 20);
    icd_GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    assert_int_equal(count, 1);
    assert_int_equal(families[0].queueFlags, VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT);
    assert_int_equal(families[0].queueCount, 1);
}

// The format that Amber asks for says what Amber wants to hear; three have storage images.
TEST(few_formats_have_images)
{
    for (int i = VK_FORMAT_UNDEFINED; i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; i++) {
        const VkFormat format = (VkFormat)i;
        const bool stored = format >= VK_FORMAT_R32_UINT && format <= VK_FORMAT_R32_SFLOAT;
        const uint32_t wanted =
            format == VK_FORMAT_B8G8R8A8_UNORM ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT
            : stored ? 0xc002 | (format != VK_FORMAT_R32_SFLOAT) << 2 // copied, and with atomics
                     : 0;
        VkFormatProperties one;
        VkFormatProperties3 three = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3,
                                     .linearTilingFeatures = 1,
                                     .optimalTilingFeatures = 1,
                                     .bufferFeatures = 1};
        VkFormatProperties2 two = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &three};
        VkImageFormatProperties image;
        icd_GetPhysicalDeviceFormatProperties(physical, format, &one);
        icd_GetPhysicalDeviceFormatProperties2(physical, format, &two);
        assert_int_equal(one.bufferFeatures | three.bufferFeatures, 0);
        assert_int_equal(one.linearTilingFeatures, stored ? wanted : 0);
        assert_int_equal(one.optimalTilingFeatures, wanted);
        assert_memory_equal(&one, &two.formatProperties, sizeof one);
        assert_int_equal(three.linearTilingFeatures, one.linearTilingFeatures);
        assert_int_equal(three.optimalTilingFeatures, wanted);
        assert_int_equal(icd_GetPhysicalDeviceImageFormatProperties(
                             physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                             VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0, &image),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        assert_int_equal(icd_GetPhysicalDeviceImageFormatProperties(
                             physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                             VK_IMAGE_USAGE_STORAGE_BIT, 0, &image),
                         stored ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED);
    }
}

// Devices

TEST(a_device_can_have_all_features_and_extensions)
{
    CHAIN(Vulkan13Features, v13, VULKAN_1_3_FEATURES, NULL);
    CHAIN(Vulkan12Features, v12, VULKAN_1_2_FEATURES, &v13);
    CHAIN(Vulkan11Features, v11, VULKAN_1_1_FEATURES, &v12);
    CHAIN(Features2, all, FEATURES_2, &v11);
    icd_GetPhysicalDeviceFeatures2(physical, &all);

    VkExtensionProperties extensions[128];
    const char *names[128];
    const uint32_t count = get_extensions(extensions, COUNT(extensions));
    for (uint32_t i = 0; i < count; i++)
        names[i] = extensions[i].extensionName;
    VkDevice device = NULL;
    assert_success(make_device(physical, &all, NULL, count, names, &device));
    assert_true(((struct icd_device *)device)->robust);
    assert_false(((struct icd_device *)device)->executables);
    VkQueue queue = NULL;
    icd_GetDeviceQueue(device, 0, 0, &queue);
    assert_non_null(queue);
    assert_success(icd_DeviceWaitIdle(device));
    icd_DestroyDevice(device, NULL);
}

TEST(features_that_are_not_there_cannot_be_enabled)
{
    VkDevice device;
    const VkPhysicalDeviceFeatures core = {.geometryShader = VK_TRUE};
    VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .features.inheritedQueries = VK_TRUE};
    VkPhysicalDeviceVulkan13Features v13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceBufferDeviceAddressFeatures address = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        .bufferDeviceAddress = VK_TRUE,
        .bufferDeviceAddressMultiDevice = VK_TRUE};
    CHAIN(PrivateDataFeatures, last, PRIVATE_DATA_FEATURES, &v13);
    assert_int_equal(make_device(physical, NULL, &core, 0, NULL, &device),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(make_device(physical, &two, NULL, 0, NULL, &device),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(make_device(physical, &last, NULL, 0, NULL, &device),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_int_equal(make_device(physical, &address, NULL, 0, NULL, &device),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    assert_null(device);
    const char *name = "VK_KHR_swapchain";
    assert_int_equal(make_device(physical, NULL, NULL, 1, &name, &device),
                     VK_ERROR_EXTENSION_NOT_PRESENT);
}

TEST(padding_behind_features_does_not_matter)
{
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    memset(&address, 0xff, sizeof address);
    address.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES;
    address.pNext = NULL;
    address.bufferDeviceAddress = VK_TRUE;
    address.bufferDeviceAddressCaptureReplay = address.bufferDeviceAddressMultiDevice = VK_FALSE;
    VkDevice device = NULL;
    assert_success(make_device(physical, &address, NULL, 0, NULL, &device));
    assert_false(((struct icd_device *)device)->robust);
    icd_DestroyDevice(device, NULL);
    icd_DestroyDevice(NULL, NULL);
}

TEST(private_data_belongs_to_an_object_and_a_slot)
{
    VkDevice device = NULL;
    VkPrivateDataSlot one, two;
    uint64_t data = 99;
    assert_success(make_device(physical, NULL, NULL, 0, NULL, &device));
    assert_success(icd_CreatePrivateDataSlot(device, NULL, NULL, &one));
    assert_success(icd_CreatePrivateDataSlot(device, NULL, NULL, &two));
    for (uint64_t object = 1; object <= 20; object++)
        assert_success(
            icd_SetPrivateData(device, VK_OBJECT_TYPE_BUFFER, object, one, object * object));
    icd_GetPrivateData(device, VK_OBJECT_TYPE_BUFFER, 20, one, &data);
    assert_int_equal(data, 400);
    icd_GetPrivateData(device, VK_OBJECT_TYPE_BUFFER, 20, two, &data);
    assert_int_equal(data, 0);
    icd_private_forget((struct icd_device *)device, 3);
    icd_GetPrivateData(device, VK_OBJECT_TYPE_BUFFER, 3, one, &data);
    assert_int_equal(data, 0);
    icd_GetPrivateData(device, VK_OBJECT_TYPE_BUFFER, 20, one, &data);
    assert_int_equal(data, 400);
    icd_DestroyPrivateDataSlot(device, two, NULL);
    icd_DestroyPrivateDataSlot(device, one, NULL);
    icd_DestroyDevice(device, NULL);
}

GROUP(open_instance, close_instance)
