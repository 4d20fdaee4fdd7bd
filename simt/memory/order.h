// SPDX-License-Identifier: Apache-2.0
// When a store becomes visible to whom. Under a weak memory model each invocation has stores that
// only it can see; they become available to its subgroup, its workgroup and the device when the
// Vulkan memory model requires it, or at random. Conversely, a load may see an old value of a
// location as long as nothing has made the newer one visible to the invocation. docs/simt-memory.md
// has the rules.
#pragma once

#include "lanes.h"

#include <stdbool.h>
#include <stdint.h>

struct exec;
struct past; // memory/past.h

enum order_rules {
    ORDER_VULKAN,  // exactly the Vulkan memory model
    ORDER_RELAXED, // atomics order nothing and are late themselves; control barriers order
    ORDER_TORN,    // as ORDER_VULKAN, but read-modify-writes are not atomic
};

struct order; // of one workgroup

// For a workgroup of `subgroups` subgroups of `width` lanes. Random choices come from the exec
// passed to each call, whose subgroup_id names the acting subgroup. Reusable for the next workgroup
// after order_finish. `past` is the caller's: all workgroups that a thread has in flight share one,
// so that they see each other's old values; call past_forget when a dispatch begins. Not
// thread-safe. NULL: out of host memory.
struct order *order_create(enum order_rules rules, uint32_t subgroups, uint32_t width,
                           struct past *past);
// Drops pending stores, since their memory may already be gone.
void order_free(struct order *order);

// One scalar of 1, 2, 4 or 8 bytes for one lane of the exec's subgroup. Checks bounds and reports
// faults (a load then gives 0, a store does nothing). With exec->order NULL it accesses memory
// directly, by a single host access of that size if aligned. `flags` are ACCESS_*, and the scope of
// ACCESS_VISIBLE and ACCESS_AVAILABLE << ORDER_SCOPE_SHIFT.
#define ORDER_SCOPE_SHIFT 16
uint64_t order_load(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                    uint32_t flags);
// The same for all executing lanes, each `offset` bytes after its pointer; only with an order.
void order_loads(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                 uint32_t flags, uint64_t *values);
void order_store(struct exec *exec, unsigned lane, uint64_t address, uint32_t size, uint64_t value,
                 uint32_t flags);
void order_stores(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                  uint32_t flags, const uint64_t *values);

// An atomic operation on 4 or 8 bytes. `modify` computes the new value, and may be called several
// times. Scope and semantics as in SPIR-V.
typedef uint64_t order_modify(uint64_t old, uint64_t value, uint32_t bits);
enum order_action {
    ORDER_LOAD,
    ORDER_STORE,   // stores `value`
    ORDER_MODIFY,  // stores the result of `modify`
    ORDER_COMPARE, // stores `value` if the old value is `compare`
};
struct order_atomic {
    enum order_action action;
    order_modify *modify;
    uint64_t value, compare;
    uint32_t scope, semantics;
    uint32_t unequal; // ORDER_COMPARE: semantics if unequal
};
// Returns the old value (0 for a store).
uint64_t order_atomic(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                      const struct order_atomic *atomic);

// OpMemoryBarrier, and the memory part of OpControlBarrier (is_control), for one lane. For the
// latter, call it for all invocations once all have arrived, and then for all of them again before
// any continues: the last one's releases must precede the first one's acquires.
void order_fence(struct exec *exec, unsigned lane, uint32_t scope, uint32_t semantics,
                 bool is_control);

// Called by the scheduler from time to time: makes some unordered stores visible.
void order_drift(struct exec *exec);
// An invocation ended; all of a workgroup ended, which makes everything it stored available to the
// device. Memory must remain valid until then.
void order_end_lane(struct exec *exec, unsigned lane);
void order_finish(struct exec *exec);
