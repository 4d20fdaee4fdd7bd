// SPDX-License-Identifier: Apache-2.0
// Reads a kernel's files: modules, assembly, GLSL, words.
#include "kernel/plan.h"

#include "base/file.h"
#include "base/program.h"
#include "base/spirv.h"
#include "catalogue/words.h"
#include "model/facts.h"

#include <unistd.h>

#define SECONDS     60 // for a tool to run
#define MOST_TEXT   ((size_t)16 << 20)
#define MOST_WORDS  64 // of a tool's command line
#define GLSL_TARGET "vulkan1.2"
#define INCLUDES    "-P#extension GL_GOOGLE_include_directive : enable"

// --- Files

bool krn_ends(const char *path, const char *end)
{
    const size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

bool krn_bytes(const char *path, size_t most, struct text *bytes, struct lit_error *error)
{
    return lit_file_read(path, most, bytes, error) &&
           (bytes->length || lit_fail(error, LIT_EXIT_USAGE, "%.200s: empty", path));
}

bool krn_words(const char *path, uint32_t **words, size_t *count, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    struct lit_error why = {0};
    if (!krn_bytes(path, CAT_PACKAGE_BYTES, &bytes, error))
        return false;
    if (krn_ends(path, ".words"))
        return cat_words_parse(bytes.data, bytes.length, words, count, &why) ||
               lit_fail(error, LIT_EXIT_USAGE, "%.200s:%.280s", path, why.message);
    *count = (bytes.length + 3) / 4;
    *words = lit_alloc(*count, sizeof **words);
    memcpy(*words, bytes.data, bytes.length);
    return true;
}

// Runs a tool that converts a file to SPIR-V, and reads the result.
static bool convert(const char *const *tool, const char *path, struct text *spirv,
                    struct lit_error *error)
{
    OWNED(text_free) struct text made = {0}, said = {0};
    const char *words[MOST_WORDS + 4];
    size_t count = 0;
    if (!lit_file_temporary("", 0, &made, error))
        return false;
    for (; tool[count]; count++)
        words[count] = tool[count];
    words[count++] = "-o";
    words[count++] = made.data;
    words[count++] = path;
    words[count] = NULL;
    const bool good = lit_program_run(words, SECONDS, MOST_TEXT, &said, error) &&
                      krn_bytes(made.data, CAT_PACKAGE_BYTES, spirv, error);
    unlink(made.data);
    return good;
}

// Appends compiler options: -DNAME for macros, -IFOLDER for folders. free() the words.
static size_t add_words(const char *letter, const struct lit_list *list, const char **words)
{
    for (size_t i = 0; i < list->count; i++) {
        struct text word = text_format("%s%s", letter, list->items[i]);
        words[i] = word.data;
    }
    return list->count;
}

// Whether a string is the name of a source file.
static bool is_file_name(const uint32_t *words, size_t count, uint32_t string)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, words, count)
        if ((each.opcode == SpvOpSource && spirv_operand(&each, 3, 0) == string) ||
            (each.opcode == SpvOpLine && spirv_operand(&each, 1, 0) == string))
            return true;
    return false;
}

// Removes folders from file names in glslang's output, so that a module does not depend on its
// path.
static void drop_folders(struct text *spirv)
{
    const size_t count = spirv->length / 4;
    OWNED(lit_free) uint32_t *words = lit_alloc(count + 1, sizeof *words);
    struct spirv_instruction each;
    memcpy(words, spirv->data, count * 4);
    if (!spirv_is_module(words, count))
        return;
    spirv->length = SPIRV_HEADER * 4;
    SPIRV_EACH (each, words, count) {
        const char *name = (const char *)(each.words + 2);
        if (each.opcode == SpvOpString && each.size > 2 &&
            memchr(name, '\0', (each.size - 2) * 4) && is_file_name(words, count, each.words[1])) {
            name = lit_path_name(name);
            const uint32_t size = 3 + (uint32_t)strlen(name) / 4,
                           head[2] = {size << SpvWordCountShift | SpvOpString, each.words[1]};
            text_append(spirv, (const char *)head, sizeof head);
            text_append(spirv, name, strlen(name));
            text_append(spirv, "\0\0\0", 4 - strlen(name) % 4);
        } else {
            text_append(spirv, (const char *)each.words, each.size * sizeof *each.words);
        }
    }
}

// Compiles users' GLSL: it may include files next to it without asking for the extension. (Older
// compilers have no option for this.)
static bool compile(const char *path, const char *target, const char *label,
                    const struct krn_options *chosen, struct text *spirv, struct lit_error *error)
{
    static const char *const ways[][2] = {{"glslang", INCLUDES},
                                          {"glslang", "-g"},
                                          {"glslangValidator", INCLUDES},
                                          {"glslangValidator", "-g"}};
    const char *words[MOST_WORDS + 1] = {NULL,   NULL,           "-V",   "-S",
                                         "comp", "--target-env", target, "-g"};
    struct text beside = {0};
    struct lit_error why = {.code = LIT_EXIT_NOTHING};
    size_t first = 8, count = first;
    bool good = false, other = true;
    if (chosen->defines.count + chosen->includes.count > MOST_WORDS - count - 1)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %zu of --define and --include",
                        MOST_WORDS - count - 1);
    text_puts(&beside, "-I");
    text_append(&beside, path, (size_t)(lit_path_name(path) - path));
    text_puts(&beside, beside.length == 2 ? "." : "");
    words[count++] = beside.data;
    count += add_words("-I", &chosen->includes, words + count);
    count += add_words("-D", &chosen->defines, words + count);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !good && other; i++) {
        words[0] = ways[i][0];
        words[1] = ways[i][1];
        good = convert(words, path, spirv, &why);
        other = why.code == LIT_EXIT_NOTHING || strstr(why.message, "unrecognized command-line");
    }
    for (size_t i = first; i < count; i++)
        free((char *)words[i]);
    if (good)
        drop_folders(spirv);
    if (!good && why.code == LIT_EXIT_NOTHING)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s: GLSL needs glslang, which is not installed",
                        label);
    return good || lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", label, why.message);
}

// Takes the version from spirv-dis's first lines, else the version of the catalogue's tests: from
// 1.4 on an entry point lists all variables, before that it must not.
static const char *version_of(const struct text *assembly)
{
    static const char *const versions[] = {"spv1.0", "spv1.1", "spv1.2", "spv1.3",
                                           "spv1.4", "spv1.5", "spv1.6"};
    static const char line[] = "; Version: 1.";
    const char *at = assembly->data ? strstr(assembly->data, line) : NULL;
    const int minor = at ? at[sizeof line - 1] - '0' : 3;
    return versions[minor >= 0 && minor <= 6 ? minor : 3];
}

static bool assemble(const char *path, const char *version, const char *label, struct text *spirv,
                     struct lit_error *error)
{
    const char *const assembler[] = {"spirv-as", "--target-env", version, NULL};
    struct lit_error why = {0};
    return convert(assembler, path, spirv, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s%s", label, why.message,
                    why.code == LIT_EXIT_NOTHING ? "; assembly needs SPIRV-Tools" : "");
}

// Runs spirv-val, if installed: drivers need not handle an invalid module. A version older than an
// extension stops at its first unknown number; then ignore it, as if it were not installed: at a
// capability, which our table has, or at MaximallyReconvergesKHR.
static bool validate(const char *path, const struct text *spirv, struct lit_error *error)
{
    struct lit_error why = {0};
    return lit_spirv_validate(spirv->data, spirv->length, &why) ||
           strstr(why.message, "Invalid capability operand: ") ||
           strstr(why.message, "Invalid execution mode operand: 6023") ||
           lit_fail(error, LIT_EXIT_USAGE, "%.150s is not valid: %.300s", path, why.message);
}

// Returns a module's words after checking that it is one.
static bool take_words(const struct text *spirv, const char *label, uint32_t **words, size_t *count,
                       struct lit_error *error)
{
    struct lit_error why = {0};
    uint64_t features;
    *count = spirv->length / 4;
    *words = lit_alloc(*count + 1, sizeof **words);
    memcpy(*words, spirv->data, *count * 4);
    if (spirv->length % 4 || !spirv_is_module(*words, *count))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: not SPIR-V; assembly ends in .spvasm, GLSL in .comp", label);
    // Comes before spirv-val, which may not know a capability either and cannot name it.
    return (cat_module_features(*words, *count, &features, &why) ||
            lit_fail(error, LIT_EXIT_USAGE, "%.200s: %.300s", label, why.message)) &&
           validate(label, spirv, error);
}

struct loading {
    const struct krn_options *chosen;
    struct text source; // of the last shader
};

static bool load(const struct krn_shader *shader, void *user, uint32_t **words, size_t *count,
                 struct lit_error *error)
{
    struct loading *l = user;
    const size_t most = shader->source == KRN_SPIRV ? CAT_PACKAGE_BYTES : MOST_TEXT;
    const char *file = shader->file, *label = file ? file : "its text";
    OWNED(text_free) struct text spirv = {0}, temporary = {0}, target = {0};
    *words = NULL;
    *count = 0;
    text_free(&l->source);
    if (file ? !krn_bytes(file, most, &l->source, error)
             : !lit_file_temporary(shader->text, shader->length, &temporary, error))
        return false;
    if (shader->source == KRN_SPIRV)
        return take_words(&l->source, label, words, count, error);
    if (!file)
        text_append(&l->source, shader->text, shader->length);
    const bool glsl = shader->source == KRN_GLSL;
    const char *given = shader->target ? shader->target
                        : glsl         ? GLSL_TARGET
                                       : version_of(&l->source);
    const bool short_name = glsl && strncmp(given, "spv", 3) == 0; // glslang's is spirv1.3
    text_printf(&target, "%s%s", short_name ? "spirv" : "", given + (short_name ? 3 : 0));
    const char *path = file ? file : temporary.data;
    const bool good = glsl ? compile(path, target.data, label, l->chosen, &spirv, error)
                           : assemble(path, target.data, label, &spirv, error);
    if (temporary.data)
        unlink(temporary.data);
    return good && take_words(&spirv, label, words, count, error);
}

// Removes an execution mode that a list of them names, and the extension that it is from.
static bool leave_out(const char *mode, uint32_t *words, size_t *count, struct lit_error *error)
{
    static const struct {
        const char *name;
        uint32_t mode;
        const char *extension;
    } modes[] = {
        {"MaximallyReconvergesKHR", 6023, "SPV_KHR_maximal_reconvergence"},
        {"SubgroupUniformControlFlowKHR", SpvExecutionModeSubgroupUniformControlFlowKHR,
         "SPV_KHR_subgroup_uniform_control_flow"},
    };
    struct spirv_instruction each;
    size_t known = 0, kept = SPIRV_HEADER;
    bool found = false;
    while (known < 2 && strcmp(modes[known].name, mode) != 0)
        known++;
    if (known == 2)
        return lit_fail(error, LIT_EXIT_USAGE, "--without '%.80s': expected %s or %s", mode,
                        modes[0].name, modes[1].name);
    SPIRV_EACH (each, words, *count) {
        const bool is_mode = each.opcode == SpvOpExecutionMode && each.size == 3 &&
                             each.words[2] == modes[known].mode;
        found |= is_mode;
        if (is_mode || (each.opcode == SpvOpExtension &&
                        strncmp((const char *)(each.words + 1), modes[known].extension,
                                (each.size - 1) * 4) == 0))
            continue;
        memmove(words + kept, each.words, each.size * 4);
        kept += each.size;
    }
    // What is no instruction stays, to be refused.
    memmove(words + kept, words + each.at, (*count - each.at) * 4);
    *count = kept + (*count - each.at);
    return found || lit_fail(error, LIT_EXIT_USAGE,
                             "--without %s: the module has no such execution mode", mode);
}

bool krn_load(const char *path, const struct krn_options *chosen, uint32_t **words, size_t *count,
              struct text *page, struct lit_error *error)
{
    struct loading l = {.chosen = chosen};
    const struct krn_shader shader = {.source = krn_ends(path, ".spvasm") ? KRN_ASSEMBLY
                                                : krn_ends(path, ".comp") || krn_ends(path, ".glsl")
                                                    ? KRN_GLSL
                                                    : KRN_SPIRV,
                                      .file = path};
    bool good = load(&shader, &l, words, count, error);
    for (size_t i = 0; i < chosen->without.count && good; i++) {
        good = leave_out(chosen->without.items[i], *words, count, error);
        text_printf(page, "; without the execution mode %.80s\n", chosen->without.items[i]);
    }
    if (good && shader.source == KRN_SPIRV)
        lit_spirv_disassemble(l.source.data, l.source.length, page);
    else if (good)
        text_append(page, l.source.data, l.source.length);
    text_free(&l.source);
    return good;
}

bool krn_script(const char *path, const struct krn_options *chosen, struct krn_plan *plan,
                struct text *page, struct lit_error *error)
{
    if (chosen->expected.count && !krn_agrees(chosen))
        return lit_fail(error, LIT_EXIT_USAGE, "--expect " KRN_SCRIPT_SAYS);
    if (!krn_bytes(path, MOST_TEXT, page, error))
        return false;
    struct loading l = {.chosen = chosen};
    const bool good = krn_script_read(&(struct krn_script){.path = path,
                                                           .text = page->data,
                                                           .length = page->length,
                                                           .agrees = krn_agrees(chosen),
                                                           .load = load,
                                                           .user = &l},
                                      plan, error);
    text_free(&l.source);
    return good;
}
