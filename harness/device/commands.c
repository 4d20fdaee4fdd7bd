// SPDX-License-Identifier: Apache-2.0
// The command buffer: one submission at a time, waited for with a bound.

#include "device/vulkan.h"

enum dev_status dev_begin(struct dev *dev, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VK(vkResetCommandPool(dev->device, dev->pool, 0));
    VK(vkBeginCommandBuffer(dev->commands, &(VkCommandBufferBeginInfo){
                                               .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                               .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
                                           }));
error:
    return status;
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

enum dev_status dev_submit(struct dev *dev, uint32_t timeout_ms, struct lit_error *error)
{
    enum dev_status status = DEV_OK;
    VK(vkEndCommandBuffer(dev->commands));
    VK(vkResetFences(dev->device, 1, &dev->fence));
    VK(vkQueueSubmit(dev->queue, 1,
                     &(VkSubmitInfo){
                         .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                         .commandBufferCount = 1,
                         .pCommandBuffers = &dev->commands,
                     },
                     dev->fence));
    const VkResult waited = vkWaitForFences(dev->device, 1, &dev->fence, VK_TRUE,
                                            (uint64_t)timeout_ms * UINT64_C(1000000));
    if (waited == VK_TIMEOUT) {
        dev->stuck = true;
        lit_fail(error, LIT_EXIT_TIME, "the device did not finish within %u ms", timeout_ms);
        return DEV_TIMEOUT;
    }
    TRY(dev_check(waited, "vkWaitForFences", error));
error:
    return status;
}
