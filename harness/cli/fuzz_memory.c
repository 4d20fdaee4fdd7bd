// SPDX-License-Identifier: Apache-2.0
// litmus fuzz memory: runs all small memory tests that forbid something, as configurations of a
// session. Runs those first that have no result for the device in the store.
#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "cli/fuzz.h"
#include "kernel/kernel.h"
#include "kernel/litmus.h"
#include "engine/supervisor.h"
#include "generate/concurrent.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 128 // tests that a worker knows at once
#define ORDERS  4

// A test being run.
struct one {
    const char *name; // the test's name, owned by the catalogue
    struct text file; // "NAME.litmus"
    struct text text;
    int order; // enum gen_small_order: the strongest in its threads
    enum gen_small_place place;
    uint32_t forms;
};

// How many tests of a class ran, and how many failed.
struct tests {
    uint64_t run, failed;
};

struct campaign {
    const struct cli_fuzz_options *asked;
    struct cli_campaign kept;
    struct ses_devices devices;
    struct lit_error *error;
    char **tried; // sorted names of tests; each as often as devices have a result
    size_t tried_count;
    unsigned device_count;
    struct gen_small small;
    bool again; // second pass, over tests that were tried before
    uint64_t index;
    struct one ones[AT_ONCE];
    size_t count;
    uint64_t planned, ran, dropped, stored; // tests: planned, done, forbid nothing, stored
    struct tests of[ORDERS][SMALL_PLACES], formed[AXI_FORMS];
    struct eng_tally tally;
    bool headed, broken; // broken: a file or the store cannot be written
    double began;
};

// --- Tests tried before

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_tried(const char *name, void *user)
{
    struct campaign *c = user;
    char *test = lit_strdup(name);
    test[cfg_test_length(name)] = '\0';
    LIT_ADD(c->tried, c->tried_count) = test;
}

static bool load_tried(struct campaign *c)
{
    const struct eng_inventory *inventory = &c->devices.inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        if (!c->devices.chosen[i])
            continue;
        c->device_count++;
        if (!store_tried(c->kept.store, c->kept.session.id, inventory->devices[i].id,
                         SES_MEMORY_TESTS, add_tried, c, c->error))
            return false;
    }
    if (c->tried_count)
        qsort(c->tried, c->tried_count, sizeof *c->tried, by_name);
    return true;
}

// Whether all devices have a result.
static bool was_tried(const struct campaign *c, const char *name)
{
    size_t low = 0, high = c->tried_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(c->tried[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const size_t last = low + c->device_count - 1;
    return last < c->tried_count && strcmp(c->tried[last], name) == 0;
}

// --- Tests

static int order_of(const struct gen_small_program *program)
{
    int order = 0;
    for (unsigned t = 0; t < program->threads; t++)
        order = program->orders[t] > order ? program->orders[t] : order;
    return order;
}

// Adds the enumeration's current test. False if it need not run now, because it was tried or
// forbids nothing, or if it cannot be written.
static bool take(struct campaign *c)
{
    struct one *one = &c->ones[c->count];
    OWNED(text_free) struct text name = {0};
    const struct cat_test *test;
    struct lit_error why = {0};
    text_puts(&name, "litmus.");
    gen_small_name(&c->small, &name);
    if (was_tried(c, name.data) != c->again)
        return false;
    *one = (struct one){.order = order_of(&c->small.programs[c->small.program]),
                        .place = c->small.settings[c->small.setting].place,
                        .forms = c->small.settings[c->small.setting].forms};
    text_printf(&one->file, "%s.litmus", name.data + strlen("litmus."));
    gen_small_write(&c->small, &one->text);
    const bool good = krn_litmus_add(one->file.data, &one->text, &test, &why);
    if (good && test->package->litmus.forbids) {
        one->name = test->head.name;
        return true;
    }
    if (good)
        cat_test_drop();
    else if (why.code != LIT_EXIT_UNDECIDED)
        c->broken = !lit_fail(c->error, why.code, "%.100s: %.300s", one->file.data, why.message);
    c->dropped++;
    text_free(&one->file);
    text_free(&one->text);
    return false;
}

// Fills the list of tests. False at the end of the enumeration.
static bool take_some(struct campaign *c)
{
    while (c->count < AT_ONCE && !c->broken && !eng_interrupt() &&
           (!c->kept.options.count || c->planned < c->kept.options.count)) {
        if (!gen_small_next(&c->small)) {
            if (c->again)
                break;
            c->again = true;
            c->small.begun = false;
            continue;
        }
        if (c->index++ < c->kept.options.first)
            continue;
        const bool taken = take(c);
        c->count += taken;
        c->planned += taken;
    }
    return c->count > 0;
}

static void drop_all(struct campaign *c)
{
    while (c->count > 0) {
        struct one *one = &c->ones[--c->count];
        text_free(&one->file);
        text_free(&one->text);
        cat_test_drop();
    }
}

// --- Results

static bool is_broken_or_fails(enum eng_result result)
{
    return result == ENG_FAIL || eng_is_broken(result);
}

static void put_outcomes(const struct report_result *result, struct text *text)
{
    const char *before = "";
    for (uint32_t i = 0; i < CAT_OUTCOMES; i++)
        if (result->count.outcomes[i] && cat_mode_fails(result->mode, i)) {
            text_printf(text, "%s%s (%s)", before, cat_mode_name(result->mode, i),
                        COUNT(result->count.outcomes[i]));
            before = ", ";
        }
}

// Writes the test's text to a file, and its kernel to the store.
static bool keep(struct campaign *c, const struct one *one, struct text *said)
{
    OWNED(text_free) struct text path = {0};
    const struct text *bytes;
    const char *name;
    for (size_t i = 0; (bytes = cat_added_at(i, &name)); i++)
        if (strcmp(name, one->name) == 0 &&
            !store_kernel_put(c->kept.store, c->kept.session.id, name, bytes->data, bytes->length,
                              c->error))
            return false;
    if (c->stored >= c->asked->keep)
        return true;
    const char *folder = c->asked->out ? c->asked->out : "fuzz-memory";
    if (!lit_folder_make(folder, c->error))
        return false;
    text_printf(&path, "%s/%s", folder, one->file.data);
    if (!lit_file_write(path.data, one->text.data, one->text.length, c->error))
        return false;
    text_printf(said, "    stored in %s\n", path.data);
    c->stored++;
    return true;
}

static void print_header(const struct eng_device *device, size_t planned, size_t before, void *user)
{
    struct campaign *c = user;
    (void)planned;
    (void)before;
    if (c->headed)
        return;
    ses_devices_heading(&c->devices, device);
    printf("  small memory tests, %s runs each, seed 0x%" PRIx64 "; of %s the store has a result\n",
           COUNT(c->kept.options.runs), c->kept.options.seed.value, COUNT(c->tried_count));
    term_flush();
    c->headed = c->device_count < 2;
}

static void ended(const struct eng_device *device, const struct report_result *result, void *user)
{
    struct campaign *c = user;
    const enum eng_result ending = result->result;
    const size_t length = cfg_test_length(result->name);
    struct text text = {0};
    size_t i = 0;
    while (i < c->count && (strlen(c->ones[i].name) != length ||
                            memcmp(c->ones[i].name, result->name, length) != 0))
        i++;
    if (i == c->count || ending == ENG_SKIP)
        return;
    if (c->device_count < 2)
        print_header(device, 0, 0, c);
    const struct one *one = &c->ones[i];
    const bool fails = is_broken_or_fails(ending);
    c->ran++;
    c->of[one->order][one->place].run++;
    c->of[one->order][one->place].failed += fails;
    for (unsigned form = 0; form < AXI_FORMS; form++)
        if (one->forms >> form & 1) {
            c->formed[form].run++;
            c->formed[form].failed += fails;
        }
    const double now = clock_now();
    term_line_show(&c->devices.line, "  %s tests, %.0f a minute", COUNT(c->ran),
                   60 * (double)c->ran / (now > c->began ? now - c->began : 1));
    if (!fails)
        return;
    term_line_clear(&c->devices.line);
    text_printf(&text, "  device %u, %s: %s", device->number, one->name,
                eng_result_name(ending));
    if (ending == ENG_FAIL) {
        text_printf(&text, " in %s of %s runs: ", COUNT(result->count.failed_runs),
                    COUNT(result->count.runs));
        put_outcomes(result, &text);
    } else {
        text_printf(&text, ": %s", result->reason);
    }
    text_puts(&text, "\n");
    c->broken |= !keep(c, one, &text);
    term_print(&text);
    term_flush();
}

static void put_row(const char *name, const char *place, const struct tests *tests,
                    struct text *text)
{
    if (tests->run)
        text_printf(text, "  %-18s %-17s %10s %8s\n", name, place, COUNT(tests->run),
                    COUNT(tests->failed));
}

static void print_table(const struct campaign *c)
{
    static const char *const orders[ORDERS] = {"relaxed", "acquire, release", "memory barriers",
                                               "control barriers"};
    static const char *const places[SMALL_PLACES] = {[SMALL_WORKGROUP] = "workgroup",
                                                     [SMALL_WORKGROUP_SHARED] = "the same, shared",
                                                     [SMALL_DEVICE] = "device",
                                                     [SMALL_SUBGROUP] = "subgroup",
                                                     [SMALL_SUBGROUP_SHARED] = "the same, shared",
                                                     [SMALL_WIDE] = "scope device"};
    struct text text = {0};
    text_printf(&text, "\n  %-18s %-17s %10s %8s\n", "ordered by", "threads of one", "tests",
                "failed");
    for (int order = 0; order < ORDERS; order++)
        for (int place = 0; place < SMALL_PLACES; place++)
            put_row(orders[order], places[place], &c->of[order][place], &text);
    text_printf(&text, "\n  %-18s %-17s %10s %8s\n", "form", "", "tests", "failed");
    for (unsigned form = 0; form < AXI_FORMS; form++)
        put_row(axi_form_word(form), "", &c->formed[form], &text);
    text_printf(&text, "\n  %s others forbid nothing, have a data race, or are too large\n",
                COUNT(c->dropped));
    term_print(&text);
}

// --- The campaign

static enum eng_stop run_some(struct campaign *c)
{
    const char *names[AT_ONCE];
    struct eng_progress progress = {.off = true, .started = clock_now(), .last_shown = -1};
    for (size_t i = 0; i < c->count; i++)
        names[i] = c->ones[i].name;
    const struct cat_selection selection = {.patterns = names, .count = c->count};
    const struct eng_run work = {.selection = &selection,
                                 .inventory = &c->devices.inventory,
                                 .chosen = c->devices.chosen,
                                 .runs = c->kept.options.runs,
                                 .seed = c->kept.options.seed.value,
                                 .rule = c->kept.options.rule,
                                 .ahead = -1,
                                 .watch = &c->devices.watch,
                                 .kernel_log = ENG_KERNEL_LOG,
                                 .store = c->kept.store,
                                 .session = c->kept.session.id,
                                 .progress = &progress,
                                 .header = print_header,
                                 .ended = ended,
                                 .known = ended,
                                 .user = c};
    return eng_supervise(&work, &c->tally, c->error);
}

static bool find_devices(struct campaign *c, const struct cli_call *call)
{
    const struct cli_fuzz_options *asked = c->asked;
    struct cli_campaign *kept = &c->kept;
    if (!ses_devices_find(&c->devices, &asked->devices, c->error))
        return false;
    if (asked->resume)
        return ses_choose(kept->session.options, &c->devices, &kept->missing, c->error);
    lit_list_add(&kept->options.patterns, lit_strdup(SES_MEMORY_TESTS));
    return ses_begin("fuzz", call->argc, call->argv, &kept->options, &c->devices, &kept->store,
                     &kept->session, c->error);
}

static bool find(struct campaign *c, const struct cli_call *call)
{
    const struct cli_fuzz_options *asked = c->asked;
    struct cli_campaign *kept = &c->kept;
    struct ses_options *options = &kept->options;
    *options = (struct ses_options){.runs = asked->runs,
                                    .seed = asked->seed,
                                    .simt = asked->simt,
                                    .timeout = asked->timeout,
                                    .db = asked->db,
                                    .campaign = true,
                                    .first = asked->index.value,
                                    .count = asked->count,
                                    .rule = {.least = asked->runs, .most = asked->runs}};
    if (asked->resume && !ses_campaign(&kept->store, "memory", &kept->session, options, c->error))
        return false;
    if (kept->session.finished)
        return lit_fail(c->error, LIT_EXIT_USAGE, "%.200s: no campaign in it is unfinished",
                        asked->db);
    ses_seed_settle(&options->seed, true);
    c->devices.line.quiet = asked->quiet;
    ses_devices_watch(&c->devices, options->timeout, asked->time, asked->verbose);
    if (!ses_simt_use(&options->simt, c->error))
        return false;
    eng_interrupt_listen();
    return find_devices(c, call) && load_tried(c);
}

static int run_all(struct campaign *c, const struct cli_call *call)
{
    enum eng_stop stop = ENG_STOP_NOT;
    char reason[256];
    if (!find(c, call))
        return term_fail(c->error);
    c->began = clock_now();
    gen_small_make(&c->small);
    while (stop == ENG_STOP_NOT && !c->broken && take_some(c)) {
        stop = run_some(c);
        drop_all(c);
        if (c->tally.stopped + c->tally.failed + c->tally.unopened)
            break;
    }
    term_line_clear(&c->devices.line);
    if (stop == ENG_STOP_STORE || c->broken)
        return term_fail(c->error);
    print_table(c);
    // Without a given count, the campaign runs until stopped.
    c->kept.missing |= c->tally.stopped + c->tally.unopened > 0 ||
                       ((stop != ENG_STOP_NOT || eng_interrupt()) && c->kept.options.count);
    const enum lit_exit code = eng_tally_exit(&c->tally, reason, sizeof reason);
    return cli_campaign_end(&c->kept, "memory", c->devices.watch.started, code, reason, c->error);
}

static int show(const struct cli_fuzz_options *asked)
{
    OWNED(gen_small_clear) struct gen_small small = {0};
    struct text text = {0};
    bool there = true;
    gen_small_make(&small);
    for (uint64_t i = 0; i <= asked->index.value && there; i++)
        there = gen_small_next(&small);
    if (!there) {
        struct lit_error error = {0};
        lit_fail(&error, LIT_EXIT_USAGE, "there is no test of that number");
        return term_fail(&error);
    }
    gen_small_write(&small, &text);
    return term_print(&text);
}

int cli_fuzz_memory(struct cli_call *call, const struct cli_fuzz_options *asked)
{
    OWNED(lit_free) struct campaign *c = lit_alloc(1, sizeof *c);
    if (asked->show)
        return show(asked);
    c->asked = asked;
    c->error = &call->error;
    const int code = run_all(c, call);
    drop_all(c);
    for (size_t i = 0; i < c->tried_count; i++)
        free(c->tried[i]);
    free(c->tried);
    gen_small_clear(&c->small);
    cli_campaign_close(&c->kept);
    return ses_devices_end(&c->devices, code);
}
