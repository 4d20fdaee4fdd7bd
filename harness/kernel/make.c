// SPDX-License-Identifier: Apache-2.0
// Makes a plan from a file and options: modules, contents of buffers, expectations.
#include "kernel/plan.h"

#include "base/file.h"
#include "catalogue/catalogue.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>

#define MOST_FOLDED 4096 // the most words of a buffer for a formula that sums over all words

// --- Options

// Parses decimal digits of a number up to `most`; *end points after them.
static bool take_number(const char *text, uint64_t most, uint64_t *number, const char **end)
{
    char *behind;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *number = strtoull(text, &behind, 10);
    *end = behind;
    return errno == 0 && *number <= most;
}

// Parses bytes, with an optional K or M after the number.
static bool take_size(const char *text, uint64_t *bytes)
{
    const char *end;
    if (!take_number(text, CAT_PACKAGE_BYTES, bytes, &end))
        return false;
    const uint64_t unit = *end == 'K' ? 1024 : *end == 'M' ? 1024 * 1024 : 1;
    *bytes *= unit;
    return !end[unit > 1] && *bytes > 0 && *bytes <= CAT_PACKAGE_BYTES;
}

bool krn_take_place(const char *text, struct krn_place *place, const char **end)
{
    uint64_t set = 0, binding = 0, index = 0;
    bool good = take_number(text, UINT32_MAX, &set, end) && **end == '.' &&
                take_number(*end + 1, UINT32_MAX, &binding, end);
    const bool element = good && **end == '[';
    if (element)
        good = take_number(*end + 1, UINT32_MAX - 1, &index, end) && *(*end)++ == ']';
    *place = (struct krn_place){(uint32_t)set, (uint32_t)binding, (uint32_t)index + element};
    return good;
}

static struct krn_held *find_held(struct krn_plan *plan, const struct krn_place *place)
{
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (krn_place_is(place, &plan->buffers[i].as))
            return &plan->buffers[i];
    return NULL;
}

// Takes "SET.BINDING=WHAT" for each buffer that it names.
typedef bool taker(const char *given, const char *what, struct krn_plan *plan,
                   struct krn_held *held, struct lit_error *error);
static bool take_places(const char *option, const struct lit_list *list, struct krn_plan *plan,
                        taker *take, struct lit_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *given = list->items[i], *at;
        struct krn_place place;
        OWNED(text_free) struct text there = {0};
        bool good = true;
        if (!krn_take_place(given, &place, &at) || *at != '=' || !at[1])
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--%s '%.80s': expected SET.BINDING=..., as in 0.1=%s", option, given,
                            strcmp(option, "expect") == 0 ? "sums.words" : "random:4096");
        for (size_t b = 0; b < plan->buffer_count && !find_held(plan, &place); b++) {
            const struct cat_buffer *as = &plan->buffers[b].as;
            text_puts(&there, b ? ", " : "");
            cat_put_place(&there, as->set, as->binding, as->element);
        }
        if (!find_held(plan, &place))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--%s '%.80s': the module has no such buffer, but %.200s", option,
                            given, there.length ? there.data : "none");
        for (size_t b = 0; b < plan->buffer_count && good; b++)
            if (krn_place_is(&place, &plan->buffers[b].as))
                good = take(given, at + 1, plan, &plan->buffers[b], error);
        if (!good)
            return false;
    }
    return true;
}

static struct krn_pipeline *find_kernel(struct krn_plan *plan, const char *name, size_t length)
{
    for (size_t i = 0; i < plan->pipeline_count; i++)
        if (strlen(plan->pipelines[i].name) == length &&
            strncmp(plan->pipelines[i].name, name, length) == 0)
            return &plan->pipelines[i];
    return NULL;
}

// Finds the kernel of "NAME@..."; without a name, the first. *rest points after the @.
static struct krn_pipeline *take_kernel(const char *option, const char *given,
                                        struct krn_plan *plan, const char **rest,
                                        struct lit_error *error)
{
    const char *at = strchr(given, '@');
    const size_t length = at ? (size_t)(at - given) : 0;
    struct krn_pipeline *found = find_kernel(plan, given, length);
    *rest = at ? at + 1 : given;
    if (!found)
        lit_fail(error, LIT_EXIT_USAGE,
                 "--%s '%.80s': there is no such kernel: --module NAME=FILE says what it is",
                 option, given);
    return found;
}

// Parses a constant of the given type. Hexadecimal digits are a float's bits.
static bool take_spec_value(const char *text, const struct krn_type *type, uint8_t bytes[8])
{
    struct krn_type as = *type;
    struct krn_value value;
    char prefix[8];
    for (const char *kind = "uif"; *kind; kind++) {
        const size_t length =
            (size_t)snprintf(prefix, sizeof prefix, "%c%" PRIu32 ":", *kind, type->bits);
        if ((*kind == 'f') == (type->kind == 'f') && strncmp(text, prefix, length) == 0)
            text += length;
    }
    if (strncmp(text, "0x", 2) == 0)
        as.kind = 'u';
    if (!krn_value_parse(&as, text, &value) ||
        (as.kind == 'f' && isinf(as.bits == 32 ? (double)(float)value.real : value.real) &&
         !strstr(text, "inf")))
        return false;
    krn_value_bytes(&as, &value, NULL, 0, bytes);
    return true;
}

static bool take_specs(const struct lit_list *given, struct krn_plan *plan, struct lit_error *error)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *word = given->items[i], *value;
        struct krn_type type = {.kind = 'u', .bits = 32, .rows = 1, .columns = 1};
        uint8_t bytes[8] = {0};
        uint64_t id;
        struct krn_pipeline *of = take_kernel("spec", word, plan, &value, error);
        if (!of)
            return false;
        if (!take_number(value, UINT32_MAX, &id, &value) || *value != '=')
            return lit_fail(error, LIT_EXIT_USAGE, "--spec '%.80s': expected ID=VALUE, as in 0=64",
                            word);
        const struct krn_module *module = &plan->modules[of->module];
        cat_spec_kind(module->words, module->count, (uint32_t)id, &type.kind, &type.bits);
        if (!take_spec_value(value + 1, &type, bytes))
            return lit_fail(error, LIT_EXIT_USAGE,
                            "--spec '%.80s': the constant is %s of %" PRIu32 " bits, as in %" PRIu64
                            "=%c%" PRIu32 ":64",
                            word, type.kind == 'f' ? "a float" : "an integer", type.bits, id,
                            type.kind, type.bits);
        // Give a smaller constant a word; the module is refused later.
        if (!krn_put_spec(of->specs, &of->spec_count, (uint32_t)id, type.bits < 32 ? 32 : type.bits,
                          bytes))
            return lit_fail(error, LIT_EXIT_USAGE, "--spec: more than %d words", CAT_MOST_SPEC);
    }
    return true;
}

static void take_addresses(struct krn_values *values, struct krn_address **to, size_t *count)
{
    free(*to);
    *to = values->addresses;
    *count = values->address_count;
    values->addresses = NULL;
}

// Parses "X", "X,Y" or "X,Y,Z".
static bool take_groups(const char *option, const char *given, uint32_t groups[3],
                        struct lit_error *error)
{
    const char *at = given;
    groups[1] = groups[2] = 1;
    for (size_t i = 0; i < 3; i++) {
        uint64_t number;
        if (!take_number(at, UINT32_MAX, &number, &at) || !number)
            break;
        groups[i] = (uint32_t)number;
        if (!*at)
            return true;
        if (*at++ != ',')
            break;
    }
    return lit_fail(error, LIT_EXIT_USAGE, "--%s '%.80s': expected X, X,Y or X,Y,Z", option, given);
}

// Reads push constants: values, which are numbers without a prefix, or file:FILE.
static bool take_push(const char *option, const char *given, const struct cat_inspected *module,
                      struct krn_dispatch *dispatch, struct lit_error *error)
{
    OWNED(krn_values_clear) struct krn_values values = {0};
    if (!(strncmp(given, "file:", 5) == 0
              ? krn_bytes(given + 5, CAT_MOST_PUSH, &values.bytes, error)
              : krn_values_take(option, given, &values, error)))
        return false;
    if (values.bytes.length != module->push_size)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--%s: %zu bytes, where the module has %" PRIu32 " of push constants",
                        option, values.bytes.length, module->push_size);
    memcpy(dispatch->push, values.bytes.data ? values.bytes.data : "", values.bytes.length);
    take_addresses(&values, &dispatch->addresses, &dispatch->address_count);
    return true;
}

// Adds a dispatch: "GROUPS", "NAME@GROUPS", optionally with ":PUSH" after it.
static bool take_step(const char *given, const struct krn_options *chosen, struct krn_plan *plan,
                      struct lit_error *error)
{
    OWNED(text_free) struct text groups = {0};
    const char *what;
    const struct krn_pipeline *of = take_kernel("then", given, plan, &what, error);
    if (!of)
        return false;
    const size_t length = strcspn(what, ":");
    const uint32_t size = of->declares.push_size;
    if (plan->dispatch_count > CAT_MOST_STEPS)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %d of --then", CAT_MOST_STEPS);
    struct krn_dispatch *step = &plan->dispatches[plan->dispatch_count++];
    step->part = of->part;
    text_puts(&groups, "");
    text_append(&groups, what, length);
    if (!take_groups("then", groups.data, step->groups, error))
        return false;
    if (what[length])
        return take_push("then", what + length + 1, &of->declares, step, error);
    if (size && (!chosen->push || size != plan->pipelines[0].declares.push_size))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--then '%.80s': nothing says what the %" PRIu32
                        " bytes of push constants are, as in --then %.80s:u32:1",
                        given, size, given);
    memcpy(step->push, plan->dispatches[0].push, sizeof step->push);
    for (size_t i = 0; i < plan->dispatches[0].address_count; i++)
        LIT_ADD(step->addresses, step->address_count) = plan->dispatches[0].addresses[i];
    return true;
}

static bool take_dispatches(const struct krn_options *chosen, struct krn_plan *plan,
                            struct lit_error *error)
{
    const struct cat_inspected *module = &plan->pipelines[0].declares;
    struct krn_dispatch *first = &plan->dispatches[plan->dispatch_count++];
    bool used[1 + CAT_MOST_PARTS] = {true};
    if ((chosen->groups && !take_groups("groups", chosen->groups, first->groups, error)) ||
        (chosen->push && !take_push("push", chosen->push, module, first, error)))
        return false;
    for (size_t i = 0; i < chosen->steps.count; i++)
        if (!take_step(chosen->steps.items[i], chosen, plan, error))
            return false;
    for (size_t i = 0; i < plan->dispatch_count; i++)
        used[plan->dispatches[i].part] = true;
    for (size_t i = 0; i < plan->pipeline_count; i++)
        if (!used[i])
            return lit_fail(error, LIT_EXIT_USAGE, "no dispatch is of kernel %s: --then %s@64",
                            plan->pipelines[i].name, plan->pipelines[i].name);
    return true;
}

// --- Buffers

// Reads a buffer's content before or after a run, from values or a file.
static bool take_words(const char *option, const char *what, struct krn_values *values,
                       uint32_t **words, size_t *count, struct lit_error *error)
{
    if (!krn_values_are(what))
        return krn_words(strncmp(what, "file:", 5) == 0 ? what + 5 : what, words, count, error);
    if (!krn_values_take(option, what, values, error))
        return false;
    *count = (values->bytes.length + 3) / 4;
    *words = lit_alloc(*count, sizeof **words);
    memcpy(*words, values->bytes.data, values->bytes.length);
    return true;
}

static bool make_content(const char *given, const char *what, struct krn_plan *plan,
                         struct krn_held *content, struct lit_error *error)
{
    (void)given;
    (void)plan;
    enum { RANDOM, IOTA, ZERO, FLOATS, KINDS };
    static const char *const kinds[KINDS] = {"random:", "iota:", "zero:", "floats:"};
    OWNED(krn_values_clear) struct krn_values values = {0};
    struct lit_random random = {random_derive(content->as.set, "kernel") + content->as.binding +
                                ((uint64_t)content->as.element << 32)};
    uint64_t bytes;
    size_t kind = 0;
    while (kind < KINDS && strncmp(what, kinds[kind], strlen(kinds[kind])) != 0)
        kind++;
    const char *size = kind < KINDS ? what + strlen(kinds[kind]) : what;
    free(content->before);
    free(content->addresses);
    content->before = NULL;
    content->addresses = NULL;
    content->address_count = 0;
    if (!take_size(size, &bytes) && kind == KINDS) {
        const bool good =
            take_words("buffer", what, &values, &content->before, &content->words, error);
        take_addresses(&values, &content->addresses, &content->address_count);
        return good;
    }
    if (!take_size(size, &bytes))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--buffer '%.80s': expected a size in bytes of at most 64M, as in %s4096",
                        what, kinds[kind]);
    content->words = (bytes + 3) / 4;
    if (kind == KINDS)
        return true;
    content->before = lit_alloc(content->words, sizeof *content->before);
    for (size_t i = 0; i < content->words; i++) {
        const uint32_t drawn = (uint32_t)(random_next(&random) >> 32);
        const float real = (float)((int32_t)drawn >> 8) * 0x1p-23f;
        content->before[i] = kind == RANDOM ? drawn : kind == IOTA ? (uint32_t)i : 0;
        if (kind == FLOATS)
            memcpy(&content->before[i], &real, sizeof real);
    }
    return true;
}

// Finds the buffer that a formula reads: the one after its @, else the only one that the kernel
// only reads.
static bool take_input(const char *what, struct krn_plan *plan, const struct krn_held **input,
                       struct lit_error *error)
{
    const char *at = what + strlen("formula");
    struct krn_place place = {0};
    size_t found = 0;
    const bool named = *at == '@' && krn_take_place(at + 1, &place, &at);
    for (size_t i = 0; i < plan->buffer_count && *at == ':'; i++) {
        const struct cat_buffer *buffer = &plan->buffers[i].as;
        if (named ? krn_place_is(&place, buffer) : buffer->readonly && !buffer->uniform) {
            *input = &plan->buffers[i];
            found++;
        }
    }
    return (found == 1 && (*input)->before) ||
           lit_fail(error, LIT_EXIT_USAGE,
                    "--expect '%.80s': which buffer's words does it read? As in "
                    "formula@0.0:input[word]+1",
                    what);
}

// Evaluates a formula for each word of a buffer: the buffer is one unit, and each word is an
// invocation in it.
static bool make_formula(const char *what, struct krn_plan *plan, struct krn_held *content,
                         struct lit_error *error)
{
    struct cat_formula formula;
    struct lit_error why = {0};
    const struct krn_held *input = NULL;
    const char *text = strchr(what, ':');
    bool folds = false;
    if (!krn_plan_settle(content))
        return true; // check_said reports the missing size
    if (!text || !cat_formula_parse(text + 1, NULL, CAT_ASKS_SIZES | CAT_ASKS_WORD | CAT_ASKS_INPUT,
                                    &formula, &why))
        return lit_fail(error, LIT_EXIT_USAGE, "--expect '%.80s': %.200s", what,
                        text ? why.message : "expected formula:E");
    bool reads = false;
    for (size_t i = 0; i < formula.count; i++) {
        const struct cat_node *node = &formula.nodes[i];
        folds |= node->kind == CAT_NODE_FOLD;
        reads |= node->kind == CAT_NODE_IN || node->kind == CAT_NODE_INPUT ||
                 (node->kind == CAT_NODE_NAME && node->number == CAT_NAME_IN);
    }
    if (folds && content->words > MOST_FOLDED)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--expect '%.80s': of all words together a formula is for %d at most", what,
                        MOST_FOLDED);
    if ((reads || text[-1] != 'a') && !take_input(what, plan, &input, error))
        return false;
    const struct cat_args args = {
        .subgroup = 1,
        .workgroup = (uint32_t)content->words,
        .oracle = cat_oracle_find("formula.workgroup"),
        .shape = {.instances = 1,
                  .words_per_instance = content->words,
                  .input_words = input ? input->words : 0},
    };
    content->after = lit_alloc(content->words, sizeof *content->after);
    for (size_t i = 0; i < content->words; i++)
        content->after[i] = cat_formula_value(
            &formula,
            &(struct cat_place){.args = &args, .input = input ? input->before : NULL, .word = i});
    return true;
}

static bool make_expected(const char *given, const char *what, struct krn_plan *plan,
                          struct krn_held *content, struct lit_error *error)
{
    OWNED(krn_values_clear) struct krn_values values = {0};
    size_t words = 0;
    free(content->after);
    content->after = NULL;
    if (strncmp(what, "formula:", 8) == 0 || strncmp(what, "formula@", 8) == 0)
        return make_formula(what, plan, content, error);
    if (!take_words("expect", what, &values, &content->after, &words, error))
        return false;
    if (values.address_count)
        return lit_fail(error, LIT_EXIT_USAGE, "--expect '%.80s': addresses differ between devices",
                        given);
    if (content->words && content->words != words)
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--expect '%.80s': %zu words, where the buffer has %zu", given, words,
                        content->words);
    content->words = words;
    return true;
}

static bool take_real(const char *text, float *real)
{
    char *end;
    *real = strtof(text, &end);
    return end > text && !*end && *real > 0 && *real < INFINITY;
}

bool krn_allow_take(const char *how, struct cat_tolerance *may, uint32_t *bits)
{
    const char *value = how + strcspn(how, ":");
    const size_t length = (size_t)(value - how);
    uint64_t number, to;
    char *end;
    *bits = UINT32_MAX;
    value += *value == ':';
#define IS(name) (length == strlen(name) && strncmp(how, name, length) == 0)
    if (IS("bits")) {
        number = strtoull(value, &end, 16);
        *bits = (uint32_t)number;
        return isxdigit((unsigned char)*value) && !*end && number <= UINT32_MAX;
    }
    if (IS("any-order") && !*value) {
        may->order = 1;
        return true;
    }
    if (IS("relative"))
        return take_real(value, &may->relative);
    if (IS("absolute"))
        return take_real(value, &may->absolute);
    if (IS("rmse"))
        return take_real(value, &may->rmse);
    if (!take_number(value, UINT32_MAX, &number, &value) || (!number && !IS("words")))
        return false;
    if (IS("words") && *value == '-' && take_number(value + 1, UINT32_MAX - 1, &to, &value)) {
        may->from = number;
        may->to = to + 1;
        return !*value && number <= to;
    }
    uint32_t *to_set = IS("ulp") ? &may->ulps : IS("ulp16") ? &may->half_ulps : NULL;
    if (IS("any-order") && number % 4 == 0)
        to_set = &may->order;
    if (!to_set)
        return false;
    *to_set = (uint32_t)(to_set == &may->order ? number / 4 : number);
    return !*value;
#undef IS
}

// Parses "bits:FILE.words", the bits to compare for each word.
static bool take_counts(const char *given, const char *path, struct krn_held *held,
                        struct lit_error *error)
{
    size_t words;
    free(held->counts);
    held->counts = NULL;
    return krn_words(path, &held->counts, &words, error) &&
           (words == held->words ||
            lit_fail(error, LIT_EXIT_USAGE, "--allow '%.80s': %zu words, where the buffer has %zu",
                     given, words, held->words));
}

static bool take_allowed(const char *given, const char *what, struct krn_plan *plan,
                         struct krn_held *held, struct lit_error *error)
{
    uint32_t bits;
    (void)plan;
    if (strncmp(what, "bits:", 5) == 0 && krn_ends(what + 5, ".words"))
        return take_counts(given, what + 5, held, error);
    if (!krn_allow_take(what, &held->may, &bits))
        return lit_fail(
            error, LIT_EXIT_USAGE,
            "--allow '%.80s': expected any-order, any-order:BYTES, ulp:N or ulp16:N with N of 1 or "
            "more, relative:X, absolute:X, rmse:X, bits:HEX, bits:FILE.words or words:FIRST-LAST",
            given);
    if (strncmp(what, "bits:", 5) != 0 || !krn_plan_settle(held))
        return true;
    free(held->counts);
    held->counts = lit_alloc(held->words, sizeof *held->counts);
    for (size_t word = 0; word < held->words; word++)
        held->counts[word] = bits;
    return true;
}

bool krn_agrees(const struct krn_options *chosen)
{
    const struct lit_list *list = &chosen->expected;
    return list->count ? strcmp(list->items[list->count - 1], "agree") == 0 : chosen->check;
}

static bool take_contents(const struct krn_options *chosen, struct krn_plan *plan,
                          struct lit_error *error)
{
    struct lit_list expected = chosen->expected; // `agree` replaces what stands before it
    for (size_t i = 0; i < chosen->expected.count; i++)
        if (strcmp(chosen->expected.items[i], "agree") == 0)
            expected = (struct lit_list){.items = chosen->expected.items + i + 1,
                                         .count = chosen->expected.count - i - 1};
    return take_places("buffer", &chosen->buffers, plan, make_content, error) &&
           take_places("expect", &expected, plan, make_expected, error) &&
           take_places("allow", &chosen->allowed, plan, take_allowed, error);
}

// --- The whole

void krn_name(const char *from, size_t length, struct text *name)
{
    for (size_t i = 0; i < length && i < 64; i++) {
        const char c = (char)tolower((unsigned char)from[i]);
        text_append(name, isalnum((unsigned char)c) && (unsigned char)c < 128 ? &c : "-", 1);
    }
}

// Names everything that no option says, in one message.
static bool check_said(const struct krn_options *chosen, struct krn_plan *plan,
                       struct lit_error *error)
{
    const uint32_t push = chosen->push ? 0 : plan->pipelines[0].declares.push_size;
    OWNED(text_free) struct text what = {0}, options = {0}, example = {0};
    if (!chosen->groups) {
        text_puts(&what, "how many workgroups there are");
        text_puts(&options, " --groups 64");
    }
    if (push) {
        text_printf(&what, "%swhat the %" PRIu32 " bytes of push constants are",
                    what.length ? ", " : "", push);
        for (uint32_t i = 0; i < push / 4 && i < 8; i++)
            text_puts(&options, i ? ",0" : " --push u32:0");
        text_puts(&options, push > 32 ? ",..." : "");
    }
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (plan->buffers[i].used && !krn_plan_settle(&plan->buffers[i]))
            krn_plan_miss(&plan->buffers[i], &what, &options);
    for (size_t i = plan->buffer_count; i-- > 0 && !example.length;) {
        const struct cat_buffer *as = &plan->buffers[i].as;
        if (!as->readonly)
            cat_put_place(&example, as->set, as->binding, as->element);
    }
    if (!chosen->expected.count && !krn_agrees(chosen)) {
        text_printf(&what, "%swhat is right", what.length ? ", " : "");
        text_printf(&options, " --expect %s=sums.words, or --expect agree",
                    example.length ? example.data : "0.1");
    }
    const bool fits = what.length + options.length + 20 < sizeof error->message;
    return !what.length || lit_fail(error, LIT_EXIT_USAGE, "nothing says %s:%s",
                                    fits ? what.data : "all that is needed", options.data);
}

// Adds a pipeline of the first module, or of the one in a file.
static bool add_pipeline(const char *path, const char *entry, const struct krn_options *chosen,
                         struct krn_plan *plan, struct text *page, struct lit_error *error)
{
    struct krn_pipeline *made = &LIT_ADD(plan->pipelines, plan->pipeline_count);
    *made = (struct krn_pipeline){.full = chosen->full, .subgroup = (uint32_t)chosen->subgroup};
    snprintf(made->entry, sizeof made->entry, "%s", entry ? entry : "");
    if (!path)
        return true;
    made->module = plan->module_count;
    struct krn_module *module = &LIT_ADD(plan->modules, plan->module_count);
    *module = (struct krn_module){0};
    return krn_load(path, chosen, &module->words, &module->count, page, error);
}

// Parses "NAME=FILE", "NAME=FILE@ENTRY", or "NAME=@ENTRY", another entry point of the first file.
static bool take_module(const char *given, const struct krn_options *chosen, struct krn_plan *plan,
                        struct text *page, struct lit_error *error)
{
    const size_t length = strcspn(given, "=");
    const char *file = given + length + 1, *at = given[length] ? strrchr(file, '@') : NULL;
    OWNED(text_free) struct text path = {0};
    if (!length || length >= CAT_ENTRY_SIZE || !given[length] || !*file || (at && !at[1]) ||
        memchr(given, '@', length))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "--module '%.80s': expected NAME=FILE, NAME=FILE@ENTRY or NAME=@ENTRY",
                        given);
    if (find_kernel(plan, given, length))
        return lit_fail(error, LIT_EXIT_USAGE, "--module '%.80s': there are two of that name",
                        given);
    if (plan->pipeline_count > CAT_MOST_PARTS)
        return lit_fail(error, LIT_EXIT_USAGE, "more than %d of --module", CAT_MOST_PARTS);
    text_append(&path, file, at ? (size_t)(at - file) : strlen(file));
    if (path.length)
        text_printf(page, "\n; %.*s: %s\n", (int)length, given, lit_path_name(path.data));
    const bool good =
        add_pipeline(path.length ? path.data : NULL, at ? at + 1 : NULL, chosen, plan, page, error);
    memcpy(plan->pipelines[plan->pipeline_count - 1].name, given, length);
    return good;
}

static bool inspect(struct krn_plan *plan, struct krn_pipeline *pipeline, const char *path,
                    struct lit_error *error)
{
    const struct krn_module *module = &plan->modules[pipeline->module];
    struct lit_error why = {0};
    return cat_inspect(module->words, module->count, pipeline->entry[0] ? pipeline->entry : NULL,
                       pipeline->specs, pipeline->spec_count, &pipeline->declares, &why) ||
           lit_fail(error, LIT_EXIT_USAGE, "%.200s%s%.64s: %.300s", path,
                    pipeline->name[0] ? ", " : "", pipeline->name, why.message);
}

// Moves a pipeline's buffer or array that `--bind` names to another place.
static bool take_bind(const char *given, struct krn_plan *plan,
                      struct cat_buffer (*places)[CAT_MOST_BINDINGS], struct lit_error *error)
{
    const char *at;
    struct krn_place from, to;
    const struct krn_pipeline *of = take_kernel("bind", given, plan, &at, error);
    bool found = false;
    if (!of)
        return false;
    const bool good = krn_take_place(at, &from, &at) && !from.element && *at == '=' &&
                      krn_take_place(at + 1, &to, &at) && !to.element && !*at;
    for (size_t i = 0; i < of->declares.buffer_count && good; i++)
        if (krn_place_is(&from, &of->declares.buffers[i])) {
            struct cat_buffer *place = &places[of - plan->pipelines][i];
            place->set = to.set;
            place->binding = to.binding;
            found = true;
        }
    return found || lit_fail(error, LIT_EXIT_USAGE,
                             "--bind '%.80s': expected NAME@SET.BINDING=SET.BINDING, first a "
                             "buffer of the kernel NAME, then one of --buffer",
                             given);
}

// Counts the elements that the options give an open array.
static uint32_t count_elements(const struct lit_list *buffers, const struct cat_buffer *of)
{
    struct krn_place place;
    const char *end;
    uint32_t count = 1;
    for (size_t i = 0; i < buffers->count; i++)
        if (krn_take_place(buffers->items[i], &place, &end) && place.set == of->set &&
            place.binding == of->binding && place.element > count)
            count = place.element;
    return count;
}

// Binds the buffer of one place, or as many elements of an open array as the options give.
static bool bind(const struct krn_options *chosen, struct krn_plan *plan, struct krn_pipeline *p,
                 const struct cat_buffer *declared, struct cat_buffer place,
                 struct lit_error *error)
{
    const uint32_t elements =
        declared->open && declared->element == 1 ? count_elements(&chosen->buffers, &place) : 1;
    for (uint32_t i = 0; i < elements; i++, place.element++) {
        size_t held = 0;
        while (held < plan->buffer_count && !CAT_SAME_PLACE(&plan->buffers[held].as, &place))
            held++;
        if (p->bind_count == KRN_MOST_HELD)
            return lit_fail(error, LIT_EXIT_USAGE, "more than %d buffers", CAT_MOST_BINDINGS);
        p->binds[p->bind_count++] = (struct krn_bind){.buffer = held,
                                                      .set = declared->set,
                                                      .binding = declared->binding,
                                                      .element = declared->element + i,
                                                      .uniform = declared->uniform};
        if (held == plan->buffer_count)
            LIT_ADD(plan->buffers, plan->buffer_count) =
                (struct krn_held){.as = place, .used = true};
    }
    return true;
}

// Makes the list of buffers: those at the same place are one.
static bool bind_all(const struct krn_options *chosen, struct krn_plan *plan,
                     struct lit_error *error)
{
    OWNED(lit_free)
    struct cat_buffer(*places)[CAT_MOST_BINDINGS] = lit_alloc(1 + CAT_MOST_PARTS, sizeof *places);
    bool good = true;
    for (size_t p = 0; p < plan->pipeline_count; p++)
        memcpy(places[p], plan->pipelines[p].declares.buffers, sizeof *places);
    for (size_t i = 0; i < chosen->binds.count && good; i++)
        good = take_bind(chosen->binds.items[i], plan, places, error);
    for (size_t p = 0; p < plan->pipeline_count && good; p++) {
        struct krn_pipeline *each = &plan->pipelines[p];
        for (size_t i = 0; i < each->declares.buffer_count && good; i++)
            good = bind(chosen, plan, each, &each->declares.buffers[i], places[p][i], error);
        good = good && krn_plan_use(plan, p, error);
    }
    return good;
}

// If values contain the address of a place that no module declares, adds a buffer of the first
// pipeline for it.
static bool add_addressed(const char *option, const char *values, struct krn_plan *plan,
                          struct lit_error *error)
{
    OWNED(krn_values_clear) struct krn_values taken = {0};
    struct krn_pipeline *first = &plan->pipelines[0];
    struct cat_inspected *module = &first->declares;
    if (!values || !strstr(values, "address:") || strncmp(values, "file:", 5) == 0)
        return true;
    if (!krn_values_take(option, values, &taken, error))
        return false;
    for (size_t i = 0; i < taken.address_count; i++) {
        const struct krn_place *of = &taken.addresses[i].of;
        const struct cat_buffer as = {.set = of->set, .binding = of->binding, .each = 4};
        struct krn_held *held = find_held(plan, of);
        if (!held &&
            (of->element || as.set >= CAT_MOST_SETS || plan->buffer_count >= KRN_MOST_HELD ||
             module->buffer_count == CAT_MOST_BINDINGS))
            return lit_fail(
                error, LIT_EXIT_USAGE,
                "--%s '%.80s': no such element, more than %d buffers, or a set above %d", option,
                values, CAT_MOST_BINDINGS, CAT_MOST_SETS - 1);
        if (!held) {
            first->held[module->buffer_count] = plan->buffer_count;
            module->buffers[module->buffer_count++] = as;
            held = &LIT_ADD(plan->buffers, plan->buffer_count);
            *held = (struct krn_held){.as = as, .used = true};
        }
        held->as.readonly = held->as.uniform; // a kernel that has its address may store to it
    }
    return true;
}

static bool find_addressed(const struct krn_options *chosen, struct krn_plan *plan,
                           struct lit_error *error)
{
    const struct {
        const char *option;
        const struct lit_list *list;
        char before;
    } lists[] = {{"then", &chosen->steps, ':'}, {"buffer", &chosen->buffers, '='}};
    bool good = add_addressed("push", chosen->push, plan, error);
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l].list->count && good; i++) {
            const char *at = strchr(lists[l].list->items[i], lists[l].before);
            good = add_addressed(lists[l].option, at ? at + 1 : NULL, plan, error);
        }
    return good;
}

static bool take_pipelines(const char *path, const struct krn_options *chosen,
                           struct krn_plan *plan, struct text *page, struct lit_error *error)
{
    const uint64_t size = chosen->subgroup;
    if (size > 128 || size & (size - 1))
        return lit_fail(error, LIT_EXIT_USAGE, "--subgroup %" PRIu64 ": not a subgroup size", size);
    bool good = add_pipeline(path, chosen->entry, chosen, plan, page, error);
    for (size_t i = 0; i < chosen->modules.count && good; i++)
        good = take_module(chosen->modules.items[i], chosen, plan, page, error);
    good = good && take_specs(&chosen->specs, plan, error);
    for (size_t i = 0; i < plan->pipeline_count && good; i++)
        good = inspect(plan, &plan->pipelines[i], path, error);
    return good && bind_all(chosen, plan, error) && find_addressed(chosen, plan, error);
}

bool krn_is_script(const char *path)
{
    return krn_ends(path, ".amber");
}

bool krn_make(const char *path, const struct krn_options *chosen, struct cat_package *package,
              struct lit_error *error)
{
    OWNED(krn_plan_clear) struct krn_plan made = {0};
    struct krn_plan *plan = &made;
    char origin[200];
    const char *file = chosen->name ? chosen->name : lit_path_name(path);
    const char *dot = chosen->name ? NULL : strchr(file + (*file == '.'), '.');
    text_sanitise(origin, sizeof origin, lit_path_name(path));
    text_puts(&package->origin, origin);
    for (size_t i = 0; i < chosen->without.count; i++)
        text_printf(&package->origin, ", without %.80s", chosen->without.items[i]);
    krn_name(file, dot ? (size_t)(dot - file) : strlen(file), &package->name);
    if (krn_is_script(path))
        return krn_script(path, chosen, plan, &package->page, error) &&
               krn_plan_place(plan, krn_agrees(chosen), package, error);
    return take_pipelines(path, chosen, plan, &package->page, error) &&
           take_contents(chosen, plan, error) && take_dispatches(chosen, plan, error) &&
           check_said(chosen, plan, error) &&
           krn_plan_place(plan, krn_agrees(chosen), package, error);
}
