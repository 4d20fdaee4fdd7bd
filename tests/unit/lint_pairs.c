// SPDX-License-Identifier: Apache-2.0
// The convergence lint against a second definition, on random code.
//
// The second definition executes: two lanes of one warp, every order of them, every value of what
// they branch on, barriers with the lanes that they hold. Nothing is followed backwards or joined,
// and no branch is asked whether it parts lanes: lanes that are together either go the same way or
// do not. Where it sees two lanes come to an exchange one after the other, in the same round of the
// branch that parted them, the lint must say so. It names more than that: most of random code waits
// for lanes that never come, which the second definition sees and the lint does not ask.
#include "isa/lint.h"

#include "base/random.h"
#include "isa/sass.h"

#include "unit.h"

#define MOST      14
#define BARRIERS  2
#define MOST_SEEN ((size_t)1 << 17)

enum what { NOTHING, VARY, SAME, VOTE, BRANCH, START, WAIT, LEAVE, ALL, END, WHATS };

struct step {
    enum what what;
    int guard; // -1: always; else predicate 0 or 1
    bool negated;
    int barrier;
    int target;
};

struct program {
    struct step steps[MOST + 3];
    int count;
};

// Two lanes. Packed into a number to know where one has been.
struct pair {
    uint8_t pc[2];              // count: ended
    bool waits[2];              // at pc, for others
    uint8_t predicates[2];      // bits
    uint8_t masks[2][BARRIERS]; // which lanes each lane would wait for; 0: none
    bool together;
    bool tagged;       // parted by the branch in question, and not together since
    uint8_t rounds[2]; // how often each came to it again, 2 at most
    uint8_t met[2];    // a bit for each round in which it came to the exchange alone
};

struct search {
    const struct program *program;
    int branch, exchange;
    uint64_t *seen;
    size_t seen_count;
    struct pair *queue;
    size_t count, capacity;
    bool found;
};

static uint64_t pack(const struct pair *pair)
{
    uint64_t bits = 0;
    for (int lane = 0; lane < 2; lane++) {
        bits = bits << 5 | pair->pc[lane];
        bits = bits << 1 | pair->waits[lane];
        bits = bits << 2 | pair->predicates[lane];
        for (int i = 0; i < BARRIERS; i++)
            bits = bits << 2 | pair->masks[lane][i];
        bits = bits << 2 | pair->rounds[lane];
        bits = bits << 3 | pair->met[lane];
    }
    return (bits << 2 | (uint64_t)pair->together << 1 | pair->tagged) + 1;
}

static void push(struct search *search, struct pair pair)
{
    if (pair.tagged && (pair.met[0] & pair.met[1]))
        search->found = true;
    const uint64_t key = pack(&pair);
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) % MOST_SEEN;
    for (; search->seen[at]; at = (at + 1) % MOST_SEEN)
        if (search->seen[at] == key)
            return;
    if (search->seen_count * 2 > MOST_SEEN)
        return; // too large: what was seen until here counts
    search->seen[at] = key;
    search->seen_count++;
    if (search->count == search->capacity) {
        search->capacity = search->capacity * 2 + 256;
        search->queue = lit_realloc(search->queue, search->capacity, sizeof(pair));
    }
    search->queue[search->count++] = pair;
}

static bool holds(const struct step *step, uint8_t predicates)
{
    return step->guard < 0 || (predicates >> step->guard & 1) != step->negated;
}

static void set(struct pair *pair, int lane, int predicate, bool value)
{
    pair->predicates[lane] =
        (uint8_t)((pair->predicates[lane] & ~(1 << predicate)) | (int)value << predicate);
}

// A lane that ends or leaves is waited for by nobody.
static void withdraw(struct pair *pair, int lane, int barrier)
{
    pair->masks[lane][barrier] = 0;
    pair->masks[!lane][barrier] &= (uint8_t) ~(1 << lane);
}

// Whether what a lane waits for has come: then it goes on, with the other if both wait in one
// place.
static bool released(const struct search *search, const struct pair *pair, int lane)
{
    const struct step *step = &search->program->steps[pair->pc[lane]];
    const int other = !lane;
    const bool ended = pair->pc[other] == search->program->count;
    const bool needed = step->what == ALL || (pair->masks[lane][step->barrier] >> other & 1);
    if (!needed || ended)
        return true;
    const struct step *theirs = &search->program->steps[pair->pc[other]];
    return pair->waits[other] && theirs->what == step->what &&
           (step->what == ALL || theirs->barrier == step->barrier);
}

static void release(struct search *search, struct pair pair, int lane)
{
    const struct step *step = &search->program->steps[pair.pc[lane]];
    const int other = !lane;
    const bool both = pair.pc[other] == pair.pc[lane] && pair.waits[other] &&
                      (step->what == ALL || (pair.masks[lane][step->barrier] >> other & 1));
    const bool theirs = both || (pair.waits[other] && released(search, &pair, other));
    for (int i = 0; i < 2; i++) {
        if (i != lane && !theirs)
            continue;
        const struct step *at = &search->program->steps[pair.pc[i]];
        if (at->what == WAIT)
            pair.masks[i][at->barrier] = 0;
        pair.waits[i] = false;
        pair.pc[i]++;
    }
    if (both) {
        pair.together = true;
        pair.tagged = false;
        pair.rounds[0] = pair.rounds[1] = pair.met[0] = pair.met[1] = 0;
    }
    push(search, pair);
}

// One lane goes a step; `value` is what a comparison gives.
static void advance(const struct search *search, struct pair *pair, int lane, uint8_t mask,
                    bool value)
{
    const int pc = pair->pc[lane];
    const struct step *step = &search->program->steps[pc];
    const bool does = holds(step, pair->predicates[lane]);
    if (pair->tagged && pc == search->branch && pair->rounds[lane] < 2)
        pair->rounds[lane]++;
    if (pair->tagged && pc == search->exchange && does)
        pair->met[lane] |= (uint8_t)(1 << pair->rounds[lane]);
    pair->pc[lane]++;
    if (!does)
        return;
    switch (step->what) {
    case VARY:
    case SAME:
        set(pair, lane, step->what == SAME, value);
        break;
    case BRANCH:
        pair->pc[lane] = (uint8_t)step->target;
        break;
    case START:
        if (mask != 3)
            pair->masks[!lane][step->barrier] &= (uint8_t) ~(1 << lane);
        pair->masks[lane][step->barrier] = mask;
        break;
    case LEAVE:
        withdraw(pair, lane, step->barrier);
        break;
    case END:
        for (int i = 0; i < BARRIERS; i++)
            withdraw(pair, lane, i);
        pair->pc[lane] = (uint8_t)search->program->count;
        break;
    case WAIT:
    case ALL:
        pair->pc[lane] = (uint8_t)pc;
        pair->waits[lane] = true;
        break;
    default:
        break;
    }
}

static void step_together(struct search *search, const struct pair *pair)
{
    const int pc = pair->pc[0];
    const struct step *step = &search->program->steps[pc];
    for (int values = 0; values < 4; values++) {
        struct pair next = *pair;
        const bool equal = (values & 1) == values >> 1;
        if ((step->what == SAME && !equal) || (step->what != SAME && step->what != VARY && values))
            continue;
        for (int lane = 0; lane < 2; lane++)
            advance(search, &next, lane, 3, values >> lane & 1);
        if (next.pc[0] == next.pc[1] && next.waits[0] == next.waits[1]) {
            push(search, next);
            continue;
        }
        next.together = false;
        next.tagged = pc == search->branch;
        push(search, next);
    }
}

static void step_apart(struct search *search, const struct pair *pair)
{
    for (int lane = 0; lane < 2; lane++) {
        if (pair->pc[lane] == search->program->count)
            continue;
        if (pair->waits[lane]) {
            if (released(search, pair, lane))
                release(search, *pair, lane);
            continue;
        }
        for (int value = 0; value < 2; value++) {
            struct pair next = *pair;
            advance(search, &next, lane, (uint8_t)(1 << lane), value);
            push(search, next);
        }
    }
}

// Whether two lanes that `branch` parts can meet `exchange` apart, in one round.
static bool meet_apart(const struct program *program, int branch, int exchange)
{
    static uint64_t seen[MOST_SEEN];
    struct search search = {program, branch, exchange, .seen = memset(seen, 0, sizeof(seen))};
    push(&search, (struct pair){.together = true});
    while (search.count && !search.found) {
        const struct pair pair = search.queue[--search.count];
        if (pair.together && pair.waits[0])
            release(&search, pair, 0);
        else if (pair.together && pair.pc[0] < program->count)
            step_together(&search, &pair);
        else if (!pair.together)
            step_apart(&search, &pair);
    }
    free(search.queue);
    return search.found;
}

static struct step draw(struct lit_random *random, int at, int count)
{
    static const enum what often[] = {VARY,  VARY,   SAME,   VOTE,   VOTE,   VOTE,  VOTE,
                                      VOTE,  BRANCH, BRANCH, BRANCH, BRANCH, START, START,
                                      START, WAIT,   WAIT,   WAIT,   LEAVE,  ALL};
    const bool ends = random_below(random, 40) == 0;
    struct step step = {
        .what = ends ? END : often[random_below(random, sizeof(often) / sizeof(often[0]))],
        .guard = (int)random_below(random, 8) < 6 ? 0 : (int)random_below(random, 3) - 1,
        .negated = random_below(random, 2) != 0,
        .barrier = (int)random_below(random, BARRIERS),
        .target = at + 1 + (int)random_below(random, (uint64_t)(count - at - 1))};
    if (random_below(random, 5) == 0) // back
        step.target = (int)random_below(random, (uint64_t)at + 1);
    const bool guarded = step.what == BRANCH || step.what == LEAVE || step.what == END ||
                         (step.what == SAME && step.guard == 0);
    if (step.guard < 0 || !guarded)
        step.guard = -1;
    return step;
}

// Random steps between a beginning that writes both predicates and an end.
static void draw_program(struct lit_random *random, struct program *program)
{
    const int inner = 4 + (int)random_below(random, MOST - 4);
    *program = (struct program){.count = inner + 3};
    program->steps[0] = (struct step){.what = VARY, .guard = -1};
    program->steps[1] = (struct step){.what = SAME, .guard = -1};
    for (int i = 0; i < inner; i++)
        program->steps[2 + i] = draw(random, 2 + i, program->count);
    program->steps[inner + 2] = (struct step){.what = END, .guard = -1};
    // A region that is closed, so that not all code has none.
    const int open = 2 + (int)random_below(random, (uint64_t)inner);
    const int close = open + 1 + (int)random_below(random, (uint64_t)(inner + 2 - open));
    if (close < inner + 2 && random_below(random, 3)) {
        program->steps[open] = (struct step){.what = START, .guard = -1};
        program->steps[close] = (struct step){.what = WAIT, .guard = -1};
    }
}

static void put_program(const struct program *program, struct text *text)
{
    static const char *const words[WHATS] = {
        [NOTHING] = "NOP",
        [VARY] = "ISETP.NE.U32.AND P0, PT, R0, RZ, PT",
        [SAME] = "ISETP.NE.U32.AND P1, PT, RZ, c[0x0][0x10], PT",
        [VOTE] = "VOTE.ANY R3, PT, PT",
        [ALL] = "WARPSYNC.ALL",
        [END] = "EXIT",
    };
    text_puts(text, "/*0000*/ S2R R0, SR_LANEID ;\n");
    for (int i = 0; i < program->count; i++) {
        const struct step *step = &program->steps[i];
        text_printf(text, "/*%04x*/ ", (i + 1) * SASS_BYTES);
        if (step->guard >= 0)
            text_printf(text, "@%sP%d ", step->negated ? "!" : "", step->guard);
        const unsigned target = (unsigned)(step->target + 1) * SASS_BYTES;
        if (step->what == BRANCH)
            text_printf(text, "BRA 0x%x", target);
        else if (step->what == START)
            text_printf(text, "BSSY B%d, 0x%x", step->barrier, target);
        else if (step->what == WAIT)
            text_printf(text, "BSYNC B%d", step->barrier);
        else if (step->what == LEAVE)
            text_printf(text, "BREAK B%d", step->barrier);
        else
            text_puts(text, words[step->what]);
        text_puts(text, " ;\n");
    }
}

static bool lint_has(const struct lint *lint, int branch, int exchange)
{
    for (size_t i = 0; i < lint->count; i++)
        if ((lint->findings[i].kind == LINT_RISK || lint->findings[i].kind == LINT_UNCLEAR) &&
            lint->findings[i].branch == (size_t)branch + 1 &&
            lint->findings[i].read == (size_t)exchange + 1)
            return true;
    return false;
}

struct counts {
    unsigned pairs, both, lint_only;
};

static void compare(const struct program *program, struct counts *counts)
{
    OWNED(text_free) struct text text = {0};
    OWNED(sass_code_clear) struct sass_code code = {0};
    OWNED(lint_clear) struct lint lint = {0};
    put_program(program, &text);
    assert_true(sass_parse(text.data, text.length, 90, &code, &error));
    assert_true(lint_run(&code, &(struct lint_options){0}, &lint, &error));
    for (int branch = 0; branch < program->count; branch++) {
        for (int exchange = 0; exchange < program->count; exchange++) {
            if (program->steps[branch].what != BRANCH || program->steps[exchange].what != VOTE)
                continue;
            const bool says = lint_has(&lint, branch, exchange);
            const bool seen = meet_apart(program, branch, exchange);
            if (seen && !says)
                fail_msg("0x%x and 0x%x in\n%s", (branch + 1) * SASS_BYTES,
                         (exchange + 1) * SASS_BYTES, text.data);
            counts->pairs++;
            counts->both += seen && says;
            counts->lint_only += says && !seen;
        }
    }
}

TEST(test_pairs)
{
    struct lit_random random = {.state = 0x5a55};
    struct counts counts = {0};
    for (int i = 0; i < 3000; i++) {
        struct program program;
        draw_program(&random, &program);
        compare(&program, &counts);
    }
    printf("%u pairs of branch and exchange: %u seen apart, %u that the lint alone names\n",
           counts.pairs, counts.both, counts.lint_only);
    assert_true(counts.both > 300);
    assert_true(counts.lint_only < 2 * counts.both);
}
