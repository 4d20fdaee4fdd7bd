# SPDX-License-Identifier: Apache-2.0
"""litmus advise: what shaders may rely on, by stores and reports."""

import glob
import os
import re

import harness
from harness import Case, SOURCE

READS = "A cross-lane read needs no barrier in a loop in which one lane has work of its own"
ITERATION = "Lanes are at the same iteration when they read each other, although one lane has work"


def published(name):
    return os.path.join(SOURCE, "reports", name, "report.json")


class Advise(Case):
    def advise(self, *reports, code=0):
        """{section: {statement: lines below it}}, blanks squeezed."""
        result = self.litmus("advise", "-f", "markdown", *reports, cwd=SOURCE)
        self.assertEqual((result.code, result.err), (code, ""), result)
        self.assert_clean(result)
        found = {}
        for section in re.split(r"^### ", result.out, flags=re.M)[1:]:
            title, *lines = section.split("\n")
            rows = found.setdefault(title, {})
            statement = None
            for line in lines[3:]:
                if not line.startswith("| "):
                    continue
                cells = [re.sub(r"&#(\d+);", lambda code: chr(int(code[1])), cell.strip())
                         for cell in line.strip(" |").split(" | ")]
                if not cells[0].startswith(("put in:", "advice:")):
                    statement = cells[0]
                rows.setdefault(statement, []).append(cells)
        return found

    def test_what_failed_has_its_remedies(self):
        found = self.advise(published("nvidia-h200-580.159.04"))
        lines = found["It failed, and what to put in"][
            "A reduction in a branch that one subgroup takes has all of its lanes, beside many "
            "bounds checks"]
        self.assertEqual(lines[0][1:4], ["driver bug", "13,000", "10,000"])
        self.assertIn("bools=12,24", lines[0][-1])
        self.assertIn("reports/findings/nvidia-h200-580.159.04-skipped-reduction.md", lines[0][-1])
        by_values = {line[-1].split(";")[0]: line for line in lines[1:]}
        self.assertEqual(by_values["cure=subgroup-barrier"][1:4], ["fails, too", "1,000", "1,000"])
        self.assertNotIn("branch=local-index", by_values)  # right there, but by chance elsewhere
        unknown = by_values["branch=none"]
        self.assertEqual(unknown[1:4], ["not measured", "", ""])
        # The command behind it measures that remedy of a configuration that failed.
        name = self.litmus("list", "--names", re.search("litmus run (.*)", unknown[-1])[1]).out
        self.assertIn("branch=none,cure=none,bools=12", name)

    def test_what_held_has_its_bound(self):
        found = self.advise(published("nvidia-h200-580.159.04"))
        held = found["It held in all runs"]
        self.assertEqual(held[READS][0][1:5], ["yes", "13,000", "0", "< 2.9e-4"])
        steps = "Where one subgroup is left, steps in shared memory need no barrier"
        self.assertEqual(held[steps][0][1:6], ["no", "1,000", "0", "< 3.7e-3", "1 of 1"])
        self.assertNotIn(READS, found["It failed, and what to put in"])

    def test_a_cure_can_be_what_fails(self):
        found = self.advise(published("lavapipe-25.0.7"))
        lines = found["It failed, and what to put in"][
            "Barriers of scope Subgroup may stand between cross-lane reads in a loop that only "
            "some subgroups execute"]
        self.assertIn("shuffle.scan-loop sync=control-*; never written in 6 of 10", lines[0][-1])
        self.assertEqual([line[1] for line in lines[1:]], ["helps", "helps"])
        self.assertIn(READS, found["It held in all runs"])
        self.assertIn("Lanes are together behind a construct that the whole subgroup entered, "
                      "under subgroup-uniform control flow", found["Not measured"])

    def run_simulated(self, *arguments):
        result = self.litmus("run", "loop.desync/*exchange=up,reconvergence=default,store=each,"
                             "pressure=none@workgroup=128,elected=last,iterations=4,*", "--seed", "7",
                             "-q", *arguments)
        self.assertIn(result.code, (0, 1), result)

    def test_a_store(self):
        """Under snooping a lane's register is read early, unless a control barrier stands there."""
        self.run_simulated("--simt", "lockstep", "-n", "2")
        held = self.advise(self.path("litmus.db"))["It held in all runs"]
        lines = held[next(key for key in held if key.startswith(ITERATION))]
        self.assertIn("loop.desync", lines[0][-1])
        self.run_simulated("--simt", "snooping", "-n", "12", "--db", "snooping.db")
        found = self.advise(self.path("snooping.db"))["It failed, and what to put in"]
        lines = found[next(key for key in found if key.startswith(ITERATION))]
        self.assertEqual(lines[0][1], "driver bug")
        verdicts = {line[-1].split(";")[0]: line[1] for line in lines[1:]}
        self.assertEqual(verdicts["sync=memory"], "fails, too", lines)
        self.assertEqual(verdicts["sync=control"], "helps", lines)

    def test_few_runs_do_not_show_that_something_helps(self):
        self.run_simulated("--simt", "snooping", "-n", "1")
        found = self.advise(self.path("litmus.db"))["It failed, and what to put in"]
        lines = found[next(key for key in found if key.startswith(ITERATION))]
        verdicts = {line[-1].split(";")[0]: line[1] for line in lines[1:]}
        self.assertEqual(verdicts["sync=control"], "undecided", lines)

    def test_devices_are_chosen_by_name_or_version(self):
        reports = [published("lavapipe-25.0.7"), published("swiftshader-5.0")]
        text = self.litmus("advise", *reports, "-d", "25.0").out
        self.assertIn("driver 25.0.7", text)
        self.assertNotIn("SwiftShader", text)
        self.assert_one_line(self.litmus("advise", *reports, "-d", "Voodoo"), 2, "Voodoo")

    def test_bad_input(self):
        self.write("cut.json", '{"schema":')
        self.assert_one_line(self.litmus("advise"), 2, "missing report")
        self.assert_one_line(self.litmus("advise", "cut.json"), 2, "cut.json")
        self.assert_one_line(self.litmus("advise", "no-such.db"), 2, "no-such.db")

    def test_published(self):
        reports = sorted(os.path.relpath(path, SOURCE) for path in
                         glob.glob(os.path.join(SOURCE, "reports", "*", "report.json")))
        result = self.litmus("advise", "-f", "markdown", *reports, cwd=SOURCE)
        with open(os.path.join(SOURCE, "reports", "advice.md"), encoding="utf-8") as file:
            head, line, rest = file.read().partition("\n## ")
        self.assertIn("`litmus advise -f markdown reports/*/report.json`", head)
        self.assertEqual(result.out, line[1:] + rest, "make it anew (reports/README.md)")


harness.main(__name__)
