# SPDX-License-Identifier: Apache-2.0
"""litmus bench throughput and single: what is counted adds up, and what is wrong is told."""

import json
import re
import statistics

import harness

SEED = ("--seed", "0x5eed")
FORMS = ("batched", "single", "compiled")
SHORT = ("-n", "3", "--budget", "0.6", "--scale", "4")


class Rates(harness.Case):
    def rates(self, benchmark, *arguments, code=0, **how):
        run = self.litmus("bench", benchmark, *arguments, *SEED, "--json", "out.json", **how)
        self.assert_clean(run)
        self.assertEqual(run.code, code, run)
        report = json.loads(self.read("out.json"))
        self.assertEqual((report["exit"]["code"], report["benchmark"]), (code, benchmark))
        if harness.jsonschema:
            self.validator("bench-rate").validate(report)
        return run, report["rates"]


class Right(Rates):
    def check_form(self, rate, name, rounds):
        form, run = rate["forms"][name], rate["run"]
        mine = [each for each in rate["rounds"] if each["form"] == name]
        self.assertEqual((form["rounds"], len(mine)), (rounds, rounds))
        self.assertEqual(form["runs"], sum(each["runs"] for each in mine))
        self.assertEqual(form["instances"], form["runs"] * run["instances"])
        self.assertEqual((form["failed"], form["gave_up"]), (0, 0))
        rates = sorted(each["runs"] * run["instances"] / each["wall_ns"] * 1e9 for each in mine)
        median = statistics.median(rates)
        self.assertAlmostEqual(form["instances_per_second"]["median"] / median, 1, 5)
        self.assertAlmostEqual(form["instances_per_second"]["most"] / rates[-1], 1, 5)
        words = run["output_words"] / run["subgroup"] / run["instances"]
        self.assertAlmostEqual(form["subgroup_instances_per_second"] / median / words, 1, 5)
        self.assertAlmostEqual(
            form["of_limit"] * rate["copy_bytes_per_second"] / form["bytes_per_second"], 1, 4)
        shares = form["of_wall"]
        if name == "batched":
            needs = sum(run["bytes"].values()) / run["instances"]
            self.assertAlmostEqual(form["bytes_per_second"] / (median * needs), 1, 5)
            self.assertAlmostEqual(sum(shares.values()), 1, 6)
            self.assertTrue(shares["test"] > 0 and shares["check"] > 0, shares)
        else:
            self.assertEqual(sum(shares.values()), 0)

    def check_run(self, rate):
        run = rate["run"]
        self.assertEqual(run["bytes"]["fill"], 4 * (run["output_words"] + run["state_words"] +
                                                    2 * run["instances"]))
        self.assertEqual(run["bytes"]["test"], 4 * (run["input_words"] + run["output_words"]))
        self.assertAlmostEqual(run["bytes"]["check"], 4 * (
            run["output_words"] * (1 + run["expected_stride"] / run["slots"]) +
            2 * run["instances"]), 3)

    def check(self, rates, forms, rounds, workgroups):
        self.assertEqual([re.split("[/@]", rate["configuration"])[0] for rate in rates],
                         ["shuffle.scan-loop", "loop.desync"])
        for rate in rates:
            self.assertEqual((rate["result"], set(rate["forms"])), ("pass", set(forms)), rate)
            self.assertEqual(rate["run"]["workgroups"], workgroups)
            # The SIMT simulator has one: its schedules follow from the number of the dispatch.
            self.assertEqual(rate["run"]["slots"] > 1, "simt" not in rate["name"])
            self.assertGreater(rate["copy_bytes_per_second"], 0)
            self.check_run(rate)
            for form in forms:
                self.check_form(rate, form, rounds)

    @harness.about_lavapipe
    def test_lavapipe(self):
        run, rates = self.rates("throughput", *SHORT)
        self.check(rates, ["batched"], 3, 4)
        self.assert_all_in(run.out, "of the wall time: test", "achieved/limit", "subgroup units/s",
                           "every unit was correct")
        # Most of the time goes by in the kernels, on a machine that has other things to do, too.
        for rate in rates:
            shares = rate["forms"]["batched"]["of_wall"]
            self.assertGreater(shares["test"] + shares["check"], 0.5, rate)

    @harness.about_lavapipe
    def test_lavapipe_single(self):
        run, rates = self.rates("single", *SHORT, "--markdown", "out.md")
        self.check(rates, FORMS, 3, 4)
        for rate in rates:
            for form in ("single", "compiled"):
                self.assertIn("batched_by_this", rate["forms"][form])
        self.assertEqual(len(re.findall(r"batched/(?:single|compiled): \d", run.out)), 4)
        with open(self.path("out.md")) as file:
            lines = [line for line in file.read().splitlines() if line.startswith("| llvmpipe")]
        self.assertEqual((len(lines), {line.count("|") for line in lines}), (6, {15}))

    def test_reference_driver(self):
        for model in ("lockstep", "tangled,subgroup=8"):
            for benchmark, forms in (("throughput", ["batched"]), ("single", FORMS)):
                with self.subTest(model=model, benchmark=benchmark):
                    _, rates = self.rates(benchmark, "--simt", model)
                    self.check(rates, forms, 2, 2)

    def chosen(self, *arguments):
        """What a run has, and how many pipelines of the test were made."""
        self.write("journal", "")
        _, rates = self.rates("throughput", "-n", "1", "--budget", "0.2", "--test",
                              "shuffle.scan-loop", *arguments, fault="journal",
                              LITMUS_FAULT_JOURNAL=self.path("journal"))
        self.assertEqual(rates[0]["result"], "pass")
        return rates[0]["run"], self.read("journal").lower().count("p")

    def test_scale_is_chosen(self):
        run, made = self.chosen()
        # One of the scales, or the largest that fits.
        self.assertTrue(run["workgroups"] in [8 * 4 ** k for k in range(9)]
                        or 2 * run["output_words"] > 1 << 20, run)
        self.assertLessEqual(run["output_words"], 1 << 20)
        given, once = self.chosen("--scale", "8")
        self.assertEqual(given["workgroups"], 8)
        # Two other scales at least were tried.
        self.assertGreaterEqual(made, once + 2)

    def test_other_tests(self):
        _, rates = self.rates("throughput", *SHORT, "--test", "loop.trips", "--test",
                              "memory.coherence*")
        self.assertEqual([rate["configuration"].split("/")[0].split("@")[0] for rate in rates],
                         ["loop.trips", "memory.coherence"])

    def test_without_timestamps(self):
        run, rates = self.rates("throughput", *SHORT, fault="timestamp-bits=0")
        self.assertIn("the device has no timestamps", run.out)
        self.assertEqual(sum(rates[0]["forms"]["batched"]["of_wall"].values()), 0)


class Undecided(Rates):
    def test_runs_that_expired_are_neither_correct_nor_counted(self):
        run, rates = self.rates("throughput", "--simt", "lockstep,resident=1,threads=1", "--scale",
                                "8", "-n", "1", "--budget", "0.05", "--test",
                                "progress.spin-lock/form=after-loop,contenders=lanes*", code=3)
        form = rates[0]["forms"]["batched"]
        self.assertEqual(form["gave_up"], form["runs"])
        self.assertEqual((form["instances"], form["failed"]), (0, 0))
        self.assertEqual(form["instances_per_second"]["median"], 0)
        self.assertIn("runs had an expired bounded wait; their units are not counted", run.out)
        self.assertNotIn("WRONG", run.out)


class Wrong(Rates):
    def failed(self, settings, benchmark="throughput"):
        run, rates = self.rates(benchmark, "--simt", settings, code=1)
        self.assertIn("WRONG", run.out)
        return {form: sum(rate["forms"][form]["failed"] for rate in rates)
                for form in rates[0]["forms"]}

    def test_shuffles_that_wait_for_nobody(self):
        self.assertGreater(self.failed("snooping,subgroup=8")["batched"], 0)

    def test_single_forms_see_it_too(self):
        failed = self.failed("snooping,subgroup=8", "single")
        self.assertEqual([form for form in FORMS if not failed[form]], [])

    def test_crash(self):
        run, rates = self.rates("throughput", "--simt", "faulty,fault=crash,at=5", code=1)
        self.assertIn("crash", {rate["result"] for rate in rates}, run)

    def test_lost(self):
        _, rates = self.rates("throughput", "--simt", "faulty,fault=lost,at=5", code=4)
        self.assertIn("device-lost", {rate["result"] for rate in rates})

    def test_a_device_that_executes_nothing(self):
        run = self.litmus("bench", "throughput", "--simt", "faulty,fault=nothing", *SEED)
        self.assert_clean(run)
        self.assertNotIn("every unit was correct", run.out)
        self.assertNotIn(run.code, (0,), run)

    def test_time(self):
        run = self.out_of_time("bench", "throughput", "--budget", "60", *SEED, stores=False)
        self.assertIn("the time budget was used up", run.out)


class Usage(Rates):
    def test_usage(self):
        for arguments, words in ((["throughput", "--scale", "2000000"], ["--scale"]),
                                 (["throughput", "-n", "1001"], ["--repeat"]),
                                 (["throughput", "--elements", "4096"], ["--elements"]),
                                 (["single", "--loops", "3"], ["--loops"]),
                                 (["single", "--test", "lop.desync"], ["loop.desync"]),
                                 (["scan", "--scale", "3"], ["--scale"]),
                                 (["single", "--json", "/nowhere/x.json"], ["/nowhere/x.json"])):
            with self.subTest(arguments):
                self.assert_one_line(self.litmus("bench", *arguments), 2, *words)


harness.main(__name__)
