// SPDX-License-Identifier: Apache-2.0
// A wave's operations in flight: when each reads or writes memory, and when its registers change.
//
// Each does both at issue in `prompt`. Else it is performed at some moment from issue to the wait
// for it, but after each earlier one of the wave that accesses a common cache line, and LDS
// operations in order; its registers change at the wait. In CU mode the unit executes all vector
// memory operations that access a common line in the order in which they left their waves.
#include "device/wave.h"

#include "device/cache.h"

#include <stdlib.h>
#include <string.h>

// Instructions of the device after which a store is performed by itself at the latest, by
// settings.turns.
static const unsigned store_ages[] = {[RDNA_SHORT] = 512, [RDNA_LONG] = 1 << 14};

struct wave *wave_new(bool is_prompt)
{
    struct wave *wave = calloc(1, sizeof(*wave));
    if (!wave || is_prompt)
        return wave;
    wave->operations = malloc(IN_FLIGHT * sizeof(*wave->operations));
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        wave->order[i] = (uint8_t)i;
    if (wave->operations)
        return wave;
    free(wave);
    return NULL;
}

void wave_free(struct wave *wave)
{
    if (wave)
        free(wave->operations);
    free(wave);
}

static uint64_t lines_of(const struct rdna_access *access)
{
    if (access->space == RDNA_SPACE_NONE)
        return 0;
    if (access->space == RDNA_SPACE_LDS)
        return ~UINT64_C(0);
    uint64_t lines = 0;
    for (unsigned element = 0; element < access->elements; element++)
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            const uint64_t first = access->address[element][__builtin_ctzll(rest)];
            const uint64_t last = first + (access->bytes - 1) / 4 * (uint64_t)access->stride + 3;
            for (uint64_t line = first / CACHE_LINE; line <= last / CACHE_LINE; line++)
                lines |= UINT64_C(1) << ((line ^ line >> 6 ^ line >> 12) & 63);
        }
    return lines;
}

static bool is_lds(const struct operation *operation)
{
    return operation->access.space == RDNA_SPACE_LDS;
}

static struct operation *at(struct wave *wave, unsigned position)
{
    return &wave->operations[wave->order[position]];
}

static bool is_global(const struct operation *operation)
{
    return operation->access.space == RDNA_SPACE_GLOBAL;
}

// Operations leave their wave in order, up to this one now at the latest.
static void leave(const struct machine *machine, struct wave *wave, unsigned position)
{
    for (unsigned i = 0; i <= position; i++)
        if (!at(wave, i)->left)
            at(wave, i)->left = machine->device->clock;
}

static void perform(struct machine *machine, struct wave *wave, unsigned position);

// Performs what left other waves of the compute unit before this operation.
static void perform_others(struct machine *machine, const struct wave *wave,
                           const struct operation *operation)
{
    for (unsigned i = 0; i < RDNA_WAVES; i++) {
        struct wave *other = machine->device->waves[i];
        if (!other || other == wave || !other->shares || other->unit != wave->unit)
            continue;
        for (unsigned k = 0; k < other->in_flight; k++) {
            const struct operation *before = at(other, k);
            if (!before->performed && is_global(before) && before->left &&
                before->left < operation->left && (before->lines & operation->lines))
                perform(machine, other, k);
        }
    }
}

static void perform(struct machine *machine, struct wave *wave, unsigned position)
{
    struct operation *operation = at(wave, position);
    if (operation->performed)
        return;
    leave(machine, wave, position);
    if (wave->shares && is_global(operation))
        perform_others(machine, wave, operation);
    for (unsigned i = 0; i < position; i++) {
        const struct operation *before = at(wave, i);
        if (!before->performed && is_lds(before) == is_lds(operation) &&
            (before->lines & operation->lines))
            perform(machine, wave, i);
    }
    access_perform(machine, wave, &operation->access, operation->access.values);
    operation->performed = true;
}

static void land(struct machine *machine, struct wave *wave, unsigned position)
{
    const uint8_t slot = wave->order[position];
    struct operation *operation = &wave->operations[slot];
    perform(machine, wave, position);
    access_land(&wave->registers, &operation->access, operation->access.values);
    wave->in_flight--;
    memmove(&wave->order[position], &wave->order[position + 1], wave->in_flight - position);
    wave->order[wave->in_flight] = slot; // free
}

static bool is_unordered(const struct operation *operation)
{
    return operation->access.space == RDNA_SPACE_SCALAR ||
           (operation->access.space == RDNA_SPACE_NONE && operation->access.to_sgpr);
}

// Which operation of a counter returns first: scalar loads return in any order, so that a compiler
// cannot know of them before all have; the others in the order of issue.
static unsigned first_to_land(struct wave *wave, enum rdna_counter counter)
{
    unsigned any = wave->in_flight;
    for (unsigned i = wave->in_flight; i-- > 0;)
        if (at(wave, i)->access.counter == counter &&
            (any == wave->in_flight || is_unordered(at(wave, any)) || !is_unordered(at(wave, i))))
            any = i;
    return any;
}

static unsigned count(struct wave *wave, enum rdna_counter counter)
{
    unsigned total = 0;
    for (unsigned i = 0; i < wave->in_flight; i++)
        total += at(wave, i)->access.counter == counter;
    return total;
}

static void land_until(struct machine *machine, struct wave *wave, enum rdna_counter counter,
                       unsigned most)
{
    for (unsigned left = count(wave, counter); left > most; left--)
        land(machine, wave, first_to_land(wave, counter));
}

void wave_wait(struct machine *machine, struct wave *wave)
{
    const struct rdna_wait *wait = &wave->registers.wait;
    if (!wave->in_flight)
        return;
    land_until(machine, wave, RDNA_VMCNT, wait->vmcnt);
    land_until(machine, wave, RDNA_LGKMCNT, wait->lgkmcnt);
    land_until(machine, wave, RDNA_EXPCNT, wait->expcnt);
    land_until(machine, wave, RDNA_VSCNT, wait->vscnt);
    land_until(machine, wave, RDNA_KMCNT, wait->kmcnt);
    if (!wait->sources || !wave->in_flight)
        return;
    // LDS executes what has left the wave in order, before any later operation of another wave.
    leave(machine, wave, wave->in_flight - 1);
    for (unsigned i = 0; i < wave->in_flight; i++)
        if (is_lds(at(wave, i)))
            perform(machine, wave, i);
}

bool wave_waits(struct wave *wave)
{
    const struct rdna_wait *wait = &wave->registers.wait;
    return wave->in_flight &&
           (count(wave, RDNA_VMCNT) > wait->vmcnt || count(wave, RDNA_LGKMCNT) > wait->lgkmcnt ||
            count(wave, RDNA_EXPCNT) > wait->expcnt || count(wave, RDNA_VSCNT) > wait->vscnt ||
            count(wave, RDNA_KMCNT) > wait->kmcnt || wait->sources);
}

void wave_invalidate(struct machine *machine, const struct wave *wave, bool kept)
{
    struct caches *caches = machine->device->caches;
    const unsigned set = wave->registers.caches;
    if (!caches)
        return;
    if (set & RDNA_INVALIDATE_SCALAR)
        caches_invalidate(caches, CACHE_SCALAR, wave->unit, kept);
    if (set & RDNA_INVALIDATE_L0)
        caches_invalidate(caches, CACHE_L0, wave->unit, kept);
    if (set & RDNA_INVALIDATE_GL1)
        caches_invalidate(caches, CACHE_GL1, wave->unit, kept);
}

bool wave_perform_any(struct machine *machine, struct wave *wave)
{
    const unsigned count = wave->in_flight;
    const unsigned first = count ? (unsigned)device_below(machine->device, count) : 0;
    for (unsigned i = 0; i < count; i++)
        if (!at(wave, (first + i) % count)->performed) {
            perform(machine, wave, (first + i) % count);
            return true;
        }
    return false;
}

void wave_age(struct machine *machine, struct wave *wave)
{
    struct rdna_device *device = machine->device;
    if (device->settings.timing == RDNA_RANDOM && wave->in_flight && !device_below(device, 8)) {
        const unsigned position = (unsigned)device_below(device, wave->in_flight);
        if (device_below(device, 2))
            perform(machine, wave, position);
        else
            land(machine, wave, first_to_land(wave, at(wave, position)->access.counter));
    }
    for (unsigned i = 0; i < wave->in_flight; i++) {
        const struct operation *operation = at(wave, i);
        if (!operation->performed && operation->age <= device->clock)
            perform(machine, wave, i);
    }
}

// Until it lands, a register holds the old value, or one that nothing has stored.
static void poison(struct machine *machine, struct rdna_wave *registers,
                   const struct rdna_access *access)
{
    if (!access->returns || access->half != RDNA_WHOLE || device_below(machine->device, 2))
        return;
    const uint32_t value = (uint32_t)device_random(machine->device);
    for (unsigned i = 0; i < access->registers * access->elements; i++) {
        const unsigned to = access->destination + i;
        if (access->to_sgpr && to < RDNA_VCC)
            registers->sgpr[to] = value;
        for (uint64_t rest = access->to_sgpr ? 0 : access->mask; rest && to < RDNA_VGPRS;
             rest &= rest - 1)
            registers->vgpr[to][access_lane(registers, to, (unsigned)__builtin_ctzll(rest))] =
                value;
    }
}

void wave_access(void *context, struct rdna_wave *registers, const struct rdna_access *access)
{
    struct machine *machine = context;
    struct wave *wave = machine->current;
    if (!access->bytes || access->bytes > 64 || access->elements > RDNA_ELEMENTS ||
        access->stride > 4 * RDNA_LANES) {
        device_end(machine->device, "not emulated: an access of %u bytes", access->bytes);
        return;
    }
    struct rdna_access changed;
    if (machine->device->loses_bits) {
        changed = *access;
        changed.lost_glc = changed.glc, changed.lost_dlc = changed.dlc;
        changed.glc = changed.dlc = false;
        access = &changed;
    }
    if (!wave->operations) {
        rdna_results results;
        access_perform(machine, wave, access, results);
        access_land(registers, access, results);
        return;
    }
    if (wave->in_flight == IN_FLIGHT)
        land(machine, wave, 0);
    struct operation *operation = &wave->operations[wave->order[wave->in_flight++]];
    operation->access = *access;
    operation->lines = lines_of(access);
    operation->performed = false;
    operation->left = 0;
    operation->age =
        access->action == RDNA_LOAD
            ? UINT64_MAX
            : machine->device->clock +
                  device_below(machine->device, store_ages[machine->device->settings.turns]);
    poison(machine, registers, access);
}
