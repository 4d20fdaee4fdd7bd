// SPDX-License-Identifier: Apache-2.0
// Stress: one table of keys to print, read and check sets.

#include "model/stress.h"

#include "base/random.h"

#define COUNT_MOST 4096u

static const char *const kinds[] = {"none", "idle", "memory", "arithmetic", "barrier"};
static const char *const patterns[] = {"store-store", "store-load", "load-store", "load-load"};
_Static_assert(sizeof kinds / sizeof *kinds == DEV_STRESS_KINDS, "a word for each kind");
_Static_assert(sizeof patterns / sizeof *patterns == DEV_STRESS_PATTERNS, "and each pattern");

// The part of a set that a key belongs to; a set without the part must not have the key.
enum part { PART_COUNT, PART_KIND, PART_WORK, PART_MEMORY, PART_OCCUPANCY, PART_TEST, PART_SLICES };

// In alphabetical order.
static const struct key {
    const char *name;
    size_t at;
    enum part part;
    const char *const *words; // NULL: a number
    uint32_t least, most, step, fallback;
    bool power; // of two
    int group;  // keys that are redrawn together
} keys[] = {
#define AT(member) offsetof(struct dev_stress, member)
    {"before", AT(before), PART_COUNT, NULL, 1, COUNT_MOST, 1, 0, false, 3},
    {"iterations", AT(iterations), PART_WORK, NULL, 1, 65536, 1, 64, false, 4},
    {"kind", AT(kind), PART_KIND, kinds, 1, DEV_STRESS_KINDS - 1, 1, 0, false, 0},
    {"line", AT(line), PART_MEMORY, NULL, 4, 1024, 1, 64, true, 1},
    {"lines", AT(lines), PART_MEMORY, NULL, 1, 1024, 1, 8, true, 1},
    {"offset", AT(offset), PART_TEST, NULL, 256, 65536, 256, 0, false, 5},
    {"pattern", AT(pattern), PART_MEMORY, patterns, 0, DEV_STRESS_PATTERNS - 1, 1, 0, false, 0},
    {"shared", AT(shared), PART_OCCUPANCY, NULL, 1024, 1u << 20, 1024, 0, false, 5},
    {"skew", AT(skew), PART_SLICES, NULL, 1, COUNT_MOST, 1, 0, false, 6},
    {"slices", AT(slices), PART_TEST, NULL, 2, DEV_STRESS_SLICES, 1, 0, false, 6},
    {"stride", AT(stride), PART_MEMORY, NULL, 1, 64, 1, 1, false, 1},
    {"workgroups", AT(workgroups), PART_COUNT, NULL, 1, COUNT_MOST, 1, 0, false, 2},
#undef AT
};

#define KEYS   (sizeof keys / sizeof *keys)
#define GROUPS 7

static uint32_t get(const struct dev_stress *set, const struct key *key)
{
    uint32_t value;
    memcpy(&value, (const char *)set + key->at, sizeof value);
    return value;
}

static void put(struct dev_stress *set, const struct key *key, uint32_t value)
{
    memcpy((char *)set + key->at, &value, sizeof value);
}
_Static_assert(sizeof(enum dev_stress_kind) == 4 && sizeof(enum dev_stress_pattern) == 4,
               "every member is 32 bits");

static bool has_background(const struct dev_stress *set)
{
    return set->before || set->workgroups || set->skew;
}

// Whether a set has the part that a key belongs to.
static bool has_part(const struct dev_stress *set, enum part part)
{
    switch (part) {
    case PART_COUNT:
    case PART_TEST:
        return true;
    case PART_KIND:
    case PART_OCCUPANCY:
        return has_background(set);
    case PART_WORK:
        return has_background(set) && set->kind != DEV_STRESS_IDLE;
    case PART_MEMORY:
        return has_background(set) && set->kind == DEV_STRESS_MEMORY;
    case PART_SLICES:
        return set->slices > 1;
    }
    return false;
}

static uint64_t work(const struct dev_stress *set)
{
    const uint64_t skew = set->slices > 1 ? (uint64_t)set->skew * (set->slices - 1) : 0;
    return (set->before + set->workgroups + skew) * (uint64_t)set->iterations;
}

// Clears keys without meaning.
static void settle(struct dev_stress *set)
{
    if (set->slices < 2)
        set->slices = set->skew = 0;
    for (size_t i = 0; i < KEYS; i++)
        if (!has_part(set, keys[i].part))
            put(set, &keys[i], 0);
}

void eng_stress_print(const struct dev_stress *set, char text[ENG_STRESS_TEXT])
{
    OWNED(text_free) struct text out = {0};
    for (size_t i = 0; i < KEYS; i++) {
        const uint32_t value = get(set, &keys[i]);
        // The first pattern has the value 0, but is a pattern.
        if (keys[i].part == PART_MEMORY ? !has_part(set, PART_MEMORY) : !value)
            continue;
        text_printf(&out, "%s%s=", out.length ? "," : "", keys[i].name);
        if (keys[i].words)
            text_puts(&out, keys[i].words[value]);
        else
            text_printf(&out, "%u", value);
    }
    snprintf(text, ENG_STRESS_TEXT, "%s", out.data ? out.data : "");
}

// Reading

static bool read_word(const struct key *key, const char *value, uint32_t *number,
                      struct lit_error *error)
{
    OWNED(text_free) struct text all = {0};
    for (uint32_t i = key->least; i <= key->most; i++) {
        if (strcmp(key->words[i], value) == 0) {
            *number = i;
            return true;
        }
        text_printf(&all, "%s%s", all.length ? ", " : "", key->words[i]);
    }
    return lit_fail(error, LIT_EXIT_USAGE, "stress: '%.40s' is not a %s; known: %s", value,
                    key->name, all.data);
}

static bool read_number(const struct key *key, const char *value, uint32_t *number,
                        struct lit_error *error)
{
    const size_t length = strlen(value);
    uint64_t sum = 0;
    bool good = length > 0 && length < 10 && strspn(value, "0123456789") == length;
    if (good)
        sum = strtoull(value, NULL, 10);
    good = good && sum >= key->least && sum <= key->most && sum % key->step == 0 &&
           (!key->power || !(sum & (sum - 1)));
    if (!good) {
        char by[48] = "";
        if (key->step > 1)
            snprintf(by, sizeof by, ", a multiple of %u", key->step);
        return lit_fail(error, LIT_EXIT_USAGE, "stress: %s=%.40s: a number from %u to %u%s",
                        key->name, value, key->least, key->most,
                        key->power ? ", a power of two" : by);
    }
    *number = (uint32_t)sum;
    return true;
}

static bool read_pair(char *pair, struct dev_stress *set, bool seen[KEYS], struct lit_error *error)
{
    char *equals = strchr(pair, '=');
    if (!equals)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "stress: '%.40s' is not KEY=VALUE; try workgroups=64,kind=memory", pair);
    *equals = '\0';
    for (size_t i = 0; i < KEYS; i++) {
        uint32_t number = 0;
        if (strcmp(keys[i].name, pair) != 0)
            continue;
        if (seen[i])
            return lit_fail(error, LIT_EXIT_USAGE, "stress: %s is given twice", pair);
        if (!(keys[i].words ? read_word(&keys[i], equals + 1, &number, error)
                            : read_number(&keys[i], equals + 1, &number, error)))
            return false;
        put(set, &keys[i], number);
        seen[i] = true;
        return true;
    }
    OWNED(text_free) struct text all = {0};
    for (size_t i = 0; i < KEYS; i++)
        text_printf(&all, "%s%s", i ? ", " : "", keys[i].name);
    return lit_fail(error, LIT_EXIT_USAGE, "stress: unknown parameter '%.40s'; known: %s", pair,
                    all.data);
}

// Checks keys against each other; fills in defaults.
static bool complete(struct dev_stress *set, const bool seen[KEYS], struct lit_error *error)
{
    if (has_background(set) && set->kind == DEV_STRESS_NONE)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "stress: missing kind of background workgroups: kind=idle, memory, "
                        "arithmetic or barrier");
    for (size_t i = 0; i < KEYS; i++) {
        const bool has = has_part(set, keys[i].part);
        if (seen[i] && !has)
            return lit_fail(error, LIT_EXIT_USAGE, "stress: %s needs %s", keys[i].name,
                            keys[i].part == PART_SLICES ? "slices"
                            : !has_background(set)      ? "workgroups, before or skew"
                            : keys[i].part == PART_WORK ? "a kind that works"
                                                        : "kind=memory");
        if (!seen[i] && has && keys[i].fallback)
            put(set, &keys[i], keys[i].fallback);
    }
    if ((uint64_t)set->line * set->lines > DEV_STRESS_WORDS)
        return lit_fail(error, LIT_EXIT_USAGE, "stress: %u lines of %u words: at most %u words",
                        set->lines, set->line, DEV_STRESS_WORDS);
    if (work(set) > ENG_STRESS_WORK)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "stress: %" PRIu64 " iterations of background workgroups in a run: at most "
                        "%u",
                        work(set), ENG_STRESS_WORK);
    return true;
}

bool eng_stress_parse(const char *text, struct dev_stress *set, struct lit_error *error)
{
    bool seen[KEYS] = {false};
    char copy[ENG_STRESS_TEXT];
    *set = (struct dev_stress){0};
    if (!text[0] || strcmp(text, "none") == 0)
        return true;
    if (strlen(text) >= sizeof copy)
        return lit_fail(error, LIT_EXIT_USAGE, "stress: more than %zu characters", sizeof copy - 1);
    strcpy(copy, text);
    for (char *pair = copy, *next; pair; pair = next) {
        next = strchr(pair, ',');
        if (next)
            *next++ = '\0';
        if (!read_pair(pair, set, seen, error))
            return false;
    }
    return complete(set, seen, error);
}

// Limits

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

void eng_stress_fit(struct dev_stress *set, const struct eng_stress_limits *limits)
{
    const struct dev_facts *facts = limits->facts;
    if (!limits->divisible)
        set->slices = 0;
    if (set->shared > facts->max_shared)
        set->shared = 0;
    set->before = at_most(set->before, facts->max_workgroups);
    set->workgroups = at_most(set->workgroups, facts->max_workgroups);
    set->skew = at_most(set->skew, facts->max_workgroups);
    if (facts->max_workgroup < DEV_STRESS_WORKGROUP || facts->max_shared < DEV_STRESS_SHARED ||
        facts->max_storage_buffer < DEV_STRESS_WORDS * 4)
        set->before = set->workgroups = set->skew = 0;
    settle(set);
}

// Drawing

static uint32_t power(struct lit_random *random, unsigned least, unsigned most)
{
    return UINT32_C(1) << (least + random_below(random, most - least + 1));
}

static bool one_of(struct lit_random *random, uint64_t bound)
{
    return random_below(random, bound) == 0;
}

// Lowers iterations, then workgroups, until the work is not too much.
static void lighten(struct dev_stress *set, uint64_t most)
{
    while (work(set) > most && set->iterations > 1)
        set->iterations /= 2;
    while (work(set) > most) {
        set->before /= 2;
        set->workgroups /= 2;
        set->skew /= 2;
    }
}

#define WORK_CPU 2048u // keeps a test's run within a few milliseconds
#define WORK_GPU 65536u

// Always draws every number, so that sets from one seed differ only where they must.
static struct dev_stress draw(struct lit_random *random, const struct eng_stress_limits *limits)
{
    const bool cpu = limits->facts->cpu;
    static const enum dev_stress_kind choice[] = {
        DEV_STRESS_MEMORY,     DEV_STRESS_MEMORY,  DEV_STRESS_MEMORY,
        DEV_STRESS_ARITHMETIC, DEV_STRESS_BARRIER, DEV_STRESS_IDLE,
    };
    struct dev_stress set = {
        .kind = choice[random_below(random, sizeof choice / sizeof *choice)],
        .pattern = (enum dev_stress_pattern)random_below(random, DEV_STRESS_PATTERNS),
        .workgroups = one_of(random, 3) ? 0 : power(random, 0, cpu ? 4 : 10),
        .before = one_of(random, 3) ? 0 : power(random, 0, cpu ? 4 : 10),
        .iterations = power(random, cpu ? 0 : 4, cpu ? 7 : 11),
        .line = power(random, 2, 10),
        .lines = power(random, 0, 6),
        .stride = power(random, 0, 5),
    };
    const uint32_t shared = limits->facts->max_shared >> random_below(random, 3);
    set.shared = one_of(random, 3) ? at_most(shared, 1u << 20) / 1024 * 1024 : 0;
    set.slices = one_of(random, 2) ? power(random, 1, cpu ? 3 : 6) : 0;
    set.skew = one_of(random, 2) ? power(random, 0, cpu ? 2 : 5) : 0;
    set.offset = one_of(random, 2) ? 256 * power(random, 0, 8) : 0;
    return set;
}

static void make_good(struct dev_stress *set, const struct eng_stress_limits *limits)
{
    if (has_background(set) && set->kind == DEV_STRESS_NONE)
        set->kind = DEV_STRESS_IDLE;
    eng_stress_fit(set, limits);
    lighten(set, limits->facts->cpu ? WORK_CPU : WORK_GPU);
    settle(set);
}

static bool is_none(const struct dev_stress *set)
{
    char text[ENG_STRESS_TEXT];
    eng_stress_print(set, text);
    return !text[0];
}

static struct lit_random stream(const char *name, uint64_t seed, uint64_t index)
{
    char text[64];
    snprintf(text, sizeof text, "stress %s %" PRIu64, name, index);
    return (struct lit_random){.state = random_derive(seed, text)};
}

struct dev_stress eng_stress_draw(uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits)
{
    struct lit_random random = stream("draw", seed, index);
    struct dev_stress set;
    do {
        set = draw(&random, limits);
        make_good(&set, limits);
    } while (is_none(&set));
    return set;
}

struct dev_stress eng_stress_near(const struct dev_stress *from, uint64_t seed, uint64_t index,
                                  const struct eng_stress_limits *limits)
{
    struct lit_random random = stream("near", seed, index);
    struct dev_stress set = *from;
    for (uint64_t i = 0, count = 1 + random_below(&random, 2); i < count; i++) {
        const struct dev_stress other = draw(&random, limits);
        const int group = (int)random_below(&random, GROUPS);
        for (size_t k = 0; k < KEYS; k++)
            if (keys[k].group == group)
                put(&set, &keys[k], get(&other, &keys[k]));
        // The new kind needs it and the old one did not have it.
        if (!set.iterations)
            set.iterations = other.iterations;
        if (!set.line) {
            set.line = other.line;
            set.lines = other.lines;
            set.stride = other.stride;
        }
        if (set.kind == DEV_STRESS_NONE)
            set.kind = other.kind;
    }
    make_good(&set, limits);
    return set;
}

uint32_t dev_stress_slices(const struct dev_stress *set, uint32_t workgroups, uint32_t seed,
                           struct dev_slice slices[DEV_STRESS_SLICES])
{
    struct lit_random random = {.state = seed};
    uint32_t count = set->slices < 2 ? 1 : set->slices;
    count = count > DEV_STRESS_SLICES ? DEV_STRESS_SLICES : count;
    count = count > workgroups ? workgroups : count;
    for (uint32_t i = 0, first = 0; i < count; i++) {
        const uint32_t next = (uint32_t)((uint64_t)workgroups * (i + 1) / count);
        slices[i] = (struct dev_slice){.first = first, .count = next - first};
        first = next;
    }
    random_shuffle(&random, slices, count, sizeof *slices);
    return count;
}
