// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was measured on what, and how it ended.
#include "report/html.h"

#include <string.h>

static void put_title(const struct html *html, struct text *out)
{
    const struct report_model *model = html->model;
    text_puts(out, "<h1>");
    if (model->device_count == 1)
        html_printf(out, "%s <small>driver %s</small>", model->devices[0].facts.name,
                    model->devices[0].facts.driver_version);
    else
        html_printf(out, "%zu devices", model->device_count);
    text_puts(out, "</h1>\n");
}

// The most runs of a configuration: the default run and sequential rules may do more than asked.
static uint64_t most_runs(const struct report_model *model)
{
    uint64_t most = model->session.runs;
    REPORT_EACH (result, model, REPORT_ALL)
        if (result->runs > most)
            most = result->runs;
    return most;
}

static void put_verdict(const struct html *html, struct text *out)
{
    const struct report_model *model = html->model;
    const char *reason = model->code_reason;
    if (model->device_count > 1 && strpbrk(reason, "123456789")) // counts all devices together
        reason = "each device has its verdict below";
    const char *kind = model->code == LIT_EXIT_OK          ? "good"
                       : model->code == LIT_EXIT_FORBIDDEN ? "bad"
                                                           : "open";
    html_printf(out,
                "<p class=\"verdict %s\"><strong>exit %d</strong> <span>%c%s.</span></p>\n<p "
                "class=\"soft\">Up to %s runs of each configuration",
                kind, (int)model->code,
                reason[0] >= 'a' && reason[0] <= 'z' ? reason[0] - 32 : reason[0],
                reason[0] ? reason + 1 : "", COUNT(most_runs(model)));
    if (!model->session.finished)
        text_puts(out, "; <strong>the session is not finished</strong>");
    if (model->session.shard != STORE_WHOLE)
        html_printf(out, "; shard %ju of %ju of a run over several machines",
                    (uintmax_t)model->session.shard_index + 1,
                    (uintmax_t)model->session.shard_count);
    text_puts(out, ".</p>\n");
}

// A tile for each expectation: what its failures mean, and how many each device has. It is the
// page's legend.
static void put_tiles(const struct html *html, struct text *out)
{
    text_puts(out, "<ul class=\"tiles\">\n");
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++) {
        const char *name = cat_expectation_name(e);
        html_printf(out,
                    "<li class=\"tile %s\"><a href=\"#results\" data-expectation=\"%s\"%s><svg "
                    "width=\"14\" height=\"14\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\"><path "
                    "class=\"dot e%d\" d=\"%s\"/></svg> %s</a>\n",
                    name, name, e == CAT_CONTROL ? "" : " data-result=\"counted-fail\"", (int)e,
                    e == CAT_FORBIDDEN ? "M-6 0l6-6 6 6-6 6z"
                    : e == CAT_ASSUMED ? "M-5-5h10v10h-10z"
                                       : "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0z",
                    name);
        for (size_t device = 0; device < html->model->device_count; device++) {
            const struct report_class of = report_class(html->model, device, e);
            const size_t failed = e == CAT_CONTROL ? of.triggered : of.failed;
            text_puts(out, failed ? "<p class=\"tally\">" : "<p class=\"tally quiet\">");
            html_device(out, html, device);
            html_printf(out, "<b>%s</b> of %s %s</p>\n", COUNT(failed), COUNT(of.ran),
                        e == CAT_CONTROL ? "triggered" : "failed");
        }
        html_printf(out, "<p>%s</p></li>\n", cat_expectation_meaning(e));
    }
    text_puts(out, "</ul>\n");
}

static void put_card(const struct html *html, size_t index, struct text *out)
{
    const struct eng_device *device = &html->model->devices[index];
    const struct dev_facts *facts = &device->facts;
    uint64_t counts[REPORT_COUNTED] = {0}, all = 0;
    OWNED(text_free) struct text verdict = {0};
    double seconds = 0;
    REPORT_EACH (result, html->model, index) {
        all++;
        counts[report_counted(result)]++;
        seconds += result->seconds;
    }
    text_puts(out, "<li class=\"card\"><p class=\"name\">");
    html_device(out, html, index);
    report_verdict(html->model, index, &verdict);
    html_printf(out,
                "<b>%s</b></p>\n<p class=\"first\">%s.</p>\n<p>%s <b>%s</b></p>\n"
                "<p class=\"soft\">Vulkan %s",
                facts->name, verdict.data, facts->driver_name, facts->driver_version,
                API(facts->api));
    if (facts->loader[0])
        html_printf(out, ", loader %s", facts->loader);
    html_printf(out, " \xc2\xb7 subgroups of %u", facts->subgroup);
    if (strcmp(device->checker, "device") != 0)
        html_printf(out, " \xc2\xb7 checked by %s", device->checker);
    html_printf(out, "</p>\n<p class=\"soft\">%s configurations in %s</p>\n", COUNT(all),
                format_seconds((char[32]){0}, seconds));
    html_bar(out, counts, report_counted_names, REPORT_COUNTED);
    text_puts(out, "<p class=\"counts\">");
    for (size_t k = 0; k < REPORT_COUNTED; k++)
        if (counts[k])
            html_printf(out, "<span class=\"key %s\">%s %s</span> ", report_counted_names[k],
                        COUNT(counts[k]), report_counted_names[k]);
    text_puts(out, "</p></li>\n");
}

static void put_session(const struct html *html, struct text *out)
{
    const struct store_session *session = &html->model->session;
    text_puts(out, "<dl class=\"facts\">\n");
    html_copied(out, "command", session->command);
    html_fact(out, "started", session->started);
    html_fact(out, "simulator", html->model->simt ? html->model->simt : "");
    text_puts(out, "</dl>\n");
}

void html_header(const struct html *html, struct text *out)
{
    text_puts(out, "<header id=\"top\">\n<p class=\"kicker\">litmus \xc2\xb7 subgroup behaviour of "
                   "a Vulkan driver</p>\n");
    put_title(html, out);
    put_verdict(html, out);
    text_puts(out, "<ul class=\"cards\">\n");
    for (size_t i = 0; i < html->model->device_count; i++)
        put_card(html, i, out);
    text_puts(out, "</ul>\n");
    put_tiles(html, out);
    put_session(html, out);
    text_puts(out, "</header>\n");
}
