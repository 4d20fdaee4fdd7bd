// SPDX-License-Identifier: Apache-2.0
// Generated programs: the same on every machine, read back as they were written, refused where they
// make no sense, and simulated as they are meant.
#include "generate/module.h"
#include "generate/program.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "catalogue/head.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const struct gen_limits limits[] = {
    {.rule = MASKS_DEFAULT, .steps = 40, .depth = 4},
    {.rule = MASKS_SUBGROUP_UNIFORM, .steps = 20, .depth = 3},
    {.rule = MASKS_MAXIMAL, .steps = 64, .depth = 6},
    {.rule = MASKS_MAXIMAL, .steps = 1, .depth = 1},
};
#define LIMITS (sizeof limits / sizeof *limits)

static uint64_t digest(const struct text *text)
{
    return random_derive(1, text->data);
}

// If this fails the meaning of every seed has changed: reports name programs by theirs.
static void a_seed_means_the_same_everywhere(void **state)
{
    (void)state;
    struct text all = {0};
    for (size_t t = 0; t < LIMITS; t++)
        for (uint64_t i = 0; i < 50; i++) {
            struct gen_program program;
            struct gen_module module;
            gen_draw(&program, &limits[t], 0x5eed, i);
            gen_write(&program, &all);
            gen_module_make(&program, limits[t].rule, &module);
            for (size_t w = 0; w < module.count; w++)
                text_printf(&all, " %x", module.words[w]);
            gen_module_clear(&module);
        }
    assert_true(digest(&all) == UINT64_C(0xc20dc04a714e2880));
    text_free(&all);
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    for (size_t t = 0; t < LIMITS; t++)
        for (uint64_t i = 0; i < 500; i++) {
            struct gen_program program, again;
            struct lit_error error = {0};
            struct text text = {0};
            gen_draw(&program, &limits[t], 7, i);
            gen_write(&program, &text);
            assert_true(text.length < GEN_TEXT_MAX);
            if (!gen_read(text.data, text.length, &again, &error))
                fail_msg("%s: %s", text.data, error.message);
            assert_true(gen_check(&again, limits[t].rule, NULL));
            assert_memory_equal(&program, &again, sizeof program);
            text_free(&text);
        }
}

static void the_head_is_that_of_a_test(void **state)
{
    (void)state;
    for (size_t t = 0; t < LIMITS; t++) {
        struct gen_program program, again;
        struct cat_head head;
        struct lit_error error = {0};
        struct text text = {0};
        gen_draw(&program, &limits[t], 7, 1);
        gen_assembly(&(struct gen_title){.name = "reconvergence.fuzz",
                                         .origin = "here",
                                         .remark = "; seen\n",
                                         .rule = limits[t].rule},
                     &program, &text);
        if (!cat_head_parse(text.data, text.length, &head, &error))
            fail_msg("%s", error.message);
        assert_string_equal(head.axes[0].values[0], gen_rule_name(limits[t].rule));
        assert_non_null(cat_oracle_find(head.oracle));
        assert_true(gen_read(head.program, strlen(head.program), &again, &error));
        assert_memory_equal(&program, &again, sizeof program);
        cat_head_clear(&head);
        text_free(&text);
    }
}

static void refused(const char *source, enum masks_rule rule, const char *why)
{
    struct gen_program program;
    struct lit_error error = {0};
    if (gen_read(source, strlen(source), &program, &error) && gen_check(&program, rule, &error))
        fail_msg("'%s' is taken", source);
    if (!strstr(error.message, why))
        fail_msg("'%s': %s", source, error.message);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    const enum masks_rule rule = MASKS_MAXIMAL;
    refused("", rule, "never looks");
    refused("look }", rule, "'}'");
    refused("if word.1 { look", rule, "not 'the end'");
    refused("if word.32 { look }", rule, "no such condition");
    refused("if word.1:2 { look }", rule, "invalid condition");
    refused("if word.999 { look }", rule, "a condition");
    refused("if word.1+i { look }", rule, "not around");
    refused("while i<2 { if word.1+j { look } }", rule, "not around");
    refused("while i<4 { look }", rule, "no such condition");
    refused("while word.1 { look }", rule, "need not end");
    refused("while true { look }", rule, "need not end");
    refused("while i<2 { while i<2 { look } }", rule, "need not end");
    refused("loop { look }", rule, "need not end");
    refused("loop { if word.1 { continue } if i>=2 { break } look }", rule, "need not end");
    refused("loop { if i>=2 { if word.1 { break } } look }", rule, "need not end");
    refused("loop { if i>=2 { look } look }", rule, "need not end");
    refused("while i<1 { while j<1 { while i<1 { look } } }", rule, "too many loops");
    refused("look break", rule, "nothing to break");
    refused("switch word.1:2 { case 0 { continue } } look", rule, "no loop to continue");
    refused("while i<2 { look } next { break }", rule, "nothing to break");
    refused("while i<2 { look } next { return }", rule, "cannot return");
    refused("switch word.1:2 { } look", rule, "has cases");
    refused("switch word.1:2 { look }", rule, "has cases");
    refused("switch word.1 { case 0 { look } }", rule, "invalid selector");
    refused("switch word.1:2 { case 0 { look } case 0 { } }", rule, "there already");
    refused("switch word.1:2 { case 4 { look } }", rule, "there already");
    refused("switch word.1:2 { default { look } case 0 { } }", rule, "behind the default");
    refused("switch word.1:2 { case 0 { look } falls }", rule, "nothing to fall into");
    refused("switch word.1:2 { case 0 { if elect { look } } }", rule, "elected");
    refused("if elect { look }", MASKS_SUBGROUP_UNIFORM, "elected");
    refused("case 0 { look }", rule, "invalid step");
    struct text deep = {0}, many = {0}, slots = {0};
    for (int i = 0; i < 30; i++)
        text_puts(&deep, "call { ");
    refused(deep.data, rule, "too deep");
    for (int i = 0; i <= GEN_STEPS; i++)
        text_puts(&many, "look ");
    refused(many.data, rule, "more than");
    for (int i = 0; i < 20; i++)
        text_puts(&slots, "while i<1 { while j<1 { look } } ");
    refused(slots.data, rule, "too many records");
    text_free(&deep);
    text_free(&many);
    text_free(&slots);
}

// What each condition is worth, by a table.
static void conditions(void **state)
{
    (void)state;
    const struct masks_lane lane = {
        .lane = 5, .subgroup = 8, .word = 0x80000006, .first = 5, .iteration = {2, 1}};
    static const struct {
        struct gen_condition when;
        uint32_t value;
    } table[] = {
        {{GEN_TRUE, 0, 0}, 1},     {{GEN_BIT, 1, 0}, 1},        {{GEN_BIT, 0, 0}, 0},
        {{GEN_BIT, 31, 0}, 1},     {{GEN_BIT, 30, 2}, 1},       {{GEN_BIT, 31, 1}, 1},
        {{GEN_BIT, 31, 3}, 1},     {{GEN_BIT, 28, 3}, 1},       {{GEN_LANE_BIT, 0, 0}, 1},
        {{GEN_LANE_BIT, 1, 0}, 0}, {{GEN_LANE_BIT, 1, 1}, 1},   {{GEN_LANE_IS, 5, 0}, 1},
        {{GEN_LANE_IS, 2, 3}, 1},  {{GEN_LANE_IS, 3, 0}, 0},    {{GEN_ELECT, 0, 0}, 1},
        {{GEN_TRIPS, 1, 1}, 1},    {{GEN_TRIPS, 0, 1}, 0},      {{GEN_TRIPS, 0, 2}, 1},
        {{GEN_BELOW, 2, 1}, 0},    {{GEN_BELOW, 2, 2}, 1},      {{GEN_PAST, 2, 1}, 1},
        {{GEN_PAST, 2, 2}, 0},     {{GEN_FIELD, 1, 0}, 3},      {{GEN_FIELD, 31, 0}, 1},
        {{GEN_FIELD, 30, 3}, 3},   {{GEN_LANE_FIELD, 0, 0}, 1}, {{GEN_LANE_FIELD, 0, 1}, 3},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gen_value_of(&table[i].when, &lane) != table[i].value)
            fail_msg("condition %zu: %u", i, gen_value_of(&table[i].when, &lane));
}

// A program against masks that were made by hand: lanes 0 to 3 with the words 0, 1, 2, 3.
static void a_program_by_hand(void **state)
{
    (void)state;
    static const char source[] =
        "while i<word.0:2 { if word.0+i { look break } look } next { look } "
        "look";
    const uint32_t words[4] = {0, 1, 2, 3};
    struct gen_program program;
    struct masks_cell cells[4 * 13];
    assert_true(gen_read(source, strlen(source), &program, NULL));
    assert_true(gen_check(&program, MASKS_MAXIMAL, NULL));
    struct gen_shape *shape = gen_shape_make(&program);
    assert_int_equal(shape->masks.slots, 13);
    masks_simulate(&shape->masks, MASKS_MAXIMAL, 4, 4, words, cells);
    // Iteration 0: lanes 1 to 3 enter; 1 and 3 break. Iteration 1: 2 breaks.
    static const struct {
        uint32_t lane, slot, mask;
    } table[] = {{1, 0, 0xa}, {3, 0, 0xa},  {2, 1, 0x4}, {2, 4, 0x4},
                 {2, 8, 0x4}, {0, 12, 0xf}, {2, 12, 0xf}};
    uint32_t executed = 0;
    for (uint32_t i = 0; i < 4 * 13; i++)
        executed += cells[i].executed;
    assert_int_equal(executed, 5 + 4);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(cells[table[i].lane * 13 + table[i].slot].want[0], table[i].mask);
    char where[64];
    masks_describe(&shape->masks, 9, where, sizeof where);
    assert_string_equal(where, "look 3, iteration 1");
    free(shape);
}

// Programs are neither all alike nor all trivial.
static void programs_are_worth_running(void **state)
{
    (void)state;
    uint32_t kinds[MASKS_ELECT + 1] = {0}, values[GEN_VALUES] = {0}, small = 0, large = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct gen_program program;
        const struct gen_limits limits = {.rule = MASKS_MAXIMAL, .steps = 40, .depth = 4};
        gen_draw(&program, &limits, 1, i);
        for (uint32_t s = 1; s <= program.count; s++) {
            kinds[program.steps[s].kind]++;
            values[program.steps[s].when.value]++;
        }
        small += program.count < 10;
        large += program.count > 30;
    }
    for (uint32_t kind = MASKS_IF; kind <= MASKS_ELECT; kind++)
        assert_true(kinds[kind] > 200);
    for (uint32_t value = GEN_NONE; value < GEN_VALUES; value++)
        assert_true(values[value] > 50);
    assert_true(small > 50 && large > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_means_the_same_everywhere),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(the_head_is_that_of_a_test),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(conditions),
        cmocka_unit_test(a_program_by_hand),
        cmocka_unit_test(programs_are_worth_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
