// SPDX-License-Identifier: Apache-2.0
// A generated program as a configuration that eng_measure can run: its head is written and read
// like that of any test, its oracle is found by name, its module is emitted.
#pragma once

#include "engine/measure.h"
#include "generate/module.h"

struct eng_generated {
    struct cat_test test;
    struct cat_case which;
    struct cat_module entry;
    struct gen_module module;
    struct eng_own own; // of the members above
};

// Makes it of a GENERATED request, which is not trusted. Must stay where it is; clear it after a
// failure too. False with an error if the request makes no sense.
bool eng_generated_make(const struct eng_request *request, struct eng_generated *generated,
                        struct lit_error *error);
void eng_generated_clear(struct eng_generated *generated);
