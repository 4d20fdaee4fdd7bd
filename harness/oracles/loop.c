// SPDX-License-Identifier: Apache-2.0
// The oracles of tests with a loop in which a lane's tag moves between lanes: from the neighbour in
// each iteration, with a tail only on the elected lane (loop.desync); one hop per iteration
// (loop.tail, loop.form), or four (shuffle.barrier-kinds); or to any lane named in `input`, in
// loops that lanes leave at different times (loop.trips). The unit is a subgroup, iteration by
// iteration, followed by the results of its tails.

#include "base/random.h"
#include "oracles/oracles.h"

// loop.trips: the input words of an invocation.
enum { TAG, TRIPS, SOURCE, WORKER, WORDS_OF_A_LANE };
// loop.tail: rounds of arithmetic in a tail.
#define TAIL_ROUNDS 16u

uint32_t loop_work(uint32_t carried, uint32_t received, uint32_t rounds)
{
    uint32_t work = carried * 1664525 + received;
    for (uint32_t round = 0; round < rounds; round++) {
        work = work * 1664525 + 1013904223;
        work ^= work >> 15;
    }
    return work;
}

// The lane that `lane` receives from.
static uint32_t source(const struct cat_args *args, uint32_t lane)
{
    if (cat_axis_is(args, "exchange", "up"))
        return lane ? lane - 1 : 0;
    if (cat_axis_is(args, "exchange", "xor"))
        return lane ^ 1;
    return (lane + args->subgroup - 1) % args->subgroup;
}

static void desync_shape(struct cat_args *args)
{
    const uint32_t iterations = cat_value(args, "iterations");
    args->shape.input_words = args->subgroup + 1;
    args->shape.words_per_instance = (uint64_t)iterations * (args->subgroup + 1);
}

static void desync_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    for (uint32_t lane = 0; lane < args->subgroup; lane++)
        input[lane] = cat_tag(0, lane);
    input[args->subgroup] = (uint32_t)random_next(&random);
}

static void desync_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const uint32_t lanes = args->subgroup, iterations = cat_value(args, "iterations");
    const uint32_t elected = cat_value(args, "elected"), weight = cat_value(args, "weight");
    uint32_t work = input[lanes];
    for (uint32_t i = 0; i < iterations; i++) {
        for (uint32_t lane = 0; lane < lanes; lane++)
            expected[i * lanes + lane] = cat_tag(i, source(args, lane));
        work = loop_work(work, expected[i * lanes + elected], weight);
        expected[iterations * lanes + i] = work;
    }
}

const char *loop_where(const struct cat_args *args, const struct cat_failure *failure)
{
    const uint32_t iterations = cat_value(args, "iterations");
    const uint64_t exchanged = (uint64_t)iterations * args->subgroup;
    if (failure->word < exchanged)
        return "lane {word%lanes}, iteration {word/lanes}" OF_SUBGROUP;
    if ((args->shape.words_per_instance - exchanged) % iterations)
        return "what the tails came to" OF_SUBGROUP;
    return "tail of iteration {word%iterations}" OF_SUBGROUP;
}

// The number of a subgroup's lanes that work in the tail: as the test says, but at most half.
static uint32_t workers(const struct cat_args *args)
{
    const uint32_t count = cat_axis(args, "barrier") ? 1 : cat_value(args, "workers");
    return count > args->subgroup / 2 ? args->subgroup / 2 : count;
}

// 0 for a lane that does not work, else 1, 2 and so on: workers are equally spaced, and the elected
// lane is the first.
static uint32_t worker(const struct cat_args *args, uint32_t lane)
{
    const uint32_t distance = args->subgroup / workers(args);
    const uint32_t from_elected =
        (lane + args->subgroup - cat_value(args, "elected")) % args->subgroup;
    return from_elected % distance ? 0 : 1 + from_elected / distance;
}

static bool is_tail(const struct cat_args *args, const char *tail)
{
    return cat_axis(args, "tail") && cat_axis_is(args, "tail", tail);
}

static bool is_atomic(const struct cat_args *args)
{
    return is_tail(args, "atomic-shared") || is_tail(args, "atomic-buffer");
}

// The number of words that a worker outputs after its last iteration.
static uint32_t kept(const struct cat_args *args)
{
    if (is_tail(args, "none"))
        return 0;
    return is_tail(args, "arithmetic") || is_atomic(args) ? 1 : cat_value(args, "iterations");
}

static void hop_shape(struct cat_args *args)
{
    const uint64_t exchanged = (uint64_t)cat_value(args, "iterations") * args->subgroup;
    const uint64_t words = exchanged + (is_atomic(args) ? 1 : workers(args) * kept(args));
    args->shape.elements = (uint32_t)words;
    args->shape.input_words = 2 * (uint64_t)args->subgroup + 2;
    args->shape.words_per_instance = words;
}

static void hop_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    (void)seed;
    for (uint32_t lane = 0; lane < args->subgroup; lane++) {
        input[lane] = cat_tag(0, lane);
        input[args->subgroup + lane] = worker(args, lane);
    }
    input[2 * args->subgroup] = kept(args);
    // The factor of an atomic's result in the next round.
    input[2 * args->subgroup + 1] = 0;
}

// A worker's tail result in each iteration, from received[iteration * lanes]: all kept, only the
// last one, or added up.
static void work(const struct cat_args *args, uint32_t number, const uint32_t *received,
                 uint32_t *words)
{
    const bool generates = is_tail(args, "arithmetic") || is_tail(args, "call");
    for (uint32_t i = 0; i < cat_value(args, "iterations"); i++) {
        number = loop_work(number, received[i * args->subgroup], generates ? TAIL_ROUNDS : 0);
        if (is_atomic(args))
            *words += number;
        else
            words[kept(args) == 1 ? 0 : i] = number;
    }
}

static void expect_work(const struct cat_args *args, uint32_t *expected)
{
    const uint64_t exchanged = (uint64_t)cat_value(args, "iterations") * args->subgroup;
    uint32_t *words = expected + exchanged;
    memset(words, 0, (args->shape.words_per_instance - exchanged) * sizeof *words);
    for (uint32_t lane = 0; kept(args) && lane < args->subgroup; lane++) {
        const uint32_t number = worker(args, lane);
        if (number)
            work(args, number, expected + lane,
                 words + (is_atomic(args) ? 0 : (number - 1) * kept(args)));
    }
}

// All workers of a workgroup add to one word of the first subgroup; in a buffer it starts with the
// harness's initial value.
static void expect_counters(const struct cat_args *args, uint32_t *expected)
{
    const uint32_t subgroups = args->workgroup / args->subgroup;
    const uint32_t begin = is_tail(args, "atomic-buffer") ? CAT_POISON : 0;
    for (uint64_t i = 0; i < args->shape.instances; i++) {
        uint32_t *word = expected + (i + 1) * args->shape.words_per_instance - 1;
        *word = i % subgroups ? CAT_POISON : begin + subgroups * *word;
    }
}

// `data` is the number of hops per iteration.
static void hops_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    (void)input;
    const uint32_t lanes = args->subgroup, hops = *(const uint32_t *)args->oracle->data % lanes;
    for (uint32_t word = 0; word < cat_value(args, "iterations") * lanes; word++)
        expected[word] = cat_tag(word / lanes, (word % lanes + lanes - hops) % lanes);
    expect_work(args, expected);
    cat_repeat(&args->shape, args->shape.words_per_instance, expected);
    if (is_atomic(args))
        expect_counters(args, expected);
}

static void trips_shape(struct cat_args *args)
{
    hop_shape(args);
    args->shape.input_words = WORDS_OF_A_LANE * args->shape.instances * args->subgroup;
}

// Draws each lane's number of iterations: all equal, one lane different from the others, or all
// random.
static void draw_trips(const struct cat_args *args, struct lit_random *random, uint64_t instance,
                       uint32_t *words)
{
    const uint32_t most = cat_value(args, "iterations"), lanes = args->subgroup;
    const uint32_t trips = (uint32_t)random_below(random, most + 1);
    const uint32_t odd = (uint32_t)random_below(random, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++, words += WORDS_OF_A_LANE) {
        const uint32_t any = (uint32_t)random_below(random, most + 1);
        if (cat_axis_is(args, "trips", "uniform"))
            words[TRIPS] = most;
        else if (cat_axis_is(args, "trips", "subgroup"))
            words[TRIPS] = trips;
        else if (instance % 4 == 0)
            words[TRIPS] = lane == odd ? most : most / 2;
        else if (instance % 4 == 1)
            words[TRIPS] = lane == odd ? most / 2 : most;
        else
            words[TRIPS] = instance % 4 == 2 ? lane % (most + 1) : any;
    }
}

static void trips_input(const struct cat_args *args, uint64_t seed, uint32_t *input)
{
    struct lit_random random = {seed};
    const uint32_t lanes = args->subgroup;
    for (uint64_t i = 0; i < args->shape.instances; i++, input += WORDS_OF_A_LANE * lanes) {
        draw_trips(args, &random, i, input);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t *words = input + WORDS_OF_A_LANE * lane;
            // The next lane from a random start that stays as long; failing that, the lane itself.
            uint32_t source = (uint32_t)random_below(&random, lanes);
            while (input[WORDS_OF_A_LANE * source + TRIPS] < words[TRIPS])
                source = (source + 1) % lanes;
            words[TAG] = cat_tag(0, lane);
            words[SOURCE] = source;
            words[WORKER] = worker(args, lane);
        }
    }
}

static void trips_expect(const struct cat_args *args, const uint32_t *input, uint32_t *expected)
{
    const uint32_t lanes = args->subgroup, iterations = cat_value(args, "iterations");
    for (uint32_t word = 0; word < iterations * lanes; word++) {
        const uint32_t *words = input + WORDS_OF_A_LANE * (word % lanes);
        const uint32_t iteration = word / lanes;
        expected[word] = iteration < words[TRIPS] ? cat_tag(iteration, words[SOURCE]) : CAT_POISON;
    }
    for (uint32_t lane = 0; kept(args) && lane < lanes; lane++) {
        const uint32_t *words = input + WORDS_OF_A_LANE * lane;
        uint32_t number = words[WORKER];
        if (!number)
            continue;
        uint32_t *tails = expected + iterations * (lanes + number - 1);
        for (uint32_t t = 0; t < iterations; t++) {
            number = loop_work(number, expected[t * lanes + lane], 0);
            tails[t] = t < words[TRIPS] ? number : CAT_POISON;
        }
    }
}

#define LOOP(name, shape_, input_, ...)                                                            \
    ORACLE("loop." name, "subgroup", .check = CAT_CHECK_TAG, .least = 2, .shape = shape_,          \
           .input = input_, .where_of = loop_where, __VA_ARGS__)

const struct cat_oracle oracles_loop[] = {
    LOOP("desync", desync_shape, desync_input, .elements = "iterations", .alike = true,
         .expect = desync_expect),
    LOOP("four-hops", hop_shape, hop_input, .expect = hops_expect, .data = &(const uint32_t){4}),
    LOOP("hop", hop_shape, hop_input, .expect = hops_expect, .data = &(const uint32_t){1}),
    LOOP("trips", trips_shape, trips_input, .expect_unit = trips_expect),
    {0},
};
