#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The litmus tests of corpus/: what is said of each by hand, and what the model says."""

import glob
import itertools
import json
import os
import re
import subprocess
import sys

import harness

CORPUS = os.path.join(harness.SOURCE, "corpus")


def files():
    return sorted(glob.glob(os.path.join(CORPUS, "*.litmus")))


class Corpus(harness.Case):
    def test_shapes(self):
        script = os.path.join(harness.SOURCE, "tools", "corpus")
        result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_verdicts(self):
        self.assertGreaterEqual(len(files()), 60)
        result = self.litmus("model", "--quiet", *files(), code=0)
        lines = result.out.splitlines()
        self.assertEqual(len(lines), len(files()))
        for path, line in zip(files(), lines):
            with self.subTest(path=path), open(path, encoding="utf-8") as file:
                said = re.search(r"\(\* (Forbidden|Allowed)(, with a data race)?\.", file.read())
                check = {"Forbidden": "~exists", "Allowed": "exists"}[said[1]]
                self.assertEqual(line, f"{path}: {check}: holds{said[2] or ''}")


def path_of(name):
    return os.path.join(CORPUS, name + ".litmus")


LOOP = harness.kernel("loop.litmus")


AGAINST = harness.kernel("against.litmus")

FORMS = ("glsl", "64-bit", "physical", "volatile", "address-again", "address-by-value", "unrolled")


class Runs(harness.Case):
    """The same programs on the SIMT simulator."""

    def run_files(self, *arguments, model="lockstep", runs="2", **how):
        return self.litmus("run", "--db", "run.db", "--simt", model + ",threads=1",
                           "--seed", "1", "-n", runs, *arguments, **how)

    def test_correct_model(self):
        """None of them does what is forbidden, and each of their final states is known."""
        result = self.run_files("-q", *files(), code=0)
        self.assertNotIn("skipped", result.err)
        results = self.report("run.db")["results"]
        self.assertEqual(len(results), len(files()))
        unknown = {"another state", "never written"}
        self.assertFalse([entry for entry in results if unknown & set(entry["outcomes"])])

    def test_relaxed_model(self):
        """What forgets release and acquire shows what they forbid, and coherence stays."""
        names = ["MP+rel-acq+dv", "MP+rel-acq+wg-shared", "MP+membar+dv", "MP+plain-semantics+dv",
                 "WRC+rel-acq+dv", "WWC+membar+dv", "sequence+rmw+dv", "MP+classes+wg",
                 "CoRR+dv", "CoRR2+dv", "CoRR4+dv", "RMW-lost+dv", "RMW-twice+dv"]
        result = self.run_files(*map(path_of, names), model="relaxed", runs="5", code=1)
        failed = {entry["test"] for entry in self.report("run.db")["results"] if entry["result"] == "fail"}
        self.assertEqual(failed, {"litmus." + name.lower().replace("+", "-") for name in names[:8]})
        self.assertRegex(result.out, r"P1:r0=1 P1:r1=0 \* +forbidden +[1-9]")
        self.assertIn("Observation Sometimes", result.out)

    def test_each_final_state(self):
        """The histogram has what is observed; the file's condition is an observation."""
        result = self.run_files(path_of("2+2W+rlx+dv"), path_of("CoWW+dv"))
        self.assertRegex(result.out, r"x=1 y=2 +allowed +[\d,]+\n +x=2 y=1 +allowed +[\d,]+\n"
                                     r" +x=1 y=1 \* +allowed +0\n +Observation Never +0\n")
        self.assertRegex(result.out, r"x=2 +allowed +[\d,]+\n +x=1 \* +forbidden +0\n")

    def test_herd(self):
        self.run_files("-q", path_of("MP+rel-acq+dv"), model="relaxed")
        log = self.converted("herd", store="run.db")
        states = dict(re.findall(r"(?m)^\d+ *([:*]>.*)()$", log))
        self.assert_all_in(states, "*>1:r0=1; 1:r1=0;", ":>1:r0=0; 1:r1=0;")
        counts = re.search(r"(?m)^Observation litmus.mp-rel-acq-dv/\S+ Sometimes (\d+) (\d+)$", log)
        self.assertIn(f"Positive: {counts[1]}, Negative: {counts[2]}", log)

    def test_reports_agree(self):
        """A JSON report says which final states fail, so that it can be a baseline."""
        self.run_files("-q", path_of("IRIW+rlx+dv"), path_of("MP+rel-acq+dv"), model="relaxed")
        report = self.litmus("report", "--db", "run.db", "-f", "json").out
        with open(self.path("base.json"), "w", encoding="utf-8") as file:
            file.write(report)
        failing = {result["test"]: [choice["name"] for choice in result["choices"] if choice["fails"]]
                   for result in json.loads(report)["results"]}
        self.assertEqual(failing["litmus.mp-rel-acq-dv"], ["P1:r0=1 P1:r1=0 *", "another state"])
        result = self.litmus("compare", "base.json", "run.db", code=0)
        self.assertIn("2 undecided", result.out)

    def test_resume_and_names(self):
        """A store keeps the test: no command needs its file again."""
        self.run_files("-q", path_of("MP+rel-acq+dv"))
        self.run_files("litmus.mp-rel-acq-dv", code=0)
        self.assert_one_line(self.litmus("repro", "1830f920", "--db", "run.db"), 2,
                             "no reproducers of litmus tests")
        listed = self.litmus("list", path_of("MP+rel-acq+dv"), "--names")
        self.assertIn("litmus.mp-rel-acq-dv", listed.out)

    def assert_valid(self, file):
        """The kernel as it is shown, which is returned, is valid SPIR-V."""
        shown = self.litmus("show", "--source", file)
        path = self.write("kernel.spvasm", shown.out)
        assembler, made = os.environ.get("LITMUS_SPIRV_AS", "spirv-as"), self.path("kernel.spv")
        validator = assembler.replace("spirv-as", "spirv-val")
        for command in ([assembler, "--target-env", "spv1.3", path, "-o", made],
                        [validator, "--target-env", "vulkan1.1", made]):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, (file, done.stderr, shown))
        return shown.out

    def test_kernel(self):
        """It is readable, valid SPIR-V."""
        loops = {"loop" + place.replace(" ", ""): LOOP.replace("VULKAN loop", "VULKAN loop" + place.replace(" ", ""))
                 .replace("sg 0, wg 1", place) for place in ("sg 0, wg 1", "sg 1, wg 0", "sg 0, wg 0")}
        for name in ("MP+plain+dv", "WRC+cbar+wg", "SB+cbar+wg-shared", "sequence+rmw+dv", *loops):
            path = self.write("loop.litmus", loops[name]) if name in loops else path_of(name)
            shown = self.assert_valid(path)
            self.assert_all_in(shown, "; VULKAN " + name, "; P0: st.")

    def formed(self, names):
        """Programs in the forms of a kernel that they can have: each, each two, all."""
        for name, count in itertools.product(names, (0, 1, 2, len(FORMS))):
            text = harness.read(path_of(name))
            for forms in itertools.combinations(FORMS, count):
                if "shared" in name and "physical" in forms:
                    continue
                if "beq" in text and {"address-by-value", "unrolled"} & set(forms):
                    continue
                digits = "".join(str(FORMS.index(form)) for form in forms)
                yield self.write(f"{name}+{digits}.litmus", text.replace(
                    "\n", f"\nKernel={' '.join(forms)}\n", 1))

    def test_forms_are_valid(self):
        for file in self.formed(["CoRR+wg", "MP+membar+wg-shared"]):
            self.assert_valid(file)

    def test_forms_mean_the_same(self):
        """No form does what is forbidden, and each leaves the program what it was."""
        files = list(self.formed(["CoRR4+dv", "RMW-lost+wg", "2+2W+rlx+dv", "MP+cbar+wg",
                                  "MP+membar+wg-shared", "MP+plain-semantics+dv"]))
        self.assertGreater(len(files), 100)
        for model in ("lockstep", "tangled"):
            result = self.run_files("-q", "--isa", "none", *files, model=model)
            self.assertEqual((result.code, result.err), (0, ""), result)
            states = {name for entry in self.report("run.db")["results"] for name in entry["outcomes"]}
            self.assertNotIn("another state", states)
            # Where nothing is atomic but by its order, many instances have each final state.
            self.assertIn("P1:r0=1 P1:r1=1", states)
            os.remove(self.path("run.db"))

    def states(self):
        """{final state: instances} of the only test."""
        report = json.loads(self.litmus("report", "--db", "run.db", "-f", "json").out)
        (result,) = report["results"]
        return result["outcomes"]

    def test_loops(self):
        """A loop is a bounded wait. It runs out where the other workgroup does not begin."""
        loop = self.write("loop.litmus", LOOP)
        self.assertEqual(self.run_files(loop).code, 0)
        self.assertEqual(set(self.states()), {"P1:r0=1 *"})
        against = self.write("against.litmus", AGAINST)
        self.assertEqual(self.run_files(against, model="lockstep,resident=1").code, 0)
        states = self.states()
        self.assertEqual(set(states), {"ran out"})
        table = self.litmus("report", "--db", "run.db").out
        self.assertRegex(table, r"\n +ran out +%s\n" % f"{states['ran out']:,}")
        self.assertIn("Observation Unknown", table)

    def test_filter(self):
        """What the filter leaves out is counted apart, and neither asked for nor forbidden."""
        name = "CoRR+dv"
        text = harness.read(path_of(name))
        condition = re.search(r"(?m)^~?exists .*$", text)[0]
        path = self.write("filtered.litmus", text.replace(condition, "filter (P1:r0 == 7)\n" + condition))
        self.run_files(path, code=0)
        self.assertEqual(set(self.states()), {"left out by the filter"})

    def test_skipped(self):
        """What one dispatch cannot express is left out with its reason."""
        loop = self.write("loop.litmus", LOOP.replace("exists", "| cbar.wg 0 ;\nexists"))
        once = LOOP.replace("bne r0, 1, L", "")
        queues = self.write("queues.litmus", once.replace("wg 1, qf 0", "wg 1, qf 1"))
        host = self.write("host.litmus", LOOP.replace("bne r0, 1, L", "avdevice"))
        result = self.run_files(loop, queues, host, path_of("CoRR+dv"), code=0)
        self.assert_all_in(result.err, "loop.litmus: a control barrier beside branches",
                           "queues.litmus: a dispatch is of one queue family",
                           "host.litmus: line 6: the host's operation on the device domain")
        self.assertEqual(self.run_files(loop).code, 3)
        bad = self.write("bad.litmus", LOOP.replace("st.atom", "st.atom.acq"))
        self.assert_one_line(self.run_files(bad), 2, "bad.litmus: line 4, column 2")
        self.assert_one_line(self.run_files("none.litmus"), 2, "cannot read none.litmus")


harness.main(__name__)
