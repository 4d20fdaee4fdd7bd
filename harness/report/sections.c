// SPDX-License-Identifier: Apache-2.0
// Sums over a device's results, and the tables that cover several families.
#include "report/sections.h"

#include "report/failures.h"
#include "report/format.h"

static size_t headline_rank(const char *name)
{
    static const char *const first[] = {REPORT_LEADS, "shuffle hazard", "workgroup scan",
                                        "look-back scan"};
    size_t rank = 0;
    while (rank < sizeof first / sizeof *first && strcmp(name, first[rank]) != 0)
        rank++;
    return rank;
}

static int compare_headlines(const void *left, const void *right)
{
    const struct report_headline *a = left, *b = right;
    size_t left_rank = headline_rank(a->name), right_rank = headline_rank(b->name);
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = (int)a->expectation - (int)b->expectation;
    if (order == 0)
        order = strcmp(a->stress, b->stress);
    // If a key result has several lines, failures at every run come first.
    const double a_rate = a->judged ? (double)a->failed_runs / (double)a->judged : -1;
    const double b_rate = b->judged ? (double)b->failed_runs / (double)b->judged : -1;
    return order ? order : a_rate < b_rate ? 1 : a_rate > b_rate ? -1 : 0;
}

// The results of one key result, class and stress.
struct group {
    const struct result **all;
    size_t count;
    bool *some; // in the current line
};

// How often a result failed.
enum often { ALWAYS, SOMETIMES, NEVER, UNKNOWN, NOT_RUN, OFTEN };

static enum often often(const struct result *result)
{
    if (result->judged == 0)
        return result->runs ? UNKNOWN : NOT_RUN;
    return result->failed_runs == 0                ? NEVER
           : result->failed_runs == result->judged ? ALWAYS
                                                   : SOMETIMES;
}

static size_t mark(const struct group *group, unsigned kinds)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        group->some[i] = kinds >> often(group->all[i]) & 1;
        count += group->some[i];
    }
    return count;
}

static void add_line(struct report_headline **lines, size_t *count, const struct group *group,
                     bool divided)
{
    const struct result *first = group->all[0];
    struct text where = {0};
    size_t marked = 0;
    struct report_headline *line = &LIT_ADD(*lines, *count);
    *line = (struct report_headline){.name = first->headline,
                                     .stress = first->stress,
                                     .rule = "",
                                     .expectation = first->expectation};
    for (size_t i = 0; i < group->count; i++) {
        const struct result *result = group->all[i];
        if (!group->some[i])
            continue;
        marked++;
        if (result->rule[0])
            line->rule = result->rule;
        line->runs += result->runs;
        line->failed_runs += result->failed_runs;
        line->judged += result->judged;
    }
    line->interval = report_interval(line->failed_runs, line->judged, line->rule);
    const size_t inside =
        divided ? report_where(group->all, group->some, group->count, &where) : marked;
    if (inside > marked)
        text_printf(&where, "%s%s of %s configurations", where.length ? ": " : "", COUNT(marked),
                    COUNT(inside));
    line->where = where.data ? where.data : lit_strdup("");
}

// Adds one line for all results; or several, if some always fail and others never, or if some fail
// sometimes and values of axes tell these from the rest.
static void add_lines(struct report_headline **lines, size_t *count, struct group *group)
{
    const size_t always = mark(group, 1 << ALWAYS), never = mark(group, 1 << NEVER);
    const size_t sometimes = mark(group, 1 << SOMETIMES);
    const bool told = sometimes && always + never &&
                      report_where(group->all, group->some, group->count, NULL) == sometimes;
    if (!(always && never) && !told) {
        mark(group, (1u << OFTEN) - 1);
        add_line(lines, count, group, false);
        return;
    }
    for (enum often kind = ALWAYS; kind <= UNKNOWN; kind++)
        if (mark(group, 1u << kind))
            add_line(lines, count, group, true);
}

size_t report_headlines(const struct report_model *model, size_t device,
                        struct report_headline **lines)
{
    OWNED(lit_free) bool *done = lit_alloc(model->result_count + 1, sizeof *done);
    OWNED(lit_free) bool *some = lit_alloc(model->result_count + 1, sizeof *some);
    OWNED(lit_free)
    const struct result **results = lit_alloc(model->result_count + 1, sizeof *results);
    struct group group = {.all = results, .some = some};
    size_t count = 0;
    *lines = NULL;
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *first = &model->results[i];
        if (done[i] || first->device != device || !first->headline[0])
            continue;
        bool ran = false;
        group.count = 0;
        for (size_t r = i; r < model->result_count; r++) {
            const struct result *result = &model->results[r];
            if (result->device != device || result->expectation != first->expectation ||
                strcmp(result->headline, first->headline) != 0 ||
                strcmp(result->stress, first->stress) != 0)
                continue;
            done[r] = true;
            // Ignore results that did not run, unless none did.
            if (ran && often(result) == NOT_RUN)
                continue;
            if (!ran && often(result) != NOT_RUN)
                group.count = 0;
            ran = ran || often(result) != NOT_RUN;
            group.all[group.count++] = result;
        }
        add_lines(lines, &count, &group);
    }
    if (count > 0)
        qsort(*lines, count, sizeof(**lines), compare_headlines);
    return count;
}

void report_headlines_free(struct report_headline *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i].where);
    free(lines);
}

#define MOST_QUIET 6

size_t report_headlines_brief(struct report_headline *lines, size_t count)
{
    size_t kept = 0, quiet = 0;
    for (size_t i = 0; i < count; i++)
        if (!lines[i].stress[0] || lines[i].failed_runs > 0 || quiet++ < MOST_QUIET)
            lines[kept++] = lines[i];
        else
            free(lines[i].where);
    return kept;
}

static const char *say_key_result(const struct report_headline *line, enum tone *tone)
{
    const bool control = line->expectation == CAT_CONTROL;
    *tone = TONE_PLAIN;
    if (line->judged == 0)
        return line->runs ? "no progress" : "not run";
    *tone = control == (line->failed_runs == 0)  ? TONE_WARN
            : control || line->failed_runs == 0  ? TONE_GOOD
            : line->expectation == CAT_FORBIDDEN ? TONE_BAD
                                                 : TONE_WARN;
    if (control)
        return line->failed_runs ? "triggered" : "not triggered";
    return line->failed_runs == 0              ? "never"
           : line->failed_runs == line->judged ? "ALWAYS"
                                               : "SOMETIMES";
}

void report_key_results(const struct report_model *model, size_t device, bool all,
                        struct table *table)
{
    static const struct table_column heads[] = {COL("key result"),
                                                NUM("runs"),
                                                NUM("failed"),
                                                RATED("rate, 95 % interval"),
                                                CHIP("expectation"),
                                                COL("observed"),
                                                COL("where", .without = TABLE_UNLESS_USED)};
    static const struct table shape = {.title = "Key results",
                                       .about =
                                           "All runs of the tests under one key result "
                                           "together, but those that always fail apart from those "
                                           "that never do.",
                                       TABLE_OF(heads)};
    struct report_headline *lines;
    const size_t every = report_headlines(model, device, &lines);
    const size_t count = all ? every : report_headlines_brief(lines, every);
    bool used[CAT_CONTROL + 1] = {false};
    table_begin(table, &shape, device);
    for (size_t i = 0; i < count; i++) {
        const struct report_headline *line = &lines[i];
        enum tone tone;
        const char *word = say_key_result(line, &tone);
        const char *class = cat_expectation_name(line->expectation);
        table_row(table)->more = i > 0 && !line->stress[0] && !lines[i - 1].stress[0] &&
                                 !strcmp(line->name, lines[i - 1].name);
        table_cells(table, "%s%s%s\t%s\t%s", line->name, line->stress[0] ? " under " : "",
                    line->stress, COUNT(line->runs), COUNT(line->failed_runs));
        table_rate(table, TONE_PLAIN, line->failed_runs, line->judged, line->interval)->group =
            (int)line->expectation;
        table_put(table, TONE_PLAIN, "%s", class)->class = line->failed_runs ? class : "plain";
        table_put(table, tone, "%s", word);
        table_put(table, TONE_PLAIN, "%s", line->where);
        used[line->expectation] = true;
    }
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_CONTROL; e++)
        if (used[e])
            table_note(table, "%s: %s", cat_expectation_name(e), cat_expectation_meaning(e));
    if (count < every)
        table_note(table,
                   "%s more, each under its own stress, never failed: -v and the JSON report have "
                   "them",
                   COUNT(every - count));
    report_headlines_free(lines, count);
}

// The mark at the end of a state that the file's condition asks for (generate/states.h).
static bool is_asked(const char *name)
{
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, " *") == 0;
}

// An outcome that is no final state: any test has it, or any test with loops or a filter.
static bool is_none(uint32_t outcome, const char *name)
{
    return outcome == CAT_NEVER_WRITTEN || outcome == CAT_VARIED || outcome == CAT_NO_PROGRESS ||
           strcmp(name, AXI_RAN_OUT) == 0 || strcmp(name, AXI_LEFT_OUT) == 0;
}

// Counts instances that ended, and those whose final state the file's condition asks for.
struct asked {
    uint64_t positive, all;
    bool names_any;
};

static struct asked count_asked(const struct result *result)
{
    struct asked asked = {0};
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        const char *name = cat_mode_name(result->mode, outcome);
        if (!name ||
            (outcome != CAT_NEVER_WRITTEN && outcome != CAT_VARIED && is_none(outcome, name)))
            continue;
        asked.all += result->outcomes[outcome];
        asked.positive += is_asked(name) ? result->outcomes[outcome] : 0;
        asked.names_any |= is_asked(name);
    }
    return asked;
}

static void put_states(const struct result *result, bool all, struct table *table)
{
    const struct asked asked = count_asked(result);
    bool first = true;
    OWNED(text_free) struct text name = text_format("%s %s", result->id, result->label);
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        const char *state = cat_mode_name(result->mode, outcome);
        const bool fails = state && cat_mode_fails(result->mode, outcome);
        const bool forbidden = fails && result->expectation == CAT_FORBIDDEN;
        if (!state || (!result->outcomes[outcome] && !all && !forbidden && !is_asked(state)) ||
            (!result->outcomes[outcome] && is_none(outcome, state)))
            continue;
        table_row(table)->more = !first;
        table_cells(table, "%s\t%s", name.data, state);
        table_put(table, forbidden && result->outcomes[outcome] ? TONE_BAD : TONE_PLAIN, "%s",
                  forbidden                 ? "forbidden"
                  : is_none(outcome, state) ? ""
                                            : "allowed");
        table_count(table, TONE_PLAIN, result->outcomes[outcome]);
        first = false;
    }
    if (!asked.names_any)
        return;
    table_row(table)->more = !first;
    table_put(table, TONE_PLAIN, "%s", name.data);
    table_put(table, TONE_STRONG, "Observation %s", report_observation(asked.positive, asked.all));
    table_put(table, TONE_PLAIN, "%s", "");
    table_count(table, TONE_STRONG, asked.positive);
}

void report_final_states(const struct report_model *model, size_t device, bool all,
                         struct table *table)
{
    static const struct table_column heads[] = {CODE("litmus test"), COL("final state"),
                                                COL("by the model"), NUM("observed")};
    static const struct table shape = {
        .title = "Final states of litmus tests",
        .about = "Instances by their final state. * is what the file's condition asks for.",
        TABLE_OF(heads)};
    table_begin(table, &shape, device);
    REPORT_EACH (result, model, device) {
        enum axi_place place;
        unsigned ends;
        if (report_is_waiting(result, &place, &ends) && !all)
            continue;
        if (result->mode->check == CAT_CHECK_STATE && result->runs)
            put_states(result, all, table);
    }
    if (table->count)
        table_note(table, "Instances by their final state. * is what the file's condition asks "
                          "for; the model: docs/memory-model.md.");
}

#define MOST_NAMES 4 // in a list in the notes
#define MOST_SKIPS 8 // reasons

// ---- stress

struct report_under report_under(const struct report_model *model, size_t device,
                                 const char *family)
{
    struct report_under under = {.stress = ""};
    OWNED(lit_free) const char **all = lit_alloc(model->result_count, sizeof *all);
    size_t count = 0, most = 0;
    REPORT_EACH (result, model, device)
        if (strcmp(result->family, family) == 0 && result->result != ENG_SKIP)
            all[count++] = result->stress;
    text_sort(all, count, sizeof *all);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(all[next], all[i]) == 0;)
            next++;
        if (next - i > most) {
            most = next - i;
            under.stress = all[i];
        }
    }
    under.others = count - most;
    return under;
}

bool report_is_under(const struct result *result, const struct report_under *under)
{
    return result->result == ENG_SKIP || strcmp(result->stress, under->stress) == 0;
}

void report_under_sentence(struct text *out, const struct report_under *under)
{
    const bool one = under->others == 1;
    if (under->stress[0])
        text_printf(out, "All of this ran under stress: %s.", under->stress);
    if (under->others)
        text_printf(out, "%s%s configuration%s ran under other stress and %s not counted here.",
                    under->stress[0] ? " " : "", COUNT(under->others), one ? "" : "s",
                    one ? "is" : "are");
}

void report_under_note(const struct report_under *under, struct table *table)
{
    OWNED(text_free) struct text sentence = {0};
    report_under_sentence(&sentence, under);
    table_note(table, "%s", sentence.data ? sentence.data : "");
}

// ---- sums

// The list member with this name, which is each member's first field; adds a zeroed one if there is
// none.
static void *find_or_add(void *list, size_t *count, size_t size, const char *name)
{
    char *members; // the pointer at `list`, whatever its type
    memcpy(&members, list, sizeof members);
    for (size_t i = 0; i < *count; i++)
        if (strcmp(*(const char **)(members + i * size), name) == 0)
            return members + i * size;
    members = lit_grow(members, *count, size);
    memcpy(list, &members, sizeof members);
    char *added = members + (*count)++ * size;
    memset(added, 0, size);
    memcpy(added, &name, sizeof name);
    return added;
}

const char *const report_counted_names[REPORT_COUNTED] = {"pass", "fail", "skip", "other",
                                                          "control"};

size_t report_counted(const struct result *result)
{
    if (result->result == ENG_SKIP)
        return 2;
    if (report_failed(result))
        return 1;
    if (report_unfinished(result) ||
        (result->result == ENG_NO_PROGRESS && result->expectation != CAT_CONTROL))
        return 3;
    return result->expectation == CAT_CONTROL ? 4 : 0;
}

// A family's configurations on a device.
struct family {
    const char *name;
    uint64_t counts[REPORT_COUNTED], instances;
};

// A reason why a device's configurations were skipped.
struct skip {
    const char *reason;
    uint64_t count;
};

// Most frequent first.
static int compare_skips(const void *left, const void *right)
{
    const struct skip *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->reason, b->reason);
}

size_t report_select(const struct report_model *model, size_t device,
                     bool (*which)(const struct result *result), const struct result ***list)
{
    size_t count = 0;
    *list = lit_alloc(model->result_count, sizeof **list);
    for (enum cat_expectation expectation = CAT_FORBIDDEN; expectation <= CAT_CONTROL;
         expectation++)
        REPORT_EACH (result, model, device)
            if (result->expectation == expectation && which(result))
                (*list)[count++] = result;
    return count;
}

// ---- positive controls

void report_mutation_score(const struct report_model *model, size_t device,
                           struct report_mutation *mutation)
{
    *mutation = (struct report_mutation){.unseen = lit_alloc(model->result_count, sizeof(size_t))};
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        if (result->device != device || !report_is_control(result))
            continue;
        struct report_mutation_family *family = find_or_add(
            &mutation->families, &mutation->family_count, sizeof *family, result->family);
        const bool seen = report_control_triggered(result);
        mutation->run++;
        mutation->seen += seen;
        family->run++;
        family->seen += seen;
        if (!seen)
            mutation->unseen[mutation->unseen_count++] = i;
    }
    if (mutation->run)
        mutation->score = (double)mutation->seen / (double)mutation->run;
    text_sort(mutation->families, mutation->family_count, sizeof *mutation->families);
}

void report_mutation_clear(struct report_mutation *mutation)
{
    free(mutation->unseen);
    free(mutation->families);
    *mutation = (struct report_mutation){0};
}

bool report_mutation_weak(const struct report_mutation_family *family)
{
    return family->run > 0 && family->seen == 0;
}

void report_mutation_sentences(const struct report_mutation *mutation, struct text *out)
{
    bool some = false;
    if (mutation->run == 0)
        return;
    text_printf(out, "Positive controls: %s of %s triggered (mutation score %.2f).",
                COUNT(mutation->seen), COUNT(mutation->run), mutation->score);
    for (size_t i = 0; i < mutation->family_count; i++) {
        const struct report_mutation_family *family = &mutation->families[i];
        if (!report_mutation_weak(family))
            continue;
        text_printf(out, "%s%s (0 of %s)", some ? ", " : " None was triggered in ", family->name,
                    COUNT(family->run));
        some = true;
    }
    if (some)
        text_puts(out, ": passes there are weak evidence; litmus tune --controls looks for stress "
                       "that triggers more.");
}

void report_controls(const struct report_model *model, size_t device, bool all, struct table *table)
{
    OWNED(report_mutation_clear) struct report_mutation mutation;
    OWNED(text_free) struct text sentences = {0};
    report_mutation_score(model, device, &mutation);
    report_mutation_sentences(&mutation, &sentences);
    table_note(table, "%s", sentences.data ? sentences.data : "");
    for (size_t i = 0; i < mutation.unseen_count && (all || i < MOST_NAMES); i++)
        table_note(table, "%s %s: not triggered", model->results[mutation.unseen[i]].id,
                   model->results[mutation.unseen[i]].label);
    if (mutation.unseen_count > MOST_NAMES && !all)
        table_note(table, "%s more were not triggered", COUNT(mutation.unseen_count - MOST_NAMES));
}

// ---- stopping rules

// A device's results that one rule stopped.
struct rule {
    const char *rule; // belongs to the model
    uint64_t configurations, rulings[ENG_RULINGS];
};

void report_rule_outcomes(const struct report_model *model, size_t device, bool all,
                          struct table *table)
{
    static const char *const words[ENG_RULINGS] = {
        [ENG_RULING_REACHED] = "reached",
        [ENG_RULING_ABOVE] = "above",
        [ENG_RULING_BELOW] = "below",
        [ENG_RULING_MISSED] = "undecided",
    };
    OWNED(lit_free) struct rule *rules = NULL;
    OWNED(lit_free) const struct result **list = NULL;
    size_t count = 0;
    REPORT_EACH (result, model, device) {
        const enum eng_ruling ruling = report_ruling(result);
        if (ruling == ENG_RULING_NONE)
            continue;
        struct rule *rule = find_or_add(&rules, &count, sizeof *rule, result->rule);
        rule->configurations++;
        rule->rulings[ruling]++;
    }
    for (const struct rule *rule = rules; rule < rules + count; rule++) {
        OWNED(text_free) struct text says = {0};
        for (int i = ENG_RULING_REACHED; i < ENG_RULINGS; i++)
            if (rule->rulings[i])
                text_printf(&says, "%s %s in %s", says.length ? "," : ":", words[i],
                            COUNT(rule->rulings[i]));
        table_note(table, "until %s%s of %s configuration%s", rule->rule, says.data,
                   COUNT(rule->configurations), rule->configurations == 1 ? "" : "s");
    }
    const size_t undecided = report_select(model, device, report_is_undecided, &list);
    for (size_t i = 0; i < undecided && (all || i < MOST_NAMES); i++)
        table_note(table, "%s %s is undecided: %s after %s runs", list[i]->id, list[i]->label,
                   INTERVAL(list[i]), COUNT(list[i]->runs));
    if (undecided > MOST_NAMES && !all)
        table_note(table, "%s more are undecided", COUNT(undecided - MOST_NAMES));
}

// ---- tables

void report_family_counts(const struct report_model *model, size_t device, bool all,
                          struct table *table)
{
    static const struct table_column heads[] = {COL("family"),
                                                NUM("pass", .part = "pass"),
                                                NUM("fail", .part = "fail"),
                                                NUM("skip", .part = "skip"),
                                                NUM("other", .part = "other"),
                                                NUM("control", .part = "control"),
                                                NUM("units checked")};
    static const struct table shape = {.title = "Families",
                                       .about = "Configurations, each counted once. Other: did not "
                                                "come to an end. Control: controls that ran.",
                                       .class = "families",
                                       TABLE_OF(heads)};
    OWNED(lit_free) struct family *families = NULL;
    size_t count = 0;
    (void)all;
    REPORT_EACH (result, model, device) {
        struct family *family = find_or_add(&families, &count, sizeof *family, result->family);
        family->instances += result->instances;
        family->counts[report_counted(result)]++;
    }
    text_sort(families, count, sizeof *families);
    table_begin(table, &shape, device);
    for (size_t i = 0; i < count; i++) {
        const struct family *family = &families[i];
        table_row(table);
        table_put(table, TONE_PLAIN, "%s", family->name)->family = family->name;
        for (size_t c = 0; c < REPORT_COUNTED; c++) {
            const char *as = report_counted_names[c];
            const enum tone tone = !strcmp(as, "fail")    ? TONE_BAD
                                   : !strcmp(as, "other") ? TONE_WARN
                                                          : TONE_PLAIN;
            struct table_cell *cell = table_count(table, tone, family->counts[c]);
            cell->family = family->name;
            cell->counted = as;
        }
        table_count(table, TONE_PLAIN, family->instances);
    }
}

void report_skipped(const struct report_model *model, size_t device, bool all, struct table *table)
{
    static const struct table_column heads[] = {NUM("configurations"), COL("reason")};
    static const struct table shape = {
        .title = "Skipped", .about = "Never counted as passed.", TABLE_OF(heads)};
    OWNED(lit_free) struct skip *skips = NULL;
    size_t count = 0;
    uint64_t more = 0;
    REPORT_EACH (result, model, device)
        if (result->result == ENG_SKIP)
            ((struct skip *)find_or_add(&skips, &count, sizeof *skips, result->reason))->count++;
    if (count > 0)
        qsort(skips, count, sizeof *skips, compare_skips);
    table_begin(table, &shape, device);
    for (size_t i = 0; i < count; i++) {
        if (i >= MOST_SKIPS && !all) {
            more += skips[i].count;
            continue;
        }
        table_row(table);
        table_cells(table, "%s\t%s", COUNT(skips[i].count), skips[i].reason);
    }
    if (more > 0) {
        table_row(table);
        table_cells(table, "%s\tother reasons", COUNT(more));
    }
}

enum tone report_tone(const struct result *result)
{
    if (report_failed(result))
        return result->expectation == CAT_FORBIDDEN ? TONE_BAD : TONE_WARN;
    return report_unfinished(result) ? TONE_WARN : TONE_PLAIN;
}

// Leaves out results that did not run, unless `all`.
void report_every(const struct report_model *model, size_t device, bool all, struct table *table)
{
    static const struct table_column heads[] = {COL("result"), NUM("runs"),
                                                NUM("failed"), COL("expectation"),
                                                CODE("id"),    CODE("configuration")};
    static const struct table shape = {.title = "Every configuration", TABLE_OF(heads)};
    table_begin(table, &shape, device);
    REPORT_EACH (result, model, device) {
        if (!all && result->result == ENG_SKIP)
            continue;
        table_row(table);
        table_put(table, report_tone(result), "%s",
                  report_control_triggered(result) ? "triggered" : eng_result_name(result->result));
        table_cells(table, "%s\t%s\t%s\t%s\t%s", COUNT(result->runs), COUNT(result->failed_runs),
                    cat_expectation_name(result->expectation), result->id, result->label);
    }
}

void report_histogram(const struct result *result, struct table *table)
{
    static const struct table_column heads[] = {
        COL("outcome"), NUM("expected"), NUM("observed"),
        TABLE_COLUMN(TABLE_LOG, "share, logarithmic", .without = TABLE_NOT_MARKDOWN)};
    static const struct table shape = {
        .about = "Outcomes of the checked units.", .class = "histogram", TABLE_OF(heads)};
    table_begin(table, &shape, result->device);
    for (uint32_t outcome = 0; outcome < CAT_OUTCOMES; outcome++) {
        const bool fails = cat_mode_fails(result->mode, outcome);
        if (result->outcomes[outcome] == 0 && outcome != CAT_RIGHT)
            continue;
        table_row(table);
        table_cells(table, "%s\t%s\t%s", OUTCOME(result, outcome),
                    outcome == CAT_RIGHT ? COUNT(result->instances)
                    : fails              ? "0"
                                         : "allowed",
                    COUNT(result->outcomes[outcome]));
        const double part = (double)result->outcomes[outcome] / (double)result->instances;
        struct table_cell *share =
            table_put(table, TONE_PLAIN, "%s", result->outcomes[outcome] ? RATE(part, 0) : "");
        share->count = result->outcomes[outcome];
        share->all = result->instances;
        share->class = fails ? "fail" : "pass";
    }
}

void report_places(const struct result *result, size_t most, struct table *table)
{
    static const struct table_column heads[] = {NUM("run"),     NUM("unit"), COL("where"),
                                                COL("outcome"), CODE("got"), CODE("want")};
    static const struct table shape = {
        .about = "The first failing units.", .class = "places", TABLE_OF(heads)};
    table_begin(table, &shape, result->device);
    for (size_t i = 0; i < result->failure_count && i < most; i++) {
        const struct eng_failure *failure = &result->failures[i];
        table_row(table);
        table_cells(table, "%s\t%s\t%s\t%s\t0x%08x\t0x%08x", COUNT(failure->at.run + 1),
                    COUNT(failure->at.instance), failure->where,
                    OUTCOME(result, failure->at.outcome), failure->at.got, failure->at.want);
    }
}

static void put_more_facts(const struct eng_device *device, struct table *table)
{
    const struct dev_facts *facts = &device->facts;
    OWNED(text_free) struct text features = {0};
    for (int feature = 0; feature < CAT_FEATURE_COUNT; feature++)
        if (facts->features >> feature & 1)
            text_printf(&features, "%s%s", features.length ? ", " : "", cat_feature_name(feature));
    table_fact(table, "driver's numbers", "0x%x, VkDriverId %u", facts->driver_raw,
               facts->driver_id);
    table_fact(table, "identity", "%s", device->id);
    table_fact(table, "largest workgroup", "%s invocations, %s bytes of shared memory",
               COUNT(facts->max_workgroup), COUNT(facts->max_shared));
    table_fact(table, "features", "%s", features.data ? features.data : "");
}

void report_device_facts(const struct dev_facts *facts, struct table *table)
{
    table_fact(table, "device", "%s (%s, 0x%04x:0x%04x)", facts->name, facts->type, facts->vendor,
               facts->product);
    table_fact(table, "driver", "%s %s%s%s%s", facts->driver_name, facts->driver_version,
               facts->driver_info[0] ? " (" : "", facts->driver_info,
               facts->driver_info[0] ? ")" : "");
    table_fact(table, "Vulkan", "%s%s%s", API(facts->api), facts->loader[0] ? ", loader " : "",
               facts->loader);
    table_fact(table, "subgroup size", "%s", SUBGROUP(facts));
}

void report_machine(const struct report_model *model, size_t device, bool all, struct table *table)
{
    static const struct table_column heads[] = {COL("machine"), COL("")};
    static const struct table shape = {.title = "Machine and command", TABLE_OF(heads)};
    const struct store_session *session = &model->session;
    const struct eng_device *which = &model->devices[device];
    const struct dev_facts *facts = &which->facts;
    table_begin(table, &shape, device);
    report_device_facts(facts, table);
    table_fact(table, "device UUID", "%s", UUID(facts->device_uuid));
    table_fact(table, "driver UUID", "%s", UUID(facts->driver_uuid));
    if (all)
        put_more_facts(which, table);
    table_fact(table, "system", "%s", session->system);
    table_fact(table, "results checked on", "%s", which->checker);
    table_fact(table, "only", "%s", SHARD(session));
    table_fact(table, "litmus", "%s, session %s", session->version, session->uuid);
    table_fact(table, "started", "%s, seed 0x%jx", session->started, (uintmax_t)session->seed);
    table_fact(table, "command", "%s", session->command);
}
