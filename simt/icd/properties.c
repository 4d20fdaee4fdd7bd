// SPDX-License-Identifier: Apache-2.0
// Identity and limits. Structures of individual extensions are extracted from those of Vulkan 1.1
// to 1.3.
#include "icd/physical.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_NAME "litmus simt"

// For storage and uniform buffers, per stage and per set; hence runtime arrays have at most
// RESOURCE_RUNTIME_MAX.
#define DESCRIPTORS_MAX     RESOURCE_RUNTIME_MAX
#define DYNAMIC_MAX         16
#define INLINE_BLOCKS_MAX   16
#define PUSH_DESCRIPTOR_MAX 32
#define ALLOCATION_MAX      (UINT64_C(1) << 38) // bytes
#define GROUPS_MAX          (1u << 22)          // times 1024 invocations: ids fit in 32 bits

// The vendor has neither a PCI id nor a Khronos id: 0, which nobody uses.
#define VENDOR_ID 0

// 1.1, 1.2 and 1.3 together.
struct properties {
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceVulkan12Properties v12;
    VkPhysicalDeviceVulkan13Properties v13;
    VkPhysicalDevicePushDescriptorPropertiesKHR push;
#ifdef VK_KHR_cooperative_matrix
    VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrix;
#endif
};

// Consecutive members of a structure that mirror members of another.
struct run {
    VkStructureType type;
    size_t to, from, size; // bytes; `from` in struct properties
};

#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))
#define RUN_OF(stype, type, first, last, from_first, from_last)                                    \
    {                                                                                              \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##stype, offsetof(VkPhysicalDevice##type, first),        \
            offsetof(struct properties, from_first),                                               \
            END_OF(VkPhysicalDevice##type, last) - offsetof(VkPhysicalDevice##type, first) +       \
                0 * sizeof(struct {                                                                \
                    _Static_assert(END_OF(VkPhysicalDevice##type, last) -                          \
                                           offsetof(VkPhysicalDevice##type, first) ==              \
                                       END_OF(struct properties, from_last) -                      \
                                           offsetof(struct properties, from_first),                \
                                   "both have the same members");                                  \
                    int unused;                                                                    \
                })                                                                                 \
    }
#define RUN(stype, type, from, first, last) RUN_OF(stype, type, first, last, from.first, from.last)

static const struct run runs[] = {
    RUN(VULKAN_1_1_PROPERTIES, Vulkan11Properties, v11, deviceUUID, maxMemoryAllocationSize),
    RUN(ID_PROPERTIES, IDProperties, v11, deviceUUID, deviceLUIDValid),
    RUN_OF(SUBGROUP_PROPERTIES, SubgroupProperties, subgroupSize, quadOperationsInAllStages,
           v11.subgroupSize, v11.subgroupQuadOperationsInAllStages),
    RUN(POINT_CLIPPING_PROPERTIES, PointClippingProperties, v11, pointClippingBehavior,
        pointClippingBehavior),
    RUN(MULTIVIEW_PROPERTIES, MultiviewProperties, v11, maxMultiviewViewCount,
        maxMultiviewInstanceIndex),
    RUN(PROTECTED_MEMORY_PROPERTIES, ProtectedMemoryProperties, v11, protectedNoFault,
        protectedNoFault),
    RUN(MAINTENANCE_3_PROPERTIES, Maintenance3Properties, v11, maxPerSetDescriptors,
        maxMemoryAllocationSize),

    RUN(VULKAN_1_2_PROPERTIES, Vulkan12Properties, v12, driverID,
        framebufferIntegerColorSampleCounts),
    RUN(DRIVER_PROPERTIES, DriverProperties, v12, driverID, conformanceVersion),
    RUN(FLOAT_CONTROLS_PROPERTIES, FloatControlsProperties, v12, denormBehaviorIndependence,
        shaderRoundingModeRTZFloat64),
    RUN(DESCRIPTOR_INDEXING_PROPERTIES, DescriptorIndexingProperties, v12,
        maxUpdateAfterBindDescriptorsInAllPools, maxDescriptorSetUpdateAfterBindInputAttachments),
    RUN(DEPTH_STENCIL_RESOLVE_PROPERTIES, DepthStencilResolveProperties, v12,
        supportedDepthResolveModes, independentResolve),
    RUN(SAMPLER_FILTER_MINMAX_PROPERTIES, SamplerFilterMinmaxProperties, v12,
        filterMinmaxSingleComponentFormats, filterMinmaxImageComponentMapping),
    RUN(TIMELINE_SEMAPHORE_PROPERTIES, TimelineSemaphoreProperties, v12,
        maxTimelineSemaphoreValueDifference, maxTimelineSemaphoreValueDifference),

    RUN(VULKAN_1_3_PROPERTIES, Vulkan13Properties, v13, minSubgroupSize, maxBufferSize),
    RUN(SUBGROUP_SIZE_CONTROL_PROPERTIES, SubgroupSizeControlProperties, v13, minSubgroupSize,
        requiredSubgroupSizeStages),
    RUN(INLINE_UNIFORM_BLOCK_PROPERTIES, InlineUniformBlockProperties, v13,
        maxInlineUniformBlockSize, maxDescriptorSetUpdateAfterBindInlineUniformBlocks),
    RUN(SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, ShaderIntegerDotProductProperties, v13,
        integerDotProduct8BitUnsignedAccelerated,
        integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated),
    RUN(TEXEL_BUFFER_ALIGNMENT_PROPERTIES, TexelBufferAlignmentProperties, v13,
        storageTexelBufferOffsetAlignmentBytes, uniformTexelBufferOffsetSingleTexelAlignment),
    RUN(MAINTENANCE_4_PROPERTIES, Maintenance4Properties, v13, maxBufferSize, maxBufferSize),

    RUN(PUSH_DESCRIPTOR_PROPERTIES_KHR, PushDescriptorPropertiesKHR, push, maxPushDescriptors,
        maxPushDescriptors),
#ifdef VK_KHR_cooperative_matrix
    RUN(COOPERATIVE_MATRIX_PROPERTIES_KHR, CooperativeMatrixPropertiesKHR, matrix,
        cooperativeMatrixSupportedStages, cooperativeMatrixSupportedStages),
#endif
};

// Identity

// FNV-1a, two passes.
static void make_uuid(const char *text, uint8_t uuid[VK_UUID_SIZE])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++) {
        if (i % 8 == 0)
            for (const char *c = text; *c; c++)
                hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        uuid[i] = (uint8_t)(hash >> i % 8 * 8);
    }
}

// Describes the settings for driverInfo.
static void describe(const struct settings *settings, char *text, size_t size)
{
    const int length =
        snprintf(text, size, "model %s, seed %llu, subgroup %u", model_names[settings->model],
                 (unsigned long long)settings->seed, settings->subgroup);
    if (settings->model == MODEL_FAULTY && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, ", fault %s", fault_names[settings->fault]);
    bool alike = true;
    for (int i = 1; i < OPERATOR_COUNT; i++)
        alike &= settings->operators[i] == settings->operators[0];
    size_t used = length > 0 ? (size_t)length : size;
    for (int i = 0; i < OPERATOR_COUNT && used < size; i++) {
        const char *name = alike ? "every operator" : operator_names[i];
        if (settings->operators[i] > 0)
            used += (size_t)snprintf(text + used, size - used, ", %s %.15g", name,
                                     settings->operators[i]);
        if (alike)
            break;
    }
}

static uint32_t driver_version(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    sscanf(LITMUS_VERSION, "%u.%u.%u", &major, &minor, &patch);
    return VK_MAKE_API_VERSION(0, major, minor, patch);
}

static void fill_11(const struct settings *settings, VkPhysicalDeviceVulkan11Properties *v11)
{
    const bool webgpu = settings->face == FACE_WEBGPU;
    *v11 = (VkPhysicalDeviceVulkan11Properties){
        .deviceNodeMask = 1,
        .subgroupSize = settings->subgroup,
        .subgroupSupportedStages =
            VK_SHADER_STAGE_COMPUTE_BIT | (webgpu ? VK_SHADER_STAGE_FRAGMENT_BIT : 0),
        .subgroupSupportedOperations =
            VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
            VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
            VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
            VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
#ifdef VK_KHR_shader_subgroup_rotate
            VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR |
#endif
            VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV,
        .pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES,
        .maxMultiviewViewCount = 6,
        .maxMultiviewInstanceIndex = (1u << 27) - 1,
        .maxPerSetDescriptors = 4 * DESCRIPTORS_MAX,
        .maxMemoryAllocationSize = ALLOCATION_MAX,
    };
    char info[VK_MAX_DRIVER_INFO_SIZE], text[sizeof info + 64];
    describe(settings, info, sizeof info);
    snprintf(text, sizeof text, DRIVER_NAME " " LITMUS_VERSION " %s", info);
    make_uuid(text, v11->deviceUUID);
    make_uuid(DRIVER_NAME " " LITMUS_VERSION, v11->driverUUID);
}

static void fill_12(const struct settings *settings, VkPhysicalDeviceVulkan12Properties *v12)
{
    const VkBool32 preserves_nan = module_knows_capability(SpvCapabilitySignedZeroInfNanPreserve);
    const VkBool32 preserves_denorms = module_knows_capability(SpvCapabilityDenormPreserve);
    const VkBool32 rounds_to_even = module_knows_capability(SpvCapabilityRoundingModeRTE);
    *v12 = (VkPhysicalDeviceVulkan12Properties){
        // This driver has no registered id, and 0 is not one. Programs know this one as a driver
        // for CPUs.
        .driverID = VK_DRIVER_ID_GOOGLE_SWIFTSHADER,
        .driverName = DRIVER_NAME,
        .denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
        .roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
        .shaderSignedZeroInfNanPreserveFloat16 = preserves_nan,
        .shaderSignedZeroInfNanPreserveFloat32 = preserves_nan,
        .shaderSignedZeroInfNanPreserveFloat64 = preserves_nan,
        .shaderDenormPreserveFloat16 = preserves_denorms,
        .shaderDenormPreserveFloat32 = preserves_denorms,
        .shaderDenormPreserveFloat64 = preserves_denorms,
        .shaderRoundingModeRTEFloat16 = rounds_to_even,
        .shaderRoundingModeRTEFloat32 = rounds_to_even,
        .shaderRoundingModeRTEFloat64 = rounds_to_even,
        .maxUpdateAfterBindDescriptorsInAllPools = 1u << 20,
        .shaderUniformBufferArrayNonUniformIndexingNative = VK_TRUE,
        .shaderStorageBufferArrayNonUniformIndexingNative = VK_TRUE,
        .robustBufferAccessUpdateAfterBind = VK_TRUE,
        .maxPerStageDescriptorUpdateAfterBindSamplers = 16,
        .maxPerStageDescriptorUpdateAfterBindUniformBuffers = DESCRIPTORS_MAX,
        .maxPerStageDescriptorUpdateAfterBindStorageBuffers = DESCRIPTORS_MAX,
        .maxPerStageDescriptorUpdateAfterBindSampledImages = 16,
        .maxPerStageDescriptorUpdateAfterBindStorageImages = 4,
        .maxPerStageDescriptorUpdateAfterBindInputAttachments = 4,
        .maxPerStageUpdateAfterBindResources = 4 * DESCRIPTORS_MAX,
        .maxDescriptorSetUpdateAfterBindSamplers = 96,
        .maxDescriptorSetUpdateAfterBindUniformBuffers = DESCRIPTORS_MAX,
        .maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = DYNAMIC_MAX,
        .maxDescriptorSetUpdateAfterBindStorageBuffers = DESCRIPTORS_MAX,
        .maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = DYNAMIC_MAX,
        .maxDescriptorSetUpdateAfterBindSampledImages = 96,
        .maxDescriptorSetUpdateAfterBindStorageImages = 24,
        .maxDescriptorSetUpdateAfterBindInputAttachments = 4,
        .supportedDepthResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
        .supportedStencilResolveModes = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
        .maxTimelineSemaphoreValueDifference = UINT64_MAX,
        .framebufferIntegerColorSampleCounts = VK_SAMPLE_COUNT_1_BIT,
    };
    describe(settings, v12->driverInfo, sizeof v12->driverInfo);
}

static void fill_13(const struct settings *settings, VkPhysicalDeviceVulkan13Properties *v13)
{
    const bool webgpu = settings->face == FACE_WEBGPU;
    *v13 = (VkPhysicalDeviceVulkan13Properties){
        .minSubgroupSize = webgpu ? settings->subgroup : 1,
        .maxSubgroupSize = webgpu ? settings->subgroup : LANES_MAX,
        .maxComputeWorkgroupSubgroups = ICD_WORKGROUP_MAX,
        .requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT,
        .maxInlineUniformBlockSize = ICD_INLINE_BLOCK_MAX,
        .maxPerStageDescriptorInlineUniformBlocks = INLINE_BLOCKS_MAX,
        .maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = INLINE_BLOCKS_MAX,
        .maxDescriptorSetInlineUniformBlocks = INLINE_BLOCKS_MAX,
        .maxDescriptorSetUpdateAfterBindInlineUniformBlocks = INLINE_BLOCKS_MAX,
        .maxInlineUniformTotalSize = INLINE_BLOCKS_MAX * ICD_INLINE_BLOCK_MAX,
        .storageTexelBufferOffsetAlignmentBytes = ICD_BUFFER_ALIGNMENT,
        .uniformTexelBufferOffsetAlignmentBytes = ICD_BUFFER_ALIGNMENT,
        .maxBufferSize = ALLOCATION_MAX,
    };
}

// Limits of missing features (sampling, rasterization) are the specification's minimum.
static const VkPhysicalDeviceLimits limits = {
    .maxImageDimension1D = 4096,
    .maxImageDimension2D = 4096,
    .maxImageDimension3D = 256,
    .maxImageDimensionCube = 4096,
    .maxImageArrayLayers = 256,
    .maxTexelBufferElements = 65536,
    .maxUniformBufferRange = 65536,
    .maxStorageBufferRange = UINT32_MAX,
    .maxPushConstantsSize = ICD_PUSH_MAX,
    .maxMemoryAllocationCount = 65536,
    .maxSamplerAllocationCount = 4000,
    .bufferImageGranularity = 1,
    .maxBoundDescriptorSets = ICD_SETS_MAX,
    .maxPerStageDescriptorSamplers = 16,
    .maxPerStageDescriptorUniformBuffers = DESCRIPTORS_MAX,
    .maxPerStageDescriptorStorageBuffers = DESCRIPTORS_MAX,
    .maxPerStageDescriptorSampledImages = 16,
    .maxPerStageDescriptorStorageImages = 4,
    .maxPerStageDescriptorInputAttachments = 4,
    .maxPerStageResources = 4 * DESCRIPTORS_MAX,
    .maxDescriptorSetSamplers = 96,
    .maxDescriptorSetUniformBuffers = DESCRIPTORS_MAX,
    .maxDescriptorSetUniformBuffersDynamic = DYNAMIC_MAX,
    .maxDescriptorSetStorageBuffers = DESCRIPTORS_MAX,
    .maxDescriptorSetStorageBuffersDynamic = DYNAMIC_MAX,
    .maxDescriptorSetSampledImages = 96,
    .maxDescriptorSetStorageImages = 24,
    .maxDescriptorSetInputAttachments = 4,
    .maxVertexInputAttributes = 16,
    .maxVertexInputBindings = 16,
    .maxVertexInputAttributeOffset = 2047,
    .maxVertexInputBindingStride = 2048,
    .maxVertexOutputComponents = 64,
    .maxFragmentInputComponents = 64,
    .maxFragmentOutputAttachments = 4,
    .maxFragmentCombinedOutputResources = 4,
    .maxComputeSharedMemorySize = ICD_SHARED_MAX,
    .maxComputeWorkGroupCount = {GROUPS_MAX, 65535, 65535},
    .maxComputeWorkGroupInvocations = ICD_WORKGROUP_MAX,
    .maxComputeWorkGroupSize = {ICD_WORKGROUP_MAX, ICD_WORKGROUP_MAX, ICD_WORKGROUP_MAX},
    .subPixelPrecisionBits = 4,
    .subTexelPrecisionBits = 4,
    .mipmapPrecisionBits = 4,
    .maxDrawIndexedIndexValue = (1u << 24) - 1,
    .maxDrawIndirectCount = 1,
    .maxSamplerLodBias = 2,
    .maxSamplerAnisotropy = 1,
    .maxViewports = 1,
    .maxViewportDimensions = {4096, 4096},
    .viewportBoundsRange = {-8192, 8191},
    .minMemoryMapAlignment = 64,
    .minTexelBufferOffsetAlignment = ICD_BUFFER_ALIGNMENT,
    .minUniformBufferOffsetAlignment = ICD_BUFFER_ALIGNMENT,
    .minStorageBufferOffsetAlignment = ICD_BUFFER_ALIGNMENT,
    .minTexelOffset = -8,
    .maxTexelOffset = 7,
    .maxFramebufferWidth = 4096,
    .maxFramebufferHeight = 4096,
    .maxFramebufferLayers = 256,
    .framebufferColorSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .framebufferDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .framebufferStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .framebufferNoAttachmentsSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .maxColorAttachments = 4,
    .sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .sampledImageIntegerSampleCounts = VK_SAMPLE_COUNT_1_BIT,
    .sampledImageDepthSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .sampledImageStencilSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT,
    .storageImageSampleCounts = VK_SAMPLE_COUNT_1_BIT,
    .maxSampleMaskWords = 1,
    .timestampComputeAndGraphics = VK_TRUE,
    .timestampPeriod = 1, // nanoseconds
    .discreteQueuePriorities = 2,
    .pointSizeRange = {1, 1},
    .lineWidthRange = {1, 1},
    .strictLines = VK_TRUE,
    .standardSampleLocations = VK_TRUE,
    .optimalBufferCopyOffsetAlignment = 1,
    .optimalBufferCopyRowPitchAlignment = 1,
    .nonCoherentAtomSize = 1,
};

// More of graphics than the specification's minimum, because implementations of WebGPU insist on
// it.
static void claim_graphics(VkPhysicalDeviceLimits *claims)
{
    claims->maxImageDimension1D = claims->maxImageDimension2D = claims->maxImageDimensionCube =
        claims->maxFramebufferWidth = claims->maxFramebufferHeight =
            claims->maxViewportDimensions[0] = claims->maxViewportDimensions[1] = 8192;
    claims->maxImageDimension3D = 2048;
    claims->viewportBoundsRange[0] = -16384;
    claims->viewportBoundsRange[1] = 16383;
    claims->maxVertexOutputComponents = claims->maxFragmentInputComponents = 72;
    claims->maxFragmentOutputAttachments = claims->maxColorAttachments = 8;
    claims->maxDrawIndexedIndexValue = UINT32_MAX;
}

void icd_properties_true(const struct settings *settings, VkPhysicalDeviceProperties *properties)
{
    *properties = (VkPhysicalDeviceProperties){
        .apiVersion = ICD_API_VERSION,
        .driverVersion = driver_version(),
        .vendorID = VENDOR_ID,
        .deviceID = (uint32_t)settings->model,
        .deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU,
        .limits = limits,
    };
    if (settings->face == FACE_WEBGPU)
        claim_graphics(&properties->limits);
    snprintf(properties->deviceName, sizeof properties->deviceName, DRIVER_NAME ", model %s",
             model_names[settings->model]);
    // Nothing cached depends on the settings.
    make_uuid(DRIVER_NAME " " LITMUS_VERSION " cache", properties->pipelineCacheUUID);
}

// The effect of FAULT_PROPERTIES: text that must be escaped for terminals and JSON, and sizes that
// must not be divided by.

static void break_text(char *text, size_t size)
{
    static const char nonsense[] =
        "\x1b[31msimt\x1b[2J\r\n\t\a\"\\</td>\xff\xfe\xc0\x80\xe2\x82%s%n";
    for (size_t i = 0; i < size - 1; i++)
        text[i] = nonsense[i % (sizeof nonsense - 1)];
    text[size - 1] = 0;
}

static void break_core(VkPhysicalDeviceProperties *properties)
{
    break_text(properties->deviceName, sizeof properties->deviceName);
    properties->limits.maxComputeWorkGroupInvocations = 0;
    memset(properties->limits.maxComputeWorkGroupSize, 0,
           sizeof properties->limits.maxComputeWorkGroupSize);
    properties->limits.timestampPeriod = 0;
}

static void break_all(struct properties *all)
{
    break_text(all->v12.driverName, sizeof all->v12.driverName);
    break_text(all->v12.driverInfo, sizeof all->v12.driverInfo);
    all->v11.subgroupSize = all->v13.minSubgroupSize = all->v13.maxSubgroupSize = 0;
}

static bool is_broken(const struct settings *settings)
{
    return settings->model == MODEL_FAULTY && settings->fault == FAULT_PROPERTIES;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceProperties(VkPhysicalDevice handle,
                                                           VkPhysicalDeviceProperties *properties)
{
    const struct settings *settings = &ICD_OBJECT(icd_physical, handle)->settings;
    icd_properties_true(settings, properties);
    if (is_broken(settings))
        break_core(properties);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                            VkPhysicalDeviceProperties2 *properties)
{
    const struct settings *settings = &ICD_OBJECT(icd_physical, handle)->settings;
    struct properties all = {.push.maxPushDescriptors = PUSH_DESCRIPTOR_MAX};
#ifdef VK_KHR_cooperative_matrix
    all.matrix.cooperativeMatrixSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
#endif
    fill_11(settings, &all.v11);
    fill_12(settings, &all.v12);
    fill_13(settings, &all.v13);
    if (is_broken(settings))
        break_all(&all);

    icd_GetPhysicalDeviceProperties(handle, &properties->properties);
    for (VkBaseOutStructure *next = properties->pNext; next; next = next->pNext)
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
            if (runs[i].type == next->sType)
                memcpy((char *)next + runs[i].to, (const char *)&all + runs[i].from, runs[i].size);
}
