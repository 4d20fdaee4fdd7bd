// SPDX-License-Identifier: Apache-2.0
// Finds the values of axes and parameters that tell some results from others.
#include "report/failures.h"

#include <stdlib.h>
#include <string.h>

// A value of a key: whether a described result has it, and whether another one has.
struct value {
    const char *text;
    bool in, out;
};

struct key {
    const char *name; // "" for the test
    struct value *values;
    size_t count;
    size_t *at; // for each result its value's index
    bool used;  // the description names it
};

struct grid {
    const struct result *const *all;
    const bool *some;
    size_t count;
    struct key *keys;
    size_t key_count;
};

static const char *value_of(const struct result *result, const char *key)
{
    return key[0] ? report_value(result, key) : result->test;
}

static size_t find_value(struct key *key, const char *text)
{
    size_t at = 0;
    while (at < key->count && strcmp(key->values[at].text, text) != 0)
        at++;
    if (at == key->count) {
        LIT_ADD(key->values, key->count) = (struct value){.text = text};
    }
    return at;
}

static void add_key(struct grid *grid, const char *name)
{
    for (size_t i = 0; i < grid->key_count; i++)
        if (strcmp(grid->keys[i].name, name) == 0)
            return;
    struct key *key = &LIT_ADD(grid->keys, grid->key_count);
    *key = (struct key){.name = name, .at = lit_alloc(grid->count, sizeof *key->at)};
    for (size_t i = 0; i < grid->count; i++) {
        key->at[i] = find_value(key, value_of(grid->all[i], name));
        struct value *value = &key->values[key->at[i]];
        value->in = value->in || grid->some[i];
        value->out = value->out || !grid->some[i];
    }
    for (size_t i = 0; i < key->count; i++)
        key->used = key->used || !key->values[i].in;
}

// How many of all results have the described values of all used keys.
static size_t inside(const struct grid *grid)
{
    size_t count = 0;
    for (size_t i = 0; i < grid->count; i++) {
        bool is = true;
        for (size_t k = 0; k < grid->key_count && is; k++)
            is = !grid->keys[k].used || grid->keys[k].values[grid->keys[k].at[i]].in;
        count += is;
    }
    return count;
}

// Drops keys, parameters first, that the rest can do without.
static size_t drop_keys(struct grid *grid)
{
    const size_t count = inside(grid);
    for (size_t k = grid->key_count; k-- > 0;) {
        const bool was = grid->keys[k].used;
        grid->keys[k].used = false;
        grid->keys[k].used = was && inside(grid) != count;
    }
    return count;
}

// The length of the prefix, up to a dash, that all values inside share, or all outside, and no
// other value has. 0 if there is none, or only one value.
static size_t common_length(const struct key *key, bool in)
{
    const char *first = NULL;
    size_t length = 0, count = 0;
    for (size_t i = 0; i < key->count; i++) {
        const char *text = key->values[i].text;
        if (key->values[i].in != in)
            continue;
        length = first ? length : strlen(text);
        first = first ? first : text;
        while (length > 0 && (first[length - 1] != '-' || strncmp(text, first, length) != 0))
            length--;
        count++;
    }
    for (size_t i = 0; i < key->count; i++)
        if (key->values[i].in != in && count && strncmp(key->values[i].text, first, length) == 0)
            return 0;
    return count > 1 ? length : 0;
}

static void put_key(const struct key *key, struct text *out)
{
    size_t in = 0, put = 0;
    for (size_t i = 0; i < key->count; i++)
        in += key->values[i].in;
    const size_t others = key->count - in;
    const bool negated = key->name[0] && in > 2 && others < in && !common_length(key, true);
    const size_t common = common_length(key, !negated);
    text_printf(out, "%s%s", key->name, negated ? "!=" : key->name[0] ? "=" : "");
    for (size_t i = 0; i < key->count && !(common && put); i++) {
        const char *text = key->values[i].text;
        if (key->values[i].in == negated)
            continue;
        text_puts(out, put++ ? "," : "");
        if (text[0])
            text_append(out, text, common ? common : strlen(text));
        else
            text_puts(out, "absent"); // from other tests
    }
    text_puts(out, common ? "*" : "");
}

size_t report_where(const struct result *const *all, const bool *some, size_t count,
                    struct text *out)
{
    struct grid grid = {.all = all, .some = some, .count = count};
    bool first = true;
    add_key(&grid, "");
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < all[i]->variant_count + all[i]->param_count; p++)
            add_key(&grid, all[i]->variant[p].key); // the parameters follow
    const size_t are = drop_keys(&grid);
    for (size_t k = 0; k < grid.key_count; k++) {
        if (grid.keys[k].used && out) {
            text_puts(out, first ? "" : " ");
            put_key(&grid.keys[k], out);
            first = false;
        }
        free(grid.keys[k].values);
        free(grid.keys[k].at);
    }
    free(grid.keys);
    return are;
}
