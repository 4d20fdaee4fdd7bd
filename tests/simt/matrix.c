// SPDX-License-Identifier: Apache-2.0
// Cooperative matrices: where each element comes from and goes to, products, what is done to each
// component, lanes that are missing, and what is refused. matrix.txt has the kernels.
#define UNIT_MAIN
#include "dispatch.h"

#include <math.h>

enum { WORDS = 128 };

static const unsigned widths[] = {1, 4, 32, 128}; // of subgroups, each alone in its workgroup
static uint32_t in[WORDS], out[WORDS];

static enum dispatch_end dispatch_with(const char *kernel, const char *model, unsigned width)
{
    char settings[64];
    snprintf(settings, sizeof settings, "model=%s,threads=1,subgroup=%u", model, width);
    memset(out, 0xff, sizeof out);
    begin(settings, kernel, REGION(out), REGION(in));
    const enum dispatch_end end = dispatch();
    finish();
    return end;
}

// `code`, printf's format for what follows, continues the kernel `name`.
__attribute__((format(__printf__, 4, 5))) static void run(const char *name, const char *model,
                                                          unsigned width, const char *code, ...)
{
    char text[512];
    int length = snprintf(text, sizeof text, "$%s %u\n", name, width);
    va_list arguments;
    va_start(arguments, code);
    vsnprintf(text + length, sizeof text - (size_t)length, code, arguments);
    va_end(arguments);
    if (dispatch_with(text, model, width) != DISPATCH_DONE)
        fail_msg("%s", world.lines[0]);
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
    run("element", "lockstep", width,
        "%%a = OpCooperativeMatrixLoadKHR %%matrix %%from %%%u %%7\n"
        "OpCooperativeMatrixStoreKHR %%there %%a %%%u %%6\n$end\n",
        load, store);
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
    for (unsigned i = 0; i < 4 * 4; i++)
        an_element_has_one_place(i & 1, i >> 1 & 1, widths[i / 4]);
}

// Bytes, each in a row of its own, from a pointer to four words: 16 bytes, and then 32 from row to
// row.
TEST(strides_count_what_is_pointed_to)
{
    for (unsigned stride = 1; stride <= 2; stride++) {
        const unsigned char *from = (const unsigned char *)in, *to = (const unsigned char *)out;
        for (uint32_t i = 0; i < WORDS; i++)
            in[i] = i * 0x9e3779b9u;
        run("rows", "lockstep", 4,
            "%%a = OpCooperativeMatrixLoadKHR %%matrix %%from %%0 %%%u\n"
            "OpCooperativeMatrixStoreKHR %%to %%a %%0 %%1\n$end\n",
            stride);
        for (uint32_t row = 0; row < 5; row++)
            for (uint32_t column = 0; column < 4; column++)
                assert_int_equal(to[row * 4 + column],
                                 column < 2 ? from[16 + row * 16 * stride + column] : 0xff);
    }
}

// Whole numbers: A 3 x 5, B 5 x 2, C 3 x 2, at words 0, 16 and 32; -most to most.
static void numbers_are(float value[WORDS], uint32_t most)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        value[i] = (float)(i * 37 % (2 * most + 1)) - (float)most;
        in[i] = word_of(value[i]);
    }
}

static float sum_of(const float value[WORDS], uint32_t e)
{
    float sum = value[32 + e];
    for (uint32_t k = 0; k < 5; k++)
        sum += value[e / 2 * 5 + k] * value[16 + k * 2 + e % 2];
    return sum;
}

// The types hold the numbers: halves; E4M3 and E5M2.
TEST(a_product_of_floats_is_the_sum)
{
    float value[WORDS];
    for (size_t i = 0; i < 2 * sizeof widths / sizeof *widths; i++) {
        numbers_are(value, i % 2 ? 7 : 11);
        run(i % 2 ? "eight_products" : "floats", i & 2 ? "tangled" : "lockstep", widths[i / 2],
            "$end\n");
        for (uint32_t e = 0; e < 6; e++)
            expect(e, word_of(sum_of(value, e)), widths[i / 2]);
    }
}

// Rounds to bfloat16, the upper half: to nearest, ties to even.
static uint32_t rounded(uint32_t word)
{
    return (word + 0x7fff + (word >> 16 & 1)) & 0xffff0000;
}

// The sums are whole numbers that floats hold, and bfloat16 does not.
TEST(a_product_of_bfloats_is_rounded_once)
{
    static const uint32_t numbers[] = {0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff, 0x00018000,
                                       0x80008001, 0x7f800000, 0xff800000, 0x00007fff};
    float value[WORDS];
    numbers_are(value, 11);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        run("bfloats", i & 1 ? "tangled" : "lockstep", widths[i], "$end\n");
        for (uint32_t e = 0; e < 6; e++) {
            expect(e, word_of(sum_of(value, e)), widths[i]);
            expect(16 + e, rounded(word_of(sum_of(value, e))), widths[i]);
        }
    }
    memcpy(in, numbers, sizeof numbers);
    run("bfloats", "lockstep", 4, "$end\n");
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        expect(32 + i, rounded(numbers[i]), 4);
    // 1 + 2^-8 + 2^-40: a float in between would lose the last bit, and then be a tie.
    memset(in, 0, sizeof in);
    in[0] = in[16] = word_of(0x1p-4f);
    in[1] = in[18] = word_of(0x1p-20f);
    in[32] = word_of(1);
    run("bfloats", "lockstep", 4, "$end\n");
    expect(16, word_of(1 + 0x1p-7f), 4);
}

// Number `code` of the positive ones of E4M3, or E5M2, as if neither had infinities and NaNs.
static float eight(uint32_t code, bool is_e5m2)
{
    const int bits = is_e5m2 ? 2 : 3, exponent = (int)(code >> bits), bias = is_e5m2 ? 15 : 7;
    const float fraction = (float)(code % (1u << bits)) / (float)(1u << bits);
    return ldexpf(exponent ? 1 + fraction : fraction, (exponent ? exponent : 1) - bias);
}

// The nearest of all, the even one of two. An infinity has the code behind the last number.
static uint32_t nearest(float value, bool is_e5m2, bool to_largest)
{
    const uint32_t last = is_e5m2 ? 0x7b : 0x7e;
    uint32_t best = 0;
    for (uint32_t code = 1; code <= last + 1; code++) {
        const float here = fabsf(eight(code, is_e5m2) - fabsf(value));
        const float before = fabsf(eight(best, is_e5m2) - fabsf(value));
        if (isinf(value) || here < before || (here == before && code % 2 == 0))
            best = code;
    }
    if (best <= last || to_largest)
        return word_of(copysignf(eight(best <= last ? best : last, is_e5m2), value));
    return is_e5m2 ? word_of(copysignf(INFINITY, value)) : 0x7fc00000;
}

// All numbers, those in the middle between two, and those beside the middle.
TEST(floats_of_8_bits_are_rounded_to_nearest)
{
    for (uint32_t i = 0; i < 16; i++) {
        const bool is_e5m2 = i & 2;
        float value[WORDS];
        for (uint32_t code = 0; code < WORDS; code++) {
            const float at = eight(code, is_e5m2), middle = at / 2 + eight(code + 1, is_e5m2) / 2;
            const float of[] = {at, middle, nextafterf(middle, 0), nextafterf(middle, INFINITY)};
            value[code] = code == 127 ? INFINITY : code % 2 ? -of[i / 4] : of[i / 4];
            in[code] = word_of(value[code]);
        }
        run("eights", "lockstep", widths[i % 4],
            "%%z = OpFConvert %%wide %%%s%d\nOpCooperativeMatrixStoreKHR %%to %%z %%0 %%16\n$end\n",
            i & 1 ? "largest" : "plain", is_e5m2 ? 5 : 4);
        for (uint32_t code = 0; code < WORDS; code++)
            expect(code, nearest(value[code], is_e5m2, i & 1), widths[i % 4]);
    }
}

static int64_t extended(uint32_t byte, bool is_signed)
{
    return is_signed && byte > 127 ? (int64_t)byte - 256 : byte;
}

// Bytes: rows of A are two words apart, rows of B one. `operands` says which have signs, and
// whether the sum saturates.
static void products_of_integers_are(unsigned operands, unsigned width)
{
    const unsigned char *bytes = (const unsigned char *)in;
    run("bytes", "lockstep", width,
        "%%sum = OpCooperativeMatrixMulAddKHR %%c_type %%a %%b %%c %u\n"
        "OpCooperativeMatrixStoreKHR %%to %%sum %%0 %%2\n$end\n",
        operands);
    for (uint32_t e = 0; e < 6; e++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < 5; k++)
            sum += extended(bytes[e / 2 * 8 + k], operands & 1) *
                   extended(bytes[64 + k * 4 + e % 2], operands & 2);
        const bool is_signed = operands & 8;
        sum = (is_signed ? (int32_t)sum : (int64_t)(uint32_t)sum) +
              (is_signed ? (int32_t)in[32 + e] : (int64_t)in[32 + e]);
        if (operands & 16)
            sum = is_signed ? (sum < INT32_MIN   ? INT32_MIN
                               : sum > INT32_MAX ? INT32_MAX
                                                 : sum)
                            : (sum > UINT32_MAX ? UINT32_MAX : sum);
        expect(e, (uint32_t)sum, width);
    }
}

TEST(a_product_of_integers_has_its_signs_and_limits)
{
    static const uint32_t c[] = {INT32_MAX, UINT32_MAX, 0, 0x80000000, INT32_MAX - 100, 0x80000064};
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = (i + 1) * 0x9e3779b9u;
    memcpy(in + 32, c, sizeof c);
    for (unsigned i = 0; i < 32 * 4; i++)
        products_of_integers_are(i / 4, widths[i % 4]);
}

// The components, those of a variable too, and the number that there are for a lane.
TEST(components_are_computed_each)
{
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = word_of((float)i);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        run("components", "lockstep", widths[i], "$end\n");
        expect(32, (15 + widths[i] - 1) / widths[i], widths[i]);
        for (uint32_t e = 0; e < 15; e++) {
            const uint32_t value = 1 - 3 * (e / 2), is_first = e < widths[i];
            expect(e, is_first ? 0 : value + 7, widths[i]);
            expect(16 + e, (is_first ? 2 * value : value) + 7, widths[i]);
        }
    }
}

// In a branch of the lanes below 4 of 8: 4 x 4 elements, of which each lane has two.
TEST(what_missing_lanes_have_is_missing)
{
    static const char *const models[] = {"lockstep", "tangled"};
    for (uint32_t i = 0; i < WORDS; i++)
        in[i] = i % 5;
    for (size_t i = 0; i < 2; i++) {
        run("squares", models[i], 8, "OpCooperativeMatrixStoreKHR %%to %%c %%0 %%4\n$joined\n");
        for (uint32_t e = 0; e < 16; e++)
            expect(e, e % 8 < 4 ? in[e] : UINT32_MAX, 8);
        run("squares", models[i], 8,
            "%%sum = OpCooperativeMatrixMulAddKHR %%c_type %%a %%b %%c\n"
            "OpCooperativeMatrixStoreKHR %%to %%sum %%0 %%4\n$joined\n");
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
    for (size_t i = 0; i < 2; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "$outside 4\n%%a = OpCooperativeMatrixLoadKHR %%matrix %%first %%0 %s\n$end\n",
                 i ? "%most" : "%32");
        assert_int_equal(dispatch_with(text, "lockstep", 4), DISPATCH_FAULT);
        assert_non_null(
            strstr(world.lines[0], "out-of-bounds access of 4 bytes at set 0 binding 1 + "));
        assert_non_null(strstr(world.lines[0], "OpCooperativeMatrixLoadKHR"));
    }
}

TEST(what_cannot_be_is_refused)
{
    size_t refused = 0;
    for (size_t i = 0; i < section_count; i++)
        if (*sections[i].more == '!') {
            if (compile("subgroup=4", sections[i].text))
                fail_msg("%s is accepted", sections[i].name);
            if (!strstr(world.lines[0], sections[i].more + 2))
                fail_msg("\"%s\" is not in \"%s\"", sections[i].more + 2, world.lines[0]);
            refused++;
        }
    assert_true(refused > 15);
}

int main(int argc, char **argv)
{
    // Older headers do not name the instructions: then no module with them is accepted.
    if (!strcmp(module_op_name(SpvOpTypeCooperativeMatrixKHR), "Unknown"))
        return 77;
    sections_read(argc - 1, argv + 1);
    return unit_run();
}
