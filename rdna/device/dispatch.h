// SPDX-License-Identifier: Apache-2.0
// A dispatch: what its registers say, and the state in which its waves begin.
#pragma once

#include "device/wave.h"

struct dispatch {
    uint64_t code;       // where each wave begins
    uint32_t groups[3];  // workgroups
    uint32_t threads[3]; // of a whole workgroup
    uint32_t partial[3]; // of the last workgroup in each dimension
    unsigned lanes;      // of a wave
    unsigned vgprs, shared_vgprs;
    uint32_t lds_size;      // bytes
    uint32_t scratch;       // bytes of a wave, if it has any
    uint64_t scratch_base;  // GFX11: an address
    unsigned scratch_waves; // how many waves can have scratch
    uint32_t mode;
    bool wgp; // the workgroup's waves run on both units of its WGP
    unsigned user_sgprs;
    uint32_t rsrc2;
    uint32_t user[16];
    uint32_t group_threads; // product of threads
    unsigned waves;         // of a workgroup
};

// Reads the registers. False: the device's `ended` says why.
bool dispatch_read(struct rdna_device *device, const uint32_t groups[3], uint32_t initiator,
                   struct dispatch *dispatch);

// The registers of wave `index` of workgroup `number` (in launch order) at its start; the others
// keep random bits. `slot` numbers the resident waves.
void dispatch_begin(struct rdna_device *device, const struct dispatch *dispatch, uint64_t number,
                    unsigned index, unsigned slot, struct rdna_wave *wave);

// How many waves a workgroup has: one that is partial may have fewer.
unsigned dispatch_waves(const struct dispatch *dispatch, uint64_t number);

// Executes all of it. False: `ended` says why.
bool dispatch_run(struct rdna_device *device, const struct dispatch *dispatch);
