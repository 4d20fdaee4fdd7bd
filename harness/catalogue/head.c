// SPDX-License-Identifier: Apache-2.0
// Parses the head of a test file. The input is untrusted: every length is checked, and every error
// names its line.
#include "catalogue/head.h"

#include "catalogue/formula.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-"

struct parser {
    struct cat_head *head;
    struct lit_error *error;
    char *room; // next free byte in head->text
    // The current keyword with its value, continuation lines joined by a space.
    unsigned line;
    char *keyword, *value;
};

static bool complain(const struct parser *p, const char *what, const char *detail)
{
    return lit_fail(p->error, LIT_EXIT_USAGE, "line %u: %s%s%s%s", p->line, what,
                    *detail ? " '" : "", detail, *detail ? "'" : "");
}

static const char *skip_spaces(const char *s)
{
    return s + strspn(s, " \t");
}

static char *keep(struct parser *p, const char *bytes, size_t length)
{
    char *kept = p->room;
    memcpy(kept, bytes, length);
    kept[length] = '\0';
    p->room += length + 1;
    return kept;
}

// Returns the next word of *s, or NULL at the end; '|' is a separate word.
static char *take_word(struct parser *p, const char **s)
{
    const char *start = skip_spaces(*s);
    if (!*start)
        return NULL;
    const size_t length = *start == '|' ? 1 : strcspn(start, " \t|");
    *s = start + length;
    return keep(p, start, length);
}

static bool is_name(const char *word)
{
    return *word && !word[strspn(word, NAME_CHARACTERS)];
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

static bool set_once(const struct parser *p, char **target)
{
    if (*target)
        return complain(p, "given twice:", p->keyword);
    if (!*p->value)
        return complain(p, "no value for", p->keyword);
    *target = p->value;
    return true;
}

static bool set_name(struct parser *p)
{
    struct cat_head *head = p->head;
    if (!set_once(p, &head->name))
        return false;
    char *dot = strchr(head->name, '.');
    if (!dot)
        return complain(p, "a test's name is family.test, not", head->name);
    head->family = keep(p, head->name, (size_t)(dot - head->name));
    head->test = dot + 1;
    return (is_name(head->family) && is_name(head->test)) ||
           complain(p, "names have a-z, 0-9 and '-' only:", head->name);
}

const struct cat_axis *cat_axis_find(const struct cat_axis *axes, size_t count, const char *name,
                                     size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(axes[i].name) == length && !memcmp(axes[i].name, name, length))
            return &axes[i];
    return NULL;
}

// Adds an axis or parameter, `most` at most, named by the first word of *s.
static struct cat_axis *add_named(struct parser *p, struct cat_axis *axes, size_t *count,
                                  size_t most, const char **s)
{
    const struct cat_head *head = p->head;
    char *name = take_word(p, s), what[40];
    const size_t length = name ? strlen(name) : 0;
    snprintf(what, sizeof what, "not a new %s name:", p->keyword);
    if (!name || !is_name(name) || cfg_parameter(name) == CFG_SUBGROUP ||
        cat_axis_find(head->axes, head->axis_count, name, length) ||
        cat_axis_find(head->sweeps, head->sweep_count, name, length)) {
        complain(p, what, name ? name : "");
        return NULL;
    }
    if (*count == most) {
        complain(p, "too many lines of", p->keyword);
        return NULL;
    }
    axes[*count] = (struct cat_axis){.name = name, .role = cfg_parameter(name), .spec_id = -1};
    return &axes[(*count)++];
}

static bool add_axis(struct parser *p)
{
    struct cat_head *head = p->head;
    const char *s = p->value;
    struct cat_axis *axis = add_named(p, head->axes, &head->axis_count, CAT_MAX_AXES, &s);
    bool separator = false;
    for (char *word; axis && (word = take_word(p, &s)); separator = !separator) {
        if (separator ? strcmp(word, "|") != 0 : !is_name(word) || axis->count == CAT_MAX_VALUES)
            return complain(p, "unexpected in an axis:", word);
        if (!separator)
            axis->values[axis->count++] = word;
    }
    return axis && (axis->count >= 1 || complain(p, "an axis needs values:", axis->name));
}

static bool add_sweep(struct parser *p)
{
    struct cat_head *head = p->head;
    const char *s = p->value;
    struct cat_axis *sweep = add_named(p, head->sweeps, &head->sweep_count, CAT_MAX_SWEEPS, &s);
    if (!sweep)
        return false;
    const char *id = take_word(p, &s);
    uint32_t number = 0;
    if (!id || (strcmp(id, "-") != 0 && (!parse_number(id, &number) || number > INT32_MAX)))
        return complain(p, "a sweep needs a specialization id or '-':", sweep->name);
    sweep->spec_id = *id == '-' ? -1 : (int32_t)number;
    bool behind = false;
    for (char *word; (word = take_word(p, &s));) {
        const bool bar = !strcmp(word, "|");
        // The oracle determines `largest`, not the specialization constant.
        const bool value = parse_number(word, &number) || !strcmp(word, "last") ||
                           !strcmp(word, "middle") ||
                           (!strcmp(word, "largest") && sweep->spec_id < 0);
        if (bar ? behind : !value || sweep->count == CAT_MAX_VALUES)
            return complain(p, "unexpected in a sweep:", word);
        behind = behind || bar;
        if (!bar)
            sweep->values[sweep->count++] = word;
        sweep->quick += !behind;
    }
    return sweep->quick >= 1 || complain(p, "a sweep needs values before '|':", sweep->name);
}

static bool add_sizes(struct parser *p)
{
    struct cat_head *head = p->head;
    const char *s = p->value;
    if (head->size_count)
        return complain(p, "given twice:", p->keyword);
    for (char *word; (word = take_word(p, &s));) {
        uint32_t size = 0;
        if (!parse_number(word, &size) || size < 1 || size > 128 || size & (size - 1) ||
            head->size_count == CAT_MAX_SIZES)
            return complain(p, "not a subgroup size:", word);
        head->sizes[head->size_count++] = size;
    }
    return head->size_count > 0 || complain(p, "no value for", p->keyword);
}

// ---- conditions and rules

static bool find_value(const struct cat_axis *axis, const char *word, size_t length, uint32_t *bits)
{
    for (size_t i = 0; i < axis->count; i++)
        if (strlen(axis->values[i]) == length && !strncmp(axis->values[i], word, length)) {
            *bits |= 1u << i;
            return true;
        }
    return false;
}

bool cat_term_parse(const struct cat_head *head, const char *word, struct cat_term *term,
                    const char **what)
{
    const size_t length = strcspn(word, "!=");
    *term = (struct cat_term){.negated = word[length] == '!'};
    const char *equals = word + length + term->negated;
    *what = "a term is name=value or name!=value, not";
    if (*equals != '=')
        return false;
    const struct cat_axis *axis = cat_axis_find(head->axes, head->axis_count, word, length);
    term->is_sweep = !axis;
    if (!axis)
        axis = cat_axis_find(head->sweeps, head->sweep_count, word, length);
    *what = "no axis or sweep of that name above:";
    if (!axis)
        return false;
    term->index = (size_t)(axis - (term->is_sweep ? head->sweeps : head->axes));
    *what = "no such value:";
    for (const char *value = equals; *value;) {
        const size_t size = strcspn(++value, ",");
        if (!find_value(axis, value, size, &term->values))
            return false;
        value += size;
    }
    return true;
}

// Parses terms up to a ':' word or the end; moves *s past the colon. "when" is optional.
static bool parse_condition(struct parser *p, const char **s, struct cat_condition *condition)
{
    *s = skip_spaces(*s);
    if (!strncmp(*s, "when ", 5))
        *s += 5;
    for (char *word; (word = take_word(p, s)) && strcmp(word, ":") != 0;) {
        if (condition->count == sizeof condition->terms / sizeof *condition->terms)
            return complain(p, "too many terms", "");
        const char *what = NULL;
        if (!cat_term_parse(p->head, word, &condition->terms[condition->count++], &what))
            return complain(p, what, word);
    }
    *s = skip_spaces(*s);
    return true;
}

// The value of `without` and `thorough` lines.
static bool add_rule(struct parser *p, struct cat_rule *rules, size_t *count)
{
    const char *s = p->value;
    if (*count == CAT_MAX_RULES)
        return complain(p, "too many lines of", p->keyword);
    struct cat_rule *rule = &rules[(*count)++];
    return parse_condition(p, &s, &rule->when) &&
           (rule->when.count > 0 || complain(p, "no condition for", p->keyword));
}

// Parses an optional "by RULE,RULE ..." at *s: lower-case ids without duplicates.
static bool parse_by(struct parser *p, const char **s, struct cat_rule *rule)
{
    *s = skip_spaces(*s);
    if (strncmp(*s, "by ", 3) != 0)
        return true;
    *s += 3;
    rule->by = take_word(p, s);
    const bool named = rule->by && strcmp(rule->by, "when") != 0;
    for (const char *id = rule->by; named; id++) {
        size_t length = strcspn(id, ",");
        bool ok = length > 0 && strspn(id, NAME_CHARACTERS) == length;
        for (const char *before = rule->by; ok && before < id; before += strcspn(before, ",") + 1)
            ok = strcspn(before, ",") != length || strncmp(before, id, length) != 0;
        if (!ok)
            break;
        id += length;
        if (!*id)
            return true;
    }
    return complain(p, "'by' names rules by their ids, each once:", rule->by ? rule->by : "");
}

static bool add_expect(struct parser *p)
{
    struct cat_head *head = p->head;
    if (head->expect_count == CAT_MAX_RULES)
        return complain(p, "too many lines of", p->keyword);
    struct cat_rule *rule = &head->expect[head->expect_count++];
    const char *s = p->value, *word = take_word(p, &s);
    rule->expectation = cat_expectation_named(word ? word : "");
    if (rule->expectation == CAT_EXPECTATIONS)
        return complain(p, "not an expectation:", word ? word : "");
    if (!parse_by(p, &s, rule) || !parse_condition(p, &s, &rule->when))
        return false;
    rule->reason = keep(p, s, strlen(s));
    return *s || complain(p, "an expectation needs ' : ' and a reason", "");
}

// "[family] KEY=VALUE,... : WORDS", or words alone. A remedy may name another test before the
// values, which are then not checked.
static bool add_advice(struct parser *p)
{
    struct cat_head *head = p->head;
    struct cat_advice *advice = &head->advice[head->advice_count];
    struct cat_condition condition = {0};
    char *colon = strstr(p->value, " : ");
    if (head->advice_count == CAT_MAX_ADVICE)
        return complain(p, "too many lines of", p->keyword);
    if (!*p->value)
        return complain(p, "no value for", p->keyword);
    *advice = (struct cat_advice){.is_remedy = !strcmp(p->keyword, "remedy"),
                                  .values = "",
                                  .what = colon ? colon + 3 : p->value};
    if (advice->is_remedy && !head->advice_count)
        return complain(p, "no 'relies' above this", p->keyword);
    head->advice_count++;
    if (!colon)
        return true;
    *colon = '\0';
    advice->family = !advice->is_remedy && strncmp(p->value, "family", 6) == 0;
    advice->values = advice->family ? p->value + 6 + strspn(p->value + 6, " ") : p->value;
    const char *s = advice->values;
    if (strchr(s, '!'))
        return complain(p, "values are KEY=VALUE,... here, not", s);
    return (advice->is_remedy && strcspn(s, ".") < strcspn(s, "=")) ||
           parse_condition(p, &s, &condition);
}

// ---- formulas

static bool check_formula(const struct parser *p, const char *text, unsigned asks)
{
    struct cat_formula formula;
    struct lit_error error = {0};
    return cat_formula_parse(text, p->head, asks, &formula, &error) ||
           complain(p, error.message, "");
}

static bool add_output(struct parser *p)
{
    struct cat_head *head = p->head;
    if (head->output_count == CAT_MAX_OUTPUTS)
        return complain(p, "too many lines of", p->keyword);
    return set_once(p, &head->output[head->output_count++]) &&
           check_formula(p, p->value, CAT_ASKS_ALL & ~CAT_ASKS_RANDOM);
}

static bool set_where(struct parser *p)
{
    struct lit_error error = {0};
    struct cat_formula formula;
    if (!set_once(p, &p->head->where))
        return false;
    for (const char *at = strchr(p->value, '{'); at; at = strchr(at, '{')) {
        at++;
        if (!cat_formula_parse_inside(&at, p->head, &formula, &error))
            return complain(p, error.message, "");
        while (*at == '|')
            at += 1 + strcspn(at + 1, "|}");
        if (*at != '}')
            return complain(p, "no } in", p->keyword);
    }
    return true;
}

// The file must be in the test's folder.
static bool set_file(struct parser *p)
{
    const size_t length = set_once(p, &p->head->file) ? strspn(p->value, NAME_CHARACTERS) : 0;
    return p->value != p->head->file || (length > 0 && !strcmp(p->value + length, ".words")) ||
           complain(p, "a file of words beside the test is NAME.words, not", p->value);
}

// ---- the bug behind a case

static bool set_bug(struct parser *p)
{
    static const char *const places[] = {"https://", "reports/findings/"};
    size_t known = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strncmp(p->value, places[i], strlen(places[i])))
            known = strlen(places[i]);
    return set_once(p, &p->head->bug) &&
           ((known && p->value[known] && !strpbrk(p->value, " \t\"'<>")) ||
            complain(p, "a bug is https://... or reports/findings/..., not", p->value));
}

// Whether the first `length` bytes are one of the words, terminated by NULL.
static bool is_among(const char *const *words, const char *s, size_t length)
{
    for (; *words; words++)
        if (strlen(*words) == length && !memcmp(*words, s, length))
            return true;
    return false;
}

static bool set_vendor(struct parser *p)
{
    static const char *const vendors[] = {"AMD",         "Apple",    "Arm",    "Huawei",
                                          "Imagination", "Intel",    "NVIDIA", "Qualcomm",
                                          "Samsung",     "lavapipe", NULL};
    if (!set_once(p, &p->head->vendor))
        return false;
    const char *at = p->value;
    for (size_t length; is_among(vendors, at, length = strcspn(at, ",")); at += 2) {
        at += length;
        if (!*at)
            return true;
        if (at[1] != ' ')
            break;
    }
    return complain(p, "vendors are known names with ', ' between:", p->value);
}

static bool set_status(struct parser *p)
{
    static const char *const words[] = {"open", "fixed", "disputed", "withdrawn", "unknown", NULL};
    return set_once(p, &p->head->status) &&
           (is_among(words, p->value, strcspn(p->value, " ,")) ||
            complain(p, "a bug is open, fixed, disputed, withdrawn or unknown, not", p->value));
}

// Applies the completed keyword and value.
static bool apply(struct parser *p)
{
    struct cat_head *head = p->head;
    const struct {
        const char *keyword;
        bool (*add)(struct parser *p); // or, without one:
        char **target;
        unsigned asks; // for formulas
    } keywords[] = {
        {"litmus", set_name, NULL, 0},
        {"axis", add_axis, NULL, 0},
        {"sizes", add_sizes, NULL, 0},
        {"sweep", add_sweep, NULL, 0},
        {"expect", add_expect, NULL, 0},
        {"relies", add_advice, NULL, 0},
        {"remedy", add_advice, NULL, 0},
        {"output", add_output, NULL, 0},
        {"where", set_where, NULL, 0},
        {"file", set_file, NULL, 0},
        {"bug", set_bug, NULL, 0},
        {"vendor", set_vendor, NULL, 0},
        {"status", set_status, NULL, 0},
        {"asks", NULL, &head->asks, 0},
        {"fails", NULL, &head->fails, 0},
        {"origin", NULL, &head->origin, 0},
        {"headline", NULL, &head->headline, 0},
        {"program", NULL, &head->program, 0},
        {"hazard", NULL, &head->hazard, 0},
        {"needs", NULL, &head->needs, 0},
        {"oracle", NULL, &head->oracle, 0},
        {"fits", NULL, &head->fits, CAT_ASKS_SIZES},
        {"workgroups", NULL, &head->workgroups, CAT_ASKS_SIZES},
        {"results", NULL, &head->results, CAT_ASKS_SIZES | CAT_ASKS_DISPATCH},
        {"elements", NULL, &head->elements, CAT_ASKS_SIZES | CAT_ASKS_DISPATCH},
        {"state", NULL, &head->state, CAT_ASKS_SIZES | CAT_ASKS_DISPATCH},
        {"input", NULL, &head->input, CAT_ASKS_ALL & ~CAT_ASKS_INPUT},
    };
    if (!p->keyword)
        return true;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strcmp(p->keyword, keywords[i].keyword))
            return keywords[i].add
                       ? keywords[i].add(p)
                       : set_once(p, keywords[i].target) &&
                             (!keywords[i].asks || check_formula(p, p->value, keywords[i].asks));
    if (!strcmp(p->keyword, "spec"))
        return head->spec_count < CAT_MAX_RULES ? set_once(p, &head->spec[head->spec_count++])
                                                : complain(p, "too many lines of", p->keyword);
    if (!strcmp(p->keyword, "without"))
        return add_rule(p, head->without, &head->without_count);
    if (!strcmp(p->keyword, "thorough"))
        return add_rule(p, head->thorough, &head->thorough_count);
    return complain(p, "unknown keyword", p->keyword);
}

static bool check_whole(const struct parser *p)
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
    const bool formulas = head->oracle && !strncmp(head->oracle, "formula.", 8);
    if (!missing && formulas && !head->output_count)
        missing = "output";
    if (!missing && (head->bug || head->vendor || head->status))
        missing = !head->bug ? "bug" : !head->vendor ? "vendor" : !head->status ? "status" : NULL;
    if (missing)
        return complain(p, "the head lacks", missing);
    if (!formulas && (head->output_count || head->fits || head->workgroups || head->results ||
                      head->elements || head->state || head->input || head->where || head->file))
        return complain(p, "formulas are for the oracles formula.subgroup and formula.workgroup",
                        "");
    if (head->expect[head->expect_count - 1].when.count)
        return complain(p, "the last expect line must have no condition", "");
    // Each drawn program has its own size.
    const char *kind = strchr(head->oracle, '.');
    if (kind && !strcmp(kind, ".drawn"))
        return true;
    // A kernel from outside may use any id for its workgroup size, or none.
    const bool outside = !strcmp(head->oracle, "kernel.words");
    for (size_t i = 0; i < head->sweep_count; i++)
        if (head->sweeps[i].role == CFG_WORKGROUP && (outside || head->sweeps[i].spec_id == 0))
            return true;
    return complain(p, "the head lacks 'sweep workgroup 0 ...'", "");
}

// ---- lines

// Appends a line to the value, after a space.
static void extend_value(struct parser *p, const char *s, size_t length)
{
    while (length && strchr(" \t\r", s[length - 1]))
        length--;
    char *end = p->value + strlen(p->value);
    if (end > p->value && length)
        *end++ = ' ';
    memcpy(end, s, length);
    end[length] = '\0';
    p->room = end + length + 1;
}

// A line of the head, starting after the semicolon and blanks.
static bool read_line(struct parser *p, const char *s, size_t length, bool continues,
                      unsigned number)
{
    size_t word = 0;
    if (!continues) {
        if (!apply(p))
            return false;
        while (word < length && s[word] != ' ' && s[word] != '\t')
            word++;
        p->line = number;
        p->keyword = keep(p, s, word);
        p->value = keep(p, "", 0);
        while (word < length && (s[word] == ' ' || s[word] == '\t'))
            word++;
    }
    extend_value(p, s + word, length - word);
    return true;
}

bool cat_head_parse(const char *source, size_t size, struct cat_head *head, struct lit_error *error)
{
    *head = (struct cat_head){0};
    // Each character is stored as part of a keyword or value, and again as part of a word; words
    // and values have a terminator.
    head->text = lit_alloc(size + 16, 6);
    struct parser p = {.head = head, .error = error, .room = head->text};
    unsigned number = 0;
    bool inside = false;
    for (const char *line = source, *next; line < source + size; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(source + size - line));
        const size_t length = (size_t)((newline ? newline : source + size) - line);
        next = line + length + (newline ? 1 : 0);
        number++;
        if (memchr(line, '\0', length)) {
            p.line = number;
            return complain(&p, "not a text file", "");
        }
        inside = inside || (length >= 9 && !strncmp(line, "; litmus ", 9));
        if (!inside)
            continue;
        size_t indent = 1;
        while (indent < length && (line[indent] == ' ' || line[indent] == '\t'))
            indent++;
        const bool continues = indent > 8, blank = indent >= length;
        const bool last = p.keyword && !strcmp(p.keyword, "oracle");
        if (!length || *line != ';' || (last && (blank || !continues)))
            break;
        if (!blank && !read_line(&p, line + indent, length - indent, continues, number))
            return false;
    }
    if (!apply(&p))
        return false;
    p.line = number;
    return check_whole(&p);
}

void cat_head_clear(struct cat_head *head)
{
    free(head->text);
    *head = (struct cat_head){0};
}

bool cat_condition_holds(const struct cat_condition *condition, const uint8_t *axis,
                         const uint8_t *sweep)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct cat_term *term = &condition->terms[i];
        if ((term->is_sweep && !sweep) || !cat_term_holds(term, axis, sweep))
            return false;
    }
    return true;
}

void cat_condition_words(const struct cat_head *head, const struct cat_condition *condition,
                         struct text *text)
{
    for (size_t t = 0; t < condition->count; t++) {
        const struct cat_term *term = &condition->terms[t];
        const struct cat_axis *axis = &(term->is_sweep ? head->sweeps : head->axes)[term->index];
        const char *separator = "";
        text_printf(text, " %s%s", axis->name, term->negated ? "!=" : "=");
        for (size_t v = 0; v < CAT_MAX_VALUES; v++)
            if (term->values >> v & 1) {
                text_printf(text, "%s%s", separator, axis->values[v]);
                separator = ",";
            }
    }
}
