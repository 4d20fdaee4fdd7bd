// SPDX-License-Identifier: Apache-2.0
// The mutation score: which results are controls, which were triggered, and where passes are weak
// evidence.
#include "report/sections.h"

#include "unit.h"

static struct result row(const char *family, enum cat_expectation expectation, uint64_t failed,
                         uint64_t stuck, size_t device)
{
    return (struct result){.name = (char *)family,
                           .label = (char *)family,
                           .id = "0123abcd",
                           .family = (char *)family,
                           .expectation = expectation,
                           .device = device,
                           .result = failed  ? ENG_FAIL
                                     : stuck ? ENG_NO_PROGRESS
                                             : ENG_PASS,
                           .runs = 100,
                           .failed_runs = failed,
                           .no_progress_runs = stuck,
                           .judged = 100 - stuck};
}

TEST(score)
{
    struct result results[] = {
        row("memory", CAT_CONTROL, 0, 0, 0),    row("shuffle", CAT_CONTROL, 1, 0, 0),
        row("shuffle", CAT_FORBIDDEN, 0, 0, 0), row("memory", CAT_CONTROL, 0, 0, 0),
        row("lookback", CAT_CONTROL, 0, 0, 0),  row("lookback", CAT_CONTROL, 0, 100, 0),
        row("barrier", CAT_CONTROL, 9, 0, 1),   row("shuffle", CAT_CONTROL, 0, 0, 0),
    };
    results[7].runs = 0; // it was never run
    struct report_model model = {.results = results, .result_count = 8, .device_count = 3};
    struct report_mutation mutation;
    report_mutation_score(&model, 0, &mutation);
    assert_int_equal(mutation.run, 5);
    assert_int_equal(mutation.seen, 2);
    assert_true(mutation.score == 0.4);
    assert_int_equal(mutation.unseen_count, 3);
    assert_int_equal(mutation.unseen[0], 0);
    assert_int_equal(mutation.unseen[1], 3);
    assert_int_equal(mutation.unseen[2], 4);
    assert_int_equal(mutation.family_count, 3);
    assert_string_equal(mutation.families[0].name, "lookback");
    assert_string_equal(mutation.families[1].name, "memory");
    assert_false(report_mutation_weak(&mutation.families[0]));
    assert_true(report_mutation_weak(&mutation.families[1]));
    assert_false(report_mutation_weak(&mutation.families[2]));
    report_mutation_clear(&mutation);

    OWNED(text_free) struct text text = {0};
    report_mutation_score(&model, 0, &mutation);
    report_mutation_sentences(&mutation, &text);
    assert_string_equal(text.data,
                        "Positive controls: 2 of 5 triggered (mutation score 0.40). None was "
                        "triggered in memory (0 of 2): passes there are weak evidence; litmus tune "
                        "--controls looks for stress that triggers more.");
    report_mutation_clear(&mutation);
}

// The notes of a device: the sentences, and which were not triggered, a few by name.
TEST(as_notes)
{
    struct result results[] = {
        row("memory", CAT_CONTROL, 0, 0, 0),  row("memory", CAT_CONTROL, 0, 0, 0),
        row("memory", CAT_CONTROL, 0, 0, 0),  row("memory", CAT_CONTROL, 0, 0, 0),
        row("memory", CAT_CONTROL, 0, 0, 0),  row("memory", CAT_CONTROL, 0, 0, 0),
        row("barrier", CAT_CONTROL, 9, 0, 1),
    };
    const struct report_model model = {.results = results, .result_count = 7, .device_count = 3};
    struct table table = {0};
    report_controls(&model, 0, false, &table);
    assert_int_equal(table.note_count, 1 + 4 + 1);
    assert_string_equal(table.notes[1], "0123abcd memory: not triggered");
    assert_string_equal(table.notes[5], "2 more were not triggered");
    table_clear(&table);
    report_controls(&model, 0, true, &table);
    assert_int_equal(table.note_count, 1 + 6);
    table_clear(&table);
    report_controls(&model, 1, false, &table);
    assert_int_equal(table.note_count, 1);
    assert_string_equal(table.notes[0],
                        "Positive controls: 1 of 1 triggered (mutation score 1.00).");
    table_clear(&table);
    report_controls(&model, 2, false, &table);
    assert_int_equal(table.note_count, 0);
    table_clear(&table);
}

TEST(as_json)
{
    struct result results[] = {
        row("memory", CAT_CONTROL, 0, 0, 0),
        row("barrier", CAT_CONTROL, 9, 0, 2),
        row("memory", CAT_CONTROL, 0, 0, 2),
        row("barrier", CAT_FORBIDDEN, 0, 0, 1),
    };
    struct eng_device devices[] = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
    struct report_model model = {
        .results = results, .result_count = 4, .devices = devices, .device_count = 3};
    json_auto_t *made = report_mutation_json(&model);
    OWNED(lit_free) char *text = json_dumps(made, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(
        text, "[{\"controls\":1,\"device\":\"a\",\"families\":[{\"controls\":1,\"family\":"
              "\"memory\",\"seen\":0,\"too_gentle\":true}],\"score\":0.0,\"seen\":0,\"unseen\":["
              "\"memory\"]},{\"controls\":2,\"device\":\"c\",\"families\":[{\"controls\":1,"
              "\"family\":\"barrier\",\"seen\":1,\"too_gentle\":false},{\"controls\":1,"
              "\"family\":\"memory\",\"seen\":0,\"too_gentle\":true}],\"score\":0.5,\"seen\":1,"
              "\"unseen\":[\"memory\"]}]");
}
