// SPDX-License-Identifier: Apache-2.0
// The name of a configuration, "shuffle.scan-loop/sync=none,form=ssa@workgroup=64,subgroup=32", and
// its parts: the one place that takes names apart and puts them together. It knows no catalogue;
// catalogue/catalogue.h finds the test and the values of a name.
#pragma once

#include "base/text.h"

// What a pair is to the harness. Stores keep the names of these.
enum cfg_role {
    CFG_VARIANT,   // an axis: it chooses the module
    CFG_PARAMETER, // of a run, known to the test's oracle alone
    CFG_WORKGROUP, // a parameter: invocations in a workgroup
    CFG_ELEMENTS,  // a parameter: words of a whole problem
    CFG_SUBGROUP,  // the subgroup size, which stands last and may be left out in patterns
    CFG_ROLES,
};

const char *cfg_role_name(enum cfg_role role); // "variant", "parameter", "workgroup", ...
enum cfg_role cfg_parameter(const char *key);  // the role of a parameter of that name

// 8 hexadecimal digits of the hash of a name, which stand for it wherever a pattern is given.
#define CFG_ID_SIZE 9
void cfg_id(const char *name, char id[CFG_ID_SIZE]);
bool cfg_is_id(const char *text);

struct cfg_pair {
    const char *key, *value;
    enum cfg_role role;
};

// May be copied and moved as it is: all that it points to is one allocation, which belongs to it.
struct cfg {
    char *name;                     // the whole
    const char *test, *family;      // "shuffle.scan-loop", "shuffle"
    const struct cfg_pair *variant; // the first axis first
    const struct cfg_pair *params;  // in the order of the name
    size_t variant_count, param_count;
};

// Takes a name apart, which may be any text: what is no pair is a key without a value.
struct cfg cfg_parse(const char *name);
void cfg_clear(struct cfg *cfg);

// Appends the name that these pairs make; axes come first.
void cfg_print(const char *test, const struct cfg_pair *pairs, size_t count, struct text *name);

// Appends a name as GoogleTest's protocol and deqp-runner's lists have it, where - begins what a
// filter excludes and a comma ends a name: "shuffle.scan_loop/sync=none/form=ssa@workgroup=64".
void cfg_runner_name(const char *name, struct text *out);
// The inverse, in place; the number of a device, "2/", goes. Other names stay as they are.
void cfg_runner_read(char *name);

// How much of a name, or of a pattern, is that of the test.
size_t cfg_test_length(const char *name);
bool cfg_same_test(const char *a, const char *b);
// How much of a name stands before the subgroup size; all of it if there is none.
size_t cfg_bare_length(const char *name);
// Whether a pattern says something of the subgroup size.
bool cfg_names_size(const char *pattern);
// Whether a pattern is of configurations, and not of tests alone.
bool cfg_is_precise(const char *pattern);
// Whether a pattern names a configuration: one of tests if it is the name or a glob of the test or
// of the family; else if it is the name or a glob of the name, with the subgroup size or without;
// or its id.
bool cfg_matches(const char *pattern, const char *name);
