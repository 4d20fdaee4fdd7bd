// SPDX-License-Identifier: Apache-2.0
#include "isa/lint.h"

#include "isa/insn.h"

#define SHOWN 8 // addresses of a way; of longer ones the middle is left out

const char *lint_kind_name(enum lint_kind kind)
{
    static const char *const names[LINT_KINDS] = {"misguarded", "at risk", "leaving", "twice",
                                                  "inside",     "guarded", "exited",  "asking"};
    return names[kind];
}

static void word_insn(const struct sass_code *code, size_t insn, struct text *text)
{
    size_t length;
    const char *mnemonic = insn_mnemonic(&code->insns[insn], &length);
    if (length)
        text_append(text, mnemonic, length);
    else
        text_puts(text, sass_op_name(code->insns[insn].op));
    text_printf(text, " at 0x%x", code->insns[insn].address);
}

static void word_way(const struct lint_way *way, struct text *text)
{
    for (size_t i = 0; i < way->count; i++) {
        if (way->count > SHOWN && i == SHOWN / 2) {
            text_printf(text, " -> (%zu more)", way->count - SHOWN + way->skipped);
            i = way->count - SHOWN / 2;
        }
        text_printf(text, "%s0x%x", i ? " -> " : "", way->addresses[i]);
    }
}

static void word_more(const struct lint_finding *finding, struct text *text)
{
    if (finding->more)
        text_printf(text, " (and so of %zu other branch%s)", finding->more,
                    finding->more == 1 ? "" : "es");
}

static void word_kind(const struct sass_code *code, const struct lint_finding *finding,
                      struct text *text)
{
    const uint32_t branch = code->insns[finding->branch].address;
    switch (finding->kind) {
    case LINT_RISK:
        text_printf(text,
                    " can be reached from both sides of the branch at 0x%x without "
                    "reconvergence: ",
                    branch);
        break;
    case LINT_LEAVING:
        text_printf(text,
                    " is reached by lanes that leave a loop at 0x%x in different iterations, "
                    "before they are brought together: ",
                    branch);
        break;
    case LINT_TWICE:
        if (finding->exchange == finding->twin)
            text_printf(text,
                        " is executed by each side of the branch at 0x%x in a call of its "
                        "own: ",
                        branch);
        else
            text_printf(text,
                        " and at 0x%x: each side of the branch at 0x%x executes one of its "
                        "own: ",
                        code->insns[finding->twin].address, branch);
        break;
    case LINT_INSIDE:
        text_printf(text, " is reached by one side of the branch at 0x%x", branch);
        word_more(finding, text);
        text_puts(text, ": ");
        break;
    case LINT_EXITED:
        text_printf(text, " is reached when other lanes may have ended at 0x%x", branch);
        word_more(finding, text);
        text_puts(text, ": ");
        break;
    case LINT_ASKING:
        text_printf(text, " only asks whether lanes that parted at 0x%x", branch);
        word_more(finding, text);
        text_puts(text, " are together, and makes them wait if not: ");
        break;
    case LINT_MISGUARDED:
        text_printf(
            text, " stands under P%d, where the masks of lanes at 0x%x were compared into UP%d",
            code->insns[finding->exchange].guard, branch, code->insns[finding->exchange].guard);
        break;
    default:
        text_puts(text, " is executed by the lanes alone for which its guard holds");
        break;
    }
}

void lint_word(const struct sass_code *code, const struct lint *lint,
               const struct lint_finding *finding, struct text *text)
{
    word_insn(code, finding->exchange, text);
    word_kind(code, finding, text);
    if (finding->kind != LINT_GUARDED && finding->kind != LINT_MISGUARDED)
        word_way(&finding->ways[0], text);
    if (finding->ways[1].count) {
        text_puts(text, " and ");
        word_way(&finding->ways[1], text);
    }
    if (finding->waits)
        text_puts(text, finding->ways[1].count
                            ? "; a WARPSYNC for a mask is on one of them"
                            : "; lanes of a mask have waited for each other (WARPSYNC) before it");
    if (!lint->operands && finding->kind != LINT_MISGUARDED)
        text_puts(text, "; registers are not known, so that the branch may be uniform");
}
