// SPDX-License-Identifier: Apache-2.0
// Prints the tables at the end of a run.
#include "report/code.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/report.h"
#include "report/sections.h"

#define MOST_FAILURES 12 // blocks to list for a device, unless all are asked for
#define MOST_LOG      3  // lines of the kernel log

struct printer {
    const struct report_model *model;
    const struct report_code *code;
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
    OWNED(text_free) struct text line = {0};
    char place[48];
    // Some drivers repeat themselves in several strings.
    text_printf(&line, "%s · driver %s", facts->name, facts->driver_version);
    if (facts->driver_name[0])
        text_printf(&line, " (%s)", facts->driver_name);
    text_printf(&line, " · Vulkan %s · subgroups of %u", API(facts->api), facts->subgroup);
    snprintf(place, sizeof(place), "device %zu of %zu", p->device + 1, p->model->device_count);
    table_heading(p->out, p->info->color, line.data, place);
    const char *checker = p->model->devices[p->device].checker;
    if (strcmp(checker, "device") != 0)
        text_printf(p->out, "  checked on the %s\n", checker);
}

static void print_verdict(const struct printer *p)
{
    OWNED(text_free) struct text verdict = {0}, lines = {0};
    enum tone tone = TONE_GOOD;
    REPORT_EACH (result, p->model, p->device) {
        const enum tone its = report_tone(result);
        tone = its == TONE_BAD || (its == TONE_WARN && tone == TONE_GOOD) ? its : tone;
    }
    report_verdict(p->model, p->device, &verdict);
    text_paragraph(&lines, "  ", verdict.data);
    lines.data[--lines.length] = '\0';
    tone_put(p->out, p->info->color, tone, lines.data);
    text_puts(p->out, "\n");
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

static void print_barriers(const struct printer *p)
{
    struct table table = {0};
    report_barriers(p->model, p->device, is_all(p), &table);
    if (!table_fit(&table)) {
        report_barriers_narrow(&table);
        table_fit(&table);
    }
    print_table(p, &table);
}

// Rates under stress come from a disturbed device: do not read them like the others.
static void print_stress(const struct printer *p)
{
    uint64_t all = 0, under = 0;
    REPORT_EACH (result, p->model, p->device) {
        all += result->runs > 0;
        under += result->runs > 0 && result->stress[0];
    }
    if (under > 0)
        text_printf(p->out,
                    "\n  %s of %s configurations ran under stress: their rates are not "
                    "those of an idle device\n",
                    COUNT(under), COUNT(all));
}

// Prints lines, and breaks long ones.
static void print_lines(const struct printer *p, const char *before, const struct text *lines)
{
    for (const char *at = lines->length ? lines->data : ""; *at;) {
        OWNED(text_free) struct text line = {0};
        text_append(&line, at, strcspn(at, "\n"));
        text_paragraph(p->out, before, line.data);
        at += line.length;
        at += *at == '\n';
    }
}

// Prints the kernel's last lines; all of them if the user asked for more.
static void print_evidence(const struct printer *p, const struct result *result)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        const enum eng_evidence kind = (enum eng_evidence)i;
        OWNED(text_free) struct text lines = {0};
        if (!result->evidence[kind] || (!is_all(p) && kind != ENG_EVIDENCE_KERNEL))
            continue;
        if (is_all(p))
            text_printf(p->out, "    %s\n", report_evidence_title(kind));
        report_evidence_lines(&lines, result, kind, is_all(p) ? SIZE_MAX : MOST_LOG, "");
        print_lines(p, is_all(p) ? "      " : "    kernel: ", &lines);
    }
}

// Prints a block's members; only the first, unless all are asked for.
static void print_members(const struct printer *p, const struct report_block *block)
{
    static const struct table_column heads[] = {
        {0}, {.kind = TABLE_NUMBER}, {.kind = TABLE_RATE}, {.kind = TABLE_CODE}};
    OWNED(table_clear) struct table table = {TABLE_OF(heads)};
    for (size_t i = 0; i < block->count && is_all(p) && block->count > 1; i++) {
        const struct result *result = block->members[i];
        table_row(&table);
        table_cells(&table, "  %s\t%s\t%s\t%s", result->id, COUNT(result->failed_runs),
                    INTERVAL(result), result->label);
    }
    table_terminal(&table, p->info->color, p->out);
    const struct result *first = block->members[0];
    text_printf(p->out, "    %s%s  ", block->count > 1 ? "for example " : "", first->id);
    table_broken(p->out, false, TONE_PLAIN, first->label, block->count > 1 ? 26 : 14);
    text_puts(p->out, "\n");
}

static void print_block(const struct printer *p, const struct report_block *block)
{
    const struct result *first = block->members[0];
    OWNED(text_free) struct text line = {0}, story = {0};
    text_puts(p->out, "  ");
    tone_put(p->out, p->info->color, report_tone(first), first->test);
    text_puts(p->out, "\n");
    text_printf(&line, "%s%s%s", block->where, block->where[0] ? ": " : "", block->says);
    text_paragraph(p->out, "    ", line.data);
    print_members(p, block);
    format_story(&story, first, "");
    print_lines(p, "      ", &story);
    print_evidence(p, first);
    text_paragraph(p->out, "    passes with ", block->passes);
    text_paragraph(p->out, "    ", block->elsewhere);
    text_paragraph(p->out, "    ", block->since);
    if (block->cause[0]) {
        OWNED(text_free) struct text cause = {0};
        text_printf(&cause, "probable cause: %s", block->cause);
        text_paragraph(p->out, "    ", cause.data);
    }
    if (block->finding)
        text_printf(p->out, "    known: %s\n", block->finding->path);
    else if (block->cause[0])
        text_puts(p->out, "    new: no finding has this cause\n");
    text_printf(p->out, "    reproduce: %s\n", block->again); // one line, to be copied
}

static void print_blocks(const struct printer *p, const char *title,
                         bool (*which)(const struct result *result))
{
    struct report_block *list;
    const size_t count = report_blocks(p->code, p->device, which, &list);
    const size_t most = is_all(p) || count <= MOST_FAILURES ? count : MOST_FAILURES;
    if (count > 0)
        text_printf(p->out, "\n  %s\n", title);
    for (size_t i = 0; i < most; i++)
        print_block(p, &list[i]);
    if (most < count)
        text_printf(p->out, "  and %s more: litmus report\n", COUNT(count - most));
    report_blocks_free(list, count);
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
    OWNED(text_free) struct text made = {0};
    struct printer p = {.model = model, .info = info, .out = &made};
    const char *shard = SHARD(&model->session);
    OWNED(report_code_clear) struct report_code code = report_code_load(model, NULL);
    p.code = &code;
    for (p.device = 0; p.device < model->device_count; p.device++) {
        const bool quiet = info->verbosity < 0;
        if (p.device > 0 && !quiet)
            text_puts(&made, "\n\n");
        if (model->device_count > 1)
            print_device(&p);
        if (!quiet)
            print_verdict(&p);
        if (is_all(&p))
            print_section(&p, report_every);
        if (!quiet) {
            if (shard[0])
                text_printf(&made, "\n  only %s\n", shard);
            print_stress(&p);
            print_section(&p, report_key_results);
            struct table families = {0};
            report_family_counts(model, p.device, is_all(&p), &families);
            report_controls(model, p.device, is_all(&p), &families);
            print_table(&p, &families);
            print_section(&p, report_rule_outcomes);
            print_barriers(&p);
            print_section(&p, report_final_states);
            print_section(&p, report_divergence);
            print_section(&p, report_waits);
        }
        print_blocks(&p, "Failures", report_failed);
        print_blocks(&p, "Incomplete", report_unfinished_only);
        struct table shared = {0};
        if (is_all(&p))
            report_code_shared(&code, p.device, &shared);
        print_table(&p, &shared);
        if (!quiet)
            print_section(&p, report_skipped);
    }
    if (made.length > 0) {
        text_puts(&made, "\n");
        if (!info->utf8)
            report_make_ascii(&made);
        text_append(out, made.data, made.length);
    }
}

bool report_terminal(struct store *store, int64_t session, const struct report_terminal_info *info,
                     struct text *out, struct lit_error *error)
{
    OWNED(report_model_clear) struct report_model model = {0};
    bool good = report_model_load(store, session, &model, error);
    if (good)
        report_tables(&model, info, out);
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
