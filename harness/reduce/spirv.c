// SPDX-License-Identifier: Apache-2.0
// Uses spirv-opt and spirv-reduce of SPIRV-Tools. spirv-reduce calls a program to test each module:
// a script, which forwards the question through two pipes and waits for the answer.
#include "reduce/reduce.h"

#include "base/program.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS     86400.0 // ended by the run's time limit
#define MOST        ((size_t)16 << 20)
#define OPT_SECONDS 60.0
#define NAP         2000 // microseconds between polls for a question

// spirv-reduce runs beside a shell that waits for the end of a pipe: when this program exits for
// any reason, or closes the pipe, the shell kills the process group.
#define GUARDED                                                                                    \
    "exec 3<\"$1\"; shift; { read -r never <&3; kill -KILL 0; } >/dev/null 2>&1 & exec \"$@\""

struct asking {
    struct text module, result, script, question, answer, alive, prefix;
    int questions, answers, lives; // pipes
    pthread_t thread;
};

static bool put_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wbe");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

// Thread function. Finally posts an empty question.
static void *run(void *user)
{
    struct asking *a = user;
    OWNED(text_free) struct text said = {0};
    const char *const words[] = {"sh",
                                 "-c",
                                 GUARDED,
                                 "sh",
                                 a->alive.data,
                                 "spirv-reduce",
                                 a->module.data,
                                 "-o",
                                 a->result.data,
                                 a->prefix.data,
                                 "--scalar-block-layout",
                                 "--",
                                 a->script.data,
                                 NULL};
    lit_program_run(words, SECONDS, MOST, &said, NULL);
    put_file(a->question.data, "\n", 1);
    return NULL;
}

// The next module to decide. False: no more, or `plan` is over.
static bool read_question(const struct asking *a, const struct red_plan *plan, struct text *module)
{
    OWNED(text_free) struct text line = {0};
    char byte = 0;
    while (byte != '\n') {
        if (read(a->questions, &byte, 1) == 1)
            text_append(&line, &byte, byte != '\n');
        else if (red_over(plan) == RED_DONE)
            usleep(NAP);
        else
            return false;
    }
    module->length = 0;
    return line.length && text_read(module, line.data, MOST);
}

static bool write_answer(const struct asking *a, enum red_answer answer)
{
    return answer != RED_STOP && write(a->answers, answer == RED_FAILS ? "0\n" : "1\n", 2) == 2;
}

static bool is_installed(const char *program)
{
    OWNED(text_free) struct text said = {0};
    const char *const version[] = {program, "--version", NULL};
    return lit_program_run(version, 10, MOST, &said, NULL);
}

// Makes a private folder for temporary files.
static bool make_place(struct text *place)
{
    if (!lit_file_temporary("", 0, place, NULL))
        return false;
    unlink(place->data);
    return mkdir(place->data, 0700) == 0;
}

static void remove_place(const struct text *place)
{
    OWNED(text_free) struct text said = {0};
    const char *const clean[] = {"rm", "-rf", "--", place->data, NULL};
    lit_program_run(clean, 10, MOST, &said, NULL);
}

static enum red_answer ask(red_try *try_one, const struct text *module, void *user)
{
    OWNED(lit_free) uint32_t *words = lit_alloc(module->length / 4 + 1, sizeof *words);
    memcpy(words, module->data ? module->data : "", module->length / 4 * 4);
    return try_one(words, module->length / 4, user);
}

static bool begin(struct asking *a, const struct cat_package *package)
{
    OWNED(text_free) struct text text = {0}, said = {0};
    const char *const pipes[] = {"mkfifo", a->question.data, a->answer.data, a->alive.data, NULL};
    text_puts(&text, "#!/bin/sh\necho \"$1\" >");
    text_quote(&text, a->question.data);
    text_puts(&text, "\nread -r answer <");
    text_quote(&text, a->answer.data);
    text_puts(&text, "\nexit \"$answer\"\n");
    if (!put_file(a->module.data, package->words, package->word_count * 4) ||
        !put_file(a->script.data, text.data, text.length) || chmod(a->script.data, 0700) != 0 ||
        !lit_program_run(pipes, 10, MOST, &said, NULL))
        return false;
    // Opened for reading and writing, so that neither side waits for the other to open it.
    a->questions = open(a->question.data, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    a->answers = open(a->answer.data, O_RDWR | O_CLOEXEC);
    a->lives = open(a->alive.data, O_RDWR | O_CLOEXEC);
    return a->questions >= 0 && a->answers >= 0 && a->lives >= 0;
}

static void end(struct asking *a)
{
    if (a->questions >= 0)
        close(a->questions);
    if (a->answers >= 0)
        close(a->answers);
    if (a->lives >= 0)
        close(a->lives);
}

void red_spirv_reduce(const struct red_plan *plan, const struct cat_package *package,
                      red_try *try_one, void *user)
{
    OWNED(text_free) struct text place = {0}, module = {0};
    struct asking a = {.questions = -1, .answers = -1, .lives = -1};
    struct text *const files[] = {&a.module,   &a.result, &a.script,
                                  &a.question, &a.answer, &a.alive};
    static const char *const names[] = {"in.spv", "out.spv", "ask", "question", "answer", "alive"};
    if (!is_installed("spirv-reduce") || !make_place(&place))
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        text_printf(files[i], "%s/%s", place.data, names[i]);
    text_printf(&a.prefix, "--temp-file-prefix=%s/t", place.data);
    if (begin(&a, package) && pthread_create(&a.thread, NULL, run, &a) == 0) {
        while (read_question(&a, plan, &module))
            if (!write_answer(&a, ask(try_one, &module, user)))
                break;
        close(a.lives);
        a.lives = -1;
        pthread_join(a.thread, NULL);
    }
    end(&a);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        text_free(files[i]);
    text_free(&a.prefix);
    remove_place(&place);
}

// The passes of a row run together: some alone leave code that the next would remove.
static const char *const optimisations[][5] = {
    {"--inline-entry-points-exhaustive", "--eliminate-dead-functions"},
    {"--ssa-rewrite", "--eliminate-dead-code-aggressive"},
    {"--private-to-local", "--scalar-replacement=64", "--ssa-rewrite",
     "--eliminate-dead-code-aggressive"},
    {"--ccp", "--eliminate-dead-branches", "--merge-blocks", "--eliminate-dead-code-aggressive"},
    {"--simplify-instructions", "--redundancy-elimination", "--eliminate-dead-code-aggressive"},
};

void red_spirv_opt(const struct cat_package *package, red_try *try_one, void *user)
{
    OWNED(text_free) struct text place = {0}, module = {0}, from = {0}, to = {0};
    enum red_answer answer = RED_OTHER;
    if (!is_installed("spirv-opt") || !make_place(&place))
        return;
    text_printf(&from, "%s/in.spv", place.data);
    text_printf(&to, "%s/out.spv", place.data);
    for (size_t i = 0; i < sizeof optimisations / sizeof *optimisations; i++) {
        OWNED(text_free) struct text said = {0};
        const char *words[11] = {"spirv-opt", from.data, "-o", to.data, "--scalar-block-layout"};
        for (size_t k = 0; k < 5 && optimisations[i][k]; k++)
            words[5 + k] = optimisations[i][k];
        unlink(to.data);
        module.length = 0;
        if (answer != RED_STOP && put_file(from.data, package->words, package->word_count * 4) &&
            lit_program_run(words, OPT_SECONDS, MOST, &said, NULL) &&
            text_read(&module, to.data, MOST))
            answer = ask(try_one, &module, user);
    }
    remove_place(&place);
}
