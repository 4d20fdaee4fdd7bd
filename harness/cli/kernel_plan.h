// SPDX-License-Identifier: Apache-2.0
// What is to be run, whether options or a script say it: pipelines, buffers, dispatches.
#pragma once

#include "cli/kernel.h"

#define CLI_MOST_HELD 64 // buffers

// A buffer, whatever pipelines it is bound to.
struct cli_held {
    // Of all its declarations: the largest, read-only if all are.
    struct cat_buffer as;
    char name[CAT_ENTRY_SIZE]; // that a script gives it; "" without
    // Each of `words`, owned. before NULL: nothing that counts; after NULL: it is not compared;
    // counts, the bits that are, NULL: all.
    uint32_t *before, *after, *counts;
    size_t words;             // 0: not known yet
    struct cat_tolerance may; // without `like`
    size_t like; // the buffer that it is to be like, an index from 1; 0: none. It has `after`, too
};

struct cli_pipeline {
    char name[CAT_ENTRY_SIZE]; // "" of the first that options say
    uint32_t *words;           // of its module, owned; NULL: those of the first
    size_t word_count;
    struct cat_inspected module;
    struct cat_spec specs[CAT_MOST_SPEC];
    size_t spec_count;
    bool full;
    uint32_t subgroup;              // that it asks for; 0: as the device runs it
    size_t held[CAT_MOST_BINDINGS]; // what each of module.buffers is: an index into `buffers`
};

struct cli_dispatch {
    size_t pipeline; // an index
    uint32_t groups[3];
    uint8_t push[CAT_MOST_PUSH];
};

struct cli_plan {
    struct cli_pipeline pipelines[1 + CAT_MOST_PARTS]; // the first dispatch is of the first
    size_t pipeline_count;
    struct cli_held buffers[CLI_MOST_HELD];
    size_t buffer_count;
    struct cli_dispatch dispatches[1 + CAT_MOST_STEPS];
    size_t dispatch_count;
};

struct cli_plan *cli_plan_new(void);
void cli_plan_free(struct cli_plan **plan); // NULL is fine

// The module of a pipeline, for cat_inspect and the package.
const uint32_t *cli_plan_words(const struct cli_plan *plan, const struct cli_pipeline *pipeline,
                               size_t *count);
// "buffer 0.1 (sums)", as a message names it.
void cli_plan_name(const struct cli_held *held, struct text *name);
// 32-bit words that the module asks for at least.
uint64_t cli_plan_least(const struct cat_buffer *buffer);
// What another declaration of a buffer says besides.
void cli_plan_join(struct cli_held *held, const struct cat_buffer *buffer);

// Puts the plan into a package, which takes the first module's words. `agrees`: all buffers that
// are written are compared. False with an error that says what is missing of a buffer.
bool cli_plan_place(struct cli_plan *plan, bool agrees, struct cat_package *package,
                    struct lit_error *error);

// Reads an Amber script, whose text becomes the page. False with an error that names its line, or
// an option that says what a script says itself.
bool cli_kernel_script(const char *path, const struct cli_kernel_options *chosen,
                       struct cli_plan *plan, struct text *page, struct lit_error *error);

// Values as text. False unless there is one, and no more than `most` where that is asked; *end is
// behind it.
bool cli_take_number(const char *text, uint64_t most, uint64_t *number, const char **end);
