// SPDX-License-Identifier: Apache-2.0
// Devices in words, for `run` and `devices`.
#pragma once

#include "base/text.h"
#include "model/inventory.h"

// "Example GPU · driver 1.2.3 (vendor) · Vulkan 1.4.312 · subgroups of 32", with ", " for the dots
// if the terminal is not UTF-8.
void cli_device_line(const struct dev_facts *facts, bool utf8, struct text *text);
// The same as a line of its own, with "device 1 of 2" at its end: what stands above all that is
// said of a device.
void cli_device_heading(const struct eng_device *device, size_t count, bool utf8,
                        struct text *text);
// "32", "32 (8 to 32)"
void cli_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size);
// "1.4.312"
void cli_vulkan_version(uint32_t version, char *text, size_t size);
// Columns that a string takes, one for each code point.
size_t cli_width(const char *string);
