// SPDX-License-Identifier: Apache-2.0
// Prints the results of litmus bench as tables, for the terminal and in Markdown.
#include "benching/benching.h"
#include "report/markdown.h"

#define SHOWN 12 // most scans of a size in the table

char *benching_ms(char target[32], double ns)
{
    const double ms = ns / 1e6;
    const int digits = ms >= 1000 ? 0 : ms >= 100 ? 1 : ms >= 10 ? 2 : ms >= 1 ? 3 : 4;
    snprintf(target, 32, "%.*f", digits, ms);
    return target;
}

char *benching_share(char target[32], double share)
{
    const double percent = share * 100;
    const int digits = percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : 2;
    if (percent < 0.005)
        snprintf(target, 32, "%s", percent > 0 ? "< 0.01 %" : "");
    else
        snprintf(target, 32, "%.*f %%", digits, percent);
    return target;
}

char *benching_per_second(char target[32], double rate)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t i = 0;
    while (units[i].unit > 1 && rate < units[i].unit)
        i++;
    const double value = rate / units[i].unit;
    snprintf(target, 32, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, units[i].name);
    return target;
}

// --- Cells

// "" if unknown.
static void put_ratio(struct table *table, double ratio)
{
    table_put(table, TONE_PLAIN, ratio > 0 ? "%.3f" : "", ratio);
}

static void put_span(struct table *table, double low, double high)
{
    table_put(table, TONE_PLAIN, "%s-%s", MS(low), MS(high));
}

static void put_text(struct table *table, const char *text)
{
    table_put(table, TONE_PLAIN, "%s", text ? text : "");
}

// A share of a limit; for a limit its rate.
static void put_of_limit(struct table *table, bool is_limit, const char *unit, double rate,
                         double share)
{
    if (is_limit && rate > 0)
        table_put(table, TONE_PLAIN, "%s%s", PER_SECOND(rate), unit);
    else
        put_text(table, is_limit ? "" : SHARE(share));
}

static const char *state_word(const struct bench_measured *measured)
{
    static const char *const words[BENCH_VERDICTS] = {
        [BENCH_RIGHT] = "",          [BENCH_WRONG] = "WRONG",
        [BENCH_EXPIRED] = "expired", [BENCH_UNTIMED] = "not timed",
        [BENCH_SKIP] = "skipped",    [BENCH_REFUSAL] = "refused",
    };
    return words[bench_verdict(measured)];
}

// --- Wrong, skipped and refused rows

// Adds a line for each row with wrong words or an expired wait, and for each reason why rows were
// skipped or refused; each starts with `lead`.
static void put_remark(const struct bench_result *result, size_t i, const char *lead,
                       struct text *text)
{
    const struct bench_measured *measured = &result->rows[i];
    const struct bench_report *first = &measured->first;
    OWNED(text_free) struct text name = {0};
    size_t rows = 0;
    bool is_first = true;
    bench_row_name(&measured->row, &name);
    if (measured->wrong)
        text_printf(text,
                    "%sWRONG: %s: %u of %u dispatches; in dispatch %u %s word%s, first word %s: "
                    "got 0x%x, want 0x%x\n",
                    lead, name.data, measured->wrong, measured->dispatches, first->round + 1,
                    COUNT(first->wrong), first->wrong == 1 ? "" : "s", COUNT(first->index),
                    first->got, first->want);
    if (measured->expired)
        text_printf(text, "%sINCONCLUSIVE: %s: in %u of %u dispatches a bounded wait expired\n",
                    lead, name.data, measured->expired, measured->dispatches);
    for (size_t k = 0; k < result->count && measured->reason[0]; k++)
        if (result->rows[k].state == measured->state &&
            strcmp(result->rows[k].reason, measured->reason) == 0) {
            is_first &= k >= i;
            rows++;
        }
    if (rows && is_first) {
        text_printf(text, "%s%s: %s", lead, state_word(measured), name.data);
        if (rows > 1)
            text_printf(text, " and %zu other%s", rows - 1, rows == 2 ? "" : "s");
        text_printf(text, ": %s\n", measured->reason);
    }
}

static void put_remarks(const struct bench_size *size, const char *lead, struct text *text)
{
    if (size->reason[0])
        text_printf(text, "%s%s: %s\n", lead, eng_result_name(size->end), size->reason);
    for (size_t i = 0; i < size->result.count; i++)
        put_remark(&size->result, i, lead, text);
}

static void put_clock(const struct bench_result *result, struct text *text)
{
    if (result->tick > 0)
        text_printf(text, ", by timestamps in units of %g ns", result->tick);
    else
        text_puts(text, ", by the host's clock: submitting counts");
}

// --- scan

static const struct table_column scan_columns[] = {COL("level", .without = TABLE_NOT_TERMINAL),
                                                   NUM("items", .without = TABLE_NOT_TERMINAL),
                                                   NUM("workgroup"),
                                                   COL("scan"),
                                                   NUM("median ms"),
                                                   NUM("middle half"),
                                                   NUM("all"),
                                                   NUM("of native"),
                                                   NUM("shuffles"),
                                                   NUM("adds"),
                                                   NUM("memory"),
                                                   NUM("registers"),
                                                   NUM("code")};

// Names a row within its group: "emulated, control".
static void put_label(const struct bench_row *row, struct text *text)
{
    if (row->kind == BENCH_SCAN)
        text_printf(text, "%s%s%s", bench_operations[row->operation],
                    row->barrier == BENCH_NONE ? "" : ", ",
                    row->barrier == BENCH_NONE ? "" : bench_barriers[row->barrier]);
    else if (row->kind == BENCH_COPY)
        text_printf(text, "copy, %s words", COUNT(row->words));
    else
        text_printf(text, "%s, %u chain%s", bench_kinds[row->kind], row->chains,
                    row->chains == 1 ? "" : "s");
}

// Limits show their rates, scans their shares of them. Rows with wrong results show no figures.
static void add_scan(const struct bench_result *result, const struct bench_measured *measured,
                     struct table *table)
{
    const struct bench_row *row = &measured->row;
    const bool is_limit = row->kind != BENCH_SCAN;
    const char *word = state_word(measured);
    OWNED(text_free) struct text label = {0};
    put_label(row, &label);
    table_row(table);
    put_text(table, is_limit ? "limit" : bench_levels[row->level]);
    table_put(table, TONE_PLAIN, row->items ? "%u" : "", row->items);
    table_put(table, TONE_PLAIN, "%u", row->workgroup);
    table_put(table, measured->wrong ? TONE_BAD : TONE_PLAIN, "%s%s%s", label.data,
              word[0] ? "  " : "", word);
    for (size_t c = 0; c < 9 && !bench_is_right(measured); c++)
        put_text(table, "");
    if (!bench_is_right(measured))
        return;
    const struct bench_figures f = bench_figures(result, measured);
    put_text(table, MS(f.ns.median));
    put_span(table, f.ns.low, f.ns.high);
    put_span(table, f.ns.least, f.ns.most);
    put_ratio(table, f.of_native);
    put_of_limit(table, is_limit, "/s", f.rate.shuffles, f.share.shuffles);
    put_of_limit(table, is_limit, "/s", f.rate.adds, f.share.adds);
    put_of_limit(table, is_limit, "B/s", row->kind == BENCH_COPY || !is_limit ? f.rate.bytes : 0,
                 f.share.bytes);
    put_text(table, bench_registers(measured));
    put_text(table, bench_code(measured));
}

static bool is_same_group(const struct bench_row *a, const struct bench_row *b)
{
    return (a->kind == BENCH_SCAN) == (b->kind == BENCH_SCAN) && a->level == b->level &&
           (a->kind != BENCH_SCAN || a->items == b->items);
}

static void put_rounds(const struct bench_size *size, struct text *text)
{
    const struct bench_result *result = &size->result;
    text_printf(text,
                "%s elements, %s scans a dispatch, %s dispatches of each row after %u to warm up",
                COUNT(result->shape.elements), COUNT(result->shape.loops), COUNT(result->repeats),
                result->warm);
    put_clock(result, text);
}

void benching_table(const struct bench_size *size, bool color, struct text *text)
{
    const struct bench_result *result = &size->result;
    OWNED(text_free) struct text title = {0};
    if (result->shape.loops) {
        text_puts(text, "  ");
        put_rounds(size, text);
        text_puts(text, "\n\n");
    }
    for (size_t i = 0; i < result->count;) {
        const struct bench_row *group = &result->rows[i].row;
        title.length = 0;
        if (group->kind == BENCH_SCAN)
            text_printf(&title, "%s scan, %s", bench_levels[group->level],
                        group->items == 1 ? "1 item each" : "4 items each");
        else
            text_puts(&title, "limits");
        OWNED(table_clear) struct table table = {.title = title.data, TABLE_OF(scan_columns)};
        // Skipped rows are listed below; rows without dispatches are unknown.
        for (; i < result->count && is_same_group(group, &result->rows[i].row); i++)
            if (result->rows[i].state != BENCH_SKIPPED && result->rows[i].dispatches)
                add_scan(result, &result->rows[i], &table);
        table_terminal(&table, color, text);
        text_puts(text, table.count ? "\n" : "");
    }
    put_remarks(size, "  ", text);
}

// --- lookback

static const struct table_column look_columns[] = {
    COL("row"),     NUM("median ms"), NUM("middle half"), NUM("GB/s"),
    NUM("of copy"), NUM("of CUB"),    NUM("registers")};

// Adds the fastest rows of a kind. Returns how many it left out.
static size_t add_looks(const struct bench_size *size, enum bench_kind kind, size_t most,
                        struct table *table)
{
    OWNED(lit_free) const struct bench_measured **rows = NULL;
    const struct bench_measured *chosen = bench_size_chosen(size);
    const size_t count = bench_result_rank(&size->result, kind, &rows);
    for (size_t i = 0; i < count && i < most; i++) {
        const struct bench_figures f = bench_figures(&size->result, rows[i]);
        OWNED(text_free) struct text name = {0};
        bench_row_name(&rows[i]->row, &name);
        table_row(table);
        table_put(table, rows[i] == chosen ? TONE_STRONG : TONE_PLAIN, "%s", name.data);
        put_text(table, MS(f.ns.median));
        put_span(table, f.ns.low, f.ns.high);
        table_put(table, TONE_PLAIN, f.rate.bytes >= 1e11 ? "%.0f" : "%.3g", f.rate.bytes / 1e9);
        put_ratio(table, f.share.bytes);
        put_ratio(table, f.ns.median > 0 ? size->cub / f.ns.median : 0);
        put_text(table, bench_registers(rows[i]));
    }
    return count > most ? count - most : 0;
}

// `all`: all rows of a size, but those that scan alone. Returns how many scans are left out.
static size_t add_size(const struct bench_size *size, bool all, struct table *table)
{
    add_looks(size, BENCH_COPY, all ? LOOK_ROWS : 1, table);
    const size_t left = add_looks(size, BENCH_LOOKBACK, all ? LOOK_ROWS : SHOWN, table);
    add_looks(size, BENCH_TILES, all ? LOOK_ROWS : 4, table);
    add_looks(size, BENCH_SERIAL, 1, table);
    return left;
}

static void put_size(const struct bench_size *size, struct text *text)
{
    const struct bench_result *result = &size->result;
    const uint64_t elements = result->shape.elements;
    text_printf(text, "%s words, %.4g GB read and written; %u dispatches after %u", COUNT(elements),
                (double)elements * 8e-9, result->repeats, result->warm);
    if (result->reported)
        put_clock(result, text);
}

void benching_look_table(const struct bench_size *size, bool all, bool color, struct text *text)
{
    OWNED(table_clear) struct table table = {.width = 110, TABLE_OF(look_columns)};
    text_puts(text, "  ");
    put_size(size, text);
    text_puts(text, "\n");
    const size_t left = add_size(size, all, &table);
    if (table.count)
        table_terminal(&table, color, text);
    if (left)
        text_printf(text, "  and %zu slower scans: -v shows them, --json has them\n", left);
    put_remarks(size, "  ", text);
    text_puts(text, "\n");
}

static const struct table_column summary_columns[] = {
    NUM("words"),   NUM("median ms"), NUM("GB/s"), NUM("copy GB/s"),
    NUM("of copy"), NUM("of CUB"),    COL("scan")};

static void add_summary(const struct bench_size *size, struct table *table)
{
    const struct bench_result *result = &size->result;
    const struct bench_measured *row = bench_size_chosen(size);
    const struct bench_measured *copy = bench_result_best(result, BENCH_COPY);
    const struct bench_figures f = row ? bench_figures(result, row) : (struct bench_figures){0};
    OWNED(text_free) struct text name = {0};
    char text[32];
    table_row(table);
    table_count(table, TONE_PLAIN, result->shape.elements);
    put_text(table, row ? benching_ms(text, f.ns.median) : "");
    table_put(table, TONE_PLAIN, row ? "%.4g" : "", f.rate.bytes / 1e9);
    table_put(table, TONE_PLAIN, copy ? "%.4g" : "",
              copy ? bench_figures(result, copy).rate.bytes / 1e9 : 0);
    put_ratio(table, f.share.bytes);
    put_ratio(table, row ? size->cub / f.ns.median : 0);
    if (row) {
        bench_row_name(&row->row, &name);
        table_put(table, TONE_PLAIN, "%s: %s",
                  size->chosen >= LOOK_ROWS ? "best"
                  : size->tuned             ? "tuned"
                                            : "default",
                  name.data);
    } else {
        put_text(table, result->reported ? "no correct scan" : "not timed");
    }
}

static void make_summary(const struct bench_device *device, struct table *table)
{
    *table = (struct table){TABLE_OF(summary_columns)};
    for (size_t i = 0; i < device->count; i++)
        add_summary(&device->sizes[i], table);
}

void benching_look_summary(const struct bench_device *device, bool color, struct text *text)
{
    OWNED(table_clear) struct table table = {0};
    make_summary(device, &table);
    if (device->count)
        table_terminal(&table, color, text);
    if (device->reason[0])
        text_printf(text, "  %s\n", device->reason);
}

// --- Markdown

static void put_markdown_remarks(const struct bench_size *size, struct text *text)
{
    OWNED(text_free) struct text remarks = {0};
    put_remarks(size, "- ", &remarks);
    if (remarks.length)
        text_printf(text, "%s\n", remarks.data);
}

static void put_markdown_scan(const struct bench_size *size, struct text *text)
{
    const struct bench_result *result = &size->result;
    OWNED(table_clear) struct table table = {TABLE_OF(scan_columns)};
    if (result->shape.loops) {
        put_rounds(size, text);
        text_puts(text, ". Times are in milliseconds; the quartiles are the ends of the middle "
                        "half.\n\n");
        for (size_t i = 0; i < result->count; i++)
            if (result->rows[i].dispatches)
                add_scan(result, &result->rows[i], &table);
        table_markdown(&table, SIZE_MAX, text);
    }
    put_markdown_remarks(size, text);
}

static void put_markdown_look(const struct bench_device *device, struct text *text)
{
    struct table table;
    make_summary(device, &table);
    table_markdown(&table, SIZE_MAX, text);
    table_clear(&table);
    for (size_t i = 0; i < device->count; i++) {
        const struct bench_size *size = &device->sizes[i];
        table = (struct table){TABLE_OF(look_columns)};
        text_puts(text, "### ");
        put_size(size, text);
        text_puts(text, "\n\n");
        add_size(size, true, &table);
        table_markdown(&table, SIZE_MAX, text);
        table_clear(&table);
        put_markdown_remarks(size, text);
    }
    if (device->reason[0])
        text_printf(text, "- %s\n\n", device->reason);
}

static const struct table_column rate_columns[] = {
    COL("device"),  COL("driver"),           CODE("configuration"), NUM("workgroups"), COL("form"),
    NUM("units/s"), NUM("subgroup units/s"), NUM("test"),           NUM("checker"),    NUM("fills"),
    NUM("rest"),    NUM("bytes/s"),          NUM("copy"),           NUM("of limit")};

static void add_rate(const struct benching_rate *rate, enum bench_form form, struct table *table)
{
    const struct bench_rate_figures f = bench_rate_figures(&rate->rates, form);
    const struct dev_facts *facts = &rate->device->facts;
    const double shares[] = {f.test, f.check, f.fill, f.rest};
    if (!f.rounds)
        return;
    const struct bench_rate *run = &rate->rates.rounds[0];
    table_row(table);
    put_text(table, facts->name);
    table_put(table, TONE_PLAIN, "%s %s", facts->driver_name, facts->driver_version);
    put_text(table, rate->name);
    table_put(table, TONE_PLAIN, "%" PRIu64, run->workgroups);
    put_text(table, bench_forms[form]);
    put_text(table, PER_SECOND(f.per_second.median));
    put_text(table, PER_SECOND(f.subgroups));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        put_text(table, SHARE(shares[i]));
    table_put(table, TONE_PLAIN, "%sB/s", PER_SECOND(f.bytes));
    table_put(table, TONE_PLAIN, "%sB/s", PER_SECOND(run->copy));
    table_put(table, TONE_PLAIN, "%.3f", f.of_limit);
}

void benching_markdown(const struct benching *b, struct text *text)
{
    const bool scan = strcmp(b->name, "scan") == 0, lookback = strcmp(b->name, "lookback") == 0;
    static const struct table_column head_columns[] = {COL(""), COL("")};
    OWNED(table_clear) struct table head = {TABLE_OF(head_columns)};
    OWNED(table_clear) struct table rates = {TABLE_OF(rate_columns)};
    text_printf(text, "# %s\n\n",
                scan       ? "Subgroup scans, native and emulated: how long they take"
                : lookback ? "Scans with decoupled look-back: how close they come to a copy"
                           : "Checked units per second, and what memory allows");
    table_fact(&head, "litmus", "%s", LITMUS_VERSION);
    table_fact(&head, "command", "%s", b->session.command);
    table_fact(&head, "started", "%s", b->session.started);
    table_fact(&head, "system", "%s", b->session.system);
    table_fact(&head, "seed", "0x%" PRIx64, b->chosen.seed.value);
    table_fact(&head, "exit", "%d: %s", (int)b->exit, b->because);
    table_markdown(&head, SIZE_MAX, text);
    for (size_t i = 0; i < b->measured_count; i++) {
        const struct bench_device *device = &b->measured[i];
        OWNED(text_free) struct text line = {0};
        ses_device_line(&device->device->facts, true, &line);
        text_puts(text, "## ");
        markdown_escape(text, line.data);
        text_puts(text, "\n\n");
        if (scan)
            put_markdown_scan(&device->sizes[0], text);
        else
            put_markdown_look(device, text);
    }
    for (size_t i = 0; i < b->rate_count; i++)
        for (int form = 0; form < BENCH_FORMS; form++)
            add_rate(&b->rates[i], (enum bench_form)form, &rates);
    table_markdown(&rates, SIZE_MAX, text);
}
