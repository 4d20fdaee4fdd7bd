// SPDX-License-Identifier: Apache-2.0
// A module's requirements beyond features with a bit: shapes and types of cooperative matrices, and
// float controls.
#include "device/vulkan.h"

#include "base/spirv.h"
#include "base/text.h"

#define NONE       UINT32_MAX
#define MOST_IDS   (UINT32_C(1) << 20)
#define MOST_KINDS 1024 // products listed by a device

struct module {
    const struct dev_compile_info *code;
    uint32_t bound;
    uint32_t *made, *types; // per id: offset of the defining instruction, or 0; type
};

static void take_ids(struct module *m)
{
    struct spirv_instruction each;
    m->made = lit_alloc(m->bound, sizeof *m->made);
    m->types = lit_alloc(m->bound, sizeof *m->types);
    SPIRV_EACH (each, m->code->words, m->code->word_count) {
        const char *letters = spirv_operands(each.opcode);
        const bool typed = letters && letters[0] == 't' && letters[1] == 'r';
        const uint32_t id = typed                          ? spirv_operand(&each, 2, NONE)
                            : letters && letters[0] == 'r' ? spirv_operand(&each, 1, NONE)
                                                           : NONE;
        if (id >= m->bound)
            continue;
        m->made[id] = (uint32_t)each.at;
        m->types[id] = typed ? each.words[1] : 0;
    }
}

static struct spirv_instruction definition(const struct module *m, uint32_t id)
{
    const size_t at = id < m->bound && m->made[id] ? m->made[id] : m->code->word_count;
    return spirv_at(m->code->words, m->code->word_count, at);
}

// The specialized value of a 32-bit constant; NONE if computed.
static uint32_t constant(const struct module *m, uint32_t id)
{
    const struct spirv_instruction each = definition(m, id);
    struct spirv_instruction other;
    if (each.opcode != SpvOpConstant && each.opcode != SpvOpSpecConstant)
        return NONE;
    if (each.opcode == SpvOpSpecConstant)
        SPIRV_EACH (other, m->code->words, m->code->word_count)
            for (size_t i = 0; i < m->code->spec_count; i++)
                if (other.opcode == SpvOpDecorate && other.size == 4 && other.words[1] == id &&
                    other.words[2] == SpvDecorationSpecId && other.words[3] == m->code->spec_ids[i])
                    return m->code->spec_values[i];
    return spirv_operand(&each, 3, NONE);
}

// --- Float controls

static bool floats_fit(const struct dev *dev, const struct module *m, struct lit_error *error)
{
    VkPhysicalDeviceFloatControlsProperties has = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &has};
    struct spirv_instruction each;
    if (dev->float_controls)
        vkGetPhysicalDeviceProperties2(dev->physical, &properties);
    const struct {
        SpvExecutionMode mode;
        const char *name;
        VkBool32 of16, of32, of64;
    } modes[] = {
        {SpvExecutionModeDenormPreserve, "DenormPreserve", has.shaderDenormPreserveFloat16,
         has.shaderDenormPreserveFloat32, has.shaderDenormPreserveFloat64},
        {SpvExecutionModeSignedZeroInfNanPreserve, "SignedZeroInfNanPreserve",
         has.shaderSignedZeroInfNanPreserveFloat16, has.shaderSignedZeroInfNanPreserveFloat32,
         has.shaderSignedZeroInfNanPreserveFloat64},
        {SpvExecutionModeRoundingModeRTE, "RoundingModeRTE", has.shaderRoundingModeRTEFloat16,
         has.shaderRoundingModeRTEFloat32, has.shaderRoundingModeRTEFloat64},
    };
    SPIRV_EACH (each, m->code->words, m->code->word_count) {
        if (each.opcode == SpvOpFunction)
            break;
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
            const uint32_t width = spirv_operand(&each, 3, 0);
            if (each.opcode == SpvOpExecutionMode && each.size == 4 &&
                each.words[2] == (uint32_t)modes[i].mode &&
                !(width == 16   ? modes[i].of16
                  : width == 32 ? modes[i].of32
                                : modes[i].of64))
                return lit_fail(error, LIT_EXIT_NOTHING,
                                "%s of floats of %u bits, which the device does not offer",
                                modes[i].name, width);
        }
    }
    return true;
}

// --- Cooperative matrices

#ifdef VK_KHR_cooperative_matrix
// Cooperative Matrix Operands in SPIR-V.
enum { SIGNED_A = 1, SIGNED_B = 2, SIGNED_C = 4, SIGNED_RESULT = 8, SATURATING = 16 };
enum { ENCODED_E4M3 = 4214 }; // SpvFPEncodingFloat8E4M3EXT, which older headers lack

// Types of components in the device's order: in messages, and in dev_facts.products.
static const struct {
    const char *name, *brief;
} components[] = {{"float16", "f16"}, {"float32", "f32"}, {"float64", "f64"}, {"sint8", "s8"},
                  {"sint16", "s16"},  {"sint32", "s32"},  {"sint64", "s64"},  {"uint8", "u8"},
                  {"uint16", "u16"},  {"uint32", "u32"},  {"uint64", "u64"}};

static const char *component_name(VkComponentTypeKHR type)
{
    return type == VK_COMPONENT_TYPE_BFLOAT16_KHR      ? "bfloat16"
           : type == VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT ? "float8 E4M3"
           : type == VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT ? "float8 E5M2"
                                                       : components[type].name;
}

static VkComponentTypeKHR component_of(const struct module *m, uint32_t type, bool is_signed)
{
    const struct spirv_instruction each = definition(m, type);
    const uint32_t width = spirv_operand(&each, 2, 0);
    const uint32_t place = width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3;
    if (each.opcode == SpvOpTypeFloat && each.size == 4) // with an encoding
        return width == 16                     ? VK_COMPONENT_TYPE_BFLOAT16_KHR
               : each.words[3] == ENCODED_E4M3 ? VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT
                                               : VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT;
    if (each.opcode == SpvOpTypeFloat)
        return (VkComponentTypeKHR)(VK_COMPONENT_TYPE_FLOAT16_KHR + place - 1);
    return (VkComponentTypeKHR)((is_signed ? VK_COMPONENT_TYPE_SINT8_KHR
                                           : VK_COMPONENT_TYPE_UINT8_KHR) +
                                place);
}

// The requirements of a product; false if some are computed in the module.
static bool take_product(const struct module *m, const struct spirv_instruction *product,
                         VkCooperativeMatrixPropertiesKHR *asked)
{
    struct spirv_instruction types[4]; // A, B, C and the result
    const uint32_t mask = spirv_operand(product, 6, 0);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t id = spirv_operand(product, i < 3 ? 3 + i : 2, NONE);
        types[i] = definition(m, id < m->bound ? m->types[id] : NONE);
        if (types[i].opcode != SpvOpTypeCooperativeMatrixKHR || types[i].size != 7)
            return false;
    }
    asked->MSize = constant(m, types[0].words[4]);
    asked->KSize = constant(m, types[0].words[5]);
    asked->NSize = constant(m, types[1].words[5]);
    asked->AType = component_of(m, types[0].words[2], mask & SIGNED_A);
    asked->BType = component_of(m, types[1].words[2], mask & SIGNED_B);
    asked->CType = component_of(m, types[2].words[2], mask & SIGNED_C);
    asked->ResultType = component_of(m, types[3].words[2], mask & SIGNED_RESULT);
    asked->saturatingAccumulation = (mask & SATURATING) != 0;
    asked->scope = (VkScopeKHR)constant(m, types[0].words[3]);
    return asked->MSize != NONE && asked->KSize != NONE && asked->NSize != NONE &&
           (uint32_t)asked->scope != NONE;
}

static bool is_listed(const VkCooperativeMatrixPropertiesKHR *all, uint32_t count,
                      const VkCooperativeMatrixPropertiesKHR *asked)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].MSize == asked->MSize && all[i].NSize == asked->NSize &&
            all[i].KSize == asked->KSize && all[i].AType == asked->AType &&
            all[i].BType == asked->BType && all[i].CType == asked->CType &&
            all[i].ResultType == asked->ResultType && all[i].scope == asked->scope &&
            all[i].saturatingAccumulation == asked->saturatingAccumulation)
            return true;
    return false;
}

// Whether one of the products has a matrix of that type, signed or not. What is computed in the
// module fits.
static bool has_matrix(const VkCooperativeMatrixPropertiesKHR *all, uint32_t count,
                       const struct module *m, const struct spirv_instruction *type)
{
    const uint32_t scope = constant(m, type->words[3]), rows = constant(m, type->words[4]),
                   columns = constant(m, type->words[5]), use = constant(m, type->words[6]);
    const VkComponentTypeKHR kinds[] = {component_of(m, type->words[2], false),
                                        component_of(m, type->words[2], true)};
    bool found = scope == NONE || rows == NONE || columns == NONE || use == NONE;
    for (uint32_t i = 0; i < 2 * count && !found; i++) {
        const VkCooperativeMatrixPropertiesKHR *one = &all[i / 2];
        const VkComponentTypeKHR kind = kinds[i % 2];
        found = scope == (uint32_t)one->scope && rows == (use == 1 ? one->KSize : one->MSize) &&
                columns == (use == 0 ? one->KSize : one->NSize) &&
                (use == 0   ? kind == one->AType
                 : use == 1 ? kind == one->BType
                            : kind == one->CType || kind == one->ResultType);
    }
    return found;
}

static uint32_t list_products(VkPhysicalDevice physical, VkCooperativeMatrixPropertiesKHR *all)
{
    uint32_t count = MOST_KINDS;
    for (uint32_t i = 0; i < count; i++)
        all[i].sType = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR;
    if (vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, all) < VK_SUCCESS)
        return 0;
    return count < MOST_KINDS ? count : MOST_KINDS;
}

void dev_list_products(VkPhysicalDevice physical, struct dev_facts *facts)
{
    const size_t known = sizeof components / sizeof *components;
    OWNED(lit_free)
    VkCooperativeMatrixPropertiesKHR *all = lit_alloc(MOST_KINDS, sizeof *all);
    const uint32_t count = list_products(physical, all);
    for (uint32_t i = 0, used = 0; i < count; i++) {
        const VkCooperativeMatrixPropertiesKHR *one = &all[i];
        char word[64];
        if (one->scope != VK_SCOPE_SUBGROUP_KHR || one->saturatingAccumulation ||
            one->CType != one->ResultType || (size_t)one->AType >= known ||
            (size_t)one->BType >= known || (size_t)one->CType >= known)
            continue;
        const int length =
            snprintf(word, sizeof word, "%s%s.%s.%s.%ux%ux%u", used ? " " : "",
                     components[one->AType].brief, components[one->BType].brief,
                     components[one->CType].brief, one->MSize, one->NSize, one->KSize);
        if (used + (uint32_t)length >= sizeof facts->products)
            break;
        memcpy(facts->products + used, word, (size_t)length + 1);
        used += (uint32_t)length;
    }
}

static bool matrices_fit(const struct dev *dev, const struct module *m, struct lit_error *error)
{
    struct spirv_instruction each, type = {0}; // the type is the first that no product has
    OWNED(lit_free) VkCooperativeMatrixPropertiesKHR *all = NULL;
    uint32_t count = 0;
    SPIRV_EACH (each, m->code->words, m->code->word_count) {
        VkCooperativeMatrixPropertiesKHR asked = {0};
        if (each.opcode == SpvOpTypeCooperativeMatrixKHR && each.size == 7) {
            if (!all) {
                all = lit_alloc(MOST_KINDS, sizeof *all);
                count = list_products(dev->physical, all);
            }
            if (!type.size && !has_matrix(all, count, m, &each))
                type = each;
        }
        if (each.opcode != SpvOpCooperativeMatrixMulAddKHR || !take_product(m, &each, &asked))
            continue;
        if (!is_listed(all, count, &asked))
            return lit_fail(error, LIT_EXIT_NOTHING,
                            "cooperative matrices of %ux%ux%u, %s by %s and %s to %s%s, are none "
                            "of the %u that the device lists",
                            asked.MSize, asked.NSize, asked.KSize, component_name(asked.AType),
                            component_name(asked.BType), component_name(asked.CType),
                            component_name(asked.ResultType),
                            asked.saturatingAccumulation ? ", saturating" : "", count);
    }
    if (type.size)
        return lit_fail(error, LIT_EXIT_NOTHING,
                        "a cooperative matrix of %ux%u, %s, is in none of the %u products that the "
                        "device lists",
                        constant(m, type.words[4]), constant(m, type.words[5]),
                        component_name(component_of(m, type.words[2], false)), count);
    return true;
}
#else
void dev_list_products(VkPhysicalDevice physical, struct dev_facts *facts)
{
    (void)physical, (void)facts;
}
#endif

static bool asks(const struct dev_compile_info *code)
{
    struct spirv_instruction each;
    SPIRV_EACH (each, code->words, code->word_count) {
        const uint32_t number = spirv_operand(&each, 1, 0);
        if (each.opcode != SpvOpCapability)
            break;
        if (number == SpvCapabilityCooperativeMatrixKHR || number == SpvCapabilityDenormPreserve ||
            number == SpvCapabilitySignedZeroInfNanPreserve ||
            number == SpvCapabilityRoundingModeRTE)
            return true;
    }
    return false;
}

static bool code_fits(const struct dev *dev, const struct dev_compile_info *code,
                      struct lit_error *error)
{
    struct module m = {.code = code, .bound = code->words[SPIRV_BOUND]};
    if (!asks(code) || m.bound > MOST_IDS)
        return true;
    take_ids(&m);
    bool fits = floats_fit(dev, &m, error);
#ifdef VK_KHR_cooperative_matrix
    fits = fits && matrices_fit(dev, &m, error);
#endif
    free(m.made);
    free(m.types);
    return fits;
}

struct dev_compile_info dev_part(const struct dev_compile_info *code, size_t part)
{
    if (!part)
        return *code;
    const struct cat_part *of = &dev_interface(code)->parts[part - 1];
    return (struct dev_compile_info){
        .words = of->word_count ? of->words : code->words,
        .word_count = of->word_count ? of->word_count : code->word_count,
        .subgroup = of->subgroup ? of->subgroup : code->subgroup,
        .spec_ids = of->spec_ids,
        .spec_values = of->spec_values,
        .spec_count = of->spec_count,
        .interface = &of->interface,
    };
}

bool dev_module_fits(const struct dev *dev, const struct dev_compile_info *code,
                     struct lit_error *error)
{
    bool fits = true;
    for (size_t i = 0; i <= dev_interface(code)->part_count && fits; i++) {
        const struct dev_compile_info part = dev_part(code, i);
        fits = code_fits(dev, &part, error);
    }
    return fits;
}
