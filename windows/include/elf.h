// SPDX-License-Identifier: Apache-2.0
// The parts of ELF needed to read cubins.
#pragma once

#include <stdint.h>

#define ELFMAG        "\177ELF"
#define SELFMAG       4
#define EI_CLASS      4
#define EI_DATA       5
#define EI_ABIVERSION 8
#define ELFCLASS64    2
#define ELFDATA2LSB   1
#define EM_CUDA       190
#define SHT_NOBITS    8

typedef struct {
    unsigned char e_ident[16];
    uint16_t e_type, e_machine;
    uint32_t e_version;
    uint64_t e_entry, e_phoff, e_shoff;
    uint32_t e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

typedef struct {
    uint32_t sh_name, sh_type;
    uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    uint32_t sh_link, sh_info;
    uint64_t sh_addralign, sh_entsize;
} Elf64_Shdr;
