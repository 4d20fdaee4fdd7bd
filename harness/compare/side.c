// SPDX-License-Identifier: Apache-2.0
// Reads the sources of a side and combines them.
#include "compare/side.h"

#include "base/file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SQLITE_HEAD "SQLite format 3"
#define MOST_BYTES  ((size_t)512 << 20) // of a JSON report

// The parts of a source's name: FILE, FILE#3, FILE#all.
struct place {
    char path[4096];
    int64_t session; // 0: the newest
    bool all;
};

static bool split_name(const char *name, struct place *place, struct lit_error *error)
{
    const char *mark = strrchr(name, '#');
    bool all = mark && strcmp(mark, "#all") == 0;
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    *place = (struct place){0};
    // Take the whole name if a file has it.
    if (!mark || access(name, F_OK) == 0)
        mark = name + strlen(name);
    else if (!all && (digits == 0 || digits > 15 || mark[1 + digits] || mark[1] == '0'))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: expected the number of a session or 'all' after #", name);
    if ((size_t)(mark - name) >= sizeof place->path)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s...: the name is too long", name);
    memcpy(place->path, name, (size_t)(mark - name));
    place->all = *mark && all;
    place->session = *mark && !all ? atoll(mark + 1) : 0;
    return true;
}

// Checks a model from any source.
static bool check_model(const struct report_model *model, const char *label, bool unfinished,
                        struct lit_error *error)
{
    if (!text_is_time(model->session.started))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: the session has no date of its start",
                        label);
    if (model->result_count == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: session %lld has no results", label,
                        (long long)model->session.id);
    if (!model->session.finished && !unfinished)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: session %lld was not finished: go on with 'litmus run --resume', "
                        "or take it as it is with --unfinished",
                        label, (long long)model->session.id);
    return true;
}

int compare_results(const void *left, const void *right)
{
    const struct result *a = *(const struct result *const *)left;
    const struct result *b = *(const struct result *const *)right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return strcmp(a->name, b->name);
}

// Sorts results by device and name. free() it.
static struct result **sorted(const struct report_model *model)
{
    struct result **list = lit_alloc(model->result_count, sizeof *list);
    for (size_t i = 0; i < model->result_count; i++)
        list[i] = &model->results[i];
    if (model->result_count > 0)
        qsort(list, model->result_count, sizeof *list, compare_results);
    return list;
}

static void note_broken(enum eng_result *broke, enum eng_result result)
{
    if (eng_is_broken(result) && !*broke)
        *broke = result;
}

// Moves a model into an empty side.
static void take_first(struct compare_side *side, struct report_model *model)
{
    side->model = *model;
    side->model.store = NULL; // closed before we use the side
    *model = (struct report_model){0};
    side->broke = lit_alloc(side->model.result_count, sizeof *side->broke);
    for (size_t i = 0; i < side->model.result_count; i++)
        note_broken(&side->broke[i], side->model.results[i].result);
}

// Puts all runs of a result into one piece: rates vary more between sessions than between pieces of
// one session.
static void make_one_piece(struct result *result)
{
    struct result all = {0};
    eng_result_add(&all, &result->count, result->failures, 0, true);
    free(all.failures);
    free(result->pieces);
    result->pieces = all.pieces;
    result->piece_count = all.piece_count;
}

bool compare_are_alike(const struct result *a, const struct result *b)
{
    return strcmp(a->sha256, b->sha256) == 0 && strcmp(a->stress, b->stress) == 0 &&
           a->expectation == b->expectation && a->rule[0] == '\0' && b->rule[0] == '\0';
}

static void add_result(struct result *sum, const struct result *more, size_t session)
{
    eng_result_add(sum, &more->count, more->failures, (uint32_t)session, true);
    report_result_rate(sum);
    // A session in which it ended normally says more than one in which it did not.
    if (eng_is_verdict(sum->result) || eng_is_verdict(more->result))
        sum->result = eng_verdict(&sum->count);
}

// Adds the results of another session. Devices must be the very same, driver included; it cannot
// add results with other code, stress or expectation, or with a stopping rule.
static bool put_together(struct compare_side *side, struct report_model *more, const char *label,
                         struct lit_error *error)
{
    struct report_model *model = &side->model;
    for (size_t i = 0; i < more->result_count; i++) {
        struct result *result = &more->results[i];
        const char *id = more->devices[result->device].id;
        size_t device = 0;
        while (device < model->device_count && strcmp(model->devices[device].id, id) != 0)
            device++;
        if (device == model->device_count)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "%.150s cannot be combined with the sessions before it: "
                            "%.100s has another driver, or is missing",
                            label, more->devices[result->device].facts.name);
        result->device = device;
    }
    struct result **ours = sorted(model);
    REPORT_EACH (result, more, REPORT_ALL) {
        struct result **found =
            bsearch(&result, ours, model->result_count, sizeof *ours, compare_results);
        if (!found)
            continue;
        if (!compare_are_alike(*found, result)) {
            free(ours);
            return lit_fail(error, LIT_EXIT_USAGE,
                            "%.100s cannot be combined with the sessions before it: "
                            "%.200s has other code, stress, another expectation or a stopping rule",
                            label, result->name);
        }
        size_t at = (size_t)(*found - model->results);
        note_broken(&side->broke[at], result->result);
        add_result(*found, result, side->sources);
    }
    free(ours);
    struct text drivers = {0};
    text_printf(&drivers, "%s%s", model->drivers, more->drivers);
    free(model->drivers);
    model->drivers = drivers.data;
    return true;
}

// Takes the sessions of a source.
struct taking {
    compare_take *take;
    void *user;
    bool every; // all sessions of a store without a number
};

static bool take_session(const struct taking *taking, struct store *store, int64_t id,
                         struct lit_error *error)
{
    struct report_model model = {0};
    if (!report_model_load(store, id, &model, error)) {
        report_model_clear(&model);
        return false;
    }
    return taking->take(&model, store_path(store), taking->user, error);
}

static bool take_store(const struct taking *taking, const struct place *place,
                       struct lit_error *error)
{
    OWNED(store_session_clear) struct store_session newest = {0};
    OWNED(store_close) struct store *store = store_open_read(place->path, error);
    if (!store)
        return false;
    bool good = true;
    if (!place->all && !(taking->every && !place->session)) {
        good = take_session(taking, store, place->session, error);
    } else if ((good = store_session_load(store, 0, false, &newest, error))) {
        for (int64_t id = 1; good && id <= newest.id; id++) {
            OWNED(store_session_clear) struct store_session session = {0};
            // Session numbers may have gaps.
            if (!store_session_load(store, id, false, &session, NULL))
                continue;
            good = take_session(taking, store, id, error);
        }
    }
    return good;
}

bool compare_report_read(struct text *bytes, const char *path, const char *shown,
                         struct lit_error *error)
{
    if (!lit_file_read(path, MOST_BYTES, bytes, error))
        return false;
    for (size_t i = 0, mark = text_mark(bytes->data ? bytes->data : "", bytes->length); i < mark;
         i++)
        bytes->data[i] = ' ';
    if (bytes->length == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: the file is empty", shown);
    if (strncmp(bytes->data, SQLITE_HEAD, sizeof SQLITE_HEAD - 1) == 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: a store, not a JSON report: 'litmus store check' checks it",
                        shown);
    return bytes->data[strspn(bytes->data, " \t\r\n")] == '{' ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: neither a store nor a JSON report of litmus%s",
                    shown, strncmp(bytes->data, "\x1f\x8b", 2) == 0 ? " (unpack it first)" : "");
}

static bool take_report(const struct taking *taking, const char *path, const char *shown,
                        struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    struct report_model model = {0};
    if (compare_report_read(&bytes, path, shown, error) &&
        compare_side_parse(bytes.data, bytes.length, shown, &model, error))
        return taking->take(&model, shown, taking->user, error);
    report_model_clear(&model);
    return false;
}

bool compare_source_each(const char *name, bool every, compare_take *take, void *user,
                         struct lit_error *error)
{
    const struct taking taking = {take, user, every};
    struct place place;
    OWNED(text_free) struct text head = {0};
    if (strcmp(name, "-") == 0)
        return take_report(&taking, "/dev/stdin", "standard input", error);
    if (!split_name(name, &place, error))
        return false;
    struct stat what;
    if (stat(place.path, &what) != 0 || access(place.path, R_OK) != 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", place.path, strerror(errno));
    // We can read a pipe only once: do not look into it.
    const bool is_store = S_ISREG(what.st_mode) &&
                          text_read(&head, place.path, sizeof SQLITE_HEAD - 1) &&
                          head.length >= sizeof SQLITE_HEAD &&
                          memcmp(head.data, SQLITE_HEAD, sizeof SQLITE_HEAD) == 0;
    if (is_store)
        return take_store(&taking, &place, error);
    if (place.all || place.session)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s is not a store, and has no sessions to choose", place.path);
    return take_report(&taking, place.path, place.path, error);
}

// A side that we are combining.
struct adding {
    struct compare_side *side;
    bool unfinished;
};

// Adds one session's model to the side; takes over its contents.
static bool add_model(struct report_model *model, const char *label, void *user,
                      struct lit_error *error)
{
    const struct adding *adding = user;
    struct compare_side *side = adding->side;
    bool good = check_model(model, label, adding->unfinished, error);
    if (good) {
        side->unfinished = side->unfinished || !model->session.finished;
        if (strncmp(model->session.started, side->started, 10) > 0)
            snprintf(side->started, sizeof side->started, "%.10s", model->session.started);
        REPORT_EACH (result, model, REPORT_ALL)
            side->partial += result->result == ENG_PARTIAL;
        if (side->sources == 0) {
            take_first(side, model);
        } else {
            for (size_t i = 0; side->sources == 1 && i < side->model.result_count; i++)
                make_one_piece(&side->model.results[i]);
            good = put_together(side, model, label, error);
        }
        side->sources++;
    }
    report_model_clear(model);
    return good;
}

static void add_label(struct text *label, const char *name)
{
    size_t size = strlen(name) + 1;
    OWNED(lit_free) char *clean = lit_alloc(size, 1);
    text_sanitise(clean, size, strcmp(name, "-") == 0 ? "standard input" : name);
    text_printf(label, "%s%s", label->length ? ", " : "", clean);
}

bool compare_side_load(struct compare_side *side, const struct compare_source *source,
                       struct lit_error *error)
{
    struct adding adding = {side, source->unfinished};
    struct text label = {0};
    *side = (struct compare_side){0};
    for (size_t i = 0; i < source->count; i++) {
        add_label(&label, source->names[i]);
        if (!compare_source_each(source->names[i], false, add_model, &adding, error)) {
            text_free(&label);
            return false;
        }
    }
    side->label = label.data;
    return true;
}

bool compare_side_session(struct compare_side *side, struct store *store, int64_t session,
                          struct lit_error *error)
{
    *side = (struct compare_side){.label = lit_strdup(store_path(store))};
    struct adding adding = {side, true};
    return take_session(&(struct taking){add_model, &adding, false}, store, session, error);
}

void compare_side_clear(struct compare_side *side)
{
    for (size_t i = 0; side->places && i < side->model.device_count; i++)
        free(side->places[i]);
    free(side->places);
    free(side->label);
    free(side->broke);
    report_model_clear(&side->model);
    *side = (struct compare_side){0};
}
