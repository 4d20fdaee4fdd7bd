// SPDX-License-Identifier: Apache-2.0
// The waves of a dispatch that are resident, and their operations in flight.
#pragma once

#include "device/gpu.h"
#include "rdna.h"

// At most so many operations of a wave are in flight: vmcnt counts to 63.
enum { IN_FLIGHT = 64 };

struct operation {
    struct rdna_access access; // `values` of a load are the bytes it read, once `performed`
    uint64_t lines; // the cache lines it accesses, hashed: operations without a common bit
                    // access different ones
    uint64_t age;   // the device's clock when a store is performed by itself
    uint64_t left;  // the device's clock when it left the wave for the compute unit; 0: it has not
    bool performed; // memory has been read or written
};

struct workgroup {
    uint8_t *lds;
    uint32_t lds_size;              // bytes
    unsigned waves, ended, arrived; // at the barrier
    bool busy;
};

enum wave_state { WAVE_FREE, WAVE_RUNS, WAVE_WAITS, WAVE_ENDED };

struct wave {
    struct rdna_wave registers;
    enum wave_state state;
    struct workgroup *group;
    unsigned unit; // the compute unit that it runs on
    bool shares;   // which all waves of its workgroup do (CU mode)
    bool watched;
    bool is_slow; // at a wait, or at its end, it performs an operation a turn
    bool ends;    // which one
    bool passes;  // all arrived at the barrier after the wave last waited there
    unsigned in_flight;
    struct operation *operations; // IN_FLIGHT of them, oldest first in `order`; NULL in `prompt`
    uint8_t order[IN_FLIGHT];
};

struct wave *wave_new(bool is_prompt); // NULL: no memory. Free with wave_free
void wave_free(struct wave *wave);     // NULL is fine

// What the instructions call (struct rdna_memory_ops): context is the machine.
struct machine {
    struct rdna_device *device;
    struct wave *current;
};
void wave_access(void *context, struct rdna_wave *registers, const struct rdna_access *access);

// Lands the operations that the wave's wait is for.
void wave_wait(struct machine *machine, struct wave *wave);

// Whether it is for any that is in flight.
bool wave_waits(struct wave *wave);

// Does the invalidations of the wave's `caches`. `kept`: a seeded fault keeps it from doing so.
void wave_invalidate(struct machine *machine, const struct wave *wave, bool kept);

// Performs one of the operations in flight, whichever. False: all have been.
bool wave_perform_any(struct machine *machine, struct wave *wave);

// At any step: performs stores that are old enough; in `random`, lands what chance says.
void wave_age(struct machine *machine, struct wave *wave);

// Performs one access. Loads and returning atomics leave the bytes that they read in
// results[element][dword][lane] (a scalar load: results[0][0][dword]).
typedef uint32_t rdna_results[RDNA_ELEMENTS][RDNA_DWORDS][RDNA_LANES];
void access_perform(struct machine *machine, const struct wave *wave,
                    const struct rdna_access *access, rdna_results results);

// Which word of a register is a lane's: two lanes have each word of a shared one.
static inline unsigned access_lane(const struct rdna_wave *registers, unsigned number,
                                   unsigned lane)
{
    return registers->shared_vgprs && number >= registers->vgprs ? lane % 32 : lane;
}

// Writes the results to the wave's registers.
void access_land(struct rdna_wave *registers, const struct rdna_access *access,
                 rdna_results results);
