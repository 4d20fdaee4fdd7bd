// SPDX-License-Identifier: Apache-2.0
// Storage images, whose texels have 32 bits. Barriers and layouts have no effect, and both tilings
// are the same.
#include "icd/objects.h"

#include <stdlib.h>

#define TEXEL 4 // bytes

struct icd_part icd_image_part(const struct icd_image *image, uint32_t level, uint32_t layer)
{
    struct icd_part part = {.extent = image->extent};
    for (uint32_t i = 0; i <= level && i <= image->levels; i++) {
        VkExtent3D *extent = &part.extent;
        if (i > 0) {
            part.offset += part.layer * image->layers;
            extent->width = extent->width > 1 ? extent->width / 2 : 1;
            extent->height = extent->height > 1 ? extent->height / 2 : 1;
            extent->depth = extent->depth > 1 ? extent->depth / 2 : 1;
        }
        part.row = (uint64_t)extent->width * TEXEL;
        part.plane = part.row * extent->height;
        part.layer = part.plane * extent->depth;
    }
    part.offset += layer * part.layer;
    return part;
}

static VkResult refuse(VkDevice device, const char *what)
{
    icd_say(ICD_OBJECT(icd_device, device)->physical->instance, ICD_ERROR, what);
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

// Whether the device has such images. Their sizes do not overflow.
static bool is_supported(VkDevice device, const VkImageCreateInfo *info)
{
    VkImageFormatProperties most;
    return icd_GetPhysicalDeviceImageFormatProperties(
               ICD_HANDLE(VkPhysicalDevice, ICD_OBJECT(icd_device, device)->physical), info->format,
               info->imageType, info->tiling, info->usage, info->flags, &most) == VK_SUCCESS &&
           info->extent.width && info->extent.width <= most.maxExtent.width &&
           info->extent.height && info->extent.height <= most.maxExtent.height &&
           info->extent.depth && info->extent.depth <= most.maxExtent.depth && info->mipLevels &&
           info->mipLevels <= most.maxMipLevels && info->arrayLayers &&
           info->arrayLayers <= most.maxArrayLayers && info->samples == VK_SAMPLE_COUNT_1_BIT;
}

static struct icd_image image_of(const VkImageCreateInfo *info)
{
    struct icd_image image = {
        .extent = info->extent, .levels = info->mipLevels, .layers = info->arrayLayers};
    image.buffer.size = icd_image_part(&image, image.levels, 0).offset;
    return image;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateImage(VkDevice device, const VkImageCreateInfo *info,
                                               const VkAllocationCallbacks *allocator,
                                               VkImage *image)
{
    (void)allocator;
    *image = VK_NULL_HANDLE;
    if (!is_supported(device, info))
        return refuse(device, "image: only storage images of R32 formats are supported");
    struct icd_image *made = malloc(sizeof *made);
    if (!made)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *made = image_of(info);
    *image = ICD_HANDLE(VkImage, made);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyImage(VkDevice device, VkImage image,
                                            const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_image *gone = ICD_OBJECT(icd_image, image);
    icd_buffer_destroy(ICD_OBJECT(icd_device, device), gone ? &gone->buffer : NULL);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BindImageMemory(VkDevice device, VkImage image,
                                                   VkDeviceMemory memory, VkDeviceSize offset)
{
    return icd_buffer_bind(ICD_OBJECT(icd_device, device), &ICD_OBJECT(icd_image, image)->buffer,
                           ICD_OBJECT(icd_memory, memory), offset, true);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BindImageMemory2(VkDevice device, uint32_t count,
                                                    const VkBindImageMemoryInfo *infos)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count; i++) {
        const VkResult bound =
            icd_BindImageMemory(device, infos[i].image, infos[i].memory, infos[i].memoryOffset);
        if (bound != VK_SUCCESS)
            result = bound;
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                          VkMemoryRequirements *needs)
{
    (void)device;
    VkMemoryRequirements2 filled = {.pNext = NULL};
    icd_fill_requirements(ICD_OBJECT(icd_image, image)->buffer.size, &filled);
    *needs = filled.memoryRequirements;
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageMemoryRequirements2(
    VkDevice device, const VkImageMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *needs)
{
    (void)device;
    icd_fill_requirements(ICD_OBJECT(icd_image, info->image)->buffer.size, needs);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceImageMemoryRequirements(
    VkDevice device, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *needs)
{
    (void)device;
    icd_fill_requirements(image_of(info->pCreateInfo).buffer.size, needs);
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageSparseMemoryRequirements(
    VkDevice device, VkImage image, uint32_t *count, VkSparseImageMemoryRequirements *needs)
{
    (void)device, (void)image, (void)needs;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageSparseMemoryRequirements2(
    VkDevice device, const VkImageSparseMemoryRequirementsInfo2 *info, uint32_t *count,
    VkSparseImageMemoryRequirements2 *needs)
{
    (void)device, (void)info, (void)needs;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceImageSparseMemoryRequirements(
    VkDevice device, const VkDeviceImageMemoryRequirements *info, uint32_t *count,
    VkSparseImageMemoryRequirements2 *needs)
{
    (void)device, (void)info, (void)needs;
    *count = 0;
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageSubresourceLayout(VkDevice device, VkImage image,
                                                         const VkImageSubresource *which,
                                                         VkSubresourceLayout *layout)
{
    (void)device;
    const struct icd_part part =
        icd_image_part(ICD_OBJECT(icd_image, image), which->mipLevel, which->arrayLayer);
    *layout = (VkSubresourceLayout){.offset = part.offset,
                                    .size = part.layer,
                                    .rowPitch = part.row,
                                    .arrayPitch = part.layer,
                                    .depthPitch = part.plane};
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateImageView(VkDevice device,
                                                   const VkImageViewCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkImageView *view)
{
    (void)device, (void)allocator;
    const struct icd_image *image = ICD_OBJECT(icd_image, info->image);
    const VkImageSubresourceRange *range = &info->subresourceRange;
    struct icd_part part = icd_image_part(image, range->baseMipLevel, range->baseArrayLayer);
    struct icd_descriptor *made = malloc(sizeof *made);
    if (!made)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    const uint32_t layers = range->layerCount == VK_REMAINING_ARRAY_LAYERS
                                ? image->layers - range->baseArrayLayer
                                : range->layerCount;
    if (info->viewType == VK_IMAGE_VIEW_TYPE_1D_ARRAY)
        part.extent.height = layers;
    if (info->viewType == VK_IMAGE_VIEW_TYPE_2D_ARRAY)
        part.extent.depth = layers;
    *made = (struct icd_descriptor){
        .region = image->buffer.region,
        .offset = part.offset,
        .range = layers * part.layer,
        .extent = {(uint16_t)part.extent.width, (uint16_t)part.extent.height,
                   (uint16_t)part.extent.depth},
    };
    *view = ICD_HANDLE(VkImageView, made);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyImageView(VkDevice device, VkImageView view,
                                                const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)view);
    free((void *)(uintptr_t)view);
}
