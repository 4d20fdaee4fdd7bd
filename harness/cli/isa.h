// SPDX-License-Identifier: Apache-2.0
// What litmus isa prints, and the compiled code of pipelines as files.
#pragma once

#include "isa/study.h"

struct cli_isa_view {
    bool listing; // of each code
    bool diff;    // of the pair of each axis that differs most
    bool every;   // all representations, not the lowest alone
};

// Table of configurations, what axes change, risks, remarks, listings. Pure.
void cli_isa_text(const struct isa_study *study, const struct cli_isa_view *view,
                  struct text *text);

// Makes the folder, unless it exists. False with an error if it exists and is not empty, or cannot
// be made.
bool cli_isa_keep_start(const char *folder, struct lit_error *error);
// Writes all of a configuration's code into FOLDER/device-N/: NAME.statistics.txt,
// NAME.remarks.txt, and NAME.I.EXTENSION for its pieces from 1 on, where in NAME '/' is '~'. False
// with an error.
bool cli_isa_keep(const char *folder, unsigned device, const char *name,
                  const struct isa_code *code, struct lit_error *error);
