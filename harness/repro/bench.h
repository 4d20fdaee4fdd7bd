// SPDX-License-Identifier: Apache-2.0
// What a bundle contains: a configuration, or the kernel of a benchmark's row (bench:ROW).
#pragma once

#include "base/text.h"
#include "catalogue/prepare.h"
#include "repro/repro.h"
#include "session/device.h"

#define REPRO_BENCH "bench:"

struct repro_bench {
    struct text name;         // the configuration's, including defaults
    struct cat_module module; // what a bundle says about the kernel; has no words
    char *page;
};

// Whether an operand names a row: "bench:subgroup/emulated/none/items=4/workgroup=256".
bool repro_is_bench(const char *name);

// The operands that name a row, at default sizes: see cli_syntax.
const char *repro_bench_at(size_t index, void *user);

// Prepares the named row, with or without "@elements=N,loops=N", for a device, with data from a
// seed, and fills its part of *repro. `small`: fewer elements and loops by default. False with an
// error: no such row, or the device cannot run it (LIT_EXIT_NOTHING). Clear *bench and *ready in
// any case.
bool repro_bench(const char *name, const struct dev_facts *facts, bool small, uint64_t seed,
                 struct repro_bench *bench, struct eng_prepared *ready, struct repro *repro,
                 struct lit_error *error);
void repro_bench_clear(struct repro_bench *bench);

struct repro_options {
    struct lit_list devices, simt;
    const char *db, *output, *facts;
    uint64_t session, runs;
    struct lit_seed seed;
    bool amber;
};

// Writes the bundle and prints its path. `store_given`: the store must have the result. Returns the
// exit code, after printing any error.
int repro_configuration(const struct repro_options *chosen, bool store_given,
                        const struct lit_list *operands, struct lit_error *error);
