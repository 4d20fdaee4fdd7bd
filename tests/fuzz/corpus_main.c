// SPDX-License-Identifier: Apache-2.0
// Drives the fuzz targets without libFuzzer: fuzz TARGET FOLDER [ROUNDS] runs every file of a
// folder, then ROUNDS seeded mutations of each, always the same ones, and a quarter as many changes
// of a single byte, at places spread evenly; with LITMUS_FULL=1 every change of every byte. An
// input that ends the program lies in the file crash-input beside the caller, if that can be
// written.
#include "fuzz.h"

#include "base/random.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MAX 65536

struct input {
    uint8_t bytes[INPUT_MAX];
    size_t size;
};

// Each target's LLVMFuzzerTestOneInput, which is compiled under the target's name.
#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
TARGETS
#undef TARGET

static const struct target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
    TARGETS
#undef TARGET
};

static const struct target *target;
static struct input seed, mutant, other;
static const struct input *running = &seed;

// Words that the parsers look for: chance alone finds them too seldom.
static const char *const words[] = {"\n",
                                    "; axis ",
                                    "; expect forbidden : x\n",
                                    "\"",
                                    "{",
                                    "}",
                                    "null",
                                    "-1",
                                    "1e999",
                                    "\\u0000",
                                    "18446744073709551616",
                                    "*",
                                    "[",
                                    "]",
                                    "?",
                                    "/",
                                    "@",
                                    "=",
                                    ",",
                                    "|",
                                    "!",
                                    "\033[",
                                    "\xff",
                                    "\xe2\x80\xae",
                                    "when x=",
                                    "last",
                                    "\"runs\":",
                                    "\"text\":",
                                    "true",
                                    "[[[[",
                                    "\\",
                                    "0x",
                                    " { ",
                                    " } ",
                                    "if word.1+i",
                                    "loop",
                                    " while i<2 ",
                                    " break ",
                                    " continue ",
                                    "case 1 { ",
                                    "falls",
                                    " look "};

static void note_crash(int number)
{
    int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, running->bytes, running->size) >= 0)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

static void read_input(const char *folder, const char *name, struct input *input)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rbe");
    if (!file) {
        perror(path);
        exit(2);
    }
    input->size = fread(input->bytes, 1, INPUT_MAX, file);
    fclose(file);
}

static size_t below(struct lit_random *random, size_t bound)
{
    return (size_t)random_below(random, bound ? bound : 1);
}

// Puts `length` bytes into the mutant at `at`, in place of `gone` bytes.
static void replace(size_t at, size_t gone, const void *bytes, size_t length)
{
    if (at + gone > mutant.size || mutant.size - gone + length > INPUT_MAX)
        return;
    memmove(mutant.bytes + at + length, mutant.bytes + at + gone, mutant.size - at - gone);
    memcpy(mutant.bytes + at, bytes, length);
    mutant.size += length - gone;
}

static void mutate_once(struct lit_random *random)
{
    const size_t at = below(random, mutant.size + 1), rest = mutant.size - at;
    const char *word = words[below(random, sizeof words / sizeof *words)];
    uint8_t block[64];
    size_t length = below(random, sizeof block);
    switch (random_below(random, 7)) {
    case 0: // a bit
        if (rest)
            mutant.bytes[at] ^= (uint8_t)(1u << random_below(random, 8));
        break;
    case 1: // a byte
        if (rest)
            mutant.bytes[at] = (uint8_t)random_next(random);
        break;
    case 2: // a word comes in
        replace(at, below(random, rest < 8 ? rest + 1 : 8), word, strlen(word));
        break;
    case 3: // a piece goes
        replace(at, below(random, rest + 1), "", 0);
        break;
    case 4: // a piece comes twice
        length = length < rest ? length : rest;
        memcpy(block, mutant.bytes + at, length);
        replace(at, 0, block, length);
        break;
    case 5: // a piece of another place
        length = length < other.size ? length : other.size;
        memcpy(block, other.bytes + below(random, other.size - length + 1), length);
        replace(at, length < rest ? length : rest, block, length);
        break;
    case 6: // the end goes
        mutant.size = at;
        break;
    }
}

static void run(const struct input *input)
{
    // A copy of its own: reading one byte too many is then seen by a sanitizer.
    uint8_t *exact = malloc(input->size ? input->size : 1);
    MUST(exact);
    memcpy(exact, input->bytes, input->size);
    running = input;
    target->run(exact, input->size);
    free(exact);
}

// Each byte becomes each other value, and goes; or a share of these changes, at most `most` of
// them. Returns how many.
static size_t change_bytes(unsigned long most)
{
    const char *full = getenv("LITMUS_FULL");
    const size_t changes = seed.size * 256;
    const size_t step = full && strcmp(full, "1") == 0 ? 1 : changes / (most + 1) + 1;
    for (size_t i = 0; i < changes; i += step) {
        const size_t at = i / 256;
        mutant = seed;
        if (i % 256)
            mutant.bytes[at] ^= (uint8_t)i;
        else
            replace(at, 1, "", 0);
        run(&mutant);
    }
    return (changes + step - 1) / step;
}

static int seeds_only(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof targets / sizeof *targets; i++)
        target = strcmp(argv[1], targets[i].name) ? target : &targets[i];
    unsigned long rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    int count = argc > 2 && target ? scandir(argv[2], &entries, seeds_only, alphasort) : -1;
    if (count <= 0) {
        fprintf(stderr, "usage: %s TARGET FOLDER-WITH-SEEDS [ROUNDS]\n", argv[0]);
        return 2;
    }
    signal(SIGABRT, note_crash);
    signal(SIGSEGV, note_crash);
    // In the sample of tools/check: a sixth, drawn by the first digits of the commit.
    const char *commit = getenv("LITMUS_SEED");
    unsigned long long drawn = 0;
    if (getenv("LITMUS_SAMPLE")) {
        rounds = (rounds + 5) / 6;
        if (commit && sscanf(commit, "%15llx", &drawn) == 1)
            printf("drawn by LITMUS_SEED=%s\n", commit);
    }
    struct lit_random random = {.state = 0x11723 + drawn};
    size_t changed = 0;
    for (int i = 0; i < count; i++) {
        read_input(argv[2], entries[i]->d_name, &seed);
        read_input(argv[2], entries[(i + 1) % count]->d_name, &other);
        run(&seed);
        for (unsigned long round = 0; round < rounds; round++) {
            mutant = seed;
            for (size_t steps = 1 + below(&random, 6); steps > 0; steps--)
                mutate_once(&random);
            run(&mutant);
        }
        changed += change_bytes(rounds / 4);
    }
    printf("%d seeds, %lu mutations of each, %zu changes of a byte\n", count, rounds, changed);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return 0;
}
