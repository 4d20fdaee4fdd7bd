// SPDX-License-Identifier: Apache-2.0
// Shards: from words to a part of a run.

#include "engine/shard.h"

#include "base/random.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *value_of(eng_getenv *get, const char *name)
{
    const char *value = get(name);
    return value && value[0] ? value : NULL;
}

// Decimal digits alone, at most `most`.
static bool read_number(const char *text, size_t length, uint64_t most, uint64_t *number)
{
    *number = 0;
    if (length == 0 || length > 18 || strspn(text, "0123456789") < length)
        return false;
    for (size_t i = 0; i < length; i++)
        *number = *number * 10 + (uint64_t)(text[i] - '0');
    return *number <= most;
}

static void settle(struct eng_shard *shard, enum store_shard kind, uint64_t index, uint64_t count)
{
    *shard = (struct eng_shard){0};
    if (count > 1)
        *shard = (struct eng_shard){.kind = kind, .index = index, .count = count};
}

bool eng_shard_parse(const char *text, enum store_shard kind, const char *from,
                     struct eng_shard *shard, struct lit_error *error)
{
    const char *slash = strchr(text, '/');
    uint64_t index = 0, count = 0;
    settle(shard, kind, 0, 0);
    if (strcmp(text, "none") == 0)
        return true;
    if (!slash || !read_number(text, (size_t)(slash - text), ENG_SHARDS_MAX, &index) ||
        !read_number(slash + 1, strlen(slash + 1), ENG_SHARDS_MAX, &count))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: '%.40s' is no shard: INDEX/COUNT, as in 0/4, or none", from, text);
    if (index >= count)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: there is no shard %.40s: the index counts from 0 to the count less 1",
                        from, text);
    settle(shard, kind, index, count);
    return true;
}

// Two variables that say an index and a count.
struct pair {
    const char *index, *count;
    uint64_t first; // what the index counts from
    bool both;      // one without the other is an error; else it is ignored
};

static const struct pair pairs[] = {
    {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", 0, true},
    // GitLab sets the second one in every job.
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1, false},
};

static bool fail_pair(const char *index_name, const char *index, const char *count_name,
                      const char *count, struct lit_error *error)
{
    return lit_fail(error, LIT_EXIT_USAGE,
                    "%s=%.30s and %s=%.30s name no shard; --shard none ignores them", index_name,
                    index ? index : "", count_name, count ? count : "");
}

static bool from_pair(eng_getenv *get, const struct pair *pair, struct eng_shard *shard,
                      char from[64], struct lit_error *error)
{
    const char *index_text = value_of(get, pair->index), *count_text = value_of(get, pair->count);
    uint64_t index = 0, count = 0;
    if (!index_text && !count_text)
        return true;
    if (!index_text || !count_text)
        return !pair->both || fail_pair(pair->index, index_text, pair->count, count_text, error);
    if (!read_number(index_text, strlen(index_text), ENG_SHARDS_MAX, &index) ||
        !read_number(count_text, strlen(count_text), ENG_SHARDS_MAX, &count) ||
        index < pair->first || index - pair->first >= count)
        return fail_pair(pair->index, index_text, pair->count, count_text, error);
    settle(shard, STORE_SHARD_TESTS, index - pair->first, count);
    snprintf(from, 64, "%s", pair->index);
    return true;
}

static bool from_slurm(eng_getenv *get, struct eng_shard *shard, char from[64],
                       struct lit_error *error)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_ARRAY_TASK_COUNT"};
    enum { ID, MIN, MAX, STEP, COUNT, NUMBERS };
    uint64_t numbers[NUMBERS];
    if (!value_of(get, names[ID]))
        return true;
    for (int i = 0; i < NUMBERS; i++) {
        const char *text = value_of(get, names[i]);
        if (!read_number(text ? text : "", text ? strlen(text) : 0, UINT32_MAX, &numbers[i]))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "%s=%.30s is no number; --shard none ignores the array", names[i],
                            text ? text : "");
    }
    const uint64_t step = numbers[STEP], id = numbers[ID], least = numbers[MIN];
    // A list of tasks that is no range has a rank that no task can know.
    if (step == 0 || numbers[MAX] < least || id < least || id > numbers[MAX] ||
        (id - least) % step != 0 || (numbers[MAX] - least) / step + 1 != numbers[COUNT] ||
        numbers[COUNT] > ENG_SHARDS_MAX)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the tasks of the Slurm array are no range, so that task %" PRIu64
                        " does not know its place: give --shard, or --shard none",
                        id);
    settle(shard, STORE_SHARD_TESTS, (id - least) / step, numbers[COUNT]);
    snprintf(from, 64, "%s", names[ID]);
    return true;
}

static bool from_completion(eng_getenv *get, struct eng_shard *shard, char from[64],
                            char remark[200], struct lit_error *error)
{
    static const struct pair pair = {"JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", 0, true};
    const char *index = value_of(get, pair.index);
    if (index && value_of(get, pair.count))
        return from_pair(get, &pair, shard, from, error);
    if (index)
        snprintf(remark, 200,
                 "JOB_COMPLETION_INDEX is ignored: set JOB_COMPLETIONS to the number of shards, "
                 "or give --shard");
    return true;
}

bool eng_shard_from(eng_getenv *get, struct eng_shard *shard, char from[64], char remark[200],
                    struct lit_error *error)
{
    const char *own = value_of(get, "LITMUS_SHARD");
    from[0] = remark[0] = '\0';
    settle(shard, STORE_WHOLE, 0, 0);
    if (own) {
        snprintf(from, 64, "LITMUS_SHARD");
        return eng_shard_parse(own, STORE_SHARD_TESTS, "LITMUS_SHARD", shard, error);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!from_pair(get, &pairs[i], shard, from, error))
            return false;
        if (from[0])
            return true;
    }
    return from_slurm(get, shard, from, error) &&
           (from[0] || from_completion(get, shard, from, remark, error));
}

bool eng_shard_seed(eng_getenv *get, uint64_t *seed, char from[64])
{
    static const char *const names[] = {"GITHUB_RUN_ID", "CI_PIPELINE_ID", "SLURM_ARRAY_JOB_ID",
                                        "BUILD_TAG", "GTEST_RANDOM_SEED"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = value_of(get, names[i]), *attempt = NULL;
        if (!value || (strcmp(names[i], "GTEST_RANDOM_SEED") == 0 && strcmp(value, "0") == 0))
            continue;
        if (strcmp(names[i], "GITHUB_RUN_ID") == 0)
            attempt = value_of(get, "GITHUB_RUN_ATTEMPT");
        struct text run = {0};
        text_printf(&run, "%s=%s %s", names[i], value, attempt ? attempt : "");
        *seed = random_derive(0, run.data);
        text_free(&run);
        snprintf(from, 64, "%s", names[i]);
        return true;
    }
    return false;
}

bool eng_shard_has(const struct eng_shard *shard, const char *name)
{
    return shard->kind != STORE_SHARD_TESTS ||
           hash_bytes(HASH_START, name, strlen(name)) % shard->count == shard->index;
}

// i * runs / N without overflow.
static uint64_t boundary(uint64_t runs, uint64_t i, uint64_t count)
{
    return runs / count * i + runs % count * i / count;
}

void eng_shard_runs(const struct eng_shard *shard, uint64_t runs, uint64_t *first, uint64_t *count)
{
    *first = 0;
    *count = runs;
    if (shard->kind != STORE_SHARD_RUNS)
        return;
    *first = boundary(runs, shard->index, shard->count);
    *count = boundary(runs, shard->index + 1, shard->count) - *first;
}
