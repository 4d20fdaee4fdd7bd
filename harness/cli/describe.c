// SPDX-License-Identifier: Apache-2.0
// Says what a device is.

#include "cli/describe.h"

#include <stdio.h>

void cli_vulkan_version(uint32_t version, char *text, size_t size)
{
    snprintf(text, size, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff, version & 0xfff);
}

void cli_subgroup_sizes(const struct dev_facts *facts, char *text, size_t size)
{
    if (facts->subgroup == 0)
        snprintf(text, size, "unknown size");
    else if (facts->subgroup_control && facts->subgroup_min < facts->subgroup_max)
        snprintf(text, size, "%u (%u to %u)", facts->subgroup, facts->subgroup_min,
                 facts->subgroup_max);
    else
        snprintf(text, size, "%u", facts->subgroup);
}

void cli_device_line(const struct dev_facts *facts, bool utf8, struct text *text)
{
    const char *dot = utf8 ? " \u00b7 " : ", ";
    char sizes[64], version[32];
    cli_subgroup_sizes(facts, sizes, sizeof sizes);
    cli_vulkan_version(facts->api, version, sizeof version);
    text_printf(text, "%s%sdriver %s (%s)%sVulkan %s%ssubgroups of %s", facts->name, dot,
                facts->driver_version, facts->driver_name, dot, version, dot, sizes);
}

size_t cli_width(const char *string)
{
    size_t width = 0;
    for (; *string; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

void cli_device_heading(const struct eng_device *device, size_t count, bool utf8, struct text *text)
{
    struct text line = {0};
    cli_device_line(&device->facts, utf8, &line);
    const size_t width = cli_width(line.data);
    text_printf(text, "%s%*sdevice %u of %zu\n", line.data, (int)(width < 86 ? 86 - width : 2), "",
                device->number, count);
    text_free(&line);
}
