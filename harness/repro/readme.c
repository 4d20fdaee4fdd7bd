// SPDX-License-Identifier: Apache-2.0
// README.md of a bundle: what litmus asks there, the files and how to use them.

#include "model/emulated.h"
#include "report/format.h"
#include "repro/repro.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

void repro_escape(struct text *out, const char *string)
{
    for (const char *at = string; *at; at++) {
        const bool in_word =
            at > string && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
        if (strchr("\\`*{}[]<>#|!~@&$", *at) || (*at == '_' && !in_word))
            text_printf(out, "&#%d;", *at);
        else
            text_append(out, at, 1);
    }
}

void repro_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(out, repro_escape, format, &arguments);
    va_end(arguments);
}

// For a kernel from outside: the check's findings, as lines of code.
static void put_check(const struct repro *repro, struct text *out)
{
    const struct cat_test *test = repro->ready->which.test;
    const char *check = test ? cat_test_check(test) : NULL;
    for (const char *at = check; at && *at;) {
        const size_t length = strcspn(at, "\n");
        text_printf(out, "    %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    text_puts(out, check ? "\n" : "");
}

static void put_question(const struct repro *repro, struct text *out)
{
    const struct cat_head *head = repro->head;
    text_printf(out, "# %s\n\n`%s`\n\n", head->name, repro->name);
    put_check(repro, out);
    text_paragraph(out, "", head->asks);
    text_puts(out, "\n");
    OWNED(text_free) struct text line = {0};
    text_printf(&line, "**A failing outcome means:** %s", head->fails);
    text_paragraph(out, "", line.data);
    text_free(&line);
    if (repro->expectation) {
        text_printf(&line, "**What is expected:** %s: %s.", repro->expectation,
                    repro->reason ? repro->reason : "");
        text_puts(out, "\n");
        text_paragraph(out, "", line.data);
        text_free(&line);
    }
    text_puts(out, "\n");
    text_printf(&line, "Origin: %s", head->origin);
    text_paragraph(out, "", line.data);
    text_puts(out, "\n");
}

static void put_conditions(const struct repro *repro, struct text *out)
{
    const struct result *result = repro->result;
    if (dev_facts_emulated(repro->facts))
        text_puts(out, "This was no hardware: the driver ran on a GPU in software (docs/rdna.md of "
                       "litmus).\n\n");
    else if (repro->model->simt)
        repro_printf(out, "This was the SIMT simulator of litmus, a simulated driver: %s.\n\n",
                     repro->model->simt);
    if (result->stress[0])
        repro_printf(out,
                     "It was measured under stress (%s), which the reproducer does not apply: "
                     "without it the failure may be rarer.\n\n",
                     result->stress);
    if (result->seed != repro->seed)
        text_printf(out,
                    "It was measured with seed 0x%" PRIx64 "; the files here are of seed 0x%" PRIx64
                    ".\n\n",
                    result->seed, repro->seed);
}

// Puts a command line for others: only the names of files, without folders.
static void put_without_folders(struct text *out, const char *line)
{
    size_t word = out->length;
    bool quoted = false;
    for (; *line; line++) {
        quoted ^= *line == '\'';
        if (*line == '/')
            out->length = word;
        else
            text_append(out, line, 1);
        if (strchr("'\"=:", *line) || (*line == ' ' && !quoted))
            word = out->length;
    }
    text_puts(out, "");
}

static void put_measured(const struct repro *repro, struct text *out)
{
    const struct result *result = repro->result;
    text_puts(
        out, "## Results\n\n`ticket.md`, which is for a bug tracker, has the machine, the rate and "
             "what the specification says.\n\n");
    if (!result || !result->runs) {
        text_puts(out, "Not measured on this device.\n\n");
        return;
    }
    put_conditions(repro, out);
    text_puts(out, "To measure it again with litmus:\n\n    ");
    OWNED(text_free) struct text again = {0};
    const char *called = format_called();
    format_program("litmus"); // readers may have it anywhere
    format_again(&again, repro->model, result);
    format_program(called);
    if (format_kernel_given())
        put_without_folders(out, again.data);
    else
        text_puts(out, again.data);
    text_puts(out, "\n\n");
}

static const struct {
    const char *name, *what;
} files[] = {
    {"ticket.md", "the text for a bug tracker"},
    {"test.spvasm", "the shader in assembly; `make assemble` makes the module of it"},
    {"annotated.spvasm", "the same with litmus's description, names and comments"},
    {"test.comp", "the shader in GLSL; `spirv-dis test.spv` shows what glslang made of it"},
    {"source.txt", "the kernel's text: as it was brought, or disassembled"},
    {"test.spv", "the module that was run"},
    {"test.spv.sha256", "its SHA-256; `make check`"},
    {"input.bin", "the buffer `input`, 32-bit words, little-endian"},
    {"counts.bin", "the bits of each word that count, 32-bit words"},
    {"settle.c", "litmus's own comparison where buffers may differ, included by `repro.c`"},
    {"fresh.bin", "what the other buffers hold before each run: `bindings` in `repro.c`"},
    {"expected.bin", "the expected output, as `repro.c` compares it; of one unit if all are equal"},
    {"repro.c", "the reproducer: one file of C11, needs the Vulkan headers and the loader"},
    {"Makefile", "builds and runs it"},
    {"run", "the same as a script, with exit codes for `git bisect run`"},
    {"test.amber", "some of the runs as a script for Amber"},
    {"code.txt", "the compiled code, as text"},
    {"code.bin", "the compiled code, as bytes"},
    {"code.sass", "the machine code, as NVIDIA's nvdisasm lists it"},
    {"code-statistics.txt", "the driver's statistics"},
    {"code-difference.txt", "difference to the code of the nearest passing variant"},
    {"evidence.txt",
     "what the check says of the kernel; evidence of the crash, the hang or the lost device"},
    {"report.md", "all that was measured and read of this finding"},
    {"fix.patch", "a patch of the driver: `ticket.md` says what was tried with it"},
    {"other-1.spv", "another module of the same interface: `sh run -m other-1.spv`"},
    {"facts.json", "machine, configuration and results for scripts"},
};

static void put_use(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    const char *lacks = repro->amber ? repro_amber_lacks(repro) : NULL;
    text_printf(
        out,
        "## How to run it\n\n"
        "    make run                        # %" PRIu64 " runs\n"
        "    make run ARGS='-n 100000 -d 1'  # more, on device 1 of `./repro -l`\n"
        "%s%s"
        "    ./repro -m other.spv            # another module of the same interface\n\n"
        "`sh run` does the same for `git bisect run`: its last line says its exit code. Without "
        "`-d` it takes\nthe device of the measured driver (UUID and driverInfo), and ends with 125 "
        "where it cannot tell\nwhich that is.\n\n"
        "## Files\n\n| file | bytes | |\n| --- | ---: | --- |\n",
        repro->runs,
        repro_from_glsl(repro)
            ? "    make compile                    # test.spv anew from test.comp\n"
            : "",
        repro_find(bundle, "test.spvasm")
            ? "    make assemble                   # test.spv anew from test.spvasm\n"
            : "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct text *content = repro_find(bundle, files[i].name);
        if (content)
            text_printf(out, "| %s | %s | %s |\n", files[i].name, COUNT(content->length),
                        files[i].what);
    }
    for (size_t i = 0; i < bundle->count; i++)
        if (strncmp(bundle->files[i].name, "part-", 5) == 0)
            text_printf(out, "| %s | %s | the module of `parts[%.*s]` in `repro.c` |\n",
                        bundle->files[i].name, COUNT(bundle->files[i].content.length),
                        (int)strspn(bundle->files[i].name + 5, "0123456789"),
                        bundle->files[i].name + 5);
    if (repro->amber && repro->ready->interface && !lacks)
        text_puts(
            out,
            "| test.amber | | the run as a script for Amber, with the files that it names |\n");
    if (lacks)
        text_printf(out, "\nThere is no test.amber: %s.\n", lacks);
    text_puts(out, "\nThe reproducer makes the same dispatches as litmus: the same module, "
                   "specialization\nconstants, features, data and seeds, new buffers for each run, "
                   "and a new pipeline\nevery 500 runs. It checks on the host, so a copy runs "
                   "between two dispatches instead of a\nsecond shader.\n");
}

void repro_readme(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    put_question(repro, out);
    put_measured(repro, out);
    repro_code_readme(repro, out);
    put_use(repro, bundle, out);
}
