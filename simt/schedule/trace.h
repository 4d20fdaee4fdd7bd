// SPDX-License-Identifier: Apache-2.0
// The file that the setting trace=FILE names: everything that was executed, as text, one thing a
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
// `dispatch` begins each vkCmdDispatch, counted from 0 since the device was created. It is followed
// by one `code` line for each instruction of the program: its number, its kind (plain, tangled,
// exchange, barrier, fence, branch, if, switch, call, return, end, unreachable) and its line of the
// listing, which is empty for copies that have no instruction of their own.
//
// `memory` says what an instruction does with memory: its access (load, store, atomic, atomic-load,
// atomic-store, order for barriers, or none), the word of the module at which it begins, how many
// bytes it accesses from its address on, the memory scope and semantics that it names, 0 for none,
// and the execution scope of a control barrier. Of a load or store that is not private SEMANTICS is
// 32, NonPrivatePointer. `buffer` says which region of addresses
// (memory/regions.h) an element of a binding has, its size in bytes, and the address of its memory
// in hexadecimal. `shared` says how much Workgroup memory a workgroup has, and `zero` which of its
// bytes begin as zeros.
//
// `register` says what an instruction does with a Function or Private variable, of which each
// invocation has its own: its access (load or store), the word of the module, the bytes, and the
// cells (program/program.h), COUNT from CELL on. CELL is "-" where the pointer is computed: then
// the ADDRESS of a step is the number of the first cell, or 7fffffffffffffff for one that is not
// there. `undefined` says which cells hold nothing yet: of variables without an initialiser, by the
// name of the variable, when an invocation begins and, where they are of a function, each time that
// it is entered. Functions have numbers, "-" is none; `call` says which one an instruction calls.
//
// `step` says that lane L of subgroup S of workgroup G (its linear number) executed instruction PC
// at time T; lanes that executed it together have the same T, and T rises. VALUE is the first cell
// of the result, or of the value that was stored or that decided a branch, in hexadecimal; SOURCE
// the source lane of a cross-lane read; ADDRESS the address of the memory access in hexadecimal,
// with a "!" behind it if it was out of bounds, or of a control barrier the number of its dynamic
// instance (schedule/tangle.h); each is "-" if there is none. TANGLE is the set of lanes that
// executed it together, in hexadecimal. Addresses in LOCAL_SHARED (memory/regions.h) are the same
// in every workgroup and mean its own memory.
//
// `left` comes where the dispatch is cut, for each invocation that has begun and not ended: the
// instruction that it is at, and whether it runs, or waits for others to come there.
//
// `switches` is the number of times that the scheduler went from one set of lanes to another
// although the first could have gone on. `end` has "done", "fault", "stopped", "memory" or "cut".
#pragma once

#include "schedule/machine.h"

#include <stdio.h>

struct subgroup;
struct trace; // of one machine

extern const char *const trace_end_names[]; // by enum dispatch_end
// From the first byte to behind the last one that a load, a store or an atomic accesses; else 0.
uint32_t trace_bytes(const struct program *program, const struct insn *insn);

// Opens a file to append to. NULL if it cannot be opened, or is a database: it may be the store of
// who runs this.
FILE *trace_append(const char *path);
// Opens the file for appending. NULL as above.
struct trace *trace_open(const char *path);
void trace_close(struct trace *trace);
void trace_dispatch(struct trace *trace, uint64_t number, const struct settings *settings,
                    const struct dispatch *dispatch);
// One executed instruction: for each lane of the exec one line.
void trace_step(struct trace *trace, const struct exec *exec, uint64_t time, uint64_t workgroup);
// Of a workgroup that is cut: those of its subgroup that have not ended. One thread calls it.
void trace_left(struct trace *trace, uint64_t workgroup, const struct subgroup *subgroup);
void trace_end(struct trace *trace, uint64_t number, uint64_t switches, enum dispatch_end end);
