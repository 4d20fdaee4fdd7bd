// SPDX-License-Identifier: Apache-2.0
// Derives a kernel's expectation from the SIMT simulator if the user gives none.
#include "kernel/kernel.h"

#include "catalogue/catalogue.h"
#include "kernel/ask.h"
#include "engine/drivers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES   8  // runs of each model after the first run
#define SECONDS 60 // for each run

bool krn_add(const struct cat_package *package, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    cat_package_write(package, &bytes);
    return cat_test_add(bytes.data, bytes.length, NULL, error);
}

static void note(const char *line, void *user)
{
    struct krn_asking *a = user;
    snprintf(a->printed, sizeof a->printed, "%s", line);
}

bool krn_asking_begin(struct krn_asking *a, struct lit_error *error)
{
    a->manifest = eng_simt_manifest(error);
    ses_devices_watch(&a->devices, SECONDS, 0, 1);
    a->devices.watch.say = note;
    a->devices.watch.user = a;
    a->device.manifest = a->manifest;
    a->client = (struct eng_client){.watch = &a->devices.watch, .device = &a->device};
    return a->manifest != NULL;
}

void krn_asking_end(struct krn_asking *a)
{
    eng_client_end(&a->client);
    free(a->manifest);
    a->manifest = NULL;
}

bool krn_ask(struct krn_asking *a, enum eng_request_kind kind, const char *settings, uint64_t seed,
             const char *option, struct eng_outcome *outcome, struct lit_error *error)
{
    struct eng_request request = {.kind = kind, .seed = seed};
    snprintf(request.name, sizeof request.name, "%s", a->name);
    snprintf(request.settings, sizeof request.settings, "%s", settings);
    a->printed[0] = '\0';
    const enum eng_end end = eng_client_ask(&a->client, &request, outcome);
    if (end == ENG_END_SIGNAL || end == ENG_END_TIME)
        return lit_fail(error, LIT_EXIT_TIME, "interrupted");
    if (end == ENG_END_RAN && (outcome->result == ENG_PASS || outcome->result == ENG_FAIL))
        return true;
    return lit_fail(error, LIT_EXIT_USAGE, "%s%sthe SIMT simulator cannot run it: %.200s%s%.200s",
                    option ? option : "", option ? ": " : "",
                    outcome->reason[0] ? outcome->reason : eng_result_name(outcome->result),
                    a->printed[0] ? ": " : "", a->printed);
}

static bool ask(struct krn_asking *a, enum eng_request_kind kind, const char *model, uint64_t seed,
                struct eng_outcome *outcome, struct lit_error *error)
{
    char settings[80];
    snprintf(settings, sizeof settings, "model=%s,seed=%" PRIu64, model, seed);
    return krn_ask(a, kind, settings, seed, "--expect agree", outcome, error);
}

static bool take_reference(struct krn_asking *a, struct cat_package *package,
                           struct lit_error *error)
{
    struct eng_outcome outcome;
    const size_t size = package->expected_words * sizeof *package->expected;
    if (!krn_add(package, error))
        return false;
    const bool ran = ask(a, ENG_OUTPUT, "lockstep", 1, &outcome, error);
    const bool whole = ran && a->client.code.length == size;
    if (whole) {
        memcpy(package->expected, a->client.code.data, size);
        cat_forget_nans(&package->interface, package->expected);
    } else if (ran)
        lit_fail(error, LIT_EXIT_USAGE, "--expect agree: the SIMT simulator's words are missing");
    // The worker has the test without an expectation.
    eng_client_end(&a->client);
    cat_test_drop();
    return whole && krn_add(package, error);
}

// Whether the simulator agrees with itself; if not, says how. A run also disagrees if it does not
// end where the first one did, for example because a race makes it store out of bounds.
static bool compare(struct krn_asking *a, const char *model, struct text *differences,
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
    cat_test_drop();
    return krn_add(package, error);
}

bool krn_agree(struct cat_package *package, const char *name, struct lit_error *error)
{
    struct krn_asking a = {.name = name};
    OWNED(text_free) struct text differences = {0};
    const bool good = krn_asking_begin(&a, error) && take_reference(&a, package, error) &&
                      compare(&a, "lockstep", &differences, error) &&
                      compare(&a, "tangled", &differences, error);
    krn_asking_end(&a);
    return good && (!differences.length || blame_kernel(package, &differences, error));
}
