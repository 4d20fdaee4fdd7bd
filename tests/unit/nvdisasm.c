// SPDX-License-Identifier: Apache-2.0
// Running nvdisasm: scripts in its place that fail in each way that a program can.
#include "unit.h"

#include "folder.h"

#include "isa/sass.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// NOP; EXIT
static const uint8_t bytes[2 * SASS_BYTES] = {
    0x18, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0, 0xc0, 0x0f, 0, //
    0x4d, 0x79, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x03, 0, 0xea, 0x0f, 0,
};

#define LINES "echo '/*0000*/ NOP ;'; echo '/*0010*/ @P1 EXIT ;'"

// Puts a script into the folder as `name`, makes the folder the whole of PATH but for the usual
// tools, and the folder for files too.
static void put_script(const char *name, const char *body)
{
    char path[128], search[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(search, sizeof search, "%s:/usr/bin:/bin", folder);
    setenv("PATH", search, 1);
    snprintf(path, sizeof path, "%s/files", folder);
    mkdir(path, 0755);
    setenv("TMPDIR", path, 1);
    unsetenv("LITMUS_NVDISASM");
}

// Nothing is left behind, whatever happened.
static void check_no_file(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/files", folder);
    DIR *files = opendir(path);
    assert_non_null(files);
    for (const struct dirent *entry; (entry = readdir(files));)
        assert_int_equal(entry->d_name[0], '.');
    closedir(files);
}

static void check_fails(const char *body, double seconds, const char *message)
{
    struct sass_code code;
    put_script("nvdisasm", body);
    must_fail(message, sass_nvdisasm(bytes, sizeof bytes, 90, seconds, &code, &error));
    assert_null(strchr(error.message, '\n'));
    assert_int_equal(code.count, 0);
    sass_code_clear(&code);
    check_no_file();
}

TEST_IN(it_is_given_the_bytes_and_the_architecture, make_folder, remove_folder)
{
    struct sass_code code;
    put_script("nvdisasm", "[ \"$1 $2\" = '-b SM90' ] && [ $# = 3 ] || exit 1\n"
                           "[ $(wc -c <\"$3\") = 32 ] || exit 2\n"
                           "[ $(od -An -tx1 -N2 \"$3\" | tr -d ' ') = 1879 ] || exit 3\n"
                           "echo said beside >&2\n" LINES);
    must(sass_nvdisasm(bytes, sizeof bytes, 90, 60, &code, &error));
    assert_int_equal(code.count, 2);
    assert_string_equal(code.insns[1].text, "@P1 EXIT");
    assert_int_equal(code.insns[1].op, SASS_EXIT);
    sass_code_clear(&code);
    check_no_file();
}

TEST_IN(the_variable_names_another_program, make_folder, remove_folder)
{
    struct sass_code code;
    char path[128];
    put_script("nvdisasm", "exit 1");
    put_script("other", LINES);
    snprintf(path, sizeof path, "%s/other", folder);
    setenv("LITMUS_NVDISASM", path, 1);
    assert_true(sass_nvdisasm(bytes, sizeof bytes, 90, 60, &code, NULL));
    sass_code_clear(&code);
}

TEST_IN(each_failure_is_one_line, make_folder, remove_folder)
{
    check_fails("exit 1", 60, "nvdisasm: exit status 1");
    check_fails("echo; echo 'nvdisasm fatal : no'; echo more; exit 3", 60,
                "exit status 3: nvdisasm fatal : no");
    check_fails("printf 'a\\033[2J\\007b'; exit 1", 60, "exit status 1: a?[2J?b");
    check_fails("kill -SEGV $$", 60, "ended by signal 11");
    check_fails("echo nonsense", 60, "no instruction");
    check_fails("true", 60, "no instruction");
    check_fails("echo '/*0000*/ NOP ;'", 60, "1 of 2 instructions");
    check_fails(LINES "; echo '/*0020*/ NOP ;'", 60, "3 of 2 instructions");
    check_fails("echo '/*0010*/ NOP ;'", 60, "no instruction for address 0x0");
    check_fails("exec yes 'a line that says nothing at all'", 60, "more than");
    check_fails("head -c 3000000 /dev/zero", 60, "more than");
}

// Whether the process whose number is in the file `child` is gone, or soon is.
static bool child_is_gone(void)
{
    char path[128], number[32] = "";
    snprintf(path, sizeof path, "%s/child", folder);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(number, sizeof number, file));
    fclose(file);
    const pid_t pid = (pid_t)atol(number);
    assert_true(pid > 1);
    for (int i = 0; i < 500; i++) {
        // A zombie has no more command line; who reaps it here is not this program's business.
        char line[8];
        snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)pid);
        FILE *process = fopen(path, "re");
        const size_t got = process ? fread(line, 1, sizeof line, process) : 0;
        if (process)
            fclose(process);
        if (got == 0)
            return true;
        usleep(10000);
    }
    kill(pid, SIGKILL);
    return false;
}

TEST_IN(what_takes_too_long_is_killed, make_folder, remove_folder)
{
    char body[128];
    const time_t before = time(NULL);
    check_fails("exec sleep 1000", 0.2, "not done after 0.2 s");
    // And what it started.
    snprintf(body, sizeof body, "sleep 1000 & echo $! >%s/child; wait", folder);
    check_fails(body, 1, "not done after 1 s");
    assert_true(child_is_gone());
    check_fails("exec >&- 2>&-; sleep 1000", 0.2, "not done after 0.2 s");
    check_fails(LINES "; sleep 1000", 0.2, "not done after 0.2 s");
    assert_true(time(NULL) - before < 60);
}

TEST_IN(without_it_the_decoder_reads, make_folder, remove_folder)
{
    struct sass_code code;
    put_script("nvdisasm", LINES);
    assert_true(sass_from_bytes(bytes, sizeof bytes, 90, &code, &error));
    assert_string_equal(code.insns[1].text, "@P1 EXIT");
    sass_code_clear(&code);

    setenv("PATH", "/nowhere", 1);
    assert_true(sass_from_bytes(bytes, sizeof bytes, 90, &code, &error));
    assert_string_equal(code.insns[1].text, "EXIT");
    sass_code_clear(&code);

    assert_true(sass_from_bytes(bytes, sizeof bytes, 90, &code, NULL));
    sass_code_clear(&code);
    const bool other = sass_from_bytes(bytes, sizeof bytes, 61, &code, &error);
    setenv("PATH", "/usr/bin:/bin", 1);
    assert_false(other);
    assert_non_null(strstr(error.message, "sm_61"));
    sass_code_clear(&code);
}

TEST_IN(a_folder_that_cannot_be_written_is_an_error, make_folder, remove_folder)
{
    struct sass_code code;
    put_script("nvdisasm", LINES);
    setenv("TMPDIR", "/nowhere", 1);
    must_fail("/nowhere", sass_nvdisasm(bytes, sizeof bytes, 90, 60, &code, &error));
    sass_code_clear(&code);
}
