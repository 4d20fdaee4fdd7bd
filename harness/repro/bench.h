// SPDX-License-Identifier: Apache-2.0
// What a bundle is made of: a configuration, or the kernel of a benchmark's row (bench:ROW).
#pragma once

#include "base/text.h"
#include "catalogue/prepare.h"
#include "repro/repro.h"
#include "session/device.h"

#define REPRO_BENCH "bench:"

struct repro_bench {
    struct text name;         // the configuration's, with what was not given
    struct cat_module module; // what a bundle says of the kernel; its words are elsewhere
    char *page;
};

// Whether an operand names a row: "bench:subgroup/emulated/none/items=4/workgroup=256".
bool repro_is_bench(const char *name);

// The operands that name a row, at the sizes that a name without any has: see cli_syntax.
const char *repro_bench_at(size_t index, void *user);

// Makes the row of that name ready for a device, with "@elements=N,loops=N" behind it or without,
// with data of a seed, and fills what *repro says of it. `small`: fewer elements and loops where
// the name has none. False with an error: no such row, or the device cannot run it
// (LIT_EXIT_NOTHING). Clear *bench and *ready in any case.
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

// Writes the bundle and prints where. `store_given`: the result has to be in the store. Returns the
// exit code; an error was printed.
int repro_configuration(const struct repro_options *chosen, bool store_given,
                        const struct lit_list *operands, struct lit_error *error);
