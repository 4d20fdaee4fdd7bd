// SPDX-License-Identifier: Apache-2.0
// litmus isa: shows the code that a driver makes of tests.
#include "cli/device.h"
#include "explain/explain.h"

#define AT(member) offsetof(struct exp_code_options, member)

static const struct cli_option options[] = {
    CLI_OPTION_DEVICE,
    CLI_OPTION_SIMT("only of the SIMT simulator: " CLI_SIMT_MODELS),
    CLI_OPTION_EMULATE,
    {0, "thorough", CLI_FLAG, AT(thorough), NULL,
     "all values of all parameters, and all subgroup sizes"},
    {'l', "listing", CLI_FLAG, AT(listing), NULL,
     "print the code of each configuration, identical code once\n(default: of a single "
     "configuration only)"},
    {0, "diff", CLI_FLAG, AT(diff), NULL,
     "print side by side, for each variant axis that changes the\ncode, the pair that differs "
     "most"},
    {0, "every", CLI_FLAG, AT(every), NULL,
     "with listings: all representations that the driver gives,\nnot only the lowest"},
    {0, "keep", CLI_TEXT, AT(keep), "FOLDER",
     "write everything to files, including blobs of unknown\nformat; the folder must be empty or "
     "not exist"},
    {0, "read", CLI_FLAG, AT(read), NULL,
     "read files with the vkGetPipelineCacheData of another\nprogram, one pipeline each"},
    {0, "execute", CLI_FLAG, AT(emulate), NULL,
     "execute the SASS of sm_90, or the machine code and the NIR\nof RADV, that a store has, on "
     "the host, compare with what\nthe device stored, and name what is to blame"},
    CLI_OPTION_DB,
    {0, "kept", CLI_TEXT, AT(from), "FOLDER",
     "with --execute: the code that --keep wrote there, instead\nof a store's; compare with what "
     "is right"},
    {'q', "quiet", CLI_FLAG, AT(quiet), NULL, "with --execute: search for no cause"},
    CLI_OPTION_SEED("of the data, with --kept (default: 1)"),
    {0, "disassembler", CLI_CHOICE, AT(disassembler), "auto|nvdisasm|built-in",
     "of SASS (default: auto: nvdisasm for a single\nconfiguration if installed, else built-in)"},
    CLI_OPTION_TIMEOUT("seconds that a driver may take for one (default: 60)"),
    {'v', "verbose", CLI_MORE, AT(verbose), NULL, "what drivers print"},
};

const struct cli_syntax cli_isa_syntax = {
    .name = "isa",
    .usage = "[OPTION]... PATTERN... | --read FILE...",
    .about = "Prints the compiled code of the matching configurations: machine code where it can "
             "be\nread (NVIDIA: from the pipeline cache or VK_KHR_pipeline_binary), else the "
             "lowest-level\nrepresentation that the driver gives "
             "(VK_KHR_pipeline_executable_properties); whether\nvariants that differ in one axis "
             "have the same code; and, for SASS, cross-lane reads that\na divergent branch can "
             "reach without reconvergence, or that are guarded by the wrong\npredicate "
             "(docs/lint.md). Nothing is run on a device.",
    CLI_OPTIONS(options, struct exp_code_options, .timeout = ENG_IDLE_SECONDS, .db = "litmus.db"),
    .more = "Patterns are those of 'litmus run'. In listings, ! marks a cross-lane read that is "
            "divergent or\nguarded by the wrong predicate, i one that only some lanes execute.\n"
            "\n"
            "examples:\n"
            "  litmus isa shuffle.scan-loop -d 1\n"
            "  litmus isa 'shuffle.scan-loop/sync=none*' --diff\n"
            "  litmus isa 'scan.*' --simt lockstep --listing\n"
            "  litmus isa --read scan.cache reduce.cache\n"
            "  litmus isa --execute --db litmus.db 'cases.nvidia-*'\n",
    .operands = CLI_OPERANDS_TESTS,
};

int cli_isa(struct cli_call *call)
{
    return exp_code(call->chosen, &call->operands, &call->error);
}
