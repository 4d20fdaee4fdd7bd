// SPDX-License-Identifier: Apache-2.0
// From the choices of atomic operations to happens-before.
#include "axiomatic/execution.h"

// Section Scoped Modification Order. All writes mutually-ordered with A are in A's order together
// with A, even if two of them are not mutually-ordered with each other.
void axi_order_writes(struct axi_execution *x)
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
// storage class. Acquires by an atomic read are found the same way.
static axi_set releasing(const struct axi_execution *x, unsigned write)
{
    axi_set set = x->releases & AXI_BIT(write);
    AXI_EACH (barrier, axi_before(&x->program_order, write) & x->barriers & x->releases)
        if (x->events[barrier].of->semantics >> x->events[write].of->storage & 1)
            set |= AXI_BIT(barrier);
    return set;
}

static axi_set acquiring(const struct axi_execution *x, unsigned read)
{
    axi_set set = x->acquires & AXI_BIT(read);
    AXI_EACH (barrier, x->program_order.row[read] & x->barriers & x->acquires)
        if (x->events[barrier].of->semantics >> x->events[read].of->storage & 1)
            set |= AXI_BIT(barrier);
    return set;
}

// Section Synchronizes-With: the four forms by an atomic write and an atomic read.
static void synchronize_by_atomics(struct axi_execution *x)
{
    AXI_EACH (read, x->atomics & x->reads) {
        const unsigned from = x->from[read];
        const axi_set tails = acquiring(x, read);
        AXI_EACH (write, x->mutually_ordered.row[read] & x->writes) {
            if (from == AXI_INITIAL || (from != write && !(x->sequence[write] >> from & 1)))
                continue;
            AXI_EACH (head, releasing(x, write))
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

void axi_synchronize(struct axi_execution *x)
{
    axi_empty(&x->synchronizes, x->count);
    synchronize_by_atomics(x);
    synchronize_by_barriers(x);
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
void axi_happen(struct axi_execution *x)
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
        axi_unite(&x->happens_before, &of);
    }
}
