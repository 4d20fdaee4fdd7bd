// SPDX-License-Identifier: Apache-2.0
// Text helpers.
#include "base/text.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int failure_code; // 0: the error's, after the usual clean-up

void lit_failure_code(int code)
{
    failure_code = code;
}

void lit_give_up(const char *line)
{
    // One thread prints; others that fail at the same time wait for the exit.
    static pthread_mutex_t leaving = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&leaving);
    fprintf(stderr, "litmus: %s\n", line);
    if (failure_code)
        _exit(failure_code);
    exit(LIT_EXIT_USAGE);
}

void *lit_have(void *memory)
{
    if (!memory)
        lit_give_up("out of memory");
    return memory;
}

#define COLUMNS 100

size_t text_break(const char *text, size_t room)
{
    size_t good = 0, poor = 0, width = 0, i = 0;
    for (; text[i]; i++) {
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (width > room && (good || poor))
            return good ? good : poor;
        if (strchr(" ,@/", text[i]))
            good = i + 1;
        else if (strchr("=-", text[i]))
            poor = i + 1;
    }
    return width > room && good + poor ? (good ? good : poor) : i;
}

void text_paragraph(struct text *text, const char *label, const char *value)
{
    size_t indent = strlen(label), column = indent;
    if (!value || !value[0])
        return;
    text_puts(text, label);
    while (*value) {
        size_t blanks = strspn(value, " \n"), length = strcspn(value + blanks, " \n");
        if (length == 0)
            break;
        bool first = column == indent;
        // A name too long for a line continues on the next.
        if (length > COLUMNS - indent) {
            OWNED(lit_free) char *word = lit_strdup(value + blanks);
            word[length] = '\0';
            length = text_break(word, COLUMNS - indent);
        }
        if (!first && column + 1 + length > COLUMNS) {
            text_printf(text, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        if (!first)
            text_puts(text, " ");
        text_append(text, value + blanks, length);
        column += length + !first;
        value += blanks + length;
    }
    text_puts(text, "\n");
}

void *lit_alloc(size_t count, size_t size)
{
    return lit_have(calloc(count ? count : 1, size ? size : 1));
}

void *lit_realloc(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return lit_have(NULL);
    size_t bytes = count * size;
    return lit_have(realloc(old, bytes ? bytes : 1));
}

void *lit_grow(void *items, size_t count, size_t size)
{
    // Capacity is exhausted when the count is a power of two; double it then.
    return count & (count - 1) ? items : lit_realloc(items, count ? count * 2 : 1, size);
}

void lit_free(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

char *lit_strdup(const char *string)
{
    return lit_have(strdup(string));
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

void text_append(struct text *text, const char *bytes, size_t length)
{
    // Capacity is the next power of two above the length, so it need not be stored.
    size_t needed = text->length + length + 1;
    size_t have = 0;
    if (text->data)
        for (have = 64; have < text->length + 1;)
            have *= 2;
    if (needed > have) {
        size_t size = 64;
        while (size < needed)
            size *= 2;
        text->data = lit_realloc(text->data, size, 1);
    }
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_puts(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

// A pipe, a device and a socket may keep a reader waiting for ever.
static FILE *open_reading(const char *path)
{
    struct stat what;
    if (stat(path, &what) != 0 || S_ISREG(what.st_mode))
        return fopen(path, "rbe");
    const int own = lit_file_open_own(path);
    errno = TEXT_NO_FILE;
    return own < 0 ? NULL : fdopen(own, "rb");
}

bool text_read(struct text *text, const char *path, size_t most)
{
    char block[65536];
    const size_t before = text->length, end = before + most + 1;
    FILE *file = open_reading(path);
    if (!file)
        return false;
    size_t got = 1;
    while (got > 0 && text->length < end) {
        const size_t room = end - text->length;
        got = fread(block, 1, room < sizeof block ? room : sizeof block, file);
        text_append(text, block, got);
    }
    const bool good = !ferror(file);
    const int reason = errno;
    fclose(file);
    if (!good && before)
        text->data[text->length = before] = 0;
    else if (!good)
        text_free(text);
    errno = reason;
    return good;
}

size_t text_mark(const char *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static void print(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    char small[512];
    int length = vsnprintf(small, sizeof small, format, arguments);
    if (length < 0)
        lit_have(NULL);
    if ((size_t)length < sizeof small) {
        text_append(text, small, (size_t)length);
    } else {
        OWNED(lit_free) char *large = lit_alloc((size_t)length + 1, 1);
        vsnprintf(large, (size_t)length + 1, format, again);
        text_append(text, large, (size_t)length);
    }
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(text, format, arguments);
    va_end(arguments);
}

struct text text_format(const char *format, ...)
{
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    print(&text, format, arguments);
    va_end(arguments);
    return text;
}

// The length of the UTF-8 sequence at `s`; 0 if invalid (overlong, surrogate, out of range,
// truncated).
static size_t utf8_length(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *s < 0x80             ? 1
                    : (*s & 0xe0) == 0xc0 ? 2
                    : (*s & 0xf0) == 0xe0 ? 3
                    : (*s & 0xf8) == 0xf0 ? 4
                                          : 0;
    if (length < 2)
        return length;
    uint32_t code = *s & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    bool bad = code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    return bad ? 0 : length;
}

bool text_is_utf8(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    for (size_t length; *s; s += length)
        if (!(length = utf8_length(s)))
            return false;
    return true;
}

// C1 controls, and marks that reorder or hide text, are as dangerous on a terminal as C0 controls.
static bool utf8_is_control(const unsigned char *s, size_t length)
{
    if (length == 1)
        return *s < 0x20 || *s == 0x7f;
    if (length == 2)
        return s[0] == 0xc2 && s[1] < 0xa0;
    if (length == 3 && s[0] == 0xe2)
        return (s[1] == 0x80 &&
                ((s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
               (s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf);
    return length == 3 && s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf;
}

bool text_has_control(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    while (*s) {
        const size_t length = utf8_length(s);
        if (utf8_is_control(s, length))
            return true;
        s += length ? length : 1;
    }
    return false;
}

// Whether GitHub would treat this as a command: ::command:: at the beginning of a line or after
// white space there, including non-ASCII white space; and ##[command] anywhere. `before` is the
// preceding byte, '\n' at the beginning.
static bool is_command(const char *s, char before)
{
    return (strncmp(s, "::", 2) == 0 && (before <= ' ' || before > '~')) ||
           strncmp(s, "##[", 3) == 0 || strncmp(s, "##vso[", 6) == 0;
}

// An ASCII character that is safe in any position and begins no command.
static bool is_plain(unsigned char c)
{
    return c >= ' ' && c <= '~' && c != ':' && c != '#';
}

static void sanitise(char *target, size_t size, const char *source, bool lines)
{
    if (!size)
        return;
    const unsigned char *s = (const unsigned char *)source;
    size_t used = 0;
    while (*s && used + 1 < size) {
        if (is_plain(*s)) {
            target[used++] = (char)*s++;
            continue;
        }
        size_t length = utf8_length(s);
        if (is_command((const char *)s, used ? target[used - 1] : '\n')) {
            target[used++] = '?';
            s++;
        } else if (length && !utf8_is_control(s, length)) {
            if (used + length >= size)
                break;
            memcpy(target + used, s, length);
            used += length;
            s += length;
        } else {
            target[used++] = !lines || !strchr("\n\t", *s) ? '?' : *s == '\n' ? '\n' : ' ';
            s += length ? length : 1;
        }
    }
    target[used] = '\0';
}

void text_sanitise(char *target, size_t size, const char *source)
{
    sanitise(target, size, source, false);
}

void text_sanitise_lines(char *target, size_t size, const char *source)
{
    sanitise(target, size, source, true);
}

bool text_glob(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

unsigned text_distance(const char *a, const char *b)
{
    size_t columns = strnlen(b, 255);
    unsigned row[256];
    for (size_t j = 0; j <= columns; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < 255 && a[i]; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i + 1;
        for (size_t j = 1; j <= columns; j++) {
            unsigned change = diagonal + (a[i] != b[j - 1]);
            unsigned gap = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = change < gap ? change : gap;
        }
    }
    return row[columns];
}

// Whether a text round-trips through the calendar.
static bool is_form(const char *text, const char *format)
{
    struct tm time = {0};
    char again[32] = "";
    if (!strptime(text, format, &time))
        return false;
    const bool leap = time.tm_sec == 60; // the calendar here has no leap seconds
    time.tm_sec -= leap;
    timegm(&time);
    time.tm_sec += leap;
    strftime(again, sizeof again, format, &time);
    return strcmp(text, again) == 0;
}

bool text_is_date(const char *text)
{
    return is_form(text, "%Y-%m-%d");
}

bool text_is_time(const char *text)
{
    return is_form(text, "%Y-%m-%dT%H:%M:%SZ");
}

bool text_is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

void text_suggest(struct text *text, const char *word,
                  const char *(*name_at)(size_t index, void *user), void *user)
{
    const char *name, *best = NULL;
    unsigned least = ~0u;
    size_t length = strlen(word);
    for (size_t i = 0; (name = name_at(i, user)); i++) {
        unsigned distance = text_distance(word, name);
        if (length >= 3 && strncmp(word, name, length) == 0)
            distance = 0;
        if (distance < least) {
            least = distance;
            best = name;
        }
    }
    if (best && least <= 2 + length / 4)
        text_printf(text, ", did you mean '%s'?", best);
}

char *text_count(char target[32], uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = target;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return target;
}

void text_quote(struct text *text, const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "-_=.,/:@%+";
    if (word[0] && word[strspn(word, safe)] == '\0') {
        text_puts(text, word);
        return;
    }
    text_puts(text, "'");
    for (; *word; word++)
        text_printf(text, *word == '\'' ? "'\\''" : "%c", *word);
    text_puts(text, "'");
}

static int compare_first(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

void text_sort(void *list, size_t count, size_t size)
{
    if (count > 0)
        qsort(list, count, size, compare_first);
}

void lit_keep(void *memory)
{
    static struct kept {
        struct kept *next;
        void *memory;
    } * all;
    struct kept *one = lit_alloc(1, sizeof *one);
    *one = (struct kept){all, memory};
    all = one;
}

void lit_list_add(struct lit_list *list, char *item)
{
    if ((list->count & (list->count + 1)) == 0) { // 0, 1, 3, 7 items: its room is used up
        const char **more = lit_alloc(2 * list->count + 1, sizeof *more);
        if (list->count)
            memcpy(more, list->items, list->count * sizeof *more);
        lit_keep(more);
        list->items = more;
    }
    lit_keep(item);
    list->items[list->count++] = item;
}
