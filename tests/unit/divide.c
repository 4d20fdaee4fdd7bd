// SPDX-License-Identifier: Apache-2.0
// Which dispatches may be cut: read from words of modules, and seen in the catalogue.
#include "unit.h"

#include "catalogue/catalogue.h"
#include "model/facts.h"

#define OP(length, code) ((uint32_t)(length) << 16 | (code))
#define HEADER           0x07230203, 0x00010300, 0, 10, 0
#define LOOP             OP(4, 246), 7, 8, 0
#define DEVICE           OP(4, 43), 1, 4, 1 // the constant 1, id 4
#define WORKGROUP        OP(4, 43), 1, 5, 2 // the constant 2, id 5
#define LOAD(scope)      OP(6, 227), 1, 9, 3, scope, 6
#define STORE(scope)     OP(5, 228), 3, scope, 6, 9

TEST(words)
{
    static const struct {
        uint32_t words[24];
        size_t count;
        bool divisible;
    } cases[] = {
        {{HEADER}, 5, true},
        {{HEADER, LOOP}, 9, true},
        {{HEADER, DEVICE, LOAD(4)}, 15, true}, // who does not loop does not wait
        {{HEADER, DEVICE, LOAD(4), LOOP}, 19, false},
        {{HEADER, DEVICE, LOOP, STORE(4)}, 18, false},
        {{HEADER, WORKGROUP, LOAD(5), LOOP}, 19, true},
        {{HEADER, WORKGROUP, LOOP, STORE(5)}, 18, true},
        {{HEADER, LOAD(4), LOOP}, 15, false},               // a scope that is no constant
        {{HEADER, LOOP, OP(5, 61), 1, 2, 3, 1}, 14, false}, // OpLoad Volatile
        {{HEADER, LOOP, OP(5, 61), 1, 2, 3, 32}, 14, true}, // OpLoad NonPrivatePointer
        {{HEADER, LOOP, OP(4, 62), 1, 2, 1}, 13, false},    // OpStore Volatile
        {{HEADER, OP(3, 71), 2, 23, LOOP}, 12, false},      // Coherent
        {{HEADER, OP(4, 72), 2, 0, 21, LOOP}, 13, false},   // a member that is Volatile
        {{HEADER, OP(3, 71), 2, 24, LOOP}, 12, true},       // NonWritable
        {{HEADER, OP(4, 71), 2, 11, 24}, 9, false},         // BuiltIn NumWorkgroups
        {{HEADER, OP(4, 71), 2, 11, 26}, 9, true},          // BuiltIn WorkgroupId
        {{0, 1, 2, 3, 4}, 5, false},                        // no module
        {{HEADER, OP(0, 1)}, 6, false},                     // broken
        {{HEADER, OP(9, 1), 1}, 7, false},
        {{HEADER}, 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cat_module_is_divisible(cases[i].words, cases[i].count) != cases[i].divisible)
            fail_msg("case %zu", i);
}

// What workgroups say to each other is a question of one dispatch; within a workgroup it is not.
// The Volatile loads of pressure=registers stand in loops, and shapes use NumWorkgroups.
TEST(the_catalogue)
{
    static const char *const never[] = {"lookback.", "progress.", "scan.vector-sum-grid",
                                        "cases.acceleratedkernels-98"};
    static const char *const always[] = {"memory.coherence",
                                         "memory.load-buffering",
                                         "memory.message-passing",
                                         "memory.store-buffering",
                                         "sync-matrix.",
                                         "reconvergence.",
                                         "shuffle.",
                                         "divergence."};
    size_t seen[2] = {0};
    for (size_t t = 0; t < cat_test_count(); t++) {
        const struct cat_test *test = cat_test_at(t);
        for (size_t m = 0; m < test->embedded->module_count; m++) {
            const struct cat_module *module = &test->embedded->modules[m];
            // What the build wrote down is what the words say.
            assert_true(module->divisible ==
                        cat_module_is_divisible(cat_module_words(test, module), module->count));
            for (size_t i = 0; i < sizeof never / sizeof *never; i++)
                if (strncmp(test->head.name, never[i], strlen(never[i])) == 0) {
                    if (module->divisible)
                        fail_msg("%s/%s would be cut", test->head.name, module->variant);
                    seen[0]++;
                }
            for (size_t i = 0; i < sizeof always / sizeof *always; i++)
                if (strncmp(test->head.name, always[i], strlen(always[i])) == 0 &&
                    !strstr(module->variant, "pressure=registers") &&
                    !strstr(test->head.name, ".shapes")) {
                    if (!module->divisible)
                        fail_msg("%s/%s would not be cut", test->head.name, module->variant);
                    seen[1]++;
                }
        }
    }
    assert_true(seen[0] > 50 && seen[1] > 500);
}
