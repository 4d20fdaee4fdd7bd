// SPDX-License-Identifier: Apache-2.0
#include "schedule/check.h"

#include "memory/host.h"
#include "program/address.h"
#include "program/instructions.h"
#include "schedule/trace.h"
#include "schedule/workgroup.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS_MAX    (UINT32_C(1) << 22) // at a time: 400 MB
#define WORDS_LEAST  (UINT32_C(1) << 12)
#define GROUPS_MAX   (UINT64_C(1) << 20)
#define FINDINGS_MAX 256

enum { BUFFERS, SHARED, IMAGES, STORAGES };

// Times at which invocations released, ascending, and the last at which one acquired.
struct sync {
    uint64_t *released; // owned
    uint32_t count, capacity;
    uint64_t acquired, read; // read: the last atomic that did
    bool fenced;             // a release fence has been executed
};

struct group {
    uint64_t barrier[STORAGES]; // time of the last one with semantics for that memory
    struct sync any, wide;      // of any scope; of the device's or wider
    unsigned char *defined;     // [subgroup][cell][lane]: the lane stored to it; NULL: none. Owned
    uint64_t *clocks; // [subgroup][lane][other]: when a barrier last ordered what the other
                      // lane had done; NULL: no such barrier. Owned
};

struct access {
    uint64_t time; // 0: none
    uint32_t group, pc;
    uint16_t invocation; // in its workgroup: subgroup * width + lane
    uint8_t bytes;       // of the word: a bit for each
    bool atomic;
};

// Four aligned bytes of the host's memory.
struct word {
    uintptr_t key; // address / 4
    uint32_t dispatch;
    uint32_t group; // + 1: of Workgroup memory; 0: of a buffer
    struct access wrote, reads[2];
    uint8_t written; // bytes of Workgroup memory
};

struct finding {
    enum exec_fault_kind kind;
    uint64_t shader; // program->key
    uint32_t pc, other;
};

struct check {
    uint32_t checks;
    machine_report *report;
    void *user;
    struct check *next; // of all that are not freed

    const struct dispatch *dispatch;
    uint32_t number; // of the dispatch, from 1
    struct group *groups;
    uint64_t group_count;
    struct word *words; // open addressing; those of earlier dispatches are free
    uint32_t capacity, used;

    struct finding findings[FINDINGS_MAX];
    uint32_t finding_count;
    uint64_t unchecked; // accesses for which there was no room
};

static struct check *all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

// Findings

static void summarise(const struct check *check, char *text, size_t size)
{
    uint32_t races = 0, reads = 0, barriers = 0, outside = 0;
    for (uint32_t i = 0; i < check->finding_count; i++) {
        const enum exec_fault_kind kind = check->findings[i].kind;
        races += kind == EXEC_RACE;
        reads += kind == EXEC_UNINITIALISED || kind == EXEC_UNDEFINED;
        barriers += kind == EXEC_MISSED;
        outside += kind < EXEC_RACE;
    }
    const int length = snprintf(text, size,
                                "check: dispatches %" PRIu32 ", data races %" PRIu32
                                ", uninitialised reads %" PRIu32 ", missed barriers %" PRIu32
                                ", other faults %" PRIu32 "%s",
                                check->number, races, reads, barriers, outside,
                                check->finding_count == FINDINGS_MAX ? ", and more" : "");
    if (check->unchecked && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, "; %" PRIu64 " accesses were not compared",
                 check->unchecked);
}

__attribute__((destructor)) static void summarise_all(void)
{
    char text[256];
    for (const struct check *check = all; check; check = check->next) {
        summarise(check, text, sizeof text);
        fprintf(stderr, "simt: %s\n", text);
    }
}

// Whether a finding is new.
static bool is_new(struct check *check, const struct finding *finding)
{
    for (uint32_t i = 0; i < check->finding_count; i++) {
        const struct finding *each = &check->findings[i];
        if (each->kind == finding->kind && each->shader == finding->shader &&
            each->pc == finding->pc && each->other == finding->other)
            return false;
    }
    if (check->finding_count == FINDINGS_MAX)
        return false;
    check->findings[check->finding_count++] = *finding;
    return true;
}

static void say(struct check *check, const char *text, const char *more, uint32_t pc,
                uint32_t other)
{
    const struct program *program = check->dispatch->program;
    const uint32_t line = program_line(program, pc), before = program_line(program, other);
    char all_of_it[1024], lines[64] = "";
    if (line && before && line != before)
        snprintf(lines, sizeof lines, ", lines %" PRIu32 " and %" PRIu32, line, before);
    else if (line || before)
        snprintf(lines, sizeof lines, ", line %" PRIu32, line ? line : before);
    snprintf(all_of_it, sizeof all_of_it, "%s%s; shader %016" PRIx64 "%s", text, more, program->key,
             lines);
    check->report(check->user, all_of_it);
}

// `before`: the other access of a race, or NULL.
static void find(struct check *check, const struct exec_fault *fault, const struct access *before)
{
    const struct dispatch *dispatch = check->dispatch;
    const struct program *program = dispatch->program;
    const uint32_t pc = (uint32_t)(fault->insn - program->insns);
    const struct finding finding = {fault->kind, program->key, pc, before ? before->pc : pc};
    char text[512], that[400], more[480] = "";
    if (!is_new(check, &finding))
        return;
    exec_fault_text(fault, program, text, sizeof text);
    if (before) {
        const uint32_t *groups = dispatch->groups, *base = dispatch->base;
        const struct exec_fault earlier = {
            .kind = EXEC_EARLIER,
            .insn = &program->insns[before->pc],
            .group = {base[0] + before->group % groups[0],
                      base[1] + before->group / groups[0] % groups[1],
                      base[2] + before->group / groups[0] / groups[1]},
            .subgroup = before->invocation / program->subgroup,
            .lane = before->invocation % program->subgroup,
        };
        exec_fault_text(&earlier, program, that, sizeof that);
        snprintf(more, sizeof more, "; nothing orders it after %s", that);
    }
    say(check, text, more, pc, finding.other);
}

bool check_fault(struct check *check, const struct exec_fault *fault)
{
    if (!(check->checks & CHECK_BOUNDS) || !fault->insn || fault->kind > EXEC_MISALIGNED)
        return false;
    find(check, fault, NULL);
    return true;
}

// Order

static bool releases(uint64_t semantics)
{
    return semantics & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask |
                        SpvMemorySemanticsSequentiallyConsistentMask);
}

static bool acquires(uint64_t semantics)
{
    return semantics & (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask |
                        SpvMemorySemanticsSequentiallyConsistentMask);
}

static void release(struct sync *sync, uint64_t time)
{
    if (sync->count && sync->released[sync->count - 1] == time)
        return;
    if (sync->count == sync->capacity) {
        const uint32_t capacity = sync->capacity ? 2 * sync->capacity : 4;
        uint64_t *released = realloc(sync->released, capacity * sizeof *released);
        if (!released)
            return;
        sync->released = released;
        sync->capacity = capacity;
    }
    sync->released[sync->count++] = time;
}

static void order_by_atomic(struct sync *sync, const struct insn *insn, uint64_t semantics,
                            uint64_t time)
{
    if (insn->opcode != SpvOpAtomicLoad && (sync->fenced || releases(semantics)))
        release(sync, time);
    if (insn->opcode == SpvOpAtomicStore)
        return;
    sync->read = time;
    if (acquires(semantics))
        sync->acquired = time;
}

static void order_by_fence(struct sync *sync, uint64_t semantics)
{
    sync->fenced |= releases(semantics);
    if (acquires(semantics) && sync->read > sync->acquired)
        sync->acquired = sync->read;
}

static bool is_wide(uint64_t scope)
{
    return scope == SpvScopeCrossDevice || scope == SpvScopeDevice || scope == SpvScopeQueueFamily;
}

// Whether something was released after `time`, and acquired after that.
static bool is_passed_on(const struct sync *from, const struct sync *to, uint64_t time)
{
    uint32_t low = 0, high = from->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (from->released[middle] > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low < from->count && from->released[low] <= to->acquired;
}

static uint64_t *clock_of(const struct exec *exec, const struct group *group, unsigned lane)
{
    return group->clocks + ((size_t)exec->subgroup_id * exec->width + lane) * exec->width;
}

static void order_subgroup(const struct exec *exec, struct group *group, uint64_t time)
{
    uint64_t latest[LANES_MAX] = {0};
    if (!group->clocks)
        group->clocks = calloc((size_t)exec->workgroup->subgroup_count * exec->width * exec->width,
                               sizeof *group->clocks);
    for (uint32_t l = 0; group->clocks && l < exec->count; l++) {
        const uint64_t *clock = clock_of(exec, group, exec->lane[l]);
        for (uint32_t i = 0; i < exec->width; i++)
            latest[i] = clock[i] > latest[i] ? clock[i] : latest[i];
    }
    for (uint32_t l = 0; l < exec->count; l++)
        latest[exec->lane[l]] = time;
    for (uint32_t l = 0; group->clocks && l < exec->count; l++)
        memcpy(clock_of(exec, group, exec->lane[l]), latest, exec->width * sizeof latest[0]);
}

static void order_by(const struct exec *exec, struct group *group, uint64_t time)
{
    const struct insn *insn = exec->insn;
    const unsigned lane = exec->lane[0], is_control = insn->kind == INSN_BARRIER;
    const uint64_t scope = exec_cells(exec, insn->operand[is_control])[lane];
    const uint64_t semantics = exec_cells(exec, insn->operand[is_control + 1])[lane];
    const uint64_t execution = is_control ? exec_cells(exec, insn->operand[0])[lane] : 0;
    const bool orders = releases(semantics) || acquires(semantics);
    if (is_control && orders && execution == SpvScopeSubgroup)
        order_subgroup(exec, group, time);
    if (is_control && orders && execution == SpvScopeWorkgroup) {
        if (semantics & SpvMemorySemanticsWorkgroupMemoryMask)
            group->barrier[SHARED] = time;
        if (semantics & SpvMemorySemanticsUniformMemoryMask)
            group->barrier[BUFFERS] = time;
        if (semantics & SpvMemorySemanticsImageMemoryMask)
            group->barrier[IMAGES] = time;
    }
    order_by_fence(&group->any, semantics);
    if (is_wide(scope))
        order_by_fence(&group->wide, semantics);
}

static bool is_ordered(const struct check *check, const struct exec *exec, const struct access *a,
                       const struct access *b, int storage)
{
    const struct group *group = &check->groups[b->group];
    if (a->group != b->group)
        return is_passed_on(&check->groups[a->group].wide, &group->wide, a->time);
    const uint32_t lane = a->invocation % exec->width;
    return a->invocation == b->invocation || a->time < group->barrier[storage] ||
           (group->clocks && a->invocation / exec->width == exec->subgroup_id &&
            a->time < clock_of(exec, group, b->invocation % exec->width)[lane]) ||
           is_passed_on(&group->any, &group->any, a->time);
}

// Accesses

static uint32_t place(const struct check *check, uintptr_t key)
{
    uint32_t at = (uint32_t)((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    for (at &= check->capacity - 1;; at = (at + 1) & (check->capacity - 1))
        if (check->words[at].dispatch != check->number || check->words[at].key == key)
            return at;
}

static bool grow(struct check *check)
{
    struct word *old = check->words;
    const uint32_t before = check->capacity;
    if (before == WORDS_MAX)
        return false;
    check->capacity = before ? 2 * before : WORDS_LEAST;
    check->words = calloc(check->capacity, sizeof *check->words);
    if (!check->words) {
        check->words = old;
        check->capacity = before;
        return false;
    }
    for (uint32_t i = 0; i < before; i++)
        if (old[i].dispatch == check->number)
            check->words[place(check, old[i].key)] = old[i];
    free(old);
    return true;
}

// The word with that key; NULL if there is no room.
static struct word *word_of(struct check *check, uintptr_t key, uint32_t group)
{
    struct word *word = &check->words[place(check, key)];
    if (word->dispatch != check->number) {
        if (check->used >= check->capacity / 4 * 3) {
            if (!grow(check))
                return NULL;
            word = &check->words[place(check, key)];
        }
        check->used++;
        *word = (struct word){.key = key, .dispatch = check->number, .group = group};
    }
    if (word->group != group) // the memory is another workgroup's now
        *word = (struct word){.key = key, .dispatch = check->number, .group = group};
    return word;
}

static bool is_zero(const struct program *program, uint64_t at, uint32_t size)
{
    for (uint32_t i = 0; i < program->shared_zero_count; i++)
        if (at >= program->shared_zero[i].at &&
            at + size <= program->shared_zero[i].at + program->shared_zero[i].size)
            return true;
    return false;
}

enum { READS = 1, WRITES = 2 };

static bool is_race(const struct check *check, const struct exec *exec, const struct access *a,
                    const struct access *b, int storage)
{
    return a->time && a->bytes & b->bytes && !(a->atomic && b->atomic) &&
           !is_ordered(check, exec, a, b, storage);
}

// One word of an access; one without a time is not compared. Returns the access that it races with,
// or NULL.
static const struct access *touch(struct check *check, const struct exec *exec, struct word *word,
                                  const struct access *access, int storage, unsigned does,
                                  struct access *raced)
{
    const struct access *found = NULL;
    if (!access->time) {
        word->written |= does & WRITES ? access->bytes : 0;
        return NULL;
    }
    if (is_race(check, exec, &word->wrote, access, storage))
        found = &word->wrote;
    for (int i = 0; i < 2 && does & WRITES && !found; i++)
        if (is_race(check, exec, &word->reads[i], access, storage))
            found = &word->reads[i];
    if (found)
        *raced = *found;
    if (does & WRITES) {
        word->wrote = *access;
        word->reads[0].time = word->reads[1].time = 0;
        word->written |= access->bytes;
    } else {
        const bool same = word->reads[0].invocation == access->invocation &&
                          word->reads[0].group == access->group;
        word->reads[word->reads[0].time && !same] = *access;
    }
    return found ? raced : NULL;
}

static void visit(struct check *check, const struct exec *exec, unsigned lane, uint64_t address,
                  uint32_t size, unsigned does, struct access access)
{
    struct region region;
    const uint32_t number = host_region_number(address);
    const uint64_t offset = host_region_offset(address);
    if (address == POINTER_BAD || number == LOCAL_PUSH || !host_region(exec, number, &region) ||
        region.read_only || offset > region.size || region.size - offset < size)
        return;
    const bool is_shared = number == LOCAL_SHARED;
    const int storage = is_shared ? SHARED : region.extent[0] ? IMAGES : BUFFERS;
    const uintptr_t first = (uintptr_t)region.bytes + offset;
    bool uninitialised = false;
    for (uintptr_t key = first / 4; key <= (first + size - 1) / 4; key++) {
        struct word *word = word_of(check, key, is_shared ? access.group + 1 : 0);
        struct access raced;
        if (!word) {
            check->unchecked++;
            continue;
        }
        access.bytes = 0;
        for (uint32_t i = 0; i < 4; i++)
            access.bytes |= (key * 4 + i >= first && key * 4 + i < first + size) << i;
        uninitialised |= is_shared && does & READS && access.bytes & ~word->written;
        if (touch(check, exec, word, &access, storage, does, &raced) &&
            check->checks & CHECK_RACES) {
            const struct exec_fault fault = exec_fault_of(exec, EXEC_RACE, lane, address, size);
            find(check, &fault, &raced);
        }
    }
    if (uninitialised && check->checks & CHECK_UNINITIALISED &&
        !is_zero(exec->program, offset, size)) {
        const struct exec_fault fault =
            exec_fault_of(exec, EXEC_UNINITIALISED, lane, address, size);
        find(check, &fault, NULL);
    }
}

// The elements of a cooperative matrix, each by the lane that has it. They are not compared.
static void visit_matrix(struct check *check, const struct exec *exec, uint32_t group)
{
    const struct insn *insn = exec->insn;
    const unsigned does = insn->run == matrix_load ? READS : WRITES;
    for (uint32_t i = 0; i < MATRIX_ROWS(insn) * MATRIX_COLUMNS(insn); i++) {
        const unsigned lane = i % exec->width;
        if (lanes_has(exec->mask, lane))
            visit(check, exec, lane, matrix_address(exec, insn, lane, i), insn->width / 8, does,
                  (struct access){.group = group});
    }
}

// Variables

static bool is_undefined(const struct program *program, uint32_t cell)
{
    for (uint32_t i = 0; i < program->undefined_count; i++)
        if (cell >= program->undefined[i].cell &&
            cell - program->undefined[i].cell < program->undefined[i].count)
            return true;
    return false;
}

static unsigned char *defined_of(const struct exec *exec, struct group *group, uint32_t cell)
{
    const size_t cells = exec->program->cell_count, width = exec->width;
    if (!group->defined)
        group->defined = calloc(exec->workgroup->subgroup_count * cells, width);
    return group->defined ? group->defined + (exec->subgroup_id * cells + cell) * width : NULL;
}

// A lane loads `count` cells of variables, or stores to them. It is an error to load them if the
// lane has stored to none.
static void visit_cells(struct check *check, const struct exec *exec, struct group *group,
                        unsigned lane, uint32_t first, uint32_t count, bool is_store)
{
    bool undefined = !is_store && count;
    for (uint32_t cell = first; cell < first + count; cell++) {
        unsigned char *defined = defined_of(exec, group, cell);
        if (defined && is_store)
            defined[lane] = true;
        undefined = undefined && defined && !defined[lane] && is_undefined(exec->program, cell);
    }
    if (undefined) {
        const struct exec_fault fault = exec_fault_of(exec, EXEC_UNDEFINED, lane, 0, 0);
        find(check, &fault, NULL);
    }
}

static void visit_variables(struct check *check, const struct exec *exec, struct group *group)
{
    const struct insn *insn = exec->insn;
    const struct program *program = exec->program;
    const bool by_pointer = insn->run == memory_load_register || insn->run == memory_store_register;
    const bool is_store = REGISTER_STORES(insn->literal);
    const uint32_t count = REGISTER_CELLS(insn->literal);
    for (uint32_t i = 0; insn->kind == INSN_CALL && i < program->undefined_count; i++) {
        const struct undefined_cells *run = &program->undefined[i];
        for (uint32_t c = 0; run->function == insn->literal && c < run->count; c++) {
            unsigned char *defined = defined_of(exec, group, run->cell + c);
            for (uint32_t l = 0; defined && l < exec->count; l++)
                defined[exec->lane[l]] = false;
        }
    }
    if (insn->kind == INSN_CALL || (!by_pointer && (insn->run != compose_copy || !insn->literal)))
        return;
    for (uint32_t l = 0; l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint64_t first = by_pointer ? exec->seen[lane].address
                               : is_store ? insn->result
                                          : insn->operand[0];
        if (count <= program->cell_count && first <= program->cell_count - count)
            visit_cells(check, exec, group, lane, (uint32_t)first, count, is_store);
    }
}

void check_step(struct check *check, const struct exec *exec, uint64_t time, uint64_t workgroup)
{
    const struct insn *insn = exec->insn;
    const struct program *program = exec->program;
    const bool moves = insn->run == memory_load || insn->run == memory_store;
    const bool atomic = trace_is_atomic(insn);
    struct access access = {.time = time,
                            .group = (uint32_t)workgroup,
                            .pc = (uint32_t)(insn - program->insns),
                            .atomic = atomic};
    if (workgroup >= check->group_count)
        return;
    struct group *group = &check->groups[workgroup];
    if (check->checks & CHECK_UNINITIALISED && program->undefined_count)
        visit_variables(check, exec, group);
    if (insn->kind == INSN_BARRIER || insn->kind == INSN_FENCE)
        order_by(exec, group, time);
    const unsigned does = insn->run == memory_load || insn->opcode == SpvOpAtomicLoad ? READS
                          : insn->run == memory_store || insn->opcode == SpvOpAtomicStore
                              ? WRITES
                              : READS | WRITES;
    if (trace_is_matrix(insn))
        visit_matrix(check, exec, access.group);
    for (uint32_t l = 0; (moves || atomic) && l < exec->count; l++) {
        const unsigned lane = exec->lane[l];
        const uint64_t address = exec->seen[lane].address;
        access.invocation = (uint16_t)(exec->subgroup_id * exec->width + lane);
        for (uint32_t i = 0; moves && i < insn->extra_count; i++) {
            const uint32_t *piece = program->extra + insn->extra + i * PIECE_WORDS;
            visit(check, exec, lane, host_add(address, piece[1]),
                  piece[3] == PIECE_BOOL ? 4 : piece[2] / 8, does, access);
        }
        if (atomic)
            visit(check, exec, lane, address, (uint32_t)(insn->literal >> 8) / 8, does, access);
    }
    if (atomic) {
        const unsigned lane = exec->lane[0];
        const uint64_t semantics = exec_cells(exec, insn->operand[2])[lane];
        order_by_atomic(&group->any, insn, semantics, time);
        if (is_wide(exec_cells(exec, insn->operand[1])[lane]))
            order_by_atomic(&group->wide, insn, semantics, time);
    }
}

// Barriers

void check_barrier(struct check *check, const struct workgroup *workgroup)
{
    const struct program *program = check->dispatch->program;
    uint32_t all_pc = UINT32_MAX, waiting = 0, present = 0;
    struct exec_fault fault = {.kind = EXEC_MISSED,
                               .group = {workgroup->id[0], workgroup->id[1], workgroup->id[2]}};
    if (!(check->checks & CHECK_BARRIERS))
        return;
    for (uint32_t i = 0; i < workgroup->subgroup_count; i++) {
        const struct subgroup *subgroup = &workgroup->subgroups[i];
        each_lane (lane, subgroup->present) {
            present++;
            if (!(subgroup->at_barrier >> lane & 1))
                continue;
            if (all_pc == UINT32_MAX) {
                all_pc = subgroup->pc[lane];
                fault.insn = &program->insns[all_pc];
                fault.subgroup = i;
                fault.lane = lane;
            }
            waiting += subgroup->pc[lane] == all_pc;
        }
    }
    const struct finding finding = {EXEC_MISSED, program->key, all_pc, all_pc};
    if (waiting == present || all_pc == UINT32_MAX || !is_new(check, &finding))
        return;
    char text[512], more[96];
    exec_fault_text(&fault, program, text, sizeof text);
    snprintf(more, sizeof more, "; %" PRIu32 " of %" PRIu32 " invocations are there", waiting,
             present);
    say(check, text, more, all_pc, all_pc);
}

// The whole

static void free_groups(struct check *check)
{
    for (uint64_t i = 0; i < check->group_count; i++) {
        free(check->groups[i].any.released);
        free(check->groups[i].wide.released);
        free(check->groups[i].clocks);
        free(check->groups[i].defined);
    }
    free(check->groups);
    check->groups = NULL;
    check->group_count = 0;
}

struct check *check_create(uint32_t checks, machine_report *report, void *user)
{
    struct check *check = calloc(1, sizeof *check);
    if (!check || !grow(check)) {
        free(check);
        return NULL;
    }
    check->checks = checks;
    check->report = report;
    check->user = user;
    pthread_mutex_lock(&all_lock);
    check->next = all;
    all = check;
    pthread_mutex_unlock(&all_lock);
    return check;
}

void check_free(struct check *check)
{
    char text[256];
    if (!check)
        return;
    pthread_mutex_lock(&all_lock);
    struct check **at = &all;
    while (*at != check)
        at = &(*at)->next;
    *at = check->next;
    pthread_mutex_unlock(&all_lock);
    summarise(check, text, sizeof text);
    check->report(check->user, text);
    free_groups(check);
    free(check->words);
    free(check);
}

bool check_dispatch(struct check *check, const struct dispatch *dispatch)
{
    const uint64_t groups =
        (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2];
    free_groups(check);
    check->dispatch = dispatch;
    check->number++;
    check->used = 0;
    check->groups = calloc(groups < GROUPS_MAX ? groups : GROUPS_MAX, sizeof *check->groups);
    check->group_count = !check->groups ? 0 : groups < GROUPS_MAX ? groups : GROUPS_MAX;
    return check->groups;
}

void check_end(struct check *check, uint64_t workgroup)
{
    if (workgroup >= check->group_count)
        return;
    free(check->groups[workgroup].clocks);
    check->groups[workgroup].clocks = NULL;
    free(check->groups[workgroup].defined);
    check->groups[workgroup].defined = NULL;
}
