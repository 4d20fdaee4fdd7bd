// SPDX-License-Identifier: Apache-2.0
// Cooperative matrices: where each element comes from and goes to, products, what is done to each
// component, lanes that are missing, and what is refused.
#define UNIT_MAIN
#include "../unit/unit.h"

#include "assemble.h"
#include "schedule/machine.h"

enum { WORDS = 128 };

static const unsigned widths[] = {1, 4, 32, 128}; // of subgroups, each alone in its workgroup

// %in and %out are arrays of words, whatever a matrix in them consists of. %first is word 0 of %in,
// %to that of %out.
#define HEAD                                                                                       \
    "OpCapability Shader\n"                                                                        \
    "OpCapability Int8\n"                                                                          \
    "OpCapability CooperativeMatrixKHR\n"                                                          \
    "OpExtension \"SPV_KHR_cooperative_matrix\"\n"                                                 \
    "OpMemoryModel Logical GLSL450\n"                                                              \
    "OpEntryPoint GLCompute %%main \"main\" %%p_me %%in %%out\n"                                   \
    "OpExecutionMode %%main LocalSize %u 1 1\n"                                                    \
    "OpDecorate %%p_me BuiltIn LocalInvocationIndex\n"                                             \
    "OpDecorate %%words ArrayStride 4\n"                                                           \
    "OpDecorate %%block Block\n"                                                                   \
    "OpMemberDecorate %%block 0 Offset 0\n"                                                        \
    "OpDecorate %%out DescriptorSet 0\n"                                                           \
    "OpDecorate %%out Binding 0\n"                                                                 \
    "OpDecorate %%in DescriptorSet 0\n"                                                            \
    "OpDecorate %%in Binding 1\n%s"                                                                \
    "%%void = OpTypeVoid\n"                                                                        \
    "%%bool = OpTypeBool\n"                                                                        \
    "%%uint = OpTypeInt 32 0\n"                                                                    \
    "%%uchar = OpTypeInt 8 0\n"                                                                    \
    "%%half = OpTypeFloat 16\n"                                                                    \
    "%%float = OpTypeFloat 32\n"                                                                   \
    "%%0 = OpConstant %%uint 0\n"                                                                  \
    "%%1 = OpConstant %%uint 1\n"                                                                  \
    "%%2 = OpConstant %%uint 2\n"                                                                  \
    "%%3 = OpConstant %%uint 3\n"                                                                  \
    "%%4 = OpConstant %%uint 4\n"                                                                  \
    "%%5 = OpConstant %%uint 5\n"                                                                  \
    "%%6 = OpConstant %%uint 6\n"                                                                  \
    "%%7 = OpConstant %%uint 7\n"                                                                  \
    "%%16 = OpConstant %%uint 16\n"                                                                \
    "%%32 = OpConstant %%uint 32\n"                                                                \
    "%%65 = OpConstant %%uint 65\n"                                                                \
    "%%most = OpConstant %%uint 0xffffffff\n"                                                      \
    "%%quarter = OpConstant %%float 0.25\n"                                                        \
    "%%words = OpTypeRuntimeArray %%uint\n"                                                        \
    "%%block = OpTypeStruct %%words\n"                                                             \
    "%%p_block = OpTypePointer StorageBuffer %%block\n"                                            \
    "%%p_word = OpTypePointer StorageBuffer %%uint\n"                                              \
    "%%p_uint = OpTypePointer Input %%uint\n"                                                      \
    "%%f_void = OpTypeFunction %%void\n"                                                           \
    "%%p_me = OpVariable %%p_uint Input\n"                                                         \
    "%%out = OpVariable %%p_block StorageBuffer\n"                                                 \
    "%%in = OpVariable %%p_block StorageBuffer\n"                                                  \
    "%s%%main = OpFunction %%void None %%f_void\n"                                                 \
    "%%entry = OpLabel\n"                                                                          \
    "%s%%me = OpLoad %%uint %%p_me\n"                                                              \
    "%%first = OpAccessChain %%p_word %%in %%0 %%0\n"                                              \
    "%%to = OpAccessChain %%p_word %%out %%0 %%0\n"                                                \
    "%sOpReturn\n"                                                                                 \
    "OpFunctionEnd\n"

struct kernel {
    const char *declarations, *variables, *code, *decorations;
};

static uint32_t in[WORDS], out[WORDS];
static char said[512];

static void say(void *user, const char *line)
{
    (void)user;
    snprintf(said, sizeof said, "%s", line);
}

static struct program *compile(const struct kernel *kernel, unsigned width)
{
    static struct assembly assembly;
    static char text[8192];
    const int length =
        snprintf(text, sizeof text, HEAD, width, kernel->decorations ? kernel->decorations : "",
                 kernel->declarations, kernel->variables ? kernel->variables : "",
                 kernel->code ? kernel->code : "");
    assert_in_range(length, 1, sizeof text - 1);
    assemble(&assembly, text);
    const struct program_options options = {
        .entry = "main", .subgroup = width, .local_size_max = 128, .shared_max = 1024};
    *said = 0;
    return program_compile(assembly.words, assembly.count, &options, said, sizeof said);
}

static enum dispatch_end dispatch(const struct kernel *kernel, const char *model, unsigned width)
{
    struct program *program = compile(kernel, width);
    struct region local[8] = {{0}};
    struct settings settings;
    char text[64], error[512] = "";
    if (!program)
        fail_msg("%s", said);
    snprintf(text, sizeof text, "model=%s,threads=1,subgroup=%u", model, width);
    assert_true(settings_parse(text, &settings, error, sizeof error));
    assert_in_range(2 + program->region_count, 2, sizeof local / sizeof *local);
    for (uint32_t i = 0; i < program->resource_count; i++)
        local[program->resources[i].first_region - LOCAL_SHARED] =
            (struct region){.bytes = (unsigned char *)(program->resources[i].binding ? in : out),
                            .size = sizeof in};
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(&settings, regions, say, NULL);
    const struct dispatch one = {.program = program,
                                 .groups = {1, 1, 1},
                                 .local = local,
                                 .local_count = 2 + program->region_count};
    memset(out, 0xff, sizeof out);
    const enum dispatch_end end = machine_dispatch(machine, &one);
    machine_free(machine);
    regions_free(regions);
    program_free(program);
    return end;
}

static void run(const struct kernel *kernel, const char *model, unsigned width)
{
    if (dispatch(kernel, model, width) != DISPATCH_DONE)
        fail_msg("%s", said);
}

static uint32_t word_of(float value)
{
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static void expect(uint32_t at, uint32_t word, unsigned width)
{
    if (out[at] != word)
        fail_msg("width %u: word %u is 0x%x, not 0x%x", width, at, out[at], word);
}

// 3 rows, 5 columns, in rows of 7 words or columns of 7 words, from word 1 on; stored with 6.
static void an_element_has_one_place(unsigned load, unsigned store, unsigned width)
{
    uint32_t expected[WORDS];
    char code[512];
    snprintf(code, sizeof code,
             "%%from = OpAccessChain %%p_word %%in %%0 %%1\n"
             "%%there = OpAccessChain %%p_word %%out %%0 %%2\n"
             "%%a = OpCooperativeMatrixLoadKHR %%matrix %%from %%%u %%7\n"
             "OpCooperativeMatrixStoreKHR %%there %%a %%%u %%6\n",
             load, store);
    const struct kernel kernel = {
        .declarations = "%matrix = OpTypeCooperativeMatrixKHR %float %3 %3 %5 %2\n", .code = code};
    run(&kernel, "lockstep", width);
    memset(expected, 0xff, sizeof expected);
    for (uint32_t row = 0; row < 3; row++)
        for (uint32_t column = 0; column < 5; column++)
            expected[2 + (store ? column * 6 + row : row * 6 + column)] =
                in[1 + (load ? column * 7 + row : row * 7 + column)];
    for (uint32_t i = 0; i < WORDS; i++)
        expect(i, expected[i], width);
}

TEST(every_element_has_its_place)
{
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = 1000 + i;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (unsigned layouts = 0; layouts < 4; layouts++)
            an_element_has_one_place(layouts & 1, layouts >> 1, widths[i]);
}

// Bytes, each in a row of its own, from a pointer to four words: 16 bytes, and then 32 from row to
// row.
TEST(strides_count_what_is_pointed_to)
{
    for (unsigned stride = 1; stride <= 2; stride++) {
        char code[512];
        snprintf(code, sizeof code,
                 "%%from = OpAccessChain %%p_four %%fours %%0 %%1\n"
                 "%%a = OpCooperativeMatrixLoadKHR %%matrix %%from %%0 %%%u\n"
                 "OpCooperativeMatrixStoreKHR %%to %%a %%0 %%1\n",
                 stride);
        const struct kernel kernel = {
            .declarations = "%four = OpTypeVector %uint 4\n"
                            "%list = OpTypeArray %four %16\n"
                            "%four_block = OpTypeStruct %list\n"
                            "%p_four_block = OpTypePointer StorageBuffer %four_block\n"
                            "%p_four = OpTypePointer StorageBuffer %four\n"
                            "%fours = OpVariable %p_four_block StorageBuffer\n"
                            "%matrix = OpTypeCooperativeMatrixKHR %uchar %3 %5 %2 %2\n",
            .code = code,
            .decorations = "OpDecorate %list ArrayStride 16\n"
                           "OpDecorate %four_block Block\n"
                           "OpMemberDecorate %four_block 0 Offset 0\n"
                           "OpDecorate %fours DescriptorSet 0\n"
                           "OpDecorate %fours Binding 1\n"};
        const unsigned char *from = (const unsigned char *)in, *to = (const unsigned char *)out;
        for (uint32_t i = 0; i < WORDS; i++)
            in[i] = i * 0x9e3779b9u;
        run(&kernel, "lockstep", 4);
        for (uint32_t row = 0; row < 5; row++)
            for (uint32_t column = 0; column < 4; column++)
                assert_int_equal(to[row * 4 + column],
                                 column < 2 ? from[16 + row * 16 * stride + column] : 0xff);
    }
}

#define PRODUCT_TYPES(factor, sum)                                                                 \
    "%a_type = OpTypeCooperativeMatrixKHR " factor " %3 %3 %5 %0\n"                                \
    "%b_type = OpTypeCooperativeMatrixKHR " factor " %3 %5 %2 %1\n"                                \
    "%c_type = OpTypeCooperativeMatrixKHR " sum " %3 %3 %2 %2\n"

// Whole numbers that halves hold: A 3 x 5, B 5 x 2, C 3 x 2, at words 0, 16 and 32.
TEST(a_product_of_floats_is_the_sum)
{
    static const struct kernel kernel = {
        .declarations = PRODUCT_TYPES("%half", "%float") //
        "%a_wide = OpTypeCooperativeMatrixKHR %float %3 %3 %5 %0\n"
        "%b_wide = OpTypeCooperativeMatrixKHR %float %3 %5 %2 %1\n",

        .code = "%from_b = OpAccessChain %p_word %in %0 %16\n"
                "%from_c = OpAccessChain %p_word %in %0 %32\n"
                "%a32 = OpCooperativeMatrixLoadKHR %a_wide %first %0 %5\n"
                "%b32 = OpCooperativeMatrixLoadKHR %b_wide %from_b %0 %2\n"
                "%c = OpCooperativeMatrixLoadKHR %c_type %from_c %0 %2\n"
                "%a = OpFConvert %a_type %a32\n"
                "%b = OpFConvert %b_type %b32\n"
                "%sum = OpCooperativeMatrixMulAddKHR %c_type %a %b %c\n"
                "OpCooperativeMatrixStoreKHR %to %sum %0 %2\n"};
    float value[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        value[i] = (float)(i * 37 % 23) - 11;
        in[i] = word_of(value[i]);
    }
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        run(&kernel, i & 1 ? "tangled" : "lockstep", widths[i]);
        for (uint32_t e = 0; e < 6; e++) {
            float sum = value[32 + e];
            for (uint32_t k = 0; k < 5; k++)
                sum += value[e / 2 * 5 + k] * value[16 + k * 2 + e % 2];
            expect(e, word_of(sum), widths[i]);
        }
    }
}

static int64_t extended(uint32_t byte, bool is_signed)
{
    return is_signed && byte > 127 ? (int64_t)byte - 256 : byte;
}

// Bytes: rows of A are two words apart, rows of B one. `operands` says which have signs.
static void products_of_integers_are(unsigned operands, unsigned width)
{
    char code[1024];
    const unsigned char *bytes = (const unsigned char *)in;
    snprintf(code, sizeof code,
             "%%from_b = OpAccessChain %%p_word %%in %%0 %%16\n"
             "%%from_c = OpAccessChain %%p_word %%in %%0 %%32\n"
             "%%a = OpCooperativeMatrixLoadKHR %%a_type %%first %%0 %%2\n"
             "%%b = OpCooperativeMatrixLoadKHR %%b_type %%from_b %%0 %%1\n"
             "%%c = OpCooperativeMatrixLoadKHR %%c_type %%from_c %%0 %%2\n"
             "%%sum = OpCooperativeMatrixMulAddKHR %%c_type %%a %%b %%c %u\n"
             "OpCooperativeMatrixStoreKHR %%to %%sum %%0 %%2\n",
             operands);
    const struct kernel kernel = {.declarations = PRODUCT_TYPES("%uchar", "%uint"), .code = code};
    run(&kernel, "lockstep", width);
    for (uint32_t e = 0; e < 6; e++) {
        int64_t sum = in[32 + e];
        for (uint32_t k = 0; k < 5; k++)
            sum += extended(bytes[e / 2 * 8 + k], operands & 1) *
                   extended(bytes[64 + k * 4 + e % 2], operands & 2);
        expect(e, (uint32_t)sum, width);
    }
}

TEST(a_product_of_integers_has_its_signs)
{
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = (i + 1) * 0x9e3779b9u;
    for (unsigned operands = 0; operands < 4; operands++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            products_of_integers_are(operands, widths[i]);
}

// The components, those of a variable too, and the number that there are for a lane.
TEST(components_are_computed_each)
{
    static const struct kernel kernel = {
        .declarations = "%matrix = OpTypeCooperativeMatrixKHR %float %3 %3 %5 %2\n"
                        "%whole = OpTypeCooperativeMatrixKHR %uint %3 %3 %5 %2\n"
                        "%pair = OpTypeArray %whole %2\n"
                        "%p_pair = OpTypePointer Function %pair\n"
                        "%p_whole = OpTypePointer Function %whole\n"
                        "%p_component = OpTypePointer Function %uint\n"
                        "%ones = OpConstantComposite %whole %1\n"
                        "%none = OpConstantNull %whole\n",
        .variables = "%variable = OpVariable %p_pair Function\n",
        .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %0 %5\n"
                "%double = OpFAdd %matrix %a %a\n"                         // 2 i
                "%scaled = OpMatrixTimesScalar %matrix %double %quarter\n" // i / 2
                "%negative = OpFNegate %matrix %scaled\n"
                "%number = OpConvertFToS %whole %negative\n" // -(i / 2)
                "%times = OpMatrixTimesScalar %whole %number %3\n"
                "%more = OpIAdd %whole %times %ones\n" // 1 - 3 (i / 2)
                "%sevens = OpCompositeConstruct %whole %7\n"
                "%second = OpAccessChain %p_whole %variable %1\n"
                "%at = OpAccessChain %p_component %variable %1 %0\n"
                "OpStore %second %more\n"
                "%component = OpLoad %uint %at\n"
                "%changed = OpIMul %uint %component %2\n"
                "OpStore %at %changed\n" // the first component of each lane twice
                "%again = OpLoad %whole %second\n"
                "%sum = OpIAdd %whole %again %sevens\n"
                "%part = OpCompositeExtract %uint %none 0\n"
                "%all = OpCompositeInsert %whole %part %sum 0\n"
                "%kept = OpISub %whole %all %none\n"
                "%length = OpCooperativeMatrixLengthKHR %uint %whole\n"
                "%end = OpAccessChain %p_word %out %0 %32\n"
                "OpStore %end %length\n"
                "OpCooperativeMatrixStoreKHR %to %kept %0 %5\n"
                "%other = OpAccessChain %p_word %out %0 %16\n"
                "OpCooperativeMatrixStoreKHR %other %sum %0 %5\n"};
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = word_of((float)i);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        run(&kernel, "lockstep", widths[i]);
        expect(32, (15 + widths[i] - 1) / widths[i], widths[i]);
        for (uint32_t e = 0; e < 15; e++) {
            const uint32_t value = 1 - 3 * (e / 2), is_first = e < widths[i];
            expect(e, is_first ? 0 : value + 7, widths[i]);
            expect(16 + e, (is_first ? 2 * value : value) + 7, widths[i]);
        }
    }
}

// In a branch of the lanes below 4 of 8: 4 x 4 elements, of which each lane has two.
#define IN_BRANCH(code)                                                                            \
    "%low = OpULessThan %bool %me %4\n"                                                            \
    "%a = OpCooperativeMatrixLoadKHR %a_type %first %0 %4\n"                                       \
    "%b = OpCooperativeMatrixLoadKHR %b_type %first %0 %4\n"                                       \
    "%c = OpCooperativeMatrixLoadKHR %c_type %first %0 %4\n"                                       \
    "OpSelectionMerge %after None\n"                                                               \
    "OpBranchConditional %low %arm %after\n"                                                       \
    "%arm = OpLabel\n" code "OpBranch %after\n"                                                    \
    "%after = OpLabel\n"

TEST(what_missing_lanes_have_is_missing)
{
#define SQUARES                                                                                    \
    "%a_type = OpTypeCooperativeMatrixKHR %uint %3 %4 %4 %0\n"                                     \
    "%b_type = OpTypeCooperativeMatrixKHR %uint %3 %4 %4 %1\n"                                     \
    "%c_type = OpTypeCooperativeMatrixKHR %uint %3 %4 %4 %2\n"
    static const struct kernel store = {
        .declarations = SQUARES, .code = IN_BRANCH("OpCooperativeMatrixStoreKHR %to %c %0 %4\n")};
    static const struct kernel product = {
        .declarations = SQUARES,
        .code = IN_BRANCH("%sum = OpCooperativeMatrixMulAddKHR %c_type %a %b %c\n"
                          "OpCooperativeMatrixStoreKHR %to %sum %0 %4\n")};
    static const char *const models[] = {"lockstep", "tangled"};
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i % 5;
    for (size_t i = 0; i < 2; i++) {
        run(&store, models[i], 8);
        for (uint32_t e = 0; e < 16; e++)
            expect(e, e % 8 < 4 ? in[e] : UINT32_MAX, 8);
        run(&product, models[i], 8);
        uint32_t right = 0;
        for (uint32_t e = 0; e < 16; e++) {
            uint32_t sum = in[e];
            for (uint32_t k = 0; k < 4; k++)
                sum += in[e / 4 * 4 + k] * in[k * 4 + e % 4];
            right += out[e] == sum;
        }
        assert_int_equal(right, 0);
    }
}

TEST(accesses_stay_in_the_buffer)
{
    static const char *const strides[] = {"%32", "%most"};
    for (size_t i = 0; i < 2; i++) {
        char code[256];
        snprintf(code, sizeof code, "%%a = OpCooperativeMatrixLoadKHR %%matrix %%first %%0 %s\n",
                 strides[i]);
        const struct kernel kernel = {
            .declarations = "%matrix = OpTypeCooperativeMatrixKHR %float %3 %5 %5 %2\n",
            .code = code};
        assert_int_equal(dispatch(&kernel, "lockstep", 4), DISPATCH_FAULT);
        assert_non_null(strstr(said, "out-of-bounds access of 4 bytes at set 0 binding 1 + "));
        assert_non_null(strstr(said, "OpCooperativeMatrixLoadKHR"));
    }
}

TEST(what_cannot_be_is_refused)
{
#define MATRIX(what) "%matrix = OpTypeCooperativeMatrixKHR " what "\n"
    static const struct {
        struct kernel kernel;
        const char *line;
    } cases[] = {
        {{.declarations = MATRIX("%float %3 %65 %5 %2")}, "with rows 65, supported are 1 to 64"},
        {{.declarations = MATRIX("%float %3 %5 %most %2")},
         "with columns 4294967295, supported are 1"},
        {{.declarations = MATRIX("%float %3 %0 %5 %2")}, "with rows 0, supported are 1 to 64"},
        {{.declarations = MATRIX("%float %2 %5 %5 %2")}, "with scope 2, supported are 3 to 3"},
        {{.declarations = MATRIX("%float %3 %5 %5 %3")}, "with use 3, supported are 0 to 2"},
        {{.declarations = MATRIX("%bool %3 %5 %5 %2")}, "malformed OpTypeCooperativeMatrixKHR"},
        {{.declarations = MATRIX("%float %3 %5 %quarter %2")}, "is not an integer constant"},
        {{.declarations = MATRIX("%float %3 %5")}, "malformed OpTypeCooperativeMatrixKHR"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %2 %5\n"},
         "has a layout that is not supported"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %0\n"},
         "has the wrong length"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %out %0 %5\n"},
         "has operands that do not fit"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %uint %first %0 %5\n"},
         "has operands that do not fit"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "OpCooperativeMatrixStoreKHR %to %me %0 %5\n"},
         "has operands that do not fit"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %0 %5\n"
                  "%b = OpCooperativeMatrixMulAddKHR %matrix %a %a %a\n"},
         "has operands that do not fit"},
        {{.declarations = MATRIX(
              "%float %3 %5 %4 %2") "%other = OpTypeCooperativeMatrixKHR %uint %3 %4 %5 %2\n",

          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %0 %5\n"
                  "%b = OpConvertFToU %other %a\n"},
         "has operands that do not fit"},
        {{.declarations = MATRIX("%float %3 %5 %5 %2"),
          .code = "%a = OpCooperativeMatrixLoadKHR %matrix %first %0 %5\n"
                  "%b = OpFRem %matrix %a %a\n"},
         "has operands that do not fit, or is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program *program = compile(&cases[i].kernel, 4);
        program_free(program);
        assert_null(program);
        if (!strstr(said, cases[i].line))
            fail_msg("\"%s\" is not in \"%s\"", cases[i].line, said);
    }
}

TEST(a_matrix_is_never_in_memory)
{
    static const struct kernel kernels[] = {
        {.declarations =
             MATRIX("%float %3 %5 %5 %2") "%p_shared = OpTypePointer Workgroup %matrix\n"
                                          "%shared = OpVariable %p_shared Workgroup\n",
         .code = "%a = OpLoad %matrix %shared\n"},
        {.declarations = MATRIX("%float %3 %5 %5 %2") "%mixed = OpTypeStruct %uint %matrix\n"
                                                      "%p_shared = OpTypePointer Workgroup %mixed\n"
                                                      "%shared = OpVariable %p_shared Workgroup\n",
         .code = "%a = OpLoad %mixed %shared\n"}};
    for (size_t i = 0; i < 2; i++) {
        struct program *program = compile(&kernels[i], 4);
        program_free(program);
        assert_null(program);
        assert_non_null(strstr(said, i ? "accesses a cooperative matrix in memory"
                                       : "has a size that is not supported"));
    }
}

int main(void)
{
    // Older headers do not name the instructions: then no module with them is accepted.
    if (!strcmp(module_op_name(SpvOpTypeCooperativeMatrixKHR), "Unknown"))
        return 77;
    return unit_run(NULL, NULL);
}
