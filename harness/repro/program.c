// SPDX-License-Identifier: Apache-2.0
// The reproducer in C and its Makefile: fills a configuration into the template.

#include "repro/repro.h"

#include <ctype.h>

// The program's sources, terminated; the build makes them.
extern const char repro_template[], repro_device[], repro_test[], repro_facts_header[],
    repro_check_header[], repro_check[], repro_features_header[], repro_features[],
    repro_interface[], repro_settle[];

// By the names that their #includes have; a header brings its source.
static const struct {
    const char *name, *text;
} sources[] = {
    {"template_device.c", repro_device},          {"template_test.c", repro_test},
    {"device/features.h", repro_features_header}, {"device/features.h", repro_features},
    {"model/facts.h", repro_facts_header},        {"model/interface.h", repro_interface},
    {"model/check.h", repro_check_header},        {"model/check.h", repro_check},
};
#define SOURCES (sizeof sources / sizeof *sources)

#define PUSH_ELEMENTS 24 // bytes before `elements` in the push constants of a test

#define BEGIN "//<configuration>\n"
#define END   "//</configuration>\n"

// `format`: for the value, by its type's width.
static void put_define(struct text *out, const char *name, const char *format, uint64_t value,
                       const char *what)
{
    OWNED(text_free) struct text line = text_format("#define %-18s ", name);
    text_printf(&line, format, value);
    text_printf(out, "%-48s // %s\n", line.data, what);
}
#define WIDE   "UINT64_C(%" PRIu64 ")"
#define NARROW "%" PRIu64 "u"

// Puts the first pipeline's numbers, then the others'. An empty array gets `none`.
static void put_numbers(struct text *out, const struct eng_prepared *ready, bool ids,
                        const char *none)
{
    size_t count = 0;
    for (size_t p = 0; p <= ready->code.interface->part_count; p++) {
        const struct cat_part *part = p ? &ready->code.interface->parts[p - 1] : NULL;
        const uint32_t *numbers = part  ? ids ? part->spec_ids : part->spec_values
                                  : ids ? ready->spec_ids
                                        : ready->spec_values;
        const size_t specs = part ? part->spec_count : ready->code.spec_count;
        for (size_t i = 0; i < specs; i++)
            text_printf(out, "%s%" PRIu32, count++ ? ", " : "", numbers[i]);
    }
    text_printf(out, "%s};\n", count ? "" : none);
}

static void put_constants(struct text *out, const struct eng_prepared *ready)
{
    text_puts(out, "\n// The specialization constants: workgroup size, then the test's own.\n"
                   "static const uint32_t spec_ids[] = {");
    put_numbers(out, ready, true, "0xffffffff"); // no module has this
    text_puts(out, "static const uint32_t spec_values[] = {");
    put_numbers(out, ready, false, "0");
}

static void put_needs(struct text *out, uint64_t features)
{
    text_printf(out,
                "\n// What the module needs of a device: bits 1 << enum cat_feature.\n"
                "#define NEEDS UINT64_C(0x%016" PRIx64 ")\n"
                "static const struct {\n    uint32_t bit;\n    const char *name;\n} needs[] = {\n",
                features);
    for (int i = 0; i < CAT_FEATURE_COUNT; i++)
        if (features >> i & 1)
            text_printf(out, "    {%d, \"%s\"},\n", i, cat_feature_name((enum cat_feature)i));
    text_puts(out, features ? "};\n" : "    {0, \"\"},\n};\n");
}

const char *const repro_part_names[CAT_MOST_PARTS] = {
    "part-1.spv",  "part-2.spv",  "part-3.spv",  "part-4.spv",  "part-5.spv",  "part-6.spv",
    "part-7.spv",  "part-8.spv",  "part-9.spv",  "part-10.spv", "part-11.spv", "part-12.spv",
    "part-13.spv", "part-14.spv", "part-15.spv", "part-16.spv"};

// Puts a driver's text as a C string, with codes for special characters.
static void put_quoted(struct text *out, const char *string)
{
    text_puts(out, "\"");
    for (const unsigned char *at = (const unsigned char *)string; *at; at++)
        if (isalnum(*at) || strchr(" .,:-+_/()", *at))
            text_append(out, (const char *)at, 1);
        else
            text_printf(out, "\\%03o", *at);
    text_puts(out, "\"");
}

static void put_string(struct text *out, const char *name, const char *string)
{
    text_printf(out, "#define %-18s ", name);
    put_quoted(out, string);
    text_puts(out, "\n");
}

static void put_uuid(struct text *out, const char *name, const uint8_t uuid[16])
{
    char digits[33];
    for (int i = 0; i < 16; i++)
        snprintf(digits + 2 * i, 3, "%02x", uuid[i]);
    put_string(out, name, digits);
}

static void put_device(struct text *out, const struct dev_facts *facts)
{
    text_printf(out, "// Where it was measured: taken if it is here.\n");
    text_printf(out, "#define %-18s 0x%04" PRIx32 "u\n", "VENDOR", facts->vendor);
    text_printf(out, "#define %-18s 0x%04" PRIx32 "u\n", "DEVICE", facts->product);
    put_uuid(out, "DEVICE_UUID", facts->device_uuid);
    put_uuid(out, "DRIVER_UUID", facts->driver_uuid);
    put_string(out, "DRIVER_INFO", facts->driver_info);
    text_puts(out, "\n");
}

static void put_bool(struct text *out, const char *name, bool value, const char *what)
{
    text_printf(out, "#define %-18s %-20s // %s\n", name, value ? "true" : "false", what);
}

static void put_step(struct text *out, uint32_t part, const uint32_t groups[3], const uint8_t *push,
                     uint32_t size)
{
    text_printf(out, "    {%" PRIu32 ", {%" PRIu32 ", %" PRIu32 ", %" PRIu32 "},\n     {", part,
                groups[0], groups[1], groups[2]);
    for (uint32_t i = 0; i < size; i++)
        text_printf(out, "%s0x%02x", !i ? "" : i % 12 ? ", " : ",\n      ", push[i]);
    text_puts(out, size ? "}},\n" : "0}},\n");
}

static const struct cat_interface *part_of(const struct cat_interface *interface, size_t part)
{
    return part ? &interface->parts[part - 1].interface : interface;
}

static void put_bindings(struct text *out, const struct cat_interface *interface)
{
    text_puts(
        out, "\n// The kernels' buffers: 'i' in input.bin, 'o' what is compared, 's' all others. "
             "first and words:\n// where in that, 32-bit words.\n"
             "static const struct {\n    uint32_t part, set, binding, element;\n    bool uniform;\n"
             "    char region;\n    uint64_t first, words;\n} bindings[] = {\n");
    for (size_t p = 0; p <= interface->part_count; p++)
        for (size_t i = 0; i < part_of(interface, p)->binding_count; i++) {
            const struct cat_binding *binding = &part_of(interface, p)->bindings[i];
            text_printf(out,
                        "    {%zu, %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %s, '%c', %" PRIu64
                        ", %" PRIu64 "},\n",
                        p, binding->set, binding->binding, cat_index(binding->element),
                        binding->uniform ? "true" : "false", "ios"[binding->region],
                        binding -> first, binding -> words);
        }
    text_puts(out, "};\n");
}

// Puts the pipelines. `-m` can replace the first one's module, which all pipelines without their
// own share.
static void put_parts(struct text *out, const struct eng_prepared *ready)
{
    const struct cat_interface *interface = ready->code.interface;
    uint32_t sets = 1, push = 0;
    size_t specs = 0;
    text_puts(out, "// The pipelines.\nstatic const struct {\n    const char *module, *entry;\n"
                   "    bool full;\n"
                   "    uint32_t subgroup, push_bytes, first_spec, specs;\n} parts[] = {\n");
    for (size_t p = 0; p <= interface->part_count; p++) {
        const struct cat_interface *of = part_of(interface, p);
        const struct cat_part *part = p ? &interface->parts[p - 1] : NULL;
        const size_t count = part ? part->spec_count : ready->code.spec_count;
        const bool own = part && part->word_count;
        const bool full = of->full && (ready->interface || ready->code.subgroup);
        text_printf(out, "    {%s%s%s, ", own ? "\"" : "", own ? repro_part_names[p - 1] : "NULL",
                    own ? "\"" : "");
        put_quoted(out, of->entry);
        text_printf(out, ", %s, %" PRIu32 ", %" PRIu32 ", %zu, %zu},\n", full ? "true" : "false",
                    part && part->subgroup ? part->subgroup : ready->code.subgroup, of->push_size,
                    specs, count);
        specs += count;
        push = of->push_size > push ? of->push_size : push;
        for (size_t i = 0; i < of->binding_count; i++)
            sets = of->bindings[i].set >= sets ? of->bindings[i].set + 1 : sets;
    }
    text_puts(out, "};\n");
    put_define(out, "PARTS", NARROW, interface->part_count + 1, "of these");
    put_define(out, "SETS", NARROW, sets, "descriptor sets of each");
    put_define(out, "PUSH_BYTES", NARROW, push, "of push constants, at most");
}

// Puts how buffers may differ: structures of settle.c.
static void put_tolerances(struct text *out, const struct cat_interface *interface)
{
    const struct cat_binding *binding;
    const bool exact = cat_interface_is_exact(interface);
    text_printf(out, "#define MAY_DIFFER %d\n", !exact);
    if (exact)
        return;
    text_puts(out, "#include \"settle.c\"\nstatic const struct cat_binding tolerances[] = {\n");
    for (size_t i = 0; (binding = cat_binding_at(interface, i)); i++) {
        const struct cat_tolerance *may = &binding->may;
        if (binding->region == CAT_OUTPUT && cat_binding_is_first(interface, i))
            text_printf(out,
                        "    {.first = %" PRIu64 ", .words = %" PRIu64 ",\n     .may = {%" PRIu32
                        ", %" PRIu64 ", %" PRIu64 ", %" PRIu32 "u, %" PRIu32 "u, %.9e, %.9e, "
                        "%" PRIu64 ", %.9e, %" PRIu32 "}},\n",
                        binding->first, binding->words, may->order, may->from, may->to, may->ulps,
                        may->half_ulps, (double)may->relative, (double)may->absolute, may->like,
                        (double)may->rmse, may->nan);
    }
    text_puts(out, "};\n");
    put_bool(out, "BITS_COUNT", interface->counts, "counts.bin says which bits of each word count");
}

// Puts how to bind and start a kernel. The push constants of a test get the rest when it runs.
static void put_interface(struct text *out, const struct eng_prepared *ready)
{
    const struct cat_interface *interface = ready->code.interface;
    uint8_t push[CAT_MOST_PUSH] = {0};
    if (ready->interface)
        memcpy(push, interface->push, sizeof push);
    else
        memcpy(push + PUSH_ELEMENTS, &ready->shape.elements, sizeof ready->shape.elements);
    put_bindings(out, interface);
    put_parts(out, ready);
    text_puts(out, "// The dispatches, with a barrier between them.\n"
                   "static const struct {\n    uint32_t part, groups[3];\n"
                   "    uint8_t push[PUSH_BYTES + 1];\n} steps[] = {\n");
    put_step(out, 0, (uint32_t[]){ready->shape.workgroups, interface->rows, interface->layers},
             push, interface->push_size);
    for (size_t i = 0; i < interface->step_count; i++) {
        const struct cat_step *step = &interface->steps[i];
        put_step(out, step->part, step->groups, step->push,
                 part_of(interface, step->part)->push_size);
    }
    text_puts(out, "};\n");
    put_tolerances(out, interface);
}

// Puts how the words are judged: a structure of check.h.
static void put_mode(struct text *out, const struct cat_mode *mode)
{
    static const char *const checks[CAT_CHECKS] = {
        [CAT_CHECK_EQUAL] = "CAT_CHECK_EQUAL",
        [CAT_CHECK_TAG] = "CAT_CHECK_TAG",
        [CAT_CHECK_MASK] = "CAT_CHECK_MASK",
        [CAT_CHECK_CHOICE] = "CAT_CHECK_CHOICE",
    };
    text_printf(out, "#define MODE \\\n    {%s, {{", checks[mode->check]);
    for (uint32_t i = 0; i <= CAT_CHOICES; i++) {
        text_puts(out, i ? ", " : "");
        put_quoted(out, mode->choice.names[i]);
    }
    text_printf(out, "}, 0x%" PRIx32 "}}\n", mode->choice.fails);
}

static void put_configuration(struct text *out, const struct repro *repro)
{
    const struct eng_prepared *ready = repro->ready;
    const struct cat_shape *shape = &ready->shape;
    text_printf(out, "#define NAME \\\n    \"%s\"\n", repro->name);
    put_mode(out, &ready->mode);
    put_define(out, "RUNS", WIDE, repro->runs, "dispatches");
    put_define(out, "FIRST_RUN", WIDE, repro->first, "the number of the first");
    text_printf(out, "#define STREAM             UINT64_C(0x%016" PRIx64 ")\n", ready->stream);
    put_bool(out, "FIXED_SEED", repro->fixed_seed, "every run gets the low half of STREAM");
    text_puts(out, "// Else run i gets the push constant `seed`: the low half of "
                   "splitmix64(STREAM + i).\n\n");
    put_define(out, "SUBGROUP_SIZE", NARROW, ready->code.subgroup, "invocations; 0: any");
    put_define(out, "WORKGROUP_SIZE", NARROW, ready->args.workgroup, "invocations");
    put_bool(out, "FROM_FILE", ready->fresh, "fresh.bin says what buffers hold before a run");
    put_bool(out, "SEEDED", !ready->interface, "push constants: addresses, elements, the seed");
    put_define(out, "INPUT_WORDS", WIDE, shape->input_words, "32-bit words");
    put_define(out, "STATE_WORDS", WIDE, shape->state_words, "word 0: a bounded wait ran out");
    put_define(out, "UNITS", WIDE, shape->instances, "what passes or fails: checked units");
    put_define(out, "WORDS_PER_UNIT", WIDE, shape->words_per_instance, "of the output");
    put_define(out, "STRIDE", NARROW, repro_stride(repro),
               "words of the expectation for each of these");
    put_define(out, "EXPECTED_WORDS", WIDE, repro_expected_words(repro),
               "of expected.bin, for all or for every unit");
    put_bool(out, "DETERMINISTIC", ready->deterministic,
             "all runs of a pipeline have to store the same words");
    put_device(out, repro->facts);
    put_constants(out, ready);
    put_interface(out, ready);
    put_needs(out, ready->module->features);
}

// Appends a source, with others in place of the #includes that name them, each once. Of facts.h the
// program needs nothing but the numbers of features.
static void put_source(const char *line, bool has[SOURCES], struct text *out)
{
    static const char include[] = "#include \"";
    const bool facts = line == repro_facts_header;
    line = facts ? strstr(line, "enum cat_feature {") : line;
    const char *end = facts ? strstr(line, "\n\n") : line + strlen(line);
    for (size_t length; line < end; line += length) {
        const char *name = line + strlen(include);
        const bool includes = strncmp(line, include, strlen(include)) == 0;
        length = strcspn(line, "\n") + 1;
        for (size_t i = 0; includes && i < SOURCES; i++)
            if (!has[i] && strncmp(name, sources[i].name, strcspn(name, "\"")) == 0) {
                has[i] = true;
                put_source(sources[i].text, has, out);
            }
        if (!includes && strncmp(line, "#pragma once", 12) != 0 &&
            strncmp(line, "#include <volk.h>", 17) != 0 && strncmp(line, "// SPDX", 7) != 0)
            text_append(out, line, length);
    }
}

void repro_settling(struct text *out)
{
    put_source(repro_settle, (bool[SOURCES]){false}, out);
}

void repro_program(const struct repro *repro, struct text *out)
{
    const char *begin = strstr(repro_template, BEGIN), *end = strstr(begin, END) + strlen(END);
    text_append(out, repro_template, (size_t)(begin - repro_template));
    put_configuration(out, repro);
    put_source(end, (bool[SOURCES]){false}, out);
}
