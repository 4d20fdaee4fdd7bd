# SPDX-License-Identifier: Apache-2.0
"""The program on the SIMT simulator: --simt, explain, and tools/mutation-score."""

import glob
import json
import os
import re
import shlex
import subprocess
import sys
import unittest
import xml.dom.minidom

import harness

DRIVER = os.path.join(harness.BUILD, "simt", "simt_icd.json")
MODELS = ("lockstep", "tangled", "snooping", "lagging", "peeling", "relaxed", "unfair", "faulty",
          "miscompiling")

# The original hazard: shuffles in a loop without a barrier, and with one before each.
HAZARD = ("shuffle.scan-loop/sync=none,reconvergence=default,form=variables,op=add,"
          "mode=inclusive,access=descriptor,pressure=none@workgroup=64")
CURED = HAZARD.replace("sync=none", "sync=control-each")


class OnTheDriver(harness.Case):
    def simt(self, *arguments, **how):
        """Lavapipe stays in the environment: --simt must not see it."""
        result = self.litmus(*arguments, **how)
        self.assert_clean(result)
        return result


@harness.unsanitized
class FollowsFromTheSeed(OnTheDriver):
    """With one thread a run does what its seed and number say, whatever ran before it."""

    RUNS = 8
    # A test of memory, one of a shared tile, a race of workgroups: with a model that breaks it.
    RACY = (
        ("relaxed", "progress.handover/between=subgroups,waiter=high,waits=not-taken@workgroup=128,"
                    "polls=4096"),
        ("relaxed", "memory.message-passing/*"),
        ("tangled", HAZARD.replace("descriptor", "address")),
        ("snooping", HAZARD),
        ("unfair", "lookback.scan/*"),
        ("faulty,fault=wrong,rate=0.00001", HAZARD),
    )

    def content(self, store):
        query = ("FROM result LEFT JOIN {0} ON {0}.result = result.id "
                 "WHERE session = (SELECT max(id) FROM session) ORDER BY name, {1}")
        return [self.rows("SELECT name, result.result, runs, failed_runs, no_progress_runs, "
                          "result.instances, failed_instances, first_run_failed, outcome, "
                          "outcome.instances " + query.format("outcome", "outcome"), store),
                self.rows("SELECT name, run, instance, word, got " + query.format("failure", "number"),
                          store)]

    def names(self, model, pattern):
        listed = self.litmus("run", "--simt", model, pattern, "--dry-run").out.split("\n")
        return [line for line in listed if line and line[0] != "#"][:2]

    def shards(self, model, names, count):
        stores = [f"{count}-{index}.db" for index in range(count)]
        for index, store in enumerate(stores):
            self.run_simt(model, names, store, "--shard-runs", f"{index}/{count}")
        merged = f"{count}.db"
        self.litmus("merge", "-o", merged, *stores, code=0)
        return merged

    def run_simt(self, model, names, store, *more):
        return self.litmus("run", "--simt", f"{model},threads=1", *names, "-n", str(self.RUNS), "-q",
                           "--seed", "0x1234", "--isa", "none", "--db", store, *more)

    def resumed(self, model, names):
        """Killed once some runs of the first configuration are stored, and gone on with."""
        process = self.start("run", "--simt", f"{model},threads=1", *names, "-n", str(self.RUNS), "-q",
                             "--seed", "0x1234", "--isa", "none", "--db", "resumed.db")
        self.wait_for("a batch", lambda: self.rows("SELECT 1 FROM result WHERE runs > 0", "resumed.db"))
        process.kill()
        process.wait()
        if not self.rows("SELECT 1 FROM session WHERE finished", "resumed.db"):
            self.litmus("run", "--resume", "--db", "resumed.db")
        return "resumed.db"

    def test_whole_shards_resumed_and_single_runs(self):
        some = 0
        for number, (model, pattern) in enumerate(self.RACY):
            names = self.names(model, pattern)
            with self.subTest(model=model, names=names):
                self.assertTrue(names)
                self.run_simt(model, names, "whole.db")
                whole = self.content("whole.db")
                some += sum(row[3] > 0 for row in whole[0])
                # What runs before it must not matter either.
                self.run_simt(model, names[::-1], "behind.db", "--shuffle")
                self.assertEqual(self.content("behind.db"), whole)
                self.assertEqual(self.content(self.shards(model, names, 2)), whole)
                self.assertEqual(self.content(self.resumed(model, names)), whole)
                if number == 0:
                    self.assertEqual(self.content(self.shards(model, names, self.RUNS)), whole)
            for store in glob.glob(self.path("*.db*")):
                os.remove(store)
        self.assertGreater(some, 0, "nothing failed, so nothing was compared")


class Usage(harness.Case):
    def wrong(self, *arguments, words=(), **more):
        self.assert_one_line(self.litmus(*arguments, **more), 2, *words)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_wrong_model_names_the_right_ones(self):
        for command in (["run", "--all"], ["--all"], ["devices"], ["explain", "shuffle"]):
            for model in ("snoping", "Snooping", "subgroup=4", "\033[2J"):
                with self.subTest(command=command, model=model):
                    self.wrong(*command, "--simt", model, words=MODELS)

    def test_wrong_settings(self):
        for settings in ("snooping,subgroup=5", "snooping,subgruop=4", "snooping,seed=x",
                         "snooping,seed", "snooping,threads=0"):
            with self.subTest(settings=settings):
                self.wrong("run", "--all", "--simt", settings)

    test_given_twice = harness.case("wrong", "devices", "--simt", "snooping", "--simt", "lockstep",
                                    words=("--simt", "once"))

    def test_no_model(self):
        self.wrong("devices", "--simt", "", words=("--simt",))
        self.wrong("explain", "shuffle", words=("--simt",))

    test_the_driver_is_not_there = harness.case("wrong", "run", "--all", "--simt", "lockstep",
                                                words=("/nowhere.json", "LITMUS_SIMT_ICD"),
                                                LITMUS_SIMT_ICD="/nowhere.json")

    def test_explain_sets_the_schedule_itself(self):
        for setting in ("seed=3", "depth=2", "trace=x", "threads=2", "schedule=random",
                        "schedule=random,threads=2,seed=1", "schedule=random,seed=1"):
            with self.subTest(setting=setting):
                self.wrong("explain", "shuffle", "--simt", "snooping," + setting,
                           words=(setting.split("=")[0],))

    @harness.posix  # Wine needs TMPDIR itself, and TMP is what its registry says
    def test_explain_writes_only_where_it_is_told(self):
        deep = "/nowhere" + "/temporary" * 10
        self.wrong("explain", "shuffle", "--simt", "snooping", words=(deep + "/litmus-explain-",),
                   TMPDIR=deep)
        self.wrong("explain", "shuffle", "--simt", "snooping", words=("long",), TMPDIR="/" * 500)
        self.wrong("explain", "shuffle", "--simt", "snooping", words=("comma", "TMPDIR"),
                   TMPDIR="/tmp,")

    def test_explain_of_what(self):
        self.wrong("explain", "--simt", "snooping", words=("missing test",))
        self.wrong("explain", "shuffel.scan-loop", "--simt", "snooping",
                   words=("shuffle.scan-loop",))


class Running(OnTheDriver):
    def test_devices_list_it_alone(self):
        for model in MODELS:
            with self.subTest(model=model):
                result = self.simt("devices", "--simt", model + ",subgroup=16", "-v", code=0)
                self.assert_all_in(result.out, f"model {model}", "  16")
                self.assertNotIn("llvmpipe", result.out)

    @harness.about_lavapipe
    def test_it_is_not_used_unasked(self):
        result = self.simt("devices")
        self.assertNotIn("simt", result.out)

    def test_lockstep_passes(self):
        self.simt("run", HAZARD, CURED, "--simt", "lockstep,subgroup=4", "--seed", "1", code=0)
        report = self.report()
        self.assertEqual([entry["result"] for entry in report["results"]], ["pass", "pass"])
        self.assertEqual({entry["runs"] for entry in report["results"]}, {20})
        self.assertIn("lockstep", report["devices"][0]["driver"]["info"])
        self.assertEqual(report["devices"][0]["checker"], "device")

    def test_lockstep_passes_every_test(self):
        """Each oracle says what its kernel stores: a wrong expectation fails here."""
        ran = set()
        for lanes in (8, 128):
            run = self.simt("run", "--all", "--simt", f"lockstep,subgroup={lanes}", "-n", "1", "-q",
                            "--seed", "1", code=0)
            results = self.report()["results"]
            self.assertEqual([entry["name"] for entry in results if entry["failed_runs"]
                              and entry["expectation"] != "control"], [])
            ran |= {entry["family"] for entry in results if entry["runs"]}
        names = self.litmus("list", "--names", "*").out.split()
        self.assertEqual(ran, {name.split(".")[0] for name in names})

    def test_snooping_fails_without_a_barrier(self):
        run = self.simt("run", HAZARD, "--simt", "snooping,subgroup=4", "--seed", "1", "-n", "5",
                        "-v")
        result = self.report()["results"][0]
        self.assertEqual((result["result"], result["expectation"]), ("fail", "forbidden"), run)
        self.assertEqual(run.code, 1, run)
        self.assertGreater(result["failed_runs"], 0)
        self.assertIn("snooping", self.report()["devices"][0]["driver"]["info"])
        # The line that runs it again does so on the same driver.
        self.assertIn("--simt snooping,subgroup=4 ", " ".join(self.reproduce(run.out)))

    def test_it_checks(self):
        race = r"driver: simt: data race of 4 bytes at shared memory \+ "
        for between, missing in (("none", True), ("control-barrier", False)):
            run = self.simt("run", f"memory.write-after-read/between={between},place=shared,memory-model=vulkan@"
                            "workgroup=256,rounds=16,step=33", "--simt",
                            "lockstep,check=races", "-n", "1", "-v", "--db", "none")
            self.assertRegex(run.out, r"1 configuration, 1 run each")
            (self.assertRegex if missing else self.assertNotRegex)(run.out + run.err, race)

    def test_resuming_goes_on_with_the_driver(self):
        self.cut_off("run", "shuffle.scan-loop", "--simt", "lockstep,subgroup=4", "-n", "100000")
        rest = self.simt("run", "--resume", "--time", harness.OPENING)
        self.assertIn(rest.code, (0, 5), rest)
        self.assertNotIn("not there", rest.err)
        self.assertEqual(len(self.report()["devices"]), 1)


class Counts(OnTheDriver):
    """counts=FILE, and the defaults of `litmus bench lookback` that were chosen by it."""

    @unittest.skipIf(harness.WINDOWS, "a trace takes minutes under Wine")
    def test_counts_are_those_of_the_trace(self):
        """What was executed together has one time."""
        counts, trace = self.path("counts"), self.path("trace")
        self.simt("run", HAZARD, "-n", "1", "--seed", "1", "--simt",
                  f"tangled,subgroup=4,threads=1,counts={counts},trace={trace}", code=0)
        with open(counts, encoding="utf-8") as file:
            given = [re.findall(r" (?:invocation-)?instructions (\d+)", line) for line in file]
        dispatches = harness.read(trace).split("\ndispatch ")[1:]
        steps = [re.findall(r"(?m)^step (\d+)", text) for text in dispatches]
        self.assertEqual([[str(len(set(times))), str(len(times))] for times in steps], given)


class FromAStore(OnTheDriver):
    """A store may come from someone else: it names no file to write."""

    @unittest.skipIf(harness.WINDOWS, "a trace takes minutes under Wine")
    def test_no_trace_is_written(self):
        trace = self.path("trace")
        self.simt("run", HAZARD, "--simt", f"snooping,subgroup=4,trace={trace}", "-n", "2",
                  "--isa", "none", code=1)
        os.remove(trace)
        self.assertIn("trace=", self.rows("SELECT options FROM session")[0][0])
        name = self.report()["results"][0]["name"]
        for arguments in (("repro", name, "-o", "bundle"), ("report", "--test", name, "-f", "markdown"),
                          ("report",), ("report", "-f", "html", "-o", "report.html"),
                          ("merge", "-o", "all.db", "litmus.db")):
            result = self.simt(*arguments, code=0)
            if "--test" in arguments:
                self.assertIn("--simt snooping,subgroup=4", result.out)
                # The command of the session, which is shown too, has it.
                again, = re.findall(r"(?m)^    \S+ (run [0-9a-f]{8} .*)$", result.out)
                self.assertIn("--simt snooping,subgroup=4 ", again)
        self.assertFalse(os.path.exists(trace))
        # It was the driver's code that was looked for, on the driver that was measured.
        self.assertTrue(any(name.startswith("code") for name in os.listdir(self.path("bundle"))),
                        os.listdir(self.path("bundle")))

    def test_resuming_is_refused(self):
        trace = self.path("trace")
        self.cut_off("run", "shuffle.scan-loop", "--simt", f"lockstep,subgroup=4,trace={trace}",
                     "-n", "100000")
        os.remove(trace)
        self.assert_one_line(self.simt("run", "--resume"), 2, "cannot be resumed", "trace")
        self.assertFalse(os.path.exists(trace))


class Explaining(OnTheDriver):
    def test_words_and_picture(self):
        run = self.simt("explain", HAZARD + "*", "--simt", "snooping", "--svg", "hazard.svg",
                        "--time", str(8 * harness.SLOW), code=0)
        self.assertRegex(run.out,
                         r"(?s)broke +lane \d+.* read\s+lane\s+\d+'s\s+%[a-z]\w+.*got\s+0x")
        self.assert_all_in(run.out, "asks       does a Kogge-Stone scan", ">> ")
        self.assertRegex(run.out, r"reproduce  \S*litmus(\.exe')? explain [0-9a-f]{8} --simt ")
        picture = xml.dom.minidom.parse(self.path("hazard.svg"))
        self.assertEqual(picture.documentElement.tagName, "svg")
        self.assertFalse(picture.getElementsByTagName("script"))
        self.assertEqual(os.listdir(self.folder), ["hazard.svg"])

    # A test that fails under a model soon, by schedules of their own kinds.
    FAILING = {"snooping": HAZARD, "lagging,subgroup=8": "loop.desync/sync=none,*",
               "peeling": "cases.offload-test-suite-520/*form=ssa",
               "relaxed": "memory.message-passing/*order=release-acquire"}

    def test_the_command_that_it_prints_repeats_the_run(self):
        """The same steps, values, settings and picture, whatever the time for the search was."""
        for model, pattern in self.FAILING.items():
            with self.subTest(model=model):
                run = self.simt("explain", pattern + "*", "--simt", model, "--svg", "a.svg",
                                "--seed", "5", "--time", str(4 * harness.SLOW), code=0)
                command = shlex.split(run.out.split("reproduce  ")[1].split("\n")[0])
                self.assertEqual(command[1], "explain")
                again = self.simt(*command[1:], "--svg", "a.svg.again", code=0)
                self.assertEqual(self.without_search(again.out.replace("a.svg.again", "a.svg")),
                                 self.without_search(run.out))
                with open(self.path("a.svg"), "rb") as first, \
                        open(self.path("a.svg.again"), "rb") as second:
                    self.assertEqual(first.read(), second.read())

    def without_search(self, out):
        """Without how many runs were tried; how long the run is must be there."""
        found = re.search(r"(?s)\nfound .*?\n\n", out)[0]
        length = re.search(r"[\d,]+ preemptions, [\d,]+ executed", " ".join(found.split()))
        return out.replace(found, length[0])

    def test_a_run_that_does_not_fail(self):
        run = self.simt("explain", CURED + "*", "--simt",
                        "lockstep,schedule=random,threads=1,seed=3")
        self.assertEqual((run.code, run.out), (3, "this run did not fail under model lockstep\n"))

    def test_nothing_fails_under_lockstep(self):
        run = self.simt("explain", CURED + "*", "--simt", "lockstep", "--time", "2", code=3)
        self.assertRegex(run.out,
                         r"^nothing failed in [\d,]+ runs? of 2 seconds under model lockstep\n$")

    def test_a_picture_that_cannot_be_written(self):
        run = self.simt("explain", HAZARD + "*", "--simt", "snooping", "--svg", "/nowhere/x.svg",
                        "--time", str(4 * harness.SLOW))
        self.assert_one_line(run, 2, "/nowhere/x.svg")


@harness.posix
@harness.unsanitized
class MutationScore(harness.Case):
    """The tool on numbers made by hand; with the driver on a small part of the tests too."""

    TOOL = os.path.join(harness.SOURCE, "tools", "mutation-score")

    def tool(self, *arguments):
        return subprocess.run([sys.executable, self.TOOL, "--out", self.path("table.md"),
                               "--program", harness.PROGRAM, *arguments], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              env=self.environment())

    def numbers(self, **cells):
        """One row that may not fail, one that should."""
        rows = [{"variant": "shuffle.scan-loop/sync=control-each,reconvergence=default,"
                            "form=ssa,op=add,mode=inclusive",
                 "expectation": "forbidden", "cells": {"lockstep": {"4": [0, 10, ""]},
                                                       "snooping": {"4": [0, 10, ""]}}},
                {"variant": "shuffle.scan-loop/sync=none,reconvergence=default",
                 "expectation": "forbidden", "cells": {"lockstep": {"4": [0, 10, ""]},
                                                       "snooping": {"4": [7, 10, "g"]}}}]
        for model, cell in cells.items():
            rows[0]["cells"][model] = {"4": cell}
        self.write("table.json", json.dumps({
            "schema": "litmus-mutation-score/1", "command": "tools/mutation-score",
            "version": "litmus 0",
            "runs": 10, "seeds": 1, "models": ["lockstep", "snooping"], "sizes": [4],
            "rows": rows}))

    def test_numbers(self):
        """Right ones; a right model that fails, a cure that does not cure, a hazard not seen."""
        for cells, old, words in (
                ({}, "", ""),
                ({"lockstep": [1, 10, ""]}, "",
                 "forbidden to fail and failed under lockstep: 1 of 10"),
                ({"snooping": [1, 10, ""]}, "",
                 "failed under snooping with a barrier before each shuffle: 1 of 10"),
                ({}, "[7, 10", "shuffle.scan-loop never failed")):
            with self.subTest(words):
                self.numbers(**cells)
                if old:
                    self.write("table.json", self.read("table.json").replace(old, "[0, 10"))
                done = self.tool("--check")
                self.assertEqual((done.returncode, done.stderr), (bool(words), ""), done)
                self.assertIn(words, done.stdout)

    def test_numbers_that_are_none(self):
        for text in ("", "{}", "[]", '{"schema": "x"}'):
            self.write("table.json", text)
            done = self.tool("--check")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertEqual(done.stderr.count("\n"), 1, done)

    def test_the_same_numbers_make_the_same_bytes(self):
        self.numbers()
        first = self.tool("--from-numbers", "--details", "more/all")
        self.assertEqual(first.returncode, 0, first)
        text = self.read("table.md")
        self.assertIn("| `shuffle.scan-loop` | 1 of 2 | – | snooping, lagging |", text)
        self.assertIn("| `snooping` | 1 of 1 | 1 |", text)
        self.assertIn("| `shuffle.scan-loop` | · | **1** of 2: 7 of 10 |", self.read("more/all/models.md"))
        self.assertIn("| `sync=none,reconvergence=default` | forbidden | · | **7** of 10 g |",
                      self.read("more/all/variants.md"))
        self.tool("--from-numbers")
        self.assertEqual(self.read("table.md"), text)

    def test_measuring(self):
        done = self.tool("--runs", "2", "--seeds", "1", "--models", "lockstep,snooping", "--sizes",
                         "4", "shuffle.scan-loop/*form=ssa*workgroup=64")
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("2/2 ", done.stderr)
        numbers = json.loads(self.read("table.json"))
        self.assertTrue(all(row["cells"]["lockstep"]["4"][0] == 0 for row in numbers["rows"]))
        self.assertTrue(any(row["cells"]["snooping"]["4"][0] for row in numbers["rows"]))


harness.main(__name__)
