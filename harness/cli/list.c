// SPDX-License-Identifier: Apache-2.0
// litmus list: prints the tests, one line each, or the names of all configurations, or everything
// as JSON (docs/list.schema.json). Needs no device.
#include "catalogue/catalogue.h"
#include "cli/cli.h"
#include "session/session.h"

struct options {
    bool names, thorough, json;
    int verbose;
    struct lit_list families, expectations, needs;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    {0, "family", CLI_LIST, AT(families), "FAMILY",
     "only this family (more than one may be given)"},
    {0, "expectation", CLI_LIST, AT(expectations), "WORD",
     "only this class: forbidden, contested, assumed or control"},
    {0, "needs", CLI_LIST, AT(needs), "FEATURE",
     "only tests that need this device extension or feature"},
    {0, "names", CLI_FLAG, AT(names), NULL,
     "print the name of every configuration, for scripts and completion"},
    {0, "json", CLI_FLAG, AT(json), NULL,
     "print everything about the tests and their configurations as\n"
     "JSON (docs/list.schema.json)"},
    {0, "thorough", CLI_FLAG, AT(thorough), NULL, "include those that only --thorough runs"},
    {'v', "verbose", CLI_MORE, AT(verbose), NULL,
     "print each test's question and requirements, and the bugs that\ncases are about"},
};

const struct cli_syntax cli_list_syntax = {
    .name = "list",
    .usage = "[OPTION]... [PATTERN]...",
    .about = "Lists the tests that match the patterns, or all. Patterns are those of 'litmus run'.",
    CLI_OPTIONS(options, struct options, 0),
    .more = "Subgroup sizes depend on the device and are not counted: with --thorough each "
            "supported\nsize is a configuration of its own.\n",
    .operands = CLI_OPERANDS_TESTS,
};

// Valid words on the command line

const char *cli_family_at(size_t index, void *user)
{
    (void)user;
    return index < cat_test_count() ? cat_test_at(index)->head.family : NULL;
}

const char *cli_expectation_at(size_t index, void *user)
{
    (void)user;
    return index <= CAT_CONTROL ? cat_expectation_name((enum cat_expectation)index) : NULL;
}

const char *cli_feature_at(size_t index, void *user)
{
    (void)user;
    return index < CAT_FEATURE_COUNT ? cat_feature_name((enum cat_feature)index) : NULL;
}

// Sets a bit for each word; fails at the first unknown one.
static bool resolve(const struct lit_list *words, const char *what,
                    const char *(*name_at)(size_t index, void *user), uint64_t *bits,
                    struct lit_error *error)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *name;
        size_t found = 0;
        while ((name = name_at(found, NULL)) && strcmp(name, words->items[i]))
            found++;
        if (!name) {
            OWNED(text_free) struct text hint = {0};
            text_suggest(&hint, words->items[i], name_at, NULL);
            return lit_fail(error, LIT_EXIT_USAGE, "unknown %s: %s%s", what, words->items[i],
                            hint.length ? hint.data : "");
        }
        *bits |= UINT64_C(1) << (found % 64);
    }
    return true;
}

int cli_list(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    struct lit_error *error = &call->error;
    struct report_list filter = {
        .selection = {.patterns = call->operands.items,
                      .count = call->operands.count,
                      .thorough = chosen->thorough},
        .families = &chosen->families,
    };
    uint64_t families = 0, expectations = 0;
    if (!cat_selection_check(&filter.selection, error) ||
        !resolve(&chosen->families, "family", cli_family_at, &families, error) ||
        !resolve(&chosen->expectations, "expectation", cli_expectation_at, &expectations, error) ||
        !resolve(&chosen->needs, "feature", cli_feature_at, &filter.needs, error))
        return CLI_FAILED;
    filter.expectations = (unsigned)expectations;
    // Listed names have no subgroup size.
    for (size_t i = 0; i < call->operands.count; i++)
        call->operands.items[i] =
            lit_have(strndup(call->operands.items[i], cfg_bare_length(call->operands.items[i])));
    if (chosen->json && chosen->names) {
        lit_fail(error, LIT_EXIT_USAGE, "--json and --names are mutually exclusive");
        return CLI_FAILED;
    }
    if (chosen->json)
        report_list_json(&filter, &call->out);
    else
        report_list_text(&filter, chosen->names, chosen->verbose > 0, &call->out);
    return LIT_EXIT_OK;
}
