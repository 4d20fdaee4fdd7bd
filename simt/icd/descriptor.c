// SPDX-License-Identifier: Apache-2.0
// Creates descriptor set layouts, pools and sets; update.c fills them in.

#include "icd/objects.h"

#include <stdlib.h>
#include <string.h>

#define DESCRIPTORS_MAX (1u << 20) // per set

enum { TYPE_INLINE = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT + 1, TYPE_OTHER, TYPE_COUNT };

struct icd_pool {
    pthread_mutex_t lock; // guards the contents of its sets
    struct icd_set *sets;
    uint32_t sets_left;
    uint64_t left[TYPE_COUNT]; // descriptors; inline uniform blocks: bytes
    uint64_t blocks_left;      // bindings of inline uniform blocks
};

bool icd_is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

bool icd_is_inline(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
}

// Layouts

static int by_number(const void *a, const void *b)
{
    const struct icd_binding *left = a, *right = b;
    return (left->binding > right->binding) - (left->binding < right->binding);
}

// Sorts the bindings and numbers their descriptors. False if there are too many.
static bool arrange(struct icd_set_layout *layout)
{
    uint64_t descriptors = 0, bytes = 0;
    qsort(layout->binding, layout->binding_count, sizeof layout->binding[0], by_number);
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        struct icd_binding *binding = &layout->binding[i];
        binding->first = (uint32_t)descriptors;
        descriptors += icd_is_inline(binding->type) ? 1 : binding->count;
        if (icd_is_inline(binding->type))
            bytes += binding->count;
        if (descriptors > DESCRIPTORS_MAX || bytes > DESCRIPTORS_MAX)
            return false;
    }
    layout->descriptor_count = (uint32_t)descriptors;
    layout->inline_bytes = (uint32_t)bytes;
    return true;
}

VkResult icd_CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
                                       const VkAllocationCallbacks *allocator,
                                       VkDescriptorSetLayout *result)
{
    (void)device;
    (void)allocator;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    struct icd_set_layout *layout =
        calloc(1, sizeof *layout + info->bindingCount * sizeof layout->binding[0]);
    if (!layout)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    atomic_init(&layout->references, 1);
    layout->push = info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    layout->binding_count = info->bindingCount;
    uint32_t last = 0;
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
        layout->binding[i] = (struct icd_binding){
            .type = binding->descriptorType,
            .binding = binding->binding,
            .count = binding->descriptorCount,
        };
        if (binding->binding >= last && flags && i < flags->bindingCount)
            layout->variable = flags->pBindingFlags[i];
        last = binding->binding > last ? binding->binding : last;
    }
    if (!arrange(layout)) {
        free(layout);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *result = ICD_HANDLE(VkDescriptorSetLayout, layout);
    return VK_SUCCESS;
}

void icd_set_layout_release(struct icd_set_layout *layout)
{
    if (layout && atomic_fetch_sub(&layout->references, 1) == 1)
        free(layout);
}

void icd_DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout layout,
                                    const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)layout);
    icd_set_layout_release(ICD_OBJECT(icd_set_layout, layout));
}

static bool has_variable_count(const struct icd_set_layout *layout)
{
    return layout->binding_count &&
           (layout->variable & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT);
}

void icd_GetDescriptorSetLayoutSupport(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
                                       VkDescriptorSetLayoutSupport *support)
{
    VkDescriptorSetVariableDescriptorCountLayoutSupport *variable =
        (VkDescriptorSetVariableDescriptorCountLayoutSupport *)(uintptr_t)icd_find(
            support->pNext,
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT);
    VkDescriptorSetLayout handle = VK_NULL_HANDLE;
    support->supported = icd_CreateDescriptorSetLayout(device, info, NULL, &handle) == VK_SUCCESS;
    const struct icd_set_layout *layout = ICD_OBJECT(icd_set_layout, handle);
    if (variable) {
        variable->maxVariableDescriptorCount = 0;
        if (layout && has_variable_count(layout)) {
            const struct icd_binding *last = &layout->binding[layout->binding_count - 1];
            variable->maxVariableDescriptorCount =
                icd_is_inline(last->type) ? ICD_INLINE_BLOCK_MAX : DESCRIPTORS_MAX - last->first;
        }
    }
    icd_DestroyDescriptorSetLayout(device, handle, NULL);
}

uint32_t icd_dynamic_before(const struct icd_set_layout *layout, uint32_t index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < index && i < layout->binding_count; i++)
        if (icd_is_dynamic(layout->binding[i].type))
            count += layout->binding[i].count;
    return count;
}

// Sets

void icd_set_lock(struct icd_set *set)
{
    if (set->pool)
        pthread_mutex_lock(&set->pool->lock);
}

void icd_set_unlock(struct icd_set *set)
{
    if (set->pool)
        pthread_mutex_unlock(&set->pool->lock);
}

uint32_t icd_set_count(const struct icd_set *set, uint32_t index)
{
    return index + 1 == set->layout->binding_count ? set->variable
                                                   : set->layout->binding[index].count;
}

// The part of the layout's last binding that a set with `variable` descriptors lacks.
static uint32_t missing(const struct icd_set_layout *layout, uint32_t variable, bool bytes)
{
    if (!layout->binding_count)
        return 0;
    const struct icd_binding *last = &layout->binding[layout->binding_count - 1];
    return icd_is_inline(last->type) == bytes ? last->count - variable : 0;
}

static size_t size_of_set(const struct icd_set_layout *layout, uint32_t variable)
{
    return sizeof(struct icd_set) +
           (layout->descriptor_count - missing(layout, variable, false)) *
               sizeof(struct icd_descriptor) +
           (layout->inline_bytes - missing(layout, variable, true));
}

static void init_set(struct icd_set *set, struct icd_set_layout *layout, uint32_t variable)
{
    const uint32_t count = layout->descriptor_count - missing(layout, variable, false);
    set->layout = layout;
    set->variable = variable;
    set->inline_bytes = (unsigned char *)&set->descriptor[count];
    unsigned char *bytes = set->inline_bytes;
    for (uint32_t i = 0; i < layout->binding_count; i++)
        if (icd_is_inline(layout->binding[i].type)) {
            struct icd_descriptor *block = &set->descriptor[layout->binding[i].first];
            block->inline_bytes = bytes;
            block->range = icd_set_count(set, i);
            bytes += block->range;
        }
}

static uint32_t whole_count(const struct icd_set_layout *layout)
{
    return layout->binding_count ? layout->binding[layout->binding_count - 1].count : 0;
}

size_t icd_set_size(const struct icd_set_layout *layout)
{
    return size_of_set(layout, whole_count(layout));
}

void icd_set_init(struct icd_set *set, struct icd_set_layout *layout)
{
    init_set(set, layout, whole_count(layout));
}

void icd_set_copy(struct icd_set *to, const struct icd_set *from)
{
    for (uint32_t i = 0; i < to->layout->descriptor_count; i++)
        if (!to->descriptor[i].inline_bytes)
            to->descriptor[i] = from->descriptor[i];
    memcpy(to->inline_bytes, from->inline_bytes, to->layout->inline_bytes);
}

// Pools only count; malloc places the descriptors, so there is no fragmentation.

static unsigned type_index(VkDescriptorType type)
{
    if (icd_is_inline(type))
        return TYPE_INLINE;
    return (unsigned)type < TYPE_INLINE ? (unsigned)type : TYPE_OTHER;
}

VkResult icd_CreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo *info,
                                  const VkAllocationCallbacks *allocator, VkDescriptorPool *result)
{
    (void)device;
    (void)allocator;
    const VkDescriptorPoolInlineUniformBlockCreateInfo *blocks =
        icd_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO);
    struct icd_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&pool->lock, NULL);
    pool->sets_left = info->maxSets;
    pool->blocks_left = blocks ? blocks->maxInlineUniformBlockBindings : 0;
    for (uint32_t i = 0; i < info->poolSizeCount; i++)
        pool->left[type_index(info->pPoolSizes[i].type)] += info->pPoolSizes[i].descriptorCount;
    *result = ICD_HANDLE(VkDescriptorPool, pool);
    return VK_SUCCESS;
}

// Takes a set's resources from the pool (sign < 0) if it has them, or returns them (sign > 0).
static bool account(struct icd_pool *pool, const struct icd_set_layout *layout, uint32_t variable,
                    int sign)
{
    uint64_t needs[TYPE_COUNT] = {0}, blocks = 0;
    for (uint32_t i = 0; i < layout->binding_count; i++) {
        const struct icd_binding *binding = &layout->binding[i];
        needs[type_index(binding->type)] +=
            i + 1 == layout->binding_count ? variable : binding->count;
        blocks += icd_is_inline(binding->type);
    }
    if (sign < 0) {
        bool enough = pool->sets_left && pool->blocks_left >= blocks;
        for (unsigned i = 0; i < TYPE_COUNT; i++)
            enough = enough && pool->left[i] >= needs[i];
        if (!enough)
            return false;
    }
    pool->sets_left += sign < 0 ? -1u : 1u;
    pool->blocks_left += sign < 0 ? -blocks : blocks;
    for (unsigned i = 0; i < TYPE_COUNT; i++)
        pool->left[i] += sign < 0 ? -needs[i] : needs[i];
    return true;
}

static void free_set(VkDevice device, struct icd_set *set)
{
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)set);
    account(set->pool, set->layout, set->variable, 1);
    *set->link = set->next;
    if (set->next)
        set->next->link = set->link;
    icd_set_layout_release(set->layout);
    free(set);
}

static VkResult allocate_set(struct icd_pool *pool, struct icd_set_layout *layout,
                             uint32_t variable, struct icd_set **result)
{
    const uint32_t count = whole_count(layout);
    if (!has_variable_count(layout) || variable > count)
        variable = count;
    if (!account(pool, layout, variable, -1))
        return VK_ERROR_OUT_OF_POOL_MEMORY;
    struct icd_set *set = calloc(1, size_of_set(layout, variable));
    if (!set) {
        account(pool, layout, variable, 1);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    init_set(set, layout, variable);
    atomic_fetch_add(&layout->references, 1);
    set->pool = pool;
    set->next = pool->sets;
    set->link = &pool->sets;
    if (set->next)
        set->next->link = &set->next;
    pool->sets = set;
    *result = set;
    return VK_SUCCESS;
}

VkResult icd_AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info,
                                    VkDescriptorSet *sets)
{
    const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable = icd_find(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    VkResult result = VK_SUCCESS;
    memset(sets, 0, info->descriptorSetCount * sizeof sets[0]);
    for (uint32_t i = 0; i < info->descriptorSetCount && result == VK_SUCCESS; i++) {
        struct icd_set *set = NULL;
        result = allocate_set(
            ICD_OBJECT(icd_pool, info->descriptorPool),
            ICD_OBJECT(icd_set_layout, info->pSetLayouts[i]),
            variable && i < variable->descriptorSetCount ? variable->pDescriptorCounts[i] : 0,
            &set);
        sets[i] = ICD_HANDLE(VkDescriptorSet, set);
    }
    if (result != VK_SUCCESS) {
        icd_FreeDescriptorSets(device, info->descriptorPool, info->descriptorSetCount, sets);
        memset(sets, 0, info->descriptorSetCount * sizeof sets[0]);
    }
    return result;
}

VkResult icd_FreeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t count,
                                const VkDescriptorSet *sets)
{
    (void)pool;
    for (uint32_t i = 0; i < count; i++)
        if (sets[i])
            free_set(device, ICD_OBJECT(icd_set, sets[i]));
    return VK_SUCCESS;
}

VkResult icd_ResetDescriptorPool(VkDevice device, VkDescriptorPool handle,
                                 VkDescriptorPoolResetFlags flags)
{
    (void)flags;
    struct icd_pool *pool = ICD_OBJECT(icd_pool, handle);
    while (pool->sets)
        free_set(device, pool->sets);
    return VK_SUCCESS;
}

void icd_DestroyDescriptorPool(VkDevice device, VkDescriptorPool handle,
                               const VkAllocationCallbacks *allocator)
{
    (void)allocator;
    icd_private_forget(ICD_OBJECT(icd_device, device), (uintptr_t)handle);
    struct icd_pool *pool = ICD_OBJECT(icd_pool, handle);
    if (!pool)
        return;
    icd_ResetDescriptorPool(device, handle, 0);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
