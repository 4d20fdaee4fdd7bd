// SPDX-License-Identifier: Apache-2.0
// The matrix of operations and barriers, of models that are made here.
#include "report/sections.h"

#include "unit.h"

#include "base/text.h"

// A result as report_model_load() would have read it.
struct sample {
    const char *test, *op, *scan, *sync, *reconvergence;
    enum eng_result result;
    uint64_t runs, failed, no_progress;
    size_t device;
};

static struct result results[256];
static struct cfg_pair variants[256][5];

// The strings of the samples outlive the model.
static struct report_model make_model(const struct sample *samples, size_t count)
{
    assert_true(count <= sizeof results / sizeof *results);
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &samples[i];
        const bool matrix = !strncmp(s->test, "sync-matrix", strlen("sync-matrix"));
        struct result *r = &results[i];
        *r = (struct result){.rule = (char *)"",
                             .test = (char *)s->test,
                             .family = matrix ? "sync-matrix" : "loop",
                             .device = s->device,
                             .result = s->result,
                             .stress = (char *)"",
                             .reason = s->result == ENG_SKIP ? "VK_KHR_nothing" : "",
                             .runs = s->runs,
                             .failed_runs = s->failed,
                             .no_progress_runs = s->no_progress,
                             .judged = s->runs - s->no_progress};
        const struct cfg_pair pairs[] = {{"op", s->op, CFG_VARIANT},
                                         {"scan", s->scan, CFG_VARIANT},
                                         {"sync", s->sync, CFG_VARIANT},
                                         {"reconvergence", s->reconvergence, CFG_VARIANT}};
        for (size_t p = 0; p < 4; p++)
            if (pairs[p].value)
                variants[i][r->variant_count++] = pairs[p];
        r->variant = variants[i];
    }
    return (struct report_model){.results = results, .result_count = count};
}

#define MAKE(samples)                                                                              \
    struct report_model model = make_model(samples, sizeof(samples) / sizeof *(samples));          \
    struct report_matrix matrix;                                                                   \
    report_matrix_make(&model, 0, &matrix)

static void check_cell(const struct report_matrix *matrix, size_t row, size_t column,
                       const char *want)
{
    char text[96];
    report_matrix_cell_text(text, &matrix->rows[row].cells[column]);
    assert_string_equal(text, want);
}

static void check_conclusion(const struct report_matrix *matrix, const char *want)
{
    OWNED(text_free) struct text text = {0};
    report_matrix_conclude(&text, matrix);
    assert_string_equal(text.data, want);
}

static void check_label(const struct report_matrix *matrix, size_t row, size_t count, size_t width,
                        const char *want)
{
    OWNED(text_free) struct text text = {0};
    report_matrix_label(&text, matrix, row, count, width);
    assert_string_equal(text.data, want);
}

// What fails with more live beside the operation, or in odd workgroups, says nothing of barriers.
TEST(pressure_and_shape_have_no_cell)
{
    static const struct sample samples[] = {
        {"sync-matrix.arithmetic", "add", "reduce", "none", "default", ENG_PASS, 20, 0, 0, 0},
        {"sync-matrix.arithmetic", "add", "reduce", "none", "default", ENG_FAIL, 20, 20, 0, 0},
        {"sync-matrix.shapes", "add", NULL, "none", NULL, ENG_FAIL, 20, 20, 0, 0},
    };
    struct report_model model = make_model(samples, 3);
    static const struct cfg_pair last[] = {{"pressure", "none", CFG_VARIANT},
                                           {"pressure", "predicates", CFG_VARIANT},
                                           {"shape", "7x13", CFG_VARIANT}};
    for (size_t i = 0; i < 3; i++)
        variants[i][results[i].variant_count++] = last[i];
    OWNED(report_matrix_clear) struct report_matrix matrix;
    report_matrix_make(&model, 0, &matrix);
    assert_int_equal(matrix.count, 1);
    assert_int_equal(matrix.rows[0].cells[MATRIX_NONE].runs, 20);
    assert_int_equal(matrix.rows[0].cells[MATRIX_NONE].failed_runs, 0);
}

TEST(each_result_has_its_cell)
{
    static const struct sample samples[] = {
        {"sync-matrix.vote", "any", NULL, "none", "default", ENG_PASS, 1000, 0, 0, 0},
        {"sync-matrix.vote", "any", NULL, "control", "default", ENG_FAIL, 1000, 37, 0, 0},
        {"sync-matrix.vote", "all", NULL, "none", "default", ENG_SKIP, 0, 0, 0, 0},
        {"sync-matrix.vote", "all", NULL, "memory", "default", ENG_CRASH, 0, 0, 0, 0},
        {"sync-matrix.vote", "all", NULL, "none", "maximal", ENG_FAIL, 10, 10, 0, 0},
        {"sync-matrix.vote", "all", NULL, "workgroup", NULL, ENG_NO_PROGRESS, 10, 0, 10, 0},
        {"sync-matrix.arithmetic", "add", "reduce", "none", "default", ENG_PASS, 20, 0, 0, 0},
        // No cell is theirs.
        {"loop.desync", "any", NULL, "none", "default", ENG_FAIL, 1000, 5, 0, 0},
        {"sync-matrix.vote", "any", NULL, "none", "default", ENG_FAIL, 1000, 5, 0, 1},
        {"sync-matrix.vote", "any", NULL, "often", "default", ENG_FAIL, 1000, 5, 0, 0},
        {"sync-matrix.vote", "any", NULL, "control", "maximal", ENG_FAIL, 1000, 5, 0, 0},
        {"sync-matrix.vote", "any", NULL, "none", "sometimes", ENG_FAIL, 1000, 5, 0, 0},
        {"sync-matrix.vote", "any", NULL, NULL, NULL, ENG_FAIL, 1000, 5, 0, 0},
    };
    MAKE(samples);
    assert_int_equal(matrix.count, 3);
    for (size_t column = 0; column < MATRIX_COLUMNS; column++)
        assert_true(matrix.used[column]);
    assert_string_equal(matrix.rows[0].test, "arithmetic");
    assert_string_equal(matrix.rows[0].scan, "reduce");
    assert_string_equal(matrix.rows[1].op, "all");
    assert_string_equal(matrix.rows[1].scan, "");
    assert_string_equal(matrix.rows[2].op, "any");
    check_cell(&matrix, 0, MATRIX_NONE, "never < 0.17");
    check_cell(&matrix, 0, MATRIX_CONTROL, "-");
    check_cell(&matrix, 1, MATRIX_NONE, "skip");
    check_cell(&matrix, 1, MATRIX_MEMORY, "undecided");
    check_cell(&matrix, 1, MATRIX_WORKGROUP, "undecided");
    check_cell(&matrix, 1, MATRIX_MAXIMAL, "> 0.69");
    check_cell(&matrix, 2, MATRIX_NONE, "never < 3.7e-3");
    check_cell(&matrix, 2, MATRIX_CONTROL, "0.037 [0.026, 0.051]");
    assert_string_equal(matrix.rows[1].cells[MATRIX_NONE].reason, "VK_KHR_nothing");
    assert_string_equal(matrix.rows[1].cells[MATRIX_MEMORY].reason, "crash");
    check_conclusion(&matrix, "Without a barrier none of the 2 operations that ran failed in 20 "
                              "runs or more each (each rate by itself is below 0.17, "
                              "95 %): this is a bound, not a proof; 1 failed with a control "
                              "barrier.");
    report_matrix_clear(&matrix);
}

TEST(configurations_of_one_cell_are_summed)
{
    static const struct sample samples[] = {
        {"sync-matrix.quad", "broadcast", NULL, "none", "default", ENG_SKIP, 0, 0, 0, 0},
        {"sync-matrix.quad", "broadcast", NULL, "none", "default", ENG_PASS, 500, 0, 0, 0},
        {"sync-matrix.quad", "broadcast", NULL, "none", "default", ENG_FAIL, 500, 37, 0, 0},
        {"sync-matrix.quad", "broadcast", NULL, "none", "default", ENG_CRASH, 0, 0, 0, 0},
    };
    MAKE(samples);
    assert_int_equal(matrix.count, 1);
    const struct report_matrix_cell *cell = &matrix.rows[0].cells[MATRIX_NONE];
    assert_int_equal(cell->state, MATRIX_SEEN);
    assert_int_equal(cell->configurations, 4);
    assert_int_equal(cell->runs, 1000);
    assert_string_equal(cell->reason, "");
    check_cell(&matrix, 0, MATRIX_NONE, "0.037 [0.026, 0.051]");
    report_matrix_clear(&matrix);
}

TEST(rows_that_say_the_same_are_one_line)
{
    static const struct sample samples[] = {
        {"sync-matrix.shuffle", "shuffle", NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
        {"sync-matrix.shuffle", "xor", NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
        {"sync-matrix.shuffle", "up", NULL, "none", "default", ENG_FAIL, 100, 7, 0, 0},
        {"sync-matrix.shuffle", "down", NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
        {"sync-matrix.quad", "broadcast", NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
        {"sync-matrix.quad", "swap-vertical", NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
        {"sync-matrix.arithmetic", "add", "reduce", "none", "default", ENG_PASS, 100, 0, 0, 0},
    };
    MAKE(samples);
    report_matrix_fold(&matrix);
    assert_int_equal(report_matrix_alike(&matrix, 0), 1);
    check_label(&matrix, 0, 1, 80, "arithmetic: add reduce");
    assert_int_equal(report_matrix_alike(&matrix, 1), 2);
    check_label(&matrix, 1, 2, 80, "quad, all 2");
    assert_int_equal(report_matrix_alike(&matrix, 3), 1);
    check_label(&matrix, 3, 1, 80, "shuffle: up");
    assert_int_equal(report_matrix_alike(&matrix, 4), 3);
    check_label(&matrix, 4, 3, 80, "shuffle: down, shuffle, xor");
    check_label(&matrix, 4, 3, 32, "shuffle: down and 2 more");
    check_label(&matrix, 4, 3, 1, "shuffle: down and 2 more");
    report_matrix_clear(&matrix);
}

TEST(the_conclusion_says_what_n_allows)
{
    static const struct sample nothing[] = {
        {"sync-matrix.vote", "any", NULL, "none", "default", ENG_SKIP, 0, 0, 0, 0},
        {"sync-matrix.vote", "any", NULL, "control", "default", ENG_PASS, 100, 0, 0, 0},
    };
    static const struct sample needed[] = {
        {"sync-matrix.vote", "all", NULL, "none", "default", ENG_PASS, 1000, 0, 0, 0},
        {"sync-matrix.vote", "any", NULL, "none", "default", ENG_FAIL, 1000, 1, 0, 0},
        {"sync-matrix.vote", "any", NULL, "control", "default", ENG_PASS, 1000, 0, 0, 0},
    };
    static const struct sample mixed[] = {
        {"sync-matrix.vote", "all", NULL, "none", "default", ENG_FAIL, 1000, 1, 0, 0},
        {"sync-matrix.vote", "all", NULL, "control", "default", ENG_FAIL, 1000, 2, 0, 0},
        {"sync-matrix.vote", "any", NULL, "none", "default", ENG_FAIL, 1000, 1, 0, 0},
        {"sync-matrix.vote", "any", NULL, "control", "default", ENG_PASS, 1000, 0, 10, 0},
        {"sync-matrix.vote", "elect", NULL, "none", "default", ENG_FAIL, 1000, 1, 0, 0},
    };
    struct report_matrix empty = {0};
    check_conclusion(&empty, "No operation ran without a barrier.");
    {
        MAKE(nothing);
        check_conclusion(&matrix, "No operation ran without a barrier.");
        report_matrix_clear(&matrix);
    }
    {
        MAKE(needed);
        check_conclusion(&matrix, "Without a barrier 1 of 2 operations failed; with a control "
                                  "barrier it did not in 1,000 runs or more each "
                                  "(each rate by itself is below 3.7e-3, 95 %).");
        report_matrix_clear(&matrix);
    }
    {
        MAKE(mixed);
        check_conclusion(&matrix,
                         "Without a barrier 3 of 3 operations failed; with a control "
                         "barrier 1 of these did not in 990 runs or more "
                         "each (each rate by itself is below 3.8e-3, 95 %); 1 of these has "
                         "no result with one; 1 failed with a control barrier too.");
        report_matrix_clear(&matrix);
    }
}

TEST(a_session_without_it_has_none)
{
    static const struct sample samples[] = {
        {"loop.desync", NULL, NULL, "none", "default", ENG_PASS, 100, 0, 0, 0},
    };
    MAKE(samples);
    assert_int_equal(matrix.count, 0);
    report_matrix_fold(&matrix);
    report_matrix_clear(&matrix);
    assert_string_equal(report_matrix_column_name(MATRIX_COLUMNS), "?");
    assert_string_equal(report_matrix_column_name(MATRIX_MAXIMAL), "maximal");
}
