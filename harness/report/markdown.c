// SPDX-License-Identifier: Apache-2.0
// Markdown for a ticket: a sentence, a table, and everything else folded. Cuts at whole rows so
// that it fits into a comment of the usual trackers (64 KB), and says how much it left out.
#include "report/markdown.h"

#include "report/known.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <strings.h>

#define MARKDOWN_MOST                                                                              \
    62000 // bytes: a comment of the usual trackers holds 64 KB, and a line is left
#define MOST_OF_A_TEXT 2000

// How much of a string to write: whole UTF-8 characters.
static size_t clipped(const char *string)
{
    size_t length = strnlen(string, MOST_OF_A_TEXT + 1);
    if (length <= MOST_OF_A_TEXT)
        return length;
    length = MOST_OF_A_TEXT;
    while (length > 0 && ((unsigned char)string[length] & 0xc0) == 0x80)
        length--;
    return length;
}

void markdown_escape(struct text *out, const char *string)
{
    size_t length = clipped(string);
    for (size_t i = 0; i < length; i++) {
        const char *at = &string[i];
        bool in_word = i > 0 && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
        // Trackers turn addresses into links.
        bool links = (*at == ':' && at[1] == '/') ||
                     (*at == '.' && i >= 3 && strncasecmp(at - 3, "www", 3) == 0);
        if (strchr("\\`*{}[]<>#|!~@&$", *at) || (*at == '_' && !in_word) || links)
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, (unsigned char)*at < ' ' ? " " : at, 1);
    }
    text_puts(out, string[length] ? "..." : "");
}

void markdown_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(out, markdown_escape, format, &arguments);
    va_end(arguments);
}

void markdown_code(struct text *out, const char *string)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "./@=,:+-_";
    if (string[0] && string[strspn(string, safe)] == '\0' && strlen(string) <= MOST_OF_A_TEXT) {
        text_printf(out, "`%s`", string);
        return;
    }
    markdown_printf(out, "<code>%s</code>", string);
}

static void put_command(struct text *out, const char *line)
{
    size_t length = clipped(line);
    text_puts(out, "    ");
    for (size_t i = 0; i < length; i++)
        text_append(out, (unsigned char)line[i] < ' ' ? " " : &line[i], 1);
    text_puts(out, line[length] ? "...\n\n" : "\n\n");
}

static void put_again(struct text *out, const struct report_model *model,
                      const struct result *result)
{
    OWNED(text_free) struct text again = {0};
    format_again(&again, model, result);
    put_command(out, again.data);
}

void markdown_fence(struct text *out, const char *language, const char *lines)
{
    size_t longest = 2, run = 0;
    for (const char *at = lines; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_printf(out, "%s\n%s%s", language, lines,
                lines[0] && lines[strlen(lines) - 1] == '\n' ? "" : "\n");
    for (size_t i = 0; i <= longest; i++)
        text_puts(out, "`");
    text_puts(out, "\n\n");
}

static void put_cell(struct text *out, const struct table_column *column,
                     const struct table_cell *cell)
{
    const char *frame = cell->tone == TONE_STRONG ? "**" : "";
    text_printf(out, " %s", frame);
    if (column->kind == TABLE_CODE)
        markdown_code(out, cell->text);
    else
        markdown_escape(out, cell->text);
    text_printf(out, "%s |", frame);
}

static void put_heading(struct text *out, const struct table *table)
{
    for (int line = 0; line < 2; line++) {
        text_puts(out, "|");
        for (size_t c = 0; c < table->column_count; c++) {
            const struct table_column *column = &table->columns[c];
            if (!table_has(table, c, TABLE_NOT_MARKDOWN))
                continue;
            if (line == 0)
                text_printf(out, " %s%s|", column->title, column->title[0] ? " " : "");
            else
                text_puts(out, column->kind == TABLE_NUMBER ? " ---: |" : " --- |");
        }
        text_puts(out, "\n");
    }
}

void table_markdown(const struct table *table, size_t limit, struct text *out)
{
    size_t done = 0;
    if (table->count)
        put_heading(out, table);
    for (; done < table->count && out->length < limit; done++) {
        const struct table_row *row = &table->rows[done];
        text_puts(out, "|");
        for (size_t c = 0; c < table->column_count; c++)
            if (table_has(table, c, TABLE_NOT_MARKDOWN))
                put_cell(out, &table->columns[c], &row->cells[c]);
        text_puts(out, "\n");
    }
    text_puts(out, table->count ? "\n" : "");
    if (done < table->count)
        text_printf(out,
                    "*%s more, left out because a bug report holds 64 KB. The JSON report has "
                    "all.*\n\n",
                    COUNT(table->count - done));
    for (size_t i = 0; i < table->note_count; i++) {
        markdown_printf(out, "%s\n\n", table->notes[i]);
    }
}

enum { FOLD = 1, ALL = 2, BARE = 4 }; // bare: without notes

// A section's table; nothing if it is empty.
static void put_section(const struct report_model *model, size_t device, report_section *make,
                        unsigned how, size_t limit, struct text *out)
{
    OWNED(table_clear) struct table table = {0};
    make(model, device, how & ALL, &table);
    if (how & BARE)
        table_drop_notes(&table);
    if (table.count || table.note_count) {
        if (how & FOLD)
            markdown_fold(out, table.title);
        table_markdown(&table, limit, out);
        if (how & FOLD)
            markdown_unfold(out);
    }
}

static void put_result(struct text *out, const struct result *result, size_t most_places)
{
    OWNED(table_clear) struct table table = {0};
    report_histogram(result, &table);
    table_markdown(&table, SIZE_MAX, out);
    table_clear(&table);
    table = (struct table){0};
    report_places(result, most_places, &table);
    table_markdown(&table, SIZE_MAX, out);
}

void markdown_fold(struct text *out, const char *title)
{
    markdown_printf(out, "<details><summary>%s</summary>\n\n", title);
}

void markdown_unfold(struct text *out)
{
    text_puts(out, "</details>\n\n");
}

static void put_remarks(struct text *out, const struct result *result)
{
    if (result->stress[0]) {
        text_puts(out, "Measured under stress: ");
        markdown_code(out, result->stress);
        text_puts(out, ".\n\n");
    }
    if (result->rule[0]) {
        text_puts(out, "Stopping rule: ");
        markdown_code(out, result->rule);
        text_puts(out, "; the interval is a confidence sequence, which allows for that.\n\n");
    }
    if (report_is_overdispersed(result))
        text_printf(
            out,
            "Failures are overdispersed: they vary between batches of runs by more than chance can "
            "explain (p %.2g), and the interval is too narrow by a factor of about %.1f.\n\n",
            result->spread.p, sqrt(result->spread.factor));
}

static void put_verdict(struct text *out, const struct report_model *model, size_t device)
{
    OWNED(text_free) struct text verdict = {0};
    report_verdict(model, device, &verdict);
    markdown_printf(out, "**%s.**\n\n", verdict.data);
}

static void put_block(struct text *out, const struct report_block *block)
{
    const struct result *first = block->members[0];
    text_puts(out, "**");
    markdown_code(out, first->test);
    text_printf(out, "** (%s): ", cat_expectation_name(first->expectation));
    if (block->where[0]) {
        markdown_code(out, block->where);
        text_puts(out, ": ");
    }
    markdown_printf(out, "%s.", block->says);
    if (block->passes[0]) {
        text_puts(out, " Passes with ");
        markdown_code(out, block->passes);
        text_puts(out, ".");
    }
    if (block->elsewhere[0])
        markdown_printf(out, " Elsewhere: %s.", block->elsewhere);
    if (block->since[0])
        markdown_printf(out, " History: %s.", block->since);
    if (block->cause[0])
        markdown_printf(out, " Cause: %s.", block->cause);
    if (block->finding)
        markdown_printf(out, " Known: %s (%s).", block->finding->title, block->finding->path);
    text_puts(out, "\n\n");
    put_command(out, block->again);
}

static void put_members(struct text *out, const struct report_block *block, size_t limit)
{
    static const struct table_column heads[] = {CODE("id"),    CODE("configuration"),
                                                COL("result"), NUM("failed"),
                                                NUM("of"),     COL("rate, 95 % interval")};
    OWNED(table_clear) struct table table = {TABLE_OF(heads)};
    for (size_t i = 0; i < block->count; i++) {
        const struct result *result = block->members[i];
        table_row(&table);
        table_cells(&table, "%s\t%s\t%s\t%s\t%s\t%s", result->id, result->label,
                    eng_result_name(result->result), COUNT(result->failed_runs),
                    COUNT(result->runs), INTERVAL(result));
    }
    table_markdown(&table, limit, out);
}

// ---- the ticket on one configuration

#define MOST_PAIRED   8
#define TICKET_PLACES 3
#define EXCERPT       20   // lines of the test's text
#define MOST_ABOVE    12   // lines before the operation in question
#define EVIDENCE      40   // lines
#define ROOM_TO_FOLD  6000 // bytes that a part needs at most

struct ticket {
    const struct report_model *model;
    const struct result *result;
    struct text *out;
    bool known;               // this program has the configuration
    struct report_case which; // if known
};

static const char *const meanings[] = {
    [CAT_FORBIDDEN] = "The specification forbids the failing outcome",
    [CAT_CONTESTED] = "The specification is silent or ambiguous about the failing outcome",
    [CAT_ASSUMED] =
        "The specification allows the failing outcome, but programs rely on its absence",
    [CAT_CONTROL] = "This is a positive control: its failing outcome is allowed or certain",
};

// What failed, on what, how often, and whether that is a bug.
static void print_sentence(const struct ticket *t)
{
    const struct result *result = t->result;
    const struct dev_facts *facts = &t->model->devices[result->device].facts;
    OWNED(text_free) struct text outcomes = {0};
    format_outcomes(&outcomes, result);
    markdown_code(t->out, result->name);
    if (result->failed_runs > 0)
        text_printf(t->out, " **failed in %s of %s runs** (%s, 95 %%)", COUNT(result->failed_runs),
                    COUNT(result->runs), INTERVAL(result));
    else if (result->judged > 0)
        text_printf(t->out, " **never failed in %s runs** (%s, 95 %%)", COUNT(result->judged),
                    INTERVAL(result));
    else
        text_printf(t->out, " **ended with %s**", eng_result_name(result->result));
    markdown_printf(t->out, " on %s, driver %s", facts->name, facts->driver_version);
    if (outcomes.data) {
        markdown_printf(t->out, ": %s", outcomes.data);
    }
    // The check's findings are above.
    const bool unsound = eng_is_unsound(result->name, result->expectation);
    text_printf(t->out, ". %s",
                unsound ? "Whatever a device does with it is right"
                        : meanings[result->expectation]);
    if (t->which.reason && t->which.reason[0] && !unsound)
        markdown_printf(t->out, ": %s", t->which.reason);
    text_puts(t->out, ".\n\n");
}

static void print_cause(const struct ticket *t, const struct report_code *code)
{
    OWNED(text_free) struct text words = {0};
    const struct lint_finding *cause =
        t->result->failed_runs > 0 ? report_code_cause(code, t->result, &words) : NULL;
    if (!cause)
        return;
    const struct report_signature *finding =
        report_finding_by(&t->model->devices[t->result->device].facts, lint_kind_name(cause->kind));
    markdown_printf(t->out, "Probable cause, in its machine code: %s.", words.data);
    if (finding)
        markdown_printf(t->out, " Known: %s (%s).", finding->title, finding->path);
    text_puts(t->out, "\n\n");
}

static void print_table(const struct ticket *t)
{
    static const struct table_column heads[] = {COL(""), COL("")};
    const struct result *result = t->result;
    OWNED(table_clear) struct table table = {TABLE_OF(heads)};
    OWNED(text_free) struct text first = {0};
    table_fact(&table, "result", "%s, %s, %s%s%s", eng_result_name(result->result),
               cat_expectation_name(result->expectation),
               report_observation(result->failed_runs, result->judged),
               result->reason[0] ? ": " : "", result->reason);
    if (result->failure_count > 0) {
        format_first(&first, result);
        table_fact(&table, "first failure", "%s%s", first.data,
                   result->first_run_failed ? "; the first run failed" : "");
    }
    report_device_facts(&t->model->devices[result->device].facts, &table);
    table_fact(&table, "litmus", "%s", t->model->session.version);
    table_markdown(&table, SIZE_MAX, t->out);
}

static void print_machine(const struct ticket *t)
{
    const struct result *result = t->result;
    OWNED(table_clear) struct table table = {0};
    report_machine(t->model, result->device, false, &table);
    table_fact(&table, "SPIR-V SHA-256", "%s", result->sha256[0] ? result->sha256 : "none");
    markdown_fold(t->out, table.title);
    table_markdown(&table, SIZE_MAX, t->out);
    markdown_unfold(t->out);
}

static void print_question(const struct ticket *t)
{
    const struct cat_head *head = t->which.head;
    markdown_fold(t->out, "Question, and what the specification says");
    markdown_printf(t->out, "%s\n\nA failure means: %s\n\n", head->asks, head->fails);
    for (size_t i = 0; i < head->spec_count; i++) {
        markdown_printf(t->out, "- %s\n", head->spec[i]);
    }
    markdown_printf(t->out, "\nOrigin: %s\n\n", head->origin);
    markdown_unfold(t->out);
}

static void print_outcomes(const struct ticket *t)
{
    if (t->result->instances == 0)
        return;
    text_printf(t->out, "Expected and observed, checked units over all runs%s%s:\n\n",
                t->known ? ", one for each " : "", t->known ? t->which.unit : "");
    put_result(t->out, t->result, TICKET_PLACES);
}

// For a crash, a hang or a lost device.
static void print_evidence(const struct ticket *t)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++) {
        const enum eng_evidence kind = (enum eng_evidence)i;
        OWNED(text_free) struct text lines = {0};
        report_evidence_lines(&lines, t->result, kind, EVIDENCE, "");
        if (lines.length > 0) {
            // If it does not fit, leave out the beginning.
            const size_t over = lines.length < ROOM_TO_FOLD ? 0 : lines.length - ROOM_TO_FOLD;
            const char *from = over ? strchr(lines.data + over, '\n') : lines.data;
            markdown_fold(t->out, report_evidence_title(kind));
            markdown_fence(t->out, "", from ? from + (over > 0) : lines.data + over);
            markdown_unfold(t->out);
        }
    }
}

// Paired variants: others of the same test

static void print_pairs(const struct ticket *t)
{
    static const struct table_column heads[] = {CODE("differs in"), NUM("runs"), NUM("failed"),
                                                COL("rate, 95 % interval"), COL("expectation")};
    OWNED(table_clear) struct table table = {TABLE_OF(heads)};
    OWNED(lit_free) struct report_variant *paired = NULL;
    size_t count = report_variants(t->model, t->result, &paired), cures = 0;
    if (count > 0) {
        markdown_fold(t->out, "Paired variants: the same test with other axis values, in this "
                              "session");
        for (size_t i = 0; i < count && i < MOST_PAIRED; i++) {
            const struct result *other = paired[i].result;
            OWNED(text_free) struct text names = {0};
            report_differences(t->result, other, &names);
            table_row(&table);
            table_cells(&table, "%s\t%s\t%s\t%s\t%s", names.data ? names.data : "nothing",
                        COUNT(other->runs), COUNT(other->failed_runs), INTERVAL(other),
                        cat_expectation_name(other->expectation));
        }
        if (count > MOST_PAIRED)
            table_note(&table, "and %s more", COUNT(count - MOST_PAIRED));
        table_markdown(&table, SIZE_MAX, t->out);
        for (size_t i = 0; i < count && t->result->failed_runs > 0; i++) {
            if (paired[i].differences > 1 || paired[i].result->failed_runs > 0 || cures == 4)
                continue;
            OWNED(text_free) struct text names = {0};
            report_differences(t->result, paired[i].result, &names);
            text_puts(t->out, cures++ ? ", "
                                      : "Changing one axis removes the failure, within "
                                        "these runs: ");
            markdown_code(t->out, names.data ? names.data : "nothing");
        }
        text_puts(t->out, cures ? ".\n\n" : "");
        markdown_unfold(t->out);
    }
}

struct key {
    const char *name;
    size_t length;
};

static int compare(const void *left, const void *right)
{
    const struct key *key = left;
    const struct report_reference *row = right;
    int order = strncmp(key->name, row->variant, key->length);
    return order ? order : row->variant[key->length] ? -1 : 0;
}

const struct report_reference *report_reference_find(const char *name)
{
    struct key key = {name, strcspn(name, "@")};
    return bsearch(&key, report_references, report_reference_count, sizeof(*report_references),
                   compare);
}

// A sentence on the models that fail, and the command that explains a failure under the model that
// fails most.
static void print_models(const struct ticket *t)
{
    const struct report_reference *row = report_reference_find(t->result->name);
    OWNED(text_free) struct text fail = {0}, pass = {0}, command = {0};
    double most = 0;
    size_t best = 0;
    for (size_t i = 0; row && report_reference_models[i]; i++) {
        const unsigned failed = row->by[i].failed, runs = row->by[i].runs;
        if (failed)
            text_printf(&fail, "%s%s (%u of %u runs)", fail.length ? ", " : "",
                        report_reference_models[i], failed, runs);
        else if (runs)
            text_printf(&pass, "%s%s", pass.length ? ", " : "", report_reference_models[i]);
        if (failed && failed > most * runs) {
            most = (double)failed / runs;
            best = i;
        }
    }
    if (fail.length) {
        markdown_fold(t->out, "What execution models of the SIMT simulator do with it");
        markdown_printf(t->out,
                        "It fails under %s%s%s. A model that fails shows one behaviour that "
                        "this device may have. One failing run, step by step:\n\n",
                        fail.data, pass.length ? " and passes under " : "",
                        pass.length ? pass.data : "");
        format_call(&command, t->result->test);
        text_printf(&command, " explain %s --simt %s", t->result->id,
                    report_reference_models[best]);
        if (t->known)
            text_printf(&command, ",subgroup=%u", t->which.subgroup);
        put_command(t->out, command.data);
        markdown_unfold(t->out);
    }
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t\r")] == '\n';
}

// The first line of code, from a line on, with one of the words; `count` if there is none.
static size_t find_line(const char *const *lines, size_t count, size_t from,
                        const char *const *words)
{
    for (size_t i = from; i < count; i++) {
        const size_t length = strcspn(lines[i], "\n");
        const bool comment =
            lines[i][0] == ';' || strncmp(lines[i] + strspn(lines[i], " "), "//", 2) == 0;
        if (comment || memmem(lines[i], length, "OpCapability", 12))
            continue;
        for (const char *const *word = words; *word; word++)
            if (memmem(lines[i], length, *word, strlen(*word)))
                return i;
    }
    return count;
}

// The first line with a family's subject; the first line if there is none.
static size_t find_subject(const char *const *lines, size_t count, const char *family)
{
    static const char *const group[] = {
        "OpGroup",   "OpSubgroup", "subgroupA", "subgroupB", "subgroupC", "subgroupE", "subgroupI",
        "subgroupM", "subgroupO",  "subgroupQ", "subgroupR", "subgroupS", "subgroupX", NULL};
    static const char *const barrier[] = {"OpControlBarrier", "OpMemoryBarrier",
                                          "subgroupBarrier",  "subgroupMemoryBarrier",
                                          "barrier(",         NULL};
    static const char *const atomic[] = {"OpAtomic", "atomic", NULL};
    static const char *const stores[] = {"OpStore", " = ", NULL};
    static const char *const *const orders[][4] = {{atomic, group, barrier, stores},
                                                   {barrier, group, atomic, stores},
                                                   {group, barrier, atomic, stores}};
    static const char *const functions[] = {"OpFunction ", "void main", NULL};
    const bool shared =
        !strcmp(family, "lookback") || !strcmp(family, "memory") || !strcmp(family, "progress");
    const size_t order = shared ? 0 : strcmp(family, "barrier") == 0 ? 1 : 2;
    const size_t code = find_line(lines, count, 0, functions);
    size_t at = count;
    for (size_t i = 0; i < 4 && at == count; i++)
        at = find_line(lines, count, code < count ? code : 0, orders[order][i]);
    return at < count ? at : 0;
}

void report_excerpt(struct text *out, const char *source, const char *family, size_t most)
{
    // Skip the head up to its last line.
    const char *head = strstr(source, "\n; oracle");
    OWNED(lit_free) const char **lines = NULL;
    size_t count = 0;
    for (const char *at = head ? head + 1 + strcspn(head + 1, "\n") : source; *at;) {
        LIT_ADD(lines, count) = at;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    const size_t subject = count ? find_subject(lines, count, family) : 0;
    size_t begin = subject;
    while (begin > 0 && subject - begin < MOST_ABOVE && !is_blank(lines[begin - 1]))
        begin--;
    size_t end = begin + most < count ? begin + most : count;
    // We may cut a paragraph off if others come before it.
    for (size_t i = end; end < count && i > subject + 4; i--)
        if (is_blank(lines[i - 1])) {
            end = i - 1;
            break;
        }
    while (end > subject + 1 && is_blank(lines[end - 1]))
        end--;
    for (size_t i = begin; i < end; i++)
        text_printf(out, "%.*s\n", (int)strcspn(lines[i], "\n"), lines[i]);
}

static void print_excerpt(const struct ticket *t, size_t room)
{
    const struct cat_head *head = t->which.head;
    const char *variant = t->which.variant, *sha256 = t->which.sha256;
    OWNED(text_free) struct text lines = {0}, title = {0};
    report_excerpt(&lines, report_known->source(&t->result->cfg), head->family, EXCERPT);
    if (lines.data && lines.length < room) {
        text_printf(&title,
                    "The shader around the operation under test (%s); `litmus show %s` has "
                    "all of it:\n\n",
                    variant && variant[0] ? variant : "the only variant", head->name);
        text_append(t->out, title.data, title.length);
        if (sha256 && t->result->sha256[0] && strcmp(sha256, t->result->sha256) != 0)
            text_puts(t->out, "**The module that ran is of another version of the test; this is "
                              "the source of the version that wrote this report.**\n\n");
        markdown_fence(t->out, "", lines.data);
    }
}

static void print_ticket(struct text *out, const struct report_code *code,
                         const struct result *result, size_t most)
{
    const struct report_model *model = code->model;
    struct ticket t = {.model = model, .result = result, .out = out};
    const struct dev_facts *facts = &model->devices[result->device].facts;
    const size_t limit = out->length + most;
    t.known = report_known->find(&result->cfg, &t.which);
    text_puts(out, "# ");
    markdown_code(out, result->test);
    markdown_printf(out, " on %s, driver %s\n\n", facts->name, facts->driver_version);
    OWNED(text_free) struct text check = {0};
    report_check(&check, "", result, ".");
    if (check.length)
        markdown_printf(out, "**%s**\n\n", check.data);
    print_sentence(&t);
    print_cause(&t, code);
    put_remarks(out, result);
    print_table(&t);
    print_machine(&t);
    text_puts(out, "To reproduce, and to write a bundle that needs no litmus:\n\n");
    OWNED(text_free) struct text command = {0};
    format_call(&command, result->test);
    text_puts(&command, " repro ");
    text_quote(&command, t.known ? result->id : result->name);
    put_again(out, model, result);
    put_command(out, command.data);
    // A strange store's long strings leave less room: leave out whole parts that do not fit.
    print_outcomes(&t);
    if (t.known && out->length + ROOM_TO_FOLD < limit)
        print_excerpt(&t, limit - out->length - ROOM_TO_FOLD / 2);
    if (out->length + ROOM_TO_FOLD < limit)
        markdown_one_code(out, code, result, ROOM_TO_FOLD);
    print_evidence(&t);
    if (out->length + ROOM_TO_FOLD < limit)
        print_pairs(&t);
    if (t.known && out->length + ROOM_TO_FOLD < limit)
        print_question(&t);
    if (out->length + ROOM_TO_FOLD < limit)
        print_models(&t);
}

// ---- a report on a session

#define FAILURES_AT  48000 // bytes: failures after this come without details
#define MOST_PLACES  5     // failing instances to show for each failure
#define MOST_TICKETS 4     // devices that get a ticket each
#define CODE_MOST    20000 // bytes of code for one device, which failures leave free
#define CODE_UNTIL   56000 // bytes: no code after this

struct writer {
    const struct report_model *model;
    const struct report_code *code;
    struct text *out;
    size_t start; // where this report begins in `out`
};

static size_t used(const struct writer *w)
{
    return w->out->length - w->start;
}

// Failures leave room for the device's code, if it has any.
static size_t failures_until(const struct writer *w, size_t device)
{
    return w->code->studies[device].count ? CODE_UNTIL - CODE_MOST : FAILURES_AT;
}

// What the first member of a block did, folded.
static void print_first(const struct writer *w, const struct result *result)
{
    OWNED(text_free) struct text title = text_format("%s %s", result->id, result->label);
    markdown_fold(w->out, title.data);
    format_failed(w->out, result);
    text_puts(w->out, result->first_run_failed ? ". The first run failed." : ".");
    if (result->result != ENG_FAIL) {
        OWNED(text_free) struct text end = {0};
        format_end(&end, result);
        markdown_printf(w->out, " It ended with %s.", end.data);
    }
    text_puts(w->out, "\n\n");
    put_remarks(w->out, result);
    put_result(w->out, result, MOST_PLACES);
    text_printf(w->out, "SPIR-V SHA-256: `%s`\n\n", result->sha256[0] ? result->sha256 : "none");
    markdown_unfold(w->out);
}

static void print_blocks(const struct writer *w, size_t device, const char *title,
                         bool (*which)(const struct result *result))
{
    struct report_block *list;
    const size_t count = report_blocks(w->code, device, which, &list);
    size_t done = 0;
    if (count > 0)
        text_printf(w->out, "## %s\n\n", title);
    for (; done < count && used(w) < failures_until(w, device); done++) {
        put_block(w->out, &list[done]);
        if (list[done].count > 1) {
            markdown_fold(w->out, "Its configurations");
            put_members(w->out, &list[done], w->start + failures_until(w, device));
            markdown_unfold(w->out);
        }
        print_first(w, list[done].members[0]);
    }
    if (done < count) {
        text_printf(w->out,
                    "*%s more, left out because a bug report holds 64 KB. The JSON report has "
                    "all.*\n\n",
                    COUNT(count - done));
    }
    report_blocks_free(list, count);
}

static void print_section(const struct writer *w, size_t device, report_section *make, unsigned how,
                          size_t limit)
{
    put_section(w->model, device, make, how, w->start + limit, w->out);
}

static void print_session(const struct report_code *code, struct text *out)
{
    const struct report_model *model = code->model;
    struct writer w = {.model = model, .code = code, .out = out, .start = out->length};
    for (size_t device = 0; device < model->device_count && used(&w) < FAILURES_AT; device++) {
        const struct dev_facts *facts = &model->devices[device].facts;
        markdown_printf(out, "# Subgroup litmus tests: %s, driver %s\n\n", facts->name,
                        facts->driver_version);
        put_verdict(out, model, device);
        print_section(&w, device, report_key_results, 0, FAILURES_AT);
        print_section(&w, device, report_controls, 0, FAILURES_AT);
        print_section(&w, device, report_machine, FOLD, FAILURES_AT);
        print_section(&w, device, report_rule_outcomes, 0, FAILURES_AT);
        print_section(&w, device, report_barriers, FOLD, FAILURES_AT);
        print_blocks(&w, device, "Failures", report_failed);
        const size_t left = used(&w) < CODE_UNTIL ? CODE_UNTIL - used(&w) : 0;
        markdown_codes(out, code, device, left < CODE_MOST ? left : CODE_MOST);
        print_blocks(&w, device, "Incomplete", report_unfinished_only);
    }
    for (size_t device = 0; device < model->device_count && used(&w) < MARKDOWN_MOST; device++) {
        if (model->device_count > 1) {
            markdown_printf(out, "## All of %s\n\n", model->devices[device].facts.name);
        }
        print_section(&w, device, report_family_counts, FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_barriers, FOLD | ALL | BARE, FAILURES_AT);
        print_section(&w, device, report_final_states, FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_divergence, FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_waits, FOLD, MARKDOWN_MOST);
        print_section(&w, device, report_skipped, FOLD | ALL, MARKDOWN_MOST);
        print_section(&w, device, report_every, FOLD, MARKDOWN_MOST);
    }
}

// A report on a single configuration becomes a ticket.
static bool is_ticket(const struct report_model *model)
{
    if (!model->only_test[0] || model->result_count == 0 || model->result_count > MOST_TICKETS)
        return false;
    for (size_t i = 1; i < model->result_count; i++)
        if (strcmp(model->results[i].name, model->results[0].name) != 0)
            return false;
    return true;
}

void report_markdown(const struct report_model *model, struct text *out)
{
    OWNED(report_code_clear)
    struct report_code code =
        report_code_load(model, is_ticket(model) ? model->results[0].test : NULL);
    if (!is_ticket(model))
        print_session(&code, out);
    for (size_t i = 0; i < model->result_count && is_ticket(model); i++)
        print_ticket(out, &code, &model->results[i], MARKDOWN_MOST / model->result_count);
}
