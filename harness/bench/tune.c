// SPDX-License-Identifier: Apache-2.0
// The search for a device's best scan, and the files of choices and of CUB's times.
#include "bench/tune.h"

#include "base/file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

#define SCHEMA       "litmus-lookback-tuned/1"
#define MOST_CHOICES 4096 // per file
#define MOST_BYTES   ((size_t)64 << 20)

// --- The search

// Timed rounds, and rows that advance to the next stage.
static const struct {
    uint32_t repeats;
    size_t keep;
} rungs[] = {{3, 64}, {7, 16}, {15, 6}, {31, 1}};

static void add_copies(struct look_set *set, uint64_t elements)
{
    for (size_t i = 0; i < look_copies(); i++) {
        const struct bench_row row = look_row(i, elements);
        set->has[i] = set->has[i] || look_row_exists(&row);
    }
}

size_t look_keep(const struct bench_result *result, size_t keep, struct look_set *kept)
{
    OWNED(lit_free) const struct bench_measured **rows = NULL;
    const size_t count = bench_result_rank(result, BENCH_LOOKBACK, &rows);
    memset(kept, 0, sizeof *kept);
    for (size_t i = 0; i < count && i < keep; i++)
        kept->has[rows[i]->number] = true;
    return count < keep ? count : keep;
}

void look_move_failed(struct bench_result *from, struct bench_result *to)
{
    size_t left = 0;
    for (size_t i = 0; i < from->count; i++) {
        const struct bench_measured *measured = &from->rows[i];
        if (!measured->wrong && !measured->expired && measured->state != BENCH_REFUSED) {
            from->rows[left++] = from->rows[i];
            continue;
        }
        to->rows = lit_realloc(to->rows, to->count + 1, sizeof *to->rows);
        to->rows[to->count++] = from->rows[i];
    }
    from->count = left;
}

// Runs stage by stage; moves failed rows to *failed.
static bool climb(const struct look_search *search, double budget, uint64_t elements,
                  const struct look_set *set, struct bench_size *size, struct bench_result *failed)
{
    const size_t last = sizeof rungs / sizeof *rungs - 1;
    const double began = search->now();
    struct look_set left = *set;
    for (size_t r = 0; r <= last; r++) {
        char line[160];
        // The last stage decides, and runs even if the time is over.
        if (r && search->now() - began > budget)
            r = last;
        const size_t rows = look_set_count(&left);
        if (r < last && rows <= rungs[r].keep)
            continue;
        snprintf(line, sizeof line, "%" PRIu64 " words: %zu rows, %u times each", elements, rows,
                 rungs[r].repeats);
        search->say(line, search->user);
        if (r == last)
            add_copies(&left, elements);
        bench_result_clear(&size->result);
        const bool more = search->measure(elements, &left, rungs[r].repeats, size, search->user);
        look_move_failed(&size->result, failed);
        if (!more || size->end != ENG_PASS)
            return false;
        const size_t keep = search->now() - began > budget ? rungs[last - 1].keep : rungs[r].keep;
        if (!look_keep(&size->result, keep, &left))
            return false;
    }
    return true;
}

bool look_search(const struct look_search *search, double budget, uint64_t elements,
                 const struct look_set *set, struct bench_size *size)
{
    OWNED(bench_result_clear) struct bench_result failed = {0};
    const bool found = climb(search, budget, elements, set, size, &failed);
    look_move_failed(&failed, &size->result);
    return found;
}

// --- Files. They are not trusted.

// Parses a JSON file with a schema. NULL with an error; for a missing file NULL without one and
// *missing set.
static json_t *read_json(const char *path, const char *schema, bool *missing,
                         struct lit_error *error)
{
    const char *own = "";
    OWNED(text_free) struct text bytes = {0};
    const bool read = lit_file_read(path, MOST_BYTES, &bytes, error);
    *missing = !read && errno == ENOENT;
    if (!read)
        return NULL;
    json_t *root =
        json_loadb(bytes.data ? bytes.data : "", bytes.length, JSON_REJECT_DUPLICATES, NULL);
    if (json_unpack(root, "{s:s}", "schema", &own) == 0 && strcmp(own, schema) == 0)
        return root;
    json_decref(root);
    lit_fail(error, LIT_EXIT_USAGE, "%s: not a file of %s", path, schema);
    return NULL;
}

static bool is_time(double ns)
{
    return isfinite(ns) && ns >= 0;
}

static bool read_choice(json_t *item, struct look_tuned *choice)
{
    const char *id = "", *name = "", *driver = "", *row = "";
    json_int_t elements = 0;
    if (json_unpack(item, "{s:s, s?s, s?s, s:I, s:s, s?F, s?F}", "id", &id, "device", &name,
                    "driver", &driver, "elements", &elements, "row", &row, "ns", &choice->ns,
                    "of_copy", &choice->of_copy) != 0)
        return false;
    text_sanitise(choice->id, sizeof choice->id, id);
    text_sanitise(choice->name, sizeof choice->name, name);
    text_sanitise(choice->driver, sizeof choice->driver, driver);
    text_sanitise(choice->row, sizeof choice->row, row);
    choice->elements = (uint64_t)elements;
    return strlen(choice->id) == DEV_ID_SIZE - 1 && choice->row[0] && elements >= LOOK_ELEMENTS &&
           choice->elements <= LOOK_MOST && is_time(choice->ns) && is_time(choice->of_copy);
}

bool look_tuned_read(const char *path, struct look_tunings *tunings, struct lit_error *error)
{
    struct lit_error why = {0};
    bool missing = false;
    *tunings = (struct look_tunings){0};
    json_t *root = read_json(path, SCHEMA, &missing, &why),
           *list = json_object_get(root, "choices");
    bool good = root && json_is_array(list) && json_array_size(list) <= MOST_CHOICES;
    for (size_t i = 0; i < json_array_size(list) && good; i++) {
        struct look_tuned choice = {0};
        good = read_choice(json_array_get(list, i), &choice);
        if (good)
            look_tuned_put(tunings, &choice);
    }
    json_decref(root);
    if (good || missing)
        return true;
    look_tuned_clear(tunings);
    return lit_fail(error, LIT_EXIT_USAGE, "%s: not what 'litmus bench lookback --tune' writes%s%s",
                    path, why.code ? ": " : "", why.code ? why.message : "");
}

bool look_tuned_write(const char *path, const struct look_tunings *tunings, struct lit_error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tunings->count; i++) {
        const struct look_tuned *choice = &tunings->items[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:I, s:s, s:f, s:f}", "id", choice->id,
                                        "device", choice->name, "driver", choice->driver,
                                        "elements", (json_int_t)choice->elements, "row",
                                        choice->row, "ns", choice->ns, "of_copy", choice->of_copy));
    }
    json_auto_t *root = json_pack("{s:s, s:o}", "schema", SCHEMA, "choices", list);
    OWNED(lit_free)
    char *dump = lit_have(json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9)));
    OWNED(text_free) struct text text = text_format("%s\n", dump);
    return lit_file_write(path, text.data, text.length, error);
}

struct look_tuned *look_tuned_at(const struct look_tunings *tunings, const char *id,
                                 uint64_t elements)
{
    for (size_t i = 0; i < tunings->count; i++)
        if (strcmp(tunings->items[i].id, id) == 0 && tunings->items[i].elements == elements)
            return &tunings->items[i];
    return NULL;
}

void look_tuned_put(struct look_tunings *tunings, const struct look_tuned *choice)
{
    struct look_tuned *before = look_tuned_at(tunings, choice->id, choice->elements);
    if (before) {
        *before = *choice;
        return;
    }
    LIT_ADD(tunings->items, tunings->count) = *choice;
}

void look_tuned_clear(struct look_tunings *tunings)
{
    free(tunings->items);
    memset(tunings, 0, sizeof *tunings);
}

// log2(a / b), for powers of two.
static unsigned doublings(uint64_t a, uint64_t b)
{
    unsigned count = 0;
    for (uint64_t less = a < b ? a : b; less < (a < b ? b : a) && count < 32; less *= 2)
        count++;
    return count;
}

bool look_tuned_find(const struct look_tunings *tunings, const char *id,
                     const struct dev_facts *facts, uint64_t elements, size_t *number)
{
    unsigned nearest = 2; // a choice for a factor of four or more may be far from the best
    for (size_t i = 0; i < tunings->count; i++) {
        const struct look_tuned *choice = &tunings->items[i];
        const unsigned distance = doublings(choice->elements, elements);
        size_t found;
        if (strcmp(choice->id, id) != 0 || distance >= nearest ||
            !look_row_find(choice->row, &found))
            continue;
        const struct bench_row row = look_row(found, elements);
        if (row.kind != BENCH_LOOKBACK || !bench_row_fits(&row, facts, NULL))
            continue;
        nearest = distance;
        *number = found;
    }
    return nearest < 2;
}

bool look_cub_read(const char *path, struct look_cub *cub, struct lit_error *error)
{
    const char *device = "";
    bool missing;
    *cub = (struct look_cub){0};
    json_t *root = read_json(path, "litmus-bench-cub/1", &missing, error), *list = NULL;
    if (!root)
        return false;
    bool good = json_unpack(root, "{s?s, s:o}", "device", &device, "sizes", &list) == 0 &&
                json_is_array(list) && json_array_size(list) <= BENCH_SIZES;
    text_sanitise(cub->device, sizeof cub->device, device);
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        struct look_cub_size *size = &cub->sizes[cub->count++];
        json_int_t words = 0, wrong = 1;
        good = json_unpack(json_array_get(list, i), "{s:I, s:{s:F, s:I}, s?{s?F}}", "elements",
                           &words, "scan", "median_ns", &size->scan, "wrong", &wrong, "copy",
                           "median_ns", &size->copy) == 0 &&
               words > 0 && (uint64_t)words <= LOOK_MOST && is_time(size->scan) &&
               is_time(size->copy) && wrong == 0;
        size->elements = (uint64_t)words;
    }
    json_decref(root);
    return good ||
           lit_fail(error, LIT_EXIT_USAGE, "%s: not what tools/bench-cub writes, or wrong", path);
}

double look_cub_scan(const struct look_cub *cub, const char *device, uint64_t elements)
{
    for (size_t i = 0; i < cub->count && strcmp(cub->device, device) == 0; i++)
        if (cub->sizes[i].elements == elements)
            return cub->sizes[i].scan;
    return 0;
}
