// SPDX-License-Identifier: Apache-2.0
#include "isa/flow.h"

#include "base/text.h"

bool flow_is_conditional(const struct sass_insn *insn)
{
    return insn->guard != SASS_ALWAYS ||
           (flow_is_branch(insn->op) && (insn->reads.p || insn->reads.up));
}

bool flow_is_branch(enum sass_op op)
{
    return op == SASS_BRA || op == SASS_JMP || op == SASS_CALL || op == SASS_RET;
}

bool flow_is_end(enum sass_op op)
{
    return op == SASS_EXIT || op == SASS_KILL;
}

const struct sass_insn *flow_last(const struct sass_code *code, const struct flow_node *node)
{
    return &code->insns[node->end - 1];
}

static bool ends_block(const struct sass_insn *insn)
{
    switch (insn->op) {
    case SASS_BRA:
    case SASS_BRX:
    case SASS_JMP:
    case SASS_CALL:
    case SASS_RET:
    case SASS_EXIT:
    case SASS_KILL:
    case SASS_BSYNC:
    case SASS_WARPSYNC:
        return true;
    case SASS_BSSY: // so that lanes' histories differ only between nodes
    case SASS_BREAK:
    case SASS_BMOV:
        return insn->guard != SASS_ALWAYS;
    default:
        return false;
    }
}

// Whether control may continue with the next instruction.
static bool falls_through(const struct sass_insn *insn)
{
    switch (insn->op) {
    case SASS_BRA:
    case SASS_JMP:
        if (insn->flags & (SASS_CONVERGED | SASS_DIVERGED))
            return true;
        return flow_is_conditional(insn) || sass_is_never(insn);
    case SASS_CALL:
    case SASS_RET:
    case SASS_EXIT:
    case SASS_KILL:
        return flow_is_conditional(insn) || sass_is_never(insn);
    default:
        return true;
    }
}

// Whether control may go to its target.
static bool branches(const struct sass_insn *insn)
{
    if (sass_is_never(insn))
        return false;
    return insn->op == SASS_BRA || insn->op == SASS_JMP || insn->op == SASS_CALL ||
           (insn->op == SASS_WARPSYNC && insn->target != SASS_NOWHERE);
}

struct maker {
    const struct sass_code *code;
    struct flow *flow;
    size_t *targets; // per instruction: branch target, or FLOW_NONE
    bool *leads;     // per instruction: begins a block
    bool *returns;   // per instruction: can reach a RET within its function
    size_t *newest;  // per instruction: newest node that begins with it, or FLOW_NONE
    struct lit_error *error;
};

static bool refuse(struct maker *maker, size_t insn, const char *why)
{
    const struct sass_insn *at = &maker->code->insns[insn];
    return lit_fail(maker->error, LIT_EXIT_USAGE, "cannot be analysed: %s at 0x%x: %s",
                    at->op == SASS_OTHER ? "the instruction" : sass_op_name(at->op), at->address,
                    why);
}

static void find_blocks(struct maker *maker)
{
    const struct sass_code *code = maker->code;
    maker->leads[0] = true;
    for (size_t i = 0; i < code->count; i++) {
        const struct sass_insn *insn = &code->insns[i];
        maker->targets[i] = FLOW_NONE;
        if (branches(insn) && insn->target != SASS_NOWHERE) {
            const size_t target = sass_at(code, insn->target);
            if (target < code->count) {
                maker->targets[i] = target;
                maker->leads[target] = true;
            }
        }
        if (ends_block(insn) && i + 1 < code->count)
            maker->leads[i + 1] = true;
    }
}

// A CALL to a function that never returns acts as a branch: NVIDIA's compiler writes some far
// branches so.
static bool is_real_call(const struct maker *maker, size_t insn)
{
    return maker->code->insns[insn].op == SASS_CALL && maker->targets[insn] != FLOW_NONE &&
           maker->returns[maker->targets[insn]];
}

static bool step_returns(const struct maker *maker, size_t i)
{
    const struct sass_insn *insn = &maker->code->insns[i];
    if (insn->op == SASS_RET && !sass_is_never(insn))
        return true;
    const bool call = is_real_call(maker, i);
    if ((falls_through(insn) || call) && i + 1 < maker->code->count && maker->returns[i + 1])
        return true;
    return !call && maker->targets[i] != FLOW_NONE && maker->returns[maker->targets[i]];
}

// Iterates to a fixed point; each pass but the last finds at least one more.
static bool find_returns(struct maker *maker)
{
    uint64_t work = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = maker->code->count; i-- > 0;)
            if (!maker->returns[i] && step_returns(maker, i))
                changed = maker->returns[i] = true;
        work += maker->code->count;
        if (work > 50000000)
            return lit_fail(maker->error, LIT_EXIT_USAGE,
                            "cannot be analysed: its branches are too many to follow");
    }
    return true;
}

// The node of a block in a context, created on first use.
static bool node_of(struct maker *maker, size_t context, size_t first, size_t *node)
{
    struct flow *flow = maker->flow;
    for (*node = maker->newest[first]; *node != FLOW_NONE; *node = flow->nodes[*node].older)
        if (flow->nodes[*node].context == context)
            return true;
    if (flow->count == FLOW_NODES)
        return refuse(maker, first, "too many blocks and calls");
    flow->nodes = lit_grow(flow->nodes, flow->count, sizeof(*flow->nodes));
    size_t end = first + 1;
    while (end < maker->code->count && !maker->leads[end])
        end++;
    flow->nodes[flow->count] = (struct flow_node){.first = first,
                                                  .end = end,
                                                  .next = {FLOW_NONE, FLOW_NONE},
                                                  .context = context,
                                                  .older = maker->newest[first]};
    *node = maker->newest[first] = flow->count++;
    return true;
}

static bool context_of(struct maker *maker, size_t parent, size_t call, size_t *context)
{
    struct flow *flow = maker->flow;
    const size_t depth = flow->contexts[parent].depth + 1;
    for (size_t i = parent + 1; i < flow->context_count; i++)
        if (flow->contexts[i].parent == parent && flow->contexts[i].call == call) {
            *context = i;
            return true;
        }
    if (depth > FLOW_DEPTH)
        return refuse(maker, call, "calls within calls without end");
    if (flow->context_count == FLOW_CONTEXTS)
        return refuse(maker, call, "too many calls within calls");
    flow->contexts = lit_grow(flow->contexts, flow->context_count, sizeof(*flow->contexts));
    flow->contexts[flow->context_count] =
        (struct flow_context){.parent = parent, .call = call, .depth = depth};
    *context = flow->context_count++;
    return true;
}

// Where the last instruction of a node goes unless it falls through.
static bool link_taken(struct maker *maker, size_t from, size_t last, size_t *next)
{
    const struct sass_insn *insn = &maker->code->insns[last];
    size_t context = maker->flow->nodes[from].context;
    if (sass_is_never(insn))
        return true;
    if (insn->op == SASS_BRX)
        return refuse(maker, last, "its target is in a register");
    if (insn->op == SASS_RET) {
        const struct flow_context *left = &maker->flow->contexts[context];
        if (context == 0)
            return refuse(maker, last, "a return outside of any call");
        if (left->call + 1 >= maker->code->count)
            return refuse(maker, left->call, "nothing to return to");
        return node_of(maker, left->parent, left->call + 1, next);
    }
    if (!branches(insn))
        return true;
    if (maker->targets[last] == FLOW_NONE)
        return refuse(maker, last, "its target is not an instruction");
    if (is_real_call(maker, last) && !context_of(maker, context, last, &context))
        return false;
    return node_of(maker, context, maker->targets[last], next);
}

static bool link_node(struct maker *maker, size_t from)
{
    const struct flow_node node = maker->flow->nodes[from];
    const struct sass_insn *last = flow_last(maker->code, &node);
    size_t next[FLOW_WAYS] = {FLOW_NONE, FLOW_NONE};
    if (ends_block(last) && !link_taken(maker, from, node.end - 1, &next[FLOW_TAKEN]))
        return false;
    if (falls_through(last)) {
        if (node.end == maker->code->count)
            return refuse(maker, node.end - 1, "the code goes on past its end");
        if (!node_of(maker, node.context, node.end, &next[FLOW_FALL]))
            return false;
    }
    memcpy(maker->flow->nodes[from].next, next, sizeof(next));
    return true;
}

static bool link_all(struct maker *maker)
{
    size_t entry;
    maker->flow->contexts = lit_grow(NULL, 0, sizeof(*maker->flow->contexts));
    maker->flow->contexts[maker->flow->context_count++] = (struct flow_context){.call = FLOW_NONE};
    if (!node_of(maker, 0, 0, &entry))
        return false;
    for (size_t i = 0; i < maker->flow->count; i++)
        if (!link_node(maker, i))
            return false;
    return true;
}

bool flow_make(const struct sass_code *code, struct flow *flow, struct lit_error *error)
{
    *flow = (struct flow){0};
    if (code->count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "cannot be analysed: there is no code");
    struct maker maker = {.code = code,
                          .flow = flow,
                          .targets = lit_alloc(code->count, sizeof(size_t)),
                          .leads = lit_alloc(code->count, sizeof(bool)),
                          .returns = lit_alloc(code->count, sizeof(bool)),
                          .newest = lit_alloc(code->count, sizeof(size_t)),
                          .error = error};
    for (size_t i = 0; i < code->count; i++)
        maker.newest[i] = FLOW_NONE;
    find_blocks(&maker);
    const bool good = find_returns(&maker) && link_all(&maker);
    free(maker.targets);
    free(maker.leads);
    free(maker.returns);
    free(maker.newest);
    return good;
}

void flow_clear(struct flow *flow)
{
    free(flow->nodes);
    free(flow->contexts);
    *flow = (struct flow){0};
}

// --- Work list of nodes

struct flow_queue flow_queue_make(const struct flow *flow)
{
    const size_t size = flow->count + 1;
    return (struct flow_queue){
        .nodes = lit_alloc(size, sizeof(size_t)), .size = size, .queued = lit_alloc(size, 1)};
}

void flow_queue_close(struct flow_queue *queue)
{
    free(queue->nodes);
    free(queue->queued);
}

void flow_push(struct flow_queue *queue, size_t node)
{
    if (queue->queued[node])
        return;
    queue->queued[node] = true;
    queue->nodes[(queue->head + queue->count++) % queue->size] = node;
}

bool flow_pop(struct flow_queue *queue, size_t *node)
{
    if (queue->count == 0)
        return false;
    *node = queue->nodes[queue->head];
    queue->head = (queue->head + 1) % queue->size;
    queue->count--;
    queue->queued[*node] = false;
    return true;
}

// --- Convergence queries

// Walks a node with the registers that still hold the answer: true if one is read.
static bool reads_in(const struct sass_code *code, const struct flow_node *node,
                     struct sass_registers *kept)
{
    for (size_t i = node->first; i < node->end; i++) {
        const struct sass_insn *insn = &code->insns[i];
        if (registers_meet(&insn->reads, kept) || (insn->flags & SASS_UNKNOWN))
            return true;
        if (!flow_is_conditional(insn))
            registers_remove(kept, &insn->writes);
    }
    return false;
}

// Whether anything after the end of a node may read the values that `registers` hold there.
static bool reads_later(const struct sass_code *code, const struct flow *flow, size_t node,
                        const struct sass_registers *registers)
{
    struct sass_registers *at = lit_alloc(flow->count, sizeof(*at)), out = *registers;
    OWNED(flow_queue_close) struct flow_queue queue = flow_queue_make(flow);
    bool read = false;
    do {
        FLOW_EACH_NEXT (next, &flow->nodes[node])
            if (registers_add(&at[next], &out))
                flow_push(&queue, next);
        if (!flow_pop(&queue, &node))
            break;
        out = at[node];
        read = reads_in(code, &flow->nodes[node], &out);
    } while (!read);
    free(at);
    return read;
}

// `tainted` starts with the read's results and grows with values computed from them. False if they
// are used for anything but values before the block's last instruction.
static bool feeds_values(const struct sass_code *code, const struct flow_node *node, size_t insn,
                         struct sass_registers *tainted)
{
    for (size_t i = insn + 1; i + 1 < node->end; i++) {
        const struct sass_insn *at = &code->insns[i];
        if (registers_meet(&at->reads, tainted)) {
            if (at->op != SASS_OTHER && at->op != SASS_R2UR && !sass_is_cross_lane(at->op))
                return false;
            if (registers_empty(&at->writes) || (at->flags & SASS_UNKNOWN))
                return false;
            registers_add(tainted, &at->writes);
        } else if (!flow_is_conditional(at)) {
            registers_remove(tainted, &at->writes);
        }
    }
    return true;
}

bool flow_is_query(const struct sass_code *code, const struct flow *flow, size_t node, size_t insn)
{
    const struct flow_node *at = &flow->nodes[node];
    const struct sass_insn *last = flow_last(code, at);
    if (!code->operands || !(last->flags & (SASS_CONVERGED | SASS_DIVERGED)))
        return false;
    struct sass_registers tainted = code->insns[insn].writes;
    if (!feeds_values(code, at, insn, &tainted) || !registers_meet(&last->reads, &tainted))
        return false;
    return !reads_later(code, flow, node, &tainted);
}

// --- Guarded instructions, and others nearby with the opposite guard

#define NEARBY 16 // instructions

bool guard_is_completed(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    const size_t end = index + NEARBY < code->count ? index + NEARBY : code->count;
    for (size_t i = index + 1; i < end && insn->guard < SASS_ALWAYS && !insn->guard_uniform; i++) {
        const struct sass_insn *other = &code->insns[i];
        struct sass_registers left = insn->writes;
        registers_remove(&left, &other->writes);
        if (other->guard == insn->guard && !other->guard_uniform &&
            other->guard_negated != insn->guard_negated && registers_empty(&left))
            return true;
        if (other->writes.p >> insn->guard & 1 || flow_is_branch(other->op))
            return false;
    }
    return false;
}

bool guard_is_idle(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    size_t length;
    const char *own = sass_mnemonic(insn, &length);
    const size_t end = index + NEARBY < code->count ? index + NEARBY : code->count;
    for (size_t i = index > NEARBY ? index - NEARBY : 0; i < end; i++) {
        const struct sass_insn *other = &code->insns[i];
        if (other->guard != insn->guard || other->guard_uniform != insn->guard_uniform ||
            other->guard_negated == insn->guard_negated)
            continue;
        const char *a = own, *b = sass_mnemonic(other, &length);
        for (; *a && *a == *b; a++, b++)
            ;
        a += strcmp(a, ".reuse") == 0 ? strlen(a) : 0;
        b += strcmp(b, ".reuse") == 0 ? strlen(b) : 0;
        if (!*a && !*b)
            return true;
    }
    return false;
}
