// SPDX-License-Identifier: Apache-2.0
// Writes lines of SPIR-V assembly, assembles them, and writes generated programs as tests.
#include "generate/emit.h"

#include "base/random.h"
#include "base/spirv.h"
#include "model/facts.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct id gen_id(const char *format, ...)
{
    struct id made;
    va_list list;
    va_start(list, format);
    vsnprintf(made.is, sizeof made.is, format, list);
    va_end(list);
    return made;
}

struct text gen_lines_end(struct gen_lines *lines)
{
    text_append(&lines->declared, lines->code.data, lines->code.length);
    text_free(&lines->code);
    free(lines->constants);
    return lines->declared;
}

static bool is_known(const struct gen_lines *lines, uint32_t constant)
{
    for (size_t i = 0; i < lines->constant_count; i++)
        if (lines->constants[i] == constant)
            return true;
    return false;
}

void gen_lines_know(struct gen_lines *lines, uint32_t constant)
{
    LIT_ADD(lines->constants, lines->constant_count) = constant;
}

struct id gen_constant(struct gen_lines *lines, uint32_t value)
{
    static const char *const words[] = {"%zero", "%one", "%two", "%three", "%four"};
    const struct id id = value < sizeof words / sizeof *words ? gen_id("%s", words[value])
                                                              : gen_id("%%number_%u", value);
    if (!is_known(lines, value)) {
        text_printf(&lines->declared, "%-21s = OpConstant %%uint %u\n", id.is, value);
        gen_lines_know(lines, value);
    }
    return id;
}

void gen_line(struct gen_lines *lines, const char *format, ...)
{
    char raw[512], line[1024];
    size_t used = 0;
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(raw, sizeof raw, format, list);
    va_end(list);
    assert(length >= 0 && (size_t)length < sizeof raw);
    (void)length;
    for (const char *at = raw; *at && used < sizeof line; at++)
        if (*at == '@')
            used += (size_t)snprintf(line + used, sizeof line - used, "%s", lines->self.is);
        else
            line[used++] = *at;
    assert(used < sizeof line);
    line[used] = '\0';
    const char *equals = *line == '%' ? strstr(line, " = ") : NULL, *at = equals ? equals : line;
    if (*line == ';')
        text_puts(&lines->code, "\n");
    else
        text_printf(&lines->code, equals ? "%-21.*s" : "%24.*s", (int)(at - line), line);
    for (size_t plain; *at; at += plain) {
        plain = strcspn(at, *line == ';' ? "" : "#");
        text_append(&lines->code, at, plain);
        if (at[plain] == '#') {
            char *end;
            text_puts(&lines->code,
                      gen_constant(lines, (uint32_t)strtoul(at + plain + 1, &end, 10)).is);
            at = end;
            plain = 0;
        }
    }
    text_puts(&lines->code, "\n");
}

const char *gen_part(const char *template, const char *part)
{
    char mark[40];
    snprintf(mark, sizeof mark, "== %s\n", part);
    return strstr(template, mark) + strlen(mark);
}

const char *gen_part_line(const char **at, gen_holds *holds, const void *user)
{
    while (**at && strncmp(*at, "== ", 3) != 0) {
        const char *line = *at;
        bool all = true;
        *at = strchr(line, '\n') + 1;
        for (; *line == '['; line += strcspn(line, "]") + 1)
            all = all && holds(line + 1, strcspn(line + 1, "]"), user);
        if (all)
            return line;
    }
    return NULL;
}

// Words

extern const char generate_template[]; // generate/template.spvasm

// Whether a word is an instruction of GLSL.std.450, or an operand of products, which old grammars
// lack; and its number.
static bool extended_word(const char *word, size_t length, uint32_t *number)
{
    static const struct {
        const char *name;
        uint32_t number;
    } words[] = {{"FAbs", 4},
                 {"SAbs", 5},
                 {"FMin", 37},
                 {"UMin", 38},
                 {"SMin", 39},
                 {"FMax", 40},
                 {"UMax", 41},
                 {"SMax", 42},
                 {"FClamp", 43},
                 {"UClamp", 44},
                 {"MatrixASignedComponentsKHR", 1},
                 {"MatrixBSignedComponentsKHR", 2},
                 {"MatrixCSignedComponentsKHR", 4},
                 {"MatrixResultSignedComponentsKHR", 8}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !strncmp(words[i].name, word, length)) {
            *number = words[i].number;
            return true;
        }
    return false;
}

// The value of a word, or of several joined by |.
static uint32_t keyword(const char *word, size_t length)
{
    const char *bar = memchr(word, '|', length);
    uint32_t value = 0;
    if (bar)
        return keyword(word, (size_t)(bar - word)) |
               keyword(bar + 1, length - (size_t)(bar + 1 - word));
    const bool known = extended_word(word, length, &value) || spirv_word(word, length, &value);
    assert(known);
    (void)known;
    return value;
}

// Ids by name: a hash table, at most half full, of slices of the text.
struct ids {
    struct slot {
        const char *name;
        size_t length;
        uint32_t number;
    } * table;
    size_t size; // a power of two
    uint32_t bound;
};

// An id's number, assigned at first use.
static uint32_t number_of(struct ids *ids, const char *name, size_t length)
{
    size_t at = hash_bytes(HASH_START, name, length) & (ids->size - 1);
    struct slot *id = &ids->table[at];
    while (id->name && (id->length != length || memcmp(id->name, name, length) != 0))
        id = &ids->table[++at & (ids->size - 1)];
    if (!id->name)
        *id = (struct slot){name, length, ids->bound++};
    return id->number;
}

static void put(struct gen_module *module, uint32_t word)
{
    module->words[module->count++] = word;
}

// Constants that do not fit into a word have 64 bits.
static void put_number(struct gen_module *module, uint64_t number)
{
    put(module, (uint32_t)number);
    if (number >> 32)
        put(module, (uint32_t)(number >> 32));
}

static void put_string(struct gen_module *module, const char *bytes, size_t length)
{
    for (size_t at = 0; at <= length; at += 4) {
        uint32_t word = 0;
        for (size_t i = 0; i < 4 && at + i < length; i++)
            word |= (uint32_t)(unsigned char)bytes[at + i] << 8 * i;
        put(module, word);
    }
}

// Assembles one line: [%RESULT =] OPCODE OPERAND... The result word follows the type, except in a
// type declaration.
static void assemble_line(struct gen_module *module, struct ids *ids, const char *line,
                          const char *end)
{
    const char *result = *line == '%' ? line : NULL;
    const char *word = result ? strchr(line, '=') + 2 : line;
    const bool is_type = !strncmp(word, "OpType", 6) || !strncmp(word, "OpLabel", 7) ||
                         !strncmp(word, "OpExtInstImport", 15);
    const bool decorates =
        !strncmp(word, "OpDecorate", 10) || !strncmp(word, "OpMemberDecorate", 16);
    const size_t start = module->count;
    for (size_t length; word < end; word += length + (word[length] == ' ')) {
        length = strcspn(word, " \n");
        if (*word == '"')
            put_string(module, word + 1, length - 2);
        else if (*word == '%')
            put(module, number_of(ids, word, length));
        else if (*word >= '0' && *word <= '9')
            put_number(module, strtoull(word, NULL, 10));
        else if (decorates && length == strlen("Volatile") && !strncmp(word, "Volatile", length))
            put(module, SpvDecorationVolatile); // otherwise the memory operand
        else
            put(module, keyword(word, length));
        if (result && module->count == start + (is_type ? 1 : 2)) {
            put(module, number_of(ids, result, strcspn(result, " ")));
            result = NULL;
        }
    }
    module->words[start] |= (uint32_t)(module->count - start) << SpvWordCountShift;
}

void gen_assemble(struct gen_module *module)
{
    const size_t most = module->text.length; // each word of the text takes at least two characters
    struct ids ids = {.size = 64, .bound = 1};
    while (ids.size < most / 8)
        ids.size *= 2;
    ids.table = lit_alloc(ids.size, sizeof *ids.table);
    module->words = lit_alloc(SPIRV_HEADER + most, sizeof *module->words);
    module->count = SPIRV_HEADER;
    for (const char *line = module->text.data; *line;) {
        const char *end = line + strcspn(line, "\n");
        const char *first = line + strspn(line, " ");
        if (first < end && *first != ';')
            assemble_line(module, &ids, first, end);
        line = end + 1;
    }
    module->words[0] = SpvMagicNumber;
    module->words[1] = 0x10300;
    module->words[SPIRV_BOUND] = ids.bound;
    free(ids.table);
}

// The head

static void put_program(const struct gen_program *program, struct text *text)
{
    OWNED(text_free) struct text notation = {0};
    size_t width = 0;
    gen_write(program, &notation);
    for (char *save = NULL, *word = strtok_r(notation.data, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        const bool breaks = width + strlen(word) > 80;
        text_printf(text, "%s%s", !width ? "" : breaks ? "\n;              " : " ", word);
        width = (breaks ? 0 : width) + strlen(word) + 1;
    }
}

// What a template is for.
struct use {
    enum masks_rule rule;
    const struct gen_program *program;
};

static bool is_word(const char *mark, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(mark, word, length) == 0;
}

// Whether a mark holds: a rule, a family, a type that the program uses, or its memory model; !
// reverses it.
static bool is_marked(const char *mark, size_t length, const void *user)
{
    const struct use *use = user;
    if (*mark == '!')
        return !is_marked(mark + 1, length - 1, user);
    for (enum gen_type type = GEN_U32 + 1; type < GEN_TYPES; type++)
        if (is_word(mark, length, gen_type_names[type]))
            return gen_uses(use->program, type);
    return is_word(mark, length, gen_rule_name(use->rule)) ||
           is_word(mark, length, gen_family(use->program)) ||
           (gen_has_blocks(use->program) && is_word(mark, length, "blocks")) ||
           (gen_has_addresses(use->program) && is_word(mark, length, "addresses")) ||
           (gen_extends(use->program) && is_word(mark, length, "glsl")) ||
           (use->program->vulkan && is_word(mark, length, "vulkan"));
}

// Declarations

_Static_assert(GEN_COUNTERS == 12, "%counter_count of template.spvasm");
_Static_assert(GEN_STATE_START == 1024 && GEN_STATE_EACH == 65536 && GEN_STATE_LANES == 256 &&
                   GEN_STATE_CELLS == 23552,
               "the offsets and strides of template.spvasm");

static void line(struct text *text, const char *id, const char *rest)
{
    text_puts(text, text->length && text->data[text->length - 1] != '\n' ? "\n" : "");
    if (*id)
        text_printf(text, "%-21s = %s", id, rest);
    else
        text_printf(text, "%24s%s", "", rest);
}

static void declare_capabilities(const struct gen_program *program, struct text *text)
{
    static const struct {
        int feature;
        const char *capability;
    } capabilities[] = {
        {CAT_FEATURE_VOTE, "GroupNonUniformVote"},
        {CAT_FEATURE_ARITHMETIC, "GroupNonUniformArithmetic"},
        {CAT_FEATURE_SHUFFLE, "GroupNonUniformShuffle"},
        {CAT_FEATURE_SHUFFLE_RELATIVE, "GroupNonUniformShuffleRelative"},
        {CAT_FEATURE_CLUSTERED, "GroupNonUniformClustered"},
        {CAT_FEATURE_QUAD, "GroupNonUniformQuad"},
        {CAT_FEATURE_ROTATE, "GroupNonUniformRotateKHR"},
        {CAT_FEATURE_INT8, "Int8"},
        {CAT_FEATURE_INT16, "Int16"},
        {CAT_FEATURE_INT64, "Int64"},
        {CAT_FEATURE_FLOAT16, "Float16"},
        {CAT_FEATURE_FLOAT64, "Float64"},
        {CAT_FEATURE_STORAGE16, "StorageBuffer16BitAccess"},
        {CAT_FEATURE_STORAGE8, "StorageBuffer8BitAccess"},
        {CAT_FEATURE_ADDRESSES, "PhysicalStorageBufferAddresses"},
        {CAT_FEATURE_DESCRIPTORS, "StorageBufferArrayDynamicIndexing"},
        {CAT_FEATURE_COOPERATIVE_MATRIX, "CooperativeMatrixKHR"},
    };
    const uint64_t features = gen_features(program);
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        if (features >> capabilities[i].feature & 1) {
            line(text, "", "OpCapability ");
            text_puts(text, capabilities[i].capability);
        }
    if (features >> CAT_FEATURE_ROTATE & 1)
        line(text, "", "OpExtension \"SPV_KHR_subgroup_rotate\"");
    if (features >> CAT_FEATURE_STORAGE8 & 1)
        line(text, "", "OpExtension \"SPV_KHR_8bit_storage\"");
    if (features >> CAT_FEATURE_COOPERATIVE_MATRIX & 1)
        line(text, "", "OpExtension \"SPV_KHR_cooperative_matrix\"");
    if (features >> CAT_FEATURE_ADDRESSES & 1)
        line(text, "", "OpExtension \"SPV_KHR_physical_storage_buffer\"");
}

// A declaration of an array: in both strings @ stands for its name.
__attribute__((format(__printf__, 4, 5))) static void
declare(const char *array, const char *id, struct text *text, const char *format, ...)
{
    char rest[160], whole[96];
    va_list list;
    va_start(list, format);
    vsnprintf(rest, sizeof rest, format, list);
    va_end(list);
    snprintf(whole, sizeof whole, "%%%s%s", array, id);
    line(text, whole, rest);
}

// The type of an array, pointers to its parts, and the variable.
static void declare_array(enum gen_type type, struct text *text)
{
    static const char *const parts[] = {
        [GEN_U32] = "%uint", [GEN_U16] = "%ushort", [GEN_U8] = "%uchar", [GEN_BOOL] = "%bool"};
    const struct gen_array *array = &gen_arrays[type];
    const char *name = gen_type_names[type], *storage = array->storage, *of = parts[array->of];
    const bool mixed = type == GEN_STRUCTS;
    if (mixed) {
        line(text, "%bool2", "OpTypeVector %bool 2");
        line(text, "%flagged", "OpTypeStruct %bool %uint %bool2");
    }
    declare(name, "_count", text, "OpConstant %%uint %u", array->count);
    declare(name, "_whole", text, "OpTypeArray %s %%%s_count", array->element, name);
    declare(name, "_each_at", text, "OpTypePointer %s %s", storage, array->element);
    declare(name, "_part_at", text, "OpTypePointer %s %s", storage, of);
    declare(name, "_whole_at", text, "OpTypePointer %s %%%s_whole", storage, name);
    declare(name, "_copies", text, "OpTypePointer Function %%%s_whole", name);
    declare(name, "_copy_part_at", text, "OpTypePointer Function %s", of);
    if (mixed) {
        declare(name, "_number_at", text, "OpTypePointer %s %%uint", storage);
        declare(name, "_copy_number_at", text, "OpTypePointer Function %%uint");
    }
    if (gen_is_private(type)) {
        declare(name, "_zero", text, "OpConstantNull %%%s_whole", name);
        declare(name, "", text, "OpVariable %%%s_whole_at Private %%%s_zero", name, name);
        return;
    }
    declare(name, "_lanes", text, "OpTypeArray %%%s_whole %s", name,
            *storage == 'W' ? "%workgroup_width" : "%most_lanes");
    if (*storage != 'W') {
        declare(name, "_groups", text, "OpTypeRuntimeArray %%%s_lanes", name);
        declare(name, "_block", text, "OpTypeStruct %%%s_groups", name);
    }
    declare(name, "_all", text, "OpTypePointer %s %%%s%s", storage, name,
            *storage == 'W' ? "_lanes" : "_block");
    if (*storage != 'P')
        declare(name, "", text, "OpVariable %%%s_all %s", name, storage);
}

static void declare_arrays(const struct gen_program *program, struct text *text)
{
    for (enum gen_type type = GEN_VECTORS; type < GEN_TYPES; type++)
        if (gen_arrays[type].count && gen_uses(program, type))
            declare_array(type, text);
}

void gen_declare_copies(const struct gen_program *program, uint32_t function, struct text *text)
{
    bool used[GEN_TYPES] = {0};
    for (uint32_t i = 1; i <= program->count; i++)
        used[program->steps[i].act.type] |= program->steps[i].act.op == GEN_OP_WHOLE;
    for (enum gen_type type = GEN_VECTORS; type < GEN_TYPES; type++)
        if (used[type])
            text_printf(text, "%%%s_copy_%u = OpVariable %%%s_copies Function\n",
                        gen_type_names[type], function, gen_type_names[type]);
}

static void declare_registers(const struct gen_program *program, struct text *text)
{
    char id[24];
    for (uint32_t k = 0; k < program->numbers; k++) {
        snprintf(id, sizeof id, "%%u%u", k);
        line(text, id, "OpVariable %uint_private Private");
    }
    for (uint32_t k = 0; k < program->truths; k++) {
        snprintf(id, sizeof id, "%%p%u", k);
        line(text, id, "OpVariable %bool_private Private");
    }
}

void gen_template(const char *part, const struct gen_title *title,
                  const struct gen_program *program, struct text *text)
{
    const struct use use = {title->rule, program};
    const char *at = gen_part(generate_template, part);
    for (const char *line; (line = gen_part_line(&at, is_marked, &use));) {
        const size_t length = strcspn(line, "{\n");
        text_append(text, line, length);
        if (line[length] == '{')
            switch (line[length + 1]) {
            case 'n': // name
                text_puts(text, title->name);
                break;
            case 'o': // origin
                text_puts(text, title->origin);
                break;
            case 'f': // the oracle of the family
                text_printf(text, "%s.generated", gen_family(program));
                break;
            case 'r': // rule
                text_puts(text, gen_rule_name(title->rule));
                break;
            case 'c': // capabilities
                declare_capabilities(program, text);
                break;
            case 'v': // variables
                declare_registers(program, text);
                declare_arrays(program, text);
                break;
            case 'l': // variables of the function
                gen_declare_copies(program, 0, text);
                continue;
            default:
                put_program(program, text);
            }
        text_puts(text, "\n");
    }
}

void gen_assembly(const struct gen_title *title, const struct gen_program *program,
                  struct text *text)
{
    struct gen_module module;
    gen_module_make(program, title->rule, &module);
    gen_template("head", title, program, text);
    text_printf(text, "%s%s\n%s", title->remark ? ";\n" : "", title->remark ? title->remark : "",
                module.text.data);
    gen_module_clear(&module);
}
