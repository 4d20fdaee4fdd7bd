// SPDX-License-Identifier: Apache-2.0
// A kernel as files that litmus kernel takes: its assembly, FILE.kernel beside it, its words.
#include "reduce/reduce.h"

#include "base/file.h"
#include "base/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a buffer's words are: one number for all of them, or several.
static bool is_uniform(const uint32_t *words, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (words[i] != words[0])
            return false;
    return true;
}

static bool write_words(const char *folder, const char *name, const uint32_t *words, uint64_t count,
                        struct lit_error *error)
{
    OWNED(text_free) struct text path = {0}, text = {0};
    text_printf(&path, "%s/%s", folder, name);
    for (uint64_t i = 0; i < count; i++)
        text_printf(&text, "0x%" PRIx32 "%s", words[i], i % 8 == 7 || i + 1 == count ? "\n" : " ");
    return lit_file_write(path.data, text.data, text.length, error);
}

static void put_tolerance(const struct cat_binding *binding, struct text *side)
{
    const struct cat_tolerance *may = &binding->may;
    OWNED(text_free) struct text lead = {0};
    text_puts(&lead, "allow   ");
    cat_put_place(&lead, binding->set, binding->binding, binding->element);
    text_puts(&lead, "=");
    if (may->order)
        text_printf(side, "%sany-order:%" PRIu32 "\n", lead.data, may->order * 4);
    if (may->rmse > 0)
        text_printf(side, "%srmse:%.9g\n", lead.data, (double)may->rmse);
    if (may->to)
        text_printf(side, "%swords:%" PRIu64 "-%" PRIu64 "\n", lead.data, may->from, may->to - 1);
    if (may->ulps)
        text_printf(side, "%sulp:%" PRIu32 "\n", lead.data, may->ulps);
    if (may->half_ulps)
        text_printf(side, "%sulp16:%" PRIu32 "\n", lead.data, may->half_ulps);
    if (may->relative > 0)
        text_printf(side, "%srelative:%.9g\n", lead.data, (double)may->relative);
    if (may->absolute > 0)
        text_printf(side, "%sabsolute:%.9g\n", lead.data, (double)may->absolute);
}

static bool put_buffer(const struct cat_package *p, const struct cat_binding *binding,
                       const char *folder, struct text *side, struct lit_error *error)
{
    const uint32_t *words = p->region[binding->region] + binding->first;
    OWNED(text_free) struct text place = {0};
    char file[80];
    bool good = true;
    cat_put_place(&place, binding->set, binding->binding, binding->element);
    const char *name = place.data;
    if (is_uniform(words, binding->words) && (!words[0] || words[0] == CAT_POISON)) {
        text_printf(side, "buffer  %s=%s%" PRIu64 "\n", name,
                    words[0] ? "" : "zero:", binding->words * 4);
    } else {
        snprintf(file, sizeof file, "buffer-%s.words", name);
        text_printf(side, "buffer  %s=%s\n", name, file);
        good = write_words(folder, file, words, binding->words, error);
    }
    if (good && binding->region == CAT_OUTPUT) {
        snprintf(file, sizeof file, "expected-%s.words", name);
        text_printf(side, "expect  %s=%s\n", name, file);
        good = write_words(folder, file, p->expected + binding->first, binding->words, error);
    }
    if (good && binding->region == CAT_OUTPUT && p->interface.counts) {
        snprintf(file, sizeof file, "bits-%s.words", name);
        text_printf(side, "allow   %s=bits:%s\n", name, file);
        good =
            write_words(folder, file, p->interface.counts + binding->first, binding->words, error);
    }
    put_tolerance(binding, side);
    return good;
}

static void put_groups(const uint32_t *groups, struct text *side)
{
    text_printf(side, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, groups[0], groups[1], groups[2]);
}

static void put_push(const struct cat_interface *interface, const uint8_t *push, struct text *side)
{
    text_puts(side, interface->push_size ? "hex:" : "");
    for (uint32_t i = 0; i < interface->push_size; i++)
        text_printf(side, "%02x", push[i]);
}

static bool put_side(const struct cat_package *p, const char *folder, struct text *side,
                     struct lit_error *error)
{
    const struct cat_interface *interface = &p->interface;
    const uint32_t groups[] = {p->groups, interface->rows, interface->layers};
    text_puts(side, "groups  ");
    put_groups(groups, side);
    text_puts(side, interface->push_size ? "\npush    " : "");
    put_push(interface, interface->push, side);
    for (size_t i = 0; i < interface->step_count; i++) {
        text_puts(side, "\nthen    ");
        put_groups(interface->steps[i].groups, side);
        text_puts(side, interface->push_size ? ":" : "");
        put_push(interface, interface->steps[i].push, side);
    }
    text_printf(side, "\nentry   %s\n", interface->entry);
    for (size_t i = 0; i < p->spec_count; i++) {
        const struct cat_spec *spec = &p->specs[i];
        const bool wide = i + 1 < p->spec_count && spec[1].id == spec->id;
        const uint64_t high = wide ? spec[1].value : 0;
        text_printf(side, "spec    %" PRIu32 "=0x%" PRIx64 "\n", spec->id,
                    high << 32 | spec->value);
        i += wide;
    }
    if (interface->sized)
        text_printf(side, "subgroup %" PRIu32 "\n", p->subgroup);
    text_puts(side, interface->full ? "full-subgroups\n" : "");
    for (size_t i = 0; i < interface->binding_count; i++)
        if (!put_buffer(p, &interface->bindings[i], folder, side, error))
            return false;
    return true;
}

bool red_package_write(const struct cat_package *package, const char *remark, const char *folder,
                       struct text *path, struct lit_error *error)
{
    OWNED(text_free) struct text page = {0}, side = {0}, side_path = {0};
    text_puts(&page, remark);
    const size_t size = package->word_count * sizeof *package->words;
    const bool readable = lit_spirv_disassemble(package->words, size, &page);
    text_printf(path, "%s/%s.%s", folder, package->name.data, readable ? "spvasm" : "spv");
    text_printf(&side_path, "%s.kernel", path->data);
    text_puts(&side, remark);
    return lit_file_write(path->data, readable ? page.data : (const char *)package->words,
                          readable ? page.length : size, error) &&
           put_side(package, folder, &side, error) &&
           lit_file_write(side_path.data, side.data, side.length, error);
}
