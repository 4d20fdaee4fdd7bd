// SPDX-License-Identifier: Apache-2.0
// What a driver gave of pipelines, as files.
#pragma once

#include "isa/code.h"

// Makes the folder, if it is not there. False with an error if it is there and not empty, or cannot
// be made.
bool cli_isa_keep_start(const char *folder, struct lit_error *error);
// Writes all of a configuration's code into FOLDER/device-N/: NAME.statistics.txt,
// NAME.remarks.txt, and NAME.I.EXTENSION for its pieces from 1 on, where in NAME '/' is '~'. False
// with an error.
bool cli_isa_keep(const char *folder, unsigned device, const char *name,
                  const struct isa_code *code, struct lit_error *error);
