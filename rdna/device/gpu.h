// SPDX-License-Identifier: Apache-2.0
// An AMD GPU in software: it executes command streams (PM4) and the dispatches in them.
#pragma once

#include "../settings.h"
#include "device/space.h"
#include "rdna.h"

// Registers of the command processor that dispatches read: SET_SH_REG's, by their offset in dwords.
enum { SH_REGISTERS = 0x400 };

enum { RDNA_WAVES = 64 }; // resident at most

struct caches;
struct wave;

struct rdna_device {
    enum rdna_generation generation;
    struct rdna_settings settings;
    struct space space;
    struct caches *caches;          // NULL: coherent
    struct wave *waves[RDNA_WAVES]; // of the dispatch being executed; NULL: not needed yet
    uint64_t random;                // the state of its generator
    uint64_t clock;                 // instructions executed
    uint64_t steps;                 // instructions of the submission; in order, of the workgroup
    uint32_t sh[SH_REGISTERS];
    uint64_t indirect_base;         // SET_BASE
    bool fault_reached;             // the faulty instruction has been executed
    bool fault_matters;             // the faulty instruction would have had an effect
    bool loses_bits;                // the faulty instruction's access has no cache bits
    void (*tell)(const char *line); // of settings.lists; NULL: nobody listens
    bool in_order;                  // a workgroup after another, its waves in turns
    // Sees one wave's registers, after the instruction at pc; 0: before the first. NULL: nobody
    // does.
    void (*watch)(void *watcher, const struct rdna_wave *wave, uint64_t pc);
    void *watcher;
    uint64_t watched_group; // in launch order
    unsigned watched_index; // of a wave in its workgroup
    // Why the submission ended: "not emulated: " follows from it, or a fault. Empty: it has not.
    char ended[160];
};

// Zero-initialize, set `generation` and `settings`, then open. False: no memory.
bool rdna_open(struct rdna_device *device);
void rdna_close(struct rdna_device *device);

// Executes an indirect buffer. False: `ended` says why.
bool rdna_submit(struct rdna_device *device, uint64_t address, uint32_t dwords);

// What the parts of the device share.

// Executes a dispatch with the registers of `sh`; groups: workgroups in x, y, z (threads where the
// initiator says so). False: `ended` says why.
bool dispatch_execute(struct rdna_device *device, const uint32_t groups[3], uint32_t initiator);

// Sets `ended`, once. Always false.
__attribute__((format(printf, 2, 3))) bool device_end(struct rdna_device *device,
                                                      const char *format, ...);

uint64_t device_random(struct rdna_device *device);
static inline uint64_t device_below(struct rdna_device *device, uint64_t bound) // 0 to bound - 1
{
    return device_random(device) % bound;
}
