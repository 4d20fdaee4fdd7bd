// SPDX-License-Identifier: Apache-2.0
// The oracles of the family memory against a machine that executes the two sides of an instance one
// access after the other, in every order: what it can show is right, and what it cannot show fails.
#include "unit.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"
#include "oracles/oracles.h"

#define MOST_STEPS 3
#define MOST_SEEN  16

enum location { X, Y, LOCATIONS };

struct step {
    bool stores;
    enum location at;
    uint32_t value;    // to store
    unsigned observed; // else: which of the observations this load is
};

// What the kernel of a test says that its two sides do, and how they report what they loaded.
struct program {
    const char *test, *axis, *value; // of the configurations that it holds for; NULL: all
    struct step sides[2][MOST_STEPS];
    unsigned counts[2];
    uint32_t (*report)(const uint32_t loaded[2]);
    uint32_t values; // a load gives a number below this
};

static uint32_t as_bits(const uint32_t loaded[2])
{
    return loaded[0] + 2 * loaded[1];
}

static uint32_t as_sums(const uint32_t loaded[2])
{
    return 0xC0DEDEADu + 0x100 + loaded[0] + 0x200 + 2 * loaded[1];
}

static uint32_t as_value(const uint32_t loaded[2])
{
    return loaded[0];
}

#define STORE(location, number)                                                                    \
    {                                                                                              \
        .stores = true, .at = location, .value = number                                            \
    }
#define LOAD(location, which)                                                                      \
    {                                                                                              \
        .at = location, .observed = which                                                          \
    }

static const struct program programs[] = {
    {"memory.message-passing",
     NULL,
     NULL,
     {{STORE(X, 1), STORE(Y, 1)}, {LOAD(Y, 0), LOAD(X, 1)}},
     {2, 2},
     as_bits,
     2},
    {"memory.scope-chain",
     NULL,
     NULL,
     {{STORE(X, 1), STORE(Y, 1)}, {LOAD(Y, 0), LOAD(X, 1)}},
     {2, 2},
     as_bits,
     2},
    {"memory.store-buffering",
     NULL,
     NULL,
     {{STORE(X, 1), LOAD(Y, 0)}, {STORE(Y, 1), LOAD(X, 1)}},
     {2, 2},
     as_sums,
     2},
    {"memory.load-buffering",
     NULL,
     NULL,
     {{LOAD(X, 0), STORE(Y, 1)}, {LOAD(Y, 1), STORE(X, 1)}},
     {2, 2},
     as_sums,
     2},
    {"memory.coherence", NULL, NULL, {{STORE(X, 1)}, {LOAD(X, 0), LOAD(X, 1)}}, {1, 2}, as_bits, 2},
    {"memory.coherence-own",
     "pattern",
     "write-read",
     {{STORE(X, 1), LOAD(X, 0)}, {STORE(X, 2)}},
     {2, 1},
     as_value,
     3},
    {"memory.coherence-own",
     "pattern",
     "read-write",
     {{LOAD(X, 0), STORE(X, 1)}, {STORE(X, 2)}},
     {2, 1},
     as_value,
     3},
};

struct machine {
    const struct program *program;
    uint32_t seen[MOST_SEEN];
    unsigned seen_count;
};

static bool has_seen(const struct machine *machine, uint32_t word)
{
    for (unsigned i = 0; i < machine->seen_count; i++)
        if (machine->seen[i] == word)
            return true;
    return false;
}

static void go_on(struct machine *machine, const unsigned done[2], const uint32_t memory[LOCATIONS],
                  const uint32_t loaded[2])
{
    const struct program *program = machine->program;
    for (unsigned side = 0; side < 2; side++) {
        if (done[side] == program->counts[side])
            continue;
        unsigned done_then[2] = {done[0], done[1]};
        uint32_t memory_then[LOCATIONS] = {memory[X], memory[Y]};
        uint32_t loaded_then[2] = {loaded[0], loaded[1]};
        const struct step *step = &program->sides[side][done_then[side]++];
        if (step->stores)
            memory_then[step->at] = step->value;
        else
            loaded_then[step->observed] = memory[step->at];
        go_on(machine, done_then, memory_then, loaded_then);
    }
    if (done[0] == program->counts[0] && done[1] == program->counts[1] &&
        !has_seen(machine, program->report(loaded))) {
        assert_true(machine->seen_count < MOST_SEEN);
        machine->seen[machine->seen_count++] = program->report(loaded);
    }
}

static void judge_all(const struct machine *machine, const struct cat_mode *mode,
                      const uint32_t *expected)
{
    const struct program *program = machine->program;
    for (uint32_t first = 0; first < program->values; first++)
        for (uint32_t second = 0; second < program->values; second++) {
            const uint32_t word = program->report((const uint32_t[]){first, second});
            const uint32_t outcome = cat_classify(CAT_CHECK_CHOICE, word, expected);
            const char *name = cat_mode_name(mode, outcome);
            assert_non_null(name);
            assert_string_not_equal(name, "something else");
            assert_int_equal(cat_mode_fails(mode, outcome), !has_seen(machine, word));
        }
}

static void check_case(const struct cat_case *which, void *user)
{
    const struct machine *machine = user;
    const struct program *program = machine->program;
    struct cat_args args = {.subgroup = which->subgroup, .scale = 2, .which = which};
    struct cat_shape shape;
    args.workgroup = cat_value(&args, "workgroup");
    if (program->axis && !cat_axis_is(&args, program->axis, program->value))
        return;
    const struct cat_oracle *oracle = which->test->oracle;
    const struct cat_mode mode = cat_mode_of(oracle);
    assert_int_equal(oracle->check, CAT_CHECK_CHOICE);
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    const uint64_t invocations = (uint64_t)args.workgroup * 2 * cat_value(&args, "times");
    assert_int_equal(shape.instances, invocations);
    assert_int_equal(shape.words_per_instance, 1);
    // The last location of a buffer, and the word that nobody writes behind it.
    if (cat_axis_is(&args, "place", "buffer"))
        assert_true(shape.state_words > 1 + 2 * invocations * cat_value(&args, "stride"));

    uint32_t *expected = lit_alloc(4 * invocations, sizeof *expected), input[] = {7, 7};
    assert_int_equal(shape.input_words, 2);
    cat_oracle_input(oracle, &args, &shape, 1, input);
    assert_int_equal(input[0] | input[1], 0);
    cat_oracle_expect(oracle, &args, &shape, input, expected);
    judge_all(machine, &mode, expected);
    for (uint64_t i = 1; i < invocations; i++)
        assert_memory_equal(expected, expected + 4 * i, 16);

    // A side that never reported, and one that reported twice.
    const uint32_t strange[] = {CAT_POISON + 0x101, CAT_POISON + 0x200, CAT_POISON + 0x501, 77};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(
            cat_mode_name(&mode, cat_classify(CAT_CHECK_CHOICE, strange[i], expected)),
            "something else");
    assert_true(cat_mode_fails(&mode, cat_classify(CAT_CHECK_CHOICE, 77, expected)));
    assert_int_equal(cat_classify(CAT_CHECK_CHOICE, CAT_POISON, expected), CAT_NEVER_WRITTEN);
    free(expected);
}

TEST(what_no_interleaving_shows_fails)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct machine machine = {.program = &programs[i]};
        go_on(&machine, (const unsigned[]){0, 0}, (const uint32_t[]){0, 0},
              (const uint32_t[]){0, 0});
        assert_true(machine.seen_count >= 2);
        const struct cat_test *test = cat_test_find(programs[i].test);
        assert_non_null(test);
        cat_test_each(test, 4, check_case, &machine);
        cat_test_each(test, 64, check_case, &machine);
    }
}

TEST(no_permutation_without_a_power_of_two)
{
    struct cat_case which;
    struct cat_shape shape;
    assert_true(cat_case_parse("memory.coherence/sides=device,address=same,place=buffer,"
                               "memory-model=glsl,cure=none@workgroup=64,times=1,stride=1,"
                               "step=4099",
                               &which, &error));
    struct cat_args args = {.subgroup = 8, .workgroup = 64, .scale = 3, .which = &which};
    must_fail("no powers of two", cat_oracle_shape(which.test->oracle, &args, &shape, &error));
    args.scale = 4;
    assert_true(cat_oracle_shape(which.test->oracle, &args, &shape, &error));
}
