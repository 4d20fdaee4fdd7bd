// SPDX-License-Identifier: Apache-2.0
// Adds a kernel to the catalogue: what its check finds goes with it, and if the user gives no
// expectation, the SIMT simulator does. A session keeps the kernels that it ran, so that later
// commands can name one without its file.
#include "kernel/plan.h"

#include "catalogue/catalogue.h"
#include "explain/ask.h"
#include "store/store.h"

#define TRIES 8 // runs of each model after the first run

static bool put(const struct cat_package *package, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    cat_package_write(package, &bytes);
    return cat_test_add(bytes.data, bytes.length, NULL, error);
}

// Puts the package in place of what it was.
static bool put_again(const struct cat_package *package, struct lit_error *error)
{
    cat_test_drop();
    return put(package, error);
}

static bool ask(struct exp_asking *a, enum eng_request_kind kind, const char *model, uint64_t seed,
                struct eng_outcome *outcome, struct lit_error *error)
{
    char settings[80];
    snprintf(settings, sizeof settings, "model=%s,seed=%" PRIu64, model, seed);
    return exp_ask(a, kind, settings, seed, "--expect agree", outcome, error);
}

static bool take_reference(struct exp_asking *a, struct cat_package *package,
                           struct lit_error *error)
{
    struct eng_outcome outcome;
    const size_t size = package->expected_words * sizeof *package->expected;
    if (!ask(a, ENG_OUTPUT, "lockstep", 1, &outcome, error))
        return false;
    if (a->client.code.length != size)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--expect agree: the SIMT simulator's words are missing");
    memcpy(package->expected, a->client.code.data, size);
    cat_forget_nans(&package->interface, package->expected);
    eng_client_end(&a->client); // the worker has the test without an expectation
    return put_again(package, error);
}

// Whether the simulator agrees with itself; if not, says how. A run also disagrees if it does not
// end where the first one did, for example because a race makes it store out of bounds.
static bool compare(struct exp_asking *a, const char *model, struct text *differences,
                    struct lit_error *error)
{
    struct eng_outcome outcome;
    OWNED(text_free) struct text first = {0};
    unsigned differ = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        struct lit_error why = {0};
        const bool ran = ask(a, ENG_TRY, model, i + 2, &outcome, &why);
        if (!ran && why.code != LIT_EXIT_USAGE) {
            *error = why;
            return false;
        }
        if ((ran && !outcome.count.failed_runs) || differ++)
            continue;
        const struct eng_failure *failure = &outcome.first;
        if (!ran)
            text_puts(&first, a->printed[0] ? a->printed : outcome.reason);
        else if (outcome.count.failure_count)
            text_printf(&first, "%s: 0x%" PRIx32 ", 0x%" PRIx32, failure->where, failure->at.got,
                        failure->at.want);
    }
    if (differ)
        text_printf(differences,
                    "on the SIMT simulator %u of %d runs under %s differ from the first under "
                    "lockstep (%s): the kernel's results are unspecified\n",
                    differ, TRIES, model, first.data ? first.data : "");
    return true;
}

// If results depend on more than drivers must guarantee, blames the kernel and not the driver,
// unless checks are off.
static bool blame_kernel(struct cat_package *package, struct text *differences,
                         struct lit_error *error)
{
    fprintf(stderr, "litmus: %s", differences->data);
    if (!package->unsound && !eng_check_is_clean(package->check.data))
        return true;
    // Put the check's findings first: they are the reason.
    struct text *first = package->unsound ? &package->check : differences;
    struct text *rest = package->unsound ? differences : &package->check;
    text_append(first, rest->data, rest->length);
    const struct text both = *first;
    *first = (struct text){0};
    text_free(rest);
    package->check = both;
    package->unsound = true;
    return put_again(package, error);
}

static bool agree(struct cat_package *package, const char *name, struct lit_error *error)
{
    struct exp_asking a = {.name = name};
    OWNED(text_free) struct text differences = {0};
    const bool good = exp_asking_begin(&a, error) && take_reference(&a, package, error) &&
                      compare(&a, "lockstep", &differences, error) &&
                      compare(&a, "tangled", &differences, error);
    exp_asking_end(&a);
    return good && (!differences.length || blame_kernel(package, &differences, error));
}

// Looks for errors of the kernel, before anything is said about a device.
static bool vet(struct cat_package *package, const char *name, bool unchecked,
                struct lit_error *error)
{
    OWNED(text_free) struct text sums = {0}, lines = {0};
    struct lit_error why = {.message = "--unchecked"};
    const bool checked = !unchecked && exp_findings_put(package, name, NULL, &sums, &lines, &why);
    if (!checked && why.code == LIT_EXIT_TIME)
        return lit_fail(error, why.code, "%s", why.message);
    package->unsound = sums.length > 0;
    if (!checked)
        text_printf(&package->check, "not checked: %s: what fails may be the kernel's own fault",
                    why.message);
    else if (package->unsound)
        text_printf(&package->check, "this kernel has %s: results are unspecified\n%s", sums.data,
                    lines.data);
    else
        text_printf(&package->check, "checked: %s", lines.data);
    if (!eng_check_is_clean(package->check.data))
        fprintf(stderr, "litmus: %s: %s%s", name, package->check.data, checked ? "" : "\n");
    return put_again(package, error);
}

static bool make(const char *path, const struct krn_options *chosen, struct cat_package *package,
                 struct text *test, struct lit_error *error)
{
    if (!krn_make(path, chosen, package, error))
        return false;
    cat_package_configuration(package, test);
    return put(package, error);
}

bool krn_add(const char *path, const struct krn_options *chosen, struct text *test,
             struct lit_error *error)
{
    OWNED(cat_package_clear) struct cat_package package = {0};
    return make(path, chosen, &package, test, error) &&
           vet(&package, test->data, chosen->unchecked, error) &&
           (!krn_agrees(chosen) || agree(&package, test->data, error));
}

bool krn_check(const char *path, const struct krn_options *chosen, struct text *out, bool *found,
               struct lit_error *error)
{
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text sums = {0}, test = {0};
    const bool good = make(path, chosen, &package, &test, error) &&
                      exp_findings_put(&package, test.data, "--check", &sums, out, error);
    *found = sums.length > 0;
    return good;
}

// --- In a store

bool krn_keep(struct store *store, int64_t session, bool *all, struct lit_error *error)
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

bool krn_take(struct store *store, int64_t session, struct lit_error *error)
{
    struct lit_error why = {0};
    if (!store_kernels(store, session, take, &why, error))
        return false;
    return !why.message[0] ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", store_path(store), why.message);
}
