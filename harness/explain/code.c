// SPDX-License-Identifier: Apache-2.0
// What drivers make of the tests: asked of devices, or read from files of pipeline caches.
#include "base/file.h"
#include "engine/client.h"
#include "explain/explain.h"
#include "report/code.h"
#include "report/format.h"
#include "report/known.h"
#include "session/device.h"

#include <stdio.h>
#include <string.h>

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
    struct eng_plan plan;
    struct text text = {0};
    char reason[512];
    const struct eng_capture capture = {
        .watch = &a->devices.watch, .device = a->device, .take = take, .user = a};
    const size_t skipped = a->skipped;
    eng_plan_make(&plan, &a->selection, &a->device->facts, false, 0);
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
        explain_study(&a->study, a->chosen->listing, a->chosen->diff, a->chosen->every, &text);
    text_puts(&text, "\n");
    term_print(&text);
    if (eng_end_stops(end))
        fprintf(stderr, "litmus: device %u stops: %s\n", a->device->number, reason);
    isa_study_clear(&a->study);
    eng_plan_clear(&plan);
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
        explain_study(&a->study, a->chosen->listing, false, a->chosen->every, &text);
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
