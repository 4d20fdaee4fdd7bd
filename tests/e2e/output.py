# SPDX-License-Identifier: Apache-2.0
"""Where output goes: files, links, descriptors, and a stdout that cannot be written."""

import os
import re
import shutil

import harness

STORE = os.path.join(harness.SOURCE, "tests", "stores", "measured.db")


class Stdout(harness.Case):
    """Whatever cannot be printed ends with 2 and one line, whatever the exit code would be."""

    COMMANDS = (
        ("version",), ("--version",), ("help",), ("--help",), ("help", "run"), ("run", "--help"),
        ("list",), ("list", "--names", "loop.desync"), ("show", "loop.desync"), ("devices",),
        ("complete", "re"),
        *(("report", "--db", STORE, "-f", form) for form in harness.FORMATS),
        ("report", "--db", STORE, "-o", "/proc/self/fd/1"),
        ("history", "--db", STORE), ("history", "--db", STORE, "--json"),
        ("compare", f"{STORE}#1", f"{STORE}#1"), ("gate", f"{STORE}#1", "--baseline", f"{STORE}#1"),
        ("merge", "-o", "merged.db", STORE),
        ("run", "--dry-run", "loop.desync"),
        ("run", "--simt", "lockstep", "-n", "2", harness.ONE),
        ("isa", harness.ONE), ("bench",),
        ("fuzz", "reconvergence", "--show", "--seed", "1"),
    )

    def check(self, arguments, says, **how):
        result = self.litmus(*arguments, **how)
        self.assertEqual((result.code, result.out), (2, ""), (arguments, result))
        lines = [line for line in result.err.splitlines() if "write" in line]
        self.assertEqual(lines, [says] if says else lines, arguments)
        self.assertEqual(len(lines), 1, result)

    def test_a_full_disk(self):
        for arguments in self.COMMANDS:
            with open("/dev/full", "wb") as full:
                self.check(arguments, None, stdout=full)
            if os.path.exists(self.path("merged.db")):
                os.remove(self.path("merged.db"))
        self.assertEqual(len(self.report()["results"]), 1)

    def test_closed(self):
        """No file of the program's gets its number, and what would be printed."""
        self.check(("version",), "litmus: cannot write the output: Bad file descriptor",
                   stdout=None, preexec=lambda: os.close(1))
        self.check(("run", "--simt", "lockstep", "-n", "2", harness.ONE),
                   "litmus: cannot write the output: Bad file descriptor",
                   stdout=None, preexec=lambda: os.closerange(0, 2))
        self.assertEqual(len(self.report()["results"]), 1)


class Files(harness.Case):
    def report_to(self, path, **how):
        return self.litmus("report", "--db", STORE, "-f", "csv", "-o", path, **how)

    def setUp(self):
        super().setUp()
        self.made = self.litmus("report", "--db", STORE, "-f", "csv").out

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def test_stdout_in_a_file(self):
        """It is written where stdout is, not replaced. The link is what /dev/stdout is, which a
        test that fails must not replace."""
        os.symlink("/proc/self/fd/1", self.path("stdout"))
        for name in ("stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.write("out", "before\n")
            with open(self.path("out"), "ab") as out:
                result = self.report_to(name, stdout=out)
            self.assertEqual(result.code, 0, result)
            self.assertEqual(self.read("out"), "before\n" + self.made)
        self.assertTrue(os.path.islink(self.path("stdout")))

    def test_a_link_in_a_run(self):
        """It stays, and its target need not be there."""
        os.mkdir(self.path("folder"))
        os.symlink("folder/report.json", self.path("link"))
        for _ in range(2):
            result = self.litmus("run", "--simt", "lockstep", "-n", "2", "--json", "link",
                                 harness.ONE, code=0)
            self.assertTrue(os.path.islink(self.path("link")))
            self.assertIn('"litmus-report', self.read("folder/report.json"))
            self.assertEqual(os.listdir(self.path("folder")), ["report.json"])

    def test_a_link_to_what_is_of_a_store(self):
        """Which is not there now."""
        shutil.copy(STORE, self.path("litmus.db"))
        for name in ("litmus.db", "litmus.db-wal", "litmus.db-journal"):
            os.symlink(name, self.path("link"))
            for command in (("report", "-o", "link"),
                            ("run", harness.ONE, "--db", "litmus.db", "--json", "link")):
                result = self.litmus(*command, code=2)
                self.assertIn("store", result.err)
            os.remove(self.path("link"))

    def test_a_link_to_itself(self):
        os.symlink("link", self.path("link"))
        result = self.report_to("link")
        self.assertEqual(result.code, 2, result)
        self.assertEqual(result.err, "litmus: cannot write link: "
                                     "Too many levels of symbolic links\n")

    def test_a_full_device(self):
        result = self.report_to("/dev/full")
        self.assertEqual((result.code, result.err),
                         (2, "litmus: cannot write /dev/full: No space left on device\n"))


CONFIGURATION = "scan.subgroup/mode=inclusive,operation=add,type=u32,form=native"
RUN = ("run", CONFIGURATION, "-n", "2", "--db", "other.db", "--simt")
PROGRAM = os.path.join(harness.SOURCE, "corpus", "MP+membar+dv.litmus")
BENCH = ("bench", "scan", "--elements", "4096", "--simt", "lockstep")


@harness.unsanitized
class Guard(harness.Case):
    """Whatever names a file to write: none is a store, or of one, in use or not."""

    # With the option behind it; a folder is refused where it would be of a store.
    FILES = {("run", name): (*RUN, "lockstep") for name in
             ("--json", "--junit", "--csv", "--markdown", "--html")}
    FILES |= {("run", "--simt"): RUN, ("report", "--output"): ("report",),
              ("merge", "--output"): ("merge", "litmus.db"),
              ("store", "--repair"): ("store", "check", "litmus.db"),
              ("explain", "--svg"): ("explain", CONFIGURATION, "--simt", "faulty")}
    FILES |= {(command, name): (*made, "litmus.db") for name in
              ("--json", "--junit", "--markdown", "--html") for command, made in
              (("gate", ("gate", "-b", "litmus.db")), ("compare", ("compare", "litmus.db")))}
    FILES |= {("bench", name): BENCH for name in ("--json", "--markdown")}
    FILES |= {("bench", "--tuned"): ("bench", "lookback", "--tune", "--simt", "lockstep")}
    FOLDERS = {("repro", "--output"): ("repro", CONFIGURATION), ("bench", "--keep"): BENCH,
               ("isa", "--keep"): ("isa", CONFIGURATION, "--simt", "lockstep"),
               ("reduce", "--out"): ("reduce", CONFIGURATION, "--simt", "faulty,fault=wrong"),
               ("model", "--svg"): ("model", PROGRAM), ("progress", "--write"): ("progress",),
               ("fuzz", "--out"): ("fuzz", "groups", "--simt", "faulty,fault=wrong", "--time", "5",
                                   "--db", "other.db")}
    # Names of what is read, and of stores themselves.
    READ = {"--db", "--baseline", "--waivers", "--caselist", "--skips", "--check", "--from", "--missing",
            "--deqp-fails", "--deqp-skips", "--deqp-flakes", "--push", "--module", "--include", "--cub",
            "--replay", "--facts", "--kept"}
    OTHERS = {("plan", "--output")}

    def prepare(self):
        shutil.copy(STORE, self.path("litmus.db"))

    def state(self):
        with open(self.path("litmus.db"), "rb") as file:
            return file.read(), sorted(name for name in os.listdir(self.folder)
                                       if not name.startswith("other.db"))

    def test_every_option_is_known(self):
        commands = re.findall(r"^  (\w+) ", self.litmus("help").out, re.M)
        self.assertGreater(len(commands), 20)
        found = set()
        for command in commands:
            for name in re.findall(r"^ +(?:-\w, )?(--\w+) (?:\S*\b(?:FILE|FOLDER|PREFIX)\b)",
                                   self.litmus("help", command).out, re.M):
                if name not in self.READ:
                    found.add((command, name))
        known = {*self.FILES, *self.FOLDERS, *self.OTHERS}
        self.assertEqual(found, {(command, name) for command, name in known if name != "--simt"})

    def refused(self, before, command, *words):
        result = self.litmus(*command, *words, drivers=[], code=2)
        self.assertRegex(result.err, r"litmus: \S+: (is (a|the) store|belongs to the store \S+): use "
                         r"another name\n$|--repair writes a new file", result)
        self.assertEqual(self.state(), before, result)

    def test_files(self):
        before = self.state()
        for (_, option), command in self.FILES.items():
            for name in ("litmus.db", "litmus.db-wal", "litmus.db.lock"):
                if command[0] == "merge" and name == "litmus.db":
                    continue
                words = ("lockstep,trace=" + name,) if option == "--simt" else (option, name)
                self.refused(before, command, *words)
        self.refused(before, (*RUN, "lockstep,counts=litmus.db"))

    def test_folders(self):
        before = self.state()
        for (_, option), command in self.FOLDERS.items():
            self.refused(before, command, option, "litmus.db-wal")

    def test_others(self):
        os.link(self.path("litmus.db"), self.path("part-0.txt"))
        before = self.state()
        self.refused(before, ("plan", CONFIGURATION, "-o", "part"))
        for name in ("part-0.txt", "litmus.db-shm"):
            result = self.litmus(*RUN, "lockstep", GTEST_SHARD_STATUS_FILE=name)
            self.assert_one_line(result, 2, "GTEST_SHARD_STATUS_FILE", "another name")
        self.assertEqual(self.state(), before)

    def test_the_store_that_is_made(self):
        """It is not there yet when the other file is asked for."""
        for words in (("--json", "litmus.db"), ("--csv", "litmus.db-journal")):
            os.unlink(self.path("litmus.db"))
            result = self.litmus("run", CONFIGURATION, "--db", "litmus.db", *words, drivers=[])
            self.assertIn("is the store", result.err)
            self.assertFalse(os.path.exists(self.path("litmus.db")))
            self.prepare()
        os.unlink(self.path("litmus.db"))
        self.litmus("run", CONFIGURATION, "-n", "2", "--simt", "lockstep,trace=litmus.db", drivers=[])
        self.assertEqual(self.litmus("store", "check", "litmus.db").code, 0)


@harness.posix
@harness.unsanitized
class Pipes(harness.Case):
    def test_nobody_reads(self):
        """A pipe with a name holds nobody up for ever."""
        os.mkfifo(self.path("pipe"))
        result = self.litmus("report", "--db", STORE, "-o", "pipe", drivers=[])
        self.assert_one_line(result, 2, "cannot write pipe")


class Recorded(harness.Case):
    def test_a_pattern_that_is_no_utf8(self):
        """Options are recorded as JSON: a resumed run would do without it."""
        for arguments in ((harness.ONE, b"!*\xff*"), (b"loop.\xff",),
                          ("--simt", b"lockstep,trace=\xff", harness.ONE)):
            for command in ("run", "tune"):
                result = self.litmus(command, *arguments)
                self.assertEqual((result.code, result.out), (2, ""), result)
                self.assertIn("UTF-8", result.err)
                self.assertEqual(result.err.count("\n"), 1)
                self.assertFalse(os.path.exists(self.path("litmus.db")))


harness.main(__name__)
