# SPDX-License-Identifier: Apache-2.0
"""What the shells offer while a command line is typed, and the pages of the manual."""

import glob
import os
import re
import shutil
import subprocess
import unittest

import harness

SCRIPTS = os.path.join(harness.SOURCE, "tools", "completion")
PAGES = os.path.join(harness.SOURCE, "docs", "man")
MANUAL = os.path.join(harness.SOURCE, "tools", "manual")


class Candidates(harness.Case):
    """litmus complete: one candidate a line, with a tab and a description where there is one."""

    def offered(self, *words):
        result = self.litmus("complete", "--", *words, code=0)
        self.assertEqual(result.err, "")
        return [line.split("\t")[0] for line in result.out.splitlines()]

    def test_commands(self):
        commands = self.offered("")
        self.assert_all_in(commands, "run", "report")
        self.assertNotIn("worker", commands)
        self.assertEqual(self.offered("help", "ru"), ["run"])

    def test_every_option_of_every_command(self):
        for command in self.offered(""):
            if command == "help":
                continue
            listed = re.findall(r"^ +(?:-\w, )?--([\w-]+)", self.litmus(command, "--help").out, re.M)
            with self.subTest(command=command):
                self.assertEqual(self.offered(command, "-"), ["--" + name for name in listed])

    def test_options_without_a_command_are_those_of_run(self):
        self.assertEqual(self.offered("--al"), ["--all"])
        self.assertEqual(self.offered("--all", "--thor"), ["--thorough"])

    def test_values(self):
        self.assertEqual(self.offered("run", "--color", ""), ["auto", "always", "never"])
        self.assertEqual(self.offered("run", "--color=al"), ["--color=always"])
        self.assertEqual(self.offered("show", "--format", ""), ["text", "litmus", "dat3m"])
        self.assertEqual(self.offered("list", "--expectation", "f"), ["forbidden"])
        self.assertEqual(self.offered("list", "--family", "sh"), ["shuffle"])
        self.assertEqual(self.offered("run", "--simt", "sno"), ["snooping"])
        self.assertEqual(self.offered("run", "-d", ""), [])
        self.assertEqual(self.offered("run", "--db", ""), [":files"])
        self.assertEqual(self.offered("fuzz", ""), ["reconvergence", "groups", "memory"])

    def test_names_of_tests_and_configurations(self):
        tests = self.litmus("list", "--names", "--thorough").out.splitlines()
        self.assertEqual(self.offered("run", ""),
                         sorted({re.split("[/@]", name)[0] for name in tests}))
        asked = "shuffle.types/"
        self.assertEqual(sorted(self.offered("run", asked)),
                         sorted(name for name in tests if name.startswith(asked)))
        self.assertEqual(self.offered("run", "!shuffle.scan-lo"), ["!shuffle.scan-loop"])

    def test_rows_of_benchmarks(self):
        rows = self.offered("repro", "bench:")
        self.assertEqual(len(set(rows)), len(rows))
        self.assertIn("bench:subgroup/emulated/none/items=1/workgroup=256", rows)
        self.assertEqual(self.offered("repro", "ben"), rows)
        looks = self.offered("repro", "bench:held=")
        self.assertTrue(0 < len(looks) < len(rows))
        self.assertLessEqual(set(looks), set(rows))
        # Nothing is begun: tests alone.
        self.assertEqual(self.offered("repro", ""), self.offered("run", ""))
        self.litmus("repro", f"{looks[0]}@elements=4096", "-o", "row", "--simt", "lockstep",
                    drivers=[], code=0)

    def test_nonsense_offers_nothing(self):
        for words in (["nothing", ""], ["run", "--nothing="], ["run", "no.such/"], ["version", ""]):
            self.assertEqual(self.offered(*words), [])
        self.assertEqual(self.litmus("complete").out, "")


class Shells(harness.Case):
    """The scripts of the three shells, each in its shell."""

    def shell(self, name, script, suffix):
        if not shutil.which(name):
            raise unittest.SkipTest(f"{name} is not installed")
        path = self.write("script" + suffix, script)
        os.symlink(harness.PROGRAM, self.path("litmus"))
        self.write("some-file.db", "")
        environment = self.environment(PATH=f"{self.folder}:/usr/bin:/bin")
        arguments = [name, "-f", path] if name == "zsh" else [name, path]
        done = subprocess.run(arguments, env=environment, cwd=self.folder, capture_output=True,
                              text=True, timeout=600 * harness.SLOW, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_bash(self):
        script = f"source {SCRIPTS}/litmus.bash\n" + """
try() { COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=(); _litmus; echo "${COMPREPLY[*]}"; }
try 'litmus expl'
try 'litmus run shuffle.scan-lo'
try "litmus run 'shuffle.types/op=shuffle,type=u8,width=sc"
try 'litmus --all --color=al'
try 'litmus report --db some-f'
try 'litmus report --format '
"""
        lines = self.shell("bash", script, ".bash")
        self.assertEqual(lines[:2], ["explain", "shuffle.scan-loop"])
        # Bash has cut the word at its last `=`.
        self.assertTrue(lines[2].startswith("scalar,pressure=none@workgroup=64,cluster=4 "), lines[2])
        self.assertEqual(lines[3:5], ["always", "some-file.db"])
        self.assertIn("markdown", lines[5].split())

    def test_fish(self):
        script = f"source {SCRIPTS}/litmus.fish\n" + """
complete -C 'litmus expl'
complete -C 'litmus run shuffle.scan-lo'
complete -C 'litmus --all --color=al'
complete -C 'litmus report --db some-f'
"""
        lines = [line.split("\t")[0] for line in self.shell("fish", script, ".fish")]
        self.assertEqual(lines, ["explain", "shuffle.scan-loop", "--color=always", "some-file.db"])

    def test_zsh(self):
        # Outside of its line editor zsh's own helpers are not there.
        script = """
_files() { print -- files }
_describe() { print -rl -- ${${(P)4}%%:*} }
compadd() { print -rl -- ${argv[2,-1]} }
try() { words=($@); CURRENT=$#words; source """ + f"{SCRIPTS}/_litmus" + """ }
try litmus expl
try litmus run shuffle.scan-lo
try litmus --all --color=al
try litmus report --db some-f
"""
        lines = self.shell("zsh", script, ".zsh")
        self.assertEqual(lines, ["explain", "shuffle.scan-loop", "--color=always", "files"])

    def test_the_launcher_does_not_build_for_it(self):
        shutil.copy(os.path.join(harness.SOURCE, "litmus"), self.path("litmus"))
        done = subprocess.run([self.path("litmus"), "complete", "--", "ru"], capture_output=True,
                              text=True, cwd=self.folder, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertFalse(os.path.exists(self.path("build")))


class Manual(harness.Case):
    """A page for each subcommand, with each of its options."""

    def test_each_command_has_a_page_with_its_options(self):
        commands = re.findall(r"^  (\w+) ", self.litmus("help").out, re.M)
        pages = [re.search(r"litmus-?(\w*)\.1\.scd$", path)[1] for path in glob.glob(PAGES + "/*.scd")]
        self.assertEqual(sorted(set(commands) - {"help", "version"}), sorted(filter(None, pages)))
        for command in filter(None, pages):
            said = self.litmus("help", command).out
            self.write("help.txt", said)
            with open(os.path.join(PAGES, f"litmus-{command}.1.scd"), encoding="utf-8") as page:
                done = subprocess.run([MANUAL, command, self.path("help.txt")], stdin=page, text=True,
                                      capture_output=True, check=True)
            text = done.stdout.replace("\\", "")
            self.assertNotIn("@", re.sub(r"\S+@\S+", "", text), command)
            listed = re.findall(r"^ +(?:-\w, )?--([\w-]+)", said, re.M)
            for name in listed:
                self.assertIn(f"*--{name}*", text, command)


harness.main(__name__)
