// SPDX-License-Identifier: Apache-2.0
// A forbidden execution with the cycle that forbids it, as a line of text and as a picture.
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
    uint8_t from, to; // event indices
    enum axi_edge_kind kind;
    bool in_cycle;
};

// The edges of the cycle come first, in order, followed by all other edges that give a read its
// value or synchronize.
struct axi_figure {
    struct {
        uint8_t thread;  // index
        unsigned number; // within the thread
        char *label;     // "st x=1"
        char *code;      // the instruction
    } events[AXI_EVENTS];
    unsigned count, cycle_length;
    struct axi_figure_edge *edges;
    size_t edge_count;
};

// Appends an event: "P0 st x=1".
void axi_write_event(const struct axi_execution *execution, unsigned event, struct text *text);

// Makes a figure from the events of a cycle in the relation of axi_causality, in order. Free it
// with axi_figure_free.
struct axi_figure *axi_figure_make(const struct axi_execution *execution, const uint8_t *cycle,
                                   unsigned length);
void axi_figure_free(struct axi_figure *figure); // NULL is fine

// Appends the cycle, then the synchronizing edges if the cycle crosses threads by location order.
void axi_figure_line(const struct axi_figure *figure, struct text *text);
// Appends the picture as an SVG file: a column for each thread, a box for each event, the cycle in
// bold. `style`: harness/explain/picture.css.
void axi_figure_svg(const struct axi_figure *figure, const char *title, const char *style,
                    struct text *text);
