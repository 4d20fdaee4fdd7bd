// SPDX-License-Identifier: Apache-2.0
// Reads command lines by the tables of options, and describes these.

#include "catalogue/catalogue.h"
#include "cli/cli.h"

#include <string.h>

const struct cli_option *cli_option_at(const struct cli_syntax *syntax, size_t index)
{
    static const struct cli_option help = {'h', "help", CLI_FLAG, 0, NULL, "print this"};
    return index < syntax->count ? &syntax->options[index] : index == syntax->count ? &help : NULL;
}

static const char *name_at(size_t index, void *user)
{
    const struct cli_option *option = cli_option_at(user, index);
    return option ? option->name : NULL;
}

const struct cli_option *cli_option_find(const struct cli_syntax *syntax, const char *word,
                                         size_t length)
{
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_option_at(syntax, i)); i++)
        if (length == 2 ? word[0] == '-' && option->letter && word[1] == option->letter
                        : strlen(option->name) + 2 == length && strncmp(word, "--", 2) == 0 &&
                              strncmp(word + 2, option->name, length - 2) == 0)
            break;
    return option;
}

// The only option whose name begins so; NULL if there are none or several.
static const struct cli_option *find_beginning(const struct cli_syntax *syntax, const char *name,
                                               size_t length)
{
    const struct cli_option *found = NULL, *option;
    size_t count = 0;
    for (size_t i = 0; (option = cli_option_at(syntax, i)); i++)
        if (strncmp(option->name, name, length) == 0 && count++ == 0)
            found = option;
    return count == 1 ? found : NULL;
}

struct parsing {
    const struct cli_syntax *syntax;
    void *target;
    uint64_t given;
    bool help;
    bool others; // words of another subcommand may follow
    struct lit_error *error;
};

static bool store(struct parsing *p, const struct cli_option *option, const char *value)
{
    p->help = option == cli_option_at(p->syntax, p->syntax->count);
    if (p->help)
        return true;
    p->given |= UINT64_C(1) << (option - p->syntax->options);
    return cli_value_store(option, value, p->target, p->error);
}

static bool fail_unknown(const struct parsing *p, const char *name, size_t length)
{
    OWNED(text_free) struct text unknown = {0}, hint = {0};
    text_append(&unknown, name, length);
    text_suggest(&hint, unknown.data, name_at, (void *)p->syntax);
    if (!hint.length)
        text_printf(&hint, "; see 'litmus help %s'", p->syntax->name);
    return lit_fail(p->error, LIT_EXIT_USAGE, "unknown option '--%.80s'%s", unknown.data,
                    hint.data);
}

// Takes "--name", "--name value" or "--name=value". Returns how many words it took, 0 for none of
// this command's, -1 with an error.
static int take_name(struct parsing *p, const char *word, const char *next)
{
    const size_t length = strcspn(word, "=");
    const struct cli_option *option = cli_option_find(p->syntax, word, length);
    if (p->others && (!option || option == cli_option_at(p->syntax, p->syntax->count)))
        return 0;
    option = option ? option : find_beginning(p->syntax, word + 2, length - 2);
    const char *value = word[length] ? word + length + 1 : NULL;
    if (!option)
        return fail_unknown(p, word + 2, length - 2), -1;
    const bool apart = option->argument && !value;
    if (option->argument ? !value && !next : value != NULL)
        return lit_fail(p->error, LIT_EXIT_USAGE, "--%s %s value", option->name,
                        value ? "takes no" : "needs a"),
               -1;
    return store(p, option, apart ? next : value) ? 1 + apart : -1;
}

// Takes letters: "-qv", "-n value", "-nvalue". Returns the same.
static int take_letters(struct parsing *p, const char *word, const char *next)
{
    for (const char *at = word + 1; *at && !p->help; at++) {
        const struct cli_option *option = cli_option_find(p->syntax, (char[]){'-', *at, 0}, 2);
        if (!option)
            return lit_fail(p->error, LIT_EXIT_USAGE, "unknown option '-%c'; see 'litmus help %s'",
                            *at, p->syntax->name),
                   -1;
        if (option->argument && !at[1] && !next)
            return lit_fail(p->error, LIT_EXIT_USAGE, "-%c needs a value", *at), -1;
        if (!store(p, option, at[1] ? at + 1 : next))
            return -1;
        if (option->argument)
            return at[1] ? 1 : 2;
    }
    return 1;
}

enum cli_outcome cli_parse(const struct cli_syntax *syntax, int argc, char **argv, void *target,
                           struct lit_list *operands, uint64_t *given, struct lit_error *error)
{
    struct parsing p = {.syntax = syntax, .target = target, .error = error};
    OWNED(lit_free) char **others = lit_alloc((size_t)argc + 1, sizeof *others);
    int own = 1, count = 0;
    bool ended = false;
    for (int i = 1, taken; i < argc; i += taken ? taken : 1) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        const bool is_name = strncmp(word, "--", 2) == 0, ends = is_name && !word[2];
        p.others = syntax->forwards && count;
        if (ended || word[0] != '-' || !word[1] || (p.others && (!is_name || ends)))
            taken = 0;
        else if (ends)
            taken = ended = true;
        else
            taken = is_name ? take_name(&p, word, next) : take_letters(&p, word, next);
        if (taken < 0)
            return CLI_WRONG;
        if (p.help)
            return CLI_HELP;
        if (!taken)
            others[count++] = argv[i];
        for (int k = 0; k < taken; k++)
            argv[own++] = argv[i + k];
    }
    for (int i = 0; i < count; i++) {
        argv[own + i] = others[i];
        lit_list_add(operands, syntax->operands == CLI_OPERANDS_TESTS ? cat_pattern(others[i])
                                                                      : lit_strdup(others[i]));
    }
    if (given)
        *given = p.given;
    return CLI_PARSED;
}
