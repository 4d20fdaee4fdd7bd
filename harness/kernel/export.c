// SPDX-License-Identifier: Apache-2.0
// Exports litmus tests for other tools: a file, a test made from one, or a configuration that can
// be written as a program of the memory model, as .litmus or with Dat3M's annotations.
#include "axiomatic/program.h"
#include "base/file.h"
#include "kernel/litmus.h"
#include "generate/concurrent.h"

#include <stdio.h>
#include <string.h>

// A test made from a file has the file as a comment before its kernel.
static void take_page(const char *page, struct text *bytes)
{
    for (const char *line = page; *line == ';'; line += strcspn(line, "\n") + 1) {
        const size_t from = 1 + (line[1] == ' ');
        text_append(bytes, line + from, strcspn(line + from, "\n"));
        text_puts(bytes, "\n");
    }
}

// Finds the test's program as .litmus, and its configuration.
static bool find(const char *name, struct text *bytes, struct text *remark, struct lit_error *error)
{
    struct cat_case which = {.test = cat_test_find(name)};
    if (!which.test && !cat_case_first(name, &which, error))
        return false;
    if (which.test->package && which.test->package->litmus.threads) {
        take_page(which.test->package->page.data, bytes);
        return true;
    }
    cat_case_name(&which, remark);
    text_printf(remark, ": %s", cat_expectation_name(cat_case_expect(&which)->expectation));
    return cat_case_formal(&which, bytes, error);
}

// A .test has no name, and more than the one condition of a .litmus.
static void name_test(const char *path, struct axi_program *program, struct text *remark)
{
    const char *name = lit_path_name(path);
    snprintf(program->name, sizeof program->name, "%.*s",
             (int)(strrchr(name, '.') ? strrchr(name, '.') - name : 0), name);
    for (size_t i = 0; i < program->check_count; i++)
        text_printf(remark, "%s%s", i ? "; " : "", program->checks[i].text);
}

bool krn_litmus_export(const char *name, bool dat3m, struct text *text, struct lit_error *error)
{
    OWNED(text_free) struct text bytes = {0}, remark = {0};
    OWNED(axi_program_clear) struct axi_program program = {0};
    struct lit_error why = {0};
    const bool is_file = krn_litmus_is_file(name);
    if (is_file && !lit_file_read(name, AXI_MOST_BYTES, &bytes, error))
        return false;
    if ((!is_file && !find(name, &bytes, &remark, &why)) ||
        !axi_parse(bytes.data ? bytes.data : "", bytes.length, &program, &why))
        return lit_fail(error, why.code, "%.200s: %s", name, why.message);
    if (!remark.length && !program.name[0])
        name_test(name, &program, &remark);
    if (!axi_ask_reads(&program))
        return lit_fail(error, LIT_EXIT_UNDECIDED, "%.200s: too many reads that say what they read",
                        name);
    return (dat3m ? gen_dat3m(&program, text, &why)
                  : axi_write_program(&program, remark.data, text, &why)) ||
           lit_fail(error, why.code, "%.200s: %s", name, why.message);
}
