// SPDX-License-Identifier: Apache-2.0
// What a shader author may rely on with a driver, and what to use instead where it fails: the
// `relies` and `remedy` lines of the tests' heads, with a model's measurements for each statement.
#include "report/code.h"
#include "report/failures.h"
#include "report/format.h"
#include "report/known.h"
#include "report/sections.h"

#define FIRST_WIDTH 16 // statements have a line of their own
#define MOST_TESTS  4  // named after a line
#define MOST_PAIRS  4  // paired variants to show if no known remedy helps

struct selector {
    const char *test; // a glob
    bool family;      // the whole family
    const char *values;
};

// A statement that programs rely on, from the heads of one or more tests.
struct advice {
    const char *family, *statement; // from the first such head
    struct selector *tests;         // configurations that test it
    size_t test_count;
    const struct cat_advice **remedies;
    size_t remedy_count;
};

// Sums over measured configurations.
struct sum {
    size_t configurations, broken; // broken: configurations that ended the driver or the device
    uint64_t runs, failed;
    const char *rule; // of the last result with one; "" if there is none
    struct stat_interval interval;
};

// One line: one device's results for a statement, all promised alike.
struct line {
    const struct report_model *model;
    const struct advice *advice; // NULL: the line is about a test without a statement
    size_t device;
    enum cat_expectation promised;
    const struct result **all; // all results for the statement
    bool *in, *bad;            // for each of `all`: whether it is in the line, and failed
    size_t count, in_count, bad_count;
    struct sum sum;
};

// ---- statements

static struct advice *advices;
static size_t advice_count;
static bool read_all; // the whole catalogue, once

static struct advice *find_advice(const char *family, const char *statement)
{
    for (size_t i = 0; i < advice_count; i++)
        if (strcmp(advices[i].statement, statement) == 0)
            return &advices[i];
    LIT_ADD(advices, advice_count) = (struct advice){.family = family, .statement = statement};
    return &advices[advice_count - 1];
}

static void add_remedy(struct advice *advice, const struct cat_advice *line)
{
    for (size_t i = 0; i < advice->remedy_count; i++)
        if (strcmp(advice->remedies[i]->what, line->what) == 0 &&
            strcmp(advice->remedies[i]->values, line->values) == 0)
            return;
    LIT_ADD(advice->remedies, advice->remedy_count) = line;
}

static void read_head(const struct cat_head *head)
{
    struct advice *advice = NULL;
    for (size_t i = 0; i < head->advice_count; i++) {
        const struct cat_advice *line = &head->advice[i];
        if (line->is_remedy) {
            add_remedy(advice, line);
            continue;
        }
        advice = find_advice(head->family, line->what);
        LIT_ADD(advice->tests, advice->test_count) =
            (struct selector){line->family ? head->family : head->name, line->family, line->values};
    }
}

// ---- one result

// Whether a program that relies on the outcome would suffer.
static bool is_bad(const struct result *result)
{
    return report_failed(result) || eng_is_broken(result->result) || result->no_progress_runs > 0;
}

// No specification promises that a wait ends.
static enum cat_expectation promised(const struct result *result)
{
    const bool expired = is_bad(result) && !report_failed(result) && !eng_is_broken(result->result);
    return expired ? CAT_ASSUMED : result->expectation;
}

static void add(struct sum *sum, const struct result *result)
{
    if (result->runs == 0 && !is_bad(result))
        return;
    sum->configurations++;
    sum->broken += eng_is_broken(result->result);
    sum->runs += result->runs;
    sum->failed += result->failed_runs + result->no_progress_runs;
    if (!sum->rule || report_wait_rule(result)[0])
        sum->rule = report_wait_rule(result);
}

static void end(struct sum *sum)
{
    sum->rule = sum->rule ? sum->rule : "";
    sum->interval = report_interval(sum->failed, sum->runs, sum->rule);
}

// ---- selectors

// Whether one of them names the test of a result and, unless `test`, selects the result.
static bool is_selected(const struct selector *selectors, size_t count, const struct result *result,
                        bool test)
{
    bool is = false;
    for (size_t i = 0; i < count && !is; i++)
        is = text_glob(selectors[i].test, selectors[i].family ? result->family : result->test) &&
             (test || report_has_values(result, selectors[i].values));
    return is;
}

// ---- lines

static bool is_candidate(size_t device, const struct result *result)
{
    return result->device == device && result->expectation != CAT_CONTROL;
}

// Whether a list has a line for a result, or with `test` for its test.
static bool is_listed(const struct result *result, bool test)
{
    size_t i = 0;
    while (i < advice_count && !is_selected(advices[i].tests, advices[i].test_count, result, test))
        i++;
    return i < advice_count;
}

// Takes the results that a line is about. Skips results under stress unless they failed.
static void fill(struct line *line, const struct selector *selectors, size_t count,
                 const struct report_under *under)
{
    const struct report_model *model = line->model;
    line->all = lit_alloc(model->result_count + 1, sizeof *line->all);
    line->in = lit_alloc(model->result_count + 1, sizeof *line->in);
    line->bad = lit_alloc(model->result_count + 1, sizeof *line->bad);
    REPORT_EACH (result, model, REPORT_ALL) {
        if (!is_candidate(line->device, result) || !is_selected(selectors, count, result, false) ||
            !(is_bad(result) || report_is_under(result, under)) ||
            (!line->advice && is_listed(result, false)))
            continue;
        const bool in = promised(result) == line->promised;
        line->all[line->count] = result;
        line->in[line->count] = in;
        line->bad[line->count++] = in && is_bad(result);
        line->in_count += in;
        line->bad_count += in && is_bad(result);
        if (in)
            add(&line->sum, result);
    }
    end(&line->sum);
}

typedef void line_visit(const struct line *line, struct table *table);

static void visit_lines(const struct report_model *model, size_t device,
                        const struct advice *advice, const char *family,
                        const struct selector *selectors, size_t count, line_visit *visit,
                        struct table *table)
{
    const struct report_under under = report_under(model, device, family);
    for (enum cat_expectation e = CAT_FORBIDDEN; e <= CAT_ASSUMED; e++) {
        struct line line = {.model = model, .advice = advice, .device = device, .promised = e};
        fill(&line, selectors, count, &under);
        if (line.in_count)
            visit(&line, table);
        free(line.all);
        free(line.in);
        free(line.bad);
    }
}

// Visits lines in the order of the lists; then each test that no list names, and each with failures
// that no list covers, once.
static void each_line(const struct report_model *model, size_t device, line_visit *visit,
                      struct table *table)
{
    OWNED(lit_free) bool *done = lit_alloc(model->result_count + 1, sizeof *done);
    for (size_t i = 0; !read_all && report_known->at(i); i++)
        read_head(report_known->at(i));
    read_all = true;
    for (size_t i = 0; i < advice_count; i++)
        visit_lines(model, device, &advices[i], advices[i].family, advices[i].tests,
                    advices[i].test_count, visit, table);
    for (size_t i = 0; i < model->result_count; i++) {
        const struct result *result = &model->results[i];
        if (done[i] || !is_candidate(device, result) || is_listed(result, false) ||
            (is_listed(result, true) && !is_bad(result)))
            continue;
        for (size_t j = i; j < model->result_count; j++)
            done[j] = done[j] || strcmp(model->results[j].test, result->test) == 0;
        const struct selector all = {.test = result->test, .values = ""};
        visit_lines(model, device, NULL, result->family, &all, 1, visit, table);
    }
}

// ---- what a line says

static const char *statement(const struct line *line)
{
    if (line->advice)
        return line->advice->statement;
    const struct cat_head *head = report_known->head(line->all[0]->test);
    return head ? head->asks : line->all[0]->test;
}

// Appends the tests of the marked results, with the values that tell these from the test's others:
// "scan.workgroup pressure=predicates, scan.levels".
static void put_which(const struct line *line, const bool *marked, struct text *out)
{
    OWNED(lit_free) const struct result **all = lit_alloc(line->count, sizeof *all);
    OWNED(lit_free) bool *some = lit_alloc(line->count, sizeof *some);
    OWNED(lit_free) bool *done = lit_alloc(line->count, sizeof *done);
    size_t tests = 0;
    for (size_t i = 0; i < line->count; i++) {
        OWNED(text_free) struct text where = {0};
        size_t count = 0;
        if (done[i] || !marked[i])
            continue;
        for (size_t j = 0; j < line->count; j++) {
            if (strcmp(line->all[j]->test, line->all[i]->test) != 0)
                continue;
            done[j] = true;
            all[count] = line->all[j];
            some[count++] = marked[j];
        }
        report_where(all, some, count, &where);
        if (tests++ < MOST_TESTS)
            text_printf(out, "%s%s%s%s", tests > 1 ? ", " : "", line->all[i]->test,
                        where.length ? " " : "", where.length ? where.data : "");
    }
    if (tests > MOST_TESTS)
        text_printf(out, " and %s more", COUNT(tests - MOST_TESTS));
}

// Appends which configurations failed, how, and what is known about it.
static void put_failing(const struct line *line, struct text *out)
{
    const struct report_signature *finding = NULL;
    const struct result *first = NULL;
    char buffer[24];
    put_which(line, line->bad, out);
    for (size_t i = 0; i < line->count; i++)
        if (line->bad[i]) {
            first = first ? first : line->all[i];
            finding = finding ? finding : report_finding(line->model, line->all[i]);
        }
    text_printf(out, "; %s in %s of %s configurations", report_seen(first, buffer),
                COUNT(line->bad_count), COUNT(line->in_count));
    if (finding)
        text_printf(out, "; known: %s", finding->path);
}

// "2 of 3": how many controls of the same tests were triggered; "" if none ran.
static void put_controls(const struct line *line, struct table *table)
{
    uint64_t run = 0, seen = 0;
    REPORT_EACH (result, line->model, line->device) {
        bool same = false;
        if (!report_is_control(result))
            continue;
        for (size_t j = 0; j < line->count && !same; j++)
            same = line->in[j] && strcmp(line->all[j]->test, result->test) == 0;
        run += same;
        seen += same && report_control_triggered(result);
    }
    if (run)
        table_put(table, seen ? TONE_PLAIN : TONE_WARN, "%s of %s", COUNT(seen), COUNT(run));
    else
        table_put(table, TONE_PLAIN, "%s", "");
}

// Begins a row for a statement; only Markdown repeats it in the next row.
static void begin_row(const struct line *line, enum tone tone, struct table *table)
{
    const char *before = table->count ? table->rows[table->count - 1].cells[0].text : "";
    const bool more = strcmp(before, statement(line)) == 0;
    table_row(table)->more = more;
    table_put(table, tone, "%s", statement(line));
}

static void put_sum(const struct sum *sum, enum tone tone, struct table *table)
{
    table_cells(table, "%s\t%s", COUNT(sum->runs), COUNT(sum->failed));
    if (sum->broken)
        table_put(table, tone, "%s ended the driver", COUNT(sum->broken));
    else if (sum->runs)
        table_rate(table, tone, sum->failed, sum->runs, sum->interval);
    else
        table_put(table, TONE_PLAIN, "%s", "");
}

// ---- what held

static void visit_held(const struct line *line, struct table *table)
{
    static const char *const words[] = {
        [CAT_FORBIDDEN] = "yes", [CAT_CONTESTED] = "unspecified", [CAT_ASSUMED] = "no"};
    OWNED(text_free) struct text tests = {0};
    if (line->bad_count || !line->sum.runs)
        return;
    put_which(line, line->in, &tests);
    begin_row(line, TONE_PLAIN, table);
    table_put(table, line->promised == CAT_FORBIDDEN ? TONE_GOOD : TONE_WARN, "%s",
              words[line->promised]);
    put_sum(&line->sum, TONE_PLAIN, table);
    put_controls(line, table);
    table_put(table, TONE_PLAIN, "%s", tests.data);
}

void report_advice_held(const struct report_model *model, size_t device, bool all,
                        struct table *table)
{
    static const struct table_column heads[] = {COL("what"),   COL("promised"),   NUM("runs"),
                                                NUM("failed"), COL("rate, 95 %"), COL("controls"),
                                                COL("tests")};
    static const struct table shape = {
        .title = "It held in all runs", .width = FIRST_WIDTH, TABLE_OF(heads)};
    (void)all;
    table_begin(table, &shape, device);
    each_line(model, device, visit_held, table);
    if (table->count)
        table_note(table,
                   "promised: whether the specification excludes the failure; what it does not "
                   "promise may be different with the next driver. controls: those of the same "
                   "tests that were triggered; where none was, this is weak evidence.");
}

// ---- what failed, and what to use instead

// The value that a remedy gives a key, and its *length; NULL if it does not name the key.
static const char *given(const char *with, const char *key, size_t *length)
{
    const size_t name = strlen(key);
    while (*with && !(strncmp(with, key, name) == 0 && with[name] == '=')) {
        with += strcspn(with, " ");
        with += *with == ' ';
    }
    *length = *with ? strcspn(with + name + 1, " ") : 0;
    return *with ? with + name + 1 : NULL;
}

// Whether a result differs from a failed one only in the remedy's values; parameters may differ too
// unless `strictly`.
static bool is_remedied(const struct result *result, const struct result *failed, const char *with,
                        bool strictly)
{
    size_t length;
    if (strcmp(result->test, failed->test) != 0 || report_has_values(failed, with))
        return false;
    const size_t count = failed->variant_count + (strictly ? failed->param_count : 0);
    for (size_t i = 0; i < count; i++) {
        const struct cfg_pair *pair = &failed->variant[i]; // the parameters follow
        if (!given(with, pair->key, &length) &&
            strcmp(report_value(result, pair->key), pair->value) != 0)
            return false;
    }
    return report_has_values(result, with);
}

static bool is_of_another_test(const char *with)
{
    return strcspn(with, ".") < strcspn(with, "=");
}

// Sums the results that have a remedy in place of what failed.
static struct sum measure(const struct line *line, const char *with, bool strictly)
{
    struct sum sum = {0};
    const size_t name = strcspn(with, " ");
    OWNED(lit_free) char *test = lit_strdup(with);
    test[name] = '\0';
    const struct selector other = {test, false, with + name};
    REPORT_EACH (result, line->model, REPORT_ALL) {
        bool is = is_of_another_test(with) && is_selected(&other, 1, result, false);
        for (size_t j = 0; j < line->count && !is && !is_of_another_test(with); j++)
            is = line->bad[j] && is_remedied(result, line->all[j], with, strictly);
        if (is && is_candidate(line->device, result))
            add(&sum, result);
    }
    end(&sum);
    return sum;
}

// Whether a remedy's results are better by more than chance explains.
static bool helps(const struct line *line, const struct sum *sum)
{
    return sum->runs && !sum->failed && !sum->broken &&
           (line->sum.broken || sum->interval.high < line->sum.interval.low);
}

// Appends the command that measures a remedy on the first failure; false if the catalogue has no
// such configuration.
static bool put_command(const struct line *line, const char *with, struct text *out)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct result *result = line->all[i];
        const size_t count = result->variant_count + result->param_count;
        OWNED(lit_free) struct cfg_pair *pairs = lit_alloc(count, sizeof *pairs);
        OWNED(text_free) struct text values = {0}, name = {0};
        size_t changed = 0;
        text_puts(&values, with);
        for (char *at = values.data; at && (at = strchr(at, ' '));)
            *at++ = '\0';
        for (size_t p = 0; p < count; p++) {
            size_t length;
            const char *value = given(with, result->variant[p].key, &length);
            pairs[p] = result->variant[p];
            changed += value != NULL;
            if (value)
                pairs[p].value = values.data + (value - with);
        }
        struct report_case found;
        cfg_print(result->test, pairs, count, &name);
        OWNED(cfg_clear) struct cfg cfg = cfg_parse(name.data);
        if (!line->bad[i] || !changed || !report_known->find(&cfg, &found))
            continue;
        char id[CFG_ID_SIZE];
        cfg_id(name.data, id);
        text_printf(out, "; litmus run %s", id);
        return true;
    }
    return false;
}

// Appends a remedy's row, unless the remedy is for tests that did not fail. Returns whether it
// helps. `what` is NULL for a paired variant.
static bool put_remedy(const struct line *line, const char *what, const char *with,
                       struct table *table)
{
    OWNED(text_free) struct text where = {0};
    struct sum sum = measure(line, with, true);
    const bool strict = sum.configurations > 0;
    if (!strict && with[0])
        sum = measure(line, with, false);
    text_printf(&where, "%s%s", with, sum.configurations && !strict ? ", other parameters" : "");
    if (with[0] && !sum.configurations && !put_command(line, with, &where))
        return false;
    const bool good = with[0] && helps(line, &sum);
    table_row(table);
    table_put(table, good ? TONE_GOOD : TONE_PLAIN, "%s%s",
              with[0] ? "put in: " : "advice: ", what ? what : "the paired variant");
    table_put(table, good ? TONE_GOOD : TONE_SOFT, "%s",
              !with[0]                   ? ""
              : !sum.configurations      ? "not measured"
              : sum.failed || sum.broken ? "fails, too"
              : good                     ? "helps"
                                         : "undecided");
    if (with[0] && sum.configurations)
        put_sum(&sum, TONE_PLAIN, table);
    else
        table_cells(table, "\t\t%s", "");
    table_cells(table, "\t%s", where.data);
    return good;
}

// Appends the paired variants that passed, by the values that differ.
static void put_pairs(const struct line *line, struct table *table)
{
    OWNED(lit_free) char **said = NULL;
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++) {
        OWNED(lit_free) struct report_variant *near = NULL;
        const size_t nears = line->bad[i] ? report_variants(line->model, line->all[i], &near) : 0;
        for (size_t n = 0; n < nears && near[n].differences < 2 && count < MOST_PAIRS; n++) {
            struct text names = {0};
            size_t at = 0;
            report_differences(line->all[i], near[n].result, &names);
            while (at < count && names.data && strcmp(said[at], names.data) != 0)
                at++;
            if (near[n].result->result != ENG_PASS || at < count || !names.data) {
                text_free(&names);
                continue;
            }
            LIT_ADD(said, count) = names.data;
            put_remedy(line, NULL, names.data, table);
        }
    }
    for (size_t i = 0; i < count; i++)
        free(said[i]);
}

static void visit_failed(const struct line *line, struct table *table)
{
    static const char *const words[] = {[CAT_FORBIDDEN] = "driver bug",
                                        [CAT_CONTESTED] = "unspecified",
                                        [CAT_ASSUMED] = "not promised"};
    const enum tone tone = line->promised == CAT_FORBIDDEN ? TONE_BAD : TONE_WARN;
    OWNED(text_free) struct text where = {0};
    bool good = false;
    if (!line->bad_count)
        return;
    put_failing(line, &where);
    begin_row(line, tone, table);
    table_put(table, tone, "%s", words[line->promised]);
    put_sum(&line->sum, tone, table);
    put_controls(line, table);
    table_put(table, TONE_PLAIN, "%s", where.data);
    for (size_t i = 0; line->advice && i < line->advice->remedy_count; i++) {
        const struct cat_advice *remedy = line->advice->remedies[i];
        good = put_remedy(line, remedy->what, remedy->values, table) || good;
    }
    if (!good)
        put_pairs(line, table);
}

void report_advice_failed(const struct report_model *model, size_t device, bool all,
                          struct table *table)
{
    static const struct table_column heads[] = {
        COL("what"),   COL("verdict"),    NUM("runs"),
        NUM("failed"), COL("rate, 95 %"), COL("controls", .without = TABLE_UNLESS_USED),
        COL("where")};
    static const struct table shape = {
        .title = "It failed, and what to put in", .width = FIRST_WIDTH, TABLE_OF(heads)};
    (void)all;
    table_begin(table, &shape, device);
    each_line(model, device, visit_failed, table);
}

// ---- what is not known

static void visit_open(const struct line *line, struct table *table)
{
    const char *reason = "";
    OWNED(text_free) struct text tests = {0};
    if (line->bad_count || line->sum.runs)
        return;
    for (size_t i = 0; i < line->count && !reason[0]; i++)
        reason = line->in[i] ? line->all[i]->reason : "";
    put_which(line, line->in, &tests);
    begin_row(line, TONE_PLAIN, table);
    table_cells(table, "%s\t%s", reason, tests.data);
}

void report_advice_open(const struct report_model *model, size_t device, bool all,
                        struct table *table)
{
    static const struct table_column heads[] = {COL("what"), COL("why"), COL("tests")};
    static const struct table shape = {
        .title = "Not measured", .width = FIRST_WIDTH, TABLE_OF(heads)};
    (void)all;
    table_begin(table, &shape, device);
    each_line(model, device, visit_open, table);
    // Statements without any results.
    for (size_t a = 0; a < advice_count; a++) {
        OWNED(text_free) struct text tests = {0};
        bool some = false;
        for (size_t i = 0; i < model->result_count && !some; i++)
            some = is_candidate(device, &model->results[i]) &&
                   is_selected(advices[a].tests, advices[a].test_count, &model->results[i], false);
        if (some)
            continue;
        for (size_t i = 0; i < advices[a].test_count; i++)
            text_printf(&tests, "%s%s%s%s%s", i ? "; " : "", advices[a].tests[i].test,
                        advices[a].tests[i].family ? ".*" : "",
                        *advices[a].tests[i].values ? " " : "", advices[a].tests[i].values);
        table_row(table);
        table_cells(table, "%s\tno results\t%s", advices[a].statement, tests.data);
    }
}
