// SPDX-License-Identifier: Apache-2.0
// Writes the data operations of generated programs as SPIR-V. Registers are variables of storage
// class Private; a value known in the current block is not loaded again.
#include "generate/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define value emit_value // most lines have it

const char *const emit_type_ids[GEN_TYPES] = {"%uint",  "%ushort", "%uchar",  "%ulong",
                                              "%float", "%half",   "%double", "%bool"};

static bool is_float(uint32_t type)
{
    return type == GEN_F32 || type == GEN_F16 || type == GEN_F64;
}

struct id emit_value(struct emit *e, const char *format, ...)
{
    const struct id id = gen_id("%%v%u", ++e->values);
    char line[256];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    emit_put(e, "%s = %s", id.is, line);
    return id;
}

// Registers

static struct id fetch(struct emit *e, struct id *held, const char *type, char letter,
                       uint32_t number)
{
    if (!held->is[0])
        *held = value(e, "OpLoad %s %%%c%u", type, letter, number);
    return *held;
}

struct id emit_number_register(struct emit *e, uint32_t number)
{
    return fetch(e, &e->held.numbers[number], "%uint", 'u', number);
}

struct id emit_truth_register(struct emit *e, uint32_t number)
{
    return fetch(e, &e->held.truths[number], "%bool", 'p', number);
}

static void keep(struct emit *e, bool truth, uint32_t number, struct id id)
{
    *(truth ? &e->held.truths[number] : &e->held.numbers[number]) = id;
    emit_put(e, "OpStore %%%c%u %s", truth ? 'p' : 'u', number, id.is);
}

void emit_forget(struct emit *e, uint32_t first)
{
    for (uint32_t i = first; i; i = e->program->steps[i].next) {
        const struct gen_step *step = &e->program->steps[i];
        const struct gen_act *act = &step->act;
        if (step->kind == MASKS_ACT && gen_forms[act->op].gives != '-')
            *(gen_act_gives_truth(act) ? &e->held.truths[act->to] : &e->held.numbers[act->to]) =
                (struct id){""};
        emit_forget(e, step->body);
        emit_forget(e, step->other);
    }
}

struct id emit_group_number(struct emit *e)
{
    const struct id ids = value(e, "OpLoad %%uint3 %%workgroup_input");
    return value(e, "OpCompositeExtract %%uint %s 0", ids.is);
}

// The number of the workgroup's first invocation.
static struct id emit_group_start(struct emit *e)
{
    return value(e, "OpIMul %%uint %s %%workgroup_width", emit_group_number(e).is);
}

struct id emit_group_word(struct emit *e)
{
    const struct id first = emit_group_start(e);
    const struct id at = value(e, "OpAccessChain %%word_pointer %%input #0 %s", first.is);
    return value(e, "OpLoad %%uint %s", at.is);
}

struct id emit_subgroup_number(struct emit *e)
{
    return value(e, "OpLoad %%uint %%subgroup_input");
}

// Types

static struct id fold(struct emit *e, struct id low, struct id high)
{
    const struct id tripled = value(e, "OpIMul %%uint %s #3", high.is);
    return value(e, "OpIAdd %%uint %s %s", low.is, tripled.is);
}

static struct id fold_pair(struct emit *e, struct id pair)
{
    const struct id low = value(e, "OpCompositeExtract %%uint %s 0", pair.is);
    const struct id high = value(e, "OpCompositeExtract %%uint %s 1", pair.is);
    return fold(e, low, high);
}

static struct id high_of(struct emit *e, struct id low)
{
    return value(e, "OpBitwiseXor %%uint %s #%u", low.is, GEN_HIGH(0));
}

static struct id into(struct emit *e, uint32_t type, struct id number)
{
    if (type == GEN_U16 || type == GEN_U8)
        return value(e, "OpUConvert %s %s", emit_type_ids[type], number.is);
    if (type == GEN_U64) {
        const struct id high = high_of(e, number);
        const struct id pair = value(e, "OpCompositeConstruct %%uint2 %s %s", number.is, high.is);
        return value(e, "OpBitcast %%ulong %s", pair.is);
    }
    if (is_float(type)) {
        const struct id small =
            value(e, "OpBitwiseAnd %%uint %s #%u", number.is, GEN_FLOAT_MASK(type));
        return value(e, "OpConvertUToF %s %s", emit_type_ids[type], small.is);
    }
    return number;
}

static struct id out_of(struct emit *e, const struct gen_act *act, struct id id)
{
    const bool is_signed = act->with == GEN_WITH_SMIN || act->with == GEN_WITH_SMAX;
    if (act->type == GEN_U16 || act->type == GEN_U8)
        return value(e, "Op%cConvert %%uint %s", is_signed ? 'S' : 'U', id.is);
    if (act->type == GEN_U64)
        return fold_pair(e, value(e, "OpBitcast %%uint2 %s", id.is));
    if (is_float(act->type))
        return value(e, "OpConvertFToU %%uint %s", id.is);
    return id;
}

// Subgroup operations

static struct id operand(struct emit *e, const struct gen_act *act, uint32_t i)
{
    return gen_act_takes_truth(act, i) ? emit_truth_register(e, act->from[i])
                                       : emit_number_register(e, act->from[i]);
}

static struct id emit_scan(struct emit *e, const struct gen_act *act, uint32_t from)
{
    static const char *const ints[GEN_WITHS] = {
        "IAdd", "IMul", "UMin", "UMax", "SMin", "SMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
    static const char *const floats[GEN_WITHS] = {[GEN_WITH_MIN] = "FMin", [GEN_WITH_MAX] = "FMax"};
    static const char *const truths[GEN_WITHS] = {
        [GEN_WITH_AND] = "LogicalAnd", [GEN_WITH_OR] = "LogicalOr", [GEN_WITH_XOR] = "LogicalXor"};
    const char *name = (is_float(act->type)     ? floats
                        : act->type == GEN_BOOL ? truths
                                                : ints)[act->with];
    const char *kind = act->op == GEN_OP_INCLUSIVE   ? "InclusiveScan"
                       : act->op == GEN_OP_EXCLUSIVE ? "ExclusiveScan"
                       : act->op == GEN_OP_CLUSTER   ? "ClusteredReduce"
                                                     : "Reduce";
    const struct id number = into(e, act->type, operand(e, act, from));
    const struct id size = act->op == GEN_OP_CLUSTER ? gen_id(" #%u", act->n) : (struct id){""};
    return out_of(e, act,
                  value(e, "OpGroupNonUniform%s %s %%subgroup_scope %s %s%s", name,
                        emit_type_ids[act->type], kind, number.is, size.is));
}

// A sum whose only use is conditional.
static struct id emit_late(struct emit *e, const struct gen_act *act)
{
    const struct id when = operand(e, act, 0), sum = emit_scan(e, act, 1), before = e->block;
    const uint32_t n = ++e->values;
    const struct id yes = gen_id("%%late_%u", n), merge = gen_id("%%end_late_%u", n);
    emit_put(e, "OpSelectionMerge %s None", merge.is);
    emit_put(e, "OpBranchConditional %s %s %s", when.is, yes.is, merge.is);
    emit_label(e, yes);
    const struct id more = value(e, "OpIAdd %%uint %s #1", sum.is);
    emit_put(e, "OpBranch %s", merge.is);
    emit_label(e, merge);
    return value(e, "OpPhi %%uint %s %s #0 %s", more.is, yes.is, before.is);
}

static struct id ballot_of(struct emit *e, struct id truth)
{
    return value(e, "OpGroupNonUniformBallot %%uint4 %%subgroup_scope %s", truth.is);
}

// A lane number wrapped to the subgroup.
static struct id emit_within(struct emit *e, struct id number)
{
    const struct id last = value(e, "OpISub %%uint %s #1", e->size.is);
    return value(e, "OpBitwiseAnd %%uint %s %s", number.is, last.is);
}

static struct id emit_count(struct emit *e, struct id ballot, const char *kind)
{
    return value(e, "OpGroupNonUniformBallotBitCount %%uint %%subgroup_scope %s %s", kind,
                 ballot.is);
}

// The lowest or highest lane in a ballot; GEN_NUMBERS if it is empty, for which the operation is
// undefined.
static struct id emit_end_of(struct emit *e, struct id ballot, const char *which)
{
    const struct id found =
        value(e, "OpGroupNonUniformBallotFind%s %%uint %%subgroup_scope %s", which, ballot.is);
    const struct id count = emit_count(e, ballot, "Reduce");
    const struct id none = value(e, "OpIEqual %%bool %s #0", count.is);
    return value(e, "OpSelect %%uint %s #%u %s", none.is, GEN_NUMBERS, found.is);
}

struct id emit_fold_four(struct emit *e, struct id four)
{
    struct id part[4];
    for (uint32_t i = 0; i < 4; i++)
        part[i] = value(e, "OpCompositeExtract %%uint %s %u", four.is, i);
    const struct id low = fold(e, part[0], part[1]);
    return fold(e, low, fold(e, part[2], part[3]));
}

static struct id emit_vote(struct emit *e, const char *name, struct id operand)
{
    return value(e, "OpGroupNonUniform%s %%bool %%subgroup_scope%s%s", name,
                 operand.is[0] ? " " : "", operand.is);
}

static struct id emit_ask(struct emit *e, const struct gen_act *act)
{
    static const char *const votes[GEN_OPS] = {
        [GEN_OP_ALL] = "All", [GEN_OP_ANY] = "Any", [GEN_OP_ALIKE] = "AllEqual"};
    static const char *const counts[GEN_OPS] = {[GEN_OP_COUNT] = "Reduce",
                                                [GEN_OP_COUNT_INCLUSIVE] = "InclusiveScan",
                                                [GEN_OP_COUNT_EXCLUSIVE] = "ExclusiveScan"};
    if (act->op == GEN_OP_ELECT)
        return emit_vote(e, "Elect", (struct id){""});
    const struct id a = into(e, act->type, operand(e, act, 0));
    if (votes[act->op])
        return emit_vote(e, votes[act->op], a);
    struct id x;
    if (act->op == GEN_OP_FIRST || act->op == GEN_OP_INVERSE) { // a ballot must be uniform
        x = value(e, "OpGroupNonUniformBroadcastFirst %s %%subgroup_scope %s",
                  emit_type_ids[act->type], a.is);
        if (act->op == GEN_OP_FIRST)
            return out_of(e, act, x);
        x = value(e, "OpCompositeConstruct %%uint4 %s %s %s %s", x.is, x.is, x.is, x.is);
        return emit_vote(e, "InverseBallot", x);
    }
    x = ballot_of(e, a);
    if (counts[act->op])
        return emit_count(e, x, counts[act->op]);
    if (act->op == GEN_OP_EXTRACT)
        return value(e, "OpGroupNonUniformBallotBitExtract %%bool %%subgroup_scope %s %s", x.is,
                     emit_within(e, operand(e, act, 1)).is);
    return act->op == GEN_OP_BALLOT   ? emit_fold_four(e, x)
           : act->op == GEN_OP_LOWEST ? emit_end_of(e, x, "LSB")
                                      : emit_end_of(e, x, "MSB");
}

static struct id constant(struct emit *e, const struct gen_act *act)
{
    const struct id n = gen_id("#%u", act->n);
    if (!act->turns)
        return n;
    return value(e, "OpShiftLeftLogical %%uint %s %s", n.is, e->iteration[act->turns - 1].is);
}

// The lane that a lane reads from, and the operation's argument for it.
static struct id emit_source(struct emit *e, const struct gen_act *act, struct id *argument)
{
    const struct id n = *argument = constant(e, act);
    struct id base, sum;
    switch (act->op) {
    case GEN_OP_BROADCAST:
        return n;
    case GEN_OP_SHUFFLE:
        return *argument = emit_within(e, operand(e, act, 1));
    case GEN_OP_SHUFFLE_XOR:
        return value(e, "OpBitwiseXor %%uint %s %s", e->lane.is, n.is);
    case GEN_OP_UP:
        return value(e, "OpISub %%uint %s %s", e->lane.is, n.is);
    case GEN_OP_DOWN:
        return value(e, "OpIAdd %%uint %s %s", e->lane.is, n.is);
    case GEN_OP_ROTATE:
        *argument = emit_within(e, n);
        return emit_within(e, value(e, "OpIAdd %%uint %s %s", e->lane.is, n.is));
    case GEN_OP_QUAD_SWAP:
        return value(e, "OpBitwiseXor %%uint %s #%u", e->lane.is, act->n + 1u);
    default: // a lane of the same quad
        base = value(e, "OpBitwiseAnd %%uint %s #4294967292", e->lane.is);
        if (act->op == GEN_OP_QUAD_BROADCAST)
            return value(e, "OpIAdd %%uint %s %s", base.is, n.is);
        sum = value(e, "OpIAdd %%uint %s %s", e->lane.is, n.is);
        sum = value(e, "OpBitwiseAnd %%uint %s #3", sum.is);
        return value(e, "OpIAdd %%uint %s %s", base.is, sum.is);
    }
}

// Reading a nonexistent or inactive lane is undefined: the result is then not used.
static struct id emit_move(struct emit *e, const struct gen_act *act, uint32_t allows)
{
    static const char *const names[GEN_OPS] = {
        [GEN_OP_BROADCAST] = "Broadcast",      [GEN_OP_SHUFFLE] = "Shuffle",
        [GEN_OP_SHUFFLE_XOR] = "ShuffleXor",   [GEN_OP_UP] = "ShuffleUp",
        [GEN_OP_DOWN] = "ShuffleDown",         [GEN_OP_ROTATE] = "RotateKHR",
        [GEN_OP_ROTATE_CLUSTER] = "RotateKHR", [GEN_OP_QUAD_BROADCAST] = "QuadBroadcast",
        [GEN_OP_QUAD_SWAP] = "QuadSwap",
    };
    const struct id own = operand(e, act, 0), number = into(e, act->type, own);
    struct id argument;
    const struct id source = emit_source(e, act, &argument);
    const struct id moved = value(e, "OpGroupNonUniform%s %s %%subgroup_scope %s %s%s",
                                  names[act->op], emit_type_ids[act->type], number.is, argument.is,
                                  act->op == GEN_OP_ROTATE_CLUSTER ? " #4" : "");
    const struct id result = out_of(e, act, moved);
    struct id there = value(e, "OpULessThan %%bool %s %s", source.is, e->size.is);
    if (allows != GEN_FULL) {
        const struct id active = ballot_of(e, (struct id){"%true"});
        const struct id bit =
            value(e, "OpGroupNonUniformBallotBitExtract %%bool %%subgroup_scope %s %s", active.is,
                  emit_within(e, source).is);
        there = value(e, "OpLogicalAnd %%bool %s %s", there.is, bit.is);
    }
    return value(e, "OpSelect %s %s %s %s", act->type == GEN_BOOL ? "%bool" : "%uint", there.is,
                 result.is, own.is);
}

// Memory

static const char *const pair_types[] = {"%shared_pair", "%pair"};
static const char *const pair_pointers[] = {"%shared_pair_pointer", "%pair_pointer"};

static bool in_buffer(const struct gen_act *act)
{
    return act->type == GEN_BUFFER;
}

// Memory operands of a load or store of what invocations share: under the memory model Vulkan it is
// made visible to, or available from, the workgroup.
const char *emit_shares(const struct emit *e, bool stores)
{
    return !e->program->vulkan ? ""
           : stores            ? " MakePointerAvailable|NonPrivatePointer #2"
                               : " MakePointerVisible|NonPrivatePointer #2";
}

// The scope of atomic operations: all are of one workgroup.
static const char *atomic_scope(const struct emit *e)
{
    return e->program->vulkan ? "#2" : "#1"; // which needs no feature
}

// A counter's address. In the buffer, counters follow the cells in pairs.
static struct id emit_counter(struct emit *e, bool buffer, uint32_t counter)
{
    if (!buffer)
        return value(e, "OpAccessChain %%shared_pointer %%counters #%u", counter);
    const struct id end = value(e, "OpIAdd %%uint %s %%workgroup_width", e->first.is);
    const struct id at = value(e, "OpIAdd %%uint %s #%u", end.is, counter / 2);
    return value(e, "OpAccessChain %%word_pointer %%state #0 %s #%u", at.is, counter % 2);
}

static struct id emit_load(struct emit *e, bool buffer, struct id at)
{
    return value(e, "OpLoad %s %s%s", pair_types[buffer], at.is, emit_shares(e, false));
}

static void emit_write(struct emit *e, bool buffer, struct id at, struct id number)
{
    const struct id high = high_of(e, number);
    const struct id pair =
        value(e, "OpCompositeConstruct %s %s %s", pair_types[buffer], number.is, high.is);
    emit_put(e, "OpStore %s %s%s", at.is, pair.is, emit_shares(e, true));
}

// The number of the invocation whose cell is accessed.
static struct id emit_other(struct emit *e, const struct gen_act *act)
{
    const struct id n = constant(e, act);
    struct id at = e->local, more = n;
    if (act->op == GEN_OP_GATHER) {
        more = emit_within(e, n);
        at = value(e, "OpIMul %%uint %s %s", e->lane.is, e->size.is);
    } else if (act->op == GEN_OP_SCATTER) {
        more = value(e, "OpISub %%uint %%workgroup_width %s", n.is);
        at = value(e, "OpLoad %%uint %%subgroup_input");
    }
    at = value(e, "OpIAdd %%uint %s %s", at.is, more.is);
    return value(e, "OpUMod %%uint %s %%workgroup_width", at.is);
}

static struct id emit_other_cell(struct emit *e, bool buffer, struct id at)
{
    if (buffer)
        at = value(e, "OpIAdd %%uint %s %s", e->first.is, at.is);
    return value(e, "OpAccessChain %s %s%s", pair_pointers[buffer],
                 buffer ? "%state #0 " : "%cells ", at.is);
}

static void emit_ticket(struct emit *e, bool buffer)
{
    const struct id from = emit_counter(e, buffer, GEN_TICKETS);
    const struct id to = emit_counter(e, buffer, GEN_TICKET_SUM);
    const char *scope = atomic_scope(e);
    const struct id ticket = value(e, "OpAtomicIAdd %%uint %s %s #0 #1", from.is, scope);
    value(e, "OpAtomicIAdd %%uint %s %s #0 %s", to.is, scope, ticket.is);
}

static struct id emit_ordered(struct emit *e, bool buffer)
{
    const struct id at = emit_counter(e, buffer, GEN_TICKETS);
    const struct id first = value(e, "OpAtomicLoad %%uint %s %s #0", at.is, atomic_scope(e));
    const struct id second = value(e, "OpAtomicLoad %%uint %s %s #0", at.is, atomic_scope(e));
    return value(e, "OpUGreaterThanEqual %%bool %s %s", second.is, first.is);
}

struct id emit_atomic_on(struct emit *e, const struct gen_act *act, struct id at, struct id number)
{
    static const char *const names[GEN_WITHS] = {"IAdd", "",    "UMin", "UMax", "SMin",
                                                 "SMax", "And", "Or",   "Xor"};
    return value(e, "OpAtomic%s %%uint %s %s #0 %s", names[act->with], at.is, atomic_scope(e),
                 number.is);
}

static struct id emit_atomic(struct emit *e, const struct gen_act *act)
{
    const struct id number = operand(e, act, 0);
    return emit_atomic_on(e, act, emit_counter(e, in_buffer(act), act->with), number);
}

// Operations of the whole workgroup, between barriers.
static struct id emit_together(struct emit *e, const struct gen_act *act)
{
    const bool buffer = in_buffer(act);
    struct id result;
    const struct id number = act->op == GEN_OP_PASS ? operand(e, act, 0) : (struct id){""};
    emit_put(e, EMIT_BARRIER);
    if (act->op == GEN_OP_BARRIER)
        return number;
    if (act->op == GEN_OP_PASS) {
        emit_write(e, buffer, emit_other_cell(e, buffer, emit_other(e, act)), number);
        emit_put(e, EMIT_BARRIER);
        return fold_pair(e, emit_load(e, buffer, e->cell[buffer]));
    }
    if (act->op == GEN_OP_PEEK || act->op == GEN_OP_GATHER || act->op == GEN_OP_SCATTER) {
        const struct id at = emit_other(e, act);
        result = fold_pair(e, emit_load(e, buffer, emit_other_cell(e, buffer, at)));
    } else {
        const uint32_t which = act->op == GEN_OP_TOTAL ? act->with : (uint32_t)GEN_TICKET_SUM;
        const struct id at = emit_counter(e, buffer, which);
        result = value(e, "OpLoad %%uint %s%s", at.is, emit_shares(e, false));
    }
    emit_put(e, EMIT_BARRIER);
    return result;
}

static struct id emit_access(struct emit *e, const struct gen_act *act)
{
    const bool buffer = in_buffer(act);
    struct id number = {""};
    if (act->op == GEN_OP_ATOMIC)
        return emit_atomic(e, act);
    if (act->op == GEN_OP_ORDERED)
        return emit_ordered(e, buffer);
    if (act->op == GEN_OP_LOCAL)
        return e->local;
    if (act->op == GEN_OP_WORD) {
        const struct id first = emit_group_start(e), number = emit_other(e, act);
        const struct id sum = value(e, "OpIAdd %%uint %s %s", first.is, number.is);
        const struct id at = value(e, "OpAccessChain %%word_pointer %%input #0 %s", sum.is);
        return value(e, "OpLoad %%uint %s", at.is);
    }
    if (act->op == GEN_OP_SYNC || act->op == GEN_OP_FENCE) {
        emit_put(e, act->op == GEN_OP_SYNC ? "OpControlBarrier #3 #3 #328"
                                           : "OpMemoryBarrier #3 #328");
        return (struct id){""};
    }
    if (act->op == GEN_OP_STORE || act->op == GEN_OP_SWAP)
        number = operand(e, act, 0);
    struct id held = {""};
    if (act->op == GEN_OP_TICKET)
        emit_ticket(e, buffer);
    else if (act->op != GEN_OP_STORE)
        held = emit_load(e, buffer, e->cell[buffer]);
    if (number.is[0])
        emit_write(e, buffer, e->cell[buffer], number);
    // After the store, so that a load moved there would be noticed.
    return held.is[0] ? fold_pair(e, held) : held;
}

// Lane operations

// A separate loop with more iterations than other loops. That of 64 bits counts across the carry
// between the halves.
static struct id emit_rounds(struct emit *e, struct id number, uint32_t count, bool wide)
{
    const char *type = emit_type_ids[wide ? GEN_U64 : GEN_U32];
    struct id from = gen_id("#0"), to = gen_id("#%u", count), one = gen_id("#1"),
              three = gen_id("#3");
    if (wide) {
        from = value(e, "OpUConvert %%ulong #%u", GEN_BEFORE_CARRY);
        to = value(e, "OpUConvert %%ulong %s", to.is);
        to = value(e, "OpIAdd %%ulong %s %s", from.is, to.is);
        one = value(e, "OpUConvert %%ulong %s", one.is);
        three = value(e, "OpUConvert %%ulong %s", three.is);
    }
    const uint32_t n = ++e->values;
    const struct id before = e->block, header = gen_id("%%rounds_%u", n);
    const struct id again = gen_id("%%round_%u", n), merge = gen_id("%%end_rounds_%u", n);
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, header);
    emit_put(e, "%%round_i_%u = OpPhi %s %s %s %%round_next_%u %s", n, type, from.is, before.is, n,
             again.is);
    emit_put(e, "%%round_x_%u = OpPhi %s %s %s %%round_y_%u %s", n, type, number.is, before.is, n,
             again.is);
    emit_put(e, "%%round_on_%u = OpULessThan %%bool %%round_i_%u %s", n, n, to.is);
    emit_put(e, "OpLoopMerge %s %s None", merge.is, again.is);
    emit_put(e, "OpBranchConditional %%round_on_%u %s %s", n, again.is, merge.is);
    emit_label(e, again);
    emit_put(e, "%%round_z_%u = OpIMul %s %%round_x_%u %s", n, type, n, three.is);
    emit_put(e, "%%round_y_%u = OpIAdd %s %%round_z_%u %%round_i_%u", n, type, n, n);
    emit_put(e, "%%round_next_%u = OpIAdd %s %%round_i_%u %s", n, type, n, one.is);
    emit_put(e, "OpBranch %s", header.is);
    emit_label(e, merge);
    return gen_id("%%round_x_%u", n);
}

// A bit field that a number names.
static struct id emit_field(struct emit *e, const struct gen_act *act)
{
    const bool inserts = act->op == GEN_OP_INSERT;
    const struct id a = operand(e, act, 0), b = operand(e, act, 1);
    const struct id name = inserts ? operand(e, act, 2) : b;
    const struct id count = value(e, "OpUMod %%uint %s #33", name.is);
    const struct id rest = value(e, "OpISub %%uint #33 %s", count.is);
    const struct id upper = value(e, "OpShiftRightLogical %%uint %s #8", name.is);
    const struct id offset = value(e, "OpUMod %%uint %s %s", upper.is, rest.is);
    return value(e, "OpBitField%s %%uint %s%s%s %s %s",
                 inserts                   ? "Insert"
                 : act->op == GEN_OP_FIELD ? "UExtract"
                                           : "SExtract",
                 a.is, inserts ? " " : "", inserts ? b.is : "", offset.is, count.is);
}

static struct id emit_typed(struct emit *e, const struct gen_act *act)
{
    static const char *const names[GEN_WITHS] = {"OpIAdd",       "OpIMul",      "OpULessThan",
                                                 "OpULessThan",  "OpSLessThan", "OpSLessThan",
                                                 "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor"};
    const char *type = emit_type_ids[act->type];
    const struct id a = into(e, act->type, operand(e, act, 0));
    if (act->op == GEN_OP_TYPED_ROUNDS)
        return out_of(e, act, emit_rounds(e, a, GEN_ROUNDS(act->n), true));
    if (act->op == GEN_OP_TYPED_SHL || act->op == GEN_OP_TYPED_SHR)
        return out_of(e, act,
                      value(e, "OpShift%sLogical %s %s #%u",
                            act->op == GEN_OP_TYPED_SHL ? "Left" : "Right", type, a.is, act->n));
    const struct id b = into(e, act->type, operand(e, act, 1));
    const bool less = act->op == GEN_OP_TYPED_LESS;
    if (!less && (act->with < GEN_WITH_MIN || act->with > GEN_WITH_SMAX))
        return out_of(e, act, value(e, "%s %s %s %s", names[act->with], type, a.is, b.is));
    const struct id is_less = value(e, "%s %%bool %s %s",
                                    is_float(act->type) ? "OpFOrdLessThan"
                                    : less              ? "OpULessThan"
                                                        : names[act->with],
                                    a.is, b.is);
    if (less)
        return is_less;
    const bool least = act->with == GEN_WITH_MIN || act->with == GEN_WITH_SMIN;
    return out_of(
        e, act,
        value(e, "OpSelect %s %s %s %s", type, is_less.is, (least ? a : b).is, (least ? b : a).is));
}

static struct id emit_alone(struct emit *e, const struct gen_act *act)
{
    static const char *const names[GEN_OPS] = {
        [GEN_OP_ADD] = "OpIAdd %uint",
        [GEN_OP_SUB] = "OpISub %uint",
        [GEN_OP_MUL] = "OpIMul %uint",
        [GEN_OP_AND] = "OpBitwiseAnd %uint",
        [GEN_OP_OR] = "OpBitwiseOr %uint",
        [GEN_OP_XOR] = "OpBitwiseXor %uint",
        [GEN_OP_SHL] = "OpShiftLeftLogical %uint",
        [GEN_OP_SHR] = "OpShiftRightLogical %uint",
        [GEN_OP_SELECT] = "OpSelect %uint",
        [GEN_OP_LESS] = "OpULessThan %bool",
        [GEN_OP_BOTH] = "OpLogicalAnd %bool",
        [GEN_OP_EITHER] = "OpLogicalOr %bool",
        [GEN_OP_DIFFER] = "OpLogicalNotEqual %bool",
        [GEN_OP_ONES] = "OpBitCount %uint",
        [GEN_OP_REVERSE] = "OpBitReverse %uint",
    };
    if (act->op >= GEN_OP_FIELD && act->op <= GEN_OP_INSERT)
        return emit_field(e, act);
    if (act->op >= GEN_OP_TYPED)
        return emit_typed(e, act);
    struct id from[4] = {{""}};
    uint32_t count = gen_act_operands(act);
    for (uint32_t i = 0; i < count; i++)
        from[i] = operand(e, act, i);
    switch (act->op) {
    case GEN_OP_NUMBER: // as a sum, because the assigned id must not be written as a constant
        return value(e, "OpIAdd %%uint %s #0", constant(e, act).is);
    case GEN_OP_LANE:
        return e->lane;
    case GEN_OP_TURN:
        return e->iteration[act->n];
    case GEN_OP_ROUNDS:
        return emit_rounds(e, from[0], GEN_ROUNDS(act->n), false);
    case GEN_OP_BIT:
        from[1] = value(e, "OpBitwiseAnd %%uint %s #%u", from[0].is, 1u << act->n);
        return value(e, "OpINotEqual %%bool %s #0", from[1].is);
    case GEN_OP_SHL:
    case GEN_OP_SHR:
        from[count++] = gen_id("#%u", act->n);
        break;
    default:
        break;
    }
    return value(e, "%s %s%s%s%s%s", names[act->op], from[0].is, count > 1 ? " " : "", from[1].is,
                 count > 2 ? " " : "", from[2].is);
}

// Steps

void emit_act(struct emit *e, uint32_t number)
{
    const struct gen_act *act = &e->program->steps[number].act;
    const uint32_t allows = e->places.allows[number];
    const bool truth = gen_act_gives_truth(act);
    struct id result;
    if (act->op >= GEN_OP_VECTOR)
        result = act->op < GEN_OP_GET        ? emit_vector(e, act)
                 : act->op == GEN_OP_PRODUCT ? emit_product(e, act)
                                             : emit_array(e, act);
    else if (act->op == GEN_OP_LATE)
        result = emit_late(e, act);
    else if (act->op >= GEN_OP_REDUCE && act->op <= GEN_OP_CLUSTER)
        result = emit_scan(e, act, 0);
    else if (act->op >= GEN_OP_ALL && act->op <= GEN_OP_FIRST)
        result = emit_ask(e, act);
    else if (act->op >= GEN_OP_BROADCAST && act->op <= GEN_OP_QUAD_SWAP)
        result = emit_move(e, act, allows);
    else if (gen_forms[act->op].needs == GEN_FULL)
        result = emit_together(e, act);
    else if (act->op >= GEN_OP_LOAD)
        result = emit_access(e, act);
    else
        result = emit_alone(e, act);
    if (gen_forms[act->op].gives == '-')
        return;
    if (act->adds) {
        const struct id own =
            truth ? emit_truth_register(e, act->to) : emit_number_register(e, act->to);
        result = value(e, "%s %s %s", truth ? "OpLogicalNotEqual %bool" : "OpIAdd %uint", own.is,
                       result.is);
    }
    keep(e, truth, act->to, result);
}

// Functions

void emit_entry(struct emit *e, uint32_t function)
{
    const bool shared = gen_uses(e->program, GEN_SHARED), buffer = gen_uses(e->program, GEN_BUFFER);
    e->held = (struct held){0};
    e->function = function;
    e->size = gen_id("%%subgroup_size");
    if (function) {
        const struct id at = value(e, "OpAccessChain %%push_uint %%push #3");
        e->size = value(e, "OpLoad %%uint %s", at.is);
    }
    bool placed = false; // an operation asks for the invocation's number
    for (uint32_t i = 1; i <= e->program->count; i++)
        placed |= e->program->steps[i].act.op >= GEN_OP_LOAD;
    if (placed) {
        const struct id subgroup = value(e, "OpLoad %%uint %%subgroup_input");
        const struct id start = value(e, "OpIMul %%uint %s %s", subgroup.is, e->size.is);
        e->local = value(e, "OpIAdd %%uint %s %s", start.is, e->lane.is);
    }
    if (shared)
        e->cell[0] = value(e, "OpAccessChain %%shared_pair_pointer %%cells %s", e->local.is);
    if (buffer) { // its first word is reserved
        const struct id id = emit_group_number(e);
        const bool blocks = gen_has_blocks(e->program);
        const struct id each =
            blocks ? gen_id("#%u", GEN_STATE_EACH / 8)
                   : value(e, "OpIAdd %%uint %%workgroup_width #%u", GEN_COUNTERS / 2u);
        const struct id start = value(e, "OpIMul %%uint %s %s", id.is, each.is);
        e->first = value(e, "OpIAdd %%uint %s #%u", start.is,
                         blocks ? (GEN_STATE_START + GEN_STATE_CELLS) / 8 : 1);
        const struct id own = value(e, "OpIAdd %%uint %s %s", e->first.is, e->local.is);
        e->cell[1] = value(e, "OpAccessChain %%pair_pointer %%state #0 %s", own.is);
    }
}

// Each invocation initialises its cell, and the first one the counters.
static void begin_memory(struct emit *e)
{
    const bool used[] = {gen_uses(e->program, GEN_SHARED), gen_uses(e->program, GEN_BUFFER)};
    for (uint32_t buffer = 0; buffer < 2; buffer++)
        if (used[buffer])
            emit_write(e, buffer, e->cell[buffer], e->word);
    if (!used[0] && !used[1])
        return;
    const struct id first = value(e, "OpIEqual %%bool %s #0", e->local.is);
    emit_put(e, "OpSelectionMerge %%counted None");
    emit_put(e, "OpBranchConditional %s %%counting %%counted", first.is);
    emit_label(e, gen_id("%%counting"));
    for (uint32_t i = 0; i < 2 * GEN_COUNTERS; i++)
        if (used[i % 2])
            emit_put(e, "OpStore %s #%u%s", emit_counter(e, i % 2, i / 2).is, GEN_INITIAL,
                     emit_shares(e, true));
    emit_put(e, "OpBranch %%counted");
    emit_label(e, gen_id("%%counted"));
    emit_put(e, EMIT_BARRIER);
}

void emit_begin(struct emit *e)
{
    struct id before = e->word;
    keep(e, false, 0, before);
    for (uint32_t k = 1; k < e->program->numbers; k++) {
        const struct id half = value(e, "OpShiftRightLogical %%uint %s #16", before.is);
        const struct id mixed = value(e, "OpBitwiseXor %%uint %s %s", before.is, half.is);
        const struct id spread = value(e, "OpIMul %%uint %s #73244475", mixed.is);
        before = value(e, "OpIAdd %%uint %s #%u", spread.is, k);
        keep(e, false, k, before);
    }
    for (uint32_t k = 0; k < e->program->truths; k++) {
        const struct id bit = value(e, "OpBitwiseAnd %%uint %s #%u", e->word.is, 1u << k);
        keep(e, true, k, value(e, "OpINotEqual %%bool %s #0", bit.is));
    }
    emit_begin_arrays(e);
    begin_memory(e);
}

static void store_record(struct emit *e, uint32_t record, const struct id word[4])
{
    const struct id four = value(e, "OpCompositeConstruct %%uint4 %s %s %s %s", word[0].is,
                                 word[1].is, word[2].is, word[3].is);
    const struct id number = value(e, "OpIAdd %%uint %s #%u", e->records.is, record);
    const struct id at = value(e, "OpAccessChain %%mask_pointer %%output #0 %s", number.is);
    emit_put(e, "OpStore %s %s", at.is, four.is);
}

void emit_end(struct emit *e)
{
    struct id word[4];
    emit_put(e, "; the registers");
    for (uint32_t k = 0; k < e->program->numbers; k++) {
        word[k % 4] = emit_number_register(e, k);
        if (k % 4 == 3)
            store_record(e, k / 4, word);
    }
    struct id bits = gen_id("#0");
    for (uint32_t k = 0; k < e->program->truths; k++) {
        const struct id truth = emit_truth_register(e, k);
        const struct id bit = value(e, "OpSelect %%uint %s #%u #0", truth.is, 1u << k);
        bits = value(e, "OpBitwiseOr %%uint %s %s", bits.is, bit.is);
    }
    const struct id last[4] = {bits, gen_id("#0"), gen_id("#0"), gen_id("#0")};
    store_record(e, e->program->numbers / 4u, last);
}
