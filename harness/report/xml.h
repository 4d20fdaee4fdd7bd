// SPDX-License-Identifier: Apache-2.0
// Writes XML 1.0 in UTF-8: nothing that goes through here can end what it is written into, and no
// character is one that XML forbids.
#pragma once

#include "base/text.h"

// Appends a string as character data. What is not UTF-8 and what XML 1.0 has no way to write
// (control characters, U+FFFE, U+FFFF) becomes '?'.
void xml_text(struct text *out, const char *string);

// Appends ` NAME="VALUE"`.
void xml_attribute(struct text *out, const char *name, const char *value);
