// SPDX-License-Identifier: Apache-2.0
// Where reports go: files that are whole or absent.
#pragma once

#include "base/terminal.h"
#include "report/report.h"

// What a run writes at its end.
struct ses_outputs {
    const char *files[REPORT_FORMS]; // by enum report_form, NULL for none
    const char *gate_junit; // what a comparison with a baseline says in its place; NULL: none
};

// Whether anything is to be written.
bool ses_outputs_wanted(const struct ses_outputs *outputs);
// Whether it can be, before anything is measured: folders that are there and can be written to, no
// file twice, none that is the store `db`. False with an error. Changes no file.
bool ses_outputs_check(const struct ses_outputs *outputs, const char *db, struct lit_error *error);
// Writes all of it from a stored session. What cannot be written is told in a line on stderr, with
// the command that makes it later; the rest is written. Returns whether everything was.
bool ses_outputs_write(const struct ses_outputs *outputs, struct store *store, int64_t session);

// Whether two paths mean one file, be it there or not.
bool ses_same_file(const char *a, const char *b);
// Whether a path is neither the store `db` nor another, nor a file of one. False with an error.
bool ses_output_guard(const char *path, const char *db, struct lit_error *error);
// The check of ses_outputs_check for one file, which lit_file_write is to write (base/file.h).
bool ses_output_check(const char *path, const char *db, struct lit_error *error);
