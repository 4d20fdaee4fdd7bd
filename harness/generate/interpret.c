// SPDX-License-Identifier: Apache-2.0
// Computes programs with data lane by lane by interpreting the tree; masks.c determines which lanes
// execute each step. Shares only the tree and act.h with the module.
#include "generate/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A workgroup. Cells and counters: [0] shared memory, [1] the buffer.
struct machine {
    const struct gen_program *program;
    uint32_t lanes, subgroup;
    const uint32_t *words, *input; // of the lanes; of all workgroups
    uint32_t group;
    uint32_t *numbers, *truths;
    uint32_t cells[2][MASKS_LANES][2];
    uint32_t counters[2][GEN_COUNTERS];
    struct lane_arrays *arrays; // of each lane; NULL: the program has none
};

struct lane_arrays {
    uint32_t of[GEN_ARRAYS_OF_LANE][GEN_ELEMENTS][4];
};

// One step, executed by the lanes of one subgroup.
struct turn {
    struct machine *machine;
    const struct gen_act *act;
    const uint32_t *iteration;
    uint32_t start;               // the subgroup's first lane
    bool active[128];             // by lane of the subgroup
    uint32_t operand[3][128];     // operand values
    uint64_t value[128];          // the first operand, converted to the operation's type
    uint32_t result[MASKS_LANES]; // by lane of the workgroup
};

// Types

// Floats hold small integers.
static uint32_t width_of(enum gen_type type)
{
    static const uint8_t widths[GEN_TYPES] = {
        [GEN_BOOL] = 1, [GEN_U8] = 8, [GEN_U16] = 16, [GEN_U64] = 64};
    return widths[type] ? widths[type] : 32;
}

static uint64_t cut(uint64_t value, uint32_t width)
{
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static uint64_t into(enum gen_type type, uint32_t number)
{
    if (type == GEN_F32 || type == GEN_F16 || type == GEN_F64)
        return number & GEN_FLOAT_MASK(type);
    if (type == GEN_U64)
        return (uint64_t)GEN_HIGH(number) << 32 | number;
    return cut(number, width_of(type));
}

static int64_t extend(uint64_t value, uint32_t width)
{
    return (int64_t)(value << (64 - width)) >> (64 - width);
}

static uint32_t out_of(enum gen_type type, enum gen_with with, uint64_t value)
{
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    if (type == GEN_U64)
        return GEN_FOLD(low, high);
    if ((type == GEN_U8 || type == GEN_U16) && (with == GEN_WITH_SMIN || with == GEN_WITH_SMAX))
        return (uint32_t)extend(value, width_of(type));
    return low;
}

static uint64_t combine(enum gen_with with, uint32_t width, uint64_t a, uint64_t b)
{
    const bool less = extend(a, width) < extend(b, width);
    const uint64_t results[GEN_WITHS] = {[GEN_WITH_ADD] = cut(a + b, width),
                                         [GEN_WITH_MUL] = cut(a * b, width),
                                         [GEN_WITH_MIN] = a < b ? a : b,
                                         [GEN_WITH_MAX] = a > b ? a : b,
                                         [GEN_WITH_SMIN] = less ? a : b,
                                         [GEN_WITH_SMAX] = less ? b : a,
                                         [GEN_WITH_AND] = a & b,
                                         [GEN_WITH_OR] = a | b,
                                         [GEN_WITH_XOR] = a ^ b};
    return results[with];
}

static uint64_t identity(enum gen_with with, uint32_t width)
{
    const uint64_t ones = cut(UINT64_MAX, width), sign = UINT64_C(1) << (width - 1);
    const uint64_t identities[GEN_WITHS] = {
        [GEN_WITH_MUL] = 1,         [GEN_WITH_MIN] = ones,  [GEN_WITH_AND] = ones,
        [GEN_WITH_SMIN] = sign - 1, [GEN_WITH_SMAX] = sign,
    };
    return identities[with];
}

// Subgroup operations

static void scan(struct turn *t)
{
    const uint32_t size = t->machine->subgroup, width = width_of((enum gen_type)t->act->type);
    const enum gen_with with = (enum gen_with)t->act->with;
    const uint32_t cluster = t->act->op == GEN_OP_CLUSTER ? t->act->n : size;
    for (uint32_t first = 0; first < size; first += cluster) {
        uint64_t sum = identity(with, width);
        for (uint32_t i = first; i < first + cluster; i++) {
            const uint64_t before = sum;
            sum = t->active[i] ? combine(with, width, sum, t->value[i]) : sum;
            t->result[t->start + i] = out_of((enum gen_type)t->act->type, with,
                                             t->act->op == GEN_OP_EXCLUSIVE ? before : sum);
        }
        const uint32_t all = out_of((enum gen_type)t->act->type, with, sum);
        for (uint32_t i = first; i < first + cluster; i++) {
            if (t->act->op == GEN_OP_REDUCE || t->act->op == GEN_OP_CLUSTER)
                t->result[t->start + i] = all;
            else if (t->act->op == GEN_OP_LATE) // the condition precedes the number
                t->result[t->start + i] = t->operand[0][i] ? all + 1 : 0;
        }
    }
}

static uint32_t constant(const struct turn *t)
{
    return (uint32_t)t->act->n << (t->act->turns ? t->iteration[t->act->turns - 1] : 0);
}

// The lane that a lane reads from.
static uint32_t source(const struct turn *t, uint32_t lane)
{
    const uint32_t size = t->machine->subgroup, n = constant(t);
    const uint32_t sources[GEN_OPS] = {
        [GEN_OP_BROADCAST] = n,
        [GEN_OP_SHUFFLE] = t->operand[1][lane] & (size - 1),
        [GEN_OP_SHUFFLE_XOR] = lane ^ n,
        [GEN_OP_UP] = lane - n,
        [GEN_OP_DOWN] = lane + n,
        [GEN_OP_ROTATE] = (lane + n) & (size - 1),
        [GEN_OP_ROTATE_CLUSTER] = (lane & ~3u) | ((lane + n) & 3),
        [GEN_OP_QUAD_BROADCAST] = (lane & ~3u) | n,
        [GEN_OP_QUAD_SWAP] = lane ^ (n + 1), // horizontal, vertical, diagonal
    };
    return sources[t->act->op];
}

// A lane that reads a nonexistent or inactive lane keeps its value.
static void move(struct turn *t)
{
    for (uint32_t i = 0; i < t->machine->subgroup; i++) {
        const uint32_t from = source(t, i);
        const bool there = from < t->machine->subgroup && t->active[from];
        t->result[t->start + i] =
            there ? out_of((enum gen_type)t->act->type, GEN_WITH_ADD, t->value[from])
                  : t->operand[0][i];
    }
}

// Votes and ballots. `mask` has the lanes that vote yes.
static void ask(struct turn *t)
{
    const uint32_t size = t->machine->subgroup;
    uint32_t mask[4] = {0}, yes = 0, here = 0, first = size, lowest = size, highest = size;
    bool alike = true;
    for (uint32_t i = 0; i < size; i++) {
        if (!t->active[i])
            continue;
        here++;
        first = first < size ? first : i;
        alike = alike && t->value[i] == t->value[first];
        if (!t->operand[0][i])
            continue;
        mask[i / 32] |= 1u << i % 32;
        lowest = yes++ ? lowest : i;
        highest = i;
    }
    for (uint32_t i = 0, before = 0; i < size; i++) {
        const bool mine = mask[i / 32] >> i % 32 & 1;
        const uint32_t bit = t->operand[1][i] & (size - 1);
        const uint32_t answers[GEN_OPS] = {
            [GEN_OP_ALL] = yes == here,
            [GEN_OP_ANY] = yes > 0,
            [GEN_OP_ALIKE] = alike,
            [GEN_OP_ELECT] = i == first,
            [GEN_OP_BALLOT] = GEN_FOLD(GEN_FOLD(mask[0], mask[1]), GEN_FOLD(mask[2], mask[3])),
            [GEN_OP_COUNT] = yes,
            [GEN_OP_COUNT_INCLUSIVE] = before + mine,
            [GEN_OP_COUNT_EXCLUSIVE] = before,
            [GEN_OP_LOWEST] = yes ? lowest : GEN_NUMBERS,
            [GEN_OP_HIGHEST] = yes ? highest : GEN_NUMBERS,
            [GEN_OP_INVERSE] = first < size ? t->operand[0][first] >> i % 32 & 1 : 0,
            [GEN_OP_EXTRACT] = mask[bit / 32] >> bit % 32 & 1,
            [GEN_OP_FIRST] =
                first < size ? out_of((enum gen_type)t->act->type, GEN_WITH_ADD, t->value[first])
                             : 0,
        };
        t->result[t->start + i] = answers[t->act->op];
        before += mine;
    }
}

// Lane operations, and operations on shared memory

static uint32_t rounds(uint32_t number, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        number = number * 3 + i;
    return number;
}

// Like rounds(), in 64 bits, with a counter that passes the carry between the halves.
static uint64_t wide_rounds(uint64_t number, uint32_t count)
{
    for (uint64_t i = 0; i < count; i++)
        number = number * 3 + (GEN_BEFORE_CARRY + i);
    return number;
}

static uint64_t ones_below(uint32_t count)
{
    return (UINT64_C(1) << count) - 1;
}

// The field of a number that another names.
static uint32_t field(uint32_t number, uint32_t name)
{
    return (uint32_t)((uint64_t)number >> GEN_OFFSET(name) & ones_below(GEN_COUNT(name)));
}

static uint32_t insert(uint32_t base, uint32_t number, uint32_t name)
{
    const uint64_t mask = ones_below(GEN_COUNT(name)) << GEN_OFFSET(name);
    return (uint32_t)((base & ~mask) | ((uint64_t)number << GEN_OFFSET(name) & mask));
}

static uint32_t compute_bits(uint8_t op, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;
    switch (op) {
    case GEN_OP_FIELD:
        return field(a, b);
    case GEN_OP_SIGNED_FIELD:
        return GEN_COUNT(b) ? (uint32_t)extend(field(a, b), GEN_COUNT(b)) : 0;
    case GEN_OP_INSERT:
        return insert(a, b, c);
    default:
        for (uint32_t bit = 0; bit < 32; bit++)
            result += (a >> bit & 1) << (op == GEN_OP_ONES ? 0 : 31 - bit);
        return result;
    }
}

static uint32_t compute_typed(const struct turn *t, uint32_t lane)
{
    const enum gen_type type = (enum gen_type)t->act->type;
    const enum gen_with with = (enum gen_with)t->act->with;
    const uint64_t a = t->value[lane], b = into(type, t->operand[1][lane]);
    const uint32_t n = t->act->n;
    switch (t->act->op) {
    case GEN_OP_TYPED_LESS:
        return a < b;
    case GEN_OP_TYPED:
        return out_of(type, with, combine(with, width_of(type), a, b));
    case GEN_OP_TYPED_SHL:
        return out_of(type, with, a << n);
    case GEN_OP_TYPED_SHR:
        return out_of(type, with, a >> n);
    default:
        return out_of(type, with, wide_rounds(a, GEN_ROUNDS(n)));
    }
}

static uint32_t compute(const struct turn *t, uint32_t lane)
{
    const uint32_t a = t->operand[0][lane], b = t->operand[1][lane], c = t->operand[2][lane];
    const uint32_t n = constant(t), local = t->start + lane;
    if (t->act->op >= GEN_OP_ONES && t->act->op < GEN_OP_REDUCE)
        return t->act->op < GEN_OP_TYPED ? compute_bits(t->act->op, a, b, c)
                                         : compute_typed(t, lane);
    if (t->act->op == GEN_OP_ROUNDS)
        return rounds(a, GEN_ROUNDS(n));
    const uint32_t results[GEN_OPS] = {
        [GEN_OP_ADD] = a + b,
        [GEN_OP_SUB] = a - b,
        [GEN_OP_MUL] = a * b,
        [GEN_OP_AND] = a & b,
        [GEN_OP_BOTH] = a & b,
        [GEN_OP_OR] = a | b,
        [GEN_OP_EITHER] = a | b,
        [GEN_OP_XOR] = a ^ b,
        [GEN_OP_DIFFER] = a ^ b,
        [GEN_OP_SHL] = a << n % 32,
        [GEN_OP_SHR] = a >> n % 32,
        [GEN_OP_NUMBER] = n,
        [GEN_OP_LANE] = lane,
        [GEN_OP_TURN] = t->iteration[n % MASKS_DEPTH],
        [GEN_OP_SELECT] = a ? b : c,
        [GEN_OP_LESS] = a < b,
        [GEN_OP_WORD] = t->machine->words[(local + n) % t->machine->lanes],
        [GEN_OP_LOCAL] = local,
        [GEN_OP_BIT] = a >> n % 32 & 1,
    };
    return results[t->act->op];
}

static void put_cell(uint32_t cell[2], uint32_t number)
{
    cell[0] = number;
    cell[1] = GEN_HIGH(number);
}

static void access_memory(struct turn *t)
{
    struct machine *m = t->machine;
    const bool buffer = t->act->type == GEN_BUFFER;
    uint32_t *counters = m->counters[buffer];
    for (uint32_t i = 0; i < m->subgroup; i++) {
        uint32_t *cell = m->cells[buffer][t->start + i];
        const uint32_t number = t->operand[0][i], with = t->act->with;
        if (!t->active[i])
            continue;
        t->result[t->start + i] = GEN_FOLD(cell[0], cell[1]);
        if (t->act->op == GEN_OP_STORE || t->act->op == GEN_OP_SWAP) {
            put_cell(cell, number);
        } else if (t->act->op == GEN_OP_ATOMIC) {
            counters[with] = (uint32_t)combine((enum gen_with)with, 32, counters[with], number);
        } else if (t->act->op == GEN_OP_TICKET) {
            counters[GEN_TICKET_SUM] += counters[GEN_TICKETS]++;
        } else if (t->act->op == GEN_OP_ORDERED) {
            t->result[t->start + i] = 1; // a later read is not older
        }
    }
}

// Vectors

// A component: a whole number, by its lowest bits; of floats less the middle of these.
static uint32_t component(const struct gen_act *act, uint32_t number)
{
    if (act->type == GEN_F32 || act->type == GEN_F16)
        return (number & GEN_VECTOR_MASK(act->op)) - GEN_VECTOR_MIDDLE(act->op);
    return (uint32_t)cut(number, width_of((enum gen_type)act->type));
}

static uint32_t compute_component(const struct gen_act *act, uint32_t x, uint32_t y, uint32_t z)
{
    const bool real = act->type == GEN_F32 || act->type == GEN_F16;
    const uint32_t width = width_of((enum gen_type)act->type);
    const enum gen_with least = real ? GEN_WITH_SMIN : GEN_WITH_MIN,
                        most = real ? GEN_WITH_SMAX : GEN_WITH_MAX;
    const enum gen_with with = !real                       ? (enum gen_with)act->with
                               : act->with == GEN_WITH_MIN ? least
                                                           : most;
    switch (act->op) {
    case GEN_OP_VECTOR:
        return (uint32_t)combine(with, width, x, y);
    case GEN_OP_REMAINDER:
        return x % (y | 1);
    case GEN_OP_QUOTIENT:
        return (uint32_t)cut(x + y, width) / (act->n + 1u);
    case GEN_OP_NEGATE:
        return (uint32_t)cut(0 - x, width);
    case GEN_OP_ABSOLUTE:
        return extend(x, width) < 0 ? (uint32_t)cut(0 - x, width) : x;
    case GEN_OP_SATURATE:
        return (uint32_t)combine(most, width, combine(least, width, x, 1), 0);
    default: // a clamp between the lower and the upper bound
        return (uint32_t)combine(least, width, combine(most, width, x, combine(least, width, y, z)),
                                 combine(most, width, y, z));
    }
}

static uint32_t compute_vector(const struct turn *t, uint32_t lane)
{
    const struct gen_act *act = t->act;
    const uint32_t a = t->operand[0][lane], b = t->operand[1][lane], c = t->operand[2][lane];
    const bool scalar = act->n % 2 && act->op < GEN_OP_QUOTIENT;
    const uint32_t x[4] = {a, GEN_HIGH(a), b, GEN_HIGH(b)};
    const uint32_t y[4] = {b, scalar ? b : a, scalar ? b : GEN_HIGH(b), scalar ? b : GEN_HIGH(a)};
    uint32_t r[4];
    for (uint32_t k = 0; k < 4; k++)
        r[k] = compute_component(act, component(act, x[k]), component(act, y[k]),
                                 component(act, k % 2 ? GEN_HIGH(c) : c));
    return GEN_FOLD(GEN_FOLD(r[0], r[1]), GEN_FOLD(r[2], r[3]));
}

// Arrays

static uint32_t (*array_of(const struct machine *m, uint32_t lane, uint32_t type))[4]
{
    return m->arrays[lane].of[type - GEN_VECTORS];
}

static uint32_t part(enum gen_type array, uint32_t component, uint32_t number)
{
    return (uint32_t)cut(number, width_of(gen_array_type(array, component)));
}

// An operation on the array of a lane of the workgroup.
static uint32_t access_array(const struct turn *t, uint32_t lane, uint32_t a, uint32_t b)
{
    const struct gen_act *act = t->act;
    const struct gen_array *array = &gen_arrays[act->type];
    if (act->type == GEN_DESCRIPTORS)
        return t->machine->input[GEN_DESCRIPTOR(t->machine->group, act->n) * GEN_DESCRIPTOR_WORDS +
                                 a % GEN_DESCRIPTOR_WORDS];
    const uint32_t c = GEN_COMPONENT(act->n, array->components);
    const bool stores = act->op != GEN_OP_GET && act->op != GEN_OP_PEER;
    const uint32_t element = GEN_ELEMENT(act->n, stores ? b : a, array->count);
    uint32_t(*own)[4] = array_of(t->machine, lane, act->type), sum = 0;
    uint32_t copy[GEN_ELEMENTS][4];
    switch (act->op) {
    case GEN_OP_PUT:
        own[element][c] = part((enum gen_type)act->type, c, a);
        return 0;
    case GEN_OP_COPY:
        memmove(own[element], own[a % array->count], sizeof *own);
        return 0;
    case GEN_OP_FETCH:
        sum = own[element][c];
        own[element][c] = (uint32_t)combine((enum gen_with)act->with, 32, sum, a);
        return sum;
    case GEN_OP_WHOLE:
        memcpy(copy, own, sizeof copy);
        copy[element][c] = part((enum gen_type)act->type, c, a);
        for (uint32_t k = 0; k < array->count; k++)
            for (uint32_t i = 0; i < array->components; i++)
                sum = sum * 3 + copy[k][i];
        return sum;
    default:
        return own[element][c];
    }
}

// Makes the arrays, if the program has any.
static void begin_arrays(struct machine *m)
{
    for (enum gen_type type = GEN_VECTORS; type < GEN_TYPES; type++) {
        const struct gen_array *array = &gen_arrays[type];
        if (!array->count || !gen_uses(m->program, type))
            continue;
        if (!m->arrays)
            m->arrays = lit_alloc(m->lanes, sizeof *m->arrays);
        for (uint32_t lane = 0; lane < m->lanes; lane++)
            for (uint32_t k = 0; k < array->count; k++)
                for (uint32_t c = 0; c < array->components; c++)
                    if (!GEN_BEGINS_ZERO(gen_is_private(type), k, c, array->components))
                        array_of(m, lane, type)[k][c] =
                            part(type, c, GEN_BEGINS(m->words[lane], k, c));
    }
}

// A factor of a product, as a word.
static uint32_t factor(const struct machine *m, const struct gen_act *act, uint8_t component,
                       uint32_t at)
{
    const uint32_t from = m->numbers[at % m->lanes * m->program->numbers + act->from[0]];
    const uint32_t number = GEN_TILE_NUMBER(GEN_TILE_MASK(&act->product), from, at);
    return number - (gen_components[component].is_signed && number > 127 ? 256 : 0);
}

// An element of the sum of a subgroup's product and a matrix of the constant.
static uint32_t multiply(const struct machine *m, const struct gen_act *act, uint32_t subgroup,
                         uint32_t element)
{
    const struct gen_product *p = &act->product;
    const uint32_t n = act->n, stride = n >> 5 & 1 ? p->m : p->n;
    const uint32_t first = element / stride, second = element % stride;
    const uint32_t row = n >> 5 & 1 ? second : first, column = n >> 5 & 1 ? first : second;
    uint32_t sum = n * GEN_ADDEND(p);
    for (uint32_t k = 0; k < p->k; k++) {
        const uint32_t left = n >> 3 & 1 ? k * p->m + row : row * p->k + k;
        const uint32_t right = n >> 4 & 1 ? column * p->k + k : k * p->n + column;
        sum += factor(m, act, p->left, GEN_LEFT(n) + left) *
               factor(m, act, p->right, GEN_RIGHT(p, n, subgroup) + right);
    }
    return sum;
}

// Operations of the whole workgroup, between barriers.
static void exchange(struct turn *t)
{
    struct machine *m = t->machine;
    const bool buffer = t->act->type == GEN_BUFFER;
    for (uint32_t i = 0; i < m->lanes && t->act->op == GEN_OP_PASS; i++)
        put_cell(m->cells[buffer][(i + t->act->n) % m->lanes],
                 m->numbers[i * m->program->numbers + t->act->from[0]]);
    for (uint32_t i = 0; i < m->lanes && t->act->op == GEN_OP_PEER; i++)
        t->result[i] = access_array(t, (i + t->act->n + 1u) % m->lanes,
                                    m->numbers[i * m->program->numbers + t->act->from[0]], 0);
    for (uint32_t i = 0; i < m->lanes && t->act->op == GEN_OP_PRODUCT; i++)
        t->result[i] = multiply(m, t->act, i / m->subgroup,
                                m->numbers[i * m->program->numbers + t->act->from[1]] %
                                    ((uint32_t)t->act->product.m * t->act->product.n));
    for (uint32_t i = 0; i < m->lanes && t->act->op < GEN_OP_PEER; i++) {
        const uint32_t n = constant(t), lane = i % m->subgroup, which = i / m->subgroup;
        const uint32_t other = t->act->op == GEN_OP_PEEK ? (i + n) % m->lanes
                               : t->act->op == GEN_OP_GATHER
                                   ? (lane * m->subgroup + n % m->subgroup) % m->lanes
                               : t->act->op == GEN_OP_SCATTER ? (which + m->lanes - n) % m->lanes
                                                              : i;
        const uint32_t *cell = m->cells[buffer][other];
        t->result[i] = t->act->op == GEN_OP_TOTAL     ? m->counters[buffer][t->act->with]
                       : t->act->op == GEN_OP_TICKETS ? m->counters[buffer][GEN_TICKET_SUM]
                                                      : GEN_FOLD(cell[0], cell[1]);
    }
}

// Steps

static bool is_here(const uint64_t *here, uint32_t lane)
{
    return here[lane / 64] >> lane % 64 & 1;
}

static void fetch(struct turn *t, const uint64_t *here)
{
    const struct machine *m = t->machine;
    const uint32_t count = gen_act_operands(t->act);
    // If the result is used late, the reduction's operand follows the condition.
    const uint32_t first = t->act->op == GEN_OP_LATE;
    for (uint32_t i = 0; i < m->subgroup; i++) {
        const uint32_t lane = t->start + i;
        t->active[i] = is_here(here, lane);
        for (uint32_t k = 0; k < 3; k++)
            t->operand[k][i] = k >= count ? 0
                               : gen_act_takes_truth(t->act, k)
                                   ? m->truths[lane] >> t->act->from[k] & 1
                                   : m->numbers[lane * m->program->numbers + t->act->from[k]];
        t->value[i] = into((enum gen_type)t->act->type, t->operand[first][i]);
    }
}

static void execute(struct turn *t)
{
    const uint8_t op = t->act->op;
    if (op >= GEN_OP_REDUCE && op <= GEN_OP_LATE)
        scan(t);
    else if (op >= GEN_OP_ALL && op <= GEN_OP_FIRST)
        ask(t);
    else if (op >= GEN_OP_BROADCAST && op <= GEN_OP_QUAD_SWAP)
        move(t);
    else if (op >= GEN_OP_LOAD && op <= GEN_OP_ORDERED)
        access_memory(t);
    else if (op >= GEN_OP_GET)
        for (uint32_t i = 0; i < t->machine->subgroup; i++)
            t->result[t->start + i] =
                t->active[i] ? access_array(t, t->start + i, t->operand[0][i], t->operand[1][i])
                             : 0;
    else
        for (uint32_t i = 0; i < t->machine->subgroup; i++)
            t->result[t->start + i] = op >= GEN_OP_VECTOR ? compute_vector(t, i) : compute(t, i);
}

static void assign(const struct turn *t, uint32_t lane)
{
    struct machine *m = t->machine;
    const struct gen_act *act = t->act;
    if (gen_act_gives_truth(act)) {
        uint32_t *truths = &m->truths[lane];
        *truths = (act->adds ? *truths : *truths & ~(1u << act->to)) ^ t->result[lane] << act->to;
    } else {
        uint32_t *number = &m->numbers[lane * m->program->numbers + act->to];
        *number = (act->adds ? *number : 0) + t->result[lane];
    }
}

static void act(const struct masks_step *step, const uint64_t *here, const uint32_t *iteration,
                void *user)
{
    struct machine *m = user;
    struct turn t = {
        .machine = m, .act = &m->program->steps[step->argument].act, .iteration = iteration};
    const bool together = gen_forms[t.act->op].needs == GEN_FULL;
    if (together)
        exchange(&t);
    for (t.start = 0; t.start < m->lanes && !together; t.start += m->subgroup) {
        fetch(&t, here);
        execute(&t);
    }
    for (uint32_t lane = 0; lane < m->lanes && gen_forms[t.act->op].gives != '-'; lane++)
        if (is_here(here, lane))
            assign(&t, lane);
}

static void begin(struct machine *m, const uint32_t *words)
{
    for (uint32_t lane = 0; lane < m->lanes; lane++) {
        uint32_t *numbers = &m->numbers[lane * m->program->numbers];
        numbers[0] = words[lane];
        for (uint32_t k = 1; k < m->program->numbers; k++)
            numbers[k] = GEN_NEXT(numbers[k - 1], k);
        m->truths[lane] = words[lane] & (UINT32_MAX >> (32 - m->program->truths));
        for (uint32_t memory = 0; memory < 2; memory++)
            put_cell(m->cells[memory][lane], words[lane]);
    }
    for (uint32_t k = 0; k < GEN_COUNTERS; k++)
        m->counters[0][k] = m->counters[1][k] = GEN_INITIAL;
}

void gen_interpret(const struct gen_program *program, uint32_t lanes, uint32_t subgroup,
                   uint32_t group, const uint32_t *input, uint32_t *records)
{
    const uint32_t *words = &input[group * lanes];
    OWNED(lit_free) struct gen_shape *shape = gen_shape_make(program);
    OWNED(lit_free) struct machine *m = lit_alloc(1, sizeof *m);
    OWNED(lit_free) uint32_t *numbers = lit_alloc((size_t)lanes * program->numbers, 4);
    OWNED(lit_free) uint32_t *truths = lit_alloc(lanes, 4);
    OWNED(lit_free) struct masks_cell *none = lit_alloc(1, sizeof *none);
    const size_t stride = (size_t)gen_registers_records(program) * 4;
    assert(lanes <= MASKS_LANES && subgroup <= 128 && program->numbers);
    *m = (struct machine){.program = program,
                          .lanes = lanes,
                          .subgroup = subgroup,
                          .words = words,
                          .input = input,
                          .group = group,
                          .numbers = numbers,
                          .truths = truths};
    begin(m, words);
    begin_arrays(m);
    shape->masks.numbers = numbers;
    shape->masks.truths = truths;
    shape->masks.number_count = program->numbers;
    shape->masks.act = act;
    shape->masks.user = m;
    masks_simulate(&shape->masks, MASKS_MAXIMAL, lanes, subgroup, words, none);
    memset(records, 0, lanes * stride * sizeof *records);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        memcpy(&records[lane * stride], &numbers[lane * program->numbers],
               program->numbers * sizeof *numbers);
        records[lane * stride + program->numbers] = truths[lane];
    }
    free(m->arrays);
}
