# SPDX-License-Identifier: Apache-2.0
"""Pipelines that are made ahead of use: who is to blame when the driver fails meanwhile, and that
nothing else changes. Of two configurations, that with workgroups of 64 comes first."""

import os
import re
import time

import harness

RUNS = 120


def counted(result):
    return {key: result[key] for key in ("result", "runs", "failed_runs", "no_progress_runs",
                                         "instances", "failed_instances", "outcomes", "seed")}


class Blame(harness.Case):
    def both(self, fault, *more, ahead="2", code=1):
        run = self.litmus("run", *harness.PAIR, "-n", str(RUNS), "--seed", "1", "--ahead", ahead,
                          *more, fault=fault, code=code)
        self.assert_clean(run)
        results = self.results()
        return run, results[64], results[128]

    def processes(self, result):
        return [part["process"] for part in result["parts"]]

    def test_crash_in_compiling_the_next_one(self):
        run, first, second = self.both("crash-on=128")
        self.assertEqual((first["result"], first["runs"]), ("pass", RUNS), run)
        self.assertEqual((second["result"], second["runs"]), ("crash", 0), run)
        self.assertIn("worker died: signal 11", second["reason"])
        # It was not known who it was; then each had a worker to itself.
        self.assertIn("crash while precompiling other pipelines: continues without", run.err)
        self.assertEqual(run.err.count("continues without"), 1, run)
        self.assertEqual(self.processes(first)[-1], 1, first)

    def test_crash_amid_the_runs_of_another(self):
        run, first, second = self.both("late-crash-on=128")
        self.assertEqual((first["result"], first["runs"]), ("pass", RUNS), run)
        self.assertEqual((second["result"], second["runs"]), ("crash", 0), run)
        # What was counted before stays, the rest is done by the next worker.
        self.assertEqual(set(self.processes(first)), {0, 1}, first)

    def test_crash_of_the_present_one(self):
        for fault in ("crash-on=64", "crash-running-on=64"):
            run, first, second = self.both(fault)
            self.assertEqual((first["result"], first["runs"]), ("crash", 0), run)
            self.assertEqual((second["result"], second["runs"]), ("pass", RUNS), run)

    def test_every_pipeline_crashes(self):
        run, first, second = self.both("crash-on=any")
        self.assertEqual([first["result"], second["result"]], ["crash"] * 2, run)

    def test_crash_in_compiling_a_program_that_is_drawn(self):
        found = []
        for ahead in ("0", "2"):
            run = self.litmus("run", "generated.groups", "-n", "3", "--seed", "1", "--ahead", ahead,
                              "--isa", "none", fault="crash-on=any", code=1)
            self.assertEqual("continues without" in run.err, ahead == "2", run)
            found.append(counted(self.report()["results"][0]))
            os.remove(self.path("litmus.db"))
        self.assertEqual(found[0]["failed_runs"], 3, found)
        self.assertEqual(found[0], found[1])

    def test_matrices_that_the_device_does_not_list_are_not_compiled(self):
        run = self.litmus("run", "matrix.layout", "matrix.tiles/type=bf16", "-n", "2", "--ahead",
                          "2", fault="no-products,crash-on=any", LITMUS_FAULT_DRIVER=harness.SIMT,
                          code=77)
        self.assertNotIn("crash", run.err)
        self.assertIn("bfloat16 by bfloat16 and float32 to float32, are none of the 0", " ".join((run.out + run.err).split()))
        self.assertEqual({result["result"] for result in self.report()["results"]}, {"skip"}, run)

    def test_refused(self):
        run, first, second = self.both("refuse-on=128", code=3)
        self.assertEqual((first["result"], first["runs"]), ("pass", RUNS), run)
        self.assertEqual(second["result"], "harness-error", run)
        self.assertIn("vkCreateComputePipelines", second["reason"])

    def test_what_was_made_is_used(self):
        run, first, second = self.both("refuse-again-on=128", code=0)
        self.assertEqual((first["result"], first["runs"]), ("pass", RUNS), run)
        self.assertEqual((second["result"], second["runs"]), ("pass", RUNS), run)

    def test_off_on_software_unless_asked_for(self):
        run = self.litmus("run", *harness.PAIR, "-n", str(RUNS), fault="crash-on=128")
        self.assertNotIn("continues without", run.err)
        self.assertEqual(set(self.processes(self.results()[64])), {0}, run)


class Hang(harness.Case):
    sets_clock = True

    def test_in_compiling_the_next_one(self):
        process = self.start("run", *harness.PAIR, "-n", str(RUNS), "--seed", "1", "--ahead", "2",
                             "--timeout", "60", fault="hang-compiling-on=128")
        since = time.monotonic()
        # The first one runs to its end beside it; then only one can be meant.
        self.wait_for("the first one", lambda: self.rows("SELECT 1 FROM result WHERE result = 'pass'"),
                      passing=0.01)
        run = self.finish_in_time(process, since)
        self.assertEqual(run.code, 1, run)
        results = self.results()
        self.assertEqual((results[64]["result"], results[64]["runs"]), ("pass", RUNS), run)
        self.assertEqual((results[128]["result"], results[128]["runs"]), ("hang", 0), run)
        self.assertNotIn("continues without", run.err)


class Aside(harness.Case):
    def journal(self, ahead):
        self.write("journal", "")
        self.litmus("run", *harness.PAIR, "-n", "60", "--seed", "1", "--ahead", ahead,
                    fault="journal,slow=20", LITMUS_FAULT_JOURNAL=self.path("journal"), code=0)
        return self.read("journal")

    def test_another_thread_makes_them(self):
        """Letters of another thread than the process's first one are capitals."""
        inline, aside = self.journal("0"), self.journal("2")
        self.assertEqual(set(inline), set("prsw"), inline)
        self.assertEqual(set(aside), set("pPrsw"), aside)
        self.assertEqual((inline.count("p"), aside.count("p"), aside.count("P")), (2, 1, 1))
        # The second configuration's, while the first one, about half of it all, was still running;
        # which of the two begins first is left open.
        first, second = aside.index("p"), aside.index("P")
        self.assertLess(3 * aside[first:second].count("s"), aside[first:].count("s"), aside)


class Behind(harness.Case):
    """A batch is submitted behind the one that executes. Each submission takes so long that all
    batches have one run; the fault spares the first three."""

    sets_clock = True

    def run_both(self, fault, ahead, code=1):
        run = self.litmus("run", *harness.PAIR, "-n", "6", "--seed", "1", "--timeout", "30",
                          "--ahead", ahead, fault=fault + ",slow=60,after=3,jump=60", code=code)
        self.assert_clean(run)
        return run, self.results()[64]

    def test_what_went_before_counts(self):
        for fault, result in (("lost-on=64", "device-lost"), ("timeout-on=64", "hang")):
            for ahead in ("0", "2"):
                with self.subTest(fault=fault, ahead=ahead):
                    run, first = self.run_both(fault, ahead)
                    self.assertEqual((first["result"], first["runs"]), (result, 3), run)
                    os.remove(self.path("litmus.db"))

    def test_a_submission_that_does_not_return_costs_what_was_not_read(self):
        for fault, result in (("crash-running-on=64", "crash"), ("hang-on=64", "hang")):
            for ahead, runs in (("0", 3), ("2", 2)):
                with self.subTest(fault=fault, ahead=ahead):
                    run, first = self.run_both(fault, ahead)
                    self.assertEqual((first["result"], first["runs"]), (result, runs), run)
                    os.remove(self.path("litmus.db"))

    def test_unchecked(self):
        """What was submitted behind a batch that is not believed is done again."""
        for ahead in ("0", "2"):
            run, first = self.run_both("idle-checker=0,idle-checker=1", ahead, code=0)
            self.assertEqual((first["result"], first["runs"]), ("pass", 6), run)
            self.assertIn("checked on the host from here on", run.err)
            os.remove(self.path("litmus.db"))

    def test_order(self):
        self.write("journal", "")
        self.litmus("run", *harness.PAIR, "-n", "60", "--seed", "1", "--ahead", "2",
                    fault="journal,slow=20", LITMUS_FAULT_JOURNAL=self.path("journal"), code=0)
        journal = re.sub("[pP]", "", self.read("journal"))
        self.assertNotRegex(journal, "s[^w]*s[^w]*s")
        # Two on the way: the first waited for, the third recorded and submitted behind the second.
        self.assertGreaterEqual(len(re.findall("(?=srswrsw)", journal)), 2, journal)


class Same(harness.Case):
    def test_counts(self):
        """The SIMT simulator repeats itself: what is made ahead changes no count."""
        found = []
        for ahead in ("0", "5"):
            run = self.litmus("run", "shuffle.scan-loop", "generated", "-n", "3", "--seed", "9",
                              "--simt", "snooping,threads=1", "--ahead", ahead,
                              "--db", ahead + ".db")
            self.assert_clean(run)
            self.assertNotIn("continues without", run.err)
            found.append({entry["name"]: counted(entry)
                          for entry in self.report(ahead + ".db")["results"]})
        self.assertGreater(len(found[0]), 20)
        self.assertTrue(any(entry["failed_runs"] for entry in found[0].values()))
        self.assertEqual(found[0], found[1])

    def test_wrong_numbers(self):
        for number in ("15", "-1", "two", "1x", ""):
            self.assert_one_line(self.litmus("run", "--all", "--ahead=" + number), 2, "--ahead")


harness.main(__name__)
