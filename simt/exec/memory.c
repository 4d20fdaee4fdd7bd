// SPDX-License-Identifier: Apache-2.0
// Loads and stores, to memory and registers; pointers; fences.
#include "program/execution.h"
#include "program/instructions.h"

#include "memory/host.h"
#include "memory/order.h"
#include "memory/regions.h"

struct piece {
    uint32_t cell, offset, bits, kind; // as in program->extra
};
_Static_assert(sizeof(struct piece) == PIECE_WORDS * sizeof(uint32_t), "words of a piece");

static const struct piece *pieces_of(const struct exec *exec, const struct insn *insn)
{
    return (const struct piece *)(const void *)(exec->program->extra + insn->extra);
}

static uint32_t size_of(const struct piece *piece) // bytes
{
    return piece->kind == PIECE_BOOL ? 4 : piece->bits / 8;
}

static void trace_addresses(struct exec *exec, const uint64_t *pointers)
{
    for (uint32_t l = 0; exec->trace && l < exec->count; l++)
        exec->seen[exec->lane[l]].address = pointers[exec->lane[l]];
}

static uint32_t order_flags(const struct insn *insn)
{
    return insn->flags | (uint32_t)(insn->literal >> 8 & 0xff) << ORDER_SCOPE_SHIFT;
}

// Loads one piece for all lanes; `size` is a constant when inlined.
static ALWAYS_INLINE void load_piece(struct exec *exec, struct host_window *window,
                                     const uint64_t *pointers, uint64_t *to, uint32_t offset,
                                     uint32_t size)
{
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const unsigned char *at =
            host_access(exec, window, lane, pointers[lane], offset, size, false);
        to[lane] = at ? host_load(at, size) : 0;
    }
}

void memory_load(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    const uint32_t flags = order_flags(insn);
    struct host_window window = HOST_NO_WINDOW;
    trace_addresses(exec, pointers);
    for (uint32_t i = 0; i < insn->extra_count; i++) {
        const struct piece *piece = &pieces_of(exec, insn)[i];
        const uint32_t size = size_of(piece);
        uint64_t *to = exec_cells(exec, insn->result + piece->cell);
        if (exec->order) {
            order_loads(exec, pointers, piece->offset, size, flags, to);
        } else if (size == 4) {
            load_piece(exec, &window, pointers, to, piece->offset, 4);
        } else {
            load_piece(exec, &window, pointers, to, piece->offset, size);
        }
        for (uint32_t l = 0; piece->kind == PIECE_BOOL && l < exec->count; l++)
            to[exec->lane[l]] = to[exec->lane[l]] != 0;
    }
}

// Returns the value, or with the model's probability one with a wrong bit.
static uint64_t maybe_wrong(struct exec *exec, uint64_t value, const struct piece *piece)
{
    if (!(exec->fault_rate > 0))
        return value;
    if ((double)(exec_random(exec) >> 11) * 0x1p-53 >= exec->fault_rate)
        return value;
    const uint32_t bits = piece->kind == PIECE_BOOL ? 1 : piece->bits;
    return value ^ UINT64_C(1) << exec_random(exec) % bits;
}

static ALWAYS_INLINE void store_piece(struct exec *exec, struct host_window *window,
                                      const uint64_t *pointers, const uint64_t *from,
                                      const struct piece *piece, uint32_t size)
{
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint64_t value = maybe_wrong(exec, from[lane], piece);
        unsigned char *at =
            host_access(exec, window, lane, pointers[lane], piece->offset, size, true);
        if (at)
            host_store(at, size, value);
    }
}

void memory_store(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    const uint32_t flags = order_flags(insn);
    struct host_window window = HOST_NO_WINDOW;
    trace_addresses(exec, pointers);
    for (uint32_t i = 0; i < insn->extra_count; i++) {
        const struct piece *piece = &pieces_of(exec, insn)[i];
        const uint32_t size = size_of(piece);
        const uint64_t *from = exec_cells(exec, insn->operand[1] + piece->cell);
        if (exec->order) {
            uint64_t wrong[LANES_MAX];
            for (uint32_t l = 0; exec->fault_rate > 0 && l < exec->count; l++)
                wrong[exec->lane[l]] = maybe_wrong(exec, from[exec->lane[l]], piece);
            order_stores(exec, pointers, piece->offset, size, flags,
                         exec->fault_rate > 0 ? wrong : from);
        } else if (size == 4) {
            store_piece(exec, &window, pointers, from, piece, 4);
        } else {
            store_piece(exec, &window, pointers, from, piece, size);
        }
    }
}

uint64_t matrix_address(const struct exec *exec, const struct insn *insn, unsigned lane,
                        uint32_t element)
{
    const uint64_t pointer = exec_cells(exec, insn->operand[GROUP_VALUE])[lane];
    const uint64_t stride = exec_cells(exec, insn->operand[GROUP_ARGUMENT])[lane];
    const uint32_t row = element / MATRIX_COLUMNS(insn), column = element % MATRIX_COLUMNS(insn);
    const bool by_columns = insn->flags & ACCESS_COLUMNS;
    const uint64_t unit = insn->literal >> MATRIX_LAST_SHIFT;
    const uint64_t line = by_columns ? column : row, before = by_columns ? row : column;
    if (stride > OFFSET_MASK / (unit * MODULE_SIDE_MAX))
        return POINTER_BAD;
    return host_add(pointer, line * stride * unit + before * (insn->width / 8));
}

// Each lane loads or stores its own elements.
static ALWAYS_INLINE void transfer_matrix(struct exec *exec, const struct insn *insn, bool is_store)
{
    const uint32_t elements = MATRIX_ROWS(insn) * MATRIX_COLUMNS(insn), size = insn->width / 8;
    const uint32_t first = is_store ? insn->operand[GROUP_CLUSTER] : insn->result;
    const struct piece piece = {.bits = insn->width, .kind = PIECE_BITS};
    for (uint32_t i = 0; i < elements; i += exec->width) {
        uint64_t *values = exec_cells(exec, first + i / exec->width);
        for (uint32_t l = 0; l < exec->count && i + exec->lane[l] < elements; l++) {
            const unsigned lane = exec->lane[l];
            const uint64_t at = matrix_address(exec, insn, lane, i + lane);
            if (is_store)
                order_store(exec, lane, at, size, maybe_wrong(exec, values[lane], &piece),
                            order_flags(insn));
            else
                values[lane] = order_load(exec, lane, at, size, order_flags(insn));
        }
    }
}

void matrix_load(struct exec *exec, const struct insn *insn)
{
    transfer_matrix(exec, insn, false);
}

void matrix_store(struct exec *exec, const struct insn *insn)
{
    transfer_matrix(exec, insn, true);
}

// The first cell that a lane's register pointer points to; CELL_NONE with a fault if `count` cells
// are not there.
static uint32_t register_of(struct exec *exec, unsigned lane, uint64_t pointer, uint32_t count)
{
    const uint32_t cells = exec->program->cell_count;
    if (count <= cells && pointer <= cells - count)
        return (uint32_t)pointer;
    exec_fault(exec, EXEC_OUT_OF_BOUNDS, lane, pointer, count);
    return CELL_NONE;
}

void memory_load_register(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    trace_addresses(exec, pointers);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint32_t from = register_of(exec, lane, pointers[lane], insn->extra_count);
        for (uint32_t i = 0; i < insn->extra_count; i++)
            exec_cells(exec, insn->result + i)[lane] =
                from == CELL_NONE ? 0 : exec_cells(exec, from + i)[lane];
    }
}

void memory_store_register(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    trace_addresses(exec, pointers);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint32_t to = register_of(exec, lane, pointers[lane], insn->extra_count);
        for (uint32_t i = 0; i < insn->extra_count && to != CELL_NONE; i++)
            exec_cells(exec, to + i)[lane] = exec_cells(exec, insn->operand[1] + i)[lane];
    }
}

// Pointers.

struct chain_index {
    uint32_t cell, width, is_signed, stride_low, stride_high, bound; // as in program->extra
};
_Static_assert(sizeof(struct chain_index) == CHAIN_WORDS * sizeof(uint32_t), "words of an index");

__extension__ typedef __int128 wide;

static int64_t index_value(uint64_t bits, const struct chain_index *index)
{
    const unsigned unused = 64 - index->width;
    return index->is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

// The end of an access chain from `pointer` in a lane. Regions and offsets are computed separately,
// so that no offset reaches another region; descriptor indices have a whole region as stride.
static uint64_t follow(const struct exec *exec, unsigned lane, uint64_t pointer,
                       const struct insn *insn)
{
    const struct chain_index *indices =
        (const struct chain_index *)(const void *)(exec->program->extra + insn->extra);
    // The literal has both, and its offset may be negative.
    const wide literal = (int64_t)insn->literal, region = region_address(1, 0);
    const wide regions = (literal + region / 2) >> REGION_SHIFT;
    wide number = host_region_number(pointer) + regions;
    wide offset = (wide)host_region_offset(pointer) + literal - regions * region;
    if (pointer == POINTER_BAD)
        return POINTER_BAD;
    for (uint32_t i = 0; i < insn->extra_count; i++) {
        const struct chain_index *index = &indices[i];
        const uint64_t bits = exec_cells(exec, index->cell)[lane];
        const uint64_t stride = (uint64_t)index->stride_high << 32 | index->stride_low;
        // Unsigned 64-bit indices above INT64_MAX are always out of bounds.
        const int64_t value = index_value(bits, index);
        if ((index->bound && (uint64_t)value >= index->bound) || (!index->is_signed && value < 0) ||
            value > INT64_MAX >> 8 || value < INT64_MIN >> 8)
            return POINTER_BAD;
        if (stride >> REGION_SHIFT)
            number += (wide)value * (int64_t)(stride >> REGION_SHIFT);
        else
            offset += (wide)value * (int64_t)stride;
    }
    if (offset < 0 || offset >= region || number < 0 || number > UINT32_MAX >> 9)
        return POINTER_BAD;
    return region_address((uint32_t)number, (uint64_t)offset);
}

void memory_chain(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    uint64_t *results = exec_cells(exec, insn->result);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        results[lane] = follow(exec, lane, pointers[lane], insn);
    }
}

// Both pointers point into one array, so they share a region and differ by a multiple of the
// stride.
void memory_difference(struct exec *exec, const struct insn *insn)
{
    const uint64_t *x = exec_cells(exec, insn->operand[0]);
    const uint64_t *y = exec_cells(exec, insn->operand[1]);
    uint64_t *results = exec_cells(exec, insn->result);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const int64_t difference = (int64_t)(x[lane] - y[lane]) / (int64_t)insn->literal;
        results[lane] = (uint64_t)difference & ~UINT64_C(0) >> (64 - insn->width);
    }
}

void memory_array_length(struct exec *exec, const struct insn *insn)
{
    const uint64_t *pointers = exec_cells(exec, insn->operand[0]);
    uint64_t *results = exec_cells(exec, insn->result);
    const uint64_t begins = insn->literal >> 32, stride = insn->literal & UINT32_MAX;
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint64_t before = host_region_offset(pointers[lane]) + begins;
        struct region region;
        uint64_t length = 0;
        if (!host_region(exec, host_region_number(pointers[lane]), &region))
            exec_fault(exec, EXEC_OUT_OF_BOUNDS, lane, pointers[lane], 0);
        else if (stride && before < region.size)
            length = (region.size - before) / stride;
        results[lane] = length < UINT32_MAX ? length : UINT32_MAX;
    }
}

// Fences.

static void fence(struct exec *exec, const struct insn *insn, uint32_t first, bool is_control)
{
    const uint64_t *scopes = exec_cells(exec, insn->operand[first]);
    const uint64_t *semantics = exec_cells(exec, insn->operand[first + 1]);
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        order_fence(exec, lane, (uint32_t)scopes[lane], (uint32_t)semantics[lane], is_control);
        if (!exec->order)
            break; // one fence covers all lanes
    }
}

void memory_fence(struct exec *exec, const struct insn *insn)
{
    fence(exec, insn, 0, false);
}

void memory_barrier(struct exec *exec, const struct insn *insn)
{
    fence(exec, insn, 1, true);
}
