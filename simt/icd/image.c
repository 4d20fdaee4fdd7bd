// SPDX-License-Identifier: Apache-2.0
// No format supports images, so a valid program never has one, nor anything for graphics. The
// commands exist because programs, loaders and layers may look for all of a version; samplers can
// be created and do nothing.
#include "icd/icd.h"

#include <stdlib.h>

static VkResult refuse(VkDevice device, const char *what)
{
    icd_say(ICD_OBJECT(icd_device, device)->physical->instance, ICD_ERROR, what);
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateImage(VkDevice device, const VkImageCreateInfo *info,
                                               const VkAllocationCallbacks *allocator,
                                               VkImage *image)
{
    (void)info, (void)allocator;
    *image = VK_NULL_HANDLE;
    return refuse(device, "image: images are not supported");
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyImage(VkDevice device, VkImage image,
                                            const VkAllocationCallbacks *allocator)
{
    (void)device, (void)image, (void)allocator;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BindImageMemory(VkDevice device, VkImage image,
                                                   VkDeviceMemory memory, VkDeviceSize offset)
{
    (void)image, (void)memory, (void)offset;
    return refuse(device, "image: images are not supported");
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BindImageMemory2(VkDevice device, uint32_t count,
                                                    const VkBindImageMemoryInfo *infos)
{
    (void)infos;
    return count ? refuse(device, "image: images are not supported") : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageMemoryRequirements(VkDevice device, VkImage image,
                                                          VkMemoryRequirements *needs)
{
    (void)device, (void)image;
    *needs = (VkMemoryRequirements){.alignment = 1};
}

VKAPI_ATTR void VKAPI_CALL icd_GetImageMemoryRequirements2(
    VkDevice device, const VkImageMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *needs)
{
    icd_GetImageMemoryRequirements(device, info->image, &needs->memoryRequirements);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceImageMemoryRequirements(
    VkDevice device, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *needs)
{
    (void)info;
    icd_GetImageMemoryRequirements(device, VK_NULL_HANDLE, &needs->memoryRequirements);
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
                                                         const VkImageSubresource *subresource,
                                                         VkSubresourceLayout *layout)
{
    (void)device, (void)image, (void)subresource;
    *layout = (VkSubresourceLayout){0};
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateImageView(VkDevice device,
                                                   const VkImageViewCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkImageView *view)
{
    (void)info, (void)allocator;
    *view = VK_NULL_HANDLE;
    return refuse(device, "image view: images are not supported");
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyImageView(VkDevice device, VkImageView view,
                                                const VkAllocationCallbacks *allocator)
{
    (void)device, (void)view, (void)allocator;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateSampler(VkDevice device, const VkSamplerCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkSampler *sampler)
{
    (void)device, (void)info, (void)allocator;
    void *object = malloc(1); // only its address matters
    *sampler = ICD_HANDLE(VkSampler, object);
    return object ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroySampler(VkDevice device, VkSampler sampler,
                                              const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)sampler);
    free((void *)(uintptr_t)sampler);
}

// Graphics

VKAPI_ATTR void VKAPI_CALL icd_GetRenderAreaGranularity(VkDevice device, VkRenderPass pass,
                                                        VkExtent2D *granularity)
{
    (void)device, (void)pass;
    *granularity = (VkExtent2D){1, 1};
}

#define REFUSE_CREATE(name, type)                                                                  \
    VKAPI_ATTR VkResult VKAPI_CALL icd_Create##name(                                               \
        VkDevice device, const Vk##name##CreateInfo *info, const VkAllocationCallbacks *allocator, \
        Vk##type *made)                                                                            \
    {                                                                                              \
        (void)info, (void)allocator;                                                               \
        *made = VK_NULL_HANDLE;                                                                    \
        icd_say(ICD_OBJECT(icd_device, device)->physical->instance, ICD_ERROR,                     \
                "vkCreate" #name ": graphics and images are not supported");                       \
        return VK_ERROR_FEATURE_NOT_PRESENT;                                                       \
    }
#define DESTROY_NONE(type)                                                                         \
    VKAPI_ATTR void VKAPI_CALL icd_Destroy##type(VkDevice device, Vk##type none,                   \
                                                 const VkAllocationCallbacks *allocator)           \
    {                                                                                              \
        (void)device, (void)none, (void)allocator;                                                 \
    }

REFUSE_CREATE(Framebuffer, Framebuffer)
DESTROY_NONE(Framebuffer)
REFUSE_CREATE(RenderPass, RenderPass)
DESTROY_NONE(RenderPass)
REFUSE_CREATE(SamplerYcbcrConversion, SamplerYcbcrConversion)
DESTROY_NONE(SamplerYcbcrConversion)

typedef VkRenderPassCreateInfo2 VkRenderPass2CreateInfo;
REFUSE_CREATE(RenderPass2, RenderPass)
