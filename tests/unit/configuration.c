// SPDX-License-Identifier: Apache-2.0
// Names of configurations: taken apart and put together again, whatever they are made of.
#include "unit.h"

#include "model/configuration.h"

#define NAME "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,elements=1,turns=2,subgroup=32"

TEST(names_come_apart)
{
    static const struct cfg_pair want[] = {
        {"sync", "none", CFG_VARIANT},      {"form", "ssa", CFG_VARIANT},
        {"workgroup", "64", CFG_WORKGROUP}, {"elements", "1", CFG_ELEMENTS},
        {"turns", "2", CFG_PARAMETER},      {"subgroup", "32", CFG_SUBGROUP},
    };
    struct cfg cfg = cfg_parse(NAME);
    assert_string_equal(cfg.name, NAME);
    assert_string_equal(cfg.test, "shuffle.scan-loop");
    assert_string_equal(cfg.family, "shuffle");
    assert_int_equal(cfg.variant_count, 2);
    assert_int_equal(cfg.param_count, 4);
    assert_ptr_equal(cfg.params, cfg.variant + 2);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(cfg.variant[i].key, want[i].key);
        assert_string_equal(cfg.variant[i].value, want[i].value);
        assert_int_equal(cfg.variant[i].role, want[i].role);
    }
    OWNED(text_free) struct text again = {0};
    cfg_print(cfg.test, cfg.variant, 6, &again);
    assert_string_equal(again.data, NAME);
    cfg_clear(&cfg);
    assert_null(cfg.name);
}

// The names of runners, and back.
TEST(runners)
{
    static const char *const table[][2] = {
        {NAME, "shuffle.scan_loop/sync=none/form=ssa@workgroup=64/elements=1/turns=2/subgroup=32"},
        {"a-b.c-d@w=1,subgroup=8", "a_b.c_d@w=1/subgroup=8"},
        {"a.b-c", "a.b_c"},
        {"a.b/s=t", "a.b/s=t"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWNED(text_free) struct text name = {0}, numbered = {0};
        cfg_runner_name(table[i][0], &name);
        assert_string_equal(name.data, table[i][1]);
        text_printf(&numbered, "12/%s", name.data);
        cfg_runner_read(name.data);
        assert_string_equal(name.data, table[i][0]);
        cfg_runner_read(name.data); // one that is a name already
        assert_string_equal(name.data, table[i][0]);
        cfg_runner_read(numbered.data);
        assert_string_equal(numbered.data, table[i][0]);
    }
}

// What is no name is taken apart too, and what it makes differs from it.
TEST(any_text_comes_apart)
{
    static const struct {
        const char *name, *test, *made;
        size_t axes, params;
    } table[] = {
        {"a.b", "a.b", "a.b", 0, 0},
        {"a.b@w=1", "a.b", "a.b@w=1", 0, 1},
        {"a.b/s=1", "a.b", "a.b/s=1", 1, 0},
        {"", "", "", 0, 0},
        {"/", "", "", 0, 0},
        {"@", "", "", 0, 0},
        {"a.b/@", "a.b", "a.b", 0, 0},
        {"a.b/s=1,,t=2", "a.b", "a.b/s=1,t=2", 2, 0},
        {"a.b/s", "a.b", "a.b/s=", 1, 0},
        {"a.b/s=1=2@w=/", "a.b", "a.b/s=1=2@w=/", 1, 1},
        {"a.b@w=1@x=2", "a.b", "a.b@w=1@x=2", 0, 1},
        {"a.b@w=1/s=2", "a.b", "a.b@w=1/s=2", 0, 1},
        {",,,=,@,", ",,,=,", ",,,=,", 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        OWNED(cfg_clear) struct cfg cfg = cfg_parse(table[i].name);
        OWNED(text_free) struct text made = {0};
        cfg_print(cfg.test, cfg.variant, cfg.variant_count + cfg.param_count, &made);
        assert_string_equal(cfg.name, table[i].name);
        assert_string_equal(cfg.test, table[i].test);
        assert_string_equal(made.data, table[i].made);
        assert_int_equal(cfg.variant_count, table[i].axes);
        assert_int_equal(cfg.param_count, table[i].params);
    }
}

TEST(roles_have_names)
{
    for (int role = CFG_WORKGROUP; role < CFG_ROLES; role++)
        assert_int_equal(cfg_parameter(cfg_role_name((enum cfg_role)role)), role);
    assert_int_equal(cfg_parameter("variant"), CFG_PARAMETER);
    assert_int_equal(cfg_parameter(""), CFG_PARAMETER);
}

TEST(lengths)
{
    static const struct {
        const char *name, *bare;
    } table[] = {
        {"a.b@w=1,subgroup=32", "a.b@w=1"},
        {"a.b@subgroup=32", "a.b"},
        {"a.b@w=1,xsubgroup=32", "a.b@w=1,xsubgroup=32"},
        {"a.b@subgroup=32,w=1", "a.b@subgroup=32,w=1"},
        {"a.b", "a.b"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(cfg_bare_length(table[i].name), strlen(table[i].bare));
    assert_int_equal(cfg_test_length("a.b/c=d"), 3);
    assert_true(cfg_same_test("a.b/c=d", "a.b@e=f"));
    assert_false(cfg_same_test("a.b/c=d", "a.bb"));
    assert_true(cfg_is_precise("*@w=1"));
    assert_false(cfg_is_precise("a.*"));
    assert_true(cfg_names_size("*,subgroup=*"));
}

// Printed in reports and typed later: an id stays what it is.
TEST(ids_stand_for_names)
{
    char id[CFG_ID_SIZE];
    cfg_id(NAME, id);
    assert_string_equal(id, "5d2d0b6d");
    assert_true(cfg_is_id(id) && cfg_is_precise(id));
    assert_true(cfg_matches(id, NAME));
    assert_false(cfg_matches(id, NAME "4"));
    assert_false(cfg_is_id("0123abc") || cfg_is_id("0123abcde") || cfg_is_id("0123ABCD"));
    assert_false(cfg_is_id("0123abcg") || cfg_is_id(""));
}
