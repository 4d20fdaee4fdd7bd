// SPDX-License-Identifier: Apache-2.0
// litmus complete: prints the candidates for the last of the given words.

#include "cli/cli.h"

#include "catalogue/catalogue.h"
#include "cli/device.h"

#include <string.h>

static bool begins(const char *word, const char *beginning)
{
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

// `lead` comes before each candidate: "--format=" in "--format=json".
struct asked {
    const char *lead, *current;
    struct text *out;
};

static void offer(const struct asked *asked, const char *word, size_t length, const char *about)
{
    if (length < strlen(asked->current) ||
        strncmp(word, asked->current, strlen(asked->current)) != 0)
        return;
    text_printf(asked->out, "%s%.*s", asked->lead, (int)length, word);
    if (about[0])
        text_printf(asked->out, "\t%.*s", (int)strcspn(about, "\n"), about);
    text_puts(asked->out, "\n");
}

// Words between separators: "auto|always|never".
static void offer_words(const struct asked *asked, const char *words, const char *separators)
{
    for (words += strspn(words, separators); *words; words += strspn(words, separators)) {
        size_t length = strcspn(words, separators);
        offer(asked, words, length, "");
        words += length;
    }
}

// Tests and configurations

static void offer_case(const struct cat_case *which, void *user)
{
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    offer(user, name.data, name.length, "");
}

// Offers tests, or a given test's configurations with its `/` or `@`.
static void offer_tests(const struct asked *asked)
{
    const bool whole = cfg_is_precise(asked->current);
    const bool excluded = asked->current[0] == '!';
    const struct asked inner = {
        .lead = excluded ? "!" : "", .current = asked->current + excluded, .out = asked->out};
    for (size_t i = 0; i < cat_test_count(); i++) {
        const struct cat_test *test = cat_test_at(i);
        const char *name = test->head.name;
        if (!whole)
            offer(&inner, name, strlen(name), test->head.asks);
        else if (cfg_same_test(inner.current, name))
            cat_test_each(test, 0, offer_case, (void *)&inner);
    }
}

// Offers each name once: equal names are adjacent.
static void offer_names(const struct asked *asked, const char *(*name_at)(size_t index, void *user))
{
    const char *last = "", *name;
    for (size_t i = 0; (name = name_at(i, NULL)); last = name, i++)
        if (strcmp(name, last) != 0)
            offer(asked, name, strlen(name), "");
}

// Options

// The value's name in the help says what it is.
static void offer_value(const struct asked *asked, const struct cli_option *option)
{
    static const struct {
        const char *argument;
        const char *(*name_at)(size_t index, void *user); // NULL: tests
    } kinds[] = {
        {"FAMILY", cli_family_at},
        {"WORD", cli_expectation_at},
        {"FEATURE", cli_feature_at},
        {"TEST", NULL},
        {"NAME", NULL},
    };
    if (CLI_KIND(option->kind) == CLI_CHOICE)
        offer_words(asked, option->argument, "|");
    else if (strcmp(option->argument, "FILE") == 0)
        text_puts(asked->out, ":files\n");
    else if (strcmp(option->argument, "FOLDER") == 0)
        text_puts(asked->out, ":folders\n");
    else if (strcmp(option->argument, CLI_SIMT_ARGUMENT) == 0)
        offer_words(asked, CLI_SIMT_MODELS, ", \n");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(option->argument, kinds[i].argument) == 0)
            kinds[i].name_at ? offer_names(asked, kinds[i].name_at) : offer_tests(asked);
}

static const struct cli_option *find_option(const struct cli_syntax *syntax, const char *word,
                                            size_t length)
{
    for (size_t i = 0; i < syntax->count; i++) {
        const struct cli_option *option = &syntax->options[i];
        const bool by_name = length > 2 && begins(word, "--") &&
                             strlen(option->name) == length - 2 &&
                             strncmp(option->name, word + 2, length - 2) == 0;
        if (by_name ||
            (length == 2 && word[0] == '-' && option->letter && word[1] == option->letter))
            return option;
    }
    return NULL;
}

static void offer_options(const struct asked *asked, const struct cli_syntax *syntax)
{
    OWNED(text_free) struct text word = {0};
    for (size_t i = 0; i < syntax->count; i++) {
        word.length = 0;
        text_printf(&word, "--%s", syntax->options[i].name);
        offer(asked, word.data, word.length, syntax->options[i].help);
    }
    offer(asked, "--help", 6, "print this");
}

static void offer_operands(const struct asked *asked, const struct cli_syntax *syntax)
{
    switch (syntax->operands) {
    case CLI_OPERANDS_TESTS:
        offer_tests(asked);
        if (syntax->name_at && asked->current[0])
            offer_names(asked, syntax->name_at);
        break;
    case CLI_OPERANDS_FILES:
        text_puts(asked->out, ":files\n");
        break;
    case CLI_OPERANDS_WORDS:
        offer_words(asked, syntax->words, "|");
        break;
    case CLI_OPERANDS_NONE:
        break;
    }
}

// `last` is the word before, "" if it is the subcommand.
static void offer_of_command(const struct asked *asked, const struct cli_syntax *syntax,
                             const char *last)
{
    const struct cli_option *option = find_option(syntax, last, strlen(last));
    const size_t length = strcspn(asked->current, "=");
    if (option && option->argument) {
        offer_value(asked, option);
    } else if (begins(asked->current, "--") && asked->current[length]) {
        OWNED(text_free) struct text lead = {0};
        option = find_option(syntax, asked->current, length);
        text_printf(&lead, "%.*s", (int)length + 1, asked->current);
        struct asked value = {
            .lead = lead.data, .current = asked->current + length + 1, .out = asked->out};
        if (option && option->argument)
            offer_value(&value, option);
    } else if (asked->current[0] == '-') {
        offer_options(asked, syntax);
    } else {
        offer_operands(asked, syntax);
    }
}

static void offer_commands(const struct asked *asked)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->help)
            offer(asked, command->name, strlen(command->name), command->help);
}

// Appends the candidates for `current`; `before` has the earlier words.
static void complete(char *const *before, size_t before_count, const char *current,
                     struct text *out)
{
    const struct asked asked = {.lead = "", .current = current, .out = out};
    const char *first = before_count ? before[0] : current;
    if ((!before_count && first[0] != '-') || (before_count && strcmp(first, "help") == 0)) {
        offer_commands(&asked);
        return;
    }
    // Options without a subcommand belong to run.
    const char *name = first[0] == '-' ? "run" : first;
    const size_t words = first[0] == '-' ? 0 : 1;
    const struct cli_command *command = cli_command_find(name);
    if (command && command->syntax)
        offer_of_command(&asked, command->syntax,
                         before_count > words ? before[before_count - 1] : "");
}

int cli_complete(struct cli_call *call)
{
    char **argv = call->argv;
    const int argc = call->argc;
    // "--" may come first, so that words like --help are not ours.
    const int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (argc > first)
        complete(argv + first, (size_t)(argc - 1 - first), argv[argc - 1], &call->out);
    return LIT_EXIT_OK;
}
