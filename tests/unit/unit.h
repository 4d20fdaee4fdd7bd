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

// Runs the tests of the file between `begin` and `end`, either may be NULL. Returns how many
// failed.
static inline int unit_run(CMFixtureFunction begin, CMFixtureFunction end)
{
    return cmocka_run_group_tests(unit_tests, begin, end);
}

#ifndef UNIT_MAIN
int main(void)
{
    return unit_run(NULL, NULL);
}
#endif
