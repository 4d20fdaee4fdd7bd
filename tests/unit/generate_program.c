// SPDX-License-Identifier: Apache-2.0
// Generated programs: the same on every machine, read back as they were written, refused where they
// make no sense, and simulated as they are meant.
#include "generate/module.h"
#include "generate/program.h"

#include "base/random.h"
#include "catalogue/catalogue.h"
#include "catalogue/head.h"

#include "sections.h"

static const struct gen_limits limits[] = {
    {.rule = MASKS_DEFAULT, .steps = 40, .depth = 4},
    {.rule = MASKS_SUBGROUP_UNIFORM, .steps = 20, .depth = 3},
    {.rule = MASKS_MAXIMAL, .steps = 64, .depth = 6},
    {.rule = MASKS_MAXIMAL, .steps = 1, .depth = 1},
#define DATA                                                                                       \
    .steps = 40, .depth = 4, .numbers = 8, .truths = 4, .features = UINT64_MAX, .subgroup = 32
    {.rule = MASKS_DEFAULT, DATA},
    {.rule = MASKS_MAXIMAL, DATA},
    {.rule = MASKS_SUBGROUP_UNIFORM,
     .steps = 64,
     .depth = 6,
     .numbers = GEN_NUMBERS,
     .truths = GEN_TRUTHS,
     .features = UINT64_MAX,
     .subgroup = 128},
    {.rule = MASKS_DEFAULT, .focus = GEN_EXITS, DATA},
    {.rule = MASKS_SUBGROUP_UNIFORM, .focus = GEN_SUBGROUPS, DATA},
    {.rule = MASKS_MAXIMAL, .focus = GEN_VULKAN, DATA},
    {.rule = MASKS_MAXIMAL, .focus = GEN_ARITHMETIC, DATA},
    {.rule = MASKS_MAXIMAL, .focus = GEN_ARRAYS, DATA},
    {.rule = MASKS_DEFAULT, .focus = GEN_ADDRESSES, DATA},
    {.rule = MASKS_SUBGROUP_UNIFORM, .focus = GEN_MATRICES, DATA},
    {.rule = MASKS_DEFAULT, .focus = GEN_NABLA, DATA},
    {.rule = MASKS_SUBGROUP_UNIFORM, .focus = GEN_VELLO, DATA},
    {.rule = MASKS_MAXIMAL, .focus = GEN_LLAMA, DATA},
    {.rule = MASKS_MAXIMAL, .focus = GEN_PREFIX_SUMS, DATA},
};
#define LIMITS  (sizeof limits / sizeof *limits)
#define PLAIN   7            // of these limits have no focus
#define WORDS   (DRAWN - 4)  // of these limits are not of GEN_ARITHMETIC or younger
#define DRAWN   (LIMITS - 4) // of these limits are not of kernels
#define LOOKING 4            // of these limits are without data

static uint64_t digest(const struct text *text)
{
    return random_derive(1, text->data);
}

// If this fails the meaning of every seed has changed: reports name programs by theirs.
TEST(a_seed_means_the_same_everywhere)
{
    static const struct {
        size_t behind;
        uint64_t digest;
    } parts[] = {
        {LOOKING, UINT64_C(0xc20dc04a714e2880)},   {PLAIN, UINT64_C(0x4b929509ef8c030)},
        {WORDS, UINT64_C(0x1c058fe6a5bc4249)},     {WORDS + 1, UINT64_C(0x3ab5096c04a098ea)},
        {DRAWN - 1, UINT64_C(0xd94f287823916d49)}, {DRAWN, UINT64_C(0x79ce6808ed92a2c7)},
        {LIMITS, UINT64_C(0x9f6789280b14b7c3)}};
    size_t part = 0;
    struct text all = {0};
    for (size_t t = 0; t < LIMITS; t++) {
        for (uint64_t i = 0; i < 50; i++) {
            struct gen_program program;
            OWNED(gen_module_clear) struct gen_module module;
            gen_draw(&program, &limits[t], 0x5eed, i);
            gen_write(&program, &all);
            gen_module_make(&program, limits[t].rule, &module);
            for (size_t w = 0; w < module.count; w++)
                text_printf(&all, " %x", module.words[w]);
        }
        if (t + 1 != parts[part].behind)
            continue;
        if (digest(&all) != parts[part++].digest)
            fail_msg("0x%" PRIx64, digest(&all));
        text_free(&all);
    }
}

TEST(what_is_written_is_read_back)
{
    for (size_t t = 0; t < LIMITS; t++)
        for (uint64_t i = 0; i < 500; i++) {
            struct gen_program program, again;
            OWNED(text_free) struct text text = {0};
            gen_draw(&program, &limits[t], 7, i);
            gen_write(&program, &text);
            assert_true(text.length < GEN_TEXT_MAX);
            if (!gen_read(text.data, text.length, &again, &error))
                fail_msg("%s: %s", text.data, error.message);
            assert_true(gen_check(&again, limits[t].rule, NULL));
            assert_memory_equal(&program, &again, sizeof program);
        }
}

TEST(the_head_is_that_of_a_test)
{
    for (size_t t = 0; t < LIMITS; t++) {
        struct gen_program program, again;
        OWNED(cat_head_clear) struct cat_head head;
        OWNED(text_free) struct text text = {0};
        gen_draw(&program, &limits[t], 7, 1);
        gen_assembly(&(struct gen_title){.name = "reconvergence.fuzz",
                                         .origin = "here",
                                         .remark = "; seen\n",
                                         .rule = limits[t].rule},
                     &program, &text);
        must(cat_head_parse(text.data, text.length, &head, &error));
        assert_string_equal(head.axes[0].values[0], gen_rule_name(limits[t].rule));
        assert_memory_equal(head.oracle, gen_family(&program), strlen(gen_family(&program)));
        assert_non_null(cat_oracle_find(head.oracle));
        assert_true(gen_read(head.program, strlen(head.program), &again, &error));
        assert_memory_equal(&program, &again, sizeof program);
    }
}

static void refused(const char *source, enum masks_rule rule, const char *why)
{
    struct gen_program program;
    must_fail(why, gen_read(source, strlen(source), &program, &error) &&
                       gen_check(&program, rule, &error));
}

TEST(nonsense_is_refused)
{
    const enum masks_rule rule = MASKS_MAXIMAL;
    for (const char *at = section("refused")->text, *program, *why;
         sections_row(&at, &program, &why);)
        refused(program, rule, why);
    refused("if elect { look }", MASKS_SUBGROUP_UNIFORM, "elected");
    refused("registers 8 4 if subgroup.0 { if subgroup.1 { } u1=first(u1) }", MASKS_DEFAULT,
            "not prescribed");
    refused("registers 8 4 while i<u1:2 { sync() }", MASKS_DEFAULT, "not prescribed");
    refused("registers 8 4 while i<u1:2 { u1=first(u1) }", MASKS_DEFAULT, "not prescribed");
    refused("registers 8 4 if p1 { if p2 { } u1=first(u1) }", MASKS_SUBGROUP_UNIFORM,
            "not prescribed");
    OWNED(text_free) struct text deep = {0}, many = {0}, slots = {0};
    for (int i = 0; i < 30; i++)
        text_puts(&deep, "call { ");
    refused(deep.data, rule, "too deep");
    for (int i = 0; i <= GEN_STEPS; i++)
        text_puts(&many, "look ");
    refused(many.data, rule, "more than");
    for (int i = 0; i < 20; i++)
        text_puts(&slots, "while i<1 { while j<1 { look } } ");
    refused(slots.data, rule, "too many records");
}

// What each condition is worth, by a table.
TEST(conditions)
{
    const struct masks_lane lane = {.lane = 5,
                                    .subgroup = 8,
                                    .word = 0x80000006,
                                    .first = 5,
                                    .iteration = {2, 1},
                                    .group_word = 0x10,
                                    .ordinal = 6,
                                    .truths = 8,
                                    .numbers = (const uint32_t[]){1, 7}};
    static const struct {
        struct gen_condition when;
        uint32_t value;
    } table[] = {
        {{GEN_TRUE, 0, 0}, 1},         {{GEN_BIT, 1, 0}, 1},          {{GEN_BIT, 0, 0}, 0},
        {{GEN_BIT, 31, 0}, 1},         {{GEN_BIT, 30, 2}, 1},         {{GEN_BIT, 31, 1}, 1},
        {{GEN_BIT, 31, 3}, 1},         {{GEN_BIT, 28, 3}, 1},         {{GEN_LANE_BIT, 0, 0}, 1},
        {{GEN_LANE_BIT, 1, 0}, 0},     {{GEN_LANE_BIT, 1, 1}, 1},     {{GEN_LANE_IS, 5, 0}, 1},
        {{GEN_LANE_IS, 2, 3}, 1},      {{GEN_LANE_IS, 3, 0}, 0},      {{GEN_ELECT, 0, 0}, 1},
        {{GEN_TRIPS, 1, 1}, 1},        {{GEN_TRIPS, 0, 1}, 0},        {{GEN_TRIPS, 0, 2}, 1},
        {{GEN_BELOW, 2, 1}, 0},        {{GEN_BELOW, 2, 2}, 1},        {{GEN_PAST, 2, 1}, 1},
        {{GEN_PAST, 2, 2}, 0},         {{GEN_FIELD, 1, 0}, 3},        {{GEN_FIELD, 31, 0}, 1},
        {{GEN_FIELD, 30, 3}, 3},       {{GEN_LANE_FIELD, 0, 0}, 1},   {{GEN_LANE_FIELD, 0, 1}, 3},
        {{GEN_GROUP_BIT, 4, 0}, 1},    {{GEN_GROUP_BIT, 5, 0}, 0},    {{GEN_GROUP_BIT, 2, 1}, 1},
        {{GEN_TRUTH, 3, 0}, 1},        {{GEN_TRUTH, 2, 0}, 0},        {{GEN_NUMBER_TRIPS, 1, 1}, 1},
        {{GEN_NUMBER_TRIPS, 0, 1}, 0}, {{GEN_NUMBER_FIELD, 1, 0}, 3}, {{GEN_NUMBER_FIELD, 1, 2}, 0},
        {{GEN_SUBGROUP_BIT, 1, 0}, 1}, {{GEN_SUBGROUP_BIT, 0, 0}, 0}, {{GEN_SUBGROUP_BIT, 0, 2}, 1},
        {{GEN_LANE_FROM, 5, 0}, 1},    {{GEN_LANE_FROM, 6, 0}, 0},    {{GEN_LANE_FROM, 4, 1}, 0},
        {{GEN_LANE_STEP, 1, 1}, 1},    {{GEN_LANE_STEP, 2, 1}, 0},    {{GEN_LANE_STEP, 2, 2}, 1},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (gen_value_of(&table[i].when, &lane) != table[i].value)
            fail_msg("condition %zu: %u", i, gen_value_of(&table[i].when, &lane));
}

// A program against masks that were made by hand: lanes 0 to 3 with the words 0, 1, 2, 3.
TEST(a_program_by_hand)
{
    static const char source[] =
        "while i<word.0:2 { if word.0+i { look break } look } next { look } "
        "look";
    const uint32_t words[4] = {0, 1, 2, 3};
    struct gen_program program;
    struct masks_cell cells[4 * 13];
    assert_true(gen_read(source, strlen(source), &program, NULL));
    assert_true(gen_check(&program, MASKS_MAXIMAL, NULL));
    OWNED(lit_free) struct gen_shape *shape = gen_shape_make(&program);
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
}

// Where converge.c says that a mask is definite, the simulation demands all of it, and outside of
// loops, of which it does not tell iterations apart, allows no other; where it says that the
// workgroup is whole, that of all lanes.
TEST(a_definite_place_is_one)
{
    uint32_t seen[GEN_FULL + 1] = {0};
    for (uint64_t n = 0; n < 900; n++) {
        const enum masks_rule rule = (enum masks_rule)(n % 3);
        const uint32_t subgroup = 8, lanes = 32;
        struct gen_program program;
        struct gen_places places;
        uint32_t words[32];
        const struct gen_limits drawn = {
            .rule = rule, .steps = 40, .depth = 4, .focus = (enum gen_focus)(n / 3 % GEN_VULKAN)};
        gen_draw(&program, &drawn, 9, n);
        gen_converge(&program, rule, &places);
        OWNED(lit_free) struct gen_shape *shape = gen_shape_make(&program);
        OWNED(lit_free)
        struct masks_cell *cells = calloc((size_t)lanes * shape->masks.slots, sizeof *cells);
        for (uint32_t i = 0; i < lanes; i++)
            words[i] = gen_word(n, n + i / subgroup, i % subgroup, subgroup);
        masks_simulate(&shape->masks, rule, lanes, subgroup, words, cells);
        for (uint32_t s = 1; s <= program.count; s++) {
            const struct masks_step *place = shape->of[s];
            if (program.steps[s].kind != MASKS_LOOK)
                continue;
            for (uint32_t i = 0; i < lanes * place->count; i++) {
                const struct masks_cell *cell =
                    &cells[i / place->count * shape->masks.slots + place->slot + i % place->count];
                if (!cell->executed)
                    continue;
                seen[places.allows[s]]++;
                if (places.allows[s] >= GEN_DEFINITE &&
                    (cell->want[0] != cell->alternative[0] ||
                     (rule != MASKS_MAXIMAL && cell->want[0] != cell->lower[0]) ||
                     (rule != MASKS_MAXIMAL && !places.loops[s] &&
                      cell->upper[0] != cell->lower[0])))
                    fail_msg("program %d, rule %d, step %u: not definite", (int)n, (int)rule, s);
                assert_true(places.allows[s] != GEN_FULL || cell->want[0] == 0xff);
            }
        }
    }
    for (uint32_t allows = GEN_ALONE; allows <= GEN_FULL; allows++)
        assert_true(seen[allows] > 1000);
}

// Whether an operation takes a type with any way to combine.
static bool takes(enum gen_op op, enum gen_type type)
{
    for (enum gen_with with = 0; with < GEN_WITHS; with++)
        if (gen_act_may(op, with, type))
            return true;
    return false;
}

// Every operation is drawn, in every type and at places of each kind.
TEST(every_operation_is_drawn)
{
    static uint32_t drawn[GEN_OPS][GEN_TYPES];
    for (uint64_t i = 0; i < 10500; i++) {
        struct gen_program program;
        const size_t from[] = {LIMITS - 1 - i / 7 % 4,
                               WORDS,
                               WORDS + 1,
                               WORDS + 2,
                               WORDS + 3,
                               LOOKING + 1,
                               LOOKING + 1};
        gen_draw(&program, &limits[from[i % 7]], 1, i);
        for (uint32_t s = 1; s <= program.count; s++)
            if (program.steps[s].kind == MASKS_ACT)
                drawn[program.steps[s].act.op][program.steps[s].act.type]++;
    }
    for (enum gen_op op = GEN_OP_ADD; op < GEN_OPS; op++)
        for (enum gen_type type = 0; type < GEN_TYPES; type++)
            if (takes(op, type) && drawn[op][type] < 5)
                fail_msg("%s.%s: %u times", gen_forms[op].name, gen_type_names[type],
                         drawn[op][type]);
}

// Of the listed products those that programs and such subgroups can have, and each of them; in one
// program only of the same numbers.
TEST(listed_products_are_drawn)
{
    struct gen_limits some = {.focus = GEN_MATRICES, DATA};
    OWNED(text_free) struct text all = {0}, listed = {0};
    uint32_t count = 0;
    for (const char *at = section("products")->text, *name, *drawn;
         sections_row(&at, &name, &drawn);)
        text_printf(&listed, " %s", name);
    some.products = listed.data + 1;
    some.subgroup = 8;
    for (uint64_t i = 0; i < 300; i++) {
        struct gen_program program;
        gen_draw(&program, &some, 1, i);
        gen_write(&program, &all);
        for (uint32_t s = 1, bytes = 0, floats = 0; s <= program.count; s++)
            if (program.steps[s].act.op == GEN_OP_PRODUCT) {
                bytes += program.steps[s].act.product.left >= GEN_IS_U8;
                floats += program.steps[s].act.product.left < GEN_IS_U8;
                count++;
                assert_true(!bytes || !floats);
            }
    }
    for (const char *at = section("products")->text, *name, *drawn;
         sections_row(&at, &name, &drawn);) {
        uint32_t times = 0;
        for (const char *found = all.data; (found = strstr(found, name)); found++)
            times++;
        assert_true(*drawn == 'y' ? times > 20 : !times);
        count -= times;
    }
    assert_int_equal(count, 0);
}

// Each program of a kernel is valid under each rule, and what is drawn differs from one by the
// steps that a change touches.
TEST(kernels)
{
    for (size_t t = DRAWN; t < LIMITS; t++) {
        uint32_t count = 0, same = 0;
        struct gen_program program;
        for (; gen_kernel_take(&limits[t], count, &program); count++) {
            for (enum masks_rule rule = MASKS_DEFAULT; rule <= MASKS_MAXIMAL; rule++)
                must(gen_check(&program, rule, &error));
            assert_int_equal(gen_kernel_distance(&program, &limits[t], NULL), 0);
            program.steps[1].act.op = GEN_OP_LOCAL;
            program.steps[1].when.at = 30;
            assert_int_equal(gen_kernel_distance(&program, &limits[t], NULL), 1);
            program.steps[program.count].next = (uint8_t)(program.count + 1);
            program.steps[++program.count] = (struct gen_step){.kind = MASKS_CALL};
            assert_int_equal(gen_kernel_distance(&program, &limits[t], NULL), 2);
        }
        assert_true(count > 2);
        for (uint64_t i = 0; i < 200; i++) {
            gen_draw(&program, &limits[t], 3, i);
            same += gen_kernel_distance(&program, &limits[t], NULL) == 0;
        }
        assert_true(same > 2 && same < 80);
    }
}

// Programs are neither all alike nor all trivial.
TEST(programs_are_worth_running)
{
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
    for (uint32_t value = GEN_NONE; value < GEN_SUBGROUP_BIT; value++)
        assert_true(values[value] > 50);
    assert_true(small > 50 && large > 200);
}
