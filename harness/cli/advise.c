// SPDX-License-Identifier: Apache-2.0
// litmus advise: what a shader author can rely on with the drivers in stores and reports.
#include "cli/cli.h"
#include "report/markdown.h"
#include "site/site.h"

enum form { FORM_TEXT, FORM_MARKDOWN };

struct options {
    int format, color;
    const char *device;
};

#define AT(member) offsetof(struct options, member)

static const struct cli_option options[] = {
    CLI_ROW('f', "format", CLI_CHOICE, format, "text|markdown", "output format (default: text)"),
    CLI_ROW('d', "device", CLI_TEXT, device, "DEVICE",
            "only devices with this text in their name or driver\nversion"),
    CLI_ROW(0, "color", CLI_CHOICE, color, "auto|always|never", "colours (default: on a terminal)"),
};

const struct cli_syntax cli_advise_syntax = {
    .name = "advise",
    .usage = "[OPTION]... REPORT...",
    .about = "Reports for each device and driver what programs may rely on, what failed with a "
             "workaround, and\nwhat was not measured. Each line has the number of runs, the rate "
             "and its 95 % interval.",
    CLI_OPTIONS(options, struct options, .device = ""),
    .more = "A REPORT is a store (all its sessions), FILE#SESSION, or a JSON report (- for "
            "standard input). If\n"
            "several have a configuration on one device and driver, the newest result counts, and "
            "a failure before\na pass. The heads of the tests state what programs rely on, and the "
            "remedies (docs/test-format.md).\n"
            "\n"
            "exit codes: 0 the advice was written, whatever it says, 2 a report is invalid\n",
    .operands = CLI_OPERANDS_FILES,
};

static bool is_chosen(const struct dev_facts *facts, const char *text)
{
    return strcasestr(facts->name, text) || strcasestr(facts->driver_version, text);
}

static void advise(const struct report_model *model, const struct options *chosen, struct text *out)
{
    static report_section *const sections[] = {report_advice_failed, report_advice_held,
                                               report_advice_open};
    const struct dev_facts *facts = &model->devices[0].facts;
    OWNED(text_free) struct text title = {0}, lanes = {0};
    text_printf(&title, "%s · driver %s", facts->name, facts->driver_version);
    text_printf(&lanes, "subgroups of %u", facts->subgroup);
    if (chosen->format == FORM_MARKDOWN)
        markdown_printf(out, "## %s\n\n", title.data);
    else
        table_heading(out, term_color((enum term_color)chosen->color), title.data, lanes.data);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        OWNED(table_clear) struct table table = {0};
        sections[i](model, 0, false, &table);
        if (!table.count)
            continue;
        if (chosen->format == FORM_MARKDOWN) {
            text_printf(out, "### %s\n\n", table.title);
            table_markdown(&table, SIZE_MAX, out);
        } else {
            text_puts(out, "\n");
            table_terminal(&table, term_color((enum term_color)chosen->color), out);
        }
    }
    text_puts(out, chosen->format == FORM_MARKDOWN ? "" : "\n");
}

int cli_advise(struct cli_call *call)
{
    const struct options *chosen = call->chosen;
    const struct lit_list *operands = &call->operands;
    OWNED(site_clear) struct site site = {.without_code = true};
    bool good = operands->count > 0 ||
                lit_fail(&call->error, LIT_EXIT_USAGE, "missing report: see 'litmus help advise'");
    for (size_t i = 0; good && i < operands->count; i++)
        good = site_add(&site, operands->items[i], &call->error);
    if (good && site.session_count == 0)
        good = lit_fail(&call->error, LIT_EXIT_USAGE, "no results: nothing to say");
    if (good)
        site_gather(&site);
    for (size_t i = 0; good && i < site.all.device_count; i++)
        if (is_chosen(&site.all.devices[i].facts, chosen->device))
            advise(&site.of_device[i], chosen, &call->out);
    if (good && !call->out.length)
        good = lit_fail(&call->error, LIT_EXIT_USAGE,
                        "no device with '%.80s' in its name or driver", chosen->device);
    return good ? LIT_EXIT_OK : CLI_FAILED;
}
