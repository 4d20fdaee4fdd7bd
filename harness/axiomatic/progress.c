// SPDX-License-Identifier: Apache-2.0
// The graph of all states of a program. An execution that never ends stays in a strongly connected
// component. A model's promise to a thread lasts until the thread ends, so it is the same in every
// state of a component: the model permits the execution if each thread with the promise takes a
// step in the component, or waits at a barrier somewhere in it.
//
// Generates small programs whose threads wait for each other, up to symmetry, and keeps those that
// distinguish progress models: they must end under fair and need not under none, and removing any
// part changes the set of models under which they must end.
#include "axiomatic/progress.h"

#include "base/random.h"

#define NOWHERE UINT32_MAX

// A state is an array of words: the set of threads that have had a turn; for each thread the index
// of its next instruction and whether it waits there; memory; the registers of all threads.
enum { TURNS, PLACES };

struct graph {
    const struct axi_program *program;
    struct lit_error *error;
    size_t threads, registers, width, count; // registers: per thread
    int64_t *states;                         // count x width
    uint32_t *next;   // count x threads; NOWHERE: the thread has ended or waits
    uint32_t *from;   // the state from which each was first reached
    uint8_t *by;      // and the thread whose step reached it
    uint32_t *places; // hash table of states
    size_t room;      // slots in the table, a power of two
};

// The properties of a component that matter to the models.
struct component {
    uint32_t turns, ended, moved, waits; // one bit per thread; waits: in some state
    uint32_t first;                      // the state nearest to the initial one
};

static uint32_t all_threads(const struct graph *g)
{
    return (uint32_t)((UINT64_C(1) << g->threads) - 1);
}

static int64_t *state_of(const struct graph *g, size_t index)
{
    return &g->states[index * g->width];
}

static size_t place_of(const int64_t *state, size_t thread)
{
    return (size_t)(state[PLACES + thread] >> 1);
}

static bool has_ended(const struct graph *g, const int64_t *state, size_t thread)
{
    return place_of(state, thread) == g->program->threads[thread].count;
}

static bool is_waiting(const int64_t *state, size_t thread)
{
    return state[PLACES + thread] & 1;
}

static void put_place(int64_t *state, size_t thread, size_t place, bool waits)
{
    state[PLACES + thread] = (int64_t)(place << 1 | waits);
}

static int64_t *memory_of(const struct graph *g, int64_t *state,
                          const struct axi_instruction *instruction)
{
    return &state[PLACES + g->threads + g->program->references[instruction->reference].location];
}

static int64_t *register_of(const struct graph *g, int64_t *state, size_t thread, uint8_t number)
{
    return &state[PLACES + g->threads + g->program->reference_count + thread * g->registers +
                  number];
}

static int64_t value_of(const struct graph *g, int64_t *state, size_t thread,
                        const struct axi_operand *operand)
{
    return operand->is_register ? *register_of(g, state, thread, operand->number) : operand->value;
}

// A thread reached a barrier: all proceed if every thread of the scope instance that contains the
// barrier waits there.
static void arrive(const struct graph *g, int64_t *state, size_t thread)
{
    const struct axi_thread *threads = g->program->threads;
    const struct axi_instruction *at = &threads[thread].instructions[place_of(state, thread)];
    uint32_t all = 0;
    put_place(state, thread, place_of(state, thread), true);
    for (size_t t = 0; t < g->threads; t++) {
        if (!axi_shares_barrier(g->program, thread, t, at))
            continue;
        if (!is_waiting(state, t) ||
            !axi_is_same_barrier(at, &threads[t].instructions[place_of(state, t)]))
            return;
        all |= 1u << t;
    }
    for (size_t t = 0; t < g->threads; t++)
        if (all >> t & 1)
            put_place(state, t, place_of(state, t) + 1, false);
}

// Executes a thread's next instruction in a state.
static void step(const struct graph *g, int64_t *state, size_t thread)
{
    const struct axi_instruction *of =
        &g->program->threads[thread].instructions[place_of(state, thread)];
    const int64_t a = value_of(g, state, thread, &of->a), b = value_of(g, state, thread, &of->b);
    int64_t result = 0;
    size_t to = place_of(state, thread) + 1;
    state[TURNS] |= INT64_C(1) << thread;
    if (of->kind == AXI_CONTROL_BARRIER) {
        arrive(g, state, thread);
        return;
    }
    if (axi_reads(of))
        result = *memory_of(g, state, of);
    if (axi_writes(of)) {
        int64_t *memory = memory_of(g, state, of);
        if (of->kind == AXI_STORE || !axi_compute(of->operator, * memory, a, memory))
            *memory = a;
    }
    if (of->kind == AXI_COMPUTE)
        axi_compute(of->operator, a, b, &result); // division by zero gives 0: undefined in Vulkan
    if (of->kind == AXI_JUMP && axi_compare(of->operator, a, b))
        to = of->to;
    if ((axi_reads(of) || of->kind == AXI_COMPUTE) && of->target < AXI_REGISTERS)
        *register_of(g, state, thread, of->target) = result;
    put_place(state, thread, to, false);
}

static void hash_in(struct graph *g, uint32_t index)
{
    size_t at = hash_bytes(HASH_START, state_of(g, index), g->width * sizeof(int64_t));
    while (g->places[at & (g->room - 1)] != NOWHERE)
        at++;
    g->places[at & (g->room - 1)] = index;
}

static void make_room(struct graph *g)
{
    if (g->count * 2 < g->room)
        return;
    g->room = g->room ? g->room * 2 : 1024;
    g->states = lit_realloc(g->states, g->room, g->width * sizeof *g->states);
    g->next = lit_realloc(g->next, g->room, g->threads * sizeof *g->next);
    g->from = lit_realloc(g->from, g->room, sizeof *g->from);
    g->by = lit_realloc(g->by, g->room, sizeof *g->by);
    g->places = lit_realloc(g->places, g->room, sizeof *g->places);
    memset(g->places, 0xff, g->room * sizeof *g->places);
    for (uint32_t i = 0; i < g->count; i++)
        hash_in(g, i);
}

// Returns the index of the last state, and drops it if it is already known.
static uint32_t add_state(struct graph *g, uint32_t from, size_t by)
{
    const int64_t *state = state_of(g, g->count);
    const size_t bytes = g->width * sizeof *state;
    for (size_t at = hash_bytes(HASH_START, state, bytes);; at++) {
        const uint32_t index = g->places[at & (g->room - 1)];
        if (index == NOWHERE)
            break;
        if (memcmp(state_of(g, index), state, bytes) == 0)
            return index;
    }
    hash_in(g, (uint32_t)g->count);
    g->from[g->count] = from;
    g->by[g->count] = (uint8_t)by;
    return (uint32_t)g->count++;
}

static void put_first(struct graph *g)
{
    const struct axi_program *program = g->program;
    int64_t *state = state_of(g, 0);
    memset(state, 0, g->width * sizeof *state);
    memcpy(&state[PLACES + g->threads], program->initial, program->reference_count * sizeof *state);
    for (size_t t = 0; t < g->threads; t++)
        memcpy(register_of(g, state, t, 0), program->threads[t].initial,
               g->registers * sizeof *state);
    add_state(g, NOWHERE, 0);
}

// Breadth-first from the initial state.
static bool explore(struct graph *g)
{
    make_room(g);
    put_first(g);
    for (uint32_t at = 0; at < g->count; at++)
        for (size_t t = 0; t < g->threads; t++) {
            make_room(g);
            g->next[at * g->threads + t] = NOWHERE;
            if (has_ended(g, state_of(g, at), t) || is_waiting(state_of(g, at), t))
                continue;
            memcpy(state_of(g, g->count), state_of(g, at), g->width * sizeof *g->states);
            step(g, state_of(g, g->count), t);
            g->next[at * g->threads + t] = add_state(g, at, t);
            if (g->count > AXI_STATES_MOST)
                return lit_fail(g->error, LIT_EXIT_UNDECIDED, "too large: more than %d states",
                                AXI_STATES_MOST);
        }
    return true;
}

// Tarjan's algorithm without recursion.
struct tarjan {
    uint32_t *order, *low, *component; // per state; order: 0 until visited
    uint8_t *edge;                     // the next edge to follow
    uint32_t *path, *open;
    size_t on_path, opened;
    uint32_t clock, components;
};

static void close_component(struct tarjan *t, uint32_t root)
{
    uint32_t state;
    do {
        state = t->open[--t->opened];
        t->component[state] = t->components;
    } while (state != root);
    t->components++;
}

static void visit(const struct graph *g, struct tarjan *t, uint32_t from)
{
    t->path[t->on_path++] = from;
    while (t->on_path) {
        const uint32_t at = t->path[t->on_path - 1];
        if (t->edge[at] == 0) {
            t->order[at] = t->low[at] = ++t->clock;
            t->open[t->opened++] = at;
        }
        if (t->edge[at] < g->threads) {
            const uint32_t to = g->next[at * g->threads + t->edge[at]++];
            if (to == NOWHERE)
                continue;
            if (!t->order[to])
                t->path[t->on_path++] = to;
            else if (t->component[to] == NOWHERE && t->order[to] < t->low[at])
                t->low[at] = t->order[to];
            continue;
        }
        if (t->low[at] == t->order[at])
            close_component(t, at);
        if (--t->on_path) {
            uint32_t *low = &t->low[t->path[t->on_path - 1]];
            *low = t->low[at] < *low ? t->low[at] : *low;
        }
    }
}

// Free the result.
static struct component *find_components(const struct graph *g, size_t *count)
{
    OWNED(lit_free) uint32_t *numbers = lit_alloc(g->count * 5, sizeof *numbers);
    OWNED(lit_free) uint8_t *edge = lit_alloc(g->count, sizeof *edge);
    struct tarjan t = {.order = numbers,
                       .low = numbers + g->count,
                       .component = numbers + 2 * g->count,
                       .path = numbers + 3 * g->count,
                       .open = numbers + 4 * g->count,
                       .edge = edge};
    memset(t.component, 0xff, g->count * sizeof *t.component);
    for (uint32_t i = 0; i < g->count; i++)
        if (!t.order[i])
            visit(g, &t, i);
    struct component *all = lit_alloc(t.components, sizeof *all);
    for (uint32_t i = (uint32_t)g->count; i-- > 0;) {
        struct component *of = &all[t.component[i]];
        const int64_t *state = state_of(g, i);
        of->turns = (uint32_t)state[TURNS];
        of->first = i;
        of->ended = 0;
        for (size_t thread = 0; thread < g->threads; thread++) {
            const uint32_t to = g->next[i * g->threads + thread];
            of->ended |= (uint32_t)has_ended(g, state, thread) << thread;
            of->waits |= (uint32_t)is_waiting(state, thread) << thread;
            of->moved |= (uint32_t)(to != NOWHERE && t.component[to] == t.component[i]) << thread;
        }
    }
    *count = t.components;
    return all;
}

// The threads to which a model promises turns.
static uint32_t promised(const struct graph *g, const struct component *in, enum axi_progress model)
{
    const struct axi_thread *threads = g->program->threads;
    uint32_t lowest = 0, linear = 0;
    for (size_t t = 0; t < g->threads; t++) {
        bool is_lowest = true;
        for (size_t other = 0; other < g->threads; other++) {
            const bool is_lower = threads[other].number < threads[t].number;
            is_lowest &= !is_lower || in->ended >> other & 1;
            linear |= (uint32_t)(!is_lower && in->turns >> other & 1) << t;
        }
        lowest |= (uint32_t)(is_lowest && !(in->ended >> t & 1)) << t;
    }
    const uint32_t all = all_threads(g);
    const uint32_t by_model[] = {all, linear | lowest, lowest | in->turns, lowest, in->turns, 0};
    return by_model[model] & ~in->ended;
}

// Whether an execution permitted by the model can stay in the component for ever.
static bool is_endless(const struct graph *g, const struct component *in, enum axi_progress model)
{
    const uint32_t all = all_threads(g);
    if (!in->moved) // no cycle; the remaining threads may wait for each other at barriers
        return in->ended != all && (in->ended | in->waits) == all;
    return !(promised(g, in, model) & ~in->moved & ~in->waits);
}

static void put_threads(const struct graph *g, uint32_t threads, const char *what, const char *does,
                        struct text *out)
{
    size_t count = 0;
    for (size_t t = 0; t < g->threads; t++)
        if (threads >> t & 1)
            text_printf(out, "%sP%u",
                        count++       ? ", "
                        : out->length ? "; "
                                      : "",
                        g->program->threads[t].number);
    if (count)
        text_printf(out, " %s", count == 1 ? what : does);
}

// A shortest schedule that leads to a state: "P0 x3, P1".
static void put_schedule(const struct graph *g, uint32_t state, struct text *out)
{
    OWNED(lit_free) uint8_t *turns = NULL;
    size_t count = 0;
    for (; g->from[state] != NOWHERE; state = g->from[state])
        LIT_ADD(turns, count) = g->by[state];
    for (size_t i = count; i > 0;) {
        size_t run = 1;
        while (run < i && turns[i - 1 - run] == turns[i - 1])
            run++;
        text_printf(out, i == count ? "after P%u" : ", P%u",
                    g->program->threads[turns[i - 1]].number);
        if (run > 1)
            text_printf(out, " x%zu", run);
        i -= run;
    }
}

static char *say(const struct graph *g, const struct component *in)
{
    struct text out = {0};
    const uint32_t all = all_threads(g);
    const uint32_t waits = in->waits & ~in->moved & ~in->ended;
    put_schedule(g, in->first, &out);
    put_threads(g, in->moved, "runs for ever", "run for ever", &out);
    put_threads(g, waits, "waits at a barrier", "wait at barriers", &out);
    put_threads(g, all & ~in->moved & ~waits & ~in->ended, "gets no turn", "get no turn", &out);
    return out.data;
}

// Lays out a state. False with an error for a program whose executions are fixed.
static bool measure(struct graph *g, bool *is_exact)
{
    const struct axi_program *program = g->program;
    uint32_t locations = 0;
    g->threads = program->thread_count;
    g->registers = 1;
    for (size_t t = 0; t < g->threads; t++)
        for (size_t i = 0; i < program->threads[t].count; i++) {
            const struct axi_instruction *of = &program->threads[t].instructions[i];
            const uint8_t used[] = {of->a.is_register ? of->a.number : 0,
                                    of->b.is_register ? of->b.number : 0,
                                    of->target < AXI_REGISTERS ? of->target : 0};
            if (of->wants)
                return lit_fail(g->error, LIT_EXIT_UNDECIDED,
                                "a .test is one execution, which ends");
            for (size_t u = 0; u < sizeof used; u++)
                g->registers = used[u] >= g->registers ? used[u] + 1u : g->registers;
            if (axi_reads(of) || axi_writes(of))
                locations |= 1u << program->references[of->reference].location;
        }
    *is_exact = !(locations & (locations - 1));
    g->width = PLACES + g->threads + program->reference_count + g->threads * g->registers;
    return true;
}

static void decide_models(const struct graph *g, struct axi_ending *ending)
{
    size_t count = 0;
    OWNED(lit_free) struct component *all = find_components(g, &count);
    for (int model = 0; model < AXI_PROGRESSES; model++) {
        const struct component *nearest = NULL;
        for (size_t i = 0; i < count; i++)
            if (is_endless(g, &all[i], model) && (!nearest || all[i].first < nearest->first))
                nearest = &all[i];
        if (nearest)
            ending->endless[model] = say(g, nearest);
    }
}

bool axi_end(const struct axi_program *program, struct axi_ending *ending, struct lit_error *error)
{
    struct graph g = {.program = program, .error = error};
    *ending = (struct axi_ending){0};
    const bool good = measure(&g, &ending->is_exact) && explore(&g);
    ending->states = g.count;
    if (good)
        decide_models(&g, ending);
    free(g.states);
    free(g.next);
    free(g.from);
    free(g.by);
    free(g.places);
    return good;
}

void axi_ending_clear(struct axi_ending *ending)
{
    for (int i = 0; i < AXI_PROGRESSES; i++)
        free(ending->endless[i]);
    *ending = (struct axi_ending){0};
}

// --- Generated programs

enum { THREADS = 3, LENGTH = 4, SETS = 1 << AXI_NONE };

// What a thread does with location x: a letter, and the value concerned.
static const struct item {
    char name[3];
    const char *lines[3];
} items[] = {
    {"s0", {"st.atom.dv.sc0 x, 0"}},
    {"s1", {"st.atom.dv.sc0 x, 1"}},
    {"s2", {"st.atom.dv.sc0 x, 2"}},
    // Waits until x has the value.
    {"w0", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 0, L%zu"}},
    {"w1", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 1, L%zu"}},
    {"w2", {"L%zu:", "ld.atom.dv.sc0 r0, x", "bne r0, 2, L%zu"}},
    // Waits while x has the value.
    {"n0", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 0, L%zu"}},
    {"n1", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 1, L%zu"}},
    {"n2", {"L%zu:", "ld.atom.dv.sc0 r0, x", "beq r0, 2, L%zu"}},
    // Takes a lock that is 0 while free.
    {"t1", {"L%zu:", "rmw.atom.dv.sc0 r0, x, 1", "bne r0, 0, L%zu"}},
    {"t2", {"L%zu:", "rmw.atom.dv.sc0 r0, x, 2", "bne r0, 0, L%zu"}},
    // Writes the value, and ends if x was 0.
    {"g1", {"rmw.atom.dv.sc0 r0, x, 1", "beq r0, 0, E"}},
    {"g2", {"rmw.atom.dv.sc0 r0, x, 2", "beq r0, 0, E"}},
    // Ends if x has the value.
    {"e1", {"ld.atom.dv.sc0 r0, x", "beq r0, 1, E"}},
    {"e2", {"ld.atom.dv.sc0 r0, x", "beq r0, 2, E"}},
};

#define ITEMS (sizeof items / sizeof *items)

struct draft {
    size_t threads, length[THREADS];
    uint8_t item[THREADS][LENGTH];
};

struct search {
    struct axi_waiting *found;
    size_t count, most, of_set[SETS];
};

static void put_name(const struct draft *draft, char *name)
{
    for (size_t t = 0; t < draft->threads; t++) {
        if (t)
            *name++ = '-';
        for (size_t i = 0; i < draft->length[t]; i++, name += 2)
            memcpy(name, items[draft->item[t][i]].name, 2);
    }
    *name = '\0';
}

// Parses a name that put_name makes; false for any other.
static bool take_name(const char *name, struct draft *draft)
{
    *draft = (struct draft){.threads = 1};
    for (; *name; name++) {
        size_t *length = &draft->length[draft->threads - 1], item = 0;
        if (*name == '-' && *length && draft->threads < THREADS) {
            draft->threads++;
            continue;
        }
        while (item < ITEMS && strncmp(items[item].name, name, 2) != 0)
            item++;
        if (item == ITEMS || *length == LENGTH)
            return false;
        draft->item[draft->threads - 1][(*length)++] = (uint8_t)item;
        name++;
    }
    return draft->length[draft->threads - 1] > 0;
}

// Row `row` of a thread; "" past its last row.
static void put_row(const struct draft *draft, size_t thread, size_t row, struct text *text)
{
    for (size_t i = 0; i < draft->length[thread]; i++) {
        const char *const *lines = items[draft->item[thread][i]].lines;
        for (size_t line = 0; line < 3 && lines[line]; line++)
            if (row-- == 0) {
                // The label's number is the only conversion in a line.
                const char *label = strstr(lines[line], "%zu");
                const size_t before = label ? (size_t)(label - lines[line]) : strlen(lines[line]);
                text_append(text, lines[line], before);
                if (label)
                    text_printf(text, "%zu%s", i, label + strlen("%zu"));
                return;
            }
    }
    text_puts(text, row == 0 ? "E:" : "");
}

static void put_program(const struct draft *draft, enum axi_place place, const char *name,
                        struct text *text)
{
    const size_t rows = 3 * LENGTH + 1;
    text_printf(text, "VULKAN %s\n{ x=0; }\n", name);
    for (size_t t = 0; t < draft->threads; t++)
        text_printf(text, "%s P%zu@sg %zu, wg %zu, qf 0", t ? " |" : "", t,
                    place == AXI_SUBGROUPS ? t : 0, place == AXI_WORKGROUPS ? t : 0);
    text_puts(text, " ;\n");
    for (size_t row = 0; row < rows; row++) {
        OWNED(text_free) struct text line = {0};
        for (size_t t = 0; t < draft->threads; t++) {
            text_puts(&line, t ? " | " : " ");
            put_row(draft, t, row, &line);
        }
        if (line.length == strspn(line.data, " |"))
            break;
        text_printf(text, "%s ;\n", line.data);
    }
}

// The models under which it must end.
static unsigned decide(const struct draft *draft)
{
    OWNED(text_free) struct text text = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    OWNED(axi_ending_clear) struct axi_ending ending = {0};
    struct lit_error error = {0};
    unsigned ends = 0;
    put_program(draft, AXI_WORKGROUPS, "a", &text);
    if (!axi_parse(text.data, text.length, &program, &error) || !axi_end(&program, &ending, &error))
        lit_give_up("a generated program cannot be decided");
    for (int model = 0; model < AXI_PROGRESSES; model++)
        ends |= (unsigned)!ending.endless[model] << model;
    return ends;
}

// Whether a program that differs only in value names precedes this one.
static bool is_mirrored(const char *name)
{
    char other[AXI_WAITING_NAME];
    size_t i = 0;
    do
        other[i] = name[i] == '1' ? '2' : name[i] == '2' ? '1' : name[i];
    while (name[i++]);
    return strcmp(other, name) < 0;
}

static bool is_any(const struct draft *draft, const char *letters, bool last)
{
    for (size_t t = 0; t < draft->threads; t++)
        for (size_t i = last ? draft->length[t] - 1 : 0; i < draft->length[t]; i++)
            if (strchr(letters, items[draft->item[t][i]].name[0]))
                return true;
    return false;
}

// Removes one instruction, or a thread that would be empty. False if one thread would be left.
static bool leave_out(const struct draft *from, size_t thread, size_t at, struct draft *to)
{
    *to = *from;
    if (from->length[thread] > 1) {
        memmove(&to->item[thread][at], &to->item[thread][at + 1], LENGTH - 1 - at);
        to->length[thread]--;
        return true;
    }
    to->threads--;
    for (size_t t = thread; t < to->threads; t++) {
        to->length[t] = from->length[t + 1];
        memcpy(to->item[t], from->item[t + 1], LENGTH);
    }
    return to->threads > 1;
}

static void consider(struct search *search, const struct draft *draft)
{
    struct axi_waiting made;
    put_name(draft, made.name);
    // Some thread waits, some thread writes, and no thread finishes with a conditional end.
    if (is_mirrored(made.name) || !is_any(draft, "wnt", false) || !is_any(draft, "stg", false) ||
        is_any(draft, "ge", true))
        return;
    made.ends = decide(draft);
    if (!(made.ends >> AXI_FAIR & 1) || made.ends >> AXI_NONE & 1 ||
        search->of_set[made.ends] == search->most)
        return;
    for (size_t t = 0; t < draft->threads; t++)
        for (size_t i = 0; i < draft->length[t]; i++) {
            struct draft less;
            if (leave_out(draft, t, i, &less) && decide(&less) == made.ends)
                return;
        }
    search->of_set[made.ends]++;
    LIT_ADD(search->found, search->count) = made;
}

static void fill(struct search *search, struct draft *draft, size_t thread, size_t at)
{
    if (thread == draft->threads) {
        consider(search, draft);
    } else if (at == draft->length[thread]) {
        fill(search, draft, thread + 1, 0);
    } else {
        for (size_t item = 0; item < ITEMS; item++) {
            draft->item[thread][at] = (uint8_t)item;
            fill(search, draft, thread, at + 1);
        }
    }
}

struct axi_waiting *axi_waiting_make(size_t most, size_t *count)
{
    static const size_t shapes[][THREADS] = {{1, 1}, {1, 2}, {2, 1},    {1, 1, 1}, {2, 2},
                                             {1, 3}, {3, 1}, {1, 1, 2}, {1, 2, 1}, {2, 1, 1}};
    struct search search = {.most = most};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct draft draft = {.threads = shapes[i][2] ? 3 : 2};
        memcpy(draft.length, shapes[i], sizeof draft.length);
        fill(&search, &draft, 0, 0);
    }
    *count = search.count;
    return search.found;
}

void axi_waiting_write(const struct axi_waiting *of, enum axi_place place, struct text *name,
                       struct text *text)
{
    struct draft draft;
    size_t set = 0;
    while (axi_sets[set].ends != of->ends)
        set++;
    text_printf(name, AXI_WAITING "%s-%s-%s", axi_place_word(place), axi_sets[set].word, of->name);
    if (take_name(of->name, &draft))
        put_program(&draft, place, name->data, text);
}
