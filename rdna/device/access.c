// SPDX-License-Identifier: Apache-2.0
// One access: the bytes of all its lanes, and the registers that it fills.
#include "device/cache.h"
#include "device/wave.h"

#include <math.h>
#include <string.h>

static void fault(struct machine *machine, const struct wave *wave, uint64_t address)
{
    device_end(machine->device, "fault: nothing is mapped at 0x%llx (before pc 0x%llx)",
               (unsigned long long)address, (unsigned long long)wave->registers.pc);
}

// The memory of `size` bytes, or NULL: nothing is behind them. LDS out of range is defined: reads
// return 0, and writes do nothing.
static uint8_t *find(struct machine *machine, const struct wave *wave,
                     const struct rdna_access *access, uint64_t address, unsigned size)
{
    if (access->space == RDNA_SPACE_LDS) {
        const struct workgroup *group = wave->group;
        return address <= group->lds_size && size <= group->lds_size - address
                   ? group->lds + address
                   : NULL;
    }
    const struct space_range *range = space_find(&machine->device->space, address, size);
    if (!range)
        fault(machine, wave, address);
    return range && range->host ? range->host + ((address & SPACE_BITS) - range->address) : NULL;
}

static bool is_cached(const struct machine *machine, const struct rdna_access *access)
{
    return machine->device->caches && access->space != RDNA_SPACE_LDS;
}

static void read_bytes(struct machine *machine, const struct wave *wave,
                       const struct rdna_access *access, uint64_t address, unsigned size, void *to)
{
    if (is_cached(machine, access)) {
        struct rdna_device *device = machine->device;
        const enum cache_level level = access->space == RDNA_SPACE_SCALAR ? CACHE_SCALAR : CACHE_L0;
        const bool faulty = device->fault_reached && device->settings.fault == RDNA_FAULT_CACHE;
        uint8_t otherwise[4];
        if (faulty)
            caches_peek(device->caches, &device->space, level, wave->unit,
                        access->glc || access->lost_glc, access->dlc || access->lost_dlc, address,
                        size, otherwise);
        if (!caches_load(device->caches, &device->space, level, wave->unit, access->glc,
                         access->dlc, address, size, to)) {
            fault(machine, wave, address);
            memset(to, 0, size);
        } else if (faulty) {
            device->fault_matters |= memcmp(otherwise, to, size) != 0;
        }
        return;
    }
    const uint8_t *from = find(machine, wave, access, address, size);
    if (from)
        memcpy(to, from, size);
    else
        memset(to, 0, size);
}

static void write_bytes(struct machine *machine, const struct wave *wave,
                        const struct rdna_access *access, uint64_t address, unsigned size,
                        const void *from)
{
    uint8_t *to = find(machine, wave, access, address, size);
    if (!to)
        return;
    memcpy(to, from, size);
    if (is_cached(machine, access))
        caches_stored(machine->device->caches, wave->unit, address, size, from);
}

// How many bytes of dword `dword` the element has in range.
static unsigned part(const struct rdna_access *access, unsigned in_range, unsigned dword)
{
    const unsigned limit = in_range < access->bytes ? in_range : access->bytes;
    const unsigned from = 4 * dword;
    return limit <= from ? 0 : limit - from < 4 ? limit - from : 4;
}

static void load_lane(struct machine *machine, const struct wave *wave,
                      const struct rdna_access *access, unsigned element, unsigned lane,
                      rdna_results results)
{
    const unsigned dwords = (access->bytes + 3) / 4;
    for (unsigned i = 0; i < dwords; i++) {
        const unsigned size = part(access, access->in_range[element][lane], i);
        uint32_t value = 0;
        if (size)
            read_bytes(machine, wave, access,
                       access->address[element][lane] + (uint64_t)i * access->stride, size, &value);
        results[element][i][lane] = value;
    }
}

static void store_lane(struct machine *machine, const struct wave *wave,
                       const struct rdna_access *access, unsigned element, unsigned lane)
{
    const unsigned dwords = (access->bytes + 3) / 4;
    for (unsigned i = 0; i < dwords; i++) {
        const unsigned size = part(access, access->in_range[element][lane], i);
        if (size)
            write_bytes(machine, wave, access,
                        access->address[element][lane] + (uint64_t)i * access->stride, size,
                        &access->values[element][i][lane]);
    }
}

static uint32_t extended(uint32_t word, unsigned bytes)
{
    return bytes == 1 ? (uint32_t)(int32_t)(int8_t)word : (uint32_t)(int32_t)(int16_t)word;
}

static void load_scalar(struct machine *machine, const struct wave *wave,
                        const struct rdna_access *access, rdna_results results)
{
    uint32_t small = 0;
    if (access->bytes < 4 && access->in_range[0][0] == access->bytes)
        read_bytes(machine, wave, access, access->address[0][0], access->bytes, &small);
    results[0][0][0] =
        access->conversion == RDNA_SIGN_EXTEND ? extended(small, access->bytes) : small;
    for (unsigned i = 0; i < access->bytes / 4 && i < 16; i++) {
        uint32_t value = 0;
        if (4 * i + 4 <= access->in_range[0][0])
            read_bytes(machine, wave, access, access->address[0][0] + 4 * (uint64_t)i, 4, &value);
        results[0][0][i] = value;
    }
}

static uint64_t sign(uint64_t value, unsigned bytes)
{
    return bytes == 4 ? (uint64_t)(int64_t)(int32_t)value : value;
}

static uint64_t float_atomic(enum rdna_atomic atomic, uint64_t old, uint64_t with, uint64_t compare,
                             unsigned bytes)
{
    double a = 0, b = 0, c = 0;
    float f;
    if (bytes == 8) {
        memcpy(&a, &old, 8), memcpy(&b, &with, 8), memcpy(&c, &compare, 8);
    } else {
        memcpy(&f, &old, 4), a = f;
        memcpy(&f, &with, 4), b = f;
        memcpy(&f, &compare, 4), c = f;
    }
    if (atomic == RDNA_FCOMPARE_SWAP)
        return a == c ? with : old;
    if (atomic == RDNA_FMIN)
        return isnan(a) || b < a || (a == b && signbit(b)) ? with : old;
    if (atomic == RDNA_FMAX)
        return isnan(a) || b > a || (a == b && !signbit(b)) ? with : old;
    uint64_t bits = 0;
    if (bytes == 8) {
        a += b;
        memcpy(&bits, &a, 8);
    } else {
        f = (float)a + (float)b;
        memcpy(&bits, &f, 4);
    }
    return bits;
}

static uint64_t atomic_result(enum rdna_atomic atomic, uint64_t old, uint64_t with,
                              uint64_t compare, unsigned bytes)
{
    const int64_t signed_old = (int64_t)sign(old, bytes), signed_with = (int64_t)sign(with, bytes);
    switch (atomic) {
    case RDNA_SWAP:
        return with;
    case RDNA_COMPARE_SWAP:
        return old == compare ? with : old;
    case RDNA_ADD:
        return old + with;
    case RDNA_SUB:
        return old - with;
    case RDNA_REVERSE_SUB:
        return with - old;
    case RDNA_SMIN:
        return signed_with < signed_old ? with : old;
    case RDNA_UMIN:
        return with < old ? with : old;
    case RDNA_SMAX:
        return signed_with > signed_old ? with : old;
    case RDNA_UMAX:
        return with > old ? with : old;
    case RDNA_AND:
        return old & with;
    case RDNA_OR:
        return old | with;
    case RDNA_XOR:
        return old ^ with;
    case RDNA_INC:
        return old >= with ? 0 : old + 1;
    case RDNA_DEC:
        return old == 0 || old > with ? with : old - 1;
    case RDNA_MASKED_OR:
        return (old & ~with) | compare;
    case RDNA_WRAP:
        return old >= with ? old - with : old + compare;
    case RDNA_SUB_CLAMP:
        return old >= with ? old - with : 0;
    case RDNA_COND_SUB:
        return old >= with ? old - with : old;
    case RDNA_FADD:
    case RDNA_FMIN:
    case RDNA_FMAX:
    case RDNA_FCOMPARE_SWAP:
        break;
    }
    return float_atomic(atomic, old, with, compare, bytes);
}

static void atomic_lane(struct machine *machine, const struct wave *wave,
                        const struct rdna_access *access, unsigned element, unsigned lane,
                        rdna_results results)
{
    const unsigned bytes = access->bytes == 8 ? 8 : 4;
    const uint64_t address = access->address[element][lane];
    const uint32_t(*values)[RDNA_LANES] = access->values[element];
    uint64_t old = 0, with = values[0][lane], compare = values[2][lane];
    if (bytes == 8) {
        with |= (uint64_t)values[1][lane] << 32;
        compare |= (uint64_t)values[3][lane] << 32;
    }
    uint8_t *at = access->in_range[element][lane] >= bytes
                      ? find(machine, wave, access, address, bytes)
                      : NULL;
    if (at) {
        memcpy(&old, at, bytes);
        const uint64_t new = atomic_result(access->atomic, old, with, compare, bytes);
        memcpy(at, &new, bytes);
        if (is_cached(machine, access))
            caches_stored(machine->device->caches, wave->unit, address, bytes, &new);
    }
    results[element][0][lane] = (uint32_t)old;
    results[element][1][lane] = (uint32_t)(old >> 32);
}

void access_perform(struct machine *machine, const struct wave *wave,
                    const struct rdna_access *access, rdna_results results)
{
    if (access->space == RDNA_SPACE_NONE) {
        memcpy(results, access->values, sizeof(access->values));
        return;
    }
    if (access->space == RDNA_SPACE_SCALAR) {
        load_scalar(machine, wave, access, results);
        return;
    }
    for (unsigned element = 0; element < access->elements; element++)
        for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(rest);
            if (access->action == RDNA_LOAD)
                load_lane(machine, wave, access, element, lane, results);
            else if (access->action == RDNA_STORE)
                store_lane(machine, wave, access, element, lane);
            else
                atomic_lane(machine, wave, access, element, lane, results);
        }
}

static uint32_t merge(uint32_t old, uint32_t value, enum rdna_half half)
{
    switch (half) {
    case RDNA_LOW_HALF:
        return (old & 0xffff0000) | (value & 0xffff);
    case RDNA_HIGH_HALF:
        return (old & 0xffff) | value << 16;
    case RDNA_WHOLE:
        break;
    }
    return value;
}

static void land_lane(struct rdna_wave *registers, const struct rdna_access *access,
                      unsigned element, unsigned lane, rdna_results results)
{
    uint32_t words[RDNA_DWORDS], converted[16] = {0};
    for (unsigned i = 0; i < RDNA_DWORDS; i++)
        words[i] = i < (access->bytes + 3) / 4 || access->action == RDNA_ATOMIC ||
                           access->space == RDNA_SPACE_NONE
                       ? results[element][i][lane]
                       : 0;
    const uint32_t *values = words;
    if (access->conversion == RDNA_SIGN_EXTEND) {
        words[0] = extended(words[0], access->bytes);
    } else if (access->conversion == RDNA_CONVERTED) {
        rdna_convert(access, (const uint8_t *)words, converted);
        values = converted;
    }
    for (unsigned i = 0; i < access->registers && i < RDNA_DWORDS; i++) {
        const unsigned to = access->destination + element * access->registers + i;
        if (to < RDNA_VGPRS) {
            uint32_t *word = &registers->vgpr[to][access_lane(registers, to, lane)];
            *word = merge(*word, values[i], access->half);
        }
    }
}

// Whole registers as they are in memory: most loads.
static void land_plain(struct rdna_wave *registers, const struct rdna_access *access,
                       unsigned element, rdna_results results)
{
    for (unsigned i = 0; i < access->registers && i < RDNA_DWORDS; i++) {
        const unsigned to = access->destination + element * access->registers + i;
        if (to >= RDNA_VGPRS)
            return;
        if (access->mask == UINT64_MAX && access_lane(registers, to, 63) == 63)
            memcpy(registers->vgpr[to], results[element][i], sizeof(registers->vgpr[to]));
        else
            for (uint64_t rest = access->mask; rest; rest &= rest - 1) {
                const unsigned lane = (unsigned)__builtin_ctzll(rest);
                registers->vgpr[to][access_lane(registers, to, lane)] = results[element][i][lane];
            }
    }
}

void access_land(struct rdna_wave *registers, const struct rdna_access *access,
                 rdna_results results)
{
    if (!access->returns)
        return;
    if (access->to_sgpr) {
        for (unsigned i = 0; i < access->registers; i++)
            if (access->destination + i < 128)
                registers->sgpr[access->destination + i] = results[0][0][i];
        return;
    }
    const bool plain = access->conversion == RDNA_PLAIN && access->half == RDNA_WHOLE &&
                       4 * access->registers <= access->bytes;
    for (unsigned element = 0; element < access->elements; element++)
        if (plain)
            land_plain(registers, access, element, results);
        else
            for (uint64_t rest = access->mask; rest; rest &= rest - 1)
                land_lane(registers, access, element, (unsigned)__builtin_ctzll(rest), results);
}
