// SPDX-License-Identifier: Apache-2.0
// Sums over results: never of different stress, and with an interval that allows for a stopping
// rule where there is one.
#include "report/sections.h"

#include "stats/stats.h"
#include "unit.h"

#define BUSY "kind=idle,workgroups=4"

static struct result row(const char *family, const char *stress, uint64_t failed)
{
    return (struct result){.name = (char *)family,
                           .label = (char *)family,
                           .family = (char *)family,
                           .test = (char *)"sync-matrix.vote",
                           .headline = (char *)"heads",
                           .stress = (char *)stress,
                           .rule = (char *)"",
                           .reason = (char *)"",
                           .expectation = CAT_FORBIDDEN,
                           .result = failed ? ENG_FAIL : ENG_PASS,
                           .runs = 100,
                           .judged = 100,
                           .failed_runs = failed};
}

static void check(struct result *results, size_t count, const char *stress, uint64_t others,
                  const char *sentence)
{
    const struct report_model model = {.results = results, .result_count = count};
    const struct report_under under = report_under(&model, 0, "a");
    OWNED(text_free) struct text text = {0};
    assert_string_equal(under.stress, stress);
    assert_int_equal(under.others, others);
    report_under_sentence(&text, &under);
    assert_string_equal(text.data ? text.data : "", sentence);
}

TEST(which_stress)
{
    struct result results[] = {row("a", "", 0),    row("a", "x=1", 0), row("a", "x=2", 0),
                               row("a", "x=2", 0), row("b", "x=3", 0), row("a", "x=1", 0)};
    check(results, 0, "", 0, "");
    check(results, 1, "", 0, "");
    check(results, 2, "", 1, "1 configuration ran under other stress and is not counted here.");
    check(results + 1, 1, "x=1", 0, "All of this ran under stress: x=1.");
    check(results, 5, "x=2", 2,
          "All of this ran under stress: x=2. 2 configurations ran under other stress and are not "
          "counted here.");
    check(results, 6, "x=1", 3,
          "All of this ran under stress: x=1. 3 configurations ran under other stress and are not "
          "counted here.");
    results[5].result = ENG_SKIP;
    check(results, 6, "x=2", 2,
          "All of this ran under stress: x=2. 2 configurations ran under other stress and are not "
          "counted here.");
    results[5].result = ENG_PASS;
    results[5].device = 1;
    check(results + 3, 3, "x=2", 0, "All of this ran under stress: x=2.");
}

TEST(headlines)
{
    struct result results[] = {row("a", "", 5), row("a", BUSY, 40), row("a", "", 7),
                               row("a", BUSY, 2)};
    const struct report_model model = {.results = results, .result_count = 4};
    struct report_headline *lines;
    results[3].rule = (char *)"width 0.1";
    assert_int_equal(report_headlines(&model, 0, &lines), 2);
    assert_int_equal(lines[0].failed_runs, 12);
    assert_int_equal(lines[0].judged, 200);
    assert_string_equal(lines[1].stress, BUSY);
    assert_int_equal(lines[1].failed_runs, 42);
    assert_true(lines[0].interval.high == stat_clopper_pearson(12, 200, 0.95).high);
    assert_true(lines[1].interval.high == stat_sequence(42, 200, 0.95).high);
    report_headlines_free(lines, 2);
}

TEST(headlines_in_brief)
{
#define LINE(line, under)                                                                          \
    {                                                                                              \
        .name = (line), .stress = (under), .rule = ""                                              \
    }
    struct report_headline lines[] = {LINE("a", ""),    LINE("b", "x=1"), LINE("b", "x=2"),
                                      LINE("b", "x=3"), LINE("b", "x=4"), LINE("c", "x=5"),
                                      LINE("c", "x=6"), LINE("c", "x=7"), LINE("c", "x=8"),
                                      LINE("d", "x=9"), LINE("e", "")};
#undef LINE
    lines[8].failed_runs = 1;
    assert_int_equal(report_headlines_brief(lines, 7), 7);
    assert_int_equal(report_headlines_brief(lines, 11), 9);
    assert_string_equal(lines[6].stress, "x=6");
    assert_string_equal(lines[7].stress, "x=8");
    assert_string_equal(lines[8].name, "e");
}

TEST(matrix)
{
    struct result results[] = {row("sync-matrix", "", 5), row("sync-matrix", BUSY, 40),
                               row("sync-matrix", "", 7), row("sync-matrix", BUSY, 0)};
    const struct report_model model = {.results = results, .result_count = 4};
    const struct report_model busy = {.results = results + 1, .result_count = 1};
    struct report_matrix made;
    struct cfg_pair pairs[4][2];
    for (size_t i = 0; i < 4; i++) {
        pairs[i][0] = (struct cfg_pair){"sync", "none", CFG_VARIANT};
        pairs[i][1] = (struct cfg_pair){"op", i == 3 ? "all" : "any", CFG_VARIANT};
        results[i].variant = pairs[i];
        results[i].variant_count = 2;
    }
    report_matrix_make(&model, 0, &made);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.under.others, 2);
    const struct report_matrix_cell *cell = &made.rows[0].cells[MATRIX_NONE];
    assert_int_equal(cell->configurations, 2);
    assert_int_equal(cell->failed_runs, 12);
    assert_true(cell->interval.high == stat_clopper_pearson(12, 200, 0.95).high);
    report_matrix_clear(&made);

    results[0].rule = (char *)"decided 0.001";
    report_matrix_make(&model, 0, &made);
    assert_true(made.rows[0].cells[MATRIX_NONE].interval.high == stat_sequence(12, 200, 0.95).high);
    report_matrix_clear(&made);

    report_matrix_make(&busy, 0, &made);
    assert_int_equal(made.count, 1);
    assert_string_equal(made.under.stress, BUSY);
    assert_int_equal(made.rows[0].cells[MATRIX_NONE].failed_runs, 40);
    report_matrix_clear(&made);
}

TEST(waits)
{
    struct result results[] = {row("progress", "", 0), row("progress", BUSY, 0),
                               row("progress", "", 0)};
    const struct report_model model = {.results = results, .result_count = 3};
    struct report_progress made;
    static const struct cfg_pair order = {"order", "ticket", CFG_VARIANT};
    for (size_t i = 0; i < 3; i++) {
        results[i].test = (char *)"progress.chain";
        results[i].variant = &order;
        results[i].variant_count = 1;
        results[i].no_progress_runs = 10 + i;
    }
    report_progress(&model, 0, &made);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.waits[0].runs, 200);
    assert_int_equal(made.waits[0].stuck, 22);
    assert_int_equal(made.under.others, 1);
    assert_true(made.waits[0].interval.low == stat_clopper_pearson(22, 200, 0.95).low);
    results[0].rule = (char *)"width 0.1";
    report_progress(&model, 0, &made);
    assert_true(made.waits[0].interval.low == stat_sequence(22, 200, 0.95).low);
}

TEST(observations)
{
    struct result results[] = {row("divergence", "", 0), row("divergence", BUSY, 0),
                               row("divergence", "", 0)};
    const struct report_model model = {.results = results, .result_count = 3};
    struct report_fingerprint *list;
    static const struct cfg_pair place = {"place", "if", CFG_VARIANT};
    static const struct cat_mode choice = {.check = CAT_CHECK_CHOICE};
    for (size_t i = 0; i < 3; i++) {
        results[i].test = (char *)"divergence.reconverge";
        results[i].variant = &place;
        results[i].variant_count = 1;
        results[i].mode = &choice;
        results[i].outcomes[0] = 100;
    }
    assert_int_equal(report_fingerprints(&model, 0, &list), 1);
    assert_int_equal(list[0].observations, 200);
    assert_int_equal(list[0].under.others, 1);
    assert_true(list[0].strategies[0].interval.low == stat_clopper_pearson(200, 200, 0.95).low);
    free(list);
    results[2].rule = (char *)"width 0.1";
    assert_int_equal(report_fingerprints(&model, 0, &list), 1);
    assert_true(list[0].strategies[0].interval.low == stat_sequence(200, 200, 0.95).low);
    free(list);
}
