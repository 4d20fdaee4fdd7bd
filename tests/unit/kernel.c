// SPDX-License-Identifier: Apache-2.0
// Kernels from outside: what is read of a module, packages as bytes, and how they become tests.
#include "unit.h"

#include "base/spirv.h"
#include "catalogue/catalogue.h"
#include "catalogue/prepare.h"

#include <math.h>

#define SOME                                                                                       \
    "shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,mode=inclusive,"      \
    "access=descriptor,pressure=none@workgroup=64"

// A module as anybody could bring it: one that is built in.
static const uint32_t *some_module(size_t *count)
{
    struct cat_case which;
    assert_true(cat_case_parse(SOME ",subgroup=8", &which, &error));
    const struct cat_module *module = cat_case_module(&which);
    *count = module->count;
    return cat_module_words(which.test, module);
}

TEST(test_inspects)
{
    size_t count;
    const uint32_t *words = some_module(&count);
    struct cat_inspected found;
    const struct cat_spec spec = {0, 96};
    assert_true(cat_inspect(words, count, NULL, &spec, 1, &found, &error));
    assert_string_equal(found.entry, "main");
    assert_int_equal(found.local[0], 96);
    assert_int_equal(found.local[1] * found.local[2], 1);
    assert_true(found.buffer_count >= 2 && found.buffer_count <= 3);
    for (size_t i = 0; i < found.buffer_count; i++) {
        assert_int_equal(found.buffers[i].set, 0);
        assert_int_equal(found.buffers[i].binding, i);
        assert_int_equal(found.buffers[i].each, 4);
        assert_false(found.buffers[i].uniform);
    }
    assert_int_equal(found.push_size, 32);
    assert_true(cat_inspect(words, count, "main", NULL, 0, &found, &error));
    must_fail_as("the module has no entry point 'other', but main",
                 cat_inspect(words, count, "other", NULL, 0, &found, &error));
    must_fail_as("the module has no specialization constant 77",
                 cat_inspect(words, count, NULL, &(struct cat_spec){77, 1}, 1, &found, &error));
}

// Types within types, each twice: without a bound they would be measured for ever.
TEST(test_types_end)
{
#define OP(length, code) ((uint32_t)(length) << 16 | (uint32_t)(code))
    enum { DEPTH = 30, FIRST = 20, BOUND = 64 };
    struct cat_inspected found;
    uint32_t words[1024] = {SpvMagicNumber, 0x00010300, 0, BOUND, 0};
    size_t at = SPIRV_HEADER;
#define PUT(...)                                                                                   \
    do {                                                                                           \
        const uint32_t some[] = {__VA_ARGS__};                                                     \
        memcpy(words + at, some, sizeof some);                                                     \
        at += sizeof some / sizeof *some;                                                          \
    } while (0)
    PUT(OP(5, SpvOpEntryPoint), SpvExecutionModelGLCompute, 1, 0x6e69616d, 0);
    PUT(OP(6, SpvOpExecutionMode), 1, SpvExecutionModeLocalSize, 8, 1, 1);
    PUT(OP(4, SpvOpDecorate), 3, SpvDecorationDescriptorSet, 0);
    PUT(OP(4, SpvOpDecorate), 3, SpvDecorationBinding, 0);
    for (uint32_t i = 0; i < DEPTH; i++) {
        PUT(OP(5, SpvOpMemberDecorate), FIRST + i, 0, SpvDecorationOffset, 0);
        PUT(OP(5, SpvOpMemberDecorate), FIRST + i, 1, SpvDecorationOffset, 4);
    }
    PUT(OP(4, SpvOpTypeInt), 2, 32, 0);
    PUT(OP(4, SpvOpTypeStruct), FIRST, 2, 2);
    for (uint32_t i = 1; i < DEPTH; i++)
        PUT(OP(4, SpvOpTypeStruct), FIRST + i, FIRST + i - 1, FIRST + i - 1);
    PUT(OP(4, SpvOpTypePointer), 4, SpvStorageClassStorageBuffer, FIRST + DEPTH - 1);
    PUT(OP(4, SpvOpVariable), 4, 3, SpvStorageClassStorageBuffer);
    must_fail_as("buffer 0.0 is of a type without a size",
                 cat_inspect(words, at, NULL, NULL, 0, &found, &error));
    // A shallow one has a size.
    words[at - 5] = FIRST + 1;
    assert_true(cat_inspect(words, at, NULL, NULL, 0, &found, &error));
    assert_int_equal(found.buffers[0].bytes, 12);
}

// --- Packages

static void fill_words(uint32_t **words, size_t *count, size_t size)
{
    *words = lit_alloc(size, 4);
    *count = size;
    for (size_t i = 0; i < size; i++)
        (*words)[i] = (uint32_t)(i * i);
}

static void make_package(const char *name, struct cat_package *package)
{
    size_t count;
    const uint32_t *words = some_module(&count);
    *package = (struct cat_package){
        .groups = 2, .workgroup = 64, .interface = {.entry = "main", .rows = 3, .layers = 1}};
    text_puts(&package->name, name);
    text_puts(&package->origin, "some file.spv");
    text_puts(&package->page, "what it says\n");
    package->words = lit_alloc(count, 4);
    package->word_count = count;
    memcpy(package->words, words, count * 4);
    fill_words(&package->region[CAT_INPUT], &package->region_words[CAT_INPUT], 128);
    fill_words(&package->region[CAT_OUTPUT], &package->region_words[CAT_OUTPUT], 100);
    fill_words(&package->region[CAT_STATE], &package->region_words[CAT_STATE], 65);
    fill_words(&package->expected, &package->expected_words, 100);
    LIT_ADD(package->specs, package->spec_count) = (struct cat_spec){5, 6};
    const struct cat_binding bindings[] = {
        {.set = 1, .binding = 7, .uniform = true, .region = CAT_INPUT, .first = 64, .words = 64},
        {.set = 0, .binding = 2, .region = CAT_OUTPUT, .first = 0, .words = 100}};
    memcpy(package->interface.bindings, bindings, sizeof bindings);
    package->interface.binding_count = 2;
    package->interface.part_count = 1;
    package->interface.parts = lit_alloc(1, sizeof *package->interface.parts);
    struct cat_part *part = package->interface.parts;
    *part = (struct cat_part){.interface = {.entry = "other", .binding_count = 1},
                              .words = lit_alloc(count, 4),
                              .word_count = count,
                              .workgroup = 32,
                              .spec_ids = {7},
                              .spec_values = {8},
                              .spec_count = 1};
    part->interface.bindings[0] = bindings[1];
    memcpy(part->words, words, count * 4);
    package->interface.steps[0] = (struct cat_step){.part = 1, .groups = {1, 2, 3}};
    package->interface.step_count = 1;
    fill_words(&package->interface.counts, &(size_t){0}, 100);
    package->interface.count_words = 100;
}

TEST(test_packages)
{
    struct cat_package package, again;
    OWNED(text_free) struct text bytes = {0}, twice = {0};
    make_package("some", &package);
    cat_package_write(&package, &bytes);
    assert_true(cat_package_read(bytes.data, bytes.length, &again, &error));
    cat_package_write(&again, &twice);
    assert_int_equal(bytes.length, twice.length);
    assert_memory_equal(bytes.data, twice.data, bytes.length);
    assert_string_equal(again.page.data, "what it says\n");
    assert_int_equal(again.specs[0].value, 6);
    assert_int_equal(again.interface.bindings[0].first, 64);
    assert_int_equal(again.interface.part_count, 1);
    assert_int_equal(again.interface.parts[0].spec_values[0], 8);
    assert_string_equal(again.interface.parts[0].interface.entry, "other");
    assert_int_equal(again.interface.steps[0].part, 1);
    assert_int_equal(again.interface.count_words, 100);
    cat_package_clear(&again);
    for (size_t i = 0; i < bytes.length; i++) {
        bytes.data[i] ^= 0x10;
        if (cat_package_read(bytes.data, bytes.length, &again, &error)) {
            // Bits of the frame's header that mean nothing.
            twice.length = 0;
            cat_package_write(&again, &twice);
            assert_memory_equal(twice.data + i + 1, bytes.data + i + 1, bytes.length - i - 1);
        }
        cat_package_clear(&again);
        bytes.data[i] ^= 0x10;
        assert_false(cat_package_read(bytes.data, i, &again, &error));
        cat_package_clear(&again);
    }
    cat_package_clear(&package);
}

static void check_refused(const struct cat_package *package, const char *what)
{
    OWNED(cat_package_clear) struct cat_package again;
    OWNED(text_free) struct text bytes = {0}, message = {0};
    text_printf(&message, "a kernel that makes no sense: %s", what);
    cat_package_write(package, &bytes);
    must_fail_as(message.data, cat_package_read(bytes.data, bytes.length, &again, &error));
}

// What the check says goes with a package, and does not make another one of it.
TEST(test_checked)
{
    struct cat_package package, again;
    OWNED(text_free) struct text plain = {0}, bytes = {0}, head = {0};
    make_package("some", &package);
    cat_package_write(&package, &plain);
    assert_int_equal(cat_package_identity(plain.data, plain.length), plain.length);
    assert_true(strstr(cat_package_check(&package), "not checked") != NULL);
    text_puts(&package.check, "it is wrong\nhere\n");
    package.unsound = true;
    cat_package_write(&package, &bytes);
    assert_int_equal(cat_package_identity(bytes.data, bytes.length), plain.length);
    assert_memory_equal(bytes.data, plain.data, plain.length);
    assert_true(cat_package_read(bytes.data, bytes.length, &again, &error));
    assert_true(again.unsound);
    assert_string_equal(cat_package_check(&again), "it is wrong\nhere\n");
    cat_package_head(&again, &head);
    assert_non_null(strstr(head.data, "\n; expect    contested : it is wrong\n"));
    cat_package_clear(&again);
    for (size_t i = plain.length + 1; i < bytes.length; i++) {
        assert_false(cat_package_read(bytes.data, i, &again, &error));
        cat_package_clear(&again);
    }
    package.check.data[3] = '\033';
    check_refused(&package, "what the check says");
    text_free(&package.check);
    text_puts(&package.check, "\nhere");
    check_refused(&package, "what the check says");
    cat_package_clear(&package);
}

// With another value in a field, which then has its own again.
#define check_refused_with(field, value, what)                                                     \
    do {                                                                                           \
        __typeof__(field) kept = field;                                                            \
        field = value;                                                                             \
        check_refused(&package, what);                                                             \
        field = kept;                                                                              \
    } while (0)

TEST(test_refuses)
{
    OWNED(cat_package_clear) struct cat_package package;
    make_package("some", &package);
    struct cat_binding *binding = package.interface.bindings;
    check_refused_with(binding->words, 65, "its buffers");
    check_refused_with(binding->first, UINT64_MAX - 63, "its buffers");
    check_refused_with(binding->set, CAT_MOST_SETS, "its buffers");
    const struct cat_tolerance wrong[] = {
        {.from = 3, .to = 65}, {.order = 65}, {.relative = NAN}, {.like = 38}, {.rmse = INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refused_with(binding->may, wrong[i], "its buffers");
    memset(binding->name, 'x', sizeof binding->name);
    check_refused(&package, "its buffers");
    memset(binding->name, 0, sizeof binding->name);
    struct cat_part *part = package.interface.parts;
    check_refused_with(part->interface.bindings[0].words, 101, "its buffers");
    check_refused_with(part->workgroup, 0, "its dispatch");
    part->words[0] = 0;
    check_refused(&package, "its modules");
    part->word_count = 0;
    check_refused_with(package.interface.steps[0].part, 2, "its dispatch");
    check_refused_with(package.interface.count_words, 99, "what is expected");
    check_refused_with(package.interface.steps[0].groups[2], 0, "its dispatch");
    check_refused_with(package.groups, 0, "its dispatch");
    check_refused_with(package.interface.push_size, 3, "its push constants");
    check_refused_with(package.expected_words, 99, "what is expected");
    // A line of its own in the head that is made from it.
    text_puts(&package.origin, "\n; oracle formula.subgroup");
    check_refused(&package, "where it came from");
    package.origin.length = 0;
    text_puts(&package.origin, "x");
    package.words[0] = 0;
    check_refused(&package, "its module");
    package.name.data[0] = 'S';
    check_refused(&package, "its name");
}

// --- What may differ

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Whether a word counts as what is wanted.
static bool settles(struct cat_tolerance may, uint32_t got, uint32_t want)
{
    const struct cat_interface interface = {
        .bindings = {{.region = CAT_OUTPUT, .words = 1, .may = may}}, .binding_count = 1};
    cat_settle(&interface, &got, &want);
    return got == want;
}

TEST(test_settles)
{
#define MAY(...) ((struct cat_tolerance){__VA_ARGS__})
    const uint32_t one = bits_of(1), nan = bits_of(NAN), least = 1;
    assert_false(settles(MAY(0), one + 1, one));
    assert_true(settles(MAY(.ulps = 2), one + 2, one));
    assert_true(settles(MAY(.ulps = 2), one - 2, one));
    assert_false(settles(MAY(.ulps = 2), one + 3, one));
    // Over zero: the two smallest numbers are two apart, and the zeros are one number.
    assert_true(settles(MAY(.ulps = 2), least | 0x80000000, least));
    assert_false(settles(MAY(.ulps = 1), least | 0x80000000, least));
    assert_true(settles(MAY(.ulps = 1), 0x80000000, 0));
    assert_true(settles(MAY(.ulps = 1), nan | 1, nan));
    assert_false(settles(MAY(.ulps = UINT32_MAX), nan, one));
    assert_false(settles(MAY(.ulps = UINT32_MAX), one, nan));
    assert_true(settles(MAY(.half_ulps = 1), 0x3c013bff, 0x3c003c00));
    assert_false(settles(MAY(.half_ulps = 1), 0x3c023c00, 0x3c003c00));
    assert_false(settles(MAY(.half_ulps = 1), 0x3c003c02, 0x3c003c00));
    assert_true(settles(MAY(.relative = 0.01f), bits_of(-99.5f), bits_of(-100)));
    assert_false(settles(MAY(.relative = 0.01f), bits_of(-98.5f), bits_of(-100)));
    assert_false(settles(MAY(.relative = 0.01f), bits_of(0.001f), 0));
    assert_true(settles(MAY(.relative = 0.01f, .absolute = 0.01f), bits_of(0.001f), 0));
    assert_false(settles(MAY(.absolute = 1), bits_of(INFINITY), bits_of(1)));
#undef MAY
    struct cat_interface interface = {
        .bindings = {{.region = CAT_OUTPUT, .words = 8, .first = 1, .may = {.order = 2}},
                     {.region = CAT_INPUT, .words = 9, .may = {.rmse = 1}}},
        .binding_count = 2};
    assert_false(cat_interface_is_exact(&interface));
    assert_true(cat_interface_is_exact(&cat_usual_interface));
    uint32_t got[] = {9, 3, 4, 1, 7, 3, 2, 1, 6}, want[] = {0, 3, 2, 1, 6, 1, 7, 3, 4};
    const uint32_t sorted[] = {0, 1, 6, 1, 7, 3, 2, 3, 4};
    cat_settle(&interface, want, want);
    assert_memory_equal(want, sorted, sizeof sorted);
    cat_settle(&interface, got, want);
    assert_int_equal(got[0], 9);
    assert_memory_equal(got + 1, want + 1, sizeof got - 4);
    // Those behind the words that count are neither sorted nor compared.
    interface.bindings[0].may = (struct cat_tolerance){.order = 1, .from = 1, .to = 3};
    uint32_t part[] = {0, 8, 2, 1, 5, 5, 5, 5, 5}, of[] = {0, 0, 1, 2, 4, 4, 4, 4, 4};
    cat_settle(&interface, part, of);
    assert_memory_equal(part, of, sizeof of);
}

// An infinity is near itself alone, and a NaN any other where all are floats of a width.
TEST(test_settles_infinities_and_nans)
{
    struct cat_interface interface = {
        .bindings = {{.region = CAT_OUTPUT, .words = 2, .may = {.relative = 0.5f}}},
        .binding_count = 1};
    struct cat_tolerance *may = &interface.bindings[0].may;
    const uint32_t infinite[] = {bits_of(INFINITY), bits_of(-INFINITY)};
    uint32_t finite[] = {bits_of(1), bits_of(INFINITY)};
    cat_settle(&interface, finite, infinite);
    assert_int_equal(finite[0], bits_of(1));
    assert_int_equal(finite[1], bits_of(INFINITY));
    may->relative = 0;
    static const struct {
        uint32_t bits, want[2], got[2];
        bool same;
    } rows[] = {
        {32, {0x7fc00000, 1}, {0xffc00001, 1}, true},
        {32, {0x7fc00000, 1}, {0x7f800000, 1}, false},
        {32, {0x3f800000, 1}, {0x7fc00000, 1}, false},
        {16, {0x7e003c00, 0}, {0xfe013c00, 0}, true},
        {16, {0x7e003c00, 0}, {0xfe013c01, 0}, false},
        {16, {0x7e007e00, 0}, {0x7e007c00, 0}, false},
        {64, {1, 0x7ff80000}, {0, 0xfff80000}, true},
        {64, {0, 0x7ff00000}, {1, 0x7ff00000}, false},
        {0, {0x7fc00000, 1}, {0x7fc00001, 1}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got[] = {rows[i].got[0], rows[i].got[1]};
        may->nan = rows[i].bits;
        assert_int_equal(cat_interface_is_exact(&interface), !rows[i].bits);
        cat_settle(&interface, got, rows[i].want);
        assert_int_equal(memcmp(got, rows[i].want, sizeof got) == 0, rows[i].same);
        cat_forget_nans(&interface, rows[i].want);
        const uint32_t *want = rows[i].want;
        assert_int_equal(may->nan,
                         want[0] == 0x3f800000 || want[1] == 0x7ff00000 ? 0 : rows[i].bits);
    }
}

// Over all words together, and bit by bit, also in what only a further pipeline is bound to.
TEST(test_settles_of_parts)
{
    struct cat_part part = {
        .interface = {.bindings = {{.region = CAT_OUTPUT, .words = 2, .may = {.rmse = 2}}},
                      .binding_count = 1}};
    struct cat_interface interface = {.parts = &part, .part_count = 1};
    const uint32_t want[] = {bits_of(1), bits_of(5), 7};
    uint32_t near[] = {bits_of(1), bits_of(7.5f), 7}, far[] = {bits_of(1), bits_of(8), 7};
    uint32_t nan[] = {bits_of(1), bits_of(NAN), 7}, some[] = {bits_of(1), bits_of(5), 0x107};
    uint32_t counts[] = {UINT32_MAX, UINT32_MAX, 0xff};
    assert_false(cat_interface_is_exact(&interface));
    assert_ptr_equal(cat_binding_at(&interface, 0), &part.interface.bindings[0]);
    assert_null(cat_binding_at(&interface, 1));
    cat_settle(&interface, near, want);
    assert_memory_equal(near, want, sizeof want);
    cat_settle(&interface, far, want);
    assert_int_equal(far[1], bits_of(8));
    cat_settle(&interface, nan, want);
    assert_int_not_equal(nan[1], want[1]);
    part.interface.bindings[0].may.rmse = 0;
    assert_true(cat_interface_is_exact(&interface));
    interface.counts = counts;
    interface.count_words = 3;
    assert_false(cat_interface_is_exact(&interface));
    cat_settle(&interface, some, want);
    assert_memory_equal(some, want, sizeof want);
    // What is to be like another buffer: nothing is expected but that it is.
    struct cat_binding *binding = part.interface.bindings;
    const uint32_t none[] = {0, 0, 7};
    uint32_t same[] = {3, 7, 7}, other[] = {7, 6, 7};
    binding[1] = *binding;
    binding[0].words = binding[1].words = 1;
    binding[0].first = binding[1].first = 1;
    binding[0].may.like = binding[1].may.like = 3;
    part.interface.binding_count = 2;
    assert_true(cat_binding_is_first(&interface, 0) && !cat_binding_is_first(&interface, 1));
    assert_false(cat_interface_is_exact(&interface));
    cat_settle(&interface, same, none);
    assert_int_equal(same[1], 0);
    cat_settle(&interface, other, none);
    assert_int_equal(other[1], 6 ^ 7);
    part.interface.binding_count = 0;
    some[2] = 0x106;
    cat_settle(&interface, some, want);
    assert_int_equal(some[2], 6);
}

// --- Tests

TEST(test_adds)
{
    OWNED(cat_package_clear) struct cat_package package;
    const struct cat_test *test = NULL, *again = NULL;
    struct cat_case which;
    OWNED(eng_prepared_clear) struct eng_prepared ready;
    OWNED(text_free) struct text bytes = {0}, other = {0};
    const size_t count = cat_test_count();
    const struct cat_test *built_in = cat_test_find("shuffle.scan-loop");
    make_package("added", &package);
    cat_package_write(&package, &bytes);
    assert_null(cat_added_at(0, NULL));
    assert_true(cat_test_add(bytes.data, bytes.length, &test, &error));
    assert_true(cat_test_add(bytes.data, bytes.length, &again, &error));
    assert_ptr_equal(test, again);
    assert_int_equal(cat_test_count(), count + 1);
    const char *name = NULL;
    assert_non_null(cat_added_at(0, &name));
    assert_string_equal(name, "kernel.added");
    assert_null(cat_added_at(1, &name));
    assert_ptr_equal(cat_test_find("shuffle.scan-loop"), built_in);
    for (size_t i = 1; i < cat_test_count(); i++)
        assert_true(strcmp(cat_test_at(i - 1)->head.name, cat_test_at(i)->head.name) < 0);
    package.groups++;
    cat_package_write(&package, &other);
    must_fail_as("there is another kernel.added already",
                 cat_test_add(other.data, other.length, NULL, &error));
    assert_true(cat_case_parse("kernel.added@workgroup=64,subgroup=8", &which, &error));
    assert_ptr_equal(which.test, test);
    assert_string_equal(cat_test_source(test), "what it says\n");
    assert_string_equal(cat_module_page(test, cat_case_module(&which)), "what it says\n");
    assert_memory_equal(cat_module_words(test, cat_case_module(&which)), package.words,
                        package.word_count * 4);

    const struct dev_facts facts = {.subgroup = 8,
                                    .subgroup_min = 8,
                                    .subgroup_max = 8,
                                    .max_workgroup = 1024,
                                    .max_workgroups = 65535,
                                    .max_storage_buffer = 1 << 20,
                                    .features = UINT64_MAX};
    const struct eng_prepare how = {.which = &which, .facts = &facts, .most_words = 1 << 20};
    assert_true(eng_prepare(&how, &ready, &error));
    eng_prepare_data(&ready, 1);
    assert_int_equal(ready.code.subgroup, 0); // the device runs it so anyhow
    assert_int_equal(ready.code.spec_count, 1);
    assert_int_equal(ready.spec_ids[0], 5);
    assert_int_equal(ready.shape.workgroups, 2);
    assert_memory_equal(ready.fresh, package.region[CAT_OUTPUT], 400);
    assert_memory_equal(ready.fresh + 100, package.region[CAT_STATE], 65 * 4);
    assert_memory_equal(ready.expected, package.expected, 400);
    const struct cat_failure failure = {.instance = 99};
    char where[100];
    cat_oracle_where(ready.oracle, &ready.args, &ready.shape, &failure, where, sizeof where);
    assert_string_equal(where, "buffer 0.2, word 99");
}
