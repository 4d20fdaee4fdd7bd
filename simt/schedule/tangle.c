// SPDX-License-Identifier: Apache-2.0
// The tree of tangles: branches, lanes that may still arrive, and reconvergence.
#include "splitmix.h"
#include "schedule/workgroup.h"

#include <stdlib.h>
#include <string.h>

// Memory: the subgroup allocates tangles and constructs in chunks, kept until tangle_clear.

enum { CHUNK_OBJECTS = 32 };

struct pool_chunk {
    struct pool_chunk *next;
    struct tangle tangles[CHUNK_OBJECTS];
    struct construct constructs[CHUNK_OBJECTS];
};

static bool grow(struct subgroup *subgroup)
{
    struct pool_chunk *chunk = calloc(1, sizeof(*chunk));
    if (!chunk)
        return false;
    chunk->next = subgroup->chunks;
    subgroup->chunks = chunk;
    for (int i = 0; i < CHUNK_OBJECTS; i++) {
        chunk->tangles[i].next_queued = subgroup->free_tangles;
        subgroup->free_tangles = &chunk->tangles[i];
        chunk->constructs[i].outer = subgroup->free_constructs;
        subgroup->free_constructs = &chunk->constructs[i];
    }
    return true;
}

void tangle_clear(struct subgroup *subgroup)
{
    while (subgroup->chunks) {
        struct pool_chunk *chunk = subgroup->chunks;
        subgroup->chunks = chunk->next;
        free(chunk);
    }
    subgroup->free_tangles = NULL;
    subgroup->free_constructs = NULL;
    subgroup->queue = NULL;
    subgroup->tangle_count = 0;
}

static struct construct *hold(struct construct *construct)
{
    if (construct)
        construct->references++;
    return construct;
}

static struct tangle *new_tangle(struct subgroup *subgroup, struct tangle *parent,
                                 struct construct *inside, uint32_t target)
{
    if (!subgroup->free_tangles && !grow(subgroup))
        return NULL;
    struct tangle *tangle = subgroup->free_tangles;
    subgroup->free_tangles = tangle->next_queued;
    *tangle = (struct tangle){.parent = parent,
                              .inside = hold(inside),
                              .target = target,
                              .number = subgroup->tangles_made++};
    subgroup->tangle_count++;
    if (parent) {
        tangle->coming = parent->here | parent->coming;
        tangle->lags = parent->lags;
        tangle->next_sibling = parent->first_child;
        if (parent->first_child)
            parent->first_child->previous_sibling = tangle;
        parent->first_child = tangle;
    }
    return tangle;
}

// The key of a construct, or of the entry point's body.
static uint64_t key_of(const struct subgroup *subgroup, const struct construct *construct)
{
    return construct ? construct->key : subgroup->uniform->root;
}

static struct construct *new_construct(struct subgroup *subgroup, enum construct_kind kind,
                                       struct construct *outer, uint32_t step, uint32_t header,
                                       uint32_t target)
{
    if (!subgroup->free_constructs && !grow(subgroup))
        return NULL;
    struct construct *construct = subgroup->free_constructs;
    subgroup->free_constructs = construct->outer;
    *construct = (struct construct){
        .kind = kind, .outer = hold(outer), .step = step, .header = header, .target = target};
    if (subgroup->uniform)
        construct->key = uniform_key(key_of(subgroup, outer), step, header, target);
    return construct;
}

// Queues a tangle for `settle`.
static void look_at(struct subgroup *subgroup, struct tangle *tangle)
{
    if (tangle->queued)
        return;
    tangle->queued = true;
    tangle->next_queued = subgroup->queue;
    subgroup->queue = tangle;
}

static void release_construct(struct subgroup *subgroup, struct construct *construct)
{
    while (construct && --construct->references == 0) {
        struct construct *outer = construct->outer;
        if (construct->meet)
            construct->meet->meets = NULL;
        for (struct tangle *exit = construct->exits; exit; exit = exit->next_exit)
            exit->exit_of = NULL;
        if (construct->head) {
            construct->head->pinned = false;
            look_at(subgroup, construct->head);
        }
        construct->outer = subgroup->free_constructs;
        subgroup->free_constructs = construct;
        construct = outer;
    }
}

static void unlink_exit(struct tangle *tangle)
{
    struct tangle **link = &tangle->exit_of->exits;
    while (*link != tangle)
        link = &(*link)->next_exit;
    *link = tangle->next_exit;
}

// No lane is in the tangle, and none will come.
static void release_tangle(struct subgroup *subgroup, struct tangle *tangle)
{
    release_construct(subgroup, tangle->own);
    tangle->own = NULL;
    if (tangle->pinned || tangle->queued) // `own` may have pinned it
        return;
    if (tangle->meets)
        tangle->meets->meet = NULL;
    if (tangle->exit_of)
        unlink_exit(tangle);
    for (struct tangle *child = tangle->first_child, *next; child; child = next) {
        next = child->next_sibling;
        child->parent = child->next_sibling = child->previous_sibling = NULL;
    }
    if (tangle->previous_sibling)
        tangle->previous_sibling->next_sibling = tangle->next_sibling;
    else if (tangle->parent)
        tangle->parent->first_child = tangle->next_sibling;
    if (tangle->next_sibling)
        tangle->next_sibling->previous_sibling = tangle->previous_sibling;
    release_construct(subgroup, tangle->inside);
    subgroup->tangle_count--;
    tangle->next_queued = subgroup->free_tangles;
    subgroup->free_tangles = tangle;
}

static void wake(struct subgroup *subgroup, struct tangle *tangle)
{
    if (subgroup->rules->together)
        subgroup->runnable |= tangle->here & ~subgroup->at_barrier;
    else if (tangle->arrived == tangle->here || subgroup->flow->quads)
        subgroup->runnable |= tangle->arrived;
}

// Frees ended tangles, and wakes those that have become complete.
static void settle(struct subgroup *subgroup)
{
    while (subgroup->queue) {
        struct tangle *tangle = subgroup->queue;
        subgroup->queue = tangle->next_queued;
        tangle->queued = false;
        if (tangle->coming) {
            if (subgroup->flow->quads && !subgroup->rules->together)
                subgroup->runnable |= tangle->arrived;
            continue;
        }
        if (tangle->here)
            wake(subgroup, tangle);
        else
            release_tangle(subgroup, tangle);
    }
}

// The lanes will not reach this tangle, nor any that is reachable only through it. Walks the tree
// without recursion: lanes that ran ahead can make it deep.
static void drop(struct subgroup *subgroup, struct tangle *top, lanes set)
{
    struct tangle *at = top;
    if (!top || !(top->coming & set))
        return;
    for (;;) {
        at->coming &= ~set;
        look_at(subgroup, at);
        struct tangle *next = at->first_child;
        while (next && !(next->coming & set))
            next = next->next_sibling;
        while (!next && at != top) {
            next = at->next_sibling;
            while (next && !(next->coming & set))
                next = next->next_sibling;
            at = at->parent;
        }
        if (!next)
            return;
        at = next;
    }
}

static void enter(struct subgroup *subgroup, struct tangle *tangle, lanes set, uint32_t pc)
{
    const struct model_rules *rules = subgroup->rules;
    tangle->here |= set;
    tangle->coming &= ~set;
    if (rules->lags && tangle->is_meeting && !tangle->first_arrival)
        tangle->first_arrival = set;
    subgroup_put(subgroup, set, pc, tangle);
    if (rules->together)
        subgroup->runnable &= ~set;
    else
        subgroup->runnable |= set;
    look_at(subgroup, tangle);
}

static uint32_t pc_of(const struct subgroup *subgroup, uint32_t block)
{
    return subgroup->program->blocks[block].first;
}

bool tangle_start(struct subgroup *subgroup, uint32_t pc)
{
    struct tangle *root = new_tangle(subgroup, NULL, NULL, 0);
    if (!root)
        return false;
    enter(subgroup, root, subgroup->present, pc);
    settle(subgroup);
    return true;
}

// Opening a construct.

static struct tangle *new_meeting(struct subgroup *subgroup, struct tangle *tangle,
                                  struct construct *construct)
{
    struct tangle *meeting = new_tangle(subgroup, tangle, construct->outer, construct->target);
    if (meeting) {
        meeting->is_meeting = true;
        meeting->meets = construct;
        meeting->step = construct->step + 1;
        construct->meet = meeting;
    }
    return meeting;
}

static bool open_selection(struct subgroup *subgroup, struct tangle *tangle, uint32_t header,
                           const struct block *block, const struct insn *last)
{
    const struct flow *flow = subgroup->flow;
    const bool is_switch = last->kind == INSN_SWITCH;
    struct construct *own =
        new_construct(subgroup, is_switch ? CONSTRUCT_SWITCH : CONSTRUCT_SELECTION, tangle->inside,
                      tangle->step, header, block->merge);
    tangle->own = hold(own);
    if (!own || !new_meeting(subgroup, tangle, own))
        return false;
    if (!is_switch)
        return true;
    own->joins = subgroup->rules->joins_falling && (subgroup->compilation >> header % 61 & 1);
    own->head = tangle;
    tangle->pinned = true;
    const struct edge *edges = &subgroup->program->edges[last->extra];
    for (uint32_t i = 0; own->joins && i < last->extra_count; i++) {
        const uint32_t fall = flow->falls[edges[i].block];
        if (edges[i].block == block->merge || fall == UINT32_MAX)
            continue;
        struct tangle *child = tangle->first_child;
        while (child && (child->is_meeting || child->target != fall))
            child = child->next_sibling;
        if (!child)
            child = new_tangle(subgroup, tangle, own, fall);
        if (!child)
            return false;
        child->step = 1;
    }
    return true;
}

static bool open_loop(struct subgroup *subgroup, struct tangle *tangle, uint32_t header,
                      const struct block *block)
{
    struct construct *loop = tangle->inside;
    uint32_t step = tangle->step;
    if (!loop || loop->kind != CONSTRUCT_LOOP || loop->header != header) {
        loop = new_construct(subgroup, CONSTRUCT_LOOP, tangle->inside, step, header, block->merge);
        if (!loop)
            return false;
        hold(loop);
        step = 0;
        if (!new_meeting(subgroup, tangle, loop)) {
            release_construct(subgroup, loop);
            return false;
        }
    } else {
        hold(loop);
    }
    loop->iterations++;
    struct construct *own =
        new_construct(subgroup, CONSTRUCT_ITERATION, loop, step, header, block->next);
    release_construct(subgroup, loop);
    tangle->own = hold(own);
    return own && new_meeting(subgroup, tangle, own);
}

bool tangle_open(struct subgroup *subgroup, struct tangle *tangle, const struct block *block,
                 const struct insn *last)
{
    const uint32_t header = (uint32_t)(block - subgroup->program->blocks);
    if (tangle->own || block->merge_kind == MERGE_NONE)
        return true;
    return block->merge_kind == MERGE_LOOP ? open_loop(subgroup, tangle, header, block)
                                           : open_selection(subgroup, tangle, header, block, last);
}

// Leaving constructs.

static void drop_cases(struct subgroup *subgroup, const struct construct *construct, lanes set)
{
    for (struct tangle *child = construct->head->first_child; child; child = child->next_sibling) {
        if (!child->is_meeting && child->inside == construct)
            drop(subgroup, child, set);
    }
}

static void drop_exits(struct subgroup *subgroup, const struct construct *loop,
                       const struct tangle *but, lanes set)
{
    for (struct tangle *exit = loop->exits; exit; exit = exit->next_exit) {
        if (exit != but)
            drop(subgroup, exit, set);
    }
}

// The lanes leave the inside of one construct.
static void leave(struct subgroup *subgroup, const struct construct *construct, lanes set)
{
    if (construct->kind == CONSTRUCT_SWITCH && construct->joins)
        drop_cases(subgroup, construct, set);
    if (construct->kind == CONSTRUCT_LOOP)
        drop_exits(subgroup, construct, NULL, set);
}

// The lanes leave all constructs from `inner` up to but excluding `outer`, and will not reach the
// tangles where those meet.
static void escape(struct subgroup *subgroup, struct construct *inner,
                   const struct construct *outer, lanes set)
{
    for (struct construct *c = inner; c && c != outer; c = c->outer) {
        leave(subgroup, c, set);
        drop(subgroup, c->meet, set);
    }
}

// Of the tangle's children that a branch selects, the lanes reach only `chosen` and, in a switch
// with joins, the cases that it falls into.
static void choose(struct subgroup *subgroup, struct tangle *tangle, const struct tangle *chosen,
                   uint32_t target, lanes set)
{
    const uint32_t *falls = subgroup->flow->falls;
    const bool joins = tangle->own && tangle->own->kind == CONSTRUCT_SWITCH && tangle->own->joins;
    for (struct tangle *child = tangle->first_child; child; child = child->next_sibling) {
        if (child == chosen || child->is_meeting || !(child->coming & set))
            continue;
        uint32_t fall = joins && target != UINT32_MAX ? falls[target] : UINT32_MAX;
        for (int steps = 0; fall != UINT32_MAX && fall != child->target && steps < 64; steps++)
            fall = falls[fall];
        if (fall == UINT32_MAX || fall != child->target)
            drop(subgroup, child, set);
    }
}

static struct tangle *find_child(const struct tangle *tangle, const struct construct *inside,
                                 uint32_t target)
{
    struct tangle *child = tangle->first_child;
    while (child && (child->is_meeting || child->target != target || child->inside != inside))
        child = child->next_sibling;
    return child;
}

// Moves lanes into a child of their own: lanes that a branch keeps inside, and lanes that do not
// join others where they could.
static bool into_child(struct subgroup *subgroup, struct tangle *tangle, lanes set,
                       struct construct *inside, uint32_t step, uint32_t target, uint32_t pc)
{
    struct tangle *child = find_child(tangle, inside, target);
    if (!child)
        child = new_tangle(subgroup, tangle, inside, target);
    if (!child)
        return false;
    child->step = step;
    enter(subgroup, child, set, pc);
    choose(subgroup, tangle, child, target, set);
    return true;
}

// Uniform control flow (SPIR-V 2.2.5), as known from the workgroup's subgroups so far.

// Lanes leave the bodies of the constructs from `inner` outwards, at a step of its body, and reach
// the end of `ended`; NULL: of the entry point.
static void note_leave(struct subgroup *subgroup, const struct construct *inner, uint32_t step,
                       const struct construct *ended)
{
    if (!subgroup->uniform)
        return;
    for (; inner != ended; step = inner->step, inner = inner->outer)
        uniform_leave(subgroup->uniform, key_of(subgroup, inner), step, true);
    uniform_leave(subgroup->uniform, key_of(subgroup, ended), step, false);
}

// Whether it is known that not all of the workgroup entered the construct in uniform control flow
// and will leave it by its merge block.
static bool known_divergent(const struct subgroup *subgroup, const struct construct *construct)
{
    const struct uniform *uniform = subgroup->uniform;
    if (!uniform)
        return false;
    bool divergent = uniform_escaped(uniform, construct->key);
    for (const struct construct *c = construct; c && !divergent; c = c->outer)
        divergent = uniform_parted(uniform, key_of(subgroup, c->outer), c->step);
    return divergent;
}

// Whether no rule reconverges lanes at the end of the construct. Without an execution mode, uniform
// control flow of the workgroup does (of the subgroup, if that mode is declared), and only at merge
// blocks.
static bool may_stay_diverged(const struct subgroup *subgroup, const struct construct *construct)
{
    if (!subgroup->rules->stays_diverged || subgroup->program->maximally_reconverges)
        return false;
    if (construct->kind == CONSTRUCT_ITERATION || construct->kind == CONSTRUCT_CALL)
        return true;
    return !construct->meet || construct->meet->coming != subgroup->present ||
           known_divergent(subgroup, construct);
}

static struct construct *innermost_loop(struct construct *inside)
{
    while (inside && inside->kind != CONSTRUCT_LOOP && inside->kind != CONSTRUCT_CALL)
        inside = inside->outer;
    return inside && inside->kind == CONSTRUCT_LOOP ? inside : NULL;
}

// FAULT_EXITS: if the merge block of a selection only leaves a loop, lanes that diverged in the
// selection do not meet there, and none meet after the loop.
static void lose_exit(const struct subgroup *subgroup, struct construct *selection)
{
    const struct program *program = subgroup->program;
    const struct insn *first = &program->insns[program->blocks[selection->target].first];
    struct construct *loop = innermost_loop(selection->outer);
    if (!loop || first->kind != INSN_BRANCH || program->edges[first->extra].block != loop->target)
        return;
    selection->stays_diverged = true;
    loop->decided = loop->stays_diverged = true;
}

// Called once per construct when its first lanes reach the end: lanes that took the same path
// through it must stay together.
static void decide(struct subgroup *subgroup, const struct tangle *tangle, lanes set,
                   struct construct *construct)
{
    if (construct->decided)
        return;
    construct->decided = true;
    construct->stays_diverged =
        may_stay_diverged(subgroup, construct) && splitmix_next(&subgroup->random) % 4 != 0;
    if (subgroup->rules->loses_exits &&
        (construct->kind == CONSTRUCT_SELECTION || construct->kind == CONSTRUCT_SWITCH))
        lose_exit(subgroup, construct);
    const bool whole =
        construct->meet && !(construct->meet->coming & ~(tangle->here | tangle->coming | set));
    if (construct->stays_diverged && !whole && subgroup->uniform)
        uniform_leave(subgroup->uniform, key_of(subgroup, construct->outer), construct->step,
                      false);
}

static bool into_meeting(struct subgroup *subgroup, struct tangle *tangle, lanes set,
                         struct construct *construct, uint32_t pc)
{
    struct tangle *meet = construct->meet;
    struct construct *outer = construct->outer;
    decide(subgroup, tangle, set, construct);
    const bool diverged =
        construct->stays_diverged || tangle->lags || !meet || (meet->coming & set) != set;
    leave(subgroup, construct, set);
    if (diverged) {
        drop(subgroup, meet, set);
        return into_child(subgroup, tangle, set, outer, construct->step + 1, construct->target, pc);
    }
    enter(subgroup, meet, set, pc);
    choose(subgroup, tangle, NULL, UINT32_MAX, set);
    return true;
}

// Model `peeling`: all lanes that take this exit of the loop, in any iteration, take it together.
static bool into_exit(struct subgroup *subgroup, struct tangle *tangle, lanes set,
                      struct construct *inside, struct construct *loop, uint32_t target)
{
    struct tangle *exit = loop->exits;
    while (exit && exit->target != target)
        exit = exit->next_exit;
    if (!exit) {
        exit = new_tangle(subgroup, NULL, loop, target);
        if (!exit)
            return false;
        exit->coming = (loop->meet ? loop->meet->coming : 0) & ~loop->gone;
        exit->is_exit = true;
        exit->exit_of = loop;
        exit->next_exit = loop->exits;
        loop->exits = exit;
    }
    escape(subgroup, inside, loop, set);
    loop->gone |= set;
    enter(subgroup, exit, set, pc_of(subgroup, target));
    drop_exits(subgroup, loop, exit, set);
    choose(subgroup, tangle, NULL, UINT32_MAX, set);
    return true;
}

struct construct *tangle_loop(struct tangle *tangle, const struct block *block)
{
    return innermost_loop(block->merge_kind != MERGE_NONE ? tangle->own : tangle->inside);
}

// The enclosing construct that ends at block `target`.
static struct construct *ending_at(struct construct *inside, uint32_t target)
{
    while (inside && inside->kind != CONSTRUCT_CALL && inside->target != target)
        inside = inside->outer;
    if (!inside || inside->kind == CONSTRUCT_CALL)
        return NULL;
    while (inside->outer && inside->outer->kind != CONSTRUCT_CALL &&
           inside->outer->target == target)
        inside = inside->outer;
    return inside;
}

static bool go(struct subgroup *subgroup, struct tangle *tangle, lanes set,
               const struct block *from, uint32_t target, bool splits)
{
    const struct flow *flow = subgroup->flow;
    // Not just any `own`: another lane may be ahead and have opened a construct at the tangle's
    // end.
    const bool opens = from->merge_kind != MERGE_NONE;
    struct construct *inside = opens ? tangle->own : tangle->inside;
    const uint32_t step = opens ? 0 : tangle->step;
    struct construct *ended = flow->special[target] ? ending_at(inside, target) : NULL;
    const uint32_t pc = pc_of(subgroup, target);
    if (ended) {
        tangle->here &= ~set;
        note_leave(subgroup, inside, step, ended);
        escape(subgroup, inside, ended, set);
        return into_meeting(subgroup, tangle, set, ended, pc);
    }
    if (subgroup->rules->peels && flow->leaves[target]) {
        struct construct *loop = innermost_loop(inside);
        if (loop && !tangle->is_exit) {
            tangle->here &= ~set;
            return into_exit(subgroup, tangle, set, inside, loop, target);
        }
    }
    if (!splits && !opens) {
        if (inside && inside->kind == CONSTRUCT_SWITCH && inside->joins && flow->special[target]) {
            struct tangle *next = find_child(inside->head, inside, target);
            if (next && (next->coming & set) == set) {
                tangle->here &= ~set;
                enter(subgroup, next, set, pc);
                return true;
            }
        }
        subgroup_put(subgroup, set, pc, NULL);
        return true;
    }
    tangle->here &= ~set;
    if (opens && subgroup->uniform)
        uniform_choose(subgroup->uniform, inside->key, target);
    return into_child(subgroup, tangle, set, inside, step + 1, target, pc);
}

bool tangle_go(struct subgroup *subgroup, struct tangle *tangle, lanes set,
               const struct block *from, uint32_t target, bool splits)
{
    const bool gone = go(subgroup, tangle, set, from, target, splits);
    look_at(subgroup, tangle);
    settle(subgroup);
    return gone;
}

// Calls.

bool tangle_call(struct subgroup *subgroup, struct tangle *tangle, lanes set, uint32_t entry,
                 uint32_t return_pc)
{
    if (!tangle->own) {
        struct construct *call = new_construct(subgroup, CONSTRUCT_CALL, tangle->inside,
                                               tangle->step, UINT32_MAX, return_pc);
        tangle->own = hold(call);
        if (!call || !new_meeting(subgroup, tangle, call))
            return false;
    }
    tangle->here &= ~set;
    const bool gone =
        into_child(subgroup, tangle, set, tangle->own, 0, entry, pc_of(subgroup, entry));
    look_at(subgroup, tangle);
    settle(subgroup);
    return gone;
}

bool tangle_return(struct subgroup *subgroup, struct tangle *tangle, lanes set)
{
    struct construct *call = tangle->inside;
    while (call && call->kind != CONSTRUCT_CALL)
        call = call->outer;
    if (!call) {
        tangle_end(subgroup, tangle, set);
        return true;
    }
    tangle->here &= ~set;
    note_leave(subgroup, tangle->inside, tangle->step, call);
    escape(subgroup, tangle->inside, call, set);
    const bool gone = into_meeting(subgroup, tangle, set, call, call->target);
    look_at(subgroup, tangle);
    settle(subgroup);
    return gone;
}

void tangle_end(struct subgroup *subgroup, struct tangle *tangle, lanes set)
{
    tangle->here &= ~set;
    note_leave(subgroup, tangle->inside, tangle->step, NULL);
    escape(subgroup, tangle->inside, NULL, set);
    choose(subgroup, tangle, NULL, UINT32_MAX, set);
    subgroup->live &= ~set;
    subgroup->runnable &= ~set;
    subgroup->behind &= ~set;
    look_at(subgroup, tangle);
    settle(subgroup);
}

uint64_t tangle_instance(const struct subgroup *subgroup, unsigned lane)
{
    const struct tangle *tangle = subgroup->tangle[lane];
    return uniform_key(key_of(subgroup, tangle->inside), tangle->step, subgroup->pc[lane],
                       tangle->target);
}

void tangle_arrive(struct subgroup *subgroup, struct tangle *tangle, lanes set)
{
    tangle->arrived |= set;
    subgroup->runnable &= ~set;
    if (!tangle->coming && tangle->arrived == tangle->here)
        subgroup->runnable |= tangle->arrived;
}

// Staying behind.

bool tangle_leave_behind(struct subgroup *subgroup, struct tangle *tangle, unsigned lane)
{
    const lanes set = lanes_of(lane);
    struct tangle *behind = new_tangle(subgroup, NULL, tangle->inside, tangle->target);
    if (!behind)
        return false;
    behind->lags = true;
    tangle->here &= ~set;
    escape(subgroup, tangle->inside, NULL, set);
    subgroup->behind |= set;
    enter(subgroup, behind, set, subgroup->pc[lane]);
    settle(subgroup);
    return true;
}

void tangle_rejoin(struct subgroup *subgroup, struct tangle *tangle, lanes set)
{
    each_lane (lane, set) {
        struct tangle *behind = subgroup->tangle[lane];
        behind->here &= ~lanes_of(lane);
        escape(subgroup, behind->inside, NULL, lanes_of(lane));
        look_at(subgroup, behind);
        subgroup->tangle[lane] = tangle;
    }
    tangle->here |= set;
    for (struct construct *c = tangle->inside; c; c = c->outer) {
        if (c->meet)
            c->meet->coming |= set;
    }
    subgroup->behind &= ~set;
    settle(subgroup);
}
