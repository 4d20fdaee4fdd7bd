# SPDX-License-Identifier: Apache-2.0
"""Every module runs once under the Khronos validation layer, which has nothing to say."""

import fnmatch
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402  (found by the line above)

# The newer one first: that of Debian 12 is older than maximal reconvergence.
LAYERS = ("/usr/lib/chromium/libVkLayer_khronos_validation.so",
          "/usr/lib/*/libVkLayer_khronos_validation.so")


class Validation(harness.Case):
    def setUp(self):
        super().setUp()
        found = [path for pattern in LAYERS for path in sorted(glob.glob(pattern))]
        if not found:
            self.skipTest("no validation layer is installed")
        os.mkdir(self.path("layers"))
        self.write("layers/validation.json", json.dumps({
            "file_format_version": "1.2.0",
            "layer": {"name": "VK_LAYER_KHRONOS_validation", "type": "GLOBAL",
                      "library_path": found[0], "api_version": "1.3.0",
                      "implementation_version": "1", "description": "validation",
                      "instance_extensions": [{"name": "VK_EXT_debug_utils", "spec_version": "1"}]},
        }))
        self.layers = {"VK_LAYER_PATH": self.path("layers")}
        self.library = found[0]

    def one_point_of_each_variant(self, manifest):
        """Patterns that select each variant of each test at one point of its sweeps."""
        crashes = harness.known_crashes(self.litmus("devices", "-v", drivers=[manifest]).out)
        names = [name for name in self.litmus("list", "--names", "--thorough").out.split()
                 if not any(fnmatch.fnmatchcase(name, pattern) for pattern in crashes)]
        points, missing = {}, {}
        for name in names:
            variant, _, point = name.partition("@")
            test = re.match(r"[^/@]+", name).group()
            first = points.setdefault(test, point)
            if point == first:
                missing[variant] = None
            else:
                missing.setdefault(variant, name)
        patterns = [f"{test}*@{point}*" for test, point in points.items()]
        return patterns + [f"{name}*" for name in missing.values() if name], len(missing)

    def quiet(self, manifest, patterns, store="litmus.db", **more):
        """Runs the patterns; returns the variants that ran and those that were skipped."""
        run = self.litmus("run", *patterns, "-n", "1", "-q", "--validation", "--timeout", "60",
                          "--db", store, drivers=[manifest], timeout=400, **self.layers, **more)
        self.assertEqual(run.err, "")
        report = self.report(store)
        bad = [(entry["name"], entry["result"], entry["reason"]) for entry in report["results"]
               if entry["result"] in ("crash", "hang", "device-lost", "harness-error")]
        self.assertEqual(bad, [])
        self.assertEqual(report["devices"][0]["checker"], "device")
        ran = {entry["name"].split("@")[0] for entry in report["results"] if entry["runs"]}
        skipped = {entry["name"].split("@")[0] for entry in report["results"]
                   if entry["result"] == "skip"}
        return ran, skipped - ran

    def test_no_message(self):
        patterns, variants = self.one_point_of_each_variant(harness.lavapipe())
        ran, skipped = self.quiet(harness.lavapipe(), patterns)
        print(f"{variants} variants: {len(ran)} ran, {len(skipped)} skipped")
        self.assertGreater(len(ran), 100)
        self.assertEqual(len(ran | skipped), variants)

    def test_no_message_of_a_newer_driver(self):
        # It has the execution modes that the other lacks; scan-loop takes it minutes to compile.
        if not os.path.exists(harness.SECOND_LAVAPIPE):
            self.skipTest("tools/setup has not unpacked a second lavapipe")
        patterns, _ = self.one_point_of_each_variant(harness.lavapipe())
        patterns = [pattern.replace("*@", f"/*reconvergence={mode}*@") for pattern in patterns
                    for mode in ("maximal", "subgroup-uniform")
                    if "*@" in pattern and "scan-loop" not in pattern]
        names = self.litmus("list", "--names", "--thorough").out.split()
        patterns = [pattern for pattern in patterns
                    if any(fnmatch.fnmatchcase(name, pattern) for name in names)]
        ran, skipped = self.quiet(harness.SECOND_LAVAPIPE, patterns)
        print(f"{len(ran)} ran, {len(skipped)} skipped")
        self.assertGreater(len(ran), 20)

    def test_no_message_of_the_reference_driver(self):
        # It runs all modules, also those that the others lack something for.
        if not os.path.exists(harness.SIMT):
            self.skipTest("the reference driver is not built")
        with open(self.library, "rb") as file:
            if b"SPV_KHR_maximal_reconvergence" not in file.read():
                self.skipTest("the validation layer is older than maximal reconvergence")
        ran, skipped = self.quiet(harness.SIMT, ["*"], store="usual.db")
        self.assertEqual(skipped, set())
        patterns, variants = self.one_point_of_each_variant(harness.SIMT)
        for size in (32, 4):
            with self.subTest(size=size):
                more, skipped = self.quiet(harness.SIMT, patterns, store=f"{size}.db",
                                           LITMUS_SIMT=f"subgroup={size}")
                print(f"{variants} variants: {len(more)} ran, {len(skipped)} skipped")
                self.assertEqual(len(more | skipped), variants)
                ran |= more
        self.assertEqual(len(ran), variants)

    def test_the_layer_is_there_and_heard(self):
        run = self.litmus("run", harness.ONE, "-n", "1", "-q", "--validation",
                          fault="small-push-constants", **self.layers)
        self.assertIn("VUID-", run.err)
        self.assertIn("maxPushConstantsSize", run.err)
        self.assert_clean(run)

    def test_without_validation_nothing_is_heard(self):
        run = self.litmus("run", harness.ONE, "-n", "1", "-q", fault="small-push-constants",
                          **self.layers)
        self.assertEqual((run.code, run.err), (0, ""), run)

    def test_layer_that_is_not_installed(self):
        os.mkdir(self.path("none"))
        run = self.litmus("run", harness.ONE, "-n", "1", "--validation",
                          VK_LAYER_PATH=self.path("none"))
        self.assertNotIn(run.code, (0, 1), run)
        self.assertIn("VK_LAYER_KHRONOS_validation", run.err)
        self.assert_clean(run)


if __name__ == "__main__":
    harness.main()
