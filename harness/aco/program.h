// SPDX-License-Identifier: Apache-2.0
// What the files of aco/ share.
#pragma once

#include "aco/aco.h"
#include "nir/program.h"

#include "../../rdna/host/host.h"

struct aco_program {
    const struct nir_program *nir;
    struct rdna_listing listing;
    unsigned vgprs;
    bool *defined;    // of each value of the NIR: ACO's text computes it
    uint32_t *offset; // of each operation of the NIR: of its SPIR-V instruction; UINT32_MAX
};

struct aco_watch {
    void (*see)(void *user, const struct rdna_wave *wave, size_t place);
    void *user;
};

// As aco_run; `watch` sees the subgroup that the dispatch watches, unless it is NULL.
bool aco_run_watched(const struct aco_program *program, const struct nir_dispatch *dispatch,
                     bool late, const struct aco_watch *watch, struct lit_error *error);
