// SPDX-License-Identifier: Apache-2.0
// The qualifiers of an instruction's name, which the two dialects mostly share, and their valid
// combinations.
#include "axiomatic/scan.h"

#include <string.h>

static bool set_once(struct axi_scan *scan, const char *part, bool *flag)
{
    if (*flag)
        return axi_wrong(scan, "'%s' is given twice", part);
    return *flag = true;
}

// The number of sc0 to sc3 or semsc0 to semsc3; -1 for any other qualifier.
static int class_of(const char *part, const char *prefix)
{
    const size_t length = strlen(prefix);
    const char *digit = part + length;
    const bool is_one = strncmp(part, prefix, length) == 0 && digit[0] >= '0' &&
                        digit[0] < '0' + AXI_STORAGE_CLASSES && !digit[1];
    return is_one ? digit[0] - '0' : -1;
}

static bool set_scope(struct axi_scan *scan, enum axi_scope scope, struct axi_instruction *to)
{
    if (to->scope != AXI_SCOPES)
        return axi_wrong(scan, "a second scope");
    to->scope = scope;
    return true;
}

bool axi_qualify(struct axi_scan *scan, const char *part, struct axi_instruction *to)
{
    static const struct {
        const char *part, *alloy;
        enum axi_scope scope;
    } scopes[] = {{"sg", "scopesg", AXI_SUBGROUP},
                  {"wg", "scopewg", AXI_WORKGROUP},
                  {"qf", "scopeqf", AXI_QUEUE_FAMILY},
                  {"dv", "scopedev", AXI_DEVICE}};
    const struct {
        const char *part;
        bool *flag;
    } flags[] = {{"atom", &to->atomic},        {"acq", &to->acquire},
                 {"rel", &to->release},        {"av", &to->available},
                 {"vis", &to->visible},        {"semav", &to->sem_available},
                 {"semvis", &to->sem_visible}, {"nonpriv", &to->non_private}};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (strcmp(part, scopes[i].part) == 0 || strcmp(part, scopes[i].alloy) == 0)
            return set_scope(scan, scopes[i].scope, to);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(part, flags[i].part) == 0)
            return set_once(scan, part, flags[i].flag);
    if (strcmp(part, "acq_rel") == 0)
        return set_once(scan, part, &to->acquire) && set_once(scan, part, &to->release);
    const int storage = class_of(part, "sc"), semantics = class_of(part, "semsc");
    if (storage >= 0) {
        if (to->storage)
            return axi_wrong(scan, "a second storage class");
        to->storage = (uint8_t)(storage + 1); // until axi_complete
        return true;
    }
    if (semantics >= 0) {
        if (to->semantics >> semantics & 1)
            return axi_wrong(scan, "'%s' is given twice", part);
        to->semantics |= (uint8_t)(1 << semantics);
        return true;
    }
    return axi_wrong(scan, "unknown part '%s' of an instruction", part);
}

// Rules for each access and each barrier.
static const char *wrong_with_access(const struct axi_instruction *of)
{
    const bool reads = axi_reads(of), writes = axi_writes(of);
    const bool orders = of->acquire || of->release;
    if (!of->storage)
        return "an access needs a storage class, sc0 to sc3";
    if (of->acquire && !reads)
        return "a store cannot acquire";
    if (of->release && !writes)
        return "a load cannot release";
    if (of->available && !writes)
        return "only a write has an availability operation (av)";
    if (of->visible && !reads)
        return "only a read has a visibility operation (vis)";
    if (orders && !of->atomic)
        return "only an atomic has acquire or release semantics";
    if (of->scope == AXI_SCOPES && (of->atomic || of->available || of->visible))
        return "a scope is missing: sg, wg, qf or dv";
    if (of->scope != AXI_SCOPES && !of->atomic && !of->available && !of->visible)
        return "a plain access without av or vis has no scope";
    return NULL;
}

static const char *wrong_with_barrier(const struct axi_instruction *of)
{
    if (of->storage || of->atomic || of->available || of->visible || of->non_private)
        return "a barrier has no storage class, atom, av, vis or nonpriv";
    if (of->scope == AXI_SCOPES)
        return "a scope is missing: sg, wg, qf or dv";
    if (of->kind == AXI_MEMORY_BARRIER && !of->acquire && !of->release)
        return "a memory barrier needs acq, rel or both";
    return NULL;
}

bool axi_complete(const struct axi_scan *scan, struct axi_instruction *of)
{
    const bool is_access = of->kind <= AXI_RMW, orders = of->acquire || of->release;
    const char *wrong = is_access ? wrong_with_access(of) : wrong_with_barrier(of);
    if (!wrong && orders != (of->semantics != 0))
        wrong = orders ? "acq and rel need storage class semantics, semsc0 to semsc3"
                       : "storage class semantics need acq or rel";
    if (!wrong && of->sem_available && !of->release)
        wrong = "semav needs rel";
    if (!wrong && of->sem_visible && !of->acquire)
        wrong = "semvis needs acq";
    if (wrong)
        return axi_wrong(scan, "%s", wrong);
    of->storage -= is_access;
    // Atomic operations have availability and visibility operations of their scope.
    of->available |= of->atomic && axi_writes(of);
    of->visible |= of->atomic && axi_reads(of);
    of->non_private |= of->available || of->visible;
    return true;
}
