// SPDX-License-Identifier: Apache-2.0
// How every report writes numbers, times and commands, and puts tables in columns.
#pragma once

#include "report/model.h"

#include <stdarg.h>

// Short texts as printf arguments: the rate of anything with failed and judged runs and an
// interval; a count with separators; the others call the functions of the same names.
#define INTERVAL(of) format_interval((char[80]){0}, (of)->failed_runs, (of)->judged, (of)->interval)

#define COUNT(count)          text_count((char[32]){0}, (count))
#define RATE(rate, direction) format_rate((char[24]){0}, (rate), (direction))
#define API(version)          format_api((char[32]){0}, (version))
#define SUBGROUP(facts)       format_subgroup((char[48]){0}, (facts))
#define UUID(uuid)            format_uuid((char[37]){0}, (uuid))
#define OUTCOME(of, outcome)  report_outcome_name((of), (outcome), (char[24]){0})
#define SHARD(session)        report_shard((char[64]){0}, (session))

// Each returns its target. A proportion with two digits: "0", "7.7e-4", "0.12", "1-3.7e-5", "1".
// `direction` is the rounding: -1 down (for lower bounds), 1 up, 0 to the nearest.
char *format_rate(char target[24], double rate, int direction);

// "7.7e-4 [5.4e-4, 1.1e-3]"; "< 3.9e-5" if nothing failed; "> 0.93" if everything did; "unknown" if
// no run was judged.
char *format_interval(char target[80], uint64_t failed, uint64_t judged,
                      struct stat_interval interval);

// "0.4 s", "12 s", "4 min 02 s", "1 h 02 min".
char *format_seconds(char target[32], double seconds);

// "1.3.274"
char *format_api(char target[32], uint32_t version);

// "32 (8 to 32, can be chosen)"
char *format_subgroup(char target[48], const struct dev_facts *facts);

// 8-4-4-4-12 hexadecimal digits.
char *format_uuid(char target[37], const uint8_t uuid[16]);

// The name that this program was called by, for the commands below.
extern const char *format_called;
// A kernel from outside, as a shell takes it: " kernel scan.spv --groups 64"; NULL: no kernel.
extern const char *format_kernel;
// Appends the call of this program for a test, up to the subcommand, with the kernel's file if the
// kernel was given now. Other kernels are in the store.
void format_call(struct text *out, const char *test);
// The command that runs a result again; or one command for several results of one test and device.
// It names only the first if the others ran under other stress that the seed does not give.
void format_again(struct text *out, const struct report_model *model, const struct result *result);
void format_again_all(struct text *out, const struct report_model *model,
                      const struct result *const *results, size_t count);

// "stale by 1 (40 units), wrong lane (2)": the failing outcomes, most frequent first.
void format_outcomes(struct text *out, const struct result *result);

// "37 of 1,000 runs failed, rate 0.037 [0.026, 0.051] (95 %)".
void format_failed(struct text *out, const struct result *result);
// How a result ended: "no-progress in 3 of 40 runs", "crash after 12 runs: killed by signal 11".
void format_end(struct text *out, const struct result *result);
// The first failure: "run 3, unit 5, lane 31: stale by 1, got 0x..., want 0x...".
void format_first(struct text *out, const struct result *result);
// A result's outcomes, in lines that begin with `before`.
void format_story(struct text *out, const struct result *result, const char *before);

// Like vprintf, but passes every string through `escape`. Knows %s, %c and the conversions for
// integers and floats.
void format_escaped(struct text *out, void (*escape)(struct text *out, const char *string),
                    const char *format, va_list *arguments);

// The evidence around a crash, a hang or a lost device. The lines come from a driver, the
// kernel or a store, and are only free of control characters. A title has no full stop.
const char *report_evidence_title(enum eng_evidence kind);
// Appends, between `before` and `after`, a warning about a kernel from outside: what the check
// found in it, or that nobody checked it. Nothing for other results.
void report_check(struct text *out, const char *before, const struct result *result,
                  const char *after);
bool report_evidence_any(const struct result *result);
// Appends the last `most` lines (SIZE_MAX: all), each after `before`.
void report_evidence_lines(struct text *out, const struct result *result, enum eng_evidence kind,
                           size_t most, const char *before);

// XML 1.0 in UTF-8 (junit.c): no string that passes through here can end its surroundings. Appends
// a string as character data. '?' replaces anything that is not UTF-8 and characters that XML 1.0
// cannot write (control characters, U+FFFE, U+FFFF).
void xml_text(struct text *out, const char *string);

// Appends ` NAME="VALUE"`.
void xml_attribute(struct text *out, const char *name, const char *value);
