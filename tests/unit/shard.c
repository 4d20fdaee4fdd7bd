// SPDX-License-Identifier: Apache-2.0
// Shards: what the variables of a CI come to, and that the shards of a run are the run.
#include "sections.h"

#include "engine/plan.h"

// An environment, "NAME=value NAME=value".
static const char *environment;

static char *get(const char *name)
{
    static char value[128];
    const size_t length = strlen(name);
    for (const char *at = environment; *at; at += strspn(at, " ")) {
        const size_t entry = strcspn(at, " ");
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            snprintf(value, sizeof value, "%.*s", (int)(entry - length - 1), at + length + 1);
            // Several values are asked for at once.
            static char kept[16][128];
            static unsigned next;
            return strcpy(kept[next++ % 16], value);
        }
        at += entry;
    }
    return NULL;
}

TEST(the_environment)
{
    for (const char *at = section("environments")->text, *want;
         sections_row(&at, &environment, &want);) {
        struct eng_shard shard;
        char from[64], remark[200], got[300] = "";
        print_message("%s\n", environment);
        const bool good = eng_shard_from(get, &shard, from, remark, &error);
        assert_int_equal(good, *want != '!');
        if (!good) {
            assert_non_null(strstr(error.message, want + 1));
            assert_int_equal(error.code, LIT_EXIT_USAGE);
            continue;
        }
        assert_int_equal(remark[0] != '\0', *want == '~');
        if (*want == '~') {
            assert_non_null(strstr(remark, want + 1));
            assert_int_equal(shard.kind, STORE_WHOLE);
            continue;
        }
        if (shard.kind != STORE_WHOLE)
            snprintf(got, sizeof got, "%u/%u %s", (unsigned)shard.index, (unsigned)shard.count,
                     from);
        assert_string_equal(got, want);
    }
}

TEST(the_run_has_one_seed)
{
    static const struct {
        const char *environment, *from;
    } rows[] = {
        {"", NULL},
        {"GITHUB_RUN_ATTEMPT=2", NULL},
        {"GTEST_RANDOM_SEED=0", NULL},
        {"GITHUB_RUN_ID=77", "GITHUB_RUN_ID"},
        {"GITHUB_RUN_ID=77 GITHUB_RUN_ATTEMPT=1", "GITHUB_RUN_ID"},
        {"GITHUB_RUN_ID=77 GITHUB_RUN_ATTEMPT=2 BUILD_TAG=x", "GITHUB_RUN_ID"},
        {"CI_PIPELINE_ID=77", "CI_PIPELINE_ID"},
        {"SLURM_ARRAY_JOB_ID=77", "SLURM_ARRAY_JOB_ID"},
        {"BUILD_TAG=jenkins-a-1", "BUILD_TAG"},
        {"GTEST_RANDOM_SEED=5", "GTEST_RANDOM_SEED"},
    };
    uint64_t seeds[16] = {0};
    char from[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t again = 0;
        environment = rows[i].environment;
        assert_int_equal(eng_shard_seed(get, &seeds[i], from), rows[i].from != NULL);
        if (!rows[i].from)
            continue;
        assert_string_equal(from, rows[i].from);
        eng_shard_seed(get, &again, from);
        assert_int_equal(again, seeds[i]);
        for (size_t j = 0; j < i; j++)
            assert_true(seeds[j] != seeds[i]);
    }
}

TEST(shards_of_runs_are_the_runs)
{
    static const uint64_t runs[] = {0, 1, 3, 7, 1000, 1001, UINT64_MAX / 3};
    static const uint64_t counts[] = {2, 3, 7, 1000, ENG_SHARDS_MAX};
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            uint64_t next = 0;
            for (uint64_t i = 0; i < counts[c]; i++) {
                uint64_t first, count;
                eng_shard_runs(&(struct eng_shard){STORE_SHARD_RUNS, i, counts[c]}, runs[r], &first,
                               &count);
                assert_true(first == next);
                assert_true(count == runs[r] / counts[c] || count == runs[r] / counts[c] + 1);
                next += count;
            }
            assert_true(next == runs[r]);
        }
    uint64_t first, count;
    eng_shard_runs(&(struct eng_shard){STORE_SHARD_TESTS, 1, 2}, 9, &first, &count);
    assert_true(first == 0 && count == 9);
}

// The hash is FNV-1a: values of its authors' table.
TEST(names_are_hashed_by_fnv_1a)
{
    static const struct {
        const char *name;
        uint64_t hash;
    } rows[] = {
        {"", 0xcbf29ce484222325}, {"a", 0xaf63dc4c8601ec8c}, {"foobar", 0x85944171f73967e8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (uint64_t count = 2; count < 50; count++)
            for (uint64_t index = 0; index < count; index++)
                assert_int_equal(eng_shard_has(&(struct eng_shard){STORE_SHARD_TESTS, index, count},
                                               rows[i].name),
                                 rows[i].hash % count == index);
}

// Each configuration is in one shard, and no shard is twice as large as it should be.
TEST(shards_of_tests_are_the_plan)
{
    const struct dev_facts facts = {.subgroup = 32, .subgroup_min = 32, .subgroup_max = 32};
    const struct cat_selection all = {0};
    OWNED(eng_plan_clear) struct eng_plan whole = eng_plan_make(&all, &facts, false, 0);
    for (uint64_t count = 2; count <= 8; count++) {
        size_t sum = 0;
        for (uint64_t index = 0; index < count; index++) {
            OWNED(eng_plan_clear) struct eng_plan plan = eng_plan_make(&all, &facts, false, 0);
            eng_plan_shard(&plan, &(struct eng_shard){STORE_SHARD_TESTS, index, count});
            assert_in_range(plan.count, whole.count / count / 2, whole.count / count * 2);
            sum += plan.count;
        }
        assert_int_equal(sum, whole.count);
    }
}
