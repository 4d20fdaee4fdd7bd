// SPDX-License-Identifier: Apache-2.0
// Makes a bundle of a configuration or of a benchmark's kernel: from its result in a store, an
// earlier bundle, or a device in this machine.
#include "base/file.h"
#include "base/folder.h"
#include "base/program.h"
#include "base/sha256.h"
#include "bench/oracle.h"
#include "bench/row.h"
#include "engine/client.h"
#include "engine/drivers.h"
#include "report/format.h"
#include "report/known.h"
#include "repro/repro.h"
#include "session/device.h"

#include <unistd.h>

#define BENCH_PREFIX "bench:"
#define FIRST_EPOCH  1 // of a scan with look-back and new state

static const struct cat_head about = {
    .name = (char *)"bench",
    .asks = (char *)"Does this kernel, which `litmus bench` times, store what it has to?",
    .fails = (char *)"the output of a workgroup, of a scan with look-back the whole output, is not "
                     "what the kernel is defined to store, which the host computes another way.",
    .origin = (char *)"spirv/kernels and docs/bench.md of litmus",
};

struct bench {
    struct text name;         // the configuration's, including defaults
    struct cat_module module; // what a bundle says about the kernel; has no words
    char *page;
};

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
        text_puts(&rows.names[i], BENCH_PREFIX);
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
static void fill(const struct bench_row *row, uint32_t subgroup, uint64_t seed, struct bench *bench,
                 struct eng_prepared *ready)
{
    const bool looks = row->lanes != 0, any = row->tile && !looks;
    const uint32_t values[] = {row->workgroup, subgroup, row->loops};
    const uint64_t units = looks ? 1 : row->workgroups;
    *ready = (struct eng_prepared){
        .code = {.interface = &cat_usual_interface,
                 .subgroup = any ? 0 : subgroup,
                 .spec_count = any     ? 1
                               : looks ? 2
                                       : 3},
        .args = {.subgroup = any ? 0 : subgroup, .workgroup = row->workgroup},
        .module = &bench->module,
        .shape = {.workgroups = row->workgroups,
                  .elements = row->tile ? (uint32_t)(row->words / 4) : 0,
                  .input_words = row->words,
                  .state_words = looks ? look_state_words(row) : 1,
                  .instances = units,
                  .words_per_instance = row->words / units},
        .deterministic = true,
        .stream = row->tile ? FIRST_EPOCH : bench_pushed(seed),
    };
    for (uint32_t i = 0; i < ready->code.spec_count; i++) {
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

// Prepares the named row, with or without "@elements=N,loops=N", for a device, with data from a
// seed, and fills its part of *repro. `small`: fewer elements and loops by default. False with an
// error: no such row, or the device cannot run it (LIT_EXIT_NOTHING). Clear *bench and *ready in
// any case.
static bool prepare_bench(const char *name, const struct dev_facts *facts, bool small,
                          uint64_t seed, struct bench *bench, struct eng_prepared *ready,
                          struct repro *repro, struct lit_error *error)
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

// --- The command

#define DEFAULT_RUNS 1000
#define DEFAULT_SEED 1

// Everything that one invocation holds.
struct making {
    const struct repro_options *chosen;
    const char *bench; // the row of a benchmark; NULL: use `which`
    bool store_given;  // --db or --session: the store must have the result
    const char *asked; // its name, as given
    struct cat_case which;
    struct report_model model;
    bool has_model;
    const struct result *result;
    struct report_code code;
    bool has_code;
    struct isa_study here;  // code from a device in this machine, if the store has none
    char no_code[512];      // why there is no code
    struct repro_past past; // the contents of --facts; its model replaces `model`
    struct ses_devices devices;
    struct dev_facts facts;
    char system[512];
};

// The result in the store

// Whether the user asks for a result of this configuration.
static bool is_asked_for(const struct making *m, const struct cfg *cfg)
{
    struct cat_case other;
    const struct cat_selection asked = {.patterns = &m->asked, .count = 1, .thorough = true};
    return cat_case_find(cfg, &other, NULL) && cat_selection_has(&asked, &other);
}

static bool device_is_asked_for(const struct making *m, const struct eng_device *device)
{
    for (size_t i = 0; i < m->chosen->devices.count; i++)
        if (eng_device_matches(device, m->chosen->devices.items[i]))
            return true;
    return m->chosen->devices.count == 0;
}

// How well a result suits: prefers one that failed, then one that ran, then one without stress.
static int worth(const struct result *result)
{
    return (result->failed_runs > 0) * 4 + (result->runs > 0) * 2 + !result->stress[0];
}

static bool take_result(struct making *m, struct lit_error *error)
{
    REPORT_EACH (result, &m->model, REPORT_ALL) {
        if (device_is_asked_for(m, &m->model.devices[result->device]) &&
            is_asked_for(m, &result->cfg) && (!m->result || worth(result) > worth(m->result)))
            m->result = result;
    }
    if (!m->result)
        return !m->store_given ||
               lit_fail(error, LIT_EXIT_USAGE,
                        "session %" PRId64 " of %.200s has no result of this configuration%s",
                        m->model.session.id, m->chosen->db,
                        m->chosen->devices.count ? " on that device" : "");
    if (m->result->result == ENG_SKIP)
        return lit_fail(error, LIT_EXIT_NOTHING, "it cannot run on %.100s, session %" PRId64 ": %s",
                        m->model.devices[m->result->device].facts.name, m->model.session.id,
                        m->result->reason);
    cat_case_find(&m->result->cfg, &m->which, NULL);
    m->facts = m->model.devices[m->result->device].facts;
    snprintf(m->system, sizeof m->system, "%s", m->model.session.system);
    return true;
}

static bool look_into_store(struct making *m, struct lit_error *error)
{
    if (!m->store_given && access(m->chosen->db, F_OK) != 0)
        return true;
    OWNED(store_session_clear) struct store_session session = {0};
    struct store *store = store_open_read(m->chosen->db, error);
    if (!store)
        return false;
    bool good = store_session_load(store, (int64_t)m->chosen->session, false, &session, error);
    if (good) {
        good = report_model_load(store, session.id, &m->model, error);
        m->has_model = true;
    }
    good = good && take_result(m, error);
    if (good && m->result) {
        m->code = report_code_load(&m->model, m->result->test);
        m->has_code = true;
    }
    store_close(&store);
    m->model.store = NULL;
    return good;
}

// What a bundle says

static bool look_into_facts(struct making *m, struct lit_error *error)
{
    const struct report_model *model = &m->past.model;
    if (!repro_facts_read(m->chosen->facts, &m->past, error))
        return false;
    if (m->which.test && !is_asked_for(m, &model->results[0].cfg))
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s is of another configuration: %.200s",
                        m->chosen->facts, model->results[0].name);
    m->which = m->past.which;
    m->result = model->results;
    m->facts = model->devices[0].facts;
    snprintf(m->system, sizeof m->system, "%s", model->session.system);
    snprintf(m->no_code, sizeof m->no_code, "none was kept");
    return true;
}

static bool is_same_module(const struct making *m, const struct repro *repro,
                           struct lit_error *error)
{
    char sha256[SHA256_TEXT];
    sha256_text(repro->words, (size_t)repro->ready->module->count * 4, sha256);
    return strcmp(sha256, m->past.sha256) == 0 ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "%.200s is of another module of this name (SHA-256 %.12s..., here %.12s...)",
                    m->chosen->facts, m->past.sha256, sha256);
}

// The code that a device here makes of it

static bool take_code(const struct cat_case *which, enum eng_result result, const char *reason,
                      struct isa_code *code, void *user)
{
    struct making *m = user;
    OWNED(text_free) struct text name = {0};
    cat_case_name(which, &name);
    m->here.module = report_known->words;
    if (result == ENG_PASS)
        isa_study_add(&m->here, name.data, code, NULL, NULL);
    else
        snprintf(m->no_code, sizeof m->no_code, "%s: %s", eng_result_name(result), reason);
    return true;
}

// An error here only costs the bundle its code.
static void capture_code(struct making *m, const struct eng_device *device)
{
    const struct eng_capture capture = {
        .watch = &m->devices.watch, .device = device, .take = take_code, .user = m};
    struct cat_case which = m->which;
    char reason[512];
    // A name without a subgroup size means the device's own.
    if (!which.subgroup)
        which.subgroup = device->facts.subgroup;
    if (eng_capture(&capture, &which, 1, reason) != ENG_END_RAN)
        snprintf(m->no_code, sizeof m->no_code, "%s", reason);
}

// Looks for the result's own device here: the same hardware with the same driver.
static void look_for_code(struct making *m)
{
    const char *simt = m->model.simt;
    const struct lit_list settings = {.items = &simt, .count = 1};
    struct lit_error error = {0};
    if (report_code_of(&m->code, m->result))
        return;
    snprintf(m->no_code, sizeof m->no_code, "the store has none, and the device is not here");
    if (m->code.fault[0]) {
        snprintf(m->no_code, sizeof m->no_code, "%s", m->code.fault);
        return;
    }
    eng_interrupt_listen();
    if ((simt && !ses_simt_use(&settings, &error)) ||
        !eng_inventory_take(&m->devices.watch, &m->devices.inventory))
        return;
    for (size_t i = 0; i < m->devices.inventory.count; i++)
        if (!strcmp(m->devices.inventory.devices[i].id, m->model.devices[m->result->device].id)) {
            capture_code(m, &m->devices.inventory.devices[i]);
            return;
        }
}

// A device in this machine

static bool look_at_devices(struct making *m, struct lit_error *error)
{
    eng_interrupt_listen();
    if (!ses_simt_use(&m->chosen->simt, error))
        return false;
    if (!eng_inventory_take(&m->devices.watch, &m->devices.inventory))
        return lit_fail(error, LIT_EXIT_TIME, "interrupted");
    const struct eng_inventory *inventory = &m->devices.inventory;
    if (inventory->failed[0])
        return eng_inventory_some(inventory, error);
    if (inventory->count == 0)
        return lit_fail(
            error, LIT_EXIT_NOTHING,
            "nothing was measured, and no Vulkan device was found to make the data for");
    bool *chosen = m->devices.chosen = lit_alloc(inventory->count, sizeof *chosen);
    if (!eng_inventory_choose(inventory, m->chosen->devices.items, m->chosen->devices.count, chosen,
                              error))
        return false;
    size_t first = 0;
    while (!chosen[first])
        first++;
    OWNED(lit_free) char *system = ses_system();
    m->facts = inventory->devices[first].facts;
    snprintf(m->system, sizeof m->system, "%s", system);
    if (m->facts.problem[0])
        return lit_fail(error, LIT_EXIT_NOTHING, "nothing can run on %s: %s", m->facts.name,
                        m->facts.problem);
    if (!m->bench)
        capture_code(m, &inventory->devices[first]);
    else
        snprintf(m->no_code, sizeof m->no_code, "'litmus bench --keep FOLDER' writes that of rows");
    return true;
}

// The folder

// "repro-shuffle.scan-loop-1f2e3d4c": the digits identify the configuration.
static void default_folder(const struct making *m, struct text *folder)
{
    OWNED(text_free) struct text name = {0};
    if (m->bench)
        text_puts(&name, m->bench);
    else
        cat_case_name(&m->which, &name);
    text_printf(folder, "repro-%s-%08" PRIx32, m->bench ? "bench" : m->which.test->head.name,
                (uint32_t)random_derive(0, name.data));
}

static bool prepare_case(const struct making *m, uint64_t seed, struct eng_prepared *ready,
                         struct lit_error *error)
{
    const struct eng_prepare how = {
        .which = &m->which, .facts = &m->facts, .most_words = UINT64_MAX / 8};
    if (!eng_prepare(&how, ready, error))
        return false;
    if (m->result && m->result->sha256[0] && strcmp(m->result->sha256, ready->module->sha256) != 0)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "session %" PRId64 " of %.200s measured another module of this name "
                        "(SHA-256 %.12s..., here %.12s...): run it again",
                        m->model.session.id, m->chosen->db, m->result->sha256,
                        ready->module->sha256);
    if (!repro_fits(ready, error))
        return false;
    eng_prepare_data(ready, seed);
    return true;
}

// Prepares the dispatch and fills its part of *repro; `name` gets the name of a test's
// configuration.
static bool prepare(const struct making *m, struct bench *bench, struct text *name,
                    struct eng_prepared *ready, struct repro *repro, struct lit_error *error)
{
    struct lit_error why = {0};
    const bool good = m->bench ? prepare_bench(m->bench, &m->facts, m->chosen->simt.count > 0,
                                               repro->seed, bench, ready, repro, &why) &&
                                     repro_fits(ready, &why)
                               : prepare_case(m, repro->seed, ready, &why);
    if (!good)
        return lit_fail(error, why.code, "%s%.100s%s%s",
                        why.code == LIT_EXIT_NOTHING ? "it cannot run on " : "",
                        why.code == LIT_EXIT_NOTHING ? m->facts.name : "",
                        why.code == LIT_EXIT_NOTHING ? ": " : "", why.message);
    if (!m->bench)
        repro_of_test(repro, name);
    return !m->chosen->facts || is_same_module(m, repro, error);
}

// Chooses the code for the bundle.
static void choose_code(const struct making *m, struct repro *repro)
{
    if (m->has_code)
        repro->code = report_code_of(&m->code, m->result);
    if (!repro->code && m->here.count)
        repro->code = &m->here.entries[0];
    repro->no_code = m->no_code;
    if (m->has_code && m->result->failed_runs)
        repro->twin_result = report_code_paired(&m->code, m->result);
    if (repro->twin_result)
        repro->twin = report_code_of(&m->code, repro->twin_result);
}

static bool write_bundle(const struct making *m, struct text *said, struct lit_error *error)
{
    const struct result *result = m->result;
    const struct repro_options *o = m->chosen;
    OWNED(eng_prepared_clear) struct eng_prepared ready = {0};
    OWNED(repro_clear) struct repro_bundle bundle = {0};
    struct bench bench = {0};
    OWNED(text_free) struct text folder = {0}, name = {0}, plain = {0}, archive = {0};
    struct repro repro = {
        .ready = &ready,
        .facts = &m->facts,
        .system = m->system,
        .model = o->facts ? &m->past.model
                 : result ? &m->model
                          : NULL,
        .kept = o->facts ? &m->past.kept : NULL,
        .result = result,
        .seed = o->seed.given ? o->seed.value
                : o->facts    ? m->past.seed
                : result      ? result->seed
                              : DEFAULT_SEED,
        .runs = o->runs                  ? o->runs
                : o->facts               ? m->past.runs
                : result && result->runs ? result->runs
                                         : DEFAULT_RUNS,
        .first = result ? result->first : 0,
        .amber = o->amber,
    };
    if (o->output)
        text_puts(&folder, o->output);
    else
        default_folder(m, &folder);
    text_puts(&archive, folder.data);
    while (archive.length > 1 && archive.data[archive.length - 1] == '/')
        archive.data[--archive.length] = '\0';
    repro.archive = m->past.name.data ? m->past.name.data : lit_path_name(archive.data);
    repro.said = m->past.said.data;
    repro.page_of_finding = m->past.page.data;
    bool good = lit_folder_check(folder.data, NULL, error) &&
                prepare(m, &bench, &name, &ready, &repro, error);
    if (good) {
        choose_code(m, &repro);
        if (lit_spirv_disassemble(repro.words, (size_t)ready.module->count * 4, &plain))
            repro.plain = plain.data;
        repro_make(&repro, &bundle);
        good = repro_write(&repro, &bundle, folder.data, error);
    }
    if (good) {
        text_printf(said, "%s: ", folder.data);
        if (result)
            text_printf(said,
                        "%s runs with seed 0x%" PRIx64 ", %" PRIu64 " of %" PRIu64
                        " failed when measured\n",
                        COUNT(repro.runs), repro.seed, result->failed_runs, result->judged);
        else
            text_printf(said, "%s runs with seed 0x%" PRIx64 ", not measured yet\n",
                        COUNT(repro.runs), repro.seed);
        const char *lacks = o->amber ? repro_amber_lacks(&repro) : NULL;
        if (lacks)
            text_printf(said, "no test.amber: %s\n", lacks);
    }
    text_free(&bench.name);
    free(bench.page);
    return good;
}

static bool make(struct making *m, const struct lit_list *operands, struct text *said,
                 struct lit_error *error)
{
    const bool facts = m->chosen->facts;
    if (facts && (m->store_given || m->chosen->devices.count || m->chosen->simt.count ||
                  m->chosen->runs || m->chosen->seed.given))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--facts says what was measured, where and how: it does not go with --db, "
                        "--session, -d, --simt, -n or --seed");
    if (operands->count != 1 && (operands->count || !facts))
        return lit_fail(error, LIT_EXIT_USAGE,
                        operands->count
                            ? "only one configuration at a time: unexpected '%.80s'"
                            : "missing configuration: 'litmus list --names' prints them",
                        operands->count ? operands->items[1] : "");
    if (operands->count && !facts &&
        strncmp(operands->items[0], BENCH_PREFIX, strlen(BENCH_PREFIX)) == 0)
        m->bench = operands->items[0];
    else if (operands->count && !cat_case_first(operands->items[0], &m->which, error))
        return false;
    m->asked = operands->count ? operands->items[0] : NULL;
    if (facts)
        return look_into_facts(m, error) && write_bundle(m, said, error);
    if (m->bench && (m->store_given || m->chosen->amber))
        return lit_fail(error, LIT_EXIT_USAGE, "%s is for tests, not for benchmarks",
                        m->store_given ? "a store" : "--amber");
    const bool live = m->chosen->simt.count > 0 || m->bench;
    if (live && m->store_given)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--simt is for what was not measured: it does not go with --db or "
                        "--session");
    if (!live && !look_into_store(m, error))
        return false;
    if (m->result)
        look_for_code(m);
    return (m->result || look_at_devices(m, error)) && write_bundle(m, said, error);
}

int repro_configuration(const struct repro_options *chosen, bool store_given,
                        const struct lit_list *operands, struct lit_error *error)
{
    struct making m = {.chosen = chosen, .store_given = store_given};
    OWNED(text_free) struct text said = {0};
    ses_devices_watch(&m.devices, ENG_IDLE_SECONDS, 0, 0);
    const int code = make(&m, operands, &said, error) ? term_print(&said) : term_fail(error);
    if (m.has_code)
        report_code_clear(&m.code);
    isa_study_clear(&m.here);
    if (m.has_model)
        report_model_clear(&m.model);
    repro_past_clear(&m.past);
    return ses_devices_end(&m.devices, code);
}
