// SPDX-License-Identifier: Apache-2.0
// The search for the best scan of a device, and the file that keeps what was found.
#include "cli/bench_lookback.h"

#include "base/file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA       "litmus-lookback-tuned/1"
#define MOST_CHOICES 4096 // in a file

// --- The search

// Rounds that count; and how many rows go on to the next.
static const struct {
    uint32_t repeats;
    size_t keep;
} rungs[] = {{3, 64}, {7, 16}, {15, 6}, {31, 1}};

static void add_copies(struct look_set *set, uint32_t elements)
{
    for (size_t i = 0; i < look_rows(); i++) {
        const struct look_row row = look_row(i);
        set->has[i] = set->has[i] || (row.copy && look_row_exists(&row, elements));
    }
}

// Rung by rung; what failed in one of them is moved to *failed.
static bool climb(const struct cli_look_tune *tune, double budget, uint32_t elements,
                  const struct look_set *set, struct cli_look_size *size,
                  struct look_result *failed)
{
    const size_t last = sizeof rungs / sizeof *rungs - 1;
    const double began = tune->now();
    struct look_set left = *set;
    for (size_t r = 0; r <= last; r++) {
        char line[160];
        // The last one decides, and is timed whatever the time is.
        if (r && tune->now() - began > budget)
            r = last;
        const size_t rows = look_set_count(&left);
        if (r < last && rows <= rungs[r].keep)
            continue;
        snprintf(line, sizeof line, "%" PRIu32 " words: %zu rows, %" PRIu32 " times each", elements,
                 rows, rungs[r].repeats);
        tune->say(line, tune->user);
        if (r == last)
            add_copies(&left, elements);
        look_result_clear(&size->result);
        const bool more = tune->measure(elements, &left, rungs[r].repeats, size, tune->user);
        look_result_move_failed(&size->result, failed);
        if (!more || size->end != ENG_PASS)
            return false;
        const size_t keep = tune->now() - began > budget ? rungs[last - 1].keep : rungs[r].keep;
        if (!look_result_keep(&size->result, keep, &left))
            return false;
    }
    return true;
}

bool cli_look_search(const struct cli_look_tune *tune, double budget, uint32_t elements,
                     const struct look_set *set, struct cli_look_size *size)
{
    struct look_result failed = {0};
    const bool found = climb(tune, budget, elements, set, size, &failed);
    look_result_move_failed(&failed, &size->result);
    look_result_clear(&failed);
    return found;
}

// --- The file

static void copy_text(char *target, size_t size, const json_t *value)
{
    const char *text = json_string_value(value);
    text_sanitise(target, size, text ? text : "");
}

static bool read_choice(const json_t *item, struct cli_look_tuned *choice)
{
    const json_t *elements = json_object_get(item, "elements");
    const json_int_t words = json_integer_value(elements);
    copy_text(choice->id, sizeof choice->id, json_object_get(item, "id"));
    copy_text(choice->name, sizeof choice->name, json_object_get(item, "device"));
    copy_text(choice->driver, sizeof choice->driver, json_object_get(item, "driver"));
    copy_text(choice->row, sizeof choice->row, json_object_get(item, "row"));
    choice->ns = json_number_value(json_object_get(item, "ns"));
    choice->of_copy = json_number_value(json_object_get(item, "of_copy"));
    choice->elements = (uint32_t)words;
    return strlen(choice->id) == 16 && choice->row[0] && words >= LOOK_ELEMENTS &&
           words <= LOOK_MOST && isfinite(choice->ns) && choice->ns >= 0 &&
           isfinite(choice->of_copy) && choice->of_copy >= 0;
}

bool cli_look_tuned_read(const char *path, struct cli_look_tunings *tunings,
                         struct lit_error *error)
{
    json_error_t where;
    memset(tunings, 0, sizeof *tunings);
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT)
        return true;
    if (!file)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, strerror(errno));
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
    fclose(file);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const json_t *list = json_object_get(root, "choices");
    const size_t count = json_array_size(list);
    bool good =
        schema && strcmp(schema, SCHEMA) == 0 && json_is_array(list) && count <= MOST_CHOICES;
    for (size_t i = 0; i < count && good; i++) {
        struct cli_look_tuned choice = {0};
        good = read_choice(json_array_get(list, i), &choice);
        if (good)
            cli_look_tuned_put(tunings, &choice);
    }
    json_decref(root);
    if (!good) {
        cli_look_tuned_clear(tunings);
        return lit_fail(error, LIT_EXIT_USAGE, "%s: not what 'litmus bench lookback --tune' writes",
                        path);
    }
    return true;
}

bool cli_look_tuned_write(const char *path, const struct cli_look_tunings *tunings,
                          struct lit_error *error)
{
    json_t *root = json_object(), *list = json_array();
    struct text text = {0};
    for (size_t i = 0; i < tunings->count; i++) {
        const struct cli_look_tuned *choice = &tunings->items[i];
        json_t *item = json_object();
        json_object_set_new(item, "id", json_string(choice->id));
        json_object_set_new(item, "device", json_string(choice->name));
        json_object_set_new(item, "driver", json_string(choice->driver));
        json_object_set_new(item, "elements", json_integer(choice->elements));
        json_object_set_new(item, "row", json_string(choice->row));
        json_object_set_new(item, "ns", json_real(choice->ns));
        json_object_set_new(item, "of_copy", json_real(choice->of_copy));
        json_array_append_new(list, item);
    }
    json_object_set_new(root, "schema", json_string(SCHEMA));
    json_object_set_new(root, "choices", list);
    char *dump = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(root);
    text_puts(&text, dump ? dump : "null");
    text_puts(&text, "\n");
    free(dump);
    const bool written = lit_file_write(path, text.data, text.length, error);
    text_free(&text);
    return written;
}

struct cli_look_tuned *cli_look_tuned_at(const struct cli_look_tunings *tunings, const char *id,
                                         uint32_t elements)
{
    for (size_t i = 0; i < tunings->count; i++)
        if (strcmp(tunings->items[i].id, id) == 0 && tunings->items[i].elements == elements)
            return &tunings->items[i];
    return NULL;
}

void cli_look_tuned_put(struct cli_look_tunings *tunings, const struct cli_look_tuned *choice)
{
    struct cli_look_tuned *before = cli_look_tuned_at(tunings, choice->id, choice->elements);
    if (before) {
        *before = *choice;
        return;
    }
    tunings->items = lit_realloc(tunings->items, tunings->count + 1, sizeof *tunings->items);
    tunings->items[tunings->count++] = *choice;
}

void cli_look_tuned_clear(struct cli_look_tunings *tunings)
{
    free(tunings->items);
    memset(tunings, 0, sizeof *tunings);
}

// Of two powers of two.
static unsigned doublings(uint32_t a, uint32_t b)
{
    unsigned count = 0;
    for (uint32_t less = a < b ? a : b; less < (a < b ? b : a) && count < 32; less *= 2)
        count++;
    return count;
}

bool cli_look_tuned_find(const struct cli_look_tunings *tunings, const char *id,
                         const struct dev_facts *facts, uint32_t elements, size_t *number)
{
    unsigned nearest = 2; // what suits a quarter or four times as much may be far from the best
    for (size_t i = 0; i < tunings->count; i++) {
        const struct cli_look_tuned *choice = &tunings->items[i];
        const unsigned apart = doublings(choice->elements, elements);
        size_t row;
        if (strcmp(choice->id, id) != 0 || apart >= nearest || !look_row_find(choice->row, &row) ||
            look_kind(row) != LOOK_WHOLE || !look_row_fits(row, elements, facts, NULL))
            continue;
        nearest = apart;
        *number = row;
    }
    return nearest < 2;
}

// --- What tools/bench-cub wrote

bool cli_cub_read(const char *path, struct cli_cub *cub, struct lit_error *error)
{
    json_error_t where;
    memset(cub, 0, sizeof *cub);
    FILE *file = fopen(path, "rb");
    if (!file)
        return lit_fail(error, LIT_EXIT_USAGE, "%s: %s", path, strerror(errno));
    json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
    fclose(file);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const json_t *list = json_object_get(root, "sizes");
    bool good = schema && strcmp(schema, "litmus-bench-cub/1") == 0 && json_is_array(list) &&
                json_array_size(list) <= CLI_LOOK_SIZES;
    copy_text(cub->device, sizeof cub->device, json_object_get(root, "device"));
    for (size_t i = 0; i < json_array_size(list) && good; i++) {
        const json_t *item = json_array_get(list, i);
        const json_t *scan = json_object_get(item, "scan"), *copy = json_object_get(item, "copy");
        const json_t *wrong = json_object_get(scan, "wrong");
        struct cli_cub_size *size = &cub->sizes[cub->count++];
        const json_int_t words = json_integer_value(json_object_get(item, "elements"));
        size->elements = (uint32_t)words;
        size->scan = json_number_value(json_object_get(scan, "median_ns"));
        size->copy = json_number_value(json_object_get(copy, "median_ns"));
        good = words > 0 && words <= LOOK_MOST && isfinite(size->scan) && size->scan >= 0 &&
               isfinite(size->copy) && size->copy >= 0 && json_is_integer(wrong) &&
               json_integer_value(wrong) == 0;
    }
    json_decref(root);
    return good ||
           lit_fail(error, LIT_EXIT_USAGE, "%s: not what tools/bench-cub writes, or wrong", path);
}

double cli_cub_scan(const struct cli_cub *cub, const char *device, uint32_t elements)
{
    for (size_t i = 0; i < cub->count && strcmp(cub->device, device) == 0; i++)
        if (cub->sizes[i].elements == elements)
            return cub->sizes[i].scan;
    return 0;
}
