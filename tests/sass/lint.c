// SPDX-License-Identifier: Apache-2.0
// The convergence lint over files of nvdisasm's text: sass-lint [--rows] [--quiet] [--mutate]
// [--plant SEED COUNT LEAST] FILE...
//
// Prints the findings of each file. With --mutate also what becomes of them when the compiler had
// forgotten one thing: for each BSSY with its BSYNC, each WARPSYNC and each BREAK a listing without
// it. --plant draws COUNT faults from a seed, a guard, a mask or a BSYNC changed, and fails unless
// the lint finds a cause for LEAST of them.
#include "isa/sass.h"
#include "isa/lint.h"

static struct {
    size_t files, refused, reads, findings[LINT_KINDS];
    size_t mutants[3], noticed[3]; // BSSY with BSYNC, WARPSYNC, BREAK
} total;

static bool rows, quiet, mutate;

static bool read_file(const char *path, struct text *text)
{
    FILE *file = fopen(path, "rb");
    char buffer[65536];
    if (!file)
        return false;
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        text_append(text, buffer, got);
    return fclose(file) == 0 && text->length > 0;
}

// Divergent cross-lane reads, once for each branch.
static size_t count_divergent(const struct sass_code *code)
{
    const struct lint_options options = {.rows = rows};
    OWNED(lint_clear) struct lint lint;
    struct lit_error error;
    size_t count = 0;
    if (lint_run(code, &options, &lint, &error))
        for (size_t i = 0; i < lint.count; i++)
            count += lint.findings[i].kind == LINT_RISK || lint.findings[i].kind == LINT_UNCLEAR;
    return count;
}

static struct sass_insn forget(struct sass_insn *insn)
{
    const struct sass_insn old = *insn;
    static char nop[] = "NOP";
    *insn = (struct sass_insn){
        .address = old.address, .guard = 7, .target = SASS_NOWHERE, .barrier = -1, .text = nop};
    return old;
}

static void mutate_code(const char *path, struct sass_code *code)
{
    const size_t before = count_divergent(code);
    for (size_t i = 0; i < code->count; i++) {
        const enum sass_op op = code->insns[i].op;
        const int what = op == SASS_BSSY ? 0 : op == SASS_WARPSYNC ? 1 : op == SASS_BREAK ? 2 : -1;
        if (what < 0)
            continue;
        // nvidia's compiler has one BSYNC for each BSSY, before its target.
        size_t pair = i;
        if (op == SASS_BSSY && code->insns[i].target >= SASS_BYTES)
            pair = sass_at(code, code->insns[i].target - SASS_BYTES);
        if (pair >= code->count || (pair != i && code->insns[pair].op != SASS_BSYNC))
            continue;
        const struct sass_insn first = forget(&code->insns[i]);
        const struct sass_insn second = pair != i ? forget(&code->insns[pair]) : first;
        const bool noticed = count_divergent(code) > before;
        code->insns[i] = first;
        if (pair != i)
            code->insns[pair] = second;
        total.mutants[what]++;
        total.noticed[what] += noticed;
        if (!quiet)
            printf("%s: without %s at 0x%x: %s\n", path, first.text, first.address,
                   noticed ? "noticed" : "nothing new");
    }
}

// --- Planted faults

enum plant { GUARD, MASK, BARRIER, PLANTS };
static const char *const plant_names[] = {"guard", "mask", "BSYNC"};
static struct {
    size_t planted[PLANTS], named[PLANTS], count, least;
} plants;
static uint64_t plant_state;

static size_t plant_count(const size_t each[PLANTS])
{
    return each[GUARD] + each[MASK] + each[BARRIER];
}

static size_t draw(size_t below)
{
    plant_state = plant_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(plant_state >> 33) % below;
}

// The texts with which an instruction has one fault of a sort; their number.
static size_t faults_of(const struct sass_insn *insn, enum plant plant,
                        char texts[8][SASS_TEXT_MAX])
{
    const char *text = insn->text, *at;
    size_t count = 0;
    if (plant == GUARD && insn->guard < 7 && !insn->guard_uniform) {
        const char *rest = strchr(text, ' ');
        for (int number = 0; number < 7; number++)
            snprintf(texts[count++], SASS_TEXT_MAX, "@%sP%d%s",
                     insn->guard_negated != (number == insn->guard) ? "!" : "", number, rest);
    } else if (plant == MASK && insn->guard < 7 && strstr(text, ", 0x33, ")) {
        snprintf(texts[count++], SASS_TEXT_MAX, "NOP");
    } else if (plant == MASK && insn->reads.p &&
               (sass_begins(insn, "VOTE.ANY ") || sass_begins(insn, "VOTEU.ANY "))) {
        at = strrchr(text, ' ') + 1;
        snprintf(texts[count++], SASS_TEXT_MAX, "%.*s%s%s", (int)(at - text), text,
                 *at == '!' ? "" : "!", at + (*at == '!'));
    } else if (plant == BARRIER && insn->op == SASS_BSYNC && insn->barrier >= 0) {
        snprintf(texts[count++], SASS_TEXT_MAX, "NOP");
        snprintf(texts[count++], SASS_TEXT_MAX, "BSYNC B%d", (insn->barrier + 1) % 16);
    }
    return count;
}

static size_t count_causes(const struct sass_code *code, const struct lint_options *options)
{
    OWNED(lint_clear) struct lint lint = {0};
    struct lit_error error;
    size_t count = 0;
    if (!lint_run(code, options, &lint, &error))
        return SIZE_MAX; // it can no longer be followed, and says where
    for (size_t i = 0; i < lint.count; i++)
        count += lint_is_cause(lint.findings[i].kind);
    return count;
}

// Plants one fault of each sort, if the code has a place for it.
static void plant_code(const char *path, struct sass_code *code, const struct lint_options *options)
{
    const size_t before = count_causes(code, options);
    for (int plant = 0; plant < PLANTS; plant++) {
        char texts[8][SASS_TEXT_MAX];
        size_t places = 0, place = code->count;
        for (size_t i = 0; i < code->count; i++)
            if (faults_of(&code->insns[i], (enum plant)plant, texts) && draw(++places) == 0)
                place = i;
        if (place == code->count || plant_count(plants.planted) >= plants.count)
            continue;
        const struct sass_insn old = code->insns[place];
        code->insns[place].text = texts[draw(faults_of(&old, (enum plant)plant, texts))];
        sass_effects(&code->insns[place]);
        const bool named = count_causes(code, options) > before;
        plants.planted[plant]++;
        plants.named[plant] += named;
        if (!quiet && !named)
            printf("%s: 0x%x: %s in place of %s: not named\n", path, old.address,
                   code->insns[place].text, old.text);
        code->insns[place] = old;
    }
}

static void print_findings(const char *path, const struct sass_code *code, const struct lint *lint)
{
    for (size_t i = 0; i < lint->count; i++) {
        OWNED(text_free) struct text text = {0};
        total.findings[lint->findings[i].kind]++;
        lint_word(code, lint, &lint->findings[i], &text);
        if (!quiet)
            printf("%s: %s\n", path, text.data);
    }
}

static bool read_code(const char *path, const struct text *text, struct sass_code *code,
                      struct lit_error *error)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".code") == 0)
        return sass_decode((const uint8_t *)text->data, text->length, 90, code, error);
    return sass_parse(text->data, text->length, 90, code, error);
}

static bool look_at(const char *path)
{
    OWNED(text_free) struct text text = {0}, module = {0}, name = {0};
    text_printf(&name, "%.*s.spv", (int)(strrchr(path, '.') ? strrchr(path, '.') - path : 0), path);
    const bool has_module = read_file(name.data, &module);
    const struct lint_options options = {.rows = rows,
                                         .words = has_module ? (const void *)module.data : NULL,
                                         .word_count = module.length / 4};
    OWNED(sass_code_clear) struct sass_code code = {0};
    OWNED(lint_clear) struct lint lint = {0};
    struct lit_error error = {.message = "cannot be read"};
    const bool good = read_file(path, &text) && read_code(path, &text, &code, &error) &&
                      lint_run(&code, &options, &lint, &error);
    total.files++;
    total.refused += !good;
    total.reads += lint.reads;
    if (!good)
        printf("%s: %s\n", path, error.message);
    else
        print_findings(path, &code, &lint);
    if (good && mutate)
        mutate_code(path, &code);
    if (good && plant_state)
        plant_code(path, &code, &options);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rows") == 0)
            rows = true;
        else if (strcmp(argv[i], "--quiet") == 0)
            quiet = true;
        else if (strcmp(argv[i], "--mutate") == 0)
            mutate = true;
        else if (strcmp(argv[i], "--plant") == 0 && i + 3 < argc) {
            plant_state = strtoull(argv[++i], NULL, 0) | 1;
            plants.count = strtoull(argv[++i], NULL, 0);
            plants.least = strtoull(argv[++i], NULL, 0);
        } else
            good &= look_at(argv[i]);
        while (good && plant_count(plants.planted) < plants.count)
            for (int i = 1; i < argc; i++)
                good &= !strchr(argv[i], '.') || look_at(argv[i]);
    }
    printf("%zu files, %zu refused, %zu cross-lane reads;", total.files, total.refused,
           total.reads);
    for (int kind = 0; kind < LINT_KINDS; kind++)
        printf(" %zu %s", total.findings[kind], lint_kind_name((enum lint_kind)kind));
    static const char *const things[] = {"BSSY and BSYNC", "WARPSYNC", "BREAK"};
    for (int i = 0; i < 3 && mutate; i++)
        printf("\nwithout one %s: %zu of %zu noticed", things[i], total.noticed[i],
               total.mutants[i]);
    for (int i = 0; i < PLANTS && plant_state; i++)
        printf("\nwith one wrong %s: %zu of %zu named", plant_names[i], plants.named[i],
               plants.planted[i]);
    printf("\n");
    return good && plant_count(plants.named) >= plants.least ? 0 : 1;
}
