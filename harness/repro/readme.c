// SPDX-License-Identifier: Apache-2.0
// README.md of a bundle: what litmus asks there, the files and how to use them; and pages of this
// repository, rewritten for readers who have nothing but a bundle.
#include "base/file.h"
#include "model/emulated.h"
#include "report/format.h"
#include "repro/repro.h"

#include <ctype.h>

// --- annotated.spvasm

// Whether an instruction begins at `at`: `OpName` or `%id = Op`.
static bool begins_instruction(const char *at)
{
    if (*at == '%') {
        at += strcspn(at, " \n");
        if (strncmp(at, " = ", 3) != 0)
            return false;
        at += 3;
    }
    return at[0] == 'O' && at[1] == 'p' && isupper((unsigned char)at[2]);
}

// Appends a line of assembly; each further instruction on it gets its own line.
static void put_instructions(const char *line, size_t size, struct text *out)
{
    bool quoted = false, first = true, result = false;
    const size_t indent = strspn(line, " ");
    for (size_t i = 0; i < size; i++) {
        if (!quoted && line[i] == ';') {
            text_append(out, line + i, size - i);
            break;
        }
        quoted ^= line[i] == '"' && (!i || line[i - 1] != '\\');
        const bool word = !quoted && (!i || line[i - 1] == ' ') && begins_instruction(line + i);
        if (word && !result && !first) {
            while (out->data[out->length - 1] == ' ')
                out->data[--out->length] = '\0';
            text_printf(out, "\n%*s", (int)(indent < 24 ? indent : 24), "");
        }
        if (word) {
            first = false;
            result = line[i] == '%'; // its opcode follows
        }
        text_append(out, line + i, 1);
    }
    text_puts(out, "\n");
}

// Appends `size` bytes of words without "(docs/...)", which names a page of the repository.
static void put_without_pages(const char *words, size_t size, struct text *out)
{
    static const char page[] = " (docs/";
    for (size_t i = 0; i < size; i++) {
        const size_t end = i + strcspn(words + i, ")\n");
        if (!strncmp(words + i, page, strlen(page)) && end < size)
            i = end;
        else
            text_append(out, words + i, 1);
    }
}

// Appends a comment, unless it is the name of a page of this repository.
static void put_comment(const char *line, size_t size, struct text *out)
{
    static const char bug[] = "; bug ";
    if (!strncmp(line, bug, strlen(bug)))
        return;
    put_without_pages(line, size, out);
    text_puts(out, "\n");
}

void repro_annotated(const char *page, struct text *out)
{
    for (const char *at = page; *at;) {
        const size_t size = strcspn(at, "\n");
        if (at[strspn(at, " ")] == ';')
            put_comment(at, size, out);
        else
            put_instructions(at, size, out);
        at += size + (at[size] == '\n');
    }
}

// --- report.md

struct link {
    const char *label, *target;
    size_t label_size, target_size;
};

// The link at `at`, if one is there that does not lead to a site.
static bool take_link(const char *at, struct link *link)
{
    const char *end = *at == '[' ? strchr(at, ']') : NULL;
    if (!end || end[1] != '(' || !strncmp(end + 2, "http", 4))
        return false;
    *link = (struct link){at + 1, end + 2, (size_t)(end - at - 1), strcspn(end + 2, ")")};
    return link->target[link->target_size] == ')';
}

// Takes away what leads to a link that goes: "text ([" or "text (other, [".
static bool cut_lead(struct text *out)
{
    size_t length = out->length;
    while (length && isspace((unsigned char)out->data[length - 1]))
        length--;
    if (!length || !strchr("(,", out->data[length - 1]))
        return false;
    const bool whole = out->data[length - 1] == '(';
    for (length--; whole && length && isspace((unsigned char)out->data[length - 1]);)
        length--;
    out->data[out->length = length] = '\0';
    return whole;
}

// Appends what stands in place of a link: its label; for a file of the bundle the name, too;
// nothing if all that the parentheses around it say is where a page of the repository is. Returns
// what follows.
static const char *put_link(const struct link *link, const char *folder, struct text *out)
{
    const char *next = link->target + link->target_size + 1;
    const size_t own = strlen(folder);
    const char *file = link->target + own + 1;
    const size_t size = link->target_size - own - 1;
    if (link->target_size > own + 1 && !strncmp(link->target, folder, own) && file[-1] == '/') {
        if (out->length && out->data[out->length - 1] == '(')
            text_append(out, file, size);
        else
            text_printf(out, "%.*s (`%.*s`)", (int)link->label_size, link->label, (int)size, file);
    } else if (link->target[0] != '#' && *next == ')' && out->length &&
               strchr("( \n", out->data[out->length - 1])) {
        const size_t before = out->length;
        const bool whole = cut_lead(out);
        if (out->length == before)
            text_append(out, link->label, link->label_size);
        next += whole;
    } else {
        text_append(out, link->label, link->label_size);
    }
    return next;
}

void repro_report(const char *page, const char *folder, struct text *out)
{
    const char *points = strstr(page, "\n- **Bundle:**");
    for (const char *at = page; *at;) {
        struct link link;
        if (at == points) {
            at = strstr(at, "\n\n");
            at = at ? at : "";
        } else if (take_link(at, &link)) {
            at = put_link(&link, folder, out);
        } else {
            text_append(out, at++, 1);
        }
    }
}

// --- README.md

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
    OWNED(text_free) struct text line = text_format("**A failing outcome means:** %s", head->fails);
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
    text_puts(&line, "Origin: ");
    put_without_pages(head->origin, strlen(head->origin), &line);
    text_paragraph(out, "", line.data);
    text_puts(out, "\n");
}

static void put_conditions(const struct repro *repro, struct text *out)
{
    const struct result *result = repro->result;
    if (dev_facts_emulated(repro->facts))
        text_puts(
            out,
            "This was no hardware: the driver ran on a GPU in software, litmus's emulator.\n\n");
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

// What the reproducer printed where it was measured.
static void put_output(const struct repro_bundle *bundle, struct text *out)
{
    enum { MOST_LINES = 32, MOST_WIDTH = 160 };
    const struct text *output = repro_find(bundle, "output.txt");
    if (!output)
        return;
    text_puts(out, "There `sh run` printed (`output.txt`):\n\n");
    const char *at = output->data;
    for (int i = 0; *at && i < MOST_LINES; i++) {
        const size_t size = strcspn(at, "\n");
        text_printf(out, "%s%.*s\n", size ? "    " : "",
                    (int)(size < MOST_WIDTH ? size : MOST_WIDTH), at);
        at += size + (at[size] == '\n');
    }
    text_puts(out, *at ? "    ...\n\n" : "\n");
}

static void put_measured(const struct repro *repro, const struct repro_bundle *bundle,
                         struct text *out)
{
    const struct result *result = repro->result;
    if (!result) {
        text_puts(out, "## Results\n\nNot measured on this device.\n\n");
        return;
    }
    OWNED(text_free) struct text words = {0};
    text_puts(out, "## Results\n\n");
    if (result->judged)
        text_printf(&words, "%s of %s runs failed.", COUNT(result->failed_runs),
                    COUNT(result->judged));
    else
        text_printf(&words, "Measured: %s.", eng_result_name(result->result));
    text_puts(&words,
              " `ticket.md`, which is for a bug tracker, has the machine, what was measured "
              "and what the specification says.");
    text_paragraph(out, "", words.data);
    text_puts(out, "\n");
    put_output(bundle, out);
    put_conditions(repro, out);
    text_puts(out, "litmus is the program that found this, and made this folder, which does not "
                   "need it. Its command is\n\n    ");
    OWNED(text_free) struct text again = {0};
    const char *called = format_called;
    format_called = "litmus"; // readers may have it anywhere
    format_again(&again, repro->model, result);
    format_called = called;
    if (format_kernel)
        put_without_folders(out, again.data);
    else
        text_puts(out, again.data);
    text_puts(out, "\n\n");
}

static const struct {
    const char *name, *what;
} files[] = {
    {"ticket.md", "the text for a bug tracker"},
    {"test.spvasm", "the shader in assembly"},
    {"annotated.spvasm", "the same with the description of the test, names and comments"},
    {"test.comp", "the shader in GLSL; `spirv-dis test.spv` shows what glslang made of it"},
    {"source.txt", "the kernel's text: as it was brought, or disassembled"},
    {"test.spv", "the module that was run"},
    {"test.spv.sha256", "SHA-256 of each module; `make check`"},
    {"input.bin", "the buffer `input`, 32-bit words, little-endian"},
    {"counts.bin", "the bits of each word that count, 32-bit words"},
    {"settle.c", "litmus's own comparison where buffers may differ, included by `repro.c`"},
    {"fresh.bin", "what the other buffers hold before each run: `bindings` in `repro.c`"},
    {"expected.bin",
     "the expected output, as `repro.c` compares it; of one unit only, if all expect the same"},
    {"repro.c", "the reproducer: one file of C11, needs the Vulkan headers and the loader"},
    {"Makefile", "builds and runs it"},
    {"run", "the same as a script, with exit codes for `git bisect run`"},
    {"test.amber", "some of the runs as a script for Amber"},
    {"code.txt", "the compiled code, as text"},
    {"code.bin", "the compiled code: NVIDIA's machine code alone, else in the driver's own format"},
    {"code.sass", "the machine code, as NVIDIA's nvdisasm lists it"},
    {"code-statistics.txt", "the driver's statistics"},
    {"code-difference.txt", "difference to the code of the nearest passing variant"},
    {"output.txt", "what `sh run` printed on the machine that `ticket.md` names"},
    {"report.md", "all that was measured and read of this finding; its commands need litmus"},
    {"fix.patch", "a patch of the driver: `ticket.md` says what was tried with it"},
    {"facts.json", "machine, configuration and results for scripts"},
};

static void put_row(const struct repro_file *file, const char *what, struct text *out)
{
    text_printf(out, "| %s | %s | %s |\n", file->name, COUNT(file->content.length), what);
}

// The modules to compare with, and their sources.
static void put_others(const struct repro *repro, const struct repro_bundle *bundle,
                       struct text *out)
{
    const size_t prefix = strlen("other-");
    for (size_t i = 0; i < bundle->count; i++) {
        const struct repro_file *file = &bundle->files[i];
        OWNED(text_free) struct text name = {0}, what = {0};
        if (strncmp(file->name, "other-", prefix) != 0 ||
            !repro_other(repro->said, (size_t)(file->name[prefix] - '0'), &name))
            continue;
        if (!strcmp(strchr(file->name, '.'), ".spv"))
            text_printf(&what,
                        "a module to compare with, of the same data: `%s`; `sh run -m %s` runs it, "
                        "and `ticket.md` says how it ended",
                        lit_path_name(name.data), file->name);
        else
            text_printf(&what, "its %s",
                        strstr(file->name, ".comp") ? "source in GLSL" : "assembly");
        put_row(file, what.data, out);
    }
}

static void put_use(const struct repro *repro, const struct repro_bundle *bundle, struct text *out)
{
    const char *lacks = repro->amber ? repro_amber_lacks(repro) : NULL;
    const struct text *makefile = repro_find(bundle, "Makefile");
    text_printf(
        out,
        "## How to run it\n\n"
        "    make run                        # %" PRIu64 " runs\n"
        "    make run ARGS='-n 100000 -d 1'  # more, on device 1 of `./repro -l`\n"
        "    VK_DRIVER_FILES=/path/of/icd.json make run    # on the driver that this manifest "
        "names\n"
        "%s%s%s"
        "    sh run -m other.spv             # another module of the same interface\n\n"
        "`sh run` does the same for `git bisect run`. Its last line says its exit code:\n\n"
        "| exit code | |\n| ---: | --- |\n"
        "| 0 | no run was wrong |\n"
        "| 1 | a run was wrong, the driver crashed, or the device was lost or did not answer |\n"
        "| 125 | unknown: the device lacks something, or a file, or a choice is needed |\n\n",
        repro->runs,
        strstr(makefile->data, "\nassemble:")
            ? "    make assemble                   # new-test.spv of test.spvasm, and so on\n"
            : "",
        strstr(makefile->data, "\ncompile:")
            ? "    make compile                    # the same of each .comp, with glslang\n"
            : "",
        "    make check                      # are the modules those that were measured?\n");
    OWNED(text_free) struct text words = {0};
    if (repro->ready->code.subgroup)
        text_printf(&words, "The device must have subgroups of %" PRIu32 "%s. ",
                    repro->ready->code.subgroup,
                    repro->facts->driver_id == DRIVER_LAVAPIPE
                        ? " (lavapipe: vectors of that many words of 32 bits)"
                        : "");
    text_puts(
        &words,
        "Without `-d` it takes the device of the measured driver (UUID and driverInfo). If "
        "that is not there, it takes the only device with these ids, or the only device, "
        "prints THIS IS NOT THE MEASURED DRIVER, and its exit code is that device's. If there "
        "are several, it lists them and ends with 125. Before each run it fills the output "
        "with 0xc0dedead: a word with this value was never written.");
    text_paragraph(out, "", words.data);
    text_puts(out, "\n## Files\n\n| file | bytes | |\n| --- | ---: | --- |\n");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct text *content = repro_find(bundle, files[i].name);
        if (content)
            put_row(&(struct repro_file){files[i].name, *content}, files[i].what, out);
    }
    const struct text *evidence = repro_find(bundle, "evidence.txt");
    if (evidence)
        put_row(&(struct repro_file){"evidence.txt", *evidence},
                repro->ready->interface ? "what the check says of the kernel"
                                        : "evidence of the crash, the hang or the lost device",
                out);
    put_others(repro, bundle, out);
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
    put_measured(repro, bundle, out);
    repro_code_readme(repro, out);
    put_use(repro, bundle, out);
}
