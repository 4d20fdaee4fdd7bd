// SPDX-License-Identifier: Apache-2.0
// LITMUS_SIMT: what is understood, and what is said about the rest.

#include "../unit/unit.h"

#include "settings.h"

static struct settings parsed(const char *text)
{
    struct settings settings;
    char error[256] = "untouched";
    if (!settings_parse(text, &settings, error, sizeof error))
        fail_msg("%s: %s", text, error);
    assert_string_equal(error, "");
    return settings;
}

TEST(nothing_gives_the_defaults)
{
    const char *const nothing[] = {NULL, ""};
    for (int i = 0; i < 2; i++) {
        const struct settings settings = parsed(nothing[i]);
        assert_int_equal(settings.model, MODEL_LOCKSTEP);
        assert_int_equal(settings.seed, 1);
        assert_int_equal(settings.devices, 1);
        assert_int_equal(settings.subgroup, 32);
        assert_in_range(settings.threads, 1, 64);
        assert_int_equal(settings.resident, 4);
        assert_int_equal(settings.schedule, SCHEDULE_RANDOM);
        assert_int_equal(settings.depth, 1);
        assert_int_equal(settings.fault, FAULT_WRONG);
        assert_true(settings.rate > 0.000999 && settings.rate < 0.001001);
        assert_int_equal(settings.at, 1);
        assert_int_equal(settings.bounds, BOUNDS_LOST);
        assert_int_equal(settings.face, FACE_COMPUTE);
        assert_string_equal(settings.trace, "");
        assert_string_equal(settings.counts, "");
    }
}

TEST(checks_are_a_list)
{
    struct settings settings = parsed("check=races,barriers,seed=7");
    assert_int_equal(settings.checks, CHECK_RACES | CHECK_BARRIERS);
    assert_int_equal(settings.seed, 7);
    assert_int_equal(settings.threads, 1);
    assert_int_equal(settings.bounds, BOUNDS_CHECK);
    settings = parsed("bounds=report,check=uninitialised,bounds");
    assert_int_equal(settings.checks, CHECK_UNINITIALISED | CHECK_BOUNDS);
    assert_int_equal(settings.bounds, BOUNDS_REPORT);
    assert_int_equal(parsed("check=races").bounds, BOUNDS_LOST);
}

TEST(everything_can_be_set)
{
    const struct settings settings =
        parsed("trace=/tmp/a b.txt,bounds=report,at=18446744073709551615,rate=0.25,fault=memory,"
               "depth=64,schedule=priority,resident=64,threads=1,subgroup=128,devices=1,"
               "seed=0xFfffFFFFffffffff,model=faulty,as=webgpu,counts=c");
    assert_int_equal(settings.model, MODEL_FAULTY);
    assert_true(settings.seed == UINT64_MAX);
    assert_int_equal(settings.devices, 1);
    assert_int_equal(settings.subgroup, 128);
    assert_int_equal(settings.threads, 1);
    assert_int_equal(settings.resident, 64);
    assert_int_equal(settings.schedule, SCHEDULE_PRIORITY);
    assert_int_equal(settings.depth, 64);
    assert_int_equal(settings.fault, FAULT_MEMORY);
    assert_true(settings.rate == 0.25);
    assert_true(settings.at == UINT64_MAX);
    assert_int_equal(settings.bounds, BOUNDS_REPORT);
    assert_int_equal(settings.face, FACE_WEBGPU);
    assert_string_equal(settings.trace, "/tmp/a b.txt");
    assert_string_equal(settings.counts, "c");
}

TEST(every_name_is_understood)
{
    const char *const models[] = {"lockstep", "tangled", "snooping", "lagging",     "peeling",
                                  "relaxed",  "unfair",  "faulty",   "miscompiling"};
    const char *const faults[] = {"wrong",   "lost",       "hang",       "crash", "memory",
                                  "nothing", "properties", "rendezvous", "loops", "reduction",
                                  "torn",    "ids",        "exits"};
    char text[32];
    for (int i = 0; i < MODEL_COUNT; i++) {
        strcat(strcpy(text, "model="), models[i]);
        assert_int_equal(parsed(text).model, i);
        assert_string_equal(model_names[i], models[i]);
    }
    for (int i = 0; i < FAULT_COUNT; i++) {
        strcat(strcpy(text, "fault="), faults[i]);
        assert_int_equal(parsed(text).fault, i);
        assert_string_equal(fault_names[i], faults[i]);
    }
    for (uint32_t width = 1; width <= 128; width *= 2) {
        char number[] = {'0' + (char)(width / 100), '0' + (char)(width / 10 % 10),
                         '0' + (char)(width % 10), '\0'};
        strcat(strcpy(text, "subgroup="), number);
        assert_int_equal(parsed(text).subgroup, width);
    }
}

TEST(numbers_are_exact)
{
    assert_int_equal(parsed("devices=16").devices, 16);
    assert_int_equal(parsed("seed=7").seed, 7);
    assert_int_equal(parsed("seed=0").seed, 0);
    assert_int_equal(parsed("seed=0x1aF").seed, 431);
    assert_int_equal(parsed("seed=010").seed, 10);
    assert_true(parsed("rate=0").rate == 0);
    assert_true(parsed("rate=1").rate == 1);
    assert_true(parsed("rate=1.000").rate == 1);
    assert_true(parsed("rate=.5").rate == 0.5);
    assert_true(parsed("rate=0.000001").rate == 0.000001);
}

static const struct {
    const char *text, *error;
} wrong[] = {
    {"model=snoopy", "no model 'snoopy': lockstep, tangled, snooping, lagging, peeling, relaxed, "
                     "unfair, faulty, miscompiling"},
    {"model=", "no model '': lockstep, tangled, snooping, lagging, peeling, relaxed, unfair, "
               "faulty, miscompiling"},
    {"model=Lockstep", "no model 'Lockstep': lockstep, tangled, snooping, lagging, peeling, "
                       "relaxed, unfair, faulty, miscompiling"},
    {"modle=tangled",
     "unknown setting 'modle': model, seed, devices, subgroup, as, threads, resident, "
     "schedule, depth, fault, rate, at, bounds, check, counts, trace, workgroups, instructions"},
    {"mode=1",
     "unknown setting 'mode': model, seed, devices, subgroup, as, threads, resident, schedule, "
     "depth, fault, rate, at, bounds, check, counts, trace, workgroups, instructions"},
    {"seed=1,",
     "unknown setting '': model, seed, devices, subgroup, as, threads, resident, schedule, depth, "
     "fault, rate, at, bounds, check, counts, trace, workgroups, instructions"},
    {" seed=1",
     "unknown setting ' seed': model, seed, devices, subgroup, as, threads, resident, schedule, "
     "depth, fault, rate, at, bounds, check, counts, trace, workgroups, instructions"},
    {"\033[31m=1",
     "unknown setting '?[31m': model, seed, devices, subgroup, as, threads, resident, schedule, "
     "depth, fault, rate, at, bounds, check, counts, trace, workgroups, instructions"},
    {"check=races,all", "no check 'races,all': races, bounds, uninitialised, barriers"},
    {"check=", "no check '': races, bounds, uninitialised, barriers"},
    {"devices=0", "devices=0: a number from 1 to 16"},
    {"devices=17", "devices=17: a number from 1 to 16"},
    {"subgroup=48", "subgroup=48: a power of two from 1 to 128"},
    {"subgroup=256", "subgroup=256: a power of two from 1 to 128"},
    {"subgroup=0", "subgroup=0: a power of two from 1 to 128"},
    {"subgroup", "subgroup=: a power of two from 1 to 128"},
    {"seed=-1", "seed=-1: a number of 64 bits, decimal or 0x"},
    {"seed=+1", "seed=+1: a number of 64 bits, decimal or 0x"},
    {"seed=0x", "seed=0x: a number of 64 bits, decimal or 0x"},
    {"seed=1f", "seed=1f: a number of 64 bits, decimal or 0x"},
    {"seed=1 ", "seed=1 : a number of 64 bits, decimal or 0x"},
    {"seed=18446744073709551616", "seed=18446744073709551616: a number of 64 bits, decimal or 0x"},
    {"seed=0x10000000000000000", "seed=0x10000000000000000: a number of 64 bits, decimal or 0x"},
    {"threads=0", "threads=0: a number from 1 to 64"},
    {"threads=65", "threads=65: a number from 1 to 64"},
    {"resident=4294967297", "resident=4294967297: a number from 1 to 64"},
    {"depth=0", "depth=0: a number from 1 to 64"},
    {"schedule=fare", "no schedule 'fare': random, priority, fair, lobe, hsa-obe, hsa, obe, none"},
    {"bounds=on", "no bounds 'on': lost, report, check"},
    {"fault=x\n",
     "no fault 'x?': wrong, lost, hang, crash, memory, nothing, properties, rendezvous, loops, "
     "reduction, torn, ids, exits"},
    {"rate=1.1", "rate=1.1: a number from 0 to 1, such as 0.001"},
    {"rate=.", "rate=.: a number from 0 to 1, such as 0.001"},
    {"rate=0.0.1", "rate=0.0.1: a number from 0 to 1, such as 0.001"},
    {"rate=nan", "rate=nan: a number from 0 to 1, such as 0.001"},
    {"rate=-0", "rate=-0: a number from 0 to 1, such as 0.001"},
    {"at=0", "at=0: a number from 1"},
    {"trace=", "trace=: the name of a file, of at most 511 bytes"},
    {"trace=/tmp/a,devices=2", "trace=/tmp/a: of one device alone, not with devices=2"},
    {"devices=16,trace=a\n", "trace=a?: of one device alone, not with devices=16"},
    {"counts=c,devices=2", "counts=c: of one device alone, not with devices=2"},
    {"seed=1,model=tangled,seed=1", "seed is given twice"},
};

TEST(wrong_settings_are_refused_with_what_would_be_right)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct settings settings;
        char error[256], wanted[256] = "LITMUS_SIMT: ";
        strcat(wanted, wrong[i].error);
        if (settings_parse(wrong[i].text, &settings, error, sizeof error))
            fail_msg("accepted: %s", wrong[i].text);
        assert_string_equal(error, wanted);
    }
}

TEST(long_text_stays_within_bounds)
{
    char text[1100] = "trace=";
    memset(text + 6, 'x', 511);
    assert_int_equal(strlen(parsed(text).trace), 511);
    struct settings settings;
    char error[300];
    memset(text + 6, 'x', 512);
    assert_false(settings_parse(text, &settings, error, sizeof error));
    memset(text, 'm', 1000);
    assert_false(settings_parse(text, &settings, error, sizeof error));
    assert_non_null(strstr(error, "mmm': model, seed"));
    char tiny[4] = "abc";
    assert_false(settings_parse("model=x", &settings, tiny, 2));
    assert_string_equal(tiny, "L");
    assert_int_equal(tiny[2], 'c');
    assert_false(settings_parse("model=x", &settings, tiny, 0));
}
