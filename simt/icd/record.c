// SPDX-License-Identifier: Apache-2.0
// Recording: each command becomes a struct command with everything it needs, except what Vulkan
// defines to be read at execution.

#include "icd/objects.h"

#include <string.h>

// Appends a command; NULL if out of memory. Record what it points to first.
static struct command *record(struct icd_command_buffer *buffer, enum command_kind kind)
{
    struct command *command = icd_record_bytes(buffer, sizeof *command);
    if (!command)
        return NULL;
    command->kind = kind;
    *buffer->last = command;
    buffer->last = &command->next;
    return command;
}

static void *record_copy(struct icd_command_buffer *buffer, const void *from, size_t size)
{
    void *bytes = icd_record_bytes(buffer, size);
    return bytes ? memcpy(bytes, from, size) : NULL;
}

static uint32_t region_of(VkBuffer handle)
{
    const struct icd_buffer *buffer = ICD_OBJECT(icd_buffer, handle);
    return buffer ? buffer->region : 0;
}

// State

void icd_CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint point, VkPipeline pipeline)
{
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        ICD_OBJECT(icd_command_buffer, handle)->pipeline = ICD_OBJECT(icd_pipeline, pipeline);
}

void icd_CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                               VkPipelineLayout layout, uint32_t first, uint32_t count,
                               const VkDescriptorSet *sets, uint32_t dynamic_count,
                               const uint32_t *dynamic)
{
    (void)layout;
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
        return;
    uint32_t used = 0;
    const uint32_t *offsets = NULL;
    if (dynamic_count) {
        offsets = record_copy(buffer, dynamic, dynamic_count * sizeof dynamic[0]);
        if (!offsets)
            return;
    }
    for (uint32_t i = 0; i < count && first < ICD_SETS_MAX && i < ICD_SETS_MAX - first; i++) {
        struct icd_set *set = ICD_OBJECT(icd_set, sets[i]);
        uint32_t takes = set ? icd_dynamic_before(set->layout, set->layout->binding_count) : 0;
        if (takes > dynamic_count - used)
            takes = dynamic_count - used;
        buffer->set[first + i] = (struct bound_set){
            .set = set,
            .dynamic = takes ? offsets + used : NULL,
            .dynamic_count = takes,
        };
        used += takes;
    }
    buffer->recorded_sets = NULL;
}

void icd_CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                          VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                          const void *values)
{
    (void)layout;
    (void)stages;
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    if (offset > ICD_PUSH_MAX || size > ICD_PUSH_MAX - offset)
        return;
    memcpy(buffer->push + offset, values, size);
    buffer->recorded_push = NULL;
}

// Push descriptors

static bool same_bindings(const struct icd_set_layout *a, const struct icd_set_layout *b)
{
    if (a->binding_count != b->binding_count)
        return false;
    for (uint32_t i = 0; i < a->binding_count; i++)
        if (a->binding[i].binding != b->binding[i].binding ||
            a->binding[i].type != b->binding[i].type || a->binding[i].count != b->binding[i].count)
            return false;
    return true;
}

// Binds a set owned by the command buffer as number `set`, for the caller to write to, starting
// from what was pushed before. NULL if out of memory, or if the layout has no such set.
static struct icd_set *begin_push(struct icd_command_buffer *buffer, VkPipelineLayout handle,
                                  uint32_t number)
{
    const struct icd_pipeline_layout *pipeline = ICD_OBJECT(icd_pipeline_layout, handle);
    struct icd_set_layout *layout =
        pipeline && number < pipeline->set_count && number < ICD_SETS_MAX ? pipeline->set[number]
                                                                          : NULL;
    if (!layout)
        return NULL;
    struct icd_set *set = icd_record_bytes(buffer, icd_set_size(layout));
    struct kept_layout *kept = icd_record_bytes(buffer, sizeof *kept);
    if (!set || !kept)
        return NULL;
    atomic_fetch_add(&layout->references, 1);
    *kept = (struct kept_layout){.next = buffer->layouts, .layout = layout};
    buffer->layouts = kept;
    icd_set_init(set, layout);
    const struct icd_set *before = buffer->set[number].set;
    if (before && !before->pool && same_bindings(before->layout, layout))
        icd_set_copy(set, before);
    buffer->set[number] = (struct bound_set){.set = set};
    buffer->recorded_sets = NULL;
    return set;
}

void icd_CmdPushDescriptorSetKHR(VkCommandBuffer handle, VkPipelineBindPoint point,
                                 VkPipelineLayout layout, uint32_t number, uint32_t count,
                                 const VkWriteDescriptorSet *writes)
{
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE)
        return;
    struct icd_set *set = begin_push(ICD_OBJECT(icd_command_buffer, handle), layout, number);
    for (uint32_t i = 0; set && i < count; i++)
        icd_set_write(set, &writes[i]);
}

void icd_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer handle,
                                             VkDescriptorUpdateTemplate template,
                                             VkPipelineLayout layout, uint32_t number,
                                             const void *data)
{
    struct icd_set *set = begin_push(ICD_OBJECT(icd_command_buffer, handle), layout, number);
    if (set)
        icd_set_write_template(set, template, data);
}

// Dispatches

void icd_CmdBeginRunLITMUS(VkCommandBuffer handle, uint64_t run)
{
    struct command *command = record(ICD_OBJECT(icd_command_buffer, handle), COMMAND_BEGIN_RUN);
    if (command)
        command->run = run;
}

static struct command *record_dispatch(struct icd_command_buffer *buffer)
{
    if (!buffer->pipeline) {
        icd_report(buffer->device, ICD_ERROR, "vkCmdDispatch: no pipeline is bound");
        return NULL;
    }
    if (!buffer->recorded_sets)
        buffer->recorded_sets = record_copy(buffer, buffer->set, sizeof buffer->set);
    if (!buffer->recorded_push)
        buffer->recorded_push = record_copy(buffer, buffer->push, sizeof buffer->push);
    struct command *command = record(buffer, COMMAND_DISPATCH);
    if (!command)
        return NULL;
    command->dispatch.pipeline = buffer->pipeline;
    command->dispatch.sets = buffer->recorded_sets;
    command->dispatch.push = buffer->recorded_push;
    return command;
}

void icd_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y, uint32_t base_z,
                         uint32_t x, uint32_t y, uint32_t z)
{
    struct command *command = record_dispatch(ICD_OBJECT(icd_command_buffer, handle));
    if (!command)
        return;
    memcpy(command->dispatch.base, (uint32_t[]){base_x, base_y, base_z}, 3 * sizeof(uint32_t));
    memcpy(command->dispatch.groups, (uint32_t[]){x, y, z}, 3 * sizeof(uint32_t));
}

void icd_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    icd_CmdDispatchBase(handle, 0, 0, 0, x, y, z);
}

void icd_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer from, VkDeviceSize offset)
{
    struct command *command = record_dispatch(ICD_OBJECT(icd_command_buffer, handle));
    if (!command)
        return;
    command->dispatch.is_indirect = true;
    command->dispatch.indirect = region_of(from);
    command->dispatch.indirect_offset = offset;
}

// Transfers

void icd_CmdCopyBuffer(VkCommandBuffer handle, VkBuffer from, VkBuffer to, uint32_t count,
                       const VkBufferCopy *pieces)
{
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    const VkBufferCopy *copied = record_copy(buffer, pieces, count * sizeof pieces[0]);
    struct command *command = record(buffer, COMMAND_COPY);
    if (!command)
        return;
    command->copy.from = region_of(from);
    command->copy.to = region_of(to);
    command->copy.pieces = copied;
    command->copy.count = count;
}

void icd_CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2 *info)
{
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    VkBufferCopy *pieces = icd_record_bytes(buffer, info->regionCount * sizeof pieces[0]);
    struct command *command = record(buffer, COMMAND_COPY);
    if (!command)
        return;
    for (uint32_t i = 0; i < info->regionCount; i++)
        pieces[i] = (VkBufferCopy){
            .srcOffset = info->pRegions[i].srcOffset,
            .dstOffset = info->pRegions[i].dstOffset,
            .size = info->pRegions[i].size,
        };
    command->copy.from = region_of(info->srcBuffer);
    command->copy.to = region_of(info->dstBuffer);
    command->copy.pieces = pieces;
    command->copy.count = info->regionCount;
}

void icd_CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer to, VkDeviceSize offset,
                         VkDeviceSize size, const void *data)
{
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    const unsigned char *bytes = record_copy(buffer, data, size);
    struct command *command = record(buffer, COMMAND_UPDATE);
    if (!command)
        return;
    command->update.to = region_of(to);
    command->update.offset = offset;
    command->update.size = size;
    command->update.bytes = bytes;
}

static void record_fill(VkCommandBuffer handle, uint32_t region, uint64_t offset, uint64_t size,
                        uint32_t value)
{
    struct command *command = record(ICD_OBJECT(icd_command_buffer, handle), COMMAND_FILL);
    if (!command)
        return;
    command->fill.to = region;
    command->fill.offset = offset;
    command->fill.size = size;
    command->fill.value = value;
}

void icd_CmdFillBuffer(VkCommandBuffer handle, VkBuffer to, VkDeviceSize offset, VkDeviceSize size,
                       uint32_t value)
{
    record_fill(handle, region_of(to), offset, size, value);
}

// Copies of images: a row of texels, or of the buffer's bytes for them, is a piece.
struct side {
    uint32_t region;
    uint64_t first, row, plane; // bytes
};

static struct side image_side(VkImage handle, const VkImageSubresourceLayers *which,
                              VkOffset3D offset)
{
    const struct icd_image *image = ICD_OBJECT(icd_image, handle);
    const struct icd_part part = icd_image_part(image, which->mipLevel, which->baseArrayLayer);
    return (struct side){.region = image->buffer.region,
                         .first = part.offset + (uint32_t)offset.z * part.plane +
                                  (uint32_t)offset.y * part.row + (uint32_t)offset.x * UINT64_C(4),
                         .row = part.row,
                         .plane = part.plane};
}

static struct side buffer_side(VkBuffer handle, const VkBufferImageCopy2 *region)
{
    struct side side = {.region = region_of(handle), .first = region->bufferOffset};
    const uint32_t row = region->bufferRowLength, height = region->bufferImageHeight;
    side.row = (row ? row : region->imageExtent.width) * UINT64_C(4);
    side.plane = side.row * (height ? height : region->imageExtent.height);
    return side;
}

// As many planes as the copy has layers, or is deep.
static void record_rows(struct icd_command_buffer *buffer, const struct side *from,
                        const struct side *to, VkExtent3D extent, uint32_t layers)
{
    const uint32_t planes = extent.depth > layers ? extent.depth : layers;
    const uint64_t count = (uint64_t)planes * extent.height;
    if (count > UINT32_MAX)
        return;
    VkBufferCopy *pieces = icd_record_bytes(buffer, count * sizeof pieces[0]);
    struct command *command = record(buffer, COMMAND_COPY);
    if (!command)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t plane = i / extent.height, row = i % extent.height;
        pieces[i] = (VkBufferCopy){.srcOffset = from->first + plane * from->plane + row * from->row,
                                   .dstOffset = to->first + plane * to->plane + row * to->row,
                                   .size = extent.width * UINT64_C(4)};
    }
    command->copy.from = from->region;
    command->copy.to = to->region;
    command->copy.pieces = pieces;
    command->copy.count = (uint32_t)count;
}

static void copy_image(VkCommandBuffer handle, VkImage from, VkImage to, const VkImageCopy2 *region)
{
    const struct side source = image_side(from, &region->srcSubresource, region->srcOffset);
    const struct side target = image_side(to, &region->dstSubresource, region->dstOffset);
    const uint32_t a = region->srcSubresource.layerCount, b = region->dstSubresource.layerCount;
    record_rows(ICD_OBJECT(icd_command_buffer, handle), &source, &target, region->extent,
                a > b ? a : b);
}

void icd_CmdCopyImage2(VkCommandBuffer handle, const VkCopyImageInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_image(handle, info->srcImage, info->dstImage, &info->pRegions[i]);
}

void icd_CmdCopyImage(VkCommandBuffer handle, VkImage from, VkImageLayout from_layout, VkImage to,
                      VkImageLayout to_layout, uint32_t count, const VkImageCopy *regions)
{
    (void)from_layout;
    (void)to_layout;
    for (uint32_t i = 0; i < count; i++)
        copy_image(handle, from, to,
                   &(VkImageCopy2){.srcSubresource = regions[i].srcSubresource,
                                   .srcOffset = regions[i].srcOffset,
                                   .dstSubresource = regions[i].dstSubresource,
                                   .dstOffset = regions[i].dstOffset,
                                   .extent = regions[i].extent});
}

static void copy_buffer_image(VkCommandBuffer handle, VkBuffer bytes, VkImage image,
                              const VkBufferImageCopy2 *region, bool to_image)
{
    const struct side buffer = buffer_side(bytes, region);
    const struct side texels = image_side(image, &region->imageSubresource, region->imageOffset);
    record_rows(ICD_OBJECT(icd_command_buffer, handle), to_image ? &buffer : &texels,
                to_image ? &texels : &buffer, region->imageExtent,
                region->imageSubresource.layerCount);
}

static void copy_buffer_image_1(VkCommandBuffer handle, VkBuffer bytes, VkImage image,
                                const VkBufferImageCopy *region, bool to_image)
{
    copy_buffer_image(handle, bytes, image,
                      &(VkBufferImageCopy2){.bufferOffset = region->bufferOffset,
                                            .bufferRowLength = region->bufferRowLength,
                                            .bufferImageHeight = region->bufferImageHeight,
                                            .imageSubresource = region->imageSubresource,
                                            .imageOffset = region->imageOffset,
                                            .imageExtent = region->imageExtent},
                      to_image);
}

void icd_CmdCopyBufferToImage2(VkCommandBuffer handle, const VkCopyBufferToImageInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_buffer_image(handle, info->srcBuffer, info->dstImage, &info->pRegions[i], true);
}

void icd_CmdCopyImageToBuffer2(VkCommandBuffer handle, const VkCopyImageToBufferInfo2 *info)
{
    for (uint32_t i = 0; i < info->regionCount; i++)
        copy_buffer_image(handle, info->dstBuffer, info->srcImage, &info->pRegions[i], false);
}

void icd_CmdCopyBufferToImage(VkCommandBuffer handle, VkBuffer from, VkImage to,
                              VkImageLayout layout, uint32_t count,
                              const VkBufferImageCopy *regions)
{
    (void)layout;
    for (uint32_t i = 0; i < count; i++)
        copy_buffer_image_1(handle, from, to, &regions[i], true);
}

void icd_CmdCopyImageToBuffer(VkCommandBuffer handle, VkImage from, VkImageLayout layout,
                              VkBuffer to, uint32_t count, const VkBufferImageCopy *regions)
{
    (void)layout;
    for (uint32_t i = 0; i < count; i++)
        copy_buffer_image_1(handle, to, from, &regions[i], false);
}

void icd_CmdClearColorImage(VkCommandBuffer handle, VkImage to, VkImageLayout layout,
                            const VkClearColorValue *value, uint32_t count,
                            const VkImageSubresourceRange *ranges)
{
    (void)layout;
    const struct icd_image *image = ICD_OBJECT(icd_image, to);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < ranges[i].levelCount; n++) {
            const uint32_t level = ranges[i].baseMipLevel + n;
            if (level >= image->levels) // also of VK_REMAINING_MIP_LEVELS
                break;
            const uint32_t first = ranges[i].baseArrayLayer, layers = ranges[i].layerCount;
            const struct icd_part part = icd_image_part(image, level, first);
            record_fill(handle, image->buffer.region, part.offset,
                        (layers == VK_REMAINING_ARRAY_LAYERS ? image->layers - first : layers) *
                            part.layer,
                        value->uint32[0]);
        }
}

// Synchronisation. Commands execute one after the other and all memory is coherent, so barriers
// have no effect.

void icd_CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags before,
                            VkPipelineStageFlags after, VkDependencyFlags flags,
                            uint32_t memory_count, const VkMemoryBarrier *memory,
                            uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                            uint32_t image_count, const VkImageMemoryBarrier *images)
{
    (void)handle;
    (void)before;
    (void)after;
    (void)flags;
    (void)memory_count;
    (void)memory;
    (void)buffer_count;
    (void)buffers;
    (void)image_count;
    (void)images;
}

void icd_CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo *info)
{
    (void)handle;
    (void)info;
}

static void record_event(VkCommandBuffer handle, VkEvent event, bool set)
{
    struct command *command = record(ICD_OBJECT(icd_command_buffer, handle), COMMAND_SET_EVENT);
    if (!command)
        return;
    command->event.event = ICD_OBJECT(icd_event, event);
    command->event.set = set;
}

void icd_CmdSetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags stages)
{
    (void)stages;
    record_event(handle, event, true);
}

void icd_CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    (void)info;
    record_event(handle, event, true);
}

void icd_CmdResetEvent(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags stages)
{
    (void)stages;
    record_event(handle, event, false);
}

void icd_CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    (void)stages;
    record_event(handle, event, false);
}

static void record_wait(VkCommandBuffer handle, uint32_t count, const VkEvent *events)
{
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    struct icd_event **list = icd_record_bytes(buffer, count * sizeof list[0]);
    struct command *command = record(buffer, COMMAND_WAIT_EVENTS);
    if (!command)
        return;
    for (uint32_t i = 0; i < count; i++)
        list[i] = ICD_OBJECT(icd_event, events[i]);
    command->wait.events = list;
    command->wait.count = count;
}

void icd_CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                       VkPipelineStageFlags before, VkPipelineStageFlags after,
                       uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
                       const VkBufferMemoryBarrier *buffers, uint32_t image_count,
                       const VkImageMemoryBarrier *images)
{
    (void)before;
    (void)after;
    (void)memory_count;
    (void)memory;
    (void)buffer_count;
    (void)buffers;
    (void)image_count;
    (void)images;
    record_wait(handle, count, events);
}

void icd_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                        const VkDependencyInfo *infos)
{
    (void)infos;
    record_wait(handle, count, events);
}

// Queries

static struct command *record_query(VkCommandBuffer handle, enum command_kind kind,
                                    VkQueryPool pool, uint32_t first, uint32_t count)
{
    struct command *command = record(ICD_OBJECT(icd_command_buffer, handle), kind);
    if (!command)
        return NULL;
    command->query.pool = ICD_OBJECT(icd_query_pool, pool);
    command->query.first = first;
    command->query.count = count;
    return command;
}

void icd_CmdWriteTimestamp(VkCommandBuffer handle, VkPipelineStageFlagBits stage, VkQueryPool pool,
                           uint32_t query)
{
    (void)stage;
    record_query(handle, COMMAND_TIMESTAMP, pool, query, 1);
}

void icd_CmdWriteTimestamp2(VkCommandBuffer handle, VkPipelineStageFlags2 stage, VkQueryPool pool,
                            uint32_t query)
{
    (void)stage;
    record_query(handle, COMMAND_TIMESTAMP, pool, query, 1);
}

void icd_CmdBeginQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
                       VkQueryControlFlags flags)
{
    (void)handle;
    (void)pool;
    (void)query;
    (void)flags;
}

void icd_CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query)
{
    record_query(handle, COMMAND_END_QUERY, pool, query, 1);
}

void icd_CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool, uint32_t first, uint32_t count)
{
    record_query(handle, COMMAND_RESET_QUERIES, pool, first, count);
}

void icd_CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool, uint32_t first,
                                 uint32_t count, VkBuffer to, VkDeviceSize offset,
                                 VkDeviceSize stride, VkQueryResultFlags flags)
{
    struct command *command = record_query(handle, COMMAND_COPY_QUERIES, pool, first, count);
    if (!command)
        return;
    command->query.to = region_of(to);
    command->query.offset = offset;
    command->query.stride = stride;
    command->query.flags = flags;
}

// Others

void icd_CmdExecuteCommands(VkCommandBuffer handle, uint32_t count, const VkCommandBuffer *buffers)
{
    struct icd_command_buffer *buffer = ICD_OBJECT(icd_command_buffer, handle);
    for (uint32_t i = 0; i < count; i++)
        if (buffer->secondary || !ICD_OBJECT(icd_command_buffer, buffers[i])->secondary) {
            icd_report(buffer->device, ICD_ERROR,
                       "vkCmdExecuteCommands: only a primary command buffer can execute others, "
                       "and only secondary ones");
            return;
        }
    struct icd_command_buffer **list = icd_record_bytes(buffer, count * sizeof list[0]);
    struct command *command = record(buffer, COMMAND_EXECUTE);
    if (!command)
        return;
    for (uint32_t i = 0; i < count; i++)
        list[i] = ICD_OBJECT(icd_command_buffer, buffers[i]);
    command->execute.buffers = list;
    command->execute.count = count;
}

void icd_CmdSetDeviceMask(VkCommandBuffer handle, uint32_t mask)
{
    (void)handle;
    (void)mask;
}

// Graphics. Arguments do not matter, so each command takes only the first one: on all platforms
// except for 32-bit Windows the caller removes them.

static void record_graphics(VkCommandBuffer handle, const char *name)
{
    struct command *command = record(ICD_OBJECT(icd_command_buffer, handle), COMMAND_GRAPHICS);
    if (command)
        command->graphics = name;
}

#define GRAPHICS(name)                                                                             \
    VKAPI_ATTR void VKAPI_CALL icd_##name(VkCommandBuffer commands)                                \
    {                                                                                              \
        record_graphics(commands, "vk" #name);                                                     \
    }
#include "icd/commands.h"
#undef GRAPHICS
