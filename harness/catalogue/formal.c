// SPDX-License-Identifier: Apache-2.0
// The programs of the memory model that tests of the family memory are: formal.txt, with what
// spirv/common/memory-scope.h makes of the axes sides, scope, place and cure.
#include "catalogue/catalogue.h"

#include <stdio.h>
#include <string.h>

extern const char formal_programs[]; // catalogue/formal.txt

// The value of an axis; "" if the test has no such axis.
static const char *value_of(const struct cat_case *which, const char *name)
{
    const struct cat_head *head = &which->test->head;
    const struct cat_axis *axis = cat_axis_find(head->axes, head->axis_count, name, strlen(name));
    return axis ? axis->values[which->axis[axis - head->axes]] : "";
}

static bool is(const struct cat_case *which, const char *name, const char *value)
{
    return strcmp(value_of(which, name), value) == 0;
}

static const char *scope_of(const struct cat_case *which)
{
    static const char *const scopes[] = {"sg", "wg", "dv"};
    const bool device = is(which, "sides", "device"), subgroup = is(which, "sides", "subgroup");
    const int exact = device ? 2 : subgroup ? 0 : 1;
    const bool wider = is(which, "scope", "wider") || is(which, "cure", "device");
    return scopes[exact + wider - is(which, "scope", "narrower")];
}

static void put_order(const struct cat_case *which, const char *order, const char *classes,
                      const char *moves, struct text *text)
{
    text_printf(text, "%s.%s%s%s", order, scope_of(which), classes, moves);
}

// What a word behind a dollar stands for; its length in the text.
static size_t put_word(const struct cat_case *which, const char *word, struct text *text)
{
    const bool all = is(which, "place", "shared");
    const bool x = all || is(which, "place", "data-shared");
    const bool y = all || is(which, "place", "flag-shared");
    const char *classes = x && y ? ".semsc1" : x || y ? ".semsc0.semsc1" : ".semsc0";
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    if (strncmp(word, "there", length) == 0)
        text_puts(text, is(which, "sides", "device")     ? "sg 0, wg 1, qf 0"
                        : is(which, "sides", "subgroup") ? "sg 0, wg 0, qf 0"
                                                         : "sg 1, wg 0, qf 0");
    else if (strncmp(word, "scope", length) == 0)
        text_puts(text, scope_of(which));
    else if (strncmp(word, "acquire", length) == 0)
        put_order(which, "acq", classes, ".semvis", text);
    else if (strncmp(word, "release", length) == 0)
        put_order(which, "rel", classes, ".semav", text);
    else if (strncmp(word, "both", length) == 0)
        put_order(which, "acq_rel", classes, ".semav.semvis", text);
    else if (strncmp(word, "ask", length) == 0)
        text_puts(text,
                  cat_case_expect(which)->expectation == CAT_FORBIDDEN ? "~exists" : "exists");
    else
        text_puts(text, (*word == 'x' ? x : y) ? "sc1" : "sc0");
    return length;
}

// Whether all terms in brackets hold, which *line is then behind.
static bool holds(const struct cat_case *which, const char **line)
{
    bool good = true;
    if (**line != '[')
        return true;
    for (char end = '['; end != ']';) {
        char word[128];
        const char *what = NULL;
        struct cat_term term;
        const size_t length = strcspn(++*line, " ]");
        snprintf(word, sizeof word, "%.*s", (int)length, *line);
        *line += length;
        end = **line;
        good = good && cat_term_parse(&which->test->head, word, &term, &what) &&
               cat_term_holds(&term, which->axis, which->sweep);
    }
    ++*line;
    return good;
}

bool cat_case_formal(const struct cat_case *which, struct text *text, struct lit_error *error)
{
    OWNED(text_free) struct text title = {0};
    text_printf(&title, "== %s\n", which->test->head.name);
    const char *line = strstr(formal_programs, title.data);
    if (!line)
        return lit_fail(error, LIT_EXIT_UNDECIDED,
                        "not expressed as a program of the memory model");
    text_printf(text, "VULKAN %s\n", which->test->head.name);
    for (line += title.length; *line && *line != '='; line += strcspn(line, "\n") + 1) {
        if (*line == '#' || !holds(which, &line))
            continue;
        line += strspn(line, " ");
        const size_t length = strcspn(line, "\n");
        if (*line == '!')
            return lit_fail(error, LIT_EXIT_UNDECIDED,
                            "not expressed as a program of the memory model: %.*s", (int)length - 2,
                            line + 2);
        for (const char *at = line; at < line + length; at++)
            if (*at == '$')
                at += put_word(which, at + 1, text);
            else
                text_append(text, at, 1);
        text_puts(text, "\n");
    }
    return true;
}
