// SPDX-License-Identifier: Apache-2.0
// What a report makes of the family progress: from results to the model that they are consistent
// with.
#include "report/markdown.h"

#include "unit.h"

#include <string.h>

struct made {
    struct report_model model;
    struct report_result results[32];
    struct cfg_pair pairs[32][4]; // of each
    struct report_progress progress;
};

static void add_second(struct report_result *result, const char *key, const char *value)
{
    const size_t count = result->variant_count++;
    ((struct cfg_pair *)result->variant)[count] = (struct cfg_pair){key, value, CFG_VARIANT};
}

static struct report_result *add(struct made *made, const char *test, const char *key,
                                 const char *value, uint64_t stuck)
{
    struct report_result *result = &made->results[made->model.result_count++];
    *result = (struct report_result){.test = (char *)test,
                                     .rule = (char *)"",
                                     .family = (char *)"progress",
                                     .stress = (char *)"",
                                     .runs = 1000,
                                     .no_progress_runs = stuck,
                                     .result = stuck ? ENG_NO_PROGRESS : ENG_PASS};
    result->variant = made->pairs[made->model.result_count - 1];
    add_second(result, key, value);
    made->model.results = made->results;
    return result;
}

static void add_chain(struct made *made, uint64_t ticket, uint64_t launch, uint64_t against)
{
    add(made, "progress.chain", "order", "ticket", ticket);
    add(made, "progress.chain", "order", "launch", launch);
    add(made, "progress.chain", "order", "against", against);
}

static void add_subgroups(struct made *made, uint64_t low, uint64_t high)
{
    add_second(add(made, "progress.handover", "between", "subgroups", low), "waiter", "high");
    add_second(add(made, "progress.handover", "between", "subgroups", high), "waiter", "low");
}

// Stuck runs of: low taken, low not taken, high taken, high not taken.
static void add_lanes(struct made *made, const uint64_t stuck[4])
{
    for (int i = 0; i < 4; i++) {
        struct report_result *result = add(made, "progress.handover", "between", "lanes", stuck[i]);
        add_second(result, "waiter", i < 2 ? "low" : "high");
        add_second(result, "waits", i % 2 ? "not-taken" : "taken");
    }
}

static void between_workgroups(void **state)
{
    (void)state;
    static const struct {
        uint64_t stuck[3];
        const char *says;
    } table[] = {{{1, 0, 0}, "no progress guarantee"},
                 {{0, 1, 0}, "occupancy-bound:"},
                 {{0, 0, 1000}, "linear occupancy-bound:"},
                 {{0, 0, 0}, "fair for the tested"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct made made = {0};
        const uint64_t *stuck = table[i].stuck;
        add_chain(&made, stuck[0], stuck[1], stuck[2]);
        report_progress(&made.model, 0, &made.progress);
        assert_int_equal(made.progress.count, 3);
        assert_int_equal(made.progress.waits[2].runs, 1000);
        assert_int_equal(made.progress.waits[2].stuck, stuck[2]);
        assert_memory_equal(made.progress.between_workgroups, table[i].says, strlen(table[i].says));
        assert_null(made.progress.between_lanes);
        assert_null(made.progress.between_subgroups);
    }
}

static void between_subgroups(void **state)
{
    (void)state;
    static const struct {
        uint64_t low, high;
        const char *says;
    } table[] = {{0, 0, "all subgroups of a workgroup make progress"},
                 {9, 0, "one subgroup runs until it ends or reaches a barrier: higher"},
                 {0, 9, "one subgroup runs until it ends or reaches a barrier: lower"},
                 {9, 9, "no progress guarantee"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct made made = {0};
        add_subgroups(&made, table[i].low, table[i].high);
        report_progress(&made.model, 0, &made.progress);
        assert_int_equal(made.progress.count, 2);
        assert_memory_equal(made.progress.between_subgroups, table[i].says, strlen(table[i].says));
        assert_null(made.progress.between_workgroups);
        assert_null(made.progress.between_lanes);
    }
}

static void between_lanes(void **state)
{
    (void)state;
    static const struct {
        uint64_t stuck[4], behind;
        const char *says;
    } table[] = {
        {{0, 0, 0, 0}, 0, "independent"},
        {{0, 0, 0, 0}, 1, "both sides"},
        {{1, 0, 1, 0}, 1, "one side of a branch after the other: taken side"},
        {{0, 1, 0, 1}, 1, "one side of a branch after the other: not-taken side"},
        {{1, 1, 0, 0}, 1, "one side of a branch after the other: side of the lower"},
        {{0, 0, 1, 1}, 1, "one side of a branch after the other: side of the upper"},
        {{1, 1, 1, 1}, 1, "no progress guarantee"},
        {{1, 0, 0, 0}, 1, "one side of a branch after the other, in an order"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct made made = {0};
        add_lanes(&made, table[i].stuck);
        add_second(add(&made, "progress.spin-lock", "form", "after-loop", table[i].behind),
                   "contenders", "lanes");
        report_progress(&made.model, 0, &made.progress);
        assert_int_equal(made.progress.count, 5);
        assert_memory_equal(made.progress.between_lanes, table[i].says, strlen(table[i].says));
    }
}

// All reports have the section if there is one, and none otherwise.
static void sections(void **state)
{
    (void)state;
    struct made made = {.model = {.device_count = 1}};
    struct report_device device = {.id = "0123456789abcdef"};
    struct text text = {0};
    made.model.devices = &device;
    struct table table = {0};
    report_waits(&made.model, 0, false, &table);
    table_terminal(&table, false, &text);
    table_markdown(&table, SIZE_MAX, &text);
    assert_int_equal(text.length, 0);
    json_t *json = report_progress_json(&made.model);
    assert_int_equal(json_array_size(json), 0);
    json_decref(json);

    add_chain(&made, 0, 0, 7);
    report_waits(&made.model, 0, false, &table);
    table_terminal(&table, false, &text);
    assert_non_null(
        strstr(text.data, "the workgroup with the next higher number  1,000        7  7.0e-3 ["));
    assert_non_null(strstr(text.data, "\n  Between workgroups: linear occupancy-bound"));
    table_markdown(&table, SIZE_MAX, &text);
    assert_non_null(strstr(text.data, "\n\nBetween workgroups: linear occupancy-bound"));
    table_clear(&table);
    json = report_progress_json(&made.model);
    const json_t *entry = json_array_get(json, 0);
    assert_int_equal(json_array_size(json_object_get(entry, "waits")), 3);
    assert_true(json_is_null(json_object_get(entry, "lanes")));
    assert_true(json_is_string(json_object_get(entry, "workgroups")));
    json_decref(json);
    text_free(&text);
}

static void occupancy_lies_between(void **state)
{
    (void)state;
    struct made made = {0};
    static const char *const sizes[] = {"64", "2", "512", "128", "1024"};
    static const uint64_t stuck[] = {0, 0, 7, 0, 1000};
    for (size_t i = 0; i < 5; i++) {
        struct report_result *result = add(&made, "progress.occupancy", "none", "none", stuck[i]);
        add_second(result, "workgroups", sizes[i]);
    }
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.together, 128);
    assert_int_equal(made.progress.apart, 512);
    assert_int_equal(made.progress.count, 0);
}

// A hang is no promise kept, other devices and other families do not count, nor do runs that there
// were not.
static void what_does_not_count(void **state)
{
    (void)state;
    struct made made = {0};
    add(&made, "progress.chain", "order", "ticket", 0)->result = ENG_HANG;
    add(&made, "progress.chain", "order", "launch", 5)->device = 1;
    add(&made, "progress.chain", "order", "against", 5)->family = (char *)"chain";
    struct report_result *skipped = add(&made, "progress.handover", "between", "lanes", 0);
    skipped->runs = 0;
    skipped->result = ENG_SKIP;
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.count, 1);
    assert_int_equal(made.progress.waits[0].ended_by, 1);
    assert_memory_equal(made.progress.between_workgroups, "no progress guarantee", 21);
}

// Wrong data is no answer, even if no wait ran out.
static void wrong_data_promises_nothing(void **state)
{
    (void)state;
    struct made made = {0};
    add_chain(&made, 0, 0, 0);
    made.results[1].failed_runs = 3;
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.waits[1].ended_by, 1);
    assert_memory_equal(made.progress.between_workgroups, "occupancy-bound:", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_workgroups),
        cmocka_unit_test(between_subgroups),
        cmocka_unit_test(between_lanes),
        cmocka_unit_test(sections),
        cmocka_unit_test(occupancy_lies_between),
        cmocka_unit_test(what_does_not_count),
        cmocka_unit_test(wrong_data_promises_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
