// SPDX-License-Identifier: Apache-2.0
// A device's identity across drivers and boots, and what fits on it.

#include "model/facts.h"

#include "base/random.h"
#include "base/text.h"

const char *const dev_types[DEV_TYPES] = {"other", "integrated", "discrete", "virtual", "cpu"};

void dev_facts_id(const struct dev_facts *facts, char id[DEV_ID_SIZE])
{
    OWNED(text_free) struct text known = {0};
    const char driver[4] = {
        (char)facts->driver_id,
        (char)(facts->driver_id >> 8),
        (char)(facts->driver_id >> 16),
        (char)(facts->driver_id >> 24),
    };
    text_append(&known, (const char *)facts->device_uuid, sizeof facts->device_uuid);
    text_append(&known, (const char *)facts->driver_uuid, sizeof facts->driver_uuid);
    text_append(&known, driver, sizeof driver);
    // The terminators separate the strings.
    text_append(&known, facts->name, strlen(facts->name) + 1);
    text_append(&known, facts->driver_info, strlen(facts->driver_info) + 1);
    text_append(&known, facts->driver_version, strlen(facts->driver_version) + 1);
    identity_of(known.data, known.length, id);
}

bool dev_facts_alike(const struct dev_facts *a, const struct dev_facts *b)
{
    return strcmp(a->name, b->name) == 0 && a->vendor == b->vendor && a->product == b->product &&
           strcmp(a->driver_name, b->driver_name) == 0 &&
           strcmp(a->driver_version, b->driver_version) == 0;
}

bool dev_shape_fits(const struct dev_facts *facts, enum cat_check check,
                    const struct cat_shape *shape, struct lit_error *error)
{
    const uint64_t most = facts->max_storage_buffer / 4;
    const uint64_t stride = cat_check_stride(check);
    if (!shape->instances || !shape->words_per_instance || !shape->state_words)
        return lit_fail(error, LIT_EXIT_USAGE, "the configuration's oracle sized nothing");
    if (shape->workgroups > facts->max_workgroups)
        return lit_fail(error, LIT_EXIT_USAGE, "%u workgroups > maxComputeWorkGroupCount %u",
                        shape->workgroups, facts->max_workgroups);
    // Divide, because the products may exceed 64 bits.
    if (shape->words_per_instance > most / stride / shape->instances ||
        shape->instances > most / 2 || shape->input_words > most || shape->state_words > most)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a buffer of more bytes than maxStorageBufferRange %" PRIu64,
                        facts->max_storage_buffer);
    return true;
}

static bool is_size(uint32_t size)
{
    return size >= 1 && size <= 128 && (size & (size - 1)) == 0;
}

const char *dev_facts_wrong(const struct dev_facts *facts)
{
    const uint32_t sizes[] = {facts->subgroup_min, facts->subgroup, facts->subgroup_max};
    size_t type = 0;
    while (type < DEV_TYPES && strcmp(dev_types[type], facts->type) != 0)
        type++;
    if (type == DEV_TYPES)
        return "type";
    for (int i = 0; i < 3; i++)
        if (is_size(sizes[i]) != (sizes[0] > 0) || (i && sizes[i] < sizes[i - 1]))
            return "subgroup";
    return facts->features >> CAT_FEATURE_COUNT ? "features" : NULL;
}

size_t dev_facts_sizes(const struct dev_facts *facts, uint32_t *sizes)
{
    size_t count = 0;
    if (!is_size(facts->subgroup))
        return 0;
    sizes[count++] = facts->subgroup;
    for (uint32_t size = 1; size <= 128 && facts->subgroup_control; size *= 2)
        if (size >= facts->subgroup_min && size <= facts->subgroup_max && size != facts->subgroup)
            sizes[count++] = size;
    return count;
}

uint64_t dev_facts_program(const struct dev_facts *facts, uint32_t size, uint64_t run)
{
    uint32_t sizes[DEV_MAX_SIZES];
    const size_t count = dev_facts_sizes(facts, sizes);
    size_t at = 0;
    while (at < count && sizes[at] != size)
        at++;
    return at < count ? run * count + at : run;
}
