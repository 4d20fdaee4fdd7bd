// SPDX-License-Identifier: Apache-2.0
// Campaigns: how all begin and end, and those of programs from the options to the exit code.
#include "base/clock.h"
#include "base/file.h"
#include "catalogue/head.h"
#include "fuzz/campaign.h"
#include "generate/module.h"
#include "report/format.h"

#define NUMBERS_MOST (UINT64_C(1) << 52)

bool fuzz_limits_check(const struct fuzz_options *o, struct lit_error *error)
{
    const struct {
        const char *name;
        uint64_t value, most;
    } limits[] = {{"steps", o->steps, GEN_STEPS / 2},
                  {"depth", o->depth, GEN_NESTING / 2},
                  {"jobs", o->jobs, FUZZ_JOBS},
                  {"pressure", o->pressure.value, GEN_PRESSURE_MOST},
                  {"index", o->index.value, NUMBERS_MOST},
                  {"count", o->count, NUMBERS_MOST}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].value > limits[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "--%s: at most %s", limits[i].name,
                            COUNT(limits[i].most));
    return true;
}

bool fuzz_resume(struct fuzz_campaign *c)
{
    struct fuzz_options *o = c->asked;
    if (!o->run.resume)
        return true;
    if (!ses_resume(&c->store, c->family, &c->session, &o->run, c->error))
        return false;
    o->index = (struct lit_seed){true, o->run.first};
    return true;
}

void fuzz_settle(struct fuzz_campaign *c)
{
    struct fuzz_options *o = c->asked;
    struct text folder = {0};
    ses_seed_settle(&o->run.seed, true);
    if (!o->jobs)
        o->jobs = eng_usable_cores() < FUZZ_JOBS ? eng_usable_cores() : FUZZ_JOBS;
    if (!o->out) {
        text_printf(&folder, "fuzz-%s", c->family);
        lit_keep(folder.data);
        o->out = folder.data;
    }
    c->devices.line.quiet = o->run.quiet;
    ses_devices_watch(&c->devices, o->run.timeout, o->run.time, o->run.verbose);
}

// A finished session runs nothing, so its devices may be missing.
static bool find_devices(struct fuzz_campaign *c)
{
    struct ses_devices *devices = &c->devices;
    struct eng_inventory *inventory = &devices->inventory;
    if (!c->session.finished)
        return ses_devices_find(devices, &c->asked->run.devices, c->error);
    if (!ses_inventory_recall(inventory, c->store, c->session.id, c->error))
        return false;
    devices->chosen = lit_alloc(inventory->count + 1, sizeof *devices->chosen);
    for (size_t i = 0; i < inventory->count; i++)
        devices->chosen[i] = true;
    return inventory->count ||
           lit_fail(c->error, LIT_EXIT_NOTHING, "none of the session's devices is present");
}

bool fuzz_begin(struct fuzz_campaign *c, const struct ses_options *kept, int argc, char **argv)
{
    const struct ses_options *o = &c->asked->run;
    if (!ses_simt_use(&o->simt, c->error) || !find_devices(c))
        return false;
    if (o->resume)
        return c->session.finished ||
               ses_choose(c->session.options, &c->devices, &c->missing, c->error);
    return !kept ||
           (ses_check(&kept->patterns, &kept->simt, c->error) &&
            ses_begin("fuzz", argc, argv, kept, &c->devices, &c->store, &c->session, c->error));
}

int fuzz_finish(struct fuzz_campaign *c, enum lit_exit code, const char *reason)
{
    const struct ses_options *o = &c->asked->run;
    c->missing |= c->total.stopped + c->total.unopened > 0;
    if (c->store && ((!c->session.finished && !c->missing &&
                      !store_session_finish(c->store, c->session.id, c->error)) ||
                     !store_stays(c->store, c->error)))
        return term_fail(c->error);
    printf("\n");
    ses_last_line(c->store ? o->db : NULL, o->seed.value, c->devices.watch.started, code, reason);
    if (c->store && c->missing) {
        char command[64];
        snprintf(command, sizeof command, "litmus fuzz %s", c->family);
        ses_print_resume(command, o->db);
    }
    term_flush();
    return code;
}

int fuzz_close(struct fuzz_campaign *c, int code)
{
    store_session_clear(&c->session);
    store_close(&c->store);
    return ses_devices_end(&c->devices, code);
}

#define FILE_MAX    (256 * 1024)
#define PUT_SECONDS 1.0 // programs within it share a commit

// --- The name of its configurations

// Parameters in the name. Leaves out defaults of the family `generated`: such a configuration is
// the same as in litmus run.
static const char *const keys[] = {"steps", "depth", "pressure", "dispatches"};
#define KEYS (sizeof keys / sizeof *keys)

static uint64_t *param(struct fuzz_options *o, size_t i, uint64_t *usual)
{
    uint64_t *const at[KEYS] = {&o->steps, &o->depth, &o->pressure.value, &o->run.runs};
    const uint64_t usuals[KEYS] = {0, ENG_DRAW_DEPTH, 0, CAT_DRAWN_RUNS(o->steps)};
    *usual = usuals[i];
    return at[i];
}

bool fuzz_has_arms(const struct fuzz_campaign *c)
{
    const struct fuzz_options *o = c->asked;
    return c->data && !c->given && o->rule == FUZZ_BY_DEVICE && o->shape == FUZZ_ANY &&
           !o->pressure.given;
}

bool fuzz_weighs(const struct fuzz_campaign *c)
{
    return fuzz_has_arms(c) && c->asked->run.shard.kind == STORE_WHOLE;
}

void fuzz_put_name(const struct fuzz_campaign *c, const struct fuzz_arm *arm, uint32_t subgroup,
                   struct text *name)
{
    struct cfg_pair pairs[KEYS + 3];
    const bool one = subgroup || !fuzz_has_arms(c);
    char test[64], values[KEYS + 1][24];
    size_t count = 0;
    const bool strongest = subgroup ? arm->limits.rule == eng_draw_rule(c->device->facts.features)
                                    : c->asked->rule == FUZZ_BY_DEVICE;
    snprintf(test, sizeof test, "generated.%s", c->family);
    if (!strongest)
        pairs[count++] =
            (struct cfg_pair){"reconvergence", gen_rule_name(arm->limits.rule), CFG_VARIANT};
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t usual;
        const uint64_t *at = param(c->asked, i, &usual);
        const uint64_t value = one && at == &c->asked->pressure.value ? arm->limits.pressure : *at;
        snprintf(values[i], sizeof *values, "%" PRIu64, value);
        if (value != usual || (c->asked->compile && !value && i == KEYS - 1))
            pairs[count++] = (struct cfg_pair){keys[i], values[i], CFG_PARAMETER};
    }
    // Without a shape its programs are of all arms, as those of litmus run.
    if (c->data && one)
        pairs[count++] =
            (struct cfg_pair){"shape", gen_focus_names[arm->limits.focus], CFG_PARAMETER};
    snprintf(values[KEYS], sizeof *values, "%u", subgroup);
    if (subgroup)
        pairs[count++] = (struct cfg_pair){"subgroup", values[KEYS], CFG_SUBGROUP};
    cfg_print(test, pairs, count, name);
}

// Reads the options from the session's pattern.
static bool read_name(const struct fuzz_campaign *c)
{
    struct fuzz_options *o = c->asked;
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(o->run.patterns.items[0]);
    enum masks_rule rule = MASKS_MAXIMAL;
    const bool ruled = cfg.variant_count > 0;
    bool good = !ruled || gen_rule_find(cfg.variant[0].value, &rule);
    o->count = o->run.runs;
    o->rule = ruled ? (int)(MASKS_MAXIMAL - rule) : FUZZ_BY_DEVICE;
    o->shape = FUZZ_ANY;
    for (size_t k = 0; k < cfg.param_count; k++)
        for (int shape = 0; shape < GEN_FOCUSES; shape++)
            if (strcmp(cfg.params[k].key, "shape") == 0 &&
                strcmp(cfg.params[k].value, gen_focus_names[shape]) == 0)
                o->shape = shape;
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t usual, *value = param(o, i, &usual);
        *value = usual;
        for (size_t k = 0; k < cfg.param_count; k++)
            if (strcmp(cfg.params[k].key, keys[i]) == 0)
                *value = strtoull(cfg.params[k].value, NULL, 10);
        good = good && (*value || value == &o->pressure.value || value == &o->run.runs);
    }
    o->compile = !o->run.runs;
    return good ? fuzz_limits_check(o, c->error)
                : lit_fail(c->error, LIT_EXIT_USAGE, "the session's options make no sense");
}

// --- A device

struct gen_limits fuzz_draw(const struct fuzz_campaign *c, const struct fuzz_arm *arm,
                            uint64_t index, struct gen_program *program)
{
    struct gen_limits limits = arm->limits;
    limits.subgroup = c->sizes[index % c->size_count];
    gen_draw(program, &limits, c->asked->run.seed.value, index);
    return limits;
}

_Static_assert(FUZZ_ANY == GEN_FOCUSES, "an option that names no shape");

// The arm that the options name. The rule that is not given is the strongest, the rest as usual.
static struct gen_limits one_arm(const struct fuzz_campaign *c, uint64_t features)
{
    const struct fuzz_options *o = c->asked;
    struct gen_limits arm = {.features = features, .rule = eng_draw_rule(features)};
    if (c->given)
        arm.rule = c->given->rule;
    else if (o->rule != FUZZ_BY_DEVICE)
        arm.rule = (enum masks_rule)((int)MASKS_MAXIMAL - o->rule);
    if (c->data)
        gen_press(&arm, (uint32_t)o->pressure.value);
    arm.focus = o->shape == FUZZ_ANY ? GEN_PLAIN : (enum gen_focus)o->shape;
    return arm;
}

static void forget(struct fuzz_campaign *c)
{
    for (size_t i = 0; i < c->records.count; i++)
        eng_result_clear(&c->records.items[i].kept);
    free(c->records.items);
    c->records = (struct eng_records){0};
}

// NULL: any, with all features and subgroups of 32.
static void choose(struct fuzz_campaign *c, const struct eng_device *device)
{
    struct fuzz_options *o = c->asked;
    forget(c);
    c->device = device;
    const uint64_t features = device ? device->facts.features : UINT64_MAX;
    struct gen_limits arms[GEN_ARMS] = {one_arm(c, features)};
    c->arm_count = fuzz_has_arms(c) ? gen_arms(features, arms) : 1;
    c->sizes[0] = 32;
    c->size_count = device ? dev_facts_sizes(&device->facts, c->sizes) : 1;
    for (size_t a = 0; a < c->arm_count; a++) {
        c->arms[a] = (struct fuzz_arm){.limits = arms[a]};
        c->arms[a].limits.steps = (uint32_t)o->steps;
        c->arms[a].limits.depth = (uint32_t)o->depth;
        c->arms[a].limits.products = device ? device->facts.products : "";
        gen_arm_name(&arms[a], c->arms[a].name);
    }
    if (c->given)
        o->count = c->size_count;
    c->planned = c->store ? 0 : o->count;
    c->began = c->devices.line.shown = clock_now();
}

// Counts the programs before `index` that have size `k`.
static uint64_t runs_before(const struct fuzz_campaign *c, uint64_t index, size_t k)
{
    return (index + c->size_count - 1 - k) / c->size_count;
}

// Reads the session's result of arm `a` in size `k`.
static void recall_one(struct fuzz_campaign *c, const struct cat_test *test, size_t a, size_t k)
{
    const uint64_t first = c->asked->index.value, count = c->asked->count;
    // One arm might get all of them; but in turn.
    const uint64_t end =
        first + (fuzz_weighs(c) ? count : (count + c->arm_count - 1 - a) / c->arm_count);
    struct eng_record *record = &c->records.items[c->records.count++];
    struct result *kept = &record->kept;
    const struct cat_case which = {.test = test, .subgroup = c->sizes[k]};
    OWNED(text_free) struct text name = {0};
    fuzz_put_name(c, &c->arms[a], which.subgroup, &name);
    eng_record_begin(kept, name.data, &which, c->device, c->asked->run.seed.value);
    eng_shard_runs(&c->asked->run.shard, runs_before(c, end, k) - runs_before(c, first, k),
                   &kept->first, &record->planned);
    kept->first += runs_before(c, first, k);
    eng_record_recall(&c->records, kept, &c->process, c->error);
    c->planned += record->planned;
    eng_count_add(&c->arms[a].sum, &kept->count);
    eng_count_add(&c->tally->sum, &kept->count);
}

// Reads the session's results on the device, and adds them to the tally.
static bool recall(struct fuzz_campaign *c)
{
    const size_t count = c->arm_count * c->size_count;
    char test[64];
    snprintf(test, sizeof test, "generated.%s", c->family);
    c->process = 0;
    c->error->message[0] = '\0';
    c->records = (struct eng_records){.store = c->store,
                                      .session = c->session.id,
                                      .pause = PUT_SECONDS,
                                      .items = lit_alloc(count, sizeof *c->records.items)};
    for (size_t i = 0; i < count && !c->error->message[0]; i++)
        recall_one(c, cat_test_find(test), i / c->size_count, i % c->size_count);
    c->planned = fuzz_weighs(c) ? c->asked->count : c->planned;
    c->tally->programs = c->tally->before = c->tally->sum.runs;
    c->tally->failed_before = c->tally->sum.failed_runs;
    return c->size_count ? !c->error->message[0]
                         : lit_fail(c->error, LIT_EXIT_USAGE,
                                    "device %u has no usable subgroup size", c->device->number);
}

bool fuzz_is_whole(const struct fuzz_campaign *c)
{
    uint64_t runs = 0;
    bool whole = true;
    for (size_t i = 0; i < c->records.count; i++) {
        const struct eng_record *record = &c->records.items[i];
        whole = whole && (record->kept.runs >= record->planned || record->kept.result == ENG_SKIP);
        runs += record->kept.runs;
    }
    return whole || (fuzz_weighs(c) && runs >= c->planned);
}

static void print_plan(const struct fuzz_campaign *c)
{
    const struct eng_shard *shard = &c->asked->run.shard;
    OWNED(text_free) struct text line = {0};
    if (fuzz_has_arms(c))
        text_printf(&line, "  %zu arms", c->arm_count);
    else
        text_printf(&line, "  rule %s", c->arms->name);
    text_printf(&line, ", %s programs, ", COUNT(c->planned));
    if (c->asked->compile)
        text_puts(&line, "only compiled");
    else
        text_printf(&line, "%s runs each", COUNT(c->asked->run.runs));
    text_printf(&line, ", seed 0x%" PRIx64, c->asked->run.seed.value);
    if (shard->kind != STORE_WHOLE)
        text_printf(&line, ", shard %" PRIu64 "/%" PRIu64, shard->index, shard->count);
    if (c->tally->before)
        text_printf(&line, "; done before: %s", COUNT(c->tally->before));
    printf("%s\n", line.data);
    if (fuzz_weighs(c))
        printf("  an arm's share of the programs: 1 + sqrt(failed), 1/4 from %d failed on\n",
               ENG_MAX_FAILURES);
    term_flush();
}

static bool run_device(struct fuzz_campaign *c, const struct eng_device *device)
{
    OWNED(lit_free) struct fuzz_tally *tally = c->tally = lit_alloc(1, sizeof *tally);
    choose(c, device);
    c->others = c->total;
    if (c->store &&
        ((!c->session.finished && !store_device_put(c->store, c->session.id, device->number,
                                                    &device->facts, "device", c->error)) ||
         !recall(c)))
        return false;
    ses_devices_heading(&c->devices, device);
    if (c->store)
        print_plan(c);
    const enum eng_end end = fuzz_run(c);
    c->missing |= end != ENG_END_RAN || (c->store && !fuzz_is_whole(c));
    c->total.out_of_time |= end == ENG_END_TIME;
    c->total.stopped += end == ENG_END_STOPS;
    c->total.unopened += end == ENG_END_UNFIT;
    c->before += tally->failed_before;
    c->judged += tally->sum.runs - tally->sum.no_progress_runs;
    fuzz_show_end(c);
    return c->written;
}

// Chooses the exit code and its reason, as docs/reading.md explains.
static enum lit_exit conclude(const struct fuzz_campaign *c, char reason[256])
{
    const struct eng_tally *total = &c->total;
    const uint64_t *results = total->results, failed = results[ENG_FAIL];
    const uint64_t broken = results[ENG_CRASH] + results[ENG_HANG] + results[ENG_DEVICE_LOST];
    const struct lit_end ends[] = {
        {total->stopped, LIT_EXIT_DEVICE_LOST, "a device was lost and its queue stopped", NULL},
        {c->before ? c->before + failed + broken : 0, LIT_EXIT_FORBIDDEN, "1 program failed",
         "%s programs failed"},
        {c->asked->compile ? failed : 0, LIT_EXIT_FORBIDDEN, "the driver refused 1 program",
         "the driver refused %s programs"},
        {failed, LIT_EXIT_FORBIDDEN,
         c->data ? "forbidden values were observed in 1 program"
                 : "forbidden masks were observed in 1 program",
         c->data ? "forbidden values were observed in %s programs"
                 : "forbidden masks were observed in %s programs"},
        {broken, LIT_EXIT_FORBIDDEN, "the driver crashed, hung or lost the device in 1 program",
         "the driver crashed, hung or lost the device in %s programs"},
        {total->out_of_time, LIT_EXIT_TIME, "the time budget was used up", NULL},
        {results[ENG_HARNESS_ERROR], LIT_EXIT_UNDECIDED, "1 program could not be run",
         "%s programs could not be run"},
        {c->judged ? total->unopened : 0, LIT_EXIT_UNDECIDED, "a device could not be used", NULL},
        {!c->judged, LIT_EXIT_NOTHING, "nothing could run", NULL},
        {c->asked->compile, LIT_EXIT_OK, "the driver compiled every program", NULL},
        {1, LIT_EXIT_OK,
         c->data ? "no forbidden value was observed" : "no forbidden mask was observed", NULL},
    };
    return lit_end_choose(ends, reason, 256);
}

// --- A single program

// Reads the program from the head of a stored file. The seed in its name is for the input.
static bool read_replay(struct fuzz_campaign *c, struct fuzz_replay *replay)
{
    const char *path = c->asked->replay;
    OWNED(text_free) struct text text = {0};
    OWNED(cat_head_clear) struct cat_head head = {0};
    struct lit_error why = {0};
    char oracle[40];
    if (!lit_file_read(path, FILE_MAX - 1, &text, c->error))
        return false;
    bool good = cat_head_parse(text.data ? text.data : "", text.length, &head, &why);
    const struct cat_axis *axis = head.axes;
    snprintf(oracle, sizeof oracle, "%s.generated", c->family);
    if (good && (!head.program || strcmp(head.oracle, oracle) != 0))
        good = lit_fail(&why, LIT_EXIT_USAGE, "its head has no program");
    if (good && (head.axis_count != 1 || strcmp(axis->name, "reconvergence") != 0 ||
                 axis->count != 1 || !gen_rule_find(axis->values[0], &replay->rule)))
        good = lit_fail(&why, LIT_EXIT_USAGE, "its head names no rule");
    if (good && strlen(head.name) >= sizeof replay->name)
        good = lit_fail(&why, LIT_EXIT_USAGE, "its name is too long");
    if (!good || !gen_read(head.program, strlen(head.program), &replay->program, &why) ||
        !gen_check(&replay->program, replay->rule, &why))
        return lit_fail(c->error, LIT_EXIT_USAGE, "%.200s: %s", path, why.message);
    snprintf(replay->name, sizeof replay->name, "%s", head.name);
    char *number = strrchr(head.name, '-');
    if (number)
        *number = '\0';
    const char *seed = strrchr(head.name, '-');
    if (seed && !c->asked->run.seed.given)
        c->asked->run.seed.value = strtoull(seed + 1, NULL, 16);
    c->given = replay;
    c->asked->index.value = 0;
    c->asked->jobs = 1;
    return true;
}

// Prints a program as drawn for a device; NULL: for any.
static int show(struct fuzz_campaign *c, const struct eng_device *device)
{
    struct gen_program program;
    struct text text = {0};
    OWNED(text_free) struct text origin = {0};
    const uint64_t seed = c->asked->run.seed.value, index = c->asked->index.value;
    char name[96];
    choose(c, device);
    const struct gen_limits limits = fuzz_draw(c, c->arms, index, &program);
    eng_draw_name(&limits, seed, index, name);
    text_printf(&origin, "litmus fuzz %s --rule %s", c->family, gen_rule_name(limits.rule));
    eng_draw_options(&limits, &origin);
    text_printf(&origin, " --seed 0x%" PRIx64 ", program %" PRIu64, seed, index);
    gen_assembly(&(struct gen_title){.name = name, .origin = origin.data, .rule = limits.rule},
                 &program, &text);
    return term_print(&text);
}

// --- All devices

// Whether anything can run on the device; if not, says why.
static bool is_usable(const struct eng_device *device)
{
    if (device->facts.problem[0])
        fprintf(stderr, "litmus: nothing can run on %s: %s\n", device->facts.name,
                device->facts.problem);
    return !device->facts.problem[0] && device->facts.subgroup;
}

static int run_all(struct fuzz_campaign *c, int argc, char **argv)
{
    struct fuzz_options *o = c->asked;
    struct fuzz_replay replay;
    struct text name = {0};
    char reason[256];
    if (!fuzz_resume(c) || (o->run.resume && !read_name(c)) ||
        (o->run.shard_runs &&
         !eng_shard_parse(o->run.shard_runs, STORE_SHARD_RUNS, "--shard", &o->run.shard, c->error)))
        return term_fail(c->error);
    fuzz_settle(c);
    choose(c, NULL);
    // The device's features decide what is drawn.
    if (o->show && (!c->data || !(o->run.devices.count + o->run.simt.count)))
        return show(c, NULL);
    struct ses_options kept = o->run;
    kept.campaign = true;
    kept.first = o->index.value;
    kept.runs = o->count;
    kept.rule = (struct eng_rule){.least = o->count, .most = o->count};
    if (!o->run.resume) {
        fuzz_put_name(c, c->arms, 0, &name);
        lit_list_add(&kept.patterns, name.data);
    }
    if ((o->replay && !read_replay(c, &replay)) ||
        !fuzz_begin(c, o->replay || o->show ? NULL : &kept, argc, argv))
        return term_fail(c->error);
    SES_EACH_DEVICE (device, &c->devices) {
        if (c->pool.end == ENG_END_TIME || c->pool.end == ENG_END_SIGNAL)
            break;
        if (!is_usable(device))
            continue;
        if (o->show)
            return show(c, device);
        if (!run_device(c, device))
            return term_fail(c->error);
    }
    const enum lit_exit code = conclude(c, reason);
    return fuzz_finish(c, code, reason);
}

int fuzz_programs(struct fuzz_options *o, bool data, int argc, char **argv, struct lit_error *error)
{
    OWNED(lit_free) struct fuzz_campaign *c = lit_alloc(1, sizeof *c);
    c->asked = o;
    c->data = data;
    c->family = gen_family_of(data);
    c->error = error;
    const int code = run_all(c, argc, argv);
    forget(c);
    return fuzz_close(c, code);
}

bool fuzz_small(const struct ses_devices *devices, const struct eng_device *device,
                const struct cat_case *which, uint64_t seed, uint64_t run, double seconds,
                struct lit_error *error)
{
    const uint32_t steps = cat_value(&(struct cat_args){.which = which}, "steps");
    struct fuzz_options o = {
        .run = {.runs = CAT_DRAWN_RUNS(steps), .seed = {true, seed}},
        .count = 1,
        .jobs = 1,
        .keep = 1,
        .steps = steps,
        .depth = ENG_DRAW_DEPTH,
        .rule = FUZZ_BY_DEVICE,
        .shape = FUZZ_ANY,
        .index = {.value = dev_facts_program(&device->facts, which->subgroup, run)}};
    OWNED(lit_free) struct fuzz_campaign *c = lit_alloc(1, sizeof *c);
    OWNED(lit_free) struct fuzz_tally *tally = lit_alloc(1, sizeof *tally);
    c->asked = &o;
    c->family = cat_test_draws(which->test);
    c->data = strcmp(c->family, gen_family_of(true)) == 0;
    if (c->data) {
        const struct gen_limits arm = eng_draw_arm(device->facts.features, seed, o.index.value);
        o.rule = (int)MASKS_MAXIMAL - (int)arm.rule;
        o.pressure.value = arm.pressure;
        o.shape = (int)arm.focus;
    }
    c->error = error;
    fuzz_settle(c);
    c->devices.watch = devices->watch;
    c->devices.line = devices->line;
    c->tally = tally;
    struct eng_policy *policy = &c->devices.watch.policy;
    const double until = clock_now() - devices->watch.started + seconds;
    if (policy->total == 0 || until < policy->total)
        policy->total = until;
    choose(c, device);
    fuzz_run(c);
    term_line_clear(&c->devices.line);
    printf(tally->sum.failed_runs ? "\n" : "  not again, alone\n\n");
    return c->written;
}
