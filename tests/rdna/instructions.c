// SPDX-License-Identifier: Apache-2.0
// Instructions of the emulated GPU: decoded and written as llvm-mc writes them, and executed.
#include "../unit/sections.h"

#include "decode.h"

#define LONGEST 512

enum { M0 = 124, STORED = 4 };

static struct rdna_wave wave;

// Accesses of the instruction executed.
static struct rdna_access accesses[STORED];
static size_t access_count;

static void take_access(void *context, struct rdna_wave *of, const struct rdna_access *access)
{
    (void)context, (void)of;
    assert_true(access_count < STORED);
    accesses[access_count++] = *access;
}

static uint64_t tell_time(void *context)
{
    (void)context;
    return UINT64_C(0x123456789);
}

static const struct rdna_memory_ops memory = {NULL, take_access, tell_time};

static size_t read_words(const char *line, uint32_t words[3], const char **text)
{
    size_t count = 0;
    char *end;
    for (const char *at = line; count < 3; at = end) {
        const unsigned long word = strtoul(at, &end, 16);
        if (end == at)
            break;
        words[count++] = (uint32_t)word;
    }
    *text = strstr(line, "| ");
    assert_non_null(*text);
    *text += 2;
    return count;
}

// Copies the line at `*at`, which has one, and moves on.
static void take_line(const char **at, char line[LONGEST])
{
    const size_t length = strcspn(*at, "\n");
    assert_true(length < LONGEST);
    memcpy(line, *at, length);
    line[length] = '\0';
    *at += length + ((*at)[length] == '\n');
}

static void check_text(const struct rdna_insn *insn, unsigned lanes, const char *text)
{
    char written[RDNA_TEXT];
    rdna_print(insn, lanes, written);
    assert_string_equal(written, text);
}

static void check_texts(const char *name, enum rdna_generation generation, size_t least)
{
    size_t count = 0;
    char line[LONGEST];
    for (const char *at = section(name)->text; *at;) {
        uint32_t words[3];
        const char *text;
        struct rdna_insn insn;
        take_line(&at, line);
        if (!*line || *line == ';')
            continue;
        const size_t size = read_words(line, words, &text);
        if (rdna_decode(words, size, generation, &insn) != size)
            fail_msg("%s: %s", line, insn.unknown);
        check_text(&insn, insn.dual ? 32 : 64, text);
        // One dword less is not the whole instruction.
        assert_int_equal(rdna_decode(words, size - 1, generation, &insn), 0);
        count++;
    }
    assert_true(count >= least);
}

TEST(instructions_are_written_as_llvm_mc_writes_them)
{
    check_texts("decoded", RDNA_GFX10_3, 900);
    check_texts("decoded-gfx11", RDNA_GFX11, 900);
    check_texts("decoded-gfx12", RDNA_GFX12, 350);
}

static void check_unknown(const char *name, enum rdna_generation generation)
{
    char line[LONGEST];
    for (const char *at = section(name)->text; *at;) {
        uint32_t words[3];
        const char *text;
        struct rdna_insn insn;
        take_line(&at, line);
        if (!*line || *line == ';')
            continue;
        const size_t size = read_words(line, words, &text);
        assert_int_equal(rdna_decode(words, size, generation, &insn), 0);
        assert_string_equal(insn.unknown, text);
        assert_int_equal(rdna_step(&wave, &insn, &memory), RDNA_EVENT_UNKNOWN);
        assert_string_equal(wave.unknown, text);
    }
}

TEST(what_is_not_known_is_named)
{
    check_unknown("unknown", RDNA_GFX10_3);
    check_unknown("unknown-gfx11", RDNA_GFX11);
    check_unknown("unknown-gfx12", RDNA_GFX12);
}

// --- Registers by name: "s3", "s[2:3]", "v1", "v[0:1]", "vcc", "exec", "m0", "scc", "mode", "pc",
// "lanes", "shared": shared registers, from v64 on, "vmcnt", "lgkmcnt", "vscnt" and "kmcnt": what
// is waited for.

struct place {
    uint32_t *words; // the first of a scalar register's
    unsigned vector; // the number of a vector register, if words is NULL
    unsigned dwords;
};

static struct place find(const char *name)
{
    unsigned first, last;
    char kind;
    if (!strcmp(name, "vcc"))
        return (struct place){&wave.sgpr[RDNA_VCC], 0, 2};
    if (!strcmp(name, "exec"))
        return (struct place){&wave.sgpr[RDNA_EXEC], 0, 2};
    if (!strcmp(name, "m0"))
        return (struct place){&wave.sgpr[M0], 0, 1};
    if (sscanf(name, "%c[%u:%u]", &kind, &first, &last) != 3) {
        if (sscanf(name, "%c%u", &kind, &first) != 2 || (kind != 's' && kind != 'v'))
            fail_msg("there is no register %s", name);
        last = first;
    }
    return (struct place){kind == 's' ? &wave.sgpr[first] : NULL, first, last - first + 1};
}

static bool is_field(const char *name, uint64_t *value, bool set)
{
    const bool scc = !strcmp(name, "scc"), mode = !strcmp(name, "mode"), pc = !strcmp(name, "pc"),
               lanes = !strcmp(name, "lanes"), shared = !strcmp(name, "shared"),
               vmcnt = !strcmp(name, "vmcnt"), lgkmcnt = !strcmp(name, "lgkmcnt"),
               vscnt = !strcmp(name, "vscnt"), kmcnt = !strcmp(name, "kmcnt");
    if (set && shared)
        wave.shared_vgprs = (unsigned)*value;
    if (set && scc)
        wave.scc = *value;
    if (set && mode)
        wave.mode = (uint32_t)*value;
    if (set && pc)
        wave.pc = *value;
    if (set && lanes)
        wave.lanes = (unsigned)*value;
    *value = scc       ? wave.scc
             : mode    ? wave.mode
             : pc      ? wave.pc
             : shared  ? wave.shared_vgprs
             : vmcnt   ? wave.wait.vmcnt
             : lgkmcnt ? wave.wait.lgkmcnt
             : vscnt   ? wave.wait.vscnt
             : kmcnt   ? wave.wait.kmcnt
                       : wave.lanes;
    return scc || mode || pc || lanes || shared || vmcnt || lgkmcnt || vscnt || kmcnt;
}

// What of the access that the instruction makes: one value, or one of each lane.
static bool is_access(const char *name, unsigned lane, uint64_t *value)
{
    const struct rdna_access *a = &accesses[0];
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {{"space", a->space},
                  {"action", a->action},
                  {"counter", a->counter},
                  {"atomic", a->atomic},
                  {"glc", a->glc},
                  {"dlc", a->dlc},
                  {"mask", a->mask},
                  {"elements", a->elements},
                  {"bytes", a->bytes},
                  {"stride", a->stride},
                  {"returns", a->returns},
                  {"registers", a->registers},
                  {"destination", a->destination},
                  {"half", a->half},
                  {"conversion", a->conversion},
                  {"address", a->address[0][lane]},
                  {"address1", a->address[1][lane]},
                  {"range", a->in_range[0][lane]},
                  {"value", a->values[0][0][lane]},
                  {"value1", a->values[0][1][lane]},
                  {"value2", a->values[0][2][lane]},
                  {"value3", a->values[0][3][lane]},
                  {"second", a->values[1][0][lane]}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!strcmp(name, fields[i].name)) {
            assert_int_equal(access_count, 1);
            *value = fields[i].value;
            return true;
        }
    return false;
}

static uint32_t *word_of(const struct place *place, unsigned dword, unsigned lane)
{
    return place->words ? &place->words[dword] : &wave.vgpr[place->vector + dword][lane];
}

// "NAME=VALUE[,VALUE...]": sets registers, or compares them.
static void assign(const char *case_text, char *assignment, bool set)
{
    char *values = strchr(assignment, '=');
    if (!values)
        fail_msg("%s: %s has no value", case_text, assignment);
    *values++ = '\0';
    unsigned lane = 0;
    char *rest = NULL;
    for (char *word = strtok_r(values, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        uint64_t value = strtoull(word, NULL, 16), is = value;
        if (is_field(assignment, &is, set)) {
            if (is != value)
                fail_msg("%s: %s is %" PRIx64, case_text, assignment, is);
            continue;
        }
        if (!set && is_access(assignment, lane, &is)) {
            if (is != value)
                fail_msg("%s: %s of lane %u is %" PRIx64, case_text, assignment, lane, is);
            lane++;
            continue;
        }
        const struct place place = find(assignment);
        is = 0;
        for (unsigned i = 0; i < place.dwords; i++) {
            uint32_t *at = word_of(&place, i, lane);
            if (set)
                *at = (uint32_t)(value >> 32 * i);
            is |= (uint64_t)*at << 32 * i;
        }
        if (is != value)
            fail_msg("%s: lane %u of %s is %" PRIx64, case_text, lane, assignment, is);
        lane++;
    }
}

static void execute(const char *heading, const char *line, enum rdna_generation generation)
{
    char before[LONGEST], message[2 * LONGEST + 4], *rest = NULL;
    uint32_t words[3];
    const char *text;
    struct rdna_insn insn;
    const size_t size = read_words(heading, words, &text);
    snprintf(message, sizeof message, "%s: %s", heading, line);
    access_count = 0;
    memset(&wave, 0, sizeof wave);
    wave.generation = generation;
    wave.lanes = 64;
    wave.vgprs = 64;
    wave.mode = 0x1f0; // denormals, DX10_CLAMP
    memset(&wave.sgpr[RDNA_EXEC], 0xff, 2 * sizeof *wave.sgpr);
    memcpy(before, line, strlen(line) + 1);
    char *after = strstr(before, "-> ");
    assert_non_null(after);
    after[0] = '\0';
    for (char *word = strtok_r(before, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        assign(message, word, true);
    if (rdna_decode(words, size, generation, &insn) != size)
        fail_msg("%s: %s", message, insn.unknown);
    check_text(&insn, wave.lanes, text);
    if (rdna_step(&wave, &insn, &memory) == RDNA_EVENT_UNKNOWN) {
        const char *const refused = strstr(after + 3, "not emulated: ");
        if (!refused || strcmp(refused + strlen("not emulated: "), wave.unknown))
            fail_msg("%s: not emulated: %s", message, wave.unknown);
        return;
    }
    for (char *word = strtok_r(after + 3, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        assign(message, word, false);
}

static void execute_section_of(const char *name, enum rdna_generation generation)
{
    char heading[LONGEST] = "", line[LONGEST];
    size_t count = 0;
    for (const char *at = section(name)->text; *at;) {
        take_line(&at, line);
        if (*line == ' ') {
            execute(heading, line, generation);
            count++;
        } else
            memcpy(heading, line, sizeof heading);
    }
    assert_true(count > 10);
}

static void execute_section(const char *name)
{
    execute_section_of(name, RDNA_GFX10_3);
}

TEST(instructions_of_gfx11)
{
    execute_section_of("gfx11", RDNA_GFX11);
}

TEST(instructions_of_gfx12)
{
    execute_section_of("gfx12", RDNA_GFX12);
}

TEST(scalar_instructions)
{
    execute_section("scalar");
}

TEST(vector_instructions_on_integers)
{
    execute_section("integer");
}

TEST(exchanges_between_lanes)
{
    execute_section("lanes");
}

TEST(vector_instructions_on_floats)
{
    execute_section("float");
}

TEST(vector_instructions_on_doubles)
{
    execute_section("double");
}

TEST(vector_instructions_on_halves)
{
    execute_section("half");
}

TEST(accesses_to_memory)
{
    execute_section("memory");
}
