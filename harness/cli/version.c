// SPDX-License-Identifier: Apache-2.0
// litmus version.
#include "base/build.h"
#include "catalogue/catalogue.h"
#include "cli/cli.h"

const struct cli_syntax cli_version_syntax = {
    .name = "version",
    .usage = "",
    .about = "Prints the version of litmus, the commit that it was built from, a hash of its "
             "tests,\nand how it was built. Stores and JSON reports record them.",
    .more = ""};

int cli_version(struct cli_call *call)
{
    text_printf(&call->out, "litmus " LITMUS_VERSION "\ncommit %s\ncatalogue %s\nbuild %s\n",
                build_commit, cat_identity, build_options);
    return LIT_EXIT_OK;
}
