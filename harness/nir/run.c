// SPDX-License-Identifier: Apache-2.0
// Runs NIR: a subgroup after another, each until a barrier, a while, or its end.
#include "base/build.h"
#include "base/text.h"
#include "nir/program.h"

#include <limits.h>

#define SLICE 4096u // instructions until another subgroup has its turn
#define SET   NIR_SET
// The last word of a descriptor, as RADV makes it for navi21: floats of 32 bits in x, y, z, w, and
// each dword is compared with the size (AMD, RDNA 2 ISA, buffer resource descriptor: OOB_SELECT 3).
#define RAW 0x31016facu
#define each_lane(lane, mask)                                                                      \
    for (uint32_t lane = 0; lane < NIR_LANES; lane++)                                              \
        if ((mask) >> lane & 1)

// clang-format off
#define CALLS(X) \
    X(mbcnt_amd) X(load_scalar_arg_amd) X(load_scalar_arg_wg_div_amd) X(load_vector_arg_amd) \
    X(load_global_amd) X(store_global_amd) X(load_ssbo) X(store_ssbo) X(ssbo_atomic) \
    X(ssbo_atomic_swap) X(load_shared) X(store_shared) X(shared_atomic) X(shared_atomic_swap) \
    X(load_shared2_amd) X(store_shared2_amd) X(barrier) X(ballot) X(ballot_relaxed) \
    X(inverse_ballot) X(elect) X(last_invocation) X(vote_any) X(vote_all) X(reduce) \
    X(inclusive_scan) X(exclusive_scan) X(shuffle) X(read_invocation) X(read_first_invocation) \
    X(rotate) X(masked_swizzle_amd) X(quad_broadcast) X(quad_swap_horizontal) \
    X(quad_swap_vertical) X(quad_swap_diagonal) X(quad_vote_any) X(quad_vote_all) X(vec2) \
    X(vec3) X(vec4) X(vec8) X(vec16) X(pack_64_2x32) X(unpack_64_2x32) X(pack_32_2x16) \
    X(unpack_32_2x16) X(as_uniform) X(shared_append_amd) \
    X(load_ttmp_register_amd) X(load_ttmp_register_wg_div_amd)
// clang-format on
#define NAME(name)   #name,
#define NUMBER(name) CALL_##name,
static const char *const names[] = {CALLS(NAME)};
enum { CALLS(NUMBER) };

unsigned nir_call_find(const char *name)
{
    const size_t length = strcspn(name, " \n");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return UINT_MAX;
}

struct frame {
    uint32_t begin; // its operation
    uint64_t all;   // lanes that go on behind it
    uint64_t other; // of an `if`: the lanes of its else part; of a loop: those that continue
};

struct wave {
    uint32_t number, at;
    uint64_t mask;
    struct frame frames[NIR_DEPTH];
    size_t depth;
    bool waits, ended;
    uint32_t block[NIR_LANES], from[NIR_LANES]; // the present block, and the one before
    uint64_t *values;
    uint64_t steps;
};

struct machine {
    const struct nir_program *program;
    struct nir_dispatch *dispatch;
    struct lit_error *error;
    uint32_t group;
    uint8_t *shared;
    uint32_t set[4 * NIR_BINDINGS];
    uint8_t nowhere[NIR_SOURCES * 8];
    const struct nir_op *op;
    struct wave *wave;
};

static bool refuse(const struct machine *m, const char *why)
{
    return lit_fail(m->error, LIT_EXIT_UNDECIDED, "%s: %.*s", why, (int)strcspn(m->op->line, "\n"),
                    m->op->line);
}

static uint64_t *value_at(const struct machine *m, uint32_t value, uint32_t part)
{
    return m->wave->values + (size_t)(m->program->values[value].at + part) * NIR_LANES;
}

static uint64_t get(const struct machine *m, size_t source, uint32_t part, uint32_t lane)
{
    const struct nir_source *from = &m->op->source[source];
    const uint32_t at = from->part[part < NIR_SOURCES ? part : 0];
    return at < m->program->values[from->value].parts ? value_at(m, from->value, at)[lane] : 0;
}

static void put(const struct machine *m, uint32_t part, uint32_t lane, uint64_t word)
{
    const unsigned bits = m->op->bits;
    value_at(m, m->op->value, part)[lane] = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;
}

static unsigned source_bits(const struct machine *m, size_t source)
{
    return m->program->values[m->op->source[source].value].bits;
}

// --- Memory

// NULL: outside of everything.
static uint8_t *reach(struct machine *m, uint64_t address, size_t size)
{
    const struct nir_dispatch *d = m->dispatch;
    const size_t bytes = d->bound_count * 16;
    if (address >= SET && address - SET < bytes && size <= bytes - (address - SET))
        return (uint8_t *)m->set + (address - SET);
    for (size_t i = 0; i < d->buffer_count; i++)
        if (address >= d->buffers[i].address &&
            address - d->buffers[i].address < d->buffers[i].size &&
            size <= d->buffers[i].size - (address - d->buffers[i].address))
            return (uint8_t *)d->buffers[i].bytes + (address - d->buffers[i].address);
    return NULL;
}

// Addresses wrap at 32 bits.
static uint8_t *in_shared(struct machine *m, uint64_t address, size_t size)
{
    const uint32_t at = (uint32_t)address, all = m->program->shared;
    return at < all && size <= all - at ? m->shared + at : memset(m->nowhere, 0, sizeof m->nowhere);
}

// The first bytes of a lane's access, with the descriptor or pointer in source `from`, the offset
// behind. Outside of a descriptor's buffer and of shared memory, loads give 0 and stores are lost,
// as the hardware has it; NULL: a pointer to nowhere.
static uint8_t *place(struct machine *m, size_t from, uint32_t lane, size_t size)
{
    const uint64_t base = nir_number(m->op, "base", 0);
    const uint64_t offset = m->op->source_count > from + 1 ? get(m, from + 1, 0, lane) : 0;
    uint64_t at = get(m, from, 0, lane);
    if (strstr(names[m->op->code], "shared"))
        return in_shared(m, at + base, size);
    if (strstr(names[m->op->code], "global"))
        return reach(m, at + base + offset, size);
    at |= (get(m, from, 1, lane) & 0xffff) << 32;
    return offset + size <= get(m, from, 2, lane) ? reach(m, at + offset, size)
                                                  : memset(m->nowhere, 0, sizeof m->nowhere);
}

static bool move(struct machine *m, size_t from, size_t data, uint32_t lane)
{
    const bool loads = data == SIZE_MAX;
    const size_t bytes = (loads ? m->op->bits : source_bits(m, data)) / 8u;
    const uint32_t parts =
        loads ? m->op->parts : m->program->values[m->op->source[data].value].parts;
    const char *mask = loads ? NULL : nir_behind(m->op, "wrmask=");
    for (uint32_t i = 0; i < parts; i++) {
        uint64_t word = loads ? 0 : get(m, data, i, lane);
        uint8_t *at = place(m, from, lane, (i + 1) * bytes);
        if (!at || !bytes)
            return refuse(m, "an access outside of all buffers");
        if (loads) {
            memcpy(&word, at + i * bytes, bytes);
            put(m, i, lane, word);
        } else if (!mask || memchr(mask, parts > 4 ? "abcdefghijklmnop"[i] : "xyzw"[i],
                                   strcspn(mask, ",)\n"))) {
            memcpy(at + i * bytes, &word, bytes);
        }
    }
    return true;
}

// ds_read2 and ds_write2: two elements whose offsets count elements, or 64 of them.
static bool move_two(struct machine *m, bool loads, uint32_t lane)
{
    const size_t bytes = (loads ? m->op->bits : source_bits(m, 0)) / 8u;
    const uint64_t unit = bytes * (nir_number(m->op, "st64", 0) ? 64u : 1u);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t word = loads ? 0 : get(m, 0, i, lane);
        uint8_t *at = in_shared(m,
                                get(m, loads ? 0 : 1, 0, lane) +
                                    nir_number(m->op, i ? "offset1" : "offset0", 0) * unit,
                                bytes);
        memcpy(loads ? (uint8_t *)&word : at, loads ? at : (uint8_t *)&word, bytes);
        if (loads)
            put(m, i, lane, word);
    }
    return true;
}

static bool change(struct machine *m, size_t data, bool swap, uint32_t lane)
{
    const unsigned bits = m->op->bits;
    const bool exchange = nir_behind(m->op, "atomic_op=xchg");
    uint8_t *at = place(m, 0, lane, bits / 8u);
    uint64_t old = 0, now = get(m, data, 0, lane);
    if (!at || (!swap && !exchange && m->op->reduction == UINT_MAX))
        return refuse(m, at ? "not known" : "an access outside of all buffers");
    memcpy(&old, at, bits / 8u);
    if (swap)
        now = old == now ? get(m, data + 1, 0, lane) : old;
    else if (!exchange)
        now = nir_alu(m->op->reduction, bits, bits, (const uint64_t[4]){old, now});
    memcpy(at, &now, bits / 8u);
    put(m, 0, lane, old);
    return true;
}

// --- Groups

static uint64_t ballot(const struct machine *m)
{
    uint64_t mask = 0;
    each_lane (lane, m->wave->mask)
        mask |= (get(m, 0, 0, lane) & 1) << lane;
    return mask;
}

// Each lane reads another; one that is not there gives a word that nobody stores.
static bool read_lanes(struct machine *m)
{
    const uint32_t size = m->program->subgroup;
    const uint64_t mask = m->wave->mask, number = m->op->source_count > 1 ? 1 : 0;
    const uint64_t cluster = nir_number(m->op, "cluster_size", 0);
    const char *swizzle = nir_behind(m->op, "swizzle_mask=((id & ");
    uint64_t got[NIR_LANES];
    char *next = NULL;
    const uint64_t keep = swizzle ? strtoull(swizzle, &next, 10) : 0;
    const uint64_t set = next ? strtoull(next + strcspn(next, "|") + 1, &next, 10) : 0;
    const uint64_t flip = next ? strtoull(next + strcspn(next, "^") + 1, NULL, 10) : 0;
    for (uint32_t part = 0; part < m->op->parts; part++) {
        each_lane (lane, mask) {
            uint64_t from = number ? get(m, 1, 0, lane) : lane;
            const uint64_t within = cluster ? cluster : size;
            switch (m->op->code) {
            case CALL_read_first_invocation:
                from = (uint64_t)__builtin_ctzll(mask);
                break;
            case CALL_rotate:
                from = (lane & ~(within - 1)) | ((lane + from) & (within - 1));
                break;
            case CALL_masked_swizzle_amd:
                from = (lane & 32) | ((((lane & 31) & keep) | set) ^ flip);
                break;
            case CALL_quad_broadcast:
                from = (lane & ~UINT64_C(3)) | (from & 3);
                break;
            case CALL_quad_swap_horizontal:
                from = lane ^ 1;
                break;
            case CALL_quad_swap_vertical:
                from = lane ^ 2;
                break;
            case CALL_quad_swap_diagonal:
                from = lane ^ 3;
                break;
            default:
                if (from >= size && m->op->code == CALL_shuffle && !m->dispatch->beyond)
                    m->dispatch->beyond = m->op->line;
                from = m->dispatch->wrap ? from & (size - 1) : from;
            }
            got[lane] =
                from < size && mask >> from & 1 ? get(m, 0, part, (uint32_t)from) : 0xbad1a9e5;
        }
        each_lane (lane, mask)
            put(m, part, lane, got[lane]);
    }
    return true;
}

static bool reduce(struct machine *m)
{
    const uint64_t mask = m->wave->mask, cluster = nir_number(m->op, "cluster_size", 0);
    const unsigned bits = m->op->bits, code = m->op->reduction;
    const uint64_t within = cluster ? cluster : NIR_LANES;
    if (code == UINT_MAX || within & (within - 1))
        return refuse(m, "not known");
    for (uint32_t part = 0; part < m->op->parts; part++)
        for (uint64_t first = 0; first < NIR_LANES; first += within) {
            const uint64_t some =
                mask & (within < 64 ? ((UINT64_C(1) << within) - 1) << first : ~UINT64_C(0));
            uint64_t sum = nir_identity(code, bits), next;
            each_lane (lane, some) {
                next = nir_alu(code, bits, bits, (const uint64_t[4]){sum, get(m, 0, part, lane)});
                put(m, part, lane, m->op->code == CALL_inclusive_scan ? next : sum);
                sum = next;
            }
            if (m->op->code == CALL_reduce)
                each_lane (lane, some)
                    put(m, part, lane, sum);
        }
    return true;
}

// --- One instruction

static uint64_t argument(const struct machine *m)
{
    const struct nir_program *p = m->program;
    const uint64_t at = nir_number(m->op, "base", 0) + 1 - p->first,
                   subgroups = (m->dispatch->local + p->subgroup - 1) / p->subgroup;
    if (m->op->code == CALL_load_scalar_arg_wg_div_amd)
        return (uint64_t)m->wave->number << 20 | m->wave->number << 6 | subgroups;
    if (at <= p->sets)
        return at == 1 ? (uint32_t)SET : 0;
    if (at <= p->sets + p->scalars)
        return m->dispatch->pushed[at - p->sets - 1];
    return p->grouped && at == p->sets + p->scalars + 1 ? m->group : 0;
}

// What the call gives one lane; `good` is cleared with an error. False: the call is another one.
static bool call_alone(struct machine *m, uint32_t lane, bool *good)
{
    const uint64_t mask = m->wave->mask, quad = mask & UINT64_C(15) << (lane & ~3u);
    uint64_t word = 0;
    switch (m->op->code) {
    case CALL_load_scalar_arg_amd:
    case CALL_load_scalar_arg_wg_div_amd:
        word = argument(m);
        break;
    case CALL_load_ttmp_register_amd:
        *good = nir_number(m->op, "base", 0) == 9 || refuse(m, "not known");
        word = m->group;
        break;
    case CALL_load_ttmp_register_wg_div_amd:
        *good = nir_number(m->op, "base", 0) == 8 || refuse(m, "not known");
        word = (uint64_t)m->wave->number << 25;
        break;
    case CALL_load_vector_arg_amd:
        *good = nir_number(m->op, "base", 0) == m->program->vectors ||
                refuse(m, "an argument that is not known");
        word = m->wave->number * m->program->subgroup + lane;
        break;
    case CALL_mbcnt_amd:
        word = (uint64_t)__builtin_popcountll(get(m, 0, 0, lane) & ((UINT64_C(1) << lane) - 1)) +
               get(m, 1, 0, lane);
        break;
    case CALL_inverse_ballot:
        word = get(m, 0, 0, lane) >> lane & 1;
        break;
    case CALL_elect:
        word = (uint32_t)__builtin_ctzll(mask) == lane;
        break;
    case CALL_last_invocation:
        word = 63 - (uint64_t)__builtin_clzll(mask);
        break;
    case CALL_as_uniform:
        word = get(m, 0, 0, lane);
        break;
    case CALL_ballot:
    case CALL_ballot_relaxed:
        word = ballot(m);
        break;
    case CALL_vote_any:
        word = ballot(m) != 0;
        break;
    case CALL_vote_all:
        word = ballot(m) == mask;
        break;
    case CALL_quad_vote_any:
        word = (ballot(m) & quad) != 0;
        break;
    case CALL_quad_vote_all:
        word = (ballot(m) & quad) == quad;
        break;
    case CALL_pack_64_2x32:
    case CALL_pack_32_2x16:
        word = get(m, 0, 0, lane) | get(m, 0, 1, lane) << m->op->bits / 2;
        break;
    default:
        return false;
    }
    put(m, 0, lane, word);
    return true;
}

static bool call_memory(struct machine *m, uint32_t lane)
{
    switch (m->op->code) {
    case CALL_load_global_amd:
    case CALL_load_ssbo:
    case CALL_load_shared:
        return move(m, 0, SIZE_MAX, lane);
    case CALL_store_global_amd:
    case CALL_store_ssbo:
    case CALL_store_shared:
        return move(m, 1, 0, lane);
    case CALL_load_shared2_amd:
    case CALL_store_shared2_amd:
        return move_two(m, m->op->code == CALL_load_shared2_amd, lane);
    case CALL_ssbo_atomic:
    case CALL_ssbo_atomic_swap:
        return change(m, 2, m->op->code == CALL_ssbo_atomic_swap, lane);
    case CALL_shared_atomic:
    case CALL_shared_atomic_swap:
        return change(m, 1, m->op->code == CALL_shared_atomic_swap, lane);
    case CALL_unpack_64_2x32:
    case CALL_unpack_32_2x16:
        for (uint32_t i = 0; i < 2; i++)
            put(m, i, lane, get(m, 0, 0, lane) >> i * m->op->bits);
        return true;
    default: // vec2 to vec16
        for (uint32_t i = 0; i < m->op->parts; i++)
            put(m, i, lane, get(m, i, 0, lane));
        return true;
    }
}

// The subgroup adds the number of its lanes to a word, and gets what it was.
static void append(struct machine *m)
{
    uint8_t *at = in_shared(m, nir_number(m->op, "base", 0), sizeof(uint32_t));
    uint32_t old, now;
    memcpy(&old, at, sizeof old);
    now = old + (uint32_t)__builtin_popcountll(m->wave->mask);
    memcpy(at, &now, sizeof now);
    each_lane (lane, m->wave->mask)
        put(m, 0, lane, old);
}

static bool call(struct machine *m)
{
    bool good = true;
    switch (m->op->code) {
    case UINT_MAX:
        return refuse(m, "not known");
    case CALL_barrier:
        m->wave->waits = nir_behind(m->op, "execution_scope=WORKGROUP");
        return true;
    case CALL_shared_append_amd:
        append(m);
        return true;
    case CALL_reduce:
    case CALL_inclusive_scan:
    case CALL_exclusive_scan:
        return reduce(m);
    default:
        if (m->op->code >= CALL_shuffle && m->op->code <= CALL_quad_swap_diagonal)
            return read_lanes(m);
    }
    each_lane (lane, m->wave->mask)
        if (good && !call_alone(m, lane, &good))
            good = call_memory(m, lane);
    return good;
}

static bool compute(struct machine *m)
{
    const struct nir_op *op = m->op;
    const unsigned from = op->source_count ? source_bits(m, op->code == nir_alu_find("bcsel")) : 0;
    if (op->code == UINT_MAX || ((op->bits == 16 || from == 16) && nir_alu_floats(op->code)))
        return refuse(m, "not known");
    for (uint32_t part = 0; part < op->parts; part++)
        each_lane (lane, m->wave->mask) {
            uint64_t source[4] = {0};
            for (size_t i = 0; i < op->source_count && i < 4; i++)
                source[i] = get(m, i, part, lane);
            put(m, part, lane, nir_alu(op->code, op->bits, from, source));
        }
    return true;
}

// All phis of a block read before one of them writes.
static bool merge(struct machine *m)
{
    struct wave *w = m->wave;
    const struct nir_op *first = m->op;
    size_t count = 0;
    while (first[count].kind == NIR_PHI)
        count++;
    OWNED(lit_free) uint64_t *words = lit_alloc(count * NIR_SOURCES * NIR_LANES, sizeof *words);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            m->op = &first[i];
            each_lane (lane, w->mask) {
                size_t from = 0;
                while (from < m->op->source_count && m->op->source[from].block != w->from[lane])
                    from++;
                if (from == m->op->source_count)
                    return refuse(m, "a phi without the lane's block");
                for (uint32_t part = 0; part < m->op->parts; part++) {
                    uint64_t *word = &words[(i * NIR_SOURCES + part) * NIR_LANES + lane];
                    if (pass == 0)
                        *word = get(m, from, part, lane);
                    else
                        put(m, part, lane, *word);
                }
            }
        }
    w->at += (uint32_t)count - 1;
    return true;
}

// Lanes leave the innermost loop, or its present round.
static bool leave(struct machine *m, bool round)
{
    struct wave *w = m->wave;
    for (size_t i = w->depth; i-- > 0;) {
        struct frame *f = &w->frames[i];
        const bool loop = m->program->ops[f->begin].kind == NIR_LOOP;
        if (loop) {
            f->other |= round ? w->mask : 0;
            w->mask = 0;
            return true;
        }
        f->all &= ~w->mask;
    }
    return refuse(m, "outside of a loop");
}

// Begins and ends constructs. Lanes are counted in `all` of a loop from its beginning on.
static bool flow(struct machine *m)
{
    struct wave *w = m->wave;
    const struct nir_op *op = m->op;
    struct frame *top = w->depth ? &w->frames[w->depth - 1] : NULL;
    uint64_t then = 0;
    switch (op->kind) {
    case NIR_IF:
        each_lane (lane, w->mask)
            then |= (get(m, 0, 0, lane) & 1) << lane;
        w->frames[w->depth++] = (struct frame){w->at, w->mask, w->mask & ~then};
        w->mask = then;
        return true;
    case NIR_ELSE:
        w->mask = top->other;
        return true;
    case NIR_LOOP:
        w->frames[w->depth++] = (struct frame){w->at, w->mask, 0};
        return true;
    case NIR_ENDLOOP:
        w->mask |= top->other;
        top->other = 0;
        if (w->mask) {
            w->at = op->to;
            return true;
        }
        w->mask = top->all;
        w->depth--;
        return true;
    case NIR_ENDIF:
        w->mask = top->all;
        w->depth--;
        return true;
    default:
        return leave(m, op->kind == NIR_CONTINUE);
    }
}

// A block, or a constant.
static void begin(struct machine *m)
{
    each_lane (lane, m->wave->mask) {
        for (uint32_t part = 0; part < m->op->parts; part++)
            put(m, part, lane, m->op->constant[part]);
        if (m->op->kind == NIR_BLOCK) {
            m->wave->from[lane] = m->wave->block[lane];
            m->wave->block[lane] = m->op->block;
        }
    }
}

// Whether an operation stores its first source.
static bool stores(const struct nir_op *op)
{
    return op->kind == NIR_CALL &&
           (op->code == CALL_store_global_amd || op->code == CALL_store_ssbo ||
            op->code == CALL_store_shared || op->code == CALL_store_shared2_amd);
}

// The operations from `first` on, before the present one.
static void show(const struct machine *m, size_t first, uint64_t mask)
{
    const struct nir_dispatch *d = m->dispatch;
    for (size_t i = first; i < m->wave->at; i++) {
        const struct nir_op *op = &m->program->ops[i];
        const struct nir_source *from = stores(op) && op->source_count ? op->source : NULL;
        const uint32_t value = from ? from->value : op->value;
        const uint32_t parts = value == UINT32_MAX ? 0 : m->program->values[value].parts;
        for (uint32_t part = 0; part < parts; part++) {
            const uint32_t at = from ? from->part[part] : part;
            if (at < parts)
                d->watch(d->watcher, i, part, mask, value_at(m, value, at));
        }
    }
}

static bool step(struct machine *m)
{
    struct wave *w = m->wave;
    const struct nir_op *op = m->op = &m->program->ops[w->at];
    const uint64_t mask = w->mask;
    const size_t first = w->at;
    bool good = true;
    if (op->kind == NIR_END)
        w->ended = true;
    else if (op->kind >= NIR_IF)
        good = flow(m);
    else if (!w->mask)
        good = true;
    else if (op->kind == NIR_BLOCK || op->kind == NIR_CONST)
        begin(m);
    else
        good = op->kind == NIR_PHI ? merge(m) : op->kind == NIR_CALL ? call(m) : compute(m);
    w->at++;
    if (good && mask && op->kind < NIR_BLOCK && m->dispatch->watch &&
        m->group == m->dispatch->watched_group && w->number == m->dispatch->watched_subgroup)
        show(m, first, mask);
    return good;
}

// --- A workgroup

static bool run_group(struct machine *m, struct wave *waves, uint32_t count)
{
    uint32_t ended = 0, waiting = 0;
    while (ended < count) {
        ended = waiting = 0;
        for (uint32_t i = 0; i < count; i++) {
            struct wave *w = m->wave = &waves[i];
            for (uint32_t k = 0; k < SLICE && !w->ended && !w->waits; k++)
                if (w->steps++ > m->dispatch->steps || !step(m))
                    return w->steps <= m->dispatch->steps ? false : refuse(m, "too many steps");
            ended += w->ended;
            waiting += w->waits;
        }
        for (uint32_t i = 0; i < count && ended + waiting == count; i++)
            waves[i].waits = false;
    }
    return true;
}

void nir_dispatch_set(const struct nir_dispatch *d, uint32_t set[4 * NIR_BINDINGS])
{
    for (size_t i = 0; i < d->bound_count; i++) {
        const uint64_t address = d->bound[i].address;
        memcpy(set + 4 * i,
               (const uint32_t[4]){(uint32_t)address, (uint32_t)(address >> 32),
                                   (uint32_t)d->bound[i].size, RAW},
               16);
    }
}

bool nir_run(const struct nir_program *p, struct nir_dispatch *d, struct lit_error *error)
{
    const uint32_t count = (d->local + p->subgroup - 1) / p->subgroup;
    OWNED(lit_free) struct wave *waves = lit_alloc(count + 1, sizeof *waves);
    OWNED(lit_free)
    uint64_t *values = lit_alloc((size_t)count * p->words * NIR_LANES + 1, sizeof *values);
    OWNED(lit_free) uint8_t *shared = lit_alloc(p->shared + 1, 1);
    struct machine m = {.program = p, .dispatch = d, .error = error, .shared = shared};
    bool good = true;
    nir_dispatch_set(d, m.set);
    d->beyond = NULL;
    for (m.group = 0; m.group < d->groups && good; m.group++) {
        memset(shared, 0, p->shared);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t left = d->local - i * p->subgroup;
            const uint32_t lanes = left < p->subgroup ? left : p->subgroup;
            waves[i] = (struct wave){.number = i,
                                     .mask = lanes < 64 ? (UINT64_C(1) << lanes) - 1 : ~UINT64_C(0),
                                     .values = values + (size_t)i * p->words * NIR_LANES};
        }
        good = run_group(&m, waves, count);
    }
    return good;
}
