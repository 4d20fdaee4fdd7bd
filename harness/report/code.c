// SPDX-License-Identifier: Apache-2.0
// Reads code from the store, and writes what reports say about it.
#include "report/code.h"

#include "report/format.h"
#include "report/known.h"

// --- From the store

static int compare_entries(const void *left, const void *right)
{
    const struct isa_entry *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static int compare_name(const void *key, const void *member)
{
    const struct isa_entry *const *entry = member;
    return strcmp(key, (*entry)->name);
}

static const struct result *result_at(const struct report_model *model, size_t index)
{
    return index < model->result_count ? &model->results[index]
                                       : &model->rest[index - model->result_count];
}

// Finds the entries for a device's results.
static void assign(struct report_code *code, size_t device)
{
    const struct report_model *model = code->model;
    const struct isa_study *study = &code->studies[device];
    OWNED(lit_free) const struct isa_entry **sorted = lit_alloc(study->count + 1, sizeof *sorted);
    for (size_t i = 0; i < study->count; i++)
        sorted[i] = &study->entries[i];
    qsort(sorted, study->count, sizeof *sorted, compare_entries);
    for (size_t i = 0; i < model->result_count + model->rest_count; i++) {
        const struct result *result = result_at(model, i);
        if (result->device != device)
            continue;
        const struct isa_entry **found =
            bsearch(result->name, sorted, study->count, sizeof *sorted, compare_name);
        code->of[i] = found ? *found : NULL;
    }
}

bool report_code_describe(const char *name, struct isa_variant *variant)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    struct report_case found;
    const char *params = strchr(name, '@');
    if (!report_known->find(&cfg, &found))
        return false;
    const struct cat_head *head = found.head;
    snprintf(variant->test, sizeof variant->test, "%s", head->name);
    snprintf(variant->params, sizeof variant->params, "%s", params ? params : "");
    variant->axis_count = head->axis_count;
    for (size_t i = 0; i < head->axis_count; i++) {
        const struct cat_axis *axis = &head->axes[i];
        snprintf(variant->axes[i].name, sizeof variant->axes[i].name, "%s", axis->name);
        snprintf(variant->axes[i].value, sizeof variant->axes[i].value, "%s",
                 axis->values[found.axis[i]]);
        variant->axes[i].order = found.axis[i];
    }
    return true;
}

struct report_code report_code_load(const struct report_model *model, const char *test)
{
    struct lit_error error = {0};
    struct report_code code = {
        .model = model,
        .studies = lit_alloc(model->device_count + 1, sizeof *code.studies),
        .count = model->device_count,
        .of = lit_alloc(model->result_count + model->rest_count + 1, sizeof *code.of),
    };
    for (size_t i = 0; i < code.count; i++) {
        code.studies[i].module = report_known ? report_known->words : NULL;
        code.studies[i].stops = report_known ? report_known->stops : NULL;
        if (model->store && !code.fault[0] &&
            !store_study(model->store, model->session.id, model->devices[i].id, test,
                         &code.studies[i], &error))
            snprintf(code.fault, sizeof code.fault, "%s", error.message);
        isa_study_finish(&code.studies[i], report_code_describe);
        assign(&code, i);
    }
    return code;
}

void report_code_clear(struct report_code *code)
{
    for (size_t i = 0; i < code->count; i++)
        isa_study_clear(&code->studies[i]);
    free(code->studies);
    free(code->of);
    *code = (struct report_code){0};
}

const struct isa_entry *report_code_of(const struct report_code *code, const struct result *result)
{
    const struct report_model *model = code->model;
    if (result >= model->results && result < model->results + model->result_count)
        return code->of[result - model->results];
    return code->of[model->result_count + (size_t)(result - model->rest)];
}

const struct lint_finding *report_code_cause(const struct report_code *code,
                                             const struct result *result, struct text *words)
{
    const struct isa_entry *entry = report_code_of(code, result);
    const size_t index = entry ? isa_cause(entry) : 0;
    if (!entry || index == entry->lint.count)
        return NULL;
    lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[index], words);
    return &entry->lint.findings[index];
}

bool report_code_about(const struct report_code *code, size_t device,
                       const struct isa_axis_effect *effect)
{
    REPORT_EACH (result, code->model, device)
        if (strcmp(result->test, effect->test) == 0)
            return true;
    return false;
}

static int compare_variants(const void *left, const void *right)
{
    const struct report_variant *a = left, *b = right;
    bool a_fails = a->result->failed_runs > 0, b_fails = b->result->failed_runs > 0;
    if (a->differences != b->differences)
        return a->differences < b->differences ? -1 : 1;
    if (a_fails != b_fails)
        return a_fails ? 1 : -1;
    return strcmp(a->result->name, b->result->name);
}

size_t report_variants(const struct report_model *model, const struct result *result,
                       struct report_variant **list)
{
    size_t count = 0;
    *list = lit_alloc(model->result_count + model->rest_count, sizeof **list);
    for (size_t i = 0; i < model->result_count + model->rest_count; i++) {
        const struct result *other = result_at(model, i);
        if (other->device == result->device && strcmp(other->test, result->test) == 0 &&
            strcmp(other->name, result->name) != 0 && other->judged > 0 &&
            strcmp(other->stress, result->stress) == 0)
            (*list)[count++] =
                (struct report_variant){other, report_differences(result, other, NULL)};
    }
    qsort(*list, count, sizeof **list, compare_variants);
    return count;
}

const struct result *report_code_paired(const struct report_code *code, const struct result *result)
{
    OWNED(lit_free) struct report_variant *list = NULL;
    const struct result *best = NULL;
    const size_t count = report_variants(code->model, result, &list);
    for (size_t i = 0; i < count && !best; i++) {
        const struct isa_entry *entry = report_code_of(code, list[i].result);
        if (list[i].differences > 0 && list[i].result->failed_runs == 0 && entry &&
            entry->listing.count > 0)
            best = list[i].result;
    }
    return best;
}

void report_code_cost(const struct isa_entry *entry, struct text *words)
{
    isa_cost_words(&entry->code, entry->piece, words);
    if (entry->listing.sass.count) {
        const size_t reads = isa_cross_lane_reads(&entry->listing);
        text_printf(words, "%s%zu instruction%s, %zu of them cross-lane read%s",
                    words->length ? "; " : "", entry->listing.count,
                    entry->listing.count == 1 ? "" : "s", reads, reads == 1 ? "" : "s");
    }
}

void report_code_risk(const struct isa_entry *entry, size_t index, struct text *words)
{
    for (size_t i = 0; i < entry->lint.count; i++)
        if (lint_is_risk(entry->lint.findings[i].kind) && index-- == 0) {
            lint_word(&entry->listing.sass, &entry->lint, &entry->lint.findings[i], words);
            return;
        }
}

size_t report_code_inside(const struct isa_entry *entry)
{
    size_t count = 0;
    for (size_t i = 0; i < entry->lint.count; i++)
        count += !lint_is_risk(entry->lint.findings[i].kind) &&
                 entry->lint.findings[i].kind != LINT_QUERY;
    return count;
}

// --- Users of a code

struct report_code_users report_code_users(const struct report_code *code, size_t device,
                                           const struct isa_entry *entry, bool failed)
{
    const struct report_model *model = code->model;
    struct report_code_users users = {0};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        const struct isa_entry *other = code->of[i];
        if (result->device != device || !other || other->same_as != entry->same_as ||
            (failed && !report_failed(result)))
            continue;
        if (users.count++ == 0)
            users.first = result;
        users.failed_runs += result->failed_runs;
        users.judged += result->judged;
    }
    return users;
}

size_t report_code_failed(const struct report_code *code, size_t device,
                          const struct result ***list)
{
    OWNED(lit_free) bool *seen = lit_alloc(code->studies[device].count + 1, sizeof *seen);
    const size_t count = report_select(code->model, device, report_failed, list);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct isa_entry *entry = report_code_of(code, (*list)[i]);
        if (!entry || seen[entry->same_as])
            continue;
        seen[entry->same_as] = true;
        (*list)[kept++] = (*list)[i];
    }
    return kept;
}

// --- Tables and sentences

// "0 of 1,000, < 3.6e-3; with the same code in all 2: 0 of 2,000".
static void say_users(const struct report_code_users *users, struct text *words)
{
    const struct result *first = users->first;
    text_printf(words, "%s of %s, %s", COUNT(first->failed_runs), COUNT(first->judged),
                INTERVAL(first));
    if (users->count > 1)
        text_printf(words, "; with the same code in all %s: %s of %s", COUNT(users->count),
                    COUNT(users->failed_runs), COUNT(users->judged));
}

// A row for each finding, and one that counts the rest.
static void put_findings(const struct isa_entry *entry, const struct report_code_users *users,
                         size_t most, struct table *table)
{
    const size_t count = isa_risks(entry);
    OWNED(text_free) struct text failed = {0};
    say_users(users, &failed);
    for (size_t i = 0; i < count && i <= most; i++) {
        OWNED(text_free) struct text words = {0};
        report_code_risk(entry, i, &words);
        table_row(table)->more = i > 0;
        table_cells(table, "%s\t%s\t%s%s", users->first->name, i ? "" : failed.data,
                    i < most ? words.data : COUNT(count - most), i < most ? "" : " more");
    }
}

void report_code_findings(const struct report_code *code, size_t device,
                          const struct isa_entry *only, size_t most, struct table *table)
{
    static const struct table_column heads[] = {CODE("configuration"), COL("failed runs"),
                                                COL("finding")};
    static const struct table shape = {
        .title = "Lint findings", .about = "Each code once.", TABLE_OF(heads)};
    const struct isa_study *study = &code->studies[device];
    size_t looked = 0;
    table_begin(table, &shape, device);
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        const struct report_code_users users = report_code_users(code, device, entry, false);
        if (entry->same_as != i || !entry->linted || users.count == 0 ||
            (only && only->same_as != i))
            continue;
        looked++;
        put_findings(entry, &users, most, table);
    }
    if (table->count)
        table_note(table, "Divergent cross-lane reads, and instructions with a wrong guard "
                          "predicate. At risk: review; leaving and twice: correct if the source "
                          "has them so; misguarded: a compiler bug (docs/lint.md). They matter "
                          "even where nothing failed.");
    else if (looked)
        table_note(table,
                   "None of the %s codes that were analysed has a divergent cross-lane "
                   "read or a wrong guard predicate.",
                   COUNT(looked));
}

void report_code_statistics(const struct isa_entry *entry, struct table *table)
{
    static const struct table_column heads[] = {COL("statistic of the driver"), NUM("value")};
    static const struct table shape = {.about = "Statistics of the driver.", TABLE_OF(heads)};
    table_begin(table, &shape, 0);
    for (size_t i = 0; i < entry->code.statistic_count && i < 24; i++)
        table_fact(table, entry->code.statistics[i].name, "%s", entry->code.statistics[i].value);
    for (size_t i = 0; i < entry->code.remark_count && i < 4; i++)
        table_note(table, "Note: %s.", entry->code.remarks[i]);
    if (entry->unlinted)
        table_note(table, "Not linted: %s.", entry->unlinted);
}

bool report_code_versus(const struct report_code *code, const struct result *result,
                        struct text *words)
{
    const struct isa_entry *entry = report_code_of(code, result), *other;
    const struct result *paired = report_code_paired(code, result);
    OWNED(text_free) struct text names = {0};
    bool shows = false;
    if (entry->listing.count == 0)
        return false;
    if (!paired) {
        text_puts(words, "The store has no code of a passing variant.");
        return false;
    }
    other = report_code_of(code, paired);
    report_differences(result, paired, &names);
    const char *name = names.data ? names.data : paired->name;
    if (other->same_as == entry->same_as)
        text_printf(words,
                    "It is the same code as that of %s, which never failed in %s runs: the "
                    "difference is not in the code.",
                    name, COUNT(paired->judged));
    else if (isa_compare(&entry->listing, entry->piece, &other->listing, other->piece) ==
             ISA_SAME_TEXT)
        text_printf(words,
                    "It has the same instructions as the code of %s, which never failed in "
                    "%s runs; scheduling or branch targets differ.",
                    name, COUNT(paired->judged));
    else {
        text_printf(words, "Difference to %s, which never failed in %s runs", name,
                    COUNT(paired->judged));
        shows = true;
    }
    return shows;
}

// ---- Configurations that ran one program on a device, so that we can pool their runs

// Machine code alone does not tell how much shared memory or how many registers it uses; the
// driver's statistics do.
static bool has_same_code(const struct isa_entry *a, const struct isa_entry *b)
{
    if (!a || !b || a->same_as != b->same_as || !a->piece || a->piece->source != ISA_MACHINE ||
        a->code.statistic_count != b->code.statistic_count)
        return false;
    for (size_t i = 0; i < a->code.statistic_count; i++)
        if (strcmp(a->code.statistics[i].name, b->code.statistics[i].name) != 0 ||
            strcmp(a->code.statistics[i].value, b->code.statistics[i].value) != 0)
            return false;
    return true;
}

static bool is_measured_alike(const struct result *a, const struct result *b)
{
    const char *of_a = strchr(a->name, '@'), *of_b = strchr(b->name, '@');
    return a->device == b->device && strcmp(a->test, b->test) == 0 &&
           strcmp(of_a ? of_a : "", of_b ? of_b : "") == 0 && a->expectation == b->expectation &&
           strcmp(a->stress, b->stress) == 0 && !a->rule[0] && !b->rule[0] && a->judged > 0 &&
           b->judged > 0;
}

bool report_code_is_one(const struct report_code *code, const struct result *a,
                        const struct result *b)
{
    return is_measured_alike(a, b) &&
           has_same_code(report_code_of(code, a), report_code_of(code, b)) &&
           (a == b ||
            report_known->is_same_work(a->name, b->name, &code->model->devices[a->device].facts));
}

// Puts a row for a result and all later results that ran the same program, and marks them as seen;
// no row if it is alone.
static void put_group(const struct report_code *code, size_t first, bool *seen, struct table *table)
{
    const struct report_model *model = code->model;
    OWNED(lit_free)
    const struct result **members = lit_alloc(model->result_count, sizeof *members);
    OWNED(text_free) struct text together = {0};
    uint64_t failed = 0, judged = 0;
    size_t count = 0;
    for (size_t i = first; i < model->result_count; i++) {
        const struct result *other = &model->results[i];
        if (seen[i] || !report_code_is_one(code, &model->results[first], other))
            continue;
        seen[i] = true;
        members[count++] = other;
        failed += other->failed_runs;
        judged += other->judged;
    }
    text_printf(
        &together, "%s of %s, %s", COUNT(failed), COUNT(judged),
        format_interval((char[80]){0}, failed, judged, report_interval(failed, judged, "")));
    for (size_t i = 0; i < count && count > 1; i++) {
        table_row(table)->more = i > 0;
        table_cells(table, "%s\t%s of %s\t%s", together.data, COUNT(members[i]->failed_runs),
                    COUNT(members[i]->judged), members[i]->label);
    }
}

void report_code_shared(const struct report_code *code, size_t device, struct table *table)
{
    static const struct table_column heads[] = {COL("failed runs together"), COL("failed runs"),
                                                CODE("configuration")};
    static const struct table shape = {.title = "Same machine code", TABLE_OF(heads)};
    const struct report_model *model = code->model;
    OWNED(lit_free) bool *seen = lit_alloc(model->result_count + 1, sizeof *seen);
    table_begin(table, &shape, device);
    for (size_t i = 0; i < model->result_count; i++)
        if (model->results[i].device == device && code->of[i] && !seen[i])
            put_group(code, i, seen, table);
    if (table->count)
        table_note(
            table,
            "The device executes the same machine code in these variants, in as many "
            "workgroups and on the same data: the runs of each are evidence for all of them, "
            "if they have one rate. Comparisons take each by itself.");
}

// ---- Lines that do what the test asks about, so that could have failed. The code alone cannot
// tell more

enum asked {
    CROSS_LANE, // the values that lanes receive from each other
    MEMORY,     // the values read from memory that others write
    NEITHER     // whether and when a lane goes on
};

// The first start that a test's name has decides. All other tests ask about cross-lane reads.
static const struct {
    const char *start;
    enum asked asked;
} tests[] = {
    {"barrier.", NEITHER},
    {"lookback.", MEMORY},
    {"memory.", MEMORY},
    {"progress.", MEMORY},
    {"scan.blelloch/", MEMORY},
    {"scan.blelloch@", MEMORY},
    {"scan.hillis-steele", MEMORY},
    {"scan.vector-sum-grid", MEMORY},
};

// --- Text: SPIR-V as the SIMT simulator lists it, and assembly of AMD's GPUs

// What a line of either language has that takes a value from another lane, or from memory.
static const char *const cross_lane[] = {
    "OpGroupNonUniform", "OpSubgroup", "ds_bpermute", "ds_permute", "ds_swizzle", "v_permlane",
    "v_readlane", "v_writelane", "v_readfirstlane",
    // Data-parallel primitives take an operand from another lane.
    "_dpp ", " quad_perm:", " row_shl:", " row_shr:", " row_ror:", " row_share:", " row_xmask:",
    " row_mirror", " row_newbcast:", " row_bcast:", " wave_shl:", " wave_shr:", " wave_rol:",
    " wave_ror:", " row_half_mirror", " dpp8:", NULL};
static const char *const memory[] = {"OpAtomic",      "buffer_load", "buffer_atomic", "global_load",
                                     "global_atomic", "flat_load",   "flat_atomic",   "ds_read",
                                     "ds_load",       "ds_add",      "ds_cmpst",      NULL};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// The first word after number, indentation and "%x = ".
static const char *opcode(const char *line)
{
    line += strspn(line, " \t0123456789");
    const char *assigned = *line == '%' ? strstr(line, " = ") : NULL;
    return assigned ? assigned + strlen(" = ") : line;
}

static bool is_known(const struct isa_listing *listing)
{
    bool known = false;
    for (size_t i = 0; i < listing->count && !known; i++) {
        const char *word = opcode(listing->lines[i].text);
        known = starts(word, "s_endpgm") || starts(word, "OpReturn");
    }
    return known;
}

// Variables of an invocation, and built-in ones: no other invocation writes them.
static bool is_own_pointer(const struct isa_listing *listing, const char *pointer)
{
    const size_t length = strcspn(pointer, " ");
    if (starts(pointer, "%gl_"))
        return true;
    for (size_t i = 0; i < listing->count; i++) {
        const char *line = listing->lines[i].text;
        line += strspn(line, " 0123456789");
        if (strncmp(line, pointer, length) == 0 && starts(line + length, " = "))
            return strstr(line, "%_ptr_Function_") || strstr(line, "%_ptr_Private_") ||
                   strstr(line, "%_ptr_Input_");
    }
    return false;
}

static bool text_asks(const struct isa_listing *listing, size_t line, enum asked asked)
{
    const char *word = opcode(listing->lines[line].text);
    if (asked == MEMORY && starts(word, "OpLoad ")) {
        const char *pointer = strchr(word + strlen("OpLoad "), ' ');
        return pointer && !is_own_pointer(listing, pointer + 1);
    }
    for (const char *const *has = asked == MEMORY ? memory : cross_lane; *has; has++)
        if (strstr(word, *has))
            return !starts(word, "OpAtomicStore");
    return false;
}

// --- SASS

// The result only feeds a BRA.CONV or BRA.DIV: the compiler put this line in, not the test.
static bool is_compilers(const struct isa_entry *entry, size_t line)
{
    for (size_t i = 0; i < entry->lint.count; i++)
        if (entry->lint.findings[i].read == line && entry->lint.findings[i].kind == LINT_QUERY)
            return true;
    return false;
}

static bool sass_asks(const struct isa_entry *entry, size_t line, enum asked asked)
{
    const enum sass_op op = entry->listing.sass.insns[line].op;
    if (asked == CROSS_LANE)
        return sass_is_cross_lane(op) && !is_compilers(entry, line);
    return op == SASS_LD || op == SASS_LDG || op == SASS_LDS || op == SASS_ATOM ||
           op == SASS_ATOMG || op == SASS_ATOMS;
}

static void mark_risks(const struct isa_entry *entry, char *lines)
{
    for (size_t i = 0; i < entry->lint.count; i++) {
        const struct lint_finding *finding = &entry->lint.findings[i];
        const size_t both[] = {finding->read, finding->other};
        const bool marked = lint_is_risk(finding->kind) || finding->kind == LINT_SHARED;
        for (size_t k = 0; marked && k < 2; k++)
            if (both[k] < entry->listing.count && lines[both[k]] == ' ')
                lines[both[k]] = REPORT_MARK_RISK;
    }
}

// --- Words

static void put_candidates(struct report_marks *marks, enum asked asked, bool failed)
{
    const char *what = asked == CROSS_LANE ? "cross-lane read" : "memory read";
    struct text *words = &marks->words;
    const char *count = COUNT(marks->count);
    if (marks->count == 1)
        text_printf(words, "The marked instruction is the only known %s: %s.", what,
                    failed ? "if the wrong value was read, it was here"
                           : "a wrong value comes from here");
    else if (failed)
        text_printf(words,
                    "Marked are the %s known %ss. Each is one of %s that could have read the wrong "
                    "value; which one it was, the code does not say.",
                    count, what, count);
    else
        text_printf(words, "Marked are the %s known %ss: what the test is about.", count, what);
}

static void put_words(struct report_marks *marks, enum asked asked, bool known, bool failed)
{
    struct text *words = &marks->words;
    if (asked == NEITHER)
        text_puts(
            words,
            "No instruction is marked: the test is about forward progress, not about a value.");
    else if (!known)
        text_puts(words, "No line is marked: what a line of this representation does is not "
                         "known here.");
    else if (marks->count == 0)
        text_printf(words, "No instruction is marked: none is known to be a %s.",
                    asked == CROSS_LANE ? "cross-lane read" : "read of memory that others write");
    else
        put_candidates(marks, asked, failed);
}

void report_marks_make(const struct isa_entry *entry, const char *test, bool failed,
                       struct report_marks *marks)
{
    const struct isa_listing *listing = &entry->listing;
    enum asked asked = CROSS_LANE;
    for (size_t i = sizeof tests / sizeof *tests; i-- > 0;)
        asked = starts(test, tests[i].start) ? tests[i].asked : asked;
    const bool sass = listing->sass.count > 0;
    const bool known = sass || is_known(listing);
    *marks = (struct report_marks){.lines = lit_alloc(listing->count + 1, 1)};
    for (size_t i = 0; i < listing->count; i++) {
        const bool asks = asked != NEITHER && known &&
                          (sass ? sass_asks(entry, i, asked) : text_asks(listing, i, asked));
        marks->lines[i] = asks ? REPORT_MARK_ASKED : ' ';
        marks->count += asks;
    }
    if (sass)
        mark_risks(entry, marks->lines);
    if (listing->count)
        put_words(marks, asked, known, failed);
}

void report_marks_clear(struct report_marks *marks)
{
    free(marks->lines);
    text_free(&marks->words);
    *marks = (struct report_marks){0};
}

// ---- Listings and differences as lines of text, cut to the room available

#define WINDOW 8 // lines before and after a marked one, if all do not fit

static void put_line(const struct isa_listing *listing, size_t line, char mark, struct text *out)
{
    const struct isa_line *at = &listing->lines[line];
    if (at->address == SASS_NOWHERE)
        text_printf(out, "%c %s\n", mark, at->text);
    else
        text_printf(out, "%c %04" PRIx32 "  %s\n", mark, at->address, at->text);
}

// Chooses the lines to show if all do not fit: those around marks, else the first ones.
static void choose(const struct isa_listing *listing, const struct report_marks *marks, bool *shown)
{
    bool any = false;
    for (size_t i = 0; i < listing->count; i++) {
        if (marks->lines[i] == ' ')
            continue;
        any = true;
        const size_t end = i + WINDOW < listing->count ? i + WINDOW : listing->count - 1;
        for (size_t k = i > WINDOW ? i - WINDOW : 0; k <= end; k++)
            shown[k] = true;
    }
    for (size_t i = 0; !any && i < listing->count; i++)
        shown[i] = true;
}

static void put_gap(size_t lines, struct text *out)
{
    if (lines)
        text_printf(out, "  ... %s line%s\n", COUNT(lines), lines == 1 ? "" : "s");
}

void report_code_listing(const struct isa_entry *entry, const struct report_marks *marks,
                         size_t most, struct text *out)
{
    const struct isa_listing *listing = &entry->listing;
    const size_t start = out->length;
    size_t left_out = 0, length = 0;
    OWNED(lit_free) bool *shown = lit_alloc(listing->count + 1, sizeof *shown);
    for (size_t i = 0; i < listing->count; i++)
        length += strlen(listing->lines[i].text) + 10;
    if (length <= most)
        memset(shown, true, listing->count);
    else
        choose(listing, marks, shown);
    for (size_t i = 0; i < listing->count; i++) {
        // Stop at the first line that does not fit.
        const size_t line = strlen(listing->lines[i].text) + 40;
        if (!shown[i] || out->length - start + line > most) {
            left_out += 1;
            if (shown[i])
                most = 0;
            continue;
        }
        put_gap(left_out, out);
        left_out = 0;
        put_line(listing, i, marks->lines[i], out);
    }
    put_gap(left_out, out);
}

// --- Differences

static bool differs(const struct isa_row *row)
{
    return row->left == SIZE_MAX || row->right == SIZE_MAX;
}

#define AROUND 4 // rows to show before and after those that differ

static bool *find_shown(const struct isa_diff *diff)
{
    bool *shown = lit_alloc(diff->count + 1, sizeof *shown);
    for (size_t i = 0; i < diff->count; i++) {
        if (!differs(&diff->rows[i]))
            continue;
        const size_t end = i + AROUND < diff->count ? i + AROUND : diff->count - 1;
        for (size_t k = i > AROUND ? i - AROUND : 0; k <= end; k++)
            shown[k] = true;
    }
    return shown;
}

// "@@ -12,7 +12,9 @@" for the adjacent rows from `at` on.
static void put_hunk(const struct isa_diff *diff, const bool *shown, size_t at, struct text *out)
{
    size_t left = 0, right = 0, left_count = 0, right_count = 0;
    for (size_t i = 0; i < at; i++) {
        left += diff->rows[i].left != SIZE_MAX;
        right += diff->rows[i].right != SIZE_MAX;
    }
    for (size_t i = at; i < diff->count && shown[i]; i++) {
        left_count += diff->rows[i].left != SIZE_MAX;
        right_count += diff->rows[i].right != SIZE_MAX;
    }
    text_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", left + (left_count > 0), left_count,
                right + (right_count > 0), right_count);
}

void report_code_difference(const struct isa_listing *paired, const char *paired_title,
                            const struct isa_listing *listing, const char *title, size_t most,
                            struct text *out)
{
    const size_t start = out->length;
    OWNED(isa_diff_clear) struct isa_diff diff = {0};
    isa_diff(paired, listing, &diff);
    OWNED(lit_free) bool *shown = find_shown(&diff);
    if (diff.added + diff.dropped)
        text_printf(out, "--- %s\n+++ %s\n", paired_title, title);
    for (size_t i = 0; i < diff.count; i++) {
        const struct isa_row *row = &diff.rows[i];
        if (!shown[i])
            continue;
        const char *text = row->right == SIZE_MAX ? paired->lines[row->left].text
                                                  : listing->lines[row->right].text;
        if (out->length - start + strlen(text) + 80 > most) {
            size_t more = 0;
            for (size_t k = i; k < diff.count; k++)
                more += differs(&diff.rows[k]);
            text_printf(out, "@@ %s more lines that differ @@\n", COUNT(more));
            break;
        }
        if (i == 0 || !shown[i - 1])
            put_hunk(&diff, shown, i, out);
        text_printf(out, "%c%s\n",
                    row->right == SIZE_MAX  ? '-'
                    : row->left == SIZE_MAX ? '+'
                                            : ' ',
                    text);
    }
}
