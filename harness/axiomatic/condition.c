// SPDX-License-Identifier: Apache-2.0
// Conditions on final states.
#include "axiomatic/scan.h"

#include <stdio.h>
#include <string.h>

#define DEPTH 64

bool axi_thread_number(struct axi_scan *scan, const struct axi_program *program, int *thread)
{
    uint32_t number = 0;
    axi_skip(scan);
    scan->at += scan->at < scan->end && *scan->at == 'P';
    if (!axi_small(scan, &number))
        return false;
    for (size_t i = 0; i < program->thread_count; i++)
        if (program->threads[i].number == number) {
            *thread = (int)i;
            return true;
        }
    return axi_wrong(scan, "there is not a thread P%u", (unsigned)number);
}

// P and digits, or digits, before a colon.
static bool is_thread(const struct axi_scan *scan)
{
    const char *at = scan->at;
    at += at < scan->end && *at == 'P';
    const char *first = at;
    while (at < scan->end && *at >= '0' && *at <= '9')
        at++;
    const bool digits = at > first;
    while (at < scan->end && *at == ' ')
        at++;
    return digits && at < scan->end && *at == ':';
}

static bool take_register(struct axi_scan *scan, const struct axi_program *program,
                          struct axi_observed *to)
{
    uint32_t number = 0;
    if (!axi_thread_number(scan, program, &to->thread) || !axi_expect(scan, ":"))
        return false;
    axi_skip(scan);
    if (scan->at == scan->end || *scan->at != 'r')
        return axi_wrong(scan, "a register expected, as r0");
    scan->at++;
    if (!axi_small(scan, &number))
        return false;
    if (number >= AXI_REGISTERS)
        return axi_beyond(scan, "more registers than r0 to r%d", AXI_REGISTERS - 1);
    to->number = number;
    snprintf(to->name, sizeof to->name, "P%u:r%u", program->threads[to->thread].number,
             (unsigned)number);
    return true;
}

static bool take_location(struct axi_scan *scan, const struct axi_program *program,
                          struct axi_observed *to)
{
    char name[AXI_NAME];
    const bool brackets = axi_take(scan, "[");
    if (!axi_word(scan, name) || (brackets && !axi_expect(scan, "]")))
        return false;
    to->thread = -1;
    snprintf(to->name, sizeof to->name, "%s", name);
    for (size_t i = 0; i < program->reference_count; i++)
        if (strcmp(program->references[i].name, name) == 0) {
            to->number = program->references[i].location;
            return true;
        }
    return axi_wrong(scan, "there is not a location '%s'", name);
}

bool axi_observe(struct axi_scan *scan, struct axi_program *program, unsigned *observed)
{
    struct axi_observed found = {0};
    axi_skip(scan);
    if (is_thread(scan) ? !take_register(scan, program, &found)
                        : !take_location(scan, program, &found))
        return false;
    for (*observed = 0; *observed < program->observed_count; ++*observed)
        if (program->observed[*observed].thread == found.thread &&
            program->observed[*observed].number == found.number)
            return true;
    if (program->observed_count == AXI_OBSERVED)
        return axi_beyond(scan, "more than %d registers and locations in conditions", AXI_OBSERVED);
    program->observed[program->observed_count++] = found;
    return true;
}

static bool new_node(struct axi_scan *scan, struct axi_program *program, struct axi_node of,
                     int *node)
{
    if (program->node_count == AXI_NODES)
        return axi_beyond(scan, "conditions of more than %d parts", AXI_NODES);
    *node = (int)program->node_count;
    program->nodes[program->node_count++] = of;
    return true;
}

static bool take_side(struct axi_scan *scan, struct axi_program *program, struct axi_node *node,
                      int which)
{
    unsigned observed = 0;
    node->is_constant[which] = axi_is_number(scan) && !is_thread(scan);
    if (node->is_constant[which])
        return axi_number(scan, &node->constant[which]);
    if (!axi_observe(scan, program, &observed))
        return false;
    *(which ? &node->right : &node->left) = (uint16_t)observed;
    return true;
}

static bool take_comparison(struct axi_scan *scan, struct axi_program *program, int *node)
{
    static const struct {
        const char *sign;
        enum axi_operator operator;
    } signs[] = {{"==", AXI_EQ}, {"!=", AXI_NE}, {"<=", AXI_LE}, {">=", AXI_GE},
                 {"=", AXI_EQ},  {"<", AXI_LT},  {">", AXI_GT}};
    const size_t count = sizeof signs / sizeof *signs;
    struct axi_node made = {.kind = AXI_COMPARE};
    if (!take_side(scan, program, &made, 0))
        return false;
    size_t i = 0;
    while (i < count && !axi_take(scan, signs[i].sign))
        i++;
    if (i == count)
        return axi_wrong(scan, "a comparison expected, as ==");
    made.operator= signs[i].operator;
    return take_side(scan, program, &made, 1) && new_node(scan, program, made, node);
}

static bool take_level(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                       bool either, int *node);

static bool take_factor(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                        int *node)
{
    if (depth == DEPTH)
        return axi_wrong(scan, "a condition of more than %d levels", DEPTH);
    if (axi_take(scan, "("))
        return take_level(scan, program, depth + 1, true, node) && axi_expect(scan, ")");
    if (axi_take(scan, "~") || axi_take_word(scan, "not")) {
        int inner = 0;
        return take_factor(scan, program, depth + 1, &inner) &&
               new_node(scan, program, (struct axi_node){.kind = AXI_NOT, .left = (uint16_t)inner},
                        node);
    }
    return take_comparison(scan, program, node);
}

// Factors with /\ between them; `either`: these with \/ between them.
static bool take_level(struct axi_scan *scan, struct axi_program *program, unsigned depth,
                       bool either, int *node)
{
    const char *sign = either ? "\\/" : "/\\";
    struct axi_node made = {.kind = either ? AXI_EITHER : AXI_BOTH};
    for (bool first = true; first || axi_take(scan, sign); first = false) {
        made.left = (uint16_t)*node;
        if (!(either ? take_level(scan, program, depth, false, node)
                     : take_factor(scan, program, depth, node)))
            return false;
        made.right = (uint16_t)*node;
        if (!first && !new_node(scan, program, made, node))
            return false;
    }
    return true;
}

bool axi_condition(struct axi_scan *scan, struct axi_program *program, int *node)
{
    return take_level(scan, program, 0, true, node);
}
