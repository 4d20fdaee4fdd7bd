// SPDX-License-Identifier: Apache-2.0
// What litmus isa prints, and the compiled code of pipelines as files.
#pragma once

#include "isa/study.h"

// Table of configurations, what axes change, risks, remarks; with `listing` of each code, with
// `diff` of the pair of each axis that differs most, with `every` all representations and not the
// lowest alone. Pure.
void cli_isa_text(const struct isa_study *study, bool listing, bool diff, bool every,
                  struct text *text);

// Makes the folder, unless it exists. False with an error if it exists and is not empty, or cannot
// be made.
bool cli_isa_keep_start(const char *folder, struct lit_error *error);
// Writes all of a configuration's code into FOLDER/device-N/: NAME.statistics.txt,
// NAME.remarks.txt, and NAME.I.EXTENSION for its pieces from 1 on, where in NAME '/' is '~'. False
// with an error.
bool cli_isa_keep(const char *folder, unsigned device, const char *name,
                  const struct isa_code *code, struct lit_error *error);
