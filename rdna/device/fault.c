// SPDX-License-Identifier: Apache-2.0
// A fault in one instruction of one program, as a compiler could make it: how good the tests are is
// measured by what they find of such (tools/seeded-faults).
#include "device/fault.h"

#include <string.h>

enum { MOST_DWORDS = 1 << 20 };
#define CODE_END UINT32_C(0xbf9f0000) // s_code_end, behind each program of ACO

static bool writes_exec(const struct rdna_insn *insn)
{
    const char *name = insn->op->name;
    return strstr(name, "saveexec") || strstr(name, "wrexec") || !strncmp(name, "v_cmpx", 6) ||
           (insn->op->format <= RDNA_SOPC && insn->op->results && insn->result[0] == RDNA_EXEC);
}

static enum rdna_fault kind_of(const struct rdna_insn *insn)
{
    const char *name = insn->op->name;
    if (!strncmp(name, "s_wait", 6) && strstr(name, "cnt"))
        return RDNA_FAULT_WAIT;
    if (!strcmp(name, "s_barrier") || !strcmp(name, "s_barrier_wait"))
        return RDNA_FAULT_BARRIER;
    if (insn->op->does == RDNA_DOES_INVALIDATE ||
        ((insn->glc || insn->dlc || insn->scope) && insn->op->does != RDNA_DOES_ATOMIC))
        return RDNA_FAULT_CACHE;
    return writes_exec(insn) ? RDNA_FAULT_EXEC : RDNA_FAULT_NONE;
}

void fault_find(struct rdna_device *device, uint64_t code, struct fault_program *program)
{
    const struct rdna_settings *settings = &device->settings;
    uint32_t hash = 0x811c9dc5; // FNV-1a
    *program = (struct fault_program){.at = UINT64_MAX};
    for (uint64_t pc = code; pc < code + 4 * (uint64_t)MOST_DWORDS;) {
        uint32_t words[3];
        size_t count = 0;
        struct rdna_insn insn;
        for (const void *host; count < 3 && (host = space_host(&device->space, pc + 4 * count, 4));)
            memcpy(&words[count++], host, 4);
        const size_t size = count && words[0] != CODE_END
                                ? rdna_decode(words, count, device->generation, &insn)
                                : 0;
        if (!size)
            break;
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ words[i]) * 0x01000193;
        const enum rdna_fault kind = kind_of(&insn);
        if (kind && kind == settings->fault && program->count[kind] == settings->fault_index)
            program->at = pc;
        program->count[kind]++;
        pc += 4 * size;
    }
    program->name = hash;
    if (hash != settings->fault_program)
        program->at = UINT64_MAX;
}

enum rdna_event fault_step(struct rdna_device *device, struct wave *wave,
                           const struct rdna_insn *insn, const struct rdna_memory_ops *memory)
{
    struct rdna_wave *registers = &wave->registers;
    const uint64_t exec = rdna_exec(registers);
    bool matters = false;
    device->loses_bits = device->settings.fault == RDNA_FAULT_CACHE;
    const enum rdna_event event = rdna_step(registers, insn, memory);
    device->loses_bits = false;
    if (event == RDNA_EVENT_UNKNOWN)
        return event;
    if (event == RDNA_EVENT_CACHES)
        wave_invalidate(memory->context, wave, true);
    if (device->settings.fault == RDNA_FAULT_WAIT)
        matters = wave_waits(wave);
    if (device->settings.fault == RDNA_FAULT_BARRIER)
        matters = wave->group->waves > 1;
    if (device->settings.fault == RDNA_FAULT_EXEC) {
        matters = exec != rdna_exec(registers);
        registers->sgpr[RDNA_EXEC] = (uint32_t)exec;
        registers->sgpr[RDNA_EXEC + 1] = (uint32_t)(exec >> 32);
    }
    device->fault_reached = true;
    device->fault_matters |= matters;
    return RDNA_EVENT_NONE;
}
