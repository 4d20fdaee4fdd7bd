// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rdna_gpus[RDNA_GPUS] = {
    [RDNA_NAVI21] = "navi21", [RDNA_NAVI31] = "navi31", [RDNA_GFX1201] = "gfx1201"};

static const char *const timings[] = {"prompt", "late", "random"};
static const char *const caches[] = {"coherent", "manual"};
static const char *const turns[] = {"short", "long"};

static bool choose(const char *value, const char *const *names, unsigned count, unsigned *chosen)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(value, names[i])) {
            *chosen = i;
            return true;
        }
    return false;
}

static bool number(const char *value, uint64_t *result)
{
    char *end;
    if (*value < '0' || *value > '9')
        return false;
    errno = 0;
    *result = strtoull(value, &end, 0);
    return !errno && !*end;
}

const char *const rdna_faults[RDNA_FAULTS] = {[RDNA_FAULT_NONE] = "list",
                                              [RDNA_FAULT_WAIT] = "wait",
                                              [RDNA_FAULT_EXEC] = "exec",
                                              [RDNA_FAULT_CACHE] = "cache",
                                              [RDNA_FAULT_BARRIER] = "barrier"};

// "wait:1234abcd:5"
static bool set_fault(struct rdna_settings *settings, const char *value)
{
    char kind[8];
    int length = 0;
    unsigned chosen;
    settings->lists = !strcmp(value, "list");
    if (settings->lists)
        return true;
    if (sscanf(value, "%7[a-z]:%8" SCNx32 ":%u%n", kind, &settings->fault_program,
               &settings->fault_index, &length) != 3 ||
        value[length] || !choose(kind, rdna_faults, RDNA_FAULTS, &chosen) || !chosen)
        return false;
    settings->fault = (enum rdna_fault)chosen;
    return true;
}

static bool set(struct rdna_settings *settings, const char *name, const char *value)
{
    unsigned chosen;
    if (!strcmp(name, "timing") && choose(value, timings, 3, &chosen))
        settings->timing = (enum rdna_timing)chosen;
    else if (!strcmp(name, "caches") && choose(value, caches, 2, &chosen))
        settings->caches = (enum rdna_caches)chosen;
    else if (!strcmp(name, "turns") && choose(value, turns, 2, &chosen))
        settings->turns = (enum rdna_turns)chosen;
    else
        return (!strcmp(name, "fault") && set_fault(settings, value)) ||
               (!strcmp(name, "seed") && number(value, &settings->seed)) ||
               (!strcmp(name, "steps") && number(value, &settings->steps));
    return true;
}

bool rdna_settings_parse(const char *text, struct rdna_settings *settings, char *error,
                         size_t error_size)
{
    *settings = (struct rdna_settings){.seed = 1, .steps = UINT64_C(1) << 32};
    bool is_first = true, goes_on = true;
    for (; goes_on; is_first = false) {
        char item[64];
        unsigned gpu = 0;
        const size_t length = strcspn(text, ",");
        snprintf(item, sizeof(item), "%.*s", length < sizeof(item) ? (int)length : 63, text);
        char *const equals = strchr(item, '=');
        if (equals)
            *equals = 0;
        const bool is_good = is_first ? !equals && choose(item, rdna_gpus, RDNA_GPUS, &gpu)
                                      : equals && set(settings, item, equals + 1);
        if (length >= sizeof(item) || !is_good) {
            snprintf(
                error, error_size, "'%.*s' is none of %s", length < 40 ? (int)length : 40, text,
                is_first ? "the emulated GPUs: navi21, navi31, gfx1201"
                         : "timing=prompt|late|random, caches=coherent|manual, turns=short|long, "
                           "seed=N, steps=N");
            return false;
        }
        if (is_first)
            settings->gpu = (enum rdna_gpu)gpu;
        goes_on = text[length] == ',';
        text += length + goes_on;
    }
    return true;
}
