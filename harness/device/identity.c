// SPDX-License-Identifier: Apache-2.0
// A device's identity over drivers and boots.

#include "device/facts.h"

#include "base/random.h"

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
