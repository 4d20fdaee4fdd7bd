// SPDX-License-Identifier: Apache-2.0
// What the device can do: asked by programs through physical.c, features.c and properties.c, and by
// the driver itself when a device or a pipeline cache is created.
#pragma once

#include "icd/icd.h"

// Is it a device extension that this driver has? (icd/physical.c)
bool icd_extension_known(const char *name);

// Fills in a structure of a pNext chain of features; false if it is not one that is known here.
// Only sType of it is read. (icd/features.c)
bool icd_features_fill(VkBaseOutStructure *structure);

// Are all features supported that a device is to be created with? If not, `error` gets a line.
bool icd_features_supported(const VkDeviceCreateInfo *info, char *error, size_t size);
// Is the feature at `offset` of a structure of that type among them?
bool icd_feature_enabled(const VkDeviceCreateInfo *info, VkStructureType type, size_t offset);

// Properties (icd/properties.c), without what a faulty device does to them.
void icd_properties_true(const struct settings *settings, VkPhysicalDeviceProperties *properties);
