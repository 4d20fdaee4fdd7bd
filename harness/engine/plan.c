// SPDX-License-Identifier: Apache-2.0
// Lists the configurations that a device runs.
#include "engine/queue.h"

struct gathering {
    struct eng_plan *plan;
    const struct cat_selection *whole; // what a run was asked for
    const struct dev_facts *facts;
    const struct cat_selection *selection; // as far as it concerns a test
    const struct cat_selection *sized;     // also selects cases of other sizes
    uint32_t usual;
};

static bool keeps(const struct gathering *g, const struct cat_case *which)
{
    OWNED(text_free) struct text name = {0};
    if (!g->whole->keeps)
        return true;
    cat_case_name(which, &name);
    return g->whole->keeps(which, name.data, g->facts, g->whole->user);
}

static void gather(const struct cat_case *which, void *user)
{
    struct gathering *g = user;
    if (!cat_selection_has(g->selection, which))
        return;
    if (which->subgroup != g->usual && !g->selection->thorough &&
        (g->sized->count == 0 || !cat_selection_has(g->sized, which)))
        return;
    if (keeps(g, which))
        LIT_ADD(g->plan->cases, g->plan->count) = *which;
}

struct eng_plan eng_plan_make(const struct cat_selection *selection, const struct dev_facts *facts,
                              bool shuffle, uint64_t seed)
{
    struct eng_plan plan = {0};
    uint32_t sizes[DEV_MAX_SIZES];
    size_t size_count = facts->problem[0] ? 0 : dev_facts_sizes(facts, sizes);
    OWNED(lit_free) const char **patterns = lit_alloc(selection->count + 1, sizeof *patterns);
    struct cat_selection sized = {.patterns = patterns, .thorough = selection->thorough};
    for (size_t i = 0; i < selection->count; i++)
        if (selection->patterns[i][0] != '!' && cfg_names_size(selection->patterns[i]))
            patterns[sized.count++] = selection->patterns[i];
    struct gathering gathering = {.plan = &plan,
                                  .whole = selection,
                                  .facts = facts,
                                  .sized = &sized,
                                  .usual = size_count ? sizes[0] : 0};
    // Sizes other than the usual one must be requested.
    if (!selection->thorough && sized.count == 0 && size_count > 1)
        size_count = 1;
    OWNED(lit_free) const char **room = lit_alloc(selection->count + 1, sizeof *room);
    for (size_t t = 0; t < cat_test_count(); t++) {
        struct cat_selection narrow;
        gathering.selection = &narrow;
        if (!cat_selection_narrow(selection, cat_test_at(t), room, &narrow))
            continue;
        for (size_t s = 0; s < size_count; s++)
            cat_test_each(cat_test_at(t), sizes[s], gather, &gathering);
    }
    struct lit_random random = {.state = random_derive(seed, "order")};
    if (shuffle)
        random_shuffle(&random, plan.cases, plan.count, sizeof *plan.cases);
    return plan;
}

void eng_plan_shard(struct eng_plan *plan, const struct eng_shard *shard)
{
    size_t kept = 0;
    for (size_t i = 0; i < plan->count; i++) {
        OWNED(text_free) struct text name = {0};
        cat_case_name(&plan->cases[i], &name);
        if (eng_shard_has(shard, name.data))
            plan->cases[kept++] = plan->cases[i];
    }
    plan->count = kept;
}

void eng_plan_clear(struct eng_plan *plan)
{
    free(plan->cases);
    *plan = (struct eng_plan){0};
}

// --- Shards: parses which part of a run to do

// Reads only decimal digits, at most `most`.
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
                        "%s: invalid shard '%.40s': expected INDEX/COUNT, as in 0/4, or none", from,
                        text);
    if (index >= count)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%s: there is no shard %.40s: the index counts from 0 to the count less 1",
                        from, text);
    settle(shard, kind, index, count);
    return true;
}

// Two variables that give an index and a count.
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
                    "%s=%.30s and %s=%.30s are not a valid shard; --shard none ignores them",
                    index_name, index ? index : "", count_name, count ? count : "");
}

static bool from_pair(eng_getenv *get, const struct pair *pair, struct eng_shard *shard,
                      char from[64], struct lit_error *error)
{
    const char *index_text = eng_value(get, pair->index), *count_text = eng_value(get, pair->count);
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
    if (!eng_value(get, names[ID]))
        return true;
    for (int i = 0; i < NUMBERS; i++) {
        const char *text = eng_value(get, names[i]);
        if (!read_number(text ? text : "", text ? strlen(text) : 0, UINT32_MAX, &numbers[i]))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "%s=%.30s is not a number; --shard none ignores the array", names[i],
                            text ? text : "");
    }
    const uint64_t step = numbers[STEP], id = numbers[ID], least = numbers[MIN];
    // If a list of tasks is not a range, a task cannot know its rank.
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
    const char *index = eng_value(get, pair.index);
    if (index && eng_value(get, pair.count))
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
    const char *own = eng_value(get, "LITMUS_SHARD");
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
        const char *value = eng_value(get, names[i]), *attempt = NULL;
        if (!value || (strcmp(names[i], "GTEST_RANDOM_SEED") == 0 && strcmp(value, "0") == 0))
            continue;
        if (strcmp(names[i], "GITHUB_RUN_ID") == 0)
            attempt = eng_value(get, "GITHUB_RUN_ATTEMPT");
        OWNED(text_free) struct text run = {0};
        text_printf(&run, "%s=%s %s", names[i], value, attempt ? attempt : "");
        *seed = random_derive(0, run.data);
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

// --- Chooses the stress of one configuration from the run's options

static struct dev_stress find_tuned(const struct eng_stressing *stressing, const char *device,
                                    const char *name)
{
    struct dev_stress set = {0};
    const char *near = NULL;
    for (size_t i = 0; i < stressing->tuned_count; i++) {
        const struct eng_tuned *tuned = &stressing->tuned[i];
        if (strcmp(tuned->device, device) != 0)
            continue;
        if (strcmp(tuned->name, name) == 0) {
            near = tuned->stress;
            break;
        }
        if (!near && cfg_same_test(tuned->name, name))
            near = tuned->stress;
    }
    // A store is a file: its text may not be a valid set.
    if (near && !eng_stress_parse(near, &set, NULL))
        set = (struct dev_stress){0};
    return set;
}

void eng_stress_choose(const struct eng_stressing *stressing, uint64_t seed,
                       const struct cat_case *which, const char *name,
                       const struct eng_device *device, char text[ENG_STRESS_TEXT])
{
    const struct cat_module *module = cat_case_module(which);
    const struct eng_stress_limits limits = {&device->facts, module && module->divisible};
    struct dev_stress set = {0};
    switch (stressing ? stressing->mode : ENG_STRESS_NONE) {
    case ENG_STRESS_NONE:
        break;
    case ENG_STRESS_GIVEN:
        set = stressing->given;
        break;
    case ENG_STRESS_RANDOM:
        set = eng_stress_draw(random_derive(seed, name), 0, &limits);
        break;
    case ENG_STRESS_TUNED:
        set = find_tuned(stressing, device->id, name);
        break;
    }
    eng_stress_fit(&set, &limits);
    eng_stress_print(&set, text);
}

// --- Which pipelines a worker is told to precompile, and which it may be making

// Drops those whose turn is over; the worker does the same, made or not.
static void drop_before(struct eng_precompile *f, size_t place)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].place >= place)
            f->named[kept++] = f->named[i];
    f->count = kept;
}

static size_t count_after(const struct eng_precompile *f, size_t place)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        count += f->named[i].place > place;
    return count;
}

void eng_precompile_ask(struct eng_precompile *f, const struct eng_plan *plan, const bool *done,
                        size_t place, struct eng_request *request,
                        void (*describe)(const struct cat_case *which, struct eng_upcoming *ahead,
                                         void *user),
                        void *user)
{
    const unsigned most = f->most < ENG_PRECOMPILE_MOST ? f->most : ENG_PRECOMPILE_MOST;
    request->ahead_count = 0;
    request->renew = most > 0 && place >= f->alone;
    drop_before(f, place);
    if (place < f->alone)
        return;
    if (f->next <= place)
        f->next = place + 1;
    for (size_t room = most - count_after(f, place); room > 0 && f->next < plan->count; f->next++) {
        const struct cat_case *which = &plan->cases[f->next];
        if (done[f->next] || !cat_case_module(which))
            continue;
        struct eng_upcoming *ahead = &request->ahead[request->ahead_count++];
        struct eng_precompile_one *named = &f->named[f->count++];
        describe(which, ahead, user);
        *named = (struct eng_precompile_one){.place = f->next, .making = true};
        memcpy(named->name, ahead->name, sizeof named->name);
        room--;
    }
}

bool eng_precompile_made(struct eng_precompile *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && !strcmp(f->named[i].name, name)) {
            f->named[i].making = false;
            return true;
        }
    return false;
}

bool eng_precompile_over(const struct eng_plan *plan, size_t place, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < place && !found; i++) {
        OWNED(text_free) struct text of = {0};
        cat_case_name(&plan->cases[i], &of);
        found = !strcmp(of.data, name);
    }
    return found;
}

bool eng_precompile_unclear(const struct eng_precompile *f, size_t place)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && f->named[i].place != place)
            return true;
    return false;
}

void eng_precompile_separate(struct eng_precompile *f, size_t place)
{
    if (f->alone <= place)
        f->alone = place + 1;
    for (size_t i = 0; i < f->count; i++)
        if (f->named[i].making && f->named[i].place >= f->alone)
            f->alone = f->named[i].place + 1;
}

void eng_precompile_forget(struct eng_precompile *f)
{
    f->count = 0;
    f->next = 0;
}

// --- Splits a run into parts: longest processing time first.

struct kind {
    double seconds;
    size_t items, parts, first; // first: the number of its first part
};

static int compare_loads(const void *left, const void *right)
{
    const struct eng_load *a = *(struct eng_load *const *)left;
    const struct eng_load *b = *(struct eng_load *const *)right;
    if (a->seconds != b->seconds)
        return a->seconds > b->seconds ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Gives each kind one part, then each further part to the kind whose parts take longest.
static size_t share_parts(struct kind kinds[ENG_APARTS], size_t parts)
{
    size_t given = 0, first = 0;
    for (int k = 0; k < ENG_APARTS; k++)
        given += kinds[k].parts = kinds[k].items > 0;
    for (; given < parts; given++) {
        struct kind *longest = NULL;
        for (struct kind *k = kinds; k < kinds + ENG_APARTS; k++)
            if (k->parts < k->items && (!longest || k->seconds * (double)longest->parts >
                                                        longest->seconds * (double)k->parts))
                longest = k;
        if (!longest)
            break;
        longest->parts++;
    }
    for (int k = 0; k < ENG_APARTS; first += kinds[k++].parts)
        kinds[k].first = first;
    return given;
}

size_t eng_balance(struct eng_load *items, size_t count, size_t parts)
{
    OWNED(lit_free) struct eng_load **order = lit_alloc(count + 1, sizeof *order);
    size_t there[ENG_APARTS] = {0}, used = 0;
    for (size_t i = 0; i < count; i++)
        there[items[i].apart]++;
    const size_t different = (there[0] > 0) + (there[1] > 0) + (there[2] > 0);
    enum eng_apart as[ENG_APARTS] = {ENG_APART_NOT, ENG_APART_ENDED, ENG_APART_LOST};
    if (parts < different)
        as[ENG_APART_LOST] = ENG_APART_ENDED;
    if (parts < 2)
        as[ENG_APART_ENDED] = as[ENG_APART_LOST] = ENG_APART_NOT;
    struct kind kinds[ENG_APARTS] = {0};
    for (size_t i = 0; i < count; i++) {
        struct kind *kind = &kinds[as[items[i].apart]];
        kind->items++;
        kind->seconds += items[i].seconds;
        order[i] = &items[i];
    }
    used = share_parts(kinds, parts);
    OWNED(lit_free) double *ends = lit_alloc(used + 1, sizeof *ends);
    OWNED(lit_free) bool *taken = lit_alloc(used + 1, sizeof *taken);
    if (count > 0)
        qsort(order, count, sizeof *order, compare_loads);
    for (size_t i = 0; i < count; i++) {
        const struct kind *kind = &kinds[as[order[i]->apart]];
        size_t best = kind->first;
        // An empty part comes before a part whose items take no time.
        for (size_t p = best + 1; p < kind->first + kind->parts; p++)
            if (ends[p] < ends[best] || (ends[p] <= ends[best] && taken[best] && !taken[p]))
                best = p;
        order[i]->part = best;
        ends[best] += order[i]->seconds;
        taken[best] = true;
    }
    return used;
}
