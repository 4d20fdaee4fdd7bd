// SPDX-License-Identifier: Apache-2.0
// Writes reports to files, which are complete or absent.
#pragma once

#include "base/terminal.h"
#include "report/report.h"

// The files that a run writes at its end.
struct ses_outputs {
    const char *files[REPORT_FORMS]; // by enum report_form, NULL for none
    const char *gate_junit;          // a baseline comparison, written instead; NULL: none
};

// Whether there is anything to write.
bool ses_outputs_wanted(const struct ses_outputs *outputs);
// Checks before measuring that all files can be written: folders exist and are writable, no file
// comes twice, none is the store `db`. False with an error. Changes no file.
bool ses_outputs_check(const struct ses_outputs *outputs, const char *db, struct lit_error *error);
// Writes all files from a stored session. For each failure prints a line on stderr with the command
// that makes the file later, and writes the rest. Returns whether everything was written.
bool ses_outputs_write(const struct ses_outputs *outputs, struct store *store, int64_t session);

// The same for files that options name; `path` NULL: none.
struct ses_file {
    const char *option, *path;
};
bool ses_files_check(const struct ses_file *files, size_t count, const char *db,
                     struct lit_error *error);
// Checks one file: also that it is no store, `db` or another, nor a file of one. lit_file_write
// (base/file.h) will write it.
bool ses_output_check(const char *path, const char *db, struct lit_error *error);
