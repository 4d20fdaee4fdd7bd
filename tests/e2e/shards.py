# SPDX-License-Identifier: Apache-2.0
"""One run over several machines: the shards together are the run, and a CI's variables choose them."""

import os

import harness

SCANS = ("scan.*", "shuffle.*")
SIMT = ("--simt", "snooping,subgroup=8", "--seed", "0x5eed")


class Plans(harness.Case):
    def plan(self, *more, code=0, **how):
        result = self.litmus("run", *SCANS, "--dry-run", *more, **how, code=code)
        return [line for line in result.out.split("\n") if line and line[0] != "#"]

    def test_together_they_are_the_plan(self):
        whole = self.plan()
        for count in (2, 3, 7):
            parts = [self.plan("--shard", f"{index}/{count}") for index in range(count)]
            self.assertEqual(sorted(sum(parts, [])), sorted(whole))
            self.assertTrue(all(parts), parts)
            # In the order of the whole.
            for part in parts:
                self.assertEqual(part, [name for name in whole if name in part])
        self.assertEqual(self.plan("--shard-runs", "1/3"), whole)

    def test_variables(self):
        second = self.plan("--shard", "1/4")
        gtest = {"GTEST_SHARD_INDEX": "1", "GTEST_TOTAL_SHARDS": "4"}
        for variables in (gtest, {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"},
                          {"LITMUS_SHARD": "1/4"}):
            self.assertEqual(self.plan(**variables), second)
        self.assertEqual(self.plan("--shard", "none", **gtest), self.plan())
        self.assertEqual(self.plan("--shard-runs", "1/4", **gtest), self.plan())
        result = self.litmus("run", *SCANS, "--dry-run", **gtest)
        self.assertIn("litmus: shard 1/4 by GTEST_SHARD_INDEX\n", result.err)

    def test_nonsense(self):
        for option in ("4/4", "1", "-1/4", "a/b", "1/0", "1/4/2", ""):
            with self.subTest(option=option):
                self.assert_one_line(self.litmus("run", "--all", "--shard", option), 2, "--shard")
        self.assert_one_line(self.litmus("run", "--all", "--shard-runs", "2/2"), 2, "--shard-runs")
        self.assert_one_line(self.litmus("run", "--all", "--shard", "0/2", "--shard-runs", "0/2"),
                             2, "mutually exclusive")
        self.assert_one_line(self.litmus("run", "--all", GTEST_SHARD_INDEX="7"), 2,
                             "GTEST_SHARD_INDEX=7")
        self.assert_one_line(self.litmus("run", "--all", "--shard", "0/2"), 2, "give --seed")
        self.assertFalse(os.path.exists(self.path("litmus.db")))

    def test_status_file(self):
        self.plan(GTEST_SHARD_STATUS_FILE=self.path("status"))
        self.assertTrue(os.path.exists(self.path("status")))
        self.assert_one_line(
            self.litmus("run", "--all", "--dry-run", GTEST_SHARD_STATUS_FILE="/nowhere/status"), 2,
            "GTEST_SHARD_STATUS_FILE", "/nowhere/status")


class Runs(harness.Case):
    NAMES = ("shuffle.scan-loop/*reconvergence=default,form=variables,op=add,mode=inclusive,"
             "access=descriptor,pressure=none@workgroup=64*",)
    RUNS = 10

    def entries(self, store, *more):
        result = self.litmus("run", *self.NAMES, *SIMT, "-n", str(self.RUNS), "--db", store, *more,
                             drivers=[])
        self.assertIn(result.code, (0, 1), result)
        return {entry["name"]: entry for entry in self.report(store)["results"]}

    def test_shards_of_runs_add_up(self):
        whole = self.entries("whole.db")
        parts = [self.entries(f"{index}.db", "--shard-runs", f"{index}/3") for index in range(3)]
        self.assertGreater(sum(entry["failed_runs"] for entry in whole.values()), 0)
        for name, entry in whole.items():
            shards = [part[name] for part in parts]
            self.assertEqual([shard["runs"] for shard in shards], [3, 3, 4])
            for key in ("runs", "failed_runs", "instances", "failed_instances"):
                self.assertEqual(sum(shard[key] for shard in shards), entry[key], (name, key))
            self.assertEqual(any(shard["first_run_failed"] for shard in shards),
                             entry["first_run_failed"])
            outcomes = {}
            for shard in shards:
                for word, count in shard["outcomes"].items():
                    outcomes[word] = outcomes.get(word, 0) + count
            self.assertEqual(outcomes, entry["outcomes"])
        self.assertEqual(self.rows("SELECT DISTINCT first FROM result", "2.db"), [(6,)])
        self.assertEqual(self.rows("SELECT shard, shard_index, shard_count FROM session", "2.db"),
                         [("runs", 2, 3)])

    def test_shards_of_tests_add_up(self):
        whole = self.entries("whole.db")
        parts = [self.entries(f"{index}.db", "--shard", f"{index}/2") for index in range(2)]
        self.assertEqual(set(parts[0]) & set(parts[1]), set())
        for name, entry in {**parts[0], **parts[1]}.items():
            for key in ("runs", "failed_runs", "outcomes", "seed"):
                self.assertEqual(entry[key], whole[name][key])
        self.assertEqual(len(parts[0]) + len(parts[1]), len(whole))

    def test_the_seed_is_that_of_the_ci_run(self):
        seeds = set()
        for index in range(2):
            result = self.litmus("run", harness.ONE, "--simt", "lockstep", "-n", "1", drivers=[],
                                 GITHUB_RUN_ID="12", LITMUS_SHARD=f"{index}/2", code=0)
            self.assertIn("by GITHUB_RUN_ID", result.err)
            seeds |= set(self.rows("SELECT seed FROM session"))
        self.assertEqual(len(seeds), 1)
        # One of the two had nothing to do, and that is fine.
        self.assertEqual(self.rows("SELECT count(*) FROM result"), [(1,)])
        self.assertEqual(self.rows("SELECT finished FROM session"), [(1,), (1,)])

    def test_an_empty_shard_is_fine(self):
        codes = []
        for index in range(2):
            result = self.litmus("run", harness.ONE, *SIMT, "-n", "1", "--shard", f"{index}/2",
                                 "--db", f"{index}.db", drivers=[])
            self.assert_clean(result)
            codes.append((result.code, "this shard has no configuration" in result.out,
                          self.report(f"{index}.db")["summary"]["exit"]["code"]))
        # The other one has what fails under this model.
        self.assertEqual(sorted(codes), [(0, True, 0), (1, False, 1)])

    def test_resume_keeps_the_shard(self):
        result = self.litmus("run", *self.NAMES, *SIMT, "-n", "60", "--shard-runs", "1/2",
                             "--time", "1", drivers=[])
        self.assertIn(result.code, (1, 5), result)  # 1 if something had failed by then
        self.assertEqual(self.rows("SELECT finished FROM session"), [(0,)])
        result = self.litmus("run", "--resume", drivers=[], GTEST_SHARD_INDEX="9")
        self.assertIn(result.code, (0, 1), result)
        self.assertEqual(self.rows("SELECT DISTINCT runs, first FROM result"), [(30, 30)])


harness.main(__name__)
