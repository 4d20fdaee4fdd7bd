// SPDX-License-Identifier: Apache-2.0
// Bundles for the kernels of benchmarks.
#include "repro/bench.h"

#include "bench/oracle.h"
#include "bench/row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_EPOCH 1 // of a scan with look-back and new state

static const struct cat_head about = {
    .name = (char *)"bench",
    .asks = (char *)"Does this kernel, which `litmus bench` times, store what it has to?",
    .fails = (char *)"the output of a workgroup, of a scan with look-back the whole output, is not "
                     "what the kernel is defined to store, which the host computes another way.",
    .origin = (char *)"spirv/kernels and docs/bench.md of litmus",
};

bool repro_is_bench(const char *name)
{
    return strncmp(name, REPRO_BENCH, strlen(REPRO_BENCH)) == 0;
}

void repro_bench_clear(struct repro_bench *bench)
{
    text_free(&bench->name);
    free(bench->page);
    *bench = (struct repro_bench){0};
}

// All rows of both benchmarks, and their names here: bench:ROW.
struct rows {
    struct bench_row *list;
    struct text *names;
    size_t count;
};

static struct rows make_rows(const struct bench_shape *shape)
{
    const size_t looks = look_rows();
    struct rows rows = {lit_alloc(BENCH_ROWS + looks, sizeof *rows.list),
                        lit_alloc(BENCH_ROWS + looks, sizeof *rows.names), 0};
    rows.count = bench_scan_rows(shape, rows.list);
    for (size_t i = 0; i < looks; i++)
        rows.list[rows.count++] = look_row(i, shape->elements);
    for (size_t i = 0; i < rows.count; i++) {
        text_puts(&rows.names[i], REPRO_BENCH);
        bench_row_name(&rows.list[i], &rows.names[i]);
    }
    return rows;
}

static void rows_clear(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        text_free(&rows->names[i]);
    free(rows->names);
    free(rows->list);
}

static const char *name_at(size_t index, void *user)
{
    const struct rows *rows = user;
    return index < rows->count ? rows->names[index].data : NULL;
}

const char *repro_bench_at(size_t index, void *user)
{
    static struct rows kept; // kept until the program ends
    (void)user;
    if (!kept.count)
        kept = make_rows(&(struct bench_shape){
            .subgroup = 32, .elements = BENCH_ELEMENTS, .copied = BENCH_ELEMENTS, .loops = 1});
    return name_at(index, &kept);
}

static bool find_row(const struct bench_shape *shape, const char *name, struct bench_row *row,
                     struct lit_error *error)
{
    OWNED(rows_clear) struct rows rows = make_rows(shape);
    OWNED(text_free) struct text hint = {0};
    size_t at = 0;
    while (at < rows.count && strcmp(rows.names[at].data, name))
        at++;
    const bool found = at < rows.count;
    if (found)
        *row = rows.list[at];
    else
        text_suggest(&hint, name, name_at, &rows);
    if (!found)
        lit_fail(error, LIT_EXIT_USAGE, "no benchmark has a row '%.120s'%s", name,
                 hint.data ? hint.data : "; 'litmus bench scan --json FILE' names them");
    return found;
}

// Takes "@elements=N,loops=N" off a name; one of the two is enough.
static bool take_sizes(char *name, uint32_t *elements, uint32_t *loops, struct lit_error *error)
{
    const struct {
        const char *name;
        uint32_t *value, least, most;
    } sizes[] = {{"elements=", elements, BENCH_ELEMENTS, BENCH_MOST},
                 {"loops=", loops, 1, BENCH_MOST_LOOPS}};
    char *at = strchr(name, '@');
    if (!at)
        return true;
    *at = '\0';
    for (char *word = strtok(at + 1, ","); word; word = strtok(NULL, ",")) {
        size_t i = 0;
        while (i < 2 && strncmp(word, sizes[i].name, strlen(sizes[i].name)))
            i++;
        const char *digits = i < 2 ? word + strlen(sizes[i].name) : "";
        if (!*digits || strlen(digits) > 9 || digits[strspn(digits, "0123456789")])
            return lit_fail(error, LIT_EXIT_USAGE, "'%.80s' is not elements=N or loops=N", word);
        *sizes[i].value = (uint32_t)strtoul(digits, NULL, 10);
        if (*sizes[i].value < sizes[i].least || *sizes[i].value > sizes[i].most)
            return lit_fail(error, LIT_EXIT_USAGE, "'%.80s': from %" PRIu32 " to %" PRIu32, word,
                            sizes[i].least, sizes[i].most);
    }
    return !(*elements & (*elements - 1)) ||
           lit_fail(error, LIT_EXIT_USAGE, "elements=%" PRIu32 " is not a power of two", *elements);
}

// What litmus bench dispatches for a row: the constants are the workgroup's width, the subgroup
// size and the iterations. A copy beside a look-back does not use subgroups.
static void fill(const struct bench_row *row, uint32_t subgroup, uint64_t seed,
                 struct repro_bench *bench, struct eng_prepared *ready)
{
    const bool looks = row->lanes != 0, any = row->tile && !looks;
    const uint32_t values[] = {row->workgroup, subgroup, row->loops};
    const uint64_t units = looks ? 1 : row->workgroups;
    *ready = (struct eng_prepared){
        .bound = &cat_usual_interface,
        .args = {.subgroup = any ? 0 : subgroup, .workgroup = row->workgroup},
        .required = any ? 0 : subgroup,
        .module = &bench->module,
        .shape = {.workgroups = row->workgroups,
                  .elements = row->tile ? (uint32_t)(row->words / 4) : 0,
                  .input_words = row->words,
                  .state_words = looks ? look_state_words(row) : 1,
                  .instances = units,
                  .words_per_instance = row->words / units},
        .spec_count = any     ? 1
                      : looks ? 2
                              : 3,
        .deterministic = true,
        .stream = row->tile ? FIRST_EPOCH : bench_pushed(seed),
    };
    for (uint32_t i = 0; i < ready->spec_count; i++) {
        ready->spec_ids[i] = i;
        ready->spec_values[i] = values[i];
    }
    bench->module.variant = "";
    bench->module.count = (uint32_t)row->kernel->count;
    bench->module.features = row->kernel->features;
    memcpy(bench->module.sha256, row->kernel->sha256, sizeof bench->module.sha256);
}

static void fill_data(const struct bench_row *row, uint32_t subgroup, uint64_t seed,
                      struct eng_prepared *ready)
{
    ready->input = lit_alloc(row->words, sizeof *ready->input);
    ready->expected = lit_alloc(row->words, sizeof *ready->expected);
    bench_input(seed, ready->input, row->words);
    for (uint64_t i = 0; i < row->words; i++)
        ready->input[i] = cat_scan_input(row->scan, (uint32_t)i, ready->input[i]);
    bench_expect(row, subgroup, (uint32_t)ready->stream, ready->input, ready->expected);
}

bool repro_bench(const char *name, const struct dev_facts *facts, bool small, uint64_t seed,
                 struct repro_bench *bench, struct eng_prepared *ready, struct repro *repro,
                 struct lit_error *error)
{
    struct bench_row row;
    uint32_t elements = small ? BENCH_ELEMENTS : 1u << 16, loops = small ? 3 : 100;
    if (facts->subgroup < 4 || facts->subgroup > 128)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "subgroups of %" PRIu32 "; the kernels are for 4 to 128", facts->subgroup);
    OWNED(lit_free) char *own = lit_strdup(name);
    bool good = take_sizes(own, &elements, &loops, error);
    const struct bench_shape shape = {
        .subgroup = facts->subgroup, .elements = elements, .copied = elements, .loops = loops};
    good = good && find_row(&shape, own, &row, error) && bench_row_fits(&row, facts, error);
    if (good) {
        text_printf(&bench->name, "%s@elements=%" PRIu32, own, elements);
        if (row.loops > 1)
            text_printf(&bench->name, ",loops=%" PRIu32, loops);
        fill(&row, facts->subgroup, seed, bench, ready);
        fill_data(&row, facts->subgroup, seed, ready);
        bench->page = cat_kernel_page(row.kernel);
        repro->name = bench->name.data;
        repro->head = &about;
        repro->page = bench->page;
        repro->words = cat_kernel_words(row.kernel);
        repro->fixed_seed = true;
    }
    return good;
}
