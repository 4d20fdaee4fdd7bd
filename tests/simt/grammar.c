// SPDX-License-Identifier: Apache-2.0
// SPIR-V's own list of instructions against what the simulator executes: whatever a module may use
// with the capabilities, extensions and versions that are accepted is there, or is listed here.
#include "../unit/unit.h"

#include "module/reader.h"
#include "program/compiler.h"

#include <jansson.h>

#define NEWEST     "1.6"
#define NO_SAMPLES "there are no samples of images"

static json_t *grammar;

// Instructions, or whole classes of them, that no module for this driver can use.
static const struct {
    const char *name, *reason;
} absent[] = {
    {"Image", NO_SAMPLES}, // but for storage
    {"OpTypeSampler", NO_SAMPLES},
    {"OpTypeSampledImage", NO_SAMPLES},
    {"Derivative", "only of fragments"},
};

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

// By one of its names: the headers have another one first.
static bool is_capability_known(const char *name)
{
    const json_t *kinds = json_object_get(grammar, "operand_kinds"), *kind, *one;
    size_t i, j;
    json_array_foreach(kinds, i, kind)
    {
        json_array_foreach(json_object_get(kind, "enumerants"), j, one)
        {
            if (!strcmp(text(kind, "kind"), "Capability") && !strcmp(text(one, "enumerant"), name))
                return module_knows_capability(
                    (uint32_t)json_integer_value(json_object_get(one, "value")));
        }
    }
    fail_msg("the grammar has no capability %s", name);
    return false;
}

// Whether a module that is accepted may have the instruction.
static bool is_allowed(const json_t *instruction)
{
    const json_t *capabilities = json_object_get(instruction, "capabilities");
    const char *version = text(instruction, "version");
    bool enabled = !json_array_size(capabilities);
    // Older grammars say nothing of what always was.
    bool in_version = !*version || (*version <= '9' && strcmp(version, NEWEST) <= 0);
    for (size_t i = 0; i < json_array_size(capabilities); i++)
        enabled |= is_capability_known(json_string_value(json_array_get(capabilities, i)));
    const json_t *extensions = json_object_get(instruction, "extensions");
    for (size_t i = 0; i < json_array_size(extensions); i++)
        in_version |= module_knows_extension(json_string_value(json_array_get(extensions, i)));
    return enabled && in_version;
}

static bool is_executed(uint32_t opcode)
{
    return decode_form(opcode) || section_of(opcode) != SECTION_BODY || opcode == SpvOpLabel ||
           opcode == SpvOpFunctionEnd;
}

static const char *why_absent(const json_t *instruction)
{
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (!strcmp(absent[i].name, text(instruction, "opname")) ||
            !strcmp(absent[i].name, text(instruction, "class")))
            return absent[i].reason;
    return NULL;
}

TEST(every_allowed_instruction_is_executed)
{
    json_error_t problem;
    const json_t *instruction;
    size_t i, allowed = 0, wrong = 0;
    // spirv.core.grammar.json
    grammar = json_load_file(unit_argument(1), 0, &problem);
    if (!grammar)
        fail_msg("%s: %s", problem.source, problem.text);
    json_array_foreach(json_object_get(grammar, "instructions"), i, instruction)
    {
        if (!is_allowed(instruction))
            continue;
        const uint32_t opcode =
            (uint32_t)json_integer_value(json_object_get(instruction, "opcode"));
        const char *why = why_absent(instruction);
        allowed++;
        if (is_executed(opcode) ? !why || !strcmp(why, NO_SAMPLES) : why != NULL)
            continue;
        wrong++;
        print_error("%s is %s\n", text(instruction, "opname"),
                    why ? "executed, and listed as absent" : "not executed");
    }
    json_decref(grammar);
    assert_int_equal(wrong, 0);
    assert_true(allowed > 200);
}
