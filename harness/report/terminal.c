// SPDX-License-Identifier: Apache-2.0
// The tables that a run ends with.
#include "catalogue/catalogue.h"
#include "report/evidence.h"
#include "report/fingerprint.h"
#include "report/format.h"
#include "report/matrix.h"
#include "report/mutation.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/ruling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH         100 // columns of the device line
#define NAME_WIDTH    44  // of a table's first column
#define MOST_FAILURES 12  // listed for a device, unless all are asked for
#define MOST_SKIPS    8   // reasons
#define MOST_LOG      3   // lines of the kernel
#define MOST_NAMES    4   // controls named that were not seen

#define MATRIX_NAME_LEAST 16 // columns that a name in the matrix has at least, or its own line

struct printer {
    const struct report_model *model;
    const struct report_terminal_info *info;
    struct text *out;
    size_t device;
};

static enum format_color expectation_color(enum cat_expectation expectation)
{
    return expectation == CAT_FORBIDDEN ? FORMAT_RED : FORMAT_YELLOW;
}

static void print_device(const struct printer *p)
{
    const struct dev_facts *facts = &p->model->devices[p->device].facts;
    struct text line = {0};
    char api[32], place[48];
    format_api(api, facts->api);
    // Drivers like to say the same in several strings.
    text_printf(&line, "%s · driver %s", facts->name, facts->driver_version);
    if (facts->driver_name[0])
        text_printf(&line, " (%s)", facts->driver_name);
    text_printf(&line, " · Vulkan %s · subgroups of %u", api, facts->subgroup);
    snprintf(place, sizeof(place), "device %zu of %zu", p->device + 1, p->model->device_count);
    format_color(p->out, p->info->color, FORMAT_BOLD, line.data);
    size_t used = format_width(line.data) + strlen(place);
    text_printf(p->out, "%*s%s\n", used + 2 <= WIDTH ? (int)(WIDTH - used) : 2, "", place);
    text_free(&line);
    const char *checker = p->model->devices[p->device].checker;
    if (strcmp(checker, "device") != 0)
        text_printf(p->out, "  checked on the %s\n", checker);
}

// What a headline's last column says.
static const char *verdict(const struct report_headline *line, enum format_color *color)
{
    bool control = line->expectation == CAT_CONTROL;
    *color = FORMAT_PLAIN;
    if (line->judged == 0)
        return line->runs ? "no progress" : "not run";
    if (line->failed_runs == 0) {
        *color = control ? FORMAT_YELLOW : FORMAT_GREEN;
        return "never seen";
    }
    if (control) {
        *color = FORMAT_GREEN;
        return "seen";
    }
    *color = expectation_color(line->expectation);
    return line->failed_runs == line->judged ? "ALWAYS" : "SOMETIMES";
}

static void print_headlines(const struct printer *p)
{
    struct report_headline *lines;
    const size_t all = report_headlines(p->model, p->device, &lines);
    const size_t count = p->info->verbosity > 0 ? all : report_headlines_brief(lines, all);
    if (count == 0)
        return;
    struct format_table table = {.columns = 6, .right = {[1] = true, [2] = true}};
    const char *const words[] = {"headline",    "runs", "failed", "rate, 95 % interval",
                                 "expectation", ""};
    format_title(&table, words);
    for (size_t i = 0; i < count; i++) {
        const struct report_headline *line = &lines[i];
        char number[32], rate[80];
        enum format_color color;
        const char *word = verdict(line, &color);
        struct format_row *row = format_row(&table);
        bool again = i > 0 && strcmp(line->name, lines[i - 1].name) == 0;
        struct text name = {0};
        text_printf(&name, "%s%s%s", again ? "" : line->name, line->stress[0] ? " under " : "",
                    line->stress);
        format_cell(row, 0, FORMAT_PLAIN, name.data);
        text_free(&name);
        format_cell(row, 1, FORMAT_PLAIN, text_count(number, line->runs));
        format_cell(row, 2, FORMAT_PLAIN, text_count(number, line->failed_runs));
        format_interval(rate, line->failed_runs, line->judged, line->interval);
        format_cell(row, 3, FORMAT_PLAIN, rate);
        format_cell(row, 4, FORMAT_PLAIN, cat_expectation_name(line->expectation));
        format_cell(row, 5, color, word);
    }
    text_puts(p->out, "\n");
    format_table_print(&table, NAME_WIDTH, p->info->color, p->out);
    if (count < all) {
        char number[32];
        text_printf(p->out, "  and %s more, each under stress of its own, never seen: -v\n",
                    text_count(number, all - count));
    }
    free(lines);
}

static void count_cell(struct format_row *row, size_t column, enum format_color color,
                       uint64_t count)
{
    char number[32];
    format_cell(row, column, count ? color : FORMAT_PLAIN, text_count(number, count));
}

static void print_controls(const struct printer *p)
{
    report_mutation_terminal(p->model, p->device, p->info->verbosity > 0 ? SIZE_MAX : MOST_NAMES,
                             p->out);
}

// Rates under stress are those of a disturbed device: not to be read as the others.
static void print_stress(const struct printer *p)
{
    uint64_t all = 0, under = 0;
    char some[32], of[32];
    for (size_t i = 0; i < p->model->result_count; i++) {
        const struct report_result *result = &p->model->results[i];
        all += result->device == p->device && result->runs > 0;
        under += result->device == p->device && result->runs > 0 && result->stress[0];
    }
    if (under > 0)
        text_printf(p->out,
                    "\n  %s of %s configurations ran under stress: their rates are not "
                    "those of an idle device\n",
                    text_count(some, under), text_count(of, all));
}

// What the sequential rule came to, and where it came to nothing.
static void print_rules(const struct printer *p)
{
    struct report_rule *rules;
    size_t *indexes;
    const size_t count = report_rules(p->model, p->device, &rules);
    const size_t undecided = report_select(p->model, p->device, report_is_undecided, &indexes);
    const size_t most = p->info->verbosity > 0 || undecided <= MOST_NAMES ? undecided : MOST_NAMES;
    char rate[80], number[32];
    if (count > 0)
        text_puts(p->out, "\n");
    for (size_t i = 0; i < count; i++) {
        text_puts(p->out, "  ");
        report_rule_say(&rules[i], p->out);
        text_puts(p->out, "\n");
    }
    for (size_t i = 0; i < most; i++) {
        const struct report_result *result = &p->model->results[indexes[i]];
        format_interval(rate, result->failed_runs, result->judged, result->interval);
        text_printf(p->out, "    undecided: %s: %s after %s runs\n", result->name, rate,
                    text_count(number, result->runs));
    }
    if (most < undecided)
        text_printf(p->out, "    undecided: %s more\n", text_count(number, undecided - most));
    free(rules);
    free(indexes);
}

static void print_families(const struct printer *p)
{
    struct report_family *families;
    size_t count = report_families(p->model, p->device, &families);
    struct format_table table = {.columns = 7,
                                 .right = {false, true, true, true, true, true, true}};
    const char *const words[] = {"family",           "pass", "fail", "skip", "other", "control",
                                 "instances checked"};
    format_title(&table, words);
    for (size_t i = 0; i < count; i++) {
        struct format_row *row = format_row(&table);
        format_cell(row, 0, FORMAT_PLAIN, families[i].name);
        count_cell(row, 1, FORMAT_PLAIN, families[i].pass);
        count_cell(row, 2, FORMAT_RED, families[i].fail);
        count_cell(row, 3, FORMAT_PLAIN, families[i].skip);
        count_cell(row, 4, FORMAT_YELLOW, families[i].other);
        count_cell(row, 5, FORMAT_PLAIN, families[i].control);
        count_cell(row, 6, FORMAT_PLAIN, families[i].instances);
    }
    text_puts(p->out, "\n");
    format_table_print(&table, NAME_WIDTH, p->info->color, p->out);
    print_controls(p);
    free(families);
}

static enum format_color cell_color(const struct report_matrix_cell *cell)
{
    return cell->state == MATRIX_NEVER       ? FORMAT_GREEN
           : cell->state == MATRIX_UNDECIDED ? FORMAT_YELLOW
           : cell->state == MATRIX_SEEN      ? FORMAT_RED
                                             : FORMAT_PLAIN;
}

// Columns that the cells of the matrix take, with two spaces before each.
static size_t matrix_width(const struct report_matrix *matrix, bool brief)
{
    size_t width = 0;
    for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
        size_t most = strlen(report_matrix_column_name(c));
        for (size_t i = 0; i < matrix->count; i++) {
            char cell[96];
            report_matrix_cell_text(cell, &matrix->rows[i].cells[c], brief);
            most = format_width(cell) > most ? format_width(cell) : most;
        }
        width += matrix->used[c] ? most + 2 : 0;
    }
    return width;
}

// A line for each row, or for several rows that say the same.
static void print_matrix_rows(const struct printer *p, const struct report_matrix *matrix)
{
    const bool brief = matrix_width(matrix, false) > WIDTH - MATRIX_NAME_LEAST;
    const size_t taken = matrix_width(matrix, brief);
    const size_t name = taken + MATRIX_NAME_LEAST < WIDTH ? WIDTH - 2 - taken : MATRIX_NAME_LEAST;
    struct format_table table = {.columns = 1};
    struct format_row *row = format_row(&table);
    format_cell(row, 0, FORMAT_DIM, brief ? "operation (95 % intervals)" : "operation");
    for (size_t c = 0; c < MATRIX_COLUMNS; c++)
        if (matrix->used[c])
            format_cell(row, table.columns++, FORMAT_DIM, report_matrix_column_name(c));
    for (size_t i = 0, count; i < matrix->count; i += count) {
        struct text label = {0};
        size_t column = 1;
        count = p->info->verbosity > 0 ? 1 : report_matrix_alike(matrix, i);
        report_matrix_label(&label, matrix, i, count, WIDTH - 2);
        row = format_row(&table);
        format_cell(row, 0, FORMAT_PLAIN, label.data);
        for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
            const struct report_matrix_cell *cell = &matrix->rows[i].cells[c];
            char text[96];
            report_matrix_cell_text(text, cell, brief);
            if (matrix->used[c])
                format_cell(row, column++, cell_color(cell), text);
        }
        text_free(&label);
    }
    format_table_print(&table, name < NAME_WIDTH ? name : NAME_WIDTH, p->info->color, p->out);
}

static void print_matrix(const struct printer *p)
{
    struct report_matrix matrix;
    struct text conclusion = {0};
    report_matrix_make(p->model, p->device, &matrix);
    if (matrix.count > 0) {
        text_puts(p->out, "\n  which operations need a barrier\n");
        if (p->info->verbosity <= 0)
            report_matrix_fold(&matrix);
        print_matrix_rows(p, &matrix);
        report_matrix_conclude(&conclusion, &matrix);
        text_paragraph(p->out, "  ", conclusion.data);
        report_under_terminal(p->out, &matrix.under);
        text_free(&conclusion);
    }
    report_matrix_clear(&matrix);
}

// Under what the runs were made, and what that does to the interval.
static void print_conditions(const struct printer *p, const struct report_result *result)
{
    if (result->stress[0])
        text_printf(p->out, "\n    under stress: %s", result->stress);
    if (result->rule[0])
        text_printf(p->out, "\n    stopped by the rule: %s; the interval is one that allows for it",
                    result->rule);
    if (report_is_bunched(result))
        text_printf(
            p->out,
            "\n    failures come in bunches: the interval is too narrow, by a factor of about "
            "%.1f",
            sqrt(result->spread.factor));
}

// The kernel's last lines; all that there is if more was asked for.
static void print_evidence(const struct printer *p, const struct report_result *result)
{
    const bool all = p->info->verbosity > 0;
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        const enum eng_evidence kind = (enum eng_evidence)i;
        if (!result->evidence[kind] || (!all && kind != ENG_EVIDENCE_KERNEL))
            continue;
        if (all)
            text_printf(p->out, "    %s\n", report_evidence_title(kind));
        report_evidence_lines(p->out, result, kind, all ? SIZE_MAX : MOST_LOG,
                              all ? "      " : "    kernel: ");
    }
}

static void print_failure(const struct printer *p, const struct report_result *result)
{
    char failed[32], runs[32], rate[80], number[32];
    text_puts(p->out, "  ");
    format_color(p->out, p->info->color, expectation_color(result->expectation), result->name);
    format_interval(rate, result->failed_runs, result->judged, result->interval);
    text_printf(p->out, "\n    %s · %s of %s runs (%s) · first run: %s\n",
                cat_expectation_name(result->expectation), text_count(failed, result->failed_runs),
                text_count(runs, result->runs), rate, result->first_run_failed ? "yes" : "no");
    text_puts(p->out, "    ");
    format_outcomes(p->out, result);
    if (result->failure_count > 0) {
        const struct eng_failure *first = &result->failures[0];
        text_printf(p->out, " · first in run %s", text_count(number, first->at.run + 1));
        text_printf(p->out, ", instance %s", text_count(number, first->at.instance));
        if (first->where[0])
            text_printf(p->out, ": %s", first->where);
    }
    print_conditions(p, result);
    if (result->result != ENG_FAIL)
        text_printf(p->out, "\n    then %s%s%s", eng_result_name(result->result),
                    result->reason[0] ? ": " : "", result->reason);
    text_puts(p->out, "\n");
    print_evidence(p, result);
    text_puts(p->out, "    again: ");
    format_again(p->out, p->model, result);
    text_puts(p->out, "\n");
}

static void print_failures(const struct printer *p)
{
    size_t *indexes;
    size_t count = report_select(p->model, p->device, report_failed, &indexes);
    size_t most = p->info->verbosity > 0 || count <= MOST_FAILURES ? count : MOST_FAILURES;
    if (count > 0)
        text_puts(p->out, "\n  what failed\n");
    for (size_t i = 0; i < most; i++)
        print_failure(p, &p->model->results[indexes[i]]);
    if (most < count) {
        char number[32];
        text_printf(p->out, "  and %s more: litmus report\n", text_count(number, count - most));
    }
    free(indexes);
}

static bool unfinished_only(const struct report_result *result)
{
    return report_unfinished(result) && !report_failed(result);
}

static void print_unfinished(const struct printer *p)
{
    size_t *indexes;
    size_t count = report_select(p->model, p->device, unfinished_only, &indexes);
    size_t most = p->info->verbosity > 0 || count <= MOST_FAILURES ? count : MOST_FAILURES;
    char number[32], runs[32];
    if (count > 0)
        text_puts(p->out, "\n  what did not finish\n");
    for (size_t i = 0; i < most; i++) {
        const struct report_result *result = &p->model->results[indexes[i]];
        text_printf(p->out, "  %s\n    %s · ", result->name,
                    cat_expectation_name(result->expectation));
        format_color(p->out, p->info->color, FORMAT_YELLOW, eng_result_name(result->result));
        if (result->no_progress_runs > 0)
            text_printf(p->out, " in %s of %s runs", text_count(number, result->no_progress_runs),
                        text_count(runs, result->runs));
        else if (result->runs > 0)
            text_printf(p->out, " after %s runs", text_count(runs, result->runs));
        else
            text_puts(p->out, " before the first result");
        text_printf(p->out, "%s%s\n", result->reason[0] ? ": " : "", result->reason);
        print_evidence(p, result);
        text_puts(p->out, "    again: ");
        format_again(p->out, p->model, result);
        text_puts(p->out, "\n");
    }
    if (most < count)
        text_printf(p->out, "  and %s more: litmus report\n", text_count(number, count - most));
    free(indexes);
}

static void print_skips(const struct printer *p)
{
    struct report_skip *skips;
    size_t count = report_skips(p->model, p->device, &skips);
    struct format_table table = {.columns = 2, .right = {true, false}};
    uint64_t more = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= MOST_SKIPS && p->info->verbosity <= 0) {
            more += skips[i].count;
            continue;
        }
        struct format_row *row = format_row(&table);
        count_cell(row, 0, FORMAT_PLAIN, skips[i].count);
        format_cell(row, 1, FORMAT_PLAIN, skips[i].reason);
    }
    if (more > 0) {
        struct format_row *row = format_row(&table);
        count_cell(row, 0, FORMAT_PLAIN, more);
        format_cell(row, 1, FORMAT_PLAIN, "other reasons");
    }
    if (count > 0)
        text_puts(p->out, "\n  skipped\n");
    format_table_print(&table, NAME_WIDTH, p->info->color, p->out);
    free(skips);
}

static enum format_color result_color(const struct report_result *result)
{
    if (report_failed(result))
        return expectation_color(result->expectation);
    return report_unfinished(result) ? FORMAT_YELLOW : FORMAT_PLAIN;
}

static void print_every(const struct printer *p)
{
    struct format_table table = {.columns = 5, .right = {[1] = true, [2] = true}};
    const char *const words[] = {"result", "runs", "failed", "expectation", "configuration"};
    format_title(&table, words);
    for (size_t i = 0; i < p->model->result_count; i++) {
        const struct report_result *result = &p->model->results[i];
        if (result->device != p->device)
            continue;
        bool seen = report_control_seen(result);
        struct format_row *row = format_row(&table);
        format_cell(row, 0, result_color(result), seen ? "seen" : eng_result_name(result->result));
        count_cell(row, 1, FORMAT_PLAIN, result->runs);
        count_cell(row, 2, FORMAT_PLAIN, result->failed_runs);
        format_cell(row, 3, FORMAT_PLAIN, cat_expectation_name(result->expectation));
        format_cell(row, 4, FORMAT_PLAIN, result->name);
    }
    text_puts(p->out, "\n");
    format_table_print(&table, NAME_WIDTH, p->info->color, p->out);
}

void report_make_ascii(struct text *text)
{
    size_t to = 0;
    for (size_t from = 0; from < text->length; from++) {
        unsigned char byte = (unsigned char)text->data[from];
        if (byte < 0x80) {
            text->data[to++] = (char)byte;
        } else if ((byte & 0xc0) == 0xc0) {
            bool dot = byte == 0xc2 && (unsigned char)text->data[from + 1] == 0xb7;
            text->data[to++] = dot ? '-' : '?';
        }
    }
    text->length = to;
    if (text->data)
        text->data[to] = '\0';
}

void report_tables(const struct report_model *model, const struct report_terminal_info *info,
                   struct text *out)
{
    struct text made = {0};
    struct printer p = {.model = model, .info = info, .out = &made};
    char shard[64];
    report_shard(shard, &model->session);
    for (p.device = 0; p.device < model->device_count; p.device++) {
        if (p.device > 0 && info->verbosity >= 0)
            text_puts(&made, "\n\n");
        if (model->device_count > 1)
            print_device(&p);
        if (info->verbosity > 0)
            print_every(&p);
        if (info->verbosity >= 0) {
            if (shard[0])
                text_printf(&made, "\n  only %s\n", shard);
            print_stress(&p);
            print_headlines(&p);
            print_families(&p);
            print_rules(&p);
            print_matrix(&p);
            report_fingerprints_terminal(model, p.device, info->color, &made);
            report_progress_terminal(model, p.device, info->color, &made);
        }
        print_failures(&p);
        print_unfinished(&p);
        if (info->verbosity >= 0)
            print_skips(&p);
    }
    if (made.length > 0) {
        text_puts(&made, "\n");
        if (!info->utf8)
            report_make_ascii(&made);
        text_append(out, made.data, made.length);
    }
    text_free(&made);
}

bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    if (good)
        report_tables(&model, info, out);
    report_model_clear(&model);
    return good;
}

void report_text(const struct report_model *model, struct text *out)
{
    const struct report_terminal_info info = {.utf8 = true, .verbosity = 1};
    report_tables(model, &info, out);
}
