// SPDX-License-Identifier: Apache-2.0
// litmus bench lookback: scans over the whole device against copies, and against CUB.
#include "cli/bench_lookback.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/isa_keep.h"
#include "cli/output.h"
#include "engine/bench.h"
#include "engine/benching.h"
#include "engine/watch.h"
#include "engine/lookback.h"
#include "engine/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS      31 // an odd number: the median is one of them
#define SIMT_REPEATS 3
#define TUNE_BUDGET  300 // seconds
#define TUNED_FILE   "litmus-lookback.json"
#define CPU_VECTORS                                                                                \
    8 // of an invocation: larger forms take drivers for the processor long to compile

// Words, as powers of two; 0 ends a list.
static const unsigned gpu_sizes[] = {20, 22, 24, 26, 28, 30, 0}, cpu_sizes[] = {16, 18, 20, 0},
                      simt_sizes[] = {13, 0};

struct looking {
    struct cli_benching *b;
    struct cli_look_device *told;
    size_t told_count;
    struct cli_look_tunings tunings;
    struct cli_cub cub;
    const char *file; // of what was tuned
    struct cli_look_size *current;
    const struct eng_device *device;
    enum eng_end end;
    struct lit_error error;
};

// What a worker says

static void show_progress(const struct looking *l, const struct bench_said *said)
{
    const struct look_result *result = &l->current->result;
    char words[32];
    if (cli_benching_progress(l->b))
        fprintf(stderr, "\r\033[K  %s words, round %" PRIu32 " of %" PRIu32,
                text_count(words, result->elements), said->round + 1,
                result->warm + result->repeats);
}

static bool take_row(const struct bench_said *said, enum eng_result outcome, const char *reason,
                     void *user)
{
    struct looking *l = user;
    struct look_result *result = &l->current->result;
    struct text name = {0};
    if (!look_result_row(result, said, cli_benching_state(outcome), reason))
        return false;
    text_printf(&name, "%" PRIu32 "/", result->elements);
    look_row_name(said->row, &name);
    cli_benching_keep(l->b, l->device->number, name.data);
    text_free(&name);
    return true;
}

static bool take_code(const char *bytes, size_t size, void *user)
{
    struct looking *l = user;
    return cli_benching_code(bytes, size, l->b);
}

static bool take_time(const struct bench_said *said, void *user)
{
    struct looking *l = user;
    show_progress(l, said);
    return look_result_time(&l->current->result, said);
}

// Times a set of rows at a size: cli_look_measure.
static bool measure(uint32_t elements, const struct look_set *set, uint32_t repeats,
                    struct cli_look_size *size, void *user)
{
    struct looking *l = user;
    const struct cli_bench_options *o = &l->b->chosen;
    struct eng_outcome outcome = {0};
    struct eng_request request = {.name = ENG_LOOKBACK,
                                  .validation = o->validation,
                                  .capture = o->keep != NULL,
                                  .elements = elements,
                                  .loops = 1,
                                  .runs = repeats,
                                  .seed = o->seed.value};
    look_set_write(set, request.rows);
    look_result_begin(&size->result, elements, set, ENG_BENCH_WARM, repeats);
    size->cub = cli_cub_scan(&l->cub, l->device->facts.name, elements);
    l->current = size;
    l->end = eng_bench_ask(
        &l->b->watch, l->device, &request,
        &(struct eng_benching){.row = take_row, .code = take_code, .time = take_time, .user = l},
        &outcome);
    cli_benching_clear_line(l->b);
    size->end = l->end == ENG_END_UNFIT ? ENG_HARNESS_ERROR : outcome.result;
    snprintf(size->reason, sizeof size->reason, "%s", outcome.reason);
    if (l->end == ENG_END_TIME || l->end == ENG_END_SIGNAL) {
        size->end = ENG_SKIP;
        snprintf(size->reason, sizeof size->reason, "%s",
                 l->end == ENG_END_TIME ? "the time was used up" : "interrupted");
    }
    return l->end != ENG_END_TIME && l->end != ENG_END_SIGNAL;
}

// Which rows

static bool matches(const char *pattern, size_t number)
{
    struct text name = {0};
    look_row_name(number, &name);
    const bool good = strcmp(pattern, "all") == 0 || text_glob(pattern, name.data);
    text_free(&name);
    return good;
}

// What a search leaves out without a word; scans that rely on the order in which workgroups start,
// unless they are asked for.
static bool is_searched(const struct looking *l, size_t number, uint32_t elements)
{
    const struct dev_facts *facts = &l->device->facts;
    const struct look_module *module = look_row(number).module;
    return look_row_fits(number, elements, facts, NULL) &&
           (!module->by_number || l->b->chosen.variants) &&
           (!facts->cpu || module->held + module->shared <= CPU_VECTORS);
}

// Every row of a kind at a size that a pattern names; NULL: every one.
static void add_kind(const struct looking *l, struct look_set *set, enum look_kind kind,
                     uint32_t elements, const char *pattern)
{
    for (size_t i = 0; i < look_rows(); i++) {
        const struct look_row row = look_row(i);
        if (look_kind(i) == kind && look_row_exists(&row, elements) &&
            (!pattern || matches(pattern, i)) &&
            (!l->b->chosen.tune || is_searched(l, i, elements)))
            set->has[i] = true;
    }
}

static void choose(const struct looking *l, uint32_t elements, struct cli_look_size *size,
                   struct look_set *set)
{
    const struct dev_facts *facts = &l->device->facts;
    const char *pattern = l->b->chosen.variants;
    size_t alone;
    memset(set, 0, sizeof *set);
    add_kind(l, set, LOOK_COPY, elements, NULL);
    size->chosen = LOOK_ROWS;
    if (pattern) {
        add_kind(l, set, LOOK_WHOLE, elements, pattern);
        add_kind(l, set, LOOK_ALONE, elements, pattern);
        return;
    }
    size->tuned = cli_look_tuned_find(&l->tunings, l->device->id, facts, elements, &size->chosen);
    if (!size->tuned && !look_default(elements, facts, &size->chosen))
        return;
    set->has[size->chosen] = true;
    if (look_alone(size->chosen, &alone))
        set->has[alone] = true;
}

// Devices

static const unsigned *sizes_of(const struct looking *l)
{
    return l->b->chosen.simt.count ? simt_sizes : l->device->facts.cpu ? cpu_sizes : gpu_sizes;
}

static bool color(const struct looking *l)
{
    return cli_color((enum cli_color)l->b->chosen.color);
}

static bool time_size(struct looking *l, uint32_t elements, struct cli_look_size *size)
{
    struct look_set set;
    struct text table = {0};
    choose(l, elements, size, &set);
    const bool more = measure(elements, &set, (uint32_t)l->b->chosen.repeat, size, l);
    cli_look_table(size, l->b->chosen.verbose > 0, color(l), &table);
    cli_print(&table);
    return more;
}

static void say_rung(const char *line, void *user)
{
    struct looking *l = user;
    cli_benching_clear_line(l->b);
    printf("  %s\n", line);
    cli_flush();
}

static void keep_choice(struct looking *l, const struct cli_look_size *size)
{
    const struct look_measured *best = look_result_best(&size->result, LOOK_WHOLE);
    struct cli_look_tuned choice = {.elements = size->result.elements};
    struct text name = {0};
    if (!best)
        return;
    const struct look_figures f = look_figures(&size->result, best);
    look_row_name(best->number, &name);
    snprintf(choice.id, sizeof choice.id, "%s", l->device->id);
    snprintf(choice.name, sizeof choice.name, "%s", l->device->facts.name);
    snprintf(choice.driver, sizeof choice.driver, "%.180s %s", l->device->facts.driver_name,
             l->device->facts.driver_version);
    snprintf(choice.row, sizeof choice.row, "%s", name.data);
    choice.ns = f.ns.median;
    choice.of_copy = f.of_copy;
    text_free(&name);
    // A search among some of the scans only does not replace what a wider one found.
    const struct cli_look_tuned *before =
        cli_look_tuned_at(&l->tunings, choice.id, choice.elements);
    size_t row;
    if (before && l->b->chosen.variants && look_row_find(before->row, &row) &&
        before->of_copy > choice.of_copy) {
        printf("  kept from before: %s, %.3f of the copy\n\n", before->row, before->of_copy);
        return;
    }
    cli_look_tuned_put(&l->tunings, &choice);
    if (!l->error.code)
        cli_look_tuned_write(l->file, &l->tunings, &l->error);
}

static bool tune_size(struct looking *l, uint32_t elements, size_t left, double until,
                      struct cli_look_size *size)
{
    struct look_set set = {0};
    struct text table = {0};
    const struct cli_look_tune tune = {
        .now = clock_now, .measure = measure, .say = say_rung, .user = l};
    add_kind(l, &set, LOOK_WHOLE, elements, l->b->chosen.variants);
    size->chosen = LOOK_ROWS;
    const bool found =
        cli_look_search(&tune, (until - clock_now()) / (double)left, elements, &set, size);
    cli_look_table(size, l->b->chosen.verbose > 0, color(l), &table);
    cli_print(&table);
    if (found)
        keep_choice(l, size);
    return l->end != ENG_END_TIME && l->end != ENG_END_SIGNAL;
}

static bool is_usable(const struct eng_device *device, struct cli_look_device *told)
{
    const uint32_t subgroup = device->facts.subgroup;
    if (device->facts.problem[0])
        snprintf(told->reason, sizeof told->reason, "%s", device->facts.problem);
    else if (subgroup < 4 || subgroup > 128)
        snprintf(told->reason, sizeof told->reason,
                 "subgroups of %" PRIu32 "; the scans are for 4 to 128", subgroup);
    return !told->reason[0];
}

static bool bench_device(struct looking *l, const struct eng_device *device)
{
    const struct cli_bench_options *o = &l->b->chosen;
    struct cli_look_device *told = &l->told[l->told_count++];
    struct text table = {0};
    uint32_t sizes[CLI_LOOK_SIZES];
    size_t count = 0;
    bool more = true;
    told->device = l->device = device;
    cli_benching_header(l->b, device);
    if (o->elements)
        sizes[count++] = (uint32_t)o->elements;
    else
        for (const unsigned *log = sizes_of(l); *log; log++)
            sizes[count++] = 1u << *log;
    if (!is_usable(device, told))
        count = 0;
    const double until = clock_now() + (o->budget > 0 ? o->budget : TUNE_BUDGET);
    for (size_t i = 0; i < count && more; i++) {
        struct cli_look_size *size = &told->sizes[told->count++];
        more =
            o->tune ? tune_size(l, sizes[i], count - i, until, size) : time_size(l, sizes[i], size);
    }
    cli_look_summary(told, color(l), &table);
    text_puts(&table, "\n");
    cli_print(&table);
    return more;
}

// From the command line to the exit code

static bool check_usage(const struct looking *l, struct lit_error *error)
{
    const struct cli_bench_options *o = &l->b->chosen;
    if (o->elements && (o->elements < LOOK_ELEMENTS || o->elements > LOOK_MOST ||
                        (o->elements & (o->elements - 1))))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--elements: a power of two from 4,096 to 1,073,741,824");
    if (o->loops)
        return lit_fail(error, LIT_EXIT_USAGE, "--loops is for 'litmus bench scan'");
    if (o->tests.count || o->scale)
        return lit_fail(error, LIT_EXIT_USAGE, "--test and --scale are not for lookback");
    if (o->budget > 0 && !o->tune)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget is for --tune here");
    if (o->tune && o->validation)
        return lit_fail(error, LIT_EXIT_USAGE, "--validation: --tune keeps what its times say");
    if (o->tune && o->repeat)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: --tune decides how often");
    if (o->budget > 86400)
        return lit_fail(error, LIT_EXIT_USAGE, "--budget: at most 24h");
    if (o->repeat > BENCH_REPEATS)
        return lit_fail(error, LIT_EXIT_USAGE, "--repeat: at most 100,000");
    if (o->variants) {
        bool any = false;
        for (size_t i = 0; i < look_rows() && !any; i++)
            any = look_kind(i) != LOOK_COPY && matches(o->variants, i);
        if (!any)
            return lit_fail(error, LIT_EXIT_USAGE, "--variants: no scan matches '%.80s'",
                            o->variants);
    }
    return (!o->json || cli_output_check(o->json, "", error)) &&
           (!o->markdown || cli_output_check(o->markdown, "", error)) &&
           (!o->tune || cli_output_check(l->file, "", error));
}

static bool write_files(const struct cli_benching *b, const struct cli_look *look,
                        struct lit_error *error)
{
    const struct {
        const char *path;
        void (*write)(const struct cli_look *look, struct text *text);
    } files[] = {{b->chosen.json, cli_look_json}, {b->chosen.markdown, cli_look_markdown}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct text text = {0};
        if (!files[i].path)
            continue;
        files[i].write(look, &text);
        const bool written = lit_file_write(files[i].path, text.data, text.length, error);
        text_free(&text);
        if (!written)
            return false;
    }
    return true;
}

static int finish(const struct looking *l, struct lit_error *error)
{
    const struct cli_benching *b = l->b;
    const char *dot = b->utf8 ? " \u00b7 " : ", ";
    char because[256], took[32];
    struct cli_bench_sum sum = cli_look_sum(l->told, l->told_count);
    sum.out_of_time = l->end == ENG_END_TIME;
    const enum lit_exit code = cli_bench_exit(&sum, because, sizeof because);
    const struct cli_look look = {.command = b->command.data,
                                  .started = b->started,
                                  .system = b->system.data,
                                  .seed = b->chosen.seed.value,
                                  .devices = l->told,
                                  .count = l->told_count,
                                  .exit = code,
                                  .because = because,
                                  .cub = b->chosen.cub ? &l->cub : NULL};
    if (b->chosen.cub)
        printf("CUB was timed on %s%s", l->cub.device, dot);
    for (size_t i = 0; b->chosen.cub && i < l->told_count; i++)
        if (strcmp(l->told[i].device->facts.name, l->cub.device) != 0)
            printf("which device %u is not%s", l->told[i].device->number, dot);
    printf("seed 0x%" PRIx64 "%s%s%s", b->chosen.seed.value, dot,
           eng_duration(took, clock_now() - b->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted\n");
    else
        printf("exit %d: %s\n", (int)code, because);
    cli_flush();
    if (!write_files(b, &look, error))
        return cli_fail(error);
    if (l->error.code)
        return cli_fail(&l->error);
    return l->b->unkept.code ? cli_fail(&l->b->unkept) : (int)code;
}

static int run(struct looking *l, int argc, char **argv, struct lit_error *error)
{
    struct cli_benching *b = l->b;
    bool more = true;
    l->file = b->chosen.tuned ? b->chosen.tuned : TUNED_FILE;
    if (!check_usage(l, error) || !cli_look_tuned_read(l->file, &l->tunings, error) ||
        (b->chosen.cub && !cli_cub_read(b->chosen.cub, &l->cub, error)) ||
        (b->chosen.keep && !cli_isa_keep_start(b->chosen.keep, error)))
        return cli_fail(error);
    if (!cli_benching_begin(b, argc, argv, b->chosen.simt.count ? SIMT_REPEATS : REPEATS, error))
        return eng_interrupt() ? LIT_EXIT_TIME : cli_fail(error);
    l->told = lit_alloc(b->inventory.count, sizeof *l->told);
    for (size_t i = 0; i < b->inventory.count && more; i++)
        if (b->devices[i])
            more = bench_device(l, &b->inventory.devices[i]);
    return finish(l, error);
}

int cli_bench_lookback(struct cli_benching *b, int argc, char **argv)
{
    struct looking l = {.b = b};
    struct lit_error error = {0};
    const int code = run(&l, argc, argv, &error);
    for (size_t i = 0; i < l.told_count; i++)
        for (size_t s = 0; s < l.told[i].count; s++)
            look_result_clear(&l.told[i].sizes[s].result);
    cli_look_tuned_clear(&l.tunings);
    free(l.told);
    return code;
}
