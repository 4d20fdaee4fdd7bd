// SPDX-License-Identifier: Apache-2.0
// Histories as tables, and as JSON.
#include "report/fields.h"
#include "report/format.h"
#include "report/history.h"
#include "report/known.h"

#include <stdio.h>
#include <string.h>

#define DETAILS_MOST 12 // configurations that get a table each
#define DATE         10 // length of the day in "2026-11-21T02:09:00Z"

static bool same_name(const struct history_line *a, const struct history_line *b)
{
    return strcmp(a->name, b->name) == 0;
}

static bool is_bad(const struct history_line *line)
{
    return line->failed_runs > 0 && strcmp(line->expectation, "control") != 0;
}

static void put_dates(char target[48], const char *first, const char *last)
{
    if (strncmp(first, last, DATE) == 0)
        snprintf(target, 48, "%.10s", first);
    else
        snprintf(target, 48, "%.10s to %.10s", first, last);
}

static void put_p(struct text *text, double p)
{
    text_printf(text, "p %s", p < 1e-300 ? "< 1e-300" : RATE(p, 0));
}

// Remarks on a line besides its numbers.
static void put_remark(const struct history_line *line, struct text *text)
{
    int change = history_change(line);
    if (line->other_code)
        text_printf(text, "other code (%.8s)", line->sha256[0] ? line->sha256 : "none");
    if (line->stress[0])
        text_printf(text, "%sstress %s", text->length ? ", " : "", line->stress);
    if (line->rule[0])
        text_printf(text, "%sstopped by %s", text->length ? ", " : "", line->rule);
    if (line->before) {
        text_printf(text, "%s%s %s, ", text->length ? ", " : "",
                    change > 0   ? "higher than on"
                    : change < 0 ? "lower than on"
                                 : "no change from",
                    line->before->driver->facts.driver_version);
        put_p(text, line->adjusted);
    }
    if (line->repeats > 0)
        text_printf(text, "%s%zu duplicate%s omitted", text->length ? ", " : "", line->repeats,
                    line->repeats == 1 ? "" : "s");
}

static enum tone remark_tone(const struct history_line *line)
{
    int change = history_change(line);
    return change > 0 ? TONE_BAD : change < 0 ? TONE_GOOD : TONE_SOFT;
}

static void put_line(struct table *table, const struct history_line *line)
{
    OWNED(text_free) struct text remark = {0};
    char dates[48];
    put_dates(dates, line->first, line->last);
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", line->driver->facts.driver_version);
    table_put(table, TONE_PLAIN, "%s", dates);
    table_count(table, TONE_PLAIN, line->sessions - line->repeats);
    table_count(table, is_bad(line) ? TONE_BAD : TONE_PLAIN, line->failed_runs);
    table_count(table, TONE_PLAIN, line->judged);
    table_rate(table, TONE_PLAIN, line->failed_runs, line->judged, line->interval)->group =
        CAT_CONTROL + 1;
    put_remark(line, &remark);
    table_put(table, remark_tone(line), "%s", remark.data ? remark.data : "");
}

static void print_table(struct table *table, const struct history_info *info, struct text *out)
{
    table_terminal(table, info->color, out);
    table_clear(table);
}

void history_table(const struct history_line *lines, size_t count, struct table *table)
{
    static const struct table_column heads[] = {COL("driver"), COL("when"), NUM("sessions"),
                                                NUM("failed"), NUM("of"),   RATED("rate (95 %)"),
                                                COL("")};
    *table = (struct table){.title = lines[0].driver->facts.name, TABLE_OF(heads)};
    for (size_t i = 0; i < count; i++)
        put_line(table, &lines[i]);
}

// Prints all lines of one configuration. Returns where the next begins.
static size_t print_name(const struct history *history, size_t first,
                         const struct history_info *info, struct text *out)
{
    const struct history_line *lines = history->lines;
    size_t at = first;
    OWNED(text_free) struct text shown = {0};
    report_known->shown(lines[first].name, &shown);
    text_printf(&shown, " (%s)", lines[first].expectation);
    table_broken(out, info->color, TONE_STRONG, shown.data, 0);
    text_puts(out, "\n");
    while (at < history->line_count && same_name(&lines[first], &lines[at])) {
        const size_t end = history_end(history, at), most = info->limit ? info->limit : SIZE_MAX;
        const size_t shows = end - at < most ? end - at : most;
        struct table table;
        history_table(&lines[end - shows], shows, &table);
        print_table(&table, info, out);
        at = end;
    }
    text_puts(out, "\n");
    return at;
}

// Sums over all configurations on one driver.
struct summary {
    size_t names, failing, more, less, other_code;
    uint64_t runs;
};

// Before another device's driver: prints the last device's table, and begins a new one.
static void next_device(struct table *table, const char *device, const struct history_info *info,
                        struct text *out)
{
    if (table->title && strcmp(table->title, device) == 0)
        return;
    print_table(table, info, out);
    table->title = device;
}

static void print_summary(const struct history *history, const struct history_info *info,
                          struct text *out)
{
    static const struct table_column heads[] = {
        COL("driver"), COL("when"), NUM("configurations"), NUM("failing"),
        NUM("runs"),   NUM("more"), NUM("less"),           NUM("other code")};
    const struct store_index *index = &history->index;
    OWNED(lit_free) struct summary *sums = lit_alloc(index->driver_count, sizeof(*sums));
    struct table table = {TABLE_OF(heads)};
    for (size_t i = 0; i < history->line_count; i++) {
        const struct history_line *line = &history->lines[i];
        struct summary *sum = &sums[line->driver - index->drivers];
        sum->names++;
        sum->failing += is_bad(line);
        sum->runs += line->runs;
        sum->more += history_change(line) > 0;
        sum->less += history_change(line) < 0;
        sum->other_code += line->other_code;
    }
    for (size_t i = 0; i < index->driver_count; i++) {
        const struct store_driver *driver = &index->drivers[i];
        const struct summary *sum = &sums[i];
        char dates[48];
        if (sum->names == 0)
            continue;
        next_device(&table, driver->facts.name, info, out);
        put_dates(dates, driver->first, driver->last);
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", driver->facts.driver_version);
        table_put(&table, TONE_PLAIN, "%s", dates);
        table_count(&table, TONE_PLAIN, sum->names);
        table_count(&table, TONE_BAD, sum->failing);
        table_count(&table, TONE_PLAIN, sum->runs);
        table_count(&table, TONE_BAD, sum->more);
        table_count(&table, TONE_GOOD, sum->less);
        table_count(&table, TONE_PLAIN, sum->other_code);
    }
    print_table(&table, info, out);
    text_puts(out, "\n");
}

static bool has_change(const struct history *history, size_t first)
{
    for (size_t i = first;
         i < history->line_count && same_name(&history->lines[first], &history->lines[i]); i++)
        if (history_change(&history->lines[i]) != 0)
            return true;
    return false;
}

void history_print(const struct history *history, const struct history_info *info, struct text *out)
{
    bool all = info->all || history->name_count <= DETAILS_MOST;
    size_t hidden = 0, changed = 0;
    if (!all)
        print_summary(history, info, out);
    for (size_t at = 0; at < history->line_count;) {
        bool change = has_change(history, at);
        size_t next = at + 1;
        while (next < history->line_count && same_name(&history->lines[at], &history->lines[next]))
            next++;
        changed += change;
        if (all || (change && changed <= DETAILS_MOST))
            print_name(history, at, info, out);
        else
            hidden++;
        at = next;
    }
    if (hidden > 0)
        text_printf(out, "%s configuration%s not shown: -v shows all\n", COUNT(hidden),
                    hidden == 1 ? " is" : "s are");
    if (history->compared > 0)
        text_printf(out,
                    "p: Fisher's exact test against the previous driver, adjusted for %s "
                    "comparison%s; reported as a change below %g\n",
                    COUNT(history->compared), history->compared == 1 ? "" : "s", HISTORY_LEVEL);
}

void history_print_drivers(const struct store_index *index, const struct history_info *info,
                           struct text *out)
{
    static const struct table_column heads[] = {COL("driver"),   COL("info"),    COL("when"),
                                                NUM("sessions"), NUM("results"), COL("id")};
    struct table table = {TABLE_OF(heads)};
    for (size_t i = 0; i < index->driver_count; i++) {
        const struct store_driver *driver = &index->drivers[i];
        const struct dev_facts *facts = &driver->facts;
        char dates[48];
        next_device(&table, facts->name, info, out);
        put_dates(dates, driver->first, driver->last);
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s%s%s", facts->driver_name,
                  facts->driver_name[0] ? " " : "", facts->driver_version);
        // Some drivers repeat their version as their info.
        table_put(&table, TONE_PLAIN, "%s",
                  strcmp(facts->driver_info, facts->driver_version) ? facts->driver_info : "");
        table_put(&table, TONE_PLAIN, "%s", dates);
        table_count(&table, TONE_PLAIN, driver->sessions);
        table_count(&table, TONE_PLAIN, driver->results);
        table_put(&table, TONE_SOFT, "%s", driver->id);
    }
    print_table(&table, info, out);
}

void history_print_sessions(const struct store_index *index, const struct history_info *info,
                            struct text *out)
{
    static const struct table_column heads[] = {NUM("session"), COL("started"), NUM("runs"),
                                                COL("seed"),    COL(""),        COL("command")};
    struct table table = {TABLE_OF(heads)};
    size_t first = 0;
    if (info->limit > 0 && index->session_count > info->limit)
        first = index->session_count - (size_t)info->limit;
    for (size_t i = first; i < index->session_count; i++) {
        const struct store_session *session = &index->sessions[i];
        OWNED(text_free) struct text state = {0};
        if (session->shard)
            text_printf(&state, "shard %ju/%ju ", (uintmax_t)session->shard_index,
                        (uintmax_t)session->shard_count);
        text_puts(&state, session->finished ? "" : "unfinished");
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%jd", (intmax_t)session->id);
        table_put(&table, TONE_PLAIN, "%s", session->started);
        table_count(&table, TONE_PLAIN, session->runs);
        table_put(&table, TONE_PLAIN, "0x%jx", (uintmax_t)session->seed);
        table_put(&table, TONE_WARN, "%s", state.data ? state.data : "");
        table_put(&table, TONE_PLAIN, "%.200s%s", session->command,
                  strlen(session->command) > 200 ? "..." : "");
    }
    print_table(&table, info, out);
    if (first > 0)
        text_printf(out, "  %zu older ones are not shown\n", first);
}

// JSON

static json_t *make_driver(const struct store_driver *driver)
{
    const struct dev_facts *facts = &driver->facts;
    json_t *results = driver->results > 0 ? field_count(driver->results) : NULL;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*}", "id", driver->id, "device",
                     field_text(facts->name), "driver", field_text(facts->driver_name), "version",
                     field_text(facts->driver_version), "info", field_text(facts->driver_info),
                     "first", field_text(driver->first), "last", field_text(driver->last),
                     "sessions", field_count(driver->sessions), "results", results);
}

#define AT(name, kind, member) FIELD_KEPT(name, kind, history_line, member)
static const struct field line_fields[] = {
    AT("name", TEXT, name),
    AT("expectation", TEXT, expectation),
    FIELD_PLACE("device"),
    AT("sha256", TEXT, sha256),
    AT("stress", TEXT, stress),
    AT("rule", TEXT, rule),
    AT("first", TEXT, first),
    AT("last", TEXT, last),
    AT("sessions", NUMBER, sessions),
    AT("repeats", NUMBER, repeats),
    AT("newest_session", NUMBER, session),
    AT("runs", NUMBER, runs),
    AT("judged", NUMBER, judged),
    AT("failed_runs", NUMBER, failed_runs),
    AT("interval", REALS, interval),
    AT("other_code", BOOL, other_code),
    FIELD_END,
};
#undef AT

static json_t *make_line(const struct history_line *line)
{
    static const char *const changes[] = {"lower", "none", "higher"};
    json_t *json = fields_write(line_fields, line);
    json_object_set_new(json, "device", json_string(line->driver->id));
    if (line->before)
        json_object_update_new(json,
                               json_pack("{s:s, s:f, s:f, s:s}", "before", line->before->driver->id,
                                         "p", line->p, "adjusted", line->adjusted, "change",
                                         changes[history_change(line) + 1]));
    return json;
}

static void dump_drivers(const struct store_index *index, struct text *out)
{
    text_puts(out, "{\"schema\":\"litmus-history/1\",\n\"drivers\":[");
    for (size_t i = 0; i < index->driver_count; i++) {
        text_puts(out, i ? ",\n " : "\n ");
        fields_dump(out, make_driver(&index->drivers[i]));
    }
    text_puts(out, "]");
}

void history_json(const struct history *history, struct text *out)
{
    dump_drivers(&history->index, out);
    text_puts(out, ",\n\"lines\":[");
    for (size_t i = 0; i < history->line_count; i++) {
        text_puts(out, i ? ",\n " : "\n ");
        fields_dump(out, make_line(&history->lines[i]));
    }
    text_puts(out, "]}\n");
}

#define AT(name, kind, member) FIELD_KEPT(name, kind, store_session, member)
static const struct field session_fields[] = {
    AT("session", NUMBER, id),      AT("uuid", TEXT, uuid),       AT("started", TEXT, started),
    AT("finished", BOOL, finished), AT("version", TEXT, version), AT("command", TEXT, command),
    AT("seed", HEX, seed),          AT("runs", NUMBER, runs),     FIELD_END,
};
#undef AT

void history_json_index(const struct store_index *index, struct text *out)
{
    dump_drivers(index, out);
    text_puts(out, ",\n\"sessions\":[");
    for (size_t i = 0; i < index->session_count; i++) {
        const struct store_session *session = &index->sessions[i];
        json_t *json = fields_write(session_fields, session);
        if (session->shard)
            json_object_update_new(json, json_pack("{s:s, s:o, s:o}", "shard",
                                                   store_shard_names[session->shard], "index",
                                                   field_count(session->shard_index), "count",
                                                   field_count(session->shard_count)));
        text_puts(out, i ? ",\n " : "\n ");
        fields_dump(out, json);
    }
    text_puts(out, "]}\n");
}
