// SPDX-License-Identifier: Apache-2.0
// Writes the test as a script for Amber, as far as its language allows: the value of each word that
// one comparison can check. Amber never clears buffers between runs, so each run has its own.

#include "repro/repro.h"
#include "repro/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_RUNS   10
#define MOST_OUTPUT 65536 // words of output in all runs together, unless one run has more
#define ROW         8     // values on a line
#define VULKAN_1_3  (1u << 22 | 3u << 12)

const char *repro_amber_lacks(const struct repro *repro)
{
    if (repro->ready->interface)
        return repro->ready->interface->part_count ? "scripts have one module" : NULL;
    if (repro->ready->module->features >> CAT_FEATURE_ADDRESSES & 1)
        return "the shader takes the addresses of its buffers from the push constants, and Amber "
               "cannot put them there";
    if (repro->ready->bound == &cat_array_interface)
        return "the shader has an array of descriptors, and scripts bind none";
    if (!repro->ready->shape.workgroups)
        return "there is nothing to dispatch";
    return NULL;
}

static void put_head(const struct repro *repro, struct text *out)
{
    const struct cat_head *head = &repro->ready->which.test->head;
    OWNED(text_free) struct text name = {0}, asks = {0};
    cat_case_name(&repro->ready->which, &name);
    text_printf(out, "#!amber\n# %s\n", name.data);
    text_paragraph(&asks, "", head->asks);
    for (char *line = strtok(asks.data, "\n"); line; line = strtok(NULL, "\n"))
        text_printf(out, "# %s\n", line);
    text_printf(out, "#\n# amber -d -t %s -v 1.3 test.amber\n\n", repro_spirv(repro));
}

static void put_shader(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const bool none = !repro->plain && repro_from_glsl(repro);
    script_shader(none ? NULL : repro_spirv(repro),
                  none           ? NULL
                  : repro->plain ? repro->plain
                                 : cat_module_page(ready->which.test, ready->module),
                  none ? "test.spv" : "test.spvasm", out);
}

// Whether each word has a single right value: then we can compare whole buffers.
static bool is_exact(const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    const uint32_t stride = repro_stride(repro);
    uint32_t word = 0;
    for (uint64_t i = 0; i < repro_output_words(repro); i++)
        if (repro_compare(&ready->mode, &ready->expected[i * stride], &word) != REPRO_EQUAL)
            return false;
    return true;
}

static void put_exact_buffer(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t count = repro_output_words(repro);
    const uint32_t stride = repro_stride(repro);
    // expected.bin has more words for each: the script must hold the first of them.
    if (stride == 1)
        script_buffer("expected", "expected.bin", ready->expected, count, out);
    else
        script_words("expected", ready->expected, count, stride, out);
}

// Comparisons on one line, for adjacent words, all with EQ or all with NE.
struct line {
    struct text *out;
    uint64_t run;  // from 1
    uint64_t next; // the word after the last one
    uint32_t count;
    enum repro_compare how;
};

static void end_line(struct line *line)
{
    if (line->count)
        text_puts(line->out, "\n");
    line->count = 0;
}

static void put_expect(struct line *line, uint64_t index, enum repro_compare how, uint32_t word)
{
    if (line->count == ROW || index != line->next || how != line->how)
        end_line(line);
    if (!line->count)
        text_printf(line->out, "EXPECT output_%" PRIu64 " IDX %" PRIu64 " %s", line->run, index * 4,
                    how == REPRO_EQUAL ? "EQ" : "NE");
    text_printf(line->out, " 0x%08" PRIx32, word);
    line->next = index + 1;
    line->how = how;
    line->count++;
}

// How many failures we know for the script's data.
static size_t failure_count(const struct repro *repro)
{
    const struct result *result = repro->result;
    return result && result->seed == repro->seed ? result->failure_count : 0;
}

// Puts words that were wrong in some run first, wherever they are: each one's value or, if several
// are right, that it is not the same wrong value.
static void put_failed(const struct repro *repro, struct line *line)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_shape *shape = &ready->shape;
    const size_t count = failure_count(repro);
    for (size_t i = 0; i < count; i++) {
        const struct cat_failure *failure = &repro->result->failures[i].at;
        if (failure->instance >= shape->instances || failure->word >= shape->words_per_instance)
            continue;
        const uint64_t index = failure->instance * shape->words_per_instance + failure->word;
        const uint32_t *expected = &ready->expected[index * repro_stride(repro)];
        const uint32_t outcome = cat_classify(ready->mode.check, failure->got, expected);
        uint32_t word;
        if (repro_compare(&ready->mode, expected, &word) == REPRO_EQUAL)
            put_expect(line, index, REPRO_EQUAL, word);
        else if (cat_mode_fails(&ready->mode, outcome))
            put_expect(line, index, REPRO_DIFFERENT, failure->got);
    }
    end_line(line);
}

// `most`: how many words to compare besides the wrong ones.
static void put_expects(const struct repro *repro, uint64_t run, uint64_t most, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t count = repro_output_words(repro);
    const uint32_t stride = repro_stride(repro);
    struct line line = {.out = out, .run = run};
    uint64_t open = 0, partial = 0, compared = 0, i = 0;
    put_failed(repro, &line);
    for (uint32_t word; i < count && compared < most; i++) {
        const enum repro_compare how =
            repro_compare(&ready->mode, &ready->expected[i * stride], &word);
        open += how == REPRO_OPEN;
        partial += how == REPRO_DIFFERENT;
        if (how == REPRO_OPEN)
            continue;
        put_expect(&line, i, how, word);
        compared++;
    }
    end_line(&line);
    if (open)
        text_printf(out,
                    "# %" PRIu64 " words are not compared: of these several values are right, "
                    "which Amber cannot say.\n",
                    open);
    if (partial)
        text_printf(out,
                    "# %" PRIu64
                    " words are only kept from one wrong value: others are wrong, too, "
                    "but several right.\n",
                    partial);
    if (i < count)
        text_printf(out, "# %" PRIu64 " words more are not compared, to keep the script small.\n",
                    count - i);
}

static void put_run(const struct repro *repro, uint64_t run, bool exact, uint64_t most,
                    struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t number = run + 1;
    const bool subgroups = repro->facts->subgroup_control;
    char name[40];
    text_printf(out, "# Run %" PRIu64 "\n", number);
    text_printf(out,
                "BUFFER output_%" PRIu64 " DATA_TYPE uint32 SIZE %" PRIu64 " FILL %" PRIu32
                "\nBUFFER state_%" PRIu64 " DATA_TYPE uint32 SIZE %" PRIu64 " FILL 0\n",
                number, repro_output_words(repro), CAT_POISON, number, ready->shape.state_words);
    text_printf(out,
                "BUFFER push_%" PRIu64 " DATA_TYPE uint32 DATA\n  0 0 0 0 0 0 %" PRIu32
                " 0x%08" PRIx32 "\nEND\n",
                number, ready->shape.elements, eng_run_seed(ready->stream, run));
    snprintf(name, sizeof name, "run_%" PRIu64, number);
    script_pipeline(&(struct script_pipeline){.name = name,
                                              .ids = ready->spec_ids,
                                              .values = ready->spec_values,
                                              .count = ready->spec_count,
                                              .subgroup = subgroups ? ready->args.subgroup : 0,
                                              .full = subgroups && ready->bound->full},
                    out);
    text_printf(out,
                "  BIND BUFFER input AS storage DESCRIPTOR_SET 0 BINDING 0\n"
                "  BIND BUFFER output_%" PRIu64 " AS storage DESCRIPTOR_SET 0 BINDING 1\n"
                "  BIND BUFFER state_%" PRIu64 " AS storage DESCRIPTOR_SET 0 BINDING 2\n"
                "  BIND BUFFER push_%" PRIu64 " AS push_constant\nEND\n",
                number, number, number);
    text_printf(out, "RUN run_%" PRIu64 " %" PRIu32 " 1 1\n", number, ready->shape.workgroups);
    text_puts(out, "# If this is not 0, a bounded wait ran out and the run says nothing.\n");
    text_printf(out, "EXPECT state_%" PRIu64 " IDX 0 EQ 0\n", number);
    if (exact)
        text_printf(out, "EXPECT output_%" PRIu64 " EQ_BUFFER expected\n", number);
    else
        put_expects(repro, number, most, out);
    text_puts(out, "\n");
}

// Picks the script's runs: those that we know failed, then from the first on.
static size_t pick_runs(const struct repro *repro, size_t most, uint64_t runs[MOST_RUNS])
{
    size_t count = 0;
    const size_t failed = failure_count(repro);
    for (uint64_t i = 0; i < failed + repro->runs && count < most; i++) {
        const uint64_t run =
            i < failed ? repro->result->failures[i].at.run : repro->first + (i - failed);
        bool there = false;
        for (size_t j = 0; j < count; j++)
            there = there || runs[j] == run;
        if (!there)
            runs[count++] = run;
    }
    return count;
}

void repro_amber(const struct repro *repro, struct text *out)
{
    const struct eng_prepared *ready = repro->ready;
    const uint64_t fit = MOST_OUTPUT / repro_output_words(repro);
    const bool exact = is_exact(repro);
    uint64_t runs[MOST_RUNS];
    put_head(repro, out);
    script_features(ready->module->features, repro->facts->subgroup_control,
                    repro->facts->api >= VULKAN_1_3, out);
    put_shader(repro, out);
    if (ready->shape.input_words)
        script_buffer("input", "input.bin", ready->input, ready->shape.input_words, out);
    else
        text_puts(out, "BUFFER input DATA_TYPE uint32 SIZE 1 FILL 0\n\n");
    if (exact)
        put_exact_buffer(repro, out);
    const size_t count = pick_runs(repro,
                                   fit < 1           ? 1
                                   : fit < MOST_RUNS ? (size_t)fit
                                                     : MOST_RUNS,
                                   runs);
    for (size_t i = 0; i < count; i++)
        put_run(repro, runs[i], exact, MOST_OUTPUT / count, out);
}
