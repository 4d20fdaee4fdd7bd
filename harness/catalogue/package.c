// SPDX-License-Identifier: Apache-2.0
// Packages as bytes. A single list of fields serves for writing and reading. The bytes are a zstd
// frame with a checksum.
#include "catalogue/package.h"

#include "base/spirv.h"

#include <math.h>
#include <zstd.h>

#define FORMAT 0x314b544cu // "LTK1"
#define LEVEL  3

void cat_package_clear(struct cat_package *package)
{
    text_free(&package->name);
    text_free(&package->origin);
    text_free(&package->page);
    text_free(&package->check);
    free(package->words);
    free(package->specs);
    for (size_t i = 0; i < package->interface.part_count; i++)
        free(package->interface.parts[i].words);
    free(package->interface.parts);
    free(package->interface.counts);
    for (size_t i = 0; i < CAT_REGIONS; i++)
        free(package->region[i]);
    free(package->expected);
    *package = (struct cat_package){0};
}

// --- Both directions

struct codec {
    struct text *out; // writing; if NULL, reading:
    const char *at;
    size_t left;
    bool bad;
};

static void put_bytes(struct codec *c, void *bytes, size_t size)
{
    if (c->out) {
        text_append(c->out, bytes, size);
    } else if (size > c->left) {
        c->bad = true;
    } else if (size) {
        memcpy(bytes, c->at, size);
        c->at += size;
        c->left -= size;
    }
}

// A member of a plain type.
#define PUT(c, member) put_bytes(c, &(member), sizeof(member))

static void put_flag(struct codec *c, bool *flag)
{
    uint32_t number = *flag;
    PUT(c, number);
    *flag = number & 1;
    c->bad |= number > 1;
}

static void put_count(struct codec *c, size_t *count, uint64_t most)
{
    uint32_t number = (uint32_t)*count;
    PUT(c, number);
    *count = c->bad || number > most ? 0 : number;
    c->bad |= number > most;
}

// An array of elements of `each` bytes, allocated when reading.
static void put_list(struct codec *c, void **items, size_t *count, size_t each)
{
    put_count(c, count, c->out ? UINT32_MAX : c->left / each);
    if (!c->out)
        *items = lit_alloc(*count + 1, each);
    put_bytes(c, *items, *count * each);
}

static void put_text(struct codec *c, struct text *text)
{
    size_t size = text->length;
    put_count(c, &size, c->out ? UINT32_MAX : c->left);
    if (c->out) {
        put_bytes(c, text->data, size);
    } else if (size > c->left) {
        c->bad = true;
    } else if (!c->bad) {
        text_append(text, c->at, size);
        c->at += size;
        c->left -= size;
    }
}

static void put_tolerance(struct codec *c, struct cat_tolerance *of)
{
    PUT(c, of->order);
    PUT(c, of->from);
    PUT(c, of->to);
    PUT(c, of->ulps);
    PUT(c, of->half_ulps);
    PUT(c, of->relative);
    PUT(c, of->absolute);
    PUT(c, of->rmse);
    PUT(c, of->like);
    PUT(c, of->nan);
}

static void put_interface(struct codec *c, struct cat_interface *of)
{
    PUT(c, of->entry);
    PUT(c, of->rows);
    PUT(c, of->layers);
    put_flag(c, &of->full);
    put_flag(c, &of->sized);
    PUT(c, of->width);
    PUT(c, of->push_size);
    PUT(c, of->push);
    put_count(c, &of->binding_count, CAT_MOST_BINDINGS);
    for (size_t i = 0; i < of->binding_count; i++) {
        struct cat_binding *binding = &of->bindings[i];
        uint32_t region = binding->region;
        PUT(c, binding->set);
        PUT(c, binding->binding);
        PUT(c, binding->element);
        put_flag(c, &binding->uniform);
        PUT(c, region);
        PUT(c, binding->first);
        PUT(c, binding->words);
        put_tolerance(c, &binding->may);
        PUT(c, binding->name);
        c->bad |= region >= CAT_REGIONS;
        binding->region = c->bad ? CAT_INPUT : (enum cat_region)region;
    }
}

static void put_steps(struct codec *c, struct cat_interface *of)
{
    put_count(c, &of->step_count, CAT_MOST_STEPS);
    for (size_t i = 0; i < of->step_count; i++) {
        PUT(c, of->steps[i].part);
        PUT(c, of->steps[i].groups);
        PUT(c, of->steps[i].push);
    }
}

static void put_addresses(struct codec *c, struct cat_interface *of)
{
    put_count(c, &of->address_count, CAT_MOST_ADDRESSES);
    for (size_t i = 0; i < of->address_count; i++) {
        PUT(c, of->addresses[i].in);
        PUT(c, of->addresses[i].step);
        PUT(c, of->addresses[i].at);
        PUT(c, of->addresses[i].of);
        PUT(c, of->addresses[i].first);
    }
}

static void put_parts(struct codec *c, struct cat_interface *of)
{
    size_t words = (size_t)of->count_words;
    put_count(c, &of->part_count, CAT_MOST_PARTS);
    if (!c->out)
        of->parts = lit_alloc(of->part_count + 1, sizeof *of->parts);
    for (size_t i = 0; i < of->part_count; i++) {
        struct cat_part *part = &of->parts[i];
        put_interface(c, &part->interface);
        put_list(c, (void **)&part->words, &part->word_count, sizeof *part->words);
        PUT(c, part->workgroup);
        PUT(c, part->subgroup);
        put_count(c, &part->spec_count, CAT_MOST_SPEC);
        put_bytes(c, part->spec_ids, part->spec_count * sizeof *part->spec_ids);
        put_bytes(c, part->spec_values, part->spec_count * sizeof *part->spec_values);
    }
    put_list(c, (void **)&of->counts, &words, sizeof *of->counts);
    of->count_words = words;
    if (!words && !c->out) {
        free(of->counts);
        of->counts = NULL;
    }
}

static void put_litmus(struct codec *c, struct cat_litmus *of)
{
    PUT(c, of->threads);
    PUT(c, of->buffered);
    PUT(c, of->initial);
    put_flag(c, &of->forbids);
    PUT(c, of->states.names);
    PUT(c, of->states.fails);
}

static void put_package(struct codec *c, struct cat_package *of)
{
    uint32_t format = FORMAT;
    PUT(c, format);
    c->bad |= format != FORMAT;
    put_text(c, &of->name);
    put_text(c, &of->origin);
    put_text(c, &of->page);
    put_list(c, (void **)&of->words, &of->word_count, sizeof *of->words);
    put_interface(c, &of->interface);
    put_steps(c, &of->interface);
    put_parts(c, &of->interface);
    PUT(c, of->groups);
    PUT(c, of->workgroup);
    PUT(c, of->subgroup);
    put_list(c, (void **)&of->specs, &of->spec_count, sizeof *of->specs);
    for (size_t i = 0; i < CAT_REGIONS; i++)
        put_list(c, (void **)&of->region[i], &of->region_words[i], sizeof **of->region);
    put_list(c, (void **)&of->expected, &of->expected_words, sizeof *of->expected);
    put_litmus(c, &of->litmus);
    PUT(c, of->litmus.words);
    put_addresses(c, &of->interface);
}

// The check's text, in a second frame that zstd skips.
static void put_check(struct codec *c, struct cat_package *of)
{
    uint32_t magic = ZSTD_MAGIC_SKIPPABLE_START, rest = (uint32_t)(of->check.length + 8);
    PUT(c, magic);
    PUT(c, rest);
    c->bad |= magic != ZSTD_MAGIC_SKIPPABLE_START || (!c->out && rest != c->left);
    put_flag(c, &of->unsound);
    put_text(c, &of->check);
}

void cat_package_write(const struct cat_package *package, struct text *bytes)
{
    OWNED(text_free) struct text plain = {0};
    struct codec codec = {.out = &plain};
    put_package(&codec, (struct cat_package *)package);
    const size_t room = ZSTD_compressBound(plain.length);
    OWNED(lit_free) char *packed = lit_alloc(room, 1);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t size = ZSTD_compress2(context, packed, room, plain.data, plain.length);
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(size))
        lit_give_up("a kernel cannot be compressed");
    text_append(bytes, packed, size);
    codec.out = bytes;
    if (package->check.length)
        put_check(&codec, (struct cat_package *)package);
}

size_t cat_package_identity(const void *bytes, size_t size)
{
    const size_t frame = ZSTD_findFrameCompressedSize(bytes, size);
    return ZSTD_isError(frame) ? size : frame;
}

const char *cat_package_check(const struct cat_package *package)
{
    return package->check.length ? package->check.data : "not checked";
}

// --- Validation after reading

static bool is_in_region(const struct cat_package *of, const struct cat_binding *binding)
{
    const uint64_t words = of->region_words[binding->region];
    return binding->set < CAT_MOST_SETS && binding->words > 0 && binding->first <= words &&
           binding->words <= words - binding->first && binding->first % CAT_BINDING_WORDS == 0;
}

static bool is_tolerance(const struct cat_package *of, const struct cat_binding *binding)
{
    const struct cat_tolerance *may = &binding->may;
    const uint64_t words = of->region_words[CAT_OUTPUT];
    return (!may->like || (binding->words <= words && may->like - 1 <= words - binding->words)) &&
           may->order <= binding->words && may->to <= binding->words &&
           (may->to ? may->from < may->to : !may->from) && may->relative >= 0 &&
           may->relative < INFINITY && may->absolute >= 0 && may->absolute < INFINITY &&
           may->rmse >= 0 && may->rmse < INFINITY;
}

// Valid in a head: one line.
static bool is_line(const struct text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ' || text->data[i] == 0x7f)
            return false;
    return text->length > 0 && text_is_utf8(text->data);
}

// Valid text of several lines; the first goes into a head.
static bool is_text(const struct text *text)
{
    const size_t first = text->length ? strcspn(text->data, "\n") : 0;
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] < ' ' && text->data[i] != '\n')
            return false;
    return first > 0 && text_is_utf8(text->data);
}

static const char *find_litmus_fault(const struct cat_package *of)
{
    const struct cat_litmus *litmus = &of->litmus;
    if (litmus->buffered > CAT_MOST_LOCATIONS || !litmus->words || litmus->words > 2 ||
        !of->region_words[CAT_INPUT] || of->region_words[CAT_OUTPUT] ||
        of->region_words[CAT_STATE] || of->expected_words)
        return "its buffers";
    if (of->spec_count || of->interface.binding_count || of->interface.step_count ||
        of->interface.part_count || of->interface.counts || of->interface.address_count)
        return "its interface";
    const uint32_t places[] = {of->groups, of->workgroup, of->subgroup};
    for (size_t i = 0; i < 3; i++)
        if (!places[i] != !of->groups || places[i] & (places[i] - 1) || places[i] > CAT_MOST_PLACES)
            return "its places";
    for (size_t i = 0; i <= CAT_STATES; i++) {
        const char *name = litmus->states.names[i];
        if (!memchr(name, '\0', CAT_CHOICE_NAME) || !text_is_utf8(name))
            return "its states";
    }
    return litmus->states.fails & 1 || litmus->states.fails >> (CAT_STATES + 1) ? "its states"
                                                                                : NULL;
}

static const char *find_pipeline_fault(const struct cat_package *of,
                                       const struct cat_interface *interface)
{
    if (!memchr(interface->entry, '\0', sizeof interface->entry))
        return "its entry point";
    if (interface->push_size > CAT_MOST_PUSH || interface->push_size % 4)
        return "its push constants";
    for (size_t i = 0; i < interface->binding_count; i++)
        if (!is_in_region(of, &interface->bindings[i]) ||
            !is_tolerance(of, &interface->bindings[i]) ||
            !memchr(interface->bindings[i].name, '\0', sizeof interface->bindings[i].name))
            return "its buffers";
    // Elements of an array must be consecutive.
    for (size_t i = 0; i < interface->binding_count; i++)
        if (interface->bindings[i].element > 1 &&
            (!i || interface->bindings[i - 1].set != interface->bindings[i].set ||
             interface->bindings[i - 1].binding != interface->bindings[i].binding ||
             interface->bindings[i - 1].element != interface->bindings[i].element - 1))
            return "its buffers";
    return NULL;
}

static bool are_addresses(const struct cat_package *of)
{
    const struct cat_interface *interface = &of->interface;
    for (size_t i = 0; i < interface->address_count; i++) {
        const struct cat_address *each = &interface->addresses[i];
        const uint64_t words =
            each->in < CAT_REGIONS ? of->region_words[each->in] : CAT_MOST_PUSH / 4;
        if (each->in > CAT_REGIONS || each->of >= CAT_REGIONS || words < 2 ||
            each->at > words - 2 || each->step > interface->step_count ||
            each->first >= of->region_words[each->of])
            return false;
    }
    return true;
}

static const char *find_part_fault(const struct cat_package *of)
{
    const struct cat_interface *interface = &of->interface;
    const char *fault = find_pipeline_fault(of, interface);
    for (size_t i = 0; i < interface->part_count && !fault; i++) {
        const struct cat_part *part = &interface->parts[i];
        if (part->word_count && !spirv_is_module(part->words, part->word_count))
            return "its modules";
        fault = part->workgroup ? find_pipeline_fault(of, &part->interface) : "its dispatch";
    }
    for (size_t i = 0; i < interface->step_count; i++)
        if (!interface->steps[i].groups[0] || !interface->steps[i].groups[1] ||
            !interface->steps[i].groups[2] || interface->steps[i].part > interface->part_count)
            return "its dispatch";
    return fault || are_addresses(of) ? fault : "its addresses";
}

static const char *find_fault(const struct cat_package *of)
{
    const struct cat_interface *interface = &of->interface;
    const char *name = of->name.length ? of->name.data : "";
    if (strlen(name) != of->name.length ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")])
        return "its name";
    if (!is_line(&of->origin))
        return "where it came from";
    if (!spirv_is_module(of->words, of->word_count))
        return "its module";
    if ((of->unsound || of->check.length) && !is_text(&of->check))
        return "what the check says";
    if (!of->name.length)
        return of->page.length && strlen(of->page.data) == of->page.length ? NULL : "its text";
    if (of->litmus.threads)
        return find_litmus_fault(of);
    const char *fault = find_part_fault(of);
    if (fault)
        return fault;
    if (!of->groups || !interface->rows || !interface->layers || !of->workgroup)
        return "its dispatch";
    if (of->spec_count > CAT_MOST_SPEC)
        return "its specialization constants";
    if (!of->region_words[CAT_OUTPUT] || !of->region_words[CAT_STATE] ||
        of->expected_words != of->region_words[CAT_OUTPUT] ||
        (interface->counts && interface->count_words != of->expected_words))
        return "what is expected";
    return NULL;
}

bool cat_package_read(const void *bytes, size_t size, struct cat_package *package,
                      struct lit_error *error)
{
    const unsigned long long said = ZSTD_getFrameContentSize(bytes, size);
    *package = (struct cat_package){0};
    if (said == ZSTD_CONTENTSIZE_ERROR || said == ZSTD_CONTENTSIZE_UNKNOWN ||
        said > CAT_MOST_PACKAGE)
        return lit_fail(error, LIT_EXIT_USAGE, "a kernel that cannot be unpacked");
    OWNED(lit_free) char *plain = lit_alloc((size_t)said + 1, 1);
    if (ZSTD_decompress(plain, (size_t)said, bytes, size) != said)
        return lit_fail(error, LIT_EXIT_USAGE, "a kernel that cannot be unpacked");
    struct codec codec = {.at = plain, .left = (size_t)said};
    put_package(&codec, package);
    const size_t frame = cat_package_identity(bytes, size);
    struct codec behind = {.at = (const char *)bytes + frame, .left = size - frame};
    if (behind.left)
        put_check(&behind, package);
    if (codec.bad || codec.left || behind.bad || behind.left)
        return lit_fail(error, LIT_EXIT_USAGE, "a kernel that is damaged");
    const char *fault = find_fault(package);
    return !fault || lit_fail(error, LIT_EXIT_USAGE, "a kernel that makes no sense: %s", fault);
}

static void put_litmus_head(const struct cat_package *package, struct text *head)
{
    const bool forbids = package->litmus.forbids;
    const bool waits = package->groups > 0,
               ends = !strcmp(package->litmus.states.names[0], "ended");
    text_printf(head,
                "; litmus    litmus.%s\n"
                "; asks      which final states does the litmus test of %s have?\n"
                "; fails     %s\n"
                "; origin    %s\n"
                "; spec      Vulkan, Memory Model: docs/memory-model.md has the relations by which "
                "final states are decided\n"
                "; sweep     workgroup 0  256 | 64 1024\n"
                "; sweep     times -      %s\n"
                "; sweep     stride 1     1 | 2 32\n"
                "; sweep     step 2       4099 | 1031\n"
                "%s"
                "; expect    %s\n"
                "; oracle    litmus.states\n",
                package->name.data, package->origin.data,
                forbids ? "an instance has a final state that the memory model forbids"
                : ends  ? "nothing: how many instances end is what it asks"
                        : "an instance has a final state that the file's condition asks for",
                package->origin.data, waits ? "32 | 1" : "1 | 32",
                waits ? "; sweep     polls 3      65536 | 1024 1048576\n" : "",
                forbids ? "forbidden : no consistent execution has the final state"
                : ends  ? "assumed : Vulkan promises no progress, and programs depend on some"
                        : "control : the memory model allows what the condition asks for, or the "
                          "program has a data race");
}

void cat_package_configuration(const struct cat_package *package, struct text *name)
{
    text_printf(name, "kernel.%s@workgroup=%" PRIu32, package->name.data, package->workgroup);
    if (package->subgroup)
        text_printf(name, ",subgroup=%" PRIu32, package->subgroup);
}

void cat_package_head(const struct cat_package *package, struct text *head)
{
    if (!package->name.length) {
        text_append(head, package->page.data, package->page.length);
        return;
    }
    if (package->litmus.threads) {
        put_litmus_head(package, head);
        return;
    }
    const char *check = cat_package_check(package);
    text_printf(
        head,
        "; litmus    kernel.%s\n"
        "; asks      does the kernel of %s store what it is expected to?\n"
        "; fails     a word of a buffer is not what was expected of it.\n"
        "; origin    %s\n"
        "; spec      none says what a kernel from outside stores: whoever runs it declares what is "
        "required (docs/kernel.md)\n"
        "; sweep     workgroup -  %" PRIu32 "\n"
        "; expect    %s : %s%.*s\n"
        "; oracle    kernel.words\n",
        package->name.data, package->origin.data, package->origin.data, package->workgroup,
        package->unsound ? "contested" : "forbidden",
        package->unsound ? "" : "that result is declared to be required (--expect); ",
        (int)strcspn(check, "\n"), check);
}
