# SPDX-License-Identifier: Apache-2.0
"""A run in parts: the parts are the run, parts that died are planned again, and what was measured
together is what one machine measures."""

import glob
import json
import os

import harness

TESTS = ("scan.subgroup", "broadcast.match", "loop.form")
SIMT = ("--simt", "lockstep,subgroup=8,threads=1", "-n", "3")


class Plan(harness.Case):
    def prepare(self):
        self.run_list("whole.db", *TESTS)

    def run_list(self, store, *what, code=0, **how):
        self.litmus("run", *what, *SIMT, "--shard", "none", "--seed", "0x5eed", "--db", store,
                    "-q", drivers=[], **how, code=code)

    def names(self, out):
        return [line for line in out.split("\n") if line and line[0] != "#"]

    def plan(self, *more, tests=TESTS):
        result = self.litmus("plan", *tests, *more)
        self.assertEqual(result.code, 3 if "--missing" in more and result.out else 0, result)
        return result

    def parts(self, prefix):
        """The names in each file, in order of number."""
        count = len(glob.glob(self.path(f"{prefix}-*.txt")))
        found = []
        for part in range(count):
            found.append(self.names(self.read(f"{prefix}-{part}.txt")))
        return found

    def measured(self, store):
        return {entry["name"]: [entry[key] for key in
                                ("result", "runs", "failed_runs", "instances", "failed_instances",
                                 "outcomes", "seed")]
                for entry in self.report(store)["results"]}

    def test_together_they_are_the_run(self):
        whole = self.names(self.litmus("list", "--names", *TESTS).out)
        self.assertEqual(self.names(self.plan().out), whole)
        for more in ((), ("--from", "whole.db")):
            for count in (1, 3, 100):
                together = self.names(self.plan("--parts", str(count), *more).out)
                self.assertEqual(sorted(together), sorted(whole), (count, more))
                # In files the same, and each in the order of the run.
                prefix = f"{count}-{len(more)}"
                told = self.plan("--parts", str(count), "-o", prefix, *more).out
                parts = self.parts(prefix)
                self.assertEqual(sum(parts, []), together)
                self.assertEqual(len(parts), min(count, len(whole)), told)
                self.assertEqual(told.count("\n"), len(parts))
                for part in parts:
                    self.assertEqual(part, [name for name in whole if name in part])
        everything = self.names(self.plan("--all", "--parts", "7", tests=()).out)
        self.assertEqual(sorted(everything), sorted(self.names(self.litmus("list", "--names").out)))

    def test_measured_time_balances(self):
        self.edit("UPDATE result SET seconds = 1")
        self.edit("UPDATE result SET seconds = 40 WHERE id = (SELECT min(id) FROM result)")
        self.plan("--parts", "3", "--from", "litmus.db", "-o", "p")
        parts = self.parts("p")
        # 40 s alone, and the others evenly.
        self.assertEqual([len(part) for part in parts][0], 1)
        self.assertLessEqual(abs(len(parts[1]) - len(parts[2])), 1)
        # The newest session says so, in whichever order the stores are given.
        self.edit("UPDATE session SET started = '2020-01-01T00:00:00Z'", "old.db")
        self.edit("UPDATE result SET seconds = 1", "old.db")
        for stores in (("old.db", "litmus.db"), ("litmus.db", "old.db")):
            self.plan("--parts", "3", "--from", stores[0], "--from", stores[1], "-o", "p")
            self.assertEqual(self.parts("p"), parts, stores)

    def edit(self, sql, store="litmus.db"):
        if not os.path.exists(self.path(store)):
            self.assertEqual(self.litmus("merge", "-q", "-o", store, "whole.db").code, 0)
        return super().edit(sql, store)

    def test_hazards_are_apart(self):
        broken = "UPDATE result SET result = '{}', reason = 'x' WHERE id = (SELECT min(id) + {} FROM result)"
        for number, result in enumerate(("hang", "crash", "device-lost")):
            self.assertEqual(self.edit(broken.format(result, number)), 1)
        names = [row[0].rsplit(",", 1)[0] for row in
                 self.rows("SELECT name FROM result ORDER BY id LIMIT 3")]
        told = self.plan("--parts", "4", "--from", "litmus.db", "-o", "p").out
        self.assertIn("with those that lost the device", told)
        parts = self.parts("p")
        self.assertEqual(parts[3], names[2:])
        self.assertEqual(sorted(parts[2]), sorted(names[:2]))
        self.assertFalse(set(parts[0] + parts[1]) & set(names))
        # What a later session measured to its end is no hazard any more.
        self.assertEqual(self.litmus("run", *TESTS, *SIMT, "--seed", "1", "-q", drivers=[]).code, 0)
        told = self.plan("--parts", "4", "--from", "litmus.db", "-o", "q").out
        self.assertEqual((len(self.parts("q")), "with those" in told), (4, False), told)

    def test_a_part_dies_and_is_planned_again(self):
        self.plan("--parts", "3", "-o", "p")
        parts = self.parts("p")
        self.run_list("0.db", "--caselist", "p-0.txt")
        # The second dies with a result half measured, the third never begins.
        process = self.start("run", "--caselist", "p-1.txt", "--simt", SIMT[1], "-n", "2000",
                             "--seed", "0x5eed", "--shard", "none", "--db", "1.db", drivers=[])
        self.wait_for("a result", lambda: self.rows(
            "SELECT 1 FROM result WHERE runs < 2000 AND runs > 3", "1.db"))
        process.kill()
        process.wait()
        # A run of 3 that died there: what was measured to the end stays.
        self.edit("UPDATE session SET runs = 3, options = json_set(options, '$.runs', 3)", "1.db")
        self.edit("DELETE FROM result WHERE result <> 'partial'", "1.db")
        half = self.rows("SELECT name FROM result", "1.db")
        self.assertEqual(len(half), 1)

        result = self.litmus("merge", "--parts", "-o", "all.db", "0.db", "1.db", code=0)
        self.assertIn("not finished: see litmus plan --missing", result.out)
        again = self.names(self.plan("--missing", "all.db").out)
        self.assertEqual(sorted(again), sorted(parts[1] + parts[2]))
        # The same of the stores themselves, and of some of the parts.
        self.assertEqual(self.names(self.plan("--missing", "0.db", "--missing", "1.db").out), again)
        self.assertEqual(self.names(self.litmus("plan", "--caselist", "p-1.txt", "--caselist", "p-0.txt",
                                                "--missing", "all.db").out), parts[1])
        # What a part died in is apart.
        self.plan("--missing", "all.db", "--parts", "3", "-o", "again")
        self.assertEqual(self.parts("again")[2], [half[0][0].rsplit(",", 1)[0]])

        for part in range(3):
            self.run_list(f"again-{part}.db", "--caselist", f"again-{part}.txt")
        for part in range(3):
            result = self.litmus("merge", "--parts", "-o", "all.db", f"again-{part}.db", code=0)
        result = self.plan("--missing", "all.db")
        self.assertEqual((result.out, result.err), ("", "litmus: nothing is missing\n"))
        self.assertEqual(self.measured("all.db"), self.measured("whole.db"))
        self.assertEqual(self.rows("SELECT count(*), min(finished) FROM session", "all.db"), [(1, 1)])
        self.assertEqual(self.litmus("store", "check", "all.db").code, 0)

    def test_parts_arrive_one_after_another(self):
        self.plan("--parts", "4", "-o", "p")
        for part in range(4):
            self.run_list(f"{part}.db", "--caselist", f"p-{part}.txt")
        self.litmus("merge", "-q", "-o", "died.db", "2.db")
        self.edit("DELETE FROM result WHERE id > (SELECT min(id) FROM result)", "died.db")
        for table in ("outcome", "failure", "part", "choice", "evidence"):
            self.edit(f"DELETE FROM {table} WHERE result NOT IN (SELECT id FROM result)", "died.db")
        self.edit("UPDATE session SET finished = 0", "died.db")
        # The first two are whole by themselves, and go on with what comes, also if that died.
        for stores, sessions in ((("0.db", "1.db"), 1), (("died.db",), 3), (("3.db",), 4),
                                 (("2.db",), 1), (("1.db", "died.db", "3.db"), 1)):
            result = self.litmus("merge", "--parts", "-o", "all.db", *stores, code=0)
            self.assertEqual(self.rows("SELECT count(*) FROM session", "all.db"), [(sessions,)], stores)
            self.assertEqual(self.litmus("store", "check", "all.db").code, 0)
            if sessions > 1:
                left = self.names(self.plan("--missing", "all.db").out)
                self.assertEqual(len(set(left) & set(self.parts("p")[0])), 0)
        self.assertEqual(self.measured("all.db"), self.measured("whole.db"))
        self.litmus("merge", "-q", "--parts", "-o", "once.db", *(f"{part}.db" for part in range(4)))
        self.assertEqual(self.rows("SELECT uuid FROM session", "all.db"),
                         self.rows("SELECT uuid FROM session", "once.db"))

    def test_a_part_that_ran_twice_counts_once(self):
        self.plan("--parts", "2", "-o", "p")
        for store, part in (("a.db", 0), ("b.db", 1), ("c.db", 1)):
            self.run_list(store, "--caselist", f"p-{part}.txt")
        result = self.litmus("merge", "--parts", "-o", "all.db", "a.db", "b.db", "c.db", code=0)
        self.assertIn(f"left out, as another part has it: {len(self.parts('p')[1])}", result.out)
        self.assertEqual(self.measured("all.db"), self.measured("whole.db"))
        # Of another seed they are no parts of one plan.
        self.assertEqual(self.litmus("run", "--caselist", "p-0.txt", *SIMT, "--seed", "2", "--db",
                                     "d.db", "-q", drivers=[]).code, 0)
        result = self.litmus("merge", "--parts", "-o", "other.db", "b.db", "d.db")
        self.assertIn("--parts: there are no two parts", result.out)
        self.assert_one_line(result, 3, "b.db: session 1 is not in session 2", "seed 0x5eed, not 0x2")

    def other_device(self, store, change):
        self.edit(f"UPDATE device SET {change}", store)

    def merge(self, *stores):
        """Whether what is there is all, as merging says and as planning again does."""
        result = self.litmus("merge", "--parts", "-o", "all.db", *stores, code=0)
        left = self.names(self.plan("--missing", "all.db").out)
        self.assertEqual("not finished" in result.out, bool(left), result)
        self.assertEqual(self.rows("SELECT max(finished AND json_extract(options, '$.joined') <> '')"
                                   " FROM session", "all.db"), [(int(not left),)])
        return left

    def test_each_kind_of_device_measures_all(self):
        self.plan("--parts", "2", "-o", "p")
        parts = self.parts("p")
        for store, part in (("0.db", 0), ("1.db", 1), ("2.db", 0), ("3.db", 1)):
            self.run_list(store, "--caselist", f"p-{part}.txt")
        for store in ("1.db", "2.db"):
            self.other_device(store, "driver_version = '9.9'")
        # Each part is finished, each on another kind.
        self.assertEqual(sorted(self.merge("0.db", "1.db")), sorted(parts[0] + parts[1]))
        self.assertEqual(sorted(self.merge("2.db")), sorted(parts[1]))
        self.assertEqual(self.merge("3.db"), [])
        self.assertEqual(self.rows("SELECT count(*) FROM session", "all.db"), [(1,)])
        self.assertEqual(self.rows("SELECT count(*) FROM result", "all.db"),
                         [(2 * len(parts[0] + parts[1]),)])

    def test_cards_of_one_kind_share_the_work(self):
        self.plan("--parts", "2", "-o", "p")
        parts = self.parts("p")
        for store, part in (("0.db", 0), ("1.db", 1)):
            self.run_list(store, "--caselist", f"p-{part}.txt")
        self.other_device("1.db", "driver_info = 'another build', device_uuid = zeroblob(16)")
        # What the harness failed at was not measured, though its part is finished.
        self.run_list("2.db", "--caselist", "p-1.txt")
        self.edit("UPDATE result SET result = 'harness-error', reason = 'x'"
                  " WHERE id = (SELECT max(id) FROM result)", "1.db")
        self.assertEqual(self.merge("0.db", "1.db"), parts[1][-1:])
        self.assertEqual(self.merge("2.db"), [])
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT name) FROM result", "all.db"),
                         [(len(parts[0] + parts[1]),) * 2])

    def test_errors(self):
        self.assert_one_line(self.litmus("plan"), 2, "missing tests")
        self.assert_one_line(self.litmus("plan", "--all", "scan.*"), 2, "mutually exclusive")
        self.assert_one_line(self.litmus("plan", "nothing.here"), 2, "nothing.here")
        self.assert_one_line(self.litmus("plan", "--all", "--from", "none.db"), 2, "none.db")
        self.assert_one_line(self.litmus("plan", "--all", "--parts", "0"), 2, "--parts")
        self.plan("--parts", "3", "-o", "p")
        result = self.litmus("plan", *TESTS, "--parts", "2", "-o", "p")
        self.assert_one_line(result, 2, "p-2.txt", "remove it")
        self.assert_one_line(self.litmus("plan", *TESTS, "-o", "/nowhere/p"), 2, "/nowhere/p-0.txt")


# More of --tolerance than so few runs need to be decided.
RUNS, TOLERANCE = "12", "0.5"
RIGHT = "slow=0"  # the driver of a fault without one, so that only the fault differs


class Chain(harness.Case):
    """plan, run, merge, plan --missing, gate: whatever is the matter with a part, it does not pass."""

    def prepare(self):
        self.run_tests("whole.db", *TESTS)
        self.assertEqual(self.litmus("plan", *TESTS, "--parts", "3", "-o", "p").code, 0)
        for part in range(3):
            self.run_part(part)
        self.assertEqual(self.chain("0.db", "1.db", "2.db"), (0, 0, 0))
        # A baseline that does not have what is in the last part cannot tell that it lacks.
        self.assertEqual(self.litmus("merge", "-q", "--parts", "-o", "less.db", "0.db", "1.db").code, 0)

    def run_tests(self, store, *what, fault=RIGHT, seed="0x5eed", runs=RUNS, code=0):
        self.litmus("run", *what, "-n", runs, "--shard", "none", "--seed", seed, "--db",
                    store, "-q", fault=fault, LITMUS_FAULT_DRIVER=harness.SIMT, code=code)

    def run_part(self, part, again=False, **how):
        if os.path.exists(self.path(f"{part}.db")) and not again:
            os.unlink(self.path(f"{part}.db"))
        self.run_tests(f"{part}.db", "--caselist", f"p-{part}.txt", **how)

    def chain(self, *parts, baseline="whole.db"):
        """The exit codes of what follows the runs."""
        if os.path.exists(self.path("all.db")):
            os.unlink(self.path("all.db"))
        steps = (("merge", "--parts", "-o", "all.db", *parts),
                 ("plan", *TESTS, "--missing", "all.db"),
                 ("gate", "--baseline", baseline, "all.db", "--tolerance", TOLERANCE))
        self.said = [self.litmus(*step) for step in steps]
        return tuple(said.code for said in self.said)

    def assert_held(self, merge, plan, gate, *parts, without=None):
        """The codes, with the baseline that has all and with the one that lacks the last part's."""
        self.assertEqual(self.chain(*parts or ("0.db", "1.db", "2.db")), (merge, plan, gate))
        without = gate if without is None else without
        self.assertEqual(self.chain(*parts or ("0.db", "1.db", "2.db"), baseline="less.db"),
                         (merge, plan, without))
        self.assertTrue(any((merge, plan, gate)) and any((merge, plan, without)))

    def test_a_part_is_missing(self):
        self.assert_held(0, 3, 3, "0.db", "1.db", without=0)
        self.assertIn("not run; --allow-gone", self.chain("0.db", "1.db") and self.said[2].out)

    def test_a_part_fails(self):
        self.run_part(2, fault="spoil-on=any", code=1)
        self.assert_held(0, 0, 1, without=3)

    def test_a_part_fails_when_it_is_repeated(self):
        self.run_part(2, again=True, fault="spoil-on=any", code=1)
        self.assert_held(0, 0, 1, without=3)
        # And if it passes then.
        self.assertEqual(self.chain("2.db", "1.db", "0.db"), (0, 0, 1))

    def test_a_part_crashes(self):
        self.run_part(2, fault="crash-on=any", code=1)
        self.assert_held(0, 0, 1, without=3)

    def test_parts_of_another_run(self):
        """Each fails, too: they are named, and nothing that was read says that they passed."""
        for what, said in (({"seed": "2"}, "seed 0x2, not 0x5eed"), ({"runs": "9"}, "runs 9, not 12")):
            self.run_part(2, fault="spoil-on=any", code=1, **what)
            self.assert_held(3, 3, 3, without=0)
            self.assertIn("2.db: session 1 is not in session 4, which gate and report read: " + said,
                          self.said[0].err)

    def test_a_part_of_other_tests(self):
        self.edit("UPDATE session SET options ="
                  " json_set(options, '$.build.catalogue', '0123')", "2.db")
        self.assert_held(3, 3, 3, without=0)
        self.assertIn("catalogue 0123, not ", self.said[0].err)

    def test_no_part(self):
        os.rename(self.path("whole.db"), self.path("2.db"))
        self.assertEqual(self.chain("0.db", "1.db", "2.db", baseline="less.db"), (3, 3, 0))
        self.assertIn("2.db: session 1 is not in session 4, which gate and report read: "
                      "it was not run from a caselist", self.said[0].err)

    def test_a_part_on_another_device(self):
        for fault in ("other-version", "odd-name"):
            self.run_part(2, fault=fault)
            self.assert_held(0, 3, 2)
            self.assertIn("not finished", self.said[0].out)

    def test_a_part_dies(self):
        self.edit("UPDATE session SET finished = 0", "2.db")
        self.edit("UPDATE result SET result = 'partial' WHERE id = (SELECT max(id) FROM result)", "2.db")
        self.assert_held(0, 3, 2)

    def test_only_one_part(self):
        self.assert_held(0, 3, 3, "1.db", without=3)

    def test_what_the_gate_reads_is_judged(self):
        """A newer session that lacks something, in a store whose older one has all."""
        self.run_tests("whole.db", "scan.subgroup")
        for name, code in (("whole.db", 3), ("whole.db#1", 0), ("whole.db#2", 3)):
            result = self.litmus("plan", *TESTS, "--missing", name, code=code)
        self.write("whole.json", json.dumps(self.report("whole.db", "--session", "1")))
        self.assert_one_line(self.litmus("plan", *TESTS, "--missing", "whole.json"), 2,
                             "whole.json: a report, not a store")

    def test_a_device_of_the_baseline_is_missing(self):
        for store, more in (("two.db", ()), ("one.db", ("-d", "1"))):
            result = self.litmus("run", *TESTS, "--simt", SIMT[1] + ",devices=2", "-n", RUNS, "--db",
                                 store, "-q", *more, drivers=[], code=0)
        gate = ("gate", "--baseline", "two.db", "one.db", "--tolerance", TOLERANCE)
        result = self.litmus(*gate, code=3)
        self.assertIn("exit 3: a device of the baseline was not measured", result.out)
        for more in (("--allow-gone",), ("-d", "1")):
            self.assertEqual(self.litmus(*gate, *more).code, 0)

    def test_shards_of_another_run(self):
        """One of a run that is not whole, beside a run that is."""
        for store, shard, seed in (("a.db", "0/2", "7"), ("b.db", "1/2", "7"), ("c.db", "0/2", "8")):
            self.assertEqual(self.litmus(
                "run", *TESTS, "-n", RUNS, "--shard", shard, "--seed", seed, "--db", store, "-q",
                fault=RIGHT, LITMUS_FAULT_DRIVER=harness.SIMT).code, 0)
        self.edit("UPDATE session SET finished = 0", "c.db")
        result = self.litmus("merge", "-o", "shards.db", "a.db", "b.db", "c.db")
        self.assert_one_line(result, 3, "c.db: session 1 is not in session 4",
                             "shards of its run are missing or not finished")
        self.assertEqual(self.litmus("merge", "-o", "whole.db", "a.db", "b.db").code, 0)


harness.main(__name__)
