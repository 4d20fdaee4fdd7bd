// SPDX-License-Identifier: Apache-2.0
// How to call a subcommand; litmus help, and the error for an unknown subcommand.
#include "catalogue/catalogue.h"
#include "cli/cli.h"

static const char *name_at(size_t index, void *user)
{
    (void)user;
    const struct cli_command *command = &cli_commands[index];
    return command->name && !command->help ? "help" : command->name;
}

static int fail_unknown(const char *name)
{
    struct lit_error error = {0};
    OWNED(text_free) struct text hint = {0};
    if (strpbrk(name, ".*?/@!") || cfg_is_id(name))
        text_printf(&hint, "; to run tests: litmus run '%.80s'", name);
    else
        text_suggest(&hint, name, name_at, NULL);
    if (!hint.length)
        text_puts(&hint, "; see 'litmus help'");
    lit_fail(&error, LIT_EXIT_USAGE, "unknown command '%.80s'%s", name, hint.data);
    return term_fail(&error);
}

const struct cli_command *cli_command_find(const char *name)
{
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static void add_test(const struct cli_syntax *syntax, struct cli_call *call)
{
    bool adds = call->test && syntax->operands == CLI_OPERANDS_TESTS;
    for (size_t i = 0; i < syntax->count; i++)
        adds = adds && !(call->given >> i & 1 && strcmp(syntax->options[i].name, "resume") == 0);
    for (size_t i = 0; i < call->operands.count; i++)
        adds = adds && !cfg_same_test(call->operands.items[i], call->test);
    if (adds)
        lit_list_add(&call->operands, lit_strdup(call->test));
}

static int run_parsed(const struct cli_command *command, struct cli_call *call)
{
    const struct cli_syntax *syntax = command->syntax;
    if (syntax->size)
        memcpy(call->chosen, syntax->defaults, syntax->size);
    switch (cli_parse(syntax, call->argc, call->argv, call->chosen, &call->operands, &call->given,
                      &call->error)) {
    case CLI_PARSED:
        add_test(syntax, call);
        if (!cli_tests_take(syntax, call->chosen, &call->operands, &call->error))
            return CLI_FAILED;
        if (syntax->operands != CLI_OPERANDS_NONE || call->operands.count == 0)
            return command->run(call);
        lit_fail(&call->error, LIT_EXIT_USAGE, "unexpected '%.80s'; see 'litmus help %s'",
                 call->operands.items[0], syntax->name);
        break;
    case CLI_HELP:
        cli_help_text(syntax, &call->out);
        return LIT_EXIT_OK;
    case CLI_WRONG:
        break;
    }
    return CLI_FAILED;
}

static int start(const struct cli_command *command, struct cli_call *call)
{
    if (command->syntax)
        call->chosen = lit_alloc(1, command->syntax->size + 1);
    int code = command->syntax ? run_parsed(command, call) : command->run(call);
    if (code == CLI_FAILED)
        code = term_fail(&call->error);
    else if (call->out.length)
        term_print(&call->out);
    text_free(&call->out);
    free(call->chosen);
    return code;
}

int cli_start_with(const char *name, int argc, char **argv, const char *test)
{
    const struct cli_command *command = cli_command_find(name);
    struct cli_call call = {.argc = argc, .argv = argv, .test = test};
    return command ? start(command, &call) : fail_unknown(name);
}

int cli_start(const char *name, int argc, char **argv)
{
    return cli_start_with(name, argc, argv, NULL);
}

int cli_help(struct cli_call *call)
{
    struct text *text = &call->out;
    char *name = call->argc > 1 && call->argv[1][0] != '-' ? call->argv[1] : NULL;
    if (name) {
        char help[] = "--help";
        const struct cli_command *command = cli_command_find(name);
        return command && command->help ? cli_start(name, 2, (char *[]){name, help, NULL})
                                        : fail_unknown(name);
    }
    text_puts(text, "usage: litmus COMMAND [OPTION]...\n"
                    "       litmus --all\n\n"
                    "Tests how Vulkan drivers execute subgroup code: whether it follows "
                    "the\nspecification, how often it fails, and how.\n\n");
    for (const struct cli_command *command = cli_commands; command->name; command++)
        if (command->help)
            text_printf(text, "  %-10s %s\n", command->name, command->help);
    text_puts(
        text,
        "\n'litmus COMMAND --help' describes a command; 'litmus --all' is 'litmus run --all'.\n"
        "\nexit codes: 0 no forbidden outcome, 1 a forbidden outcome, or a driver crashed "
        "or\nhung, 2 usage or input, 3 something could not be measured, 4 a device was lost and "
        "its\nqueue stopped, 5 the time budget was used up, 77 nothing could run\n");
    return LIT_EXIT_OK;
}
