// SPDX-License-Identifier: Apache-2.0
// Threads with their own workers: a worker ends with the thread that started it.
#include "reduce/reduce.h"

#include "base/clock.h"
#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct hand {
    struct red_crew *crew;
    struct red_lane lane;
    pthread_t thread;
    bool has_thread;
};

struct red_crew {
    const struct red_plan *plan;
    struct eng_watch watch, reference; // for all workers; callbacks run under the lock
    struct red_target target;          // uses these watches
    pthread_mutex_t lock;              // guards everything below
    pthread_cond_t changed;
    struct red_candidate *candidates;
    size_t count, next, open; // open: undecided candidates
    bool over;
    enum eng_end end;
    char reason[512];
    struct hand *hands;
};

void red_candidate_clear(struct red_candidate *candidate)
{
    cat_package_clear(&candidate->package);
    red_values_clear(&candidate->values);
    free(candidate->chosen);
    candidate->chosen = NULL;
}

static void say(const char *line, void *user)
{
    struct red_crew *crew = user;
    const struct eng_watch *outer = crew->plan->target->watch;
    pthread_mutex_lock(&crew->lock);
    outer->say(line, outer->user);
    pthread_mutex_unlock(&crew->lock);
}

// Drops the simulator's messages about candidates.
static void say_nothing(const char *line, void *user)
{
    (void)line;
    (void)user;
}

// A thread stops when another one had to.
static bool stop(void *user)
{
    struct red_crew *crew = user;
    const struct eng_watch *outer = crew->plan->target->watch;
    pthread_mutex_lock(&crew->lock);
    const bool stops =
        crew->over || crew->end != ENG_END_RAN || (outer->stop && outer->stop(outer->user));
    pthread_mutex_unlock(&crew->lock);
    return stops;
}

// Call under the lock.
static void decide(struct hand *hand)
{
    struct red_crew *crew = hand->crew;
    struct red_candidate *candidate = &crew->candidates[crew->next++];
    pthread_mutex_unlock(&crew->lock);
    const enum red_answer answer =
        red_decide(&hand->lane, &candidate->package, candidate->same, &candidate->values);
    pthread_mutex_lock(&crew->lock);
    candidate->answer = answer;
    crew->open--;
    if (answer == RED_STOP && crew->end == ENG_END_RAN) {
        crew->end = hand->lane.end;
        snprintf(crew->reason, sizeof crew->reason, "%s", hand->lane.reason);
    }
    pthread_cond_broadcast(&crew->changed);
}

static void *work(void *user)
{
    struct hand *hand = user;
    struct red_crew *crew = hand->crew;
    red_lane_begin(&hand->lane, &crew->target);
    pthread_mutex_lock(&crew->lock);
    while (!crew->over) {
        if (crew->next < crew->count && crew->end == ENG_END_RAN)
            decide(hand);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    red_lane_end(&hand->lane);
    return NULL;
}

struct red_crew *red_crew_begin(const struct red_plan *plan)
{
    struct red_crew *crew = lit_alloc(1, sizeof *crew);
    *crew = (struct red_crew){.plan = plan,
                              .watch = *plan->target->watch,
                              .reference = *plan->target->reference,
                              .target = *plan->target,
                              .hands = lit_alloc(plan->jobs, sizeof *crew->hands)};
    crew->watch.say = say;
    crew->reference.say = say_nothing;
    crew->watch.tick = crew->reference.tick = NULL;
    crew->watch.stop = crew->reference.stop = stop;
    crew->watch.user = crew->reference.user = crew;
    crew->target.watch = &crew->watch;
    crew->target.reference = &crew->reference;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    for (unsigned i = 0; i < plan->jobs; i++) {
        crew->hands[i].crew = crew;
        crew->hands[i].has_thread =
            pthread_create(&crew->hands[i].thread, NULL, work, &crew->hands[i]) == 0;
        if (!crew->hands[i].has_thread && i == 0)
            lit_give_up("no thread can be started");
    }
    return crew;
}

void red_crew_try(struct red_crew *crew, struct red_candidate *candidates, size_t count,
                  const struct red_tally *tally)
{
    pthread_mutex_lock(&crew->lock);
    for (size_t i = 0; i < count; i++)
        candidates[i].answer = RED_STOP;
    crew->candidates = candidates;
    crew->next = 0;
    crew->count = crew->open = count;
    pthread_cond_broadcast(&crew->changed);
    // Waits for threads in progress, which use their candidates.
    while (crew->open && (crew->end == ENG_END_RAN || crew->next > count - crew->open)) {
        crew->plan->progress(tally, crew->plan->user);
        clock_wait(&crew->changed, &crew->lock);
    }
    crew->count = crew->next = 0;
    pthread_mutex_unlock(&crew->lock);
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
    snprintf(reason, 512, "%s", crew->reason);
    return crew->end == ENG_END_RAN      ? red_over(crew->plan)
           : crew->end == ENG_END_TIME   ? RED_TIME
           : crew->end == ENG_END_SIGNAL ? RED_SIGNAL
                                         : RED_NO_MORE;
}

void red_crew_end(struct red_crew **crew)
{
    struct red_crew *c = *crew;
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->plan->jobs; i++)
        if (c->hands[i].has_thread)
            pthread_join(c->hands[i].thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c->hands);
    free(c);
    *crew = NULL;
}
