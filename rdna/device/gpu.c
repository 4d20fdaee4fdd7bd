// SPDX-License-Identifier: Apache-2.0
#include "device/gpu.h"

#include "device/cache.h"
#include "device/wave.h"

#include <stdarg.h>
#include <stdio.h>

bool rdna_open(struct rdna_device *device)
{
    device->random = device->settings.seed;
    if (device->settings.caches == RDNA_MANUAL)
        device->caches = caches_new();
    return device->settings.caches == RDNA_COHERENT || device->caches;
}

void rdna_close(struct rdna_device *device)
{
    caches_free(device->caches);
    for (unsigned i = 0; i < RDNA_WAVES; i++)
        wave_free(device->waves[i]);
    space_clear(&device->space);
    *device = (struct rdna_device){0};
}

bool device_end(struct rdna_device *device, const char *format, ...)
{
    va_list arguments;
    if (device->ended[0])
        return false;
    va_start(arguments, format);
    vsnprintf(device->ended, sizeof(device->ended), format, arguments);
    va_end(arguments);
    return false;
}

uint64_t device_random(struct rdna_device *device) // splitmix64
{
    uint64_t z = device->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}
