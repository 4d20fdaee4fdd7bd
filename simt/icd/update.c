// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: writes, copies, update templates.

#include "icd/objects.h"

#include <stdlib.h>
#include <string.h>

static bool is_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           icd_is_dynamic(type);
}

// A position in a set: an element of a binding, or a byte of an inline uniform block. An update
// longer than its binding continues in the next non-empty one.
struct cursor {
    struct icd_set *set;
    uint32_t index;   // of the binding in the layout
    uint64_t element; // below the binding's count after `settle` succeeds
};

static bool settle(struct cursor *cursor, VkDescriptorType type)
{
    const struct icd_set_layout *layout = cursor->set->layout;
    while (cursor->index < layout->binding_count &&
           cursor->element >= icd_set_count(cursor->set, cursor->index))
        cursor->element -= icd_set_count(cursor->set, cursor->index++);
    return cursor->index < layout->binding_count && layout->binding[cursor->index].type == type;
}

static struct cursor find(struct icd_set *set, uint32_t number, uint32_t element)
{
    const struct icd_set_layout *layout = set->layout;
    struct cursor cursor = {.set = set, .element = element};
    while (cursor.index < layout->binding_count && layout->binding[cursor.index].binding < number)
        cursor.index++;
    return cursor;
}

static VkDescriptorType type_at(const struct cursor *cursor)
{
    return cursor->index < cursor->set->layout->binding_count
               ? cursor->set->layout->binding[cursor->index].type
               : VK_DESCRIPTOR_TYPE_MAX_ENUM;
}

static struct icd_descriptor *descriptor_at(const struct cursor *cursor)
{
    const uint32_t first = cursor->set->layout->binding[cursor->index].first;
    const bool block = icd_is_inline(type_at(cursor));
    return &cursor->set->descriptor[first + (block ? 0 : cursor->element)];
}

static unsigned char *byte_at(const struct cursor *cursor)
{
    const size_t block = (size_t)(descriptor_at(cursor)->inline_bytes - cursor->set->inline_bytes);
    return cursor->set->inline_bytes + block + cursor->element;
}

// `data`: a VkDescriptorImageInfo or a VkDescriptorBufferInfo.
static struct icd_descriptor describe(VkDescriptorType type, const unsigned char *data)
{
    VkDescriptorBufferInfo info;
    VkDescriptorImageInfo image;
    if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
        memcpy(&image, data, sizeof image);
        const struct icd_descriptor *view = ICD_OBJECT(icd_descriptor, image.imageView);
        return view ? *view : (struct icd_descriptor){0};
    }
    memcpy(&info, data, sizeof info);
    const struct icd_buffer *buffer = ICD_OBJECT(icd_buffer, info.buffer);
    return (struct icd_descriptor){
        .region = buffer ? buffer->region : 0,
        .offset = info.offset,
        .range = info.range,
    };
}

// Writes `count` elements or bytes, `stride` bytes apart. Ignores samplers and images that are
// sampled, which no format supports.
static void write_elements(struct cursor cursor, VkDescriptorType type, uint32_t count,
                           const unsigned char *data, size_t stride)
{
    if (!data ||
        (!is_buffer(type) && !icd_is_inline(type) && type != VK_DESCRIPTOR_TYPE_STORAGE_IMAGE))
        return;
    icd_set_lock(cursor.set);
    for (uint32_t i = 0; i < count && settle(&cursor, type); i++, cursor.element++) {
        if (icd_is_inline(type))
            *byte_at(&cursor) = data[i];
        else
            *descriptor_at(&cursor) = describe(type, data + i * stride);
    }
    icd_set_unlock(cursor.set);
}

void icd_set_write(struct icd_set *set, const VkWriteDescriptorSet *write)
{
    const struct cursor cursor = find(set, write->dstBinding, write->dstArrayElement);
    const bool image = write->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const void *data = image ? (const void *)write->pImageInfo : write->pBufferInfo;
    if (icd_is_inline(write->descriptorType)) {
        const VkWriteDescriptorSetInlineUniformBlock *block =
            icd_find(write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        data = block && block->dataSize >= write->descriptorCount ? block->pData : NULL;
    }
    write_elements(cursor, write->descriptorType, write->descriptorCount, data,
                   image ? sizeof(VkDescriptorImageInfo) : sizeof(VkDescriptorBufferInfo));
}

// Holds both sets stable while copying: pools are locked in address order.
static void copy_elements(struct cursor from, struct cursor to, uint32_t count)
{
    struct icd_set *first = (uintptr_t)from.set->pool < (uintptr_t)to.set->pool ? from.set : to.set;
    struct icd_set *second = first == from.set ? to.set : from.set;
    icd_set_lock(first);
    if (second->pool != first->pool)
        icd_set_lock(second);
    settle(&from, type_at(&from));
    const VkDescriptorType type = type_at(&from);
    for (uint32_t i = 0; i < count && settle(&from, type) && settle(&to, type);
         i++, from.element++, to.element++) {
        if (icd_is_inline(type))
            *byte_at(&to) = *byte_at(&from);
        else
            *descriptor_at(&to) = *descriptor_at(&from);
    }
    if (second->pool != first->pool)
        icd_set_unlock(second);
    icd_set_unlock(first);
}

void icd_UpdateDescriptorSets(VkDevice device, uint32_t write_count,
                              const VkWriteDescriptorSet *writes, uint32_t copy_count,
                              const VkCopyDescriptorSet *copies)
{
    (void)device;
    for (uint32_t i = 0; i < write_count; i++)
        icd_set_write(ICD_OBJECT(icd_set, writes[i].dstSet), &writes[i]);
    for (uint32_t i = 0; i < copy_count; i++) {
        const VkCopyDescriptorSet *copy = &copies[i];
        copy_elements(
            find(ICD_OBJECT(icd_set, copy->srcSet), copy->srcBinding, copy->srcArrayElement),
            find(ICD_OBJECT(icd_set, copy->dstSet), copy->dstBinding, copy->dstArrayElement),
            copy->descriptorCount);
    }
}

// Update templates

struct icd_template {
    uint32_t count;
    VkDescriptorUpdateTemplateEntry entry[];
};

VkResult icd_CreateDescriptorUpdateTemplate(VkDevice device,
                                            const VkDescriptorUpdateTemplateCreateInfo *info,
                                            const VkAllocationCallbacks *allocator,
                                            VkDescriptorUpdateTemplate *result)
{
    (void)device;
    (void)allocator;
    const size_t size = info->descriptorUpdateEntryCount * sizeof(VkDescriptorUpdateTemplateEntry);
    struct icd_template *template = malloc(sizeof *template + size);
    if (!template)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    template->count = info->descriptorUpdateEntryCount;
    memcpy(template->entry, info->pDescriptorUpdateEntries, size);
    *result = ICD_HANDLE(VkDescriptorUpdateTemplate, template);
    return VK_SUCCESS;
}

void icd_DestroyDescriptorUpdateTemplate(VkDevice device, VkDescriptorUpdateTemplate template,
                                         const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t) template);
    free(ICD_OBJECT(icd_template, template));
}

void icd_set_write_template(struct icd_set *set, VkDescriptorUpdateTemplate handle,
                            const void *data)
{
    const struct icd_template *template = ICD_OBJECT(icd_template, handle);
    for (uint32_t i = 0; i < template->count; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &template->entry[i];
        write_elements(find(set, entry->dstBinding, entry->dstArrayElement), entry->descriptorType,
                       entry->descriptorCount, (const unsigned char *)data + entry->offset,
                       entry->stride);
    }
}

void icd_UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet set,
                                         VkDescriptorUpdateTemplate template, const void *data)
{
    (void)device;
    icd_set_write_template(ICD_OBJECT(icd_set, set), template, data);
}
