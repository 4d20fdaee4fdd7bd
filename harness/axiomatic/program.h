// SPDX-License-Identifier: Apache-2.0
// A small concurrent program with a condition on its final states, as written in the VULKAN dialect
// of .litmus and in Khronos's Alloy .test.
#pragma once

#include "base/error.h"
#include "base/text.h"

enum {
    AXI_THREADS = 16,
    AXI_INSTRUCTIONS = 256, // per thread
    AXI_REFERENCES = 32,    // also the limit for locations
    AXI_REGISTERS = 64,     // per thread
    AXI_OBSERVED = 64,      // registers and locations that conditions name
    AXI_NODES = 512,        // in all conditions together
    AXI_CHECKS = 16,
    AXI_STORAGE_CLASSES = 4,
    AXI_NAME = 32, // bytes of a name, terminator included
};
#define AXI_MOST_BYTES ((size_t)1 << 20) // per file

// From narrow to broad. Each is the dual of a memory domain; Device corresponds to the shader
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
    AXI_REPLACE, // stores the second operand
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
    uint8_t number; // register number
    int64_t value;
};

struct axi_instruction {
    enum axi_kind kind;
    bool atomic, acquire, release;
    bool available, visible;         // its own access makes available or visible
    bool sem_available, sem_visible; // MakeAvailable, MakeVisible in its memory semantics
    bool non_private;
    enum axi_scope scope;     // AXI_SCOPES: none
    enum axi_scope execution; // control barriers: execution scope
    uint8_t storage;          // storage class of its access
    uint8_t semantics;        // storage class semantics, one bit each
    uint8_t reference;        // index
    uint8_t target;           // register; AXI_REGISTERS: none
    bool wants;               // it must read `wanted`: the program has no other executions
    bool spins;               // backward jump around loads that the next iteration repeats
    int64_t wanted;
    enum axi_operator operator;
    struct axi_operand a, b; // stores and RMWs: `a` is the value
    uint32_t to;             // jumps: target index, or the number of instructions
    uint32_t barrier;        // control barriers: number
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

// A register or location whose final value a condition names.
struct axi_observed {
    int thread;      // index; -1: a location
    unsigned number; // register or location number
    char name[AXI_NAME + 16];
};

enum axi_connective { AXI_BOTH, AXI_EITHER, AXI_NOT, AXI_COMPARE };
struct axi_node {
    enum axi_connective kind;
    uint16_t left, right; // nodes; in comparisons: observed values, unless constant
    enum axi_operator operator;
    bool is_constant[2];
    int64_t constant[2];
};
#define AXI_TRUE (-1) // in place of a node

enum axi_quantifier { AXI_EXISTS, AXI_EXISTS_NOT, AXI_FORALL };
// An assertion about all executions.
struct axi_check {
    enum axi_quantifier quantifier;
    int condition;       // node of a condition on the final state, or AXI_TRUE
    bool any_candidate;  // count inconsistent executions as well
    bool without_chains; // availability and visibility chains are not supported
    int race;            // 1: executions with a data race, -1: without, 0: all
    bool sizes_sequence; // asks for the size of `release sequence` as a relation:
    enum axi_operator operator;
    int64_t size;
    char text[64]; // as written in the file, for messages
};

struct axi_program {
    char name[64];
    uint32_t forms; // kernel forms: bits of enum axi_form
    struct axi_thread threads[AXI_THREADS];
    size_t thread_count;
    struct axi_reference references[AXI_REFERENCES];
    size_t reference_count;
    int64_t initial[AXI_REFERENCES];    // by location
    uint32_t synchronizes[AXI_THREADS]; // bit j of i: thread i system-synchronizes with j
    struct axi_observed observed[AXI_OBSERVED];
    size_t observed_count;
    struct axi_node nodes[AXI_NODES];
    size_t node_count;
    int filter; // condition; executions whose final state fails it are ignored
    struct axi_check checks[AXI_CHECKS];
    size_t check_count;
};

// Bits for forms of the kernel that runs a program. They change no verdict. A .litmus names them in
// a line before its declarations: Kernel=glsl volatile.
enum axi_form {
    AXI_GLSL = 1,              // memory model GLSL450
    AXI_WIDE = 2,              // 64-bit locations
    AXI_PHYSICAL = 4,          // locations are accessed by buffer address
    AXI_VOLATILE = 8,          // all accesses are volatile
    AXI_ADDRESS_AGAIN = 16,    // recomputes the address for every access of a thread but its first
    AXI_ADDRESS_BY_VALUE = 32, // addresses after a read depend on the value read last
    AXI_UNROLLED = 64,         // consecutive accesses of one kind form a loop
    AXI_FORMS = 7,
};
// The word for bit `form` < AXI_FORMS: "glsl", "64-bit" and so on.
const char *axi_form_word(unsigned form);

// Parses a program in either dialect: a .litmus begins with VULKAN. Error messages begin with line
// and column; the code is LIT_EXIT_USAGE, or LIT_EXIT_UNDECIDED if the text is valid but cannot be
// expressed here. Clear the program in any case.
bool axi_parse(const char *text, size_t size, struct axi_program *program, struct lit_error *error);
void axi_program_clear(struct axi_program *program);

// The first word of an instruction: "ld", "add". `operator` matters only for arithmetic and jumps.
const char *axi_word_of(enum axi_kind kind, enum axi_operator operator);
// Appends an instruction in the VULKAN dialect; a jump's label is LC and the target index.
void axi_write(const struct axi_program *program, const struct axi_instruction *instruction,
               struct text *text);

// Whether a check concerns only the final states of consistent executions.
bool axi_is_plain(const struct axi_check *check);
// Appends a condition; `words` stand for and, or, not: "/\\", "\\/", "~".
void axi_write_condition(const struct axi_program *program, int node, const char *const words[3],
                         struct text *text);
// Appends the program as a .litmus with its first check only, and a remark (NULL: none). False with
// an error that names what cannot be expressed (LIT_EXIT_UNDECIDED).
bool axi_write_program(const struct axi_program *program, const char *remark, struct text *text,
                       struct lit_error *error);

// Whether a thread can jump back.
bool axi_waits(const struct axi_program *program);
bool axi_reads(const struct axi_instruction *instruction);
bool axi_writes(const struct axi_instruction *instruction);
// Turns the values that reads require into the first check, on consistent executions: each such
// read gets its own register and may read any value. False if there are too many.
bool axi_ask_reads(struct axi_program *program);
// Whether both instructions are control barriers with the same number and scope.
bool axi_is_same_barrier(const struct axi_instruction *a, const struct axi_instruction *b);
// Whether thread `other` is in the same instance of a control barrier's execution scope as
// `thread`, and contains the barrier. Both are indices.
bool axi_shares_barrier(const struct axi_program *program, size_t thread, size_t other,
                        const struct axi_instruction *barrier);
// Arithmetic modulo 2^64. False on division by zero.
bool axi_compute(enum axi_operator operator, int64_t a, int64_t b, int64_t *result);
bool axi_compare(enum axi_operator operator, int64_t a, int64_t b);
// Whether values of program->observed satisfy a condition.
bool axi_satisfies(const struct axi_program *program, int node, const int64_t *values);
