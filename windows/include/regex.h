// SPDX-License-Identifier: Apache-2.0
// Extended regular expressions without {} and without captures.
#pragma once

#include <stddef.h>

#define REG_EXTENDED 1
#define REG_NOSUB    8
#define REG_NOMATCH  1

typedef struct {
    struct regex_step *steps;
    size_t count;
} regex_t;
typedef struct {
    int unused;
} regmatch_t;

int regcomp(regex_t *regex, const char *pattern, int flags);
int regexec(const regex_t *regex, const char *string, size_t count, regmatch_t *matches, int flags);
size_t regerror(int error, const regex_t *regex, char *text, size_t size);
void regfree(regex_t *regex);
