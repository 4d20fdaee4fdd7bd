# SPDX-License-Identifier: Apache-2.0
"""tools/bench: what it measures is there and plausible, its plot is an SVG, and its lines tell what
grows in proportion from what does not."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import unittest
import xml.etree.ElementTree

import harness

BENCH = os.path.join(harness.SOURCE, "tools", "bench")


def load():
    loader = importlib.machinery.SourceFileLoader("bench", BENCH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


def points(cost, xs=(1, 2, 4, 8, 16, 32)):
    return [{"x": x, "median": {"cost": cost(x)}} for x in xs]


class Lines(unittest.TestCase):
    def test_what_grows_in_proportion(self):
        bench = load()
        line = bench.fit(points(lambda x: 3 + 2 * x), "cost")
        self.assertAlmostEqual(line["start"], 3)
        self.assertAlmostEqual(line["slope"], 2)
        self.assertTrue(line["linear"] and abs(line["deviation"]) < 1e-9)
        for cost in (lambda x: x * x, lambda x: 3 + x * x, lambda x: 5 + x ** 1.5):
            self.assertFalse(bench.fit(points(cost), "cost")["linear"])
        for off in (0.2, -0.2):  # the farthest point is above or below
            line = bench.fit(points(lambda x: 100 * (1 + off * (x == 8))), "cost")
            self.assertEqual(line["at"], 8)
            self.assertGreater(line["deviation"] / off, 0.5)
        self.assertTrue(bench.flatness(points(lambda x: 100 + x / 10), "cost")["flat"])
        self.assertFalse(bench.flatness(points(lambda x: 100 + x), "cost")["flat"])


class Measured(harness.Case):
    def bench(self, *arguments):
        return subprocess.run([BENCH, *arguments], capture_output=True, text=True, check=False,
                              cwd=self.folder, timeout=200 * harness.SLOW)

    def test_a_scan_under_its_roof(self):
        report = os.path.join(harness.SOURCE, "reports", "nvidia-h100-580.159.04")
        done = self.bench("--out", self.path("out"), "--scans",
                          os.path.join(report, "bench-lookback.json.gz"),
                          os.path.join(report, "bench-cub.json"))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done)
        drawn = xml.etree.ElementTree.parse(self.path("out/roofline.svg"))
        texts = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("NVIDIA H100 80GB HBM3", texts)
        for exponent in range(20, 31, 2):
            self.assertIn(f"2^{exponent}", texts)
        # Six sizes and one in the key: of the copy, of the scan.
        for kind in ("circle", "rect"):
            shapes = [element for element in drawn.iter(f"{{http://www.w3.org/2000/svg}}{kind}")
                      if element.get("class") in ("s0", "s1")]
            self.assertEqual(len(shapes), 7, kind)
        self.write("other.json", "{}")
        done = self.bench("--out", self.path("out"), "--scans", self.path("other.json"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^bench: .*other\.json: of neither .*\n$")

    def test_devices(self):
        done = self.bench("--program", harness.PROGRAM, "--drivers", "simt", "--axis", "devices",
                          "--quick", "--repeat", "1", "--out", self.path("out"))
        self.assertEqual(done.returncode, 0, done)
        data = json.loads(self.read("out/growth.json"))
        self.assertEqual([series["axis"] for series in data["series"]], ["devices"])
        series = data["series"][0]
        self.assertEqual([point["x"] for point in series["points"]], [1, 2, 4])
        for point in series["points"]:
            got = point["median"]
            self.assertEqual(got["results"], 4 * point["x"], point)
            self.assertEqual(got["runs"], 80 * point["x"], point)
            self.assertGreater(got["supervisor_cpu"], 0)
            self.assertGreater(got["workers_cpu"], 0)
            for key in ("supervisor_peak", "worker_peak"):
                self.assertGreater(got[key], 1 << 20, point)
            self.assertIn(f"devices={point['x']}", point["command"])
        drawn = self.read("out/growth.svg")
        self.assertEqual(xml.etree.ElementTree.fromstring(drawn).tag,
                         "{http://www.w3.org/2000/svg}svg")
        again = self.bench("--draw", self.path("out/growth.json"), "--out", self.path("again"))
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(self.read("again/growth.svg"), drawn)

    def test_wrong(self):
        self.write("odd.json", '{"schema": "other/1"}')
        for arguments, words in ((("--program", "/nowhere"), "/nowhere is not there"),
                                 (("--draw", self.path("odd.json")), "not of schema")):
            done = self.bench(*arguments, "--out", self.path("out"))
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.strip().split("\n")), 1, done)


harness.main(__name__)
