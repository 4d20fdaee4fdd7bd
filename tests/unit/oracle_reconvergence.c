// SPDX-License-Identifier: Apache-2.0
// The oracles of the family `reconvergence`: what holds for all of them at every subgroup size.
// Their programs are compared with the kernels (tests/e2e/simt.py), the simulator that plays them
// with a second definition (masks.c).
#define UNIT_MAIN
#include "oracles/oracles.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "model/check.h"

#include "unit.h"

extern const struct cat_oracle oracles_reconvergence[];

enum { DEFAULT, SUBGROUP_UNIFORM, MAXIMAL };

// All axes that any test of the family has. A test that lacks one does not ask for it.
static struct cat_test test = {
    .head = {.axes = {{"reconvergence", {"default", "subgroup-uniform", "maximal"}, 3},
                      {"entry", {"workgroup", "subgroup"}, 2},
                      {"order", {"up", "down"}, 2},
                      {"exit", {"break", "return"}, 2},
                      {"from", {"function", "main"}, 2}},
             .axis_count = 5,
             .program = (char *)"while i<word.0:2 { if word.4+i { look break } look } "
                                "switch word.20:2 { case 0 { look } falls case 1 { look } } look"},
};

// A configuration with its input and expectation. Points into itself. Free with `drop`.
struct made {
    struct cat_case which;
    struct cat_args args;
    struct cat_shape size;
    uint32_t *input, *expected;
};

static void drop(struct made *made)
{
    free(made->input);
    free(made->expected);
}

static uint64_t words_of(const struct made *made)
{
    return made->size.instances * made->size.words_per_instance;
}

static void size_up(struct made *made, const struct cat_oracle *oracle, uint32_t subgroup,
                    uint32_t workgroup, uint8_t reconvergence, uint8_t axes)
{
    *made = (struct made){.which = {.test = &test}};
    made->which.axis[0] = reconvergence;
    for (unsigned a = 0; a < 4; a++)
        made->which.axis[1 + a] = axes >> a & 1;
    made->args = (struct cat_args){
        .subgroup = subgroup, .workgroup = workgroup, .scale = 2, .which = &made->which};
    assert_true(cat_oracle_shape(oracle, &made->args, &made->size, &error));
    made->input = lit_alloc(made->size.input_words, sizeof(uint32_t));
    made->expected = lit_alloc(words_of(made) * 4, sizeof(uint32_t));
    memset(made->expected, 0x77, words_of(made) * 16);
}

static void make(struct made *made, const struct cat_oracle *oracle, uint32_t subgroup,
                 uint32_t workgroup, uint8_t reconvergence, uint8_t axes)
{
    size_up(made, oracle, subgroup, workgroup, reconvergence, axes);
    cat_oracle_input(oracle, &made->args, &made->size, 7, made->input);
    cat_oracle_expect(oracle, &made->args, &made->size, made->input, made->expected);
}

// The four words that say what lane `lane` of instance 0 may store in a slot, first word of its
// mask.
static const uint32_t *cell(const struct made *made, uint32_t lane, uint32_t slot)
{
    const uint64_t slots = made->size.words_per_instance / 4 / made->args.subgroup;
    return &made->expected[(lane * slots + slot) * 16];
}

static uint32_t judge(const struct made *made, uint32_t lane, uint32_t slot, uint32_t got)
{
    return cat_classify(CAT_CHECK_MASK, got, cell(made, lane, slot));
}

static bool fails(const struct made *made, uint32_t lane, uint32_t slot, uint32_t got)
{
    return cat_outcome_fails(CAT_CHECK_MASK, judge(made, lane, slot, got));
}

// One word of an expectation, whatever the shape: it is poison, or the bounds are in order.
static void check_word(const struct made *made, uint64_t index, bool is_mask)
{
    const uint32_t *word = &made->expected[index * 4];
    const uint32_t part = index % 4;
    const uint32_t lane = (uint32_t)(index % made->size.words_per_instance /
                                     (made->size.words_per_instance / made->args.subgroup));
    const uint32_t left = made->args.subgroup - part * 32;
    const uint32_t all = part * 32 >= made->args.subgroup ? 0 : left >= 32 ? ~0u : (1u << left) - 1;
    if (word[0] == CAT_POISON) {
        assert_true(word[1] == CAT_POISON && word[2] == ~0u && word[3] == 0);
        return;
    }
    const bool exact = word[2] == ~0u && word[3] == 0;
    if (made->which.axis[0] == MAXIMAL)
        assert_true(exact);
    if (!is_mask)
        return;
    assert_true((word[0] & ~all) == 0 && (word[1] & ~word[0]) == 0);
    if (lane / 32 == part)
        assert_true(word[0] >> lane % 32 & 1 && word[1] >> lane % 32 & 1);
    if (!exact && all)
        assert_true((word[2] & ~word[0]) == 0 && (word[0] & ~word[3]) == 0 &&
                    (word[3] & ~all) == 0);
}

static void check_every_size(const struct cat_oracle *oracle)
{
    for (uint32_t subgroup = 1; subgroup <= 128; subgroup *= 2) {
        for (uint8_t axes = 0; axes < 16; axes++) {
            const uint8_t rule = axes % 3;
            struct made made;
            make(&made, oracle, subgroup, 128, rule, axes);
            assert_int_equal(made.size.instances, 2 * 128 / subgroup);
            assert_int_equal(made.size.words_per_instance % (subgroup * 4), 0);
            assert_int_equal(made.size.elements, subgroup);
            for (uint64_t i = 0; i < words_of(&made); i++)
                check_word(&made, i,
                           strcmp(oracle->name, "reconvergence.elect-call") &&
                               strcmp(oracle->name, "reconvergence.elect-turns"));
            assert_int_equal(oracle->deterministic(&made.args), rule == MAXIMAL);
            drop(&made);
        }
    }
}

TEST(every_size)
{
    size_t count = 0;
    for (const struct cat_oracle *oracle = oracles_reconvergence; oracle->name; oracle++)
        if (!oracle->draws) {
            check_every_size(oracle);
            count++;
        }
    assert_int_equal(count, 26);
}

TEST(sizes_without_sense)
{
    struct cat_case which = {.test = &test};
    struct cat_shape size;
    const struct cat_oracle *oracle = cat_oracle_find("reconvergence.while-break");
    struct cat_args args = {.subgroup = 128, .workgroup = 64, .scale = 1, .which = &which};
    must_fail("64", cat_oracle_shape(oracle, &args, &size, &error));
    args = (struct cat_args){.subgroup = 32, .workgroup = 2048, .scale = 1, .which = &which};
    assert_false(cat_oracle_shape(oracle, &args, &size, &error));
    args = (struct cat_args){.subgroup = 256, .workgroup = 256, .scale = 1, .which = &which};
    assert_false(cat_oracle_shape(oracle, &args, &size, &error));
}

TEST(lane_words)
{
    unsigned entered = 0, selectors = 0;
    for (uint64_t instance = 0; instance < 64; instance++) {
        const uint32_t enters = reconvergence_word(3, instance, 0, 32) >> 31;
        entered += enters;
        for (uint32_t lane = 0; lane < 32; lane++) {
            const uint32_t word = reconvergence_word(3, instance, lane, 32);
            assert_true((word & 15) <= 8 && (word >> 25 & 7) <= 4);
            assert_int_equal(word >> 31, enters);
            assert_int_equal(word, reconvergence_word(3, instance, lane, 32));
            selectors |= 1u << (word >> 25 & 7);
        }
    }
    assert_in_range(entered, 32, 60);
    assert_int_equal(selectors, 0x1f);
    // The pattern of the first instance: every other lane has A, every fourth Y.
    assert_int_equal(reconvergence_word(3, 0, 2, 32) >> 8 & 0xff, 0);
    assert_int_equal(reconvergence_word(3, 0, 3, 32) >> 8 & 0x1ffff, 0x1ffff);
    assert_int_equal(reconvergence_word(3, 0, 5, 32) >> 8 & 0x1ffff, 0xff);
    // The second: all alike.
    assert_int_equal(reconvergence_word(3, 1, 9, 32), reconvergence_word(3, 1, 30, 32));
}

// Two subgroups, of which one enters: only the rule for subgroups brings its lanes together.
TEST(entered_by_one_subgroup)
{
    enum { AFTER = 17, OUTSIDE = 18, ENTRY_SUBGROUP = 1 };
    const uint32_t enters = 1u << 31, splits = 2 | 3 << 8;
    for (uint8_t rule = DEFAULT; rule <= MAXIMAL; rule++) {
        struct made made;
        size_up(&made, cat_oracle_find("reconvergence.while-break"), 2, 4, rule, ENTRY_SUBGROUP);
        const uint32_t words[4] = {enters | splits, enters, 0, 0};
        memcpy(made.input, words, sizeof(words));
        cat_oracle_expect(cat_oracle_find("reconvergence.while-break"), &made.args, &made.size,
                          made.input, made.expected);
        assert_int_equal(judge(&made, 0, AFTER, 0x3), CAT_RIGHT);
        assert_int_equal(fails(&made, 0, AFTER, 0x1), rule != DEFAULT);
        assert_true(fails(&made, 0, OUTSIDE, 0x1));
        const uint32_t *skipped = cell(&made, 2, AFTER); // the second subgroup
        assert_int_equal(skipped[0], CAT_POISON);
        drop(&made);
    }
}

TEST(places)
{
    struct made made;
    make(&made, cat_oracle_find("reconvergence.while-break"), 64, 128, MAXIMAL, 0);
    const struct cat_failure failure = {.word = (40 * 18 + 8 + 3) * 4 + 1};
    char text[96];
    cat_oracle_where(cat_oracle_find("reconvergence.while-break"), &made.args, &made.size, &failure,
                     text, sizeof(text));
    assert_string_equal(text, "lane 40, B, iteration 3, lanes 32 to 63");
    drop(&made);
}

int main(void)
{
    test.program = oracle_program_read(&test.head, NULL);
    return unit_run();
}
