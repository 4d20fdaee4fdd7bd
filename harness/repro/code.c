// SPDX-License-Identifier: Apache-2.0
// What the driver compiled the shader to: its code for a disassembler, as lines, and beside the
// code of a variant that did not fail.

#include "report/format.h"
#include "repro/repro.h"

#define CACHE_HEADER 32 // size of every pipeline cache's header; a cache of this size is empty

// Driver output that no text shows: machine code, or else a blob.
static const struct isa_piece *blob_of(const struct isa_code *code)
{
    static const enum isa_source sources[] = {ISA_MACHINE, ISA_BINARY, ISA_CACHE, ISA_BYTES};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const struct isa_piece *piece = isa_find(code, sources[i]);
        if (piece && (sources[i] != ISA_CACHE || piece->size > CACHE_HEADER))
            return piece;
    }
    return NULL;
}

// Names the twin by the values in which it differs.
static void put_twin_name(const struct repro *repro, struct text *out)
{
    if (report_differences(repro->result, repro->twin_result, out) == 0)
        text_puts(out, repro->twin_result->name);
}

static void mark(const struct repro *repro, struct report_marks *marks)
{
    report_marks_make(repro->code, repro->head->name,
                      repro->result && repro->result->failed_runs > 0, marks);
}

static void add_listing(const struct repro *repro, struct text *out)
{
    OWNED(report_marks_clear) struct report_marks marks = {0};
    mark(repro, &marks);
    text_printf(out, "%s\n%s, by %s\n\n", repro->code->name, repro->code->piece->name,
                repro->code->listing.by);
    text_paragraph(out, "", marks.words.data);
    if (marks.count)
        text_puts(out, "The mark is >.\n");
    if (isa_risks(repro->code))
        text_puts(out, "! marks a divergent cross-lane read, or an instruction with a wrong guard "
                       "predicate.\n");
    text_puts(out, "\n");
    report_code_listing(repro->code, &marks, SIZE_MAX, out);
}

void repro_code(const struct repro *repro, struct repro_bundle *bundle)
{
    const struct isa_entry *entry = repro->code;
    if (!entry)
        return;
    const struct isa_piece *blob = blob_of(&entry->code);
    if (entry->listing.count)
        add_listing(repro, repro_add(bundle, "code.txt"));
    if (blob)
        text_append(repro_add(bundle, "code.bin"), blob->bytes, blob->size);
    if (entry->code.statistic_count) {
        struct text *lines = repro_add(bundle, "code-statistics.txt");
        for (size_t i = 0; i < entry->code.statistic_count; i++)
            text_printf(lines, "%s: %s (%s)\n", entry->code.statistics[i].name,
                        entry->code.statistics[i].value, entry->code.statistics[i].about);
    }
    if (repro->twin && entry->listing.count) {
        OWNED(text_free) struct text lines = {0};
        report_code_difference(&repro->twin->listing, repro->twin->name, &entry->listing,
                               entry->name, SIZE_MAX, &lines);
        if (lines.length)
            text_append(repro_add(bundle, "code-difference.txt"), lines.data, lines.length);
    }
}

// --- README.md

static void put_blob(const struct isa_piece *blob, struct text *out)
{
    if (blob->source == ISA_MACHINE && blob->architecture) {
        text_printf(out,
                    "`code.bin` is machine code for sm_%" PRIu32
                    " and nothing else; NVIDIA's disassembler reads it:\n\n"
                    "    nvdisasm -b SM%" PRIu32 " code.bin\n\n",
                    blob->architecture, blob->architecture);
        return;
    }
    repro_printf(out,
                 "`code.bin` is a %s of the driver (%s), whose format is the driver's own.\n\n",
                 isa_source_name(blob->source), blob->name);
}

static void put_twin(const struct repro *repro, struct text *out)
{
    const struct isa_entry *own = repro->code, *twin = repro->twin;
    OWNED(text_free) struct text name = {0}, words = {0};
    if (!twin || own->listing.count == 0)
        return;
    put_twin_name(repro, &name);
    repro_printf(&words, "The nearest passing variant is %s (0 of %s runs). ", name.data,
                 COUNT(repro->twin_result->judged));
    switch (isa_compare(&twin->listing, twin->piece, &own->listing, own->piece)) {
    case ISA_SAME:
        text_puts(&words, "Its code is identical: the difference is not in the code.");
        break;
    case ISA_SAME_TEXT:
        text_puts(&words, "Its instructions are the same; scheduling or branch targets differ.");
        break;
    default:
        text_puts(&words, "`code-difference.txt` has what differs.");
    }
    text_paragraph(out, "", words.data);
    text_puts(out, "\n");
}

static void put_summary(const struct repro *repro, struct text *out)
{
    OWNED(text_free) struct text cost = {0}, words = {0};
    OWNED(report_marks_clear) struct report_marks marks = {0};
    mark(repro, &marks);
    report_code_cost(repro->code, &cost);
    if (cost.length)
        repro_printf(&words, "It takes %s. ", cost.data);
    if (repro->code->listing.count)
        text_printf(&words, "`code.txt` has it as lines. %s",
                    marks.words.data ? marks.words.data : "");
    text_paragraph(out, "", words.data);
    text_puts(out, words.length ? "\n" : "");
}

static void put_cause(const struct repro *repro, struct text *out)
{
    const struct isa_entry *entry = repro->code;
    const size_t cause = isa_cause(entry);
    OWNED(text_free) struct text words = {0}, line = {0};
    if (!repro->result || !repro->result->failed_runs || cause == entry->lint.count)
        return;
    text_puts(&words, "Probable cause: ");
    lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[cause], &words);
    repro_escape(&line, words.data);
    text_paragraph(out, "", line.data);
    text_puts(out, "\n");
}

static void put_risks(const struct isa_entry *entry, struct text *out)
{
    const size_t count = isa_risks(entry);
    for (size_t i = 0; i < count; i++) {
        struct text words = {0}, line = {0};
        report_code_risk(entry, i, &words);
        repro_escape(&line, words.data ? words.data : "");
        text_puts(out, i ? "" : "Lint findings:\n\n");
        text_paragraph(out, "- ", line.data);
        text_free(&words);
        text_free(&line);
    }
    text_puts(out, count ? "\n" : "");
}

void repro_code_readme(const struct repro *repro, struct text *out)
{
    const struct isa_entry *entry = repro->code;
    const struct isa_piece *blob = entry ? blob_of(&entry->code) : NULL;
    for (size_t i = 0; repro->kept && i < repro->kept->count; i++)
        if (strcmp(repro->kept->files[i].name, "code.txt") == 0)
            text_puts(out, "## Compiled code\n\n`code.txt` has the code that was measured.\n\n");
    if (repro->kept)
        return;
    text_puts(out, "## Compiled code\n\n");
    if (!entry || (!entry->piece && !blob)) {
        const char *why = entry && entry->why ? entry->why : repro->no_code;
        repro_printf(out, "There is no code: %s.\n\n", why ? why : "it was not requested");
        return;
    }
    put_summary(repro, out);
    put_cause(repro, out);
    put_risks(entry, out);
    if (blob)
        put_blob(blob, out);
    put_twin(repro, out);
}
