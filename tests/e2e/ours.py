# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in the harness or around it is never told as a driver's doing."""

import os
import resource
import signal
import subprocess
import time

import harness
from harness import Case


class Ours(Case):
    def test_too_few_descriptors(self):
        for files in (12, 20, 63):
            with self.subTest(files=files):
                run = self.litmus("run", harness.ONE, "-n", "2", "--timeout", "10",
                                  preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                     (files, files)))
                self.assert_one_line(run, 2, "ulimit -n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_as_many_descriptors_as_are_asked_for(self):
        run = self.litmus("run", harness.ONE, "-n", "2",
                          preexec=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        self.assertEqual(run.code, 0, run)

    @harness.never_sanitized
    def test_too_little_memory(self):
        run = self.litmus("run", harness.ONE, "-n", "2",
                          preexec=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                             (300 << 20, 300 << 20)))
        self.assert_one_line(run, 2, "300 MiB of memory", "ulimit -v")
        # While the driver compiles; most crash then.
        run = self.litmus("run", *harness.PAIR, "-n", "5", fault="no-memory-on=64")
        self.assertEqual(run.code, 3, run)
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
                run = self.litmus("run", harness.ONE, "-n", "2", "--db", store, fault=f"exit={code}")
                self.assertEqual(run.code, exits, run)
                self.assertEqual(self.results(store)[64]["result"], result)

    def test_a_harness_that_fails_again_and_again_stops(self):
        pattern = harness.ONE.replace("sync=workgroup-in-loop", "sync=*")
        run = self.litmus("run", pattern, "-n", "1", fault="exit=120")
        self.assertEqual(run.code, 3, run)
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

    def stopped(self, *more, **how):
        """Supervisor and worker are stopped for longer than the time limit, as a container is."""
        process = self.start("run", harness.ONE, "-n", "8", "--timeout", "2", "--seed", "1", *more,
                             **how)
        since = time.monotonic()
        self.wait_for("a batch", lambda: self.rows("SELECT 1 FROM result WHERE runs > 0"))
        both = [process.pid, *self.workers_of(process)]
        for number, pause in ((signal.SIGSTOP, 3), (signal.SIGCONT, 0)):
            for pid in both:
                os.kill(pid, number)
            time.sleep(pause)
        result = self.finish(process, since)
        self.assertEqual(result.code, 0, result)
        self.assertEqual(self.results()[64]["result"], "pass")

    def test_stopped_in_a_submission(self):
        self.stopped(fault="slow=300")

    def test_stopped_in_a_wait(self):
        self.stopped(fault="slow-fence=300")


if __name__ == "__main__":
    harness.main()
