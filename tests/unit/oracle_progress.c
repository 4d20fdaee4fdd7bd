// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `progress`, against the protocols played through in random order: who
// waits is tried again until it can go on.
#include "unit.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#include <stdlib.h>
#include <string.h>

#define SCALE 3u

static const uint32_t sizes[] = {4, 8, 32, 64};

struct made {
    const struct cat_oracle *oracle;
    struct cat_args args;
    struct cat_shape shape;
    uint32_t *input, *expected, *output;
    uint64_t words;
};

static bool make(const struct cat_case *which, struct made *made)
{
    struct lit_error error = {0};
    *made = (struct made){.oracle = which->test->oracle};
    made->args = (struct cat_args){.subgroup = which->subgroup, .scale = SCALE, .which = which};
    made->args.workgroup = cat_value(&made->args, "workgroup");
    if (made->args.workgroup < made->args.subgroup ||
        !cat_oracle_shape(made->oracle, &made->args, &made->shape, &error))
        return false;
    made->words = made->shape.instances * made->shape.words_per_instance;
    made->input = calloc(made->shape.input_words + 1, sizeof *made->input);
    made->expected = calloc(made->words, sizeof *made->expected);
    made->output = malloc(made->words * sizeof *made->output);
    for (uint64_t i = 0; i < made->words; i++)
        made->output[i] = CAT_POISON;
    if (made->shape.input_words)
        cat_oracle_input(made->oracle, &made->args, &made->shape, 7, made->input);
    cat_oracle_expect(made->oracle, &made->args, &made->shape, made->input, made->expected);
    return true;
}

// What was played must be what is expected, and any word that is changed must be caught.
static void judge(struct made *made)
{
    struct cat_run run;
    struct cat_failure failures[2];
    size_t count = 0;
    cat_mode_check(&(struct cat_mode){.check = made->oracle->check}, &made->shape, made->output,
                   made->expected, 0, &run, failures, 2, &count);
    assert_int_equal(run.failed, 0);
    assert_int_equal(run.outcomes[CAT_RIGHT], made->shape.instances);
    made->output[made->words / 2] += 1;
    cat_mode_check(&(struct cat_mode){.check = made->oracle->check}, &made->shape, made->output,
                   made->expected, 0, &run, failures, 2, &count);
    assert_int_equal(run.failed, 1);
    char text[200];
    cat_oracle_where(made->oracle, &made->args, &made->shape, &failures[0], text, sizeof text);
    assert_true(strlen(text) > 5);
    free(made->input);
    free(made->expected);
    free(made->output);
}

static void play_chain(struct made *made, struct lit_random *random)
{
    const uint32_t count = made->shape.workgroups;
    uint32_t *passed = calloc(count, sizeof *passed);
    for (uint32_t left = count; left;) {
        const uint32_t place = (uint32_t)random_below(random, count);
        if (passed[place] || (place && !passed[place - 1]))
            continue;
        const uint32_t value = place ? passed[place - 1] : made->input[0];
        made->output[place] = passed[place] = (value * 1664525u + 1013904223u) | 1u;
        left--;
    }
    free(passed);
}

static void play_occupancy(struct made *made)
{
    uint32_t have_come = 0;
    for (uint32_t i = 0; i < made->shape.workgroups; i++)
        have_come++;
    for (uint32_t i = 0; i < made->shape.workgroups; i++)
        made->output[i] = have_come;
}

// The kernel's own arithmetic of halves and slots.
static void play_handover(struct made *made)
{
    const uint32_t lanes = made->args.subgroup, width = made->args.workgroup;
    const bool by_lanes = cat_axis_is(&made->args, "between", "lanes");
    const bool high_waits = cat_axis_is(&made->args, "waiter", "high");
    for (uint32_t group = 0; group < SCALE; group++) {
        uint32_t values[1024];
        for (int phase = 0; phase < 2; phase++)
            for (uint32_t subgroup = 0; subgroup < width / lanes; subgroup++)
                for (uint32_t lane = 0; lane < lanes; lane++) {
                    const uint32_t invocation = subgroup * lanes + lane;
                    const uint32_t half = by_lanes ? lanes / 2 : width / 2;
                    const bool high = by_lanes ? lane >= half : invocation >= half;
                    const uint32_t slot = high ? invocation - half : invocation;
                    const bool waits = high == high_waits;
                    uint32_t *shown = &made->output[group * width + invocation];
                    if (phase == 0 && !waits)
                        *shown = values[slot] = made->input[group * width + invocation];
                    else if (phase == 1 && waits)
                        *shown = values[slot];
                }
    }
}

static void play_lock(struct made *made, struct lit_random *random)
{
    const uint32_t contenders = (uint32_t)made->shape.words_per_instance;
    for (uint64_t lock = 0; lock < made->shape.instances; lock++) {
        bool *entered = calloc(contenders, sizeof *entered);
        for (uint32_t count = 0; count < contenders;) {
            bool *who = &entered[random_below(random, contenders)];
            if (*who)
                continue;
            *who = true;
            made->output[lock * contenders + count] = count;
            count++;
        }
        free(entered);
    }
}

static void play_list(struct made *made, struct lit_random *random)
{
    const uint32_t lanes = made->args.subgroup, tail = 4;
    const uint32_t anchors = cat_axis_is(&made->args, "behind", "one") ? 1 : 4;
    for (uint64_t list = 0; list < made->shape.instances; list++) {
        uint32_t next[140] = {1, 2, 3, 4}, before[140] = {0, 0, 1, 2, 3};
        bool inserted[140] = {0};
        for (uint32_t left = lanes; left;) {
            const uint32_t lane = (uint32_t)random_below(random, lanes), own = 5 + lane;
            const uint32_t behind = lane % anchors, after = next[behind];
            if (inserted[lane])
                continue;
            inserted[lane] = true;
            next[own] = after;
            before[own] = behind;
            next[behind] = before[after] = own;
            left--;
        }
        uint32_t *out = &made->output[4 * list];
        memset(out, 0, 4 * sizeof *out);
        for (uint32_t node = 0; node != tail; node = next[node], out[0]++)
            out[1] += node;
        for (uint32_t node = tail; node != 0; out[2]++)
            out[3] += node = before[node];
    }
}

static void play(const struct cat_case *which, void *user)
{
    struct made made;
    struct lit_random random = {11};
    const char *name = which->test->head.test;
    if (which->sweep[1] > 4 || !make(which, &made))
        return;
    ++*(unsigned *)user;
    if (!strcmp(name, "chain"))
        play_chain(&made, &random);
    else if (!strcmp(name, "occupancy"))
        play_occupancy(&made);
    else if (!strcmp(name, "handover"))
        play_handover(&made);
    else if (!strcmp(name, "spin-lock"))
        play_lock(&made, &random);
    else if (!strcmp(name, "linked-list"))
        play_list(&made, &random);
    else
        fail_msg("nobody plays %s", which->test->head.name);
    judge(&made);
}

static void every_protocol_ends_as_expected(void **state)
{
    (void)state;
    for (size_t t = 0; t < cat_test_count(); t++) {
        const struct cat_test *test = cat_test_at(t);
        unsigned played = 0;
        if (strcmp(test->head.family, "progress"))
            continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            cat_test_each(test, sizes[s], play, &played);
        assert_true(played > 4);
    }
}

static void refuse(const struct cat_case *which, void *user)
{
    struct cat_args args = {.subgroup = which->subgroup, .scale = 1, .which = which};
    struct cat_shape shape;
    struct lit_error error = {0};
    args.workgroup = cat_value(&args, "workgroup");
    if (args.workgroup != 128)
        return;
    if (!cat_oracle_shape(which->test->oracle, &args, &shape, &error)) {
        assert_true(strlen(error.message) > 10);
        ++*(unsigned *)user;
    }
}

static void who_has_nobody_to_wait_for_is_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *test;
        uint32_t subgroup;
    } alone[] = {
        {"progress.handover", 128}, {"progress.spin-lock", 128}, {"progress.linked-list", 2}};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++) {
        unsigned refused = 0;
        cat_test_each(cat_test_find(alone[i].test), alone[i].subgroup, refuse, &refused);
        assert_true(refused > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_protocol_ends_as_expected),
        cmocka_unit_test(who_has_nobody_to_wait_for_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
