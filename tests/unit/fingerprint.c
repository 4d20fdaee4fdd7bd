// SPDX-License-Identifier: Apache-2.0
// Fingerprints: devices that follow one strategy each are played through, with the configurations
// that a usual run has, and have to be known by it.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "report/markdown.h"

#define LANES 8u

// How a device chooses, of the two pieces that a subgroup parts into, the one that it runs first.
// The first piece is the true side, or the exit. `lanes` are those of the first piece.
struct scene {
    uint32_t lanes;
    bool first_block_first;
};

static bool first(const struct scene *scene)
{
    return true;
}

static bool second(const struct scene *scene)
{
    return false;
}

static bool block(const struct scene *scene)
{
    return scene->first_block_first;
}

static bool other_block(const struct scene *scene)
{
    return !scene->first_block_first;
}

static uint32_t count_lanes(uint32_t lanes)
{
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1)
        count++;
    return count;
}

static bool fewer(const struct scene *scene)
{
    return count_lanes(scene->lanes) < LANES / 2;
}

static bool more(const struct scene *scene)
{
    return !fewer(scene);
}

static bool of_lane_0(const struct scene *scene)
{
    return scene->lanes & 1;
}

static bool not_of_lane_0(const struct scene *scene)
{
    return !(scene->lanes & 1);
}

struct play {
    bool (*device)(const struct scene *scene);
    struct report_model *model;
    uint64_t noise; // of a thousand observations, so many are the other way round
};

static void put(struct report_model *model, const struct cat_case *which, const uint64_t *outcomes)
{
    OWNED(text_free) struct text name = {0};
    const struct cat_mode mode = cat_mode_of(which->test->oracle);
    cat_case_name(which, &name);
    model->results = lit_realloc(model->results, model->result_count + 1, sizeof *model->results);
    struct result *result = &model->results[model->result_count++];
    *result = (struct result){
        .rule = (char *)"", .mode = cat_mode_keep(&mode), .result = ENG_PASS, .stress = (char *)""};
    memcpy(result->outcomes, outcomes, sizeof result->outcomes);
    report_result_is(result, cfg_parse(name.data));
}

static void play_pieces(const struct cat_case *which, void *user)
{
    const struct play *play = user;
    const struct cat_args args = {.subgroup = LANES, .workgroup = 64, .scale = 1, .which = which};
    if (cat_case_is_thorough(which))
        return;
    const struct cat_oracle *oracle = which->test->oracle;
    struct cat_shape shape;
    uint32_t input[LANES];
    assert_true(cat_oracle_shape(oracle, &args, &shape, &error));
    cat_oracle_input(oracle, &args, &shape, 1, input);
    struct scene scene = {.first_block_first = !cat_axis_is(&args, "layout", "false-first")};
    for (uint32_t lane = 0; lane < LANES; lane++)
        scene.lanes |= (input[lane] & 1) << lane;
    const bool is_first = play->device(&scene);
    put(play->model, which,
        (uint64_t[CAT_OUTCOMES]){[0] = is_first ? 1000 - play->noise : play->noise,
                                 [2] = is_first ? play->noise : 1000 - play->noise});
}

static void clear(struct report_model *model)
{
    for (size_t i = 0; i < model->result_count; i++) {
        cat_mode_drop(model->results[i].mode);
        {
            cfg_clear(&model->results[i].cfg);
            free(model->results[i].label);
        }
    }
    free(model->results);
    *model = (struct report_model){0};
}

TEST(devices_are_known_by_their_strategy)
{
    static const struct {
        bool (*device)(const struct scene *scene);
        const char *sides, *clock, *loop;
    } table[] = {
        {first, "true side first", "true side first", "exit first"},
        {second, "false side first", "false side first", "back edge first"},
        {block, "first block of the code first", "true side first", "exit first"},
        {other_block, "last block of the code first", "false side first", "back edge first"},
        {fewer, "fewer lanes first", "fewer lanes first", "fewer lanes first"},
        {more, "more lanes first", "more lanes first", "more lanes first"},
        {of_lane_0, "the side of lane 0 first", "false side first", "lane 0 first"},
        {not_of_lane_0, "the side of lane 0 last", "true side first", "lane 0 last"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (uint64_t noise = 0; noise < 60; noise += 59) {
            OWNED(clear) struct report_model model = {0};
            struct play play = {table[i].device, &model, noise};
            cat_test_each(cat_test_find("divergence.sides"), LANES, play_pieces, &play);
            cat_test_each(cat_test_find("divergence.loop-exit"), LANES, play_pieces, &play);
            OWNED(lit_free) struct report_fingerprint *list = NULL;
            assert_int_equal(report_fingerprints(&model, 0, &list), 3);
            const char *const names[] = {table[i].sides, table[i].clock, table[i].loop};
            for (size_t q = 0; q < 3; q++) {
                assert_string_equal(list[q].strategies[0].name, names[q]);
                assert_int_equal(list[q].best, 1);
                assert_true(report_fingerprint_is_clear(&list[q]));
                assert_true(list[q].strategies[0].interval.low > 0.9);
                assert_int_equal(list[q].strategies[0].matching * 1000,
                                 list[q].observations * (1000 - noise));
            }
        }
}

// Together or not, at the three places of divergence.reconverge.
struct places {
    struct report_model *model;
    bool in_if, in_broken_if, behind_loop;
};

static void play_places(const struct cat_case *which, void *user)
{
    const struct places *places = user;
    const struct cat_args args = {.subgroup = LANES, .workgroup = 64, .scale = 1, .which = which};
    if (cat_case_is_thorough(which))
        return;
    const bool together = cat_axis_is(&args, "place", "if")     ? places->in_if
                          : cat_axis_is(&args, "place", "loop") ? places->behind_loop
                                                                : places->in_broken_if;
    put(places->model, which,
        (uint64_t[CAT_OUTCOMES]){[0] = together ? 500 : 0, [2] = together ? 0 : 500});
}

TEST(places_of_reconvergence_are_known)
{
    static const struct {
        bool in_if, in_broken_if, behind_loop;
        const char *name;
    } table[] = {
        {true, true, true, "at every merge block (maximal)"},
        {true, false, true, "at the immediate post-dominator"},
        {false, false, true, "at the end of the outermost construct"},
        {false, false, false, "nowhere"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWNED(clear) struct report_model model = {0};
        struct places places = {&model, table[i].in_if, table[i].in_broken_if,
                                table[i].behind_loop};
        cat_test_each(cat_test_find("divergence.reconverge"), LANES, play_places, &places);
        OWNED(lit_free) struct report_fingerprint *list = NULL;
        assert_int_equal(report_fingerprints(&model, 0, &list), 1);
        assert_string_equal(list->question, "where lanes reconverge");
        assert_string_equal(list->strategies[0].name, table[i].name);
        assert_int_equal(list->observations, 1500);
        assert_int_equal(list->strategies[0].matching, 1500);
        assert_int_equal(list->best, 1);
    }
}

static void contains(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text ? text : "nothing");
}

TEST(sections_say_what_was_seen)
{
    struct eng_device device = {.number = 1, .id = "0123456789abcdef"};
    OWNED(clear) struct report_model model = {.devices = &device, .device_count = 1};
    struct play play = {first, &model, 400};
    OWNED(text_free) struct text terminal = {0}, markdown = {0};
    OWNED(table_clear) struct table table = {0};
    report_divergence(&model, 0, false, &table);
    table_terminal(&table, false, &terminal);
    table_markdown(&table, SIZE_MAX, &markdown);
    json_t *json = report_fingerprints_json(&model);
    assert_int_equal(terminal.length + markdown.length + json_array_size(json), 0);
    json_decref(json);

    cat_test_each(cat_test_find("divergence.sides"), LANES, play_pieces, &play);
    play = (struct play){second, &model, 0};
    cat_test_each(cat_test_find("divergence.loop-exit"), LANES, play_pieces, &play);
    report_divergence(&model, 0, false, &table);
    table_terminal(&table, false, &terminal);
    contains(terminal.data, "true side first (mixed)");
    contains(terminal.data, "0.60 [");
    contains(terminal.data, "back edge first");
    contains(terminal.data, "3,000");
    contains(terminal.data, "> 1-1.3e-3");
    table_markdown(&table, SIZE_MAX, &markdown);
    contains(markdown.data, "| loop exit or back edge first | back edge first | 3,000 | 3,000 |");
    contains(markdown.data, "| true side first (mixed) |");
    json = report_fingerprints_json(&model);
    assert_int_equal(json_array_size(json), 3);
    const char *id, *name;
    json_int_t observations, matching;
    int is_clear;
    double low, high;
    assert_int_equal(json_unpack(json_array_get(json, 2),
                                 "{s:s, s:I, s:b, s:[{s:s, s:I, s:[F,F]}]}", "device", &id,
                                 "observations", &observations, "clear", &is_clear, "strategies",
                                 "name", &name, "matching", &matching, "interval", &low, &high),
                     0);
    assert_string_equal(id, device.id);
    assert_string_equal(name, "back edge first");
    assert_true(is_clear && observations == 3000 && matching == 3000 && low > 0.99);
    json_decref(json);
}
