// SPDX-License-Identifier: Apache-2.0
// Simplifies control flow: removes branches without a choice, reduces loops to one iteration,
// merges blocks.
#include "reduce/pass.h"

#include "base/text.h"

#include <stdlib.h>

#define BRANCH (2u << SpvWordCountShift | SpvOpBranch)

static uint32_t opcode_at(const struct red_module *m, size_t at)
{
    return at < m->count && !m->lines[at].gone ? red_op(&m->lines[at]) : (uint32_t)SpvOpNop;
}

// --- Branches

// A branch's or switch's target in this direction; 0: none.
static uint32_t target_of(const struct red_module *m, size_t at, int way)
{
    const struct red_line *line = &m->lines[at];
    const uint32_t opcode = red_op(line);
    const bool merges = at > 0 && opcode_at(m, at - 1) == SpvOpSelectionMerge;
    const uint32_t merge = merges ? m->lines[at - 1].words[1] : 0;
    if (opcode != SpvOpBranchConditional && opcode != SpvOpSwitch)
        return 0;
    const uint32_t first = line->words[2];
    const uint32_t second = opcode == SpvOpBranchConditional ? line->words[3]
                            : line->size > 4                 ? line->words[line->size - 1]
                                                             : 0;
    switch (way) {
    case RED_WAY_FIRST:
        return first;
    case RED_WAY_SECOND:
        return second != first ? second : 0;
    default:
        return merge != first && merge != second ? merge : 0;
    }
}

void red_branch(struct red_run *run, size_t at)
{
    const uint32_t target = target_of(run->m, at, run->how);
    if (!target || !red_is_chosen(run))
        return;
    red_put(run->draft->module, at, (uint32_t[]){BRANCH, target}, 2);
    if (opcode_at(run->m, at - 1) == SpvOpSelectionMerge)
        run->draft->module->lines[at - 1].gone = true;
}

// --- Selections that only choose between values

// The line after a selection's arm that starts at `at`; RED_NONE if the arm is more than one block
// of values with a single predecessor.
static size_t behind_arm(const struct red_module *m, size_t at, const uint32_t *ways,
                         uint32_t merge)
{
    if (opcode_at(m, at) != SpvOpLabel || ways[m->lines[at].words[1]] != 1)
        return RED_NONE;
    for (at++; at < m->count && red_is_pure(&m->lines[at]); at++)
        if (red_op(&m->lines[at]) == SpvOpPhi)
            return RED_NONE;
    return opcode_at(m, at) == SpvOpBranch && m->lines[at].words[1] == merge ? at + 1 : RED_NONE;
}

struct selection {
    uint32_t condition, merge;
    uint32_t from[2];     // predecessors of the merge block
    size_t begin, behind; // OpSelectionMerge; label of the merge block
};

// Whether a branch only chooses between values of the two arms that follow it.
static bool find_selection(const struct red_module *m, size_t at, uint32_t header,
                           const uint32_t *ways, struct selection *found)
{
    const struct red_line *branch = &m->lines[at];
    if (red_op(branch) != SpvOpBranchConditional || opcode_at(m, at - 1) != SpvOpSelectionMerge)
        return false;
    *found = (struct selection){branch->words[1], m->lines[at - 1].words[1], {0}, at - 1, at + 1};
    for (unsigned arm = 0; arm < 2; arm++) {
        const uint32_t label =
            opcode_at(m, found->behind) == SpvOpLabel ? m->lines[found->behind].words[1] : 0;
        const unsigned side = label == branch->words[3];
        if (label == found->merge || label != branch->words[2 + side])
            continue;
        found->from[side] = label;
        found->behind = behind_arm(m, found->behind, ways, found->merge);
        if (found->behind == RED_NONE)
            return false;
    }
    for (unsigned side = 0; side < 2; side++)
        if (!found->from[side] && branch->words[2 + side] != found->merge)
            return false;
        else if (!found->from[side])
            found->from[side] = header;
    return found->from[0] != found->from[1] && ways[found->merge] == 3 &&
           opcode_at(m, found->behind) == SpvOpLabel &&
           m->lines[found->behind].words[1] == found->merge;
}

static uint32_t value_from(const struct red_line *phi, uint32_t block)
{
    for (uint32_t w = 3; w + 1 < phi->size; w += 2)
        if (phi->words[w + 1] == block)
            return phi->words[w];
    return 0;
}

// Computes both arms, and replaces the phis by selects.
static bool flatten(const struct red_module *m, const struct selection *s, struct red_module *draft)
{
    size_t i = s->begin;
    for (; i <= s->behind; i++)
        draft->lines[i].gone |=
            i < s->begin + 2 || opcode_at(m, i) == SpvOpLabel || opcode_at(m, i) == SpvOpBranch;
    for (; opcode_at(m, i) == SpvOpPhi; i++) {
        const struct red_line *phi = &m->lines[i];
        const uint32_t first = value_from(phi, s->from[0]), second = value_from(phi, s->from[1]);
        if (!first || !second)
            return false;
        red_put(draft, i,
                (uint32_t[]){6u << SpvWordCountShift | SpvOpSelect, phi->words[1], phi->words[2],
                             s->condition, first, second},
                6);
    }
    return true;
}

void red_select(struct red_run *run, size_t at)
{
    struct selection found;
    if (!find_selection(run->m, at, run->block, run->ways, &found) || !red_is_chosen(run))
        return;
    run->good = run->good && flatten(run->m, &found, run->draft->module);
    run->with[found.merge] = run->block;
}

// --- Loops

// Redirects all back edges of a loop's header to its merge block.
static void lead_out(struct red_module *m, size_t loop, uint32_t header, uint32_t merge)
{
    // The entry to a loop precedes its header; all back edges follow it.
    for (size_t i = loop; i < m->count && opcode_at(m, i) != SpvOpFunctionEnd; i++) {
        struct red_line *line = &m->lines[i];
        if (line->gone || !red_is_end(red_op(line)))
            continue;
        for (uint32_t w = 1; w < line->size; w++)
            if (line->kinds[w] == SPIRV_ID && line->words[w] == header)
                line->words[w] = merge;
        // Both targets are now the same.
        if (red_op(line) == SpvOpBranchConditional && line->words[2] == line->words[3])
            red_put(m, i, (uint32_t[]){BRANCH, line->words[2]}, 2);
    }
}

// Reduces a loop to one iteration.
void red_once(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    if (red_op(line) != SpvOpLoopMerge || !red_is_chosen(run))
        return;
    struct red_module *draft = run->draft->module;
    lead_out(draft, at, run->block, line->words[1]);
    if (opcode_at(draft, at + 1) == SpvOpBranchConditional)
        red_put(draft, at,
                (uint32_t[]){3u << SpvWordCountShift | SpvOpSelectionMerge, line->words[1], 0}, 3);
    else
        draft->lines[at].gone = true;
}

// --- Blocks

// Merges a block into its only predecessor.
void red_join(struct red_run *run, size_t at)
{
    const struct red_module *m = run->m;
    const struct red_line *line = &m->lines[at], *next = line + 1;
    // Only consecutive blocks, as compilers write them.
    if (at + 1 >= m->count || red_op(line) != SpvOpBranch || red_op(next) != SpvOpLabel ||
        next->words[1] != line->words[1] || run->ways[line->words[1]] != 1 ||
        opcode_at(m, at - 1) == SpvOpLoopMerge || opcode_at(m, at + 2) == SpvOpPhi ||
        !red_is_chosen(run))
        return;
    run->draft->module->lines[at].gone = true;
    run->draft->module->lines[at + 1].gone = true;
    run->with[next->words[1]] = run->block;
}
