// SPDX-License-Identifier: Apache-2.0
#include "schedule/counts.h"

#include "program/address.h"
#include "program/instructions.h"
#include "schedule/trace.h"

#include <inttypes.h>

#define SECTOR 32 // bytes

// The sectors that one lane touches and earlier lanes do not.
static uint64_t new_sectors(const struct exec *exec, uint32_t i, uint32_t bytes)
{
    const uint64_t at = exec->seen[exec->lane[i]].address;
    const uint64_t number = at >> REGION_SHIFT;
    uint64_t sectors = 0;
    if (at == UINT64_MAX || number == LOCAL_SHARED || number == LOCAL_PUSH)
        return 0;
    for (uint64_t sector = at / SECTOR; sector <= (at + bytes - 1) / SECTOR; sector++) {
        uint32_t j = i;
        for (; j > 0; j--) { // nearest first
            const uint64_t other = exec->seen[exec->lane[j - 1]].address;
            if (sector >= other / SECTOR && sector <= (other + bytes - 1) / SECTOR)
                break;
        }
        sectors += j == 0;
    }
    return sectors;
}

void counts_step(struct counts *counts, const struct exec *exec)
{
    const uint32_t bytes = trace_bytes(exec->program, exec->insn);
    counts->instructions++;
    counts->invocations += exec->count;
    counts->atomic_loads += exec->insn->opcode == SpvOpAtomicLoad;
    for (uint32_t i = 0; bytes && i < exec->count; i++)
        counts->sectors += new_sectors(exec, i, bytes);
}

void counts_add(struct counts *sum, const struct counts *part)
{
    sum->instructions += part->instructions;
    sum->invocations += part->invocations;
    sum->sectors += part->sectors;
    sum->atomic_loads += part->atomic_loads;
}

void counts_write(FILE *file, const struct counts *counts, uint64_t number, enum model model,
                  const struct dispatch *dispatch, enum dispatch_end end)
{
    const struct program *program = dispatch->program;
    const uint32_t *groups = dispatch->groups, *local = program->local_size;
    fprintf(file,
            "dispatch %" PRIu64 " program %016" PRIx64 " model %s subgroup %u groups %u %u %u "
            "local %u %u %u shared %" PRIu64 " instructions %" PRIu64
            " invocation-instructions %" PRIu64 " sectors %" PRIu64 " atomic-loads %" PRIu64
            " end %s\n",
            number, program->key, model_names[model], program->subgroup, groups[0], groups[1],
            groups[2], local[0], local[1], local[2], program->shared_size, counts->instructions,
            counts->invocations, counts->sectors, counts->atomic_loads, trace_end_names[end]);
    fflush(file);
}
