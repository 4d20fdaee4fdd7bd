// SPDX-License-Identifier: Apache-2.0
// Texels of storage images: their addresses, and the images' extents.
#include "program/execution.h"
#include "program/instructions.h"

#include "memory/host.h"

// The extent of a lane's image; NULL, and zeros in `region`, if there is no image.
static const uint16_t *extent_of(const struct exec *exec, uint64_t image, struct region *region)
{
    if (image == POINTER_BAD || !host_region(exec, host_region_number(image), region) ||
        !region->extent[0]) {
        *region = (struct region){0};
        return NULL;
    }
    return region->extent;
}

void image_texel(struct exec *exec, const struct insn *insn)
{
    const uint64_t *images = exec_cells(exec, insn->operand[0]);
    uint64_t *results = exec_cells(exec, insn->result);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        struct region region;
        const uint16_t *extent = extent_of(exec, images[lane], &region);
        uint64_t index = 0;
        bool inside = true;
        for (uint32_t i = (uint32_t)insn->literal; extent && i-- > 0;) {
            const uint64_t at = exec_cells(exec, insn->operand[1] + i)[lane];
            inside &= at < extent[i];
            index = index * extent[i] + at;
        }
        results[lane] = !extent ? POINTER_BAD : inside ? images[lane] + 4 * index : POINTER_OUTSIDE;
    }
}

void image_size(struct exec *exec, const struct insn *insn)
{
    const uint64_t *images = exec_cells(exec, insn->operand[0]);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        struct region region;
        if (!extent_of(exec, images[lane], &region))
            exec_fault(exec, EXEC_OUT_OF_BOUNDS, lane, images[lane], 0);
        for (uint32_t i = 0; i < insn->components; i++)
            exec_cells(exec, insn->result + i)[lane] = region.extent[i];
    }
}
