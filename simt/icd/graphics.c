// SPDX-License-Identifier: Apache-2.0
// Samplers, which can be created and do nothing, and what is for graphics: its commands exist
// because programs, loaders and layers may look for all of a version.
#include "icd/icd.h"

#include <stdlib.h>

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
                "vkCreate" #name ": graphics is not supported");                                   \
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
