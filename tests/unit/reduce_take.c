// SPDX-License-Identifier: Apache-2.0
// A generated program as a kernel: it has to have the workgroups and the input that it failed with.
// reduce_take SPIRV-AS FILE, of program 2348 of seed 0x2026
#define UNIT_MAIN
#include "reduce/reduce.h"

#include "base/text.h"
#include "catalogue/catalogue.h"
#include "kernel/litmus.h"
#include "engine/protocol.h"

#include "unit.h"

static const char *file;

static void take(struct dev_facts *facts, struct cat_package *package)
{
    struct lit_list patterns = {0};
    OWNED(text_free) struct text what = {0};
    struct cat_case which;
    bool loose = true;
    facts->features = UINT64_MAX;
    facts->subgroup = facts->subgroup_min = facts->subgroup_max = 32;
    facts->subgroup_control = true;
    facts->max_workgroup = 1024;
    facts->max_workgroups = 65535;
    facts->max_shared = 48 << 10;
    facts->max_storage_buffer = 1 << 30;
    lit_list_add(&patterns, lit_strdup(file));
    must(krn_files_take(&patterns, false, &error));
    must(cat_case_first(patterns.items[0], &which, &error));
    which.subgroup = facts->subgroup;
    must(red_package_take(&which, facts, &loose, package, &error));
    cat_case_name(&which, &what);
    assert_false(loose);
    assert_string_equal(what.data, "groups.fuzz-maximal-2026-2348/reconvergence=maximal"
                                   "@workgroup=64,subgroup=32");
}

// On a GPU it failed in subgroup 16: lane 0 got 0xe45d63db, the sum of its word and lane 1's, for
// 0x888fd27a.
TEST(a_gpu_has_the_subgroup_that_failed)
{
    struct dev_facts facts = {.cpu = false};
    OWNED(cat_package_clear) struct cat_package package = {0};
    take(&facts, &package);
    assert_int_equal(package.groups, 16);
    assert_int_equal(package.region_words[CAT_INPUT], 16 * 64);
    const uint32_t *words = package.region[CAT_INPUT] + 16 * 32;
    assert_int_equal(words[0], 0x888fd27a);
    assert_int_equal(words[0] + words[1], 0xe45d63db);
}

TEST(a_cpu_has_fewer)
{
    struct dev_facts facts = {.cpu = true};
    OWNED(cat_package_clear) struct cat_package package = {0};
    take(&facts, &package);
    assert_int_equal(package.groups, eng_draw_workgroups(&facts));
    assert_int_equal(package.groups, 4);
}

int main(int argc, char **argv)
{
    // The program finds spirv-as by PATH.
    OWNED(text_free) struct text path = {0};
    if (argc < 3)
        return 77;
    const char *old = getenv("PATH"), *end = strrchr(argv[1], '/');
    text_printf(&path, "%.*s:%s", end ? (int)(end - argv[1]) : 1, end ? argv[1] : ".",
                old ? old : "");
    setenv("PATH", path.data, 1);
    file = argv[2];
    return unit_run();
}
