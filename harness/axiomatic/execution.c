// SPDX-License-Identifier: Apache-2.0
// The relations that an execution's events determine, and the tests for consistency and data races.
#include "axiomatic/execution.h"

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
}

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
    for (unsigned a = 0; a < x->count; a++)
        for (unsigned b = 0; b < x->count; b++) {
            const bool atomics = x->atomics >> a & x->atomics >> b & 1;
            if (!are_in_scope(x, a, b))
                continue;
            axi_add(&x->in_scope, a, b);
            if (atomics && a != b && axi_has(&x->same_location, a, b) &&
                axi_has(&x->same_reference, a, b))
                axi_add(&x->mutually_ordered, a, b);
        }
    for (unsigned a = 0; a < x->count; a++)
        for (unsigned b = 0; b < x->count; b++)
            if (are_one_barrier(x, a, b))
                axi_add(&x->same_barrier, a, b);
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

void axi_relate(struct axi_execution *x)
{
    axi_order_writes(x);
    axi_synchronize(x);
    axi_happen(x);
    axi_order_locations(x);
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
    axi_unite(to, &x->all_modification);
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
