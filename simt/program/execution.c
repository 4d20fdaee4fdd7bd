// SPDX-License-Identifier: Apache-2.0
// Random bits, and faults of a shader.
#include "program/execution.h"

#include "program/address.h"
#include "program/instructions.h"
#include "splitmix.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t exec_random(struct exec *exec)
{
    return splitmix_next(&exec->random);
}

struct exec_fault exec_fault_of(const struct exec *exec, enum exec_fault_kind kind, unsigned lane,
                                uint64_t address, uint64_t size)
{
    return (struct exec_fault){
        .kind = kind,
        .insn = exec->insn,
        .group = {exec->group_id[0], exec->group_id[1], exec->group_id[2]},
        .subgroup = exec->subgroup_id,
        .lane = lane,
        .address = address,
        .size = size,
    };
}

void exec_fault(struct exec *exec, enum exec_fault_kind kind, unsigned lane, uint64_t address,
                uint64_t size)
{
    if (address == POINTER_OUTSIDE)
        return;
    if (exec->trace && kind == EXEC_OUT_OF_BOUNDS)
        exec->seen[lane].outside = true;
    if (exec->fault.kind != EXEC_NO_FAULT)
        return;
    exec->fault = exec_fault_of(exec, kind, lane, address, size);
}

static const struct {
    const char *text;
    bool has_address;
} kinds[] = {
    [EXEC_NO_FAULT] = {"nothing wrong", false},
    [EXEC_OUT_OF_BOUNDS] = {"out-of-bounds access", true},
    [EXEC_READ_ONLY] = {"store to read-only memory", true},
    [EXEC_MISALIGNED] = {"misaligned atomic access", true},
    [EXEC_UNREACHABLE] = {"OpUnreachable was reached", false},
    [EXEC_DEADLOCK] = {"deadlock", false},
    [EXEC_NO_MEMORY] = {"out of host memory", false},
    [EXEC_RACE] = {"data race", true},
    [EXEC_UNINITIALISED] = {"uninitialised read", true},
    [EXEC_UNDEFINED] = {"uninitialised read of a variable", false},
    [EXEC_MISSED] = {"a barrier that not all reach", false},
    [EXEC_EARLIER] = {"that", false},
};

static const struct resource *resource_of(const struct program *program, uint32_t region)
{
    for (uint32_t i = 0; program && i < program->resource_count; i++) {
        const struct resource *resource = &program->resources[i];
        const uint32_t count = resource->count ? resource->count : RESOURCE_RUNTIME_MAX;
        if (region >= resource->first_region && region - resource->first_region < count)
            return resource;
    }
    return NULL;
}

static void address_text(uint64_t address, const struct program *program, char *text, size_t size)
{
    const uint32_t region = (uint32_t)(address >> REGION_SHIFT);
    const uint64_t offset = address & (region_address(1, 0) - 1);
    const struct resource *resource = resource_of(program, region);
    if (address == POINTER_BAD)
        snprintf(text, size, "an index beyond its array");
    else if (region == 0)
        snprintf(text, size, "null pointer + %" PRIu64, offset);
    else if (region == LOCAL_SHARED)
        snprintf(text, size, "shared memory + %" PRIu64, offset);
    else if (region == LOCAL_PUSH)
        snprintf(text, size, "push constants + %" PRIu64, offset);
    else if (resource && resource->count == 1)
        snprintf(text, size, "set %" PRIu32 " binding %" PRIu32 " + %" PRIu64, resource->set,
                 resource->binding, offset);
    else if (resource)
        snprintf(text, size, "set %" PRIu32 " binding %" PRIu32 "[%" PRIu32 "] + %" PRIu64,
                 resource->set, resource->binding, region - resource->first_region, offset);
    else
        snprintf(text, size, "address 0x%" PRIx64, address);
}

// The listing's line, or opcode and id without a listing. Names come from the module.
static void insn_text(const struct insn *insn, const struct program *program, char *text,
                      size_t size)
{
    const char *line = NULL;
    if (program && program->lines && insn >= program->insns &&
        insn < program->insns + program->insn_count)
        line = program->lines[insn - program->insns];
    if (line && *line)
        snprintf(text, size, "%s", line);
    else if (insn->id)
        snprintf(text, size, "%s %%%" PRIu32, module_op_name(insn->opcode), insn->id);
    else
        snprintf(text, size, "%s", module_op_name(insn->opcode));
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

void exec_fault_text(const struct exec_fault *fault, const struct program *program, char *text,
                     size_t size)
{
    char where[96] = "", what[256] = "";
    if (kinds[fault->kind].has_address) {
        char address[64];
        address_text(fault->address, program, address, sizeof(address));
        snprintf(where, sizeof(where), " of %" PRIu64 " byte%s at %s", fault->size,
                 fault->size == 1 ? "" : "s", address);
    }
    if (fault->insn)
        insn_text(fault->insn, program, what, sizeof(what));
    snprintf(text, size,
             "%s%s%s%s, workgroup (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), subgroup %" PRIu32
             ", lane %" PRIu32,
             kinds[fault->kind].text, where, *what ? " by " : "", what, fault->group[0],
             fault->group[1], fault->group[2], fault->subgroup, fault->lane);
}
