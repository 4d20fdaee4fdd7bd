// SPDX-License-Identifier: Apache-2.0
// A small concurrent program with a condition on its final states, as the VULKAN dialect of .litmus
// and Khronos's Alloy .test write it.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    AXI_THREADS = 16,
    AXI_INSTRUCTIONS = 256, // of a thread
    AXI_REFERENCES = 32,    // and locations
    AXI_REGISTERS = 64,     // of a thread
    AXI_OBSERVED = 64,      // registers and locations that conditions name
    AXI_NODES = 512,        // of all conditions
    AXI_CHECKS = 16,
    AXI_STORAGE_CLASSES = 4,
    AXI_NAME = 32, // bytes of a name, terminator included
};
#define AXI_MOST_BYTES ((size_t)1 << 20) // of a file

// From narrow to broad. Each is the dual of a memory domain; that of the Device scope is the shader
// domain.
enum axi_scope { AXI_SUBGROUP, AXI_WORKGROUP, AXI_QUEUE_FAMILY, AXI_DEVICE, AXI_SCOPES };

enum axi_kind {
    AXI_LOAD,
    AXI_STORE,
    AXI_RMW,
    AXI_MEMORY_BARRIER,
    AXI_CONTROL_BARRIER,
    AXI_AVAILABLE_DEVICE, // an availability operation to the device domain
    AXI_VISIBLE_DEVICE,
    AXI_COMPUTE,
    AXI_JUMP,
};

enum axi_operator {
    AXI_ADD,
    AXI_SUB,
    AXI_MUL,
    AXI_DIV,
    AXI_AND,
    AXI_OR,
    AXI_XOR,
    AXI_REPLACE, // the second operand
    AXI_EQ,
    AXI_NE,
    AXI_LT,
    AXI_GT,
    AXI_LE,
    AXI_GE,
    AXI_ALWAYS,
};

struct axi_operand {
    bool is_register;
    uint8_t number; // of the register
    int64_t value;
};

struct axi_instruction {
    enum axi_kind kind;
    bool atomic, acquire, release;
    bool available, visible;         // an availability or visibility operation of its own access
    bool sem_available, sem_visible; // MakeAvailable, MakeVisible in its memory semantics
    bool non_private;
    enum axi_scope scope;     // AXI_SCOPES: none
    enum axi_scope execution; // of a control barrier: its execution scope
    uint8_t storage;          // the storage class of what it accesses
    uint8_t semantics;        // storage class semantics, a bit for each
    uint8_t reference;        // index
    uint8_t target;           // register; AXI_REGISTERS: none
    bool wants;               // what it reads is `wanted`: other executions are none of the program
    bool spins;               // a jump backwards around loads that the next iteration repeats
    int64_t wanted;
    enum axi_operator operator;
    struct axi_operand a, b; // of a store and an RMW `a` is the value
    uint32_t to;             // of a jump: index, or the number of instructions
    uint32_t barrier;        // of a control barrier: which
    uint32_t line;           // in the file, from 1
};

struct axi_thread {
    unsigned number; // as in P0
    unsigned group[AXI_DEVICE];
    struct axi_instruction *instructions;
    size_t count;
    int64_t initial[AXI_REGISTERS];
};

struct axi_reference {
    char name[AXI_NAME];
    uint8_t location;
};

// A register or a location whose final value counts.
struct axi_observed {
    int thread;      // index; -1: a location
    unsigned number; // of the register or the location
    char name[AXI_NAME + 16];
};

enum axi_connective { AXI_BOTH, AXI_EITHER, AXI_NOT, AXI_COMPARE };
struct axi_node {
    enum axi_connective kind;
    uint16_t left, right; // nodes; of a comparison what is observed, where it is no constant
    enum axi_operator operator;
    bool is_constant[2];
    int64_t constant[2];
};
#define AXI_TRUE (-1) // instead of a node

enum axi_quantifier { AXI_EXISTS, AXI_EXISTS_NOT, AXI_FORALL };
// What is said of all executions, and compared with what there is.
struct axi_check {
    enum axi_quantifier quantifier;
    int condition;       // node of a condition on the final state, or AXI_TRUE
    bool any_candidate;  // of inconsistent executions too
    bool without_chains; // availability and visibility chains are not supported
    int race;            // 1: of executions with a data race, -1: of those without, 0: of all
    bool sizes_sequence; // the size of `release sequence` as a relation is asked for:
    enum axi_operator operator;
    int64_t size;
    char text[64]; // as it is written, to be printed
};

struct axi_program {
    char name[64];
    uint32_t forms; // of its kernel: bits of enum axi_form
    struct axi_thread threads[AXI_THREADS];
    size_t thread_count;
    struct axi_reference references[AXI_REFERENCES];
    size_t reference_count;
    int64_t initial[AXI_REFERENCES];    // of locations
    uint32_t synchronizes[AXI_THREADS]; // bit j of i: all of i system-synchronizes with all of j
    struct axi_observed observed[AXI_OBSERVED];
    size_t observed_count;
    struct axi_node nodes[AXI_NODES];
    size_t node_count;
    int filter; // executions whose final state does not satisfy it are left out
    struct axi_check checks[AXI_CHECKS];
    size_t check_count;
};

// Bits of forms of the kernel that runs a program: they change no verdict. A .litmus names them in
// a line before its declarations: Kernel=glsl volatile.
enum axi_form {
    AXI_GLSL = 1,              // the memory model GLSL450
    AXI_WIDE = 2,              // 64-bit: locations of 64 bits
    AXI_PHYSICAL = 4,          // locations of the buffer by their address
    AXI_VOLATILE = 8,          // all accesses
    AXI_ADDRESS_AGAIN = 16,    // of all accesses but a thread's first one the address is found anew
    AXI_ADDRESS_BY_VALUE = 32, // of accesses behind a read it depends on what was read last
    AXI_UNROLLED = 64,         // accesses of one kind, one behind the other, are a loop
    AXI_FORMS = 7,
};
// "glsl", "64-bit" and so on: of bit `form`, below AXI_FORMS.
const char *axi_form_word(unsigned form);

// Reads a program of either dialect, which the text shows: a .litmus begins with VULKAN. An error
// begins with line and column; its code is LIT_EXIT_USAGE, or LIT_EXIT_UNDECIDED where the text is
// right but cannot be expressed here. The program is to be cleared in any case.
bool axi_parse(const char *text, size_t size, struct axi_program *program, struct lit_error *error);
void axi_program_clear(struct axi_program *program);

// The first word of an instruction: "ld", "add". `operator` counts for arithmetic and jumps alone.
const char *axi_word_of(enum axi_kind kind, enum axi_operator operator);
// Appends an instruction as the VULKAN dialect writes it; a jump leads to LC and the index there.
void axi_write(const struct axi_program *program, const struct axi_instruction *instruction,
               struct text *text);

// Whether a check asks for final states of consistent executions, and nothing else.
bool axi_is_plain(const struct axi_check *check);
// Appends a condition; `words` are what stands for and, or, not: "/\\", "\\/", "~".
void axi_write_condition(const struct axi_program *program, int node, const char *const words[3],
                         struct text *text);
// Appends the program as a .litmus, with a remark (NULL: none), and of its checks the first. False
// with an error that says what it cannot express (LIT_EXIT_UNDECIDED).
bool axi_write_program(const struct axi_program *program, const char *remark, struct text *text,
                       struct lit_error *error);

// Whether a thread can jump back.
bool axi_waits(const struct axi_program *program);
bool axi_reads(const struct axi_instruction *instruction);
bool axi_writes(const struct axi_instruction *instruction);
// Where reads say what they read, that becomes what the first check asks for of consistent
// executions: each reads into a register of its own, and may read anything. False if there are too
// many such reads.
bool axi_ask_reads(struct axi_program *program);
// Whether both instructions are control barriers with the same number and scope.
bool axi_is_same_barrier(const struct axi_instruction *a, const struct axi_instruction *b);
// Whether thread `other` is in the instance of a control barrier's execution scope that `thread` is
// in, and has the barrier in its code. Both are indices.
bool axi_shares_barrier(const struct axi_program *program, size_t thread, size_t other,
                        const struct axi_instruction *barrier);
// Arithmetic modulo 2^64. False for a division by zero.
bool axi_compute(enum axi_operator operator, int64_t a, int64_t b, int64_t *result);
bool axi_compare(enum axi_operator operator, int64_t a, int64_t b);
// Whether values of program->observed satisfy a condition.
bool axi_satisfies(const struct axi_program *program, int node, const int64_t *values);
