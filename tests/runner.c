// SPDX-License-Identifier: Apache-2.0
// One executable for many tests, each of which has a main of its own in its file (meson.build gives
// it another name): RUNNER TEST [ARGUMENT...].
#include "session/session.h"

#define TEST(name) int test_##name(int argc, char **argv);
TESTS
#undef TEST

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} tests[] = {
#define TEST(name) {#name, test_##name},
    TESTS
#undef TEST
};

int main(int argc, char **argv)
{
    report_known = &ses_known;
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(argv[1], tests[i].name))
            return tests[i].run(argc - 1, argv + 1);
    fprintf(stderr, "usage: %s TEST [ARGUMENT...]; the tests:", argv[0]);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        fprintf(stderr, " %s", tests[i].name);
    fputc('\n', stderr);
    return 2;
}
