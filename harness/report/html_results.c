// SPDX-License-Identifier: Apache-2.0
// All results: as JSON for the page's script, which draws only the rows in view, and as a plain
// table for readers without scripts; browsers with scripts never build that.
#include "report/html.h"

#define CHUNK 200

// ---- the plain table

static void put_options(struct text *out, const char *prefix, const char *const *names,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        html_printf(out, "<option value=\"%s%s\">%s</option>", prefix, names[i], names[i]);
}

static void put_filters(const struct html *html, struct text *out)
{
    text_puts(out, "<form id=\"filter\" role=\"search\" aria-label=\"Filter the results\" hidden>\n"
                   "<label class=\"long\">Text <input id=\"by-text\" type=\"search\" "
                   "autocomplete=\"off\" spellcheck=\"false\" placeholder=\"text of a name or "
                   "reason\"></label>\n"
                   "<label>Family <select id=\"by-family\"><option value=\"\">all</option>"
                   "</select></label>\n<label>Result <select id=\"by-result\">"
                   "<option value=\"\">all</option><optgroup label=\"counted as\">");
    put_options(out, "counted-", report_counted_names, REPORT_COUNTED);
    text_puts(out, "</optgroup><optgroup label=\"ended with\">");
    put_options(out, "ended-", eng_result_names, ENG_RESULTS);
    text_puts(out, "</optgroup></select></label>\n<label>Expectation <select id=\"by-expectation\">"
                   "<option value=\"\">all</option>");
    put_options(out, "", cat_expectation_names, CAT_CONTROL + 1);
    text_puts(out,
              "</select></label>\n<label>Device <select id=\"by-device\"><option value=\"\">all"
              "</option>");
    for (size_t i = 0; i < html->model->device_count; i++) {
        OWNED(text_free) struct text name = {0};
        html_device_name(&name, &html->model->devices[i]);
        html_printf(out, "<option value=\"%u\">%u: %s</option>", html->model->devices[i].number,
                    html->model->devices[i].number, name.data);
    }
    text_puts(out, "</select></label>\n<button type=\"reset\">Show all</button>\n</form>\n");
}

static void put_result(struct table *table, const struct html *html, const struct result *result)
{
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", eng_result_name(result->result))->class = html_kind(result);
    table_cells(table, "%s %s\t%u\t%s\t%s\t%s\t%s\t%s", result->label, result->id,
                html->model->devices[result->device].number,
                cat_expectation_name(result->expectation), COUNT(result->runs),
                COUNT(result->failed_runs), INTERVAL(result), result->reason);
}

// Tables of at most CHUNK rows, so that a browser can skip the layout of those out of view.
static void put_plain(const struct html *html, struct text *out)
{
    static const struct table_column heads[] = {COL("result"),
                                                CODE("configuration"),
                                                COL("device"),
                                                COL("expectation"),
                                                NUM("runs"),
                                                NUM("failed"),
                                                COL("rate, 95\xc2\xa0% interval"),
                                                COL("reason")};
    struct table table = {.title = "Results", .class = HTML_CHUNK, TABLE_OF(heads)};
    for (size_t i = 0; i < html->model->result_count; i++) {
        put_result(&table, html, &html->model->results[i]);
        if (table.count == CHUNK || i + 1 == html->model->result_count) {
            html_table(html, &table, false, out);
            table_clear(&table);
        }
    }
}

void html_results(const struct html *html, struct text *out)
{
    if (html->model->result_count == 0)
        return;
    put_filters(html, out);
    text_puts(out, "<p id=\"shown\" role=\"status\" hidden></p>\n"
                   "<div class=\"wide\" role=\"region\" aria-label=\"All results\" "
                   "tabindex=\"0\">\n<table id=\"table\" hidden>\n<caption>All requested "
                   "configurations</caption>\n<thead></thead><tbody></tbody></table></div>\n"
                   "<p id=\"more\" hidden></p>\n<noscript>\n<p>Filters need scripts.</p>\n");
    put_plain(html, out);
    text_puts(out, "</noscript>\n");
}

// ---- the data

// Numbers for texts that repeat.
struct texts {
    json_t *list, *numbers;
};

static json_t *text_number(struct texts *texts, const char *string)
{
    json_t *number = json_object_get(texts->numbers, string);
    if (!number) {
        number = json_integer((json_int_t)json_array_size(texts->list));
        json_array_append_new(texts->list, json_string(string));
        json_object_set_new(texts->numbers, string, number);
    }
    return json_incref(number);
}

// The command that runs a result again, split at its id: most begin alike.
static void cut_command(const struct html *html, const struct result *result, struct text *before,
                        struct text *after)
{
    OWNED(text_free) struct text again = {0};
    format_again(&again, html->model, result);
    const char *id = strstr(again.data, result->id);
    const size_t cut = id ? (size_t)(id - again.data) : 0;
    text_append(before, again.data, cut);
    text_puts(after, again.data + cut + (id ? strlen(result->id) : 0));
}

static json_t *outcomes_of(const struct result *result, struct texts *texts)
{
    json_t *list = json_array();
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        if (result->outcomes[outcome] == 0)
            continue;
        json_array_append_new(list, text_number(texts, OUTCOME(result, outcome)));
        json_array_append_new(list, json_integer((json_int_t)result->outcomes[outcome]));
    }
    return list;
}

// The members, in the order of page.js.
static json_t *make_row(const struct html *html, const struct result *result, struct texts *texts)
{
    const size_t index = (size_t)(result - html->model->results);
    OWNED(text_free) struct text before = {0}, after = {0};
    cut_command(html, result, &before, &after);
    // Arguments are evaluated in any order, which depends on the processor.
    const char *const strings[] = {result->test,
                                   html_kind(result),
                                   result->judged ? INTERVAL(result) : "",
                                   result->reason,
                                   result->sha256,
                                   result->stress,
                                   result->rule,
                                   before.data ? before.data : "",
                                   after.data ? after.data : ""};
    json_t *numbers[sizeof strings / sizeof *strings];
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        numbers[i] = text_number(texts, strings[i]);
    return json_pack("[o,s,I,s,i,i,i,i,o,I,I,I,f,f,o,o,I,f,o,o,o,o,o,i,o]", numbers[0],
                     result->name + strlen(result->test), (json_int_t)html_label_pairs(result),
                     result->id, (int)html->model->devices[result->device].number,
                     (int)result->result, (int)report_counted(result), (int)result->expectation,
                     numbers[1], (json_int_t)result->runs, (json_int_t)result->failed_runs,
                     (json_int_t)result->judged, result->interval.low, result->interval.high,
                     numbers[2], numbers[3], (json_int_t)result->instances, result->seconds,
                     numbers[4], numbers[5], numbers[6], numbers[7], numbers[8],
                     (int)html->placed[index], outcomes_of(result, texts));
}

static json_t *make_names(const char *const *names, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(names[i]));
    return list;
}

static void put_member(struct text *out, const char *name, json_t *value)
{
    text_printf(out, "\"%s\":", name);
    html_json(out, value);
    text_puts(out, ",\n");
}

void html_data(const struct html *html, struct text *out)
{
    struct texts texts = {json_array(), json_object()};
    text_puts(out, "{");
    put_member(out, "decades", json_integer(html->decades));
    put_member(out, "devices", json_integer((json_int_t)html->model->device_count));
    put_member(out, "results", make_names(eng_result_names, ENG_RESULTS));
    put_member(out, "counted", make_names(report_counted_names, REPORT_COUNTED));
    put_member(out, "expectations", make_names(cat_expectation_names, CAT_CONTROL + 1));
    text_puts(out, "\"rows\":[");
    for (size_t i = 0; i < html->model->result_count; i++) {
        text_puts(out, i ? ",\n" : "\n");
        html_json(out, make_row(html, &html->model->results[i], &texts));
    }
    text_puts(out, "],\n\"texts\":");
    html_json(out, texts.list);
    text_puts(out, "}");
    json_decref(texts.numbers);
}
