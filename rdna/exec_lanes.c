// SPDX-License-Identifier: Apache-2.0
// Vector instructions that move words between lanes and scalar registers.
#include "exec.h"

enum { FIRST_VGPR = 256 };

static enum rdna_event read_lane(struct rdna_wave *wave, const struct rdna_insn *insn,
                                 unsigned lane)
{
    uint32_t buffer[RDNA_LANES];
    const uint32_t *row = rdna_row(wave, insn->source[0], buffer);
    rdna_put_scalar(wave, insn->result[0], 32, row[lane & (wave->lanes - 1)]);
    return RDNA_EVENT_NONE;
}

static enum rdna_event readlane(struct rdna_wave *wave, const struct rdna_insn *insn,
                                const struct rdna_memory_ops *memory)
{
    bool good = true;
    (void)memory;
    const uint64_t lane = rdna_scalar(wave, insn, insn->source[1], 32, &good);
    return good ? read_lane(wave, insn, (unsigned)lane)
                : rdna_refuse(wave, insn, "with an aperture");
}

static enum rdna_event readfirstlane(struct rdna_wave *wave, const struct rdna_insn *insn,
                                     const struct rdna_memory_ops *memory)
{
    (void)memory;
    const uint64_t exec = rdna_exec(wave);
    return read_lane(wave, insn, exec ? (unsigned)__builtin_ctzll(exec) : 0);
}

static enum rdna_event writelane(struct rdna_wave *wave, const struct rdna_insn *insn,
                                 const struct rdna_memory_ops *memory)
{
    bool good = true;
    (void)memory;
    const uint32_t value = (uint32_t)rdna_scalar(wave, insn, insn->source[0], 32, &good);
    const unsigned lane = rdna_scalar(wave, insn, insn->source[1], 32, &good) & (wave->lanes - 1);
    if (!good)
        return rdna_refuse(wave, insn, "with an aperture");
    uint32_t words[RDNA_LANES] = {0};
    words[lane] = value;
    rdna_put_row(wave, insn->result[0], words, UINT64_C(1) << lane);
    return RDNA_EVENT_NONE;
}

// v_permlane16_b32, v_permlanex16_b32 and their relatives with places of each lane: op_sel has
// fetch_inactive and bound_ctrl.
static enum rdna_event permlane(struct rdna_wave *wave, const struct rdna_insn *insn,
                                const struct rdna_memory_ops *memory)
{
    (void)memory;
    bool good = true;
    const bool varies = insn->op->source[1].kind == RDNA_VGPR;
    const uint64_t exec = rdna_exec(wave),
                   lanes = varies ? 0
                                  : rdna_scalar(wave, insn, insn->source[1], 32, &good) |
                                        rdna_scalar(wave, insn, insn->source[2], 32, &good) << 32;
    const unsigned other = strncmp(insn->op->name, "v_permlanex16", 13) ? 0 : 16;
    uint32_t buffer[RDNA_LANES], places[RDNA_LANES], words[RDNA_LANES] = {0};
    const uint32_t *row = rdna_row(wave, insn->source[0], buffer);
    const uint32_t *each = varies ? rdna_row(wave, insn->source[1], places) : NULL;
    uint64_t active = exec;
    if (!good)
        return rdna_refuse(wave, insn, "with an aperture");
    for (unsigned i = 0; i < wave->lanes; i++) {
        const unsigned at = each ? each[i] : (unsigned)(lanes >> 4 * (i & 15));
        const unsigned from = ((i & ~15u) ^ other) | (at & 15);
        if (exec >> from & 1 || insn->op_sel & 1)
            words[i] = row[from];
        else if (!(insn->op_sel & 2))
            active &= ~(UINT64_C(1) << i);
    }
    rdna_put_row(wave, insn->result[0], words, active);
    return RDNA_EVENT_NONE;
}

static enum rdna_event swap(struct rdna_wave *wave, const struct rdna_insn *insn,
                            const struct rdna_memory_ops *memory)
{
    (void)memory;
    uint32_t a[RDNA_LANES], b[RDNA_LANES], buffer[RDNA_LANES];
    memcpy(a, rdna_row(wave, insn->result[0], buffer), sizeof a);
    memcpy(b, rdna_row(wave, insn->source[0], buffer), sizeof b);
    rdna_put_row(wave, insn->result[0], b, rdna_exec(wave));
    rdna_put_row(wave, insn->source[0], a, rdna_exec(wave));
    return RDNA_EVENT_NONE;
}

// The halves of the wave exchange their words; in wave32 nothing happens.
static enum rdna_event permlane64(struct rdna_wave *wave, const struct rdna_insn *insn,
                                  const struct rdna_memory_ops *memory)
{
    (void)memory;
    uint32_t buffer[RDNA_LANES], words[RDNA_LANES];
    const uint32_t *row = rdna_row(wave, insn->source[0], buffer);
    if (wave->lanes == 32)
        return RDNA_EVENT_NONE;
    for (unsigned i = 0; i < RDNA_LANES; i++)
        words[i] = row[i ^ 32];
    rdna_put_row(wave, insn->result[0], words, rdna_exec(wave));
    return RDNA_EVENT_NONE;
}

static enum rdna_event nothing(struct rdna_wave *wave, const struct rdna_insn *insn,
                               const struct rdna_memory_ops *memory)
{
    (void)wave, (void)insn, (void)memory;
    return RDNA_EVENT_NONE;
}

bool rdna_bind_lanes(struct rdna_op *op)
{
    static const struct {
        const char *name;
        rdna_run *run;
    } rows[] = {{"v_readlane_b32", readlane},
                {"v_readfirstlane_b32", readfirstlane},
                {"v_writelane_b32", writelane},
                {"v_permlane16_b32", permlane},
                {"v_permlanex16_b32", permlane},
                {"v_permlane16_var_b32", permlane},
                {"v_permlanex16_var_b32", permlane},
                {"v_permlane64_b32", permlane64},
                {"v_swap_b32", swap},
                {"v_nop", nothing},
                {"v_pipeflush", nothing},
                {"v_clrexcp", nothing}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, op->name)) {
            op->run = rows[i].run;
            return true;
        }
    return false;
}
