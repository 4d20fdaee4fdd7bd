// SPDX-License-Identifier: Apache-2.0
// Shows a run's progress.

#include "engine/progress.h"

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

// Counts configurations, including a fraction of the present one.
static double done_of(const struct eng_progress_queue *queue)
{
    double inside = queue->name && queue->of ? (double)queue->runs / (double)queue->of : 0;
    return (double)queue->done + (inside < 1 ? inside : 1);
}

double eng_progress_part(const struct eng_progress_queue *queues, size_t count)
{
    double total = 0, done = 0;
    for (size_t i = 0; i < count; i++) {
        total += (double)queues[i].total;
        done += done_of(&queues[i]);
    }
    return total > 0 ? done / total : 1;
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

// `done` of `total` are done, `before` of them earlier; the rest took `seconds`.
static double extrapolate(double total, double done, double before, double seconds)
{
    if (seconds < 2 || done - before < 0.002 * total || total <= 0)
        return -1;
    return seconds * (total - done) / (done - before);
}

double eng_progress_left(const struct eng_progress_queue *queues, size_t count, double seconds)
{
    double total = 0, done = 0, before = 0, longest = -1;
    bool unknown = false, waiting = false;
    for (size_t i = 0; i < count; i++) {
        const struct eng_progress_queue *queue = &queues[i];
        double left = extrapolate((double)queue->total, done_of(queue), (double)queue->before,
                                  seconds - queue->started);
        total += (double)queue->total;
        done += done_of(queue);
        before += (double)queue->before;
        unknown |= queue->active && left < 0;
        waiting |= !queue->active && queue->started < 0;
        if (queue->active && left > longest)
            longest = left;
    }
    if (waiting)
        return extrapolate(total, done, before, seconds);
    return unknown ? -1 : longest;
}

// On a terminal: continuation bytes of UTF-8 take no column.
static size_t width_of(const struct text *text)
{
    size_t width = text->length;
    for (size_t i = 0; i < text->length; i++)
        width -= ((unsigned char)text->data[i] & 0xc0) == 0x80;
    return width;
}

static void put_left(const struct eng_progress_queue *queues, size_t count, double seconds,
                     const char *dot, struct text *line)
{
    char left_text[32];
    double left = eng_progress_left(queues, count, seconds);
    if (left >= 0)
        text_printf(line, "%s%s left", dot, eng_duration(left_text, left));
}

#define NO_TERMINAL 100 // columns

// One device is running a configuration.
static void put_one(const struct eng_progress_queue *queues, size_t count,
                    const struct eng_progress_queue *active, double seconds, size_t columns,
                    const char *dot, struct text *line)
{
    char runs[32], of[32], failed[32], done_text[32], total_text[32];
    OWNED(text_free) struct text facts = {0};
    size_t done = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        done += queues[i].done;
        total += queues[i].total;
    }
    text_printf(&facts, "  run %s of %s", text_count(runs, active->runs),
                text_count(of, active->of));
    if (active->failed)
        text_printf(&facts, "%s%s failed", dot, text_count(failed, active->failed));
    text_printf(&facts, "%s%s of %s done", dot, text_count(done_text, done),
                text_count(total_text, total));
    put_left(queues, count, seconds, dot, &facts);

    const size_t width = width_of(&facts), length = strlen(active->name);
    const size_t id = strcspn(active->name, " "), room = columns ? columns : NO_TERMINAL;
    if (2 + length + width <= room)
        text_printf(line, "  %s", active->name);
    else if (2 + id + width <= room)
        text_printf(line, "  %.*s", (int)id, active->name);
    text_append(line, facts.data, facts.length);
}

// How much a line for several devices shows; less on a narrow terminal.
enum detail { DETAIL_WORDS, DETAIL_NUMBERS, DETAIL_SUM, DETAILS };

static void put_places(const struct eng_progress_queue *queues, size_t count, enum detail detail,
                       const char *dot, struct text *line)
{
    char done_text[32], total_text[32];
    size_t done = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        const struct eng_progress_queue *queue = &queues[i];
        done += queue->done;
        total += queue->total;
        if (detail != DETAIL_SUM)
            text_printf(line, "%s%s%u%s %s/%s", i ? dot : "  ",
                        detail == DETAIL_WORDS ? "device " : "", queue->device,
                        detail == DETAIL_WORDS ? "" : ":", text_count(done_text, queue->done),
                        text_count(total_text, queue->total));
    }
    if (detail == DETAIL_SUM)
        text_printf(line, "  %s of %s done on %zu devices", text_count(done_text, done),
                    text_count(total_text, total), count);
}

static void put_several(const struct eng_progress *progress,
                        const struct eng_progress_queue *queues, size_t count, double seconds,
                        size_t columns, const char *dot, struct text *line)
{
    char failed[32];
    for (enum detail detail = DETAIL_WORDS; detail < DETAILS; detail++) {
        text_free(line);
        put_places(queues, count, detail, dot, line);
        if (progress->failed)
            text_printf(line, "%s%s failed", dot, text_count(failed, progress->failed));
        put_left(queues, count, seconds, dot, line);
        if (columns == 0 || width_of(line) <= columns)
            return;
    }
}

void eng_progress_line(const struct eng_progress *progress, const struct eng_progress_queue *queues,
                       size_t count, double seconds, size_t columns, struct text *line)
{
    const char *dot = progress->utf8 ? " \u00b7 " : ", ";
    const struct eng_progress_queue *active = NULL;
    size_t at_work = 0;
    for (size_t i = 0; i < count; i++) {
        at_work += queues[i].active;
        if (queues[i].active && queues[i].name)
            active = &queues[i];
    }
    if (at_work <= 1 && active)
        put_one(queues, count, active, seconds, columns, dot, line);
    else
        put_several(progress, queues, count, seconds, columns, dot, line);
}

void eng_progress_show(struct eng_progress *progress, const struct eng_progress_queue *queues,
                       size_t count, double now)
{
    double seconds = now - progress->started;
    double part = eng_progress_part(queues, count);
    if (!eng_progress_due(progress, part, seconds))
        return;
    size_t columns = 0;
    struct winsize size;
    if (progress->terminal) {
        columns = 80;
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            columns = size.ws_col;
        // Leave the last column free: filling it would wrap the line.
        columns--;
    }
    OWNED(text_free) struct text line = {0};
    eng_progress_line(progress, queues, count, seconds, columns, &line);
    fprintf(stderr, progress->terminal ? "\r\033[K%s" : "%s\n", line.data);
    fflush(stderr);
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
