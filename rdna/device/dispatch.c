// SPDX-License-Identifier: Apache-2.0
#include "device/dispatch.h"

#include <string.h>

// Offsets of COMPUTE_* in SET_SH_REG, in dwords.
enum {
    START_X = 0x204,
    NUM_THREAD_X = 0x207,
    PGM_LO = 0x20c,
    PGM_HI = 0x20d,
    PGM_RSRC1 = 0x212,
    PGM_RSRC2 = 0x213,
    SCRATCH_LO = 0x210,
    SCRATCH_HI = 0x211,
    TMPRING_SIZE = 0x218,
    PGM_RSRC3 = 0x228,
    USER_DATA_0 = 0x240,
};

enum {
    INITIATOR_PARTIAL = 1 << 1,
    INITIATOR_FORCE_START = 1 << 2,
    INITIATOR_THREADS = 1 << 5, // the dimensions count threads
    INITIATOR_WAVE32 = 1 << 15,
    MAX_THREADS = 1024,
    M0 = 124, // the register
};

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
    return word >> low & ((UINT32_C(1) << bits) - 1);
}

static uint64_t sign_extended(uint64_t address) // of 48 bits
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

static bool read_size(struct rdna_device *device, const uint32_t groups[3], uint32_t initiator,
                      struct dispatch *dispatch)
{
    uint64_t threads = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t reg = device->sh[NUM_THREAD_X + i];
        const uint32_t whole = field(reg, 0, 16);
        dispatch->threads[i] = whole;
        dispatch->partial[i] = whole;
        dispatch->groups[i] = groups[i];
        threads *= whole;
        if (threads == 0 || threads > MAX_THREADS)
            return device_end(device, "not emulated: a workgroup of %u threads in dimension %u",
                              (unsigned)whole, i);
        if (initiator & INITIATOR_THREADS) {
            dispatch->groups[i] = groups[i] / whole + (groups[i] % whole != 0);
            if (groups[i] % whole)
                dispatch->partial[i] = groups[i] % whole;
        } else if (initiator & INITIATOR_PARTIAL && field(reg, 16, 16)) {
            dispatch->partial[i] = field(reg, 16, 16);
        }
        if (dispatch->partial[i] > whole)
            return device_end(device, "not emulated: a partial workgroup over a whole one");
        if (device->sh[START_X + i] && !(initiator & INITIATOR_FORCE_START))
            return device_end(device, "not emulated: a dispatch that does not start at 0");
    }
    dispatch->group_threads = (uint32_t)threads;
    return true;
}

bool dispatch_read(struct rdna_device *device, const uint32_t groups[3], uint32_t initiator,
                   struct dispatch *dispatch)
{
    const uint32_t *sh = device->sh;
    const uint32_t rsrc1 = sh[PGM_RSRC1], rsrc2 = sh[PGM_RSRC2], rsrc3 = sh[PGM_RSRC3];
    *dispatch = (struct dispatch){0};
    if (!(initiator & 1))
        return true; // no workgroups
    if (!read_size(device, groups, initiator, dispatch))
        return false;
    dispatch->lanes = initiator & INITIATOR_WAVE32 ? 32 : 64;
    dispatch->waves = (dispatch->group_threads + dispatch->lanes - 1) / dispatch->lanes;
    dispatch->code =
        sign_extended((uint64_t)sh[PGM_LO] << 8 | (uint64_t)field(sh[PGM_HI], 0, 8) << 40);
    dispatch->vgprs = (field(rsrc1, 0, 6) + 1) * (dispatch->lanes == 32 ? 8 : 4);
    const bool is_new = device->generation >= RDNA_GFX11,
               is_newest = device->generation >= RDNA_GFX12;
    dispatch->shared_vgprs = dispatch->lanes == 64 && !is_newest ? 8 * field(rsrc3, 0, 4) : 0;
    if (dispatch->vgprs + dispatch->shared_vgprs > RDNA_VGPRS)
        return device_end(device, "not emulated: %u VGPRs", dispatch->vgprs);
    // GFX12 always has what DX10_CLAMP was, and never IEEE_MODE.
    dispatch->mode =
        field(rsrc1, 12, 8) | (is_newest ? 1 : field(rsrc1, 21, 1) | field(rsrc1, 23, 1) << 1) << 8;
    dispatch->wgp = field(rsrc1, 29, 1);
    dispatch->rsrc2 = rsrc2;
    dispatch->user_sgprs = field(rsrc2, 1, 5);
    if (dispatch->user_sgprs > 16)
        return device_end(device, "not emulated: %u user SGPRs", dispatch->user_sgprs);
    memcpy(dispatch->user, &sh[USER_DATA_0], sizeof(dispatch->user));
    dispatch->lds_size = field(rsrc2, 15, 9) * 512;
    if (dispatch->lds_size > 65536)
        return device_end(device, "not emulated: LDS of %u bytes", (unsigned)dispatch->lds_size);
    dispatch->scratch = is_new ? field(sh[TMPRING_SIZE], 12, is_newest ? 18 : 15) * 256
                               : field(sh[TMPRING_SIZE], 12, 13) * 1024;
    dispatch->scratch_base =
        is_new ? (uint64_t)sh[SCRATCH_LO] << 8 | (uint64_t)field(sh[SCRATCH_HI], 0, 8) << 40 : 0;
    dispatch->scratch_waves = field(sh[TMPRING_SIZE], 0, 12);
    if (field(rsrc2, 0, 1) && dispatch->scratch_waves < dispatch->waves)
        return device_end(device, "not emulated: scratch of %u waves", dispatch->scratch_waves);
    return true;
}

static void set_lanes(const struct dispatch *dispatch, const uint32_t group[3], unsigned first,
                      struct rdna_wave *wave)
{
    const unsigned ids = field(dispatch->rsrc2, 11, 2);
    uint64_t exec = 0;
    uint32_t size[3];
    for (unsigned i = 0; i < 3; i++)
        size[i] = group[i] + 1 == dispatch->groups[i] ? dispatch->partial[i] : dispatch->threads[i];
    for (unsigned lane = 0; lane < dispatch->lanes; lane++) {
        const uint32_t thread = first + lane;
        const uint32_t id[3] = {thread % size[0], thread / size[0] % size[1],
                                thread / size[0] / size[1]};
        if (id[2] >= size[2])
            continue;
        exec |= UINT64_C(1) << lane;
        if (wave->generation == RDNA_GFX10_3)
            for (unsigned i = 0; i <= ids && i < 3; i++)
                wave->vgpr[i][lane] = id[i];
        else
            wave->vgpr[0][lane] = id[0] | id[1] << 10 | id[2] << 20;
    }
    wave->sgpr[RDNA_EXEC] = (uint32_t)exec;
    wave->sgpr[RDNA_EXEC + 1] = (uint32_t)(exec >> 32);
}

static void place(const struct dispatch *dispatch, uint64_t number, uint32_t group[3])
{
    const uint64_t row = number / dispatch->groups[0];
    group[0] = (uint32_t)(number % dispatch->groups[0]);
    group[1] = (uint32_t)(row % dispatch->groups[1]);
    group[2] = (uint32_t)(row / dispatch->groups[1]);
}

unsigned dispatch_waves(const struct dispatch *dispatch, uint64_t number)
{
    uint32_t group[3], threads = 1;
    place(dispatch, number, group);
    for (unsigned i = 0; i < 3; i++)
        threads *=
            group[i] + 1 == dispatch->groups[i] ? dispatch->partial[i] : dispatch->threads[i];
    return (threads + dispatch->lanes - 1) / dispatch->lanes;
}

void dispatch_begin(struct rdna_device *device, const struct dispatch *dispatch, uint64_t number,
                    unsigned index, unsigned slot, struct rdna_wave *wave)
{
    uint32_t group[3];
    place(dispatch, number, group);
    wave->generation = device->generation;
    wave->lanes = dispatch->lanes;
    wave->vgprs = dispatch->vgprs;
    wave->shared_vgprs = dispatch->shared_vgprs;
    wave->pc = dispatch->code;
    wave->mode = dispatch->mode;
    wave->scc = false;
    wave->flat_scratch =
        dispatch->scratch_base ? dispatch->scratch_base + (uint64_t)slot * dispatch->scratch : 0;
    wave->hw_id[0] = slot % 16;
    wave->hw_id[1] = 0;
    const uint32_t random = (uint32_t)device_random(device);
    for (unsigned i = 0; i < 128; i++)
        wave->sgpr[i] = i == M0 ? 0 : random; // RADV's ds_append relies on it
    for (unsigned i = 0; i < dispatch->vgprs + dispatch->shared_vgprs; i++)
        for (unsigned lane = 0; lane < RDNA_LANES; lane++)
            wave->vgpr[i][lane] = random;
    unsigned sgpr = dispatch->user_sgprs;
    memcpy(wave->sgpr, dispatch->user, sgpr * sizeof(*wave->sgpr));
    set_lanes(dispatch, group, index * dispatch->lanes, wave);
    const bool is_newest = device->generation >= RDNA_GFX12;
    if (is_newest) {
        wave->sgpr[RDNA_TTMP + 7] = (group[1] & 0xffff) | group[2] << 16;
        wave->sgpr[RDNA_TTMP + 8] = index << 25;
        wave->sgpr[RDNA_TTMP + 9] = group[0];
    }
    for (unsigned i = 0; i < 3 && !is_newest; i++)
        if (field(dispatch->rsrc2, 7 + i, 1))
            wave->sgpr[sgpr++] = group[i];
    if (field(dispatch->rsrc2, 10, 1))
        wave->sgpr[sgpr++] = dispatch_waves(dispatch, number) | index << 6 | index << 20 |
                             (uint32_t)(index == 0) << 31;
    if (field(dispatch->rsrc2, 0, 1) && device->generation == RDNA_GFX10_3)
        wave->sgpr[sgpr++] = slot * dispatch->scratch;
}

bool dispatch_execute(struct rdna_device *device, const uint32_t groups[3], uint32_t initiator)
{
    struct dispatch dispatch;
    return dispatch_read(device, groups, initiator, &dispatch) &&
           (!dispatch.waves || dispatch_run(device, &dispatch));
}
