// SPDX-License-Identifier: Apache-2.0
// What a worker is told to make ahead, and who is to blame when it ends meanwhile.
#include "unit.h"

#include "engine/queue.h"

static const struct dev_facts device = {.subgroup = 32, .subgroup_min = 32, .subgroup_max = 32};
static struct eng_plan plan;
static bool *done;
static struct eng_request request;

static void describe(const struct cat_case *which, struct eng_upcoming *ahead, void *user)
{
    assert_ptr_equal(user, &plan);
    snprintf(ahead->name, sizeof ahead->name, "%td", which - plan.cases);
    snprintf(ahead->stress, sizeof ahead->stress, "s");
}

static int begin(void **state)
{
    // Any assembler makes all of them.
    const struct cat_selection some = {.patterns = (const char *[]){"memory", "scan"}, .count = 2};
    plan = eng_plan_make(&some, &device, false, 0);
    done = lit_alloc(plan.count, sizeof *done);
    return plan.count > 40 ? 0 : -1;
}

static int end(void **state)
{
    eng_plan_clear(&plan);
    free(done);
    return 0;
}

// What is asked at a place, as "3 4 5".
static const char *ask(struct eng_precompile *f, size_t place)
{
    static char text[256];
    text[0] = '\0';
    eng_precompile_ask(f, &plan, done, place, &request, describe, &plan);
    for (size_t i = 0; i < request.ahead_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 request.ahead[i].name);
    return text;
}

TEST(each_is_told_once)
{
    struct eng_precompile f = {.most = 3};
    memset(done, 0, plan.count);
    done[2] = done[7] = true;
    assert_string_equal(ask(&f, 0), "1 3 4");
    assert_string_equal(ask(&f, 0), ""); // another request of the same place
    assert_string_equal(ask(&f, 1), "5");
    assert_string_equal(ask(&f, 3), "6");
    assert_string_equal(ask(&f, 4), "8");
    // A new worker knows nothing.
    eng_precompile_forget(&f);
    assert_string_equal(ask(&f, 5), "6 8 9");
    // The plan ends.
    f = (struct eng_precompile){.most = ENG_PRECOMPILE_MOST};
    memset(done, 0, plan.count);
    ask(&f, plan.count - 3);
    assert_int_equal(request.ahead_count, 2);
    assert_string_equal(ask(&f, plan.count - 2), "");
    assert_string_equal(ask(&f, plan.count - 1), "");
}

TEST(there_is_a_most)
{
    struct eng_precompile f = {.most = 0};
    memset(done, 0, plan.count);
    assert_string_equal(ask(&f, 0), "");
    f.most = 1000;
    ask(&f, 0);
    assert_int_equal(request.ahead_count, ENG_PRECOMPILE_MOST);
    for (size_t i = 1; i < 30; i++) {
        ask(&f, i);
        assert_int_equal(request.ahead_count, 1);
        assert_in_range(f.count, ENG_PRECOMPILE_MOST, ENG_PRECOMPILE_MOST + 1);
    }
}

TEST(who_is_to_blame)
{
    struct eng_precompile f = {.most = 2};
    memset(done, 0, plan.count);
    assert_false(eng_precompile_unclear(&f, 0));
    assert_string_equal(ask(&f, 0), "1 2");
    assert_true(eng_precompile_unclear(&f, 0));
    assert_true(eng_precompile_made(&f, "2"));
    assert_true(eng_precompile_unclear(&f, 0));
    // Only once, and only what was asked for.
    assert_false(eng_precompile_made(&f, "2"));
    assert_false(eng_precompile_made(&f, "3"));
    assert_false(eng_precompile_made(&f, ""));
    // It is the turn of the only one that is left.
    assert_false(eng_precompile_unclear(&f, 1));
    assert_string_equal(ask(&f, 1), "3");
    assert_true(eng_precompile_unclear(&f, 1));
    assert_true(eng_precompile_made(&f, "3"));
    assert_false(eng_precompile_unclear(&f, 1));
    assert_true(eng_precompile_made(&f, "1"));
    // Turns that are over are nobody's concern.
    assert_string_equal(ask(&f, 2), "4");
    assert_string_equal(ask(&f, 5), "6 7");
    assert_false(eng_precompile_made(&f, "4"));
}

TEST(a_turn_that_is_over)
{
    OWNED(text_free) struct text name = {0};
    cat_case_name(&plan.cases[3], &name);
    assert_true(eng_precompile_over(&plan, 4, name.data));
    assert_false(eng_precompile_over(&plan, 3, name.data));
    assert_false(eng_precompile_over(&plan, plan.count, "3"));
    assert_false(eng_precompile_over(&plan, plan.count, ""));
}

// Its own pipelines are made ahead wherever any are, also where nothing new is named.
TEST(whose_own_are_renewed)
{
    struct eng_precompile f = {.most = 3};
    memset(done, 0, plan.count);
    ask(&f, 0);
    assert_true(request.renew);
    ask(&f, 0);
    assert_true(request.renew && !request.ahead_count);
    ask(&f, plan.count - 1);
    assert_true(request.renew && !request.ahead_count);
    f = (struct eng_precompile){.most = 3, .alone = 2};
    ask(&f, 1);
    assert_false(request.renew);
    ask(&f, 2);
    assert_true(request.renew);
    f = (struct eng_precompile){.most = 0};
    ask(&f, 0);
    assert_false(request.renew);
}

TEST(the_suspects_go_alone)
{
    struct eng_precompile f = {.most = 3};
    memset(done, 0, plan.count);
    assert_string_equal(ask(&f, 0), "1 2 3");
    assert_true(eng_precompile_made(&f, "3"));
    eng_precompile_separate(&f, 0);
    eng_precompile_forget(&f);
    for (size_t i = 0; i <= 2; i++) {
        assert_string_equal(ask(&f, i), "");
        assert_false(eng_precompile_unclear(&f, i));
    }
    assert_string_equal(ask(&f, 3), "4 5 6");
    // It never goes back.
    eng_precompile_separate(&f, 3);
    eng_precompile_forget(&f);
    assert_string_equal(ask(&f, 6), "");
    assert_string_equal(ask(&f, 7), "8 9 10");
}

GROUP(begin, end)
