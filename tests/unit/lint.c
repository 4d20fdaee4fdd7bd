// SPDX-License-Identifier: Apache-2.0
// The convergence lint on the listings of files, which say what is to be found: LINT FILE...
#include "unit.h"

#include "lint.h"

#include <errno.h>

static size_t check_listings(const char *listings)
{
    char line[256];
    OWNED(text_free) struct text code = {0}, wanted = {0}, found = {0};
    FILE *file = fopen(listings, "r");
    if (!file)
        fail_msg("%s: %s", listings, strerror(errno));
    size_t number = 0, count = 0;
    for (bool more = true, rows = false; more;) {
        more = fgets(line, sizeof line, file) != NULL;
        number++;
        line[more ? strcspn(line, "\r\n") : 0] = '\0';
        if (line[0] == '=')
            text_printf(&wanted, "%s\n", line + 2);
        else if (line[0] == '+')
            rows = true;
        else if (line[0] && line[0] != ';' && line[0] != '#')
            text_printf(&code, "%s\n", line);
        if (line[0] || !code.length)
            continue;
        text_puts(&found, "");
        text_puts(&wanted, "");
        lint_lines(code.data, rows, &found);
        if (found.length && found.data[found.length - 1] != '\n')
            text_puts(&found, "\n"); // why there is no finding
        if (strcmp(found.data, wanted.data) != 0)
            fail_msg("%s, the listing before line %zu: found\n%s", listings, number, found.data);
        code.length = wanted.length = found.length = 0;
        rows = false;
        count++;
    }
    fclose(file);
    return count;
}

TEST(test_listings)
{
    for (int i = 1; i == 1 || i < unit_argument_count; i++)
        assert_true(check_listings(unit_argument(i)) > 35);
}

TEST(test_no_code)
{
    struct sass_code none = {.operands = true};
    OWNED(lint_clear) struct lint lint;
    must_fail_as("cannot be analysed: there is no code",
                 lint_run(&none, &(struct lint_options){0}, &lint, &error));
}

// Without registers every condition may part lanes.
TEST(test_no_operands)
{
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code("MOV R0, c[0x0][0x4]\n"
                 "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
                 "@P0 BRA join\n"
                 "NOP\n"
                 "join:\n"
                 "VOTE.ANY R3, PT, PT\n"
                 "EXIT\n",
                 &code);
    code.operands = false;
    assert_true(lint_run(&code, &(struct lint_options){0}, &lint, &error));
    assert_int_equal(lint.count, 1);
    assert_int_equal(lint.findings[0].kind, LINT_UNCLEAR);
    OWNED(text_free) struct text text = {0};
    lint_word(&code, &lint, &lint.findings[0], &text);
    assert_non_null(strstr(text.data, "register values are not known"));
}

TEST(test_words)
{
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code("S2R R0, SR_LANEID\n"
                 "ISETP.NE.U32.AND P0, PT, R0, RZ, PT\n"
                 "@P0 BRA join\n"
                 "NOP\n"
                 "join:\n"
                 "SHFL.IDX PT, R1, R0, 0x3, 0x1f\n"
                 "EXIT\n",
                 &code);
    assert_true(lint_run(&code, &(struct lint_options){0}, &lint, &error));
    assert_int_equal(lint.count, 1);
    assert_int_equal(lint.reads, 1);
    OWNED(text_free) struct text text = {0};
    lint_word(&code, &lint, &lint.findings[0], &text);
    assert_string_equal(
        text.data, "at risk: SHFL.IDX at 0x40 can be reached from both sides of the branch at 0x20 "
                   "without reconvergence: 0x20 -> 0x30 -> 0x40 and 0x20 -> 0x40");
}
