// SPDX-License-Identifier: Apache-2.0
// From a configuration's name to its pipeline, input and expectation, ahead of its turn.

#include "engine/measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS (UINT64_C(1) << 22) // of input and expectation

// What one thread makes besides the pipeline.
struct listener {
    const struct eng_sink *sink;
    uint64_t seed;
    struct eng_prepared ready;
};

// What is made and waits for its turn.
static struct {
    pthread_mutex_t lock;
    struct made {
        char name[512]; // "": this place is free
        uint64_t seed;
        struct eng_prepared ready;
    } made[DEV_PRECOMPILE_MOST];
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool same_shape(const struct cat_shape *a, const struct cat_shape *b)
{
    return a->workgroups == b->workgroups && a->elements == b->elements &&
           a->instances == b->instances && a->words_per_instance == b->words_per_instance &&
           a->input_words == b->input_words && a->state_words == b->state_words;
}

bool eng_precompiled_data(const char *name, uint64_t seed, struct eng_prepared *ready)
{
    bool found = false;
    pthread_mutex_lock(&store.lock);
    for (size_t i = 0; i < DEV_PRECOMPILE_MOST && !found; i++) {
        struct made *made = &store.made[i];
        found = made->name[0] && !strcmp(made->name, name) && made->seed == seed &&
                same_shape(&made->ready.shape, &ready->shape);
        if (!found)
            continue;
        ready->input = made->ready.input;
        ready->expected = made->ready.expected;
        ready->stream = made->ready.stream;
        ready->deterministic = made->ready.deterministic;
        made->name[0] = '\0';
    }
    pthread_mutex_unlock(&store.lock);
    return found;
}

void eng_precompiled_forget(const char *name)
{
    pthread_mutex_lock(&store.lock);
    for (size_t i = 0; i < DEV_PRECOMPILE_MOST; i++) {
        struct made *made = &store.made[i];
        if (!made->name[0] || (name && strcmp(made->name, name) != 0))
            continue;
        eng_prepared_clear(&made->ready);
        made->name[0] = '\0';
    }
    pthread_mutex_unlock(&store.lock);
}

static void keep(const char *name, struct listener *listener)
{
    struct made *place = NULL;
    pthread_mutex_lock(&store.lock);
    for (size_t i = 0; i < DEV_PRECOMPILE_MOST && !place; i++)
        if (!store.made[i].name[0])
            place = &store.made[i];
    if (place) {
        snprintf(place->name, sizeof place->name, "%s", name);
        place->seed = listener->seed;
        eng_prepared_move(&place->ready, &listener->ready);
    }
    pthread_mutex_unlock(&store.lock);
    eng_prepared_clear(&listener->ready);
}

static void say_made(const char *name, struct listener *listener)
{
    struct eng_event event = {.kind = ENG_EVENT_PRECOMPILED};
    snprintf(event.text, sizeof event.text, "%s", name);
    listener->sink->emit(&event, listener->sink->user);
    free(listener);
}

// On the pipeline's thread.
static void finish(const char *name, void *user)
{
    struct listener *listener = user;
    const struct cat_shape *shape = &listener->ready.shape;
    const uint64_t each = cat_check_stride(listener->ready.oracle->check);
    if (shape->input_words + shape->instances * shape->words_per_instance * each <= MOST_WORDS) {
        eng_prepare_data(&listener->ready, listener->seed);
        keep(name, listener);
    }
    say_made(name, listener);
}

// Whatever is wrong with it will be said when its turn comes.
static bool begin(struct dev *dev, const struct eng_upcoming *ahead, struct listener *listener)
{
    struct lit_error error = {0};
    struct cat_case which;
    struct dev_stress stress;
    struct eng_prepared *ready = &listener->ready;
    if (!cat_case_parse(ahead->name, &which, &error) ||
        !eng_stress_parse(ahead->stress, &stress, &error) ||
        !eng_prepare(
            &(struct eng_prepare){
                .which = &which,
                .facts = dev_facts(dev),
                .most_words = eng_most_words(dev),
            },
            ready, &error))
        return false;
    const struct eng_stress_limits limits =
        eng_stress_limits(dev_facts(dev), ready->module->divisible);
    eng_stress_fit(&stress, &limits);
    return dev_precompile_begin(dev, &(struct dev_precompile_info){
                                         .name = ahead->name,
                                         .code = eng_compile_info(ready, NULL),
                                         .sliced = stress.slices > 1,
                                         .made = finish,
                                         .user = listener,
                                     });
}

void eng_precompile_begin(struct dev *dev, const struct eng_request *request,
                          const struct eng_sink *sink)
{
    for (size_t i = 0; i < request->ahead_count; i++) {
        struct listener *listener = lit_alloc(1, sizeof *listener);
        *listener = (struct listener){.sink = sink, .seed = request->seed};
        if (!begin(dev, &request->ahead[i], listener))
            say_made(request->ahead[i].name, listener);
    }
}
