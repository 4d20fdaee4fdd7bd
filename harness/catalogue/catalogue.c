// SPDX-License-Identifier: Apache-2.0
// The tests that are built in, and the walk over their cases.
#include "catalogue/catalogue.h"

#include "base/sha256.h"
#include "base/spirv.h"

#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// Made by the build: the embedded tests in any order, ended by NULL.
extern const struct cat_embedded *const cat_embedded_tests[];

// A test and what belongs to it.
struct entry {
    struct cat_test test; // first: a test leads to its entry
    char *unpacked;       // its words, then its source text, then names
    char *pages;          // likewise on first use
    struct added *added;  // NULL: built in
};

// Of a kernel from outside.
struct added {
    struct cat_package package;
    struct cat_embedded embedded;
    struct cat_module module;
    struct text bytes; // cat_package_write's
    void *program;     // of a generated test
};

static struct entry **entries; // sorted by name
static size_t test_count;
static struct entry **added; // in turn
static size_t added_count;

// What stands for one of all modules.
static struct {
    const struct cat_module *of; // NULL: none
    struct cat_module module;
    uint32_t *words;
} other;

__attribute__((noreturn)) static void broken(const char *name, const char *what)
{
    struct text line = {0};
    text_printf(&line, "the built-in test %s is broken: %s", name, what);
    lit_give_up(line.data);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *const *left = a, *const *right = b;
    return strcmp((*left)->test.head.name, (*right)->test.head.name);
}

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
// Of the entries, which may be read and added to by threads that read a session each.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void load_now(void)
{
    while (cat_embedded_tests[test_count]) {
        const struct cat_embedded *embedded = cat_embedded_tests[test_count];
        struct entry *entry = lit_alloc(1, sizeof *entry);
        struct cat_test *test = &entry->test;
        struct lit_error error;
        test->embedded = embedded;
        if (!cat_head_parse(embedded->head, embedded->head_size, &test->head, &error))
            broken(embedded->name, error.message);
        test->oracle = cat_oracle_find(test->head.oracle);
        if (!test->oracle)
            broken(embedded->name, "it has no oracle");
        LIT_ADD(entries, test_count) = entry;
    }
    qsort(entries, test_count, sizeof *entries, by_name);
}

static void load(void)
{
    pthread_once(&loaded, load_now);
}

static int against_name(const void *name, const void *entry)
{
    return strcmp(name, (*(const struct entry *const *)entry)->test.head.name);
}

// The caller holds the lock.
static const struct cat_test *find(const char *name)
{
    struct entry **found = bsearch(name, entries, test_count, sizeof *entries, against_name);
    return found ? &(*found)->test : NULL;
}

size_t cat_test_count(void)
{
    load();
    pthread_rwlock_rdlock(&lock);
    const size_t count = test_count;
    pthread_rwlock_unlock(&lock);
    return count;
}

const struct cat_test *cat_test_at(size_t index)
{
    load();
    pthread_rwlock_rdlock(&lock);
    const struct cat_test *test = index < test_count ? &entries[index]->test : NULL;
    pthread_rwlock_unlock(&lock);
    return test;
}

const struct cat_test *cat_test_find(const char *name)
{
    load();
    pthread_rwlock_rdlock(&lock);
    const struct cat_test *test = find(name);
    pthread_rwlock_unlock(&lock);
    return test;
}

struct cat_mode cat_test_mode(const struct cat_test *test)
{
    struct cat_mode mode = cat_mode_of(test->oracle);
    if (test->package && test->package->litmus.threads)
        mode.choice = test->package->litmus.states;
    return mode;
}

const char *cat_test_draws(const struct cat_test *test)
{
    return test->oracle->draws;
}

static struct entry *entry_of(const struct cat_test *test)
{
    return (struct entry *)(void *)test;
}

// Unpacks a frame into *slot, unless it is there.
static char *unpack(const struct cat_test *test, char **slot, const unsigned char *frame,
                    size_t frame_size, size_t size)
{
    if (!*slot) {
        *slot = lit_alloc(size + 1, 1);
        if (ZSTD_decompress(*slot, size, frame, frame_size) != size)
            broken(test->embedded->name, "it does not unpack");
    }
    return *slot;
}

static char *unpack_words(const struct cat_test *test)
{
    const struct cat_embedded *of = test->embedded;
    return unpack(test, &entry_of(test)->unpacked, of->packed, of->packed_size,
                  of->word_count * 4 + of->source_size + 1 + of->names_size);
}

const uint32_t *cat_module_words(const struct cat_test *test, const struct cat_module *module)
{
    return module == &other.module ? other.words
                                   : (const uint32_t *)(void *)unpack_words(test) + module->offset;
}

const char *cat_module_names(const struct cat_test *test, const struct cat_module *module)
{
    return cat_test_source(test) + test->embedded->source_size + 1 + module->names;
}

const char *cat_module_page(const struct cat_test *test, const struct cat_module *module)
{
    const struct cat_embedded *of = test->embedded;
    return unpack(test, &entry_of(test)->pages, of->pages, of->pages_size, of->pages_length) +
           module->page;
}

const char *cat_test_source(const struct cat_test *test)
{
    return unpack_words(test) + test->embedded->word_count * 4;
}

size_t cat_test_file_words(const struct cat_test *test)
{
    return test->embedded ? test->embedded->file_words : 0;
}

uint32_t cat_test_file(const struct cat_test *test, size_t at)
{
    char what[80];
    if (at >= cat_test_file_words(test)) {
        snprintf(what, sizeof what, "of the %zu words of its file, word %zu is asked for",
                 cat_test_file_words(test), at);
        broken(test->head.name, what);
    }
    const unsigned char *byte = test->embedded->file + 4 * at;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

// --- Kernels from outside

// What unpacking would make of a built-in test.
static void unpack_package(struct entry *entry)
{
    const struct cat_package *package = &entry->added->package;
    const struct text *page = &package->page;
    const size_t words = package->word_count * sizeof *package->words;
    entry->unpacked = lit_alloc(words + page->length + 2, 1);
    entry->pages = lit_alloc(page->length + 1, 1);
    memcpy(entry->unpacked, package->words, words);
    if (page->length) {
        memcpy(entry->unpacked + words, page->data, page->length);
        memcpy(entry->pages, page->data, page->length);
    }
}

// What its modules need together.
static bool take_features(const struct cat_package *package, uint64_t *features,
                          struct lit_error *error)
{
    const struct cat_interface *interface = &package->interface;
    if (interface->address_count)
        *features |= UINT64_C(1) << CAT_FEATURE_ADDRESSES;
    for (size_t i = 0; i <= interface->part_count; i++) {
        const struct cat_part *part = i ? &interface->parts[i - 1] : NULL;
        const uint32_t *words = part ? part->words : package->words;
        uint64_t needed = 0;
        if (part && !part->word_count)
            continue;
        if (!cat_module_features(words, part ? part->word_count : package->word_count, &needed,
                                 error))
            return false;
        *features |= needed;
    }
    return true;
}

// The head of a generated program, which has one variant. Only the build checks what other oracles
// need.
static bool is_generated(const struct cat_head *head, struct lit_error *error)
{
    static const char end[] = ".generated";
    const size_t length = strlen(head->oracle), size = sizeof end - 1;
    return (head->program && head->axis_count == 1 && head->axes[0].count == 1 && length > size &&
            strcmp(head->oracle + length - size, end) == 0) ||
           lit_fail(error, LIT_EXIT_USAGE, "not a generated program: tests are built in");
}

// Fills an entry of which the package is there.
static bool make_added(struct entry *entry, struct lit_error *error)
{
    struct added *own = entry->added;
    const struct cat_package *package = &own->package;
    struct cat_module *module = &own->module;
    OWNED(text_free) struct text head = {0};
    cat_package_head(package, &head);
    if (!cat_head_parse(head.data, head.length, &entry->test.head, error))
        return false;
    *module = (struct cat_module){
        .variant = "",
        .subgroup = package->litmus.threads ? 0 : package->subgroup,
        .count = (uint32_t)package->word_count,
        .divisible = !package->interface.step_count &&
                     cat_module_is_divisible(package->words, package->word_count),
    };
    if (!take_features(package, &module->features, error))
        return false;
    sha256_text(own->bytes.data, cat_package_identity(own->bytes.data, own->bytes.length),
                module->sha256);
    own->embedded = (struct cat_embedded){.name = entry->test.head.name,
                                          .modules = module,
                                          .module_count = 1,
                                          .word_count = package->word_count,
                                          .source_size = package->page.length,
                                          .pages_length = package->page.length};
    entry->test.embedded = &own->embedded;
    entry->test.oracle = cat_oracle_find(entry->test.head.oracle);
    entry->test.package = package->name.length ? package : NULL;
    unpack_package(entry);
    if (!package->name.length && !is_generated(&entry->test.head, error))
        return false;
    if (!entry->test.oracle)
        return lit_fail(error, LIT_EXIT_USAGE, "it has no oracle");
    if (!entry->test.head.program || !entry->test.oracle->read)
        return true;
    entry->test.program = own->program = entry->test.oracle->read(&entry->test.head, error);
    return own->program;
}

static void free_added(struct entry *entry)
{
    cat_head_clear(&entry->test.head);
    cat_package_clear(&entry->added->package);
    text_free(&entry->added->bytes);
    free(entry->added->program);
    free(entry->added);
    free(entry->unpacked);
    free(entry->pages);
    free(entry);
}

bool cat_test_add(const void *bytes, size_t size, const struct cat_test **test,
                  struct lit_error *error)
{
    struct entry *entry = lit_alloc(1, sizeof *entry);
    const struct cat_test *same = NULL;
    entry->added = lit_alloc(1, sizeof *entry->added);
    text_append(&entry->added->bytes, bytes, size);
    const bool good =
        cat_package_read(bytes, size, &entry->added->package, error) && make_added(entry, error);
    load();
    pthread_rwlock_wrlock(&lock);
    if (good)
        same = find(entry->test.head.name);
    const bool fresh = good && !same;
    if (fresh) {
        LIT_ADD(added, added_count) = entry;
        LIT_ADD(entries, test_count) = entry;
        qsort(entries, test_count, sizeof *entries, by_name);
        same = &entry->test;
    }
    pthread_rwlock_unlock(&lock);
    if (!fresh) {
        const bool is_same =
            same && entry_of(same)->added &&
            strcmp(entry_of(same)->added->module.sha256, entry->added->module.sha256) == 0;
        if (good && !is_same)
            lit_fail(error, LIT_EXIT_USAGE, "there is another %s already", same->head.name);
        free_added(entry);
        if (!is_same)
            return false;
    }
    if (test)
        *test = same;
    return true;
}

const char *cat_test_check(const struct cat_test *test)
{
    return test->package && !test->package->litmus.threads ? cat_package_check(test->package)
                                                           : NULL;
}

void cat_test_drop(void)
{
    pthread_rwlock_wrlock(&lock);
    struct entry *last = added[--added_count];
    size_t at = 0;
    while (entries[at] != last)
        at++;
    memmove(entries + at, entries + at + 1, (--test_count - at) * sizeof(struct entry *));
    pthread_rwlock_unlock(&lock);
    free_added(last);
}

const struct text *cat_added_at(size_t index, const char **name)
{
    if (name && index < added_count)
        *name = added[index]->test.head.name;
    return index < added_count ? &added[index]->added->bytes : NULL;
}

// Debug names stand behind the sources and before the decorations.
static size_t place_of_names(const uint32_t *words, size_t count)
{
    struct spirv_instruction next;
    SPIRV_EACH (next, words, count) {
        switch ((SpvOp)next.opcode) {
        case SpvOpCapability:
        case SpvOpExtension:
        case SpvOpExtInstImport:
        case SpvOpMemoryModel:
        case SpvOpEntryPoint:
        case SpvOpExecutionMode:
        case SpvOpExecutionModeId:
        case SpvOpString:
        case SpvOpSource:
        case SpvOpSourceContinued:
        case SpvOpSourceExtension:
            break;
        default:
            return next.at;
        }
    }
    return next.at < count ? next.at : count;
}

uint32_t *cat_ids_insert(const uint32_t *words, size_t count, const char *names, size_t size,
                         size_t *new_count)
{
    // A name of n bytes takes 2 words and n / 4 + 1 more.
    uint32_t *copy = lit_alloc(count + 4 * size + 1, sizeof *copy);
    const size_t place = count > SPIRV_HEADER ? place_of_names(words, count) : count;
    const char *end = size ? names + size : names;
    size_t at = place;
    memcpy(copy, words, place * sizeof *copy);
    for (uint32_t id = 1; names < end && place > SPIRV_HEADER && id < words[SPIRV_BOUND]; id++) {
        const char *newline = memchr(names, '\n', (size_t)(end - names));
        const size_t length = (size_t)((newline ? newline : end) - names);
        const uint32_t taken = 2 + (uint32_t)(length / 4 + 1);
        if (length > 0 && length < 256) {
            copy[at] = taken << 16 | SpvOpName;
            copy[at + 1] = id;
            memcpy(&copy[at + 2], names, length); // what was allocated is zero
            at += taken;
        }
        names = newline ? newline + 1 : end;
    }
    memcpy(copy + at, words + place, (count - place) * sizeof *copy);
    *new_count = at + count - place;
    return copy;
}

// The first of the modules of a case's variant: there is one for each subgroup size at most. *end
// is behind the last of them. A search by halves, since a test has up to hundreds of variants and
// everything that walks all cases asks this of each.
static const struct cat_module *find_variant(const struct cat_case *which,
                                             const struct cat_module **end)
{
    const size_t axes = which->test->head.axis_count;
    const struct cat_module *first = which->test->embedded->modules;
    size_t count = which->test->embedded->module_count;
    *end = first + count;
    while (count > 0) {
        const size_t half = count / 2;
        if (memcmp(first[half].axis, which->axis, axes) < 0) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    const struct cat_module *last = first;
    while (last < *end && memcmp(last->axis, which->axis, axes) == 0)
        last++;
    *end = last;
    return first;
}

const struct cat_module *cat_case_module(const struct cat_case *which)
{
    const struct cat_module *end, *module = find_variant(which, &end);
    while (module < end && module->subgroup && module->subgroup != which->subgroup)
        module++;
    if (module == end)
        return NULL;
    return module == other.of ? &other.module : module;
}

bool cat_case_replace(const struct cat_case *which, const uint32_t *words, size_t count,
                      struct lit_error *error)
{
    other.of = NULL;
    const struct cat_module *module = cat_case_module(which);
    if (!module)
        return lit_fail(error, LIT_EXIT_USAGE, "%.200s has no module", which->test->head.name);
    other.module = *module;
    other.module.count = (uint32_t)count;
    if (!cat_module_features(words, count, &other.module.features, error))
        return false;
    other.module.divisible = module->divisible && cat_module_is_divisible(words, count);
    other.words = lit_realloc(other.words, count, sizeof *words);
    memcpy(other.words, words, count * sizeof *words);
    other.of = module;
    return true;
}

uint64_t cat_case_features(const struct cat_case *which)
{
    uint64_t features = 0;
    const struct cat_module *end, *module = find_variant(which, &end);
    for (; module < end; module++)
        features |= module->features;
    return features;
}

const struct cat_rule *cat_case_expect(const struct cat_case *which)
{
    const struct cat_head *head = &which->test->head;
    size_t i = 0;
    while (i + 1 < head->expect_count &&
           !cat_condition_holds(&head->expect[i].when, which->axis, which->sweep))
        i++;
    return &head->expect[i];
}

enum cat_expectation cat_case_expectation(const struct cat_case *which, const char **reason)
{
    const struct cat_rule *expect = cat_case_expect(which);
    if (reason)
        *reason = expect->reason;
    return expect->expectation;
}

static bool any_holds(const struct cat_rule *rules, size_t count, const uint8_t *axis,
                      const uint8_t *sweep)
{
    for (size_t i = 0; i < count; i++)
        if (cat_condition_holds(&rules[i].when, axis, sweep))
            return true;
    return false;
}

bool cat_case_is_thorough(const struct cat_case *which)
{
    const struct cat_head *head = &which->test->head;
    for (size_t i = 0; i < head->sweep_count; i++)
        if (which->sweep[i] >= head->sweeps[i].quick)
            return true;
    return any_holds(head->thorough, head->thorough_count, which->axis, which->sweep);
}

uint32_t cat_case_sweep(const struct cat_case *which, size_t index)
{
    const struct cat_axis *sweep = &which->test->head.sweeps[index];
    const char *value = sweep->values[which->sweep[index]];
    if (!strcmp(value, "last"))
        return which->subgroup - 1;
    if (!strcmp(value, "middle"))
        return which->subgroup > 1 ? which->subgroup / 2 - 1 : 0;
    if (!strcmp(value, "largest"))
        return CAT_LARGEST;
    return (uint32_t)strtoul(value, NULL, 10);
}

static bool is_symbolic(const char *value)
{
    return *value < '0' || *value > '9';
}

bool cat_case_repeats(const struct cat_case *which)
{
    if (!which->subgroup)
        return false;
    for (size_t i = 0; i < which->test->head.sweep_count; i++)
        for (uint8_t before = 0; before < which->sweep[i]; before++) {
            char *const *values = which->test->head.sweeps[i].values;
            struct cat_case other = *which;
            if (!is_symbolic(values[before]) && !is_symbolic(values[which->sweep[i]]))
                continue; // two numbers, and a head has none twice
            other.sweep[i] = before;
            if (cat_case_sweep(&other, i) == cat_case_sweep(which, i))
                return true;
        }
    return false;
}

// Counts a mixed-radix number up, last digit fastest. False when it wraps around.
static bool advance(uint8_t *digits, const struct cat_axis *axes, size_t count)
{
    while (count-- > 0) {
        if (++digits[count] < axes[count].count)
            return true;
        digits[count] = 0;
    }
    return false;
}

// How many leading axes suffice to exclude a point, by the `without` rule that needs the fewest:
// all points that share them are excluded, in all sweeps. SIZE_MAX if no rule excludes it by axes
// alone.
static size_t excluded_by(const struct cat_head *head, const uint8_t *axis)
{
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < head->without_count; i++) {
        const struct cat_condition *when = &head->without[i].when;
        size_t needed = 0;
        if (!cat_condition_holds(when, axis, NULL))
            continue;
        for (size_t t = 0; t < when->count; t++)
            needed = when->terms[t].index >= needed ? when->terms[t].index + 1 : needed;
        fewest = needed < fewest ? needed : fewest;
    }
    return fewest;
}

void cat_test_each(const struct cat_test *test, uint32_t subgroup,
                   void (*visit)(const struct cat_case *which, void *user), void *user)
{
    const struct cat_rule *without = test->head.without;
    const size_t count = test->head.without_count;
    struct cat_case which = {.test = test, .subgroup = subgroup};
    size_t fixed;
    do {
        const size_t needed = excluded_by(&test->head, which.axis);
        fixed = needed == SIZE_MAX ? test->head.axis_count : needed;
        for (bool more = needed == SIZE_MAX; more;
             more = advance(which.sweep, test->head.sweeps, test->head.sweep_count))
            if (!any_holds(without, count, which.axis, which.sweep) && !cat_case_repeats(&which))
                visit(&which, user);
        // The axes behind go to 0; the next point differs in one before.
        memset(which.axis + fixed, 0, sizeof which.axis - fixed);
    } while (advance(which.axis, test->head.axes, fixed));
}

// ---- what an oracle asks

uint32_t cat_value(const struct cat_args *args, const char *name)
{
    const struct cat_head *head = &args->which->test->head;
    for (size_t i = 0; i < head->sweep_count; i++)
        if (!strcmp(head->sweeps[i].name, name))
            return cat_case_sweep(args->which, i);
    broken(head->name, "its oracle asks for a parameter that it lacks");
}

const char *cat_axis(const struct cat_args *args, const char *name)
{
    const struct cat_head *head = &args->which->test->head;
    for (size_t i = 0; i < head->axis_count; i++)
        if (!strcmp(head->axes[i].name, name))
            return head->axes[i].values[args->which->axis[i]];
    return NULL;
}

bool cat_axis_is(const struct cat_args *args, const char *name, const char *value)
{
    const char *found = cat_axis(args, name);
    return found && !strcmp(found, value);
}
