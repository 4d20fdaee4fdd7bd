// SPDX-License-Identifier: Apache-2.0
// An execution that is forbidden, with the cycle that forbids it: as a line and as a picture.
#pragma once

#include "axiomatic/execution.h"

enum axi_edge_kind {
    AXI_EDGE_PROGRAM,
    AXI_EDGE_LOCATION,
    AXI_EDGE_MODIFICATION,
    AXI_EDGE_READS_FROM,
    AXI_EDGE_FROM_READS,
    AXI_EDGE_SYNCHRONIZES,
};

struct axi_figure_edge {
    uint8_t from, to; // events
    enum axi_edge_kind kind;
    bool in_cycle;
};

// Those of the cycle come first, in order; behind them all others by which a read gets its value
// and all by which synchronization is.
struct axi_figure {
    struct {
        uint8_t thread;  // index
        unsigned number; // of the thread
        char *label;     // "st x=1"
        char *code;      // the instruction
    } events[AXI_EVENTS];
    unsigned count, cycle_length;
    struct axi_figure_edge *edges;
    size_t edge_count;
};

// Appends an event: "P0 st x=1".
void axi_write_event(const struct axi_execution *execution, unsigned event, struct text *text);

// The events of a cycle in what axi_causality makes, in order. Free it.
struct axi_figure *axi_figure_make(const struct axi_execution *execution, const uint8_t *cycle,
                                   unsigned length);
void axi_figure_free(struct axi_figure *figure); // NULL is fine

// Appends the cycle, then what synchronizes if the cycle has an edge of location order between
// threads.
void axi_figure_line(const struct axi_figure *figure, struct text *text);
// Appends the file of a picture: a column for each thread, a box for each event, the cycle in
// bold lines. `style`: harness/explain/picture.css.
void axi_figure_svg(const struct axi_figure *figure, const char *title, const char *style,
                    struct text *text);
