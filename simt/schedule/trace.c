// SPDX-License-Identifier: Apache-2.0
// Writes traces of execution (format: trace.h).
#include "schedule/trace.h"

#include "program/instructions.h"
#include "schedule/workgroup.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct trace {
    FILE *file;
    bool begun;           // false if a device only compiled: writes nothing
    pthread_mutex_t lock; // makes each step's output contiguous
};

static const char *const kind_names[] = {
    [INSN_PLAIN] = "plain",     [INSN_TANGLED] = "tangled", [INSN_CROSS_LANE] = "exchange",
    [INSN_BARRIER] = "barrier", [INSN_FENCE] = "fence",     [INSN_BRANCH] = "branch",
    [INSN_IF] = "if",           [INSN_SWITCH] = "switch",   [INSN_CALL] = "call",
    [INSN_RETURN] = "return",   [INSN_END] = "end",         [INSN_UNREACHABLE] = "unreachable",
};

const char *const trace_end_names[] = {
    [DISPATCH_DONE] = "done",     [DISPATCH_FAULT] = "fault", [DISPATCH_STOPPED] = "stopped",
    [DISPATCH_MEMORY] = "memory", [DISPATCH_CUT] = "cut",
};

// Reads only plain files, no pipes.
static bool is_database(const char *path)
{
    char first[16] = "";
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
    const bool is = file && fread(first, sizeof first, 1, file) == 1 &&
                    memcmp(first, "SQLite format 3", sizeof first) == 0;
    if (file)
        fclose(file);
    return is;
}

FILE *trace_append(const char *path)
{
    return is_database(path) ? NULL : fopen(path, "ae");
}

struct trace *trace_open(const char *path)
{
    struct trace *trace = calloc(1, sizeof(*trace));
    if (!trace)
        return NULL;
    trace->file = trace_append(path);
    if (!trace->file) {
        free(trace);
        return NULL;
    }
    pthread_mutex_init(&trace->lock, NULL);
    return trace;
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    fclose(trace->file);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

bool trace_is_atomic(const struct insn *insn)
{
    return insn->run && ((insn->opcode >= SpvOpAtomicLoad && insn->opcode <= SpvOpAtomicXor) ||
                         insn->opcode == SpvOpAtomicFAddEXT);
}

bool trace_is_matrix(const struct insn *insn)
{
    return insn->run == matrix_load || insn->run == matrix_store;
}

uint32_t trace_bytes(const struct program *program, const struct insn *insn)
{
    uint32_t bytes = trace_is_atomic(insn) ? (uint32_t)(insn->literal >> 8) / 8 : 0;
    const bool moves = insn->run == memory_load || insn->run == memory_store;
    for (uint32_t i = 0; moves && i < insn->extra_count; i++) {
        const uint32_t *piece = program->extra + insn->extra + i * PIECE_WORDS;
        const uint32_t end = piece[1] + (piece[3] == PIECE_BOOL ? 4 : piece[2] / 8);
        bytes = end > bytes ? end : bytes;
    }
    return bytes;
}

static uint32_t constant_of(const struct program *program, uint32_t cell)
{
    for (uint32_t i = 0; i < program->constant_count && cell != CELL_NONE; i++)
        if (program->constants[i].cell == cell)
            return (uint32_t)program->constants[i].value;
    return 0; // impossible in a valid module
}

// An instruction's effect on memory, and its position in the module.
static void put_memory(struct trace *trace, const struct program *program, uint32_t pc)
{
    const struct insn *insn = &program->insns[pc];
    const char *access = "none";
    uint32_t scope = CELL_NONE, semantics = CELL_NONE, execution = CELL_NONE, operands = 0;
    uint32_t bytes = trace_bytes(program, insn);
    if (insn->run == memory_load || insn->run == memory_store) {
        access = insn->run == memory_load ? "load" : "store";
        operands = insn->flags & ACCESS_NON_PRIVATE ? SpvMemoryAccessNonPrivatePointerMask : 0;
    } else if (trace_is_matrix(insn)) {
        access = insn->run == matrix_load ? "matrix-load" : "matrix-store";
        bytes = insn->width / 8u; // of an element
    } else if (trace_is_atomic(insn)) {
        access = insn->opcode == SpvOpAtomicLoad    ? "atomic-load"
                 : insn->opcode == SpvOpAtomicStore ? "atomic-store"
                                                    : "atomic";
        scope = insn->operand[1];
        semantics = insn->operand[2];
    } else if (insn->kind == INSN_BARRIER || insn->kind == INSN_FENCE) {
        const bool is_control = insn->kind == INSN_BARRIER;
        access = "order";
        execution = is_control ? insn->operand[0] : CELL_NONE;
        scope = insn->operand[is_control];
        semantics = insn->operand[1 + is_control];
    }
    fprintf(trace->file, "memory %u %s %u %u %u %u %u\n", pc, access, insn->at, bytes,
            constant_of(program, scope), constant_of(program, semantics) | operands,
            constant_of(program, execution));
}

// An instruction's effect on register variables, and the function that it calls.
static void put_registers(struct trace *trace, const struct program *program, uint32_t pc)
{
    const struct insn *insn = &program->insns[pc];
    const bool by_pointer = insn->run == memory_load_register || insn->run == memory_store_register;
    const bool is_store = REGISTER_STORES(insn->literal);
    if (insn->kind == INSN_CALL)
        fprintf(trace->file, "call %u %" PRIu64 "\n", pc, insn->literal);
    if (!by_pointer && (insn->run != compose_copy || !insn->literal))
        return;
    fprintf(trace->file, "register %u %s %u %u ", pc, is_store ? "store" : "load", insn->at,
            REGISTER_BYTES(insn->literal));
    if (by_pointer)
        fputs("- ", trace->file);
    else
        fprintf(trace->file, "%u ", is_store ? insn->result : insn->operand[0]);
    fprintf(trace->file, "%u\n", REGISTER_CELLS(insn->literal));
}

static void put_undefined(struct trace *trace, const struct undefined_cells *run)
{
    fprintf(trace->file, "undefined %u %u ", run->cell, run->count);
    if (run->function == FUNCTION_NONE)
        fputs("- ", trace->file);
    else
        fprintf(trace->file, "%u ", run->function);
    fprintf(trace->file, "%%%s\n", run->name);
}

// The existing elements of a binding.
static void put_buffers(struct trace *trace, const struct dispatch *dispatch,
                        const struct resource *resource)
{
    const uint32_t count = resource->count ? resource->count : RESOURCE_RUNTIME_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct region *region = &dispatch->local[resource->first_region - LOCAL_SHARED + i];
        if (region->bytes)
            fprintf(trace->file, "buffer %u %u %u %u %" PRIu64 " %" PRIx64 "\n",
                    resource->first_region + i, resource->set, resource->binding, i, region->size,
                    region->address);
    }
}

void trace_dispatch(struct trace *trace, uint64_t number, const struct settings *settings,
                    const struct dispatch *dispatch)
{
    const struct program *program = dispatch->program;
    if (!trace->begun)
        fputs("simt-trace 1\n", trace->file);
    trace->begun = true;
    fprintf(trace->file,
            "dispatch %" PRIu64 " model %s seed %" PRIu64
            " subgroup %u groups %u %u %u local %u %u %u\n",
            number, model_names[settings->model], settings->seed, program->subgroup,
            dispatch->groups[0], dispatch->groups[1], dispatch->groups[2], program->local_size[0],
            program->local_size[1], program->local_size[2]);
    for (uint32_t pc = 0; pc < program->insn_count; pc++)
        fprintf(trace->file, "code %u %s %s\n", pc, kind_names[program->insns[pc].kind],
                program->lines[pc] ? program->lines[pc] : "");
    for (uint32_t pc = 0; pc < program->insn_count; pc++) {
        put_memory(trace, program, pc);
        put_registers(trace, program, pc);
    }
    for (uint32_t i = 0; i < program->undefined_count; i++)
        put_undefined(trace, &program->undefined[i]);
    for (uint32_t i = 0; i < program->resource_count; i++)
        put_buffers(trace, dispatch, &program->resources[i]);
    fprintf(trace->file, "shared %" PRIu64 "\n", program->shared_size);
    for (uint32_t i = 0; i < program->shared_zero_count; i++)
        fprintf(trace->file, "zero %" PRIu64 " %" PRIu64 "\n", program->shared_zero[i].at,
                program->shared_zero[i].size);
}

// The cell most relevant to an instruction: its result, stored value or condition.
static uint32_t telling_cell(const struct insn *insn)
{
    if (insn->result != CELL_NONE)
        return insn->result;
    if (insn->run == memory_store || insn->run == memory_store_register)
        return insn->operand[1];
    if (insn->opcode == SpvOpAtomicStore || insn->run == matrix_store)
        return insn->operand[3];
    return insn->kind == INSN_IF || insn->kind == INSN_SWITCH ? insn->operand[0] : CELL_NONE;
}

void trace_step(struct trace *trace, const struct exec *exec, uint64_t time, uint64_t workgroup)
{
    const struct insn *insn = exec->insn;
    const uint32_t cell = telling_cell(insn), pc = (uint32_t)(insn - exec->program->insns);
    const bool matrix = trace_is_matrix(insn);
    const uint32_t elements = matrix ? MATRIX_ROWS(insn) * MATRIX_COLUMNS(insn) : exec->width;
    const uint64_t high = (uint64_t)(exec->mask >> 64), low = (uint64_t)exec->mask;
    pthread_mutex_lock(&trace->lock);
    // Each element of a matrix is a step of the lane that has it.
    for (uint32_t first = 0; first < elements; first += exec->width)
        for (uint32_t i = 0; i < exec->count && first + exec->lane[i] < elements; i++) {
            const unsigned lane = exec->lane[i];
            const struct exec_seen *seen = &exec->seen[lane];
            const uint64_t address =
                matrix ? matrix_address(exec, insn, lane, first + lane) : seen->address;
            fprintf(trace->file, "step %" PRIu64 " %" PRIu64 " %u %u %u ", time, workgroup,
                    exec->subgroup_id, lane, pc);
            if (cell != CELL_NONE)
                fprintf(trace->file, "%" PRIx64 " ",
                        exec_cells(exec, cell + first / exec->width)[lane]);
            else
                fputs("- ", trace->file);
            if (seen->source != 255)
                fprintf(trace->file, "%u ", seen->source);
            else
                fputs("- ", trace->file);
            if (address != UINT64_MAX)
                fprintf(trace->file, "%" PRIx64 "%s ", address,
                        seen->outside && !matrix ? "!" : "");
            else
                fputs("- ", trace->file);
            if (high)
                fprintf(trace->file, "%" PRIx64 "%016" PRIx64 "\n", high, low);
            else
                fprintf(trace->file, "%" PRIx64 "\n", low);
        }
    pthread_mutex_unlock(&trace->lock);
}

void trace_left(struct trace *trace, uint64_t workgroup, const struct subgroup *subgroup)
{
    each_lane (lane, subgroup->live)
        fprintf(trace->file, "left %" PRIu64 " %u %u %u %s\n", workgroup, subgroup->number, lane,
                subgroup->pc[lane], subgroup->runnable >> lane & 1 ? "runs" : "waits");
}

void trace_end(struct trace *trace, uint64_t number, uint64_t switches, enum dispatch_end end)
{
    fprintf(trace->file, "switches %" PRIu64 "\nend %" PRIu64 " %s\n", switches, number,
            trace_end_names[end]);
    fflush(trace->file);
}
