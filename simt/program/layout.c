// SPDX-License-Identifier: Apache-2.0
// Positions of a composite's parts: cells, and bytes in memory. Matrices in memory take their
// layout from the enclosing struct, so pointers carry it along.
#include "program/compiler.h"

bool layout_is_explicit(SpvStorageClass storage)
{
    return storage != SpvStorageClassWorkgroup;
}

bool layout_part(const struct compiler *c, uint32_t type, uint32_t index, uint32_t *part,
                 uint32_t *cell)
{
    const struct type *t = module_type(c->module, type);
    *cell = 0;
    switch (t->kind) {
    case TYPE_STRUCT:
        if (index >= t->count)
            return false;
        for (uint32_t i = 0; i < index; i++)
            *cell += check_cells(c, t->members[i].type);
        *part = t->members[index].type;
        return true;
    case TYPE_VECTOR:
    case TYPE_MATRIX:
    case TYPE_ARRAY:
    case TYPE_COOPERATIVE:
        if (index >= t->count)
            return false;
        *part = t->element;
        *cell = index * check_cells(c, t->element);
        return true;
    default:
        return false;
    }
}

bool layout_member(struct compiler *c, const struct op *op, uint32_t type, uint32_t index,
                   bool explicit_layout, struct pointer *at, uint64_t *offset)
{
    const struct member *member = &module_type(c->module, type)->members[index];
    if (explicit_layout && member->offset == UINT32_MAX)
        return compile_fail(c, op, "accesses member %u of %%%u, which has no offset", index, type);
    *offset = module_offset(c->module, type, index, explicit_layout);
    at->coherent |= member->coherent || member->is_volatile;
    at->row_major = member->row_major;
    at->matrix_stride = member->matrix_stride;
    at->vector_stride = 0;
    return true;
}

static bool matrix_stride(struct compiler *c, const struct op *op, uint32_t type,
                          struct pointer *at, uint64_t *stride)
{
    const struct type *column = module_type(c->module, module_type(c->module, type)->element);
    if (!at->matrix_stride)
        return compile_fail(c, op, "accesses a matrix whose layout is not known");
    *stride = at->matrix_stride;
    if (at->row_major) {
        *stride = module_type(c->module, column->element)->width / 8;
        at->vector_stride = at->matrix_stride;
    }
    return true;
}

bool layout_stride(struct compiler *c, const struct op *op, uint32_t type, bool explicit_layout,
                   struct pointer *at, uint64_t *stride)
{
    const struct type *t = module_type(c->module, type);
    if (!explicit_layout) {
        *stride = module_offset(c->module, type, 1, false);
    } else if (t->kind == TYPE_MATRIX) {
        return matrix_stride(c, op, type, at, stride);
    } else if (t->kind == TYPE_VECTOR) {
        *stride = at->vector_stride ? at->vector_stride : module_offset(c->module, type, 1, true);
        at->vector_stride = 0;
    } else {
        *stride = t->stride;
    }
    return *stride || compile_fail(c, op, "accesses an array without a stride");
}

// State while collecting a type's pieces.
struct pieces {
    struct compiler *c;
    const struct op *op;
    bool explicit_layout;
    uint32_t cell;
};

static bool add_piece(struct pieces *pieces, const struct type *type, uint64_t offset)
{
    struct compiler *c = pieces->c;
    const bool is_address =
        type->kind == TYPE_POINTER && type->storage == SpvStorageClassPhysicalStorageBuffer;
    const bool is_bool = type->kind == TYPE_BOOL;
    uint32_t first;
    if (type->kind == TYPE_POINTER && !is_address)
        return compile_fail(c, pieces->op, "accesses a pointer in memory that is not an address");
    if (offset > UINT32_MAX)
        return compile_fail(c, pieces->op, "accesses a type that is too large");
    if (!compile_extra(c, PIECE_WORDS, &first))
        return false;
    uint32_t *piece = c->program->extra + first;
    piece[0] = pieces->cell++;
    piece[1] = (uint32_t)offset;
    piece[2] = is_address ? 64 : is_bool ? 32 : type->width;
    piece[3] = is_bool ? PIECE_BOOL : PIECE_BITS;
    return true;
}

// Recursion is limited by MODULE_DEPTH_MAX; parts without cells are skipped.
static bool add_pieces(struct pieces *pieces, uint32_t type, struct pointer at, uint64_t offset)
{
    struct compiler *c = pieces->c;
    const struct type *t = module_type(c->module, type);
    uint64_t stride = 0;
    const bool is_struct = t->kind == TYPE_STRUCT;
    if (t->kind == TYPE_BOOL || t->kind == TYPE_INT || t->kind == TYPE_FLOAT ||
        t->kind == TYPE_POINTER)
        return add_piece(pieces, t, offset);
    if (!check_cells(c, type))
        return true;
    if (t->kind == TYPE_COOPERATIVE)
        return compile_fail(c, pieces->op, "accesses a cooperative matrix in memory");
    if (!is_struct && !layout_stride(c, pieces->op, type, pieces->explicit_layout, &at, &stride))
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t part = i * stride;
        if (is_struct &&
            !layout_member(c, pieces->op, type, i, pieces->explicit_layout, &at, &part))
            return false;
        if (!add_pieces(pieces, is_struct ? t->members[i].type : t->element, at, offset + part))
            return false;
    }
    return true;
}

static bool same_strides(const struct pointer *x, const struct pointer *y)
{
    return x->row_major == y->row_major && x->matrix_stride == y->matrix_stride &&
           x->vector_stride == y->vector_stride;
}

bool layout_pieces(struct compiler *c, const struct op *op, uint32_t type, const struct pointer *at,
                   bool explicit_layout, uint32_t *first, uint32_t *count)
{
    struct pieces pieces = {.c = c, .op = op, .explicit_layout = explicit_layout};
    for (uint32_t i = c->slots[type].list; i; i = c->layouts[i - 1].next) {
        const struct layout *layout = &c->layouts[i - 1];
        if (layout->explicit_layout == explicit_layout && same_strides(&layout->pointer, at)) {
            *first = layout->first;
            *count = layout->count;
            return true;
        }
    }
    *first = c->program->extra_count;
    if (!add_pieces(&pieces, type, *at, 0) ||
        !COMPILE_ROOM(c, c->layouts, c->layout_count, 1, layout_capacity, PROGRAM_EXTRA_MAX))
        return false;
    *count = pieces.cell;
    c->layouts[c->layout_count++] = (struct layout){.first = *first,
                                                    .count = *count,
                                                    .pointer = *at,
                                                    .explicit_layout = explicit_layout,
                                                    .next = c->slots[type].list};
    c->slots[type].list = c->layout_count;
    return true;
}
