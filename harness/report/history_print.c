// SPDX-License-Identifier: Apache-2.0
// Histories as tables, and as JSON.
#include "report/format.h"
#include "report/history.h"

#include "catalogue/catalogue.h"
#include "stats/stats.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DETAILS_MOST 12 // configurations that get a table each
#define DATE         10 // characters of "2026-11-21T02:09:00Z" that are the day

static bool same_name(const struct history_line *a, const struct history_line *b)
{
    return strcmp(a->name, b->name) == 0;
}

static bool same_device(const struct history_line *a, const struct history_line *b)
{
    return strcmp(a->driver->facts.name, b->driver->facts.name) == 0;
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
    char number[24];
    format_rate(number, p, 0);
    text_printf(text, "p %s", p < 1e-300 ? "< 1e-300" : number);
}

// What is to be said of a line besides its numbers.
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

static enum format_color remark_color(const struct history_line *line)
{
    int change = history_change(line);
    return change > 0 ? FORMAT_RED : change < 0 ? FORMAT_GREEN : FORMAT_DIM;
}

static void put_line(struct format_table *table, const struct history_line *line)
{
    struct format_row *row = format_row(table);
    struct text remark = {0};
    char dates[48], sessions[32], number[32], of[80];
    put_dates(dates, line->first, line->last);
    snprintf(sessions, sizeof(sessions), "%zu", line->sessions - line->repeats);
    format_cell(row, 0, FORMAT_PLAIN, line->driver->facts.driver_version);
    format_cell(row, 1, FORMAT_PLAIN, dates);
    format_cell(row, 2, FORMAT_PLAIN, sessions);
    text_count(number, line->failed_runs);
    format_cell(row, 3, is_bad(line) ? FORMAT_RED : FORMAT_PLAIN, number);
    format_cell(row, 4, FORMAT_PLAIN, text_count(number, line->judged));
    format_interval(of, line->failed_runs, line->judged, line->interval);
    format_cell(row, 5, FORMAT_PLAIN, of);
    put_remark(line, &remark);
    format_cell(row, 6, remark_color(line), remark.data ? remark.data : "");
    text_free(&remark);
}

// The lines of one configuration on one device: `first` to `end`.
static void print_device(const struct history_line *lines, size_t first, size_t end,
                         const struct history_info *info, struct text *out)
{
    static const char *const words[] = {"driver", "when",        "sessions", "failed",
                                        "of",     "rate (95 %)", ""};
    struct format_table table = {.columns = 7, .right = {[2] = true, [3] = true, [4] = true}};
    text_printf(out, "  %s\n", lines[first].driver->facts.name);
    if (info->limit > 0 && end - first > info->limit)
        first = end - (size_t)info->limit;
    format_title(&table, words);
    for (size_t i = first; i < end; i++)
        put_line(&table, &lines[i]);
    format_table_print(&table, 40, info->color, out);
}

// All of one configuration. Returns where the next begins.
static size_t print_name(const struct history *history, size_t first,
                         const struct history_info *info, struct text *out)
{
    const struct history_line *lines = history->lines;
    size_t at = first, end;
    format_color(out, info->color, FORMAT_BOLD, lines[first].name);
    text_printf(out, " (%s)\n", lines[first].expectation);
    while (at < history->line_count && same_name(&lines[first], &lines[at])) {
        for (end = at + 1; end < history->line_count && same_name(&lines[at], &lines[end]) &&
                           same_device(&lines[at], &lines[end]);)
            end++;
        print_device(lines, at, end, info, out);
        at = end;
    }
    text_puts(out, "\n");
    return at;
}

// What all configurations gave on one driver.
struct summary {
    size_t names, failing, more, less, other_code;
    uint64_t runs;
};

static void print_summary(const struct history *history, const struct history_info *info,
                          struct text *out)
{
    static const char *const words[] = {"driver", "when", "configurations", "failing",
                                        "runs",   "more", "less",           "other code"};
    const struct store_index *index = &history->index;
    struct summary *sums = lit_alloc(index->driver_count, sizeof(*sums));
    struct format_table table = {.columns = 8};
    for (size_t c = 2; c < 8; c++)
        table.right[c] = true;
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
    const char *device = NULL;
    for (size_t i = 0; i < index->driver_count; i++) {
        const struct store_driver *driver = &index->drivers[i];
        const struct summary *sum = &sums[i];
        char dates[48], number[32];
        if (sum->names == 0)
            continue;
        if (!device || strcmp(device, driver->facts.name) != 0) {
            format_table_print(&table, 40, info->color, out);
            text_printf(out, "%s\n", driver->facts.name);
            format_title(&table, words);
        }
        device = driver->facts.name;
        struct format_row *row = format_row(&table);
        put_dates(dates, driver->first, driver->last);
        format_cell(row, 0, FORMAT_PLAIN, driver->facts.driver_version);
        format_cell(row, 1, FORMAT_PLAIN, dates);
        format_cell(row, 2, FORMAT_PLAIN, text_count(number, sum->names));
        format_cell(row, 3, sum->failing ? FORMAT_RED : FORMAT_PLAIN,
                    text_count(number, sum->failing));
        format_cell(row, 4, FORMAT_PLAIN, text_count(number, sum->runs));
        format_cell(row, 5, sum->more ? FORMAT_RED : FORMAT_PLAIN, text_count(number, sum->more));
        format_cell(row, 6, sum->less ? FORMAT_GREEN : FORMAT_PLAIN, text_count(number, sum->less));
        format_cell(row, 7, FORMAT_PLAIN, text_count(number, sum->other_code));
    }
    format_table_print(&table, 40, info->color, out);
    text_puts(out, "\n");
    free(sums);
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
    char number[32];
    if (hidden > 0)
        text_printf(out, "%s configuration%s not shown: -v shows all\n", text_count(number, hidden),
                    hidden == 1 ? " is" : "s are");
    if (history->compared > 0)
        text_printf(out,
                    "p: Fisher's exact test against the previous driver, adjusted for %s "
                    "comparison%s; reported as a change below %g\n",
                    text_count(number, history->compared), history->compared == 1 ? "" : "s",
                    HISTORY_LEVEL);
}

void history_print_drivers(const struct store_index *index, const struct history_info *info,
                           struct text *out)
{
    static const char *const words[] = {"driver", "info", "when", "sessions", "results", "id"};
    struct format_table table = {.columns = 6, .right = {[3] = true, [4] = true}};
    for (size_t i = 0; i < index->driver_count; i++) {
        const struct store_driver *driver = &index->drivers[i];
        const struct dev_facts *facts = &driver->facts;
        char dates[48], number[32];
        if (i == 0 || strcmp(facts->name, index->drivers[i - 1].facts.name) != 0) {
            format_table_print(&table, 40, info->color, out);
            text_printf(out, "%s\n", facts->name);
            format_title(&table, words);
        }
        struct format_row *row = format_row(&table);
        struct text name = {0};
        text_printf(&name, "%s%s%s", facts->driver_name, facts->driver_name[0] ? " " : "",
                    facts->driver_version);
        put_dates(dates, driver->first, driver->last);
        format_cell(row, 0, FORMAT_PLAIN, name.data);
        // Drivers like to say their version again.
        format_cell(row, 1, FORMAT_PLAIN,
                    strcmp(facts->driver_info, facts->driver_version) ? facts->driver_info : "");
        format_cell(row, 2, FORMAT_PLAIN, dates);
        format_cell(row, 3, FORMAT_PLAIN, text_count(number, driver->sessions));
        format_cell(row, 4, FORMAT_PLAIN, text_count(number, driver->results));
        format_cell(row, 5, FORMAT_DIM, driver->id);
        text_free(&name);
    }
    format_table_print(&table, 40, info->color, out);
}

void history_print_sessions(const struct store_index *index, const struct history_info *info,
                            struct text *out)
{
    static const char *const words[] = {"session", "started", "runs", "seed", "", "command"};
    struct format_table table = {.columns = 6, .right = {true, false, true}};
    size_t first = 0;
    if (info->limit > 0 && index->session_count > info->limit)
        first = index->session_count - (size_t)info->limit;
    format_title(&table, words);
    for (size_t i = first; i < index->session_count; i++) {
        const struct store_session *session = &index->sessions[i];
        struct format_row *row = format_row(&table);
        struct text state = {0}, command = {0};
        char number[32];
        if (session->shard)
            text_printf(&state, "shard %ju/%ju ", (uintmax_t)session->shard_index,
                        (uintmax_t)session->shard_count);
        text_puts(&state, session->finished ? "" : "unfinished");
        text_printf(&command, "%.200s%s", session->command,
                    strlen(session->command) > 200 ? "..." : "");
        snprintf(number, sizeof(number), "%lld", (long long)session->id);
        format_cell(row, 0, FORMAT_PLAIN, number);
        format_cell(row, 1, FORMAT_PLAIN, session->started);
        format_cell(row, 2, FORMAT_PLAIN, text_count(number, session->runs));
        snprintf(number, sizeof(number), "0x%jx", (uintmax_t)session->seed);
        format_cell(row, 3, FORMAT_PLAIN, number);
        format_cell(row, 4, FORMAT_YELLOW, state.data ? state.data : "");
        format_cell(row, 5, FORMAT_PLAIN, command.data);
        text_free(&state);
        text_free(&command);
    }
    format_table_print(&table, 40, info->color, out);
    if (first > 0)
        text_printf(out, "  %zu older ones are not shown\n", first);
}

// JSON

#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(9))

static json_t *string(const char *value)
{
    json_t *json = json_string(value);
    return json ? json : json_string("?");
}

static json_t *make_driver(const struct store_driver *driver)
{
    const struct dev_facts *facts = &driver->facts;
    json_t *json = json_object();
    json_object_set_new(json, "id", string(driver->id));
    json_object_set_new(json, "device", string(facts->name));
    json_object_set_new(json, "driver", string(facts->driver_name));
    json_object_set_new(json, "version", string(facts->driver_version));
    json_object_set_new(json, "info", string(facts->driver_info));
    return json;
}

static json_t *make_line(const struct history_line *line)
{
    static const char *const changes[] = {"lower", "none", "higher"};
    json_t *json = json_object();
    json_object_set_new(json, "name", string(line->name));
    json_object_set_new(json, "expectation", string(line->expectation));
    json_object_set_new(json, "device", string(line->driver->id));
    json_object_set_new(json, "sha256", string(line->sha256));
    json_object_set_new(json, "stress", string(line->stress));
    json_object_set_new(json, "rule", string(line->rule));
    json_object_set_new(json, "first", string(line->first));
    json_object_set_new(json, "last", string(line->last));
    json_object_set_new(json, "sessions", json_integer((json_int_t)line->sessions));
    json_object_set_new(json, "repeats", json_integer((json_int_t)line->repeats));
    json_object_set_new(json, "newest_session", json_integer((json_int_t)line->session));
    json_object_set_new(json, "runs", json_integer((json_int_t)line->runs));
    json_object_set_new(json, "judged", json_integer((json_int_t)line->judged));
    json_object_set_new(json, "failed_runs", json_integer((json_int_t)line->failed_runs));
    json_object_set_new(json, "interval",
                        json_pack("[f, f]", line->interval.low, line->interval.high));
    json_object_set_new(json, "other_code", json_boolean(line->other_code));
    if (line->before) {
        json_object_set_new(json, "before", string(line->before->driver->id));
        json_object_set_new(json, "p", json_real(line->p));
        json_object_set_new(json, "adjusted", json_real(line->adjusted));
        json_object_set_new(json, "change", json_string(changes[history_change(line) + 1]));
    }
    return json;
}

// Appends one value, and drops it.
static void dump(struct text *out, json_t *json)
{
    char *line = json_dumps(json, DUMP_FLAGS);
    text_puts(out, line ? line : "null");
    free(line);
    json_decref(json);
}

static void dump_drivers(const struct store_index *index, struct text *out)
{
    text_puts(out, "{\"schema\":\"litmus-history/1\",\n\"drivers\":[");
    for (size_t i = 0; i < index->driver_count; i++) {
        const struct store_driver *driver = &index->drivers[i];
        json_t *json = make_driver(driver);
        json_object_set_new(json, "first", string(driver->first));
        json_object_set_new(json, "last", string(driver->last));
        json_object_set_new(json, "sessions", json_integer((json_int_t)driver->sessions));
        if (driver->results > 0)
            json_object_set_new(json, "results", json_integer((json_int_t)driver->results));
        text_puts(out, i ? ",\n " : "\n ");
        dump(out, json);
    }
    text_puts(out, "]");
}

void history_json(const struct history *history, struct text *out)
{
    dump_drivers(&history->index, out);
    text_puts(out, ",\n\"lines\":[");
    for (size_t i = 0; i < history->line_count; i++) {
        text_puts(out, i ? ",\n " : "\n ");
        dump(out, make_line(&history->lines[i]));
    }
    text_puts(out, "]}\n");
}

void history_json_index(const struct store_index *index, struct text *out)
{
    static const char *const shards[] = {"", "tests", "runs"};
    dump_drivers(index, out);
    text_puts(out, ",\n\"sessions\":[");
    for (size_t i = 0; i < index->session_count; i++) {
        const struct store_session *session = &index->sessions[i];
        char seed[32];
        snprintf(seed, sizeof(seed), "0x%jx", (uintmax_t)session->seed);
        json_t *json = json_object();
        json_object_set_new(json, "session", json_integer((json_int_t)session->id));
        json_object_set_new(json, "uuid", string(session->uuid));
        json_object_set_new(json, "started", string(session->started));
        json_object_set_new(json, "finished", json_boolean(session->finished));
        json_object_set_new(json, "version", string(session->version));
        json_object_set_new(json, "command", string(session->command));
        json_object_set_new(json, "seed", string(seed));
        json_object_set_new(json, "runs", json_integer((json_int_t)session->runs));
        if (session->shard) {
            json_object_set_new(json, "shard", json_string(shards[session->shard]));
            json_object_set_new(json, "index", json_integer((json_int_t)session->shard_index));
            json_object_set_new(json, "count", json_integer((json_int_t)session->shard_count));
        }
        text_puts(out, i ? ",\n " : "\n ");
        dump(out, json);
    }
    text_puts(out, "]}\n");
}
