// SPDX-License-Identifier: Apache-2.0
// The device's capabilities, queried by programs through physical.c, features.c and properties.c,
// and by the driver when it creates a device or a pipeline cache.
#pragma once

#include "icd/icd.h"

// Whether the driver has this device extension. (icd/physical.c)
bool icd_extension_known(const char *name);

// Whether all features requested for a device are supported. If not, `error` gets a line.
// (icd/features.c)
bool icd_features_supported(const struct settings *settings, const VkDeviceCreateInfo *info,
                            char *error, size_t size);
// Whether they include the feature at `offset` in a structure of that type.
bool icd_feature_enabled(const VkDeviceCreateInfo *info, VkStructureType type, size_t offset);

// Properties (icd/properties.c), ignoring faults.
void icd_properties_true(const struct settings *settings, VkPhysicalDeviceProperties *properties);
