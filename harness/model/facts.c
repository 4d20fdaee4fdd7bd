// SPDX-License-Identifier: Apache-2.0
// A device's identity over drivers and boots, and what fits on it.

#include "model/facts.h"

#include "base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dev_facts_id(const struct dev_facts *facts, char id[17])
{
    const uint8_t driver[4] = {
        (uint8_t)facts->driver_id,
        (uint8_t)(facts->driver_id >> 8),
        (uint8_t)(facts->driver_id >> 16),
        (uint8_t)(facts->driver_id >> 24),
    };
    uint64_t hash = HASH_START;
    hash = hash_bytes(hash, facts->device_uuid, sizeof facts->device_uuid);
    hash = hash_bytes(hash, facts->driver_uuid, sizeof facts->driver_uuid);
    hash = hash_bytes(hash, driver, sizeof driver);
    // The terminators keep the strings apart.
    hash = hash_bytes(hash, facts->name, strlen(facts->name) + 1);
    hash = hash_bytes(hash, facts->driver_info, strlen(facts->driver_info) + 1);
    hash = hash_bytes(hash, facts->driver_version, strlen(facts->driver_version) + 1);
    snprintf(id, 17, "%016llx", (unsigned long long)hash);
}

bool dev_shape_fits(const struct dev_facts *facts, enum cat_check check,
                    const struct cat_shape *shape, struct lit_error *error)
{
    const uint64_t most = facts->max_storage_buffer / 4;
    const uint64_t stride = cat_check_stride(check);
    if (!shape->instances || !shape->words_per_instance || !shape->state_words)
        return lit_fail(error, LIT_EXIT_USAGE, "the configuration's oracle sized nothing");
    if (shape->workgroups > facts->max_workgroups)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%" PRIu32 " workgroups > maxComputeWorkGroupCount %" PRIu32,
                        shape->workgroups, facts->max_workgroups);
    // Divided, as the products may not fit into 64 bits.
    if (shape->words_per_instance > most / stride / shape->instances ||
        shape->instances > most / 2 || shape->input_words > most || shape->state_words > most)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a buffer of more bytes than maxStorageBufferRange %" PRIu64,
                        facts->max_storage_buffer);
    return true;
}
