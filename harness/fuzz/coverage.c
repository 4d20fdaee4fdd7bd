// SPDX-License-Identifier: Apache-2.0
// Counts the operations in a campaign's programs: a function of the campaign's parameters, its seed
// and the programs' numbers.
#include "fuzz/campaign.h"

#include "report/format.h"
#include "report/table.h"

static const enum masks_kind constructs[] = {MASKS_END, MASKS_IF, MASKS_WHILE, MASKS_SWITCH,
                                             MASKS_CALL};
#define CONSTRUCTS (sizeof constructs / sizeof *constructs)

// By innermost construct (enum masks_kind up to MASKS_CALL) and type.
struct acts {
    uint64_t of[GEN_OPS][MASKS_CALL + 1][GEN_TYPES];
};

// Whether programs for this device can contain it.
static bool can_be(enum gen_op op, enum masks_kind construct, enum gen_type type, uint64_t features)
{
    const struct gen_act act = {.op = (uint8_t)op, .type = (uint8_t)type};
    return gen_forms[op].types >> type & 1 && !(gen_act_features(&act) & ~features) &&
           !(gen_forms[op].needs == GEN_FULL && construct == MASKS_SWITCH) &&
           !(op == GEN_OP_TURN && construct == MASKS_END);
}

static void cover(const struct gen_program *program, enum masks_rule rule, struct acts *acts)
{
    struct gen_places places = {0};
    gen_converge(program, rule, &places);
    for (uint32_t i = 1; i <= program->count; i++) {
        const struct gen_step *step = &program->steps[i];
        if (step->kind == MASKS_ACT)
            acts->of[step->act.op][places.around[i]][step->act.type]++;
    }
}

static void draw_again(const struct fuzz_campaign *c, struct acts *acts)
{
    for (size_t i = 0; i < c->records.count; i++) {
        const struct result *row = &c->records.items[i].kept;
        const struct fuzz_arm *arm = &c->arms[i / c->size_count];
        for (uint64_t run = row->first; run < row->first + row->runs; run++) {
            struct gen_program program;
            fuzz_draw(c, arm, run * c->size_count + i % c->size_count, &program);
            cover(&program, arm->limits.rule, acts);
        }
    }
}

void fuzz_put_coverage(const struct fuzz_campaign *c, struct text *text)
{
    static const char *const titles[CONSTRUCTS + GEN_TYPES] = {
        "outside", "if",  "loop", "switch", "call", "u32",    "u16",   "u8",
        "u64",     "f32", "f16",  "f64",    "bool", "shared", "buffer"};
    struct table_column columns[1 + CONSTRUCTS + GEN_TYPES] = {{.title = "operation"}};
    for (size_t i = 0; i < CONSTRUCTS + GEN_TYPES; i++)
        columns[1 + i] = (struct table_column){.title = titles[i], .kind = TABLE_NUMBER};
    OWNED(table_clear) struct table table = {TABLE_OF(columns), .width = 16};
    OWNED(lit_free) struct acts *acts = lit_alloc(1, sizeof *acts);
    uint64_t all = 0, seen = 0;
    draw_again(c, acts);
    for (enum gen_op op = GEN_OP_NONE + 1; op < GEN_OPS; op++) {
        uint64_t counts[CONSTRUCTS + GEN_TYPES] = {0};
        for (size_t i = 0; i < CONSTRUCTS; i++)
            for (enum gen_type type = 0; type < GEN_TYPES; type++) {
                const uint64_t count = acts->of[op][constructs[i]][type];
                counts[i] += count;
                counts[CONSTRUCTS + type] += count;
                all += can_be(op, constructs[i], type, c->device->facts.features);
                seen += count > 0;
            }
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", gen_forms[op].name);
        for (size_t i = 0; i < CONSTRUCTS + GEN_TYPES; i++)
            table_count(&table, TONE_PLAIN, counts[i]);
    }
    text_puts(text, "\n");
    table_terminal(&table, false, text);
    text_printf(text, "  %s of %s combinations of operation, construct and type were run\n",
                COUNT(seen), COUNT(all));
}
