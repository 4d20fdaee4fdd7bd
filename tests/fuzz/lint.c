// SPDX-License-Identifier: Apache-2.0
// Fuzzes the convergence lint: text of nvdisasm; or, behind a first byte 0, three bytes for each
// instruction, since a text that was changed blindly is mostly none. Half of them are compared with
// a module, too.
#include "fuzz.h"

#include "generate/module.h"
#include "isa/lint.h"
#include "isa/sass.h"

#define MOST 400 // instructions

static void put_insn(struct text *text, size_t index, const uint8_t *bytes, size_t count)
{
    static const char *const guards[] = {"", "@P0 ", "@!P0 ", "@P1 ", "@!P1 ", "@UP0 ", "@!PT "};
    static const char *const plain[] = {
        "NOP",
        "EXIT",
        "S2R R0, SR_LANEID",
        "MOV R1, RZ",
        "ISETP.NE.U32.AND P0, PT, R0, R1, PT",
        "ISETP.NE.U32.AND P1, PT, R1, RZ, PT",
        "SHFL.IDX PT, R1, R1, R2, 0x1f",
        "VOTE.ANY R2, P1, P0",
        "VOTEU.ANY UR4, UPT, PT",
        "REDUX.OR UR4, R0",
        "MATCH.ANY R2, R1",
        "WARPSYNC.ALL",
        "WARPSYNC R2",
        "BMOV.32.CLEAR R3, B0",
        "BMOV.32 B0, R3",
        "RET.REL.NODEC R2 0x0",
        "BRX R2 -0x10",
        "LDG.E R1, [R0.64]",
        "BAR.SYNC 0x0",
        "KILL",
        "R2P PR, R1.B1, 0x9",
        "R2P PR",
        "P2R R3, PR, RZ, 0x2",
        "LOP3.LUT P0, R1, R1, 0x1, RZ, 0xc0, !PT",
        "PLOP3.LUT P1, PT, P0, P1, PT, 0x28, 0x0",
        "SEL R2, RZ, 0x8, !P1",
        "IMAD R1, R1, 0x4, R2",
        "STG.E.128 [R1.U32+UR4], R0",
    };
    const size_t plains = sizeof(plain) / sizeof(plain[0]);
    const unsigned target = (unsigned)(bytes[2] % (count + 1)) * SASS_BYTES;
    text_printf(text, "        /*%04zx*/                   %s", index * SASS_BYTES,
                guards[bytes[1] % 7]);
    const size_t which = bytes[0] % (plains + 12);
    if (which < plains)
        text_puts(text, plain[which]);
    else if (which < plains + 4)
        text_printf(text, "BRA 0x%x", target);
    else if (which < plains + 5)
        text_printf(text, "BRA.CONV UR4, 0x%x", target);
    else if (which < plains + 6)
        text_printf(text, "BRA.DIV ~URZ, 0x%x", target);
    else if (which < plains + 7)
        text_printf(text, "CALL.REL.NOINC 0x%x", target);
    else if (which < plains + 9)
        text_printf(text, "BSSY B%u, 0x%x", bytes[0] / 64u, target);
    else if (which < plains + 11)
        text_printf(text, "BSYNC B%u", bytes[0] / 64u);
    else
        text_printf(text, "BREAK B%u", bytes[0] / 64u);
    text_puts(text, " ;\n");
}

static void check_finding(const struct sass_code *code, const struct lint *lint,
                          const struct lint_finding *finding)
{
    OWNED(text_free) struct text words = {0};
    MUST(finding->kind < LINT_KINDS && finding->read < code->count);
    MUST(finding->other < code->count && finding->branch < code->count);
    const bool reads = finding->kind == LINT_LEAVING || finding->kind == LINT_TWICE ||
                       finding->kind >= LINT_INSIDE;
    const bool reached = reads || finding->kind == LINT_RISK || finding->kind == LINT_UNCLEAR;
    MUST(!reads || sass_is_cross_lane(code->insns[finding->read].op));
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < finding->ways[i].count; j++)
            MUST(sass_at(code, finding->ways[i].addresses[j]) < code->count);
    MUST(!reached || finding->ways[0].count > 0);
    MUST(!finding->ways[0].count ||
         finding->ways[0].addresses[0] == code->insns[finding->branch].address);
    lint_word(code, lint, finding, &words);
    MUST(words.length > 0 && !strpbrk(words.data, "\n\r\033"));
}

// A module that tests bits, as a generated program does.
static const struct gen_module *module(void)
{
    static const char program[] =
        "registers 4 4 if lane.0 { if word.11 { u0=lane() } } p3+=bit(u0,0)";
    static struct gen_module made;
    struct gen_program read;
    struct lit_error error = {0};
    if (!made.words) {
        MUST(gen_read(program, strlen(program), &read, &error));
        gen_module_make(&read, MASKS_DEFAULT, &made);
    }
    return &made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(text_free) struct text text = {0};
    const size_t count = size > 1 ? (size - 1) / 3 < MOST ? (size - 1) / 3 : MOST : 0;
    text_puts(&text, "");
    if (size > 0 && data[0] == 0)
        for (size_t i = 0; i < count; i++)
            put_insn(&text, i, data + 1 + 3 * i, count);
    else
        text_append(&text, (const char *)data, size);

    OWNED(sass_code_clear) struct sass_code code = {0};
    OWNED(lint_clear) struct lint lint = {0};
    struct lit_error error = {0};
    const bool compared = size & 2;
    const struct lint_options options = {.rows = size & 1,
                                         .words = compared ? module()->words : NULL,
                                         .word_count = compared ? module()->count : 0};
    if (sass_parse(text.data, text.length, 90, &code, &error)) {
        if (lint_run(&code, &options, &lint, &error))
            for (size_t i = 0; i < lint.count; i++)
                check_finding(&code, &lint, &lint.findings[i]);
        else
            MUST(strncmp(error.message, "cannot be analysed: ", 20) == 0);
    } else {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
    }
    return 0;
}
