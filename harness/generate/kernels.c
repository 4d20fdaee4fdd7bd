// SPDX-License-Identifier: Apache-2.0
// What loops, scans and reductions of published kernels have in common, in the notation of
// generated programs, for draw.c to change. docs/fuzzing.md says where they come from.
#include "generate/program.h"

#include <assert.h>
#include <string.h>

// Inclusive scans of u1 by ShuffleUp, as a branch, as a select (u5: the lane, u6: 0), and unrolled.
#define BRANCH(sync) "while j<5 { " sync "u2=up(u1,1<<j) if lane>=1<<j { u1=add(u1,u2) } } "
#define SELECT                                                                                     \
    "while j<5 { u2=up(u1,1<<j) u3=number(1<<j) p0=less(u5,u3) u2=select(p0,u6,u2) "               \
    "u1=add(u1,u2) } "
#define STEP(n) "u2=up(u1," #n ") if lane>=" #n " { u1=add(u1,u2) } "
// A round: loads a word, computes with it, one lane stores the result.
#define ROUNDS(begin, work, lane, end)                                                             \
    begin "while i<8 { u1=word(1<<i) " work "if lane=" #lane                                       \
          " { store.shared(u1) } u7+=xor(u7,u1) " end "}"
// The results of a lane of each subgroup, scanned by half of the subgroups alone, and added.
#define LEVEL(lane, scan)                                                                          \
    " u3=gather.shared(" #lane ") if subgroup.0 { } else { " scan                                  \
    "store.shared(u3) } u4=scatter.shared(0) u7+=add(u4,u1)"

// Without their registers: u0 to u7, p0 to p3.
static const char *const kernels[][10] = {
    [GEN_NABLA -
     GEN_NABLA] = {ROUNDS("", BRANCH(""), 127, ""),
                   ROUNDS("u5=lane() u6=number(0) ", SELECT, 127, ""),
                   ROUNDS("", STEP(1) STEP(2) STEP(4) STEP(8) STEP(16), 127, ""),
                   ROUNDS("", "u1=up(u1,1) if lane=0 { u1=number(0) } " BRANCH(""), 127, ""),
                   ROUNDS("", "while j<5 { u2=shuffle-xor(u1,1<<j) u1=add(u1,u2) } ", 0, ""),
                   ROUNDS("", "fence() " BRANCH(""), 127, ""),
                   ROUNDS("", BRANCH("sync() "), 127, ""),
                   ROUNDS("", BRANCH(""), 127, "barrier() "),
                   ROUNDS("", BRANCH(""), 127, "") LEVEL(127, "u3=exclusive.add(u3) "),
                   ROUNDS("", "u1=inclusive.add(u1) ", 127, "")},
    [GEN_VELLO - GEN_NABLA] =
        {"u1=word(0) u5=local() u6=number(64) store.shared(u1) while i<6 { u2=peek.shared(1<<i) "
         "u3=number(1<<i) u3=add(u3,u5) p0=less(u3,u6) if p0 { u1=add(u1,u2) } store.shared(u1) } "
         "if lane=0 { u7+=xor(u7,u1) }",
         "while i<8 { u1=word(1<<i) if word.5+i { atomic.or.shared(u1) } } u2=total.or.shared() "
         "p0=bit(u2,3) u3=load.shared() if p0 { u3+=add(u2,u1) } store.shared(u3) "
         "u7+=peek.shared(1)",
         "while i<8 { u1=word(1<<i) p0=bit(u1,0) if p0 { u7+=xor(u7,u1) } store.shared(u7) "
         "u2=peek.shared(1) if group.3+i { break } u7+=add(u2,u1) }",
         "loop { if i>=8 { break } u2=peek.buffer(1<<i) if group.2+i { u1=add(u1,u2) break } "
         "u1+=xor(u1,u2) } if lane=0 { store.shared(u1) } u7+=gather.shared(0)"},
    [GEN_LLAMA - GEN_NABLA] =
        {"while i<8 { u1=word(1<<i) u2=mul(u1,u0) u3+=xor(u2,u3) } u3=reduce.add(u3) if lane=0 { "
         "store.shared(u3) } u4=gather.shared(0) u4=reduce.add(u4) u7+=xor(u4,u3)",
         "while i<8 { u1=word(1<<i) u2=mul(u1,u0) u3+=add(u2,u1) } store.shared(u3) while i<6 { "
         "u4=peek.shared(1<<i) u3=add(u3,u4) store.shared(u3) } u7+=xor(u3,u7)",
         "u1=inclusive.add(u0) if lane=127 { store.shared(u1) }" LEVEL(127,
                                                                       "u3=exclusive.add(u3) "),
         "while i<8 { u1=word(1<<i) p0=less(u1,u5) u2=count(p0) u7+=add(u2,u1) if group.3+i { "
         "break } "
         "u5=add(u5,u1) } u3=lowest(p0) u7+=reduce.max(u3)",
         "u1=word(0) while i<4 { u5=add(u1,u6) while j<5 { u2=shuffle-xor(u5,1<<j) p0=less(u5,u2) "
         "if p0 { u5=add(u2,u6) } } u7+=xor(u7,u5) p1=less(u1,u5) if p1 { } else { u1=number(0) } "
         "}",
         "while i<8 { u1=word(1<<i) p0=less(u2,u1) u2=select(p0,u1,u2) } u2=reduce.max(u2) while "
         "i<8 "
         "{ u1=word(1<<i) u3+=sub(u2,u1) } u3=reduce.add(u3) u7+=xor(u3,u2)"},
    [GEN_PREFIX_SUMS - GEN_NABLA] =
        {"u5=lane() u6=number(1) u6=sub(u5,u6) while i<8 { u1=word(1<<i) u2=inclusive.add(u1) "
         "u3=shuffle(u2,u6) u4=broadcast(u3,0) if lane=0 { u3=number(0) } u3+=add(u7,u1) "
         "u7=add(u7,u4) store.buffer(u3) } if lane=0 { store.shared(u7) }" LEVEL(
             0, "u3=inclusive.add(u3) "),
         "while i<8 { u1=word(1<<i) u2+=reduce.add(u1) } if lane=0 { store.shared(u2) } "
         "u3=gather.shared(0) u3=reduce.add(u3) if lane=0 { atomic.add.buffer(u3) } "
         "u7+=total.add.buffer()",
         "while i<8 { u1=word(1<<i) u2=exclusive.add(u1) u7+=add(u2,u1) u3=broadcast(u7,31) "
         "u7+=xor(u3,u1) } if lane=127 { store.shared(u7) }" LEVEL(127, "u3=exclusive.add(u3) ")},
};

bool gen_kernel_take(const struct gen_limits *limits, uint32_t number, struct gen_program *program)
{
    const bool any = number < sizeof *kernels / sizeof **kernels;
    const char *text = any ? kernels[limits->focus - GEN_NABLA][number] : NULL;
    struct lit_error error = {0};
    if (!text)
        return false;
    if (!gen_read(text, strlen(text), program, &error))
        assert(!"a kernel that cannot be read");
    program->numbers = (uint8_t)limits->numbers;
    program->truths = (uint8_t)limits->truths;
    // The last lane, whatever the subgroup's size.
    for (uint32_t i = 1; i <= program->count; i++)
        if (program->steps[i].when.value == GEN_LANE_IS &&
            program->steps[i].when.at >= limits->subgroup)
            program->steps[i].when.at = (uint8_t)(limits->subgroup - 1);
    return true;
}

static bool alike(const struct gen_step *a, const struct gen_step *b)
{
    return a->kind == b->kind && a->value == b->value && a->is_default == b->is_default &&
           a->falls == b->falls && !memcmp(&a->when, &b->when, sizeof a->when) &&
           !memcmp(&a->act, &b->act, sizeof a->act);
}

// Levenshtein's distance of the steps in text order.
static uint32_t distance(const struct gen_program *a, const struct gen_program *b)
{
    uint32_t row[GEN_STEPS + 1];
    for (uint32_t k = 0; k <= b->count; k++)
        row[k] = k;
    for (uint32_t i = 1; i <= a->count; i++) {
        uint32_t before = row[0]++; // of the row before, one to the left
        for (uint32_t k = 1; k <= b->count; k++) {
            uint32_t least = before + !alike(&a->steps[i], &b->steps[k]);
            least = row[k] < least ? row[k] + 1 : least;
            least = row[k - 1] < least ? row[k - 1] + 1 : least;
            before = row[k];
            row[k] = least;
        }
    }
    return row[b->count];
}

uint32_t gen_kernel_distance(const struct gen_program *program, const struct gen_limits *limits,
                             struct gen_program *nearest)
{
    uint32_t least = UINT32_MAX;
    struct gen_program kernel;
    for (uint32_t number = 0; gen_kernel_take(limits, number, &kernel); number++) {
        const uint32_t changed = distance(program, &kernel);
        if (changed < least && nearest)
            *nearest = kernel;
        least = changed < least ? changed : least;
    }
    return least;
}
