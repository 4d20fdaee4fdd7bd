// SPDX-License-Identifier: Apache-2.0
// litmus fuzz: compares generated programs with a simulation on the host, shrinks failing ones and
// stores them as tests.
#include "fuzz/options.h"
#include "cli/device.h"

#define REPLAY_RUNS 200

// Calls for which options are meaningless (CLI_NOT), besides CLI_RESUMED.
enum { RECONVERGENCE = 2, MEMORY = 4, SHOWN = 8, REPLAYED = 16, COMPILED = 32 };
static const char *const whys[] = {
    CLI_WHY_RESUMED,           "is not for reconvergence",  "is not for memory",
    "does not go with --show", "does not go with --replay", "does not go with --compile-only"};

// Defaults of each family; count 0: until stopped.
static const struct family {
    const char *name;
    unsigned call;
    uint64_t count, runs, keep;
} families[] = {{"reconvergence", RECONVERGENCE, 1000, 8, 10},
                {"groups", 0, 1000, 8, 10},
                {"memory", MEMORY, 0, 16, UINT64_MAX}};

#define OWN(member) offsetof(struct fuzz_options, member)
#define AT(member)  OWN(run.member)

static const struct cli_option options[] = {
    {0, "count", CLI_COUNT | CLI_NOT(CLI_RESUMED), OWN(count), "N",
     "programs (default: 1,000; of memory until told to stop)"},
    {0, "rule", CLI_CHOICE | CLI_NOT(CLI_RESUMED | MEMORY), OWN(rule),
     "maximal|subgroup-uniform|default",
     "the reconvergence rule to check (default: the device's strongest;\nof groups see --shape)"},
    {0, "pressure", CLI_SEED | CLI_NOT(CLI_RESUMED | RECONVERGENCE | MEMORY), OWN(pressure), "N",
     "of groups: so many more registers that are live throughout, a\nquarter of them again "
     "Boolean; to 120"},
    {0, "shape", CLI_CHOICE | CLI_NOT(CLI_RESUMED | RECONVERGENCE | MEMORY), OWN(shape),
     "plain|exits|subgroups|vulkan|arithmetic|arrays|addresses|matrices|nabla|vello|llama|"
     "prefix-sums",
     "of groups: operations behind loops that all leave in nested\nbranches, branches on "
     "SubgroupId, the memory model Vulkan, bit fields and\nother types, arrays and vectors, "
     "physical pointers and arrays of buffers,\ncooperative matrices, or relatives of a kernel "
     "(default, without --rule\nand --pressure: all, by what failed)"},
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only on the SIMT simulator: " CLI_SIMT_MODELS),
    CLI_OPTION_EMULATE,
    CLI_OPTION_SEED("random seed of programs and input, e.g. 24301 or 0x5eed\n(default: a new one, "
                    "which is printed)"),
    {0, "index", CLI_SEED | CLI_NOT(CLI_RESUMED), OWN(index), "N",
     "the first program (default: 0)"},
    {0, "compile-only", CLI_FLAG | CLI_NOT(CLI_RESUMED | MEMORY | SHOWN), OWN(compile), NULL,
     "compile the programs and run nothing: for a driver under a drm shim"},
    {'n', "runs", CLI_COUNT | CLI_NOT(CLI_RESUMED | COMPILED), AT(runs), "N",
     "runs of each program (default: 8; of --replay 200; of memory 16)"},
    {0, "jobs", CLI_COUNT | CLI_NOT(MEMORY), OWN(jobs), "N",
     "programs that run at once, each in a process of its own\n(default: as many as there are "
     "cores; up to 256)"},
    {0, "steps", CLI_COUNT | CLI_NOT(CLI_RESUMED | MEMORY), OWN(steps), "N",
     "size limit of a program, about; to 64 (default: 40)"},
    {0, "depth", CLI_COUNT | CLI_NOT(CLI_RESUMED | MEMORY), OWN(depth), "N",
     "nesting depth; to 6 (default: 4)"},
    {0, "keep", CLI_COUNT, OWN(keep), "N",
     "shrink and store at most so many failing programs per device,\none of each group of those "
     "that fail alike (default: 10; of\nmemory all); the others are counted"},
    {0, "out", CLI_TEXT, OWN(out), "FOLDER", "where they are stored (default: fuzz-FAMILY)"},
    {0, "db", CLI_TEXT | CLI_NOT(SHOWN | REPLAYED), AT(db), "FILE",
     "the store, which has all results (default: litmus.db)"},
    {0, "resume", CLI_FLAG, AT(resume), NULL,
     "go on with the newest unfinished campaign in the store, with its\noptions; of a finished "
     "one, but of memory, only print the tables"},
    {0, "shard", CLI_TEXT | CLI_NOT(CLI_RESUMED | MEMORY | SHOWN | REPLAYED), AT(shard_runs), "I/N",
     "only part I (from 0) of N of the programs; 'litmus merge' adds\nthe parts"},
    {0, "coverage", CLI_FLAG | CLI_NOT(RECONVERGENCE | MEMORY), OWN(coverage), NULL,
     "of groups: print how often each operation was run, by construct\nand by type, of the whole "
     "session"},
    {0, "show", CLI_FLAG | CLI_NOT(CLI_RESUMED | REPLAYED), OWN(show), NULL,
     "only print program --index of --seed as a test"},
    {0, "replay", CLI_TEXT | CLI_NOT(CLI_RESUMED | MEMORY), OWN(replay), "FILE",
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
    CLI_OPTIONS(options, struct fuzz_options, .steps = 40, .depth = ENG_DRAW_DEPTH,
                .run = {.timeout = ENG_IDLE_SECONDS, .db = "litmus.db"}, .rule = FUZZ_BY_DEVICE,
                .shape = FUZZ_ANY),
    .more = "exit codes: 0 no forbidden result, 1 a forbidden result, or a driver that crashed, "
            "hung or\n"
            "lost the device, 2 usage or input, 3 a program could not be run, 4 a device was lost\n"
            "and its queue stopped, 5 the time budget was used up, 77 nothing could run\n\n"
            "examples:\n"
            "  litmus fuzz reconvergence --count 10000 --seed 1\n"
            "  litmus fuzz groups --count 1000000 --time 10m\n"
            "  litmus fuzz reconvergence --replay fuzz-reconvergence/maximal-1-17.spvasm\n"
            "  litmus fuzz memory --time 10m\n",
    .operands = CLI_OPERANDS_WORDS,
    .words = "reconvergence|groups|memory",
};

static bool check_usage(const struct fuzz_options *o, unsigned call, uint64_t given,
                        struct lit_error *error)
{
    call |= (o->run.resume ? CLI_RESUMED : 0) | (o->show ? SHOWN : 0) | (o->replay ? REPLAYED : 0) |
            (o->compile ? COMPILED : 0);
    if (!cli_calls_check(&cli_fuzz_syntax, given, call, whys, error) ||
        !fuzz_limits_check(o, error))
        return false;
    const bool needs = (o->show && !(call & MEMORY)) || o->run.shard_runs;
    return !needs || o->run.seed.given ||
           lit_fail(error, LIT_EXIT_USAGE, "%s needs --seed", o->show ? "--show" : "--shard");
}

static const struct family *find_family(const struct lit_list *operands, struct lit_error *error)
{
    for (size_t i = 0; operands->count == 1 && i < sizeof families / sizeof *families; i++)
        if (strcmp(operands->items[0], families[i].name) == 0)
            return &families[i];
    lit_fail(error, LIT_EXIT_USAGE, "%.80s: one family is needed: reconvergence, groups or memory",
             operands->count ? operands->items[operands->count - 1] : "missing family");
    return NULL;
}

int cli_fuzz(struct cli_call *call)
{
    struct fuzz_options *o = call->chosen;
    const struct family *family = find_family(&call->operands, &call->error);
    if (!family || !check_usage(o, family->call, call->given, &call->error))
        return CLI_FAILED;
    o->count = o->count ? o->count : family->count;
    if (!o->run.runs && !o->compile)
        o->run.runs = o->replay ? REPLAY_RUNS : family->runs;
    o->keep = o->keep ? o->keep : family->keep;
    if (family->call & MEMORY)
        return fuzz_memory(o, call->argc, call->argv, &call->error);
    return fuzz_programs(o, !family->call, call->argc, call->argv, &call->error);
}
