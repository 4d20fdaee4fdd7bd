// SPDX-License-Identifier: Apache-2.0
// Machine code out of what a driver keeps of a pipeline.
#include "isa/code.h"
#include "isa/nvidia.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A number that the driver says; 0 if it does not say it.
static size_t said(const struct isa_code *code, const char *statistic)
{
    for (size_t i = 0; i < code->statistic_count; i++)
        if (strcmp(code->statistics[i].name, statistic) == 0)
            return strtoul(code->statistics[i].value, NULL, 10);
    return 0;
}

static void add_occupancy(struct isa_code *code, uint32_t architecture)
{
    char value[64];
    const size_t registers = said(code, "Register Count");
    const uint32_t warps =
        nvidia_warps_with(architecture, registers < 256 ? (uint32_t)registers : 0);
    if (!warps)
        return;
    snprintf(value, sizeof value, "%u of %u", warps, nvidia_warps(architecture));
    isa_add_statistic(code, "Resident Warps",
                      "of a multiprocessor, as far as registers allow; computed from them", value);
}

static void keep(struct isa_code *code, const struct nvidia_code *found, enum isa_source from,
                 uint32_t architecture)
{
    const struct isa_piece *known = isa_find(code, ISA_MACHINE);
    char about[64];
    if (known) {
        if (known->size != found->size || memcmp(known->bytes, found->bytes, found->size) != 0)
            isa_remark(code, "the %s has other machine code than the %s", isa_source_name(from),
                       known->about);
        return;
    }
    const size_t size = said(code, "Binary Size");
    if (size && size != found->size)
        isa_remark(code, "the driver says that its code has %zu bytes; the %s holds %zu", size,
                   isa_source_name(from), found->size);
    snprintf(about, sizeof about, "%s", isa_source_name(from));
    isa_add_piece(code, ISA_MACHINE, "SASS", about, found->bytes, found->size)->architecture =
        architecture;
    add_occupancy(code, architecture);
}

void isa_extract(struct isa_code *code, uint32_t vendor, uint32_t product)
{
    if (vendor != NVIDIA_VENDOR)
        return;
    const size_t count = code->piece_count; // those that are added are not looked at
    for (size_t i = 0; i < count; i++) {
        struct nvidia_code found;
        struct lit_error error = {0};
        const enum isa_source source = code->pieces[i].source;
        if (source != ISA_CACHE && source != ISA_BINARY)
            continue;
        if (nvidia_read(code->pieces[i].bytes, code->pieces[i].size, &found, &error))
            keep(code, &found, source, nvidia_architecture(product));
        else
            isa_remark(code, "%s: %s; it is kept as it is", isa_source_name(source), error.message);
        free(found.bytes);
    }
}
