// SPDX-License-Identifier: Apache-2.0
// Availability, visibility and the order that they establish: section Location-Ordered.
#include "axiomatic/execution.h"

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

void axi_order_locations(struct axi_execution *x)
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
