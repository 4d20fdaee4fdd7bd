// SPDX-License-Identifier: Apache-2.0
// How numbers, times and commands are written in every report, and tables in columns.
#pragma once

#include "report/model.h"

#include <stdarg.h>

// Short texts as arguments of a printf: the rate of anything that has failed and judged runs and an
// interval; a count with separators; the others as the functions of these names.
#define INTERVAL(of) format_interval((char[80]){0}, (of)->failed_runs, (of)->judged, (of)->interval)

#define COUNT(count)          text_count((char[32]){0}, (count))
#define RATE(rate, direction) format_rate((char[24]){0}, (rate), (direction))
#define API(version)          format_api((char[32]){0}, (version))
#define SUBGROUP(facts)       format_subgroup((char[48]){0}, (facts))
#define UUID(uuid)            format_uuid((char[37]){0}, (uuid))
#define OUTCOME(of, outcome)  report_outcome_name((of), (outcome), (char[24]){0})
#define SHARD(session)        report_shard((char[64]){0}, (session))

// Each returns its target. A proportion with two digits: "0", "7.7e-4", "0.12", "1-3.7e-5", "1".
// `direction` says which way it is rounded: -1 down (a lower bound stays one), 1 up, 0 to the
// nearest.
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

// How this program was called, for the commands below; "./litmus" until it is said. Kept.
void format_program(const char *called);
const char *format_called(void);
// How a kernel from outside was given: " kernel scan.spv --groups 64", as a shell takes it. Kept;
// NULL: none was.
void format_kernel(const char *words);
const char *format_kernel_given(void);
// Appends how this program is called for something of a test, up to the subcommand: for a kernel
// from outside that was given now, with its file. Others are in the store.
void format_call(struct text *out, const char *test);
// The beginning of a device's UUID by which -d finds it: long enough to tell the devices of the
// session apart; the device's identity where these have one UUID.
void format_device(struct text *out, const struct report_model *model, size_t device);
// The command that runs a result again; one for results of the same test and device, which names
// the first alone if the others ran under other stress that the seed does not give.
void format_again(struct text *out, const struct report_model *model,
                  const struct report_result *result);
void format_again_all(struct text *out, const struct report_model *model,
                      const struct report_result *const *results, size_t count);

// "stale by 1 (40 units), wrong lane (2)": the failing outcomes, most frequent first.
void format_outcomes(struct text *out, const struct report_result *result);

// "37 of 1,000 runs failed, rate 0.037 [0.026, 0.051] (95 %)".
void format_failed(struct text *out, const struct report_result *result);
// How a result ended: "no-progress in 3 of 40 runs", "crash after 12 runs: killed by signal 11".
void format_end(struct text *out, const struct report_result *result);
// Of a result that has failures: "run 3, unit 5, lane 31: stale by 1, got 0x..., want 0x...".
void format_first(struct text *out, const struct report_result *result);
// What a result came to, in lines that begin with `before`.
void format_story(struct text *out, const struct report_result *result, const char *before);

// As vprintf, but every string goes through `escape`. Knows %s, %c and the conversions of integers
// and floats.
void format_escaped(struct text *out, void (*escape)(struct text *out, const char *string),
                    const char *format, va_list *arguments);

// What was found around a crash, a hang or a lost device. The lines are those of a driver, the
// kernel or a store: free of control characters, and nothing more. A title has no full stop.
const char *report_evidence_title(enum eng_evidence kind);
// Appends, between `before` and `after`, what has to be said first of a result of a kernel from
// outside: what the check found in it, or that it was not checked. Nothing of other results.
void report_check(struct text *out, const char *before, const struct report_result *result,
                  const char *after);
bool report_evidence_any(const struct report_result *result);
// Appends the last `most` lines (SIZE_MAX: all), each with `before` in front of it.
void report_evidence_lines(struct text *out, const struct report_result *result,
                           enum eng_evidence kind, size_t most, const char *before);

// XML 1.0 in UTF-8 (junit.c): nothing that goes through here can end what it is written into.
// Appends a string as character data. What is not UTF-8 and what XML 1.0 has no way to write
// (control characters, U+FFFE, U+FFFF) becomes '?'.
void xml_text(struct text *out, const char *string);

// Appends ` NAME="VALUE"`.
void xml_attribute(struct text *out, const char *name, const char *value);
