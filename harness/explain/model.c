// SPDX-License-Identifier: Apache-2.0
// What the Vulkan memory model allows small programs to do.
#include "explain/explain.h"

#include "axiomatic/decide.h"
#include "axiomatic/progress.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/terminal.h"
#include "report/table.h"

extern const char picture_style[]; // explain/picture.css

struct modelling {
    const struct exp_model_options *chosen;
    const char *path;
    size_t failed, beyond;
    struct lit_folder pictures;
};

#define MARK "litmus-model-pictures" // the file that makes a folder of pictures known

static void put_state(const struct axi_program *program, const struct axi_state *state,
                      struct text *out)
{
    for (size_t o = 0; o < program->observed_count; o++)
        text_printf(out, "%s%s=%" PRId64, o ? " " : "", program->observed[o].name,
                    state->values[o]);
}

static void put_states(const struct axi_program *program, const struct axi_verdict *verdict,
                       struct text *out)
{
    static const struct table_column columns[] = {
        {"final state", TABLE_CODE, 0, NULL},
        {"model", TABLE_TEXT, 0, NULL},
        {"forbidden by the cycle", TABLE_TEXT, TABLE_UNLESS_USED, NULL},
    };
    const struct table shape = {TABLE_OF(columns)};
    OWNED(table_clear) struct table table = {0};
    table_begin(&table, &shape, 0);
    for (size_t i = 0; i < verdict->count; i++) {
        const struct axi_state *state = &verdict->states[i];
        OWNED(text_free) struct text name = {0}, line = {0};
        put_state(program, state, &name);
        if (state->figure)
            axi_figure_line(state->figure, &line);
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", name.data);
        table_put(&table, state->allowed ? TONE_GOOD : TONE_BAD, "%s",
                  state->allowed ? "allowed" : "forbidden");
        table_put(&table, TONE_PLAIN, "%s", line.data ? line.data : "");
    }
    if (verdict->more)
        table_note(&table, "There are more final states than these.");
    if (!verdict->forbids)
        table_note(&table, "Too many candidate executions to list forbidden states.");
    if (verdict->cut)
        table_note(&table, "Executions with more rounds of loops are not included.");
    table_terminal(&table, term_color(TERM_COLOR_AUTO), out);
}

static void add_pictures(struct modelling *m, const struct axi_program *program,
                         const struct axi_verdict *verdict)
{
    for (size_t i = 0; i < verdict->count; i++) {
        const struct axi_state *state = &verdict->states[i];
        OWNED(text_free) struct text name = {0}, title = {0};
        if (!state->figure)
            continue;
        text_printf(&name, "%.200s.%zu.svg", lit_path_name(m->path), i + 1);
        text_printf(&title, "%s%s", program->name, program->name[0] ? ": " : "");
        put_state(program, state, &title);
        text_puts(&title, ": forbidden");
        axi_figure_svg(state->figure, title.data, picture_style,
                       lit_folder_add(&m->pictures, name.data));
    }
}

static void put_verdict(const struct modelling *m, const struct axi_program *program,
                        const struct axi_verdict *verdict, struct text *out)
{
    char candidates[32], consistent[32];
    text_printf(out, "%s: %s%s%zu thread%s, %s candidate executions, %s consistent\n", m->path,
                program->name, program->name[0] ? ": " : "", program->thread_count,
                program->thread_count == 1 ? "" : "s", text_count(candidates, verdict->candidates),
                text_count(consistent, verdict->consistent));
    if (program->observed_count)
        put_states(program, verdict, out);
    text_printf(out, "data race: %s\n", verdict->races ? verdict->race : "none");
}

// What no execution shows is not decided where longer loops were left out.
static void put_check(struct modelling *m, const struct axi_program *program,
                      const struct axi_verdict *verdict, size_t check, struct text *out)
{
    const bool bounded = verdict->cut && !verdict->found[check];
    const bool holds = axi_holds(program, verdict, check);
    m->beyond += bounded;
    m->failed += !bounded && !holds;
    if (m->chosen->quiet)
        text_printf(out, "%s: ", m->path);
    text_printf(out, "%s: %s", program->checks[check].text, holds ? "holds" : "does not hold");
    if (bounded)
        text_printf(out, " up to %" PRIu64 " rounds of each loop: not decided", m->chosen->rounds);
    text_puts(out, m->chosen->quiet && verdict->races ? ", with a data race\n" : "\n");
}

// Shows the verdict with or without chains, as the options say; checks may ask for the other.
static bool decide(struct modelling *m, const struct axi_program *program, struct text *out,
                   struct lit_error *error)
{
    for (int without = 0; without < 2; without++) {
        const bool shown = without == m->chosen->no_chains;
        const struct axi_options how = {.without_chains = without,
                                        .rounds = (unsigned)m->chosen->rounds,
                                        .most = m->chosen->most,
                                        .listed = 200000};
        bool asked = shown;
        for (size_t i = 0; i < program->check_count; i++)
            asked |= program->checks[i].without_chains == without;
        if (!asked)
            continue;
        OWNED(axi_verdict_clear) struct axi_verdict verdict = {0};
        if (!axi_decide(program, &how, &verdict, error))
            return false;
        if (shown && !m->chosen->quiet)
            put_verdict(m, program, &verdict, out);
        else if (shown && !program->check_count)
            text_printf(out, "%s: %s\n", m->path, verdict.races ? "a data race" : "no data race");
        if (shown && m->chosen->svg)
            add_pictures(m, program, &verdict);
        for (size_t i = 0; i < program->check_count; i++)
            if (program->checks[i].without_chains == without)
                put_check(m, program, &verdict, i, out);
    }
    return true;
}

static void put_endings(const struct modelling *m, const struct axi_program *program,
                        const struct axi_ending *ending, struct text *out)
{
    static const struct table_column columns[] = {
        {"progress", TABLE_CODE, 0, NULL},
        {"ends", TABLE_TEXT, 0, NULL},
        {"an execution that does not", TABLE_TEXT, TABLE_UNLESS_USED, NULL},
    };
    const struct table shape = {TABLE_OF(columns)};
    OWNED(table_clear) struct table table = {0};
    char states[32];
    text_printf(out, "%s: %s%s%zu thread%s, %s states\n", m->path, program->name,
                program->name[0] ? ": " : "", program->thread_count,
                program->thread_count == 1 ? "" : "s", text_count(states, ending->states));
    table_begin(&table, &shape, 0);
    for (int i = 0; i < AXI_PROGRESSES; i++) {
        const char *how = ending->endless[i];
        table_row(&table);
        table_put(&table, TONE_PLAIN, "%s", axi_progress_word(i));
        table_put(&table, how ? TONE_BAD : TONE_GOOD, "%s", how ? "not always" : "always");
        table_put(&table, TONE_PLAIN, "%s", how ? how : "");
    }
    if (!ending->is_exact)
        table_note(&table, "Several locations, each taken as sequentially consistent with the "
                           "others: with less there may be more executions.");
    table_terminal(&table, term_color(TERM_COLOR_AUTO), out);
}

static bool decide_ending(struct modelling *m, const struct axi_program *program, struct text *out,
                          struct lit_error *error)
{
    OWNED(axi_ending_clear) struct axi_ending ending = {0};
    bool any = false;
    if (!axi_end(program, &ending, error))
        return false;
    m->failed += ending.endless[AXI_FAIR] != NULL;
    if (!m->chosen->quiet) {
        put_endings(m, program, &ending, out);
        return true;
    }
    text_printf(out, "%s: ", m->path);
    for (int i = 0; i < AXI_PROGRESSES; i++)
        if (!ending.endless[i]) {
            text_printf(out, "%s%s", any ? ", " : "always ends under ", axi_progress_word(i));
            any = true;
        }
    text_puts(out, any ? "\n" : "does not always end under any model\n");
    return true;
}

static bool model_file(struct modelling *m, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    struct text out = {0};
    struct lit_error why = {0};
    if (!lit_file_read(m->path, AXI_MOST_BYTES, &bytes, error))
        return false;
    bool good = axi_parse(bytes.data ? bytes.data : "", bytes.length, &program, &why);
    for (size_t i = 0; i < program.check_count && m->chosen->no_chains; i++)
        program.checks[i].without_chains = true;
    good = good && (m->chosen->progress ? decide_ending : decide)(m, &program, &out, &why);
    if (!good && why.code != LIT_EXIT_UNDECIDED)
        return lit_fail(error, why.code, "%.200s: %s", m->path, why.message);
    if (!good) {
        m->beyond++;
        text_printf(&out, "%s: not decided: %s\n", m->path, why.message);
    }
    term_print(&out);
    return true;
}

int exp_model(const struct exp_model_options *chosen, const struct lit_list *paths,
              struct lit_error *error)
{
    struct modelling m = {.chosen = chosen};
    bool good = paths->count > 0 || lit_fail(error, LIT_EXIT_USAGE, "missing FILE");
    if (good && chosen->rounds > AXI_ROUNDS)
        good = lit_fail(error, LIT_EXIT_USAGE, "--rounds: at most %d", AXI_ROUNDS);
    good = good && (!chosen->svg || lit_folder_check(chosen->svg, MARK, error));
    for (size_t i = 0; i < paths->count && good; i++) {
        m.path = paths->items[i];
        good = model_file(&m, error);
    }
    good = good && (!chosen->svg || lit_folder_write(&m.pictures, chosen->svg, MARK, error));
    lit_folder_clear(&m.pictures);
    if (!good)
        return -1;
    return m.failed ? LIT_EXIT_FORBIDDEN : m.beyond ? LIT_EXIT_UNDECIDED : LIT_EXIT_OK;
}
