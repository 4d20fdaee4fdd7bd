// SPDX-License-Identifier: Apache-2.0
// Writes operations on vectors, arrays and cooperative matrices of generated programs as SPIR-V.
#include "generate/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_float(uint32_t type)
{
    return type == GEN_F32 || type == GEN_F16;
}

static struct id number_of(struct emit *e, const struct gen_act *act, uint32_t i)
{
    return emit_number_register(e, act->from[i]);
}

// Declares an id at its first use.
__attribute__((format(__printf__, 3, 4))) static void declare(struct emit *e, struct id id,
                                                              const char *format, ...)
{
    char rest[160];
    va_list list;
    va_start(list, format);
    vsnprintf(rest, sizeof rest, format, list);
    va_end(list);
    if (!strstr(e->lines.declared.data, gen_id("\n%s ", id.is).is))
        text_printf(&e->lines.declared, "%-21s = %s\n", id.is, rest);
}

// Vectors

static struct id vector_type(struct emit *e, uint32_t type)
{
    const struct id id = gen_id("%s4", emit_type_ids[type]);
    if (type != GEN_U32)
        declare(e, id, "OpTypeVector %s 4", emit_type_ids[type]);
    return id;
}

static struct id join(struct emit *e, const char *type, struct id a, struct id b, struct id c,
                      struct id d)
{
    return emit_value(e, "OpCompositeConstruct %s %s %s %s %s", type, a.is, b.is, c.is, d.is);
}

static struct id splat(struct emit *e, const char *type, struct id one)
{
    return join(e, type, one, one, one, one);
}

// Converts a register, or a vector of four, to the operation's type.
static struct id convert(struct emit *e, const struct gen_act *act, struct id number, bool four)
{
    const char *words = four ? "%uint4" : "%uint";
    struct id type = gen_id("%s", emit_type_ids[act->type]);
    struct id mask = gen_id("#%u", GEN_VECTOR_MASK(act->op));
    struct id middle = gen_id("#%u", GEN_VECTOR_MIDDLE(act->op));
    if (four)
        type = vector_type(e, act->type);
    if (act->type == GEN_U32)
        return number;
    if (!is_float(act->type))
        return emit_value(e, "OpUConvert %s %s", type.is, number.is);
    if (four) {
        mask = splat(e, words, mask);
        middle = splat(e, words, middle);
    }
    const struct id low = emit_value(e, "OpBitwiseAnd %s %s %s", words, number.is, mask.is);
    const struct id small = emit_value(e, "OpISub %s %s %s", words, low.is, middle.is);
    return emit_value(e, "OpConvertSToF %s %s", type.is, small.is);
}

static struct id high_of(struct emit *e, struct id number)
{
    return emit_value(e, "OpBitwiseXor %%uint %s #%u", number.is, GEN_HIGH(0));
}

static struct id extended(struct emit *e, uint32_t type, const char *name, struct id a, struct id b,
                          const char *c)
{
    return emit_value(e, "OpExtInst %s %%glsl %s %s%s%s%s%s", vector_type(e, type).is, name, a.is,
                      b.is[0] ? " " : "", b.is, *c ? " " : "", c);
}

// The value of a saturation, or of a clamp between the lower and the upper one of two vectors.
static struct id emit_clamp(struct emit *e, const struct gen_act *act, struct id x, struct id y)
{
    const uint32_t type = act->type;
    const char kind = is_float(type) ? 'F' : 'U';
    if (act->op == GEN_OP_SATURATE) {
        const struct id four = vector_type(e, type);
        const struct id zero = gen_id("%s_zero", four.is);
        declare(e, zero, "OpConstantNull %s", four.is);
        const struct id one = emit_value(e, "OpConvertUToF %s #1", emit_type_ids[type]);
        return extended(e, type, "FClamp", x, zero, splat(e, four.is, one).is);
    }
    const struct id c = number_of(e, act, 2), high = high_of(e, c);
    const struct id z = convert(e, act, join(e, "%uint4", c, high, c, high), true);
    const struct id low = extended(e, type, kind == 'F' ? "FMin" : "UMin", y, z, "");
    const struct id upper = extended(e, type, kind == 'F' ? "FMax" : "UMax", y, z, "");
    return extended(e, type, kind == 'F' ? "FClamp" : "UClamp", x, low, upper.is);
}

static struct id operate(struct emit *e, const struct gen_act *act, struct id x, struct id y)
{
    static const char *const names[GEN_WITHS] = {"OpIAdd",       "OpIMul",      "UMin",
                                                 "UMax",         "SMin",        "SMax",
                                                 "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"};
    const struct id type = vector_type(e, act->type), none = {""};
    const bool real = is_float(act->type);
    const char *name = names[act->with];
    struct id sum, by;
    switch (act->op) {
    case GEN_OP_VECTOR:
        if (name[0] == 'O')
            return emit_value(e, "%s %s %s %s", name, type.is, x.is, y.is);
        return extended(e, act->type, real ? (act->with == GEN_WITH_MIN ? "FMin" : "FMax") : name,
                        x, y, "");
    case GEN_OP_REMAINDER:
        by = splat(e, type.is, convert(e, act, gen_id("#1"), false));
        by = emit_value(e, "OpBitwiseOr %s %s %s", type.is, y.is, by.is);
        return emit_value(e, "OpUMod %s %s %s", type.is, x.is, by.is);
    case GEN_OP_QUOTIENT:
        sum = emit_value(e, "OpIAdd %s %s %s", type.is, x.is, y.is);
        by = splat(e, type.is, convert(e, act, gen_id("#%u", act->n + 1u), false));
        return emit_value(e, "OpUDiv %s %s %s", type.is, sum.is, by.is);
    case GEN_OP_NEGATE:
        return emit_value(e, "Op%cNegate %s %s", real ? 'F' : 'S', type.is, x.is);
    case GEN_OP_ABSOLUTE:
        return extended(e, act->type, real ? "FAbs" : "SAbs", x, none, "");
    default:
        return emit_clamp(e, act, x, y);
    }
}

struct id emit_vector(struct emit *e, const struct gen_act *act)
{
    const struct id a = number_of(e, act, 0), b = number_of(e, act, 1);
    const struct id a2 = high_of(e, a), b2 = high_of(e, b), type = vector_type(e, act->type);
    const bool scalar = act->n % 2 && act->op < GEN_OP_QUOTIENT;
    const struct id x = convert(e, act, join(e, "%uint4", a, a2, b, b2), true);
    const struct id y = scalar ? splat(e, type.is, convert(e, act, b, false))
                               : convert(e, act, join(e, "%uint4", b, a, b2, a2), true);
    struct id r = operate(e, act, x, y);
    if (is_float(act->type))
        r = emit_value(e, "OpConvertFToS %%uint4 %s", r.is);
    else if (act->type != GEN_U32)
        r = emit_value(e, "OpUConvert %%uint4 %s", r.is);
    return emit_fold_four(e, r);
}

// Arrays

enum { WHOLE_ELEMENT = 4, WHOLE_ARRAY = 5 }; // in place of a component

// A physical pointer to the blocks of an array, out of the push constants.
static struct id emit_address(struct emit *e, const char *name)
{
    const struct id at = emit_value(e, "OpAccessChain %%push_pair %%push #2");
    const struct id pair = emit_value(e, "OpLoad %%uint2 %s", at.is);
    return emit_value(e, "OpBitcast %%%s_all %s", name, pair.is);
}

// What comes before the element in an access chain.
static struct id base_of(struct emit *e, const struct gen_act *act, struct id lane)
{
    const char *name = gen_type_names[act->type], *storage = gen_arrays[act->type].storage;
    if (gen_is_private((enum gen_type)act->type))
        return gen_id("%%%s", name);
    if (*storage == 'W')
        return gen_id("%%%s %s", name, lane.is);
    const struct id group = emit_group_number(e);
    if (act->type == GEN_INDIRECT) {
        const struct id at =
            emit_value(e, "OpAccessChain %%pointer_at %%pointers #0 %s %s", group.is, lane.is);
        return emit_value(e, "OpLoad %%indirect_whole_at %s", at.is);
    }
    const struct id all = act->type == GEN_ADDRESS ? emit_address(e, name) : gen_id("%%%s", name);
    return gen_id("%s #0 %s %s", all.is, group.is, lane.is);
}

// A pointer to a part; `copy`: of the copy in the function.
static struct id point(struct emit *e, const struct gen_act *act, struct id base, const char *copy,
                       struct id element, uint32_t component)
{
    const char *name = gen_type_names[act->type];
    const bool mixed = act->type == GEN_STRUCTS;
    if (component == WHOLE_ARRAY)
        return gen_is_private((enum gen_type)act->type)
                   ? base
                   : emit_value(e, "OpAccessChain %%%s_whole_at %s", name, base.is);
    if (component == WHOLE_ELEMENT)
        return emit_value(e, "OpAccessChain %%%s_each_at %s %s", name, base.is, element.is);
    struct id at = {""};
    if (gen_arrays[act->type].components > 1)
        at = gen_id(mixed && component > 1 ? " #2 #%u" : " #%u",
                    mixed && component > 1 ? component - 2 : component);
    return emit_value(e, "OpAccessChain %%%s%s_%s_at %s %s%s", name, copy,
                      mixed && component == 1 ? "number" : "part", base.is, element.is, at.is);
}

// Memory operands of a load or store.
static const char *shares(const struct emit *e, const struct gen_act *act, bool stores)
{
    if (act->type == GEN_ADDRESS || act->type == GEN_INDIRECT)
        return !e->program->vulkan ? " Aligned 4"
               : stores            ? " Aligned|MakePointerAvailable|NonPrivatePointer 4 #2"
                                   : " Aligned|MakePointerVisible|NonPrivatePointer 4 #2";
    return gen_is_private((enum gen_type)act->type) ? "" : emit_shares(e, stores);
}

static struct id load_part(struct emit *e, const struct gen_act *act, struct id at,
                           uint32_t component, const char *shared)
{
    const enum gen_type type = gen_array_type((enum gen_type)act->type, component);
    const struct id part = emit_value(e, "OpLoad %s %s%s", emit_type_ids[type], at.is, shared);
    if (type == GEN_BOOL)
        return emit_value(e, "OpSelect %%uint %s #1 #0", part.is);
    return type == GEN_U32 ? part : emit_value(e, "OpUConvert %%uint %s", part.is);
}

static void store_part(struct emit *e, const struct gen_act *act, struct id at, uint32_t component,
                       struct id number, const char *shared)
{
    const enum gen_type type = gen_array_type((enum gen_type)act->type, component);
    if (type == GEN_BOOL) {
        number = emit_value(e, "OpBitwiseAnd %%uint %s #1", number.is);
        number = emit_value(e, "OpINotEqual %%bool %s #0", number.is);
    } else if (type != GEN_U32) {
        number = emit_value(e, "OpUConvert %s %s", emit_type_ids[type], number.is);
    }
    emit_put(e, "OpStore %s %s%s", at.is, number.is, shared);
}

// The element that the constant or a register names.
static struct id element_of(struct emit *e, const struct gen_act *act, uint32_t operand)
{
    const uint32_t count = gen_arrays[act->type].count;
    if (act->n >> 2)
        return gen_id("#%u", GEN_ELEMENT(act->n, 0u, count));
    return emit_value(e, "OpUMod %%uint %s #%u", number_of(e, act, operand).is, count);
}

// Adds up all parts of the copy, x = 3x + part, in a loop over the elements.
static struct id emit_sum(struct emit *e, const struct gen_act *act, struct id base)
{
    const struct gen_array *array = &gen_arrays[act->type];
    const uint32_t n = ++e->values;
    const struct id before = e->block, header = gen_id("%%elements_%u", n);
    const struct id body = gen_id("%%element_%u", n), merge = gen_id("%%end_elements_%u", n);
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, header);
    emit_put(e, "%%element_i_%u = OpPhi %%uint #0 %s %%element_next_%u %s", n, before.is, n,
             body.is);
    emit_put(e, "%%element_x_%u = OpPhi %%uint #0 %s %%element_sum_%u %s", n, before.is, n,
             body.is);
    emit_put(e, "%%element_on_%u = OpULessThan %%bool %%element_i_%u #%u", n, n, array->count);
    emit_put(e, "OpLoopMerge %s %s None", merge.is, body.is);
    emit_put(e, "OpBranchConditional %%element_on_%u %s %s", n, body.is, merge.is);
    emit_label(e, body);
    struct id sum = gen_id("%%element_x_%u", n);
    for (uint32_t c = 0; c < array->components; c++) {
        const struct id i = gen_id("%%element_i_%u", n);
        const struct id part = load_part(e, act, point(e, act, base, "_copy", i, c), c, "");
        const struct id thrice = emit_value(e, "OpIMul %%uint %s #3", sum.is);
        if (c + 1 < array->components)
            sum = emit_value(e, "OpIAdd %%uint %s %s", thrice.is, part.is);
        else
            emit_put(e, "%%element_sum_%u = OpIAdd %%uint %s %s", n, thrice.is, part.is);
    }
    emit_put(e, "%%element_next_%u = OpIAdd %%uint %%element_i_%u #1", n, n);
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, merge);
    return gen_id("%%element_x_%u", n);
}

// Copies the whole array to a variable of the function, and stores a part there.
static struct id emit_whole(struct emit *e, const struct gen_act *act)
{
    const char *name = gen_type_names[act->type];
    const struct id none = {""}, copy = gen_id("%%%s_copy_%u", name, e->function);
    const uint32_t component = GEN_COMPONENT(act->n, gen_arrays[act->type].components);
    const struct id number = number_of(e, act, 0), element = element_of(e, act, 1);
    const struct id from = point(e, act, base_of(e, act, e->local), "", none, WHOLE_ARRAY);
    const struct id all =
        emit_value(e, "OpLoad %%%s_whole %s%s", name, from.is, shares(e, act, false));
    emit_put(e, "OpStore %s %s", copy.is, all.is);
    store_part(e, act, point(e, act, copy, "_copy", element, component), component, number, "");
    return emit_sum(e, act, copy);
}

// A word of a buffer of an array, whose index is the same for the workgroup.
static struct id emit_described(struct emit *e, const struct gen_act *act)
{
    const struct id more = emit_value(e, "OpIAdd %%uint %s #%u", emit_group_number(e).is, act->n);
    const struct id which = emit_value(e, "OpUMod %%uint %s #4", more.is);
    const struct id word =
        emit_value(e, "OpUMod %%uint %s #%u", number_of(e, act, 0).is, GEN_DESCRIPTOR_WORDS);
    const struct id at =
        emit_value(e, "OpAccessChain %%word_pointer %%descriptors %s #0 %s", which.is, word.is);
    return emit_value(e, "OpLoad %%uint %s", at.is);
}

struct id emit_array(struct emit *e, const struct gen_act *act)
{
    if (act->type == GEN_DESCRIPTORS)
        return emit_described(e, act);
    if (act->op == GEN_OP_WHOLE)
        return emit_whole(e, act);
    const uint32_t component = GEN_COMPONENT(act->n, gen_arrays[act->type].components);
    const bool copies = act->op == GEN_OP_COPY;
    struct id number = {""}, lane = e->local;
    if (act->op == GEN_OP_PEER) {
        lane = emit_value(e, "OpIAdd %%uint %s #%u", lane.is, act->n + 1u);
        lane = emit_value(e, "OpUMod %%uint %s %%workgroup_width", lane.is);
        emit_put(e, EMIT_BARRIER);
    }
    const bool takes = act->op == GEN_OP_PUT || act->op == GEN_OP_FETCH || copies;
    if (takes)
        number = number_of(e, act, 0);
    const struct id element = element_of(e, act, takes);
    const struct id at = point(e, act, base_of(e, act, lane), "", element,
                               copies ? (uint32_t)WHOLE_ELEMENT : component);
    if (copies) {
        const struct id which =
            emit_value(e, "OpUMod %%uint %s #%u", number.is, gen_arrays[act->type].count);
        const struct id from = point(e, act, base_of(e, act, lane), "", which, WHOLE_ELEMENT);
        const struct id each = emit_value(e, "OpLoad %s %s%s", gen_arrays[act->type].element,
                                          from.is, shares(e, act, false));
        emit_put(e, "OpStore %s %s%s", at.is, each.is, shares(e, act, true));
    } else if (act->op == GEN_OP_FETCH) {
        number = emit_atomic_on(e, act, at, number);
    } else if (act->op == GEN_OP_PUT) {
        store_part(e, act, at, component, number, shares(e, act, true));
    } else {
        number = load_part(e, act, at, component, shares(e, act, false));
        if (act->op == GEN_OP_PEER)
            emit_put(e, EMIT_BARRIER);
    }
    return number;
}

void emit_begin_arrays(struct emit *e)
{
    for (uint8_t type = GEN_VECTORS; type < GEN_TYPES; type++) {
        const struct gen_array *array = &gen_arrays[type];
        const struct gen_act act = {.type = type};
        if (!gen_uses(e->program, (enum gen_type)type))
            continue;
        if (type == GEN_INDIRECT) {
            const struct id all = emit_address(e, "indirect"), group = emit_group_number(e);
            const struct id array = emit_value(e, "OpAccessChain %%indirect_whole_at %s #0 %s %s",
                                               all.is, group.is, e->local.is);
            const struct id at = emit_value(e, "OpAccessChain %%pointer_at %%pointers #0 %s %s",
                                            group.is, e->local.is);
            emit_put(e, "OpStore %s %s", at.is, array.is);
        }
        for (uint32_t k = 0; k < array->count; k++)
            for (uint32_t c = 0; c < array->components; c++) {
                if (GEN_BEGINS_ZERO(gen_is_private((enum gen_type)type), k, c, array->components))
                    continue;
                const struct id number =
                    emit_value(e, "OpIAdd %%uint %s #%u", e->word.is, GEN_BEGINS(0, k, c));
                const struct id element = gen_id("#%u", k);
                store_part(e, &act, point(e, &act, base_of(e, &act, e->local), "", element, c), c,
                           number, shares(e, &act, true));
            }
    }
}

// Matrices

// An array in shared memory, ARRAY_TYPE; pointers to its numbers are of type ARRAY_TYPE_at.
static struct id shared_array(struct emit *e, const char *array, const char *type, uint32_t count)
{
    const struct id id = gen_id("%%%s_%s", array, type + 1), at = gen_id("%s_at", id.is);
    const struct id whole = gen_id("%s_array", id.is), pointer = gen_id("%s_pointer", id.is);
    const struct id size = gen_constant(&e->lines, count);
    declare(e, whole, "OpTypeArray %s %s", type, size.is);
    declare(e, pointer, "OpTypePointer Workgroup %s", whole.is);
    declare(e, at, "OpTypePointer Workgroup %s", type);
    declare(e, id, "OpVariable %s Workgroup", pointer.is);
    return id;
}

static struct id number_at(struct emit *e, struct id array, struct id number)
{
    return emit_value(e, "OpAccessChain %s_at %s %s", array.is, array.is, number.is);
}

// The numbers of factors that the program's products need.
static struct id tile_of(struct emit *e, uint8_t type)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i <= e->program->count; i++) {
        const struct gen_act *act = &e->program->steps[i].act;
        if (act->op == GEN_OP_PRODUCT && gen_components[act->product.left].type == type &&
            GEN_TILE(&act->product) > most)
            most = GEN_TILE(&act->product);
    }
    return shared_array(e, "tile", emit_type_ids[type], most);
}

// The lanes of the workgroup put their numbers into shared memory.
static void emit_tile(struct emit *e, const struct gen_product *product, struct id tile,
                      struct id from)
{
    const uint32_t n = ++e->values;
    const struct id before = e->block, header = gen_id("%%tiles_%u", n);
    const struct id body = gen_id("%%tile_%u", n), merge = gen_id("%%end_tiles_%u", n);
    const struct id i = gen_id("%%tile_i_%u", n);
    const uint8_t type = gen_components[product->left].type;
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, header);
    emit_put(e, "%s = OpPhi %%uint %s %s %%tile_next_%u %s", i.is, e->local.is, before.is, n,
             body.is);
    emit_put(e, "%%tile_on_%u = OpULessThan %%bool %s #%u", n, i.is, GEN_TILE(product));
    emit_put(e, "OpLoopMerge %s %s None", merge.is, body.is);
    emit_put(e, "OpBranchConditional %%tile_on_%u %s %s", n, body.is, merge.is);
    emit_label(e, body);
    const struct id high = emit_value(e, "OpShiftRightLogical %%uint %s #6", i.is);
    const struct id shift = emit_value(e, "OpBitwiseAnd %%uint %s #15", high.is);
    const struct id low = emit_value(e, "OpShiftRightLogical %%uint %s %s", from.is, shift.is);
    const struct id number =
        emit_value(e, "OpBitwiseAnd %%uint %s #%u", low.is, GEN_TILE_MASK(product));
    const struct id one = emit_value(e, "%s %s %s", is_float(type) ? "OpConvertUToF" : "OpUConvert",
                                     emit_type_ids[type], number.is);
    const struct id at = number_at(e, tile, i);
    emit_put(e, "OpStore %s %s%s", at.is, one.is, emit_shares(e, true));
    emit_put(e, "%%tile_next_%u = OpIAdd %%uint %s %%workgroup_width", n, i.is);
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, merge);
}

static struct id matrix_type(struct emit *e, uint8_t component, uint32_t rows, uint32_t columns,
                             uint32_t use)
{
    const char *type = emit_type_ids[gen_components[component].type];
    const struct id id = gen_id("%%matrix_%s_%ux%u_%u", type + 1, rows, columns, use);
    const struct id high = gen_constant(&e->lines, rows), wide = gen_constant(&e->lines, columns);
    const struct id used = gen_constant(&e->lines, use);
    declare(e, id, "OpTypeCooperativeMatrixKHR %s %%subgroup_scope %s %s %s", type, high.is,
            wide.is, used.is);
    return id;
}

// Factor `use` of a product, whose numbers begin at `start`, by rows or by columns.
static struct id load_factor(struct emit *e, const struct gen_product *product, struct id tile,
                             uint32_t use, struct id start, uint32_t by_columns)
{
    const uint32_t rows = use ? product->k : product->m, columns = use ? product->n : product->k;
    const struct id at = number_at(e, tile, start);
    const struct id type = matrix_type(e, use ? product->right : product->left, rows, columns, use);
    return emit_value(e, "OpCooperativeMatrixLoadKHR %s %s #%u #%u%s", type.is, at.is, by_columns,
                      by_columns ? rows : columns, emit_shares(e, false));
}

struct id emit_product(struct emit *e, const struct gen_act *act)
{
    static const char *const signs[] = {
        "MatrixASignedComponentsKHR", "MatrixBSignedComponentsKHR",
        "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR"};
    const struct gen_product *product = &act->product;
    const uint8_t kinds[] = {product->left, product->right, product->sum};
    const uint32_t sums_each = (uint32_t)product->m * product->n, n = act->n;
    const char *sum_type = emit_type_ids[gen_components[product->sum].type];
    const bool floats = is_float(gen_components[product->sum].type);
    const uint32_t by_columns = n >> 5 & 1u, stride = by_columns ? product->m : product->n;
    const struct id from = number_of(e, act, 0), which = number_of(e, act, 1);
    const struct id tile = tile_of(e, gen_components[product->left].type);
    const struct id sums = shared_array(e, "sums", sum_type, GEN_SUMS);
    char mask[160] = "";
    for (uint32_t i = 0; i < 3; i++)
        if (gen_components[kinds[i]].is_signed)
            snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "%s%s", *mask ? "|" : " ",
                     signs[i]);
    emit_put(e, EMIT_BARRIER);
    emit_tile(e, product, tile, from);
    emit_put(e, EMIT_BARRIER);
    const struct id subgroup = emit_subgroup_number(e);
    const struct id more = emit_value(e, "OpBitwiseAnd %%uint %s #3", subgroup.is);
    const struct id far = emit_value(e, "OpIMul %%uint %s #16", more.is);
    const struct id start =
        emit_value(e, "OpIAdd %%uint %s #%u", far.is, GEN_RIGHT(product, n, 0u));
    const struct id a = load_factor(e, product, tile, 0, gen_id("#%u", GEN_LEFT(n)), n >> 3 & 1);
    const struct id b = load_factor(e, product, tile, 1, start, n >> 4 & 1);
    const struct id type = matrix_type(e, product->sum, product->m, product->n, 2);
    const struct id addend = gen_id("#%u", n * GEN_ADDEND(product));
    const struct id one =
        floats ? emit_value(e, "OpConvertUToF %s %s", sum_type, addend.is) : addend;
    const struct id c = emit_value(e, "OpCompositeConstruct %s %s", type.is, one.is);
    const struct id sum = emit_value(e, "OpCooperativeMatrixMulAddKHR %s %s %s %s%s", type.is, a.is,
                                     b.is, c.is, mask);
    const struct id own = emit_value(e, "OpIMul %%uint %s #%u", subgroup.is, sums_each);
    const struct id to = number_at(e, sums, own);
    emit_put(e, "OpCooperativeMatrixStoreKHR %s %s #%u #%u%s", to.is, sum.is, by_columns, stride,
             emit_shares(e, true));
    emit_put(e, EMIT_BARRIER);
    const struct id element = emit_value(e, "OpBitwiseAnd %%uint %s #%u", which.is, sums_each - 1);
    const struct id place = emit_value(e, "OpIAdd %%uint %s %s", own.is, element.is);
    const struct id at = number_at(e, sums, place);
    const struct id found = emit_value(e, "OpLoad %s %s%s", sum_type, at.is, emit_shares(e, false));
    return floats ? emit_value(e, "OpConvertFToU %%uint %s", found.is) : found;
}
