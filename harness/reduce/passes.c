// SPDX-License-Identifier: Apache-2.0
// The passes, each with all places where it applies.
#include "reduce/pass.h"

#define BRANCH (2u << SpvWordCountShift | SpvOpBranch)

enum { FIRST, LAST, BEFORE, ZERO, ONE, VALUE, NOTHING }; // what a result becomes
enum { WAY_FIRST, WAY_SECOND, WAY_MERGE };               // where a branch goes
enum { DEBUG, PREAMBLE };                                // lines to drop

// A kernel derived from it.
struct draft {
    struct cat_package *package;
    struct red_module *module; // changed lines keep their numbers from the base
};

// A pass at work: counts the places in a base; if `draft` is not NULL, changes it at the chosen
// ones.
struct red_run {
    const struct red_base *base;
    const struct red_module *m; // the base's
    struct draft *draft;
    const bool *chosen;
    int how; // of the pass
    size_t places;
    bool good;      // false: that is not possible
    bool inside;    // a function, at the present line
    uint32_t block; // the last label up to there
    uint32_t *ways; // references to each block, except from phis
    uint32_t *with; // what replaces each id of the draft in the end; 0: nothing
};
// Adds a place. Whether the draft is to change there.
static bool is_chosen(struct red_run *run)
{
    run->places++;
    return run->draft && run->chosen[run->places - 1];
}

// --- Results

static bool is_part_of_flow(uint32_t opcode)
{
    return red_is_end(opcode) ||
           RED_IS_ONE(opcode, SpvOpLabel, SpvOpVariable, SpvOpFunctionParameter,
                      SpvOpSelectionMerge, SpvOpLoopMerge, SpvOpLine, SpvOpNoLine);
}

// The first operand, or the last other one, of the result's type. 0: none.
static uint32_t operand_of(const struct red_module *m, const struct red_line *line, int instead)
{
    const uint32_t type = red_word(line, SPIRV_TYPE), result = red_result(line);
    uint32_t first = 0, last = 0;
    for (uint32_t w = 1; w < line->size; w++) {
        const uint32_t id = line->words[w];
        if (line->kinds[w] != SPIRV_ID || id == result || m->type[id] != type)
            continue;
        if (!first)
            first = id;
        else if (id != first)
            last = id;
    }
    return instead == FIRST ? first : last;
}

// The nearest preceding result in its function that has the same type. 0: none.
static uint32_t result_before(const struct red_module *m, const struct red_line *line)
{
    const uint32_t type = red_word(line, SPIRV_TYPE);
    while (line-- > m->lines && red_op(line) != SpvOpFunction)
        if (red_word(line, SPIRV_TYPE) == type)
            return red_result(line);
    return 0;
}

// What a result becomes in a draft, 0: nothing; without a draft, whether it can become something.
static uint32_t instead_of(const struct red_run *run, const struct red_line *line,
                           struct red_module *to)
{
    const uint32_t type = red_word(line, SPIRV_TYPE), id = red_result(line);
    const struct red_line *made = red_made(run->m, type);
    const struct red_values *values = &run->base->values;
    const float one = 1;
    uint32_t value = 1;
    switch (run->how) {
    case FIRST:
    case LAST:
        return operand_of(run->m, line, run->how);
    case BEFORE:
        return result_before(run->m, line);
    case ZERO:
        if (red_op(made) == SpvOpTypePointer)
            return 0;
        return to ? red_null(to, type) : 1;
    case VALUE:
        if (id >= values->bound || values->state[id] != 1)
            return 0;
        value = values->value[id];
        break;
    default:
        if (red_op(made) == SpvOpTypeFloat)
            memcpy(&value, &one, sizeof value);
    }
    return !red_is_word(run->m, type) ? 0 : to ? red_constant(to, type, value) : 1;
}

// Removes an instruction, whose result becomes what `how` says.
static void instead(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    const struct red_line *type = red_made(run->m, red_word(line, SPIRV_TYPE));
    const bool gives = type && red_op(type) != SpvOpTypeVoid;
    const bool nothing = run->how == NOTHING;
    if (!run->inside || red_op(line) == SpvOpFunction || is_part_of_flow(red_op(line)) ||
        (nothing ? gives : !gives || !instead_of(run, line, NULL)) || !is_chosen(run))
        return;
    if (!nothing) {
        const uint32_t with = instead_of(run, line, run->draft->module);
        run->with[red_result(line)] = with;
        run->good = run->good && with;
    }
    // New lines precede all functions: the draft's are shifted by their number.
    struct red_module *draft = run->draft->module;
    draft->lines[at + (draft->count - run->m->count)].gone = true;
}

// --- Branches

// A branch's or switch's target in this direction; 0: none.
static uint32_t target_of(const struct red_module *m, size_t at, int way)
{
    const struct red_line *line = &m->lines[at];
    const uint32_t opcode = red_op(line);
    const bool merges = at > 0 && red_at(m, at - 1) == SpvOpSelectionMerge;
    const uint32_t merge = merges ? m->lines[at - 1].words[1] : 0;
    if (opcode != SpvOpBranchConditional && opcode != SpvOpSwitch)
        return 0;
    const uint32_t first = line->words[2];
    const uint32_t second = opcode == SpvOpBranchConditional ? line->words[3]
                            : line->size > 4                 ? line->words[line->size - 1]
                                                             : 0;
    switch (way) {
    case WAY_FIRST:
        return first;
    case WAY_SECOND:
        return second != first ? second : 0;
    default:
        return merge != first && merge != second ? merge : 0;
    }
}

static void branch(struct red_run *run, size_t at)
{
    const uint32_t target = target_of(run->m, at, run->how);
    if (!target || !is_chosen(run))
        return;
    red_put(run->draft->module, at, (uint32_t[]){BRANCH, target}, 2);
    if (red_at(run->m, at - 1) == SpvOpSelectionMerge)
        run->draft->module->lines[at - 1].gone = true;
}

// --- Selections that only choose between values

// The line after a selection's arm that starts at `at`; RED_NONE if the arm is more than one block
// of values with a single predecessor.
static size_t behind_arm(const struct red_module *m, size_t at, const uint32_t *ways,
                         uint32_t merge)
{
    if (red_at(m, at) != SpvOpLabel || ways[m->lines[at].words[1]] != 1)
        return RED_NONE;
    for (at++; at < m->count && red_is_pure(&m->lines[at]); at++)
        if (red_op(&m->lines[at]) == SpvOpPhi)
            return RED_NONE;
    return red_at(m, at) == SpvOpBranch && m->lines[at].words[1] == merge ? at + 1 : RED_NONE;
}

struct selection {
    uint32_t condition, merge;
    uint32_t from[2];     // predecessors of the merge block
    size_t begin, behind; // OpSelectionMerge; label of the merge block
};

// Whether a branch only chooses between values of the two arms that follow it.
static bool find_selection(const struct red_module *m, size_t at, uint32_t header,
                           const uint32_t *ways, struct selection *found)
{
    const struct red_line *branch = &m->lines[at];
    if (red_op(branch) != SpvOpBranchConditional || red_at(m, at - 1) != SpvOpSelectionMerge)
        return false;
    *found = (struct selection){branch->words[1], m->lines[at - 1].words[1], {0}, at - 1, at + 1};
    for (unsigned arm = 0; arm < 2; arm++) {
        const uint32_t label =
            red_at(m, found->behind) == SpvOpLabel ? m->lines[found->behind].words[1] : 0;
        const unsigned side = label == branch->words[3];
        if (label == found->merge || label != branch->words[2 + side])
            continue;
        found->from[side] = label;
        found->behind = behind_arm(m, found->behind, ways, found->merge);
        if (found->behind == RED_NONE)
            return false;
    }
    for (unsigned side = 0; side < 2; side++)
        if (!found->from[side] && branch->words[2 + side] != found->merge)
            return false;
        else if (!found->from[side])
            found->from[side] = header;
    return found->from[0] != found->from[1] && ways[found->merge] == 3 &&
           red_at(m, found->behind) == SpvOpLabel &&
           m->lines[found->behind].words[1] == found->merge;
}

static uint32_t value_from(const struct red_line *phi, uint32_t block)
{
    for (uint32_t w = 3; w + 1 < phi->size; w += 2)
        if (phi->words[w + 1] == block)
            return phi->words[w];
    return 0;
}

// Computes both arms, and replaces the phis by selects.
static bool flatten(const struct red_module *m, const struct selection *s, struct red_module *draft)
{
    size_t i = s->begin;
    for (; i <= s->behind; i++)
        draft->lines[i].gone |=
            i < s->begin + 2 || red_at(m, i) == SpvOpLabel || red_at(m, i) == SpvOpBranch;
    for (; red_at(m, i) == SpvOpPhi; i++) {
        const struct red_line *phi = &m->lines[i];
        const uint32_t first = value_from(phi, s->from[0]), second = value_from(phi, s->from[1]);
        if (!first || !second)
            return false;
        red_put(draft, i,
                (uint32_t[]){6u << SpvWordCountShift | SpvOpSelect, phi->words[1], phi->words[2],
                             s->condition, first, second},
                6);
    }
    return true;
}

static void select_pass(struct red_run *run, size_t at)
{
    struct selection found;
    if (!find_selection(run->m, at, run->block, run->ways, &found) || !is_chosen(run))
        return;
    run->good = run->good && flatten(run->m, &found, run->draft->module);
    run->with[found.merge] = run->block;
}

// --- Loops

// Redirects all back edges of a loop's header to its merge block.
static void lead_out(struct red_module *m, size_t loop, uint32_t header, uint32_t merge)
{
    // The entry to a loop precedes its header; all back edges follow it.
    for (size_t i = loop; i < m->count && red_at(m, i) != SpvOpFunctionEnd; i++) {
        struct red_line *line = &m->lines[i];
        if (line->gone || !red_is_end(red_op(line)))
            continue;
        for (uint32_t w = 1; w < line->size; w++)
            if (line->kinds[w] == SPIRV_ID && line->words[w] == header)
                line->words[w] = merge;
        // Both targets are now the same.
        if (red_op(line) == SpvOpBranchConditional && line->words[2] == line->words[3])
            red_put(m, i, (uint32_t[]){BRANCH, line->words[2]}, 2);
    }
}

// Reduces a loop to one iteration.
static void once(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    if (red_op(line) != SpvOpLoopMerge || !is_chosen(run))
        return;
    struct red_module *draft = run->draft->module;
    lead_out(draft, at, run->block, line->words[1]);
    if (red_at(draft, at + 1) == SpvOpBranchConditional)
        red_put(draft, at,
                (uint32_t[]){3u << SpvWordCountShift | SpvOpSelectionMerge, line->words[1], 0}, 3);
    else
        draft->lines[at].gone = true;
}

// --- Blocks

// Merges a block into its only predecessor.
static void join(struct red_run *run, size_t at)
{
    const struct red_module *m = run->m;
    const struct red_line *line = &m->lines[at], *next = line + 1;
    // Only consecutive blocks, as compilers write them.
    if (at + 1 >= m->count || red_op(line) != SpvOpBranch || red_op(next) != SpvOpLabel ||
        next->words[1] != line->words[1] || run->ways[line->words[1]] != 1 ||
        red_at(m, at - 1) == SpvOpLoopMerge || red_at(m, at + 2) == SpvOpPhi || !is_chosen(run))
        return;
    run->draft->module->lines[at].gone = true;
    run->draft->module->lines[at + 1].gone = true;
    run->with[next->words[1]] = run->block;
}

// --- The dispatch

static void lessen(uint32_t *number, uint32_t to)
{
    *number = *number < to ? *number : to;
}

// Two places for each number above 1: replace it by 1, or by half.
static void lessen_all(struct red_run *run, uint32_t *const *numbers, const uint32_t *from,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (from[i] > 1) {
            if (is_chosen(run))
                lessen(numbers[i], 1);
            if (is_chosen(run))
                lessen(numbers[i], from[i] / 2);
        }
}

static void groups(struct red_run *run)
{
    const struct cat_package *p = &run->base->package;
    const struct cat_interface *interface = &p->interface;
    uint32_t *numbers[3 + 3 * CAT_MOST_STEPS] = {0}, from[3 + 3 * CAT_MOST_STEPS];
    size_t count = 0;
    from[count++] = p->groups;
    from[count++] = interface->rows;
    from[count++] = interface->layers;
    for (size_t i = 0; i < 3 * interface->step_count; i++)
        from[count++] = interface->steps[i / 3].groups[i % 3];
    if (run->draft) {
        struct cat_package *to = run->draft->package;
        numbers[0] = &to->groups;
        numbers[1] = &to->interface.rows;
        numbers[2] = &to->interface.layers;
        for (size_t i = 3; i < count; i++)
            numbers[i] = &to->interface.steps[i / 3 - 1].groups[i % 3];
    }
    lessen_all(run, numbers, from, count);
}

static void steps(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    size_t kept = 0;
    for (size_t i = 0; i < from->step_count; i++)
        if (!is_chosen(run) && run->draft)
            run->draft->package->interface.steps[kept++] = from->steps[i];
    if (run->draft)
        run->draft->package->interface.step_count = kept;
}

static void lanes(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    if (run->places || red_op(line) != SpvOpExecutionMode || line->size != 6 ||
        line->words[2] != SpvExecutionModeLocalSize)
        return;
    uint32_t *to = run->draft ? run->draft->module->lines[at].words + 3 : NULL;
    uint32_t *const numbers[] = {to, to ? to + 1 : NULL, to ? to + 2 : NULL};
    lessen_all(run, numbers, line->words + 3, 3);
}

// --- Constants

// The SpecId of a specialization constant; false if it has none.
static bool spec_id(const struct red_module *m, uint32_t constant, uint32_t *number)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        if (red_op(line) == SpvOpDecorate && line->size == 4 && line->words[1] == constant &&
            line->words[2] == SpvDecorationSpecId) {
            *number = line->words[3];
            return true;
        }
    }
    return false;
}

static void freeze(const struct red_base *base, size_t at, struct draft *draft)
{
    struct red_line *line = &draft->module->lines[at];
    const uint32_t opcode = red_op(line);
    uint32_t number,
        value = opcode == SpvOpSpecConstant ? line->words[3] : opcode == SpvOpSpecConstantTrue;
    if (spec_id(&base->module, red_result(line), &number))
        for (size_t i = 0; i < base->package.spec_count; i++)
            if (base->package.specs[i].id == number)
                value = base->package.specs[i].value;
    if (opcode == SpvOpSpecConstant)
        red_put(draft->module, at,
                (uint32_t[]){4u << SpvWordCountShift | SpvOpConstant, line->words[1],
                             line->words[2], value},
                4);
    else
        line->words[0] = line->size << SpvWordCountShift |
                         (opcode == SpvOpSpecConstantComposite ? SpvOpConstantComposite
                          : value                              ? SpvOpConstantTrue
                                                               : SpvOpConstantFalse);
}

// Turns specialization constants into constants, all at once.
static void specs(struct red_run *run)
{
    const struct red_module *m = run->m;
    size_t places = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct red_line *line = &m->lines[i];
        const uint32_t opcode = red_op(line);
        if (opcode == SpvOpSpecConstantTrue || opcode == SpvOpSpecConstantFalse ||
            opcode == SpvOpSpecConstantComposite ||
            (opcode == SpvOpSpecConstant && line->size == 4)) {
            places = 1;
            if (run->draft)
                freeze(run->base, i, run->draft);
        } else if (run->draft && opcode == SpvOpDecorate && line->size == 4 &&
                   line->words[2] == SpvDecorationSpecId) {
            const struct red_line *made = red_made(m, line->words[1]);
            run->draft->module->lines[i].gone = made && made->size <= 4;
        }
    }
    run->places = places;
}

// Replaces numbers by 0, 1, or half.
static void constants(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at];
    const struct red_line *type = red_made(run->m, red_word(line, SPIRV_TYPE));
    if (red_op(line) != SpvOpConstant || line->size != 4 || !type || red_op(type) != SpvOpTypeInt ||
        !line->words[3])
        return;
    const uint32_t values[] = {0, 1, line->words[3] / 2};
    for (size_t v = 0; v < 1 + 2u * (line->words[3] > 1); v++)
        if (is_chosen(run))
            lessen(&run->draft->module->lines[at].words[3], values[v]);
}

// --- Declarations

static bool is_entry(const struct red_module *m, uint32_t function)
{
    for (size_t i = 0; i < m->count; i++)
        if (red_op(&m->lines[i]) == SpvOpEntryPoint && m->lines[i].words[2] == function)
            return true;
    return false;
}

// Removes what is unused: functions, types, constants, variables, results.
static void unused(struct red_run *run, size_t at)
{
    const struct red_module *m = run->m;
    const struct red_line *line = &m->lines[at];
    const uint32_t id = red_result(line);
    const bool function = red_op(line) == SpvOpFunction;
    if (!id || m->uses[id] || !(function ? !is_entry(m, id) : red_is_pure(line)) || !is_chosen(run))
        return;
    for (; at < m->count; at++) {
        run->draft->module->lines[at].gone = true;
        if (!function || red_op(&m->lines[at]) == SpvOpFunctionEnd)
            break;
    }
}

// Merges equal constants.
static void equal(struct red_run *run, size_t at)
{
    const struct red_line *line = &run->m->lines[at], *other = run->m->lines;
    if (red_op(line) != SpvOpConstant && red_op(line) != SpvOpConstantComposite &&
        red_op(line) != SpvOpConstantNull)
        return;
    while (other < line &&
           (other->size != line->size || other->words[0] != line->words[0] ||
            other->words[1] != line->words[1] ||
            memcmp(other->words + 3, line->words + 3, (line->size - 3) * sizeof *line->words) != 0))
        other++;
    if (other == line || !is_chosen(run))
        return;
    run->with[line->words[2]] = other->words[2];
    run->draft->module->lines[at].gone = true;
}

static bool is_debug(uint32_t opcode)
{
    return RED_IS_ONE(opcode, SpvOpLine, SpvOpNoLine, SpvOpSource, SpvOpSourceContinued,
                      SpvOpSourceExtension, SpvOpModuleProcessed);
}

static bool is_preamble(uint32_t opcode)
{
    return RED_IS_ONE(opcode, SpvOpCapability, SpvOpExtension, SpvOpDecorate, SpvOpMemberDecorate,
                      SpvOpExecutionMode);
}

static void drop(struct red_run *run, size_t at)
{
    const uint32_t opcode = red_op(&run->m->lines[at]);
    if ((run->how == DEBUG ? is_debug : is_preamble)(opcode) && is_chosen(run))
        run->draft->module->lines[at].gone = true;
}

// --- Buffers

static void buffers(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    for (size_t i = 0; i < from->binding_count; i++) {
        const struct cat_binding *binding = &from->bindings[i];
        const struct cat_tolerance *may = &binding->may;
        // The rules of allowed differences refer to elements by number.
        if (binding->words <= 1 || may->to || may->order || !is_chosen(run))
            continue;
        struct cat_package *p = run->draft->package;
        const uint64_t half = binding->words / 2;
        p->interface.bindings[i].words = half;
        for (uint64_t w = binding->first + half; w < binding->first + binding->words; w++)
            p->region[binding->region][w] = CAT_POISON;
    }
}

// Start of a part; for RED_PARTS the end of the buffer.
static uint64_t part_of(const struct cat_binding *binding, uint32_t part)
{
    return binding->words * part / RED_PARTS;
}

bool red_has_data(const struct cat_package *p, const struct cat_binding *binding, uint32_t part)
{
    const uint32_t *words = p->region[binding->region] + binding->first;
    for (uint64_t w = part_of(binding, part); w < part_of(binding, part + 1); w++)
        if (words[w] && words[w] != CAT_POISON)
            return true;
    return false;
}

static void data(struct red_run *run)
{
    const struct cat_interface *from = &run->base->package.interface;
    for (size_t i = 0; i < from->binding_count * RED_PARTS; i++) {
        const struct cat_binding *binding = &from->bindings[i / RED_PARTS];
        const uint32_t part = i % RED_PARTS;
        if (!red_has_data(&run->base->package, binding, part) || !is_chosen(run))
            continue;
        uint32_t *words = run->draft->package->region[binding->region] + binding->first;
        for (uint64_t w = part_of(binding, part); w < part_of(binding, part + 1); w++)
            words[w] = words[w] == CAT_POISON ? CAT_POISON : 0;
    }
}

// --- All of them

const struct red_pass red_passes[] = {
    {"specialization constants", .whole = specs},
    {"fewer workgroups", .whole = groups},
    {"fewer dispatches", .whole = steps},
    {"fewer invocations", .line = lanes},
    {"loops that run once", .line = once},
    {"branches past a selection", .line = branch, .how = WAY_MERGE},
    {"branches the first way", .line = branch, .how = WAY_FIRST},
    {"branches the second way", .line = branch, .how = WAY_SECOND},
    {"values of both ways of a selection", .line = select_pass},
    {"instructions without a result", .line = instead, .how = NOTHING},
    {"results that are an operand", .line = instead, .how = FIRST},
    {"results that are constant", .line = instead, .how = VALUE},
    {"results of 0", .line = instead, .how = ZERO},
    {"results of 1", .line = instead, .how = ONE},
    {"results that are another operand", .line = instead, .how = LAST},
    {"results that are the one before", .line = instead, .how = BEFORE},
    {"one block for two", .line = join},
    {"what nothing uses", .line = unused},
    {"constants that are there twice", .line = equal},
    {"smaller numbers", .line = constants},
    {"smaller buffers", .whole = buffers},
    {"less data", .whole = data},
    {"lines of the source", .line = drop, .how = DEBUG},
    {"capabilities and decorations", .line = drop, .how = PREAMBLE},
    {0},
};

static uint32_t *count_ways(const struct red_module *m)
{
    uint32_t *ways = lit_alloc(m->bound, sizeof *ways);
    for (size_t i = 0; i < m->count; i++)
        for (uint32_t w = 1; w < m->lines[i].size && red_op(&m->lines[i]) != SpvOpPhi; w++)
            if (m->lines[i].kinds[w] == SPIRV_ID)
                ways[m->lines[i].words[w]]++;
    return ways;
}

static void run_pass(const struct red_pass *pass, struct red_run *run)
{
    const struct red_module *m = run->m = &run->base->module;
    // There may be as many new constants as lines.
    OWNED(lit_free) uint32_t *ways = count_ways(m);
    OWNED(lit_free) uint32_t *with = lit_alloc(m->bound + m->count + 1, sizeof *with);
    run->how = pass->how;
    run->good = true;
    run->ways = ways;
    run->with = with;
    if (pass->whole)
        pass->whole(run);
    for (size_t i = 0; pass->line && i < m->count; i++) {
        const uint32_t opcode = red_op(&m->lines[i]);
        if (opcode == SpvOpFunction || opcode == SpvOpFunctionEnd)
            run->inside = opcode == SpvOpFunction;
        if (opcode == SpvOpLabel)
            run->block = m->lines[i].words[1];
        pass->line(run, i);
    }
    run->good = run->good && (!run->draft || red_replace(run->draft->module, with));
}

size_t red_places(const struct red_pass *pass, const struct red_base *base)
{
    struct red_run run = {.base = base};
    run_pass(pass, &run);
    return run.places;
}

bool red_apply(const struct red_base *base, const struct red_pass *pass, const bool *chosen,
               struct cat_package *package)
{
    OWNED(red_module_clear) struct red_module module = {0};
    struct draft draft = {.package = package, .module = &module};
    struct red_run run = {.base = base, .draft = &draft, .chosen = chosen};
    red_package_copy(&base->package, package);
    if (!base->module.count) {
        // Of a module that was not understood, only dispatch and buffers can change.
        run_pass(pass, &run);
        return run.good;
    }
    bool good = red_module_read(&module, base->package.words, base->package.word_count);
    if (good)
        run_pass(pass, &run);
    good = good && run.good && red_module_tidy(&module);
    if (good) {
        free(package->words);
        package->words = red_module_write(&module, &package->word_count);
        good = red_settle(package, &module, red_undefined(&base->module));
    }
    return good;
}
