// SPDX-License-Identifier: Apache-2.0
// Makes the files of a bundle, and writes all of them or none.

#include "repro/repro.h"

#include "base/folder.h"
#include "base/sha256.h"
#include "kernel/kernel.h"
#include "report/format.h"

// Makefile.txt and run.sh, terminated; the build makes them.
extern const char repro_makefile[], repro_run[];

void repro_of_test(struct repro *repro, struct text *name)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_test *test = ready->which.test;
    cat_case_name(&ready->which, name);
    repro->name = name->data;
    repro->head = &test->head;
    repro->page = cat_module_page(test, ready->module);
    repro->words = cat_module_words(test, ready->module);
    repro->expectation = cat_expectation_name(cat_case_expectation(&ready->which, &repro->reason));
}

bool repro_from_glsl(const struct repro *repro)
{
    const char *variant = repro->ready->module->variant;
    return strstr(variant, "form=glslang") != NULL;
}

uint32_t repro_stride(const struct repro *repro)
{
    return cat_check_stride(repro->ready->mode.check);
}

uint64_t repro_output_words(const struct repro *repro)
{
    return repro->ready->shape.instances * repro->ready->shape.words_per_instance;
}

uint64_t repro_expected_words(const struct repro *repro)
{
    const uint32_t *expected = repro->ready->expected, stride = repro_stride(repro);
    const uint64_t all = repro_output_words(repro) * stride;
    const uint64_t one = repro->ready->shape.words_per_instance * stride;
    return stride == 1 || memcmp(expected, expected + one, (all - one) * 4) ? all : one;
}

enum repro_compare repro_compare(const struct cat_mode *mode, const uint32_t *expected,
                                 uint32_t *word)
{
    *word = expected[0];
    if (mode->check == CAT_CHECK_EQUAL || mode->check == CAT_CHECK_TAG)
        return REPRO_EQUAL;
    if (mode->check == CAT_CHECK_MASK) {
        // A mask is exact if it has no alternative and no room between its bounds.
        const uint32_t lower = expected[2], upper = expected[3];
        const bool room = !(lower & ~upper) && (lower != expected[0] || upper != expected[0]);
        return expected[1] == expected[0] && !room ? REPRO_EQUAL : REPRO_OPEN;
    }
    size_t right = 0;
    bool has_wrong = false;
    uint32_t only = 0;
    for (uint32_t i = 0; i < CAT_CHOICES; i++) {
        bool first = true;
        for (uint32_t j = 0; j < i; j++)
            first = first && expected[j] != expected[i];
        const bool fails = first && (mode->choice.fails >> i & 1);
        right += first && !fails;
        has_wrong = has_wrong || fails;
        only = fails ? expected[i] : only;
    }
    if (right == 1 && (mode->choice.fails >> CAT_CHOICES & 1))
        return REPRO_EQUAL;
    *word = only;
    return has_wrong ? REPRO_DIFFERENT : REPRO_OPEN;
}

bool repro_fits(const struct eng_prepared *ready, struct lit_error *error)
{
    const struct cat_head *head = ready->which.test ? &ready->which.test->head : NULL;
    if (ready->mode.check == CAT_CHECK_STATE)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "there are no reproducers of litmus tests: their files are (litmus run "
                        "FILE.litmus)");
    if (ready->interface && ready->interface->address_count)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "there are no reproducers of kernels that are given addresses of buffers");
    for (size_t i = 0; head && i < head->sweep_count; i++)
        if (cat_case_sweep(&ready->which, i) == CAT_LARGEST)
            return lit_fail(error, LIT_EXIT_USAGE,
                            "%s=largest depends on the memory of the machine: name a number",
                            head->sweeps[i].name);
    const struct cat_shape *shape = &ready->shape;
    const uint64_t output =
        shape->instances * shape->words_per_instance * cat_check_stride(ready->mode.check);
    const uint64_t most = output > shape->input_words ? output : shape->input_words;
    return most <= REPRO_MOST_WORDS ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "a file of %" PRIu64 " bytes would be needed, and a bundle has at most %" PRIu64
                    ": choose a smaller configuration",
                    most * 4, REPRO_MOST_WORDS * 4);
}

// SPIR-V 1.4 and 1.5 both came with Vulkan 1.2.
static bool is_newer(const struct repro *repro)
{
    return repro->words[1] >= 0x00010400;
}

const char *repro_spirv(const struct repro *repro)
{
    return is_newer(repro) ? "spv1.5" : "spv1.3";
}

struct text *repro_add(struct repro_bundle *bundle, const char *name)
{
    struct repro_file *file = &bundle->files[bundle->count++];
    *file = (struct repro_file){.name = name};
    text_puts(&file->content, "");
    return &file->content;
}

const struct text *repro_find(const struct repro_bundle *bundle, const char *name)
{
    for (size_t i = 0; i < bundle->count; i++)
        if (!strcmp(bundle->files[i].name, name))
            return &bundle->files[i].content;
    return NULL;
}

static void add_words(struct repro_bundle *bundle, const char *name, const uint32_t *words,
                      uint64_t count)
{
    text_append(repro_add(bundle, name), (const char *)words, (size_t)count * 4);
}

static void add_evidence(const struct result *result, struct text *out)
{
    for (size_t i = 0; i < ENG_EVIDENCES; i++)
        if (result->evidence[i]) {
            text_printf(out, "%s:\n\n", report_evidence_title((enum eng_evidence)i));
            report_evidence_lines(out, result, (enum eng_evidence)i, SIZE_MAX, "  ");
            text_puts(out, "\n");
        }
}

// Adds files for a kernel from outside: the other pipelines' modules, what may differ.
static void add_interface(struct repro_bundle *bundle, const struct cat_interface *interface)
{
    for (size_t i = 0; i < interface->part_count; i++)
        if (interface->parts[i].word_count)
            add_words(bundle, repro_part_names[i], interface->parts[i].words,
                      interface->parts[i].word_count);
    if (interface->counts)
        add_words(bundle, "counts.bin", interface->counts, interface->count_words);
    if (!cat_interface_is_exact(interface))
        repro_settling(repro_add(bundle, "settle.c"));
}

static void add_page(const struct repro *repro, struct repro_bundle *bundle)
{
    if (repro->ready->interface)
        text_puts(repro_add(bundle, "source.txt"), repro->page);
    else if (repro_from_glsl(repro))
        text_puts(repro_add(bundle, "test.comp"), repro->page);
    else
        repro_annotated(repro->page,
                        repro_add(bundle, repro->plain ? "annotated.spvasm" : "test.spvasm"));
}

// The Makefile, with the sources of modules that the bundle has, and SHA-256 of all modules.
static void add_sources(const struct repro *repro, struct repro_bundle *bundle)
{
    OWNED(text_free) struct text assembly = {0}, glsl = {0};
    struct text *sums = repro_add(bundle, "test.spv.sha256");
    struct text *makefile = repro_add(bundle, "Makefile");
    for (size_t i = 0; i < bundle->count; i++) {
        const struct repro_file *file = &bundle->files[i];
        char sha256[SHA256_TEXT];
        if (krn_ends(file->name, ".spv")) {
            sha256_text(file->content.data, file->content.length, sha256);
            text_printf(sums, "%s  %s\n", sha256, file->name);
        } else if (krn_ends(file->name, ".comp")) {
            text_printf(&glsl, " new-%.*s.spv", (int)strlen(file->name) - 5, file->name);
        } else if (krn_ends(file->name, ".spvasm") && strcmp(file->name, "annotated.spvasm") != 0) {
            text_printf(&assembly, " new-%.*s.spv", (int)strlen(file->name) - 7, file->name);
        }
    }
    text_printf(makefile, "%s\n# Of the module.\nSPIRV = %s\nVULKAN = vulkan%s\n", repro_makefile,
                repro_spirv(repro), is_newer(repro) ? "1.2" : "1.1");
    if (assembly.length)
        text_printf(makefile, "\n.PHONY: assemble\nassemble:%s\n", assembly.data);
    if (glsl.length)
        text_printf(makefile, "\n.PHONY: compile\ncompile:%s\n", glsl.data);
}

void repro_make(const struct repro *repro, struct repro_bundle *bundle)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_module *module = ready->module;
    memset(bundle, 0, sizeof *bundle);
    struct text *readme = repro_add(bundle, "README.md"), *ticket = repro_add(bundle, "ticket.md");
    if (repro->plain)
        text_puts(repro_add(bundle, "test.spvasm"), repro->plain);
    if (!repro->plain || strcmp(repro->plain, repro->page) != 0)
        add_page(repro, bundle);
    add_words(bundle, "test.spv", repro->words, module->count);
    if (ready->shape.input_words)
        add_words(bundle, "input.bin", ready->input, ready->shape.input_words);
    if (ready->fresh)
        add_words(bundle, "fresh.bin", ready->fresh,
                  repro_output_words(repro) + ready->shape.state_words);
    add_words(bundle, "expected.bin", ready->expected, repro_expected_words(repro));
    if (ready->interface)
        add_interface(bundle, ready->interface);
    repro_program(repro, repro_add(bundle, "repro.c"));
    text_puts(repro_add(bundle, "run"), repro_run);
    if (repro->amber && !ready->interface && !repro_amber_lacks(repro))
        repro_amber(repro, repro_add(bundle, "test.amber"));
    repro_facts(repro, repro_add(bundle, "facts.json"));
    if (repro->result && report_evidence_any(repro->result))
        add_evidence(repro->result, repro_add(bundle, "evidence.txt"));
    repro_code(repro, bundle);
    for (size_t i = 0; repro->kept && i < repro->kept->count; i++) {
        const struct repro_file *file = &repro->kept->files[i];
        if (!strcmp(file->name, "code.txt"))
            repro_mark(repro, &file->content, repro_add(bundle, file->name));
        else
            text_append(repro_add(bundle, file->name), file->content.data, file->content.length);
    }
    add_sources(repro, bundle);
    repro_ticket(repro, bundle, ticket);
    repro_readme(repro, bundle, readme);
}

void repro_clear(struct repro_bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++)
        text_free(&bundle->files[i].content);
    bundle->count = 0;
}

// The package writes its own script, and the files beside it.
static bool write_kernel_script(const struct repro *repro, const char *folder,
                                struct lit_error *error)
{
    char test[] = "test";
    OWNED(text_free) struct text path = {0}, remark = {0};
    struct cat_package package = *repro->ready->which.test->package;
    package.name = (struct text){.data = test, .length = strlen(test)};
    text_printf(&remark, "# %s\n# amber -d -t %s -v 1.3 test.amber\n", repro->name,
                repro_spirv(repro));
    return script_write(&package, remark.data, folder, &path, error);
}

bool repro_write(const struct repro *repro, const struct repro_bundle *bundle, const char *folder,
                 struct lit_error *error)
{
    OWNED(lit_free) struct lit_folder_file *files = lit_alloc(bundle->count + 1, sizeof *files);
    for (size_t i = 0; i < bundle->count; i++)
        files[i] =
            (struct lit_folder_file){(char *)bundle->files[i].name, bundle->files[i].content};
    const struct lit_folder made = {files, bundle->count};
    return lit_folder_write(&made, folder, NULL, error) &&
           (!repro->amber || !repro->ready->interface || repro_amber_lacks(repro) ||
            write_kernel_script(repro, folder, error));
}
