// SPDX-License-Identifier: Apache-2.0
// Markdown for a ticket: a sentence, a table, and everything else folded. Cut at whole rows so that
// it fits into a comment of the usual trackers (64 KB), with a line that says what was left out.
#include "report/markdown.h"

#include "catalogue/catalogue.h"
#include "report/fingerprint.h"
#include "report/matrix.h"
#include "report/mutation.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/ruling.h"

#include <stdlib.h>
#include <string.h>

#define FAILURES_AT  48000 // bytes: failures beyond this go without their details
#define MOST_PLACES  5     // failing instances shown for each failure
#define MOST_TICKETS 4     // devices that get one each
#define CODE_MOST    20000 // bytes of the code of one device, which failures then leave free
#define CODE_UNTIL   56000 // bytes: no code beyond this

#define MATRIX_NAMES 400 // characters of the operations in one line of the matrix

struct writer {
    const struct report_model *model;
    const struct report_code *code;
    struct text *out;
    size_t start; // of this report in `out`
};

static size_t used(const struct writer *w)
{
    return w->out->length - w->start;
}

// Failures leave room for the code of the device, if there is some.
static size_t failures_until(const struct writer *w, size_t device)
{
    return w->code->studies[device].count ? CODE_UNTIL - CODE_MOST : FAILURES_AT;
}

static void print_code(const struct writer *w, size_t device)
{
    const size_t left = used(w) < CODE_UNTIL ? CODE_UNTIL - used(w) : 0;
    markdown_codes(w->out, w->code, device, left < CODE_MOST ? left : CODE_MOST);
}

static void print_rules(const struct writer *w, size_t device)
{
    struct report_rule *rules;
    const size_t count = report_rules(w->model, device, &rules);
    for (size_t i = 0; i < count; i++) {
        report_rule_say(&rules[i], w->out);
        text_puts(w->out, "\n\n");
    }
    free(rules);
}

static void print_failure(const struct writer *w, const struct report_result *result)
{
    struct text title = {0}, again = {0};
    char failed[32], runs[32], rate[80];
    format_interval(rate, result->failed_runs, result->judged, result->interval);
    text_printf(&title, "%s: %s of %s runs", result->name, text_count(failed, result->failed_runs),
                text_count(runs, result->runs));
    markdown_fold(w->out, title.data);
    text_printf(w->out, "%s of %s runs failed: %s (95 %%). Expectation: %s. %s", failed, runs, rate,
                cat_expectation_name(result->expectation),
                result->first_run_failed ? "The first run failed." : "The first run was right.");
    if (result->result != ENG_FAIL) {
        text_printf(w->out, " It ended with %s: ", eng_result_name(result->result));
        markdown_escape(w->out, result->reason);
    }
    text_puts(w->out, "\n\n");
    markdown_remarks(w->out, result);
    markdown_histogram(w->out, result);
    markdown_places(w->out, result, MOST_PLACES);
    text_printf(w->out, "SPIR-V SHA-256: `%s`\n\nAgain:\n\n",
                result->sha256[0] ? result->sha256 : "none");
    format_again(&again, w->model, result);
    markdown_command(w->out, again.data);
    markdown_unfold(w->out);
    text_free(&title);
    text_free(&again);
}

static void print_failures(const struct writer *w, size_t device)
{
    size_t *indexes;
    size_t count = report_select(w->model, device, report_failed, &indexes);
    if (count > 0)
        text_puts(w->out, "## What failed\n\n");
    size_t done = 0;
    for (; done < count && used(w) < failures_until(w, device); done++)
        print_failure(w, &w->model->results[indexes[done]]);
    if (done < count) {
        char number[32];
        text_printf(w->out,
                    "*%s more failed; left out because a ticket holds 64 KB. The JSON "
                    "report has all.*\n\n",
                    text_count(number, count - done));
    }
    free(indexes);
}

static bool unfinished_only(const struct report_result *result)
{
    return report_unfinished(result) && !report_failed(result);
}

static void print_unfinished(const struct writer *w, size_t device)
{
    size_t *indexes;
    size_t count = report_select(w->model, device, unfinished_only, &indexes);
    char number[32];
    if (count > 0)
        markdown_fold(w->out, "What did not finish");
    size_t done = 0;
    for (; done < count && used(w) < FAILURES_AT; done++) {
        const struct report_result *result = &w->model->results[indexes[done]];
        text_puts(w->out, "- ");
        markdown_code(w->out, result->name);
        text_printf(w->out, ": %s ", eng_result_name(result->result));
        if (result->no_progress_runs > 0)
            text_printf(w->out, "in %s of ", text_count(number, result->no_progress_runs));
        else
            text_puts(w->out, "after ");
        text_printf(w->out, "%s runs%s", text_count(number, result->runs),
                    result->reason[0] ? ": " : "");
        markdown_escape(w->out, result->reason);
        text_puts(w->out, "\n");
    }
    if (done < count)
        text_printf(w->out, "- *%s more, left out because a ticket holds 64 KB*\n",
                    text_count(number, count - done));
    if (count > 0) {
        text_puts(w->out, "\n");
        markdown_unfold(w->out);
    }
    free(indexes);
}

static void print_families(const struct writer *w, size_t device)
{
    struct report_family *families;
    size_t count = report_families(w->model, device, &families);
    text_puts(w->out, "<details><summary>Families</summary>\n\n"
                      "| family | pass | fail | skip | other | control | instances checked |\n"
                      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        char number[6][32];
        text_puts(w->out, "| ");
        markdown_escape(w->out, families[i].name);
        text_printf(
            w->out, " | %s | %s | %s | %s | %s | %s |\n", text_count(number[0], families[i].pass),
            text_count(number[1], families[i].fail), text_count(number[2], families[i].skip),
            text_count(number[3], families[i].other), text_count(number[4], families[i].control),
            text_count(number[5], families[i].instances));
    }
    text_puts(w->out, "\n</details>\n\n");
    free(families);
}

// One line for each row, or with `folded` for several rows that say the same.
static void print_matrix_rows(const struct writer *w, const struct report_matrix *matrix,
                              bool folded)
{
    text_puts(w->out, "| operation |");
    for (size_t c = 0; c < MATRIX_COLUMNS; c++)
        if (matrix->used[c])
            text_printf(w->out, " %s |", report_matrix_column_name(c));
    text_puts(w->out, "\n| --- |");
    for (size_t c = 0; c < MATRIX_COLUMNS; c++)
        text_puts(w->out, matrix->used[c] ? " --- |" : "");
    text_puts(w->out, "\n");
    size_t done = 0;
    for (size_t count; done < matrix->count && used(w) < FAILURES_AT; done += count) {
        struct text label = {0};
        count = folded ? report_matrix_alike(matrix, done) : 1;
        report_matrix_label(&label, matrix, done, count, MATRIX_NAMES);
        text_puts(w->out, "| ");
        markdown_escape(w->out, label.data);
        text_puts(w->out, " |");
        for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
            char cell[96];
            report_matrix_cell_text(cell, &matrix->rows[done].cells[c], false);
            if (matrix->used[c]) {
                text_puts(w->out, " ");
                markdown_escape(w->out, cell);
                text_puts(w->out, " |");
            }
        }
        text_puts(w->out, "\n");
        text_free(&label);
    }
    if (done < matrix->count)
        text_printf(w->out, "\n*%zu more, left out because a ticket holds 64 KB*\n",
                    matrix->count - done);
    text_puts(w->out, "\n");
}

static void print_matrix(const struct writer *w, size_t device)
{
    struct report_matrix matrix;
    report_matrix_make(w->model, device, &matrix);
    if (matrix.count > 0) {
        markdown_fold(w->out, "Which operations need a barrier");
        report_matrix_fold(&matrix);
        print_matrix_rows(w, &matrix, true);
        report_matrix_conclude(w->out, &matrix);
        text_puts(w->out, "\n");
        report_under_markdown(w->out, &matrix.under);
        text_puts(w->out, "\n");
        markdown_unfold(w->out);
    }
    report_matrix_clear(&matrix);
}

static void print_whole_matrix(const struct writer *w, size_t device)
{
    struct report_matrix matrix;
    report_matrix_make(w->model, device, &matrix);
    if (matrix.count > 0) {
        text_puts(w->out, "<details><summary>Every operation with every barrier</summary>\n\n");
        print_matrix_rows(w, &matrix, false);
        text_puts(w->out, "</details>\n\n");
    }
    report_matrix_clear(&matrix);
}

static void print_skips(const struct writer *w, size_t device)
{
    struct report_skip *skips;
    size_t count = report_skips(w->model, device, &skips);
    if (count > 0) {
        text_puts(w->out, "<details><summary>Skipped</summary>\n\n"
                          "| configurations | reason |\n| ---: | --- |\n");
        for (size_t i = 0; i < count && used(w) < MARKDOWN_MOST; i++) {
            char number[32];
            text_printf(w->out, "| %s | ", text_count(number, skips[i].count));
            markdown_escape(w->out, skips[i].reason);
            text_puts(w->out, " |\n");
        }
        text_puts(w->out, "\n</details>\n\n");
    }
    free(skips);
}

static bool was_run(const struct report_result *result)
{
    return result->result != ENG_SKIP;
}

static void print_every(const struct writer *w, size_t device)
{
    size_t *indexes;
    size_t count = report_select(w->model, device, was_run, &indexes);
    text_puts(w->out, "<details><summary>Every configuration that ran</summary>\n\n"
                      "| configuration | result | runs | failed | expectation |\n"
                      "| --- | --- | ---: | ---: | --- |\n");
    size_t done = 0;
    for (; done < count && used(w) < MARKDOWN_MOST; done++) {
        const struct report_result *result = &w->model->results[indexes[done]];
        bool seen = report_control_seen(result);
        char runs[32], failed[32];
        text_puts(w->out, "| ");
        markdown_code(w->out, result->name);
        text_printf(w->out, " | %s | %s | %s | %s |\n",
                    seen ? "seen" : eng_result_name(result->result), text_count(runs, result->runs),
                    text_count(failed, result->failed_runs),
                    cat_expectation_name(result->expectation));
    }
    if (done < count) {
        char number[32];
        text_printf(w->out,
                    "\n*%s more, left out because a ticket holds 64 KB. The JSON report "
                    "has all.*\n",
                    text_count(number, count - done));
    }
    text_puts(w->out, "\n</details>\n\n");
    free(indexes);
}

static void print_session(const struct report_code *code, struct text *out)
{
    const struct report_model *model = code->model;
    struct writer w = {.model = model, .code = code, .out = out, .start = out->length};
    for (size_t device = 0; device < model->device_count && used(&w) < FAILURES_AT; device++) {
        const struct dev_facts *facts = &model->devices[device].facts;
        text_puts(out, "# Subgroup litmus tests: ");
        markdown_escape(out, facts->name);
        text_puts(out, ", driver ");
        markdown_escape(out, facts->driver_version);
        text_puts(out, "\n\n");
        markdown_sentence(out, model, device);
        text_puts(out, ".\n\n");
        markdown_headlines(out, model, device);
        report_mutation_markdown(model, device, out);
        markdown_fold(out, "Machine and command");
        text_puts(out, "| machine | |\n| --- | --- |\n");
        markdown_machine(out, model, &model->devices[device]);
        text_puts(out, "\n");
        markdown_unfold(out);
        print_rules(&w, device);
        print_matrix(&w, device);
        print_failures(&w, device);
        print_code(&w, device);
        print_unfinished(&w, device);
    }
    for (size_t device = 0; device < model->device_count && used(&w) < MARKDOWN_MOST; device++) {
        if (model->device_count > 1) {
            text_puts(out, "## All of ");
            markdown_escape(out, model->devices[device].facts.name);
            text_puts(out, "\n\n");
        }
        print_families(&w, device);
        print_whole_matrix(&w, device);
        report_fingerprints_markdown(model, device, out);
        report_progress_markdown(model, device, out);
        print_skips(&w, device);
        print_every(&w, device);
    }
}

// One configuration alone is what a ticket is about.
static bool is_ticket(const struct report_model *model)
{
    if (!model->only_test[0] || model->result_count == 0 || model->result_count > MOST_TICKETS)
        return false;
    for (size_t i = 1; i < model->result_count; i++)
        if (strcmp(model->results[i].name, model->results[0].name) != 0)
            return false;
    return true;
}

void report_markdown(const struct report_model *model, struct text *out)
{
    struct report_code code;
    report_code_load(model, is_ticket(model) ? model->results[0].test : NULL, &code);
    if (!is_ticket(model))
        print_session(&code, out);
    for (size_t i = 0; i < model->result_count && is_ticket(model); i++)
        markdown_ticket(out, &code, &model->results[i], MARKDOWN_MOST / model->result_count);
    report_code_clear(&code);
}
