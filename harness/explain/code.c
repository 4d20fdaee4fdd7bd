// SPDX-License-Identifier: Apache-2.0
// What drivers make of the tests: asked of devices, or read from files of pipeline caches.
#include "base/file.h"
#include "catalogue/catalogue.h"
#include "engine/client.h"
#include "explain/explain.h"
#include "report/code.h"
#include "report/format.h"
#include "report/known.h"
#include "session/device.h"

// "A" to "Z", then "AA": names an entry's code, by the first entry that has it.
static void letter(const struct isa_study *study, size_t entry, char target[8])
{
    size_t number = 0, at = 0;
    char turned[8];
    for (size_t i = 0; i < study->entries[entry].same_as; i++)
        number += study->entries[i].piece && study->entries[i].same_as == i;
    for (number++; number > 0 && at < sizeof turned - 1; number = (number - 1) / 26)
        turned[at++] = (char)('A' + (number - 1) % 26);
    for (size_t i = 0; i < at; i++)
        target[i] = turned[at - 1 - i];
    target[at] = '\0';
}

// --- The table

static const struct table_column columns[] = {NUM("code"),      NUM("bytes"),
                                              NUM("registers"), NUM("cross-lane reads"),
                                              NUM("divergent"), COL("configuration")};

// "-" if not known.
static void put_number(struct table *table, bool known, size_t number)
{
    if (known)
        table_count(table, TONE_PLAIN, number);
    else
        table_put(table, TONE_PLAIN, "-");
}

// If a file held the code, its name is the file's.
static void put_shown(const char *name, struct text *text)
{
    OWNED(cfg_clear) struct cfg cfg = cfg_parse(name);
    if (cat_test_find(cfg.test))
        cat_name_shown(name, text);
    else
        text_puts(text, name);
}

static void put_name(const char *before, const char *name, struct text *text)
{
    OWNED(text_free) struct text shown = {0};
    put_shown(name, &shown);
    text_puts(text, before);
    table_broken(text, false, TONE_PLAIN, shown.data, strlen(before));
    text_puts(text, "\n");
}

static void put_table(const struct isa_study *study, struct text *text)
{
    OWNED(table_clear) struct table table = {TABLE_OF(columns)};
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        const char *registers = entry->piece ? isa_registers(&entry->code) : "";
        char code[8] = "-";
        if (entry->piece)
            letter(study, i, code);
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", code);
        put_number(&table, entry->piece, entry->piece ? entry->piece->size : 0);
        table_put(&table, TONE_PLAIN, "%s", *registers ? registers : "-");
        put_number(&table, entry->piece && entry->listing.sass.count,
                   isa_cross_lane_reads(&entry->listing));
        put_number(&table, entry->piece && entry->linted, isa_risks(entry));
        OWNED(text_free) struct text shown = {0};
        put_shown(entry->name, &shown);
        table_put(&table, TONE_PLAIN, "%s", shown.data);
    }
    table_terminal(&table, false, text);
}

// --- Paired variants

static void put_effects(const struct isa_study *study, struct text *text)
{
    if (study->effect_count)
        text_puts(text, "\n  effect of each variant axis on the compiled code\n");
    for (size_t i = 0; i < study->effect_count; i++) {
        OWNED(text_free) struct text words = {0};
        const struct isa_axis_effect *effect = &study->effects[i];
        const bool first = i == 0 || strcmp(study->effects[i - 1].test, effect->test) != 0;
        isa_effect_words(study, effect, &words);
        if (first)
            text_printf(text, "  %s\n", effect->test);
        text_paragraph(text, "    ", words.data);
    }
}

static void put_diff(const struct isa_study *study, const struct isa_axis_effect *effect,
                     struct text *text)
{
    const struct isa_pair *pair = &study->pairs[effect->example];
    const struct isa_entry *base = &study->entries[pair->base],
                           *other = &study->entries[pair->other];
    text_puts(text, "\n");
    report_code_difference(&base->listing, base->name, &other->listing, other->name, SIZE_MAX / 2,
                           text);
}

// --- Risks

static void put_risks(const struct isa_study *study, struct text *text)
{
    bool any = false;
    char code[8];
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        if (entry->same_as != i || !isa_risks(entry))
            continue;
        if (!any)
            text_puts(text, "\n  divergent cross-lane reads; wrong guard predicates\n");
        any = true;
        letter(study, i, code);
        for (size_t k = 0; k < isa_risks(entry); k++) {
            text_printf(text, "  %4s  ", code);
            report_code_risk(entry, k, text);
            text_puts(text, "\n");
        }
    }
}

// --- Listings

// Marks what the test asks about (>) and what the lint names (!).
static void put_listing(const struct isa_entry *entry, struct text *text)
{
    OWNED(report_marks_clear) struct report_marks marks;
    report_marks_make(entry, entry->name, false, &marks);
    text_paragraph(text, "  ", marks.words.data ? marks.words.data : "");
    report_code_listing(entry, &marks, SIZE_MAX, text);
}

static void put_statistics(const struct isa_entry *entry, struct text *text)
{
    for (size_t i = 0; i < entry->code.statistic_count; i++) {
        const struct isa_statistic *statistic = &entry->code.statistics[i];
        text_printf(text, "  %-24s %12s  %s\n", statistic->name, statistic->value,
                    statistic->about);
    }
}

static void put_pieces(const struct isa_entry *entry, struct text *text)
{
    for (size_t i = 0; i < entry->code.piece_count; i++) {
        const struct isa_piece *piece = &entry->code.pieces[i];
        text_printf(text, "  %-24s %12s  bytes; %s", piece->name, COUNT(piece->size),
                    piece->source == ISA_MACHINE     ? "machine code, from the "
                    : piece->source == ISA_CONSTANTS ? "constants, from the "
                                                     : "");
        text_puts(text, piece->about);
        if (piece->architecture)
            text_printf(text, ", sm_%u", piece->architecture);
        text_puts(text, "\n");
    }
}

static void put_code(const struct isa_study *study, size_t index, bool every, struct text *text)
{
    const struct isa_entry *entry = &study->entries[index];
    char code[8] = "-", before[24];
    if (entry->piece)
        letter(study, index, code);
    snprintf(before, sizeof before, "  code %s: ", code);
    text_puts(text, "\n");
    put_name(before, entry->name, text);
    put_statistics(entry, text);
    put_pieces(entry, text);
    for (size_t i = 0; every && i < entry->code.piece_count; i++) {
        const struct isa_piece *piece = &entry->code.pieces[i];
        if (piece->source == ISA_TEXT && piece != entry->piece)
            text_printf(text, "\n  %s\n%s", piece->name, piece->bytes);
    }
    if (entry->why) {
        text_printf(text, "  no listing: %s\n", entry->why);
        return;
    }
    text_printf(text, "\n  %s, by %s\n", entry->piece->name, entry->listing.by);
    put_listing(entry, text);
}

// --- Remarks: each once, with the number of configurations that have it

static void put_remarks(const struct isa_study *study, struct text *text)
{
    OWNED(text_free) struct text said = {0};
    for (size_t i = 0; i < study->count; i++) {
        const struct isa_entry *entry = &study->entries[i];
        for (size_t k = 0; k <= entry->code.remark_count; k++) {
            const char *remark =
                k < entry->code.remark_count ? entry->code.remarks[k] : entry->unlinted;
            if (!remark)
                continue;
            OWNED(text_free) struct text line = text_format("  note: %s\n", remark);
            if (!said.data || !strstr(said.data, line.data))
                text_puts(&said, line.data);
        }
    }
    if (said.data)
        text_printf(text, "\n%s", said.data);
}

// A table of configurations, the effects of axes, risks, remarks. `listing` adds each code's
// listing, `diff` each axis's pair that differs most, `every` all representations instead of the
// lowest alone.
static void put_study(const struct isa_study *study, bool listing, bool diff, bool every,
                      struct text *text)
{
    if (study->count > 1 && isa_study_distinct(study))
        put_table(study, text);
    put_effects(study, text);
    for (size_t i = 0; diff && i < study->effect_count; i++)
        if (study->effects[i].like[ISA_SAME] < study->effects[i].pairs)
            put_diff(study, &study->effects[i], text);
    for (size_t i = 0; (listing || study->count == 1) && i < study->count; i++)
        if (study->entries[i].same_as == i || !study->entries[i].piece)
            put_code(study, i, every, text);
    put_risks(study, text);
    put_remarks(study, text);
}

// --- The command

#define NVDISASM_SECONDS 30

struct asking {
    const struct exp_code_options *chosen;
    struct lit_list patterns;
    struct cat_selection selection;
    struct ses_devices devices;
    const struct eng_device *device; // the present one
    struct isa_study study;          // of it
    bool single;                     // one configuration was asked for
    size_t asked, given, skipped;    // configurations
    size_t failed;                   // ended by a crash, a hang, a lost device or a refusal
    struct lit_error *error;
    bool broken; // a file could not be written
};

// The tool's text in place of the built-in decoder's, where it is wanted and there.
static bool disassemble(const struct asking *a, struct isa_code *code, struct sass_code *sass)
{
    const struct isa_piece *machine = isa_find(code, ISA_MACHINE);
    struct lit_error error = {0};
    if (!machine || a->chosen->disassembler == EXP_BUILT_IN ||
        (a->chosen->disassembler == EXP_AUTO && !a->single))
        return false;
    if (sass_nvdisasm((const uint8_t *)machine->bytes, machine->size, machine->architecture,
                      NVDISASM_SECONDS, sass, &error))
        return true;
    sass_code_clear(sass);
    if (a->chosen->disassembler == EXP_NVDISASM)
        isa_remark(code, "%s: the built-in decoder is used", error.message);
    return false;
}

static bool take(const struct cat_case *which, enum eng_result result, const char *reason,
                 struct isa_code *code, void *user)
{
    struct asking *a = user;
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    a->asked++;
    if (result == ENG_SKIP) {
        a->skipped++;
        if (a->single || a->chosen->verbose)
            printf("  %s: skip: %s\n", name.data, reason);
    } else if (result != ENG_PASS) {
        a->failed++;
        printf("  %s: %s: %s\n", name.data, eng_result_name(result), reason);
    } else {
        struct sass_code sass;
        const bool by_tool = disassemble(a, code, &sass);
        a->given++;
        a->broken = a->chosen->keep &&
                    !isa_keep(a->chosen->keep, a->device->number, name.data, code, a->error);
        a->study.module = report_known->words;
        isa_study_add(&a->study, name.data, code, by_tool ? &sass : NULL, "nvdisasm");
    }
    return !a->broken;
}

static enum eng_end ask_device(struct asking *a)
{
    struct text text = {0};
    char reason[512];
    const struct eng_capture capture = {
        .watch = &a->devices.watch, .device = a->device, .take = take, .user = a};
    const size_t skipped = a->skipped;
    OWNED(eng_plan_clear)
    struct eng_plan plan = eng_plan_make(&a->selection, &a->device->facts, false, 0);
    a->single = plan.count == 1;
    ses_devices_heading(&a->devices, a->device);
    printf("  %s configuration%s\n", COUNT(plan.count), plan.count == 1 ? "" : "s");
    term_flush();
    const enum eng_end end = eng_capture(&capture, plan.cases, plan.count, reason);
    isa_study_finish(&a->study, report_code_describe);
    if (a->skipped > skipped)
        text_printf(&text, "  %zu skipped: the device lacks something that they need\n",
                    a->skipped - skipped);
    if (a->study.count)
        put_study(&a->study, a->chosen->listing, a->chosen->diff, a->chosen->every, &text);
    text_puts(&text, "\n");
    term_print(&text);
    if (eng_end_stops(end))
        fprintf(stderr, "litmus: device %u stops: %s\n", a->device->number, reason);
    isa_study_clear(&a->study);
    return end;
}

// Adds what a pipeline cache holds, by its name.
static bool read_cache(struct asking *a, const char *path)
{
    OWNED(text_free) struct text bytes = {0};
    struct isa_code code = {0};
    bool good = lit_file_read(path, ISA_MOST_BYTES, &bytes, a->error);
    if (good && !isa_add_cache(&code, path, bytes.data ? bytes.data : "", bytes.length))
        good = lit_fail(a->error, LIT_EXIT_USAGE, "%.300s is not a pipeline cache", path);
    if (good) {
        a->given += isa_find(&code, ISA_MACHINE) != NULL;
        isa_study_add(&a->study, path, &code, NULL, NULL);
    }
    return good;
}

static int read_files(struct asking *a)
{
    struct text text = {0};
    bool good = true;
    for (size_t i = 0; i < a->patterns.count && good; i++)
        good = read_cache(a, a->patterns.items[i]);
    isa_study_finish(&a->study, NULL);
    if (good)
        put_study(&a->study, a->chosen->listing, false, a->chosen->every, &text);
    term_print(&text);
    isa_study_clear(&a->study);
    if (!good)
        return term_fail(a->error);
    return a->given ? LIT_EXIT_OK : LIT_EXIT_NOTHING;
}

static int ask(struct asking *a)
{
    struct lit_error *error = a->error;
    bool lost = false;
    enum eng_end end = ENG_END_RAN;
    if (a->patterns.count == 0) {
        lit_fail(error, LIT_EXIT_USAGE, "missing PATTERN: as for 'litmus run'");
        return term_fail(error);
    }
    if (a->chosen->read)
        return read_files(a);
    a->selection = (struct cat_selection){
        .patterns = a->patterns.items, .count = a->patterns.count, .thorough = a->chosen->thorough};
    if (!cat_selection_check(&a->selection, error) || !ses_simt_use(&a->chosen->simt, error) ||
        (a->chosen->keep && !isa_keep_start(a->chosen->keep, error)))
        return term_fail(error);
    if (!ses_devices_find(&a->devices, &a->chosen->devices, error))
        return term_fail(error);
    SES_EACH_DEVICE (device, &a->devices) {
        if (end == ENG_END_SIGNAL || a->broken)
            break;
        a->device = device;
        end = ask_device(a);
        lost |= end == ENG_END_STOPS;
        a->failed += end == ENG_END_UNFIT;
    }
    if (a->broken)
        return term_fail(error);
    if (lost)
        return LIT_EXIT_DEVICE_LOST;
    if (a->failed)
        return LIT_EXIT_UNDECIDED;
    return a->given ? LIT_EXIT_OK : LIT_EXIT_NOTHING;
}

int exp_code(const struct exp_code_options *chosen, const struct lit_list *patterns,
             struct lit_error *error)
{
    if (!chosen->emulate && (chosen->from || chosen->seed.given || chosen->quiet)) {
        lit_fail(error, LIT_EXIT_USAGE, "%s is only for --execute",
                 chosen->from         ? "--kept"
                 : chosen->seed.given ? "--seed"
                                      : "--quiet");
        return term_fail(error);
    }
    if (chosen->emulate)
        return exp_emulate(chosen, patterns, error);
    struct asking a = {.chosen = chosen, .patterns = *patterns, .error = error};
    ses_devices_watch(&a.devices, chosen->timeout, 0, chosen->verbose);
    return ses_devices_end(&a.devices, ask(&a));
}
