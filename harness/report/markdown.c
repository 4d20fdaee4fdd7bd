// SPDX-License-Identifier: Apache-2.0
// Markdown for a ticket: what failed comes first, everything else is folded. Cut at whole rows so
// that it fits into a comment of the usual trackers (64 KB), with a line that says what was left
// out.
#include "catalogue/catalogue.h"
#include "report/fingerprint.h"
#include "report/format.h"
#include "report/matrix.h"
#include "report/progress.h"
#include "report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES  62000 // leaves room for the lines that close what was cut
#define FAILURES_AT 48000 // failures beyond this go without their details
#define MOST_PLACES 5     // failing instances shown for each failure

#define MATRIX_NAMES 400 // characters of the operations in one line of the matrix

struct writer {
    const struct report_model *model;
    struct text *out;
    size_t start; // of this report in `out`
};

static size_t used(const struct writer *w)
{
    return w->out->length - w->start;
}

// Text that comes from a driver or a file: every character that Markdown, HTML or a tracker could
// take for more than itself is written as its code.
static void escape(struct text *out, const char *string)
{
    for (const char *at = string; *at; at++) {
        bool in_word =
            at > string && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
        if (strchr("\\`*{}[]<>#|!~@&$", *at) || (*at == '_' && !in_word))
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, at, 1);
    }
}

// The same as code.
static void code(struct text *out, const char *string)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "./@=,:+-_";
    if (string[0] && string[strspn(string, safe)] == '\0') {
        text_printf(out, "`%s`", string);
        return;
    }
    text_puts(out, "<code>");
    escape(out, string);
    text_puts(out, "</code>");
}

static void fact(struct text *out, const char *name, const char *value)
{
    text_printf(out, "| %s | ", name);
    escape(out, value);
    text_puts(out, " |\n");
}

static void print_machine(const struct writer *w, const struct report_device *device)
{
    const struct store_session *session = &w->model->session;
    const struct dev_facts *facts = &device->facts;
    char value[512], uuid[37];
    text_puts(w->out, "| machine | |\n| --- | --- |\n");
    snprintf(value, sizeof(value), "%s (%s, 0x%04x:0x%04x)", facts->name, facts->type,
             facts->vendor, facts->product);
    fact(w->out, "device", value);
    text_puts(w->out, "| driver | ");
    escape(w->out, facts->driver_name);
    text_puts(w->out, " ");
    escape(w->out, facts->driver_version);
    if (facts->driver_info[0]) {
        text_puts(w->out, " (");
        escape(w->out, facts->driver_info);
        text_puts(w->out, ")");
    }
    text_puts(w->out, " |\n");
    format_api(value, facts->api);
    fact(w->out, "Vulkan", value);
    snprintf(value, sizeof(value), "%u (%u to %u%s)", facts->subgroup, facts->subgroup_min,
             facts->subgroup_max, facts->subgroup_control ? ", can be chosen" : "");
    fact(w->out, "subgroup size", value);
    format_uuid(uuid, facts->device_uuid);
    fact(w->out, "device UUID", uuid);
    format_uuid(uuid, facts->driver_uuid);
    fact(w->out, "driver UUID", uuid);
    fact(w->out, "system", session->system);
    fact(w->out, "results checked on", device->checker);
    fact(w->out, "litmus", session->version);
    snprintf(value, sizeof(value), "%s, seed 0x%jx", session->started, (uintmax_t)session->seed);
    fact(w->out, "started", value);
    fact(w->out, "command", session->command);
    text_puts(w->out, "\n");
}

static void print_headlines(const struct writer *w, size_t device)
{
    struct report_headline *lines;
    size_t count = report_headlines(w->model, device, &lines);
    if (count > 0)
        text_puts(w->out,
                  "| headline | runs | failed | rate, 95 % interval | expectation | seen |\n"
                  "| --- | ---: | ---: | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++) {
        char runs[32], failed[32], rate[80];
        format_interval(rate, lines[i].failed_runs, lines[i].judged, lines[i].interval);
        text_puts(w->out, "| ");
        escape(w->out, lines[i].name);
        text_printf(w->out, " | %s | %s | %s", text_count(runs, lines[i].runs),
                    text_count(failed, lines[i].failed_runs), rate);
        text_printf(w->out, " | %s | %s |\n", cat_expectation_name(lines[i].expectation),
                    report_observation(lines[i].failed_runs, lines[i].judged));
    }
    text_puts(w->out, "\n");
    free(lines);
}

static void print_histogram(struct text *out, const struct report_result *result)
{
    char number[32], all[32];
    text_puts(out, "| outcome | expected | observed |\n| --- | ---: | ---: |\n");
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        char buffer[24];
        if (result->outcomes[outcome] == 0 && outcome != CAT_RIGHT)
            continue;
        const char *expected = outcome == CAT_RIGHT ? text_count(all, result->instances)
                               : cat_mode_fails(&result->mode, outcome) ? "0"
                                                                        : "allowed";
        text_printf(out, "| %s | %s | %s |\n", report_outcome_name(result, outcome, buffer),
                    expected, text_count(number, result->outcomes[outcome]));
    }
    text_puts(out, "\n");
}

static void print_places(struct text *out, const struct report_result *result)
{
    if (result->failure_count == 0)
        return;
    text_puts(out, "| run | instance | where | outcome | got | want |\n"
                   "| ---: | ---: | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < result->failure_count && i < MOST_PLACES; i++) {
        const struct eng_failure *failure = &result->failures[i];
        char run[32], instance[32], buffer[24];
        text_printf(out, "| %s | %s | ", text_count(run, failure->at.run + 1),
                    text_count(instance, failure->at.instance));
        escape(out, failure->where);
        text_printf(out, " | %s | `0x%08x` | `0x%08x` |\n",
                    report_outcome_name(result, failure->at.outcome, buffer), failure->at.got,
                    failure->at.want);
    }
    text_puts(out, "\n");
}

static void print_again(const struct writer *w, const struct report_result *result)
{
    text_puts(w->out, "Again:\n\n    ");
    format_again(w->out, w->model, result);
    text_puts(w->out, "\n\n");
}

static void print_failure(const struct writer *w, const struct report_result *result)
{
    char failed[32], runs[32], rate[80];
    text_puts(w->out, "### ");
    code(w->out, result->name);
    format_interval(rate, result->failed_runs, result->judged, result->interval);
    text_printf(w->out, "\n\n%s of %s runs failed: %s (95 %%). Expectation: %s. %s",
                text_count(failed, result->failed_runs), text_count(runs, result->runs), rate,
                cat_expectation_name(result->expectation),
                result->first_run_failed ? "The first run failed." : "The first run was right.");
    if (result->result != ENG_FAIL) {
        text_printf(w->out, " It ended with %s: ", eng_result_name(result->result));
        escape(w->out, result->reason);
    }
    text_puts(w->out, "\n\n");
    print_histogram(w->out, result);
    print_places(w->out, result);
    text_printf(w->out, "SPIR-V SHA-256: `%s`\n\n", result->sha256[0] ? result->sha256 : "none");
    print_again(w, result);
}

static void print_failures(const struct writer *w, size_t device)
{
    size_t *indexes;
    size_t count = report_select(w->model, device, report_failed, &indexes);
    if (count > 0)
        text_puts(w->out, "## What failed\n\n");
    size_t done = 0;
    for (; done < count && used(w) < FAILURES_AT; done++)
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
        text_puts(w->out, "## What did not finish\n\n");
    size_t done = 0;
    for (; done < count && used(w) < FAILURES_AT; done++) {
        const struct report_result *result = &w->model->results[indexes[done]];
        text_puts(w->out, "- ");
        code(w->out, result->name);
        text_printf(w->out, ": %s ", eng_result_name(result->result));
        if (result->no_progress_runs > 0)
            text_printf(w->out, "in %s of ", text_count(number, result->no_progress_runs));
        else
            text_puts(w->out, "after ");
        text_printf(w->out, "%s runs%s", text_count(number, result->runs),
                    result->reason[0] ? ": " : "");
        escape(w->out, result->reason);
        text_puts(w->out, "\n");
    }
    if (done < count)
        text_printf(w->out, "- *%s more, left out because a ticket holds 64 KB*\n",
                    text_count(number, count - done));
    if (count > 0)
        text_puts(w->out, "\n");
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
        escape(w->out, families[i].name);
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
        escape(w->out, label.data);
        text_puts(w->out, " |");
        for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
            char cell[96];
            report_matrix_cell_text(cell, &matrix->rows[done].cells[c], false);
            if (matrix->used[c]) {
                text_puts(w->out, " ");
                escape(w->out, cell);
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
        text_puts(w->out, "## Which operations need a barrier\n\n");
        report_matrix_fold(&matrix);
        print_matrix_rows(w, &matrix, true);
        report_matrix_conclude(w->out, &matrix);
        text_puts(w->out, "\n\n");
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
        for (size_t i = 0; i < count && used(w) < MOST_BYTES; i++) {
            char number[32];
            text_printf(w->out, "| %s | ", text_count(number, skips[i].count));
            escape(w->out, skips[i].reason);
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
    for (; done < count && used(w) < MOST_BYTES; done++) {
        const struct report_result *result = &w->model->results[indexes[done]];
        bool seen = report_control_seen(result);
        char runs[32], failed[32];
        text_puts(w->out, "| ");
        code(w->out, result->name);
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

bool report_markdown(struct store *store, int64_t session, struct text *out,
                     struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    struct writer w = {.model = &model, .out = out, .start = out->length};
    for (size_t device = 0; good && device < model.device_count; device++) {
        const struct dev_facts *facts = &model.devices[device].facts;
        text_puts(out, "# Subgroup litmus tests: ");
        escape(out, facts->name);
        text_puts(out, ", driver ");
        escape(out, facts->driver_version);
        text_puts(out, "\n\n");
        print_machine(&w, &model.devices[device]);
        print_headlines(&w, device);
        print_matrix(&w, device);
        print_failures(&w, device);
        print_unfinished(&w, device);
    }
    for (size_t device = 0; good && device < model.device_count && used(&w) < MOST_BYTES;
         device++) {
        if (model.device_count > 1) {
            text_puts(out, "## All of ");
            escape(out, model.devices[device].facts.name);
            text_puts(out, "\n\n");
        }
        print_families(&w, device);
        print_whole_matrix(&w, device);
        report_fingerprints_markdown(&model, device, out);
        report_progress_markdown(&model, device, out);
        print_skips(&w, device);
        print_every(&w, device);
    }
    report_model_clear(&model);
    return good;
}
