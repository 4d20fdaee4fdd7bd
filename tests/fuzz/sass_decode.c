// SPDX-License-Identifier: Apache-2.0
// Fuzzes the decoder of SASS: any bytes give instructions, and the reader of nvdisasm's text reads
// of their texts what the decoder says. The emulator executes them: whatever they are, it ends, and
// touches nothing but its buffers.
#include "fuzz.h"

#include "base/text.h"
#include "emulator/emulator.h"
#include "isa/sass.h"

static void check_insn(const struct sass_code *code, size_t index)
{
    const struct sass_insn *insn = &code->insns[index];
    MUST(insn->address == index * SASS_BYTES && sass_at(code, insn->address) == index);
    MUST(insn->text && insn->text[0] && strlen(insn->text) < 256);
    for (const char *c = insn->text; *c; c++)
        MUST(*c >= 0x20 && *c < 0x7f);
    MUST(((insn->flags & SASS_UNKNOWN) != 0) == (strstr(insn->text, "?0x") != NULL));
    MUST(insn->target == SASS_NOWHERE || sass_at(code, insn->target) < code->count);
    MUST(insn->guard <= 7 && insn->barrier >= -1 && insn->barrier <= 15 && insn->op < SASS_OPS);
}

static void check_same(const struct sass_insn *a, const struct sass_insn *b)
{
    MUST(strcmp(a->text, b->text) == 0 && a->op == b->op && a->flags == b->flags);
    MUST(a->guard == b->guard && a->guard_negated == b->guard_negated);
    MUST(a->guard_uniform == b->guard_uniform && a->target == b->target);
    MUST(a->barrier == b->barrier);
    MUST(memcmp(a->reads.r, b->reads.r, sizeof a->reads.r) == 0);
    MUST(memcmp(a->writes.r, b->writes.r, sizeof a->writes.r) == 0);
}

static void execute(const struct sass_code *code)
{
    uint32_t words[64] = {0};
    struct emu_buffer buffer = {UINT64_C(1) << 40, words, sizeof words};
    struct emu_dispatch dispatch = {.groups = {2, 1, 1},
                                    .local = {48, 1, 1},
                                    .last = 2,
                                    .buffers = &buffer,
                                    .buffer_count = 1,
                                    .steps = 300};
    struct emu_program *program;
    struct lit_error error = {0};
    memcpy(dispatch.constants + EMU_DESCRIPTORS_AT, &buffer.address, sizeof buffer.address);
    MUST(emu_program_make(code, &program, &error));
    MUST(emu_run(program, &dispatch, &error) == !error.message[0]);
    emu_program_free(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sass_code code, read;
    struct lit_error error = {0};
    if (!sass_decode(data, size, 90, &code, &error)) {
        MUST(error.message[0] && size % SASS_BYTES + (size == 0));
        size -= size % SASS_BYTES;
        if (size == 0)
            return 0;
        MUST(sass_decode(data, size, 90, &code, NULL));
    }
    MUST(code.count == size / SASS_BYTES);
    OWNED(text_free) struct text text = {0};
    for (size_t i = 0; i < code.count; i++) {
        check_insn(&code, i);
        text_printf(&text, "/*%04zx*/ %s ;\n", i * SASS_BYTES, code.insns[i].text);
    }
    MUST(sass_parse(text.data, text.length, 90, &read, NULL));
    MUST(read.count == code.count && read.operands == code.operands);
    for (size_t i = 0; i < code.count; i++)
        check_same(&code.insns[i], &read.insns[i]);
    execute(&code);
    sass_code_clear(&read);
    sass_code_clear(&code);
    return 0;
}
