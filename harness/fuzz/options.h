// SPDX-License-Identifier: Apache-2.0
// Campaigns of litmus fuzz: programs and tests drawn from a seed, run as a session of the store.
#pragma once

#include "session/session.h"

#define FUZZ_BY_DEVICE 3   // fuzz_options.rule: the strongest that the device supports
#define FUZZ_ANY       12  // fuzz_options.shape: none was given
#define FUZZ_JOBS      256 // most of fuzz_options.jobs

// Options that a family does not have stay 0.
struct fuzz_options {
    struct ses_options run; // `runs`: of each program or test
    uint64_t count;         // programs, or tests; 0: until stopped
    uint64_t keep;          // failing ones to store per device; one of each group of programs
    uint64_t jobs;          // programs that run at once; 0: as many as there are cores
    uint64_t steps, depth;
    struct lit_seed pressure;
    struct lit_seed index; // number of the first program or test
    int rule;              // MASKS_MAXIMAL less the rule, or FUZZ_BY_DEVICE
    int shape;             // enum gen_focus, or FUZZ_ANY
    bool show, coverage;
    bool compile; // programs are compiled, not run: `run.runs` is 0
    const char *out, *replay;
};

// An arm's share of a campaign's programs, relative to 1 of an arm none of whose programs failed:
// 1 + sqrt(failed); 1/4 once so many failed that the store does not name more. Pure.
double fuzz_weight(uint64_t failed);

// False with an error if a number is too large.
bool fuzz_limits_check(const struct fuzz_options *options, struct lit_error *error);

// These run a campaign, or continue it (`run.resume`), and print its results. They change the
// options, and return the exit code.

// Programs of the family groups (`data`) or reconvergence; shrinks failing ones and stores them as
// tests.
int fuzz_programs(struct fuzz_options *options, bool data, int argc, char **argv,
                  struct lit_error *error);

// All small tests of the memory model that forbid something; those first that have no result for
// the devices in the store.
int fuzz_memory(struct fuzz_options *options, int argc, char **argv, struct lit_error *error);

// Shrinks the program of run `run` of a drawn configuration and stores it, as a campaign does;
// prints what it finds. Takes at most `seconds`. False with an error if it could not be stored.
bool fuzz_small(const struct ses_devices *devices, const struct eng_device *device,
                const struct cat_case *which, uint64_t seed, uint64_t run, double seconds,
                struct lit_error *error);

// How often a candidate must run to count as passing: in 99 of 100 cases these runs show a failure
// half as frequent as the program's; 512 at most. Pure.
uint64_t fuzz_patience(uint64_t failed, uint64_t runs);
