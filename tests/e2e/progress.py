#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""litmus progress: each schedule of a progress model on the SIMT simulator is found as itself."""

import glob
import json
import os
import re

import harness

MODELS = ("fair", "lobe", "hsa-obe", "hsa", "obe", "none")
STRONGER = {"lobe": ["fair"], "hsa-obe": ["lobe"], "hsa": ["hsa-obe"], "obe": ["hsa-obe"],
            "none": ["hsa", "obe"], "fair": []}
PLACES = ("lanes", "subgroups", "workgroups")


@harness.unsanitized
class Progress(harness.Case):
    def progress(self, schedule, *arguments, runs="3"):
        return self.litmus("progress", "--db", "run.db", "--simt", f"lockstep,schedule={schedule}",
                           "--polls", "1024", "-n", runs, "--seed", "7", "-q", *arguments)

    def check(self, model):
        """The model is found, by programs that rule out those that are next stronger."""
        result = self.progress(model)
        self.assertEqual(result.code, 0, result)
        lines = dict(re.findall(r"(?m)^  (\w+): (.*)$", result.out))
        self.assertEqual(tuple(lines), PLACES)
        for place, line in lines.items():
            self.assertEqual(line.split(", by 48 programs")[0], model, line)
            self.assertEqual(re.findall(r"; (\S+) is ruled out by litmus\.progress-" + place, line),
                             STRONGER[model])

    test_fair = harness.case("check", "fair")

    def test_lobe(self):
        self.check("lobe")
        report = json.loads(self.litmus("report", "--db", "run.db", "-f", "json").out)
        (progress,) = report["summary"]["progress"]
        for place in PLACES:
            self.assertIn("lobe, by 48 programs; fair is ruled out", progress[place])
        out = self.litmus("report", "--db", "run.db").out
        self.assertIn("Between lanes: lobe, by 48 programs", out)

    test_hsa_obe = harness.case("check", "hsa-obe")
    test_hsa = harness.case("check", "hsa")
    test_obe = harness.case("check", "obe")
    test_none = harness.sanitized(harness.case("check", "none"))

    @harness.sanitized
    def test_programs(self):
        """They are files that others can read; what their names say, the model says."""
        self.assertEqual(self.litmus("progress", "--write", "programs").code, 0)
        files = sorted(glob.glob(self.path("programs/*.litmus")))
        self.assertEqual(len(files), 3 * 48)
        said = {"fair": 1, "lobe": 2, "hsa-obe": 3, "hsa": 4, "obe": 4, "any": 5}
        for line in self.litmus("model", "--progress", "--quiet", *files).out.splitlines():
            path, ends = line.split(": always ends under ")
            word = re.match(r"progress-[a-z]+-(hsa-obe|[a-z]+)-", os.path.basename(path))[1]
            models = ends.split(", ")
            self.assertEqual(len(models), said[word], line)
            self.assertEqual(models, [m for m in MODELS if m in models])
        self.assert_one_line(self.litmus("progress", "--polls", "7", "--simt", "lockstep"), 2, "polls")


harness.main(__name__)
