// SPDX-License-Identifier: Apache-2.0
// Sums the results of sync-matrix by operation and kind of synchronisation.
#include "report/sections.h"

#include "report/format.h"

#define FAMILY      "sync-matrix"
#define LABEL_WIDTH 98 // characters for the operations on one line

static const char *const columns[MATRIX_COLUMNS] = {"none", "memory", "control", "workgroup",
                                                    "maximal"};

const char *report_matrix_column_name(size_t column)
{
    return column < MATRIX_COLUMNS ? columns[column] : "?";
}

const char *report_matrix_state_name(enum report_matrix_state state)
{
    static const char *const names[] = {"not-run", "skip", "undecided", "never", "seen"};
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "?";
}

// MATRIX_COLUMNS if it has no column: failures under pressure, or in workgroups of some shape, say
// nothing about barriers.
static size_t column_of(const struct result *result)
{
    const char *reconvergence = report_value(result, "reconvergence");
    const char *pressure = report_value(result, "pressure");
    size_t column = 0;
    if ((*pressure && strcmp(pressure, "none") != 0) || *report_value(result, "shape"))
        return MATRIX_COLUMNS;
    while (column < MATRIX_MAXIMAL && strcmp(report_value(result, "sync"), columns[column]) != 0)
        column++;
    if (column == MATRIX_MAXIMAL)
        return MATRIX_COLUMNS;
    if (!*reconvergence || !strcmp(reconvergence, "default"))
        return column;
    return column == MATRIX_NONE && !strcmp(reconvergence, "maximal") ? MATRIX_MAXIMAL
                                                                      : MATRIX_COLUMNS;
}

static int compare_rows(const void *left, const void *right)
{
    const struct report_matrix_row *a = left, *b = right;
    int order = strcmp(a->test, b->test);
    if (order == 0)
        order = strcmp(a->op, b->op);
    return order ? order : strcmp(a->scan, b->scan);
}

static void add_cell(struct report_matrix_cell *to, const struct report_matrix_cell *from)
{
    if (from->state > to->state) {
        to->state = from->state;
        to->reason = from->reason;
    }
    to->configurations += from->configurations;
    to->runs += from->runs;
    to->failed_runs += from->failed_runs;
    to->judged += from->judged;
    if (from->rule[0])
        to->rule = from->rule;
}

static struct report_matrix_cell cell_of(const struct result *result)
{
    struct report_matrix_cell cell = {
        .state = result->failed_runs > 0      ? MATRIX_SEEN
                 : result->judged > 0         ? MATRIX_NEVER
                 : result->result == ENG_SKIP ? MATRIX_SKIPPED
                                              : MATRIX_UNDECIDED,
        .configurations = 1,
        .runs = result->runs,
        .failed_runs = result->failed_runs,
        .judged = result->judged,
        .reason = "",
        .rule = result->rule,
    };
    if (cell.state == MATRIX_SKIPPED)
        cell.reason = result->reason;
    else if (cell.state == MATRIX_UNDECIDED)
        cell.reason = eng_result_name(result->result);
    return cell;
}

// The row of a result, mostly the last one; adds it if there is none.
static struct report_matrix_row *row_of(struct report_matrix *matrix, const struct result *result)
{
    struct report_matrix_row row = {
        .test = result->test + strlen(FAMILY),
        .op = report_value(result, "op"),
        .scan = report_value(result, "scan"),
    };
    row.test += *row.test == '.';
    for (size_t i = matrix->count; i-- > 0;)
        if (compare_rows(&matrix->rows[i], &row) == 0)
            return &matrix->rows[i];
    for (size_t c = 0; c < MATRIX_COLUMNS; c++)
        row.cells[c] = (struct report_matrix_cell){.reason = "", .rule = ""};
    LIT_ADD(matrix->rows, matrix->count) = row;
    return &matrix->rows[matrix->count - 1];
}

void report_matrix_make(const struct report_model *model, size_t device,
                        struct report_matrix *matrix)
{
    *matrix = (struct report_matrix){.under = report_under(model, device, FAMILY)};
    REPORT_EACH (result, model, device) {
        const size_t column = column_of(result);
        if (strcmp(result->family, FAMILY) != 0 || column == MATRIX_COLUMNS ||
            !report_is_under(result, &matrix->under))
            continue;
        const struct report_matrix_cell cell = cell_of(result);
        add_cell(&row_of(matrix, result)->cells[column], &cell);
        matrix->used[column] = true;
    }
    if (matrix->count > 0)
        qsort(matrix->rows, matrix->count, sizeof *matrix->rows, compare_rows);
    for (size_t i = 0; i < matrix->count; i++)
        for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
            struct report_matrix_cell *cell = &matrix->rows[i].cells[c];
            cell->interval = report_interval(cell->failed_runs, cell->judged, cell->rule);
        }
}

void report_matrix_clear(struct report_matrix *matrix)
{
    free(matrix->rows);
    *matrix = (struct report_matrix){0};
}

void report_matrix_cell_text(char target[96], const struct report_matrix_cell *cell)
{
    if (cell->state == MATRIX_NEVER)
        snprintf(target, 96, "never %s", INTERVAL(cell));
    else
        snprintf(target, 96, "%s",
                 cell->state == MATRIX_SEEN      ? INTERVAL(cell)
                 : cell->state == MATRIX_NOT_RUN ? "-"
                                                 : report_matrix_state_name(cell->state));
}

// ---- lines

// Compares what two rows of one test say; 0 if they say the same.
static int compare_cells(const struct report_matrix_row *a, const struct report_matrix_row *b)
{
    for (size_t c = 0; c < MATRIX_COLUMNS; c++) {
        const struct report_matrix_cell *left = &a->cells[c], *right = &b->cells[c];
        if (left->state != right->state)
            return left->state > right->state ? -1 : 1;
        if (left->failed_runs != right->failed_runs)
            return left->failed_runs > right->failed_runs ? -1 : 1;
        if (left->judged != right->judged)
            return left->judged > right->judged ? -1 : 1;
        if (!left->rule[0] != !right->rule[0])
            return left->rule[0] ? -1 : 1;
    }
    return 0;
}

static int compare_folded(const void *left, const void *right)
{
    const struct report_matrix_row *a = left, *b = right;
    int order = strcmp(a->test, b->test);
    if (order == 0)
        order = compare_cells(a, b);
    return order ? order : compare_rows(a, b);
}

void report_matrix_fold(struct report_matrix *matrix)
{
    if (matrix->count > 0)
        qsort(matrix->rows, matrix->count, sizeof(*matrix->rows), compare_folded);
}

size_t report_matrix_alike(const struct report_matrix *matrix, size_t row)
{
    size_t end = row + 1;
    while (end < matrix->count && !strcmp(matrix->rows[end].test, matrix->rows[row].test) &&
           !compare_cells(&matrix->rows[end], &matrix->rows[row]))
        end++;
    return end - row;
}

void report_matrix_label(struct text *out, const struct report_matrix *matrix, size_t row,
                         size_t count, size_t width)
{
    const char *test = matrix->rows[row].test;
    size_t of_test = 0;
    for (size_t i = 0; i < matrix->count; i++)
        of_test += !strcmp(matrix->rows[i].test, test);
    text_puts(out, test);
    if (count == of_test && count > 1) {
        text_printf(out, ", all %zu", count);
        return;
    }
    OWNED(text_free) struct text names = {0};
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t before = names.length;
        text_puts(&names, i ? ", " : ": ");
        const struct report_matrix_row *its = &matrix->rows[row + i];
        text_printf(&names, "%s%s%s", its->op, *its->scan ? " " : "", its->scan);
        const size_t rest = i + 1 < count ? strlen(" and 10000 more") : 0;
        if (i > 0 && table_text_width(test) + table_text_width(names.data) + rest > width) {
            names.length = before;
            names.data[before] = '\0';
            break;
        }
        shown++;
    }
    text_puts(out, names.data);
    if (shown < count)
        text_printf(out, " and %zu more", count - shown);
}

// ---- the conclusion

// Some rows' cells in one column, together.
struct group {
    size_t rows;
    uint64_t least; // the fewest judged runs in a cell
    double most;    // the highest upper bound
};

static void group_add(struct group *group, const struct report_matrix_cell *cell)
{
    if (group->rows == 0 || cell->judged < group->least)
        group->least = cell->judged;
    if (cell->interval.high > group->most)
        group->most = cell->interval.high;
    group->rows++;
}

// "in 1,000 runs or more each (each rate by itself is below 3.7e-3, 95 %)"
static void say_bound(struct text *out, const struct group *group)
{
    text_printf(out, "in %s runs or more each (each rate by itself is below %s, 95 %%)",
                COUNT(group->least), RATE(group->most, 1));
}

void report_matrix_conclude(struct text *out, const struct report_matrix *matrix)
{
    struct group never = {0}, cured = {0};
    size_t seen = 0, still = 0, unknown = 0, with_barrier = 0;
    for (size_t i = 0; i < matrix->count; i++) {
        const struct report_matrix_cell *none = &matrix->rows[i].cells[MATRIX_NONE];
        const struct report_matrix_cell *control = &matrix->rows[i].cells[MATRIX_CONTROL];
        with_barrier += control->state == MATRIX_SEEN;
        if (none->state == MATRIX_NEVER)
            group_add(&never, none);
        if (none->state != MATRIX_SEEN)
            continue;
        seen++;
        if (control->state == MATRIX_NEVER)
            group_add(&cured, control);
        else if (control->state == MATRIX_SEEN)
            still++;
        else
            unknown++;
    }
    const size_t asked = seen + never.rows;
    if (asked == 0) {
        text_puts(out, "No operation ran without a barrier");
    } else if (seen == 0) {
        text_printf(out, "Without a barrier none of the %zu operations that ran failed ", asked);
        say_bound(out, &never);
        text_puts(out, ": this is a bound, not a proof");
    } else {
        text_printf(out, "Without a barrier %zu of %zu operations failed", seen, asked);
        if (cured.rows > 0) {
            text_puts(out, "; with a control barrier ");
            if (cured.rows == seen)
                text_puts(out, seen == 1 ? "it did not " : "none of these did ");
            else
                text_printf(out, "%zu of these did not ", cured.rows);
            say_bound(out, &cured);
        }
        if (unknown > 0)
            text_printf(out, "; %zu of these %s no result with one", unknown,
                        unknown == 1 ? "has" : "have");
    }
    if (with_barrier > 0)
        text_printf(out, "; %zu failed with a control barrier%s", with_barrier,
                    still == with_barrier ? " too" : "");
    text_puts(out, ".");
}

// ---- the table

static void put_cell(struct table *table, const struct report_matrix_cell *cell)
{
    static const struct {
        enum tone tone;
        const char *class;
    } looks[] = {
        [MATRIX_NOT_RUN] = {TONE_PLAIN, "cell not-run"},
        [MATRIX_SKIPPED] = {TONE_PLAIN, "cell skip"},
        [MATRIX_UNDECIDED] = {TONE_WARN, "cell undecided"},
        [MATRIX_NEVER] = {TONE_GOOD, "cell never"},
        [MATRIX_SEEN] = {TONE_BAD, "cell seen"},
    };
    char text[96];
    report_matrix_cell_text(text, cell);
    table_put(table, looks[cell->state].tone, "%s", text)->class = looks[cell->state].class;
}

void report_barriers(const struct report_model *model, size_t device, bool all, struct table *table)
{
    static const struct table_column heads[] = {COL("operation"),
                                                COL("none", .without = TABLE_UNLESS_USED),
                                                COL("memory", .without = TABLE_UNLESS_USED),
                                                COL("control", .without = TABLE_UNLESS_USED),
                                                COL("workgroup", .without = TABLE_UNLESS_USED),
                                                COL("maximal", .without = TABLE_UNLESS_USED)};
    static const struct table shapes[] = {
        {.title = "Which operations need a barrier",
         .about = "What stands between an operation and that of the iteration before.",
         TABLE_OF(heads)},
        {.title = "Every operation with every barrier",
         .about = "One line for each operation.",
         TABLE_OF(heads)}};
    OWNED(report_matrix_clear) struct report_matrix matrix;
    table_begin(table, &shapes[all], device);
    report_matrix_make(model, device, &matrix);
    if (!all)
        report_matrix_fold(&matrix);
    for (size_t i = 0, count; i < matrix.count; i += count) {
        OWNED(text_free) struct text label = {0};
        count = all ? 1 : report_matrix_alike(&matrix, i);
        report_matrix_label(&label, &matrix, i, count, LABEL_WIDTH);
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", label.data);
        for (size_t c = 0; c < MATRIX_COLUMNS; c++)
            if (matrix.used[c])
                put_cell(table, &matrix.rows[i].cells[c]);
            else
                table_put(table, TONE_PLAIN, "%s", "");
    }
    if (matrix.count > 0) {
        OWNED(text_free) struct text conclusion = {0};
        report_matrix_conclude(&conclusion, &matrix);
        table_note(table, "%s", conclusion.data);
        report_under_note(&matrix.under, table);
    }
}

void report_barriers_narrow(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        for (size_t c = 1; c < table->rows[i].count; c++) {
            char *text = table->rows[i].cells[c].text, *bracket = strchr(text, '[');
            if (bracket)
                memmove(text, bracket, strlen(bracket) + 1);
        }
}
