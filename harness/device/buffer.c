// SPDX-License-Identifier: Apache-2.0
// Buffers and their memory, uploads, descriptor sets.

#include "device/vulkan.h"

#include <string.h>

#define STAGING_WORDS (UINT64_C(1) << 22)

static bool find_memory(const struct dev *dev, uint32_t types, VkMemoryPropertyFlags wanted,
                        uint32_t *type)
{
    for (uint32_t i = 0; i < dev->memory.memoryTypeCount; i++)
        if ((types >> i & 1) && (dev->memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
            *type = i;
            return true;
        }
    return false;
}

static bool pick_memory(const struct dev *dev, enum dev_place place, uint32_t types, uint32_t *type)
{
    const VkMemoryPropertyFlags coherent =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (place == DEV_FOR_HOST)
        return find_memory(dev, types, coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, type) ||
               find_memory(dev, types, coherent, type);
    return find_memory(dev, types, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, type) ||
           find_memory(dev, types, 0, type);
}

enum dev_status dev_buffer_create(struct dev *dev, enum dev_place place, uint64_t words,
                                  struct dev_buffer *buffer, struct lit_error *error)
{
    return dev_buffer_create_at(dev, place, words, 0, buffer, error);
}

enum dev_status dev_buffer_create_at(struct dev *dev, enum dev_place place, uint64_t words,
                                     uint64_t offset, struct dev_buffer *buffer,
                                     struct lit_error *error)
{
    const bool addressed = dev->address && place == DEV_ON_DEVICE;
    memset(buffer, 0, sizeof *buffer);
    buffer->words = words ? words : 1;
    buffer->offset = offset;
    const uint64_t size = offset + buffer->words * 4;
    VK(vkCreateBuffer(dev->device,
                      &(VkBufferCreateInfo){
                          .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                          .size = size,
                          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                   (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u),
                      },
                      NULL, &buffer->handle));

    VkMemoryRequirements needs = {0};
    vkGetBufferMemoryRequirements(dev->device, buffer->handle, &needs);
    uint32_t type = 0;
    if (needs.size < size)
        TRY(dev_refuse(error, "the driver asks for %llu bytes of memory for a buffer of %llu",
                       (unsigned long long)needs.size, (unsigned long long)size));
    if (!pick_memory(dev, place, needs.memoryTypeBits, &type))
        TRY(dev_refuse(error, "no memory type of the device suits a storage buffer"));
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VK(vkAllocateMemory(dev->device,
                        &(VkMemoryAllocateInfo){
                            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                            .pNext = addressed ? &flags : NULL,
                            .allocationSize = needs.size,
                            .memoryTypeIndex = type,
                        },
                        NULL, &buffer->memory));
    VK(vkBindBufferMemory(dev->device, buffer->handle, buffer->memory, 0));

    if (place == DEV_FOR_HOST) {
        void *mapped = NULL;
        VK(vkMapMemory(dev->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
        if (!mapped)
            TRY(dev_refuse(error, "vkMapMemory returned no address"));
        buffer->mapped = (uint32_t *)mapped + offset / 4;
    }
    if (addressed)
        buffer->address = dev->address(dev->device,
                                       &(VkBufferDeviceAddressInfo){
                                           .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer->handle,
                                       }) +
                          offset;
    return DEV_OK;
}

void dev_buffer_destroy(struct dev *dev, struct dev_buffer *buffer)
{
    vkDestroyBuffer(dev->device, buffer->handle, NULL);
    vkFreeMemory(dev->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

enum dev_status dev_upload(struct dev *dev, const struct dev_buffer *buffer, const uint32_t *words,
                           uint64_t count, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    struct dev_buffer staging = {0};
    TRY_END(dev_buffer_create(dev, DEV_FOR_HOST, count < STAGING_WORDS ? count : STAGING_WORDS,
                              &staging, error));
    for (uint64_t done = 0; done < count; done += staging.words) {
        const uint64_t some = count - done < staging.words ? count - done : staging.words;
        memcpy(staging.mapped, words + done, some * 4);
        TRY_END(dev_begin(dev, error));
        dev_copy(dev, &staging, 0, buffer, done, some);
        dev_barrier(dev);
        TRY_END(dev_submit(dev, DEV_UPLOAD_TIMEOUT_MS, error));
    }
error:
    if (!dev->stuck)
        dev_buffer_destroy(dev, &staging);
    return status;
}

enum dev_status dev_describe(struct dev *dev, VkDescriptorSetLayout layout,
                             const struct dev_buffer *const *buffers, uint32_t count,
                             VkDescriptorPool *pool, VkDescriptorSet *set, struct lit_error *error)
{
    VkDescriptorBufferInfo infos[DEV_MAX_BINDINGS];
    VkWriteDescriptorSet writes[DEV_MAX_BINDINGS];
    VK(vkCreateDescriptorPool(dev->device,
                              &(VkDescriptorPoolCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                  .maxSets = 1,
                                  .poolSizeCount = 1,
                                  .pPoolSizes =
                                      &(VkDescriptorPoolSize){
                                          .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                          .descriptorCount = count,
                                      },
                              },
                              NULL, pool));
    VK(vkAllocateDescriptorSets(dev->device,
                                &(VkDescriptorSetAllocateInfo){
                                    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                    .descriptorPool = *pool,
                                    .descriptorSetCount = 1,
                                    .pSetLayouts = &layout,
                                },
                                set));
    for (uint32_t i = 0; i < count; i++) {
        infos[i] = (VkDescriptorBufferInfo){
            .buffer = buffers[i]->handle,
            .offset = buffers[i]->offset,
            .range = buffers[i]->words * 4,
        };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = *set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &infos[i],
        };
    }
    vkUpdateDescriptorSets(dev->device, count, writes, 0, NULL);
    return DEV_OK;
}
