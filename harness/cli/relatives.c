// SPDX-License-Identifier: Apache-2.0
// litmus fuzz relatives: modules that must do the same as a configuration's, beside it.
#include "cli/fuzz.h"

#include "base/file.h"
#include "base/program.h"
#include "base/random.h"
#include "catalogue/catalogue.h"
#include "cli/device.h"
#include "cli/kernel.h"
#include "engine/client.h"
#include "engine/supervisor.h"
#include "relate/relate.h"
#include "report/format.h"
#include "report/table.h"
#include "stats/stats.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ALL   REL_CHANGES // a relative with several changes, one after the other
#define KINDS (REL_CHANGES + 1)
#define ALPHA 0.05 // as litmus gate: of any false difference of a configuration
#define PART  3    // one place in so many is changed, where not all are,
#define MOST  24   // and about so many at most

static const char *name_of(unsigned kind)
{
    return kind == ALL ? "several" : rel_names[kind];
}

// One relative, or the original.
struct relative {
    unsigned kind;
    uint64_t number;
    size_t places;
    struct text words;
    struct eng_outcome outcome;
};

struct row {
    uint64_t relatives, runs, failed, differ;
};

struct relating {
    const struct cli_relatives *chosen;
    struct cli_devices devices;
    struct eng_client client;
    const struct eng_device *device;
    struct lit_error *error;
    struct row rows[KINDS];
    uint64_t configurations, unlike; // that ran, and of which a relative differs
    uint64_t skipped, other;         // nothing for it here; something else than right is allowed
    uint64_t invalid, undecided, stored, failed;
    enum eng_end end;
    char reason[512];
    bool stopped, unopened;
};

// --- Relatives of one module

static void take_words(struct text *text, const uint32_t *words, size_t count)
{
    text_free(text);
    text_append(text, (const char *)words, count * sizeof *words);
}

// Changes the words at some of the places, at all where `all`. How many; 0: there is none.
static size_t change(struct text *words, enum rel_change kind, bool all, struct lit_random *random)
{
    struct red_module module;
    size_t count = 0, changed = 0;
    const bool read = red_module_read(&module, (const uint32_t *)(const void *)words->data,
                                      words->length / sizeof(uint32_t));
    const size_t places = read ? rel_places(&module, kind) : 0;
    OWNED(lit_free) bool *chosen = lit_alloc(places + 1, sizeof *chosen);
    const size_t one_in = places > PART * MOST ? places / MOST : PART;
    for (size_t i = 0; i < places; i++)
        changed += chosen[i] = all || random_below(random, one_in) == 0;
    if (places && !changed)
        changed = chosen[random_below(random, places)] = true;
    if (changed) {
        OWNED(lit_free) uint32_t *made = rel_make(&module, kind, chosen, &count);
        take_words(words, made, count);
    }
    red_module_clear(&module);
    return changed;
}

// False: the module has none of this kind, or no other one than before.
static bool make(const struct relating *r, const struct cat_case *which, const char *name,
                 struct relative *relative)
{
    char stream[600];
    const struct cat_module *module = cat_case_module(which);
    take_words(&relative->words, cat_module_words(which->test, module), module->count);
    snprintf(stream, sizeof stream, "%s %u %" PRIu64, name, relative->kind, relative->number);
    struct lit_random random = {.state = random_derive(r->chosen->seed, stream)};
    for (unsigned kind = 0; kind < REL_CHANGES; kind++)
        if (relative->kind == kind || relative->kind == ALL)
            relative->places += change(&relative->words, (enum rel_change)kind,
                                       relative->kind != ALL && relative->number == 0, &random);
    return relative->places > 0;
}

// --- Running them

static bool run(struct relating *r, const char *name, struct relative *relative)
{
    struct eng_request request = {
        .kind = ENG_RUN, .seed = r->chosen->seed, .runs = r->chosen->runs};
    snprintf(request.name, sizeof request.name, "%s", name);
    eng_client_replace(&r->client, name, &relative->words);
    r->end = eng_client_ask(&r->client, &request, &relative->outcome);
    r->client.words = NULL;
    if (r->end != ENG_END_RAN) {
        snprintf(r->reason, sizeof r->reason, "%s", relative->outcome.reason);
        return false;
    }
    return true;
}

// Failed runs and all, where one that did not come back is one.
static void count_of(const struct relative *relative, uint64_t *failed, uint64_t *runs)
{
    const struct eng_outcome *outcome = &relative->outcome;
    const bool broken = eng_is_broken(outcome->result);
    *failed = outcome->count.failed_runs + broken;
    *runs = outcome->count.runs + broken;
}

static bool is_judged(const struct eng_outcome *outcome)
{
    return outcome->result == ENG_PASS || outcome->result == ENG_FAIL ||
           eng_is_broken(outcome->result);
}

// p values of "it fails as often as the original", adjusted for their number; 0: it ends in another
// way.
static void compare(const struct relative *all, size_t count, double *p)
{
    uint64_t k1, n1, k2, n2;
    count_of(&all[0], &k1, &n1);
    for (size_t i = 1; i < count; i++) {
        char how[2][320];
        count_of(&all[i], &k2, &n2);
        eng_outcome_how(&all[0].outcome, how[0]);
        eng_outcome_how(&all[i].outcome, how[1]);
        const bool same =
            all[0].outcome.result == all[i].outcome.result ||
            !(eng_is_broken(all[0].outcome.result) || eng_is_broken(all[i].outcome.result));
        p[i - 1] = !is_judged(&all[i].outcome) || !is_judged(&all[0].outcome) ? 1
                   : !same || strcmp(how[0], how[1]) != 0
                       ? 0
                       : stat_fisher(k1, n1, k2, n2, STAT_TWO_SIDED);
    }
    stat_holm(p, count - 1, p);
}

// --- What is printed and stored

static void put_rate(const struct relative *relative, struct text *text)
{
    const struct eng_outcome *outcome = &relative->outcome;
    uint64_t failed, runs;
    char rate[80];
    if (!is_judged(outcome) || eng_is_broken(outcome->result)) {
        text_printf(text, "%s: %s", eng_result_name(outcome->result), outcome->reason);
        return;
    }
    count_of(relative, &failed, &runs);
    format_interval(rate, failed, runs, stat_clopper_pearson(failed, runs, 0.95));
    text_printf(text, "fails in %s of %s runs (%s)", COUNT(failed), COUNT(runs), rate);
}

// The module as a file, which --replay takes. False with an error.
static bool store(struct relating *r, const char *name, const struct relative *relative,
                  struct text *path)
{
    OWNED(text_free) struct text page = {0}, base = {0};
    const char *folder = r->chosen->out ? r->chosen->out : "relatives";
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return lit_fail(r->error, LIT_EXIT_USAGE, "%.200s: %s", folder, strerror(errno));
    for (const char *c = name; *c; c++)
        text_append(&base, isalnum((unsigned char)*c) || *c == '.' ? c : "-", 1);
    text_printf(&page,
                "; %s, %s (%s), number %" PRIu64 " of seed 0x%" PRIx64 "\n; on %s, driver %s\n"
                "; litmus fuzz relatives '%s' --replay FILE\n",
                name, name_of(relative->kind),
                relative->kind == ALL ? "one change after another" : rel_texts[relative->kind],
                relative->number, r->chosen->seed, r->device->facts.name,
                r->device->facts.driver_version, name);
    const bool readable =
        lit_spirv_disassemble(relative->words.data, relative->words.length, &page);
    text_printf(path, "%s/%.150s-%s-%" PRIu64 ".%s", folder, base.data, name_of(relative->kind),
                relative->number, readable ? "spvasm" : "spv");
    return lit_file_write(path->data, readable ? page.data : relative->words.data,
                          readable ? page.length : relative->words.length, r->error);
}

// One that is not as the original.
static bool tell(struct relating *r, const char *name, const struct relative *relative, double p,
                 struct text *text)
{
    OWNED(text_free) struct text path = {0};
    const struct eng_count *count = &relative->outcome.count;
    text_printf(text, "    %s %" PRIu64 ", at %zu place%s: ", name_of(relative->kind),
                relative->number, relative->places, relative->places == 1 ? "" : "s");
    put_rate(relative, text);
    if (p <= ALPHA && p > 0)
        text_printf(text, ", another rate: p %.1g", p);
    text_puts(text, "\n");
    if (count->failure_count && count->failures[0].where[0])
        text_printf(text, "      %s: got 0x%x, want 0x%x\n", count->failures[0].where,
                    count->failures[0].at.got, count->failures[0].at.want);
    if (r->chosen->module || r->stored >= r->chosen->keep)
        return true;
    r->stored++;
    if (!store(r, name, relative, &path))
        return false;
    text_printf(text, "      stored in %s\n", path.data);
    return true;
}

// False with an error.
static bool judge(struct relating *r, const char *name, const struct relative *all, size_t count)
{
    OWNED(lit_free) double *p = lit_alloc(count, sizeof *p);
    struct text text = {0};
    uint64_t failed, runs, unlike = 0;
    bool good = true;
    compare(all, count, p);
    count_of(&all[0], &failed, &runs);
    const bool fails = failed > 0;
    r->failed += fails;
    r->undecided += !is_judged(&all[0].outcome);
    text_printf(&text, "  %s: ", name);
    put_rate(&all[0], &text);
    text_printf(&text, "; %zu relative%s\n", count - 1, count == 2 ? "" : "s");
    for (size_t i = 1; i < count && good; i++) {
        struct row *row = &r->rows[all[i].kind];
        count_of(&all[i], &failed, &runs);
        const bool differs = p[i - 1] <= ALPHA || (failed > 0 && !fails);
        row->relatives++;
        row->runs += runs;
        row->failed += failed;
        row->differ += differs;
        unlike += differs;
        r->undecided += !is_judged(&all[i].outcome);
        if (differs || !is_judged(&all[i].outcome))
            good = tell(r, name, &all[i], p[i - 1], &text);
    }
    r->configurations++;
    r->unlike += unlike > 0;
    cli_line_clear(&r->devices.line);
    if (unlike || fails || r->chosen->verbose || !is_judged(&all[0].outcome) || !good)
        cli_print(&text);
    else
        text_free(&text);
    return good;
}

// --- A configuration

// Whether a relative is taken: it is another module, and a valid one.
static bool add(struct relating *r, const struct cat_case *which, const char *name,
                struct relative *relative, const struct relative *original)
{
    if (!make(r, which, name, relative))
        return false;
    struct lit_error why = {0};
    const bool valid = lit_spirv_validate(relative->words.data, relative->words.length, &why) ||
                       !lit_spirv_validate(original->words.data, original->words.length, NULL);
    if (!valid && r->chosen->verbose)
        fprintf(stderr, "litmus: %s: relative %s %" PRIu64 ": %s\n", name, name_of(relative->kind),
                relative->number, why.message);
    r->invalid += !valid;
    return valid;
}

// The relatives of a module, behind the module itself.
static size_t gather(struct relating *r, const struct cat_case *which, const char *name,
                     struct relative *all)
{
    const struct cat_module *module = cat_case_module(which);
    size_t count = 1;
    take_words(&all[0].words, cat_module_words(which->test, module), module->count);
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (uint64_t number = 0; number < r->chosen->count; number++) {
            all[count] = (struct relative){.kind = kind, .number = number};
            if (add(r, which, name, &all[count], &all[0]))
                count++;
            else
                text_free(&all[count].words);
        }
    return count;
}

// The one relative of --replay.
static bool gather_file(const struct relating *r, const struct cat_case *which,
                        struct relative *all)
{
    const struct cli_kernel_options none = {0};
    const struct cat_module *module = cat_case_module(which);
    OWNED(text_free) struct text page = {0};
    OWNED(lit_free) uint32_t *words = NULL;
    size_t count = 0;
    take_words(&all[0].words, cat_module_words(which->test, module), module->count);
    all[1].kind = ALL;
    all[1].places = 1;
    if (!cli_kernel_load(r->chosen->module, &none, &words, &count, &page, r->error))
        return false;
    take_words(&all[1].words, words, count);
    return true;
}

// False with an error.
static bool relate(struct relating *r, const struct cat_case *which)
{
    OWNED(text_free) struct text name = {0};
    const size_t most = 1 + KINDS * (size_t)r->chosen->count;
    cat_case_name(which, &name);
    if (cat_case_expectation(which, NULL) != CAT_FORBIDDEN) {
        r->other++;
        return true;
    }
    if (!cat_case_module(which)) {
        r->skipped++;
        return true;
    }
    struct relative *all = lit_alloc(most + 1, sizeof *all);
    bool good = true;
    size_t count = 2, ran = 0;
    if (r->chosen->module)
        good = gather_file(r, which, all);
    else
        count = gather(r, which, name.data, all);
    while (good && ran < count && run(r, name.data, &all[ran])) {
        cli_line_show(&r->devices.line, "  %s: %zu of %zu", name.data, ran, count - 1);
        if (ran++ == 0 && all[0].outcome.result == ENG_SKIP)
            break;
    }
    if (ran && all[0].outcome.result == ENG_SKIP)
        r->skipped++;
    else if (good && ran)
        good = judge(r, name.data, all, ran);
    for (size_t i = 0; i < count; i++)
        text_free(&all[i].words);
    free(all);
    return good;
}

// --- A device

static void put_table(const struct relating *r, struct text *text)
{
    static const struct table_column columns[] = {{.title = "change"},
                                                  {.title = "relatives", .kind = TABLE_NUMBER},
                                                  {.title = "runs", .kind = TABLE_NUMBER},
                                                  {.title = "failed", .kind = TABLE_NUMBER},
                                                  {.title = "unlike", .kind = TABLE_NUMBER}};
    OWNED(table_clear) struct table table = {TABLE_OF(columns), .width = 16};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const struct row *row = &r->rows[kind];
        if (!row->relatives)
            continue;
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", name_of(kind));
        table_count(&table, TONE_PLAIN, row->relatives);
        table_count(&table, TONE_PLAIN, row->runs);
        table_count(&table, TONE_PLAIN, row->failed);
        table_count(&table, TONE_PLAIN, row->differ);
    }
    text_puts(text, "\n");
    table_terminal(&table, false, text);
    text_printf(text, "  %s configurations ran, of %s a relative differs\n",
                COUNT(r->configurations), COUNT(r->unlike));
    if (r->other)
        text_printf(text, "  %s left out: more than one result is allowed\n", COUNT(r->other));
    if (r->skipped)
        text_printf(text, "  %s skipped: the device lacks something for them\n", COUNT(r->skipped));
    if (r->invalid)
        text_printf(text, "  %s relatives are not valid\n", COUNT(r->invalid));
    if (r->reason[0])
        text_printf(text, "  %s\n", r->reason);
}

static bool relate_device(struct relating *r, const struct cat_selection *selection)
{
    struct eng_plan plan;
    struct text text = {0};
    bool good = true;
    r->client =
        (struct eng_client){.watch = &r->devices.watch, .device = r->device, .generated = true};
    r->end = ENG_END_RAN;
    memset(r->rows, 0, sizeof r->rows);
    r->configurations = r->other = r->skipped = 0;
    eng_plan_make(&plan, selection, &r->device->facts, false, 0);
    cli_devices_heading(&r->devices, r->device);
    printf("  %s configurations, %s relatives by each change, %s runs each, seed 0x%" PRIx64 "\n",
           COUNT(plan.count), COUNT(r->chosen->count), COUNT(r->chosen->runs), r->chosen->seed);
    cli_flush();
    for (size_t i = 0; i < plan.count && good && r->end == ENG_END_RAN; i++)
        good = relate(r, &plan.cases[i]);
    eng_client_end(&r->client);
    eng_plan_clear(&plan);
    cli_line_clear(&r->devices.line);
    r->stopped |= r->end == ENG_END_STOPS;
    r->unopened |= r->end == ENG_END_UNFIT;
    if (good)
        put_table(r, &text);
    cli_print(&text);
    return good;
}

// --- From what was asked to the exit code

static enum lit_exit conclude(const struct relating *r, uint64_t ran, uint64_t unlike,
                              char reason[256])
{
    const struct lit_end ends[] = {
        {r->stopped, LIT_EXIT_DEVICE_LOST, "a device was lost and its queue stopped", NULL},
        {unlike, LIT_EXIT_FORBIDDEN, "relatives of 1 configuration differ from it",
         "relatives of %s configurations differ from them"},
        {r->failed, LIT_EXIT_FORBIDDEN, "1 configuration fails, as its relatives do",
         "%s configurations fail, as their relatives do"},
        {r->end == ENG_END_TIME, LIT_EXIT_TIME, "the time budget was used up", NULL},
        {r->undecided + r->unopened, LIT_EXIT_UNDECIDED, "something could not be run", NULL},
        {!ran, LIT_EXIT_NOTHING, "nothing could run", NULL},
        {1, LIT_EXIT_OK, "no relative differs", NULL},
    };
    return lit_end_choose(ends, reason, 256);
}

static int relate_all(struct relating *r)
{
    const struct cli_relatives *o = r->chosen;
    const struct cat_selection selection = {.patterns = o->tests.items, .count = o->tests.count};
    uint64_t ran = 0, unlike = 0;
    char reason[256];
    if (!o->tests.count) {
        lit_fail(r->error, LIT_EXIT_USAGE, "missing test: 'litmus list' prints them");
        return cli_fail(r->error);
    }
    if (!cat_selection_check(&selection, r->error) || !cli_simt_use(o->simt, r->error) ||
        !cli_devices_find(&r->devices, o->devices, r->error))
        return cli_fail(r->error);
    for (size_t i = 0; i < r->devices.inventory.count; i++) {
        r->device = &r->devices.inventory.devices[i];
        if (!r->devices.chosen[i] || r->device->facts.problem[0])
            continue;
        if (r->end == ENG_END_TIME || r->end == ENG_END_SIGNAL)
            break;
        if (!relate_device(r, &selection))
            return cli_fail(r->error);
        ran += r->configurations;
        unlike += r->unlike;
        r->unlike = 0;
    }
    const enum lit_exit code = conclude(r, ran, unlike, reason);
    printf("\n");
    cli_last_line(NULL, o->seed, r->devices.watch.started, code, reason);
    return code;
}

int cli_relatives(const struct cli_relatives *chosen, struct lit_error *error)
{
    struct relating r = {.chosen = chosen, .error = error};
    r.devices.line.quiet = chosen->quiet;
    cli_devices_watch(&r.devices, chosen->timeout, chosen->time, chosen->verbose);
    return cli_devices_end(&r.devices, relate_all(&r));
}
