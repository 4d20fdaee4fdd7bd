// SPDX-License-Identifier: Apache-2.0
// litmus bench scan: compares native and emulated scans with the device's limits; litmus bench
// lookback: compares scans over the whole device with copies and with CUB.
#include "base/clock.h"
#include "benching/benching.h"
#include "session/output.h"
#include "engine/measure.h"

#define BUDGET      25.0 // seconds
#define LOOPS_SIMT  3
#define TUNE_BUDGET 300 // seconds
#define TUNED_FILE  "litmus-lookback.json"
#define CPU_VECTORS                                                                                \
    8 // for each invocation: drivers for the processor take long to compile larger forms

// Powers of two, in words; 0 ends a list. The founding article used the first size of `scan`.
static const unsigned scan_sizes[] = {20, 16, 12};
static const unsigned gpu_sizes[] = {20, 22, 24, 26, 28, 30, 0}, cpu_sizes[] = {16, 18, 20, 0},
                      simt_sizes[] = {13, 0};

static bool color(const struct benching *b)
{
    return term_color((enum term_color)b->chosen.color);
}

// Why nothing can be timed on a device; NULL if it can.
static const char *unusable(const struct eng_device *device, char reason[512])
{
    const uint32_t subgroup = device->facts.subgroup;
    if (device->facts.problem[0])
        snprintf(reason, 512, "%s", device->facts.problem);
    else if (subgroup < 4 || subgroup > 128)
        snprintf(reason, 512, "subgroups of %u; the scans are for 4 to 128", subgroup);
    return reason[0] ? reason : NULL;
}

// --- scan

void benching_scan(struct benching *b)
{
    const struct benching_options *o = &b->chosen;
    const struct eng_device *device = b->device;
    struct bench_device *measured = &b->measured[b->measured_count++];
    struct bench_size *size = b->size = &measured->sizes[measured->count++];
    struct text table = {0};
    const int kind = o->simt.count ? 2 : device->facts.cpu ? 1 : 0;
    struct eng_request request = {
        .name = ENG_BENCH_SCAN,
        .elements = o->elements ? o->elements : 1u << scan_sizes[kind],
        .loops = o->loops        ? (uint32_t)o->loops
                 : o->simt.count ? LOOPS_SIMT
                                 : 0,
        .budget_ms = (uint32_t)((o->budget > 0 ? o->budget : BUDGET) * 1e3),
        .runs = o->repeat,
    };
    measured->device = device;
    size->end = ENG_SKIP;
    if (!unusable(device, size->reason)) {
        bench_result_begin(&size->result, &device->facts, request.elements, request.loops,
                           ENG_BENCH_WARM, (uint32_t)o->repeat);
        benching_ask(b, &request, &size->end, size->reason);
    }
    benching_table(size, color(b), &table);
    text_puts(&table, "\n");
    term_print(&table);
}

// --- lookback: which rows

static bool matches(const char *pattern, size_t number)
{
    OWNED(text_free) struct text name = {0};
    const struct bench_row row = look_row(number, LOOK_ELEMENTS);
    bench_row_name(&row, &name);
    return strcmp(pattern, "all") == 0 || text_glob(pattern, name.data);
}

// Whether a search tries a row: silently skips scans that rely on the order in which workgroups
// start, unless they are requested.
static bool is_searched(const struct benching *b, const struct bench_row *row)
{
    const struct dev_facts *facts = &b->device->facts;
    return bench_row_fits(row, facts, NULL) &&
           ((!row->by_number && row->scan == CAT_SCAN_ADD && !row->in_place) ||
            b->chosen.variants) &&
           (!facts->cpu || row->held + row->shared <= CPU_VECTORS);
}

// Adds the rows of a kind at a size that match a pattern; NULL: all.
static void add_kind(const struct benching *b, struct look_set *set, enum bench_kind kind,
                     uint64_t elements, const char *pattern)
{
    for (size_t i = 0; i < look_rows(); i++) {
        const struct bench_row row = look_row(i, elements);
        if (row.kind == kind && look_row_exists(&row) && (!pattern || matches(pattern, i)) &&
            (!b->chosen.tune || is_searched(b, &row)))
            set->has[i] = true;
    }
}

static void choose(const struct benching *b, uint64_t elements, struct bench_size *size,
                   struct look_set *set)
{
    const struct dev_facts *facts = &b->device->facts;
    const char *pattern = b->chosen.variants;
    size_t tiles;
    add_kind(b, set, BENCH_COPY, elements, NULL);
    if (facts->cpu)
        add_kind(b, set, BENCH_SERIAL, elements, NULL);
    size->chosen = LOOK_ROWS;
    if (pattern) {
        add_kind(b, set, BENCH_LOOKBACK, elements, pattern);
        add_kind(b, set, BENCH_TILES, elements, pattern);
        return;
    }
    size->tuned = look_tuned_find(&b->tunings, b->device->id, facts, elements, &size->chosen);
    if (!size->tuned && !look_default(elements, facts, &size->chosen))
        return;
    set->has[size->chosen] = true;
    if (look_tiles_only(size->chosen, &tiles))
        set->has[tiles] = true;
}

// --- lookback: devices

// Times a set of rows at a size, for look_measure.
static bool measure(uint64_t elements, const struct look_set *set, uint32_t repeats,
                    struct bench_size *size, void *user)
{
    struct benching *b = user;
    struct eng_request request = {
        .name = ENG_LOOKBACK, .elements = elements, .loops = 1, .runs = repeats};
    look_set_write(set, request.rows);
    look_result_begin(&size->result, elements, set, ENG_BENCH_WARM, repeats);
    size->cub = look_cub_scan(&b->cub, b->device->facts.name, elements);
    b->size = size;
    return benching_ask(b, &request, &size->end, size->reason);
}

static void say_rung(const char *line, void *user)
{
    struct benching *b = user;
    term_line_clear(&b->devices.line);
    printf("  %s\n", line);
    term_flush();
}

static void keep_choice(struct benching *b, const struct bench_size *size)
{
    const struct bench_measured *best = bench_result_best(&size->result, BENCH_LOOKBACK);
    const struct dev_facts *facts = &b->device->facts;
    struct look_tuned choice = {.elements = size->result.shape.elements};
    OWNED(text_free) struct text name = {0};
    size_t row;
    if (!best)
        return;
    const struct bench_figures f = bench_figures(&size->result, best);
    bench_row_name(&best->row, &name);
    snprintf(choice.id, sizeof choice.id, "%s", b->device->id);
    snprintf(choice.name, sizeof choice.name, "%s", facts->name);
    snprintf(choice.driver, sizeof choice.driver, "%.180s %s", facts->driver_name,
             facts->driver_version);
    snprintf(choice.row, sizeof choice.row, "%s", name.data);
    choice.ns = f.ns.median;
    choice.of_copy = f.share.bytes;
    // A search restricted to some scans does not replace the result of a wider one.
    const struct look_tuned *before = look_tuned_at(&b->tunings, choice.id, choice.elements);
    if (before && b->chosen.variants && look_row_find(before->row, &row) &&
        before->of_copy > choice.of_copy) {
        printf("  kept from before: %s, %.3f of the copy\n\n", before->row, before->of_copy);
        return;
    }
    look_tuned_put(&b->tunings, &choice);
    if (!b->unkept.code)
        look_tuned_write(b->chosen.tuned, &b->tunings, &b->unkept);
}

// `left` sizes still have to run before `until`.
static void time_size(struct benching *b, uint64_t elements, size_t left, double until,
                      struct bench_size *size)
{
    struct look_set set = {0};
    struct text table = {0};
    const struct look_search search = {
        .now = clock_now, .measure = measure, .say = say_rung, .user = b};
    bool found = false;
    if (b->chosen.tune) {
        add_kind(b, &set, BENCH_LOOKBACK, elements, b->chosen.variants);
        size->chosen = LOOK_ROWS;
        found = look_search(&search, (until - clock_now()) / (double)left, elements, &set, size);
    } else {
        choose(b, elements, size, &set);
        measure(elements, &set, (uint32_t)b->chosen.repeat, size, b);
    }
    benching_look_table(size, b->chosen.verbose > 0, color(b), &table);
    term_print(&table);
    if (found)
        keep_choice(b, size);
}

void benching_lookback(struct benching *b)
{
    const struct benching_options *o = &b->chosen;
    const struct eng_device *device = b->device;
    struct bench_device *measured = &b->measured[b->measured_count++];
    struct text table = {0};
    const unsigned *logs = o->simt.count ? simt_sizes : device->facts.cpu ? cpu_sizes : gpu_sizes;
    uint64_t sizes[BENCH_SIZES] = {o->elements};
    size_t count = o->elements ? 1 : 0;
    for (; !o->elements && logs[count]; count++)
        sizes[count] = 1u << logs[count];
    measured->device = device;
    if (unusable(device, measured->reason))
        count = 0;
    const double until = clock_now() + (o->budget > 0 ? o->budget : TUNE_BUDGET);
    for (size_t i = 0; i < count && !benching_is_over(b); i++)
        time_size(b, sizes[i], count - i, until, &measured->sizes[measured->count++]);
    benching_look_summary(measured, color(b), &table);
    text_puts(&table, "\n");
    term_print(&table);
}

// --- lookback: from the command line

bool benching_lookback_begin(struct benching *b, struct lit_error *error)
{
    struct benching_options *o = &b->chosen;
    bool any = !o->variants;
    if (!o->tuned)
        o->tuned = TUNED_FILE;
    if (o->budget > 0 && !o->tune)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget is for --tune here");
    if (o->tune && o->validation)
        return lit_fail(error, LIT_EXIT_USAGE, "--validation: --tune keeps what its times say");
    if (o->tune && o->repeat)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: --tune decides how often");
    for (size_t i = look_copies(); i < look_rows() && !any; i++)
        any = matches(o->variants, i);
    if (!any)
        return lit_fail(error, LIT_EXIT_USAGE, "--variants: no scan matches '%.80s'", o->variants);
    return (!o->tune || ses_output_check(o->tuned, "", error)) &&
           look_tuned_read(o->tuned, &b->tunings, error) &&
           (!o->cub || look_cub_read(o->cub, &b->cub, error));
}
