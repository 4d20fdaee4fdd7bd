// SPDX-License-Identifier: Apache-2.0
// The head of the page: what was measured on what, and how it ended; at its end the machine in
// full.
#include "report/html.h"

#include "catalogue/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
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

static void put_verdict(const struct html *html, struct text *out)
{
    const struct report_model *model = html->model;
    const char *reason = model->code_reason;
    const char *kind = model->code == LIT_EXIT_OK          ? "good"
                       : model->code == LIT_EXIT_FORBIDDEN ? "bad"
                                                           : "open";
    html_printf(out,
                "<p class=\"verdict %s\"><strong>exit %d</strong> <span>%c%s.</span></p>\n<p "
                "class=\"soft\">%s configurations, up to %s runs of each, %s on the devices",
                kind, (int)model->code,
                reason[0] >= 'a' && reason[0] <= 'z' ? reason[0] - 32 : reason[0],
                reason[0] ? reason + 1 : "", COUNT(model->result_count), COUNT(model->session.runs),
                format_seconds((char[32]){0}, model->seconds));
    if (!model->session.finished)
        text_puts(out, "; <strong>the session is not finished</strong>");
    if (model->session.shard != STORE_WHOLE)
        html_printf(out, "; shard %ju of %ju of a run over several machines",
                    (uintmax_t)model->session.shard_index + 1,
                    (uintmax_t)model->session.shard_count);
    text_puts(out, ".</p>\n");
}

// A tile for each expectation: what its failures mean, and how many there are. The page's legend.
static void put_tiles(const struct html *html, struct text *out)
{
    text_puts(out, "<ul class=\"tiles\">\n");
    for (int e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++) {
        uint64_t ran = 0, failed = 0;
        for (size_t i = 0; i < html->model->result_count; i++) {
            const struct report_result *result = &html->model->results[i];
            if ((int)result->expectation != e)
                continue;
            ran += result->runs > 0;
            failed += e == CAT_CONTROL ? report_control_triggered(result) : report_failed(result);
        }
        const char *name = cat_expectation_name((enum cat_expectation)e);
        html_printf(out,
                    "<li class=\"tile %s%s\"><a href=\"#results\" data-expectation=\"%s\"%s><svg "
                    "width=\"14\" height=\"14\" viewBox=\"-7 -7 14 14\" aria-hidden=\"true\"><path "
                    "class=\"dot e%d\" d=\"%s\"/></svg> %s</a><b>%s</b> of %s %s<p>%s</p></li>\n",
                    name, failed ? "" : " quiet", name,
                    e == CAT_CONTROL ? "" : " data-result=\"counted-fail\"", e,
                    e == CAT_FORBIDDEN ? "M-6 0l6-6 6 6-6 6z"
                    : e == CAT_ASSUMED ? "M-5-5h10v10h-10z"
                                       : "M-5 0a5 5 0 1 1 10 0a5 5 0 1 1-10 0z",
                    name, COUNT(failed), COUNT(ran), e == CAT_CONTROL ? "triggered" : "failed",
                    cat_expectation_meaning((enum cat_expectation)e));
    }
    text_puts(out, "</ul>\n");
}

static void put_card(const struct html *html, size_t index, struct text *out)
{
    const struct report_device *device = &html->model->devices[index];
    const struct dev_facts *facts = &device->facts;
    struct report_family *families;
    uint64_t counts[REPORT_COUNTED] = {0};
    const size_t count = report_families(html->model, index, &families);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < REPORT_COUNTED; k++)
            counts[k] += families[i].counts[k];
    free(families);
    text_puts(out, "<li class=\"card\"><p class=\"name\">");
    html_device(out, html, index);
    html_printf(out, "<b>%s</b></p>\n<p>%s <b>%s</b></p>\n<p class=\"soft\">Vulkan %s", facts->name,
                facts->driver_name, facts->driver_version, API(facts->api));
    if (facts->loader[0])
        html_printf(out, ", loader %s", facts->loader);
    html_printf(out, " \xc2\xb7 subgroups of %u", facts->subgroup);
    if (strcmp(device->checker, "device") != 0)
        html_printf(out, " \xc2\xb7 checked by %s", device->checker);
    text_puts(out, "</p>\n");
    html_bar(out, counts, report_counted_names, REPORT_COUNTED);
    text_puts(out, "<p class=\"counts\">");
    bool first = true;
    for (size_t k = 0; k < REPORT_COUNTED; k++)
        if (counts[k]) {
            html_printf(out, "%s<span class=\"key %s\">%s %s</span>", first ? "" : " ",
                        report_counted_names[k], COUNT(counts[k]), report_counted_names[k]);
            first = false;
        }
    text_puts(out, "</p></li>\n");
}

static void put_fact(struct text *out, const char *name, const char *value)
{
    if (value[0])
        html_printf(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static void put_session(const struct html *html, struct text *out)
{
    const struct store_session *session = &html->model->session;
    char line[128];
    text_puts(out, "<dl class=\"facts\">\n");
    html_printf(out, "<dt>command</dt><dd><code class=\"copy\">%s</code></dd>\n", session->command);
    snprintf(line, sizeof line, "0x%jx", (uintmax_t)session->seed);
    put_fact(out, "seed", line);
    put_fact(out, "requested runs", COUNT(session->runs));
    put_fact(out, "started", session->started);
    put_fact(out, "system", session->system);
    snprintf(line, sizeof line, "%jd", (intmax_t)session->id);
    put_fact(out, "session", line);
    put_fact(out, "identity", session->uuid ? session->uuid : "");
    put_fact(out, "litmus", session->version);
    put_fact(out, "SIMT simulator", html->model->simt ? html->model->simt : "");
    text_puts(out, "</dl>\n");
}

void html_header(const struct html *html, struct text *out)
{
    text_puts(out, "<header id=\"top\">\n<p class=\"kicker\">litmus \xc2\xb7 subgroup behaviour of "
                   "a Vulkan driver</p>\n");
    put_title(html, out);
    put_verdict(html, out);
    put_tiles(html, out);
    text_puts(out, "<ul class=\"cards\">\n");
    for (size_t i = 0; i < html->model->device_count; i++)
        put_card(html, i, out);
    text_puts(out, "</ul>\n");
    put_session(html, out);
    text_puts(out, "</header>\n");
}

// ---- the machine in full

static void put_features(struct text *out, uint64_t features)
{
    bool first = true;
    text_puts(out, "<dt>features</dt><dd>");
    for (int feature = 0; feature < CAT_FEATURE_COUNT; feature++)
        if (features >> feature & 1) {
            html_printf(out, "%s%s", first ? "" : ", ", cat_feature_name(feature));
            first = false;
        }
    text_puts(out, "</dd>\n");
}

void html_machine(const struct html *html, struct text *out)
{
    for (size_t i = 0; i < html->model->device_count; i++) {
        const struct report_device *device = &html->model->devices[i];
        const struct dev_facts *facts = &device->facts;
        char line[512];
        text_puts(out, "<details><summary>");
        html_device(out, html, i);
        html_printf(out, "%s, %s %s</summary>\n<dl class=\"facts\">\n", facts->name,
                    facts->driver_name, facts->driver_version);
        snprintf(line, sizeof line, "%s, vendor 0x%04x, product 0x%04x", facts->type, facts->vendor,
                 facts->product);
        put_fact(out, "device", line);
        put_fact(out, "driver", facts->driver_info);
        snprintf(line, sizeof line, "0x%x, VkDriverId %u", facts->driver_raw, facts->driver_id);
        put_fact(out, "driver's numbers", line);
        put_fact(out, "Vulkan", API(facts->api));
        put_fact(out, "loader", facts->loader);
        put_fact(out, "subgroup size", SUBGROUP(facts));
        snprintf(line, sizeof line, "%s invocations, %s bytes of shared memory",
                 COUNT(facts->max_workgroup), COUNT(facts->max_shared));
        put_fact(out, "largest workgroup", line);
        put_fact(out, "device UUID", UUID(facts->device_uuid));
        put_fact(out, "driver UUID", UUID(facts->driver_uuid));
        put_fact(out, "identity", device->id);
        put_fact(out, "results checked on", device->checker);
        put_features(out, facts->features);
        text_puts(out, "</dl>\n</details>\n");
    }
}
