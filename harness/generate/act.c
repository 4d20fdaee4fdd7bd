// SPDX-License-Identifier: Apache-2.0
// The table of operations on data, and their notation.
#include "generate/act.h"

#include "generate/masks.h"
#include "model/facts.h"

#include <stdlib.h>
#include <string.h>

#define U32         (1u << GEN_U32)
#define INTS        (U32 | 1u << GEN_U16 | 1u << GEN_U8 | 1u << GEN_U64)
#define FLOATS      (1u << GEN_F32 | 1u << GEN_F16 | 1u << GEN_F64)
#define BOOL        (1u << GEN_BOOL)
#define ALL         (INTS | FLOATS | BOOL)
#define U64         (1u << GEN_U64)
#define WORDS       (U32 | 1u << GEN_F32 | BOOL)
#define MEMORY      (1u << GEN_SHARED | 1u << GEN_BUFFER)
#define VECTOR_INTS (U32 | 1u << GEN_U16 | 1u << GEN_U8)
#define HALVES      (1u << GEN_F32 | 1u << GEN_F16)
#define SEEN                                                                                       \
    (1u << GEN_ROWS | 1u << GEN_SHARED16 | 1u << GEN_SHARED8 | 1u << GEN_STRIDED |                 \
     1u << GEN_BUFFER16 | 1u << GEN_BUFFER8)
#define PRIVATES    (1u << GEN_VECTORS | 1u << GEN_FLAGS | 1u << GEN_STRUCTS)
#define ARRAYS      (PRIVATES | SEEN)
#define PLACES      (1u << GEN_ADDRESS | 1u << GEN_INDIRECT)
#define DESCRIPTORS (1u << GEN_DESCRIPTORS)
#define COPIED      (PRIVATES | 1u << GEN_ROWS | 1u << GEN_SHARED16 | 1u << GEN_SHARED8)

#define FORM(op, name, gives, takes, most, needs, combines, types, feature)                        \
    [GEN_OP_##op] = {name, gives, takes, most, GEN_##needs, combines, types, CAT_FEATURE_##feature},

const struct gen_form gen_forms[GEN_OPS] = {GEN_OPERATIONS(FORM)};

const char *const gen_with_names[GEN_WITHS] = {"add",  "mul", "min", "max", "smin",
                                               "smax", "and", "or",  "xor"};
const char *const gen_type_names[GEN_TYPES] = {
    "",        "u16",      "u8",      "u64",     "f32",      "f16",        "f64",      "bool",
    "shared",  "buffer",   "vectors", "flags",   "structs",  "rows",       "shared16", "shared8",
    "strided", "buffer16", "buffer8", "address", "indirect", "descriptors"};

const struct gen_array gen_arrays[GEN_TYPES] = {
    [GEN_VECTORS] = {GEN_ELEMENTS, 4, GEN_U32, "Private", "%uint4"},
    [GEN_FLAGS] = {19, 1, GEN_BOOL, "Private", "%bool"},
    [GEN_STRUCTS] = {6, 4, GEN_BOOL, "Private", "%flagged"},
    [GEN_ROWS] = {5, 2, GEN_U32, "Workgroup", "%uint2"},
    [GEN_SHARED16] = {4, 1, GEN_U16, "Workgroup", "%ushort"},
    [GEN_SHARED8] = {4, 1, GEN_U8, "Workgroup", "%uchar"},
    [GEN_STRIDED] = {4, 3, GEN_U32, "StorageBuffer", "%uint3"},
    [GEN_BUFFER16] = {4, 1, GEN_U16, "StorageBuffer", "%ushort"},
    [GEN_BUFFER8] = {4, 1, GEN_U8, "StorageBuffer", "%uchar"},
    [GEN_ADDRESS] = {4, 3, GEN_U32, "PhysicalStorageBuffer", "%uint3"},
    [GEN_INDIRECT] = {4, 3, GEN_U32, "PhysicalStorageBuffer", "%uint3"},
};

const struct gen_component_form gen_components[GEN_COMPONENTS] = {
    [GEN_IS_F32] = {"f32", GEN_F32, false}, [GEN_IS_F16] = {"f16", GEN_F16, false},
    [GEN_IS_U8] = {"u8", GEN_U8, false},    [GEN_IS_S8] = {"s8", GEN_U8, true},
    [GEN_IS_U32] = {"u32", GEN_U32, false}, [GEN_IS_S32] = {"s32", GEN_U32, true},
};

// What `product` means without more words.
static const struct gen_product usual = {GEN_IS_F16, GEN_IS_F16, GEN_IS_F32, 16, 16, 16};

bool gen_is_private(enum gen_type array)
{
    return !strcmp(gen_arrays[array].storage, "Private");
}

enum gen_type gen_array_type(enum gen_type array, uint32_t component)
{
    return array == GEN_STRUCTS && component == 1 ? GEN_U32 : (enum gen_type)gen_arrays[array].of;
}

static bool is_bitwise(enum gen_with with)
{
    return with == GEN_WITH_AND || with == GEN_WITH_OR || with == GEN_WITH_XOR;
}

bool gen_act_may(enum gen_op op, enum gen_with with, enum gen_type type)
{
    const struct gen_form *form = &gen_forms[op];
    if (!(form->types >> type & 1) || (!form->combines && with))
        return false;
    if (!form->combines)
        return true;
    if (type == GEN_BOOL)
        return is_bitwise(with);
    // Sums of floats have no specified precision. The identity of a scan's minimum and maximum is
    // infinite.
    if (FLOATS >> type & 1)
        return op != GEN_OP_EXCLUSIVE && (with == GEN_WITH_MIN || with == GEN_WITH_MAX);
    return with != GEN_WITH_MUL || !(form->types & (MEMORY | PLACES));
}

bool gen_act_gives_truth(const struct gen_act *act)
{
    const char gives = gen_forms[act->op].gives;
    return gives == 'p' || (gives == 't' && act->type == GEN_BOOL);
}

// The type letter of operand number `i`, not counting the constant; '\0' after the last.
static char operand(const struct gen_act *act, uint32_t i)
{
    const char *takes = gen_forms[act->op].takes;
    for (; *takes; takes++)
        if (*takes != '#' && i-- == 0)
            return *takes;
    return '\0';
}

bool gen_act_takes_truth(const struct gen_act *act, uint32_t i)
{
    const char takes = operand(act, i);
    return takes == 'p' || (takes == 't' && act->type == GEN_BOOL);
}

bool gen_act_turns(enum gen_op op)
{
    return op == GEN_OP_NUMBER || op == GEN_OP_SHUFFLE_XOR || op == GEN_OP_UP ||
           op == GEN_OP_DOWN || op == GEN_OP_PEEK || op == GEN_OP_WORD;
}

uint32_t gen_act_operands(const struct gen_act *act)
{
    uint32_t count = 0;
    while (operand(act, count))
        count++;
    return count;
}

#define FEATURE(name) (UINT64_C(1) << CAT_FEATURE_##name)

uint64_t gen_act_features(const struct gen_act *act)
{
    static const uint64_t of_type[GEN_TYPES] = {
        [GEN_U16] = FEATURE(INT16) | FEATURE(EXTENDED_TYPES),
        [GEN_U8] = FEATURE(INT8) | FEATURE(EXTENDED_TYPES),
        [GEN_U64] = FEATURE(INT64) | FEATURE(EXTENDED_TYPES),
        [GEN_F16] = FEATURE(FLOAT16) | FEATURE(EXTENDED_TYPES),
        [GEN_F64] = FEATURE(FLOAT64),
        [GEN_SHARED16] = FEATURE(INT16),
        [GEN_SHARED8] = FEATURE(INT8),
        [GEN_BUFFER16] = FEATURE(INT16) | FEATURE(STORAGE16),
        [GEN_BUFFER8] = FEATURE(INT8) | FEATURE(STORAGE8),
        [GEN_ADDRESS] = FEATURE(ADDRESSES),
        [GEN_INDIRECT] = FEATURE(ADDRESSES),
        [GEN_DESCRIPTORS] = FEATURE(DESCRIPTORS),
    };
    uint64_t features = UINT64_C(1) << gen_forms[act->op].feature | of_type[act->type];
    // Inactive lanes are detected by a ballot.
    if (act->op >= GEN_OP_BROADCAST && act->op <= GEN_OP_QUAD_SWAP)
        features |= FEATURE(BALLOT);
    if (gen_forms[act->op].needs == GEN_ALONE)
        features &= ~FEATURE(EXTENDED_TYPES);
    if (act->op == GEN_OP_PRODUCT)
        features |= FEATURE(COOPERATIVE_MATRIX) | FEATURE(MEMORY_MODEL) |
                    (of_type[gen_components[act->product.left].type] & ~FEATURE(EXTENDED_TYPES));
    if (act->op == GEN_OP_ROTATE_CLUSTER)
        features |= FEATURE(ROTATE_CLUSTERED);
    return features;
}

// The smallest subgroups whose sums fit, in the largest workgroup.
static uint32_t sums_least(const struct gen_product *product)
{
    return (uint32_t)product->m * product->n * GEN_STATE_LANES / GEN_SUMS;
}

static bool is_side(uint32_t side)
{
    return side >= 4 && side <= 64 && !(side & (side - 1));
}

// Whether programs can have it: results are exact, and fit into a workgroup's memory.
static bool is_product(const struct gen_product *product)
{
    const bool floats = product->left <= GEN_IS_F16, halves = product->sum == GEN_IS_F16;
    return product->left < GEN_IS_U32 && product->right < GEN_IS_U32 &&
           gen_components[product->left].type == gen_components[product->right].type &&
           (floats ? product->sum <= product->left : product->sum >= GEN_IS_U32) &&
           is_side(product->m) && is_side(product->n) && is_side(product->k) &&
           (!halves || product->k <= 32) && sums_least(product) <= 128;
}

uint32_t gen_product_weight(const struct gen_product *product)
{
    uint32_t weight = product->left + 5u * product->right + product->sum;
    for (uint32_t size = (uint32_t)product->m * product->n * product->k; size > 1; size /= 2)
        weight += 32;
    return weight;
}

uint32_t gen_act_least(const struct gen_act *act)
{
    return act->op == GEN_OP_CLUSTER          ? act->n
           : act->op == GEN_OP_PRODUCT        ? sums_least(&act->product)
           : act->op == GEN_OP_ROTATE_CLUSTER ? 4
           : act->op == GEN_OP_QUAD_BROADCAST ? 4
           : act->op == GEN_OP_QUAD_SWAP      ? 4
                                              : 1;
}

const char *gen_act_fault(const struct gen_act *act, uint32_t numbers, uint32_t truths,
                          uint32_t loops)
{
    if (act->op == GEN_OP_NONE || act->op >= GEN_OPS || act->with >= GEN_WITHS ||
        act->type >= GEN_TYPES || !gen_act_may(act->op, act->with, act->type) ||
        (act->op == GEN_OP_PRODUCT && !is_product(&act->product)))
        return "there is no such operation";
    const struct gen_form *form = &gen_forms[act->op];
    if (form->gives != '-' && act->to >= (gen_act_gives_truth(act) ? truths : numbers))
        return "there is no such register";
    for (uint32_t i = 0; i < gen_act_operands(act); i++)
        if (act->from[i] >= (gen_act_takes_truth(act, i) ? truths : numbers))
            return "there is no such register";
    if (act->n > form->most || (act->op == GEN_OP_CLUSTER && (!act->n || act->n & (act->n - 1))) ||
        (act->turns && !gen_act_turns((enum gen_op)act->op)))
        return "it does not take this constant";
    if ((act->op == GEN_OP_TURN && act->n >= loops) || act->turns > loops)
        return "it asks for the iteration of a loop that is not around";
    return NULL;
}

// Notation

static const char *const turns[1 + MASKS_DEPTH] = {"", "<<i", "<<j"};

void gen_act_write(const struct gen_act *act, struct text *text)
{
    const struct gen_form *form = &gen_forms[act->op];
    uint32_t taken = 0;
    if (form->gives != '-')
        text_printf(text, "%c%u%s", gen_act_gives_truth(act) ? 'p' : 'u', act->to,
                    act->adds ? "+=" : "=");
    text_puts(text, form->name);
    if (form->combines)
        text_printf(text, ".%s", gen_with_names[act->with]);
    if (act->type)
        text_printf(text, ".%s", gen_type_names[act->type]);
    if (act->op == GEN_OP_PRODUCT && memcmp(&act->product, &usual, sizeof usual) != 0)
        text_printf(text, ".%s.%s.%s.%ux%ux%u", gen_components[act->product.left].name,
                    gen_components[act->product.right].name, gen_components[act->product.sum].name,
                    act->product.m, act->product.n, act->product.k);
    text_puts(text, "(");
    for (const char *takes = form->takes; *takes; takes++) {
        text_puts(text, takes == form->takes ? "" : ",");
        if (*takes == '#')
            text_printf(text, "%u%s", act->n, turns[act->turns]);
        else {
            text_printf(text, "%c%u", gen_act_takes_truth(act, taken) ? 'p' : 'u',
                        act->from[taken]);
            taken++;
        }
    }
    text_puts(text, ")");
}

bool gen_take_number(const char **word, uint8_t *number)
{
    char *end;
    if (**word < '0' || **word > '9')
        return false;
    const unsigned long value = strtoul(*word, &end, 10);
    *word = end;
    *number = (uint8_t)value;
    return value < 128;
}

// Parses one of the names, or leaves *found; no letter may follow.
static bool take_name(const char **word, const char *const *names, uint32_t count, uint8_t *found)
{
    const size_t length = strcspn(*word, ".(");
    for (uint32_t i = 0; i < count; i++)
        if (names[i] && names[i][0] && strlen(names[i]) == length &&
            !strncmp(*word, names[i], length)) {
            *found = (uint8_t)i;
            *word += length;
            return true;
        }
    return false;
}

// "f16.f16.f32.16x16x16"
static bool take_product(const char **word, struct gen_product *product)
{
    uint8_t *const kinds[] = {&product->left, &product->right, &product->sum};
    uint8_t *const sides[] = {&product->m, &product->n, &product->k};
    const char *names[GEN_COMPONENTS];
    for (uint32_t i = 0; i < GEN_COMPONENTS; i++)
        names[i] = gen_components[i].name;
    for (uint32_t i = 0; i < 3; i++)
        if (!take_name(word, names, GEN_COMPONENTS, kinds[i]) || *(*word)++ != '.')
            return false;
    for (uint32_t i = 0; i < 3; i++)
        if ((i && *(*word)++ != 'x') || !gen_take_number(word, sides[i]))
            return false;
    return true;
}

bool gen_product_take(const char **list, struct gen_product *product)
{
    bool taken = false;
    while (!taken && **list) {
        const char *word = *list;
        taken = take_product(&word, product) && (!*word || *word == ' ') && is_product(product);
        *list += strcspn(*list, " ");
        *list += strspn(*list, " ");
    }
    return taken;
}

static bool take_operands(const char *word, struct gen_act *act)
{
    uint32_t taken = 0;
    if (*word++ != '(')
        return false;
    for (const char *form = gen_forms[act->op].takes, *takes = form; *takes; takes++) {
        if (takes != form && *word++ != ',')
            return false;
        const bool constant = *takes == '#';
        if (!constant && *word++ != (gen_act_takes_truth(act, taken) ? 'p' : 'u'))
            return false;
        if (!gen_take_number(&word, constant ? &act->n : &act->from[taken++]))
            return false;
        for (uint8_t k = 1; constant && k <= MASKS_DEPTH; k++)
            if (!strncmp(word, turns[k], 3)) {
                act->turns = k;
                word += 3;
            }
    }
    return !strcmp(word, ")");
}

bool gen_act_read(const char *word, struct gen_act *act)
{
    const char *names[GEN_OPS];
    const bool gives = strchr(word, '=');
    const char letter = *word;
    *act = (struct gen_act){0};
    for (uint32_t i = 0; i < GEN_OPS; i++)
        names[i] = gen_forms[i].name;
    if (gives) {
        if (*word++ == '\0' || !gen_take_number(&word, &act->to))
            return false;
        act->adds = *word == '+';
        word += act->adds;
        if (*word++ != '=')
            return false;
    }
    if (!take_name(&word, names, GEN_OPS, &act->op))
        return false;
    if (gen_forms[act->op].combines &&
        (*word++ != '.' || !take_name(&word, gen_with_names, GEN_WITHS, &act->with)))
        return false;
    if (act->op == GEN_OP_PRODUCT)
        act->product = usual;
    if (*word == '.' && (word++, act->op == GEN_OP_PRODUCT
                                     ? !take_product(&word, &act->product)
                                     : !take_name(&word, gen_type_names, GEN_TYPES, &act->type)))
        return false;
    return gives == (gen_forms[act->op].gives != '-') &&
           (!gives || letter == (gen_act_gives_truth(act) ? 'p' : 'u')) && take_operands(word, act);
}
