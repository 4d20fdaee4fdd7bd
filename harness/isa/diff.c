// SPDX-License-Identifier: Apache-2.0
// The longest common subsequence of two listings, and its description.
#include "isa/study.h"

#define MOST_CELLS ((size_t)24 << 20) // of the table: longer listings are not aligned
#define KEY_MAX    128                // significant bytes of a line
#define NAMES_SAID 6                  // at most, of one kind

// --- Line equality: each line's key, as a number

typedef char isa_key[KEY_MAX];

static const char *skip_number(const char *text)
{
    text += strspn(text, " ");
    const size_t digits = strspn(text, "0123456789");
    if (digits && text[digits] == ' ')
        text += digits + strspn(text + digits, " ");
    return text;
}

// Normalises a line of text: drops indentation, line number, comments after assembly instructions,
// and the numbers of values and blocks, which shift with each added line.
static void plain_line(const char *text, struct text *plain)
{
    static const char *const counted[] = {"%", "ssa_", "block_", "BB"};
    const char *end = strstr(text, " ; ");
    text = skip_number(text);
    if (!end || end < text)
        end = text + strlen(text);
    while (end > text && end[-1] == ' ')
        end--;
    while (text < end) {
        size_t length = 1;
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
            if (strncmp(text, counted[i], strlen(counted[i])) == 0)
                length = strlen(counted[i]);
        const bool is_counted = length > 1 || *text == '%';
        text_append(plain, text, length);
        text += length;
        const size_t digits = strspn(text, "0123456789");
        if (is_counted && digits) {
            text_puts(plain, "#");
            text += digits;
        }
    }
}

// Normalises an instruction: drops the branch target, since moved code is no difference, and
// ".reuse", which only concerns operand fetch.
static void plain_sass(const struct isa_listing *listing, size_t line, struct text *plain)
{
    static const char reuse[] = ".reuse";
    const char *text = listing->lines[line].text;
    const char *target = strstr(text, "0x");
    const char *end = text + strlen(text);
    if (listing->sass.insns[line].target != SASS_NOWHERE && target)
        end = target;
    while (text < end) {
        const char *next = strstr(text, reuse);
        next = next && next < end ? next : end;
        text_append(plain, text, (size_t)(next - text));
        text = next < end ? next + strlen(reuse) : end;
    }
}

static void text_of(const struct isa_listing *listing, size_t line, isa_key key)
{
    OWNED(text_free) struct text plain = {0};
    if (line < listing->sass.count)
        plain_sass(listing, line, &plain);
    else
        plain_line(listing->lines[line].text, &plain);
    const char *text = plain.data ? plain.data : "";
    snprintf(key, KEY_MAX, "%s", text);
    if (plain.length >= KEY_MAX) {
        // The end of a long line counts as much as its start.
        const uint64_t hash = hash_bytes(HASH_START, text, plain.length);
        snprintf(key, KEY_MAX, "%.*s %016" PRIx64, KEY_MAX - 18, text, hash);
    }
}

// The instruction without guard and operands: "LDG.E.STRONG.SM". For text: the first word, or the
// first after an assignment; "block" for a block's name.
static void name_of(const struct isa_listing *listing, size_t line, isa_key key)
{
    const char *text = listing->lines[line].text;
    if (listing->sass.count == 0) {
        const char *assigned = strstr(text, " = ");
        text = assigned ? assigned + 3 : skip_number(text);
        text += strspn(text, " ");
    } else if (*text == '@') {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    const size_t length = strcspn(text, " ,(");
    if (length && text[length - 1] == ':')
        snprintf(key, KEY_MAX, "block");
    else
        snprintf(key, KEY_MAX, "%.*s", (int)length, text);
}

typedef void key_of(const struct isa_listing *listing, size_t line, isa_key key);

// Both listings' lines as numbers that are equal if and only if the keys are.
struct keys {
    isa_key *names; // sorted, without duplicates
    size_t count;
    uint32_t *left, *right;
    size_t left_count, right_count;
};

static int compare_keys(const void *a, const void *b)
{
    return strcmp(a, b);
}

static uint32_t *number(const struct keys *keys, const struct isa_listing *listing, key_of *of)
{
    uint32_t *numbers = lit_alloc(listing->count + 1, sizeof *numbers);
    isa_key key;
    for (size_t i = 0; i < listing->count; i++) {
        of(listing, i, key);
        isa_key *found = bsearch(&key, keys->names, keys->count, sizeof *keys->names, compare_keys);
        numbers[i] = (uint32_t)(found - keys->names);
    }
    return numbers;
}

static void make_keys(struct keys *keys, const struct isa_listing *left,
                      const struct isa_listing *right, key_of *of)
{
    const size_t all = left->count + right->count;
    *keys = (struct keys){.names = lit_alloc(all + 1, sizeof *keys->names),
                          .left_count = left->count,
                          .right_count = right->count};
    for (size_t i = 0; i < all; i++)
        of(i < left->count ? left : right, i < left->count ? i : i - left->count, keys->names[i]);
    qsort(keys->names, all, sizeof *keys->names, compare_keys);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || strcmp(keys->names[i], keys->names[keys->count - 1]) != 0) {
            memmove(keys->names[keys->count], keys->names[i], sizeof *keys->names);
            keys->count++;
        }
    keys->left = number(keys, left, of);
    keys->right = number(keys, right, of);
}

static void clear_keys(struct keys *keys)
{
    free(keys->names);
    free(keys->left);
    free(keys->right);
}

// --- Alignment

struct table {
    uint16_t *cells; // longest common subsequence of the remainders of both
    size_t columns;
};

static uint16_t *cell(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->columns + column];
}

static void add_row(struct isa_diff *diff, size_t left, size_t right)
{
    diff->rows[diff->count++] = (struct isa_row){left, right};
    diff->dropped += right == SIZE_MAX;
    diff->added += left == SIZE_MAX;
}

struct span {
    size_t start, left_end, right_end; // range of differing lines
};

static struct span find_span(const struct keys *keys)
{
    struct span span = {0, keys->left_count, keys->right_count};
    while (span.start < span.left_end && span.start < span.right_end &&
           keys->left[span.start] == keys->right[span.start])
        span.start++;
    while (span.left_end > span.start && span.right_end > span.start &&
           keys->left[span.left_end - 1] == keys->right[span.right_end - 1]) {
        span.left_end--;
        span.right_end--;
    }
    return span;
}

static void fill(const struct table *table, const struct keys *keys, const struct span *span)
{
    const size_t rows = span->left_end - span->start, columns = span->right_end - span->start;
    for (size_t i = rows; i-- > 0;)
        for (size_t k = columns; k-- > 0;) {
            const uint16_t down = *cell(table, i + 1, k), aside = *cell(table, i, k + 1);
            *cell(table, i, k) = keys->left[span->start + i] == keys->right[span->start + k]
                                     ? (uint16_t)(*cell(table, i + 1, k + 1) + 1)
                                 : down > aside ? down
                                                : aside;
        }
}

static void align(const struct keys *keys, const struct span *span, struct isa_diff *diff)
{
    const size_t rows = span->left_end - span->start, columns = span->right_end - span->start;
    const struct table table = {lit_alloc((rows + 1) * (columns + 1), sizeof(uint16_t)),
                                columns + 1};
    fill(&table, keys, span);
    for (size_t i = 0, k = 0; i < rows || k < columns;) {
        const size_t l = span->start + i, r = span->start + k;
        if (i < rows && k < columns && keys->left[l] == keys->right[r]) {
            add_row(diff, l, r);
            i++;
            k++;
        } else if (i < rows &&
                   (k == columns || *cell(&table, i + 1, k) >= *cell(&table, i, k + 1))) {
            add_row(diff, l, SIZE_MAX);
            i++;
        } else {
            add_row(diff, SIZE_MAX, r);
            k++;
        }
    }
    free(table.cells);
}

static void make_rows(const struct keys *keys, struct isa_diff *diff)
{
    const struct span span = find_span(keys);
    const size_t rows = span.left_end - span.start, columns = span.right_end - span.start;
    *diff = (struct isa_diff){
        .rows = lit_alloc(keys->left_count + keys->right_count + 1, sizeof *diff->rows),
        .aligned =
            (rows + 1) * (columns + 1) <= MOST_CELLS && rows < UINT16_MAX && columns < UINT16_MAX,
    };
    for (size_t i = 0; i < span.start; i++)
        add_row(diff, i, i);
    if (diff->aligned) {
        align(keys, &span, diff);
    } else {
        for (size_t i = 0; i < rows; i++)
            add_row(diff, span.start + i, SIZE_MAX);
        for (size_t i = 0; i < columns; i++)
            add_row(diff, SIZE_MAX, span.start + i);
    }
    for (size_t i = 0; span.left_end + i < keys->left_count; i++)
        add_row(diff, span.left_end + i, span.right_end + i);
}

// --- Likeness

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Whether the keys of all lines are equal, in the same order or in any.
static bool is_same(const struct isa_listing *left, const struct isa_listing *right, key_of *of,
                    bool in_order)
{
    struct keys keys;
    make_keys(&keys, left, right, of);
    if (!in_order) {
        qsort(keys.left, keys.left_count, sizeof *keys.left, compare_numbers);
        qsort(keys.right, keys.right_count, sizeof *keys.right, compare_numbers);
    }
    const bool same = keys.left_count == keys.right_count &&
                      memcmp(keys.left, keys.right, keys.left_count * sizeof *keys.left) == 0;
    clear_keys(&keys);
    return same;
}

enum isa_likeness isa_compare(const struct isa_listing *left, const struct isa_piece *left_piece,
                              const struct isa_listing *right, const struct isa_piece *right_piece)
{
    return left_piece->size == right_piece->size &&
                   memcmp(left_piece->bytes, right_piece->bytes, left_piece->size) == 0
               ? ISA_SAME
           : is_same(left, right, text_of, true)  ? ISA_SAME_TEXT
           : is_same(left, right, name_of, true)  ? ISA_SAME_NAMES
           : is_same(left, right, name_of, false) ? ISA_SAME_MEMBERS
                                                  : ISA_OTHER;
}

void isa_diff(const struct isa_listing *left, const struct isa_listing *right,
              struct isa_diff *diff)
{
    struct keys keys;
    make_keys(&keys, left, right, text_of);
    make_rows(&keys, diff);
    clear_keys(&keys);
}

void isa_diff_clear(struct isa_diff *diff)
{
    free(diff->rows);
    *diff = (struct isa_diff){0};
}

// --- Description of an alignment by name, which ignores register changes

// A name that one side has here and the other elsewhere counts as moved.
enum { ADDS, DROPS, MOVES, VERBS };
typedef size_t tally[VERBS];

static void put_kind(int verb, const struct keys *keys, tally *tallies, struct text *words)
{
    static const char *const verbs[] = {"adds", "drops", "moves"};
    size_t said = 0, kinds = 0;
    for (size_t i = 0; i < keys->count; i++) {
        const size_t n = tallies[i][verb];
        kinds += n > 0 && *keys->names[i]; // skip blank lines
        if (n == 0 || said == NAMES_SAID || !*keys->names[i])
            continue;
        text_puts(words, said ? ", " : words->length ? "; " : "");
        if (said == 0)
            text_printf(words, "%s ", verbs[verb]);
        if (n > 1)
            text_printf(words, "%zu ", n);
        text_puts(words, keys->names[i]);
        said++;
    }
    if (kinds > said)
        text_printf(words, " and %zu other%s", kinds - said, kinds - said == 1 ? "" : "s");
}

void isa_diff_words(const struct isa_listing *left, const struct isa_listing *right,
                    struct text *words)
{
    struct keys keys;
    OWNED(isa_diff_clear) struct isa_diff diff = {0};
    OWNED(text_free) struct text own = {0};
    make_keys(&keys, left, right, name_of);
    make_rows(&keys, &diff);
    OWNED(lit_free) tally *tallies = lit_alloc(keys.count + 1, sizeof *tallies);
    for (size_t i = 0; i < diff.count; i++) {
        const struct isa_row *row = &diff.rows[i];
        if (row->right == SIZE_MAX)
            tallies[keys.left[row->left]][DROPS]++;
        else if (row->left == SIZE_MAX)
            tallies[keys.right[row->right]][ADDS]++;
    }
    for (size_t i = 0; i < keys.count; i++) {
        size_t *t = tallies[i];
        t[MOVES] = t[ADDS] < t[DROPS] ? t[ADDS] : t[DROPS];
        t[ADDS] -= t[MOVES];
        t[DROPS] -= t[MOVES];
    }
    for (int verb = 0; verb < VERBS; verb++)
        put_kind(verb, &keys, tallies, &own);
    text_puts(words, own.data ? own.data : "");
    clear_keys(&keys);
}
