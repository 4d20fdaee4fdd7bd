# SPDX-License-Identifier: Apache-2.0
"""litmus bench: every row is timed and checked, what is wrong is told, and so is what goes wrong."""

import glob
import json
import os
import re
import signal
import time

import harness

SEED = ("--seed", "0x5eed")
ROWS = 5 + 2 * 2 * 3 * 4
SMALL = ("--elements", "4096", "--loops", "3", "-n", "2")


class Bench(harness.Case):
    benchmark, schema = "scan", "bench"

    def bench(self, *arguments, **how):
        result = self.litmus("bench", self.benchmark, *arguments, *SEED, **how)
        self.assert_clean(result)
        return result

    def bench_json(self, *arguments, code=0, attempts=1, **how):
        run = self.bench(*arguments, "--json", "out.json", **how)
        if run.code != code and attempts > 1:
            return self.bench_json(*arguments, code=code, attempts=attempts - 1, **how)
        self.assertEqual(run.code, code, run)
        report = json.loads(self.read("out.json"))
        self.assertEqual(report["exit"]["code"], code)
        if harness.jsonschema:
            self.validator(self.schema).validate(report)
        self.assertEqual(len(report["devices"]), 1)
        return run, report["devices"][0]


class Right(Bench):
    def check_rows(self, device, repeats, timed):
        self.assertEqual(len(device["rows"]), ROWS)
        self.assertEqual(len({row["name"] for row in device["rows"]}), ROWS)
        found = [row for row in device["rows"] if row["result"] == "right"]
        self.assertEqual({row["name"] for row in found}, {row["name"] for row in timed(device)})
        for row in found:
            ns = row["ns"]
            self.assertEqual(len(ns["all"]), repeats)
            self.assertEqual(ns["least"], min(ns["all"]))
            self.assertEqual(ns["most"], max(ns["all"]))
            self.assertTrue(ns["least"] <= ns["lower_quartile"] <= ns["median"]
                            <= ns["upper_quartile"] <= ns["most"], row)
            self.assertEqual(row["wrong"], {"dispatches": 0, "of": repeats + 2})
            self.assertGreater(row["per_second"]["bytes"], 0)
            self.assertTrue(row["kind"] != "scan" or row["of_native"] > 0)
        self.assertEqual([row["of_native"] for row in found if row.get("operation") == "native"],
                         [1.0] * len([row for row in found if row.get("operation") == "native"]))

    @harness.unsanitized
    def test_reference_driver_with_every_subgroup_size(self):
        for subgroup in (4, 8, 16, 32, 64, 128):
            for model in ("lockstep", "tangled") if subgroup in (8, 32) else ("lockstep",):
                with self.subTest(subgroup=subgroup, model=model):
                    run, device = self.bench_json("--simt", f"{model},subgroup={subgroup}", "-n",
                                                  "2")
                    self.assertEqual(device["subgroup"], subgroup)
                    self.assertEqual((device["loops"], device["elements"]), (3, 4096))
                    self.check_rows(device, 2, lambda device: device["rows"])
                    self.assertIn("every word that was stored is correct", run.out)

    @harness.about_lavapipe
    def test_lavapipe(self):
        run, device = self.bench_json(*SMALL)
        most = int(re.search(r"maxCompute\w+ (\d+)", run.out)[1]) if "skipped" in run.out else 0
        self.check_rows(device, 2, lambda device: [
            row for row in device["rows"] if row["result"] != "skipped"])
        skipped = {row["workgroup"] for row in device["rows"] if row["result"] == "skipped"}
        self.assertTrue(all(size > 256 for size in skipped), run)
        self.assertEqual(bool(skipped), bool(most), run)
        self.assertEqual(device["clock"], "device")
        self.assertNotIn("WRONG", run.out)

    def test_calibration(self):
        # The SIMT simulator as any driver: it is slow, so that fewer fit than there may be.
        how = {"drivers": [harness.SIMT]}
        _, few = self.bench_json("--elements", "16384", "-n", "1", "--budget", "1", **how)
        _, more = self.bench_json("--elements", "4096", "-n", "1", "--budget", "5", **how)
        self.assertTrue(1 <= few["loops"] < more["loops"] < 1000, (few["loops"], more["loops"]))
        _, same = self.bench_json("--elements", "4096", "-n", "1", "--loops", "5")
        self.assertEqual(same["loops"], 5)

    def test_the_table_and_markdown(self):
        run = self.bench("--simt", "lockstep", "--markdown", "out.md")
        self.assert_all_in(run.out, "subgroup scan, 1 item each", "workgroup scan, 4 items each",
                           "4,096 elements, 3 scans a dispatch", "256  emulated, control")
        self.assertEqual(len(re.findall(r"(?m)^ +(?:256|512|1024)  (?:native|emulated)", run.out)),
                         ROWS - 5)
        lines = self.read("out.md").splitlines()
        table = [line for line in lines if re.match(r"\| (limit|subgroup|workgroup) ", line)]
        self.assertEqual(len(table), ROWS)
        self.assertEqual({line.count("|") for line in table}, {14})
        self.assertTrue(any(line.startswith("| command | litmus bench") for line in lines))

    def test_list(self):
        run = self.litmus("bench", code=0)
        self.assertRegex(run.out, r"^  scan +\w")


class Wrong(Bench):
    """Devices that compute something else are never timed silently."""

    def wrong(self, settings, *arguments):
        run, device = self.bench_json("--simt", settings, *arguments, code=1)
        wrong = [row for row in device["rows"] if row["result"] == "wrong"]
        self.assertTrue(wrong, run)
        self.assertIn("WRONG", run.out)
        self.assertEqual(len(re.findall(r"(?m)^  WRONG: ", run.out)), len(wrong))
        for row in wrong:
            self.assertIn(f"WRONG: {row['name']}: {row['wrong']['dispatches']} of ", run.out)
            self.assertGreater(row["wrong"]["first"]["words"], 0)
            self.assertNotEqual(row["wrong"]["first"]["got"], row["wrong"]["first"]["want"])
            # No figure of it in the table.
            line = re.search(rf"(?m)^ .*{row['workgroup']}  {row.get('operation')}.*WRONG.*$",
                             run.out)
            self.assertTrue(row["kind"] != "scan" or line[0].rstrip().endswith("WRONG"), run)
        return wrong

    test_wrong_values = harness.case("wrong", "faulty,fault=wrong,rate=0.00002")

    def test_a_device_that_executes_nothing(self):
        wrong = self.wrong("faulty,fault=nothing,at=200")
        self.assertTrue(all(row["wrong"]["first"]["got"] == "0xc0dedead" for row in wrong))

    def test_shuffles_that_wait_for_nobody(self):
        wrong = self.wrong("snooping,subgroup=8")
        self.assertTrue(any(row["kind"] == "scan" and row["operation"] == "emulated" and
                            row["barrier"] == "none" for row in wrong))
        # A subgroup's barrier before each shuffle is what helps against that.
        self.assertFalse([row["name"] for row in wrong
                          if row.get("barrier") == "control" and row["level"] == "subgroup"])

    def test_subgroup_barriers_that_wait_for_the_workgroup(self):
        wrong = self.wrong("faulty,fault=rendezvous")
        self.assertTrue(all(row["level"] == "workgroup" for row in wrong), wrong)

    @harness.about_lavapipe
    def test_the_second_lavapipe_is_wrong_as_its_finding_says(self):
        if not os.path.exists(harness.SECOND_LAVAPIPE):
            self.skipTest("there is no second lavapipe")
        run, device = self.bench_json(*SMALL, drivers=[harness.SECOND_LAVAPIPE], code=1)
        wrong = {(row["level"], row["barrier"]) for row in device["rows"]
                 if row["result"] == "wrong"}
        self.assertEqual(wrong, {("workgroup", "control")}, run)


class Faults(Bench):
    def test_crash(self):
        run, device = self.bench_json("--simt", "faulty,fault=crash,at=100", code=1)
        self.assertEqual(device["result"], "crash")
        self.assertIn("crash: worker died", run.out)
        self.assertNotIn("WRONG", run.out)

    def test_lost(self):
        _, device = self.bench_json("--simt", "faulty,fault=lost,at=100", code=4)
        self.assertEqual(device["result"], "device-lost")

    def test_hang(self):
        _, device = self.bench_json("--simt", "faulty,fault=hang,at=100", "--timeout", "2", code=1)
        self.assertEqual(device["result"], "hang")

    def test_no_memory(self):
        _, device = self.bench_json("--simt", "faulty,fault=memory,at=3", code=3)
        self.assertEqual({row["result"] for row in device["rows"]}, {"untimed"})

    def test_rows_that_are_refused(self):
        run, device = self.bench_json(*SMALL, fault="refuse-on=256", code=3)
        self.assertEqual({row["result"] for row in device["rows"]
                          if row["workgroup"] == 256}, {"refused"})
        self.assertRegex(run.out, r"refused: limit/copy and \d+ others: the driver refused")

    def test_dispatches_that_are_left_out(self):
        _, device = self.bench_json(*SMALL, fault="drop-on=256", code=1)
        self.assertEqual({row["result"] for row in device["rows"]
                          if row["workgroup"] == 256}, {"wrong"})

    def test_a_device_without_timestamps(self):
        run, device = self.bench_json(*SMALL, fault="timestamp-bits=0")
        self.assertEqual((device["clock"], device["tick_ns"]), ("host", None))
        self.assertIn("by the host's clock", run.out)
        for row in device["rows"]:
            self.assertTrue(row["result"] == "skipped" or row["ns"]["least"] > 0, row)

    def test_timestamps_of_a_few_bits(self):
        # Vulkan has 36 to 64 of them; with fewer a dispatch would look shorter than it was.
        for bits, clock in ((35, "host"), (36, "device"), (4294967295, "device")):
            with self.subTest(bits=bits):
                _, device = self.bench_json(*SMALL, fault=f"timestamp-bits={bits}")
                self.assertEqual(device["clock"], clock)

    def test_nonsense_in_properties(self):
        run = self.bench("--simt", "faulty,fault=properties")
        self.assertIn(run.code, (0, 77), run)

    def test_no_device(self):
        nowhere = self.write("none.json", "{}")
        run = self.bench(drivers=[nowhere], code=77)
        self.assertIn("no Vulkan device", run.err)

    def test_time(self):
        run = self.out_of_time("bench", "scan", "-n", "100000", *SEED, stores=False)
        self.assertIn("the time budget was used up", run.out)

    def test_interrupted(self):
        since = time.monotonic()
        process = self.start_with_journal("bench", "scan", "-n", "100000", *SEED)
        self.wait_for_work()
        process.send_signal(signal.SIGINT)
        run = self.finish(process, since)
        self.assert_ended_by(run, signal.SIGINT)
        self.assertIn("interrupted", run.out)


class Usage(Bench):
    def test_usage(self):
        for arguments, words in ((["scann"], ["unknown benchmark 'scann'", "scan"]),
                                 (["lookbak"], ["unknown benchmark 'lookbak'", "lookback"]),
                                 (["-n", "3"], ["missing BENCHMARK"]),
                                 (["scan", "scan"], ["only one benchmark at a time"]),
                                 (["scan", "--elements", "5000"], ["--elements"]),
                                 (["scan", "--elements", "2048"], ["--elements"]),
                                 (["scan", "--elements", "33554432"], ["--elements"]),
                                 (["scan", "--loops", "60001"], ["--loops"]),
                                 (["scan", "--budget", "25h"], ["--budget"]),
                                 (["scan", "--repeat", "0"], ["--repeat"]),
                                 (["scan", "--repeat", "100001"], ["--repeat"]),
                                 (["scan", "--simt", "snoping"], ["snooping"]),
                                 (["scan", "--repaet", "3"], ["repeat"]),
                                 (["scan", "--json", "/nowhere/x.json"], ["/nowhere/x.json"]),
                                 (["scan", "--markdown", "."], ["folder"]),
                                 (["scan", "--json", "a", "--markdown", "./a"], ["the same file"])):
            with self.subTest(arguments):
                self.assert_one_line(self.litmus("bench", *arguments), 2, *words)

    test_no_such_device = harness.case("bench", "-d", "77", code=2)

    def test_nothing_is_left_behind(self):
        self.bench("--simt", "lockstep", "-n", "1", "--json", "out.json")
        self.assertEqual([os.path.basename(path) for path in glob.glob(self.path("*"))],
                         ["out.json"])


harness.main(__name__)
