# SPDX-License-Identifier: Apache-2.0
"""Where output goes: files, links, descriptors, and a stdout that cannot be written."""

import os
import shutil

import harness

STORE = os.path.join(harness.SOURCE, "tests", "stores", "format-3.db")


class Stdout(harness.Case):
    """Whatever cannot be printed ends with 2 and one line, whatever the exit code would be."""

    COMMANDS = (
        ("version",), ("--version",), ("help",), ("--help",), ("help", "run"), ("run", "--help"),
        ("list",), ("list", "--names", "loop.desync"), ("show", "loop.desync"), ("devices",),
        ("complete", "re"),
        *(("report", "--db", STORE, "-f", form) for form in harness.FORMATS if form != "annotations"),
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
                                 harness.ONE)
            self.assertEqual(result.code, 0, result)
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
                result = self.litmus(*command)
                self.assertEqual(result.code, 2, result)
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


if __name__ == "__main__":
    harness.main()
