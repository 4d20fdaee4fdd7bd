// SPDX-License-Identifier: Apache-2.0
// The tables that a run ends with.
#include "report/format.h"
#include "report/report.h"
#include "report/sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH         100 // columns of the device line
#define MOST_FAILURES 12  // listed for a device, unless all are asked for
#define MOST_LOG      3   // lines of the kernel

struct printer {
    const struct report_model *model;
    const struct report_terminal_info *info;
    struct text *out;
    size_t device;
};

static bool is_all(const struct printer *p)
{
    return p->info->verbosity > 0;
}

static void print_device(const struct printer *p)
{
    const struct dev_facts *facts = &p->model->devices[p->device].facts;
    struct text line = {0};
    char place[48];
    // Drivers like to say the same in several strings.
    text_printf(&line, "%s · driver %s", facts->name, facts->driver_version);
    if (facts->driver_name[0])
        text_printf(&line, " (%s)", facts->driver_name);
    text_printf(&line, " · Vulkan %s · subgroups of %u", API(facts->api), facts->subgroup);
    snprintf(place, sizeof(place), "device %zu of %zu", p->device + 1, p->model->device_count);
    tone_put(p->out, p->info->color, TONE_STRONG, line.data);
    size_t used = table_text_width(line.data) + strlen(place);
    text_printf(p->out, "%*s%s\n", used + 2 <= WIDTH ? (int)(WIDTH - used) : 2, "", place);
    text_free(&line);
    const char *checker = p->model->devices[p->device].checker;
    if (strcmp(checker, "device") != 0)
        text_printf(p->out, "  checked on the %s\n", checker);
}

static void print_table(const struct printer *p, struct table *table)
{
    if (table->count || table->note_count)
        text_puts(p->out, "\n");
    table_terminal(table, p->info->color, p->out);
    table_clear(table);
}

static void print_section(const struct printer *p, report_section *make)
{
    struct table table = {0};
    make(p->model, p->device, is_all(p), &table);
    print_table(p, &table);
}

static void print_families(const struct printer *p)
{
    struct table table = {0};
    report_family_counts(p->model, p->device, is_all(p), &table);
    report_controls(p->model, p->device, is_all(p), &table);
    print_table(p, &table);
}

static void print_barriers(const struct printer *p)
{
    struct table table = {0};
    report_barriers(p->model, p->device, is_all(p), &table);
    if (!table_fit(&table)) {
        table_clear(&table);
        report_barriers_narrow(p->model, p->device, is_all(p), &table);
        table_fit(&table);
    }
    print_table(p, &table);
}

// Rates under stress are those of a disturbed device: not to be read as the others.
static void print_stress(const struct printer *p)
{
    uint64_t all = 0, under = 0;
    for (size_t i = 0; i < p->model->result_count; i++) {
        const struct report_result *result = &p->model->results[i];
        all += result->device == p->device && result->runs > 0;
        under += result->device == p->device && result->runs > 0 && result->stress[0];
    }
    if (under > 0)
        text_printf(p->out,
                    "\n  %s of %s configurations ran under stress: their rates are not "
                    "those of an idle device\n",
                    COUNT(under), COUNT(all));
}

// The kernel's last lines; all that there is if more was asked for.
static void print_evidence(const struct printer *p, const struct report_result *result)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        const enum eng_evidence kind = (enum eng_evidence)i;
        if (!result->evidence[kind] || (!is_all(p) && kind != ENG_EVIDENCE_KERNEL))
            continue;
        if (is_all(p))
            text_printf(p->out, "    %s\n", report_evidence_title(kind));
        report_evidence_lines(p->out, result, kind, is_all(p) ? SIZE_MAX : MOST_LOG,
                              is_all(p) ? "      " : "    kernel: ");
    }
}

static void print_results(const struct printer *p, const char *title,
                          bool (*which)(const struct report_result *result))
{
    const struct report_result **list;
    const size_t count = report_select(p->model, p->device, which, &list);
    const size_t most = is_all(p) || count <= MOST_FAILURES ? count : MOST_FAILURES;
    if (count > 0)
        text_printf(p->out, "\n  %s\n", title);
    for (size_t i = 0; i < most; i++) {
        const struct report_result *result = list[i];
        text_puts(p->out, "  ");
        tone_put(p->out, p->info->color, report_tone(result), result->name);
        text_puts(p->out, "\n");
        format_story(p->out, result, "    ");
        print_evidence(p, result);
        text_puts(p->out, "    reproduce: ");
        format_again(p->out, p->model, result);
        text_puts(p->out, "\n");
    }
    if (most < count)
        text_printf(p->out, "  and %s more: litmus report\n", COUNT(count - most));
    free(list);
}

void report_make_ascii(struct text *text)
{
    size_t to = 0;
    for (size_t from = 0; from < text->length; from++) {
        unsigned char byte = (unsigned char)text->data[from];
        if (byte < 0x80) {
            text->data[to++] = (char)byte;
        } else if ((byte & 0xc0) == 0xc0) {
            bool dot = byte == 0xc2 && (unsigned char)text->data[from + 1] == 0xb7;
            text->data[to++] = dot ? '-' : '?';
        }
    }
    text->length = to;
    if (text->data)
        text->data[to] = '\0';
}

void report_tables(const struct report_model *model, const struct report_terminal_info *info,
                   struct text *out)
{
    struct text made = {0};
    struct printer p = {.model = model, .info = info, .out = &made};
    const char *shard = SHARD(&model->session);
    for (p.device = 0; p.device < model->device_count; p.device++) {
        const bool quiet = info->verbosity < 0;
        if (p.device > 0 && !quiet)
            text_puts(&made, "\n\n");
        if (model->device_count > 1)
            print_device(&p);
        if (is_all(&p))
            print_section(&p, report_every);
        if (!quiet) {
            if (shard[0])
                text_printf(&made, "\n  only %s\n", shard);
            print_stress(&p);
            print_section(&p, report_key_results);
            print_families(&p);
            print_section(&p, report_rule_outcomes);
            print_barriers(&p);
            print_section(&p, report_divergence);
            print_section(&p, report_waits);
        }
        print_results(&p, "Failures", report_failed);
        print_results(&p, "Incomplete", report_unfinished_only);
        if (!quiet)
            print_section(&p, report_skipped);
    }
    if (made.length > 0) {
        text_puts(&made, "\n");
        if (!info->utf8)
            report_make_ascii(&made);
        text_append(out, made.data, made.length);
    }
    text_free(&made);
}

bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    if (good)
        report_tables(&model, info, out);
    report_model_clear(&model);
    return good;
}

void report_text(const struct report_model *model, struct text *out)
{
    const struct report_terminal_info info = {.utf8 = true, .verbosity = 1};
    report_tables(model, &info, out);
}

// ---- every form

#define FORMAT(name, suffix, function, about) {#name, suffix, about, function},
const struct report_format report_formats[REPORT_FORMS] = {REPORT_STREAMS(FORMAT)
                                                               REPORT_FILES(FORMAT)};

bool report_stored(report_function *write, struct store *store, int64_t session, struct text *out,
                   struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    if (good)
        write(&model, out);
    report_model_clear(&model);
    return good;
}
