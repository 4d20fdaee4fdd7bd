// SPDX-License-Identifier: Apache-2.0
// Turns a litmus test's file into a test of the catalogue: its final states by the memory model and
// its kernel, as a package; and exports such tests for other tools: a file, a test made from one,
// or a configuration that can be written as a program of the memory model.
#include "kernel/litmus.h"

#include "axiomatic/decide.h"
#include "base/file.h"
#include "catalogue/catalogue.h"
#include "kernel/kernel.h"
#include "generate/concurrent.h"

#include <unistd.h>

_Static_assert((int)GEN_STATES == (int)CAT_STATES && (int)GEN_STATE_NAME == (int)CAT_CHOICE_NAME,
               "names of final states fit");
_Static_assert((int)AXI_REFERENCES == (int)CAT_MOST_LOCATIONS, "locations fit");

static bool is_litmus_file(const char *word)
{
    return krn_ends(word, ".litmus") || krn_ends(word, ".test");
}

// Writes the file as a comment, then the kernel.
static void put_page(const char *bytes, const struct gen_module *module, struct text *page)
{
    OWNED(lit_free) char *clean = lit_alloc(strlen(bytes) + 1, 1);
    text_sanitise_lines(clean, strlen(bytes) + 1, bytes);
    for (char *line = clean, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        text_printf(page, ";%s%.*s\n", end > line ? " " : "", (int)(end - line), line);
        end += *end != '\0';
    }
    text_puts(page, "\n");
    text_append(page, module->text.data, module->text.length);
}

static void fill_package(const struct gen_states *states, struct gen_concurrent *made,
                         struct cat_package *package)
{
    package->words = made->module.words;
    package->word_count = made->module.count;
    made->module.words = NULL;
    package->region[CAT_INPUT] = lit_alloc(states->size + 1, sizeof *states->table);
    package->region_words[CAT_INPUT] = states->size + 1;
    memcpy(package->region[CAT_INPUT], states->table, states->size * sizeof *states->table);
    package->litmus = (struct cat_litmus){.threads = made->threads,
                                          .buffered = made->buffered,
                                          .words = made->words,
                                          .forbids = states->forbids};
    memcpy(package->litmus.initial, made->initial, sizeof made->initial);
    memcpy(package->litmus.states.names, states->names, sizeof states->names);
    package->litmus.states.fails = states->fails;
    package->groups = made->places[0];
    package->workgroup = made->places[1];
    package->subgroup = made->places[2];
}

static bool make(const char *bytes, struct axi_program *program, struct cat_package *package,
                 struct lit_error *error)
{
    const struct axi_options how = {.rounds = 2, .most = 10000000, .listed = 200000};
    OWNED(axi_verdict_clear) struct axi_verdict verdict = {0};
    OWNED(gen_states_clear) struct gen_states states = {0};
    struct gen_concurrent made = {0};
    if (!axi_ask_reads(program))
        return lit_fail(error, LIT_EXIT_UNDECIDED, "too many reads that say what they read");
    // Devices ignore the filter, so also look at what it excludes.
    const int filter = program->filter;
    program->filter = AXI_TRUE;
    bool good = !program->observed_count || axi_decide(program, &how, &verdict, error);
    program->filter = filter;
    good = good && gen_states_make(program, &verdict, &states, error) &&
           gen_concurrent_make(program, &states, &made, error);
    if (good) {
        put_page(bytes, &made.module, &package->page);
        fill_package(&states, &made, package);
    }
    gen_module_clear(&made.module);
    return good;
}

bool krn_litmus_add(const char *path, const struct text *bytes, const struct cat_test **test,
                    struct lit_error *error)
{
    OWNED(text_free) struct text packed = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    OWNED(cat_package_clear) struct cat_package package = {0};
    const char *file = lit_path_name(path);
    char origin[200];
    text_sanitise(origin, sizeof origin, file);
    text_puts(&package.origin, origin);
    krn_name(file, (size_t)(strrchr(file, '.') - file), &package.name);
    if (!axi_parse(bytes->data ? bytes->data : "", bytes->length, &program, error) ||
        !make(bytes->data, &program, &package, error))
        return false;
    cat_package_write(&package, &packed);
    return cat_test_add(packed.data, packed.length, test, error);
}

static bool add_litmus(const char *path, const struct cat_test **test, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    struct lit_error why = {0};
    return lit_file_read(path, AXI_MOST_BYTES, &bytes, error) &&
           (krn_litmus_add(path, &bytes, test, &why) ||
            lit_fail(error, why.code, "%.200s: %s", path, why.message));
}

// Adds a program stored by litmus fuzz.
static bool add_program(const char *path, const struct cat_test **test, struct lit_error *error)
{
    const struct krn_options none = {0};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text packed = {0};
    struct lit_error why = {0};
    text_puts(&package.origin, "litmus fuzz"); // its page says what counts
    if (!krn_load(path, &none, &package.words, &package.word_count, &package.page, error))
        return false;
    cat_package_write(&package, &packed);
    return cat_test_add(packed.data, packed.length, test, &why) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%.150s is not a test that litmus fuzz stored: %.200s (a kernel of your own: "
                    "litmus kernel FILE)",
                    path, why.message);
}

bool krn_files_take(struct lit_list *patterns, bool but_litmus, struct lit_error *error)
{
    static const char *const kernels[] = {".spv", ".comp", ".glsl", ".amber"};
    size_t kept = 0, left_out = 0;
    for (size_t i = 0; i < patterns->count; i++) {
        const char *path = patterns->items[i];
        const bool is_litmus = is_litmus_file(path) && !but_litmus;
        const struct cat_test *test = NULL;
        struct lit_error why = {0};
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
            if (krn_ends(path, kernels[k]) && access(path, F_OK) == 0)
                return lit_fail(error, LIT_EXIT_USAGE,
                                "%.200s is a kernel of your own: litmus kernel FILE COMMAND", path);
        if ((is_litmus && !add_litmus(path, &test, &why)) ||
            (krn_ends(path, ".spvasm") && !add_program(path, &test, &why))) {
            if (why.code != LIT_EXIT_UNDECIDED)
                return lit_fail(error, why.code, "%s", why.message);
            fprintf(stderr, "litmus: skipped: %s\n", why.message);
            left_out++;
            continue;
        }
        patterns->items[kept++] = test ? test->head.name : path;
    }
    patterns->count = kept;
    return kept || !left_out ||
           lit_fail(error, LIT_EXIT_UNDECIDED, "none of the %zu litmus test%s can be run", left_out,
                    left_out == 1 ? "" : "s");
}

// --- Export

// A test made from a file has the file as a comment before its kernel.
static void take_page(const char *page, struct text *bytes)
{
    for (const char *line = page; *line == ';'; line += strcspn(line, "\n") + 1) {
        const size_t from = 1 + (line[1] == ' ');
        text_append(bytes, line + from, strcspn(line + from, "\n"));
        text_puts(bytes, "\n");
    }
}

// Finds the test's program as .litmus, and its configuration.
static bool find(const char *name, struct text *bytes, struct text *remark, struct lit_error *error)
{
    struct cat_case which = {.test = cat_test_find(name)};
    if (!which.test && !cat_case_first(name, &which, error))
        return false;
    if (which.test->package && which.test->package->litmus.threads) {
        take_page(which.test->package->page.data, bytes);
        return true;
    }
    cat_case_name(&which, remark);
    text_printf(remark, ": %s", cat_expectation_name(cat_case_expect(&which)->expectation));
    return cat_case_formal(&which, bytes, error);
}

// A .test has no name, and more than the one condition of a .litmus.
static void name_test(const char *path, struct axi_program *program, struct text *remark)
{
    const char *name = lit_path_name(path);
    snprintf(program->name, sizeof program->name, "%.*s",
             (int)(strrchr(name, '.') ? strrchr(name, '.') - name : 0), name);
    for (size_t i = 0; i < program->check_count; i++)
        text_printf(remark, "%s%s", i ? "; " : "", program->checks[i].text);
}

bool krn_litmus_export(const char *name, bool dat3m, struct text *text, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0}, remark = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    struct lit_error why = {0};
    const bool is_file = is_litmus_file(name);
    if (is_file && !lit_file_read(name, AXI_MOST_BYTES, &bytes, error))
        return false;
    if ((!is_file && !find(name, &bytes, &remark, &why)) ||
        !axi_parse(bytes.data ? bytes.data : "", bytes.length, &program, &why))
        return lit_fail(error, why.code, "%.200s: %s", name, why.message);
    if (!remark.length && !program.name[0])
        name_test(name, &program, &remark);
    if (!axi_ask_reads(&program))
        return lit_fail(error, LIT_EXIT_UNDECIDED, "%.200s: too many reads that say what they read",
                        name);
    return (dat3m ? gen_dat3m(&program, text, &why)
                  : axi_write_program(&program, remark.data, text, &why)) ||
           lit_fail(error, why.code, "%.200s: %s", name, why.message);
}
