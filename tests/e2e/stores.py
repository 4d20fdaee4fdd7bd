# SPDX-License-Identifier: Apache-2.0
"""Stores that cannot be used, and what becomes of results then."""

import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

import harness

NOBODY = 65534


class Unusable(harness.Case):
    """Refused before any test runs, in one line that names the file; the file stays as it was."""

    def refused(self, store, *words):
        before = self.content(store)
        run = self.litmus("run", harness.ONE, "-n", "1", "--db", store)
        report = self.litmus("report", "--format", "json", "--db", store)
        self.assertEqual(run.code, 2, run)
        self.assertEqual(report.code, 2, report)
        for word in (os.path.basename(store), *words):
            self.assertIn(word, run.err)
            self.assertIn(word, report.err)
        self.assert_clean(run)
        self.assertEqual(report.out, "")
        self.assertEqual(self.content(store), before)

    def content(self, store):
        path = self.path(store)
        if not os.path.isfile(path) or path.startswith("/proc"):
            return None
        return harness.read(path, "rb")

    def test_text_file(self):
        self.write("notes.txt", "not a store\n" * 1000)
        self.refused("notes.txt", "not a litmus store")

    def test_short_file(self):
        self.write("short", "x")
        self.refused("short")

    def test_folder(self):
        os.mkdir(self.path("folder"))
        self.refused("folder", "not a regular file")

    test_device_file = harness.case("refused", "/dev/null", "not a regular file")
    test_missing_folder = harness.case("refused", "gone/litmus.db")

    def test_a_folder_that_takes_no_file(self):
        run = self.litmus("run", harness.ONE, "-n", "1", "--db", "/proc/litmus.db")
        self.assert_one_line(run, 2, "/proc/litmus.db")

    def test_store_of_another_program(self):
        self.make("other.db", "CREATE TABLE session (id INTEGER); PRAGMA user_version = 1")
        self.refused("other.db", "another program")

    def make(self, name, sql):
        database = sqlite3.connect(self.path(name))
        database.executescript(sql)
        database.close()

    def test_store_of_another_format(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1", "--db", "good.db").code, 0)
        for version in (-1, 0, 2, 9, 1000):
            shutil.copy(self.path("good.db"), self.path("new.db"))
            self.make("new.db", f"PRAGMA user_version = {version}")
            words = f"a store of format {version}, but this litmus reads and writes only format 1"
            self.refused("new.db", words)
            before = self.content("new.db")
            for arguments in (("history", "--db", "new.db"), ("store", "check", "new.db"),
                              ("gate", "--baseline", "new.db", "good.db"),
                              ("merge", "-o", "new.db", "good.db"),
                              ("merge", "-o", "out.db", "good.db", "new.db")):
                self.assert_one_line(self.litmus(*arguments), 2, "new.db", words)
            self.assertEqual(self.content("new.db"), before)
            self.assertEqual(sorted(os.listdir(self.folder)), ["good.db", "new.db"])

    def test_store_that_is_damaged(self):
        self.assertEqual(self.litmus("run", *harness.PAIR, "-n", "1", "--db", "d.db").code, 0)
        content = self.content("d.db")
        self.write("d.db", content[:4096] + b"\xa5" * 8192 + content[12288:])
        run = self.litmus("run", harness.ONE, "-n", "1", "--db", "d.db")
        report = self.litmus("report", "--format", "json", "--db", "d.db")
        for result in (run, report):
            self.assert_one_line(result, 2, "d.db", "damaged")

    def test_resume_without_a_store(self):
        self.assert_one_line(self.litmus("run", "--resume"), 2, "litmus.db")
        self.assertEqual(os.listdir(self.folder), [])

    def test_resume_of_a_finished_run(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1").code, 0)
        self.assert_one_line(self.litmus("run", "--resume"), 2, "unfinished")


class NotAllowed(harness.Case):
    """As another user than root, whom permissions do not bind."""

    def as_nobody(self, *arguments):
        if os.getuid() != 0:
            return self.litmus(*arguments)
        os.chmod(self.folder, 0o755)
        self.assertTrue(shutil.which("setpriv"), "setpriv is missing")
        # The program may lie where only root can read: it is handed over as an open file.
        copy = "/proc/self/fd/9"
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", copy]

        def hand_over():
            os.dup2(program, 9)

        program = os.open(harness.PROGRAM, os.O_RDONLY)
        try:
            process = subprocess.Popen(
                [*command, *arguments], env=self.environment(), cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                preexec_fn=hand_over, pass_fds=(9,))
        finally:
            os.close(program)
        self.started.append(process)
        return self.finish(process, time.monotonic())

    def test_folder_that_cannot_be_written(self):
        os.chmod(self.folder, 0o555)
        result = self.as_nobody("run", harness.ONE, "-n", "1")
        self.assert_one_line(result, 2, "litmus.db", "Permission denied")

    def test_store_that_cannot_be_written_can_be_reported(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1").code, 0)
        os.chmod(self.path("litmus.db"), 0o444)
        os.chmod(self.folder, 0o555)
        result = self.as_nobody("report", "--format", "json")
        self.assertEqual(result.code, 0, result)
        result = self.as_nobody("run", harness.ONE, "-n", "1")
        self.assert_one_line(result, 2, "litmus.db")


class FullDisk(harness.Case):
    """What was stored before stays readable; the run ends with 2 and says why."""

    LIMIT = 256 * 1024

    def fills_up(self, store, reason, **how):
        run = self.litmus("run", "shuffle", "reconvergence", "-n", "1000", "--db", store, **how,
                          code=2)
        self.assertRegex(run.err, f"(?m)^litmus: {store}: .*({reason})")
        self.assert_clean(run)
        results = self.report(store)["results"]
        self.assertGreater(len(results), 0)
        self.assertEqual(self.rows("PRAGMA integrity_check", store), [("ok",)])

    def test_disk_that_fills_up(self):
        os.mkdir(self.path("small"))
        mount = ["mount", "-t", "tmpfs", "-o", f"size={self.LIMIT}", "none", self.path("small")]
        if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.path("small")], check=True)
        self.fills_up("small/litmus.db", "the disk is full")

    def test_file_that_may_not_grow(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.LIMIT, hard))

        self.fills_up("litmus.db", "File too large", preexec=limit)

    def test_report_onto_a_full_disk(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1").code, 0)
        with open("/dev/full", "w") as full:
            result = self.litmus("report", "--format", "json", stdout=full)
        self.assert_one_line(result, 2, "No space left")
        result = self.litmus("report", "--format", "json", "-o", "/dev/full")
        self.assert_one_line(result, 2, "/dev/full", "No space left")

    def test_report_that_cannot_be_written_leaves_nothing(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1").code, 0)
        before = sorted(os.listdir(self.folder))
        result = self.litmus("report", "--format", "json", "-o", "gone/report.json")
        self.assert_one_line(result, 2, "gone/report.json")
        self.assertEqual(sorted(os.listdir(self.folder)), before)


class Moved(harness.Case):
    """A store whose name is taken from it while it is written: what was measured is saved."""

    def check(self, action, recovered="litmus.recovered.db", more=()):
        run = self.start("run", *harness.PAIR, "-n", "40", *more, fault="hold-on=any,after=1",
                         LITMUS_FAULT_RELEASE=self.path("go"))
        since = time.monotonic()
        self.first_batch()
        action()
        self.write("go", "")
        run = self.finish(run, since)
        self.assert_one_line(run, 2, "litmus.db", "moved or removed", recovered)
        self.assertNotIn("stored in", run.out)
        self.assertEqual(self.rows("PRAGMA integrity_check", recovered), [("ok",)])
        self.assertFalse([name for name in os.listdir(self.folder)
                          if name.endswith(("-wal", "-shm", ".lock"))])
        self.litmus("run", "--resume", "--db", recovered, fault="slow=0", code=0)
        self.assertEqual({entry["runs"] for entry in self.results(recovered).values()}, {40})

    def test_removed(self):
        self.check(lambda: os.remove(self.path("litmus.db")))

    def test_moved(self):
        self.check(lambda: os.rename(self.path("litmus.db"), self.path("other.db")))

    def test_replaced(self):
        def replace():
            self.write("other.db", "something else")
            os.rename(self.path("other.db"), self.path("litmus.db"))

        self.check(replace)
        self.assertEqual(self.read("litmus.db"), "something else")

    def test_without_its_log(self):
        self.check(lambda: os.remove(self.path("litmus.db-wal")))

    def test_the_name_that_is_taken(self):
        self.write("litmus.recovered.db", "taken")
        self.check(lambda: os.remove(self.path("litmus.db")), "litmus.recovered-2.db")
        self.assertEqual(self.read("litmus.recovered.db"), "taken")

    @harness.about_lavapipe
    def test_at_the_end(self):
        """After the last result was stored, while its code is looked at."""
        run = self.start("run", harness.ONE, "-n", "1", "--isa", "all", fault="slow=3000")
        since = time.monotonic()
        self.wait_for("the end", lambda: self.rows("SELECT 1 FROM session WHERE finished"))
        os.remove(self.path("litmus.db"))
        run = self.finish(run, since)
        self.assert_one_line(run, 2, "litmus.db", "moved or removed", "litmus.recovered.db")
        self.assertNotIn("stored in", run.out)
        self.assertEqual(len(self.report("litmus.recovered.db")["results"]), 1)


class Companions(harness.Case):
    """Files that belong to a store are no outputs and no stores."""

    def content(self):
        found = {}
        for name in os.listdir(self.folder):
            found[name] = self.read(name, "rb")
        # SQLite's index of the -wal, which a reader may make anew, keeps its size.
        found["litmus.db-shm"] = len(found["litmus.db-shm"])
        return found

    def test_of_an_interrupted_store(self):
        run = self.start("run", *harness.PAIR, "-n", "40", fault="hang-on=any,after=1")
        self.first_batch()
        workers = self.workers_of(run)
        run.kill()
        run.communicate()
        self.children_are_gone(workers)
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1", "--db", "other.db").code, 0)
        before = self.content()
        self.assertIn("litmus.db-wal", before)
        for name in ("litmus.db-wal", "litmus.db-shm", "litmus.db-journal", "litmus.db.lock",
                     "litmus.db.merge-unfinished"):
            with self.subTest(name=name):
                one, two = harness.ONE, "new.db"
                for arguments in (("report", "--db", "other.db", "-f", "html", "-o", name),
                                  ("report", "-f", "html", "-o", name),
                                  ("run", one, "-n", "1", "--db", two, "--junit", name),
                                  ("run", one, "-n", "1", "--db", name),
                                  ("merge", "-o", name, "other.db")):
                    self.assert_one_line(self.litmus(*arguments), 2, name, "store")
                self.assertEqual(self.content(), before)
        for arguments in (("report", "-f", "html", "-o", "other.db"),
                          ("run", harness.ONE, "--db", "new.db", "--json", "new.db-wal")):
            self.assert_one_line(self.litmus(*arguments), 2, arguments[-1], "store")
        self.assertEqual(self.content(), before)
        self.assertGreater(len(self.report()["results"]), 0)


class Damaged(harness.Case):
    """What litmus store check says, and what of a damaged store is kept."""

    def prepare(self):
        self.assertEqual(self.litmus("run", harness.ONE, "-n", "1").code, 0)
        self.assertEqual(self.litmus("run", *harness.PAIR, "-n", "2").code, 0)

    def damage(self, sql, store="litmus.db"):
        database = sqlite3.connect(self.path(store))
        database.executescript(sql)
        database.close()

    def check(self, *arguments, store="litmus.db", code=2):
        result = self.litmus("store", "check", *arguments, store, code=code)
        self.assert_clean(result)
        self.assertEqual(bool(result.err), code != 0, result)
        return result.out

    def test_whole(self):
        self.assertIn("2 sessions and 3 results are intact", self.check(code=0))
        self.assertIn("2 sessions and 3 results were copied",
                      self.check("--repair", "copy.db", code=0))
        for session in ("1", "2"):
            self.assertEqual(self.report("copy.db", "--session", session),
                             self.report("litmus.db", "--session", session))
        self.assertIn("are intact", self.check(store="copy.db", code=0))
        self.assertEqual(sorted(os.listdir(self.folder)), ["copy.db", "litmus.db"])

    def test_changed_by_hand(self):
        for sql, words in (
                ("UPDATE result SET runs = runs + 1 WHERE id = 3", "session 2: the result of"),
                ("UPDATE outcome SET instances = 1 WHERE result = 3", "session 2: the result of"),
                ("UPDATE part SET process = 7 WHERE result = 3", "session 2: the result of"),
                ("DELETE FROM outcome WHERE result = 3", "session 2: the result of"),
                ("DELETE FROM result WHERE id = 3", "results of session 2 are missing"),
                ("UPDATE device SET name = 'x' WHERE session = 2", "device 1 is damaged"),
                ("DELETE FROM device WHERE session = 2", "devices of session 2 are missing"),
                ("UPDATE session SET seed = '0x1' WHERE id = 2", "session 2 is damaged"),
                ("DELETE FROM session WHERE id = 2", "sessions are missing"),
                ("DELETE FROM total WHERE session = 2", "results of session 2 are missing"),
                ("UPDATE total SET sum = sum + 1 WHERE session = 2", "devices of session 2 are missing")):
            with self.subTest(sql=sql):
                shutil.copy(self.path("litmus.db"), self.path("bad.db"))
                self.damage(sql, "bad.db")
                result = self.litmus("report", "--db", "bad.db")
                self.assert_one_line(result, 2, "bad.db", "damaged")
                self.assertEqual(result.out, "")
                result = self.litmus("store", "check", "bad.db", code=2)
                self.assertIn(words, result.out + result.err)
                result = self.litmus("merge", "-o", "merged.db", "bad.db")
                self.assert_one_line(result, 2, "bad.db", "damaged")
                self.assertFalse(os.path.exists(self.path("merged.db")))

    def test_cut_short(self):
        """What is before the cut is salvaged, as if zeros stood behind it."""
        whole = self.read("litmus.db", "rb")
        for left in (len(whole) - 4096, len(whole) * 3 // 4, 8192):
            out = {}
            for name, rest in (("cut.db", 0), ("zeros.db", len(whole) - left)):
                self.write(name, whole[:left] + bytes(rest))
                result = self.litmus("store", "check", "--repair", "copy.db", name, code=2)
                self.assert_clean(result)
                out[name] = result.out
                if os.path.exists(self.path("copy.db")):
                    os.unlink(self.path("copy.db"))
            self.assertEqual(out["cut.db"], out["zeros.db"], left)
            if left > len(whole) - 8192:
                self.assertRegex(out["cut.db"], r"[1-3] results? w")

    def test_repair(self):
        self.damage("UPDATE result SET runs = 77 WHERE id = 3")
        out = self.check("--repair", "whole.db")
        self.assertIn("1 session and 2 results were copied", out)
        self.assertEqual(self.rows("SELECT id, finished FROM session", "whole.db"), [(1, 1), (2, 0)])
        self.assertEqual(len(self.report("whole.db", "--session", "2")["results"]), 1)
        # What was lost is measured again.
        self.litmus("run", "--resume", "--db", "whole.db", code=0)
        self.assertEqual({entry["runs"] for entry in self.results("whole.db").values()}, {2})
        self.assertIn("3 results are intact", self.check(store="whole.db", code=0))

    def test_a_page_that_is_lost(self):
        """A page in the middle of the file: what is elsewhere is kept, and nothing is invented."""
        content = self.read("litmus.db", "rb")
        known = {(entry["name"], entry["seed"]): entry for session in ("1", "2")
                 for entry in self.report("litmus.db", "--session", session)["results"]}
        kept = 0
        for page in range(1, len(content) // 4096):
            at = page * 4096
            self.write("bad.db", content[:at] + b"\xa5" * 4096 + content[at + 4096:])
            result = self.litmus("store", "check", "--repair", "whole.db", "bad.db")
            self.assertIn(result.code, (0, 2), result)
            self.assert_clean(result)
            if not os.path.exists(self.path("whole.db")):
                continue
            for (session,) in self.rows("SELECT id FROM session", "whole.db"):
                for entry in self.report("whole.db", "--session", str(session))["results"]:
                    self.assertEqual(entry, known[entry["name"], entry["seed"]])
                    kept += 1
            os.remove(self.path("whole.db"))
        self.assertGreater(kept, len(content) // 4096)

    def test_usage(self):
        for arguments, words in (((), "check"), (("chek", "litmus.db"), "check"),
                                 (("check",), "missing store"), (("check", "a", "b"), "one store"),
                                 (("check", "gone.db"), "no such file"),
                                 (("check", "--repair", "litmus.db", "litmus.db"), "exists")):
            self.assert_one_line(self.litmus("store", *arguments), 2, words)


class Closing(harness.Case):
    def test_killed_while_it_closes(self):
        """A journal is left by a writer that dies while it closes the file."""
        self.assertEqual(self.litmus("run", *harness.PAIR, "-n", "1").code, 0)
        before = self.report()
        script = ("import os, sqlite3, signal; d = sqlite3.connect('litmus.db', isolation_level=None);"
                  "d.execute('PRAGMA cache_size = 1'); d.execute('BEGIN');"
                  "d.execute('UPDATE result SET reason = hex(zeroblob(100000))');"
                  "os.kill(os.getpid(), signal.SIGKILL)")
        subprocess.run(["python3", "-c", script], cwd=self.folder, check=False)
        self.assertIn("litmus.db-journal", os.listdir(self.folder))
        self.assertEqual(self.report(), before)
        self.assertEqual(os.listdir(self.folder), ["litmus.db"])


class TwoAtOnce(harness.Case):
    def test_second_run_is_refused_and_the_first_goes_on(self):
        first = self.start("run", *harness.PAIR, "-n", "40", fault="hold-on=any,after=1",
                           LITMUS_FAULT_RELEASE=self.path("go"))
        since = time.monotonic()
        self.first_batch()
        second = self.litmus("run", harness.ONE, "-n", "1")
        self.assert_one_line(second, 2, "litmus.db", f"process {first.pid}")
        # Reading is always possible.
        self.assertEqual(self.litmus("report", "--format", "json").code, 0)
        self.write("go", "")
        result = self.finish(first, since)
        self.assertEqual(result.code, 0, result)
        self.assertEqual({entry["runs"] for entry in self.results().values()}, {40})
        self.assertFalse(re.findall("(?m)^litmus.db-|lock", "\n".join(os.listdir(self.folder))))

    def test_many_sessions_in_one_store(self):
        for runs in ("1", "2", "3"):
            self.assertEqual(self.litmus("run", harness.ONE, "-n", runs).code, 0)
        self.assertEqual(self.report()["tool"]["runs"], 3)
        self.assertEqual(self.report("litmus.db", "--session", "1")["tool"]["runs"], 1)


harness.main(__name__)
