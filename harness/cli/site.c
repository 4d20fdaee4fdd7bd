// SPDX-License-Identifier: Apache-2.0
// litmus site: makes web pages from many sessions.
#include "cli/cli.h"
#include "report/format.h"
#include "site/site.h"

struct options {
    bool quiet;
};

static const struct cli_option options[] = {
    {'q', "quiet", CLI_FLAG, offsetof(struct options, quiet), NULL, "print nothing"},
};

const struct cli_syntax cli_site_syntax = {
    .name = "site",
    .usage = "[OPTION]... FOLDER REPORT...",
    .about = "Writes a static site from stores and JSON reports: what fails on which device and "
             "driver, a page for\neach test, each device and each finding, and a search. The site "
             "needs no network.",
    CLI_OPTIONS(options, struct options, 0),
    .more = "A REPORT is a store (all its sessions), FILE#SESSION, or a JSON report (- for "
            "standard input).\nCompiled code is shown only for stores. FOLDER is replaced in one "
            "step if this command wrote it and\n"
            "nothing else is in it; any other folder that is not empty is refused. The same input "
            "gives the same\nbytes.\n"
            "\n"
            "examples:\n"
            "  litmus site site litmus.db\n"
            "  litmus site site reports/*/report.json\n",
    .operands = CLI_OPERANDS_FILES,
};

int cli_site(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct lit_list *operands = &call->operands;
    const char *path = operands->count ? operands->items[0] : "";
    OWNED(site_clear) struct site site = {0};
    OWNED(lit_folder_clear) struct lit_folder folder = {0};
    bool good = operands->count >= 2 ||
                lit_fail(&call->error, LIT_EXIT_USAGE,
                         operands->count ? "missing report: see 'litmus help site'"
                                         : "missing folder: see 'litmus help site'");
    const char *called = format_called;
    format_called = "litmus"; // the reader's, wherever installed
    good = good && lit_folder_check(path, SITE_MARK, &call->error);
    for (size_t i = 1; good && i < operands->count; i++)
        good = site_add(&site, operands->items[i], &call->error);
    good = good && site_make(&site, &folder, &call->error) &&
           lit_folder_write(&folder, path, SITE_MARK, &call->error);
    if (good && !chosen->quiet)
        text_printf(&call->out, "%s/index.html: %s pages of %s session%s on %s device%s\n", path,
                    COUNT(folder.count), COUNT(site.session_count),
                    site.session_count == 1 ? "" : "s", COUNT(site.all.device_count),
                    site.all.device_count == 1 ? "" : "s");
    format_called = called;
    return good ? LIT_EXIT_OK : CLI_FAILED;
}
