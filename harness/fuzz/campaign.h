// SPDX-License-Identifier: Apache-2.0
// The parts of a campaign.
#pragma once

#include "engine/client.h"
#include "engine/supervisor.h"
#include "fuzz/options.h"
#include "generate/program.h"
#include "report/failures.h"

#define FUZZ_GROUPS 64 // most groups of failing programs
#define FUZZ_FIRST  5  // numbers of programs that a group lists

// A program that ended, and what became of it if it failed.
struct fuzz_found {
    struct fuzz_found *next; // in a list, by their order
    uint64_t order;          // among all arms, from 0
    uint64_t index;          // in its arm
    struct fuzz_arm *arm;
    uint32_t subgroup;
    bool open;                // its group is not known yet
    struct eng_outcome first; // of the drawn program's first runs
    char group[400];          // named after the failure, see struct fuzz_group
    uint64_t runs, failed;    // counts of its repeated runs
    uint64_t small_runs, small_failed;
    uint32_t small_subgroup; // the smallest size in which the small one fails; `subgroup` at first
    struct eng_failure failure;             // of the small program, or the drawn one
    unsigned tries;                         // while finding its group and shrinking it
    uint64_t patience;                      // runs for each candidate
    uint32_t worst;                         // the small one's outcome
    bool known;                             // not stripped: a group of its finding has it
    bool shrunk;                            // shrinking was tried
    bool cut_short;                         // shrinking stopped early
    char path[512];                         // where it is stored, or ""
    char cause[512];                        // what its machine code has: "at risk: ...", or ""
    const struct report_signature *finding; // with that cause, or the small group; NULL: none
    struct gen_program drawn, small;        // only of a failing one once it has ended
};

// Programs that appear to fail alike before any is shrunk. Names of groups: for a crash the signal
// and the first frame in the driver; for wrong results the most frequent outcome and the kinds of
// steps needed for the failure, "wrong: late while".
struct fuzz_group {
    char name[400], small[400]; // `small`: the name that the shrunk program gives it
    size_t same;                // its programs count in the group before this; 0: in itself
    uint64_t programs;
    struct fuzz_number {
        uint64_t order, index;
        const struct fuzz_arm *arm;
    } first[FUZZ_FIRST]; // their first ones
    bool settled;        // one was shrunk
    char cause[512];     // of the program at `path`, and the finding: as of fuzz_found
    const struct report_signature *finding;
    char path[512]; // where it is stored, or a program that did not fail again; ""
};

// A device's programs.
struct fuzz_tally {
    uint64_t programs; // complete ones
    // A run: a program that passed or failed, or that the emulated GPU could not execute, which
    // counts as no progress; an instance: a checked subgroup.
    struct eng_count sum;
    uint64_t before, failed_before; // of these, from earlier parts of the campaign
    // The failing program that differs from its kernel by the fewest steps; `near.arm` NULL: none.
    struct gen_program nearest;
    struct fuzz_number near;
    uint32_t changed; // steps
    uint64_t stored;
    // In the order of their first programs. The last may collect all other failures.
    struct fuzz_group groups[FUZZ_GROUPS];
    size_t group_count;
    char reason[512]; // of the first skip or harness error, or of the device's stop
};

// The programs of one rule, pressure and shape. A campaign for which none of them was given has all
// arms of the device (gen_arms), else one. `--index` means the program of this number in any arm.
struct fuzz_arm {
    struct gen_limits limits; // without the subgroup
    char name[48];
    uint64_t given;       // programs that were given to it
    uint64_t marked;      // when the round before began
    uint64_t named;       // of these, the failed ones that the store names
    struct eng_count sum; // as of fuzz_tally
};

struct fuzz_campaign {
    struct fuzz_options *asked;
    const char *family;
    struct ses_devices devices;
    struct store *store; // NULL: nothing is stored
    struct store_session session;
    // Of all devices, without earlier parts; its results are of programs. `others`: of the devices
    // before the present one.
    struct eng_tally total, others;
    bool missing; // --resume has something left: a device, programs
    double began; // to run on the device, clock_now
    struct lit_error *error;

    // Of programs, on the present device:
    bool data; // family groups
    const struct fuzz_replay {
        char name[96];
        struct gen_program program;
        enum masks_rule rule;
    } * given;               // run this one in each size; NULL: draw
    uint64_t judged, before; // on all devices: programs that ran, failed earlier
    const struct eng_device *device;
    struct fuzz_arm arms[GEN_ARMS];
    size_t arm_count;
    uint32_t sizes[DEV_MAX_SIZES]; // the device's subgroup sizes, its usual one first
    size_t size_count;
    // Configurations of the family `generated`: of each arm all sizes; none without a store. Each
    // of their runs is a program (dev_facts_program).
    struct eng_records records;
    uint64_t planned; // programs
    uint32_t process; // number of this process among those that measured the device
    struct fuzz_tally *tally;
    struct eng_pool pool;
    uint64_t next;             // order of the next program
    bool over;                 // begin no other program
    bool written;              // false: a file or a result could not be stored
    bool handling;             // a lane handles a failing program
    bool reading;              // a lane finds a cause
    bool codeless;             // the driver gives no code that can be read
    struct fuzz_found *ended;  // programs that were not counted yet
    struct fuzz_found *failed; // programs that were counted, but not handled yet
    size_t failing;            // in both lists
    struct fuzz_lane *lanes;
};

// A lane of the campaign's pool.
struct fuzz_lane {
    struct fuzz_campaign *campaign;
    struct eng_client client;
    uint64_t running; // the order of the program being run; UINT64_MAX: none
    uint64_t index;   // its number in its arm
    struct fuzz_arm *arm;
    // The program being run or shrunk:
    struct fuzz_found *found;
    char name[96]; // of the test: input and expectation depend on it and on the seed
    double deadline;
    enum eng_end end; // why shrinking stopped
};

// --- Begin and end, for all families

// With `run.resume`, opens the store and takes the session's options.
bool fuzz_resume(struct fuzz_campaign *c);
// Sets the options that were not given, and time limits.
void fuzz_settle(struct fuzz_campaign *c);
// Chooses devices, and begins a session with the options `kept` unless it is resumed; NULL: without
// a session.
bool fuzz_begin(struct fuzz_campaign *c, const struct ses_options *kept, int argc, char **argv);
// Finishes the session unless something is missing, and prints the last lines. Returns the exit
// code: `code`, or an error's.
int fuzz_finish(struct fuzz_campaign *c, enum lit_exit code, const char *reason);
// Frees, and ends the program if a signal came. Returns `code`.
int fuzz_close(struct fuzz_campaign *c, int code);

// --- Programs

// Draws a program of an arm for the device; its limits.
struct gen_limits fuzz_draw(const struct fuzz_campaign *c, const struct fuzz_arm *arm,
                            uint64_t index, struct gen_program *program);
// Whether it has all arms, and by what failed decides how many programs each gets; a shard does not
// know what others found, and divides them equally.
bool fuzz_has_arms(const struct fuzz_campaign *c);
bool fuzz_weighs(const struct fuzz_campaign *c);
// Whether the session has all of the device's programs.
bool fuzz_is_whole(const struct fuzz_campaign *c);
// Appends a configuration's name; subgroup 0: the pattern for all.
void fuzz_put_name(const struct fuzz_campaign *c, const struct fuzz_arm *arm, uint32_t subgroup,
                   struct text *name);
// How to compare the records of a program.
enum cat_check fuzz_check(const struct gen_program *program);
// Whether it failed: a forbidden mask or value, or its worker or device ended.
bool fuzz_failed(const struct eng_outcome *outcome);

// Runs the device's programs, several at once, each in its own worker: those that the session
// lacks. Puts failing ones into groups; shrinks one of each and stores it as a test, one at a time
// in the order of their numbers, while others run. A crash, a hang or a lost device is a result;
// the next program gets a new worker. Sets `written`. ENG_END_RAN: finished, also if a device that
// lacks a feature ends it at once: its programs count as skipped.
enum eng_end fuzz_run(struct fuzz_campaign *c);

// Wrong results are identified by the steps they need: removes all other steps from the small
// program, which is the drawn one before.
void fuzz_strip(struct fuzz_lane *lane);
void fuzz_shrink(struct fuzz_lane *lane);
// Names the group after what makes the small program fail.
void fuzz_name_group(struct fuzz_found *found);
// Finds what the small program's machine code has that probably makes it fail, or else the finding
// of its group. Releases the lock meanwhile.
void fuzz_find_cause(struct fuzz_lane *lane);
// Stores the small program as a test.
bool fuzz_store(const struct fuzz_lane *lane);
// Runs a program; see eng_submit.
enum eng_end fuzz_try(struct fuzz_lane *lane, const struct gen_program *program, uint64_t runs,
                      struct eng_outcome *outcome);

// --- Output

// Redraws the progress line; `doing` is NULL or a concurrent task.
void fuzz_show_progress(struct fuzz_campaign *c, const char *doing);
// Prints a program that failed, if it was stored or `verbose`.
void fuzz_show_found(struct fuzz_campaign *c, const struct fuzz_found *found);
// Prints the device's results.
void fuzz_show_end(struct fuzz_campaign *c);
