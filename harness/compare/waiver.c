// SPDX-License-Identifier: Apache-2.0
// Reads waivers and deqp-runner's lists, and finds what they waive.
#include "base/file.h"
#include "compare/waiver.h"

#include <ctype.h>
#include <stdarg.h>

// The plain text that an expression needs to match. A match takes microseconds, and we try a list
// of ten thousand on every configuration: a search for plain text rules out nearly all.

// Skips a set like [^]a-z] that begins here; to the end of the text if nothing closes it.
static const char *skip_set(const char *set)
{
    const char *c = set + 1 + (set[1] == '^');
    c += *c == ']';
    while (*c && *c != ']') {
        // [:alpha:] and the like have their own brackets.
        const char mark = *c == '[' && c[1] && strchr(":.=", c[1]) ? c[1] : '\0';
        for (c += mark ? 2 : 1; mark && *c && !(c[-1] == mark && *c == ']');)
            c++;
        c += mark && *c;
    }
    return c + (*c != '\0');
}

// Skips a group that begins here.
static const char *skip_group(const char *group)
{
    int depth = 0;
    const char *c = group;
    do {
        depth += (*c == '(') - (*c == ')');
        if (*c == '[')
            c = skip_set(c);
        else
            c += 1 + (c[0] == '\\' && c[1]);
    } while (*c && depth > 0);
    return c;
}

struct needs {
    struct text all;    // as compare_regex_needs returns it
    size_t piece;       // where the current one begins in it
    size_t alternative; // where the current one begins in it
    bool open;          // an alternative needs nothing
};

static void end_piece(struct needs *needs)
{
    if (needs->all.length > needs->piece)
        text_append(&needs->all, "", 1);
    needs->piece = needs->all.length;
}

static void end_alternative(struct needs *needs)
{
    end_piece(needs);
    needs->open |= needs->all.length == needs->alternative;
    text_append(&needs->all, "", 1);
    needs->piece = needs->alternative = needs->all.length;
}

// Adds a character, unless the signs after it make it optional. Returns the end of these signs.
static const char *add_plain(struct needs *needs, char c, const char *signs)
{
    const size_t count = strspn(signs, "*?+");
    const size_t sure = strspn(signs, "+");
    if (sure == count && signs[count] != '{')
        text_append(&needs->all, &c, 1);
    if (count > 0 || *signs == '{')
        end_piece(needs);
    return signs + count;
}

char *compare_regex_needs(const char *regex)
{
    struct needs needs = {0};
    for (const char *c = regex; *c;) {
        if (*c == '|') {
            end_alternative(&needs);
            c++;
        } else if (*c == '(' || *c == '[') {
            end_piece(&needs);
            c = *c == '(' ? skip_group(c) : skip_set(c);
        } else if (*c == '\\' && ispunct((unsigned char)c[1]) && !strchr("<>`'", c[1])) {
            c = add_plain(&needs, c[1], c + 2);
        } else if (strchr(".*?+^$)]{}\\", *c)) {
            end_piece(&needs);
            c += 1 + (c[0] == '\\' && c[1]);
        } else {
            c = add_plain(&needs, *c, c + 1);
        }
    }
    end_alternative(&needs);
    text_append(&needs.all, "", 1);
    if (needs.open)
        memset(needs.all.data, 0, 2);
    return needs.all.data;
}

bool compare_regex_may_match(const char *needed, const char *name)
{
    for (bool first = true; first || *needed; first = false) {
        const char *at = name;
        while (*needed) {
            at = at ? strstr(at, needed) : NULL;
            at = at ? at + strlen(needed) : NULL;
            needed += strlen(needed) + 1;
        }
        if (at)
            return true;
        needed++;
    }
    return false;
}

// --- Lines of all lists

#define MOST_BYTES ((size_t)16 << 20)
#define MOST_LINE  4096
#define MOST_REGEX 1024
#define MOST_DEPTH 20 // of parentheses

struct place {
    const char *file;
    size_t line;
    struct lit_error *error;
};

__attribute__((format(__printf__, 2, 3))) static bool bad_line(const struct place *place,
                                                               const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return lit_fail(place->error, LIT_EXIT_USAGE, "%.200s:%zu: %s", place->file, place->line, text);
}

static struct compare_waiver *add(struct compare_waivers *waivers, enum compare_list list,
                                  const struct place *place, const char *pattern, size_t length)
{
    struct compare_waiver *waiver = &LIT_ADD(waivers->items, waivers->count);
    *waiver = (struct compare_waiver){.list = list,
                                      .file = lit_strdup(place->file),
                                      .line = place->line,
                                      .pattern = lit_alloc(length + 1, 1),
                                      .url = lit_strdup("")};
    memcpy(waiver->pattern, pattern, length);
    for (size_t i = 0; i < COMPARE_CONDITIONS; i++)
        waiver->only[i] = lit_strdup("");
    return waiver;
}

// Waivers

static bool is_url(const char *text)
{
    const char *rest = strncmp(text, "https://", 8) == 0  ? text + 8
                       : strncmp(text, "http://", 7) == 0 ? text + 7
                                                          : "";
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("\"<>\\^`{|}", *c))
            return false;
    return rest[0] && rest[0] != '/' && strcspn(rest, "/?#") > 0;
}

static bool is_id(const char *text)
{
    return strncmp(text, "0x", 2) == 0 && strlen(text) > 2 && strlen(text) <= 10 &&
           text[2 + strspn(text + 2, "0123456789abcdefABCDEF")] == '\0';
}

static bool is_name(const char *text)
{
    return text[0] != '\0';
}

// The length of a version, "25.0.7"; 0 if there is none.
static size_t version_length(const char *text)
{
    size_t length = strspn(text, "0123456789");
    while (length > 0 && text[length] == '.' && strspn(text + length + 1, "0123456789") > 0)
        length += 1 + strspn(text + length + 1, "0123456789");
    return length;
}

// Compares number by number, as far as the bound goes.
static int compare_versions(const char *version, const char *bound, size_t length)
{
    const char *end = bound + length;
    while (bound < end) {
        char *next;
        const unsigned long long theirs = strtoull(version, &next, 10);
        version = *next == '.' ? next + 1 : next;
        const unsigned long long ours = strtoull(bound, &next, 10);
        bound = next + 1;
        if (theirs != ours)
            return theirs < ours ? -1 : 1;
    }
    return 0;
}

static bool is_range(const char *text)
{
    const size_t low = version_length(text);
    const char *rest = text + low;
    if (strncmp(rest, "..", 2) != 0)
        return low > 0 && !*rest;
    const size_t high = version_length(rest + 2);
    OWNED(text_free) struct text least = {0};
    text_append(&least, text, low);
    return low + high > 0 && !rest[2 + high] &&
           (!low || compare_versions(least.data, rest + 2, high) <= 0);
}

static const struct {
    const char *name;
    bool (*is)(const char *value);
    const char *wanted;
} conditions[COMPARE_CONDITIONS] = {
    [COMPARE_FROM] = {"from", text_is_date, "a date: from=YYYY-MM-DD"},
    [COMPARE_UNTIL] = {"until", text_is_date, "a date: until=YYYY-MM-DD"},
    [COMPARE_VENDOR] = {"vendor", is_id, "a vendor's number: vendor=0x10de"},
    [COMPARE_DEVICE] = {"device", is_id, "a device's number: device=0x2330"},
    [COMPARE_DRIVER] = {"driver", is_name, "a driver's name: driver=llvmpipe"},
    [COMPARE_VERSION] = {"version", is_range, "a range of versions: version=25.0..25.2"},
};

static bool parse_condition(struct compare_waiver *waiver, const char *word,
                            const struct place *place)
{
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < COMPARE_CONDITIONS; i++) {
        if (!word[length] || strlen(conditions[i].name) != length ||
            strncmp(conditions[i].name, word, length) != 0)
            continue;
        const char *value = word + length + 1;
        if (waiver->only[i][0])
            return bad_line(place, "%s= is given twice", conditions[i].name);
        if (!conditions[i].is(value))
            return bad_line(place, "'%.40s' is not %s", value, conditions[i].wanted);
        free(waiver->only[i]);
        waiver->only[i] = lit_strdup(value);
        return true;
    }
    return bad_line(place, "unexpected '%.80s'; a comment begins with #", word);
}

// Takes the next word. Quotation marks protect blanks, and go. *open: the second mark is missing.
static char *next_word(char **rest, bool *open)
{
    char *word = *rest + strspn(*rest, " \t"), *at = word, *end = word;
    if (!*word || *word == '#')
        return NULL;
    for (*open = false; *at && (*open || !strchr(" \t", *at)); at++) {
        if (*at == '"')
            *open = !*open;
        else
            *end++ = *at;
    }
    *rest = at + (*at != '\0');
    *end = '\0';
    return word;
}

static bool parse_waiver(struct compare_waivers *waivers, char *line, const struct place *place)
{
    char *rest = line;
    bool open = false;
    const char *pattern = next_word(&rest, &open), *url = next_word(&rest, &open), *word;
    if (!url)
        return bad_line(place, "a waiver needs the URL of its bug after the pattern");
    if (strcmp(url, COMPARE_URL_PLACEHOLDER) == 0)
        return bad_line(place, "fill in the URL of the bug");
    if (!is_url(url))
        return bad_line(place, "'%.80s' is not a URL (https://...)", url);
    if (pattern[0] == '!')
        return bad_line(place, "! is not supported in a waiver");
    struct compare_waiver *waiver = add(waivers, COMPARE_WAIVERS, place, pattern, strlen(pattern));
    free(waiver->url);
    waiver->url = lit_strdup(url);
    waiver->waives = COMPARE_WAIVE_ALL;
    while ((word = next_word(&rest, &open)))
        if (open || !parse_condition(waiver, word, place))
            return open ? bad_line(place, "a quotation mark without its second") : false;
    const char *from = waiver->only[COMPARE_FROM], *until = waiver->only[COMPARE_UNTIL];
    if (from[0] && until[0] && strcmp(from, until) > 0)
        return bad_line(place, "it ends before it begins: from=%s until=%s", from, until);
    return true;
}

// deqp-runner's lists

static bool parse_fail(struct compare_waivers *waivers, char *line, const struct place *place)
{
    static const struct {
        const char *name;
        unsigned waives;
    } statuses[] = {
        {"Fail", COMPARE_WAIVE_RATE},
        {"ExpectedFail", COMPARE_WAIVE_RATE},
        {"Flake", COMPARE_WAIVE_RATE},
        {"KnownFlake", COMPARE_WAIVE_RATE},
        {"Crash", COMPARE_WAIVE_RATE | COMPARE_WAIVE_CRASH},
        {"Timeout", COMPARE_WAIVE_RATE | COMPARE_WAIVE_HANG},
        {"Skip", COMPARE_WAIVE_SKIP},
        {"Missing", COMPARE_WAIVE_OPEN},
        {"Pass", 0},
        {"Warn", 0},
        {"UnexpectedPass", 0},
        {"UnexpectedImprovement(Pass)", 0},
        {"UnexpectedImprovement(Skip)", 0},
        {"UnexpectedImprovement(Fail)", COMPARE_WAIVE_RATE},
        {"UnexpectedImprovement(Warn)", 0},
    };
    // A configuration's name contains commas.
    char *comma = strrchr(line, ',');
    if (!comma || comma == line)
        return bad_line(place, "expected TEST,STATUS");
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (strcmp(comma + 1, statuses[i].name) != 0)
            continue;
        struct compare_waiver *waiver =
            add(waivers, COMPARE_DEQP_FAILS, place, line, (size_t)(comma - line));
        cfg_runner_read(waiver->pattern);
        waiver->waives = statuses[i].waives;
        return true;
    }
    return bad_line(place, "unknown status '%.40s' (Fail, Crash, Timeout, Skip, Flake, ...)",
                    comma + 1);
}

// What POSIX's extended syntax lacks, or what has no bound on cost. NULL if it is fine.
static const char *check_regex(const char *text)
{
    int depth = 0, deepest = 0;
    bool set = false;
    if (strlen(text) > MOST_REGEX)
        return "too long";
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && (!c[1] || strchr("0123456789", c[1])))
            return "references are not supported";
        if (*c == '\\' && ((c[1] >= 'a' && c[1] <= 'z') || (c[1] >= 'A' && c[1] <= 'Z')))
            return "classes like \\d are not supported; write [0-9]";
        if (*c == '\\' && !set) {
            c++;
            continue;
        }
        if (set || *c == '[') {
            set = *c != ']' || c[-1] == '[' || (c[-1] == '^' && c[-2] == '[');
            continue;
        }
        depth += (*c == '(') - (*c == ')');
        deepest = depth > deepest ? depth : deepest;
        if (*c == '{')
            return "repetition by {} is not supported";
        if (*c == '?' && c > text && strchr("*+?", c[-1]) && (c - 1 == text || c[-2] != '\\'))
            return "lazy repetition is not supported";
        if (*c == '(' && c[1] == '?')
            return "groups with (? are not supported";
    }
    return deepest > MOST_DEPTH ? "too many parentheses" : NULL;
}

static bool parse_regex(struct compare_waivers *waivers, enum compare_list list, const char *line,
                        const struct place *place)
{
    const char *problem = check_regex(line);
    if (problem)
        return bad_line(place, "%s", problem);
    struct compare_waiver *waiver = add(waivers, list, place, line, strlen(line));
    waiver->waives = list == COMPARE_DEQP_SKIPS ? COMPARE_WAIVE_SKIP : COMPARE_WAIVE_RATE;
    waiver->needed = compare_regex_needs(line);
    waiver->regex = lit_alloc(1, sizeof *waiver->regex);
    int failed = regcomp(waiver->regex, line, REG_EXTENDED | REG_NOSUB);
    if (failed) {
        char text[128];
        regerror(failed, waiver->regex, text, sizeof text);
        free(waiver->regex);
        waiver->regex = NULL;
        return bad_line(place, "invalid regular expression: %s", text);
    }
    return true;
}

// Lines

static bool parse_line(struct compare_waivers *waivers, enum compare_list list, char *line,
                       const struct place *place)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    for (const char *c = line; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == '\x7f')
            return bad_line(place, "a control character");
    if (list == COMPARE_WAIVERS)
        return parse_waiver(waivers, line, place);
    if (list == COMPARE_DEQP_FAILS)
        return parse_fail(waivers, line, place);
    if (list == COMPARE_CASELIST)
        return add(waivers, list, place, line, strlen(line)) != NULL;
    return parse_regex(waivers, list, line, place);
}

bool compare_waivers_parse(struct compare_waivers *waivers, enum compare_list list,
                           const char *bytes, size_t length, const char *file,
                           struct lit_error *error)
{
    struct place place = {file, 0, error};
    size_t at = text_mark(bytes, length);
    while (at < length) {
        char line[MOST_LINE];
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - bytes) - at : length - at;
        place.line++;
        if (size >= sizeof line)
            return bad_line(&place, "the line is too long");
        if (memchr(bytes + at, '\0', size))
            return bad_line(&place, "not a text file");
        memcpy(line, bytes + at, size);
        line[size] = '\0';
        if (!parse_line(waivers, list, line, &place))
            return false;
        at += size + 1;
    }
    return true;
}

bool compare_waivers_read(struct compare_waivers *waivers, enum compare_list list,
                          const struct lit_list *files, struct lit_error *error)
{
    for (size_t i = 0; i < files->count; i++) {
        OWNED(text_free) struct text bytes = {0};
        const bool stream = strcmp(files->items[i], "-") == 0;
        if (!lit_file_read(stream ? "/dev/stdin" : files->items[i], MOST_BYTES, &bytes, error) ||
            !compare_waivers_parse(waivers, list, bytes.data, bytes.length,
                                   stream ? "standard input" : files->items[i], error))
            return false;
    }
    return true;
}

void compare_waivers_clear(struct compare_waivers *waivers)
{
    for (size_t i = 0; i < waivers->count; i++) {
        struct compare_waiver *waiver = &waivers->items[i];
        free(waiver->file);
        free(waiver->pattern);
        free(waiver->url);
        for (size_t c = 0; c < COMPARE_CONDITIONS; c++)
            free(waiver->only[c]);
        if (waiver->regex)
            regfree(waiver->regex);
        free(waiver->regex);
        free(waiver->needed);
    }
    free(waivers->items);
    *waivers = (struct compare_waivers){0};
}

// What they waive

static bool matches(const struct compare_waiver *waiver, const char *name)
{
    return compare_regex_may_match(waiver->needed, name) &&
           regexec(waiver->regex, name, 0, NULL, 0) == 0;
}

bool compare_waiver_names(const struct compare_waiver *waiver, const char *name, const char *runner)
{
    const char *pattern = waiver->pattern;
    if (waiver->regex)
        return matches(waiver, name) || matches(waiver, runner);
    if (waiver->list == COMPARE_WAIVERS)
        return cfg_matches(pattern, name);
    const size_t length = strlen(pattern);
    return strcmp(pattern, name) == 0 ||
           (strncmp(pattern, name, length) == 0 &&
            (length == cfg_bare_length(name) || length == cfg_test_length(name)));
}

static bool is_within(const char *version, const char *range)
{
    const size_t low = version_length(range);
    const char *high = range[low] ? range + low + 2 : range;
    return compare_versions(version, range, low) >= 0 &&
           compare_versions(version, high, strlen(high)) <= 0;
}

static bool is_for(const struct compare_waiver *waiver, const struct dev_facts *facts)
{
    char *const *only = waiver->only;
    const char *driver = only[COMPARE_DRIVER];
    return (!only[COMPARE_VENDOR][0] || strtoul(only[COMPARE_VENDOR], NULL, 16) == facts->vendor) &&
           (!only[COMPARE_DEVICE][0] ||
            strtoul(only[COMPARE_DEVICE], NULL, 16) == facts->product) &&
           (!driver[0] || text_glob(driver, facts->driver_name) ||
            text_glob(driver, facts->driver_info)) &&
           (!only[COMPARE_VERSION][0] || is_within(facts->driver_version, only[COMPARE_VERSION]));
}

static void begin(struct compare_waiver *waiver, const char *today,
                  const struct dev_facts *const *devices, size_t device_count)
{
    const char *from = waiver->only[COMPARE_FROM], *until = waiver->only[COMPARE_UNTIL];
    waiver->matched = waiver->used = waiver->passing = 0;
    waiver->expired = until[0] && strcmp(until, today) < 0;
    waiver->early = from[0] && strcmp(from, today) > 0;
    waiver->foreign = true;
    for (size_t i = 0; i < device_count; i++)
        waiver->foreign = waiver->foreign && !is_for(waiver, devices[i]);
}

// The bits that a waiver needs for B's outcome.
static unsigned fault_of_result(const struct compare_entry *entry)
{
    enum eng_result broken = compare_entry_broken(entry);
    if (broken == ENG_HANG)
        return COMPARE_WAIVE_HANG;
    if (broken || entry->b->result == ENG_HARNESS_ERROR)
        return COMPARE_WAIVE_CRASH;
    return COMPARE_WAIVE_RATE;
}

// The bits that a waiver needs for an entry; 0 if there is nothing to waive.
static unsigned fault_of(const struct compare_entry *entry, const struct compare_policy *policy)
{
    static const unsigned waives[COMPARE_WHYS] = {
        [COMPARE_WAITS] = COMPARE_WAIVE_HANG,        [COMPARE_NO_ANSWER] = COMPARE_WAIVE_HANG,
        [COMPARE_NEW_SKIP] = COMPARE_WAIVE_SKIP,     [COMPARE_OTHER_CODE] = COMPARE_WAIVE_OPEN,
        [COMPARE_OTHER_STRESS] = COMPARE_WAIVE_OPEN, [COMPARE_OTHER_CLASS] = COMPARE_WAIVE_OPEN,
        [COMPARE_RATE] = COMPARE_WAIVE_RATE,         [COMPARE_FIRST_SEEN] = COMPARE_WAIVE_RATE,
        [COMPARE_TOO_FEW] = COMPARE_WAIVE_RATE,      [COMPARE_SAME] = COMPARE_WAIVE_RATE};
    if (entry->verdict != COMPARE_REGRESSION && !compare_is_open(entry, policy))
        return 0;
    if (compare_is_new_and_wrong(entry) || compare_is_not_measured(entry))
        return fault_of_result(entry);
    return waives[entry->why] ? waives[entry->why]
           : entry->b         ? fault_of_result(entry)
                              : COMPARE_WAIVE_OPEN;
}

// Listed as failing, but all runs in B were right.
static bool is_passing(const struct compare_waiver *waiver, const struct compare_entry *entry)
{
    return waiver->list == COMPARE_DEQP_FAILS && waiver->waives & COMPARE_WAIVE_RATE && entry->b &&
           entry->b->result == ENG_PASS;
}

void compare_waivers_apply(struct compare_waivers *waivers, struct compare_entry *entries,
                           size_t count, const struct compare_policy *policy, const char *today,
                           const struct dev_facts *const *devices, size_t device_count)
{
    for (size_t w = 0; w < waivers->count; w++)
        begin(&waivers->items[w], today, devices, device_count);
    for (size_t i = 0; i < count; i++) {
        struct compare_entry *entry = &entries[i];
        const char *name = compare_entry_result(entry)->name;
        unsigned fault = fault_of(entry, policy);
        OWNED(text_free) struct text runner = {0};
        cfg_runner_name(name, &runner);
        entry->waiver = 0;
        for (size_t w = 0; w < waivers->count; w++) {
            struct compare_waiver *waiver = &waivers->items[w];
            if (!compare_waiver_names(waiver, name, runner.data) ||
                !is_for(waiver, devices[entry->pair]))
                continue;
            waiver->matched++;
            waiver->passing += is_passing(waiver, entry);
            if (!fault || (waiver->waives & fault) != fault)
                continue;
            waiver->used++;
            if (!waiver->expired && !waiver->early && !entry->waiver)
                entry->waiver = w + 1;
        }
    }
}

// There should be a bug for what was seen; anything else needs more runs.
static bool wants_waiver(const struct compare_entry *entry, const struct compare_policy *policy)
{
    return !entry->waiver && compare_can_gate(entry, policy) &&
           (entry->verdict == COMPARE_REGRESSION || entry->why == COMPARE_FIRST_SEEN ||
            compare_is_new_and_wrong(entry));
}

void compare_waivers_write(const struct compare_entry *entries, size_t count,
                           const struct compare_policy *policy, struct text *out)
{
    OWNED(lit_free) const char **names = lit_alloc(count + 1, sizeof *names);
    size_t written = 0;
    for (size_t i = 0; i < count; i++)
        if (wants_waiver(&entries[i], policy))
            names[written++] = compare_entry_result(&entries[i])->name;
    text_sort(names, written, sizeof *names);
    for (size_t i = 0; i < written; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            text_printf(out, "%s " COMPARE_URL_PLACEHOLDER "\n", names[i]);
}
