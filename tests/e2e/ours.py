# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the harness or around it is never told as a driver's doing."""

import glob
import os
import re
import resource
import signal
import subprocess
import time

import harness


class Ours(harness.Case):
    def test_too_few_descriptors(self):
        for files in (12, 20, 63):
            with self.subTest(files=files):
                run = self.litmus("run", harness.ONE, "-n", "2", "--timeout", "10",
                                  preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                     (files, files)))
                self.assert_one_line(run, 2, "ulimit -n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_as_many_descriptors_as_are_asked_for(self):
        self.litmus("run", harness.ONE, "-n", "2",
                    preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)), code=0)

    @harness.never_sanitized
    def test_too_little_memory(self):
        run = self.litmus("run", harness.ONE, "-n", "2",
                          preexec=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                             (300 << 20, 300 << 20)))
        self.assert_one_line(run, 2, "300 MiB of memory", "ulimit -v")
        # While the driver compiles; most crash then.
        self.litmus("run", *harness.PAIR, "-n", "5", fault="no-memory-on=64", code=3)
        results = self.results()
        self.assertEqual(results[64]["result"], "harness-error", results[64])
        self.assertIn("out of memory", results[64]["reason"])
        self.assertEqual(results[128]["result"], "pass", results[128])

    def test_a_worker_that_fails(self):
        """By its exit code: nothing but the worker itself uses these."""
        for code, result, exits in ((120, "harness-error", 3), (121, "harness-error", 3),
                                    (122, "harness-error", 3), (119, "crash", 1), (2, "crash", 1)):
            with self.subTest(code=code):
                store = f"{code}.db"
                run = self.litmus("run", harness.ONE, "-n", "2", "--db", store, fault=f"exit={code}",
                                  code=exits)
                self.assertEqual(self.results(store)[64]["result"], result)

    def test_a_harness_that_fails_again_and_again_stops(self):
        pattern = harness.ONE.replace("sync=workgroup-in-loop", "sync=*")
        run = self.litmus("run", pattern, "-n", "1", fault="exit=120", code=3)
        self.assertIn("device 1 stops: the harness failed three times in a row", run.err)
        self.assertIn("resume: litmus run --resume", run.out)
        # What had no answer is asked again.
        run = self.litmus("run", "--resume", drivers=[harness.FAULT],
                          LITMUS_FAULT_DRIVER=harness.any_driver())
        results = [entry["result"] for entry in self.report()["results"]]
        self.assertNotIn("harness-error", results, run)
        self.assertGreater(len(results), 3)

    @harness.never_sanitized
    def test_no_proc(self):
        command = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        if subprocess.run([*command, "true"], capture_output=True).returncode != 0:
            self.skipTest("no file systems can be mounted here")
        run = subprocess.run([*command, harness.PROGRAM, "run", harness.ONE, "-n", "2"],
                             env=self.environment(), cwd=self.folder, capture_output=True, text=True)
        result = harness.Result(run.returncode, run.stdout, run.stderr, 0)
        self.assert_one_line(result, 2, "/proc/self/exe")


class Stopped(harness.Case):
    """Supervisor and worker are stopped for longer than the time limit, as a container is."""

    sets_clock = True

    def waits_of(self, pid):
        """How often its threads waited."""
        waits = 0
        for path in glob.glob(f"/proc/{pid}/task/*/status"):
            with open(path) as file:
                waits += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])
        return waits

    def stopped(self, fault):
        process = self.start("run", harness.ONE, "-n", "8", "--timeout", "60", "--seed", "1",
                             fault=fault + ",after=1", LITMUS_FAULT_RELEASE=self.path("go"))
        since = time.monotonic()
        self.first_batch()
        both = [process.pid, *self.workers_of(process)]
        for pid in both:
            os.kill(pid, signal.SIGSTOP)
        self.pass_time(100, stopped=True)
        for pid in both:
            os.kill(pid, signal.SIGCONT)
        # Each waits again, and so has looked at the clock.
        for pid, before in [(pid, self.waits_of(pid)) for pid in both]:
            self.wait_for("a look", lambda: self.waits_of(pid) > before + 3)
        self.write("go", "")
        result = self.finish(process, since)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.results()[64]["result"], "pass")

    test_in_a_submission = harness.case("stopped", "hold-on=any")
    test_in_a_wait = harness.case("stopped", "hold-fence-on=any")


harness.main(__name__)
