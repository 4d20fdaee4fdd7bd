// SPDX-License-Identifier: Apache-2.0
// litmus list: the tests, one line each, or the names of all configurations. Needs no device.

#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include <stddef.h>
#include <string.h>

struct options {
    bool names, thorough;
};

static const struct cli_option options[] = {
    {0, "names", CLI_FLAG, offsetof(struct options, names), NULL,
     "the name of every configuration, for scripts and completion"},
    {0, "thorough", CLI_FLAG, offsetof(struct options, thorough), NULL,
     "with those that only --thorough runs"},
};

static const struct cli_syntax syntax = {
    .name = "list",
    .usage = "[OPTION]... [PATTERN]...",
    .about = "Lists the tests that match the patterns, or all. Patterns are those of 'litmus run'.",
    .options = options,
    .count = sizeof options / sizeof options[0],
    .more =
        "Sizes of subgroups depend on the device and are left out: a device that can run several\n"
        "has that many configurations more with --thorough.\n",
};

struct counting {
    const struct cat_selection *selection;
    struct text *names; // NULL: count only
    size_t quick, all;
    size_t by_expectation[CAT_CONTROL + 1];
};

static void count_case(const struct cat_case *which, void *user)
{
    struct counting *counting = user;
    struct cat_selection selection = *counting->selection;
    if (!cat_selection_has(&selection, which)) {
        selection.thorough = true;
        counting->all += cat_selection_has(&selection, which);
        return;
    }
    counting->all++;
    counting->quick++;
    counting->by_expectation[cat_case_expectation(which, NULL)]++;
    if (counting->names) {
        cat_case_name(which, counting->names);
        text_puts(counting->names, "\n");
    }
}

static void list_line(struct text *text, const struct cat_test *test, const struct counting *c,
                      int width)
{
    char count[32];
    const char *comma = "";
    struct text expectations = {0};
    for (int e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        if (c->by_expectation[e]) {
            text_printf(&expectations, "%s%s %s", comma, text_count(count, c->by_expectation[e]),
                        cat_expectation_name((enum cat_expectation)e));
            comma = ", ";
        }
    text_printf(text, "%-*s  %7s", width, test->head.name, text_count(count, c->quick));
    if (c->all > c->quick)
        text_printf(text, "  + %-7s", text_count(count, c->all - c->quick));
    else
        text_puts(text, "           ");
    text_printf(text, "  %s\n", expectations.length ? expectations.data : "");
    text_free(&expectations);
}

static int print_list(const struct cat_selection *selection, bool names)
{
    struct text text = {0};
    char count[32], more[32];
    size_t tests = 0, quick = 0, all = 0;
    int width = 4;
    for (size_t i = 0; i < cat_test_count(); i++)
        if ((int)strlen(cat_test_at(i)->head.name) > width)
            width = (int)strlen(cat_test_at(i)->head.name);
    if (!names)
        text_printf(&text, "%-*s  %7s  %-9s  %s\n", width, "test", "default", "thorough",
                    "expectations");
    for (size_t i = 0; i < cat_test_count(); i++) {
        struct counting counting = {.selection = selection, .names = names ? &text : NULL};
        cat_test_each(cat_test_at(i), 0, count_case, &counting);
        if (counting.all == 0)
            continue;
        tests++;
        quick += counting.quick;
        all += counting.all;
        if (!names)
            list_line(&text, cat_test_at(i), &counting, width);
    }
    if (!names && all > quick)
        text_printf(&text, "%zu tests, %s configurations, %s more with --thorough\n", tests,
                    text_count(count, quick), text_count(more, all - quick));
    else if (!names)
        text_printf(&text, "%zu tests, %s configurations\n", tests, text_count(count, quick));
    return cli_print(&text);
}

int cli_list(int argc, char **argv)
{
    struct options chosen = {0};
    struct cli_list patterns = {0};
    struct lit_error error = {0};
    int code = LIT_EXIT_OK;
    if (!cli_start(&syntax, argc, argv, &chosen, &patterns, NULL, &code))
        return code;
    struct cat_selection selection = {
        .patterns = patterns.items, .count = patterns.count, .thorough = chosen.thorough};
    if (cat_selection_check(&selection, &error))
        code = print_list(&selection, chosen.names);
    else
        code = cli_fail(&error);
    cli_list_clear(&patterns);
    return code;
}
