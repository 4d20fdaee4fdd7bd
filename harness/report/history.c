// SPDX-License-Identifier: Apache-2.0
// Sums results over sessions, and compares drivers.
#include "report/history.h"

#include "report/model.h"
#include "stats/stats.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
    char *low = lit_strdup(device), *name = lit_strdup(driver->facts.name);
    char *const both[] = {low, name};
    for (size_t i = 0; i < 2; i++)
        for (char *c = both[i]; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    bool named = strstr(name, low) || text_glob(low, name) || strcasecmp(device, driver->id) == 0 ||
                 strcmp(device, driver->facts.driver_version) == 0;
    free(low);
    free(name);
    return named;
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
