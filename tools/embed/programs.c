// SPDX-License-Identifier: Apache-2.0
// Makes modules with the programs of SPIRV-Tools and glslang, if their libraries are not found.
#include "embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *or_default(const char *program, const char *usual)
{
    return program ? program : usual;
}

static void tell_version(const struct settings *settings, struct text *version)
{
    const char *const tools[] = {or_default(settings->as, "spirv-as"),
                                 or_default(settings->val, "spirv-val"),
                                 or_default(settings->glslang, "glslangValidator")};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        struct text printed = {0};
        const char *const argv[] = {tools[i], "--version", NULL};
        if (!run(argv, &printed))
            die("%s --version: %s", tools[i], printed.data ? printed.data : "failed");
        text_append(version, printed.data, printed.length);
        text_free(&printed);
    }
}

// A tool's file, unique to this job.
static struct text scratch_file(const struct settings *settings, const struct job *job,
                                const char *ending)
{
    struct text path = {0};
    text_printf(&path, "%s/%p%s", settings->scratch, (const void *)job, ending);
    return path;
}

// Parses a program's output.
static void read_fault(const char *printed, struct fault *fault)
{
    unsigned column;
    const char *message = printed, *place = strstr(printed, ".comp:");
    if (sscanf(printed, "error: line %u:", &fault->line) == 1) {
        fault->is_instruction = true;
        message = strchr(printed + strlen("error: line"), ':') + 1;
    } else if (sscanf(printed, "error: %u: %u:", &fault->line, &column) == 2) {
        message = strchr(strchr(printed + strlen("error:"), ':') + 1, ':') + 1;
    } else if (place && sscanf(place, ".comp:%u:", &fault->line) == 1) {
        message = strchr(place + strlen(".comp:"), ':') + 1;
    }
    text_puts(&fault->message, message + strspn(message, " "));
}

static bool run_on(const char *const argv[], struct fault *fault)
{
    struct text printed = {0};
    const bool good = run(argv, &printed);
    if (!good)
        read_fault(printed.data ? printed.data : "failed", fault);
    text_free(&printed);
    return good;
}

static void read_words(struct job *job, const char *path, const char *maker)
{
    size_t size;
    char *bytes = read_file(path, &size);
    if (size % 4 || size < 20)
        die("%s: error: %s wrote %zu bytes, no module", job->source->path, maker, size);
    job->words = (uint32_t *)(void *)bytes;
    job->count = size / 4;
}

// Runs a program that writes a module; sets the last two words of `argv`.
static bool make(const struct settings *settings, struct job *job, const char *listing,
                 const char *ending, const char *argv[], size_t argc, struct fault *fault)
{
    struct text text = scratch_file(settings, job, ending);
    struct text spv = scratch_file(settings, job, ".spv");
    write_file(text.data, listing, strlen(listing));
    argv[argc] = text.data;
    argv[argc + 1] = "-o";
    argv[argc + 2] = spv.data;
    const bool good = run_on(argv, fault);
    if (good)
        read_words(job, spv.data, argv[0]);
    unlink(text.data);
    unlink(spv.data);
    text_free(&text);
    text_free(&spv);
    return good;
}

static bool assemble(const struct settings *settings, struct job *job, const char *listing,
                     bool newer, struct fault *fault)
{
    const char *argv[7] = {or_default(settings->as, "spirv-as"), "--target-env",
                           newer ? "spv1.5" : "spv1.3"};
    return make(settings, job, listing, ".spvasm", argv, 3, fault);
}

static bool compile(const struct settings *settings, struct job *job, const char *listing,
                    struct fault *fault)
{
    const char *argv[8] = {or_default(settings->glslang, "glslangValidator"), "--target-env",
                           "vulkan1.1", "--quiet"};
    return make(settings, job, listing, ".comp", argv, 4, fault);
}

static bool validate(const struct settings *settings, const struct job *job, bool newer,
                     struct fault *fault)
{
    struct text spv = scratch_file(settings, job, ".spv");
    write_file(spv.data, (const char *)job->words, job->count * sizeof *job->words);
    const char *const argv[] = {or_default(settings->val, "spirv-val"), "--target-env",
                                newer ? "vulkan1.2" : "vulkan1.1", spv.data, NULL};
    const bool good = run_on(argv, fault);
    unlink(spv.data);
    text_free(&spv);
    return good;
}

const struct maker maker_programs = {tell_version, assemble, compile, validate};
