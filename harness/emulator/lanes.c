// SPDX-License-Identifier: Apache-2.0
// Cross-lane instructions, and those that say where a lane is.
#include "emulator/warp.h"

// Runs BODY for each lane that executes the instruction.
#define EACH_LANE(AT, BODY)                                                                        \
    for (uint32_t lane_ = 0; lane_ < EMU_LANES; lane_++)                                           \
        if ((AT)->active >> lane_ & 1) {                                                           \
            (AT)->lane = lane_;                                                                    \
            BODY                                                                                   \
        }

// Which lane SHFL reads, and whether it lies within the segment (PTX ISA, "shfl.sync").
static bool source_of(const struct emu_at *at, uint32_t by, uint32_t clamp, uint32_t *source)
{
    const uint32_t lane = at->lane, segment = clamp >> 8 & 31, last = clamp & 31;
    const uint32_t most = (lane & segment) | (last & ~segment & 31), least = lane & segment;
    const uint32_t distance = by & 31;
    bool within;
    if (has(at, MOD_UP)) {
        *source = lane - distance;
        within = (int32_t)*source >= (int32_t)most;
    } else {
        *source = has(at, MOD_DOWN)   ? lane + distance
                  : has(at, MOD_BFLY) ? lane ^ distance
                                      : least | (distance & ~segment);
        within = *source <= most;
    }
    if (!within)
        *source = lane;
    return within;
}

static void shfl(struct emu_at *at)
{
    uint32_t values[EMU_LANES] = {0}, results[EMU_LANES] = {0}, within = 0;
    EACH_LANE(at, values[lane_] = emu_get(at, 0);)
    EACH_LANE(at, {
        uint32_t source;
        const bool good = source_of(at, emu_get(at, 1), emu_get(at, 2), &source);
        results[lane_] = values[source & 31];
        within |= (uint32_t)(good && at->active >> (source & 31) & 1) << lane_;
    })
    EACH_LANE(at, {
        emu_put(at, results[lane_]);
        emu_out(at, 0, within >> lane_ & 1);
    })
}

static void vote(struct emu_at *at)
{
    uint32_t ballot = 0;
    EACH_LANE(at, ballot |= (uint32_t)emu_test(at, 0) << lane_;)
    const bool result = has(at, MOD_ALL)   ? ballot == at->active
                        : has(at, MOD_ANY) ? ballot != 0
                                           : ballot == 0 || ballot == at->active;
    EACH_LANE(at, {
        emu_put(at, ballot);
        emu_out(at, 0, result);
    })
}

static void match(struct emu_at *at)
{
    const bool wide = has(at, MOD_U64);
    uint64_t values[EMU_LANES] = {0};
    uint32_t first = EMU_FIRST_LANE(at->active), results[EMU_LANES] = {0};
    EACH_LANE(at, values[lane_] = wide ? emu_get64(at, 0) : emu_get(at, 0);)
    EACH_LANE(at, {
        for (unsigned i = 0; i < EMU_LANES; i++)
            results[lane_] |= (uint32_t)(at->active >> i & 1 && values[i] == values[lane_]) << i;
    })
    const bool all = results[first] == at->active;
    EACH_LANE(at, {
        emu_put(at, has(at, MOD_ALL) ? all ? at->active : 0 : results[lane_]);
        emu_out(at, 0, all);
    })
}

static void redux(struct emu_at *at)
{
    bool is_first = true;
    uint32_t result = 0;
    EACH_LANE(at, {
        const uint32_t value = emu_get(at, 0);
        const bool less = has(at, MOD_S32) ? (int32_t)value < (int32_t)result : value < result;
        if (is_first)
            result = value;
        else if (has(at, MOD_SUM))
            result += value;
        else if (has(at, MOD_OR))
            result |= value;
        else if (has(at, MOD_XOR))
            result ^= value;
        else if (has(at, MOD_MIN))
            result = less ? value : result;
        else if (has(at, MOD_MAX))
            result = less ? result : value;
        else
            result &= value;
        is_first = false;
    })
    emu_put(at, result);
}

// The value of the first lane that executes it.
static void r2ur(struct emu_at *at)
{
    if (has(at, MOD_OR)) {
        emu_fail(at, "unknown mode");
        return;
    }
    at->lane = EMU_FIRST_LANE(at->active);
    emu_put(at, emu_get(at, 0));
    emu_out(at, 0, true);
}

static uint32_t position(const struct emu_at *at, unsigned axis)
{
    const uint32_t *local = at->warp->machine->dispatch->local;
    const uint32_t lane = at->lane == EMU_UNIFORM ? 0 : at->lane;
    const uint32_t number = at->warp->number * EMU_LANES + lane;
    return axis == 0   ? number % local[0]
           : axis == 1 ? number / local[0] % local[1]
                       : number / local[0] / local[1];
}

static void special(struct emu_at *at)
{
    const struct emu_operand *operand = &at->insn->in[0];
    const uint32_t lane = at->lane == EMU_UNIFORM ? 0 : at->lane, bit = UINT32_C(1) << lane;
    const char *name = at->insn->ins == 1 && operand->kind == EMU_SPECIAL ? operand->name : "";
    const struct {
        const char *name;
        uint32_t value;
    } rows[] = {
        {"SR_TID.X", position(at, 0)},
        {"SR_TID.Y", position(at, 1)},
        {"SR_TID.Z", position(at, 2)},
        {"SR_CTAID.X", at->warp->group->id[0]},
        {"SR_CTAID.Y", at->warp->group->id[1]},
        {"SR_CTAID.Z", at->warp->group->id[2]},
        {"SR_LANEID", lane},
        {"SR_EQMASK", bit},
        {"SR_LTMASK", bit - 1},
        {"SR_LEMASK", bit | (bit - 1)},
        {"SR_GTMASK", ~(bit | (bit - 1))},
        {"SR_GEMASK", ~(bit - 1)},
        {"SR_CLOCKLO", (uint32_t)at->warp->steps},
        {"SR_CLOCKHI", (uint32_t)(at->warp->steps >> 32)},
        {"SR_GLOBALTIMERLO", (uint32_t)at->warp->steps},
        {"SR_GLOBALTIMERHI", (uint32_t)(at->warp->steps >> 32)},
        {"SRZ", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(name, rows[i].name) == 0) {
            emu_put(at, rows[i].value);
            if (strncmp(at->insn->sass->text, "CS2R ", 5) == 0 ||
                strstr(at->insn->sass->text, " CS2R "))
                emu_put_word(at, 1, strstr(name, "CLOCKLO") ? rows[i + 1].value : 0);
            return;
        }
    emu_fail(at, "unknown register");
}

static void bmov(struct emu_at *at)
{
    const struct emu_operand *to = &at->insn->in[0], *from = &at->insn->in[1];
    struct emu_warp *warp = at->warp;
    if (at->insn->ins != 2 || strstr(at->insn->sass->text, "PQUAD") ||
        (to->kind != EMU_BARRIER && to->kind != EMU_R)) {
        emu_fail(at, "unknown mode");
    } else if (to->kind == EMU_R && from->kind == EMU_BARRIER) {
        if (to->index != 255)
            warp->r[to->index][at->lane] = warp->b[from->index];
        if (has(at, MOD_CLEAR) && !(at->active >> at->lane >> 1))
            warp->b[from->index] = 0;
    } else if (to->kind == EMU_BARRIER && at->lane == EMU_FIRST_LANE(at->active)) {
        warp->b[to->index] = from->kind == EMU_BARRIER ? warp->b[from->index] : emu_get(at, 1);
    }
}

const struct emu_row emu_lane_rows[] = {
    {"SHFL", NULL, shfl, 1, true, 0},
    {"VOTE", NULL, vote, 0, true, 1},
    {"VOTEU", NULL, vote, 0, true, 1},
    {"MATCH", NULL, match, 1, true, 0},
    {"REDUX", NULL, redux, 0, true, 0},
    {"R2UR", NULL, r2ur, 1, true, 0},
    {"S2R", special, NULL, 0, true, 0},
    {"S2UR", special, NULL, 0, true, 0},
    {"CS2R", special, NULL, 0, true, 0},
    {"BMOV", bmov, NULL, 0, false, 0},
    {0},
};
