// SPDX-License-Identifier: Apache-2.0
// Runs ACO's machine code, and finds the first value of the NIR that no register has at the time.
//
// Registers keep a value from the instruction that writes it until another is written. A value of
// the NIR is looked for in all registers from the earliest time on at which all that it is computed
// from has been found. So a value that is found too early, because another one is equal, hides a
// difference and never makes one up.
#include "aco/aco.h"
#include "nir/program.h"

#include "../../rdna/host/host.h"

enum {
    SCALARS = 128,
    VECTORS = 256, // number of the first vector register
    REGISTERS = VECTORS + RDNA_VGPRS,
    MOST_EVENTS = 40000,
    MOST_SPANS = 200000
};

struct aco_program {
    const struct nir_program *nir;
    struct rdna_listing listing;
    unsigned vgprs;
    bool *defined;    // of each value of the NIR: ACO's text computes it
    uint32_t *offset; // of each operation of the NIR: of its SPIR-V instruction; UINT32_MAX
};

struct aco_watch {
    void (*see)(void *user, const struct rdna_wave *wave, size_t place);
    void *user;
};

// 32 bits of a value.
struct event {
    uint32_t op, part;
    uint8_t half, bits;
    uint64_t mask;
    uint32_t words[NIR_LANES];
};

// A register, while it has a value: from instruction `begin` to `end`, counted as executed.
struct span {
    uint32_t number;
    uint32_t begin, end;
    size_t place;
    uint32_t words[NIR_LANES]; // of a scalar register, all the same
};

// When a register first has a value: after so many instructions, and the last one's place.
struct moment {
    uint32_t time;
    size_t place;
};

struct search {
    const struct aco_program *program;
    struct event *events;
    size_t event_count;
    struct span *spans;
    size_t span_count;
    bool is_cut;                   // more was written than there are spans
    uint32_t latest[REGISTERS];    // the last span of each register, and 1; 0: none
    uint32_t *sorted;              // spans by register, then time
    uint32_t first[REGISTERS + 1]; // of a register in `sorted`
    uint32_t now;                  // instructions executed
    struct moment *found;          // of each value of the NIR
};

// --- ACO's program, and a run of it with the arguments that RADV passes (nir/nir.h)

// ACO numbers its values as the NIR does, from 1 on: those that a line computes stand before " = ".
static void read_values(struct aco_program *p, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        const char *end = memmem(line, length, " = ", 3);
        for (const char *at = line; end && at < end; at++) {
            const unsigned long number = *at == '%' ? strtoul(at + 1, NULL, 10) : 0;
            if (number > 0 && number - 1 < p->nir->value_count)
                p->defined[number - 1] = true;
        }
    }
}

// With debug information ACO's text names a place in the SPIR-V before each operation of the NIR:
// "// 0x500 (null):0:0".
static void read_offsets(struct aco_program *p, const char *text)
{
    size_t at = 0;
    for (size_t i = 0; i < p->nir->count; i++)
        p->offset[i] = UINT32_MAX;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line += strspn(line, " ");
        if (strncmp(line, "// 0x", 5) != 0)
            continue;
        while (at < p->nir->count && p->nir->ops[at].kind > NIR_CALL)
            at++;
        if (at < p->nir->count)
            p->offset[at++] = (uint32_t)strtoul(line + 3, NULL, 16);
    }
}

bool aco_program_make(const struct nir_program *nir, const char *text, const char *listing,
                      unsigned vgprs, struct aco_program **program, struct lit_error *error)
{
    struct aco_program *p = *program = lit_alloc(1, sizeof *p);
    p->nir = nir;
    p->vgprs = vgprs;
    p->defined = lit_alloc(nir->value_count + 1, sizeof *p->defined);
    p->offset = lit_alloc(nir->count + 1, sizeof *p->offset);
    read_values(p, text);
    read_offsets(p, text);
    return rdna_listing_read(listing, &p->listing) ||
           lit_fail(error, LIT_EXIT_UNDECIDED, "machine code that is not known");
}

void aco_program_free(struct aco_program **program)
{
    if (!*program)
        return;
    free((*program)->listing.words);
    free((*program)->defined);
    free((*program)->offset);
    free(*program);
    *program = NULL;
}

// As aco_run; `watch` sees the subgroup that the dispatch watches, unless it is NULL.
static bool run_watched(const struct aco_program *program, const struct nir_dispatch *d, bool late,
                        const struct aco_watch *watch, struct lit_error *error)
{
    const struct nir_program *nir = program->nir;
    struct rdna_host_buffer buffers[NIR_BINDINGS + 1];
    uint32_t set[4 * NIR_BINDINGS];
    char why[160];
    struct rdna_host host = {
        .listing = &program->listing,
        .lanes = nir->subgroup,
        .vgprs = program->vgprs,
        .lds = nir->shared,
        .groups = d->groups,
        .threads = d->local,
        .sgprs = nir->sets + nir->scalars,
        .group_sgpr = nir->grouped,
        .size_sgpr = nir->placed,
        .ring = nir->first == 1,
        .buffers = buffers,
        .buffer_count = d->buffer_count + 1,
        .steps = d->steps,
        .late = late,
        .watch = watch ? watch->see : NULL,
        .user = watch ? watch->user : NULL,
        .group = d->watched_group,
        .index = d->watched_subgroup,
    };
    if (nir->subgroup < 32 || host.sgprs > RDNA_HOST_SGPRS)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "arguments that are not known");
    host.sgpr[0] = (uint32_t)NIR_SET;
    memcpy(host.sgpr + nir->sets, d->pushed, nir->scalars * sizeof *d->pushed);
    nir_dispatch_set(d, set);
    buffers[0] = (struct rdna_host_buffer){NIR_SET, set, d->bound_count * 16};
    for (size_t i = 0; i < d->buffer_count; i++)
        buffers[i + 1] = (struct rdna_host_buffer){d->buffers[i].address, d->buffers[i].bytes,
                                                   d->buffers[i].size};
    return rdna_host_run(&host, why) || lit_fail(error, LIT_EXIT_UNDECIDED, "%s", why);
}

bool aco_run(const struct aco_program *program, const struct nir_dispatch *dispatch, bool late,
             struct lit_error *error)
{
    return run_watched(program, dispatch, late, NULL, error);
}

// --- What both do

static void see_value(void *user, size_t op, uint32_t part, uint64_t mask, const uint64_t *words)
{
    struct search *s = user;
    const struct nir_op *o = &s->program->nir->ops[op];
    const struct nir_value *values = s->program->nir->values;
    const uint8_t bits = o->value != UINT32_MAX ? values[o->value].bits : o->bits;
    for (uint8_t half = 0; half < (bits == 64 ? 2 : 1) && s->event_count < MOST_EVENTS; half++) {
        struct event *e = &LIT_ADD(s->events, s->event_count);
        *e = (struct event){(uint32_t)op, part, half, bits, mask, {0}};
        for (uint32_t i = 0; i < NIR_LANES; i++)
            e->words[i] = (uint32_t)(words[i] >> 32 * half);
    }
}

static void store(struct search *s, uint32_t number, const uint32_t *words, bool scalar,
                  size_t place)
{
    struct span *old = s->latest[number] ? &s->spans[s->latest[number] - 1] : NULL;
    if (old &&
        (scalar ? old->words[0] == *words : memcmp(old->words, words, sizeof old->words) == 0))
        return;
    s->is_cut |= s->span_count == MOST_SPANS;
    if (s->is_cut)
        return;
    if (old)
        old->end = s->now;
    struct span *new = &LIT_ADD(s->spans, s->span_count);
    *new = (struct span){number, s->now, UINT32_MAX, place, {0}};
    for (uint32_t i = 0; i < NIR_LANES; i++)
        new->words[i] = words[scalar ? 0 : i];
    s->latest[number] = (uint32_t)s->span_count;
}

static void see_registers(void *user, const struct rdna_wave *wave, size_t place)
{
    struct search *s = user;
    for (uint32_t i = 0; i < SCALARS; i++)
        store(s, i, &wave->sgpr[i], true, place);
    for (uint32_t i = 0; i < wave->vgprs + wave->shared_vgprs && i < RDNA_VGPRS; i++)
        store(s, VECTORS + i, wave->vgpr[i], false, place);
    s->now++;
}

// --- The comparison

static bool agrees(const struct span *span, const struct event *e, uint32_t lane)
{
    const uint32_t bits = e->bits >= 32 ? UINT32_MAX : (UINT32_C(1) << e->bits) - 1;
    const uint32_t differs = span->words[lane] ^ e->words[lane];
    // 8 and 16 bits may be in the upper half.
    return !(differs & bits) ||
           (bits < UINT32_MAX && !((span->words[lane] >> 16 ^ e->words[lane]) & bits));
}

static bool has(const struct span *span, const struct event *e)
{
    for (uint64_t rest = e->mask; rest; rest &= rest - 1)
        if (!agrees(span, e, (uint32_t)__builtin_ctzll(rest)))
            return false;
    return true;
}

static void sort_spans(struct search *s)
{
    uint32_t next[REGISTERS] = {0};
    s->sorted = lit_alloc(s->span_count + 1, sizeof *s->sorted);
    for (size_t i = 0; i < s->span_count; i++)
        s->first[s->spans[i].number + 1]++;
    for (uint32_t i = 0; i < REGISTERS; i++)
        s->first[i + 1] += s->first[i];
    for (size_t i = 0; i < s->span_count; i++) {
        const uint32_t number = s->spans[i].number;
        s->sorted[s->first[number] + next[number]++] = (uint32_t)i;
    }
}

// What a register has at a time; NULL: it is not known.
static const struct span *span_at(const struct search *s, uint32_t number, uint32_t time)
{
    uint32_t low = s->first[number], high = s->first[number + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->spans[s->sorted[middle]].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > s->first[number] ? &s->spans[s->sorted[low - 1]] : NULL;
}

// The first span that begins behind a time.
static size_t span_behind(const struct search *s, uint32_t time)
{
    size_t low = 0, high = s->span_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->spans[middle].begin <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The earliest moment from `from` on at which a register has the value. False: there is none.
static bool find(const struct search *s, const struct event *e, struct moment from,
                 struct moment *found)
{
    *found = from;
    for (uint32_t i = 0; i < REGISTERS; i++) {
        const struct span *span = span_at(s, i, from.time);
        if (span && has(span, e))
            return true;
    }
    for (size_t i = span_behind(s, from.time); i < s->span_count; i++)
        if (has(&s->spans[i], e)) {
            *found = (struct moment){s->spans[i].begin, s->spans[i].place};
            return true;
        }
    return false;
}

// Whether a register must have a value: the data of a store, and what memory and other lanes gave;
// else what ACO's text computes. The rest may be a part of an instruction, or an operand.
static bool must_be(const struct aco_program *program, const struct nir_op *op)
{
    static const char *const names[] = {"@load_ssbo",       "@load_shared (", "@shuffle",
                                        "@read_invocation", "@read_first",    "@reduce",
                                        "@inclusive_scan",  "@exclusive_scan"};
    if (op->kind == NIR_CONST)
        return false;
    if (op->value == UINT32_MAX)
        return true;
    if (op->bits == 1)
        return false;
    for (size_t i = 0; op->kind == NIR_CALL && i < sizeof names / sizeof *names; i++)
        if (strncmp(op->line, names[i], strlen(names[i])) == 0)
            return true;
    return program->defined[op->value];
}

// The register that agrees in most lanes, of those that are written behind `from`.
static void find_near(const struct search *s, const struct event *e, struct moment from,
                      struct aco_parting *parting)
{
    parting->of = (uint32_t)__builtin_popcountll(e->mask);
    parting->lane = (uint32_t)__builtin_ctzll(e->mask);
    parting->want = e->words[parting->lane];
    parting->place = from.place;
    for (size_t i = span_behind(s, from.time); i < s->span_count; i++) {
        const struct span *span = &s->spans[i];
        uint32_t agree = 0, differs = 0;
        for (uint32_t lane = NIR_LANES; lane-- > 0;)
            if (e->mask >> lane & 1) {
                if (agrees(span, e, lane))
                    agree++;
                else
                    differs = lane;
            }
        if (agree <= parting->agree)
            continue;
        parting->agree = agree;
        parting->lane = differs;
        parting->got = span->words[differs];
        parting->want = e->words[differs];
        parting->place = span->place;
        parting->number = span->number;
    }
}

static void compare(struct search *s, struct aco_parting *parting)
{
    for (size_t i = 0; i < s->event_count; i++) {
        const struct event *e = &s->events[i];
        const struct nir_op *op = &s->program->nir->ops[e->op];
        struct moment from = {0, SIZE_MAX};
        for (size_t k = 0; k < op->source_count; k++)
            if (s->found[op->source[k].value].time > from.time)
                from = s->found[op->source[k].value];
        struct moment found = from;
        const bool must = must_be(s->program, op);
        if (must && !find(s, e, from, &found)) {
            if (s->is_cut)
                return;
            parting->value = op->line;
            parting->stored = op->value == UINT32_MAX;
            parting->offset = s->program->offset[e->op];
            find_near(s, e, from, parting);
            return;
        }
        parting->looked_for += must;
        // The last of its parts.
        if (op->value != UINT32_MAX &&
            (found.time > s->found[op->value].time || (!e->part && !e->half)))
            s->found[op->value] = found;
    }
}

bool aco_first(const struct aco_program *program, struct nir_dispatch *dispatch, bool late,
               void (*refill)(void *user), void *user, struct aco_parting *parting,
               struct lit_error *error)
{
    struct search s = {.program = program};
    const struct aco_watch watch = {see_registers, &s};
    *parting = (struct aco_parting){.offset = UINT32_MAX};
    s.found = lit_alloc(program->nir->value_count + 1, sizeof *s.found);
    refill(user);
    dispatch->watch = see_value;
    dispatch->watcher = &s;
    const bool good = nir_run(program->nir, dispatch, error);
    dispatch->watch = NULL;
    if (good) {
        refill(user);
        run_watched(program, dispatch, late, &watch, NULL);
        sort_spans(&s);
        compare(&s, parting);
    }
    free(s.events);
    free(s.spans);
    free(s.sorted);
    free(s.found);
    return good;
}

// --- As text

static size_t describe(const struct aco_program *program, size_t place, char text[RDNA_HOST_TEXT])
{
    const size_t size = rdna_listing_text(&program->listing, place, program->nir->subgroup, text);
    if (!size)
        snprintf(text, RDNA_HOST_TEXT, "the beginning");
    return size;
}

void aco_parting_print(const struct aco_program *program, const struct aco_parting *parting,
                       struct text *text)
{
    char instruction[RDNA_HOST_TEXT];
    if (!parting->value) {
        text_printf(text,
                    "first: none: registers have all %zu values of the NIR that were looked for; "
                    "an address, a mask or the order is wrong",
                    parting->looked_for);
        return;
    }
    describe(program, parting->place, instruction);
    text_printf(text, "first: no register has the %s %.*s",
                parting->stored ? "data of" : "value of", (int)strcspn(parting->value, "\n"),
                parting->value);
    if (parting->offset != UINT32_MAX)
        text_printf(text, " (SPIR-V at byte 0x%x)", parting->offset);
    if (parting->agree)
        text_printf(text, "; %c%u, behind %s at 0x%zx, has %u of %u lanes; lane %u: 0x%x, not 0x%x",
                    parting->number >= VECTORS ? 'v' : 's', parting->number % VECTORS, instruction,
                    4 * parting->place, parting->agree, parting->of, parting->lane, parting->got,
                    parting->want);
    else
        text_printf(text,
                    ", which is 0x%x in lane %u; what it is computed from was there behind %s at "
                    "0x%zx",
                    parting->want, parting->lane, instruction, 4 * parting->place);
}

void aco_parting_list(const struct aco_program *program, const struct aco_parting *parting,
                      struct text *text)
{
    enum { BEFORE = 4, BEHIND = 3 };
    char instruction[RDNA_HOST_TEXT];
    size_t places[BEFORE + BEHIND], count = 0, behind = 0;
    if (!parting->value)
        return;
    for (size_t at = 0, size; behind < BEHIND; at += size) {
        size = describe(program, at, instruction);
        if (!size)
            break;
        behind += at >= parting->place;
        places[count++ % (BEFORE + BEHIND)] = at;
    }
    for (size_t i = count > BEFORE + BEHIND ? count - BEFORE - BEHIND : 0; behind && i < count;
         i++) {
        const size_t place = places[i % (BEFORE + BEHIND)];
        describe(program, place, instruction);
        text_printf(text, "    %c %04zx  %s\n", place == parting->place ? '*' : ' ', 4 * place,
                    instruction);
    }
}
