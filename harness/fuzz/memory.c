// SPDX-License-Identifier: Apache-2.0
// A campaign of all small memory tests that forbid something, as configurations of a session. Runs
// those first that have no result for the device in the store.
#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "fuzz/campaign.h"
#include "generate/concurrent.h"
#include "kernel/litmus.h"
#include "report/format.h"

#define AT_ONCE 128 // tests that a worker knows at once
#define ORDERS  4
#define PREFIX  "litmus."

// A test being run.
struct one {
    const char *name;        // "litmus.NAME", owned by the catalogue
    size_t program, setting; // in struct gen_small
};

// How many tests of a class ran, and how many failed.
struct tests {
    uint64_t run, failed;
};

struct campaign {
    struct fuzz_campaign base;
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
    bool headed, broken; // broken: a file or the store cannot be written
};

// --- Tests tried before

static void add_tried(const char *name, void *user)
{
    struct campaign *c = user;
    char *test = lit_strdup(name);
    test[cfg_test_length(name)] = '\0';
    LIT_ADD(c->tried, c->tried_count) = test;
}

static bool load_tried(struct campaign *c)
{
    SES_EACH_DEVICE (device, &c->base.devices) {
        c->device_count++;
        if (!store_tried(c->base.store, c->base.session.id, device->id, SES_MEMORY_TESTS, add_tried,
                         c, c->base.error))
            return false;
    }
    text_sort(c->tried, c->tried_count, sizeof *c->tried);
    return true;
}

static int by_name(const void *name, const void *item)
{
    return strcmp(name, *(char *const *)item);
}

// Whether all devices have a result.
static bool was_tried(const struct campaign *c, const char *name)
{
    char **at =
        c->tried_count ? bsearch(name, c->tried, c->tried_count, sizeof *c->tried, by_name) : NULL;
    size_t same = 0;
    while (at && at > c->tried && strcmp(at[-1], name) == 0)
        at--;
    while (at && at + same < c->tried + c->tried_count && strcmp(at[same], name) == 0)
        same++;
    return same >= c->device_count;
}

// --- Tests

// Adds the enumeration's current test. False if it need not run now, because it was tried or
// forbids nothing, or if it cannot be written.
static bool take(struct campaign *c)
{
    OWNED(text_free) struct text name = {0}, text = {0};
    const struct cat_test *test;
    struct lit_error why = {0};
    text_puts(&name, PREFIX);
    gen_small_name(&c->small, &name);
    if (was_tried(c, name.data) != c->again)
        return false;
    text_puts(&name, ".litmus");
    const char *file = name.data + strlen(PREFIX);
    gen_small_write(&c->small, &text);
    const bool good = krn_litmus_add(file, &text, &test, &why);
    if (good && test->package->litmus.forbids) {
        c->ones[c->count] = (struct one){test->head.name, c->small.program, c->small.setting};
        return true;
    }
    if (good)
        cat_test_drop();
    else if (why.code != LIT_EXIT_UNDECIDED)
        c->broken = !lit_fail(c->base.error, why.code, "%.100s: %.300s", file, why.message);
    c->dropped++;
    return false;
}

// Fills the list of tests. False at the end of the enumeration.
static bool take_some(struct campaign *c)
{
    const struct fuzz_options *o = c->base.asked;
    while (c->count < AT_ONCE && !c->broken && !eng_interrupt() &&
           (!o->count || c->planned < o->count)) {
        if (!gen_small_next(&c->small)) {
            if (c->again)
                break;
            c->again = true;
            c->small.begun = false;
            continue;
        }
        if (c->index++ < o->index.value)
            continue;
        const bool taken = take(c);
        c->count += taken;
        c->planned += taken;
    }
    return c->count > 0;
}

static void drop_all(struct campaign *c)
{
    for (; c->count > 0; c->count--)
        cat_test_drop();
}

// --- Results

static void put_outcomes(const struct result *result, struct text *text)
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
    const struct fuzz_campaign *base = &c->base;
    struct gen_small small = c->small;
    OWNED(text_free) struct text path = {0}, text = {0};
    const struct text *bytes;
    const char *name;
    for (size_t i = 0; (bytes = cat_added_at(i, &name)); i++)
        if (strcmp(name, one->name) == 0 &&
            !store_kernel_put(base->store, base->session.id, name, bytes->data, bytes->length,
                              base->error))
            return false;
    if (c->stored >= base->asked->keep)
        return true;
    small.program = one->program;
    small.setting = one->setting;
    gen_small_write(&small, &text);
    text_printf(&path, "%s/%s.litmus", base->asked->out, one->name + strlen(PREFIX));
    if (!lit_folder_make(base->asked->out, base->error) ||
        !lit_file_write(path.data, text.data, text.length, base->error))
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
    ses_devices_heading(&c->base.devices, device);
    printf("  small memory tests, %s runs each, seed 0x%" PRIx64 "; of %s the store has a result\n",
           COUNT(c->base.asked->run.runs), c->base.asked->run.seed.value, COUNT(c->tried_count));
    term_flush();
    c->headed = c->device_count < 2;
}

static void count(struct tests *tests, bool fails)
{
    tests->run++;
    tests->failed += fails;
}

// Counts a test in its classes.
static void count_one(struct campaign *c, const struct one *one, bool fails)
{
    const struct gen_small_program *program = &c->small.programs[one->program];
    const uint32_t forms = c->small.settings[one->setting].forms;
    unsigned order = 0; // the strongest in its threads
    for (unsigned t = 0; t < program->threads; t++)
        order = program->orders[t] > order ? program->orders[t] : order;
    c->ran++;
    count(&c->of[order][c->small.settings[one->setting].place], fails);
    for (unsigned form = 0; form < AXI_FORMS; form++)
        if (forms >> form & 1)
            count(&c->formed[form], fails);
}

static void ended(const struct eng_device *device, const struct result *result, void *user)
{
    struct campaign *c = user;
    struct term_line *line = &c->base.devices.line;
    const enum eng_result ending = result->result;
    const bool fails = ending == ENG_FAIL || eng_is_broken(ending);
    const double passed = clock_now() - c->base.began;
    struct text text = {0};
    size_t i = 0;
    while (i < c->count && !cfg_same_test(result->name, c->ones[i].name))
        i++;
    if (i == c->count || ending == ENG_SKIP)
        return;
    if (c->device_count < 2)
        print_header(device, 0, 0, c);
    count_one(c, &c->ones[i], fails);
    term_line_show(line, "  %s tests, %.0f a minute", COUNT(c->ran),
                   60 * (double)c->ran / (passed > 0 ? passed : 1));
    if (!fails)
        return;
    term_line_clear(line);
    text_printf(&text, "  device %u, %s: %s", device->number, c->ones[i].name,
                eng_result_name(ending));
    if (ending == ENG_FAIL) {
        text_printf(&text, " in %s of %s runs: ", COUNT(result->count.failed_runs),
                    COUNT(result->count.runs));
        put_outcomes(result, &text);
    } else {
        text_printf(&text, ": %s", result->reason);
    }
    text_puts(&text, "\n");
    c->broken |= !keep(c, &c->ones[i], &text);
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
    struct text text = text_format("\n  %-18s %-17s %10s %8s\n", "ordered by", "threads of one",
                                   "tests", "failed");
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
    struct fuzz_campaign *base = &c->base;
    const struct ses_options *o = &base->asked->run;
    const char *names[AT_ONCE];
    struct eng_progress progress = {.off = true, .started = clock_now(), .last_shown = -1};
    for (size_t i = 0; i < c->count; i++)
        names[i] = c->ones[i].name;
    const struct cat_selection selection = {.patterns = names, .count = c->count};
    const struct eng_run work = {.selection = &selection,
                                 .inventory = &base->devices.inventory,
                                 .chosen = base->devices.chosen,
                                 .runs = o->runs,
                                 .seed = o->seed.value,
                                 .rule = {.least = o->runs, .most = o->runs},
                                 .ahead = -1,
                                 .watch = &base->devices.watch,
                                 .kernel_log = ENG_KERNEL_LOG,
                                 .store = base->store,
                                 .session = base->session.id,
                                 .progress = &progress,
                                 .header = print_header,
                                 .ended = ended,
                                 .known = ended,
                                 .user = c};
    return eng_supervise(&work, &base->total, base->error);
}

static bool begin(struct campaign *c, int argc, char **argv)
{
    struct fuzz_campaign *base = &c->base;
    struct fuzz_options *o = base->asked;
    if (!fuzz_resume(base))
        return false;
    if (base->session.finished)
        return lit_fail(base->error, LIT_EXIT_USAGE, "%.200s: no campaign in it is unfinished",
                        o->run.db);
    if (o->run.resume)
        o->count = o->run.count;
    fuzz_settle(base);
    struct ses_options kept = o->run;
    kept.campaign = true;
    kept.first = o->index.value;
    kept.count = o->count;
    kept.rule = (struct eng_rule){.least = kept.runs, .most = kept.runs};
    lit_list_add(&kept.patterns, lit_strdup(SES_MEMORY_TESTS));
    return fuzz_begin(base, &kept, argc, argv) && load_tried(c);
}

static int run_all(struct campaign *c, int argc, char **argv)
{
    struct fuzz_campaign *base = &c->base;
    const struct eng_tally *total = &base->total;
    enum eng_stop stop = ENG_STOP_NOT;
    char reason[256];
    if (!begin(c, argc, argv))
        return term_fail(base->error);
    base->began = clock_now();
    while (stop == ENG_STOP_NOT && !c->broken && take_some(c)) {
        stop = run_some(c);
        drop_all(c);
        if (total->stopped + total->failed + total->unopened)
            break;
    }
    term_line_clear(&base->devices.line);
    if (stop == ENG_STOP_STORE || c->broken)
        return term_fail(base->error);
    print_table(c);
    // Without a given count, the campaign runs until stopped.
    base->missing |= (stop != ENG_STOP_NOT || eng_interrupt()) && base->asked->count;
    const enum lit_exit code = eng_tally_exit(total, reason, sizeof reason);
    return fuzz_finish(base, code, reason);
}

static int show(struct campaign *c)
{
    struct text text = {0};
    bool there = true;
    for (uint64_t i = 0; i <= c->base.asked->index.value && there; i++)
        there = gen_small_next(&c->small);
    if (!there) {
        lit_fail(c->base.error, LIT_EXIT_USAGE, "there is no test of that number");
        return term_fail(c->base.error);
    }
    gen_small_write(&c->small, &text);
    return term_print(&text);
}

int fuzz_memory(struct fuzz_options *o, int argc, char **argv, struct lit_error *error)
{
    OWNED(lit_free) struct campaign *c = lit_alloc(1, sizeof *c);
    c->base.asked = o;
    c->base.family = "memory";
    c->base.error = error;
    gen_small_make(&c->small);
    const int code = o->show ? show(c) : run_all(c, argc, argv);
    drop_all(c);
    for (size_t i = 0; i < c->tried_count; i++)
        free(c->tried[i]);
    free(c->tried);
    gen_small_clear(&c->small);
    return fuzz_close(&c->base, code);
}
