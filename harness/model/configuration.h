// SPDX-License-Identifier: Apache-2.0
// The name of a configuration, "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32", and
// its parts. Only this code takes names apart and puts them together. It knows no catalogue;
// catalogue/catalogue.h finds a name's test and values.
#pragma once

#include "base/text.h"

// What a pair means to the harness. Stores keep the names of these.
enum cfg_role {
    CFG_VARIANT,   // an axis: chooses the module
    CFG_PARAMETER, // of a run, known only to the test's oracle
    CFG_WORKGROUP, // a parameter: invocations in a workgroup
    CFG_ELEMENTS,  // a parameter: words of a whole problem
    CFG_SUBGROUP,  // the subgroup size; comes last, optional in patterns
    CFG_ROLES,
};

const char *cfg_role_name(enum cfg_role role); // "variant", "parameter", "workgroup", ...
enum cfg_role cfg_parameter(const char *key);  // the role of a parameter of that name

// 8 hexadecimal digits of a name's hash; patterns may use it in place of the name.
#define CFG_ID_SIZE 9
void cfg_id(const char *name, char id[CFG_ID_SIZE]);
bool cfg_is_id(const char *text);

struct cfg_pair {
    const char *key, *value;
    enum cfg_role role;
};

// Members of struct cfg: the whole name; "shuffle.scan-loop", "shuffle"; the axes in their order;
// behind them the parameters, in the order of the name.
#define CFG_MEMBERS                                                                                \
    char *name;                                                                                    \
    const char *test, *family;                                                                     \
    const struct cfg_pair *variant, *params;                                                       \
    size_t variant_count, param_count;

// May be copied and moved: owns a single allocation that holds everything it points to.
struct cfg {
    CFG_MEMBERS
};

// Takes apart a name, which may be any text: a part that is not a pair becomes a key without a
// value.
struct cfg cfg_parse(const char *name);
void cfg_clear(struct cfg *cfg);

// Appends the name made of these pairs; axes come first.
void cfg_print(const char *test, const struct cfg_pair *pairs, size_t count, struct text *name);

// Appends a name for GoogleTest's protocol and deqp-runner's lists, in which - begins what a filter
// excludes and a comma ends a name: "shuffle.scan_loop/sync=none/form=ssa@workgroup=64".
void cfg_runner_name(const char *name, struct text *out);
// Converts it back in place, and drops the number of a device, "2/". Leaves other names unchanged.
void cfg_runner_read(char *name);

// The length of the test's part in a name or pattern.
size_t cfg_test_length(const char *name);
bool cfg_same_test(const char *a, const char *b);
// The length of a name before the subgroup size; the whole length if there is none.
size_t cfg_bare_length(const char *name);
// Whether a pattern restricts the subgroup size.
bool cfg_names_size(const char *pattern);
// Whether a pattern is for configurations, not only for tests.
bool cfg_is_precise(const char *pattern);
// Whether a pattern names a configuration. A pattern for tests matches if it is the name or a glob
// of the test or the family; another one if it is the name or a glob of the name, with or without
// the subgroup size, or its id.
bool cfg_matches(const char *pattern, const char *name);
