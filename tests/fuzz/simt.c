// SPDX-License-Identifier: Apache-2.0
// Fuzzes the compiler of the SIMT simulator: any words give a program or an error. Of a program,
// every number that the interpreter will follow is checked here; then it is executed for a while,
// under one model after the other, on a buffer that it must not leave.
#include "fuzz.h"

#include "program/execution.h"
#include "program/instructions.h"
#include "program/program.h"
#include "schedule/machine.h"

#include "base/random.h"
#include "base/text.h"

#define EDITS           256
#define INVOCATIONS_MAX 256
#define CELLS_MAX       (1u << 16)

static void check_cells(const struct program *program, uint32_t cell, uint32_t count)
{
    MUST(cell == CELL_NONE || (cell < program->cell_count && count <= program->cell_count - cell));
}

static void check_insn(const struct program *program, const struct insn *insn)
{
    MUST(insn->kind <= INSN_UNREACHABLE);
    MUST(insn->run || insn->kind >= INSN_BRANCH);
    check_cells(program, insn->result, 1);
    for (int i = 0; i < 4; i++)
        check_cells(program, insn->operand[i], 1);
    if (insn->kind == INSN_CALL)
        MUST(insn->literal < program->function_count);
    else if (insn->kind >= INSN_BRANCH && insn->kind <= INSN_SWITCH)
        MUST(insn->extra_count && insn->extra_count <= program->edge_count - insn->extra);
    if (insn->run == compose_copy) {
        check_cells(program, insn->result, insn->components);
        check_cells(program, insn->operand[0], insn->components);
    }
    if (insn->run == compose_gather) {
        check_cells(program, insn->result, insn->extra_count);
        for (uint32_t i = 0; i < insn->extra_count; i++)
            check_cells(program, program->extra[insn->extra + i], 1);
    }
    if (insn->run == matrix_load || insn->run == matrix_store) {
        const uint32_t elements = MATRIX_ROWS(insn) * MATRIX_COLUMNS(insn);
        check_cells(program, insn->run == matrix_load ? insn->result : insn->operand[GROUP_CLUSTER],
                    (elements + program->subgroup - 1) / program->subgroup);
    }
    if (insn->run == memory_load || insn->run == memory_store) {
        const uint32_t first = insn->run == memory_load ? insn->result : insn->operand[1];
        for (uint32_t i = 0; i < insn->extra_count; i++)
            check_cells(program, first + program->extra[insn->extra + i * PIECE_WORDS], 1);
    }
}

static void check_program(const struct program *program)
{
    for (uint32_t i = 0; i < program->insn_count; i++) {
        check_insn(program, &program->insns[i]);
        MUST(strlen(program->lines[i]) < 300);
    }
    MUST(insn_ends_block(&program->insns[program->insn_count - 1]));
    for (uint32_t i = 0; i < program->block_count; i++) {
        const struct block *block = &program->blocks[i];
        MUST(block->first < program->insn_count);
        MUST(block->first == 0 || insn_ends_block(&program->insns[block->first - 1]));
        MUST(block->function < program->function_count);
        MUST(block->merge < program->block_count && block->next < program->block_count);
    }
    for (uint32_t i = 0; i < program->edge_count; i++) {
        const struct edge *edge = &program->edges[i];
        MUST(edge->block < program->block_count);
        MUST(edge->move_count <= program->move_count &&
             edge->first_move <= program->move_count - edge->move_count);
    }
    for (uint32_t i = 0; i < program->move_count; i++) {
        check_cells(program, program->moves[i].to, program->moves[i].count);
        check_cells(program, program->moves[i].from, program->moves[i].count);
    }
    for (uint32_t i = 0; i < program->constant_count; i++)
        check_cells(program, program->constants[i].cell, 1);
    for (uint32_t i = 0; i < program->initial_count; i++)
        check_cells(program, program->initial[i].cell, 1);
    for (const char *c = program->listing; *c; c++)
        MUST(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

static void hear(void *user, const char *line)
{
    (void)user;
    for (; *line; line++)
        MUST(*line >= ' ' && *line <= '~');
}

// The machine looks at `stop` once in a while: with it set beforehand a program that never ends is
// executed for some thousand instructions.
static void execute(const struct program *program)
{
    static unsigned next_model;
    static const bool stop = true;
    const uint64_t invocations =
        (uint64_t)program->local_size[0] * program->local_size[1] * program->local_size[2];
    if (invocations > INVOCATIONS_MAX || program->cell_count > CELLS_MAX ||
        program->region_count > RESOURCE_RUNTIME_MAX)
        return;
    struct settings settings = {.model = (enum model)(next_model++ % MODEL_FAULTY),
                                .seed = next_model,
                                .subgroup = program->subgroup,
                                .threads = 1,
                                .resident = 2,
                                .depth = 1,
                                .bounds = next_model / 8 % 2 ? BOUNDS_REPORT : BOUNDS_LOST};
    OWNED(lit_free)
    struct region *local = lit_alloc(2 + (size_t)program->region_count, sizeof *local);
    unsigned char *bytes = lit_alloc(1 + (size_t)program->region_count, 64);
    for (uint32_t i = 0; i < program->region_count + 1; i++)
        local[1 + i] =
            (struct region){.bytes = bytes + 64 * (size_t)i, .size = 64, .extent = {4, 2, 2}};
    struct regions *regions = regions_create();
    struct machine *machine = machine_create(&settings, regions, hear, NULL);
    const struct dispatch dispatch = {.program = program,
                                      .groups = {3, 1, 1},
                                      .local = local,
                                      .local_count = 2 + program->region_count,
                                      .stop = &stop};
    machine_dispatch(machine, &dispatch);
    machine_free(machine);
    regions_free(regions);
    free(bytes);
}

// Whether it compiles. Of two modules one is miscompiled, at every place or at some.
static bool compile(const uint32_t *words, size_t count, bool specialised)
{
    const struct program_constant constants[] = {{0, 3, 4}, {1, 2, 8}};
    static unsigned compiled;
    double rates[OPERATOR_COUNT];
    for (size_t i = 0; i < OPERATOR_COUNT; i++)
        rates[i] = compiled % 4 == 1 ? 1 : 0.5;
    const struct program_options options = {.entry = "main",
                                            .constants = constants,
                                            .constant_count = specialised ? 2 : 0,
                                            .subgroup = 32,
                                            .local_size_max = 1024,
                                            .shared_max = 65536,
                                            .operators = compiled % 2 ? rates : NULL,
                                            .seed = compiled++};
    char error[256] = "";
    struct program *program = program_compile(words, count, &options, error, sizeof error);
    if (program) {
        check_program(program);
        execute(program);
    } else {
        MUST(error[0]);
    }
    for (const char *c = error; *c; c++)
        MUST(*c >= ' ' && *c <= '~');
    program_free(program);
    return program != NULL;
}

// Bytes that were changed anywhere seldom are a module still. So the words of those that are one
// are changed in ways that the module's reader does not mind: operands within functions.
static void edit(uint32_t *words, size_t count, struct lit_random *random)
{
    size_t at = 5, first = 0, chosen = 0, seen = 0;
    for (; at < count && words[at] >> 16 && words[at] >> 16 <= count - at; at += words[at] >> 16) {
        if ((words[at] & 0xffff) == SpvOpFunction)
            first = at;
        if (first && words[at] >> 16 > 1 && !random_below(random, ++seen))
            chosen = at;
    }
    if (!chosen)
        return;
    uint32_t *operand = &words[chosen + 1 + random_below(random, (words[chosen] >> 16) - 1)];
    *operand = (uint32_t)random_below(random, random_below(random, 4) ? words[3] : 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t count = size / 4;
    OWNED(lit_free) uint32_t *words = malloc(count ? count * 4 : 1);
    struct lit_random random = {.state = size};
    MUST(words);
    memcpy(words, data, count * 4);
    if (compile(words, count, size & 1) && words[3] <= count) { // larger bounds take long
        for (size_t i = 0; i < count; i++)
            random.state = random.state * 31 + words[i];
        for (int i = 0; i < EDITS; i++) {
            memcpy(words, data, count * 4);
            for (uint64_t edits = 1 + random_below(&random, 2); edits > 0; edits--)
                edit(words, count, &random);
            compile(words, count, size & 1);
        }
    }
    return 0;
}
