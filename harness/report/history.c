// SPDX-License-Identifier: Apache-2.0
// Sums results over sessions, compares drivers, and prints histories as tables and as JSON.
#include "report/history.h"

#include "report/fields.h"
#include "report/format.h"
#include "report/known.h"
#include "stats/stats.h"

#include <ctype.h>

// A result that a line counts.
struct history_taken {
    uint64_t seed, first, runs, failed_runs, no_progress_runs;
};

// Lines of the current name, which still take results.
struct gathering {
    struct history *history;
    const char *const *patterns;
    size_t pattern_count;
    const char *device;
    const struct report_model *model;
    const struct result **sorted; // the model's results by name
    size_t name_first;            // the name's first line
};

bool history_names_driver(const char *device, const struct store_driver *driver)
{
    OWNED(lit_free) char *low = lit_strdup(device), *name = lit_strdup(driver->facts.name);
    char *const both[] = {low, name};
    for (size_t i = 0; i < 2; i++)
        for (char *c = both[i]; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    return strstr(name, low) || text_glob(low, name) || strcasecmp(device, driver->id) == 0 ||
           strcmp(device, driver->facts.driver_version) == 0;
}

static bool is_asked(const char *name, const struct store_driver *driver, void *user)
{
    const struct gathering *gathering = user;
    if (gathering->device && !history_names_driver(gathering->device, driver))
        return false;
    for (size_t i = 0; i < gathering->pattern_count; i++)
        if (cfg_matches(gathering->patterns[i], name))
            return true;
    return gathering->pattern_count == 0;
}

static int compare_taken(const void *left, const void *right)
{
    const struct history_taken *a = left, *b = right;
    if (a->seed != b->seed)
        return a->seed < b->seed ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->runs > b->runs ? -1 : a->runs < b->runs;
}

static void count_taken(struct history_line *line, const struct history_taken *taken, bool add)
{
    uint64_t sign = add ? 1 : UINT64_MAX; // -1
    line->runs += sign * taken->runs;
    line->failed_runs += sign * taken->failed_runs;
    line->judged += sign * (taken->runs - taken->no_progress_runs);
}

// Sums the results taken: if runs of one seed overlap, counts the result with more of them.
static void close_line(struct history_line *line)
{
    const struct history_taken *last = NULL;
    qsort(line->taken, line->taken_count, sizeof *line->taken, compare_taken);
    for (size_t i = 0; i < line->taken_count; i++) {
        const struct history_taken *taken = &line->taken[i];
        bool again = last && last->seed == taken->seed && taken->first - last->first < last->runs;
        if (again) {
            line->repeats++;
            if (taken->runs <= last->runs)
                continue;
            count_taken(line, last, false);
        }
        count_taken(line, taken, true);
        last = taken;
    }
    line->interval = report_interval(line->failed_runs, line->judged, line->rule);
    free(line->taken);
    line->taken = NULL;
}

static bool same_driver(const struct store_driver *a, const struct store_driver *b)
{
    return strcmp(a->facts.driver_version, b->facts.driver_version) == 0 &&
           strcmp(a->facts.driver_info, b->facts.driver_info) == 0 &&
           strcmp(a->facts.driver_name, b->facts.driver_name) == 0;
}

// Compares the lines of one name.
static void compare_drivers(struct history *history, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct history_line *line = &history->lines[i];
        bool nearest = true;
        for (size_t j = i; j-- > first && !line->before;) {
            struct history_line *older = &history->lines[j];
            if (strcmp(line->driver->facts.name, older->driver->facts.name) != 0 ||
                strcmp(line->stress, older->stress) != 0)
                continue;
            bool same_code = strcmp(line->sha256, older->sha256) == 0;
            line->other_code = line->other_code || (nearest && !same_code);
            nearest = false;
            if (same_code && !line->rule[0] && !older->rule[0] && older->judged > 0 &&
                line->judged > 0 && !same_driver(line->driver, older->driver))
                line->before = older;
        }
        line->p = line->adjusted = 1;
        if (line->before)
            line->p = stat_fisher(line->before->failed_runs, line->before->judged,
                                  line->failed_runs, line->judged, STAT_TWO_SIDED);
        history->compared += line->before != NULL;
    }
}

static void close_name(struct gathering *gathering)
{
    struct history *history = gathering->history;
    for (; gathering->name_first < history->line_count; gathering->name_first++)
        close_line(&history->lines[gathering->name_first]);
}

static struct history_line *add_line(struct history *history, const struct store_past *past)
{
    struct history_line *line = &LIT_ADD(history->lines, history->line_count);
    *line = (struct history_line){
        .driver = past->driver,
        .name = lit_strdup(past->name),
        .sha256 = lit_strdup(past->sha256),
        .stress = lit_strdup(past->stress),
        .rule = lit_strdup(past->rule),
        .expectation = cat_expectation_name(past->expectation),
        .first = past->session->started,
        .last = past->session->started,
    };
    return line;
}

// The line that a result belongs to; NULL if it needs a new one.
static struct history_line *find_line(const struct gathering *gathering,
                                      const struct store_past *past)
{
    for (size_t i = gathering->name_first; i < gathering->history->line_count && !past->rule[0];
         i++) {
        struct history_line *line = &gathering->history->lines[i];
        if (line->driver == past->driver && !line->rule[0] &&
            strcmp(line->sha256, past->sha256) == 0 && strcmp(line->stress, past->stress) == 0)
            return line;
    }
    return NULL;
}

static bool take(const struct store_past *past, void *user)
{
    struct gathering *gathering = user;
    struct history *history = gathering->history;
    if (past->result == ENG_SKIP)
        return true;
    if (history->line_count == 0 ||
        strcmp(history->lines[history->line_count - 1].name, past->name) != 0) {
        close_name(gathering);
        history->name_count++;
    }
    struct history_line *line = find_line(gathering, past);
    if (!line)
        line = add_line(history, past);
    LIT_ADD(line->taken, line->taken_count) = (struct history_taken){
        past->seed, past->first, past->runs, past->failed_runs, past->no_progress_runs};
    line->sessions++;
    line->session = past->session->id;
    line->last = past->session->started;
    return true;
}

static void adjust(struct history *history)
{
    OWNED(lit_free) double *p = lit_alloc(history->compared, sizeof(*p));
    size_t count = 0;
    for (size_t i = 0; i < history->line_count; i++)
        if (history->lines[i].before)
            p[count++] = history->lines[i].p;
    stat_benjamini_hochberg(p, count, p);
    count = 0;
    for (size_t i = 0; i < history->line_count; i++)
        if (history->lines[i].before)
            history->lines[i].adjusted = p[count++];
}

static bool load(struct store *store, struct gathering *gathering, const struct store_query *query,
                 struct lit_error *error)
{
    struct history *history = gathering->history;
    bool good = store_history(store, query, take, gathering, error);
    close_name(gathering);
    // Lines move while we add more, so set pointers to them last.
    for (size_t i = 0, end; good && i < history->line_count; i = end) {
        for (end = i + 1; end < history->line_count &&
                          strcmp(history->lines[i].name, history->lines[end].name) == 0;)
            end++;
        compare_drivers(history, i, end);
    }
    if (good)
        adjust(history);
    return good;
}

bool history_load(struct store *store, const char *const *patterns, size_t pattern_count,
                  const char *device, struct history *history, struct lit_error *error)
{
    *history = (struct history){0};
    struct gathering gathering = {
        .history = history,
        .patterns = patterns,
        .pattern_count = pattern_count,
        .device = device,
    };
    const struct store_query query = {.pattern = pattern_count == 1 ? patterns[0] : NULL,
                                      .wants = is_asked,
                                      .index = &history->index};
    return store_index_load(store, false, &history->index, error) &&
           load(store, &gathering, &query, error);
}

static int compare_names(const void *left, const void *right)
{
    const struct result *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static bool is_of_model(const char *name, const struct store_driver *driver, void *user)
{
    const struct gathering *gathering = user;
    const struct report_model *model = gathering->model;
    const struct result key = {.name = (char *)name}, *wanted = &key;
    bool has = false;
    if (bsearch(&wanted, gathering->sorted, model->result_count, sizeof wanted, compare_names))
        for (size_t i = 0; i < model->device_count && !has; i++)
            has = strcmp(model->devices[i].facts.name, driver->facts.name) == 0;
    return has;
}

bool history_load_model(struct store *store, const struct report_model *model,
                        struct history *history, struct lit_error *error)
{
    *history = (struct history){0};
    OWNED(lit_free)
    const struct result **sorted = lit_alloc(model->result_count + 1, sizeof *sorted);
    struct gathering gathering = {.history = history, .model = model, .sorted = sorted};
    const struct store_query query = {.wants = is_of_model, .index = &history->index};
    for (size_t i = 0; i < model->result_count; i++)
        sorted[i] = &model->results[i];
    qsort(sorted, model->result_count, sizeof *sorted, compare_names);
    return store_index_load(store, false, &history->index, error) &&
           (history->index.session_count < 2 || load(store, &gathering, &query, error));
}

size_t history_end(const struct history *history, size_t first)
{
    const struct history_line *line = &history->lines[first];
    size_t end = first + 1;
    while (end < history->line_count && strcmp(line->name, history->lines[end].name) == 0 &&
           strcmp(line->driver->facts.name, history->lines[end].driver->facts.name) == 0)
        end++;
    return end;
}

void history_clear(struct history *history)
{
    for (size_t i = 0; i < history->line_count; i++) {
        struct history_line *line = &history->lines[i];
        free(line->name);
        free(line->sha256);
        free(line->stress);
        free(line->rule);
    }
    free(history->lines);
    store_index_clear(&history->index);
    *history = (struct history){0};
}

int history_change(const struct history_line *line)
{
    if (!line->before || line->adjusted >= HISTORY_LEVEL)
        return 0;
    double now = (double)line->failed_runs / (double)line->judged;
    double then = (double)line->before->failed_runs / (double)line->before->judged;
    return now > then ? 1 : -1;
}

// ---- tables

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
        text_printf(text, "%s%s %s, p %s", text->length ? ", " : "",
                    change > 0   ? "higher than on"
                    : change < 0 ? "lower than on"
                                 : "no change from",
                    line->before->driver->facts.driver_version,
                    line->adjusted < 1e-300 ? "< 1e-300" : RATE(line->adjusted, 0));
    }
    if (line->repeats > 0)
        text_printf(text, "%s%zu duplicate%s omitted", text->length ? ", " : "", line->repeats,
                    line->repeats == 1 ? "" : "s");
}

static void put_line(struct table *table, const struct history_line *line)
{
    OWNED(text_free) struct text remark = {0};
    const int change = history_change(line);
    char dates[48];
    put_dates(dates, line->first, line->last);
    table_row(table);
    table_cells(table, "%s\t%s\t%s", line->driver->facts.driver_version, dates,
                COUNT(line->sessions - line->repeats));
    table_count(table, is_bad(line) ? TONE_BAD : TONE_PLAIN, line->failed_runs);
    table_count(table, TONE_PLAIN, line->judged);
    table_rate(table, TONE_PLAIN, line->failed_runs, line->judged, line->interval)->group =
        CAT_CONTROL + 1;
    put_remark(line, &remark);
    table_put(table,
              change > 0   ? TONE_BAD
              : change < 0 ? TONE_GOOD
                           : TONE_SOFT,
              "%s", remark.data ? remark.data : "");
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

// Prints all lines of one configuration.
static void print_name(const struct history *history, size_t first, const struct history_info *info,
                       struct text *out)
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
        table_cells(&table, "%s\t%s\t%s", driver->facts.driver_version, dates, COUNT(sum->names));
        table_count(&table, TONE_BAD, sum->failing);
        table_count(&table, TONE_PLAIN, sum->runs);
        table_count(&table, TONE_BAD, sum->more);
        table_count(&table, TONE_GOOD, sum->less);
        table_count(&table, TONE_PLAIN, sum->other_code);
    }
    print_table(&table, info, out);
    text_puts(out, "\n");
}

void history_print(const struct history *history, const struct history_info *info, struct text *out)
{
    bool all = info->all || history->name_count <= DETAILS_MOST;
    size_t hidden = 0, changed = 0;
    if (!all)
        print_summary(history, info, out);
    for (size_t at = 0; at < history->line_count;) {
        bool change = false;
        size_t next = at;
        for (; next < history->line_count && same_name(&history->lines[at], &history->lines[next]);
             next++)
            change |= history_change(&history->lines[next]) != 0;
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
        // Some drivers repeat their version as their info.
        const bool repeats = strcmp(facts->driver_info, facts->driver_version) == 0;
        table_cells(&table, "%s%s%s\t%s\t%s\t%s\t%s", facts->driver_name,
                    facts->driver_name[0] ? " " : "", facts->driver_version,
                    repeats ? "" : facts->driver_info, dates, COUNT(driver->sessions),
                    COUNT(driver->results));
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
        table_cells(&table, "%jd\t%s\t%s\t0x%jx", (intmax_t)session->id, session->started,
                    COUNT(session->runs), (uintmax_t)session->seed);
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
