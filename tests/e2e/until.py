# SPDX-License-Identifier: Apache-2.0
"""Sequential rules: runs that go on until the interval is narrow or the rate decided."""

import os
import re
import shutil
import signal
import time

import harness

# One configuration for which failing is forbidden, and one for which it is contested.
FORBIDDEN = harness.ONE
CONTESTED = ("scan.subgroup/mode=inclusive,operation=add,type=f32,form=native,sync=none,"
             "reconvergence=default,pressure=none@workgroup=64,last-lane=last,items=1*")
SYNCS = harness.ONE.replace("sync=workgroup-in-loop", "sync=*")


def faulty(rate):
    """A driver that stores this share of all values wrong, the same ones each time."""
    return ("--simt", f"faulty,rate={rate},subgroup=8,threads=1", "--seed", "0x5eed")


NEVER, ALWAYS = faulty(0), faulty(1)
SOMETIMES = faulty("0.0002")  # of the values: about one run in four goes wrong


# NEVER behind the fault driver.
BEHIND = {"LITMUS_SIMT": "model=faulty,rate=0,subgroup=8,threads=1", "LITMUS_FAULT_DRIVER": harness.SIMT}


class Until(harness.Case):
    sets_clock = True

    def until(self, test, driver, *more, code=0, store="litmus.db"):
        result = self.litmus("run", test, *driver, "--db", store, *more, drivers=[], code=code)
        self.assert_clean(result)
        return result

    def cut_short(self, *more):
        """Begins a run that fails never, by a driver that hangs, and stops it after its first
        batch."""
        since = time.monotonic()
        process = self.start("run", FORBIDDEN, "--seed", "0x5eed", "-n", "20", "--timeout", "3600",
                             *more, fault="hang-on=any,after=1", **BEHIND)
        self.first_batch()
        process.send_signal(signal.SIGINT)
        self.assert_ended_by(self.finish(process, since), signal.SIGINT)

    def row(self, store="litmus.db"):
        """runs, failed_runs, result, rule and reason of the only result, and its interval."""
        rows = self.rows("SELECT runs, failed_runs, result, rule, reason FROM result", store)
        self.assertEqual(len(rows), 1, rows)
        return (*rows[0], self.report(store)["results"][0]["interval"])


class Reached(Until):
    def test_width(self):
        result = self.until(CONTESTED, SOMETIMES, "-n", "20", "--until-width", "0.4")
        self.assertIn("20 to 20,000 runs each until width 0.4", result.out)
        self.assertIn("  until width 0.4: reached in 1 of 1 configuration\n", result.out)
        runs, failed, verdict, rule, reason, (low, high) = self.row()
        self.assertEqual((verdict, rule, reason), ("fail", "width 0.4", ""))
        self.assertTrue(0 < failed < runs, (failed, runs))
        self.assertLessEqual(high - low, 0.4)
        # It looked after 20 runs and then after twice as many each time.
        self.assertIn(runs, [20 << i for i in range(2, 7)])
        # The command that is printed repeats these runs: with a fixed number of them, the same
        # failures have a narrower interval.
        again = re.search(r" -n (\d+)$", result.out, re.MULTILINE)
        self.assertEqual(int(again.group(1)), runs)
        self.until(CONTESTED, SOMETIMES, "-n", str(runs), store="fixed.db")
        fixed = self.row("fixed.db")
        self.assertEqual(fixed[:5], (runs, failed, "fail", "", ""))
        self.assertLess(fixed[5][1] - fixed[5][0], high - low)

    def test_no_failure_is_narrow_soon(self):
        self.until(FORBIDDEN, NEVER, "-n", "20", "--until-width", "0.1")
        runs, failed, verdict, _, _, (low, high) = self.row()
        self.assertEqual((runs, failed, verdict, low), (40, 0, "pass", 0))
        self.assertLessEqual(high, 0.1)

    def test_decided_above(self):
        result = self.until(FORBIDDEN, ALWAYS, "-n", "10", "--until-decided", "0.01", code=1)
        self.assertIn("  until decided 0.01: above in 1 of 1 configuration\n", result.out)
        runs, failed, verdict, _, _, (low, _) = self.row()
        self.assertEqual((runs, failed, verdict), (10, 10, "fail"))
        self.assertGreater(low, 0.01)

    def test_decided_below(self):
        result = self.until(FORBIDDEN, NEVER, "-n", "10", "--until-decided", "0.1")
        self.assertIn("  until decided 0.1: below in 1 of 1 configuration\n", result.out)
        runs, failed, verdict, rule, reason, (_, high) = self.row()
        # docs/statistics.md: after 34 runs, and it looks after 10, 20, 40.
        self.assertEqual((runs, failed, verdict, rule, reason), (40, 0, "pass", "decided 0.1", ""))
        self.assertLess(high, 0.1)
        # The store says the same of it as the run did.
        self.assertIn("until decided 0.1: below in 1", self.litmus("report").out)

    def test_each_configuration_by_itself(self):
        snooping = ("--simt", "snooping,subgroup=8,threads=1", "--seed", "0x5eed")
        result = self.litmus("run", SYNCS, *snooping, "-n", "10", "--until-decided", "0.05",
                             drivers=[])
        self.assert_clean(result)
        rows = self.rows("SELECT runs, failed_runs FROM result")
        # What always fails is decided at the first look, what never does after 75 runs or more.
        self.assertEqual(set(rows), {(10, 10), (80, 0)})
        always = rows.count((10, 10))
        self.assertIn(f"until decided 0.05: above in {always}, below in {len(rows) - always} of "
                      f"{len(rows)} configurations", result.out)


class Undecided(Until):
    def test_decided(self):
        result = self.until(FORBIDDEN, NEVER, "-n", "20", "--until-decided", "0.001", "--max-runs",
                            "70", code=3)
        self.assertIn("  until decided 0.001: undecided in 1 of 1 configuration\n"
                      "  9d6e9832 shuffle.scan-loop/", result.out)
        self.assertRegex(result.out, r"< 0\.051\s+after 70 runs\n")
        self.assertIn("exit 3: a configuration is undecided after the maximum number of runs",
                      result.out)
        self.assertEqual(self.row()[:5],
                         (70, 0, "pass", "decided 0.001",
                          "the rate is not shown to be above or below 0.001 after 70 runs"))
        self.assertEqual(self.report()["summary"]["exit"]["code"], 3)

    def test_width(self):
        result = self.until(CONTESTED, SOMETIMES, "-n", "20", "--until-width", "0.01",
                            "--max-runs", "30", code=3)
        self.assertIn("  until width 0.01: undecided in 1 of 1 configuration\n", result.out)
        row = self.row()
        self.assertEqual((row[0], row[4]),
                         (30, "the interval is still wider than 0.01 after 30 runs"))

    def test_what_was_seen_comes_first(self):
        # Forbidden, and the rate is 1, which no interval of 10 runs shows to be above 0.99.
        result = self.until(FORBIDDEN, ALWAYS, "-n", "5", "--until-decided", "0.99", "--max-runs",
                            "10", code=1)
        self.assertIn("until decided 0.99: undecided in 1", result.out)

    def test_the_most_below_the_usual_least(self):
        self.until(FORBIDDEN, NEVER, "--until-decided", "0.001", "--max-runs", "5", code=3)
        self.assertEqual(self.row()[0], 5)


class Usage(Until):
    def test_nonsense(self):
        lines = [
            (("--until-width", "0"), ("--until-width", "'0'", "0.001")),
            (("--until-decided", "2"), ("--until-decided", "'2'")),
            (("--max-runs", "0", "--until-width", "0.1"), ("--max-runs", "'0'")),
            (("--max-runs", "100"), ("--max-runs goes with --until-width or --until-decided",)),
            (("-n", "20", "--max-runs", "19", "--until-width", "0.1"), ("20 is above 19",)),
            (("--until-width", "0.1", "--until-decided", "0.1"), ("mutually exclusive",)),
            (("--until-width", "0.1", "--shard-runs", "0/2"), ("mutually exclusive",)),
            (("--until-decided", "0.1", "--shard-runs", "0/2"), ("mutually exclusive",)),
            (("--resume", "--until-width", "0.1"), ("--resume", "--until-width")),
            (("--resume", "--max-runs", "10"), ("--resume", "--max-runs")),
        ]
        for arguments, words in lines:
            with self.subTest(arguments=arguments):
                tests = () if "--resume" in arguments else (FORBIDDEN,)
                self.assert_one_line(self.litmus("run", *tests, *arguments, drivers=[]), 2, *words)
        self.assertFalse(os.path.exists(self.path("litmus.db")))

    def test_a_damaged_rule_is_not_resumed(self):
        self.cut_short("--until-width", "0.002")
        for options in ("replace(options, 'width 0.002', 'width 7')",
                        "replace(options, '\"max_runs\":20000', '\"max_runs\":-1')"):
            with self.subTest(options=options):
                shutil.copy(self.path("litmus.db"), self.path("bad.db"))
                self.assertEqual(self.edit(f"UPDATE session SET options = {options} "
                                           f"WHERE options <> {options}", "bad.db"), 1)
                self.assert_one_line(self.litmus("run", "--resume", "--db", "bad.db", drivers=[]), 2,
                                     "cannot be resumed")


class Parts(Until):
    def test_resume_goes_on_with_the_rule(self):
        self.cut_short("--until-width", "0.03")
        before = self.row()
        self.assertEqual(before[2:4], ("partial", "width 0.03"))
        result = self.litmus("run", "--resume", fault="slow=0", **BEHIND, code=0)
        self.assertIn("20 to 20,000 runs each until width 0.03", result.out)
        after = self.row()
        self.assertLess(before[0], after[0])
        self.assertEqual(after[:5], (160, 0, "pass", "width 0.03", ""))
        # As if nothing had been.
        self.until(FORBIDDEN, NEVER, "-n", "20", "--until-width", "0.03", store="whole.db")
        self.assertEqual(after, self.row("whole.db"))

    def test_shards_of_tests(self):
        more = ("-n", "10", "--until-decided", "0.2", "--max-runs", "40")
        names = []
        for index in range(2):
            result = self.litmus("run", SYNCS, *NEVER, *more, "--shard", f"{index}/2", "--db",
                                 f"{index}.db", drivers=[], code=0)
            rows = self.rows("SELECT name, runs, rule FROM result", f"{index}.db")
            self.assertTrue(all(row[1:] == (20, "decided 0.2") for row in rows), rows)
            names += [row[0] for row in rows]
        self.assertEqual(len(set(names)), len(names))
        self.assertGreater(len(names), 2)
        self.litmus("merge", "0.db", "1.db", "-o", "all.db", code=0)
        self.assertIn(f"until decided 0.2: below in {len(names)} of {len(names)} configurations",
                      self.litmus("report", "--db", "all.db").out)

    def test_time(self):
        result = self.out_of_time("run", FORBIDDEN, "-n", "20", "--until-decided", "0.00001",
                                  "--max-runs", "1000000")
        self.assert_clean(result)
        runs, _, verdict, rule, _, (_, high) = self.row()
        self.assertEqual((verdict, rule), ("partial", "decided 1e-05"))
        self.assertIn(f"partial after {runs:,} runs", result.out)
        # Nobody knows yet whether it will be decided.
        self.assertNotIn("undecided", result.out)
        self.assertGreater(high, 1e-5)

    def test_every_device(self):
        """Real drivers, side by side where there are several."""
        result = self.litmus("run", FORBIDDEN, "-n", "20", "--until-decided", "0.05", "--seed", "1",
                             code=0)
        self.assertIn("until decided 0.05: below in 1 of 1 configuration", result.out)
        self.assertEqual({row[0] for row in self.rows("SELECT runs FROM result")}, {80})


class Usual(harness.Case):
    """Where nobody says how many runs there are to be: by what was ever seen to fail, on a CPU."""

    NEVER = "cases.llpc-426/operand=same"                              # no model, no finding
    FOUND = "barrier.subgroup-in-branch/barrier=subgroup,chosen=first"  # a finding's, in all runs
    SOME = ("lookback.scan/encoding=flag-payload,memory-model=glsl,walk=lane,reconvergence=default,"
            "pressure=none@workgroup=128,elements=0")                   # a finding's, in some
    WAITS = "lookback.fallback/fallback=none,insert=max@workgroup=64"   # no tile is published

    def runs_of(self, *arguments, code=0):
        result = self.litmus("run", *arguments, "--seed", "1", drivers=[harness.SIMT], code=code)
        return result, {entry["name"].split("/")[0]: (entry["runs"], entry["result"],
                                                      entry["reason"])
                        for entry in self.report()["results"]}

    def test_runs_go_where_failures_were_seen(self):
        result, found = self.runs_of(self.NEVER, self.FOUND, self.SOME, self.WAITS)
        self.assertIn("250 to 1,000 runs each", result.out)
        self.assertEqual(found["cases.llpc-426"][0], 250)
        self.assertEqual(found["barrier.subgroup-in-branch"][0], 500)
        self.assertEqual(found["lookback.scan"][0], 1000)
        # A wait that expires in each of the first 20 runs would in the others.
        self.assertEqual(found["lookback.fallback"], (
            20, "no-progress", "stopped: 20 of the first 20 runs had an expired wait"))

    def test_what_is_asked_for_is_done(self):
        result, found = self.runs_of(self.NEVER, self.WAITS, "-n", "110")
        self.assertIn("110 runs each", result.out)
        self.assertEqual({runs for runs, _, _ in found.values()}, {110})

    def test_a_resumed_session_has_the_same_runs(self):
        self.litmus("run", self.FOUND, "--seed", "1", "--time", "1", drivers=[harness.SIMT])
        results = self.report()["results"]
        if not results or results[0]["result"] == "partial":
            self.litmus("run", "--resume", drivers=[harness.SIMT])
            results = self.report()["results"]
        entry = results[0]
        self.assertEqual((entry["runs"], entry["result"]), (500, "pass"))


harness.main(__name__)
