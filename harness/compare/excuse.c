// SPDX-License-Identifier: Apache-2.0
// Which entry of a list excuses which configuration.
#include "compare/waiver.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(const struct compare_waiver *waiver, const char *name)
{
    const char *pattern = waiver->pattern;
    if (waiver->regex)
        return compare_regex_may_match(waiver->needed, name) &&
               regexec(waiver->regex, name, 0, NULL, 0) == 0;
    if (waiver->list == COMPARE_WAIVERS)
        return cfg_matches(pattern, name);
    const size_t length = strlen(pattern);
    return strcmp(pattern, name) == 0 ||
           (strncmp(pattern, name, length) == 0 &&
            (length == cfg_bare_length(name) || length == cfg_test_length(name)));
}

// What it would take to excuse what B came to.
static unsigned fault_of_result(const struct compare_entry *entry)
{
    enum eng_result broken = compare_entry_broken(entry);
    if (broken == ENG_HANG)
        return COMPARE_EXCUSE_HANG;
    if (broken || entry->b->result == ENG_HARNESS_ERROR)
        return COMPARE_EXCUSE_CRASH;
    return COMPARE_EXCUSE_RATE;
}

// What it would take to excuse an entry; 0 if there is nothing to excuse.
static unsigned fault_of(const struct compare_entry *entry, const struct compare_policy *policy)
{
    if (entry->verdict != COMPARE_REGRESSION && !compare_is_open(entry, policy))
        return 0;
    if (compare_is_new_and_wrong(entry) || compare_is_not_measured(entry))
        return fault_of_result(entry);
    switch (entry->why) {
    case COMPARE_WAITS:
    case COMPARE_NO_ANSWER:
        return COMPARE_EXCUSE_HANG;
    case COMPARE_NEW_SKIP:
        return COMPARE_EXCUSE_SKIP;
    case COMPARE_OTHER_CODE:
    case COMPARE_OTHER_STRESS:
    case COMPARE_OTHER_CLASS:
        return COMPARE_EXCUSE_OPEN;
    case COMPARE_RATE:
    case COMPARE_FIRST_SEEN:
    case COMPARE_TOO_FEW:
    case COMPARE_SAME:
        return COMPARE_EXCUSE_RATE;
    case COMPARE_ENDS:
    case COMPARE_ENDED_BEFORE:
    case COMPARE_NOT_MEASURED:
    case COMPARE_WAS_SKIPPED:
    case COMPARE_NOT_RUN:
    case COMPARE_WHYS:
        break;
    }
    return entry->b ? fault_of_result(entry) : COMPARE_EXCUSE_OPEN;
}

// Listed as failing, but all of B's runs were right.
static bool is_passing(const struct compare_waiver *waiver, const struct compare_entry *entry)
{
    return waiver->list == COMPARE_DEQP_FAILS && waiver->excuses & COMPARE_EXCUSE_RATE &&
           entry->b && entry->b->result == ENG_PASS;
}

void compare_waivers_apply(struct compare_waivers *waivers, struct compare_entry *entries,
                           size_t count, const struct compare_policy *policy, const char *today)
{
    for (size_t w = 0; w < waivers->count; w++) {
        struct compare_waiver *waiver = &waivers->items[w];
        waiver->matched = waiver->used = waiver->passing = 0;
        waiver->expired = waiver->until[0] && strcmp(waiver->until, today) < 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct compare_entry *entry = &entries[i];
        const char *name = compare_entry_result(entry)->name;
        unsigned fault = fault_of(entry, policy);
        entry->waiver = 0;
        for (size_t w = 0; w < waivers->count; w++) {
            struct compare_waiver *waiver = &waivers->items[w];
            if (!is_named(waiver, name))
                continue;
            waiver->matched++;
            waiver->passing += is_passing(waiver, entry);
            if (!fault || (waiver->excuses & fault) != fault)
                continue;
            waiver->used++;
            if (!waiver->expired && !entry->waiver)
                entry->waiver = w + 1;
        }
    }
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// Something was seen for which there should be a bug; more runs are the answer to the rest.
static bool wants_waiver(const struct compare_entry *entry, const struct compare_policy *policy)
{
    return !entry->waiver && compare_can_gate(entry, policy) &&
           (entry->verdict == COMPARE_REGRESSION || entry->why == COMPARE_FIRST_SEEN ||
            compare_is_new_and_wrong(entry));
}

void compare_waivers_write(const struct compare_entry *entries, size_t count,
                           const struct compare_policy *policy, struct text *out)
{
    const char **names = lit_alloc(count + 1, sizeof *names);
    size_t written = 0;
    for (size_t i = 0; i < count; i++)
        if (wants_waiver(&entries[i], policy))
            names[written++] = compare_entry_result(&entries[i])->name;
    if (written > 0)
        qsort(names, written, sizeof *names, compare_names);
    for (size_t i = 0; i < written; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            text_printf(out, "%s " COMPARE_URL_PLACEHOLDER "\n", names[i]);
    free(names);
}
