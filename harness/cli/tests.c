// SPDX-License-Identifier: Apache-2.0
// Takes tests from the command line: adds files, and kernels that only a store has, to the
// catalogue.
#include "catalogue/catalogue.h"
#include "cli/cli.h"
#include "kernel/litmus.h"
#include "store/store.h"

#include <unistd.h>

static bool names_test(const char *pattern, const struct cat_test *test)
{
    OWNED(lit_free) char *body = lit_strdup(pattern + (*pattern == '!'));
    body[cfg_test_length(body)] = '\0';
    return text_glob(body, test->head.name) || text_glob(body, test->head.family);
}

// Whether only a store can have it.
static bool is_unknown(const char *pattern)
{
    for (size_t i = 0; i < cat_test_count(); i++)
        if (names_test(pattern, cat_test_at(i)))
            return false;
    return true;
}

struct finding {
    struct lit_list *patterns;
    struct lit_error why;
};

// Adds a kernel that matches one of the patterns.
static bool take_named(const void *bytes, size_t size, void *user)
{
    struct finding *f = user;
    const size_t before = cat_test_count();
    const struct cat_test *test;
    bool named = false;
    if (!cat_test_add(bytes, size, &test, &f->why))
        return false;
    for (size_t i = 0; i < f->patterns->count; i++) {
        char *pattern = cat_pattern(f->patterns->items[i]); // valid as long as the list
        if (names_test(pattern, test)) {
            f->patterns->items[i] = pattern;
            named = true;
        } else {
            free(pattern);
        }
    }
    if (!named && cat_test_count() > before)
        cat_test_drop();
    return true;
}

static const void *option_of(const struct cli_syntax *syntax, const void *chosen, const char *name)
{
    for (size_t i = 0; i < syntax->count; i++)
        if (strcmp(syntax->options[i].name, name) == 0)
            return (const char *)chosen + syntax->options[i].at;
    return NULL;
}

// Adds matching kernels of a store; the store may be missing.
static bool find_in(const char *path, int64_t session, struct lit_list *patterns,
                    struct lit_error *error)
{
    struct finding finding = {.patterns = patterns};
    if (access(path, F_OK) != 0)
        return true;
    OWNED(store_close) struct store *store = store_open_read(path, error);
    const bool good = store && store_kernels(store, session, take_named, &finding, error);
    return good && (!finding.why.message[0] ||
                    lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", path, finding.why.message));
}

static bool find_in_stores(const struct cli_syntax *syntax, const void *chosen,
                           struct lit_list *patterns, struct lit_error *error)
{
    static const char *const lists[] = {"from", "missing"};
    const char *const *db = option_of(syntax, chosen, "db");
    const uint64_t *session = option_of(syntax, chosen, "session");
    bool unknown = false, good = true;
    for (size_t i = 0; i < patterns->count; i++)
        unknown |= is_unknown(patterns->items[i]);
    for (size_t i = 0; unknown && i < sizeof lists / sizeof *lists; i++) {
        const struct lit_list *list = option_of(syntax, chosen, lists[i]);
        for (size_t k = 0; list && k < list->count && good; k++) {
            OWNED(lit_free) char *path = lit_strdup(list->items[k]);
            path[strcspn(path, "#")] = '\0'; // the session's reader looks it up
            good = find_in(path, 0, patterns, error);
        }
    }
    return !unknown || (good && find_in(db && *db ? *db : "litmus.db",
                                        session ? (int64_t)*session : 0, patterns, error));
}

static bool take_list(const struct cli_syntax *syntax, const void *chosen, struct lit_list *list,
                      struct lit_error *error)
{
    const bool reads = syntax->reads_files && syntax->reads_files(chosen);
    // If the operands are stores, names need no other store.
    return !list->count ||
           (krn_files_take(list, reads, error) && (syntax->operands == CLI_OPERANDS_FILES ||
                                                   find_in_stores(syntax, chosen, list, error)));
}

bool cli_tests_take(const struct cli_syntax *syntax, void *chosen, struct lit_list *operands,
                    struct lit_error *error)
{
    bool good =
        syntax->operands != CLI_OPERANDS_TESTS || take_list(syntax, chosen, operands, error);
    for (size_t i = 0; i < syntax->count && good; i++) {
        void *place = (char *)chosen + syntax->options[i].at;
        struct lit_list one = {.items = place, .count = 1};
        if (CLI_KIND(syntax->options[i].kind) == CLI_TESTS)
            good = take_list(syntax, chosen, place, error);
        else if (CLI_KIND(syntax->options[i].kind) == CLI_TEST && *one.items)
            good = take_list(syntax, chosen, &one, error);
    }
    return good;
}
