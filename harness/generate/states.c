// SPDX-License-Identifier: Apache-2.0
// Numbers final states, allowed ones first, since number 0 never fails.
#include "generate/states.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST 65536 // limit on the table

void gen_states_clear(struct gen_states *states)
{
    for (size_t i = 0; i < AXI_OBSERVED; i++)
        free(states->observed[i].values);
    free(states->table);
    *states = (struct gen_states){0};
}

static int by_value(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static bool add_value(const struct axi_program *program, size_t o, int64_t value,
                      struct gen_states *states, struct lit_error *error)
{
    uint32_t at = 0;
    if (value < INT32_MIN || value > INT32_MAX)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "%s=%" PRId64 ": no number of 32 bits",
                        program->observed[o].name, value);
    while (at < states->observed[o].count && states->observed[o].values[at] != (uint32_t)value)
        at++;
    states->observed[o].values[at] = (uint32_t)value;
    states->observed[o].count += at == states->observed[o].count;
    return true;
}

// Collects the values in final states and in conditions.
static bool find_values(const struct axi_program *program, const struct axi_verdict *verdict,
                        struct gen_states *states, struct lit_error *error)
{
    uint64_t size = 1;
    for (size_t o = 0; o < program->observed_count; o++) {
        const size_t most = verdict->count + program->node_count;
        states->observed[o].values = lit_alloc(most + 1, sizeof *states->observed[o].values);
        for (size_t i = 0; i < verdict->count; i++)
            if (!add_value(program, o, verdict->states[i].values[o], states, error))
                return false;
        for (size_t i = 0; i < program->node_count; i++) {
            const struct axi_node *node = &program->nodes[i];
            const int side = node->is_constant[1];
            const bool is_one = node->kind == AXI_COMPARE &&
                                node->is_constant[0] != node->is_constant[1] &&
                                (side ? node->left : node->right) == o;
            if (is_one && !add_value(program, o, node->constant[side], states, error))
                return false;
        }
        qsort(states->observed[o].values, states->observed[o].count,
              sizeof *states->observed[o].values, by_value);
        states->observed[o].weight = (uint32_t)size;
        size *= states->observed[o].count + 1;
        if (size > SIZE_MOST)
            return lit_fail(error, LIT_EXIT_UNDECIDED,
                            "what its condition names has more than %d combinations of values",
                            SIZE_MOST);
    }
    states->size = (uint32_t)size;
    return true;
}

static uint32_t index_of(const struct axi_program *program, const struct gen_states *states,
                         const int64_t *values)
{
    uint32_t index = 0;
    for (size_t o = 0; o < program->observed_count; o++) {
        uint32_t digit = 0;
        while (states->observed[o].values[digit] != (uint32_t)values[o])
            digit++;
        index += digit * states->observed[o].weight;
    }
    return index;
}

static void put_name(const struct axi_program *program, const int64_t *values, bool asked,
                     uint32_t number, char *name)
{
    OWNED(text_free) struct text text = {0};
    for (size_t o = 0; o < program->observed_count; o++)
        text_printf(&text, "%s%s=%" PRId64, o ? " " : "", program->observed[o].name, values[o]);
    if (text.length + sizeof " *" > GEN_STATE_NAME) {
        text.length = 0;
        text_printf(&text, "state %u", number);
    }
    snprintf(name, GEN_STATE_NAME, "%s%s", text.data, asked ? " *" : "");
}

// Whether the file asks for a state, by exists or ~exists, or against its forall.
static bool is_asked(const struct axi_program *program, const int64_t *values)
{
    const struct axi_check *check = &program->checks[0];
    return program->check_count && axi_satisfies(program, program->filter, values) &&
           axi_satisfies(program, check->condition, values) == (check->quantifier != AXI_FORALL);
}

static bool is_left_out(const struct axi_program *program, const int64_t *values)
{
    return !axi_satisfies(program, program->filter, values);
}

// The values of an index; false if one of them is unknown.
static bool take_values(const struct axi_program *program, const struct gen_states *states,
                        uint32_t index, int64_t *values)
{
    for (size_t o = 0; o < program->observed_count; o++) {
        const uint32_t count = states->observed[o].count, digit = index % (count + 1);
        if (digit == count)
            return false;
        values[o] = (int32_t)states->observed[o].values[digit];
        index /= count + 1;
    }
    return true;
}

// A state that is asked for and that no candidate execution has is also forbidden.
static void add_asked(const struct axi_program *program, const struct axi_verdict *verdict,
                      uint32_t index, uint32_t most, uint32_t *used, struct gen_states *states)
{
    int64_t values[AXI_OBSERVED];
    if (states->table[index] != GEN_STATES || verdict->races || verdict->cut ||
        !take_values(program, states, index, values) || !is_asked(program, values))
        return;
    for (size_t i = 0; i < verdict->count; i++)
        if (index_of(program, states, verdict->states[i].values) == index)
            return;
    states->forbids = true;
    if (*used == most)
        return;
    states->table[index] = *used;
    states->fails |= 1u << *used;
    put_name(program, values, true, *used, states->names[*used]);
    ++*used;
}

bool gen_states_make(const struct axi_program *program, const struct axi_verdict *verdict,
                     struct gen_states *states, struct lit_error *error)
{
    size_t allowed = 0;
    uint32_t used = 0, asked = 0;
    states->waits = axi_waits(program);
    if (!program->observed_count && !states->waits)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "its condition names nothing");
    if (!verdict->count && program->observed_count)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "it has no execution");
    if (verdict->more)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "more than %d final states", AXI_STATES);
    if (!find_values(program, verdict, states, error))
        return false;
    states->table = lit_alloc(states->size, sizeof *states->table);
    for (uint32_t i = 0; i < states->size; i++)
        states->table[i] = GEN_STATES;
    for (size_t i = 0; i < verdict->count; i++)
        allowed += verdict->states[i].allowed || is_left_out(program, verdict->states[i].values);
    states->forbids = program->observed_count && !verdict->races && !verdict->cut &&
                      (allowed < verdict->count || !verdict->forbids);
    snprintf(states->names[GEN_STATES], GEN_STATE_NAME, "another state");
    // Not final states: numbered downwards from the last.
    uint32_t most = GEN_STATES;
    if (states->waits)
        snprintf(states->names[states->ran_out = --most], GEN_STATE_NAME, AXI_RAN_OUT);
    if (program->filter != AXI_TRUE)
        snprintf(states->names[--most], GEN_STATE_NAME, AXI_LEFT_OUT);
    if (!program->observed_count) {
        snprintf(states->names[0], GEN_STATE_NAME, "ended");
        states->table[0] = 0;
        return true;
    }
    for (uint32_t i = 0; i < states->size; i++) {
        int64_t values[AXI_OBSERVED];
        if (take_values(program, states, i, values) && is_left_out(program, values))
            states->table[i] = most;
    }
    // If allowed states exceed the numbers, the last number stands for the remaining ones. States
    // that are not asked for come first, so that number 0 does not fail.
    const bool many = allowed > most;
    for (int turn = 0; turn < 4; turn++)
        for (size_t i = 0; i < verdict->count; i++) {
            const struct axi_state *state = &verdict->states[i];
            const bool is_one = is_asked(program, state->values);
            if (state->allowed != (turn < 2) || is_one != (turn % 2 == 1) ||
                is_left_out(program, state->values))
                continue;
            const uint32_t limit = !many ? most : state->allowed ? most - 1 : 0;
            const uint32_t number = used < limit ? used++ : state->allowed ? most - 1 : GEN_STATES;
            states->table[index_of(program, states, state->values)] = number;
            if (many && state->allowed && used == limit)
                snprintf(states->names[limit], GEN_STATE_NAME, "another allowed state");
            if (number == limit || number == GEN_STATES)
                continue;
            put_name(program, state->values, is_one, number, states->names[number]);
            states->fails |= states->forbids && !state->allowed ? 1u << number : 0;
            asked |= is_one ? 1u << number : 0;
        }
    used = many ? most : used;
    for (uint32_t index = 0; index < states->size; index++)
        add_asked(program, verdict, index, most, &used, states);
    states->fails = states->forbids ? states->fails | 1u << GEN_STATES : asked;
    states->fails &= ~1u;
    return true;
}
