// SPDX-License-Identifier: Apache-2.0
// Threads with their own workers: a worker ends with the thread that started it.
#include "reduce/reduce.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

struct hand {
    struct red_crew *crew;
    struct red_lane lane;
};

struct red_crew {
    const struct red_plan *plan;
    struct eng_watch reference; // for the simulator's workers
    struct red_target target;   // with the pool's watch and this one
    struct eng_pool pool;       // its lock guards everything below
    struct red_candidate *candidates;
    size_t count, next, open; // open: undecided candidates
    struct hand *hands;
};

void red_candidate_clear(struct red_candidate *candidate)
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
    struct red_crew *crew = hand->crew;
    struct red_candidate *candidate = &crew->candidates[crew->next++];
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
    struct red_crew *crew = hand->crew;
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

struct red_crew *red_crew_begin(const struct red_plan *plan)
{
    struct red_crew *crew = lit_alloc(1, sizeof *crew);
    *crew = (struct red_crew){.plan = plan,
                              .reference = *plan->target->reference,
                              .target = *plan->target,
                              .hands = lit_alloc(plan->jobs, sizeof *crew->hands)};
    eng_pool_begin(&crew->pool, plan->target->watch);
    crew->reference.say = say_nothing;
    crew->reference.tick = NULL;
    crew->reference.stop = crew->pool.watch.stop;
    crew->reference.user = crew->pool.watch.user;
    crew->target.watch = &crew->pool.watch;
    crew->target.reference = &crew->reference;
    for (unsigned i = 0; i < plan->jobs; i++)
        crew->hands[i].crew = crew;
    if (!eng_pool_start(&crew->pool, work, crew->hands, sizeof *crew->hands, plan->jobs, 0))
        lit_give_up("no thread can be started");
    return crew;
}

void red_crew_try(struct red_crew *crew, struct red_candidate *candidates, size_t count,
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
    if (eng_interrupt() || (watch->stop && watch->stop(watch->user)))
        return RED_SIGNAL;
    return watch->policy.total > 0 && clock_now() - watch->started >= watch->policy.total
               ? RED_TIME
               : RED_DONE;
}

enum red_end red_crew_end_of(const struct red_crew *crew, char reason[512])
{
    snprintf(reason, 512, "%s", crew->pool.reason);
    return crew->pool.end == ENG_END_RAN      ? red_over(crew->plan)
           : crew->pool.end == ENG_END_TIME   ? RED_TIME
           : crew->pool.end == ENG_END_SIGNAL ? RED_SIGNAL
                                              : RED_NO_MORE;
}

void red_crew_end(struct red_crew **crew)
{
    struct red_crew *c = *crew;
    pthread_mutex_lock(&c->pool.lock);
    atomic_store(&c->pool.stop, true);
    pthread_cond_broadcast(&c->pool.changed);
    pthread_mutex_unlock(&c->pool.lock);
    eng_pool_join(&c->pool);
    eng_pool_end(&c->pool);
    free(c->hands);
    free(c);
    *crew = NULL;
}
