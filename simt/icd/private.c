// SPDX-License-Identifier: Apache-2.0
// Private data: a number per object in slots created by layers and programs. Few use it.
#include "icd/icd.h"

#include <stdlib.h>

struct icd_slot {
    struct icd_slot *next; // of the device
    struct datum {
        uint64_t handle, data;
    } * data;
    size_t count, capacity;
};

VKAPI_ATTR VkResult VKAPI_CALL icd_CreatePrivateDataSlot(VkDevice handle,
                                                         const VkPrivateDataSlotCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkPrivateDataSlot *out)
{
    (void)info, (void)allocator;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    struct icd_slot *slot = calloc(1, sizeof *slot);
    if (!slot)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&device->lock);
    slot->next = device->slots;
    device->slots = slot;
    pthread_mutex_unlock(&device->lock);
    *out = ICD_HANDLE(VkPrivateDataSlot, slot);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyPrivateDataSlot(VkDevice handle, VkPrivateDataSlot out,
                                                      const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    struct icd_slot *slot = ICD_OBJECT(icd_slot, out);
    if (!slot)
        return;
    pthread_mutex_lock(&device->lock);
    struct icd_slot **at = &device->slots;
    while (*at && *at != slot)
        at = &(*at)->next;
    if (*at)
        *at = slot->next;
    pthread_mutex_unlock(&device->lock);
    free(slot->data);
    free(slot);
}

static struct datum *find(struct icd_slot *slot, uint64_t handle)
{
    for (size_t i = 0; i < slot->count; i++)
        if (slot->data[i].handle == handle)
            return &slot->data[i];
    return NULL;
}

static struct datum *add(struct icd_slot *slot, uint64_t handle)
{
    if (slot->count == slot->capacity) {
        const size_t capacity = slot->capacity ? 2 * slot->capacity : 8;
        struct datum *grown = realloc(slot->data, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        slot->data = grown;
        slot->capacity = capacity;
    }
    slot->data[slot->count] = (struct datum){.handle = handle};
    return &slot->data[slot->count++];
}

VKAPI_ATTR VkResult VKAPI_CALL icd_SetPrivateData(VkDevice handle, VkObjectType type,
                                                  uint64_t object, VkPrivateDataSlot slot,
                                                  uint64_t data)
{
    (void)type; // live objects have different addresses, whatever their types
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    pthread_mutex_lock(&device->lock);
    struct datum *datum = find(ICD_OBJECT(icd_slot, slot), object);
    if (!datum)
        datum = add(ICD_OBJECT(icd_slot, slot), object);
    if (datum)
        datum->data = data;
    pthread_mutex_unlock(&device->lock);
    return datum ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPrivateData(VkDevice handle, VkObjectType type, uint64_t object,
                                              VkPrivateDataSlot slot, uint64_t *data)
{
    (void)type;
    struct icd_device *device = ICD_OBJECT(icd_device, handle);
    pthread_mutex_lock(&device->lock);
    const struct datum *datum = find(ICD_OBJECT(icd_slot, slot), object);
    *data = datum ? datum->data : 0;
    pthread_mutex_unlock(&device->lock);
}

void icd_private_forget(struct icd_device *device, uint64_t handle)
{
    pthread_mutex_lock(&device->lock);
    for (struct icd_slot *slot = device->slots; slot; slot = slot->next) {
        struct datum *datum = find(slot, handle);
        if (datum)
            *datum = slot->data[--slot->count];
    }
    pthread_mutex_unlock(&device->lock);
}
