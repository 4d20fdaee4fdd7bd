// SPDX-License-Identifier: Apache-2.0
// Measures the interpreter's speed in invocation-instructions per second on one core, by model.
// usage: simt-bench KERNEL.spv [SECONDS [MODEL]]
#include "schedule/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LANES = 64, KERNEL_MAX = 1 << 20 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); // ignores other work on the machine
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void say(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "simt-bench: %s\n", line);
}

// Million invocation-instructions per second, or a negative number.
static double measure(const struct settings *settings, const struct program *program, double time)
{
    static uint32_t output[LANES];
    struct region local[] = {[2] = {.bytes = (unsigned char *)output, .size = sizeof(output)}};
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(settings, regions, say, NULL);
    const struct dispatch dispatch = {
        .program = program, .groups = {16, 1, 1}, .local = local, .local_count = 3};
    const double start = seconds();
    double spent = 0, rate = -1;
    while (machine && spent < time && machine_dispatch(machine, &dispatch) == DISPATCH_DONE)
        spent = seconds() - start;
    if (spent >= time)
        rate = 1e-6 * (double)machine_instructions(machine) / spent;
    machine_free(machine);
    regions_free(regions);
    return rate;
}

int main(int argc, char **argv)
{
    static uint32_t words[KERNEL_MAX / 4];
    const double time = argc > 2 ? strtod(argv[2], NULL) : 1;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    const size_t count = file ? fread(words, 4, KERNEL_MAX / 4, file) : 0;
    if (file)
        fclose(file);
    if (!count || !(time > 0)) {
        fprintf(stderr, "usage: simt-bench KERNEL.spv [SECONDS [MODEL]]\n");
        return 2;
    }
    printf("million invocation-instructions per second, one core, subgroups of 32\n");
    for (int model = 0; model < MODEL_FAULTY; model++) {
        if (argc > 3 && strcmp(argv[3], model_names[model]) != 0)
            continue;
        char text[64], error[512];
        struct settings settings;
        snprintf(text, sizeof(text), "model=%s,threads=1", model_names[model]);
        const struct program_options options = {
            .entry = "main", .subgroup = 32, .local_size_max = LANES, .shared_max = 65536};
        struct program *program = NULL;
        if (settings_parse(text, &settings, error, sizeof(error)))
            program = program_compile(words, count, &options, error, sizeof(error));
        if (!program) {
            say(NULL, error);
            return 1;
        }
        printf("%-10s %8.1f\n", model_names[model], measure(&settings, program, time));
        program_free(program);
    }
    return 0;
}
