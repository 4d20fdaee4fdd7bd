// SPDX-License-Identifier: Apache-2.0
// Executes the machine code of a store's configurations on the host, with the data of their runs,
// and compares it with what the device stored.
#include "aco/aco.h"
#include "base/spirv.h"
#include "base/terminal.h"
#include "catalogue/prepare.h"
#include "emulator/emulator.h"
#include "engine/plan.h"
#include "explain/explain.h"
#include "isa/code.h"
#include "isa/lint.h"
#include "model/result.h"
#include "nir/nir.h"
#include "report/format.h"
#include "report/model.h"
#include "store/store.h"

#define MOST_STEPS 20000000u // of a warp
// Where buffers lie: far apart, and the lower word is not 0, which code that reads one for another
// value would make look right.
#define ADDRESS(REGION) ((UINT64_C(0x10000000000) * (1u + (REGION)) + 0xfbea0000u))
#define GUARD_WORDS     64
#define RUNS_TRIED      8
#define SHOWN           16

// One configuration's code with its data.
struct emulation {
    struct eng_prepared ready;
    struct sass_code sass;
    struct emu_program *program; // NULL: it is NIR
    struct nir_program *nir;
    struct aco_program *machine;    // what ACO made of it; NULL: not at hand, or not known
    bool in_nir, late;              // execute NIR although there is machine code; its timing
    struct nir_dispatch structured; // of both
    uint32_t pushed[CAT_MOST_PUSH / 4];
    struct emu_dispatch dispatch;
    struct emu_buffer buffers[CAT_MOST_BINDINGS];
    uint32_t *region[CAT_REGIONS];
    size_t words[CAT_REGIONS];
};

struct emulating {
    const struct exp_code_options *chosen;
    struct cat_selection selection;
    struct store *store;
    const struct store_session *session;
    int64_t said;         // the session that was named last; the newest one is not
    struct lit_list done; // device and name of each configuration
    const struct eng_device *device;
    struct lit_error *error;
    size_t count, same, other, timed, refused; // configurations
};

static void close_emulation(struct emulation *e)
{
    for (int i = 0; i < CAT_REGIONS; i++)
        free(e->region[i]);
    emu_program_free(&e->program);
    aco_program_free(&e->machine);
    nir_program_free(&e->nir);
    sass_code_clear(&e->sass);
    eng_prepared_clear(&e->ready);
}

// The contents of all buffers before a run.
static void fill_regions(struct emulation *e)
{
    const struct eng_prepared *p = &e->ready;
    const size_t outputs = e->words[CAT_OUTPUT];
    memcpy(e->region[CAT_INPUT], p->input, p->shape.input_words * 4);
    for (size_t i = 0; i < outputs; i++)
        e->region[CAT_OUTPUT][i] = p->fresh ? p->fresh[i] : CAT_POISON;
    for (size_t i = 0; i < e->words[CAT_STATE]; i++)
        e->region[CAT_STATE][i] = p->fresh ? p->fresh[outputs + i] : 0;
}

static void make_regions(struct emulation *e)
{
    const struct cat_shape *shape = &e->ready.shape;
    e->words[CAT_INPUT] = shape->input_words;
    e->words[CAT_OUTPUT] = shape->instances * shape->words_per_instance;
    e->words[CAT_STATE] = shape->state_words;
    for (int i = 0; i < CAT_REGIONS; i++)
        e->region[i] = lit_alloc(e->words[i] + 1, sizeof *e->region[i]);
}

static void put(struct emulation *e, uint32_t at, const void *bytes, size_t size)
{
    if (at + size <= EMU_CONSTANTS)
        memcpy(e->dispatch.constants + at, bytes, size);
}

// Push constants of the catalogue's tests.
struct counted {
    uint64_t address[CAT_REGIONS];
    uint32_t elements, seed;
};

// Descriptors, in order of their bindings, and push constants.
static void bind(struct emulation *e, uint32_t seed)
{
    const struct cat_interface *bound = e->ready.code.interface;
    const struct counted counted = {
        {ADDRESS(0), ADDRESS(1), ADDRESS(2)}, e->ready.shape.elements, seed};
    for (size_t i = 0; i < bound->binding_count; i++) {
        const struct cat_binding *b = &bound->bindings[i];
        const uint64_t address = ADDRESS(b->region) + b->first * 4;
        const uint64_t words = b->words ? b->words : e->words[b->region] - b->first;
        const uint32_t size = (uint32_t)(words * 4);
        uint32_t slot = EMU_DESCRIPTORS_AT;
        for (size_t k = 0; k < bound->binding_count; k++)
            slot += k != i && (bound->bindings[k].set < b->set ||
                               (bound->bindings[k].set == b->set &&
                                (bound->bindings[k].binding < b->binding ||
                                 (bound->bindings[k].binding == b->binding &&
                                  bound->bindings[k].element < b->element))))
                        ? 16
                        : 0;
        const uint32_t nth = (slot - EMU_DESCRIPTORS_AT) / 16;
        if (nth < NIR_BINDINGS) {
            e->structured.bound[nth] = (struct nir_buffer){address, NULL, size};
            e->structured.bound_count = bound->binding_count;
        }
        put(e, slot, &address, sizeof address);
        put(e, slot + 8, &size, sizeof size);
    }
    put(e, EMU_GROUPS_AT, e->dispatch.groups, sizeof e->dispatch.groups);
    put(e, EMU_PUSH_AT, bound->counted ? (const void *)&counted : bound->push,
        bound->counted ? sizeof counted : bound->push_size);
    for (uint32_t i = 0; i < CAT_REGIONS; i++)
        e->buffers[i] = (struct emu_buffer){ADDRESS(i), e->region[i], e->words[i] * 4};
    e->dispatch.buffers = e->buffers;
    e->dispatch.buffer_count = CAT_REGIONS;
    e->dispatch.stop = e->region[CAT_STATE];
}

// The members of the push constants that a module names: bit i.
static uint32_t members_of(const uint32_t *words, size_t count)
{
    struct spirv_instruction one, access;
    uint32_t pushed = 0, members = 0;
    SPIRV_EACH (one, words, count)
        if (one.opcode == SpvOpVariable && spirv_operand(&one, 3, 0) == SpvStorageClassPushConstant)
            pushed = one.words[2];
    SPIRV_EACH (one, words, count)
        if (one.opcode == SpvOpConstant && spirv_operand(&one, 3, UINT32_MAX) <= CAT_REGIONS + 1)
            SPIRV_EACH (access, words, count)
                if (access.opcode == SpvOpAccessChain && access.size > 4 &&
                    access.words[3] == pushed && access.words[4] == one.words[2])
                    members |= 1u << one.words[3];
    return members;
}

// The words of push constants that are arguments: of the members that the module names.
static bool push(struct emulation *e, uint32_t seed, uint32_t words[CAT_MOST_PUSH / 4],
                 struct lit_error *error)
{
    const struct cat_interface *bound = e->ready.code.interface;
    const struct cat_module *module = e->ready.module;
    const struct counted counted = {
        {ADDRESS(0), ADDRESS(1), ADDRESS(2)}, e->ready.shape.elements, seed};
    const uint32_t members =
        members_of(cat_module_words(e->ready.which.test, module), module->count);
    uint32_t all[sizeof counted / 4], count = 0;
    memcpy(all, &counted, sizeof all);
    for (uint32_t i = 0; bound->counted && i < sizeof all / 4; i++)
        if (members >> (i < 6 ? i / 2 : i - 3) & 1)
            words[count++] = all[i];
    if (!bound->counted)
        memcpy(words, bound->push, count = bound->push_size);
    count = bound->counted ? count : count / 4;
    return count == nir_program_pushed(e->nir) || nir_program_pushed(e->nir) == 0 ||
           lit_fail(error, LIT_EXIT_UNDECIDED, "arguments that are not known");
}

static void shape_dispatch(struct emulation *e)
{
    const struct eng_prepared *p = &e->ready;
    const struct cat_interface *bound = p->code.interface;
    struct emu_dispatch *d = &e->dispatch;
    uint32_t sizes[3] = {p->args.workgroup, 1, 1};
    const char *shape = cat_axis(&p->args, "shape");
    if (shape && strchr(shape, 'x'))
        sscanf(shape, "%ux%ux%u", &sizes[0], &sizes[1], &sizes[2]);
    else if (bound->width) {
        sizes[0] = bound->width;
        sizes[1] = p->args.workgroup / bound->width;
    }
    memcpy(d->local, sizes, sizeof sizes);
    d->groups[0] = p->shape.workgroups;
    d->groups[1] = bound->rows ? bound->rows : 1;
    d->groups[2] = bound->layers ? bound->layers : 1;
    d->last = UINT32_MAX;
    d->steps = MOST_STEPS;
}

// RADV's texts are the NIR, ACO's text and the listing.
static bool open_texts(struct emulation *e, const struct isa_code *code, struct lit_error *error)
{
    const char *texts[3] = {"", "", ""};
    for (size_t i = 0, count = 0; i < code->piece_count && count < 3; i++)
        if (code->pieces[i].source == ISA_TEXT)
            texts[count++] = code->pieces[i].bytes;
    if (!nir_program_make(texts[0], texts[1], &e->nir, error))
        return false;
    const unsigned vgprs = (unsigned)strtoul(isa_statistic(code, "VGPRs"), NULL, 10);
    if (vgprs && !aco_program_make(e->nir, texts[1], texts[2], vgprs, &e->machine, NULL))
        aco_program_free(&e->machine);
    return true;
}

static bool open_emulation(struct emulation *e, const struct cat_case *which,
                           const struct dev_facts *facts, const struct isa_code *code,
                           uint64_t seed, struct lit_error *error)
{
    const struct isa_piece *piece = isa_find(code, ISA_MACHINE),
                           *constants = isa_find(code, ISA_CONSTANTS);
    const struct eng_prepare asked = {.which = which, .facts = facts, .most_words = UINT32_MAX};
    if (!eng_prepare(&asked, &e->ready, error))
        return false;
    eng_prepare_data(&e->ready, seed);
    if (e->ready.code.interface->step_count)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "several dispatches");
    e->dispatch.compiled = constants ? constants->bytes : NULL;
    e->dispatch.compiled_size = constants ? constants->size : 0;
    if (piece ? !sass_decode((const uint8_t *)piece->bytes, piece->size, piece->architecture,
                             &e->sass, error) ||
                    !emu_program_make(&e->sass, &e->program, error)
              : !open_texts(e, code, error))
        return false;
    make_regions(e);
    shape_dispatch(e);
    return true;
}

static bool run_nir(struct emulation *e, uint32_t seed, struct lit_error *error)
{
    const struct emu_dispatch *from = &e->dispatch;
    struct nir_dispatch *d = &e->structured;
    if (from->groups[1] * from->groups[2] * from->local[1] * from->local[2] != 1)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "invocations in several dimensions");
    if (!push(e, seed, e->pushed, error))
        return false;
    d->groups = from->groups[0];
    d->local = from->local[0];
    d->pushed = e->pushed;
    d->steps = from->steps;
    d->buffer_count = from->buffer_count;
    for (size_t i = 0; i < d->buffer_count; i++)
        d->buffers[i] = (struct nir_buffer){from->buffers[i].address, from->buffers[i].bytes,
                                            from->buffers[i].size};
    return e->machine && !e->in_nir ? aco_run(e->machine, d, e->late, error)
                                    : nir_run(e->nir, d, error);
}

static bool run_once(struct emulation *e, uint64_t run, struct lit_error *error)
{
    const uint32_t seed = random_of_run(e->ready.stream, run);
    fill_regions(e);
    bind(e, seed);
    return e->nir ? run_nir(e, seed, error) : emu_run(e->program, &e->dispatch, error);
}

// --- Comparison with what was measured

static void print_failure(const struct emulation *e, const char *who, const struct cat_failure *f)
{
    char where[160];
    cat_oracle_where(e->ready.oracle, &e->ready.args, &e->ready.shape, f, where, sizeof where);
    printf("      %s: instance %" PRIu64 ", %s: got 0x%x, want 0x%x\n", who, f->instance, where,
           f->got, f->want);
}

static bool agrees(const struct emulation *e, const struct result *result,
                   const struct cat_run *run)
{
    const uint64_t each = result->failed_runs ? result->failed_instances / result->failed_runs : 0;
    bool same = (run->failed > 0) == (result->failed_runs > 0);
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct cat_failure *f = &result->failures[i].at;
        const uint64_t word = f->instance * e->ready.shape.words_per_instance + f->word;
        if (f->run == result->failures[0].at.run && word < e->words[CAT_OUTPUT] &&
            e->region[CAT_OUTPUT][word] != f->got)
            same = false;
    }
    return same && (result->failed_runs != result->runs || each == run->failed);
}

// --- The cause of a wrong result

// Workgroups on which a change is judged: the first ones, with at least one wrong one.
#define JUDGED 24u

struct judging {
    struct emulation *e;
    uint64_t run, each; // instances of a workgroup
    uint32_t wrong;     // a workgroup
    uint32_t last;
};

static bool right_in(struct judging *j, uint32_t first, uint32_t last)
{
    struct emulation *e = j->e;
    const struct cat_shape *shape = &e->ready.shape;
    const size_t stride = cat_check_stride(e->ready.mode.check);
    const uint64_t words = shape->words_per_instance;
    struct cat_shape part = *shape;
    struct cat_run result = {0};
    size_t none = 0;
    e->dispatch.first = first;
    e->dispatch.last = last;
    if (!run_once(e, j->run, NULL))
        return false;
    const uint64_t from = first * j->each * words;
    part.instances = (last - first) * j->each;
    cat_mode_check(&e->ready.mode, &part, e->region[CAT_OUTPUT] + from,
                   e->ready.expected + from * stride, j->run, &result, NULL, 0, &none);
    return result.failed == 0;
}

static bool is_right(const struct emu_change *change, bool all, void *user)
{
    struct judging *j = user;
    j->e->dispatch.change = *change;
    return all ? right_in(j, 0, j->last) : right_in(j, j->wrong, j->wrong + 1);
}

static void trace_with(struct judging *j, const struct emu_change *change, struct emu_trace *trace)
{
    j->e->dispatch.trace = trace;
    is_right(change, false, j);
    j->e->dispatch.trace = NULL;
}

static void list_place(const struct emulation *e, uint32_t place, uint32_t first)
{
    for (size_t i = 0; i < e->sass.count; i++) {
        const bool near = (i + 6 > place && i < place + 4u) || (i + 4 > first && i < first + 3u);
        if (near)
            printf("    %c %04x  %s\n",
                   i == place   ? '>'
                   : i == first ? '*'
                                : ' ',
                   e->sass.insns[i].address, e->sass.insns[i].text);
    }
}

// False if the failure tells no warp; `cause` says whether one was found.
static bool find_cause(struct emulation *e, uint64_t run, const struct cat_failure *failure,
                       struct emu_cause *cause)
{
    struct judging j = {.e = e, .run = run};
    const struct cat_shape *shape = &e->ready.shape;
    if (shape->instances % shape->workgroups)
        return false;
    j.each = shape->instances / shape->workgroups;
    j.wrong = (uint32_t)(failure->instance / j.each);
    j.last = j.wrong >= JUDGED ? j.wrong + 1 : JUDGED;
    j.last = j.last > shape->workgroups ? shape->workgroups : j.last;
    // Instances are subgroups, or what each stores, in their order: the words of a kernel.
    const uint32_t *local = e->dispatch.local;
    const uint64_t warps = ((uint64_t)local[0] * local[1] * local[2] + EMU_LANES - 1) / EMU_LANES;
    const uint32_t warp = (uint32_t)(failure->instance % j.each * warps / j.each);
    struct emu_trace wrong = {.workgroup = j.wrong, .warp = warp}, right = wrong;
    const struct emu_change none = {0};
    trace_with(&j, &none, &wrong);
    e->dispatch.steps = 4 * wrong.count + 10000; // a change may make a loop endless
    if (emu_cause_find(e->program, &wrong, is_right, &j, cause)) {
        trace_with(&j, &cause->change, &right);
        emu_cause_compare(cause, &wrong, &right);
    }
    free(wrong.events);
    free(right.events);
    return true;
}

static void explain_cause(struct emulation *e, uint64_t run, const struct cat_failure *failure)
{
    struct emu_cause cause;
    OWNED(text_free) struct text text = {0}, first = {0}, out = {0};
    if (!find_cause(e, run, failure, &cause))
        return;
    text_puts(&text, "cause: ");
    emu_cause_print(e->program, &cause, &text);
    if (cause.first != EMU_NEVER)
        text_printf(&first, "first: %s at 0x%x, lane %u: %s0x%x, right would be 0x%x",
                    e->sass.insns[cause.first].text, e->sass.insns[cause.first].address,
                    cause.first_lane, cause.elsewhere ? "should not be executed here, " : "",
                    cause.got, cause.want);
    text_paragraph(&out, "      ", text.data);
    text_paragraph(&out, "      ", first.data);
    printf("%s", out.data);
    if (emu_cause_place(&cause) != EMU_NEVER)
        list_place(e, emu_cause_place(&cause), cause.first);
}

// Whether another order of what runs at the same time gives other words, or a bounded wait ran out.
static bool depends_on_timing(struct emulation *e, const struct result *result,
                              const struct cat_run *run, bool same)
{
    struct cat_run other = {0};
    size_t none = 0;
    if (e->region[CAT_STATE][0] || result->no_progress_runs || !result->runs)
        return true;
    if (same && result->expectation == CAT_FORBIDDEN)
        return false;
    e->dispatch.backwards = true;
    const bool ends = run_once(e, result->failure_count ? result->failures[0].at.run : 0, NULL);
    e->dispatch.backwards = false;
    cat_mode_check(&e->ready.mode, &e->ready.shape, e->region[CAT_OUTPUT], e->ready.expected, 0,
                   &other, NULL, 0, &none);
    return !ends || other.digest != run->digest;
}

// Runs again as the emulation now is. False: it could not, or fails.
static bool is_right_now(struct emulation *e, uint64_t run, struct cat_run *result,
                         struct cat_failure *failures, size_t *count)
{
    *result = (struct cat_run){0};
    *count = 0;
    if (!run_once(e, run, NULL))
        return false;
    cat_mode_check(&e->ready.mode, &e->ready.shape, e->region[CAT_OUTPUT], e->ready.expected, run,
                   result, failures, failures ? SHOWN : 0, count);
    return result->failed == 0;
}

// What the lint calls it, if it has a name for it.
static const char *kind_of(const struct emulation *e, const struct emu_cause *cause)
{
    const struct emu_change *change = &cause->change;
    const struct sass_insn *sass = e->sass.insns + change->insn;
    switch (change->kind) {
    case EMU_MEET:
    case EMU_TOGETHER:
        return lint_kind_name(LINT_RISK);
    case EMU_ALONE:
        return "wrong scalar";
    case EMU_INVERT:
        return lint_kind_name(LINT_TABLE);
    case EMU_TEST:
        return change->before ? lint_kind_name(LINT_BIT) : "wrong predicate";
    case EMU_GUARD:
        if (change->uniform && !sass->guard_uniform && sass_is_cross_lane(sass->op))
            return lint_kind_name(LINT_MISGUARDED);
        return "wrong predicate";
    default:
        return "executed";
    }
}

bool exp_cause(const struct cat_case *which, const struct dev_facts *facts,
               const struct isa_code *code, uint64_t seed, const char **kind, struct text *words)
{
    struct emulation e = {0};
    struct emu_cause cause;
    struct cat_run result;
    struct cat_failure failures[SHOWN];
    size_t count = 0;
    uint64_t run = 0;
    if (isa_find(code, ISA_MACHINE) && open_emulation(&e, which, facts, code, seed, NULL))
        while (run < RUNS_TRIED && is_right_now(&e, run, &result, failures, &count))
            run++;
    const bool good =
        count && find_cause(&e, run, &failures[0], &cause) && cause.change.kind != EMU_AS_IT_IS;
    if (good) {
        *kind = kind_of(&e, &cause);
        text_printf(words, "%s: ", *kind);
        emu_cause_print(e.program, &cause, words);
    }
    close_emulation(&e);
    return good;
}

static void refill(void *user)
{
    fill_regions(user);
}

// Where the subgroup of a failure computes something else than the NIR.
static void explain_parting(struct emulation *e, const struct cat_failure *failure)
{
    OWNED(text_free) struct text text = {0}, out = {0};
    struct aco_parting parting;
    const struct cat_shape *shape = &e->ready.shape;
    const uint64_t each = shape->instances / shape->workgroups;
    const uint32_t size = e->ready.args.subgroup,
                   subgroups = (e->structured.local + size - 1) / size;
    if (shape->instances % shape->workgroups)
        return;
    e->structured.watched_group = (uint32_t)(failure->instance / each);
    e->structured.watched_subgroup = (uint32_t)(failure->instance % each * subgroups / each);
    if (!aco_first(e->machine, &e->structured, e->late, refill, e, &parting, NULL))
        return;
    aco_parting_print(e->machine, &parting, &text);
    text_paragraph(&out, "      ", text.data);
    aco_parting_list(e->machine, &parting, &out);
    printf("%s", out.data);
}

// NIR that is wrong already clears what comes behind it: the driver's own compiler.
static void explain_nir(struct emulation *e, uint64_t run, const struct cat_failure *failure)
{
    OWNED(text_free) struct text text = {0}, out = {0};
    struct cat_run again;
    size_t none;
    e->in_nir = true;
    bool right = is_right_now(e, run, &again, NULL, &none);
    const char *beyond = right ? NULL : e->structured.beyond;
    if (beyond) {
        e->structured.wrap = true;
        right = is_right_now(e, run, &again, NULL, &none);
    }
    e->in_nir = false;
    if (!right)
        text_puts(&text, "cause: the NIR is wrong, not what comes behind it");
    else if (beyond)
        text_printf(
            &text,
            "cause: %.*s reads lanes that no subgroup has; right if the index counts modulo "
            "the subgroup's size, as the code behind the NIR would have to see to",
            (int)strcspn(beyond, "\n"), beyond);
    else
        text_puts(&text, "cause: the NIR is right, the machine code is not");
    text_paragraph(&out, "      ", text.data);
    printf("%s", out.data);
    if (right && e->machine)
        explain_parting(e, failure);
}

// Machine code that is right with prompt memory, and not if it is late and its caches are stale,
// lacks a wait or an invalidation, unless the test allows it.
static void explain_late(struct emulation *e, uint64_t run)
{
    struct cat_failure failures[SHOWN];
    struct cat_run again;
    size_t count;
    e->late = true;
    if (is_right_now(e, run, &again, failures, &count) || !count)
        return;
    printf("      with late memory and stale caches %" PRIu64 " of %" PRIu64 " instances fail\n",
           again.failed, e->ready.shape.instances);
    explain_parting(e, &failures[0]);
}

static void print_comparison(const struct emulating *a, const struct emulation *e, const char *name,
                             const struct result *result, const struct cat_run *run, bool same,
                             bool timed)
{
    const bool kept = a->chosen->from;
    printf("  %s %s\n",
           kept    ? same ? "right" : "wrong"
           : timed ? "time "
           : same  ? "same "
                   : "other",
           name);
    if (same && !run->failed)
        return;
    printf("      emulated: %" PRIu64 " of %" PRIu64 " instances fail", run->failed,
           e->ready.shape.instances);
    if (!kept)
        printf("; measured: %" PRIu64 " in %" PRIu64 " of %" PRIu64 " runs",
               result->failed_instances, result->failed_runs, result->runs);
    printf("\n");
    for (size_t i = 0; i < result->failure_count && i < 2 && (!same || a->chosen->verbose); i++)
        print_failure(e, "measured", &result->failures[i].at);
}

static void emulate(struct emulating *a, const char *name, const struct cat_case *which,
                    const struct isa_code *code, const struct result *result)
{
    struct emulation e = {0};
    struct lit_error why = {0};
    struct cat_failure failures[SHOWN];
    struct cat_run run = {0};
    size_t count = 0;
    const uint64_t nth = result->failure_count ? result->failures[0].at.run : 0;
    bool same = false, timed = false;
    a->count++;
    bool ran = open_emulation(&e, which, &a->device->facts, code, result->seed, &why);
    const bool readable = ran;
    ran = ran && run_once(&e, nth, &why);
    if (!ran && readable && e.machine) { // the NIR at least
        aco_program_free(&e.machine);
        ran = run_once(&e, nth, &why);
    }
    if (!ran) {
        a->refused++;
        printf("  ?     %s\n      %s\n", name, why.message);
    } else {
        cat_mode_check(&e.ready.mode, &e.ready.shape, e.region[CAT_OUTPUT], e.ready.expected, nth,
                       &run, failures, SHOWN, &count);
        same = agrees(&e, result, &run);
        timed = !a->chosen->from && depends_on_timing(&e, result, &run, same);
        *(timed ? &a->timed : same ? &a->same : &a->other) += 1;
        print_comparison(a, &e, name, result, &run, same, timed);
        for (size_t i = 0; i < count && i < 2 && (!same || a->chosen->verbose); i++)
            print_failure(&e, "emulated", &failures[i]);
    }
    const bool wanted = result->failed_runs || a->chosen->from || a->chosen->verbose;
    if (count && !a->chosen->quiet && wanted && e.nir)
        explain_nir(&e, nth, &failures[0]);
    else if (ran && !a->chosen->quiet && wanted && e.machine)
        explain_late(&e, nth);
    else if (count && !a->chosen->quiet && wanted)
        explain_cause(&e, nth, &failures[0]);
    for (size_t i = 0; i < e.sass.count && a->chosen->listing; i++)
        printf("      %04x  %s\n", e.sass.insns[i].address, e.sass.insns[i].text);
    close_emulation(&e);
}

// True once for each configuration.
static bool is_new(struct emulating *a, const char *device, const char *name)
{
    OWNED(text_free) struct text both = text_format("%s %s", device, name);
    for (size_t i = 0; i < a->done.count; i++)
        if (strcmp(a->done.items[i], both.data) == 0)
            return false;
    lit_list_add(&a->done, lit_strdup(both.data));
    return true;
}

static bool take_code(const char *device, const char *name, struct isa_code *code, void *user)
{
    struct emulating *a = user;
    struct cat_case which;
    struct lit_error why = {0};
    OWNED(eng_result_clear) struct result result = {0};
    const struct isa_piece *text = isa_find(code, ISA_TEXT);
    const bool runs =
        isa_find(code, ISA_MACHINE) || (text && strncmp(text->bytes, "shader: MESA", 12) == 0);
    if (!cat_case_parse(name, &which, &why) || !cat_selection_has(&a->selection, &which))
        return true;
    if (runs && store_result_get(a->store, a->session->id, device, name, &result, &why) &&
        is_new(a, device, name)) {
        if (a->said && a->said != a->session->id)
            printf("  session %" PRId64 ", %s\n", a->session->id, a->session->started);
        a->said = a->session->id;
        emulate(a, name, &which, code, &result);
    }
    return true;
}

static bool take_device(struct eng_device *device, void *user)
{
    struct emulating *a = user;
    a->device = device;
    return store_codes(a->store, a->session->id, device->id, NULL, take_code, a, a->error);
}

// Stops at an error.
static bool take_session(const struct store_session *session, void *user)
{
    struct emulating *a = user;
    a->session = session;
    a->said = a->said ? a->said : session->id;
    return !report_kernels_add(a->store, session->id, a->error) ||
           !store_devices(a->store, session->id, take_device, a, a->error);
}

// --- Code that litmus isa --keep wrote

// A device with every feature.
static struct eng_device any_device(uint32_t subgroup)
{
    struct eng_device device = {.number = 1,
                                .facts = {.subgroup = subgroup,
                                          .subgroup_min = subgroup,
                                          .subgroup_max = subgroup,
                                          .max_workgroup = 1024,
                                          .max_workgroups = INT32_MAX,
                                          .max_shared = 48 << 10,
                                          .max_storage_buffer = UINT32_MAX,
                                          .features = UINT64_MAX}};
    return device;
}

static void emulate_kept(struct emulating *a, uint32_t subgroup)
{
    const struct eng_device device = any_device(subgroup);
    a->device = &device;
    OWNED(eng_plan_clear)
    struct eng_plan plan = eng_plan_make(&a->selection, &device.facts, false, 0);
    for (size_t i = 0; i < plan.count; i++) {
        OWNED(text_free) struct text name = {0};
        OWNED(isa_code_clear) struct isa_code code = {0};
        cat_case_name(&plan.cases[i], &name);
        if (!isa_kept(a->chosen->from, name.data, &code))
            continue;
        const struct result none = {.seed = a->chosen->seed.given ? a->chosen->seed.value : 1};
        emulate(a, name.data, &plan.cases[i], &code, &none);
    }
}

static bool emulate_stored(struct emulating *a)
{
    OWNED(store_session_clear) struct store_session session = {0};
    a->store = store_open_read(a->chosen->db, a->error);
    const bool good = a->store &&
                      store_session_pick(a->store, take_session, a, &session, a->error) &&
                      !session.options;
    store_close(&a->store);
    return good;
}

int exp_emulate(const struct exp_code_options *chosen, const struct lit_list *patterns,
                struct lit_error *error)
{
    struct emulating a = {.chosen = chosen,
                          .selection = {.patterns = patterns->items, .count = patterns->count},
                          .error = error};
    if (!patterns->count)
        lit_fail(error, LIT_EXIT_USAGE, "missing PATTERN: as for 'litmus run'");
    if (!patterns->count || !cat_selection_check(&a.selection, error))
        return term_fail(error);
    if (!chosen->from && !emulate_stored(&a))
        return term_fail(error);
    for (uint32_t subgroup = EMU_LANES; chosen->from && subgroup <= NIR_LANES; subgroup *= 2)
        emulate_kept(&a, subgroup);
    printf("\n  %zu configuration%s: %zu %s, %zu %s, ", a.count, a.count == 1 ? "" : "s", a.same,
           chosen->from ? "right" : "as measured", a.other, chosen->from ? "wrong" : "otherwise");
    if (!chosen->from)
        printf("%zu dependent on timing, ", a.timed);
    printf("%zu not executed\n", a.refused);
    return a.other     ? LIT_EXIT_FORBIDDEN
           : a.refused ? LIT_EXIT_UNDECIDED
           : a.count   ? LIT_EXIT_OK
                       : LIT_EXIT_NOTHING;
}
