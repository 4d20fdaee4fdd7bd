// SPDX-License-Identifier: Apache-2.0
// Counts controls.
#include "report/mutation.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct report_mutation_family *)a)->name,
                  ((const struct report_mutation_family *)b)->name);
}

static struct report_mutation_family *family_of(struct report_mutation *mutation, const char *name)
{
    for (size_t i = 0; i < mutation->family_count; i++)
        if (strcmp(mutation->families[i].name, name) == 0)
            return &mutation->families[i];
    mutation->families =
        lit_realloc(mutation->families, mutation->family_count + 1, sizeof *mutation->families);
    struct report_mutation_family *family = &mutation->families[mutation->family_count++];
    *family = (struct report_mutation_family){.name = name};
    return family;
}

void report_mutation_score(const struct report_model *model, size_t device,
                           struct report_mutation *mutation)
{
    *mutation = (struct report_mutation){.unseen = lit_alloc(model->result_count, sizeof(size_t))};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct report_result *result = &model->results[i];
        if (result->device != device || !report_is_control(result))
            continue;
        struct report_mutation_family *family = family_of(mutation, result->family);
        const bool seen = report_control_seen(result);
        mutation->run++;
        mutation->seen += seen;
        family->run++;
        family->seen += seen;
        if (!seen)
            mutation->unseen[mutation->unseen_count++] = i;
    }
    if (mutation->run)
        mutation->score = (double)mutation->seen / (double)mutation->run;
    if (mutation->family_count)
        qsort(mutation->families, mutation->family_count, sizeof *mutation->families, by_name);
}

void report_mutation_clear(struct report_mutation *mutation)
{
    free(mutation->unseen);
    free(mutation->families);
    *mutation = (struct report_mutation){0};
}

bool report_mutation_gentle(const struct report_mutation_family *family)
{
    return family->run > 0 && family->seen == 0;
}

static void print_gentle(const struct report_mutation *mutation, struct text *out)
{
    struct text list = {0};
    char run[32];
    for (size_t i = 0; i < mutation->family_count; i++) {
        const struct report_mutation_family *family = &mutation->families[i];
        if (report_mutation_gentle(family))
            text_printf(&list, "%s%s (0 of %s)", list.length ? ", " : "", family->name,
                        text_count(run, family->run));
    }
    if (list.length) {
        text_puts(&list, ": what their other tests did not show here says little; "
                         "litmus tune --controls looks for stress that shows more");
        text_paragraph(out, "    too gentle for ", list.data);
    }
    text_free(&list);
}

void report_mutation_terminal(const struct report_model *model, size_t device, size_t most,
                              struct text *out)
{
    struct report_mutation mutation;
    char seen[32], run[32];
    report_mutation_score(model, device, &mutation);
    if (mutation.run > 0) {
        text_printf(out,
                    "  controls: the failing outcome was seen in %s of %s (mutation score %.2f)\n",
                    text_count(seen, mutation.seen), text_count(run, mutation.run), mutation.score);
        print_gentle(&mutation, out);
    }
    for (size_t i = 0; i < mutation.unseen_count && i < most; i++)
        text_printf(out, "    not seen: %s\n", model->results[mutation.unseen[i]].name);
    if (mutation.unseen_count > most)
        text_printf(out, "    not seen: %s more\n", text_count(run, mutation.unseen_count - most));
    report_mutation_clear(&mutation);
}
