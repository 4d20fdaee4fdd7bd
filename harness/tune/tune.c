// SPDX-License-Identifier: Apache-2.0
// The search for stress, and the reproducibility score.
#include "stats/stats.h"
#include "tune/tune.h"

#include <math.h>

// ---- Rates, and the reproducibility score.

uint64_t tune_judged(const struct eng_count *count)
{
    return count->runs - count->no_progress_runs;
}

double tune_rate(const struct eng_count *count)
{
    const uint64_t judged = tune_judged(count);
    return judged ? (double)count->failed_runs / (double)judged : 0;
}

double tune_per_second(const struct eng_count *count)
{
    return count->seconds > 0 ? (double)count->failed_runs / count->seconds : 0;
}

double tune_score(double per_second, double budget)
{
    return -expm1(-per_second * budget);
}

double tune_ceiling(double score, double budget)
{
    return ceil(-log1p(-score)) / budget;
}

// ---- Sequential halving, twice, and the final measurement.

#define ANEW_TURNS 4
#define ATTEMPTS   32 // to draw a set that was not tried yet

struct state {
    const struct tune_plan *plan;
    tune_measure *measure;
    void *user;
    struct tune_search *search;
};

// Size of the second halving: the best set of the first, and half as many sets near it.
static uint64_t near_of(uint64_t sets)
{
    return (sets + 1) / 2;
}

static uint64_t halving_runs(uint64_t field, uint64_t runs)
{
    uint64_t sum = 0;
    for (; field > 1; field = (field + 1) / 2, runs *= 2)
        sum += field * runs;
    return sum;
}

uint64_t tune_runs_anew(const struct tune_plan *plan)
{
    uint64_t had = 0, runs = plan->runs;
    for (uint64_t field = plan->sets + 1; field > 1; field = (field + 1) / 2, runs *= 2)
        had += runs;
    return had > 4 * plan->runs ? had : 4 * plan->runs;
}

uint64_t tune_runs_all(const struct tune_plan *plan)
{
    return halving_runs(plan->sets + 1, plan->runs) +
           halving_runs(near_of(plan->sets) + 1, plan->runs) + 2 * tune_runs_anew(plan);
}

// False if the set was already tried.
static bool add(struct tune_search *search, const struct dev_stress *set)
{
    struct tune_try try = {.set = *set};
    eng_stress_print(set, try.notation);
    for (size_t i = 0; i < search->count; i++)
        if (strcmp(search->tries[i].notation, try.notation) == 0)
            return false;
    LIT_ADD(search->tries, search->count) = try;
    return true;
}

static bool is_better(const struct eng_count *a, const struct eng_count *b)
{
    const double one = tune_rate(a), other = tune_rate(b);
    return one > other || (one == other && tune_per_second(a) > tune_per_second(b));
}

// Fields are small.
void tune_sort(const struct tune_search *search, size_t *field, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const size_t moving = field[i];
        size_t at = i;
        for (; at > 0 &&
               is_better(&search->tries[moving].searched, &search->tries[field[at - 1]].searched);
             at--)
            field[at] = field[at - 1];
        field[at] = moving;
    }
}

// Halves a field until one set is left, in field[0]. A member that already has more runs than a
// round gives passes through unchanged. False if cut short; field[0] is then the best so far.
static bool halve(struct state *state, size_t *field, size_t count)
{
    struct tune_search *search = state->search;
    const uint64_t behind = tune_runs_anew(state->plan); // lower numbers are for runs anew
    uint64_t target = state->plan->runs;
    for (uint64_t more = target; count > 1; count = (count + 1) / 2, more *= 2, target += more) {
        for (size_t i = 0; i < count; i++) {
            struct tune_try *try = &search->tries[field[i]];
            struct eng_count measured = {0};
            if (try->searched.runs >= target)
                continue;
            if (!state->measure(try, behind + try->searched.runs, target - try->searched.runs,
                                &measured, state->user)) {
                tune_sort(search, field, count);
                return false;
            }
            eng_count_add(&try->searched, &measured);
        }
        tune_sort(search, field, count);
    }
    return true;
}

// Draws sets that were not tried yet, near `centre` unless it is NULL, until there are `wanted`,
// and halves them together with the best one so far.
static bool halve_drawn(struct state *state, const struct dev_stress *centre, uint64_t wanted)
{
    struct tune_search *search = state->search;
    const struct tune_plan *plan = state->plan;
    OWNED(lit_free) size_t *field = lit_alloc(wanted + 1, sizeof *field);
    size_t count = 0;
    field[count++] = search->best;
    for (uint64_t i = 0; i < wanted * ATTEMPTS && count <= wanted; i++) {
        const struct dev_stress set = centre ? eng_stress_near(centre, plan->seed, i, &plan->limits)
                                             : eng_stress_draw(plan->seed, i, &plan->limits);
        if (add(search, &set))
            field[count++] = search->count - 1;
    }
    const bool whole = halve(state, field, count);
    search->best = field[0];
    return whole;
}

// Alternates, so that changes on the machine affect both.
static bool measure_anew(struct state *state)
{
    struct tune_search *search = state->search;
    const uint64_t runs = tune_runs_anew(state->plan);
    const size_t both[] = {0, search->best};
    for (uint64_t turn = 0; turn < ANEW_TURNS; turn++) {
        const uint64_t first = runs * turn / ANEW_TURNS, next = runs * (turn + 1) / ANEW_TURNS;
        for (size_t i = 0; first < next && i < (search->best ? 2 : 1); i++) {
            struct tune_try *try = &search->tries[both[i]];
            struct eng_count measured = {0};
            if (!state->measure(try, first, next - first, &measured, state->user))
                return false;
            eng_count_add(&try->anew, &measured);
        }
    }
    return true;
}

void tune_run(const struct tune_plan *plan, tune_measure *measure, void *user,
              struct tune_search *search)
{
    struct state state = {.plan = plan, .measure = measure, .user = user, .search = search};
    *search = (struct tune_search){.p = 1};
    add(search, &(struct dev_stress){0});
    search->whole = halve_drawn(&state, NULL, plan->sets);
    const struct dev_stress centre = search->tries[search->best].set;
    search->whole =
        search->whole && halve_drawn(&state, &centre, near_of(plan->sets)) && measure_anew(&state);
    if (!search->whole || search->best == 0)
        return;
    const struct eng_count *none = &search->tries[0].anew;
    const struct eng_count *best = &search->tries[search->best].anew;
    search->p = stat_fisher(none->failed_runs, tune_judged(none), best->failed_runs,
                            tune_judged(best), STAT_GREATER);
    if (search->p < TUNE_ALPHA)
        search->chosen = search->best;
}

void tune_clear(struct tune_search *search)
{
    free(search->tries);
    *search = (struct tune_search){0};
}
