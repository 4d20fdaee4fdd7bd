// SPDX-License-Identifier: Apache-2.0
// Buffers and their memory, uploads, descriptor sets and their layouts.
#include "device/vulkan.h"

#include "base/clock.h"

#include <math.h>

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

// --- Buffers kept for reuse, with sizes of powers of two, so that they fit many requests. Not used
// on the reference driver: see dev_checking_clear.

#define KEPT_LEAST (UINT64_C(1) << 16) // bytes
#define KEPT_MOST  (UINT64_C(1) << 26) // larger ones are not kept
#define KEPT_SUM   (UINT64_C(1) << 28) // in all

// 0: do not keep.
static uint64_t size_to_keep(const struct dev *dev, uint64_t bytes)
{
    uint64_t size = KEPT_LEAST;
    while (size < bytes && size < KEPT_MOST)
        size *= 2;
    return bytes <= size && !dev->begin_run ? size : 0;
}

static void free_buffer(struct dev *dev, struct dev_buffer *buffer)
{
    vkDestroyBuffer(dev->device, buffer->handle, NULL);
    vkFreeMemory(dev->device, buffer->memory, NULL);
    memset(buffer, 0, sizeof *buffer);
}

void dev_buffers_free(struct dev *dev)
{
    while (dev->kept_count > 0)
        free_buffer(dev, &dev->kept[--dev->kept_count]);
}

void dev_buffer_destroy(struct dev *dev, struct dev_buffer *buffer)
{
    uint64_t sum = buffer->size;
    if (buffer->size == 0) {
        free_buffer(dev, buffer);
        return;
    }
    for (size_t i = 0; i < dev->kept_count; i++)
        sum += dev->kept[i].size;
    for (; dev->kept_count > 0 && (dev->kept_count == DEV_KEPT || sum > KEPT_SUM);) {
        struct dev_buffer *last = &dev->kept[--dev->kept_count];
        sum -= last->size;
        free_buffer(dev, last);
    }
    buffer->mapped -= buffer->mapped ? buffer->offset / 4 : 0;
    buffer->address -= buffer->address ? buffer->offset : 0;
    memmove(dev->kept + 1, dev->kept, dev->kept_count++ * sizeof *dev->kept);
    dev->kept[0] = *buffer;
    memset(buffer, 0, sizeof *buffer);
}

// Takes a kept buffer of this size and place into *buffer, with offset 0; false if there is none.
static bool take_kept(struct dev *dev, enum dev_place place, uint64_t size,
                      struct dev_buffer *buffer)
{
    size_t i = 0;
    while (i < dev->kept_count && (dev->kept[i].place != place || dev->kept[i].size != size))
        i++;
    if (i == dev->kept_count)
        return false;
    *buffer = dev->kept[i];
    memmove(dev->kept + i, dev->kept + i + 1, (--dev->kept_count - i) * sizeof *dev->kept);
    return true;
}

// --- Creation

static enum dev_status allocate(struct dev *dev, const struct dev_buffer *buffer, uint64_t size,
                                bool addressed, VkDeviceMemory *memory, struct lit_error *error)
{
    VkMemoryRequirements needs = {0};
    vkGetBufferMemoryRequirements(dev->device, buffer->handle, &needs);
    uint32_t type = 0;
    if (needs.size < size)
        TRY(dev_refuse(error, "the driver asks for %llu bytes of memory for a buffer of %llu",
                       (unsigned long long)needs.size, (unsigned long long)size));
    if (!pick_memory(dev, buffer->place, needs.memoryTypeBits, &type))
        TRY(dev_refuse(error, "no memory type of the device suits a storage buffer"));
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = addressed ? &flags : NULL,
        .allocationSize = needs.size,
        .memoryTypeIndex = type,
    };
    if (dev->kept_count > 0 && vkAllocateMemory(dev->device, &info, NULL, memory) == VK_SUCCESS)
        return DEV_OK;
    // Retry without the unused buffers.
    dev_buffers_free(dev);
    VK(vkAllocateMemory(dev->device, &info, NULL, memory));
    return DEV_OK;
}

static enum dev_status make(struct dev *dev, enum dev_place place, uint64_t size,
                            struct dev_buffer *buffer, struct lit_error *error)
{
    const bool addressed = dev->address && place == DEV_ON_DEVICE;
    buffer->place = place;
    VK(vkCreateBuffer(
        dev->device,
        &(VkBufferCreateInfo){
            .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
            .size = size,
            .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u),
        },
        NULL, &buffer->handle));
    TRY(allocate(dev, buffer, size, addressed, &buffer->memory, error));
    VK(vkBindBufferMemory(dev->device, buffer->handle, buffer->memory, 0));
    if (place == DEV_FOR_HOST) {
        void *mapped = NULL;
        VK(vkMapMemory(dev->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
        if (!mapped)
            TRY(dev_refuse(error, "vkMapMemory returned no address"));
        buffer->mapped = mapped;
    }
    if (addressed)
        buffer->address =
            dev->address(dev->device, &(VkBufferDeviceAddressInfo){
                                          .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                          .buffer = buffer->handle,
                                      });
    return DEV_OK;
}

enum dev_status dev_buffer_create_at(struct dev *dev, enum dev_place place, uint64_t words,
                                     uint64_t offset, struct dev_buffer *buffer,
                                     struct lit_error *error)
{
    memset(buffer, 0, sizeof *buffer);
    words = words ? words : 1;
    const uint64_t bytes = offset + words * 4, size = size_to_keep(dev, bytes);
    if (!size || !take_kept(dev, place, size, buffer))
        TRY(make(dev, place, size ? size : bytes, buffer, error));
    buffer->size = size;
    buffer->words = words;
    buffer->offset = offset;
    buffer->mapped += buffer->mapped ? offset / 4 : 0;
    buffer->address += buffer->address ? offset : 0;
    return DEV_OK;
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

static VkDescriptorType type_of(const struct cat_binding *binding)
{
    return binding->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static enum dev_status make_pool(struct dev *dev, uint32_t sets, const struct cat_binding *bindings,
                                 size_t count, VkDescriptorPool *pool, struct lit_error *error)
{
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0}};
    for (size_t i = 0; i < count; i++)
        sizes[bindings[i].uniform].descriptorCount++;
    const bool uniform = sizes[1].descriptorCount, storage = sizes[0].descriptorCount;
    VK(vkCreateDescriptorPool(dev->device,
                              &(VkDescriptorPoolCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                  .maxSets = sets,
                                  .poolSizeCount = (uint32_t)storage + uniform,
                                  .pPoolSizes = storage ? sizes : sizes + 1,
                              },
                              NULL, pool));
    return DEV_OK;
}

enum dev_status dev_describe(struct dev *dev, const struct dev_layout *layout,
                             const struct cat_binding *bindings, size_t count,
                             const struct dev_buffer *const *buffers, struct dev_sets *sets,
                             struct lit_error *error)
{
    VkDescriptorBufferInfo infos[CAT_MOST_BINDINGS];
    VkWriteDescriptorSet writes[CAT_MOST_BINDINGS];
    if (!count)
        return DEV_OK;
    TRY(make_pool(dev, layout->set_count, bindings, count, &sets->pool, error));
    VK(vkAllocateDescriptorSets(dev->device,
                                &(VkDescriptorSetAllocateInfo){
                                    .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                    .descriptorPool = sets->pool,
                                    .descriptorSetCount = layout->set_count,
                                    .pSetLayouts = layout->sets,
                                },
                                sets->sets));
    sets->count = layout->set_count;
    for (size_t i = 0; i < count; i++) {
        infos[i] = (VkDescriptorBufferInfo){
            .buffer = buffers[i]->handle,
            .offset = buffers[i]->offset,
            .range = buffers[i]->words * 4,
        };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = sets->sets[bindings[i].set],
            .dstBinding = bindings[i].binding,
            .dstArrayElement = cat_index(bindings[i].element),
            .descriptorCount = 1,
            .descriptorType = type_of(&bindings[i]),
            .pBufferInfo = &infos[i],
        };
    }
    vkUpdateDescriptorSets(dev->device, (uint32_t)count, writes, 0, NULL);
    return DEV_OK;
}

// --- Layouts

const struct cat_binding dev_plain[DEV_CHECKER_BINDINGS] = {
    {.binding = 0}, {.binding = 1}, {.binding = 2}, {.binding = 3}, {.binding = 4}, {.binding = 5},
};

static enum dev_status make_set(struct dev *dev, const struct cat_binding *bindings, size_t count,
                                uint32_t set, VkDescriptorSetLayout *made, struct lit_error *error)
{
    VkDescriptorSetLayoutBinding list[CAT_MOST_BINDINGS];
    uint32_t used = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < used && list[at].binding != bindings[i].binding)
            at++;
        if (bindings[i].set != set)
            continue;
        if (at < used)
            list[at].descriptorCount++;
        else
            list[used++] = (VkDescriptorSetLayoutBinding){
                .binding = bindings[i].binding,
                .descriptorType = type_of(&bindings[i]),
                .descriptorCount = 1,
                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            };
    }
    VK(vkCreateDescriptorSetLayout(dev->device,
                                   &(VkDescriptorSetLayoutCreateInfo){
                                       .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                       .bindingCount = used,
                                       .pBindings = list,
                                   },
                                   NULL, made));
    return DEV_OK;
}

enum dev_status dev_layout_create(struct dev *dev, const struct cat_binding *bindings, size_t count,
                                  uint32_t push_bytes, struct dev_layout *layout,
                                  struct lit_error *error)
{
    uint32_t sets = 1;
    for (size_t i = 0; i < count; i++)
        sets = bindings[i].set >= sets ? bindings[i].set + 1 : sets;
    if (sets > CAT_MOST_SETS || count > CAT_MOST_BINDINGS)
        return dev_refuse(error, "%zu bindings in %u sets", count, sets);
    for (; layout->set_count < sets; layout->set_count++)
        TRY(make_set(dev, bindings, count, layout->set_count, &layout->sets[layout->set_count],
                     error));
    VK(vkCreatePipelineLayout(dev->device,
                              &(VkPipelineLayoutCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                  .setLayoutCount = sets,
                                  .pSetLayouts = layout->sets,
                                  .pushConstantRangeCount = push_bytes ? 1 : 0,
                                  .pPushConstantRanges =
                                      &(VkPushConstantRange){
                                          .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
                                          .size = push_bytes,
                                      },
                              },
                              NULL, &layout->pipeline));
    return DEV_OK;
}

void dev_layout_destroy(struct dev *dev, struct dev_layout *layout)
{
    vkDestroyPipelineLayout(dev->device, layout->pipeline, NULL);
    for (uint32_t i = 0; i < CAT_MOST_SETS; i++)
        vkDestroyDescriptorSetLayout(dev->device, layout->sets[i], NULL);
}

static bool pipeline_fits(const struct dev *dev, const struct cat_interface *interface,
                          struct lit_error *error)
{
    VkPhysicalDeviceProperties properties = {0};
    const VkPhysicalDeviceLimits *limits = &properties.limits;
    uint64_t sets = 1, storage = 0, uniform = 0, largest = 0;
    uint32_t groups[3] = {0, interface->rows, interface->layers};
    for (size_t i = 0; i < interface->step_count * 3; i++)
        if (interface->steps[i / 3].groups[i % 3] > groups[i % 3])
            groups[i % 3] = interface->steps[i / 3].groups[i % 3];
    vkGetPhysicalDeviceProperties(dev->physical, &properties);
    for (size_t i = 0; i < interface->binding_count; i++) {
        const struct cat_binding *binding = &interface->bindings[i];
        sets = binding->set >= sets ? binding->set + 1 : sets;
        ++*(binding->uniform ? &uniform : &storage);
        if (binding->uniform && binding->words * 4 > largest)
            largest = binding->words * 4;
    }
    const struct {
        const char *what, *limit;
        uint64_t needed, most;
    } needs[] = {
        {"descriptor sets", "maxBoundDescriptorSets", sets, limits->maxBoundDescriptorSets},
        {"storage buffers", "maxPerStageDescriptorStorageBuffers", storage,
         limits->maxPerStageDescriptorStorageBuffers},
        {"uniform buffers", "maxPerStageDescriptorUniformBuffers", uniform,
         limits->maxPerStageDescriptorUniformBuffers},
        {"bytes of a uniform buffer", "maxUniformBufferRange", largest,
         limits->maxUniformBufferRange},
        {"bytes of push constants", "maxPushConstantsSize", interface->push_size,
         limits->maxPushConstantsSize},
        {"workgroups in x", "maxComputeWorkGroupCount", groups[0],
         limits->maxComputeWorkGroupCount[0]},
        {"workgroups in y", "maxComputeWorkGroupCount", groups[1],
         limits->maxComputeWorkGroupCount[1]},
        {"workgroups in z", "maxComputeWorkGroupCount", groups[2],
         limits->maxComputeWorkGroupCount[2]},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].needed > needs[i].most)
            return lit_fail(error, LIT_EXIT_NOTHING, "%llu %s > %s %llu",
                            (unsigned long long)needs[i].needed, needs[i].what, needs[i].limit,
                            (unsigned long long)needs[i].most);
    return true;
}

// Limits for further pipelines; catalogue/prepare.c checks a test's own.
static bool part_fits(const struct dev *dev, const struct cat_part *part, struct lit_error *error)
{
    const struct dev_facts *facts = &dev->facts;
    const uint32_t size = part->subgroup ? part->subgroup : facts->subgroup;
    if (part->workgroup > facts->max_workgroup)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u > maxComputeWorkGroupInvocations %u", part->workgroup,
                        facts->max_workgroup);
    if (size != facts->subgroup &&
        (!facts->subgroup_control || size < facts->subgroup_min || size > facts->subgroup_max))
        return lit_fail(error, LIT_EXIT_NOTHING, "subgroups of %u: the device runs %u to %u", size,
                        facts->subgroup_min, facts->subgroup_max);
    if (part->interface.full && part->interface.width % size && part->workgroup % size == 0)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "workgroup of %u in x is not a multiple of the subgroup size %u",
                        part->interface.width, size);
    return !part->interface.full || part->workgroup % size == 0 ||
           lit_fail(error, LIT_EXIT_NOTHING,
                    "workgroup of %u is not a multiple of the subgroup size %u", part->workgroup,
                    size);
}

bool dev_interface_fits(const struct dev *dev, const struct cat_interface *interface,
                        struct lit_error *error)
{
    bool fits = pipeline_fits(dev, interface, error);
    for (size_t i = 0; i < interface->part_count && fits; i++)
        fits = part_fits(dev, &interface->parts[i], error) &&
               pipeline_fits(dev, &interface->parts[i].interface, error);
    return fits;
}

// --- The command buffers. Waits for a submission have a time limit; meanwhile the other buffer can
// be recorded, and submitted behind it.

enum dev_status dev_begin(struct dev *dev, struct lit_error *error)
{
    VK(vkResetCommandPool(dev->device, dev->pool, 0));
    VK(vkBeginCommandBuffer(dev->commands, &(VkCommandBufferBeginInfo){
                                               .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                               .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                           }));
    return DEV_OK;
}

void dev_begin_run(struct dev *dev, uint64_t run)
{
    if (dev->begin_run)
        dev->begin_run(dev->commands, run);
}

void dev_barrier(struct dev *dev)
{
    const VkPipelineStageFlags work =
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(
        dev->commands, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
        &(VkMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                             VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                             VK_ACCESS_HOST_READ_BIT,
        },
        0, NULL, 0, NULL);
}

void dev_copy(struct dev *dev, const struct dev_buffer *from, uint64_t first,
              const struct dev_buffer *to, uint64_t at, uint64_t words)
{
    if (words)
        vkCmdCopyBuffer(dev->commands, from->handle, to->handle, 1,
                        &(VkBufferCopy){.srcOffset = from->offset + first * 4,
                                        .dstOffset = to->offset + at * 4,
                                        .size = words * 4});
}

void dev_fill(struct dev *dev, const struct dev_buffer *buffer, uint64_t first, uint64_t words,
              uint32_t value)
{
    if (words)
        vkCmdFillBuffer(dev->commands, buffer->handle, buffer->offset + first * 4, words * 4,
                        value);
}

void dev_bind(struct dev *dev, VkPipeline pipeline, VkPipelineLayout layout,
              const struct dev_sets *sets, const void *push, uint32_t bytes)
{
    vkCmdBindPipeline(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    if (sets->count)
        vkCmdBindDescriptorSets(dev->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0,
                                sets->count, sets->sets, 0, NULL);
    if (bytes)
        vkCmdPushConstants(dev->commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push);
}

void dev_change(struct dev *dev)
{
    const VkCommandPool pool = dev->pool;
    const VkCommandBuffer commands = dev->commands;
    const VkFence fence = dev->fence;
    dev->pool = dev->other_pool;
    dev->commands = dev->other_commands;
    dev->fence = dev->other_fence;
    dev->other_pool = pool;
    dev->other_commands = commands;
    dev->other_fence = fence;
}

enum dev_status dev_end(struct dev *dev, struct lit_error *error)
{
    VK(vkEndCommandBuffer(dev->commands));
    return DEV_OK;
}

enum dev_status dev_start(struct dev *dev, struct lit_error *error)
{
    VK(vkResetFences(dev->device, 1, &dev->fence));
    VK(vkQueueSubmit(dev->queue, 1,
                     &(VkSubmitInfo){
                         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &dev->commands,
                     },
                     dev->fence));
    return DEV_OK;
}

enum dev_status dev_finish(struct dev *dev, uint32_t timeout_ms, struct lit_error *error)
{
    // In short waits, so that time during which the process is stopped does not count.
    VkResult waited = VK_TIMEOUT;
    const double limit = clock_awake() + timeout_ms / 1000.0;
    for (double left; waited == VK_TIMEOUT && (left = limit - clock_awake()) > 0;)
        waited = vkWaitForFences(dev->device, 1, &dev->fence, VK_TRUE,
                                 (uint64_t)((left < CLOCK_LOOK ? left : CLOCK_LOOK) * 1e9));
    if (waited == VK_TIMEOUT) {
        dev->stuck = true;
        lit_fail(error, LIT_EXIT_TIME, "the device did not finish within %u ms", timeout_ms);
        return DEV_TIMEOUT;
    }
    if (waited == VK_SUCCESS && dev_emulated_not(error))
        return DEV_ERROR;
    return dev_check(waited, "vkWaitForFences", error);
}

enum dev_status dev_submit(struct dev *dev, uint32_t timeout_ms, struct lit_error *error)
{
    TRY(dev_end(dev, error));
    TRY(dev_start(dev, error));
    return dev_finish(dev, timeout_ms, error);
}

// --- Timestamps within a submission

#define LEAST_BITS 36 // timestamp bits required by Vulkan: a minute at a nanosecond per tick

enum dev_status dev_clock_create(struct dev *dev, uint32_t count, struct dev_clock *clock,
                                 struct lit_error *error)
{
    VkPhysicalDeviceProperties properties = {0};
    vkGetPhysicalDeviceProperties(dev->physical, &properties);
    const double period = (double)properties.limits.timestampPeriod;
    const uint32_t bits = dev->timestamp_bits;
    memset(clock, 0, sizeof *clock);
    if (bits < LEAST_BITS || !isfinite(period) || period <= 0)
        return DEV_OK;
    VK(vkCreateQueryPool(dev->device,
                         &(VkQueryPoolCreateInfo){
                             .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                             .queryType = VK_QUERY_TYPE_TIMESTAMP,
                             .queryCount = count,
                         },
                         NULL, &clock->queries));
    clock->count = count;
    clock->tick = period;
    clock->mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    return DEV_OK;
}

void dev_clock_destroy(struct dev *dev, struct dev_clock *clock)
{
    vkDestroyQueryPool(dev->device, clock->queries, NULL);
    memset(clock, 0, sizeof *clock);
}

void dev_clock_begin(struct dev *dev, struct dev_clock *clock)
{
    clock->used = 0;
    if (clock->queries)
        vkCmdResetQueryPool(dev->commands, clock->queries, 0, clock->count);
}

uint32_t dev_clock_mark(struct dev *dev, struct dev_clock *clock)
{
    if (clock->used < clock->count)
        vkCmdWriteTimestamp(dev->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clock->queries,
                            clock->used);
    return clock->used++;
}

enum dev_status dev_clock_read(struct dev *dev, const struct dev_clock *clock, double *ns,
                               struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    if (!clock->queries || !clock->used || clock->used > clock->count)
        return DEV_OK;
    OWNED(lit_free) uint64_t *at = lit_alloc(clock->used, sizeof *at);
    TRY_END(dev_check(vkGetQueryPoolResults(dev->device, clock->queries, 0, clock->used,
                                            clock->used * sizeof *at, at, sizeof *at,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                      "vkGetQueryPoolResults", error));
    for (uint32_t i = 0; i < clock->used; i++)
        ns[i] = (double)((at[i] - at[0]) & clock->mask) * clock->tick;
error:
    return status;
}
