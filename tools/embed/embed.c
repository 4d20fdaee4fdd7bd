// SPDX-License-Identifier: Apache-2.0
// Builds the tests into the program: finds every .spvasm file below a folder, reads the heads and
// the list of kernels, preprocesses, assembles and validates one module per variant, and writes
// them to one data file with tables in C. Variants with form=glslang are compiled by glslang from
// the GLSL file of the same name. Unchanged modules come from the cache.
#include "embed.h"

#include "catalogue/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct plan {
    struct settings settings;
    struct text dependencies; // of all outputs, in make's syntax
    struct source **sources;  // sorted by place
    size_t source_count;
    struct job *jobs; // those of tests, grouped by test; then kernels in list order
    size_t job_count;
    struct job ***groups; // jobs preprocessed together, terminated by NULL
    size_t group_count;
};

__attribute__((noreturn, format(__printf__, 1, 2))) void die(const char *format, ...)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static _Thread_local bool again;
    if (!again)
        pthread_mutex_lock(&one); // never unlocked: only the first error is reported
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    if (!again) {
        again = true;
        cache_save();
    }
    _exit(1);
}

char *read_file(const char *path, size_t *size)
{
    struct text text = {0};
    if (!text_read(&text, path, SIZE_MAX - 1))
        die("%s: %s", path, strerror(errno));
    if (!text.data)
        text_puts(&text, "");
    *size = text.length;
    return text.data;
}

void write_file(const char *path, const char *bytes, size_t size)
{
    struct text beside = {0};
    text_printf(&beside, "%s.new", path);
    FILE *file = fopen(beside.data, "wbe");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) || rename(beside.data, path))
        die("%s: %s", path, strerror(errno));
    text_free(&beside);
}

bool run(const char *const argv[], struct text *printed)
{
    int pipes[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe2(pipes, O_CLOEXEC) || posix_spawn_file_actions_init(&actions) ||
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1) ||
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 2))
        die("%s: %s", argv[0], strerror(errno));
    const int error = posix_spawnp(&child, argv[0], &actions, NULL, (char **)argv, environ);
    if (error)
        die("%s: %s", argv[0], strerror(error));
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    char block[4096];
    for (ssize_t got; (got = read(pipes[0], block, sizeof block)) > 0;)
        text_append(printed, block, (size_t)got);
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct parallel {
    size_t next, count;
    void (*work)(size_t index, void *user);
    void *user;
    pthread_mutex_t lock;
};

static void *take_turns(void *user)
{
    struct parallel *parallel = user;
    for (;;) {
        pthread_mutex_lock(&parallel->lock);
        const size_t index = parallel->next++;
        pthread_mutex_unlock(&parallel->lock);
        if (index >= parallel->count)
            return NULL;
        parallel->work(index, parallel->user);
    }
}

void in_parallel(size_t count, void (*work)(size_t index, void *user), void *user)
{
    struct parallel parallel = {
        .count = count, .work = work, .user = user, .lock = PTHREAD_MUTEX_INITIALIZER};
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[64];
    size_t started = 0;
    while (started < 64 && (long)started + 1 < processors &&
           !pthread_create(&threads[started], NULL, take_turns, &parallel))
        started++;
    take_turns(&parallel);
    while (started)
        pthread_join(threads[--started], NULL);
}

// ---- input files

// Records the macros that a file defines.
static void note_defines(struct text *defined, const char *text)
{
    for (const char *s = text; (s = strstr(s, "#")); s++) {
        const char *word = s + 1 + strspn(s + 1, " \t");
        if (strncmp(word, "define", 6) || (word[6] != ' ' && word[6] != '\t'))
            continue;
        word += 6 + strspn(word + 6, " \t");
        struct text line = {0};
        text_printf(&line, "#undef %.*s\n", (int)strcspn(word, " \t(\n"), word);
        if (!defined->data || !strstr(defined->data, line.data))
            text_append(defined, line.data, line.length);
        text_free(&line);
    }
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && !strcmp(name + length - tail, end);
}

// Adds a dependency in the syntax of make and ninja.
static void add_dependency(struct text *dependencies, const char *path)
{
    text_puts(dependencies, " \\\n ");
    for (const char *s = path; *s; s++) {
        text_puts(dependencies, *s == '$' ? "$" : *s == ' ' || *s == '#' ? "\\" : "");
        text_append(dependencies, s, 1);
    }
}

static void add_source(struct plan *plan, const char *place, const char *path)
{
    struct source *source = lit_alloc(1, sizeof *source);
    source->place = lit_strdup(place);
    source->path = lit_strdup(path);
    source->text = read_file(path, &source->size);
    source->is_test = !strncmp(source->text, "; litmus ", 9) || strstr(source->text, "\n; litmus ");
    plan->sources = lit_realloc(plan->sources, plan->source_count + 1, sizeof(struct source *));
    plan->sources[plan->source_count++] = source;
}

// Reads one folder below the root.
static void scan_folder(struct plan *plan, const char *folder)
{
    struct settings *settings = &plan->settings;
    struct text path = {0};
    text_printf(&path, "%s/%s", settings->root, folder);
    struct dirent **entries;
    const int count = scandir(path.data, &entries, NULL, alphasort);
    const size_t stem = path.length;
    if (count < 0)
        die("%s: %s", path.data, strerror(errno));
    add_dependency(&plan->dependencies, path.data);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        path.data[path.length = stem] = '\0';
        text_printf(&path, "/%s", name);
        const bool glsl = ends_with(name, ".comp") || ends_with(name, ".glsl");
        if (ends_with(name, ".spvasm") || ends_with(name, ".h") || glsl) {
            size_t size;
            char *text = read_file(path.data, &size);
            add_dependency(&plan->dependencies, path.data);
            note_defines(&settings->defined, text);
            if (ends_with(name, ".spvasm"))
                add_source(plan, path.data + strlen(settings->root) + 1, path.data);
            free(text);
        }
        free(entries[i]);
    }
    free(entries);
    text_free(&path);
}

static void scan_root(struct plan *plan)
{
    const char *root = plan->settings.root;
    struct dirent **entries;
    const int count = scandir(root, &entries, NULL, alphasort);
    if (count < 0)
        die("%s: %s", root, strerror(errno));
    add_dependency(&plan->dependencies, root);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        struct text path = {0};
        struct stat status;
        text_printf(&path, "%s/%s", root, name);
        if (*name != '.' && !stat(path.data, &status) && S_ISDIR(status.st_mode))
            scan_folder(plan, name);
        text_free(&path);
        free(entries[i]);
    }
    free(entries);
}

// ---- jobs

static struct job *add_job(struct plan *plan, struct source *source, const char *variant)
{
    plan->jobs = lit_realloc(plan->jobs, plan->job_count + 1, sizeof *plan->jobs);
    struct job *job = &plan->jobs[plan->job_count++];
    *job = (struct job){.source = source, .variant = lit_strdup(variant)};
    return job;
}

static void add_define(struct text *defines, const char *axis, const char *value)
{
    struct text define = {0};
    text_printf(&define, "%s_%s 1\n", axis, value);
    for (char *c = define.data; *c; c++)
        *c = *c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    text_append(defines, define.data, define.length);
    text_free(&define);
}

static void read_glsl(struct source *source, const char *variant)
{
    struct text path = {0}, text = {0};
    text_append(&path, source->path, strlen(source->path) - strlen(".spvasm"));
    text_puts(&path, ".comp");
    if (!text_read(&text, path.data, SIZE_MAX - 1))
        die("%s: error: [%s] %s", path.data, variant, strerror(errno));
    text_puts(&text, "");
    source->glsl = text.data;
    source->glsl_path = path.data;
}

// Reads the file of words named by a test's head.
static void read_words_file(struct plan *plan, struct source *source)
{
    struct text path = {0};
    struct lit_error error;
    size_t size;
    const char *slash = strrchr(source->path, '/');
    if (!source->head.file)
        return;
    text_append(&path, source->path, (size_t)(slash + 1 - source->path));
    text_puts(&path, source->head.file);
    source->words_text = read_file(path.data, &size);
    add_dependency(&plan->dependencies, path.data);
    if (!cat_words_parse(source->words_text, size, &source->words, &source->word_count, &error))
        die("%s:%s", path.data, error.message);
    text_free(&path);
}

static void plan_module(struct plan *plan, struct source *source, const uint8_t *axis,
                        uint32_t subgroup)
{
    const struct cat_head *head = &source->head;
    struct text variant = {0}, defines = {0};
    text_puts(&variant, "");
    bool from_glsl = false;
    for (size_t i = 0; i < head->axis_count; i++) {
        const char *name = head->axes[i].name, *value = head->axes[i].values[axis[i]];
        text_printf(&variant, "%s%s=%s", i ? "," : "", name, value);
        add_define(&defines, name, value);
        from_glsl |= !strcmp(name, "form") && !strcmp(value, "glslang");
    }
    if (subgroup)
        text_printf(&defines, "SUBGROUP_SIZE %u\n", subgroup);
    if (from_glsl && !source->glsl)
        read_glsl(source, variant.data);
    struct job *job = add_job(plan, source, variant.data);
    job->subgroup = subgroup;
    job->from_glsl = from_glsl;
    job->defines = defines;
    memcpy(job->axis, axis, sizeof job->axis);
    text_free(&variant);
}

static bool excluded(const struct cat_head *head, const uint8_t *axis)
{
    for (size_t i = 0; i < head->without_count; i++)
        if (cat_condition_holds(&head->without[i].when, axis, NULL))
            return true;
    return false;
}

// Plans each variant, last axis fastest, at each subgroup size.
static void plan_test(struct plan *plan, struct source *source)
{
    struct cat_head *head = &source->head;
    struct lit_error error;
    if (!cat_head_parse(source->text, source->size, head, &error))
        die("%s:%s", source->path, error.message + strlen("line "));
    struct text place = {0};
    text_printf(&place, "%s/%s.spvasm", head->family, head->test);
    if (strcmp(source->place, place.data))
        die("%s:1: error: the test %s belongs in spirv/%s", source->path, head->name, place.data);
    text_free(&place);
    read_words_file(plan, source);
    uint8_t axis[CAT_MAX_AXES] = {0};
    for (bool more = true; more;) {
        for (size_t i = 0; i < (head->size_count ? head->size_count : 1); i++)
            if (!excluded(head, axis))
                plan_module(plan, source, axis, head->size_count ? head->sizes[i] : 0);
        size_t digit = head->axis_count;
        for (more = false; digit-- > 0 && !more;) {
            more = ++axis[digit] < head->axes[digit].count;
            if (!more)
                axis[digit] = 0;
        }
    }
}

static void plan_kernel(const char *file, struct text *name, struct text *defines, void *user)
{
    struct plan *plan = user;
    size_t i = 0, length = strlen(file);
    while (i < plan->source_count && (strncmp(plan->sources[i]->place, file, length) ||
                                      strcmp(plan->sources[i]->place + length, ".spvasm")))
        i++;
    if (i == plan->source_count || plan->sources[i]->is_test)
        die("%s/kernels: error: there is no kernel in %s.spvasm", plan->settings.root, file);
    add_job(plan, plan->sources[i], name->data)->defines = *defines;
    text_free(name);
}

static void plan_kernels(struct plan *plan)
{
    const size_t tests = plan->job_count;
    struct text path = {0}, text = {0};
    text_printf(&path, "%s/kernels", plan->settings.root);
    if (text_read(&text, path.data, SIZE_MAX - 1)) {
        add_dependency(&plan->dependencies, path.data);
        read_kernels(path.data, text.data ? text.data : "", plan_kernel, plan);
    }
    for (size_t i = 0; i < plan->source_count; i++) {
        size_t job = tests;
        while (job < plan->job_count && plan->jobs[job].source != plan->sources[i])
            job++;
        if (!plan->sources[i]->is_test && job == plan->job_count)
            die("%s:1: error: it has no head (docs/test-format.md), and %s does not name it",
                plan->sources[i]->path, path.data);
    }
    text_free(&path);
    text_free(&text);
}

// Groups modules made from assembly, to start the preprocessor once for all of them. Groups for
// GLSL are smaller, because compiling takes much longer.
static void group_jobs(struct plan *plan, bool from_glsl)
{
    const size_t most = from_glsl ? 6 : 48;
    size_t first = plan->group_count, in_group = 0;
    const struct source *source = NULL;
    for (size_t i = 0; i < plan->job_count; i++) {
        struct job *job = &plan->jobs[i];
        if (job->from_glsl != from_glsl)
            continue;
        if (plan->group_count == first || job->source != source || in_group == most) {
            plan->groups = lit_realloc(plan->groups, plan->group_count + 1, sizeof(struct job **));
            plan->groups[plan->group_count++] = lit_alloc(most + 1, sizeof(struct job *));
            in_group = 0;
        }
        plan->groups[plan->group_count - 1][in_group++] = job;
        source = job->source;
    }
}

static void make_group(size_t index, void *user)
{
    struct plan *plan = user;
    struct job **group = plan->groups[index];
    size_t count = 0;
    while (group[count])
        count++;
    preprocess(&plan->settings, group, count);
    for (size_t i = 0; i < count; i++)
        make_module(&plan->settings, group[i]);
}

static void report_left_out(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->job_count; i++) {
        const struct job *job = &plan->jobs[i];
        count += job->left_out;
        if (count && (i + 1 == plan->job_count || job[1].source != job->source)) {
            fprintf(stderr, "%s: %zu modules left out: this spirv-as does not know %s\n",
                    job->source->place, count, plan->settings.without);
            count = 0;
        }
    }
}

// ---- main

// The default maker, if no programs are named.
#ifdef HAS_LIBRARIES
static const struct maker *const default_maker = &maker_libraries;
#else
static const struct maker *const default_maker = &maker_programs;
#endif

static void parse_options(int argc, char **argv, struct settings *settings, const char **output,
                          const char **depfile)
{
    const char *without = NULL, *unvalidated = NULL;
    const struct {
        const char *name, **value;
    } options[] = {
        {"--cc", &settings->cc},
        {"--cc-option", &settings->cc_option},
        {"--as", &settings->as},
        {"--val", &settings->val},
        {"--glslang", &settings->glslang},
        {"--without", &without},
        {"--unvalidated", &unvalidated},
        {"--output", output},
        {"--depfile", depfile},
    };
    int at = 1;
    for (bool known = true; known && at + 1 < argc; at += 2 * known) {
        known = false;
        for (size_t i = 0; i < sizeof options / sizeof *options && !known; i++)
            if ((known = !strcmp(argv[at], options[i].name)))
                *options[i].value = argv[at + 1];
    }
    settings->maker = settings->as ? &maker_programs : default_maker;
    settings->without = without && *without ? without : NULL;
    settings->unvalidated = unvalidated ? unvalidated : "";
    settings->root = argv[at];
    if (at + 1 != argc || !*output) {
        fputs("usage: embed --output PREFIX [--depfile FILE] [--cc CC] [--cc-option WORD] "
              "[--as SPIRV-AS] [--val SPIRV-VAL] [--glslang GLSLANG] [--without WORD] "
              "[--unvalidated WORD] FOLDER\n",
              stderr);
        exit(2);
    }
}

static void clear(struct plan *plan)
{
    for (size_t i = 0; i < plan->job_count; i++) {
        struct job *job = &plan->jobs[i];
        free(job->variant);
        free(job->words);
        text_free(&job->defines);
        text_free(&job->own);
        text_free(&job->names);
    }
    for (size_t i = 0; i < plan->source_count; i++) {
        struct source *source = plan->sources[i];
        cat_head_clear(&source->head);
        free(source->place);
        free(source->path);
        free(source->text);
        free(source->glsl);
        free(source->glsl_path);
        free(source->words_text);
        free(source->words);
        free(source);
    }
    for (size_t i = 0; i < plan->group_count; i++)
        free(plan->groups[i]);
    free(plan->groups);
    free(plan->jobs);
    free(plan->sources);
    text_free(&plan->dependencies);
    text_free(&plan->settings.defined);
}

int main(int argc, char **argv)
{
    struct plan plan = {.settings = {.cc = "cc"}};
    struct settings *settings = &plan.settings;
    const char *output = NULL, *depfile = NULL;
    parse_options(argc, argv, settings, &output, &depfile);
    struct text scratch = {0}, cache = {0};
    text_printf(&scratch, "%s.tmp", output);
    text_printf(&cache, "%s.cache", output);
    settings->scratch = scratch.data;
    if (mkdir(settings->scratch, 0777) && errno != EEXIST)
        die("%s: %s", settings->scratch, strerror(errno));
    cache_load(cache.data);
    find_versions(settings);

    text_printf(&plan.dependencies, "%s.c:", output);
    scan_root(&plan);
    for (size_t i = 0; i < plan.source_count; i++)
        if (plan.sources[i]->is_test)
            plan_test(&plan, plan.sources[i]);
    plan_kernels(&plan);
    group_jobs(&plan, true);
    group_jobs(&plan, false);
    in_parallel(plan.group_count, make_group, &plan);
    report_left_out(&plan);
    write_catalogue(output, plan.sources, plan.source_count, plan.jobs, plan.job_count);
    text_puts(&plan.dependencies, "\n");
    if (depfile)
        write_file(depfile, plan.dependencies.data, plan.dependencies.length);
    cache_save();
    rmdir(settings->scratch);
    clear(&plan);
    text_free(&scratch);
    text_free(&cache);
    return 0;
}
