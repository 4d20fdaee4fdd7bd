// SPDX-License-Identifier: Apache-2.0
// Where reports go: files that are whole or absent, and the places that GitHub Actions gives a
// step.
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "report/report.h"

// What a run writes at its end. CLI_OUTPUT_OPTIONS are rows of an option table of the struct that
// holds `outputs`.
struct cli_outputs {
    const char *files[REPORT_FORMS]; // by enum report_form, NULL for none
    bool github;
    // What a comparison with a baseline says in their place; NULL: there is none.
    const char *gate_junit, *gate_annotations;
};

#define CLI_OUTPUT_OPTION(name, suffix, function, about)                                           \
    CLI_ROW(0, #name, CLI_TEXT, outputs.files[REPORT_AS_##name], "FILE",                           \
            "write a report at the end: " about),
#define CLI_OUTPUT_OPTIONS                                                                         \
    REPORT_FILES(CLI_OUTPUT_OPTION)                                                                \
    CLI_ROW(0, "github", CLI_FLAG, outputs.github, NULL, CLI_GITHUB_HELP)
#define CLI_GITHUB_HELP "in GitHub Actions: add to the step's summary, and print\nannotations"

// Whether anything is to be written.
bool cli_outputs_wanted(const struct cli_outputs *outputs);
// Whether it can be, before anything is measured: folders that are there and can be written to, no
// file twice, none that is the store `db`, and a summary where --github asks for it. False with an
// error. Changes no file.
bool cli_outputs_check(const struct cli_outputs *outputs, const char *db, struct lit_error *error);
// Writes all of it from a stored session. What cannot be written is told in a line on stderr, with
// the command that makes it later; the rest is written. Returns whether everything was.
bool cli_outputs_write(const struct cli_outputs *outputs, struct store *store, int64_t session);

// Whether two paths mean one file, be it there or not.
bool cli_same_file(const char *a, const char *b);
// Whether a path is neither the store `db` nor another, nor a file of one. False with an error.
bool cli_output_guard(const char *path, const char *db, struct lit_error *error);
// The check of cli_outputs_check for one file, which lit_file_write is to write (base/file.h).
bool cli_output_check(const char *path, const char *db, struct lit_error *error);

// Whether GitHub Actions has given this step a summary.
bool cli_github_check(struct lit_error *error);
// Adds a report to it and prints the annotations: the model's, or these.
bool cli_github_write(const struct report_model *model, const char *annotations,
                      struct lit_error *error);
