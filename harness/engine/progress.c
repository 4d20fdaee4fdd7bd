// SPDX-License-Identifier: Apache-2.0
// Says how far a run is.

#include "engine/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

char *eng_duration(char text[32], double seconds)
{
    if (!(seconds > 0))
        seconds = 0;
    if (seconds > 1e9)
        seconds = 1e9;
    unsigned whole = (unsigned)(seconds + 0.5);
    if (seconds < 9.95)
        snprintf(text, 32, "%.1f s", seconds);
    else if (whole < 60)
        snprintf(text, 32, "%u s", whole);
    else if (whole < 3600)
        snprintf(text, 32, "%u min %02u s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%u h %02u min", whole / 3600, whole % 3600 / 60);
    return text;
}

double eng_progress_part(const struct eng_progress *progress,
                         const struct eng_progress_state *state)
{
    if (progress->total == 0)
        return 1;
    double inside = state->of ? (double)state->runs / (double)state->of : 0;
    return ((double)progress->done + inside) / (double)progress->total;
}

bool eng_progress_due(const struct eng_progress *progress, double part, double seconds)
{
    if (progress->off)
        return false;
    if (progress->terminal)
        return progress->last_shown < 0 || seconds - progress->last_shown >= 0.1;
    double last = progress->last_shown < 0 ? 0 : progress->last_shown;
    return seconds - last >= 10 && part - progress->last_part >= 0.05;
}

// Seconds left, from what this run has done so far; negative while too little is known.
static double time_left(const struct eng_progress *progress, const struct eng_progress_state *state,
                        double seconds)
{
    if (progress->total == 0)
        return -1;
    double before = (double)progress->before / (double)progress->total;
    double part = eng_progress_part(progress, state);
    if (seconds < 2 || part - before < 0.002)
        return -1;
    return seconds * (1 - part) / (part - before);
}

void eng_progress_line(const struct eng_progress *progress, const struct eng_progress_state *state,
                       double seconds, size_t columns, struct text *line)
{
    const char *dot = progress->utf8 ? " \u00b7 " : ", ";
    char runs[32], of[32], failed[32], done[32], total[32], left_text[32];
    struct text facts = {0};
    text_printf(&facts, "  run %s of %s", text_count(runs, state->runs), text_count(of, state->of));
    if (state->failed)
        text_printf(&facts, "%s%s failed", dot, text_count(failed, state->failed));
    text_printf(&facts, "%s%s of %s done", dot, text_count(done, progress->done),
                text_count(total, progress->total));
    double left = time_left(progress, state, seconds);
    if (left >= 0)
        text_printf(&facts, "%s%s left", dot, eng_duration(left_text, left));

    // The dots are one column wide and two bytes long.
    size_t width = facts.length;
    for (size_t i = 0; i < facts.length; i++)
        width -= ((unsigned char)facts.data[i] & 0xc0) == 0x80;
    size_t length = strlen(state->name);
    if (columns == 0 || 2 + length + width <= columns)
        text_printf(line, "  %s", state->name);
    else if (columns > width + 12)
        // The end tells configurations of one test apart.
        text_printf(line, "  ...%s", state->name + length - (columns - width - 5));
    text_append(line, facts.data, facts.length);
    text_free(&facts);
}

void eng_progress_show(struct eng_progress *progress, const struct eng_progress_state *state,
                       double now)
{
    double seconds = now - progress->started;
    double part = eng_progress_part(progress, state);
    if (!eng_progress_due(progress, part, seconds))
        return;
    size_t columns = 0;
    struct winsize size;
    if (progress->terminal) {
        columns = 80;
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            columns = size.ws_col;
        // The last column is left free: filling it would wrap the line.
        columns--;
    }
    struct text line = {0};
    eng_progress_line(progress, state, seconds, columns, &line);
    fprintf(stderr, progress->terminal ? "\r\033[K%s" : "%s\n", line.data);
    fflush(stderr);
    text_free(&line);
    progress->drawn = progress->terminal;
    progress->last_shown = seconds;
    progress->last_part = part;
}

void eng_progress_clear(struct eng_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
