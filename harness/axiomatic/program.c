// SPDX-License-Identifier: Apache-2.0
// A program's arithmetic and conditions; and programs in the VULKAN dialect, in the order that
// Dat3M's grammar requires.
#include "axiomatic/program.h"

void axi_program_clear(struct axi_program *program)
{
    for (size_t i = 0; i < program->thread_count; i++)
        free(program->threads[i].instructions);
    *program = (struct axi_program){0};
}

bool axi_waits(const struct axi_program *program)
{
    for (size_t t = 0; t < program->thread_count; t++)
        for (size_t i = 0; i < program->threads[t].count; i++)
            if (program->threads[t].instructions[i].kind == AXI_JUMP &&
                program->threads[t].instructions[i].to <= i)
                return true;
    return false;
}

bool axi_reads(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_LOAD || instruction->kind == AXI_RMW;
}

bool axi_writes(const struct axi_instruction *instruction)
{
    return instruction->kind == AXI_STORE || instruction->kind == AXI_RMW;
}

// Adds a conjunct: that a read has this value.
static bool add_read(struct axi_program *program, unsigned thread, unsigned number, int64_t value)
{
    if (number == AXI_REGISTERS || program->observed_count == AXI_OBSERVED ||
        program->node_count + 2 > AXI_NODES)
        return false;
    struct axi_observed *observed = &program->observed[program->observed_count];
    *observed = (struct axi_observed){.thread = (int)thread, .number = number};
    snprintf(observed->name, sizeof observed->name, "P%u:r%u", program->threads[thread].number,
             number);
    const uint16_t node = (uint16_t)program->node_count++;
    program->nodes[node] = (struct axi_node){.kind = AXI_COMPARE,
                                             .left = (uint16_t)program->observed_count++,
                                             .operator= AXI_EQ,
                                             .is_constant = {false, true},
                                             .constant = {0, value}};
    int *all = &program->checks[0].condition;
    if (*all == AXI_TRUE) {
        *all = node;
        return true;
    }
    program->nodes[program->node_count] =
        (struct axi_node){.kind = AXI_BOTH, .left = (uint16_t)*all, .right = node};
    *all = (int)program->node_count++;
    return true;
}

bool axi_ask_reads(struct axi_program *program)
{
    size_t asked = 0;
    bool any = false;
    while (asked < program->check_count && program->checks[asked].any_candidate)
        asked++;
    for (unsigned t = 0; t < program->thread_count; t++) {
        struct axi_thread *thread = &program->threads[t];
        unsigned used = 0;
        for (size_t i = 0; i < thread->count; i++) {
            struct axi_instruction *of = &thread->instructions[i];
            if (!of->wants)
                continue;
            if (!any) {
                program->checks[0] = (struct axi_check){
                    .condition = AXI_TRUE,
                    .quantifier = asked < program->check_count ? program->checks[asked].quantifier
                                                               : AXI_EXISTS};
                program->check_count = 1;
                any = true;
            }
            of->wants = false;
            of->target = (uint8_t)used;
            if (!add_read(program, t, used++, of->wanted))
                return false;
        }
    }
    return true;
}

bool axi_is_same_barrier(const struct axi_instruction *a, const struct axi_instruction *b)
{
    return a->kind == AXI_CONTROL_BARRIER && b->kind == AXI_CONTROL_BARRIER &&
           a->barrier == b->barrier && a->scope == b->scope;
}

bool axi_shares_barrier(const struct axi_program *program, size_t thread, size_t other,
                        const struct axi_instruction *barrier)
{
    const struct axi_thread *of = &program->threads[other];
    for (int scope = barrier->execution; scope < AXI_DEVICE; scope++)
        if (of->group[scope] != program->threads[thread].group[scope])
            return false;
    for (size_t i = 0; i < of->count; i++)
        if (axi_is_same_barrier(barrier, &of->instructions[i]))
            return true;
    return false;
}

bool axi_compute(enum axi_operator operator, int64_t a, int64_t b, int64_t *result)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    const int64_t results[] = {[AXI_ADD] = (int64_t)(x + y),
                               [AXI_SUB] = (int64_t)(x - y),
                               [AXI_MUL] = (int64_t)(x * y),
                               [AXI_DIV] = b == -1 ? (int64_t)(0 - x)
                                           : b     ? a / b
                                                   : 0,
                               [AXI_AND] = a & b,
                               [AXI_OR] = a | b,
                               [AXI_XOR] = a ^ b,
                               [AXI_REPLACE] = b};
    *result = results[operator];
    return operator!= AXI_DIV || b != 0;
}

bool axi_compare(enum axi_operator operator, int64_t a, int64_t b)
{
    const bool results[] = {[AXI_EQ] = a == b, [AXI_NE] = a != b, [AXI_LT] = a<b, [AXI_GT] = a> b,
                            [AXI_LE] = a <= b, [AXI_GE] = a >= b, [AXI_ALWAYS] = true};
    return results[operator];
}

static int64_t side(const struct axi_node *node, int which, const int64_t *values)
{
    if (node->is_constant[which])
        return node->constant[which];
    return values[which ? node->right : node->left];
}

bool axi_satisfies(const struct axi_program *program, int node, const int64_t *values)
{
    if (node == AXI_TRUE)
        return true;
    const struct axi_node *of = &program->nodes[node];
    switch (of->kind) {
    case AXI_BOTH:
        return axi_satisfies(program, of->left, values) &&
               axi_satisfies(program, of->right, values);
    case AXI_EITHER:
        return axi_satisfies(program, of->left, values) ||
               axi_satisfies(program, of->right, values);
    case AXI_NOT:
        return !axi_satisfies(program, of->left, values);
    default:
        return axi_compare(of->operator, side(of, 0, values), side(of, 1, values));
    }
}

// --- Writing

static void put_parts(const struct axi_instruction *of, struct text *text)
{
    static const char *const scopes[] = {".sg", ".wg", ".qf", ".dv", ""};
    const bool is_access = of->kind <= AXI_RMW;
    text_puts(text, of->atomic ? ".atom" : "");
    text_puts(text, of->acquire && of->release ? ".acq_rel"
                    : of->acquire              ? ".acq"
                    : of->release              ? ".rel"
                                               : "");
    text_puts(text, of->available && !of->atomic ? ".av" : "");
    text_puts(text, of->visible && !of->atomic ? ".vis" : "");
    text_puts(text, of->non_private && !of->available && !of->visible ? ".nonpriv" : "");
    text_puts(text, scopes[of->scope]);
    if (is_access)
        text_printf(text, ".sc%u", of->storage);
    for (int i = 0; i < AXI_STORAGE_CLASSES; i++)
        if (of->semantics >> i & 1)
            text_printf(text, ".semsc%d", i);
    text_puts(text, of->sem_available ? ".semav" : "");
    text_puts(text, of->sem_visible ? ".semvis" : "");
    if (of->kind == AXI_RMW && of->operator!= AXI_REPLACE)
        text_printf(text, ".%s", axi_word_of(AXI_COMPUTE, of->operator));
}

static void put_operand(const struct axi_operand *operand, struct text *text)
{
    if (operand->is_register)
        text_printf(text, "r%u", operand->number);
    else
        text_printf(text, "%" PRId64, operand->value);
}

void axi_write(const struct axi_program *program, const struct axi_instruction *of,
               struct text *text)
{
    const char *name = program->references[of->reference].name;
    text_puts(text, axi_word_of(of->kind, of->operator));
    if (of->kind <= AXI_CONTROL_BARRIER)
        put_parts(of, text);
    if (of->target < AXI_REGISTERS)
        text_printf(text, " r%u,", of->target);
    switch (of->kind) {
    case AXI_LOAD:
        text_printf(text, " %s", name);
        break;
    case AXI_STORE:
    case AXI_RMW:
        text_printf(text, " %s, ", name);
        put_operand(&of->a, text);
        break;
    case AXI_CONTROL_BARRIER:
        text_printf(text, " %u", (unsigned)of->barrier);
        break;
    case AXI_COMPUTE:
    case AXI_JUMP:
        text_puts(text, " ");
        if (of->operator!= AXI_ALWAYS) {
            put_operand(&of->a, text);
            text_puts(text, ", ");
            put_operand(&of->b, text);
        }
        if (of->kind == AXI_JUMP)
            text_printf(text, "%sLC%u", of->operator!= AXI_ALWAYS ? ", " : "", (unsigned)of->to);
        break;
    default:
        break;
    }
}

bool axi_is_plain(const struct axi_check *check)
{
    return check->condition != AXI_TRUE && !check->any_candidate && !check->without_chains &&
           !check->race && !check->sizes_sequence;
}

static void put_side(const struct axi_program *program, const struct axi_node *node, int side,
                     struct text *text)
{
    if (node->is_constant[side])
        text_printf(text, "%" PRId64, node->constant[side]);
    else
        text_puts(text, program->observed[side ? node->right : node->left].name);
}

// Appends a node nested in another; parenthesised if the connective differs.
static void put_node(const struct axi_program *program, int number, enum axi_connective inside,
                     const char *const words[3], struct text *text)
{
    static const char *const signs[] = {[AXI_EQ] = "==", [AXI_NE] = "!=", [AXI_LT] = "<",
                                        [AXI_GT] = ">",  [AXI_LE] = "<=", [AXI_GE] = ">="};
    const struct axi_node *node = &program->nodes[number];
    if (node->kind == AXI_COMPARE) {
        put_side(program, node, 0, text);
        text_printf(text, " %s ", signs[node->operator]);
        put_side(program, node, 1, text);
    } else if (node->kind == AXI_NOT) {
        text_printf(text, "%s(", words[2]);
        put_node(program, node->left, AXI_COMPARE, words, text);
        text_puts(text, ")");
    } else {
        const bool apart = inside != AXI_COMPARE && inside != node->kind;
        text_puts(text, apart ? "(" : "");
        put_node(program, node->left, node->kind, words, text);
        text_printf(text, " %s ", words[node->kind == AXI_EITHER]);
        put_node(program, node->right, node->kind, words, text);
        text_puts(text, apart ? ")" : "");
    }
}

void axi_write_condition(const struct axi_program *program, int node, const char *const words[3],
                         struct text *text)
{
    put_node(program, node, AXI_COMPARE, words, text);
}

static void put_declarations(const struct axi_program *program, struct text *text)
{
    bool any = false;
    text_puts(text, "{");
    for (size_t i = 0; i < program->reference_count; i++) {
        const struct axi_reference *of = &program->references[i];
        if (of->location == i)
            text_printf(text, " %s=%" PRId64 ";", of->name, program->initial[i]);
        else
            text_printf(text, " %s aliases %s;", of->name, program->references[of->location].name);
    }
    for (size_t t = 0; t < program->thread_count; t++)
        for (unsigned r = 0; r < AXI_REGISTERS; r++)
            if (program->threads[t].initial[r])
                text_printf(text, " P%u:r%u=%" PRId64 ";", program->threads[t].number, r,
                            program->threads[t].initial[r]);
    text_puts(text, " }\n");
    for (size_t i = 0; i < program->thread_count; i++)
        for (size_t j = 0; j < program->thread_count; j++)
            if (program->synchronizes[i] >> j & 1) {
                text_printf(text, "%s ssw %u %u;", any ? "" : "{", program->threads[i].number,
                            program->threads[j].number);
                any = true;
            }
    text_puts(text, any ? " }\n" : "");
}

// The first register above all that a thread's instructions name.
static unsigned first_free(const struct axi_thread *thread)
{
    unsigned first = 0;
    for (size_t i = 0; i < thread->count; i++) {
        const struct axi_instruction *of = &thread->instructions[i];
        const unsigned named[] = {of->target < AXI_REGISTERS ? of->target + 1u : 0,
                                  of->a.is_register ? of->a.number + 1u : 0,
                                  of->b.is_register ? of->b.number + 1u : 0};
        for (size_t j = 0; j < sizeof named / sizeof *named; j++)
            first = named[j] > first ? named[j] : first;
    }
    return first;
}

// Appends a thread's rows, one a line: name and place, then instructions and labels.
static void put_rows(const struct axi_program *program, const struct axi_thread *thread,
                     struct text *rows)
{
    unsigned unused = first_free(thread);
    text_printf(rows, "P%u@sg %u, wg %u, qf %u\n", thread->number, thread->group[AXI_SUBGROUP],
                thread->group[AXI_WORKGROUP], thread->group[AXI_QUEUE_FAMILY]);
    for (size_t i = 0; i <= thread->count; i++) {
        bool target = false;
        for (size_t j = 0; j < thread->count; j++)
            target |= thread->instructions[j].kind == AXI_JUMP && thread->instructions[j].to == i;
        if (target)
            text_printf(rows, "LC%zu:\n", i);
        if (i == thread->count)
            break;
        struct axi_instruction of = thread->instructions[i];
        if (axi_reads(&of) && of.target == AXI_REGISTERS)
            of.target = (uint8_t)unused++;
        axi_write(program, &of, rows);
        text_puts(rows, "\n");
    }
}

static void put_threads(const struct axi_program *program, struct text *text)
{
    struct text rows[AXI_THREADS] = {0};
    const char *at[AXI_THREADS];
    size_t width[AXI_THREADS] = {0}, left = 0;
    for (size_t t = 0; t < program->thread_count; t++) {
        put_rows(program, &program->threads[t], &rows[t]);
        at[t] = rows[t].data;
        left += rows[t].length;
        for (const char *row = at[t]; *row; row += strcspn(row, "\n") + 1)
            width[t] = strcspn(row, "\n") > width[t] ? strcspn(row, "\n") : width[t];
    }
    while (left) {
        for (size_t t = 0; t < program->thread_count; t++) {
            const size_t length = strcspn(at[t], "\n"), all = length + (at[t][length] == '\n');
            text_printf(text, "%s%-*.*s", t ? " | " : " ", (int)width[t], (int)length, at[t]);
            at[t] += all;
            left -= all;
        }
        text_puts(text, " ;\n");
    }
    for (size_t t = 0; t < program->thread_count; t++)
        text_free(&rows[t]);
}

// Whether a condition of the file names the observed value; otherwise `locations` does.
static bool is_named(const struct axi_program *program, size_t observed)
{
    for (size_t i = 0; i < program->node_count; i++)
        for (int side = 0; side < 2; side++) {
            const struct axi_node *node = &program->nodes[i];
            if (node->kind == AXI_COMPARE && !node->is_constant[side] &&
                (side ? node->right : node->left) == observed)
                return true;
        }
    return false;
}

static void put_final(const struct axi_program *program, struct text *text)
{
    static const char *const words[] = {"/\\", "\\/", "~"};
    static const char *const asks[] = {"exists", "~exists", "forall"};
    bool any = false;
    for (size_t o = 0; o < program->observed_count; o++)
        if (!is_named(program, o)) {
            text_printf(text, "%s%s", any ? "; " : "locations [", program->observed[o].name);
            any = true;
        }
    text_puts(text, any ? "]\n" : "");
    if (program->filter != AXI_TRUE) {
        text_puts(text, "filter (");
        axi_write_condition(program, program->filter, words, text);
        text_puts(text, ")\n");
    }
    if (program->check_count && axi_is_plain(&program->checks[0])) {
        text_printf(text, "%s (", asks[program->checks[0].quantifier]);
        axi_write_condition(program, program->checks[0].condition, words, text);
        text_puts(text, ")\n");
    }
}

static bool check_program(const struct axi_program *program, struct lit_error *error)
{
    for (size_t t = 0, unused = 0; t < program->thread_count; t++, unused = 0)
        for (size_t i = 0; i < program->threads[t].count; i++) {
            const struct axi_instruction *of = &program->threads[t].instructions[i];
            if (of->wants)
                return lit_fail(error, LIT_EXIT_UNDECIDED, "a read that says what it reads");
            if (of->kind == AXI_CONTROL_BARRIER && of->execution > AXI_WORKGROUP)
                return lit_fail(error, LIT_EXIT_UNDECIDED,
                                "line %u: a control barrier of several workgroups",
                                (unsigned)of->line);
            unused += axi_reads(of) && of->target == AXI_REGISTERS;
            if (first_free(&program->threads[t]) + unused > AXI_REGISTERS)
                return lit_fail(error, LIT_EXIT_UNDECIDED, "line %u: no register is left",
                                (unsigned)of->line);
        }
    return true;
}

bool axi_write_program(const struct axi_program *program, const char *remark, struct text *text,
                       struct lit_error *error)
{
    if (!check_program(program, error))
        return false;
    text_printf(text, "VULKAN %s\n", program->name);
    for (unsigned form = 0, any = 0; form < AXI_FORMS; form++)
        if (program->forms >> form & 1)
            text_printf(text, "%s%s", any++ ? " " : "Kernel=", axi_form_word(form));
    text_puts(text, program->forms ? "\n" : "");
    if (remark)
        text_printf(text, "(* %s *)\n", remark);
    put_declarations(program, text);
    put_threads(program, text);
    put_final(program, text);
    return true;
}
