// SPDX-License-Identifier: Apache-2.0
// Prints the results of a campaign of programs.
#include "base/clock.h"
#include "fuzz/campaign.h"
#include "report/format.h"
#include "report/table.h"

static void put_rate(uint64_t failed, uint64_t runs, struct text *text)
{
    char rate[80];
    format_interval(rate, failed, runs, stat_clopper_pearson(failed, runs, 0.95));
    text_printf(text, "%s of %s runs (%s)", COUNT(failed), COUNT(runs), rate);
}

static void put_cause(const char *cause, const struct report_signature *finding, const char *before,
                      struct text *text)
{
    OWNED(text_free) struct text line = {0};
    if (cause[0]) {
        text_printf(&line, "probable cause: %s", cause);
        text_paragraph(text, before, line.data);
    }
    if (finding)
        text_printf(text, "%sknown: %s\n", before, finding->path);
    else if (cause[0])
        text_printf(text, "%snew: no finding has this cause\n", before);
}

static void put_found(const struct fuzz_found *found, struct text *text)
{
    const struct eng_failure *failure = &found->failure;
    const bool wrong = found->first.result == ENG_FAIL;
    OWNED(text_free) struct text notation = {0};
    text_printf(text, "  program %" PRIu64 ", %s, subgroups of %u: %s", found->index,
                found->arm->name, found->subgroup, eng_result_name(found->first.result));
    if (wrong) {
        text_puts(text, " in ");
        if (!found->failed)
            put_rate(found->first.count.failed_runs, found->first.count.runs, text);
        text_puts(text, found->runs && !found->failed ? "; again in " : "");
        if (found->runs)
            put_rate(found->failed, found->runs, text);
        text_puts(text, "\n");
    } else {
        text_printf(text, ": %s%s\n", found->first.reason,
                    found->runs && !found->failed ? "; not again, alone" : "");
    }
    if (found->shrunk) {
        text_printf(text, "    %u of %u steps after %u tries%s", found->small.count,
                    found->drawn.count, found->tries,
                    found->cut_short ? ", incomplete" : ", no smaller one fails");
        if (found->small_subgroup != found->subgroup)
            text_printf(text, "; in subgroups of %u", found->small_subgroup);
        text_puts(text, "\n");
    }
    if (found->small_runs && wrong) {
        text_puts(text, "    fails in ");
        put_rate(found->small_failed, found->small_runs, text);
        text_puts(text, "\n");
    }
    gen_write(&found->small, &notation);
    if (found->shrunk)
        text_paragraph(text, "    ", notation.data);
    if (wrong && found->first.reason[0]) {
        text_printf(text, "    %s\n", found->first.reason);
    } else if (wrong && failure->where[0]) {
        const char *outcome = cat_outcome_name(fuzz_check(&found->drawn), failure->at.outcome);
        text_printf(text, "    %s: %s: got 0x%x, want 0x%x\n", outcome ? outcome : "wrong",
                    failure->where, failure->at.got, failure->at.want);
    }
    if (found->path[0])
        text_printf(text, "    stored in %s\n", found->path);
    put_cause(found->cause, found->finding, "    ", text);
}

void fuzz_show_found(struct fuzz_campaign *c, const struct fuzz_found *found)
{
    struct text text = {0};
    if (!c->given && !found->path[0] && !c->asked->run.verbose)
        return;
    term_line_clear(&c->devices.line);
    put_found(found, &text);
    term_print(&text);
}

void fuzz_show_progress(struct fuzz_campaign *c, const char *doing)
{
    const struct fuzz_tally *tally = c->tally;
    const double now = clock_now();
    term_line_show(&c->devices.line, "  %s of %s programs, %.0f per second, failed: %s%s%s",
                   COUNT(tally->programs), COUNT(c->planned),
                   (double)(tally->programs - tally->before) /
                       (now > c->began ? now - c->began : 1),
                   COUNT(tally->programs - tally->sum.runs + tally->sum.failed_runs),
                   doing ? "; " : "", doing ? doing : "");
}

static void put_row(struct table *table, const char *name, const struct eng_count *sum,
                    const struct eng_count *all)
{
    const uint64_t failed = sum->failed_runs, judged = sum->runs - sum->no_progress_runs;
    table_row(table);
    table_put(table, TONE_PLAIN, "%s", name);
    table_count(table, TONE_PLAIN, judged);
    table_count(table, TONE_PLAIN, sum->instances - sum->no_progress_runs);
    table_count(table, TONE_PLAIN, failed);
    table_rate(table, TONE_PLAIN, failed, judged, stat_clopper_pearson(failed, judged, 0.95));
    table_put(table, TONE_PLAIN, "%s",
              judged == 0        ? "nothing ran"
              : failed == 0      ? "never seen"
              : failed == judged ? "ALWAYS"
                                 : "SOMETIMES");
    if (all != sum)
        table_put(table, TONE_PLAIN, "%.1f %%",
                  all->runs ? 100.0 * (double)sum->runs / (double)all->runs : 0);
}

static void put_table(const struct fuzz_campaign *c, struct text *text)
{
    const bool arms = fuzz_has_arms(c);
    const struct table_column columns[] = {
        COL(arms ? "arm" : "rule"),
        NUM("programs"),
        NUM(c->asked->compile ? "compiled" : "subgroups checked"),
        NUM("failed"),
        COL("rate, 95 % interval"),
        COL(""),
        NUM("share")};
    OWNED(table_clear) struct table table = {TABLE_OF(columns), .width = 40};
    const struct fuzz_tally *tally = c->tally;
    table.column_count -= !arms;
    for (size_t a = 0; a < c->arm_count && arms; a++)
        put_row(&table, c->arms[a].name, &c->arms[a].sum, &tally->sum);
    put_row(&table, arms ? "all" : c->arms->name, &tally->sum, &tally->sum);
    table_terminal(&table, false, text);
    for (enum eng_result result = 0; result < ENG_RESULTS; result++) {
        const uint64_t programs = c->total.results[result] - c->others.results[result];
        if (programs && result != ENG_PASS && result != ENG_FAIL)
            text_printf(text, "  %s: %s\n", eng_result_name(result), COUNT(programs));
    }
    if (tally->reason[0])
        text_printf(text, "  %s\n", tally->reason);
}

// The name of its arm, unless there is only one, and its number.
static void put_number(const struct fuzz_campaign *c, const struct fuzz_arm *arm, uint64_t index,
                       bool first, struct text *line)
{
    text_printf(line, "%s%s%s%" PRIu64, first ? "" : ", ", fuzz_has_arms(c) ? arm->name : "",
                fuzz_has_arms(c) ? " " : "", index);
}

static void put_group(const struct fuzz_campaign *c, const struct fuzz_group *group,
                      struct text *text)
{
    OWNED(text_free) struct text line = {0};
    text_printf(&line, "%s; %s program%s: ", group->small[0] ? group->small : group->name,
                COUNT(group->programs), group->programs == 1 ? "" : "s");
    for (uint64_t k = 0; k < group->programs && k < FUZZ_FIRST; k++)
        put_number(c, group->first[k].arm, group->first[k].index, k == 0, &line);
    text_puts(&line, group->programs > FUZZ_FIRST ? ", ..." : "");
    text_printf(&line, "%s%s", group->path[0] ? "; " : "", group->path);
    text_paragraph(text, "    ", line.data);
    put_cause(group->cause, group->finding, "      ", text);
}

static bool is_first(const struct fuzz_tally *tally, size_t group)
{
    bool first = true;
    for (size_t i = 0; i < group && first; i++)
        first =
            !tally->groups[i].programs || tally->groups[i].finding != tally->groups[group].finding;
    return first;
}

// Why programs failed, as far as that is known: new causes first, then those of each finding.
static void put_groups(const struct fuzz_campaign *c, struct text *text)
{
    const struct fuzz_tally *tally = c->tally;
    const size_t count = tally->group_count;
    bool any = false;
    for (size_t i = 0; i < 2 * count; i++) {
        const struct fuzz_group *first = &tally->groups[i % count];
        if (!first->programs || !first->finding != (i < count) ||
            !(i < count || is_first(tally, i % count)))
            continue;
        text_puts(text, any ? "" : "\n  groups of programs that fail alike:\n");
        any = true;
        for (size_t k = i % count; k < count; k++)
            if (tally->groups[k].programs && (k == i % count || i >= count) &&
                tally->groups[k].finding == first->finding)
                put_group(c, &tally->groups[k], text);
    }
}

static void put_near(const struct fuzz_campaign *c, struct text *text)
{
    const struct fuzz_tally *tally = c->tally;
    OWNED(text_free) struct text notation = {0}, line = {0};
    put_number(c, tally->near.arm, tally->near.index, true, &line);
    gen_write(&tally->nearest, &notation);
    text_printf(text, "\n  nearest to %s: program %s fails with %u step%s changed:\n",
                gen_focus_names[tally->near.arm->limits.focus], line.data, tally->changed,
                tally->changed == 1 ? "" : "s");
    text_paragraph(text, "    ", notation.data);
}

// --- Coverage: a function of the campaign's parameters, its seed and the programs' numbers

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

static bool has_arrays(const struct acts *acts)
{
    uint64_t count = 0;
    for (enum gen_op op = GEN_OP_VECTOR; op < GEN_OPS; op++)
        for (size_t i = 0; i < CONSTRUCTS; i++)
            for (enum gen_type type = 0; type < GEN_TYPES; type++)
                count += acts->of[op][constructs[i]][type];
    return count > 0;
}

// Appends how often each operation is in the session's programs for the device, by the innermost
// construct around it and by type. Draws the programs again.
static void put_coverage(const struct fuzz_campaign *c, struct text *text)
{
    static const char *const titles[CONSTRUCTS] = {"outside", "if", "loop", "switch", "call"};
    struct table_column columns[1 + CONSTRUCTS + GEN_TYPES] = {{.title = "operation"}};
    OWNED(lit_free) struct acts *acts = lit_alloc(1, sizeof *acts);
    draw_again(c, acts);
    // What only the shapes that came last have is shown if there are programs of them.
    const bool whole = has_arrays(acts);
    const enum gen_op ops = whole ? GEN_OPS : GEN_OP_VECTOR;
    const enum gen_type types = whole ? GEN_TYPES : GEN_VECTORS;
    for (size_t i = 0; i < CONSTRUCTS + types; i++)
        columns[1 + i] = (struct table_column){.title = i < CONSTRUCTS ? titles[i]
                                                        : i - CONSTRUCTS == GEN_U32
                                                            ? "u32"
                                                            : gen_type_names[i - CONSTRUCTS],
                                               .kind = TABLE_NUMBER};
    OWNED(table_clear)
    struct table table = {.columns = columns, .column_count = 1 + CONSTRUCTS + types, .width = 16};
    uint64_t all = 0, seen = 0;
    for (enum gen_op op = GEN_OP_NONE + 1; op < ops; op++) {
        uint64_t counts[CONSTRUCTS + GEN_TYPES] = {0};
        for (size_t i = 0; i < CONSTRUCTS; i++)
            for (enum gen_type type = 0; type < types; type++) {
                const uint64_t count = acts->of[op][constructs[i]][type];
                counts[i] += count;
                counts[CONSTRUCTS + type] += count;
                all += can_be(op, constructs[i], type, c->device->facts.features);
                seen += count > 0;
            }
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", gen_forms[op].name);
        for (size_t i = 0; i < CONSTRUCTS + types; i++)
            table_count(&table, TONE_PLAIN, counts[i]);
    }
    text_puts(text, "\n");
    table_terminal(&table, false, text);
    text_printf(text, "  %s of %s combinations of operation, construct and type were run\n",
                COUNT(seen), COUNT(all));
}

// --- The end

static int by_number(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

// The failed programs in the store: the first 16 of each configuration.
static void put_failed(const struct fuzz_campaign *c, struct text *text)
{
    static const char before[] = "failed programs that the store names: ";
    OWNED(text_free) struct text line = {0};
    text_puts(&line, before);
    for (size_t a = 0; a < c->arm_count; a++) {
        uint64_t numbers[DEV_MAX_SIZES * ENG_MAX_FAILURES];
        size_t count = 0;
        for (size_t k = 0; k < c->size_count; k++) {
            const struct result *known = &c->records.items[a * c->size_count + k].kept;
            for (size_t i = 0; i < known->failure_count; i++)
                numbers[count++] = known->failures[i].at.run * c->size_count + k;
        }
        qsort(numbers, count, sizeof *numbers, by_number);
        for (size_t i = 0; i < count; i++)
            put_number(c, &c->arms[a], numbers[i], line.length == strlen(before), &line);
    }
    if (line.length <= strlen(before))
        return;
    text_puts(text, "\n");
    text_paragraph(text, "  ", line.data);
}

void fuzz_show_end(struct fuzz_campaign *c)
{
    struct text text = {0};
    term_line_clear(&c->devices.line);
    if (eng_end_stops(c->pool.end))
        fprintf(stderr, "  device %u stops: %s\n", c->device->number, c->tally->reason);
    text_puts(&text, "\n");
    put_table(c, &text);
    put_groups(c, &text);
    if (c->tally->near.arm)
        put_near(c, &text);
    if (c->tally->failed_before)
        put_failed(c, &text);
    if (c->asked->coverage && c->store)
        put_coverage(c, &text);
    term_print(&text);
}
