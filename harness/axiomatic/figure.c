// SPDX-License-Identifier: Apache-2.0
// Forbidden executions as a line and as a picture.
#include "axiomatic/figure.h"

#include "base/svg.h"

static const char *const edge_names[] = {
    [AXI_EDGE_PROGRAM] = "program order",           [AXI_EDGE_LOCATION] = "location order",
    [AXI_EDGE_MODIFICATION] = "modification order", [AXI_EDGE_READS_FROM] = "reads-from",
    [AXI_EDGE_FROM_READS] = "from-reads",           [AXI_EDGE_SYNCHRONIZES] = "synchronizes",
};

static void put_label(const struct axi_execution *x, unsigned e, struct text *out)
{
    const struct axi_event *event = &x->events[e];
    const unsigned from = x->from[e];
    text_puts(out, axi_word_of(event->of->kind, event->of->operator));
    if (event->of->kind == AXI_CONTROL_BARRIER)
        text_printf(out, " %u", (unsigned)event->of->barrier);
    if (event->of->kind > AXI_RMW)
        return;
    text_printf(out, " %s=", x->program->references[event->of->reference].name);
    if (axi_reads(event->of))
        text_printf(out, "%" PRId64,
                    from == AXI_INITIAL ? x->program->initial[event->location]
                                        : x->events[from].written);
    if (axi_writes(event->of))
        text_printf(out, "%s%" PRId64, axi_reads(event->of) ? "/" : "", event->written);
}

void axi_write_event(const struct axi_execution *x, unsigned event, struct text *out)
{
    text_printf(out, "P%u ", x->program->threads[x->events[event].thread].number);
    put_label(x, event, out);
}

static void add_edge(struct axi_figure *figure, unsigned a, unsigned b, enum axi_edge_kind kind,
                     bool in_cycle)
{
    for (size_t i = 0; i < figure->edge_count; i++)
        if (figure->edges[i].from == a && figure->edges[i].to == b && figure->edges[i].kind == kind)
            return;
    LIT_ADD(figure->edges, figure->edge_count) =
        (struct axi_figure_edge){(uint8_t)a, (uint8_t)b, kind, in_cycle};
}

struct axi_figure *axi_figure_make(const struct axi_execution *x, const uint8_t *cycle,
                                   unsigned length)
{
    struct axi_figure *figure = lit_alloc(1, sizeof *figure);
    figure->cycle_length = length;
    figure->count = x->count;
    for (unsigned e = 0; e < x->count; e++) {
        struct text label = {0}, code = {0};
        put_label(x, e, &label);
        axi_write(x->program, x->events[e].of, &code);
        figure->events[e].thread = x->events[e].thread;
        figure->events[e].number = x->program->threads[x->events[e].thread].number;
        figure->events[e].label = label.data;
        figure->events[e].code = code.data;
    }
    for (unsigned i = 0; i < length; i++) {
        const unsigned a = cycle[i], b = cycle[(i + 1) % length];
        enum axi_edge_kind kind = AXI_EDGE_FROM_READS;
        if (axi_has(&x->location_ordered, a, b))
            kind = axi_has(&x->program_order, a, b) ? AXI_EDGE_PROGRAM : AXI_EDGE_LOCATION;
        else if (axi_has(&x->all_modification, a, b))
            kind = AXI_EDGE_MODIFICATION;
        else if (x->reads >> b & 1 && x->from[b] == a)
            kind = AXI_EDGE_READS_FROM;
        add_edge(figure, a, b, kind, true);
    }
    for (unsigned a = 0; a < x->count; a++)
        AXI_EACH (b, x->synchronizes.row[a])
            add_edge(figure, a, b, AXI_EDGE_SYNCHRONIZES, false);
    AXI_EACH (read, x->reads)
        if (x->from[read] != AXI_INITIAL)
            add_edge(figure, x->from[read], read, AXI_EDGE_READS_FROM, false);
    return figure;
}

void axi_figure_free(struct axi_figure *figure)
{
    for (unsigned e = 0; figure && e < figure->count; e++) {
        free(figure->events[e].label);
        free(figure->events[e].code);
    }
    if (figure)
        free(figure->edges);
    free(figure);
}

static void put_event(const struct axi_figure *figure, unsigned event, struct text *out)
{
    text_printf(out, "P%u %s", figure->events[event].number, figure->events[event].label);
}

void axi_figure_line(const struct axi_figure *figure, struct text *out)
{
    bool between = false; // an edge of location order between threads
    for (size_t i = 0; i < figure->cycle_length; i++) {
        put_event(figure, figure->edges[i].from, out);
        text_printf(out, ", %s, ", edge_names[figure->edges[i].kind]);
        between |= figure->edges[i].kind == AXI_EDGE_LOCATION;
    }
    put_event(figure, figure->edges[0].from, out);
    for (size_t i = figure->cycle_length; i < figure->edge_count && between; i++) {
        if (figure->edges[i].kind != AXI_EDGE_SYNCHRONIZES)
            continue;
        text_puts(out, "; ");
        put_event(figure, figure->edges[i].from, out);
        text_puts(out, " synchronizes with ");
        put_event(figure, figure->edges[i].to, out);
    }
}

// The picture.

enum { PITCH = 450, BOX_WIDTH = 250, BOX_HEIGHT = 40, ROW = 84, LEFT = 60, TOP = 60 };

struct place {
    int x, y; // top left corner of the box
};

static void find_places(const struct axi_figure *figure, int top, struct place *places)
{
    int rows[AXI_THREADS] = {0};
    for (unsigned e = 0; e < figure->count; e++) {
        const int thread = figure->events[e].thread;
        places[e] = (struct place){LEFT + thread * PITCH, top + rows[thread]++ * ROW};
    }
}

static void put_box(const struct axi_figure *figure, unsigned e, struct place at, struct text *out)
{
    const bool barrier = figure->events[e].label[0] == 'm' || figure->events[e].label[0] == 'c';
    bool involved = false;
    for (unsigned i = 0; i < figure->cycle_length; i++)
        involved |= figure->edges[i].from == e;
    text_puts(out, "<g><title>");
    svg_put_xml(out, figure->events[e].code);
    text_printf(out,
                "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" "
                "class=\"box %s%s\"/>\n",
                at.x, at.y, BOX_WIDTH, BOX_HEIGHT, barrier ? "barrier" : "memory",
                involved ? " wrong" : "");
    svg_put_label(out, at.x + 8, at.y + 16, "title", figure->events[e].label);
    svg_put_label(out, at.x + 8, at.y + 32, "small", figure->events[e].code);
    text_puts(out, "</g>\n");
}

// A point on a cubic curve along one coordinate of its four control points; `at` is in eighths.
static int along(int at, int a, int b, int c, int d)
{
    const int left = 8 - at;
    return (a * left * left * left + 3 * b * left * left * at + 3 * c * left * at * at +
            d * at * at * at) /
           512;
}

// Draws an edge from side to side, bent by direction and kind to keep edges between the same two
// boxes, and their labels, apart.
static void put_edge(const struct axi_figure_edge *edge, const struct place *places,
                     struct text *out)
{
    static const struct {
        const char *line, *head, *label;
        int shift, bulge, named; // named: the label's position, in eighths
    } looks[] = {{"bad", "badhead", "badtext small", -8, 44, 3},
                 {"due", "duehead", "duetext small", 12, -30, 6},
                 {"arrow", "head", "faint small", 2, 0, 2}};
    const int look = edge->in_cycle ? 0 : edge->kind == AXI_EDGE_SYNCHRONIZES ? 1 : 2;
    const struct place from = places[edge->from], to = places[edge->to];
    const bool same = from.x == to.x, right = to.x > from.x;
    const int x1 = from.x + (right ? BOX_WIDTH : 0), x2 = to.x + (same || right ? 0 : BOX_WIDTH);
    const int y1 = from.y + BOX_HEIGHT / 2 + looks[look].shift;
    const int y2 = to.y + BOX_HEIGHT / 2 + looks[look].shift;
    const int forth = same ? -40 - 8 * look : right ? 70 : -70;
    const int back = same ? forth : -forth;
    const int bulge = same ? 0 : right ? -looks[look].bulge : looks[look].bulge;
    text_printf(out, "<path d=\"M%d %d C%d %d %d %d %d %d\" class=\"%s\"/>\n", x1, y1, x1 + forth,
                y1 + bulge, x2 + back, y2 + bulge, x2, y2, looks[look].line);
    const int tail = same || right ? -7 : 7;
    text_printf(out, "<polygon points=\"%d,%d %d,%d %d,%d\" class=\"%s\"/>\n", x2, y2, x2 + tail,
                y2 - 4, x2 + tail, y2 + 4, looks[look].head);
    const int at = looks[look].named;
    svg_put_label(out, same ? from.x + 4 : along(at, x1, x1 + forth, x2 + back, x2) - 36,
                  same ? (y1 + y2) / 2 + 3 : along(at, y1, y1 + bulge, y2 + bulge, y2) - 5,
                  looks[look].label, edge_names[edge->kind]);
}

void axi_figure_svg(const struct axi_figure *figure, const char *title, const char *style,
                    struct text *text)
{
    OWNED(text_free) struct text body = {0}, line = {0};
    struct place places[AXI_EVENTS];
    int threads = 1, bottom = 0;
    for (unsigned e = 0; e < figure->count; e++)
        threads = figure->events[e].thread >= threads ? figure->events[e].thread + 1 : threads;
    const int width = LEFT + BOX_WIDTH + SVG_MARGIN + (threads < 2 ? 1 : threads - 1) * PITCH;
    axi_figure_line(figure, &line);
    int y = svg_put_wrapped(&body, SVG_MARGIN + 12, width, "title", title);
    y = svg_put_wrapped(&body, y, width, "", line.data);
    find_places(figure, y + TOP, places);
    for (unsigned e = 0; e < figure->count; e++) {
        char name[32];
        snprintf(name, sizeof name, "P%u", figure->events[e].number);
        if (!e || figure->events[e].thread != figure->events[e - 1].thread)
            svg_put_label(&body, places[e].x, y + TOP - 14, "title", name);
        else
            text_printf(&body, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"lane\"/>\n",
                        places[e].x + BOX_WIDTH / 2, places[e - 1].y + BOX_HEIGHT,
                        places[e].x + BOX_WIDTH / 2, places[e].y);
        bottom = places[e].y > bottom ? places[e].y : bottom;
    }
    for (unsigned e = 0; e < figure->count; e++)
        put_box(figure, e, places[e], &body);
    for (size_t i = figure->edge_count; i > 0; i--)
        put_edge(&figure->edges[i - 1], places, &body);
    svg_put_page(text, title, line.data, style, width, bottom + BOX_HEIGHT + SVG_MARGIN, &body);
}
