// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics. Each access lies within one buffer.
#include "emulator/warp.h"

static const struct emu_operand *address_operand(struct emu_at *at)
{
    for (unsigned i = 0; i < at->insn->ins; i++)
        if (at->insn->in[i].kind == EMU_ADDRESS)
            return &at->insn->in[i];
    emu_fail(at, "missing address");
    return NULL;
}

static uint64_t wide(const uint32_t *low, const uint32_t *high)
{
    return *low | (uint64_t)*high << 32;
}

static uint64_t global_address(struct emu_at *at, const struct emu_operand *operand)
{
    const struct emu_warp *warp = at->warp;
    const unsigned r = operand->base, u = operand->uniform & 63, lane = at->lane;
    const bool uniform = operand->uniform != 63;
    const bool long_base = uniform ? operand->wide == 64 : has(at, MOD_E);
    uint64_t address = (uint64_t)operand->number;
    if (r != 255)
        address += long_base ? wide(&warp->r[r][lane], &warp->r[r + 1][lane]) : warp->r[r][lane];
    if (uniform)
        address += has(at, MOD_E) ? wide(&warp->ur[u], &warp->ur[(u + 1) & 63]) : warp->ur[u];
    return address;
}

static uint64_t small_address(struct emu_at *at, const struct emu_operand *operand)
{
    const uint32_t base = at->warp->r[operand->base][at->lane];
    return (uint32_t)(base * operand->scale + at->warp->ur[operand->uniform & 63] +
                      (uint32_t)operand->number);
}

static uint8_t *in_buffers(struct emu_at *at, uint64_t address, size_t size)
{
    const struct emu_dispatch *dispatch = at->warp->machine->dispatch;
    for (size_t i = 0; i < dispatch->buffer_count; i++) {
        const struct emu_buffer *buffer = &dispatch->buffers[i];
        const uint64_t from = address - buffer->address;
        if (from < buffer->size && size <= buffer->size - from)
            return (uint8_t *)buffer->bytes + from;
    }
    return NULL;
}

// Where an access lies; NULL with an error if it lies nowhere.
static uint8_t *place(struct emu_at *at, size_t size)
{
    const enum sass_op op = at->insn->sass->op;
    const struct emu_operand *operand = address_operand(at);
    struct emu_warp *warp = at->warp;
    uint8_t *found = NULL;
    uint64_t address = 0;
    if (!operand)
        return NULL;
    if (op == SASS_LDS || op == SASS_STS || op == SASS_ATOMS) {
        address = small_address(at, operand);
        if (address <= EMU_SHARED - size)
            found = warp->group->shared + address;
    } else if (op == SASS_LDL || op == SASS_STL) {
        address = small_address(at, operand);
        if (!warp->local)
            warp->local = lit_alloc(EMU_LANES, EMU_LOCAL);
        if (address <= EMU_LOCAL - size)
            found = warp->local + (size_t)at->lane * EMU_LOCAL + address;
    } else {
        address = global_address(at, operand);
        found = in_buffers(at, address, size);
    }
    if (!found)
        emu_fail(at, "access out of bounds, address 0x%llx, lane %u", (unsigned long long)address,
                 at->lane);
    else if (address % size)
        emu_fail(at, "misaligned access, address 0x%llx, lane %u", (unsigned long long)address,
                 at->lane);
    return found && address % size == 0 ? found : NULL;
}

static size_t size_of(const struct emu_at *at)
{
    return has(at, MOD_U8) || has(at, MOD_S8)     ? 1
           : has(at, MOD_U16) || has(at, MOD_S16) ? 2
           : has(at, MOD_64)                      ? 8
           : has(at, MOD_128)                     ? 16
                                                  : 4;
}

static void put_loaded(struct emu_at *at, const void *bytes, size_t size)
{
    uint32_t words[4] = {0};
    memcpy(words, bytes, size);
    if (has(at, MOD_S8))
        words[0] = (uint32_t)(int8_t)words[0];
    if (has(at, MOD_S16))
        words[0] = (uint32_t)(int16_t)words[0];
    for (unsigned i = 0; i < (size + 3) / 4; i++)
        emu_put_word(at, i, words[i]);
}

static void load(struct emu_at *at)
{
    static const uint8_t zeros[16];
    const size_t size = size_of(at);
    const uint8_t *from = emu_test(at, 0) ? place(at, size) : zeros;
    if (from)
        put_loaded(at, from, size);
}

static void load_constant(struct emu_at *at)
{
    uint8_t bytes[16] = {0};
    const size_t size = size_of(at);
    if (at->insn->ins != 1 || at->insn->in[0].kind != EMU_CONSTANT)
        emu_fail(at, "unknown operand");
    else if (emu_constant(at, &at->insn->in[0], size, bytes))
        put_loaded(at, bytes, size);
}

// The value to store: words of an operand that is no address.
static void get_words(struct emu_at *at, unsigned nth, size_t size, uint32_t words[4])
{
    unsigned in = 0;
    for (; in < at->insn->ins; in++)
        if (at->insn->in[in].kind != EMU_ADDRESS && nth-- == 0)
            break;
    words[0] = emu_get(at, in);
    for (unsigned i = 1; i < size / 4; i++) {
        const unsigned index = at->insn->in[in].index + i;
        words[i] = at->insn->in[in].kind == EMU_R && at->insn->in[in].index != 255 && index < 255
                       ? at->warp->r[index][at->lane]
                       : 0;
    }
}

static void store(struct emu_at *at)
{
    uint32_t words[4] = {0};
    const size_t size = size_of(at);
    get_words(at, 0, size, words);
    uint8_t *to = place(at, size);
    if (to)
        memcpy(to, words, size);
}

static uint64_t combined(struct emu_at *at, uint64_t old, uint64_t value)
{
    const bool is_signed = has(at, MOD_S32) || has(at, MOD_S64),
               is_long = has(at, MOD_64) || has(at, MOD_S64);
    const int64_t a = is_long ? (int64_t)old : (int32_t)old;
    const int64_t b = is_long ? (int64_t)value : (int32_t)value;
    const bool less = is_signed ? a < b : old < value;
    if (has(at, MOD_ADD))
        return old + value;
    if (has(at, MOD_MIN))
        return less ? old : value;
    if (has(at, MOD_MAX))
        return less ? value : old;
    if (has(at, MOD_AND))
        return old & value;
    if (has(at, MOD_OR))
        return old | value;
    if (has(at, MOD_XOR))
        return old ^ value;
    if (has(at, MOD_EXCH))
        return value;
    if (has(at, MOD_INC))
        return old >= value ? 0 : old + 1;
    if (has(at, MOD_DEC))
        return old == 0 || old > value ? value : old - 1;
    emu_fail(at, "unknown operation");
    return old;
}

static void atomic(struct emu_at *at)
{
    uint32_t words[4] = {0}, swap[4] = {0};
    uint64_t old = 0, value, result;
    const size_t size = has(at, MOD_64) || has(at, MOD_S64) ? 8 : 4;
    const bool counts = has(at, MOD_POPC), tries = has(at, MOD_CAST); // adds 1; says if it swapped
    if (!counts)
        get_words(at, 0, size, words);
    value = counts ? UINT32_MAX : words[0] | (uint64_t)words[1] << 32;
    if (has(at, MOD_CAS) || tries)
        get_words(at, 1, size, swap);
    uint8_t *to = place(at, size);
    if (!to || (counts && at->insn->to.index != 255)) {
        emu_fail(at, "unknown operation");
        return;
    }
    memcpy(&old, to, size);
    if (has(at, MOD_CAS) || tries)
        result = old == value ? swap[0] | (uint64_t)swap[1] << 32 : old;
    else if (has(at, MOD_F32))
        result = emu_sum(at, (uint32_t)old, (uint32_t)value);
    else
        result = combined(at, old, value);
    memcpy(to, &result, size);
    emu_put_word(at, 0, tries ? old == value : (uint32_t)old);
    if (size == 8 && !tries)
        emu_put_word(at, 1, (uint32_t)(old >> 32));
}

const struct emu_row emu_memory_rows[] = {
    {"LDG", load, NULL, 1, true, 0},
    {"LD", load, NULL, 1, true, 0},
    {"LDS", load, NULL, 0, true, 0},
    {"LDL", load, NULL, 0, true, 0},
    {"LDC", load_constant, NULL, 0, true, 0},
    {"STG", store, NULL, 0, false, 0},
    {"ST", store, NULL, 0, false, 0},
    {"STS", store, NULL, 0, false, 0},
    {"STL", store, NULL, 0, false, 0},
    {"ATOM", atomic, NULL, 1, true, 0},
    {"ATOMG", atomic, NULL, 1, true, 0},
    {"ATOMS", atomic, NULL, 1, true, 0},
    {"RED", atomic, NULL, 0, false, 0},
    {"REDG", atomic, NULL, 0, false, 0},
    {0},
};
