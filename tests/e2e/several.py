# SPDX-License-Identifier: Apache-2.0
"""Several devices at once: trouble of one is no trouble of the others, what stops a run stops all of
them, and nothing is lost. The devices are lavapipe behind the fault driver, and the reference
driver."""

import os
import re
import resource
import signal
import time

import harness

RUNS = 300
BOTH = [harness.FAULT, harness.SIMT]


class Several(harness.Case):
    sets_clock = True

    def run_both(self, *more, fault, runs=RUNS, **how):
        return self.litmus("run", *harness.PAIR, "-n", str(runs), "--seed", "7", *more,
                           drivers=BOTH, fault=fault, LITMUS_SIMT="model=lockstep", **how)

    def by_device(self):
        """(result, runs) of each device's configurations, in the order of the report."""
        report = self.report()
        ids = [device["id"] for device in report["devices"]]
        found = [[] for _ in ids]
        for entry in report["results"]:
            found[ids.index(entry["device"])].append((entry["result"], entry["runs"]))
            # No run is lost, none counts twice: instances follow runs.
            self.assertEqual(sum(entry["outcomes"].values()), entry["instances"])
            self.assertEqual(entry["instances"] % max(entry["runs"], 1), 0, entry)
        return found


@harness.about_lavapipe
class Trouble(Several):
    def beside(self, fault, expected, *words, code=1):
        self.check(self.run_both(fault=fault, runs=10), expected, *words, code=code)

    def check(self, run, expected, *words, code=1):
        self.assertEqual(run.code, code, run)
        self.assert_clean(run)
        self.assertEqual(self.by_device(), [expected, [("pass", 10)] * 2], run)
        for word in words:
            self.assertRegex(run.err, word)

    test_crash = harness.case("beside", "crash-on=64", [("crash", 0), ("pass", 10)],
                              r"(?m)^  device 1: crash: ")

    def test_hang(self):
        process = self.start("run", *harness.PAIR, "-n", "10", "--seed", "7", "--timeout", "60",
                             drivers=BOTH, fault="hang-deaf-on=128", LITMUS_SIMT="model=lockstep")
        since = time.monotonic()
        # The limit is the other one's, too.
        self.wait_for("what does not hang",
                      lambda: self.rows("SELECT count(*) FROM result WHERE result = 'pass'") == [(3,)],
                      passing=0.01)
        self.check(self.finish_in_time(process, since), [("pass", 10), ("hang", 0)],
                   r"no progress for (60|120) s")

    test_lost = harness.case("beside", "lost-on=any", [("device-lost", 0)] * 2,
                             r"(?m)^  device 1: device-lost: ")

    def test_cannot_be_opened(self):
        run = self.run_both(fault="lost-always", runs=10, code=4)
        self.assertIn("device 1 stops", run.err)
        self.assertEqual(self.by_device(), [[("pass", 10)] * 2], run)

    def test_a_device_that_is_not_measured_does_not_pass(self):
        """Not even if the others are as the baseline has them."""
        runs = 400  # enough for a verdict
        self.run_both("--db", "base.db", fault="slow=0", runs=runs, code=0)
        for fault, code in (("slow=0", 0), ("no-queue", 3)):
            run = self.run_both("--baseline", "base.db", fault=fault, runs=runs, code=code)
            self.assertIn("passed: no regression", run.out)
        self.assertIn("a device could not be", run.out)

    def test_one_after_another(self):
        run = self.run_both("--serial", fault="slow=0", runs=5, code=0)
        self.assertEqual(self.by_device(), [[("pass", 5)] * 2] * 2)
        # The second one's header comes when its turn does.
        devices = re.findall(r"device (\d) of 2", run.out)
        self.assertEqual(devices, ["1", "2", "1", "2"][:len(devices)], run)


@harness.about_lavapipe
class Stopped(Several):
    def begin(self):
        """Returns when both devices have stored something. However long that takes one of them,
        the other does not hang. On one core software devices take turns."""
        if not harness.WINDOWS and len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one core")
        self.since = time.monotonic()
        process = self.start("run", *harness.PAIR, "-n", str(RUNS), "--seed", "7", "--timeout",
                             "3600", drivers=BOTH, fault="hang-on=any,after=1",
                             LITMUS_SIMT="model=lockstep")
        self.wait_for("a batch of each device", lambda: len(
            self.rows("SELECT DISTINCT device FROM result WHERE runs > 0")) == 2, passing=0.1)
        return process

    def complete(self):
        result = self.litmus("run", "--resume", fault="slow=0", drivers=BOTH,
                             LITMUS_SIMT="model=lockstep", code=0)
        self.assertEqual(self.by_device(), [[("pass", RUNS)] * 2] * 2, result)
        self.assertEqual(self.rows("SELECT finished FROM session"), [(1,)])
        # The runs in parts are all runs, and a resumed configuration has a part of each process.
        for runs, parts in self.rows("SELECT runs, (SELECT sum(part.runs) FROM part"
                                     " WHERE part.result = result.id) FROM result"):
            self.assertEqual(runs, parts)

    def test_sigint(self):
        process = self.begin()
        workers = self.workers_of(process)
        self.assertIn(len(workers), (1, 2))  # one may have done its part
        process.send_signal(signal.SIGINT)
        result = self.finish(process, self.since)
        self.assert_ended_by(result, signal.SIGINT)
        self.assert_clean(result)
        self.children_are_gone(workers)
        self.assertIn(("partial",), self.rows("SELECT result FROM result"))
        self.complete()

    def test_kill(self):
        process = self.begin()
        workers = self.workers_of(process)
        process.kill()
        process.wait()
        self.children_are_gone(workers)
        self.complete()

    def test_budget(self):
        self.run_both("--time", "2", fault="slow=200", code=5)
        self.complete()

    def test_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, hard))

        result = self.run_both(fault="slow=20", preexec=limit, code=2)
        self.assertEqual(len(re.findall("(?m)^litmus: ", result.err)), 1, result)
        self.assertRegex(result.err, "full|disk I/O")
        self.complete()


harness.main(__name__)
