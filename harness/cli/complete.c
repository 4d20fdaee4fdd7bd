// SPDX-License-Identifier: Apache-2.0
// litmus complete: prints the candidates for the last of the given words.

#include "catalogue/catalogue.h"
#include "cli/device.h"

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

// `argument`: words, or the name of an option's value in the help, which says what it is.
static void offer_value(const struct asked *asked, const char *argument, bool are_words)
{
    static const struct {
        const char *argument;
        const char *(*name_at)(size_t index, void *user);
    } kinds[] = {
        {"FAMILY", cli_family_at}, {"WORD", cli_expectation_at}, {"FEATURE", cli_feature_at}};
    if (are_words)
        offer_words(asked, argument, "|");
    else if (strcmp(argument, "FILE") == 0)
        text_puts(asked->out, ":files\n");
    else if (strcmp(argument, "FOLDER") == 0)
        text_puts(asked->out, ":folders\n");
    else if (strcmp(argument, CLI_SIMT_ARGUMENT) == 0)
        offer_words(asked, CLI_SIMT_MODELS, ", \n");
    else if (strcmp(argument, "TEST") == 0 || strcmp(argument, "NAME") == 0)
        offer_tests(asked);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argument, kinds[i].argument) == 0)
            offer_names(asked, kinds[i].name_at);
}

// `last` is the word before, "" if it is the subcommand.
static void offer_of_command(const struct asked *asked, const struct cli_syntax *syntax,
                             const char *last)
{
    const char *const arguments[] = {"", "TEST", "FILE", syntax->words}; // of operands
    struct asked value = *asked;
    OWNED(text_free) struct text lead = {0};
    const struct cli_option *option = cli_option_find(syntax, last, strlen(last));
    const size_t length = strcspn(asked->current, "=");
    if (!(option && option->argument) && asked->current[0] == '-' && asked->current[length]) {
        option = cli_option_find(syntax, asked->current, length);
        text_append(&lead, asked->current, length + 1);
        value.lead = lead.data;
        value.current += length + 1;
    }
    if (option && option->argument)
        offer_value(&value, option->argument, CLI_KIND(option->kind) == CLI_CHOICE);
    else if (asked->current[0] == '-' && !lead.length)
        for (size_t i = 0; (option = cli_option_at(syntax, i)); i++) {
            text_printf(&lead, "--%s", option->name);
            offer(asked, lead.data, lead.length, option->help);
            lead.length = 0;
        }
    else if (!lead.length)
        offer_value(asked, arguments[syntax->operands], syntax->operands == CLI_OPERANDS_WORDS);
    if (syntax->name_at && asked->current[0] && asked->current[0] != '-' &&
        !(option && option->argument))
        offer_names(asked, syntax->name_at);
}

static void offer_commands(const struct asked *asked)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->help)
            offer(asked, command->name, strlen(command->name), command->help);
}

int cli_complete(struct cli_call *call)
{
    // "--" may come first, so that words like --help are not ours.
    const int begin = call->argc > 1 && strcmp(call->argv[1], "--") == 0 ? 2 : 1;
    char **words = call->argv + begin;
    const int before = call->argc - begin - 1; // the last word
    if (before < 0)
        return LIT_EXIT_OK;
    const struct asked asked = {.lead = "", .current = words[before], .out = &call->out};
    // Options without a subcommand belong to run.
    const bool is_run = words[0][0] == '-';
    const struct cli_command *command = cli_command_find(is_run ? "run" : words[0]);
    if (!is_run && (!before || strcmp(words[0], "help") == 0))
        offer_commands(&asked);
    else if (command && command->syntax)
        offer_of_command(&asked, command->syntax, before > !is_run ? words[before - 1] : "");
    return LIT_EXIT_OK;
}
