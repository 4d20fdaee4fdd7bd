# SPDX-License-Identifier: Apache-2.0
"""Runs that are cut short: what has been measured stays, and --resume completes it exactly."""

import shutil
import signal
import time

import harness

RUNS = 60


class Stopped(harness.Case):
    sets_clock = True

    def begin(self, size="any"):
        """A run that does not go on after its second batch; returns when it has stored the first."""
        process = self.start("run", *harness.PAIR, "-n", str(RUNS), "--seed", "7", "--timeout",
                             "3600", fault=f"hang-on={size},after=2")
        self.since = time.monotonic()
        self.first_batch()
        return process

    def resume(self, code=0):
        before = dict(self.rows("SELECT name, runs FROM result"))
        self.litmus("run", "--resume", fault="slow=0", code=code)
        after = self.results()
        self.assertEqual({size: entry["runs"] for size, entry in after.items()},
                         {64: RUNS, 128: RUNS})
        for entry in after.values():
            self.assertEqual(entry["result"], "pass")
            # No run is lost, none counts twice: instances follow runs.
            self.assertEqual(entry["instances"] % RUNS, 0, entry)
            self.assertEqual(sum(entry["outcomes"].values()), entry["instances"])
        self.assertEqual(len(self.rows("SELECT 1 FROM session")), 1)
        self.assertTrue(self.report()["tool"]["finished"])
        self.assertTrue(all(runs <= RUNS for runs in before.values()))
        # And then nothing is left to resume.
        self.assertEqual(self.litmus("run", "--resume").code, 2)


@harness.posix
class Signals(Stopped):
    def by_signal(self, number):
        process = self.begin()
        workers = self.workers_of(process)
        self.assertTrue(workers)
        process.send_signal(number)
        result = self.finish(process, self.since)
        self.assert_ended_by(result, number)
        self.assert_all_in(result.out, "interrupted", "litmus run --resume")
        self.assert_clean(result)
        self.children_are_gone(workers)
        partial = [entry for entry in self.report()["results"] if entry["runs"] < RUNS]
        self.assertTrue(partial)
        for entry in partial:
            self.assertEqual((entry["result"], entry["reason"]), ("partial", ""))
        self.resume()

    test_sigint = harness.case("by_signal", signal.SIGINT)
    test_sigterm = harness.case("by_signal", signal.SIGTERM)

    def calls(self):
        try:
            return self.read("calls").lower()
        except FileNotFoundError:
            return ""

    def test_second_sigint_ends_at_once(self):
        process = self.start("run", harness.ONE, "-n", "2", "--timeout", "60",
                             fault="hang-deaf-on=any,journal", LITMUS_FAULT_JOURNAL=self.path("calls"))
        since = time.monotonic()
        self.wait_for("a submission", lambda: self.calls().endswith("s"))
        workers = self.workers_of(process)
        self.interrupt(process)
        process.send_signal(signal.SIGINT)
        result = self.finish(process, since)
        self.assert_ended_by(result, signal.SIGINT)
        self.children_are_gone(workers)

    def test_sigint_while_a_driver_hangs(self):
        process = self.start("devices", fault="create-instance-hang")
        since = time.monotonic()
        self.wait_for("a worker", lambda: self.workers_of(process))
        self.interrupt(process)
        self.assert_ended_by(self.finish_in_time(process, since), signal.SIGINT)

    def test_ignored_sigint_stays_ignored(self):
        def ignore():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

        process = self.start("run", harness.ONE, "-n", "20", fault="hold-on=any,after=1",
                             preexec=ignore, LITMUS_FAULT_RELEASE=self.path("go"))
        since = time.monotonic()
        self.first_batch()
        self.interrupt(process)
        self.write("go", "")
        self.assertEqual(self.finish(process, since).code, 0)


class Killed(Stopped):
    def test_supervisor(self):
        process = self.begin()
        workers = self.workers_of(process)
        process.kill()
        process.wait()
        self.children_are_gone(workers)
        self.resume()

    def test_supervisor_again_and_again(self):
        process = self.begin()
        for _ in range(3):
            process.kill()
            process.wait()
            before = self.rows("SELECT sum(runs) FROM result")[0]
            process = self.start("run", "--resume", fault="hang-on=any,after=2")
            self.wait_for("more runs", lambda: self.rows("SELECT sum(runs) FROM result")[0] > before,
                          passing=0.1)
        process.kill()
        process.wait()
        self.resume()

    def test_worker(self):
        self.program = self.path("of-this-test.exe")
        shutil.copy(harness.PROGRAM, self.program)
        process = self.begin(64)
        self.end_worker(process)
        result = self.finish(process, self.since)
        # No driver does that: it is not told as a crash.
        self.assertEqual(result.code, 3, result)
        results = self.results()
        self.assertEqual(sorted(entry["result"] for entry in results.values()),
                         ["harness-error", "pass"])
        ended = [entry for entry in results.values() if entry["result"] == "harness-error"][0]
        self.assertIn("ended from outside: " + ("exit status 1" if harness.WINDOWS else "signal 9"),
                      ended["reason"])
        self.assertGreater(ended["runs"], 0)
        self.assertLess(ended["runs"], RUNS)


class Time(Stopped):
    def test_budget(self):
        result = self.litmus("run", *harness.PAIR, "-n", str(RUNS), "--time", "2",
                             fault="slow=100", code=5)
        self.assert_all_in(result.out, "exit 5", "litmus run --resume")
        self.resume()

    def test_budget_of_nothing(self):
        self.litmus("run", harness.ONE, "-n", "2", "--time", "0.001",
                    fault="slow=20", code=5)

    def test_budget_that_suffices(self):
        self.litmus("run", harness.ONE, "-n", "2", "--time", "1h", code=0)


@harness.posix
class Resume(Stopped):
    def test_takes_no_other_options(self):
        process = self.begin()
        process.send_signal(signal.SIGINT)
        self.finish(process, self.since)
        for more in (["-n", "5"], ["--seed", "1"], ["shuffle"], ["-d", "1"], ["--thorough"]):
            with self.subTest(more=more):
                self.assert_one_line(self.litmus("run", "--resume", *more), 2, "--resume")
        self.resume()

    def test_with_another_driver_version(self):
        process = self.begin()
        process.send_signal(signal.SIGINT)
        self.finish(process, self.since)
        result = self.litmus("run", "--resume", fault="other-version", code=77)
        self.assertIn("another driver", result.err)
        self.resume()


harness.main(__name__)
