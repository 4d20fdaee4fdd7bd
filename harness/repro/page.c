// SPDX-License-Identifier: Apache-2.0
// Pages of this repository, rewritten for readers who have nothing but a bundle.

#include "repro/repro.h"

#include <ctype.h>
#include <string.h>

// --- annotated.spvasm

// Whether an instruction begins at `at`: `OpName` or `%id = Op`.
static bool begins_instruction(const char *at)
{
    if (*at == '%') {
        at += strcspn(at, " \n");
        if (strncmp(at, " = ", 3) != 0)
            return false;
        at += 3;
    }
    return at[0] == 'O' && at[1] == 'p' && isupper((unsigned char)at[2]);
}

// Appends a line of assembly; each further instruction on it gets its own line.
static void put_instructions(const char *line, size_t size, struct text *out)
{
    bool quoted = false, first = true, result = false;
    const size_t indent = strspn(line, " ");
    for (size_t i = 0; i < size; i++) {
        if (!quoted && line[i] == ';') {
            text_append(out, line + i, size - i);
            break;
        }
        quoted ^= line[i] == '"' && (!i || line[i - 1] != '\\');
        const bool word = !quoted && (!i || line[i - 1] == ' ') && begins_instruction(line + i);
        if (word && !result && !first) {
            while (out->data[out->length - 1] == ' ')
                out->data[--out->length] = '\0';
            text_printf(out, "\n%*s", (int)(indent < 24 ? indent : 24), "");
        }
        if (word) {
            first = false;
            result = line[i] == '%'; // its opcode follows
        }
        text_append(out, line + i, 1);
    }
    text_puts(out, "\n");
}

void repro_without_pages(const char *words, size_t size, struct text *out)
{
    static const char page[] = " (docs/";
    for (size_t i = 0; i < size; i++) {
        const size_t end = i + strcspn(words + i, ")\n");
        if (!strncmp(words + i, page, strlen(page)) && end < size)
            i = end;
        else
            text_append(out, words + i, 1);
    }
}

// Appends a comment, unless it is the name of a page of this repository.
static void put_comment(const char *line, size_t size, struct text *out)
{
    static const char bug[] = "; bug ";
    if (!strncmp(line, bug, strlen(bug)))
        return;
    repro_without_pages(line, size, out);
    text_puts(out, "\n");
}

void repro_annotated(const char *page, struct text *out)
{
    for (const char *at = page; *at;) {
        const size_t size = strcspn(at, "\n");
        if (at[strspn(at, " ")] == ';')
            put_comment(at, size, out);
        else
            put_instructions(at, size, out);
        at += size + (at[size] == '\n');
    }
}

// --- report.md

struct link {
    const char *label, *target;
    size_t label_size, target_size;
};

// The link at `at`, if one is there that does not lead to a site.
static bool take_link(const char *at, struct link *link)
{
    const char *end = *at == '[' ? strchr(at, ']') : NULL;
    if (!end || end[1] != '(' || !strncmp(end + 2, "http", 4))
        return false;
    *link = (struct link){at + 1, end + 2, (size_t)(end - at - 1), strcspn(end + 2, ")")};
    return link->target[link->target_size] == ')';
}

// Takes away what leads to a link that goes: "text ([" or "text (other, [".
static bool cut_lead(struct text *out)
{
    size_t length = out->length;
    while (length && isspace((unsigned char)out->data[length - 1]))
        length--;
    if (!length || !strchr("(,", out->data[length - 1]))
        return false;
    const bool whole = out->data[length - 1] == '(';
    for (length--; whole && length && isspace((unsigned char)out->data[length - 1]);)
        length--;
    out->data[out->length = length] = '\0';
    return whole;
}

// Appends what stands in place of a link: its label; for a file of the bundle the name, too;
// nothing if all that the parentheses around it say is where a page of the repository is. Returns
// what follows.
static const char *put_link(const struct link *link, const char *folder, struct text *out)
{
    const char *next = link->target + link->target_size + 1;
    const size_t own = strlen(folder);
    const char *file = link->target + own + 1;
    const size_t size = link->target_size - own - 1;
    if (link->target_size > own + 1 && !strncmp(link->target, folder, own) && file[-1] == '/') {
        if (out->length && out->data[out->length - 1] == '(')
            text_append(out, file, size);
        else
            text_printf(out, "%.*s (`%.*s`)", (int)link->label_size, link->label, (int)size, file);
    } else if (link->target[0] != '#' && *next == ')' && out->length &&
               strchr("( \n", out->data[out->length - 1])) {
        const size_t before = out->length;
        const bool whole = cut_lead(out);
        if (out->length == before)
            text_append(out, link->label, link->label_size);
        next += whole;
    } else {
        text_append(out, link->label, link->label_size);
    }
    return next;
}

void repro_report(const char *page, const char *folder, struct text *out)
{
    const char *points = strstr(page, "\n- **Bundle:**");
    for (const char *at = page; *at;) {
        struct link link;
        if (at == points) {
            at = strstr(at, "\n\n");
            at = at ? at : "";
        } else if (take_link(at, &link)) {
            at = put_link(&link, folder, out);
        } else {
            text_append(out, at++, 1);
        }
    }
}
