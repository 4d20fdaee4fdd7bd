// SPDX-License-Identifier: Apache-2.0
// A device's identity over drivers and boots.

#include "device/facts.h"

#include <stdio.h>
#include <string.h>

// FNV-1a.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void dev_facts_id(const struct dev_facts *facts, char id[17])
{
    const uint8_t driver[4] = {
        (uint8_t)facts->driver_id,
        (uint8_t)(facts->driver_id >> 8),
        (uint8_t)(facts->driver_id >> 16),
        (uint8_t)(facts->driver_id >> 24),
    };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_bytes(hash, facts->device_uuid, sizeof facts->device_uuid);
    hash = hash_bytes(hash, facts->driver_uuid, sizeof facts->driver_uuid);
    hash = hash_bytes(hash, driver, sizeof driver);
    // The terminators keep the strings apart.
    hash = hash_bytes(hash, facts->name, strlen(facts->name) + 1);
    hash = hash_bytes(hash, facts->driver_info, strlen(facts->driver_info) + 1);
    hash = hash_bytes(hash, facts->driver_version, strlen(facts->driver_version) + 1);
    snprintf(id, 17, "%016llx", (unsigned long long)hash);
}
