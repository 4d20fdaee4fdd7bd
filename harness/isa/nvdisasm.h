// SPDX-License-Identifier: Apache-2.0
// SASS from the text of nvdisasm, NVIDIA's disassembler, which is not part of this program: it is
// run if it is there. Its text is not trusted.
#pragma once

#include "base/error.h"
#include "isa/sass.h"

// Reads what `nvdisasm -b SMxx` or `nvdisasm -c` writes, of one function: a line for each
// instruction with its address in a comment; lines of labels; other lines are skipped. Texts lose
// blanks that say nothing, and references to labels become addresses. False with one line of error
// if there is no instruction, or if one is missing, too long or at a wrong address: an nvdisasm
// that does not know an instruction leaves it out. *code is cleared by the caller either way.
bool sass_parse(const char *text, size_t length, uint32_t architecture, struct sass_code *code,
                struct lit_error *error);

// Runs nvdisasm on `bytes` and reads what it writes. The program is what the variable
// LITMUS_NVDISASM names, else "nvdisasm" on PATH. It has `seconds` seconds before it is killed.
// False with one line of error if there is none, or if it fails, takes or writes too much, or
// writes what sass_parse does not take. *code is cleared by the caller either way.
bool sass_nvdisasm(const uint8_t *bytes, size_t size, uint32_t architecture, double seconds,
                   struct sass_code *code, struct lit_error *error);

// By nvdisasm if it can, else by the decoder (decode.h). `source` (may be NULL) becomes a line that
// says which it was, and why: "nvdisasm", "decoder: nvdisasm: not found". False with one line of
// error if the decoder cannot either. *code is cleared by the caller either way.
bool sass_from_bytes(const uint8_t *bytes, size_t size, uint32_t architecture,
                     struct sass_code *code, char source[256], struct lit_error *error);
