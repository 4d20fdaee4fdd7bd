// SPDX-License-Identifier: Apache-2.0
// Enumerates small memory tests: programs (who accesses what, and the ordering) and settings
// (placement of threads, kernel form), and walks the pairs by their total size.
#include "generate/concurrent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 3, LOCATIONS = 3, ACCESS_CODES = KINDS * 2 };
enum { USUAL = 2 }; // size of a common program

// The common shapes: cycles of two to four threads, and those with one location.
static const char *const usual[] = {
    "rxrx wx",        "wxwx rx",        "wxrx wx",        "rxwx wx",        "ux ux",
    "ux wx",          "uxrx wx",        "wxwx rxrx",      "wxwy ryrx",      "wxry wyrx",
    "rxwy rywx",      "wxwy rywx",      "wxwy wyrx",      "wxwy wywx",      "wx rxry wy ryrx",
    "wx rxwy ryrx",   "wx rxwy rywx",   "wx rxry wyrx",   "wxwy rywz rzrx", "wxwy ryrz wzrx",
    "wxwy rywz wzrx", "wxwy wywz rzrx", "rxwy rywz rzwx", "wxry wyrz wzrx", "wx wx rxrx rxrx",
    "wx wx rxrx",     "wxwy uyrx",      "uxwy ryrx",
};
#define USUALS (sizeof usual / sizeof *usual)

static void read_shape(const char *word, struct gen_small_program *program)
{
    *program = (struct gen_small_program){.threads = 1};
    for (const char *at = word; *at; at++) {
        if (*at == ' ') {
            program->threads++;
            continue;
        }
        const unsigned t = program->threads - 1u, i = program->counts[t]++;
        program->kind[t][i] = *at == 'r' ? SMALL_READ : *at == 'w' ? SMALL_WRITE : SMALL_EXCHANGE;
        program->location[t][i] = (uint8_t)(*++at - 'x');
    }
}

// --- Symmetry of two threads

// The program with threads or locations exchanged.
static struct gen_small_program mirror(const struct gen_small_program *of, bool threads,
                                       bool locations)
{
    struct gen_small_program made = *of;
    for (unsigned t = 0; t < 2; t++) {
        const unsigned from = threads ? 1 - t : t;
        made.counts[t] = of->counts[from];
        made.orders[t] = of->orders[from];
        memcpy(made.kind[t], of->kind[from], sizeof made.kind[t]);
        memcpy(made.location[t], of->location[from], sizeof made.location[t]);
        for (unsigned i = 0; i < made.counts[t] && locations; i++)
            made.location[t][i] = 1 - made.location[t][i];
    }
    if (locations && of->plain)
        made.plain = 3 - of->plain;
    return made;
}

// By size, threads, accesses and ordering: all members are bytes, in this order.
static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct gen_small_program));
}

// Whether it uses a location other than x.
static unsigned count_locations(const struct gen_small_program *program)
{
    unsigned most = 0;
    for (unsigned t = 0; t < program->threads; t++)
        for (unsigned i = 0; i < program->counts[t]; i++)
            most = program->location[t][i] > most ? program->location[t][i] : most;
    return most + 1;
}

// The first of all programs that are equal by symmetry.
static struct gen_small_program canonical(const struct gen_small_program *program)
{
    struct gen_small_program least = *program;
    const bool two = count_locations(program) == 2;
    for (int way = 1; way < (two ? 4 : 2) && program->threads == 2; way++) {
        const struct gen_small_program other = mirror(program, way & 1, way & 2);
        if (compare(&other, &least) < 0)
            least = other;
    }
    return least;
}

// --- Programs

static bool writes(unsigned kind)
{
    return kind != SMALL_READ;
}

static bool reads(unsigned kind)
{
    return kind != SMALL_WRITE;
}

// Whether both threads communicate through each location, and y is only used with x.
static bool communicates(const struct gen_small_program *program)
{
    unsigned by[2] = {0}, written = 0;
    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; i < program->counts[t]; i++) {
            by[t] |= 1u << program->location[t][i];
            written |= (unsigned)writes(program->kind[t][i]) << program->location[t][i];
        }
    return by[0] == by[1] && written == by[0] && by[0] & 1;
}

static bool acquires(const struct gen_small_program *program, unsigned t, unsigned i)
{
    return program->orders[t] == SMALL_SEMANTICS && reads(program->kind[t][i]) &&
           i + 1u < program->counts[t];
}

static bool releases(const struct gen_small_program *program, unsigned t, unsigned i)
{
    return program->orders[t] == SMALL_SEMANTICS && writes(program->kind[t][i]) && i;
}

static bool is_plain(const struct gen_small_program *program, unsigned t, unsigned i)
{
    return program->plain && program->location[t][i] == program->plain - 1;
}

// Whether a plain access follows a read on which it depends: it would race unless that read saw the
// write.
static bool is_guarded(const struct gen_small_program *program, unsigned t, unsigned i)
{
    return i && is_plain(program, t, i) && !is_plain(program, t, i - 1) &&
           reads(program->kind[t][i - 1]);
}

// Whether each thread's ordering differs from relaxed.
static bool makes_sense(const struct gen_small_program *program)
{
    bool any = false, plain = false;
    for (unsigned t = 0; t < program->threads; t++) {
        bool used = program->orders[t] == SMALL_RELAXED || program->orders[t] == SMALL_BARRIER ||
                    (program->orders[t] == SMALL_FENCE && program->counts[t] > 1);
        any |= program->orders[t] != SMALL_RELAXED;
        for (unsigned i = 0; i < program->counts[t]; i++) {
            const bool sem = acquires(program, t, i) || releases(program, t, i);
            used |= sem && !is_plain(program, t, i);
            plain |= is_plain(program, t, i);
            // Exchanges are atomic, and barriers may not stand next to branches.
            if (is_plain(program, t, i) && program->kind[t][i] == SMALL_EXCHANGE)
                return false;
            if (is_guarded(program, t, i) && program->orders[t] == SMALL_BARRIER)
                return false;
        }
        if (!used)
            return false;
    }
    return !program->plain || (plain && any);
}

static bool is_usual(const struct gen_small_program *shape)
{
    for (size_t i = 0; i < USUALS; i++) {
        struct gen_small_program other;
        read_shape(usual[i], &other);
        other = canonical(&other);
        if (compare(&other, shape) == 0)
            return true;
    }
    return false;
}

static uint8_t size_of(const struct gen_small_program *program, bool shape_is_usual)
{
    unsigned size = 0, ordered = 0, kinds = 0;
    for (unsigned t = 0; t < program->threads; t++) {
        size += program->counts[t];
        ordered += program->orders[t] != SMALL_RELAXED;
        kinds |= program->counts[t] > 1 ? 1u << program->orders[t] : 0;
    }
    // All threads with something to order use the same ordering.
    const bool alike = !(kinds & (kinds - 1));
    return (uint8_t)(shape_is_usual && alike ? USUAL
                     : shape_is_usual        ? USUAL + 1
                                             : size + ordered + (program->plain != 0));
}

static void add(struct gen_small *small, const struct gen_small_program *program, bool is_named)
{
    const struct gen_small_program least = canonical(program);
    if (!makes_sense(program) || compare(&least, program) != 0)
        return;
    LIT_ADD(small->programs, small->count) = *program;
    small->programs[small->count - 1].size = size_of(program, is_named);
}

// Adds a shape with all orderings; with more than two threads, all that have something to order use
// the same.
static void add_orders(struct gen_small *small, const struct gen_small_program *shape)
{
    const bool is_named = is_usual(shape);
    const unsigned locations = count_locations(shape);
    for (unsigned plain = 0; plain <= (locations == 2 ? 2u : 0u); plain++)
        for (unsigned way = 0; way < (shape->threads == 2 ? 10u : 4u); way++) {
            struct gen_small_program program = *shape;
            program.plain = (uint8_t)plain;
            for (unsigned t = 0; t < shape->threads; t++) {
                const unsigned order = shape->threads > 2 ? way
                                       : way == 9         ? SMALL_BARRIER
                                       : t                ? way / 3
                                                          : way % 3;
                const bool orders = shape->counts[t] > 1 || order == SMALL_BARRIER;
                program.orders[t] = (uint8_t)(orders || shape->threads == 2 ? order : 0);
            }
            add(small, &program, is_named);
        }
}

// Decodes thread number `code` of all threads with up to three accesses: 6 of one, 36 of two, 216
// of three.
static void read_thread(unsigned code, struct gen_small_program *program, unsigned t)
{
    unsigned count = 1, all = ACCESS_CODES;
    for (; code >= all; all *= ACCESS_CODES, count++)
        code -= all;
    program->counts[t] = (uint8_t)count;
    for (unsigned i = count; i-- > 0; code /= ACCESS_CODES) {
        program->kind[t][i] = (uint8_t)(code % KINDS);
        program->location[t][i] = (uint8_t)(code % ACCESS_CODES / KINDS);
    }
}

static void add_programs(struct gen_small *small)
{
    const unsigned all = ACCESS_CODES * (1 + ACCESS_CODES * (1 + ACCESS_CODES));
    for (unsigned a = 0; a < all; a++)
        for (unsigned b = 0; b < all; b++) {
            struct gen_small_program shape = {.threads = 2};
            read_thread(a, &shape, 0);
            read_thread(b, &shape, 1);
            const struct gen_small_program least = canonical(&shape);
            if (communicates(&shape) && compare(&least, &shape) == 0)
                add_orders(small, &shape);
        }
    for (size_t i = 0; i < USUALS; i++) {
        struct gen_small_program shape;
        read_shape(usual[i], &shape);
        if (shape.threads > 2)
            add_orders(small, &shape);
    }
    qsort(small->programs, small->count, sizeof *small->programs, compare);
}

// --- Settings

// In this order: forms visible to the compiler before those that affect only hardware.
static const uint32_t order_of_forms[AXI_FORMS] = {
    AXI_ADDRESS_AGAIN, AXI_UNROLLED, AXI_ADDRESS_BY_VALUE, AXI_GLSL,
    AXI_WIDE,          AXI_PHYSICAL, AXI_VOLATILE};

static bool is_shared(enum gen_small_place place)
{
    return place == SMALL_WORKGROUP_SHARED || place == SMALL_SUBGROUP_SHARED;
}

// Settings with the most uncommon parts come first, so that within a level small programs precede;
// among equals, common places first.
static void add_settings(struct gen_small *small)
{
    for (unsigned size = AXI_FORMS + 2; size-- > 0;)
        for (uint32_t way = 1; way <= 1u << AXI_FORMS; way++)
            for (int place = 0; place < SMALL_PLACES; place++) {
                uint32_t forms = 0;
                unsigned own = place > SMALL_DEVICE;
                for (unsigned i = 0; i < AXI_FORMS; i++) {
                    forms |= way >> i & 1 ? order_of_forms[i] : 0;
                    own += way >> i & 1;
                }
                if (own != size || (forms & AXI_PHYSICAL && is_shared(place)))
                    continue;
                LIT_ADD(small->settings, small->setting_count).size = (uint8_t)size;
                small->settings[small->setting_count - 1].place = place;
                small->settings[small->setting_count - 1].forms = forms;
            }
}

// Whether two consecutive accesses can be one instruction.
static bool are_alike(const struct gen_small_program *program, unsigned t, unsigned i)
{
    return program->orders[t] < SMALL_FENCE && program->kind[t][i] == program->kind[t][i + 1] &&
           is_plain(program, t, i) == is_plain(program, t, i + 1) &&
           acquires(program, t, i) == acquires(program, t, i + 1) &&
           releases(program, t, i) == releases(program, t, i + 1);
}

// Whether the setting is possible and changes the program.
static bool applies(const struct gen_small_program *program, enum gen_small_place place,
                    uint32_t forms)
{
    uint32_t useful = ~(uint32_t)(AXI_ADDRESS_AGAIN | AXI_ADDRESS_BY_VALUE | AXI_UNROLLED);
    bool guarded = false;
    for (unsigned t = 0; t < program->threads; t++)
        for (unsigned i = 0; i < program->counts[t]; i++) {
            guarded |= is_guarded(program, t, i);
            if (i + 1u == program->counts[t])
                continue;
            useful |= AXI_ADDRESS_AGAIN;
            useful |= reads(program->kind[t][i]) ? (uint32_t)AXI_ADDRESS_BY_VALUE : 0;
            useful |= are_alike(program, t, i) ? (uint32_t)AXI_UNROLLED : 0;
        }
    if (guarded)
        useful &= ~(uint32_t)(AXI_ADDRESS_BY_VALUE | AXI_UNROLLED);
    return !(forms & ~useful) && !(place == SMALL_DEVICE && program->orders[0] == SMALL_BARRIER);
}

// --- The pairs

void gen_small_make(struct gen_small *small)
{
    *small = (struct gen_small){0};
    add_programs(small);
    add_settings(small);
}

void gen_small_clear(struct gen_small *small)
{
    free(small->programs);
    free(small->settings);
    *small = (struct gen_small){0};
}

// The first program of at least this size.
static size_t first_of(const struct gen_small *small, uint32_t size)
{
    size_t low = 0, high = small->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (small->programs[middle].size < size)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Selects the level's programs for the current setting.
static void begin_setting(struct gen_small *small)
{
    const uint32_t own = small->settings[small->setting].size;
    small->program = own > small->level ? small->count : first_of(small, small->level - own);
}

bool gen_small_next(struct gen_small *small)
{
    const uint32_t most = small->programs[small->count - 1].size + AXI_FORMS + 1u;
    if (small->begun) {
        small->program++;
    } else {
        small->begun = true;
        small->level = USUAL;
        small->setting = 0;
        begin_setting(small);
    }
    for (;;) {
        const uint32_t own = small->settings[small->setting].size;
        if (small->program < small->count &&
            small->programs[small->program].size + own == small->level) {
            if (applies(&small->programs[small->program], small->settings[small->setting].place,
                        small->settings[small->setting].forms))
                return true;
            small->program++;
            continue;
        }
        if (++small->setting == small->setting_count) {
            small->setting = 0;
            if (++small->level > most)
                return false;
        }
        begin_setting(small);
    }
}

// --- As text

void gen_small_name(const struct gen_small *small, struct text *name)
{
    static const char *const places[] = {"wg", "wgs", "dv", "sg", "sgs", "wide"};
    const struct gen_small_program *program = &small->programs[small->program];
    const uint32_t forms = small->settings[small->setting].forms;
    text_puts(name, "fuzz");
    for (unsigned t = 0; t < program->threads; t++)
        for (unsigned i = 0; i < program->counts[t]; i++)
            text_printf(name, "%s%c%c", i ? "" : "-", "rwu"[program->kind[t][i]],
                        'x' + program->location[t][i]);
    for (unsigned t = 0; t < program->threads; t++)
        text_printf(name, "%s%c", t ? "" : "-", "nsfc"[program->orders[t]]);
    if (program->plain)
        text_printf(name, "-p%c", 'w' + program->plain);
    text_printf(name, "-%s", places[small->settings[small->setting].place]);
    for (unsigned i = 0; i < AXI_FORMS; i++)
        if (forms >> i & 1)
            text_printf(name, "%s%c", forms & ((1u << i) - 1) ? "" : "-", "glpvadu"[i]);
}

struct place {
    const char *group; // the prefix of a thread, with % for its number
    const char *scope;
    unsigned storage;
};

static const struct place *place_of(const struct gen_small *small)
{
    static const struct place places[SMALL_PLACES] = {
        [SMALL_WORKGROUP] = {"sg %, wg 0, qf 0", "wg", 0},
        [SMALL_WORKGROUP_SHARED] = {"sg %, wg 0, qf 0", "wg", 1},
        [SMALL_DEVICE] = {"sg 0, wg %, qf 0", "dv", 0},
        [SMALL_SUBGROUP] = {"sg 0, wg 0, qf 0", "sg", 0},
        [SMALL_SUBGROUP_SHARED] = {"sg 0, wg 0, qf 0", "sg", 1},
        [SMALL_WIDE] = {"sg %, wg 0, qf 0", "dv", 0},
    };
    return &places[small->settings[small->setting].place];
}

// A write's number among those to its location.
static unsigned value_of(const struct gen_small_program *program, unsigned thread, unsigned access)
{
    unsigned value = 0;
    for (unsigned t = 0; t <= thread; t++)
        for (unsigned i = 0; i < program->counts[t] && (t < thread || i <= access); i++)
            value += writes(program->kind[t][i]) &&
                     program->location[t][i] == program->location[thread][access];
    return value;
}

// The register of a read, numbered within its thread.
static unsigned register_of(const struct gen_small_program *program, unsigned t, unsigned access)
{
    unsigned number = 0;
    for (unsigned i = 0; i < access; i++)
        number += reads(program->kind[t][i]);
    return number;
}

static void put_access(const struct gen_small *small, unsigned t, unsigned i, struct text *line)
{
    const struct gen_small_program *program = &small->programs[small->program];
    const struct place *place = place_of(small);
    const unsigned kind = program->kind[t][i];
    const char name = (char)('x' + program->location[t][i]);
    const bool acq = acquires(program, t, i), rel = releases(program, t, i);
    static const char *const words[] = {"ld", "st", "rmw"};
    text_puts(line, words[kind]);
    if (is_plain(program, t, i)) {
        text_printf(line, ".nonpriv.sc%u", place->storage);
    } else {
        text_printf(line, ".atom%s.%s.sc%u",
                    acq && rel ? ".acq_rel"
                    : acq      ? ".acq"
                    : rel      ? ".rel"
                               : "",
                    place->scope, place->storage);
        if (acq || rel)
            text_printf(line, ".semsc%u%s%s", place->storage, rel ? ".semav" : "",
                        acq ? ".semvis" : "");
    }
    if (reads(kind))
        text_printf(line, " r%u, %c", register_of(program, t, i), name);
    else
        text_printf(line, " %c", name);
    if (writes(kind))
        text_printf(line, ", %u", value_of(program, t, i));
}

static void put_barrier(const struct place *place, const char *word, const char *number,
                        struct text *lines)
{
    text_printf(lines, "%s.acq_rel.%s.semsc%u.semav.semvis%s\n", word, place->scope, place->storage,
                number);
}

// Appends a thread's instructions, one per line.
static void put_thread(const struct gen_small *small, unsigned t, struct text *lines)
{
    const struct gen_small_program *program = &small->programs[small->program];
    const struct place *place = place_of(small);
    const unsigned count = program->counts[t], order = program->orders[t];
    bool jumps = false;
    for (unsigned i = 0; i < count; i++) {
        if (order == SMALL_BARRIER && i + 1 == count && (i || t))
            put_barrier(place, "cbar", " 0", lines);
        if (order == SMALL_FENCE && i)
            put_barrier(place, "membar", "", lines);
        if (is_guarded(program, t, i)) {
            text_printf(lines, "beq r%u, 0, L\n", register_of(program, t, i - 1));
            jumps = true;
        }
        put_access(small, t, i, lines);
        text_puts(lines, "\n");
        if (order == SMALL_BARRIER && count == 1 && !t)
            put_barrier(place, "cbar", " 0", lines);
    }
    text_puts(lines, jumps ? "L:\n" : "");
}

// Appends the registers and locations of the final state.
static void put_observed(const struct gen_small_program *program, struct text *text)
{
    unsigned written[LOCATIONS] = {0};
    const char *before = "locations [";
    for (unsigned t = 0; t < program->threads; t++)
        for (unsigned i = 0; i < program->counts[t]; i++) {
            written[program->location[t][i]] += writes(program->kind[t][i]);
            if (reads(program->kind[t][i])) {
                text_printf(text, "%sP%u:r%u", before, t, register_of(program, t, i));
                before = "; ";
            }
        }
    for (unsigned i = 0; i < LOCATIONS; i++)
        if (written[i] > 1) {
            text_printf(text, "%s%c", before, 'x' + i);
            before = "; ";
        }
    text_puts(text, "]\n");
}

void gen_small_write(const struct gen_small *small, struct text *text)
{
    const struct gen_small_program *program = &small->programs[small->program];
    const uint32_t forms = small->settings[small->setting].forms;
    struct text threads[SMALL_THREADS] = {0};
    const char *at[SMALL_THREADS];
    text_puts(text, "VULKAN ");
    gen_small_name(small, text);
    text_puts(text, forms ? "\nKernel=" : "");
    for (unsigned i = 0, any = 0; i < AXI_FORMS; i++)
        if (forms >> i & 1)
            text_printf(text, "%s%s", any++ ? " " : "", axi_form_word(i));
    text_puts(text, "\n{");
    for (unsigned i = 0; i < count_locations(program); i++)
        text_printf(text, " %c=0;", 'x' + i);
    text_puts(text, " }\n");
    size_t left = 0;
    for (unsigned t = 0; t < program->threads; t++) {
        const char *group = place_of(small)->group, *number = strchr(group, '%');
        const int length = number ? (int)(number - group) : (int)strlen(group);
        text_printf(text, "%sP%u@%.*s", t ? " | " : "", t, length, group);
        if (number)
            text_printf(text, "%u%s", t, number + 1);
        put_thread(small, t, &threads[t]);
        at[t] = threads[t].data;
        left += threads[t].length;
    }
    text_puts(text, " ;\n");
    while (left) {
        for (unsigned t = 0; t < program->threads; t++) {
            const size_t length = strcspn(at[t], "\n");
            text_printf(text, "%s%.*s", t ? " | " : "", (int)length, at[t]);
            left -= length + (at[t][length] == '\n');
            at[t] += length + (at[t][length] == '\n');
        }
        text_puts(text, " ;\n");
    }
    put_observed(program, text);
    for (unsigned t = 0; t < program->threads; t++)
        text_free(&threads[t]);
}
