// SPDX-License-Identifier: Apache-2.0
// The reference driver of simt/: where it is, and what it is told. It is only used where --simt
// asks for it, and then it is the only driver that this program sees. This is the one place of the
// program that knows a file of simt/: the settings, so that a wrong one is refused before anything
// runs.
#pragma once

#include "base/error.h"
#include "base/text.h"

#define ENG_SIMT_RUNS 20 // of each configuration unless -n says otherwise: it is an interpreter

// Settings as --simt has them, "MODEL[,SETTING=VALUE...]", in the words of the driver:
// "model=MODEL,...". False with an error that names what would be right. Pure.
bool eng_simt_settings(const char *given, struct text *settings, struct lit_error *error);
// Whether settings say something of `name`.
bool eng_simt_has(const char *settings, const char *name);

// The name of the model that settings ask for: a constant, "lockstep" where they make no sense.
const char *eng_simt_model(const char *settings);
// What that model does, half a sentence: "a shuffle takes whatever ...".
const char *eng_simt_about(const char *model);

// Makes the reference driver with these settings (in the words of --simt) the only driver that
// eng_inventory_take and the workers find: sets variables of this process's environment, so no
// other thread may run. The driver's manifest is the file that LITMUS_SIMT_ICD names; else
// ../simt/simt_icd.json beside the program's folder, where the build has it; else
// ../share/litmus/simt_icd.json, where it is installed. False with an error if it is not there.
bool eng_simt_use(const char *given, struct lit_error *error);
