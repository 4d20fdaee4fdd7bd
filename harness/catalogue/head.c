// SPDX-License-Identifier: Apache-2.0
// Parses the head of a test file. A test may come from anywhere: every length is checked and every
// complaint names its line.
#include "catalogue/head.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// One keyword with its value, continuation lines joined by one space.
struct entry {
    unsigned line;
    char *keyword;
    char *value;
};

struct parser {
    struct cat_head *head;
    struct lit_error *error;
    struct text *word; // the last one that was taken
};

static bool complain(const struct parser *parser, unsigned line, const char *what,
                     const char *detail)
{
    return lit_fail(parser->error, LIT_EXIT_USAGE, "line %u: %s%s%s%s", line, what,
                    *detail ? " '" : "", detail, *detail ? "'" : "");
}

static const char *skip_spaces(const char *s)
{
    return s + strspn(s, " \t");
}

// The next word of *s, valid until the one after, or NULL at the end; '|' is a word of its own.
static const char *take_word(const struct parser *p, const char **s)
{
    const char *start = skip_spaces(*s);
    const size_t length = *start == '|' ? 1 : strcspn(start, " \t|");
    if (!*start)
        return NULL;
    text_free(p->word);
    text_append(p->word, start, length);
    *s = start + length;
    return p->word->data;
}

static bool is_name(const char *word)
{
    return *word && strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(word);
}

static bool parse_number(const char *word, uint32_t *number)
{
    char *end;
    if (*word < '0' || *word > '9')
        return false;
    unsigned long value = strtoul(word, &end, 10);
    *number = (uint32_t)value;
    return !*end && value <= UINT32_MAX;
}

// ---- values of the keywords

static bool set_once(const struct parser *p, const struct entry *e, char **target)
{
    if (*target)
        return complain(p, e->line, "given twice:", e->keyword);
    if (!*e->value)
        return complain(p, e->line, "no value for", e->keyword);
    *target = lit_strdup(e->value);
    return true;
}

static bool set_name(const struct parser *p, const struct entry *e)
{
    struct cat_head *head = p->head;
    if (!set_once(p, e, &head->name))
        return false;
    const char *dot = strchr(head->name, '.');
    if (!dot)
        return complain(p, e->line, "a test's name is family.test, not", head->name);
    head->family = lit_strdup(head->name);
    head->family[dot - head->name] = '\0';
    head->test = lit_strdup(dot + 1);
    if (!is_name(head->family) || !is_name(head->test))
        return complain(p, e->line, "names have a-z, 0-9 and '-' only:", head->name);
    return true;
}

static bool name_is_taken(const struct cat_head *head, const char *name)
{
    for (size_t i = 0; i < head->axis_count; i++)
        if (!strcmp(head->axes[i].name, name))
            return true;
    for (size_t i = 0; i < head->sweep_count; i++)
        if (head->sweeps[i].name && !strcmp(head->sweeps[i].name, name))
            return true;
    return cfg_parameter(name) == CFG_SUBGROUP;
}

// Takes a name that no axis or sweep has yet; NULL with a complaint.
static char *take_new_name(const struct parser *p, const struct entry *e, const char **s,
                           const char *what)
{
    const char *name = take_word(p, s);
    if (name && is_name(name) && !name_is_taken(p->head, name))
        return lit_strdup(name);
    complain(p, e->line, what, name ? name : "");
    return NULL;
}

static bool add_axis(const struct parser *p, const struct entry *e)
{
    struct cat_head *head = p->head;
    const char *s = e->value, *word;
    if (head->axis_count == CAT_MAX_AXES)
        return complain(p, e->line, "too many axes", "");
    struct cat_axis *axis = &head->axes[head->axis_count];
    axis->name = take_new_name(p, e, &s, "not a new axis name:");
    if (!axis->name)
        return false;
    head->axis_count++;
    for (bool separator = false; (word = take_word(p, &s)); separator = !separator) {
        if (separator ? strcmp(word, "|") : !is_name(word) || axis->count == CAT_MAX_VALUES)
            return complain(p, e->line, "unexpected in an axis:", word);
        if (!separator)
            axis->values[axis->count++] = lit_strdup(word);
    }
    return axis->count >= 1 || complain(p, e->line, "an axis needs values:", axis->name);
}

static bool add_sweep(const struct parser *p, const struct entry *e)
{
    struct cat_head *head = p->head;
    const char *s = e->value, *word;
    uint32_t number = 0;
    if (head->sweep_count == CAT_MAX_SWEEPS)
        return complain(p, e->line, "too many sweeps", "");
    struct cat_sweep *sweep = &head->sweeps[head->sweep_count];
    sweep->name = take_new_name(p, e, &s, "not a new sweep name:");
    if (!sweep->name)
        return false;
    head->sweep_count++;
    sweep->role = cfg_parameter(sweep->name);
    sweep->spec_id = -1;
    const char *id = take_word(p, &s);
    if (!id || (strcmp(id, "-") && (!parse_number(id, &number) || number > INT32_MAX)))
        return complain(p, e->line, "a sweep needs a specialization id or '-':", sweep->name);
    if (*id != '-')
        sweep->spec_id = (int32_t)number;
    for (bool behind = false; (word = take_word(p, &s));) {
        const bool bar = !strcmp(word, "|");
        // How large `largest` is the oracle says, not the specialization constant.
        const bool value = parse_number(word, &number) || !strcmp(word, "last") ||
                           !strcmp(word, "middle") ||
                           (!strcmp(word, "largest") && sweep->spec_id < 0);
        if (bar ? behind : !value || sweep->count == CAT_MAX_VALUES)
            return complain(p, e->line, "unexpected in a sweep:", word);
        behind |= bar;
        if (!bar)
            sweep->values[sweep->count++] = lit_strdup(word);
        sweep->quick += !behind;
    }
    return sweep->quick >= 1 ||
           complain(p, e->line, "a sweep needs values before '|':", sweep->name);
}

static bool add_sizes(const struct parser *p, const struct entry *e)
{
    struct cat_head *head = p->head;
    const char *s = e->value, *word;
    if (head->size_count)
        return complain(p, e->line, "given twice:", e->keyword);
    while ((word = take_word(p, &s))) {
        uint32_t size = 0;
        if (!parse_number(word, &size) || size < 1 || size > 128 || (size & (size - 1)) ||
            head->size_count == CAT_MAX_SIZES)
            return complain(p, e->line, "not a subgroup size:", word);
        head->sizes[head->size_count++] = size;
    }
    return head->size_count > 0 || complain(p, e->line, "no value for", e->keyword);
}

// ---- conditions and rules

static bool find_value(char *const *values, size_t count, const char *word, size_t length,
                       uint32_t *bits)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(values[i]) == length && !strncmp(values[i], word, length)) {
            *bits |= 1u << i;
            return true;
        }
    return false;
}

static bool parse_term(const struct parser *p, unsigned line, const char *word,
                       struct cat_term *term)
{
    const struct cat_head *head = p->head;
    size_t length = strcspn(word, "!=");
    const char *equals = word + length;
    term->negated = *equals == '!';
    equals += term->negated;
    if (*equals != '=')
        return complain(p, line, "a term is name=value or name!=value, not", word);
    char *const *values = NULL;
    size_t count = 0;
    for (size_t i = 0; i < head->axis_count; i++)
        if (strlen(head->axes[i].name) == length && !strncmp(head->axes[i].name, word, length)) {
            term->index = i;
            values = head->axes[i].values;
            count = head->axes[i].count;
        }
    for (size_t i = 0; i < head->sweep_count; i++)
        if (strlen(head->sweeps[i].name) == length &&
            !strncmp(head->sweeps[i].name, word, length)) {
            term->is_sweep = true;
            term->index = i;
            values = head->sweeps[i].values;
            count = head->sweeps[i].count;
        }
    if (!values)
        return complain(p, line, "no axis or sweep of that name above:", word);
    for (const char *value = equals + 1;; value++) {
        size_t size = strcspn(value, ",");
        if (!find_value(values, count, value, size, &term->values))
            return complain(p, line, "no such value:", word);
        value += size;
        if (!*value)
            return true;
    }
}

// Parses terms up to a ':' word or the end; *rest is what follows the colon.
static bool parse_condition(const struct parser *p, unsigned line, const char *s,
                            struct cat_condition *condition, const char **rest)
{
    const char *word;
    while ((word = take_word(p, &s)) && strcmp(word, ":")) {
        if (condition->count == sizeof condition->terms / sizeof *condition->terms)
            return complain(p, line, "too many terms", "");
        if (!parse_term(p, line, word, &condition->terms[condition->count++]))
            return false;
    }
    *rest = skip_spaces(s);
    return true;
}

// The value of `without` and `thorough` lines: "when" may be left out.
static bool add_rule(const struct parser *p, const struct entry *e, struct cat_rule *rules,
                     size_t *count)
{
    const char *s = skip_spaces(e->value), *rest;
    if (!strncmp(s, "when ", 5))
        s += 5;
    if (*count == CAT_MAX_RULES)
        return complain(p, e->line, "too many lines of", e->keyword);
    struct cat_rule *rule = &rules[(*count)++];
    if (!parse_condition(p, e->line, s, &rule->when, &rest))
        return false;
    return rule->when.count > 0 || complain(p, e->line, "no condition for", e->keyword);
}

// "by RULE,RULE ..." at *s, if it is there: ids of lower-case words, each once.
static bool parse_by(const struct parser *p, unsigned line, const char **s, struct cat_rule *rule)
{
    if (strncmp(*s, "by ", 3) != 0)
        return true;
    *s += 3;
    const char *by = take_word(p, s);
    rule->by = by ? lit_strdup(by) : NULL;
    *s = skip_spaces(*s);
    const bool named = rule->by && strcmp(rule->by, "when") != 0;
    for (const char *id = rule->by; named; id++) {
        size_t length = strcspn(id, ",");
        bool ok = length > 0 && strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
        for (const char *before = rule->by; ok && before < id; before += strcspn(before, ",") + 1)
            ok = strcspn(before, ",") != length || strncmp(before, id, length) != 0;
        if (!ok)
            break;
        id += length;
        if (!*id)
            return true;
    }
    return complain(p, line, "'by' names rules by their ids, each once:", rule->by ? rule->by : "");
}

static bool add_expect(const struct parser *p, const struct entry *e)
{
    static const char *const words[] = {"forbidden", "contested", "assumed", "control"};
    struct cat_head *head = p->head;
    if (head->expect_count == CAT_MAX_RULES)
        return complain(p, e->line, "too many lines of", e->keyword);
    struct cat_rule *rule = &head->expect[head->expect_count++];
    const char *s = e->value, *rest, *word = take_word(p, &s);
    int found = 0;
    while (found < 4 && word && strcmp(word, words[found]))
        found++;
    if (!word || found == 4)
        return complain(p, e->line, "not an expectation:", word ? word : "");
    rule->expectation = (enum cat_expectation)found;
    s = skip_spaces(s);
    if (!parse_by(p, e->line, &s, rule))
        return false;
    if (!strncmp(s, "when ", 5))
        s += 5;
    if (!parse_condition(p, e->line, s, &rule->when, &rest))
        return false;
    if (!*rest)
        return complain(p, e->line, "an expectation needs ' : ' and a reason", "");
    rule->reason = lit_strdup(rest);
    return true;
}

static bool apply(const struct parser *p, const struct entry *e)
{
    struct cat_head *head = p->head;
    const struct {
        const char *keyword;
        char **target;
    } once[] = {{"asks", &head->asks},       {"fails", &head->fails},
                {"origin", &head->origin},   {"headline", &head->headline},
                {"program", &head->program}, {"needs", &head->needs},
                {"oracle", &head->oracle}};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (!strcmp(e->keyword, once[i].keyword))
            return set_once(p, e, once[i].target);
    if (!strcmp(e->keyword, "litmus"))
        return set_name(p, e);
    if (!strcmp(e->keyword, "spec")) {
        if (head->spec_count == CAT_MAX_RULES)
            return complain(p, e->line, "too many lines of", e->keyword);
        return set_once(p, e, &head->spec[head->spec_count++]);
    }
    if (!strcmp(e->keyword, "axis"))
        return add_axis(p, e);
    if (!strcmp(e->keyword, "sizes"))
        return add_sizes(p, e);
    if (!strcmp(e->keyword, "sweep"))
        return add_sweep(p, e);
    if (!strcmp(e->keyword, "without"))
        return add_rule(p, e, head->without, &head->without_count);
    if (!strcmp(e->keyword, "thorough"))
        return add_rule(p, e, head->thorough, &head->thorough_count);
    if (!strcmp(e->keyword, "expect"))
        return add_expect(p, e);
    return complain(p, e->line, "unknown keyword", e->keyword);
}

static bool check_whole(const struct parser *p, unsigned line)
{
    const struct cat_head *head = p->head;
    const char *missing = !head->name           ? "litmus"
                          : !head->asks         ? "asks"
                          : !head->fails        ? "fails"
                          : !head->origin       ? "origin"
                          : !head->oracle       ? "oracle"
                          : !head->spec_count   ? "spec"
                          : !head->expect_count ? "expect"
                                                : NULL;
    if (missing)
        return complain(p, line, "the head lacks", missing);
    if (head->expect[head->expect_count - 1].when.count)
        return complain(p, line, "the last expect line must have no condition", "");
    for (size_t i = 0; i < head->sweep_count; i++)
        if (head->sweeps[i].role == CFG_WORKGROUP && head->sweeps[i].spec_id == 0)
            return true;
    return complain(p, line, "the head lacks 'sweep workgroup 0 ...'", "");
}

// ---- lines

// Appends a line of text to the value of an entry, with one space between.
static void extend_entry(const char *s, size_t length, struct entry *e)
{
    while (length && strchr(" \t\r", s[length - 1]))
        length--;
    struct text joined = {0};
    if (e->value)
        text_puts(&joined, e->value);
    if (joined.length && length)
        text_puts(&joined, " ");
    text_append(&joined, s, length);
    free(e->value);
    e->value = joined.data;
}

// A line that begins with a keyword.
static void start_entry(const char *s, size_t length, unsigned number, struct entry *e)
{
    size_t word = 0;
    while (word < length && s[word] != ' ' && s[word] != '\t')
        word++;
    e->line = number;
    e->keyword = lit_alloc(word + 1, 1);
    memcpy(e->keyword, s, word);
    while (word < length && (s[word] == ' ' || s[word] == '\t'))
        word++;
    extend_entry(s + word, length - word, e);
}

static bool finish_entry(const struct parser *p, struct entry *e)
{
    bool ok = !e->keyword || apply(p, e);
    free(e->keyword);
    free(e->value);
    *e = (struct entry){0};
    return ok;
}

bool cat_head_parse(const char *source, size_t size, struct cat_head *head, struct lit_error *error)
{
    *head = (struct cat_head){0};
    struct text word = {0};
    const struct parser p = {head, error, &word};
    struct entry pending = {0};
    unsigned number = 0;
    bool inside = false, ok = true;
    for (const char *line = source; ok && line < source + size;) {
        const char *newline = memchr(line, '\n', (size_t)(source + size - line));
        size_t length = (size_t)((newline ? newline : source + size) - line);
        number++;
        if (memchr(line, '\0', length)) {
            ok = complain(&p, number, "not a text file", "");
            break;
        }
        if (!inside)
            inside = length >= 9 && !strncmp(line, "; litmus ", 9);
        if (inside) {
            struct entry next = {0};
            size_t indent = 1;
            while (indent < length && (line[indent] == ' ' || line[indent] == '\t'))
                indent++;
            bool last = pending.keyword && !strcmp(pending.keyword, "oracle");
            bool blank = indent >= length;
            if (!length || *line != ';' || (last && (blank || indent - 1 < 8)))
                break;
            if (blank) {
                line += length + (newline ? 1 : 0);
                continue;
            }
            if (indent - 1 < 8) {
                ok = finish_entry(&p, &pending);
                start_entry(line + indent, length - indent, number, &next);
                pending = next;
            } else {
                extend_entry(line + indent, length - indent, &pending);
            }
        }
        line += length + (newline ? 1 : 0);
    }
    if (ok)
        ok = finish_entry(&p, &pending);
    free(pending.keyword);
    free(pending.value);
    text_free(&word);
    return ok && check_whole(&p, number);
}

static void clear_rules(struct cat_rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(rules[i].by);
        free(rules[i].reason);
    }
}

void cat_head_clear(struct cat_head *head)
{
    char *single[] = {head->name,   head->family,   head->test,    head->asks,  head->fails,
                      head->origin, head->headline, head->program, head->needs, head->oracle};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        free(single[i]);
    for (size_t i = 0; i < head->spec_count; i++)
        free(head->spec[i]);
    for (size_t i = 0; i < head->axis_count; i++) {
        free(head->axes[i].name);
        for (size_t j = 0; j < head->axes[i].count; j++)
            free(head->axes[i].values[j]);
    }
    for (size_t i = 0; i < head->sweep_count; i++) {
        free(head->sweeps[i].name);
        for (size_t j = 0; j < head->sweeps[i].count; j++)
            free(head->sweeps[i].values[j]);
    }
    clear_rules(head->expect, head->expect_count);
    clear_rules(head->without, head->without_count);
    clear_rules(head->thorough, head->thorough_count);
    *head = (struct cat_head){0};
}

bool cat_condition_holds(const struct cat_condition *condition, const uint8_t *axis,
                         const uint8_t *sweep)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct cat_term *term = &condition->terms[i];
        if (term->is_sweep && !sweep)
            return false;
        uint8_t value = term->is_sweep ? sweep[term->index] : axis[term->index];
        bool named = term->values >> value & 1;
        if (named == term->negated)
            return false;
    }
    return true;
}
