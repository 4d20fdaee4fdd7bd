// SPDX-License-Identifier: Apache-2.0
// What every unit test includes: cmocka with the headers that it needs before it, and those of the
// C library that most tests use. A file's tests
// are what it defines with TEST, in their order; its main is here, unless it defines UNIT_MAIN
// first.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// What others call takes more than it uses.
#pragma GCC diagnostic ignored "-Wunused-parameter"

// Whether fewer cases will do: in the sample of tools/check the same test runs without sanitizers
// too, which are several times as slow.
static inline bool unit_sampled(void)
{
#ifdef __SANITIZE_ADDRESS__
    return getenv("LITMUS_SAMPLE") != NULL;
#else
    return false;
#endif
}

// What the call that failed last said, of tests that need no error of their own.
__attribute__((unused)) static struct lit_error error;

// A call that has to be right, and fills `error` otherwise.
#define must(...)                                                                                  \
    do {                                                                                           \
        if (!(__VA_ARGS__))                                                                        \
            fail_msg("%s", error.message);                                                         \
    } while (0)

// A call that has to fail, and fills `error` with a message: that has these words in it, begins
// with them, or is these words.
#define must_fail(words, ...) UNIT_FAIL(!strstr(error.message, words), words, __VA_ARGS__)
#define must_fail_first(words, ...)                                                                \
    UNIT_FAIL(strstr(error.message, words) != error.message, words, __VA_ARGS__)
#define must_fail_as(words, ...) UNIT_FAIL(strcmp(error.message, words) != 0, words, __VA_ARGS__)
#define UNIT_FAIL(wrong, words, ...)                                                               \
    do {                                                                                           \
        error = (struct lit_error){0};                                                             \
        if ((__VA_ARGS__) || !error.message[0] || (wrong))                                         \
            fail_msg("the message is '%s', not '%s'", error.message, words);                       \
    } while (0)

#define assert_success(call) assert_int_equal(call, 0) // of Vulkan

#define UNIT_MOST 64

static struct CMUnitTest unit_tests[UNIT_MOST]; // cmocka leaves out those without a name

#define TEST(name)                    TEST_IN(name, NULL, NULL)
#define TEST_IN(name, begin, end)     TEST_AT(name, begin, end, __COUNTER__)
#define TEST_AT(name, begin, end, at) TEST_ROW(name, begin, end, at)
#define TEST_ROW(name, begin, end, at)                                                             \
    _Static_assert(at < UNIT_MOST, "more tests than UNIT_MOST");                                   \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        unit_tests[at] = (struct CMUnitTest){#name, name, begin, end, NULL};                       \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

// Set up and taken down once for all tests of a file.
static CMFixtureFunction unit_begin, unit_end;

#define GROUP(begin, end)                                                                          \
    __attribute__((constructor)) static void add_group(void)                                       \
    {                                                                                              \
        unit_begin = begin;                                                                        \
        unit_end = end;                                                                            \
    }

// Runs the tests of the file. Returns how many failed.
static inline int unit_run(void)
{
    return cmocka_run_group_tests(unit_tests, unit_begin, unit_end);
}

// What the program is given; the test fails without it.
static char **unit_arguments;
static int unit_argument_count;

static inline const char *unit_argument(int number)
{
    assert_true(number < unit_argument_count);
    return unit_arguments[number];
}

#ifndef UNIT_MAIN
int main(int argc, char **argv)
{
    unit_arguments = argv;
    unit_argument_count = argc;
    return unit_run();
}
#endif
