// SPDX-License-Identifier: Apache-2.0
// The main loop: applies each pass to ever smaller groups of places until nothing can be removed.
#include "reduce/reduce.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"

#include <errno.h>

#define KEY     64 // digits of a candidate's hash
#define MOST    ((size_t)64 << 20)
#define REACHED "reached.package"
#define REFUSED "refused"

// --- Threads with their own workers: a worker ends with the thread that started it

struct candidate {
    struct cat_package package;
    struct red_values values;
    bool *chosen;      // by place of the pass; may be NULL
    char key[KEY + 1]; // hash
    bool same;         // its module is the base's
    enum red_answer answer;
};

struct hand {
    struct crew *crew;
    struct red_lane lane;
};

struct crew {
    const struct red_plan *plan;
    struct eng_watch reference; // for the simulator's workers
    struct red_target target;   // with the pool's watch and this one
    struct eng_pool pool;       // its lock guards everything below
    struct candidate *candidates;
    size_t count, next, open; // open: undecided candidates
    struct hand *hands;
};

static void clear(struct candidate *candidate)
{
    cat_package_clear(&candidate->package);
    red_values_clear(&candidate->values);
    free(candidate->chosen);
    candidate->chosen = NULL;
}

// Drops the simulator's messages about candidates.
static void say_nothing(const char *line, void *user)
{
    (void)line;
    (void)user;
}

// Call under the lock. The other hands stop when one had to.
static void decide(struct hand *hand)
{
    struct crew *crew = hand->crew;
    struct candidate *candidate = &crew->candidates[crew->next++];
    pthread_mutex_unlock(&crew->pool.lock);
    const enum red_answer answer =
        red_decide(&hand->lane, &candidate->package, candidate->same, &candidate->values);
    pthread_mutex_lock(&crew->pool.lock);
    candidate->answer = answer;
    crew->open--;
    if (answer == RED_STOP) {
        eng_pool_note(&crew->pool, hand->lane.end, hand->lane.reason);
        atomic_store(&crew->pool.stop, true);
    }
    pthread_cond_broadcast(&crew->pool.changed);
}

static void work(void *user)
{
    struct hand *hand = user;
    struct crew *crew = hand->crew;
    red_lane_begin(&hand->lane, &crew->target);
    while (!atomic_load(&crew->pool.stop)) {
        if (crew->next < crew->count)
            decide(hand);
        else
            pthread_cond_wait(&crew->pool.changed, &crew->pool.lock);
    }
    // Its workers may still print.
    pthread_mutex_unlock(&crew->pool.lock);
    red_lane_end(&hand->lane);
    pthread_mutex_lock(&crew->pool.lock);
}

static struct crew *begin_crew(const struct red_plan *plan)
{
    struct crew *crew = lit_alloc(1, sizeof *crew);
    *crew = (struct crew){.plan = plan,
                          .reference = *plan->target->reference,
                          .target = *plan->target,
                          .hands = lit_alloc(plan->jobs, sizeof *crew->hands)};
    eng_pool_begin(&crew->pool, plan->target->watch);
    crew->reference.say = say_nothing;
    crew->reference.tick = NULL;
    crew->reference.stop = crew->pool.watch.stop;
    crew->target.watch = &crew->pool.watch;
    crew->target.reference = &crew->reference;
    for (unsigned i = 0; i < plan->jobs; i++)
        crew->hands[i].crew = crew;
    if (!eng_pool_start(&crew->pool, work, crew->hands, sizeof *crew->hands, plan->jobs, 0))
        lit_give_up("no thread can be started");
    return crew;
}

// Tries all candidates, and calls plan->progress with the tally meanwhile. RED_STOP for those not
// tried.
static void try_all(struct crew *crew, struct candidate *candidates, size_t count,
                    const struct red_tally *tally)
{
    pthread_mutex_lock(&crew->pool.lock);
    for (size_t i = 0; i < count; i++)
        candidates[i].answer = RED_STOP;
    crew->candidates = candidates;
    crew->next = 0;
    crew->count = crew->open = count;
    pthread_cond_broadcast(&crew->pool.changed);
    // Waits for threads in progress, which use their candidates.
    while (crew->open && (crew->pool.end == ENG_END_RAN || crew->next > count - crew->open)) {
        crew->plan->progress(tally, crew->plan->user);
        clock_wait(&crew->pool.changed, &crew->pool.lock);
    }
    crew->count = crew->next = 0;
    pthread_mutex_unlock(&crew->pool.lock);
}

enum red_end red_over(const struct red_plan *plan)
{
    const struct eng_watch *watch = plan->target->watch;
    if (eng_interrupt() || (watch->stop && atomic_load(watch->stop)))
        return RED_SIGNAL;
    return watch->policy.total > 0 && clock_now() - watch->started >= watch->policy.total
               ? RED_TIME
               : RED_DONE;
}

// The reason for RED_STOP, or the result of red_over.
static enum red_end end_of(const struct crew *crew, char reason[512])
{
    snprintf(reason, 512, "%s", crew->pool.reason);
    return crew->pool.end == ENG_END_RAN      ? red_over(crew->plan)
           : crew->pool.end == ENG_END_TIME   ? RED_TIME
           : crew->pool.end == ENG_END_SIGNAL ? RED_SIGNAL
                                              : RED_NO_MORE;
}

static void end_crew(struct crew *crew)
{
    pthread_mutex_lock(&crew->pool.lock);
    atomic_store(&crew->pool.stop, true);
    pthread_cond_broadcast(&crew->pool.changed);
    pthread_mutex_unlock(&crew->pool.lock);
    eng_pool_join(&crew->pool);
    eng_pool_end(&crew->pool);
    free(crew->hands);
    free(crew);
}

// --- The reduction

struct reducing {
    const struct red_plan *plan;
    struct red_base *base;
    struct red_tally *tally;
    struct crew *crew;
    char (*refused)[KEY + 1]; // sorted up to `sorted`
    size_t refused_count, sorted;
    bool stops, unkept;
    struct lit_error *error;
};

// --- Saved state: the smallest failing kernel, and hashes of refused candidates

static char *path_of(const struct red_plan *plan, const char *name)
{
    struct text path = text_format("%s/%s", plan->folder, name);
    return path.data;
}

static bool keep(struct reducing *r)
{
    OWNED(lit_free) char *path = path_of(r->plan, REACHED);
    OWNED(text_free) struct text bytes = {0};
    cat_package_write(&r->base->package, &bytes);
    r->unkept = !lit_file_write(path, bytes.data, bytes.length, r->error);
    r->stops |= r->unkept;
    return !r->unkept;
}

static bool keep_refused(struct reducing *r, const char *key)
{
    OWNED(lit_free) char *path = path_of(r->plan, REFUSED);
    OWNED(text_free) struct text line = text_format("%s\n", key);
    memcpy(LIT_ADD(r->refused, r->refused_count), key, KEY + 1);
    r->unkept = !lit_file_append(path, line.data, line.length, r->error);
    r->stops |= r->unkept;
    return !r->unkept;
}

static int by_key(const void *left, const void *right)
{
    return memcmp(left, right, KEY);
}

static bool is_refused(struct reducing *r, const char *key)
{
    if (r->refused_count - r->sorted > 256) {
        qsort(r->refused, r->refused_count, sizeof *r->refused, by_key);
        r->sorted = r->refused_count;
    }
    for (size_t i = r->sorted; i < r->refused_count; i++)
        if (memcmp(r->refused[i], key, KEY) == 0)
            return true;
    return r->sorted && bsearch(key, r->refused, r->sorted, sizeof *r->refused, by_key);
}

// Reads the hashes in the lines after the first. False if the first line differs.
static bool read_refused(const struct red_plan *plan, struct reducing *r, struct lit_error *error)
{
    OWNED(lit_free) char *path = path_of(plan, REFUSED);
    OWNED(text_free) struct text text = {0};
    if (!text_read(&text, path, MOST))
        return errno == ENOENT ||
               lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, strerror(errno));
    const char *line = text.data ? text.data : "";
    const size_t first = strcspn(line, "\n");
    if (text.length > MOST || first != strlen(plan->identity) ||
        memcmp(line, plan->identity, first) != 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s holds the reduction of something else, or on another device: "
                        "choose another --out, or remove it",
                        plan->folder);
    for (line += first; r && *line; line += strcspn(line, "\n")) {
        line += strspn(line, "\n");
        if (strspn(line, "0123456789abcdef") != KEY)
            continue;
        memcpy(LIT_ADD(r->refused, r->refused_count), line, KEY);
        r->refused[r->refused_count - 1][KEY] = '\0';
    }
    return true;
}

bool red_resume(const struct red_plan *plan, struct cat_package *package, struct lit_error *error)
{
    OWNED(lit_free) char *path = path_of(plan, REACHED);
    OWNED(text_free) struct text bytes = {0};
    struct lit_error why = {0};
    if (!read_refused(plan, NULL, error) || !text_read(&bytes, path, CAT_MOST_PACKAGE))
        return false;
    return cat_package_read(bytes.data ? bytes.data : "", bytes.length, package, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.200s", path, why.message);
}

static bool begin_keeping(struct reducing *r)
{
    OWNED(lit_free) char *path = path_of(r->plan, REFUSED);
    OWNED(text_free) struct text line = text_format("%s\n", r->plan->identity);
    OWNED(text_free) struct text there = {0};
    const bool has = text_read(&there, path, 1) && there.length;
    r->unkept = !read_refused(r->plan, r, r->error) ||
                !(has || lit_file_write(path, line.data, line.length, r->error)) || !keep(r);
    return !r->unkept;
}

// --- Candidates

static void note(struct reducing *r)
{
    const struct red_base *base = r->base;
    r->tally->body = red_module_body(&base->module);
    r->tally->words = base->package.word_count;
    r->tally->bindings = base->package.interface.binding_count;
    r->tally->workgroup = base->package.workgroup;
    r->tally->groups =
        base->package.groups * base->package.interface.rows * base->package.interface.layers;
}

// Replaces the base by the candidate.
static void adopt(struct reducing *r, struct candidate *candidate)
{
    struct red_base *base = r->base;
    red_base_clear(base);
    base->package = candidate->package;
    base->values = candidate->values;
    candidate->package = (struct cat_package){0};
    candidate->values = (struct red_values){0};
    if (!red_module_read(&base->module, base->package.words, base->package.word_count))
        red_module_clear(&base->module);
    note(r);
    keep(r);
}

// Computes a candidate's hash, without its expectation, which follows from the rest.
static void find_key(struct candidate *candidate)
{
    OWNED(text_free) struct text bytes = {0};
    cat_package_write(&candidate->package, &bytes);
    sha256_text(bytes.data, bytes.length, candidate->key);
}

static bool is_smaller(const struct reducing *r, const struct cat_package *package)
{
    struct red_base other = {.package = *package};
    if (!red_module_read(&other.module, package->words, package->word_count))
        red_module_clear(&other.module);
    const bool smaller = red_weight(&other) < red_weight(r->base);
    red_module_clear(&other.module);
    return smaller;
}

// Makes a candidate by a pass. False if there is none, or if it is known not to fail.
static bool make(struct reducing *r, const struct red_pass *pass, struct candidate *candidate)
{
    const struct cat_package *from = &r->base->package;
    struct cat_package *made = &candidate->package;
    if (!red_apply(r->base, pass, candidate->chosen, made) || !is_smaller(r, made))
        return false;
    candidate->same = made->word_count == from->word_count &&
                      memcmp(made->words, from->words, from->word_count * 4) == 0;
    find_key(candidate);
    const bool known = is_refused(r, candidate->key);
    r->tally->known += known;
    return !known;
}

static void judge(struct reducing *r, struct candidate *candidates, size_t count)
{
    try_all(r->crew, candidates, count, r->tally);
    for (size_t i = 0; i < count; i++) {
        r->tally->answers[candidates[i].answer]++;
        r->stops |= candidates[i].answer == RED_STOP;
        if (candidates[i].answer != RED_FAILS && candidates[i].answer != RED_STOP)
            keep_refused(r, candidates[i].key);
    }
}

// --- Sweeps

struct sweep {
    const struct red_pass *pass;
    size_t places, size, at; // next: `size` places from `at` on
};

// Combines all places that failed individually.
static bool take_together(struct reducing *r, const struct sweep *sweep,
                          const struct candidate *candidates, size_t count)
{
    struct candidate all = {.chosen = lit_alloc(sweep->places + 1, sizeof(bool))};
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < sweep->places && candidates[i].answer == RED_FAILS; p++)
            all.chosen[p] |= candidates[i].chosen[p];
    if (make(r, sweep->pass, &all))
        judge(r, &all, 1);
    else
        all.answer = RED_OTHER;
    const bool taken = all.answer == RED_FAILS;
    if (taken)
        adopt(r, &all);
    clear(&all);
    return taken;
}

// Tries one candidate per thread. Whether one failed.
static bool step(struct reducing *r, struct sweep *sweep)
{
    const size_t most = r->plan->jobs;
    OWNED(lit_free) struct candidate *candidates = lit_alloc(most, sizeof *candidates);
    size_t count = 0, failing = 0, first = 0, from = sweep->at;
    while (count < most && sweep->at < sweep->places) {
        struct candidate *candidate = &candidates[count];
        *candidate = (struct candidate){.chosen = lit_alloc(sweep->places + 1, sizeof(bool))};
        for (size_t i = 0; i < sweep->size && sweep->at < sweep->places; i++)
            candidate->chosen[sweep->at++] = true;
        if (make(r, sweep->pass, candidate))
            count++;
        else
            clear(candidate);
    }
    if (count)
        judge(r, candidates, count);
    for (size_t i = count; i-- > 0;)
        if (candidates[i].answer == RED_FAILS) {
            failing++;
            first = i;
        }
    // The following places have roughly moved to these numbers.
    if (failing) {
        size_t place = 0;
        while (!candidates[first].chosen[place])
            place++;
        if (failing == 1 || !take_together(r, sweep, candidates, count))
            adopt(r, &candidates[first]);
        sweep->at = failing == 1 ? place : from;
        sweep->places = red_places(sweep->pass, r->base);
    }
    for (size_t i = 0; i < count; i++)
        clear(&candidates[i]);
    return failing > 0;
}

// Whether the kernel became smaller.
static bool run_pass(struct reducing *r, const struct red_pass *pass)
{
    struct sweep sweep = {.pass = pass, .places = red_places(pass, r->base)};
    bool any = false;
    r->tally->pass = pass->name;
    for (sweep.size = sweep.places; sweep.size && !r->stops; sweep.size /= 2) {
        sweep.at = 0;
        while (sweep.at < sweep.places && !r->stops)
            any |= step(r, &sweep);
    }
    return any;
}

static bool run_passes(struct reducing *r)
{
    bool any = false;
    for (bool again = true; again && !r->stops;) {
        again = false;
        r->tally->rounds++;
        for (const struct red_pass *pass = red_passes; pass->name && !r->stops; pass++)
            again |= run_pass(r, pass);
        any |= again;
    }
    return any;
}

// --- spirv-opt and spirv-reduce

static enum red_answer try_module(const uint32_t *words, size_t count, void *user)
{
    struct reducing *r = user;
    struct candidate candidate = {0};
    OWNED(red_module_clear) struct red_module module = {0};
    enum red_answer answer = RED_INVALID;
    red_package_copy(&r->base->package, &candidate.package);
    free(candidate.package.words);
    candidate.package.words = lit_alloc(count + 1, sizeof *words);
    memcpy(candidate.package.words, words, count * sizeof *words);
    candidate.package.word_count = count;
    if (red_module_read(&module, words, count) &&
        red_settle(&candidate.package, &module, red_undefined(&r->base->module))) {
        find_key(&candidate);
        if (!is_refused(r, candidate.key))
            judge(r, &candidate, 1);
        else
            candidate.answer = RED_OTHER;
        answer = candidate.answer;
        // Larger intermediate results are used, but not saved.
        if (answer == RED_FAILS && is_smaller(r, &candidate.package))
            adopt(r, &candidate);
    }
    clear(&candidate);
    return r->stops ? RED_STOP : answer;
}

static bool ask_tools(struct reducing *r, const char *name)
{
    const uint64_t before = red_weight(r->base);
    r->tally->pass = name;
    if (r->stops || !r->plan->spirv_tools)
        return false;
    if (strcmp(name, "spirv-opt") == 0)
        red_spirv_opt(&r->base->package, try_module, r);
    else
        red_spirv_reduce(r->plan, &r->base->package, try_module, r);
    r->stops |= red_over(r->plan) != RED_DONE;
    return red_weight(r->base) < before;
}

enum red_end red_reduce(const struct red_plan *plan, struct red_base *base, struct red_tally *tally,
                        char reason[512], struct lit_error *error)
{
    struct reducing r = {.plan = plan, .base = base, .tally = tally, .error = error};
    *tally = (struct red_tally){.pass = ""};
    if (!red_module_read(&base->module, base->package.words, base->package.word_count))
        red_module_clear(&base->module);
    note(&r);
    if (begin_keeping(&r)) {
        r.crew = begin_crew(plan);
        do {
            ask_tools(&r, "spirv-opt");
            run_passes(&r);
        } while (ask_tools(&r, "spirv-opt"));
        if (ask_tools(&r, "spirv-reduce"))
            run_passes(&r);
    }
    const enum red_end end = r.unkept ? RED_UNKEPT : r.stops ? end_of(r.crew, reason) : RED_DONE;
    if (r.crew)
        end_crew(r.crew);
    free(r.refused);
    return end;
}
