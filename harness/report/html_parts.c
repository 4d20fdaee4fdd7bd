// SPDX-License-Identifier: Apache-2.0
// Writes HTML and JSON that no string of a store can break out of; rates with their intervals on a
// logarithmic axis, as inline SVG, where classes carry the style, for the page's policy forbids
// style attributes; and tables.
#include "report/html.h"

#include <math.h>
#include <stdarg.h>

#define LONG_WORD 32 // bytes that must fit into a line

void html_escape(struct text *out, const char *string)
{
    static const char special[] = "&<>\"'`";
    while (*string) {
        size_t plain = 0;
        while (string[plain] && !strchr(special, string[plain]) &&
               ((unsigned char)string[plain] >= 0x20 && string[plain] != 0x7f))
            plain++;
        text_append(out, string, plain);
        string += plain;
        if (!*string)
            return;
        if (strchr(special, *string))
            text_printf(out, "&#%d;", *string);
        else
            text_puts(out, *string == '\n' ? "\n" : "?");
        string++;
    }
}

void html_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(out, html_escape, format, &arguments);
    va_end(arguments);
}

void html_json(struct text *out, json_t *json)
{
    OWNED(lit_free)
    char *dumped = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
                                        JSON_REAL_PRECISION(6));
    for (const char *at = dumped ? dumped : "null"; *at;) {
        // These occur only inside strings.
        const size_t plain = strcspn(at, "<>&");
        text_append(out, at, plain);
        at += plain;
        if (*at)
            text_printf(out, "\\u%04x", *at++);
    }
    json_decref(json);
}

void html_name(struct text *out, const char *name)
{
    while (*name) {
        size_t length = strcspn(name, ",/@ ");
        OWNED(text_free) struct text piece = {0};
        if (length > LONG_WORD)
            for (length = LONG_WORD; ((unsigned char)name[length] & 0xc0) == 0x80;)
                length--;
        else
            length += name[length] != '\0';
        text_append(&piece, name, length);
        html_printf(out, "%s", piece.data);
        name += length;
        const bool breaks = *name && *name != ' ' && name[-1] != ' ' &&
                            !(name[-1] == ',' && *name >= '0' && *name <= '9'); // 2,000
        text_puts(out, breaks ? "<wbr>" : "");
    }
}

// Appends the characters of a name that a file name may have. Returns whether it kept all.
static bool put_slug(struct text *out, const char *name)
{
    enum { MOST = 80 };
    bool same = true, dot = true, dash = true; // dot, dash: at the start, or after one
    size_t length = 0;
    for (; *name && length < MOST; name++) {
        char c = *name;
        const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        else if (!lower && (c != '.' || dot))
            c = '-';
        same = same && c == *name;
        if (c == '-' && dash) {
            same = false;
            continue;
        }
        dot = dash = c == '.' || c == '-';
        text_append(out, &c, 1);
        length++;
    }
    return same && length > 0 && !*name && !dot;
}

void html_slug(struct text *out, const char *name)
{
    if (put_slug(out, name))
        return;
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    text_printf(out, "-%s", id);
}

void html_device_slug(struct text *out, const struct dev_facts *facts)
{
    OWNED(text_free) struct text name = {0};
    char id[CFG_ID_SIZE];
    text_printf(&name, "%s-%s", facts->name, facts->driver_version);
    put_slug(out, name.data);
    text_printf(&name, "\n%s\n%s", facts->driver_name, facts->driver_info);
    cfg_id(name.data, id);
    text_printf(out, "-%s", id);
}

static char *address_of(const char *up, const char *folder, const char *name)
{
    struct text out = text_format("%s%s/", up, folder);
    html_slug(&out, name);
    text_puts(&out, ".html");
    return out.data;
}

char *html_test_address(const char *up, const char *test)
{
    return address_of(up, "test", test);
}

char *html_device_address(const char *up, const struct dev_facts *facts)
{
    struct text out = text_format("%sdevice/", up);
    html_device_slug(&out, facts);
    text_puts(&out, ".html");
    return out.data;
}

char *html_finding_address(const char *up, const char *finding)
{
    return address_of(up, "finding", finding);
}

void html_fact(struct text *out, const char *name, const char *value)
{
    if (value[0])
        html_printf(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

void html_copied(struct text *out, const char *name, const char *value)
{
    html_printf(out, "<dt>%s</dt><dd><code class=\"copy\">", name);
    html_name(out, value);
    text_puts(out, "</code></dd>\n");
}

void html_chip(struct text *out, const char *kind, const char *word)
{
    html_printf(out, "<span class=\"chip %s\">%s</span>", kind, word);
}

const char *html_kind(const struct result *result)
{
    if (report_control_triggered(result))
        return "seen";
    if (report_failed(result))
        return cat_expectation_name(result->expectation);
    return eng_result_name(result->result);
}

void html_device_name(struct text *out, const struct eng_device *device)
{
    text_printf(out, "%s, %s", device->facts.name, device->facts.driver_version);
}

void html_device(struct text *out, const struct html *html, size_t device)
{
    if (html->model->device_count < 2)
        return;
    OWNED(text_free) struct text name = {0};
    html_device_name(&name, &html->model->devices[device]);
    if (html->up) {
        OWNED(lit_free)
        char *address = html_device_address(html->up, &html->model->devices[device].facts);
        html_printf(out, "<a class=\"device\" href=\"%s\" title=\"%s\">%u</a> ", address, name.data,
                    html->model->devices[device].number);
        return;
    }
    html_printf(out, "<abbr class=\"device\" title=\"%s\">%u</abbr> ", name.data,
                html->model->devices[device].number);
}

void html_device_heading(const struct html *html, size_t device, struct text *out)
{
    OWNED(text_free) struct text name = {0};
    html_device_name(&name, &html->model->devices[device]);
    text_puts(out, "<h3>");
    html_device(out, html, device);
    html_printf(out, "%s</h3>\n", name.data);
}

// ---- plots

#define WIDTH  320
#define HEIGHT 16
#define LEFT   8
#define RIGHT  312
#define MIDDLE (HEIGHT / 2)

#define LEAST_SHARE 0.015 // of a bar: keeps one failure among thousands visible

int html_decades(const struct report_model *model)
{
    double least = 1;
    REPORT_EACH (result, model, REPORT_ALL) {
        const double end = result->failed_runs ? result->interval.low : result->interval.high;
        if (result->judged > 0 && end > 0 && end < least)
            least = end;
    }
    const int decades = (int)ceil(-log10(least) - 1e-9);
    return decades < 2 ? 2 : decades > 9 ? 9 : decades;
}

double html_x(int decades, double rate)
{
    const double place = rate > 0 ? 1 + log10(rate) / decades : 0;
    return LEFT + (RIGHT - LEFT) * (place < 0 ? 0 : place > 1 ? 1 : place);
}

static void open_svg(struct text *out, const char *kind, int height)
{
    html_printf(out,
                "<svg class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "aria-hidden=\"true\">",
                kind, WIDTH, height, WIDTH, height);
}

// A line for each decade.
static void put_grid(struct text *out, int decades)
{
    text_puts(out, "<path class=\"grid\" d=\"");
    for (int d = 0; d <= decades; d++)
        text_printf(out, "M%.1f 0v%d", html_x(decades, pow(10, -d)), HEIGHT);
    text_puts(out, "\"/>");
}

void html_axis(struct text *out, int decades)
{
    open_svg(out, "axis", 20);
    for (int d = 0; d <= decades; d++) {
        if (decades > 6 && d % 2 != decades % 2) // no room for all
            continue;
        const char *anchor = d == 0 ? "end" : d == decades ? "start" : "middle";
        const double x = d == 0         ? RIGHT + 4
                         : d == decades ? LEFT - 6
                                        : html_x(decades, pow(10, -d));
        if (d < 3)
            text_printf(out, "<text x=\"%.1f\" y=\"14\" text-anchor=\"%s\">%s</text>", x, anchor,
                        d == 0   ? "1"
                        : d == 1 ? "0.1"
                                 : "0.01");
        else
            text_printf(out,
                        "<text x=\"%.1f\" y=\"14\" text-anchor=\"%s\">10<tspan dy=\"-4\" "
                        "class=\"power\">\xe2\x88\x92%d</tspan></text>",
                        x, anchor, d);
    }
    text_puts(out, "</svg>");
}

// Each expectation has a shape, so that colour is not the only sign.
static void put_dot(struct text *out, int expectation, double x)
{
    static const char *const shapes[] = {
        [CAT_FORBIDDEN] = "l5-5 5 5-5 5z",                 // a diamond
        [CAT_CONTESTED] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z", // a disk
        [CAT_ASSUMED] = "v-4h8v8h-8z",                     // a square
        [CAT_CONTROL] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z",   // a ring
        [HTML_PLAIN] = "a4 4 0 1 1 8 0a4 4 0 1 1-8 0z",
    };
    const int half = expectation == CAT_FORBIDDEN ? 5 : 4;
    text_printf(out, "<path class=\"dot e%d\" d=\"M%.1f %d%s\"/>", expectation, x - half, MIDDLE,
                shapes[expectation]);
}

static void put_rate(struct text *out, int decades, const struct html_rate *rate)
{
    if (rate->judged == 0)
        return;
    const double low = html_x(decades, rate->interval.low);
    const double high = html_x(decades, rate->interval.high);
    if (rate->failed == 0) {
        // One-sided: from the bound to the axis's end; an arrow there says that it goes on to zero.
        text_printf(out,
                    "<path class=\"bound\" d=\"M%.1f %dH%d\"/>"
                    "<path class=\"bound cap\" d=\"M%d %dl-4 4 4 4M%.1f %dv8\"/>",
                    high, MIDDLE, LEFT - 4, LEFT, MIDDLE - 4, high, MIDDLE - 4);
        return;
    }
    text_printf(out, "<path class=\"interval e%d\" d=\"M%.1f %dH%.1f\"/>", rate->expectation, low,
                MIDDLE, high);
    put_dot(out, rate->expectation, html_x(decades, (double)rate->failed / (double)rate->judged));
}

void html_plot(struct text *out, int decades, const struct html_rate *rates, size_t count)
{
    open_svg(out, "plot", HEIGHT);
    put_grid(out, decades);
    for (size_t i = 0; i < count; i++)
        put_rate(out, decades, &rates[i]);
    text_puts(out, "</svg>");
}

static void open_bar(struct text *out)
{
    text_puts(out, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                   "aria-hidden=\"true\">");
}

static void put_part(struct text *out, const char *kind, double x, double width)
{
    html_printf(out, "<rect class=\"%s\" x=\"%.2f\" width=\"%.2f\" height=\"10\"/>", kind, x,
                width);
}

void html_bar(struct text *out, const uint64_t *shares, const char *const *kinds, size_t count)
{
    uint64_t whole = 0;
    double x = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        whole += shares[i];
    for (size_t i = 0; i < count; i++)
        sum += shares[i] ? fmax(LEAST_SHARE, (double)shares[i] / (double)whole) : 0;
    open_bar(out);
    for (size_t i = 0; i < count; i++) {
        if (shares[i] == 0)
            continue;
        const double width = 100 / sum * fmax(LEAST_SHARE, (double)shares[i] / (double)whole);
        put_part(out, kinds[i], x, width);
        x += width;
    }
    text_puts(out, "</svg>");
}

void html_log_bar(struct text *out, uint64_t part, uint64_t whole, const char *kind)
{
    const double unit = 100 / log10((double)whole + 1); // width of a decade
    open_bar(out);
    if (part > 0)
        put_part(out, kind, 0, unit * log10((double)(part < whole ? part : whole) + 1));
    text_puts(out, "<path class=\"decades\" d=\"");
    for (double d = 1; whole > 0 && unit * d < 100; d++)
        text_printf(out, "M%.1f 0v10", unit * d);
    text_puts(out, "\"/></svg>");
}

// ---- the order of runs

#define TALL 36

static uint64_t judged_of(const struct eng_part *batch)
{
    return batch->runs - batch->no_progress_runs;
}

static double batch_rate(const struct eng_part *batch)
{
    return batch->failed_runs ? (double)batch->failed_runs / (double)judged_of(batch) : 0;
}

void html_batches(struct text *out, const struct result *result)
{
    const struct eng_part *batch = result->pieces, *end = batch + result->piece_count,
                          *most = batch;
    uint64_t run = result->first;
    double x = LEFT;
    for (; batch < end; batch++)
        most = batch_rate(batch) > batch_rate(most) ? batch : most;
    html_printf(out,
                "<svg class=\"batches\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-label=\"failed runs of each batch\">",
                WIDTH, TALL, WIDTH, TALL);
    for (batch = result->pieces; batch < end; batch++) {
        const double width = (RIGHT - LEFT) * (double)batch->runs / (double)result->runs;
        const double height = (TALL - 2) * batch_rate(batch) / batch_rate(most);
        html_printf(out,
                    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>runs %s to "
                    "%s: %s of %s failed</title></rect>",
                    x, TALL - 1 - height, fmax(width - 1, width / 2), height, COUNT(run + 1),
                    COUNT(run + batch->runs), COUNT(batch->failed_runs), COUNT(judged_of(batch)));
        x += width;
        run += batch->runs;
    }
    html_printf(
        out,
        "<path class=\"grid\" d=\"M%d %dH%d\"/></svg>%zu batches in the order of their runs; "
        "in the highest %s of %s runs failed",
        LEFT, TALL - 1, RIGHT, result->piece_count, COUNT(most->failed_runs),
        COUNT(judged_of(most)));
}

// ---- tables

static void put_heading(struct text *out, const char *title, enum table_kind kind, const char *part)
{
    text_puts(out, kind == TABLE_NUMBER ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
    if (part)
        html_printf(out, "<span class=\"key %s\">%s</span></th>", part, title);
    else
        html_printf(out, "%s</th>", title);
}

static bool has_parts(const struct table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].part)
            return true;
    return false;
}

static bool says_device(const struct html *html, const struct table *table)
{
    return table->gathered && html->model->device_count > 1;
}

static void put_headings(const struct html *html, const struct table *table, struct text *out)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_HTML))
            continue;
        if (column->kind == TABLE_RATE) {
            text_puts(out, "<th scope=\"col\" class=\"plots\" aria-label=\"plot\">");
            html_axis(out, html->decades);
            text_puts(out, "</th>");
        }
        put_heading(out, column->title, column->kind, column->part);
        if (c == 0 && says_device(html, table))
            put_heading(out, "device", TABLE_TEXT, NULL);
        if (c == 0 && has_parts(table))
            put_heading(out, "share", TABLE_TEXT, NULL);
    }
}

// A bar of a row's counts, as parts of their sum.
static void put_parts(const struct table *table, const struct table_row *row, struct text *out)
{
    uint64_t shares[REPORT_COUNTED];
    const char *kinds[REPORT_COUNTED];
    size_t count = 0;
    for (size_t c = 0; c < row->count && count < REPORT_COUNTED; c++)
        if (table->columns[c].part) {
            shares[count] = row->cells[c].count;
            kinds[count++] = table->columns[c].part;
        }
    text_puts(out, "<td class=\"share\">");
    html_bar(out, shares, kinds, count);
    text_puts(out, "</td>");
}

static void put_text(const struct html *html, const struct table_row *row,
                     const struct table_column *column, const struct table_cell *cell,
                     struct text *out)
{
    const bool leads = cell->family && !html->up && cell->text[0] && strcmp(cell->text, "0") != 0;
    if (leads) {
        html_printf(out, "<a href=\"#results\" data-family=\"%s\" data-device=\"%u\"", cell->family,
                    html->model->devices[row->device].number);
        if (cell->counted)
            html_printf(out, " data-result=\"counted-%s\"", cell->counted);
        text_puts(out, ">");
    }
    if (cell->link)
        html_printf(out, "<a href=\"%s\">", cell->link);
    if (cell->failure)
        html_printf(out, "<a href=\"#failed-%zu\">", cell->failure - 1);
    if (column->kind == TABLE_CHIP)
        html_chip(out, cell->class ? cell->class : "plain", cell->text);
    else if (column->kind == TABLE_TEXT || column->kind == TABLE_CODE)
        html_name(out, cell->text);
    else
        html_printf(out, "%s", cell->text);
    text_puts(out, leads || cell->failure || cell->link ? "</a>" : "");
}

static void put_cell(const struct html *html, const struct table_row *row,
                     const struct table_column *column, const struct table_cell *cell,
                     bool labelled, struct text *out)
{
    static const char *const classes[] = {[TABLE_NUMBER] = "n",
                                          [TABLE_CODE] = "config",
                                          [TABLE_RATE] = "rate",
                                          [TABLE_SHARE] = "share",
                                          [TABLE_LOG] = "share"};
    const char *class = cell->class;
    if (column->kind != TABLE_TEXT)
        class = column->kind == TABLE_CHIP ? NULL : classes[column->kind];
    if (column->kind == TABLE_RATE) {
        const struct html_rate rate = {cell->count, cell->all, cell->interval, cell->group};
        text_puts(out, "<td class=\"plots\">");
        html_plot(out, html->decades, &rate, 1);
        text_puts(out, "</td>");
    }
    text_puts(out, "<td");
    if (class)
        html_printf(out, " class=\"%s%s\"", class,
                    column->kind == TABLE_NUMBER && !strcmp(cell->text, "0") ? " none" : "");
    if (labelled && (column->kind == TABLE_NUMBER || column->kind == TABLE_CODE))
        html_printf(out, " data-of=\"%s\"", column->title);
    text_puts(out, ">");
    if (column->kind == TABLE_SHARE) {
        const char *const kinds[] = {cell->class ? cell->class : "pass", "rest"};
        html_bar(out, (const uint64_t[]){cell->count, cell->all - cell->count}, kinds, 2);
    } else if (column->kind == TABLE_LOG) {
        html_log_bar(out, cell->count, cell->all, cell->class ? cell->class : "pass");
    }
    put_text(html, row, column, cell, out);
    text_puts(out, "</td>");
}

static void put_row(const struct html *html, const struct table *table, size_t index,
                    struct text *out)
{
    const struct table_row *row = &table->rows[index];
    size_t span = 1;
    while (index + span < table->count && table->rows[index + span].more)
        span++;
    text_puts(out, "<tr>");
    for (size_t c = 0; c < row->count; c++) {
        const struct table_column *column = &table->columns[c];
        if (!table_has(table, c, TABLE_NOT_HTML))
            continue;
        if (c == 0 && column->kind != TABLE_NUMBER && !row->more) {
            html_printf(out, "<th scope=\"row\" rowspan=\"%zu\"", span);
            text_puts(out, column->kind == TABLE_CODE ? " class=\"config\">" : ">");
            put_text(html, row, column, &row->cells[c], out);
            text_puts(out, "</th>");
        } else if (c > 0 || column->kind == TABLE_NUMBER) {
            put_cell(html, row, column, &row->cells[c],
                     !table->class || strcmp(table->class, HTML_CHUNK), out);
        }
        if (c == 0 && says_device(html, table)) {
            text_puts(out, "<td>");
            html_device(out, html, row->device);
            text_puts(out, "</td>");
        }
        if (c == 0 && has_parts(table))
            put_parts(table, row, out);
    }
    text_puts(out, "</tr>\n");
}

void html_table(const struct html *html, const struct table *table, bool bare, struct text *out)
{
    const char *name = table->title ? table->title : table->about;
    if (table->count == 0)
        return;
    if (!bare)
        html_printf(out, "<div class=\"wide\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">",
                    name);
    html_printf(out, "<table class=\"%s\">\n<caption>%s</caption>\n<thead><tr>",
                table->class ? table->class : "plain", table->about ? table->about : name);
    put_headings(html, table, out);
    text_puts(out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < table->count; i++)
        put_row(html, table, i, out);
    text_puts(out, bare ? "</tbody></table>\n" : "</tbody></table></div>\n");
}

void html_section(const struct html *html, report_section *make, unsigned how, struct text *out)
{
    const size_t devices = html->model->device_count;
    OWNED(table_clear) struct table table = {0};
    OWNED(text_free) struct text notes = {0}, all = {0};
    for (size_t device = 0; device < devices; device++) {
        make(html->model, device, how & HTML_ALL, &table);
        for (size_t i = 0; i < table.note_count && !(how & HTML_NO_NOTES); i++) {
            text_puts(&notes, "<p>");
            if (how & HTML_TOGETHER)
                html_device(&notes, html, device);
            html_printf(&notes, "%s</p>\n", table.notes[i]);
        }
        table_drop_notes(&table);
        if (how & HTML_TOGETHER)
            continue;
        if (devices > 1 && (table.count || notes.length))
            html_device_heading(html, device, &all);
        text_puts(&all, notes.data ? notes.data : "");
        html_table(html, &table, false, &all);
        table_clear(&table);
        text_free(&notes);
    }
    table_gather(&table);
    html_table(html, &table, false, &all);
    text_puts(&all, notes.data ? notes.data : "");
    const bool folds = how & HTML_FOLD && all.length;
    if (folds)
        html_printf(out, "<details class=\"bulk\"><summary>%s: the table</summary>\n", table.title);
    text_puts(out, all.data ? all.data : "");
    text_puts(out, folds ? "</details>\n" : "");
}
