// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of SPIR-V modules: of the features that one needs, of whether its dispatch may
// be cut, of the interface of a kernel from outside, of loops that invocations leave apart, and
// what makes one smaller.
#include "fuzz.h"

#include "base/text.h"
#include "catalogue/inspect.h"
#include "lint/exits.h"
#include "model/facts.h"
#include "reduce/pass.h"

// What one of the passes makes of a module, at some of its places.
static void reduce(const uint32_t *words, size_t count)
{
    OWNED(red_base_clear)
    struct red_base base = {.package = {.groups = 2, .interface = {.rows = 1, .layers = 1}}};
    struct cat_package *package = &base.package, made = {0};
    const uint32_t which = count ? words[count / 2] + words[count - 1] : 0;
    size_t passes = 0;
    if (red_module_read(&base.module, words, count)) {
        package->words = lit_alloc(count, sizeof *words);
        memcpy(package->words, words, count * sizeof *words);
        package->word_count = count;
        while (red_passes[passes].name)
            passes++;
        const struct red_pass *pass = &red_passes[which % passes];
        const size_t places = red_places(pass, &base);
        OWNED(lit_free) bool *chosen = lit_alloc(places + 1, sizeof *chosen);
        for (size_t i = 0; i < places; i++)
            chosen[i] = which >> (8 + i % 16) & 1;
        red_apply(&base, pass, chosen, &made);
        red_weight(&base);
        cat_package_clear(&made);
    }
}

// Every line of a finding is one that its name says.
static void lint(const uint32_t *words, size_t count)
{
    OWNED(red_module_clear) struct red_module m = {0};
    OWNED(exits_clear) struct exits exits = {0};
    struct lit_error error = {0};
    if (!red_module_read(&m, words, count) || !exits_find(&m, &exits, &error))
        return;
    for (size_t i = 0; i < exits.count; i++) {
        const struct exits_finding *f = &exits.findings[i];
        MUST(f->operation < m.count && (f->work == RED_NONE || f->work < m.count));
        MUST(red_op(&m.lines[f->function]) == SpvOpFunction);
        MUST(red_op(&m.lines[f->loop]) == SpvOpLoopMerge);
        MUST(red_is_end(red_op(&m.lines[f->exit])) && red_is_end(red_op(&m.lines[f->selection])));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t count = size / 4;
    OWNED(lit_free) uint32_t *words = malloc(count ? count * 4 : 1);
    uint64_t features = 0;
    MUST(words);
    memcpy(words, data, count * 4);
    struct lit_error error = {0};
    if (cat_module_features(words, count, &features, &error))
        MUST(features >> CAT_FEATURE_COUNT == 0);
    cat_module_is_divisible(words, count);
    struct cat_inspected found;
    const struct cat_spec specs[] = {{0, 64}};
    for (size_t given = 0; given < 2; given++)
        if (cat_inspect(words, count, NULL, specs, given, &found, &error)) {
            MUST(found.buffer_count <= CAT_MOST_BINDINGS);
            MUST(found.push_size <= CAT_MOST_PUSH && found.push_size % 4 == 0);
            MUST(found.local[0] > 0 && found.local[1] > 0 && found.local[2] > 0);
            for (size_t i = 0; i < found.buffer_count; i++)
                MUST(found.buffers[i].set < CAT_MOST_SETS);
        }
    reduce(words, count);
    lint(words, count);
    return 0;
}
