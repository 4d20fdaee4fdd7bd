// SPDX-License-Identifier: Apache-2.0
// The Vulkan memory model: relations as matrices of bits, those that an execution's events and its
// choices determine, and the tests for consistency and data races.
#include "axiomatic/execution.h"

void axi_empty(struct axi_relation *relation, unsigned size)
{
    relation->size = size;
    memset(relation->row, 0, size * sizeof *relation->row);
}

static void unite(struct axi_relation *relation, const struct axi_relation *other)
{
    for (unsigned a = 0; a < relation->size; a++)
        relation->row[a] |= other->row[a];
}

axi_set axi_before(const struct axi_relation *relation, unsigned b)
{
    axi_set set = 0;
    for (unsigned a = 0; a < relation->size; a++)
        set |= axi_has(relation, a, b) ? AXI_BIT(a) : 0;
    return set;
}

void axi_close(struct axi_relation *relation)
{
    for (unsigned middle = 0; middle < relation->size; middle++)
        for (unsigned a = 0; a < relation->size; a++)
            if (axi_has(relation, a, middle))
                relation->row[a] |= relation->row[middle];
}

bool axi_is_acyclic(const struct axi_relation *relation)
{
    // An event with no remaining successor cannot be part of a cycle.
    axi_set left = relation->size < AXI_EVENTS ? AXI_BIT(relation->size) - 1 : ~(axi_set)0;
    for (axi_set before = 0; before != left;) {
        before = left;
        AXI_EACH (a, before)
            if (!(relation->row[a] & left))
                left &= ~AXI_BIT(a);
    }
    return !left;
}

// Walks back from `end` to `start` along decreasing distance from `start`.
static void trace_back(const struct axi_relation *relation, const axi_set *at_distance,
                       unsigned length, unsigned start, uint8_t *cycle)
{
    unsigned after = start;
    for (unsigned i = length; i-- > 1;) {
        after = axi_next(axi_before(relation, after) & at_distance[i], 0);
        cycle[i] = (uint8_t)after;
    }
    cycle[0] = (uint8_t)start;
}

unsigned axi_cycle(const struct axi_relation *relation, uint8_t cycle[AXI_EVENTS])
{
    unsigned best = 0;
    for (unsigned start = 0; start < relation->size; start++) {
        axi_set at_distance[AXI_EVENTS + 1] = {AXI_BIT(start)}, seen = 0;
        for (unsigned length = 1; length <= AXI_EVENTS && (!best || length < best); length++) {
            axi_set next = 0;
            AXI_EACH (a, at_distance[length - 1])
                next |= relation->row[a];
            if (next >> start & 1) {
                best = length;
                trace_back(relation, at_distance, length, start, cycle);
                break;
            }
            at_distance[length] = next & ~seen;
            seen |= next;
            if (!at_distance[length])
                break;
        }
    }
    return best;
}

// --- From the events

// Each is in the instance of the other's memory scope.
static bool are_in_scope(const struct axi_execution *x, unsigned a, unsigned b)
{
    const enum axi_scope of_a = x->events[a].of->scope, of_b = x->events[b].of->scope;
    return of_a != AXI_SCOPES && of_b != AXI_SCOPES && axi_has(&x->group[of_a], a, b) &&
           axi_has(&x->group[of_b], a, b);
}

// The dynamic instance of a control barrier is that of each invocation of the execution scope
// instance which executes it the same number of times.
static bool are_one_barrier(const struct axi_execution *x, unsigned a, unsigned b)
{
    const struct axi_event *of_a = &x->events[a], *of_b = &x->events[b];
    return axi_is_same_barrier(of_a->of, of_b->of) && of_a->round == of_b->round &&
           axi_has(&x->group[of_a->of->execution], a, b);
}

// Sections of the appendix: Scope; Reference; Program-Order; System-Synchronizes-With.
static void relate_pair(struct axi_execution *x, unsigned a, unsigned b)
{
    const struct axi_event *of_a = &x->events[a], *of_b = &x->events[b];
    const struct axi_thread *thread_a = &x->program->threads[of_a->thread];
    const struct axi_thread *thread_b = &x->program->threads[of_b->thread];
    const axi_set accesses = x->reads | x->writes;
    bool same = true;
    axi_add(&x->group[AXI_DEVICE], a, b);
    for (int scope = AXI_QUEUE_FAMILY; scope >= AXI_SUBGROUP; scope--) {
        same &= thread_a->group[scope] == thread_b->group[scope];
        if (same)
            axi_add(&x->group[scope], a, b);
    }
    if (of_a->thread == of_b->thread && a < b)
        axi_add(&x->program_order, a, b);
    if (accesses >> a & accesses >> b & 1) {
        if (of_a->location == of_b->location)
            axi_add(&x->same_location, a, b);
        if (of_a->of->reference == of_b->of->reference)
            axi_add(&x->same_reference, a, b);
    }
    if (x->program->synchronizes[of_a->thread] >> of_b->thread & 1)
        axi_add(&x->system_synchronizes, a, b);
    if (are_in_scope(x, a, b)) {
        axi_add(&x->in_scope, a, b);
        if (x->atomics >> a & x->atomics >> b & 1 && a != b && axi_has(&x->same_location, a, b) &&
            axi_has(&x->same_reference, a, b))
            axi_add(&x->mutually_ordered, a, b);
    }
    if (are_one_barrier(x, a, b))
        axi_add(&x->same_barrier, a, b);
}

static void classify(struct axi_execution *x)
{
    x->reads = x->writes = x->atomics = x->acquires = x->releases = x->barriers = 0;
    for (unsigned e = 0; e < x->count; e++) {
        const struct axi_instruction *of = x->events[e].of;
        x->reads |= axi_reads(of) ? AXI_BIT(e) : 0;
        x->writes |= axi_writes(of) ? AXI_BIT(e) : 0;
        x->atomics |= of->atomic ? AXI_BIT(e) : 0;
        x->acquires |= of->acquire ? AXI_BIT(e) : 0;
        x->releases |= of->release ? AXI_BIT(e) : 0;
        x->barriers |= !of->atomic && of->semantics ? AXI_BIT(e) : 0;
    }
}

void axi_prepare(struct axi_execution *x)
{
    struct axi_relation *const all[] = {
        &x->program_order, &x->same_location, &x->same_reference,     &x->mutually_ordered,
        &x->in_scope,      &x->same_barrier,  &x->system_synchronizes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        axi_empty(all[i], x->count);
    for (int scope = 0; scope < AXI_SCOPES; scope++)
        axi_empty(&x->group[scope], x->count);
    classify(x);
    for (unsigned a = 0; a < x->count; a++)
        for (unsigned b = 0; b < x->count; b++)
            relate_pair(x, a, b);
    axi_close(&x->system_synchronizes);
}

// Whether every other thread of the scope instance whose code has this barrier has come to it.
static bool is_met(const struct axi_execution *x, unsigned barrier)
{
    const struct axi_event *event = &x->events[barrier];
    uint32_t present = 0;
    AXI_EACH (other, x->same_barrier.row[barrier])
        present |= 1u << x->events[other].thread;
    for (size_t t = 0; t < x->program->thread_count; t++)
        if (!(present >> t & 1) && axi_shares_barrier(x->program, event->thread, t, event->of))
            return false;
    return true;
}

bool axi_barriers_meet(const struct axi_execution *x)
{
    // Two barriers that two threads come to in different orders: neither ends. Program order goes
    // from all that arrive at a barrier to all that leave it.
    struct axi_relation order = x->program_order;
    for (unsigned e = 0; e < x->count; e++) {
        if (x->events[e].of->kind != AXI_CONTROL_BARRIER)
            continue;
        if (!is_met(x, e))
            return false;
        AXI_EACH (other, x->same_barrier.row[e])
            order.row[e] |= x->program_order.row[other];
    }
    return axi_is_acyclic(&order);
}

// --- From the choices of atomic operations to happens-before

// Section Scoped Modification Order. All writes mutually-ordered with A are in A's order together
// with A, even if two of them are not mutually-ordered with each other.
static void order_writes(struct axi_execution *x)
{
    const axi_set writes = x->atomics & x->writes;
    axi_empty(&x->modification_order, x->count);
    axi_empty(&x->all_modification, x->count);
    AXI_EACH (a, writes) {
        const axi_set mutual = x->mutually_ordered.row[a] & writes, members = mutual | AXI_BIT(a);
        axi_set behind = 0;
        unsigned stop = AXI_EVENTS; // index of the first that is not an RMW
        AXI_EACH (b, members)
            AXI_EACH (c, members)
                if (x->place[b] < x->place[c])
                    axi_add(&x->all_modification, b, c);
        AXI_EACH (b, mutual) {
            if (x->place[b] < x->place[a])
                continue;
            axi_add(&x->modification_order, a, b);
            behind |= AXI_BIT(b);
            if (!(x->reads >> b & 1) && x->place[b] < stop)
                stop = x->place[b];
        }
        x->sequence[a] = 0;
        AXI_EACH (b, behind)
            x->sequence[a] |= x->place[b] < stop ? AXI_BIT(b) : 0;
    }
}

// The releases by an atomic write: itself, and earlier release barriers whose semantics include its
// storage class; or the acquires by an atomic read: itself, and later acquire barriers.
static axi_set by_atomic(const struct axi_execution *x, unsigned atomic, axi_set orders,
                         axi_set around)
{
    axi_set set = orders & AXI_BIT(atomic);
    AXI_EACH (barrier, around & x->barriers & orders)
        if (x->events[barrier].of->semantics >> x->events[atomic].of->storage & 1)
            set |= AXI_BIT(barrier);
    return set;
}

// Section Synchronizes-With: the four forms by an atomic write and an atomic read.
static void synchronize_by_atomics(struct axi_execution *x)
{
    AXI_EACH (read, x->atomics & x->reads) {
        const unsigned from = x->from[read];
        const axi_set tails = by_atomic(x, read, x->acquires, x->program_order.row[read]);
        AXI_EACH (write, x->mutually_ordered.row[read] & x->writes) {
            if (from == AXI_INITIAL || (from != write && !(x->sequence[write] >> from & 1)))
                continue;
            AXI_EACH (head, by_atomic(x, write, x->releases, axi_before(&x->program_order, write)))
                AXI_EACH (tail, tails)
                    if (axi_has(&x->in_scope, head, tail))
                        axi_add(&x->synchronizes, head, tail);
        }
    }
}

// The fifth form: by a control barrier, which may itself be the release barrier or the acquire
// barrier.
static void synchronize_by_barriers(struct axi_execution *x)
{
    for (unsigned arrival = 0; arrival < x->count; arrival++) {
        const axi_set heads =
            (axi_before(&x->program_order, arrival) | AXI_BIT(arrival)) & x->barriers & x->releases;
        AXI_EACH (wait, x->same_barrier.row[arrival] & ~AXI_BIT(arrival)) {
            const axi_set tails =
                (x->program_order.row[wait] | AXI_BIT(wait)) & x->barriers & x->acquires;
            AXI_EACH (head, heads)
                x->synchronizes.row[head] |= x->in_scope.row[head] & tails;
        }
    }
}

// Section Inter-Thread-Happens-Before, for one set of storage class semantics.
static void happen_of(const struct axi_execution *x, unsigned classes, struct axi_relation *to)
{
    axi_set operations = 0, having = 0; // having: operations whose semantics include all of them
    for (unsigned e = 0; e < x->count; e++) {
        const struct axi_instruction *of = x->events[e].of;
        const bool accesses = (x->reads | x->writes) >> e & 1;
        having |= (of->semantics & classes) == classes ? AXI_BIT(e) : 0;
        operations |= accesses && classes >> of->storage & 1 ? AXI_BIT(e) : 0;
    }
    operations |= having;
    *to = x->system_synchronizes;
    AXI_EACH (a, operations)
        to->row[a] |= x->program_order.row[a] & x->releases & having;
    AXI_EACH (a, having) {
        to->row[a] |= x->synchronizes.row[a] & having;
        if (x->acquires >> a & 1)
            to->row[a] |= x->program_order.row[a] & operations;
    }
    axi_close(to);
}

// Section Happens-Before. Program order and each of these are transitive, but their union is not.
static void happen(struct axi_execution *x)
{
    unsigned used = 1;
    for (unsigned e = 0; e < x->count; e++)
        used |= x->events[e].of->semantics;
    x->happens_before = x->program_order;
    for (unsigned classes = 1; classes < 1u << AXI_STORAGE_CLASSES; classes++) {
        struct axi_relation of;
        if (classes & ~used)
            continue;
        happen_of(x, classes, &of);
        unite(&x->happens_before, &of);
    }
}

// --- Availability, visibility and the order that they establish: section Location-Ordered

// An operation with memory scope S makes writes available to the domains of S and of each narrower
// scope instance. Chain elements go to ever broader domains, so one hands over to the next through
// the broadest domain narrower than the next one's.
static enum axi_scope handing_over(const struct axi_execution *x, unsigned narrow, unsigned broad)
{
    const enum axi_scope one = x->events[narrow].of->scope, other = x->events[broad].of->scope;
    return one < other ? one : (enum axi_scope)(other - 1);
}

// Whether the source scope of an availability operation includes a write's reference and location,
// or the destination scope of a visibility operation includes a read's: through its own access, or
// through the storage classes of its memory semantics.
static bool includes(const struct axi_execution *x, unsigned operation, unsigned access,
                     bool available)
{
    const struct axi_instruction *of = x->events[operation].of;
    const bool own = available ? of->available : of->visible;
    const bool by_semantics = available ? of->sem_available : of->sem_visible;
    return (own && axi_has(&x->same_location, operation, access) &&
            axi_has(&x->same_reference, operation, access)) ||
           (by_semantics && of->semantics >> x->events[access].of->storage & 1);
}

// For a write: the last elements of availability chains, which start at the write's own operation
// or a later one in program order, and make the write available to their scope's domain. For a
// read: the first elements of visibility chains, which end at the read's own operation or an
// earlier one.
static axi_set chain_ends(const struct axi_execution *x, unsigned access, bool available)
{
    axi_set candidates = 0, set = 0, before = 0;
    for (unsigned e = 0; e < x->count; e++)
        candidates |=
            x->events[e].of->kind <= AXI_CONTROL_BARRIER && includes(x, e, access, available)
                ? AXI_BIT(e)
                : 0;
    set = candidates & (AXI_BIT(access) | (available ? x->program_order.row[access]
                                                     : axi_before(&x->program_order, access)));
    while (x->chains && set != before) {
        before = set;
        AXI_EACH (narrow, before) {
            const axi_set ordered =
                available ? x->happens_before.row[narrow] : axi_before(&x->happens_before, narrow);
            AXI_EACH (broad, ordered & candidates & ~set)
                if (x->events[broad].of->scope > AXI_SUBGROUP &&
                    axi_has(&x->group[handing_over(x, narrow, broad)], narrow, broad))
                    set |= AXI_BIT(broad);
        }
    }
    return set;
}

// The operations that act on a domain of this scope that the access uses.
static axi_set in_domain(const struct axi_execution *x, axi_set operations, unsigned access,
                         enum axi_scope scope)
{
    axi_set set = 0;
    AXI_EACH (e, operations & x->group[scope].row[access])
        set |= x->events[e].of->scope >= scope ? AXI_BIT(e) : 0;
    return set;
}

// Write-after-write and read-after-write through a common domain of one reference.
static bool by_shader_domains(const struct axi_execution *x, unsigned a, unsigned b,
                              const axi_set *available, const axi_set *visible)
{
    for (int scope = 0; scope < AXI_SCOPES; scope++) {
        if (!axi_has(&x->group[scope], a, b))
            continue;
        const axi_set last = in_domain(x, available[a], a, (enum axi_scope)scope);
        const axi_set first = x->writes >> b & 1 ? AXI_BIT(b) : 0;
        const axi_set seen =
            x->reads >> b & 1 ? in_domain(x, visible[b], b, (enum axi_scope)scope) : 0;
        AXI_EACH (e, last)
            if (x->happens_before.row[e] & (first | seen))
                return true;
    }
    return false;
}

// By operations to and from the device domain, which are not shader operations.
static bool by_device_domain(const struct axi_execution *x, unsigned a, unsigned b)
{
    AXI_EACH (e, x->happens_before.row[a]) {
        if (x->events[e].of->kind != AXI_AVAILABLE_DEVICE)
            continue;
        if (x->writes >> b & 1 && axi_has(&x->happens_before, e, b))
            return true;
        AXI_EACH (v, x->happens_before.row[e])
            if (x->reads >> b & 1 && x->events[v].of->kind == AXI_VISIBLE_DEVICE &&
                axi_has(&x->happens_before, v, b))
                return true;
    }
    return false;
}

static bool are_ordered(const struct axi_execution *x, unsigned a, unsigned b,
                        const axi_set *available, const axi_set *visible)
{
    const bool same_reference = axi_has(&x->same_reference, a, b);
    const bool happens = axi_has(&x->happens_before, a, b);
    const bool non_private = x->events[a].of->non_private && x->events[b].of->non_private;
    if (happens && same_reference && x->events[a].thread == x->events[b].thread)
        return true;
    if (x->reads >> a & 1 && ((happens && non_private) || axi_has(&x->system_synchronizes, a, b)))
        return true;
    return x->writes >> a & 1 &&
           ((same_reference && non_private && by_shader_domains(x, a, b, available, visible)) ||
            by_device_domain(x, a, b));
}

static void order_locations(struct axi_execution *x)
{
    axi_set available[AXI_EVENTS] = {0}, visible[AXI_EVENTS] = {0};
    axi_empty(&x->location_ordered, x->count);
    AXI_EACH (write, x->writes)
        available[write] = chain_ends(x, write, true);
    AXI_EACH (read, x->reads)
        visible[read] = chain_ends(x, read, false);
    AXI_EACH (a, x->reads | x->writes)
        AXI_EACH (b, x->same_location.row[a] & ~AXI_BIT(a))
            if (are_ordered(x, a, b, available, visible))
                axi_add(&x->location_ordered, a, b);
}

void axi_relate(struct axi_execution *x)
{
    order_writes(x);
    axi_empty(&x->synchronizes, x->count);
    synchronize_by_atomics(x);
    synchronize_by_barriers(x);
    happen(x);
    order_locations(x);
}

axi_set axi_from_reads(const struct axi_execution *x, unsigned read, unsigned from)
{
    const axi_set later = from == AXI_INITIAL
                              ? x->same_location.row[read]
                              : x->modification_order.row[from] | x->location_ordered.row[from];
    return later & x->writes & ~AXI_BIT(read);
}

void axi_causality(const struct axi_execution *x, axi_set of, struct axi_relation *to)
{
    *to = x->location_ordered;
    unite(to, &x->all_modification);
    AXI_EACH (read, of) {
        if (x->from[read] != AXI_INITIAL)
            axi_add(to, x->from[read], read);
        to->row[read] |= axi_from_reads(x, read, x->from[read]);
    }
}

bool axi_race(const struct axi_execution *x, unsigned *a, unsigned *b)
{
    for (*a = 0; *a < x->count; ++*a) {
        const axi_set others = x->writes >> *a & 1 ? x->reads | x->writes : x->writes;
        const axi_set racing = x->same_location.row[*a] & others & ~AXI_BIT(*a) &
                               ~x->mutually_ordered.row[*a] & ~x->location_ordered.row[*a] &
                               ~axi_before(&x->location_ordered, *a);
        *b = axi_next(racing, 0);
        if (racing)
            return true;
    }
    return false;
}
