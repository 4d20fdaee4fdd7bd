// SPDX-License-Identifier: Apache-2.0
// Generated programs: the masks that the interpreter gives, under each model, against the
// simulation on the host, which knows nothing of tangles.
#define UNIT_MAIN
#include "generated.h"

enum { SUBGROUPS = 2 };

static int tries = 150; // of each check
static int shown = 3;   // wrong masks of one program

struct trial {
    struct gen_program program;
    struct gen_shape *shape;
    struct settings settings;
    enum masks_rule rule;
    uint32_t lanes;
    uint32_t *words, *output;
    struct masks_cell *cells;
};

static bool execute(struct trial *trial)
{
    const size_t size = (size_t)trial->lanes * trial->shape->masks.slots * 16;
    return generated_run(&trial->program, trial->rule, &trial->settings, trial->lanes, trial->words,
                         trial->output, size);
}

// A word of the mask that may not be what it is, or -1.
static int wrong_word(const struct masks_cell *cell, const uint32_t *got)
{
    for (int i = 0; i < 4; i++) {
        const bool within = !(cell->lower[i] & ~got[i]) && !(got[i] & ~cell->upper[i]);
        const bool allowed = got[i] == cell->want[i] || got[i] == cell->alternative[i] || within;
        if (cell->executed ? !allowed : got[i] != 0xEEEEEEEE)
            return i;
    }
    return -1;
}

static int compare(const struct trial *trial, uint64_t seed)
{
    int wrong = 0;
    const uint32_t slots = trial->shape->masks.slots;
    masks_simulate(&trial->shape->masks, trial->rule, trial->lanes, trial->settings.subgroup,
                   trial->words, trial->cells);
    for (uint32_t i = 0; i < trial->lanes * slots; i++) {
        const struct masks_cell *cell = &trial->cells[i];
        const int word = wrong_word(cell, &trial->output[4 * i]);
        if (word < 0)
            continue;
        if (wrong++ < shown)
            print_message("seed %d, %s, subgroup %u: lane %u, slot %u, word %d: got %x, prescribed "
                          "%x (or %x), at least %x, at most %x, executed %d\n",
                          (int)seed, model_names[trial->settings.model], trial->settings.subgroup,
                          i / slots, i % slots, word, trial->output[4 * i + word], cell->want[word],
                          cell->alternative[word], cell->lower[word], cell->upper[word],
                          cell->executed);
    }
    return wrong;
}

static struct trial *new_trial(const struct gen_program *program, uint64_t seed, const char *model,
                               enum masks_rule rule, uint32_t subgroup)
{
    char text[128], error[256];
    struct trial *trial = calloc(1, sizeof(*trial));
    snprintf(text, sizeof(text), "model=%s,seed=%d,subgroup=%u,threads=1", model, (int)seed,
             subgroup);
    assert_true(settings_parse(text, &trial->settings, error, sizeof(error)));
    trial->rule = rule;
    trial->lanes = SUBGROUPS * subgroup;
    trial->program = *program;
    trial->shape = gen_shape_make(&trial->program);
    const size_t cells = (size_t)trial->lanes * trial->shape->masks.slots;
    trial->words = calloc(trial->lanes, 4);
    trial->output = calloc(cells, 16);
    trial->cells = calloc(cells, sizeof(*trial->cells));
    for (uint32_t i = 0; i < trial->lanes; i++)
        trial->words[i] = gen_word(seed, seed + i / subgroup, i % subgroup, subgroup);
    return trial;
}

static void free_trial(struct trial *trial)
{
    free(trial->shape);
    free(trial->words);
    free(trial->output);
    free(trial->cells);
    free(trial);
}

// How many masks of one program are wrong; -1 if it did not run.
static int try_program(const struct gen_program *program, uint64_t seed, const char *model,
                       enum masks_rule rule, uint32_t subgroup)
{
    struct trial *trial = new_trial(program, seed, model, rule, subgroup);
    const int wrong = execute(trial) ? compare(trial, seed) : -1;
    free_trial(trial);
    return wrong;
}

static int try_shape(uint64_t seed, const char *model, enum masks_rule rule, uint32_t subgroup)
{
    struct gen_program program;
    gen_draw(&program, &(struct gen_limits){.rule = rule, .steps = 48, .depth = 5}, 1, seed);
    return try_program(&program, seed, model, rule, subgroup);
}

static void check_model(const char *model, enum masks_rule rule)
{
    static const uint32_t sizes[] = {4, 8, 32, 1, 128};
    for (int seed = 0; seed < tries; seed++)
        assert_int_equal(try_shape((uint64_t)seed, model, rule, sizes[seed % 5]), 0);
}

TEST(lockstep_is_maximal)
{
    check_model("lockstep", MASKS_MAXIMAL);
}

TEST(tangled_is_maximal)
{
    check_model("tangled", MASKS_MAXIMAL);
}

TEST(tangled_keeps_the_weaker_rules)
{
    check_model("tangled", MASKS_DEFAULT);
    check_model("tangled", MASKS_SUBGROUP_UNIFORM);
}

enum { WIDTH = 8, ALL = 0xFF };

// With how many of 60 seeds the last of the lanes `group` of the first subgroup looks with fewer
// than all of them, in slot `slot`. Lanes of that subgroup have the word 1, those of the second one
// the word `others`.
static int times_less(const char *source, enum masks_rule rule, uint32_t others, uint32_t slot,
                      uint32_t group)
{
    int apart = 0;
    struct gen_program program;
    assert_true(gen_read(source, strlen(source), &program, NULL));
    assert_true(gen_check(&program, rule, NULL));
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct trial *trial = new_trial(&program, seed, "tangled", rule, WIDTH);
        assert_true(slot < trial->shape->masks.slots);
        for (uint32_t i = 0; i < trial->lanes; i++)
            trial->words[i] = i < WIDTH ? 1 : others;
        assert_true(execute(trial));
        assert_int_equal(compare(trial, seed), 0);
        apart += trial->output[4 * ((WIDTH - 1) * trial->shape->masks.slots + slot)] != group;
        free_trial(trial);
    }
    return apart;
}

static int times_apart(const char *source, enum masks_rule rule, uint32_t others, uint32_t slot)
{
    return times_less(source, rule, others, slot, ALL);
}

// One whole subgroup is in the branch, the other is not.
static const char branch[] = "if word.0 { if lane.0 { } look }";

TEST(a_subgroup_is_not_the_workgroup)
{
    assert_in_range(times_apart(branch, MASKS_DEFAULT, 0, 0), 5, 59);
    assert_int_equal(times_apart(branch, MASKS_SUBGROUP_UNIFORM, 0, 0), 0);
    assert_int_equal(times_apart(branch, MASKS_MAXIMAL, 0, 0), 0);
    // Behind the branch, which the whole workgroup entered.
    assert_int_equal(times_apart("if word.0 { if lane.0 { } } look", MASKS_DEFAULT, 0, 0), 0);
    // Deeper in, and behind another construct.
    static const char deep[] = "if word.0 { if true { if true { } if lane.0 { } look } }";
    assert_in_range(times_apart(deep, MASKS_DEFAULT, 0, 0), 5, 59);
    // The other subgroup is in the other branch.
    static const char other[] = "if word.0 { if lane.0 { } look } else { look }";
    assert_in_range(times_apart(other, MASKS_DEFAULT, 0, 0), 5, 59);
    // The other subgroup has left the loop.
    static const char loop[] = "while i<3 { if i>=2 { if lane.0 { } look } if i>=1 { if word.1 { "
                               "break } } }";
    assert_in_range(times_apart(loop, MASKS_DEFAULT, 2, 2), 5, 59);
    assert_int_equal(times_apart(loop, MASKS_DEFAULT, 1, 2), 0);
}

TEST(lanes_of_a_subgroup_are_not_all_of_it)
{
    static const char part[] = "if lane.0 { if lane.1 { } look }";
    assert_in_range(times_less(part, MASKS_DEFAULT, 1, 0, 0xAA), 5, 59);
    assert_in_range(times_less(part, MASKS_SUBGROUP_UNIFORM, 1, 0, 0xAA), 5, 59);
    assert_int_equal(times_less(part, MASKS_MAXIMAL, 1, 0, 0xAA), 0);
}

TEST(a_whole_workgroup_comes_together)
{
    assert_int_equal(times_apart(branch, MASKS_DEFAULT, 1, 0), 0);
    static const char loop[] = "while i<3 { if lane.0 { } look }";
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(times_apart(loop, MASKS_DEFAULT, 0, i), 0);
}

// Nothing in the branch parts the lanes that took it together.
TEST(a_subgroup_that_does_not_part_stays_whole)
{
    static const char undivided[] = "if word.0 { if word.0 { while i<2 { } } look }";
    assert_int_equal(times_apart(undivided, MASKS_DEFAULT, 0, 0), 0);
}

// Lanes of the other subgroup do not leave the selection by its merge block.
TEST(an_escape_ends_uniform_control_flow)
{
    static const char escape[] = "while i<1 { if lane.0 { if word.1 { break } } look }";
    assert_in_range(times_apart(escape, MASKS_DEFAULT, 2, 0), 5, 59);
    assert_int_equal(times_apart(escape, MASKS_SUBGROUP_UNIFORM, 2, 0), 0);
    assert_int_equal(times_apart(escape, MASKS_DEFAULT, 1, 0), 0);
}

// No continue target brings lanes together but under maximal reconvergence, nor does a return.
TEST(only_merge_blocks_end_divergence)
{
    static const char loop[] = "while i<2 { look if lane.0 { continue } }";
    static const char call[] = "call { if lane.0 { return } } look";
    assert_in_range(times_apart(loop, MASKS_DEFAULT, 1, 1), 5, 59);
    assert_in_range(times_apart(loop, MASKS_SUBGROUP_UNIFORM, 1, 1), 5, 59);
    assert_int_equal(times_apart(loop, MASKS_MAXIMAL, 1, 1), 0);
    assert_in_range(times_apart(call, MASKS_DEFAULT, 1, 0), 5, 59);
    assert_in_range(times_apart(call, MASKS_SUBGROUP_UNIFORM, 1, 0), 5, 59);
    assert_int_equal(times_apart(call, MASKS_MAXIMAL, 1, 0), 0);
}

// Blocks on the way out of a loop may be taken to lie behind it, unless maximal reconvergence is
// asked for.
TEST(peeling_keeps_the_weaker_rules)
{
    check_model("peeling", MASKS_DEFAULT);
    check_model("peeling", MASKS_SUBGROUP_UNIFORM);
}

// A model that breaks the rule must be seen to: else the comparison sees nothing.
TEST(broken_models_are_seen)
{
    static const char *const models[] = {"lagging", "peeling"};
    shown = 0;
    for (int m = 0; m < 2; m++) {
        int wrong = 0;
        for (int seed = 0; seed < 40; seed++)
            wrong += try_shape((uint64_t)seed, models[m], MASKS_MAXIMAL, 8) > 0;
        print_message("%s: wrong in %d of 40 programs\n", models[m], wrong);
        assert_true(wrong > 0);
    }
}

// A branch from one block of a continue construct to another leaves no loop: peeling is right here.
TEST(a_continue_construct_is_no_way_out)
{
    static const char source[] =
        "do { } next { if word.0+i { switch lane:2 { case 0 { look } default "
        "{ while j<word.4:2 { look } } } } look } while i<2 look";
    struct gen_program program;
    assert_true(gen_read(source, strlen(source), &program, NULL));
    assert_true(gen_check(&program, MASKS_MAXIMAL, NULL));
    for (uint64_t seed = 0; seed < 20; seed++)
        assert_int_equal(try_program(&program, seed, "peeling", MASKS_MAXIMAL, 32), 0);
}

// The fault exits: a selection whose merge block does nothing but leave a loop, and no other.
TEST(an_exit_loses_its_convergence_point)
{
    static const struct {
        const char *source;
        bool wrong;
    } rows[] = {
        {"while i<2 { if group.0 { if lane.0 { look } break } look } look", true},
        {"while i<2 { if group.0 { if lane.0 { look } look break } look } look", false},
        {"while i<2 { if lane.0 { look } look } look", false},
        {"if group.0 { if lane.0 { look } } look", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gen_program program;
        assert_true(gen_read(rows[i].source, strlen(rows[i].source), &program, NULL));
        int wrong = 0;
        for (uint64_t seed = 0; seed < 20; seed++)
            wrong += try_program(&program, seed, "faulty,fault=exits", MASKS_MAXIMAL, 32) != 0;
        assert_int_equal(wrong > 0, rows[i].wrong);
    }
}

int main(int argc, char **argv)
{
    // masks TRIES; masks 0 SEED MODEL RULE SUBGROUP: one program, which `litmus fuzz --show`
    // prints.
    if (argc > 5)
        return try_shape(strtoull(argv[2], NULL, 10), argv[3], (enum masks_rule)atoi(argv[4]),
                         (uint32_t)atoi(argv[5])) != 0;
    if (argc > 1)
        tries = atoi(argv[1]);
    return unit_run();
}
