// SPDX-License-Identifier: Apache-2.0
// Stress at work: the background workgroups' pipeline and buffer, and the commands that run them
// around the test's dispatch. Private to harness/device/.
#pragma once

#include "device/vulkan.h"

struct dev_stressing {
    struct dev_stress set;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline; // none without background workgroups
    VkDescriptorPool pool;
    VkDescriptorSet places_set;
    struct dev_buffer places;
};

// Makes what a set needs. The structure must be zero; clear it after a failure too.
enum dev_status dev_stressing_init(struct dev *dev, struct dev_stressing *stressing,
                                   const struct dev_stress *set, struct lit_error *error);
void dev_stressing_clear(struct dev *dev, struct dev_stressing *stressing);

// Records a run: background workgroups in front of the test's, between its slices and behind it,
// with no barrier between any of them. `bind` binds the test's pipeline, descriptors and push
// constants; it is called before each of the test's dispatches.
void dev_stressing_record(struct dev *dev, const struct dev_stressing *stressing,
                          uint32_t workgroups, uint32_t seed, void (*bind)(void *user), void *user);
