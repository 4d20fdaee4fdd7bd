// SPDX-License-Identifier: Apache-2.0
// Devices in words, and the options --simt and --stress.
#include "cli/device.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Says what a device is.

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

// ---- Takes the option --simt.

bool cli_simt_take(const struct cli_list *list, const char **given, struct lit_error *error)
{
    *given = list->count ? list->items[0] : NULL;
    return list->count < 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "--simt can be given once: one model at a time");
}

bool cli_simt_use(const struct cli_list *list, struct lit_error *error)
{
    const char *given = NULL;
    return cli_simt_take(list, &given, error) && (!given || eng_simt_use(given, error));
}

// ---- Takes the option --stress.

bool cli_stress_take(const struct cli_list *list, struct eng_stressing *stressing,
                     struct lit_error *error)
{
    const char *given = list->count ? list->items[0] : "none";
    *stressing = (struct eng_stressing){.mode = ENG_STRESS_GIVEN};
    if (list->count > 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress can be given once: separate parameters by commas");
    if (strcmp(given, "none") == 0)
        stressing->mode = ENG_STRESS_NONE;
    else if (strcmp(given, "random") == 0)
        stressing->mode = ENG_STRESS_RANDOM;
    else if (strcmp(given, "tuned") == 0)
        stressing->mode = ENG_STRESS_TUNED;
    else if (!strchr(given, '='))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--stress: '%.40s' expected none, random, tuned, or parameters such as "
                        "workgroups=64,kind=memory",
                        given);
    return stressing->mode != ENG_STRESS_GIVEN || eng_stress_parse(given, &stressing->given, error);
}

static bool add(const struct store_tuning *best, void *user)
{
    struct eng_stressing *stressing = user;
    stressing->tuned =
        lit_realloc(stressing->tuned, stressing->tuned_count + 1, sizeof *stressing->tuned);
    stressing->tuned[stressing->tuned_count++] =
        (struct eng_tuned){.device = lit_strdup(best->device),
                           .name = lit_strdup(best->name),
                           .stress = lit_strdup(best->stress)};
    return true;
}

bool cli_stress_load(struct eng_stressing *stressing, struct store *store, struct lit_error *error)
{
    return stressing->mode != ENG_STRESS_TUNED || store_tuned(store, add, stressing, error);
}

void cli_stress_clear(struct eng_stressing *stressing)
{
    for (size_t i = 0; i < stressing->tuned_count; i++) {
        free(stressing->tuned[i].device);
        free(stressing->tuned[i].name);
        free(stressing->tuned[i].stress);
    }
    free(stressing->tuned);
    *stressing = (struct eng_stressing){0};
}
