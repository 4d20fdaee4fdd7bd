// SPDX-License-Identifier: Apache-2.0
// LITMUS_SIMT: what is understood, and what is said about the rest.

#include "../unit/sections.h"

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

static void refuse(const char *text, const char *message)
{
    struct settings settings;
    char error[256], wanted[256] = "LITMUS_SIMT: ";
    strcat(wanted, message);
    if (settings_parse(text, &settings, error, sizeof error))
        fail_msg("accepted: %s", text);
    assert_string_equal(error, wanted);
}

TEST(wrong_settings_are_refused_with_what_would_be_right)
{
    for (const char *at = section("wrong")->text, *text, *message;
         sections_row(&at, &text, &message);)
        refuse(text, message);
    refuse(
        "\033[31m=1",
        "unknown setting '?[31m': model, seed, devices, subgroup, as, threads, resident, schedule, "
        "depth, fault, rate, at, bounds, check, counts, trace, workgroups, instructions");
    refuse("seed=1 ", "seed=1 : a number of 64 bits, decimal or 0x");
    refuse(
        "fault=x\n",
        "no fault 'x?': wrong, lost, hang, crash, memory, nothing, properties, rendezvous, loops, "
        "reduction, torn, ids, exits");
    refuse("devices=16,trace=a\n", "trace=a?: of one device alone, not with devices=16");
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
