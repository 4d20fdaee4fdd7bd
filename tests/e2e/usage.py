# SPDX-License-Identifier: Apache-2.0
"""Wrong command lines, help, and the subcommands that need no device."""

import os
import re
import socket
import subprocess
import unittest

import harness

COMMANDS = ("run", "list", "show", "devices", "explain", "report", "version", "help")


class WrongInput(harness.Case):
    """Every mistake ends with 2 and one line that says what to write instead."""

    def wrong(self, arguments, *words):
        result = self.litmus(*arguments)
        self.assert_one_line(result, 2, *words)
        self.assertEqual(result.out, "")
        self.assertLess(result.cpu, 3 * harness.SLOW)

    def test_wrong(self):
        """What is wrong with an option by itself, tests/unit/options.txt has."""
        gpus = "not on Windows" if harness.WINDOWS else "prompt|late|random"
        for arguments, *words in (
                ("rnu", "unknown command 'rnu'", "run"), ("shuffle.scan-loop", "litmus run"),
                ("run --all --sede 1", "unknown option '--sede'", "'seed'"),
                ("run --all --emulate navi22", "navi22", "navi21"),
                ("run --all --emulate navi21,timing=soon", gpus),
                ("run", "--all", "litmus list"), ("run --all shuffle.scan-loop", "--all"),
                ("run shuffle.scan-lop", "shuffle.scan-lop", "shuffle.scan-loop"),
                ("list shuffle.scan-lop", "shuffle.scan-lop", "shuffle.scan-loop"),
                ("show shuffle.scan-lop", "shuffle.scan-lop", "shuffle.scan-loop"),
                ("run shufle", "shufle"), ("run nothing*", "nothing*"),
                ("show shuffle.scan-loop/sync=nome", "sync", "nome"),
                ("show " + harness.ONE.replace("@workgroup", "@workgruop"), "workgroup"),
                ("run shuffle -d 9", "9"), ("run shuffle -d lavapip", "lavapip"),
                ("run shuffle -d ffff:ffff", "ffff:ffff"), ("run shuffle -d 0", "0"),
                ("report --format xml", "--format", "json"), ("report", "litmus.db"),
                ("version x", "x"), ("devices x", "x"), ("report --format json x", "x")):
            with self.subTest(arguments):
                self.wrong(arguments.split(), *words)

    def test_nothing_at_all(self):
        result = self.litmus(code=2)
        self.assertIn("litmus", result.out + result.err)

    @harness.about_lavapipe
    def test_unknown_device_names_the_nearest(self):
        self.wrong(["run", "shuffle", "-d", "lvmpipe"], "lvmpipe", "llvmpipe")

    def test_control_characters_come_back_harmless(self):
        for arguments in (["\033[2J"], ["run", "\033[2J"], ["run", "--\033[2J"],
                          ["report", "--format", "json", "--db", "\033[2J"],
                          ["run", "shuffle", "-d", "\033[2J"]):
            with self.subTest(arguments=arguments):
                result = self.litmus(*arguments, code=2)
                self.assert_clean(result)

    @harness.posix
    def test_very_long_words(self):
        for arguments in (["x" * 100000], ["run", "x" * 100000], ["run", "--" + "x" * 100000],
                          ["run", "shuffle", "-d", "x" * 100000],
                          ["report", "--format", "json", "--db", "x" * 100000]):
            with self.subTest(arguments=arguments[:-1]):
                self.assert_one_line(self.litmus(*arguments), 2)

    def test_nothing_is_left_behind(self):
        self.litmus("run", "nothing*")
        self.litmus("report", "--format", "json")
        self.assertEqual(os.listdir(self.folder), [])


READERS = harness.kernel("readers.txt")
# With the values that a kernel is given.
VALUES = """
--buffer 0.0=NONE
--buffer 0.0=file:NONE
--buffer 0.0=NONE.words
--push file:NONE
--push 0x1 --then 1:file:NONE
--push 0x1 --module A=NONE
--push 0x1 --expect 0.0=NONE
--push 0x1 --expect 0.0=NONE.words
--push 0x1 --expect agree --allow 0.0=bits:NONE.words
"""
COPY = harness.kernel("push.comp")


@harness.posix
@harness.unsanitized
class NoFile(harness.Case):
    """What would never end, or not in time, is not opened: nobody waits for its other end."""

    def make(self, kind, *names):
        for path in map(self.path, names):
            if kind == "pipe":
                os.mkfifo(path)
            elif kind == "device":
                os.symlink("/dev/zero", path)
            elif kind == "folder":
                os.mkdir(path)
            else:
                with socket.socket(socket.AF_UNIX) as end:
                    end.bind(path)

    def refuse(self, line):
        with self.subTest(line=line):
            store = os.path.join(harness.SOURCE, "tests", "stores", "measured.db")
            self.assert_one_line(self.litmus(*line.replace("STORE", store).split(), drivers=[]), 2,
                                 "NONE", "not a regular file")

    def test_pipe(self):
        self.make("pipe", "NONE", *("NONE." + end for end in (
            "litmus", "test", "spvasm", "comp", "amber")))
        for line in READERS.strip().split("\n"):
            self.refuse(line)

    def test_other_kinds(self):
        for kind in "device", "folder", "socket":
            name = "NONE-" + kind
            self.make(kind, name)
            for command in "report --check", "report --db", "gate -b", "model":
                self.refuse(f"{command} {name}")

    @unittest.skipUnless("LITMUS_VULKAN_CFLAGS" in os.environ, "needs meson's environment")
    def test_values(self):
        self.write("copy.comp", COPY)
        self.make("pipe", "NONE", "NONE.words")
        for line in VALUES.strip().split("\n"):
            self.refuse("kernel copy.comp --groups 1 " + line
                        + ("" if "--buffer" in line else " --buffer 0.0=256"))

    def test_what_is_open(self):
        """Standard input, and what a shell makes of <(command), are read to their end."""
        for name in "-", "/dev/stdin", "/dev/fd/0":
            process = subprocess.run([harness.PROGRAM, "run", "--dry-run", "--simt", "lockstep",
                                      "--caselist", name], input=b"loop.form\nloop.desync\n",
                                     env=self.environment(drivers=[]), cwd=self.folder,
                                     stdout=subprocess.PIPE)
            self.assert_all_in(process.stdout, b"loop.form", b"loop.desync")


class Help(harness.Case):
    def test_each_command_describes_itself(self):
        for command in COMMANDS:
            if command == "help":
                continue
            with self.subTest(command=command):
                result = self.litmus(command, "--help", code=0)
                self.assertEqual(result.err, "")
                self.assertIn(f"usage: litmus {command}", result.out)
                self.assertLessEqual(max(map(len, result.out.split("\n"))), 100)
                self.assertEqual(self.litmus("help", command).out, result.out)

    def test_the_table_names_each_command(self):
        result = self.litmus("help")
        self.assertEqual((result.code, result.err), (0, ""))
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", result.out)
        self.assertEqual(self.litmus("--help").out, result.out)

    def test_help_on_nothing(self):
        self.assert_one_line(self.litmus("help", "rnu"), 2, "rnu")

    def test_version(self):
        self.assertRegex(self.litmus("version").out, r"^litmus \d+\.\d+\.\d+\ncommit ")
        self.assertEqual(self.litmus("--version").out, self.litmus("version").out)


class WithoutADevice(harness.Case):
    """list and show ask no driver: they work beside one that hangs, and at once."""

    def quick(self, *arguments):
        result = self.litmus(*arguments, fault="create-instance-hang")
        self.assertEqual((result.code, result.err), (0, ""), result)
        self.assertLess(result.cpu, 3 * harness.SLOW)
        self.assert_clean(result)
        return result.out

    def test_list(self):
        out = self.quick("list")
        for family in ("shuffle", "loop", "broadcast", "reconvergence", "scan", "lookback"):
            self.assertRegex(out, rf"(?m)^{family}\.")

    def test_list_of_one_family(self):
        names = self.quick("list", "shuffle").split("\n")
        self.assertFalse([name for name in names[1:-2] if not name.startswith("shuffle.")])

    def test_names_are_patterns_that_match_themselves(self):
        names = self.quick("list", "--names", *harness.PAIR).split()
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertEqual(self.quick("list", "--names", name).split(), [name])

    def test_list_filters(self):
        self.assertRegex(self.quick("list", "--family", "lookback"), r"(?m)^lookback\.")
        self.assertNotRegex(self.quick("list", "--family", "lookback"), r"(?m)^shuffle\.")
        everything = set(self.quick("list", "--names", "--thorough").split())
        parts = [set(self.quick("list", "--names", "--thorough", "--expectation", word).split())
                 for word in ("forbidden", "contested", "assumed", "control")]
        self.assertTrue(all(parts))
        self.assertEqual(set.union(*parts), everything)
        self.assertEqual(sum(map(len, parts)), len(everything))
        maximal = self.quick("list", "--names", "--thorough", "--needs",
                             "VK_KHR_shader_maximal_reconvergence").split()
        self.assertEqual(set(maximal), {name for name in everything
                                        if "reconvergence=maximal" in name or
                                        "cure=maximal" in name})

    def test_list_filters_know_their_words(self):
        for option, near, name in (("family", "lopback", "lookback"),
                                   ("expectation", "contrl", "control"),
                                   ("needs", "VK_KHR_shader_maximal",
                                    "VK_KHR_shader_maximal_reconvergence")):
            result = self.litmus("list", "--" + option, near)
            self.assert_one_line(result, 2, name)

    def test_list_verbose_has_the_questions(self):
        out = self.quick("list", "-v", "barrier.long-loop")
        self.assertIn("\n    ", out)

    def test_list_verbose_has_the_bugs_of_cases(self):
        tests = [line.split()[0] for line in self.quick("list", "cases").splitlines()
                 if line.startswith("cases.")]
        table = self.quick("list", "-v", "cases").partition("\nBugs\n")[2]
        rows = re.findall(r"(?m)^  (\S+) +[A-Zl]\S*(?:, \S+)*  +(?:open|fixed|disputed|withdrawn|unknown)"
                          r".*\n      (?:https://|reports/findings/)\S+$", table)
        self.assertEqual(rows, tests)
        self.assertNotIn("\nBugs\n", self.quick("list", "-v", "barrier"))
        self.assertNotIn("\nBugs\n", self.quick("list", "cases"))
        self.assertRegex(self.quick("show", "cases.igc-396"),
                         r"\nbug +https://\S+/396\nvendor +Intel\nstatus +fixed\n")

    def test_show_says_what_is_needed(self):
        self.assertRegex(self.quick("show", "lookback.scan"),
                         r"(?s)\nneeds .*shaderInt64 \(some\s+variants\)")

    def test_thorough_has_more(self):
        few = self.quick("list", "--names", "shuffle").split()
        many = self.quick("list", "--names", "--thorough", "shuffle").split()
        self.assertLess(set(few), set(many))
        self.assertEqual(len(many), len(set(many)))

    def test_show_every_test(self):
        tests = {name.split("/")[0].split("@")[0] for name in self.quick("list", "--names").split()}
        out = self.quick("show", *sorted(tests))
        for test in tests:
            self.assertRegex(out, rf"(?m)^; litmus +{re.escape(test)}$")

    def test_show_source_is_the_file(self):
        for test, names in (("loop.desync", ["desync.spvasm"]),
                            ("shuffle.scan-loop", ["scan-loop.spvasm", "scan-loop.comp"])):
            out = self.quick("show", "--source", test)
            for name in names:
                path = os.path.join(harness.SOURCE, "spirv", test.split(".")[0], name)
                text = harness.read(path)
                self.assertIn(text, out)
                out = out.replace(text, "", 1)
            self.assertLess(len(out), 120)

    def test_a_full_pipe_end_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = self.litmus("list", stdout=full)
        self.assert_one_line(result, 2, "No space left")


harness.main(__name__)
