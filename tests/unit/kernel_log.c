// SPDX-License-Identifier: Apache-2.0
// The kernel's log: what matters of records that come in pieces, and no more than a bound.
#include "unit.h"

#include "engine/watch.h"
#include "model/result.h"

#include "folder.h"

static char path[128];
static struct eng_kernel_log kernel;

static void append(const char *records)
{
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(records, file);
    fclose(file);
}

static int set_up(void **state)
{
    const int status = make_folder(state);
    snprintf(path, sizeof path, "%s/kmsg", folder);
    append("3,1,1,-;amdgpu: before\n");
    eng_kernel_log_open(&kernel, path);
    return status;
}

static int tear_down(void **state)
{
    eng_kernel_log_close(&kernel);
    return remove_folder(state);
}

TEST_IN(what_matters_is_kept_from_the_opening_on, set_up, tear_down)
{
    append("6,2,1234567890,-;NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus\n"
           " SUBSYSTEM=pci\n DEVICE=+pci:0000:01:00.0\n"
           "6,3,5,-;usb 1-1: new device\n4,4,");
    eng_kernel_log_read(&kernel);
    append("2000001,-;i915 0000:00:02.0: [drm] GPU HANG: ecode\n"
           "nonsense\n6,5;Xid\n6,x,y,-;Xid\n6,6,18446744073709551615,-;litmus: segfault \033[2J\n");
    eng_kernel_log_read(&kernel);
    eng_kernel_log_read(&kernel);
    assert_string_equal(
        kernel.lines.data,
        "[ 1234.567890] NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus\n"
        "[    2.000001] i915 0000:00:02.0: [drm] GPU HANG: ecode\n"
        "[18446744073709.551615] litmus: segfault ?[2J\n");
}

TEST_IN(the_newest_lines_stay, set_up, tear_down)
{
    char record[80], last[80];
    for (int i = 0; i < 3000; i++) {
        snprintf(record, sizeof record, "6,%d,%d,-;amdgpu: fault %d\n", i, i, i);
        append(record);
        if (i % 7 == 0)
            eng_kernel_log_read(&kernel);
    }
    eng_kernel_log_read(&kernel);
    snprintf(last, sizeof last, "[    0.002999] amdgpu: fault 2999\n");
    assert_true(kernel.lines.length < ENG_EVIDENCE_SIZE);
    assert_true(kernel.lines.length > ENG_EVIDENCE_SIZE / 2);
    assert_string_equal(kernel.lines.data + kernel.lines.length - strlen(last), last);
    assert_int_equal(kernel.lines.data[0], '[');
}

TEST_IN(a_line_without_an_end_is_cut, set_up, tear_down)
{
    static char line[5000];
    memset(line, 'x', sizeof line - 1);
    append("6,2,1,-;amdgpu ");
    append(line);
    append("\n6,3,2,-;radeon: next\n");
    eng_kernel_log_read(&kernel);
    assert_true(kernel.lines.length < 1200);
    assert_non_null(strstr(kernel.lines.data, "\n[    0.000002] radeon: next\n"));
}

TEST(without_permission_there_is_nothing)
{
    struct eng_kernel_log none;
    eng_kernel_log_open(&none, "/no/such/file");
    eng_kernel_log_read(&none);
    assert_int_equal(none.lines.length, 0);
    eng_kernel_log_close(&none);
    eng_kernel_log_open(&none, NULL);
    eng_kernel_log_read(&none);
    eng_kernel_log_close(&none);
}
