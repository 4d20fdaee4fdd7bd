// SPDX-License-Identifier: Apache-2.0
// The checker's rules: every outcome of every mode, guards, and a whole output.
#include "unit.h"

#include "model/check.h"

static uint32_t equal(uint32_t got, uint32_t want)
{
    return cat_classify(CAT_CHECK_EQUAL, got, &want);
}

static uint32_t tag(uint32_t got, uint32_t want)
{
    return cat_classify(CAT_CHECK_TAG, got, &want);
}

TEST(words_that_are_equal)
{
    assert_int_equal(equal(7, 7), CAT_RIGHT);
    assert_int_equal(equal(0, 0), CAT_RIGHT);
    assert_int_equal(equal(CAT_POISON, 7), CAT_NEVER_WRITTEN);
    assert_int_equal(equal(CAT_POISON, 0), CAT_NEVER_WRITTEN);
    assert_int_equal(equal(0, 7), 2);
    assert_int_equal(equal(8, 7), 3);
}

TEST(guards_must_stay_poison)
{
    const uint32_t guard[4] = {CAT_POISON, CAT_POISON, ~0u, 0};
    for (int check = CAT_CHECK_EQUAL; check <= CAT_CHECK_MASK; check++) {
        assert_int_equal(cat_classify((enum cat_check)check, CAT_POISON, guard), CAT_RIGHT);
        for (uint32_t got = 0; got < 2; got++) {
            const uint32_t outcome = cat_classify((enum cat_check)check, got, guard);
            assert_true(cat_outcome_fails((enum cat_check)check, outcome));
        }
    }
    assert_int_equal(tag(cat_tag(0, 0), CAT_POISON), 4);
}

TEST(tags_tell_lane_and_iteration)
{
    const uint32_t want = cat_tag(10, 5);
    assert_int_equal(tag(want, want), CAT_RIGHT);
    assert_int_equal(tag(CAT_POISON, want), CAT_NEVER_WRITTEN);
    assert_int_equal(tag(0, want), 2);
    assert_int_equal(tag(12345, want), 3);
    assert_int_equal(tag(want | 0x10000, want), 3);
    assert_int_equal(tag(want ^ 0x80000000u, want), 3);
    assert_int_equal(tag(cat_tag(10, 6), want), 4);
    assert_int_equal(tag(cat_tag(9, 6), want), 4); // lane before iteration
    for (uint32_t distance = 1; distance <= 10; distance++) {
        const uint32_t kind = distance > 4 ? 4 : distance;
        assert_int_equal(tag(cat_tag(10 - distance, 5), want), 4 + kind);
        assert_int_equal(tag(cat_tag(10 + distance, 5), want), 8 + kind);
    }
    assert_int_equal(tag(cat_tag(0, 1), cat_tag(255, 1)), 8);
    assert_int_equal(tag(cat_tag(255, 1), cat_tag(0, 1)), 12);
    assert_int_equal(tag(0, 0), CAT_RIGHT);
    assert_int_equal(tag(cat_tag(3, 0), 0), 4); // no lane should have been heard
    assert_int_equal(tag(1, 0), 3);
}

static uint32_t mask(uint32_t got, uint32_t want, uint32_t alternative, uint32_t lower,
                     uint32_t upper)
{
    const uint32_t expected[4] = {want, alternative, lower, upper};
    return cat_classify(CAT_CHECK_MASK, got, expected);
}

TEST(masks_may_be_exact)
{
    assert_int_equal(mask(0xf0, 0xf0, 0xf0, ~0u, 0), CAT_RIGHT);
    assert_int_equal(mask(0, 0, 0, ~0u, 0), CAT_RIGHT);
    assert_int_equal(mask(CAT_POISON, 0xf0, 0xf0, ~0u, 0), CAT_NEVER_WRITTEN);
    assert_int_equal(mask(0, 0xf0, 0xf0, ~0u, 0), 3);
    assert_int_equal(mask(0x30, 0xf0, 0xf0, ~0u, 0), 4);
    assert_int_equal(mask(0xf1, 0xf0, 0xf0, ~0u, 0), 5);
    assert_int_equal(mask(0x31, 0xf0, 0xf0, ~0u, 0), 6);
    assert_int_equal(mask(0x0f, 0xf0, 0xf0, ~0u, 0), 6);
    assert_int_equal(mask(1, 0, 0, ~0u, 0), 5); // more lanes than none
    assert_int_equal(mask(~0u, 0xf0, 0xf0, ~0u, 0), 5);
}

TEST(masks_may_be_allowed)
{
    assert_int_equal(mask(0xff, 0xf0, 0xff, ~0u, 0), 2); // the alternative
    assert_int_equal(mask(0, 0xf0, 0, ~0u, 0), 2);
    assert_int_equal(mask(0x31, 0xf0, 0xf0, 0x10, 0x3f), 2); // between lower and upper
    assert_int_equal(mask(0x10, 0xf0, 0xf0, 0x10, 0x3f), 2);
    assert_int_equal(mask(0x3f, 0xf0, 0xf0, 0x10, 0x3f), 2);
    assert_int_equal(mask(0x21, 0xf0, 0xf0, 0x10, 0x3f), 6); // lacks lower
    assert_int_equal(mask(0x50, 0xf0, 0xf0, 0x10, 0x3f), 4); // beyond upper
    assert_false(cat_outcome_fails(CAT_CHECK_MASK, 2));
    assert_true(cat_outcome_fails(CAT_CHECK_EQUAL, 2));
    assert_true(cat_outcome_fails(CAT_CHECK_TAG, 2));
}

static const struct cat_mode choosing = {
    .check = CAT_CHECK_CHOICE,
    .choice = {.names = {"flag and data", "neither", "data only", "flag without data", "else"},
               .fails = 1u << 3 | 1u << 4},
};

static uint32_t choice(uint32_t got)
{
    const uint32_t expected[4] = {3, 0, 2, 1};
    return cat_classify(CAT_CHECK_CHOICE, got, expected);
}

TEST(choices_have_the_names_of_their_oracle)
{
    static const struct {
        uint32_t got, outcome;
        const char *name;
        bool fails;
    } table[] = {
        {3, 0, "flag and data", false}, {0, 2, "neither", false},
        {2, 3, "data only", false},     {1, 4, "flag without data", true},
        {7, 5, "else", true},           {CAT_POISON, CAT_NEVER_WRITTEN, "never written", true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_int_equal(choice(table[i].got), table[i].outcome);
        assert_string_equal(cat_mode_name(&choosing, table[i].outcome), table[i].name);
        assert_int_equal(cat_mode_fails(&choosing, table[i].outcome), table[i].fails);
    }
    assert_true(cat_mode_fails(&choosing, CAT_VARIED));
    assert_string_equal(cat_mode_name(&choosing, CAT_NO_PROGRESS), "no progress");
    for (uint32_t outcome = 6; outcome < CAT_VARIED; outcome++)
        assert_null(cat_mode_name(&choosing, outcome));

    // Two alternatives: the first stands for those that are not there.
    struct cat_mode two = choosing;
    two.choice.names[2][0] = two.choice.names[3][0] = '\0';
    assert_null(cat_mode_name(&two, 3));
    const uint32_t expected[4] = {3, 0, 3, 3};
    assert_int_equal(cat_classify(CAT_CHECK_CHOICE, 3, expected), CAT_RIGHT);

    // The other modes have the names that they always had.
    const struct cat_mode masks = {.check = CAT_CHECK_MASK, .choice = choosing.choice};
    assert_string_equal(cat_mode_name(&masks, 4), "split");
    assert_false(cat_mode_fails(&masks, 2));
    assert_true(cat_mode_fails(&masks, 3));
}

TEST(choices_are_counted_by_name)
{
    const struct cat_shape shape = {.instances = 3, .words_per_instance = 3};
    uint32_t expected[36], output[9] = {3, 2, 0, 3, 2, 1, 3, 3, 3};
    for (size_t i = 0; i < 9; i++)
        memcpy(expected + 4 * i, (const uint32_t[]){3, 0, 2, 1}, 16);
    struct cat_run run;
    struct cat_failure failure;
    size_t count = 0;
    cat_mode_check(&choosing, &shape, output, expected, 4, &run, &failure, 1, &count);
    assert_int_equal(run.outcomes[CAT_RIGHT], 1);
    assert_int_equal(run.outcomes[3], 1); // the first that is not right, as none fails
    assert_int_equal(run.outcomes[4], 1); // one that fails outweighs it
    assert_int_equal(run.failed, 1);
    assert_int_equal(count, 1);
    assert_int_equal(failure.instance, 1);
    assert_int_equal(failure.word, 2);
    assert_int_equal(failure.outcome, 4);
    assert_int_equal(failure.want, 3);
}

TEST(outcomes_have_names)
{
    static const uint32_t last[] = {3, 12, 6};
    for (int i = CAT_CHECK_EQUAL; i <= CAT_CHECK_MASK; i++) {
        const enum cat_check check = (enum cat_check)i;
        for (uint32_t outcome = 0; outcome < CAT_OUTCOMES + 2; outcome++) {
            const bool named =
                outcome <= last[i] || outcome == CAT_VARIED || outcome == CAT_NO_PROGRESS;
            assert_int_equal(cat_outcome_name(check, outcome) != NULL, named);
            for (uint32_t other = 0; named && other < outcome; other++)
                if (cat_outcome_name(check, other))
                    assert_string_not_equal(cat_outcome_name(check, outcome),
                                            cat_outcome_name(check, other));
        }
        assert_false(cat_outcome_fails(check, CAT_RIGHT));
        assert_true(cat_outcome_fails(check, CAT_NEVER_WRITTEN));
        assert_true(cat_outcome_fails(check, CAT_VARIED));
        assert_true(cat_outcome_fails(check, CAT_NO_PROGRESS));
    }
    assert_string_equal(cat_outcome_name(CAT_CHECK_TAG, 5), "stale by 1");
    assert_string_equal(cat_outcome_name(CAT_CHECK_MASK, 4), "split");
}

// Each number of a state is an outcome of its own, and its name is that of the state.
TEST(states_are_outcomes)
{
    static struct cat_mode mode = {.check = CAT_CHECK_STATE, .choice = {.fails = 0x10000006}};
    const uint32_t expected = 0;
    uint32_t seen = 0;
    for (uint32_t i = 0; i <= CAT_STATES; i++)
        snprintf(mode.choice.names[i], CAT_CHOICE_NAME, "state %u", i);
    for (uint32_t got = 0; got < CAT_STATES + 3; got++) {
        const uint32_t place = got < CAT_STATES ? got : CAT_STATES;
        const uint32_t outcome = cat_classify(CAT_CHECK_STATE, got, &expected);
        assert_true(outcome < CAT_OUTCOMES);
        assert_true(place == CAT_STATES || !(seen >> outcome & 1));
        seen |= UINT32_C(1) << outcome;
        assert_string_equal(cat_mode_name(&mode, outcome), mode.choice.names[place]);
        assert_int_equal(cat_mode_find(&mode, mode.choice.names[place]), outcome);
        assert_int_equal(cat_mode_fails(&mode, outcome), mode.choice.fails >> place & 1);
    }
    assert_int_equal(cat_classify(CAT_CHECK_STATE, CAT_POISON, &expected), CAT_NEVER_WRITTEN);
    assert_false(seen & (1u << CAT_NEVER_WRITTEN | 1u << CAT_VARIED | 1u << CAT_NO_PROGRESS));
}

TEST(a_whole_output_is_counted)
{
    const struct cat_shape shape = {.instances = 4, .words_per_instance = 3};
    const uint32_t expected[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, CAT_POISON};
    uint32_t output[12];
    struct cat_run run;
    struct cat_failure failures[2];
    size_t count = 0;

    memcpy(output, expected, sizeof output);
    cat_mode_check(&(struct cat_mode){.check = CAT_CHECK_EQUAL}, &shape, output, expected, 0, &run,
                   failures, 2, &count);
    assert_int_equal(run.words, 12);
    assert_int_equal(run.outcomes[CAT_RIGHT], 4);
    assert_int_equal(run.failed, 0);
    assert_int_equal(count, 0);
    uint32_t digest = 0;
    for (uint32_t i = 0; i < 12; i++)
        digest += (expected[i] + 0x9E3779B9u * (i + 1)) * 0x85EBCA6Bu;
    assert_int_equal(run.digest, digest);

    output[1] = 0;
    output[2] = 77;
    output[5] = CAT_POISON;
    output[11] = 1; // somebody wrote into the guard
    cat_mode_check(&(struct cat_mode){.check = CAT_CHECK_EQUAL}, &shape, output, expected, 9, &run,
                   failures, 2, &count);
    assert_int_equal(run.words, 12);
    assert_int_equal(run.failed, 3);
    assert_int_equal(run.outcomes[CAT_RIGHT], 1);
    assert_int_equal(run.outcomes[CAT_NEVER_WRITTEN], 1);
    assert_int_equal(run.outcomes[2], 1);
    assert_int_equal(run.outcomes[3], 1);
    assert_true(run.digest != digest);
    assert_int_equal(count, 2); // as many as there is room for
    assert_int_equal(failures[0].run, 9);
    assert_int_equal(failures[0].instance, 0);
    assert_int_equal(failures[0].word, 1);
    assert_int_equal(failures[0].got, 0);
    assert_int_equal(failures[0].want, 2);
    assert_int_equal(failures[0].outcome, 2);
    assert_int_equal(failures[1].instance, 1);
    assert_int_equal(failures[1].word, 2);
    assert_int_equal(failures[1].outcome, CAT_NEVER_WRITTEN);
}

TEST(a_failing_word_outweighs_an_allowed_one)
{
    const struct cat_shape shape = {.instances = 2, .words_per_instance = 2};
    const uint32_t expected[16] = {1, 3, ~0u, 0, 1, 3, ~0u, 0, 1, 3, ~0u, 0, 1, 3, ~0u, 0};
    const uint32_t output[4] = {3, 1, 3, 2};
    struct cat_run run;
    struct cat_failure failure;
    size_t count = 0;
    cat_mode_check(&(struct cat_mode){.check = CAT_CHECK_MASK}, &shape, output, expected, 0, &run,
                   &failure, 1, &count);
    assert_int_equal(run.outcomes[2], 1);
    assert_int_equal(run.outcomes[6], 1);
    assert_int_equal(run.failed, 1);
    assert_int_equal(count, 1);
    assert_int_equal(failure.instance, 1);
    assert_int_equal(failure.word, 1);
    assert_int_equal(failure.want, 1);
}
