// SPDX-License-Identifier: Apache-2.0
// What is taken out of a session's options, and what is not.
#include "store/store.h"

#include "unit.h"

#include <jansson.h>

TEST(test_settings)
{
    static const struct {
        const char *given, *listed;
        bool all;
    } cases[] = {
        {"", "", true},
        {"snooping", "snooping", true},
        {"model=snooping,seed=7,subgroup=4", "model=snooping,seed=7,subgroup=4", true},
        {"navi21,timing=late,caches=manual,turns=long,seed=7,steps=9",
         "navi21,timing=late,caches=manual,turns=long,seed=7,steps=9", true},
        {"snooping,trace=/tmp/x", "snooping", false},
        {"trace=/tmp/x,model=snooping", "model=snooping", false},
        {"snooping,trace=/tmp/x,seed=1", "snooping,seed=1", false},
        {"snooping,counts=/tmp/x", "snooping", false},
        {"snooping,trace", "snooping", false},
        {"snooping,trace=a,trace=b", "snooping", false},
        {"snooping,LD_PRELOAD=x.so,rate=0.5", "snooping,rate=0.5", false},
        {"snooping,seeds=1,see=1,=1,", "snooping", false},
        {"devices=2,threads=1,resident=4,schedule=random,depth=1,fault=wrong,rate=1,at=1,bounds="
         "lost",
         "devices=2,threads=1,resident=4,schedule=random,depth=1,fault=wrong,rate=1,at=1,bounds="
         "lost",
         true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(text_free) struct text listed = {0};
        assert_int_equal(store_recorded_simt(cases[i].given, &listed), cases[i].all);
        assert_string_equal(listed.data, cases[i].listed);
    }
}

TEST(test_members)
{
    json_auto_t *root = store_recorded("{\"runs\": 5, \"db\": \"/etc/passwd\", \"json\": \"out\","
                                       " \"env\": {\"LD_PRELOAD\": \"x\"}, \"patterns\": [\"a\"]}");
    assert_int_equal(json_object_size(root), 2);
    assert_int_equal(json_integer_value(json_object_get(root, "runs")), 5);
    assert_true(json_is_array(json_object_get(root, "patterns")));
    static const char *const none[] = {"", "[]", "{", "7", "\"runs\""};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(store_recorded(none[i]));
    assert_null(store_recorded(NULL));
    OWNED(lit_free) char *large = lit_alloc(5000001, 1);
    memset(large, ' ', 5000000);
    memcpy(large, "{}", 2);
    assert_null(store_recorded(large));
}
