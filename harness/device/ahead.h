// SPDX-License-Identifier: Apache-2.0
// Pipelines made ahead of use: each on a thread of its own, without a cache, while the device does
// something else. dev_pipeline uses one where it is asked for exactly the same.
#pragma once

#include "device/vulkan.h"

#include <pthread.h>

#define DEV_AHEAD_SPECS 32 // specialization constants

struct dev_ahead_one {
    bool used;
    pthread_t thread;
    struct dev *dev;
    char name[512];
    struct dev_pipeline_info info; // its lists are those below; the words are the caller's
    uint32_t ids[DEV_AHEAD_SPECS], values[DEV_AHEAD_SPECS];
    void (*made)(const char *name, void *user);
    void *user;
    // Once the thread has ended:
    VkPipeline pipeline; // none if the driver refused it
    double seconds;      // that it took
};

struct dev_ahead {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout; // of tests, kept as long as the device
    double spent;            // dev_ahead_spent
    struct dev_ahead_one one[DEV_AHEAD_MOST];
};

// Hands over the pipeline that was, or is being, made ahead for exactly this, that of info->owner
// before any other's; waits for it. False if there is none, or the driver refused it.
bool dev_ahead_take(struct dev *dev, const struct dev_pipeline_info *info, VkPipeline *pipeline);

// Waits for all threads and destroys what nobody took. The device is about to be closed.
void dev_ahead_clear(struct dev *dev);
