// SPDX-License-Identifier: Apache-2.0
// Late stores and early loads. A store waits at the level of its invocation, its subgroup or its
// workgroup before it reaches memory, the level of the device; a release moves waiting stores to
// the level of its scope. A load may return what a level held at any time since the invocation last
// acquired there and last touched the location.
#include "memory/order.h"

#include "program/execution.h"
#include "program/instructions.h"
#include "memory/host.h"
#include "memory/past.h"
#include "memory/pending.h"

#include <stdlib.h>
#include <string.h>

#define SEEN_BITS    6   // size of the table of an invocation's last accesses
#define STALE_CHANCE 4   // an old value is taken one time in this many
#define DRIFT_MAX    4   // invocations with a sinking store per drift
#define DRIFT_LOOKS  128 // invocations examined per drift

// Classes of ordering (memory/pending.h): buffers, shared memory and images have separate
// semantics, and under ORDER_RELAXED fewer things order atomic accesses.
enum access { ACCESS_PLAIN, ACCESS_ATOMIC, ACCESS_COUNT };

// The time up to which overwrites are visible, by level.
struct view {
    uint64_t until[LEVEL_COUNT];
};

struct viewer {
    struct pending pending;
    struct view view[ACCESS_COUNT][CLASS_COUNT];
};

struct invocation {
    struct viewer viewer;
    // When the invocation last saw a location, by a hash of its word. Words that share an entry
    // make each other's later.
    uint64_t seen[1u << SEEN_BITS];
};

struct order {
    enum order_rules rules;
    uint32_t subgroup_count, width;
    struct past *past;
    uint32_t number; // for `past`: the workgroup's; those of its subgroups follow
    struct viewer workgroup;
    struct viewer *subgroups;
    struct invocation *invocations; // [subgroup * width + lane]
};

// An invocation or a subgroup, with all that contain it.
struct path {
    struct order *order;
    struct viewer *viewers[LEVEL_DEVICE];
    uint32_t number[LEVEL_COUNT]; // of the lane, subgroup and workgroup; 0
    struct invocation *invocation;
};

// Some bytes of a granule.
struct part {
    uintptr_t granule;
    uint8_t bytes;
    enum memory_class class;
};

static void begin(struct order *order)
{
    order->number = past_numbers(order->past, 1 + order->subgroup_count);
    memset(&order->workgroup, 0, sizeof order->workgroup);
    memset(order->subgroups, 0, order->subgroup_count * sizeof *order->subgroups);
    memset(order->invocations, 0,
           (size_t)order->subgroup_count * order->width * sizeof *order->invocations);
}

struct order *order_create(enum order_rules rules, uint32_t subgroups, uint32_t width,
                           struct past *past)
{
    struct order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    order->rules = rules;
    order->subgroup_count = subgroups;
    order->width = width;
    order->past = past;
    order->subgroups = calloc(subgroups, sizeof *order->subgroups);
    order->invocations = calloc((size_t)subgroups * width, sizeof *order->invocations);
    if (!order->subgroups || !order->invocations) {
        order_free(order);
        return NULL;
    }
    begin(order);
    return order;
}

void order_free(struct order *order)
{
    if (!order)
        return;
    free(order->subgroups);
    free(order->invocations);
    free(order);
}

static ALWAYS_INLINE struct path path_of(struct order *order, uint32_t subgroup, unsigned lane)
{
    struct invocation *invocation = &order->invocations[(size_t)subgroup * order->width + lane];
    return (struct path){
        .order = order,
        .viewers = {&invocation->viewer, &order->subgroups[subgroup], &order->workgroup},
        .number = {lane, order->number + 1 + subgroup, order->number, 0},
        .invocation = invocation,
    };
}

// Switches to another lane of the subgroup; `first` is its first lane.
static ALWAYS_INLINE void path_turn(struct path *path, struct invocation *first, unsigned lane)
{
    path->invocation = first + lane;
    path->viewers[LEVEL_LANE] = &path->invocation->viewer;
    path->number[LEVEL_LANE] = lane;
}

// Splits an access at granule boundaries into one or two parts. `shift`: the part's position in its
// granule; `done`: bits of the value before it.
struct cut {
    struct part part;
    unsigned shift, done;
};

static ALWAYS_INLINE unsigned cut_access(uintptr_t at, uint32_t size, enum memory_class class,
                                         struct cut cuts[2])
{
    const unsigned skip = at & 7, bytes = (1u << size) - 1;
    cuts[0] = (struct cut){{at - skip, (uint8_t)(bytes << skip), class}, 8 * skip, 0};
    if (skip + size <= 8)
        return 1;
    const unsigned first = 8 - skip;
    cuts[1] = (struct cut){{at - skip + 8, (uint8_t)(bytes >> first), class}, 0, 8 * first};
    return 2;
}

// Accesses memory itself, touching only the given bytes.

static ALWAYS_INLINE uint64_t memory_read(uintptr_t granule, uint8_t bytes)
{
    const unsigned char *at = (const unsigned char *)granule;
    if (bytes == 0xff)
        return host_load(at, 8);
    if (bytes == 0x0f)
        return host_load(at, 4);
    if (bytes == 0xf0)
        return host_load(at + 4, 4) << 32;
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        if (bytes >> i & 1)
            value |= host_load(at + i, 1) << 8 * i;
    return value;
}

static void memory_write(uintptr_t granule, uint8_t bytes, uint64_t value)
{
    unsigned char *at = (unsigned char *)granule;
    if (bytes == 0xff)
        host_store(at, 8, value);
    else if (bytes == 0x0f)
        host_store(at, 4, value);
    else if (bytes == 0xf0)
        host_store(at + 4, 4, value >> 32);
    else
        for (unsigned i = 0; i < 8; i++)
            if (bytes >> i & 1)
                host_store(at + i, 1, value >> 8 * i);
}

// Records in advance that a store arrives at the levels above `from` up to `to`.
static void note(const struct path *path, const struct part *part, enum level from, enum level to)
{
    uint64_t old = memory_read(part->granule, part->bytes);
    for (enum level level = LEVEL_DEVICE; level > from; level--) {
        if (level < LEVEL_DEVICE)
            pending_overlay(&path->viewers[level]->pending, part->granule, part->bytes, &old);
        // Shared memory has no other observers, and its next user must not see it.
        if (level > to || (level == LEVEL_DEVICE && part->class == CLASS_SHARED))
            continue;
        past_note(path->order->past, &(struct overwrite){
                                         .granule = part->granule,
                                         .old = old,
                                         .instance = path->number[level],
                                         .source = path->number[level - 1],
                                         .bytes = part->bytes,
                                         .level = (uint8_t)level,
                                     });
    }
}

// Moves stores to these bytes that wait between levels `from` and `to`, exclusive, to `to`.
static void clear_way(const struct path *path, const struct part *part, enum level from,
                      enum level to);

// Moves a store, already taken from level `from`, to level `to`. If there is no room, the oldest
// store there moves one level further.
static void move(const struct path *path, const struct store *store, enum level from, enum level to)
{
    const struct part part = {store->granule, store->bytes, store->class};
    clear_way(path, &part, from, to);
    note(path, &part, from, to);
    if (to == LEVEL_DEVICE) {
        memory_write(store->granule, store->bytes, store->value);
        return;
    }
    struct pending *pending = &path->viewers[to]->pending;
    if (!pending_put(pending, store)) {
        const struct store oldest = pending_take(pending, 0);
        move(path, &oldest, to, to + 1);
        pending_put(pending, store);
    }
}

static void clear_way(const struct path *path, const struct part *part, enum level from,
                      enum level to)
{
    for (enum level level = to; level-- > from + 1;) {
        struct pending *pending = &path->viewers[level]->pending;
        uint32_t i;
        while ((i = pending_find(pending, part->granule, part->bytes)) < PENDING_MAX) {
            const struct store older = pending_take(pending, i);
            move(path, &older, level, to);
        }
    }
}

// Moves everything of the path that waits for these bytes to memory.
static void push_bytes(const struct path *path, const struct part *part)
{
    clear_way(path, part, LEVEL_LANE, LEVEL_DEVICE);
    struct pending *pending = &path->viewers[LEVEL_LANE]->pending;
    uint32_t i;
    while ((i = pending_find(pending, part->granule, part->bytes)) < PENDING_MAX) {
        const struct store own = pending_take(pending, i);
        move(path, &own, LEVEL_LANE, LEVEL_DEVICE);
    }
}

// Release and acquire.

struct ordering {
    enum level level;
    bool classes[CLASS_COUNT];
    bool releases[ACCESS_COUNT], acquires[ACCESS_COUNT], passes_on[ACCESS_COUNT];
};

static enum level level_of(uint32_t scope)
{
    switch (scope) {
    case SpvScopeInvocation:
        return LEVEL_LANE;
    case SpvScopeSubgroup:
        return LEVEL_SUBGROUP;
    case SpvScopeWorkgroup:
        return LEVEL_WORKGROUP;
    default: // QueueFamily, Device and larger
        return LEVEL_DEVICE;
    }
}

static struct ordering ordering_of(const struct exec *exec, uint32_t scope, uint32_t semantics)
{
    const bool both = semantics & (SpvMemorySemanticsAcquireReleaseMask |
                                   SpvMemorySemanticsSequentiallyConsistentMask);
    const bool releases = both || semantics & SpvMemorySemanticsReleaseMask;
    const bool acquires = both || semantics & SpvMemorySemanticsAcquireMask;
    // Atomic accesses need no availability or visibility operation. Without the Vulkan memory model
    // no access does: release and acquire imply it.
    const bool implied = !exec->program->vulkan_memory_model;
    return (struct ordering){
        .level = level_of(scope),
        .classes = {semantics & SpvMemorySemanticsUniformMemoryMask,
                    semantics & SpvMemorySemanticsWorkgroupMemoryMask,
                    semantics & SpvMemorySemanticsImageMemoryMask},
        .releases = {releases && (implied || semantics & SpvMemorySemanticsMakeAvailableMask),
                     releases},
        .acquires = {acquires && (implied || semantics & SpvMemorySemanticsMakeVisibleMask),
                     acquires},
        .passes_on = {releases, releases},
    };
}

static bool is_ordered(const struct ordering *ordering, const struct store *store)
{
    return ordering->classes[store->class] &&
           ordering->releases[store->is_atomic ? ACCESS_ATOMIC : ACCESS_PLAIN] &&
           !store->is_private;
}

// Cumulative: stores that others released to a level of the scope move on as well, and first.
static void release(const struct path *path, const struct ordering *ordering)
{
    for (enum level level = ordering->level; level-- > LEVEL_LANE;) {
        struct pending *pending = &path->viewers[level]->pending;
        for (uint32_t i = 0; i < pending->count;) {
            if (!is_ordered(ordering, &pending->stores[i])) {
                i++;
                continue;
            }
            const struct store store = pending_take(pending, i);
            move(path, &store, level, ordering->level);
        }
    }
}

static void raise_to(uint64_t *time, uint64_t least)
{
    if (*time < least)
        *time = least;
}

// Makes visible what has reached the levels of the scope; of the levels beyond, what an invocation
// in the scope has passed on.
static void acquire_view(const struct path *path, enum level scope, enum access access,
                         enum memory_class class)
{
    struct view *own = &path->viewers[LEVEL_LANE]->view[access][class];
    for (enum level level = LEVEL_SUBGROUP; level <= scope; level++)
        raise_to(&own->until[level], path->order->past->now);
    for (enum level with = LEVEL_SUBGROUP; with <= scope && with < LEVEL_DEVICE; with++)
        for (enum level level = scope + 1; level <= LEVEL_DEVICE; level++)
            raise_to(&own->until[level], path->viewers[with]->view[access][class].until[level]);
}

// A release passes the invocation's view on to those in the scope that acquire.
static void pass_on_view(const struct path *path, enum level scope, enum access access,
                         enum memory_class class)
{
    const struct view *own = &path->viewers[LEVEL_LANE]->view[access][class];
    for (enum level with = LEVEL_SUBGROUP; with <= scope && with < LEVEL_DEVICE; with++)
        for (enum level level = with + 1; level <= LEVEL_DEVICE; level++)
            raise_to(&path->viewers[with]->view[access][class].until[level], own->until[level]);
}

// A release that also acquires passes on what it acquired.
static void acquire(const struct path *path, const struct ordering *ordering)
{
    for (enum access access = 0; access < ACCESS_COUNT; access++)
        for (enum memory_class class = 0; class < CLASS_COUNT; class ++) {
            if (!ordering->classes[class])
                continue;
            if (ordering->acquires[access])
                acquire_view(path, ordering->level, access, class);
            if (ordering->passes_on[access])
                pass_on_view(path, ordering->level, access, class);
        }
}

// Loads.

static uint64_t *seen_of(const struct path *path, uintptr_t granule, unsigned half)
{
    return &path->invocation->seen[past_hash(granule / 4 + half, SEEN_BITS)];
}

static ALWAYS_INLINE void see(const struct path *path, const struct part *part, uint64_t time)
{
    for (unsigned half = 0; half < 2; half++)
        if (part->bytes >> 4 * half & 0xf)
            raise_to(seen_of(path, part->granule, half), time);
}

// Overwrites that a load may precede, newest first.
struct found {
    const struct overwrite *old[PAST_FOUND_MAX];
    unsigned count;
};

// Picks one at `level`, later than `after`; NULL if the load should precede none. Never one from
// before a store of the path itself, which the load must follow.
static const struct overwrite *find_old(struct exec *exec, const struct path *path,
                                        const struct part *part, const struct found *found,
                                        enum level level, uint64_t after)
{
    for (unsigned i = 0; i < found->count; i++) {
        const struct overwrite *old = found->old[i];
        if (old->time <= after)
            return NULL;
        if (old->level != level || old->instance != path->number[level])
            continue;
        if (old->source == path->number[level - 1])
            return NULL;
        if ((old->bytes & part->bytes) == part->bytes && exec_random(exec) % STALE_CHANCE == 0)
            return old;
    }
    return NULL;
}

// The current value for the invocation: from the nearest level that has the bytes.
static ALWAYS_INLINE uint64_t load_newest(const struct path *path, const struct part *part)
{
    const struct store *own =
        pending_last(&path->viewers[LEVEL_LANE]->pending, part->granule, part->bytes);
    if (own)
        return own->value;
    uint64_t value = 0;
    uint8_t left = part->bytes;
    for (enum level level = LEVEL_LANE; level < LEVEL_DEVICE && left; level++)
        left &=
            (uint8_t)~pending_overlay(&path->viewers[level]->pending, part->granule, left, &value);
    if (left)
        bytes_copy(&value, memory_read(part->granule, left), left);
    return value;
}

// A current or old value; `as_of` is its time.
static uint64_t load_found(struct exec *exec, const struct path *path, const struct part *part,
                           const struct view *view, const struct found *found, uint64_t *as_of)
{
    const uint64_t now = *as_of;
    uint64_t value = memory_read(part->granule, part->bytes);
    for (enum level level = LEVEL_DEVICE;; level--) {
        if (level < LEVEL_DEVICE &&
            pending_overlay(&path->viewers[level]->pending, part->granule, part->bytes, &value))
            *as_of = now;
        if (level == LEVEL_LANE)
            return value;
        const struct overwrite *old = find_old(exec, path, part, found, level, view->until[level]);
        if (old) {
            value = old->old;
            *as_of = old->time - 1;
        }
    }
}

// `view`: the time up to which overwrites are visible; NULL: all are.
static ALWAYS_INLINE uint64_t load_part(struct exec *exec, const struct path *path,
                                        const struct part *part, const struct view *view)
{
    const struct past *past = path->order->past;
    uint64_t *low = part->bytes & 0x0f ? seen_of(path, part->granule, 0) : NULL;
    uint64_t *high = part->bytes & 0xf0 ? seen_of(path, part->granule, 1) : NULL;
    uint64_t as_of = past->now, seen = low ? *low : 0;
    if (high)
        raise_to(&seen, *high);
    struct found found;
    found.count =
        view && as_of > seen ? past_find(past, part->granule, part->bytes, seen, found.old) : 0;
    const uint64_t value =
        found.count ? load_found(exec, path, part, view, &found, &as_of) : load_newest(path, part);
    if (low)
        raise_to(low, as_of);
    if (high)
        raise_to(high, as_of);
    return value;
}

static ALWAYS_INLINE uint64_t load(struct exec *exec, const struct path *path, uintptr_t at,
                                   uint32_t size, enum memory_class class, const struct view *view)
{
    struct cut cuts[2];
    const unsigned count = cut_access(at, size, class, cuts);
    uint64_t value = load_part(exec, path, &cuts[0].part, view) >> cuts[0].shift;
    if (count > 1) {
        value &= (UINT64_C(1) << cuts[1].done) - 1;
        value |= load_part(exec, path, &cuts[1].part, view) << cuts[1].done;
    }
    return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

static enum memory_class class_of(const struct host_window *window)
{
    return window->number == LOCAL_SHARED ? CLASS_SHARED
           : window->region.extent[0]     ? CLASS_IMAGE
                                          : CLASS_BUFFER;
}

static ALWAYS_INLINE uint64_t load_at(struct exec *exec, const struct path *path,
                                      const unsigned char *at, uint32_t size,
                                      enum memory_class class, uint32_t flags)
{
    static const struct view private_view; // private accesses never become visible
    if (flags & ACCESS_VISIBLE)
        acquire_view(path, level_of(flags >> ORDER_SCOPE_SHIFT), ACCESS_PLAIN, class);
    const struct view *view = &private_view;
    if (flags & ACCESS_COHERENT)
        view = NULL;
    else if (flags & ACCESS_NON_PRIVATE)
        view = &path->viewers[LEVEL_LANE]->view[ACCESS_PLAIN][class];
    return load(exec, path, (uintptr_t)at, size, class, view);
}

static ALWAYS_INLINE void load_lanes(struct exec *exec, const uint64_t *pointers, uint32_t offset,
                                     uint32_t size, uint32_t flags, uint64_t *values)
{
    struct path path = path_of(exec->order, exec->subgroup_id, 0);
    struct invocation *first = path.invocation;
    struct host_window window = HOST_NO_WINDOW;
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const unsigned char *at =
            host_access(exec, &window, lane, pointers[lane], offset, size, false);
        path_turn(&path, first, lane);
        if (!at)
            values[lane] = 0;
        else if (window.number == LOCAL_PUSH)
            values[lane] = host_load(at, size);
        else
            values[lane] = load_at(exec, &path, at, size, class_of(&window), flags);
    }
}

void order_loads(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                 uint32_t flags, uint64_t *values)
{
    if (size == 4)
        load_lanes(exec, pointers, offset, 4, flags, values);
    else
        load_lanes(exec, pointers, offset, size, flags, values);
}

uint64_t order_load(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                    uint32_t flags)
{
    struct host_window window = HOST_NO_WINDOW;
    const unsigned char *at = host_access(exec, &window, lane, address, 0, size, false);
    if (!at)
        return 0;
    if (!exec->order || window.number == LOCAL_PUSH)
        return host_load(at, size);
    const struct path path = path_of(exec->order, exec->subgroup_id, lane);
    return load_at(exec, &path, at, size, class_of(&window), flags);
}

// Stores.

// Stores as far as level `to`; it is first pending in the invocation.
static ALWAYS_INLINE void store(const struct path *path, uintptr_t at, uint32_t size,
                                uint64_t value, const struct store *like, enum level to)
{
    struct cut cuts[2];
    const unsigned count = cut_access(at, size, like->class, cuts);
    struct pending *pending = &path->viewers[LEVEL_LANE]->pending;
    for (unsigned i = 0; i < count; i++) {
        struct store newest = *like;
        newest.granule = cuts[i].part.granule;
        newest.bytes = cuts[i].part.bytes;
        newest.value = value >> cuts[i].done << cuts[i].shift;
        see(path, &cuts[i].part, path->order->past->now);
        if (!pending_put(pending, &newest)) {
            const struct store oldest = pending_take(pending, 0);
            move(path, &oldest, LEVEL_LANE, LEVEL_SUBGROUP);
            pending_put(pending, &newest);
        }
        if (to > LEVEL_LANE) {
            newest = pending_take(pending, pending->count - 1);
            move(path, &newest, LEVEL_LANE, to);
        }
    }
}

static ALWAYS_INLINE void store_at(const struct path *path, unsigned char *at, uint32_t size,
                                   uint64_t value, enum memory_class class, uint32_t flags)
{
    const struct store like = {
        .class = class,
        .is_private = !(flags & ACCESS_NON_PRIVATE),
    };
    enum level to = LEVEL_LANE;
    if (flags & ACCESS_COHERENT)
        to = LEVEL_DEVICE;
    else if (flags & ACCESS_AVAILABLE)
        to = level_of(flags >> ORDER_SCOPE_SHIFT);
    store(path, (uintptr_t)at, size, value, &like, to);
}

static ALWAYS_INLINE void store_lanes(struct exec *exec, const uint64_t *pointers, uint32_t offset,
                                      uint32_t size, uint32_t flags, const uint64_t *values)
{
    struct path path = path_of(exec->order, exec->subgroup_id, 0);
    struct invocation *first = path.invocation;
    struct host_window window = HOST_NO_WINDOW;
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        unsigned char *at = host_access(exec, &window, lane, pointers[lane], offset, size, true);
        path_turn(&path, first, lane);
        if (at)
            store_at(&path, at, size, values[lane], class_of(&window), flags);
    }
}

void order_stores(struct exec *exec, const uint64_t *pointers, uint32_t offset, uint32_t size,
                  uint32_t flags, const uint64_t *values)
{
    if (size == 4)
        store_lanes(exec, pointers, offset, 4, flags, values);
    else
        store_lanes(exec, pointers, offset, size, flags, values);
}

void order_store(struct exec *exec, unsigned lane, uint64_t address, uint32_t size, uint64_t value,
                 uint32_t flags)
{
    struct host_window window = HOST_NO_WINDOW;
    unsigned char *at = host_access(exec, &window, lane, address, 0, size, true);
    if (!at)
        return;
    if (!exec->order) {
        host_store(at, size, value);
        return;
    }
    const struct path path = path_of(exec->order, exec->subgroup_id, lane);
    store_at(&path, at, size, value, class_of(&window), flags);
}

// Atomics.

// Operates on memory, after the invocation's own stores to it have arrived.
static uint64_t act(const struct path *path, unsigned char *at, uint32_t size,
                    enum memory_class class, const struct order_atomic *atomic, bool *differs)
{
    struct cut cut[2];
    cut_access((uintptr_t)at, size, class, cut);
    push_bytes(path, &cut->part);
    if (atomic->action != ORDER_LOAD)
        note(path, &cut->part, LEVEL_LANE, LEVEL_DEVICE);
    see(path, &cut->part, path->order->past->now);
    return host_atomic(at, size, atomic, differs);
}

// Performs a possibly stale load, and a store.
static uint64_t tear(struct exec *exec, const struct path *path, unsigned char *at, uint32_t size,
                     enum memory_class class, const struct order_atomic *atomic, bool *differs)
{
    const struct store like = {.class = class, .is_atomic = true};
    const uint64_t old = load(exec, path, (uintptr_t)at, size, class,
                              &path->viewers[LEVEL_LANE]->view[ACCESS_ATOMIC][class]);
    *differs = atomic->action == ORDER_COMPARE && old != atomic->compare;
    const uint64_t value =
        atomic->modify ? atomic->modify(old, atomic->value, 8 * size) : atomic->value;
    if (!*differs)
        store(path, (uintptr_t)at, size, value, &like, LEVEL_DEVICE);
    return old;
}

static uint64_t atomic_vulkan(struct exec *exec, const struct path *path, unsigned char *at,
                              uint32_t size, enum memory_class class,
                              const struct order_atomic *atomic)
{
    const bool changes = atomic->action == ORDER_MODIFY || atomic->action == ORDER_COMPARE;
    const bool torn = changes && path->order->rules == ORDER_TORN;
    const struct ordering ordering = ordering_of(exec, atomic->scope, atomic->semantics);
    const struct ordering unequal = ordering_of(exec, atomic->scope, atomic->unequal);
    bool differs = false;
    release(path, &ordering);
    const uint64_t old = torn ? tear(exec, path, at, size, class, atomic, &differs)
                              : act(path, at, size, class, atomic, &differs);
    acquire(path, differs ? &unequal : &ordering);
    return old;
}

// Loads and stores act like plain ones; read-modify-writes go to memory at once.
static uint64_t atomic_relaxed(struct exec *exec, const struct path *path, unsigned char *at,
                               uint32_t size, enum memory_class class,
                               const struct order_atomic *atomic)
{
    const struct store like = {.class = class, .is_atomic = true};
    bool differs;
    switch (atomic->action) {
    case ORDER_LOAD:
        return load(exec, path, (uintptr_t)at, size, class,
                    &path->viewers[LEVEL_LANE]->view[ACCESS_ATOMIC][class]);
    case ORDER_STORE:
        store(path, (uintptr_t)at, size, atomic->value, &like, LEVEL_LANE);
        return 0;
    default:
        return act(path, at, size, class, atomic, &differs);
    }
}

uint64_t order_atomic(struct exec *exec, unsigned lane, uint64_t address, uint32_t size,
                      const struct order_atomic *atomic)
{
    struct host_window window = HOST_NO_WINDOW;
    unsigned char *at =
        host_access(exec, &window, lane, address, 0, size, atomic->action != ORDER_LOAD);
    if (!at)
        return 0;
    if (!host_is_aligned(at, size)) {
        exec_fault(exec, EXEC_MISALIGNED, lane, address, size);
        return 0;
    }
    bool differs;
    if (!exec->order)
        return host_atomic(at, size, atomic, &differs);
    const struct path path = path_of(exec->order, exec->subgroup_id, lane);
    if (exec->order->rules == ORDER_RELAXED)
        return atomic_relaxed(exec, &path, at, size, class_of(&window), atomic);
    return atomic_vulkan(exec, &path, at, size, class_of(&window), atomic);
}

void order_fence(struct exec *exec, unsigned lane, uint32_t scope, uint32_t semantics,
                 bool is_control)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!exec->order)
        return;
    const struct path path = path_of(exec->order, exec->subgroup_id, lane);
    struct ordering ordering = ordering_of(exec, scope, semantics);
    if (exec->order->rules == ORDER_RELAXED && !is_control)
        ordering.releases[ACCESS_ATOMIC] = ordering.acquires[ACCESS_ATOMIC] =
            ordering.passes_on[ACCESS_ATOMIC] = false;
    release(&path, &ordering);
    acquire(&path, &ordering);
}

// Unordered stores.

// Moves one store at random one level further: stores to different locations in any order.
static void sink(struct exec *exec, const struct path *path, enum level level)
{
    struct pending *pending = &path->viewers[level]->pending;
    if (!pending->count)
        return;
    const uint32_t index = (uint32_t)(exec_random(exec) % pending->count);
    const struct store store = pending_take(pending, index);
    move(path, &store, level, level + 1);
}

void order_drift(struct exec *exec)
{
    struct order *order = exec->order;
    if (!order)
        return;
    const uint32_t count = order->subgroup_count * order->width;
    const uint64_t random = exec_random(exec);
    uint32_t left = 1 + (uint32_t)random % DRIFT_MAX; // invocations with one store each to move
    uint32_t at = (uint32_t)(random >> 32) % count;
    for (uint32_t i = 0; i < DRIFT_LOOKS && left; i++, at = at + 1 < count ? at + 1 : 0) {
        if (!order->invocations[at].viewer.pending.count)
            continue;
        const struct path path = path_of(order, at / order->width, at % order->width);
        sink(exec, &path, LEVEL_LANE);
        left--;
    }
    const struct path path = path_of(order, at / order->width, at % order->width);
    sink(exec, &path, LEVEL_SUBGROUP);
    sink(exec, &path, LEVEL_WORKGROUP);
}

static void finish_level(const struct path *path, enum level level)
{
    struct pending *pending = &path->viewers[level]->pending;
    while (pending->count) {
        const struct store store = pending_take(pending, 0);
        move(path, &store, level, LEVEL_DEVICE);
    }
}

void order_end_lane(struct exec *exec, unsigned lane)
{
    if (!exec->order)
        return;
    const struct path path = path_of(exec->order, exec->subgroup_id, lane);
    finish_level(&path, LEVEL_LANE);
}

void order_finish(struct exec *exec)
{
    struct order *order = exec->order;
    if (!order)
        return;
    for (enum level level = LEVEL_DEVICE; level-- > LEVEL_LANE;) {
        const uint32_t step = level == LEVEL_WORKGROUP  ? UINT32_MAX
                              : level == LEVEL_SUBGROUP ? order->width
                                                        : 1;
        for (uint64_t at = 0; at < (uint64_t)order->subgroup_count * order->width; at += step) {
            const struct path path =
                path_of(order, (uint32_t)at / order->width, (uint32_t)at % order->width);
            finish_level(&path, level);
        }
    }
    begin(order);
}
