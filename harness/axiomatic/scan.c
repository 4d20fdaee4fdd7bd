// SPDX-License-Identifier: Apache-2.0
// What both dialects share: words and numbers of untrusted text with their positions, and the
// qualifiers of an instruction's name with their valid combinations.
#include "axiomatic/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <strings.h>

static bool fail(const struct axi_scan *scan, enum lit_exit code, const char *format,
                 va_list arguments)
{
    char message[256];
    vsnprintf(message, sizeof message, format, arguments);
    return lit_fail(scan->error, code, "line %u, column %td: %s", (unsigned)scan->line,
                    scan->at - scan->line_start + 1, message);
}

bool axi_wrong(const struct axi_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(scan, LIT_EXIT_USAGE, format, arguments);
    va_end(arguments);
    return false;
}

bool axi_beyond(const struct axi_scan *scan, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(scan, LIT_EXIT_UNDECIDED, format, arguments);
    va_end(arguments);
    return false;
}

static bool begins(const struct axi_scan *scan, const char *text)
{
    const size_t length = strlen(text);
    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static void pass(struct axi_scan *scan, size_t bytes)
{
    for (; bytes && scan->at < scan->end; bytes--)
        if (*scan->at++ == '\n') {
            scan->line++;
            scan->line_start = scan->at;
        }
}

void axi_skip(struct axi_scan *scan)
{
    while (scan->at < scan->end) {
        if (begins(scan, "(*")) {
            while (scan->at < scan->end && !begins(scan, "*)"))
                pass(scan, 1);
            pass(scan, 2);
        } else if (memchr(" \t\r\n", *scan->at, 4)) {
            pass(scan, 1);
        } else {
            return;
        }
    }
}

bool axi_take(struct axi_scan *scan, const char *text)
{
    axi_skip(scan);
    const bool here = begins(scan, text);
    scan->at += here ? strlen(text) : 0;
    return here;
}

bool axi_expect(struct axi_scan *scan, const char *text)
{
    return axi_take(scan, text) || axi_wrong(scan, "'%s' expected", text);
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const struct axi_scan *scan)
{
    size_t length = 0;
    while (scan->at + length < scan->end && is_of_word(scan->at[length]))
        length++;
    return length && !isdigit((unsigned char)*scan->at) ? length : 0;
}

bool axi_word(struct axi_scan *scan, char word[AXI_NAME])
{
    axi_skip(scan);
    const size_t length = word_length(scan);
    if (!length)
        return axi_wrong(scan, "a name expected");
    if (length >= AXI_NAME)
        return axi_wrong(scan, "a name of more than %d bytes", AXI_NAME - 1);
    memcpy(word, scan->at, length);
    word[length] = '\0';
    scan->at += length;
    return true;
}

bool axi_take_word(struct axi_scan *scan, const char *word)
{
    axi_skip(scan);
    const bool here = begins(scan, word) && word_length(scan) == strlen(word);
    scan->at += here ? strlen(word) : 0;
    return here;
}

bool axi_is_number(struct axi_scan *scan)
{
    axi_skip(scan);
    const char *at = scan->at;
    at += at < scan->end && *at == '-';
    return at < scan->end && isdigit((unsigned char)*at);
}

bool axi_number(struct axi_scan *scan, int64_t *number)
{
    if (!axi_is_number(scan))
        return axi_wrong(scan, "a number expected");
    const char *at = scan->at;
    const bool negative = *at == '-';
    at += negative;
    const unsigned base = scan->end - at > 2 && at[0] == '0' && at[1] == 'x' ? 16 : 10;
    at += base == 16 ? 2 : 0;
    const char *first = at;
    uint64_t value = 0;
    for (; at < scan->end && isxdigit((unsigned char)*at); at++) {
        const unsigned digit = isdigit((unsigned char)*at)
                                   ? (unsigned)(*at - '0')
                                   : (unsigned)(tolower((unsigned char)*at) - 'a') + 10;
        if (digit >= base)
            break;
        if (value > ((uint64_t)INT64_MAX - digit) / base)
            return axi_wrong(scan, "a number of more than 63 bits");
        value = value * base + digit;
    }
    if (at == first || (at < scan->end && is_of_word(*at)))
        return axi_wrong(scan, "a number expected");
    scan->at = at;
    *number = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

bool axi_small(struct axi_scan *scan, uint32_t *number)
{
    int64_t value = 0;
    const struct axi_scan before = *scan;
    if (!axi_number(scan, &value))
        return false;
    if (value < 0 || value > 9999)
        return axi_wrong(&before, "a number from 0 to 9999 expected");
    *number = (uint32_t)value;
    return true;
}

int axi_reference(const struct axi_program *program, const char *name)
{
    for (size_t i = 0; i < program->reference_count; i++)
        if (strcmp(program->references[i].name, name) == 0)
            return (int)i;
    return -1;
}

bool axi_refer(struct axi_scan *scan, struct axi_program *program, uint8_t *reference)
{
    char name[AXI_NAME] = {0};
    if (!axi_word(scan, name))
        return false;
    const int known = axi_reference(program, name);
    *reference = (uint8_t)(known < 0 ? (int)program->reference_count : known);
    if (known >= 0)
        return true;
    if (program->reference_count == AXI_REFERENCES)
        return axi_beyond(scan, "more than %d locations", AXI_REFERENCES);
    struct axi_reference *added = &program->references[program->reference_count++];
    memcpy(added->name, name, sizeof name);
    added->location = *reference;
    return true;
}

bool axi_thread_word(struct axi_scan *scan, uint32_t *number)
{
    axi_skip(scan);
    scan->at += scan->at < scan->end && *scan->at == 'P';
    return axi_small(scan, number);
}

struct axi_thread *axi_thread_of(struct axi_program *program, unsigned number)
{
    for (size_t i = 0; i < program->thread_count; i++)
        if (program->threads[i].number == number)
            return &program->threads[i];
    return NULL;
}

bool axi_thread_number(struct axi_scan *scan, struct axi_program *program, int *thread)
{
    uint32_t number = 0;
    if (!axi_thread_word(scan, &number))
        return false;
    const struct axi_thread *of = axi_thread_of(program, number);
    *thread = of ? (int)(of - program->threads) : 0;
    return of || axi_wrong(scan, "there is not a thread P%u", (unsigned)number);
}

struct axi_instruction *axi_append(struct axi_scan *scan, struct axi_thread *thread)
{
    if (thread->count == AXI_INSTRUCTIONS) {
        axi_beyond(scan, "more than %d instructions in a thread", AXI_INSTRUCTIONS);
        return NULL;
    }
    const struct axi_instruction empty = {
        .scope = AXI_SCOPES, .target = AXI_REGISTERS, .operator= AXI_REPLACE, .line = scan->line};
    LIT_ADD(thread->instructions, thread->count) = empty;
    return &thread->instructions[thread->count - 1];
}

// --- Qualifiers

static bool set_once(struct axi_scan *scan, const char *part, bool *flag)
{
    if (*flag)
        return axi_wrong(scan, "'%s' is given twice", part);
    return *flag = true;
}

// The number of sc0 to sc3 or semsc0 to semsc3; -1 for any other qualifier.
static int class_of(const char *part, const char *prefix)
{
    const size_t length = strlen(prefix);
    const char *digit = part + length;
    const bool is_one = strncmp(part, prefix, length) == 0 && digit[0] >= '0' &&
                        digit[0] < '0' + AXI_STORAGE_CLASSES && !digit[1];
    return is_one ? digit[0] - '0' : -1;
}

static bool set_scope(struct axi_scan *scan, enum axi_scope scope, struct axi_instruction *to)
{
    if (to->scope != AXI_SCOPES)
        return axi_wrong(scan, "a second scope");
    to->scope = scope;
    return true;
}

bool axi_qualify(struct axi_scan *scan, const char *part, struct axi_instruction *to)
{
    static const struct {
        const char *part, *alloy;
        enum axi_scope scope;
    } scopes[] = {{"sg", "scopesg", AXI_SUBGROUP},
                  {"wg", "scopewg", AXI_WORKGROUP},
                  {"qf", "scopeqf", AXI_QUEUE_FAMILY},
                  {"dv", "scopedev", AXI_DEVICE}};
    const struct {
        const char *part;
        bool *flag;
    } flags[] = {{"atom", &to->atomic},        {"acq", &to->acquire},
                 {"rel", &to->release},        {"av", &to->available},
                 {"vis", &to->visible},        {"semav", &to->sem_available},
                 {"semvis", &to->sem_visible}, {"nonpriv", &to->non_private}};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (strcmp(part, scopes[i].part) == 0 || strcmp(part, scopes[i].alloy) == 0)
            return set_scope(scan, scopes[i].scope, to);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(part, flags[i].part) == 0)
            return set_once(scan, part, flags[i].flag);
    if (strcmp(part, "acq_rel") == 0)
        return set_once(scan, part, &to->acquire) && set_once(scan, part, &to->release);
    const int storage = class_of(part, "sc"), semantics = class_of(part, "semsc");
    if (storage >= 0) {
        if (to->storage)
            return axi_wrong(scan, "a second storage class");
        to->storage = (uint8_t)(storage + 1); // until axi_complete
        return true;
    }
    if (semantics >= 0) {
        if (to->semantics >> semantics & 1)
            return axi_wrong(scan, "'%s' is given twice", part);
        to->semantics |= (uint8_t)(1 << semantics);
        return true;
    }
    return axi_wrong(scan, "unknown part '%s' of an instruction", part);
}

// Rules for each access and each barrier.
static const char *wrong_with_access(const struct axi_instruction *of)
{
    const bool reads = axi_reads(of), writes = axi_writes(of);
    const bool orders = of->acquire || of->release;
    if (!of->storage)
        return "an access needs a storage class, sc0 to sc3";
    if (of->acquire && !reads)
        return "a store cannot acquire";
    if (of->release && !writes)
        return "a load cannot release";
    if (of->available && !writes)
        return "only a write has an availability operation (av)";
    if (of->visible && !reads)
        return "only a read has a visibility operation (vis)";
    if (orders && !of->atomic)
        return "only an atomic has acquire or release semantics";
    if (of->scope == AXI_SCOPES && (of->atomic || of->available || of->visible))
        return "a scope is missing: sg, wg, qf or dv";
    if (of->scope != AXI_SCOPES && !of->atomic && !of->available && !of->visible)
        return "a plain access without av or vis has no scope";
    return NULL;
}

static const char *wrong_with_barrier(const struct axi_instruction *of)
{
    if (of->storage || of->atomic || of->available || of->visible || of->non_private)
        return "a barrier has no storage class, atom, av, vis or nonpriv";
    if (of->scope == AXI_SCOPES)
        return "a scope is missing: sg, wg, qf or dv";
    if (of->kind == AXI_MEMORY_BARRIER && !of->acquire && !of->release)
        return "a memory barrier needs acq, rel or both";
    return NULL;
}

bool axi_complete(const struct axi_scan *scan, struct axi_instruction *of)
{
    const bool is_access = of->kind <= AXI_RMW, orders = of->acquire || of->release;
    const char *wrong = is_access ? wrong_with_access(of) : wrong_with_barrier(of);
    if (!wrong && orders != (of->semantics != 0))
        wrong = orders ? "acq and rel need storage class semantics, semsc0 to semsc3"
                       : "storage class semantics need acq or rel";
    if (!wrong && of->sem_available && !of->release)
        wrong = "semav needs rel";
    if (!wrong && of->sem_visible && !of->acquire)
        wrong = "semvis needs acq";
    if (wrong)
        return axi_wrong(scan, "%s", wrong);
    of->storage -= is_access;
    // Atomic operations have availability and visibility operations of their scope.
    of->available |= of->atomic && axi_writes(of);
    of->visible |= of->atomic && axi_reads(of);
    of->non_private |= of->available || of->visible;
    return true;
}

// --- The whole

bool axi_parse(const char *text, size_t size, struct axi_program *program, struct lit_error *error)
{
    const char *end = text + size;
    text += text_mark(text, size);
    struct axi_scan scan = {.at = text, .end = end, .line_start = text, .line = 1, .error = error};
    *program = (struct axi_program){.filter = AXI_TRUE};
    axi_skip(&scan);
    const bool is_vulkan = word_length(&scan) == 6 && strncasecmp(scan.at, "vulkan", 6) == 0;
    return is_vulkan ? axi_parse_vulkan(&scan, program) : axi_parse_alloy(&scan, program);
}
