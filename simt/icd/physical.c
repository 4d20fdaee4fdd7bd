// SPDX-License-Identifier: Apache-2.0
// Common parts of the physical devices: extensions, memory, queues and formats.
#include "icd/physical.h"

#include <string.h>
#include <unistd.h>

#define EXTENSION(name)                                                                            \
    {                                                                                              \
        VK_##name##_EXTENSION_NAME, VK_##name##_SPEC_VERSION                                       \
    }

static const VkExtensionProperties extensions[] = {
#ifdef VK_KHR_cooperative_matrix
    EXTENSION(KHR_COOPERATIVE_MATRIX),
    EXTENSION(KHR_SHADER_BFLOAT16),
    EXTENSION(EXT_SHADER_FLOAT8),
#endif
    EXTENSION(KHR_PIPELINE_EXECUTABLE_PROPERTIES),
    EXTENSION(KHR_PUSH_DESCRIPTOR),
    EXTENSION(KHR_SHADER_CLOCK),
#ifdef VK_KHR_shader_expect_assume
    EXTENSION(KHR_SHADER_EXPECT_ASSUME),
#endif
#ifdef VK_KHR_shader_maximal_reconvergence
    EXTENSION(KHR_SHADER_MAXIMAL_RECONVERGENCE),
#endif
#ifdef VK_KHR_shader_quad_control
    EXTENSION(KHR_SHADER_QUAD_CONTROL),
#endif
#ifdef VK_KHR_shader_subgroup_rotate
    EXTENSION(KHR_SHADER_SUBGROUP_ROTATE),
#endif
    EXTENSION(KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW),
    EXTENSION(EXT_CALIBRATED_TIMESTAMPS),
    EXTENSION(EXT_SHADER_ATOMIC_FLOAT),
    EXTENSION(EXT_SHADER_SUBGROUP_BALLOT),
    EXTENSION(EXT_SHADER_SUBGROUP_VOTE),
    EXTENSION(NV_SHADER_SUBGROUP_PARTITIONED),
    // Promoted to core in 1.1 to 1.3, for programs that request the older names.
    EXTENSION(KHR_16BIT_STORAGE),
    EXTENSION(KHR_8BIT_STORAGE),
    EXTENSION(KHR_BIND_MEMORY_2),
    EXTENSION(KHR_BUFFER_DEVICE_ADDRESS),
    EXTENSION(KHR_DEDICATED_ALLOCATION),
    EXTENSION(KHR_DESCRIPTOR_UPDATE_TEMPLATE),
    EXTENSION(KHR_DEVICE_GROUP),
    EXTENSION(KHR_DRIVER_PROPERTIES),
    EXTENSION(KHR_GET_MEMORY_REQUIREMENTS_2),
    EXTENSION(KHR_MAINTENANCE_1),
    EXTENSION(KHR_MAINTENANCE_2),
    EXTENSION(KHR_MAINTENANCE_3),
    EXTENSION(KHR_MAINTENANCE_4),
    EXTENSION(KHR_RELAXED_BLOCK_LAYOUT),
    EXTENSION(KHR_SHADER_ATOMIC_INT64),
    EXTENSION(KHR_SHADER_FLOAT16_INT8),
    EXTENSION(KHR_SHADER_FLOAT_CONTROLS),
    EXTENSION(KHR_SHADER_INTEGER_DOT_PRODUCT),
    EXTENSION(KHR_SHADER_NON_SEMANTIC_INFO),
    EXTENSION(KHR_SHADER_SUBGROUP_EXTENDED_TYPES),
    EXTENSION(KHR_SHADER_TERMINATE_INVOCATION),
    EXTENSION(KHR_SPIRV_1_4),
    EXTENSION(KHR_STORAGE_BUFFER_STORAGE_CLASS),
    EXTENSION(KHR_SYNCHRONIZATION_2),
    EXTENSION(KHR_TIMELINE_SEMAPHORE),
    EXTENSION(KHR_UNIFORM_BUFFER_STANDARD_LAYOUT),
    EXTENSION(KHR_VARIABLE_POINTERS),
    EXTENSION(KHR_VULKAN_MEMORY_MODEL),
    EXTENSION(KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY),
    EXTENSION(EXT_DESCRIPTOR_INDEXING),
    EXTENSION(EXT_HOST_QUERY_RESET),
    EXTENSION(EXT_IMAGE_ROBUSTNESS),
    EXTENSION(EXT_INLINE_UNIFORM_BLOCK),
    EXTENSION(EXT_PIPELINE_CREATION_CACHE_CONTROL),
    EXTENSION(EXT_PIPELINE_CREATION_FEEDBACK),
    EXTENSION(EXT_PRIVATE_DATA),
    EXTENSION(EXT_SCALAR_BLOCK_LAYOUT),
    EXTENSION(EXT_SUBGROUP_SIZE_CONTROL),
    EXTENSION(EXT_TOOLING_INFO),
};

#define EXTENSION_COUNT (uint32_t)(sizeof extensions / sizeof *extensions)

bool icd_extension_known(const char *name)
{
    for (uint32_t i = 0; i < EXTENSION_COUNT; i++)
        if (!strcmp(extensions[i].extensionName, name))
            return true;
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                      const char *layer,
                                                                      uint32_t *count,
                                                                      VkExtensionProperties *out)
{
    (void)physical;
    if (layer)
        return VK_ERROR_LAYER_NOT_PRESENT;
    VkResult result;
    const uint32_t some = icd_room(EXTENSION_COUNT, out, count, &result);
    if (some)
        memcpy(out, extensions, some * sizeof *out);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateDeviceLayerProperties(VkPhysicalDevice physical,
                                                                  uint32_t *count,
                                                                  VkLayerProperties *out)
{
    (void)physical, (void)out;
    *count = 0;
    return VK_SUCCESS;
}

// Memory and queues

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *memory)
{
    (void)physical;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const VkDeviceSize known = pages > 0 && page > 0;
    *memory = (VkPhysicalDeviceMemoryProperties){
        .memoryTypeCount = 1,
        .memoryTypes[0] = {.propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                            VK_MEMORY_PROPERTY_HOST_CACHED_BIT},
        .memoryHeapCount = 1,
        .memoryHeaps[0] = {.size =
                               known ? (VkDeviceSize)pages * (VkDeviceSize)page : UINT64_C(1) << 32,
                           .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
    };
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *memory)
{
    icd_GetPhysicalDeviceMemoryProperties(physical, &memory->memoryProperties);
}

static VkQueueFamilyProperties queue_family(VkPhysicalDevice physical)
{
    const bool graphics = ICD_OBJECT(icd_physical, physical)->settings.face == FACE_WEBGPU;
    return (VkQueueFamilyProperties){
        .queueFlags =
            VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | (graphics ? VK_QUEUE_GRAPHICS_BIT : 0),
        .queueCount = ICD_QUEUES,
        .timestampValidBits = 64,
        .minImageTransferGranularity = {1, 1, 1},
    };
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical,
                                                                      uint32_t *count,
                                                                      VkQueueFamilyProperties *out)
{
    VkResult result;
    if (icd_room(1, out, count, &result))
        *out = queue_family(physical);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyProperties2(
    VkPhysicalDevice physical, uint32_t *count, VkQueueFamilyProperties2 *out)
{
    VkResult result;
    if (icd_room(1, out, count, &result))
        out->queueFamilyProperties = queue_family(physical);
}

// Formats: three of 32 bits for storage images, none for texel buffers. One claims attachment
// support because Amber otherwise refuses the device for compute, and then creates no image; a
// program that would do so first asks for limits, and gets none.

static bool is_texel(VkFormat format)
{
    return format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT ||
           format == VK_FORMAT_R32_SFLOAT;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFormatProperties(VkPhysicalDevice physical,
                                                                 VkFormat format,
                                                                 VkFormatProperties *properties)
{
    const bool webgpu = ICD_OBJECT(icd_physical, physical)->settings.face == FACE_WEBGPU;
    *properties = (VkFormatProperties){0};
    if (is_texel(format))
        properties->linearTilingFeatures = properties->optimalTilingFeatures =
            VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
            VK_FORMAT_FEATURE_TRANSFER_DST_BIT |
            (format == VK_FORMAT_R32_SFLOAT ? 0 : VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT);
    if (format == VK_FORMAT_B8G8R8A8_UNORM)
        properties->optimalTilingFeatures = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    if (format == VK_FORMAT_D32_SFLOAT_S8_UINT && webgpu) // Dawn ends the process without one
        properties->optimalTilingFeatures = VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFormatProperties2(VkPhysicalDevice physical,
                                                                  VkFormat format,
                                                                  VkFormatProperties2 *properties)
{
    icd_GetPhysicalDeviceFormatProperties(physical, format, &properties->formatProperties);
    for (VkBaseOutStructure *next = properties->pNext; next; next = next->pNext)
        if (next->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3) {
            VkFormatProperties3 *three = (VkFormatProperties3 *)next;
            three->bufferFeatures = 0;
            three->linearTilingFeatures = properties->formatProperties.linearTilingFeatures;
            three->optimalTilingFeatures = properties->formatProperties.optimalTilingFeatures;
        }
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,
    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
    VkPhysicalDeviceProperties device;
    *properties = (VkImageFormatProperties){0};
    if (!is_texel(format) || tiling > VK_IMAGE_TILING_LINEAR || type > VK_IMAGE_TYPE_3D ||
        usage & ~(VkImageUsageFlags)(VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                     VK_IMAGE_USAGE_TRANSFER_DST_BIT) ||
        flags & ~(VkImageCreateFlags)(VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                                      VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    icd_GetPhysicalDeviceProperties(physical, &device);
    const uint32_t most = type == VK_IMAGE_TYPE_3D ? device.limits.maxImageDimension3D
                                                   : device.limits.maxImageDimension2D;
    *properties = (VkImageFormatProperties){
        .maxExtent = {most, type == VK_IMAGE_TYPE_1D ? 1 : most,
                      type == VK_IMAGE_TYPE_3D ? most : 1},
        .maxMipLevels = tiling == VK_IMAGE_TILING_LINEAR ? 1 : 32 - (uint32_t)__builtin_clz(most),
        .maxArrayLayers = type == VK_IMAGE_TYPE_3D ? 1 : device.limits.maxImageArrayLayers,
        .sampleCounts = VK_SAMPLE_COUNT_1_BIT,
        .maxResourceSize = UINT64_C(1) << REGION_SHIFT,
    };
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice physical, const VkPhysicalDeviceImageFormatInfo2 *info,
    VkImageFormatProperties2 *properties)
{
    const VkPhysicalDeviceExternalImageFormatInfo *external =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
    properties->imageFormatProperties = (VkImageFormatProperties){0};
    if (external && external->handleType)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    return icd_GetPhysicalDeviceImageFormatProperties(physical, info->format, info->type,
                                                      info->tiling, info->usage, info->flags,
                                                      &properties->imageFormatProperties);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice physical, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
    VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count,
    VkSparseImageFormatProperties *out)
{
    (void)physical, (void)format, (void)type, (void)samples, (void)usage, (void)tiling, (void)out;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice physical, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
    VkSparseImageFormatProperties2 *out)
{
    (void)physical, (void)info, (void)out;
    *count = 0;
}

// No sharing with other drivers or processes

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalBufferInfo *info,
    VkExternalBufferProperties *properties)
{
    (void)physical;
    // Even so, the specification requires a handle type to be compatible with itself.
    properties->externalMemoryProperties =
        (VkExternalMemoryProperties){.compatibleHandleTypes = info->handleType};
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalFenceInfo *info,
    VkExternalFenceProperties *properties)
{
    (void)physical, (void)info;
    properties->exportFromImportedHandleTypes = 0;
    properties->compatibleHandleTypes = 0;
    properties->externalFenceFeatures = 0;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info,
    VkExternalSemaphoreProperties *properties)
{
    (void)physical, (void)info;
    properties->exportFromImportedHandleTypes = 0;
    properties->compatibleHandleTypes = 0;
    properties->externalSemaphoreFeatures = 0;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceToolProperties(
    VkPhysicalDevice physical, uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
    (void)physical, (void)out;
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceCalibrateableTimeDomainsEXT(
    VkPhysicalDevice physical, uint32_t *count, VkTimeDomainEXT *out)
{
    (void)physical;
    static const VkTimeDomainEXT domains[] = {VK_TIME_DOMAIN_DEVICE_EXT,
                                              VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT};
    VkResult result;
    const uint32_t some = icd_room(2, out, count, &result);
    if (some)
        memcpy(out, domains, some * sizeof *out);
    return result;
}

#ifdef VK_KHR_cooperative_matrix
// Supported products: the shapes that devices list (docs/simt.md says which lists were read), and
// of each kind of numbers more types. Integers are only 8-bit, accumulated in 32. SATURATES: there
// is also a saturating product of these types.
enum products {
    OF_HALVES = 1,
    OF_FLOATS = 2,
    OF_BYTES = 4,
    OF_BFLOATS = 8,
    OF_FLOAT8 = 16,
    SATURATES = 32
};

static const struct {
    uint32_t rows, columns, inner;
    enum products of;
} shapes[] = {
    {16, 16, 16, OF_HALVES | OF_FLOATS | OF_BYTES | OF_BFLOATS | OF_FLOAT8},
    {16, 8, 16, OF_HALVES | OF_BYTES | OF_BFLOATS},
    {16, 8, 8, OF_HALVES | OF_BFLOATS},
    {8, 16, 16, OF_HALVES | OF_BFLOATS},
    {8, 8, 16, OF_HALVES | OF_BYTES | OF_BFLOATS},
    {8, 8, 8, OF_HALVES | OF_FLOATS | OF_BYTES},
    {64, 16, 16, OF_HALVES},
    {64, 32, 16, OF_HALVES},
    {64, 64, 16, OF_HALVES},
    {64, 64, 8, OF_FLOATS},
    {16, 16, 32, OF_BYTES | OF_FLOAT8},
    {16, 8, 32, OF_BYTES | OF_FLOAT8},
    {8, 16, 32, OF_BYTES},
    {8, 8, 32, OF_BYTES},
    {64, 16, 32, OF_BYTES},
    {64, 32, 32, OF_BYTES},
    {64, 64, 32, OF_BYTES},
};

#define COMPONENTS(a, b, sum)                                                                      \
    VK_COMPONENT_TYPE_##a##_KHR, VK_COMPONENT_TYPE_##b##_KHR, VK_COMPONENT_TYPE_##sum##_KHR
#define FLOAT8(a, b)                                                                               \
    VK_COMPONENT_TYPE_FLOAT8_##a##_EXT, VK_COMPONENT_TYPE_FLOAT8_##b##_EXT,                        \
        VK_COMPONENT_TYPE_FLOAT32_KHR
static const struct {
    enum products of;
    VkComponentTypeKHR a, b, sum;
} components[] = {
    {OF_HALVES, COMPONENTS(FLOAT16, FLOAT16, FLOAT16)},
    {OF_HALVES, COMPONENTS(FLOAT16, FLOAT16, FLOAT32)},
    {OF_BFLOATS, COMPONENTS(BFLOAT16, BFLOAT16, BFLOAT16)},
    {OF_BFLOATS, COMPONENTS(BFLOAT16, BFLOAT16, FLOAT32)},
    {OF_FLOAT8, FLOAT8(E4M3, E4M3)},
    {OF_FLOAT8, FLOAT8(E4M3, E5M2)},
    {OF_FLOAT8, FLOAT8(E5M2, E4M3)},
    {OF_FLOAT8, FLOAT8(E5M2, E5M2)},
    {OF_FLOATS, COMPONENTS(FLOAT32, FLOAT32, FLOAT32)},
    {OF_BYTES | SATURATES, COMPONENTS(SINT8, SINT8, SINT32)},
    {OF_BYTES | SATURATES, COMPONENTS(UINT8, UINT8, SINT32)},
    {OF_BYTES | SATURATES, COMPONENTS(SINT8, UINT8, SINT32)},
    {OF_BYTES | SATURATES, COMPONENTS(UINT8, SINT8, SINT32)},
    {OF_BYTES, COMPONENTS(SINT8, SINT8, UINT32)},
    {OF_BYTES | SATURATES, COMPONENTS(UINT8, UINT8, UINT32)},
    {OF_BYTES, COMPONENTS(SINT8, UINT8, UINT32)},
    {OF_BYTES, COMPONENTS(UINT8, SINT8, UINT32)},
};

// Product `i` of all combinations; false if it is not supported.
static bool product(uint32_t i, VkCooperativeMatrixPropertiesKHR *one)
{
    const uint32_t kinds = sizeof components / sizeof *components;
    const uint32_t shape = i / 2 / kinds, kind = i / 2 % kinds;
    one->MSize = shapes[shape].rows;
    one->NSize = shapes[shape].columns;
    one->KSize = shapes[shape].inner;
    one->AType = components[kind].a;
    one->BType = components[kind].b;
    one->CType = one->ResultType = components[kind].sum;
    one->saturatingAccumulation = i % 2;
    one->scope = VK_SCOPE_SUBGROUP_KHR;
    return (shapes[shape].of & components[kind].of) &&
           (i % 2 == 0 || components[kind].of & SATURATES);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceCooperativeMatrixPropertiesKHR(
    VkPhysicalDevice physical, uint32_t *count, VkCooperativeMatrixPropertiesKHR *out)
{
    (void)physical;
    const uint32_t most =
        2 * (uint32_t)(sizeof shapes / sizeof *shapes * (sizeof components / sizeof *components));
    VkCooperativeMatrixPropertiesKHR one = {0};
    VkResult result;
    uint32_t all = 0, next = 0;
    for (uint32_t i = 0; i < most; i++)
        all += product(i, &one);
    const uint32_t some = icd_room(all, out, count, &result);
    for (uint32_t i = 0; next < some; i++)
        next += product(i, &out[next]);
    return result;
}
#endif
