// SPDX-License-Identifier: Apache-2.0
// Pairs devices and configurations.
#include "compare/compare.h"

#include "model/emulated.h"
#include "report/format.h"

// Devices

static bool is_chosen(const struct eng_device *device, const char *pattern)
{
    char number[16], product[32];
    const struct dev_facts *facts = &device->facts;
    snprintf(number, sizeof number, "%u", device->number);
    snprintf(product, sizeof product, "%x:%x", facts->vendor, facts->product);
    return strcmp(pattern, number) == 0 || strcmp(pattern, UUID(facts->device_uuid)) == 0 ||
           strcasecmp(pattern, device->id) == 0 || strcmp(pattern, product) == 0 ||
           text_glob(pattern, facts->name);
}

// What two devices must share: bits.
enum { SAME_UUID = 1, SAME_NAME = 2, SAME_PRODUCT = 4, SAME_KNOWN_PRODUCT = 12 };

static bool are_same(const struct dev_facts *a, const struct dev_facts *b, unsigned in)
{
    const bool product = a->vendor == b->vendor && a->product == b->product;
    // Whatever else they share: an emulated GPU says nothing about silicon.
    return dev_facts_emulated(a) == dev_facts_emulated(b) &&
           (!(in & SAME_UUID) || memcmp(a->device_uuid, b->device_uuid, 16) == 0) &&
           (!(in & SAME_NAME) || strcmp(a->name, b->name) == 0) &&
           (!(in & SAME_PRODUCT) || product) && (in != SAME_KNOWN_PRODUCT || a->product != 0);
}

struct matching {
    const struct report_model *a, *b;
    bool *free_a, *free_b; // chosen and without a partner
    struct compare_pairs *pairs;
};

// Counts the free devices of one side that match a device of the other; *which is the last.
static size_t count_same(const struct matching *m, bool of_b, size_t device, unsigned in,
                         size_t *which)
{
    size_t count = 0, limit = of_b ? m->b->device_count : m->a->device_count;
    for (size_t i = 0; i < limit; i++) {
        size_t a = of_b ? device : i, b = of_b ? i : device;
        if (!(of_b ? m->free_b : m->free_a)[i] ||
            !are_same(&m->a->devices[a].facts, &m->b->devices[b].facts, in))
            continue;
        *which = i;
        count++;
    }
    return count;
}

static void pair_by(struct matching *m, unsigned in)
{
    for (size_t a = 0; a < m->a->device_count; a++) {
        size_t b = 0, back = 0;
        if (!m->free_a[a] || count_same(m, true, a, in, &b) != 1 ||
            count_same(m, false, b, in, &back) != 1)
            continue;
        m->free_a[a] = m->free_b[b] = false;
        m->pairs->items[m->pairs->count++] = (struct compare_pair){.a = a, .b = b};
    }
}

static size_t choose(const struct report_model *model, const char *pattern, bool *chosen)
{
    size_t count = 0;
    for (size_t i = 0; i < model->device_count; i++) {
        chosen[i] = !pattern || is_chosen(&model->devices[i], pattern);
        count += chosen[i];
    }
    return count;
}

static size_t count_free(const bool *list, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        left += list[i];
    return left;
}

static bool fail_choice(const struct matching *m, struct lit_error *error)
{
    OWNED(text_free) struct text text = {0};
    const struct report_model *sides[] = {m->a, m->b};
    const bool *lists[] = {m->free_a, m->free_b};
    for (size_t s = 0; s < 2; s++) {
        text_puts(&text, s ? "; in B " : " in A ");
        for (size_t i = 0, shown = 0; i < sides[s]->device_count; i++)
            if (lists[s][i] && shown++ < 3)
                text_printf(&text, "%s%u (%.40s, %.20s)", shown > 1 ? ", " : "",
                            sides[s]->devices[i].number, sides[s]->devices[i].facts.name,
                            sides[s]->devices[i].facts.driver_version);
    }
    return lit_fail(error, LIT_EXIT_USAGE,
                    "ambiguous devices: choose one of each side with -d A -d B:%s", text.data);
}

static bool has_emulated(const struct report_model *model, const bool *list)
{
    for (size_t i = 0; i < model->device_count; i++)
        if (list[i] && dev_facts_emulated(&model->devices[i].facts))
            return true;
    return false;
}

static bool match(struct matching *m, const char *const *patterns, size_t pattern_count,
                  struct lit_error *error)
{
    static const unsigned ways[] = {SAME_UUID, SAME_NAME | SAME_PRODUCT, SAME_KNOWN_PRODUCT,
                                    SAME_NAME};
    const char *first = pattern_count > 0 ? patterns[0] : NULL;
    const char *second = pattern_count > 1 ? patterns[1] : first;
    size_t count_a = choose(m->a, first, m->free_a), count_b = choose(m->b, second, m->free_b);
    if (count_a == 0 || count_b == 0)
        return lit_fail(error, LIT_EXIT_USAGE, "%s has no device '%.80s'", count_a ? "B" : "A",
                        count_a ? second : first);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        pair_by(m, ways[i]);
    if (count_free(m->free_a, m->a->device_count) == 1 &&
        count_free(m->free_b, m->b->device_count) == 1 && m->pairs->count == 0)
        pair_by(m, 0);
    m->pairs->alone_a = count_free(m->free_a, m->a->device_count);
    m->pairs->alone_b = count_free(m->free_b, m->b->device_count);
    if (m->pairs->count == 0 && has_emulated(m->a, m->free_a) != has_emulated(m->b, m->free_b))
        return lit_fail(error, LIT_EXIT_USAGE, "an emulated GPU is not compared with hardware");
    if (m->pairs->count == 0 || (m->pairs->alone_a > 0 && m->pairs->alone_b > 0))
        return fail_choice(m, error);
    // An error there is an error without a counterpart, too.
    for (size_t b = 0; b < m->b->device_count; b++)
        if (m->free_b[b])
            m->pairs->items[m->pairs->count++] =
                (struct compare_pair){.a = COMPARE_NO_DEVICE, .b = b};
    return true;
}

bool compare_pair_devices(const struct compare_side *a, const struct compare_side *b,
                          const char *const *patterns, size_t pattern_count,
                          struct compare_pairs *pairs, struct lit_error *error)
{
    *pairs = (struct compare_pairs){0};
    struct matching m = {.a = &a->model, .b = &b->model, .pairs = pairs};
    m.free_a = lit_alloc(m.a->device_count + 1, sizeof *m.free_a);
    m.free_b = lit_alloc(m.b->device_count + 1, sizeof *m.free_b);
    pairs->items = lit_alloc(m.b->device_count + 1, sizeof *pairs->items);
    bool good = match(&m, patterns, pattern_count, error);
    free(m.free_a);
    free(m.free_b);
    return good;
}

void compare_pairs_clear(struct compare_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        free(pairs->items[i].words);
    free(pairs->items);
    *pairs = (struct compare_pairs){0};
}

// Axes

bool compare_axis_parse(const char *text, struct compare_axis *axis, struct lit_error *error)
{
    const char *equals = strchr(text, '='), *comma = equals ? strchr(equals, ',') : NULL;
    *axis = (struct compare_axis){0};
    if (!comma || equals == text || comma == equals + 1 || !comma[1] || strchr(comma + 1, ',') ||
        strlen(text) > 255)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--axis '%.80s': expected AXIS=A,B, like sync=none,control-each", text);
    axis->name = lit_strdup(text);
    axis->name[equals - text] = '\0';
    axis->a = lit_strdup(equals + 1);
    axis->a[comma - equals - 1] = '\0';
    axis->b = lit_strdup(comma + 1);
    if (strcmp(axis->a, axis->b) != 0)
        return true;
    compare_axis_clear(axis);
    return lit_fail(error, LIT_EXIT_USAGE, "--axis '%.80s': both values are the same", text);
}

void compare_axis_clear(struct compare_axis *axis)
{
    free(axis->name);
    free(axis->a);
    free(axis->b);
    *axis = (struct compare_axis){0};
}

// Configurations

struct keyed {
    char *key; // the name, with one word for the axis
    const struct result *result;
    enum eng_result broke;
};

// NULL if the result does not have this value of the axis. free() it.
static char *make_key(const struct result *result, const struct compare_axis *axis, bool of_b)
{
    struct text key = {0};
    if (!axis->name)
        return lit_strdup(result->name);
    if (strcmp(report_value(result, axis->name), of_b ? axis->b : axis->a) != 0)
        return NULL;
    const size_t count = result->variant_count + result->param_count;
    OWNED(lit_free) struct cfg_pair *pairs = lit_alloc(count, sizeof *pairs);
    OWNED(text_free) struct text both = text_format("%s>%s", axis->a, axis->b);
    for (size_t i = 0; i < count; i++) {
        pairs[i] = result->variant[i]; // the parameters follow
        if (strcmp(pairs[i].key, axis->name) == 0)
            pairs[i].value = both.data;
    }
    cfg_print(result->test, pairs, count, &key);
    return key.data;
}

static bool is_looked_at(const char *name, const char *const *only, size_t count)
{
    bool chosen = count == 0 || only[0][0] == '!';
    for (size_t i = 0; i < count; i++)
        if (cfg_matches(only[i] + (only[i][0] == '!'), name))
            chosen = only[i][0] != '!';
    return chosen;
}

struct keying {
    const struct compare_axis *axis;
    const char *const *only;
    size_t only_count;
};

static size_t make_keys(const struct compare_side *side, size_t device, bool of_b,
                        const struct keying *keying, struct keyed **list)
{
    const struct report_model *model = &side->model;
    size_t count = 0;
    *list = lit_alloc(model->result_count + 1, sizeof **list);
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        if (result->device != device ||
            !is_looked_at(result->name, keying->only, keying->only_count))
            continue;
        char *key = make_key(result, keying->axis, of_b);
        if (key)
            (*list)[count++] = (struct keyed){key, result, side->broke[i]};
    }
    text_sort(*list, count, sizeof **list);
    return count;
}

static void drop_keys(struct keyed *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].key);
    free(list);
}

size_t compare_pair_results(const struct compare_side *a, const struct compare_side *b,
                            const struct compare_pairs *pairs, const struct compare_axis *axis,
                            const char *const *only, size_t only_count,
                            struct compare_entry **entries)
{
    const struct keying keying = {axis, only, only_count};
    size_t count = 0;
    *entries = NULL;
    for (size_t pair = 0; pair < pairs->count; pair++) {
        struct keyed *left, *right;
        size_t left_count = make_keys(a, pairs->items[pair].a, false, &keying, &left);
        size_t right_count = make_keys(b, pairs->items[pair].b, true, &keying, &right);
        *entries = lit_realloc(*entries, count + left_count + right_count + 1, sizeof **entries);
        for (size_t i = 0, j = 0; i < left_count || j < right_count;) {
            int order = i == left_count    ? 1
                        : j == right_count ? -1
                                           : strcmp(left[i].key, right[j].key);
            const struct keyed *in_a = order <= 0 ? &left[i++] : NULL;
            const struct keyed *in_b = order >= 0 ? &right[j++] : NULL;
            (*entries)[count++] =
                (struct compare_entry){.a = in_a ? in_a->result : NULL,
                                       .b = in_b ? in_b->result : NULL,
                                       .sessions = a->sources > 1,
                                       .broke_before = in_a ? in_a->broke : ENG_PASS,
                                       .broke_now = in_b ? in_b->broke : ENG_PASS,
                                       .pair = pair,
                                       .name = lit_strdup(in_a ? in_a->key : in_b->key)};
        }
        drop_keys(left, left_count);
        drop_keys(right, right_count);
    }
    return count;
}

void compare_entries_free(struct compare_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].name);
    free(entries);
}
