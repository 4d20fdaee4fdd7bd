// SPDX-License-Identifier: Apache-2.0
// Draws the first fault. All numbers are whole pixels.

#include "base/svg.h"
#include "explain/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX  8 // the page is shown as wide as a column of text
#define LABEL_WIDTH  190
#define COLUMN_PITCH 138
#define BOX_WIDTH    118
#define BOX_HEIGHT   40
#define ROW_PITCH    62
#define LETTER       8 // width of a character of the text above the rows, at most

enum look {
    LOOK_CROSS_LANE,
    LOOK_TANGLE,
    LOOK_MEMORY,
    LOOK_BARRIER,
    LOOK_BRANCH,
    LOOK_PLAIN,
    LOOKS
};

static const struct {
    const char *class, *letter, *meaning;
} looks[LOOKS] = {
    [LOOK_CROSS_LANE] = {"exchange", "X", "reads another lane's value"},
    [LOOK_TANGLE] = {"tangle", "G", "group operation"},
    [LOOK_MEMORY] = {"memory", "M", "memory"},
    [LOOK_BARRIER] = {"barrier", "B", "barrier"},
    [LOOK_BRANCH] = {"branch", "?", "branch"},
    [LOOK_PLAIN] = {"plain", "=", "computes"},
};

// picture.css, terminated; made by the build.
extern const char picture_style[];

struct drawing {
    const struct exp_trace *trace;
    const struct exp_fault *fault;
    const struct exp_window *window;
    uint64_t times[COLUMNS_MAX]; // of the columns, rising
    int columns, top;            // top: y of the first row's middle
    struct text *out;
};

// Columns: the times of the steps that are shown. If there are too many, the earliest go, but what
// the fault names stays.

static bool is_special(const struct drawing *d, uint64_t time)
{
    const struct exp_fault *b = d->fault;
    const size_t named[] = {b->step, b->made, b->due, b->stored, b->expected_store};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i] != EXP_NO_STEP && d->trace->steps[named[i]].time == time)
            return true;
    return false;
}

static void drop_column(struct drawing *d)
{
    int at = 0;
    while (at + 1 < d->columns && is_special(d, d->times[at]))
        at++;
    memmove(&d->times[at], &d->times[at + 1], (size_t)(d->columns - at - 1) * sizeof *d->times);
    d->columns--;
}

static void choose_columns(struct drawing *d)
{
    for (size_t i = 0; i < d->window->step_count; i++) {
        const uint64_t time = d->trace->steps[d->window->steps[i].step].time;
        if (d->columns && d->times[d->columns - 1] == time)
            continue;
        if (d->columns == COLUMNS_MAX)
            drop_column(d);
        d->times[d->columns++] = time;
    }
}

static int column_of(const struct drawing *d, size_t step)
{
    for (int i = 0; step != EXP_NO_STEP && i < d->columns; i++)
        if (d->times[i] == d->trace->steps[step].time)
            return i;
    return -1;
}

static int row_of(const struct drawing *d, uint32_t invocation)
{
    for (size_t i = 0; i < d->window->row_count; i++)
        if (d->window->rows[i].invocation == invocation)
            return (int)i;
    return -1;
}

static int left_of(int column)
{
    return SVG_MARGIN + LABEL_WIDTH + column * COLUMN_PITCH;
}

static int middle_of(const struct drawing *d, int row)
{
    return d->top + row * ROW_PITCH;
}

// Boxes

static enum look look_of(const struct drawing *d, const struct exp_step *step)
{
    switch (d->trace->codes[step->code].kind) {
    case EXP_CROSS_LANE:
        return LOOK_CROSS_LANE;
    case EXP_TANGLED:
        return LOOK_TANGLE;
    case EXP_BARRIER:
    case EXP_FENCE:
        return LOOK_BARRIER;
    case EXP_BRANCH:
    case EXP_IF:
    case EXP_SWITCH:
    case EXP_CALL:
    case EXP_RETURN:
    case EXP_END:
        return LOOK_BRANCH;
    default:
        return step->has_address ? LOOK_MEMORY : LOOK_PLAIN;
    }
}

// "ShuffleUp" of "%up = OpGroupNonUniformShuffleUp %uint ..."
static void short_name(const struct exp_code *code, char *name, size_t size)
{
    static const char *const prefixes[] = {"Op", "GroupNonUniform"};
    char word[64];
    const char *at = word;
    exp_code_word(code, 0, word, sizeof word);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(at, prefixes[i], strlen(prefixes[i])) == 0)
            at += strlen(prefixes[i]);
    snprintf(name, size, "%.14s", code->kind == EXP_IF ? "Branch" : at);
}

static void put_box(struct drawing *d, size_t index, int row, int column)
{
    const struct exp_step *step = &d->trace->steps[index];
    const struct exp_code *code = &d->trace->codes[step->code];
    const enum look look = look_of(d, step);
    const int x = left_of(column), y = middle_of(d, row) - BOX_HEIGHT / 2;
    const bool wrong = index == d->fault->step;
    char name[32], line[48];
    text_puts(d->out, "<g><title>");
    svg_put_xml(d->out, code->text);
    text_printf(d->out,
                "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" "
                "class=\"box %s%s\"/>\n",
                x, y, BOX_WIDTH, BOX_HEIGHT, looks[look].class, wrong ? " wrong" : "");
    short_name(code, name, sizeof name);
    svg_put_label(d->out, x + 5, y + 15, "small faint", looks[look].letter);
    svg_put_label(d->out, x + 15, y + 15, "", name);
    if (step->has_value) {
        snprintf(line, sizeof line, "0x%" PRIx64, step->value);
        svg_put_label(d->out, x + 15, y + 31, "", line);
    }
    if (wrong && d->fault->has_got) {
        snprintf(line, sizeof line, "not 0x%" PRIx64, d->fault->want);
        svg_put_label(d->out, x + 2, y + BOX_HEIGHT + 12, "badtext small", line);
    }
    text_puts(d->out, "</g>\n");
}

// A line beside the boxes of one column that were executed together.
static void put_bond(struct drawing *d, size_t index, int row, int column)
{
    const struct exp_step *step = &d->trace->steps[index];
    const enum look look = look_of(d, step);
    const uint32_t first = step->invocation - exp_lane(d->trace, step->invocation);
    int last = row;
    if (look != LOOK_TANGLE && look != LOOK_BARRIER)
        return;
    for (uint32_t lane = 0; lane < d->trace->subgroup; lane++) {
        const int other = exp_lanes_has(&step->tangle, lane) ? row_of(d, first + lane) : -1;
        last = other > last ? other : last;
    }
    if (last > row)
        text_printf(d->out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"bond\"/>\n",
                    left_of(column) - 4, middle_of(d, row), left_of(column) - 4,
                    middle_of(d, last));
}

// Arrows

static void put_head(struct drawing *d, int x, int y, bool left, const char *class)
{
    const int back = left ? 7 : -7;
    text_printf(d->out, "<polygon points=\"%d,%d %d,%d %d,%d\" class=\"%s\"/>\n", x, y, x + back,
                y - 4, x + back, y + 4, class);
}

// A correct cross-lane read: beside the column, from the source's row to the reader's.
static void put_read(struct drawing *d, int from, int row, int column, bool wrong)
{
    const int x = left_of(column) + BOX_WIDTH, bend = x + 4 + 3 * (row % 4);
    const int y = middle_of(d, row) + (from > row ? 8 : -8);
    text_printf(d->out, "<path d=\"M%d %d H%d V%d H%d\" class=\"%s\"/>\n", x, middle_of(d, from),
                bend, y, x, wrong ? "bad" : "arrow");
    put_head(d, x, y, true, wrong ? "badhead" : "head");
}

// From one shown step to another: between the rows, then beside the column.
static void put_crossing(struct drawing *d, size_t from, size_t to, bool wrong)
{
    if (from == EXP_NO_STEP)
        return;
    const int a = column_of(d, from), b = column_of(d, to);
    const int source = row_of(d, d->trace->steps[from].invocation);
    const int row = row_of(d, d->trace->steps[to].invocation);
    if (a < 0 || b < 0 || source < 0 || row < 0)
        return;
    const bool back = a >= b; // made only later: the arrow goes against the time
    const int down = row >= source ? 1 : -1;
    const int x1 = left_of(a) + BOX_WIDTH / 2 + (wrong ? 8 : -8);
    const int y1 = middle_of(d, source) + down * BOX_HEIGHT / 2;
    const int between = middle_of(d, source) + down * ROW_PITCH / 2 + (wrong ? -3 : 4);
    const int x2 = left_of(b) + (back ? BOX_WIDTH : 0);
    const int y2 = middle_of(d, row) + (wrong ? -8 : 8);
    text_printf(d->out, "<path d=\"M%d %d V%d H%d V%d H%d\" class=\"%s\"/>\n", x1, y1, between,
                x2 + (back    ? 14
                      : wrong ? -12
                              : -15),
                y2, x2, wrong ? "bad" : "due");
    put_head(d, x2, y2, back, wrong ? "badhead" : "duehead");
    if (wrong)
        svg_put_label(d->out, left_of(b) + 2, middle_of(d, row) - BOX_HEIGHT / 2 - 5,
                      "badtext small", "got this");
    else
        svg_put_label(d->out, x1 + (back ? -70 : 5), between - 3, "duetext small", "prescribed");
}

static void put_arrows(struct drawing *d)
{
    const struct exp_fault *b = d->fault;
    for (size_t i = 0; i < d->window->step_count; i++) {
        const struct exp_shown *shown = &d->window->steps[i];
        const struct exp_step *step = &d->trace->steps[shown->step];
        const int column = column_of(d, shown->step);
        if (step->source == EXP_NO_LANE || column < 0)
            continue;
        const int from =
            row_of(d, step->invocation - exp_lane(d->trace, step->invocation) + step->source);
        const bool wrong = shown->step == b->step && b->cause == EXP_CAUSE_CROSS_LANE;
        if (from >= 0 && from != (int)shown->row && !(wrong && column_of(d, b->made) >= 0))
            put_read(d, from, (int)shown->row, column, wrong);
    }
    put_crossing(d, b->made, b->step, true);
    if (b->due != b->made)
        put_crossing(d, b->due, b->step, false);
    if (b->stored != EXP_NO_STEP && d->trace->steps[b->stored].value == b->got)
        put_crossing(d, b->stored, b->step, true);
    put_crossing(d, b->expected_store, b->step, false);
}

// The page

static void put_rows(struct drawing *d, int width)
{
    for (size_t i = 0; i < d->window->row_count; i++) {
        const uint32_t who = d->window->rows[i].invocation;
        const int y = middle_of(d, (int)i);
        char lane[32], place[64];
        snprintf(lane, sizeof lane, "lane %u", exp_lane(d->trace, who));
        snprintf(place, sizeof place, "subgroup %u of workgroup %u", exp_subgroup(d->trace, who),
                 exp_group(d->trace, who));
        svg_put_label(d->out, SVG_MARGIN, y - 2, d->window->rows[i].involved ? "title" : "faint",
                      lane);
        svg_put_label(d->out, SVG_MARGIN, y + 12, "faint small", place);
        text_printf(d->out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"lane\"/>\n",
                    left_of(0) - 8, y, width - SVG_MARGIN, y);
    }
    for (int i = 0; i < d->columns; i++) {
        char time[32];
        snprintf(time, sizeof time, "%" PRIu64, d->times[i]);
        svg_put_label(d->out, left_of(i), d->top - ROW_PITCH / 2 - 4, "faint small", time);
    }
    svg_put_label(d->out, SVG_MARGIN, d->top - ROW_PITCH / 2 - 4, "faint small",
                  "time in executed steps");
}

static int put_legend(struct text *out, int y, int width)
{
    static const struct {
        const char *class, *text;
    } lines[] = {{"arrow", "value of another lane"},
                 {"bad", "the wrong value"},
                 {"due", "source of the expected value"},
                 {"bond", "executed together"}};
    int x = SVG_MARGIN;
    for (size_t i = 0; i < LOOKS + sizeof lines / sizeof *lines; i++) {
        const bool box = i < LOOKS;
        const char *meaning = box ? looks[i].meaning : lines[i - LOOKS].text;
        const int wide = 50 + LETTER * (int)strlen(meaning);
        if (x > SVG_MARGIN && x + wide > width - SVG_MARGIN) {
            x = SVG_MARGIN;
            y += SVG_LINE + 4;
        }
        if (box) {
            text_printf(out,
                        "<rect x=\"%d\" y=\"%d\" width=\"20\" height=\"16\" rx=\"3\" "
                        "class=\"box %s\"/>\n",
                        x, y - 12, looks[i].class);
            svg_put_label(out, x + 6, y, "small faint", looks[i].letter);
        } else {
            text_printf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\"/>\n", x,
                        y - 4, x + 26, y - 4, lines[i - LOOKS].class);
        }
        svg_put_label(out, x + 32, y, "", meaning);
        x += wide;
    }
    return y;
}

void exp_picture(const struct exp_trace *trace, const struct exp_fault *fault,
                 const struct exp_window *window, const char *title, const char *model,
                 const char *sentence, struct text *text)
{
    OWNED(text_free) struct text body = {0}, under = {0};
    struct drawing d = {.trace = trace, .fault = fault, .window = window, .out = &body};
    choose_columns(&d);
    int width = left_of(d.columns > 4 ? d.columns : 4) + SVG_MARGIN;
    width = width < 900 ? 900 : width;
    int y = svg_put_wrapped(&body, SVG_MARGIN + 12, width, "title", title);
    text_printf(&under, "model %s: %s", model, sentence);
    y = svg_put_wrapped(&body, y, width, "", under.data);
    d.top = y + ROW_PITCH / 2 + 24;
    put_rows(&d, width);
    for (size_t i = 0; i < window->step_count; i++) {
        const int column = column_of(&d, window->steps[i].step);
        if (column >= 0)
            put_bond(&d, window->steps[i].step, (int)window->steps[i].row, column);
    }
    for (size_t i = 0; i < window->step_count; i++) {
        const int column = column_of(&d, window->steps[i].step);
        if (column >= 0)
            put_box(&d, window->steps[i].step, (int)window->steps[i].row, column);
    }
    put_arrows(&d);
    const int bottom = middle_of(&d, (int)window->row_count) + 8;
    const int height = put_legend(&body, bottom, width) + SVG_MARGIN;
    svg_put_page(text, title, sentence, picture_style, width, height, &body);
}
