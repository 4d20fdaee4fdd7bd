// SPDX-License-Identifier: Apache-2.0
// The progress line on stderr: redrawn in place on a terminal, an occasional plain line elsewhere.
#pragma once

#include "base/text.h"

struct eng_progress {
    bool off, terminal, utf8;
    double started;    // clock_now
    size_t failed;     // failed configurations, without controls
    double last_shown; // seconds since start; negative: never
    double last_part;  // fraction of the whole that was done then, 0 to 1
    bool drawn;        // a line stands on the terminal
};

// One device's progress.
struct eng_progress_queue {
    unsigned device;    // its number
    size_t total, done; // configurations
    size_t before;      // how many of `done` an earlier run had done
    bool active;        // it is running
    double started;     // seconds since the run's start at which it became active
    // The configuration being measured (its id first; NULL between two), and its runs.
    const char *name;
    uint64_t runs, of, failed;
};

// Shows the queues if it is time: on a terminal ten times a second, elsewhere after 10 s and
// another 5 % of the whole, whichever comes later.
void eng_progress_show(struct eng_progress *progress, const struct eng_progress_queue *queues,
                       size_t count, double now);
// Clears the line from the terminal, so that something else can be printed.
void eng_progress_clear(struct eng_progress *progress);

// Whether a line is due. Pure. `seconds` since the start.
bool eng_progress_due(const struct eng_progress *progress, double part, double seconds);
// The fraction of the whole that is done, 0 to 1. Pure.
double eng_progress_part(const struct eng_progress_queue *queues, size_t count);
// Estimates the seconds until the last queue ends, from each queue's progress in this run; negative
// if too little is known. Pure.
double eng_progress_left(const struct eng_progress_queue *queues, size_t count, double seconds);
// Writes the line, at most `columns` wide (0: any width): the configuration and its runs if one
// device is running, a place for each device if several are. Pure.
void eng_progress_line(const struct eng_progress *progress, const struct eng_progress_queue *queues,
                       size_t count, double seconds, size_t columns, struct text *line);

// "0.4 s", "12 s", "1 min 10 s", "2 h 05 min". Returns `text`.
char *eng_duration(char text[32], double seconds);
