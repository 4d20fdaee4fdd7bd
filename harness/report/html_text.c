// SPDX-License-Identifier: Apache-2.0
// Writes HTML and JSON that no string of a store can break out of.
#include "report/html.h"

#include <stdarg.h>
#include <string.h>

#define LONG_WORD 32 // bytes that must fit into a line

void html_escape(struct text *out, const char *string)
{
    static const char special[] = "&<>\"'`";
    while (*string) {
        size_t plain = 0;
        while (string[plain] && !strchr(special, string[plain]) &&
               ((unsigned char)string[plain] >= 0x20 && string[plain] != 0x7f))
            plain++;
        text_append(out, string, plain);
        string += plain;
        if (!*string)
            return;
        if (strchr(special, *string))
            text_printf(out, "&#%d;", *string);
        else
            text_puts(out, *string == '\n' ? "\n" : "?");
        string++;
    }
}

void html_printf(struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_escaped(out, html_escape, format, &arguments);
    va_end(arguments);
}

void html_json(struct text *out, json_t *json)
{
    OWNED(lit_free)
    char *dumped = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY |
                                        JSON_REAL_PRECISION(6));
    for (const char *at = dumped ? dumped : "null"; *at;) {
        // These occur only inside strings.
        const size_t plain = strcspn(at, "<>&");
        text_append(out, at, plain);
        at += plain;
        if (*at)
            text_printf(out, "\\u%04x", *at++);
    }
    json_decref(json);
}

void html_name(struct text *out, const char *name)
{
    while (*name) {
        size_t length = strcspn(name, ",/@ ");
        OWNED(text_free) struct text piece = {0};
        if (length > LONG_WORD)
            for (length = LONG_WORD; ((unsigned char)name[length] & 0xc0) == 0x80;)
                length--;
        else
            length += name[length] != '\0';
        text_append(&piece, name, length);
        html_printf(out, "%s", piece.data);
        name += length;
        const bool breaks = *name && *name != ' ' && name[-1] != ' ' &&
                            !(name[-1] == ',' && *name >= '0' && *name <= '9'); // 2,000
        text_puts(out, breaks ? "<wbr>" : "");
    }
}

// Appends the characters of a name that a file name may have. Returns whether it kept all.
static bool put_slug(struct text *out, const char *name)
{
    enum { MOST = 80 };
    bool same = true, dot = true, dash = true; // dot, dash: at the start, or after one
    size_t length = 0;
    for (; *name && length < MOST; name++) {
        char c = *name;
        const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        else if (!lower && (c != '.' || dot))
            c = '-';
        same = same && c == *name;
        if (c == '-' && dash) {
            same = false;
            continue;
        }
        dot = dash = c == '.' || c == '-';
        text_append(out, &c, 1);
        length++;
    }
    return same && length > 0 && !*name && !dot;
}

void html_slug(struct text *out, const char *name)
{
    if (put_slug(out, name))
        return;
    char id[CFG_ID_SIZE];
    cfg_id(name, id);
    text_printf(out, "-%s", id);
}

void html_device_slug(struct text *out, const struct dev_facts *facts)
{
    OWNED(text_free) struct text name = {0};
    char id[CFG_ID_SIZE];
    text_printf(&name, "%s-%s", facts->name, facts->driver_version);
    put_slug(out, name.data);
    text_printf(&name, "\n%s\n%s", facts->driver_name, facts->driver_info);
    cfg_id(name.data, id);
    text_printf(out, "-%s", id);
}

char *html_test_address(const char *up, const char *test)
{
    struct text out = {0};
    text_printf(&out, "%stest/", up);
    html_slug(&out, test);
    text_puts(&out, ".html");
    return out.data;
}

char *html_device_address(const char *up, const struct dev_facts *facts)
{
    struct text out = {0};
    text_printf(&out, "%sdevice/", up);
    html_device_slug(&out, facts);
    text_puts(&out, ".html");
    return out.data;
}

char *html_finding_address(const char *up, const char *finding)
{
    struct text out = {0};
    text_printf(&out, "%sfinding/", up);
    html_slug(&out, finding);
    text_puts(&out, ".html");
    return out.data;
}

void html_fact(struct text *out, const char *name, const char *value)
{
    if (value[0])
        html_printf(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

void html_copied(struct text *out, const char *name, const char *value)
{
    html_printf(out, "<dt>%s</dt><dd><code class=\"copy\">", name);
    html_name(out, value);
    text_puts(out, "</code></dd>\n");
}

void html_chip(struct text *out, const char *kind, const char *word)
{
    html_printf(out, "<span class=\"chip %s\">%s</span>", kind, word);
}

const char *html_kind(const struct result *result)
{
    if (report_control_triggered(result))
        return "seen";
    if (report_failed(result))
        return cat_expectation_name(result->expectation);
    return eng_result_name(result->result);
}

void html_device_name(struct text *out, const struct eng_device *device)
{
    text_printf(out, "%s, %s", device->facts.name, device->facts.driver_version);
}

void html_device(struct text *out, const struct html *html, size_t device)
{
    if (html->model->device_count < 2)
        return;
    OWNED(text_free) struct text name = {0};
    html_device_name(&name, &html->model->devices[device]);
    if (html->up) {
        OWNED(lit_free)
        char *address = html_device_address(html->up, &html->model->devices[device].facts);
        html_printf(out, "<a class=\"device\" href=\"%s\" title=\"%s\">%u</a> ", address, name.data,
                    html->model->devices[device].number);
        return;
    }
    html_printf(out, "<abbr class=\"device\" title=\"%s\">%u</abbr> ", name.data,
                html->model->devices[device].number);
}

void html_device_heading(const struct html *html, size_t device, struct text *out)
{
    OWNED(text_free) struct text name = {0};
    html_device_name(&name, &html->model->devices[device]);
    text_puts(out, "<h3>");
    html_device(out, html, device);
    html_printf(out, "%s</h3>\n", name.data);
}
