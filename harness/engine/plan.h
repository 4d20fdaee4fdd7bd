// SPDX-License-Identifier: Apache-2.0
// The plan: which configurations run on a device, and in which order. A pure function of the
// catalogue, the selection, the device's facts and the seed.
#pragma once

#include "base/error.h"
#include "catalogue/catalogue.h"
#include "engine/drivers.h"
#include "model/facts.h"
#include "model/inventory.h"
#include "model/stress.h"
#include "store/store.h"

// --- A run over several machines: which part this machine does, and what the CI says about it.
// Pure functions of their text and variables.

#define ENG_SHARDS_MAX 1000000

struct eng_shard {
    enum store_shard kind;
    uint64_t index, count; // from 0; both 0 for STORE_WHOLE
};

// Reads "i/N", i from 0 and below N, as a shard of the given kind; "none" and "0/1" are the whole.
// `from` is what the error blames: "--shard".
bool eng_shard_parse(const char *text, enum store_shard kind, const char *from,
                     struct eng_shard *shard, struct lit_error *error);

// What the environment says, the first of these that is set:
//   LITMUS_SHARD                                "i/N" or "none"
//   GTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS       from 0
//   CI_NODE_INDEX, CI_NODE_TOTAL                from 1
//   SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP, _COUNT    the rank in the array
//   JOB_COMPLETION_INDEX, JOB_COMPLETIONS       from 0; nothing without the second
// All shards are of tests. `from` becomes the names of the variables that decided, "" if none did;
// `remark` a line to the user, "" for none. False with an error if they make no sense.
bool eng_shard_from(eng_getenv *get, struct eng_shard *shard, char from[64], char remark[200],
                    struct lit_error *error);

// Derives a seed that all shards of a run share: a hash of the CI's name for the run, from the
// first that is set of GITHUB_RUN_ID (with GITHUB_RUN_ATTEMPT), CI_PIPELINE_ID, SLURM_ARRAY_JOB_ID,
// BUILD_TAG, GTEST_RANDOM_SEED (unless 0). False if none is set.
bool eng_shard_seed(eng_getenv *get, uint64_t *seed, char from[64]);

// Whether a configuration belongs to the shard: the FNV-1a hash (64 bits) of its name, modulo the
// number of shards. Adding or removing a configuration does not move the others. True unless the
// shard is one of tests.
bool eng_shard_has(const struct eng_shard *shard, const char *name);

// Which of `runs` runs the shard does: *count runs from *first; all unless it is a shard of runs.
// Together the shards do each run once.
void eng_shard_runs(const struct eng_shard *shard, uint64_t runs, uint64_t *first, uint64_t *count);

struct eng_plan {
    struct cat_case *cases;
    size_t count;
};

// Plans all selected cases: those with the device's default subgroup size, and those with its other
// sizes if the selection is thorough or has a pattern that names them ("...subgroup=64"). Keeps the
// catalogue's order (all sizes of a test together); with `shuffle`, the order depends only on the
// seed.
struct eng_plan eng_plan_make(const struct cat_selection *selection, const struct dev_facts *facts,
                              bool shuffle, uint64_t seed);
// Keeps only the shard's configurations, in the same order.
void eng_plan_shard(struct eng_plan *plan, const struct eng_shard *shard);
void eng_plan_clear(struct eng_plan *plan);

// --- Splits a run into parts that take about equally long. Pure.

// Items to keep apart from the rest because they can take down a device or a machine.
enum eng_apart {
    ENG_APART_NOT,
    ENG_APART_ENDED, // a worker crashed, hung, or was interrupted in it
    ENG_APART_LOST,  // the device was lost
    ENG_APARTS,
};

struct eng_load {
    double seconds; // expected duration, 0 or more
    enum eng_apart apart;
    size_t part; // filled: from 0
};

// Chooses a part for each item: takes the longest item first and puts it into the part that ends
// first (Graham's LPT: the longest part takes at most 4/3 as long as in the best plan). Keeps items
// with different `apart` in different parts if there are as many parts as kinds: ENG_APART_NOT
// first, ENG_APART_LOST last. With two parts the last one holds both kinds that are apart; with one
// part nothing is apart. The number of parts of a kind follows from its time. No part is empty
// unless there are fewer items than parts. Returns how many parts are used; these come first.
size_t eng_balance(struct eng_load *items, size_t count, size_t parts);

// --- Which set of stress parameters each configuration of a run gets. Pure.

enum eng_stress_mode {
    ENG_STRESS_NONE,
    ENG_STRESS_GIVEN,  // all the same, as far as device and test allow it
    ENG_STRESS_RANDOM, // each its own, drawn from the session's seed and its name
    ENG_STRESS_TUNED,  // what `litmus tune` found best for it on this device, else for another
                       // configuration of its test, else none
};

// What `litmus tune` found best. The list's maker owns the strings.
struct eng_tuned {
    char *device; // dev_facts_id
    char *name;   // of the configuration
    char *stress;
};

// The stress that a run asked for.
struct eng_stressing {
    enum eng_stress_mode mode;
    struct dev_stress given;
    struct eng_tuned *tuned; // those to be preferred first
    size_t tuned_count;
};

// Writes the set of a configuration, fitted to the device and to the test. `stressing` NULL: none.
void eng_stress_choose(const struct eng_stressing *stressing, uint64_t seed,
                       const struct cat_case *which, const char *name,
                       const struct eng_device *device, char text[ENG_STRESS_TEXT]);
