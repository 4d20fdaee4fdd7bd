// SPDX-License-Identifier: Apache-2.0
// litmus kernel: adds the user's kernel to the catalogue as a test, so that any other subcommand
// can use it like other tests.
#include "cli/kernel.h"

#include "cli/cli.h"

#include "base/file.h"
#include "catalogue/catalogue.h"
#include "report/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDE 65536 // bytes of the file next to a kernel

#define AT(member) offsetof(struct krn_options, member)

static const struct cli_option options[] = {
    {0, "buffer", CLI_LIST, AT(buffers), "SET.BINDING=WHAT",
     "what a buffer, or element 2 of an array of them (0.1[2]), holds\nbefore each run: "
     "random:SIZE (words),\nfloats:SIZE (from -1 to 1), "
     "iota:SIZE (0, 1, 2, ...),\nzero:SIZE; SIZE alone: nothing that counts; VALUES, as push "
     "constants\nhave; file:FILE or FILE: bytes, or words (*.words). SIZE is in\nbytes, or with K "
     "or M "
     "behind it"},
    {0, "groups", CLI_TEXT, AT(groups), "X[,Y[,Z]]", "workgroups of the dispatch"},
    {0, "push", CLI_TEXT, AT(push), "VALUES|file:FILE",
     "push constants: u32:64,0x40,-1, f32:1.5,2, hex:00ff (bytes),\naddress:0.2 (of buffer 0.2, 8 "
     "bytes), one behind the other with\ncommas; without a prefix what has one meaning only"},
    {0, "then", CLI_LIST, AT(steps), "[NAME@]GROUPS[:PUSH]",
     "one more dispatch behind a barrier, of kernel NAME, with its own\nworkgroups and push "
     "constants; can be repeated"},
    {0, "module", CLI_LIST, AT(modules), "NAME=FILE[@ENTRY]",
     "another kernel, for --then; NAME=@ENTRY: another entry point of\nFILE"},
    {0, "bind", CLI_LIST, AT(binds), "NAME@SET.BINDING=SET.BINDING",
     "what kernel NAME has at the first place is the buffer of the\nsecond"},
    {0, "spec", CLI_LIST, AT(specs), "[NAME@]ID=VALUE",
     "the value of a specialization constant of 32 or 64 bits, by its own\ntype: 64, 0x40 (its "
     "bits), -1, 1.5"},
    {0, "entry", CLI_TEXT, AT(entry), "NAME", "the entry point, where there are several"},
    {0, "subgroup", CLI_COUNT, AT(subgroup), "N", "the subgroup size that the pipeline asks for"},
    {0, "full-subgroups", CLI_FLAG, AT(full), NULL, "ask for full subgroups"},
    {0, "expect", CLI_LIST, AT(expected), "agree|SET.BINDING=WHAT",
     "what a buffer is to hold after each run: VALUES, file:FILE or FILE,\nas --buffer has, or "
     "formula:E, for each word; agree: what one run\non the SIMT simulator leaves in all buffers "
     "that are written"},
    {0, "allow", CLI_LIST, AT(allowed), "SET.BINDING=HOW",
     "in what a buffer may differ: any-order[:BYTES], ulp:N, ulp16:N,\nrelative:X, absolute:X, "
     "rmse:X, bits:HEX, bits:FILE.words,\nwords:FIRST-LAST"},
    {0, "define", CLI_LIST, AT(defines), "NAME[=VALUE]", "a macro of GLSL"},
    {0, "include", CLI_LIST, AT(includes), "FOLDER",
     "where GLSL's includes are, besides the folder of FILE"},
    {0, "check", CLI_FLAG, AT(check), NULL,
     "run it once on the SIMT simulator, and print each barrier that not\nall reach, each endless "
     "loop, each access out of bounds, each read\nof what nobody wrote, and each data race"},
    {0, "unchecked", CLI_FLAG, AT(unchecked), NULL,
     "without the check of a sample, which comes first otherwise:\nwhat fails may then be the "
     "kernel's own fault, and reports say so"},
    {0, "name", CLI_TEXT, AT(name), "NAME",
     "the test is called kernel.NAME (default: after the file)"},
};

const struct cli_syntax cli_kernel_syntax = {
    .name = "kernel",
    .usage = "[OPTION]... FILE [COMMAND] [OPTION OF THAT COMMAND]...",
    .about =
        "Takes a compute kernel of your own for a test, kernel.NAME, and does with it what "
        "another\n"
        "command does with tests: run, unless another is named (show, isa, explain, tune, ...).\n"
        "FILE is SPIR-V, its assembly (*.spvasm, with spirv-as), GLSL (*.comp, with glslang), or "
        "an\n"
        "Amber script of compute kind (*.amber), which says all of what follows.\n"
        "Buffers, their sizes and the workgroup size are read from the module. What is the same "
        "each\n"
        "time may stand in FILE.kernel: an option a line, without the dashes.",
    CLI_OPTIONS(options, struct krn_options, .groups = NULL),
    .more = "docs/kernel.md says more.\n\n"
            "examples:\n"
            "  litmus kernel scan.spv --groups 64 --buffer 0.0=random:16K --expect 0.1=sums.words\n"
            "  litmus kernel scan.spv -n 100000 --until-decided 0.001\n"
            "  litmus kernel scan.spv run --simt tangled\n"
            "  litmus kernel scan.spv isa -d 1\n"
            "  litmus kernel scan.spv explain --simt relaxed\n",
    .operands = CLI_OPERANDS_FILES,
    .forwards = true,
};

// --- The file next to it

// Relative names of files and folders start from that file's folder.
static void put_value(const char *side, const char *option, const char *value, struct text *word)
{
    static const char *const files[] = {"buffer", "push", "expect", "include", "module"};
    const size_t folder = (size_t)(lit_path_name(side) - side);
    const char *equals = strcmp(option, "include") ? strchr(value, '=') : NULL;
    const char *what = equals ? equals + 1 : value;
    const size_t number = strspn(what, "0123456789abcdefABCDEFxX,.-");
    const bool is_number = !what[number] || (strchr("KM", what[number]) && !what[number + 1]);
    bool is_file = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        is_file |= strcmp(option, files[i]) == 0;
    is_file = is_file && !strchr(what, ':') && !is_number && !lit_path_is_absolute(what) &&
              *what != '@' && strcmp(what, "agree") != 0;
    if ((strcmp(option, "allow") == 0 && strncmp(what, "bits:", 5) == 0 &&
         strstr(what, ".words")) ||
        strncmp(what, "file:", 5) == 0) {
        what += 5;
        is_file = !lit_path_is_absolute(what);
    }
    text_append(word, value, (size_t)(what - value));
    if (is_file)
        text_append(word, side, folder);
    text_puts(word, what);
}

// A line is an option: "buffer 0.0=random:4096" is --buffer 0.0=random:4096.
static bool take_line(const char *side, char *line, struct krn_options *chosen,
                      struct lit_error *error)
{
    OWNED(text_free) struct text word = {0};
    struct lit_list operands = {0};
    line += strspn(line, " \t;");
    const size_t length = strcspn(line, " \t\r");
    const char *value = line + length + strspn(line + length, " \t");
    for (char *end = line + strlen(line); end > value && strchr(" \t\r", end[-1]);)
        *--end = '\0';
    if (!length)
        return true;
    size_t known = 0;
    while (
        known < sizeof options / sizeof *options &&
        (strlen(options[known].name) != length || strncmp(options[known].name, line, length) != 0))
        known++;
    // Comments start with ; and may contain anything.
    if (known == sizeof options / sizeof *options)
        return lit_fail(error, LIT_EXIT_USAGE, "there is no '%.*s'", length < 60 ? (int)length : 60,
                        line);
    text_printf(&word, "--%.*s", (int)length, line);
    if (*value) {
        text_puts(&word, "=");
        put_value(side, options[known].name, value, &word);
    }
    char *kept = lit_strdup(word.data); // options refer to it until the program ends
    char *argv[] = {(char *)"kernel", kept, NULL};
    lit_list_add(&chosen->lines, kept);
    return cli_parse(&cli_kernel_syntax, 2, argv, chosen, &operands, NULL, error) == CLI_PARSED;
}

bool cli_kernel_side(const char *path, char *lines, struct krn_options *chosen,
                     struct lit_error *error)
{
    struct lit_error why = {0};
    size_t number = 1;
    for (char *line = lines, *next; line && *line; line = next, number++) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        if (*line != ';' && !take_line(path, line, chosen, &why))
            return lit_fail(error, LIT_EXIT_USAGE, "%.200s:%zu: %.280s", path, number, why.message);
    }
    return true;
}

// Reads the file next to a kernel, if it exists.
static bool read_side(const char *path, struct krn_options *chosen, struct lit_error *error)
{
    OWNED(text_free) struct text side = {0}, text = {0};
    text_printf(&side, "%s.kernel", path);
    if (!lit_file_read(side.data, MOST_SIDE, &text, error))
        return errno == ENOENT;
    if (text.data && strlen(text.data) != text.length)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: not a text of options", side.data);
    return cli_kernel_side(side.data, text.data, chosen, error);
}

// Puts the command line's items after the file's, so that they take precedence.
static void add_list(struct lit_list *to, const struct lit_list *from)
{
    for (size_t i = 0; i < from->count; i++)
        lit_list_add(to, lit_strdup(from->items[i]));
}

static void override(struct krn_options *to, const struct krn_options *from)
{
    add_list(&to->buffers, &from->buffers);
    add_list(&to->specs, &from->specs);
    add_list(&to->expected, &from->expected);
    add_list(&to->allowed, &from->allowed);
    add_list(&to->defines, &from->defines);
    add_list(&to->steps, &from->steps);
    add_list(&to->modules, &from->modules);
    add_list(&to->binds, &from->binds);
    add_list(&to->includes, &from->includes);
    to->groups = from->groups ? from->groups : to->groups;
    to->push = from->push ? from->push : to->push;
    to->entry = from->entry ? from->entry : to->entry;
    to->name = from->name ? from->name : to->name;
    to->subgroup = from->subgroup ? from->subgroup : to->subgroup;
    to->full |= from->full;
    to->check |= from->check;
    to->unchecked |= from->unchecked;
}

// If several options set the expectation, the last one wins; `agree` excludes files.
static void settle_expected(struct krn_options *chosen)
{
    struct lit_list *list = &chosen->expected;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        chosen->agrees = strcmp(list->items[i], "agree") == 0;
        if (chosen->agrees)
            kept = 0;
        else
            list->items[kept++] = list->items[i];
    }
    list->count = chosen->agrees ? 0 : kept;
    chosen->agrees |= chosen->check && !list->count;
}

// --- Another subcommand

// Whether a word names a configuration of the test: in full, by a pattern or by an id.
static bool names_test(const char *word, const char *test)
{
    OWNED(lit_free) char *pattern = cat_pattern(word);
    return *pattern && cfg_same_test(pattern, test);
}

// Appends the test to the command's words, if it takes tests and none of the words names it.
static int forward(const struct cli_command *command, const char *pattern,
                   const struct lit_list *operands, size_t first)
{
    char **argv = lit_alloc(operands->count + 3, sizeof *argv);
    int argc = 0;
    bool adds = command->syntax && command->syntax->operands == CLI_OPERANDS_TESTS;
    argv[argc++] = (char *)command->name;
    for (size_t i = first; i < operands->count; i++) {
        argv[argc++] = (char *)operands->items[i];
        // A resumed session already has its tests.
        adds = adds && strcmp(operands->items[i], "--resume") != 0 &&
               !names_test(operands->items[i], pattern);
    }
    if (adds)
        argv[argc++] = (char *)pattern;
    const int code = cli_start(command->name, argc, argv);
    free(argv);
    return code;
}

// Keeps all words about the kernel, so that others can repeat the command.
static void keep_words(const struct cli_call *call, const char *path)
{
    struct text words = {0};
    text_puts(&words, " kernel ");
    text_quote(&words, path);
    for (int i = 1; i < call->argc - (int)call->operands.count; i++) {
        text_puts(&words, " ");
        text_quote(&words, call->argv[i]);
    }
    format_kernel(words.data);
}

static int check(struct cli_call *call, const struct lit_list *operands,
                 const struct cat_package *package, const char *name)
{
    bool found = false;
    if (operands->count > 1) {
        lit_fail(&call->error, LIT_EXIT_USAGE, "--check runs no command: unexpected '%.80s'",
                 operands->items[1]);
        return CLI_FAILED;
    }
    if (!krn_check(package, name, &call->out, &found, &call->error))
        return CLI_FAILED;
    return found ? LIT_EXIT_FORBIDDEN : LIT_EXIT_OK;
}

int cli_kernel(struct cli_call *call)
{
    const struct lit_list *operands = &call->operands;
    struct krn_options chosen = {0};
    OWNED(cat_package_clear) struct cat_package package = {0};
    OWNED(text_free) struct text pattern = {0};
    if (!operands->count || operands->items[0][0] == '-') {
        lit_fail(&call->error, LIT_EXIT_USAGE, "missing file; see 'litmus help kernel'");
        return CLI_FAILED;
    }
    const char *path = operands->items[0];
    const struct cli_command *command =
        operands->count > 1 ? cli_command_find(operands->items[1]) : NULL;
    const size_t first = command && command->help ? 2 : 1;
    if (first == 1)
        command = cli_command_find("run");
    if (!read_side(path, &chosen, &call->error))
        return CLI_FAILED;
    override(&chosen, call->chosen);
    settle_expected(&chosen);
    if (!krn_make(path, &chosen, &package, &call->error))
        return CLI_FAILED;
    cat_package_configuration(&package, &pattern);
    if (chosen.check)
        return check(call, operands, &package, pattern.data);
    if (!krn_vet(&package, pattern.data, chosen.unchecked, &call->error))
        return CLI_FAILED;
    if (!(chosen.agrees ? krn_agree(&package, pattern.data, &call->error)
                        : krn_add(&package, &call->error)))
        return CLI_FAILED;
    keep_words(call, path);
    return forward(command, pattern.data, operands, first);
}
