// SPDX-License-Identifier: Apache-2.0
// The decoder of SASS against what nvdisasm wrote of the same bytes, an example of each form; and
// the reader of nvdisasm's text on the same rows: SASS_DECODE FOLDER.
#include "unit.h"

#include "sass.h"

#include "base/text.h"
#include "isa/sass.h"

static struct row {
    uint64_t high, low;
    const char *text, *reads, *writes, *op;
} * rows;
static size_t row_count;

// Rows of a file: HIGH LOW|TEXT|READS|WRITES|OPERATION. They last until the test ends.
static void read_rows(const char *name)
{
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/%s", unit_argument(1), name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == ';')
            continue;
        struct row *row = &LIT_ADD(rows, row_count);
        char *at = lit_strdup(line);
        assert_int_equal(sscanf(at, "%" SCNx64 " %" SCNx64 "|", &row->high, &row->low), 2);
        for (size_t i = 0; i < 4; i++) {
            at = strpbrk(at, "|\n");
            assert_non_null(at);
            *at++ = '\0';
            *(const char **[]){&row->text, &row->reads, &row->writes, &row->op}[i] = at;
        }
        at[strcspn(at, "\r\n")] = '\0';
    }
    fclose(file);
}

static void put_bytes(uint8_t bytes[SASS_BYTES], uint64_t high, uint64_t low)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(low >> 8 * i);
        bytes[8 + i] = (uint8_t)(high >> 8 * i);
    }
}

// One instruction, at address 0.
static struct sass_code decode(uint64_t high, uint64_t low)
{
    struct sass_code code;
    uint8_t bytes[SASS_BYTES];
    put_bytes(bytes, high, low);
    assert_true(sass_decode(bytes, sizeof bytes, 90, &code, NULL));
    assert_int_equal(code.count, 1);
    return code;
}

static void check_registers(const struct sass_insn *insn, const struct row *row)
{
    OWNED(lit_free)
    char *reads = registers_text(&insn->reads), *writes = registers_text(&insn->writes);
    assert_string_equal(insn->text, row->text);
    assert_string_equal(reads, row->reads);
    assert_string_equal(writes, row->writes);
    assert_string_equal(sass_op_name(insn->op), row->op);
    assert_int_equal(insn->flags & SASS_UNKNOWN, 0);
}

TEST(every_form_is_decoded_as_nvdisasm_writes_it)
{
    for (size_t i = 0; i < row_count; i++) {
        OWNED(sass_code_clear) struct sass_code code = decode(rows[i].high, rows[i].low);
        check_registers(&code.insns[0], &rows[i]);
    }
}

TEST(every_form_is_read_as_it_is_decoded)
{
    OWNED(text_free) struct text text = {0};
    for (size_t i = 0; i < row_count; i++)
        text_printf(&text, "        /*%04zx*/                   %s ;\n", i * SASS_BYTES,
                    rows[i].text);
    OWNED(sass_code_clear) struct sass_code parsed;
    assert_true(sass_parse(text.data, text.length, 90, &parsed, NULL));
    assert_int_equal(parsed.count, row_count);
    for (size_t i = 0; i < row_count; i++) {
        OWNED(sass_code_clear) struct sass_code code = decode(rows[i].high, rows[i].low);
        const struct sass_insn *a = &parsed.insns[i], *b = &code.insns[0];
        check_registers(a, &rows[i]);
        assert_int_equal(a->op, b->op);
        assert_int_equal(a->flags, b->flags);
        assert_int_equal(a->guard, b->guard);
        assert_int_equal(a->guard_negated, b->guard_negated);
        assert_int_equal(a->guard_uniform, b->guard_uniform);
        assert_int_equal(a->barrier, b->barrier);
    }
}

// BSSY B0, 0x40; @!P0 BRA 0x40; BRA 0x0; NOP; BSYNC B0; EXIT
static const struct {
    uint64_t high, low;
    const char *text;
    uint32_t target;
} program[] = {
    {0x000fe20003800000, 0x0000003000007945, "BSSY B0, 0x40", 0x40},
    {0x000fea0003800000, 0x0000000000088947, "@!P0 BRA 0x40", 0x40},
    {0x000fea000383ffff, 0xfffffffc00f47947, "BRA 0x0", 0},
    {0x000fc00000000000, 0x0000000000007918, "NOP", SASS_NOWHERE},
    {0x000fea0003800000, 0x0000000000007941, "BSYNC B0", SASS_NOWHERE},
    {0x000fea0003800000, 0x000000000000794d, "EXIT", SASS_NOWHERE},
};

TEST(targets_may_be_far_and_behind)
{
    static const struct {
        uint64_t high, low;
        const char *text;
    } cases[] = {
        {0x000fe20003800000, 0x7ffffffc00007945, "BSSY B0, 0x8000000c"},
        {0x000fe20003800000, 0x8000000000007945, "BSSY B0, -0x7ffffff0"},
        {0x000fea0003800000, 0x8000000000047947, "BRA 0x8000000020"},
        {0x000fea0003820000, 0x0000000000007947, "BRA -0x1fffffffffffff0"},
        {0x000fea000383ffff, 0xfffffffc00f87947, "BRA -0x10"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(sass_code_clear) struct sass_code code = decode(cases[i].high, cases[i].low);
        assert_string_equal(code.insns[0].text, cases[i].text);
        assert_int_equal(code.insns[0].target, SASS_NOWHERE);
    }
}

TEST(targets_count_from_the_next_instruction)
{
    enum { COUNT = sizeof program / sizeof *program };
    uint8_t bytes[COUNT * SASS_BYTES];
    for (size_t i = 0; i < COUNT; i++)
        put_bytes(bytes + i * SASS_BYTES, program[i].high, program[i].low);
    OWNED(sass_code_clear) struct sass_code code;
    assert_true(sass_decode(bytes, sizeof bytes, 90, &code, NULL));
    assert_int_equal(code.count, COUNT);
    assert_int_equal(code.architecture, 90);
    assert_true(code.operands);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(code.insns[i].text, program[i].text);
        assert_int_equal(code.insns[i].target, program[i].target);
        assert_int_equal(code.insns[i].address, i * SASS_BYTES);
    }
    assert_int_equal(code.insns[0].barrier, 0);
}

// What the table does not know: an operation, a form, a value of a field, a bit that is nowhere.
TEST(what_is_not_known_is_said_so)
{
    static const struct {
        uint64_t high, low;
        const char *text;
    } cases[] = {
        {0x000fea0003800000, 0x00000000000079ff, "?0x9ff"},
        {0x000fea0003800000, 0x0000000000018bff, "@!P0 ?0xbff"},
        {0x000fea0003800000, 0x0000000000007147, "?0x147"}, // BRA without a form
        {0x000fe200038e0300, 0x0000000000007806, "?0x806"}, // VOTE of no kind
        {0x000fea0003800040, 0x0000000000007941, "?0x941"}, // BSYNC with something more
        {0x000fc04000000000, 0x0000000000007918, "?0x918"}, // a bit beside the schedule
        {0x000fea000b800000, 0x0000000000007941, "?0x941"}, // uniform, but what?
        {0xffffffffffffffff, 0xffffffffffffffff, "@!PT ?0xfff"},
        {0, 0, "@P0 ?0x000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(sass_code_clear) struct sass_code code = decode(cases[i].high, cases[i].low);
        assert_string_equal(code.insns[0].text, cases[i].text);
        assert_int_equal(code.insns[0].flags, SASS_UNKNOWN);
        assert_int_equal(code.insns[0].op, SASS_OTHER);
        assert_false(code.operands);
    }
    // When it is executed is of no interest here.
    OWNED(sass_code_clear) struct sass_code code = decode(0xfffffe0000000000, 0x0000000000007918);
    assert_string_equal(code.insns[0].text, "NOP");
}

TEST(what_is_no_code_is_refused)
{
    static const uint8_t bytes[2 * SASS_BYTES];
    static const struct {
        size_t size;
        uint32_t architecture;
    } cases[] = {{0, 90}, {1, 90}, {17, 90}, {32, 100}, {32, 120}, {32, 61}, {32, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(sass_code_clear) struct sass_code code;
        must_fail("", sass_decode(bytes, cases[i].size, cases[i].architecture, &code, &error));
        assert_int_equal(code.count, 0);
    }
}

static int read_all(void **state)
{
    read_rows("forms.txt");
    read_rows("more.txt");
    return 0;
}

GROUP(read_all, NULL)
