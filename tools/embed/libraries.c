// SPDX-License-Identifier: Apache-2.0
// Makes modules in this process with the libraries of SPIRV-Tools and glslang.
#include "embed.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <glslang/build_info.h>
#include <pthread.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Functions that libraries compiled with a newer C library require; those also parse binary
// numbers.
#if !__GLIBC_PREREQ(2, 38)
#define ISOC23(type, name)                                                                         \
    type __isoc23_##name(const char *text, char **end, int base);                                  \
    type __isoc23_##name(const char *text, char **end, int base)                                   \
    {                                                                                              \
        return name(text, end, base);                                                              \
    }
ISOC23(long, strtol)
ISOC23(long long, strtoll)
ISOC23(unsigned long, strtoul)
ISOC23(unsigned long long, strtoull)
#endif

static void tell_version(const struct settings *settings, struct text *version)
{
    (void)settings;
    text_printf(version, "%s, glslang %d.%d.%d%s", spvSoftwareVersionDetailsString(),
                GLSLANG_VERSION_MAJOR, GLSLANG_VERSION_MINOR, GLSLANG_VERSION_PATCH,
                GLSLANG_VERSION_FLAVOR);
}

static void take_words(struct job *job, const uint32_t *words, size_t count)
{
    job->count = count;
    job->words = lit_alloc(count, sizeof *words);
    memcpy(job->words, words, count * sizeof *words);
}

static void take_diagnostic(spv_diagnostic diagnostic, struct fault *fault)
{
    text_puts(&fault->message, diagnostic ? diagnostic->error : "failed");
    if (diagnostic)
        fault->line = (unsigned)(diagnostic->isTextSource ? diagnostic->position.line + 1
                                                          : diagnostic->position.index);
}

static bool assemble(const struct settings *settings, struct job *job, const char *listing,
                     bool newer, struct fault *fault)
{
    const spv_context context =
        spvContextCreate(newer ? SPV_ENV_UNIVERSAL_1_5 : SPV_ENV_UNIVERSAL_1_3);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    (void)settings;
    const bool good = spvTextToBinaryWithOptions(context, listing, strlen(listing),
                                                 SPV_TEXT_TO_BINARY_OPTION_NONE, &binary,
                                                 &diagnostic) == SPV_SUCCESS;
    if (good)
        take_words(job, binary->code, binary->wordCount);
    else
        take_diagnostic(diagnostic, fault);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return good;
}

static bool validate(const struct settings *settings, const struct job *job, bool newer,
                     struct fault *fault)
{
    const spv_context context = spvContextCreate(newer ? SPV_ENV_VULKAN_1_2 : SPV_ENV_VULKAN_1_1);
    const spv_validator_options options = spvValidatorOptionsCreate();
    spv_const_binary_t binary = {job->words, job->count};
    spv_diagnostic diagnostic = NULL;
    (void)settings;
    const bool good = spvValidateWithOptions(context, options, &binary, &diagnostic) == SPV_SUCCESS;
    if (!good) {
        take_diagnostic(diagnostic, fault);
        fault->is_instruction = fault->line;
    }
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return good;
}

static void start_glslang(void)
{
    if (!glslang_initialize_process())
        die("glslang does not start");
}

// "ERROR: 0:LINE: message", or a message without a line.
static void take_log(const char *log, struct fault *fault)
{
    static const char start[] = "ERROR: ";
    const char *message = strncmp(log, start, strlen(start)) ? log : log + strlen(start);
    int length = 0;
    if (sscanf(message, "%*u:%u:%n", &fault->line, &length) == 1)
        message += length;
    text_puts(&fault->message, message + strspn(message, " "));
}

static bool compile(const struct settings *settings, struct job *job, const char *listing,
                    struct fault *fault)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_glslang);
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = GLSLANG_STAGE_COMPUTE,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_1,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_3,
        .code = listing,
        .default_version = 100,
        .default_profile = GLSLANG_NO_PROFILE,
        .messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT,
        .resource = glslang_default_resource(),
    };
    glslang_shader_t *shader = glslang_shader_create(&input);
    glslang_program_t *program = glslang_program_create();
    (void)settings;
    bool good = glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input);
    if (!good)
        take_log(glslang_shader_get_info_log(shader), fault);
    if (good) {
        glslang_program_add_shader(program, shader);
        good = glslang_program_link(program, input.messages);
        if (!good)
            take_log(glslang_program_get_info_log(program), fault);
    }
    if (good) {
        glslang_program_SPIRV_generate(program, GLSLANG_STAGE_COMPUTE);
        take_words(job, glslang_program_SPIRV_get_ptr(program),
                   glslang_program_SPIRV_get_size(program));
    }
    glslang_program_delete(program);
    glslang_shader_delete(shader);
    return good;
}

const struct maker maker_libraries = {tell_version, assemble, compile, validate};
