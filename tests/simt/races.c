// SPDX-License-Identifier: Apache-2.0
// The relation by which a kernel's accesses are looked at is that of the memory model: programs
// that axi_decide has a verdict of, run as kernels under several schedules, and looked through.
// Where the model says that there is no data race none may be found, whatever the schedule. The
// share of the others in which one is found is told, and has its lower limit.
//
// usage: races CORPUS
#include "../unit/axiomatic.h"

#include "explain/race.h"
#include "generate/concurrent.h"
#include "schedule/machine.h"
#include "splitmix.h"

#include <dirent.h>
#include <unistd.h>

enum { SUBGROUP = 4, WIDTH = 8, GROUPS = 2, INSTANCES = WIDTH * GROUPS, SCHEDULES = 4 };
// One in so many of the programs that are enumerated: of the sample of tools/check, and of --full.
enum { SAMPLED = 499, FULL = 8 };
// Percent of those with a data race in which it is found at least.
enum { LEAST_OF_CORPUS = 60, LEAST_OF_SMALL = 75 };

struct share {
    unsigned racing, found, free, large;
};

static void say(void *user, const char *line)
{
    (void)user;
    fail_msg("%s", line);
}

// Runs a kernel and looks through what it did: the number of findings.
static size_t look(const struct gen_concurrent *made, const struct gen_states *states,
                   struct program *program, const struct settings *settings)
{
    const size_t state_words = (1 + (size_t)made->buffered * INSTANCES) * made->words + INSTANCES;
    OWNED(lit_free) uint32_t *input = lit_alloc(states->size + 1, 4);
    OWNED(lit_free) uint32_t *output = lit_alloc(INSTANCES, 4);
    OWNED(lit_free) uint32_t *state = lit_alloc(state_words, 4);
    struct regions *regions = regions_create();
    const struct region memory = {.bytes = (unsigned char *)state, .size = state_words * 4};
    struct {
        uint64_t input, output, state;
        uint32_t total, seed;
    } push = {0, 0, region_address(regions_add(regions, memory), 0), INSTANCES,
              (uint32_t)settings->seed};
    struct region local[8] = {
        [1] = {.bytes = (unsigned char *)&push, .size = sizeof push, .read_only = true}};
    const struct dispatch dispatch = {.program = program,
                                      .groups = {GROUPS, 1, 1},
                                      .local = local,
                                      .local_count = 2 + program->region_count};
    OWNED(exp_trace_clear) struct exp_trace trace;
    OWNED(exp_findings_clear) struct exp_findings findings = {0};
    struct exp_bytes bytes[8];
    memcpy(input, states->table, states->size * 4);
    for (size_t i = 0; i < made->buffered; i++)
        for (size_t n = 0; n < INSTANCES * made->words; n++)
            state[made->words * (1 + i * INSTANCES) + n] = made->initial[i];
    for (uint32_t i = 0; i < program->resource_count; i++) {
        const struct resource *of = &program->resources[i];
        struct region *region = &local[of->first_region - LOCAL_SHARED];
        *region = of->binding == 2
                      ? memory
                      : (struct region){.bytes = (unsigned char *)(of->binding ? output : input),
                                        .size = of->binding ? INSTANCES * 4 : 4 + states->size * 4};
        region->address = of->binding == 2 ? push.state : 0;
    }
    fclose(fopen(settings->trace, "we"));
    struct machine *machine = machine_create(settings, regions, say, NULL);
    assert_int_equal(machine_dispatch(machine, &dispatch), DISPATCH_DONE);
    machine_free(machine);
    regions_free(regions);
    must(exp_trace_load(settings->trace, 1, &trace, &error));
    for (size_t i = 0; i < trace.buffer_count; i++)
        bytes[i] = (struct exp_bytes){.size = trace.buffers[i].size};
    assert_true(exp_find_misuse(&(struct exp_dispatch){.trace = &trace, .buffers = bytes},
                                &findings, NULL));
    const size_t found = findings.count;
    for (size_t i = 0; i < found; i++)
        if (findings.items[i].what != EXP_RACE)
            fail_msg("%s", trace.codes[findings.items[i].code].text);
    return found;
}

static size_t run(const struct gen_concurrent *made, const struct gen_states *states, uint64_t seed)
{
    static const struct program_constant constants[] = {
        {0, WIDTH, 4}, {1, 1, 4}, {2, 5, 4}, {3, 16, 4}};
    const struct program_options options = {.entry = "main",
                                            .constants = constants,
                                            .constant_count = 4,
                                            .subgroup = SUBGROUP,
                                            .local_size_max = 1024,
                                            .shared_max = 1 << 16};
    char error[512] = "", file[] = "/tmp/races-XXXXXX", text[200];
    struct settings settings;
    size_t found = 0;
    struct program *program =
        program_compile(made->module.words, made->module.count, &options, error, sizeof error);
    if (!program)
        fail_msg("%s", error);
    close(mkstemp(file));
    for (unsigned i = 0; i < SCHEDULES; i++) {
        snprintf(text, sizeof text,
                 "model=lockstep,subgroup=%d,threads=1,seed=%u,schedule=%s,bounds=check,trace=%s",
                 SUBGROUP, (unsigned)(splitmix_mix(seed + i) & 0xffff),
                 i % 2 ? "priority" : "random", file);
        if (!settings_parse(text, &settings, error, sizeof error))
            fail_msg("%s", error);
        found += look(made, states, program, &settings) > 0;
    }
    unlink(file);
    program_free(program);
    return found;
}

// One program, if it has a kernel.
static void compare(const char *name, const char *text, uint64_t seed, struct share *share)
{
    const struct axi_options how = {.rounds = 2, .most = 200000, .listed = 200000};
    OWNED(decided_clear) struct decided decided = {0};
    OWNED(gen_states_clear) struct gen_states states = {0};
    struct gen_concurrent made = {0};
    if (!axi_parse(text, strlen(text), &decided.program, &error))
        fail_msg("%s: %s", name, error.message);
    if (!axi_decide(&decided.program, &how, &decided.verdict, &error)) {
        assert_int_equal(error.code, LIT_EXIT_UNDECIDED);
        share->large++;
    } else if (gen_states_make(&decided.program, &decided.verdict, &states, &error) &&
               gen_concurrent_make(&decided.program, &states, &made, &error)) {
        const size_t found = run(&made, &states, seed);
        if (found && !decided.verdict.races)
            fail_msg("%s: a data race is found under %zu of %d schedules, and there is none\n%s",
                     name, found, SCHEDULES, text);
        share->racing += decided.verdict.races;
        share->found += found > 0;
        share->free += !decided.verdict.races;
    }
    gen_module_clear(&made.module);
}

static void tell(const struct share *share, unsigned least)
{
    print_message("%u without a data race; of %u with one it is found in %u; %u are too large\n",
                  share->free, share->racing, share->found, share->large);
    assert_true(share->free && share->found * 100 >= share->racing * least);
}

TEST(all_of_the_corpus)
{
    struct share share = {0};
    char path[4096];
    DIR *folder = opendir(unit_argument(1));
    assert_non_null(folder);
    for (const struct dirent *each; (each = readdir(folder));) {
        OWNED(text_free) struct text text = {0};
        if (!strstr(each->d_name, ".litmus"))
            continue;
        snprintf(path, sizeof path, "%.2000s/%.2000s", unit_argument(1), each->d_name);
        assert_true(text_read(&text, path, AXI_MOST_BYTES));
        compare(path, text.data, 1, &share);
    }
    closedir(folder);
    tell(&share, LEAST_OF_CORPUS);
}

// Each program at one of the places where its threads and locations may be.
TEST(enumerated)
{
    const uint64_t every = getenv("LITMUS_SAMPLE") ? SAMPLED : getenv("LITMUS_FULL") ? 1 : FULL;
    struct share share = {0};
    OWNED(gen_small_clear) struct gen_small small = {0};
    gen_small_make(&small);
    for (small.program = 0; small.program < small.count; small.program++) {
        OWNED(text_free) struct text name = {0};
        OWNED(text_free) struct text text = {0};
        const uint64_t draw = splitmix_mix(small.program);
        if (draw % every)
            continue;
        small.setting = 0;
        while (small.settings[small.setting].forms ||
               small.settings[small.setting].place != draw / every % SMALL_PLACES)
            small.setting++;
        gen_small_name(&small, &name);
        gen_small_write(&small, &text);
        compare(name.data, text.data, draw, &share);
    }
    tell(&share, LEAST_OF_SMALL);
}
