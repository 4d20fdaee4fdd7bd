// SPDX-License-Identifier: Apache-2.0
// A configuration that fails, made as small as it can be while it fails.
#include "reduce/reduce.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/program.h"
#include "base/sha256.h"
#include "engine/drivers.h"
#include "engine/protocol.h"
#include "engine/supervisor.h"
#include "model/check.h"
#include "report/format.h"
#include "repro/repro.h"
#include "session/device.h"

#include <ctype.h>
#include <unistd.h>

#define NOT_REDUCED                                                                                \
    "%.200s is not reduced: %.*s; 'litmus kernel FILE --unchecked reduce' reduces it anyway"
#define JOBS_MOST         64
#define REFERENCE_SECONDS 120.0 // that the simulator may take for the kernel as it came
#define REFERENCE_LEAST   2.0   // and for a candidate: this, or
#define REFERENCE_TIMES   4.0   // so many times as long as for that

// Everything that one invocation holds.
struct reducing {
    const struct red_options *chosen;
    struct ses_devices devices;
    struct eng_watch reference;
    struct eng_device simulator;
    const struct eng_device *device;
    struct cat_case which;
    struct text name; // of the configuration
    bool loose;       // its oracle leaves something open
    bool checked;     // it is a kernel from outside, which is to be right itself
    struct red_target target;
    struct red_base base;
    red_start *start;
    size_t body, words;      // of the kernel as it came
    struct red_module named; // likewise: what its ids are called
    struct text folder;
    char identity[80];
    double began;
};

// --- A configuration as a kernel

// The push constants of tests (docs/test-format.md): addresses (a kernel has none),
// elements, the run's seed.
#define SEED 1

enum { PUSH_ELEMENTS = 24, PUSH_SEED = 28, PUSH_SIZE = 32 };

static bool takes_addresses(const uint32_t *words, size_t count)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if (each.opcode == SpvOpCapability &&
            spirv_operand(&each, 1, 0) == SpvCapabilityPhysicalStorageBufferAddresses)
            return true;
    return false;
}

static uint32_t *fill(size_t count, uint32_t value)
{
    uint32_t *words = lit_alloc(count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = value;
    return words;
}

static void take_interface(const struct eng_prepared *ready, struct cat_package *package)
{
    struct cat_interface *interface = &package->interface;
    const uint32_t elements = ready->shape.elements, seed = random_of_run(ready->stream, 0);
    snprintf(interface->entry, sizeof interface->entry, "main");
    interface->rows = interface->layers = 1;
    interface->full = ready->code.interface->full;
    interface->sized = true;
    interface->push_size = PUSH_SIZE;
    memcpy(interface->push + PUSH_ELEMENTS, &elements, sizeof elements);
    memcpy(interface->push + PUSH_SEED, &seed, sizeof seed);
    for (uint32_t i = 0; i < CAT_REGIONS; i++)
        if (package->region_words[i])
            interface->bindings[interface->binding_count++] = (struct cat_binding){
                .binding = i, .region = (enum cat_region)i, .words = package->region_words[i]};
    // An array of parts of the input.
    for (size_t i = CAT_REGIONS; i < ready->code.interface->binding_count; i++)
        interface->bindings[interface->binding_count++] = ready->code.interface->bindings[i];
}

static void take_words(const struct eng_prepared *ready, struct cat_package *package)
{
    const struct cat_shape *shape = &ready->shape;
    const size_t outputs = shape->instances * shape->words_per_instance;
    package->region_words[CAT_INPUT] = shape->input_words;
    package->region_words[CAT_OUTPUT] = package->expected_words = outputs;
    package->region_words[CAT_STATE] = shape->state_words;
    package->region[CAT_INPUT] = fill(shape->input_words, 0);
    if (shape->input_words)
        memcpy(package->region[CAT_INPUT], ready->input, shape->input_words * 4);
    package->region[CAT_OUTPUT] = fill(outputs, CAT_POISON);
    package->region[CAT_STATE] = fill(shape->state_words, 0);
    package->expected = fill(outputs, CAT_POISON);
    if (ready->mode.check == CAT_CHECK_EQUAL)
        memcpy(package->expected, ready->expected, outputs * 4);
}

// All but the module's words.
static bool take_all(const struct eng_prepared *ready, const char *what, const uint32_t *words,
                     struct cat_package *package, struct lit_error *error)
{
    const struct cat_test *test = ready->which.test;
    if (takes_addresses(words, ready->module->count))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "it takes its buffers by address; use the variant with access=descriptor");
    for (const char *c = test->head.name; *c; c++)
        text_append(&package->name, isalnum((unsigned char)*c) ? c : "-", 1);
    text_puts(&package->origin, what);
    package->groups = ready->shape.workgroups;
    package->workgroup = ready->args.workgroup;
    package->subgroup = ready->args.subgroup;
    package->specs = lit_alloc(ready->code.spec_count + 1, sizeof *package->specs);
    for (size_t i = 0; i < ready->code.spec_count; i++)
        package->specs[package->spec_count++] =
            (struct cat_spec){ready->spec_ids[i], ready->spec_values[i]};
    take_words(ready, package);
    take_interface(ready, package);
    return package->groups > 0 || lit_fail(error, LIT_EXIT_USAGE, "it dispatches no workgroup");
}

// The seed of what it was found with stands in a generated program's name: "...-5eed-17".
static uint64_t seed_of(const char *name)
{
    const char *last = strrchr(name, '-'), *at = last;
    while (at && at > name && at[-1] != '-')
        at--;
    return last && at > name ? strtoull(at, NULL, 16) : SEED;
}

bool red_package_take(const struct cat_case *which, const struct dev_facts *facts, bool *loose,
                      struct cat_package *package, struct lit_error *error)
{
    const struct cat_test *test = which->test;
    OWNED(eng_prepared_clear) struct eng_prepared ready = {0};
    OWNED(text_free) struct text what = {0};
    if (test->package)
        return lit_fail(error, LIT_EXIT_USAGE, "a litmus test is not reduced");
    const struct eng_prepare how = {.which = which,
                                    .facts = facts,
                                    .scale = test->head.program ? eng_draw_workgroups(facts) : 0,
                                    .most_words = CAT_PACKAGE_BYTES / 4};
    if (!eng_prepare(&how, &ready, error))
        return false;
    cat_case_name(which, &what);
    eng_prepare_data(&ready, test->head.program ? seed_of(test->head.name) : SEED);
    *loose = ready.mode.check != CAT_CHECK_EQUAL;
    const uint32_t *words = cat_module_words(test, ready.module);
    package->words =
        cat_ids_insert(words, ready.module->count, cat_module_names(test, ready.module),
                       ready.module->names_size, &package->word_count);
    return take_all(&ready, what.data, words, package, error);
}

// --- What is reduced

static bool choose_device(struct reducing *r, struct lit_error *error)
{
    const struct eng_inventory *inventory = &r->devices.inventory;
    for (size_t i = 0; i < inventory->count; i++) {
        if (!r->devices.chosen[i])
            continue;
        if (r->device)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "there are several devices: say with -d on which it fails");
        r->device = &inventory->devices[i];
    }
    if (r->device->facts.problem[0])
        return lit_fail(error, LIT_EXIT_NOTHING, "nothing can run on %s: %s", r->device->facts.name,
                        r->device->facts.problem);
    return true;
}

// The kernel that a configuration is.
static bool take_package(struct reducing *r, struct lit_error *error)
{
    struct cat_package *package = &r->base.package;
    const struct cat_package *own = r->which.test->package;
    struct lit_error why = {0};
    if (!r->which.subgroup)
        r->which.subgroup = r->device->facts.subgroup;
    cat_case_name(&r->which, &r->name);
    if (own && own->interface.part_count)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a kernel of several modules is not reduced: extract the one that fails");
    if (own && own->unsound)
        return lit_fail(error, LIT_EXIT_UNDECIDED, NOT_REDUCED, r->name.data,
                        (int)strcspn(own->check.data, "\n"), own->check.data);
    if (own && own->interface.address_count)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a kernel that takes addresses of buffers is not reduced");
    if (own && !own->litmus.threads) {
        r->checked = eng_check_is_clean(cat_package_check(own));
        red_package_copy(own, package);
        memcpy(package->expected, own->expected, own->expected_words * 4);
        package->subgroup = r->which.subgroup;
        return true;
    }
    return red_package_take(&r->which, &r->device->facts, &r->loose, package, &why) ||
           lit_fail(error, why.code, "%.200s: %.250s", r->name.data, why.message);
}

// The module as the passes see it; buffers and constants that it does not have go.
static bool settle_package(struct reducing *r, struct lit_error *error)
{
    struct cat_package *package = &r->base.package;
    struct red_module module;
    const bool read = red_module_read(&module, package->words, package->word_count);
    r->body = read ? red_module_body(&module) : 0;
    r->words = package->word_count;
    const bool good = !read || red_settle(package, &module, red_undefined(&module));
    struct cat_inspected found;
    struct lit_error why = {0};
    cat_inspect(package->words, package->word_count, package->interface.entry, package->specs,
                package->spec_count, &found, &why);
    r->named = module;
    text_puts(&package->name, "-reduced");
    return good || lit_fail(error, LIT_EXIT_USAGE, "%.200s cannot be a kernel of its own: %.200s",
                            r->name.data,
                            why.message[0] ? why.message
                                           : "its buffers are not those that its module declares");
}

// What is the same where a reduction goes on.
static void identify(struct reducing *r)
{
    OWNED(text_free) struct text bytes = {0};
    const char *simt = getenv("LITMUS_SIMT");
    char hash[SHA256_TEXT];
    cat_package_write(&r->base.package, &bytes);
    text_printf(&bytes, "%s %s %s %.17g", r->device->id, r->device->facts.driver_version,
                simt ? simt : "", r->chosen->part);
    sha256_text(bytes.data, bytes.length, hash);
    snprintf(r->identity, sizeof r->identity, "reduction %s", hash);
}

static bool make_folder(struct reducing *r, struct lit_error *error)
{
    const char *name = r->base.package.name.data;
    if (r->chosen->out)
        text_puts(&r->folder, r->chosen->out);
    else
        text_printf(&r->folder, "reduced-%.*s", (int)(strlen(name) - strlen("-reduced")), name);
    return lit_folder_make(r->folder.data, error);
}

// --- How it fails

// A candidate that does not end is not waited for as long as the kernel was.
static void be_patient(struct reducing *r)
{
    const double times = REFERENCE_TIMES * r->target.simulated;
    const double seconds = times > REFERENCE_LEAST ? times : REFERENCE_LEAST;
    if (seconds < r->reference.policy.idle)
        r->reference.policy.idle = seconds;
}

static bool measure(struct reducing *r, struct lit_error *error)
{
    struct cat_package *package = &r->base.package;
    struct red_lane lane;
    const size_t size = package->expected_words * 4;
    OWNED(lit_free) uint32_t *said = lit_alloc(package->expected_words + 1, sizeof *said);
    memcpy(said, package->expected, size);
    const bool says = !r->loose;
    red_lane_begin(&lane, &r->target);
    const enum red_answer answer = red_measure(&lane, &r->target, package, &r->base.values);
    red_lane_end(&lane);
    const char *why = lane.reason[0] ? lane.reason : "no answer";
    switch (answer) {
    case RED_FAILS:
        be_patient(r);
        break;
    case RED_OTHER:
        return lit_fail(error, LIT_EXIT_UNDECIDED, "it did not fail in %" PRIu64 " runs",
                        r->target.tries);
    case RED_UNDEFINED:
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "the right result is unknown: lockstep and tangled give different results "
                        "on the SIMT simulator");
    case RED_INVALID:
        return lit_fail(error, LIT_EXIT_USAGE,
                        "spirv-val rejects the original kernel, and may be too old for it: %.250s",
                        why);
    case RED_STOP:
        return lit_fail(error, lane.end == ENG_END_TIME ? LIT_EXIT_TIME : LIT_EXIT_UNDECIDED,
                        "%.300s",
                        lane.end == ENG_END_TIME     ? "the time budget was used up"
                        : lane.end == ENG_END_SIGNAL ? "interrupted"
                                                     : why);
    default:
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "the right result is unknown: the SIMT simulator cannot run it: %.300s",
                        why);
    }
    if (r->target.result == ENG_FAIL && says && memcmp(said, package->expected, size) != 0)
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "the SIMT simulator does not give the expected result either: check the "
                        "kernel and its expectation");
    static const char said_of_it[] =
        "on the SIMT simulator the kernel itself has the errors that 'litmus kernel FILE --check' "
        "names, which may be why it fails";
    if (r->target.misuse && r->checked)
        return lit_fail(error, LIT_EXIT_UNDECIDED, NOT_REDUCED, r->name.data,
                        (int)strlen(said_of_it), said_of_it);
    if (r->target.misuse)
        fprintf(stderr, "litmus: %s\n", said_of_it);
    return true;
}

static void put_rate(const struct red_target *target, struct text *text)
{
    char rate[80];
    const char *outcome = cat_outcome_name(CAT_CHECK_EQUAL, target->outcome);
    format_interval(rate, target->failed, target->tries,
                    stat_clopper_pearson(target->failed, target->tries, 0.95));
    text_printf(text, "%s%s%s in %s of %s %s (%s)", eng_result_name(target->result),
                target->how[0] || target->result == ENG_FAIL ? ": " : "",
                target->result == ENG_FAIL ? outcome : target->how, COUNT(target->failed),
                COUNT(target->tries), target->result == ENG_FAIL ? "runs" : "tries", rate);
}

// --- What is printed

static void show_progress(const struct red_tally *t, void *user)
{
    struct reducing *r = user;
    uint64_t tried = t->known;
    for (enum red_answer i = 0; i < RED_ANSWERS; i++)
        tried += t->answers[i];
    term_line_show(&r->devices.line,
                   "  %zu of %zu instructions, %" PRIu32 " x %" PRIu32
                   " invocations; round %" PRIu64 ", %s; %s tried, %.0f s",
                   t->body, r->body, t->groups, t->workgroup, t->rounds, t->pass, COUNT(tried),
                   clock_now() - r->began);
}

static void put_end(const struct reducing *r, const struct red_tally *t, struct text *text)
{
    const uint64_t *a = t->answers;
    text_printf(text,
                "  %zu of %zu instructions in its functions, %zu of %zu words, %" PRIu32
                " workgroup%s of %" PRIu32 ", %zu buffer%s\n",
                t->body, r->body, t->words, r->words, t->groups, t->groups == 1 ? "" : "s",
                t->workgroup, t->bindings, t->bindings == 1 ? "" : "s");
    text_printf(text,
                "  candidates: %s failed alike, %s did not, %s were invalid, %s were undefined,\n"
                "              %s the simulator refused, %s were known\n",
                COUNT(a[RED_FAILS]), COUNT(a[RED_OTHER]), COUNT(a[RED_INVALID]),
                COUNT(a[RED_UNDEFINED]), COUNT(a[RED_REFUSED]), COUNT(t->known));
}

// Runs another command in this process; what it finds is no matter of ours.
static void start(const struct reducing *r, const char *command, const char *const *words)
{
    char *argv[24] = {(char *)command};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    term_flush();
    r->start(command, argc, argv);
}

// Runs what was written, into a store, and bundles it.
static void bundle(const struct reducing *r, const char *path)
{
    OWNED(text_free)
    struct text store = {0}, folder = {0}, name = {0}, device = {0}, runs = {0}, said = {0};
    const char *simt = r->chosen->simt.count ? r->chosen->simt.items[0] : NULL;
    text_printf(&store, "%s/litmus.db", r->folder.data);
    text_printf(&folder, "%s/bundle", r->folder.data);
    text_printf(&name, "kernel.%s@workgroup=%" PRIu32 ",subgroup=%" PRIu32,
                r->base.package.name.data, r->base.package.workgroup, r->base.package.subgroup);
    text_printf(&device, "%u", r->device->number);
    text_printf(&runs, "%" PRIu64, r->target.tries < 100 ? UINT64_C(100) : r->target.tries);
    if (access(store.data, F_OK) == 0)
        unlink(store.data);
    start(r, "kernel",
          (const char *[]){path, "run", "--db", store.data, "-n", runs.data, "-q", "-d",
                           device.data, simt ? "--simt" : NULL, simt, NULL});
    // What it holds of an earlier call is of a larger kernel.
    lit_program_run((const char *[]){"rm", "-rf", "--", folder.data, NULL}, 10, 4096, &said, NULL);
    if (access(folder.data, F_OK) != 0)
        start(r, "repro", (const char *[]){name.data, "--db", store.data, "-o", folder.data, NULL});
}

// spirv-reduce takes names away.
static void restore_names(struct reducing *r)
{
    struct cat_package *package = &r->base.package;
    OWNED(red_module_clear) struct red_module module = {0};
    if (red_module_read(&module, package->words, package->word_count)) {
        red_name(&module, &r->named);
        free(package->words);
        package->words = red_module_write(&module, &package->word_count);
    }
}

static bool write_all(struct reducing *r, struct text *path, struct lit_error *error)
{
    OWNED(text_free) struct text remark = {0}, rate = {0}, line = {0};
    put_rate(&r->target, &rate);
    restore_names(r);
    text_printf(&line, "%s, driver %s", r->device->facts.name, r->device->facts.driver_version);
    text_printf(&remark, "# Reduced by litmus reduce from %s.\n# On %s, before: %s.\n",
                r->name.data, line.data, rate.data);
    return script_write(&r->base.package, remark.data, r->folder.data, path, error);
}

// --- From the options to the exit code

static int conclude(struct reducing *r, enum red_end end, const struct red_tally *tally,
                    const char *reason, struct lit_error *error)
{
    OWNED(text_free) struct text path = {0};
    struct text text = {0};
    const enum lit_exit codes[] = {[RED_DONE] = LIT_EXIT_OK,
                                   [RED_TIME] = LIT_EXIT_TIME,
                                   [RED_SIGNAL] = LIT_EXIT_TIME,
                                   [RED_NO_MORE] = LIT_EXIT_FORBIDDEN};
    term_line_clear(&r->devices.line);
    if (end == RED_UNKEPT || !write_all(r, &path, error))
        return term_fail(error);
    put_end(r, tally, &text);
    text_printf(&text, "  %s: litmus kernel %s\n",
                end == RED_DONE ? "nothing smaller fails" : "the same command continues; so far",
                path.data);
    if (end == RED_NO_MORE)
        fprintf(stderr, "litmus: %s\n", reason);
    const int printed = term_print(&text);
    if (end == RED_DONE || end == RED_TIME)
        bundle(r, path.data);
    return printed ? printed : (int)codes[end];
}

static bool take(struct reducing *r, const char *configuration, struct lit_error *error)
{
    const struct red_options *o = r->chosen;
    if (o->jobs > JOBS_MOST)
        return lit_fail(error, LIT_EXIT_USAGE, "--jobs: at most %d", JOBS_MOST);
    if (!cat_case_first(configuration, &r->which, error) || !ses_simt_use(&o->simt, error))
        return false;
    r->simulator.manifest = eng_simt_manifest(error);
    return r->simulator.manifest && ses_devices_find(&r->devices, &o->devices, error) &&
           choose_device(r, error) && take_package(r, error) && settle_package(r, error) &&
           make_folder(r, error);
}

static int reduce(struct reducing *r, const char *configuration, struct lit_error *error)
{
    const struct red_options *o = r->chosen;
    struct red_tally tally = {0};
    OWNED(text_free) struct text text = {0};
    char reason[512] = "";
    if (!take(r, configuration, error))
        return term_fail(error);
    const unsigned cores = eng_usable_cores();
    r->reference = r->devices.watch;
    r->reference.policy.idle = REFERENCE_SECONDS;
    r->target = (struct red_target){.watch = &r->devices.watch,
                                    .reference = &r->reference,
                                    .device = r->device,
                                    .simulator = &r->simulator,
                                    .runs = o->runs,
                                    .loose = r->loose,
                                    .part = o->part};
    identify(r);
    const struct red_plan plan = {.target = &r->target,
                                  .jobs = o->jobs             ? (unsigned)o->jobs
                                          : cores < JOBS_MOST ? cores
                                                              : JOBS_MOST,
                                  .folder = r->folder.data,
                                  .identity = r->identity,
                                  .spirv_tools = true,
                                  .progress = show_progress,
                                  .user = r};
    ses_devices_heading(&r->devices, r->device);
    struct cat_package reached = {0};
    *error = (struct lit_error){0};
    const bool resumed = red_resume(&plan, &reached, error);
    if (!resumed && error->code) {
        cat_package_clear(&reached);
        return term_fail(error);
    }
    if (!measure(r, error)) {
        cat_package_clear(&reached);
        return term_fail(error);
    }
    put_rate(&r->target, &text);
    printf("  %s: %s\n", r->name.data, text.data);
    if (resumed) {
        printf("  goes on with what was reached in %s\n", r->folder.data);
        red_base_clear(&r->base);
        r->base.package = reached;
    }
    term_flush();
    r->began = r->devices.line.shown = clock_now();
    const enum red_end end = red_reduce(&plan, &r->base, &tally, reason, error);
    return conclude(r, end, &tally, reason, error);
}

int red_configuration(const struct red_options *chosen, const char *configuration, red_start *start,
                      struct lit_error *error)
{
    struct reducing r = {.chosen = chosen, .start = start};
    r.devices.line.quiet = chosen->quiet;
    ses_devices_watch(&r.devices, chosen->timeout, chosen->time, chosen->verbose);
    const int code = reduce(&r, configuration, error);
    red_base_clear(&r.base);
    red_module_clear(&r.named);
    text_free(&r.name);
    text_free(&r.folder);
    free(r.simulator.manifest);
    return ses_devices_end(&r.devices, code);
}
