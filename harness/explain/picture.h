// SPDX-License-Identifier: Apache-2.0
// What went wrong, as a picture: a row for each lane, time to the right, a box for each executed
// instruction, arrows from the lane that gave a value to the one that got it. An SVG file that
// needs nothing else, for light and dark pages, readable without colours. Pure.
#pragma once

#include "base/text.h"
#include "explain/window.h"

// Appends the SVG document. `title` is the configuration's name, `sentence` what exp_sentence said;
// both may hold any printable UTF-8.
void exp_picture(const struct exp_trace *trace, const struct exp_breakage *breakage,
                 const struct exp_window *window, const char *title, const char *model,
                 const char *sentence, struct text *text);
