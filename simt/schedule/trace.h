// SPDX-License-Identifier: Apache-2.0
// The file named by the setting trace=FILE: everything that was executed, as text, one item per
// line.
//
//   simt-trace 1
//   dispatch N model NAME seed S subgroup W groups X Y Z local X Y Z
//   code PC KIND TEXT
//   memory PC ACCESS WORD BYTES SCOPE SEMANTICS EXECUTION
//   register PC ACCESS WORD BYTES CELL COUNT
//   call PC FUNCTION
//   undefined CELL COUNT FUNCTION NAME
//   buffer REGION SET BINDING ELEMENT SIZE ADDRESS
//   shared BYTES
//   zero AT BYTES
//   step T G S L PC VALUE SOURCE ADDRESS TANGLE
//   left G S L PC STATE
//   switches N
//   end N RESULT
//
// `dispatch` begins each vkCmdDispatch, counted from 0 since the device was created. One `code`
// line follows for each instruction of the program: its number, its kind (plain, tangled, exchange,
// barrier, fence, branch, if, switch, call, return, end, unreachable) and its line of the listing,
// which is empty for copies without an instruction of their own.
//
// `memory` is an instruction's effect on memory: its access (load, store, atomic, atomic-load,
// atomic-store, order for barriers, or none), its first word in the module, the bytes that it
// accesses from its address on, its memory scope and semantics (0 for none), and a control
// barrier's execution scope. For a load or store that is not private, SEMANTICS is 32,
// NonPrivatePointer. `buffer` gives the address region (memory/regions.h) of an element of a
// binding, its size in bytes, and its memory's address in hexadecimal. `shared` is the size of a
// workgroup's Workgroup memory, and `zero` gives bytes of it that start as zeros.
//
// `register` is an instruction's effect on a Function or Private variable; each invocation has its
// own. It gives its access (load or store), its word in the module, the bytes, and the cells
// (program/program.h), COUNT from CELL on. CELL is "-" for a computed pointer: then a step's
// ADDRESS is the number of the first cell, or 7fffffffffffffff if it does not exist. `undefined`
// lists uninitialised cells by their variable's name; they become undefined when an invocation
// starts or, for a function's variables, each time the function is entered. Functions are numbered,
// "-" is none; `call` gives the function that an instruction calls.
//
// `step` says that lane L of subgroup S of workgroup G (its linear number) executed instruction PC
// at time T; lanes that executed it together have the same T, and T increases. VALUE is, in
// hexadecimal, the first cell of the result, of the stored value, or of the value that decided a
// branch; SOURCE is a cross-lane read's source lane; ADDRESS is the memory access's address in
// hexadecimal, followed by "!" if it was out of bounds, or for a control barrier the number of its
// dynamic instance (schedule/tangle.h); each is "-" if there is none. TANGLE is the set of lanes
// that executed it together, in hexadecimal. Addresses in LOCAL_SHARED (memory/regions.h) are the
// same in every workgroup and mean its own memory.
//
// `left` appears if the dispatch is cut, for each invocation that has begun and not ended: its next
// instruction, and whether it runs or waits there for others.
//
// `switches` counts how often the scheduler switched to another set of lanes although the first
// could have continued. `end` has "done", "fault", "stopped", "memory" or "cut".
#pragma once

#include "schedule/machine.h"

#include <stdio.h>

struct subgroup;
struct trace; // of one machine

extern const char *const trace_end_names[]; // by enum dispatch_end
bool trace_is_atomic(const struct insn *insn);
// Whether an instruction loads or stores a cooperative matrix.
bool trace_is_matrix(const struct insn *insn);
// The bytes from the first to the last accessed by a load, store or atomic; else 0.
uint32_t trace_bytes(const struct program *program, const struct insn *insn);

// Opens a file for appending. NULL if it cannot be opened, or is a database, which may be the
// user's store.
FILE *trace_append(const char *path);
// Opens the trace for appending. NULL as above.
struct trace *trace_open(const char *path);
void trace_close(struct trace *trace);
void trace_dispatch(struct trace *trace, uint64_t number, const struct settings *settings,
                    const struct dispatch *dispatch);
// Writes a line for each lane of the exec that executed the instruction.
void trace_step(struct trace *trace, const struct exec *exec, uint64_t time, uint64_t workgroup);
// For a cut workgroup: the invocations of a subgroup that have not ended. Called by one thread.
void trace_left(struct trace *trace, uint64_t workgroup, const struct subgroup *subgroup);
void trace_end(struct trace *trace, uint64_t number, uint64_t switches, enum dispatch_end end);
