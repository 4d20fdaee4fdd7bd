// SPDX-License-Identifier: Apache-2.0
// Reads a module's interface. A single walk records each id's definition and decorations; later
// queries look them up, with a limit on the nesting of types.
#include "catalogue/inspect.h"

#include "base/spirv.h"
#include "base/text.h"
#include "model/facts.h"

#define MOST_IDS   (UINT32_C(1) << 20)
#define MOST_DEPTH 32u                 // nesting of types
#define MOST_TYPES 4096u               // measured per module: nesting can multiply types
#define MOST_BYTES (UINT64_C(1) << 40) // per buffer
#define MOST_SPECS 256u                // specialization constants with compared defaults
#define NONE       UINT32_MAX

struct id {
    uint32_t at; // defining instruction; 0: none
    uint32_t name;
    uint32_t set, binding, spec, stride; // NONE: not decorated
    bool block, buffer_block, readonly, workgroup_size;
};

struct module {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    struct id *ids;
    const struct cat_spec *specs;
    size_t spec_count;
    unsigned *measured; // number of types measured, up to MOST_TYPES
    struct lit_error *error;
};

#define REFUSE(m, ...) lit_fail((m)->error, LIT_EXIT_USAGE, __VA_ARGS__)

static struct spirv_instruction definition(const struct module *m, uint32_t id)
{
    const size_t at = id < m->bound ? m->ids[id].at : 0;
    return at ? spirv_at(m->words, m->count, at) : (struct spirv_instruction){.at = m->count};
}

// The literal string at operand `index`; NULL unless it ends within the instruction.
static const char *string_at(const struct spirv_instruction *each, uint32_t index)
{
    const char *text = index < each->size ? (const char *)(each->words + index) : NULL;
    return text && memchr(text, '\0', (each->size - index) * sizeof *each->words) ? text : NULL;
}

// The id that an instruction defines; 0: none.
static uint32_t made_by(const struct spirv_instruction *each)
{
    const char *operands = spirv_operands(each->opcode);
    const bool typed = operands && operands[0] == 't';
    return operands && operands[typed] == 'r' ? spirv_operand(each, 1 + typed, 0) : 0;
}

static void note_decoration(struct id *id, uint32_t decoration, uint32_t value)
{
    switch ((SpvDecoration)decoration) {
    case SpvDecorationDescriptorSet:
        id->set = value;
        break;
    case SpvDecorationBinding:
        id->binding = value;
        break;
    case SpvDecorationSpecId:
        id->spec = value;
        break;
    case SpvDecorationArrayStride:
        id->stride = value;
        break;
    case SpvDecorationBlock:
        id->block = true;
        break;
    case SpvDecorationBufferBlock:
        id->buffer_block = true;
        break;
    case SpvDecorationNonWritable:
        id->readonly = true;
        break;
    case SpvDecorationBuiltIn:
        id->workgroup_size |= value == SpvBuiltInWorkgroupSize;
        break;
    default:
        break;
    }
}

static bool take_ids(struct module *m)
{
    struct spirv_instruction each;
    if (!spirv_is_module(m->words, m->count))
        return REFUSE(m, "not a SPIR-V module");
    m->bound = m->words[SPIRV_BOUND];
    if (m->bound == 0 || m->bound > MOST_IDS)
        return REFUSE(m, "not a SPIR-V module: a bound of %u ids", m->bound);
    m->ids = lit_alloc(m->bound, sizeof *m->ids);
    for (uint32_t i = 0; i < m->bound; i++)
        m->ids[i].set = m->ids[i].binding = m->ids[i].spec = m->ids[i].stride = NONE;
    SPIRV_EACH (each, m->words, m->count) {
        const uint32_t made = made_by(&each), target = spirv_operand(&each, 1, 0);
        if (made && made < m->bound)
            m->ids[made].at = (uint32_t)each.at;
        if (target >= m->bound)
            continue;
        if (each.opcode == SpvOpDecorate)
            note_decoration(&m->ids[target], spirv_operand(&each, 2, NONE),
                            spirv_operand(&each, 3, 0));
        if (each.opcode == SpvOpName)
            m->ids[target].name = (uint32_t)each.at;
    }
    return spirv_is_end(&each, m->count) ||
           REFUSE(m, "not a SPIR-V module: the instruction at word %zu is cut off", each.at);
}

// --- Constants

// The value of a constant of at most 32 bits, as specialized.
static bool constant(const struct module *m, uint32_t id, uint32_t *value)
{
    const struct spirv_instruction each = definition(m, id);
    const bool known = each.opcode == SpvOpConstant || each.opcode == SpvOpSpecConstant;
    if (!each.size || !known || each.size != 4)
        return false;
    *value = each.words[3];
    for (size_t i = 0; i < m->spec_count && m->ids[id].spec != NONE; i++)
        if (m->specs[i].id == m->ids[id].spec)
            *value = m->specs[i].value;
    return true;
}

static bool find_spec(const struct module *m, uint32_t spec, char *kind, uint32_t *bits)
{
    for (uint32_t id = 0; id < m->bound; id++) {
        const struct spirv_instruction each = definition(m, id),
                                       type = definition(m, spirv_operand(&each, 1, 0));
        if (m->ids[id].spec != spec || !each.size)
            continue;
        const bool boolean = type.opcode == SpvOpTypeBool;
        *bits = boolean ? 32 : spirv_operand(&type, 2, 0);
        *kind = type.opcode == SpvOpTypeFloat            ? 'f'
                : !boolean && spirv_operand(&type, 3, 0) ? 'i'
                                                         : 'u';
        return true;
    }
    return false;
}

bool cat_spec_kind(const uint32_t *words, size_t count, uint32_t id, char *kind, uint32_t *bits)
{
    struct lit_error why = {0};
    struct module m = {.words = words, .count = count, .error = &why};
    const bool found = count <= UINT32_MAX && take_ids(&m) && find_spec(&m, id, kind, bits);
    free(m.ids);
    return found;
}

static bool check_specs(const struct module *m)
{
    for (size_t i = 0; i < m->spec_count; i++) {
        const uint32_t id = m->specs[i].id;
        const uint32_t wide = i + 1 < m->spec_count && m->specs[i + 1].id == id;
        uint32_t bits;
        char kind;
        if (!find_spec(m, id, &kind, &bits))
            return REFUSE(m, "the module has no specialization constant %u", id);
        if (bits != 32 * (1 + wide))
            return REFUSE(m,
                          bits < 32 ? "specialization constant %u has %u bits: values can be given "
                                      "to those of 32 and 64 bits and to Booleans"
                                    : "specialization constant %u has %u bits, which its value has "
                                      "not",
                          id, bits);
        i += wide;
    }
    return true;
}

static bool is_given(const struct module *m, uint32_t spec)
{
    for (size_t i = 0; i < m->spec_count; i++)
        if (m->specs[i].id == spec)
            return true;
    return false;
}

// A specialization constant may appear twice, for the workgroup size and for the code: if the
// defaults differ, it must be given a value.
static bool check_defaults(const struct module *m)
{
    struct spirv_instruction each, other;
    unsigned looked_at = 0;
    SPIRV_EACH (each, m->words, m->count) {
        const uint32_t id = spirv_operand(&each, 2, 0);
        if (each.opcode == SpvOpFunction || looked_at > MOST_SPECS)
            break;
        if (each.opcode != SpvOpSpecConstant || each.size != 4 || id >= m->bound ||
            m->ids[id].spec == NONE || is_given(m, m->ids[id].spec))
            continue;
        looked_at++;
        for (uint32_t twin = id + 1; twin < m->bound; twin++) {
            other = definition(m, twin);
            if (m->ids[twin].spec == m->ids[id].spec && other.opcode == SpvOpSpecConstant &&
                other.size == 4 && other.words[3] != each.words[3])
                return REFUSE(m,
                              "nothing says what specialization constant %u is, which has the "
                              "defaults %u and %u: --spec %u=%u",
                              m->ids[id].spec, each.words[3], other.words[3], m->ids[id].spec,
                              each.words[3] > other.words[3] ? each.words[3] : other.words[3]);
        }
    }
    return true;
}

// --- Sizes of types in memory

// A decoration of member `member` of struct `type`; NONE if absent.
static uint32_t of_member(const struct module *m, uint32_t type, uint32_t member,
                          SpvDecoration decoration)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->count) {
        if (each.opcode == SpvOpFunction)
            break;
        if (each.opcode == SpvOpMemberDecorate && each.size >= 4 && each.words[1] == type &&
            each.words[2] == member && each.words[3] == (uint32_t)decoration)
            return spirv_operand(&each, 4, 0);
    }
    return NONE;
}

struct size {
    uint64_t bytes, each; // as in struct cat_buffer
    uint32_t floats;      // width of floats so far; 0: none, NONE: mixed
};

static bool measure(const struct module *m, uint32_t type, uint32_t matrix_stride, unsigned depth,
                    struct size *size);

static bool measure_struct(const struct module *m, const struct spirv_instruction *type,
                           unsigned depth, struct size *size)
{
    for (uint32_t i = 0; i + 2 < type->size; i++) {
        struct size member = {0};
        const uint32_t offset = of_member(m, type->words[1], i, SpvDecorationOffset);
        const uint32_t stride = of_member(m, type->words[1], i, SpvDecorationMatrixStride);
        if (offset == NONE || !measure(m, type->words[i + 2], stride, depth + 1, &member))
            return false;
        const uint64_t end = offset + member.bytes;
        size->bytes = end > size->bytes ? end : size->bytes;
        size->each = member.each ? member.each : size->each;
        size->floats = !i || size->floats == member.floats ? member.floats : NONE;
    }
    return true;
}

// The float width of an array's or matrix's elements.
static uint32_t floats_of(const struct module *m, const struct spirv_instruction *type,
                          uint32_t matrix_stride, unsigned depth)
{
    struct size size = {0};
    return measure(m, spirv_operand(type, 2, 0), matrix_stride, depth + 1, &size) ? size.floats
                                                                                  : NONE;
}

// Types without a stated size, such as pointers, cannot be measured.
static bool measure(const struct module *m, uint32_t type, uint32_t matrix_stride, unsigned depth,
                    struct size *size)
{
    const struct spirv_instruction each = definition(m, type);
    uint32_t length = 0;
    if (!each.size || depth > MOST_DEPTH || ++*m->measured > MOST_TYPES)
        return false;
    switch ((SpvOp)each.opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        size->bytes = spirv_operand(&each, 2, 0) / 8;
        size->floats = each.opcode == SpvOpTypeInt ? NONE : (uint32_t)size->bytes * 8;
        return size->bytes > 0;
    case SpvOpTypeVector:
        if (!measure(m, spirv_operand(&each, 2, 0), NONE, depth + 1, size))
            return false;
        size->bytes *= spirv_operand(&each, 3, 0);
        return true;
    case SpvOpTypeMatrix:
        size->bytes = (uint64_t)spirv_operand(&each, 3, 0) * matrix_stride;
        size->floats = floats_of(m, &each, NONE, depth);
        return matrix_stride != NONE;
    case SpvOpTypeArray:
        size->bytes = m->ids[type].stride;
        if (size->bytes == NONE || !constant(m, spirv_operand(&each, 3, 0), &length))
            return false;
        size->bytes *= length;
        size->floats = floats_of(m, &each, matrix_stride, depth);
        return size->bytes < MOST_BYTES;
    case SpvOpTypeRuntimeArray:
        size->each = m->ids[type].stride;
        size->floats = floats_of(m, &each, matrix_stride, depth);
        return size->each != NONE && size->each > 0;
    case SpvOpTypeStruct:
        return measure_struct(m, &each, depth, size);
    case SpvOpTypePointer: // a buffer address
        size->bytes = 8;
        size->floats = NONE;
        return true;
    default:
        return false;
    }
}

// --- The entry point

static bool find_entry(const struct module *m, const char *name, struct spirv_instruction *entry)
{
    struct spirv_instruction each;
    OWNED(text_free) struct text others = {0};
    size_t found = 0;
    SPIRV_EACH (each, m->words, m->count) {
        char clean[CAT_ENTRY_SIZE];
        const char *own = string_at(&each, 3);
        if (each.opcode != SpvOpEntryPoint || !own || each.words[1] != SpvExecutionModelGLCompute)
            continue;
        if (strlen(own) >= CAT_ENTRY_SIZE)
            return REFUSE(m, "the name of an entry point is longer than %d bytes",
                          CAT_ENTRY_SIZE - 1);
        text_sanitise(clean, sizeof clean, own);
        text_printf(&others, "%s%s", others.length ? ", " : "", clean);
        if (name && strcmp(name, own) != 0)
            continue;
        *entry = each;
        found++;
    }
    if (found == 1)
        return true;
    if (!others.length)
        return REFUSE(m, "the module has no entry point of a compute shader");
    return name ? REFUSE(m, "the module has no entry point '%.60s', but %.200s", name, others.data)
                : REFUSE(m, "the module has several entry points: --entry, of %.200s", others.data);
}

static bool take_local(const struct module *m, uint32_t function, struct cat_inspected *found)
{
    struct spirv_instruction each;
    bool known = false;
    SPIRV_EACH (each, m->words, m->count) {
        const uint32_t mode = spirv_operand(&each, 2, NONE);
        const bool literal = each.opcode == SpvOpExecutionMode && mode == SpvExecutionModeLocalSize;
        const bool ids = each.opcode == SpvOpExecutionModeId && mode == SpvExecutionModeLocalSizeId;
        if ((!literal && !ids) || each.size < 6 || each.words[1] != function)
            continue;
        for (uint32_t i = 0; i < 3; i++) {
            found->local[i] = each.words[3 + i];
            if (ids && !constant(m, each.words[3 + i], &found->local[i]))
                return REFUSE(m, "the workgroup size is computed by the module");
        }
        known = true;
    }
    // The WorkgroupSize decoration takes precedence over the execution mode.
    for (uint32_t id = 0; id < m->bound; id++) {
        if (!m->ids[id].workgroup_size)
            continue;
        each = definition(m, id);
        for (uint32_t i = 0; i < 3; i++)
            if (each.size != 6 || !constant(m, each.words[3 + i], &found->local[i]))
                return REFUSE(m, "the workgroup size is computed by the module");
        known = true;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (known && (found->local[i] == 0 || found->local[i] > 65536))
            return REFUSE(m, "a workgroup size of %u, %u, %u", found->local[0], found->local[1],
                          found->local[2]);
    return known || REFUSE(m, "the entry point has no workgroup size");
}

// --- Buffers

static bool is_readonly(const struct module *m, uint32_t variable, uint32_t type)
{
    const struct spirv_instruction each = definition(m, type);
    bool all = each.size > 2;
    for (uint32_t i = 0; i + 2 < each.size && all; i++)
        all = of_member(m, type, i, SpvDecorationNonWritable) != NONE;
    return m->ids[variable].readonly || all;
}

// Whether something may be stored through a variable: whether anything but a load is done with it,
// or with what points into it. Numbers that are no ids are taken for ids, too.
static bool may_store(const struct module *m, uint32_t variable)
{
    OWNED(lit_free) bool *points = lit_alloc(m->bound, sizeof *points);
    struct spirv_instruction each;
    bool code = false;
    points[variable] = true;
    SPIRV_EACH (each, m->words, m->count) {
        const uint32_t result = spirv_operand(&each, 2, NONE);
        bool uses = false;
        code |= each.opcode == SpvOpFunction;
        for (uint32_t i = 1; i < each.size && code; i++)
            uses |= each.words[i] < m->bound && points[each.words[i]];
        if (!uses || each.opcode == SpvOpLoad || each.opcode == SpvOpArrayLength)
            continue;
        if ((each.opcode != SpvOpAccessChain && each.opcode != SpvOpInBoundsAccessChain) ||
            result >= m->bound)
            return true;
        points[result] = true;
    }
    return false;
}

static bool add_buffer(const struct module *m, uint32_t variable, uint32_t type, bool uniform,
                       uint32_t element, struct cat_inspected *found)
{
    const struct id *id = &m->ids[variable];
    struct size size = {0};
    struct cat_buffer *buffer;
    for (size_t i = 0; i < found->buffer_count; i++) {
        buffer = &found->buffers[i];
        // One buffer may have two variables, for example of different types: use the larger size.
        if (buffer->set == id->set && buffer->binding == id->binding &&
            (buffer->element == element || !buffer->element || !element)) {
            buffer->readonly = buffer->readonly && is_readonly(m, variable, type);
            buffer->stored = buffer->stored || may_store(m, variable);
            if (measure(m, type, NONE, 0, &size) && size.bytes > buffer->bytes)
                buffer->bytes = size.bytes;
            buffer->floats = buffer->floats == size.floats ? size.floats : 0;
            return (buffer->uniform == uniform && buffer->element == element) ||
                   REFUSE(m, "buffer %u.%u is of two kinds", id->set, id->binding);
        }
    }
    if (found->buffer_count == CAT_MOST_BINDINGS)
        return REFUSE(m, "more than %d buffers", CAT_MOST_BINDINGS);
    buffer = &found->buffers[found->buffer_count++];
    *buffer = (struct cat_buffer){.set = id->set,
                                  .binding = id->binding,
                                  .element = element,
                                  .uniform = uniform,
                                  .readonly = uniform || is_readonly(m, variable, type)};
    buffer->stored = !buffer->readonly && may_store(m, variable);
    const struct spirv_instruction name =
        spirv_at(m->words, m->count, id->name ? id->name : SIZE_MAX);
    const char *text = string_at(&name, 2);
    text_sanitise(buffer->name, sizeof buffer->name, text ? text : "");
    if (id->set >= CAT_MOST_SETS)
        return REFUSE(m, "buffer %u.%u: descriptor sets above %d are not supported", id->set,
                      id->binding, CAT_MOST_SETS - 1);
    if (!measure(m, type, NONE, 0, &size))
        return REFUSE(m, "buffer %u.%u is of a type without a size", id->set, id->binding);
    buffer->bytes = size.bytes;
    buffer->each = size.each;
    buffer->floats = size.floats == NONE ? 0 : size.floats;
    return true;
}

static bool take_variable(const struct module *m, const struct spirv_instruction *variable,
                          struct cat_inspected *found)
{
    const uint32_t id = spirv_operand(variable, 2, 0), storage = spirv_operand(variable, 3, NONE);
    const struct spirv_instruction pointer = definition(m, spirv_operand(variable, 1, 0));
    const uint32_t type = spirv_operand(&pointer, 3, 0);
    const struct spirv_instruction what = definition(m, type);
    if (id >= m->bound || pointer.opcode != SpvOpTypePointer || !what.size)
        return REFUSE(m, "a variable without a type, at word %zu", variable->at);
    if (storage == SpvStorageClassPushConstant) {
        struct size size = {0};
        if (!measure(m, type, NONE, 0, &size) || size.each || size.bytes > CAT_MOST_PUSH)
            return REFUSE(m, "push constants of more than %d bytes", CAT_MOST_PUSH);
        found->push_size = ((uint32_t)size.bytes + 3) / 4 * 4;
        return true;
    }
    if (storage == SpvStorageClassUniformConstant)
        return REFUSE(m, "%u.%u is an image or a sampler: only buffers are supported",
                      m->ids[id].set, m->ids[id].binding);
    if (storage != SpvStorageClassUniform && storage != SpvStorageClassStorageBuffer)
        return true;
    if (m->ids[id].set == NONE || m->ids[id].binding == NONE)
        return REFUSE(m, "a buffer without a descriptor set and binding, at word %zu",
                      variable->at);
    const bool open = what.opcode == SpvOpTypeRuntimeArray,
               array = open || what.opcode == SpvOpTypeArray;
    const uint32_t of = array ? spirv_operand(&what, 2, 0) : type;
    uint32_t count = 1;
    if (array && definition(m, of).opcode != SpvOpTypeStruct)
        return REFUSE(m, "%u.%u is an array of arrays of buffers, which is not supported",
                      m->ids[id].set, m->ids[id].binding);
    if (array && !open && !constant(m, spirv_operand(&what, 3, 0), &count))
        return REFUSE(m, "%u.%u: the size of the array is computed by the module", m->ids[id].set,
                      m->ids[id].binding);
    const bool uniform = storage == SpvStorageClassUniform && !m->ids[of].buffer_block;
    for (uint32_t i = 0; i < count; i++)
        if (!add_buffer(m, id, of, uniform, array ? i + 1 : 0, found))
            return false;
    for (size_t i = 0; i < found->buffer_count && open; i++)
        found->buffers[i].open |= found->buffers[i].set == m->ids[id].set &&
                                  found->buffers[i].binding == m->ids[id].binding;
    return true;
}

static bool in_interface(const struct spirv_instruction *entry, uint32_t id)
{
    const char *name = string_at(entry, 3);
    const uint32_t first = 3 + (uint32_t)(strlen(name) / 4 + 1);
    for (uint32_t i = first; i < entry->size; i++)
        if (entry->words[i] == id)
            return true;
    return false;
}

static bool take_variables(const struct module *m, const struct spirv_instruction *entry,
                           struct cat_inspected *found)
{
    const bool listed = m->words[1] >= 0x00010400; // SPIR-V 1.4 and later list all of them
    struct spirv_instruction each;
    SPIRV_EACH (each, m->words, m->count) {
        if (each.opcode == SpvOpFunction)
            break;
        if (each.opcode == SpvOpVariable &&
            (!listed || in_interface(entry, spirv_operand(&each, 2, 0))) &&
            !take_variable(m, &each, found))
            return false;
    }
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct cat_buffer *a = left, *b = right;
    return a->set != b->set           ? (a->set > b->set) - (a->set < b->set)
           : a->binding != b->binding ? (a->binding > b->binding) - (a->binding < b->binding)
                                      : (a->element > b->element) - (a->element < b->element);
}

bool cat_inspect(const uint32_t *words, size_t count, const char *entry,
                 const struct cat_spec *specs, size_t spec_count, struct cat_inspected *found,
                 struct lit_error *error)
{
    unsigned measured = 0;
    struct module m = {.words = words,
                       .count = count,
                       .measured = &measured,
                       .specs = specs,
                       .spec_count = spec_count,
                       .error = error};
    struct spirv_instruction point = {0};
    uint64_t features = 0;
    *found = (struct cat_inspected){0};
    bool good = count <= UINT32_MAX && take_ids(&m) &&
                cat_module_features(words, count, &features, error) && check_specs(&m) &&
                check_defaults(&m) && find_entry(&m, entry, &point);
    if (good) {
        text_sanitise(found->entry, sizeof found->entry, string_at(&point, 3));
        good = strcmp(found->entry, string_at(&point, 3)) == 0 ||
               REFUSE(&m, "the name of the entry point is not text");
    }
    good = good && take_local(&m, spirv_operand(&point, 2, 0), found) &&
           take_variables(&m, &point, found);
    // Buffers may be reachable only by address.
    if (good && !found->buffer_count && !(features >> CAT_FEATURE_ADDRESSES & 1))
        good = REFUSE(&m, "the entry point '%s' has no buffers", found->entry);
    qsort(found->buffers, found->buffer_count, sizeof *found->buffers, by_place);
    free(m.ids);
    return good;
}
