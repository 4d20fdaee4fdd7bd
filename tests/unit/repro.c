// SPDX-License-Identifier: Apache-2.0
// A bundle's files, as far as they can be judged without running them.
#include "unit.h"

#include "base/folder.h"
#include "repro/repro.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOKBACK                                                                                   \
    "lookback.scan/encoding=flag-payload,memory-model=vulkan,walk=lane,reconvergence=default"      \
    ",pressure=none@workgroup=128,elements=1000,subgroup=8"
#define MASKS                                                                                      \
    "reconvergence.switch-shared-target/reconvergence=default,entry=workgroup@workgroup=64"
#define TAGS                                                                                       \
    "loop.tail/tail=buffer,sync=none,reconvergence=default,pressure=none@workgroup=128,"           \
    "elected=last,workers=1,iterations=16"
#define CHOICES                                                                                    \
    "memory.message-passing/sides=device,scope=exact,order=release-acquire,data=atomic,"           \
    "place=buffer,memory-model=vulkan@workgroup=256,times=1,stride=1,step=4099"

#define MANY_MASKS                                                                                 \
    "reconvergence.switch-exit/reconvergence=default,target=loop,branch=block,entry=workgroup"     \
    "@workgroup=256"

static struct dev_facts facts = {.name = "device",
                                 .driver_name = "driver",
                                 .driver_version = "1.0",
                                 .subgroup = 8,
                                 .subgroup_min = 4,
                                 .subgroup_max = 32,
                                 .subgroup_control = true,
                                 .cpu = true,
                                 .max_workgroup = 1024,
                                 .max_workgroups = 65535,
                                 .max_subgroups = 64,
                                 .max_shared = 32768,
                                 .max_storage_buffer = UINT64_C(1) << 32,
                                 .features = ~UINT64_C(0)};

struct made {
    struct cat_case which;
    struct eng_prepared ready;
    struct repro repro;
    struct text name;
    struct repro_bundle bundle;
};

static struct made *make(const char *name)
{
    struct made *made = lit_alloc(1, sizeof *made);
    assert_true(cat_case_parse(name, &made->which, &error));
    const struct eng_prepare how = {
        .which = &made->which, .facts = &facts, .most_words = UINT64_MAX / 8};
    assert_true(eng_prepare(&how, &made->ready, &error));
    eng_prepare_data(&made->ready, 7);
    made->repro = (struct repro){.ready = &made->ready,
                                 .facts = &facts,
                                 .system = "system",
                                 .seed = 7,
                                 .runs = 30,
                                 .amber = true};
    repro_of_test(&made->repro, &made->name);
    made->repro.archive = "a";
    repro_make(&made->repro, &made->bundle);
    return made;
}

static void drop(struct made *made)
{
    repro_clear(&made->bundle);
    eng_prepared_clear(&made->ready);
    text_free(&made->name);
    free(made);
}

static const struct text *file(const struct made *made, const char *name)
{
    for (size_t i = 0; i < made->bundle.count; i++)
        if (!strcmp(made->bundle.files[i].name, name))
            return &made->bundle.files[i].content;
    return NULL;
}

static size_t count(const struct text *text, const char *what)
{
    size_t found = 0;
    for (const char *at = text->data; (at = strstr(at, what)); at++)
        found++;
    return found;
}

TEST(one_comparison_or_none)
{
    static const struct {
        enum cat_check check;
        uint32_t fails, expected[4];
        enum repro_compare how;
        uint32_t word;
    } table[] = {
        {CAT_CHECK_EQUAL, 0, {5}, REPRO_EQUAL, 5},
        {CAT_CHECK_EQUAL, 0, {CAT_POISON}, REPRO_EQUAL, CAT_POISON},
        {CAT_CHECK_TAG, 0, {0x5A000203}, REPRO_EQUAL, 0x5A000203},
        {CAT_CHECK_MASK, 0, {6, 6, ~0u, 0}, REPRO_EQUAL, 6},    // between impossible bounds
        {CAT_CHECK_MASK, 0, {6, 6, 6, 6}, REPRO_EQUAL, 6},      // between equal ones
        {CAT_CHECK_MASK, 0, {6, 6, 7, 7}, REPRO_OPEN, 0},       // 7 too
        {CAT_CHECK_MASK, 0, {6, 6, 2, 6}, REPRO_OPEN, 0},       // 2 too
        {CAT_CHECK_MASK, 0, {6, 4, ~0u, 0}, REPRO_OPEN, 0},     // 4 too
        {CAT_CHECK_CHOICE, 0x1e, {1, 2, 3, 4}, REPRO_EQUAL, 1}, // all others fail
        {CAT_CHECK_CHOICE, 0x10, {1, 1, 1, 1}, REPRO_EQUAL, 1},
        {CAT_CHECK_CHOICE, 0x18, {1, 2, 3, 4}, REPRO_DIFFERENT, 4}, // three are right
        {CAT_CHECK_CHOICE, 0x08, {1, 2, 3, 4}, REPRO_DIFFERENT, 4},
        {CAT_CHECK_CHOICE, 0x02, {1, 2, 1, 1}, REPRO_DIFFERENT, 2},
        {CAT_CHECK_CHOICE, 0x06, {1, 2, 3, 4}, REPRO_DIFFERENT, 3}, // two are wrong
        {CAT_CHECK_CHOICE, 0x10, {1, 2, 3, 4}, REPRO_OPEN, 0},
        {CAT_CHECK_CHOICE, 0x02, {1, 1, 3, 4}, REPRO_OPEN, 0}, // what is right comes first
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct cat_mode mode = {table[i].check, {.fails = table[i].fails}};
        uint32_t word = 0;
        assert_int_equal(repro_compare(&mode, table[i].expected, &word), table[i].how);
        if (table[i].how != REPRO_OPEN)
            assert_int_equal(word, table[i].word);
    }
}

// What a comparison says is what the checker says, for all small words.
TEST(comparisons_agree_with_the_checker)
{
    for (uint32_t all = 0; all < 8 * 8 * 8 * 8 * 2; all++) {
        const struct cat_mode mode = {all & 1 ? CAT_CHECK_MASK : CAT_CHECK_CHOICE,
                                      {.fails = (all >> 4 & 0x1e)}};
        const uint32_t expected[4] = {all >> 1 & 7, all >> 4 & 7, all >> 7 & 7, all >> 10 & 7};
        uint32_t word = 0;
        const enum repro_compare how = repro_compare(&mode, expected, &word);
        for (uint32_t got = 0; got < 10 && how != REPRO_OPEN; got++) {
            const bool fails = cat_mode_fails(&mode, cat_classify(mode.check, got, expected));
            if (how == REPRO_EQUAL)
                assert_int_equal(fails, got != word);
            else if (got == word)
                assert_true(fails);
        }
    }
}

TEST(every_mode_has_its_program)
{
    static const struct {
        const char *name, *has;
    } modes[] = {{LOOKBACK, "    {CAT_CHECK_EQUAL, {{"},
                 {TAGS, "    {CAT_CHECK_TAG, {{"},
                 {MASKS, "    {CAT_CHECK_MASK, {{"},
                 {CHOICES, "    {CAT_CHECK_CHOICE, {{"}};
    for (size_t i = 0; i < 4; i++) {
        struct made *made = make(modes[i].name);
        const struct text *program = file(made, "repro.c");
        assert_non_null(program);
        // It has no more of the tree to include.
        assert_int_equal(count(program, "#include \""), 0);
        assert_int_equal(count(program, "configuration>"), 0);
        for (size_t j = 0; j < 4; j++)
            assert_int_equal(count(program, modes[j].has), i == j);
        OWNED(text_free) struct text name = {0};
        cat_case_name(&made->ready.which, &name);
        assert_int_equal(count(program, name.data), 1);
        assert_int_equal(count(file(made, "README.md"), name.data), 1);
        drop(made);
    }
}

TEST(data_are_as_large_as_it_says)
{
    struct made *made = make(MASKS);
    const struct cat_shape *shape = &made->ready.shape;
    assert_int_equal(file(made, "expected.bin")->length,
                     shape->instances * shape->words_per_instance * 4 * 4);
    assert_int_equal(file(made, "test.spv")->length, made->ready.module->count * 4);
    assert_int_equal(file(made, "input.bin") ? file(made, "input.bin")->length : 0,
                     shape->input_words * 4);
    assert_int_equal(count(file(made, "test.spvasm"), "OpFunctionEnd") > 0, true);
    drop(made);
    // All instances have the same choices: the file has those of one.
    made = make(CHOICES);
    const uint32_t words[] = {3, 0, 2, 1};
    assert_int_equal(file(made, "expected.bin")->length, sizeof words);
    assert_memory_equal(file(made, "expected.bin")->data, words, sizeof words);
    assert_int_equal(count(file(made, "repro.c"), "#define EXPECTED_WORDS     UINT64_C(4)"), 1);
    drop(made);
}

// A script has one pipeline and one dispatch for each run. Amber takes decimal numbers for FILL.
TEST(amber_has_ten_runs)
{
    struct made *made = make(LOOKBACK);
    const struct text *script = file(made, "test.amber");
    assert_int_equal(count(script, "\nRUN run_"), 10);
    assert_int_equal(count(script, "EQ_BUFFER expected"), 10);
    assert_int_equal(count(script, " FILL 3235831469\n"), 10);
    assert_int_equal(count(script, " FILL 0x"), 0);
    drop(made);
}

static bool would_fail(const struct made *made, uint64_t index, uint32_t got)
{
    const struct cat_mode *mode = &made->ready.mode;
    const uint32_t stride = repro_stride(&made->repro);
    return cat_mode_fails(mode,
                          cat_classify(mode->check, got, &made->ready.expected[index * stride]));
}

// Checks that no comparison of the script demands what the oracle fails, or excludes what it takes.
// How many words are compared, and how many of the failures the script would find again.
static void judge(const struct made *made, const char *script, size_t *words, size_t *found)
{
    const struct result *result = made->repro.result;
    const uint64_t all = repro_output_words(&made->repro);
    *words = *found = 0;
    for (const char *at = script; (at = strstr(at, "\nEXPECT output_1 IDX "));) {
        at = strstr(at, " IDX ") + 5;
        char *end;
        uint64_t index = strtoul(at, &end, 10) / 4;
        const bool equal = !strncmp(end, " EQ ", 4);
        assert_true(equal || !strncmp(end, " NE ", 4));
        for (end += 3; *end == ' '; index++, ++*words) {
            const uint32_t value = (uint32_t)strtoul(end, &end, 16);
            assert_true(index < all);
            assert_int_equal(would_fail(made, index, value), !equal);
            for (size_t i = 0; i < result->failure_count; i++) {
                const struct cat_failure *failure = &result->failures[i].at;
                *found +=
                    failure->instance * made->ready.shape.words_per_instance + failure->word ==
                        index &&
                    (failure->got == value) != equal;
            }
        }
        assert_int_equal(*end, '\n');
        at = end;
    }
}

// The last word of each kind was wrong in the first run: the script finds it again, however large
// the output is, and stays small.
TEST(amber_finds_what_was_wrong)
{
    const char *const names[] = {MASKS, CHOICES, MANY_MASKS};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct made *made = make(names[n]);
        const uint64_t all = repro_output_words(&made->repro);
        const uint64_t part = made->ready.shape.words_per_instance;
        struct eng_failure failures[4] = {0};
        struct result result = {.seed = 7, .failures = failures};
        for (int how = REPRO_EQUAL; how <= REPRO_OPEN; how++) {
            for (uint64_t i = all; i-- > 0;) {
                uint32_t word;
                if ((int)repro_compare(&made->ready.mode,
                                       &made->ready.expected[i * repro_stride(&made->repro)],
                                       &word) != how ||
                    !would_fail(made, i, CAT_POISON))
                    continue;
                failures[result.failure_count++].at =
                    (struct cat_failure){.instance = i / part, .word = i % part, .got = CAT_POISON};
                break;
            }
        }
        failures[result.failure_count++].at.instance = UINT64_MAX / 2; // of a damaged store
        made->repro.result = &result;
        OWNED(text_free) struct text script = {0};
        size_t words, found;
        repro_amber(&made->repro, &script);
        judge(made, script.data, &words, &found);
        assert_true(found >= result.failure_count - 1);
        assert_true(words <= 65536 + found && words >= (all < 65536 ? all / 8 : 65536));
        made->repro.result = NULL;
        drop(made);
    }
}

// What a driver calls itself stays text.
TEST(hostile_names_are_text)
{
    const struct dev_facts kept = facts;
    text_sanitise(facts.name, sizeof facts.name, "*/ \" | <script>`$(reboot)`\x1b[2J\n# Title");
    snprintf(facts.driver_info, sizeof facts.driver_info, "%s", facts.name);
    struct made *made = make(TAGS);
    const struct text *ticket = file(made, "ticket.md");
    assert_int_equal(count(ticket, "reboot"), 2); // device and driver
    assert_int_equal(count(ticket, "<script>"), 0);
    assert_int_equal(count(ticket, "`$("), 0);
    assert_int_equal(count(ticket, "\n# Title"), 0);
    // There driverInfo is a string of C, in which nothing ends it or is more than text.
    assert_int_equal(count(file(made, "repro.c"), "reboot"), 1);
    assert_int_equal(count(file(made, "repro.c"), "*/"), 0);
    assert_int_equal(count(file(made, "repro.c"),
                           "\"\\052/ \\042 \\174 \\074script\\076\\140\\044(reboot)\\140"),
                     1);
    assert_int_equal(count(file(made, "Makefile"), "reboot"), 0);
    assert_int_equal(count(file(made, "test.amber"), "reboot"), 0);
    json_auto_t *json = json_loads(file(made, "facts.json")->data, 0, NULL);
    assert_non_null(json);
    const char *name = json_string_value(json_object_get(json_object_get(json, "device"), "name"));
    assert_string_equal(name, facts.name);
    assert_true(json_is_null(json_object_get(json, "measured")));
    drop(made);
    facts = kept;
}

static size_t count_of(const struct text *text, char c)
{
    size_t found = 0;
    for (size_t i = 0; i < text->length; i++)
        found += text->data[i] == c;
    return found;
}

// A ticket is for readers who know nothing of this program, and short whatever it has to say.
TEST(tickets_are_for_others)
{
    static const char *const names[] = {LOOKBACK, TAGS, MASKS, CHOICES, MANY_MASKS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct made *made = make(names[i]);
        const struct text *ticket = file(made, "ticket.md");
        assert_int_equal(count(ticket, "\n    tar xf a.tar.xz && cd a && sh run\n"), 1);
        assert_int_equal(count(ticket, "not measured\n"), 1); // in the title
        assert_in_range(count_of(ticket, '\n'), 30, 60);
        assert_int_equal(count(ticket, made->ready.which.test->head.name), 0);
        assert_int_equal(count(ticket, "litmus"), 0);
        assert_int_equal(count(ticket, "]("), 0);
        drop(made);
    }
}

// What a person said of a finding stands in place of what is made.
TEST(tickets_say_what_was_said)
{
    struct made *made = make(TAGS);
    made->repro.said = "title SHFL\n  runs apart\nexpected 1\nactual 2\ninstructions 2-3 900\n"
                       "code 0000 0010!\ncause A\n  hypothesis.\nspec \"Thus: a "
                       "tangle.\"\nworkaround A barrier.\n";
    made->repro.page_of_finding = "# Title\n\nThe\ndefect.\n\n- more\n";
    struct repro_bundle kept = {.files = {{.name = "code.sass"}}, .count = 1};
    text_puts(&kept.files[0].content,
              "  /*0000*/   NOP ;\n  /*0010*/   @P0 SHFL R1 ;\n  /*0020*/   EXIT ;\n");
    made->repro.kept = &kept;
    repro_clear(&made->bundle);
    repro_make(&made->repro, &made->bundle);
    const struct text *ticket = file(made, "ticket.md");
    assert_int_equal(count(ticket, "# SHFL runs apart\n\nThe defect.\n\n- GPU"), 1);
    static const char *const has[] = {
        "\n**Expected:** 1\n**Actual:** 2\n",
        "(2 of the ",
        "\n      0000  NOP\n    > 0010  @P0 SHFL R1\n\n",
        "**Cause, as far as seen:** A hypothesis.\n",
        "\n**Specification:** \"Thus: a tangle.\"\nThe module declares SPIR-V 1.3",
        "\n**Workarounds measured:** A barrier.\n"};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        assert_int_equal(count(ticket, has[i]), 1);
    assert_int_equal(count(ticket, "EXIT"), 0);
    text_free(&kept.files[0].content);
    drop(made);
}

// Makes a bundle anew with the code of the configuration.
static void make_again(struct made *made, const struct isa_entry *code)
{
    repro_clear(&made->bundle);
    made->repro.code = code;
    repro_make(&made->repro, &made->bundle);
}

TEST(machine_code_is_for_a_disassembler)
{
    static const char bytes[] = "sixteen\0bytes!!";
    struct made *made = make(TAGS);
    OWNED(isa_study_clear) struct isa_study study = {0};
    struct isa_code code = {0};
    struct isa_piece *piece = isa_add_piece(&code, ISA_MACHINE, "SASS", "", bytes, 16);
    piece->architecture = 90;
    isa_add_piece(&code, ISA_CACHE, "pipeline cache", "", "blob", 4);
    isa_add_statistic(&code, "Register Count", "of *each* invocation", "16");
    isa_study_add(&study, "x", &code, NULL, NULL);
    make_again(made, &study.entries[0]);
    const struct text *bin = file(made, "code.bin"), *readme = file(made, "README.md");
    assert_non_null(bin);
    assert_int_equal(bin->length, 16);
    assert_memory_equal(bin->data, bytes, 16);
    assert_string_equal(file(made, "code-statistics.txt")->data,
                        "Register Count: 16 (of *each* invocation)\n");
    assert_int_equal(count(readme, "\n    nvdisasm -b SM90 code.bin\n"), 1);
    assert_int_equal(count(readme, "It takes 16 registers, 16 bytes of SASS"), 1);
    assert_int_equal(count(readme, "| code.bin | 16 |"), 1);
    assert_null(file(made, "code-difference.txt"));
    drop(made);
}

TEST(other_code_is_as_it_came)
{
    struct made *made = make(TAGS);
    OWNED(isa_study_clear) struct isa_study study = {0};
    struct isa_code code = {0}, twin = {0};
    struct result result = {.name = "", .test = "", .stress = "", .rule = "", .failed_runs = 3};
    struct result other = {.name = "b/x=<2>", .judged = 1000};
    isa_add_piece(&code, ISA_TEXT, "Assembly", "", "s_mov\ns_endpgm\n", 15);
    isa_add_piece(&code, ISA_BINARY, "a `blob`", "", "\1\2\3", 3);
    isa_add_piece(&twin, ISA_TEXT, "Assembly", "", "s_mov\ns_barrier\ns_endpgm\n", 25);
    isa_study_add(&study, "a", &code, NULL, NULL);
    isa_study_add(&study, "b", &twin, NULL, NULL);
    made->repro.twin = &study.entries[1];
    made->repro.twin_result = &other;
    struct eng_device device = {0};
    const struct report_model model = {.devices = &device, .device_count = 1};
    made->repro.model = &model;
    made->repro.result = &result;
    make_again(made, &study.entries[0]);
    const struct text *readme = file(made, "README.md");
    assert_int_equal(count(file(made, "code.txt"), "  s_mov\n  s_endpgm\n"), 1);
    assert_int_equal(file(made, "code.bin")->length, 3);
    assert_int_equal(count(file(made, "code-difference.txt"), "\n-s_barrier\n"), 1);
    assert_int_equal(count(readme, "is a pipeline binary of the driver (a &#96;blob&#96;)"), 1);
    assert_int_equal(count(readme, "nearest passing variant is b/x=&#60;2&#62; (0 of 1,000 runs)."),
                     1);
    assert_int_equal(count(readme, "nvdisasm"), 0);
    made->repro.result = NULL;
    drop(made);
}

TEST(no_code_is_said)
{
    struct made *made = make(TAGS);
    OWNED(isa_study_clear) struct isa_study study = {0};
    struct isa_code code = {0};
    char header[32] = {32}; // a cache with nothing in it
    isa_add_piece(&code, ISA_CACHE, "pipeline cache", "", header, sizeof header);
    made->repro.no_code = "crash: *boom*";
    make_again(made, NULL);
    assert_int_equal(count(file(made, "README.md"), "There is no code: crash: &#42;boom&#42;.\n"),
                     1);
    isa_study_add(&study, "x", &code, NULL, NULL);
    make_again(made, &study.entries[0]);
    assert_int_equal(
        count(file(made, "README.md"), "There is no code: the driver provides no code"), 1);
    assert_null(file(made, "code.txt"));
    assert_null(file(made, "code.bin"));
    drop(made);
}

TEST(whole_or_not_at_all)
{
    char folder[] = "/tmp/litmus-repro-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/bundle/", folder);
    struct made *made = make(TAGS);
    assert_true(lit_folder_check(path, NULL, &error));
    assert_true(repro_write(&made->repro, &made->bundle, path, &error));
    assert_false(lit_folder_check(path, NULL, &error));
    assert_false(repro_write(&made->repro, &made->bundle, path, &error));
    for (size_t i = 0; i < made->bundle.count; i++) {
        struct stat found;
        char name[128];
        snprintf(name, sizeof name, "%s%s", path, made->bundle.files[i].name);
        assert_int_equal(stat(name, &found), 0);
        assert_int_equal(found.st_size, made->bundle.files[i].content.length);
        unlink(name);
    }
    // Nothing is left of the second try.
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
    // A file where a folder above would be.
    assert_false(repro_write(&made->repro, &made->bundle, "/dev/null/bundle", &error));
    drop(made);
}

TEST(too_large_is_refused)
{
    static const struct {
        const char *elements, *says;
    } table[] = {{"1048576", NULL}, {"268435456", "smaller"}, {"largest", "largest"}};
    const struct dev_facts kept = facts;
    facts.cpu = false;
    facts.subgroup = 32;
    facts.max_workgroups = 1u << 22;
    facts.max_storage_buffer = UINT64_C(1) << 40;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct cat_case which;
        struct eng_prepared ready;
        OWNED(text_free) struct text name = {0};
        text_printf(&name,
                    "lookback.scan/encoding=word64,memory-model=glsl,walk=lane,"
                    "reconvergence=default,pressure=none@workgroup=1024,elements=%s",
                    table[i].elements);
        assert_true(cat_case_parse(name.data, &which, &error));
        const struct eng_prepare how = {
            .which = &which, .facts = &facts, .most_words = UINT64_C(1) << 33};
        assert_true(eng_prepare(&how, &ready, &error));
        if (table[i].says)
            must_fail(table[i].says, repro_fits(&ready, &error));
        else
            must(repro_fits(&ready, &error));
    }
    facts = kept;
}
