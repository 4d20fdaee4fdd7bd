// SPDX-License-Identifier: Apache-2.0
// litmus fuzz: compares generated programs with a simulation on the host, shrinks failing ones and
// stores them as tests.
#include "cli/cli.h"
#include "base/clock.h"
#include "base/file.h"
#include "catalogue/head.h"
#include "cli/device.h"
#include "cli/fuzz.h"
#include "engine/supervisor.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "model/check.h"
#include "report/format.h"
#include "report/table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAMILIES       "reconvergence|groups|memory"
#define BY_DEVICE      3 // rules[BY_DEVICE]: the strongest that the device supports
#define FILE_MAX       (256 * 1024)
#define REPLAY_RUNS    200
#define SHRINK_SECONDS 60.0
#define JOBS_MOST      256
#define NUMBERS_MOST   (UINT64_C(1) << 52)

// Calls for which options are meaningless (CLI_NOT), besides CLI_RESUMED.
enum { RECONVERGENCE = 2, MEMORY = 4, SHOWN = 8, REPLAYED = 16 };
static const char *const whys[] = {CLI_WHY_RESUMED, "is not for reconvergence", "is not for memory",
                                   "does not go with --show", "does not go with --replay"};

// Defaults of each family; count 0: until stopped.
static const struct family {
    const char *name;
    unsigned call;
    uint64_t count, runs, keep;
} families[] = {{"reconvergence", RECONVERGENCE, 1000, 8, 10},
                {"groups", 0, 1000, 8, 10},
                {"memory", MEMORY, 0, 16, UINT64_MAX}};

#define AT(member) offsetof(struct cli_fuzz_options, member)

static const enum masks_rule rules[] = {MASKS_MAXIMAL, MASKS_SUBGROUP_UNIFORM, MASKS_DEFAULT,
                                        MASKS_MAXIMAL};

static const struct cli_option options[] = {
    {0, "count", CLI_COUNT | CLI_NOT(CLI_RESUMED), AT(count), "N",
     "programs (default: 1,000; of memory until told to stop)"},
    {0, "rule", CLI_CHOICE | CLI_NOT(CLI_RESUMED | MEMORY), AT(rule),
     "maximal|subgroup-uniform|default",
     "the reconvergence rule to check (default: the strongest that the\ndevice has)"},
    {0, "pressure", CLI_COUNT | CLI_NOT(CLI_RESUMED | RECONVERGENCE | MEMORY), AT(pressure), "N",
     "of groups: so many more registers that are live throughout, a\nquarter of them again "
     "Boolean; "
     "to 120 (default: none)"},
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    CLI_OPTION_SEED(
        "random seed of programs and input, e.g. 24301 or 0x5eed\n(default: a new one, which is "
        "printed)"),
    {0, "index", CLI_SEED | CLI_NOT(CLI_RESUMED), AT(index), "N",
     "the first program's number (default: 0)"},
    {'n', "runs", CLI_COUNT | CLI_NOT(CLI_RESUMED), AT(runs), "N",
     "runs of each program (default: 8; of --replay 200; of memory 16)"},
    {0, "jobs", CLI_COUNT | CLI_NOT(MEMORY), AT(jobs), "N",
     "programs that run at once, each in a process of its own\n(default: as many as there are "
     "cores; up to 256)"},
    {0, "steps", CLI_COUNT | CLI_NOT(CLI_RESUMED | MEMORY), AT(steps), "N",
     "size limit of a program, about; to 64 (default: 40)"},
    {0, "depth", CLI_COUNT | CLI_NOT(CLI_RESUMED | MEMORY), AT(depth), "N",
     "nesting depth; to 6 (default: 4)"},
    {0, "keep", CLI_COUNT, AT(keep), "N",
     "shrink and store at most so many failing programs per device,\none of each group of those "
     "that fail alike (default: 10; of\nmemory all); the others are counted"},
    {0, "out", CLI_TEXT, AT(out), "FOLDER", "where they are stored (default: fuzz-FAMILY)"},
    {0, "db", CLI_TEXT | CLI_NOT(SHOWN | REPLAYED), AT(db), "FILE",
     "the store, which has all results (default: litmus.db)"},
    {0, "resume", CLI_FLAG, AT(resume), NULL,
     "go on with the newest unfinished campaign in the store, with its\noptions; of a finished "
     "one, "
     "but of memory, only print the tables"},
    {0, "shard", CLI_TEXT | CLI_NOT(CLI_RESUMED | MEMORY | SHOWN | REPLAYED), AT(shard), "I/N",
     "only part I (from 0) of N of the programs; 'litmus merge' adds\nthe parts"},
    {0, "coverage", CLI_FLAG | CLI_NOT(RECONVERGENCE | MEMORY), AT(coverage), NULL,
     "of groups: print how often each operation was run, by construct\nand by type, of the whole "
     "session"},
    {0, "show", CLI_FLAG | CLI_NOT(CLI_RESUMED | REPLAYED), AT(show), NULL,
     "only print program --index of --seed as a test"},
    {0, "replay", CLI_TEXT | CLI_NOT(CLI_RESUMED | MEMORY), AT(replay), "FILE",
     "run a stored program again"},
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
    CLI_OPTIONS(options, struct cli_fuzz_options, .steps = 40, .depth = ENG_DRAW_DEPTH,
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

// Sums over several devices.
struct sum {
    uint64_t failed, broken, errors, ran; // programs: wrong masks; crash, hang, lost; ...
    uint64_t before;                      // failed in earlier parts of the session
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

// Chooses the exit code and its reason, as docs/reading.md explains.
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

// The state of one invocation.
struct fuzzing {
    struct cli_fuzz_options *chosen;
    struct gen_limits limits;
    struct ses_devices devices;
    struct cli_campaign campaign; // without a store for --replay and for a single program
    struct fuzz_session kept;     // the campaign's, on the present device
    struct sum sum;
    uint64_t planned;
    char folder[24]; // the default folder for programs
    double began;
};

// Devices

// Whether anything can run on the device; if not, says why.
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
    term_line_clear(&f->devices.line);
    f->sum.out_of_time |= end == ENG_END_TIME;
    f->sum.stopped += end == ENG_END_STOPS;
    f->sum.unopened += end == ENG_END_UNFIT;
    if (eng_end_stops(end))
        fprintf(stderr, "  device %u stops: %s\n", device->number, tally->reason);
    text_puts(&table, "\n");
    cli_fuzz_put_table(tally, &f->limits, &table);
    cli_fuzz_put_groups(tally, &table);
    if (tally->failed_before)
        cli_fuzz_put_failed(&f->kept, &table);
    if (f->chosen->coverage && plan)
        cli_fuzz_put_coverage(&f->kept, plan, &table);
    term_print(&table);
    add(&f->sum, tally);
}

// Names of a campaign's configurations

static void add_pair(struct cfg_pair *pairs, size_t *count, char value[24], const char *key,
                     uint64_t number, enum cfg_role role)
{
    snprintf(value, 24, "%" PRIu64, number);
    pairs[(*count)++] = (struct cfg_pair){key, value, role};
}

// Appends a configuration's name; subgroup 0: the pattern for all. Leaves out defaults of the
// family `generated` (no rule, ENG_DRAW_DEPTH, no pressure, CAT_DRAWN_RUNS): such a configuration
// is the same as in litmus run.
static void put_name(uint32_t subgroup, struct text *name, void *user)
{
    const struct fuzzing *f = user;
    const struct cli_fuzz_options *o = f->chosen;
    struct cfg_pair pairs[6];
    char test[64], values[5][24];
    size_t count = 0;
    const bool strongest = subgroup
                               ? f->limits.rule == eng_draw_rule(f->kept.device->facts.features)
                               : o->rule == BY_DEVICE;
    snprintf(test, sizeof test, "generated.%s", gen_family_of(f->limits.numbers));
    if (!strongest)
        pairs[count++] =
            (struct cfg_pair){"reconvergence", gen_rule_name(f->limits.rule), CFG_VARIANT};
    add_pair(pairs, &count, values[0], "steps", o->steps, CFG_PARAMETER);
    if (o->depth != ENG_DRAW_DEPTH)
        add_pair(pairs, &count, values[1], "depth", o->depth, CFG_PARAMETER);
    if (o->pressure)
        add_pair(pairs, &count, values[2], "pressure", o->pressure, CFG_PARAMETER);
    if (o->runs != CAT_DRAWN_RUNS(o->steps))
        add_pair(pairs, &count, values[3], "dispatches", o->runs, CFG_PARAMETER);
    if (subgroup)
        add_pair(pairs, &count, values[4], "subgroup", subgroup, CFG_SUBGROUP);
    cfg_print(test, pairs, count, name);
}

static uint64_t number_of(const struct cfg *cfg, const char *key, uint64_t usual)
{
    for (size_t i = 0; i < cfg->param_count; i++)
        if (strcmp(cfg->params[i].key, key) == 0)
            return strtoull(cfg->params[i].value, NULL, 10);
    return usual;
}

// Reads the options from a pattern. False if it is invalid.
static bool read_name(const char *name, struct cli_fuzz_options *o)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    const char *rule = cfg.variant_count ? cfg.variant[0].value : NULL;
    o->rule = BY_DEVICE;
    for (int i = 0; i < BY_DEVICE; i++)
        if (rule && strcmp(rule, gen_rule_name(rules[i])) == 0)
            o->rule = i;
    o->steps = number_of(&cfg, "steps", 0);
    o->depth = number_of(&cfg, "depth", ENG_DRAW_DEPTH);
    o->pressure = number_of(&cfg, "pressure", 0);
    o->runs = number_of(&cfg, "dispatches", CAT_DRAWN_RUNS(o->steps));
    return o->steps && o->depth && o->runs && (!rule || o->rule != BY_DEVICE);
}

// A campaign

static void show_progress(const struct fuzz_tally *tally, const char *doing, void *user)
{
    struct fuzzing *f = user;
    const double now = clock_now();
    term_line_show(
        &f->devices.line, "  %s of %s programs, %.0f per second, failed: %s%s%s",
        COUNT(tally->programs), COUNT(f->planned),
        (double)(tally->programs - tally->before) / (now > f->began ? now - f->began : 1),
        COUNT(tally->programs - cli_fuzz_passed(tally)), doing ? "; " : "", doing ? doing : "");
}

static void show_found(const struct fuzz_found *found, void *user)
{
    struct fuzzing *f = user;
    struct text text = {0};
    if (!f->chosen->replay && !found->path[0] && f->chosen->verbose == 0)
        return;
    term_line_clear(&f->devices.line);
    cli_fuzz_put_found(found, f->limits.rule, &text);
    term_print(&text);
}

static void settle_rule(struct fuzzing *f, const struct eng_device *device)
{
    if (f->chosen->rule == BY_DEVICE)
        f->limits.rule = eng_draw_rule(device->facts.features);
}

static void settle_limits(struct fuzzing *f)
{
    const struct cli_fuzz_options *o = f->chosen;
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

bool cli_fuzz_small(const struct ses_devices *devices, const struct eng_device *device,
                    const struct cat_case *which, uint64_t seed, uint64_t run, double seconds,
                    struct lit_error *error)
{
    const uint32_t steps = cat_value(&(struct cat_args){.which = which}, "steps");
    struct cli_fuzz_options chosen = {
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
    fuzz_campaign(&f.devices.watch, device, &plan, NULL, &listener, tally, &written, error);
    term_line_clear(&f.devices.line);
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
    term_flush();
}

static bool fuzz_device(struct fuzzing *f, const struct eng_device *device, enum eng_end *end,
                        struct lit_error *error)
{
    OWNED(lit_free) struct fuzz_tally *tally = lit_alloc(1, sizeof *tally);
    bool written = true;
    settle_rule(f, device);
    const struct fuzz_plan plan = plan_of(f);
    const struct fuzz_listener listener = {
        .progress = show_progress, .found = show_found, .user = f};
    struct cli_campaign *c = &f->campaign;
    f->kept.store = c->store;
    f->kept.id = c->session.id;
    f->kept.shard = c->options.shard;
    if ((!c->session.finished && !store_device_put(c->store, c->session.id, device->number,
                                                   &device->facts, "device", error)) ||
        !fuzz_session_load(&f->kept, device, &plan, put_name, f, tally, error))
        return false;
    f->planned = fuzz_session_planned(&f->kept);
    ses_devices_heading(&f->devices, device);
    print_plan(f, &plan, tally->before);
    f->began = f->devices.line.shown = clock_now();
    *end = fuzz_campaign(&f->devices.watch, device, &plan, &f->kept, &listener, tally, &written,
                         error);
    c->missing |= *end != ENG_END_RAN || !fuzz_session_is_whole(&f->kept);
    end_device(f, device, *end, &plan, tally);
    return written;
}

// --replay

struct replay {
    char name[96];
    struct gen_program program;
    enum masks_rule rule;
};

// Reads the program from the head of a stored file. The seed in its name is for the input.
static bool read_replay(struct fuzzing *f, struct replay *replay, struct lit_error *error)
{
    const char *path = f->chosen->replay;
    OWNED(text_free) struct text text = {0};
    OWNED(cat_head_clear) struct cat_head head = {0};
    struct lit_error why = {0};
    char oracle[40];
    if (!lit_file_read(path, FILE_MAX - 1, &text, error))
        return false;
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
    ses_devices_heading(&f->devices, device);
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

// Prints a program as drawn for a device; NULL: for one with all features and subgroups of 32.
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
    return term_print(&text);
}

// From the command line to the exit code

static bool check_limits(const struct cli_fuzz_options *o, struct lit_error *error)
{
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"steps", o->steps, GEN_STEPS / 2},
                  {"depth", o->depth, GEN_NESTING / 2},
                  {"jobs", o->jobs, JOBS_MOST},
                  {"pressure", o->pressure, GEN_NUMBERS - ENG_DRAW_NUMBERS},
                  {"index", o->index.value, NUMBERS_MOST},
                  {"count", o->count, NUMBERS_MOST}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s: at most %s", limits[i].name,
                            COUNT(limits[i].most));
    return true;
}

// Replaces the options by the session's.
static bool resume(struct fuzzing *f, const char *family, struct lit_error *error)
{
    struct cli_campaign *c = &f->campaign;
    struct cli_fuzz_options *o = f->chosen;
    c->options.db = o->db;
    if (!ses_campaign(&c->store, family, &c->session, &c->options, error))
        return false;
    if (!read_name(c->options.patterns.items[0], o))
        return lit_fail(error, LIT_EXIT_USAGE, "the session's options make no sense");
    o->count = c->options.runs;
    o->index = (struct lit_seed){true, c->options.first};
    o->seed = c->options.seed;
    o->simt = c->options.simt;
    o->timeout = c->options.timeout;
    return check_limits(o, error);
}

static bool check_usage(const struct cli_fuzz_options *o, unsigned call, uint64_t given,
                        struct lit_error *error)
{
    call |= (o->resume ? CLI_RESUMED : 0) | (o->show ? SHOWN : 0) | (o->replay ? REPLAYED : 0);
    if (!cli_calls_check(&cli_fuzz_syntax, given, call, whys, error) || !check_limits(o, error))
        return false;
    if (o->show && !o->seed.given && !(call & MEMORY))
        return lit_fail(error, LIT_EXIT_USAGE, "--show needs --seed");
    return !o->shard || o->seed.given ||
           lit_fail(error, LIT_EXIT_USAGE, "the shards of a campaign need one seed: give --seed");
}

static void settle(struct fuzzing *f)
{
    struct cli_fuzz_options *o = f->chosen;
    ses_seed_settle(&o->seed, true);
    if (!o->jobs)
        o->jobs = eng_usable_cores() < JOBS_MOST ? eng_usable_cores() : JOBS_MOST;
    settle_limits(f);
    f->devices.line.quiet = o->quiet;
    ses_devices_watch(&f->devices, o->timeout, o->time, o->verbose);
}

static bool begin(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    const struct cli_fuzz_options *o = f->chosen;
    struct cli_campaign *c = &f->campaign;
    struct text name = {0};
    c->options = (struct ses_options){.runs = o->count,
                                      .first = o->index.value,
                                      .campaign = true,
                                      .rule = {.least = o->count, .most = o->count},
                                      .seed = o->seed,
                                      .simt = o->simt,
                                      .timeout = o->timeout,
                                      .shard = c->options.shard,
                                      .db = o->db};
    put_name(0, &name, f);
    lit_list_add(&c->options.patterns, name.data);
    return ses_check(&c->options.patterns, &o->simt, error) &&
           ses_begin("fuzz", call->argc, call->argv, &c->options, &f->devices, &c->store,
                     &c->session, error);
}

static bool take_device(struct eng_device *device, void *user)
{
    struct eng_inventory *inventory = user;
    LIT_ADD(inventory->devices, inventory->count) = *device;
    device->checker = NULL;
    return true;
}

// A finished session runs nothing, so its devices may be missing.
static bool find_devices(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    struct cli_campaign *c = &f->campaign;
    struct ses_devices *devices = &f->devices;
    if (c->session.finished) {
        if (!store_devices(c->store, c->session.id, take_device, &devices->inventory, error))
            return false;
        devices->chosen = lit_alloc(devices->inventory.count + 1, sizeof *devices->chosen);
        for (size_t i = 0; i < devices->inventory.count; i++)
            devices->chosen[i] = true;
        return devices->inventory.count ||
               lit_fail(error, LIT_EXIT_NOTHING, "none of the session's devices is present");
    }
    if (!ses_devices_find(devices, &f->chosen->devices, error))
        return false;
    if (f->chosen->resume)
        return ses_choose(c->session.options, devices, &c->missing, error);
    return f->chosen->replay || f->chosen->show || begin(f, call, error);
}

int cli_campaign_end(struct cli_campaign *c, const char *family, double started, enum lit_exit code,
                     const char *reason, struct lit_error *error)
{
    const char *db = c->options.db;
    if (c->store && ((!c->session.finished && !c->missing &&
                      !store_session_finish(c->store, c->session.id, error)) ||
                     !store_stays(c->store, error)))
        return term_fail(error);
    printf("\n");
    ses_last_line(c->store ? db : NULL, c->options.seed.value, started, code, reason);
    if (c->store && c->missing) {
        char command[64];
        snprintf(command, sizeof command, "litmus fuzz %s", family);
        ses_print_resume(command, db);
    }
    term_flush();
    return code;
}

void cli_campaign_close(struct cli_campaign *c)
{
    store_session_clear(&c->session);
    store_close(&c->store);
}

static int finish(struct fuzzing *f, struct lit_error *error)
{
    char reason[256];
    const enum lit_exit code = conclude(&f->sum, reason);
    f->campaign.missing |= f->sum.stopped + f->sum.unopened > 0;
    f->campaign.options.seed = f->chosen->seed;
    return cli_campaign_end(&f->campaign, gen_family_of(f->limits.numbers),
                            f->devices.watch.started, code, reason, error);
}

static int fuzz(struct fuzzing *f, const struct cli_call *call, struct lit_error *error)
{
    struct replay replay;
    struct cli_fuzz_options *o = f->chosen;
    enum eng_end end = ENG_END_RAN;
    if ((o->resume && !resume(f, call->operands.items[0], error)) ||
        (o->shard && !eng_shard_parse(o->shard, STORE_SHARD_RUNS, "--shard",
                                      &f->campaign.options.shard, error)))
        return term_fail(error);
    settle(f);
    // The device's features decide what is drawn.
    if (o->show && (!f->sum.data || !(o->devices.count + o->simt.count)))
        return show(f, NULL);
    if ((o->replay && !read_replay(f, &replay, error)) || !ses_simt_use(&o->simt, error) ||
        !find_devices(f, call, error))
        return term_fail(error);
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
            return term_fail(error);
    }
    return finish(f, error);
}

static const struct family *find_family(const struct lit_list *operands, struct lit_error *error)
{
    if (operands->count != 1) {
        lit_fail(error, LIT_EXIT_USAGE,
                 operands->count ? "only one family at a time"
                                 : "missing family: reconvergence, groups or memory");
        return NULL;
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(operands->items[0], families[i].name) == 0)
            return &families[i];
    lit_fail(error, LIT_EXIT_USAGE,
             "no programs are generated for '%.80s'; there are: reconvergence, groups, memory",
             operands->items[0]);
    return NULL;
}

int cli_fuzz(struct cli_call *call)
{
    struct cli_fuzz_options *o = call->chosen;
    const struct family *family = find_family(&call->operands, &call->error);
    if (!family || !check_usage(o, family->call, call->given, &call->error))
        return CLI_FAILED;
    o->count = o->count ? o->count : family->count;
    o->runs = o->runs ? o->runs : o->replay ? REPLAY_RUNS : family->runs;
    o->keep = o->keep ? o->keep : family->keep;
    if (family->call & MEMORY)
        return cli_fuzz_memory(call, o);
    struct fuzzing f = {.chosen = o, .sum.data = family->call == 0};
    const int code = fuzz(&f, call, &call->error);
    fuzz_session_clear(&f.kept);
    cli_campaign_close(&f.campaign);
    return ses_devices_end(&f.devices, code);
}
