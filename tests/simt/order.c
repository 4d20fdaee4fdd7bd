// SPDX-License-Identifier: Apache-2.0
// The memory model: what is ordered is never seen otherwise, and what is not ordered is seen out of
// order now and then. Small programs, each invocation's as a list, are interleaved at random; what
// they may and may not see is from the Vulkan specification's chapter on the memory model.
#include "world.h"

#define SEEDS 2000

enum kind { END, STORE, LOAD, SET, GET, AWAIT, FENCE, FAIL_COMPARE };

struct step {
    enum kind kind; // SET, GET: atomic store and load; AWAIT: GET that is repeated until `value`
    uint32_t place; // offset in memory, bytes
    uint32_t value; // STORE, SET; LOAD, GET: number of the register
    uint32_t scope, semantics;
    uint32_t flags;   // ACCESS_*
    bool is_shared;   // in the workgroup's memory
    uint32_t unequal; // FAIL_COMPARE
};

struct litmus {
    struct actor actors[3];
    struct step steps[3][6];
    bool vulkan;
    enum order_rules rules;
};

#define X     0u // places: of data,
#define Y     8u
#define FLAG  64u // and of flags
#define FLAG2 128u

// Executes a step; false if it has to be repeated.
static bool do_step(struct actor actor, const struct step *step, uint32_t registers[4])
{
    struct exec *exec = world_as(actor);
    const uint64_t address =
        (step->is_shared ? region_address(LOCAL_SHARED, 0) : world.buffer) + step->place;
    struct order_atomic atomic = {.action = ORDER_LOAD,
                                  .value = step->value,
                                  .scope = step->scope,
                                  .semantics = step->semantics,
                                  .unequal = step->unequal};
    const uint32_t flags = step->flags | step->scope << ORDER_SCOPE_SHIFT;
    switch (step->kind) {
    case STORE:
        order_store(exec, actor.lane, address, 4, step->value, flags);
        return true;
    case LOAD:
        registers[step->value] = (uint32_t)order_load(exec, actor.lane, address, 4, flags);
        return true;
    case SET:
        atomic.action = ORDER_STORE;
        order_atomic(exec, actor.lane, address, 4, &atomic);
        return true;
    case GET:
        registers[step->value] = (uint32_t)order_atomic(exec, actor.lane, address, 4, &atomic);
        return true;
    case AWAIT:
        return order_atomic(exec, actor.lane, address, 4, &atomic) == step->value;
    case FENCE:
        order_fence(exec, actor.lane, step->scope, step->semantics, false);
        return true;
    case FAIL_COMPARE: // compares with what is never there
        atomic.action = ORDER_COMPARE;
        atomic.compare = 77;
        registers[step->value] = (uint32_t)order_atomic(exec, actor.lane, address, 4, &atomic);
        return true;
    case END:
        break;
    }
    return true;
}

static void run_once(const struct litmus *litmus, uint64_t seed, uint32_t registers[4])
{
    unsigned at[3] = {0}, left = 3;
    world_begin(seed, litmus->rules, litmus->vulkan);
    while (left) {
        const unsigned who = world_draw(3);
        const struct step *step = &litmus->steps[who][at[who]];
        if (step->kind == END) {
            left = 0;
            for (unsigned i = 0; i < 3; i++)
                left += litmus->steps[i][at[i]].kind != END;
            continue;
        }
        at[who] += do_step(litmus->actors[who], step, registers);
        if (world_draw(4) == 0)
            order_drift(&world.exec);
    }
    world_finish();
}

// How many of SEEDS runs end with registers[0] = first and registers[1] = second.
static unsigned count(const struct litmus *litmus, uint32_t first, uint32_t second)
{
    unsigned seen = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t registers[4] = {0};
        run_once(litmus, seed, registers);
        seen += registers[0] == first && registers[1] == second;
    }
    return seen;
}

static const struct actor writer = {0, 0, 0};
static const struct {
    struct actor reader;
    unsigned distance; // 1: same subgroup, 2: same workgroup, 3: other workgroup
} readers[] = {{{0, 0, 1}, 1}, {{0, 1, 0}, 2}, {{1, 0, 0}, 3}};
static const struct {
    uint32_t scope;
    unsigned reach;
} scopes[] = {{INVOCATION, 0}, {SUBGROUP, 1}, {WORKGROUP, 2}, {QUEUE_FAMILY, 3}, {DEVICE, 3}};

// Message passing: data, then flag; flag, then data. The flag without the data is what order
// forbids.
static struct litmus message(struct actor reader, uint32_t scope, bool vulkan)
{
    const uint32_t release = RELEASE | UNIFORM | (vulkan ? AVAILABLE : 0);
    const uint32_t acquire = ACQUIRE | UNIFORM | (vulkan ? VISIBLE : 0);
    return (struct litmus){.actors = {writer, reader},
                           .steps = {{{STORE, X, 1, .flags = ACCESS_NON_PRIVATE},
                                      {SET, FLAG, 1, .scope = scope, .semantics = release}},
                                     {{GET, FLAG, 0, .scope = scope, .semantics = acquire},
                                      {LOAD, X, 1, .flags = ACCESS_NON_PRIVATE}}},
                           .vulkan = vulkan};
}

// The same with fences beside atomics that have no semantics.
static struct litmus fenced_message(struct actor reader, uint32_t scope, bool vulkan)
{
    struct litmus litmus = message(reader, scope, vulkan);
    struct step *writes = litmus.steps[0], *reads = litmus.steps[1];
    writes[2] = writes[1];
    writes[1] = (struct step){FENCE, .scope = scope, .semantics = writes[2].semantics};
    writes[2].semantics = 0;
    reads[2] = reads[1];
    reads[1] = (struct step){FENCE, .scope = scope, .semantics = reads[0].semantics};
    reads[0].semantics = 0;
    return litmus;
}

// Everything in shared memory, with the semantics for that.
static struct litmus shared_message(struct actor reader, uint32_t scope, bool vulkan)
{
    struct litmus litmus = message(reader, scope, vulkan);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned j = 0; j < 2; j++) {
            struct step *step = &litmus.steps[i][j];
            step->is_shared = true;
            if (step->semantics)
                step->semantics ^= UNIFORM | SHARED;
        }
    return litmus;
}

TEST(ordered_messages_arrive)
{
    struct litmus (*const forms[])(struct actor, uint32_t, bool) = {message, fenced_message,
                                                                    shared_message};
    for (unsigned form = 0; form < 3; form++)
        for (unsigned r = 0; r < 3; r++)
            for (unsigned s = 0; s < 5; s++)
                for (unsigned vulkan = 0; vulkan < 2; vulkan++) {
                    if (form == 2 && readers[r].distance == 3)
                        continue; // shared memory is another there
                    const struct litmus litmus =
                        forms[form](readers[r].reader, scopes[s].scope, vulkan);
                    const unsigned broken = count(&litmus, 1, 0);
                    if (scopes[s].reach < readers[r].distance) {
                        assert_true(broken > 0);
                        continue;
                    }
                    assert_int_equal(broken, 0);
                    assert_true(count(&litmus, 1, 1) > SEEDS / 20);
                }
}

// Without what would order them messages fail: the reader of another workgroup.
static void assert_breaks(const char *name, const struct litmus *litmus)
{
    const unsigned broken = count(litmus, 1, 0);
    print_message("%-42s %4.1f %% of %u\n", name, 100.0 * broken / SEEDS, SEEDS);
    assert_true(broken > SEEDS / 200);
}

enum part { FLAGS, SCOPE, SEMANTICS };

TEST(unordered_messages_break)
{
    static const struct {
        const char *name;
        struct litmus (*form)(struct actor, uint32_t, bool);
        bool vulkan;
        unsigned side, step; // what is changed
        enum part part;
        uint32_t value;
    } rows[] = {
        {"no release", message, false, 0, 1, SEMANTICS, 0},
        {"no acquire", message, false, 1, 0, SEMANTICS, 0},
        {"release of the wrong storage class", message, false, 0, 1, SEMANTICS, RELEASE | SHARED},
        {"acquire of the wrong storage class", message, false, 1, 0, SEMANTICS, ACQUIRE | SHARED},
        {"Vulkan, not made available", message, true, 0, 1, SEMANTICS, RELEASE | UNIFORM},
        {"Vulkan, not made visible", message, true, 1, 0, SEMANTICS, ACQUIRE | UNIFORM},
        {"Vulkan, private store", message, true, 0, 0, FLAGS, 0},
        {"Vulkan, private load", message, true, 1, 1, FLAGS, 0},
        {"no release fence", fenced_message, false, 0, 1, SEMANTICS, 0},
        {"no acquire fence", fenced_message, false, 1, 1, SEMANTICS, 0},
        {"release of too small a scope", message, false, 0, 1, SCOPE, 0},
        {"acquire of too small a scope", message, false, 1, 0, SCOPE, 0},
    };
    static const uint32_t too_small[] = {INVOCATION, SUBGROUP, WORKGROUP};
    for (unsigned r = 0; r < 3; r++) {
        print_message("reader at distance %u\n", readers[r].distance);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            struct litmus litmus = rows[i].form(readers[r].reader, DEVICE, rows[i].vulkan);
            struct step *step = &litmus.steps[rows[i].side][rows[i].step];
            if (rows[i].part == SCOPE)
                step->scope = too_small[r];
            else
                *(rows[i].part == FLAGS ? &step->flags : &step->semantics) = rows[i].value;
            assert_breaks(rows[i].name, &litmus);
        }
        struct litmus litmus = message(readers[r].reader, DEVICE, false);
        litmus.steps[0][1].semantics = litmus.steps[1][0].semantics = 0;
        assert_breaks("neither release nor acquire", &litmus);
    }
}

TEST(failed_compare_has_unequal_semantics)
{
    struct litmus litmus = message(readers[2].reader, DEVICE, false);
    struct step *compare = &litmus.steps[1][0];
    compare->kind = FAIL_COMPARE;
    compare->unequal = ACQUIRE | UNIFORM;
    compare->semantics = 0;
    assert_int_equal(count(&litmus, 1, 0), 0);
    compare->semantics = ACQUIRE | UNIFORM;
    compare->unequal = 0;
    assert_breaks("no acquire where the comparison fails", &litmus);
}

// Availability and visibility of single accesses, and coherent ones, need no semantics.
TEST(single_accesses)
{
    for (unsigned r = 0; r < 3; r++) {
        struct litmus litmus = message(readers[r].reader, DEVICE, true);
        litmus.steps[0][1].semantics = RELEASE | UNIFORM;
        litmus.steps[1][0].semantics = ACQUIRE | UNIFORM;
        litmus.steps[0][0].flags = ACCESS_NON_PRIVATE | ACCESS_AVAILABLE;
        litmus.steps[0][0].scope = DEVICE;
        assert_breaks("available alone", &litmus);
        litmus.steps[1][1].flags = ACCESS_NON_PRIVATE | ACCESS_VISIBLE;
        litmus.steps[1][1].scope = DEVICE;
        assert_int_equal(count(&litmus, 1, 0), 0);
        litmus.steps[0][0].flags = ACCESS_NON_PRIVATE;
        assert_breaks("visible alone", &litmus);

        litmus = message(readers[r].reader, DEVICE, false);
        litmus.steps[0][1].semantics = litmus.steps[1][0].semantics = 0;
        litmus.steps[0][0].flags |= ACCESS_COHERENT;
        litmus.steps[1][1].flags |= ACCESS_COHERENT;
        assert_int_equal(count(&litmus, 1, 0), 0);
    }
}

TEST(store_buffering)
{
    const uint32_t flags = ACCESS_NON_PRIVATE;
    const struct litmus litmus = {
        .actors = {writer, {1, 0, 0}},
        .steps = {{{STORE, X, 1, .flags = flags}, {LOAD, Y, 0, .flags = flags}},
                  {{STORE, Y, 1, .flags = flags}, {LOAD, X, 1, .flags = flags}}},
    };
    const unsigned both = count(&litmus, 0, 0);
    print_message("store buffering: %.1f %%\n", 100.0 * both / SEEDS);
    assert_true(both > SEEDS / 10);
}

// What was acquired in one scope is passed on in another: A tells B, B tells C.
static struct litmus relayed(struct actor a, uint32_t first, struct actor b, uint32_t second,
                             struct actor c, bool vulkan)
{
    const uint32_t release = RELEASE | UNIFORM | (vulkan ? AVAILABLE : 0);
    const uint32_t acquire = ACQUIRE | UNIFORM | (vulkan ? VISIBLE : 0);
    return (struct litmus){.actors = {a, b, c},
                           .steps = {{{STORE, X, 1, .flags = ACCESS_NON_PRIVATE},
                                      {SET, FLAG, 1, .scope = first, .semantics = release}},
                                     {{AWAIT, FLAG, 1, .scope = first, .semantics = acquire},
                                      {SET, FLAG2, 1, .scope = second, .semantics = release}},
                                     {{GET, FLAG2, 0, .scope = second, .semantics = acquire},
                                      {LOAD, X, 1, .flags = ACCESS_NON_PRIVATE}}},
                           .vulkan = vulkan};
}

TEST(order_is_cumulative)
{
    static const struct {
        struct actor a, b, c;
        uint32_t first, second;
    } chains[] = {
        {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, WORKGROUP, DEVICE},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}, DEVICE, WORKGROUP},
        {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, SUBGROUP, DEVICE},
        {{1, 0, 0}, {0, 0, 1}, {0, 0, 0}, DEVICE, SUBGROUP},
        {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, SUBGROUP, WORKGROUP},
        {{0, 1, 0}, {0, 0, 1}, {0, 0, 0}, WORKGROUP, SUBGROUP},
    };
    for (unsigned i = 0; i < 6; i++)
        for (unsigned vulkan = 0; vulkan < 2; vulkan++) {
            struct litmus litmus = relayed(chains[i].a, chains[i].first, chains[i].b,
                                           chains[i].second, chains[i].c, vulkan);
            assert_int_equal(count(&litmus, 1, 0), 0);
            assert_true(count(&litmus, 1, 1) > SEEDS / 20);
            litmus.steps[1][1].semantics = 0;
            assert_breaks("relay that does not release", &litmus);
        }
}

#define ACTOR(i) ((struct actor){0, (uint8_t)((i) / WORLD_WIDTH), (uint8_t)((i) % WORLD_WIDTH)})

// Barriers: everybody stores, arrives, and loads what another has stored. Returns how often that
// was not there.
static unsigned barrier(uint32_t scope, uint32_t semantics, bool is_shared, bool vulkan)
{
    unsigned broken = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        world_begin(seed, ORDER_VULKAN, vulkan);
        const uint64_t address = is_shared ? region_address(LOCAL_SHARED, 0) : world.buffer;
        const unsigned n = WORLD_SUBGROUPS * WORLD_WIDTH, start = world_draw(n);
        for (unsigned i = 0; i < n; i++) {
            const struct actor actor = ACTOR(i);
            order_store(world_as(actor), actor.lane, address + 4 * i, 4, i + 1, ACCESS_NON_PRIVATE);
            if (world_draw(4) == 0)
                order_drift(&world.exec);
        }
        for (unsigned i = 0; i < 2 * n; i++) {
            const struct actor actor = ACTOR(i % n);
            order_fence(world_as(actor), actor.lane, scope, semantics, true);
        }
        bool wrong = false;
        for (unsigned i = 0; i < n; i++) {
            const unsigned who = (i + start) % n, other = world_draw(n);
            const struct actor actor = ACTOR(who);
            wrong |= order_load(world_as(actor), actor.lane, address + 4 * other, 4,
                                ACCESS_NON_PRIVATE) != other + 1;
        }
        broken += wrong;
        world_finish();
        for (unsigned i = 0; i < n && !is_shared; i++)
            assert_int_equal(world.bytes[4 * i], i + 1);
    }
    return broken;
}

TEST(barriers)
{
    const uint32_t both = ACQUIRE_RELEASE, vulkan = AVAILABLE | VISIBLE;
    assert_int_equal(barrier(WORKGROUP, both | UNIFORM, false, false), 0);
    assert_int_equal(barrier(WORKGROUP, both | SHARED, true, false), 0);
    assert_int_equal(barrier(DEVICE, both | UNIFORM | SHARED, false, false), 0);
    assert_int_equal(barrier(WORKGROUP, both | UNIFORM | vulkan, false, true), 0);
    assert_int_equal(barrier(WORKGROUP, both | SHARED | vulkan, true, true), 0);

    assert_true(barrier(WORKGROUP, 0, false, false) > SEEDS / 2);
    assert_true(barrier(WORKGROUP, 0, true, false) > SEEDS / 2);
    assert_true(barrier(SUBGROUP, both | UNIFORM, false, false) > SEEDS / 2);
    assert_true(barrier(WORKGROUP, both | SHARED, false, false) > SEEDS / 2);
    assert_true(barrier(WORKGROUP, both | UNIFORM, true, false) > SEEDS / 2);
    assert_true(barrier(WORKGROUP, both | UNIFORM | VISIBLE, false, true) > SEEDS / 2);
    assert_true(barrier(WORKGROUP, both | UNIFORM | AVAILABLE, false, true) > SEEDS / 10);
    // Acquire comes before what is released there.
    assert_true(barrier(WORKGROUP, RELEASE | UNIFORM, false, false) > SEEDS / 10);
    // Images have semantics of their own.
    assert_true(barrier(WORKGROUP, both | IMAGE, false, false) > SEEDS / 2);
    const struct region image = {.bytes = world.bytes, .size = WORLD_BYTES, .extent = {1}};
    const uint64_t buffer = world.buffer;
    world.buffer = region_address(regions_add(world.regions, image), 0);
    assert_true(barrier(WORKGROUP, both | UNIFORM, false, false) > SEEDS / 2);
    assert_int_equal(barrier(WORKGROUP, both | IMAGE, false, false), 0);
    world.buffer = buffer;
}

static struct actor draw_actor(void)
{
    return (struct actor){(uint8_t)world_draw(WORLD_GROUPS), (uint8_t)world_draw(WORLD_SUBGROUPS),
                          (uint8_t)world_draw(WORLD_WIDTH)};
}

static unsigned index_of(struct actor actor)
{
    return (actor.group * WORLD_SUBGROUPS + actor.subgroup) * WORLD_WIDTH + actor.lane;
}

// The smallest scope that both belong to.
static uint32_t common_scope(struct actor a, struct actor b)
{
    if (a.group != b.group)
        return DEVICE;
    return a.subgroup != b.subgroup ? WORKGROUP : SUBGROUP;
}

static uint32_t draw_size(void)
{
    return 1u << world_draw(4);
}

static void check_bytes(const unsigned char *bytes, uint64_t value, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++)
        assert_int_equal((unsigned char)(value >> 8 * i), bytes[i]);
}

// One invocation after the other has the memory for itself and hands it on, with release and
// acquire of the smallest scope that does: then memory is what it would be in sequence, whatever
// the sizes of accesses and however they overlap.
static void handed_on(uint64_t seed, bool vulkan, bool fences)
{
    unsigned char expected[32] = {0};
    world_begin(seed, ORDER_VULKAN, vulkan);
    const uint32_t release = RELEASE | UNIFORM | (vulkan ? AVAILABLE : 0);
    const uint32_t acquire = ACQUIRE | UNIFORM | (vulkan ? VISIBLE : 0);
    const uint64_t flag = world.buffer + FLAG;
    struct actor owner = draw_actor();
    for (unsigned turn = 1; turn <= 40; turn++) {
        for (unsigned i = world_draw(24); i > 0; i--) {
            const uint32_t size = draw_size();
            const uint32_t at = world_draw(sizeof expected - size + 1);
            uint64_t value = exec_random(&world.exec);
            struct exec *exec = world_as(owner);
            if (world_draw(2)) {
                order_store(exec, owner.lane, world.buffer + at, size, value, ACCESS_NON_PRIVATE);
                memcpy(expected + at, &value, size);
            } else {
                value = order_load(exec, owner.lane, world.buffer + at, size, ACCESS_NON_PRIVATE);
                check_bytes(expected + at, value, size);
            }
            if (world_draw(8) == 0) {
                world_as(draw_actor());
                order_drift(&world.exec);
            }
        }
        const struct actor next = draw_actor();
        const uint32_t scope = common_scope(owner, next);
        struct order_atomic atomic = {ORDER_STORE, NULL, turn, 0, scope, fences ? 0 : release, 0};
        if (fences)
            order_fence(world_as(owner), owner.lane, scope, release, false);
        order_atomic(world_as(owner), owner.lane, flag, 4, &atomic);
        atomic.action = ORDER_LOAD;
        atomic.semantics = fences ? 0 : acquire;
        assert_int_equal(order_atomic(world_as(next), next.lane, flag, 4, &atomic), turn);
        if (fences)
            order_fence(world_as(next), next.lane, scope, acquire, false);
        owner = next;
    }
    world_finish();
    assert_memory_equal(world.bytes, expected, sizeof expected);
}

TEST(memory_is_handed_on)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        handed_on(seed, seed & 1, seed & 2);
}

// Coherence. Everybody stores values of its own to two neighbouring words, and loads one or both:
// an invocation does not see a value of a word again that it has seen replaced by another. Its own
// store replaces at once what it saw before.
enum { ACTORS = WORLD_GROUPS * WORLD_SUBGROUPS * WORLD_WIDTH, WORDS = 2, STORES = 60 };

struct history {
    bool gone[STORES + 1];
    uint32_t last;
};

static void check_seen(struct history *history, uint32_t value)
{
    assert_true(value <= STORES);
    assert_false(history->gone[value]);
    if (value != history->last)
        history->gone[history->last] = true;
    history->last = value;
}

// One access that is drawn; `value` is to be stored. Returns what it loaded or stored.
static uint64_t draw_access(struct actor actor, bool is_store, uint64_t address, uint32_t size,
                            uint64_t value)
{
    static const uint32_t flags[] = {
        0, ACCESS_NON_PRIVATE, ACCESS_NON_PRIVATE, ACCESS_NON_PRIVATE | ACCESS_COHERENT,
        ACCESS_NON_PRIVATE | ACCESS_AVAILABLE | ACCESS_VISIBLE | WORKGROUP << ORDER_SCOPE_SHIFT};
    struct exec *exec = world_as(actor);
    const uint32_t drawn = world_draw(6);
    const struct order_atomic atomic = {
        .action = is_store ? ORDER_STORE : ORDER_LOAD, .value = value, .scope = DEVICE};
    if (drawn == 5) {
        const uint64_t old = order_atomic(exec, actor.lane, address, size, &atomic);
        return is_store ? value : old;
    }
    if (!is_store)
        return order_load(exec, actor.lane, address, size, flags[drawn]);
    order_store(exec, actor.lane, address, size, value, flags[drawn]);
    return value;
}

TEST(location_has_one_order)
{
    static struct history histories[ACTORS][WORDS];
    unsigned stale = 0, loads = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t stored = 0, newest[WORDS] = {0};
        memset(histories, 0, sizeof histories);
        world_begin(seed, seed & 1 ? ORDER_VULKAN : ORDER_RELAXED, seed & 2);
        while (stored < STORES) {
            const struct actor actor = draw_actor();
            const bool is_store = world_draw(3) == 0, both = world_draw(2);
            const uint32_t word = both ? 0 : world_draw(WORDS), end = both ? WORDS : word + 1;
            stored += is_store;
            uint64_t value = draw_access(actor, is_store, world.buffer + 4 * word, both ? 8 : 4,
                                         stored * UINT64_C(0x100000001));
            for (uint32_t i = word; i < end; i++, value >>= 32) {
                if (is_store)
                    newest[i] = stored;
                check_seen(&histories[index_of(actor)][i], (uint32_t)value);
                loads += !is_store;
                stale += newest[i] != (uint32_t)value;
            }
            if (world_draw(3) == 0)
                order_drift(&world.exec);
            if (world_draw(16) == 0) {
                const struct actor ended = draw_actor();
                order_end_lane(world_as(ended), ended.lane);
            }
        }
        world_finish();
    }
    assert_true(stale > loads / 10);
}

// A private store that becomes one with another does not keep that from being released.
TEST(private_store_beside_another)
{
    const struct actor other = readers[2].reader;
    world_begin(1, ORDER_VULKAN, true);
    struct exec *exec = world_as(writer);
    order_store(exec, writer.lane, world.buffer, 4, 0x01010101, ACCESS_NON_PRIVATE);
    order_store(exec, writer.lane, world.buffer + 3, 1, 2, 0);
    order_fence(exec, writer.lane, DEVICE, RELEASE | UNIFORM | AVAILABLE, false);
    exec = world_as(other);
    order_fence(exec, other.lane, DEVICE, ACQUIRE | UNIFORM | VISIBLE, false);
    assert_int_equal(order_load(exec, other.lane, world.buffer, 1, ACCESS_NON_PRIVATE), 1);
}

// A store that nothing orders arrives in the end, and a load that is repeated sees it.
TEST(everything_arrives)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        world_begin(seed, seed & 1 ? ORDER_VULKAN : ORDER_RELAXED, true);
        const struct actor reader = readers[seed % 3].reader;
        unsigned looks = 0;
        order_store(world_as(writer), writer.lane, world.buffer, 4, 1, 0);
        while (order_load(world_as(reader), reader.lane, world.buffer, 4, 0) != 1) {
            order_drift(world_as(writer));
            assert_true(++looks < 1000);
        }
    }
}

TEST(end_makes_available)
{
    world_begin(1, ORDER_VULKAN, true);
    struct exec *exec = world_as(writer);
    for (unsigned i = 0; i < 40; i++)
        order_store(exec, writer.lane, world.buffer + 4 * i, 4, i + 1, 0);
    order_end_lane(exec, writer.lane);
    order_finish(exec);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(world.bytes[4 * i], i + 1);
    // The next workgroup has nothing of it left.
    memset(world.bytes, 0, sizeof world.bytes);
    past_forget(world.past);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(order_load(exec, writer.lane, world.buffer + 4 * i, 4, 0), 0);
}

// ORDER_RELAXED: atomics order nothing and are late; fences order plain accesses, control barriers
// everything; a read-modify-write is still one step.
TEST(relaxed_atomics)
{
    for (unsigned r = 0; r < 3; r++) {
        struct litmus litmus = message(readers[r].reader, DEVICE, false);
        litmus.rules = ORDER_RELAXED;
        assert_breaks("relaxed: release and acquire", &litmus);
        // Data that is atomic too, as in the litmus test of 2021.
        litmus.steps[0][0] = (struct step){SET, X, 1, .scope = DEVICE};
        litmus.steps[1][1] = (struct step){GET, X, 1, .scope = DEVICE};
        assert_breaks("relaxed: all atomic", &litmus);
        litmus.rules = ORDER_VULKAN;
        assert_int_equal(count(&litmus, 1, 0), 0);
        litmus = fenced_message(readers[r].reader, DEVICE, false);
        litmus.rules = ORDER_RELAXED;
        assert_int_equal(count(&litmus, 1, 0), 0);
    }
    world_begin(1, ORDER_RELAXED, false);
    struct order_atomic set = {ORDER_STORE, NULL, UINT64_C(0x100000001), 0, WORKGROUP, 0, 0};
    const struct actor other = readers[1].reader;
    for (unsigned i = 1; i <= 100; i++) {
        set.value = i * UINT64_C(0x100000001);
        order_atomic(world_as(writer), writer.lane, world.buffer, 8, &set);
        order_drift(&world.exec);
        const struct order_atomic get = {.action = ORDER_LOAD, .scope = WORKGROUP};
        const uint64_t value = order_atomic(world_as(other), other.lane, world.buffer, 8, &get);
        assert_int_equal((uint32_t)value, value >> 32); // whole
        if (i % 10 == 0) {
            const uint32_t semantics = ACQUIRE_RELEASE | UNIFORM;
            for (unsigned j = 0; j < 4; j++) {
                const struct actor actor = j & 1 ? other : writer;
                order_fence(world_as(actor), actor.lane, WORKGROUP, semantics, true);
            }
            assert_int_equal(order_atomic(world_as(other), other.lane, world.buffer, 8, &get),
                             set.value);
        }
    }
}

static uint64_t plus(uint64_t old, uint64_t value, uint32_t bits)
{
    return old + value;
}

static uint64_t count_one(struct actor actor)
{
    const struct order_atomic one = {ORDER_MODIFY, plus, 1, 0, DEVICE, 0, 0};
    return order_atomic(world_as(actor), actor.lane, world.buffer, 4, &one);
}

// ORDER_TORN: an addition may miss what another invocation has just added, but never its own.
TEST(torn_additions)
{
    for (int rules = ORDER_VULKAN; rules <= ORDER_TORN; rules++) {
        unsigned lost = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            const struct actor other = readers[seed % 3].reader;
            world_begin(seed, rules, false);
            assert_int_equal(count_one(other), 0);
            const uint64_t second = count_one(writer);
            lost += second == 0;
            assert_true(count_one(writer) > second);
        }
        if (rules == ORDER_TORN)
            assert_in_range(lost, SEEDS / 100, SEEDS - SEEDS / 100);
        else
            assert_int_equal(lost, 0);
    }
}

// Shared memory that a later workgroup gets has no past, and buffers none of an earlier dispatch.
TEST(past_is_forgotten)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        world_begin(seed, ORDER_VULKAN, false);
        const struct actor other = readers[seed % 2].reader;
        const uint64_t shared = region_address(LOCAL_SHARED, 0);
        order_store(world_as(writer), writer.lane, shared, 4, 1, ACCESS_NON_PRIVATE);
        order_store(&world.exec, writer.lane, world.buffer, 4, 1, ACCESS_NON_PRIVATE);
        order_finish(&world.exec);
        assert_int_equal(world.shared[0][0], 1);
        assert_int_equal(order_load(world_as(other), other.lane, shared, 4, ACCESS_NON_PRIVATE), 1);
        past_forget(world.past);
        const struct actor far = readers[2].reader;
        assert_int_equal(order_load(world_as(far), far.lane, world.buffer, 4, ACCESS_NON_PRIVATE),
                         1);
    }
}

GROUP(world_create, world_free)
