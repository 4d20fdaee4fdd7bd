// SPDX-License-Identifier: Apache-2.0
// What a report makes of the family progress: which waits came to their end, and the model that
// no generated program contradicts.
#include "report/markdown.h"

#include "axiomatic/decide.h"

#include "unit.h"

struct made {
    struct report_model model;
    struct result results[32];
    struct cfg_pair pairs[32][4]; // of each
    struct report_progress progress;
};

static void add_second(struct result *result, const char *key, const char *value)
{
    const size_t count = result->variant_count++;
    ((struct cfg_pair *)result->variant)[count] = (struct cfg_pair){key, value, CFG_VARIANT};
}

static struct result *add(struct made *made, const char *test, const char *key, const char *value,
                          uint64_t stuck)
{
    struct result *result = &made->results[made->model.result_count++];
    *result = (struct result){.test = (char *)test,
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

// A generated program, and how many of its 1,000 instances ran out.
static void add_waiting(struct made *made, const char *test, uint64_t out)
{
    static const struct cat_mode states = {
        CAT_CHECK_STATE, {.names = {[0] = "ended", [CAT_STATES - 1] = AXI_RAN_OUT}}};
    struct result *result = &made->results[made->model.result_count++];
    *result = (struct result){.test = (char *)test,
                              .rule = (char *)"",
                              .family = (char *)"litmus",
                              .stress = (char *)"",
                              .runs = 10,
                              .instances = 1000,
                              .result = ENG_PASS};
    result->mode = &states;
    result->outcomes[cat_mode_find(&states, AXI_RAN_OUT)] = out;
    result->outcomes[CAT_RIGHT] = 1000 - out;
    made->model.results = made->results;
}

// The strongest model that nothing contradicts, and the program that rules out the next one most
// often. Of hsa and obe neither is stronger.
TEST(strongest_model)
{
    static const struct {
        const char *test;
        uint64_t out;
    } programs[] = {{"litmus.progress-lanes-fair-n0-s1", 7},
                    {"litmus.progress-lanes-fair-n0-t1", 9},
                    {"litmus.progress-lanes-lobe-t1-n0s0-s1", 5},
                    {"litmus.progress-lanes-hsa-obe-n1-s1s2-n0", 4},
                    {"litmus.progress-lanes-hsa-s1-n0", 3},
                    {"litmus.progress-lanes-obe-n1-s1s0", 2},
                    {"litmus.progress-lanes-any-s1-s0n1", 1}};
    static const struct {
        unsigned out; // a bit for each program
        const char *says;
    } table[] = {
        {0, "fair, by 7 programs of which none ran out"},
        {3,
         "lobe, by 7 programs; fair is ruled out by litmus.progress-lanes-fair-n0-t1, where 9 of "
         "1,000 instances ran out, and 1 more"},
        {4, "hsa-obe, by 7 programs; lobe is ruled out by litmus.progress-lanes-lobe-t1-n0s0-s1, "
            "where 5 of 1,000 instances ran out"},
        {8, "hsa and obe, by 7 programs; hsa-obe is ruled out by "
            "litmus.progress-lanes-hsa-obe-n1-s1s2-n0, where 4 of 1,000 instances ran out"},
        {16, "obe, by 7 programs; hsa-obe is ruled out by litmus.progress-lanes-hsa-s1-n0, where 3 "
             "of 1,000 instances ran out"},
        {32, "hsa, by 7 programs; hsa-obe is ruled out by litmus.progress-lanes-obe-n1-s1s0, where "
             "2 of 1,000 instances ran out"},
        {48, "none, by 7 programs; hsa is ruled out by litmus.progress-lanes-hsa-s1-n0, where 3 of "
             "1,000 instances ran out; obe is ruled out by litmus.progress-lanes-obe-n1-s1s0, "
             "where 2 of 1,000 instances ran out"},
        {64, "none, by 7 programs; hsa is ruled out by litmus.progress-lanes-any-s1-s0n1, where 1 "
             "of 1,000 instances ran out; obe is ruled out by litmus.progress-lanes-any-s1-s0n1, "
             "where 1 of 1,000 instances ran out"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct made made = {0};
        for (unsigned p = 0; p < sizeof programs / sizeof *programs; p++)
            add_waiting(&made, programs[p].test, table[i].out >> p & 1 ? programs[p].out : 0);
        report_progress(&made.model, 0, &made.progress);
        assert_string_equal(made.progress.between[AXI_LANES], table[i].says);
        assert_null(made.progress.between[AXI_SUBGROUPS]);
        assert_null(made.progress.between[AXI_WORKGROUPS]);
        report_progress_clear(&made.progress);
    }
}

// All reports have the section if there is one, and none otherwise.
TEST(sections)
{
    struct made made = {.model = {.device_count = 1}};
    struct eng_device device = {.id = "0123456789abcdef"};
    OWNED(text_free) struct text text = {0};
    made.model.devices = &device;
    OWNED(table_clear) struct table table = {0};
    report_waits(&made.model, 0, false, &table);
    table_terminal(&table, false, &text);
    table_markdown(&table, SIZE_MAX, &text);
    assert_int_equal(text.length, 0);
    json_t *json = report_progress_json(&made.model);
    assert_int_equal(json_array_size(json), 0);
    json_decref(json);

    add_chain(&made, 0, 0, 7);
    add_waiting(&made, "litmus.progress-workgroups-fair-n0-s1", 0);
    report_waits(&made.model, 0, false, &table);
    table_terminal(&table, false, &text);
    assert_non_null(
        strstr(text.data, "the workgroup with the next higher number  1,000        7  7.0e-3 ["));
    assert_non_null(strstr(text.data, "\n  Between workgroups: fair, by 1 programs"));
    table_markdown(&table, SIZE_MAX, &text);
    assert_non_null(strstr(text.data, "\n\nBetween workgroups: fair, by 1 programs"));
    json = report_progress_json(&made.model);
    const json_t *entry = json_array_get(json, 0);
    assert_int_equal(json_array_size(json_object_get(entry, "waits")), 3);
    assert_true(json_is_null(json_object_get(entry, "lanes")));
    assert_true(json_is_string(json_object_get(entry, "workgroups")));
    json_decref(json);
}

TEST(occupancy_lies_between)
{
    struct made made = {0};
    static const char *const sizes[] = {"64", "2", "512", "128", "1024"};
    static const uint64_t stuck[] = {0, 0, 7, 0, 1000};
    for (size_t i = 0; i < 5; i++) {
        struct result *result = add(&made, "progress.occupancy", "none", "none", stuck[i]);
        add_second(result, "workgroups", sizes[i]);
    }
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.together, 128);
    assert_int_equal(made.progress.apart, 512);
    assert_int_equal(made.progress.count, 0);
}

// A hang is no promise kept, other devices and other families do not count, nor do runs that there
// were not.
TEST(what_does_not_count)
{
    struct made made = {0};
    add(&made, "progress.chain", "order", "ticket", 0)->result = ENG_HANG;
    add(&made, "progress.chain", "order", "launch", 5)->device = 1;
    add(&made, "progress.chain", "order", "against", 5)->family = (char *)"chain";
    struct result *skipped = add(&made, "progress.handover", "between", "lanes", 0);
    skipped->runs = 0;
    skipped->result = ENG_SKIP;
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.count, 1);
    assert_int_equal(made.progress.waits[0].ended_by, 1);
}

// Wrong data is no answer, even if no wait ran out.
TEST(wrong_data_promises_nothing)
{
    struct made made = {0};
    add_chain(&made, 0, 0, 0);
    made.results[1].failed_runs = 3;
    report_progress(&made.model, 0, &made.progress);
    assert_int_equal(made.progress.waits[1].ended_by, 1);
}
