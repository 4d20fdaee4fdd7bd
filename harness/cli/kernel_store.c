// SPDX-License-Identifier: Apache-2.0
// Kernels from outside and the store: a session keeps those that it ran, and who names one later
// needs its file no more.
#include "cli/kernel.h"

#include "catalogue/catalogue.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_kernels_keep(struct store *store, int64_t session, bool *all, struct lit_error *error)
{
    const struct text *bytes;
    const char *name;
    *all = true;
    for (size_t i = 0; (bytes = cat_added_at(i, &name)); i++) {
        if (bytes->length > STORE_MOST_KERNEL) {
            *all = false;
            fprintf(stderr,
                    "litmus: %s is larger than what a store keeps (%zu MiB): what is done with "
                    "this session needs its file\n",
                    name, STORE_MOST_KERNEL >> 20);
        } else if (!store_kernel_put(store, session, name, bytes->data, bytes->length, error)) {
            return false;
        }
    }
    return true;
}

static bool take(const void *bytes, size_t size, void *user)
{
    struct lit_error *error = user;
    return cat_test_add(bytes, size, NULL, error);
}

bool cli_kernels_take(struct store *store, int64_t session, struct lit_error *error)
{
    struct lit_error why = {0};
    if (!store_kernels(store, session, take, &why, error))
        return false;
    return !why.message[0] ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", store_path(store), why.message);
}

// --- Those that a command line names

static bool names_test(const char *pattern, const struct cat_test *test)
{
    const char *body = pattern + (*pattern == '!');
    return cfg_same_test(body, test->head.name) || text_glob(body, test->head.name) ||
           text_glob(body, test->head.family);
}

// Whether only a store can say what it is: an id that is none of a test, a kernel, a litmus test.
static bool is_unknown(const char *pattern)
{
    const char *body = pattern + (*pattern == '!');
    if (strncmp(body, "kernel", strlen("kernel")) != 0 &&
        strncmp(body, "litmus", strlen("litmus")) != 0)
        return cfg_is_id(body);
    for (size_t i = 0; i < cat_test_count(); i++)
        if (names_test(pattern, cat_test_at(i)))
            return false;
    return true;
}

struct finding {
    struct cli_list *patterns;
    struct lit_error why;
};

// What a pattern stands for now that a kernel is there: the name of a kernel for its only
// configuration, since some subcommands take no less. free() it.
static char *complete(const char *pattern, const struct cat_test *test)
{
    if (strcmp(pattern, test->head.name) != 0 || test->package->litmus.threads)
        return cat_pattern(pattern);
    struct text name = {0};
    cat_package_configuration(test->package, &name);
    return name.data;
}

// Adds a kernel that one of the patterns names.
static bool take_named(const void *bytes, size_t size, void *user)
{
    struct finding *f = user;
    const size_t before = cat_test_count();
    const struct cat_test *test;
    bool named = false;
    if (!cat_test_add(bytes, size, &test, &f->why))
        return false;
    for (size_t i = 0; i < f->patterns->count; i++) {
        char *pattern = complete(f->patterns->items[i], test); // lasts as long as the list
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

bool cli_kernels_find(const struct cli_syntax *syntax, const void *chosen,
                      struct cli_list *patterns, struct lit_error *error)
{
    struct finding finding = {.patterns = patterns};
    const char *const *db = option_of(syntax, chosen, "db");
    const uint64_t *session = option_of(syntax, chosen, "session");
    const char *path = db && *db ? *db : "litmus.db";
    bool unknown = false;
    for (size_t i = 0; i < patterns->count; i++)
        unknown |= is_unknown(patterns->items[i]);
    if (!unknown || access(path, F_OK) != 0)
        return true;
    struct store *store = store_open_read(path, error);
    const bool good =
        store && store_kernels(store, session ? (int64_t)*session : 0, take_named, &finding, error);
    store_close(&store);
    return good && (!finding.why.message[0] ||
                    lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", path, finding.why.message));
}
