// SPDX-License-Identifier: Apache-2.0
// Compares what the decoder makes of machine code with what nvdisasm wrote of it: compare LIST, a
// file with a name in each line, where NAME.code holds the bytes and NAME.sass the text. Prints how
// many instructions agree, and an example of each form that does not. With --table before it,
// prints tests/sass/forms.txt instead. Run by tools/check-sass. Exits with 1 if an instruction
// differs.

#include "base/text.h"
#include "isa/sass.h"
#include "unit/sass.h"

#define MAX_FORMS 4096
#define SASS_TEXT 512

// Forms that the decoder knows otherwise, or not at all: a name with its modifiers.
struct form {
    char name[96];
    unsigned opcode;
    size_t count;
    bool unknown;
    char example[640];
};

static struct form forms[MAX_FORMS];
static size_t form_count;
static size_t codes, insns, agree, unknown, differ, meaningless;
static bool table;

static struct text read_file(const char *name, const char *end)
{
    struct text path = {0}, content = {0};
    text_printf(&path, "%s%s", name, end);
    FILE *file = fopen(path.data, "rbe");
    if (!file) {
        perror(path.data);
        exit(2);
    }
    char bytes[65536];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_append(&content, bytes, got);
    fclose(file);
    text_free(&path);
    return content;
}

static bool same_registers(const struct sass_registers *a, const struct sass_registers *b)
{
    return memcmp(a->r, b->r, sizeof a->r) == 0 && a->ur == b->ur && a->p == b->p &&
           a->up == b->up && a->b == b->b;
}

static bool same(const struct sass_insn *a, const struct sass_insn *b)
{
    return a->address == b->address && a->op == b->op && a->flags == b->flags &&
           a->guard == b->guard && a->guard_negated == b->guard_negated &&
           a->guard_uniform == b->guard_uniform && a->target == b->target &&
           a->barrier == b->barrier && same_registers(&a->reads, &b->reads) &&
           same_registers(&a->writes, &b->writes) && strcmp(a->text, b->text) == 0;
}

static uint64_t word(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

// The name with its modifiers, without guard.
static void read_name(const struct sass_insn *insn, char name[96])
{
    const char *text = insn->text[0] == '@' ? strchr(insn->text, ' ') : insn->text;
    text = text ? text + (*text == ' ') : "";
    snprintf(name, 96, "%.*s", (int)strcspn(text, " "), text);
}

// The form of that name, a new one if there is none; NULL if there are too many.
static struct form *find_form(const char *name, unsigned opcode, bool is_unknown)
{
    for (size_t i = 0; i < form_count; i++)
        if (strcmp(forms[i].name, name) == 0 && forms[i].opcode == opcode &&
            forms[i].unknown == is_unknown)
            return &forms[i];
    if (form_count == MAX_FORMS)
        return NULL;
    struct form *form = &forms[form_count++];
    snprintf(form->name, sizeof form->name, "%s", name);
    form->opcode = opcode;
    form->unknown = is_unknown;
    return form;
}

static void note(const struct sass_insn *ours, const struct sass_insn *theirs, const uint8_t *bytes,
                 bool is_unknown)
{
    char name[96];
    read_name(theirs, name);
    struct form *form = find_form(name, 0, is_unknown);
    if (form && form->count++ == 0)
        snprintf(form->example, sizeof form->example, "%016llx %016llx %s | %s",
                 (unsigned long long)word(bytes + 8), (unsigned long long)word(bytes), theirs->text,
                 is_unknown ? "not known" : ours->text);
}

// A row of the table, for the first instruction of each opcode and name. Targets are those of the
// same bytes at address 0.
static void note_row(const struct sass_insn *insn, const uint8_t *bytes)
{
    char name[96], text[SASS_TEXT];
    read_name(insn, name);
    struct form *form = find_form(name, (unsigned)word(bytes) & 0xfff, false);
    if (!form || form->count++ > 0)
        return;
    snprintf(text, sizeof text, "%s", insn->text);
    char *number = strrchr(text, ' ');
    if (number && (insn->target != SASS_NOWHERE || strstr(text, "RET.REL"))) {
        const long long distance = strtoll(number, NULL, 16) - insn->address;
        snprintf(number, 32, " %s0x%llx", distance < 0 ? "-" : "", llabs(distance));
    }
    OWNED(lit_free) char *reads = registers_text(&insn->reads);
    OWNED(lit_free) char *writes = registers_text(&insn->writes);
    printf("%016llx %016llx|%s|%s|%s|%s\n", (unsigned long long)word(bytes + 8),
           (unsigned long long)word(bytes), text, reads, writes, sass_op_name(insn->op));
}

static void compare(const char *name)
{
    OWNED(text_free) struct text bytes = read_file(name, ".code"), text = read_file(name, ".sass");
    OWNED(sass_code_clear) struct sass_code ours, theirs;
    struct lit_error error = {0};
    if (!sass_decode((const uint8_t *)bytes.data, bytes.length, 90, &ours, &error) ||
        !sass_parse(text.data, text.length, 90, &theirs, &error)) {
        fprintf(stderr, "%s: %s\n", name, error.message);
        exit(2);
    }
    if (ours.count != theirs.count) {
        fprintf(stderr, "%s: %zu instructions decoded, %zu written by nvdisasm\n", name, ours.count,
                theirs.count);
        exit(2);
    }
    codes++;
    for (size_t i = 0; i < ours.count; i++) {
        const struct sass_insn *a = &ours.insns[i], *b = &theirs.insns[i];
        insns++;
        if (table)
            note_row(b, (const uint8_t *)bytes.data + 16 * i);
        if (strstr(b->text, "INVALID") || strchr(b->text, '?'))
            meaningless++;
        else if (same(a, b))
            agree++;
        else if ((a->flags & SASS_UNKNOWN) && strstr(a->text, "?0x") && ++unknown)
            note(a, b, (const uint8_t *)bytes.data + 16 * i, true);
        else if (++differ)
            note(a, b, (const uint8_t *)bytes.data + 16 * i, false);
    }
}

static void compare_all(const char *list)
{
    OWNED(text_free) struct text names = read_file(list, "");
    for (char *name = strtok(names.data, "\n"); name; name = strtok(NULL, "\n"))
        compare(name);
}

int main(int argc, char **argv)
{
    table = argc == 3 && strcmp(argv[1], "--table") == 0;
    if (argc != 2 + table) {
        fprintf(stderr, "usage: %s [--table] LIST\n", argv[0]);
        return 2;
    }
    if (table)
        puts("; SPDX-License-Identifier: Apache-2.0\n"
             "; Written by tools/check-sass --table: an instruction of each opcode and name, as "
             "nvdisasm\n"
             "; writes it at address 0, what it reads, what it writes, the name of its operation.");
    compare_all(argv[argc - 1]);
    if (table)
        return 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < form_count; i++)
            if (forms[i].unknown == (round == 0))
                printf("%s %7zu  %s\n", round ? "DIFFERS" : "unknown", forms[i].count,
                       forms[i].example);
    printf("%zu codes, %zu instructions: %zu agree, %zu differ, %zu the decoder does not know, "
           "%zu have no meaning for nvdisasm\n",
           codes, insns, agree, differ, unknown, meaningless);
    return differ > 0;
}
