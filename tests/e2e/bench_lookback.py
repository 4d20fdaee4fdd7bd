# SPDX-License-Identifier: Apache-2.0
"""litmus bench lookback: scans of the whole device are timed against copies, and every output is
verified on the device; what is wrong is told, and so is a verification that cannot be trusted."""

import json
import os
import re

import bench
import harness
from bench import SEED

# A few rows of each kind.
FEW = ("--variants", "held=1/shared=0/looks=[12]/*workgroup=64")


class Lookback(bench.Bench):
    benchmark, schema = "lookback", "bench-lookback"

    def rows(self, size, result, kind=None):
        return [row for row in size["rows"]
                if row["result"] == result and kind in (None, row["kind"])]


class Right(Lookback):
    def check_size(self, size, elements, repeats):
        self.assertEqual((size["elements"], size["repeats"], size["result"]),
                         (elements, repeats, "pass"))
        for row in self.rows(size, "right"):
            ns = row["ns"]
            self.assertEqual(len(ns["all"]), repeats)
            self.assertTrue(ns["least"] <= ns["lower_quartile"] <= ns["median"]
                            <= ns["upper_quartile"] <= ns["most"], row)
            self.assertEqual(row["wrong"], {"dispatches": 0, "of": repeats + 2})
            self.assertEqual(row["workgroups"], -(-elements // row["tile"]))
            self.assertAlmostEqual(row["bytes_per_second"], elements * 8e9 / ns["median"],
                                   delta=1e-6 * row["bytes_per_second"])
        best = min(self.rows(size, "right", "copy"), key=lambda row: row["ns"]["median"])
        self.assertEqual(size["copy"], best["name"])
        self.assertEqual(best["of_copy"], 1.0)
        for row in self.rows(size, "right"):
            self.assertAlmostEqual(row["of_copy"], best["ns"]["median"] / row["ns"]["median"],
                                   delta=1e-6 * row["of_copy"])

    @harness.unsanitized
    def test_reference_driver_with_every_subgroup_size(self):
        for subgroup, scans in ((4, 9), (8, 9), (16, 9), (32, 9), (64, 6)):
            for model in ("lockstep", "tangled") if subgroup in (8, 32) else ("lockstep",):
                with self.subTest(subgroup=subgroup, model=model):
                    run, device = self.bench_json("--simt", f"{model},subgroup={subgroup}", "-n",
                                                  "2", *FEW)
                    self.assertEqual(device["subgroup"], subgroup)
                    self.assertEqual(len(device["sizes"]), 1)
                    size = device["sizes"][0]
                    self.check_size(size, 8192, 2)
                    for row in size["rows"]:
                        small = subgroup > 32 and "lanes=32" in row["name"]
                        self.assertEqual(row["result"], "skipped" if small else "right", run)
                    self.assertEqual(len(self.rows(size, "right", "scan")), scans)
                    self.assertEqual(len(self.rows(size, "right", "alone")), subgroup <= 32)
                    self.assertIn("every word that was stored is correct", run.out)

    def test_subgroups_of_128(self):
        run, device = self.bench_json("--simt", "lockstep,subgroup=128", "-n", "2", "--variants",
                                      "*lanes=128/*workgroup=512")
        rows = device["sizes"][0]["rows"]
        self.assertEqual({row["result"] for row in rows}, {"right"}, run)
        self.assertEqual(sum(row["kind"] == "scan" for row in rows), 3)

    def test_subgroups_that_no_scan_is_for(self):
        run = self.bench("--simt", "lockstep,subgroup=2", code=77)
        self.assertIn("the scans are for 4 to 128", run.out)

    def test_every_variant_on_the_reference_driver(self):
        # The tiles of most do not divide the words: the last one is cut.
        run, device = self.bench_json("--simt", "lockstep", "-n", "1", "--variants",
                                      "*workgroup=64", "--elements", "16384")
        size = device["sizes"][0]
        self.check_size(size, 16384, 1)
        self.assertEqual(len(self.rows(size, "right")), len(size["rows"]), run)
        scans = self.rows(size, "right", "scan")
        self.assertGreater(len(scans), 80)
        self.assertTrue(any(16384 % row["tile"] for row in scans))
        self.assertTrue(any(row["workgroups"] > 16 for row in scans))

    def test_other_operations_and_in_place(self):
        for rows, count in (("*operation=*workgroup=64", 25), ("*place=same/workgroup=64", 5)):
            for model in ("lockstep", "tangled", "lockstep,subgroup=4"):
                with self.subTest(rows=rows, model=model):
                    run, device = self.bench_json("--simt", model, "-n", "2", "--elements", "16384",
                                                  "--variants", rows)
                    size = device["sizes"][0]
                    self.check_size(size, 16384, 2)
                    self.assertEqual(len(self.rows(size, "right", "scan")), count, run)

    def test_order_of_workgroups(self):
        # Workgroups start in any order, and few at a time: who waits for one that has not started
        # waits for ever, unless it does its work: as many turns as it may take, in whatever time.
        word = "held=4/shared=0/looks=1/lanes=32/encoding=word64/order={}/*workgroup=64"
        for rows, code in ((word.format("id"), 3), (word.format("ticket"), 0),
                           (word.format("fallback"), 0),
                           ("held=4/*order=fallback/*operation=add64/*workgroup=64", 0),
                           ("held=4/*order=fallback/*operation=segmented/*workgroup=64", 0)):
            with self.subTest(rows):
                run, device = self.bench_json("--simt", "unfair", "-n", "1", "--elements", "16384",
                                              "--timeout", "3000", "--variants", rows, code=code,
                                              timeout=600)
                scans = [row for row in device["sizes"][0]["rows"] if row["kind"] == "scan"]
                self.assertEqual({row["result"] == "right" for row in scans}, {code == 0}, run)

    @harness.about_lavapipe
    def test_lavapipe(self):
        # Few tiles: a wait of very many turns is cut short by lavapipe 22.3.6.
        # On a busy machine one of its dispatches is wrong now and then, which is no fault of the program.
        run, device = self.bench_json("--elements", "16384", "-n", "2", attempts=4)
        size = device["sizes"][0]
        self.check_size(size, 16384, 2)
        self.assertFalse(self.rows(size, "wrong"), run)
        self.assertEqual((size["scan_is"], size["clock"]), ("default", "device"))
        self.assertIn(size["scan"], {row["name"] for row in self.rows(size, "right", "scan")})
        self.assertEqual(len(self.rows(size, "right", "alone")), 1)

    def test_the_table_and_markdown(self):
        run = self.bench("--simt", "lockstep", "--markdown", "out.md", *FEW)
        self.assert_all_in(run.out, "8,192 words", "middle half", "of copy", "copy GB/s",
                           "best: held=1/shared=0/looks=")
        text = self.read("out.md")
        self.assert_all_in(text, "| command | litmus bench ", "### 8,192 words")
        self.assertEqual(len(re.findall(r"(?m)^\| (?:\*\*)?held=1/", text)), 10)

    def test_against_cub(self):
        sizes = [{"elements": 8192, "scan": {"median_ns": 1e6, "wrong": 0},
                  "copy": {"median_ns": 5e5, "wrong": 0}}]
        timed = {"schema": "litmus-bench-cub/1", "device": "Example", "sizes": sizes}
        self.write("cub.json", json.dumps(timed))
        run, device = self.bench_json("--simt", "lockstep", "--cub", "cub.json", *FEW)
        self.assertRegex(run.out, "CUB was timed on Example.*which device 1 is not")
        size = device["sizes"][0]
        self.assertIsNone(size["cub_ns"])
        self.assertEqual({row.get("of_cub") for row in size["rows"]}, {None})
        self.write("cub.json", json.dumps({**timed, "device": device["name"]}))
        run, device = self.bench_json("--simt", "lockstep", "--cub", "cub.json", *FEW)
        self.assertNotIn("is not", run.out)
        size = device["sizes"][0]
        self.assertEqual(size["cub_ns"], 1e6)
        for row in self.rows(size, "right"):
            self.assertAlmostEqual(row["of_cub"], 1e6 / row["ns"]["median"],
                                   delta=1e-6 * row["of_cub"])


class Tuned(Lookback):
    def test_what_was_found_is_used(self):
        _, device = self.bench_json("--simt", "lockstep", "--tune", "--budget", "1", *FEW)
        found = device["sizes"][0]
        self.assertEqual((found["scan_is"], found["repeats"]), ("best", 31))
        choices = json.loads(self.read("litmus-lookback.json"))["choices"]
        self.assertEqual([(choice["id"], choice["elements"], choice["row"]) for choice in choices],
                         [(device["id"], 8192, found["scan"])])
        _, device = self.bench_json("--simt", "lockstep")
        self.assertEqual((device["sizes"][0]["scan_is"], device["sizes"][0]["scan"]),
                         ("tuned", found["scan"]))
        # Another device has nothing from it.
        _, device = self.bench_json("--simt", "lockstep,subgroup=8")
        self.assertEqual(device["sizes"][0]["scan_is"], "default")
        _, device = self.bench_json("--simt", "lockstep", "--tuned", "other.json")
        self.assertEqual(device["sizes"][0]["scan_is"], "default")
        self.assertFalse(os.path.exists(self.path("other.json")))

    def test_a_search_among_some_does_not_replace_what_is_faster(self):
        _, device = self.bench_json("--simt", "lockstep")
        before = {"id": device["id"], "device": "x", "driver": "y", "elements": 8192,
                  "row": device["sizes"][0]["scan"], "ns": 1, "of_copy": 1000}
        self.write("litmus-lookback.json", json.dumps({"schema": "litmus-lookback-tuned/1",
                                                       "choices": [before]}))
        run = self.bench("--simt", "lockstep", "--tune", "--budget", "1", *FEW, code=0)
        self.assertIn(f"kept from before: {before['row']}", run.out)
        self.assertEqual(json.loads(self.read("litmus-lookback.json"))["choices"], [before])

    def test_what_is_wrong_is_not_chosen(self):
        run = self.bench("--simt", "faulty,fault=nothing,at=40", "--tune", "--budget", "1", *FEW)
        self.assertNotEqual(run.code, 0, run)
        self.assertFalse(os.path.exists(self.path("litmus-lookback.json")))


class Wrong(Lookback):
    def test_wrong_values(self):
        told = set()
        # The higher rate corrupts the verification, too. What a seed hits depends on the threads.
        for seed in range(100):
            if told == {1, 3}:
                break
            rate = ("0.00002", "0.0002")[seed % 2]
            run = self.litmus("bench", "lookback", "--simt", f"faulty,fault=wrong,rate={rate}",
                              "--seed", str(seed), "--json", "out.json")
            self.assert_clean(run)
            self.assertIn(run.code, (1, 3), run)
            size = json.loads(self.read("out.json"))["devices"][0]["sizes"][0]
            for row in self.rows(size, "wrong"):
                self.assertGreater(row["wrong"]["first"]["words"], 0)
                self.assertNotEqual(row["wrong"]["first"]["got"], row["wrong"]["first"]["want"])
                self.assertIn(f"WRONG: {row['name']}: {row['wrong']['dispatches']} of ", run.out)
                self.assertNotRegex(run.out, rf"(?m)^  {re.escape(row['name'])} ")
            told.add(run.code)
            if run.code == 3:
                self.assertIn("the verification", run.out)
        self.assertEqual(told, {1, 3})

    def test_wrong_values_of_every_operation(self):
        for operation in ("add/result=exclusive", "max", "fadd", "add64", "segmented"):
            # One in six tells: the others corrupt the verification, or nothing.
            told = False
            for seed in range(100):
                run = self.litmus("bench", "lookback", "--simt", "faulty,fault=wrong,rate=0.00002",
                                  "--seed", str(seed), "--json", "out.json", "--variants",
                                  f"held=[48]/*operation={operation}*workgroup=64")
                self.assert_clean(run)
                self.assertIn(run.code, (0, 1, 3), run)
                told = f"operation={operation}" in run.out and "WRONG: held=" in run.out
                if told:
                    break
            self.assertTrue(told, operation)

    def test_a_verification_that_does_not_look_is_none(self):
        # The first dispatches fill the input and try the verification: before the first row.
        run = self.bench("--simt", "faulty,fault=nothing,at=2", code=3)
        self.assertIn("the verification", run.out)
        self.assertNotIn("WRONG", run.out)

    def test_dispatches_that_are_left_out(self):
        # Those of workgroups of one width, which nothing that fills or verifies has.
        run, device = self.bench_json("--elements", "16384", "-n", "2", fault="drop-on=512", code=1)
        size = device["sizes"][0]
        self.assertTrue(self.rows(size, "wrong"), run)
        for row in size["rows"]:
            self.assertEqual(row["result"] == "wrong", row["workgroup"] == 512 and
                             row["result"] != "skipped", row)
            if row["result"] == "wrong":
                self.assertEqual(row["wrong"]["first"]["got"], "0xc0dedead")
                self.assertEqual(row["wrong"]["first"]["word"], 0)


class Faults(Lookback):
    def test_crash(self):
        run, device = self.bench_json("--simt", "faulty,fault=crash,at=60", code=1)
        self.assertEqual(device["sizes"][0]["result"], "crash")
        self.assertIn("crash: worker died", run.out)

    def test_lost(self):
        _, device = self.bench_json("--simt", "faulty,fault=lost,at=60", code=4)
        self.assertEqual(device["sizes"][0]["result"], "device-lost")

    def test_hang(self):
        _, device = self.bench_json("--simt", "faulty,fault=hang,at=60", "--timeout", "2", code=1)
        self.assertEqual(device["sizes"][0]["result"], "hang")

    test_no_memory = harness.case("bench_json", "--simt", "faulty,fault=memory,at=3", code=3)

    @harness.about_lavapipe
    def test_too_large(self):
        # lavapipe has no buffers of 4 GiB.
        run = self.bench("--elements", "1073741824", "-n", "1", code=77)
        self.assertRegex(run.out, "skip: buffers of 4294967296 bytes > max")

    def test_a_device_without_timestamps(self):
        run, device = self.bench_json("--elements", "16384", "-n", "1", fault="timestamp-bits=0")
        self.assertEqual((device["sizes"][0]["clock"], device["sizes"][0]["tick_ns"]),
                         ("host", None))
        self.assertIn("by the host's clock", run.out)

    def test_time(self):
        run = self.out_of_time("bench", "lookback", "-n", "100000", *SEED, stores=False)
        self.assertIn("the time budget was used up", run.out)


class Usage(Lookback):
    def test_usage(self):
        for arguments, words in ((["--elements", "5000"], ["--elements"]),
                                 (["--elements", "2048"], ["--elements"]),
                                 (["--elements", "4294967297"], ["--elements"]),
                                 (["--elements", "8589934592"], ["4,096 to 4,294,967,296"]),
                                 (["--loops", "3"], ["--loops"]),
                                 (["--budget", "3"], ["--budget"]),
                                 (["--tune", "-n", "3"], ["--repeat"]),
                                 (["--tune", "--validation"], ["--validation"]),
                                 (["--variants", "held=5*"], ["held=5*"]),
                                 (["--variants", "copy*"], ["copy*"]),
                                 (["--cub", "none.json"], ["none.json"]),
                                 (["--tuned", "/nowhere/x.json", "--tune"], ["/nowhere/x.json"]),
                                 (["--json", "/nowhere/x.json"], ["/nowhere/x.json"])):
            with self.subTest(arguments):
                self.assert_one_line(self.litmus("bench", "lookback", *arguments), 2, *words)
        for option in (["--tune"], ["--variants", "all"], ["--cub", "x"], ["--tuned", "x"]):
            with self.subTest(option):
                self.assert_one_line(self.litmus("bench", "scan", *option), 2, "lookback")

    def test_nothing_is_left_behind(self):
        self.bench("--simt", "lockstep", "-n", "1", "--json", "out.json")
        self.assertEqual(os.listdir(self.path(".")), ["out.json"])


harness.main(__name__)
