// SPDX-License-Identifier: Apache-2.0
// What tests of the convergence lint share.
#pragma once

#include "isa/lint.h"

#include "listing.h"

// Excerpts read registers that they do not set, and the reverse.
static bool lint_is_of_excerpt(const struct lint_finding *finding)
{
    return finding->kind == LINT_UNSET || finding->kind == LINT_UNUSED;
}

// A line for each finding: kind, exchange, where lanes part; or the reason why there is none.
static void lint_lines(const char *lines, bool rows, struct text *out)
{
    OWNED(sass_code_clear) struct sass_code code;
    OWNED(lint_clear) struct lint lint;
    listing_code(lines, &code);
    const struct lint_options options = {.rows = rows};
    const bool good = lint_run(&code, &options, &lint, &error);
    if (!good)
        text_puts(out, error.message);
    else
        text_puts(out, "");
    for (size_t i = 0; good && i < lint.count; i++) {
        const struct lint_finding *finding = &lint.findings[i];
        if (!lint_is_of_excerpt(finding))
            text_printf(out, "%s 0x%x 0x%x\n", lint_kind_name(finding->kind),
                        code.insns[finding->read].address, code.insns[finding->branch].address);
    }
}
