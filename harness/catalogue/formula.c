// SPDX-License-Identifier: Apache-2.0
// A recursive-descent parser for formulas. The input is untrusted: nodes are limited by their
// array, recursion by CAT_FORMULA_DEPTH, and errors quote the text from where it is invalid.
#include "catalogue/formula.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-"
#define NONE            (-1) // no node: the error has been reported
#define INSIDE_TEXT     4    // lowest binding of operators inside a text: a | ends the formula
#define COUNT(array)    (sizeof(array) / sizeof *(array))

#define NAME(id, name, asks, number)     {name, CAT_ASKS_##asks},
#define OPERATOR(id, sign, binds, value) {sign, binds},
static const struct {
    const char *name;
    unsigned asks;
} names[] = {CAT_NAMES_OF_FORMULAS(NAME)};
static const struct {
    const char *sign;
    int binds;
} operators[] = {CAT_OPERATORS(OPERATOR)};

struct parser {
    const char *at;
    const struct cat_head *head;
    unsigned asks, depth;
    bool folding;
    struct cat_formula *formula;
    struct lit_error *error;
};

static int parse_choice(struct parser *p);

static int complain(const struct parser *p, const char *what, const char *at)
{
    lit_fail(p->error, LIT_EXIT_USAGE, "formula: %s%s%.40s%s", what, *at ? " '" : "", at,
             *at ? "'" : "");
    return NONE;
}

static int complain_here(const struct parser *p)
{
    return complain(p, *p->at ? "unexpected" : "unfinished", p->at);
}

// Unused operands are 0. NONE if an operand is NONE.
static int add(struct parser *p, enum cat_node_kind kind, uint32_t number, int a, int b, int c)
{
    struct cat_formula *formula = p->formula;
    if (a == NONE || b == NONE || c == NONE)
        return NONE;
    if (formula->count == CAT_FORMULA_NODES)
        return complain(p, "too long", "");
    formula->nodes[formula->count] = (struct cat_node){
        .kind = kind, .number = number, .of = {(uint8_t)a, (uint8_t)b, (uint8_t)c}};
    return (int)formula->count++;
}

static bool take(struct parser *p, const char *sign)
{
    p->at += strspn(p->at, " \t");
    if (strncmp(p->at, sign, strlen(sign)) != 0)
        return false;
    p->at += strlen(sign);
    return true;
}

// Parses an expression and a closing bracket.
static int parse_until(struct parser *p, const char *bracket)
{
    const int inside = parse_choice(p);
    return inside == NONE || take(p, bracket) ? inside : complain_here(p);
}

static int parse_number(struct parser *p)
{
    char *end;
    const unsigned long long number = strtoull(p->at, &end, strncmp(p->at, "0x", 2) == 0 ? 16 : 10);
    if (number > UINT32_MAX)
        return complain(p, "more than 32 bits:", p->at);
    p->at = end;
    return add(p, CAT_NODE_NUMBER, (uint32_t)number, 0, 0, 0);
}

// axis=value,value or parameter!=value, without blanks, as in the head's conditions. `length` is
// the length of the name, which the head has.
static int parse_term(struct parser *p, size_t length)
{
    struct cat_term term;
    char word[128];
    const char *what = NULL;
    length += strspn(p->at + length, NAME_CHARACTERS ",!=");
    if (length >= sizeof word)
        return complain(p, "too long a condition:", p->at);
    snprintf(word, sizeof word, "%.*s", (int)length, p->at);
    if (!cat_term_parse(p->head, word, &term, &what))
        return complain(p, what, word);
    p->at += length;
    const int node = add(p, CAT_NODE_TERM, 0, 0, 0, 0);
    if (node != NONE)
        p->formula->nodes[node].term = term;
    return node;
}

// add(...) and so on, after the opening parenthesis.
static int parse_fold(struct parser *p, uint32_t fold)
{
    if (p->folding || !(p->asks & CAT_ASKS_INPUT))
        return complain(p, p->folding ? "one within another:" : "not here:", p->at);
    p->folding = true;
    const int body = parse_until(p, ")");
    p->folding = false;
    return add(p, CAT_NODE_FOLD, fold, body, 0, 0);
}

// A name and opening bracket, already consumed. *known: whether a function has this name.
static int parse_call(struct parser *p, const char *name, size_t length, bool *known)
{
    // In the order of enum oracle_operation; then other functions.
    static const char *const calls[] = {"and(", "xor(",   "or(",     "add(", "mul(",   "min(",
                                        "max(", "steps(", "random(", "in[",  "input[", "file["};
    enum { FOLDS = 7, STEPS = FOLDS, RANDOM, IN, INPUT, FILE_OF_WORDS };
    static const enum cat_node_kind kinds[] = {[RANDOM] = CAT_NODE_DRAW,
                                               [IN] = CAT_NODE_IN,
                                               [INPUT] = CAT_NODE_INPUT,
                                               [FILE_OF_WORDS] = CAT_NODE_FILE};
    uint32_t call = 0;
    while (call < COUNT(calls) && strncmp(calls[call], name, length) != 0)
        call++;
    *known = call <= STEPS || (call == RANDOM && p->asks & CAT_ASKS_RANDOM) ||
             ((call == IN || call == INPUT) && p->asks & CAT_ASKS_INPUT) ||
             (call == FILE_OF_WORDS && p->head && p->head->file);
    if (!*known || call < FOLDS)
        return *known ? parse_fold(p, call) : NONE;
    if (call == STEPS) {
        const int count = parse_until(p, ",");
        return add(p, CAT_NODE_STEPS, 0, count, count == NONE ? NONE : parse_until(p, ")"), 0);
    }
    const int of = parse_until(p, call == RANDOM ? ")" : "]");
    return add(p, kinds[call], 0, of, 0, 0);
}

static bool has_numbers(const struct cat_axis *axis)
{
    bool numbers = true;
    for (size_t i = 0; i < axis->count; i++)
        numbers = numbers && !axis->values[i][strspn(axis->values[i], "0123456789")];
    return numbers;
}

// A name of `length` bytes at p->at. *known: whether it is defined.
static int parse_known(struct parser *p, size_t length, bool *known)
{
    const struct cat_head none = {0}, *head = p->head ? p->head : &none;
    const char *name = p->at, *behind = name + length, *value = behind + (*behind == '!');
    const struct cat_axis *axis = cat_axis_find(head->axes, head->axis_count, name, length);
    const struct cat_axis *sweep = cat_axis_find(head->sweeps, head->sweep_count, name, length);
    uint32_t fixed = 0;
    while (fixed < CAT_NAMES &&
           (strlen(names[fixed].name) != length || strncmp(names[fixed].name, name, length) != 0))
        fixed++;
    *known = axis || sweep || fixed < CAT_NAMES;
    if ((axis || sweep) && *value == '=' && value[1] && strchr(NAME_CHARACTERS, value[1]))
        return parse_term(p, length);
    if (fixed == CAT_NAME_OTHER ? !p->folding : fixed < CAT_NAMES && !(names[fixed].asks & p->asks))
        return complain(p, "not here:", name);
    if (axis && fixed == CAT_NAMES && !has_numbers(axis))
        return complain(p, "its values are no numbers:", name);
    p->at += *known ? length : 0;
    if (fixed < CAT_NAMES)
        return add(p, CAT_NODE_NAME, fixed, 0, 0, 0);
    if (sweep)
        return add(p, CAT_NODE_PARAMETER, (uint32_t)(sweep - head->sweeps), 0, 0, 0);
    return axis ? add(p, CAT_NODE_AXIS, (uint32_t)(axis - head->axes), 0, 0, 0) : NONE;
}

static int parse_name(struct parser *p)
{
    const char *name = p->at;
    const size_t whole = strspn(name, NAME_CHARACTERS);
    bool known = false;
    int node = NONE;
    if (name[whole] == '(' || name[whole] == '[') {
        p->at += whole + 1;
        node = parse_call(p, name, whole + 1, &known);
        p->at = known ? p->at : name;
    }
    // '-' may be part of a name or a subtraction: try the longest name first.
    for (size_t length = whole; length > 0 && !known; length--)
        if (length == whole || name[length] == '-')
            node = parse_known(p, length, &known);
    return known ? node : complain_here(p);
}

static int parse_operand(struct parser *p)
{
    static const char signs[] = "!~-";
    int node;
    if (p->depth == CAT_FORMULA_DEPTH)
        return complain(p, "too deep", "");
    p->depth++;
    if (take(p, "("))
        node = parse_until(p, ")");
    else if (*p->at && strchr(signs, *p->at)) {
        const enum cat_node_kind kind = CAT_NODE_NOT + (unsigned)(strchr(signs, *p->at++) - signs);
        node = add(p, kind, 0, parse_operand(p), 0, 0);
    } else
        node = *p->at >= '0' && *p->at <= '9' ? parse_number(p) : parse_name(p);
    p->depth--;
    return node;
}

// Operands joined by operators of at least this binding strength.
static int parse_operators(struct parser *p, int least)
{
    int node = parse_operand(p);
    while (node != NONE) {
        const char *start = p->at;
        size_t i = 0;
        while (i < COUNT(operators) && !take(p, operators[i].sign))
            i++;
        if (i == COUNT(operators) || operators[i].binds < least) {
            p->at = start + strspn(start, " \t");
            break;
        }
        const int right = parse_operators(p, operators[i].binds + 1);
        node = add(p, CAT_NODE_EITHER + (unsigned)i, 0, node, right, 0);
    }
    return node;
}

static int parse_choice(struct parser *p)
{
    if (p->depth == CAT_FORMULA_DEPTH)
        return complain(p, "too deep", "");
    p->depth++;
    int node = parse_operators(p, 1);
    if (node != NONE && take(p, "?")) {
        const int yes = parse_until(p, ":");
        node = add(p, CAT_NODE_CHOICE, 0, node, yes, yes == NONE ? NONE : parse_choice(p));
    }
    p->depth--;
    return node;
}

bool cat_formula_parse(const char *text, const struct cat_head *head, unsigned asks,
                       struct cat_formula *formula, struct lit_error *error)
{
    struct parser p = {text, head, asks, 0, false, formula, error};
    formula->count = 0;
    return parse_choice(&p) != NONE && (take(&p, "") && (!*p.at || complain_here(&p) != NONE));
}

bool cat_formula_parse_inside(const char **text, const struct cat_head *head,
                              struct cat_formula *formula, struct lit_error *error)
{
    const unsigned asks = CAT_ASKS_ALL & ~(CAT_ASKS_INPUT | CAT_ASKS_RANDOM);
    struct parser p = {*text, head, asks, 0, false, formula, error};
    formula->count = 0;
    const bool good = parse_operators(&p, INSIDE_TEXT) != NONE;
    *text = p.at;
    return good && ((*p.at && strchr("|}", *p.at)) || complain_here(&p) != NONE);
}
