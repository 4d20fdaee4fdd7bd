// SPDX-License-Identifier: Apache-2.0
// When a store becomes visible to whom. Under a model with weak memory every invocation has stores
// that only it can see yet; they become available to its subgroup, its workgroup and the device
// when the Vulkan memory model says so, and by chance at any time. On the other side a load may
// still see what a location held before, as long as nothing has made the newer value visible to the
// invocation. docs/simt-memory.md has the rules.
#pragma once

#include "lanes.h"

#include <stdbool.h>
#include <stdint.h>

struct exec;
struct past; // memory/past.h

enum order_rules {
    ORDER_VULKAN,  // the Vulkan memory model, and nothing more
    ORDER_RELAXED, // atomics do not order anything, and are late themselves; control barriers order
    ORDER_TORN,    // as ORDER_VULKAN, but what reads and writes is no single step
};

struct order; // of one workgroup

// For a workgroup of `subgroups` subgroups of `width` lanes. Random choices come from the exec that
// is passed to each call; its subgroup_id says which subgroup acts. Used again for the next
// workgroup after order_finish. `past` stays the caller's: all workgroups that a thread has in
// flight share one, so that they can see each other's old values; past_forget must be called when a
// dispatch begins. One thread at a time. NULL: out of host memory.
struct order *order_create(enum order_rules rules, uint32_t subgroups, uint32_t width,
                           struct past *past);
// Stores that are still pending are dropped: memory may already be gone.
void order_free(struct order *order);

// One scalar of 1, 2, 4 or 8 bytes for one lane of the exec's subgroup. Checks bounds and reports
// faults (a load then gives 0, a store does nothing). With exec->order NULL the access goes
// straight to memory, by single host accesses of that size where the address is aligned. `flags`
// are ACCESS_*, and the scope of ACCESS_VISIBLE and ACCESS_AVAILABLE << ORDER_SCOPE_SHIFT.
#define ORDER_SCOPE_SHIFT 16
uint64_t order_load(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                    uint32_t flags);
// The same for all lanes that execute, each `offset` bytes behind its pointer; only with an order.
void order_loads(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                 uint32_t flags, uint64_t *values);
void order_store(struct exec *exec, unsigned lane, uint64_t address, uint32_t size, uint64_t value,
                 uint32_t flags);
void order_stores(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                  uint32_t flags, const uint64_t *values);

// What an atomic instruction does to 4 or 8 bytes. `modify` computes the new value; it may be
// called several times. Scope and semantics as in SPIR-V.
typedef uint64_t order_modify(uint64_t old, uint64_t value, uint32_t bits);
enum order_action {
    ORDER_LOAD,
    ORDER_STORE,   // `value`
    ORDER_MODIFY,  // by `modify`
    ORDER_COMPARE, // `value` if it was `compare`
};
struct order_atomic {
    enum order_action action;
    order_modify *modify;
    uint64_t value, compare;
    uint32_t scope, semantics;
    uint32_t unequal; // semantics of ORDER_COMPARE where it was not
};
// Returns the value before (0 for a store).
uint64_t order_atomic(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                      const struct order_atomic *atomic);

// OpMemoryBarrier, and the memory part of OpControlBarrier (is_control), for one lane. The latter
// is called when all invocations have arrived, for all of them and then for all of them again,
// before any continues: what the last one releases must be there before the first one acquires.
void order_fence(struct exec *exec, unsigned lane, uint32_t scope, uint32_t semantics,
                 bool is_control);

// Called by the scheduler now and then: some stores that nothing has ordered become visible.
void order_drift(struct exec *exec);
// An invocation ended; all of a workgroup ended: everything it stored becomes available to the
// device. Memory must stay where it is until then.
void order_end_lane(struct exec *exec, unsigned lane);
void order_finish(struct exec *exec);
