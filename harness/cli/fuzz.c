// SPDX-License-Identifier: Apache-2.0
// litmus fuzz: generated programs against a simulation on the host; what fails is made small and
// stored as a test.
#include "cli/cli.h"
#include "base/clock.h"
#include "catalogue/head.h"
#include "cli/device.h"
#include "cli/fuzz.h"
#include "cli/litmus.h"
#include "engine/supervisor.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "model/check.h"
#include "report/format.h"
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAMILIES       "reconvergence|groups|memory"
#define BY_DEVICE      3 // rules[BY_DEVICE]: the strongest that the device has
#define FILE_MAX       (256 * 1024)
#define RUNS           8
#define REPLAY_RUNS    200
#define PROGRAMS       1000
#define SHRINK_SECONDS 60.0
#define JOBS_MOST      256
#define NUMBERS_MOST   (UINT64_C(1) << 52)

struct options {
    struct cli_list devices, simt;
    uint64_t count, runs, keep, steps, depth, jobs, pressure;
    struct cli_seed seed, index;
    int rule, verbose;
    bool show, quiet, coverage, resume;
    const char *out, *replay, *db, *shard;
    double timeout, time;
};

#define AT(member) offsetof(struct options, member)

static const enum masks_rule rules[] = {MASKS_MAXIMAL, MASKS_SUBGROUP_UNIFORM, MASKS_DEFAULT,
                                        MASKS_MAXIMAL};

static const struct cli_option options[] = {
    {0, "count", CLI_COUNT, AT(count), "N",
     "programs (default: 1,000; of memory until told to stop)"},
    {0, "rule", CLI_CHOICE, AT(rule), "maximal|subgroup-uniform|default",
     "the reconvergence rule to check (default: the strongest that the\ndevice has)"},
    {0, "pressure", CLI_COUNT, AT(pressure), "N",
     "of groups: so many more registers that are live throughout, a\nquarter of them again "
     "Boolean; "
     "to 120 (default: none)"},
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    CLI_OPTION_SEED(
        "random seed of programs and input, e.g. 24301 or 0x5eed\n(default: a new one, which is "
        "printed)"),
    {0, "index", CLI_SEED, AT(index), "N", "the first program's number (default: 0)"},
    {'n', "runs", CLI_COUNT, AT(runs), "N",
     "runs of each program (default: 8; of --replay 200; of memory 16)"},
    {0, "jobs", CLI_COUNT, AT(jobs), "N",
     "programs that run at once, each in a process of its own\n(default: as many as there are "
     "cores; up to 256)"},
    {0, "steps", CLI_COUNT, AT(steps), "N", "size limit of a program, about; to 64 (default: 40)"},
    {0, "depth", CLI_COUNT, AT(depth), "N", "nesting depth; to 6 (default: 4)"},
    {0, "keep", CLI_COUNT, AT(keep), "N",
     "shrink and store at most so many failing programs per device,\none of each group of those "
     "that fail alike (default: 10; of\nmemory all); the others are counted"},
    {0, "out", CLI_TEXT, AT(out), "FOLDER", "where they are stored (default: fuzz-FAMILY)"},
    {0, "db", CLI_TEXT, AT(db), "FILE", "the store, which has all results (default: litmus.db)"},
    {0, "resume", CLI_FLAG, AT(resume), NULL,
     "go on with the newest unfinished campaign in the store, with its\noptions; of a finished "
     "one, "
     "but of memory, only print the tables"},
    {0, "shard", CLI_TEXT, AT(shard), "I/N",
     "only part I (from 0) of N of the programs; 'litmus merge' adds\nthe parts"},
    {0, "coverage", CLI_FLAG, AT(coverage), NULL,
     "of groups: print how often each operation was run, by construct\nand by type, of the whole "
     "session"},
    {0, "show", CLI_FLAG, AT(show), NULL, "only print program --index of --seed as a test"},
    {0, "replay", CLI_TEXT, AT(replay), "FILE", "run a stored program again"},
    CLI_OPTION_TIMEOUT("seconds without progress that count as a hang (default: 60)"),
    CLI_OPTION_TIME,
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "no progress"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print every failed program, and the drivers' own output"},
};

const struct cli_syntax cli_fuzz_syntax = {
    .name = "fuzz",
    .usage = "reconvergence|groups|memory [OPTION]...",
    .about =
        "Generates programs with structured control flow from a seed, runs them, and checks "
        "what\nthey store against the host: of reconvergence every mask that a lane observed, of "
        "groups\nevery register after arithmetic, group operations, atomics and shared memory. "
        "Programs that\nfail are grouped; one of each group is shrunk and stored as an ordinary "
        "test. Of memory: all\nsmall tests of the memory model that forbid something, small ones "
        "first, those that the store\nhas not of the device before others.",
    CLI_OPTIONS(options, struct options, .keep = 10, .steps = 40, .depth = ENG_DRAW_DEPTH,
                .timeout = ENG_IDLE_SECONDS, .rule = BY_DEVICE, .db = "litmus.db"),
    .more = "exit codes: 0 no forbidden result, 1 a forbidden result, or a driver that crashed, "
            "hung or\n"
            "lost the device, 2 usage or input, 3 a program could not be run, 4 a device was lost\n"
            "and its queue stopped, 5 the time budget was used up, 77 nothing could run\n\n"
            "examples:\n"
            "  litmus fuzz reconvergence --count 10000 --seed 1\n"
            "  litmus fuzz reconvergence --simt lagging --count 50\n"
            "  litmus fuzz groups --pressure 60 --time 600\n"
            "  litmus fuzz groups --resume --coverage\n"
            "  litmus fuzz reconvergence --replay fuzz-reconvergence/maximal-1-17.spvasm\n"
            "  litmus fuzz memory --time 10m\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = FAMILIES,
};

// What several devices add up to.
struct sum {
    uint64_t failed, broken, errors, ran; // programs: wrong masks; crash, hang, lost; ...
    uint64_t before;                      // that failed in earlier parts of the session
    unsigned stopped, unopened;           // devices
    bool out_of_time;
    bool data; // programs with data
};

static void add(struct sum *sum, const struct fuzz_tally *tally)
{
    sum->failed += tally->results[ENG_FAIL];
    sum->broken += cli_fuzz_failed(tally) - tally->results[ENG_FAIL] - tally->failed_before;
    sum->before += tally->failed_before;
    sum->errors += tally->results[ENG_HARNESS_ERROR];
    sum->ran += cli_fuzz_judged(tally);
}

// The exit code and why, as docs/reading.md has them.
static enum lit_exit conclude(const struct sum *sum, char reason[256])
{
    const struct lit_end ends[] = {
        {sum->stopped, LIT_EXIT_DEVICE_LOST, "a device was lost and its queue stopped", NULL},
        {sum->before ? sum->before + sum->failed + sum->broken : 0, LIT_EXIT_FORBIDDEN,
         "1 program failed", "%s programs failed"},
        {sum->failed, LIT_EXIT_FORBIDDEN,
         sum->data ? "forbidden values were observed in 1 program"
                   : "forbidden masks were observed in 1 program",
         sum->data ? "forbidden values were observed in %s programs"
                   : "forbidden masks were observed in %s programs"},
        {sum->broken, LIT_EXIT_FORBIDDEN,
         "the driver crashed, hung or lost the device in 1 program",
         "the driver crashed, hung or lost the device in %s programs"},
        {sum->out_of_time, LIT_EXIT_TIME, "the time budget was used up", NULL},
        {sum->errors, LIT_EXIT_UNDECIDED, "1 program could not be run",
         "%s programs could not be run"},
        {sum->ran ? sum->unopened : 0, LIT_EXIT_UNDECIDED, "a device could not be used", NULL},
        {!sum->ran, LIT_EXIT_NOTHING, "nothing could run", NULL},
        {1, LIT_EXIT_OK,
         sum->data ? "no forbidden value was observed" : "no forbidden mask was observed", NULL},
    };
    return lit_end_choose(ends, reason, 256);
}

// Everything that one invocation holds.
struct fuzzing {
    struct options *chosen;
    struct gen_limits limits;
    struct cli_devices devices;
    struct cli_campaign campaign; // in the store; without one for --replay, and for one program
    struct sum sum;
    uint64_t planned;
    char folder[24]; // where they are stored, if nothing else was said
    double began;
};

// Devices

// Whether anything can run on it; says why not.
static bool is_usable(const struct eng_device *device)
{
    if (device->facts.problem[0])
        fprintf(stderr, "litmus: nothing can run on %s: %s\n", device->facts.name,
                device->facts.problem);
    return !device->facts.problem[0] && device->facts.subgroup;
}

static void end_device(struct fuzzing *f, const struct eng_device *device, enum eng_end end,
                       const struct fuzz_plan *plan, const struct fuzz_tally *tally)
{
    struct text table = {0};
    cli_line_clear(&f->devices.line);
    f->sum.out_of_time |= end == ENG_END_TIME;
    f->sum.stopped += end == ENG_END_STOPS;
    f->sum.unopened += end == ENG_END_UNFIT;
    if (eng_end_stops(end))
        fprintf(stderr, "  device %u stops: %s\n", device->number, tally->reason);
    text_puts(&table, "\n");
    cli_fuzz_put_table(tally, &f->limits, &table);
    cli_fuzz_put_groups(tally, &table);
    if (tally->failed_before)
        cli_campaign_put_failed(&f->campaign, &table);
    if (f->chosen->coverage && plan)
        cli_campaign_coverage(&f->campaign, plan, &table);
    cli_print(&table);
    add(&f->sum, tally);
}

// A campaign

static void show_progress(const struct fuzz_tally *tally, const char *doing, void *user)
{
    struct fuzzing *f = user;
    const double now = clock_now();
    cli_line_show(&f->devices.line, "  %s of %s programs, %.0f per second, failed: %s%s%s",
                  COUNT(tally->programs), COUNT(f->planned),
                  (double)(tally->programs - tally->before) / (now > f->began ? now - f->began : 1),
                  COUNT(tally->programs - cli_fuzz_passed(tally)), doing ? "; " : "",
                  doing ? doing : "");
}

static void show_found(const struct fuzz_found *found, void *user)
{
    struct fuzzing *f = user;
    struct text text = {0};
    if (!f->chosen->replay && !found->path[0] && f->chosen->verbose == 0)
        return;
    cli_line_clear(&f->devices.line);
    cli_fuzz_put_found(found, f->limits.rule, &text);
    cli_print(&text);
}

static bool lacks(uint64_t index, void *user)
{
    const struct fuzzing *f = user;
    return cli_campaign_lacks(&f->campaign, index);
}

static bool count_ran(uint64_t index, const struct eng_outcome *first, void *user)
{
    struct fuzzing *f = user;
    return cli_campaign_ran(&f->campaign, index, first);
}

static void settle_rule(struct fuzzing *f, const struct eng_device *device)
{
    if (f->chosen->rule == BY_DEVICE)
        f->limits.rule = eng_draw_rule(device->facts.features);
}

static void settle_limits(struct fuzzing *f)
{
    const struct options *o = f->chosen;
    f->limits = (struct gen_limits){
        .rule = rules[o->rule], .steps = (uint32_t)o->steps, .depth = (uint32_t)o->depth};
    if (f->sum.data) {
        f->limits.numbers = ENG_DRAW_NUMBERS + ((uint32_t)o->pressure + 3) / 4 * 4;
        f->limits.truths = ENG_DRAW_TRUTHS + (uint32_t)o->pressure / 5;
    }
    snprintf(f->folder, sizeof f->folder, "fuzz-%s", gen_family_of(f->limits.numbers));
}

static struct fuzz_plan plan_of(const struct fuzzing *f)
{
    return (struct fuzz_plan){.limits = f->limits,
                              .seed = f->chosen->seed.value,
                              .first = f->chosen->index.value,
                              .count = f->chosen->count,
                              .runs = f->chosen->runs,
                              .jobs = f->chosen->jobs,
                              .keep = f->chosen->keep,
                              .shrinking = SHRINK_SECONDS,
                              .folder = f->chosen->out ? f->chosen->out : f->folder};
}

bool cli_fuzz_small(const struct cli_devices *devices, const struct eng_device *device,
                    const struct cat_case *which, uint64_t seed, uint64_t run, double seconds,
                    struct lit_error *error)
{
    const uint32_t steps = cat_value(&(struct cat_args){.which = which}, "steps");
    struct options chosen = {
        .count = 1,
        .runs = CAT_DRAWN_RUNS(steps),
        .jobs = 1,
        .keep = 1,
        .steps = steps,
        .depth = ENG_DRAW_DEPTH,
        .rule = BY_DEVICE,
        .seed = {.value = seed},
        .index = {.value = dev_facts_program(&device->facts, which->subgroup, run)}};
    struct fuzzing f = {.chosen = &chosen, .devices = *devices, .planned = 1};
    struct eng_policy *policy = &f.devices.watch.policy;
    const double until = clock_now() - devices->watch.started + seconds;
    const struct fuzz_listener listener = {
        .progress = show_progress, .found = show_found, .user = &f};
    OWNED(lit_free) struct fuzz_tally *tally = lit_alloc(1, sizeof *tally);
    bool written = true;
    if (policy->total == 0 || until < policy->total)
        policy->total = until;
    f.sum.data = !strcmp(cat_test_draws(which->test), gen_family_of(ENG_DRAW_NUMBERS));
    settle_limits(&f);
    settle_rule(&f, device);
    f.began = f.devices.line.shown = clock_now();
    const struct fuzz_plan plan = plan_of(&f);
    fuzz_campaign(&f.devices.watch, device, &plan, &listener, tally, &written, error);
    cli_line_clear(&f.devices.line);
    printf(cli_fuzz_failed(tally) ? "\n" : "  not again, alone\n\n");
    return written;
}

static void print_plan(const struct fuzzing *f, const struct fuzz_plan *plan, uint64_t before)
{
    const struct eng_shard *shard = &f->campaign.options.shard;
    OWNED(text_free) struct text line = {0};
    text_printf(&line, "  rule %s, %s programs, %s runs each, seed 0x%" PRIx64,
                gen_rule_name(f->limits.rule), COUNT(f->planned), COUNT(plan->runs), plan->seed);
    if (shard->kind != STORE_WHOLE)
        text_printf(&line, ", shard %" PRIu64 "/%" PRIu64, shard->index, shard->count);
    if (before)
        text_printf(&line, "; done before: %s", COUNT(before));
    printf("%s\n", line.data);
    cli_flush();
}

static bool fuzz_device(struct fuzzing *f, const struct eng_device *device, enum eng_end *end,
                        struct lit_error *error)
{
    OWNED(lit_free) struct fuzz_tally *tally = lit_alloc(1, sizeof *tally);
    bool written = true;
    settle_rule(f, device);
    const struct fuzz_plan plan = plan_of(f);
    const struct fuzz_listener listener = {.progress = show_progress,
                                           .found = show_found,
                                           .lacks = lacks,
                                           .ran = count_ran,
                                           .user = f};
    if (!cli_campaign_device(&f->campaign, device, f->limits.rule, tally))
        return false;
    f->planned = cli_campaign_planned(&f->campaign);
    cli_devices_heading(&f->devices, device);
    print_plan(f, &plan, tally->before);
    f->began = f->devices.line.shown = clock_now();
    *end = fuzz_campaign(&f->devices.watch, device, &plan, &listener, tally, &written, error);
    written = cli_campaign_put(&f->campaign) && written;
    f->campaign.missing |= *end != ENG_END_RAN || !cli_campaign_is_whole(&f->campaign);
    end_device(f, device, *end, &plan, tally);
    return written;
}

// --replay

struct replay {
    char name[96];
    struct gen_program program;
    enum masks_rule rule;
};

// The program of a stored file's head. The seed in its name is that of the input.
static bool read_replay(struct fuzzing *f, struct replay *replay, struct lit_error *error)
{
    const char *path = f->chosen->replay;
    OWNED(text_free) struct text text = {0};
    OWNED(cat_head_clear) struct cat_head head = {0};
    struct lit_error why = {0};
    char oracle[40];
    const bool read = text_read(&text, path, FILE_MAX - 1);
    if (!read || text.length >= FILE_MAX) {
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, read ? "not a test" : strerror(errno));
        return false;
    }
    bool good = cat_head_parse(text.data ? text.data : "", text.length, &head, &why);
    snprintf(oracle, sizeof oracle, "%s.generated", gen_family_of(f->limits.numbers));
    if (good && (!head.program || strcmp(head.oracle, oracle) != 0))
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
        if (seed && !f->chosen->seed.given)
            f->chosen->seed.value = strtoull(seed + 1, NULL, 16);
    } else {
        lit_fail(error, LIT_EXIT_USAGE, "%.200s: %s", path, why.message);
    }
    return good;
}

static void replay_device(struct fuzzing *f, const struct replay *replay,
                          const struct eng_device *device, enum eng_end *end)
{
    struct fuzz_target target;
    struct fuzz_tally tally = {0};
    cli_devices_heading(&f->devices, device);
    fuzz_target_init(&target, &f->devices.watch, device);
    *end = ENG_END_RAN;
    for (size_t i = 0; i < target.size_count && *end == ENG_END_RAN; i++) {
        struct fuzz_found found = {
            .drawn = replay->program, .small = replay->program, .subgroup = target.sizes[i]};
        const struct fuzz_trial trial = {.program = &replay->program,
                                         .name = replay->name,
                                         .rule = replay->rule,
                                         .subgroup = target.sizes[i],
                                         .seed = f->chosen->seed.value,
                                         .runs = f->chosen->runs};
        *end = fuzz_run(&target, &trial, &found, &tally);
        if (*end == ENG_END_RAN && fuzz_failed(&found.first))
            show_found(&found, f);
    }
    eng_client_end(&target.client);
    f->limits.rule = replay->rule;
    end_device(f, device, *end, NULL, &tally);
}

// --show

// Prints a program as it is drawn for a device; NULL: for one that has everything, in subgroups of
// 32.
static int show(struct fuzzing *f, const struct eng_device *device)
{
    struct gen_program program;
    struct text text = {0}, origin = {0};
    struct fuzz_target target = {.sizes = {32}, .size_count = 1};
    struct gen_limits limits = f->limits;
    const uint64_t seed = f->chosen->seed.value, index = f->chosen->index.value;
    char name[96];
    limits.features = UINT64_MAX;
    limits.subgroup = 32;
    if (device && device->facts.subgroup) {
        settle_rule(f, device);
        fuzz_target_init(&target, &f->devices.watch, device);
        limits = fuzz_limits(&(struct fuzz_plan){.limits = f->limits}, device,
                             target.sizes[index % target.size_count]);
    }
    gen_draw(&program, &limits, seed, index);
    eng_draw_name(&limits, seed, index, name);
    text_printf(&origin, "litmus fuzz %s --rule %s --seed 0x%" PRIx64 ", program %" PRIu64,
                gen_family(&program), gen_rule_name(limits.rule), seed, index);
    gen_assembly(&(struct gen_title){.name = name, .origin = origin.data, .rule = limits.rule},
                 &program, &text);
    text_free(&origin);
    return cli_print(&text);
}

// From the command line to the exit code

static bool check_family(struct fuzzing *f, const struct cli_list *operands,
                         struct lit_error *error)
{
    const struct options *o = f->chosen;
    if (operands->count != 1)
        return lit_fail(error, LIT_EXIT_USAGE,
                        operands->count ? "only one family at a time"
                                        : "missing family: reconvergence, groups or memory");
    f->sum.data = !strcmp(operands->items[0], "groups");
    if (!f->sum.data && strcmp(operands->items[0], "reconvergence") != 0)
        return lit_fail(
            error, LIT_EXIT_USAGE,
            "no programs are generated for '%.80s'; there are: reconvergence, groups, memory",
            operands->items[0]);
    return f->sum.data || !(o->pressure || o->coverage) ||
           lit_fail(error, LIT_EXIT_USAGE, "--pressure and --coverage are for groups");
}

// What a session was asked for becomes what is asked for now.
static bool resume(struct fuzzing *f, const char *family, struct lit_error *error)
{
    struct cli_campaign *c = &f->campaign;
    struct options *o = f->chosen;
    c->options.db = o->db;
    if (!cli_campaign_resume(c, family, error))
        return false;
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(c->options.patterns.items[0]);
    if (!cli_campaign_read(&cfg, &c->kind))
        return lit_fail(error, LIT_EXIT_USAGE, "the session's options make no sense");
    o->rule = BY_DEVICE;
    for (int i = 0; i < BY_DEVICE; i++)
        if (c->kind.rule && strcmp(c->kind.rule, gen_rule_name(rules[i])) == 0)
            o->rule = i;
    o->steps = c->kind.steps;
    o->depth = c->kind.depth;
    o->pressure = c->kind.pressure;
    o->runs = c->kind.runs;
    o->count = c->options.runs;
    o->index = (struct cli_seed){true, c->options.first};
    o->seed = c->options.seed;
    o->simt = c->options.simt;
    o->timeout = c->options.timeout;
    // Not those of the name, which goes.
    c->kind.family = f->sum.data ? "groups" : "reconvergence";
    c->kind.rule = o->rule == BY_DEVICE ? NULL : gen_rule_name(rules[o->rule]);
    return true;
}

// What of the options has no meaning beside others.
static bool check_together(const struct options *o, uint64_t given, struct lit_error *error)
{
    static const char *const with[] = {"resume", "db",    "time",     "jobs",   "keep",
                                       "out",    "quiet", "coverage", "verbose"};
    uint64_t may = 0;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        for (size_t k = 0; k < cli_fuzz_syntax.count; k++)
            if (strcmp(options[k].name, with[i]) == 0)
                may |= UINT64_C(1) << k;
    for (size_t k = 0; o->resume && k < cli_fuzz_syntax.count; k++)
        if (given & ~may & UINT64_C(1) << k)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--resume uses the session's options: --%s cannot be given",
                            options[k].name);
    return !((o->show || o->replay) && (o->shard || cli_is_given(&cli_fuzz_syntax, given, "db"))) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "--show and --replay store nothing: no --db, no --shard");
}

static bool check_usage(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    const struct options *o = f->chosen;
    struct eng_shard *shard = &f->campaign.options.shard;
    if (!check_family(f, &call->operands, error) || !check_together(o, call->given, error) ||
        (o->resume && !resume(f, call->operands.items[0], error)) ||
        (o->shard && !eng_shard_parse(o->shard, STORE_SHARD_RUNS, "--shard", shard, error)))
        return false;
    if (o->show && o->replay)
        return lit_fail(error, LIT_EXIT_USAGE, "--show and --replay are mutually exclusive");
    if (o->show && !o->seed.given)
        return lit_fail(error, LIT_EXIT_USAGE, "--show needs --seed");
    if (o->steps > GEN_STEPS / 2)
        return lit_fail(error, LIT_EXIT_USAGE, "--steps: at most %d", GEN_STEPS / 2);
    if (o->index.value > NUMBERS_MOST || o->count > NUMBERS_MOST)
        return lit_fail(error, LIT_EXIT_USAGE, "--index and --count: at most 2^52");
    if (o->shard && !o->seed.given)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "the shards of a campaign need one seed: give "
                        "--seed");
    if (o->jobs > JOBS_MOST)
        return lit_fail(error, LIT_EXIT_USAGE, "--jobs: at most %d", JOBS_MOST);
    if (o->pressure > GEN_NUMBERS - ENG_DRAW_NUMBERS)
        return lit_fail(error, LIT_EXIT_USAGE, "--pressure: at most %d",
                        GEN_NUMBERS - ENG_DRAW_NUMBERS);
    return o->depth <= GEN_NESTING / 2 ||
           lit_fail(error, LIT_EXIT_USAGE, "--depth: at most %d", GEN_NESTING / 2);
}

static void settle(struct fuzzing *f)
{
    struct options *o = f->chosen;
    cli_seed_settle(&o->seed, true);
    if (!o->count)
        o->count = PROGRAMS;
    if (!o->runs)
        o->runs = o->replay ? REPLAY_RUNS : RUNS;
    if (!o->jobs)
        o->jobs = eng_usable_cores() < JOBS_MOST ? eng_usable_cores() : JOBS_MOST;
    settle_limits(f);
    f->devices.line.quiet = o->quiet;
    cli_devices_watch(&f->devices, o->timeout, o->time, o->verbose);
}

static bool begin(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    struct options *o = f->chosen;
    f->campaign.kind = (struct cli_campaign_kind){
        .family = f->sum.data ? "groups" : "reconvergence",
        .rule = o->rule == BY_DEVICE ? NULL : gen_rule_name(rules[o->rule]),
        .steps = o->steps,
        .depth = o->depth,
        .pressure = o->pressure,
        .runs = o->runs};
    f->campaign.options = (struct cli_run_options){.runs = o->count,
                                                   .first = o->index.value,
                                                   .seed = o->seed,
                                                   .simt = o->simt,
                                                   .timeout = o->timeout,
                                                   .shard = f->campaign.options.shard,
                                                   .db = o->db};
    return cli_session_check(&f->campaign.options.patterns, &o->simt, error) &&
           cli_campaign_begin(&f->campaign, call, &f->devices, error);
}

static bool find_devices(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    if (f->chosen->resume)
        return cli_campaign_devices(&f->campaign, &f->devices, error);
    return cli_devices_find(&f->devices, &f->chosen->devices, error) &&
           (f->chosen->replay || f->chosen->show || begin(f, call, error));
}

static int finish(struct fuzzing *f, struct lit_error *error)
{
    char reason[256];
    const enum lit_exit code = conclude(&f->sum, reason);
    f->campaign.missing |= f->sum.stopped + f->sum.unopened > 0;
    f->campaign.options.seed = f->chosen->seed;
    return cli_campaign_end(&f->campaign, f->devices.watch.started, code, reason, error);
}

static int fuzz(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    struct replay replay;
    struct options *o = f->chosen;
    enum eng_end end = ENG_END_RAN;
    if (!check_usage(f, call, error))
        return cli_fail(error);
    settle(f);
    // What a device has decides what is drawn.
    if (o->show && (!f->sum.data || !(o->devices.count + o->simt.count)))
        return show(f, NULL);
    if ((o->replay && !read_replay(f, &replay, error)) || !cli_simt_use(&o->simt, error) ||
        !find_devices(f, call, error))
        return cli_fail(error);
    const struct eng_inventory *inventory = &f->devices.inventory;
    for (size_t i = 0; i < inventory->count && end != ENG_END_TIME && end != ENG_END_SIGNAL; i++) {
        const struct eng_device *device = &inventory->devices[i];
        if (!f->devices.chosen[i] || !is_usable(device))
            continue;
        if (o->show)
            return show(f, device);
        if (o->replay)
            replay_device(f, &replay, device, &end);
        else if (!fuzz_device(f, device, &end, error))
            return cli_fail(error);
    }
    return finish(f, error);
}

// The options that say nothing of small memory tests are refused.
static int fuzz_memory(struct cli_call *call)
{
    static const char *const others[] = {"rule",  "pressure", "jobs",   "steps",
                                         "depth", "coverage", "replay", "shard"};
    const struct options *o = call->chosen;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_is_given(&cli_fuzz_syntax, call->given, others[i])) {
            lit_fail(&call->error, LIT_EXIT_USAGE, "--%s is not for memory", others[i]);
            return CLI_FAILED;
        }
    if (!check_together(o, call->given, &call->error))
        return CLI_FAILED;
    const bool counted = cli_is_given(&cli_fuzz_syntax, call->given, "count");
    const bool kept = cli_is_given(&cli_fuzz_syntax, call->given, "keep");
    return cli_fuzz_memory(call, &(struct cli_fuzz_memory){.devices = &o->devices,
                                                           .simt = &o->simt,
                                                           .count = counted ? o->count : 0,
                                                           .runs = o->runs ? o->runs : 16,
                                                           .keep = kept ? o->keep : UINT64_MAX,
                                                           .seed = o->seed,
                                                           .index = o->index.value,
                                                           .show = o->show,
                                                           .resume = o->resume,
                                                           .quiet = o->quiet,
                                                           .verbose = o->verbose,
                                                           .out = o->out ? o->out : "fuzz-memory",
                                                           .db = o->db,
                                                           .timeout = o->timeout,
                                                           .time = o->time});
}

int cli_fuzz(struct cli_call *call)
{
    if (call->operands.count == 1 && !strcmp(call->operands.items[0], "memory"))
        return fuzz_memory(call);
    struct fuzzing f = {.chosen = call->chosen};
    const int code = fuzz(&f, call, &call->error);
    cli_campaign_close(&f.campaign);
    return cli_devices_end(&f.devices, code);
}
