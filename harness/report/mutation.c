// SPDX-License-Identifier: Apache-2.0
// Counts controls.
#include "report/mutation.h"

#include "report/markdown.h"

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

// "lookback (0 of 2), memory (0 of 3): what that means"; nothing if there is no such family.
static void put_gentle(const struct report_mutation *mutation, struct text *out)
{
    bool some = false;
    char run[32];
    for (size_t i = 0; i < mutation->family_count; i++) {
        const struct report_mutation_family *family = &mutation->families[i];
        if (!report_mutation_gentle(family))
            continue;
        text_printf(out, "%s%s (0 of %s)", some ? ", " : "", family->name,
                    text_count(run, family->run));
        some = true;
    }
    if (some)
        text_puts(out, ": what their other tests did not show here says little; "
                       "litmus tune --controls looks for stress that shows more");
}

void report_mutation_sentences(const struct report_mutation *mutation, struct text *out)
{
    struct text gentle = {0};
    char seen[32], run[32];
    if (mutation->run == 0)
        return;
    text_printf(out, "Controls: the failing outcome was seen in %s of %s (mutation score %.2f).",
                text_count(seen, mutation->seen), text_count(run, mutation->run), mutation->score);
    put_gentle(mutation, &gentle);
    if (gentle.length)
        text_printf(out, " The harness was too gentle for %s.", gentle.data);
    text_free(&gentle);
}

void report_mutation_markdown(const struct report_model *model, size_t device, struct text *out)
{
    struct report_mutation mutation;
    struct text sentences = {0};
    report_mutation_score(model, device, &mutation);
    report_mutation_sentences(&mutation, &sentences);
    if (sentences.length) {
        markdown_escape(out, sentences.data);
        text_puts(out, "\n\n");
    }
    text_free(&sentences);
    report_mutation_clear(&mutation);
}

static json_t *make_families(const struct report_mutation *mutation)
{
    json_t *all = json_array();
    for (size_t i = 0; i < mutation->family_count; i++) {
        const struct report_mutation_family *family = &mutation->families[i];
        json_t *json = json_object();
        json_object_set_new(json, "family", json_string(family->name));
        json_object_set_new(json, "controls", json_integer((json_int_t)family->run));
        json_object_set_new(json, "seen", json_integer((json_int_t)family->seen));
        json_object_set_new(json, "too_gentle", json_boolean(report_mutation_gentle(family)));
        json_array_append_new(all, json);
    }
    return all;
}

json_t *report_mutation_json(const struct report_model *model)
{
    json_t *all = json_array();
    for (size_t device = 0; device < model->device_count; device++) {
        struct report_mutation mutation;
        report_mutation_score(model, device, &mutation);
        if (mutation.run > 0) {
            json_t *json = json_object(), *unseen = json_array();
            for (size_t i = 0; i < mutation.unseen_count; i++)
                json_array_append_new(unseen, json_string(model->results[mutation.unseen[i]].name));
            json_object_set_new(json, "device", json_string(model->devices[device].id));
            json_object_set_new(json, "controls", json_integer((json_int_t)mutation.run));
            json_object_set_new(json, "seen", json_integer((json_int_t)mutation.seen));
            json_object_set_new(json, "score", json_real(mutation.score));
            json_object_set_new(json, "families", make_families(&mutation));
            json_object_set_new(json, "unseen", unseen);
            json_array_append_new(all, json);
        }
        report_mutation_clear(&mutation);
    }
    return all;
}

void report_mutation_terminal(const struct report_model *model, size_t device, size_t most,
                              struct text *out)
{
    struct report_mutation mutation;
    struct text gentle = {0};
    char seen[32], run[32];
    report_mutation_score(model, device, &mutation);
    if (mutation.run > 0) {
        text_printf(out,
                    "  controls: the failing outcome was seen in %s of %s (mutation score %.2f)\n",
                    text_count(seen, mutation.seen), text_count(run, mutation.run), mutation.score);
        put_gentle(&mutation, &gentle);
        text_paragraph(out, "    too gentle for ", gentle.data);
        text_free(&gentle);
    }
    for (size_t i = 0; i < mutation.unseen_count && i < most; i++)
        text_printf(out, "    not seen: %s\n", model->results[mutation.unseen[i]].name);
    if (mutation.unseen_count > most)
        text_printf(out, "    not seen: %s more\n", text_count(run, mutation.unseen_count - most));
    report_mutation_clear(&mutation);
}
