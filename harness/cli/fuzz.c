// SPDX-License-Identifier: Apache-2.0
// litmus fuzz: generated programs against a simulation on the host; what fails is made small and
// stored as a test.
#include "cli/cli.h"
#include "base/clock.h"
#include "catalogue/head.h"
#include "cli/device.h"
#include "cli/fuzz_report.h"
#include "engine/drivers.h"
#include "engine/watch.h"
#include "engine/progress.h"
#include "generate/module.h"
#include "generate/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define FAMILY         "reconvergence"
#define FILE_MAX       (256 * 1024)
#define REPLAY_RUNS    200
#define UNKEPT         5
#define SHRINK_SECONDS 60.0

struct options {
    struct cli_list devices, simt;
    uint64_t count, runs, keep, steps, depth;
    struct cli_seed seed, index;
    int rule, verbose;
    bool show, quiet;
    const char *out, *replay;
    double timeout, time;
};

#define AT(member) offsetof(struct options, member)

static const enum masks_rule rules[] = {MASKS_MAXIMAL, MASKS_SUBGROUP_UNIFORM, MASKS_DEFAULT};

static const struct cli_option options[] = {
    {0, "count", CLI_COUNT, AT(count), "N", "programs (default: 1,000)"},
    {0, "rule", CLI_CHOICE, AT(rule), "maximal|subgroup-uniform|default",
     "the reconvergence rule to check (default: maximal)"},
    {'d', "device", CLI_LIST, AT(devices), "DEVICE",
     "only this device, as for 'litmus run -d'; can be repeated"},
    {0, "simt", CLI_LIST, AT(simt), CLI_SIMT_ARGUMENT,
     "only on the SIMT simulator: " CLI_SIMT_MODELS},
    {0, "seed", CLI_SEED, AT(seed), "SEED",
     "random seed of programs and input, e.g. 24301 or 0x5eed\n(default: a new one, which is "
     "printed)"},
    {0, "index", CLI_SEED, AT(index), "N", "the first program's number (default: 0)"},
    {'n', "runs", CLI_COUNT, AT(runs), "N", "runs of each program (default: 8; of --replay 200)"},
    {0, "steps", CLI_COUNT, AT(steps), "N", "size limit of a program, about; to 64 (default: 40)"},
    {0, "depth", CLI_COUNT, AT(depth), "N", "nesting depth; to 6 (default: 4)"},
    {0, "keep", CLI_COUNT, AT(keep), "N",
     "shrink and store at most so many failing programs per\ndevice (default: 5); the others are "
     "counted"},
    {0, "out", CLI_TEXT, AT(out), "FOLDER", "where they are stored (default: fuzz-reconvergence)"},
    {0, "show", CLI_FLAG, AT(show), NULL, "only print program --index of --seed as a test"},
    {0, "replay", CLI_TEXT, AT(replay), "FILE", "run a stored program again"},
    {0, "timeout", CLI_SECONDS, AT(timeout), "SECONDS",
     "seconds without progress that count as a hang (default: 60)"},
    {0, "time", CLI_SECONDS, AT(time), "SECONDS",
     "time budget, then stop with exit code 5; 90s, 10m, 2h"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print every failed program, and the drivers' own output"},
};

const struct cli_syntax cli_fuzz_syntax = {
    .name = "fuzz",
    .usage = "reconvergence [OPTION]...",
    .about = "Generates programs with structured control flow from a seed, runs them, and checks "
             "every\nmask that a lane observed against a simulation on the host. A failing program "
             "is shrunk\nand stored as an ordinary test.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more =
        "exit codes: 0 no forbidden mask, 1 a forbidden mask, or a driver that crashed, hung or\n"
        "lost the device, 2 usage or input, 3 a program could not be run, 4 a device was lost\n"
        "and its queue stopped, 5 the time budget was used up, 77 nothing could run\n\n"
        "examples:\n"
        "  litmus fuzz reconvergence --count 10000 --seed 1\n"
        "  litmus fuzz reconvergence --simt lagging --count 50\n"
        "  litmus fuzz reconvergence --replay fuzz-reconvergence/maximal-1-17.spvasm\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "reconvergence",
};

struct fuzzing {
    struct options chosen;
    struct gen_taste taste;
    struct eng_watch watch;
    struct eng_inventory inventory;
    bool *devices;
    struct cli_fuzz_sum sum;
    bool utf8, drawn; // a progress line stands on the terminal
    double shown;     // when
    uint64_t planned;
    uint64_t unkept; // failing programs of this device that were only told
    double began;
};

static void clear_line(struct fuzzing *f)
{
    if (f->drawn)
        fprintf(stderr, "\r\033[K");
    f->drawn = false;
}

static void say(const char *line, void *user)
{
    clear_line(user);
    fprintf(stderr, "%s\n", line);
}

// Devices

static bool find_devices(struct fuzzing *f, struct lit_error *error)
{
    if (!cli_simt_use(&f->chosen.simt, error))
        return false;
    if (!eng_inventory_take(&f->watch, &f->inventory))
        return lit_fail(error, LIT_EXIT_TIME,
                        "the time budget was used up before the first program");
    f->devices = lit_alloc(f->inventory.count + 1, sizeof *f->devices);
    return eng_inventory_some(&f->inventory, error) &&
           eng_inventory_choose(&f->inventory, f->chosen.devices.items, f->chosen.devices.count,
                                f->devices, error);
}

static void print_header(const struct fuzzing *f, const struct eng_device *device)
{
    struct text line = {0};
    cli_device_heading(device, f->inventory.count, f->utf8, &line);
    cli_print(&line);
}

// Whether anything can run on it; says why not.
static bool is_usable(struct fuzzing *f, const struct eng_device *device)
{
    if (device->facts.problem[0])
        fprintf(stderr, "litmus: nothing can run on %s: %s\n", device->facts.name,
                device->facts.problem);
    (void)f;
    return !device->facts.problem[0] && device->facts.subgroup;
}

static void end_device(struct fuzzing *f, const struct fuzz_target *target, enum eng_end end,
                       const char *reason)
{
    if (end == ENG_END_TIME)
        f->sum.out_of_time = true;
    if (!eng_end_stops(end))
        return;
    f->sum.stopped += end == ENG_END_STOPS;
    f->sum.unopened += end == ENG_END_UNFIT;
    fprintf(stderr, "  device %u stops: %s\n", target->client.device->number, reason);
}

// A campaign

static void show_progress(const struct fuzz_tally *tally, const char *doing, void *user)
{
    struct fuzzing *f = user;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    const double now = clock_now();
    char done[32], all[32], failed[32];
    if (f->chosen.quiet || now < f->shown + (terminal ? 0.1 : 30))
        return;
    f->shown = now;
    fprintf(stderr, "%s  %s of %s programs, %.0f per second, failed: %s%s%s%s",
            terminal ? "\r\033[K" : "", text_count(done, tally->programs),
            text_count(all, f->planned),
            (double)tally->programs / (now > f->began ? now - f->began : 1),
            text_count(failed, tally->programs - tally->results[ENG_PASS]), doing ? "; " : "",
            doing ? doing : "", terminal ? "" : "\n");
    f->drawn = terminal;
}

static void show_found(const struct fuzz_found *found, void *user)
{
    struct fuzzing *f = user;
    struct text text = {0};
    // Of those that are only counted a few say enough.
    if (!f->chosen.replay && !found->path[0] && f->chosen.verbose == 0 && ++f->unkept > UNKEPT)
        return;
    clear_line(f);
    cli_fuzz_found(found, f->taste.rule, &text);
    cli_print(&text);
}

static bool fuzz_device(struct fuzzing *f, const struct eng_device *device, enum eng_end *end,
                        struct lit_error *error)
{
    struct fuzz_target target;
    struct fuzz_tally tally;
    struct text table = {0};
    char count[32], runs[32];
    bool written = true;
    const struct fuzz_plan plan = {.taste = f->taste,
                                   .seed = f->chosen.seed.value,
                                   .first = f->chosen.index.value,
                                   .count = f->chosen.count,
                                   .runs = f->chosen.runs,
                                   .keep = f->chosen.keep,
                                   .shrinking = SHRINK_SECONDS,
                                   .folder = f->chosen.out};
    const struct fuzz_listener listener = {
        .progress = show_progress, .found = show_found, .user = f};
    print_header(f, device);
    printf("  rule %s, %s programs, %s runs each, seed 0x%" PRIx64 "\n",
           gen_rule_name(f->taste.rule), text_count(count, plan.count), text_count(runs, plan.runs),
           plan.seed);
    cli_flush();
    f->began = f->shown = clock_now();
    f->planned = plan.count;
    f->unkept = 0;
    fuzz_target_init(&target, &f->watch, device);
    *end = fuzz_campaign(&target, &plan, &listener, &tally, &written, error);
    clear_line(f);
    end_device(f, &target, *end, tally.reason);
    fuzz_target_end(&target);
    cli_fuzz_table(&tally, f->taste.rule, &table);
    printf("\n%s", table.data);
    cli_flush();
    text_free(&table);
    cli_fuzz_add(&f->sum, &tally);
    return written;
}

// --replay

static bool read_file(const char *path, struct text *text, struct lit_error *error)
{
    const bool good = text_read(text, path, FILE_MAX - 1);
    if (good && text->length < FILE_MAX)
        return true;
    text_free(text);
    return lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path,
                    good ? "not a test" : strerror(errno));
}

struct replay {
    char name[96];
    struct gen_program program;
    enum masks_rule rule;
};

// The program of a stored file's head. The seed in its name is that of the input.
static bool read_replay(struct fuzzing *f, struct replay *replay, struct lit_error *error)
{
    const char *path = f->chosen.replay;
    struct text text = {0};
    struct cat_head head = {0};
    struct lit_error why = {0};
    if (!read_file(path, &text, error))
        return false;
    bool good = cat_head_parse(text.data ? text.data : "", text.length, &head, &why);
    if (good && (!head.program || strcmp(head.oracle, "reconvergence.generated") != 0))
        good = lit_fail(&why, LIT_EXIT_USAGE, "its head has no program");
    if (good && (head.axis_count != 1 || strcmp(head.axes[0].name, "reconvergence") != 0 ||
                 head.axes[0].count != 1 || !gen_rule_find(head.axes[0].values[0], &replay->rule)))
        good = lit_fail(&why, LIT_EXIT_USAGE, "its head names no rule");
    good = good && gen_read(head.program, strlen(head.program), &replay->program, &why) &&
           gen_check(&replay->program, replay->rule, &why);
    if (good && strlen(head.name) >= sizeof replay->name)
        good = lit_fail(&why, LIT_EXIT_USAGE, "its name is too long");
    if (good) {
        snprintf(replay->name, sizeof replay->name, "%s", head.name);
        char *number = strrchr(head.name, '-');
        if (number)
            *number = '\0';
        const char *seed = strrchr(head.name, '-');
        if (seed && !f->chosen.seed.given)
            f->chosen.seed.value = strtoull(seed + 1, NULL, 16);
    } else {
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, why.message);
    }
    cat_head_clear(&head);
    text_free(&text);
    return good;
}

static void replay_device(struct fuzzing *f, const struct replay *replay,
                          const struct eng_device *device, enum eng_end *end)
{
    struct fuzz_target target;
    struct fuzz_tally tally = {0};
    struct text table = {0};
    print_header(f, device);
    fuzz_target_init(&target, &f->watch, device);
    *end = ENG_END_RAN;
    for (size_t i = 0; i < target.size_count && *end == ENG_END_RAN; i++) {
        struct fuzz_found found = {
            .drawn = replay->program, .small = replay->program, .subgroup = target.sizes[i]};
        const struct fuzz_trial trial = {.program = &replay->program,
                                         .name = replay->name,
                                         .rule = replay->rule,
                                         .subgroup = target.sizes[i],
                                         .seed = f->chosen.seed.value,
                                         .runs = f->chosen.runs};
        *end = fuzz_try(&target, &trial, &found.first);
        if (eng_end_stops(*end))
            snprintf(tally.reason, sizeof tally.reason, "%s", found.first.reason);
        if (*end != ENG_END_RAN)
            break;
        if (found.first.count.failure_count)
            found.failure = found.first.count.failures[0];
        tally.programs++;
        tally.runs += found.first.count.runs;
        tally.masks += fuzz_masks(&replay->program, &found.first.count, target.sizes[i]);
        tally.results[found.first.result]++;
        if (fuzz_failed(&found.first))
            show_found(&found, f);
        else if (found.first.result != ENG_PASS)
            snprintf(tally.reason, sizeof tally.reason, "%s", found.first.reason);
    }
    end_device(f, &target, *end, tally.reason);
    fuzz_target_end(&target);
    cli_fuzz_table(&tally, replay->rule, &table);
    printf("\n%s", table.data);
    text_free(&table);
    cli_fuzz_add(&f->sum, &tally);
}

// --show

static int show(const struct fuzzing *f)
{
    struct gen_program program;
    struct text text = {0}, origin = {0};
    char name[96];
    const char *rule = gen_rule_name(f->taste.rule);
    gen_draw(&program, &f->taste, f->chosen.seed.value, f->chosen.index.value);
    fuzz_name(f->taste.rule, f->chosen.seed.value, f->chosen.index.value, name);
    text_printf(&origin,
                "litmus fuzz reconvergence --rule %s --seed 0x%" PRIx64 ", program %" PRIu64, rule,
                f->chosen.seed.value, f->chosen.index.value);
    gen_assembly(&(struct gen_title){.name = name, .origin = origin.data, .rule = f->taste.rule},
                 &program, &text);
    text_free(&origin);
    return cli_print(&text);
}

// From the command line to the exit code

static bool check_usage(struct fuzzing *f, const struct cli_list *operands, struct lit_error *error)
{
    const struct options *o = &f->chosen;
    if (operands->count != 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        operands->count ? "only one family at a time"
                                        : "missing family; there is one: " FAMILY);
    if (strcmp(operands->items[0], FAMILY) != 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "no programs are generated for '%.80s'; there is one family: " FAMILY,
                        operands->items[0]);
    if (o->show && o->replay)
        return lit_fail(error, LIT_EXIT_USAGE, "--show and --replay are mutually exclusive");
    if (o->show && !o->seed.given)
        return lit_fail(error, LIT_EXIT_USAGE, "--show needs --seed");
    if (o->steps > GEN_STEPS / 2)
        return lit_fail(error, LIT_EXIT_USAGE, "--steps: at most %d", GEN_STEPS / 2);
    return o->depth <= GEN_NESTING / 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "--depth: at most %d", GEN_NESTING / 2);
}

static void settle(struct fuzzing *f)
{
    struct options *o = &f->chosen;
    if (!o->seed.given && getrandom(&o->seed.value, sizeof o->seed.value, 0) < 0)
        o->seed.value = (uint64_t)time(NULL);
    // Shorter to write down, and more than enough.
    if (!o->seed.given)
        o->seed.value &= 0xffffffff;
    if (!o->runs)
        o->runs = o->replay ? REPLAY_RUNS : 8;
    f->taste = (struct gen_taste){
        .rule = rules[o->rule], .steps = (uint32_t)o->steps, .depth = (uint32_t)o->depth};
    f->watch.policy = (struct eng_policy){
        .idle = o->timeout, .term = ENG_TERM_SECONDS, .kill = ENG_KILL_SECONDS, .total = o->time};
    f->watch.verbose = o->verbose > 0;
    f->watch.user = f;
}

static int finish(const struct fuzzing *f)
{
    const char *dot = f->utf8 ? " \u00b7 " : ", ";
    char reason[256], took[32];
    const enum lit_exit code = cli_fuzz_exit(&f->sum, reason, sizeof reason);
    printf("\nseed 0x%" PRIx64 "%s%s%s", f->chosen.seed.value, dot,
           eng_duration(took, clock_now() - f->watch.started), dot);
    if (eng_interrupt())
        printf("interrupted%s%s\n", code == LIT_EXIT_FORBIDDEN ? ": " : "",
               code == LIT_EXIT_FORBIDDEN ? reason : "");
    else
        printf("exit %d: %s\n", (int)code, reason);
    cli_flush();
    return code;
}

static int fuzz(struct fuzzing *f, const struct cli_list *operands, struct lit_error *error)
{
    struct replay replay;
    enum eng_end end = ENG_END_RAN;
    if (!check_usage(f, operands, error))
        return cli_fail(error);
    settle(f);
    if (f->chosen.show)
        return show(f);
    if (f->chosen.replay && !read_replay(f, &replay, error))
        return cli_fail(error);
    eng_interrupt_listen();
    if (!find_devices(f, error))
        return cli_fail(error);
    for (size_t i = 0; i < f->inventory.count && end != ENG_END_TIME && end != ENG_END_SIGNAL;
         i++) {
        const struct eng_device *device = &f->inventory.devices[i];
        if (!f->devices[i] || !is_usable(f, device))
            continue;
        if (f->chosen.replay)
            replay_device(f, &replay, device, &end);
        else if (!fuzz_device(f, device, &end, error))
            return cli_fail(error);
    }
    return finish(f);
}

int cli_fuzz(int argc, char **argv)
{
    struct fuzzing f = {
        .chosen = {.count = 1000,
                   .keep = 5,
                   .steps = 40,
                   .depth = 4,
                   .timeout = ENG_IDLE_SECONDS,
                   .out = "fuzz-reconvergence"},
        .watch = {.started = clock_now(), .say = say},
        .utf8 = cli_utf8(),
    };
    struct cli_list operands = {0};
    struct lit_error error = {0};
    int code = LIT_EXIT_OK;
    if (cli_start(&cli_fuzz_syntax, argc, argv, &f.chosen, &operands, NULL, &code))
        code = fuzz(&f, &operands, &error);
    eng_inventory_clear(&f.inventory);
    free(f.devices);
    cli_list_clear(&operands);
    cli_list_clear(&f.chosen.devices);
    cli_list_clear(&f.chosen.simt);
    if (eng_interrupt())
        eng_interrupt_reraise(eng_interrupt());
    return code;
}
