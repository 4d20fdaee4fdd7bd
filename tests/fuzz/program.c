// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parser of generated programs: what is understood is written back as the same program,
// and if it is one, it is simulated, emitted and shrunk without fault. A file that is a test's head
// is taken as --replay takes it.
#include "fuzz.h"

#include "base/spirv.h"
#include "catalogue/head.h"
#include "generate/module.h"
#include "generate/program.h"

// Fails for half of all programs, so that shrinking goes some way.
static enum gen_answer judge(const struct gen_program *program, void *user)
{
    unsigned *left = user;
    if (!--*left)
        return GEN_STOP;
    return gen_weight(program) * 2654435761u >> 31 ? GEN_FAILS : GEN_PASSES;
}

static void use(struct gen_program *program)
{
    OWNED(lit_free) struct masks_cell *cells = calloc(8 * GEN_SLOTS, sizeof *cells);
    OWNED(lit_free) struct gen_shape *shape = gen_shape_make(program);
    OWNED(gen_module_clear) struct gen_module module = {0};
    unsigned left = 40;
    uint32_t words[8];
    MUST(cells && shape->masks.slots <= GEN_SLOTS);
    for (uint32_t i = 0; i < 8; i++)
        words[i] = gen_word(1, 5 + i / 4, i % 4, 4);
    OWNED(lit_free)
    uint32_t *records = calloc(128u * (gen_registers_records(program) + 1), 4 * sizeof *records);
    MUST(records);
    if (program->numbers)
        gen_interpret(program, 128, 128, 0, (uint32_t[256]){0}, records);
    else
        masks_simulate(&shape->masks, MASKS_MAXIMAL, 8, 4, words, cells);
    gen_module_make(program, MASKS_MAXIMAL, &module);
    MUST(module.count > SPIRV_HEADER);
    const struct gen_limits limits = {.products = "u8.u8.u32.8x8x8 f16.f16.f32.8x8x8",
                                      .rule = MASKS_MAXIMAL};
    gen_shrink(program, &limits, judge, &left);
    MUST(gen_check(program, MASKS_MAXIMAL, NULL));
}

static void check(const char *source, size_t size)
{
    struct gen_program program, again;
    struct lit_error error = {0};
    OWNED(text_free) struct text text = {0};
    if (!gen_read(source, size, &program, &error)) {
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
        return;
    }
    gen_write(&program, &text);
    MUST(gen_read(text.data ? text.data : "", text.length, &again, &error));
    MUST(memcmp(&program, &again, sizeof program) == 0);
    gen_check(&program, MASKS_DEFAULT, &error);
    if (gen_check(&program, MASKS_MAXIMAL, &error))
        use(&program);
    else
        MUST(error.message[0] && !strpbrk(error.message, "\n\r\033"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    OWNED(cat_head_clear) struct cat_head head;
    struct lit_error error = {0};
    check((const char *)data, size);
    if (cat_head_parse((const char *)data, size, &head, &error) && head.program)
        check(head.program, strlen(head.program));
    return 0;
}
