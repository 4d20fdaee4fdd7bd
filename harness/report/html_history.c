// SPDX-License-Identifier: Apache-2.0
// The page's configurations over all sessions of the store: those that failed or changed.
#include "report/history.h"
#include "report/html.h"

#include <string.h>

#define MOST_TABLES 60

// Whether the lines of a configuration on a device are worth a look: a failing outcome appeared
// where none should, a rate changed, or a session had no answer.
static bool moves(const struct history_line *lines, size_t count)
{
    bool moves = false;
    const bool control = strcmp(lines->expectation, "control") == 0;
    for (size_t i = 0; i < count; i++)
        moves |= history_change(&lines[i]) != 0 ||
                 (!control && (lines[i].failed_runs > 0 || lines[i].judged == 0));
    return moves;
}

void html_courses(const struct html *html, struct text *out)
{
    const struct history *history = html->history;
    OWNED(text_free) struct text tables = {0};
    size_t all = 0, moving = 0;
    for (size_t at = 0, end; at < history->line_count; at = end) {
        const struct history_line *lines = &history->lines[at];
        size_t sessions = 0;
        end = history_end(history, at);
        for (size_t i = at; i < end; i++)
            sessions += history->lines[i].sessions;
        all += sessions > 1;
        if (sessions < 2 || !moves(lines, end - at) || moving++ >= MOST_TABLES)
            continue;
        OWNED(table_clear) struct table table = {0};
        html_printf(&tables, "<h3 class=\"config\">%s (%s)</h3>\n", lines->name,
                    lines->expectation);
        history_table(lines, end - at, &table);
        html_table(html, &table, false, &tables);
    }
    if (!all)
        return;
    html_printf(out,
                "<p>%s configurations were measured in other sessions too: %s of them failed or "
                "changed.</p>\n",
                COUNT(all), COUNT(moving));
    text_puts(out, tables.data ? tables.data : "");
    if (moving > MOST_TABLES)
        text_puts(out, "<p>More are left out here; <code>litmus history</code> has all.</p>\n");
}
