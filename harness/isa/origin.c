// SPDX-License-Identifier: Apache-2.0
// The bits that values of a SPIR-V module depend on. Values that depend on the way through a
// construct depend on all of its conditions.
#include "isa/origin.h"

#include "base/spirv.h"

#define MOST_OPEN  64 // constructs within constructs
#define ALL_BITS   UINT32_MAX
#define MOST_TURNS 64 // values that a shift's amount can have

struct value {
    struct origin of[ORIGIN_COMPONENTS];
    uint32_t choices[2]; // bit n: it may be n, of 0 to 63; none: any number
    uint32_t constant, type, opcode;
    bool is_constant;
};

struct construct {
    uint32_t merge, again; // labels; again: of a loop, else 0
    uint32_t decides;      // what its condition depends on; of a loop, what any exit does
};

// A load or store of an invocation's own variable.
struct access {
    size_t at;
    uint32_t function, variable, value, block;
    bool stores;
    size_t depth;               // of the constructs around it
    uint32_t around[MOST_OPEN]; // their merge labels
    bool loops[MOST_OPEN];
    size_t left; // the first of these that its block breaks out of
};

struct maker {
    const uint32_t *words;
    size_t count, bound;
    struct value *values;
    uint32_t *control;  // per label: what entering the block depends on
    uint32_t *branches; // per label: what the block's own branch depends on
    uint32_t *exits;    // per label of a loop's merge: what its exits depend on
    uint32_t returns;   // what returns from functions depend on
    struct access *accesses;
    size_t access_count;
    bool changed;
};

static uint32_t all_of(const struct origin *origin)
{
    uint32_t all = 0;
    for (int i = 0; i < 32; i++)
        all |= origin->bits[i];
    return all;
}

static void add(struct maker *m, uint32_t *to, uint32_t bits)
{
    m->changed |= (bits & ~*to) != 0;
    *to |= bits;
}

static void add_origin(struct maker *m, struct origin *to, const struct origin *from)
{
    for (int i = 0; i < 32; i++)
        add(m, &to->bits[i], from->bits[i]);
}

static void add_to_all(struct maker *m, struct value *to, uint32_t bits)
{
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++)
            add(m, &to->of[c].bits[i], bits);
}

static uint32_t whole(const struct value *value)
{
    uint32_t all = 0;
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        all |= all_of(&value->of[c]);
    return all;
}

static struct value *at(struct maker *m, uint32_t id)
{
    return &m->values[id < m->bound ? id : 0];
}

// A new word: each bit is its own.
static void renew(struct maker *m, struct value *to)
{
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++)
            add(m, &to->of[c].bits[i], 1u << i);
}

// What a comparison with the value depends on: its bits if they are few, else only what all of them
// do, that is the way by which it came.
static uint32_t compared(const struct value *value)
{
    uint32_t any = 0, all = ALL_BITS, count = 0;
    for (int i = 0; i < 32; i++) {
        any |= value->of[0].bits[i];
        all &= value->of[0].bits[i];
        count += value->of[0].bits[i] != 0;
    }
    return count > ORIGIN_FEW ? all : any;
}

// --- Operations

static void shift(struct maker *m, struct value *to, const struct value *from,
                  const struct value *by, bool left)
{
    const uint64_t amounts = by->is_constant ? UINT64_C(1) << (by->constant & 63)
                                             : by->choices[0] | (uint64_t)by->choices[1] << 32;
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++) {
            if (!amounts)
                add(m, &to->of[c].bits[i], whole(from) | whole(by));
            for (int n = 0; n < 32; n++)
                if (amounts >> n & 1 && (left ? i >= n : i + n < 32))
                    add(m, &to->of[c].bits[i], from->of[c].bits[left ? i - n : i + n]);
        }
}

// Bit by bit; a constant's bit may decide the result: `decides` is 0 for AND, 1 for OR, 2: none.
static void bitwise(struct maker *m, struct value *to, const struct value *a, const struct value *b,
                    uint32_t decides)
{
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++) {
            const bool sure = (a->is_constant && (a->constant >> i & 1) == decides) ||
                              (b->is_constant && (b->constant >> i & 1) == decides);
            if (!sure)
                add(m, &to->of[c].bits[i], a->of[c].bits[i] | b->of[c].bits[i]);
        }
}

// A counter's values in a loop that constants bound: "i = 0; i < 3; i++".
static void count_up(struct maker *m, uint32_t phi, const struct spirv_instruction *instruction)
{
    uint32_t from = ALL_BITS, step = 0, to = 0, next = 0;
    struct spirv_instruction each;
    for (uint32_t i = 3; i + 1 < instruction->size; i += 2)
        if (at(m, instruction->words[i])->is_constant)
            from = at(m, instruction->words[i])->constant;
        else
            next = instruction->words[i];
    SPIRV_EACH (each, m->words, m->count) {
        if (each.size != 5 || (each.words[3] != phi && each.words[4] != phi))
            continue;
        const struct value *other = at(m, each.words[each.words[3] == phi ? 4 : 3]);
        if (each.opcode == SpvOpIAdd && each.words[2] == next && other->is_constant)
            step = other->constant;
        else if (each.opcode == SpvOpULessThan && each.words[3] == phi && other->is_constant)
            to = other->constant;
    }
    for (uint32_t n = from; step && step < MOST_TURNS && to < MOST_TURNS && n < to; n += step)
        at(m, phi)->choices[n / 32] |= 1u << n % 32;
}

static uint64_t choices_of(const struct value *value)
{
    if (value->is_constant)
        return value->constant < MOST_TURNS ? UINT64_C(1) << value->constant : 0;
    return value->choices[0] | (uint64_t)value->choices[1] << 32;
}

// Of a sum, or with `mask` of an AND.
static void combine_choices(struct value *to, const struct value *a, const struct value *b,
                            bool mask)
{
    const uint64_t left = choices_of(a), right = choices_of(b);
    uint64_t all = 0;
    for (uint64_t xs = left; xs; xs &= xs - 1) {
        const int x = __builtin_ctzll(xs);
        all |= mask ? 0 : right << x;
        for (uint64_t ys = mask ? right : 0; ys; ys &= ys - 1)
            all |= UINT64_C(1) << (x & __builtin_ctzll(ys));
    }
    to->choices[0] = (uint32_t)all;
    to->choices[1] = (uint32_t)(all >> 32);
}

// What a pointer leads to: its variable's id.
static uint32_t root(const struct maker *m, uint32_t pointer)
{
    for (int i = 0; i < 16; i++) {
        struct spirv_instruction each;
        uint32_t next = 0;
        if (pointer >= m->bound || m->values[pointer].opcode == SpvOpVariable)
            break;
        SPIRV_EACH (each, m->words, m->count)
            if ((each.opcode == SpvOpAccessChain || each.opcode == SpvOpInBoundsAccessChain ||
                 each.opcode == SpvOpCopyObject) &&
                each.size > 3 && each.words[2] == pointer)
                next = each.words[3];
        if (!next)
            break;
        pointer = next;
    }
    return pointer < m->bound ? pointer : 0;
}

static SpvStorageClass storage(const struct maker *m, uint32_t pointer)
{
    const uint32_t type = pointer < m->bound ? m->values[pointer].type : 0;
    return type < m->bound && m->values[type].opcode == SpvOpTypePointer
               ? (SpvStorageClass)m->values[type].constant
               : SpvStorageClassMax;
}

static bool is_own(SpvStorageClass class)
{
    return class == SpvStorageClassPrivate || class == SpvStorageClassFunction;
}

// Whether a store is certain to be executed before a load that stands behind it in the text.
static bool dominates(const struct access *store, const struct access *load)
{
    return store->depth <= load->depth &&
           memcmp(store->around, load->around, store->depth * sizeof *store->around) == 0;
}

static bool share_loop(const struct access *store, const struct access *load)
{
    bool found = false;
    for (size_t i = 0; i < load->depth && i < store->depth && i < store->left && !found; i++)
        found = load->loops[i] && store->around[i] == load->around[i];
    return found;
}

static void take_stored(struct maker *m, struct value *to, const struct access *store)
{
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        add_origin(m, &to->of[c], &at(m, store->value)->of[c]);
    add_to_all(m, to, m->control[store->block]);
}

// The values of the stores that can reach it: those before it back to one that is certain, and
// those behind it in a loop around both.
static void load_own(struct maker *m, struct value *to, const struct access *load)
{
    bool reached = true;
    for (size_t i = m->access_count; i-- > 0;) {
        const struct access *store = &m->accesses[i];
        if (!store->stores || store->variable != load->variable)
            continue;
        const bool here = store->function == load->function, before = store->at < load->at;
        if (!here || (before ? reached : share_loop(store, load)))
            take_stored(m, to, store);
        if (here && before && dominates(store, load))
            reached = false;
    }
}

static void load(struct maker *m, struct value *to, const struct spirv_instruction *instruction)
{
    if (!is_own(storage(m, spirv_operand(instruction, 3, 0)))) {
        renew(m, to);
        return;
    }
    for (size_t i = 0; i < m->access_count; i++)
        if (m->accesses[i].at == instruction->at)
            load_own(m, to, &m->accesses[i]);
}

static void call(struct maker *m, struct value *to, const struct spirv_instruction *instruction)
{
    struct spirv_instruction each;
    uint32_t argument = 4;
    bool inside = false;
    SPIRV_EACH (each, m->words, m->count) {
        if (each.opcode == SpvOpFunction)
            inside = spirv_operand(&each, 2, 0) == spirv_operand(instruction, 3, 0);
        if (!inside)
            continue;
        if (each.opcode == SpvOpFunctionParameter && argument < instruction->size) {
            const struct value *from = at(m, instruction->words[argument++]);
            for (int c = 0; c < ORIGIN_COMPONENTS; c++)
                add_origin(m, &at(m, spirv_operand(&each, 2, 0))->of[c], &from->of[c]);
        } else if (each.opcode == SpvOpReturnValue) {
            for (int c = 0; c < ORIGIN_COMPONENTS; c++)
                add_origin(m, &to->of[c], &at(m, spirv_operand(&each, 1, 0))->of[c]);
        }
    }
    add_to_all(m, to, m->returns);
}

static void any_of(struct maker *m, struct value *to, const struct spirv_instruction *instruction)
{
    uint8_t kinds[256];
    uint32_t all = 0;
    if (instruction->size > 256 || !spirv_kinds(instruction, 1, kinds))
        return;
    for (uint32_t i = 3; i < instruction->size; i++)
        if (kinds[i] == SPIRV_ID)
            all |= compared(at(m, instruction->words[i]));
    add_to_all(m, to, all);
    if (at(m, to->type)->opcode != SpvOpTypeBool)
        renew(m, to);
}

static void compose(struct maker *m, struct value *to, const struct spirv_instruction *instruction)
{
    for (uint32_t i = 3; i < instruction->size; i++)
        add_origin(m, &to->of[(i - 3) % ORIGIN_COMPONENTS], &at(m, instruction->words[i])->of[0]);
}

static void choose(struct maker *m, struct value *to, const struct value *condition,
                   const struct value *a, const struct value *b)
{
    const uint32_t by = whole(condition);
    for (int c = 0; c < ORIGIN_COMPONENTS; c++)
        for (int i = 0; i < 32; i++) {
            const bool same = a->is_constant && b->is_constant &&
                              (a->constant >> i & 1) == (b->constant >> i & 1);
            add(m, &to->of[c].bits[i], same ? 0 : a->of[c].bits[i] | b->of[c].bits[i] | by);
        }
}

static void phi(struct maker *m, struct value *to, const struct spirv_instruction *instruction)
{
    uint32_t by = 0;
    for (uint32_t i = 3; i + 1 < instruction->size; i += 2) {
        const struct value *from = at(m, instruction->words[i]);
        const uint32_t block = instruction->words[i + 1] < m->bound ? instruction->words[i + 1] : 0;
        by |= m->control[block] | m->branches[block];
        for (int c = 0; c < ORIGIN_COMPONENTS; c++)
            add_origin(m, &to->of[c], &from->of[c]);
    }
    add_to_all(m, to, by);
}

static void compute(struct maker *m, const struct spirv_instruction *i)
{
    struct value *to = at(m, i->words[2]);
    const struct value *a = at(m, spirv_operand(i, 3, 0)), *b = at(m, spirv_operand(i, 4, 0));
    switch (i->opcode) {
    case SpvOpBitwiseAnd:
        combine_choices(to, a, b, true);
        bitwise(m, to, a, b, 0);
        return;
    case SpvOpBitwiseOr:
        bitwise(m, to, a, b, 1);
        return;
    case SpvOpBitwiseXor:
        bitwise(m, to, a, b, 2);
        return;
    case SpvOpNot:
    case SpvOpCopyObject:
    case SpvOpBitcast:
    case SpvOpUConvert:
        bitwise(m, to, a, a, 2);
        return;
    case SpvOpShiftRightLogical:
        shift(m, to, a, b, false);
        return;
    case SpvOpShiftLeftLogical:
        shift(m, to, a, b, true);
        return;
    case SpvOpIAdd:
        combine_choices(to, a, b, false);
        bitwise(m, to, a, b, 2);
        renew(m, to);
        return;
    case SpvOpSelect:
        choose(m, to, a, b, at(m, spirv_operand(i, 5, 0)));
        return;
    case SpvOpCompositeConstruct:
        compose(m, to, i);
        return;
    case SpvOpCompositeExtract:
        if (i->size == 5)
            add_origin(m, &to->of[0], &a->of[i->words[4] % ORIGIN_COMPONENTS]);
        else
            add_to_all(m, to, whole(a));
        return;
    case SpvOpPhi:
        phi(m, to, i);
        return;
    case SpvOpLoad:
        load(m, to, i);
        return;
    case SpvOpFunctionCall:
        call(m, to, i);
        return;
    case SpvOpVariable:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
        return;
    default:
        any_of(m, to, i);
    }
}

// --- Blocks

// What entering a block within these constructs depends on.
static uint32_t within(const struct maker *m, const struct construct *open, size_t count)
{
    uint32_t all = m->returns;
    for (size_t i = 0; i < count; i++)
        all |= open[i].decides | (open[i].again ? m->exits[open[i].merge] : 0);
    return all;
}

// A branch out of loops, which decides what their further rounds do.
static void leave_to(struct maker *m, uint32_t label, uint32_t by, const struct construct *open,
                     size_t count)
{
    for (size_t i = count; i-- > 0;) {
        if (open[i].again && (open[i].merge == label || open[i].again == label))
            add(m, &m->exits[open[i].merge], by);
        if (open[i].merge == label)
            return;
    }
}

struct walk {
    struct construct open[MOST_OPEN];
    size_t count;
    uint32_t block;
    bool begins; // a construct was declared in this block
};

static void branch(struct maker *m, struct walk *walk, const struct spirv_instruction *i)
{
    const bool plain = i->opcode == SpvOpBranch;
    const uint32_t by = plain ? 0 : whole(at(m, spirv_operand(i, 1, 0)));
    const uint32_t all = by | m->control[walk->block];
    if (walk->begins)
        walk->open[walk->count - 1].decides |= by;
    add(m, &m->branches[walk->block], by);
    for (uint32_t k = plain ? 1 : 2; k < i->size; k++)
        if (i->words[k] < m->bound)
            leave_to(m, i->words[k], all, walk->open, walk->count - walk->begins);
}

static void step(struct maker *m, struct walk *walk, const struct spirv_instruction *i)
{
    switch (i->opcode) {
    case SpvOpFunction:
        walk->count = 0;
        break;
    case SpvOpLabel:
        while (walk->count && walk->open[walk->count - 1].merge == spirv_operand(i, 1, 0))
            walk->count--;
        walk->block = spirv_operand(i, 1, 0) < m->bound ? spirv_operand(i, 1, 0) : 0;
        walk->begins = false;
        add(m, &m->control[walk->block], within(m, walk->open, walk->count));
        break;
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        walk->begins = walk->count < MOST_OPEN && spirv_operand(i, 1, 0) < m->bound;
        if (walk->begins)
            walk->open[walk->count++] =
                (struct construct){spirv_operand(i, 1, 0),
                                   i->opcode == SpvOpLoopMerge ? spirv_operand(i, 2, 0) : 0, 0};
        break;
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        branch(m, walk, i);
        break;
    case SpvOpReturn:
    case SpvOpReturnValue:
        add(m, &m->returns, walk->count ? m->control[walk->block] : 0);
        break;
    default:
        break;
    }
}

// --- The module

// Types, constants, and which instruction gives each id.
static bool read_ids(struct maker *m)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->count) {
        uint8_t kinds[256];
        if (each.size > 256 || !spirv_kinds(&each, 1, kinds))
            continue;
        uint32_t type = 0, result = 0;
        for (uint32_t i = 1; i < each.size && i < 3; i++) {
            type = kinds[i] == SPIRV_TYPE ? each.words[i] : type;
            result = kinds[i] == SPIRV_RESULT ? each.words[i] : result;
        }
        if (!result || result >= m->bound)
            continue;
        struct value *value = &m->values[result];
        value->type = type;
        value->opcode = each.opcode;
        value->is_constant = each.opcode == SpvOpConstant && each.size == 4;
        value->is_constant |= each.opcode == SpvOpConstantNull;
        if (each.opcode == SpvOpConstant || each.opcode == SpvOpTypePointer)
            value->constant = each.words[each.opcode == SpvOpConstant ? 3 : 2];
    }
    SPIRV_EACH (each, m->words, m->count)
        if (each.opcode == SpvOpPhi && spirv_operand(&each, 2, m->bound) < m->bound)
            count_up(m, each.words[2], &each);
    return spirv_is_end(&each, m->count);
}

// Which of the loops around it a merge label is of; SIZE_MAX: none.
static size_t depth_of(const struct access *here, uint32_t label)
{
    for (size_t i = 0; i < here->depth; i++)
        if (here->loops[i] && here->around[i] == label)
            return i;
    return SIZE_MAX;
}

// Where variables are loaded and stored.
static void find_accesses(struct maker *m)
{
    struct spirv_instruction each;
    struct access here = {0};
    SPIRV_EACH (each, m->words, m->count) {
        const bool stores = each.opcode == SpvOpStore && each.size > 2;
        const uint32_t pointer = stores                                      ? each.words[1]
                                 : each.opcode == SpvOpLoad && each.size > 3 ? each.words[3]
                                                                             : 0;
        if (each.opcode == SpvOpFunction) {
            here = (struct access){.function = spirv_operand(&each, 2, 0)};
        } else if (each.opcode == SpvOpLabel) {
            here.block = spirv_operand(&each, 1, 0) < m->bound ? each.words[1] : 0;
            while (here.depth && here.around[here.depth - 1] == spirv_operand(&each, 1, 0))
                here.depth--;
        } else if ((each.opcode == SpvOpLoopMerge || each.opcode == SpvOpSelectionMerge) &&
                   here.depth < MOST_OPEN) {
            here.around[here.depth] = spirv_operand(&each, 1, 0);
            here.loops[here.depth++] = each.opcode == SpvOpLoopMerge;
        } else if (pointer && is_own(storage(m, pointer))) {
            struct access *access = &LIT_ADD(m->accesses, m->access_count);
            *access = here;
            access->at = each.at;
            access->stores = stores;
            access->variable = root(m, pointer);
            access->value = each.words[2];
            access->left = SIZE_MAX;
        } else if (each.opcode == SpvOpBranch) {
            for (size_t i = m->access_count; i-- > 0 && m->accesses[i].block == here.block;)
                m->accesses[i].left = depth_of(&here, spirv_operand(&each, 1, 0));
        }
    }
}

static void solve(struct maker *m)
{
    struct spirv_instruction each;
    do {
        struct walk walk = {0};
        m->changed = false;
        SPIRV_EACH (each, m->words, m->count) {
            step(m, &walk, &each);
            if (walk.block && each.size > 2 && each.words[2] < m->bound &&
                m->values[each.words[2]].opcode == each.opcode)
                compute(m, &each);
        }
    } while (m->changed);
}

static void collect(struct maker *m, struct origin_module *module)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->count) {
        if (each.opcode == SpvOpStore && each.size > 2 &&
            storage(m, each.words[1]) == SpvStorageClassStorageBuffer) {
            const struct value *value = at(m, each.words[2]);
            const struct value *type = at(m, value->type);
            if (type->opcode != SpvOpTypeVector)
                continue;
            module->stores = lit_grow(module->stores, module->count, sizeof *module->stores);
            memcpy(module->stores[module->count++].components, value->of, sizeof value->of);
        }
    }
    SPIRV_EACH (each, m->words, m->count)
        for (uint32_t i = 3; each.opcode >= SpvOpLogicalEqual && each.opcode <= SpvOpLogicalAnd &&
                             each.size == 5 && i < 5;
             i++) {
            const uint32_t one = whole(at(m, each.words[i]));
            if (one && !(one & (one - 1)))
                LIT_ADD(module->pairs, module->pair_count) =
                    (struct origin_pair){one, whole(at(m, each.words[7 - i]))};
        }
}

bool origin_module(const uint32_t *words, size_t count, struct origin_module *module)
{
    *module = (struct origin_module){0};
    if (!spirv_is_module(words, count) || words[SPIRV_BOUND] > ORIGIN_MOST_IDS)
        return false;
    struct maker m = {.words = words, .count = count, .bound = words[SPIRV_BOUND] + 1};
    m.values = lit_alloc(m.bound, sizeof *m.values);
    m.control = lit_alloc(m.bound, sizeof *m.control);
    m.branches = lit_alloc(m.bound, sizeof *m.branches);
    m.exits = lit_alloc(m.bound, sizeof *m.exits);
    const bool good = read_ids(&m);
    if (good) {
        find_accesses(&m);
        solve(&m);
        collect(&m, module);
    }
    free(m.values);
    free(m.control);
    free(m.accesses);
    free(m.branches);
    free(m.exits);
    return good;
}

void origin_module_clear(struct origin_module *module)
{
    free(module->stores);
    free(module->pairs);
    *module = (struct origin_module){0};
}
