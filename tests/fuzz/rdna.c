// SPDX-License-Identifier: Apache-2.0
// Fuzzes the emulated GPU: command streams, and the code that they dispatch. The first byte of an
// input chooses timing, caches and generation. The rest is mapped as the memory of the GPU: the
// first 1 KiB is the command stream, the code begins behind it.
#include "fuzz.h"

#include "device/gpu.h"

#include <stdio.h>
#include <string.h>

enum { MEMORY = 8192, STREAM = 1024 };
#define BASE UINT64_C(0x10000)

// COMPUTE_*, by their offset in SET_SH_REG.
enum { NUM_THREAD_X = 0x207, PGM_LO = 0x20c, PGM_RSRC1 = 0x212, USER_DATA_0 = 0x240 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t memory[MEMORY / 4];
    struct rdna_device gpu = {0};
    char line[200], settings[100];
    if (size < 1)
        return 0;
    snprintf(settings, sizeof settings, "navi21,timing=%s,caches=%s,steps=3000",
             data[0] % 3 == 0   ? "prompt"
             : data[0] % 3 == 1 ? "late"
                                : "random",
             data[0] & 128 ? "manual" : "coherent");
    gpu.generation = data[0] & 64 ? RDNA_GFX11 : RDNA_GFX10_3;
    MUST(rdna_settings_parse(settings, &gpu.settings, line, sizeof line));
    MUST(rdna_open(&gpu));
    memset(memory, 0, sizeof memory);
    memcpy(memory, data + 1, size - 1 < MEMORY ? size - 1 : MEMORY);
    MUST(space_map(&gpu.space, (struct space_range){BASE, MEMORY, (void *)memory, 1}));
    gpu.sh[PGM_LO] = (uint32_t)(BASE + STREAM) >> 8;
    gpu.sh[PGM_RSRC1] = 3;
    gpu.sh[PGM_RSRC1 + 1] = 2 << 1 | 7 << 7 | 1 << 10 | 1 << 15;
    gpu.sh[USER_DATA_0] = (uint32_t)BASE;
    for (int i = 0; i < 3; i++)
        gpu.sh[NUM_THREAD_X + i] = i ? 1 : 96;
    const bool done = rdna_submit(&gpu, BASE, STREAM / 4);
    MUST(done == !gpu.ended[0]);
    MUST(strlen(gpu.ended) < sizeof gpu.ended);
    rdna_close(&gpu);
    return 0;
}
