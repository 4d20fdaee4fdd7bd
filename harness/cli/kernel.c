// SPDX-License-Identifier: Apache-2.0
// litmus kernel: adds the user's kernel to the catalogue as a test, and runs a subcommand on it.
#include "cli/cli.h"

#include "kernel/kernel.h"
#include "report/format.h"

#define AT(member) offsetof(struct krn_options, member)

#define SCRIPT CLI_NOT(1) // a script says it

static const struct cli_option options[] = {
    {0, "buffer", CLI_LIST | SCRIPT, AT(buffers), "SET.BINDING=WHAT",
     "what a buffer, or element 2 of an array of them (0.1[2]), holds\nbefore each run: "
     "random:SIZE (words),\nfloats:SIZE (from -1 to 1), iota:SIZE (0, 1, 2, ...),\nzero:SIZE; SIZE "
     "alone: nothing that counts; VALUES, as push constants\nhave; file:FILE or FILE: bytes, or "
     "words (*.words). SIZE is in\nbytes, or with K or M behind it"},
    {0, "groups", CLI_TEXT | SCRIPT, AT(groups), "X[,Y[,Z]]", "workgroups of the dispatch"},
    {0, "push", CLI_TEXT | SCRIPT, AT(push), "VALUES|file:FILE",
     "push constants: u32:64,0x40,-1, f32:1.5,2, hex:00ff (bytes),\naddress:0.2 (of buffer 0.2, 8 "
     "bytes), separated by commas; without\na prefix words, floats if they have a point"},
    {0, "then", CLI_LIST | SCRIPT, AT(steps), "[NAME@]GROUPS[:PUSH]",
     "one more dispatch behind a barrier, of kernel NAME, with its own\nworkgroups and push "
     "constants; can be repeated"},
    {0, "module", CLI_LIST | SCRIPT, AT(modules), "NAME=FILE[@ENTRY]",
     "another kernel, for --then; NAME=@ENTRY: another entry point of\nFILE"},
    {0, "bind", CLI_LIST | SCRIPT, AT(binds), "NAME@SET.BINDING=SET.BINDING",
     "what kernel NAME has at the first place is the buffer of the\nsecond"},
    {0, "spec", CLI_LIST | SCRIPT, AT(specs), "[NAME@]ID=VALUE",
     "the value of a specialization constant of 32 or 64 bits, by its own\ntype: 64, 0x40 (its "
     "bits), -1, 1.5"},
    {0, "entry", CLI_TEXT | SCRIPT, AT(entry), "NAME", "the entry point, where there are several"},
    {0, "subgroup", CLI_COUNT | SCRIPT, AT(subgroup), "N",
     "the subgroup size that the pipeline asks for"},
    {0, "full-subgroups", CLI_FLAG | SCRIPT, AT(full), NULL, "ask for full subgroups"},
    {0, "expect", CLI_LIST, AT(expected), "agree|SET.BINDING=WHAT",
     "what a buffer is to hold after each run: VALUES, file:FILE or FILE,\nas --buffer has, or "
     "formula:E, for each word; agree: what one run\non the SIMT simulator leaves in all buffers "
     "that are written"},
    {0, "allow", CLI_LIST | SCRIPT, AT(allowed), "SET.BINDING=HOW",
     "in what a buffer may differ: any-order[:BYTES], ulp:N, ulp16:N,\nrelative:X, absolute:X, "
     "rmse:X, bits:HEX, bits:FILE.words,\nwords:FIRST-LAST"},
    {0, "without", CLI_LIST | SCRIPT, AT(without), "MODE",
     "removes an execution mode that the device lacks:\nMaximallyReconvergesKHR, which Tint "
     "writes, or\nSubgroupUniformControlFlowKHR"},
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
        "Buffers, their sizes and the workgroup size are read from the module.",
    CLI_OPTIONS(options, struct krn_options, .groups = NULL),
    .more = "docs/kernel.md says more.\n\n"
            "examples:\n"
            "  litmus kernel scan.spv --groups 64 --buffer 0.0=random:16K --expect 0.1=sums.words\n"
            "  litmus kernel scan.amber -n 100000 --until-decided 0.001\n"
            "  litmus kernel scan.amber run --simt tangled\n"
            "  litmus kernel scan.amber isa -d 1\n"
            "  litmus kernel scan.amber explain --simt relaxed\n",
    .operands = CLI_OPERANDS_FILES,
    .forwards = true,
};

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
    format_kernel = words.data;
}

int cli_kernel(struct cli_call *call)
{
    const struct lit_list *operands = &call->operands;
    const struct krn_options *chosen = call->chosen;
    OWNED(text_free) struct text test = {0};
    const char *path = operands->count ? operands->items[0] : "-";
    const struct cli_command *command =
        operands->count > 1 ? cli_command_find(operands->items[1]) : NULL;
    const bool named = command && command->help;
    bool found = false;
    static const char *const whys[] = {KRN_SCRIPT_SAYS};
    if (!cli_calls_check(&cli_kernel_syntax, call->given, krn_is_script(path), whys, &call->error))
        return CLI_FAILED;
    if (*path == '-')
        lit_fail(&call->error, LIT_EXIT_USAGE, "missing file; see 'litmus help kernel'");
    else if (chosen->check && operands->count > 1)
        lit_fail(&call->error, LIT_EXIT_USAGE, "--check runs no command: unexpected '%.80s'",
                 operands->items[1]);
    else if (chosen->check && krn_check(path, chosen, &call->out, &found, &call->error))
        return found ? LIT_EXIT_FORBIDDEN : LIT_EXIT_OK;
    else if (!chosen->check && krn_add(path, chosen, &test, &call->error)) {
        // The words after FILE are the command's, in which its name stands for FILE.
        const int first = call->argc - (int)operands->count + named;
        char *const name = named ? call->argv[first] : (char[]){"run"};
        call->argv[first] = name;
        keep_words(call, path);
        return cli_start_with(name, call->argc - first, call->argv + first, test.data);
    }
    return CLI_FAILED;
}
